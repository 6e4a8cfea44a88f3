//! Reads and writes the lists table.

pub mod cards;
pub mod facts;
pub mod list_changes;
pub mod readiness;
pub mod saved_views;

use roost_model::{
    id::ListId,
    list::{List, ListQuery, ListSort, ListValues},
    page::{Page, SortOrder},
    time::Timestamp,
};
use rusqlite::{OptionalExtension, Row, params};

use super::parse_stored_id;
use crate::{
    error::Result,
    tx::{ReadTx, WriteTx},
};

/// The row of a list in the database, to which contacts refer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ListRow(pub(crate) i64);

impl ListRow {
    pub fn number(self) -> i64 {
        self.0
    }
}

const COLUMNS: &str = "uid, name, contact_count, created_at, updated_at";

fn row_to_list(row: &Row) -> rusqlite::Result<List> {
    let uid: String = row.get(0)?;
    Ok(List {
        uid: parse_stored_id(0, ListId::parse(&uid))?,
        name: row.get(1)?,
        contact_count: row.get::<_, i64>(2)? as u64,
        created_at: Timestamp::from_unix(row.get(3)?),
        updated_at: Timestamp::from_unix(row.get(4)?),
    })
}

/// The SQL after the columns and the value of `?1`.
fn page_sql(query: &ListQuery) -> (String, String) {
    let column = match query.sort {
        ListSort::UpdatedAt => "updated_at",
        ListSort::CreatedAt => "created_at",
        ListSort::Name => "name_folded",
    };
    let direction = match query.order {
        SortOrder::Ascending => "ASC",
        SortOrder::Descending => "DESC",
    };
    let (filter, folded) = match &query.name {
        Some(name) => ("instr(name_folded, ?1) > 0", name.to_lowercase()),
        None => ("?1 = ''", String::new()),
    };
    let sql = format!("FROM lists WHERE {filter} ORDER BY {column} {direction}, uid {direction} LIMIT ?2 OFFSET ?3");
    (sql, folded)
}

/// Counts the lists of all pages.
pub fn count(tx: &ReadTx, query: &ListQuery) -> Result<u64> {
    // Without a condition, SQLite counts from an index instead of checking every row.
    let total: i64 = match &query.name {
        Some(name) => {
            tx.read_value("SELECT count(*) FROM lists WHERE instr(name_folded, ?1) > 0", [name.to_lowercase()])?
        }
        None => tx.read_value("SELECT count(*) FROM lists", [])?,
    };
    Ok(total as u64)
}

pub fn read_page(tx: &ReadTx, query: &ListQuery) -> Result<Page<List>> {
    let (sql, folded) = page_sql(query);
    let mut statement = tx.conn().prepare_cached(&format!("SELECT {COLUMNS} {sql}"))?;
    let rows = statement.query_map(params![folded, query.page.size, query.page.offset() as i64], row_to_list)?;
    Ok(Page { items: rows.collect::<rusqlite::Result<_>>()?, total_items: count(tx, query)? })
}

/// Lends the lists of a page to `visit`.
pub fn visit_page(tx: &ReadTx, query: &ListQuery, mut visit: impl FnMut(&ListValues)) -> Result<()> {
    let (sql, folded) = page_sql(query);
    let mut statement = tx.conn().prepare_cached(&format!("SELECT uid, name, created_at, updated_at {sql}"))?;
    let mut rows = statement.query(params![folded, query.page.size, query.page.offset() as i64])?;
    while let Some(row) = rows.next()? {
        let text = |at: usize| row.get_ref(at)?.as_str().map_err(rusqlite::Error::from);
        parse_stored_id(0, ListId::parse(text(0)?))?;
        let time = |at: usize| row.get(at).map(Timestamp::from_unix);
        visit(&ListValues { uid: text(0)?, name: text(1)?, created_at: time(2)?, updated_at: time(3)? });
    }
    Ok(())
}

