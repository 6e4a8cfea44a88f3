//! The changes table: the change log, which names what each step changed.

use roost_model::time::Timestamp;
use rusqlite::params;

use crate::{
    change_log::{ActorKind, ChangeAction, ChangeLogEntry, Noun},
    error::Result,
    tables::parse_stored,
    tx::{ReadTx, WriteTx},
};

/// Lines that a database in memory keeps. A file keeps all of them.
pub(crate) const LINES_IN_MEMORY: i64 = 10_000;

/// Writes the collected changes and returns the number of the last line.
pub(crate) fn append_changes(
    tx: &WriteTx,
    at: Timestamp,
    source: ActorKind,
    changes: &[ChangeLogEntry],
    keep_all: bool,
) -> Result<i64> {
    let mut insert = tx.conn().prepare_cached(
        "INSERT INTO changes (at, source, noun, action, uid, count, step) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
    )?;
    let mut seq = 0;
    for change in changes {
        insert.execute(params![
            at.unix(),
            source.as_str(),
            change.noun.as_str(),
            change.action.as_str(),
            change.uid,
            change.count as i64,
            tx.step()
        ])?;
        seq = tx.conn().last_insert_rowid();
    }
    if !keep_all && seq % 1_000 < changes.len() as i64 {
        tx.execute_sql("DELETE FROM changes WHERE seq < ?1", [seq - LINES_IN_MEMORY])?;
    }
    Ok(seq)
}

/// Returns the number of the last line, or 0 when the log is empty.
pub fn last_seq(tx: &ReadTx) -> Result<i64> {
    tx.read_value("SELECT coalesce(max(seq), 0) FROM changes", [])
}

/// Returns the last line as text, or nothing when the log is empty. It contains the time of the change, because a restored
/// account gives the same numbers again.
pub(crate) fn read_last_line(tx: &ReadTx) -> Result<Option<String>> {
    let line =
        "SELECT concat_ws(' ', seq, at, source, noun, action, uid, count) FROM changes ORDER BY seq DESC LIMIT 1";
    tx.find_value(line, [])
}

/// Returns the changes of a step in the order in which they were recorded.
pub fn read_step_changes(tx: &ReadTx, step: i64) -> Result<Vec<ChangeLogEntry>> {
    tx.read_rows("SELECT noun, action, uid, count FROM changes WHERE step = ?1 ORDER BY seq", [step], |row| {
        let (noun, action): (String, String) = (row.get(0)?, row.get(1)?);
        Ok(ChangeLogEntry {
            noun: parse_stored(0, Noun::parse(&noun), &noun)?,
            action: parse_stored(1, ChangeAction::parse(&action), &action)?,
            uid: row.get(2)?,
            count: row.get::<_, i64>(3)? as u64,
        })
    })
}
