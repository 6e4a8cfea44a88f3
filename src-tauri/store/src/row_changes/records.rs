//! Reads what is recorded about one record.

use rusqlite::{ToSql, types::Value};
use serde::Serialize;

use crate::{
    change_log::{ChangeAction, Noun},
    error::Result,
    row_recorder::{
        DELETED, INSERTED, INSERTED_RANGE, UPDATED, range, row_encoding,
        tracked_tables::{TRACKED_TABLES, TrackedTable},
    },
    tx::ReadTx,
};

/// One field before and after a change, as texts. `None` means that it was empty.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename = "RecordField"))]
pub struct FieldChange {
    /// Name of the column.
    pub field: String,
    pub before: Option<String>,
    pub after: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowEvent {
    pub step: i64,
    pub kind: ChangeAction,
    /// The fields that an update changed or a deletion removed.
    pub fields: Vec<FieldChange>,
}

/// Columns that are not shown to people as fields.
const INTERNAL_COLUMNS: &[&str] = &["id", "uid", "list_id", "name_folded", "created_at", "updated_at", "contact_count"];

fn table_of_noun(noun: Noun) -> Option<&'static TrackedTable> {
    TRACKED_TABLES.iter().find(|place| place.noun == noun)
}

/// Reads the changes of a record, newest first. A deleted record is found by its last image.
pub fn read_events(tx: &ReadTx, noun: Noun, uid: &str) -> Result<Vec<RowEvent>> {
    let Some(place) = table_of_noun(noun) else { return Ok(Vec::new()) };
    let columns = place.read_columns(tx.conn())?;
    let key: Option<Value> = if columns.iter().any(|column| column == "uid") {
        let sql = format!("SELECT {} FROM {} WHERE uid = ?1", place.key[0], place.table);
        tx.find_value(&sql, [uid])?
    } else {
        Some(uid.parse().map_or_else(|_| Value::Text(uid.to_owned()), Value::Integer))
    };
    let Some(key) = key else { return Ok(Vec::new()) };
    let mut statement = tx.conn().prepare_cached(
        "SELECT step, kind, data FROM row_changes WHERE place = ?1 AND key = ?2 ORDER BY id DESC LIMIT 1000",
    )?;
    let rows = statement.query_map((place.number, &key), |row| {
        Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?, row.get::<_, Option<Vec<u8>>>(2)?))
    })?;
    let mut events = Vec::new();
    for row in rows {
        let (step, kind, data) = row?;
        let data = data.unwrap_or_default();
        let (kind, fields) = match kind {
            INSERTED => (ChangeAction::Created, Vec::new()),
            UPDATED => (ChangeAction::Updated, updated_fields(&columns, &data)),
            DELETED => (ChangeAction::Deleted, deleted_fields(&columns, &data)),
            _ => continue,
        };
        if kind != ChangeAction::Updated || !fields.is_empty() {
            events.push(RowEvent { step, kind, fields });
        }
    }
    if let Value::Integer(key) = key {
        events.extend(step_of_range(tx, place, key)?.map(|step| RowEvent {
            step,
            kind: ChangeAction::Created,
            fields: Vec::new(),
        }));
    }
    Ok(events)
}

/// Returns the step that last deleted the row with this key.
pub fn deleting_step(tx: &ReadTx, noun: Noun, key: &dyn ToSql) -> Result<Option<i64>> {
    let Some(place) = table_of_noun(noun) else { return Ok(None) };
    tx.find_value(
        "SELECT step FROM row_changes WHERE place = ?1 AND key = ?2 AND kind = ?3 ORDER BY id DESC LIMIT 1",
        (place.number, key, DELETED),
    )
}

/// Returns the step that inserted a row as one of a range.
fn step_of_range(tx: &ReadTx, place: &TrackedTable, key: i64) -> Result<Option<i64>> {
    let sql = format!(
        "SELECT step, key, data FROM row_changes WHERE place = ?1 AND kind = {INSERTED_RANGE} AND key <= ?2 ORDER BY key DESC LIMIT 1"
    );
    let found: Option<(i64, i64, Vec<u8>)> =
        tx.find_row(&sql, (place.number, key), |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
    Ok(found.filter(|(_, first, data)| key - first < range::decode_count(data)).map(|(step, ..)| step))
}

fn value_to_text(value: Value) -> Option<String> {
    match value {
        Value::Null | Value::Blob(_) => None,
        Value::Integer(n) => Some(n.to_string()),
        Value::Real(n) => Some(n.to_string()),
        Value::Text(text) => Some(text),
    }
}

pub(super) fn is_field(column: &str) -> bool {
    !INTERNAL_COLUMNS.contains(&column)
}

fn updated_fields(columns: &[String], data: &[u8]) -> Vec<FieldChange> {
    let changes = row_encoding::read_changes(data).unwrap_or_default();
    let shown = changes.into_iter().filter_map(|change| {
        let field = columns.get(change.column).filter(|column| is_field(column))?.clone();
        Some(FieldChange { field, before: value_to_text(change.old), after: value_to_text(change.new) })
    });
    shown.collect()
}

fn deleted_fields(columns: &[String], data: &[u8]) -> Vec<FieldChange> {
    let values = row_encoding::read_row(data).unwrap_or_default();
    let shown = columns.iter().zip(values).filter(|(column, value)| is_field(column) && *value != Value::Null);
    shown
        .map(|(column, value)| FieldChange { field: column.clone(), before: value_to_text(value), after: None })
        .collect()
}
