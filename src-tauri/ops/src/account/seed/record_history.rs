//! Undoes and redoes the operator's edits to single records, unless anything that they touched was changed since.

use roost_model::page::PageRequest;
use roost_store::{
    change_log::ActorKind,
    db::diff::{self, AccountResource},
    tables::steps::{self, StepQuery, StepState, UndoStep, log},
    tx::ReadTx,
};
use serde_json::{Map, Value};

use super::records::to_noun;
use crate::{
    core::{Actor, Core},
    error::{Error, OrNotFound, Result},
    history,
};

/// The number of steps returned for a record. A person who undoes something looks only at the newest.
const MAX_STEPS: u32 = 20;

/// Returns the operator's steps that changed only this record and can be undone or redone, newest first.
pub fn read_record_steps(core: &Core, resource: AccountResource, key: &str) -> Result<Vec<UndoStep>> {
    core.read(|tx| find_record_steps(tx, resource, key))
}

fn find_record_steps(tx: &ReadTx, resource: AccountResource, key: &str) -> Result<Vec<UndoStep>> {
    let query = StepQuery {
        source: Some(ActorKind::Operator),
        noun: Some(to_noun(resource)),
        uid: Some(key.to_owned()),
        ..StepQuery::default()
    };
    let found = steps::read_page(tx, &query, PageRequest { number: 1, size: MAX_STEPS })?.items;
    let mut steps = Vec::new();
    for step in found {
        let can_turn = step.rows.is_some() && matches!(step.state, StepState::Done | StepState::Undone);
        // A step of an import can only be undone as a whole.
        if can_turn && log::read_step_changes(tx, step.id)?.len() == 1 {
            steps.push(step);
        }
    }
    Ok(steps)
}

/// A request to undo or redo a step of one record.
#[derive(Debug, Clone, Copy)]
pub struct RecordStepToggle<'t> {
    pub resource: AccountResource,
    pub key: &'t str,
    pub step: i64,
    /// The record as the caller last saw it, with an inner `None` if there was no record. If the outer value is `None`,
    /// only the rows that the step touched must be unchanged since the step.
    pub record: Option<Option<&'t Map<String, Value>>>,
    /// The state that the step is to have afterwards.
    pub to: StepState,
}

/// Undoes or redoes a step with everything that depends on the record, and returns the record as it is then. Fails
/// without a change if the record, or anything else that the step touched, was changed since.
pub fn toggle_record_step(
    core: &Core,
    by: &Actor,
    default_base: &str,
    turn: RecordStepToggle,
) -> Result<Option<Map<String, Value>>> {
    let RecordStepToggle { resource, key, step, record, to } = turn;
    let turned = core.write(by, |tx| {
        if let Some(record) = record
            && diff::find_record(tx, resource, default_base, key)?.as_ref() != record
        {
            return Err(Error::conflict("The record has changed since this edit, so nothing was changed."));
        }
        let steps = find_record_steps(tx, resource, key)?;
        let is_built_upon = steps.iter().any(|later| later.id > step && later.state == StepState::Done);
        let found = steps.into_iter().find(|one| one.id == step).or_not_found(to_noun(resource), key)?;
        if is_built_upon {
            return Err(Error::conflict("The record was edited again. Undo the newest edit first."));
        }
        history::toggle_step_exactly(tx, found, to)?;
        Ok(diff::find_record(tx, resource, default_base, key)?)
    });
    turned.map_err(history::explain_undo_error)
}
