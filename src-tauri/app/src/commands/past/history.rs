//! Commands for undo, redo and the trash.

use roost_ops::{
    Actor, Noun,
    history::{self, UndoStatus, UndoStep, UndoSummary},
};
use serde::{Deserialize, Serialize};

use crate::{
    accounts::App,
    commands::Nothing,
    error::CommandError,
    reading::{PageResponse, read_page_request},
};

pub(crate) fn undo_status(app: &App, _: &Actor, _: Nothing) -> Result<UndoStatus, CommandError> {
    Ok(history::read_undo_status(&app.core()?)?)
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct HistoryUndo {
    /// Undoes only if this is the last act. Without it, whatever is last is undone.
    #[cfg_attr(feature = "ts", ts(optional, type = "number"))]
    pub step: Option<i64>,
}

pub(crate) fn undo(app: &App, by: &Actor, request: HistoryUndo) -> Result<UndoSummary, CommandError> {
    let core = app.core()?;
    let taken = match request.step {
        Some(step) => history::undo_step(&core, by, step),
        None => history::undo(&core, by),
    };
    Ok(taken?)
}

pub(crate) fn redo(app: &App, by: &Actor, _: Nothing) -> Result<UndoSummary, CommandError> {
    Ok(history::redo(&app.core()?, by)?)
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct HistoryPassed {
    pub step: UndoStep,
}

pub(crate) fn pass_over(app: &App, by: &Actor, _: Nothing) -> Result<HistoryPassed, CommandError> {
    Ok(HistoryPassed { step: history::skip_undo_step(&app.core()?, by)? })
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct TrashPage {
    pub noun: Option<Noun>,
    pub page_number: u32,
    pub page_size: u32,
}

pub(crate) fn trash_page(app: &App, _: &Actor, request: TrashPage) -> Result<PageResponse<UndoStep>, CommandError> {
    let page = read_page_request(request.page_number, request.page_size)?;
    let found = history::read_trash(&app.core()?, request.noun, page)?;
    Ok(PageResponse::new(found, page))
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct TrashRestore {
    pub step: i64,
}

pub(crate) fn trash_restore(app: &App, by: &Actor, request: TrashRestore) -> Result<UndoSummary, CommandError> {
    Ok(history::restore(&app.core()?, by, request.step)?)
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct TrashPurge {
    #[cfg_attr(feature = "ts", ts(type = "Array<number>"))]
    pub steps: Vec<i64>,
    /// The number of records to delete permanently, typed by the user. It is the sum of the counts of the steps.
    pub typed_count: u64,
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct TrashPurged {
    pub purged: u64,
}

pub(crate) fn trash_purge(app: &App, by: &Actor, request: TrashPurge) -> Result<TrashPurged, CommandError> {
    let purged = history::purge_typed(&app.core()?, by, &request.steps, request.typed_count)?;
    Ok(TrashPurged { purged })
}
