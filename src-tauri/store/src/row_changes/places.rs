//! The tables whose changed rows are recorded.

use rusqlite::Connection;

use crate::{change_log::Noun, error::Result};

/// A table whose changed rows are recorded. Its number is stored in the file, so it never changes.
#[derive(Debug, PartialEq, Eq)]
pub struct Place {
    pub number: u8,
    pub table: &'static str,
    /// The columns of the primary key.
    pub key: &'static [&'static str],
    /// Columns in which several acts count. Undoing adds the difference instead of restoring the value.
    pub counters: &'static [&'static str],
    /// A restored row that conflicts with an existing row is left out. In other tables, such a conflict refuses the
    /// whole act.
    pub yields: bool,
    /// Many of its rows are inserted at a time, with consecutive keys.
    pub comes_in_ranges: bool,
    pub noun: Noun,
    /// Whether one row is one record of the noun. The rows of other tables are parts of such a record.
    pub is_record: bool,
}

const fn place(number: u8, table: &'static str, key: &'static [&'static str], noun: Noun) -> Place {
    Place { number, table, key, counters: &[], yields: false, comes_in_ranges: false, noun, is_record: true }
}

const fn part(number: u8, table: &'static str, key: &'static [&'static str], noun: Noun) -> Place {
    Place { is_record: false, ..place(number, table, key, noun) }
}

/// The rows of these tables are recorded. All other tables do not hold the account's content, but jobs, used codes and
/// logs.
pub const PLACES: &[Place] = &[
    place(1, "senders", &["id"], Noun::Sender),
    place(2, "assets", &["id"], Noun::Asset),
    part(3, "asset_keywords", &["asset_id", "position"], Noun::Asset),
    place(4, "custom_fields", &["number"], Noun::CustomField),
    Place { counters: &["contact_count"], ..place(5, "lists", &["id"], Noun::List) },
    Place::CONTACTS,
    Place { yields: true, ..place(7, "opt_outs", &["id"], Noun::OptOut) },
    place(8, "short_links", &["id"], Noun::ShortLink),
    place(9, "clicks", &["id"], Noun::Click),
    place(10, "settings", &["key"], Noun::Account),
    part(11, "list_notes", &["list_id"], Noun::List),
    // A cell that got another draft since keeps that one.
    Place { yields: true, ..part(12, "drafts", &["id"], Noun::Contact) },
    part(13, "saved_views", &["id"], Noun::List),
    part(14, "imports", &["id"], Noun::List),
    Place::IMPORT_REJECTS,
];

impl Place {
    pub const CONTACTS: Self = Self { comes_in_ranges: true, ..place(6, "contacts", &["id"], Noun::Contact) };
    pub const IMPORT_REJECTS: Self = Self { comes_in_ranges: true, ..part(15, "import_rejects", &["id"], Noun::List) };

    pub fn of_table(table: &str) -> Option<&'static Self> {
        PLACES.iter().find(|place| place.table == table)
    }

    pub fn by_number(number: i64) -> Option<&'static Self> {
        PLACES.iter().find(|place| i64::from(place.number) == number)
    }

    /// Returns the column names in the order of the table.
    pub fn columns(&self, conn: &Connection) -> Result<Vec<String>> {
        let mut statement = conn.prepare_cached("SELECT name FROM pragma_table_info(?1) ORDER BY cid")?;
        Ok(statement.query_map([self.table], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?)
    }
}
