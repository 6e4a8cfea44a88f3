// The grid's texts from the message catalogue.
import { translateSentence } from '../api/sentences'
import { m } from '../gen/words'
import { commands } from '../lib/commands/registry.svelte'
import { formatList, formatNumber, toCountParams } from '../lib/format'
import type { EditOutcome, GridAnnouncement } from './engine/source'
import type { GridTexts, OptOutLevel } from './view/texts'

function describeChannel(name: string, reach: OptOutLevel): string[] {
  if (reach === 0) return []
  return [reach === 2 ? name : m.kit_grid_some_senders({ channel: name })]
}

export function describeOutcome({ changed, added = 0, drafts = 0, faults = [] }: EditOutcome): string {
  const parts: string[] = []
  if (changed > 0) parts.push(m.kit_grid_changed(toCountParams(changed)))
  if (added > 0) parts.push(m.kit_grid_added(toCountParams(added)))
  if (drafts > 0) parts.push(m.kit_grid_drafts(toCountParams(drafts)))
  const [first] = faults
  if (drafts > 0 && first !== undefined) parts.push(translateSentence(first.message))
  return parts.length === 0 ? m.kit_grid_unchanged() : parts.join(' ')
}

const REFUSED = {
  'too-many': m.kit_grid_too_many,
  'not-a-block': m.kit_grid_not_a_block,
  'read-only': m.kit_grid_read_only,
  nothing: m.kit_grid_nothing,
  clipboard: m.kit_grid_clipboard,
}

export function describeAnnouncement(announcement: Exclude<GridAnnouncement, { kind: 'moved' }>): string {
  switch (announcement.kind) {
    case 'chosen':
      return m.kit_grid_chosen_cells({
        count: announcement.cells,
        cells: formatNumber(announcement.cells),
        rows: formatNumber(announcement.rows),
      })
    case 'result':
      return describeOutcome(announcement.outcome)
    case 'copied': {
      const { cells: count } = announcement
      const shown = formatNumber(count)
      return announcement.cut ? m.kit_grid_cut({ count, shown }) : m.kit_grid_copied({ count, shown })
    }
    case 'refused':
      return REFUSED[announcement.why]()
  }
}

export const gridTexts: GridTexts = {
  number: (row) => formatNumber(row + 1),
  numbers: m.kit_grid_numbers,
  blank: m.kit_grid_blank,
  position: ({ marks, ...at }) =>
    marks.length === 0
      ? m.kit_grid_position(at)
      : m.kit_grid_position_marked({
          ...at,
          marks: formatList(marks.map((mark) => mark.replace(/\.$/, ''))),
        }),
  announce: describeAnnouncement,
  draft: m.kit_grid_draft,
  gone: m.kit_grid_gone,
  deleted: m.kit_grid_deleted,
  added: m.kit_grid_added_here,
  changed: m.kit_grid_changed_here,
  conflict: m.kit_grid_conflict,
  left: m.kit_grid_left,
  duplicate: m.kit_grid_duplicate,
  unsaved: m.kit_grid_unsaved,
  optedOut: (sms, whatsapp) =>
    m.kit_grid_opted_out({
      channels: formatList([
        ...describeChannel(m.kit_grid_sms(), sms),
        ...describeChannel(m.kit_grid_whatsapp(), whatsapp),
      ]),
    }),
  columnMenu: (title) => m.kit_grid_column_menu({ title }),
  turnSort: (title) => m.kit_grid_turn_sort({ title }),
  editor: (title, row) => m.kit_grid_editor({ title, row }),
  handle: () => m.kit_grid_handle({ key: commands.platform.mac ? '⌘' : 'Ctrl' }),
  values: (title) => m.kit_grid_values({ title }),
}
