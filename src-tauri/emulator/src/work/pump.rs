//! Starts the tasks that do a world's work when there is something to do. They end when there is nothing left, so that
//! an unused world costs nothing.

use std::sync::{
    Arc,
    atomic::{AtomicU8, Ordering},
};

use roost_ops::{ActorKind, Noun, Subscription};
use tokio::sync::{Notify, watch};

use roost_model::time::Timestamp;

use super::{
    callbacks::{self, Desk},
    jobs::{self, JobDesk},
};
use crate::world::World;

#[derive(Default)]
pub struct Pump {
    jobs: Bell,
    callbacks: Bell,
    desk: Desk,
    job_desk: JobDesk,
    /// The number of calls under way.
    calls: watch::Sender<usize>,
}

/// A call to a receiver outside, under way until it is dropped.
pub(super) struct Call(Arc<World>);

impl Call {
    pub fn begin(world: &Arc<World>) -> Self {
        world.pump.calls.send_modify(|count| *count += 1);
        Self(world.clone())
    }

    pub fn world(&self) -> &Arc<World> {
        &self.0
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        self.0.pump.calls.send_modify(|count| *count -= 1);
    }
}

/// Whether a task runs, and whether it must look for work once more before it ends.
#[derive(Default)]
pub(super) struct Bell {
    state: AtomicU8,
    /// Wakes a task that sleeps until something is due.
    rung: Notify,
    rested: Notify,
}

const IDLE: u8 = 0;
const RUNNING: u8 = 1;
const AGAIN: u8 = 2;

impl Bell {
    /// Returns whether a task must be started.
    fn ring(&self) -> bool {
        let before = self.state.fetch_update(Ordering::AcqRel, Ordering::Acquire, |state| {
            Some(if state == IDLE { RUNNING } else { AGAIN })
        });
        self.rung.notify_one();
        before == Ok(IDLE)
    }

    /// Whether the task may end. It must look again if there was a request since it last asked.
    pub fn rest(&self) -> bool {
        let ends = self.state.compare_exchange(RUNNING, IDLE, Ordering::AcqRel, Ordering::Acquire).is_ok();
        if ends {
            self.rested.notify_waiters();
        } else {
            self.state.store(RUNNING, Ordering::Release);
        }
        ends
    }

    /// Waits for the next request.
    pub async fn rung(&self) {
        self.rung.notified().await;
    }

    async fn rests(&self) {
        loop {
            let rested = self.rested.notified();
            if self.state.load(Ordering::Acquire) == IDLE {
                return;
            }
            rested.await;
        }
    }
}

impl Pump {
    /// Returns the policy of callbacks and the details of their attempts.
    pub fn desk(&self) -> &Desk {
        &self.desk
    }

    /// Returns the policy of jobs and their states.
    pub fn job_desk(&self) -> &JobDesk {
        &self.job_desk
    }

    /// Forgets everything about jobs and callbacks that is not in the account, except the policies.
    pub fn forget_work(&self) {
        self.desk.forget_callbacks();
        self.job_desk.forget_jobs();
    }

    pub(super) fn jobs(&self) -> &Bell {
        &self.jobs
    }

    pub(super) fn callbacks(&self) -> &Bell {
        &self.callbacks
    }

    /// Waits until there may be jobs to run.
    pub async fn jobs_ring(&self) {
        self.jobs.rung().await;
    }

    /// Returns a watch that changes when a call begins or ends.
    pub fn watch_calls(&self) -> watch::Receiver<usize> {
        self.calls.subscribe()
    }

    /// Waits until no job is under way.
    pub async fn jobs_rest(&self) {
        self.jobs.rests().await;
    }

    /// Waits until no call is under way.
    pub async fn calls_rest(&self) {
        // The watch cannot fail, because `self` holds its sender.
        let _ = self.calls.subscribe().wait_for(|count| *count == 0).await;
    }

    /// Subscribes to the account, to notice new work whoever creates it: a request, a page, or another handle of the
    /// account.
    pub fn listen(world: &Arc<World>) -> Subscription {
        let worker = Arc::downgrade(world);
        world.core.subscribe(move |notice| {
            if let (Some(step), Some(cause), Some(world)) = (notice.step, notice.cause, worker.upgrade()) {
                world.journal.note_cause(cause, step);
            }
            let (is_job, is_callback) = (notice.nouns.contains(&Noun::Job), notice.nouns.contains(&Noun::Callback));
            if !is_job && !is_callback {
                return;
            }
            let Some(world) = worker.upgrade() else { return };
            if is_job && notice.by != ActorKind::Job || is_callback && world.pump.job_desk.awaits_callbacks() {
                world.wake_jobs();
            }
            if is_callback {
                world.wake_callbacks();
            }
            world.pump.desk.tell();
        })
    }
}

impl World {
    /// Starts work that exists already.
    pub fn wake(self: &Arc<Self>) {
        self.wake_jobs();
        self.wake_callbacks();
    }

    fn wake_jobs(self: &Arc<Self>) {
        if let Some(runtime) = &self.ground.runtime
            && !self.is_over()
            && self.pump.jobs.ring()
        {
            runtime.spawn(jobs::run_all(self.clone(), self.ground.work()));
        }
    }

    fn wake_callbacks(self: &Arc<Self>) {
        if let Some(runtime) = &self.ground.runtime
            && !self.is_over()
            && self.pump.callbacks.ring()
        {
            runtime.spawn(callbacks::send_all(self.clone(), self.ground.work()));
        }
    }

    /// Looks for jobs again after a change to what holds them back.
    pub fn look_for_jobs(self: &Arc<Self>) {
        self.wake_jobs();
        self.pump.desk.tell();
    }

    /// Looks for jobs again when the clock reaches this time.
    pub(super) fn wake_jobs_at(self: &Arc<Self>, at: Timestamp) {
        let Some(runtime) = &self.ground.runtime else { return };
        if !self.pump.job_desk.set_alarm(at) {
            return;
        }
        let (world, working, epoch) = (self.clone(), self.ground.work(), self.flight.epoch());
        runtime.spawn(async move {
            let _working = working;
            tokio::select! {
                () = world.ground.told_to_stop() => {}
                () = world.flight.ended(epoch) => {}
                () = world.ticker.reaches(at) => {
                    world.pump.job_desk.alarm_rang(at);
                    world.wake_jobs();
                }
            }
        });
    }

    /// Counts a query of the contacts of a list. Where jobs wait for such queries, those that have been queried often
    /// enough run first.
    pub async fn looked_at(self: &Arc<Self>, list: &str) {
        if !self.pump.job_desk.counts_polls() {
            return;
        }
        let (world, core, list) = (self.clone(), self.core.fenced(), list.to_owned());
        let polled = tokio::task::spawn_blocking(move || jobs::poll(&world, &core, &list)).await;
        if let Ok(Err(error)) = polled
            && !error.is_superseded()
        {
            tracing::error!(error = &error as &(dyn std::error::Error + 'static), "a job could not be run");
        }
    }

    /// Whether the world does no further work.
    pub fn is_over(&self) -> bool {
        self.ground.has_stopped() || self.flight.is_gone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_bell_starts_one_task_and_none_ends_with_work_left() {
        let bell = Bell::default();
        bell.rests().await;
        assert!(bell.ring(), "the first starts one");
        assert!(!bell.ring() && !bell.ring(), "and the others do not");
        assert!(!bell.rest(), "somebody rang");
        assert!(bell.rest());
        bell.rests().await;
        assert!(bell.ring(), "and so on");
    }
}
