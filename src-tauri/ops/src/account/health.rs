//! Examines an account file for a report on its health, open in another process or not. Nothing is changed, and nothing
//! that is returned is a value of a record.

use std::path::Path;

use roost_store::upkeep::health;

pub use roost_store::{
    tables::sync::runs::RunState,
    upkeep::health::{FileFacts, TableCounts, WaitingWork},
};

use crate::error::Result;

/// Returns what the system knows about an account file: its companions, who holds it, its room.
pub fn read_file_facts(path: &Path) -> Result<FileFacts> {
    Ok(health::read_file_facts(path)?)
}

/// Counts what waits in an account: runs, questions, drafts, jobs, imports.
pub fn count_waiting_work(path: &Path) -> Result<WaitingWork> {
    Ok(health::count_waiting_work(path)?)
}

/// Counts the rows of every table that this program knows.
pub fn count_tables(path: &Path) -> Result<TableCounts> {
    Ok(health::count_tables(path)?)
}
