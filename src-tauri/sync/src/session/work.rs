//! The room behind: one piece of work with the service at a time, on a thread of its own, to be looked at and ended.

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
use tokio::{
    runtime::{Builder, Handle, Runtime as Tokio},
    sync::watch,
    time::sleep,
};

use super::{Answer, Refusal, Session, State, SyncEnded, SyncKind, SyncNoun, SyncRetry, SyncWork};
use crate::{Failed, Progress, apply::Control, remote::Retry};

/// Progress is told this often.
const TOLD_EVERY: Duration = Duration::from_millis(250);
/// So long a request under way may take to end by itself when the account is let go of, or a reading is stopped.
const GRACE: Duration = Duration::from_secs(3);
/// The same for a run that is set aside: one that is cut off looks up what became of its request.
const LONG_GRACE: Duration = Duration::from_secs(15);

/// How work shall end before it is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Wish {
    Go,
    /// By itself, and soon.
    Soon,
    /// At once, where it stands.
    Now,
}

/// One for all work of a session: kept connections belong to it.
#[derive(Default)]
pub(super) struct Runtime(Option<Tokio>);

impl Drop for Runtime {
    /// Wherever that is: inside another's runtime nobody may wait.
    fn drop(&mut self) {
        if let Some(runtime) = self.0.take() {
            runtime.shutdown_background();
        }
    }
}

/// What is under way.
pub(super) struct Working {
    pub id: u64,
    pub kind: SyncKind,
    /// The run that is at work.
    pub run: Option<i64>,
    started: Instant,
    started_at: Timestamp,
    reins: Reins,
    thread: Option<JoinHandle<()>>,
}

/// What whoever looks on can do to work, and see of it.
#[derive(Clone)]
pub(super) struct Reins {
    pub progress: Progress,
    pub control: Control,
    is_ending: Arc<AtomicBool>,
    wish: watch::Sender<Wish>,
}

impl Reins {
    fn new() -> Self {
        let (wish, _) = watch::channel(Wish::Go);
        Self { progress: Progress::default(), control: Control::default(), is_ending: Arc::default(), wish }
    }

    fn pause(&self) {
        self.is_ending.store(true, Ordering::Release);
        self.progress.stop();
        self.control.pause();
        self.wish.send_replace(Wish::Soon);
    }

    fn cancel(&self) {
        self.is_ending.store(true, Ordering::Release);
        self.progress.stop();
        self.control.cancel();
    }
}

/// What a piece of work has at hand, on its thread.
pub(super) struct At {
    session: Session,
    handle: Handle,
    kind: SyncKind,
    pub reins: Reins,
}

impl At {
    /// Waits for an answer, unless the account is let go of before, or whoever wished for an end has waited enough: a
    /// service that does not answer is asked again for minutes.
    pub fn wait<T>(&self, work: impl Future<Output = T>) -> Answer<T> {
        let (mut now, mut soon) = (self.reins.wish.subscribe(), self.reins.wish.subscribe());
        let grace = match self.kind {
            SyncKind::Pull => Some(GRACE),
            SyncKind::Run => Some(LONG_GRACE),
            // What it tries things on is not left behind.
            SyncKind::Probe => None,
        };
        let enough = async {
            match (grace, soon.wait_for(|wish| *wish == Wish::Soon).await) {
                (Some(grace), Ok(_)) => sleep(grace).await,
                _ => std::future::pending().await,
            }
        };
        let ended = self.handle.block_on(async {
            tokio::select! {
                done = work => Ok(done),
                _ = now.wait_for(|wish| *wish == Wish::Now) => Err(Refusal::Ending),
                () = enough => Err(Refusal::Failed(Failed::Stopped)),
            }
        });
        if let Err(Refusal::Failed(Failed::Stopped)) = &ended {
            // Nobody else of this program works with the service, and no other has the file.
            self.session.core().write_quietly(|tx| Ok(screens::let_go(tx)?))?;
        }
        ended
    }
}

impl Session {
    pub(super) fn handle(&self) -> Answer<Handle> {
        let mut runtime = self.inner.runtime.lock().unwrap_or_else(PoisonError::into_inner);
        if self.state().is_ended {
            return Err(Refusal::Ending);
        }
        if let Some(runtime) = &runtime.0 {
            return Ok(runtime.handle().clone());
        }
        let made = Builder::new_multi_thread().worker_threads(1).thread_name("roost-sync").enable_all().build();
        let made = made.map_err(|_| Refusal::Ending)?;
        let handle = made.handle().clone();
        runtime.0 = Some(made);
        Ok(handle)
    }

