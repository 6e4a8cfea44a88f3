//! Compares what was sent with what arrived, contact by contact, and records what both sides agree on from then on.

use std::collections::HashSet;

use roost_model::contact::MergeType;
use roost_ops::{By, Core, Error};
use roost_reconcile::{
    plan::{Item, Step, StepKind},
    row::Row,
    schedule::State,
    verify::{Folded, fold},
};
use roost_store::{
    tables::sync::{Place, answers, changes, ids, runs, scopes},
    tx::{ReadTx, WriteTx},
};
use serde::Serialize;
use serde_json::json;

use super::{Came, settle, spelt};
use crate::{
    cells, gather,
    merge::{self, Merged},
};

/// A reading of a list that verifies what was sent to it.
#[derive(Clone, Copy)]
pub struct Reading {
    pub list: i64,
    pub tells_what_is_gone: bool,
    /// Whether this is the last attempt, after which anything still missing is planned again.
    pub give_up: bool,
}

/// The number of contacts compared in one transaction, rounded up to whole steps.
const BATCH: usize = 1_000;

/// Reads the next steps with their contacts.
fn next_batch(core: &Core, run: i64, left: &mut &[u32]) -> Result<Option<Vec<Step>>, Error> {
    core.read(|tx| {
        let (mut batch, mut rows) = (Vec::new(), 0);
        while let Some((number, others)) = left.split_first().filter(|_| rows < BATCH) {
            *left = others;
            if let Some(step) = gather::step(tx, run, *number)? {
                rows += step.kind.rows();
                batch.push(step);
            }
        }
        Ok((!batch.is_empty()).then_some(batch))
    })
}

/// A contact that arrived.
#[derive(Serialize)]
struct Arrived {
    id: i64,
    uid: String,
    cells: Row,
    before: Option<Row>,
}

/// The effect of a step on a list, for the audit record.
#[derive(Serialize)]
struct ListEffect {
    list: i64,
    rows: Vec<Arrived>,
    gone: Vec<serde_json::Value>,
}

/// Compares what was sent with what was seen, contact by contact. Returns the steps that are settled.
pub fn settle_all(
    core: &Core,
    run: i64,
    reading: Reading,
    mut steps: &[u32],
    spared: &HashSet<String>,
) -> Result<Vec<Came>, Error> {
    let mut came = Vec::new();
    while let Some(batch) = next_batch(core, run, &mut steps)? {
        came.extend(settle_batch(core, run, reading, &batch, spared)?);
    }
    Ok(came)
}

