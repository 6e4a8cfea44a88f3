//! Writes cells of many contacts: each row its own values, or one value for all in one statement.

use std::fmt::Write;

use roost_model::{contact::ContactField, time::Timestamp};
use rusqlite::{CachedStatement, params_from_iter, types::Value};

use super::super::list_view;
use crate::{error::Result, tables::lists::ListRow, tx::WriteTx};

/// Sets the same columns of one contact after another.
pub struct CellSetter<'t> {
    statement: CachedStatement<'t>,
}

impl<'t> CellSetter<'t> {
    pub fn new(tx: &'t WriteTx, fields: &[ContactField]) -> Result<Self> {
        let mut sql = "UPDATE contacts SET updated_at = ?2".to_owned();
        for (n, field) in fields.iter().enumerate() {
            let _ = write!(sql, ", {} = ?{}", list_view::column_name(*field), n + 3);
        }
        sql.push_str(" WHERE id = ?1");
        Ok(Self { statement: tx.conn().prepare_cached(&sql)? })
    }

    /// Sets the fields of a contact. `values` are in the order of the fields that were passed to [`new`](Self::new).
    pub fn set_cells(&mut self, contact: i64, at: Timestamp, values: &[Option<String>]) -> Result<()> {
        let s = &mut self.statement;
        s.raw_bind_parameter(1, contact)?;
        s.raw_bind_parameter(2, at.unix())?;
        for (n, value) in values.iter().enumerate() {
            s.raw_bind_parameter(n + 3, value.as_deref())?;
        }
        s.raw_execute()?;
        Ok(())
    }
}

/// Number of contacts that exist, and of those and of their cells that a value changes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CellChangeCounts {
    pub rows: u64,
    pub rows_changed: u64,
    pub cells_changed: u64,
}

/// Sets some columns of some contacts of a list to one value. Contacts that have the value already are not touched.
pub fn set_all(
    tx: &WriteTx,
    list: ListRow,
    contacts: &[i64],
    fields: &[ContactField],
    value: Option<&str>,
    at: Timestamp,
) -> Result<CellChangeCounts> {
    let columns: Vec<String> = fields.iter().map(|field| list_view::column_name(*field)).collect();
    let differs = |between: &str| columns.iter().map(|c| format!("({c} IS NOT ?3)")).collect::<Vec<_>>().join(between);
    let ids = serde_json::to_string(contacts).unwrap_or_default();
    let text = value.map_or(Value::Null, |text| Value::from(text.to_owned()));
    let reached = "FROM main.contacts WHERE id IN (SELECT value FROM json_each(?1)) AND +list_id = ?2";
    let sql = format!("SELECT count(*), total({}), total({}) {reached}", differs(" OR "), differs(" + "));
    let values = [Value::from(ids), list.0.into(), text];
    let found = tx.read_row(&sql, params_from_iter(&values), |row| {
        let whole = |at: usize| row.get::<_, f64>(at).map(|n| n as u64);
        Ok(CellChangeCounts { rows: row.get::<_, i64>(0)? as u64, rows_changed: whole(1)?, cells_changed: whole(2)? })
    })?;
    if found.rows_changed > 0 {
        let sets: Vec<String> = columns.iter().map(|column| format!("{column} = ?3")).collect();
        let sql = format!(
            "UPDATE main.contacts SET updated_at = ?4, {} WHERE id IN (SELECT value FROM json_each(?1))
             AND +list_id = ?2 AND ({})",
            sets.join(", "),
            differs(" OR ")
        );
        let values = values.into_iter().chain([Value::from(at.unix())]);
        tx.execute_sql(&sql, params_from_iter(values))?;
    }
    Ok(found)
}
