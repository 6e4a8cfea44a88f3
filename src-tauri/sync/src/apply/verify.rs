//! Verifies that what was sent to a list has arrived: first by a few contacts, then by all of them.

use std::{
    collections::{BTreeSet, HashSet},
    time::Duration,
};

use roost_model::contact::MergeType;
use roost_ops::Actor;
use roost_reconcile::{
    plan::{ContactItem, PlanStep, StepKind},
    schedule::PlanStepState,
    verify::{ArrivalWatch, ItemFate, ListObservation, WatchDecision, choose_canaries, judge_item},
};
use roost_store::tables::sync::{
    SyncedTable, changes,
    scopes::{self, ScopeState},
};
use tokio::time::Instant;

use super::{
    ActiveRun, StepResult, WorkResult,
    arrival::{VerifiedReading, find_arrived_uid, record_agreement, settle_all},
    read_step,
    rows::{RowsRead, lookup_number, needs_sweep, read_numbers, read_rows},
    settle, wait_unless_paused,
};
use crate::{
    SyncError, account, cells, gather, merge,
    pull::{self, PAGE, ReadingQuality, judge_reading, wait_out_second},
    remote::{ContactsParams, ListsParams, PageParams, RemoteContact},
    run_blocking, update_speed,
};

/// The number of contacts that are checked before all are.
const CANARY_COUNT: usize = 5;

/// The requests that the steps sent to one list. The contacts stay on disk, since together they may be all contacts of
/// the account.
struct SentContacts {
    list: i64,
    uid: String,
    name: String,
    steps: Vec<u32>,
    /// The contacts that are checked first, each with whether the service skips a contact whose number is taken.
    watched: Vec<(ContactItem, bool)>,
    /// The number of contacts sent and deleted.
    rows: u64,
    /// The number of contacts in the list once everything arrived, unless another writer is at work.
    total: u64,
    /// The lowest such number, if the deletions by other steps of the run have all taken effect.
    least: u64,
}

impl SentContacts {
    /// Reads the steps. `believed` is the previous number of contacts in the list, `others` the number of deletions in
    /// it by other steps.
    async fn read(
        run: ActiveRun<'_>,
        (list, uid, name): (i64, String, String),
        steps: Vec<u32>,
        (believed, others): (u64, u64),
    ) -> Result<Self, SyncError> {
        let seed = run.id as u64;
        let (mut candidates, mut rows, mut made, mut deleted) = (Vec::new(), 0, 0, 0);
        for number in &steps {
            let step = read_step(run, *number).await?;
            rows += step.kind.row_count() as u64;
            match step.kind {
                StepKind::Contacts { items, merge, .. } => {
                    let skips = merge == MergeType::SkipDuplicates;
                    made += items.iter().filter(|item| item.before.is_none()).count() as u64;
                    let chosen = choose_canaries(&items, seed).into_iter().filter_map(|at| items.get(at).cloned());
                    candidates.extend(chosen.map(|item| (item, skips)));
                }
                StepKind::ContactDelete { .. } => deleted += 1,
                _ => {}
            }
        }
        let items: Vec<ContactItem> = candidates.iter().map(|(item, _)| item.clone()).collect();
        let chosen = choose_canaries(&items, seed);
        // Choose the first, the last and some between, because jobs may be done in any order.
        let places: BTreeSet<usize> =
            (0..CANARY_COUNT).map(|at| at * chosen.len().saturating_sub(1) / (CANARY_COUNT - 1)).collect();
        let watched = places.into_iter().filter_map(|at| candidates.get(*chosen.get(at)?).cloned()).collect();
        let total = (believed + made).saturating_sub(deleted);
        Ok(Self { list, uid, name, steps, watched, rows, total, least: total.saturating_sub(others) })
    }

