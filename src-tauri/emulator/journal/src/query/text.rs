//! Tests on a text: equal, contains, a pattern, absent, in the words of WireMock.

use regex::{Regex, RegexBuilder};
use serde_json::Value;

use super::{
    facts::FieldValue,
    read::{JsonPlace, MatcherResult},
};
use crate::{mask::masked_prefix, shorten_text};

/// Tests on a text, all of which must hold.
#[derive(Debug, Clone, Default)]
pub(super) struct TextTest {
    checks: Vec<TextCheck>,
    /// Whether the wanted text is masked in messages.
    is_secret: bool,
}

#[derive(Debug, Clone)]
enum TextCheck {
    Equal {
        text: String,
        any_case: bool,
    },
    /// A text in which `*` stands for anything.
    Like(String),
    OneOf(Vec<String>),
    Contains(String),
    Lacks(String),
    Matches(CompiledPattern),
    Differs(CompiledPattern),
    Absent,
    Present,
}

#[derive(Debug, Clone)]
struct CompiledPattern {
    written: String,
    regex: Regex,
}

/// The most bytes of a regular expression.
const PATTERN_TEXT_MAX: usize = 4_096;
/// The size of a compiled regular expression cannot be read, only limited. It counts as the first of these limits with
/// which it compiles.
const PATTERN_SIZES: [usize; 4] = [16 << 10, 64 << 10, 256 << 10, 1 << 20];
/// The least cache of a regular expression; a search with a smaller one is slow.
const CACHE_MIN: usize = 64 << 10;
/// The most characters of a regular expression in an error.
const SHOWN_MAX: usize = 60;

pub(super) const TEXT_KEYS: [&str; 8] =
    ["equal_to", "case_insensitive", "in", "contains", "does_not_contain", "matches", "does_not_match", "absent"];

impl TextTest {
    pub(super) fn equal_to(text: &str) -> Self {
        Self { checks: vec![TextCheck::Equal { text: text.to_owned(), any_case: false }], is_secret: false }
    }

    pub(super) fn into_secret(self) -> Self {
        Self { is_secret: true, ..self }
    }

    /// Reads a text, which means equality (`*` stands for anything), or an object of tests.
    pub(super) fn read(at: &JsonPlace<'_>) -> MatcherResult<Self> {
        match at.value {
            Value::String(text) if text.contains('*') => {
                Ok(Self { checks: vec![TextCheck::Like(text.clone())], is_secret: false })
            }
            Value::Object(object) => {
                let mut test = Self::default();
                for (key, value) in object {
                    if !test.read_test(key, &at.child(key, value), object.get("case_insensitive"))? {
                        return at.unknown_key_error(key, &TEXT_KEYS);
                    }
                }
                if test.checks.is_empty() { at.error_here("is empty; give at least one test") } else { Ok(test) }
            }
            _ => Ok(Self::equal_to(&read_scalar(at)?)),
        }
    }

    /// Reads one test. Returns false if there is no such test.
    pub(super) fn read_test(&mut self, key: &str, at: &JsonPlace<'_>, any_case: Option<&Value>) -> MatcherResult<bool> {
        self.checks.push(match key {
            "equal_to" => TextCheck::Equal {
                text: read_scalar(at)?,
                any_case: any_case.and_then(Value::as_bool).unwrap_or_default(),
            },
            "case_insensitive" => {
                at.as_bool()?;
                return Ok(true);
            }
            "in" => TextCheck::OneOf(at.as_items()?.iter().map(read_scalar).collect::<MatcherResult<_>>()?),
            "contains" => TextCheck::Contains(at.as_text()?.to_owned()),
            "does_not_contain" => TextCheck::Lacks(at.as_text()?.to_owned()),
            "matches" => TextCheck::Matches(read_pattern(at)?),
            "does_not_match" => TextCheck::Differs(read_pattern(at)?),
            "absent" if at.as_bool()? => TextCheck::Absent,
            "absent" => TextCheck::Present,
            _ => return Ok(false),
        });
        Ok(true)
    }

