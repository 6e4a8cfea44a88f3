//! The contacts table: reading, single inserts and deletion. Batches are in `batch`.

pub mod appender;
pub mod batch;
pub mod clashes;
pub mod grid;
pub mod list_view;
pub mod numbers;
pub mod order;
pub mod picked_contacts;
pub mod record_reader;
pub mod search;

use std::fmt::Write;

use roost_model::{
    contact::{ATTRIBUTES, Attribute, Contact},
    id::{ContactId, ListId},
    page::PageRequest,
    phone::Phone,
    time::Timestamp,
};
use rusqlite::{Row, ToSql, params, types::Value};

use super::{lists::ListRow, parse_stored_id};
use crate::{
    error::Result,
    tables::lists,
    tx::{ReadTx, WriteTx},
};

/// Position of the first attribute among the columns that are read. Custom fields follow the two times.
const FIRST_ATTRIBUTE: usize = 5;
const CREATED_AT: usize = FIRST_ATTRIBUTE + ATTRIBUTES;
const FIRST_CUSTOM: usize = CREATED_AT + 2;

/// Returns `title, firstname, …`.
pub(super) fn attribute_columns() -> String {
    Attribute::ALL.map(Attribute::name).join(", ")
}

fn column_names(custom: &[u32]) -> String {
    let mut sql =
        format!("uid, phone, phone_region, whatsapp, whatsapp_region, {}, created_at, updated_at", attribute_columns());
    for number in custom {
        let _ = write!(sql, ", field_{number}");
    }
    sql
}

fn read_phone(row: &Row, at: usize) -> rusqlite::Result<Option<Phone>> {
    let e164: Option<String> = row.get(at)?;
    let Some(e164) = e164 else { return Ok(None) };
    Ok(Some(Phone { e164, region: row.get::<_, Option<String>>(at + 1)?.unwrap_or_default() }))
}

fn row_to_contact(row: &Row, list: &ListId, custom: usize) -> rusqlite::Result<Contact> {
    let uid: String = row.get(0)?;
    let mut attributes: [Option<String>; ATTRIBUTES] = Default::default();
    for (i, slot) in attributes.iter_mut().enumerate() {
        *slot = row.get(FIRST_ATTRIBUTE + i)?;
    }
    Ok(Contact {
        uid: parse_stored_id(0, ContactId::parse(&uid))?,
        list: list.clone(),
        phone: read_phone(row, 1)?,
        whatsapp: read_phone(row, 3)?,
        attributes,
        custom: (0..custom).map(|i| row.get(FIRST_CUSTOM + i)).collect::<rusqlite::Result<_>>()?,
        created_at: Timestamp::from_unix(row.get(CREATED_AT)?),
        updated_at: row.get::<_, Option<i64>>(CREATED_AT + 1)?.map(Timestamp::from_unix),
    })
}

/// The position of a reader in a list, whose contacts are read newest first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContactCursor {
    created_at: i64,
    uid: String,
}

impl ContactCursor {
    pub fn after_contact(contact: &Contact) -> Self {
        Self { created_at: contact.created_at.unix(), uid: contact.uid.as_str().to_owned() }
    }
}

/// The list to read from, and the custom fields to read.
#[derive(Debug, Clone, Copy)]
pub struct ContactScope<'a> {
    pub list: &'a ListId,
    pub row: ListRow,
    pub custom: &'a [u32],
}

/// Reads the contacts that match `condition`, in which `?1` is the list.
fn read_where(tx: &ReadTx, scope: ContactScope, condition: &str, values: &[&dyn ToSql]) -> Result<Vec<Contact>> {
    let sql = format!("SELECT {} FROM contacts WHERE {condition}", column_names(scope.custom));
    tx.read_rows(&sql, values, |row| row_to_contact(row, scope.list, scope.custom.len()))
}

/// Reads one page of a list, newest first.
pub fn read_page(tx: &ReadTx, scope: ContactScope, page: PageRequest) -> Result<Vec<Contact>> {
    read_where(
        tx,
        scope,
        "list_id = ?1 ORDER BY created_at DESC, uid DESC LIMIT ?2 OFFSET ?3",
        &[&scope.row.0, &page.size, &(page.offset() as i64)],
    )
}

/// Reads the next `most` contacts after `cursor`, newest first.
pub fn read_chunk(tx: &ReadTx, scope: ContactScope, cursor: Option<&ContactCursor>, most: u32) -> Result<Vec<Contact>> {
    match cursor {
        None => {
            read_where(tx, scope, "list_id = ?1 ORDER BY created_at DESC, uid DESC LIMIT ?2", &[&scope.row.0, &most])
        }
        Some(ContactCursor { created_at, uid }) => read_where(
            tx,
            scope,
            "list_id = ?1 AND (created_at, uid) < (?2, ?3) ORDER BY created_at DESC, uid DESC LIMIT ?4",
            &[&scope.row.0, created_at, uid, &most],
        ),
    }
}

/// Looks up each number through its own index. With an `OR` of the two, SQLite would walk the whole list.
const WITH_NUMBER: &str = "id IN (SELECT id FROM contacts WHERE list_id = ?1 AND phone = ?2
     UNION ALL SELECT id FROM contacts WHERE list_id = ?1 AND whatsapp = ?2)";

