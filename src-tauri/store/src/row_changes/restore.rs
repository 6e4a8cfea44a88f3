//! Restores deleted rows and changed values, one by one or many at once.

use rusqlite::{CachedStatement, Connection, OptionalExtension, params, types::ToSqlOutput};

use super::reversal::{RecordedRow, RestoredColumns, read_chunk, restore_columns};
use crate::{
    error::Result,
    row_recorder::{
        DELETED, INSERTED, UPDATED, create_triggers, drop_triggers, row_encoding, tracked_tables::TrackedTable,
    },
    tx::WriteTx,
};

/// Restores a deleted row. A row whose key is in use again is left out.
pub(super) fn restore_row(conn: &Connection, place: &TrackedTable, columns: &[String], image: &[u8]) -> Result<bool> {
    RowRestorer { conn, place, columns, insert: None }.restore_row(image)
}

/// Restores rows of one table. The statement is reused as long as the rows have the same number of values.
struct RowRestorer<'a> {
    conn: &'a Connection,
    place: &'a TrackedTable,
    columns: &'a [String],
    insert: Option<(usize, CachedStatement<'a>)>,
}

impl RowRestorer<'_> {
    fn restore_row(&mut self, image: &[u8]) -> Result<bool> {
        let Some(values) = row_encoding::borrow_row(image).filter(|values| values.len() <= self.columns.len()) else {
            return Ok(false);
        };
        let insert = self.insert.take().filter(|(width, _)| *width == values.len());
        let (_, insert) = self.insert.insert(match insert {
            Some(same) => same,
            None => {
                let sql = insert_sql(self.place, &self.columns[..values.len()]);
                (values.len(), self.conn.prepare_cached(&sql)?)
            }
        });
        for (at, value) in values.into_iter().enumerate() {
            insert.raw_bind_parameter(at + 1, ToSqlOutput::Borrowed(value))?;
        }
        Ok(insert.raw_execute()? > 0)
    }
}

fn insert_sql(place: &TrackedTable, columns: &[String]) -> String {
    let places: Vec<String> = (1..=columns.len()).map(|n| format!("?{n}")).collect();
    let conflict = if place.skips_conflicts { String::new() } else { format!("({}) ", place.key.join(", ")) };
    format!(
        "INSERT INTO {} ({}) VALUES ({}) ON CONFLICT {conflict}DO NOTHING",
        place.table,
        columns.join(", "),
        places.join(", ")
    )
}

/// Many rows of one table that were deleted one after the other, as rows `first..=last` of a step record.
pub(super) struct DeletedRange {
    pub place: &'static TrackedTable,
    step: i64,
    pub first: i64,
    pub last: i64,
}

impl DeletedRange {
    /// Finds the deleted range with which `rows` end. `rows` begin with the last one, and the range may begin before
    /// them.
    pub(super) fn at_end(conn: &Connection, step: i64, first: i64, rows: &[RecordedRow]) -> Result<Option<Self>> {
        let Some((lowest, place)) = rows.last().and_then(|row| Some((row, row.place?))) else { return Ok(None) };
        let is_in = |row: &&RecordedRow| row.kind == DELETED && row.place == lowest.place;
        let length = rows.iter().rev().take_while(is_in).count();
        if length < RANGE_MIN || !place.comes_in_ranges {
            return Ok(None);
        }
        let before = conn
            .prepare_cached(
                "SELECT id FROM row_changes WHERE id >= ?1 AND id < ?2 AND step = ?3 AND (place <> ?4 OR kind <> ?5)
                 ORDER BY id DESC LIMIT 1",
            )?
            .query_row(params![first, lowest.id, step, place.number, DELETED], |row| row.get(0))
            .optional()?;
        let first = before.map_or(first, |before: i64| before + 1);
        Ok(Some(Self { place, step, first, last: rows[rows.len() - length].id }))
    }
}

/// A shorter range is not worth the change of triggers.
pub(super) const RANGE_MIN: usize = 100;

/// Restores the rows of a range in the order of their keys, which is fastest. Returns how many rows there are and how
/// many were restored.
pub(super) fn restore_range(tx: &WriteTx, run: &DeletedRange, columns: &[String]) -> Result<(u64, u64)> {
    let conn = tx.conn();
    let mut returning = RowRestorer { conn, place: run.place, columns, insert: None };
    let (mut wanted, mut done) = (0, 0);
    // The restored rows are recorded chunk by chunk instead of one by one.
    drop_triggers(conn, run.place)?;
    let remember = |first: i64, last: i64| {
        tx.execute_sql(
            "INSERT INTO row_changes (step, place, kind, key)
             SELECT roost_step(), place, ?1, key FROM row_changes WHERE id BETWEEN ?2 AND ?3 AND step = ?4 ORDER BY id",
            params![INSERTED, first, last, run.step],
        )
    };
    let mut from = run.first;
    while from <= run.last {
        let rows = read_chunk(conn, run.step, (from, run.last), "ASC")?;
        for row in &rows {
            tx.check_cancelled()?;
            wanted += 1;
            if returning.restore_row(row.data())? {
                done += 1;
            } else {
                remember(from, row.id - 1)?;
                from = row.id + 1;
            }
        }
        let last = rows.last().map_or(run.last, |row| row.id);
        remember(from, last)?;
        from = last + 1;
    }
    create_triggers(conn, run.place)?;
    Ok((wanted, done))
}

/// How the reversal of changed rows is recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ReversalRecord {
    /// As new rows.
    Appended,
    /// In the reversed rows themselves, whose old and new values are swapped.
    Swapped,
}

