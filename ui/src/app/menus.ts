// The native menu bar. Its menus keep one order on every screen; items that cannot run now are disabled, not missing.
import type { MenuPart } from '../api/transport'
import { m } from '../gen/words'
import { formatChord, isPlainChord, parseChord, type Chord } from '../lib/commands/chords'
import { commands, type Command } from '../lib/commands/registry.svelte'
import { router } from '../lib/router.svelte'
import { findSection } from './places'

/** A command by its ID, or a title and its usual key with candidates: the item runs the first of them that the screen
 *  has. */
type MenuEntryId = string | MenuSlot | undefined

interface MenuSlot {
  title: string
  chord?: Chord | undefined
  first: readonly string[]
}

/** A longer menu is hard to scan. The palette lists every command. */
const MOST = 15

const createSlot = (title: string, chord: Chord, ...first: string[]): MenuSlot => ({ title, chord, first })

const listFileEntries = (): MenuEntryId[] => [
  'import.open',
  'import.past',
  'account.export',
  'account.safety',
  undefined,
  'sync.pull',
  'sync.review',
  'sync.plan',
  'sync.push',
  undefined,
  'go.accounts',
  'frame.account',
  'frame.window',
  undefined,
  'frame.settings',
  undefined,
  'frame.quit',
]

const listEditEntries = (): MenuEntryId[] => [
  'frame.undo',
  'frame.redo',
  undefined,
  createSlot(m.contacts_cmd_cut(), 'mod+x', 'contacts.cut'),
  createSlot(m.contacts_cmd_copy(), 'mod+c', 'contacts.copy', 'links.copy', 'optouts.copy'),
  createSlot(m.contacts_cmd_paste_cells(), 'mod+v', 'contacts.paste_cells'),
  createSlot(m.contacts_cmd_paste_special(), 'mod+shift+v', 'contacts.paste_special'),
  createSlot(m.contacts_cmd_clear(), 'delete', 'contacts.clear'),
  { title: m.frame_menu_delete(), first: DELETES },
  undefined,
  createSlot(m.contacts_cmd_select_all(), 'mod+a', 'contacts.select_all'),
  createSlot(m.frame_menu_find(), 'mod+f', ...FINDS),
  createSlot(m.contacts_replace(), commands.platform.mac ? 'mod+alt+f' : 'mod+h', 'contacts.replace'),
  undefined,
  'frame.cancel',
]
const DELETES = ['contacts', 'lists', 'links', 'senders', 'fields', 'optouts', 'trash'].flatMap((area) =>
  ['delete', 'remove', 'purge'].map((verb) => `${area}.${verb}`),
)
const FINDS = ['contacts', 'lists', 'senders', 'server', 'activity'].flatMap((area) =>
  ['find', 'search', 'filter'].map((verb) => `${area}.${verb}`),
)

const listViewEntries = (): MenuEntryId[] => [
  'view.sidebar',
  'view.panel',
  'view.tasks',
  undefined,
  'view.zoomIn',
  'view.zoomOut',
  'view.zoomUsual',
]

const listGoEntries = (): MenuEntryId[] => [
  'frame.palette',
  'frame.commands',
  'frame.search',
  undefined,
  'frame.back',
  'frame.forward',
  undefined,
  ...commands.registered.map(({ id }) => id).filter((id) => id.startsWith('go.') && id !== 'go.accounts'),
]

/** The first entries of the screen's menu, for screens that have more commands than a menu holds. */
const OWN: readonly (readonly MenuEntryId[])[] = [
  [
    'contacts.add',
    'contacts.open',
    'contacts.edit',
    undefined,
    'contacts.fill_down',
    'contacts.bulk_set',
    'contacts.bulk_fill_blanks',
    undefined,
    'contacts.move',
    'contacts.opt_out',
    'contacts.readiness',
    'contacts.clean',
    'contacts.export',
    undefined,
    'contacts.filter_panel',
    'contacts.columns',
    'contacts.save_view',
    'contacts.refresh',
  ],
  [
    'lists.new',
    'lists.open',
    undefined,
    'lists.note',
    'lists.rename',
    'lists.pin',
    'lists.unpin',
    'lists.duplicate',
    undefined,
    'lists.merge',
    'lists.combine',
    'lists.split',
    undefined,
    'lists.readiness',
    'lists.clean',
    'lists.clean_all',
    'lists.export',
  ],
]

