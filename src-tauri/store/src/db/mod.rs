//! An open database has one writer and a few readers. Every transaction begins and ends here.

mod commit_numbers;
pub mod diff;
mod retention;
mod safety_copies;
pub mod scan_pool;
mod transaction;
mod unsynced;
mod write_priority;

use std::{
    collections::BTreeSet,
    ops::Deref,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError, TryLockError,
        atomic::{AtomicBool, AtomicI64, AtomicU64, AtomicUsize, Ordering},
    },
};

use roost_model::time::Timestamp;
use rusqlite::{Connection, config::DbConfig, ffi};

use self::{
    commit_numbers::next_commit_number,
    safety_copies::{LargeAct, SafetyCopies},
    scan_pool::ScanPool,
    transaction::OpenTransaction,
    write_priority::{ActiveWriter, ReplacementTurn},
};
use crate::{
    change_log::{ActorKind, ChangeAction, ChangeLogEntry, Noun},
    error::{Result, StoreError},
    files::{
        copies::{self, CopyReason},
        lock::FileLock,
        whole_file,
    },
    migrations::Migrations,
    open::{
        self,
        image::{Image, KnownImage},
        upkeep::reading,
    },
    page_cache::PageCache,
    row_changes::rewind::rewind_to,
    row_recorder::{self, RowRecorder, contacts_state::ContactsState},
    tables::{settings, steps, sync},
    tx::{ActDescription, ReadTx, WriteTx},
    watch::Watch,
};

/// Number of connections that serve reads beside the writer of a file.
const READERS: usize = 3;

pub struct Db {
    /// Copies the state before large acts. A database in memory has none.
    safety_copies: Option<SafetyCopies>,
    /// Connections for long reads. A database in memory has none.
    scanners: Option<ScanPool>,
    /// Dropped before the writer, because only a writer that closes last folds the write-ahead log into the file.
    readers: Vec<Mutex<Connection>>,
    writer: Mutex<WriterConnection>,
    next_reader: AtomicUsize,
    generation: AtomicU64,
    contacts: ContactsState,
    last_step: AtomicI64,
    damaged_log_copy: Option<PathBuf>,
    /// Number of writers that work or wait, without those whose writes are short.
    writers: AtomicUsize,
    /// Held while everything is replaced. Writers that arrive meanwhile wait for it first, because a mutex has no
    /// queue.
    turn: Mutex<()>,
    is_replacing: AtomicBool,
    /// Whether a copy of the file's original content exists.
    is_kept: AtomicBool,
    /// Whether the last commit failed.
    has_failed: AtomicBool,
    /// Whether a file's commits since it was opened have numbers that no other copy of the file has.
    has_own_numbers: AtomicBool,
    /// True for a file. A database in memory must not grow with the number of requests.
    keeps_history: bool,
    /// Dropped after every connection, as `files::identity` explains.
    lock: Option<Arc<FileLock>>,
}

impl Drop for Db {
    /// SQLite removes the write-ahead log by its name. If this file was replaced, that log belongs to the other file.
    fn drop(&mut self) {
        self.finish_copies();
        if self.check_file_in_place().is_err() {
            let writer = self.writer.get_mut().unwrap_or_else(PoisonError::into_inner);
            let folded = writer.conn.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()));
            let left = writer.conn.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true);
            if let Err(why) = folded.and(left.map(drop)) {
                tracing::warn!(%why, "an account file that is no longer in its place was not closed in good order");
            }
        }
    }
}

/// The connection that writes, and the recorder that its triggers call.
struct WriterConnection {
    conn: Connection,
    recorder: Arc<RowRecorder>,
    image: Option<KnownImage>,
}

impl WriterConnection {
    fn prepare(mut conn: Connection) -> Result<Self> {
        sync::tracking::update_triggers(&conn)?;
        sync::repair::repair_contacts(&conn)?;
        sync::lease::clear_lease(&conn)?;
        Ok(Self { recorder: RowRecorder::install(&mut conn)?, conn, image: None })
    }

