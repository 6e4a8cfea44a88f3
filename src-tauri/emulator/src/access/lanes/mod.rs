//! Limits the rate of requests: one bucket for each key and operation, or for another scope of the limit. A bucket is a
//! few numbers.

mod stored;

use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

use roost_journal::mask::masked_prefix;
use roost_ops::Core;
use roost_wire::{OPERATIONS, OperationId, operation::OPERATION_COUNT};
use serde::{Deserialize, Serialize};

use super::{CallerKey, KeyFingerprints};
use crate::settings::{LimitAlgorithm, LimitScope, RateLimit};

const SECOND: u64 = 1_000_000_000;
/// Idle keys are removed from this number of keys on.
const SWEEP_MIN_KEYS: usize = 1_024;
/// The most keys with lanes of their own in one world. Further keys share one set of lanes.
const MAX_KEYS: usize = 16_384;

/// Stands in for a fingerprint: the lanes of all callers, if the limit does not depend on the key.
const SHARED_KEY: u64 = 0;
/// Stands in for a fingerprint: the lanes that keys beyond [`MAX_KEYS`] share.
const OVERFLOW_KEY: u64 = u64::MAX;

/// The rate lanes of a world.
#[derive(Default)]
pub(crate) struct RateLanes(Mutex<RateLanesState>);

/// The state of all buckets of a world.
#[derive(Clone, Default)]
pub(crate) struct RateLanesState {
    /// Keys are recognised by a fingerprint, so that no key is stored, however long it is.
    prints: KeyFingerprints,
    /// The limit under which the buckets were filled. When it changes, all buckets are full again.
    rate: Option<RateLimit>,
    keys: HashMap<u64, KeyLanes>,
    /// The number of keys at which idle ones are removed next.
    sweep_at: usize,
    /// The time of the last removal.
    swept: u64,
}

/// The lanes of one key, one for each operation.
#[derive(Clone)]
struct KeyLanes {
    /// What the operator sees of the key: its first characters, `others`, or nothing if all callers share the lanes.
    masked_key: Box<str>,
    lanes: [RateLane; OPERATION_COUNT],
}

/// The bucket or window of one lane.
#[derive(Clone, Copy, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct RateLane {
    /// For a bucket, the time at which it is full again. For a window, the time at which it ends.
    until: u64,
    /// The time of the last request.
    seen: u64,
    /// For a window, the number of admitted requests.
    used: u32,
    refused: u32,
}

/// The level of a bucket at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct BucketLevel {
    /// The first characters of its key; `None` if the scope does not include the key.
    pub key: Option<String>,
    pub operation: Option<&'static str>,
    /// How many requests would be admitted now.
    pub free: u32,
    /// The nanoseconds until the bucket is full or its window ends.
    pub full_in: u64,
    pub refused: u32,
}

/// Returns the time by which lanes are measured: the world's, in nanoseconds since 1970.
pub(crate) fn lane_time(core: &Core) -> u64 {
    let (at, nanos) = core.ctx().now_nanos();
    u64::try_from(at.unix()).unwrap_or_default().saturating_mul(SECOND).saturating_add(u64::from(nanos))
}

impl RateLimit {
    /// Returns how long one token takes to refill, and how long the whole bucket takes.
    fn refill_times(&self) -> (u64, u64) {
        let token = SECOND / u64::from(self.per_second.max(1));
        (token, token * u64::from(self.burst.max(1)))
    }
}

impl RateLane {
    /// Takes one token. If there is none, returns the nanoseconds until the next token.
    fn take_token(&mut self, now: u64, rate: &RateLimit) -> Result<(), u64> {
        if self.was_used_after(now) {
            (self.until, self.used) = (now, 0);
        }
        self.seen = now;
        let taken = match rate.algorithm {
            LimitAlgorithm::TokenBucket => {
                let (token, full) = rate.refill_times();
                let latest = now.saturating_add(full);
                // `until` is the time at which the bucket is full again. A token postpones it, and may be taken if it is
                // then at most one complete refill from now.
                let after = self.until.max(now).saturating_add(token);
                if after <= latest { Ok(after) } else { Err(after - latest) }
            }
            LimitAlgorithm::FixedWindow => {
                let end = (now / SECOND + 1).saturating_mul(SECOND);
                if self.until != end {
                    (self.until, self.used) = (end, 0);
                }
                if self.used < rate.per_second { Ok(end) } else { Err(end - now) }
            }
        };
        match taken {
            Ok(until) => {
                self.until = until;
                self.used = self.used.saturating_add(1);
                Ok(())
            }
            Err(wait) => {
                self.refused = self.refused.saturating_add(1);
                Err(wait)
            }
        }
    }

