//! Edits of single records taken back, and done again: exactly, or not at all.

use roost_model::page::PageRequest;
use roost_store::{
    change_log::{self, Source},
    db::diff::{self, Resource},
    tables::steps::{self, Step, StepQuery, StepState},
    tx::ReadTx,
};
use serde_json::{Map, Value};

use super::put::noun;
use crate::{
    core::{By, Core},
    error::{Error, OrNotFound, Result},
    history,
};

/// As many steps of a record are told; whoever takes something back looks at the last.
const TOLD: u32 = 20;

/// What the operator did to one record, and to no other, and can be taken back or done again, newest first.
pub fn steps_of(core: &Core, resource: Resource, key: &str) -> Result<Vec<Step>> {
    core.read(|tx| about(tx, resource, key))
}

fn about(tx: &ReadTx, resource: Resource, key: &str) -> Result<Vec<Step>> {
    let query = StepQuery {
        source: Some(Source::Operator),
        noun: Some(noun(resource)),
        uid: Some(key.to_owned()),
        ..StepQuery::default()
    };
    let found = steps::page(tx, &query, PageRequest { number: 1, size: TOLD })?.items;
    let mut steps = Vec::new();
    for step in found {
        let can_turn = step.rows.is_some() && matches!(step.state, StepState::Done | StepState::Undone);
        // What came in with an import is taken back as a whole or not at all.
        if can_turn && change_log::of_step(tx, step.id)?.len() == 1 {
            steps.push(step);
        }
    }
    Ok(steps)
}

/// A step about one record, and what it has to turn.
#[derive(Debug, Clone, Copy)]
pub struct Turn<'t> {
    pub resource: Resource,
    pub key: &'t str,
    pub step: i64,
    /// What the record is now, as far as whoever turns it knows; none inside where there is no record. None where nobody
    /// says: then what the step touched must be as the step left it, and that is all.
    pub record: Option<Option<&'t Map<String, Value>>>,
    /// What becomes of the step.
    pub to: StepState,
}

/// Takes a step back, or does it again, with all that hangs on the record. Answers the record as it is then. Nothing is
/// done when the record, or anything else that the step touched, was changed since.
pub fn turn(core: &Core, by: &By, own_base: &str, turn: Turn) -> Result<Option<Map<String, Value>>> {
    let Turn { resource, key, step, record, to } = turn;
    let turned = core.write(by, |tx| {
        if let Some(record) = record
            && diff::one(tx, resource, own_base, key)?.as_ref() != record
        {
            return Err(Error::conflict("The record has changed since this edit, so nothing was undone."));
        }
        let steps = about(tx, resource, key)?;
        let is_built_upon = steps.iter().any(|later| later.id > step && later.state == StepState::Done);
        let found = steps.into_iter().find(|one| one.id == step).or_not_found(noun(resource), key)?;
        if is_built_upon {
            return Err(Error::conflict("The record was edited again. Undo the newest edit first."));
        }
        history::turn_whole(tx, found, to)?;
        Ok(diff::one(tx, resource, own_base, key)?)
    });
    turned.map_err(history::without_ground)
}