    fn take_image(&mut self) -> Result<Image> {
        let changes = self.conn.total_changes();
        if let Some(image) = self.image.as_ref().and_then(|known| known.find(changes)) {
            return Ok(image);
        }
        let image = Image::from_connection(&mut self.conn)?;
        self.image = Some(KnownImage::new(&image, changes));
        Ok(image)
    }
}

/// A connection for a read, whichever was free.
enum HeldConnection<'a> {
    Reader(MutexGuard<'a, Connection>),
    Writer(MutexGuard<'a, WriterConnection>),
}

impl Deref for HeldConnection<'_> {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        match self {
            Self::Reader(conn) => conn,
            Self::Writer(writer) => &writer.conn,
        }
    }
}

/// A summary of what a committed transaction changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitSummary {
    pub seq: i64,
    pub step: i64,
    pub nouns: Vec<Noun>,
}

/// Whether the rows that a transaction changes are remembered, so that it can be undone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum UndoMemory {
    #[default]
    On,
    /// For changes that nobody undoes, such as filling an empty account.
    Off,
}

/// The time, the actor and the mode of a transaction.
#[derive(Debug, Clone)]
pub struct WriteOptions {
    pub at: Timestamp,
    pub source: ActorKind,
    pub memory: UndoMemory,
    pub watch: Option<Arc<Watch>>,
}

impl Db {
    pub fn open(path: &Path) -> Result<Self> {
        let opened = open::open_file(path, READERS, &Migrations::shipped())?;
        let mut db = Self::from_connections(opened.writer, opened.readers, Some(Arc::new(opened.lock)))?;
        db.damaged_log_copy = opened.damaged_log_copy;
        // A program was killed before it rewrote the file.
        if db.read(settings::unfinished_erasure)?.is_some()
            && let Err(why) = db.finish_erasure()
        {
            tracing::error!(%why, "traces of an erasure are still in unused parts of the account file, which cannot be rewritten now");
        }
        Ok(db)
    }

    /// Returns the copy of the file and its log that was made because the log was damaged and changes were lost.
    pub fn damaged_log_copy(&self) -> Option<&Path> {
        self.damaged_log_copy.as_deref()
    }

    /// Rewrites the file after an erasure, and only then forgets that this is necessary.
    pub fn finish_erasure(&self) -> Result<()> {
        self.rewrite_file()?;
        self.write_quietly(|tx| settings::set_unfinished_erasure(tx, None))
    }

    pub fn in_memory() -> Result<Self> {
        Self::from_connections(open::in_memory()?, Vec::new(), None)
    }

    /// Copies this account into memory as it is now, without its undo history and its queued work.
    pub fn copy_in_memory(&self) -> Result<Self> {
        let copy = open::copy_in_memory(&self.lock_reader())?;
        Self::from_connections(copy, Vec::new(), None)
    }

    /// Loads an image into a database in memory.
    pub fn from_image(image: &Image) -> Result<Self> {
        let mut db = Self::from_connections(open::from_image_beside_memory(image)?, Vec::new(), None)?;
        let writer = db.writer.get_mut().unwrap_or_else(PoisonError::into_inner);
        writer.image = Some(KnownImage::new(image, 0));
        Ok(db)
    }

    /// Takes an image of everything, including the undo history and the queued work.
    pub fn take_image(&self) -> Result<Image> {
        // A database in memory has one connection for everything. Counting this as work lets short reads know that it
        // is busy.
        let _at_work = ActiveWriter::begin(&self.writers);
        match self.lock_reader() {
            HeldConnection::Writer(mut writer) => writer.take_image(),
            HeldConnection::Reader(mut conn) => Image::from_connection(&mut conn),
        }
    }

    /// Returns the account as it was after a step, without queued work, or `None` when a later change was not
    /// remembered.
    pub fn image_after(&self, step: i64) -> Result<Option<Image>> {
        let copy = Self::from_image(&self.take_image()?.without_work()?)?;
        // The copy is private, so the time and the source do not matter.
        let stamp = WriteOptions {
            at: Timestamp::from_unix(0),
            source: ActorKind::Operator,
            memory: UndoMemory::Off,
            watch: None,
        };
        let (is_whole, _) = copy.write(stamp, |tx| rewind_to(tx, step))?;
        if is_whole { copy.take_image().map(Some) } else { Ok(None) }
    }

