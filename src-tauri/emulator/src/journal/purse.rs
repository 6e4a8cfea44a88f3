//! The memory that all journals of a process may take together.

use std::sync::atomic::{AtomicUsize, Ordering};

/// The budget of all journals, unless a single one is allowed more.
const MOST: usize = 2 * 1024 * 1024 * 1024;

pub struct Purse {
    held: AtomicUsize,
    most: AtomicUsize,
}

impl Default for Purse {
    fn default() -> Self {
        Self { held: AtomicUsize::new(0), most: AtomicUsize::new(MOST) }
    }
}

impl Purse {
    /// Raises the budget to what one journal is allowed.
    pub fn take_up(&self, bytes: usize) {
        self.most.fetch_max(bytes, Ordering::Relaxed);
    }

    /// Records that one journal holds `now` instead of `before` bytes. If it grew, returns how far all journals exceed
    /// the budget.
    pub fn settle(&self, before: usize, now: usize) -> usize {
        if now <= before {
            self.held.fetch_sub(before - now, Ordering::Relaxed);
            return 0;
        }
        let held = self.held.fetch_add(now - before, Ordering::Relaxed).saturating_add(now - before);
        held.saturating_sub(self.most.load(Ordering::Relaxed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_held_beyond_the_bound_is_told() {
        let purse = Purse::default();
        assert_eq!(purse.settle(0, MOST), 0);
        assert_eq!(purse.settle(0, 7), 7);
        assert_eq!(purse.settle(7, 0), 0);
        assert_eq!(purse.settle(0, 7), 7, "still full");
        purse.take_up(MOST + 100);
        assert_eq!((purse.settle(7, 8), purse.settle(0, 100)), (0, 8));
    }
}
