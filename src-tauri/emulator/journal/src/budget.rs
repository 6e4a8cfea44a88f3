//! The memory that all journals of a process may take together.

use std::sync::atomic::{AtomicUsize, Ordering};

/// The budget of all journals, unless a single one is allowed more.
const BUDGET_BYTES: usize = 2 * 1024 * 1024 * 1024;

pub(super) struct JournalBudget {
    held: AtomicUsize,
    most: AtomicUsize,
}

impl Default for JournalBudget {
    fn default() -> Self {
        Self { held: AtomicUsize::new(0), most: AtomicUsize::new(BUDGET_BYTES) }
    }
}

impl JournalBudget {
    /// Raises the budget to what one journal is allowed.
    pub(super) fn raise_limit(&self, bytes: usize) {
        self.most.fetch_max(bytes, Ordering::Relaxed);
    }

    /// Records that one journal holds `now` instead of `before` bytes. If it grew, returns how far all journals exceed
    /// the budget.
    pub(super) fn update_held(&self, before: usize, now: usize) -> usize {
        if now <= before {
            self.held.fetch_sub(before - now, Ordering::Relaxed);
            return 0;
        }
        let total = self.held.fetch_add(now - before, Ordering::Relaxed).saturating_add(now - before);
        total.saturating_sub(self.most.load(Ordering::Relaxed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_beyond_the_bound_is_reported() {
        let purse = JournalBudget::default();
        assert_eq!(purse.update_held(0, BUDGET_BYTES), 0);
        assert_eq!(purse.update_held(0, 7), 7);
        assert_eq!(purse.update_held(7, 0), 0);
        assert_eq!(purse.update_held(0, 7), 7, "still full");
        purse.raise_limit(BUDGET_BYTES + 100);
        assert_eq!((purse.update_held(7, 8), purse.update_held(0, 100)), (0, 8));
    }
}
