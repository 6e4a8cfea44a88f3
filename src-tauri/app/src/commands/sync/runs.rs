//! Commands on runs: sending a plan, its progress, the refused records, and the audit log.

use roost_ops::Actor;
use roost_sync_session::{AuditPage, RecordKey, RefusedPage, RunAttempt, RunDetails, RunSummary, RunUndoSummary};
use serde::{Deserialize, Serialize};

use super::{
    SyncCount, check_row_count,
    plan::{TextFormat, TextSaved, save_text},
};
use crate::{
    accounts::App,
    commands::{Done, Nothing},
    error::CommandError,
};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct RunStart {
    pub plan: i64,
    /// The texts that the gates ask for.
    pub typed: Vec<String>,
}

/// A run by its number.
#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct RunId {
    pub run: i64,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct RunAttemptsGet {
    pub run: i64,
    /// Null means all steps.
    pub step: Option<u32>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct RunReport {
    pub run: i64,
    pub format: TextFormat,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct SyncWindow {
    pub from: u32,
    /// At most 200.
    pub count: u32,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct RefusedMend {
    pub key: RecordKey,
    pub field: String,
    /// Null or an empty text clears the field.
    pub value: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct RefusedResend {
    pub keys: Vec<RecordKey>,
}

pub(crate) fn start(app: &App, _: &Actor, request: RunStart) -> Result<RunId, CommandError> {
    Ok(RunId { run: app.sync()?.begin_run(request.plan, &request.typed)? })
}

pub(crate) fn pause(app: &App, _: &Actor, _: Nothing) -> Result<Done, CommandError> {
    app.sync()?.pause();
    Ok(Done {})
}

pub(crate) fn resume(app: &App, _: &Actor, request: RunId) -> Result<Done, CommandError> {
    app.sync()?.resume_run(request.run)?;
    Ok(Done {})
}

pub(crate) fn cancel(app: &App, _: &Actor, _: Nothing) -> Result<Done, CommandError> {
    app.sync()?.cancel_run()?;
    Ok(Done {})
}

pub(crate) fn list(app: &App, _: &Actor, _: Nothing) -> Result<Vec<RunSummary>, CommandError> {
    Ok(app.sync()?.list_runs()?)
}

pub(crate) fn get(app: &App, _: &Actor, request: RunId) -> Result<Option<RunDetails>, CommandError> {
    Ok(app.sync()?.read_run(request.run)?)
}

pub(crate) fn attempts(app: &App, _: &Actor, request: RunAttemptsGet) -> Result<Vec<RunAttempt>, CommandError> {
    Ok(app.sync()?.list_attempts(request.run, request.step)?)
}

pub(crate) fn report(app: &App, _: &Actor, request: RunReport) -> Result<TextSaved, CommandError> {
    let session = app.sync()?;
    let text = match request.format {
        TextFormat::Markdown => session.report_text(request.run)?,
        TextFormat::Json => session.report_json(request.run)?,
    };
    save_text(app, &format!("run-{}", request.run), text, request.format)
}

pub(crate) fn undo_preview(app: &App, _: &Actor, request: RunId) -> Result<RunUndoSummary, CommandError> {
    Ok(app.sync()?.undo_preview(request.run)?)
}

pub(crate) fn undo(app: &App, by: &Actor, request: RunId) -> Result<RunUndoSummary, CommandError> {
    Ok(app.sync()?.undo_run(by, request.run)?)
}

pub(crate) fn refused_page(app: &App, _: &Actor, request: SyncWindow) -> Result<RefusedPage, CommandError> {
    Ok(app.sync()?.refused_page(request.from, check_row_count(request.count)?)?)
}

pub(crate) fn refused_mend(app: &App, by: &Actor, request: RefusedMend) -> Result<Done, CommandError> {
    app.sync()?.fix_refused(by, &request.key, &request.field, request.value.as_deref())?;
    Ok(Done {})
}

pub(crate) fn refused_resend(app: &App, _: &Actor, request: RefusedResend) -> Result<SyncCount, CommandError> {
    Ok(SyncCount { count: app.sync()?.resend_refused(&request.keys)? })
}

pub(crate) fn audit_page(app: &App, _: &Actor, request: SyncWindow) -> Result<AuditPage, CommandError> {
    Ok(app.sync()?.audit_page(request.from, check_row_count(request.count)?)?)
}
