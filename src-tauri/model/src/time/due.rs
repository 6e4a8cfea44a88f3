//! The exact time at which something is due. Unlike the times of records it is not rounded, so that nothing runs
//! before its delay has passed.

use std::time::Duration;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};

use super::{NANOS_PER_SECOND, TimeBound, Timestamp};

/// A time in nanoseconds since 1970 in UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DueTime(i64);

const NANOS_PER_MILLI: i64 = 1_000_000;

impl DueTime {
    pub fn from_nanos(nanos: i64) -> Self {
        Self(nanos)
    }

    pub fn as_nanos(self) -> i64 {
        self.0
    }

    pub fn add_delay(self, delay: Duration) -> Self {
        Self(self.0.saturating_add(i64::try_from(delay.as_nanos()).unwrap_or(i64::MAX)))
    }

    /// Returns the time from `earlier` until this time; zero if this time is earlier.
    pub fn time_since(self, earlier: Self) -> Duration {
        Duration::from_nanos(u64::try_from(self.0.saturating_sub(earlier.0)).unwrap_or(0))
    }

    /// Returns the first whole second at which it is due.
    pub fn to_second(self) -> Timestamp {
        let (second, rest) = Timestamp::from_nanos(self.0);
        Timestamp::from_unix(second.unix() + i64::from(rest > 0))
    }

    /// Formats as `2026-01-05T09:00:00Z` or `2026-01-05T09:00:00.250Z`, the first millisecond at which it is due.
    pub fn to_iso(self) -> String {
        let millis = self.0.div_euclid(NANOS_PER_MILLI) + i64::from(self.0.rem_euclid(NANOS_PER_MILLI) > 0);
        let second = Timestamp::from_unix(millis.div_euclid(1_000));
        match millis.rem_euclid(1_000) {
            0 => second.to_iso(),
            rest => second.format_with(b'T', &format!(".{rest:03}Z")),
        }
    }
}

impl From<Timestamp> for DueTime {
    fn from(second: Timestamp) -> Self {
        Self(second.as_nanos())
    }
}

impl Serialize for DueTime {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (second, rest) = Timestamp::from_nanos(self.0);
        match rest {
            0 => second.serialize(serializer),
            rest => serializer.collect_str(&second.format_with(b'T', &format!(".{rest:09}Z"))),
        }
    }
}

impl<'de> Deserialize<'de> for DueTime {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let nanos = TimeBound::parse(&text).and_then(TimeBound::as_nanos);
        nanos.map(Self).ok_or_else(|| D::Error::custom(format!("invalid time '{text}'")))
    }
}

const _: () = assert!(NANOS_PER_SECOND == 1_000 * NANOS_PER_MILLI);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_due_time_is_kept_exactly_and_shown_no_earlier_than_it_is() {
        let at = DueTime::from(Timestamp::from_unix(1_767_603_600));
        for (delay, iso, stored) in [
            (Duration::ZERO, "2026-01-05T09:00:00Z", "\"2026-01-05T09:00:00Z\""),
            (Duration::from_millis(250), "2026-01-05T09:00:00.250Z", "\"2026-01-05T09:00:00.250000000Z\""),
            (Duration::from_nanos(1), "2026-01-05T09:00:00.001Z", "\"2026-01-05T09:00:00.000000001Z\""),
            (Duration::from_nanos(999_000_001), "2026-01-05T09:00:01Z", "\"2026-01-05T09:00:00.999000001Z\""),
        ] {
            let due = at.add_delay(delay);
            let written = serde_json::to_string(&due).expect("written");
            assert_eq!((due.to_iso().as_str(), written.as_str()), (iso, stored));
            assert_eq!(serde_json::from_str::<DueTime>(&written).expect("read"), due);
            assert_eq!((due.time_since(at), at.time_since(due)), (delay, Duration::ZERO));
            assert_eq!(due.to_second().unix() - 1_767_603_600, i64::from(delay > Duration::ZERO));
        }
    }
}