/// Restores the old values of many rows of one table, and passes each with the result to `visit`. Returns the number of
/// rows up to the first one that somebody changed since. Only these are recorded as `record` says, the others are
/// appended.
pub(super) fn restore_updates<'c>(
    tx: &WriteTx,
    place: &TrackedTable,
    columns: &'c [String],
    (rows, record): (&[RecordedRow], ReversalRecord),
    mut visit: impl FnMut(&RecordedRow, Option<RestoredColumns<'c>>) -> Result<()>,
) -> Result<usize> {
    let conn = tx.conn();
    // What the triggers would record follows from the records, so they are spared up to the first row that somebody
    // changed since.
    drop_triggers(conn, place)?;
    let mut restorer = ValueRestorer { conn, place, columns, record, update: None };
    let mut unchanged = 0;
    for row in rows {
        tx.check_cancelled()?;
        if !restorer.restore_all(row)? {
            break;
        }
        visit(row, Some(RestoredColumns { is_done: true, kept: Vec::new() }))?;
        unchanged += 1;
    }
    create_triggers(conn, place)?;
    for row in &rows[unchanged..] {
        visit(row, restore_columns(conn, place, columns, row)?)?;
    }
    Ok(unchanged)
}

/// Restores all values of rows of one table. The statement is reused as long as the rows changed in the same columns.
struct ValueRestorer<'a> {
    conn: &'a Connection,
    place: &'a TrackedTable,
    columns: &'a [String],
    record: ReversalRecord,
    update: Option<(Vec<usize>, CachedStatement<'a>)>,
}

impl ValueRestorer<'_> {
    /// Restores and records a row if each of its columns still has the new value. Otherwise, nothing happens.
    fn restore_all(&mut self, row: &RecordedRow) -> Result<bool> {
        let changes = row_encoding::borrow_changes(row.data()).unwrap_or_default();
        if changes.is_empty() || changes.iter().any(|change| change.column >= self.columns.len()) {
            return Ok(false);
        }
        let is_same = |known: &[usize]| known.iter().copied().eq(changes.iter().map(|change| change.column));
        let update = self.update.take().filter(|(known, _)| is_same(known));
        let (_, update) = self.update.insert(match update {
            Some(same) => same,
            None => {
                let changed: Vec<usize> = changes.iter().map(|change| change.column).collect();
                let sql = update_sql(self.place, changed.iter().map(|column| self.columns[*column].as_str()));
                (changed, self.conn.prepare_cached(&sql)?)
            }
        });
        let mut note = Vec::with_capacity(row.data().len());
        update.raw_bind_parameter(1, &row.key)?;
        for (at, change) in changes.into_iter().enumerate() {
            update.raw_bind_parameter(2 * at + 2, ToSqlOutput::Borrowed(change.old))?;
            update.raw_bind_parameter(2 * at + 3, ToSqlOutput::Borrowed(change.new))?;
            row_encoding::encode_change(&mut note, change.column, change.new, change.old);
        }
        if update.raw_execute()? == 0 {
            return Ok(false);
        }
        match self.record {
            ReversalRecord::Appended => self
                .conn
                .prepare_cached(
                    "INSERT INTO row_changes (step, place, kind, key, data) VALUES (roost_step(), ?1, ?2, ?3, ?4)",
                )?
                .execute(params![self.place.number, UPDATED, row.key, note])?,
            ReversalRecord::Swapped => self
                .conn
                .prepare_cached("UPDATE row_changes SET step = roost_step(), data = ?2 WHERE id = ?1")?
                .execute(params![row.id, note])?,
        };
        Ok(true)
    }
}

fn update_sql<'c>(place: &TrackedTable, columns: impl Iterator<Item = &'c str>) -> String {
    let (sets, tests): (Vec<String>, Vec<String>) = columns
        .zip((2..).step_by(2))
        .map(|(column, n)| (format!("{column} = ?{n}"), format!(" AND {column} IS ?{}", n + 1)))
        .unzip();
    format!("UPDATE {} SET {} WHERE {} = ?1{}", place.table, sets.join(", "), place.key[0], tests.concat())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::row_changes::tests::{TestAccount, add_contacts};

    #[test]
    fn many_values_are_restored_except_those_that_were_changed_since() {
        const ROWS: i64 = 3 * RANGE_MIN as i64;
        let account = TestAccount::new();
        account.act(|tx| add_contacts(tx, ROWS));
        let done = account.act_in_sql("UPDATE contacts SET city = 'b', updated_at = 5 WHERE id <> 7");
        account.act_in_sql("UPDATE contacts SET city = 'c' WHERE id = 150; DELETE FROM contacts WHERE id = 120;");
        let cities = |city: &str| account.count(&format!("SELECT count(*) FROM contacts WHERE city = '{city}'"));
        let undone = account.toggle(done);
        assert_eq!((undone.rows, undone.kept), (ROWS as u64 - 2, 2), "one value and one row stay");
        assert_eq!((cities("a"), cities("b"), cities("c")), (ROWS - 2, 0, 1));
        assert_eq!(account.count("SELECT count(*) FROM contacts WHERE updated_at IS NOT NULL"), 0);
        let recorded =
            format!("SELECT count(*) FROM row_changes WHERE step = {done} AND kind = {UPDATED} AND place = 6");
        assert_eq!(account.count(&recorded), ROWS - 2);
        let redone = account.toggle(done);
        assert_eq!((redone.rows, redone.kept), (ROWS as u64 - 2, 0));
        assert_eq!((cities("a"), cities("b"), cities("c")), (1, ROWS - 3, 1));
        assert_eq!(account.count("SELECT count(*) FROM contacts WHERE updated_at = 5"), ROWS - 2);
        assert_eq!(account.count(&recorded), ROWS - 2);
    }
}
