//! Runs a job, as a whole or in parts. The changes of a part, the outcomes of its contacts and, after the last part,
//! the owed callback are one commit.

use std::{collections::HashSet, time::Duration};

use roost_model::{
    contact::ValidContact,
    id::ContactId,
    job::{Job, JobContactOutcome, JobState, JobTotals},
    time::DueTime,
};
use roost_store::{
    change_log::{ChangeAction, ChangeLogEntry, Noun},
    tables::{
        batch::{BatchPlacement, ContactBatch, StagedContact},
        callbacks, custom_fields,
        jobs::{self, OutcomeRow},
        lists,
    },
    tx::WriteTx,
};

use super::{payload, plan::JobPlan};
use crate::{
    core::{Actor, Core},
    error::{Error, OrNotFound, Result},
};

/// The options for running a job. The default is the behaviour of the service.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct JobOptions {
    /// The maximum number of contacts; the others stay queued.
    pub most: Option<u32>,
    pub fails: ForcedFailures,
    pub owes: CallbackTiming,
}

/// Contacts that fail on purpose.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ForcedFailures {
    /// All contacts from this position in the request on.
    pub from: Option<u32>,
    /// Contacts with one of these numbers, written without the plus sign.
    pub numbers: HashSet<String>,
}

/// The time at which a job's callback is sent, if the job has one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum CallbackTiming {
    #[default]
    AtOnce,
    /// This long after the end of the job.
    After(Duration),
    /// When it is released.
    Held,
    Never,
}

impl CallbackTiming {
    /// Returns the earliest time of the callback. The inner value is `None` if it is held, and the outer value is
    /// `None` if no callback is sent.
    fn earliest_time(self, now: DueTime) -> Option<Option<DueTime>> {
        match self {
            Self::AtOnce => Some(Some(now)),
            Self::After(delay) => Some(Some(now.add_delay(delay))),
            Self::Held => Some(None),
            Self::Never => None,
        }
    }
}

impl ForcedFailures {
    fn includes_contact(&self, place: usize, contact: &ValidContact) -> bool {
        let is_named = |number: &str| self.numbers.contains(number.trim_start_matches('+'));
        self.from.is_some_and(|from| place >= from as usize)
            || !self.numbers.is_empty()
                && [&contact.phone, &contact.whatsapp].into_iter().flatten().any(|phone| is_named(&phone.e164))
    }
}

/// Returns the job that would run next.
pub fn next_waiting(core: &Core) -> Result<Option<i64>> {
    core.read(|tx| Ok(jobs::read_queued(tx, 1)?.pop().map(|job| job.id)))
}

/// Runs the oldest waiting job to its end. Its contacts, its outcomes and the owed callback are one commit.
pub fn run_next(core: &Core) -> Result<Option<Job>> {
    next_waiting(core)?.map(|id| run(core, id, &JobOptions::default())).transpose()
}

/// Ends a job that cannot run as if all its contacts had failed, so that the jobs after it can run. Its callback is
/// sent as usual.
pub fn give_up(core: &Core, id: i64) -> Result<Job> {
    fail_job(core, id, CallbackTiming::AtOnce)
}

/// Ends a job and marks all contacts as failed that are not processed yet.
pub fn fail_job(core: &Core, id: i64, owes: CallbackTiming) -> Result<Job> {
    core.write(&Actor::job(), |tx| {
        let job = jobs::get(tx, id)?.or_not_found(Noun::Job, id)?;
        if job.state == JobState::Done {
            return Ok(job);
        }
        let done = jobs::count_done(tx, id)?;
        let (totals, outcomes) = fail_all(job.contacts.saturating_sub(done) as usize);
        let part = SliceResult { from: done, totals, outcomes, is_last: true };
        record_slice(core, tx, job, part, owes)
    })
}

/// Runs a waiting job with the given options, to its end or for the given number of contacts. A finished job stays
/// unchanged.
pub fn run(core: &Core, id: i64, way: &JobOptions) -> Result<Job> {
    loop {
        let (waiting, stored, from) = core.read(|tx| {
            let (job, contacts) = jobs::read_submitted(tx, id)?.or_not_found(Noun::Job, id)?;
            Ok::<_, Error>((job, contacts, jobs::count_done(tx, id)?))
        })?;
        if waiting.state == JobState::Done {
            return Ok(waiting);
        }
        let contacts = parse_contacts(id, &stored)?;
        let chosen = JobSlice::select(&waiting, &contacts, from, way);
        let ran = core.write(&Actor::job(), |tx| {
            let job = jobs::get(tx, id)?.or_not_found(Noun::Job, id)?;
            if job.state == JobState::Done {
                return Ok(Some(job));
            }
            // Another caller has run a part meanwhile, so this plan no longer applies.
            if jobs::count_done(tx, id)? != from {
                return Ok(None);
            }
            let part = chosen.apply_slice(core, tx, &job)?;
            record_slice(core, tx, job, part, way.owes).map(Some)
        })?;
        if let Some(job) = ran {
            return Ok(job);
        }
    }
}

