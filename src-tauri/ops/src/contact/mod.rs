//! Contains the acts on contacts. Contacts submitted in bulk over the interface are processed by jobs.

mod edit;
pub mod fields;
mod list_reader;
mod many;
pub mod table;

pub use self::{
    edit::*,
    fields::{FieldInfo, FieldKind, FieldValues, read_fields, read_list_fields},
    list_reader::{ContactRow, ListReader, read_list},
    many::*,
    table::{
        ContactCard, ContactWithSameNumber, NumberReading, SharedNumber, TablePage, TableQuery, find_elsewhere, get,
        read_history, read_number, read_table_page,
    },
};

use std::ops::ControlFlow;

use roost_model::{contact::Contact, id::ListId, page::PageRequest};
use roost_store::{
    change_log::Noun,
    tables::{
        contacts::{self, ContactCursor, ContactScope},
        custom_fields, lists,
    },
};

pub use roost_store::tables::contacts::list_view::{ContactFilter, OptOutReach};

use crate::{
    core::Core,
    error::{OrNotFound, Result},
};

/// The number of contacts read at once when all are requested: enough to be fast, and few enough not to delay others.
const CHUNK: u32 = 1_000;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContactQuery {
    pub list: ListId,
    /// A phone or WhatsApp number in its stored form.
    pub search: Option<String>,
    /// If `None`, all contacts.
    pub page: Option<PageRequest>,
}

/// A part of a query's result: first the head, then each contact, newest first.
pub enum QueryPart<'a> {
    Head {
        total_items: u64,
        /// The numbers of the defined custom fields, in the order of each contact's `custom`.
        custom_fields: &'a [u32],
    },
    Contact(&'a Contact),
}

/// Passes the contacts to `visit` until it breaks. No lock is held meanwhile, so `visit` may be slow.
///
/// A page is read from one state of the account. All contacts of a long list are read in chunks, each from the state at
/// that time.
pub fn visit_contacts(
    core: &Core,
    query: &ContactQuery,
    visit: &mut dyn FnMut(QueryPart) -> ControlFlow<()>,
) -> Result<()> {
    let (total_items, custom, first) = core.read(|tx| {
        let row = lists::row_of(tx, &query.list)?.or_not_found(Noun::List, &query.list)?;
        let custom = custom_fields::defined_numbers(tx)?;
        let scope = ContactScope { list: &query.list, row, custom: &custom };
        let (total, found) = match &query.search {
            Some(number) => (
                contacts::count_with_number(tx, row, number)?,
                contacts::find_by_number(tx, scope, number, query.page)?,
            ),
            None => {
                let total = lists::get(tx, &query.list)?.map_or(0, |list| list.contact_count);
                let found = match query.page {
                    Some(page) => contacts::read_page(tx, scope, page)?,
                    None => contacts::read_chunk(tx, scope, None, CHUNK)?,
                };
                (total, found)
            }
        };
        Ok((total, custom, found))
    })?;
    if visit(QueryPart::Head { total_items, custom_fields: &custom }).is_break() {
        return Ok(());
    }
    let goes_on = query.search.is_none() && query.page.is_none();
    let mut chunk = first;
    loop {
        for contact in &chunk {
            if visit(QueryPart::Contact(contact)).is_break() {
                return Ok(());
            }
        }
        let Some(last) = chunk.last().filter(|_| goes_on && chunk.len() == CHUNK as usize) else { return Ok(()) };
        let cursor = ContactCursor::after_contact(last);
        chunk = core.read(|tx| {
            // The list was deleted meanwhile, so the result ends here.
            let Some(row) = lists::row_of(tx, &query.list)? else { return Ok(Vec::new()) };
            Ok(contacts::read_chunk(
                tx,
                ContactScope { list: &query.list, row, custom: &custom },
                Some(&cursor),
                CHUNK,
            )?)
        })?;
    }
}
