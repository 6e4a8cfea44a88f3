// The commands of the workspace except those of the record, with the keys of section 4.3 of the design.
import { m } from '../../../../gen/words'
import type { PlainAct } from '../../../../grid/engine/keys'
import { toast } from '../../../../kit/over/toasts.svelte'
import { formatChord } from '../../../../lib/commands/chords'
import { commands, type Command } from '../../../../lib/commands/registry.svelte'
import { href, router } from '../../../../lib/router.svelte'
import { KINDS, type BulkKind } from '../bulk/bulk-act'
import { BULK_TITLES } from '../bulk/titles'
import type { Finder } from '../find/find.svelte'
import { deleteRows, MOST_AT_ONCE } from '../rows/rows'
import type { SavedViews } from '../views/views.svelte'
import type { WorkspacePanels } from './panels.svelte'
import type { Workspace } from './workspace.svelte'

export interface WorkspaceParts {
  of: Workspace
  panels: WorkspacePanels
  finder: Finder
  views: SavedViews
  /** Focuses the field of the quick filter. */
  filterField: () => void
  find: () => void
  record: () => void
}

export function createWorkspaceCommands(parts: WorkspaceParts): Command[] {
  return [
    ...findCommands(parts),
    ...filterCommands(parts),
    ...rowCommands(parts),
    ...bulkCommands(parts),
    ...gridKeys(),
  ]
}

function findCommands({ of, panels, finder, find, record }: WorkspaceParts): Command[] {
  const section = m.contacts_section()
  const some = (): boolean => of.view.count > 0
  const sought = (): boolean => some() && finder.text !== ''
  const base = { section, whileTyping: true, when: some }
  return [
    { id: 'contacts.find', title: m.contacts_cmd_find(), keys: ['mod+f'], ...base, run: find },
    { id: 'contacts.find_next', title: m.contacts_cmd_find_next(), keys: ['f3'], ...base, when: sought, run: () => finder.next(false) },
    { id: 'contacts.find_previous', title: m.contacts_cmd_find_previous(), keys: ['shift+f3'], ...base, when: sought, run: () => finder.next(true) },
    { id: 'contacts.replace', title: m.contacts_replace(), keys: [commands.platform.mac ? 'mod+alt+f' : 'mod+h'], ...base, run: () => (panels.dialog = { what: 'bulk', kind: 'replace' }) },
    { id: 'contacts.go_row', title: m.contacts_cmd_go_row(), keys: ['mod+g'], ...base, run: () => (panels.dialog = { what: 'row' }) },
    { id: 'contacts.go_column', title: m.contacts_cmd_go_column(), keys: ['mod+shift+g'], ...base, run: () => (panels.dialog = { what: 'column' }) },
    { id: 'contacts.next_problem', title: m.contacts_cmd_next_problem(), keys: ['f8'], ...base, run: () => finder.problem(false) },
    { id: 'contacts.previous_problem', title: m.contacts_cmd_previous_problem(), keys: ['shift+f8'], ...base, run: () => finder.problem(true) },
    { id: 'contacts.open', title: m.contacts_cmd_open(), section, keys: ['f4'], when: some, run: record },
  ] // prettier-ignore
}

