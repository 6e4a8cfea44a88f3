//! Lists contact jobs, runs, pauses and ends them, and changes their policy.

use roost_model::{job, time::Timestamp};
use roost_ops::{
    Core, Error,
    job::{self as act, CallbackTiming, JobOptions},
};
use roost_wire::paging::{Paged, Paging};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    super::{refused::Refused, route::Asked},
    origin::{Cause, causes},
};
use crate::{
    door::Visit,
    work::{JobPolicy, JobWhat, job_due, job_ended, queued, run_job},
    world::World,
};

#[derive(Serialize, JsonSchema)]
pub struct Job {
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
    request: Option<Cause>,
    totals: Totals,
    #[schemars(extend("format" = "date-time"))]
    queued_at: String,
    #[schemars(extend("format" = "date-time"))]
    finished_at: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct Totals {
    imported: u32,
    merged: u32,
    skipped: u32,
    failed: u32,
}

fn shown(world: &World, core: &Core, job: job::Job, request: Option<Cause>) -> Result<Job, Error> {
    let desk = world.pump.job_desk();
    let is_waiting = job.state == job::JobState::Queued;
    let job::JobTotals { imported, merged, skipped, failed } = job.totals;
    let done = act::count_done(core, job.id)?;
    if is_waiting && !desk.is_plain() {
        // The due time of the next part follows from the part that was just read.
        desk.moments().settle();
    }
    Ok(Job {
        id: job.id,
        done,
        held: is_waiting && desk.is_held(&queued(&job)),
        paused: is_waiting && desk.is_paused(job.id),
        next_at: is_waiting.then(|| job_due(world, &queued(&job), core.ctx().now())).flatten().map(Timestamp::to_iso),
        fault: desk.fault(job.id).map(|fault| fault.as_str()),
        callback_id: act::read_details(core, job.id)?.callback.map(|(callback, _)| callback.id),
        list_id: job.list_id.to_string(),
        list_name: job.list_name,
        merge_type: job.merge_type.as_str(),
        callback_url: job.callback_url,
        correlation_id: job.correlation_id,
        contacts: job.contacts,
        state: job.state.as_str(),
        request,
        totals: Totals { imported, merged, skipped, failed },
        queued_at: job.queued_at.to_iso(),
        finished_at: job.finished_at.map(|at| at.to_iso()),
    })
}

pub(super) fn id(asked: &Asked) -> Result<i64, Refused> {
    asked.parameter().parse().map_err(|_| Refused::invalid("A job is identified by its number."))
}

pub fn list(visit: &Visit, asked: &Asked) -> Result<Paged<Job>, Refused> {
    let (page, core, world) = (asked.page()?, visit.core(), visit.world());
    let found = act::read_page(&core, page)?;
    let mut causes = causes(world, found.items.iter().map(|job| job.id));
    let items = found.items.into_iter().map(|job| {
        let cause = causes.remove(&job.id);
        shown(world, &core, job, cause)
    });
    let items = items.collect::<Result<_, _>>()?;
    Ok(Paged { paging: Paging::for_page(page, found.total_items), items })
}

pub fn get(visit: &Visit, asked: &Asked) -> Result<Job, Refused> {
    let (core, world) = (visit.core(), visit.world());
    let job = act::get(&core, id(asked)?)?;
    let cause = causes(world, [job.id]).remove(&job.id);
    Ok(shown(world, &core, job, cause)?)
}

/// Returns the job if it still waits; otherwise refuses.
fn waiting(visit: &Visit, asked: &Asked) -> Result<job::Job, Refused> {
    let job = act::get(&visit.core(), id(asked)?)?;
    match job.state {
        job::JobState::Queued => Ok(job),
        job::JobState::Done => Err(Refused::conflict(
            "conflict",
            format!("Job {} is done.", job.id),
            "Choose a job that is still \
             waiting: GET /__admin/jobs.",
        )),
    }
}

fn ran(visit: &Visit, asked: &Asked, change: impl FnOnce(&mut JobOptions)) -> Result<Job, Refused> {
    let (job, world) = (waiting(visit, asked)?, visit.world());
    let mut way = world.pump.job_desk().way(&queued(&job), &world.pump.desk().policy());
    change(&mut way);
    run_job(world, &visit.core(), job.id, &way)?;
    get(visit, asked)
}

/// Runs a job to its end now.
pub fn run(visit: &Visit, asked: &Asked) -> Result<Job, Refused> {
    ran(visit, asked, |_| {})
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "JobStep")]
pub struct Step {
    /// How many contacts to process. Default 1.
    #[serde(default = "one")]
    contacts: u32,
}

fn one() -> u32 {
    1
}

/// Runs a part of a job; the rest keeps waiting.
pub fn step(visit: &Visit, asked: &Asked, step: Step) -> Result<Job, Refused> {
    if step.contacts == 0 {
        return Err(Refused::invalid("contacts: expected at least 1."));
    }
    ran(visit, asked, |way| way.most = Some(step.contacts))
}

fn paused(visit: &Visit, asked: &Asked, is_paused: bool) -> Result<(), Refused> {
    let (world, job) = (visit.world(), waiting(visit, asked)?);
    let desk = world.pump.job_desk();
    if desk.pause(job.id, is_paused) {
        let what = if is_paused { JobWhat::Paused } else { JobWhat::Resumed };
        desk.moments().note(world.flight.epoch(), job.id, what, visit.core().ctx().now());
    }
    Ok(())
}

pub fn pause(visit: &Visit, asked: &Asked) -> Result<Job, Refused> {
    paused(visit, asked, true)?;
    get(visit, asked)
}

pub fn resume(visit: &Visit, asked: &Asked) -> Result<Job, Refused> {
    paused(visit, asked, false)?;
    visit.world().look_for_jobs();
    get(visit, asked)
}

fn ended(visit: &Visit, asked: &Asked, owes: CallbackTiming, what: JobWhat) -> Result<Job, Refused> {
    let (core, world, id) = (visit.core(), visit.world(), waiting(visit, asked)?.id);
    let (began, epoch, moments) = (core.ctx().now(), world.flight.epoch(), world.pump.job_desk().moments());
    let at_work = moments.at_work();
    let first = act::count_done(&core, id)?;
    let job = act::fail_job(&core, id, owes)?;
    moments.ran(epoch, id, what, began, (first, job.contacts));
    drop(at_work);
    job_ended(world, &core, &job);
    get(visit, asked)
}

/// Ends a job so that its remaining contacts fail. Its callback is owed according to the policy.
pub fn fail(visit: &Visit, asked: &Asked) -> Result<Job, Refused> {
    let owes = visit.world().pump.desk().policy().owes(id(asked)?);
    ended(visit, asked, owes, JobWhat::Failed)
}

/// Ends a job so that its remaining contacts are lost. No callback is owed.
pub fn drop_it(visit: &Visit, asked: &Asked) -> Result<Job, Refused> {
    ended(visit, asked, CallbackTiming::Never, JobWhat::Dropped)
}

pub fn policy(visit: &Visit, _: &Asked) -> Result<JobPolicy, Refused> {
    Ok((*visit.world().pump.job_desk().policy()).clone())
}

pub fn put_policy(visit: &Visit, asked: &Asked, policy: JobPolicy) -> Result<JobPolicy, Refused> {
    policy.check().map_err(Refused::invalid)?;
    let world = visit.world();
    world.pump.job_desk().set_policy(policy);
    world.look_for_jobs();
    self::policy(visit, asked)
}
