//! Represents one open account: its database, its context, its caches and its subscribers.

mod actor;
mod feed;
mod fence;
pub mod list_cache;
mod listener;

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use roost_store::{
    change_log::{ActorKind, Noun},
    db::{Db, UndoMemory, WriteOptions},
    error::StoreError,
    image::Image,
    tables::steps::log,
    tx::{ReadTx, WriteTx},
    watch::Watch,
};

pub use self::{
    actor::Actor,
    feed::{ChangeNotice, Subscription},
    listener::AccountListener,
};
use self::{
    feed::ChangeFeed,
    fence::{Epoch, WriteFence},
    list_cache::ListCache,
    listener::ListenerList,
};
use crate::{
    ctx::{Ctx, IdStream},
    error::Result,
};

/// A cheap handle of an open account, with the properties of whoever acts through it.
#[derive(Clone)]
pub struct Core {
    inner: Arc<CoreInner>,
    ctx: Arc<Ctx>,
    fence: WriteFence,
    cause: Option<u64>,
    is_short: bool,
}

struct CoreInner {
    db: Db,
    epoch: Epoch,
    feed: ChangeFeed,
    kept: ListCache,
    listeners: ListenerList,
}

impl Core {
    /// Opens an account file: creates or migrates it, and locks out other processes.
    pub fn open(path: &Path, ctx: Ctx) -> Result<Self> {
        let core = Self::new(Db::open(path)?, ctx);
        // The ids of an opened file were drawn by another process, so a salt separates the new ids from them.
        core.ctx.ids().set_salt(core.last_change()?.unsigned_abs());
        Ok(core)
    }

    /// Returns the copy of the file and its log that was made because the log was damaged and changes were lost.
    pub fn damaged_log_copy(&self) -> Option<&Path> {
        self.inner.db.damaged_log_copy()
    }

    /// Creates an account in memory, which is removed when the last handle is dropped.
    pub fn in_memory(ctx: Ctx) -> Result<Self> {
        Ok(Self::new(Db::in_memory()?, ctx))
    }

    /// Copies everything to an account in memory, except the undo history and the waiting work. The copy is removed
    /// when the last handle is dropped.
    pub fn copy_in_memory(&self, ctx: Ctx) -> Result<Self> {
        Ok(Self::new(self.inner.db.copy_in_memory()?, ctx))
    }

    /// Creates an account in memory from an image. It is removed when the last handle is dropped.
    pub fn from_image(image: &Image, ctx: Ctx) -> Result<Self> {
        Ok(Self::new(Db::from_image(image)?, ctx))
    }

    fn new(db: Db, ctx: Ctx) -> Self {
        Self {
            inner: Arc::new(CoreInner {
                db,
                epoch: Epoch::default(),
                feed: ChangeFeed::default(),
                kept: ListCache::default(),
                listeners: ListenerList::default(),
            }),
            ctx: Arc::new(ctx),
            fence: WriteFence::Open,
            cause: None,
            is_short: false,
        }
    }

    pub fn ctx(&self) -> &Ctx {
        &self.ctx
    }

    /// Returns an image of everything, from which [`Core::replace`] restores this state or creates other accounts.
    pub fn image(&self) -> Result<Image> {
        Ok(self.inner.db.take_image()?)
    }

    /// Returns an image of the state after a step, without the waiting work, or `None` if not every later change is
    /// remembered.
    pub fn image_after(&self, step: i64) -> Result<Option<Image>> {
        Ok(self.inner.db.image_after(step)?)
    }

    /// Returns the newest remembered step, or 0 if there is none.
    pub fn last_step(&self) -> i64 {
        self.inner.db.last_step()
    }

    /// Copies the account beside its file and returns the path. Returns `None` for an account in memory.
    pub fn keep_copy(&self) -> Result<Option<PathBuf>> {
        Ok(self.inner.db.copy_beside()?)
    }

    /// Waits for the copy of the state before a large act, if one is being made.
    pub fn finish_copies(&self) {
        self.inner.db.finish_copies();
    }

    /// Returns whether the last large act could not be copied before.
    pub fn has_failed_copy(&self) -> bool {
        self.inner.db.has_failed_copy()
    }

