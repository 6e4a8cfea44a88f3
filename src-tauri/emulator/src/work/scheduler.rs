//! Starts the tasks that do a world's work when there is something to do. They end when there is nothing left, so that
//! an unused world costs nothing.

use std::sync::Arc;

use roost_model::time::DueTime;
use roost_ops::{ActorKind, Noun, Subscription};

use super::{callbacks, jobs};
use crate::world::World;

/// A call to a receiver outside, under way until it is dropped.
pub(super) struct OutgoingCall {
    world: Arc<World>,
    callback: i64,
}

impl OutgoingCall {
    pub(super) fn begin(world: &Arc<World>, callback: i64) -> Self {
        world.work.begin_call(callback);
        Self { world: world.clone(), callback }
    }

    pub(super) fn world(&self) -> &Arc<World> {
        &self.world
    }
}

impl Drop for OutgoingCall {
    fn drop(&mut self) {
        self.world.work.end_call(self.callback);
    }
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
        if is_job && notice.by != ActorKind::Job || is_callback && world.work.job_tracker().awaits_callbacks() {
            world.wake_jobs();
        }
        if is_callback {
            world.wake_callbacks();
        }
        world.work.callback_tracker().notify_watchers();
    })
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
            && self.work.job_signal().request_run()
        {
            runtime.spawn(jobs::run_all_jobs(self.clone(), self.resources.begin_task()));
        }
    }

    fn wake_callbacks(self: &Arc<Self>) {
        if let Some(runtime) = &self.resources.runtime
            && !self.has_ended()
            && self.work.callback_signal().request_run()
        {
            runtime.spawn(callbacks::send_all_callbacks(self.clone(), self.resources.begin_task()));
        }
    }

    /// Looks for jobs again after a change to what holds them back.
    pub(crate) fn recheck_jobs(self: &Arc<Self>) {
        self.wake_jobs();
        self.work.callback_tracker().notify_watchers();
    }

    /// Looks for jobs again when the clock reaches this time.
    pub(super) fn wake_jobs_at(self: &Arc<Self>, at: DueTime) {
        let Some(runtime) = &self.resources.runtime else { return };
        if !self.work.job_tracker().set_alarm(at) {
            return;
        }
        let (world, working, epoch) = (self.clone(), self.resources.begin_task(), self.epoch.epoch());
        runtime.spawn(async move {
            let _working = working;
            tokio::select! {
                () = world.resources.wait_for_stop() => {}
                () = world.epoch.wait_until_ended(epoch) => {}
                () = world.ticker.wait_until(at) => {
                    world.work.job_tracker().clear_alarm(at);
                    world.wake_jobs();
                }
            }
        });
    }

    /// Counts a query of the contacts of a list. Where jobs wait for such queries, those that have been queried often
    /// enough run first.
    pub(crate) async fn count_list_query(self: &Arc<Self>, list: &str) {
        if !self.work.job_tracker().counts_polls() {
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
}
