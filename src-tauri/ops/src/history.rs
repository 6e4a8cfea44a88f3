//! Handles undo and redo of every act, the timeline, the history of records, and the trash.

use roost_model::{
    error::FieldError,
    id::ListId,
    page::{Page, PageRequest},
    time::Timestamp,
};
use roost_store::{
    change_log::{ActorKind, Noun},
    error::StoreError,
    row_changes::{
        self,
        records::{self, RowEvent},
        reversal::ReversalSummary,
    },
    tables::{
        custom_fields, settings,
        steps::{self, log},
        sync::discarded,
    },
    tx::{ActDescription, WriteTx},
};
use serde::Serialize;

pub use roost_store::{
    row_changes::records::FieldChange,
    tables::steps::{StepQuery, UndoStep},
};

/// The parts of a line of the timeline.
pub use roost_store::{
    change_log::{ChangeAction, ChangeLogEntry},
    tables::steps::StepState,
};

use crate::{
    core::{Actor, Core},
    error::{Error, Result},
};

/// The steps that undo and redo would change next.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename = "HistoryStatus"))]
pub struct UndoStatus {
    pub undo: Option<UndoStep>,
    pub redo: Option<UndoStep>,
    /// If the last act was a restore, which undo does not take back: the file name of the copy of what was there before.
    pub before_restore: Option<String>,
}

pub fn read_undo_status(core: &Core) -> Result<UndoStatus> {
    core.read(|tx| {
        let undo = steps::next_to_undo(tx)?;
        let before_restore = if undo.is_none() { settings::last_restore(tx)?.replaced_copy } else { None };
        Ok(UndoStatus { undo, redo: steps::next_to_redo(tx)?, before_restore })
    })
}

/// The result of an undo, a redo or a restore.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename = "HistoryTaken"))]
pub struct UndoSummary {
    pub step: UndoStep,
    pub rows: u64,
    /// The number of values and rows that were changed since by others and therefore stay unchanged.
    pub kept: u64,
    /// The number of opt-outs of the act that remain, because only a removal with a reason ends an opt-out.
    pub opt_outs_kept: u64,
}

/// Undoes a person's last act that is not undone yet.
pub fn undo(core: &Core, by: &Actor) -> Result<UndoSummary> {
    undo_chosen(core, by, |tx, last| match last {
        Some(step) => Ok(step),
        None => Err(Error::conflict(match settings::last_restore(tx)?.replaced_copy {
            Some(copy) => {
                format!("Undo does not revert the restore of a copy. To go back, restore the copy {copy}.")
            }
            None => "There is nothing to undo.".to_owned(),
        })),
    })
}

fn undo_chosen(
    core: &Core,
    by: &Actor,
    choose: impl FnOnce(&WriteTx, Option<UndoStep>) -> Result<UndoStep>,
) -> Result<UndoSummary> {
    let turned = core.write(by, |tx| {
        let taken = toggle_step(tx, choose(tx, steps::next_to_undo(tx)?)?, "undo")?;
        check_effect(&taken, NOT_UNDONE)?;
        check_orphaned_values(tx, &taken)?;
        Ok(taken)
    });
    turned.map_err(|error| explain_missing_parent(error, MISSING_PARENT))
}

const MISSING_PARENT: &str = "What this belongs to has changed hands: a list it needs was deleted, or one that would go was filled by others. Restore the list from the trash or empty it, or skip this step.";

const NOT_UNDONE: &str =
    "Could not be undone: everything that it changed was deleted or changed since. Skip it to undo what came before.";
const NOT_REDONE: &str = "Could not be redone: everything that it changed was deleted or changed since.";
const NOT_RESTORED: &str = "Could not be restored: what was deleted is here already, or was changed since.";

/// Fails if a reversal found nothing left to reverse, so that it is not taken for one that succeeded. Opt-outs that
/// stay are reported by their number.
fn check_effect(taken: &UndoSummary, message: &str) -> Result<()> {
    // An opt-out that was removed and came back since is there, as the undo wants it.
    let is_of_opt_outs = taken.step.trash == Some(Noun::OptOut);
    if taken.rows == 0 && taken.kept > 0 && taken.opt_outs_kept == 0 && !is_of_opt_outs {
        return Err(Error::conflict(message));
    }
    Ok(())
}

