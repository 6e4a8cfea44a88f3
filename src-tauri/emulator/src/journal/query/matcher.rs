//! Reads and applies matchers, the one grammar for faults, find, count and verify. It accepts Roost's and WireMock's
//! spelling, and explains each mismatch.

use std::borrow::Cow;

use roost_wire::{OPERATIONS, Operation, RequestPath, Route, find_route};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use serde_json::Value;

use super::{
    body::BodyTest,
    facts::{Fact, Facts, Field},
    operations,
    read::{At, Read, Unreadable},
    status::StatusTest,
    text::TextTest,
};
use crate::journal::mask;

/// Describes requests. An empty matcher matches every request.
#[derive(Debug, Clone, Default)]
pub struct Matcher {
    tests: Vec<(Part, TextTest)>,
    status: Option<StatusTest>,
    bodies: Vec<BodyTest>,
    /// The JSON that was read.
    written: Value,
    /// The estimated memory; never too low.
    weight: usize,
}

/// A field with its own name.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
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
pub struct Miss {
    /// `status`, `headers.x-tag`, `body/contacts/0/title`.
    pub field: String,
    pub wanted: String,
    pub found: String,
}

/// The result of a match, with the tests that failed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Verdict {
    pub misses: Vec<Miss>,
}

const KNOWN: [&str; 11] =
    ["operation", "method", "path", "url", "key", "status", "direction", "rule", "headers", "query", "body"];

