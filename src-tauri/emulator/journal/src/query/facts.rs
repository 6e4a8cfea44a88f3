//! The fields that a matcher can test, of an incoming request and of a line of the journal alike.

use std::borrow::Cow;

/// A field of a request or of its line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MatchField<'a> {
    /// `contacts.create`, `admin.info`, `short_link` or `callback`.
    Operation,
    Method,
    /// The path as received, without the query.
    Path,
    /// Path and query; of a callback the whole address.
    Url,
    Key,
    /// The status of the response.
    Status,
    /// `in` or `out`.
    Direction,
    /// The name of the fault rule that fired.
    Rule,
    /// A header, by its name in lower case.
    Header(&'a str),
    /// A decoded parameter of the query.
    Query(&'a str),
    Body,
}

/// The value of a field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FieldValue<'a> {
    Absent,
    Text(Cow<'a, str>),
    /// The values of a header or parameter that occurs more than once.
    Texts(Vec<Cow<'a, str>>),
    Number(u16),
    Bytes(Cow<'a, [u8]>),
    /// A secret of which only the beginning is known. The fingerprint, if there is one, shows whether a whole secret is
    /// the same.
    Secret {
        shown: Cow<'a, str>,
        print: Option<u64>,
    },
    /// A value that existed but was not recorded: `withheld`, `cut at 65536 of 70000 bytes`.
    Unknown(Cow<'a, str>),
}

/// Anything that a matcher can test.
pub trait MatchSource {
    fn read_field(&self, field: MatchField<'_>) -> FieldValue<'_>;

    /// Returns the fingerprint of a secret for comparison with [`FieldValue::Secret`].
    fn secret_fingerprint(&self, _secret: &str) -> Option<u64> {
        None
    }
}

impl<'a> FieldValue<'a> {
    pub fn from_text(text: impl Into<Cow<'a, str>>) -> Self {
        Self::Text(text.into())
    }

    /// Returns an absent value for None.
    pub fn from_optional(text: Option<impl Into<Cow<'a, str>>>) -> Self {
        text.map_or(Self::Absent, Self::from_text)
    }

    /// Combines the values of a name that can occur several times.
    pub fn from_values(mut texts: Vec<Cow<'a, str>>) -> Self {
        match (texts.pop(), texts.is_empty()) {
            (None, _) => Self::Absent,
            (Some(only), true) => Self::Text(only),
            (Some(last), false) => {
                texts.push(last);
                Self::Texts(texts)
            }
        }
    }
}

/// Removes the world's prefix from a path or address, so that a rule matches however the request named the world.
pub fn path_in_world(target: &str) -> &str {
    let path = target.strip_prefix("/w/").and_then(|rest| rest.find('/').map(|at| &rest[at..]));
    path.unwrap_or(target)
}

#[cfg(test)]
mod tests {
    use super::path_in_world;

    #[test]
    fn the_name_of_a_world_is_not_part_of_the_path() {
        for (given, left) in [
            ("/w/a/contacts/v1/lists/?x=/w/b/c", "/contacts/v1/lists/?x=/w/b/c"),
            ("/contacts/v1/lists/", "/contacts/v1/lists/"),
            ("/w/a", "/w/a"),
            ("/was/a/b", "/was/a/b"),
            ("/w/a/w/b/c", "/w/b/c"),
        ] {
            assert_eq!(path_in_world(given), left);
        }
    }
}
