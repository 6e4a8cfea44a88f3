//! The worker that runs the contact jobs of a world one after the other.

mod desk;
mod moments;
mod origin;
mod policy;

use std::{
    collections::HashSet,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
    time::Duration,
};

use roost_model::{
    error::ErrorCode,
    job::{Job, JobState},
    time::Timestamp,
};
use roost_ops::{
    Core, Error,
    callback::CallbackState,
    ctx::IdStream,
    job::{self, JobOptions, QueuedJob},
};
use tokio::time::sleep;

use self::desk::Turn;
pub use self::{
    desk::{HeldBy, JobDesk, JobsState},
    moments::{Moment, What},
    policy::{Fault, Policy, Progress},
};
use super::due::Ran;
use crate::{
    faults::magic_fault,
    world::{Working, World},
};

const FIRST_PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_secs(60);
/// How often a failing job is attempted. After the last attempt it ends with all contacts failed.
const TRIES: u32 = 5;

/// Runs the waiting jobs and ends. After a failure it tries again with a growing pause, up to a limit. New jobs behind
/// a failing one do not use up its attempts.
pub(crate) async fn run_all(world: Arc<World>, _working: Working) {
    let mut failing = Failing::default();
    while !world.is_over() {
        let (core, of) = (world.core.fenced(), world.clone());
        // The queue must not be read before a reset is complete.
        if world.flight.is_shut() {
            world.flight.current().await;
            continue;
        }
        let ran = tokio::task::spawn_blocking(move || {
            let ran = run(&of, &core, &mut failing);
            of.keep();
            (ran, failing)
        });
        let next = match ran.await {
            Ok((next, now)) => {
                failing = now;
                next
            }
            Err(error) if error.is_cancelled() => return,
            // If this task ended here, its signal would stay as if it ran, and no job would run again.
            Err(error) => {
                tracing::error!(%error, "looking for jobs broke off");
                failing = Failing::default();
                Then::Pause(FIRST_PAUSE)
            }
        };
        match next {
            Then::On => {}
            Then::Rest(next) => {
                if let Some(at) = next {
                    world.wake_jobs_at(at);
                }
                if world.pump.jobs().rest() {
                    return;
                }
            }
            Then::Pause(pause) => {
                let epoch = world.flight.epoch();
                tokio::select! {
                    () = world.ground.told_to_stop() => return,
                    () = world.flight.ended(epoch) => failing = Failing::default(),
                    () = sleep(pause) => {}
                }
            }
        }
    }
}

/// What the worker does after it looked at the queue.
enum Then {
    On,
    /// Nothing can run now. The time says when something can.
    Rest(Option<Timestamp>),
    Pause(Duration),
}

/// The next job of a world.
enum Next {
    Run(i64, JobOptions),
    Announce(i64, JobOptions),
    /// Nothing can run before this time; without a time, nothing waits for the clock.
    Rest(Option<Timestamp>),
}

fn next(world: &World, core: &Core) -> Result<Next, Error> {
    let desk = world.pump.job_desk();
    // The policies are read after the queue. So a job that is sent after a policy was set runs by that policy.
    let Some(oldest) = job::next_waiting(core)? else { return Ok(Next::Rest(None)) };
    if desk.is_plain() && !world.faults.options().magic {
        let owes = world.pump.desk().policy().owes(oldest);
        return Ok(Next::Run(oldest, JobOptions { owes, ..JobOptions::default() }));
    }
    let now = core.ctx().now();
    let mut then: Option<Timestamp> = None;
    let queue = job::read_queued(core, u32::MAX)?;
    let (callbacks, knows_magic) = (world.pump.desk().policy(), world.faults.options().magic);
    for queued in queue {
        if knows_magic && desk.is_new(queued.id) {
            let numbers = job::read_numbers(core, queued.id)?;
            desk.meet_first(&queued, numbers.iter().find_map(|number| magic_fault(number)));
        }
        match desk.turn(&queued, &callbacks, now) {
            Turn::Held => {}
            Turn::Run(way) => return Ok(Next::Run(queued.id, way)),
            Turn::Announce(way) => return Ok(Next::Announce(queued.id, way)),
            Turn::AfterCallback(way) if was_tried(core, queued.id)? => return Ok(Next::Run(queued.id, way)),
            // The end of the callback's attempt wakes the worker.
            Turn::AfterCallback(_) => {}
            Turn::At(at) => {
                then = Some(then.map_or(at, |then| then.min(at)));
                if desk.policy().progress == Progress::Rate {
                    // The job has begun, so those behind it wait.
                    break;
                }
            }
        }
    }
    Ok(Next::Rest(then))
}

/// Whether the job has no callback, or its callback was attempted or given up.
fn was_tried(core: &Core, id: i64) -> Result<bool, Error> {
    let told = job::read_details(core, id)?.callback;
    Ok(told.is_none_or(|(callback, attempts)| {
        callback.state != CallbackState::Waiting || attempts.iter().any(|attempt| attempt.finished_at.is_some())
    }))
}

