//! Compares what was sent with what arrived, contact by contact, and records what both sides agree on from then on.

use std::collections::HashSet;

use roost_model::contact::MergeType;
use roost_ops::{Actor, Core, Error};
use roost_reconcile::{
    plan::{ContactItem, PlanStep, StepKind},
    row::ContactRow,
    schedule::PlanStepState,
    verify::{ItemFate, judge_item},
};
use roost_store::{
    tables::sync::{SyncedTable, answers, changes, ids, runs, scopes},
    tx::{ReadTx, WriteTx},
};
use serde::Serialize;
use serde_json::json;

use super::{StepResult, settle};
use crate::{
    cells,
    gather::{self, state_text},
    merge::{self, MergeCounts},
};

/// A reading of a list that verifies what was sent to it.
#[derive(Clone, Copy)]
pub(super) struct VerifiedReading {
    pub list: i64,
    /// Whether a contact that is missing from the reading was deleted at the service.
    pub shows_deletions: bool,
    /// Whether this is the last attempt, after which anything still missing is planned again.
    pub give_up: bool,
}

/// The number of contacts compared in one transaction, rounded up to whole steps.
const BATCH_ROWS: usize = 1_000;

/// Reads the next steps with their contacts, and removes their numbers from `left`.
fn next_batch(core: &Core, run: i64, left: &mut &[u32]) -> Result<Option<Vec<PlanStep>>, Error> {
    core.read(|tx| {
        let (mut batch, mut rows) = (Vec::new(), 0);
        while let Some((number, others)) = left.split_first().filter(|_| rows < BATCH_ROWS) {
            *left = others;
            if let Some(step) = gather::read_step(tx, run, *number)? {
                rows += step.kind.row_count();
                batch.push(step);
            }
        }
        Ok((!batch.is_empty()).then_some(batch))
    })
}

/// A contact that arrived.
#[derive(Serialize)]
struct ArrivedContact {
    id: i64,
    uid: String,
    cells: ContactRow,
    before: Option<ContactRow>,
}

/// The effect of a step on a list, for the audit record.
#[derive(Serialize)]
struct ListEffect {
    list: i64,
    rows: Vec<ArrivedContact>,
    gone: Vec<serde_json::Value>,
}

/// Compares what was sent with what was seen, contact by contact. Returns the steps that are settled.
pub(super) fn settle_all(
    core: &Core,
    run: i64,
    reading: VerifiedReading,
    mut steps: &[u32],
    spared: &HashSet<String>,
) -> Result<Vec<StepResult>, Error> {
    let mut came = Vec::new();
    while let Some(batch) = next_batch(core, run, &mut steps)? {
        came.extend(settle_batch(core, run, reading, &batch, spared)?);
    }
    Ok(came)
}

