//! The names of worlds.

use std::{fmt, str::FromStr, sync::Arc};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Serialize;

/// A name of the form `[a-z0-9-]{1,64}`, which can be part of a path, a host name or a key.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct WorldId(Arc<str>);

/// The first segment of a path that names a world.
pub(crate) const WORLD_SEGMENT: &str = "w";

/// The form of the name of a world or a snapshot.
pub(crate) const NAME_PATTERN: &str = "^[a-z0-9-]{1,64}$";

/// Whether a text is a valid name.
pub(crate) fn is_world_name(text: &str) -> bool {
    (1..=64).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
}

impl WorldId {
    /// The world of requests that name none.
    pub const DEFAULT: &str = "default";

    pub fn parse(text: &str) -> Option<Self> {
        is_world_name(text).then(|| Self(text.into()))
    }

    pub fn default_world() -> Self {
        Self(Self::DEFAULT.into())
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the base URL of the world on a server at this address.
    pub fn base(&self, server: &str) -> String {
        if self.as_str() == Self::DEFAULT { server.to_owned() } else { format!("{server}/w/{self}") }
    }
}

/// The prefix of the names of created worlds. It names one server among several that share an address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorldPrefix(String);

/// The longest prefix, which leaves room for a name.
const PREFIX_MAX: usize = 16;

impl WorldPrefix {
    /// Returns the name with the prefix and a hyphen before it, unless it already has them.
    pub fn put_before(&self, name: &str) -> String {
        let has_it = name.strip_prefix(self.0.as_str()).is_some_and(|rest| rest.starts_with('-'));
        if has_it { name.to_owned() } else { format!("{}-{name}", self.0) }
    }
}

impl FromStr for WorldPrefix {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let is_plain = text.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit());
        match is_plain && (1..=PREFIX_MAX).contains(&text.len()) {
            true => Ok(Self(text.to_owned())),
            false => Err(format!("expected 1 to {PREFIX_MAX} of the characters a-z and 0-9")),
        }
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

impl JsonSchema for WorldId {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "WorldId".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "pattern": NAME_PATTERN })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prefix_stands_before_a_name_once() {
        let prefix: WorldPrefix = "a1".parse().expect("a prefix");
        for (name, want) in [("mine", "a1-mine"), ("a1-mine", "a1-mine"), ("a1", "a1-a1"), ("a12-x", "a1-a12-x")] {
            assert_eq!(prefix.put_before(name), want);
        }
        for bad in ["", "a-", "A", "a_b", "a".repeat(17).as_str()] {
            assert!(bad.parse::<WorldPrefix>().is_err(), "{bad}");
        }
    }
}
