//! Decides which writer goes first.

use std::sync::{
    MutexGuard,
    atomic::{AtomicUsize, Ordering},
};

use super::Db;

/// Counts a writer for as long as this value lives, however the write ends.
pub(super) struct AtWork<'a>(&'a AtomicUsize);

impl<'a> AtWork<'a> {
    pub(super) fn begin(writers: &'a AtomicUsize) -> Self {
        writers.fetch_add(1, Ordering::AcqRel);
        Self(writers)
    }
}

impl Drop for AtWork<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}

/// Goes before every writer that is not at work yet, for as long as this value lives.
pub(super) struct First<'a> {
    db: &'a Db,
    _turn: MutexGuard<'a, ()>,
}

impl<'a> First<'a> {
    pub(super) fn take(db: &'a Db) -> Self {
        let turn = Db::hold(&db.turn);
        db.is_replacing.store(true, Ordering::Release);
        Self { db, _turn: turn }
    }
}

impl Drop for First<'_> {
    fn drop(&mut self) {
        self.db.is_replacing.store(false, Ordering::Release);
    }
}