export function createMenuBar(): MenuPart[] {
  const before = [
    createMenu(m.frame_file(), listFileEntries()),
    createMenu(m.frame_edit(), listEditEntries()),
    createMenu(m.frame_view(), listViewEntries()),
  ]
  const after = [createMenu(m.frame_help(), ['frame.guide', 'frame.keys', undefined, 'frame.about'])]
  const goTo = createMenu(m.frame_go(), listGoEntries())
  const own = createMenu(nounOfScreen(), ownEntries([...before, goTo, ...after]))
  return [...before, goTo, ...(own.items.length > 0 ? [own] : []), ...after]
}

function nounOfScreen(): string {
  if (commands.registered.some(({ id }) => id === 'contacts.add')) return m.frame_menu_list()
  return findSection(router.section)?.title() ?? m.frame_roost()
}

/** Returns the screen's commands that are in no other menu. */
function ownEntries(others: readonly MenuPart[]): MenuEntryId[] {
  const shown = new Set(others.flatMap(({ items }) => items.map((item) => item?.id)))
  const isOwn = (id: string): boolean => !shown.has(id) && !/^(?:frame|go|view|sync)\./.test(id)
  const ids = commands.registered.map(({ id }) => id).filter(isOwn)
  const planned = OWN.find(([first]) => typeof first === 'string' && ids.includes(first))
  return planned === undefined
    ? ids.slice(0, MOST)
    : planned.filter((id) => id === undefined || isOwn(String(id)))
}

function createMenu(title: string, entries: readonly MenuEntryId[]): MenuPart {
  const items = entries.flatMap((entry) => {
    if (entry === undefined) return [undefined]
    const slot: MenuSlot = typeof entry === 'string' ? { title: '', first: [entry] } : entry
    const command = slot.first.map((id) => commands.registered.find((known) => known.id === id)).find(Boolean)
    if (command === undefined && slot.title === '') return []
    const chord = command?.keys?.find((one) => commands.plainKeys || !isPlainChord(one)) ?? slot.chord
    return [
      {
        id: command?.id ?? '',
        title: command?.title ?? slot.title,
        accelerator: acceleratorOf(chord),
        keys: chord && formatChord(chord, { ...commands.platform, browser: false }),
        isKeyForPage: chord !== undefined && (command === undefined || !isForMenu(command, chord)),
        isEnabled: command !== undefined && commands.get(command.id) !== undefined,
      },
    ]
  })
  // Drop separators at the ends of the menu and repeated ones.
  return {
    title,
    items: items.filter(
      (item, at) => item !== undefined || (items[at - 1] !== undefined && items[at + 1] !== undefined),
    ),
  }
}

/** Returns whether the system may bind a key to its menu: the key never edits text. A plain letter would take typing
 *  away from text fields, and `Ctrl+Z` the undo of what was typed there. */
function isForMenu({ whileTyping }: Command, chord: Chord): boolean {
  const { mod, key } = parseChord(chord)
  return whileTyping === true && (mod || /^f\d+$/.test(key))
}

function acceleratorOf(chord: Chord | undefined): string | undefined {
  if (chord === undefined) return undefined
  const { mod, shift, alt, key } = parseChord(chord)
  const name = { plus: '=', minus: '-' }[key] ?? `${key.charAt(0).toUpperCase()}${key.slice(1)}`
  return [mod && 'CmdOrCtrl', alt && 'Alt', shift && 'Shift', name].filter(Boolean).join('+')
}
