//! The parts of the request limit that are not settings of their own: algorithm, burst, scope and refusal.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use serde_json::Value;

use crate::settings::HumanDuration;

/// How requests are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LimitAlgorithm {
    // A bucket that starts full and refills at a constant rate.
    #[default]
    TokenBucket,
    // A fixed number in every whole second of the clock.
    FixedWindow,
}

/// What gets a bucket of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "LimitScope")]
pub enum LimitScope {
    #[default]
    #[serde(rename = "key+operation")]
    KeyAndOperation,
    Key,
    Operation,
    World,
}

/// The value of Retry-After in a refusal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RetryAfter {
    /// The whole seconds until the next request is accepted.
    #[default]
    Computed,
    /// No header.
    None,
    After(HumanDuration),
}

/// A rate limit without its rate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LimitOptions {
    pub algorithm: LimitAlgorithm,
    /// The most requests at once. Null: as many as per second.
    pub burst: Option<u32>,
    pub scope: LimitScope,
    pub status: u16,
    pub retry_after: RetryAfter,
}

impl Default for LimitOptions {
    fn default() -> Self {
        Self {
            algorithm: LimitAlgorithm::default(),
            burst: None,
            scope: LimitScope::default(),
            status: 429,
            retry_after: RetryAfter::default(),
        }
    }
}

/// A limit in the form in which a bucket applies it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RateLimit {
    pub algorithm: LimitAlgorithm,
    pub per_second: u32,
    pub burst: u32,
    pub scope: LimitScope,
}

impl Serialize for RetryAfter {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Computed => serializer.serialize_str("computed"),
            Self::None => serializer.serialize_str("none"),
            Self::After(span) => span.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for RetryAfter {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let given = Value::deserialize(deserializer)?;
        match given.as_str() {
            Some("computed") => Ok(Self::Computed),
            Some("none") => Ok(Self::None),
            Some(text) => match text.parse::<HumanDuration>() {
                Ok(span) if span.0.subsec_nanos() == 0 => Ok(Self::After(span)),
                Ok(_) => {
                    Err(de::Error::custom("retry_after: expected whole seconds, because the header has no fractions"))
                }
                Err(_) => Err(de::Error::custom(EXPECTED_RETRY_AFTER)),
            },
            None => Err(de::Error::custom(EXPECTED_RETRY_AFTER)),
        }
    }
}

const EXPECTED_RETRY_AFTER: &str = "retry_after: expected computed, none, or a duration such as 5s";

impl JsonSchema for RetryAfter {
    fn schema_name() -> Cow<'static, str> {
        "RetryAfter".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let span = generator.subschema_for::<HumanDuration>();
        json_schema!({
            "description": "The Retry-After header: computed from the bucket, none, or always this duration.",
            "anyOf": [{ "enum": ["computed", "none"] }, span],
        })
    }
}