    /// Whether the test is about the absence of something.
    pub(super) fn is_negative(&self) -> bool {
        self.checks.iter().any(|check| matches!(check, TextCheck::Lacks(_) | TextCheck::Differs(_) | TextCheck::Absent))
    }

    /// Returns the texts that the test requires exactly.
    pub(super) fn exact_texts(&self) -> impl Iterator<Item = &str> {
        self.checks
            .iter()
            .flat_map(|check| match check {
                TextCheck::Equal { text, any_case: false } => std::slice::from_ref(text),
                TextCheck::OneOf(texts) => texts.as_slice(),
                _ => &[],
            })
            .map(String::as_str)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.checks.is_empty()
    }

    /// Calls `miss` with the wanted value for each test that fails.
    pub(super) fn report_misses(
        &self,
        fact: &FieldValue<'_>,
        print: impl Fn(&str) -> Option<u64>,
        mut miss: impl FnMut(String),
    ) {
        for check in &self.checks {
            if !check.passes(fact, &print) {
                miss(if self.is_secret { check.describe_masked() } else { check.describe_wanted() });
            }
        }
    }

    pub(super) fn passes(&self, fact: &FieldValue<'_>, print: impl Fn(&str) -> Option<u64>) -> bool {
        self.checks.iter().all(|check| check.passes(fact, &print))
    }
}

impl TextCheck {
    /// As in WireMock, an absent value passes no test but `absent`, and one of several values is enough.
    fn passes(&self, fact: &FieldValue<'_>, print: &impl Fn(&str) -> Option<u64>) -> bool {
        match (self, fact) {
            (Self::Absent, fact) => matches!(fact, FieldValue::Absent),
            (Self::Present, fact) => !matches!(fact, FieldValue::Absent),
            (_, FieldValue::Absent | FieldValue::Unknown(_)) => false,
            (_, FieldValue::Text(text)) => self.passes_text(text),
            (_, FieldValue::Texts(texts)) => texts.iter().any(|text| self.passes_text(text)),
            (_, FieldValue::Number(number)) => self.passes_text(&number.to_string()),
            (_, FieldValue::Bytes(bytes)) => self.passes_text(&String::from_utf8_lossy(bytes)),
            (Self::Equal { text, any_case: false }, FieldValue::Secret { print: Some(recorded), .. }) => {
                print(text) == Some(*recorded)
            }
            (Self::OneOf(texts), FieldValue::Secret { print: Some(recorded), .. }) => {
                texts.iter().any(|text| print(text) == Some(*recorded))
            }
            // Only the beginning of the secret is known, so only a pattern for the beginning can be tested.
            (Self::Like(like), FieldValue::Secret { shown, .. }) => like
                .strip_suffix('*')
                .is_some_and(|start| !start.contains('*') && visible_part(shown).starts_with(start)),
            (_, FieldValue::Secret { .. }) => false,
        }
    }

