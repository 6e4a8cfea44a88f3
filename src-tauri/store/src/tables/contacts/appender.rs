//! Appends new contacts quickly: texts are bound without a copy, and the undo memory records all contacts as one range
//! of rows.

use roost_model::{contact::ContactField, id::ContactId, time::Timestamp};
use rusqlite::{CachedStatement, Connection};

use super::list_view;
use crate::{
    error::Result,
    row_recorder::{range::InsertedRange, tracked_tables::TrackedTable},
    tables::lists::ListRow,
    tx::WriteTx,
};

/// The number of columns that the appender sets itself: list, time and uid.
const FIXED_COLUMNS: usize = 3;

pub struct ContactAppender<'t> {
    conn: &'t Connection,
    statement: CachedStatement<'t>,
    range: InsertedRange<'t>,
}

impl<'t> ContactAppender<'t> {
    /// Prepares to append contacts with these fields. Other fields stay empty. The caller must add them to the
    /// count of the list.
    pub fn new(tx: &'t WriteTx<'_>, list: ListRow, fields: &[ContactField], created_at: Timestamp) -> Result<Self> {
        let range = InsertedRange::begin(tx.conn(), tx.step(), &TrackedTable::CONTACTS)?;
        let columns: String = fields.iter().map(|field| format!(", {}", list_view::column_name(*field))).collect();
        let placeholders: String = (0..fields.len()).map(|n| format!(", ?{}", n + FIXED_COLUMNS + 1)).collect();
        let sql = format!("INSERT INTO contacts (list_id, created_at, uid{columns}) VALUES (?1, ?2, ?3{placeholders})");
        let mut statement = tx.conn().prepare_cached(&sql)?;
        statement.raw_bind_parameter(1, list.0)?;
        statement.raw_bind_parameter(2, created_at.unix())?;
        Ok(Self { conn: tx.conn(), statement, range })
    }

    /// Sets the value of the field at this position for the next row.
    pub fn set_value(&mut self, position: usize, text: Option<&str>) -> Result<()> {
        Ok(self.statement.raw_bind_parameter(position + FIXED_COLUMNS + 1, text)?)
    }

    /// Inserts a row and returns its id. Every field must be set for each row, because SQLite keeps the previous value.
    pub fn append(&mut self, uid: &ContactId) -> Result<i64> {
        self.statement.raw_bind_parameter(3, uid.as_str())?;
        self.statement.raw_execute()?;
        Ok(self.conn.last_insert_rowid())
    }

    /// Records the range and returns the number of appended contacts.
    pub fn end(self) -> Result<u64> {
        self.range.end()
    }
}
