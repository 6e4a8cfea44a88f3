//! Tests on a body: as text, as JSON, or at places within it.

use serde_json::Value;

use super::{
    facts::FieldValue,
    read::{JsonPlace, MatcherResult},
    text::{self, TextTest},
};

/// The longest body that is parsed as JSON. The parsed value takes sixteen times the length.
const JSON_MAX: usize = 8 << 20;

/// Tests on a body, all of which must hold.
#[derive(Debug, Clone, Default)]
pub(super) struct BodyTest {
    text: TextTest,
    json: Option<JsonTest>,
    pointers: Vec<(String, PointerTest)>,
}

#[derive(Debug, Clone)]
struct JsonTest {
    wanted: Value,
    /// Whether further keys and items are allowed.
    ignores_extra: bool,
    ignores_order: bool,
}

#[derive(Debug, Clone)]
enum PointerTest {
    Text(TextTest),
    Json(Value),
}

const BODY_KEYS: [&str; 13] = [
    "equal_to",
    "case_insensitive",
    "in",
    "contains",
    "does_not_contain",
    "matches",
    "does_not_match",
    "absent",
    "equal_to_json",
    "ignore_extra",
    "ignore_array_order",
    "pointer",
    "matches_json_path",
];

impl BodyTest {
    pub(super) fn read(at: &JsonPlace<'_>) -> MatcherResult<Self> {
        if at.value.is_string() {
            return Ok(Self { text: TextTest::read(at)?, ..Self::default() });
        }
        let object = at.as_object()?;
        let flag = |name: &str| object.get(name).map_or(Ok(false), |value| at.child(name, value).as_bool());
        let ignores_extra = flag("ignore_extra")?;
        let ignores_order = flag("ignore_array_order")?;
        let mut test = Self::default();
        for (key, value) in object {
            let below = at.child(key, value);
            match key.as_str() {
                "equal_to_json" => {
                    test.json = Some(JsonTest { wanted: read_json(&below)?, ignores_extra, ignores_order })
                }
                "ignore_extra" | "ignore_array_order" if object.contains_key("equal_to_json") => {}
                "ignore_extra" | "ignore_array_order" => {
                    return below.error_here("can only be used with equal_to_json");
                }
                "pointer" => {
                    for (pointer, value) in below.as_object()? {
                        let place = below.child(pointer, value);
                        if !pointer.is_empty() && !pointer.starts_with('/') {
                            return place
                                .error_here("a JSON pointer begins with a slash, for example /contacts/0/title");
                        }
                        test.pointers.push((pointer.clone(), PointerTest::read(&place)?));
                    }
                }
                "matches_json_path" => test.pointers.push(read_json_path(&below)?),
                _ => {
                    if !test.text.read_test(key, &below, object.get("case_insensitive"))? {
                        return at.unknown_key_error(key, &BODY_KEYS);
                    }
                }
            }
        }
        let is_empty = test.text.is_empty() && test.json.is_none() && test.pointers.is_empty();
        if is_empty { at.error_here("is empty; give at least one test") } else { Ok(test) }
    }

    /// Whether a request without a body passes.
    pub(super) fn passes_absent(&self) -> bool {
        let mut fits = true;
        self.report_misses(&FieldValue::Absent, |_, _, _| fits = false);
        fits
    }

