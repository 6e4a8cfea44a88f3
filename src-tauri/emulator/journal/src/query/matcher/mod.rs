//! Reads and applies matchers, the one grammar for faults, find, count and verify. It accepts Roost's and WireMock's
//! spelling, and explains each mismatch.

mod possible;

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use serde_json::Value;

pub use self::possible::NeverMatches;
use super::{
    body::BodyTest,
    facts::{FieldValue, MatchField, MatchSource},
    operations,
    read::{JsonPlace, MatcherError, MatcherResult},
    status::StatusTest,
    text::TextTest,
};
use crate::{mask, shorten_text};

/// Describes requests. An empty matcher matches every request.
#[derive(Debug, Clone, Default)]
pub struct Matcher {
    tests: Vec<(TestedField, TextTest)>,
    status: Option<StatusTest>,
    bodies: Vec<BodyTest>,
    /// The JSON that was read.
    written: Value,
    /// The estimated memory; never too low.
    weight: usize,
}

/// A field with its own name.
#[derive(Debug, Clone, PartialEq, Eq)]
enum TestedField {
    Operation,
    Method,
    Path,
    Url,
    Key,
    Direction,
    Rule,
    Header(String),
    Query(String),
}

/// One test that a request does not pass.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FieldMismatch {
    /// `status`, `headers.x-tag`, `body/contacts/0/title`.
    pub field: String,
    pub wanted: String,
    pub found: String,
}

/// The result of a match, with the tests that failed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MatchResult {
    pub misses: Vec<FieldMismatch>,
}

const MATCHER_KEYS: [&str; 11] =
    ["operation", "method", "path", "url", "key", "status", "direction", "rule", "headers", "query", "body"];

/// The methods of HTTP.
const METHODS: [&str; 9] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT"];

/// WireMock's keys with the names used here.
const WIREMOCK_NAMES: [(&str, &str); 5] = [
    ("urlPath", "path"),
    ("urlPathPattern", "path with {\"matches\": …}"),
    ("urlPattern", "url with {\"matches\": …}"),
    ("queryParameters", "query"),
    ("bodyPatterns", "body with a list"),
];

/// The most characters of a found value in a mismatch.
const FOUND_MAX: usize = 200;

/// A regular expression is compiled forwards and backwards, with a cache for each direction.
const PATTERN_WEIGHT: usize = 4;

/// Returns the most memory that a JSON text of this length takes once parsed: a value of 32 bytes for each two bytes
/// of `[1,1,…]`, twice, and the texts made from them.
pub const fn json_text_weight(length: usize) -> usize {
    length * 64
}

impl MatchResult {
    pub fn is_match(&self) -> bool {
        self.misses.is_empty()
    }
}

impl Matcher {
    /// Reads a matcher; `place` is the prefix of its errors, such as `match`.
    pub fn read(value: &Value, place: &str) -> Result<Self, MatcherError> {
        Self::read_at(&JsonPlace::new(value, place))
    }

    /// Reads a list of matchers, which share the limits of one query.
    pub fn read_list(value: &Value, place: &str) -> Result<Vec<Self>, MatcherError> {
        JsonPlace::new(value, place).as_items()?.iter().map(Self::read_at).collect()
    }

    fn read_at(at: &JsonPlace<'_>) -> MatcherResult<Self> {
        let before = at.pattern_bytes();
        let mut matcher = Self { written: at.value.clone(), ..Self::default() };
        for (key, value) in at.as_object()? {
            matcher.read_key(key, &at.child(key, value), at)?;
        }
        let patterns = at.pattern_bytes() - before;
        matcher.weight = json_text_weight(at.value.to_string().len()) + patterns * PATTERN_WEIGHT;
        Ok(matcher)
    }

    /// Returns the estimated memory; never too low.
    pub fn weight(&self) -> usize {
        self.weight
    }

    /// Reads a matcher in one line, such as `operation:contacts status:4xx`.
    pub fn from_filter(line: &str) -> Result<Self, MatcherError> {
        super::filter::parse_filter(line)
    }

