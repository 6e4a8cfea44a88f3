//! Decides which writer goes first.

use std::sync::{
    MutexGuard,
    atomic::{AtomicUsize, Ordering},
};

use super::Db;

/// Counts a writer for as long as this value lives, however the write ends.
pub(super) struct ActiveWriter<'a>(&'a AtomicUsize);

impl<'a> ActiveWriter<'a> {
    pub(super) fn begin(writers: &'a AtomicUsize) -> Self {
        writers.fetch_add(1, Ordering::AcqRel);
        Self(writers)
    }
}

impl Drop for ActiveWriter<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}

/// Goes before every writer that is not at work yet, for as long as this value lives.
pub(super) struct ReplacementTurn<'a> {
    db: &'a Db,
    _turn: MutexGuard<'a, ()>,
}

impl<'a> ReplacementTurn<'a> {
    pub(super) fn take(db: &'a Db) -> Self {
        let turn = Db::lock_connection(&db.turn);
        db.is_replacing.store(true, Ordering::Release);
        Self { db, _turn: turn }
    }
}

impl Drop for ReplacementTurn<'_> {
    fn drop(&mut self) {
        self.db.is_replacing.store(false, Ordering::Release);
    }
}
