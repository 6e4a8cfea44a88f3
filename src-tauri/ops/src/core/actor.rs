//! Identifies who acts.

use std::sync::Arc;

use roost_store::{change_log::ActorKind, watch::Watch};

/// Who acts: the kind of caller, the client that made the change (which ignores its own notice), and the watch that
/// observes it.
#[derive(Debug, Clone)]
pub struct Actor {
    pub source: ActorKind,
    pub origin: Option<String>,
    pub watch: Option<Arc<Watch>>,
}

impl Actor {
    pub fn interface() -> Self {
        Self { source: ActorKind::Interface, origin: None, watch: None }
    }

    pub fn operator() -> Self {
        Self { source: ActorKind::Operator, origin: None, watch: None }
    }

    pub fn user(origin: Option<String>) -> Self {
        Self { source: ActorKind::User, origin, watch: None }
    }

    /// Lets `watch` observe and cancel the act.
    pub fn with_watch(self, watch: Arc<Watch>) -> Self {
        Self { watch: Some(watch), ..self }
    }

    /// Returns the source for changes that a sync has agreed on with the service.
    pub fn sync() -> Self {
        Self { source: ActorKind::Sync, origin: None, watch: None }
    }

    pub(crate) fn job() -> Self {
        Self { source: ActorKind::Job, origin: None, watch: None }
    }
}
