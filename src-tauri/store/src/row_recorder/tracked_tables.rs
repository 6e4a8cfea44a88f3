//! The tables whose changed rows are recorded.

use rusqlite::Connection;

use crate::{change_log::Noun, error::Result};

/// A table whose changed rows are recorded. Its number is stored in the file, so it never changes.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct TrackedTable {
    pub number: u8,
    pub table: &'static str,
    /// The columns of the primary key.
    pub key: &'static [&'static str],
    /// Columns in which several acts count. Undoing adds the difference instead of restoring the value.
    pub counters: &'static [&'static str],
    /// A restored row that conflicts with an existing row is left out. In other tables, such a conflict refuses the
    /// whole act.
    pub skips_conflicts: bool,
    /// Many of its rows are inserted at a time, with consecutive keys.
    pub comes_in_ranges: bool,
    pub noun: Noun,
    /// Whether one row is one record of the noun. The rows of other tables are parts of such a record.
    pub is_record: bool,
}

const fn record_table(number: u8, table: &'static str, key: &'static [&'static str], noun: Noun) -> TrackedTable {
    TrackedTable {
        number,
        table,
        key,
        counters: &[],
        skips_conflicts: false,
        comes_in_ranges: false,
        noun,
        is_record: true,
    }
}

const fn part_table(number: u8, table: &'static str, key: &'static [&'static str], noun: Noun) -> TrackedTable {
    TrackedTable { is_record: false, ..record_table(number, table, key, noun) }
}

/// The rows of these tables are recorded. All other tables do not hold the account's content, but jobs, used codes and
/// logs.
pub(crate) const TRACKED_TABLES: &[TrackedTable] = &[
    record_table(1, "senders", &["id"], Noun::Sender),
    record_table(2, "assets", &["id"], Noun::Asset),
    part_table(3, "asset_keywords", &["asset_id", "position"], Noun::Asset),
    record_table(4, "custom_fields", &["number"], Noun::CustomField),
    TrackedTable { counters: &["contact_count"], ..record_table(5, "lists", &["id"], Noun::List) },
    TrackedTable::CONTACTS,
    TrackedTable { skips_conflicts: true, ..record_table(7, "opt_outs", &["id"], Noun::OptOut) },
    record_table(8, "short_links", &["id"], Noun::ShortLink),
    record_table(9, "clicks", &["id"], Noun::Click),
    record_table(10, "settings", &["key"], Noun::Account),
    part_table(11, "list_notes", &["list_id"], Noun::List),
    // A cell that got another draft since keeps that one.
    TrackedTable { skips_conflicts: true, ..part_table(12, "drafts", &["id"], Noun::Contact) },
    part_table(13, "saved_views", &["id"], Noun::List),
    part_table(14, "imports", &["id"], Noun::List),
    TrackedTable::IMPORT_REJECTS,
];

impl TrackedTable {
    pub(crate) const CONTACTS: Self =
        Self { comes_in_ranges: true, ..record_table(6, "contacts", &["id"], Noun::Contact) };
    pub(crate) const IMPORT_REJECTS: Self =
        Self { comes_in_ranges: true, ..part_table(15, "import_rejects", &["id"], Noun::List) };

    pub(crate) fn find_by_name(table: &str) -> Option<&'static Self> {
        TRACKED_TABLES.iter().find(|place| place.table == table)
    }

    pub(crate) fn find_by_number(number: i64) -> Option<&'static Self> {
        TRACKED_TABLES.iter().find(|place| i64::from(place.number) == number)
    }

    /// Returns the column names in the order of the table.
    pub(crate) fn read_columns(&self, conn: &Connection) -> Result<Vec<String>> {
        let mut statement = conn.prepare_cached("SELECT name FROM pragma_table_info(?1) ORDER BY cid")?;
        Ok(statement.query_map([self.table], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?)
    }
}
