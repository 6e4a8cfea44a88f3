//! Provides the clock, randomness and ids, so that tests and worlds can control them.

pub mod clock;
pub mod ids;
#[cfg(test)]
mod tests;

use std::{sync::Arc, time::Duration};

use rand::{Rng, SeedableRng, rngs::StdRng};
use roost_model::{
    id::Ksuid,
    phone::Region,
    time::{DueTime, NANOS_PER_SECOND, Timestamp},
};

use self::ids::StreamDraws;
pub use self::{
    clock::Clock,
    ids::{IdStream, Ids},
};

/// The time and the ids of one account, as one of its actors uses them.
pub struct Ctx {
    clock: Arc<Clock>,
    ids: Arc<Ids>,
    draws: StreamDraws,
    computer_region: Option<Region>,
}

impl Ctx {
    pub fn system() -> Self {
        let mut chance = StdRng::from_os_rng();
        let ids = Ids::from_random_key([chance.random(), chance.random()]);
        Self { computer_region: system_region(|name| std::env::var(name).ok()), ..Self::new(Clock::system(), ids) }
    }

    /// Returns the same context with the computer's region set to this one.
    #[cfg(test)]
    pub fn in_region(self, region: Region) -> Self {
        Self { computer_region: Some(region), ..self }
    }

    /// Returns a context with a random seed that can be shown, so that a run can be repeated.
    pub fn with_random_seed() -> Self {
        // The seed has only as many bits as every JSON reader can represent.
        Self::seeded(Clock::system(), StdRng::from_os_rng().random::<u64>() >> 11)
    }

    /// Returns a context in which the same seed and acts give the same ids.
    pub fn seeded(clock: Clock, seed: u64) -> Self {
        Self::new(clock, Ids::seeded(seed))
    }

    fn new(clock: Clock, ids: Ids) -> Self {
        let draws = ids.draws_for(IdStream::Manual);
        Self { clock: Arc::new(clock), ids: Arc::new(ids), draws, computer_region: None }
    }

    /// Returns a context with the same clock and id scheme for the initial content of an account.
    pub fn for_seed(&self) -> Self {
        let ids = self.ids.without_draws();
        let draws = ids.draws_for(IdStream::Seed);
        Self { clock: self.clock.clone(), ids: Arc::new(ids), draws, ..*self }
    }

    /// Returns the same context with another stream of ids.
    pub(crate) fn with_stream(&self, stream: IdStream) -> Self {
        Self { clock: self.clock.clone(), ids: self.ids.clone(), draws: self.ids.draws_for(stream), ..*self }
    }

    /// Returns the region from the settings of this computer, if it is known.
    pub fn computer_region(&self) -> Option<Region> {
        self.computer_region
    }

    pub fn clock(&self) -> &Arc<Clock> {
        &self.clock
    }

    pub fn ids(&self) -> &Ids {
        &self.ids
    }

    pub fn now(&self) -> Timestamp {
        Timestamp::from_nanos(self.clock.nanos()).0
    }

    /// Returns the exact time, to compare it with due times.
    pub fn due_now(&self) -> DueTime {
        DueTime::from_nanos(self.clock.nanos())
    }

    /// Returns seconds and nanoseconds, which errors use.
    pub fn now_nanos(&self) -> (Timestamp, u32) {
        Timestamp::from_nanos(self.clock.nanos())
    }

    /// Returns the time of the system's clock, whatever the account's clock shows.
    pub fn real_nanos(&self) -> (Timestamp, u32) {
        Timestamp::from_nanos(self.clock.real_nanos())
    }

    /// Moves a frozen clock by seconds. Other clocks move by themselves.
    pub fn advance(&self, seconds: i64) {
        self.clock.advance_frozen(seconds.saturating_mul(NANOS_PER_SECOND));
    }

    /// Moves a frozen clock by any duration.
    pub fn advance_by(&self, time: Duration) {
        self.clock.advance_frozen(i64::try_from(time.as_nanos()).unwrap_or(i64::MAX));
    }

    pub fn ksuid(&self, at: Timestamp) -> Ksuid {
        self.ids.ksuid(at, &self.draws)
    }

    /// Returns `len` random letters and digits.
    pub fn code(&self, len: usize) -> String {
        self.ids.code(len, &self.draws)
    }

    /// Returns sixteen lower-case hexadecimal digits.
    pub fn trace_id(&self) -> String {
        self.ids.trace_id(&self.draws)
    }
}

/// Returns the region of the locale for telephone numbers. As in POSIX, the first variable that is set decides.
fn system_region(variable: impl Fn(&str) -> Option<String>) -> Option<Region> {
    let set = |name: &&str| variable(name).filter(|locale| !locale.is_empty());
    Region::from_locale(&["LC_ALL", "LC_TELEPHONE", "LANG"].iter().find_map(set)?)
}
