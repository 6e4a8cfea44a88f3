//! Applies a response locally: identifiers, what both sides agree on, and the audit record.

use std::collections::HashSet;

use roost_model::{opt_out::OptOutType, time::Timestamp};
use roost_ops::{Actor, Error, account::audit::create_entry};
use roost_reconcile::{
    plan::{PlanStep, StepKind},
    schedule::PlanStepState,
};
use roost_store::{
    tables::sync::{
        SyncedTable, answers, audit,
        changes::{self, SyncChange},
        ids, local,
        runs::{self, RunState},
    },
    tx::{ReadTx, WriteTx},
};
use serde::Serialize;
use serde_json::{Value, json};

use super::{ActiveRun, lists, send};
use crate::{
    SyncError, cells,
    gather::{self, MAYBE_CREATED, OptOutRecordKey, state_text},
    pull::{self, identify_link, identify_list},
    remote::{AcceptedWrite, OptOutsParams, PageParams, RemoteLink, RemoteOptOut, outcome_advice},
    run_blocking,
};

/// The state in which a step ends, with the reason.
type StepEnd = (PlanStepState, Option<String>);

/// The body of an entry in the audit record.
#[derive(Serialize)]
struct AuditBody<'a, T> {
    run: i64,
    step: u32,
    operation: &'a str,
    #[serde(flatten)]
    effect: &'a T,
}

/// Appends an effect to the audit record.
pub(super) fn record_effect(
    tx: &WriteTx,
    run: i64,
    step: u32,
    operation: &str,
    effect: &impl Serialize,
) -> Result<(), Error> {
    let body = serde_json::to_string(&AuditBody { run, step, operation, effect }).unwrap_or_default();
    let entry = create_entry(audit::last_entry(tx)?.as_ref(), Some(run), body);
    Ok(audit::append_entry(tx, &entry)?)
}

/// Applies the response to a successful request. Contacts are verified later.
pub(super) async fn apply_success(
    run: ActiveRun<'_>,
    step: &PlanStep,
    kind: &StepKind,
    done: &AcceptedWrite,
) -> Result<StepEnd, SyncError> {
    match kind {
        StepKind::Contacts { .. } | StepKind::Upload { .. } | StepKind::ContactDelete { .. } => {
            Ok((PlanStepState::Accepted, None))
        }
        StepKind::ListCreate { .. } => match done.uid() {
            Some(uid) => apply_creation(run, step, uid.to_owned(), None).await,
            None => Ok((PlanStepState::Uncertain, None)),
        },
        StepKind::LinkCreate { .. } => match done.link() {
            Some(link) => apply_creation(run, step, link.uid.clone(), Some(link)).await,
            None => Ok((PlanStepState::Uncertain, None)),
        },
        StepKind::OptOutCreate { .. } => match done.outcomes.first() {
            Some(outcome) if outcome.is_success() => apply_opt_out(run, step, outcome.opt_out_time).await,
            Some(outcome) => Ok((PlanStepState::Rejected, Some(outcome.advice(step.lane)))),
            None => Ok((PlanStepState::Uncertain, None)),
        },
        StepKind::OptOutDelete { .. } => apply_opt_out_removal(run, step, kind, done).await,
        StepKind::ListDelete { .. } | StepKind::LinkDelete { .. } | StepKind::SenderDelete { .. } => {
            apply_deletion(run, step, kind).await
        }
    }
}

/// Returns whether a recreated contact, in its list or another, is still identified by the record that it replaces.
pub(super) fn is_to_be_replaced(known: &SyncChange<i64>, list: i64, spared: &HashSet<String>) -> bool {
    let is_moved = known.was_in.is_some_and(|home| home != list);
    is_moved || known.base.is_some() && known.uid.as_ref().is_some_and(|uid| spared.contains(uid))
}