/// Records the callback of a job as owed before the job begins, with the totals that it would have now. The callback
/// thus reports data that is not visible yet. The job still waits, and owes no second callback when it ends.
pub fn announce_callback(core: &Core, id: i64, way: &JobOptions) -> Result<Job> {
    let (waiting, stored) = core.read(|tx| jobs::read_submitted(tx, id)?.or_not_found(Noun::Job, id))?;
    let contacts = parse_contacts(id, &stored)?;
    let chosen = JobSlice::select(&waiting, &contacts, 0, &JobOptions { most: None, ..way.clone() });
    let mut totals = None;
    let rehearsed = core.write(&Actor::job(), |tx| {
        totals = Some(chosen.apply_slice(core, tx, &waiting)?.totals);
        // The error rolls back everything that was written.
        Err::<(), _>(Error::conflict("a rehearsal"))
    });
    let (Some(totals), Err(_)) = (totals, &rehearsed) else {
        return rehearsed.and_then(|()| Err(Error::conflict(format!("Job {id} could not be rehearsed."))));
    };
    core.write(&Actor::job(), |tx| {
        let job = jobs::get(tx, id)?.or_not_found(Noun::Job, id)?;
        if job.state == JobState::Done || jobs::count_done(tx, id)? > 0 || callbacks::find_by_job(tx, id)?.is_some() {
            return Ok(job);
        }
        let now = core.ctx().now();
        jobs::set_progress(tx, id, totals, Some(now))?;
        tx.log_change(ChangeLogEntry::single(Noun::Job, ChangeAction::Updated, id));
        let job = Job { totals, finished_at: Some(now), ..job };
        owe_callback(tx, &job, way.owes, core.ctx().due_now())?;
        Ok(job)
    })
}

pub(super) fn parse_contacts(id: i64, contacts: &[u8]) -> Result<Vec<ValidContact<'_>>> {
    // The contacts are removed when the job is done.
    if contacts.is_empty() {
        return Ok(Vec::new());
    }
    payload::read(contacts)
        .map_err(|error| Error::conflict(format!("The contacts of job {id} cannot be read: {error}")))
}

/// The part of a job that runs in one transaction.
struct JobSlice<'a> {
    plan: JobPlan<'a>,
    /// Whether each contact fails on purpose.
    fails: Vec<bool>,
    from: u32,
    is_last: bool,
}

impl<'a> JobSlice<'a> {
    fn select(job: &Job, contacts: &'a [ValidContact<'a>], from: u32, way: &JobOptions) -> Self {
        let begins = (from as usize).min(contacts.len());
        let most = way.most.map_or(usize::MAX, |most| most as usize);
        let ends = begins.saturating_add(most).min(contacts.len());
        let fails: Vec<bool> =
            (begins..ends).map(|place| way.fails.includes_contact(place, &contacts[place])).collect();
        let spared =
            contacts[begins..ends].iter().zip(&fails).filter(|(_, fails)| !**fails).map(|(contact, _)| contact);
        Self { plan: JobPlan::from_contacts(job.merge_type, spared), fails, from, is_last: ends == contacts.len() }
    }

    fn apply_slice(&self, core: &Core, tx: &WriteTx, job: &Job) -> Result<SliceResult> {
        let (mut totals, outcomes) = match lists::row_of(tx, &job.list_id)? {
            Some(row) => apply_plan(core, tx, job, row, &self.plan)?,
            None => fail_all(self.plan.members.len()),
        };
        let mut spared = outcomes.into_iter();
        let outcomes = self.fails.iter().filter_map(|fails| match fails {
            true => Some(FAILED),
            false => spared.next(),
        });
        let outcomes: Vec<_> = outcomes.collect();
        totals.failed += self.fails.iter().filter(|fails| **fails).count() as u32;
        Ok(SliceResult { from: self.from, totals, outcomes, is_last: self.is_last })
    }
}

/// The result of a part of a job.
struct SliceResult {
    from: u32,
    totals: JobTotals,
    outcomes: Vec<OutcomeRow>,
    is_last: bool,
}

