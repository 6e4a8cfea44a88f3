//! Applies a response locally: identifiers, what both sides agree on, and the audit record.

use std::collections::HashSet;

use roost_model::{opt_out::OptOutType, time::Timestamp};
use roost_ops::{By, Error};
use roost_reconcile::{
    audit::{Digest, Entry},
    plan::{Step, StepKind},
    schedule::State,
};
use roost_store::{
    tables::sync::{
        Place, answers, audit,
        changes::{self, Touched},
        ids, local,
        runs::{self, RunState},
        scopes,
    },
    tx::{ReadTx, WriteTx},
};
use serde::Serialize;
use serde_json::{Value, json};

use super::{Run, lists, send, spelt};
use crate::{
    Failed, cells,
    gather::{self, Standing},
    on, plan, pull,
    remote::{Done, Link, OptOut, OptOutsAsked, PageAsked, outcome_advice},
};

/// The state in which a step ends, with the reason.
type Came = (State, Option<String>);

/// The body of an entry in the audit record.
#[derive(Serialize)]
struct Recorded<'a, T> {
    run: i64,
    step: u32,
    operation: &'a str,
    #[serde(flatten)]
    effect: &'a T,
}

/// Appends an effect to the audit record.
pub fn record(tx: &WriteTx, run: i64, step: u32, operation: &str, effect: &impl Serialize) -> Result<(), Error> {
    let last = audit::last(tx)?.map(|last| Entry {
        seq: last.seq,
        body: last.body,
        before: Digest::parse(&last.before).unwrap_or_default(),
        seal: Digest::parse(&last.seal).unwrap_or_default(),
    });
    let body = serde_json::to_string(&Recorded { run, step, operation, effect }).unwrap_or_default();
    let next = Entry::after(last.as_ref(), body);
    let (before, seal) = (next.before.hex(), next.seal.hex());
    Ok(audit::append(tx, &audit::Entry { seq: next.seq, run: Some(run), body: next.body, before, seal })?)
}

/// Applies the response to a successful request. Contacts are verified later.
pub async fn done(run: Run<'_>, step: &Step, kind: &StepKind, done: &Done) -> Result<Came, Failed> {
    match kind {
        StepKind::Contacts { .. } | StepKind::Upload { .. } | StepKind::ContactDelete { .. } => {
            Ok((State::Accepted, None))
        }
        StepKind::ListCreate { .. } => match done.uid() {
            Some(uid) => made(run, step, uid.to_owned(), None).await,
            None => Ok((State::Uncertain, None)),
        },
        StepKind::LinkCreate { .. } => match done.link() {
            Some(link) => made(run, step, link.uid.clone(), Some(link)).await,
            None => Ok((State::Uncertain, None)),
        },
        StepKind::OptOutCreate { .. } => match done.outcomes.first() {
            Some(outcome) if outcome.succeeded() => opted_out(run, step, outcome.opt_out_time).await,
            Some(outcome) => Ok((State::Rejected, Some(outcome.advice(step.lane)))),
            None => Ok((State::Uncertain, None)),
        },
        StepKind::OptOutDelete { .. } => opted_in(run, step, kind, done).await,
        StepKind::ListDelete { .. } | StepKind::LinkDelete { .. } | StepKind::SenderDelete { .. } => {
            taken_away(run, step, kind).await
        }
    }
}

/// Returns whether a recreated contact, in its list or another, is still identified by the record that it replaces.
pub fn is_to_be_replaced(known: &Touched<i64>, list: i64, spared: &HashSet<String>) -> bool {
    let is_moved = known.was_in.is_some_and(|home| home != list);
    is_moved || known.base.is_some() && known.uid.as_ref().is_some_and(|uid| spared.contains(uid))
}

/// Leaves open what a step may have created: the next pull looks for it. The record that it was to replace is deleted
/// once the new one was found, or was created by another run.
pub fn leave_in_doubt(tx: &WriteTx, kind: &StepKind, spared: &HashSet<String>) -> Result<(), Error> {
    match kind {
        StepKind::Contacts { list, items, .. } => {
            for item in items.iter().filter(|item| item.before.is_none()) {
                let known = changes::one::<i64>(tx, Place::Contacts, item.id)?;
                if is_to_be_replaced(&known, *list, spared) {
                    changes::supersede(tx, Place::Contacts, item.id)?;
                }
            }
        }
        StepKind::ListCreate { list, name } => {
            let name = serde_json::Value::from(name.as_str()).to_string();
            answers::set(tx, Place::Lists, list, MAYBE_MADE, Some(&name))?;
        }
        StepKind::LinkCreate { id, .. } => answers::set(tx, Place::ShortLinks, id, MAYBE_MADE, Some("true"))?,
        _ => {}
    }
    Ok(())
}

