//! One open account: its database, its context, and who wants to hear of changes.

use std::{
    path::Path,
    sync::{Arc, Mutex, PoisonError, Weak},
};

use roost_store::{
    change_log::{Noun, Source},
    db::{Db, Stamp},
    error::Error as StoreError,
    tx::{ReadTx, WriteTx},
};

use crate::{ctx::Ctx, error::Result};

/// Who acts: the kind of caller, and the client whose own echo it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct By {
    pub source: Source,
    pub origin: Option<String>,
}

impl By {
    pub fn interface() -> Self {
        Self { source: Source::Interface, origin: None }
    }

    pub fn operator() -> Self {
        Self { source: Source::Operator, origin: None }
    }

    pub fn user(origin: Option<String>) -> Self {
        Self { source: Source::User, origin }
    }

    pub(crate) fn job() -> Self {
        Self { source: Source::Job, origin: None }
    }
}

/// Told to subscribers after every commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangeNotice {
    pub seq: i64,
    pub nouns: Vec<Noun>,
    pub by: Source,
    pub origin: Option<String>,
}

type Listener = dyn Fn(&ChangeNotice) + Send + Sync;

/// Ends the subscription when dropped.
pub struct Subscription {
    _listener: Arc<Listener>,
}

/// A cheap handle of an open account.
#[derive(Clone)]
pub struct Core {
    inner: Arc<Inner>,
}

struct Inner {
    db: Db,
    ctx: Ctx,
    listeners: Mutex<Vec<Weak<Listener>>>,
}

impl Core {
    /// Opens an account file: makes it, migrates it, keeps other processes out.
    pub fn open(path: &Path, ctx: Ctx) -> Result<Self> {
        Ok(Self::new(Db::open(path)?, ctx))
    }

    /// An account of its own, gone when the last handle is dropped.
    pub fn in_memory(ctx: Ctx) -> Result<Self> {
        Ok(Self::new(Db::in_memory()?, ctx))
    }

    fn new(db: Db, ctx: Ctx) -> Self {
        Self { inner: Arc::new(Inner { db, ctx, listeners: Mutex::default() }) }
    }

    pub fn ctx(&self) -> &Ctx {
        &self.inner.ctx
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

    /// Calls `listener` after every commit until the subscription is dropped. It must be quick.
    pub fn subscribe(&self, listener: impl Fn(&ChangeNotice) + Send + Sync + 'static) -> Subscription {
        let listener: Arc<Listener> = Arc::new(listener);
        self.listeners().push(Arc::downgrade(&listener));
        Subscription { _listener: listener }
    }

    fn listeners(&self) -> std::sync::MutexGuard<'_, Vec<Weak<Listener>>> {
        self.inner.listeners.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn read<T>(&self, f: impl FnOnce(&ReadTx) -> Result<T>) -> Result<T> {
        self.inner.db.read(f)
    }

    /// The one function that owns writing transactions: begin, act, record, commit, tell.
    pub(crate) fn write<T, E: From<StoreError>>(
        &self,
        by: &By,
        f: impl FnOnce(&WriteTx) -> std::result::Result<T, E>,
    ) -> std::result::Result<T, E> {
        let stamp = Stamp { at: self.ctx().now(), source: by.source };
        let (answer, committed) = self.inner.db.write(stamp, f)?;
        if let Some(committed) = committed {
            let notice =
                ChangeNotice { seq: committed.seq, nouns: committed.nouns, by: by.source, origin: by.origin.clone() };
            let listeners: Vec<Arc<Listener>> = {
                let mut kept = self.listeners();
                kept.retain(|listener| listener.strong_count() > 0);
                kept.iter().filter_map(Weak::upgrade).collect()
            };
            for listener in listeners {
                listener(&notice);
            }
        }
        Ok(answer)
    }
}
