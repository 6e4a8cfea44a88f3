//! How the account's records stand to the service: what both sides agreed on, what was seen there, plans and runs.
//!
//! A record that both sides have alike stands in none of these tables, so all of this costs what the changes cost.

pub mod answers;
pub mod audit;
pub mod changes;
pub mod connection;
pub(crate) mod heal;
pub mod ids;
pub mod lease;
pub mod local;
pub mod runs;
pub mod scopes;
pub mod screens;
pub mod track;
pub mod unsent;

use std::fmt::Write;

use roost_model::contact::Attribute;
use rusqlite::{Connection, functions::FunctionFlags, types::ValueRef};

use crate::error::Result;

/// The tables that the service has a part in, by their number in the memory of changed rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Place {
    Senders = 1,
    Lists = 5,
    Contacts = 6,
    OptOuts = 7,
    ShortLinks = 8,
}

impl Place {
    pub(super) fn number(self) -> i64 {
        self as i64
    }

    pub(super) fn table(self) -> &'static str {
        match self {
            Self::Senders => "senders",
            Self::Lists => "lists",
            Self::Contacts => "contacts",
            Self::OptOuts => "opt_outs",
            Self::ShortLinks => "short_links",
        }
    }
}

/// Gives a connection `roost_cells(name, value, …)`: members of a JSON object, each behind a comma; empty values are
/// left out.
pub(crate) fn install(conn: &Connection) -> rusqlite::Result<()> {
    let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC | FunctionFlags::SQLITE_INNOCUOUS;
    conn.create_scalar_function("roost_cells", -1, flags, |ctx| {
        let mut out = String::with_capacity(128);
        for at in (0..ctx.len()).step_by(2) {
            let name = ctx.get_raw(at).as_str().map_err(rusqlite::Error::from)?;
            let value = match ctx.get_raw(at + 1) {
                ValueRef::Text(text) if !text.is_empty() => String::from_utf8_lossy(text).into_owned(),
                ValueRef::Integer(number) => number.to_string(),
                _ => continue,
            };
            let _ = write!(out, ",\"{name}\":{}", serde_json::Value::from(value));
        }
        Ok(out)
    })
}

/// Columns of contacts that can be sent, each with the name it is sent by; custom fields follow in the order of their
/// numbers, whatever the order in which they were added.
fn contact_columns(conn: &Connection) -> Result<Vec<(String, String)>> {
    let numbers = [("phone_number", "phone"), ("whatsapp_number", "whatsapp")];
    let fixed = numbers.into_iter().chain(Attribute::ALL.map(|attribute| (attribute.name(), attribute.name())));
    let mut columns: Vec<(String, String)> = fixed.map(|(name, column)| (name.to_owned(), column.to_owned())).collect();
    let mut statement = conn
        .prepare_cached("SELECT name FROM pragma_table_info('contacts') WHERE name GLOB 'field_[0-9]*' ORDER BY CAST(substr(name, 7) AS INTEGER)")?;
    for name in statement.query_map([], |row| row.get::<_, String>(0))? {
        let name = name?;
        columns.push((name.clone(), name));
    }
    Ok(columns)
}

/// Names and values that one call of `roost_cells` takes: SQLite allows 127 arguments everywhere.
const PAIRS_A_CALL: usize = 60;

/// The SQL of a row's cells; `row` is `old`, `new` or a table's alias.
fn cells_sql(conn: &Connection, place: Place, row: &str) -> Result<String> {
    let own = |columns: &[&str]| columns.iter().map(|name| ((*name).to_owned(), format!("{row}.{name}"))).collect();
    let values: Vec<(String, String)> = match place {
        Place::Senders | Place::Lists => own(&["name"]),
        Place::Contacts => {
            contact_columns(conn)?.into_iter().map(|(name, column)| (name, format!("{row}.{column}"))).collect()
        }
        // What was sent is at the service under its own type and time; the record here keeps those that it had.
        Place::OptOuts => [
            ("kind", format!("coalesce({row}.service_kind, {row}.kind)")),
            ("asset_id", format!("{row}.asset_id")),
            ("asset_number", format!("iif({row}.service_kind IS NULL, {row}.asset_number, {row}.service_number)")),
            ("time", format!("coalesce({row}.service_time, {row}.time)")),
        ]
        .map(|(name, value)| (name.to_owned(), value))
        .to_vec(),
        Place::ShortLinks => own(&["title", "target_url", "tags", "track_clicks"]),
    };
    let calls: Vec<String> = values
        .chunks(PAIRS_A_CALL)
        .map(|part| {
            let pairs: Vec<String> = part.iter().map(|(name, value)| format!("'{name}', {value}")).collect();
            format!("roost_cells({})", pairs.join(", "))
        })
        .collect();
    Ok(format!("('{{' || substr({}, 2) || '}}')", calls.join(" || ")))
}

/// The SQL of what a record is known by in these tables.
fn id_sql(place: Place, row: &str) -> String {
    match place {
        // An opt-out that is replaced is another row, and the same opt-out.
        Place::OptOuts => format!("({row}.number || ' ' || {row}.channel || ' ' || {row}.scope)"),
        // The plus takes the column's affinity away: with it, the index on ids of any type would not be used.
        _ => format!("+{row}.id"),
    }
}
