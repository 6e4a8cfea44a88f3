//! The commands on jobs, the timeline, undo and the trash.

use crate::{
    commands::{
        Nothing,
        past::{activity, history, job},
    },
    reading::PageResponse,
};

use roost_ops::history::{TimelineEntry, UndoStatus, UndoStep, UndoSummary};

commands! {
    /// Returns one page of the jobs.
    read job_page(job::JobPage) -> PageResponse<job::JobItem> = job::page;
    /// Returns one job, its callback and every attempt of it.
    read job_get(job::JobGet) -> job::JobWithCallback = job::get;
    /// Returns one page of the outcomes of a job's contacts.
    read job_outcomes(job::JobOutcomes) -> PageResponse<job::JobOutcome> = job::outcomes;
    /// Returns one page of the timeline, with every act and its changes.
    read activity_page(activity::ActivityPage) -> PageResponse<TimelineEntry> = activity::page;
    /// Returns the next steps to undo and to redo.
    read history_standing(Nothing) -> UndoStatus = history::undo_status;
    /// Undoes the last act.
    write history_undo(history::HistoryUndo) -> UndoSummary = history::undo;
    /// Redoes the act that was undone last.
    write history_redo(Nothing) -> UndoSummary = history::redo;
    /// Skips an act that can no longer be undone, so that earlier acts can be.
    write history_pass_over(Nothing) -> history::HistoryPassed = history::pass_over;
    /// Returns one page of the deletions that can be restored.
    read trash_page(history::TrashPage) -> PageResponse<UndoStep> = history::trash_page;
    /// Restores what an act deleted.
    write trash_restore(history::TrashRestore) -> UndoSummary = history::trash_restore;
    /// Permanently deletes what acts moved to the trash.
    write trash_purge(history::TrashPurge) -> history::TrashPurged = history::trash_purge;
}