    /// Rewrites the account's file, so that nothing that was deleted is left in it.
    pub fn finish_erasure(&self) -> Result<()> {
        Ok(self.inner.db.finish_erasure()?)
    }

    /// Replaces the whole account with an image and returns the new epoch. Handles that were [fenced](Core::fenced)
    /// before can no longer write. Everything that windows have open is closed, and all subscribers are notified.
    pub fn replace(&self, image: &Image) -> Result<u64> {
        self.replace_with(|db, meanwhile| db.replace(image, meanwhile))
    }

    /// Replaces the whole account with the content of another account file in the same way. Makes no copy of what was
    /// there; [`Core::keep_copy`] does.
    pub fn replace_by_file(&self, file: &Path) -> Result<u64> {
        self.replace_with(|db, meanwhile| db.replace_by_file(file, meanwhile))
    }

    fn replace_with(
        &self,
        replace: impl FnOnce(&Db, &mut dyn FnMut()) -> std::result::Result<i64, StoreError>,
    ) -> Result<u64> {
        let inner = &*self.inner;
        // Stop the readers first, so that the replacement does not wait for results that nobody will use.
        self.end_background_work();
        let mut epoch = 0;
        let replaced = replace(&inner.db, &mut || {
            epoch = inner.epoch.end();
            inner.kept.clear();
        });
        // Stop them again, because new ones may have started meanwhile.
        self.end_background_work();
        // This is also necessary after a failure: windows then show the old account.
        inner.listeners.reopen();
        let seq = replaced?;
        let (nouns, by) = (Noun::ALL.to_vec(), ActorKind::Operator);
        inner.feed.notify(&ChangeNotice { seq, step: None, nouns, by, origin: None, cause: self.cause });
        Ok(epoch)
    }

    /// Returns how often the account was replaced.
    pub fn epoch(&self) -> u64 {
        self.inner.epoch.now()
    }

    /// Returns a handle that can write only until the account is replaced. After that, writing fails with
    /// [`StoreError::Superseded`].
    pub fn fenced(&self) -> Self {
        Self { fence: self.fence.close_at(&self.inner.epoch), ..self.clone() }
    }

    /// Returns a fenced handle with a separate stream of ids for one request or one job, so that simultaneous acts do
    /// not affect its ids.
    pub fn with_id_stream(&self, stream: IdStream) -> Self {
        Self { ctx: Arc::new(self.ctx.with_stream(stream)), ..self.fenced() }
    }

    /// Returns a fenced handle that adds this number to every notice of its changes.
    pub fn caused_by(&self, cause: u64) -> Self {
        Self { cause: Some(cause), ..self.fenced() }
    }

    /// Returns a fenced handle for acts that change a few rows. Nobody who finds the account busy with one needs to go
    /// elsewhere.
    pub fn for_short_acts(&self) -> Self {
        Self { is_short: true, ..self.fenced() }
    }

    /// Returns the cached results, which are used for as long as they are valid.
    pub fn list_cache(&self) -> &ListCache {
        &self.inner.kept
    }

    /// Notifies `listener` when the account ends or is replaced, for as long as its owner keeps it.
    pub fn add_listener(&self, listener: &Arc<impl AccountListener + 'static>) {
        self.inner.listeners.add(listener);
    }

    /// Ends all threads that still read the account and waits for them. The account is about to be closed.
    pub fn end_background_work(&self) {
        self.inner.listeners.end_work();
    }

    /// Removes the account's file on closing if this handle created it. Used when a start is refused afterwards.
    pub fn discard_made(&self) {
        self.inner.db.discard_if_created();
    }

    /// Returns a number that increases with every commit.
    pub fn generation(&self) -> u64 {
        self.inner.db.generation()
    }

    /// Returns whether a short read would be answered at once.
    pub fn is_read_ready(&self) -> bool {
        self.inner.db.is_read_ready()
    }

    /// Returns whether an act of [`Core::for_short_acts`] would be done at once.
    pub fn is_write_ready(&self) -> bool {
        self.inner.db.is_write_ready()
    }

