//! Commands on the past of an account: jobs, the timeline, undo and the trash.

pub mod activity;
pub mod history;
pub mod job;

use roost_model::time::Timestamp;
use roost_ops::{
    ActorKind, Noun,
    history::{self as past, StepState},
};
use serde::Serialize;

/// One act as the timeline shows it.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct UndoStepEntry {
    pub id: i64,
    pub at: Timestamp,
    pub source: ActorKind,
    /// The name of a command, or `<noun>_<action>`.
    pub act: String,
    /// The name of the record that it changed.
    pub subject: Option<String>,
    pub uid: Option<String>,
    /// The number of records that it changed.
    pub count: u64,
    pub reason: Option<String>,
    pub state: StepState,
    /// The step that this one undid, redid or restored.
    pub of: Option<i64>,
    /// The kind of the records that it moved to the trash.
    pub trash: Option<Noun>,
    /// Whether its rows are still stored, so that it can be undone or restored.
    pub is_remembered: bool,
}

impl From<past::UndoStep> for UndoStepEntry {
    fn from(step: past::UndoStep) -> Self {
        let past::UndoStep { id, at, source, act, subject, uid, count, reason, state, of, trash, rows } = step;
        Self { id, at, source, act, subject, uid, count, reason, state, of, trash, is_remembered: rows.is_some() }
    }
}
