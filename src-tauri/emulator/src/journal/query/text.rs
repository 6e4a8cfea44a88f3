//! Tests on a text: equal, contains, a pattern, absent, in the words of WireMock.

use regex::{Regex, RegexBuilder};
use serde_json::Value;

use super::{
    facts::Fact,
    read::{At, Read},
};
use crate::settings::masked;

/// Tests on a text, all of which must hold.
#[derive(Debug, Clone, Default)]
pub struct TextTest {
    checks: Vec<Check>,
    /// Whether the wanted text is masked in messages.
    is_secret: bool,
}

#[derive(Debug, Clone)]
enum Check {
    Equal {
        text: String,
        any_case: bool,
    },
    /// A text in which `*` stands for anything.
    Like(String),
    OneOf(Vec<String>),
    Contains(String),
    Lacks(String),
    Matches(Pattern),
    Differs(Pattern),
    Absent,
    Present,
}

#[derive(Debug, Clone)]
struct Pattern {
    written: String,
    regex: Regex,
}

/// The most bytes of a regular expression.
const PATTERN_TEXT_MAX: usize = 4_096;
/// The size of a compiled regular expression cannot be read, only limited. It counts as the first of these limits with
/// which it compiles.
const PATTERN_SIZES: [usize; 4] = [16 << 10, 64 << 10, 256 << 10, 1 << 20];
/// The least cache of a regular expression; a search with a smaller one is slow.
const CACHE_LEAST: usize = 64 << 10;
/// The most characters of a regular expression in an error.
const SHOWN_MAX: usize = 60;

pub const KNOWN: [&str; 8] =
    ["equal_to", "case_insensitive", "in", "contains", "does_not_contain", "matches", "does_not_match", "absent"];

impl TextTest {
    pub fn equal(text: &str) -> Self {
        Self { checks: vec![Check::Equal { text: text.to_owned(), any_case: false }], is_secret: false }
    }

    pub fn secret(self) -> Self {
        Self { is_secret: true, ..self }
    }

    /// Reads a text, which means equality (`*` stands for anything), or an object of tests.
    pub fn read(at: &At<'_>) -> Read<Self> {
        match at.value {
            Value::String(text) if text.contains('*') => {
                Ok(Self { checks: vec![Check::Like(text.clone())], is_secret: false })
            }
            Value::Object(object) => {
                let mut test = Self::default();
                for (key, value) in object {
                    if !test.take(key, &at.below(key, value), object.get("case_insensitive"))? {
                        return at.unknown(key, &KNOWN);
                    }
                }
                if test.checks.is_empty() { at.fault("is empty; give at least one test") } else { Ok(test) }
            }
            _ => Ok(Self::equal(&scalar(at)?)),
        }
    }

    /// Reads one test. Returns false if there is no such test.
    pub fn take(&mut self, key: &str, at: &At<'_>, any_case: Option<&Value>) -> Read<bool> {
        self.checks.push(match key {
            "equal_to" => {
                Check::Equal { text: scalar(at)?, any_case: any_case.and_then(Value::as_bool).unwrap_or_default() }
            }
            "case_insensitive" => {
                at.flag()?;
                return Ok(true);
            }
            "in" => Check::OneOf(at.items()?.iter().map(scalar).collect::<Read<_>>()?),
            "contains" => Check::Contains(at.text()?.to_owned()),
            "does_not_contain" => Check::Lacks(at.text()?.to_owned()),
            "matches" => Check::Matches(pattern(at)?),
            "does_not_match" => Check::Differs(pattern(at)?),
            "absent" if at.flag()? => Check::Absent,
            "absent" => Check::Present,
            _ => return Ok(false),
        });
        Ok(true)
    }

    /// Whether the test is about the absence of something.
    pub fn is_negative(&self) -> bool {
        self.checks.iter().any(|check| matches!(check, Check::Lacks(_) | Check::Differs(_) | Check::Absent))
    }

    /// Returns the texts that the test requires exactly.
    pub fn exact(&self) -> impl Iterator<Item = &str> {
        self.checks
            .iter()
            .flat_map(|check| match check {
                Check::Equal { text, any_case: false } => std::slice::from_ref(text),
                Check::OneOf(texts) => texts.as_slice(),
                _ => &[],
            })
            .map(String::as_str)
    }

    pub fn is_empty(&self) -> bool {
        self.checks.is_empty()
    }

    /// Calls `miss` with the wanted value for each test that fails.
    pub fn test(&self, fact: &Fact<'_>, print: impl Fn(&str) -> Option<u64>, mut miss: impl FnMut(String)) {
        for check in &self.checks {
            if !check.holds(fact, &print) {
                miss(if self.is_secret { check.hidden() } else { check.wanted() });
            }
        }
    }

