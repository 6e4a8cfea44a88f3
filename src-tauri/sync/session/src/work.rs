//! Runs one piece of work with the service at a time on a background thread that can be observed and ended.

use std::{
    future::Future,
    sync::{
        Arc, PoisonError,
        atomic::{AtomicBool, Ordering},
        mpsc,
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use roost_model::time::Timestamp;
use roost_store::tables::sync::screens;
use roost_sync::{Progress, SyncError, apply::RunControl, remote::RetryStatus};
use tokio::{
    runtime::{Builder, Handle, Runtime as Tokio},
    sync::watch,
    time::sleep,
};

use crate::{
    EndedSyncWork, Session, SessionError, SessionResult, SyncKind, SyncNoun, SyncRetry, SyncSessionState, SyncWork,
};

/// The interval at which progress is announced.
const ANNOUNCE_INTERVAL: Duration = Duration::from_millis(250);
/// The time that a request under way has to end by itself when the account is closed or a pull is stopped.
const GRACE: Duration = Duration::from_secs(3);
/// The grace period of a run that is paused. It is longer, because an interrupted run has to look up what its request
/// did.
const LONG_GRACE: Duration = Duration::from_secs(15);

/// The way in which the work is to end early.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum EndRequest {
    Go,
    /// By itself, and soon.
    Soon,
    /// At once, wherever it is.
    Now,
}

/// The runtime for all work of a session, which owns the open connections.
#[derive(Default)]
pub(super) struct WorkRuntime(Option<Tokio>);

impl Drop for WorkRuntime {
    /// Shuts down in the background, because waiting is not allowed inside another runtime.
    fn drop(&mut self) {
        if let Some(runtime) = self.0.take() {
            runtime.shutdown_background();
        }
    }
}

/// The work in progress.
pub(super) struct ActiveWork {
    pub id: u64,
    pub kind: SyncKind,
    /// The run, if the work is one.
    pub run: Option<i64>,
    started: Instant,
    started_at: Timestamp,
    controls: WorkControls,
    thread: Option<JoinHandle<()>>,
}

/// The controls of the work, and its progress.
#[derive(Clone)]
pub(super) struct WorkControls {
    pub progress: Progress,
    pub control: RunControl,
    is_ending: Arc<AtomicBool>,
    end_request: watch::Sender<EndRequest>,
}

impl WorkControls {
    fn new() -> Self {
        let (end_request, _) = watch::channel(EndRequest::Go);
        Self { progress: Progress::default(), control: RunControl::default(), is_ending: Arc::default(), end_request }
    }

    fn pause(&self) {
        self.is_ending.store(true, Ordering::Release);
        self.progress.stop();
        self.control.pause();
        self.end_request.send_replace(EndRequest::Soon);
    }

    fn cancel(&self) {
        self.is_ending.store(true, Ordering::Release);
        self.progress.stop();
        self.control.cancel();
    }
}

/// The context of a piece of work on its thread.
pub(super) struct SyncWorkContext {
    session: Session,
    handle: Handle,
    kind: SyncKind,
    pub reins: WorkControls,
}

impl SyncWorkContext {
    /// Waits for a result. Ends early if the account is closed, or if the grace period of a requested end is over,
    /// because a service that does not respond is retried for minutes.
    pub(super) fn wait_for<T>(&self, work: impl Future<Output = T>) -> SessionResult<T> {
        let (mut now, mut soon) = (self.reins.end_request.subscribe(), self.reins.end_request.subscribe());
        let grace = match self.kind {
            SyncKind::Pull => Some(GRACE),
            SyncKind::Run => Some(LONG_GRACE),
            // The probe must delete its list, so it is never cut off.
            SyncKind::Probe => None,
        };
        let enough = async {
            match (grace, soon.wait_for(|request| *request == EndRequest::Soon).await) {
                (Some(grace), Ok(_)) => sleep(grace).await,
                _ => std::future::pending().await,
            }
        };
        let ended = self.handle.block_on(async {
            tokio::select! {
                done = work => Ok(done),
                _ = now.wait_for(|request| *request == EndRequest::Now) => Err(SessionError::Ending),
                () = enough => Err(SessionError::Failed(SyncError::Stopped)),
            }
        });
        if let Err(SessionError::Failed(SyncError::Stopped)) = &ended {
            // Releases the lease. No other part of this program works with the service, and no other program has the
            // file open.
            self.session.core().write_quietly(|tx| Ok(screens::force_release_lease(tx)?))?;
        }
        ended
    }
}

impl Session {
    pub(super) fn runtime_handle(&self) -> SessionResult<Handle> {
        let mut runtime = self.inner.runtime.lock().unwrap_or_else(PoisonError::into_inner);
        if self.state().is_ended {
            return Err(SessionError::Ending);
        }
        if let Some(runtime) = &runtime.0 {
            return Ok(runtime.handle().clone());
        }
        let made = Builder::new_multi_thread().worker_threads(1).thread_name("roost-sync").enable_all().build();
        let made = made.map_err(|_| SessionError::Ending)?;
        let handle = made.handle().clone();
        runtime.0 = Some(made);
        Ok(handle)
    }

    /// Runs a short future and waits for it on the calling thread, which may block.
    pub(super) fn wait_for<T: Send + 'static>(
        &self,
        work: impl Future<Output = T> + Send + 'static,
    ) -> SessionResult<T> {
        let handle = self.runtime_handle()?;
        let (sender, receiver) = mpsc::sync_channel(1);
        handle.spawn(async move {
            // The caller may no longer wait.
            let _ = sender.send(work.await);
        });
        receiver.recv().map_err(|_| SessionError::Ending)
    }

    /// Fails while work is in progress: settings must not change under it.
    pub(super) fn check_idle(&self) -> SessionResult<()> {
        if self.state().work.is_some() { Err(SessionError::AtWork) } else { Ok(()) }
    }

    /// Begins work on a new thread.
    pub(super) fn begin_work(
        &self,
        kind: SyncKind,
        run: Option<i64>,
        work: impl FnOnce(&Session, &SyncWorkContext) -> SessionResult<()> + Send + 'static,
    ) -> SessionResult<u64> {
        let handle = self.runtime_handle()?;
        let reins = WorkControls::new();
        let at = SyncWorkContext { session: self.clone(), handle, kind, reins: reins.clone() };
        let mut state = self.state();
        if state.is_ended {
            return Err(SessionError::Ending);
        }
        if state.work.is_some() {
            return Err(SessionError::AtWork);
        }
        state.last_work += 1;
        let id = state.last_work;
        let session = self.clone();
        let thread = thread::Builder::new().name("roost-sync-work".to_owned()).spawn(move || {
            let teller = ProgressAnnouncer::new(&session);
            let ended = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| work(&session, &at)));
            drop(teller);
            session.finish_work(id, ended.unwrap_or(Err(SessionError::Panicked)));
        });
        let thread = thread.map_err(|_| SessionError::Ending)?;
        let (started, started_at) = (Instant::now(), self.inner.core.ctx().now());
        state.failed = None;
        state.work = Some(ActiveWork { id, kind, run, started, started_at, controls: reins, thread: Some(thread) });
        drop(state);
        self.announce_change();
        Ok(id)
    }

    /// Clears the finished work and stores its failure, if any.
    fn finish_work(&self, id: u64, ended: SessionResult<()>) {
        let at = self.inner.core.ctx().now();
        let mut state = self.state();
        // If it is another piece of work, the account was closed meanwhile.
        if let Some(work) = state.work.take_if(|work| work.id == id) {
            let ActiveWork { kind, run, .. } = work;
            state.ended = Some(EndedSyncWork { id, kind, run, is_cut_short: ended.is_err() });
        }
        if let Err(why) = ended
            && !matches!(why, SessionError::Ending | SessionError::Failed(SyncError::Stopped))
        {
            tracing::warn!(%why, "work with the service ended");
            state.failed = Some(why.to_failure(at));
        }
        drop(state);
        self.announce_change();
    }

    /// Returns the work in progress as the UI shows it.
    pub fn current_work(&self) -> Option<SyncWork> {
        self.state().current_work()
    }

    /// Ends the work in progress: a pull after its page, and a run without sending more.
    pub fn stop(&self) -> bool {
        let work = self.state().work.as_ref().map(|work| (work.kind, work.controls.clone()));
        match &work {
            Some((SyncKind::Run, reins)) => reins.cancel(),
            Some((_, reins)) => reins.pause(),
            None => return false,
        }
        self.announce_change();
        true
    }

    /// Stops the work only if it is still this piece.
    pub fn stop_work(&self, id: u64) -> bool {
        let is_it = self.state().work.as_ref().is_some_and(|work| work.id == id);
        is_it && self.stop()
    }

    /// Pauses a run after its present request, or a pull after its page.
    pub fn pause(&self) {
        if let Some(reins) = self.controls() {
            reins.pause();
            self.announce_change();
        }
    }

    fn controls(&self) -> Option<WorkControls> {
        self.state().work.as_ref().map(|work| work.controls.clone())
    }

    /// Waits until no work is in progress, for callers without a page that shows it.
    pub fn finish(&self) {
        let thread = self.state().work.as_mut().and_then(|work| work.thread.take());
        if let Some(thread) = thread {
            // A panic was already reported where it happened.
            let _ = thread.join();
        }
    }

    /// Ends the session before the account is closed: pauses the work in progress and refuses any other. Blocks until
    /// nothing uses the account.
    pub fn end(&self) {
        let working = {
            let mut state = self.state();
            state.is_ended = true;
            state.key = None;
            state.client = None;
            state.work.take()
        };
        if let Some(mut working) = working {
            working.controls.pause();
            let until = Instant::now() + GRACE;
            if let Some(thread) = working.thread.take() {
                while !thread.is_finished() && Instant::now() < until {
                    thread::sleep(Duration::from_millis(5));
                }
                working.controls.end_request.send_replace(EndRequest::Now);
                let _ = thread.join();
            }
        }
        let runtime = self.inner.runtime.lock().unwrap_or_else(PoisonError::into_inner).0.take();
        if let Some(runtime) = runtime {
            // Shutting down waits for tasks that use the account, which is not allowed inside another runtime.
            let _ = thread::Builder::new().spawn(move || drop(runtime)).map(JoinHandle::join);
        }
    }
}

