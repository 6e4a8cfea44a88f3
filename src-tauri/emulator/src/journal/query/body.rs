//! Tests on a body: as text, as JSON, or at places within it.

use serde_json::Value;

use super::{
    facts::Fact,
    read::{At, Read},
    text::{self, TextTest},
};

/// The longest body that is parsed as JSON. The parsed value takes sixteen times the length.
const JSON_MAX: usize = 8 << 20;

/// Tests on a body, all of which must hold.
#[derive(Debug, Clone, Default)]
pub struct BodyTest {
    text: TextTest,
    json: Option<JsonTest>,
    places: Vec<(String, PlaceTest)>,
}

#[derive(Debug, Clone)]
struct JsonTest {
    wanted: Value,
    /// Whether further keys and items are allowed.
    ignores_extra: bool,
    ignores_order: bool,
}

#[derive(Debug, Clone)]
enum PlaceTest {
    Text(TextTest),
    Json(Value),
}

const KNOWN: [&str; 13] = [
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
    pub fn read(at: &At<'_>) -> Read<Self> {
        if at.value.is_string() {
            return Ok(Self { text: TextTest::read(at)?, ..Self::default() });
        }
        let object = at.object()?;
        let flag = |name: &str| object.get(name).map_or(Ok(false), |value| at.below(name, value).flag());
        let ignores_extra = flag("ignore_extra")?;
        let ignores_order = flag("ignore_array_order")?;
        let mut test = Self::default();
        for (key, value) in object {
            let below = at.below(key, value);
            match key.as_str() {
                "equal_to_json" => test.json = Some(JsonTest { wanted: json(&below)?, ignores_extra, ignores_order }),
                "ignore_extra" | "ignore_array_order" if object.contains_key("equal_to_json") => {}
                "ignore_extra" | "ignore_array_order" => {
                    return below.fault("can only be used with equal_to_json");
                }
                "pointer" => {
                    for (pointer, value) in below.object()? {
                        let place = below.below(pointer, value);
                        if !pointer.is_empty() && !pointer.starts_with('/') {
                            return place.fault("a JSON pointer begins with a slash, for example /contacts/0/title");
                        }
                        test.places.push((pointer.clone(), PlaceTest::read(&place)?));
                    }
                }
                "matches_json_path" => test.places.push(json_path(&below)?),
                _ => {
                    if !test.text.take(key, &below, object.get("case_insensitive"))? {
                        return at.unknown(key, &KNOWN);
                    }
                }
            }
        }
        let is_empty = test.text.is_empty() && test.json.is_none() && test.places.is_empty();
        if is_empty { at.fault("is empty; give at least one test") } else { Ok(test) }
    }

    /// Calls `miss` for each failed test with the place in the body, the wanted value and the found value.
    pub fn test(&self, fact: &Fact<'_>, mut miss: impl FnMut(&str, String, Option<String>)) {
        self.text.test(fact, |_| None, |wanted| miss("", wanted, None));
        if self.json.is_none() && self.places.is_empty() {
            return;
        }
        let parsed = match fact {
            Fact::Bytes(bytes) if bytes.len() > JSON_MAX => Err(Some("longer than 8 MiB".to_owned())),
            Fact::Bytes(bytes) => serde_json::from_slice::<Value>(bytes).map_err(|_| None),
            Fact::Unknown(why) => Err(Some(why.to_string())),
            _ => Err(Some("absent".to_owned())),
        };
        let found = match parsed {
            Ok(found) => found,
            Err(told) => {
                let told = told.unwrap_or_else(|| "not JSON".to_owned());
                if let Some(json) = &self.json {
                    miss("", json.wanted.to_string(), Some(told.clone()));
                }
                for (pointer, place) in &self.places {
                    miss(pointer, place.wanted(), Some(told.clone()));
                }
                return;
            }
        };
        if let Some(json) = &self.json
            && let Err((place, wanted, found)) = json.compare(&json.wanted, &found, String::new())
        {
            miss(&place, wanted, Some(found));
        }
        for (pointer, place) in &self.places {
            let here = found.pointer(pointer);
            place.test(here, |wanted| miss(pointer, wanted, Some(here.map_or("absent".to_owned(), Value::to_string))));
        }
    }
}

impl PlaceTest {
    fn read(at: &At<'_>) -> Read<Self> {
        match at.value {
            Value::Object(object) if object.contains_key("equal_to_json") && object.len() == 1 => {
                Ok(Self::Json(json(&at.below("equal_to_json", &object["equal_to_json"]))?))
            }
            Value::Object(_) | Value::String(_) => Ok(Self::Text(TextTest::read(at)?)),
            other => Ok(Self::Json(other.clone())),
        }
    }

    fn test(&self, found: Option<&Value>, mut miss: impl FnMut(String)) {
        match self {
            Self::Text(test) => {
                let fact = match found {
                    None => Fact::Absent,
                    Some(Value::String(text)) => Fact::text(text.as_str()),
                    Some(other) => Fact::text(other.to_string()),
                };
                test.test(&fact, |_| None, miss);
            }
            Self::Json(wanted) if found.is_some_and(|found| same(wanted, found)) => {}
            Self::Json(wanted) => miss(wanted.to_string()),
        }
    }

    /// Describes the wanted value, for a body that is not JSON.
    fn wanted(&self) -> String {
        let mut told = Vec::new();
        self.test(None, |wanted| told.push(wanted));
        told.join(", ")
    }
}