/// Leaves open what a step may have created: the next pull looks for it. The record that it was to replace is deleted
/// once the new one was found, or was created by another run.
pub(super) fn leave_in_doubt(tx: &WriteTx, kind: &StepKind, spared: &HashSet<String>) -> Result<(), Error> {
    match kind {
        StepKind::Contacts { list, items, .. } => {
            for item in items.iter().filter(|item| item.before.is_none()) {
                let known = changes::read_record::<i64>(tx, SyncedTable::Contacts, item.id)?;
                if is_to_be_replaced(&known, *list, spared) {
                    changes::supersede_record(tx, SyncedTable::Contacts, item.id)?;
                }
            }
        }
        StepKind::ListCreate { list, name } => {
            let name = serde_json::Value::from(name.as_str()).to_string();
            answers::set_answer(tx, SyncedTable::Lists, list, MAYBE_CREATED, Some(&name))?;
        }
        StepKind::LinkCreate { id, .. } => {
            answers::set_answer(tx, SyncedTable::ShortLinks, id, MAYBE_CREATED, Some("true"))?
        }
        _ => {}
    }
    Ok(())
}

pub(crate) fn may_be_created(tx: &ReadTx, kind: &StepKind) -> Result<bool, Error> {
    let answers = match kind {
        StepKind::ListCreate { list, .. } => answers::read_of_record(tx, SyncedTable::Lists, *list)?,
        StepKind::LinkCreate { id, .. } => answers::read_of_record(tx, SyncedTable::ShortLinks, *id)?,
        _ => return Ok(false),
    };
    Ok(answers.iter().any(|stored| stored.about == MAYBE_CREATED))
}

/// Handles "not found", which is believed if a read does not find the record either.
pub(super) async fn apply_not_found(
    run: ActiveRun<'_>,
    step: &PlanStep,
    kind: &StepKind,
) -> Result<StepEnd, SyncError> {
    let still_there = match kind {
        StepKind::ListDelete { uid, .. } => lists::find_list(run, uid).await?.is_some(),
        StepKind::LinkDelete { uid, .. } => run.client.get_link(uid).await?.is_some(),
        StepKind::SenderDelete { uid } => run.client.get_sender(uid).await?.is_some(),
        // Verified together with the other contacts of its list.
        _ => return Ok((PlanStepState::Accepted, None)),
    };
    if still_there {
        return Ok((
            PlanStepState::Rejected,
            Some("the service says that it does not exist, but returns it".to_owned()),
        ));
    }
    apply_deletion(run, step, kind).await
}

/// Marks the step as verified in the transaction of its effect, because an interruption between two transactions would
/// repeat it.
fn mark_verified(tx: &WriteTx, run: i64, step: u32) -> Result<(), Error> {
    Ok(runs::set_step(tx, run, step, &state_text(PlanStepState::Verified), None)?)
}

/// Applies the deletion of a list, a short link or a sender locally.
async fn apply_deletion(run: ActiveRun<'_>, step: &PlanStep, kind: &StepKind) -> Result<StepEnd, SyncError> {
    let (id, number, lane, kind) = (run.id, step.id, step.lane.name(), kind.clone());
    run_blocking(run.core, move |core| {
        let now = core.ctx().now();
        core.write(&Actor::sync(), |tx| {
            let uid = match &kind {
                StepKind::ListDelete { uid, .. } => {
                    // The old version of a recreated list has a local id of its own.
                    match ids::find_by_service_uid(tx, SyncedTable::Lists, uid)? {
                        Some(list) if changes::read_record::<i64>(tx, SyncedTable::Lists, list)?.local.is_some() => {
                            // The list was restored locally while the request was on its way, so the next push creates
                            // it again.
                            changes::mark_list_new(tx, list)?;
                        }
                        Some(list) => local::drop_list(tx, list, now)?,
                        None => {}
                    }
                    uid
                }
                StepKind::LinkDelete { id, uid } => {
                    changes::mark_record_new(tx, SyncedTable::ShortLinks, *id, None)?;
                    uid
                }
                StepKind::SenderDelete { uid } => {
                    changes::set_agreed(tx, SyncedTable::Senders, uid, None, None, None)?;
                    uid
                }
                _ => return Ok(()),
            };
            mark_verified(tx, id, number)?;
            record_effect(tx, id, number, lane, &json!({ "uid": uid }))
        })
    })
    .await?;
    Ok((PlanStepState::Verified, None))
}

