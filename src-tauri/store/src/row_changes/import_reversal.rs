//! Reverts an import although others have worked since: later edits stay, and so does every opt-out.

use roost_model::id::{ContactId, ListId};
use rusqlite::{params, types::Value};
use serde::Serialize;

use super::{
    records::{self, is_field},
    removal::remove_rows,
    restore::{ReversalRecord, restore_range, restore_row, restore_updates},
    reversal::{self, RecordedChange, RecordedRow, RestoredColumns, TableColumns},
};
use crate::{
    change_log::{ChangeAction, Noun},
    error::Result,
    row_recorder::{DELETED, INSERTED, INSERTED_RANGE, UPDATED, tracked_tables::TrackedTable},
    tables::{
        contacts::list_view,
        custom_fields,
        lists::{self, ListRow},
        parse_stored_id,
        steps::{self, StepState, UndoStep},
    },
    tx::WriteTx,
};

/// Most contacts that are listed. The others are only counted.
const LISTED_MAX: usize = 1_000;

/// A contact that was edited after the import and so keeps some of what was imported.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename = "ImportKeptContact"))]
pub struct KeptContact {
    pub uid: String,
    pub number: String,
    /// The edited fields. They keep their values.
    pub fields: Vec<String>,
    /// The import created the contact, and the contact stays as a whole.
    pub is_whole: bool,
}

/// The changes that reverting an import makes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename = "ImportReverted"))]
pub struct RevertSummary {
    /// The step of the revert, which can be undone. Null in a preview.
    pub step: Option<i64>,
    /// Contacts that the import created and the revert deletes.
    pub deleted: u64,
    /// Contacts that get their earlier values back.
    pub restored: u64,
    pub kept_total: u64,
    /// The first thousand.
    pub kept: Vec<KeptContact>,
    /// Opt-outs that the import added. They stay.
    pub opt_outs_kept: u64,
    /// The import created the list, but the list stays because it has other contacts by now.
    pub list_kept: bool,
}

impl RevertSummary {
    /// Counts a row whose earlier values were restored, and what it keeps.
    fn add_update(
        &mut self,
        tx: &WriteTx,
        place: &TrackedTable,
        row: &RecordedRow,
        back: Option<RestoredColumns>,
    ) -> Result<()> {
        let Some(back) = back.filter(|_| place.table == "contacts") else { return Ok(()) };
        self.restored += u64::from(back.is_done);
        let kept: Vec<String> = back.kept.into_iter().filter(|column| is_field(column)).map(str::to_owned).collect();
        match (kept.is_empty(), &row.key) {
            (false, Value::Integer(contact)) => self.add_kept(tx, *contact, Some(kept)),
            _ => Ok(()),
        }
    }

    /// Counts a contact that stays and lists it if there is room. Without `fields`, it stays as a whole.
    fn add_kept(&mut self, tx: &WriteTx, contact: i64, fields: Option<Vec<String>>) -> Result<()> {
        self.kept_total += 1;
        if self.kept.len() < LISTED_MAX {
            let (uid, number) =
                tx.read_row("SELECT uid, coalesce(phone, whatsapp) FROM contacts WHERE id = ?1", [contact], |row| {
                    Ok((parse_stored_id(0, ContactId::parse(&row.get::<_, String>(0)?))?, row.get(1)?))
                })?;
            let is_whole = fields.is_none();
            let columns = fields.map_or_else(|| edited_fields(tx, &uid), Ok)?;
            let fields = columns.iter().filter_map(|column| Some(list_view::field_of(column)?.name().into_owned()));
            self.kept.push(KeptContact { uid: uid.to_string(), number, fields: fields.collect(), is_whole });
        }
        Ok(())
    }
}

