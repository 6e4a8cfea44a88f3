//! One open account: its database, its context, and who wants to hear of changes.

mod by;
mod feed;
mod fence;

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use roost_store::{
    change_log::{self, Noun, Source},
    db::{Db, Memory, Stamp, image::Image},
    error::Error as StoreError,
    tx::{ReadTx, WriteTx},
    watch::Watch,
};

pub use self::{
    by::By,
    feed::{ChangeNotice, Subscription},
};
use self::{
    feed::Feed,
    fence::{Epoch, Fence},
};
use crate::{
    clean::Clean,
    contact::kept::Kept,
    ctx::{Ctx, Stream},
    duplicates::Duplicates,
    error::Result,
    grid::Grid,
    import::session::Imports,
};

/// A cheap handle of an open account, with what belongs to the one who acts through it.
#[derive(Clone)]
pub struct Core {
    inner: Arc<Inner>,
    ctx: Arc<Ctx>,
    fence: Fence,
    cause: Option<u64>,
}

struct Inner {
    db: Db,
    epoch: Epoch,
    feed: Feed,
    kept: Kept,
    grid: Grid,
    duplicates: Duplicates,
    clean: Clean,
    imports: Imports,
}

impl Core {
    /// Opens an account file: makes it, migrates it, keeps other processes out.
    pub fn open(path: &Path, ctx: Ctx) -> Result<Self> {
        let core = Self::new(Db::open(path)?, ctx, Imports::beside(path));
        // What the file holds was counted by nobody who is here now.
        core.ctx.ids().salt(core.last_change()?.unsigned_abs());
        Ok(core)
    }

    /// An account of its own, gone when the last handle is dropped.
    pub fn in_memory(ctx: Ctx) -> Result<Self> {
        Ok(Self::new(Db::in_memory()?, ctx, Imports::lent()))
    }

    /// A copy of its own with everything in it but the memory of what was done, which cannot be undone there, and the
    /// work that waits. Gone when the last handle is dropped.
    pub fn copy_in_memory(&self, ctx: Ctx) -> Result<Self> {
        Ok(Self::new(self.inner.db.copy_in_memory()?, ctx, Imports::lent()))
    }

    /// An account of its own in memory as the image says, gone when the last handle is dropped.
    pub fn from_image(image: &Image, ctx: Ctx) -> Result<Self> {
        Ok(Self::new(Db::from_image(image)?, ctx, Imports::lent()))
    }

    fn new(db: Db, ctx: Ctx, imports: Imports) -> Self {
        Self {
            inner: Arc::new(Inner {
                db,
                epoch: Epoch::default(),
                feed: Feed::default(),
                kept: Kept::default(),
                grid: Grid::default(),
                duplicates: Duplicates::default(),
                clean: Clean::default(),
                imports,
            }),
            ctx: Arc::new(ctx),
            fence: Fence::Open,
            cause: None,
        }
    }

    pub fn ctx(&self) -> &Ctx {
        &self.ctx
    }

    /// Everything that is there now, to be brought back by [`Core::replace`] or to make others from.
    pub fn image(&self) -> Result<Image> {
        Ok(self.inner.db.image()?)
    }

    /// What was there after a step, without the work that waits; none where not everything since is remembered.
    pub fn image_after(&self, step: i64) -> Result<Option<Image>> {
        Ok(self.inner.db.image_after(step)?)
    }

    /// The newest step that is remembered; 0 before the first.
    pub fn last_step(&self) -> i64 {
        self.inner.db.last_step()
    }

    /// Copies the account beside its file; answers where. None for an account in memory.
    pub fn keep_copy(&self) -> Result<Option<PathBuf>> {
        Ok(self.inner.db.keep_copy()?)
    }

    /// Puts an image in the place of everything that is there, and answers the epoch that begins. Handles that are
    /// [fenced](Core::fenced) before cannot write from then on. What windows looked at is closed, and all are told.
    pub fn replace(&self, image: &Image) -> Result<u64> {
        let inner = &*self.inner;
        // First, so that nobody waits for what nobody will look at.
        self.end();
        let mut epoch = 0;
        let replaced = inner.db.replace(image, || {
            epoch = inner.epoch.end();
            inner.kept.clear();
        });
        // Again, for what was opened in between.
        self.end();
        // Also when nothing was put here: windows look at what stayed.
        inner.grid.begin_anew();
        let seq = replaced?;
        let (nouns, by) = (Noun::ALL.to_vec(), Source::Operator);
        inner.feed.tell(&ChangeNotice { seq, step: None, nouns, by, origin: None, cause: self.cause });
        Ok(epoch)
    }

    /// How often the account was replaced.
    pub fn epoch(&self) -> u64 {
        self.inner.epoch.now()
    }

    /// A handle that writes only for as long as the account is not replaced; then writing answers
    /// [`StoreError::Superseded`].
    pub fn fenced(&self) -> Self {
        Self { fence: self.fence.closed(&self.inner.epoch), ..self.clone() }
    }

