//! A running emulator as its owner sees it: what it is about, and its settings. It does not keep it running.

use std::sync::{Arc, Weak};

use bytes::Bytes;
use roost_ops::Core;
use serde_json::Value;

use crate::{
    admin::{Declined, operate},
    journal::{Journal, Strayed},
    settings::{Auth, Key, SettingError, Settings},
    world::{Host, Rules, World},
};

#[derive(Clone)]
pub struct Control {
    host: Weak<Host>,
    world: Weak<World>,
}

/// A world as its owner looks into it.
pub struct Seen {
    /// `default`, or the name it was made with.
    pub id: String,
    /// Where it is called.
    pub base: String,
    pub journal: Journal,
    pub core: Core,
}

/// Why settings stay as they are.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotChanged {
    #[error("{0}.")]
    Setting(#[from] SettingError),
    #[error("Other machines can reach this server, so auth must be keys, with at least one key.")]
    Reachable,
    #[error("The server has stopped.")]
    Ended,
}

impl Control {
    pub(super) fn of(host: &Arc<Host>) -> Self {
        Self { host: Arc::downgrade(host), world: Arc::downgrade(host.worlds.default_world()) }
    }

    /// All worlds, the default one first; none after the end.
    pub fn worlds(&self) -> Vec<Seen> {
        let Some(host) = self.host.upgrade() else { return Vec::new() };
        host.worlds.all().iter().map(|world| seen(world)).collect()
    }

    /// Does what a request of the operator to this method and target does, in its own words, without a socket and
    /// without a token; answers its JSON, null where there is none. Blocks: not for threads that answer requests.
    pub fn operate(&self, method: &str, target: &str, body: &Value) -> Result<Value, Declined> {
        let ended = || Declined {
            status: 503,
            code: "stopping",
            message: "The server is not running.".to_owned(),
            hint: "Start it, then retry.",
            pointer: None,
        };
        let host = self.host.upgrade().ok_or_else(ended)?;
        let runtime = host.ground.runtime.clone().ok_or_else(ended)?;
        let body = if body.is_null() { Bytes::new() } else { body.to_string().into() };
        let (method, target) = (method.to_owned(), target.to_owned());
        let acting = runtime.spawn(async move { operate(&host, &method, &target, body).await });
        // A task that did not end was taken along by the server's end.
        let written = runtime.block_on(acting).map_err(|_| ended())??;
        Ok(serde_json::from_slice(&written).unwrap_or(Value::Null))
    }

    pub fn is_running(&self) -> bool {
        self.world.upgrade().is_some_and(|world| !world.ground.has_stopped())
    }

    /// Calls of the interface and of short URLs since the start.
    pub fn requests(&self) -> u64 {
        self.world.upgrade().map_or(0, |world| world.requests())
    }

    /// The same of all worlds, those that are gone included.
    pub fn requests_of_all(&self) -> u64 {
        self.world.upgrade().map_or(0, |world| world.ground.requests())
    }

    /// The requests of all worlds that led nowhere, as far as they were recorded.
    pub fn strays(&self) -> Strayed {
        self.world.upgrade().map(|world| world.journal.strays()).unwrap_or_default()
    }

    /// The settings in force; none after the end.
    pub fn settings(&self) -> Option<Settings> {
        Some(self.world.upgrade()?.rules().settings.clone())
    }

    /// Sets one by its name, as JSON.
    pub fn set(&self, name: &str, value: &Value) -> Result<Settings, NotChanged> {
        let world = self.world.upgrade().ok_or(NotChanged::Ended)?;
        Ok(change(&world, [(name, value)])?.settings.clone())
    }
}

fn seen(world: &World) -> Seen {
    let (id, base) = (world.id.to_string(), world.base.clone());
    Seen { id, base, journal: world.journal.clone(), core: world.core.clone() }
}

/// All of them or none.
pub(crate) fn change<'c>(
    world: &World,
    changes: impl IntoIterator<Item = (&'c str, &'c Value)>,
) -> Result<Arc<Rules>, NotChanged> {
    world.change_settings(|settings| {
        for (name, value) in changes {
            settings.set_json(name, value)?;
        }
        // The keys that name a world are its own, and whoever lists others does not mean to lock them out.
        if settings.auth == Auth::Keys {
            for key in &world.keys {
                if !settings.keys.iter().any(|known| known.value == *key) {
                    settings.keys.push(Key::full(key.clone()));
                }
            }
        }
        if world.ground.is_reachable && (settings.auth != Auth::Keys || settings.keys.is_empty()) {
            return Err(NotChanged::Reachable);
        }
        Ok(())
    })
}