/// Records the result of a part. The last part ends the job and records its callback as owed.
fn record_slice(core: &Core, tx: &WriteTx, job: Job, part: SliceResult, owes: CallbackTiming) -> Result<Job> {
    let totals = match part.from {
        // An announcement may already have set totals, which must not be counted twice.
        0 => part.totals,
        _ => JobTotals {
            imported: job.totals.imported + part.totals.imported,
            merged: job.totals.merged + part.totals.merged,
            skipped: job.totals.skipped + part.totals.skipped,
            failed: job.totals.failed + part.totals.failed,
        },
    };
    jobs::add_outcomes(tx, job.id, part.from, &part.outcomes)?;
    tx.log_change(ChangeLogEntry::single(Noun::Job, ChangeAction::Updated, job.id));
    if !part.is_last {
        jobs::set_progress(tx, job.id, totals, job.finished_at)?;
        return Ok(Job { totals, ..job });
    }
    let now = core.ctx().now();
    let ended = job.finished_at.unwrap_or(now);
    jobs::finish_job(tx, job.id, totals, ended)?;
    let job = Job { state: JobState::Done, totals, finished_at: Some(ended), ..job };
    owe_callback(tx, &job, owes, core.ctx().due_now())?;
    Ok(job)
}

/// Records a job's callback as owed, if the job has one and it is not owed yet.
fn owe_callback(tx: &WriteTx, job: &Job, owes: CallbackTiming, now: DueTime) -> Result<()> {
    if job.callback_url.is_some()
        && let Some(at) = owes.earliest_time(now)
        && callbacks::find_by_job(tx, job.id)?.is_none()
    {
        let callback = callbacks::insert(tx, job.id, at)?;
        tx.log_change(ChangeLogEntry::single(Noun::Callback, ChangeAction::Created, callback));
    }
    Ok(())
}

const FAILED: OutcomeRow = OutcomeRow { outcome: JobContactOutcome::Failed, contact: None };

fn fail_all(contacts: usize) -> (JobTotals, Vec<OutcomeRow>) {
    (JobTotals { failed: contacts as u32, ..JobTotals::default() }, vec![FAILED; contacts])
}

fn apply_plan(
    core: &Core,
    tx: &WriteTx,
    job: &Job,
    list: lists::ListRow,
    plan: &JobPlan,
) -> Result<(JobTotals, Vec<OutcomeRow>)> {
    let now = core.ctx().now();
    let custom = custom_fields::defined_numbers(tx)?;
    let records = plan.records.iter().map(|record| StagedContact {
        contact: &record.contact,
        uid: ContactId::new(core.ctx().ksuid(now)),
        is_merged_into: record.followers > 0 && plan.merges,
    });
    let batch = ContactBatch::stage(tx, list, &custom, records)?;
    let mut touched = 0;
    if let Some(key) = plan.key {
        batch.find_matches(key)?;
        if plan.merges {
            touched = batch.merge(key, now)?;
        }
    }
    let inserted = batch.insert_unmatched(now)?;
    if inserted + touched > 0 {
        batch.touch_list(now, inserted)?;
        tx.log_change(ChangeLogEntry::single(Noun::List, ChangeAction::Updated, &job.list_id));
    }
    for (action, count) in [(ChangeAction::Created, inserted), (ChangeAction::Updated, touched)] {
        if count > 0 {
            tx.log_change(ChangeLogEntry::many(Noun::Contact, action, &job.list_id, count as u64));
        }
    }
    Ok(count_outcomes(plan, &batch.finish_batch()?))
}

/// Returns the outcome of each submitted contact, which follows from where its record was placed.
fn count_outcomes(plan: &JobPlan, placed: &[BatchPlacement]) -> (JobTotals, Vec<OutcomeRow>) {
    let mut totals = JobTotals::default();
    let outcomes = plan
        .members
        .iter()
        .map(|member| {
            let BatchPlacement { matches, contact } = placed[member.record];
            let is_new = matches == 0 && member.is_first;
            let outcome = match (is_new, plan.merges) {
                (true, _) => JobContactOutcome::Imported,
                (false, true) => JobContactOutcome::Merged,
                (false, false) => JobContactOutcome::Skipped,
            };
            match outcome {
                JobContactOutcome::Imported => totals.imported += 1,
                JobContactOutcome::Merged => totals.merged += matches.max(1),
                JobContactOutcome::Skipped => totals.skipped += 1,
                JobContactOutcome::Failed => totals.failed += 1,
            }
            OutcomeRow { outcome, contact: (outcome != JobContactOutcome::Skipped).then_some(contact) }
        })
        .collect();
    (totals, outcomes)
}
