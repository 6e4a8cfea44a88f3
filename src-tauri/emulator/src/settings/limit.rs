//! How requests a second are limited, besides whether and how many: the parts of a limit that have no setting's name.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use serde_json::Value;

/// How requests are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Algorithm {
    /// A bucket that starts full and refills evenly.
    #[default]
    TokenBucket,
    /// So many in every whole second of the clock.
    FixedWindow,
}

/// What has a bucket of its own.
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

/// What a refused caller is told of when to come again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RetryAfter {
    /// Whole seconds until a token is there.
    #[default]
    Computed,
    /// Nothing.
    None,
    Seconds(u32),
}

/// What a limit is like, besides its rate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Limit {
    pub algorithm: Algorithm,
    /// How many at once; none: as many as in a second.
    pub burst: Option<u32>,
    pub scope: LimitScope,
    pub status: u16,
    pub retry_after: RetryAfter,
}

impl Default for Limit {
    fn default() -> Self {
        Self {
            algorithm: Algorithm::default(),
            burst: None,
            scope: LimitScope::default(),
            status: 429,
            retry_after: RetryAfter::default(),
        }
    }
}

/// A limit as a bucket needs it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rate {
    pub algorithm: Algorithm,
    pub per_second: u32,
    pub burst: u32,
    pub scope: LimitScope,
}

impl Serialize for RetryAfter {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Computed => serializer.serialize_str("computed"),
            Self::None => serializer.serialize_str("none"),
            Self::Seconds(seconds) => serializer.serialize_u32(*seconds),
        }
    }
}

impl<'de> Deserialize<'de> for RetryAfter {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let given = Value::deserialize(deserializer)?;
        let seconds = given.as_u64().and_then(|seconds| u32::try_from(seconds).ok());
        match (given.as_str(), seconds) {
            (Some("computed"), _) => Ok(Self::Computed),
            (Some("none"), _) => Ok(Self::None),
            (_, Some(seconds)) => Ok(Self::Seconds(seconds)),
            _ => Err(de::Error::custom("retryAfter is computed, none, or a number of seconds")),
        }
    }
}

impl JsonSchema for RetryAfter {
    fn schema_name() -> Cow<'static, str> {
        "LimitRetryAfter".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "The header Retry-After: seconds until a token is there, none, or always so many.",
            "anyOf": [{ "enum": ["computed", "none"] }, { "type": "integer", "minimum": 0, "maximum": u32::MAX }],
        })
    }
}
