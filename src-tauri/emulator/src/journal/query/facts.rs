//! What a matcher may ask of a request: one trait for a request on its way, and for a line of the journal.

use std::borrow::Cow;

/// A part of a request or of its line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Field<'a> {
    /// `contacts.create`, `admin.info`, `short_link`, `callback`.
    Operation,
    Method,
    /// Without the query, as it came.
    Path,
    /// Path and query; of a callback the whole address.
    Url,
    Key,
    /// Of the answer.
    Status,
    /// `in` or `out`.
    Direction,
    /// Name of the fault rule that fired.
    Rule,
    /// By its name in lower case.
    Header(&'a str),
    /// A parameter of the query, decoded.
    Query(&'a str),
    Body,
}

/// What stands in a field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fact<'a> {
    Absent,
    Text(Cow<'a, str>),
    /// A header or a parameter that came more than once.
    Texts(Vec<Cow<'a, str>>),
    Number(u16),
    Bytes(Cow<'a, [u8]>),
    /// Only this beginning may be known; `print` tells whether a whole secret is the same one.
    Secret {
        shown: Cow<'a, str>,
        print: Option<u64>,
    },
    /// It was there, but is not here: `withheld`, `cut at 65536 of 70000 bytes`.
    Unknown(Cow<'a, str>),
}

/// Whatever a matcher can be tried on.
pub trait Facts {
    fn field(&self, field: Field<'_>) -> Fact<'_>;

    /// The print of a secret as [`Fact::Secret`] has it.
    fn print(&self, _secret: &str) -> Option<u64> {
        None
    }
}

impl<'a> Fact<'a> {
    pub fn text(text: impl Into<Cow<'a, str>>) -> Self {
        Self::Text(text.into())
    }

    /// Absent when there is none.
    pub fn maybe(text: Option<impl Into<Cow<'a, str>>>) -> Self {
        text.map_or(Self::Absent, Self::text)
    }

    /// Of a name that may come more than once.
    pub fn all(mut texts: Vec<Cow<'a, str>>) -> Self {
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

/// A path or an address behind the name of its world: what a rule says of requests fits however the world was named.
pub fn in_world(target: &str) -> &str {
    let behind = target.strip_prefix("/w/").and_then(|rest| rest.find('/').map(|at| &rest[at..]));
    behind.unwrap_or(target)
}

#[cfg(test)]
mod tests {
    use super::in_world;

    #[test]
    fn the_name_of_a_world_is_no_part_of_the_path() {
        for (given, left) in [
            ("/w/a/contacts/v1/lists/?x=/w/b/c", "/contacts/v1/lists/?x=/w/b/c"),
            ("/contacts/v1/lists/", "/contacts/v1/lists/"),
            ("/w/a", "/w/a"),
            ("/was/a/b", "/was/a/b"),
            ("/w/a/w/b/c", "/w/b/c"),
        ] {
            assert_eq!(in_world(given), left);
        }
    }
}
