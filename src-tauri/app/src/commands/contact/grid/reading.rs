//! Commands that read a view: windows, row numbers, searches, summaries, copies.

use roost_grid::{
    grid as act,
    grid::{CellPosition, CellsSummary, ColumnFacets, FindDirection, MatchCount, ViewId},
};
use roost_ops::Actor;
use serde::{Deserialize, Serialize};

use super::{
    super::{super::Bytes, contact_id},
    GridRows, watch_changes,
};
use crate::{accounts::App, error::CommandError};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct GridWindow {
    pub view: u64,
    /// The generation that the page knows. The response names the current one and has no rows if the two differ.
    pub generation: Option<u32>,
    pub from: u64,
    /// At most 1,000.
    pub count: u32,
    /// At most 64, by the field names of contacts.
    pub columns: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct GridLocate {
    pub view: u64,
    pub uid: String,
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct GridRow {
    pub row: Option<u64>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct GridUidGet {
    pub view: u64,
    pub row: u64,
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct GridUid {
    /// Null if the contact no longer exists.
    pub uid: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct GridSummaryGet {
    pub view: u64,
    pub rows: GridRows,
    pub columns: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct GridFind {
    pub view: u64,
    pub text: String,
    pub regex: bool,
    pub case: bool,
    pub whole_cell: bool,
    /// In the order of the screen.
    pub columns: Vec<String>,
    /// Searches after this cell, or before it if `backwards` is true. Null searches from the first or last cell.
    pub from: Option<CellPosition>,
    pub backwards: bool,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct GridFindCount {
    pub view: u64,
    pub text: String,
    pub regex: bool,
    pub case: bool,
    pub whole_cell: bool,
    pub columns: Vec<String>,
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct GridFound {
    /// Null if nothing more matches.
    pub cell: Option<CellPosition>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct GridProblem {
    pub view: u64,
    /// Searches after this row, or before it if `backwards` is true. Null searches from the first or last row.
    pub from: Option<u64>,
    pub backwards: bool,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct GridFacetsGet {
    pub view: u64,
    pub field: String,
    /// At most 200.
    pub most: u32,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct GridCopy {
    pub view: u64,
    pub rows: GridRows,
    pub columns: Vec<String>,
    /// The titles above the rows, one for each column. Empty writes none.
    pub headings: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct GridEdge {
    pub view: u64,
    pub generation: Option<u32>,
    pub row: u64,
    pub column: String,
    pub direction: GridEdgeDirection,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) enum GridEdgeDirection {
    Up,
    Down,
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct GridEdgeRow {
    pub row: u64,
}

pub(crate) fn window(app: &App, _: &Actor, request: GridWindow) -> Result<Bytes, CommandError> {
    let account = app.account()?;
    let GridWindow { view, generation, from, count, columns } = request;
    Ok(Bytes(account.grid().read_window(&account.core, ViewId(view), generation, from, count, &columns)?))
}

pub(crate) fn locate(app: &App, _: &Actor, request: GridLocate) -> Result<GridRow, CommandError> {
    let account = app.account()?;
    let uid = contact_id("uid", &request.uid)?;
    Ok(GridRow { row: account.grid().find_row(&account.core, ViewId(request.view), &uid)? })
}

pub(crate) fn uid(app: &App, _: &Actor, request: GridUidGet) -> Result<GridUid, CommandError> {
    let account = app.account()?;
    let uid = account.grid().find_contact(&account.core, ViewId(request.view), request.row)?;
    Ok(GridUid { uid: uid.map(|uid| uid.to_string()) })
}

pub(crate) fn summary(app: &App, by: &Actor, request: GridSummaryGet) -> Result<CellsSummary, CommandError> {
    let account = app.account()?;
    let GridSummaryGet { view, rows, columns } = request;
    Ok(account.grid().summarize(&account.core, ViewId(view), &rows.0, &columns, &watch_changes(by))?)
}

pub(crate) fn find(app: &App, by: &Actor, request: GridFind) -> Result<GridFound, CommandError> {
    let account = app.account()?;
    let GridFind { view, text, regex, case, whole_cell, columns, from, backwards } = request;
    let find = act::FindQuery { text, is_regex: regex, is_case_sensitive: case, is_whole_cell: whole_cell, columns };
    let direction = if backwards { FindDirection::Backwards } else { FindDirection::Forwards };
    let found =
        account.grid().find_cell(&account.core, ViewId(view), &find, from.as_ref(), direction, &watch_changes(by))?;
    Ok(GridFound { cell: found })
}

pub(crate) fn edge(app: &App, by: &Actor, request: GridEdge) -> Result<GridEdgeRow, CommandError> {
    let account = app.account()?;
    let GridEdge { view, generation, row, column, direction } = request;
    let direction = match direction {
        GridEdgeDirection::Up => FindDirection::Backwards,
        GridEdgeDirection::Down => FindDirection::Forwards,
    };
    Ok(GridEdgeRow {
        row: account.grid().find_edge(
            &account.core,
            ViewId(view),
            generation,
            row,
            &column,
            direction,
            &watch_changes(by),
        )?,
    })
}

pub(crate) fn find_count(app: &App, by: &Actor, request: GridFindCount) -> Result<MatchCount, CommandError> {
    let account = app.account()?;
    let GridFindCount { view, text, regex, case, whole_cell, columns } = request;
    let find = act::FindQuery { text, is_regex: regex, is_case_sensitive: case, is_whole_cell: whole_cell, columns };
    Ok(account.grid().count_matches(&account.core, ViewId(view), &find, &watch_changes(by))?)
}

pub(crate) fn problem(app: &App, _: &Actor, request: GridProblem) -> Result<GridFound, CommandError> {
    let account = app.account()?;
    let found = account.grid().find_draft(&account.core, ViewId(request.view), request.from, request.backwards)?;
    Ok(GridFound { cell: found })
}

pub(crate) fn facets(app: &App, by: &Actor, request: GridFacetsGet) -> Result<ColumnFacets, CommandError> {
    let account = app.account()?;
    let GridFacetsGet { view, field, most } = request;
    Ok(account.grid().read_facets(&account.core, ViewId(view), &field, most as usize, &watch_changes(by))?)
}

pub(crate) fn copy(app: &App, by: &Actor, request: GridCopy) -> Result<Bytes, CommandError> {
    let account = app.account()?;
    let GridCopy { view, rows, columns, headings } = request;
    Ok(Bytes(account.grid().copy_cells(
        &account.core,
        ViewId(view),
        &rows.0,
        &columns,
        &headings,
        &watch_changes(by),
    )?))
}
