//! Contains what pages do with a whole list at once: views of its contacts with their edits, searches for duplicates,
//! and clean-up. They keep threads and caches over an open account.

mod background;
pub mod clean;
pub mod duplicates;
pub mod grid;

pub use self::background::SearchProgress;

use std::sync::Arc;

use roost_ops::{Core, core::AccountListener};

use self::{clean::CleanSearches, duplicates::DuplicateSearches, grid::Grid};

/// The views and searches over the contacts of one open account.
#[derive(Default)]
pub struct ContactViews {
    pub grid: Grid,
    pub duplicates: DuplicateSearches,
    pub clean: CleanSearches,
}

impl ContactViews {
    /// Returns views that are closed when the account ends or is replaced.
    pub fn attach(core: &Core) -> Arc<Self> {
        let views = Arc::default();
        core.add_listener(&views);
        views
    }
}

impl AccountListener for ContactViews {
    fn end_work(&self) {
        self.grid.close_all();
        self.duplicates.close_all();
        self.clean.close_all();
    }

    fn reopen(&self) {
        self.grid.reopen();
    }
}
