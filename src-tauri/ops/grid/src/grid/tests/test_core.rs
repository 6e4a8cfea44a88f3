//! An open account with its views, for tests.

use std::{ops::Deref, sync::Arc};

use roost_ops::Core;

use crate::{ContactViews, clean::CleanSearches, duplicates::DuplicateSearches, grid::Grid};

#[derive(Clone)]
pub struct TestCore {
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
    pub fn grid(&self) -> &Grid {
        &self.views.grid
    }

    pub fn duplicates(&self) -> &DuplicateSearches {
        &self.views.duplicates
    }

    pub fn clean(&self) -> &CleanSearches {
        &self.views.clean
    }
}
