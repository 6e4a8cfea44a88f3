//! Finds what a recorded request caused: changed rows, a job, its callbacks. From a callback it finds the request that
//! caused it.

use roost_emulator::{Direction, Exchange, Journal};
use roost_model::{
    job::Job,
    page::PageRequest,
    time::{DueTime, Timestamp},
};
use roost_ops::{
    Core, Noun,
    callback::{CallbackAttempt, CallbackState},
    history::{self, ChangeLogEntry, RecordChange, StepQuery, TimelineEntry},
    job::{self, JobDetails},
};
use serde::Serialize;

use super::journal::RequestLine;
use crate::{accounts::App, error::CommandError, local_server::DEFAULT_WORLD};

#[derive(Debug, Default, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct RequestEffects {
    /// The changes, in the order in which they were written.
    pub changes: Vec<RequestChange>,
    /// The job that the request queued. For a callback, the job that it reports.
    pub job: Option<RequestJob>,
    /// Recorded callback attempts of that job, oldest first.
    pub callbacks: Vec<RequestLine>,
    /// For a callback, the request that queued its job.
    pub cause: Option<RequestLine>,
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct RequestChange {
    pub change: ChangeLogEntry,
    /// The name of the record that changed.
    pub subject: Option<String>,
    /// The changed fields, if it was one record and its change is still stored.
    pub event: Option<RecordChange>,
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct RequestJob {
    pub job: Job,
    /// Null if no callback is owed, or none yet.
    pub callback: Option<CallbackState>,
    pub next_at: Option<Timestamp>,
    pub tries: Vec<CallbackAttempt>,
}

/// The maximum number of callbacks that are listed for one job.
const CALLBACKS_MOST: usize = 100;

pub(crate) fn find_effects(
    app: &App,
    world: &str,
    journal: &Journal,
    line: &Exchange,
) -> Result<RequestEffects, CommandError> {
    let seen = app.server().worlds().into_iter().find(|seen| seen.id == world).map(|seen| seen.core);
    // Without a running server, the effects can still be read from the account.
    let Some(core) = seen.or_else(|| (world == DEFAULT_WORLD).then(|| app.core().ok()).flatten()) else {
        return Ok(RequestEffects::default());
    };
    let steps: Vec<_> = match line.direction {
        Direction::In => journal.steps_of_request(line.number),
        Direction::Out => Vec::new(),
    };
    let mut changes = Vec::new();
    for step in steps {
        let Some(TimelineEntry { changes: recorded, step: entry }) = history::read_timeline_entry(&core, step)? else {
            continue;
        };
        for change in recorded {
            let event = match (&change.uid, change.noun) {
                (None, _) | (_, Noun::Job | Noun::Callback) => None,
                (Some(uid), noun) => {
                    history::read_record_history(&core, noun, uid)?.into_iter().find(|one| one.step == step)
                }
            };
            changes.push(RequestChange { subject: entry.subject.clone(), change, event });
        }
    }
    let queued = changes.iter().find(|change| change.change.noun == Noun::Job);
    let queued = queued.and_then(|change| change.change.uid.as_deref()?.parse().ok());
    let job = match line.job.or(queued) {
        None => None,
        Some(id) => Some(read_job(&core, id)?),
    };
    let of_job =
        |id| journal.read_page(None, CALLBACKS_MOST, |line| line.direction == Direction::Out && line.job == Some(id));
    let mut callbacks = job.as_ref().map(|job| of_job(job.job.id).lines).unwrap_or_default();
    callbacks.reverse();
    Ok(RequestEffects {
        cause: match line.job {
            None => None,
            Some(id) => find_cause(&core, journal, id)?.map(|line| RequestLine::from_exchange(world, &line)),
        },
        changes,
        job,
        callbacks: callbacks.iter().map(|line| RequestLine::from_exchange(world, line)).collect(),
    })
}

fn read_job(core: &Core, id: i64) -> Result<RequestJob, CommandError> {
    let JobDetails { job, callback } = job::read_details(core, id)?;
    let (state, next_at) = callback.as_ref().map(|(callback, _)| (callback.state, callback.next_at)).unzip();
    let tries = callback.map(|(_, tries)| tries).unwrap_or_default();
    Ok(RequestJob { job, callback: state, next_at: next_at.flatten().map(DueTime::to_second), tries })
}

/// Returns the request that queued a job.
fn find_cause(core: &Core, journal: &Journal, job: i64) -> Result<Option<std::sync::Arc<Exchange>>, CommandError> {
    let query = StepQuery { noun: Some(Noun::Job), uid: Some(job.to_string()), ..StepQuery::default() };
    let steps = history::read_timeline(core, &query, PageRequest { number: 1, size: 10 })?;
    let number = steps.items.iter().find_map(|entry| journal.request_of_step(entry.step.id));
    let is_it = |line: &Exchange| line.direction == Direction::In && Some(line.number) == number;
    Ok(number.and_then(|_| journal.read_page(None, 1, is_it).lines.pop()))
}
