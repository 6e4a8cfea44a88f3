//! Clock, randomness and ids come in here, so that tests and worlds can hold them still.

use std::sync::{
    Mutex, PoisonError,
    atomic::{AtomicI64, Ordering},
};

use chrono::Utc;
use rand::{Rng, RngCore, SeedableRng, rngs::StdRng};
use roost_model::{id::Ksuid, time::Timestamp};

/// Where the time comes from.
#[derive(Debug)]
pub enum Clock {
    System,
    /// Stands still until it is moved; nanoseconds since 1970.
    Fixed(AtomicI64),
}

impl Clock {
    pub fn fixed(at: Timestamp) -> Self {
        Self::Fixed(AtomicI64::new(at.unix().saturating_mul(NANOS)))
    }

    #[expect(clippy::disallowed_methods, reason = "the one place that reads the system's clock")]
    fn nanos(&self) -> i64 {
        match self {
            Self::System => Utc::now().timestamp_nanos_opt().unwrap_or(i64::MAX),
            Self::Fixed(nanos) => nanos.load(Ordering::Acquire),
        }
    }
}

const NANOS: i64 = 1_000_000_000;

pub struct Ctx {
    clock: Clock,
    random: Mutex<Random>,
}

struct Random {
    source: StdRng,
    /// The last id's second and payload: ids of one second count on, so that they sort in the order they were made.
    last: (i64, u128),
}

impl Ctx {
    pub fn system() -> Self {
        Self::new(Clock::System, StdRng::from_os_rng())
    }

    /// The same seed and acts give the same ids.
    pub fn seeded(clock: Clock, seed: u64) -> Self {
        Self::new(clock, StdRng::seed_from_u64(seed))
    }

    fn new(clock: Clock, source: StdRng) -> Self {
        Self { clock, random: Mutex::new(Random { source, last: (i64::MIN, 0) }) }
    }

    pub fn now(&self) -> Timestamp {
        Timestamp::from_unix(self.clock.nanos().div_euclid(NANOS))
    }

    /// Seconds and nanoseconds, for the times of errors.
    pub fn now_nanos(&self) -> (Timestamp, u32) {
        let nanos = self.clock.nanos();
        (Timestamp::from_unix(nanos.div_euclid(NANOS)), nanos.rem_euclid(NANOS) as u32)
    }

    /// Moves a clock that stands still; the system's clock moves by itself.
    pub fn advance(&self, seconds: i64) {
        if let Clock::Fixed(nanos) = &self.clock {
            nanos.fetch_add(seconds.saturating_mul(NANOS), Ordering::AcqRel);
        }
    }

    fn with_random<T>(&self, f: impl FnOnce(&mut Random) -> T) -> T {
        f(&mut self.random.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub fn ksuid(&self, at: Timestamp) -> Ksuid {
        self.with_random(|random| {
            let second = at.unix();
            if second > random.last.0 {
                // The top bit stays free, so that counting on never wraps.
                random.last = (second, random.source.random::<u128>() >> 1);
            } else {
                random.last.1 = random.last.1.wrapping_add(1 + u128::from(random.source.random::<u32>()));
            }
            Ksuid::new(random.last.0, random.last.1.to_be_bytes())
        })
    }

    /// `len` letters and digits.
    pub fn code(&self, len: usize) -> String {
        const ALPHABET: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
        self.with_random(|random| {
            (0..len).map(|_| char::from(ALPHABET[random.source.random_range(0..ALPHABET.len())])).collect()
        })
    }

    /// Sixteen lower-case hex digits.
    pub fn trace_id(&self) -> String {
        format!("{:016x}", self.with_random(|random| random.source.next_u64()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use roost_model::id::ContactId;

    #[test]
    fn ids_sort_in_the_order_they_were_made() {
        let ctx = Ctx::seeded(Clock::fixed(Timestamp::from_unix(1_767_600_000)), 7);
        let ids: Vec<_> = (0..1_000).map(|_| ContactId::new(ctx.ksuid(ctx.now()))).collect();
        assert!(ids.windows(2).all(|pair| pair[0] < pair[1]));
    }

    #[test]
    fn a_clock_set_back_does_not_repeat_or_reorder_ids() {
        let ctx = Ctx::seeded(Clock::System, 7);
        let later = ContactId::new(ctx.ksuid(Timestamp::from_unix(1_767_600_010)));
        let earlier = ContactId::new(ctx.ksuid(Timestamp::from_unix(1_767_600_000)));
        assert!(earlier > later);
    }

    #[test]
    fn the_same_seed_gives_the_same_ids() {
        let make = || {
            let ctx = Ctx::seeded(Clock::fixed(Timestamp::from_unix(1_767_600_000)), 42);
            (ContactId::new(ctx.ksuid(ctx.now())), ctx.code(6), ctx.trace_id())
        };
        assert_eq!(make(), make());
    }
}