/// WireMock's keys with the names used here.
const OF_WIREMOCK: [(&str, &str); 5] = [
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
pub const fn weight_of_text(length: usize) -> usize {
    length * 64
}

impl Verdict {
    pub fn is_hit(&self) -> bool {
        self.misses.is_empty()
    }
}

impl Matcher {
    /// Reads a matcher; `place` is the prefix of its errors, such as `match`.
    pub fn read(value: &Value, place: &str) -> Result<Self, Unreadable> {
        Self::read_at(&At::new(value, place))
    }

    /// Reads a list of matchers, which share the limits of one query.
    pub fn read_list(value: &Value, place: &str) -> Result<Vec<Self>, Unreadable> {
        At::new(value, place).items()?.iter().map(Self::read_at).collect()
    }

    fn read_at(at: &At<'_>) -> Read<Self> {
        let before = at.pattern_bytes();
        let mut matcher = Self { written: at.value.clone(), ..Self::default() };
        for (key, value) in at.object()? {
            matcher.take(key, &at.below(key, value), at)?;
        }
        let patterns = at.pattern_bytes() - before;
        matcher.weight = weight_of_text(at.value.to_string().len()) + patterns * PATTERN_WEIGHT;
        Ok(matcher)
    }

    /// Returns the estimated memory; never too low.
    pub fn weight(&self) -> usize {
        self.weight
    }

    /// Reads a matcher in one line, such as `operation:contacts status:4xx`.
    pub fn filter(line: &str) -> Result<Self, Unreadable> {
        super::filter::read(line)
    }

    fn take(&mut self, key: &str, here: &At<'_>, whole: &At<'_>) -> Read<()> {
        let part = match key {
            "method" if here.value.as_str().is_some_and(|method| method.eq_ignore_ascii_case("any")) => return Ok(()),
            "method" => {
                let upper = here.value.as_str().map(|method| Value::from(method.to_ascii_uppercase()));
                let here = here.with(upper.as_ref().unwrap_or(here.value));
                self.tests.push((Part::Method, TextTest::read(&here)?));
                return Ok(());
            }
            "operation" => {
                let test = TextTest::read(here)?;
                operations::check(&test, here)?;
                self.tests.push((Part::Operation, test));
                return Ok(());
            }
            "path" => Part::Path,
            "url" => Part::Url,
            "key" => {
                self.tests.push((Part::Key, TextTest::read(here)?.secret()));
                return Ok(());
            }
            "direction" => Part::Direction,
            "rule" => Part::Rule,
            "status" => {
                self.status = Some(StatusTest::read(here)?);
                return Ok(());
            }
            "headers" => return self.named(here, |name| Part::Header(name.to_ascii_lowercase())),
            "query" => return self.named(here, |name| Part::Query(name.to_owned())),
            "body" if !here.value.is_array() => {
                self.bodies.push(BodyTest::read(here)?);
                return Ok(());
            }
            "body" => {
                for item in here.items()? {
                    self.bodies.push(BodyTest::read(&item)?);
                }
                return Ok(());
            }
            _ => match OF_WIREMOCK.iter().find(|(theirs, _)| *theirs == key) {
                Some((_, ours)) => return whole.fault(format!("unknown key '{key}'; use {ours}")),
                None => return whole.unknown(key, &KNOWN),
            },
        };
        self.tests.push((part, TextTest::read(here)?));
        Ok(())
    }

    fn named(&mut self, at: &At<'_>, part: impl Fn(&str) -> Part) -> Read<()> {
        for (name, value) in at.object()? {
            let test = TextTest::read(&at.below(name, value))?;
            let test = if mask::is_secret(name) { test.secret() } else { test };
            self.tests.push((part(name), test));
        }
        Ok(())
    }

    /// Whether a request matches; the fast form of [`Self::test`].
    pub fn hits(&self, facts: &dyn Facts) -> bool {
        self.tests.iter().all(|(part, test)| part.holds(test, facts))
            && self.status.as_ref().is_none_or(|status| status.holds(&facts.field(Field::Status)))
            && (self.bodies.is_empty() || {
                let body = facts.field(Field::Body);
                self.bodies.iter().all(|test| {
                    let mut fits = true;
                    test.test(&body, |_, _, _| fits = false);
                    fits
                })
            })
    }

    /// Tests a request and returns every test that fails.
    pub fn test(&self, facts: &dyn Facts) -> Verdict {
        let mut misses = Vec::new();
        for (part, test) in self.tests.iter().filter(|(part, test)| !part.holds(test, facts)) {
            let fact = facts.field(part.field());
            let mut told = Vec::new();
            test.test(&fact, |secret| facts.print(secret), |wanted| told.push(wanted));
            misses.push(Miss { field: part.name().into_owned(), wanted: told.join(", "), found: shown(&fact) });
        }
        let status = facts.field(Field::Status);
        if let Some(test) = self.status.as_ref().filter(|test| !test.holds(&status)) {
            misses.push(Miss { field: "status".to_owned(), wanted: test.wanted(), found: shown(&status) });
        }
        if !self.bodies.is_empty() {
            let body = facts.field(Field::Body);
            for test in &self.bodies {
                test.test(&body, |place, wanted, found| {
                    let found = found.map_or_else(|| shown(&body), |found| cut(&found));
                    misses.push(Miss { field: format!("body{place}"), wanted, found });
                });
            }
        }
        Verdict { misses }
    }

    /// Whether the matcher tests the response, which an incoming request does not have yet.
    pub fn asks_for_answer(&self) -> bool {
        self.status.is_some() || self.tests.iter().any(|(part, _)| *part == Part::Rule)
    }

    /// Checks whether an incoming call can match at all by its direction, operation, method and path. Fails with the
    /// field that rules it out.
    pub fn may_meet_a_call(&self) -> Result<(), &'static str> {
        for (part, test) in &self.tests {
            match part {
                Part::Direction if !test.holds(&Fact::text("in"), |_| None) => return Err("direction"),
                Part::Operation if !test.is_negative() && !operations::is_of_interface(test) => {
                    return Err("operation");
                }
                Part::Path if !test.is_negative() && test.exact().count() > 0 => {
                    let leads =
                        |path: &str| !matches!(find_route("OPTIONS", &RequestPath::parse(path)), Route::Unknown);
                    if !test.exact().any(leads) {
                        return Err("path");
                    }
                }
                _ => {}
            }
        }
        let holds = |part: &Part, text: &str| {
            let tests = self.tests.iter().filter(|(of, _)| of == part);
            tests.into_iter().all(|(_, test)| test.is_negative() || test.holds(&Fact::text(text), |_| None))
        };
        let has_method = |operation: &Operation| {
            let method = operation.method.as_str();
            holds(&Part::Method, method) || (method == "GET" && holds(&Part::Method, "HEAD"))
        };
        let is_met = |operation: &&Operation| {
            let mut names = operations::with_groups(operation.name);
            names.any(|name| holds(&Part::Operation, name))
        };
        match OPERATIONS.iter().filter(is_met).any(has_method) {
            true => Ok(()),
            false => Err("method"),
        }
    }

    /// Whether the matcher tests the source or the target of a request.
    pub fn asks_for_place(&self) -> bool {
        let is_place = |part: &Part| matches!(part, Part::Operation | Part::Direction | Part::Path | Part::Url);
        self.tests.iter().any(|(part, _)| is_place(part))
    }

    /// Whether the matcher needs the body.
    pub fn asks_for_body(&self) -> bool {
        !self.bodies.is_empty()
    }

    /// Adds the test of one pair of a filter.
    pub(super) fn and(&mut self, value: &Value, place: &str) -> Read<()> {
        let Self { tests, status, bodies, .. } = Self::read(value, place)?;
        self.tests.extend(tests);
        self.status = status.or(self.status.take());
        self.bodies.extend(bodies);
        Ok(())
    }
}

