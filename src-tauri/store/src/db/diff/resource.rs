//! Defines what is compared: the resources of an account, the columns that are read, and the form of each value.

use roost_model::{contact::Attribute, time::Timestamp};
use rusqlite::{Connection, types::ValueRef};
use serde_json::{Value, json};

use crate::error::Result;

/// The resources that are compared, in the order of a seed file, with the jobs last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum AccountResource {
    Senders,
    Assets,
    CustomFields,
    Lists,
    Contacts,
    OptOuts,
    ShortLinks,
    Jobs,
}

roost_model::variant_names! {
    pub AccountResource {
        Senders = "senders", Assets = "assets", CustomFields = "custom_fields", Lists = "lists",
        Contacts = "contacts", OptOuts = "opt_outs", ShortLinks = "short_links", Jobs = "jobs",
    }
}

impl AccountResource {
    /// Returns the columns that are read from its records, the key first.
    pub(super) fn columns(self, custom: &[u32]) -> Vec<DiffColumn> {
        let fixed = |columns: &[(&str, &str, ValueFormat)]| -> Vec<DiffColumn> {
            columns.iter().map(|(name, sql, format)| DiffColumn::new(*name, *sql, *format)).collect()
        };
        match self {
            Self::Senders => fixed(&[
                ("id", "id", ValueFormat::Unchanged),
                ("name", "name", ValueFormat::Unchanged),
                ("status", "status", ValueFormat::Unchanged),
            ]),
            Self::Assets => fixed(&[
                ("id", "id", ValueFormat::Unchanged),
                ("channel", "channel", ValueFormat::Unchanged),
                ("number", "number", ValueFormat::Unchanged),
                ("enforce_account_level_opt_outs", "enforce_account_level_opt_outs", ValueFormat::Flag),
                ("keywords", KEYWORDS, ValueFormat::Json),
            ]),
            Self::CustomFields => {
                fixed(&[("number", "number", ValueFormat::Unchanged), ("label", "label", ValueFormat::Unchanged)])
            }
            Self::Lists => fixed(&[
                ("uid", "uid", ValueFormat::Unchanged),
                ("name", "name", ValueFormat::Unchanged),
                ("created_at", "created_at", ValueFormat::Iso),
                ("updated_at", "updated_at", ValueFormat::Iso),
            ]),
            Self::Contacts => contact_columns(custom),
            Self::OptOuts => fixed(&[
                ("optout", "number || ' ' || channel || ' ' || scope", ValueFormat::Unchanged),
                ("number", "number", ValueFormat::Unchanged),
                ("channel", "channel", ValueFormat::Unchanged),
                ("account_level_opt_out", "scope = ''", ValueFormat::Flag),
                ("opt_out_type", "kind", ValueFormat::Unchanged),
                ("asset_id", "asset_id", ValueFormat::Unchanged),
                ("inbound_number", "asset_number", ValueFormat::Unchanged),
                ("opt_out_time", "time", ValueFormat::Iso),
            ]),
            Self::ShortLinks => fixed(&[
                ("link_id", "uid", ValueFormat::Unchanged),
                ("title", "title", ValueFormat::Unchanged),
                ("target_url", "target_url", ValueFormat::Unchanged),
                ("short_link_url", "coalesce(base, ?1) || '/' || code", ValueFormat::Unchanged),
                ("tags", "tags", ValueFormat::Json),
                ("created_at", "created_at", ValueFormat::Iso),
                ("track_clicks", "track_clicks", ValueFormat::Flag),
            ]),
            Self::Jobs => fixed(&[
                ("id", "id", ValueFormat::Unchanged),
                ("list_uid", "list_uid", ValueFormat::Unchanged),
                ("merge_type", "merge_type", ValueFormat::Unchanged),
                ("callback_url", "callback_url", ValueFormat::Unchanged),
                ("correlation_id", "correlation_id", ValueFormat::Unchanged),
                ("contacts", "contact_count", ValueFormat::Unchanged),
                ("state", "state", ValueFormat::Unchanged),
                ("imported", "imported", ValueFormat::Unchanged),
                ("merged", "merged", ValueFormat::Unchanged),
                ("skipped", "skipped", ValueFormat::Unchanged),
                ("failed", "failed", ValueFormat::Unchanged),
                ("queued_at", "queued_at", ValueFormat::Iso),
                ("finished_at", "finished_at", ValueFormat::Iso),
                ("callback", CALLBACK, ValueFormat::Unchanged),
                ("callback_attempts", CALLBACK_ATTEMPTS, ValueFormat::Unchanged),
            ]),
        }
    }

