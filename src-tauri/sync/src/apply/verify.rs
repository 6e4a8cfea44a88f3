//! Verifies that what was sent to a list has arrived: first by a few contacts, then by all of them.

use std::{
    collections::{BTreeSet, HashSet},
    time::Duration,
};

use roost_model::contact::MergeType;
use roost_ops::By;
use roost_reconcile::{
    plan::{Item, Step, StepKind},
    schedule::State,
    verify::{Folded, Look, Next, Watch, canaries, fold},
};
use roost_store::tables::sync::{
    Place, changes,
    scopes::{self, Scope},
};
use tokio::time::Instant;

use super::{
    Came, Ended, Run,
    arrival::{Reading, agree, arrived_as, settle_all},
    pause, read_step,
    rows::{RowsRead, number_of, read_numbers, read_rows, takes_sweep},
    settle,
};
use crate::{
    Failed, cells, gather, learn, merge, on,
    pull::{self, PAGE, Sight, judge, wait_out_second},
    remote::{Contact, ContactsAsked, ListsAsked, PageAsked},
};

/// The number of contacts that are checked before all are.
const CANARIES: usize = 5;

/// The requests that the steps sent to one list. The contacts stay on disk, since together they may be all contacts of
/// the account.
struct Sent {
    list: i64,
    uid: String,
    name: String,
    steps: Vec<u32>,
    /// The contacts that are checked first, each with whether the service skips a contact whose number is taken.
    watched: Vec<(Item, bool)>,
    /// The number of contacts sent and deleted.
    rows: u64,
    /// The number of contacts in the list once everything arrived, unless another writer is at work.
    total: u64,
    /// The lowest such number, if the deletions by other steps of the run have all taken effect.
    least: u64,
}

impl Sent {
    /// Reads the steps. `believed` is the previous number of contacts in the list, `others` the number of deletions in
    /// it by other steps.
    async fn read(
        run: Run<'_>,
        (list, uid, name): (i64, String, String),
        steps: Vec<u32>,
        (believed, others): (u64, u64),
    ) -> Result<Self, Failed> {
        let seed = run.id as u64;
        let (mut candidates, mut rows, mut made, mut deleted) = (Vec::new(), 0, 0, 0);
        for number in &steps {
            let step = read_step(run, *number).await?;
            rows += step.kind.rows() as u64;
            match step.kind {
                StepKind::Contacts { items, merge, .. } => {
                    let skips = merge == MergeType::SkipDuplicates;
                    made += items.iter().filter(|item| item.before.is_none()).count() as u64;
                    let chosen = canaries(&items, seed).into_iter().filter_map(|at| items.get(at).cloned());
                    candidates.extend(chosen.map(|item| (item, skips)));
                }
                StepKind::ContactDelete { .. } => deleted += 1,
                _ => {}
            }
        }
        let items: Vec<Item> = candidates.iter().map(|(item, _)| item.clone()).collect();
        let chosen = canaries(&items, seed);
        // Choose the first, the last and some between, because jobs may be done in any order.
        let places: BTreeSet<usize> =
            (0..CANARIES).map(|at| at * chosen.len().saturating_sub(1) / (CANARIES - 1)).collect();
        let watched = places.into_iter().filter_map(|at| candidates.get(*chosen.get(at)?).cloned()).collect();
        let total = (believed + made).saturating_sub(deleted);
        Ok(Self { list, uid, name, steps, watched, rows, total, least: total.saturating_sub(others) })
    }

    /// Returns the numbers by which the contacts are looked up.
    async fn numbers(&self, run: Run<'_>) -> Result<BTreeSet<String>, Failed> {
        let mut numbers = BTreeSet::new();
        for number in &self.steps {
            match read_step(run, *number).await?.kind {
                StepKind::Contacts { items, .. } => {
                    numbers.extend(items.iter().filter_map(|item| number_of(&item.expect)))
                }
                StepKind::ContactDelete { before, .. } => numbers.extend(number_of(&before)),
                _ => {}
            }
        }
        Ok(numbers)
    }
}

/// Waits until the list shows what was sent to it, or until that can no longer be expected. If the list no longer
/// exists, nothing sent to it can be verified.
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

/// Reads the list again and again until its steps are settled or nothing more can be expected.
async fn watch_list(
    run: Run<'_>,
    list: i64,
    numbers: Vec<u32>,
    spared: HashSet<String>,
) -> Result<(Vec<u32>, Ended), Failed> {
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
    let sent = Sent::read(run, (list, uid, name), numbers.clone(), (believed, others)).await?;
    let mut watch = Watch::new(sent.least..=sent.total, sent.rows, pace);
    let watched = sent.watched.len() as u32;
    let began = Instant::now();
    let patience = PATIENCE.max(Duration::from_millis(2_000 * sent.rows / u64::from(pace.max(1))));
    let (mut next, mut wait, mut arrived) = (watch.first(), FIRST_WAIT, None);
    let mut arrivals = HashSet::new();
    loop {
        let elapsed = began.elapsed().as_millis() as u64;
        if !pause(run, Duration::from_millis(next.saturating_sub(elapsed))).await {
            return Ok((numbers, Ended::Came(Vec::new())));
        }
        let there = look(run, &sent, &spared, &mut arrivals).await?;
        let at = began.elapsed().as_millis() as u64;
        if there.1 == watched && arrived.is_none() {
            arrived = Some(at);
            teach(run, sent.rows, at).await?;
        }
        let verdict = watch.see(Look { at, total: there.0, canaries_there: there.1, canaries: watched });
        next = match verdict {
            Next::LookAt(at) => at,
            Next::CheckAll | Next::InDoubt => {
                // Another writer may have undone what was sent. It then never shows, whatever the canaries show.
                let give_up = verdict == Next::InDoubt || began.elapsed() >= patience;
                let came = check(run, &sent, &spared, give_up).await?;
                if !came.is_empty() {
                    // Steps that are not settled are checked again on their own.
                    return Ok((numbers, Ended::Came(came)));
                }
                let next = began.elapsed() + wait;
                wait = (wait * 2).min(LONGEST_WAIT);
                next.as_millis() as u64
            }
        };
    }
}

