//! Points in time: whole seconds for records, and the strict parsing of filters.

pub mod date;
mod due;

use chrono::{DateTime, Datelike, NaiveDate, Timelike, Utc};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};

pub use self::due::DueTime;

/// A time in seconds since 1970 in UTC. All times of records have this precision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(type = "string"))]
pub struct Timestamp(i64);

/// Nanoseconds per second.
pub const NANOS_PER_SECOND: i64 = 1_000_000_000;
/// 0000-01-01 to 9999-12-31, the range that a year of four digits can express.
const RANGE: std::ops::RangeInclusive<i64> = -62_167_219_200..=253_402_300_799;

impl Timestamp {
    pub fn from_unix(seconds: i64) -> Self {
        Self(seconds.clamp(*RANGE.start(), *RANGE.end()))
    }

    pub fn unix(self) -> i64 {
        self.0
    }

    /// Returns nanoseconds since 1970, as clocks count them.
    pub fn as_nanos(self) -> i64 {
        self.0.saturating_mul(NANOS_PER_SECOND)
    }

    /// Splits nanoseconds since 1970 into the whole second and the rest.
    pub fn from_nanos(nanos: i64) -> (Self, u32) {
        (Self::from_unix(nanos.div_euclid(NANOS_PER_SECOND)), nanos.rem_euclid(NANOS_PER_SECOND) as u32)
    }

    /// Returns the day in UTC.
    pub fn day(self) -> NaiveDate {
        self.date_time().date_naive()
    }

    fn date_time(self) -> DateTime<Utc> {
        DateTime::from_timestamp(self.0, 0).unwrap_or_default()
    }

    /// Formats digit by digit. A page formats hundreds of times, and the general formatter would take most of that
    /// time.
    fn to_digits(self, between: u8) -> [u8; 19] {
        let t = self.date_time();
        let mut text = *b"0000-00-00 00:00:00";
        text[10] = between;
        let mut put = |places: std::ops::Range<usize>, mut number: u32| {
            for place in places.rev() {
                text[place] = b'0' + (number % 10) as u8;
                number /= 10;
            }
        };
        put(0..4, t.year().unsigned_abs());
        put(5..7, t.month());
        put(8..10, t.day());
        put(11..13, t.hour());
        put(14..16, t.minute());
        put(17..19, t.second());
        text
    }

    fn format_with(self, between: u8, end: &str) -> String {
        let digits = self.to_digits(between);
        [std::str::from_utf8(&digits).unwrap_or_default(), end].concat()
    }

    /// Formats as `2026-01-05T09:00:00Z`.
    pub fn to_iso(self) -> String {
        self.format_with(b'T', "Z")
    }

    /// Formats as `2026-01-05 09:00:00`, the form in contact records.
    pub fn to_plain(self) -> String {
        self.format_with(b' ', "")
    }

    /// Does the same without a text, in ASCII.
    pub fn to_plain_ascii(self) -> [u8; 19] {
        self.to_digits(b' ')
    }

    /// Does the same as [`Timestamp::to_iso`] without a text, in ASCII.
    pub fn to_iso_ascii(self) -> [u8; 20] {
        let mut text = [b'Z'; 20];
        text[..19].copy_from_slice(&self.to_digits(b'T'));
        text
    }

    /// Parses the form of [`Timestamp::to_iso`], whole seconds only.
    pub fn parse_iso(text: &str) -> Option<Self> {
        let bound = TimeBound::parse(text)?;
        (bound.nanos == 0 && text.len() == 20).then_some(Self(bound.seconds))
    }

    /// Parses the form of [`Timestamp::plain`].
    pub fn parse_plain(text: &str) -> Option<Self> {
        let (date, time) = text.split_once(' ')?;
        Self::parse_iso(&format!("{date}T{time}Z"))
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.to_iso())
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse_iso(&text).ok_or_else(|| D::Error::custom(format!("invalid time '{text}'")))
    }
}

/// An inclusive bound of a time filter. It may be finer than the times of records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimeBound {
    seconds: i64,
    nanos: u32,
}

