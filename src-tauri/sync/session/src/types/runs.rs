//! Defines what the UI receives about runs, their steps and the audit record.

use roost_model::time::Timestamp;
use serde::Serialize;

use super::{PlanLine, PlanStepState, RecordKey, RunState, SyncList, SyncValue};

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct RunSummary {
    pub id: i64,
    pub plan: i64,
    pub state: RunState,
    pub started_at: Timestamp,
    pub ended_at: Option<Timestamp>,
    /// The reason for which the run waits or ended early.
    pub why: Option<String>,
    pub step_count: u64,
    pub rows: u64,
    pub requests: u64,
    pub refused: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct RunStep {
    #[serde(flatten)]
    #[cfg_attr(feature = "ts", ts(flatten))]
    pub step: PlanLine,
    /// The least settled state of the steps in this line.
    pub state: PlanStepState,
    /// The number of settled steps in this line.
    pub settled: u64,
    pub reason: Option<String>,
    pub requests: u64,
    pub trace_id: Option<String>,
}

/// The numbers of contacts, phone numbers and single records by state.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct RunCounts {
    pub waiting: u64,
    pub sent: u64,
    pub accepted: u64,
    pub verified: u64,
    pub rejected: u64,
    pub uncertain: u64,
    pub cancelled: u64,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct RunLane {
    pub operation: String,
    pub calls_per_second: f64,
    pub done: u64,
    pub total: u64,
    pub in_flight: u32,
    /// The time that the lane still waits because it was throttled.
    pub waits_ms: Option<u64>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct RunDetails {
    #[serde(flatten)]
    #[cfg_attr(feature = "ts", ts(flatten))]
    pub run: RunSummary,
    /// Whether this program works on the run right now.
    pub is_at_work: bool,
    pub steps: Vec<RunStep>,
    pub counts: RunCounts,
    pub lanes: Vec<RunLane>,
    /// The title of the current step.
    pub current: Option<String>,
    pub rows_per_second: Option<f64>,
    pub seconds_left: Option<u64>,
}

/// A request of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct RunAttempt {
    pub id: i64,
    pub step: u32,
    pub operation: String,
    pub began_at: Timestamp,
    pub ended_at: Option<Timestamp>,
    pub verdict: Option<String>,
    pub status: Option<u16>,
    pub code: Option<String>,
    pub trace_id: Option<String>,
    pub body_hash: String,
}

/// The effect of undoing a run: local edits, which are planned and pushed like any others.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct RunUndoSummary {
    pub count: u64,
    /// The losses that cannot be repaired, in words; the first hundred.
    pub lost: Vec<String>,
    pub lost_count: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct RefusedFault {
    pub field: Option<String>,
    pub message: String,
    pub advice: String,
}

/// A record that the service refused.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct RefusedRow {
    pub key: RecordKey,
    pub uid: Option<String>,
    pub title: String,
    pub list: Option<SyncList>,
    pub run: i64,
    /// The present local values.
    pub values: Vec<SyncValue>,
    pub faults: Vec<RefusedFault>,
    /// Whether the record was changed since, so that the next plan sends it.
    pub is_mended: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct RefusedPage {
    pub total: u64,
    pub rows: Vec<RefusedRow>,
}

/// An effect on the service.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct AuditRow {
    pub seq: u64,
    /// The time at which the run began.
    pub at: Option<Timestamp>,
    pub run: Option<i64>,
    pub operation: String,
    pub effect: String,
    pub seal: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct AuditPage {
    pub total: u64,
    /// Whether every entry matches the seal of the next.
    pub is_sound: bool,
    pub broken_at: Option<u64>,
    /// Newest first.
    pub rows: Vec<AuditRow>,
}
