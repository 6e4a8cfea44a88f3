//! Commands on whole rows of a view, and on a new list made of them.

use roost_grid::grid::{SendSummary, ViewId};
use roost_model::channel::Channel;
use roost_ops::{
    Actor,
    contact::{ContactCard, DuplicatePolicy, FieldValues, SendPreview},
    opt_out::ContactOptOutSummary,
};
use serde::{Deserialize, Serialize};

use super::{
    super::super::list::{ListFilled, list_id},
    GridRows,
};
use crate::{accounts::App, error::CommandError};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct GridAdd {
    pub view: u64,
    /// Values by field name. The path of an error is the name of the field.
    #[cfg_attr(feature = "ts", ts(type = "{ [field: string]: string | null }"))]
    pub values: FieldValues,
    /// The region of numbers without a country code. Null means that of the account.
    pub region: Option<String>,
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct GridAdded {
    /// After the last row, until the next refresh.
    pub row: u64,
    pub contact: ContactCard,
}

/// Rows of a view.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct GridDelete {
    pub view: u64,
    pub generation: Option<u32>,
    pub rows: GridRows,
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct GridDeleted {
    pub count: u64,
    /// Null if nothing changed.
    pub step: Option<i64>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct GridSend {
    pub view: u64,
    pub generation: Option<u32>,
    pub rows: GridRows,
    /// The UID of a list.
    pub list: String,
    pub duplicates: DuplicatePolicy,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct GridSendPreview {
    pub view: u64,
    pub generation: Option<u32>,
    pub rows: GridRows,
    /// The UID of a list.
    pub list: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct GridOptOutPreview {
    pub view: u64,
    pub generation: Option<u32>,
    pub rows: GridRows,
}

/// The extent of opting rows out.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct GridOptOutNumbers {
    /// The number of distinct numbers of the contacts.
    pub numbers: u64,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct GridOptOut {
    pub view: u64,
    pub generation: Option<u32>,
    pub rows: GridRows,
    /// Each number of the contacts is opted out on each of these channels.
    pub channels: Vec<Channel>,
    /// The ID of an asset. Null means the whole account.
    pub asset: Option<String>,
    pub reason: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct GridNewList {
    pub view: u64,
    pub generation: Option<u32>,
    /// Null means the whole view.
    pub rows: Option<GridRows>,
    pub name: String,
}

pub(crate) fn add(app: &App, by: &Actor, request: GridAdd) -> Result<GridAdded, CommandError> {
    let account = app.account()?;
    let GridAdd { view, values, region } = request;
    let (contact, row) = account.grid().add_contact(&account.core, by, ViewId(view), &values, region.as_deref())?;
    Ok(GridAdded { row, contact })
}

pub(crate) fn delete(app: &App, by: &Actor, request: GridDelete) -> Result<GridDeleted, CommandError> {
    let account = app.account()?;
    let GridDelete { view, generation, rows } = request;
    let (count, step) = account.grid().delete_rows(&account.core, by, ViewId(view), generation, &rows.0)?;
    Ok(GridDeleted { count, step })
}

pub(crate) fn send_preview(app: &App, by: &Actor, request: GridSendPreview) -> Result<SendPreview, CommandError> {
    let account = app.account()?;
    let GridSendPreview { view, generation, rows, list } = request;
    let to = list_id("list", &list)?;
    Ok(account.grid().preview_send(&account.core, by, (ViewId(view), generation), &rows.0, &to)?)
}

pub(crate) fn move_(app: &App, by: &Actor, request: GridSend) -> Result<SendSummary, CommandError> {
    let account = app.account()?;
    let GridSend { view, generation, rows, list, duplicates } = request;
    let to = list_id("list", &list)?;
    Ok(account.grid().move_rows(&account.core, by, (ViewId(view), generation), &rows.0, &to, duplicates)?)
}

pub(crate) fn copy_to(app: &App, by: &Actor, request: GridSend) -> Result<SendSummary, CommandError> {
    let account = app.account()?;
    let GridSend { view, generation, rows, list, duplicates } = request;
    let to = list_id("list", &list)?;
    Ok(account.grid().copy_rows(&account.core, by, (ViewId(view), generation), &rows.0, &to, duplicates)?)
}

pub(crate) fn opt_out_preview(
    app: &App,
    by: &Actor,
    request: GridOptOutPreview,
) -> Result<GridOptOutNumbers, CommandError> {
    let account = app.account()?;
    let GridOptOutPreview { view, generation, rows } = request;
    Ok(GridOptOutNumbers {
        numbers: account.grid().count_numbers(&account.core, by, (ViewId(view), generation), &rows.0)?,
    })
}

pub(crate) fn opt_out(app: &App, by: &Actor, request: GridOptOut) -> Result<ContactOptOutSummary, CommandError> {
    let account = app.account()?;
    let GridOptOut { view, generation, rows, channels, asset, reason } = request;
    let target = (ViewId(view), generation);
    Ok(account.grid().opt_out_rows(&account.core, by, target, &rows.0, &channels, asset.as_deref(), &reason)?)
}

pub(crate) fn new_list(app: &App, by: &Actor, request: GridNewList) -> Result<ListFilled, CommandError> {
    let account = app.account()?;
    let GridNewList { view, generation, rows, name } = request;
    let rows = rows.as_ref().map(|rows| &rows.0);
    Ok(account.grid().freeze_rows(&account.core, by, (ViewId(view), generation), rows, &name)?.into())
}
