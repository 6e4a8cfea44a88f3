//! Finds everything that an account file holds about one phone number, in every table and however it is written there.

use std::{collections::BTreeSet, path::Path};

use rusqlite::{
    Connection, Row, ToSql,
    types::{Value, ValueRef},
};

pub use super::number_text::WantedNumber;
use super::reading;
use crate::{
    error::Result,
    row_recorder::{INSERTED, UPDATED, row_encoding, tracked_tables::TrackedTable},
};

/// The number under which other tables name the contacts table.
const CONTACTS: u8 = TrackedTable::CONTACTS.number;

/// One row that is about the number, with its columns in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeldRecord {
    pub table: String,
    pub values: Vec<(String, HeldValue)>,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum HeldValue {
    Empty,
    Number(String),
    Text(String),
}

/// The tables that name a contact by its id instead of its number, with the condition.
const BY_CONTACT: &[(&str, &str)] = &[
    ("row_changes", "place = ?2 AND key = ?1"),
    ("job_outcomes", "contact_id = ?1 AND ?2 > 0"),
    ("drafts", "contact_id = ?1 AND ?2 > 0"),
    ("sync_ids", "place = ?2 AND id = ?1"),
    ("sync_base", "place = ?2 AND id = ?1"),
    ("sync_remote", "place = ?2 AND id = ?1"),
    ("sync_answers", "place = ?2 AND id = ?1"),
    ("sync_quarantine", "place = ?2 AND id = ?1"),
];

/// Searches an account file, open in another process or not. Reads every row of every table, so it takes a while.
pub fn find_held(path: &Path, wanted: &WantedNumber) -> Result<Vec<HeldRecord>> {
    reading::read_account(path, |tx, _| find_held_in(tx.conn(), wanted))
}

/// Searches an open account.
pub(super) fn find_held_in(conn: &Connection, wanted: &WantedNumber) -> Result<Vec<HeldRecord>> {
    let mut found = HeldRecords::default();
    let tables = read_table_names(conn)?;
    for table in &tables {
        let is_memory = table == "row_changes";
        found.collect(conn, table, &format!("SELECT * FROM \"{table}\""), &[], |row, columns| match is_memory {
            true => is_in_memory(row, wanted),
            false => (0..columns).any(|at| row.get_ref(at).is_ok_and(|value| wanted.is_in(value))),
        })?;
    }
    for id in std::mem::take(&mut found.contacts) {
        for (table, condition) in BY_CONTACT.iter().filter(|(table, _)| tables.iter().any(|name| name == table)) {
            let sql = format!("SELECT * FROM {table} WHERE {condition}");
            found.collect(conn, table, &sql, &[&id, &CONTACTS], |_, _| true)?;
        }
    }
    Ok(found.records)
}

/// Returns whether a row of the undo memory is about the number.
fn is_in_memory(row: &Row, wanted: &WantedNumber) -> bool {
    let kind = row.get("kind").unwrap_or_default();
    let is_in_data = matches!(row.get_ref("data"), Ok(ValueRef::Blob(data)) if wanted.is_in_change(kind, data));
    is_in_data || row.get_ref("key").is_ok_and(|key| wanted.is_in(key))
}

pub(super) fn read_table_names(conn: &Connection) -> Result<Vec<String>> {
    let mut statement = conn.prepare(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
         AND name <> 'refinery_schema_history' ORDER BY name",
    )?;
    Ok(statement.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?)
}

#[derive(Default)]
struct HeldRecords {
    records: Vec<HeldRecord>,
    /// The rows that are there already.
    seen: BTreeSet<(String, Vec<HeldValue>)>,
    /// The ids of the contacts that have the number, or had it.
    contacts: BTreeSet<i64>,
}

impl HeldRecords {
    fn collect(
        &mut self,
        conn: &Connection,
        table: &str,
        sql: &str,
        values: &[&dyn ToSql],
        is_wanted: impl Fn(&Row, usize) -> bool,
    ) -> Result<()> {
        let mut statement = conn.prepare(sql)?;
        let columns: Vec<String> = statement.column_names().map(str::to_owned).collect();
        let mut rows = statement.query(values)?;
        while let Some(row) = rows.next()? {
            if is_wanted(row, columns.len()) {
                self.add(table, &columns, row)?;
            }
        }
        Ok(())
    }

    fn add(&mut self, table: &str, columns: &[String], row: &Row) -> Result<()> {
        let whole = |name: &str| row.get::<_, i64>(name).ok();
        match table {
            "contacts" => self.contacts.extend(whole("id")),
            "row_changes" if whole("place") == Some(i64::from(CONTACTS)) => self.contacts.extend(whole("key")),
            _ => {}
        }
        let mut values = Vec::with_capacity(columns.len());
        for at in 0..columns.len() {
            values.push(to_held(row.get_ref(at)?));
        }
        if table == "row_changes"
            && let (Some(at), Ok(data)) =
                (columns.iter().position(|name| name == "data"), row.get::<_, Vec<u8>>("data"))
        {
            values[at] = describe_change(whole("kind").unwrap_or_default(), &data);
        }
        if self.seen.insert((table.to_owned(), values.clone())) {
            let values = columns.iter().cloned().zip(values).collect();
            self.records.push(HeldRecord { table: table.to_owned(), values });
        }
        Ok(())
    }
}

fn to_held(value: ValueRef) -> HeldValue {
    match value {
        ValueRef::Null => HeldValue::Empty,
        ValueRef::Integer(number) => HeldValue::Number(number.to_string()),
        ValueRef::Real(number) => HeldValue::Number(number.to_string()),
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => HeldValue::Text(String::from_utf8_lossy(bytes).into_owned()),
    }
}

/// Writes the values of a remembered row, one after the other.
fn describe_change(kind: i64, data: &[u8]) -> HeldValue {
    let text = |value: Value| match value {
        Value::Null => None,
        Value::Integer(number) => Some(number.to_string()),
        Value::Real(number) => Some(number.to_string()),
        Value::Text(text) => Some(text),
        Value::Blob(bytes) => Some(String::from_utf8_lossy(&bytes).into_owned()),
    };
    let values: Vec<String> = match kind {
        UPDATED => {
            let changes = row_encoding::read_changes(data).unwrap_or_default();
            changes.into_iter().flat_map(|change| [change.old, change.new]).filter_map(text).collect()
        }
        INSERTED => Vec::new(),
        _ => row_encoding::read_row(data).unwrap_or_default().into_iter().filter_map(text).collect(),
    };
    HeldValue::Text(values.join("; "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_found_in_every_spelling_and_no_other_is() {
        let wanted = WantedNumber { e164: "+447700900001", national: "7700900001" };
        for text in [
            "+447700900001",
            "07700 900001",
            "+44 (0)7700 900-001",
            "call 0044 7700.900001 after 5",
            "07700 900001 07700 900009",
            "07700 900009 / 07700 900001",
            "{\"phone_number\":\"+447700900001\"}",
            "\u{3}\r+447700900001\u{0}",
        ] {
            assert!(wanted.is_in_bytes(text.as_bytes()), "{text}");
        }
        for text in ["", "+447700900002", "+17700900001", "077009000012", "7700900", "07700 900; 001"] {
            assert!(!wanted.is_in_bytes(text.as_bytes()), "{text}");
        }
    }
}
