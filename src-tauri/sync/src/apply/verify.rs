//! Seeing that what was sent to a list has arrived: a few contacts first, then each of them, and what both sides agree
//! on from then on.

use std::{collections::HashSet, time::Duration};

use roost_ops::{By, Core, Error};
use roost_reconcile::{
    plan::{Item, Step, StepKind},
    row::Row,
    schedule::State,
    verify::{Folded, Look, Next, Watch, canaries, fold},
};
use roost_store::{
    tables::sync::{
        Place, answers, changes, ids,
        scopes::{self, Scope},
    },
    tx::{ReadTx, WriteTx},
};
use serde_json::json;
use tokio::time::Instant;

use super::{
    Came, Ended, Run, pause, read_step,
    rows::{RowsRead, read_rows, takes_sweep},
    settle,
};
use crate::{
    Failed, cells, gather, learn,
    merge::{self, Merged},
    on,
    pull::{self, PAGE, Sight, judge, wait_out_second},
    remote::{Contact, ContactsAsked, ListsAsked, PageAsked},
};

/// Contacts looked at before all are.
const CANARIES: usize = 5;

/// What the steps of one list sent.
struct Sent {
    list: i64,
    uid: String,
    name: String,
    steps: Vec<Step>,
    items: Vec<Item>,
    /// Contacts that are deleted, as they were.
    doomed: Vec<Row>,
    /// Contacts that the list has once all of it arrived, as far as nobody else is at work.
    total: u64,
    /// The same without those that other steps of the run delete, whose end nobody has seen yet.
    least: u64,
}

impl Sent {
    /// `believed`: how many contacts the list had before; `others`: deletions of other steps in it.
    fn new((list, uid, name): (i64, String, String), steps: Vec<Step>, believed: u64, others: u64) -> Self {
        let (mut items, mut doomed) = (Vec::new(), Vec::new());
        for step in &steps {
            match &step.kind {
                StepKind::Contacts { items: sent, .. } => items.extend(sent.iter().cloned()),
                StepKind::ContactDelete { before, .. } => doomed.push(before.clone()),
                _ => {}
            }
        }
        let made = items.iter().filter(|item| item.before.is_none()).count() as u64;
        let total = (believed + made).saturating_sub(doomed.len() as u64);
        Self { list, uid, name, steps, items, doomed, total, least: total.saturating_sub(others) }
    }

    fn rows(&self) -> u64 {
        (self.items.len() + self.doomed.len()) as u64
    }
}

/// Waits until the list shows what was sent to it, or for longer than that can take. What was sent to a list that is gone
/// is not seen any more.
pub async fn verify(
    run: Run<'_>,
    list: i64,
    numbers: Vec<u32>,
    spared: HashSet<String>,
) -> Result<(Vec<u32>, Ended), Failed> {
    match watch_list(run, list, numbers.clone(), spared.clone()).await {
        Err(failed) if failed.is_list_gone() => {
            for number in &numbers {
                let (step, spared) = (read_step(run, *number).await?, spared.clone());
                on(run.core, move |core| core.write_quietly(|tx| settle::leave_in_doubt(tx, &step.kind, &spared)))
                    .await?;
            }
            let lost = |step| Came { step, state: State::Rejected, why: Some(settle::IN_DOUBT.to_owned()) };
            let came = numbers.iter().copied().map(lost).collect();
            Ok((numbers, Ended::Came(came)))
        }
        other => other,
    }
}