/// Returns when a waiting job proceeds by itself, or None if it does not.
pub(crate) fn due(world: &World, job: &QueuedJob, now: Timestamp) -> Option<Timestamp> {
    match world.pump.job_desk().turn(job, &world.pump.desk().policy(), now) {
        Turn::Run(_) | Turn::Announce(_) => Some(now),
        Turn::At(at) => Some(at),
        Turn::AfterCallback(_) | Turn::Held => None,
    }
}

/// Returns when the next job runs by itself; now, if one can run already.
pub(super) fn next_due(world: &World, core: &Core) -> Result<Option<Timestamp>, Error> {
    Ok(match next(world, core)? {
        Next::Run(..) | Next::Announce(..) => Some(core.ctx().now()),
        Next::Rest(then) => then,
    })
}

/// Runs a job or a part of it.
pub(crate) fn run_job(world: &World, core: &Core, id: i64, way: &JobOptions) -> Result<Job, Error> {
    let desk = world.pump.job_desk();
    if desk.fault(id) == Some(Fault::FinishTwice) {
        world.pump.desk().set_twice(id);
    }
    // Read before the part is stored, because a caller who sees it may move the clock.
    let (began, epoch) = (core.ctx().now(), world.flight.epoch());
    let at_work = desk.moments().at_work();
    let first = job::count_done(core, id)?;
    let job = job::run(&core.with_id_stream(IdStream::Job { id, first }), id, way)?;
    let done = if job.state == JobState::Done { job.contacts } else { job::count_done(core, id)? };
    desk.moments().ran(epoch, id, What::Part, began, (first, done));
    if job.state == JobState::Done {
        ended(world, core, &job);
    } else if way.most.is_some() {
        desk.part(id, began);
    }
    drop(at_work);
    Ok(job)
}

/// Records the end of a job, and forgets what is needed only while it waits.
pub(crate) fn ended(world: &World, core: &Core, job: &Job) {
    tracing::debug!(job = job.id, totals = ?job.totals, "job done");
    world.ticker.note(|| Ran::job(job.finished_at.unwrap_or_else(|| core.ctx().now()), job.id));
    if !world.pump.job_desk().is_plain() {
        world.pump.job_desk().done(&HashSet::from([job.id]));
    }
}

/// Counts a query of the contacts of a list. Jobs that were queried often enough run before the response.
pub(super) fn poll(world: &World, core: &Core, list: &str) -> Result<(), Error> {
    let (desk, queue) = (world.pump.job_desk(), job::read_queued(core, u32::MAX)?);
    let callbacks = world.pump.desk().policy();
    for queued in queue {
        if queued.list_id.as_str() == list && desk.poll(queued.id) {
            match desk.turn(&queued, &callbacks, core.ctx().now()) {
                Turn::Run(way) => {
                    run_job(world, core, queued.id, &way)?;
                }
                // The worker handles these.
                Turn::Announce(_) | Turn::AfterCallback(_) | Turn::At(_) | Turn::Held => {}
            }
        }
    }
    Ok(())
}

/// Returns a job in the form in which it waits, to run it by hand.
pub(crate) fn queued(job: &Job) -> QueuedJob {
    QueuedJob {
        id: job.id,
        list_id: job.list_id.clone(),
        correlation_id: job.correlation_id.clone(),
        queued_at: job.queued_at,
    }
}