    /// Returns the newest step, or 0 before the first. A reader that sees a change also sees its step here.
    pub fn last_step(&self) -> i64 {
        self.last_step.load(Ordering::Acquire)
    }

    /// Copies the account beside its file, as before a replacement, and returns the path of the copy. Returns `None`
    /// for an account in memory.
    pub fn copy_beside(&self) -> Result<Option<PathBuf>> {
        let _at_work = ActiveWriter::begin(&self.writers);
        let _first = ReplacementTurn::take(self);
        let writer = Self::lock_connection(&self.writer);
        self.check_file_in_place()?;
        let path = writer.conn.path().filter(|_| self.scanners.is_some());
        let copy =
            path.map(|path| copies::make_copy(&writer.conn, Path::new(path), CopyReason::Replacement)).transpose()?;
        self.is_kept.fetch_or(copy.is_some(), Ordering::AcqRel);
        Ok(copy)
    }

    /// Replaces everything by an image and returns the last line of the log afterwards. `meanwhile` runs after the
    /// replacement while nobody reads or writes, so no write that began before it can follow it.
    pub fn replace(&self, image: &Image, meanwhile: impl FnOnce()) -> Result<i64> {
        let Some(_) = &self.scanners else {
            let mut fresh = WriterConnection::prepare(open::from_image(image)?)?;
            fresh.image = Some(KnownImage::new(image, 0));
            let _at_work = ActiveWriter::begin(&self.writers);
            let first = ReplacementTurn::take(self);
            let mut writer = Self::lock_connection(&self.writer);
            let _change = self.contacts.begin_change();
            let before = std::mem::replace(&mut *writer, fresh);
            self.last_step.store(steps::last_step(&ReadTx::new(&writer.conn))?, Ordering::Release);
            self.generation.fetch_add(1, Ordering::AcqRel);
            meanwhile();
            let last = steps::log::last_seq(&ReadTx::new(&writer.conn));
            // Freeing a large database takes a while, and nobody should wait for it.
            drop((writer, first));
            drop(before);
            return last;
        };
        let from = open::load_image(image)?;
        settings::set_creation_time(&from, self.read(settings::creation_time)?.as_deref())?;
        self.overwrite(&from, !self.is_kept.load(Ordering::Acquire), meanwhile)
    }

    /// Replaces everything in this account's file by the content of another file that nobody has open. Makes no copy of
    /// what was there, so the caller has made one if it is needed.
    pub fn replace_by_file(&self, file: &Path, meanwhile: impl FnOnce()) -> Result<i64> {
        let from = reading::connect(file)?;
        self.overwrite(&from, false, meanwhile)
    }

