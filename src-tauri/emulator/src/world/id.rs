//! The names of worlds.

use std::{fmt, sync::Arc};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Serialize, Serializer};

/// A name of the form `[a-z0-9-]{1,64}`, which can be part of a path, a host name or a key.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WorldId(Arc<str>);

/// The form of the name of a world or a snapshot.
pub const NAME_PATTERN: &str = "^[a-z0-9-]{1,64}$";

/// Whether a text is a valid name.
pub fn is_name(text: &str) -> bool {
    (1..=64).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
}

impl WorldId {
    /// The world of requests that name none.
    pub const DEFAULT: &str = "default";

    pub fn parse(text: &str) -> Option<Self> {
        is_name(text).then(|| Self(text.into()))
    }

    pub fn default_world() -> Self {
        Self(Self::DEFAULT.into())
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl std::borrow::Borrow<str> for WorldId {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for WorldId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Serialize for WorldId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl JsonSchema for WorldId {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "WorldId".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "pattern": NAME_PATTERN })
    }
}
