//! Erases everything that an account holds about one phone number, except for the opt-out itself (`adr/0035`).

mod bodies;
pub mod copies;
mod mentions;
mod opt_out_rows;
mod person;
mod undo_memory;

use std::collections::{BTreeMap, BTreeSet};

use rusqlite::{ToSql, params};

use self::person::ErasedPerson;
use super::held::{self, WantedNumber};
use crate::{
    change_log::ActorKind,
    error::{Result, StoreError},
    tables::sync::{
        audit::{self, AuditEntry},
        repair, scopes,
    },
    tx::WriteTx,
};

/// What is to be erased.
#[derive(Clone, Copy)]
pub struct ErasureRequest<'a> {
    pub wanted: WantedNumber<'a>,
    /// How many opt-outs of the number may be erased as well. `None` keeps them all.
    pub opt_outs: Option<u64>,
}

/// The result of an erasure in one file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ErasureCounts {
    /// Rows that were deleted or emptied, by table.
    pub erased: BTreeMap<String, u64>,
    /// Rows about something else in which the number was replaced, by table.
    pub replaced: BTreeMap<String, u64>,
    /// The opt-outs of the number, whether they were erased or stay.
    pub opt_outs: u64,
    /// The contacts with the number that the connected service has, as far as is known.
    pub at_service: u64,
    /// Contacts of others at the connected service whose texts mention the number, as far as is known.
    pub mentioned_at_service: u64,
    /// Steps that can no longer be undone or redone, because they were about the person alone.
    pub steps_forgotten: u64,
    /// Steps that can still be undone or redone, but without what they remember about the person.
    pub steps_with_gaps: u64,
    /// Further numbers of the contacts that were erased.
    pub other_numbers: BTreeSet<String>,
    /// Entries of the audit whose bodies were shortened, with the new bodies.
    pub shortened: Vec<(u64, String)>,
}

impl ErasureCounts {
    fn add_erased(&mut self, table: &str, rows: usize) {
        if rows > 0 {
            *self.erased.entry(table.to_owned()).or_default() += rows as u64;
        }
    }

    fn add_replaced(&mut self, table: &str, rows: usize) {
        if rows > 0 {
            *self.replaced.entry(table.to_owned()).or_default() += rows as u64;
        }
    }

    /// The number of rows that were deleted, emptied or changed.
    pub fn rows(&self) -> u64 {
        self.erased.values().sum::<u64>() + self.replaced.values().sum::<u64>()
    }
}

/// The work on one file.
struct Eraser<'a> {
    tx: &'a WriteTx<'a>,
    wanted: WantedNumber<'a>,
    tables: BTreeSet<String>,
    counts: ErasureCounts,
}

/// Erases the number in one transaction. `seal` makes the entry of the audit from the last one and from the result. Fails
/// and erases nothing if something about the number would be left.
pub fn erase_number(
    tx: &WriteTx,
    request: &ErasureRequest,
    seal: &dyn Fn(Option<&AuditEntry>, &ErasureCounts) -> AuditEntry,
) -> Result<ErasureCounts> {
    let source = begin_quietly(tx)?;
    let tables = held::read_table_names(tx.conn())?.into_iter().collect();
    let mut eraser = Eraser { tx, wanted: request.wanted, tables, counts: ErasureCounts::default() };
    let person = ErasedPerson::find(&eraser)?;
    eraser.counts.at_service = eraser.count_at_service(person.synced_contacts())?;
    eraser.counts.other_numbers = person.other_numbers.clone();
    // A reading that is under way starts again. A row that is taken out of it would count as deleted at the service.
    if eraser.has_table("sync_seen") {
        scopes::discard_readings(tx)?;
    }
    eraser.erase_person(&person)?;
    eraser.erase_undo_memory(&person)?;
    eraser.erase_bodies(&person)?;
    eraser.erase_opt_outs(request.opt_outs)?;
    eraser.replace_mentions()?;
    eraser.erase_import_examples()?;
    if eraser.has_table("sync_base") {
        repair::forget_unchanged_contacts(tx.conn())?;
    }
    eraser.check_nothing_is_left(request.opt_outs.is_some())?;
    if eraser.has_table("audit") && eraser.counts.rows() > 0 {
        let entry = seal(audit::last_entry(tx)?.as_ref(), &eraser.counts);
        audit::append_entry(tx, &entry)?;
    }
    set_source(tx, source.as_deref())?;
    Ok(eraser.counts)
}

/// Marks the step of this transaction as one of a sync, so that nothing of the erasure is planned as a change to be
/// sent. Returns the former source of the step, to be restored at the end.
fn begin_quietly(tx: &WriteTx) -> Result<Option<String>> {
    let source = tx.find_value("SELECT source FROM steps WHERE id = ?1", [tx.step()])?;
    set_source(tx, Some(ActorKind::Sync.as_str()))?;
    Ok(source)
}

fn set_source(tx: &WriteTx, source: Option<&str>) -> Result<()> {
    if let Some(source) = source {
        tx.execute_sql("UPDATE steps SET source = ?2 WHERE id = ?1", params![tx.step(), source])?;
    }
    Ok(())
}

impl Eraser<'_> {
    fn has_table(&self, table: &str) -> bool {
        self.tables.contains(table)
    }

    /// Deletes rows of a table, if the file has it, and counts them.
    fn delete_rows(&mut self, table: &str, condition: &str, values: &[&dyn ToSql]) -> Result<()> {
        if self.has_table(table) {
            let sql = format!("DELETE FROM {table} WHERE {condition}");
            let deleted = self.tx.execute_sql(&sql, values)?;
            self.counts.add_erased(table, deleted);
        }
        Ok(())
    }

    /// Searches all tables once more, as the report of what is held does.
    fn check_nothing_is_left(&self, with_opt_outs: bool) -> Result<()> {
        let left = held::find_held_in(self.tx.conn(), &self.wanted)?;
        let stays = |record: &held::HeldRecord| {
            let has = |name: &str, wanted: held::HeldValue| {
                record.values.iter().any(|(column, value)| column == name && *value == wanted)
            };
            !with_opt_outs
                && match record.table.as_str() {
                    "opt_outs" | "opt_out_events" => has("number", held::HeldValue::Text(self.wanted.e164.into())),
                    table => table.starts_with("sync_") && has("place", held::HeldValue::Number("7".into())),
                }
        };
        let is_about = |record: &held::HeldRecord| {
            let text = |value: &held::HeldValue| match value {
                held::HeldValue::Text(text) => self.replace_in_cell(text.as_bytes()).is_some(),
                held::HeldValue::Empty | held::HeldValue::Number(_) => false,
            };
            record.values.iter().any(|(_, value)| text(value))
        };
        match left.iter().find(|record| !stays(record) && is_about(record)) {
            Some(record) => Err(StoreError::NotErased { table: record.table.clone() }),
            None => Ok(()),
        }
    }
}
