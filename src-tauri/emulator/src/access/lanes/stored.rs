//! Stores the buckets: only those that were used, each under the name of its operation.

use std::collections::BTreeMap;

use roost_wire::{OPERATIONS, operation::OPERATION_COUNT};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{KeyLanes, MAX_KEYS, RateLane, RateLanesState};
use crate::{access::KeyFingerprints, settings::RateLimit};

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredLanes {
    prints: KeyFingerprints,
    rate: Option<RateLimit>,
    keys: Vec<StoredKeyLanes>,
    sweep_at: usize,
    swept: u64,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredKeyLanes {
    print: u64,
    shown: Box<str>,
    lanes: BTreeMap<String, RateLane>,
}

impl Serialize for RateLanesState {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { prints, rate, keys, sweep_at, swept } = self;
        let to_stored = |(print, key_lanes): (&u64, &KeyLanes)| {
            let used = OPERATIONS.iter().zip(&key_lanes.lanes).filter(|(_, lane)| lane.was_used());
            StoredKeyLanes {
                print: *print,
                shown: key_lanes.masked_key.clone(),
                lanes: used.map(|(operation, lane)| (operation.name.to_owned(), *lane)).collect(),
            }
        };
        let mut keys: Vec<StoredKeyLanes> = keys.iter().map(to_stored).collect();
        // The keys are sorted, so that equal buckets are stored as equal bytes.
        keys.sort_by_key(|key| key.print);
        StoredLanes { prints: *prints, rate: *rate, keys, sweep_at: *sweep_at, swept: *swept }.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for RateLanesState {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let StoredLanes { prints, rate, keys, sweep_at, swept } = StoredLanes::deserialize(deserializer)?;
        let from_stored = |key: StoredKeyLanes| {
            let mut lanes = [RateLane::default(); OPERATION_COUNT];
            for (operation, lane) in OPERATIONS.iter().zip(&mut lanes) {
                *lane = key.lanes.get(operation.name).copied().unwrap_or_default();
            }
            (key.print, KeyLanes { masked_key: key.shown, lanes })
        };
        // One more than the maximum, because the last one holds the shared lanes of all keys beyond it.
        let keys = keys.into_iter().take(MAX_KEYS + 1).map(from_stored).collect();
        Ok(Self { prints, rate, keys, sweep_at, swept })
    }
}
