//! Restores deleted rows, one by one or many at once.

use rusqlite::{CachedStatement, Connection, OptionalExtension, params, types::ToSqlOutput};

use super::reversal::{RecordedRow, read_chunk};
use crate::{
    error::Result,
    row_recorder::{DELETED, INSERTED, create_triggers, drop_triggers, row_encoding, tracked_tables::TrackedTable},
    tx::WriteTx,
};

/// Restores a deleted row. A row whose key is in use again is left out.
pub fn restore_row(conn: &Connection, place: &TrackedTable, columns: &[String], image: &[u8]) -> Result<bool> {
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
pub struct DeletedRange {
    pub place: &'static TrackedTable,
    step: i64,
    pub first: i64,
    pub last: i64,
}

impl DeletedRange {
    /// Finds the deleted range with which `rows` end. `rows` begin with the last one, and the range may begin before
    /// them.
    pub fn at_end(conn: &Connection, step: i64, first: i64, rows: &[RecordedRow]) -> Result<Option<Self>> {
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
const RANGE_MIN: usize = 100;

/// Restores the rows of a range in the order of their keys, which is fastest. Returns how many rows there are and how
/// many were restored.
pub fn restore_range(tx: &WriteTx, run: &DeletedRange, columns: &[String]) -> Result<(u64, u64)> {
    let conn = tx.conn();
    let mut returning = RowRestorer { conn, place: run.place, columns, insert: None };
    let (mut wanted, mut done) = (0, 0);
    // The restored rows are recorded chunk by chunk instead of one by one.
    drop_triggers(conn, run.place)?;
    let remember = |first: i64, last: i64| {
        conn.prepare_cached(
            "INSERT INTO row_changes (step, place, kind, key)
             SELECT roost_step(), place, ?1, key FROM row_changes WHERE id BETWEEN ?2 AND ?3 AND step = ?4 ORDER BY id",
        )?
        .execute(params![INSERTED, first, last, run.step])
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