fn settle_batch(
    core: &Core,
    run: i64,
    reading: VerifiedReading,
    steps: &[PlanStep],
    spared: &HashSet<String>,
) -> Result<Vec<StepResult>, Error> {
    let VerifiedReading { list, shows_deletions, give_up } = reading;
    let rules = merge::MergeContext::read(core)?;
    core.write(&Actor::sync(), |tx| {
        let items = steps.iter().filter_map(|step| match &step.kind {
            StepKind::Contacts { items, .. } => Some(items),
            _ => None,
        });
        let mut new: Vec<(i64, ContactRow)> = Vec::new();
        for item in items.flatten().filter(|item| item.before.is_none()) {
            if find_arrived_uid(tx, list, item, spared)?.is_none() {
                new.push((item.id, item.expect.clone()));
            }
        }
        merge::pair_new_contacts(tx, list, &new)?;
        let mut came = Vec::new();
        for step in steps {
            let (mut effects, mut open, mut lost, mut skipped) = (Vec::new(), false, Vec::new(), HashSet::new());
            match &step.kind {
                StepKind::Contacts { items, .. } => {
                    for item in items {
                        let uid = match &item.before {
                            None => find_arrived_uid(tx, list, item, spared)?,
                            Some(_) => changes::read_record::<i64>(tx, SyncedTable::Contacts, item.id)?.uid,
                        };
                        let found = uid.as_ref().map_or(Ok(None), |uid| scopes::find_contact(tx, list, uid))?;
                        let row = found.as_ref().map(|seen| cells::parse_row(&seen.cells));
                        let has_arrived = has_arrived(tx, item, uid.as_deref())?;
                        match (judge_item(item, row.as_ref(), give_up || has_arrived), found.zip(row)) {
                            (_, None) if has_arrived && shows_deletions => {}
                            (ItemFate::Pending, _) | (_, None) => open = true,
                            (folded, Some((found, cells))) => {
                                if matches!(folded, ItemFate::Verified { .. }) {
                                    record_agreement(tx, list, item, &found.uid)?;
                                }
                                merge::merge_contact(
                                    tx,
                                    &rules,
                                    (list, item.id),
                                    Some(&found),
                                    &mut MergeCounts::default(),
                                )?;
                                if !has_arrived && is_skipped(&step.kind, item, &folded) {
                                    skipped.insert(item.id);
                                    continue;
                                }
                                let before = item.before.clone();
                                effects.push(ArrivedContact { id: item.id, uid: found.uid, cells, before });
                            }
                        }
                    }
                }
                StepKind::ContactDelete { id, uid, before, .. } => {
                    if !shows_deletions || scopes::find_contact(tx, list, uid)?.is_some() {
                        open = true;
                    } else {
                        if let Some(contact) = ids::find_by_service_uid(tx, SyncedTable::Contacts, uid)? {
                            // If the user undid the deletion meanwhile, the local contact no longer exists at the
                            // service.
                            changes::mark_record_new(tx, SyncedTable::Contacts, contact, Some(list))?;
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
                settle::record_effect(tx, run, step.id, step.lane.name(), &effect)?;
            }
            if open {
                settle::leave_in_doubt(tx, &step.kind, spared)?;
            }
            let (state, why) = if open {
                (PlanStepState::Rejected, Some(settle::IN_DOUBT.to_owned()))
            } else {
                // The reason also mentions the contacts that were left out when the step was sent.
                let mut whys: Vec<String> =
                    runs::read_step(tx, run, step.id)?.and_then(|known| known.why).into_iter().collect();
                let mut state = PlanStepState::Verified;
                if !skipped.is_empty() {
                    settle::remove_from_step(tx, run, step.id, &skipped)?;
                    whys.push(describe_skipped(skipped.len()));
                    if skipped.len() == step.kind.row_count() {
                        state = PlanStepState::Rejected;
                    }
                }
                (state, (!whys.is_empty()).then(|| whys.join(" ")))
            };
            runs::set_step(tx, run, step.id, &state_text(state), why.as_deref())?;
            came.push(StepResult { step: step.id, state, why });
        }
        Ok(came)
    })
}

/// Returns whether the service skipped a new contact because somebody else had added one with its number.
fn is_skipped(kind: &StepKind, item: &ContactItem, folded: &ItemFate) -> bool {
    let skips = matches!(kind, StepKind::Contacts { merge: MergeType::SkipDuplicates, .. });
    skips && item.before.is_none() && matches!(folded, ItemFate::Overwritten { .. })
}

fn describe_skipped(count: usize) -> String {
    let (contacts, their) = if count == 1 { ("contact was", "its number") } else { ("contacts were", "their numbers") };
    format!(
        "{count} new {contacts} not created: the list already has {their} with other values. Answer the questions about this."
    )
}

/// Returns the service's identifier of a new contact, or `None` if it has not arrived yet.
pub(super) fn find_arrived_uid(
    tx: &ReadTx,
    list: i64,
    item: &ContactItem,
    spared: &HashSet<String>,
) -> Result<Option<String>, Error> {
    let known = changes::read_record::<i64>(tx, SyncedTable::Contacts, item.id)?;
    if settle::is_to_be_replaced(&known, list, spared) {
        return Ok(None);
    }
    Ok(ids::mapped_uid(tx, SyncedTable::Contacts, item.id)?)
}

/// Records that both sides agree on what was sent. Any later difference is a change by one side.
pub(super) fn record_agreement(tx: &WriteTx, list: i64, item: &ContactItem, uid: &str) -> Result<(), Error> {
    let agreed = cells::to_cells(&item.expect);
    changes::set_agreed(tx, SyncedTable::Contacts, &item.id, Some(list), Some(uid), Some(&agreed))?;
    Ok(answers::remove_done_choice(tx, SyncedTable::Contacts, &item.id)?)
}

/// Returns whether the item was already seen at the service. It may have been removed since.
fn has_arrived(tx: &ReadTx, item: &ContactItem, uid: Option<&str>) -> Result<bool, Error> {
    let known = changes::read_record::<i64>(tx, SyncedTable::Contacts, item.id)?;
    Ok(uid.is_some() && known.base.is_some_and(|base| base == cells::to_cells(&item.expect)))
}