impl TimeBound {
    /// Parses `YYYY-MM-DDTHH:MM:SS[.fraction]Z`. The date and the time of day must exist.
    pub fn parse(text: &str) -> Option<Self> {
        let body = text.strip_suffix('Z')?;
        let (whole, fraction) = match body.split_once('.') {
            Some((whole, fraction)) => (whole, Some(fraction)),
            None => (body, None),
        };
        let bytes = whole.as_bytes();
        let separators = [(4, b'-'), (7, b'-'), (10, b'T'), (13, b':'), (16, b':')];
        if bytes.len() != 19 || separators.iter().any(|(at, byte)| bytes[*at] != *byte) {
            return None;
        }
        let number = |from: usize, to: usize| -> Option<u32> {
            bytes[from..to].iter().try_fold(0, |n, b| b.is_ascii_digit().then(|| n * 10 + u32::from(b - b'0')))
        };
        let date = NaiveDate::from_ymd_opt(number(0, 4)? as i32, number(5, 7)?, number(8, 10)?)?;
        let at = date.and_hms_opt(number(11, 13)?, number(14, 16)?, number(17, 19)?)?;
        let nanos = match fraction {
            None => 0,
            Some(digits) if (1..=9).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_digit()) => {
                digits.bytes().chain(std::iter::repeat(b'0')).take(9).fold(0, |n, b| n * 10 + u32::from(b - b'0'))
            }
            Some(_) => return None,
        };
        Some(Self { seconds: at.and_utc().timestamp(), nanos })
    }

    /// Returns the first whole second at or after this bound.
    pub fn at_or_after(self) -> i64 {
        self.seconds + i64::from(self.nanos > 0)
    }

    /// Returns the last whole second at or before this bound.
    pub fn at_or_before(self) -> i64 {
        self.seconds
    }

    /// Returns nanoseconds since 1970, or `None` if they exceed the range.
    pub fn as_nanos(self) -> Option<i64> {
        self.seconds.checked_mul(NANOS_PER_SECOND)?.checked_add(self.nanos.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_written_and_read_back() {
        let t = Timestamp::parse_iso("2026-01-05T09:12:40Z").expect("well formed");
        assert_eq!(t.to_iso(), "2026-01-05T09:12:40Z");
        assert_eq!(t.to_plain(), "2026-01-05 09:12:40");
        assert_eq!(Timestamp::parse_plain("2026-01-05 09:12:40"), Some(t));
        assert_eq!(Timestamp::from_unix(i64::MAX).to_iso(), "9999-12-31T23:59:59Z");
        assert_eq!(Timestamp::from_unix(i64::MIN).to_iso(), "0000-01-01T00:00:00Z");
    }

    #[test]
    fn filters_read_only_the_documented_form() {
        for good in ["2026-01-05T09:00:00Z", "2026-01-05T09:00:00.1Z", "2024-02-29T23:59:59.123456789Z"] {
            assert!(TimeBound::parse(good).is_some(), "{good}");
        }
        for bad in [
            "",
            "2026-01-05",
            "2026-01-05T09:00:00",
            "2026-01-05t09:00:00Z",
            "2026-01-05T09:00:00z",
            "2026-01-05T09:00:00+00:00",
            "2026-02-29T00:00:00Z",
            "2026-01-05T09:00:60Z",
            "2026-01-05T24:00:00Z",
            "2026-01-05T09:00:00.Z",
            "2026-01-05T09:00:00.1234567890Z",
            "2026-01-05T09:00:00.12aZ",
            "2026-1-05T09:00:00Z",
            "+026-01-05T09:00:00Z",
            "２026-01-05T09:00:00Z",
        ] {
            assert!(TimeBound::parse(bad).is_none(), "{bad}");
        }
    }

    #[test]
    fn a_fraction_moves_only_the_lower_bound() {
        let bound = TimeBound::parse("2026-01-05T09:00:00.5Z").expect("well formed");
        assert_eq!(bound.at_or_after() - bound.at_or_before(), 1);
    }

    #[test]
    fn seconds_are_counted_in_nanoseconds_and_back() {
        for (text, counted) in [
            ("1970-01-01T00:00:01.5Z", Some(1_500_000_000)),
            ("1969-12-31T23:59:59.25Z", Some(-750_000_000)),
            ("9999-12-31T23:59:59Z", None),
        ] {
            let bound = TimeBound::parse(text).expect("well formed");
            assert_eq!(bound.as_nanos(), counted, "{text}");
            if let Some(counted) = counted {
                let (second, beyond) = Timestamp::from_nanos(counted);
                assert_eq!((second.unix(), beyond), (bound.seconds, bound.nanos), "{text}");
                assert_eq!(second.as_nanos() + i64::from(beyond), counted, "{text}");
            }
        }
        assert_eq!(Timestamp::from_unix(i64::MAX).as_nanos(), i64::MAX, "as far as can be counted");
    }
}
