//! Handles undo and redo of every act, the time line, the history of records, and the trash.

use roost_model::{
    error::Fault,
    page::{Page, PageRequest},
    time::Timestamp,
};
use roost_store::{
    change_log::{self, Noun, Source},
    error::Error as StoreError,
    row_changes::{
        flip::Flipped,
        records::{self, RowEvent},
    },
    tables::{
        custom_fields,
        steps::{self, Act},
    },
    tx::WriteTx,
};

pub use roost_store::{
    row_changes::records::{EventKind, FieldChange},
    tables::steps::{Step, StepQuery},
};

/// The parts of a line of the time line.
pub use roost_store::{
    change_log::{Action, Change},
    tables::steps::StepState,
};

use crate::{
    core::{By, Core},
    error::{Error, OrNotFound, Result},
};

/// The steps that undo and redo would change next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Standing {
    pub undo: Option<Step>,
    pub redo: Option<Step>,
}

pub fn standing(core: &Core) -> Result<Standing> {
    core.read(|tx| Ok(Standing { undo: steps::to_undo(tx)?, redo: steps::to_redo(tx)? }))
}

/// The result of an undo, a redo or a restore.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Taken {
    pub step: Step,
    pub rows: u64,
    /// The number of values and rows that were changed since by others and therefore stay unchanged.
    pub kept: u64,
    /// The number of opt-outs of the act that remain, because only a removal with a reason ends an opt-out.
    pub opt_outs_kept: u64,
}

/// Undoes a person's last act that is not undone yet.
pub fn undo(core: &Core, by: &By) -> Result<Taken> {
    take_back(core, by, |last| last.ok_or_else(|| Error::conflict("There is nothing to undo.")))
}

fn take_back(core: &Core, by: &By, choose: impl FnOnce(Option<Step>) -> Result<Step>) -> Result<Taken> {
    let turned = core.write(by, |tx| {
        let taken = turn(tx, choose(steps::to_undo(tx)?)?, "undo")?;
        no_value_is_orphaned(tx, &taken)?;
        Ok(taken)
    });
    turned.map_err(|error| nothing_to_stand_on(error, NO_GROUND))
}

const NO_GROUND: &str = "What this belongs to has changed hands: a list it needs was deleted, or one that would go was filled by others. Restore the list from the trash or empty it, or skip this step.";

/// Replaces the constraint error for a row without its parent with a message that says what to do. The error appears
/// only at the commit.
fn nothing_to_stand_on(error: Error, message: &str) -> Error {
    match &error {
        Error::Store(StoreError::Constraint(cause)) if cause.to_string().contains("FOREIGN KEY") => {
            Error::conflict(message)
        }
        _ => error,
    }
}

/// Fails if undoing the creation of a field would lose values that others have added since.
fn no_value_is_orphaned(tx: &WriteTx, taken: &Taken) -> Result<()> {
    let act = taken.step.act.as_str();
    if !["custom_field_add", "import_accept"].contains(&act) || taken.rows == 0 {
        return Ok(());
    }
    for number in custom_fields::undefined(tx)? {
        if custom_fields::holds_values(tx, number)? {
            let which = match (act, &taken.step.subject) {
                ("custom_field_add", Some(label)) => format!("“{label}”"),
                _ => format!("{number}"),
            };
            return Err(Error::conflict(format!(
                "Contacts hold values in the field {which} by now, which undoing would lose. Remove the field instead: that goes to the trash with its values."
            )));
        }
    }
    Ok(())
}

/// Undoes this act, which must still be the last one.
pub fn undo_only(core: &Core, by: &By, wanted: i64) -> Result<Taken> {
    take_back(core, by, |last| {
        last.filter(|step| step.id == wanted).ok_or_else(|| {
            Error::conflict(
                "This is not the last act any more. Take back what came after it first, or choose it in the time line.",
            )
        })
    })
}

/// Redoes the act that was undone last.
pub fn redo(core: &Core, by: &By) -> Result<Taken> {
    let turned = core.write(by, |tx| {
        let step = steps::to_redo(tx)?.ok_or_else(|| Error::conflict("There is nothing to redo."))?;
        turn(tx, step, "redo")
    });
    turned.map_err(|error| nothing_to_stand_on(error, NO_GROUND))
}