/// A smaller job is done too soon to measure its speed.
const TELLING: u64 = 500;

/// Learns the speed of the service's jobs from the time that one took.
async fn teach(run: Run<'_>, rows: u64, millis: u64) -> Result<(), Failed> {
    if rows < TELLING {
        return Ok(());
    }
    let seen = u32::try_from(rows.saturating_mul(1_000) / millis.max(1)).unwrap_or(u32::MAX);
    let mixed = move |before: u32| ((u64::from(before) * 3 + u64::from(seen)) / 4).clamp(1, 1_000_000) as u32;
    learn(run.core, move |learnt| learnt.rows_per_second = mixed(learnt.rows_per_second)).await
}

/// The waits between two full checks, which take many calls.
const FIRST_WAIT: Duration = Duration::from_secs(1);
const LONGEST_WAIT: Duration = Duration::from_secs(120);
/// What was sent may still arrive within this time, or within twice the expected time.
const PATIENCE: Duration = Duration::from_secs(600);

/// Checks once: returns the number of contacts in the list, and how many of the canaries are as they were sent.
async fn look(
    run: Run<'_>,
    sent: &Sent,
    spared: &HashSet<String>,
    arrivals: &mut HashSet<i64>,
) -> Result<(u64, u32), Failed> {
    let one = ContactsAsked::Page(PageAsked { number: 1, size: 1 });
    let total = run.client.contacts(&sent.uid, &one).await?.total;
    let mut there = 0;
    for (item, skips) in &sent.watched {
        let found = search(run, sent, item).await?;
        // The old record of a recreated contact may equal it in everything that was sent.
        let is_there = |contact: &Contact| {
            !spared.contains(&contact.uid) && matches!(fold(item, Some(&contact.row), false), Folded::Verified { .. })
        };
        if found.iter().any(is_there) {
            there += 1;
            if arrivals.insert(item.id) {
                record_arrival(run, sent.list, item, &found, spared).await?;
            }
        } else if *skips && item.before.is_none() && found.iter().any(|contact| !spared.contains(&contact.uid)) {
            // Somebody else added a contact with this number, so ours never arrives.
            there += 1;
        }
    }
    Ok((total, there))
}

/// Records a contact as soon as it was seen to arrive, because another writer may change it before the whole list is
/// compared.
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

async fn search(run: Run<'_>, sent: &Sent, item: &Item) -> Result<Vec<Contact>, Failed> {
    let Some(key) = item.expect.keys().next() else { return Ok(Vec::new()) };
    Ok(run.client.contacts(&sent.uid, &ContactsAsked::Number(&key.number)).await?.items)
}

/// Checks every contact, one by one or with the whole list, whichever takes fewer calls. Returns the steps that are
/// settled.
async fn check(run: Run<'_>, sent: &Sent, spared: &HashSet<String>, give_up: bool) -> Result<Vec<Came>, Failed> {
    let list = sent.list;
    let (mut whole, mut by_number, mut total) = (false, false, 0);
    // A list of one page is quickly read again, and a list from which this run still deletes will have another time.
    let is_last = sent.least == sent.total;
    let is_dated = is_last && sent.total > u64::from(PAGE) && takes_sweep(sent.rows, sent.total);
    let marker = if is_dated { last_change(run, sent).await? } else { None };
    match read_rows(run, (list, &sent.uid), sent.rows, sent.numbers(run)).await? {
        RowsRead::ByNumber => by_number = true,
        RowsRead::Swept(claimed) => {
            let distinct =
                on(run.core, move |core| core.read(|tx| Ok(scopes::distinct(tx, Place::Contacts, list)?))).await?;
            let sight = judge(claimed, distinct, sent.least);
            whole = sight == Sight::Whole;
            total = claimed.1;
            // Other writers may have deleted most of the list. The response for a single number is reliable even then.
            if sight == Sight::Shrunk && (sent.watched.is_empty() || sent.rows <= u64::from(PAGE)) {
                read_numbers(run, (list, &sent.uid), sent.numbers(run).await?).await?;
                by_number = true;
            } else if !whole && !give_up {
                return Ok(Vec::new());
            }
        }
        RowsRead::Stopped => {}
    }
    let (id, steps, spared) = (run.id, sent.steps.clone(), spared.clone());
    on(run.core, move |core| {
        let reading = Reading { list, tells_what_is_gone: whole || by_number, give_up };
        let came = settle_all(core, id, reading, &steps, &spared)?;
        // Changes by other writers to the contacts that were read are merged as in any pull.
        let is_whole = whole && came.len() == steps.len();
        let merged = merge::list(core, list, is_whole)?;
        let now = core.ctx().now().unix();
        core.write_quietly(|tx| {
            // The next pull need not read again a list that was just read as a whole.
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

/// Returns the time of the last change of the list, once that second is over, so that any later change has another
/// time.
async fn last_change(run: Run<'_>, sent: &Sent) -> Result<Option<String>, Failed> {
    let asked = ListsAsked { name: Some(&sent.name), page: PageAsked { number: 1, size: PAGE } };
    let lists = run.client.lists(&asked).await?.items;
    let Some(changed) = lists.iter().find(|list| list.uid == sent.uid).and_then(|list| list.updated_at) else {
        return Ok(None);
    };
    wait_out_second(run.client, changed, Duration::ZERO).await;
    Ok(Some(changed.iso()))
}
