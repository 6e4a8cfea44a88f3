//! Where the time comes from: the system's clock, or one that is set, stands still, or goes at a pace of its own.

use std::{
    fmt,
    sync::{Mutex, PoisonError, RwLock},
    time::{Duration, Instant},
};

use chrono::Utc;
use roost_model::time::{SECOND, Timestamp};
use serde::{Deserialize, Serialize};

/// How a clock goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// The system's.
    #[default]
    Real,
    /// The system's, so much earlier or later.
    Offset,
    /// Stands still until it is moved.
    Frozen,
    /// Faster or slower than the system's.
    Scaled,
}

/// How a clock is to go, or goes.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Setting {
    pub mode: Mode,
    /// What it shows, in nanoseconds since 1970; none for what it shows just now.
    pub now: Option<i64>,
    /// Seconds of it in a second of the system's clock.
    pub rate: Option<f64>,
}

/// Why a clock stays as it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NotSet {
    #[error("A real clock always shows the system time. Use offset to set another time.")]
    Real,
    #[error("Only a scaled clock has a rate.")]
    Rate,
    #[error("A scaled clock needs a rate from 0.0001 to 100000.")]
    NoRate,
    #[error("The time must be from 2015-01-01T00:00:00Z to 2149-12-31T23:59:59Z.")]
    Time,
}

/// Identifiers hold no earlier and no later times.
const FIRST: i64 = 1_420_070_400 * SECOND;
const LAST: i64 = 5_680_281_599 * SECOND;
const SLOWEST: f64 = 0.0001;
const FASTEST: f64 = 100_000.0;

/// Told that a clock was changed; answers whether it wants to hear more.
type Listener = Box<dyn Fn() -> bool + Send + Sync>;

pub struct Clock {
    pace: RwLock<Pace>,
    listeners: Mutex<Vec<Listener>>,
}

#[derive(Debug, Clone, Copy)]
enum Pace {
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

#[expect(clippy::disallowed_methods, reason = "the one place that reads the system's clock")]
fn system() -> i64 {
    Utc::now().timestamp_nanos_opt().unwrap_or(i64::MAX)
}

#[expect(clippy::cast_precision_loss, clippy::cast_possible_truncation, reason = "a float that is too large saturates")]
fn scaled(time: i64, rate: f64) -> i64 {
    (time as f64 * rate) as i64
}

fn nanos(time: Duration) -> i64 {
    i64::try_from(time.as_nanos()).unwrap_or(i64::MAX)
}

impl Pace {
    fn now(self) -> i64 {
        match self {
            Self::Real => system(),
            Self::Offset(by) => system().saturating_add(by),
            Self::Frozen(at) => at,
            Self::Scaled { from, since, rate } => from.saturating_add(scaled(nanos(since.elapsed()), rate)),
        }
    }

    fn of(setting: Setting, before: i64) -> Self {
        let now = setting.now.unwrap_or(before);
        match setting.mode {
            Mode::Real => Self::Real,
            Mode::Offset => Self::Offset(now.saturating_sub(system())),
            Mode::Frozen => Self::Frozen(now),
            Mode::Scaled => Self::Scaled { from: now, since: Instant::now(), rate: setting.rate.unwrap_or(1.0) },
        }
    }
}

impl Setting {
    /// What a reading that was taken when the system's clock showed `then` has become since.
    pub fn after(self, then: i64, real: i64) -> Self {
        let passed = match self.mode {
            Mode::Real | Mode::Frozen => 0,
            Mode::Offset => real.saturating_sub(then),
            Mode::Scaled => scaled(real.saturating_sub(then), self.rate.unwrap_or(1.0)),
        };
        Self { now: self.now.map(|now| now.saturating_add(passed)), ..self }
    }

    /// The same of a reading, which tells the time also of a real clock.
    pub fn check_reading(&self) -> Result<(), NotSet> {
        Self { now: self.now.filter(|_| self.mode != Mode::Real), ..*self }.check()
    }