    fn read_key(&mut self, key: &str, place: &JsonPlace<'_>, matcher: &JsonPlace<'_>) -> MatcherResult<()> {
        let part = match key {
            "method" if place.value.as_str().is_some_and(|method| method.eq_ignore_ascii_case("any")) => return Ok(()),
            "method" => {
                let upper = place.value.as_str().map(|method| Value::from(method.to_ascii_uppercase()));
                let place = place.with_value(upper.as_ref().unwrap_or(place.value));
                let test = TextTest::read(&place)?;
                if let Some(unknown) = test.exact_texts().find(|method| !METHODS.contains(method)) {
                    return place.unknown_value_error(unknown, METHODS.into_iter(), &METHODS.join(", "));
                }
                self.tests.push((TestedField::Method, test));
                return Ok(());
            }
            "operation" => {
                let test = TextTest::read(place)?;
                operations::check_operation_test(&test, place)?;
                self.tests.push((TestedField::Operation, test));
                return Ok(());
            }
            "path" => TestedField::Path,
            "url" => TestedField::Url,
            "key" => {
                self.tests.push((TestedField::Key, TextTest::read(place)?.into_secret()));
                return Ok(());
            }
            "direction" => TestedField::Direction,
            "rule" => TestedField::Rule,
            "status" => {
                self.status = Some(StatusTest::read(place)?);
                return Ok(());
            }
            "headers" => return self.read_named_tests(place, |name| TestedField::Header(name.to_ascii_lowercase())),
            "query" => return self.read_named_tests(place, |name| TestedField::Query(name.to_owned())),
            "body" if !place.value.is_array() => {
                self.bodies.push(BodyTest::read(place)?);
                return Ok(());
            }
            "body" => {
                for item in place.as_items()? {
                    self.bodies.push(BodyTest::read(&item)?);
                }
                return Ok(());
            }
            _ => match WIREMOCK_NAMES.iter().find(|(theirs, _)| *theirs == key) {
                Some((_, ours)) => return matcher.error_here(format!("unknown key '{key}'; use {ours}")),
                None => return matcher.unknown_key_error(key, &MATCHER_KEYS),
            },
        };
        self.tests.push((part, TextTest::read(place)?));
        Ok(())
    }

    fn read_named_tests(&mut self, at: &JsonPlace<'_>, part: impl Fn(&str) -> TestedField) -> MatcherResult<()> {
        for (name, value) in at.as_object()? {
            let test = TextTest::read(&at.child(name, value))?;
            let test = if mask::is_secret(name) { test.into_secret() } else { test };
            self.tests.push((part(name), test));
        }
        Ok(())
    }

    /// Whether a request matches; the fast form of [`Self::test`].
    pub fn matches(&self, facts: &dyn MatchSource) -> bool {
        self.tests.iter().all(|(part, test)| part.passes(test, facts))
            && self.status.as_ref().is_none_or(|status| status.passes(&facts.read_field(MatchField::Status)))
            && (self.bodies.is_empty() || {
                let body = facts.read_field(MatchField::Body);
                self.bodies.iter().all(|test| {
                    let mut fits = true;
                    test.report_misses(&body, |_, _, _| fits = false);
                    fits
                })
            })
    }

    /// Tests a request and returns every test that fails.
    pub fn explain_match(&self, facts: &dyn MatchSource) -> MatchResult {
        let mut misses = Vec::new();
        for (part, test) in self.tests.iter().filter(|(part, test)| !part.passes(test, facts)) {
            let fact = facts.read_field(part.to_field());
            let mut descriptions = Vec::new();
            test.report_misses(&fact, |secret| facts.secret_fingerprint(secret), |wanted| descriptions.push(wanted));
            misses.push(FieldMismatch {
                field: part.name().into_owned(),
                wanted: descriptions.join(", "),
                found: describe_value(&fact),
            });
        }
        let status = facts.read_field(MatchField::Status);
        if let Some(test) = self.status.as_ref().filter(|test| !test.passes(&status)) {
            misses.push(FieldMismatch {
                field: "status".to_owned(),
                wanted: test.describe_wanted(),
                found: describe_value(&status),
            });
        }
        if !self.bodies.is_empty() {
            let body = facts.read_field(MatchField::Body);
            for test in &self.bodies {
                test.report_misses(&body, |place, wanted, found| {
                    let found = found.map_or_else(|| describe_value(&body), |found| shorten_text(&found, FOUND_MAX));
                    misses.push(FieldMismatch { field: format!("body{place}"), wanted, found });
                });
            }
        }
        MatchResult { misses }
    }

