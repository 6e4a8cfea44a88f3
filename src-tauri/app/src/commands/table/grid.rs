//! The grid of a list.

use crate::commands::{Bytes, contact::grid, list};

commands! {
    /// Opens a view of a list: at once, while its rows are found.
    grid_open(grid::GridOpen) -> grid::GridOpened = grid::open;
    /// How a view stands; waits a little for news when asked to.
    grid_state(grid::GridStateGet) -> grid::GridState = grid::state;
    /// Builds a view anew; what was there keeps answering until then.
    grid_refresh(grid::GridView) -> grid::GridDone = grid::refresh;
    /// Ends the building of a view.
    grid_cancel(grid::GridView) -> grid::GridDone = grid::cancel;
    /// Lets go of a view.
    grid_close(grid::GridView) -> grid::GridDone = grid::close;
    /// Some rows of a view with some columns, as bytes.
    grid_window(grid::GridWindow) -> Bytes = grid::window;
    /// The row of a contact in a view.
    grid_locate(grid::GridLocate) -> grid::GridRow = grid::locate;
    /// The contact of a row.
    grid_uid(grid::GridUidGet) -> grid::GridUid = grid::uid;
    /// A selection in numbers.
    grid_summary(grid::GridSummaryGet) -> grid::GridSummary = grid::summary;
    /// The next cell with a text.
    grid_find(grid::GridFind) -> grid::GridFound = grid::find;
    /// Where a block of filled or of blank cells of a column ends, as Mod+Arrow jumps to it.
    grid_edge(grid::GridEdge) -> grid::GridEdgeRow = grid::edge;
    /// How many cells have a text.
    grid_find_count(grid::GridFindCount) -> grid::GridCounted = grid::find_count;
    /// The next cell whose rule refused what was typed.
    grid_problem(grid::GridProblem) -> grid::GridFound = grid::problem;
    /// The values of a column with how often each stands there.
    grid_facets(grid::GridFacetsGet) -> grid::GridFacets = grid::facets;
    /// A selection as text for other programs: cells parted by tabs, as bytes.
    grid_copy(grid::GridCopy) -> Bytes = grid::copy;
    /// Writes what was typed into cells; what a rule refuses is kept as a draft.
    grid_edit(grid::GridEdit) -> grid::GridEdited = grid::edit;
    /// Does an act to every selected cell, or says what it would do.
    grid_act(grid::GridAct) -> grid::GridEdited = grid::act;
    /// Pastes a block of cells; lines behind the last row become new contacts.
    grid_paste(grid::GridPaste) -> grid::GridPasted = grid::paste;
    /// What a paste would do.
    grid_paste_preview(grid::GridPaste) -> grid::GridPasted = grid::paste_preview;
    /// The drafts of a row, each with the rule's words.
    grid_drafts(grid::GridDraftsGet) -> grid::GridDrafts = grid::drafts;
    /// Adds a contact behind the last row of a view.
    grid_add(grid::GridAdd) -> grid::GridAdded = grid::add;
    /// Deletes rows of a view into the trash.
    grid_delete(grid::GridDelete) -> grid::GridDeleted = grid::delete;
    /// What rows of a view would meet in another list, if they were moved or copied there.
    grid_send_preview(grid::GridSendPreview) -> roost_ops::contact::SendPreview = grid::send_preview;
    /// Moves rows of a view to another list; they keep uid and times.
    grid_move(grid::GridSend) -> grid::GridSent = grid::move_;
    /// Copies rows of a view to a list, where they are new.
    grid_copy_to(grid::GridSend) -> grid::GridSent = grid::copy_to;
    /// How many numbers the contacts of rows have, each of which opting them out is about.
    grid_opt_out_preview(grid::GridOptOutPreview) -> grid::GridOptOutNumbers = grid::opt_out_preview;
    /// Opts the contacts of rows out; additions only.
    grid_opt_out(grid::GridOptOut) -> grid::GridOptedOut = grid::opt_out;
    /// Freezes rows of a view, or all of it, into a new list of copies.
    grid_new_list(grid::GridNewList) -> list::ListFilled = grid::new_list;
    /// The saved views of a list.
    grid_view_list(grid::GridViewList) -> grid::GridSavedViews = grid::views;
    /// Saves a view of a list under a name.
    grid_view_save(grid::GridViewSave) -> grid::GridSavedView = grid::save;
    /// Gives a saved view another name.
    grid_view_rename(grid::GridViewRename) -> grid::GridSavedView = grid::rename;
    /// Deletes a saved view.
    grid_view_delete(grid::GridViewDelete) -> grid::GridDone = grid::delete_view;
}