    pub fn schema_version() -> i32 {
        Db::schema_version()
    }

    /// Returns `ok`, or the problem that SQLite found in the file.
    pub fn integrity(&self) -> Result<String> {
        Ok(self.inner.db.check_integrity()?)
    }

    /// Fails if a write would not be stored.
    pub fn check_writable(&self) -> Result<()> {
        Ok(self.inner.db.check_writable()?)
    }

    /// Returns the number of the account's last change.
    pub fn last_change(&self) -> Result<i64> {
        self.read(|tx| Ok(log::last_seq(tx)?))
    }

    /// Calls `listener` after every commit until the subscription is dropped. The listener must be quick.
    pub fn subscribe(&self, listener: impl Fn(&ChangeNotice) + Send + Sync + 'static) -> Subscription {
        self.inner.feed.subscribe(listener)
    }

    pub fn read<T>(&self, f: impl FnOnce(&ReadTx) -> Result<T>) -> Result<T> {
        self.inner.db.read(f)
    }

    /// Reads with several threads for as long as it takes. Short reads do not wait for it.
    pub fn scan<T: Send>(
        &self,
        watch: &Arc<Watch>,
        threads: usize,
        f: impl Fn(&ReadTx) -> Result<T> + Sync,
    ) -> Result<Vec<T>> {
        self.inner.db.scan(watch, threads, f)
    }

    /// Runs a writing transaction. All writes go through this function, which begins, runs the act, records its step,
    /// commits and notifies. One act of a person is one call, and therefore one step that can be undone.
    pub fn write<T, E: From<StoreError>>(
        &self,
        by: &Actor,
        f: impl FnOnce(&WriteTx) -> std::result::Result<T, E>,
    ) -> std::result::Result<T, E> {
        self.write_with(by, UndoMemory::On, f)
    }

    /// Writes without recording a step. Used to fill an empty account, which undo does not take back.
    pub fn write_unrecorded<T, E: From<StoreError>>(
        &self,
        by: &Actor,
        f: impl FnOnce(&WriteTx) -> std::result::Result<T, E>,
    ) -> std::result::Result<T, E> {
        self.write_with(by, UndoMemory::Off, f)
    }

    /// Stores the state of a page. This is not a change of the account, so nobody is notified.
    pub fn write_quietly<T>(&self, f: impl FnOnce(&WriteTx) -> Result<T>) -> Result<T> {
        self.inner.db.write_quietly(|tx| {
            self.fence.check(&self.inner.epoch)?;
            f(tx)
        })
    }

    /// Stores what can be fetched again, without waiting for the disk. A loss of power may undo this.
    pub fn write_unsynced<T>(&self, f: impl FnOnce(&WriteTx) -> Result<T>) -> Result<T> {
        self.inner.db.write_unsynced(self.behind_fence(f))
    }

    /// Returns the act, which fails once the account was replaced.
    fn behind_fence<T, E: From<StoreError>>(
        &self,
        f: impl FnOnce(&WriteTx) -> std::result::Result<T, E>,
    ) -> impl FnOnce(&WriteTx) -> std::result::Result<T, E> {
        move |tx| {
            self.fence.check(&self.inner.epoch)?;
            f(tx)
        }
    }

    fn write_with<T, E: From<StoreError>>(
        &self,
        by: &Actor,
        memory: UndoMemory,
        f: impl FnOnce(&WriteTx) -> std::result::Result<T, E>,
    ) -> std::result::Result<T, E> {
        let stamp = WriteOptions { at: self.ctx().now(), source: by.source, memory, watch: by.watch.clone() };
        let (db, act) = (&self.inner.db, self.behind_fence(f));
        let (answer, committed) = if self.is_short { db.write_short(stamp, act) } else { db.write(stamp, act) }?;
        if let Some(committed) = committed {
            self.inner.feed.notify(&ChangeNotice {
                seq: committed.seq,
                step: Some(committed.step),
                nouns: committed.nouns,
                by: by.source,
                origin: by.origin.clone(),
                cause: self.cause,
            });
        }
        Ok(answer)
    }
}