/// Reads the contacts of a list with this phone or WhatsApp number, newest first.
pub fn find_by_number(
    tx: &ReadTx,
    scope: ContactScope,
    number: &str,
    page: Option<PageRequest>,
) -> Result<Vec<Contact>> {
    let (size, offset) = page.map_or((-1, 0), |p| (i64::from(p.size), p.offset() as i64));
    let condition = format!("{WITH_NUMBER} ORDER BY created_at DESC, uid DESC LIMIT ?3 OFFSET ?4");
    read_where(tx, scope, &condition, &[&scope.row.0, &number, &size, &offset])
}

pub fn count_with_number(tx: &ReadTx, list: ListRow, number: &str) -> Result<u64> {
    Ok(tx.read_value::<i64>(&format!("SELECT count(*) FROM contacts WHERE {WITH_NUMBER}"), params![list.0, number])?
        as u64)
}

/// Deletes a contact and updates its list's time and count. Returns the list that it was in.
pub fn delete(tx: &WriteTx, uid: &ContactId, at: Timestamp) -> Result<Option<ListId>> {
    let found: Option<(i64, i64, String)> = tx.find_row(
        "SELECT c.id, c.list_id, l.uid FROM contacts c JOIN lists l ON l.id = c.list_id WHERE c.uid = ?1",
        [uid.as_str()],
        |r| Ok((r.get(0)?, r.get(1)?, r.get(2)?)),
    )?;
    let Some((id, list, list_uid)) = found else { return Ok(None) };
    tx.execute_sql("DELETE FROM contacts WHERE id = ?1", [id])?;
    lists::touch(tx, ListRow(list), at, -1)?;
    Ok(Some(parse_stored_id(2, ListId::parse(&list_uid))?))
}

/// Inserts contacts unchanged, including their times. The caller adds them to the list's count.
pub struct ContactInserter<'t> {
    conn: &'t rusqlite::Connection,
    statement: rusqlite::CachedStatement<'t>,
    list: ListRow,
    custom: usize,
}

impl<'t> ContactInserter<'t> {
    pub fn new(tx: &'t WriteTx, list: ListRow, custom: &[u32]) -> Result<Self> {
        let places: Vec<String> = (1..=FIRST_CUSTOM + custom.len() + 1).map(|n| format!("?{n}")).collect();
        let sql = format!("INSERT INTO contacts ({}, list_id) VALUES ({})", column_names(custom), places.join(", "));
        Ok(Self { conn: tx.conn(), statement: tx.conn().prepare_cached(&sql)?, list, custom: custom.len() })
    }

    /// Inserts a contact and returns its row. `contact.custom` is in the order of the fields that were passed to
    /// [`new`](Self::new).
    pub fn insert(&mut self, contact: &Contact) -> Result<i64> {
        let s = &mut self.statement;
        s.raw_bind_parameter(1, contact.uid.as_str())?;
        for (at, phone) in [(2, &contact.phone), (4, &contact.whatsapp)] {
            s.raw_bind_parameter(at, phone.as_ref().map(|p| p.e164.as_str()))?;
            s.raw_bind_parameter(at + 1, phone.as_ref().map(|p| p.region.as_str()))?;
        }
        for (i, text) in contact.attributes.iter().enumerate() {
            s.raw_bind_parameter(FIRST_ATTRIBUTE + 1 + i, text.as_deref())?;
        }
        s.raw_bind_parameter(CREATED_AT + 1, contact.created_at.unix())?;
        s.raw_bind_parameter(CREATED_AT + 2, contact.updated_at.map(Timestamp::unix))?;
        for i in 0..self.custom {
            s.raw_bind_parameter(FIRST_CUSTOM + 1 + i, contact.custom.get(i).and_then(Option::as_deref))?;
        }
        s.raw_bind_parameter(FIRST_CUSTOM + self.custom + 1, self.list.0)?;
        s.raw_execute()?;
        Ok(self.conn.last_insert_rowid())
    }
}

/// Counts the contacts of the whole account.
pub fn count(tx: &ReadTx) -> Result<u64> {
    let total: Value = tx.read_value("SELECT coalesce(sum(contact_count), 0) FROM lists", [])?;
    Ok(if let Value::Integer(n) = total { n as u64 } else { 0 })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{db::Db, error::StoreError};

    #[test]
    fn a_search_does_not_walk_the_list() {
        let db = Db::in_memory().unwrap();
        let plan: Vec<String> = db
            .read(|tx| {
                let sql = format!(
                    "EXPLAIN QUERY PLAN SELECT uid FROM contacts WHERE {WITH_NUMBER} ORDER BY created_at DESC, uid DESC"
                );
                let mut statement = tx.conn().prepare(&sql)?;
                let steps = statement
                    .query_map(params![1, "+447700900001"], |row| row.get(3))?
                    .collect::<rusqlite::Result<_>>()?;
                Ok::<_, StoreError>(steps)
            })
            .unwrap();
        let uses = |words: &str| plan.iter().any(|step| step.contains(words));
        assert!(
            uses("contacts_by_phone (list_id=? AND phone=?)")
                && uses("contacts_by_whatsapp (list_id=? AND whatsapp=?)"),
            "{plan:?}"
        );
        assert!(!uses("contacts_by_age"), "{plan:?}");
    }
}
