//! Contact jobs: the request, and the result of every contact in it.

use serde::{Deserialize, Serialize};

use crate::{contact::MergeType, id::ListId, time::Timestamp};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum JobState {
    Queued,
    Done,
}

crate::variant_names! { pub JobState { Queued = "queued", Done = "done" } }

/// The result of one contact of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum JobContactOutcome {
    Imported,
    Merged,
    Skipped,
    Failed,
}

impl JobContactOutcome {
    pub const ALL: [Self; 4] = [Self::Imported, Self::Merged, Self::Skipped, Self::Failed];

    pub fn code(self) -> u8 {
        self as u8
    }

    pub fn from_code(code: u8) -> Option<Self> {
        Self::ALL.get(usize::from(code)).copied()
    }
}

/// Totals of a finished job. One contact may be merged into several records, so `merged` can exceed the number of
/// contacts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct JobTotals {
    /// Records that were created.
    pub imported: u32,
    /// Records that were updated, each counted once.
    pub merged: u32,
    /// Contacts that were left out as duplicates.
    pub skipped: u32,
    /// Contacts that were not stored because the list no longer exists.
    pub failed: u32,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Job {
    pub id: i64,
    pub list_id: ListId,
    pub list_name: String,
    pub merge_type: MergeType,
    pub callback_url: Option<String>,
    pub correlation_id: Option<String>,
    pub contacts: u32,
    pub state: JobState,
    pub totals: JobTotals,
    pub queued_at: Timestamp,
    pub finished_at: Option<Timestamp>,
}
