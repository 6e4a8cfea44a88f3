//! What was done: jobs, the time line, undoing, the trash.

use crate::commands::past::{activity, history, job};

commands! {
    /// One page of the jobs.
    job_page(job::JobPage) -> job::JobPageAnswer = job::page;
    /// One job, its callback and every attempt at it.
    job_get(job::JobGet) -> job::JobWithCallback = job::get;
    /// One page of what became of a job's contacts.
    job_outcomes(job::JobOutcomes) -> job::JobOutcomesAnswer = job::outcomes;
    /// One page of the time line: every act, and what it changed.
    activity_page(activity::ActivityPage) -> activity::ActivityPageAnswer = activity::page;
    /// What undoing and redoing would do next.
    history_standing(history::HistoryNothing) -> history::HistoryStanding = history::standing;
    /// Takes back the last act.
    history_undo(history::HistoryUndo) -> history::HistoryTaken = history::undo;
    /// Does again what was taken back last.
    history_redo(history::HistoryNothing) -> history::HistoryTaken = history::redo;
    /// Passes over an act that can no longer be undone.
    history_pass_over(history::HistoryNothing) -> history::HistoryPassed = history::pass_over;
    /// One page of what can be brought back.
    trash_page(history::TrashPage) -> history::TrashPageAnswer = history::trash_page;
    /// Brings back what an act deleted.
    trash_restore(history::TrashRestore) -> history::HistoryTaken = history::trash_restore;
    /// Lets go for good of what acts deleted.
    trash_purge(history::TrashPurge) -> history::TrashPurged = history::trash_purge;
}