/// Reverses a step that imported into `list`, as part of the step that is being made.
pub fn revert_import(tx: &WriteTx, step: &UndoStep, list: &ListId) -> Result<RevertSummary> {
    let Some((first, last)) = step.rows else { return Ok(RevertSummary::default()) };
    let list = lists::row_of(tx, list)?;
    let (mut result, mut columns, mut staying) = (RevertSummary::default(), TableColumns::default(), 0);
    reversal::visit_rows(tx, step.id, first, last, |visited| {
        let conn = tx.conn();
        let row = match visited {
            RecordedChange::Row(row) => row,
            RecordedChange::DeletedRange(run) => {
                return restore_range(tx, &run, columns.get_or_read(conn, run.place)?).map(drop);
            }
            RecordedChange::Updates(place, rows) => {
                let rows = (&*rows, ReversalRecord::Appended);
                return restore_updates(tx, place, columns.get_or_read(conn, place)?, rows, |row, back| {
                    result.add_update(tx, place, row, back)
                })
                .map(drop);
            }
        };
        let Some(place) = row.place else { return Ok(()) };
        match (place.table, row.kind) {
            ("imports", _) => {}
            ("opt_outs", INSERTED) => result.opt_outs_kept += 1,
            ("contacts", INSERTED | INSERTED_RANGE) => {
                let (made, deleted) = remove_untouched(tx, columns.get_or_read(conn, place)?, &row, list, &mut result)?;
                result.deleted += deleted;
                staying += made - deleted;
            }
            ("lists", INSERTED) => result.list_kept |= !remove_empty_list(tx, &row)?,
            ("custom_fields", INSERTED) => remove_unused_field(tx, &row)?,
            (_, UPDATED) => {
                let back = reversal::restore_columns(conn, place, columns.get_or_read(conn, place)?, &row)?;
                result.add_update(tx, place, &row, back)?;
            }
            (_, INSERTED_RANGE) => {
                remove_rows(conn, place, columns.get_or_read(conn, place)?, row.range(), ("true", &[]))?;
            }
            (_, INSERTED) => {
                reversal::remove_row(conn, place, &row.key, Some(row.data()).filter(|data| !data.is_empty()))?;
            }
            (_, DELETED) => {
                restore_row(conn, place, columns.get_or_read(conn, place)?, row.data())?;
            }
            _ => {}
        }
        Ok(())
    })?;
    // Reversing the step reduced the list's count by every imported contact, so those that stay are added again. Those
    // that left the list were subtracted when they left.
    if let Some(list) = list.filter(|_| staying > 0) {
        lists::add_count(tx, list, staying)?;
    }
    Ok(result)
}

/// Removes the contacts that nobody has edited, moved or given a draft since. Returns how many the import created and
/// how many were removed.
fn remove_untouched(
    tx: &WriteTx,
    columns: &[String],
    row: &RecordedRow,
    list: Option<ListRow>,
    result: &mut RevertSummary,
) -> Result<(u64, u64)> {
    const TOUCHED: &str = "(updated_at IS NOT NULL OR list_id IS NOT ?3
         OR EXISTS (SELECT 1 FROM drafts WHERE contact_id = contacts.id))";
    let (first, count) = row.range();
    let list = list.map(|list| list.0);
    let touched: Vec<i64> = tx.read_rows(
        &format!("SELECT id FROM contacts WHERE id BETWEEN ?1 AND ?2 AND {TOUCHED} ORDER BY id"),
        params![first, first + count as i64 - 1, list],
        |row| row.get(0),
    )?;
    for contact in touched {
        result.add_kept(tx, contact, None)?;
    }
    let untouched = format!("NOT {TOUCHED}");
    let deleted = remove_rows(tx.conn(), &TrackedTable::CONTACTS, columns, (first, count), (&untouched, &[&list]))?;
    Ok((count, deleted))
}

/// Returns the columns of a contact that were changed by acts which are still in effect.
fn edited_fields(tx: &WriteTx, uid: &ContactId) -> Result<Vec<String>> {
    let mut fields = Vec::new();
    for event in records::read_events(tx, Noun::Contact, uid.as_str())? {
        let stands = steps::get(tx, event.step)?.is_some_and(|step| step.state != StepState::Undone);
        if stands && event.kind == ChangeAction::Updated {
            fields.extend(event.fields.into_iter().map(|change| change.field));
        }
    }
    fields.sort_unstable();
    fields.dedup();
    Ok(fields)
}

/// Removes the list that the import created, unless somebody uses it.
fn remove_empty_list(tx: &WriteTx, row: &RecordedRow) -> Result<bool> {
    let deleted = tx.execute_sql(
        "DELETE FROM lists WHERE id = ?1
         AND NOT EXISTS (SELECT 1 FROM contacts WHERE list_id = ?1)
         AND NOT EXISTS (SELECT 1 FROM list_notes WHERE list_id = ?1)
         AND NOT EXISTS (SELECT 1 FROM saved_views WHERE list_id = ?1)",
        [row.range().0],
    )?;
    Ok(deleted > 0)
}

fn remove_unused_field(tx: &WriteTx, row: &RecordedRow) -> Result<()> {
    let number = row.range().0;
    if !u32::try_from(number).map_or(Ok(false), |number| custom_fields::has_values(tx, number))? {
        tx.execute_sql("DELETE FROM custom_fields WHERE number = ?1", [number])?;
    }
    Ok(())
}
