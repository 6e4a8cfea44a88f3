// The native menu bar, described from the registry: the window draws it, its items run commands by their id.
import type { MenuPart } from '../api/transport'
import { m } from '../gen/words'
import { commands } from '../lib/commands/registry.svelte'
import { partsOf, type Chord } from '../lib/commands/chords'

/** Keys that text fields need for themselves: shown by nobody, pressed in the page. */
const FOR_TEXT = /^(?:frame\.undo|frame\.redo|view\.close)$/

export function menuBar(): MenuPart[] {
  const go = commands.listed
    .filter(({ id }) => id.startsWith('go.') && id !== 'go.accounts')
    .map(({ id }) => id)
  const own = commands.listed.map(({ id }) => id).filter((id) => !/^(?:go|frame|view)\./.test(id))
  return [
    part(m.frame_file(), [...own, undefined, 'go.accounts', 'frame.window', 'frame.settings']),
    part(m.frame_edit(), ['frame.undo', 'frame.redo', undefined, 'frame.cancel']),
    part(m.frame_view(), [
      'view.sidebar',
      'view.panel',
      'view.tasks',
      undefined,
      'view.zoomIn',
      'view.zoomOut',
      'view.zoomUsual',
    ]),
    part(m.frame_go(), [
      'frame.palette',
      'frame.commands',
      'frame.search',
      undefined,
      'frame.back',
      'frame.forward',
      undefined,
      ...go,
    ]),
    part(m.frame_help(), ['frame.keys']),
  ].filter(({ items }) => items.some((item) => item !== undefined))
}

function part(title: string, ids: readonly (string | undefined)[]): MenuPart {
  const items = ids.flatMap((id) => {
    if (id === undefined) return [undefined]
    const command = commands.get(id)
    if (command === undefined) return []
    return [{ id, title: command.title, accelerator: acceleratorOf(id, command.keys?.[0]) }]
  })
  // No line at an end or beside another.
  return {
    title,
    items: items.filter(
      (item, at) => item !== undefined || (items[at - 1] !== undefined && items[at + 1] !== undefined),
    ),
  }
}

/** Only chords with the main modifier or a function key: a plain letter as accelerator would eat typing. */
function acceleratorOf(id: string, chord: Chord | undefined): string | undefined {
  if (chord === undefined || FOR_TEXT.test(id)) return undefined
  const { mod, shift, alt, key } = partsOf(chord)
  if (!mod && !/^f\d+$/.test(key)) return undefined
  const name = { plus: '=', minus: '-' }[key] ?? key
  return [mod && 'CmdOrCtrl', alt && 'Alt', shift && 'Shift', name.toUpperCase()].filter(Boolean).join('+')
}