    /// Rewrites the file from its present content, so that nothing that was deleted is left in it or in its log.
    fn rewrite_file(&self) -> Result<()> {
        let Some(lock) = &self.lock else { return Ok(()) };
        let _at_work = ActiveWriter::begin(&self.writers);
        let _first = ReplacementTurn::take(self);
        let mut writer = Self::lock_connection(&self.writer);
        let _readers: Vec<_> = self.readers.iter().map(Self::lock_connection).collect();
        lock.check_file_in_place()?;
        self.begin_own_numbers(&writer)?;
        let io = |source| StoreError::Io { path: lock.path().to_owned(), source };
        let part = whole_file::create_beside(lock.path()).map_err(io)?;
        copies::copy_into(&writer.conn, part.path())?;
        let clean = Connection::open(part.path())?;
        writer.recorder.set_triggers(&writer.conn, false)?;
        clean.pragma_update(None, "user_version", next_commit_number(&writer.conn)?)?;
        open::copy_database(&clean, &mut writer.conn)?;
        sync::tracking::update_triggers(&writer.conn)?;
        self.generation.fetch_add(1, Ordering::AcqRel);
        let is_busy: bool = writer.conn.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))?;
        if is_busy {
            let code = ffi::Error::new(ffi::SQLITE_BUSY);
            return Err(rusqlite::Error::SqliteFailure(code, None).into());
        }
        Ok(())
    }

    fn overwrite(&self, from: &Connection, needs_copy: bool, meanwhile: impl FnOnce()) -> Result<i64> {
        let _at_work = ActiveWriter::begin(&self.writers);
        let _first = ReplacementTurn::take(self);
        let mut writer = Self::lock_connection(&self.writer);
        let _readers: Vec<_> = self.readers.iter().map(Self::lock_connection).collect();
        self.check_file_in_place()?;
        self.begin_own_numbers(&writer)?;
        // Copy the account first, so that work is not lost. An account that came from an image needs no copy: the image
        // can be loaded again.
        if let Some(path) = writer.conn.path().filter(|_| needs_copy) {
            copies::make_copy(&writer.conn, Path::new(path), CopyReason::Replacement)?;
            self.is_kept.store(true, Ordering::Release);
        }
        // The triggers name the columns of the present tables.
        writer.recorder.set_triggers(&writer.conn, false)?;
        from.pragma_update(None, "user_version", next_commit_number(&writer.conn)?)?;
        let change = self.contacts.begin_change();
        open::copy_database(from, &mut writer.conn)?;
        drop(change);
        self.last_step.store(steps::last_step(&ReadTx::new(&writer.conn))?, Ordering::Release);
        self.generation.fetch_add(1, Ordering::AcqRel);
        meanwhile();
        sync::tracking::update_triggers(&writer.conn)?;
        sync::lease::clear_lease(&writer.conn)?;
        steps::log::last_seq(&ReadTx::new(&writer.conn))
    }

    fn from_connections(writer: Connection, readers: Vec<Connection>, lock: Option<Arc<FileLock>>) -> Result<Self> {
        Ok(Self {
            last_step: AtomicI64::new(steps::last_step(&ReadTx::new(&writer))?),
            damaged_log_copy: None,
            writer: Mutex::new(WriterConnection::prepare(writer)?),
            readers: readers.into_iter().map(Mutex::new).collect(),
            next_reader: AtomicUsize::new(0),
            generation: AtomicU64::new(0),
            contacts: ContactsState::default(),
            writers: AtomicUsize::new(0),
            turn: Mutex::default(),
            is_replacing: AtomicBool::new(false),
            is_kept: AtomicBool::new(false),
            has_own_numbers: AtomicBool::new(false),
            has_failed: AtomicBool::new(false),
            keeps_history: lock.is_some(),
            safety_copies: lock.as_ref().map(SafetyCopies::new),
            scanners: lock.as_ref().map(ScanPool::new),
            lock,
        })
    }

    /// Removes the account's file on closing if this opening created it, for a start that is refused afterwards.
    pub fn discard_if_created(&self) {
        if let Some(lock) = &self.lock {
            lock.discard_if_created();
        }
    }

    /// Waits for the copy of the state before a large act, if one is being made.
    pub fn finish_copies(&self) {
        if let Some(copies) = &self.safety_copies {
            copies.finish();
        }
    }

    /// Returns whether the last large act could not be copied before.
    pub fn has_failed_copy(&self) -> bool {
        self.safety_copies.as_ref().is_some_and(SafetyCopies::has_failed)
    }

    /// Fails if the file was moved, deleted or replaced, because anything written to it would be lost.
    fn check_file_in_place(&self) -> Result<()> {
        self.lock.as_ref().map_or(Ok(()), |lock| lock.check_file_in_place())
    }

    /// Returns a number that grows with every commit, so that a cache can tell when an answer is stale.
    pub fn generation(&self) -> u64 {
        self.generation.load(Ordering::Acquire)
    }

    /// Returns whether a short read would be answered at once. A database in memory has one connection, which a writer
    /// may hold. Other short reads do not make it worth waiting on another thread.
    pub fn is_read_ready(&self) -> bool {
        if self.readers.is_empty() {
            return self.writers.load(Ordering::Acquire) == 0;
        }
        self.readers.iter().any(|reader| !matches!(reader.try_lock(), Err(TryLockError::WouldBlock)))
    }

    /// Returns whether a short write would be done at once: in memory nothing waits for a disk, and nothing long is under
    /// way.
    pub fn is_write_ready(&self) -> bool {
        self.lock.is_none() && self.writers.load(Ordering::Acquire) == 0
    }

    /// Locks a connection. If a transaction panicked, it was rolled back and the connection itself is sound.
    fn lock_connection<T>(conn: &Mutex<T>) -> MutexGuard<'_, T> {
        conn.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Locks the writer's connection. A pending replacement goes first.
    fn lock_writer(&self) -> MutexGuard<'_, WriterConnection> {
        if self.is_replacing.load(Ordering::Acquire) {
            drop(Self::lock_connection(&self.turn));
        }
        Self::lock_connection(&self.writer)
    }

    fn lock_reader(&self) -> HeldConnection<'_> {
        if self.readers.is_empty() {
            return HeldConnection::Writer(self.lock_writer());
        }
        let start = self.next_reader.fetch_add(1, Ordering::Relaxed);
        for step in 0..self.readers.len() {
            if let Ok(conn) = self.readers[(start + step) % self.readers.len()].try_lock() {
                return HeldConnection::Reader(conn);
            }
        }
        HeldConnection::Reader(Self::lock_connection(&self.readers[start % self.readers.len()]))
    }

    /// Runs `f` on a consistent view.
    pub fn read<T, E: From<StoreError>>(
        &self,
        f: impl FnOnce(&ReadTx) -> std::result::Result<T, E>,
    ) -> std::result::Result<T, E> {
        let conn = self.lock_reader();
        let seen = self.contacts.begin_read();
        let tx = OpenTransaction::begin_read(&conn).map_err(StoreError::from)?;
        let answer = f(&ReadTx::with_contacts_state(&tx, seen))?;
        tx.commit().map_err(StoreError::from)?;
        Ok(answer)
    }

    /// Runs `f` on up to `most` threads, all of which see the same state. It may take long: short reads do not wait for
    /// it, and `watch` interrupts a running statement.
    pub fn scan<T: Send, E: From<StoreError> + Send>(
        &self,
        watch: &Arc<Watch>,
        most: usize,
        f: impl Fn(&ReadTx) -> std::result::Result<T, E> + Sync,
    ) -> std::result::Result<Vec<T>, E> {
        match &self.scanners {
            Some(scanners) => scanners.scan(watch, most, f),
            None => {
                let writer = self.lock_writer();
                let _watched = writer.recorder.watch(Some(watch));
                let tx = writer.conn.unchecked_transaction().map_err(StoreError::from)?;
                let answer = f(&ReadTx::new(&tx))?;
                if watch.is_cancelled() { Err(StoreError::Cancelled.into()) } else { Ok(vec![answer]) }
            }
        }
    }

    /// Begins a transaction, runs `f`, records its changes and commits. If `f` fails, nothing changes.
    pub fn write<T, E: From<StoreError>>(
        &self,
        stamp: WriteOptions,
        f: impl FnOnce(&WriteTx) -> std::result::Result<T, E>,
    ) -> std::result::Result<(T, Option<CommitSummary>), E> {
        let _at_work = ActiveWriter::begin(&self.writers);
        self.write_short(stamp, f)
    }

    /// Does the same for a change of a few rows, for which nobody who finds the account busy needs to go elsewhere.
    pub fn write_short<T, E: From<StoreError>>(
        &self,
        stamp: WriteOptions,
        f: impl FnOnce(&WriteTx) -> std::result::Result<T, E>,
    ) -> std::result::Result<(T, Option<CommitSummary>), E> {
        let writer = self.lock_writer();
        let (conn, recorder) = (&writer.conn, &*writer.recorder);
        recorder.set_triggers(conn, stamp.memory == UndoMemory::On)?;
        let _watched = recorder.watch(stamp.watch.as_ref());
        let page_cache = PageCache::with_usual_size(conn);
        let tx = OpenTransaction::begin_write(conn).map_err(StoreError::from)?;
        let step = steps::begin_step(&ReadTx::new(&tx), stamp.at, stamp.source)?;
        let before = row_recorder::last_row(&tx)?;
        let write = WriteTx::new(&tx, step, recorder, stamp.watch, Some(&page_cache));
        let answer = f(&write)?;
        write.check_cancelled()?;
        let changes = write.take_changes();
        let committed = if changes.is_empty() {
            steps::abandon_step(&write, step)?;
            None
        } else {
            let after = row_recorder::last_row(&tx)?;
            if let (Some(copies), UndoMemory::On) = (&self.safety_copies, stamp.memory) {
                let rows = (after - before).unsigned_abs() + write.swapped_rows();
                copies.begin_before(
                    &tx,
                    &LargeAct { source: stamp.source, changes: &changes, name: write.act_name(), rows },
                );
            }
            end_step(&write, stamp.source, &changes, (after > before).then_some((before + 1, after)))?;
            let seq = steps::log::append_changes(&write, stamp.at, stamp.source, &changes, self.keeps_history)?;
            retention::apply_retention(&write, stamp.at, self.keeps_history)?;
            let nouns: BTreeSet<Noun> = changes.iter().map(|c| c.noun).collect();
            Some(CommitSummary { seq, step, nouns: nouns.into_iter().collect() })
        };
        if let Some(CommitSummary { step, .. }) = committed {
            self.last_step.fetch_max(step, Ordering::AcqRel);
        }
        self.commit_numbered(tx, recorder)?;
        self.generation.fetch_add(1, Ordering::AcqRel);
        Ok((answer, committed))
    }

    /// Saves what a page wants to find again. This is not a change of the account: it is neither announced nor
    /// remembered.
    pub fn write_quietly<T, E: From<StoreError>>(
        &self,
        f: impl FnOnce(&WriteTx) -> std::result::Result<T, E>,
    ) -> std::result::Result<T, E> {
        let _at_work = ActiveWriter::begin(&self.writers);
        self.write_unrecorded(&self.lock_writer(), f)
    }

    fn write_unrecorded<T, E: From<StoreError>>(
        &self,
        writer: &WriterConnection,
        f: impl FnOnce(&WriteTx) -> std::result::Result<T, E>,
    ) -> std::result::Result<T, E> {
        let tx = OpenTransaction::begin_write(&writer.conn).map_err(StoreError::from)?;
        let answer = f(&WriteTx::new(&tx, 0, &writer.recorder, None, None))?;
        self.commit_numbered(tx, &writer.recorder)?;
        Ok(answer)
    }

    /// Checks that writes can be saved: the file must be in its place, and if the last commit failed, an empty one must
    /// succeed now.
    pub fn check_writable(&self) -> Result<()> {
        self.check_file_in_place()?;
        if self.has_failed.load(Ordering::Acquire) {
            let writer = self.lock_writer();
            self.commit_numbered(OpenTransaction::begin_write(&writer.conn)?, &writer.recorder)?;
        }
        Ok(())
    }

    /// Returns the schema version of an open database, which is always the newest that this program knows.
    pub fn schema_version() -> i32 {
        Migrations::shipped().newest_version()
    }

    /// Asks SQLite whether the whole database is sound. Returns `ok` when it is.
    pub fn check_integrity(&self) -> Result<String> {
        let writer = self.lock_writer();
        Ok(writer.conn.query_row("PRAGMA integrity_check", [], |row| row.get(0))?)
    }
}

/// Gives the step its name and its rows. A new act of a person discards the steps that could have been redone.
fn end_step(tx: &WriteTx, source: ActorKind, changes: &[ChangeLogEntry], rows: Option<(i64, i64)>) -> Result<()> {
    let Some(first) = changes.first() else { return Ok(()) };
    let (act, name) = match tx.take_act() {
        Some(act) => {
            let name = act.name.to_owned();
            (act, name)
        }
        None => {
            let mut act = ActDescription::default().with_count(first.count);
            if let Some(uid) = &first.uid {
                act = act.with_uid(uid);
            }
            if first.action == ChangeAction::Deleted {
                act = act.into_trash(first.noun);
            }
            (act, format!("{}_{}", first.noun.as_str(), first.action.as_str()))
        }
    };
    if source.is_by_person() && rows.is_some() && !act.is_note {
        steps::drop_undone(tx)?;
    }
    steps::end_step(tx, tx.step(), &act, &name, rows)
}