    pub fn check(&self) -> Result<(), NotSet> {
        let is_scaled = self.mode == Mode::Scaled;
        if self.mode == Mode::Real && self.now.is_some() {
            return Err(NotSet::Real);
        }
        if !is_scaled && self.rate.is_some() {
            return Err(NotSet::Rate);
        }
        if is_scaled && !self.rate.is_some_and(|rate| (SLOWEST..=FASTEST).contains(&rate)) {
            return Err(NotSet::NoRate);
        }
        if self.now.is_some_and(|now| !(FIRST..=LAST).contains(&now)) {
            return Err(NotSet::Time);
        }
        Ok(())
    }
}

impl Clock {
    fn of(pace: Pace) -> Self {
        Self { pace: RwLock::new(pace), listeners: Mutex::default() }
    }

    /// The system's.
    pub fn system() -> Self {
        Self::of(Pace::Real)
    }

    /// Stands still at this time.
    pub fn fixed(at: Timestamp) -> Self {
        Self::of(Pace::Frozen(at.nanos()))
    }

    fn pace(&self) -> Pace {
        *self.pace.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// What the system's clock shows, whatever this one does.
    pub fn real_nanos(&self) -> i64 {
        system()
    }

    /// Nanoseconds since 1970.
    pub fn nanos(&self) -> i64 {
        self.pace().now()
    }

    /// How it goes and what it shows.
    pub fn reading(&self) -> Setting {
        let pace = self.pace();
        let (mode, rate) = match pace {
            Pace::Real => (Mode::Real, None),
            Pace::Offset(_) => (Mode::Offset, None),
            Pace::Frozen(_) => (Mode::Frozen, None),
            Pace::Scaled { rate, .. } => (Mode::Scaled, Some(rate)),
        };
        Setting { mode, now: Some(pace.now()), rate }
    }

    pub fn is_standing(&self) -> bool {
        matches!(self.pace(), Pace::Frozen(_))
    }

    /// Goes on as it is told.
    pub fn set(&self, setting: Setting) -> Result<(), NotSet> {
        setting.check()?;
        self.change(|pace| *pace = Pace::of(setting, pace.now()));
        Ok(())
    }

    /// Goes on from an earlier reading; the system's clock shows what it shows.
    pub fn go_back(&self, reading: Setting) {
        self.change(|pace| *pace = Pace::of(reading, pace.now()));
    }

    /// Goes forward to a time, however it goes; never back. The system's clock becomes one that is so much later.
    pub fn forward(&self, to: i64) -> Result<(), NotSet> {
        if to > LAST {
            return Err(NotSet::Time);
        }
        self.change(|pace| {
            let by = to.saturating_sub(pace.now()).max(0);
            *pace = match *pace {
                Pace::Real if by == 0 => Pace::Real,
                Pace::Real => Pace::Offset(by),
                Pace::Offset(of) => Pace::Offset(of.saturating_add(by)),
                Pace::Frozen(at) => Pace::Frozen(at.saturating_add(by)),
                Pace::Scaled { from, since, rate } => Pace::Scaled { from: from.saturating_add(by), since, rate },
            };
        });
        Ok(())
    }

    /// Moves a clock that stands still; any other moves by itself.
    pub(super) fn step(&self, by: i64) {
        self.change(|pace| {
            if let Pace::Frozen(at) = pace {
                *at = at.saturating_add(by);
            }
        });
    }

    /// How long it takes until it shows this time; none when it stands still before it.
    pub fn time_until(&self, at: i64) -> Option<Duration> {
        let pace = self.pace();
        let left = at.saturating_sub(pace.now());
        if left <= 0 {
            return Some(Duration::ZERO);
        }
        match pace {
            Pace::Frozen(_) => None,
            Pace::Real | Pace::Offset(_) => Some(Duration::from_nanos(left.unsigned_abs())),
            // One more, so that it is there when the time has passed.
            Pace::Scaled { rate, .. } => {
                Some(Duration::from_nanos(scaled(left, 1.0 / rate).unsigned_abs().saturating_add(1)))
            }
        }
    }

    /// Calls `listener` after every change, until it answers false. It must be quick.
    pub fn listen(&self, listener: impl Fn() -> bool + Send + Sync + 'static) {
        self.listeners.lock().unwrap_or_else(PoisonError::into_inner).push(Box::new(listener));
    }

    fn change(&self, change: impl FnOnce(&mut Pace)) {
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

    const AT: i64 = 1_767_603_600 * SECOND;

    fn clock(mode: Mode, rate: Option<f64>) -> Clock {
        let clock = Clock::system();
        clock.set(Setting { mode, now: Some(AT), rate }).expect("a setting");
        clock
    }

    #[test]
    fn a_frozen_clock_shows_what_it_is_set_to_and_waits_for_ever() {
        let clock = clock(Mode::Frozen, None);
        assert_eq!((clock.nanos(), clock.nanos()), (AT, AT));
        assert_eq!(clock.time_until(AT), Some(Duration::ZERO));
        assert_eq!(clock.time_until(AT + 1), None);
        clock.forward(AT + 7).expect("later");
        clock.forward(AT).expect("never back");
        assert_eq!(clock.nanos(), AT + 7);
        let kept = clock.reading();
        clock.set(Setting { mode: Mode::Frozen, now: Some(AT - 9), rate: None }).expect("set back");
        assert_eq!(clock.nanos(), AT - 9);
        clock.set(kept).expect("as it was");
        assert_eq!(clock.reading(), Setting { mode: Mode::Frozen, now: Some(AT + 7), rate: None });
    }

    #[test]
    fn an_offset_clock_goes_as_the_real_one_does() {
        let clock = clock(Mode::Offset, None);
        let first = clock.nanos();
        assert!(first >= AT && clock.nanos() >= first);
        let hour = 3_600 * SECOND;
        assert!(clock.time_until(first + hour).is_some_and(|left| left <= Duration::from_secs(3_600)));
        clock.forward(first + hour).expect("later");
        assert!(clock.nanos() >= first + hour);
        let real = Clock::system();
        real.forward(real.nanos() + hour).expect("later");
        assert_eq!(real.reading().mode, Mode::Offset, "a real clock that is moved is real no more");
    }

    #[test]
    fn a_scaled_clock_needs_so_much_less_or_more_of_real_time() {
        let day = 86_400 * SECOND;
        let left = |rate| clock(Mode::Scaled, Some(rate)).time_until(AT + day).expect("it goes");
        assert!((86.0..=86.5).contains(&left(1_000.0).as_secs_f64()), "{:?}", left(1_000.0));
        assert!((863_000.0..=864_001.0).contains(&left(0.1).as_secs_f64()), "{:?}", left(0.1));
    }

    #[test]
    fn what_cannot_be_is_refused_and_changes_nothing() {
        let clock = clock(Mode::Frozen, None);
        let set = |mode, now, rate| clock.set(Setting { mode, now, rate }).expect_err("refused");
        assert_eq!(set(Mode::Real, Some(AT), None), NotSet::Real);
        assert_eq!(set(Mode::Frozen, None, Some(2.0)), NotSet::Rate);
        for rate in [None, Some(0.0), Some(-1.0), Some(f64::NAN), Some(f64::INFINITY), Some(0.000_01), Some(1e9)] {
            assert_eq!(set(Mode::Scaled, None, rate), NotSet::NoRate, "{rate:?}");
        }
        for now in [0, FIRST - 1, LAST + 1, i64::MAX, i64::MIN] {
            assert_eq!(set(Mode::Offset, Some(now), None), NotSet::Time, "{now}");
        }
        assert_eq!(clock.forward(LAST + 1), Err(NotSet::Time));
        assert_eq!(clock.nanos(), AT);
    }

    #[test]
    fn whoever_listens_hears_of_changes_until_it_has_enough() {
        let (clock, heard) = (Clock::system(), Arc::new(AtomicUsize::new(0)));
        let count = heard.clone();
        clock.listen(move || count.fetch_add(1, Ordering::SeqCst) < 1);
        for _ in 0..5 {
            clock.set(Setting::default()).expect("real");
        }
        assert_eq!(heard.load(Ordering::SeqCst), 2);
    }
}
