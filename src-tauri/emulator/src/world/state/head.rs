//! Everything of a world except its data, stored as named parts of JSON.

use std::collections::BTreeMap;

use roost_ops::ctx::{
    clock::ClockSetting,
    ids::{IdPosition, IdScheme},
};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::value::{RawValue, to_raw_value};

use super::{
    super::{CallbacksState, JobsState, StartingPoint},
    ReadWorldError,
};
use crate::{
    access::RateLanesState,
    faults::FaultsState,
    hooks::{HooksState, ReceiverHomesState},
    settings::Settings,
};

/// Everything of a world except its data.
#[derive(Clone)]
pub(crate) struct WorldHead {
    /// The settings. Their keys are secrets and are never written.
    pub settings: Settings,
    /// The clock and the next IDs.
    pub starting_point: StartingPoint,
    /// Whether a seed filled the account.
    pub is_from_seed: bool,
    pub control: ControlState,
}

/// The state outside the data that a test arranged; empty by default.
#[derive(Clone, Default)]
pub(crate) struct ControlState {
    pub jobs: JobsState,
    pub callbacks: CallbacksState,
    pub hooks: HooksState,
    pub faults: FaultsState,
    pub lanes: RateLanesState,
    pub receivers: ReceiverHomesState,
}

/// The values of the parts by name.
pub(super) type HeadParts = BTreeMap<String, Box<RawValue>>;

/// The only part that changes by itself.
pub(super) const CLOCK_PART: &str = "clock";
/// Grows with every job.
pub(super) const RECEIVERS_PART: &str = "receivers";

impl ControlState {
    /// Returns the approximate size of those parts that can be large.
    pub(crate) fn size(&self) -> usize {
        self.hooks.size() + self.callbacks.size()
    }
}

impl WorldHead {
    /// Writes the parts. Every field is named here and in [`WorldHead::read`], so that a new field becomes part of every
    /// stored world.
    pub(crate) fn write(&self) -> serde_json::Result<HeadParts> {
        let Self { settings, starting_point, is_from_seed, control } = self;
        let StartingPoint { clock, law, position } = starting_point;
        let ControlState { jobs, callbacks, hooks, faults, lanes, receivers } = control;
        let parts = [
            ("settings", to_json_part(settings)?),
            (CLOCK_PART, to_json_part(clock)?),
            ("law", to_json_part(law)?),
            ("position", to_json_part(position)?),
            ("is_from_seed", to_json_part(is_from_seed)?),
            ("jobs", to_json_part(jobs)?),
            ("callbacks", to_json_part(callbacks)?),
            ("hooks", to_json_part(hooks)?),
            ("faults", to_json_part(faults)?),
            ("lanes", to_json_part(lanes)?),
            (RECEIVERS_PART, to_json_part(receivers)?),
        ];
        Ok(parts.into_iter().map(|(name, part)| (name.to_owned(), part)).collect())
    }

    pub(crate) fn read(mut parts: HeadParts) -> Result<Self, ReadWorldError> {
        let mut head = Self {
            settings: take_part(&mut parts, "settings")?,
            starting_point: StartingPoint {
                clock: take_part::<ClockSetting>(&mut parts, CLOCK_PART)?,
                law: take_part::<IdScheme>(&mut parts, "law")?,
                position: take_part::<IdPosition>(&mut parts, "position")?,
            },
            is_from_seed: take_part(&mut parts, "is_from_seed")?,
            control: ControlState {
                jobs: take_part(&mut parts, "jobs")?,
                callbacks: take_part(&mut parts, "callbacks")?,
                hooks: take_part(&mut parts, "hooks")?,
                faults: take_part(&mut parts, "faults")?,
                lanes: take_part(&mut parts, "lanes")?,
                // Earlier versions did not write it.
                receivers: match parts.contains_key(RECEIVERS_PART) {
                    true => take_part(&mut parts, RECEIVERS_PART)?,
                    false => ReceiverHomesState::default(),
                },
            },
        };
        head.starting_point
            .clock
            .check_reading()
            .map_err(|why| ReadWorldError::Part { name: CLOCK_PART, why: why.to_string() })?;
        let ControlState { jobs, callbacks, hooks, .. } = &mut head.control;
        jobs.check_and_recount().map_err(|why| ReadWorldError::Part { name: "jobs", why })?;
        callbacks.check_and_recount().map_err(|why| ReadWorldError::Part { name: "callbacks", why })?;
        hooks.check_and_recount().map_err(|why| ReadWorldError::Part { name: "hooks", why })?;
        match parts.first_key_value() {
            None => Ok(head),
            Some((name, _)) => Err(ReadWorldError::UnknownPart(name.clone())),
        }
    }
}

fn to_json_part(part: &impl Serialize) -> serde_json::Result<Box<RawValue>> {
    to_raw_value(part)
}

/// Takes the value of a part out of the parts.
pub(super) fn take_part<T: DeserializeOwned>(parts: &mut HeadParts, name: &'static str) -> Result<T, ReadWorldError> {
    let part = parts.remove(name).ok_or(ReadWorldError::NoPart(name))?;
    serde_json::from_str(part.get()).map_err(|why| ReadWorldError::Part { name, why: why.to_string() })
}
