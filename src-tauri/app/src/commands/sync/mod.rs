//! Commands on the service of an account: connecting, pulling, reviewing, planning, sending.

pub mod changes;
pub mod conflicts;
pub mod connection;
pub mod plan;
pub mod runs;
pub mod standing;
#[cfg(test)]
mod tests;

use roost_model::error::{ErrorCode, Fault};
use roost_sync::{
    Failed,
    session::{Refusal, Session},
};
use serde::{Deserialize, Serialize};

use crate::{accounts::App, error::CommandError};

/// The maximum number of rows that a page can request at once.
const ROWS_MAX: u32 = 200;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct SyncNothing {}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct SyncDone {}

/// The number of records that a command changed.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct SyncCount {
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub count: u64,
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct SyncLeft {
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub left: u64,
}

fn session(app: &App) -> Result<Session, CommandError> {
    app.sync()
}

fn rows(count: u32) -> Result<u32, CommandError> {
    if count <= ROWS_MAX {
        return Ok(count);
    }
    Err(CommandError::invalid(vec![Fault::new("count", format!("Give at most {ROWS_MAX} at once."), count)]))
}

impl From<Refusal> for CommandError {
    fn from(refusal: Refusal) -> Self {
        let told = refusal.to_string();
        match refusal {
            Refusal::Invalid(faults) => Self::invalid(faults),
            Refusal::Failed(Failed::Account(why)) => why.into(),
            Refusal::Failed(Failed::Gate(_)) => Self::invalid(vec![Fault::new("typed", told, serde_json::Value::Null)]),
            Refusal::Unknown | Refusal::Failed(Failed::Unknown) => Self::new(ErrorCode::NotFound, told),
            _ => Self::new(ErrorCode::Conflict, told),
        }
    }
}