    /// Whether the matcher tests the response, which an incoming request does not have yet.
    pub fn tests_response(&self) -> bool {
        self.status.is_some() || self.tests.iter().any(|(part, _)| *part == TestedField::Rule)
    }

    /// Whether every incoming call matches.
    pub fn matches_all(&self) -> bool {
        self.tests.is_empty() && self.status.is_none() && self.bodies.is_empty()
    }

    /// Whether both were written the same.
    pub fn is_same(&self, other: &Self) -> bool {
        self.written == other.written
    }

    /// Whether the matcher tests the source or the target of a request.
    pub fn tests_target(&self) -> bool {
        let is_place = |part: &TestedField| {
            matches!(part, TestedField::Operation | TestedField::Direction | TestedField::Path | TestedField::Url)
        };
        self.tests.iter().any(|(part, _)| is_place(part))
    }

    /// Adds the test of one pair of a filter.
    pub(super) fn add_test(&mut self, value: &Value, place: &str) -> MatcherResult<()> {
        let Self { tests, status, bodies, .. } = Self::read(value, place)?;
        self.tests.extend(tests);
        self.status = status.or(self.status.take());
        self.bodies.extend(bodies);
        Ok(())
    }
}

impl TestedField {
    fn to_field(&self) -> MatchField<'_> {
        match self {
            Self::Operation => MatchField::Operation,
            Self::Method => MatchField::Method,
            Self::Path => MatchField::Path,
            Self::Url => MatchField::Url,
            Self::Key => MatchField::Key,
            Self::Direction => MatchField::Direction,
            Self::Rule => MatchField::Rule,
            Self::Header(name) => MatchField::Header(name),
            Self::Query(name) => MatchField::Query(name),
        }
    }

    fn name(&self) -> Cow<'static, str> {
        match self {
            Self::Operation => "operation".into(),
            Self::Method => "method".into(),
            Self::Path => "path".into(),
            Self::Url => "url".into(),
            Self::Key => "key".into(),
            Self::Direction => "direction".into(),
            Self::Rule => "rule".into(),
            Self::Header(name) => format!("headers.{name}").into(),
            Self::Query(name) => format!("query.{name}").into(),
        }
    }

    fn passes(&self, test: &TextTest, facts: &dyn MatchSource) -> bool {
        let fact = facts.read_field(self.to_field());
        let print = |secret: &str| facts.secret_fingerprint(secret);
        if test.passes(&fact, print) {
            return true;
        }
        // The name of a group matches all of its operations: `contacts` matches `contacts.create`.
        match (self, &fact) {
            (Self::Operation, FieldValue::Text(name)) => name
                .match_indices('.')
                .any(|(at, _)| test.passes(&FieldValue::from_text(&name[..at]), print) && !test.is_negative()),
            _ => false,
        }
    }
}

fn describe_value(fact: &FieldValue<'_>) -> String {
    match fact {
        FieldValue::Absent => "absent".to_owned(),
        FieldValue::Text(text) => shorten_text(text, FOUND_MAX),
        FieldValue::Texts(texts) => shorten_text(&texts.join(", "), FOUND_MAX),
        FieldValue::Number(number) => number.to_string(),
        FieldValue::Bytes(bytes) => shorten_text(&String::from_utf8_lossy(bytes), FOUND_MAX),
        FieldValue::Secret { shown, .. } => shown.clone().into_owned(),
        FieldValue::Unknown(why) => format!("unknown: {why}"),
    }
}

impl Serialize for Matcher {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.written.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Matcher {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::read(&Value::deserialize(deserializer)?, "match").map_err(de::Error::custom)
    }
}

