//! Everything of a world except its data, stored as named parts of JSON.

use std::collections::BTreeMap;

use roost_ops::ctx::{
    clock::ClockSetting,
    ids::{IdPosition, IdScheme},
};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::value::{RawValue, to_raw_value};

use super::{super::Beginning, NotRead};
use crate::{
    access::LanesState,
    faults::FaultsState,
    hooks::HooksState,
    settings::Settings,
    work::{CallbacksState, JobsState},
};

/// Everything of a world except its data.
#[derive(Clone)]
pub struct Head {
    /// The settings. Their keys are secrets and are never written.
    pub settings: Settings,
    /// The clock and the next IDs.
    pub beginning: Beginning,
    /// Whether a seed filled the account.
    pub is_from_seed: bool,
    pub control: ControlState,
}

/// The state outside the data that a test arranged; empty by default.
#[derive(Clone, Default)]
pub struct ControlState {
    pub jobs: JobsState,
    pub callbacks: CallbacksState,
    pub hooks: HooksState,
    pub faults: FaultsState,
    pub lanes: LanesState,
}

/// The values of the parts by name.
pub type Parts = BTreeMap<String, Box<RawValue>>;

/// The only part that changes by itself.
pub const CLOCK: &str = "clock";

impl ControlState {
    /// Returns the approximate size of those parts that can be large.
    pub fn size(&self) -> usize {
        self.hooks.size() + self.callbacks.size()
    }
}

impl Head {
    /// Writes the parts. Every field is named here and in [`Head::read`], so that a new field becomes part of every
    /// stored world.
    pub fn write(&self) -> serde_json::Result<Parts> {
        let Self { settings, beginning, is_from_seed, control } = self;
        let Beginning { clock, law, position } = beginning;
        let ControlState { jobs, callbacks, hooks, faults, lanes } = control;
        let parts = [
            ("settings", written(settings)?),
            (CLOCK, written(clock)?),
            ("law", written(law)?),
            ("position", written(position)?),
            ("is_from_seed", written(is_from_seed)?),
            ("jobs", written(jobs)?),
            ("callbacks", written(callbacks)?),
            ("hooks", written(hooks)?),
            ("faults", written(faults)?),
            ("lanes", written(lanes)?),
        ];
        Ok(parts.into_iter().map(|(name, part)| (name.to_owned(), part)).collect())
    }

    pub fn read(mut parts: Parts) -> Result<Self, NotRead> {
        let mut head = Self {
            settings: take(&mut parts, "settings")?,
            beginning: Beginning {
                clock: take::<ClockSetting>(&mut parts, CLOCK)?,
                law: take::<IdScheme>(&mut parts, "law")?,
                position: take::<IdPosition>(&mut parts, "position")?,
            },
            is_from_seed: take(&mut parts, "is_from_seed")?,
            control: ControlState {
                jobs: take(&mut parts, "jobs")?,
                callbacks: take(&mut parts, "callbacks")?,
                hooks: take(&mut parts, "hooks")?,
                faults: take(&mut parts, "faults")?,
                lanes: take(&mut parts, "lanes")?,
            },
        };
        head.beginning.clock.check_reading().map_err(|why| NotRead::Part { name: CLOCK, why: why.to_string() })?;
        let ControlState { jobs, callbacks, hooks, .. } = &mut head.control;
        jobs.settle().map_err(|why| NotRead::Part { name: "jobs", why })?;
        callbacks.settle().map_err(|why| NotRead::Part { name: "callbacks", why })?;
        hooks.settle();
        match parts.first_key_value() {
            None => Ok(head),
            Some((name, _)) => Err(NotRead::UnknownPart(name.clone())),
        }
    }
}

fn written(part: &impl Serialize) -> serde_json::Result<Box<RawValue>> {
    to_raw_value(part)
}

fn take<T: DeserializeOwned>(parts: &mut Parts, name: &'static str) -> Result<T, NotRead> {
    let part = parts.remove(name).ok_or(NotRead::NoPart(name))?;
    serde_json::from_str(part.get()).map_err(|why| NotRead::Part { name, why: why.to_string() })
}
