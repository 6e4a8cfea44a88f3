//! Writes many contacts at once: stages them in a temporary table, then matches, merges and inserts them with one
//! statement each.

use std::fmt::Write;

use roost_model::{
    contact::{ATTRIBUTES, Attribute, ValidContact},
    id::ContactId,
    time::Timestamp,
};
use rusqlite::{CachedStatement, params};
use serde::Deserialize;

use crate::{
    error::Result,
    tables::lists::{self, ListRow},
    tx::WriteTx,
};

/// The number by which two contacts are the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename = "ListKey"))]
pub enum MatchKey {
    Phone,
    Whatsapp,
}

impl MatchKey {
    pub(crate) fn column(self) -> &'static str {
        match self {
            Self::Phone => "phone",
            Self::Whatsapp => "whatsapp",
        }
    }

    pub fn number_of<'a>(self, contact: &'a ValidContact) -> Option<&'a str> {
        match self {
            Self::Phone => &contact.phone,
            Self::Whatsapp => &contact.whatsapp,
        }
        .as_ref()
        .map(|p| p.e164.as_str())
    }
}

/// One contact that is to be inserted or merged.
pub struct StagedContact<'a> {
    pub contact: &'a ValidContact<'a>,
    /// The id that the contact gets if it is new.
    pub uid: ContactId,
    /// Whether later contacts of the batch were merged into it. A new contact then counts as updated already.
    pub is_merged_into: bool,
}

/// The contact into which a staged contact was inserted or merged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BatchPlacement {
    /// Number of contacts in the list that had the same number before.
    pub matches: u32,
    /// The row of the new contact, or of one that matched.
    pub contact: i64,
}

/// A staged batch. [`finish`](Self::finish) drops the temporary table.
pub struct ContactBatch<'t, 'c> {
    tx: &'t WriteTx<'c>,
    list: ListRow,
    /// Columns for which at least one contact has a value. The others cannot change.
    brought: Vec<String>,
}

const NUMBER_COLUMNS: [&str; 4] = ["phone", "phone_region", "whatsapp", "whatsapp_region"];
/// Columns of the staging table before the contact's own.
const OWN_COLUMNS: usize = 4;

fn contact_columns(custom: &[u32]) -> Vec<String> {
    let fixed = NUMBER_COLUMNS.into_iter().chain(Attribute::ALL.map(Attribute::name)).map(str::to_owned);
    fixed.chain(custom.iter().map(|n| format!("field_{n}"))).collect()
}