    /// Calls `miss` for each failed test with the place in the body, the wanted value and the found value.
    pub(super) fn report_misses(&self, fact: &FieldValue<'_>, mut miss: impl FnMut(&str, String, Option<String>)) {
        self.text.report_misses(fact, |_| None, |wanted| miss("", wanted, None));
        if self.json.is_none() && self.pointers.is_empty() {
            return;
        }
        let parsed = match fact {
            FieldValue::Bytes(bytes) if bytes.len() > JSON_MAX => Err(Some("longer than 8 MiB".to_owned())),
            FieldValue::Bytes(bytes) => serde_json::from_slice::<Value>(bytes).map_err(|_| None),
            FieldValue::Unknown(why) => Err(Some(why.to_string())),
            _ => Err(Some("absent".to_owned())),
        };
        let found = match parsed {
            Ok(found) => found,
            Err(why) => {
                let why = why.unwrap_or_else(|| "not JSON".to_owned());
                if let Some(json) = &self.json {
                    miss("", json.wanted.to_string(), Some(why.clone()));
                }
                for (pointer, place) in &self.pointers {
                    miss(pointer, place.describe_wanted(), Some(why.clone()));
                }
                return;
            }
        };
        if let Some(json) = &self.json
            && let Err((place, wanted, found)) = json.find_difference(&json.wanted, &found, String::new())
        {
            miss(&place, wanted, Some(found));
        }
        for (pointer, place) in &self.pointers {
            let found_value = found.pointer(pointer);
            place.report_misses(found_value, |wanted| {
                miss(pointer, wanted, Some(found_value.map_or("absent".to_owned(), Value::to_string)))
            });
        }
    }
}

impl PointerTest {
    fn read(at: &JsonPlace<'_>) -> MatcherResult<Self> {
        match at.value {
            Value::Object(object) if object.contains_key("equal_to_json") && object.len() == 1 => {
                Ok(Self::Json(read_json(&at.child("equal_to_json", &object["equal_to_json"]))?))
            }
            Value::Object(_) | Value::String(_) => Ok(Self::Text(TextTest::read(at)?)),
            other => Ok(Self::Json(other.clone())),
        }
    }

    fn report_misses(&self, found: Option<&Value>, mut miss: impl FnMut(String)) {
        match self {
            Self::Text(test) => {
                let fact = match found {
                    None => FieldValue::Absent,
                    Some(Value::String(text)) => FieldValue::from_text(text.as_str()),
                    Some(other) => FieldValue::from_text(other.to_string()),
                };
                test.report_misses(&fact, |_| None, miss);
            }
            Self::Json(wanted) if found.is_some_and(|found| is_same_json(wanted, found)) => {}
            Self::Json(wanted) => miss(wanted.to_string()),
        }
    }

    /// Describes the wanted value, for a body that is not JSON.
    fn describe_wanted(&self) -> String {
        let mut descriptions = Vec::new();
        self.report_misses(None, |wanted| descriptions.push(wanted));
        descriptions.join(", ")
    }
}

impl JsonTest {
    /// Returns the first difference: its place, the wanted value and the found value.
    fn find_difference(&self, wanted: &Value, found: &Value, place: String) -> Result<(), (String, String, String)> {
        let differs = |place: String| Err((place, wanted.to_string(), found.to_string()));
        match (wanted, found) {
            (Value::Object(wanted), Value::Object(found)) => {
                for (key, wanted) in wanted {
                    let place = format!("{place}/{}", escape_pointer_key(key));
                    match found.get(key) {
                        Some(found) => self.find_difference(wanted, found, place)?,
                        None => return Err((place, wanted.to_string(), "absent".to_owned())),
                    }
                }
                match found.iter().find(|(key, _)| !wanted.contains_key(*key)) {
                    Some((key, extra)) if !self.ignores_extra => {
                        Err((format!("{place}/{}", escape_pointer_key(key)), "absent".to_owned(), extra.to_string()))
                    }
                    _ => Ok(()),
                }
            }
            (Value::Array(items), Value::Array(found_items)) => {
                let fits = if self.ignores_extra {
                    items.len() <= found_items.len()
                } else {
                    items.len() == found_items.len()
                };
                if !fits {
                    let (few, many) = (format!("{} items", items.len()), format!("{} items", found_items.len()));
                    return Err((place, few, many));
                }
                if !self.ignores_order && !self.ignores_extra {
                    let mut pairs = items.iter().zip(found_items).enumerate();
                    return pairs
                        .try_for_each(|(n, (item, found))| self.find_difference(item, found, format!("{place}/{n}")));
                }
                self.match_items(items, found_items).map_err(|n| {
                    let found = Value::Array(found_items.clone()).to_string();
                    (format!("{place}/{n}"), items[n].to_string(), found)
                })
            }
            _ if is_same_json(wanted, found) => Ok(()),
            _ => differs(place),
        }
    }

