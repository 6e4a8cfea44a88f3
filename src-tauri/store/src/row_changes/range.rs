//! Records many new rows with consecutive keys as one row.

use rusqlite::{OptionalExtension, params, types::ValueRef};

use super::{INSERTED_RANGE, create_triggers, drop_triggers, row_encoding, tracked_tables::TrackedTable};
use crate::{error::Result, tx::WriteTx};

/// A range of rows that is being inserted. While it lives, the rows of its table are not recorded one by one. The
/// caller must [end](Self::end) it; if the transaction fails before that, the rollback restores the triggers.
pub struct InsertedRange<'t, 'c> {
    tx: &'t WriteTx<'c>,
    place: &'static TrackedTable,
    first: i64,
}

impl<'t, 'c> InsertedRange<'t, 'c> {
    /// Begins a range of a table whose keys are assigned by `AUTOINCREMENT`.
    pub fn begin(tx: &'t WriteTx<'c>, place: &'static TrackedTable) -> Result<Self> {
        drop_triggers(tx.conn(), place)?;
        Ok(Self { tx, place, first: last_key(tx, place)? + 1 })
    }

    /// Records the range and returns the number of its rows.
    pub fn end(self) -> Result<u64> {
        let Self { tx, place, first } = self;
        create_triggers(tx.conn(), place)?;
        let count = last_key(tx, place)? + 1 - first;
        if count > 0 {
            tx.conn()
                .prepare_cached("INSERT INTO row_changes (step, place, kind, key, data) VALUES (?1, ?2, ?3, ?4, ?5)")?
                .execute(params![tx.step(), place.number, INSERTED_RANGE, first, encode_count(count)])?;
        }
        Ok(count as u64)
    }
}

fn last_key(tx: &WriteTx, place: &TrackedTable) -> Result<i64> {
    let mut statement = tx.conn().prepare_cached("SELECT seq FROM sqlite_sequence WHERE name = ?1")?;
    Ok(statement.query_row([place.table], |row| row.get(0)).optional()?.unwrap_or(0))
}

pub fn encode_count(count: i64) -> Vec<u8> {
    row_encoding::encode_row(std::iter::once(ValueRef::Integer(count)))
}

/// Returns the number of rows in a range, or 0 when its data is damaged.
pub fn decode_count(data: &[u8]) -> i64 {
    match row_encoding::read_row(data).as_deref() {
        Some([rusqlite::types::Value::Integer(count)]) => *count,
        _ => 0,
    }
}
