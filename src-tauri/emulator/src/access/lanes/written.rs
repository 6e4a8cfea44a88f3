//! The stored form of the buckets: only used ones, by the names of their operations.

use std::collections::BTreeMap;

use roost_wire::{OPERATIONS, operation::OPERATION_COUNT};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{KEYS_MOST, Lane, LanesOfKey, LanesState};
use crate::{access::Prints, settings::Rate};

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    prints: Prints,
    rate: Option<Rate>,
    keys: Vec<WrittenKey>,
    sweep_at: usize,
    swept: u64,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenKey {
    print: u64,
    shown: Box<str>,
    lanes: BTreeMap<String, Lane>,
}

impl Serialize for LanesState {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { prints, rate, keys, sweep_at, swept } = self;
        let written = |(print, of_key): (&u64, &LanesOfKey)| {
            let used = OPERATIONS.iter().zip(&of_key.lanes).filter(|(_, lane)| lane.is_known());
            WrittenKey {
                print: *print,
                shown: of_key.shown.clone(),
                lanes: used.map(|(operation, lane)| (operation.name.to_owned(), *lane)).collect(),
            }
        };
        let mut keys: Vec<WrittenKey> = keys.iter().map(written).collect();
        // Sorted, so that equal buckets are stored as equal bytes.
        keys.sort_by_key(|key| key.print);
        Written { prints: *prints, rate: *rate, keys, sweep_at: *sweep_at, swept: *swept }.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for LanesState {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Written { prints, rate, keys, sweep_at, swept } = Written::deserialize(deserializer)?;
        let read = |key: WrittenKey| {
            let mut lanes = [Lane::default(); OPERATION_COUNT];
            for (operation, lane) in OPERATIONS.iter().zip(&mut lanes) {
                *lane = key.lanes.get(operation.name).copied().unwrap_or_default();
            }
            (key.print, LanesOfKey { shown: key.shown, lanes })
        };
        let keys = keys.into_iter().take(KEYS_MOST + 1).map(read).collect();
        Ok(Self { prints, rate, keys, sweep_at, swept })
    }
}
