//! Commands on the service of an account: connecting, pulling, reviewing, planning, sending.

pub(super) mod changes;
pub(super) mod conflicts;
pub(super) mod connection;
pub(super) mod plan;
pub(super) mod runs;
#[cfg(test)]
mod tests;
pub(super) mod work;

use roost_model::error::{ErrorCode, FieldError};
use roost_sync::SyncError;
use roost_sync_session::SessionError;
use serde::Serialize;

use crate::{error::CommandError, reading::check_count};

/// The maximum number of rows that a page can request at once.
const ROWS_MAX: u32 = 200;

/// The number of records that a command changed.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(super) struct SyncCount {
    pub count: u64,
}

/// The number of conflicts that still need an answer.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(super) struct SyncLeft {
    pub left: u64,
}

fn check_row_count(count: u32) -> Result<u32, CommandError> {
    check_count("count", count as usize, ROWS_MAX as usize)?;
    Ok(count)
}

impl From<SessionError> for CommandError {
    fn from(refusal: SessionError) -> Self {
        let message = refusal.to_string();
        match refusal {
            SessionError::Invalid(faults) => Self::invalid(faults),
            SessionError::Failed(SyncError::Account(why)) => why.into(),
            SessionError::Failed(SyncError::Gate(_)) => {
                FieldError::new("typed", message, serde_json::Value::Null).into()
            }
            SessionError::Unknown | SessionError::Failed(SyncError::Unknown) => Self::new(ErrorCode::NotFound, message),
            _ => Self::new(ErrorCode::Conflict, message),
        }
    }
}
