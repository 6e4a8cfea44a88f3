//! The worker that runs the contact jobs of a world one after the other.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
    time::Duration,
};

use roost_model::{
    error::ErrorCode,
    job::{Job, JobState},
    time::DueTime,
};
use roost_ops::{
    Core, Error,
    callback::CallbackState,
    ctx::IdStream,
    job::{self, JobOptions, QueuedJob},
};
use tokio::time::sleep;

use crate::{
    faults::{JobFault, job_fault},
    world::{CompletedWork, JobEventKind, JobProgress, JobTracker, JobTurn, TaskGuard, World},
};

const FIRST_PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_secs(60);
/// How often a failing job is attempted. After the last attempt it ends with all contacts failed.
const ATTEMPTS_MAX: u32 = 5;

/// Runs the waiting jobs and ends. After a failure it tries again with a growing pause, up to a limit. New jobs behind
/// a failing one do not use up its attempts.
pub(crate) async fn run_all_jobs(world: Arc<World>, _working: TaskGuard) {
    let mut failing = FailingJob::default();
    while !world.has_ended() {
        let (core, job_world) = (world.core.fenced(), world.clone());
        // The queue must not be read before a reset is complete.
        if world.epoch.is_closed() {
            world.epoch.wait_until_open().await;
            continue;
        }
        let ran = tokio::task::spawn_blocking(move || {
            let ran = run_next(&job_world, &core, &mut failing);
            job_world.persist();
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
                failing = FailingJob::default();
                WorkerAction::Pause(FIRST_PAUSE)
            }
        };
        match next {
            WorkerAction::On => {}
            WorkerAction::Rest(next) => {
                if let Some(at) = next {
                    world.wake_jobs_at(at);
                }
                if world.work.job_signal().try_finish() {
                    return;
                }
            }
            WorkerAction::Pause(pause) => {
                let epoch = world.epoch.epoch();
                tokio::select! {
                    () = world.resources.wait_for_stop() => return,
                    () = world.epoch.wait_until_ended(epoch) => failing = FailingJob::default(),
                    () = sleep(pause) => {}
                }
            }
        }
    }
}

/// What the worker does after it looked at the queue.
enum WorkerAction {
    On,
    /// Nothing can run now. The time says when something can.
    Rest(Option<DueTime>),
    Pause(Duration),
}

/// The next job of a world.
enum NextJob {
    Run(i64, JobOptions),
    Announce(i64, JobOptions),
    /// Nothing can run before this time; without a time, nothing waits for the clock.
    Rest(Option<DueTime>),
}

fn find_next(world: &World, core: &Core) -> Result<NextJob, Error> {
    let tracker = world.work.job_tracker();
    // The policies are read after the queue. So a job that is sent after a policy was set runs by that policy.
    let Some(oldest) = job::next_waiting(core)? else { return Ok(NextJob::Rest(None)) };
    if tracker.is_plain() && !world.faults.options().magic {
        let owes = world.work.callback_tracker().policy().owed_for(oldest);
        return Ok(NextJob::Run(oldest, JobOptions { owes, ..JobOptions::default() }));
    }
    let now = core.ctx().due_now();
    let mut then: Option<DueTime> = None;
    let queue = job::read_queued(core, u32::MAX)?;
    let (callbacks, knows_magic) = (world.work.callback_tracker().policy(), world.faults.options().magic);
    for queued in queue {
        if knows_magic {
            decide_magic_fault(tracker, core, &queued)?;
        }
        match tracker.next_turn(&queued, &callbacks, now) {
            JobTurn::Held => {}
            JobTurn::Run(options) => return Ok(NextJob::Run(queued.id, options)),
            JobTurn::Announce(options) => return Ok(NextJob::Announce(queued.id, options)),
            JobTurn::AfterCallback(options) => match read_callback_before(core, queued.id)? {
                CallbackBefore::Attempted => return Ok(NextJob::Run(queued.id, options)),
                // The end of the callback's attempt wakes the worker.
                CallbackBefore::DueAt(_) | CallbackBefore::Held => {}
            },
            JobTurn::At(at) => {
                then = Some(then.map_or(at, |then| then.min(at)));
                if tracker.policy().progress == JobProgress::Rate {
                    // The job has begun, so those behind it wait.
                    break;
                }
            }
        }
    }
    Ok(NextJob::Rest(then))
}

/// The callback after which a job runs.
enum CallbackBefore {
    /// It was attempted or given up, or there is none.
    Attempted,
    DueAt(DueTime),
    /// It is held until it is released.
    Held,
}

fn read_callback_before(core: &Core, id: i64) -> Result<CallbackBefore, Error> {
    let Some((callback, attempts)) = job::read_details(core, id)?.callback else {
        return Ok(CallbackBefore::Attempted);
    };
    if callback.state != CallbackState::Waiting || attempts.iter().any(|attempt| attempt.finished_at.is_some()) {
        return Ok(CallbackBefore::Attempted);
    }
    Ok(callback.next_at.map_or(CallbackBefore::Held, CallbackBefore::DueAt))
}

