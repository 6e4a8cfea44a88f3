//! Lists contact jobs, runs, pauses and ends them, and changes their policy.

use roost_model::{job, time::DueTime};
use roost_ops::{
    Core, Error,
    job::{self as act, CallbackTiming, JobOptions},
};
use roost_wire::paging::{Paged, Paging};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    super::{error::AdminError, route::AdminRequest},
    origin::{RequestLink, find_causes},
};
use crate::{
    door::WorldVisit,
    work::{decide_faults, finish_job, job_due, run_job, to_queued},
    world::{JobEventKind, JobPolicy, World},
};

#[derive(Serialize, JsonSchema)]
pub(crate) struct Job {
    id: i64,
    list_id: String,
    list_name: String,
    merge_type: &'static str,
    callback_url: Option<String>,
    correlation_id: Option<String>,
    contacts: u32,
    /// Contacts that are done.
    done: u32,
    #[schemars(extend("enum" = ["queued", "done"]))]
    state: &'static str,
    /// Whether the job waits for an action, or for a query of its list.
    held: bool,
    paused: bool,
    /// When it continues by itself, on the world's clock. Null: it does not.
    #[schemars(extend("format" = "date-time"))]
    next_at: Option<String>,
    /// The fault set for it.
    fault: Option<&'static str>,
    /// Null when no callback was requested.
    callback_id: Option<i64>,
    /// The request that created it. Null when that was not recorded or is no longer stored.
    request: Option<RequestLink>,
    totals: OutcomeTotals,
    #[schemars(extend("format" = "date-time"))]
    queued_at: String,
    #[schemars(extend("format" = "date-time"))]
    finished_at: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct OutcomeTotals {
    imported: u32,
    merged: u32,
    skipped: u32,
    failed: u32,
}

fn to_job(world: &World, core: &Core, job: job::Job, request: Option<RequestLink>) -> Result<Job, Error> {
    let tracker = world.work.job_tracker();
    let is_waiting = job.state == job::JobState::Queued;
    let job::JobTotals { imported, merged, skipped, failed } = job.totals;
    let done = act::count_done(core, job.id)?;
    if is_waiting && !tracker.is_plain() {
        // The due time of the next part follows from the part that was just read.
        tracker.events().wait_for_work();
    }
    Ok(Job {
        id: job.id,
        done,
        held: is_waiting && tracker.is_held(&to_queued(&job)),
        paused: is_waiting && tracker.is_paused(job.id),
        next_at: if is_waiting { job_due(world, core, &to_queued(&job))?.map(DueTime::to_iso) } else { None },
        fault: tracker.fault(job.id).map(|fault| fault.as_str()),
        callback_id: act::read_details(core, job.id)?.callback.map(|(callback, _)| callback.id),
        list_id: job.list_id.to_string(),
        list_name: job.list_name,
        merge_type: job.merge_type.as_str(),
        callback_url: job.callback_url,
        correlation_id: job.correlation_id,
        contacts: job.contacts,
        state: job.state.as_str(),
        request,
        totals: OutcomeTotals { imported, merged, skipped, failed },
        queued_at: job.queued_at.to_iso(),
        finished_at: job.finished_at.map(|at| at.to_iso()),
    })
}

pub(super) fn parse_job_id(request: &AdminRequest) -> Result<i64, AdminError> {
    request.first_parameter().parse().map_err(|_| AdminError::invalid("A job is identified by its number."))
}

pub(crate) fn list_jobs(visit: &WorldVisit, request: &AdminRequest) -> Result<Paged<Job>, AdminError> {
    let (page, core, world) = (request.page_request()?, visit.core(), visit.world());
    let found = act::read_page(&core, page)?;
    decide_faults(world, &core)?;
    let mut causes = find_causes(world, found.items.iter().map(|job| job.id));
    let items = found.items.into_iter().map(|job| {
        let cause = causes.remove(&job.id);
        to_job(world, &core, job, cause)
    });
    let items = items.collect::<Result<_, _>>()?;
    Ok(Paged { paging: Paging::for_page(page, found.total_items), items })
}

pub(crate) fn get_job(visit: &WorldVisit, request: &AdminRequest) -> Result<Job, AdminError> {
    let (core, world) = (visit.core(), visit.world());
    let job = act::get(&core, parse_job_id(request)?)?;
    decide_faults(world, &core)?;
    let cause = find_causes(world, [job.id]).remove(&job.id);
    Ok(to_job(world, &core, job, cause)?)
}

/// Returns the job if it still waits; otherwise refuses.
fn find_waiting(visit: &WorldVisit, request: &AdminRequest) -> Result<job::Job, AdminError> {
    let job = act::get(&visit.core(), parse_job_id(request)?)?;
    decide_faults(visit.world(), &visit.core())?;
    match job.state {
        job::JobState::Queued => Ok(job),
        job::JobState::Done => Err(AdminError::conflict(
            "conflict",
            format!("Job {} is done.", job.id),
            "Choose a job that is still \
             waiting: GET /__admin/jobs.",
        )),
    }
}

fn run_with(
    visit: &WorldVisit,
    request: &AdminRequest,
    change: impl FnOnce(&mut JobOptions),
) -> Result<Job, AdminError> {
    let (job, world) = (find_waiting(visit, request)?, visit.world());
    let mut options = world.work.job_tracker().run_options(&to_queued(&job), &world.work.callback_tracker().policy());
    change(&mut options);
    run_job(world, &visit.core(), job.id, &options)?;
    get_job(visit, request)
}

/// Runs a job to its end now.
pub(crate) fn run_to_end(visit: &WorldVisit, request: &AdminRequest) -> Result<Job, AdminError> {
    run_with(visit, request, |_| {})
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "JobStep")]
pub(crate) struct JobStepRequest {
    /// How many contacts to process. Default 1.
    #[serde(default = "default_step")]
    contacts: u32,
}

