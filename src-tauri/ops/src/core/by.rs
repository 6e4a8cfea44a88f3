//! Who acts: the kind of caller, the client whose own echo it is, and who looks on meanwhile.

use std::sync::Arc;

use roost_store::{change_log::Source, watch::Watch};

/// Who acts: the kind of caller, the client whose own echo it is, and who looks on meanwhile.
#[derive(Debug, Clone)]
pub struct By {
    pub source: Source,
    pub origin: Option<String>,
    pub watch: Option<Arc<Watch>>,
}

impl By {
    pub fn interface() -> Self {
        Self { source: Source::Interface, origin: None, watch: None }
    }

    pub fn operator() -> Self {
        Self { source: Source::Operator, origin: None, watch: None }
    }

    pub fn user(origin: Option<String>) -> Self {
        Self { source: Source::User, origin, watch: None }
    }

    /// The act can be looked at and ended through `watch`.
    pub fn watched(self, watch: Arc<Watch>) -> Self {
        Self { watch: Some(watch), ..self }
    }

    /// What both sides agreed on is brought here.
    pub fn sync() -> Self {
        Self { source: Source::Sync, origin: None, watch: None }
    }

    pub(crate) fn job() -> Self {
        Self { source: Source::Job, origin: None, watch: None }
    }
}
