//! Checks an account file thoroughly: what SQLite can find, and what only Roost knows about its tables.

use std::path::{Path, PathBuf};

use rusqlite::{Connection, types::ValueRef};
use serde::Serialize;

use super::reading;
use crate::{
    error::{Result, StoreError},
    files::{copies, looking, output},
    migrations::Migrations,
    schema,
    tables::opt_outs,
    tx::ReadTx,
};

/// Most faults of one kind that are listed.
const LISTED_MAX: usize = 20;

/// The part of an account that a fault is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum FaultArea {
    /// Pages and indexes, as SQLite checks them.
    Pages,
    /// The write-ahead log that a killed program left.
    Log,
    References,
    Schema,
    ContactCounts,
    CustomFields,
    ShortLinks,
    OptOuts,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    pub area: FaultArea,
    pub detail: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileCheck {
    pub schema: i32,
    pub faults: Vec<Fault>,
    /// The newest copy beside a faulty account in which SQLite finds no damage.
    pub sound_copy: Option<PathBuf>,
}

/// What Roost knows about its tables: the sentence for a fault, and a query for the values of each fault by their names.
const INVARIANTS: &[(FaultArea, &str, &str)] = &[
    (
        FaultArea::ContactCounts,
        "the list {uid} counts {counted} contacts and has {present}",
        "SELECT uid, contact_count AS counted, (SELECT count(*) FROM contacts c WHERE c.list_id = lists.id) AS present
         FROM lists WHERE contact_count <> (SELECT count(*) FROM contacts c WHERE c.list_id = lists.id)",
    ),
    (
        FaultArea::CustomFields,
        "the custom field {number} has no column",
        "SELECT number FROM custom_fields
         WHERE 'field_' || number NOT IN (SELECT name FROM pragma_table_info('contacts'))",
    ),
    (
        FaultArea::ShortLinks,
        "the code of the link {uid} could be given out again",
        "SELECT uid FROM short_links WHERE code NOT IN (SELECT code FROM short_codes)",
    ),
    (
        FaultArea::OptOuts,
        "opt-outs can be removed without confirmation ({warrant})",
        "SELECT warrant FROM opt_out_door",
    ),
    (
        FaultArea::OptOuts,
        "an opt-out has the number {number}, which is not in E.164 form",
        "SELECT quote(number) AS number FROM opt_outs
         WHERE number NOT GLOB '+[1-9][0-9]*' OR substr(number, 2) GLOB '*[^0-9]*'",
    ),
    (
        FaultArea::OptOuts,
        "the opt-out of {number} on {channel} is missing, although it was never removed",
        "WITH last AS (SELECT number, channel, scope, action, max(id) FROM opt_out_events GROUP BY number, channel, scope)
         SELECT number, channel FROM last
         WHERE action <> 'removed' AND NOT EXISTS (SELECT 1 FROM opt_outs o
            WHERE o.number = last.number AND o.channel = last.channel AND o.scope = last.scope)",
    ),
    (
        FaultArea::OptOuts,
        "the history of opt-outs lacks the opt-out of {number} on {channel}",
        "SELECT number, channel FROM opt_outs o
         WHERE 'removed' = coalesce((SELECT action FROM opt_out_events e WHERE e.number = o.number
            AND e.channel = o.channel AND e.scope = o.scope ORDER BY e.id DESC LIMIT 1), 'removed')",
    ),
];

/// Checks an account, open in another process or not, and changes nothing. Fails if the file is not an account.
pub fn check_file(path: &Path) -> Result<FileCheck> {
    let path = &output::resolve_links(path);
    let mut found = FileCheck { schema: 0, faults: Vec::new(), sound_copy: None };
    let checked = check_all(path, &mut found);
    match checked {
        Ok(()) => {}
        Err(StoreError::Damaged(cause)) => found.add(FaultArea::Pages, [format!("SQLite cannot read it: {cause}")]),
        Err(StoreError::Corrupt { detail, .. }) => found.add(FaultArea::Pages, [detail]),
        Err(other) => return Err(other),
    }
    if let Some(damage) = looking::find_log_damage(path) {
        found.add(FaultArea::Log, [looking::describe_log_damage(path, damage)]);
    }
    if !found.faults.is_empty() {
        found.sound_copy = copies::newest_sound_copy(path);
    }
    Ok(found)
}

fn check_all(path: &Path, found: &mut FileCheck) -> Result<()> {
    let conn = reading::connect(path)?;
    conn.execute_batch("PRAGMA query_only = ON")?;
    let tx = conn.unchecked_transaction()?;
    found.schema = reading::read_version(&tx, path)?;
    found.add(
        FaultArea::Pages,
        read_sentences(
            &tx,
            "SQLite reports: {integrity_check}",
            "SELECT integrity_check FROM pragma_integrity_check WHERE integrity_check <> 'ok'",
        )?,
    );
    found.add(
        FaultArea::References,
        read_sentences(
            &tx,
            "row {row} of {table} belongs to a row of {parent} that is missing",
            "SELECT rowid AS \"row\", \"table\", parent FROM pragma_foreign_key_check",
        )?,
    );
    let steps = Migrations::shipped();
    if found.schema == steps.newest_version() {
        let difference = schema::find_difference(&tx, &steps)?;
        let is_altered = difference.is_some();
        found.add(FaultArea::Schema, difference);
        for (area, sentence, sql) in INVARIANTS {
            match read_sentences(&tx, sentence, sql) {
                // A missing table is a fault already, and nothing can be read from it.
                Err(StoreError::Sql(_)) if is_altered => {}
                faults => found.add(*area, faults?),
            }
        }
        // Reading each record also checks its channel, kind and scope.
        if let Err(why) = opt_outs::visit_all(&ReadTx::new(&tx), |_| Ok::<_, StoreError>(())) {
            found.add(FaultArea::OptOuts, [format!("an opt-out cannot be read: {why}")]);
        }
    }
    Ok(tx.finish()?)
}

/// Returns the sentence for each row, with the values of its columns in place of their names.
fn read_sentences(conn: &Connection, sentence: &str, sql: &str) -> Result<Vec<String>> {
    let mut statement = conn.prepare(sql)?;
    let names: Vec<String> = statement.column_names().map(|name| format!("{{{name}}}")).collect();
    let rows = statement.query_map([], |row| {
        let mut filled = sentence.to_owned();
        for (at, name) in names.iter().enumerate() {
            filled = filled.replace(name.as_str(), &to_text(row.get_ref(at)?));
        }
        Ok(filled)
    })?;
    Ok(rows.take(LISTED_MAX).collect::<rusqlite::Result<_>>()?)
}

fn to_text(value: ValueRef<'_>) -> String {
    match value {
        ValueRef::Null => "?".to_owned(),
        ValueRef::Integer(number) => number.to_string(),
        ValueRef::Real(number) => number.to_string(),
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => String::from_utf8_lossy(bytes).into_owned(),
    }
}

impl FileCheck {
    fn add(&mut self, area: FaultArea, details: impl IntoIterator<Item = String>) {
        self.faults.extend(details.into_iter().map(|detail| Fault { area, detail }));
    }
}
