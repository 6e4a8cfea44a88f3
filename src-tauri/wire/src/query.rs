//! Parses query strings by the rules of forms, and the integers in them.

use std::borrow::Cow;

use percent_encoding::percent_decode;

use crate::envelope::RestError;

/// The decoded parameters in the order of the query string.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct QueryString<'a>(Vec<(Cow<'a, str>, Cow<'a, str>)>);

impl<'a> QueryString<'a> {
    pub fn parse(raw: &'a str) -> Self {
        let pairs = raw.split('&').filter(|pair| !pair.is_empty()).map(|pair| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            (decode_form(name), decode_form(value))
        });
        Self(pairs.collect())
    }

    /// Returns the first value of a parameter. Later values do not count.
    pub fn first_value(&self, name: &str) -> Option<&str> {
        self.all_values(name).next()
    }

    pub fn all_values(&self, name: &str) -> impl Iterator<Item = &str> {
        self.0.iter().filter(move |(n, _)| n == name).map(|(_, value)| value.as_ref())
    }

    /// Iterates over the names of all parameters, including repeated ones.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(name, _)| name.as_ref())
    }

    /// Returns the first value. An empty value, or one of spaces, counts as absent.
    pub fn filled_value(&self, name: &str) -> Option<&str> {
        self.first_value(name).filter(|value| !value.trim().is_empty())
    }

    /// Returns a 32-bit integer. The error is that of the contact family.
    pub fn integer_value(&self, name: &'static str) -> Result<Option<i32>, RestError> {
        match self.filled_value(name) {
            None => Ok(None),
            Some(text) => parse_integer(text).map(Some).ok_or(RestError::BadFormat { name, expected: "int" }),
        }
    }
}

/// Parses a trimmed 32-bit integer with an optional sign.
pub fn parse_integer(text: &str) -> Option<i32> {
    text.trim().parse().ok()
}

/// Decodes a text: a plus is a space, an invalid `%` stays as written, and invalid UTF-8 becomes U+FFFD.
fn decode_form(text: &str) -> Cow<'_, str> {
    if !text.bytes().any(|b| matches!(b, b'+' | b'%')) {
        return Cow::Borrowed(text);
    }
    let spaced: Vec<u8> = text.bytes().map(|b| if b == b'+' { b' ' } else { b }).collect();
    let bytes: Vec<u8> = percent_decode(&spaced).collect();
    Cow::Owned(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn form_rules_decode_once() {
        let query = QueryString::parse("a=1+2&a=3&b=%2B44&c=%zz%4&d=%ff&e&=x&&f=%2541&g=a=b");
        let cases = [
            ("a", "1 2"),
            ("b", "+44"),
            ("c", "%zz%4"),
            ("d", "\u{fffd}"),
            ("e", ""),
            ("", "x"),
            ("f", "%41"),
            ("g", "a=b"),
        ];
        for (name, value) in cases {
            assert_eq!(query.first_value(name), Some(value), "{name}");
        }
        assert_eq!(query.all_values("a").collect::<Vec<_>>(), ["1 2", "3"]);
        assert_eq!(query.first_value("A"), None, "names are case-sensitive");
        assert_eq!(query.filled_value("e"), None);
    }

    #[test]
    fn integers_have_32_bits_and_may_carry_a_sign() {
        for (text, want) in [
            ("5", Some(5)),
            (" 5 ", Some(5)),
            ("+5", Some(5)),
            ("-1", Some(-1)),
            ("2147483647", Some(i32::MAX)),
            ("2147483648", None),
            ("1.0", None),
            ("1e3", None),
            ("", None),
            ("٣", None),
            ("0x1", None),
            ("+-1", None),
            ("--1", None),
        ] {
            assert_eq!(parse_integer(text), want, "{text}");
        }
    }
}
