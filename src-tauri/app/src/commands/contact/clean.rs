//! Commands on texts that should be written differently: scanning a list, reading the suggestions, applying them.

use std::time::Duration;

use roost_grid::{
    clean as act,
    clean::{CleanRow, CleanStatus, CleanSuggestion, CleanSummary, SuggestionPage},
};
use roost_model::page::{self, Page};
use roost_ops::Actor;
use serde::{Deserialize, Serialize};

use super::{super::list::list_id, duplicate::wait, grid::GridRows};
use crate::{
    accounts::App,
    commands::Done,
    error::CommandError,
    reading::{PageResponse, read_page_request},
};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct CleanOpen {
    /// The UID of a list.
    pub list: String,
}

/// A clean-up by its number.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct CleanUp {
    pub id: u64,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct CleanStateGet {
    pub id: u64,
    /// How long to wait for the scan to end, at most 1,000. Null does not wait.
    pub wait_ms: Option<u32>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct CleanPage {
    pub id: u64,
    pub page_number: u32,
    pub page_size: u32,
    /// True returns the skipped suggestions instead of the open ones.
    pub skipped: bool,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct CleanRowsGet {
    pub id: u64,
    pub suggestion: u64,
    pub page_number: u32,
    pub page_size: u32,
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct CleanRowsAnswer {
    pub total_items: u64,
    pub total_pages: u64,
    /// Increases with every scan. The numbers of rows change with it.
    pub generation: u32,
    /// The current values. Deleted contacts are omitted.
    pub items: Vec<CleanRow>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct CleanApply {
    pub id: u64,
    pub suggestion: u64,
    /// The generation in which the page saw the rows. If the rows have other numbers by now, nothing is done.
    pub generation: Option<u32>,
    /// Null means every row of the suggestion.
    pub rows: Option<GridRows>,
    /// True reports the effect without changing anything.
    #[serde(default)]
    pub preview: bool,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct CleanSkip {
    pub id: u64,
    pub suggestion: u64,
    /// False makes the suggestion open again.
    pub skipped: bool,
}

/// Long enough to scan a short list before the first response.
const OPEN_WAIT: Duration = Duration::from_millis(30);

pub(crate) fn open(app: &App, _: &Actor, request: CleanOpen) -> Result<CleanStatus, CommandError> {
    let list = list_id("list", &request.list)?;
    let account = app.account()?;
    let id = account.clean().open(&account.core, &list)?;
    Ok(account.clean().read_status(&account.core, id, OPEN_WAIT)?)
}

pub(crate) fn state(app: &App, _: &Actor, request: CleanStateGet) -> Result<CleanStatus, CommandError> {
    let account = app.account()?;
    Ok(account.clean().read_status(&account.core, request.id, wait(request.wait_ms))?)
}

pub(crate) fn refresh(app: &App, _: &Actor, request: CleanUp) -> Result<Done, CommandError> {
    let account = app.account()?;
    account.clean().refresh(&account.core, request.id)?;
    Ok(Done {})
}

pub(crate) fn cancel(app: &App, _: &Actor, request: CleanUp) -> Result<Done, CommandError> {
    app.account()?.clean().cancel(request.id)?;
    Ok(Done {})
}

pub(crate) fn close(app: &App, _: &Actor, request: CleanUp) -> Result<Done, CommandError> {
    app.account()?.clean().close(request.id);
    Ok(Done {})
}

pub(crate) fn page(app: &App, _: &Actor, request: CleanPage) -> Result<PageResponse<CleanSuggestion>, CommandError> {
    let wanted = read_page_request(request.page_number, request.page_size)?;
    let account = app.account()?;
    let SuggestionPage { total_items, items } =
        account.clean().read_page(&account.core, request.id, wanted, request.skipped)?;
    Ok(PageResponse::new(Page { items, total_items }, wanted))
}

pub(crate) fn rows(app: &App, _: &Actor, request: CleanRowsGet) -> Result<CleanRowsAnswer, CommandError> {
    let wanted = read_page_request(request.page_number, request.page_size)?;
    let account = app.account()?;
    let act::CleanRows { total_items, generation, items } =
        account.clean().read_rows(&account.core, request.id, request.suggestion, wanted)?;
    Ok(CleanRowsAnswer { total_items, total_pages: page::total_pages(total_items, wanted.size), generation, items })
}

pub(crate) fn apply(app: &App, by: &Actor, request: CleanApply) -> Result<CleanSummary, CommandError> {
    let CleanApply { id, suggestion, generation, rows, preview } = request;
    let rows = rows.map(|rows| rows.0);
    let account = app.account()?;
    Ok(if preview {
        account.clean().preview(&account.core, by, id, suggestion, generation, rows.as_ref())?
    } else {
        account.clean().apply(&account.core, by, id, suggestion, generation, rows.as_ref())?
    })
}

pub(crate) fn skip(app: &App, _: &Actor, request: CleanSkip) -> Result<Done, CommandError> {
    app.account()?.clean().set_skipped(request.id, request.suggestion, request.skipped)?;
    Ok(Done {})
}
