//! The worker that runs contact jobs, one after the other, on a thread of its own.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
        mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel},
    },
    time::Duration,
};

use roost_ops::{Core, Error, job};

/// Wakes the worker; waking it twice is waking it once.
#[derive(Clone)]
pub struct JobsWake {
    bell: SyncSender<()>,
    stops: Arc<AtomicBool>,
}

/// The worker's end of the bell.
pub struct JobsBell {
    rung: Receiver<()>,
    stops: Arc<AtomicBool>,
}

impl JobsWake {
    pub fn new() -> (Self, JobsBell) {
        let (bell, rung) = sync_channel(1);
        let stops = Arc::new(AtomicBool::new(false));
        (Self { bell, stops: stops.clone() }, JobsBell { rung, stops })
    }

    pub fn wake(&self) {
        // Full means that it will look anyway; gone means that nobody works any more.
        let _ = self.bell.try_send(());
    }

    /// Lets the worker end after the job it runs.
    pub fn stop(&self) {
        self.stops.store(true, Ordering::Release);
        self.wake();
    }
}

const FIRST_PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_secs(60);

/// Runs what waits, then waits to be woken; a failure is tried again after a growing pause.
pub(crate) fn run_all(core: &Core, bell: &JobsBell) {
    let mut pause = FIRST_PAUSE;
    while !bell.stops.load(Ordering::Acquire) {
        let ran = catch_unwind(AssertUnwindSafe(|| job::run_next(core)));
        let ran = ran.unwrap_or_else(|_| Err(Error::Conflict { message: "a job broke off".to_owned() }));
        let waited = match ran {
            Ok(Some(job)) => {
                pause = FIRST_PAUSE;
                tracing::debug!(job = job.id, totals = ?job.totals, "job done");
                continue;
            }
            Ok(None) => bell.rung.recv().map_err(|_| RecvTimeoutError::Disconnected),
            Err(error) => {
                tracing::error!(error = &error as &(dyn std::error::Error + 'static), "a job could not be run");
                let waited = bell.rung.recv_timeout(pause);
                pause = LONGEST_PAUSE.min(pause * 2);
                waited
            }
        };
        if waited == Err(RecvTimeoutError::Disconnected) {
            return;
        }
    }
}
