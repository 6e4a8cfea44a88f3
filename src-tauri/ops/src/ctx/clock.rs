//! Provides the time: from the system's clock, or from a clock that is set, frozen or scaled.

use std::{
    fmt,
    sync::{Mutex, PoisonError, RwLock},
    time::{Duration, Instant},
};

use chrono::Utc;
use roost_model::time::{NANOS_PER_SECOND, Timestamp};
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum ClockMode {
    /// Same as the system clock.
    #[default]
    Real,
    /// The system clock, shifted by a fixed time.
    Offset,
    /// Stands still until it is moved.
    Frozen,
    /// Faster or slower than the system clock.
    Scaled,
}

/// The setting of a clock, or its reading.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClockSetting {
    pub mode: ClockMode,
    /// The time it shows in nanoseconds since 1970. If `None` in a setting, the clock continues from its current time.
    pub now: Option<i64>,
    /// The seconds that pass on this clock in one second of the system's clock.
    pub rate: Option<f64>,
}

/// The reason why a setting was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ClockError {
    #[error("A real clock always shows the system time. Use offset to set another time.")]
    Real,
    #[error("Only a scaled clock has a rate.")]
    Rate,
    #[error("A scaled clock needs a rate from 0.0001 to 100000.")]
    NoRate,
    #[error("The time must be from 2015-01-01T00:00:00Z to 2149-12-31T23:59:59Z.")]
    Time,
}

/// The range of times that identifiers can hold.
const FIRST: i64 = 1_420_070_400 * NANOS_PER_SECOND;
const LAST: i64 = 5_680_281_599 * NANOS_PER_SECOND;
const SLOWEST: f64 = 0.0001;
const FASTEST: f64 = 100_000.0;

/// A listener for changes of a clock, which returns whether it wants further calls.
type ClockListener = Box<dyn Fn() -> bool + Send + Sync>;

pub struct Clock {
    pace: RwLock<ClockPace>,
    listeners: Mutex<Vec<ClockListener>>,
}

#[derive(Debug, Clone, Copy)]
enum ClockPace {
    Real,
    Offset(i64),
    Frozen(i64),
    Scaled { from: i64, since: Instant, rate: f64 },
}

impl fmt::Debug for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Clock").field(&self.pace()).finish()
    }
}

#[expect(clippy::disallowed_methods, reason = "this is the only place that reads the system's clock")]
fn read_system_clock() -> i64 {
    Utc::now().timestamp_nanos_opt().unwrap_or(i64::MAX)
}

#[expect(clippy::cast_precision_loss, clippy::cast_possible_truncation, reason = "a float that is too large saturates")]
fn scale_time(time: i64, rate: f64) -> i64 {
    (time as f64 * rate) as i64
}

fn to_nanos(time: Duration) -> i64 {
    i64::try_from(time.as_nanos()).unwrap_or(i64::MAX)
}

impl ClockPace {
    fn now(self) -> i64 {
        match self {
            Self::Real => read_system_clock(),
            Self::Offset(by) => read_system_clock().saturating_add(by),
            Self::Frozen(at) => at,
            Self::Scaled { from, since, rate } => from.saturating_add(scale_time(to_nanos(since.elapsed()), rate)),
        }
    }

    fn from_setting(setting: ClockSetting, before: i64) -> Self {
        let now = setting.now.unwrap_or(before);
        match setting.mode {
            ClockMode::Real => Self::Real,
            ClockMode::Offset => Self::Offset(now.saturating_sub(read_system_clock())),
            ClockMode::Frozen => Self::Frozen(now),
            ClockMode::Scaled => Self::Scaled { from: now, since: Instant::now(), rate: setting.rate.unwrap_or(1.0) },
        }
    }
}

impl ClockSetting {
    /// Returns a reading, taken when the system's clock showed `then`, advanced to the time when it shows `real`.
    pub fn advance_reading(self, then: i64, real: i64) -> Self {
        let passed = match self.mode {
            ClockMode::Real | ClockMode::Frozen => 0,
            ClockMode::Offset => real.saturating_sub(then),
            ClockMode::Scaled => scale_time(real.saturating_sub(then), self.rate.unwrap_or(1.0)),
        };
        Self { now: self.now.map(|now| now.saturating_add(passed)), ..self }
    }

    /// Checks a reading, which contains the time even for a real clock.
    pub fn check_reading(&self) -> Result<(), ClockError> {
        Self { now: self.now.filter(|_| self.mode != ClockMode::Real), ..*self }.check()
    }

