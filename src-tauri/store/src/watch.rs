//! Shows the progress of a long transaction while it runs, and cancels it.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// The progress of an act, shared between the act and whoever watches it.
#[derive(Debug, Default)]
pub struct Watch {
    rows: AtomicU64,
    expected: AtomicU64,
    is_cancelled: AtomicBool,
}

impl Watch {
    /// Returns the number of rows that changed so far.
    pub fn rows(&self) -> u64 {
        self.rows.load(Ordering::Relaxed)
    }

    /// Returns how many rows the act will change, if it knows.
    pub fn expected(&self) -> Option<u64> {
        Some(self.expected.load(Ordering::Relaxed)).filter(|rows| *rows > 0)
    }

    pub fn set_expected(&self, rows: u64) {
        self.expected.store(rows, Ordering::Relaxed);
    }

    /// Cancels the act. It stops at its next statement or within a long one, and changes nothing.
    pub fn cancel(&self) {
        self.is_cancelled.store(true, Ordering::Release);
    }

    pub fn is_cancelled(&self) -> bool {
        self.is_cancelled.load(Ordering::Acquire)
    }

    /// Adds rows that an act has read.
    pub fn add_rows(&self, rows: u64) {
        self.rows.fetch_add(rows, Ordering::Relaxed);
    }

    pub(crate) fn count_row(&self) {
        self.rows.fetch_add(1, Ordering::Relaxed);
    }
}
