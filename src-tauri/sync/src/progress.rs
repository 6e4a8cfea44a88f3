//! Shares the progress of a piece of work with its observers, and lets them stop it.

use std::sync::{
    Arc, Mutex, MutexGuard, PoisonError,
    atomic::{AtomicBool, Ordering},
};

use roost_store::tables::sync::SyncedTable;

/// The progress of the work.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProgressStatus {
    /// The kind of records, or `None` while the work concerns all kinds.
    pub place: Option<SyncedTable>,
    /// The name of the current list, or an empty text.
    pub what: String,
    pub page: u32,
    pub pages: Option<u32>,
    pub rows: u64,
    pub rows_total: Option<u64>,
}

/// A handle to the progress. All clones share it.
#[derive(Debug, Clone, Default)]
pub struct Progress(Arc<SharedProgress>);

#[derive(Debug, Default)]
struct SharedProgress {
    at: Mutex<ProgressStatus>,
    stopped: AtomicBool,
}

impl Progress {
    pub fn status(&self) -> ProgressStatus {
        self.lock_status().clone()
    }

    /// Asks the work to stop at a point where it can be resumed.
    pub fn stop(&self) {
        self.0.stopped.store(true, Ordering::Release);
    }

    pub fn is_stopped(&self) -> bool {
        self.0.stopped.load(Ordering::Acquire)
    }

    /// Every write leaves the value complete, so a lock that a panicking thread held is still sound.
    fn lock_status(&self) -> MutexGuard<'_, ProgressStatus> {
        self.0.at.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts another phase.
    pub(crate) fn begin_phase(&self, place: Option<SyncedTable>, what: &str) {
        *self.lock_status() = ProgressStatus { place, what: what.to_owned(), ..ProgressStatus::default() };
    }

    /// Notes a page and its number of pages, and the rows so far and their total.
    pub(crate) fn set_page(&self, (page, pages): (u32, Option<u32>), (rows, total): (u64, Option<u64>)) {
        let mut at = self.lock_status();
        (at.page, at.pages, at.rows, at.rows_total) = (page, pages, rows, total);
    }

    /// Changes the subject. The rows continue to count for the whole work.
    pub(crate) fn set_subject(&self, place: Option<SyncedTable>, what: &str) {
        let mut at = self.lock_status();
        (at.place, at.what, at.page, at.pages) = (place, what.to_owned(), 0, None);
    }

    pub(crate) fn set_pages(&self, page: u32, pages: Option<u32>) {
        let mut at = self.lock_status();
        (at.page, at.pages) = (page, pages);
    }

    pub(crate) fn set_rows(&self, rows: u64, total: u64) {
        let mut at = self.lock_status();
        (at.rows, at.rows_total) = (rows, Some(total));
    }
}