pub fn is_maybe_made(tx: &ReadTx, kind: &StepKind) -> Result<bool, Error> {
    let answers = match kind {
        StepKind::ListCreate { list, .. } => answers::of(tx, Place::Lists, *list)?,
        StepKind::LinkCreate { id, .. } => answers::of(tx, Place::ShortLinks, *id)?,
        _ => return Ok(false),
    };
    Ok(answers.iter().any(|told| told.about == MAYBE_MADE))
}

/// The key of the note that an abandoned run may have created a list or a link.
pub const MAYBE_MADE: &str = "maybe_made";

/// Handles "not found", which is believed if a read does not find the record either.
pub async fn gone(run: Run<'_>, step: &Step, kind: &StepKind) -> Result<Came, Failed> {
    let still_there = match kind {
        StepKind::ListDelete { uid, .. } => lists::find_list(run, uid).await?.is_some(),
        StepKind::LinkDelete { uid, .. } => run.client.link(uid).await?.is_some(),
        StepKind::SenderDelete { uid } => run.client.sender(uid).await?.is_some(),
        // Verified together with the other contacts of its list.
        _ => return Ok((State::Accepted, None)),
    };
    if still_there {
        return Ok((State::Rejected, Some("the service says that it is not there, and shows it".to_owned())));
    }
    taken_away(run, step, kind).await
}

/// Marks the step as verified in the transaction of its effect, because an interruption between two transactions would
/// repeat it.
fn over(tx: &WriteTx, run: i64, step: u32) -> Result<(), Error> {
    Ok(runs::set_step(tx, run, step, &spelt(State::Verified), None)?)
}

/// Applies the deletion of a list, a short link or a sender locally.
async fn taken_away(run: Run<'_>, step: &Step, kind: &StepKind) -> Result<Came, Failed> {
    let (id, number, lane, kind) = (run.id, step.id, step.lane.name(), kind.clone());
    on(run.core, move |core| {
        let now = core.ctx().now();
        core.write(&By::sync(), |tx| {
            let uid = match &kind {
                StepKind::ListDelete { uid, .. } => {
                    // The old version of a recreated list has a local id of its own.
                    match ids::find(tx, Place::Lists, uid)? {
                        Some(list) if changes::one::<i64>(tx, Place::Lists, list)?.local.is_some() => {
                            // The list was restored locally while the request was on its way, so the next push creates
                            // it again.
                            local::make_anew(tx, list)?;
                            changes::forget(tx, Place::Lists, list)?;
                            changes::agree(tx, Place::Lists, &list, None, None, None)?;
                            scopes::forget(tx, Place::Contacts, list)?;
                        }
                        Some(list) => local::drop_list(tx, list, now)?,
                        None => {}
                    }
                    uid
                }
                StepKind::LinkDelete { id, uid } => {
                    changes::forget(tx, Place::ShortLinks, *id)?;
                    if changes::one::<i64>(tx, Place::ShortLinks, *id)?.local.is_some() {
                        changes::agree(tx, Place::ShortLinks, id, None, None, None)?;
                    }
                    uid
                }
                StepKind::SenderDelete { uid } => {
                    changes::agree(tx, Place::Senders, uid, None, None, None)?;
                    uid
                }
                _ => return Ok(()),
            };
            over(tx, id, number)?;
            record(tx, id, number, lane, &json!({ "uid": uid }))
        })
    })
    .await?;
    Ok((State::Verified, None))
}

/// Records that a list or a link was created and has this identifier from now on.
pub async fn made(run: Run<'_>, step: &Step, uid: String, link: Option<Link>) -> Result<Came, Failed> {
    let (id, number, lane, kind) = (run.id, step.id, step.lane.name(), step.kind.clone());
    on(run.core, move |core| {
        core.write(&By::sync(), |tx| match (&kind, &link) {
            (StepKind::ListCreate { list, name }, _) => {
                identify_list(tx, *list, &uid, name)?;
                over(tx, id, number)?;
                record(tx, id, number, lane, &json!({ "uid": uid, "name": name }))
            }
            (StepKind::LinkCreate { id: local_id, .. }, Some(link)) => {
                identify_link(tx, *local_id, link)?;
                over(tx, id, number)?;
                record(tx, id, number, lane, &json!({ "uid": uid, "cells": raw(&pull::link_seen(link).cells) }))
            }
            _ => Ok(()),
        })
    })
    .await?;
    Ok((State::Verified, None))
}

