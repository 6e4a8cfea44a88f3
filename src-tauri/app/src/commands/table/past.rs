//! The commands on jobs, the timeline, undo and the trash.

use crate::commands::past::{activity, history, job};

commands! {
    /// Returns one page of the jobs.
    read job_page(job::JobPage) -> job::JobPageAnswer = job::page;
    /// Returns one job, its callback and every attempt of it.
    read job_get(job::JobGet) -> job::JobWithCallback = job::get;
    /// Returns one page of the outcomes of a job's contacts.
    read job_outcomes(job::JobOutcomes) -> job::JobOutcomesAnswer = job::outcomes;
    /// Returns one page of the timeline, with every act and its changes.
    read activity_page(activity::ActivityPage) -> activity::ActivityPageAnswer = activity::page;
    /// Returns the next steps to undo and to redo.
    read history_standing(history::HistoryNothing) -> history::HistoryStatus = history::undo_status;
    /// Undoes the last act.
    write history_undo(history::HistoryUndo) -> history::HistoryTaken = history::undo;
    /// Redoes the act that was undone last.
    write history_redo(history::HistoryNothing) -> history::HistoryTaken = history::redo;
    /// Skips an act that can no longer be undone, so that earlier acts can be.
    write history_pass_over(history::HistoryNothing) -> history::HistoryPassed = history::pass_over;
    /// Returns one page of the deletions that can be restored.
    read trash_page(history::TrashPage) -> history::TrashPageAnswer = history::trash_page;
    /// Restores what an act deleted.
    write trash_restore(history::TrashRestore) -> history::HistoryTaken = history::trash_restore;
    /// Permanently deletes what acts moved to the trash.
    write trash_purge(history::TrashPurge) -> history::TrashPurged = history::trash_purge;
}
