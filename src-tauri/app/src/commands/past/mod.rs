//! What was done: jobs, the time line, undoing and the trash.

pub mod activity;
pub mod history;
pub mod job;

use roost_model::time::Timestamp;
use roost_ops::{
    Noun, Source,
    history::{self as past, Action, Change, EventKind, FieldChange, RecordChange, StepState},
};
use serde::Serialize;

/// One act, as it stands in the time line.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Step {
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub id: i64,
    pub at: Timestamp,
    pub source: Source,
    /// A command's name, or `<noun>_<action>`.
    pub act: String,
    /// What it was done to, by name.
    pub subject: Option<String>,
    pub uid: Option<String>,
    /// How many things it was done to.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub count: u64,
    pub reason: Option<String>,
    pub state: StepStanding,
    /// The step that was undone, redone or restored by it.
    #[cfg_attr(feature = "ts", ts(type = "number | null"))]
    pub of: Option<i64>,
    /// The noun it put into the trash.
    pub trash: Option<Noun>,
    /// Its rows are still remembered: it can be undone, or brought back.
    pub is_remembered: bool,
}

#[derive(Debug, Clone, Copy, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum StepStanding {
    Done,
    Undone,
    /// Undone, and then something else was done.
    Dropped,
    /// Told only.
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

/// One field before and after; nothing where it was empty.
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
