//! Commands that rehearse an import, list and fix its rows, and accept it.

use roost_imports::{
    rehearse::RowQuery,
    session::{CellText, ImportProblem, ImportRehearsal, ImportRows, ImportState},
    validate::RejectReason,
    verdicts::RowBucket,
};
use roost_ops::Actor;
use serde::Deserialize;

use super::{ImportId, read_state};
use crate::{accounts::App, error::CommandError, reading::check_range};

/// The maximum number of rows that a page can request at once.
const ROWS_MAX: u32 = 500;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct ImportRowsGet {
    pub import: u64,
    /// Null means rows of every bucket.
    pub bucket: Option<RowBucket>,
    /// Restricts the rows to invalid ones with this reason.
    pub reason: Option<RejectReason>,
    /// Restricts the rows to those that change this field.
    pub field: Option<String>,
    /// The position of the first returned row among the matching ones, from 0.
    pub from: u64,
    /// At most 500.
    pub count: u32,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct ImportProblemGet {
    pub import: u64,
    /// Null starts from the beginning, or from the end if `backwards` is true.
    pub after: Option<u64>,
    pub backwards: bool,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct ImportMend {
    pub import: u64,
    pub row: u64,
    pub cells: Vec<CellText>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct ImportAccept {
    pub import: u64,
    /// The number of opt-outs that the consent columns will add, as the user typed it. Null if there are none.
    pub typed_count: Option<u64>,
}

pub(crate) fn rehearse(app: &App, _: &Actor, request: ImportId) -> Result<ImportState, CommandError> {
    let account = app.account()?;
    account.imports().rehearse(&account.core, request.import)?;
    read_state(app, request.import)
}

pub(crate) fn rehearsal(app: &App, _: &Actor, request: ImportId) -> Result<ImportRehearsal, CommandError> {
    let account = app.account()?;
    Ok(account.imports().describe_rehearsal(&account.core, request.import)?)
}

pub(crate) fn rows(app: &App, _: &Actor, request: ImportRowsGet) -> Result<ImportRows, CommandError> {
    check_range("count", request.count, ROWS_MAX)?;
    let account = app.account()?;
    let query = RowQuery { bucket: request.bucket, reason: request.reason, field: request.field };
    let (from, count) = (usize::try_from(request.from).unwrap_or(usize::MAX), request.count as usize);
    Ok(account.imports().list_rows(&account.core, request.import, &query, from, count)?)
}

/// Finds the next row that needs a person's attention.
pub(crate) fn problem(app: &App, _: &Actor, request: ImportProblemGet) -> Result<ImportProblem, CommandError> {
    let account = app.account()?;
    Ok(account.imports().find_problem(&account.core, request.import, request.after, request.backwards)?)
}

pub(crate) fn mend(app: &App, _: &Actor, request: ImportMend) -> Result<ImportState, CommandError> {
    let account = app.account()?;
    account.imports().fix_row(&account.core, request.import, request.row, &request.cells)?;
    read_state(app, request.import)
}

pub(crate) fn accept(app: &App, by: &Actor, request: ImportAccept) -> Result<ImportState, CommandError> {
    let account = app.account()?;
    account.imports().accept(&account.core, by, request.import, request.typed_count)?;
    read_state(app, request.import)
}
