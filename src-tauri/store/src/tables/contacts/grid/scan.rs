//! Reads a list's contacts as streams: by ranges of row ids if the list has most of the rows in them, otherwise by its
//! index.

use std::borrow::Cow;

use roost_model::{contact::ContactField, time::Timestamp};
use rusqlite::{
    OptionalExtension,
    types::{Value, ValueRef},
};

use super::{super::list_view, filter::FilterSql};
/// A row as it is read. Its texts are borrowed from SQLite.
pub use rusqlite::Row;

use crate::{
    error::{Result, StoreError},
    tables::lists::ListRow,
    tx::ReadTx,
    watch::Watch,
};

/// The fastest way to read the rows of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ScanMethod {
    /// Reads by the list's index, which jumps around in the table.
    Index,
    /// Reads ranges of row ids, both ends included, in which the list has most of the rows. Each range can be read
    /// separately.
    IdRanges(Vec<(i64, i64)>),
}

/// Below this number of contacts the index is as fast.
const INDEX_ONLY_BELOW: u64 = 2_000;
/// A range is worth reading if at least one of this many rows belongs to the list.
const SPARSENESS_MAX: i64 = 4;
/// Rows of a range.
const RANGE_ROWS: i64 = 16_384;

/// Chooses how to read a list with `count` contacts.
pub fn choose_method(tx: &ReadTx, list: ListRow, count: u64) -> Result<ScanMethod> {
    if count < INDEX_ONLY_BELOW {
        return Ok(ScanMethod::Index);
    }
    let fills = |first: i64, last: i64| last - first < (count as i64).saturating_mul(SPARSENESS_MAX);
    let ends = |sql: &str, values: &[i64]| -> Result<Option<(i64, i64)>> {
        let ends: (Option<i64>, Option<i64>) =
            tx.read_row(sql, rusqlite::params_from_iter(values), |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok(ends.0.zip(ends.1))
    };
    let table = ends("SELECT (SELECT min(id) FROM contacts), (SELECT max(id) FROM contacts)", &[])?;
    let found = match table {
        Some((first, last)) if !fills(first, last) => {
            ends("SELECT min(id), max(id) FROM contacts INDEXED BY contacts_by_age WHERE list_id = ?1", &[list.0])?
        }
        found => found,
    };
    Ok(match found {
        Some((first, last)) if fills(first, last) => {
            let starts = (0..=(last - first) / RANGE_ROWS).map(|n| first + n * RANGE_ROWS);
            ScanMethod::IdRanges(starts.map(|from| (from, (from + RANGE_ROWS - 1).min(last))).collect())
        }
        _ => ScanMethod::Index,
    })
}

/// Rows between two checks for cancellation.
const CANCEL_CHECK_ROWS: u64 = 1_024;

/// Passes the id, the creation time and some columns of every matching row to `visit`. Reads one range, or all rows by
/// the index.
pub fn visit_rows(
    tx: &ReadTx,
    sql: &FilterSql,
    stretch: Option<(i64, i64)>,
    columns: &[ContactField],
    watch: &Watch,
    visit: &mut dyn FnMut(i64, i64, &Row) -> Result<()>,
) -> Result<()> {
    let columns: String = columns.iter().map(|field| format!(", c.{}", list_view::column_name(*field))).collect();
    let mut values = sql.values.clone();
    let from = match stretch {
        Some((first, last)) => {
            values.extend([Value::from(first), last.into()]);
            format!(
                "main.contacts AS c NOT INDEXED WHERE c.id BETWEEN ?{} AND ?{} AND +c.list_id = ?1",
                values.len() - 1,
                values.len()
            )
        }
        None => "main.contacts AS c INDEXED BY contacts_by_age WHERE c.list_id = ?1".to_owned(),
    };
    let text = format!("SELECT c.id, c.created_at{columns} FROM {from} AND {}", sql.condition);
    let mut statement = tx.conn().prepare_cached(&text)?;
    let mut rows = statement.query(rusqlite::params_from_iter(values))?;
    let mut read = 0_u64;
    while let Some(row) = rows.next()? {
        visit(row.get(0)?, row.get(1)?, row)?;
        read += 1;
        if read.is_multiple_of(CANCEL_CHECK_ROWS) {
            if watch.is_cancelled() {
                return Err(StoreError::Cancelled);
            }
            if stretch.is_none() {
                watch.add_rows(CANCEL_CHECK_ROWS);
            }
        }
    }
    if let Some((first, last)) = stretch {
        watch.add_rows((last - first + 1) as u64);
    }
    Ok(())
}

/// Passes rows of the list to `visit` in the order of `ids`. Rows that no longer exist are skipped.
pub fn visit_by_ids(
    tx: &ReadTx,
    list: ListRow,
    ids: &[i64],
    columns: &[ContactField],
    watch: &Watch,
    visit: &mut dyn FnMut(usize, &Row) -> Result<()>,
) -> Result<()> {
    let columns: String = columns.iter().map(|field| format!(", c.{}", list_view::column_name(*field))).collect();
    let text =
        format!("SELECT c.id, c.created_at{columns} FROM main.contacts AS c WHERE c.id = ?1 AND +c.list_id = ?2");
    let mut statement = tx.conn().prepare_cached(&text)?;
    for (at, id) in ids.iter().enumerate() {
        if (at as u64).is_multiple_of(CANCEL_CHECK_ROWS) && watch.is_cancelled() {
            return Err(StoreError::Cancelled);
        }
        let mut rows = statement.query([id, &list.0])?;
        if let Some(row) = rows.next()? {
            visit(at, row)?;
        }
    }
    Ok(())
}

/// Position of the first column that was passed to [`visit_rows`].
pub const FIRST_COLUMN: usize = 2;

/// Returns the bytes of a text column. Returns `None` for null and for the empty text.
pub fn text_bytes<'r>(row: &'r Row, at: usize) -> Result<Option<&'r [u8]>> {
    Ok(match row.get_ref(at)? {
        ValueRef::Text(text) if !text.is_empty() => Some(text),
        _ => None,
    })
}

