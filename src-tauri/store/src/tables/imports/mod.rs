//! The imports table: what was imported, when, and whether the import was reverted.

pub mod maps;
pub mod rejects;

use roost_model::{
    id::ListId,
    page::{Page, PageRequest},
    time::Timestamp,
};
use rusqlite::{Row, params};

use super::parse_stored_id;
use crate::{
    error::Result,
    tx::{ReadTx, WriteTx},
};

/// An import that is to be recorded. Its result, heads and mapping are JSON.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewImport<'a> {
    pub list: &'a ListId,
    pub list_name: &'a str,
    pub name: &'a str,
    pub kind: &'a str,
    pub of: Option<i64>,
    pub result: &'a str,
    pub heads: &'a str,
    pub mapping: &'a str,
}

/// One entry of the import history.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportRecord {
    pub id: i64,
    pub step: i64,
    pub at: Timestamp,
    pub list: ListId,
    pub list_name: String,
    pub list_exists: bool,
    pub name: String,
    pub kind: String,
    pub of: Option<i64>,
    pub result: String,
    /// Rejected rows that nobody has fixed or discarded.
    pub rejects: u64,
    pub reverted_at: Option<Timestamp>,
    /// Whether the rows that it changed are still recorded, so that it can be reverted.
    pub is_remembered: bool,
}

const SELECT: &str =
    "SELECT i.id, i.step, i.at, i.list_uid, i.list_name, EXISTS (SELECT 1 FROM lists WHERE uid = i.list_uid),
         i.name, i.kind, i.of, i.told, (SELECT count(*) FROM import_rejects WHERE import_id = i.id),
         CASE WHEN i.reverted_by IS NOT NULL THEN coalesce(r.at, i.at) END, s.first_row IS NOT NULL AND s.state = 'done'
     FROM imports AS i LEFT JOIN steps AS s ON s.id = i.step LEFT JOIN steps AS r ON r.id = i.reverted_by";

fn row_to_import(row: &Row) -> rusqlite::Result<ImportRecord> {
    let list: String = row.get(3)?;
    Ok(ImportRecord {
        id: row.get(0)?,
        step: row.get(1)?,
        at: Timestamp::from_unix(row.get(2)?),
        list: parse_stored_id(3, ListId::parse(&list))?,
        list_name: row.get(4)?,
        list_exists: row.get(5)?,
        name: row.get(6)?,
        kind: row.get(7)?,
        of: row.get(8)?,
        result: row.get(9)?,
        rejects: row.get::<_, i64>(10)? as u64,
        reverted_at: row.get::<_, Option<i64>>(11)?.map(Timestamp::from_unix),
        is_remembered: row.get::<_, Option<bool>>(12)?.unwrap_or(false),
    })
}

/// Records an import as part of the step that is being made.
pub fn insert(tx: &WriteTx, at: Timestamp, import: &NewImport) -> Result<i64> {
    tx.execute_sql(
        "INSERT INTO imports (step, at, list_uid, list_name, name, kind, of, told, heads, mapping)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
        params![
            tx.step(),
            at.unix(),
            import.list.as_str(),
            import.list_name,
            import.name,
            import.kind,
            import.of,
            import.result,
            import.heads,
            import.mapping
        ],
    )?;
    Ok(tx.conn().last_insert_rowid())
}

/// Marks an import as reverted by the step that is being made.
pub fn set_reverted(tx: &WriteTx, id: i64) -> Result<()> {
    tx.execute_sql("UPDATE imports SET reverted_by = ?2 WHERE id = ?1", [id, tx.step()])?;
    Ok(())
}

pub fn get(tx: &ReadTx, id: i64) -> Result<Option<ImportRecord>> {
    tx.find_row(&format!("{SELECT} WHERE i.id = ?1"), [id], row_to_import)
}

/// Finds the import whose result holds this mark.
pub fn find_by_mark(tx: &ReadTx, mark: &str) -> Result<Option<ImportRecord>> {
    tx.find_row(&format!("{SELECT} WHERE json_extract(i.told, '$.mark') = ?1"), [mark], row_to_import)
}

/// Reads a page of the imports, newest first.
pub fn read_page(tx: &ReadTx, page: PageRequest) -> Result<Page<ImportRecord>> {
    let total: i64 = tx.read_value("SELECT count(*) FROM imports", [])?;
    let mut statement = tx.conn().prepare_cached(&format!("{SELECT} ORDER BY i.id DESC LIMIT ?1 OFFSET ?2"))?;
    let rows = statement.query_map(params![page.size, page.offset() as i64], row_to_import)?;
    Ok(Page { items: rows.collect::<rusqlite::Result<_>>()?, total_items: total as u64 })
}

/// Returns the names of the columns and their mapping.
pub fn read_columns(tx: &ReadTx, id: i64) -> Result<Option<(String, String)>> {
    tx.find_row("SELECT heads, mapping FROM imports WHERE id = ?1", [id], |row| Ok((row.get(0)?, row.get(1)?)))
}
