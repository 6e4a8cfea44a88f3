//! Commands on the past of an account: jobs, the timeline, undo and the trash.

pub mod activity;
pub mod history;
pub mod job;

use roost_model::time::Timestamp;
use roost_ops::{
    ActorKind, Noun,
    history::{self as past, ChangeAction, ChangeLogEntry, EventKind, FieldChange, RecordChange, StepState},
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
    pub state: UndoStepStatus,
    /// The step that this one undid, redid or restored.
    pub of: Option<i64>,
    /// The kind of the records that it moved to the trash.
    pub trash: Option<Noun>,
    /// Whether its rows are still stored, so that it can be undone or restored.
    pub is_remembered: bool,
}

#[derive(Debug, Clone, Copy, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum UndoStepStatus {
    Done,
    Undone,
    /// Undone, and something else was done after that.
    Dropped,
    /// Only recorded in the timeline. It cannot be undone.
    Note,
}

impl From<past::UndoStep> for UndoStepEntry {
    fn from(step: past::UndoStep) -> Self {
        let past::UndoStep { id, at, source, act, subject, uid, count, reason, state, of, trash, rows } = step;
        let state = match state {
            StepState::Done => UndoStepStatus::Done,
            StepState::Undone => UndoStepStatus::Undone,
            StepState::Dropped => UndoStepStatus::Dropped,
            StepState::Note => UndoStepStatus::Note,
        };
        Self { id, at, source, act, subject, uid, count, reason, state, of, trash, is_remembered: rows.is_some() }
    }
}

/// One line of what a step changed.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct UndoStepChange {
    pub noun: Noun,
    pub action: ChangeAction,
    pub uid: Option<String>,
    pub count: u64,
}

impl From<ChangeLogEntry> for UndoStepChange {
    fn from(ChangeLogEntry { noun, action, uid, count }: ChangeLogEntry) -> Self {
        Self { noun, action, uid, count }
    }
}

/// One change of one record.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct RecordEvent {
    pub at: Timestamp,
    pub source: ActorKind,
    pub step: i64,
    pub act: String,
    pub kind: ChangeAction,
    pub fields: Vec<RecordField>,
}

/// The value of a field before and after. Null stands for a blank value.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct RecordField {
    pub field: String,
    pub before: Option<String>,
    pub after: Option<String>,
}

impl From<RecordChange> for RecordEvent {
    fn from(RecordChange { at, source, step, act, kind, fields }: RecordChange) -> Self {
        let kind = match kind {
            EventKind::Created => ChangeAction::Created,
            EventKind::Updated => ChangeAction::Updated,
            EventKind::Deleted => ChangeAction::Deleted,
        };
        let fields =
            fields.into_iter().map(|FieldChange { field, before, after }| RecordField { field, before, after });
        Self { at, source, step, act, kind, fields: fields.collect() }
    }
}