impl<'t, 'c> ContactBatch<'t, 'c> {
    /// Stages the contacts. Values of custom fields that are no longer defined are left out.
    pub fn stage<'a>(
        tx: &'t WriteTx<'c>,
        list: ListRow,
        custom: &[u32],
        records: impl Iterator<Item = StagedContact<'a>>,
    ) -> Result<Self> {
        let columns = contact_columns(custom);
        tx.conn().execute_batch(&format!(
            "DROP TABLE IF EXISTS temp.batch;
             CREATE TEMP TABLE batch (position INTEGER PRIMARY KEY, uid TEXT, new_id INTEGER, is_merged_into INTEGER,
                                      matches INTEGER NOT NULL DEFAULT 0, contact INTEGER, {})",
            columns.iter().map(|c| format!("{c} TEXT")).collect::<Vec<_>>().join(", ")
        ))?;
        let last_id: i64 = tx.find_value("SELECT seq FROM sqlite_sequence WHERE name = 'contacts'", [])?.unwrap_or(0);
        let places = (1..=OWN_COLUMNS + columns.len()).map(|n| format!("?{n}")).collect::<Vec<_>>().join(", ");
        let sql = format!(
            "INSERT INTO temp.batch (position, uid, new_id, is_merged_into, {}) VALUES ({places})",
            columns.join(", ")
        );
        let mut insert = tx.conn().prepare_cached(&sql)?;
        let mut brings = vec![false; columns.len()];
        for (position, record) in records.enumerate() {
            insert.raw_bind_parameter(1, position as i64)?;
            insert.raw_bind_parameter(2, record.uid.as_str())?;
            insert.raw_bind_parameter(3, last_id + 1 + position as i64)?;
            insert.raw_bind_parameter(4, record.is_merged_into)?;
            bind_contact(&mut insert, record.contact, custom, &mut brings)?;
            insert.raw_execute()?;
        }
        let brought = columns.into_iter().zip(brings).filter_map(|(column, brings)| brings.then_some(column)).collect();
        Ok(Self { tx, list, brought })
    }

    /// Finds the contacts of the list that have the same number as a staged contact.
    pub fn find_matches(&self, key: MatchKey) -> Result<()> {
        let column = key.column();
        let sql = format!(
            "UPDATE temp.batch SET (matches, contact) = (SELECT count(*), min(c.id) FROM main.contacts c WHERE c.list_id = ?1 AND c.{column} = batch.{column})
             WHERE {column} IS NOT NULL"
        );
        self.tx.conn().prepare(&sql)?.execute([self.list.0])?;
        Ok(())
    }

    /// Writes the values of each staged contact into the contacts that it matched. Returns how many contacts were
    /// touched.
    pub fn merge(&self, key: MatchKey, at: Timestamp) -> Result<usize> {
        let column = key.column();
        // Without this table, SQLite would walk the whole list and search the batch for every contact.
        self.tx.conn().execute_batch(
            "DROP TABLE IF EXISTS temp.batch_match;
             CREATE TEMP TABLE batch_match (contact INTEGER PRIMARY KEY, position INTEGER NOT NULL)",
        )?;
        let sql = format!(
            "INSERT INTO temp.batch_match (contact, position)
             SELECT c.id, b.position FROM temp.batch b CROSS JOIN main.contacts c
             WHERE b.matches > 0 AND c.list_id = ?1 AND c.{column} = b.{column}"
        );
        self.tx.conn().prepare(&sql)?.execute([self.list.0])?;
        // The key is equal on both sides. Leaving it out avoids an update of its index.
        let names: Vec<&str> =
            self.brought.iter().map(String::as_str).filter(|name| !name.starts_with(column)).collect();
        let mut sets = "updated_at = ?1".to_owned();
        if !names.is_empty() {
            let values = names.iter().map(|name| format!("coalesce(b.{name}, contacts.{name})")).collect::<Vec<_>>();
            let _ = write!(
                sets,
                ", ({}) = (SELECT {} FROM temp.batch_match m CROSS JOIN temp.batch b WHERE m.contact = contacts.id AND b.position = m.position)",
                names.join(", "),
                values.join(", ")
            );
        }
        let sql = format!("UPDATE main.contacts SET {sets} WHERE id IN (SELECT contact FROM temp.batch_match)");
        let touched = self.tx.conn().prepare(&sql)?.execute([at.unix()])?;
        self.tx.conn().execute_batch("DROP TABLE temp.batch_match")?;
        Ok(touched)
    }

    /// Inserts every staged contact that matched none. Returns how many there are.
    pub fn insert_unmatched(&self, at: Timestamp) -> Result<usize> {
        let columns: String = self.brought.iter().map(|column| format!(", {column}")).collect();
        let sql = format!(
            "INSERT INTO main.contacts (id, uid, list_id, created_at, updated_at{columns})
             SELECT new_id, uid, ?1, ?2, CASE WHEN is_merged_into THEN ?2 END{columns} FROM temp.batch WHERE matches = 0 ORDER BY position"
        );
        Ok(self.tx.conn().prepare(&sql)?.execute(params![self.list.0, at.unix()])?)
    }

    /// Returns where every contact ended up, in order, and drops the staging table.
    pub fn finish_batch(self) -> Result<Vec<BatchPlacement>> {
        let mut statement =
            self.tx.conn().prepare("SELECT matches, coalesce(contact, new_id) FROM temp.batch ORDER BY position")?;
        let placed = statement
            .query_map([], |r| Ok(BatchPlacement { matches: r.get(0)?, contact: r.get(1)? }))?
            .collect::<rusqlite::Result<_>>()?;
        drop(statement);
        self.tx.conn().execute_batch("DROP TABLE temp.batch")?;
        Ok(placed)
    }

    /// Updates the list's time and adds the new contacts to its count.
    pub fn touch_list(&self, at: Timestamp, inserted: usize) -> Result<()> {
        lists::touch(self.tx, self.list, at, inserted as i64)
    }
}

fn bind_contact(
    insert: &mut CachedStatement,
    contact: &ValidContact,
    custom: &[u32],
    brings: &mut [bool],
) -> Result<()> {
    let mut bind = |column: usize, text: Option<&str>| -> Result<()> {
        brings[column] |= text.is_some();
        Ok(insert.raw_bind_parameter(OWN_COLUMNS + 1 + column, text)?)
    };
    for (at, phone) in [(0, &contact.phone), (2, &contact.whatsapp)] {
        bind(at, phone.as_ref().map(|p| p.e164.as_str()))?;
        bind(at + 1, phone.as_ref().map(|p| p.region.as_str()))?;
    }
    for (i, text) in contact.attributes.iter().enumerate() {
        bind(NUMBER_COLUMNS.len() + i, text.as_deref())?;
    }
    for (i, number) in custom.iter().enumerate() {
        let text = contact.custom.iter().find(|(n, _)| n == number).map(|(_, text)| text.as_ref());
        bind(NUMBER_COLUMNS.len() + ATTRIBUTES + i, text)?;
    }
    Ok(())
}
