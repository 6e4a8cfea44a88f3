//! New contacts one after the other, as fast as they come: texts are bound where they lie, and all are remembered as
//! one range.

use roost_model::{contact::ContactField, id::ContactId, time::Timestamp};
use rusqlite::CachedStatement;

use super::view;
use crate::{
    error::Result,
    row_changes::{Place, Range},
    tables::lists::ListRow,
    tx::WriteTx,
};

/// Bound to every row: list and time first, then its uid.
const OWN_COLUMNS: usize = 3;

pub struct Appender<'t, 'c> {
    statement: CachedStatement<'t>,
    range: Range<'t, 'c>,
}

impl<'t, 'c> Appender<'t, 'c> {
    /// Fields that are not among these stay empty. Counting the contacts into their list is the caller's act.
    pub fn new(tx: &'t WriteTx<'c>, list: ListRow, fields: &[ContactField], at: Timestamp) -> Result<Self> {
        let range = Range::begin(tx, &Place::CONTACTS)?;
        let columns: String = fields.iter().map(|field| format!(", {}", view::column(*field))).collect();
        let places: String = (0..fields.len()).map(|n| format!(", ?{}", n + OWN_COLUMNS + 1)).collect();
        let sql = format!("INSERT INTO contacts (list_id, created_at, uid{columns}) VALUES (?1, ?2, ?3{places})");
        let mut statement = tx.conn().prepare_cached(&sql)?;
        statement.raw_bind_parameter(1, list.0)?;
        statement.raw_bind_parameter(2, at.unix())?;
        Ok(Self { statement, range })
    }

    /// The value of the field with this number in the row that comes next.
    pub fn set(&mut self, field: usize, text: Option<&str>) -> Result<()> {
        Ok(self.statement.raw_bind_parameter(field + OWN_COLUMNS + 1, text)?)
    }

    /// Ends a row; every field must have been set.
    pub fn append(&mut self, uid: &ContactId) -> Result<()> {
        self.statement.raw_bind_parameter(3, uid.as_str())?;
        self.statement.raw_execute()?;
        Ok(())
    }

    /// Answers how many there are.
    pub fn end(self) -> Result<u64> {
        self.range.end()
    }
}
