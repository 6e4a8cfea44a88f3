//! Runs the work of an import on a background thread, with progress and cancellation.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    thread::JoinHandle,
    time::Instant,
};

use roost_store::{error::StoreError, watch::Watch};

use super::{
    ImportSession,
    reports::{ImportProgress, ImportWork},
};
use roost_ops::{
    core::Core,
    error::{Error, Result},
};

/// Work that is running.
pub(super) struct RunningWork {
    pub work: ImportWork,
    pub watch: Arc<Watch>,
    pub bytes: Arc<AtomicU64>,
    pub bytes_total: u64,
    /// The file that is being read.
    pub file: Option<u32>,
    /// Whether the work accepts no more files.
    pub is_closed: bool,
    started_at: Instant,
    thread: Option<JoinHandle<()>>,
}

impl RunningWork {
    /// Returns whether files that are added now will still be read.
    pub(super) fn can_read_more(&self) -> bool {
        self.work == ImportWork::Read && !self.is_closed && !self.watch.is_cancelled()
    }

    pub(super) fn progress(&self) -> ImportProgress {
        let (rows, elapsed) = (self.watch.rows(), self.started_at.elapsed());
        ImportProgress {
            work: self.work,
            rows,
            rows_total: self.watch.expected(),
            bytes: self.bytes.load(Ordering::Relaxed).min(self.bytes_total),
            bytes_total: self.bytes_total,
            rows_per_second: rows_per_second(rows, elapsed.as_millis()),
            elapsed_ms: u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX),
            is_ending: self.watch.is_cancelled(),
        }
    }
}

pub(super) fn rows_per_second(rows: u64, millis: u128) -> u64 {
    u64::try_from(u128::from(rows) * 1_000 / millis.max(1)).unwrap_or(u64::MAX)
}

/// The context of running work: everything that it has access to.
pub(super) struct WorkContext {
    pub session: Arc<ImportSession>,
    pub core: Core,
    pub watch: Arc<Watch>,
    pub bytes: Arc<AtomicU64>,
    pub started_at: Instant,
}

/// Reports a failure if the thread ends without reporting a result.
struct EndGuard(Arc<ImportSession>, Arc<Watch>);

impl Drop for EndGuard {
    fn drop(&mut self) {
        self.0.finish_work(&self.1, Err(Error::conflict("The operation stopped before it finished. Start it again.")));
    }
}

impl ImportSession {
    /// Starts work on a thread, after ending the work that is running.
    pub(super) fn start_work(
        self: &Arc<Self>,
        core: &Core,
        work: ImportWork,
        bytes_total: u64,
        f: impl FnOnce(&WorkContext) -> Result<()> + Send + 'static,
    ) -> Result<()> {
        self.end_work()?;
        let (watch, bytes, began) = (Arc::new(Watch::default()), Arc::new(AtomicU64::new(0)), Instant::now());
        let context = WorkContext {
            session: Arc::clone(self),
            core: core.clone(),
            watch: Arc::clone(&watch),
            bytes: Arc::clone(&bytes),
            started_at: began,
        };
        let mut state = self.lock_state();
        state.check_open()?;
        state.fault = None;
        let run = move || {
            let _guard = EndGuard(Arc::clone(&context.session), Arc::clone(&context.watch));
            let done = f(&context);
            let WorkContext { session, core, watch, .. } = context;
            // The core is released first, so that whoever waits for this work can close the account.
            drop(core);
            session.finish_work(&watch, done);
        };
        let thread = std::thread::Builder::new()
            .name("import".to_owned())
            .spawn(run)
            .map_err(|why| Error::conflict(format!("The operation cannot start: {why}.")))?;
        state.working = Some(RunningWork {
            work,
            watch,
            bytes,
            bytes_total,
            file: None,
            is_closed: false,
            started_at: began,
            thread: Some(thread),
        });
        Ok(())
    }

    /// Records the end of the work. Its results are already in the state.
    fn finish_work(&self, watch: &Arc<Watch>, done: Result<()>) {
        let mut state = self.lock_state();
        // Other work has replaced it, or it has reported its end already.
        if !state.working.as_ref().is_some_and(|working| Arc::ptr_eq(&working.watch, watch)) {
            return;
        }
        state.working = None;
        state.generation += 1;
        state.fault = match done {
            Ok(()) => None,
            Err(Error::Store(StoreError::Cancelled)) => Some("The operation was cancelled.".to_owned()),
            Err(why) => Some(why.to_string()),
        };
        drop(state);
        self.changed.notify_all();
    }

    /// Ends the running work and waits for it. Fails while the import is being accepted, because only the person may
    /// cancel that.
    pub(super) fn end_work(&self) -> Result<()> {
        let is_accepting = self.lock_state().working.as_ref().is_some_and(|working| working.work == ImportWork::Accept);
        if is_accepting {
            return Err(Error::conflict("The import is being accepted. Wait until it finishes, or cancel it."));
        }
        self.cancel();
        Ok(())
    }

    /// Ends any running work and waits for it.
    pub(super) fn cancel(&self) {
        let thread = {
            let mut state = self.lock_state();
            let Some(working) = &mut state.working else { return };
            working.watch.cancel();
            working.thread.take()
        };
        if let Some(thread) = thread {
            // The panic hook has already reported a thread that panicked.
            let _ = thread.join();
        }
    }

    /// Changes the state of the import from within its work, unless other work has replaced it.
    pub(super) fn update_state(
        &self,
        context: &WorkContext,
        change: impl FnOnce(&mut super::SessionState),
    ) -> Result<()> {
        let mut state = self.lock_state();
        if !state.working.as_ref().is_some_and(|working| Arc::ptr_eq(&working.watch, &context.watch)) {
            return Err(StoreError::Cancelled.into());
        }
        change(&mut state);
        state.generation += 1;
        drop(state);
        self.changed.notify_all();
        Ok(())
    }
}
