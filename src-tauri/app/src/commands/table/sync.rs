//! The service that the account belongs to.

use roost_sync::session as synced;

use crate::commands::sync::{self, changes, conflicts, connection, plan, runs, standing};

commands! {
    /// The service that this account belongs to, where its key is kept, and what is known of it.
    connection_get(sync::SyncNothing) -> synced::ConnectionAnswer = connection::get;
    /// Connects the account to a service, or says otherwise where and how it is called.
    connection_save(synced::ConnectionSave) -> synced::ConnectionAnswer = connection::save;
    /// Lets the account belong to nobody; what both sides agreed on is forgotten, and nothing else.
    connection_forget(sync::SyncNothing) -> sync::SyncDone = connection::forget;
    /// Puts the key where it is kept. No answer ever carries it.
    connection_key_set(connection::ConnectionKeySet) -> synced::ConnectionAnswer = connection::key_set;
    /// Opens the sealed key for as long as the account is open.
    connection_key_unlock(connection::ConnectionKeyUnlock) -> synced::ConnectionAnswer = connection::key_unlock;
    /// Forgets the key, here and where it is kept.
    connection_key_forget(sync::SyncNothing) -> synced::ConnectionAnswer = connection::key_forget;
    /// One call that changes nothing: address, key and permission are right when it succeeds.
    connection_test(sync::SyncNothing) -> synced::Tested = connection::test;
    /// Begins to find out what the service can do.
    connection_probe(connection::ConnectionProbe) -> sync::SyncDone = connection::probe;
    /// How here and the service stand to each other, and what goes on.
    sync_status(sync::SyncNothing) -> synced::SyncStatus = standing::status;
    /// Begins to read the service.
    sync_pull(standing::SyncPull) -> sync::SyncDone = standing::pull;
    /// Ends what goes on: a reading behind its page; a run sends nothing more.
    sync_stop(sync::SyncNothing) -> sync::SyncDone = standing::stop;
    /// What the last reading brought.
    sync_pulled(sync::SyncNothing) -> Option<synced::SyncPulled> = standing::pulled;
    /// When each part of the service was last read.
    sync_scopes(sync::SyncNothing) -> Vec<synced::SyncScope> = standing::scopes;
    /// The tree of what was changed here, in numbers.
    changes_summary(changes::ChangesSummaryGet) -> synced::ChangesSummary = changes::summary;
    /// How many contacts of a list are changed here.
    changes_count(changes::ChangesCountGet) -> sync::SyncCount = changes::count;
    /// Some changed records with their values before and after.
    changes_rows(changes::ChangesRowsGet) -> synced::ChangesPage = changes::page;
    /// Holds changes back from being sent, or lets them go.
    changes_hold(changes::ChangesHold) -> sync::SyncCount = changes::hold;
    /// Holds every change of a column back, or lets them go.
    changes_hold_column(changes::ChangesHoldColumn) -> sync::SyncCount = changes::hold_column;
    /// Gives up what was changed here, as one step that can be undone.
    changes_discard(changes::ChangesDiscard) -> changes::ChangesDiscarded = changes::discard;
    /// Some records that both sides changed, each in its way.
    conflicts_page(conflicts::ConflictsPageGet) -> synced::ConflictsPage = conflicts::page;
    /// Decides about values or records; what is settled by it is merged at once.
    conflicts_answer(conflicts::ConflictsAnswer) -> synced::ConflictsSettled = conflicts::answer;
    /// Makes what was settled last a question again.
    conflicts_reopen(conflicts::ConflictsReopen) -> synced::ConflictsReopened = conflicts::reopen;
    /// Decides about a list or an opt-out that one side lost.
    conflicts_choose(conflicts::ConflictsChoose) -> sync::SyncLeft = conflicts::choose;
    /// How disputes about a column are settled without asking from now on.
    conflicts_rule(conflicts::ConflictsRule) -> synced::ConflictsSettled = conflicts::rule;
    /// Makes a plan of everything as it stands now.
    plan_make(sync::SyncNothing) -> synced::PlanShown = plan::make;
    /// A plan as it was made, and whether it is still true.
    plan_get(plan::PlanGet) -> Option<synced::PlanShown> = plan::get;
    /// Decides how something is done that the interface cannot express, and makes the plan anew.
    plan_choose(plan::PlanChoose) -> synced::PlanShown = plan::choose;
    /// Leaves a step out, or takes it in again, and makes the plan anew.
    plan_hold(plan::PlanHold) -> synced::PlanShown = plan::hold;
    /// A request as it would be sent.
    plan_body(plan::PlanBodyGet) -> synced::PlanBody = plan::body;
    /// A plan as a file to review.
    plan_export(plan::PlanExport) -> plan::TextSaved = plan::export;
    /// Begins to send a plan.
    run_start(runs::RunStart) -> runs::RunId = runs::start;
    /// Sets the run at work aside at the end of its request.
    run_pause(sync::SyncNothing) -> sync::SyncDone = runs::pause;
    /// Goes on with a run that was set aside.
    run_resume(runs::RunId) -> sync::SyncDone = runs::resume;
    /// Sends nothing more; what was sent is still verified.
    run_cancel(sync::SyncNothing) -> sync::SyncDone = runs::cancel;
    /// All runs, newest first.
    run_list(sync::SyncNothing) -> Vec<synced::RunSummary> = runs::list;
    /// A run with its steps, and how fast it goes.
    run_get(runs::RunId) -> Option<synced::RunShown> = runs::get;
    /// The requests of a run.
    run_attempts(runs::RunAttemptsGet) -> Vec<synced::RunAttempt> = runs::attempts;
    /// A run as a file for somebody who was not there.
    run_report(runs::RunReport) -> plan::TextSaved = runs::report;
    /// What undoing a run would do, and what it could not bring back.
    run_undo_preview(runs::RunId) -> synced::RunUndone = runs::undo_preview;
    /// Undoes here what a run pushed, as one step; to be planned and pushed like any edits.
    run_undo(runs::RunId) -> synced::RunUndone = runs::undo;
    /// Records that the service refused.
    refused_page(runs::SyncWindow) -> synced::RefusedPage = runs::refused_page;
    /// Mends a value of such a record, which is sent again then.
    refused_mend(runs::RefusedMend) -> sync::SyncDone = runs::refused_mend;
    /// Lets such records be sent again as they are.
    refused_resend(runs::RefusedResend) -> sync::SyncCount = runs::refused_resend;
    /// The record of every effect on the service, newest first, and whether it is whole.
    audit_page(runs::SyncWindow) -> synced::AuditPage = runs::audit_page;
}