    /// Returns whether the clock was set back since the last request. The bucket then counts as full, because its level
    /// is unknown and a stopped clock would otherwise never admit a request again.
    fn was_used_after(&self, now: u64) -> bool {
        now < self.seen
    }

    fn free_tokens(&self, now: u64, rate: &RateLimit) -> u32 {
        match rate.algorithm {
            LimitAlgorithm::TokenBucket if self.was_used_after(now) => rate.burst,
            LimitAlgorithm::FixedWindow if self.was_used_after(now) => rate.per_second,
            LimitAlgorithm::TokenBucket => {
                let (token, full) = rate.refill_times();
                let missing = self.until.saturating_sub(now).min(full);
                u32::try_from((full - missing) / token.max(1)).unwrap_or(u32::MAX)
            }
            LimitAlgorithm::FixedWindow if self.until > now => rate.per_second.saturating_sub(self.used),
            LimitAlgorithm::FixedWindow => rate.per_second,
        }
    }

    fn time_until_full(&self, now: u64, rate: &RateLimit) -> u64 {
        let full_time = match rate.algorithm {
            LimitAlgorithm::TokenBucket => rate.refill_times().1,
            LimitAlgorithm::FixedWindow => SECOND,
        };
        if self.was_used_after(now) { 0 } else { self.until.saturating_sub(now).min(full_time) }
    }

    fn was_used(&self) -> bool {
        self.until > 0
    }
}

impl RateLanes {
    /// Takes one token. If there is none, returns the whole seconds until the next token.
    pub(crate) fn take_token(
        &self,
        clock: impl FnOnce() -> u64,
        caller: CallerKey<'_>,
        operation: OperationId,
        rate: &RateLimit,
    ) -> Result<(), u64> {
        let mut state = self.lock();
        // The clock is read under the lock. Otherwise an earlier request could show a later time, as if the clock had
        // been set back.
        let now = clock();
        let (key, lane) = match rate.scope {
            LimitScope::KeyAndOperation => (state.prints.fingerprint(caller.0), operation as usize),
            LimitScope::Key => (state.prints.fingerprint(caller.0), 0),
            LimitScope::Operation => (SHARED_KEY, operation as usize),
            LimitScope::World => (SHARED_KEY, 0),
        };
        state.apply_rate(rate);
        state.remove_idle_keys(now);
        let is_full = state.keys.len() >= MAX_KEYS && !state.keys.contains_key(&key);
        let key = if is_full { OVERFLOW_KEY } else { key };
        let of_key = state.keys.entry(key).or_insert_with(|| KeyLanes {
            masked_key: match key {
                SHARED_KEY => Box::default(),
                OVERFLOW_KEY => "others".into(),
                _ => masked_prefix(&String::from_utf8_lossy(caller.0)).into(),
            },
            lanes: [RateLane::default(); OPERATION_COUNT],
        });
        of_key.lanes[lane].take_token(now, rate).map_err(|wait| wait.div_ceil(SECOND).max(1))
    }

    /// Returns the current levels of the buckets that were used and not removed since.
    pub(crate) fn read_levels(&self, clock: impl FnOnce() -> u64, rate: &RateLimit) -> Vec<BucketLevel> {
        let state = self.lock();
        let now = clock();
        if state.rate.as_ref() != Some(rate) {
            return Vec::new();
        }
        let (has_key, has_operation) = match rate.scope {
            LimitScope::KeyAndOperation => (true, true),
            LimitScope::Key => (true, false),
            LimitScope::Operation => (false, true),
            LimitScope::World => (false, false),
        };
        let levels = state.keys.values().flat_map(|of_key| {
            let used = of_key.lanes.iter().zip(&OPERATIONS).filter(|(lane, _)| lane.was_used());
            used.map(move |(lane, operation)| BucketLevel {
                key: has_key.then(|| of_key.masked_key.to_string()),
                operation: has_operation.then_some(operation.name),
                free: lane.free_tokens(now, rate),
                full_in: lane.time_until_full(now, rate),
                refused: lane.refused,
            })
        });
        let mut levels: Vec<_> = levels.collect();
        levels.sort_by(|a, b| (&a.key, a.operation).cmp(&(&b.key, b.operation)));
        levels
    }

