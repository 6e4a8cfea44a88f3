//! The commands on the service of the account.

use roost_sync_session as synced;

use crate::commands::{
    Done, Nothing,
    sync::{self, changes, conflicts, connection, plan, runs, work},
};

commands! {
    /// Returns the connection to the service: its settings, where the key is stored, and what the service can do.
    read connection_get(Nothing) -> synced::ConnectionAnswer = connection::get;
    /// Connects the account to a service, or changes the connection.
    read connection_save(synced::ConnectionSave) -> synced::ConnectionAnswer = connection::save;
    /// Disconnects the account. Only the agreed state of both sides is deleted.
    read connection_forget(Nothing) -> Done = connection::forget;
    /// Stores the key. No response ever contains it.
    read connection_key_set(connection::ConnectionKeySet) -> synced::ConnectionAnswer = connection::key_set;
    /// Unlocks the sealed key for as long as the account is open.
    read connection_key_unlock(connection::ConnectionKeyUnlock) -> synced::ConnectionAnswer = connection::key_unlock;
    /// Deletes the stored key.
    read connection_key_forget(Nothing) -> synced::ConnectionAnswer = connection::key_forget;
    /// Sends one request that changes nothing. If it succeeds, the address, the key and the permissions are right.
    read connection_test(Nothing) -> synced::ConnectionTest = connection::test;
    /// Starts a probe that finds out what the service can do.
    read connection_probe(connection::ConnectionProbe) -> Done = connection::probe;
    /// Returns the status of the sync and of its running work.
    read sync_status(Nothing) -> synced::SyncStatus = work::status;
    /// Starts to pull from the service.
    read sync_pull(work::SyncPull) -> Done = work::pull;
    /// Stops the running work. A pull ends after its current page, and a run sends nothing more.
    read sync_stop(Nothing) -> Done = work::stop;
    /// Returns the result of the last pull.
    read sync_pulled(Nothing) -> Option<synced::PullSummary> = work::pulled;
    /// Returns the time at which each part of the service was last pulled.
    read sync_scopes(Nothing) -> Vec<synced::SyncScope> = work::scopes;
    /// Returns the tree of local changes with its counts.
    read changes_summary(changes::ChangesSummaryGet) -> synced::ChangesSummary = changes::summary;
    /// Counts the changed contacts of a list.
    read changes_count(changes::ChangesCountGet) -> sync::SyncCount = changes::count;
    /// Returns some changed records with their values before and after.
    read changes_rows(changes::ChangesRowsGet) -> synced::ChangesPage = changes::page;
    /// Holds back changes so that they are not sent, or releases them.
    write changes_hold(changes::ChangesHold) -> sync::SyncCount = changes::hold;
    /// Holds back every change of a column, or releases them.
    write changes_hold_column(changes::ChangesHoldColumn) -> sync::SyncCount = changes::hold_column;
    /// Returns the custom fields that may mean something else at the service. No value of them is sent.
    read field_clash_all(Nothing) -> changes::FieldClashes = changes::clashes;
    /// Decides whether a custom field is the service's. If it is not, it moves to a free number, as one step.
    write field_clash_settle(changes::FieldClashSettle) -> changes::FieldClashSettled = changes::settle_clash;
    /// Discards local changes, as one step that can be undone.
    write changes_discard(roost_sync_session::ChangeSelection) -> roost_sync::decide::DiscardSummary = changes::discard;
    /// Returns some records that both sides changed differently.
    read conflicts_page(conflicts::ConflictsPageGet) -> synced::ConflictsPage = conflicts::page;
    /// Answers conflicts about values or records. A record whose conflicts are all answered is merged at once.
    write conflicts_answer(conflicts::ConflictsAnswer) -> synced::ConflictsSettled = conflicts::answer;
    /// Reopens the conflicts that were settled last.
    write conflicts_reopen(conflicts::ConflictsReopen) -> synced::ConflictsReopened = conflicts::reopen;
    /// Decides about a list or an opt-out that one side deleted.
    write conflicts_choose(conflicts::ConflictsChoose) -> sync::SyncLeft = conflicts::choose;
    /// Sets the rule that settles future conflicts of a column without asking.
    write conflicts_rule(conflicts::ConflictsRule) -> synced::ConflictsSettled = conflicts::rule;
    /// Makes a plan of all current changes.
    read plan_make(Nothing) -> synced::PlanDetails = plan::make;
    /// Returns a plan and whether it is still current.
    read plan_get(plan::PlanGet) -> Option<synced::PlanDetails> = plan::get;
    /// Decides how to send a change that the REST interface cannot express, and makes the plan again.
    read plan_choose(plan::PlanChoose) -> synced::PlanDetails = plan::choose;
    /// Excludes a step from the plan or includes it again, and makes the plan again.
    read plan_hold(plan::PlanHold) -> synced::PlanDetails = plan::hold;
    /// Returns a request as it would be sent.
    read plan_body(plan::PlanBodyGet) -> synced::PlanBody = plan::body;
    /// Saves a plan as a file to review.
    read plan_export(plan::PlanExport) -> plan::TextSaved = plan::export;
    /// Starts to send a plan.
    read run_start(runs::RunStart) -> runs::RunId = runs::start;
    /// Pauses the current run after its current request.
    read run_pause(Nothing) -> Done = runs::pause;
    /// Resumes a paused run.
    read run_resume(runs::RunId) -> Done = runs::resume;
    /// Cancels the run. Nothing more is sent, but sent requests are still verified.
    read run_cancel(Nothing) -> Done = runs::cancel;
    /// Returns all runs, newest first.
    read run_list(Nothing) -> Vec<synced::RunSummary> = runs::list;
    /// Returns a run with its steps and its speed.
    read run_get(runs::RunId) -> Option<synced::RunDetails> = runs::get;
    /// Returns the request attempts of a run.
    read run_attempts(runs::RunAttemptsGet) -> Vec<synced::RunAttempt> = runs::attempts;
    /// Saves a run as a report for someone who did not follow it.
    read run_report(runs::RunReport) -> plan::TextSaved = runs::report;
    /// Reports the effect of undoing a run, and what it cannot restore.
    read run_undo_preview(runs::RunId) -> synced::RunUndoSummary = runs::undo_preview;
    /// Undoes locally what a run sent, as one step. The result can then be planned and sent like any edits.
    write run_undo(runs::RunId) -> synced::RunUndoSummary = runs::undo;
    /// Returns the records that the service refused.
    read refused_page(runs::SyncWindow) -> synced::RefusedPage = runs::refused_page;
    /// Fixes a value of a refused record, so that the record is sent again.
    write refused_mend(runs::RefusedMend) -> Done = runs::refused_mend;
    /// Allows refused records to be sent again unchanged.
    write refused_resend(runs::RefusedResend) -> sync::SyncCount = runs::refused_resend;
    /// Returns the audit log of every effect on the service, newest first, and whether it is intact.
    read audit_page(runs::SyncWindow) -> synced::AuditPage = runs::audit_page;
}
