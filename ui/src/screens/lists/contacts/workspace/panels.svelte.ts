// What is open in the workspace: panels, the find bar, a dialog.
import type { GridSavedView } from '../../../../api/generated'
import type { BulkKind } from '../bulk/bulk-act'

export type OpenDialog =
  | { what: 'row' | 'column' | 'move' | 'opt_out' | 'delete' | 'freeze' | 'export' | 'save_view' }
  | { what: 'bulk'; kind: BulkKind }
  | { what: 'rename_view' | 'delete_view'; view: GridSavedView }

export class WorkspacePanels {
  find = $state(false)
  filter = $state(false)
  facets = $state(false)
  dialog = $state.raw<OpenDialog>()

  /** Opens a dialog that needs no further data. */
  ask(what: Extract<OpenDialog, { what: 'row' | 'move' }>['what']): void {
    this.dialog = { what }
  }

  close(): void {
    this.dialog = undefined
  }
}