/// Gives a list this identifier. If the list is recreated, its old version is still to be deleted.
pub fn identify_list(tx: &WriteTx, list: i64, uid: &str, name: &str) -> Result<(), Error> {
    if let Some(old) = changes::supersede(tx, Place::Lists, list)? {
        local::make_anew(tx, list)?;
        scopes::rename(tx, lists::kept_scope(list), lists::kept_scope(old))?;
    }
    ids::set(tx, Place::Lists, list, uid)?;
    changes::agree(tx, Place::Lists, &list, None, Some(uid), Some(&cells::made(&[("name", name)])))?;
    answers::set(tx, Place::Lists, &list, "choice", None)?;
    answers::set(tx, Place::Lists, &list, MAYBE_MADE, None)?;
    Ok(scopes::forget(tx, Place::Contacts, list)?)
}

/// Identifies a local short link with this link of the service.
pub fn identify_link(tx: &WriteTx, id: i64, link: &Link) -> Result<(), Error> {
    let seen = pull::link_seen(link);
    let (code, base) = pull::short_address(link);
    ids::set(tx, Place::ShortLinks, id, &link.uid)?;
    if roost_store::tables::short_links::take_code(tx, &code)? {
        local::set_link_address(tx, id, &code, &base.unwrap_or_default(), seen.times.made)?;
    }
    changes::agree(tx, Place::ShortLinks, &id, None, Some(&link.uid), Some(&seen.cells))?;
    answers::set(tx, Place::ShortLinks, &id, "choice", None)?;
    Ok(answers::set(tx, Place::ShortLinks, &id, MAYBE_MADE, None)?)
}

/// Parses cells for nesting them in other JSON.
pub fn raw(cells: &str) -> Value {
    serde_json::from_str(cells).unwrap_or_default()
}

/// Records that the opt-out exists at the service.
pub async fn opted_out(run: Run<'_>, step: &Step, time: Option<Timestamp>) -> Result<Came, Failed> {
    let (id, number, lane, kind) = (run.id, step.id, step.lane.name(), step.kind.clone());
    on(run.core, move |core| {
        let time = time.unwrap_or_else(|| core.ctx().now()).unix().to_string();
        core.write(&By::sync(), |tx| {
            let StepKind::OptOutCreate { number: phone, channel, asset } = &kind else { return Ok(()) };
            let scope = asset.clone().unwrap_or_default();
            let standing = Standing { number: phone.clone(), channel: *channel, scope };
            let kind = OptOutType::ApiImport.as_str();
            let asset = asset.as_deref().unwrap_or_default();
            let there = cells::made(&[("kind", kind), ("asset_id", asset), ("time", &time)]);
            let known = changes::one::<String>(tx, Place::OptOuts, standing.id())?;
            let evidence = local::evidence(tx, phone, channel.as_str(), &standing.scope)?;
            if known.base.is_none() && known.local.is_none() && evidence.is_some() {
                // The user confirmed the removal locally while the request was on its way, so it has to be sent.
                changes::agree(tx, Place::OptOuts, &standing.id(), None, None, Some(&there))?;
            } else if known.local.is_some() {
                pull::opt_out_arrived(tx, &standing, &there)?;
            } else {
                pull::opt_out_is(tx, &standing.id(), Some(&there))?;
            }
            over(tx, id, number)?;
            record(tx, id, number, lane, &json!({ "opt_out": standing.id(), "cells": raw(&there) }))
        })
    })
    .await?;
    Ok((State::Verified, None))
}

