//! The saved_views table: named filters, sort orders and layouts of a list.

use roost_model::id::ViewUid;
use rusqlite::{OptionalExtension, Row, params};

use super::ListRow;
use crate::{
    error::Result,
    tables::parse_stored_id,
    tx::{ReadTx, WriteTx},
};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SavedView {
    pub uid: ViewUid,
    pub name: String,
    /// Filter, sort order and layout as JSON.
    pub spec: String,
}

fn row_to_view(row: &Row) -> rusqlite::Result<SavedView> {
    let uid: String = row.get(0)?;
    Ok(SavedView { uid: parse_stored_id(0, ViewUid::parse(&uid))?, name: row.get(1)?, spec: row.get(2)? })
}

/// Reads the views of a list in their order.
pub fn read_views(tx: &ReadTx, list: ListRow) -> Result<Vec<SavedView>> {
    let mut statement =
        tx.conn().prepare_cached("SELECT uid, name, spec FROM saved_views WHERE list_id = ?1 ORDER BY position, id")?;
    Ok(statement.query_map([list.0], row_to_view)?.collect::<rusqlite::Result<_>>()?)
}

/// Reads a view and its list.
pub fn get(tx: &ReadTx, uid: &ViewUid) -> Result<Option<(ListRow, SavedView)>> {
    let mut statement = tx
        .conn()
        .prepare_cached("SELECT uid, name, spec, list_id FROM saved_views WHERE uid = ?1 AND list_id IS NOT NULL")?;
    Ok(statement.query_row([uid.as_str()], |row| Ok((ListRow(row.get(3)?), row_to_view(row)?))).optional()?)
}

/// Adds a view after the others of its list.
pub fn insert(tx: &WriteTx, list: ListRow, view: &SavedView) -> Result<()> {
    tx.execute_sql(
        "INSERT INTO saved_views (uid, list_id, name, spec, position)
         VALUES (?1, ?2, ?3, ?4, (SELECT coalesce(max(position), 0) + 1 FROM saved_views WHERE list_id = ?2))",
        params![view.uid.as_str(), list.0, view.name, view.spec],
    )?;
    Ok(())
}

/// Replaces the name and the content of a view.
pub fn update(tx: &WriteTx, view: &SavedView) -> Result<()> {
    tx.execute_sql(
        "UPDATE saved_views SET name = ?2, spec = ?3 WHERE uid = ?1",
        params![view.uid.as_str(), view.name, view.spec],
    )?;
    Ok(())
}

pub fn delete(tx: &WriteTx, uid: &ViewUid) -> Result<()> {
    tx.execute_sql("DELETE FROM saved_views WHERE uid = ?1", [uid.as_str()])?;
    Ok(())
}