function filterCommands({ of, panels, views, filterField }: WorkspaceParts): Command[] {
  const section = m.contacts_section()
  const hasView = (): boolean => views.current !== undefined
  return [
    { id: 'contacts.filter', title: m.contacts_cmd_filter(), section, keys: ['mod+shift+l', '/'], whileTyping: true, run: filterField },
    { id: 'contacts.filter_panel', title: m.contacts_cmd_filter_panel(), section, keys: ['mod+shift+e'], whileTyping: true, run: () => (panels.filter = !panels.filter) },
    { id: 'contacts.facets', title: m.contacts_cmd_facets(), section, run: () => (panels.facets = !panels.facets) },
    { id: 'contacts.filter_value', title: m.contacts_cmd_filter_value(), section, keys: ['mod+shift+enter'], when: () => of.view.count > 0, run: () => of.grid?.act({ act: 'filter-to-value' }) },
    { id: 'contacts.show_all', title: m.contacts_cmd_show_all(), section, when: () => of.view.isNarrowed, run: () => of.view.narrow({ text: '', filter: null }) },
    { id: 'contacts.deleted', title: m.contacts_cmd_deleted(), section, run: () => of.view.narrow({ hasDeleted: !of.view.request.hasDeleted }) },
    { id: 'contacts.refresh', title: m.contacts_cmd_refresh(), section, run: () => of.view.refresh() },
    { id: 'contacts.stop', title: m.contacts_cmd_stop(), section, keys: ['mod+.'], whileTyping: true, when: () => of.view.building !== undefined && of.view.built !== undefined, run: () => of.view.cancel() },
    { id: 'contacts.freeze', title: m.contacts_cmd_freeze(), section, when: () => of.view.count > 0, run: () => (panels.dialog = { what: 'freeze' }) },
    { id: 'contacts.save_view', title: m.contacts_cmd_save_view(), section, run: () => (panels.dialog = { what: 'save_view' }) },
    { id: 'contacts.update_view', title: m.contacts_cmd_update_view(), section, when: () => views.isChanged, run: () => views.save(views.current?.name ?? '') },
    { id: 'contacts.rename_view', title: m.contacts_cmd_rename_view(), section, when: hasView, run: () => views.current && (panels.dialog = { what: 'rename_view', view: views.current }) },
    { id: 'contacts.delete_view', title: m.contacts_cmd_delete_view(), section, when: hasView, run: () => views.current && (panels.dialog = { what: 'delete_view', view: views.current }) },
  ] // prettier-ignore
}

function rowCommands({ of, panels }: WorkspaceParts): Command[] {
  const section = m.contacts_section()
  const some = (): boolean => of.view.count > 0
  const grid = { section, keysElsewhere: true, when: some }
  const act = (plain: PlainAct) => () => {
    of.focus()
    of.grid?.act({ act: plain })
  }
  return [
    { id: 'contacts.copy', title: m.contacts_cmd_copy(), keys: ['mod+c'], ...grid, run: () => of.grid?.copy(false) },
    { id: 'contacts.copy_heads', title: m.contacts_cmd_copy_heads(), keys: ['mod+shift+c'], ...grid, run: () => of.grid?.copy(true) },
    { id: 'contacts.cut', title: m.contacts_cmd_cut(), keys: ['mod+x'], ...grid, run: () => of.grid?.cut() },
    { id: 'contacts.paste_cells', title: m.contacts_cmd_paste_cells(), keys: ['mod+v'], ...grid, run: () => pasteFromMenu(of, false) },
    { id: 'contacts.paste_special', title: m.contacts_cmd_paste_special(), keys: ['mod+shift+v'], ...grid, run: () => pasteFromMenu(of, true) },
    { id: 'contacts.clear', title: m.contacts_cmd_clear(), keys: ['delete'], ...grid, run: act('clear') },
    { id: 'contacts.revert_cells', title: m.contacts_cmd_revert_cells(), keys: ['mod+shift+backspace'], ...grid, run: act('revert') },
    { id: 'contacts.fill_down', title: m.contacts_cmd_fill_down(), keys: ['mod+d'], ...grid, run: act('fill-down') },
    { id: 'contacts.fill_right', title: m.contacts_cmd_fill_right(), keys: ['mod+r'], ...grid, run: act('fill-right') },
    { id: 'contacts.edit', title: m.contacts_cmd_edit(), keys: ['f2'], ...grid, run: act('edit') },
    { id: 'contacts.column_menu', title: m.contacts_cmd_column_menu(), keys: ['alt+down'], ...grid, run: act('column-menu') },
    { id: 'contacts.columns', title: m.contacts_cmd_columns(), section, when: some, run: () => of.grid?.chooseColumns() },
    { id: 'contacts.select_all', title: m.contacts_cmd_select_all(), section, keys: ['mod+shift+a'], when: some, run: () => of.grid?.chooseRows(of.everything) },
    { id: 'contacts.move', title: m.contacts_cmd_move(), section, when: some, run: () => (panels.dialog = { what: 'move' }) },
    { id: 'contacts.opt_out', title: m.contacts_cmd_opt_out_many(), section, when: some, run: () => (panels.dialog = { what: 'opt_out' }) },
    { id: 'contacts.readiness', title: m.readiness_cmd_open(), section, run: () => router.go(href('lists', of.list, 'readiness')) },
    { id: 'contacts.clean', title: m.clean_cmd_open(), section, run: () => router.go(href('lists', of.list, 'clean')) },
    { id: 'contacts.export', title: m.contacts_cmd_export(), section, keys: ['mod+e'], whileTyping: true, when: some, run: () => (panels.dialog = { what: 'export' }) },
    { id: 'contacts.delete', title: m.contacts_cmd_delete(), section, keys: ['mod+backspace'], when: some, run: () => removeSelectedRows(of, panels) },
  ] // prettier-ignore
}