    pub fn holds(&self, fact: &Fact<'_>, print: impl Fn(&str) -> Option<u64>) -> bool {
        self.checks.iter().all(|check| check.holds(fact, &print))
    }
}

impl Check {
    /// As in WireMock, an absent value passes no test but `absent`, and one of several values is enough.
    fn holds(&self, fact: &Fact<'_>, print: &impl Fn(&str) -> Option<u64>) -> bool {
        match (self, fact) {
            (Self::Absent, fact) => matches!(fact, Fact::Absent),
            (Self::Present, fact) => !matches!(fact, Fact::Absent),
            (_, Fact::Absent | Fact::Unknown(_)) => false,
            (_, Fact::Text(text)) => self.fits(text),
            (_, Fact::Texts(texts)) => texts.iter().any(|text| self.fits(text)),
            (_, Fact::Number(number)) => self.fits(&number.to_string()),
            (_, Fact::Bytes(bytes)) => self.fits(&String::from_utf8_lossy(bytes)),
            (Self::Equal { text, any_case: false }, Fact::Secret { print: Some(kept), .. }) => {
                print(text) == Some(*kept)
            }
            (Self::OneOf(texts), Fact::Secret { print: Some(kept), .. }) => {
                texts.iter().any(|text| print(text) == Some(*kept))
            }
            // Only the beginning of the secret is known, so only a pattern for the beginning can be tested.
            (Self::Like(like), Fact::Secret { shown, .. }) => {
                like.strip_suffix('*').is_some_and(|start| !start.contains('*') && beginning(shown).starts_with(start))
            }
            (_, Fact::Secret { .. }) => false,
        }
    }

    fn fits(&self, found: &str) -> bool {
        match self {
            Self::Equal { text, any_case: false } => found == text,
            Self::Equal { text, any_case: true } => found.to_lowercase() == text.to_lowercase(),
            Self::Like(like) => is_like(like, found),
            Self::OneOf(texts) => texts.iter().any(|text| text == found),
            Self::Contains(part) => found.contains(part.as_str()),
            Self::Lacks(part) => !found.contains(part.as_str()),
            Self::Matches(pattern) => pattern.regex.is_match(found),
            Self::Differs(pattern) => !pattern.regex.is_match(found),
            Self::Absent => false,
            Self::Present => true,
        }
    }

    /// Describes the wanted text, masked as the journal masks secrets.
    fn hidden(&self) -> String {
        match self {
            Self::Equal { text, .. } => masked(text),
            Self::OneOf(texts) => texts.iter().map(|text| masked(text)).collect::<Vec<_>>().join(", "),
            _ => self.wanted(),
        }
    }

    fn wanted(&self) -> String {
        match self {
            Self::Equal { text, any_case: false } => text.clone(),
            Self::Equal { text, any_case: true } => format!("{text} (in any case)"),
            Self::Like(like) => format!("like {like}"),
            Self::OneOf(texts) => format!("one of {}", texts.join(", ")),
            Self::Contains(part) => format!("contains {part}"),
            Self::Lacks(part) => format!("does not contain {part}"),
            Self::Matches(pattern) => format!("matches {}", pattern.written),
            Self::Differs(pattern) => format!("does not match {}", pattern.written),
            Self::Absent => "absent".to_owned(),
            Self::Present => "present".to_owned(),
        }
    }
}

/// Reads a text, a number or a flag as a text.
pub fn scalar(at: &At<'_>) -> Read<String> {
    match at.value {
        Value::String(text) => Ok(text.clone()),
        Value::Number(number) => Ok(number.to_string()),
        Value::Bool(flag) => Ok(flag.to_string()),
        _ => at.fault("expected a text, a number, true or false"),
    }
}

