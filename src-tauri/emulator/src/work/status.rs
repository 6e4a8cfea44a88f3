//! The status of a world's work: whether anything is still to come, and for each job or callback that waits, why and
//! what helps.

use roost_model::{page::PageRequest, time::DueTime};
use roost_ops::{
    Core, Error,
    callback::{self, Callback, CallbackCounts, CallbackFilter, CallbackState},
    job,
};

use super::jobs;
use crate::world::{JobHold, UnfinishedWork, WorkKind, World};

/// The waiting jobs and the callbacks, of one correlation ID or of all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct WorkStatus {
    /// Jobs that will run without the operator.
    pub jobs: u64,
    /// Jobs that wait for the operator.
    pub jobs_held: u64,
    pub callbacks: CallbackCounts,
    /// Whether an attempt is under way.
    pub under_way: bool,
    /// Whether a job has this correlation ID.
    pub is_known: bool,
    /// Work that is not done, up to a limit: jobs first, oldest first of each kind.
    pub unfinished: Vec<UnfinishedWork>,
}

/// The most jobs and the most callbacks that are listed.
const LISTED_MAX: usize = 100;
const ADVANCE_HINT: &str = "Move the clock: POST /__admin/clock/advance with {\"until\":\"idle\"} or {\"by\":\"1m\"}.";

impl WorkStatus {
    pub(crate) fn is_settled(&self) -> bool {
        self.is_known && self.jobs == 0 && self.jobs_held == 0 && self.callbacks.waiting == 0 && !self.under_way
    }

    /// Whether waiting is pointless: everything that is not done waits for the operator.
    pub(crate) fn is_stuck(&self) -> bool {
        let mut open = self.unfinished.iter().filter(|work| !work.is_kept_back).peekable();
        self.is_known && !self.under_way && open.peek().is_some() && open.all(|work| work.hint.is_some())
    }
}

pub(crate) fn read_work_status(world: &World, core: &Core, correlation_id: Option<&str>) -> Result<WorkStatus, Error> {
    // Read in the order in which a job proceeds (known, waiting, callback waiting, attempt under way), so that none is
    // missed. Whatever ends after the first read is noticed through the watch.
    let is_known = correlation_id.map_or(Ok(true), |id| job::has_correlation_id(core, id))?;
    let queued = job::read_queued(core, u32::MAX)?;
    let is_selected = |job: &&job::QueuedJob| correlation_id.is_none_or(|id| job.correlation_id.as_deref() == Some(id));
    let (held, jobs): (Vec<_>, Vec<_>) =
        queued.iter().filter(is_selected).partition(|job| world.work.job_tracker().is_held(job));
    let unfinished = held.iter().chain(&jobs).take(LISTED_MAX).map(|job| describe_job(world, core, job));
    let mut unfinished = unfinished.collect::<Result<Vec<UnfinishedWork>, _>>()?;
    unfinished.sort_by_key(|work| work.id);
    let callbacks = callback::count_by_state(core, correlation_id)?;
    let mut found = Vec::new();
    if callbacks.waiting + callbacks.held > 0 {
        let wanted = CallbackFilter {
            state: Some(CallbackState::Waiting),
            is_held: None,
            correlation_id: correlation_id.map(str::to_owned),
        };
        let first = PageRequest { number: 1, size: LISTED_MAX as u32 };
        found = callback::find_callbacks(core, &wanted, first)?.items;
    }
    let is_anything_under_way = world.work.callback_tracker().is_anything_under_way();
    let under_way = correlation_id.is_none() && is_anything_under_way;
    unfinished.extend(
        found.iter().rev().map(|(callback, _)| describe_callback(world, core, callback, is_anything_under_way)),
    );
    Ok(WorkStatus { jobs: jobs.len() as u64, jobs_held: held.len() as u64, callbacks, under_way, is_known, unfinished })
}

fn describe_job(world: &World, core: &Core, queued: &job::QueuedJob) -> Result<UnfinishedWork, Error> {
    let now = core.ctx().due_now();
    let (why, hint) = match world.work.job_tracker().held_by(queued) {
        Some(JobHold::Paused) => (
            "it is paused".to_owned(),
            Some("Resume it with POST /__admin/jobs/{job_id}/resume, or run it with …/run."),
        ),
        Some(JobHold::Fault) => (
            "the fault never_finish holds it".to_owned(),
            Some(
                "Run it with POST /__admin/jobs/{job_id}/run, or fail \
             it with …/fail.",
            ),
        ),
        Some(JobHold::Hand) => {
            let hint = "Run it with POST /__admin/jobs/{job_id}/run, or change progress with PUT /__admin/job_policy.";
            ("the job policy waits for it to be run by hand".to_owned(), Some(hint))
        }
        Some(JobHold::Polls) => {
            let hint = "Query the contacts of its list, or run it with POST /__admin/jobs/{job_id}/run.";
            ("it waits for more queries of its list's contacts".to_owned(), Some(hint))
        }
        None => match jobs::job_due(world, core, queued)? {
            Some(at) if at > now => describe_due_later(world, at),
            Some(_) => ("it is about to run".to_owned(), None),
            None => {
                let hint = "Release its callback with POST /__admin/release_callbacks, or run it with POST \
                     /__admin/jobs/{job_id}/run.";
                ("it is waiting for its callback, which is held".to_owned(), Some(hint))
            }
        },
    };
    Ok(UnfinishedWork { what: WorkKind::Job, id: queued.id, why, hint, is_kept_back: false })
}

fn describe_callback(world: &World, core: &Core, callback: &Callback, is_anything_under_way: bool) -> UnfinishedWork {
    let (why, hint) = match callback.next_at {
        None => {
            let hint = "Release it with POST /__admin/callbacks/{callback_id}/release, or all with POST \
                 /__admin/release_callbacks.";
            ("it is held until it is released".to_owned(), Some(hint))
        }
        Some(at) if at > core.ctx().due_now() && !is_anything_under_way => describe_due_later(world, at),
        Some(at) if at > core.ctx().due_now() => (format!("it is due at {}", at.to_iso()), None),
        Some(_) => ("it is about to be sent".to_owned(), None),
    };
    UnfinishedWork { what: WorkKind::Callback, id: callback.id, why, hint, is_kept_back: callback.is_held() }
}

fn describe_due_later(world: &World, at: DueTime) -> (String, Option<&'static str>) {
    match world.core.ctx().clock().is_frozen() {
        true => {
            let now = world.core.ctx().due_now().to_iso();
            (format!("it is due at {}, and the clock is frozen at {now}", at.to_iso()), Some(ADVANCE_HINT))
        }
        false => (format!("it is due at {}", at.to_iso()), None),
    }
}
