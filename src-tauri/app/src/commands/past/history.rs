//! Commands for undo, redo and the trash.

use roost_ops::{
    Actor, Noun,
    history::{self, UndoSummary},
};
use serde::{Deserialize, Serialize};

use super::UndoStepEntry;
use crate::{
    accounts::App,
    commands::Nothing,
    error::CommandError,
    reading::{PageAnswer, read_page_request},
};

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct HistoryStatus {
    pub undo: Option<UndoStepEntry>,
    pub redo: Option<UndoStepEntry>,
}

pub fn undo_status(app: &App, _: &Actor, _: Nothing) -> Result<HistoryStatus, CommandError> {
    let history::UndoStatus { undo, redo } = history::read_undo_status(&app.core()?)?;
    Ok(HistoryStatus { undo: undo.map(UndoStepEntry::from), redo: redo.map(UndoStepEntry::from) })
}

/// The result of undoing, redoing or restoring a step.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct HistoryTaken {
    pub step: UndoStepEntry,
    pub rows: u64,
    /// Rows that stayed as they were, because they changed after the step.
    pub kept: u64,
    /// Opt-outs that the act added. They stay, because only a removal with a reason ends an opt-out.
    pub opt_outs_kept: u64,
}

impl From<UndoSummary> for HistoryTaken {
    fn from(UndoSummary { step, rows, kept, opt_outs_kept }: UndoSummary) -> Self {
        Self { step: step.into(), rows, kept, opt_outs_kept }
    }
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct HistoryUndo {
    /// Undoes only if this is the last act. Without it, whatever is last is undone.
    #[cfg_attr(feature = "ts", ts(optional, type = "number"))]
    pub step: Option<i64>,
}

pub fn undo(app: &App, by: &Actor, request: HistoryUndo) -> Result<HistoryTaken, CommandError> {
    let core = app.core()?;
    let taken = match request.step {
        Some(step) => history::undo_step(&core, by, step),
        None => history::undo(&core, by),
    };
    Ok(taken?.into())
}

pub fn redo(app: &App, by: &Actor, _: Nothing) -> Result<HistoryTaken, CommandError> {
    Ok(history::redo(&app.core()?, by)?.into())
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct HistoryPassed {
    pub step: UndoStepEntry,
}

pub fn pass_over(app: &App, by: &Actor, _: Nothing) -> Result<HistoryPassed, CommandError> {
    Ok(HistoryPassed { step: history::skip_undo_step(&app.core()?, by)?.into() })
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct TrashPage {
    pub noun: Option<Noun>,
    pub page_number: u32,
    pub page_size: u32,
}

pub fn trash_page(app: &App, _: &Actor, request: TrashPage) -> Result<PageAnswer<UndoStepEntry>, CommandError> {
    let page = read_page_request(request.page_number, request.page_size)?;
    let found = history::read_trash(&app.core()?, request.noun, page)?;
    Ok(PageAnswer::new(found, page).map(UndoStepEntry::from))
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct TrashRestore {
    pub step: i64,
}

pub fn trash_restore(app: &App, by: &Actor, request: TrashRestore) -> Result<HistoryTaken, CommandError> {
    Ok(history::restore(&app.core()?, by, request.step)?.into())
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct TrashPurge {
    #[cfg_attr(feature = "ts", ts(type = "Array<number>"))]
    pub steps: Vec<i64>,
    /// The number of records to delete permanently, typed by the user. It is the sum of the counts of the steps.
    pub typed_count: u64,
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct TrashPurged {
    pub purged: u64,
}

pub fn trash_purge(app: &App, by: &Actor, request: TrashPurge) -> Result<TrashPurged, CommandError> {
    let purged = history::purge_typed(&app.core()?, by, &request.steps, request.typed_count)?;
    Ok(TrashPurged { purged })
}