    /// The same with a stream of ids of its own, for one request or one job: who else acts meanwhile changes nothing
    /// about them.
    pub fn drawing(&self, stream: Stream) -> Self {
        Self { ctx: Arc::new(self.ctx.drawing(stream)), ..self.fenced() }
    }

    /// The same with a number that stands in every notice of what is done through it.
    pub fn caused_by(&self, cause: u64) -> Self {
        Self { cause: Some(cause), ..self.fenced() }
    }

    /// Answers kept in memory for as long as they are true.
    pub(crate) fn kept(&self) -> &Kept {
        &self.inner.kept
    }

    /// The views that windows look at.
    pub fn grid(&self) -> &Grid {
        &self.inner.grid
    }

    /// Searches for contacts that are the same.
    pub fn duplicates(&self) -> &Duplicates {
        &self.inner.duplicates
    }

    /// Clean-ups of lists.
    pub fn clean(&self) -> &Clean {
        &self.inner.clean
    }

    /// Imports of files that are under way.
    pub fn imports(&self) -> &Imports {
        &self.inner.imports
    }

    /// Ends whatever still reads the account on a thread of its own, and waits for it: the account is about to be closed.
    pub fn end(&self) {
        self.grid().end();
        self.duplicates().end();
        self.clean().end();
        self.imports().end();
    }

    /// Removes the account's file when it is closed, if this opening made it: for a start that is refused afterwards.
    pub fn discard_made(&self) {
        self.inner.db.discard_made();
    }

    /// Grows with every commit.
    pub fn generation(&self) -> u64 {
        self.inner.db.generation()
    }

    /// Whether a short read would be answered at once.
    pub fn is_read_ready(&self) -> bool {
        self.inner.db.is_read_ready()
    }

    pub fn schema_version() -> i32 {
        Db::schema_version()
    }

    /// `ok`, or what SQLite found wrong with the file.
    pub fn integrity(&self) -> Result<String> {
        Ok(self.inner.db.integrity()?)
    }

    /// Whether what is written now would be kept.
    pub fn check_writable(&self) -> Result<()> {
        Ok(self.inner.db.check_writable()?)
    }

    /// The number of the last change of the account.
    pub fn last_change(&self) -> Result<i64> {
        self.read(|tx| Ok(change_log::last(tx)?))
    }

    /// Calls `listener` after every commit until the subscription is dropped. It must be quick.
    pub fn subscribe(&self, listener: impl Fn(&ChangeNotice) + Send + Sync + 'static) -> Subscription {
        self.inner.feed.subscribe(listener)
    }

    pub fn read<T>(&self, f: impl FnOnce(&ReadTx) -> Result<T>) -> Result<T> {
        self.inner.db.read(f)
    }

    /// Reads in as many parts as there are hands, for as long as it takes; short reads do not wait for it.
    pub(crate) fn scan<T: Send>(
        &self,
        watch: &Arc<Watch>,
        hands: usize,
        f: impl Fn(&ReadTx) -> Result<T> + Sync,
    ) -> Result<Vec<T>> {
        self.inner.db.scan(watch, hands, f)
    }

    /// The one function that owns writing transactions: begin, act, record, commit, tell. One act of a person is one
    /// call, and so one step that can be undone.
    pub fn write<T, E: From<StoreError>>(
        &self,
        by: &By,
        f: impl FnOnce(&WriteTx) -> std::result::Result<T, E>,
    ) -> std::result::Result<T, E> {
        self.write_with(by, Memory::On, f)
    }

    /// The same for filling an account that was empty, which nobody takes back.
    pub(crate) fn write_unrecorded<T, E: From<StoreError>>(
        &self,
        by: &By,
        f: impl FnOnce(&WriteTx) -> std::result::Result<T, E>,
    ) -> std::result::Result<T, E> {
        self.write_with(by, Memory::Off, f)
    }

    /// Keeps what a page wants to find again: no change of the account, nobody is told.
    pub fn write_quietly<T>(&self, f: impl FnOnce(&WriteTx) -> Result<T>) -> Result<T> {
        self.inner.db.write_quietly(|tx| {
            self.fence.check(&self.inner.epoch)?;
            f(tx)
        })
    }

    fn write_with<T, E: From<StoreError>>(
        &self,
        by: &By,
        memory: Memory,
        f: impl FnOnce(&WriteTx) -> std::result::Result<T, E>,
    ) -> std::result::Result<T, E> {
        let stamp = Stamp { at: self.ctx().now(), source: by.source, memory, watch: by.watch.clone() };
        let (answer, committed) = self.inner.db.write(stamp, |tx| {
            self.fence.check(&self.inner.epoch)?;
            f(tx)
        })?;
        if let Some(committed) = committed {
            self.inner.feed.tell(&ChangeNotice {
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
