//! A running emulator as its owner sees it: what it is about, and its settings. It does not keep it running.

use std::sync::{Arc, Weak};

use serde_json::Value;

use crate::{
    journal::Strayed,
    settings::{Auth, SettingError, Settings},
    world::{Rules, World},
};

#[derive(Clone)]
pub struct Control {
    world: Weak<World>,
}

/// Why settings stay as they are.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotChanged {
    #[error("{0}.")]
    Setting(#[from] SettingError),
    #[error("Other machines can reach this server, so auth stays on keys, and there is one.")]
    Reachable,
    #[error("The server has ended.")]
    Ended,
}

impl Control {
    pub(super) fn of(world: &Arc<World>) -> Self {
        Self { world: Arc::downgrade(world) }
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

/// All of them or none.
pub(crate) fn change<'c>(
    world: &World,
    changes: impl IntoIterator<Item = (&'c str, &'c Value)>,
) -> Result<Arc<Rules>, NotChanged> {
    world.change_settings(|settings| {
        for (name, value) in changes {
            settings.set_json(name, value)?;
        }
        if world.ground.is_reachable && (settings.auth != Auth::Keys || settings.keys.is_empty()) {
            return Err(NotChanged::Reachable);
        }
        Ok(())
    })
}
