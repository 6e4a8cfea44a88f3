//! The tables settings, about the account itself, and ui_state, for what a page wants to find again.

use rusqlite::{Connection, params};

use crate::{
    error::Result,
    tx::{ReadTx, WriteTx},
};

pub fn get(tx: &ReadTx, key: &str) -> Result<Option<String>> {
    tx.find_value("SELECT value FROM settings WHERE key = ?1", [key])
}

pub fn set(tx: &WriteTx, key: &str, value: &str) -> Result<()> {
    tx.execute_sql(
        "INSERT INTO settings (key, value) VALUES (?1, ?2) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
        [key, value],
    )?;
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

/// The state that says which step the last restore from a copy was, and how the copy of what it replaced is named.
const LAST_RESTORE: &str = "restore.last";

/// The last restore of an account from a copy.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LastRestore {
    /// Its step, or 0 before the first restore. Undo does not reach below it.
    pub step: i64,
    /// The file name of the copy of what was there before.
    pub replaced_copy: Option<String>,
}

pub fn last_restore(tx: &ReadTx) -> Result<LastRestore> {
    let Some(state) = ui_state(tx, LAST_RESTORE)? else { return Ok(LastRestore::default()) };
    let (step, copy) = state.split_once(' ').unwrap_or((&state, ""));
    let replaced_copy = (!copy.is_empty()).then(|| copy.to_owned());
    Ok(LastRestore { step: step.parse().unwrap_or_default(), replaced_copy })
}

pub fn set_last_restore(tx: &WriteTx, replaced_copy: Option<&str>) -> Result<()> {
    let state = format!("{} {}", tx.step(), replaced_copy.unwrap_or_default());
    set_ui_state(tx, LAST_RESTORE, Some(&state))
}

/// Returns when the file of the account was created. Its copies have the same time, and other accounts another one.
pub fn creation_time(tx: &ReadTx) -> Result<Option<String>> {
    tx.find_value("SELECT applied_on FROM refinery_schema_history ORDER BY version LIMIT 1", [])
}

/// Lets the content of an image count as that of the account that it is about to replace.
pub(crate) fn set_creation_time(conn: &Connection, at: Option<&str>) -> Result<()> {
    let first = "version = (SELECT min(version) FROM refinery_schema_history)";
    conn.execute(
        &format!("UPDATE refinery_schema_history SET applied_on = coalesce(?1, applied_on) WHERE {first}"),
        [at],
    )?;
    Ok(())
}

pub fn ui_state(tx: &ReadTx, key: &str) -> Result<Option<String>> {
    tx.find_value("SELECT value FROM ui_state WHERE key = ?1", [key])
}

/// Counts the keys other than this one.
pub fn count_other_ui_states(tx: &ReadTx, key: &str) -> Result<u64> {
    let count: i64 = tx.read_value("SELECT count(*) FROM ui_state WHERE key <> ?1", [key])?;
    Ok(count as u64)
}

pub fn set_ui_state(tx: &WriteTx, key: &str, value: Option<&str>) -> Result<()> {
    match value {
        Some(value) => tx.execute_sql(
            "INSERT INTO ui_state (key, value) VALUES (?1, ?2)
             ON CONFLICT (key) DO UPDATE SET value = excluded.value",
            params![key, value],
        )?,
        None => tx.execute_sql("DELETE FROM ui_state WHERE key = ?1", [key])?,
    };
    Ok(())
}