    /// Returns the numbers by which the contacts are looked up.
    async fn lookup_numbers(&self, run: ActiveRun<'_>) -> Result<BTreeSet<String>, SyncError> {
        let mut numbers = BTreeSet::new();
        for number in &self.steps {
            match read_step(run, *number).await?.kind {
                StepKind::Contacts { items, .. } => {
                    numbers.extend(items.iter().filter_map(|item| lookup_number(&item.expect)))
                }
                StepKind::ContactDelete { before, .. } => numbers.extend(lookup_number(&before)),
                _ => {}
            }
        }
        Ok(numbers)
    }
}

/// Waits until the list shows what was sent to it, or until that can no longer be expected. If the list no longer
/// exists, nothing sent to it can be verified.
pub(super) async fn verify_list(
    run: ActiveRun<'_>,
    list: i64,
    numbers: Vec<u32>,
    spared: HashSet<String>,
) -> Result<(Vec<u32>, WorkResult), SyncError> {
    match watch_list(run, list, numbers.clone(), spared.clone()).await {
        Err(failed) if failed.is_list_missing() => {
            for number in &numbers {
                let (step, spared) = (read_step(run, *number).await?, spared.clone());
                run_blocking(run.core, move |core| {
                    core.write_quietly(|tx| settle::leave_in_doubt(tx, &step.kind, &spared))
                })
                .await?;
            }
            let lost =
                |step| StepResult { step, state: PlanStepState::Rejected, why: Some(settle::IN_DOUBT.to_owned()) };
            let came = numbers.iter().copied().map(lost).collect();
            Ok((numbers, WorkResult::Finished(came)))
        }
        other => other,
    }
}

/// Reads the list again and again until its steps are settled or nothing more can be expected.
async fn watch_list(
    run: ActiveRun<'_>,
    list: i64,
    numbers: Vec<u32>,
    spared: HashSet<String>,
) -> Result<(Vec<u32>, WorkResult), SyncError> {
    let (id, own) = (run.id, numbers.clone());
    let facts = run_blocking(run.core, move |core| {
        core.read(|tx| {
            let known = changes::read_record::<i64>(tx, SyncedTable::Lists, list)?;
            let name = cells::cell_text(known.local.as_deref().or(known.base.as_deref()).unwrap_or_default(), "name");
            let uid = known.uid.unwrap_or_default();
            let is_other = |(step, state): &(PlanStep, PlanStepState)| {
                let is_deletion = matches!(step.kind, StepKind::ContactDelete { list: target, .. } if target == list);
                is_deletion && !state.is_settled() && !own.contains(&step.id)
            };
            let others = gather::step_outlines(tx, id)?.iter().filter(|one| is_other(one)).count() as u64;
            Ok((uid, name, scopes::count_expected(tx, list)?, others, account::read_speed(tx)?.rows_per_second))
        })
    });
    let (uid, name, believed, others, pace) = facts.await?;
    run.progress.set_subject(Some(SyncedTable::Contacts), &name);
    let sent = SentContacts::read(run, (list, uid, name), numbers.clone(), (believed, others)).await?;
    let mut watch = ArrivalWatch::new(sent.least..=sent.total, sent.rows, pace);
    let watched = sent.watched.len() as u32;
    let began = Instant::now();
    let patience = PATIENCE.max(Duration::from_millis(2_000 * sent.rows / u64::from(pace.max(1))));
    let (mut next, mut wait, mut arrived) = (watch.first_read_at(), FIRST_WAIT, None);
    let mut arrivals = HashSet::new();
    loop {
        let elapsed = began.elapsed().as_millis() as u64;
        if !wait_unless_paused(run, Duration::from_millis(next.saturating_sub(elapsed))).await {
            return Ok((numbers, WorkResult::Finished(Vec::new())));
        }
        let counted = read_canaries(run, &sent, &spared, &mut arrivals).await?;
        let at = began.elapsed().as_millis() as u64;
        if counted.1 == watched && arrived.is_none() {
            arrived = Some(at);
            learn_job_speed(run, sent.rows, at).await?;
        }
        let verdict =
            watch.observe(ListObservation { at, total: counted.0, canaries_there: counted.1, canaries: watched });
        next = match verdict {
            WatchDecision::ReadAt(at) => at,
            WatchDecision::CheckAll | WatchDecision::InDoubt => {
                // Another writer may have undone what was sent. It then never shows, whatever the canaries show.
                let give_up = verdict == WatchDecision::InDoubt || began.elapsed() >= patience;
                let came = check_all(run, &sent, &spared, give_up).await?;
                if !came.is_empty() {
                    // Steps that are not settled are checked again on their own.
                    return Ok((numbers, WorkResult::Finished(came)));
                }
                let next = began.elapsed() + wait;
                wait = (wait * 2).min(LONGEST_WAIT);
                next.as_millis() as u64
            }
        };
    }
}