/// Reads every list in the order of creation.
pub fn read_all(tx: &ReadTx) -> Result<Vec<List>> {
    tx.read_rows(&format!("SELECT {COLUMNS} FROM lists ORDER BY id"), [], row_to_list)
}

pub fn get(tx: &ReadTx, uid: &ListId) -> Result<Option<List>> {
    tx.find_row(&format!("SELECT {COLUMNS} FROM lists WHERE uid = ?1"), [uid.as_str()], row_to_list)
}

pub fn row_of(tx: &ReadTx, uid: &ListId) -> Result<Option<ListRow>> {
    tx.find_row("SELECT id FROM lists WHERE uid = ?1", [uid.as_str()], |r| r.get(0).map(ListRow))
}

/// Finds a list and the number of its contacts.
pub fn find_with_count(tx: &ReadTx, uid: &ListId) -> Result<Option<(ListRow, u64)>> {
    let mut statement = tx.conn().prepare_cached("SELECT id, contact_count FROM lists WHERE uid = ?1")?;
    let read = statement.query_row([uid.as_str()], |row| Ok((ListRow(row.get(0)?), row.get::<_, i64>(1)? as u64)));
    Ok(read.optional()?)
}

/// Returns whether a list has this name. Surrounding spaces and case are ignored.
pub fn is_name_taken(tx: &ReadTx, name: &str) -> Result<bool> {
    let mut statement = tx.conn().prepare_cached("SELECT name_folded FROM lists WHERE instr(name_folded, ?1) > 0")?;
    let wanted = name.trim().to_lowercase();
    let mut rows = statement.query([&wanted])?;
    while let Some(row) = rows.next()? {
        if row.get_ref(0)?.as_str().map_err(rusqlite::Error::from)?.trim() == wanted {
            return Ok(true);
        }
    }
    Ok(false)
}

pub fn insert(tx: &WriteTx, list: &List) -> Result<ListRow> {
    tx.execute_sql(
        "INSERT INTO lists (uid, name, name_folded, created_at, updated_at) VALUES (?1, ?2, ?3, ?4, ?5)",
        params![list.uid.as_str(), list.name, list.name.to_lowercase(), list.created_at.unix(), list.updated_at.unix()],
    )?;
    Ok(ListRow(tx.conn().last_insert_rowid()))
}

pub fn rename(tx: &WriteTx, uid: &ListId, name: &str, at: Timestamp) -> Result<bool> {
    let mut statement =
        tx.conn().prepare_cached("UPDATE lists SET name = ?2, name_folded = ?3, updated_at = ?4 WHERE uid = ?1")?;
    Ok(statement.execute(params![uid.as_str(), name, name.to_lowercase(), at.unix()])? > 0)
}

/// Sets the list's time after a change of its contacts, and adds `added` to its count.
pub fn touch(tx: &WriteTx, list: ListRow, at: Timestamp, added: i64) -> Result<()> {
    tx.execute_sql(
        "UPDATE lists SET updated_at = ?2, contact_count = contact_count + ?3 WHERE id = ?1",
        params![list.0, at.unix(), added],
    )?;
    Ok(())
}

/// Adds contacts to the count without changing the time, because seeded lists bring their own times.
pub fn add_count(tx: &WriteTx, list: ListRow, added: u64) -> Result<()> {
    tx.execute_sql("UPDATE lists SET contact_count = contact_count + ?2 WHERE id = ?1", params![list.0, added as i64])?;
    Ok(())
}

/// Deletes a list and its contacts.
pub fn delete(tx: &WriteTx, list: ListRow) -> Result<()> {
    tx.execute_sql("DELETE FROM list_notes WHERE list_id = ?1", [list.0])?;
    tx.execute_sql("DELETE FROM contacts WHERE list_id = ?1", [list.0])?;
    tx.execute_sql("DELETE FROM lists WHERE id = ?1", [list.0])?;
    Ok(())
}
