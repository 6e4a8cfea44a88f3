//! The signals for the tasks that do a world's work, and the state of jobs and callbacks outside the account.

use std::sync::atomic::{AtomicU8, Ordering};

use tokio::sync::{Notify, watch};

use super::{callbacks::CallbackTracker, jobs::JobTracker};

#[derive(Default)]
pub(crate) struct WorkScheduler {
    job_signal: WakeSignal,
    callback_signal: WakeSignal,
    callback_tracker: CallbackTracker,
    job_tracker: JobTracker,
    /// The number of calls under way.
    calls: watch::Sender<usize>,
}

/// Whether a task runs, and whether it must look for work once more before it ends.
#[derive(Default)]
pub(crate) struct WakeSignal {
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
    pub(crate) fn request_run(&self) -> bool {
        let before = self.state.fetch_update(Ordering::AcqRel, Ordering::Acquire, |state| {
            Some(if state == IDLE { RUNNING } else { AGAIN })
        });
        self.rung.notify_one();
        before == Ok(IDLE)
    }

    /// Returns whether the task may end. After a request since the last call, it must look for work again.
    pub(crate) fn try_finish(&self) -> bool {
        let ends = self.state.compare_exchange(RUNNING, IDLE, Ordering::AcqRel, Ordering::Acquire).is_ok();
        if ends {
            self.rested.notify_waiters();
        } else {
            self.state.store(RUNNING, Ordering::Release);
        }
        ends
    }

    /// Waits for the next request.
    pub(crate) async fn wait_for_request(&self) {
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

    pub(crate) fn job_signal(&self) -> &WakeSignal {
        &self.job_signal
    }

    pub(crate) fn callback_signal(&self) -> &WakeSignal {
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

    /// Marks the call for a callback as under way.
    pub(crate) fn begin_call(&self, callback: i64) {
        self.callback_tracker.mark_under_way(callback);
        self.calls.send_modify(|count| *count += 1);
    }

    /// Marks the call for a callback as ended.
    pub(crate) fn end_call(&self, callback: i64) {
        // The tracker is updated before the count, so that whoever waits until no call is under way then finds none.
        self.callback_tracker.mark_ended(callback);
        self.calls.send_modify(|count| *count -= 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_wake_signal_starts_one_task_which_cannot_finish_with_work_left() {
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