/// Records that a list or a link was created and has this identifier from now on.
pub(super) async fn apply_creation(
    run: ActiveRun<'_>,
    step: &PlanStep,
    uid: String,
    link: Option<RemoteLink>,
) -> Result<StepEnd, SyncError> {
    let (id, number, lane, kind) = (run.id, step.id, step.lane.name(), step.kind.clone());
    run_blocking(run.core, move |core| {
        core.write(&Actor::sync(), |tx| match (&kind, &link) {
            (StepKind::ListCreate { list, name }, _) => {
                identify_list(tx, *list, &uid, name)?;
                mark_verified(tx, id, number)?;
                record_effect(tx, id, number, lane, &json!({ "uid": uid, "name": name }))
            }
            (StepKind::LinkCreate { id: local_id, .. }, Some(link)) => {
                identify_link(tx, *local_id, link)?;
                mark_verified(tx, id, number)?;
                record_effect(
                    tx,
                    id,
                    number,
                    lane,
                    &json!({ "uid": uid, "cells": parse_cells(&pull::observed_link(link).cells) }),
                )
            }
            _ => Ok(()),
        })
    })
    .await?;
    Ok((PlanStepState::Verified, None))
}

/// Parses cells for nesting them in other JSON.
pub(super) fn parse_cells(cells: &str) -> Value {
    serde_json::from_str(cells).unwrap_or_default()
}

/// Records that the opt-out exists at the service.
pub(super) async fn apply_opt_out(
    run: ActiveRun<'_>,
    step: &PlanStep,
    time: Option<Timestamp>,
) -> Result<StepEnd, SyncError> {
    let (id, number, lane, kind) = (run.id, step.id, step.lane.name(), step.kind.clone());
    run_blocking(run.core, move |core| {
        let time = time.unwrap_or_else(|| core.ctx().now()).unix().to_string();
        core.write(&Actor::sync(), |tx| {
            let StepKind::OptOutCreate { number: phone, channel, asset } = &kind else { return Ok(()) };
            let scope = asset.clone().unwrap_or_default();
            let key = OptOutRecordKey { number: phone.clone(), channel: *channel, scope };
            let kind = OptOutType::ApiImport.as_str();
            let asset = asset.as_deref().unwrap_or_default();
            let remote_cells = cells::build_cells(&[("kind", kind), ("asset_id", asset), ("time", &time)]);
            let known = changes::read_record::<String>(tx, SyncedTable::OptOuts, key.id())?;
            let evidence = local::find_removal_event(tx, phone, channel.as_str(), &key.scope)?;
            if known.base.is_none() && known.local.is_none() && evidence.is_some() {
                // The user confirmed the removal locally while the request was on its way, so it has to be sent.
                changes::set_agreed(tx, SyncedTable::OptOuts, &key.id(), None, None, Some(&remote_cells))?;
            } else if known.local.is_some() {
                pull::agree_sent_opt_out(tx, &key, &remote_cells)?;
            } else {
                pull::merge_opt_out(tx, &key.id(), Some(&remote_cells))?;
            }
            mark_verified(tx, id, number)?;
            record_effect(tx, id, number, lane, &json!({ "opt_out": key.id(), "cells": parse_cells(&remote_cells) }))
        })
    })
    .await?;
    Ok((PlanStepState::Verified, None))
}

/// Applies the response to a removal. If the number was not removed, a read shows whether its opt-out no longer exists
/// or the service refused.
async fn apply_opt_out_removal(
    run: ActiveRun<'_>,
    step: &PlanStep,
    kind: &StepKind,
    done: &AcceptedWrite,
) -> Result<StepEnd, SyncError> {
    let StepKind::OptOutDelete { channel, asset, numbers } = kind else { return Ok((PlanStepState::Verified, None)) };
    let Some(phone) = numbers.first() else { return Ok((PlanStepState::Verified, None)) };
    let outcome = done.outcomes.first();
    if !outcome.is_some_and(|outcome| outcome.is_success())
        && has_opt_out(run, phone, *channel, asset.as_deref(), true).await?
    {
        let words = outcome.map_or("no word of it", |outcome| &outcome.message);
        return Ok((PlanStepState::Rejected, Some(outcome_advice(step.lane, words))));
    }
    let (id, number, lane) = (run.id, step.id, step.lane.name());
    let (channel, asset, phone) = (*channel, asset.clone(), phone.clone());
    run_blocking(run.core, move |core| {
        core.write(&Actor::sync(), |tx| {
            let scopes = match asset {
                Some(asset) => vec![asset],
                None => gather::find_scopes(tx, &phone, channel)?,
            };
            for scope in scopes {
                let key = OptOutRecordKey { number: phone.clone(), channel, scope };
                pull::merge_opt_out(tx, &key.id(), None)?;
                record_effect(tx, id, number, lane, &json!({ "opt_out": key.id() }))?;
            }
            Ok::<_, Error>(())
        })
    })
    .await?;
    Ok((PlanStepState::Verified, None))
}