fn default_step() -> u32 {
    1
}

/// Runs a part of a job; the rest keeps waiting.
pub(crate) fn step_job(visit: &WorldVisit, request: &AdminRequest, step: JobStepRequest) -> Result<Job, AdminError> {
    if step.contacts == 0 {
        return Err(AdminError::invalid("contacts: expected at least 1."));
    }
    run_with(visit, request, |options| options.most = Some(step.contacts))
}

fn set_paused(visit: &WorldVisit, request: &AdminRequest, is_paused: bool) -> Result<(), AdminError> {
    let (world, job) = (visit.world(), find_waiting(visit, request)?);
    let tracker = world.work.job_tracker();
    if tracker.set_paused(job.id, is_paused) {
        let what = if is_paused { JobEventKind::Paused } else { JobEventKind::Resumed };
        tracker.events().record_event(world.epoch.epoch(), job.id, what, visit.core().ctx().now());
    }
    Ok(())
}

pub(crate) fn pause_job(visit: &WorldVisit, request: &AdminRequest) -> Result<Job, AdminError> {
    set_paused(visit, request, true)?;
    get_job(visit, request)
}

pub(crate) fn resume_job(visit: &WorldVisit, request: &AdminRequest) -> Result<Job, AdminError> {
    set_paused(visit, request, false)?;
    // Read first: the job may run at once, before the response or after it.
    let resumed = get_job(visit, request);
    visit.world().recheck_jobs();
    resumed
}

fn end_job(
    visit: &WorldVisit,
    request: &AdminRequest,
    owes: CallbackTiming,
    what: JobEventKind,
) -> Result<Job, AdminError> {
    let (core, world, id) = (visit.core(), visit.world(), find_waiting(visit, request)?.id);
    let (began, epoch, moments) = (core.ctx().now(), world.epoch.epoch(), world.work.job_tracker().events());
    let at_work = moments.begin_work();
    let first = act::count_done(&core, id)?;
    let job = act::fail_job(&core, id, owes)?;
    moments.record_run(epoch, id, what, began, (first, job.contacts));
    drop(at_work);
    finish_job(world, &core, epoch, &job);
    get_job(visit, request)
}

/// Ends a job so that its remaining contacts fail. Its callback is owed according to the policy.
pub(crate) fn fail_job(visit: &WorldVisit, request: &AdminRequest) -> Result<Job, AdminError> {
    let owes = visit.world().work.callback_tracker().policy().owed_for(parse_job_id(request)?);
    end_job(visit, request, owes, JobEventKind::Failed)
}

/// Ends a job so that its remaining contacts are lost. No callback is owed.
pub(crate) fn drop_job(visit: &WorldVisit, request: &AdminRequest) -> Result<Job, AdminError> {
    end_job(visit, request, CallbackTiming::Never, JobEventKind::Dropped)
}

pub(crate) fn get_policy(visit: &WorldVisit, _: &AdminRequest) -> Result<JobPolicy, AdminError> {
    Ok((*visit.world().work.job_tracker().policy()).clone())
}

pub(crate) fn put_policy(
    visit: &WorldVisit,
    request: &AdminRequest,
    policy: JobPolicy,
) -> Result<JobPolicy, AdminError> {
    policy.check().map_err(AdminError::invalid)?;
    for name in policy.idle_fields() {
        request.warn_of_idle(name, &format!("while progress is {}", policy.progress.as_str()));
    }
    let world = visit.world();
    // The jobs that wait already are not those of the next policy.
    decide_faults(world, &visit.core())?;
    world.work.job_tracker().set_policy(policy);
    world.recheck_jobs();
    self::get_policy(visit, request)
}

#[cfg(test)]
mod tests {
    use roost_model::contact::{MergeType, ValidContact};
    use roost_ops::{Actor, list};

    use super::*;
    use crate::{door::CalledAt, faults::JobFault, work::empty_world, world::WorldPass};

    fn request_for(parameter: Option<i64>) -> AdminRequest {
        AdminRequest {
            parameters: parameter.iter().map(ToString::to_string).collect(),
            query: String::new(),
            body: Default::default(),
            last_event_id: None,
            called_at: CalledAt::default(),
            warnings: Default::default(),
        }
    }

    #[tokio::test]
    async fn a_fault_meets_the_job_that_was_queued_first_whichever_is_looked_at() {
        for looked_at in [None, Some(2)] {
            // No worker runs in this world.
            let (_stop, world) = empty_world();
            let list = list::create(&world.core, &Actor::interface(), "VIP", list::UniqueNames::Off).expect("a list");
            for _ in 0..2 {
                let new = act::NewJob {
                    list: list.uid.clone(),
                    merge_type: MergeType::SkipDuplicates,
                    callback_url: None,
                    correlation_id: None,
                    contacts: vec![ValidContact::default()],
                };
                act::enqueue(&world.core, &Actor::interface(), new).expect("a job");
            }
            let policy = serde_json::json!({ "progress": "manual", "faults": [{ "fault": "fail", "first": 1 }] });
            world.work.job_tracker().set_policy(serde_json::from_value(policy).expect("a policy"));
            let visit = WorldVisit::for_reading(WorldPass::enter(world.clone()).await);
            match looked_at {
                None => drop(list_jobs(&visit, &request_for(None)).expect("a page")),
                Some(_) => drop(get_job(&visit, &request_for(looked_at)).expect("a job")),
            }
            let faults = [1, 2].map(|id| world.work.job_tracker().fault(id));
            assert_eq!(faults, [Some(JobFault::Fail), None], "{looked_at:?}");
        }
    }
}
