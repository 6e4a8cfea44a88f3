//! Commands on conflicts, where both sides changed the same record differently.

use roost_ops::Actor;
use roost_sync_session::{
    ColumnRule, ConflictAnswer, ConflictsPage, ConflictsReopened, ConflictsSettled, RecordChoice, RecordKey, SyncNoun,
};
use serde::Deserialize;

use super::{SyncLeft, check_row_count};
use crate::{accounts::App, error::CommandError};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct ConflictsPageGet {
    pub noun: Option<SyncNoun>,
    /// Only conflicts about this field.
    pub field: Option<String>,
    pub from: u32,
    /// At most 200.
    pub count: u32,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct ConflictsAnswer {
    pub keys: Vec<RecordKey>,
    /// Null answers for the whole record.
    pub field: Option<String>,
    /// Null withdraws an answer.
    pub answer: Option<ConflictAnswer>,
    /// Applies the answer to every record with the same conflict.
    pub alike: bool,
}

/// The last settlement, by the number that the response to its answer had.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct ConflictsReopen {
    pub settlement: u64,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct ConflictsChoose {
    pub key: RecordKey,
    pub choice: Option<RecordChoice>,
    /// The confirmation that the removal of an opt-out needs.
    pub confirmed: Option<RemovalConfirmed>,
    /// Decides about all opt-outs that are open. Only possible for creating them again.
    #[serde(default)]
    pub alike: bool,
}

/// The number of opt-outs that the user expects to be removed, and the reason.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct RemovalConfirmed {
    pub typed_count: u64,
    pub reason: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct ConflictsRule {
    /// An empty text stands for records that were deleted here and edited at the service. `mine` keeps the deletion,
    /// `ask` opens a conflict.
    pub field: String,
    pub rule: ColumnRule,
}

pub(crate) fn page(app: &App, _: &Actor, request: ConflictsPageGet) -> Result<ConflictsPage, CommandError> {
    let ConflictsPageGet { noun, field, from, count } = request;
    Ok(app.sync()?.conflict_page(noun, field.as_deref(), from, check_row_count(count)?)?)
}

pub(crate) fn answer(app: &App, _: &Actor, request: ConflictsAnswer) -> Result<ConflictsSettled, CommandError> {
    let ConflictsAnswer { keys, field, answer, alike } = request;
    Ok(app.sync()?.answer_conflicts(&keys, field.as_deref(), answer.as_ref(), alike)?)
}

pub(crate) fn reopen(app: &App, _: &Actor, request: ConflictsReopen) -> Result<ConflictsReopened, CommandError> {
    Ok(app.sync()?.reopen_settlement(request.settlement)?)
}

pub(crate) fn choose(app: &App, by: &Actor, request: ConflictsChoose) -> Result<SyncLeft, CommandError> {
    let ConflictsChoose { key, choice, confirmed, alike } = request;
    let confirmed = confirmed.as_ref().map(|confirmed| (confirmed.typed_count, confirmed.reason.as_str()));
    Ok(SyncLeft { left: app.sync()?.choose_for(by, &key, choice, confirmed, alike)? })
}

pub(crate) fn rule(app: &App, _: &Actor, request: ConflictsRule) -> Result<ConflictsSettled, CommandError> {
    Ok(app.sync()?.set_rule(&request.field, request.rule)?)
}