fn run(world: &World, core: &Core, failing: &mut Failing) -> Then {
    let ran = catch_unwind(AssertUnwindSafe(|| {
        let next = next(world, core)?;
        match next {
            Next::Run(id, way) => {
                failing.at = Some(id);
                run_job(world, core, id, &way)?;
            }
            Next::Announce(id, way) => {
                failing.at = Some(id);
                let desk = world.pump.job_desk();
                let (began, epoch) = (core.ctx().now(), world.flight.epoch());
                let _at_work = desk.moments().at_work();
                job::announce_callback(core, id, &way)?;
                desk.moments().note(epoch, id, What::Announced, began);
                desk.announced(id);
            }
            Next::Rest(then) => return Ok(Some(then)),
        }
        Ok(None)
    }));
    match ran.unwrap_or_else(|_| Err(Error::Conflict { message: "a job broke off".to_owned() })) {
        Ok(None) => {
            *failing = Failing::default();
            Then::On
        }
        Ok(Some(then)) => Then::Rest(then),
        // The job belonged to an epoch that has ended; the next epoch has its own queue.
        Err(error) if error.is_superseded() => {
            *failing = Failing::default();
            Then::On
        }
        Err(error) => {
            tracing::error!(error = &error as &(dyn std::error::Error + 'static), "a job could not be run");
            let (began, epoch, tried) = (core.ctx().now(), world.flight.epoch(), failing.at);
            let moments = world.pump.job_desk().moments();
            let _at_work = moments.at_work();
            let Some(pause) = failing.again(core, &error) else {
                if let Some(job) = tried.and_then(|id| job::get(core, id).ok()) {
                    moments.ran(epoch, job.id, What::GivenUp, began, (0, job.contacts));
                }
                return Then::On;
            };
            Then::Pause(pause)
        }
    }
}

/// The job that fails, with the attempts so far.
#[derive(Default)]
struct Failing {
    job: Option<i64>,
    /// The job of the last attempt; none if the queue itself could not be read.
    at: Option<i64>,
    tries: u32,
    pause: Duration,
}

impl Failing {
    /// Returns the pause before the next attempt, or None if the job was given up and the next one follows.
    fn again(&mut self, core: &Core, error: &Error) -> Option<Duration> {
        self.pause = (self.pause * 2).clamp(FIRST_PAUSE, LONGEST_PAUSE);
        // Errors of the disk or of another process pass, so they must not cost the job its contacts.
        if is_outside(error.code()) {
            return Some(self.pause);
        }
        let job = self.at.take().or_else(|| job::next_waiting(core).ok().flatten());
        if job.is_none() || job != self.job {
            *self = Self { job, at: None, tries: 0, pause: self.pause };
        }
        self.tries += 1;
        let Some(job) = job.filter(|_| self.tries >= TRIES) else { return Some(self.pause) };
        match job::give_up(core, job) {
            Ok(_) => {
                tracing::error!(job, tries = self.tries, "a job was given up; all its contacts count as failed");
                *self = Self::default();
                None
            }
            Err(error) => {
                tracing::error!(error = &error as &(dyn std::error::Error + 'static), "a job could not be given up");
                Some(self.pause)
            }
        }
    }
}

fn is_outside(code: ErrorCode) -> bool {
    matches!(code, ErrorCode::Locked | ErrorCode::Displaced | ErrorCode::ReadOnly | ErrorCode::DiskFull)
}

#[cfg(test)]
mod tests {
    use std::{
        sync::atomic::{AtomicBool, Ordering},
        thread,
    };

    use roost_model::{
        contact::{MergeType, ValidContact},
        job::JobState,
    };
    use roost_ops::{Actor, Ctx, callback, list};

    use super::*;
    use crate::work::empty_world;

    fn waiting(core: &Core) -> i64 {
        let list = list::create(core, &Actor::interface(), "VIP", list::UniqueNames::Off).expect("a list");
        let new = job::NewJob {
            list: list.uid,
            merge_type: MergeType::SkipDuplicates,
            callback_url: Some("http://127.0.0.1:9/hook"),
            correlation_id: None,
            contacts: vec![ValidContact::default(); 3],
        };
        job::enqueue(core, &Actor::interface(), new).expect("a job").id
    }

    #[test]
    fn a_job_that_cannot_be_run_is_given_up_and_calls_back() {
        let core = Core::in_memory(Ctx::system()).expect("an account");
        let (first, second) = (waiting(&core), waiting(&core));
        let broken = Error::Conflict { message: "broken".to_owned() };
        let mut failing = Failing::default();
        let pauses: Vec<_> = (0..TRIES).map_while(|_| failing.again(&core, &broken)).map(|p| p.as_secs()).collect();
        assert_eq!(pauses, [1, 2, 4, 8]);
        let ended = job::get(&core, first).expect("there");
        assert_eq!((ended.state, ended.totals.failed, ended.finished_at.is_some()), (JobState::Done, 3, true));
        assert_eq!(
            callback::read_due(&core, 9).expect("readable").iter().map(|c| c.job.id).collect::<Vec<_>>(),
            [first]
        );
        assert_eq!(job::read_outcomes(&core, first).expect("there").len(), 3);
        assert_eq!(job::next_waiting(&core).expect("readable"), Some(second), "the next has its turn");
        assert_eq!(failing.again(&core, &broken).map(|p| p.as_secs()), Some(1), "and tries of its own");
    }

    #[test]
    fn a_full_disk_costs_no_job_its_contacts() {
        assert!(is_outside(ErrorCode::DiskFull) && !is_outside(ErrorCode::Internal));
    }

    /// There are more readers of the queue than cores, so that they are interrupted at any point.
    #[test]
    fn a_job_is_run_by_the_policy_that_was_set_before_it() {
        for _ in 0..10 {
            let (_stop, world) = empty_world();
            let is_over = AtomicBool::new(false);
            thread::scope(|scope| {
                for _ in 0..16 {
                    scope.spawn(|| {
                        while !is_over.load(Ordering::Acquire) {
                            let next = next(&world, &world.core).expect("a queue");
                            assert!(matches!(next, Next::Rest(_)), "run though it waits for a hand");
                        }
                    });
                }
                thread::sleep(Duration::from_millis(2));
                world.pump.job_desk().set_policy(Policy { progress: Progress::Manual, ..Policy::default() });
                waiting(&world.core);
                thread::sleep(Duration::from_millis(2));
                is_over.store(true, Ordering::Release);
            });
        }
    }
}