async fn watch_list(
    run: Run<'_>,
    list: i64,
    numbers: Vec<u32>,
    spared: HashSet<String>,
) -> Result<(Vec<u32>, Ended), Failed> {
    let mut steps = Vec::new();
    for number in &numbers {
        steps.push(read_step(run, *number).await?);
    }
    let (id, own) = (run.id, numbers.clone());
    let facts = on(run.core, move |core| {
        core.read(|tx| {
            let known = changes::one::<i64>(tx, Place::Lists, list)?;
            let name = cells::text(known.local.as_deref().or(known.base.as_deref()).unwrap_or_default(), "name");
            let uid = known.uid.unwrap_or_default();
            let is_other = |(step, state): &(Step, State)| {
                let is_deletion = matches!(step.kind, StepKind::ContactDelete { list: of, .. } if of == list);
                is_deletion && !state.is_settled() && !own.contains(&step.id)
            };
            let others = gather::step_outlines(tx, id)?.iter().filter(|one| is_other(one)).count() as u64;
            Ok((uid, name, scopes::believed(tx, list)?, others, gather::learnt(tx)?.rows_per_second))
        })
    });
    let (uid, name, believed, others, pace) = facts.await?;
    run.progress.about(Some(Place::Contacts), &name);
    let sent = Sent::new((list, uid, name), steps, believed, others);
    let mut watch = Watch::new(sent.total, sent.rows(), pace);
    let watched: Vec<usize> = canaries(&sent.items, run.id as u64).into_iter().take(CANARIES).collect();
    let began = Instant::now();
    let patience = PATIENCE.max(Duration::from_millis(2_000 * sent.rows() / u64::from(pace.max(1))));
    let (mut next, mut wait, mut arrived) = (watch.first(), FIRST_WAIT, None);
    let mut arrivals = HashSet::new();
    loop {
        let elapsed = began.elapsed().as_millis() as u64;
        if !pause(run, Duration::from_millis(next.saturating_sub(elapsed))).await {
            return Ok((numbers, Ended::Came(Vec::new())));
        }
        let there = look(run, &sent, &watched, &spared, &mut arrivals).await?;
        let at = began.elapsed().as_millis() as u64;
        if there.1 == watched.len() as u32 && arrived.is_none() {
            arrived = Some(at);
            teach(run, sent.rows(), at).await?;
        }
        let verdict = watch.see(Look { at, total: there.0, canaries_there: there.1, canaries: watched.len() as u32 });
        next = match verdict {
            Next::LookAt(at) => at,
            Next::CheckAll | Next::InDoubt => {
                // Another writer may have undone what was sent: then it never comes, whatever the others look like.
                let give_up = verdict == Next::InDoubt || began.elapsed() >= patience;
                let came = check(run, &sent, &spared, give_up).await?;
                if !came.is_empty() {
                    // Those that are not settled are looked at again, by themselves.
                    return Ok((numbers, Ended::Came(came)));
                }
                wait = (wait * 2).min(LONGEST_WAIT);
                (began.elapsed() + wait).as_millis() as u64
            }
        };
    }
}

/// Fewer are done before anybody looks.
const TELLING: u64 = 500;

/// What arrived so many milliseconds after it was taken tells how fast the service's jobs are.
async fn teach(run: Run<'_>, rows: u64, millis: u64) -> Result<(), Failed> {
    if rows < TELLING {
        return Ok(());
    }
    let seen = u32::try_from(rows.saturating_mul(1_000) / millis.max(1)).unwrap_or(u32::MAX);
    let mixed = move |before: u32| ((u64::from(before) * 3 + u64::from(seen)) / 4).clamp(1, 1_000_000) as u32;
    learn(run.core, move |learnt| learnt.rows_per_second = mixed(learnt.rows_per_second)).await
}

/// Between two full checks, which take many calls.
const FIRST_WAIT: Duration = Duration::from_secs(2);
const LONGEST_WAIT: Duration = Duration::from_secs(120);
/// So long, or twice as long as it should take, what was sent may still come.
const PATIENCE: Duration = Duration::from_secs(600);

/// One look: how many the list has, and how many of the chosen contacts are as they were sent.
async fn look(
    run: Run<'_>,
    sent: &Sent,
    watched: &[usize],
    spared: &HashSet<String>,
    arrivals: &mut HashSet<i64>,
) -> Result<(u64, u32), Failed> {
    let one = ContactsAsked::Page(PageAsked { number: 1, size: 1 });
    let total = run.client.contacts(&sent.uid, &one).await?.total;
    let mut there = 0;
    for item in watched.iter().filter_map(|at| sent.items.get(*at)) {
        let found = search(run, sent, item).await?;
        let is_there = |contact: &Contact| matches!(fold(item, Some(&contact.row), false), Folded::Verified { .. });
        if found.iter().any(is_there) {
            there += 1;
            if arrivals.insert(item.id) {
                record_arrival(run, sent.list, item, &found, spared).await?;
            }
        }
    }
    Ok((total, there))
}