/// Reads a column that holds a time.
pub fn read_time(row: &Row, at: usize) -> Result<Option<i64>> {
    Ok(row.get(at)?)
}

/// Returns the text that a cell shows, or `None` if it is empty.
pub fn shown_text<'r>(row: &'r Row, field: ContactField, column: usize) -> Result<Option<Cow<'r, [u8]>>> {
    let at = FIRST_COLUMN + column;
    Ok(match field {
        ContactField::CreatedAt | ContactField::UpdatedAt => {
            read_time(row, at)?.map(|seconds| Cow::Owned(Timestamp::from_unix(seconds).to_iso().into_bytes()))
        }
        _ => text_bytes(row, at)?.map(Cow::Borrowed),
    })
}

/// Returns the ids of some rows, spread over the list.
pub fn sample_ids(tx: &ReadTx, list: ListRow, most: i64) -> Result<Vec<i64>> {
    let (oldest, newest, first, last): (Option<i64>, Option<i64>, Option<i64>, Option<i64>) = tx.read_row(
        "SELECT (SELECT created_at FROM contacts WHERE list_id = ?1 ORDER BY created_at LIMIT 1),
                (SELECT created_at FROM contacts WHERE list_id = ?1 ORDER BY created_at DESC LIMIT 1),
                (SELECT min(id) FROM contacts), (SELECT max(id) FROM contacts)",
        [list.0],
        |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)),
    )?;
    let (Some(oldest), Some(newest), Some(first), Some(last)) = (oldest, newest, first, last) else {
        return Ok(Vec::new());
    };
    let mut ids = Vec::with_capacity(most as usize);
    let mut by_id = tx
        .conn()
        .prepare_cached("SELECT id FROM contacts WHERE id >= ?1 AND +list_id = ?2 AND id < ?1 + 50 LIMIT 1")?;
    let mut by_age = tx.conn().prepare_cached(
        "SELECT id FROM contacts INDEXED BY contacts_by_age WHERE list_id = ?1 AND created_at >= ?2 ORDER BY created_at LIMIT 1",
    )?;
    // Half are chosen by position in the table and half by age, because a list that was made in one act has only one
    // age.
    for n in 0..most / 2 {
        let at =
            |from: i64, to: i64| from + ((to - from) as i128 * i128::from(n) / i128::from((most / 2).max(1))) as i64;
        ids.extend(by_id.query_row([at(first, last), list.0], |row| row.get::<_, i64>(0)).optional()?);
        ids.extend(by_age.query_row([list.0, at(oldest, newest)], |row| row.get::<_, i64>(0)).optional()?);
    }
    ids.sort_unstable();
    ids.dedup();
    Ok(ids)
}

/// Returns those of `ids` that match the filter.
pub fn matching_ids(tx: &ReadTx, sql: &FilterSql, ids: &[i64]) -> Result<Vec<i64>> {
    let mut values = sql.values.clone();
    values.push(serde_json::to_string(ids).unwrap_or_default().into());
    let text = format!(
        "SELECT c.id FROM main.contacts AS c WHERE c.id IN (SELECT value FROM json_each(?{})) AND +c.list_id = ?1 AND {}",
        values.len(),
        sql.condition
    );
    tx.read_rows(&text, rusqlite::params_from_iter(values), |row| row.get(0))
}