/// A smaller job is done too soon to measure its speed.
const MIN_ROWS_TO_LEARN: u64 = 500;

/// Learns the speed of the service's jobs from the time that one took.
async fn learn_job_speed(run: ActiveRun<'_>, rows: u64, millis: u64) -> Result<(), SyncError> {
    if rows < MIN_ROWS_TO_LEARN {
        return Ok(());
    }
    let seen = u32::try_from(rows.saturating_mul(1_000) / millis.max(1)).unwrap_or(u32::MAX);
    let mixed = move |before: u32| ((u64::from(before) * 3 + u64::from(seen)) / 4).clamp(1, 1_000_000) as u32;
    update_speed(run.core, move |learnt| learnt.rows_per_second = mixed(learnt.rows_per_second)).await
}

/// The waits between two full checks, which take many calls.
const FIRST_WAIT: Duration = Duration::from_secs(1);
const LONGEST_WAIT: Duration = Duration::from_secs(120);
/// What was sent may still arrive within this time, or within twice the expected time.
const PATIENCE: Duration = Duration::from_secs(600);

/// Checks once: returns the number of contacts in the list, and how many of the canaries are as they were sent.
async fn read_canaries(
    run: ActiveRun<'_>,
    sent: &SentContacts,
    spared: &HashSet<String>,
    arrivals: &mut HashSet<i64>,
) -> Result<(u64, u32), SyncError> {
    let one = ContactsParams::Page(PageParams { number: 1, size: 1 });
    let total = run.client.query_contacts(&sent.uid, &one).await?.total;
    let mut present = 0;
    for (item, skips) in &sent.watched {
        let found = find_contacts(run, sent, item).await?;
        // The old record of a recreated contact may equal it in everything that was sent.
        let is_there = |contact: &RemoteContact| {
            !spared.contains(&contact.uid)
                && matches!(judge_item(item, Some(&contact.row), false), ItemFate::Verified { .. })
        };
        if found.iter().any(is_there) {
            present += 1;
            if arrivals.insert(item.id) {
                record_arrival(run, sent.list, item, &found, spared).await?;
            }
        } else if *skips && item.before.is_none() && found.iter().any(|contact| !spared.contains(&contact.uid)) {
            // Somebody else added a contact with this number, so ours never arrives.
            present += 1;
        }
    }
    Ok((total, present))
}

/// Records a contact as soon as it was seen to arrive, because another writer may change it before the whole list is
/// compared.
async fn record_arrival(
    run: ActiveRun<'_>,
    list: i64,
    item: &ContactItem,
    found: &[RemoteContact],
    spared: &HashSet<String>,
) -> Result<(), SyncError> {
    let (item, seen, spared) = (item.clone(), pull::observed_contacts(found), spared.clone());
    run_blocking(run.core, move |core| {
        core.write(&Actor::sync(), |tx| {
            scopes::add_records(tx, SyncedTable::Contacts, list, &seen)?;
            if item.before.is_none() && find_arrived_uid(tx, list, &item, &spared)?.is_none() {
                merge::pair_new_contacts(tx, list, &[(item.id, item.expect.clone())])?;
            }
            let uid = find_arrived_uid(tx, list, &item, &spared)?;
            let own = uid.as_ref().map_or(Ok(None), |uid| scopes::find_contact(tx, list, uid))?;
            let row = own.map(|seen| cells::parse_row(&seen.cells));
            if let (Some(uid), ItemFate::Verified { .. }) = (uid, judge_item(&item, row.as_ref(), false)) {
                record_agreement(tx, list, &item, &uid)?;
            }
            Ok(scopes::delete_records(tx, SyncedTable::Contacts, list)?)
        })
    })
    .await
}

