//! The custom_fields table, and the columns of contacts that belong to it.

use roost_model::custom_field::CustomField;
use rusqlite::params;

use crate::{
    error::Result,
    tx::{ReadTx, WriteTx},
};

pub fn all(tx: &ReadTx) -> Result<Vec<CustomField>> {
    let mut statement =
        tx.conn().prepare_cached("SELECT number, label FROM custom_fields WHERE removed = 0 ORDER BY number")?;
    Ok(statement
        .query_map([], |r| Ok(CustomField { number: r.get(0)?, label: r.get(1)? }))?
        .collect::<rusqlite::Result<_>>()?)
}

/// Numbers of the defined fields, rising.
pub fn numbers(tx: &ReadTx) -> Result<Vec<u32>> {
    let mut statement =
        tx.conn().prepare_cached("SELECT number FROM custom_fields WHERE removed = 0 ORDER BY number")?;
    Ok(statement.query_map([], |r| r.get(0))?.collect::<rusqlite::Result<_>>()?)
}

/// One more than the highest number ever used.
pub fn next_number(tx: &ReadTx) -> Result<u32> {
    Ok(tx
        .conn()
        .prepare_cached("SELECT coalesce(max(number), 0) + 1 FROM custom_fields")?
        .query_row([], |r| r.get(0))?)
}

/// Adds a field, and its column unless contacts have it already.
pub fn insert(tx: &WriteTx, field: &CustomField) -> Result<()> {
    tx.conn()
        .prepare_cached("INSERT INTO custom_fields (number, label) VALUES (?1, ?2)")?
        .execute(params![field.number, field.label])?;
    let column = format!("field_{}", field.number);
    let exists = tx.conn().prepare("SELECT 1 FROM pragma_table_info('contacts') WHERE name = ?1")?.exists([&column])?;
    if !exists {
        tx.conn().execute_batch(&format!("ALTER TABLE contacts ADD COLUMN {column} TEXT"))?;
    }
    Ok(())
}

pub fn rename(tx: &WriteTx, number: u32, label: &str) -> Result<bool> {
    let mut statement =
        tx.conn().prepare_cached("UPDATE custom_fields SET label = ?2 WHERE number = ?1 AND removed = 0")?;
    Ok(statement.execute(params![number, label])? > 0)
}

/// Removes a field and its values; the emptied column stays, so no row is rewritten for nothing.
pub fn remove(tx: &WriteTx, number: u32) -> Result<bool> {
    let mut statement =
        tx.conn().prepare_cached("UPDATE custom_fields SET removed = 1 WHERE number = ?1 AND removed = 0")?;
    let there = statement.execute([number])? > 0;
    if there {
        tx.conn()
            .execute(&format!("UPDATE contacts SET field_{number} = NULL WHERE field_{number} IS NOT NULL"), [])?;
    }
    Ok(there)
}

/// Replaces all definitions of an account that holds no contacts.
pub fn clear(tx: &WriteTx) -> Result<()> {
    tx.conn().execute("DELETE FROM custom_fields", [])?;
    Ok(())
}
