//! Durations as people write them: `250us`, `500ms`, `10s`, `5m`, `2h`, `1d`.

use std::{borrow::Cow, fmt, str::FromStr, time::Duration};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct HumanDuration(pub Duration);

/// Each unit in microseconds, longest first.
const UNITS: [(&str, u64); 6] =
    [("d", 86_400_000_000), ("h", 3_600_000_000), ("m", 60_000_000), ("s", 1_000_000), ("ms", 1_000), ("us", 1)];
const MICROS_MAX: u64 = 366 * 86_400_000_000;

impl HumanDuration {
    /// Rounds up to whole milliseconds.
    pub fn from_ceil_millis(time: Duration) -> Self {
        Self(Duration::from_millis(u64::try_from(time.as_micros().div_ceil(1_000)).unwrap_or(u64::MAX)))
    }

    pub const fn from_millis(millis: u64) -> Self {
        Self(Duration::from_millis(millis))
    }

    pub const fn from_secs(seconds: u64) -> Self {
        Self(Duration::from_secs(seconds))
    }

    pub fn as_millis(self) -> u64 {
        u64::try_from(self.0.as_millis()).unwrap_or(u64::MAX)
    }
}

impl FromStr for HumanDuration {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let split = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
        let (number, unit) = text.split_at(split);
        let micros = UNITS
            .iter()
            .find(|(name, _)| *name == unit)
            .and_then(|(_, micros)| number.parse::<u64>().ok()?.checked_mul(*micros))
            .filter(|micros| *micros <= MICROS_MAX);
        let refused =
            || format!("'{text}' is not a valid duration. Use for example 500ms, 10s, 5m, 2h or 1d, at most 366d");
        micros.map(|micros| Self(Duration::from_micros(micros))).ok_or_else(refused)
    }
}

impl fmt::Display for HumanDuration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let micros = self.0.as_micros();
        match UNITS.iter().find(|(_, unit)| micros > 0 && micros.is_multiple_of(u128::from(*unit))) {
            Some((name, unit)) => write!(f, "{}{name}", micros / u128::from(*unit)),
            None => write!(f, "0ms"),
        }
    }
}

impl Serialize for HumanDuration {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for HumanDuration {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(DurationVisitor)
    }
}

struct DurationVisitor;

impl de::Visitor<'_> for DurationVisitor {
    type Value = HumanDuration;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a duration such as \"10s\"")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<HumanDuration, E> {
        text.parse().map_err(E::custom)
    }
}

impl JsonSchema for HumanDuration {
    fn schema_name() -> Cow<'static, str> {
        "Duration".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "string",
            "pattern": "^[0-9]+(us|ms|s|m|h|d)$",
            "description": "A duration: 500ms, 10s, 5m, 2h, 1d. Measured values can be in microseconds: 412us",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_are_read_and_written() {
        for (text, millis, written) in [
            ("0s", 0, "0ms"),
            ("500ms", 500, "500ms"),
            ("500000us", 500, "500ms"),
            ("10s", 10_000, "10s"),
            ("90s", 90_000, "90s"),
            ("120s", 120_000, "2m"),
            ("48h", 172_800_000, "2d"),
        ] {
            let span: HumanDuration = text.parse().expect("a span");
            assert_eq!((span.0.as_millis(), span.to_string().as_str()), (millis, written));
        }
        assert_eq!(HumanDuration(Duration::from_micros(1_412)).to_string(), "1412us");
        assert_eq!(HumanDuration::from_ceil_millis(Duration::from_micros(1_412)).to_string(), "2ms");
        for text in ["", "10", "s", "10 s", "-1s", "1.5s", "10y", "367d", "99999999999999999999d"] {
            assert!(text.parse::<HumanDuration>().is_err(), "{text}");
        }
    }
}
