//! The effect of a fault rule on the response or on its connection.

use std::{collections::BTreeMap, time::Duration};

use axum::http::{HeaderName, HeaderValue};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::random::SeededRandom;
use crate::{http::response::forbidden_header_reason, settings::HumanDuration};

/// Everything given here happens together. With an empty effect, the journal names the rule and nothing else happens.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "snake_case", default)]
pub(crate) struct FaultEffect {
    /// An error status. The body has the shape that the operation uses.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 400, max = 599))]
    pub status: Option<u16>,
    /// The name of the error. Default: the name that belongs to the status.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(regex(pattern = "^[A-Z][A-Z_]{0,63}$"))]
    pub error: Option<String>,
    /// Value of the Retry-After header, in whole seconds. Default: `1s` with status 429, otherwise no header.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retry_after: Option<HumanDuration>,
    /// More response headers. They replace existing ones.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub headers: BTreeMap<String, String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub latency: Option<Latency>,
    /// Ends the connection without a response.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<ConnectionEnd>,
    /// Damages the response body. A response without a body stays the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body: Option<BodyFault>,
}

/// How the connection ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ConnectionEnd {
    /// Reset (RST).
    Reset,
    /// Closed normally, without a single byte of a response.
    Empty,
    /// Silent until the caller disconnects or the server stops.
    Hang,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "snake_case")]
pub(crate) enum BodyFault {
    /// The last closing brace is missing.
    MalformedJson,
    /// Sends this many bytes of the announced length, then closes the connection. Default: half.
    #[serde(rename_all = "snake_case")]
    Truncate {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        bytes: Option<u64>,
    },
    /// Sends the body this slowly.
    #[serde(rename_all = "snake_case")]
    Trickle {
        #[schemars(range(min = 1))]
        bytes_per_second: u32,
    },
    /// The Content-Type is text/html.
    WrongContentType,
    /// The Content-Type header is sent twice, with different values.
    DuplicateHeader,
}

/// How long the response is delayed, in real time. At most ten minutes.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "snake_case")]
pub(crate) enum Latency {
    Fixed(HumanDuration),
    Uniform {
        min: HumanDuration,
        max: HumanDuration,
    },
    /// Most delays are near the median, a few are much longer.
    LogNormal {
        median: HumanDuration,
        sigma: f64,
    },
    /// The same distribution, given by its median and its 99th percentile.
    Quantiles {
        p50: HumanDuration,
        p99: HumanDuration,
    },
}

/// The longest wait of one response.
pub(crate) const LATENCY_MAX: HumanDuration = HumanDuration::from_secs(600);
/// The 99th percentile of the standard normal distribution.
const P99_DEVIATIONS: f64 = 2.326_347_874_040_841;

impl FaultEffect {
    /// Whether the caller receives something other than the operation's own response.
    pub(crate) fn replaces_response(&self) -> bool {
        self.status.is_some() || self.line.is_some()
    }

    pub(crate) fn check(&self) -> Result<(), String> {
        if self.status.is_some_and(|status| !(400..600).contains(&status)) {
            return Err("effect.status: expected an error status from 400 to 599".into());
        }
        if let Some(error) = &self.error {
            let is_name = (1..=64).contains(&error.len())
                && error.bytes().all(|b| b.is_ascii_uppercase() || b == b'_')
                && !error.starts_with('_');
            if !is_name {
                return Err("effect.error: expected a name in capital letters, for example SERVICE_UNAVAILABLE".into());
            }
            if self.status.is_none() {
                return Err("effect.error: needs effect.status".into());
            }
        }
        let rest =
            self.status.is_some() || self.body.is_some() || self.retry_after.is_some() || !self.headers.is_empty();
        if self.line.is_some() && rest {
            return Err("effect.line: cannot be combined with status, body, headers or retry_after, because no \
             response is sent"
                .into());
        }
        for (name, value) in &self.headers {
            let parsed = (HeaderName::try_from(name.as_str()), HeaderValue::try_from(value.as_str()));
            let (Ok(name), Ok(_)) = parsed else {
                return Err(format!("effect.headers: '{name}' or its value is not a valid header"));
            };
            if let Some(why) = forbidden_header_reason(&name) {
                return Err(format!("effect.headers: {name} cannot be set: it {why}"));
            }
        }
        if self.retry_after.is_some_and(|span| span.0.subsec_nanos() > 0) {
            return Err("effect.retry_after: expected whole seconds, because the header has no fractions".into());
        }
        if let Some(BodyFault::Trickle { bytes_per_second: 0 }) = self.body {
            return Err("effect.body.trickle.bytes_per_second: expected at least 1, got 0".into());
        }
        self.latency.map_or(Ok(()), |latency| latency.check())
    }
}

impl Latency {
    fn check(self) -> Result<(), String> {
        let (low, high) = match self {
            Self::Fixed(wait) => (wait, wait),
            Self::Uniform { min, max } => (min, max),
            Self::LogNormal { median, sigma } if (0.0..=10.0).contains(&sigma) => (median, median),
            Self::LogNormal { .. } => {
                return Err("effect.latency.log_normal.sigma: expected a number from 0 to 10".into());
            }
            Self::Quantiles { p50, p99 } => (p50, p99),
        };
        if high > LATENCY_MAX {
            return Err(format!("effect.latency: expected at most {LATENCY_MAX}, got {high}"));
        }
        match low <= high {
            true => Ok(()),
            false => Err(format!("effect.latency: expected the shorter duration first, got {low} before {high}")),
        }
    }

