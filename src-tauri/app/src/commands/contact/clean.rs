//! Commands on texts that should be written otherwise: looking through a list, looking at suggestions, mending.

use std::time::Duration;

use roost_model::page;
use roost_ops::{
    By,
    clean::{self as act, CleanRow, CleanSuggestion, Mended, State, SuggestionPage},
};
use serde::{Deserialize, Serialize};

use super::{super::list::list_id, duplicate::wait, grid::GridRows};
use crate::{accounts::App, error::CommandError, reading::wanted_page};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct CleanOpen {
    /// A list's uid.
    pub list: String,
}

/// A clean-up by its number.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct CleanUp {
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub id: u64,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct CleanStateGet {
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub id: u64,
    /// How long to wait for it to be done, 1000 at most; null: not at all.
    pub wait_ms: Option<u32>,
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct CleanState {
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub id: u64,
    pub list: String,
    /// Grows with every look; suggestions have other numbers in each.
    pub generation: u32,
    pub is_working: bool,
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub rows_read: u64,
    /// Every contact is read twice.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub rows_total: u64,
    /// Somebody else changed the list since: refresh. Mending is right all the same, as it judges anew.
    pub is_stale: bool,
    /// Why the last look came to nothing.
    pub fault: Option<String>,
    /// Suggestions that nobody has decided on.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub suggestions: u64,
    /// Contacts of each summed up.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub effect: u64,
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub skipped: u64,
    /// Contacts mended so far, once for each suggestion.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub mended: u64,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct CleanPage {
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub id: u64,
    pub page_number: u32,
    pub page_size: u32,
    /// True: those that were put aside, instead of those nobody has decided on.
    pub skipped: bool,
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct CleanPageAnswer {
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub total_items: u64,
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub total_pages: u64,
    /// The biggest effect first.
    pub items: Vec<CleanSuggestion>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct CleanRowsGet {
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub id: u64,
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub suggestion: u64,
    pub page_number: u32,
    pub page_size: u32,
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct CleanRowsAnswer {
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub total_items: u64,
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub total_pages: u64,
    /// Rows have other places in each.
    pub generation: u32,
    /// As they stand now; those that are gone are passed over.
    pub items: Vec<CleanRow>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct CleanApply {
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub id: u64,
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub suggestion: u64,
    /// Of the suggestion, in which the page saw the rows; when they have other places by now, nothing is done.
    pub generation: Option<u32>,
    /// Null: all of the suggestion.
    pub rows: Option<GridRows>,
    /// True: only say what it would do.
    #[serde(default)]
    pub preview: bool,
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct CleanMended {
    /// Contacts it was to be done to.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub matched: u64,
    /// Contacts that changed.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub rows: u64,
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub cells: u64,
    /// In a preview, the first ten contacts that would change.
    pub sample: Vec<CleanRow>,
    /// Null: nothing changed, or it was a preview.
    #[cfg_attr(feature = "ts", ts(type = "number | null"))]
    pub step: Option<i64>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct CleanSkip {
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub id: u64,
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub suggestion: u64,
    /// False: take it up again.
    pub skipped: bool,
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct CleanDone {}

/// A short list is looked through with the first answer.
const OPEN_WAIT: Duration = Duration::from_millis(30);

fn told(id: u64, state: State) -> CleanState {
    let State { list, progress, suggestions, effect, skipped, mended } = state;
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

pub fn open(app: &App, _: &By, request: CleanOpen) -> Result<CleanState, CommandError> {
    let list = list_id("list", &request.list)?;
    let core = app.core()?;
    let id = core.clean().open(&core, &list)?;
    Ok(told(id, core.clean().state(&core, id, OPEN_WAIT)?))
}

pub fn state(app: &App, _: &By, request: CleanStateGet) -> Result<CleanState, CommandError> {
    let core = app.core()?;
    Ok(told(request.id, core.clean().state(&core, request.id, wait(request.wait_ms))?))
}

pub fn refresh(app: &App, _: &By, request: CleanUp) -> Result<CleanDone, CommandError> {
    let core = app.core()?;
    core.clean().refresh(&core, request.id)?;
    Ok(CleanDone {})
}

pub fn cancel(app: &App, _: &By, request: CleanUp) -> Result<CleanDone, CommandError> {
    app.core()?.clean().cancel(request.id)?;
    Ok(CleanDone {})
}

pub fn close(app: &App, _: &By, request: CleanUp) -> Result<CleanDone, CommandError> {
    app.core()?.clean().close(request.id);
    Ok(CleanDone {})
}

pub fn page(app: &App, _: &By, request: CleanPage) -> Result<CleanPageAnswer, CommandError> {
    let wanted = wanted_page(request.page_number, request.page_size)?;
    let core = app.core()?;
    let SuggestionPage { total_items, items } = core.clean().page(&core, request.id, wanted, request.skipped)?;
    Ok(CleanPageAnswer { total_items, total_pages: page::total_pages(total_items, wanted.size), items })
}

pub fn rows(app: &App, _: &By, request: CleanRowsGet) -> Result<CleanRowsAnswer, CommandError> {
    let wanted = wanted_page(request.page_number, request.page_size)?;
    let core = app.core()?;
    let act::CleanRows { total_items, generation, items } =
        core.clean().rows(&core, request.id, request.suggestion, wanted)?;
    Ok(CleanRowsAnswer { total_items, total_pages: page::total_pages(total_items, wanted.size), generation, items })
}

pub fn apply(app: &App, by: &By, request: CleanApply) -> Result<CleanMended, CommandError> {
    let CleanApply { id, suggestion, generation, rows, preview } = request;
    let rows = rows.map(|rows| rows.0);
    let core = app.core()?;
    let Mended { matched, rows, cells, sample, step } = if preview {
        core.clean().preview(&core, by, id, suggestion, generation, rows.as_ref())?
    } else {
        core.clean().apply(&core, by, id, suggestion, generation, rows.as_ref())?
    };
    Ok(CleanMended { matched, rows, cells, sample, step })
}

pub fn skip(app: &App, _: &By, request: CleanSkip) -> Result<CleanDone, CommandError> {
    app.core()?.clean().skip(request.id, request.suggestion, request.skipped)?;
    Ok(CleanDone {})
}
