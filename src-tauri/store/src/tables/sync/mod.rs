//! Records how the account's records relate to the service: what both sides agreed on, what the service has, plans and
//! runs.
//!
//! A record that is the same on both sides is in none of these tables, so the cost depends only on the number of
//! changes.

pub mod answers;
pub mod audit;
pub mod changes;
pub mod connection;
pub mod discarded;
pub mod ids;
pub mod lease;
pub mod local;
pub(crate) mod repair;
pub mod runs;
pub mod scopes;
pub mod screens;
pub mod tracking;
pub mod unsent;

use std::fmt::Write;

use roost_model::contact::Attribute;
use rusqlite::{Connection, functions::FunctionFlags, types::ValueRef};

use crate::error::Result;

/// The tables whose records the service has as well, by the number that they have among the tracked tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum SyncedTable {
    Senders = 1,
    Lists = 5,
    Contacts = 6,
    OptOuts = 7,
    ShortLinks = 8,
}

impl SyncedTable {
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

/// Installs `roost_cells(name, value, …)` on a connection. It returns members of a JSON object, each preceded by a
/// comma, and leaves out empty values.
pub(crate) fn install_functions(conn: &Connection) -> rusqlite::Result<()> {
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

/// Returns the columns of contacts that can be sent, each with the name under which it is sent. Custom fields come
/// last, sorted by number, whatever the order in which they were added.
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

/// Pairs of name and value per call of `roost_cells`. Every SQLite allows at least 127 arguments.
const PAIRS_PER_CALL: usize = 60;

/// Returns SQL for a row's cells. `row` is `old`, `new` or the alias of a table.
fn cells_sql(conn: &Connection, place: SyncedTable, row: &str) -> Result<String> {
    let own = |columns: &[&str]| columns.iter().map(|name| ((*name).to_owned(), format!("{row}.{name}"))).collect();
    let values: Vec<(String, String)> = match place {
        SyncedTable::Senders | SyncedTable::Lists => own(&["name"]),
        SyncedTable::Contacts => {
            contact_columns(conn)?.into_iter().map(|(name, column)| (name, format!("{row}.{column}"))).collect()
        }
        // The service has a sent opt-out with its own type and time. The local record keeps those that it had.
        SyncedTable::OptOuts => [
            ("kind", format!("coalesce({row}.service_kind, {row}.kind)")),
            ("asset_id", format!("{row}.asset_id")),
            ("asset_number", format!("iif({row}.service_kind IS NULL, {row}.asset_number, {row}.service_number)")),
            ("time", format!("coalesce({row}.service_time, {row}.time)")),
        ]
        .map(|(name, value)| (name.to_owned(), value))
        .to_vec(),
        SyncedTable::ShortLinks => own(&["title", "target_url", "tags", "track_clicks"]),
    };
    let calls: Vec<String> = values
        .chunks(PAIRS_PER_CALL)
        .map(|part| {
            let pairs: Vec<String> = part.iter().map(|(name, value)| format!("'{name}', {value}")).collect();
            format!("roost_cells({})", pairs.join(", "))
        })
        .collect();
    Ok(format!("('{{' || substr({}, 2) || '}}')", calls.join(" || ")))
}

/// Returns SQL for the id by which these tables know a record.
fn id_sql(place: SyncedTable, row: &str) -> String {
    match place {
        // An opt-out that is replaced has a new row but is the same opt-out.
        SyncedTable::OptOuts => format!("({row}.number || ' ' || {row}.channel || ' ' || {row}.scope)"),
        // The plus removes the column's affinity. With it, SQLite would not use the index on ids of any type.
        _ => format!("+{row}.id"),
    }
}