async fn find_contacts(
    run: ActiveRun<'_>,
    sent: &SentContacts,
    item: &ContactItem,
) -> Result<Vec<RemoteContact>, SyncError> {
    let Some(key) = item.expect.keys().next() else { return Ok(Vec::new()) };
    Ok(run.client.query_contacts(&sent.uid, &ContactsParams::Number(&key.number)).await?.items)
}

/// Checks every contact, one by one or with the whole list, whichever takes fewer calls. Returns the steps that are
/// settled.
async fn check_all(
    run: ActiveRun<'_>,
    sent: &SentContacts,
    spared: &HashSet<String>,
    give_up: bool,
) -> Result<Vec<StepResult>, SyncError> {
    let list = sent.list;
    let (mut whole, mut by_number, mut total) = (false, false, 0);
    // A list of one page is quickly read again, and a list from which this run still deletes will have another time.
    let is_last = sent.least == sent.total;
    let is_dated = is_last && sent.total > u64::from(PAGE) && needs_sweep(sent.rows, sent.total);
    let marker = if is_dated { last_change_time(run, sent).await? } else { None };
    match read_rows(run, (list, &sent.uid), sent.rows, sent.lookup_numbers(run)).await? {
        RowsRead::ByNumber => by_number = true,
        RowsRead::Swept(claimed) => {
            let distinct = run_blocking(run.core, move |core| {
                core.read(|tx| Ok(scopes::count_records(tx, SyncedTable::Contacts, list)?))
            })
            .await?;
            let sight = judge_reading(claimed, distinct, sent.least);
            whole = sight == ReadingQuality::Whole;
            total = claimed.1;
            // Other writers may have deleted most of the list. The response for a single number is reliable even then.
            if sight == ReadingQuality::Shrunk && (sent.watched.is_empty() || sent.rows <= u64::from(PAGE)) {
                read_numbers(run, (list, &sent.uid), sent.lookup_numbers(run).await?).await?;
                by_number = true;
            } else if !whole && !give_up {
                return Ok(Vec::new());
            }
        }
        RowsRead::Stopped => {}
    }
    let (id, steps, spared) = (run.id, sent.steps.clone(), spared.clone());
    run_blocking(run.core, move |core| {
        let reading = VerifiedReading { list, shows_deletions: whole || by_number, give_up };
        let came = settle_all(core, id, reading, &steps, &spared)?;
        // Changes by other writers to the contacts that were read are merged as in any pull.
        let is_whole = whole && came.len() == steps.len();
        let merged = merge::merge_list(core, list, is_whole)?;
        let now = core.ctx().now().unix();
        core.write_quietly(|tx| {
            // The next pull need not read again a list that was just read as a whole.
            if let Some(marker) = marker.filter(|_| is_whole && merged.elsewhere == 0) {
                let (total, marker) = (Some(total), Some(marker));
                let known =
                    ScopeState { total, marker, checked_at: Some(now), full_at: Some(now), ..ScopeState::default() };
                scopes::set(tx, SyncedTable::Contacts, list, &known)?;
            }
            Ok(scopes::delete_records(tx, SyncedTable::Contacts, list)?)
        })?;
        Ok(came)
    })
    .await
}

/// Returns the time of the last change of the list, once that second is over, so that any later change has another
/// time.
async fn last_change_time(run: ActiveRun<'_>, sent: &SentContacts) -> Result<Option<String>, SyncError> {
    let params = ListsParams { name: Some(&sent.name), page: PageParams { number: 1, size: PAGE } };
    let lists = run.client.query_lists(&params).await?.items;
    let Some(changed) = lists.iter().find(|list| list.uid == sent.uid).and_then(|list| list.updated_at) else {
        return Ok(None);
    };
    wait_out_second(run.client, changed, Duration::ZERO).await;
    Ok(Some(changed.to_iso()))
}