/// Decides the fault of a job whose contacts were not yet searched for magic numbers.
fn decide_magic_fault(tracker: &JobTracker, core: &Core, queued: &QueuedJob) -> Result<(), Error> {
    if tracker.is_unseen(queued.id) {
        let numbers = job::read_numbers(core, queued.id)?;
        tracker.assign_fault_with_magic(queued, numbers.iter().find_map(|number| job_fault(number)));
    }
    Ok(())
}

/// Decides the faults of the waiting jobs in the order in which they were queued, whichever of them is looked at first.
pub(crate) fn decide_faults(world: &World, core: &Core) -> Result<(), Error> {
    let (tracker, knows_magic) = (world.work.job_tracker(), world.faults.options().magic);
    if tracker.is_plain() && !knows_magic {
        return Ok(());
    }
    for queued in job::read_queued(core, u32::MAX)? {
        match knows_magic {
            true => decide_magic_fault(tracker, core, &queued)?,
            false => drop(tracker.assign_fault(&queued)),
        }
    }
    Ok(())
}

/// Returns when a waiting job proceeds by itself, or None if it does not.
pub(crate) fn job_due(world: &World, core: &Core, job: &QueuedJob) -> Result<Option<DueTime>, Error> {
    let now = core.ctx().due_now();
    Ok(match world.work.job_tracker().next_turn(job, &world.work.callback_tracker().policy(), now) {
        JobTurn::Run(_) | JobTurn::Announce(_) => Some(now),
        JobTurn::At(at) => Some(at),
        JobTurn::AfterCallback(_) => match read_callback_before(core, job.id)? {
            CallbackBefore::Attempted => Some(now),
            CallbackBefore::DueAt(at) => Some(at),
            CallbackBefore::Held => None,
        },
        JobTurn::Held => None,
    })
}

/// Returns when the next job runs by itself; now, if one can run already.
pub(super) fn next_job_due(world: &World, core: &Core) -> Result<Option<DueTime>, Error> {
    Ok(match find_next(world, core)? {
        NextJob::Run(..) | NextJob::Announce(..) => Some(core.ctx().due_now()),
        NextJob::Rest(then) => then,
    })
}

/// Runs a job or a part of it.
pub(crate) fn run_job(world: &World, core: &Core, id: i64, options: &JobOptions) -> Result<Job, Error> {
    let tracker = world.work.job_tracker();
    if tracker.fault(id) == Some(JobFault::FinishTwice) {
        world.work.callback_tracker().send_twice(id);
    }
    // Read before the part is stored, because a caller who sees it may move the clock.
    let (began, began_exactly, epoch) = (core.ctx().now(), core.ctx().due_now(), world.epoch.epoch());
    let at_work = tracker.events().begin_work();
    let first = job::count_done(core, id)?;
    let own = core.with_id_stream(IdStream::Job { id, first });
    let own = tracker.origins().request_of(epoch, id).map_or(own.clone(), |request| own.caused_by(request));
    let job = job::run(&own, id, options)?;
    let done = if job.state == JobState::Done { job.contacts } else { job::count_done(core, id)? };
    tracker.events().record_run(epoch, id, JobEventKind::Part, began, (first, done));
    if job.state == JobState::Done {
        finish_job(world, core, epoch, &job);
    } else if options.most.is_some() {
        tracker.mark_part_run(epoch, id, began_exactly);
    }
    drop(at_work);
    Ok(job)
}

/// Records the end of a job, and forgets what is needed only while it waits.
pub(crate) fn finish_job(world: &World, core: &Core, epoch: u64, job: &Job) {
    tracing::debug!(job = job.id, totals = ?job.totals, "job done");
    world
        .ticker
        .record_completed(|| CompletedWork::for_job(job.finished_at.unwrap_or_else(|| core.ctx().now()), job.id));
    world.work.job_tracker().forget_ended(epoch, job.id);
}

/// Counts a query of the contacts of a list. Jobs that were queried often enough run before the response.
pub(super) fn run_polled_jobs(world: &World, core: &Core, list: &str) -> Result<(), Error> {
    let (tracker, queue) = (world.work.job_tracker(), job::read_queued(core, u32::MAX)?);
    let callbacks = world.work.callback_tracker().policy();
    for queued in queue {
        if queued.list_id.as_str() == list && tracker.count_poll(queued.id) {
            match tracker.next_turn(&queued, &callbacks, core.ctx().due_now()) {
                JobTurn::Run(options) => {
                    run_job(world, core, queued.id, &options)?;
                }
                // The worker handles these.
                JobTurn::Announce(_) | JobTurn::AfterCallback(_) | JobTurn::At(_) | JobTurn::Held => {}
            }
        }
    }
    Ok(())
}

/// Returns a job in the form in which it waits, to run it by hand.
pub(crate) fn to_queued(job: &Job) -> QueuedJob {
    QueuedJob {
        id: job.id,
        list_id: job.list_id.clone(),
        correlation_id: job.correlation_id.clone(),
        queued_at: job.queued_at,
    }
}

