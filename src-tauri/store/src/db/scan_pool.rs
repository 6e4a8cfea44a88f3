//! Connections for long reads. They are opened when first needed and lent for one scan.

use std::{
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use rusqlite::Connection;

use crate::{
    error::{Result, StoreError},
    files::lock::FileLock,
    open,
    tx::ReadTx,
    watch::Watch,
};

/// Most threads of one scan. The window and a writer need a core as well.
pub const MAX_THREADS: usize = 2;
/// How often a scan that waits for a connection checks for cancellation.
const CANCEL_CHECK_INTERVAL: Duration = Duration::from_millis(5);
/// How often a statement checks for cancellation, in instructions of SQLite's virtual machine. This is about every
/// millisecond.
const CANCEL_CHECK_INSTRUCTIONS: i32 = 20_000;

pub struct ScanPool {
    lock: Arc<FileLock>,
    state: Mutex<PoolState>,
    returned: Condvar,
}

#[derive(Default)]
struct PoolState {
    idle: Vec<Connection>,
    opened: usize,
}

/// A connection on loan, in a transaction. It ends the transaction and returns to the pool however the scan ends.
struct LentConnection<'s> {
    conn: Option<Connection>,
    pool: &'s ScanPool,
}

impl Drop for LentConnection<'_> {
    fn drop(&mut self) {
        let Some(mut conn) = self.conn.take() else { return };
        let is_sound = conn.progress_handler(0, None::<fn() -> bool>).is_ok()
            && (conn.is_autocommit() || conn.execute_batch("ROLLBACK").is_ok());
        let mut state = self.pool.lock_state();
        if is_sound {
            state.idle.push(conn);
        } else {
            state.opened -= 1;
        }
        drop(state);
        self.pool.returned.notify_all();
    }
}

impl LentConnection<'_> {
    /// Begins a transaction and returns the last line of the change log that it sees.
    fn begin(&mut self, watch: &Arc<Watch>) -> Result<i64> {
        let Some(conn) = &mut self.conn else { return Err(StoreError::Cancelled) };
        if !conn.is_autocommit() {
            conn.execute_batch("ROLLBACK")?;
        }
        let looked = Arc::clone(watch);
        conn.progress_handler(CANCEL_CHECK_INSTRUCTIONS, Some(move || looked.is_cancelled()))?;
        conn.execute_batch("BEGIN")?;
        Ok(conn.query_row("SELECT coalesce(max(seq), 0) FROM changes", [], |row| row.get(0))?)
    }
}

impl ScanPool {
    pub(crate) fn new(lock: &Arc<FileLock>) -> Self {
        Self { lock: Arc::clone(lock), state: Mutex::default(), returned: Condvar::new() }
    }

    fn lock_state(&self) -> MutexGuard<'_, PoolState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lends at least one connection and at most `most`.
    fn lend(&self, watch: &Watch, most: usize) -> Result<Vec<LentConnection<'_>>> {
        let mut lent = Vec::new();
        let mut state = self.lock_state();
        loop {
            if watch.is_cancelled() {
                return Err(StoreError::Cancelled);
            }
            while lent.len() < most {
                let conn = match state.idle.pop() {
                    Some(conn) => conn,
                    None if state.opened < MAX_THREADS => {
                        self.lock.check_file_in_place()?;
                        let conn = open::open_reader(self.lock.path())?;
                        state.opened += 1;
                        conn
                    }
                    None => break,
                };
                lent.push(LentConnection { conn: Some(conn), pool: self });
            }
            if !lent.is_empty() {
                return Ok(lent);
            }
            state = self.returned.wait_timeout(state, CANCEL_CHECK_INTERVAL).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    pub(crate) fn scan<T: Send, E: From<StoreError> + Send>(
        &self,
        watch: &Arc<Watch>,
        most: usize,
        f: impl Fn(&ReadTx) -> std::result::Result<T, E> + Sync,
    ) -> std::result::Result<Vec<T>, E> {
        let mut lent = self.lend(watch, most)?;
        // If a commit falls between two of the beginnings, the transactions see different states and all of them begin
        // again.
        loop {
            let mut seen = Vec::with_capacity(lent.len());
            for hand in &mut lent {
                seen.push(hand.begin(watch)?);
            }
            if seen.windows(2).all(|two| two[0] == two[1]) {
                break;
            }
        }
        let work = &f;
        let run = |mut hand: LentConnection| match &mut hand.conn {
            Some(conn) => work(&ReadTx::new(conn)),
            None => Err(StoreError::Cancelled.into()),
        };
        let answers: Vec<std::result::Result<T, E>> = std::thread::scope(|scope| {
            let own = lent.pop();
            let others: Vec<_> = lent.into_iter().map(|hand| scope.spawn(move || run(hand))).collect();
            let own = own.map(run);
            let others = others.into_iter().map(|thread| match thread.join() {
                Ok(answer) => answer,
                Err(panic) => std::panic::resume_unwind(panic),
            });
            others.chain(own).collect()
        });
        if watch.is_cancelled() {
            return Err(StoreError::Cancelled.into());
        }
        answers.into_iter().collect()
    }
}
