//! The import_rejects table: rejected rows as they were in the file.

use rusqlite::{CachedStatement, OptionalExtension, Row, params};

use crate::{
    error::Result,
    row_recorder::{range::InsertedRange, tracked_tables::TrackedTable},
    tx::{ReadTx, WriteTx},
};

/// A rejected row. Its cells are a JSON array.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredReject {
    pub id: i64,
    pub row: u64,
    pub place: u64,
    pub flags: u8,
    pub cells: String,
}

fn row_to_reject(row: &Row) -> rusqlite::Result<StoredReject> {
    Ok(StoredReject {
        id: row.get(0)?,
        row: row.get::<_, i64>(1)? as u64,
        place: row.get::<_, i64>(2)? as u64,
        flags: row.get(3)?,
        cells: row.get(4)?,
    })
}

/// Appends rejected rows.
pub struct RejectInserter<'t> {
    statement: CachedStatement<'t>,
    range: InsertedRange<'t>,
    import: i64,
}

impl<'t> RejectInserter<'t> {
    pub fn new(tx: &'t WriteTx<'_>, import: i64) -> Result<Self> {
        let range = InsertedRange::begin(tx.conn(), tx.step(), &TrackedTable::IMPORT_REJECTS)?;
        let statement = tx.conn().prepare_cached(
            "INSERT INTO import_rejects (import_id, row, place, flags, cells) VALUES (?1, ?2, ?3, ?4, ?5)",
        )?;
        Ok(Self { statement, range, import })
    }

    pub fn insert(&mut self, row: u64, place: u64, flags: u8, cells: &str) -> Result<()> {
        self.statement.execute(params![self.import, row as i64, place as i64, flags, cells])?;
        Ok(())
    }

    pub fn end(self) -> Result<u64> {
        self.range.end()
    }
}

/// Reads rows after `id`, in the order of the file.
pub fn read_after(tx: &ReadTx, import: i64, id: i64, most: u32) -> Result<Vec<StoredReject>> {
    tx.read_rows(
        "SELECT id, row, place, flags, cells FROM import_rejects WHERE import_id = ?1 AND id > ?2 ORDER BY id LIMIT ?3",
        params![import, id, most],
        row_to_reject,
    )
}

/// Reads `count` rows beginning with row number `from`, in the order of the file.
pub fn read_page(tx: &ReadTx, import: i64, from: u64, count: u32) -> Result<Vec<StoredReject>> {
    tx.read_rows(
        "SELECT r.id, row, place, flags, cells FROM (SELECT id FROM import_rejects WHERE import_id = ?1 ORDER BY id LIMIT ?3 OFFSET ?2) AS w
         CROSS JOIN import_rejects AS r ON r.id = w.id ORDER BY r.id",
        params![import, from as i64, count],
        row_to_reject,
    )
}

pub fn count(tx: &ReadTx, import: i64) -> Result<u64> {
    Ok(tx.read_value::<i64>("SELECT count(*) FROM import_rejects WHERE import_id = ?1", [import])? as u64)
}

pub fn get(tx: &ReadTx, import: i64, id: i64) -> Result<Option<StoredReject>> {
    let mut statement = tx
        .conn()
        .prepare_cached("SELECT id, row, place, flags, cells FROM import_rejects WHERE id = ?2 AND import_id = ?1")?;
    Ok(statement.query_row([import, id], row_to_reject).optional()?)
}

/// Stores the fixed cells of a row. The remarks about its original bytes no longer apply, so `flags` holds those that
/// still do.
pub fn fix_row(tx: &WriteTx, id: i64, cells: &str, flags: u8) -> Result<()> {
    tx.execute_sql("UPDATE import_rejects SET cells = ?2, flags = ?3 WHERE id = ?1", params![id, cells, flags])?;
    Ok(())
}

pub fn delete(tx: &WriteTx, import: i64, id: i64) -> Result<bool> {
    Ok(tx.execute_sql("DELETE FROM import_rejects WHERE id = ?2 AND import_id = ?1", [import, id])? > 0)
}