fn run_next(world: &World, core: &Core, failing: &mut FailingJob) -> WorkerAction {
    let ran = catch_unwind(AssertUnwindSafe(|| {
        let next = find_next(world, core)?;
        match next {
            NextJob::Run(id, options) => {
                failing.at = Some(id);
                run_job(world, core, id, &options)?;
            }
            NextJob::Announce(id, options) => {
                failing.at = Some(id);
                let tracker = world.work.job_tracker();
                let (began, epoch) = (core.ctx().now(), world.epoch.epoch());
                let _at_work = tracker.events().begin_work();
                job::announce_callback(core, id, &options)?;
                tracker.events().record_event(epoch, id, JobEventKind::Announced, began);
                tracker.mark_announced(epoch, id);
                // The commit woke those who wait for the work to rest before they could see the mark.
                world.work.callback_tracker().notify_watchers();
            }
            NextJob::Rest(then) => return Ok(Some(then)),
        }
        Ok(None)
    }));
    match ran.unwrap_or_else(|_| Err(Error::Conflict { message: "a job broke off".to_owned() })) {
        Ok(None) => {
            *failing = FailingJob::default();
            WorkerAction::On
        }
        Ok(Some(then)) => WorkerAction::Rest(then),
        // The job belonged to an epoch that has ended; the next epoch has its own queue.
        Err(error) if error.is_superseded() => {
            *failing = FailingJob::default();
            WorkerAction::On
        }
        Err(error) => {
            tracing::error!(error = &error as &(dyn std::error::Error + 'static), "a job could not be run");
            let (began, epoch, tried) = (core.ctx().now(), world.epoch.epoch(), failing.at);
            let moments = world.work.job_tracker().events();
            let _at_work = moments.begin_work();
            let Some(pause) = failing.next_pause(core, &error) else {
                if let Some(job) = tried.and_then(|id| job::get(core, id).ok()) {
                    moments.record_run(epoch, job.id, JobEventKind::GivenUp, began, (0, job.contacts));
                    world.work.job_tracker().forget_ended(epoch, job.id);
                }
                return WorkerAction::On;
            };
            WorkerAction::Pause(pause)
        }
    }
}

/// The job that fails, with the attempts so far.
#[derive(Default)]
struct FailingJob {
    job: Option<i64>,
    /// The job of the last attempt; none if the queue itself could not be read.
    at: Option<i64>,
    tries: u32,
    pause: Duration,
}

impl FailingJob {
    /// Returns the pause before the next attempt, or None if the job was given up and the next one follows.
    fn next_pause(&mut self, core: &Core, error: &Error) -> Option<Duration> {
        self.pause = (self.pause * 2).clamp(FIRST_PAUSE, LONGEST_PAUSE);
        // Errors of the disk or of another process pass, so they must not cost the job its contacts.
        if is_environment_error(error.code()) {
            return Some(self.pause);
        }
        let job = self.at.take().or_else(|| job::next_waiting(core).ok().flatten());
        if job.is_none() || job != self.job {
            *self = Self { job, at: None, tries: 0, pause: self.pause };
        }
        self.tries += 1;
        let Some(job) = job.filter(|_| self.tries >= ATTEMPTS_MAX) else { return Some(self.pause) };
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

fn is_environment_error(code: ErrorCode) -> bool {
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
    use crate::{work::empty_world, world::JobPolicy};

    fn queue_job(core: &Core) -> i64 {
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
        let (first, second) = (queue_job(&core), queue_job(&core));
        let broken = Error::Conflict { message: "broken".to_owned() };
        let mut failing = FailingJob::default();
        let pauses: Vec<_> =
            (0..ATTEMPTS_MAX).map_while(|_| failing.next_pause(&core, &broken)).map(|p| p.as_secs()).collect();
        assert_eq!(pauses, [1, 2, 4, 8]);
        let ended = job::get(&core, first).expect("there");
        assert_eq!((ended.state, ended.totals.failed, ended.finished_at.is_some()), (JobState::Done, 3, true));
        assert_eq!(
            callback::read_due(&core, 9).expect("readable").iter().map(|c| c.job.id).collect::<Vec<_>>(),
            [first]
        );
        assert_eq!(job::read_outcomes(&core, first).expect("there").len(), 3);
        assert_eq!(job::next_waiting(&core).expect("readable"), Some(second), "the next has its turn");
        assert_eq!(failing.next_pause(&core, &broken).map(|p| p.as_secs()), Some(1), "and tries of its own");
    }

    #[test]
    fn a_full_disk_costs_no_job_its_contacts() {
        assert!(is_environment_error(ErrorCode::DiskFull) && !is_environment_error(ErrorCode::Internal));
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
                            let next = find_next(&world, &world.core).expect("a queue");
                            assert!(matches!(next, NextJob::Rest(_)), "run though it waits for a hand");
                        }
                    });
                }
                thread::sleep(Duration::from_millis(2));
                world
                    .work
                    .job_tracker()
                    .set_policy(JobPolicy { progress: JobProgress::Manual, ..JobPolicy::default() });
                queue_job(&world.core);
                thread::sleep(Duration::from_millis(2));
                is_over.store(true, Ordering::Release);
            });
        }
    }
}
