//! Commands on local changes that were not sent to the service yet.

use roost_model::id::ListId;
use roost_ops::Actor;
use roost_sync::decide::DiscardSummary;
use roost_sync_session::{
    ChangeFilter, ChangeGroupKey, ChangeSelection, ChangesPage, ChangesSummary, FieldClash, RecordKey, SyncNoun,
    UnsentKind,
};
use serde::{Deserialize, Serialize};

use super::{SyncCount, check_row_count};
use crate::{accounts::App, commands::Nothing, error::CommandError, reading};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct ChangesSummaryGet {
    pub filter: ChangeFilter,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct ChangesCountGet {
    pub list: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct ChangesRowsGet {
    pub noun: SyncNoun,
    pub list: Option<i64>,
    pub kind: Option<UnsentKind>,
    pub filter: ChangeFilter,
    pub from: u32,
    /// At most 200.
    pub count: u32,
}

/// Selects records by their keys, or those of a node of the tree (null for the whole tree) that match a filter (null
/// for no filter), or those that a step changed.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct ChangesHold {
    pub keys: Option<Vec<RecordKey>>,
    pub group: Option<ChangeGroupKey>,
    #[cfg_attr(feature = "ts", ts(optional = nullable))]
    pub filter: Option<ChangeFilter>,
    pub step: Option<i64>,
    pub held: bool,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct ChangesHoldColumn {
    pub field: String,
    pub held: bool,
}

pub(crate) fn summary(app: &App, _: &Actor, request: ChangesSummaryGet) -> Result<ChangesSummary, CommandError> {
    Ok(app.sync()?.summarize_changes(&request.filter)?)
}

pub(crate) fn count(app: &App, _: &Actor, request: ChangesCountGet) -> Result<SyncCount, CommandError> {
    Ok(SyncCount { count: app.sync()?.changes_in_list(&reading::parse_id("list", &request.list, ListId::parse)?)? })
}

pub(crate) fn page(app: &App, _: &Actor, request: ChangesRowsGet) -> Result<ChangesPage, CommandError> {
    let ChangesRowsGet { noun, list, kind, filter, from, count } = request;
    let group = ChangeGroupKey { noun, list, kind };
    Ok(app.sync()?.change_rows(&group, &filter, from, check_row_count(count)?)?)
}

pub(crate) fn hold(app: &App, _: &Actor, request: ChangesHold) -> Result<SyncCount, CommandError> {
    let ChangesHold { keys, group, filter, step, held } = request;
    Ok(SyncCount { count: app.sync()?.hold_changes(&ChangeSelection { keys, group, filter, step }, held)? })
}

pub(crate) fn hold_column(app: &App, _: &Actor, request: ChangesHoldColumn) -> Result<SyncCount, CommandError> {
    Ok(SyncCount { count: app.sync()?.hold_column(&request.field, request.held)? })
}

pub(crate) fn discard(app: &App, by: &Actor, request: ChangeSelection) -> Result<DiscardSummary, CommandError> {
    Ok(app.sync()?.discard_changes(by, &request)?)
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct FieldClashes {
    pub clashes: Vec<FieldClash>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct FieldClashSettle {
    pub number: u32,
    /// Whether both sides mean the same. If not, the field here moves to a free number.
    pub is_same: bool,
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct FieldClashSettled {
    /// The number to which the field was moved.
    pub moved_to: Option<u32>,
}

pub(crate) fn clashes(app: &App, _: &Actor, _: Nothing) -> Result<FieldClashes, CommandError> {
    Ok(FieldClashes { clashes: app.sync()?.field_clashes()? })
}

pub(crate) fn settle_clash(
    app: &App,
    by: &Actor,
    request: FieldClashSettle,
) -> Result<FieldClashSettled, CommandError> {
    let moved_to = app.sync()?.settle_field_clash(by, request.number, request.is_same)?;
    Ok(FieldClashSettled { moved_to })
}
