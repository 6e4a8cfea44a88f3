//! An open account with its imports, for tests.

use std::{ops::Deref, path::Path, sync::Arc};

use roost_ops::{Core, Ctx};

use crate::session::ImportSessions;

#[derive(Clone)]
pub(crate) struct TestCore {
    core: Core,
    imports: Arc<ImportSessions>,
}

impl Deref for TestCore {
    type Target = Core;

    fn deref(&self) -> &Core {
        &self.core
    }
}

impl TestCore {
    pub(crate) fn open(file: &Path, ctx: Ctx) -> Self {
        let core = Core::open(file, ctx).unwrap();
        Self { imports: ImportSessions::attach(&core, Some(file)), core }
    }

    pub(crate) fn in_memory(ctx: Ctx) -> Self {
        let core = Core::in_memory(ctx).unwrap();
        Self { imports: ImportSessions::attach(&core, None), core }
    }

    pub(crate) fn imports(&self) -> &ImportSessions {
        &self.imports
    }
}
