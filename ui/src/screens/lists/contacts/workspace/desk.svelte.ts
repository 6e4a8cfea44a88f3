// What is open in the workspace: panels, the find bar, a dialog.
import type { GridSavedView } from '../../../../api/generated'
import type { Kind } from '../bulk/act-of'

export type Open =
  | { what: 'row' | 'column' | 'move' | 'opt_out' | 'delete' | 'freeze' | 'export' | 'save_view' }
  | { what: 'bulk'; kind: Kind }
  | { what: 'rename_view' | 'delete_view'; view: GridSavedView }

export class Desk {
  find = $state(false)
  filter = $state(false)
  facets = $state(false)
  dialog = $state.raw<Open>()

  /** Opens a dialog that needs no further data. */
  ask(what: Extract<Open, { what: 'row' | 'move' }>['what']): void {
    this.dialog = { what }
  }

  close(): void {
    this.dialog = undefined
  }
}
