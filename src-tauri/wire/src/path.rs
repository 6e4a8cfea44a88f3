//! Normalizes the path of a request once. Guards and the router use this one value.

use std::borrow::Cow;

use percent_encoding::percent_decode_str;

use crate::operation::Family;

/// The decoded segments of a path. A `%2F` stays inside its segment, so it can never start a new one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestPath<'a> {
    segments: Vec<Cow<'a, str>>,
    well_formed: bool,
}

impl<'a> RequestPath<'a> {
    /// Parses a raw path. Each segment is decoded once, and one final slash is ignored.
    pub fn parse(raw: &'a str) -> Self {
        let body = raw.strip_prefix('/').unwrap_or(raw);
        let body = body.strip_suffix('/').unwrap_or(body);
        if body.is_empty() {
            return Self { segments: Vec::new(), well_formed: matches!(raw, "" | "/") };
        }
        let mut segments = Vec::with_capacity(6);
        segments.extend(body.split('/').map(|s| percent_decode_str(s).decode_utf8_lossy()));
        let well_formed = raw.starts_with('/') && !segments.iter().any(|s| matches!(s.as_ref(), "" | "." | ".."));
        Self { segments, well_formed }
    }

    pub fn segments(&self) -> &[Cow<'a, str>] {
        &self.segments
    }

    /// Returns false if a segment is empty or a dot segment. Such a path matches nothing.
    pub fn is_well_formed(&self) -> bool {
        self.well_formed
    }

    /// Returns the segments after `prefix` if the path is well formed and begins with it.
    pub fn segments_below(&self, prefix: &[impl AsRef<str>]) -> Option<&[Cow<'a, str>]> {
        let (head, rest) = self.segments.split_at_checked(prefix.len())?;
        let same = head.iter().zip(prefix).all(|(have, want)| have.as_ref() == want.as_ref());
        (self.well_formed && same).then_some(rest)
    }

    /// Returns the path without its first `count` segments. It is well formed if the whole path is.
    pub fn skip_segments(&self, count: usize) -> RequestPath<'a> {
        let segments = self.segments.get(count..).unwrap_or_default().to_vec();
        RequestPath { segments, well_formed: self.well_formed }
    }

    /// Returns the parameters in the path if it has the form of `template`, such as `/lists/{uid}`.
    pub fn match_template(&self, template: &str) -> Option<Vec<&str>> {
        let wanted = template.split('/').filter(|s| !s.is_empty());
        if !self.well_formed || wanted.clone().count() != self.segments.len() {
            return None;
        }
        let mut parameters = Vec::new();
        for (have, want) in self.segments.iter().zip(wanted) {
            if want.starts_with('{') {
                parameters.push(have.as_ref());
            } else if have != want {
                return None;
            }
        }
        Some(parameters)
    }

    /// Returns the family of the path, which determines the shape of errors, including those about unknown paths.
    pub fn family(&self) -> Family {
        let segment = |at: usize| self.segments.get(at).map(AsRef::as_ref);
        match (segment(0), segment(1), segment(2)) {
            (Some("assets"), Some("v1"), Some("senders")) => Family::Senders,
            (Some("contacts"), _, _) => Family::Contacts,
            _ => Family::Assets,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_final_slash_and_encoding_make_no_difference() {
        for raw in ["/contacts/v1/lists", "/contacts/v1/lists/", "/%63ontacts/v1/lists", "/contacts/v1/li%73ts/"] {
            let path = RequestPath::parse(raw);
            assert!(path.is_well_formed(), "{raw}");
            assert_eq!(path.segments(), ["contacts", "v1", "lists"], "{raw}");
        }
    }

    #[test]
    fn a_path_after_its_prefix_is_as_well_formed_as_the_whole_path() {
        assert_eq!(RequestPath::parse("/w/a/contacts/v1").skip_segments(2), RequestPath::parse("/contacts/v1"));
        assert_eq!(RequestPath::parse("/w").skip_segments(2).segments(), [""; 0]);
        assert!(!RequestPath::parse("/w/../contacts/v1").skip_segments(2).is_well_formed());
    }

    #[test]
    fn empty_and_dot_segments_lead_nowhere() {
        for raw in ["//", "/a//b", "/a/./b", "/a/../b", "/a/%2e%2E/b", "/a/b//", "//a", "a/b", "/."] {
            assert!(!RequestPath::parse(raw).is_well_formed(), "{raw}");
        }
        assert!(RequestPath::parse("/").is_well_formed());
    }

    #[test]
    fn decoding_happens_once_and_keeps_slashes_inside() {
        assert_eq!(RequestPath::parse("/a/b%2Fc/d+e/%2541/%zz").segments(), ["a", "b/c", "d+e", "%41", "%zz"]);
        assert_eq!(RequestPath::parse("/a%2F..%2Fb").segments(), ["a/../b"]);
    }

    #[test]
    fn families_follow_the_leading_segments() {
        let cases = [
            ("/assets/v1/senders", Family::Senders),
            ("/assets/v1/senders/x/y", Family::Senders),
            ("/assets/v1/shortlink", Family::Assets),
            ("/assets", Family::Assets),
            ("/nowhere", Family::Assets),
            ("/", Family::Assets),
            ("/contacts", Family::Contacts),
            ("/contacts/v2/x", Family::Contacts),
        ];
        for (raw, family) in cases {
            assert_eq!(RequestPath::parse(raw).family(), family, "{raw}");
        }
    }
}
