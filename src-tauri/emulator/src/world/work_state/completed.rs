//! The work that ran while a clock was moved.

use roost_model::time::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

/// What ran by itself, and when on the world's clock.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) struct CompletedWork {
    #[schemars(extend("format" = "date-time"))]
    pub at: String,
    #[schemars(extend("enum" = ["job", "callback"]))]
    pub what: &'static str,
    /// For a job: its number. For a callback: the number of its job.
    pub job: i64,
    /// For a callback: its number.
    pub callback: Option<i64>,
    /// For a callback: the number of the attempt.
    pub attempt: Option<u32>,
    /// For a callback: the receiver's status. Null: no response came.
    pub status: Option<u16>,
}

impl CompletedWork {
    pub(crate) fn for_job(at: Timestamp, job: i64) -> Self {
        Self { at: at.to_iso(), what: "job", job, callback: None, attempt: None, status: None }
    }

    pub(crate) fn for_callback(at: Timestamp, job: i64, callback: i64, attempt: u32, status: Option<u16>) -> Self {
        let (callback, attempt) = (Some(callback), Some(attempt));
        Self { at: at.to_iso(), what: "callback", job, callback, attempt, status }
    }
}
