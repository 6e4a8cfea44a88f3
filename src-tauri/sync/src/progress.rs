//! Shares the progress of a piece of work with its observers, and lets them stop it.

use std::sync::{
    Arc, Mutex, MutexGuard, PoisonError,
    atomic::{AtomicBool, Ordering},
};

use roost_store::tables::sync::Place;

/// The progress of the work.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct At {
    /// The kind of records, or `None` while the work concerns all kinds.
    pub place: Option<Place>,
    /// The name of the current list, or an empty text.
    pub what: String,
    pub page: u32,
    pub pages: Option<u32>,
    pub rows: u64,
    pub rows_total: Option<u64>,
}

/// A handle to the progress. All clones share it.
#[derive(Debug, Clone, Default)]
pub struct Progress(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    at: Mutex<At>,
    stopped: AtomicBool,
}

impl Progress {
    pub fn now(&self) -> At {
        self.at().clone()
    }

    /// Asks the work to stop at a point where it can be resumed.
    pub fn stop(&self) {
        self.0.stopped.store(true, Ordering::Release);
    }

    pub fn is_stopped(&self) -> bool {
        self.0.stopped.load(Ordering::Acquire)
    }

    /// Every write leaves the value complete, so a lock that a panicking thread held is still sound.
    fn at(&self) -> MutexGuard<'_, At> {
        self.0.at.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts another phase.
    pub(crate) fn begin(&self, place: Option<Place>, what: &str) {
        *self.at() = At { place, what: what.to_owned(), ..At::default() };
    }

    /// Notes a page and its number of pages, and the rows so far and their total.
    pub(crate) fn page(&self, (page, pages): (u32, Option<u32>), (rows, total): (u64, Option<u64>)) {
        let mut at = self.at();
        (at.page, at.pages, at.rows, at.rows_total) = (page, pages, rows, total);
    }

    /// Changes the subject. The rows continue to count for the whole work.
    pub(crate) fn about(&self, place: Option<Place>, what: &str) {
        let mut at = self.at();
        (at.place, at.what, at.page, at.pages) = (place, what.to_owned(), 0, None);
    }

    pub(crate) fn pages(&self, page: u32, pages: Option<u32>) {
        let mut at = self.at();
        (at.page, at.pages) = (page, pages);
    }

    pub(crate) fn rows(&self, rows: u64, total: u64) {
        let mut at = self.at();
        (at.rows, at.rows_total) = (rows, Some(total));
    }
}