/// What was seen to arrive has arrived, whatever another writer does to it before the whole list is compared.
async fn record_arrival(
    run: Run<'_>,
    list: i64,
    item: &Item,
    found: &[Contact],
    spared: &HashSet<String>,
) -> Result<(), Failed> {
    let (item, seen, spared) = (item.clone(), pull::seen(found), spared.clone());
    on(run.core, move |core| {
        core.write(&By::sync(), |tx| {
            scopes::add(tx, Place::Contacts, list, &seen)?;
            if item.before.is_none() && arrived_as(tx, list, &item, &spared)?.is_none() {
                merge::meet(tx, list, &[(item.id, item.expect.clone())])?;
            }
            let uid = arrived_as(tx, list, &item, &spared)?;
            let own = uid.as_ref().map_or(Ok(None), |uid| scopes::row(tx, list, uid))?;
            let row = own.map(|seen| cells::row(&seen.cells));
            if let (Some(uid), Folded::Verified { .. }) = (uid, fold(&item, row.as_ref(), false)) {
                agree(tx, list, &item, &uid)?;
            }
            Ok(scopes::empty(tx, Place::Contacts, list)?)
        })
    })
    .await
}

/// What was sent is agreed on; what differs from it was changed since, here or there.
fn agree(tx: &WriteTx, list: i64, item: &Item, uid: &str) -> Result<(), Error> {
    let agreed = cells::of(&item.expect);
    changes::agree(tx, Place::Contacts, &item.id, Some(list), Some(uid), Some(&agreed))?;
    Ok(answers::set(tx, Place::Contacts, &item.id, "choice", None)?)
}

/// Whether what was sent was seen there before, so that it need not be there any more.
fn has_arrived(tx: &ReadTx, item: &Item, uid: Option<&str>) -> Result<bool, Error> {
    let known = changes::one::<i64>(tx, Place::Contacts, item.id)?;
    Ok(uid.is_some() && known.base.is_some_and(|base| base == cells::of(&item.expect)))
}

async fn search(run: Run<'_>, sent: &Sent, item: &Item) -> Result<Vec<Contact>, Failed> {
    let Some(key) = item.expect.keys().next() else { return Ok(Vec::new()) };
    Ok(run.client.contacts(&sent.uid, &ContactsAsked::Number(&key.number)).await?.items)
}

/// Looks at every contact, one by one or the whole list, whichever takes fewer calls. Answers the steps that are
/// settled by it.
async fn check(run: Run<'_>, sent: &Sent, spared: &HashSet<String>, give_up: bool) -> Result<Vec<Came>, Failed> {
    let list = sent.list;
    let expected: Vec<&Row> = sent.items.iter().map(|item| &item.expect).chain(&sent.doomed).collect();
    let (mut whole, mut by_number, mut total) = (false, false, 0);
    // A list of one page is soon read again.
    let is_dated = sent.total > u64::from(PAGE) && takes_sweep(sent.rows(), sent.total);
    let marker = if is_dated { last_change(run, sent).await? } else { None };
    match read_rows(run, list, &sent.uid, &expected).await? {
        RowsRead::ByNumber => by_number = true,
        RowsRead::Swept(claimed) => {
            let distinct =
                on(run.core, move |core| core.read(|tx| Ok(scopes::distinct(tx, Place::Contacts, list)?))).await?;
            whole = judge(claimed, distinct, sent.least) == Sight::Whole;
            total = claimed.1;
            if !whole && !give_up {
                return Ok(Vec::new());
            }
        }
        RowsRead::Stopped => {}
    }
    let (id, steps, spared) = (run.id, sent.steps.clone(), spared.clone());
    on(run.core, move |core| {
        let reading = Reading { list, tells_what_is_gone: whole || by_number, give_up };
        let came = settle_all(core, id, reading, &steps, &spared)?;
        // What others did to the contacts that were looked at is taken as in any reading.
        let is_whole = whole && came.len() == steps.len();
        let merged = merge::list(core, list, is_whole)?;
        let now = core.ctx().now().unix();
        core.write_quietly(|tx| {
            // The next pull need not read again what was just read as a whole.
            if let Some(marker) = marker.filter(|_| is_whole && merged.elsewhere == 0) {
                let (total, marker) = (Some(total), Some(marker));
                let known = Scope { total, marker, checked_at: Some(now), full_at: Some(now), ..Scope::default() };
                scopes::set(tx, Place::Contacts, list, &known)?;
            }
            Ok(scopes::empty(tx, Place::Contacts, list)?)
        })?;
        Ok(came)
    })
    .await
}