/// Returns whether the service has an opt-out of this scope. With `unnamed`, one whose asset the service does not name
/// counts as well.
pub(super) async fn has_opt_out(
    run: ActiveRun<'_>,
    number: &str,
    channel: roost_model::channel::Channel,
    asset: Option<&str>,
    unnamed: bool,
) -> Result<bool, SyncError> {
    Ok(find_opt_out(run, number, channel, asset, unnamed).await?.is_some())
}

/// Returns the opt-out of this scope at the service.
pub(super) async fn find_opt_out(
    run: ActiveRun<'_>,
    number: &str,
    channel: roost_model::channel::Channel,
    asset: Option<&str>,
    unnamed: bool,
) -> Result<Option<RemoteOptOut>, SyncError> {
    let page = Some(PageParams { number: 1, size: 1_000 });
    let params = OptOutsParams { number: Some(number), channel: Some(channel), page, ..OptOutsParams::default() };
    let found = run.client.query_opt_outs(&params).await?;
    let fits = |one: &RemoteOptOut| match (asset, &one.inbound_asset_id) {
        (None, _) => one.is_account_level(),
        (Some(asset), Some(named)) => !one.is_account_level() && named == asset,
        // An opt-out that a request created does not name its asset and may be another asset's.
        (Some(_), None) => unnamed && !one.is_account_level() && one.kind == OptOutType::ApiImport.as_str(),
    };
    Ok(found.items.into_iter().find(fits))
}

/// Removes refused contacts from their step. Those with a reason wait for the user in quarantine; the others are
/// planned again.
pub(super) async fn quarantine_contacts(
    run: ActiveRun<'_>,
    step: &PlanStep,
    rows: Vec<(i64, Vec<String>)>,
) -> Result<(), SyncError> {
    let (id, number) = (run.id, step.id);
    run_blocking(run.core, move |core| {
        core.write_quietly(|tx| {
            remove_from_step(tx, id, number, &rows.iter().map(|(row, _)| *row).collect())?;
            for (row, words) in rows.iter().filter(|(_, words)| !words.is_empty()) {
                runs::add_refused(tx, SyncedTable::Contacts, &send::quarantine_entry(tx, id, *row, words)?)?;
            }
            Ok(())
        })
    })
    .await
}

/// Removes contacts from a step.
pub(super) fn remove_from_step(tx: &WriteTx, run: i64, step: u32, contacts: &HashSet<i64>) -> Result<(), Error> {
    let Some(mut known) = gather::read_step(tx, run, step)? else { return Ok(()) };
    if let StepKind::Contacts { items, .. } = &mut known.kind {
        items.retain(|item| !contacts.contains(&item.id));
    }
    Ok(runs::set_body(tx, run, step, &gather::serialize_step(&known.after, &known.kind))?)
}

/// Ends or pauses a run. At its end, steps that were never sent are cancelled.
pub(super) fn close_run(
    tx: &WriteTx,
    run: i64,
    state: RunState,
    why: Option<String>,
    now: Timestamp,
) -> Result<RunState, Error> {
    if state == RunState::Paused {
        runs::set_state(tx, run, state, None, why.as_deref())?;
        return Ok(state);
    }
    let mut doubtful = false;
    let mut unsent = Vec::new();
    runs::visit_steps(tx, run, |step| {
        unsent.extend((step.state == state_text(PlanStepState::Ready)).then_some(step.step));
        doubtful |= step.why.as_deref() == Some(IN_DOUBT);
        Ok(())
    })?;
    for step in unsent {
        runs::set_step(tx, run, step, &state_text(PlanStepState::Cancelled), None)?;
    }
    let state = if doubtful { RunState::InDoubt } else { state };
    runs::set_state(tx, run, state, Some(now), why.as_deref())?;
    Ok(state)
}

/// The reason for abandoning a step some of whose rows were never seen.
pub(super) const IN_DOUBT: &str = "some of it was not seen to arrive; it is here, and will be planned again";
