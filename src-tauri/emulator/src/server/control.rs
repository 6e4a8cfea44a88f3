//! The handle by which the owner of a running emulator looks into it and changes its settings. It does not keep the
//! emulator running.

use std::sync::{Arc, Weak};

use bytes::Bytes;
use roost_journal::{Journal, UnmatchedSummary};
use roost_ops::Core;
use serde_json::Value;

use crate::{
    admin::{AdminRefusal, run_local_request},
    settings::{Settings, SettingsChangeError},
    work::change_settings,
    world::{Host, UnfinishedWorldsSummary, World},
};

/// A handle of a running emulator for its owner.
#[derive(Clone)]
pub struct ServerControl {
    host: Weak<Host>,
    world: Weak<World>,
}

/// A world and the parts of it that the owner of the emulator reads directly.
pub struct WorldHandle {
    /// `default`, or the name it was created with.
    pub id: String,
    /// The base URL of the world.
    pub base: String,
    pub journal: Journal,
    pub core: Core,
}

impl ServerControl {
    pub(super) fn from_host(host: &Arc<Host>) -> Self {
        Self { host: Arc::downgrade(host), world: Arc::downgrade(host.worlds.default_world()) }
    }

    /// Returns all worlds, the default one first. Returns none after the server has ended.
    pub fn worlds(&self) -> Vec<WorldHandle> {
        let Some(host) = self.host.upgrade() else { return Vec::new() };
        host.worlds.list_worlds().iter().map(|world| to_world_handle(world)).collect()
    }

    /// Carries out a request to the admin interface without a socket and without a token, and returns the JSON of its
    /// response (null if it has none). Blocks, so it must not be called from a thread that answers requests.
    pub fn operate(&self, method: &str, target: &str, body: &Value) -> Result<Value, AdminRefusal> {
        let ended = || AdminRefusal {
            status: 503,
            code: "stopping",
            message: "The server is not running.".to_owned(),
            hint: "Start it, then retry.",
            pointer: None,
        };
        let host = self.host.upgrade().ok_or_else(ended)?;
        let runtime = host.resources.runtime.clone().ok_or_else(ended)?;
        let body = if body.is_null() { Bytes::new() } else { body.to_string().into() };
        let (method, target) = (method.to_owned(), target.to_owned());
        let acting = runtime.spawn(async move { run_local_request(&host, &method, &target, body).await });
        // The task fails to join only if the end of the server cancelled it.
        let written = runtime.block_on(acting).map_err(|_| ended())??;
        Ok(serde_json::from_slice(&written).unwrap_or(Value::Null))
    }

    pub fn is_running(&self) -> bool {
        self.world.upgrade().is_some_and(|world| !world.resources.has_stopped())
    }

    /// Returns the number of requests to the interface and to short URLs of the default world since the start.
    pub fn request_count(&self) -> u64 {
        self.world.upgrade().map_or(0, |world| world.requests())
    }

    /// Returns the same number for all worlds, including removed ones.
    pub fn total_request_count(&self) -> u64 {
        self.world.upgrade().map_or(0, |world| world.resources.requests())
    }

    /// Returns the recorded requests of the default world that matched no route.
    pub fn unmatched_summary(&self) -> UnmatchedSummary {
        self.world.upgrade().map(|world| world.journal.unmatched()).unwrap_or_default()
    }

    /// Returns the worlds that were removed before their work was done.
    pub fn unfinished_worlds(&self) -> UnfinishedWorldsSummary {
        self.world.upgrade().map(|world| world.resources.unfinished.lock_summary().clone()).unwrap_or_default()
    }

    /// Returns the settings in force, or `None` after the server has ended.
    pub fn settings(&self) -> Option<Settings> {
        Some(self.world.upgrade()?.active_settings().settings.clone())
    }

    /// Changes one setting by its name; the value is JSON.
    pub fn change_setting(&self, name: &str, value: &Value) -> Result<Settings, SettingsChangeError> {
        let world = self.world.upgrade().ok_or(SettingsChangeError::Ended)?;
        Ok(change_settings(&world, [(name, value)])?.settings.clone())
    }
}

fn to_world_handle(world: &World) -> WorldHandle {
    let (id, base) = (world.id.to_string(), world.base.clone());
    WorldHandle { id, base, journal: world.journal.clone(), core: world.core.clone() }
}