    pub fn check(&self) -> Result<(), ClockError> {
        let is_scaled = self.mode == ClockMode::Scaled;
        if self.mode == ClockMode::Real && self.now.is_some() {
            return Err(ClockError::Real);
        }
        if !is_scaled && self.rate.is_some() {
            return Err(ClockError::Rate);
        }
        if is_scaled && !self.rate.is_some_and(|rate| (SLOWEST..=FASTEST).contains(&rate)) {
            return Err(ClockError::NoRate);
        }
        if self.now.is_some_and(|now| !(FIRST..=LAST).contains(&now)) {
            return Err(ClockError::Time);
        }
        Ok(())
    }
}

impl Clock {
    fn with_pace(pace: ClockPace) -> Self {
        Self { pace: RwLock::new(pace), listeners: Mutex::default() }
    }

    /// Returns a clock that shows the system's time.
    pub fn system() -> Self {
        Self::with_pace(ClockPace::Real)
    }

    /// Returns a clock that is frozen at this time.
    pub fn fixed(at: Timestamp) -> Self {
        Self::with_pace(ClockPace::Frozen(at.as_nanos()))
    }

    fn pace(&self) -> ClockPace {
        *self.pace.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the time of the system's clock, whatever this clock shows.
    pub fn real_nanos(&self) -> i64 {
        read_system_clock()
    }

    /// Returns the time in nanoseconds since 1970.
    pub fn nanos(&self) -> i64 {
        self.pace().now()
    }

    /// Returns the mode and the time.
    pub fn reading(&self) -> ClockSetting {
        let pace = self.pace();
        let (mode, rate) = match pace {
            ClockPace::Real => (ClockMode::Real, None),
            ClockPace::Offset(_) => (ClockMode::Offset, None),
            ClockPace::Frozen(_) => (ClockMode::Frozen, None),
            ClockPace::Scaled { rate, .. } => (ClockMode::Scaled, Some(rate)),
        };
        ClockSetting { mode, now: Some(pace.now()), rate }
    }

    pub fn is_frozen(&self) -> bool {
        matches!(self.pace(), ClockPace::Frozen(_))
    }

    /// Applies a setting.
    pub fn apply_setting(&self, setting: ClockSetting) -> Result<(), ClockError> {
        setting.check()?;
        self.update_pace(|pace| *pace = ClockPace::from_setting(setting, pace.now()));
        Ok(())
    }

    /// Restores an earlier reading. A real clock shows the system's time again.
    pub fn restore_reading(&self, reading: ClockSetting) {
        self.update_pace(|pace| *pace = ClockPace::from_setting(reading, pace.now()));
    }

    /// Moves the clock forward to a time, never back. A real clock becomes an offset clock.
    pub fn move_forward(&self, to: i64) -> Result<(), ClockError> {
        if to > LAST {
            return Err(ClockError::Time);
        }
        self.update_pace(|pace| {
            let by = to.saturating_sub(pace.now()).max(0);
            *pace = match *pace {
                ClockPace::Real if by == 0 => ClockPace::Real,
                ClockPace::Real => ClockPace::Offset(by),
                ClockPace::Offset(offset) => ClockPace::Offset(offset.saturating_add(by)),
                ClockPace::Frozen(at) => ClockPace::Frozen(at.saturating_add(by)),
                ClockPace::Scaled { from, since, rate } => {
                    ClockPace::Scaled { from: from.saturating_add(by), since, rate }
                }
            };
        });
        Ok(())
    }

    /// Moves a frozen clock. Other clocks move by themselves.
    pub(super) fn advance_frozen(&self, by: i64) {
        self.update_pace(|pace| {
            if let ClockPace::Frozen(at) = pace {
                *at = at.saturating_add(by);
            }
        });
    }

    /// Returns how long it takes until the clock shows this time, or `None` if it is frozen before it.
    pub fn time_until(&self, at: i64) -> Option<Duration> {
        let pace = self.pace();
        let left = at.saturating_sub(pace.now());
        if left <= 0 {
            return Some(Duration::ZERO);
        }
        match pace {
            ClockPace::Frozen(_) => None,
            ClockPace::Real | ClockPace::Offset(_) => Some(Duration::from_nanos(left.unsigned_abs())),
            // Add one nanosecond, so that rounding cannot end the wait too early.
            ClockPace::Scaled { rate, .. } => {
                Some(Duration::from_nanos(scale_time(left, 1.0 / rate).unsigned_abs().saturating_add(1)))
            }
        }
    }

    /// Calls `listener` after every change, until it returns false. The listener must be quick.
    pub fn add_listener(&self, listener: impl Fn() -> bool + Send + Sync + 'static) {
        self.listeners.lock().unwrap_or_else(PoisonError::into_inner).push(Box::new(listener));
    }

    fn update_pace(&self, change: impl FnOnce(&mut ClockPace)) {
        change(&mut self.pace.write().unwrap_or_else(PoisonError::into_inner));
        self.listeners.lock().unwrap_or_else(PoisonError::into_inner).retain(|listener| listener());
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    };

    use super::*;

    const AT: i64 = 1_767_603_600 * NANOS_PER_SECOND;

    fn clock_with(mode: ClockMode, rate: Option<f64>) -> Clock {
        let clock = Clock::system();
        clock.apply_setting(ClockSetting { mode, now: Some(AT), rate }).expect("a setting");
        clock
    }

    #[test]
    fn a_frozen_clock_shows_what_it_is_set_to_and_waits_for_ever() {
        let clock = clock_with(ClockMode::Frozen, None);
        assert_eq!((clock.nanos(), clock.nanos()), (AT, AT));
        assert_eq!(clock.time_until(AT), Some(Duration::ZERO));
        assert_eq!(clock.time_until(AT + 1), None);
        clock.move_forward(AT + 7).expect("later");
        clock.move_forward(AT).expect("never back");
        assert_eq!(clock.nanos(), AT + 7);
        let kept = clock.reading();
        clock.apply_setting(ClockSetting { mode: ClockMode::Frozen, now: Some(AT - 9), rate: None }).expect("set back");
        assert_eq!(clock.nanos(), AT - 9);
        clock.apply_setting(kept).expect("as it was");
        assert_eq!(clock.reading(), ClockSetting { mode: ClockMode::Frozen, now: Some(AT + 7), rate: None });
    }

    #[test]
    fn an_offset_clock_goes_as_the_real_one_does() {
        let clock = clock_with(ClockMode::Offset, None);
        let first = clock.nanos();
        assert!(first >= AT && clock.nanos() >= first);
        let hour = 3_600 * NANOS_PER_SECOND;
        assert!(clock.time_until(first + hour).is_some_and(|left| left <= Duration::from_secs(3_600)));
        clock.move_forward(first + hour).expect("later");
        assert!(clock.nanos() >= first + hour);
        let real = Clock::system();
        real.move_forward(real.nanos() + hour).expect("later");
        assert_eq!(real.reading().mode, ClockMode::Offset, "a real clock that is moved is real no more");
    }

    #[test]
    fn a_wait_on_a_scaled_clock_takes_real_time_divided_by_the_rate() {
        let day = 86_400 * NANOS_PER_SECOND;
        let left = |rate| clock_with(ClockMode::Scaled, Some(rate)).time_until(AT + day).expect("it goes");
        assert!((86.0..=86.5).contains(&left(1_000.0).as_secs_f64()), "{:?}", left(1_000.0));
        assert!((863_000.0..=864_001.0).contains(&left(0.1).as_secs_f64()), "{:?}", left(0.1));
    }

    #[test]
    fn an_invalid_clock_setting_is_refused_and_changes_nothing() {
        let clock = clock_with(ClockMode::Frozen, None);
        let set = |mode, now, rate| clock.apply_setting(ClockSetting { mode, now, rate }).expect_err("refused");
        assert_eq!(set(ClockMode::Real, Some(AT), None), ClockError::Real);
        assert_eq!(set(ClockMode::Frozen, None, Some(2.0)), ClockError::Rate);
        for rate in [None, Some(0.0), Some(-1.0), Some(f64::NAN), Some(f64::INFINITY), Some(0.000_01), Some(1e9)] {
            assert_eq!(set(ClockMode::Scaled, None, rate), ClockError::NoRate, "{rate:?}");
        }
        for now in [0, FIRST - 1, LAST + 1, i64::MAX, i64::MIN] {
            assert_eq!(set(ClockMode::Offset, Some(now), None), ClockError::Time, "{now}");
        }
        assert_eq!(clock.move_forward(LAST + 1), Err(ClockError::Time));
        assert_eq!(clock.nanos(), AT);
    }

    #[test]
    fn a_listener_is_called_on_changes_until_it_returns_false() {
        let (clock, heard) = (Clock::system(), Arc::new(AtomicUsize::new(0)));
        let count = heard.clone();
        clock.add_listener(move || count.fetch_add(1, Ordering::SeqCst) < 1);
        for _ in 0..5 {
            clock.apply_setting(ClockSetting::default()).expect("real");
        }
        assert_eq!(heard.load(Ordering::SeqCst), 2);
    }
}
