//! Looking at a long transaction while it runs, and ending it.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Shared between who acts and who looks on.
#[derive(Debug, Default)]
pub struct Watch {
    rows: AtomicU64,
    expected: AtomicU64,
    is_cancelled: AtomicBool,
}

impl Watch {
    /// Rows changed so far.
    pub fn rows(&self) -> u64 {
        self.rows.load(Ordering::Relaxed)
    }

    /// How many rows the act will change, where it knows.
    pub fn expected(&self) -> Option<u64> {
        Some(self.expected.load(Ordering::Relaxed)).filter(|rows| *rows > 0)
    }

    pub fn will_change(&self, rows: u64) {
        self.expected.store(rows, Ordering::Relaxed);
    }

    /// The act stops at its next statement or within a long one, and leaves nothing behind.
    pub fn cancel(&self) {
        self.is_cancelled.store(true, Ordering::Release);
    }

    pub fn is_cancelled(&self) -> bool {
        self.is_cancelled.load(Ordering::Acquire)
    }

    /// For acts that read: rows looked at.
    pub fn add_rows(&self, rows: u64) {
        self.rows.fetch_add(rows, Ordering::Relaxed);
    }

    pub(crate) fn count_row(&self) {
        self.rows.fetch_add(1, Ordering::Relaxed);
    }
}
