//! One call of an operation, as its handler receives it.

use std::sync::{Arc, OnceLock};

use axum::http::Method;
use roost_ops::{Core, ctx::IdStream};
use roost_wire::RestError;

use super::intake::Received;
use crate::world::{Pass, Rules, World};

/// One request inside its world. It belongs to one epoch and uses the settings in force when it arrived.
pub struct Visit {
    pub rules: Arc<Rules>,
    pass: Pass,
    stream: IdStream,
    /// The number of its journal line, which caused what the request changes.
    cause: Option<u64>,
    core: OnceLock<Core>,
}

impl Visit {
    /// Begins a request. Its position among the requests of the world determines the IDs it makes. Requests that only
    /// read are counted separately, so that repeating one while waiting for something does not change the IDs of
    /// others.
    pub fn new(pass: Pass, looks: bool) -> Self {
        let ids = pass.world().core.ctx().ids();
        let stream = if looks { ids.begin_read() } else { ids.begin_act() };
        Self { rules: pass.world().rules(), pass, stream, cause: None, core: OnceLock::new() }
    }

    /// Begins a request of the operator that only reads. It makes no IDs and has no position among the requests that
    /// do.
    pub fn of_onlooker(pass: Pass) -> Self {
        Self { rules: pass.world().rules(), pass, stream: IdStream::Read(0), cause: None, core: OnceLock::new() }
    }

    /// Attributes the changes of the request to this journal line.
    pub fn caused_by(self, cause: Option<u64>) -> Self {
        Self { cause, ..self }
    }

    pub fn cause(&self) -> Option<u64> {
        self.cause
    }

    pub fn world(&self) -> &Arc<World> {
        self.pass.world()
    }

    pub fn pass(&self) -> &Pass {
        &self.pass
    }

    /// Returns the account. It refuses writes once the epoch of the request has ended.
    pub fn core(&self) -> Core {
        // Created on demand, so that cached responses pay nothing for it. If the account was replaced before, the pass
        // is old.
        let made = || {
            let core = self.world().core.with_id_stream(self.stream);
            self.cause.map_or(core.clone(), |cause| core.caused_by(cause))
        };
        self.core.get_or_init(made).clone()
    }

    /// Runs a short read. It runs on this thread if the account is free, because moving it to another thread would cost
    /// more than the read.
    pub async fn read<T: Send + 'static>(
        &self,
        act: impl FnOnce(&Core) -> Result<T, RestError> + Send + 'static,
    ) -> Result<T, RestError> {
        let core = &self.world().core;
        if core.is_read_ready() { act(core) } else { self.long(act).await }
    }

    /// Runs a write or anything long on a thread that may block.
    pub async fn long<T: Send + 'static>(
        &self,
        act: impl FnOnce(&Core) -> Result<T, RestError> + Send + 'static,
    ) -> Result<T, RestError> {
        let core = self.core();
        if self.pass.is_old() {
            return Err(RestError::Internal);
        }
        match tokio::task::spawn_blocking(move || act(&core)).await {
            Ok(answer) => answer,
            Err(error) => {
                tracing::error!(%error, "an act broke off");
                Err(RestError::Internal)
            }
        }
    }
}

/// Returns whether the method only reads.
pub fn looks(method: &Method) -> bool {
    matches!(method.as_str(), "GET" | "HEAD" | "OPTIONS")
}

/// One call of an operation that was admitted and whose body was received.
pub struct Call<'a> {
    pub visit: &'a Visit,
    /// The identifier in the path.
    pub parameter: &'a str,
    pub query: &'a str,
    pub body: Received,
}
