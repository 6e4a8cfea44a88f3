//! Finds everything that an account file holds about one phone number, in every table and however it is written there.

use std::{collections::BTreeSet, path::Path};

use rusqlite::{
    Connection, Row, ToSql, params,
    types::{Value, ValueRef},
};

pub use super::number_text::WantedNumber;
use super::{person_part::PersonPart, reading};
use crate::{
    error::Result,
    row_recorder::{DELETED, INSERTED, UPDATED, row_encoding, tracked_tables::TrackedTable},
};

/// The number under which other tables name the contacts table.
const CONTACTS: u8 = TrackedTable::CONTACTS.number;
/// The columns with the numbers of a contact.
const NUMBERS: [&str; 2] = ["phone", "whatsapp"];

/// One row that is about the number, with its columns in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeldRecord {
    pub table: String,
    pub values: Vec<(String, HeldValue)>,
    /// Whether the row is about something else and only mentions the number.
    pub is_mention: bool,
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

/// Searches an account file, open in another process or not. Reads every row of every table, so it takes a while. The
/// records have nothing about others.
pub fn find_held(path: &Path, wanted: &WantedNumber) -> Result<Vec<HeldRecord>> {
    reading::read_account(path, |tx, _| {
        let found = search_tables(tx.conn(), wanted)?;
        let part = PersonPart { wanted, contacts: &found.contacts };
        Ok(found.records.into_iter().map(|record| part.cut_record(record)).collect())
    })
}

/// Searches an open account. The records are whole rows.
pub(super) fn find_held_in(conn: &Connection, wanted: &WantedNumber) -> Result<Vec<HeldRecord>> {
    Ok(search_tables(conn, wanted)?.records)
}

fn search_tables<'a>(conn: &Connection, wanted: &'a WantedNumber<'a>) -> Result<HeldRecords<'a>> {
    let tables = read_table_names(conn)?;
    let mut found = HeldRecords::new(conn, wanted, &tables)?;
    for table in &tables {
        let is_memory = table == "row_changes";
        found.collect(conn, table, &format!("SELECT * FROM \"{table}\""), &[], |row, columns| match is_memory {
            true => is_in_memory(row, wanted),
            false => (0..columns).any(|at| row.get_ref(at).is_ok_and(|value| wanted.is_in(value))),
        })?;
    }
    for id in found.contacts.clone() {
        for (table, condition) in BY_CONTACT.iter().filter(|(table, _)| tables.iter().any(|name| name == table)) {
            let sql = format!("SELECT * FROM {table} WHERE {condition}");
            found.collect(conn, table, &sql, &[&id, &CONTACTS], |_, _| true)?;
        }
    }
    Ok(found)
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

struct HeldRecords<'a> {
    wanted: &'a WantedNumber<'a>,
    records: Vec<HeldRecord>,
    /// The rows that are there already.
    seen: BTreeSet<(String, Vec<HeldValue>)>,
    /// The ids of the contacts that have the number, or had it when they were deleted.
    contacts: BTreeSet<i64>,
}

impl<'a> HeldRecords<'a> {
    fn new(conn: &Connection, wanted: &'a WantedNumber<'a>, tables: &[String]) -> Result<Self> {
        let mut found = Self { wanted, records: Vec::new(), seen: BTreeSet::new(), contacts: BTreeSet::new() };
        let has_table = |wanted: &str| tables.iter().any(|table| table == wanted);
        if has_table("contacts") {
            let mut statement = conn.prepare("SELECT id FROM contacts WHERE phone = ?1 OR whatsapp = ?1")?;
            let ids = statement.query_map([wanted.e164], |row| row.get(0))?;
            found.contacts = ids.collect::<rusqlite::Result<_>>()?;
        }
        if has_table("row_changes") {
            found.find_deleted(conn)?;
        }
        Ok(found)
    }

    fn find_deleted(&mut self, conn: &Connection) -> Result<()> {
        let columns = TrackedTable::CONTACTS.read_columns(conn)?.into_iter().enumerate();
        let numbers: Vec<usize> =
            columns.filter(|(_, name)| NUMBERS.contains(&name.as_str())).map(|(at, _)| at).collect();
        let mut statement = conn.prepare("SELECT key, data FROM row_changes WHERE place = ?1 AND kind = ?2")?;
        let mut rows = statement.query(params![CONTACTS, DELETED])?;
        while let Some(row) = rows.next()? {
            let ValueRef::Blob(data) = row.get_ref(1)? else { continue };
            let values = row_encoding::borrow_row(data).unwrap_or_default();
            let number = |at: &usize| values.get(*at).and_then(|value| value.as_str().ok());
            if numbers.iter().any(|at| number(at) == Some(self.wanted.e164)) {
                self.contacts.extend(row.get::<_, i64>(0).ok());
            }
        }
        Ok(())
    }

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
        let mut values = Vec::with_capacity(columns.len());
        for at in 0..columns.len() {
            values.push(to_held(row.get_ref(at)?));
        }
        let mut is_mention = false;
        if table == "row_changes"
            && let (Some(at), Ok(data)) =
                (columns.iter().position(|name| name == "data"), row.get::<_, Vec<u8>>("data"))
        {
            let texts = read_change(whole("kind").unwrap_or_default(), &data);
            is_mention = !self.is_own_change(whole("place"), whole("key"), &texts);
            values[at] = HeldValue::Text(if is_mention { self.cut_texts(&texts) } else { texts.join("; ") });
        }
        if self.seen.insert((table.to_owned(), values.clone())) {
            let values = columns.iter().cloned().zip(values).collect();
            self.records.push(HeldRecord { table: table.to_owned(), values, is_mention });
        }
        Ok(())
    }

    /// Returns whether a remembered row is the person's own: of a contact with the number, or a row of another table that
    /// has the number as one of its values.
    fn is_own_change(&self, place: Option<i64>, key: Option<i64>, texts: &[String]) -> bool {
        if place == Some(i64::from(CONTACTS)) {
            return key.is_some_and(|key| self.contacts.contains(&key));
        }
        texts.iter().any(|text| text == self.wanted.e164 || self.part().has_whole(text))
    }

    fn part(&self) -> PersonPart<'_> {
        PersonPart { wanted: self.wanted, contacts: &self.contacts }
    }

    fn cut_texts(&self, texts: &[String]) -> String {
        let part = self.part();
        texts.iter().filter_map(|text| part.cut_cell(text)).collect::<Vec<_>>().join("; ")
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

/// Returns the values of a remembered row as texts.
fn read_change(kind: i64, data: &[u8]) -> Vec<String> {
    let text = |value: Value| match value {
        Value::Null => None,
        Value::Integer(number) => Some(number.to_string()),
        Value::Real(number) => Some(number.to_string()),
        Value::Text(text) => Some(text),
        Value::Blob(bytes) => Some(String::from_utf8_lossy(&bytes).into_owned()),
    };
    match kind {
        UPDATED => {
            let changes = row_encoding::read_changes(data).unwrap_or_default();
            changes.into_iter().flat_map(|change| [change.old, change.new]).filter_map(text).collect()
        }
        INSERTED => Vec::new(),
        _ => row_encoding::read_row(data).unwrap_or_default().into_iter().filter_map(text).collect(),
    }
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