/// Compiles a regular expression. As in WireMock, it must match the whole text, and a dot also matches a line end.
fn pattern(at: &At<'_>) -> Read<Pattern> {
    let written = at.text()?;
    let length = written.len();
    if length > PATTERN_TEXT_MAX {
        return at.fault(format!(
            "a regular expression has at most {PATTERN_TEXT_MAX} bytes, this one has {length}; use 'in' for a list of \
             words, or match a part"
        ));
    }
    let whole = format!(r"\A(?s:{written})\z");
    for size in PATTERN_SIZES {
        let cache = size.max(CACHE_LEAST);
        match RegexBuilder::new(&whole).size_limit(size).dfa_size_limit(cache).nest_limit(50).build() {
            Ok(regex) => {
                at.take_pattern(size)?;
                return Ok(Pattern { written: written.to_owned(), regex });
            }
            Err(regex::Error::CompiledTooBig(_)) => {}
            Err(_) => {
                return at.fault(format!(
                    "'{}' is not a valid regular expression; look-around and back-references are not supported",
                    shortened(written)
                ));
            }
        }
    }
    at.fault(format!("'{}' takes more than 1 MiB when compiled; use fewer or smaller repetitions", shortened(written)))
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(SHOWN_MAX) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// Returns the unmasked beginning of a masked secret.
fn beginning(shown: &str) -> &str {
    shown.strip_suffix('…').unwrap_or(shown)
}

/// Matches a text with a pattern in which `*` stands for any text.
fn is_like(like: &str, found: &str) -> bool {
    let mut parts = like.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = found.strip_prefix(first) else { return false };
    let mut parts = parts.peekable();
    while let Some(part) = parts.next() {
        if parts.peek().is_none() {
            return rest.ends_with(part);
        }
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.is_empty()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn holds(test: Value, found: &str) -> bool {
        let test = TextTest::read(&At::new(&test, "t")).expect("a test");
        test.holds(&Fact::text(found), |_| None)
    }

    #[test]
    fn texts_are_tried_in_wiremocks_words() {
        for (test, found, want) in [
            (json!("abc"), "abc", true),
            (json!("abc"), "ABC", false),
            (json!(5), "5", true),
            (json!("a*"), "abc", true),
            (json!("a*c"), "abbc", true),
            (json!("*b*b*"), "abc", false),
            (json!("*b*"), "abc", true),
            (json!("a*a"), "a", false),
            (json!({ "equal_to": "ABC", "case_insensitive": true }), "abc", true),
            (json!({ "equal_to": "a*" }), "abc", false),
            (json!({ "in": ["x", "abc"] }), "abc", true),
            (json!({ "contains": "b", "does_not_contain": "x" }), "abc", true),
            (json!({ "contains": "b", "does_not_contain": "c" }), "abc", false),
            (json!({ "matches": "b" }), "abc", false),
            (json!({ "matches": "a.c|x" }), "a\nc", true),
            (json!({ "does_not_match": "[a-c]+" }), "abc", false),
            (json!({ "absent": true }), "abc", false),
            (json!({ "absent": false }), "abc", true),
        ] {
            assert_eq!(holds(test.clone(), found), want, "{test} on {found}");
        }
    }

    #[test]
    fn a_regular_expression_is_limited_in_length_and_in_size() {
        let told = |pattern: String| {
            TextTest::read(&At::new(&json!({ "matches": pattern }), "t")).expect_err("a fault").to_string()
        };
        let words: Vec<String> = (0..100_000).map(|n| format!("w{n}")).collect();
        assert!(told(words.join("|")).starts_with("t.matches: a regular expression has at most 4096 bytes"));
        assert_eq!(
            told(r"\w{900}".into()),
            r"t.matches: '\w{900}' takes more than 1 MiB when compiled; use fewer or smaller repetitions"
        );
        let all: Vec<Value> = (0..10).map(|n| json!({ "matches": format!(r"\w{{1{n}}}") })).collect();
        let all = Value::from(all);
        let at = At::new(&all, "t");
        let read = at.items().expect("a list").iter().try_for_each(|item| TextTest::read(item).map(|_| ()));
        let told = read.expect_err("too many").to_string();
        assert!(told.contains("the regular expressions of a query"), "{told}");
    }

    #[test]
    fn what_is_absent_passes_absent_alone() {
        for (test, want) in
            [(json!({ "absent": true }), true), (json!({ "does_not_contain": "x" }), false), (json!("*"), false)]
        {
            let read = TextTest::read(&At::new(&test, "t")).expect("a test");
            assert_eq!(read.holds(&Fact::Absent, |_| None), want, "{test}");
        }
    }

    #[test]
    fn of_a_secret_only_its_beginning_and_its_print_can_be_asked() {
        let secret = Fact::Secret { shown: "open…".into(), print: Some(7) };
        let print = |text: &str| Some(if text == "opensesame" { 7 } else { 8 });
        for (test, want) in [
            (json!("opensesame"), true),
            (json!("opensesamf"), false),
            (json!("op*"), true),
            (json!("opens*"), false),
            (json!({ "in": ["x", "opensesame"] }), true),
            (json!({ "contains": "open" }), false),
        ] {
            let read = TextTest::read(&At::new(&test, "t")).expect("a test");
            assert_eq!(read.holds(&secret, print), want, "{test}");
        }
    }

    #[test]
    fn faults_have_their_place_and_name_the_neighbour() {
        for (test, want) in [
            (json!({ "equalsTo": "x" }), "t: unknown key 'equalsTo'. Did you mean 'equal_to'?"),
            (json!({ "matches": "(" }), "t.matches: '(' is not a valid regular expression"),
            (json!({ "contains": 5 }), "t.contains: expected a text"),
            (json!({}), "t: is empty"),
            (json!([1]), "t: expected a text, a number"),
        ] {
            let told = TextTest::read(&At::new(&test, "t")).expect_err("a fault").to_string();
            assert!(told.starts_with(want), "{told}");
        }
    }
}