impl JsonSchema for Matcher {
    fn schema_name() -> Cow<'static, str> {
        "Matcher".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let text = |what: &str| {
            json_schema!({
                "description": what,
                "anyOf": [
                    { "type": ["string", "number", "boolean"] },
                    { "type": "object", "minProperties": 1, "additionalProperties": false, "properties": {
                        "equal_to": { "type": ["string", "number", "boolean"] },
                        "case_insensitive": { "type": "boolean" },
                        "in": { "type": "array", "items": { "type": ["string", "number", "boolean"] } },
                        "contains": { "type": "string" },
                        "does_not_contain": { "type": "string" },
                        "matches": { "type": "string" },
                        "does_not_match": { "type": "string" },
                        "absent": { "type": "boolean" },
                    } },
                ],
            })
        };
        let any = |what: &str| json_schema!({ "description": what });
        let named = |what: &str| json_schema!({ "type": "object", "additionalProperties": text(what) });
        json_schema!({
            "type": "object",
            "description": "Describes requests. All parts must match. A text means equality, with * for any \
             characters.",
            "additionalProperties": false,
            "properties": {
                "operation": text("An operation such as contacts.create, or a group such as contacts"),
                "method": text("ANY matches every method"),
                "path": text("Without the query"),
                "url": text("Path and query"),
                "key": text("The caller's key"),
                "direction": text("in, or out for a callback"),
                "rule": text("The name of the rule that fired"),
                "status": any("200, \"4xx\", null for no response, a list of these, or {at_least, at_most}"),
                "headers": named("A header by its name"),
                "query": named("A query parameter, decoded"),
                "body": any("A text, or {equal_to_json, ignore_extra, pointer, contains, matches}, or a list of these"),
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    struct SampleRequest;

    impl MatchSource for SampleRequest {
        fn read_field(&self, field: MatchField<'_>) -> FieldValue<'_> {
            match field {
                MatchField::Operation => FieldValue::from_text("contacts.create"),
                MatchField::Method => FieldValue::from_text("POST"),
                MatchField::Path => FieldValue::from_text("/contacts/v1/contacts"),
                MatchField::Url => FieldValue::from_text("/contacts/v1/contacts?a=1&a=2"),
                MatchField::Key => {
                    FieldValue::Secret { shown: "rk_a…".into(), print: self.secret_fingerprint("rk_a-1") }
                }
                MatchField::Status => FieldValue::Number(429),
                MatchField::Direction => FieldValue::from_text("in"),
                MatchField::Rule | MatchField::Header("x-none") | MatchField::Query("b") => FieldValue::Absent,
                MatchField::Header(_) => FieldValue::from_text("x"),
                MatchField::Query(_) => FieldValue::from_values(vec!["1".into(), "2".into()]),
                MatchField::Body => FieldValue::Bytes(br#"{"list_id":"LST_1","contacts":[]}"#.as_slice().into()),
            }
        }

        fn secret_fingerprint(&self, secret: &str) -> Option<u64> {
            Some(secret.len() as u64)
        }
    }

    fn match_sample(matcher: &Value) -> MatchResult {
        let read = Matcher::read(matcher, "match").unwrap_or_else(|why| panic!("{why}"));
        let verdict = read.explain_match(&SampleRequest);
        assert_eq!(read.matches(&SampleRequest), verdict.is_match(), "{matcher}");
        verdict
    }

    #[test]
    fn own_spelling_and_wiremocks_are_understood() {
        for hit in [
            json!({}),
            json!({ "operation": "contacts.create" }),
            json!({ "operation": "contacts" }),
            json!({ "operation": "contacts.*", "method": "post", "direction": "in" }),
            json!({ "path": { "matches": "/contacts/.*" }, "status": { "in": [200, 429] } }),
            json!({ "key": "rk_*" }),
            json!({ "key": "rk_a-1" }),
            json!({ "rule": { "absent": true }, "headers": { "X-Tag": "x", "x-none": { "absent": true } } }),
            json!({ "query": { "a": "2" }, "body": { "pointer": { "/list_id": { "equal_to": "LST_1" } } } }),
            json!({
                "method": "ANY", "path": "/contacts/v1/contacts", "query": { "a": { "equal_to": "1" } },
                "headers": { "x-tag": { "contains": "x" } },
                "body": [{ "equal_to_json": "{\"contacts\":[]}", "ignore_extra": true }, { "contains": "LST" }]
            }),
            json!({ "method": "POST", "path": { "matches": "/contacts/v[0-9]/.*" } }),
            json!({ "url": "/contacts/v1/contacts?a=1&a=2" }),
        ] {
            assert_eq!(match_sample(&hit).misses, [], "{hit}");
        }
        for miss in [
            json!({ "operation": "lists" }),
            json!({ "operation": { "does_not_contain": "create" } }),
            json!({ "method": "GET" }),
            json!({ "path": { "matches": "/contacts" } }),
            json!({ "rule": "slow" }),
            json!({ "query": { "b": { "contains": "" } } }),
            json!({ "body": [{ "contains": "LST" }, { "contains": "lst" }] }),
        ] {
            assert!(!match_sample(&miss).is_match(), "{miss}");
        }
    }

    #[test]
    fn every_miss_has_the_field_and_the_wanted_and_found_values() {
        let misses = match_sample(&json!({
            "operation": "lists.query", "method": "POST", "status": "2xx", "key": "another-secret",
            "headers": { "x-tag": { "matches": "y+" } }, "query": { "a": "3" },
            "body": { "pointer": { "/list_id": "LST_2", "/contacts/0/title": { "absent": true } } }
        }))
        .misses;
        let reported: Vec<_> = misses.iter().map(|m| (m.field.as_str(), m.wanted.as_str(), m.found.as_str())).collect();
        assert_eq!(
            reported,
            [
                ("headers.x-tag", "matches y+", "x"),
                ("key", "anot…", "rk_a…"),
                ("operation", "lists.query", "contacts.create"),
                ("query.a", "3", "1, 2"),
                ("status", "200 to 299", "429"),
                ("body/list_id", "LST_2", "\"LST_1\""),
            ]
        );
    }

    #[test]
    fn what_cannot_be_read_names_its_place_and_neighbour() {
        for (matcher, want) in [
            (json!({ "methd": "GET" }), "match: unknown key 'methd'. Did you mean 'method'?"),
            (json!({ "operation": "contact" }), "match.operation: unknown value 'contact'. Did you mean 'contacts'?"),
            (
                json!({ "operation": { "in": ["lists.query", "list.create"] } }),
                "match.operation: unknown value 'list.create'. Did you mean 'lists.create'?",
            ),
            (
                json!({ "operation": "admin.fault.add" }),
                "match.operation: unknown value 'admin.fault.add'. Did you mean",
            ),
            (json!({ "operation": "lits.*" }), "match.operation: unknown operation"),
            (json!({ "operation": { "matches": "list" } }), "match.operation: unknown operation"),
            (json!({ "operation": "zzz" }), "match.operation: unknown value 'zzz'. Expected one of: senders.query"),
            (json!({ "operation": "nope" }), "match.operation: unknown value 'nope'. Expected one of: senders.query"),
            (json!({ "headers": { "x": { "equals": "1" } } }), "match.headers.x: unknown key 'equals'. Did you mean"),
            (json!({ "body": [{ "matchesXPath": "//a" }] }), "match.body[0]: unknown key 'matchesXPath'"),
            (json!({ "status": 7 }), "match.status: expected a status from 100 to 599"),
            (json!([]), "match: expected an object"),
        ] {
            let message = Matcher::read(&matcher, "match").expect_err("a fault").to_string();
            assert!(message.starts_with(want), "{message}");
        }
    }

    #[test]
    fn a_matcher_is_written_as_it_was_read() {
        let written = json!({ "path": "/x", "status": null });
        let read: Matcher = serde_json::from_value(written.clone()).expect("a matcher");
        assert_eq!(serde_json::to_value(&read).expect("JSON"), written);
        assert!(read.tests_response());
    }
}
