//! How far a piece of work has come, told to whoever looks, and the wish that it stops.

use std::sync::{
    Arc, Mutex, MutexGuard, PoisonError,
    atomic::{AtomicBool, Ordering},
};

use roost_store::tables::sync::Place;

/// Where the work is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct At {
    /// What kind of records it is about; none while it is about all of them.
    pub place: Option<Place>,
    /// The name of the list it is about, or nothing.
    pub what: String,
    pub page: u32,
    pub pages: Option<u32>,
    pub rows: u64,
    pub rows_total: Option<u64>,
}

/// A handle: all clones tell the same.
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

    /// The work ends where it can be taken up again.
    pub fn stop(&self) {
        self.0.stopped.store(true, Ordering::Release);
    }

    pub fn is_stopped(&self) -> bool {
        self.0.stopped.load(Ordering::Acquire)
    }

    /// Nobody leaves it half changed, so one held by a thread that panicked is sound.
    fn at(&self) -> MutexGuard<'_, At> {
        self.0.at.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Something else begins.
    pub(crate) fn begin(&self, place: Option<Place>, what: &str) {
        *self.at() = At { place, what: what.to_owned(), ..At::default() };
    }

    /// A page came, the so manieth of so many; so many rows are known by now, of so many.
    pub(crate) fn page(&self, (page, pages): (u32, Option<u32>), (rows, total): (u64, Option<u64>)) {
        let mut at = self.at();
        (at.page, at.pages, at.rows, at.rows_total) = (page, pages, rows, total);
    }

    /// What it is about now; the rows of it all go on.
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