    fn passes_text(&self, found: &str) -> bool {
        match self {
            Self::Equal { text, any_case: false } => found == text,
            Self::Equal { text, any_case: true } => found.to_lowercase() == text.to_lowercase(),
            Self::Like(like) => matches_wildcard(like, found),
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
    fn describe_masked(&self) -> String {
        match self {
            Self::Equal { text, .. } => masked_prefix(text),
            Self::OneOf(texts) => texts.iter().map(|text| masked_prefix(text)).collect::<Vec<_>>().join(", "),
            _ => self.describe_wanted(),
        }
    }

    fn describe_wanted(&self) -> String {
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
pub(super) fn read_scalar(at: &JsonPlace<'_>) -> MatcherResult<String> {
    match at.value {
        Value::String(text) => Ok(text.clone()),
        Value::Number(number) => Ok(number.to_string()),
        Value::Bool(flag) => Ok(flag.to_string()),
        _ => at.error_here("expected a text, a number, true or false"),
    }
}

/// Compiles a regular expression. As in WireMock, it must match the whole text, and a dot also matches a line end.
fn read_pattern(at: &JsonPlace<'_>) -> MatcherResult<CompiledPattern> {
    let written = at.as_text()?;
    let length = written.len();
    if length > PATTERN_TEXT_MAX {
        return at.error_here(format!(
            "a regular expression has at most {PATTERN_TEXT_MAX} bytes, this one has {length}; use 'in' for a list of \
             words, or match a part"
        ));
    }
    let anchored = format!(r"\A(?s:{written})\z");
    for size in PATTERN_SIZES {
        let cache = size.max(CACHE_MIN);
        match RegexBuilder::new(&anchored).size_limit(size).dfa_size_limit(cache).nest_limit(50).build() {
            Ok(regex) => {
                at.count_pattern(size)?;
                return Ok(CompiledPattern { written: written.to_owned(), regex });
            }
            Err(regex::Error::CompiledTooBig(_)) => {}
            Err(_) => {
                return at.error_here(format!(
                    "'{}' is not a valid regular expression; look-around and back-references are not supported",
                    shorten_text(written, SHOWN_MAX)
                ));
            }
        }
    }
    at.error_here(format!(
        "'{}' takes more than 1 MiB when compiled; use fewer or smaller repetitions",
        shorten_text(written, SHOWN_MAX)
    ))
}

/// Returns the unmasked beginning of a masked secret.
fn visible_part(masked: &str) -> &str {
    masked.strip_suffix('…').unwrap_or(masked)
}

/// Matches a text with a pattern in which `*` stands for any text.
fn matches_wildcard(like: &str, found: &str) -> bool {
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

    fn passes_test(test: Value, found: &str) -> bool {
        let test = TextTest::read(&JsonPlace::new(&test, "t")).expect("a test");
        test.passes(&FieldValue::from_text(found), |_| None)
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
            assert_eq!(passes_test(test.clone(), found), want, "{test} on {found}");
        }
    }

    #[test]
    fn a_regular_expression_is_limited_in_length_and_in_size() {
        let error_of = |pattern: String| {
            TextTest::read(&JsonPlace::new(&json!({ "matches": pattern }), "t")).expect_err("a fault").to_string()
        };
        let words: Vec<String> = (0..100_000).map(|n| format!("w{n}")).collect();
        assert!(error_of(words.join("|")).starts_with("t.matches: a regular expression has at most 4096 bytes"));
        assert_eq!(
            error_of(r"\w{900}".into()),
            r"t.matches: '\w{900}' takes more than 1 MiB when compiled; use fewer or smaller repetitions"
        );
        let all: Vec<Value> = (0..10).map(|n| json!({ "matches": format!(r"\w{{1{n}}}") })).collect();
        let all = Value::from(all);
        let at = JsonPlace::new(&all, "t");
        let read = at.as_items().expect("a list").iter().try_for_each(|item| TextTest::read(item).map(|_| ()));
        let message = read.expect_err("too many").to_string();
        assert!(message.contains("the regular expressions of a query"), "{message}");
    }

    #[test]
    fn an_absent_value_passes_only_the_test_for_absence() {
        for (test, want) in
            [(json!({ "absent": true }), true), (json!({ "does_not_contain": "x" }), false), (json!("*"), false)]
        {
            let read = TextTest::read(&JsonPlace::new(&test, "t")).expect("a test");
            assert_eq!(read.passes(&FieldValue::Absent, |_| None), want, "{test}");
        }
    }

    #[test]
    fn a_secret_is_matched_only_by_its_beginning_and_its_fingerprint() {
        let secret = FieldValue::Secret { shown: "open…".into(), print: Some(7) };
        let print = |text: &str| Some(if text == "opensesame" { 7 } else { 8 });
        for (test, want) in [
            (json!("opensesame"), true),
            (json!("opensesamf"), false),
            (json!("op*"), true),
            (json!("opens*"), false),
            (json!({ "in": ["x", "opensesame"] }), true),
            (json!({ "contains": "open" }), false),
        ] {
            let read = TextTest::read(&JsonPlace::new(&test, "t")).expect("a test");
            assert_eq!(read.passes(&secret, print), want, "{test}");
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
            let message = TextTest::read(&JsonPlace::new(&test, "t")).expect_err("a fault").to_string();
            assert!(message.starts_with(want), "{message}");
        }
    }
}