impl SyncSessionState {
    pub(super) fn current_work(&self) -> Option<SyncWork> {
        let retry = self.client.as_ref().and_then(|(_, client)| client.retry());
        self.work.as_ref().map(|work| work.to_sync_work(retry))
    }
}

impl ActiveWork {
    fn to_sync_work(&self, retry: Option<RetryStatus>) -> SyncWork {
        let now = self.controls.progress.status();
        SyncWork {
            id: self.id,
            kind: self.kind,
            place: now.place.map(SyncNoun::from_table),
            what: now.what,
            page: now.page,
            pages: now.pages,
            rows: now.rows,
            rows_total: now.rows_total,
            started_at: self.started_at,
            elapsed_ms: u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX),
            is_ending: self.controls.is_ending.load(Ordering::Acquire),
            retry: retry.map(|RetryStatus { number, status }| SyncRetry { number, status }),
        }
    }
}

/// Announces progress a few times a second until it is dropped.
struct ProgressAnnouncer {
    /// Dropping this ends the thread.
    _stop: Option<mpsc::Sender<()>>,
}

impl ProgressAnnouncer {
    fn new(session: &Session) -> Self {
        let session = session.clone();
        let (stop, stopped) = mpsc::channel::<()>();
        let announce = move || {
            let mut announced = None;
            while stopped.recv_timeout(ANNOUNCE_INTERVAL) == Err(mpsc::RecvTimeoutError::Timeout) {
                let now = session.current_work().map(|work| SyncWork { elapsed_ms: 0, ..work });
                if now != announced {
                    announced = now;
                    (session.inner.listener)();
                }
            }
        };
        // If the thread cannot start, progress is not announced, which does no other harm.
        let begun = thread::Builder::new().name("roost-sync-tell".to_owned()).spawn(announce);
        Self { _stop: begun.ok().map(|_| stop) }
    }
}

#[cfg(test)]
mod tests {
    use roost_ops::{Core, Ctx};

    use super::*;

    #[test]
    fn a_panic_is_reported_as_an_internal_error_and_the_next_work_begins() {
        let core = Core::in_memory(Ctx::system()).expect("an account");
        let (tell, calls) = mpsc::channel();
        let session = Session::new(core, None, move || {
            // The last call comes when nobody listens any more.
            let _ = tell.send(());
        });
        let finish = |work: fn() -> SessionResult<()>| {
            session.begin_work(SyncKind::Pull, None, move |_, _| work()).expect("begun");
            while session.current_work().is_some() {
                calls.recv_timeout(Duration::from_secs(60)).expect("an announcement");
            }
            session.state().failed.as_ref().map(|failure| format!("{} {:?}", failure.message, failure.advice))
        };
        assert_eq!(
            finish(|| panic!("this is a test")).as_deref(),
            Some("Roost failed because of an internal error. Some(\"Its log has the cause.\")")
        );
        assert_eq!(finish(|| Ok(())), None);
        session.end();
    }
}
