//! Stores drafts: values that a person typed and a rule refuses. A draft stays beside the contact until the cell gets a
//! valid value.

use std::collections::HashMap;

use rusqlite::params;

use crate::{
    error::Result,
    tables::lists::ListRow,
    tx::{ReadTx, WriteTx},
};

/// Fields with their drafts, by contact.
pub type DraftsByContact = HashMap<i64, Vec<(String, String)>>;

/// Returns whether the account has any draft.
pub fn has_any(tx: &ReadTx) -> Result<bool> {
    tx.has_row("SELECT 1 FROM drafts", [])
}

/// Reads the drafts of these contacts.
pub fn read_drafts(tx: &ReadTx, ids: &[i64]) -> Result<DraftsByContact> {
    let mut drafts = DraftsByContact::new();
    if !has_any(tx)? {
        return Ok(drafts);
    }
    let mut statement = tx.conn().prepare_cached(
        "SELECT contact_id, field, text FROM drafts WHERE contact_id IN (SELECT value FROM json_each(?1))",
    )?;
    let mut rows = statement.query([serde_json::to_string(ids).unwrap_or_default()])?;
    while let Some(row) = rows.next()? {
        drafts.entry(row.get(0)?).or_default().push((row.get(1)?, row.get(2)?));
    }
    Ok(drafts)
}

/// Returns the row ids of all contacts with a draft.
pub fn contacts_with_draft(tx: &ReadTx) -> Result<Vec<i64>> {
    tx.read_rows("SELECT DISTINCT contact_id FROM drafts ORDER BY contact_id", [], |row| row.get(0))
}

/// Returns the row ids of a list's contacts with a draft in one of these fields.
pub fn contacts_of_list(tx: &ReadTx, list: ListRow, fields: &[String]) -> Result<Vec<i64>> {
    tx.read_rows(
        "SELECT DISTINCT d.contact_id FROM drafts AS d CROSS JOIN contacts AS c ON c.id = d.contact_id
         WHERE c.list_id = ?1 AND d.field IN (SELECT value FROM json_each(?2)) ORDER BY d.contact_id",
        params![list.number(), serde_json::to_string(fields).unwrap_or_default()],
        |row| row.get(0),
    )
}

/// Returns the row ids of the contacts with a draft in a field, and whether the draft has text.
pub fn contacts_with_draft_in(tx: &ReadTx, field: &str) -> Result<Vec<(i64, bool)>> {
    tx.read_rows("SELECT contact_id, text <> '' FROM drafts WHERE field = ?1", [field], |row| {
        Ok((row.get(0)?, row.get(1)?))
    })
}

/// Stores what was typed into a cell, or removes the draft if there is no text.
pub fn set_draft(tx: &WriteTx, contact: i64, field: &str, text: Option<&str>) -> Result<()> {
    match text {
        Some(text) => tx.execute_sql(
            "INSERT INTO drafts (contact_id, field, text) VALUES (?1, ?2, ?3)
             ON CONFLICT (contact_id, field) DO UPDATE SET text = ?3 WHERE text <> ?3",
            params![contact, field, text],
        )?,
        None => tx.execute_sql("DELETE FROM drafts WHERE contact_id = ?1 AND field = ?2", params![contact, field])?,
    };
    Ok(())
}

/// Removes the drafts of some fields of a contact and returns how many there were.
pub fn remove_drafts(tx: &WriteTx, contact: i64, fields: &[&str]) -> Result<u64> {
    let fields = serde_json::to_string(fields).unwrap_or_default();
    let removed = tx.execute_sql(
        "DELETE FROM drafts WHERE contact_id = ?1 AND field IN (SELECT value FROM json_each(?2))",
        params![contact, fields],
    )?;
    Ok(removed as u64)
}
