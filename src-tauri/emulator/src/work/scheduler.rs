//! Starts the tasks that do a world's work when there is something to do. They end when there is nothing left, so that
//! an unused world costs nothing.

use std::sync::{
    Arc,
    atomic::{AtomicU8, Ordering},
};

use roost_ops::{ActorKind, Noun, Subscription};
use tokio::sync::{Notify, watch};

use roost_model::time::DueTime;

use super::{
    callbacks::{self, CallbackTracker},
    jobs::{self, JobTracker},
};
use crate::world::World;

#[derive(Default)]
pub(crate) struct WorkScheduler {
    job_signal: WakeSignal,
    callback_signal: WakeSignal,
    callback_tracker: CallbackTracker,
    job_tracker: JobTracker,
    /// The number of calls under way.
    calls: watch::Sender<usize>,
}

/// A call to a receiver outside, under way until it is dropped.
pub(super) struct OutgoingCall {
    world: Arc<World>,
    callback: i64,
}

impl OutgoingCall {
    pub(super) fn begin(world: &Arc<World>, callback: i64) -> Self {
        world.work.callback_tracker.mark_under_way(callback);
        world.work.calls.send_modify(|count| *count += 1);
        Self { world: world.clone(), callback }
    }

    pub(super) fn world(&self) -> &Arc<World> {
        &self.world
    }
}

impl Drop for OutgoingCall {
    fn drop(&mut self) {
        // The tracker is updated before the count, so that whoever waits until no call is under way then finds none.
        self.world.work.callback_tracker.mark_ended(self.callback);
        self.world.work.calls.send_modify(|count| *count -= 1);
    }
}

/// Whether a task runs, and whether it must look for work once more before it ends.
#[derive(Default)]
pub(super) struct WakeSignal {
    state: AtomicU8,
    /// Wakes a task that sleeps until something is due.
    rung: Notify,
    rested: Notify,
}

const IDLE: u8 = 0;
const RUNNING: u8 = 1;
const AGAIN: u8 = 2;

impl WakeSignal {
    /// Returns whether a task must be started.
    fn request_run(&self) -> bool {
        let before = self.state.fetch_update(Ordering::AcqRel, Ordering::Acquire, |state| {
            Some(if state == IDLE { RUNNING } else { AGAIN })
        });
        self.rung.notify_one();
        before == Ok(IDLE)
    }

    /// Returns whether the task may end. After a request since the last call, it must look for work again.
    pub(super) fn try_finish(&self) -> bool {
        let ends = self.state.compare_exchange(RUNNING, IDLE, Ordering::AcqRel, Ordering::Acquire).is_ok();
        if ends {
            self.rested.notify_waiters();
        } else {
            self.state.store(RUNNING, Ordering::Release);
        }
        ends
    }

    /// Waits for the next request.
    pub(super) async fn wait_for_request(&self) {
        self.rung.notified().await;
    }

    async fn wait_until_idle(&self) {
        loop {
            let rested = self.rested.notified();
            if self.state.load(Ordering::Acquire) == IDLE {
                return;
            }
            rested.await;
        }
    }
}

impl WorkScheduler {
    /// Returns the policy of callbacks and the details of their attempts.
    pub(crate) fn callback_tracker(&self) -> &CallbackTracker {
        &self.callback_tracker
    }

    /// Returns the policy of jobs and their states.
    pub(crate) fn job_tracker(&self) -> &JobTracker {
        &self.job_tracker
    }

    /// Forgets everything about jobs and callbacks that is not in the account, except the policies. What follows belongs
    /// to `epoch`.
    pub(crate) fn forget_work(&self, epoch: u64) {
        self.callback_tracker.forget_callbacks();
        self.job_tracker.forget_jobs(epoch);
    }

    pub(super) fn job_signal(&self) -> &WakeSignal {
        &self.job_signal
    }

    pub(super) fn callback_signal(&self) -> &WakeSignal {
        &self.callback_signal
    }

    /// Waits until there may be jobs to run.
    pub(crate) async fn wait_for_job_request(&self) {
        self.job_signal.wait_for_request().await;
    }

    /// Returns a watch that changes when a call begins or ends.
    pub(crate) fn watch_calls(&self) -> watch::Receiver<usize> {
        self.calls.subscribe()
    }

    /// Waits until no job is under way.
    pub(crate) async fn wait_for_jobs(&self) {
        self.job_signal.wait_until_idle().await;
    }