    /// Whether the wait differs from request to request.
    pub(crate) fn is_random(self) -> bool {
        !matches!(self, Self::Fixed(_))
    }

    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a wait is at most ten minutes, and never negative"
    )]
    pub(crate) fn draw_wait(self, draw: &mut SeededRandom) -> Duration {
        let longest = LATENCY_MAX.as_millis();
        let spread = |median: u64, sigma: f64, draw: &mut SeededRandom| {
            (median as f64 * (sigma * draw.next_normal()).exp()).min(longest as f64) as u64
        };
        let millis = match self {
            Self::Fixed(wait) => return wait.0,
            Self::Uniform { min, max } => min.as_millis() + draw.next_below(max.as_millis() - min.as_millis() + 1),
            Self::LogNormal { median, sigma } => spread(median.as_millis(), sigma, draw),
            Self::Quantiles { p50, p99 } => {
                let low = p50.as_millis().max(1);
                spread(low, (p99.as_millis().max(low) as f64 / low as f64).ln() / P99_DEVIATIONS, draw)
            }
        };
        Duration::from_millis(millis.min(longest))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn read_effect(value: Value) -> Result<FaultEffect, String> {
        let effect: FaultEffect = serde_json::from_value(value).map_err(|why| why.to_string())?;
        effect.check().map(|()| effect)
    }

    #[test]
    fn effects_are_read_and_written_alike() {
        for effect in [
            json!({ "status": 503, "error": "MAINTENANCE", "retry_after": "5s", "headers": { "x-a": "b" } }),
            json!({ "latency": { "fixed": "800ms" }, "line": "reset" }),
            json!({ "latency": { "uniform": { "min": "1ms", "max": "2ms" } }, "line": "hang" }),
            json!({ "latency": { "log_normal": { "median": "400ms", "sigma": 0.5 } }, "line": "empty" }),
            json!({ "latency": { "quantiles": { "p50": "400ms", "p99": "3s" } }, "body": "malformed_json" }),
            json!({ "body": { "truncate": { "bytes": 20 } } }),
            json!({ "body": { "truncate": {} } }),
            json!({ "body": { "trickle": { "bytes_per_second": 100 } } }),
            json!({ "body": "wrong_content_type" }),
            json!({ "body": "duplicate_header" }),
        ] {
            let read = read_effect(effect.clone()).unwrap_or_else(|why| panic!("{effect}: {why}"));
            assert_eq!(serde_json::to_value(read).expect("JSON"), effect);
        }
    }

    #[test]
    fn an_invalid_effect_is_refused() {
        for (effect, want) in [
            (json!({ "status": 200 }), "from 400 to 599"),
            (json!({ "error": "X" }), "needs effect.status"),
            (json!({ "status": 500, "error": "x" }), "in capital letters"),
            (json!({ "line": "reset", "status": 500 }), "no response is sent"),
            (json!({ "headers": { "x y": "" } }), "not a valid header"),
            (json!({ "headers": { "x": "a\r\nb: c" } }), "not a valid header"),
            (json!({ "headers": { "Content-Length": "5" } }), "belongs to the connection"),
            (json!({ "headers": { "Service-Worker-Allowed": "/" } }), "the console's pages"),
            (json!({ "latency": { "fixed": "600001ms" } }), "at most 10m"),
            (json!({ "latency": { "uniform": { "min": "2ms", "max": "1ms" } } }), "the shorter duration first"),
            (json!({ "latency": { "log_normal": { "median": "1ms", "sigma": -1.0 } } }), "sigma"),
            (json!({ "body": { "trickle": { "bytes_per_second": 0 } } }), "at least 1"),
            (json!({ "body": "malformed" }), "unknown variant"),
        ] {
            let message = read_effect(effect.clone()).expect_err("a fault");
            assert!(message.contains(want), "{effect}: {message}");
        }
    }

    #[test]
    fn latencies_follow_the_rule() {
        let many = |latency: Latency| {
            let mut all: Vec<u128> =
                (0..10_000).map(|n| latency.draw_wait(&mut SeededRandom::for_event(7, n)).as_millis()).collect();
            all.sort_unstable();
            (all[0], all[5_000], all[9_900])
        };
        assert_eq!(many(Latency::Fixed(HumanDuration::from_millis(5))), (5, 5, 5));
        let (least, half, most) =
            many(Latency::Uniform { min: HumanDuration::from_millis(100), max: HumanDuration::from_millis(200) });
        assert!(least == 100 && (145..155).contains(&half) && (198..=200).contains(&most));
        let (_, half, slow) =
            many(Latency::Quantiles { p50: HumanDuration::from_millis(400), p99: HumanDuration::from_secs(3) });
        assert!((380..420).contains(&half) && (2_600..3_400).contains(&slow), "{half} {slow}");
        let (_, half, _) = many(Latency::LogNormal { median: HumanDuration::from_millis(400), sigma: 0.5 });
        assert!((380..420).contains(&half), "{half}");
    }
}
