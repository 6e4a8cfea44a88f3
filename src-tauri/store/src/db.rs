//! An open database: one writer, a few readers, and the one function that owns transactions.

use std::{
    collections::BTreeSet,
    path::Path,
    sync::{
        Mutex, MutexGuard, PoisonError, TryLockError,
        atomic::{AtomicU64, AtomicUsize, Ordering},
    },
};

use roost_model::time::Timestamp;
use rusqlite::{Connection, TransactionBehavior};

use crate::{
    change_log::{self, Noun, Source},
    error::{Error, Result},
    lock::FileLock,
    migrate::Steps,
    open,
    tx::{ReadTx, WriteTx},
};

/// Connections that answer reads beside the writer of a file.
const READERS: usize = 3;

pub struct Db {
    /// Dropped before the writer: only a writer that closes last folds the write-ahead log into the file.
    readers: Vec<Mutex<Connection>>,
    writer: Mutex<Connection>,
    next_reader: AtomicUsize,
    generation: AtomicU64,
    /// Writers at work or waiting.
    writers: AtomicUsize,
    /// A file is history; a database in memory must not grow with the number of requests.
    keeps_history: bool,
    _lock: Option<FileLock>,
}

/// Counts a writer for as long as it lives, whatever ends it.
struct AtWork<'a>(&'a AtomicUsize);

impl<'a> AtWork<'a> {
    fn begin(writers: &'a AtomicUsize) -> Self {
        writers.fetch_add(1, Ordering::AcqRel);
        Self(writers)
    }
}

impl Drop for AtWork<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}

/// What a committed transaction changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Committed {
    pub seq: i64,
    pub nouns: Vec<Noun>,
}

/// When and by whom a transaction is made.
#[derive(Debug, Clone, Copy)]
pub struct Stamp {
    pub at: Timestamp,
    pub source: Source,
}

impl Db {
    pub fn open(path: &Path) -> Result<Self> {
        let opened = open::file(path, READERS, &Steps::shipped())?;
        Ok(Self::assemble(opened.writer, opened.readers, Some(opened.lock)))
    }

    pub fn in_memory() -> Result<Self> {
        Ok(Self::assemble(open::in_memory()?, Vec::new(), None))
    }

    fn assemble(writer: Connection, readers: Vec<Connection>, lock: Option<FileLock>) -> Self {
        Self {
            writer: Mutex::new(writer),
            readers: readers.into_iter().map(Mutex::new).collect(),
            next_reader: AtomicUsize::new(0),
            generation: AtomicU64::new(0),
            writers: AtomicUsize::new(0),
            keeps_history: lock.is_some(),
            _lock: lock,
        }
    }

    /// Grows with every commit: whoever keeps an answer knows when it is stale.
    pub fn generation(&self) -> u64 {
        self.generation.load(Ordering::Acquire)
    }

    /// Whether a short read would be answered at once. A database in memory has one connection, which a writer may hold;
    /// other short reads are no reason to wait elsewhere.
    pub fn is_read_ready(&self) -> bool {
        if self.readers.is_empty() {
            return self.writers.load(Ordering::Acquire) == 0;
        }
        self.readers.iter().any(|reader| !matches!(reader.try_lock(), Err(TryLockError::WouldBlock)))
    }

    /// A panic in a transaction rolled it back; the connection itself is sound.
    fn hold(conn: &Mutex<Connection>) -> MutexGuard<'_, Connection> {
        conn.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn reader(&self) -> MutexGuard<'_, Connection> {
        if self.readers.is_empty() {
            return Self::hold(&self.writer);
        }
        let start = self.next_reader.fetch_add(1, Ordering::Relaxed);
        for step in 0..self.readers.len() {
            if let Ok(conn) = self.readers[(start + step) % self.readers.len()].try_lock() {
                return conn;
            }
        }
        Self::hold(&self.readers[start % self.readers.len()])
    }

    /// Runs `f` on a consistent view.
    pub fn read<T, E: From<Error>>(
        &self,
        f: impl FnOnce(&ReadTx) -> std::result::Result<T, E>,
    ) -> std::result::Result<T, E> {
        let conn = self.reader();
        let tx = conn.unchecked_transaction().map_err(Error::from)?;
        let answer = f(&ReadTx::new(&tx))?;
        tx.finish().map_err(Error::from)?;
        Ok(answer)
    }

    /// Begins, runs `f`, records its changes, commits. An error of `f` leaves nothing behind.
    pub fn write<T, E: From<Error>>(
        &self,
        stamp: Stamp,
        f: impl FnOnce(&WriteTx) -> std::result::Result<T, E>,
    ) -> std::result::Result<(T, Option<Committed>), E> {
        let _at_work = AtWork::begin(&self.writers);
        let mut conn = Self::hold(&self.writer);
        let tx = conn.transaction_with_behavior(TransactionBehavior::Immediate).map_err(Error::from)?;
        let write = WriteTx::new(&tx);
        let answer = f(&write)?;
        let changes = write.take_changes();
        let committed = if changes.is_empty() {
            None
        } else {
            let seq = change_log::append(&write, stamp.at, stamp.source, &changes, self.keeps_history)?;
            let nouns: BTreeSet<Noun> = changes.iter().map(|c| c.noun).collect();
            Some(Committed { seq, nouns: nouns.into_iter().collect() })
        };
        tx.commit().map_err(Error::from)?;
        self.generation.fetch_add(1, Ordering::AcqRel);
        Ok((answer, committed))
    }

    /// Schema version of the open database: always the newest this program knows.
    pub fn schema_version() -> i32 {
        Steps::shipped().newest()
    }

    /// Asks SQLite whether the whole database is sound; `ok` when it is.
    pub fn integrity(&self) -> Result<String> {
        let conn = Self::hold(&self.writer);
        Ok(conn.query_row("PRAGMA integrity_check", [], |row| row.get(0))?)
    }
}
