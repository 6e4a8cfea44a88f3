//! Defines what is compared: the resources of an account, the columns that are read, and the form of each value.

use roost_model::{contact::Attribute, time::Timestamp};
use rusqlite::{Connection, types::ValueRef};
use serde_json::{Value, json};

use crate::error::Result;

/// The resources that are compared, in the order of a seed file, with the jobs last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Resource {
    Senders,
    Assets,
    CustomFields,
    Lists,
    Contacts,
    OptOuts,
    ShortLinks,
    Jobs,
}

impl Resource {
    pub const ALL: [Self; 8] = [
        Self::Senders,
        Self::Assets,
        Self::CustomFields,
        Self::Lists,
        Self::Contacts,
        Self::OptOuts,
        Self::ShortLinks,
        Self::Jobs,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Self::Senders => "senders",
            Self::Assets => "assets",
            Self::CustomFields => "custom_fields",
            Self::Lists => "lists",
            Self::Contacts => "contacts",
            Self::OptOuts => "opt_outs",
            Self::ShortLinks => "short_links",
            Self::Jobs => "jobs",
        }
    }

    /// Returns the columns that are read from its records, the key first.
    pub(super) fn columns(self, custom: &[u32]) -> Vec<Column> {
        let fixed = |columns: &[(&str, &str, Told)]| -> Vec<Column> {
            columns.iter().map(|(name, sql, told)| Column::new(*name, *sql, *told)).collect()
        };
        match self {
            Self::Senders => {
                fixed(&[("id", "id", Told::AsIs), ("name", "name", Told::AsIs), ("status", "status", Told::AsIs)])
            }
            Self::Assets => fixed(&[
                ("id", "id", Told::AsIs),
                ("channel", "channel", Told::AsIs),
                ("number", "number", Told::AsIs),
                ("enforce_account_level_opt_outs", "enforce_account_level_opt_outs", Told::Flag),
                ("keywords", KEYWORDS, Told::Json),
            ]),
            Self::CustomFields => fixed(&[("number", "number", Told::AsIs), ("label", "label", Told::AsIs)]),
            Self::Lists => fixed(&[
                ("uid", "uid", Told::AsIs),
                ("name", "name", Told::AsIs),
                ("created_at", "created_at", Told::Iso),
                ("updated_at", "updated_at", Told::Iso),
            ]),
            Self::Contacts => contact_columns(custom),
            Self::OptOuts => fixed(&[
                ("optout", "number || ' ' || channel || ' ' || scope", Told::AsIs),
                ("number", "number", Told::AsIs),
                ("channel", "channel", Told::AsIs),
                ("account_level_opt_out", "scope = ''", Told::Flag),
                ("opt_out_type", "kind", Told::AsIs),
                ("asset_id", "asset_id", Told::AsIs),
                ("inbound_number", "asset_number", Told::AsIs),
                ("opt_out_time", "time", Told::Iso),
            ]),
            Self::ShortLinks => fixed(&[
                ("link_id", "uid", Told::AsIs),
                ("title", "title", Told::AsIs),
                ("target_url", "target_url", Told::AsIs),
                ("short_link_url", "coalesce(base, ?1) || '/' || code", Told::AsIs),
                ("tags", "tags", Told::Json),
                ("created_at", "created_at", Told::Iso),
                ("track_clicks", "track_clicks", Told::Flag),
            ]),
            Self::Jobs => fixed(&[
                ("id", "id", Told::AsIs),
                ("list_uid", "list_uid", Told::AsIs),
                ("merge_type", "merge_type", Told::AsIs),
                ("callback_url", "callback_url", Told::AsIs),
                ("correlation_id", "correlation_id", Told::AsIs),
                ("contacts", "contact_count", Told::AsIs),
                ("state", "state", Told::AsIs),
                ("imported", "imported", Told::AsIs),
                ("merged", "merged", Told::AsIs),
                ("skipped", "skipped", Told::AsIs),
                ("failed", "failed", Told::AsIs),
                ("queued_at", "queued_at", Told::Iso),
                ("finished_at", "finished_at", Told::Iso),
            ]),
        }
    }

    /// Returns the columns that identify a record to a person who searches for it.
    pub(super) fn known_by(self) -> &'static [&'static str] {
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
    pub(super) fn source(self) -> &'static str {
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

const KEYWORDS: &str = "(SELECT json_group_array(keyword) FROM
     (SELECT keyword FROM asset_keywords WHERE asset_id = assets.id ORDER BY position))";

fn contact_columns(custom: &[u32]) -> Vec<Column> {
    let list = "(SELECT uid FROM lists WHERE lists.id = contacts.list_id)";
    let mut columns = vec![Column::new("uid", "uid", Told::AsIs), Column::new("list_uid", list, Told::AsIs)];
    let numbers = [
        ("phone_number", "phone"),
        ("phone_region", "phone_region"),
        ("whatsapp_id", "whatsapp"),
        ("whatsapp_region", "whatsapp_region"),
    ];
    columns.extend(numbers.map(|(name, sql)| Column::new(name, sql, Told::AsIs)));
    columns.extend(Attribute::ALL.map(Attribute::name).map(|name| Column::new(name, name, Told::AsIs)));
    columns.extend(custom.iter().map(|number| {
        let name = format!("field_{number}");
        Column::new(name.clone(), name, Told::AsIs)
    }));
    columns.extend(["created_at", "updated_at"].map(|name| Column::new(name, name, Told::Spaced)));
    columns
}

/// The form in which a stored value is shown.
#[derive(Debug, Clone, Copy)]
pub(super) enum Told {
    AsIs,
    Iso,
    Spaced,
    Flag,
    Json,
}

#[derive(Debug, Clone)]
pub(super) struct Column {
    pub name: String,
    pub sql: String,
    told: Told,
}

impl Column {
    fn new(name: impl Into<String>, sql: impl Into<String>, told: Told) -> Self {
        Self { name: name.into(), sql: sql.into(), told }
    }

    pub fn value(&self, stored: ValueRef) -> Value {
        match (self.told, stored) {
            (_, ValueRef::Null) => Value::Null,
            (Told::Iso, ValueRef::Integer(at)) => json!(Timestamp::from_unix(at).iso()),
            (Told::Spaced, ValueRef::Integer(at)) => json!(Timestamp::from_unix(at).plain()),
            (Told::Flag, ValueRef::Integer(flag)) => json!(flag != 0),
            (Told::Json, ValueRef::Text(text)) => serde_json::from_slice(text).unwrap_or_default(),
            (_, ValueRef::Integer(number)) => json!(number),
            (_, ValueRef::Real(number)) => json!(number),
            (_, ValueRef::Text(text) | ValueRef::Blob(text)) => json!(String::from_utf8_lossy(text)),
        }
    }
}

/// Returns the numbers of the custom fields that are defined in a database.
pub(super) fn custom_fields(conn: &Connection) -> Result<Vec<u32>> {
    let mut statement = conn.prepare("SELECT number FROM custom_fields WHERE removed = 0 ORDER BY number")?;
    Ok(statement.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?)
}