/** Returns keys that the grid handles and that are in no menu, so that the key sheet shows them. */
function gridKeys(): Command[] {
  const keys: readonly (readonly [title: string, ...chords: string[]])[] = [
    [m.contacts_key_move(), 'up', 'down', 'left', 'right', 'tab', 'shift+tab', 'enter', 'shift+enter'],
    [m.contacts_key_edge(), 'mod+up', 'mod+down', 'mod+left', 'mod+right'],
    [m.contacts_key_ends(), 'home', 'end', 'mod+home', 'mod+end'],
    [m.contacts_key_page(), 'pageup', 'pagedown', 'alt+pageup', 'alt+pagedown'],
    [m.contacts_key_extend(), 'shift+up', 'shift+down', 'shift+mod+down'],
    [m.contacts_key_choose(), 'mod+a', 'shift+space', 'ctrl+space'],
    [m.contacts_key_write_all(), 'mod+enter'],
    [m.contacts_key_newline(), 'alt+enter'],
    [m.contacts_key_move_column(), 'alt+shift+left', 'alt+shift+right'],
    [m.contacts_key_sort(), 'alt+shift+up', 'alt+shift+down'],
    [m.contacts_key_menu(), 'shift+f10'],
  ]
  const section = m.contacts_keys()
  return keys.map(([title, ...chords], at) => ({
    id: `contacts.key_${at}`,
    title,
    section,
    keys: chords,
    keysElsewhere: true,
    unlisted: true,
    run: () => undefined,
  }))
}

/** Pastes from a menu where the page may read the clipboard; otherwise says which key to press. */
async function pasteFromMenu(of: Workspace, special: boolean): Promise<void> {
  of.focus()
  if ((await of.grid?.paste(special)) === true) return
  const key = formatChord(special ? 'mod+shift+v' : 'mod+v', commands.platform)
  toast(m.contacts_paste_by_key({ key }))
}

/** Deletes a few rows at once, with undo; asks before deleting many. */
export function removeSelectedRows(of: Workspace, panels: WorkspacePanels): Promise<void> | void {
  const { rows } = of
  if (rows.size > MOST_AT_ONCE) panels.dialog = { what: 'delete' }
  else return deleteRows(of, rows)
}

function bulkCommands({ of, panels }: WorkspaceParts): Command[] {
  const kinds = KINDS.filter((kind) => kind !== 'replace')
  return kinds.map((kind: BulkKind) => ({
    id: `contacts.bulk_${kind}`,
    title: BULK_TITLES[kind](),
    section: m.contacts_section(),
    when: () => of.view.count > 0,
    run: () => (panels.dialog = { what: 'bulk', kind }),
  }))
}

/** The menu of bulk acts, by the IDs of their commands. */
export const BULK_MENU = [
  'contacts.bulk_set',
  'contacts.clear',
  'contacts.bulk_fill_blanks',
  'contacts.bulk_series',
  undefined,
  'contacts.replace',
  'contacts.bulk_case',
  'contacts.bulk_trim',
  'contacts.bulk_e164',
  undefined,
  'contacts.bulk_split',
  'contacts.bulk_join',
  'contacts.bulk_extract',
  'contacts.bulk_copy',
  undefined,
  'contacts.clean',
  undefined,
  'contacts.move',
  'contacts.opt_out',
  'contacts.freeze',
  'contacts.export',
  'contacts.delete',
] as const

/** The context menu of the selection. */
export const CONTEXT_MENU = [
  'contacts.open',
  'contacts.filter_value',
  undefined,
  'contacts.cut',
  'contacts.copy',
  'contacts.copy_heads',
  'contacts.paste_cells',
  'contacts.paste_special',
  undefined,
  'contacts.clear',
  'contacts.fill_down',
  'contacts.fill_right',
  'contacts.bulk_set',
  'contacts.replace',
  undefined,
  'contacts.move',
  'contacts.opt_out',
  'contacts.export',
  'contacts.delete',
] as const
