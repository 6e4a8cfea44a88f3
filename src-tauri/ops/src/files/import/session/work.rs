//! Work of an import on a thread of its own: watched, ended, and told.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    thread::JoinHandle,
    time::Instant,
};

use roost_store::{error::Error as StoreError, watch::Watch};

use super::{
    Session,
    told::{ImportProgress, ImportWork},
};
use crate::{
    core::Core,
    error::{Error, Result},
};

/// Work under way.
pub(super) struct Working {
    pub work: ImportWork,
    pub watch: Arc<Watch>,
    pub bytes: Arc<AtomicU64>,
    pub bytes_total: u64,
    /// The file that is read.
    pub file: Option<u32>,
    /// It looks for no more files.
    pub is_closing: bool,
    began: Instant,
    thread: Option<JoinHandle<()>>,
}

impl Working {
    /// Files that wait are still looked for.
    pub fn goes_on_reading(&self) -> bool {
        self.work == ImportWork::Read && !self.is_closing && !self.watch.is_cancelled()
    }

    pub fn progress(&self) -> ImportProgress {
        let (rows, elapsed) = (self.watch.rows(), self.began.elapsed());
        ImportProgress {
            work: self.work,
            rows,
            rows_total: self.watch.expected(),
            bytes: self.bytes.load(Ordering::Relaxed).min(self.bytes_total),
            bytes_total: self.bytes_total,
            rows_per_second: per_second(rows, elapsed.as_millis()),
            elapsed_ms: u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX),
            is_ending: self.watch.is_cancelled(),
        }
    }
}

pub(super) fn per_second(rows: u64, millis: u128) -> u64 {
    u64::try_from(u128::from(rows) * 1_000 / millis.max(1)).unwrap_or(u64::MAX)
}

/// What work looks at while it goes on.
pub(super) struct Hands {
    pub session: Arc<Session>,
    pub core: Core,
    pub watch: Arc<Watch>,
    pub bytes: Arc<AtomicU64>,
    pub began: Instant,
}

/// Tells the import that its thread came to nothing, should it not say anything itself.
struct Told(Arc<Session>, Arc<Watch>);

impl Drop for Told {
    fn drop(&mut self) {
        self.0.published(&self.1, Err(Error::conflict("It ended before it was done. Start it again.")));
    }
}

impl Session {
    /// Starts work on a thread, in the place of what was under way.
    pub(super) fn start(
        self: &Arc<Self>,
        core: &Core,
        work: ImportWork,
        bytes_total: u64,
        f: impl FnOnce(&Hands) -> Result<()> + Send + 'static,
    ) -> Result<()> {
        self.end_work()?;
        let (watch, bytes, began) = (Arc::new(Watch::default()), Arc::new(AtomicU64::new(0)), Instant::now());
        let hands = Hands {
            session: Arc::clone(self),
            core: core.clone(),
            watch: Arc::clone(&watch),
            bytes: Arc::clone(&bytes),
            began,
        };
        let mut standing = self.hold();
        standing.check_open()?;
        standing.fault = None;
        let run = move || {
            let _told = Told(Arc::clone(&hands.session), Arc::clone(&hands.watch));
            let done = f(&hands);
            let Hands { session, core, watch, .. } = hands;
            // Whoever closes the account when the work has ended finds it let go of.
            drop(core);
            session.published(&watch, done);
        };
        let thread = std::thread::Builder::new()
            .name("import".to_owned())
            .spawn(run)
            .map_err(|why| Error::conflict(format!("It cannot be done now: {why}.")))?;
        standing.working = Some(Working {
            work,
            watch,
            bytes,
            bytes_total,
            file: None,
            is_closing: false,
            began,
            thread: Some(thread),
        });
        Ok(())
    }

    /// The work has ended, well or not. What it found, it has put down already.
    fn published(&self, watch: &Arc<Watch>, done: Result<()>) {
        let mut standing = self.hold();
        // Other work took its place, or it has spoken already.
        if !standing.working.as_ref().is_some_and(|working| Arc::ptr_eq(&working.watch, watch)) {
            return;
        }
        standing.working = None;
        standing.generation += 1;
        standing.fault = match done {
            Ok(()) => None,
            Err(Error::Store(StoreError::Cancelled)) => Some("It was cancelled.".to_owned()),
            Err(why) => Some(why.to_string()),
        };
        drop(standing);
        self.changed.notify_all();
    }

    /// Ends what is under way and waits for it, but for accepting, which is not ended by the way.
    pub(super) fn end_work(&self) -> Result<()> {
        let is_accepting = self.hold().working.as_ref().is_some_and(|working| working.work == ImportWork::Accept);
        if is_accepting {
            return Err(Error::conflict("The import is being accepted. Wait for its end, or cancel it."));
        }
        self.cancel();
        Ok(())
    }

    /// Ends whatever is under way and waits for it.
    pub(super) fn cancel(&self) {
        let thread = {
            let mut standing = self.hold();
            let Some(working) = &mut standing.working else { return };
            working.watch.cancel();
            working.thread.take()
        };
        if let Some(thread) = thread {
            // A thread that panicked has been told by the panic's own hook.
            let _ = thread.join();
        }
    }

    /// Changes what is known of the import from within its work, unless other work took its place.
    pub(super) fn put(&self, hands: &Hands, change: impl FnOnce(&mut super::Standing)) -> Result<()> {
        let mut standing = self.hold();
        if !standing.working.as_ref().is_some_and(|working| Arc::ptr_eq(&working.watch, &hands.watch)) {
            return Err(StoreError::Cancelled.into());
        }
        change(&mut standing);
        standing.generation += 1;
        drop(standing);
        self.changed.notify_all();
        Ok(())
    }
}