/// Replaces the constraint error for a row without its parent with a message that says what to do. The error appears
/// only at the commit.
fn explain_missing_parent(error: Error, message: &str) -> Error {
    match &error {
        Error::Store(StoreError::Constraint(cause)) if cause.to_string().contains("FOREIGN KEY") => {
            Error::conflict(message)
        }
        _ => error,
    }
}

/// Fails if undoing the creation of a field would lose values that others have added since.
fn check_orphaned_values(tx: &WriteTx, taken: &UndoSummary) -> Result<()> {
    let act = taken.step.act.as_str();
    if !["custom_field_add", "custom_field_renumber", "import_accept"].contains(&act) || taken.rows == 0 {
        return Ok(());
    }
    for number in custom_fields::orphan_columns(tx)? {
        if custom_fields::has_values(tx, number)? {
            let which = match (act, &taken.step.subject) {
                ("custom_field_add" | "custom_field_renumber", Some(label)) => format!("“{label}”"),
                _ => format!("{number}"),
            };
            return Err(Error::conflict(format!(
                "Contacts now have values in the field {which}, and undoing would lose them. Remove the field \
                 instead: it goes to the trash with its values."
            )));
        }
    }
    Ok(())
}

/// Undoes this act, which must still be the last one.
pub fn undo_step(core: &Core, by: &Actor, wanted: i64) -> Result<UndoSummary> {
    undo_chosen(core, by, |_, last| {
        last.filter(|step| step.id == wanted).ok_or_else(|| {
            Error::conflict(
                "This is no longer the last action. Undo what came after it first, or select it in the timeline.",
            )
        })
    })
}

/// Redoes the act that was undone last.
pub fn redo(core: &Core, by: &Actor) -> Result<UndoSummary> {
    let turned = core.write(by, |tx| {
        let step = steps::next_to_redo(tx)?.ok_or_else(|| Error::conflict("There is nothing to redo."))?;
        let taken = toggle_step(tx, step, "redo")?;
        check_effect(&taken, NOT_REDONE)?;
        Ok(taken)
    });
    turned.map_err(|error| explain_missing_parent(error, MISSING_PARENT))
}

/// Names the record that prevents another from being restored.
fn explain_duplicate(error: StoreError) -> Error {
    let StoreError::Constraint(cause) = &error else { return error.into() };
    let cause = cause.to_string();
    let taken = [
        ("senders.name_folded", "The account now has another sender with this name. Delete that one first."),
        ("assets.", "The account now has another asset with this number. Remove that one first."),
        ("short_links.code", "Another link now has this short address. Delete that one first."),
    ];
    match taken.into_iter().find(|(column, _)| cause.contains(column)) {
        Some((_, message)) => Error::conflict(message),
        None => error.into(),
    }
}

fn toggle_step(tx: &WriteTx, step: UndoStep, act: &'static str) -> Result<UndoSummary> {
    expect_step_rows(tx, &step);
    let is_discard = step.act == "changes_discard";
    let conflicts = if is_discard { discarded::read_of_step(tx, step.id)? } else { Vec::new() };
    let flipped = row_changes::toggle_step(tx, &step).map_err(explain_duplicate)?;
    if step.state == StepState::Undone {
        discarded::settle_all(tx, &conflicts)?;
    } else {
        discarded::reopen_all(tx, &conflicts)?;
    }
    tx.describe_act(if flipped.only_kept_opt_outs() {
        ActDescription::hidden()
    } else {
        ActDescription::new(act).of_step(step.id).as_note().with_subject(step.act.clone())
    });
    Ok(log_toggled(tx, step, &flipped))
}

fn expect_step_rows(tx: &WriteTx, step: &UndoStep) {
    if let Some((first, last)) = step.rows {
        // Many rows may be recorded as one.
        tx.expect_rows(((last - first + 1) as u64).max(step.count));
    }
}

