//! The open account with everything that keeps threads and caches over it.

use std::{path::Path, sync::Arc};

use roost_grid::{ContactViews, clean::CleanSearches, duplicates::DuplicateSearches, grid::Grid};
use roost_imports::session::ImportSessions;
use roost_ops::Core;

use super::daily_copies::DailyCopies;

/// A cheap handle of an open account, its views and its imports.
#[derive(Clone)]
pub(crate) struct OpenAccount {
    pub core: Core,
    views: Arc<ContactViews>,
    imports: Arc<ImportSessions>,
    _daily: Option<Arc<DailyCopies>>,
}

impl OpenAccount {
    /// `file` is the account's file, unless it is in memory.
    pub(crate) fn new(core: Core, file: Option<&Path>) -> Self {
        Self {
            views: ContactViews::attach(&core),
            imports: ImportSessions::attach(&core, file),
            _daily: file.map(|file| DailyCopies::attach(&core, file)),
            core,
        }
    }

    pub(crate) fn grid(&self) -> &Grid {
        &self.views.grid
    }

    pub(crate) fn duplicates(&self) -> &DuplicateSearches {
        &self.views.duplicates
    }

    pub(crate) fn clean(&self) -> &CleanSearches {
        &self.views.clean
    }

    pub(crate) fn imports(&self) -> &ImportSessions {
        &self.imports
    }
}
