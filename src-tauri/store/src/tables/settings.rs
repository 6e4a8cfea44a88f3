//! The tables settings, about the account itself, and ui_state, for what a page wants to find again.

use rusqlite::{OptionalExtension, params};

use crate::{
    error::Result,
    tx::{ReadTx, WriteTx},
};

pub fn get(tx: &ReadTx, key: &str) -> Result<Option<String>> {
    Ok(tx.read_value("SELECT value FROM settings WHERE key = ?1", [key]).optional()?)
}

pub fn set(tx: &WriteTx, key: &str, value: &str) -> Result<()> {
    tx.conn()
        .prepare_cached(
            "INSERT INTO settings (key, value) VALUES (?1, ?2) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
        )?
        .execute([key, value])?;
    Ok(())
}

/// The state that says when an erasure was done whose traces are still in unused parts of the file.
const UNFINISHED_ERASURE: &str = "erasure.unfinished";

/// Returns the time of an erasure after which the file has not been rewritten.
pub fn unfinished_erasure(tx: &ReadTx) -> Result<Option<String>> {
    ui_state(tx, UNFINISHED_ERASURE)
}

pub fn set_unfinished_erasure(tx: &WriteTx, at: Option<&str>) -> Result<()> {
    set_ui_state(tx, UNFINISHED_ERASURE, at)
}

pub fn ui_state(tx: &ReadTx, key: &str) -> Result<Option<String>> {
    Ok(tx.read_value("SELECT value FROM ui_state WHERE key = ?1", [key]).optional()?)
}

/// Counts the keys other than this one.
pub fn count_other_ui_states(tx: &ReadTx, key: &str) -> Result<u64> {
    let count: i64 = tx.read_value("SELECT count(*) FROM ui_state WHERE key <> ?1", [key])?;
    Ok(count as u64)
}

pub fn set_ui_state(tx: &WriteTx, key: &str, value: Option<&str>) -> Result<()> {
    match value {
        Some(value) => tx
            .conn()
            .prepare_cached(
                "INSERT INTO ui_state (key, value) VALUES (?1, ?2)
                 ON CONFLICT (key) DO UPDATE SET value = excluded.value",
            )?
            .execute(params![key, value])?,
        None => tx.conn().prepare_cached("DELETE FROM ui_state WHERE key = ?1")?.execute([key])?,
    };
    Ok(())
}
