//! Contact jobs: queued with the request, run one after the other, their callback owed in the same transaction.

mod payload;
mod plan;

use roost_model::{
    contact::{MergeType, SettledContact},
    id::{ContactId, ListId},
    job::{Job, JobState, JobTotals, Outcome},
    page::{Page, PageRequest},
};
use roost_store::{
    change_log::{Action, Change, Noun},
    tables::{
        batch::{Batch, Placed, Staged},
        callbacks, custom_fields,
        jobs::{self, OutcomeRow},
        lists,
    },
    tx::WriteTx,
};

pub use roost_store::tables::jobs::ContactOutcome;

use self::plan::Plan;
use crate::{
    core::{By, Core},
    error::{Error, OrNotFound, Result},
};

/// A request to create or update contacts, checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewJob<'a> {
    pub list: ListId,
    pub merge_type: MergeType,
    pub callback_url: Option<&'a str>,
    pub correlation_id: Option<&'a str>,
    pub contacts: Vec<SettledContact<'a>>,
}

/// Queues a job; nothing of it is visible in the list yet.
pub fn enqueue(core: &Core, by: &By, new: NewJob) -> Result<Job> {
    let contacts = payload::write(&new.contacts);
    core.write(by, |tx| {
        let list = lists::get(tx, &new.list)?.or_not_found(Noun::List, &new.list)?;
        let mut job = Job {
            id: 0,
            list_id: list.uid,
            list_name: list.name,
            merge_type: new.merge_type,
            callback_url: new.callback_url.map(str::to_owned),
            correlation_id: new.correlation_id.map(str::to_owned),
            contacts: new.contacts.len() as u32,
            state: JobState::Queued,
            totals: JobTotals::default(),
            queued_at: core.ctx().now(),
            finished_at: None,
        };
        job.id = jobs::insert(tx, &job, &contacts)?;
        tx.log(Change::one(Noun::Job, Action::Created, job.id));
        Ok(job)
    })
}

/// Runs the oldest waiting job to its end. Its contacts, its outcomes and the callback it owes are one commit.
pub fn run_next(core: &Core) -> Result<Option<Job>> {
    let Some((job, contacts)) = core.read(|tx| Ok(jobs::next_queued(tx)?))? else { return Ok(None) };
    let contacts = payload::read(&contacts)
        .map_err(|error| Error::conflict(format!("The contacts of job {} cannot be read: {error}", job.id)))?;
    let plan = Plan::of(job.merge_type, &contacts);
    core.write(&By::job(), |tx| {
        let mut job = jobs::get(tx, job.id)?.or_not_found(Noun::Job, job.id)?;
        if job.state == JobState::Done {
            return Ok(Some(job));
        }
        let now = core.ctx().now();
        let (totals, outcomes) = match lists::row_of(tx, &job.list_id)? {
            Some(row) => apply(core, tx, &job, row, &plan)?,
            None => fail_all(contacts.len()),
        };
        jobs::finish(tx, job.id, totals, now, &outcomes)?;
        tx.log(Change::one(Noun::Job, Action::Updated, job.id));
        if job.callback_url.is_some() {
            let callback = callbacks::insert(tx, job.id, now)?;
            tx.log(Change::one(Noun::Callback, Action::Created, callback));
        }
        job.state = JobState::Done;
        job.totals = totals;
        job.finished_at = Some(now);
        Ok(Some(job))
    })
}

fn fail_all(contacts: usize) -> (JobTotals, Vec<OutcomeRow>) {
    let outcomes = vec![OutcomeRow { outcome: Outcome::Failed, contact: None }; contacts];
    (JobTotals { failed: contacts as u32, ..JobTotals::default() }, outcomes)
}

fn apply(
    core: &Core,
    tx: &WriteTx,
    job: &Job,
    list: lists::ListRow,
    plan: &Plan,
) -> Result<(JobTotals, Vec<OutcomeRow>)> {
    let now = core.ctx().now();
    let custom = custom_fields::numbers(tx)?;
    let records = plan.records.iter().map(|record| Staged {
        contact: &record.contact,
        uid: ContactId::new(core.ctx().ksuid(now)),
        is_merged_into: record.followers > 0 && plan.merges,
    });
    let batch = Batch::stage(tx, list, &custom, records)?;
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
        tx.log(Change::one(Noun::List, Action::Updated, &job.list_id));
    }
    for (action, count) in [(Action::Created, inserted), (Action::Updated, touched)] {
        if count > 0 {
            tx.log(Change::many(Noun::Contact, action, &job.list_id, count as u64));
        }
    }
    Ok(tell(plan, &batch.finish()?))
}

/// What became of each submitted contact, from where its record ended up.
fn tell(plan: &Plan, placed: &[Placed]) -> (JobTotals, Vec<OutcomeRow>) {
    let mut totals = JobTotals::default();
    let outcomes = plan
        .members
        .iter()
        .map(|member| {
            let Placed { matches, contact } = placed[member.record];
            let is_new = matches == 0 && member.is_first;
            let outcome = match (is_new, plan.merges) {
                (true, _) => Outcome::Imported,
                (false, true) => Outcome::Merged,
                (false, false) => Outcome::Skipped,
            };
            match outcome {
                Outcome::Imported => totals.imported += 1,
                Outcome::Merged => totals.merged += matches.max(1),
                Outcome::Skipped => totals.skipped += 1,
                Outcome::Failed => totals.failed += 1,
            }
            OutcomeRow { outcome, contact: (outcome != Outcome::Skipped).then_some(contact) }
        })
        .collect();
    (totals, outcomes)
}

/// Newest first.
pub fn page(core: &Core, page: PageRequest) -> Result<Page<Job>> {
    core.read(|tx| Ok(jobs::page(tx, page)?))
}

pub fn get(core: &Core, id: i64) -> Result<Job> {
    core.read(|tx| jobs::get(tx, id)?.or_not_found(Noun::Job, id))
}

/// What became of each contact of a job, in the order they were submitted.
pub fn outcomes(core: &Core, id: i64) -> Result<Vec<ContactOutcome>> {
    core.read(|tx| {
        jobs::get(tx, id)?.or_not_found(Noun::Job, id)?;
        Ok(jobs::outcomes(tx, id)?)
    })
}
