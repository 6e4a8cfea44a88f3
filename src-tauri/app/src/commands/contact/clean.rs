//! Commands on texts that should be written differently: scanning a list, reading the suggestions, applying them.

use std::time::Duration;

use roost_grid::{
    clean as act,
    clean::{CleanRow, CleanStatus, CleanSuggestion, CleanSummary, SuggestionPage},
};
use roost_model::page::{self, Page};
use roost_ops::{Actor, opt_out::LostOptOut};
use serde::{Deserialize, Serialize};

use super::{super::list::list_id, duplicate::wait, grid::GridRows};
use crate::{
    accounts::App,
    commands::Done,
    error::CommandError,
    reading::{PageAnswer, read_page_request},
};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct CleanOpen {
    /// The UID of a list.
    pub list: String,
}

/// A clean-up by its number.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct CleanUp {
    pub id: u64,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct CleanStateGet {
    pub id: u64,
    /// How long to wait for the scan to end, at most 1,000. Null does not wait.
    pub wait_ms: Option<u32>,
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct CleanState {
    pub id: u64,
    pub list: String,
    /// Increases with every scan. The numbers of suggestions change with it.
    pub generation: u32,
    pub is_working: bool,
    pub rows_read: u64,
    /// Twice the number of contacts, because every contact is read twice.
    pub rows_total: u64,
    /// Someone else changed the list since the scan. A refresh shows current suggestions. Applying old ones is still
    /// correct, because every contact is checked again.
    pub is_stale: bool,
    /// The error that ended the last scan.
    pub fault: Option<String>,
    /// Suggestions that are neither applied nor skipped.
    pub suggestions: u64,
    /// The contacts of all suggestions, added up.
    pub effect: u64,
    pub skipped: u64,
    /// Contacts fixed so far, counted once for each suggestion.
    pub mended: u64,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct CleanPage {
    pub id: u64,
    pub page_number: u32,
    pub page_size: u32,
    /// True returns the skipped suggestions instead of the open ones.
    pub skipped: bool,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct CleanRowsGet {
    pub id: u64,
    pub suggestion: u64,
    pub page_number: u32,
    pub page_size: u32,
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct CleanRowsAnswer {
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
pub struct CleanApply {
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

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct CleanMended {
    /// Contacts that the suggestion covers.
    pub matched: u64,
    /// Contacts that changed.
    pub rows: u64,
    pub cells: u64,
    /// In a preview, the first ten contacts that would change.
    pub sample: Vec<CleanRow>,
    /// The opt-outs that the new numbers lack.
    pub lost_opt_outs: Vec<LostOptOut>,
    /// Null if nothing changed, or in a preview.
    pub step: Option<i64>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct CleanSkip {
    pub id: u64,
    pub suggestion: u64,
    /// False makes the suggestion open again.
    pub skipped: bool,
}

/// Long enough to scan a short list before the first response.
const OPEN_WAIT: Duration = Duration::from_millis(30);

fn to_state(id: u64, state: CleanStatus) -> CleanState {
    let CleanStatus { list, progress, suggestions, effect, skipped, fixed: mended } = state;
    CleanState {
        id,
        list: list.to_string(),
        generation: progress.generation,
        is_working: progress.is_working,
        rows_read: progress.rows_read,
        rows_total: progress.rows_total,
        is_stale: progress.is_stale,
        fault: progress.fault,
        suggestions,
        effect,
        skipped,
        mended,
    }
}

pub fn open(app: &App, _: &Actor, request: CleanOpen) -> Result<CleanState, CommandError> {
    let list = list_id("list", &request.list)?;
    let account = app.account()?;
    let id = account.clean().open(&account.core, &list)?;
    Ok(to_state(id, account.clean().read_status(&account.core, id, OPEN_WAIT)?))
}

pub fn state(app: &App, _: &Actor, request: CleanStateGet) -> Result<CleanState, CommandError> {
    let account = app.account()?;
    Ok(to_state(request.id, account.clean().read_status(&account.core, request.id, wait(request.wait_ms))?))
}

pub fn refresh(app: &App, _: &Actor, request: CleanUp) -> Result<Done, CommandError> {
    let account = app.account()?;
    account.clean().refresh(&account.core, request.id)?;
    Ok(Done {})
}

pub fn cancel(app: &App, _: &Actor, request: CleanUp) -> Result<Done, CommandError> {
    app.account()?.clean().cancel(request.id)?;
    Ok(Done {})
}

pub fn close(app: &App, _: &Actor, request: CleanUp) -> Result<Done, CommandError> {
    app.account()?.clean().close(request.id);
    Ok(Done {})
}

pub fn page(app: &App, _: &Actor, request: CleanPage) -> Result<PageAnswer<CleanSuggestion>, CommandError> {
    let wanted = read_page_request(request.page_number, request.page_size)?;
    let account = app.account()?;
    let SuggestionPage { total_items, items } =
        account.clean().read_page(&account.core, request.id, wanted, request.skipped)?;
    Ok(PageAnswer::new(Page { items, total_items }, wanted))
}

pub fn rows(app: &App, _: &Actor, request: CleanRowsGet) -> Result<CleanRowsAnswer, CommandError> {
    let wanted = read_page_request(request.page_number, request.page_size)?;
    let account = app.account()?;
    let act::CleanRows { total_items, generation, items } =
        account.clean().read_rows(&account.core, request.id, request.suggestion, wanted)?;
    Ok(CleanRowsAnswer { total_items, total_pages: page::total_pages(total_items, wanted.size), generation, items })
}

pub fn apply(app: &App, by: &Actor, request: CleanApply) -> Result<CleanMended, CommandError> {
    let CleanApply { id, suggestion, generation, rows, preview } = request;
    let rows = rows.map(|rows| rows.0);
    let account = app.account()?;
    let CleanSummary { matched, rows, cells, preview_rows: sample, lost_opt_outs, step } = if preview {
        account.clean().preview(&account.core, by, id, suggestion, generation, rows.as_ref())?
    } else {
        account.clean().apply(&account.core, by, id, suggestion, generation, rows.as_ref())?
    };
    Ok(CleanMended { matched, rows, cells, sample, lost_opt_outs, step })
}

pub fn skip(app: &App, _: &Actor, request: CleanSkip) -> Result<Done, CommandError> {
    app.account()?.clean().set_skipped(request.id, request.suggestion, request.skipped)?;
    Ok(Done {})
}
