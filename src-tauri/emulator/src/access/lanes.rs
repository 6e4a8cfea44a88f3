//! Rate lanes: a token bucket for each key and operation, kept as one number each.

use std::{
    collections::{HashMap, hash_map::RandomState},
    hash::BuildHasher,
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

use roost_wire::{OperationId, operation::OPERATION_COUNT};

use super::Caller;

/// When each lane of one key will be full again, in nanoseconds since the start.
type LanesOfKey = [u64; OPERATION_COUNT];

const SECOND: u64 = 1_000_000_000;
/// Keys remembered before the idle ones are let go.
const SWEEP_AT: usize = 1_024;

pub struct Lanes {
    start: Instant,
    /// Keys are known by a hash, so that a long one costs no memory.
    hasher: RandomState,
    keys: Mutex<Kept>,
}

struct Kept {
    lanes: HashMap<u64, LanesOfKey>,
    sweep_at: usize,
}

impl Default for Lanes {
    fn default() -> Self {
        let keys = Mutex::new(Kept { lanes: HashMap::new(), sweep_at: SWEEP_AT });
        Self { start: Instant::now(), hasher: RandomState::new(), keys }
    }
}

impl Lanes {
    /// Takes one token; without one, answers the whole seconds until there is one.
    pub fn take(&self, caller: Caller<'_>, operation: OperationId, per_second: u32) -> Result<(), u64> {
        self.take_at(self.start.elapsed(), caller, operation, per_second)
    }

    fn take_at(&self, now: Duration, caller: Caller<'_>, operation: OperationId, per_second: u32) -> Result<(), u64> {
        let now = u64::try_from(now.as_nanos()).unwrap_or(u64::MAX / 2);
        let token = SECOND / u64::from(per_second.max(1));
        // A bucket holds one second's tokens; a token is there while its refill ends within that second.
        let burst = token * u64::from(per_second.max(1));
        let mut kept = self.keys.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.lanes.len() >= kept.sweep_at {
            kept.lanes.retain(|_, lanes| lanes.iter().any(|full_at| *full_at > now));
            kept.sweep_at = SWEEP_AT.max(kept.lanes.len() * 2);
        }
        let lanes = kept.lanes.entry(self.hasher.hash_one(caller.0)).or_insert([0; OPERATION_COUNT]);
        let full_at = &mut lanes[operation as usize];
        let after = (*full_at).max(now) + token;
        if after <= now + burst {
            *full_at = after;
            return Ok(());
        }
        Err((after - now - burst).div_ceil(SECOND).max(1))
    }

    /// Every bucket is full again.
    pub fn refill(&self) {
        self.keys.lock().unwrap_or_else(PoisonError::into_inner).lanes.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LANE: OperationId = OperationId::ListsQuery;

    #[test]
    fn a_bucket_starts_full_and_refills_at_its_rate() {
        let lanes = Lanes::default();
        let take = |ms: u64| lanes.take_at(Duration::from_millis(ms), Caller(b"k"), LANE, 10);
        assert!((0..10).all(|_| take(0).is_ok()), "burst of ten");
        assert_eq!(take(0), Err(1));
        assert_eq!(take(99), Err(1));
        assert_eq!(take(100), Ok(()));
        assert_eq!(take(100), Err(1));
        assert!((0..10).all(|_| take(5_000).is_ok()), "never more than ten");
        assert_eq!(take(5_000), Err(1));
    }

    #[test]
    fn keys_and_operations_have_their_own() {
        let lanes = Lanes::default();
        let take = |key: &'static [u8], operation| lanes.take_at(Duration::ZERO, Caller(key), operation, 1);
        assert_eq!(take(b"a", LANE), Ok(()));
        assert_eq!(take(b"a", LANE), Err(1));
        assert_eq!(take(b"b", LANE), Ok(()));
        assert_eq!(take(b"a", OperationId::ListsCreate), Ok(()));
    }

    #[test]
    fn idle_keys_are_let_go() {
        let lanes = Lanes::default();
        for n in 0..10_000_u64 {
            let key = n.to_string();
            let at = Duration::from_secs(n / 100);
            lanes.take_at(at, Caller(key.as_bytes()), LANE, 10).expect("a token");
        }
        assert!(lanes.keys.lock().expect("whole").lanes.len() <= SWEEP_AT);
    }
}