    /// Matches every wanted item to a different item of the found ones, in order unless order is ignored. Fails with
    /// the first item that has no match.
    fn match_items(&self, items: &[Value], found_items: &[Value]) -> Result<(), usize> {
        let mut taken = vec![false; found_items.len()];
        let mut from = 0;
        for (n, item) in items.iter().enumerate() {
            let start = if self.ignores_order { 0 } else { from };
            let fits = |m: &usize| !taken[*m] && self.find_difference(item, &found_items[*m], String::new()).is_ok();
            let at = (start..found_items.len()).find(fits).ok_or(n)?;
            taken[at] = true;
            from = at + 1;
        }
        Ok(())
    }
}

/// Compares numbers by value, so that 1 and 1.0 are equal.
fn is_same_json(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => a == b || a.as_f64() == b.as_f64(),
        _ => a == b,
    }
}

fn escape_pointer_key(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

/// Reads a JSON value, or a text that contains JSON.
fn read_json(at: &JsonPlace<'_>) -> MatcherResult<Value> {
    match at.value {
        Value::String(text) => match serde_json::from_str(text) {
            Ok(value) => Ok(value),
            Err(why) => at.error_here(format!("not valid JSON (line {}, column {})", why.line(), why.column())),
        },
        other => Ok(other.clone()),
    }
}

/// Reads `$.a.b` and `$.a[0]`; refuses the rest of JSONPath.
fn read_json_path(at: &JsonPlace<'_>) -> MatcherResult<(String, PointerTest)> {
    let (written, test) = match at.value {
        Value::String(path) => {
            (path.as_str(), PointerTest::read(&JsonPlace::new(&serde_json::json!({ "absent": false }), ""))?)
        }
        Value::Object(object) => {
            let Some(path) = object.get("expression") else { return at.error_here("expression is missing") };
            let mut test = TextTest::default();
            for (key, value) in object.iter().filter(|(key, _)| *key != "expression") {
                if !test.read_test(key, &at.child(key, value), object.get("case_insensitive"))? {
                    return at.unknown_key_error(key, &text::TEXT_KEYS);
                }
            }
            (at.child("expression", path).as_text()?, PointerTest::Text(test))
        }
        _ => return at.error_here("expected a path, or an object with expression"),
    };
    let pointer = written.strip_prefix('$').and_then(|rest| {
        let rest = rest.replace('[', ".").replace(']', "");
        let mut parts = rest.split('.');
        let is_plain =
            |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_alphanumeric() || b"_-".contains(&b));
        (parts.next() == Some("") && rest.len() > 1)
            .then(|| parts.map(|part| is_plain(part).then(|| format!("/{part}"))).collect::<Option<String>>())?
    });
    match pointer {
        Some(pointer) => Ok((pointer, test)),
        None => at.error_here(format!(
            "'{written}' is not supported: use a plain path such as $.contacts[0].title, or pointer \
             or contains"
        )),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn find_misses(test: Value, body: &str) -> Vec<(String, String, Option<String>)> {
        let test = BodyTest::read(&JsonPlace::new(&test, "body")).unwrap_or_else(|why| panic!("{why}"));
        let mut misses = Vec::new();
        let fact = if body.is_empty() { FieldValue::Absent } else { FieldValue::Bytes(body.as_bytes().into()) };
        test.report_misses(&fact, |place, wanted, found| misses.push((place.to_owned(), wanted, found)));
        misses
    }

    #[test]
    fn json_is_compared_by_meaning() {
        let body = r#"{"a": 1, "b": [{"c": "x"}, {"c": "y", "d": null}]}"#;
        for (test, want) in [
            (json!({ "equal_to_json": { "b": [{ "c": "x" }, { "c": "y", "d": null }], "a": 1.0 } }), true),
            (json!({ "equal_to_json": r#"{"b": [{"c": "x"}, {"d": null, "c": "y"}], "a": 1}"# }), true),
            (json!({ "equal_to_json": { "a": 1 } }), false),
            (json!({ "equal_to_json": { "a": 1 }, "ignore_extra": true }), true),
            (json!({ "equal_to_json": { "b": [{ "c": "y" }] }, "ignore_extra": true }), true),
            (json!({ "equal_to_json": { "b": [{ "c": "y" }, { "c": "x" }] }, "ignore_extra": true }), false),
            (
                json!({ "equal_to_json": { "b": [{ "c": "y" }, { "c": "x" }] }, "ignore_extra": true, "ignore_array_order": true }),
                true,
            ),
            (json!({ "pointer": { "/b/0/c": "x", "/a": 1, "/b/1/d": null } }), true),
            (json!({ "pointer": { "/b/0/c": { "matches": "[xy]" }, "/e": { "absent": true } } }), true),
            (json!({ "pointer": { "/b/0": { "equal_to_json": { "c": "x" } } } }), true),
            (json!({ "pointer": { "/b/1/c": "x" } }), false),
            (json!({ "matches_json_path": "$.b[1].c" }), true),
            (json!({ "matches_json_path": "$.e" }), false),
            (json!({ "matches_json_path": { "expression": "$.b[0].c", "contains": "x" } }), true),
            (json!({ "contains": "\"y\"" }), true),
        ] {
            assert_eq!(find_misses(test.clone(), body).is_empty(), want, "{test}");
        }
    }

    #[test]
    fn a_difference_is_reported_with_its_place() {
        let miss = |place: &str, wanted: &str, found: &str| {
            vec![(place.to_owned(), wanted.to_owned(), Some(found.to_owned()))]
        };
        let wanted = json!({ "equal_to_json": { "b": [{ "c/d": "x" }] } });
        assert_eq!(find_misses(wanted.clone(), r#"{"b":[{"c/d":"y"}]}"#), miss("/b/0/c~1d", "\"x\"", "\"y\""));
        assert_eq!(find_misses(wanted.clone(), r#"{"b":[{}]}"#), miss("/b/0/c~1d", "\"x\"", "absent"));
        assert_eq!(find_misses(wanted.clone(), r#"{"b":[]}"#), miss("/b", "1 items", "0 items"));
        assert_eq!(find_misses(wanted.clone(), "{"), miss("", r#"{"b":[{"c/d":"x"}]}"#, "not JSON"));
        assert_eq!(find_misses(json!({ "pointer": { "/a": "x" } }), ""), miss("/a", "x", "absent"));
    }

    #[test]
    fn an_unreadable_test_is_refused_with_its_place() {
        for (test, want) in [
            (json!({ "equal_to_json": "{" }), "body.equal_to_json: not valid JSON (line 1, column 1)"),
            (json!({ "ignore_extra": true }), "body.ignore_extra: can only be used with equal_to_json"),
            (json!({ "pointer": { "a": 1 } }), "body.pointer.a: a JSON pointer begins with a slash"),
            (
                json!({ "matches_json_path": "$..a" }),
                "body.matches_json_path: '$..a' is not supported: use a plain path",
            ),
            (json!({ "matches_json_path": "$.a[?(@.b)]" }), "body.matches_json_path: '$.a[?(@.b)]' is not supported"),
            (json!({ "equalToJSON": {} }), "body: unknown key 'equalToJSON'. Did you mean 'equal_to_json'?"),
            (json!([]), "body: expected an object"),
        ] {
            let message = BodyTest::read(&JsonPlace::new(&test, "body")).expect_err("a fault").to_string();
            assert!(message.starts_with(want), "{message}");
        }
    }
}
