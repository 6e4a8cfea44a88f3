//! Copies an account before an act that changes many records, and before a pull that removes something.
//!
//! The copy has the state before the act, but the act does not wait for it: SQLite reads one state to the end, whatever
//! is committed meanwhile. The act only waits until the copy has begun to read.

use std::{
    fs, io,
    path::Path,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
        mpsc,
    },
    thread::{self, JoinHandle},
};

use rusqlite::Connection;

use crate::{
    change_log::{ActorKind, ChangeAction, ChangeLogEntry},
    error::{Result, StoreError},
    files::{
        copies::{self, CopyReason},
        lock::FileLock,
        whole_file::parent_folder,
    },
    open::{self, FULL_CHECK_MAX, upkeep::backup},
    tables::{steps::log, sync::lease},
    tx::ReadTx,
};

/// An act that changes as many records is copied before. The guide for operations states the number.
const BULK_RECORDS: u64 = 1_000;
/// A copy that has run this many instructions of SQLite's virtual machine is reading. Everything before is shorter, and
/// a copy that began too late differs from the state before the act, so it is not kept.
const BEGUN_INSTRUCTIONS: i32 = 1_000;

/// What an act is about to commit.
pub(super) struct LargeAct<'a> {
    pub source: ActorKind,
    pub changes: &'a [ChangeLogEntry],
    /// The name that the act gave itself.
    pub name: &'static str,
    /// The number of recorded rows.
    pub rows: u64,
}

pub(super) struct SafetyCopies {
    lock: Arc<FileLock>,
    state: Mutex<CopyState>,
    /// Whether the last copy that was needed could not be made.
    has_failed: Arc<AtomicBool>,
}

#[derive(Default)]
struct CopyState {
    thread: Option<JoinHandle<()>>,
    /// The owner of the lease of the last pull that was copied before.
    pull: Option<String>,
}

impl SafetyCopies {
    pub(super) fn new(lock: &Arc<FileLock>) -> Self {
        Self { lock: Arc::clone(lock), state: Mutex::default(), has_failed: Arc::default() }
    }

    fn lock_state(&self) -> MutexGuard<'_, CopyState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn has_failed(&self) -> bool {
        self.has_failed.load(Ordering::Acquire)
    }

    /// Waits for the copy that is being made.
    pub(super) fn finish(&self) {
        let thread = self.lock_state().thread.take();
        if let Some(Err(_)) = thread.map(JoinHandle::join) {
            tracing::error!("the copy of an account ended with a panic");
        }
    }

    /// Begins to copy the state before an act, whose transaction has not been committed. Every such act can be undone or
    /// leaves its records in the trash, so it goes on if no copy can be made.
    pub(super) fn begin_before(&self, tx: &Connection, act: &LargeAct) {
        if let Err(why) = self.find_reason(tx, act).and_then(|reason| reason.map_or(Ok(()), |one| self.begin(one))) {
            report_failure(&why, &self.has_failed);
        }
    }

    fn find_reason(&self, tx: &Connection, act: &LargeAct) -> Result<Option<CopyReason>> {
        let is_removal = act.changes.iter().any(|change| change.action == ChangeAction::Deleted);
        let is_of_sync = act.source == ActorKind::Sync || act.name.starts_with("sync_remove");
        if is_removal
            && is_of_sync
            && let Some(pull) = lease::find_pull(tx)?
        {
            // A pull commits often, and what matters is the state before its first removal.
            let last = self.lock_state().pull.replace(pull.clone());
            return Ok((last != Some(pull)).then_some(CopyReason::Pull));
        }
        let records = act.rows.max(act.changes.iter().map(|change| change.count).sum());
        // What a program adds or changes through the interface is its everyday work, and comes as often.
        let is_bulk = records >= BULK_RECORDS && (is_removal || act.source.is_by_person());
        Ok((is_bulk && act.source != ActorKind::Sync).then_some(CopyReason::BulkAct))
    }

    /// Copies the committed state in a thread, and returns once it is being read. If a copy is being made already, it has
    /// the state before an act of these seconds, and one copy is enough for all of them.
    fn begin(&self, reason: CopyReason) -> Result<()> {
        let mut state = self.lock_state();
        if state.thread.as_ref().is_some_and(|thread| !thread.is_finished()) {
            return Ok(());
        }
        self.lock.check_file_in_place()?;
        let account = self.lock.path();
        let before = open::open_reader(account)?;
        before.execute_batch("BEGIN")?;
        if is_copied(account, &log::read_last_line(&ReadTx::new(&before))?) {
            self.has_failed.store(false, Ordering::Release);
            return Ok(());
        }
        check_room(account)?;
        let mut conn = open::open_reader(account)?;
        // Reading the schema takes instructions as well.
        conn.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()))?;
        let (begun, has_begun) = mpsc::sync_channel(1);
        conn.progress_handler(
            BEGUN_INSTRUCTIONS,
            Some(move || {
                let _ = begun.try_send(());
                false
            }),
        )?;
        let (lock, has_failed) = (Arc::clone(&self.lock), Arc::clone(&self.has_failed));
        let work = move || match copies::make_copy_of(&before, &conn, lock.path(), reason) {
            Ok(copy) => {
                has_failed.store(false, Ordering::Release);
                tracing::info!(copy = %copy.display(), "copied the account before a large change");
            }
            Err(why) => report_failure(&why, &has_failed),
        };
        let thread = thread::Builder::new().name("copy".to_owned()).spawn(work);
        state.thread = Some(thread.map_err(|source| StoreError::Io { path: account.to_owned(), source })?);
        // Fails when the thread ends before, because a small copy takes fewer instructions.
        let _ = has_begun.recv();
        Ok(())
    }
}

fn report_failure(why: &StoreError, has_failed: &AtomicBool) {
    has_failed.store(true, Ordering::Release);
    tracing::error!(%why, "the account could not be copied before a large change, which was made all the same");
}

/// Returns whether the newest copy has the state whose log ends with this line. A large copy is not read as a whole,
/// because somebody waits.
fn is_copied(account: &Path, last: &Option<String>) -> bool {
    copies::list_copies(account).first().is_some_and(|newest| {
        let is_large = fs::metadata(&newest.path).is_ok_and(|about| about.len() > FULL_CHECK_MAX);
        backup::read_last_change(&newest.path).is_ok_and(|line| line == *last)
            && (is_large || copies::is_sound(&newest.path))
    })
}

/// Fails unless there is room for two copies, so that no act lacks the room that its copy takes.
#[cfg(unix)]
fn check_room(account: &Path) -> Result<()> {
    let io = |source| StoreError::Io { path: account.to_owned(), source };
    let device = rustix::fs::statvfs(parent_folder(account)).map_err(|why| io(why.into()))?;
    let size = fs::metadata(account).map_err(io)?.len();
    if device.f_bavail.saturating_mul(device.f_frsize) < 2 * size {
        return Err(io(io::Error::new(io::ErrorKind::StorageFull, "its device has no room for a copy")));
    }
    Ok(())
}

#[cfg(not(unix))]
fn check_room(_: &Path) -> Result<()> {
    Ok(())
}
