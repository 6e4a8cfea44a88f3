//! The commands on the grid of a list.

use crate::commands::{Bytes, Done, contact::grid, list};

use roost_grid::grid::{
    CellsSummary, ColumnFacets, EditSummary, GridPasteSummary, MatchCount, SendSummary, ViewStatus,
};

commands! {
    /// Opens a view of a list. The response does not wait until all rows are found.
    read grid_open(grid::GridOpen) -> grid::GridOpened = grid::open;
    /// Returns the state of a view, after waiting a little for news if asked to.
    read grid_state(grid::GridStateGet) -> ViewStatus = grid::state;
    /// Builds a view again. Until it is ready, the old rows are returned.
    read grid_refresh(grid::GridView) -> Done = grid::refresh;
    /// Cancels the build of a view.
    read grid_cancel(grid::GridView) -> Done = grid::cancel;
    /// Closes a view.
    read grid_close(grid::GridView) -> Done = grid::close;
    /// Returns some columns of some rows of a view, as bytes.
    read grid_window(grid::GridWindow) -> Bytes = grid::window;
    /// Returns the row of a contact in a view.
    read grid_locate(grid::GridLocate) -> grid::GridRow = grid::locate;
    /// Returns the contact of a row.
    read grid_uid(grid::GridUidGet) -> grid::GridUid = grid::uid;
    /// Returns counts for a selection.
    read grid_summary(grid::GridSummaryGet) -> CellsSummary = grid::summary;
    /// Returns the next cell that contains a text.
    read grid_find(grid::GridFind) -> grid::GridFound = grid::find;
    /// Returns the row where a block of filled or of blank cells of a column ends, as Mod+Arrow jumps to it.
    read grid_edge(grid::GridEdge) -> grid::GridEdgeRow = grid::edge;
    /// Counts the cells that contain a text.
    read grid_find_count(grid::GridFindCount) -> MatchCount = grid::find_count;
    /// Returns the next cell whose text a rule refused.
    read grid_problem(grid::GridProblem) -> grid::GridFound = grid::problem;
    /// Returns the values of a column with their counts.
    read grid_facets(grid::GridFacetsGet) -> ColumnFacets = grid::facets;
    /// Returns a selection as text for other programs, with tabs between the cells, as bytes.
    read grid_copy(grid::GridCopy) -> Bytes = grid::copy;
    /// Writes the texts that were typed into cells. A text that a rule refuses becomes a draft.
    write grid_edit(grid::GridEdit) -> EditSummary = grid::edit;
    /// Performs an act on every selected cell, or reports the effect of that.
    write grid_act(grid::GridAct) -> EditSummary = grid::act;
    /// Pastes a block of cells. Lines beyond the last row become new contacts.
    write grid_paste(grid::GridPaste) -> GridPasteSummary = grid::paste;
    /// Reports the effect of a paste.
    read grid_paste_preview(grid::GridPaste) -> GridPasteSummary = grid::paste_preview;
    /// Returns the drafts of a row, with the rules that refuse them.
    read grid_drafts(grid::GridDraftsGet) -> grid::GridDrafts = grid::drafts;
    /// Adds a contact after the last row of a view.
    write grid_add(grid::GridAdd) -> grid::GridAdded = grid::add;
    /// Moves rows of a view to the trash.
    write grid_delete(grid::GridDelete) -> grid::GridDeleted = grid::delete;
    /// Reports which numbers another list already has, before rows are moved or copied there.
    read grid_send_preview(grid::GridSendPreview) -> roost_ops::contact::SendPreview = grid::send_preview;
    /// Moves rows of a view to another list. They keep their UIDs and times.
    write grid_move(grid::GridSend) -> SendSummary = grid::move_;
    /// Copies rows of a view to a list as new contacts.
    write grid_copy_to(grid::GridSend) -> SendSummary = grid::copy_to;
    /// Counts the numbers that opting out the contacts of these rows would cover.
    read grid_opt_out_preview(grid::GridOptOutPreview) -> grid::GridOptOutNumbers = grid::opt_out_preview;
    /// Opts out the contacts of these rows. Existing opt-outs stay as they are.
    write grid_opt_out(grid::GridOptOut) -> roost_ops::opt_out::ContactOptOutSummary = grid::opt_out;
    /// Copies rows of a view, or the whole view, to a new list.
    read grid_new_list(grid::GridNewList) -> list::ListFilled = grid::new_list;
    /// Returns the saved views of a list.
    read grid_view_list(grid::GridViewList) -> grid::GridSavedViews = grid::views;
    /// Saves a view of a list under a name.
    read grid_view_save(grid::GridViewSave) -> roost_grid::grid::NamedView = grid::save;
    /// Renames a saved view.
    read grid_view_rename(grid::GridViewRename) -> roost_grid::grid::NamedView = grid::rename;
    /// Deletes a saved view.
    read grid_view_delete(grid::GridViewDelete) -> Done = grid::delete_view;
}