fn log_toggled(tx: &WriteTx, step: UndoStep, flipped: &ReversalSummary) -> UndoSummary {
    for ((noun, action), count) in &flipped.records {
        tx.log_change(ChangeLogEntry::bulk(*noun, *action, *count));
    }
    // Even if no row changed, the state of the step did.
    if flipped.rows == 0 {
        tx.log_change(ChangeLogEntry::bulk(Noun::Account, ChangeAction::Updated, 0));
    }
    UndoSummary { rows: flipped.rows, kept: flipped.kept, opt_outs_kept: flipped.opt_outs_kept, step }
}

/// Undoes a step that is done, or redoes one that is undone. Fails if anything that it changed was changed since.
pub(crate) fn toggle_step_exactly(tx: &WriteTx, step: UndoStep, to: StepState) -> Result<()> {
    let (from, act) = match to {
        StepState::Undone => (StepState::Done, "undo"),
        _ => (StepState::Undone, "redo"),
    };
    if step.state != from {
        return Err(Error::conflict("This was already undone or redone. Check the record."));
    }
    let taken = toggle_step(tx, step, act)?;
    if taken.opt_outs_kept > 0 {
        return Err(Error::conflict("Undo does not remove an opt-out. Remove it with a reason instead."));
    }
    if taken.kept > 0 {
        return Err(Error::conflict("Something else that it changed was changed since, so nothing was changed."));
    }
    for number in custom_fields::orphan_columns(tx)? {
        if custom_fields::has_values(tx, number)? {
            return Err(Error::conflict(format!("Contacts now have values in the field {number}.")));
        }
    }
    Ok(())
}

/// Gives the error for a row without its parent the same message as undo.
pub(crate) fn explain_undo_error(error: Error) -> Error {
    explain_missing_parent(error, MISSING_PARENT)
}

/// Skips the next step to undo, which no longer applies.
pub fn skip_undo_step(core: &Core, by: &Actor) -> Result<UndoStep> {
    core.write(by, |tx| {
        let step = steps::next_to_undo(tx)?.ok_or_else(|| Error::conflict("There is nothing to undo."))?;
        steps::drop_step(tx, &step)?;
        tx.describe_act(
            ActDescription::new("undo_pass_over").of_step(step.id).as_note().with_subject(step.act.clone()),
        );
        tx.log_change(ChangeLogEntry::bulk(Noun::Account, ChangeAction::Updated, 0));
        Ok(step)
    })
}

/// A line of the timeline with its changes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename = "ActivityEntry"))]
pub struct TimelineEntry {
    pub step: UndoStep,
    pub changes: Vec<ChangeLogEntry>,
}

pub fn read_timeline(core: &Core, query: &StepQuery, page: PageRequest) -> Result<Page<TimelineEntry>> {
    core.read(|tx| {
        let found = steps::read_page(tx, query, page)?;
        let items = found
            .items
            .into_iter()
            .map(|step| Ok(TimelineEntry { changes: log::read_step_changes(tx, step.id)?, step }))
            .collect::<Result<_>>()?;
        Ok(Page { items, total_items: found.total_items })
    })
}

/// Returns a step with its changes, or `None` if it is no longer remembered.
pub fn read_timeline_entry(core: &Core, step: i64) -> Result<Option<TimelineEntry>> {
    core.read(|tx| {
        let Some(step) = steps::get(tx, step)? else { return Ok(None) };
        Ok(Some(TimelineEntry { changes: log::read_step_changes(tx, step.id)?, step }))
    })
}

/// A change of a record: who made it, in which act, and the values before and after.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename = "RecordEvent"))]
pub struct RecordChange {
    pub at: Timestamp,
    pub source: ActorKind,
    pub step: i64,
    pub act: String,
    pub kind: ChangeAction,
    pub fields: Vec<FieldChange>,
}

