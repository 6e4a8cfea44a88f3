//! Records many new rows with consecutive keys as one row.

use rusqlite::{Connection, OptionalExtension, params, types::ValueRef};

use super::{INSERTED_RANGE, create_triggers, drop_triggers, row_encoding, tracked_tables::TrackedTable};
use crate::error::Result;

/// A range of rows that is being inserted. While it lives, the rows of its table are not recorded one by one. The
/// caller must [end](Self::end) it; if the transaction fails before that, the rollback restores the triggers.
pub(crate) struct InsertedRange<'t> {
    conn: &'t Connection,
    step: i64,
    place: &'static TrackedTable,
    first: i64,
}

impl<'t> InsertedRange<'t> {
    /// Begins a range of this step in a table whose keys are assigned by `AUTOINCREMENT`.
    pub(crate) fn begin(conn: &'t Connection, step: i64, place: &'static TrackedTable) -> Result<Self> {
        drop_triggers(conn, place)?;
        Ok(Self { conn, step, place, first: last_key(conn, place)? + 1 })
    }

    /// Records the range and returns the number of its rows.
    pub(crate) fn end(self) -> Result<u64> {
        let Self { conn, step, place, first } = self;
        create_triggers(conn, place)?;
        let count = last_key(conn, place)? + 1 - first;
        if count > 0 {
            conn.prepare_cached("INSERT INTO row_changes (step, place, kind, key, data) VALUES (?1, ?2, ?3, ?4, ?5)")?
                .execute(params![step, place.number, INSERTED_RANGE, first, encode_count(count)])?;
        }
        Ok(count as u64)
    }
}

fn last_key(conn: &Connection, place: &TrackedTable) -> Result<i64> {
    let mut statement = conn.prepare_cached("SELECT seq FROM sqlite_sequence WHERE name = ?1")?;
    Ok(statement.query_row([place.table], |row| row.get(0)).optional()?.unwrap_or(0))
}

pub(crate) fn encode_count(count: i64) -> Vec<u8> {
    row_encoding::encode_row(std::iter::once(ValueRef::Integer(count)))
}

/// Returns the number of rows in a range, or 0 when its data is damaged.
pub(crate) fn decode_count(data: &[u8]) -> i64 {
    match row_encoding::read_row(data).as_deref() {
        Some([rusqlite::types::Value::Integer(count)]) => *count,
        _ => 0,
    }
}