/// Names the record that prevents another from being restored.
fn in_the_way(error: StoreError) -> Error {
    let StoreError::Constraint(cause) = &error else { return error.into() };
    let cause = cause.to_string();
    let taken = [
        (
            "senders.name_folded",
            "Its name is taken: the account has another sender of this name by now. Delete that one first.",
        ),
        (
            "assets.",
            "Its number is taken: the account has another asset with this number by now. Remove that one first.",
        ),
        ("short_links.code", "Its short address is taken by another link by now. Delete that one first."),
    ];
    match taken.into_iter().find(|(column, _)| cause.contains(column)) {
        Some((_, message)) => Error::conflict(message),
        None => error.into(),
    }
}

fn turn(tx: &WriteTx, step: Step, act: &'static str) -> Result<Taken> {
    expect(tx, &step);
    let flipped = steps::turn(tx, &step).map_err(in_the_way)?;
    tx.act(Act::new(act).of(step.id).note().subject(step.act.clone()));
    Ok(tell(tx, step, &flipped))
}

fn expect(tx: &WriteTx, step: &Step) {
    if let Some((first, last)) = step.rows {
        // Many rows may be recorded as one.
        tx.expect_rows(((last - first + 1) as u64).max(step.count));
    }
}

fn tell(tx: &WriteTx, step: Step, flipped: &Flipped) -> Taken {
    for ((noun, action), count) in &flipped.records {
        tx.log(Change::bulk(*noun, *action, *count));
    }
    // Even if no row changed, the state of the step did.
    if flipped.rows == 0 {
        tx.log(Change::bulk(Noun::Account, Action::Updated, 0));
    }
    Taken { rows: flipped.rows, kept: flipped.kept, opt_outs_kept: flipped.opt_outs_kept, step }
}

/// Undoes a step that is done, or redoes one that is undone. Fails if anything that it changed was changed since.
pub(crate) fn turn_whole(tx: &WriteTx, step: Step, to: StepState) -> Result<()> {
    let (from, act) = match to {
        StepState::Undone => (StepState::Done, "undo"),
        _ => (StepState::Undone, "redo"),
    };
    if step.state != from {
        return Err(Error::conflict("This was done already. Look at the record once more."));
    }
    let taken = turn(tx, step, act)?;
    if taken.opt_outs_kept > 0 {
        return Err(Error::conflict("Undo does not remove an opt-out. Remove it with a reason instead."));
    }
    if taken.kept > 0 {
        return Err(Error::conflict("Something else that it changed was changed since, and nothing is taken back."));
    }
    for number in custom_fields::undefined(tx)? {
        if custom_fields::holds_values(tx, number)? {
            return Err(Error::conflict(format!("Contacts hold values in the field {number} by now.")));
        }
    }
    Ok(())
}

/// Gives the error for a row without its parent the same message as undo.
pub(crate) fn without_ground(error: Error) -> Error {
    nothing_to_stand_on(error, NO_GROUND)
}

/// Skips the next step to undo, which no longer applies.
pub fn pass_over(core: &Core, by: &By) -> Result<Step> {
    core.write(by, |tx| {
        let step = steps::to_undo(tx)?.ok_or_else(|| Error::conflict("There is nothing to undo."))?;
        steps::pass_over(tx, &step)?;
        tx.act(Act::new("undo_pass_over").of(step.id).note().subject(step.act.clone()));
        tx.log(Change::bulk(Noun::Account, Action::Updated, 0));
        Ok(step)
    })
}

/// A line of the time line with its changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Told {
    pub step: Step,
    pub changes: Vec<Change>,
}

pub fn page(core: &Core, query: &StepQuery, page: PageRequest) -> Result<Page<Told>> {
    core.read(|tx| {
        let found = steps::page(tx, query, page)?;
        let items = found
            .items
            .into_iter()
            .map(|step| Ok(Told { changes: change_log::of_step(tx, step.id)?, step }))
            .collect::<Result<_>>()?;
        Ok(Page { items, total_items: found.total_items })
    })
}

