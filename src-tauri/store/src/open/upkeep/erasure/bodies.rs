//! Erases a person from what is stored as JSON: plans, the steps of runs, the audit, and the contacts of waiting jobs.

use std::collections::BTreeSet;

use rusqlite::{Connection, params};
use serde_json::{Map, Value};

use super::{Eraser, person::ErasedPerson};
use crate::error::{Result, StoreError};

/// Members of a body with one entry for each contact.
const LISTS_OF_CONTACTS: [&str; 3] = ["rows", "gone", "items"];
/// The triggers that close the audit. They are made again as they were.
const AUDIT_TRIGGERS: [&str; 2] = ["audit_stays", "audit_keeps"];

/// A row with a body, by the columns that name it.
struct StoredBody {
    keys: (i64, i64),
    body: String,
}

impl Eraser<'_> {
    pub(super) fn erase_bodies(&mut self, person: &ErasedPerson) -> Result<()> {
        self.erase_jobs()?;
        for (table, keys) in
            [("sync_plans", ("id", "id")), ("sync_plan_steps", ("plan", "step")), ("sync_steps", ("run", "step"))]
        {
            if self.has_table(table) {
                self.shorten_bodies(table, keys, person)?;
            }
        }
        if self.has_table("audit") { self.shorten_audit(person) } else { Ok(()) }
    }

    /// Empties the examples in the reports of imports: values of some contact, and nobody can tell whose.
    pub(super) fn erase_import_examples(&mut self) -> Result<()> {
        if !self.has_table("imports") || self.counts.rows() == 0 {
            return Ok(());
        }
        let conn = self.tx.conn();
        let mut statement = conn.prepare("SELECT id, told FROM imports")?;
        let (mut rows, mut found) = (statement.query([])?, Vec::new());
        while let Some(row) = rows.next()? {
            let (id, summary): (i64, String) = (row.get(0)?, row.get(1)?);
            let Ok(mut summary) = serde_json::from_str::<Value>(&summary) else { continue };
            if empty_examples(&mut summary) > 0 {
                found.push((id, summary.to_string()));
            }
        }
        for (id, summary) in &found {
            conn.execute("UPDATE imports SET told = ?2 WHERE id = ?1", params![id, summary])?;
        }
        self.counts.add_replaced("imports", found.len());
        Ok(())
    }

    /// Returns the bodies of a table that are about the person, without the person.
    fn find_bodies(&self, table: &str, keys: (&str, &str), person: &ErasedPerson) -> Result<Vec<StoredBody>> {
        let conn = self.tx.conn();
        let mut statement = conn.prepare(&format!("SELECT {}, {}, body FROM {table}", keys.0, keys.1))?;
        let (mut rows, mut found) = (statement.query([])?, Vec::new());
        while let Some(row) = rows.next()? {
            let body: String = row.get(2)?;
            let Ok(mut value) = serde_json::from_str::<Value>(&body) else { continue };
            if self.shorten_value(&mut value, "", &person.contacts) {
                found.push(StoredBody { keys: (row.get(0)?, row.get(1)?), body: value.to_string() });
            }
        }
        Ok(found)
    }

    fn shorten_bodies(&mut self, table: &str, keys: (&str, &str), person: &ErasedPerson) -> Result<()> {
        let found = self.find_bodies(table, keys, person)?;
        let sql = format!("UPDATE {table} SET body = ?3 WHERE {} = ?1 AND {} = ?2", keys.0, keys.1);
        let mut update = self.tx.conn().prepare(&sql)?;
        for StoredBody { keys, body } in &found {
            update.execute(params![keys.0, keys.1, body])?;
        }
        self.counts.add_erased(table, found.len());
        Ok(())
    }

    /// Shortens entries of the audit, whose seals stay. The entry of the erasure vouches for the new bodies.
    fn shorten_audit(&mut self, person: &ErasedPerson) -> Result<()> {
        let found = self.find_bodies("audit", ("seq", "seq"), person)?;
        if found.is_empty() {
            return Ok(());
        }
        let conn = self.tx.conn();
        let triggers = AUDIT_TRIGGERS.map(|name| take_trigger(conn, name));
        let mut update = conn.prepare("UPDATE audit SET body = ?2 WHERE seq = ?1")?;
        for StoredBody { keys: (seq, _), body } in found {
            update.execute(params![seq, body])?;
            self.counts.add_erased("audit", 1);
            self.counts.shortened.push((seq.unsigned_abs(), body));
        }
        for sql in triggers {
            conn.execute_batch(&sql?)?;
        }
        Ok(())
    }

    /// Removes what is about the person from a value, and returns whether there was anything.
    fn shorten_value(&self, value: &mut Value, name: &str, contacts: &BTreeSet<i64>) -> bool {
        match value {
            Value::String(text) => match self.wanted.replace_in(text) {
                Some(replaced) => {
                    *text = replaced;
                    true
                }
                None => false,
            },
            Value::Array(items) => {
                let before = items.len();
                items.retain(|item| !self.is_about(item, name, contacts));
                let is_shorter = items.len() < before;
                items.iter_mut().fold(is_shorter, |changed, item| self.shorten_value(item, "", contacts) || changed)
            }
            Value::Object(members) => {
                let mut is_changed = false;
                if members.get("kind").is_some_and(|kind| kind == "contact_delete") && is_of(members, contacts) {
                    is_changed = members.insert("before".to_owned(), Value::Object(Map::new())).is_some();
                }
                members
                    .iter_mut()
                    .fold(is_changed, |changed, (name, member)| self.shorten_value(member, name, contacts) || changed)
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => false,
        }
    }

    /// Returns whether an entry of a list is about the person as a whole.
    fn is_about(&self, item: &Value, list: &str, contacts: &BTreeSet<i64>) -> bool {
        let Value::Object(members) = item else { return false };
        if LISTS_OF_CONTACTS.contains(&list) && (is_of(members, contacts) || self.has_number(item)) {
            return true;
        }
        match members.get("subject") {
            Some(Value::Object(subject)) => {
                subject.get("noun").is_some_and(|noun| noun == "contact") && is_of(subject, contacts)
            }
            _ => false,
        }
    }

    /// Returns whether one of the values is the number. A text that mentions it may be about somebody else.
    fn has_number(&self, value: &Value) -> bool {
        match value {
            Value::String(text) => text == self.wanted.e164,
            Value::Array(items) => items.iter().any(|item| self.has_number(item)),
            Value::Object(members) => members.values().any(|member| self.has_number(member)),
            Value::Null | Value::Bool(_) | Value::Number(_) => false,
        }
    }

    /// Takes the contacts with the number out of jobs that wait. A job stores them as a JSON array, one entry each.
    fn erase_jobs(&mut self) -> Result<()> {
        let conn = self.tx.conn();
        let mut found = Vec::new();
        let mut statement = conn.prepare("SELECT id, contacts FROM jobs WHERE contacts IS NOT NULL")?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let bytes: Vec<u8> = row.get(1)?;
            if !self.wanted.is_in_bytes(&bytes) {
                continue;
            }
            let Ok(Value::Array(mut contacts)) = serde_json::from_slice(&bytes) else {
                return Err(StoreError::NotErased { table: "jobs".to_owned() });
            };
            // An entry begins with the phone number and the WhatsApp number.
            let is_own =
                |contact: &Value| [&contact[0][0], &contact[1][0]].iter().any(|number| **number == self.wanted.e164);
            contacts.retain(|contact| !is_own(contact));
            for contact in &mut contacts {
                self.shorten_value(contact, "", &BTreeSet::new());
            }
            found.push((row.get::<_, i64>(0)?, contacts));
        }
        for (job, contacts) in &found {
            let bytes = Value::from(contacts.clone()).to_string().into_bytes();
            conn.execute(
                "UPDATE jobs SET contacts = ?2, contact_count = ?3 WHERE id = ?1",
                params![job, bytes, contacts.len() as i64],
            )?;
        }
        self.counts.add_erased("jobs", found.len());
        Ok(())
    }
}

fn is_of(members: &Map<String, Value>, contacts: &BTreeSet<i64>) -> bool {
    members.get("id").and_then(Value::as_i64).is_some_and(|id| contacts.contains(&id))
}

/// Empties every member of this name and returns how many had a text.
fn empty_examples(value: &mut Value) -> u64 {
    match value {
        Value::Array(items) => items.iter_mut().map(empty_examples).sum(),
        Value::Object(members) => {
            let empty = |(name, member): (&String, &mut Value)| match member {
                Value::String(text) if name == "example" && !text.is_empty() => {
                    text.clear();
                    1
                }
                other => empty_examples(other),
            };
            members.iter_mut().map(empty).sum()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 0,
    }
}

/// Drops a trigger and returns the statement that makes it again.
fn take_trigger(conn: &Connection, name: &str) -> Result<String> {
    let sql =
        conn.query_row("SELECT sql FROM sqlite_schema WHERE type = 'trigger' AND name = ?1", [name], |row| row.get(0))?;
    conn.execute_batch(&format!("DROP TRIGGER {name}"))?;
    Ok(sql)
}