    /// Waits for something short, on a thread that may.
    pub(super) fn wait<T: Send + 'static>(&self, work: impl Future<Output = T> + Send + 'static) -> Answer<T> {
        let handle = self.handle()?;
        let (tell, told) = mpsc::sync_channel(1);
        handle.spawn(async move {
            // Whoever asked may be gone.
            let _ = tell.send(work.await);
        });
        told.recv().map_err(|_| Refusal::Ending)
    }

    /// Only one works with the service; settings do not change under it.
    pub(super) fn is_idle(&self) -> Answer<()> {
        if self.state().work.is_some() { Err(Refusal::AtWork) } else { Ok(()) }
    }

    /// Begins work on a thread of its own.
    pub(super) fn begin(
        &self,
        kind: SyncKind,
        run: Option<i64>,
        work: impl FnOnce(&Session, &At) -> Answer<()> + Send + 'static,
    ) -> Answer<u64> {
        let handle = self.handle()?;
        let reins = Reins::new();
        let at = At { session: self.clone(), handle, kind, reins: reins.clone() };
        let mut state = self.state();
        if state.is_ended {
            return Err(Refusal::Ending);
        }
        if state.work.is_some() {
            return Err(Refusal::AtWork);
        }
        state.last_work += 1;
        let id = state.last_work;
        let session = self.clone();
        let thread = thread::Builder::new().name("roost-sync-work".to_owned()).spawn(move || {
            let teller = Teller::new(&session);
            let ended = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| work(&session, &at)));
            drop(teller);
            session.ended(id, ended.unwrap_or(Err(Refusal::Failed(Failed::Ending))));
        });
        let thread = thread.map_err(|_| Refusal::Ending)?;
        let (started, started_at) = (Instant::now(), self.inner.core.ctx().now());
        state.failed = None;
        state.work = Some(Working { id, kind, run, started, started_at, reins, thread: Some(thread) });
        drop(state);
        self.moved();
        Ok(id)
    }

    fn ended(&self, id: u64, ended: Answer<()>) {
        let at = self.inner.core.ctx().now();
        let mut state = self.state();
        // Otherwise the account was let go of.
        if let Some(work) = state.work.take_if(|work| work.id == id) {
            let Working { kind, run, .. } = work;
            state.ended = Some(SyncEnded { id, kind, run, is_cut_short: ended.is_err() });
        }
        if let Err(why) = ended
            && !matches!(why, Refusal::Ending | Refusal::Failed(Failed::Stopped))
        {
            tracing::warn!(%why, "work with the service ended");
            state.failed = Some(why.told(at));
        }
        drop(state);
        self.moved();
    }

    /// What goes on, as a page shows it.
    pub fn work(&self) -> Option<SyncWork> {
        self.state().work()
    }

    /// Ends what goes on: a reading behind its page; a run sends nothing more.
    pub fn stop(&self) -> bool {
        let work = self.state().work.as_ref().map(|work| (work.kind, work.reins.clone()));
        match &work {
            Some((SyncKind::Run, reins)) => reins.cancel(),
            Some((_, reins)) => reins.pause(),
            None => return false,
        }
        self.moved();
        true
    }

    /// The same, if it is still this piece of work.
    pub fn stop_only(&self, id: u64) -> bool {
        let is_it = self.state().work.as_ref().is_some_and(|work| work.id == id);
        is_it && self.stop()
    }

    /// Sets a run aside at the end of its request; a reading ends behind its page.
    pub fn pause(&self) {
        if let Some(reins) = self.reins() {
            reins.pause();
            self.moved();
        }
    }

    fn reins(&self) -> Option<Reins> {
        self.state().work.as_ref().map(|work| work.reins.clone())
    }

    /// Waits until nothing goes on. For those who have no page to look at.
    pub fn finish(&self) {
        let thread = self.state().work.as_mut().and_then(|work| work.thread.take());
        if let Some(thread) = thread {
            // A panic was told of where it happened.
            let _ = thread.join();
        }
    }

    /// The account is about to be let go of: what goes on is set aside, and nothing is begun any more. Blocks until
    /// nobody is at the account.
    pub fn end(&self) {
        let working = {
            let mut state = self.state();
            state.is_ended = true;
            state.key = None;
            state.client = None;
            state.work.take()
        };
        if let Some(mut working) = working {
            working.reins.pause();
            let until = Instant::now() + GRACE;
            if let Some(thread) = working.thread.take() {
                while !thread.is_finished() && Instant::now() < until {
                    thread::sleep(Duration::from_millis(5));
                }
                working.reins.wish.send_replace(Wish::Now);
                let _ = thread.join();
            }
        }
        let runtime = self.inner.runtime.lock().unwrap_or_else(PoisonError::into_inner).0.take();
        if let Some(runtime) = runtime {
            // It waits for those who are at the account; in a runtime of another's that is not allowed.
            let _ = thread::Builder::new().spawn(move || drop(runtime)).map(JoinHandle::join);
        }
    }
}

impl State {
    pub(super) fn work(&self) -> Option<SyncWork> {
        let retry = self.client.as_ref().and_then(|(_, client)| client.retry());
        self.work.as_ref().map(|work| work.shown(retry))
    }
}

impl Working {
    fn shown(&self, retry: Option<Retry>) -> SyncWork {
        let now = self.reins.progress.now();
        SyncWork {
            id: self.id,
            kind: self.kind,
            place: now.place.map(SyncNoun::of),
            what: now.what,
            page: now.page,
            pages: now.pages,
            rows: now.rows,
            rows_total: now.rows_total,
            started_at: self.started_at,
            elapsed_ms: u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX),
            is_ending: self.reins.is_ending.load(Ordering::Acquire),
            retry: retry.map(|Retry { number, status }| SyncRetry { number, status }),
        }
    }
}

/// Tells of progress a few times a second, for as long as it lives.
struct Teller {
    /// Dropped, it ends.
    _stop: Option<mpsc::Sender<()>>,
}

impl Teller {
    fn new(session: &Session) -> Self {
        let session = session.clone();
        let (stop, stopped) = mpsc::channel::<()>();
        let tell = move || {
            let mut told = None;
            while stopped.recv_timeout(TOLD_EVERY) == Err(mpsc::RecvTimeoutError::Timeout) {
                let now = session.work().map(|work| SyncWork { elapsed_ms: 0, ..work });
                if now != told {
                    told = now;
                    (session.inner.listener)();
                }
            }
        };
        // Without it nobody hears how far it is, and that is all.
        let begun = thread::Builder::new().name("roost-sync-told".to_owned()).spawn(tell);
        Self { _stop: begun.ok().map(|_| stop) }
    }
}