/// Returns a step with its changes, or `None` if it is no longer remembered.
pub fn told(core: &Core, step: i64) -> Result<Option<Told>> {
    core.read(|tx| {
        let Some(step) = steps::get(tx, step)? else { return Ok(None) };
        Ok(Some(Told { changes: change_log::of_step(tx, step.id)?, step }))
    })
}

/// A change of a record: who made it, in which act, and the values before and after.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordChange {
    pub at: Timestamp,
    pub source: Source,
    pub step: i64,
    pub act: String,
    pub kind: EventKind,
    pub fields: Vec<FieldChange>,
}

/// Returns all recorded changes of a record, newest first. Undone changes are left out.
pub fn of_record(core: &Core, noun: Noun, uid: &str) -> Result<Vec<RecordChange>> {
    core.read(|tx| {
        let mut told = Vec::new();
        for RowEvent { step, kind, fields } in records::of(tx, noun, uid)? {
            let Some(step) = steps::get(tx, step)?.filter(|s| matches!(s.state, StepState::Done | StepState::Note))
            else {
                continue;
            };
            told.push(RecordChange { at: step.at, source: step.source, step: step.id, act: step.act, kind, fields });
        }
        Ok(told)
    })
}

pub fn trash(core: &Core, noun: Option<Noun>, page: PageRequest) -> Result<Page<Step>> {
    core.read(|tx| Ok(steps::trash(tx, noun, page)?))
}

/// Restores what a step deleted. This is a separate act, which can be undone.
pub fn restore(core: &Core, by: &By, step: i64) -> Result<Taken> {
    let restored = core.write(by, |tx| {
        let found = in_trash(tx, step)?;
        expect(tx, &found);
        let flipped = steps::restore(tx, &found).map_err(in_the_way)?;
        let mut act = Act::new("trash_restore").of(step).count(found.count);
        if let Some(subject) = &found.subject {
            act = act.subject(subject.clone());
        }
        tx.act(act);
        Ok(tell(tx, found, &flipped))
    });
    restored.map_err(|error| nothing_to_stand_on(error, LIST_IS_GONE))
}

const LIST_IS_GONE: &str = "The list that this belongs to was deleted as well. Restore the list from the trash first.";

fn in_trash(tx: &WriteTx, step: i64) -> Result<Step> {
    steps::get(tx, step)?
        .filter(|step| step.trash.is_some() && step.rows.is_some() && step.state == StepState::Done)
        .ok_or_else(|| Error::conflict("This is no longer in the trash. Look at the trash once more."))
        .and_then(|found| {
            if steps::is_restored(tx, found.id)? {
                Err(Error::conflict("This was restored already."))
            } else {
                Ok(found)
            }
        })
}

/// Deletes permanently what these steps moved to the trash. This cannot be undone.
pub fn purge(core: &Core, by: &By, wanted: &[i64]) -> Result<u64> {
    core.write(by, |tx| {
        purge_all(tx, wanted)?;
        Ok(wanted.len() as u64)
    })
}

/// Does the same if the number of deleted records was typed correctly. Returns that number.
pub fn purge_typed(core: &Core, by: &By, wanted: &[i64], typed: u64) -> Result<u64> {
    core.write(by, |tx| {
        let mut count = 0;
        for step in wanted {
            // A custom field without values counts as one record too.
            count += in_trash(tx, *step)?.count.max(1);
        }
        if count != typed || count == 0 {
            let message = format!("Type {count}, the number of things that will be deleted for good.");
            return Err(Fault::new("typed_count", message, typed).into());
        }
        purge_all(tx, wanted)?;
        Ok(count)
    })
}

fn purge_all(tx: &WriteTx, wanted: &[i64]) -> Result<()> {
    for step in wanted {
        let found = steps::get(tx, *step)?.or_not_found(Noun::Account, step)?;
        if found.trash.is_none() {
            return Err(Error::conflict("Only what is in the trash can be deleted for good."));
        }
        steps::purge(tx, &found)?;
    }
    tx.act(Act::new("trash_purge").count(wanted.len() as u64).note());
    tx.log(Change::bulk(Noun::Account, Action::Updated, wanted.len() as u64));
    Ok(())
}
