//! Reads the contacts of a list for those who write them elsewhere at once: first which ones, then the values of those
//! that the caller does not know yet.

use roost_model::id::ListId;
use roost_store::{
    change_log::Noun,
    tables::{
        contacts::{list_view, record_reader::RecordReader},
        custom_fields,
        lists::{self, ListRow},
    },
    tx::ReadTx,
};

pub use roost_store::tables::contacts::record_reader::ContactRow;

use crate::{
    core::Core,
    error::{OrNotFound, Result},
};

/// A list in one state of the account. Its readers must be quick, because the account is locked meanwhile.
pub struct ListReader<'t, 'c> {
    tx: &'t ReadTx<'c>,
    row: ListRow,
    total_items: u64,
    custom: Vec<u32>,
    records: RecordReader<'c>,
}

/// Lets `read` read a list.
pub fn read_list<T>(core: &Core, list: &ListId, read: impl FnOnce(&mut ListReader) -> Result<T>) -> Result<T> {
    core.read(|tx| {
        let (row, total_items) = lists::find_with_count(tx, list)?.or_not_found(Noun::List, list)?;
        let custom = custom_fields::defined_numbers(tx)?;
        let records = RecordReader::new(tx, &custom)?;
        read(&mut ListReader { tx, row, total_items, custom, records })
    })
}

impl ListReader<'_, '_> {
    pub fn total_items(&self) -> u64 {
        self.total_items
    }

    /// Returns the numbers of the defined custom fields, in the order of their values in each contact.
    pub fn custom_fields(&self) -> &[u32] {
        &self.custom
    }

    /// Returns the number of the list, which no other list of the account ever has.
    pub fn number(&self) -> i64 {
        self.row.number()
    }

    /// Returns a number that is the same for two readers only if they see the same contacts, or `None` if that is not
    /// known.
    pub fn contacts_state(&self) -> Option<u64> {
        self.tx.contacts_state()
    }

    /// Returns the rows of contacts, newest first.
    pub fn newest_ids(&self, offset: u64, most: u32) -> Result<Vec<i64>> {
        Ok(list_view::newest_ids(self.tx, self.row, offset, most)?)
    }

    /// Returns the rows of the contacts that follow one of the list, newest first.
    pub fn ids_after(&self, id: i64, most: u32) -> Result<Vec<i64>> {
        Ok(list_view::ids_after(self.tx, self.row, id, most)?)
    }

    /// Lends the values of a contact to `visit`.
    pub fn read_record(&mut self, id: i64, visit: impl FnOnce(&ContactRow)) -> Result<()> {
        self.records.read(id, visit)?;
        Ok(())
    }
}
