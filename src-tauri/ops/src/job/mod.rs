//! Manages contact jobs. A request queues a job, the jobs run one after the other, and each job's callback is recorded
//! as owed in the same transaction.

pub mod callback;
mod payload;
mod plan;
mod run;

use roost_model::{
    contact::{MergeType, ValidContact},
    id::ListId,
    job::{Job, JobContactOutcome, JobState, JobTotals},
    page::{Page, PageRequest},
};
use roost_store::{
    change_log::{ChangeAction, ChangeLogEntry, Noun},
    tables::{callbacks, jobs, lists},
};

pub use roost_store::tables::jobs::{ContactOutcome, OutcomeItem, QueuedJob};

pub use self::run::{
    CallbackTiming, ForcedFailures, JobOptions, announce_callback, fail_job, give_up, next_waiting, run, run_next,
};
use crate::{
    core::{Actor, Core},
    error::{OrNotFound, Result},
};

/// A checked request to create or update contacts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewJob<'a> {
    pub list: ListId,
    pub merge_type: MergeType,
    pub callback_url: Option<&'a str>,
    pub correlation_id: Option<&'a str>,
    pub contacts: Vec<ValidContact<'a>>,
}

/// Queues a job. The list does not change yet.
pub fn enqueue(core: &Core, by: &Actor, new: NewJob) -> Result<Job> {
    enqueue_then(core, by, new, |_| ())
}

/// Stores a job and calls `record` with its number before anybody else can see the job. If storing fails after that,
/// the number is given to another job.
pub fn enqueue_then(core: &Core, by: &Actor, new: NewJob, record: impl FnOnce(i64)) -> Result<Job> {
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
        tx.log_change(ChangeLogEntry::single(Noun::Job, ChangeAction::Created, job.id));
        record(job.id);
        Ok(job)
    })
}

/// Returns a page of jobs, newest first.
pub fn read_page(core: &Core, page: PageRequest) -> Result<Page<Job>> {
    core.read(|tx| Ok(jobs::read_page(tx, page)?))
}

pub fn get(core: &Core, id: i64) -> Result<Job> {
    core.read(|tx| jobs::get(tx, id)?.or_not_found(Noun::Job, id))
}

/// Returns the waiting jobs, the oldest first.
pub fn read_queued(core: &Core, most: u32) -> Result<Vec<QueuedJob>> {
    core.read(|tx| Ok(jobs::read_queued(tx, most)?))
}

/// Returns the number of the newest job; 0 if there is none.
pub fn last_id(core: &Core) -> Result<i64> {
    core.read(|tx| Ok(jobs::last_id(tx)?))
}

/// Returns whether there is a job with this correlation id.
pub fn has_correlation_id(core: &Core, correlation_id: &str) -> Result<bool> {
    core.read(|tx| Ok(jobs::has_correlation_id(tx, correlation_id)?))
}

/// Returns the numbers of the contacts of a waiting job, in their order.
pub fn read_numbers(core: &Core, id: i64) -> Result<Vec<String>> {
    let (_, stored) = core.read(|tx| jobs::read_submitted(tx, id)?.or_not_found(Noun::Job, id))?;
    let contacts = run::parse_contacts(id, &stored)?;
    let both = contacts.into_iter().flat_map(|contact| [contact.phone, contact.whatsapp]);
    Ok(both.flatten().map(|phone| phone.e164).collect())
}

/// Returns the number of a job's contacts that are processed.
pub fn count_done(core: &Core, id: i64) -> Result<u32> {
    core.read(|tx| Ok(jobs::count_done(tx, id)?))
}

/// Returns the outcome of each contact of a job, in the order of submission.
pub fn read_outcomes(core: &Core, id: i64) -> Result<Vec<ContactOutcome>> {
    core.read(|tx| {
        jobs::get(tx, id)?.or_not_found(Noun::Job, id)?;
        Ok(jobs::read_outcomes(tx, id)?)
    })
}

/// A job with its callback and all attempts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobDetails {
    pub job: Job,
    pub callback: Option<(callbacks::Callback, Vec<callbacks::CallbackAttempt>)>,
}

pub fn read_details(core: &Core, id: i64) -> Result<JobDetails> {
    core.read(|tx| {
        let job = jobs::get(tx, id)?.or_not_found(Noun::Job, id)?;
        Ok(JobDetails { job, callback: callbacks::find_by_job(tx, id)? })
    })
}

/// Returns a page of jobs, newest first, each with the state of its callback.
pub fn read_page_with_callbacks(
    core: &Core,
    page: PageRequest,
) -> Result<Page<(Job, Option<callbacks::CallbackState>)>> {
    core.read(|tx| {
        let found = jobs::read_page(tx, page)?;
        let items = found.items.into_iter().map(|job| {
            let state = callbacks::find_by_job(tx, job.id)?.map(|(callback, _)| callback.state);
            Ok((job, state))
        });
        Ok(Page { items: items.collect::<Result<_>>()?, total_items: found.total_items })
    })
}

/// Returns one page of the outcomes of a job's contacts, in the order of submission.
pub fn read_outcome_page(
    core: &Core,
    id: i64,
    outcome: Option<JobContactOutcome>,
    page: PageRequest,
) -> Result<Page<OutcomeItem>> {
    core.read(|tx| {
        jobs::get(tx, id)?.or_not_found(Noun::Job, id)?;
        Ok(jobs::outcome_page(tx, id, outcome, page)?)
    })
}
