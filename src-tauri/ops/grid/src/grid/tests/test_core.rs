//! An open account with its views, for tests.

use std::{ops::Deref, sync::Arc};

use roost_ops::Core;

use crate::{ContactViews, clean::CleanSearches, duplicates::DuplicateSearches, grid::Grid};

#[derive(Clone)]
pub(crate) struct TestCore {
    core: Core,
    views: Arc<ContactViews>,
}

impl From<Core> for TestCore {
    fn from(core: Core) -> Self {
        Self { views: ContactViews::attach(&core), core }
    }
}

impl Deref for TestCore {
    type Target = Core;

    fn deref(&self) -> &Core {
        &self.core
    }
}

impl TestCore {
    pub(crate) fn grid(&self) -> &Grid {
        &self.views.grid
    }

    pub(crate) fn duplicates(&self) -> &DuplicateSearches {
        &self.views.duplicates
    }

    pub(crate) fn clean(&self) -> &CleanSearches {
        &self.views.clean
    }
}
