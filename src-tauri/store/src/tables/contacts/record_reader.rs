//! Reads contacts by their rows and lends their values without a copy, for those who write them elsewhere at once.

use std::cell::RefCell;

use roost_model::{
    contact::{ContactField, ContactValues},
    id::ContactId,
    time::Timestamp,
};
use rusqlite::{CachedStatement, OptionalExtension, Row};

use super::{CREATED_AT, FIRST_ATTRIBUTE, FIRST_CUSTOM, column_names};
use crate::{error::Result, tables::parse_stored_id, tx::ReadTx};

/// Reads one contact after the other with one statement.
pub struct RecordReader<'t> {
    statement: CachedStatement<'t>,
}

impl<'t> RecordReader<'t> {
    /// Prepares to read contacts with these custom fields.
    pub fn new(tx: &ReadTx<'t>, custom: &[u32]) -> Result<Self> {
        let sql = format!("SELECT {} FROM contacts WHERE id = ?1", column_names(custom));
        Ok(Self { statement: tx.conn().prepare_cached(&sql)? })
    }

    /// Lends the contact to `visit`. Returns whether it exists.
    pub fn read(&mut self, id: i64, visit: impl FnOnce(&ContactRow)) -> Result<bool> {
        let read = self.statement.query_row([id], |row| {
            let contact = ContactRow::new(row)?;
            visit(&contact);
            contact.fault.take().map_or(Ok(()), Err)
        });
        Ok(read.optional()?.is_some())
    }
}

/// A contact in the row that SQLite holds.
pub struct ContactRow<'r> {
    row: &'r Row<'r>,
    created_at: i64,
    updated_at: Option<i64>,
    /// The first value that was no text.
    fault: RefCell<Option<rusqlite::Error>>,
}

impl<'r> ContactRow<'r> {
    fn new(row: &'r Row<'r>) -> rusqlite::Result<Self> {
        parse_stored_id(0, ContactId::parse(row.get_ref(0)?.as_str().map_err(rusqlite::Error::from)?))?;
        let (created_at, updated_at) = (row.get(CREATED_AT)?, row.get(CREATED_AT + 1)?);
        Ok(Self { row, created_at, updated_at, fault: RefCell::default() })
    }

    fn column(&self, at: usize) -> Option<&str> {
        let value = self.row.get_ref(at).and_then(|value| value.as_str_or_null().map_err(rusqlite::Error::from));
        value.unwrap_or_else(|error| {
            self.fault.borrow_mut().get_or_insert(error);
            None
        })
    }

    /// A number without a region has an empty one.
    fn region(&self, number: usize) -> Option<&str> {
        self.column(number).map(|_| self.column(number + 1).unwrap_or_default())
    }
}

impl ContactValues for ContactRow<'_> {
    fn text(&self, field: ContactField) -> Option<&str> {
        match field {
            ContactField::Uid => self.column(0),
            ContactField::PhoneNumber => self.column(1),
            ContactField::PhoneRegion => self.region(1),
            ContactField::WhatsappId => self.column(3),
            ContactField::WhatsappRegion => self.region(3),
            ContactField::Attribute(attribute) => self.column(FIRST_ATTRIBUTE + attribute as usize),
            ContactField::Custom(_) | ContactField::CreatedAt | ContactField::UpdatedAt => None,
        }
    }

    fn custom(&self, place: usize) -> Option<&str> {
        self.column(FIRST_CUSTOM + place)
    }

    fn created_at(&self) -> Timestamp {
        Timestamp::from_unix(self.created_at)
    }

    fn updated_at(&self) -> Option<Timestamp> {
        self.updated_at.map(Timestamp::from_unix)
    }
}
