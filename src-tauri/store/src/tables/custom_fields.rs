//! The custom_fields table, and the columns of contacts that belong to it.

use roost_model::custom_field::CustomField;
use rusqlite::params;

use crate::{
    error::Result,
    row_recorder,
    tables::sync,
    tx::{ReadTx, WriteTx},
};

pub fn read_all(tx: &ReadTx) -> Result<Vec<CustomField>> {
    tx.read_rows("SELECT number, label FROM custom_fields WHERE removed = 0 ORDER BY number", [], |r| {
        Ok(CustomField { number: r.get(0)?, label: r.get(1)? })
    })
}

/// Reads the defined fields in the order of the screen: those with a position first.
pub fn read_in_order(tx: &ReadTx) -> Result<Vec<CustomField>> {
    tx.read_rows(
        "SELECT number, label FROM custom_fields WHERE removed = 0 ORDER BY position IS NULL, position, number",
        [],
        |r| Ok(CustomField { number: r.get(0)?, label: r.get(1)? }),
    )
}

/// Gives these fields the first positions, in this order.
pub fn set_order(tx: &WriteTx, numbers: &[u32]) -> Result<()> {
    let mut statement =
        tx.conn().prepare_cached("UPDATE custom_fields SET position = ?2 WHERE number = ?1 AND position IS NOT ?2")?;
    for (position, number) in (1_i64..).zip(numbers) {
        statement.execute(params![number, position])?;
    }
    Ok(())
}

/// Returns the numbers of the defined fields in ascending order.
pub fn defined_numbers(tx: &ReadTx) -> Result<Vec<u32>> {
    tx.read_rows("SELECT number FROM custom_fields WHERE removed = 0 ORDER BY number", [], |r| r.get(0))
}

/// Returns one more than the highest number that was ever used.
pub fn next_number(tx: &ReadTx) -> Result<u32> {
    tx.read_value("SELECT coalesce(max(number), 0) + 1 FROM custom_fields", [])
}

/// Adds a field, and its column unless the contacts table has it already.
pub fn insert(tx: &WriteTx, field: &CustomField) -> Result<()> {
    tx.execute_sql("INSERT INTO custom_fields (number, label) VALUES (?1, ?2)", params![field.number, field.label])?;
    let column = format!("field_{}", field.number);
    let exists = tx.conn().prepare("SELECT 1 FROM pragma_table_info('contacts') WHERE name = ?1")?.exists([&column])?;
    if !exists {
        tx.conn().execute_batch(&format!("ALTER TABLE contacts ADD COLUMN {column} TEXT"))?;
        row_recorder::recreate_triggers(tx.conn(), "contacts")?;
        sync::tracking::update_triggers(tx.conn())?;
    }
    Ok(())
}

pub fn rename(tx: &WriteTx, number: u32, label: &str) -> Result<bool> {
    let mut statement =
        tx.conn().prepare_cached("UPDATE custom_fields SET label = ?2 WHERE number = ?1 AND removed = 0")?;
    Ok(statement.execute(params![number, label])? > 0)
}

/// Removes a field and its values. The empty column stays, so that no row is rewritten for it. Returns how many
/// contacts had a value, or `None` if the field does not exist.
pub fn remove(tx: &WriteTx, number: u32) -> Result<Option<u64>> {
    let mut statement =
        tx.conn().prepare_cached("UPDATE custom_fields SET removed = 1 WHERE number = ?1 AND removed = 0")?;
    if statement.execute([number])? == 0 {
        return Ok(None);
    }
    tx.execute_sql("DELETE FROM drafts WHERE field = 'field_' || ?1", [number])?;
    let sql = format!("UPDATE contacts SET field_{number} = NULL WHERE field_{number} IS NOT NULL");
    Ok(Some(tx.conn().execute(&sql, [])? as u64))
}

/// Returns the numbers of columns without a field, because the creation of the field was undone.
pub fn orphan_columns(tx: &ReadTx) -> Result<Vec<u32>> {
    let mut statement = tx.conn().prepare_cached(
        "SELECT CAST(substr(name, 7) AS INTEGER) AS number FROM pragma_table_info('contacts')
         WHERE name GLOB 'field_[0-9]*' AND number NOT IN (SELECT number FROM custom_fields)",
    )?;
    Ok(statement.query_map([], |r| r.get(0))?.collect::<rusqlite::Result<_>>()?)
}

/// Returns whether any contact has a value in the column of this number, whether or not the field is defined.
pub fn has_values(tx: &ReadTx, number: u32) -> Result<bool> {
    let column = format!("field_{number}");
    let exists = tx.conn().prepare("SELECT 1 FROM pragma_table_info('contacts') WHERE name = ?1")?.exists([&column])?;
    Ok(exists && tx.conn().prepare(&format!("SELECT 1 FROM contacts WHERE {column} IS NOT NULL"))?.exists([])?)
}

/// Deletes all definitions. The account must not hold contacts.
pub fn clear(tx: &WriteTx) -> Result<()> {
    tx.conn().execute("DELETE FROM custom_fields", [])?;
    Ok(())
}