    /// Returns the columns that identify a record to a person who searches for it.
    pub(super) fn search_columns(self) -> &'static [&'static str] {
        match self {
            Self::Senders => &["id", "name"],
            Self::Assets => &["id", "number"],
            Self::CustomFields => &["label"],
            Self::Lists => &["uid", "name"],
            Self::Contacts => &["uid", "phone", "whatsapp", "firstname", "lastname", "email_address"],
            Self::OptOuts => &["number", "asset_id"],
            Self::ShortLinks => &["uid", "title", "target_url", "code"],
            Self::Jobs => &["correlation_id", "callback_url", "list_uid"],
        }
    }

    /// Returns the table, with its condition and the order of its keys.
    pub(super) fn table_clause(self) -> &'static str {
        match self {
            Self::Senders => "senders ORDER BY id",
            Self::Assets => "assets ORDER BY id",
            Self::CustomFields => "custom_fields WHERE removed = 0 ORDER BY number",
            Self::Lists => "lists ORDER BY uid",
            Self::Contacts => "contacts ORDER BY uid",
            // A space sorts before every character of a number or an id, so this is the order of the key.
            Self::OptOuts => "opt_outs ORDER BY number, channel, scope",
            Self::ShortLinks => "short_links ORDER BY uid",
            Self::Jobs => "jobs ORDER BY id",
        }
    }
}

const CALLBACK: &str = "(SELECT iif(state = 'waiting' AND next_at IS NULL, 'held', state) FROM callbacks
     WHERE job_id = jobs.id)";
const CALLBACK_ATTEMPTS: &str = "(SELECT attempts FROM callbacks WHERE job_id = jobs.id)";

const KEYWORDS: &str = "(SELECT json_group_array(keyword) FROM
     (SELECT keyword FROM asset_keywords WHERE asset_id = assets.id ORDER BY position))";

fn contact_columns(custom: &[u32]) -> Vec<DiffColumn> {
    let list = "(SELECT uid FROM lists WHERE lists.id = contacts.list_id)";
    let mut columns = vec![
        DiffColumn::new("uid", "uid", ValueFormat::Unchanged),
        DiffColumn::new("list_uid", list, ValueFormat::Unchanged),
    ];
    let numbers = [
        ("phone_number", "phone"),
        ("phone_region", "phone_region"),
        ("whatsapp_id", "whatsapp"),
        ("whatsapp_region", "whatsapp_region"),
    ];
    columns.extend(numbers.map(|(name, sql)| DiffColumn::new(name, sql, ValueFormat::Unchanged)));
    columns.extend(Attribute::ALL.map(Attribute::name).map(|name| DiffColumn::new(name, name, ValueFormat::Unchanged)));
    columns.extend(custom.iter().map(|number| {
        let name = format!("field_{number}");
        DiffColumn::new(name.clone(), name, ValueFormat::Unchanged)
    }));
    columns.extend(["created_at", "updated_at"].map(|name| DiffColumn::new(name, name, ValueFormat::Spaced)));
    columns
}

/// The form in which a stored value is shown.
#[derive(Debug, Clone, Copy)]
pub(super) enum ValueFormat {
    Unchanged,
    Iso,
    Spaced,
    Flag,
    Json,
}

#[derive(Debug, Clone)]
pub(super) struct DiffColumn {
    pub name: String,
    pub sql: String,
    format: ValueFormat,
}

impl DiffColumn {
    fn new(name: impl Into<String>, sql: impl Into<String>, format: ValueFormat) -> Self {
        Self { name: name.into(), sql: sql.into(), format }
    }

    pub(super) fn format_value(&self, stored: ValueRef) -> Value {
        match (self.format, stored) {
            (_, ValueRef::Null) => Value::Null,
            (ValueFormat::Iso, ValueRef::Integer(at)) => json!(Timestamp::from_unix(at).to_iso()),
            (ValueFormat::Spaced, ValueRef::Integer(at)) => json!(Timestamp::from_unix(at).to_plain()),
            (ValueFormat::Flag, ValueRef::Integer(flag)) => json!(flag != 0),
            (ValueFormat::Json, ValueRef::Text(text)) => serde_json::from_slice(text).unwrap_or_default(),
            (_, ValueRef::Integer(number)) => json!(number),
            (_, ValueRef::Real(number)) => json!(number),
            (_, ValueRef::Text(text) | ValueRef::Blob(text)) => json!(String::from_utf8_lossy(text)),
        }
    }
}

/// Returns the numbers of the custom fields that are defined in a database.
pub(super) fn read_field_numbers(conn: &Connection) -> Result<Vec<u32>> {
    let mut statement = conn.prepare("SELECT number FROM custom_fields WHERE removed = 0 ORDER BY number")?;
    Ok(statement.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?)
}
