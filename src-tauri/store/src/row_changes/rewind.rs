//! Rewinds an account to the state after one of its steps by reversing every later step, whoever made it. This is only
//! for a copy that is read and discarded, because nobody's later work is protected.

use rusqlite::params;

use super::{
    restore::{ReversalRecord, restore_range, restore_row, restore_updates},
    reversal::{self, RecordedChange, TableColumns},
};
use crate::{
    error::Result,
    row_recorder::{DELETED, ERASED_ROW, INSERTED, INSERTED_RANGE, SWAPPED_IN_PLACE, UPDATED, last_row},
    tx::WriteTx,
};

/// Reverses every step after `to`. Returns false if the rows of a later step are no longer recorded; the copy is then
/// useless.
pub fn rewind_to(tx: &WriteTx, to: i64) -> Result<bool> {
    let conn = tx.conn();
    if !is_remembered(tx, to)? {
        return Ok(false);
    }
    // These triggers refuse the removal of opt-outs and log their changes.
    conn.execute_batch("DROP TRIGGER opt_outs_stay; DROP TRIGGER opt_outs_come; DROP TRIGGER opt_outs_go;")?;
    let steps: Vec<(i64, i64, i64)> = conn
        .prepare("SELECT id, first_row, last_row FROM steps WHERE id > ?1 AND first_row IS NOT NULL ORDER BY id DESC")?
        .query_map([to], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?
        .collect::<rusqlite::Result<_>>()?;
    let mut columns = TableColumns::default();
    for (step, first, last) in steps {
        reversal::visit_rows(tx, step, first, last, |visited| {
            let row = match visited {
                RecordedChange::Row(row) => row,
                RecordedChange::DeletedRange(run) => {
                    return restore_range(tx, &run, columns.get_or_read(conn, run.place)?).map(drop);
                }
                RecordedChange::Updates(place, rows) => {
                    let rows = (&*rows, ReversalRecord::Appended);
                    return restore_updates(tx, place, columns.get_or_read(conn, place)?, rows, |_, _| Ok(()))
                        .map(drop);
                }
            };
            let Some(place) = row.place else { return Ok(()) };
            match row.kind {
                INSERTED => {
                    let key_values = Some(row.data()).filter(|data| !data.is_empty());
                    reversal::remove_row(conn, place, &row.key, key_values)?;
                }
                INSERTED_RANGE => {
                    reversal::remove_range(conn, place, row.range())?;
                }
                UPDATED => {
                    reversal::restore_columns(conn, place, columns.get_or_read(conn, place)?, &row)?;
                }
                DELETED => {
                    restore_row(conn, place, columns.get_or_read(conn, place)?, row.data())?;
                }
                _ => {}
            }
            Ok(())
        })?;
    }
    Ok(true)
}

/// Returns whether every row that changed since is recorded. Rows are numbered one by one, and the oldest are forgotten
/// first. Rows that an undo swapped in place do not record what it undid.
fn is_remembered(tx: &WriteTx, to: i64) -> Result<bool> {
    let conn = tx.conn();
    let before: i64 = conn
        .prepare("SELECT coalesce(max(id), 0) FROM row_changes WHERE step <= ?1")?
        .query_row(params![to], |row| row.get(0))?;
    let since: i64 = conn
        .prepare("SELECT count(*) FROM row_changes WHERE id > ?1 AND kind NOT IN (?2, ?3)")?
        .query_row(params![before, ERASED_ROW, SWAPPED_IN_PLACE], |row| row.get(0))?;
    Ok(since == last_row(conn)? - before)
}