impl JsonTest {
    /// Returns the first difference: its place, the wanted value and the found value.
    fn compare(&self, wanted: &Value, found: &Value, place: String) -> Result<(), (String, String, String)> {
        let differs = |place: String| Err((place, wanted.to_string(), found.to_string()));
        match (wanted, found) {
            (Value::Object(wanted), Value::Object(found)) => {
                for (key, wanted) in wanted {
                    let place = format!("{place}/{}", escaped(key));
                    match found.get(key) {
                        Some(found) => self.compare(wanted, found, place)?,
                        None => return Err((place, wanted.to_string(), "absent".to_owned())),
                    }
                }
                match found.iter().find(|(key, _)| !wanted.contains_key(*key)) {
                    Some((key, extra)) if !self.ignores_extra => {
                        Err((format!("{place}/{}", escaped(key)), "absent".to_owned(), extra.to_string()))
                    }
                    _ => Ok(()),
                }
            }
            (Value::Array(items), Value::Array(there)) => {
                let fits = if self.ignores_extra { items.len() <= there.len() } else { items.len() == there.len() };
                if !fits {
                    let (few, many) = (format!("{} items", items.len()), format!("{} items", there.len()));
                    return Err((place, few, many));
                }
                if !self.ignores_order && !self.ignores_extra {
                    let mut pairs = items.iter().zip(there).enumerate();
                    return pairs.try_for_each(|(n, (item, found))| self.compare(item, found, format!("{place}/{n}")));
                }
                self.covers(items, there).map_err(|n| {
                    let found = Value::Array(there.clone()).to_string();
                    (format!("{place}/{n}"), items[n].to_string(), found)
                })
            }
            _ if same(wanted, found) => Ok(()),
            _ => differs(place),
        }
    }

    /// Matches every wanted item to a different item of the found ones, in order unless order is ignored. Fails with
    /// the first item that has no match.
    fn covers(&self, items: &[Value], there: &[Value]) -> Result<(), usize> {
        let mut taken = vec![false; there.len()];
        let mut from = 0;
        for (n, item) in items.iter().enumerate() {
            let start = if self.ignores_order { 0 } else { from };
            let fits = |m: &usize| !taken[*m] && self.compare(item, &there[*m], String::new()).is_ok();
            let at = (start..there.len()).find(fits).ok_or(n)?;
            taken[at] = true;
            from = at + 1;
        }
        Ok(())
    }
}

/// Compares numbers by value, so that 1 and 1.0 are equal.
fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => a == b || a.as_f64() == b.as_f64(),
        _ => a == b,
    }
}

fn escaped(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

/// Reads a JSON value, or a text that contains JSON.
fn json(at: &At<'_>) -> Read<Value> {
    match at.value {
        Value::String(text) => match serde_json::from_str(text) {
            Ok(value) => Ok(value),
            Err(why) => at.fault(format!("not valid JSON (line {}, column {})", why.line(), why.column())),
        },
        other => Ok(other.clone()),
    }
}

/// Reads `$.a.b` and `$.a[0]`; refuses the rest of JSONPath.
fn json_path(at: &At<'_>) -> Read<(String, PlaceTest)> {
    let (written, test) = match at.value {
        Value::String(path) => (path.as_str(), PlaceTest::read(&At::new(&serde_json::json!({ "absent": false }), ""))?),
        Value::Object(object) => {
            let Some(path) = object.get("expression") else { return at.fault("expression is missing") };
            let mut test = TextTest::default();
            for (key, value) in object.iter().filter(|(key, _)| *key != "expression") {
                if !test.take(key, &at.below(key, value), object.get("case_insensitive"))? {
                    return at.unknown(key, &text::KNOWN);
                }
            }
            (at.below("expression", path).text()?, PlaceTest::Text(test))
        }
        _ => return at.fault("expected a path, or an object with expression"),
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
        None => at.fault(format!(
            "'{written}' is not supported: use a plain path such as $.contacts[0].title, or pointer \
             or contains"
        )),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn misses(test: Value, body: &str) -> Vec<(String, String, Option<String>)> {
        let test = BodyTest::read(&At::new(&test, "body")).unwrap_or_else(|why| panic!("{why}"));
        let mut misses = Vec::new();
        let fact = if body.is_empty() { Fact::Absent } else { Fact::Bytes(body.as_bytes().into()) };
        test.test(&fact, |place, wanted, found| misses.push((place.to_owned(), wanted, found)));
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
            assert_eq!(misses(test.clone(), body).is_empty(), want, "{test}");
        }
    }

    #[test]
    fn a_difference_is_told_with_its_place() {
        let told = |place: &str, wanted: &str, found: &str| {
            vec![(place.to_owned(), wanted.to_owned(), Some(found.to_owned()))]
        };
        let wanted = json!({ "equal_to_json": { "b": [{ "c/d": "x" }] } });
        assert_eq!(misses(wanted.clone(), r#"{"b":[{"c/d":"y"}]}"#), told("/b/0/c~1d", "\"x\"", "\"y\""));
        assert_eq!(misses(wanted.clone(), r#"{"b":[{}]}"#), told("/b/0/c~1d", "\"x\"", "absent"));
        assert_eq!(misses(wanted.clone(), r#"{"b":[]}"#), told("/b", "1 items", "0 items"));
        assert_eq!(misses(wanted.clone(), "{"), told("", r#"{"b":[{"c/d":"x"}]}"#, "not JSON"));
        assert_eq!(misses(json!({ "pointer": { "/a": "x" } }), ""), told("/a", "x", "absent"));
    }

    #[test]
    fn what_cannot_be_read_is_told() {
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
            let told = BodyTest::read(&At::new(&test, "body")).expect_err("a fault").to_string();
            assert!(told.starts_with(want), "{told}");
        }
    }
}