/// When the list was changed last, once that second is over: what changes after this has another time.
async fn last_change(run: Run<'_>, sent: &Sent) -> Result<Option<String>, Failed> {
    let asked = ListsAsked { name: Some(&sent.name), page: PageAsked { number: 1, size: PAGE } };
    let lists = run.client.lists(&asked).await?.items;
    let Some(changed) = lists.iter().find(|list| list.uid == sent.uid).and_then(|list| list.updated_at) else {
        return Ok(None);
    };
    wait_out_second(run.client, changed, Duration::ZERO).await;
    Ok(Some(changed.iso()))
}

/// What was read of a list to verify it.
#[derive(Clone, Copy)]
struct Reading {
    list: i64,
    tells_what_is_gone: bool,
    /// The last one: what it does not show is planned again.
    give_up: bool,
}

/// Compares what was sent with what was seen, contact by contact. Answers the steps of which nothing is open.
fn settle_all(
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
            let (mut effects, mut open, mut lost) = (Vec::new(), false, Vec::new());
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
                        match (fold(item, row.as_ref(), give_up || has_arrived), found) {
                            (_, None) if has_arrived && tells_what_is_gone => {}
                            (Folded::Pending, _) | (_, None) => open = true,
                            (folded, Some(found)) => {
                                if matches!(folded, Folded::Verified { .. }) {
                                    agree(tx, list, item, &found.uid)?;
                                }
                                merge::take(tx, &rules, (list, item.id), Some(&found), &mut Merged::default())?;
                                let before = item.before.as_ref().map(cells::of);
                                effects.push(json!({
                                    "id": item.id, "uid": found.uid, "cells": settle::raw(&found.cells),
                                    "before": before.as_deref().map(settle::raw),
                                }));
                            }
                        }
                    }
                }
                StepKind::ContactDelete { id, uid, before, .. } => {
                    if !tells_what_is_gone || scopes::row(tx, list, uid)?.is_some() {
                        open = true;
                    } else {
                        if let Some(gone) = ids::find(tx, Place::Contacts, uid)? {
                            // Who took the deletion back meanwhile has a contact that the service does not know.
                            changes::forget(tx, Place::Contacts, gone)?;
                            changes::agree(tx, Place::Contacts, &gone, Some(list), None, None)?;
                        }
                        lost.push(json!({ "id": id, "uid": uid, "before": settle::raw(&cells::of(before)) }));
                    }
                }
                _ => {}
            }
            if open && !give_up {
                continue;
            }
            if !effects.is_empty() || !lost.is_empty() {
                let effect = json!({ "list": list, "rows": effects, "gone": lost });
                settle::record(tx, run, step.id, step.lane.name(), effect)?;
            }
            if open {
                settle::leave_in_doubt(tx, &step.kind, spared)?;
            }
            let (state, why) =
                if open { (State::Rejected, Some(settle::IN_DOUBT.to_owned())) } else { (State::Verified, None) };
            roost_store::tables::sync::runs::set_step(tx, run, step.id, &super::spelt(state), why.as_deref())?;
            came.push(Came { step: step.id, state, why });
        }
        Ok(came)
    })
}

/// The identifier that a new contact has at the service by now.
fn arrived_as(tx: &ReadTx, list: i64, item: &Item, spared: &HashSet<String>) -> Result<Option<String>, Error> {
    let known = changes::one::<i64>(tx, Place::Contacts, item.id)?;
    if settle::is_to_be_replaced(&known, list, spared) {
        return Ok(None);
    }
    Ok(ids::other_uid(tx, Place::Contacts, item.id)?)
}