fn settle_batch(
    core: &Core,
    run: i64,
    reading: Reading,
    steps: &[Step],
    spared: &HashSet<String>,
) -> Result<Vec<Came>, Error> {
    let Reading { list, tells_what_is_gone, give_up } = reading;
    let rules = merge::Rules::of(core)?;
    core.write(&By::sync(), |tx| {
        let items = steps.iter().filter_map(|step| match &step.kind {
            StepKind::Contacts { items, .. } => Some(items),
            _ => None,
        });
        let mut new: Vec<(i64, Row)> = Vec::new();
        for item in items.flatten().filter(|item| item.before.is_none()) {
            if arrived_as(tx, list, item, spared)?.is_none() {
                new.push((item.id, item.expect.clone()));
            }
        }
        merge::meet(tx, list, &new)?;
        let mut came = Vec::new();
        for step in steps {
            let (mut effects, mut open, mut lost, mut skipped) = (Vec::new(), false, Vec::new(), HashSet::new());
            match &step.kind {
                StepKind::Contacts { items, .. } => {
                    for item in items {
                        let uid = match &item.before {
                            None => arrived_as(tx, list, item, spared)?,
                            Some(_) => changes::one::<i64>(tx, Place::Contacts, item.id)?.uid,
                        };
                        let found = uid.as_ref().map_or(Ok(None), |uid| scopes::row(tx, list, uid))?;
                        let row = found.as_ref().map(|seen| cells::row(&seen.cells));
                        let has_arrived = has_arrived(tx, item, uid.as_deref())?;
                        match (fold(item, row.as_ref(), give_up || has_arrived), found.zip(row)) {
                            (_, None) if has_arrived && tells_what_is_gone => {}
                            (Folded::Pending, _) | (_, None) => open = true,
                            (folded, Some((found, cells))) => {
                                if matches!(folded, Folded::Verified { .. }) {
                                    agree(tx, list, item, &found.uid)?;
                                }
                                merge::take(tx, &rules, (list, item.id), Some(&found), &mut Merged::default())?;
                                if !has_arrived && is_skipped(&step.kind, item, &folded) {
                                    skipped.insert(item.id);
                                    continue;
                                }
                                let before = item.before.clone();
                                effects.push(Arrived { id: item.id, uid: found.uid, cells, before });
                            }
                        }
                    }
                }
                StepKind::ContactDelete { id, uid, before, .. } => {
                    if !tells_what_is_gone || scopes::row(tx, list, uid)?.is_some() {
                        open = true;
                    } else {
                        if let Some(gone) = ids::find(tx, Place::Contacts, uid)? {
                            // If the user undid the deletion meanwhile, the local contact no longer exists at the
                            // service.
                            changes::forget(tx, Place::Contacts, gone)?;
                            changes::agree(tx, Place::Contacts, &gone, Some(list), None, None)?;
                        }
                        lost.push(json!({ "id": id, "uid": uid, "before": before }));
                    }
                }
                _ => {}
            }
            if open && !give_up {
                continue;
            }
            if !effects.is_empty() || !lost.is_empty() {
                let effect = ListEffect { list, rows: effects, gone: lost };
                settle::record(tx, run, step.id, step.lane.name(), &effect)?;
            }
            if open {
                settle::leave_in_doubt(tx, &step.kind, spared)?;
            }
            let (state, why) = if open {
                (State::Rejected, Some(settle::IN_DOUBT.to_owned()))
            } else if skipped.is_empty() {
                (State::Verified, None)
            } else {
                let is_all = skipped.len() == step.kind.rows();
                settle::take_out(tx, run, step.id, &skipped)?;
                (if is_all { State::Rejected } else { State::Verified }, Some(describe_skipped(skipped.len())))
            };
            runs::set_step(tx, run, step.id, &spelt(state), why.as_deref())?;
            came.push(Came { step: step.id, state, why });
        }
        Ok(came)
    })
}

/// Returns whether the service skipped a new contact because somebody else had added one with its number.
fn is_skipped(kind: &StepKind, item: &Item, folded: &Folded) -> bool {
    let skips = matches!(kind, StepKind::Contacts { merge: MergeType::SkipDuplicates, .. });
    skips && item.before.is_none() && matches!(folded, Folded::Overwritten { .. })
}

fn describe_skipped(count: usize) -> String {
    let (contacts, their) = if count == 1 { ("contact was", "its number") } else { ("contacts were", "their numbers") };
    format!(
        "{count} new {contacts} not created: the list already has {their} with other values. Answer the questions about this."
    )
}

/// Returns the identifier that a new contact has at the service by now.
pub fn arrived_as(tx: &ReadTx, list: i64, item: &Item, spared: &HashSet<String>) -> Result<Option<String>, Error> {
    let known = changes::one::<i64>(tx, Place::Contacts, item.id)?;
    if settle::is_to_be_replaced(&known, list, spared) {
        return Ok(None);
    }
    Ok(ids::other_uid(tx, Place::Contacts, item.id)?)
}

/// Records that both sides agree on what was sent. Any difference from it was made since, on either side.
pub fn agree(tx: &WriteTx, list: i64, item: &Item, uid: &str) -> Result<(), Error> {
    let agreed = cells::of(&item.expect);
    changes::agree(tx, Place::Contacts, &item.id, Some(list), Some(uid), Some(&agreed))?;
    Ok(answers::spend_choice(tx, Place::Contacts, &item.id)?)
}

/// Returns whether the item was seen at the service before, so that it may have been removed since.
fn has_arrived(tx: &ReadTx, item: &Item, uid: Option<&str>) -> Result<bool, Error> {
    let known = changes::one::<i64>(tx, Place::Contacts, item.id)?;
    Ok(uid.is_some() && known.base.is_some_and(|base| base == cells::of(&item.expect)))
}
