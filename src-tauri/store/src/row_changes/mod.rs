//! Reads the recorded rows: for undo, redo, restoring, the trash, and the history of a record.

pub mod import_reversal;
pub mod records;
mod removal;
mod restore;
pub mod reversal;
pub mod rewind;
#[cfg(test)]
mod tests;

use roost_model::time::Timestamp;
use rusqlite::{ToSql, params};

use self::reversal::{RenewedOptOuts, ReversalSummary, SwappedRows, reverse_rows};
use crate::{
    change_log::{ChangeAction, Noun},
    error::Result,
    row_recorder::{self, SWAPPED_IN_PLACE, tracked_tables::TrackedTable},
    tables::{
        lists::{self, ListRow},
        steps::{StepState, UndoStep, log},
        sync::SyncedTable,
    },
    tx::{ReadTx, WriteTx},
};

/// Undoes a step that is done, or redoes one that is undone. The step keeps its position, and its recorded rows are
/// replaced by those of the reversal, or swapped in place. A step whose opt-outs all stay keeps its state, and the next
/// undo or redo skips it.
pub fn toggle_step(tx: &WriteTx, step: &UndoStep) -> Result<ReversalSummary> {
    let Some((first, last)) = step.rows else { return Ok(ReversalSummary::default()) };
    let before = row_recorder::last_row(tx.conn())?;
    tx.set_record_step(step.id);
    let mut swapped = SwappedRows::default();
    let renewed = if edits_opt_outs(tx, step.id)? { RenewedOptOuts::Return } else { RenewedOptOuts::Stay };
    let flipped = reverse_rows(tx, step.id, (first, last), renewed, Some(&mut swapped))?;
    let appended = before + 1;
    let rows = match swapped.range {
        None => {
            row_recorder::forget_rows(tx.conn(), step.id, first, last)?;
            let after = row_recorder::last_row(tx.conn())?;
            (after > before).then_some((appended, after))
        }
        Some((lowest, highest)) => {
            tx.note_swapped_rows(swapped.count());
            tx.conn()
                .prepare_cached("INSERT INTO row_changes (step, place, kind, key) VALUES (?1, ?2, ?3, 0)")?
                .execute(params![step.id, TrackedTable::CONTACTS.number, SWAPPED_IN_PLACE])?;
            row_recorder::forget_rows(tx.conn(), step.id, first, lowest - 1)?;
            row_recorder::forget_rows(tx.conn(), step.id, highest + 1, last)?;
            Some((lowest, row_recorder::last_row(tx.conn())?))
        }
    };
    tx.set_record_step(tx.step());
    let state = match step.state {
        same if flipped.only_kept_opt_outs() => same,
        StepState::Undone => StepState::Done,
        _ => StepState::Undone,
    };
    tx.conn()
        .prepare_cached("UPDATE steps SET state = ?2, first_row = ?3, last_row = ?4 WHERE id = ?1")?
        .execute(params![step.id, state.as_str(), rows.map(|r| r.0), rows.map(|r| r.1)])?;
    Ok(flipped)
}

/// Returns whether a step edited records of opt-outs. An act that adds opt-outs renews those that exist, but does not
/// record that as an edit.
fn edits_opt_outs(tx: &ReadTx, step: i64) -> Result<bool> {
    let changes = log::read_step_changes(tx, step)?;
    Ok(changes.iter().any(|change| (change.noun, change.action) == (Noun::OptOut, ChangeAction::Updated)))
}

/// Restores what a step deleted, as part of the step that is being made.
pub fn restore_from_trash(tx: &WriteTx, step: &UndoStep) -> Result<ReversalSummary> {
    let Some((first, last)) = step.rows else { return Ok(ReversalSummary::default()) };
    let flipped = reverse_rows(tx, step.id, (first, last), RenewedOptOuts::Stay, None)?;
    tx.execute_sql("UPDATE steps SET restored_by = ?2 WHERE id = ?1", [step.id, tx.step()])?;
    Ok(flipped)
}

/// Restores a record as it was when it was last deleted, if that is remembered.
pub fn restore_deleted(tx: &WriteTx, place: SyncedTable, id: impl ToSql) -> Result<bool> {
    reversal::restore_last_deleted(tx.conn(), place as u8, &id)
}

/// Restores a contact in the same way and adds it to the count of its list.
pub fn restore_contact(tx: &WriteTx, id: i64, list: i64, now: Timestamp) -> Result<bool> {
    let is_back = restore_deleted(tx, SyncedTable::Contacts, id)?;
    if is_back {
        lists::touch(tx, ListRow(list), now, 1)?;
    }
    Ok(is_back)
}
