//! Reads what is recorded about one record.

use rusqlite::{OptionalExtension, ToSql, types::Value};

use super::{
    DELETED, INSERTED, INSERTED_RANGE, UPDATED, image,
    places::{PLACES, Place},
    range,
};
use crate::{change_log::Noun, error::Result, tx::ReadTx};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EventKind {
    Created,
    Updated,
    Deleted,
}

/// One field before and after a change, as texts. `None` means that it was empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldChange {
    /// Name of the column.
    pub field: String,
    pub before: Option<String>,
    pub after: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowEvent {
    pub step: i64,
    pub kind: EventKind,
    /// The fields that an update changed or a deletion removed.
    pub fields: Vec<FieldChange>,
}

/// Columns that are not shown to people as fields.
const INNER: &[&str] = &["id", "uid", "list_id", "name_folded", "created_at", "updated_at", "contact_count"];

fn place_of(noun: Noun) -> Option<&'static Place> {
    PLACES.iter().find(|place| place.noun == noun)
}

/// Reads the changes of a record, newest first. A deleted record is found by its last image.
pub fn of(tx: &ReadTx, noun: Noun, uid: &str) -> Result<Vec<RowEvent>> {
    let Some(place) = place_of(noun) else { return Ok(Vec::new()) };
    let columns = place.columns(tx.conn())?;
    let key: Option<Value> = if columns.iter().any(|column| column == "uid") {
        let sql = format!("SELECT {} FROM {} WHERE uid = ?1", place.key[0], place.table);
        tx.conn().prepare_cached(&sql)?.query_row([uid], |row| row.get(0)).optional()?
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
            INSERTED => (EventKind::Created, Vec::new()),
            UPDATED => (EventKind::Updated, updated(&columns, &data)),
            DELETED => (EventKind::Deleted, taken(&columns, &data)),
            _ => continue,
        };
        if kind != EventKind::Updated || !fields.is_empty() {
            events.push(RowEvent { step, kind, fields });
        }
    }
    if let Value::Integer(key) = key {
        events.extend(made_with_others(tx, place, key)?.map(|step| RowEvent {
            step,
            kind: EventKind::Created,
            fields: Vec::new(),
        }));
    }
    Ok(events)
}

/// Returns the step that last deleted the row with this key.
pub fn deleted_by(tx: &ReadTx, noun: Noun, key: &dyn ToSql) -> Result<Option<i64>> {
    let Some(place) = place_of(noun) else { return Ok(None) };
    let mut statement = tx.conn().prepare_cached(
        "SELECT step FROM row_changes WHERE place = ?1 AND key = ?2 AND kind = ?3 ORDER BY id DESC LIMIT 1",
    )?;
    Ok(statement.query_row((place.number, key, DELETED), |row| row.get(0)).optional()?)
}

/// Returns the step that inserted a row as one of a range.
fn made_with_others(tx: &ReadTx, place: &Place, key: i64) -> Result<Option<i64>> {
    let sql = format!(
        "SELECT step, key, data FROM row_changes WHERE place = ?1 AND kind = {INSERTED_RANGE} AND key <= ?2 ORDER BY key DESC LIMIT 1"
    );
    let mut statement = tx.conn().prepare_cached(&sql)?;
    let found: Option<(i64, i64, Vec<u8>)> =
        statement.query_row((place.number, key), |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?))).optional()?;
    Ok(found.filter(|(_, first, data)| key - first < range::read_count(data)).map(|(step, ..)| step))
}

fn text(value: Value) -> Option<String> {
    match value {
        Value::Null | Value::Blob(_) => None,
        Value::Integer(n) => Some(n.to_string()),
        Value::Real(n) => Some(n.to_string()),
        Value::Text(text) => Some(text),
    }
}

pub(super) fn is_shown(column: &str) -> bool {
    !INNER.contains(&column)
}

fn updated(columns: &[String], data: &[u8]) -> Vec<FieldChange> {
    let changes = image::read_changes(data).unwrap_or_default();
    let shown = changes.into_iter().filter_map(|change| {
        let field = columns.get(change.column).filter(|column| is_shown(column))?.clone();
        Some(FieldChange { field, before: text(change.old), after: text(change.new) })
    });
    shown.collect()
}

fn taken(columns: &[String], data: &[u8]) -> Vec<FieldChange> {
    let values = image::read_row(data).unwrap_or_default();
    let shown = columns.iter().zip(values).filter(|(column, value)| is_shown(column) && *value != Value::Null);
    shown.map(|(column, value)| FieldChange { field: column.clone(), before: text(value), after: None }).collect()
}
