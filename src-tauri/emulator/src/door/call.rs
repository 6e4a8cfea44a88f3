//! One call of an operation, as its handler receives it.

use std::{
    borrow::Cow,
    sync::{Arc, OnceLock},
};

use axum::http::{Method, request};
use roost_ops::{Core, ctx::IdStream};
use roost_wire::RestError;

use crate::{
    http::request_body::ReceivedBody,
    world::{ActiveSettings, HostResources, World, WorldPass},
};

/// The largest body that is worked on at once, such as one with about fifty contacts.
const SHORT_BODY: usize = 8 * 1024;

/// One request inside its world. It belongs to one epoch and uses the settings in force when it arrived.
pub(crate) struct WorldVisit {
    pub rules: Arc<ActiveSettings>,
    pass: WorldPass,
    stream: IdStream,
    /// The number of the journal line, recorded as the cause of the changes that the request makes.
    cause: Option<u64>,
    called_at: CalledAt,
    core: OnceLock<Core>,
}

/// The address by which the caller reached the server, or `None` if that is the address the server reports itself.
#[derive(Debug, Clone, Default)]
pub(crate) struct CalledAt(pub Option<Arc<str>>);

impl CalledAt {
    /// Reads the address that [`super::routes::answer_request`] attached to the request.
    pub(crate) fn from_parts(parts: &request::Parts) -> Self {
        parts.extensions.get().cloned().unwrap_or_default()
    }

    /// The server's address for this caller.
    pub(crate) fn server<'a>(&'a self, resources: &'a HostResources) -> &'a str {
        self.0.as_deref().unwrap_or_else(|| resources.base())
    }

    /// A world's address for this caller.
    pub(crate) fn world<'a>(&self, world: &'a World) -> Cow<'a, str> {
        match &self.0 {
            None => Cow::Borrowed(&world.base),
            Some(address) => Cow::Owned(world.id.base(address)),
        }
    }
}

impl WorldVisit {
    /// The IDs that the request creates follow from its position among the world's requests. Requests that only read
    /// are counted separately, so that repeated reads, such as polling, do not change the IDs of other requests.
    pub(crate) fn new(pass: WorldPass, looks: bool) -> Self {
        let ids = pass.world().core.ctx().ids();
        let stream = if looks { ids.begin_read() } else { ids.begin_act() };
        Self {
            rules: pass.world().active_settings(),
            pass,
            stream,
            cause: None,
            called_at: CalledAt::default(),
            core: OnceLock::new(),
        }
    }

    /// Creates the visit of an operator who only reads. It is not counted among the requests that create IDs.
    pub(crate) fn for_reading(pass: WorldPass) -> Self {
        Self {
            rules: pass.world().active_settings(),
            pass,
            stream: IdStream::Read(0),
            cause: None,
            called_at: CalledAt::default(),
            core: OnceLock::new(),
        }
    }

    /// Sets the address by which the caller reached the server.
    pub(crate) fn called_at(self, called_at: CalledAt) -> Self {
        Self { called_at, ..self }
    }

    /// Returns whether the caller used an address other than the one that the server reports itself.
    pub(crate) fn is_called_elsewhere(&self) -> bool {
        self.called_at.0.is_some()
    }

    /// The world's address for the caller.
    pub(crate) fn base(&self) -> Cow<'_, str> {
        self.called_at.world(self.world())
    }

    /// Returns the base of short URLs for the caller.
    pub(crate) fn short_base(&self) -> String {
        match &self.called_at.0 {
            None => self.rules.short_base.clone(),
            Some(_) => self.rules.settings.short_link_base_at(&self.base()),
        }
    }

    /// Attributes the changes of the request to this journal line.
    pub(crate) fn with_cause(self, cause: Option<u64>) -> Self {
        Self { cause, ..self }
    }

    pub(crate) fn cause(&self) -> Option<u64> {
        self.cause
    }

    pub(crate) fn world(&self) -> &Arc<World> {
        self.pass.world()
    }

    pub(crate) fn pass(&self) -> &WorldPass {
        &self.pass
    }

    /// Returns the account. It refuses writes once the epoch of the request has ended.
    pub(crate) fn core(&self) -> Core {
        // Created on demand, so that cached responses pay nothing for it. If the account was replaced before, the pass
        // is old.
        let create_core = || {
            let core = self.world().core.with_id_stream(self.stream);
            self.cause.map_or(core.clone(), |cause| core.caused_by(cause))
        };
        self.core.get_or_init(create_core).clone()
    }

    /// Runs a short read. It runs on this thread if the account is free, because moving it to another thread would cost
    /// more than the read.
    pub(crate) async fn read<T: Send + 'static>(
        &self,
        act: impl FnOnce(&Core) -> Result<T, RestError> + Send + 'static,
    ) -> Result<T, RestError> {
        let core = &self.world().core;
        if core.is_read_ready() { act(core) } else { self.run_blocking(act).await }
    }

    /// Runs a write of a few rows. It runs on this thread if the account is in memory and nothing long is under way,
    /// because moving it to another thread would cost more than the write.
    pub(crate) async fn write<T: Send + 'static>(
        &self,
        act: impl FnOnce(&Core) -> Result<T, RestError> + Send + 'static,
    ) -> Result<T, RestError> {
        let core = self.core();
        if !core.is_write_ready() {
            return self.run_blocking(act).await;
        }
        if self.pass.has_ended() { Err(RestError::Internal) } else { act(&core.for_short_acts()) }
    }

    /// Runs a write whose length follows from the size of the body.
    pub(crate) async fn write_sized<T: Send + 'static>(
        &self,
        size: usize,
        act: impl FnOnce(&Core) -> Result<T, RestError> + Send + 'static,
    ) -> Result<T, RestError> {
        if size <= SHORT_BODY { self.write(act).await } else { self.run_blocking(act).await }
    }

    /// Runs a long write or anything else long on a thread that may block.
    pub(crate) async fn run_blocking<T: Send + 'static>(
        &self,
        act: impl FnOnce(&Core) -> Result<T, RestError> + Send + 'static,
    ) -> Result<T, RestError> {
        let core = self.core();
        if self.pass.has_ended() {
            return Err(RestError::Internal);
        }
        match tokio::task::spawn_blocking(move || act(&core)).await {
            Ok(answer) => answer,
            Err(error) => {
                tracing::error!(%error, "an action stopped early");
                Err(RestError::Internal)
            }
        }
    }
}

/// Returns whether the method only reads.
pub(crate) fn is_read_only(method: &Method) -> bool {
    matches!(method.as_str(), "GET" | "HEAD" | "OPTIONS")
}

/// One call of an operation that was admitted and whose body was received.
pub(crate) struct OperationCall<'a> {
    pub visit: &'a WorldVisit,
    /// The identifier in the path.
    pub parameter: &'a str,
    pub query: &'a str,
    pub body: ReceivedBody,
}