    /// Refills every bucket.
    pub(crate) fn refill(&self) {
        self.lock().keys.clear();
    }

    pub(crate) fn save(&self) -> RateLanesState {
        self.lock().clone()
    }

    pub(crate) fn load(&self, state: RateLanesState) {
        *self.lock() = state;
    }

    fn lock(&self) -> MutexGuard<'_, RateLanesState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl RateLanesState {
    /// Applies the rate. A changed rate refills every bucket.
    fn apply_rate(&mut self, rate: &RateLimit) {
        if self.rate.as_ref() != Some(rate) {
            self.keys.clear();
            self.rate = Some(*rate);
        }
    }

    /// Removes idle keys when there are many.
    fn remove_idle_keys(&mut self, now: u64) {
        let is_due = self.keys.len() >= self.sweep_at.clamp(SWEEP_MIN_KEYS, MAX_KEYS);
        // Keys are checked at most once a second, because if all are busy, checking more often finds nothing.
        if is_due && now.abs_diff(self.swept) >= SECOND {
            self.keys.retain(|_, of_key| of_key.lanes.iter().any(|lane| lane.until > now));
            (self.swept, self.sweep_at) = (now, self.keys.len().saturating_mul(2));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LANE: OperationId = OperationId::ListsQuery;
    const MS: u64 = 1_000_000;
    /// A time that is far from zero.
    const BEGIN: u64 = 1_767_600_000 * SECOND;

    fn token_bucket(per_second: u32) -> RateLimit {
        let (algorithm, scope) = (LimitAlgorithm::TokenBucket, LimitScope::KeyAndOperation);
        RateLimit { algorithm, per_second, burst: per_second, scope }
    }

    #[test]
    fn a_bucket_starts_full_and_refills_at_its_rate() {
        let lanes = RateLanes::default();
        let take = |ms: u64| lanes.take_token(|| BEGIN + ms * MS, CallerKey(b"k"), LANE, &token_bucket(10));
        assert!((0..10).all(|_| take(0).is_ok()), "burst of ten");
        assert_eq!(take(0), Err(1));
        assert_eq!(take(99), Err(1));
        assert_eq!(take(100), Ok(()));
        assert_eq!(take(100), Err(1));
        assert!((0..10).all(|_| take(5_000).is_ok()), "never more than ten");
        assert_eq!(take(5_000), Err(1));
    }

    #[test]
    fn a_burst_may_be_larger_or_smaller_than_a_second() {
        for burst in [1, 3, 25] {
            let (lanes, rate) = (RateLanes::default(), RateLimit { burst, ..token_bucket(10) });
            let take = |ms: u64| lanes.take_token(|| BEGIN + ms * MS, CallerKey(b"k"), LANE, &rate);
            assert!((0..burst).all(|_| take(0).is_ok()), "{burst}");
            assert_eq!((take(0), take(100), take(100)), (Err(1), Ok(()), Err(1)), "{burst}");
        }
        let (lanes, slow) = (RateLanes::default(), RateLimit { burst: 100, ..token_bucket(1) });
        let mut answers = (0..101).map(|_| lanes.take_token(|| BEGIN, CallerKey(b"k"), LANE, &slow));
        assert!(answers.by_ref().take(100).all(|answer| answer.is_ok()));
        assert_eq!(answers.next(), Some(Err(1)));
    }

    #[test]
    fn a_window_lets_so_many_through_in_every_whole_second() {
        let (lanes, rate) =
            (RateLanes::default(), RateLimit { algorithm: LimitAlgorithm::FixedWindow, ..token_bucket(2) });
        let take = |ms: u64| lanes.take_token(|| BEGIN + ms * MS, CallerKey(b"k"), LANE, &rate);
        assert_eq!([take(900), take(950), take(999)], [Ok(()), Ok(()), Err(1)]);
        assert_eq!([take(1_000), take(1_000), take(1_001)], [Ok(()), Ok(()), Err(1)], "four in a tenth of a second");
        let levels = lanes.read_levels(|| BEGIN + 1_500 * MS, &rate);
        assert_eq!((levels[0].free, levels[0].full_in, levels[0].refused), (0, 500 * MS, 2));
        assert_eq!(lanes.read_levels(|| BEGIN + 2_000 * MS, &rate)[0].free, 2);
    }

    #[test]
    fn the_scope_of_a_limit_decides_which_calls_share_a_bucket() {
        for (scope, want) in [
            (LimitScope::KeyAndOperation, [true, false, true, true]),
            (LimitScope::Key, [true, false, true, false]),
            (LimitScope::Operation, [true, false, false, true]),
            (LimitScope::World, [true, false, false, false]),
        ] {
            let (lanes, rate) = (RateLanes::default(), RateLimit { scope, ..token_bucket(1) });
            let take =
                |key: &'static [u8], operation| lanes.take_token(|| BEGIN, CallerKey(key), operation, &rate).is_ok();
            let taken = [take(b"a", LANE), take(b"a", LANE), take(b"b", LANE), take(b"a", OperationId::ListsCreate)];
            assert_eq!(taken, want, "{scope:?}");
            let levels = lanes.read_levels(|| BEGIN, &rate);
            assert_eq!(levels.len(), want.iter().filter(|taken| **taken).count(), "{scope:?}");
            assert!(levels.iter().all(|level| level.free == 0 && level.full_in == SECOND));
            assert_eq!(levels.iter().map(|level| level.refused).sum::<u32>(), 4 - levels.len() as u32);
        }
    }

    #[test]
    fn the_level_is_what_can_be_taken() {
        let (lanes, rate) = (RateLanes::default(), token_bucket(10));
        for _ in 0..4 {
            lanes.take_token(|| BEGIN, CallerKey(b"a-long-key"), LANE, &rate).expect("a token");
        }
        for (ms, free) in [(0, 6), (99, 6), (100, 7), (400, 10), (9_000, 10)] {
            let [level] = lanes.read_levels(|| BEGIN + ms * MS, &rate).try_into().expect("one bucket");
            assert_eq!(level.free, free, "{ms}");
            assert_eq!((level.key.as_deref(), level.operation), (Some("a-lo…"), Some("lists.query")));
        }
        assert!(
            lanes.read_levels(|| BEGIN, &RateLimit { burst: 1, ..rate }).is_empty(),
            "another rate has no buckets yet"
        );
    }

    #[test]
    fn a_clock_that_steps_back_locks_nobody_out() {
        for algorithm in [LimitAlgorithm::TokenBucket, LimitAlgorithm::FixedWindow] {
            let (lanes, rate) = (RateLanes::default(), RateLimit { algorithm, ..token_bucket(10) });
            let take = |at: u64| lanes.take_token(|| at, CallerKey(b"k"), LANE, &rate);
            assert!((0..10).all(|_| take(BEGIN).is_ok()));
            assert_eq!(take(BEGIN), Err(1));
            for back in [BEGIN - 86_400 * SECOND, BEGIN - 86_400 * SECOND - 500 * MS] {
                assert_eq!(
                    (lanes.read_levels(|| back, &rate)[0].full_in, lanes.read_levels(|| back, &rate)[0].free),
                    (0, 10)
                );
                assert!((0..10).all(|_| take(back).is_ok()), "full, also on a clock that stands");
                assert_eq!(take(back), Err(1), "and no fuller than full");
            }
        }
    }

    #[test]
    fn idle_keys_are_removed_and_busy_ones_are_bounded() {
        let (lanes, rate) = (RateLanes::default(), token_bucket(10));
        for n in 0..10_000_u64 {
            let key = n.to_string();
            lanes.take_token(|| BEGIN + n / 100 * SECOND, CallerKey(key.as_bytes()), LANE, &rate).expect("a token");
        }
        assert!(lanes.lock().keys.len() <= SWEEP_MIN_KEYS);
        let busy = RateLanes::default();
        let taken = (0..2 * MAX_KEYS)
            .filter(|n| busy.take_token(|| BEGIN, CallerKey(n.to_string().as_bytes()), LANE, &rate).is_ok());
        assert_eq!(taken.count(), MAX_KEYS + 10, "the rest share one bucket");
        assert_eq!(busy.lock().keys.len(), MAX_KEYS + 1);
    }
}