impl Part {
    fn field(&self) -> Field<'_> {
        match self {
            Self::Operation => Field::Operation,
            Self::Method => Field::Method,
            Self::Path => Field::Path,
            Self::Url => Field::Url,
            Self::Key => Field::Key,
            Self::Direction => Field::Direction,
            Self::Rule => Field::Rule,
            Self::Header(name) => Field::Header(name),
            Self::Query(name) => Field::Query(name),
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

    fn holds(&self, test: &TextTest, facts: &dyn Facts) -> bool {
        let fact = facts.field(self.field());
        let print = |secret: &str| facts.print(secret);
        if test.holds(&fact, print) {
            return true;
        }
        // The name of a group matches all of its operations: `contacts` matches `contacts.create`.
        match (self, &fact) {
            (Self::Operation, Fact::Text(name)) => name
                .match_indices('.')
                .any(|(at, _)| test.holds(&Fact::text(&name[..at]), print) && !test.is_negative()),
            _ => false,
        }
    }
}

fn shown(fact: &Fact<'_>) -> String {
    match fact {
        Fact::Absent => "absent".to_owned(),
        Fact::Text(text) => cut(text),
        Fact::Texts(texts) => cut(&texts.join(", ")),
        Fact::Number(number) => number.to_string(),
        Fact::Bytes(bytes) => cut(&String::from_utf8_lossy(bytes)),
        Fact::Secret { shown, .. } => shown.clone().into_owned(),
        Fact::Unknown(why) => format!("unknown: {why}"),
    }
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(FOUND_MAX) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
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

    struct Sample;

    impl Facts for Sample {
        fn field(&self, field: Field<'_>) -> Fact<'_> {
            match field {
                Field::Operation => Fact::text("contacts.create"),
                Field::Method => Fact::text("POST"),
                Field::Path => Fact::text("/contacts/v1/contacts"),
                Field::Url => Fact::text("/contacts/v1/contacts?a=1&a=2"),
                Field::Key => Fact::Secret { shown: "rk_a…".into(), print: self.print("rk_a-1") },
                Field::Status => Fact::Number(429),
                Field::Direction => Fact::text("in"),
                Field::Rule | Field::Header("x-none") | Field::Query("b") => Fact::Absent,
                Field::Header(_) => Fact::text("x"),
                Field::Query(_) => Fact::all(vec!["1".into(), "2".into()]),
                Field::Body => Fact::Bytes(br#"{"list_id":"LST_1","contacts":[]}"#.as_slice().into()),
            }
        }

        fn print(&self, secret: &str) -> Option<u64> {
            Some(secret.len() as u64)
        }
    }

    fn verdict(matcher: &Value) -> Verdict {
        let read = Matcher::read(matcher, "match").unwrap_or_else(|why| panic!("{why}"));
        let verdict = read.test(&Sample);
        assert_eq!(read.hits(&Sample), verdict.is_hit(), "{matcher}");
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
            assert_eq!(verdict(&hit).misses, [], "{hit}");
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
            assert!(!verdict(&miss).is_hit(), "{miss}");
        }
    }

    #[test]
    fn every_miss_tells_field_wanted_and_found() {
        let misses = verdict(&json!({
            "operation": "lists.query", "method": "POST", "status": "2xx", "key": "another-secret",
            "headers": { "x-tag": { "matches": "y+" } }, "query": { "a": "3" },
            "body": { "pointer": { "/list_id": "LST_2", "/contacts/0/title": { "absent": true } } }
        }))
        .misses;
        let told: Vec<_> = misses.iter().map(|m| (m.field.as_str(), m.wanted.as_str(), m.found.as_str())).collect();
        assert_eq!(
            told,
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
            (json!({ "operation": "contact" }), "match.operation: unknown key 'contact'. Did you mean 'contacts'?"),
            (
                json!({ "operation": { "in": ["lists.query", "list.create"] } }),
                "match.operation: unknown key 'list.create'. Did you mean 'lists.create'?",
            ),
            (json!({ "operation": "admin.fault.add" }), "match.operation: unknown key 'admin.fault.add'. Did you mean"),
            (json!({ "operation": "lits.*" }), "match.operation: unknown operation"),
            (json!({ "operation": { "matches": "list" } }), "match.operation: unknown operation"),
            (json!({ "operation": "zzz" }), "match.operation: unknown key 'zzz'. Keys: senders.query"),
            (json!({ "headers": { "x": { "equals": "1" } } }), "match.headers.x: unknown key 'equals'. Did you mean"),
            (json!({ "body": [{ "matchesXPath": "//a" }] }), "match.body[0]: unknown key 'matchesXPath'"),
            (json!({ "status": 7 }), "match.status: expected a status from 100 to 999"),
            (json!([]), "match: expected an object"),
        ] {
            let told = Matcher::read(&matcher, "match").expect_err("a fault").to_string();
            assert!(told.starts_with(want), "{told}");
        }
    }

    #[test]
    fn a_matcher_is_written_as_it_was_read() {
        let written = json!({ "path": "/x", "status": null });
        let read: Matcher = serde_json::from_value(written.clone()).expect("a matcher");
        assert_eq!(serde_json::to_value(&read).expect("JSON"), written);
        assert!(read.asks_for_answer() && !read.asks_for_body());
    }
}
