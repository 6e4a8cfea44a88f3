//! Commands on the past of an account: jobs, the timeline, undo and the trash.

pub mod activity;
pub mod history;
pub mod job;

use roost_model::time::Timestamp;
use roost_ops::{
    Noun, Source,
    history::{self as past, Action, Change, EventKind, FieldChange, RecordChange, StepState},
};
use serde::Serialize;

/// One act as the timeline shows it.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Step {
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub id: i64,
    pub at: Timestamp,
    pub source: Source,
    /// The name of a command, or `<noun>_<action>`.
    pub act: String,
    /// The name of the record that it changed.
    pub subject: Option<String>,
    pub uid: Option<String>,
    /// The number of records that it changed.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub count: u64,
    pub reason: Option<String>,
    pub state: StepStanding,
    /// The step that this one undid, redid or restored.
    #[cfg_attr(feature = "ts", ts(type = "number | null"))]
    pub of: Option<i64>,
    /// The kind of the records that it moved to the trash.
    pub trash: Option<Noun>,
    /// Whether its rows are still stored, so that it can be undone or restored.
    pub is_remembered: bool,
}

#[derive(Debug, Clone, Copy, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum StepStanding {
    Done,
    Undone,
    /// Undone, and something else was done after that.
    Dropped,
    /// Only recorded in the timeline. It cannot be undone.
    Note,
}

impl From<past::Step> for Step {
    fn from(step: past::Step) -> Self {
        let past::Step { id, at, source, act, subject, uid, count, reason, state, of, trash, rows } = step;
        let state = match state {
            StepState::Done => StepStanding::Done,
            StepState::Undone => StepStanding::Undone,
            StepState::Dropped => StepStanding::Dropped,
            StepState::Note => StepStanding::Note,
        };
        Self { id, at, source, act, subject, uid, count, reason, state, of, trash, is_remembered: rows.is_some() }
    }
}

/// One line of what a step changed.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct StepChange {
    pub noun: Noun,
    pub action: Action,
    pub uid: Option<String>,
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub count: u64,
}

impl From<Change> for StepChange {
    fn from(Change { noun, action, uid, count }: Change) -> Self {
        Self { noun, action, uid, count }
    }
}

/// One change of one record.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct RecordEvent {
    pub at: Timestamp,
    pub source: Source,
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub step: i64,
    pub act: String,
    pub kind: Action,
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
            EventKind::Created => Action::Created,
            EventKind::Updated => Action::Updated,
            EventKind::Deleted => Action::Deleted,
        };
        let fields =
            fields.into_iter().map(|FieldChange { field, before, after }| RecordField { field, before, after });
        Self { at, source, step, act, kind, fields: fields.collect() }
    }
}