    /// Waits until no call is under way.
    pub(crate) async fn wait_for_calls(&self) {
        // The watch cannot fail, because `self` holds its sender.
        let _ = self.calls.subscribe().wait_for(|count| *count == 0).await;
    }

    /// Subscribes to the account, to notice new work whoever creates it: a request, a page, or another handle of the
    /// account.
    pub(crate) fn subscribe_to_account(world: &Arc<World>) -> Subscription {
        let worker = Arc::downgrade(world);
        world.core.subscribe(move |notice| {
            if let (Some(step), Some(cause), Some(world)) = (notice.step, notice.cause, worker.upgrade()) {
                match notice.by {
                    ActorKind::Job => world.journal.record_job_step(cause, step),
                    _ => world.journal.record_cause(cause, step),
                }
            }
            let (is_job, is_callback) = (notice.nouns.contains(&Noun::Job), notice.nouns.contains(&Noun::Callback));
            if !is_job && !is_callback {
                return;
            }
            let Some(world) = worker.upgrade() else { return };
            if is_job && notice.by != ActorKind::Job || is_callback && world.work.job_tracker.awaits_callbacks() {
                world.wake_jobs();
            }
            if is_callback {
                world.wake_callbacks();
            }
            world.work.callback_tracker.notify_watchers();
        })
    }
}

impl World {
    /// Starts work that exists already.
    pub(crate) fn wake_workers(self: &Arc<Self>) {
        self.wake_jobs();
        self.wake_callbacks();
    }

    fn wake_jobs(self: &Arc<Self>) {
        if let Some(runtime) = &self.resources.runtime
            && !self.has_ended()
            && self.work.job_signal.request_run()
        {
            runtime.spawn(jobs::run_all_jobs(self.clone(), self.resources.begin_task()));
        }
    }

    fn wake_callbacks(self: &Arc<Self>) {
        if let Some(runtime) = &self.resources.runtime
            && !self.has_ended()
            && self.work.callback_signal.request_run()
        {
            runtime.spawn(callbacks::send_all_callbacks(self.clone(), self.resources.begin_task()));
        }
    }

    /// Looks for jobs again after a change to what holds them back.
    pub(crate) fn recheck_jobs(self: &Arc<Self>) {
        self.wake_jobs();
        self.work.callback_tracker.notify_watchers();
    }

    /// Looks for jobs again when the clock reaches this time.
    pub(super) fn wake_jobs_at(self: &Arc<Self>, at: DueTime) {
        let Some(runtime) = &self.resources.runtime else { return };
        if !self.work.job_tracker.set_alarm(at) {
            return;
        }
        let (world, working, epoch) = (self.clone(), self.resources.begin_task(), self.epoch.epoch());
        runtime.spawn(async move {
            let _working = working;
            tokio::select! {
                () = world.resources.wait_for_stop() => {}
                () = world.epoch.wait_until_ended(epoch) => {}
                () = world.ticker.wait_until(at) => {
                    world.work.job_tracker.clear_alarm(at);
                    world.wake_jobs();
                }
            }
        });
    }

    /// Counts a query of the contacts of a list. Where jobs wait for such queries, those that have been queried often
    /// enough run first.
    pub(crate) async fn count_list_query(self: &Arc<Self>, list: &str) {
        if !self.work.job_tracker.counts_polls() {
            return;
        }
        let (world, core, list) = (self.clone(), self.core.fenced(), list.to_owned());
        let polled = tokio::task::spawn_blocking(move || jobs::run_polled_jobs(&world, &core, &list)).await;
        if let Ok(Err(error)) = polled
            && !error.is_superseded()
        {
            tracing::error!(error = &error as &(dyn std::error::Error + 'static), "a job could not be run");
        }
    }

    /// Whether the world does no further work.
    pub(crate) fn has_ended(&self) -> bool {
        self.resources.has_stopped() || self.epoch.is_removed()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_bell_starts_one_task_and_none_ends_with_work_left() {
        let bell = WakeSignal::default();
        bell.wait_until_idle().await;
        assert!(bell.request_run(), "the first starts one");
        assert!(!bell.request_run() && !bell.request_run(), "and the others do not");
        assert!(!bell.try_finish(), "somebody rang");
        assert!(bell.try_finish());
        bell.wait_until_idle().await;
        assert!(bell.request_run(), "and so on");
    }
}