/// Returns all recorded changes of a record, newest first. Undone changes are left out.
pub fn read_record_history(core: &Core, noun: Noun, uid: &str) -> Result<Vec<RecordChange>> {
    core.read(|tx| {
        let mut changes = Vec::new();
        for RowEvent { step, kind, fields } in records::read_events(tx, noun, uid)? {
            let Some(step) = steps::get(tx, step)?.filter(|s| matches!(s.state, StepState::Done | StepState::Note))
            else {
                continue;
            };
            changes.push(RecordChange { at: step.at, source: step.source, step: step.id, act: step.act, kind, fields });
        }
        Ok(changes)
    })
}

pub fn read_trash(core: &Core, noun: Option<Noun>, page: PageRequest) -> Result<Page<UndoStep>> {
    core.read(|tx| Ok(steps::trash::read_page(tx, noun, page)?))
}

/// Restores what a step deleted. This is a separate act, which can be undone.
pub fn restore(core: &Core, by: &Actor, step: i64) -> Result<UndoSummary> {
    let restored = core.write(by, |tx| {
        let found = find_in_trash(tx, step)?;
        expect_step_rows(tx, &found);
        let flipped = row_changes::restore_from_trash(tx, &found).map_err(explain_duplicate)?;
        let act = if is_named_by_list(&found) { "trash_restore_contacts" } else { "trash_restore" };
        let mut restored = ActDescription::new(act).of_step(step).with_count(found.count);
        if let Some(subject) = &found.subject {
            restored = restored.with_subject(subject.clone());
        }
        tx.describe_act(restored);
        let taken = log_toggled(tx, found, &flipped);
        check_effect(&taken, NOT_RESTORED)?;
        Ok(taken)
    });
    restored.map_err(|error| explain_missing_parent(error, LIST_IS_GONE))
}

/// Returns whether a step deleted contacts and has the name of their list as its subject.
fn is_named_by_list(step: &UndoStep) -> bool {
    let is_list = step.uid.as_deref().is_some_and(|uid| ListId::parse(uid).is_ok());
    step.trash == Some(Noun::Contact) && (is_list || step.act == "sync_remove_contacts")
}

const LIST_IS_GONE: &str = "The list that this belongs to was deleted as well. Restore the list from the trash first.";

fn find_in_trash(tx: &WriteTx, step: i64) -> Result<UndoStep> {
    steps::trash::find(tx, step)?
        .ok_or_else(|| Error::conflict("This is no longer in the trash. Check the trash again."))
}

/// Deletes permanently what these steps moved to the trash. This cannot be undone.
pub fn purge(core: &Core, by: &Actor, wanted: &[i64]) -> Result<u64> {
    core.write(by, |tx| {
        purge_all(tx, &find_all_in_trash(tx, wanted)?)?;
        Ok(wanted.len() as u64)
    })
}

/// Does the same if the number of deleted records was typed correctly. Returns that number.
pub fn purge_typed(core: &Core, by: &Actor, wanted: &[i64], typed: u64) -> Result<u64> {
    core.write(by, |tx| {
        let found = find_all_in_trash(tx, wanted)?;
        // A custom field without values counts as one record too.
        let count = found.iter().map(|step| step.count.max(1)).sum::<u64>();
        if count != typed || count == 0 {
            let message = format!("Type {count}, the number of records that will be deleted permanently.");
            return Err(FieldError::new("typed_count", message, typed).into());
        }
        purge_all(tx, &found)?;
        Ok(count)
    })
}

fn find_all_in_trash(tx: &WriteTx, wanted: &[i64]) -> Result<Vec<UndoStep>> {
    wanted.iter().map(|step| find_in_trash(tx, *step)).collect()
}

fn purge_all(tx: &WriteTx, all: &[UndoStep]) -> Result<()> {
    for step in all {
        steps::trash::purge(tx, step)?;
    }
    tx.describe_act(ActDescription::new("trash_purge").with_count(all.len() as u64).as_note());
    tx.log_change(ChangeLogEntry::bulk(Noun::Account, ChangeAction::Updated, all.len() as u64));
    Ok(())
}