/// Applies the response to a removal. If the number was not removed, a read shows whether its opt-out no longer exists
/// or the service refused.
async fn opted_in(run: Run<'_>, step: &Step, kind: &StepKind, done: &Done) -> Result<Came, Failed> {
    let StepKind::OptOutDelete { channel, asset, numbers } = kind else { return Ok((State::Verified, None)) };
    let Some(phone) = numbers.first() else { return Ok((State::Verified, None)) };
    let outcome = done.outcomes.first();
    if !outcome.is_some_and(|outcome| outcome.succeeded())
        && stands(run, phone, *channel, asset.as_deref(), true).await?
    {
        let words = outcome.map_or("no word of it", |outcome| &outcome.message);
        return Ok((State::Rejected, Some(outcome_advice(step.lane, words))));
    }
    let (id, number, lane) = (run.id, step.id, step.lane.name());
    let (channel, asset, phone) = (*channel, asset.clone(), phone.clone());
    on(run.core, move |core| {
        core.write(&By::sync(), |tx| {
            let scopes = match asset {
                Some(asset) => vec![asset],
                None => gather::scopes_of(tx, &phone, channel)?,
            };
            for scope in scopes {
                let standing = Standing { number: phone.clone(), channel, scope };
                pull::opt_out_is(tx, &standing.id(), None)?;
                record(tx, id, number, lane, &json!({ "opt_out": standing.id() }))?;
            }
            Ok::<_, Error>(())
        })
    })
    .await?;
    Ok((State::Verified, None))
}

/// Returns whether the service has an opt-out of this scope. With `unnamed`, one whose asset the service does not name
/// counts as well.
pub async fn stands(
    run: Run<'_>,
    number: &str,
    channel: roost_model::channel::Channel,
    asset: Option<&str>,
    unnamed: bool,
) -> Result<bool, Failed> {
    Ok(find_opt_out(run, number, channel, asset, unnamed).await?.is_some())
}

/// Returns the opt-out of this scope at the service.
pub async fn find_opt_out(
    run: Run<'_>,
    number: &str,
    channel: roost_model::channel::Channel,
    asset: Option<&str>,
    unnamed: bool,
) -> Result<Option<OptOut>, Failed> {
    let page = Some(PageAsked { number: 1, size: 1_000 });
    let asked = OptOutsAsked { number: Some(number), channel: Some(channel), page, ..OptOutsAsked::default() };
    let found = run.client.opt_outs(&asked).await?;
    let fits = |one: &OptOut| match (asset, &one.inbound_asset_id) {
        (None, _) => one.is_account_level(),
        (Some(asset), Some(named)) => !one.is_account_level() && named == asset,
        // An opt-out that a request created does not name its asset and may be another asset's.
        (Some(_), None) => unnamed && !one.is_account_level() && one.kind == OptOutType::ApiImport.as_str(),
    };
    Ok(found.items.into_iter().find(fits))
}

/// Removes refused contacts from their step. Those with a reason wait for the user in quarantine; the others are
/// planned again.
pub async fn refused(run: Run<'_>, step: &Step, rows: Vec<(i64, Vec<String>)>) -> Result<(), Failed> {
    let (id, number) = (run.id, step.id);
    on(run.core, move |core| {
        core.write_quietly(|tx| {
            take_out(tx, id, number, &rows.iter().map(|(row, _)| *row).collect())?;
            for (row, words) in rows.iter().filter(|(_, words)| !words.is_empty()) {
                runs::refuse(tx, Place::Contacts, &send::quarantined(tx, id, *row, words)?)?;
            }
            Ok(())
        })
    })
    .await
}

/// Removes contacts from a step.
pub fn take_out(tx: &WriteTx, run: i64, step: u32, contacts: &HashSet<i64>) -> Result<(), Error> {
    let Some(mut known) = gather::step(tx, run, step)? else { return Ok(()) };
    if let StepKind::Contacts { items, .. } = &mut known.kind {
        items.retain(|item| !contacts.contains(&item.id));
    }
    Ok(runs::set_body(tx, run, step, &plan::body_of(&known.after, &known.kind))?)
}

/// Ends or pauses a run. At its end, steps that were never sent are cancelled.
pub fn end(tx: &WriteTx, run: i64, state: RunState, why: Option<String>, now: Timestamp) -> Result<RunState, Error> {
    if state == RunState::Paused {
        runs::set_state(tx, run, state, None, why.as_deref())?;
        return Ok(state);
    }
    let mut doubtful = false;
    let mut unsent = Vec::new();
    runs::each_step(tx, run, |step| {
        unsent.extend((step.state == spelt(State::Ready)).then_some(step.step));
        doubtful |= step.why.as_deref() == Some(IN_DOUBT);
        Ok(())
    })?;
    for step in unsent {
        runs::set_step(tx, run, step, &spelt(State::Cancelled), None)?;
    }
    let state = if doubtful { RunState::InDoubt } else { state };
    runs::set_state(tx, run, state, Some(now), why.as_deref())?;
    Ok(state)
}

/// The reason for abandoning a step some of whose rows were never seen.
pub const IN_DOUBT: &str = "some of it was not seen to arrive; it is here, and will be planned again";
