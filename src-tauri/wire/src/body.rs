//! Reads request bodies: one JSON object, whose unknown keys are ignored, and in which the last of equal keys counts.
//!
//! Derived readers would accept arrays and refuse repeated keys. Therefore only the wanted keys of an object are picked
//! out as text that borrows from the body, and each is parsed separately.

use std::{borrow::Cow, fmt};

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use crate::envelope::{RejectedValue, RestError};

/// Returns whether a body of this content type is read.
pub fn is_json(content_type: Option<&[u8]>) -> bool {
    let Some(content_type) = content_type else { return true };
    let Ok(text) = std::str::from_utf8(content_type) else { return false };
    let mut parts = text.split(';');
    let kind = parts.next().unwrap_or_default().trim().to_ascii_lowercase();
    let is_json = kind == "application/json"
        || kind.strip_prefix("application/").and_then(|k| k.strip_suffix("+json")).is_some_and(|any| !any.is_empty());
    is_json
        && parts.all(|parameter| match parameter.split_once('=') {
            Some((name, value)) if name.trim().eq_ignore_ascii_case("charset") => {
                matches!(value.trim().trim_matches('"').to_ascii_lowercase().as_str(), "utf-8" | "utf8")
            }
            _ => true,
        })
}

/// Returns the text of a body. It must be UTF-8 without unpaired surrogates, even in escapes.
pub fn body_text(body: &[u8]) -> Result<&str, RestError> {
    let text = std::str::from_utf8(body).map_err(|_| RestError::BadBody)?;
    if has_half_characters(body) { Err(RestError::BadBody) } else { Ok(text) }
}

/// Returns whether an escape names one half of a surrogate pair without the other. Repeated in an error, it would make
/// our own JSON invalid.
fn has_half_characters(json: &[u8]) -> bool {
    let unit = |at: usize| {
        let digits = json.get(at..at + 6)?.strip_prefix(b"\\u")?;
        u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
    };
    let mut at = 0;
    while let Some(next) = json[at..].iter().position(|b| *b == b'\\') {
        at += next;
        at += match unit(at) {
            Some(0xd800..=0xdbff) if matches!(unit(at + 6), Some(0xdc00..=0xdfff)) => 12,
            Some(0xd800..=0xdfff) => return true,
            Some(_) => 6,
            None => 2,
        };
        at = at.min(json.len());
    }
    false
}

/// The wanted keys of one object.
#[derive(Debug)]
pub struct JsonObject<'a> {
    wanted: &'static [&'static str],
    values: Vec<Option<&'a RawValue>>,
}

impl<'a> JsonObject<'a> {
    pub fn read(json: &'a str, wanted: &'static [&'static str]) -> Result<Self, RestError> {
        let mut reader = serde_json::Deserializer::from_str(json);
        let values = WantedKeys(wanted).deserialize(&mut reader).map_err(|_| RestError::BadBody)?;
        reader.end().map_err(|_| RestError::BadBody)?;
        Ok(Self { wanted, values })
    }

    /// Returns the value of a key as received. Only here is null distinguished from an absent key.
    pub fn received_value(&self, key: &str) -> Option<&'a RawValue> {
        let at = self.wanted.iter().position(|w| *w == key);
        debug_assert!(at.is_some(), "{key} is not a requested key");
        self.values.get(at?).copied().flatten()
    }

    /// Returns the value of a key. Null counts as absent.
    pub fn given_value(&self, key: &str) -> Option<&'a RawValue> {
        self.received_value(key).filter(|raw| raw.get() != "null")
    }

    pub fn read_string(&self, key: &str) -> Result<Option<Cow<'a, str>>, RestError> {
        self.given_value(key).map(parse_string).transpose()
    }

    pub fn read_boolean(&self, key: &str) -> Result<Option<bool>, RestError> {
        self.given_value(key).map(|raw| serde_json::from_str(raw.get()).map_err(|_| RestError::BadBody)).transpose()
    }

    pub fn read_strings(&self, key: &str) -> Result<Option<Vec<Cow<'a, str>>>, RestError> {
        let Some(raw) = self.given_value(key) else { return Ok(None) };
        read_elements(raw, usize::MAX)?.first.into_iter().map(parse_string).collect::<Result<_, _>>().map(Some)
    }

    /// Returns an object inside this one. Null counts as absent.
    pub fn read_object(&self, key: &str, wanted: &'static [&'static str]) -> Result<Option<JsonObject<'a>>, RestError> {
        self.given_value(key).map(|raw| JsonObject::read(raw.get(), wanted)).transpose()
    }
}

fn parse_string(raw: &RawValue) -> Result<Cow<'_, str>, RestError> {
    struct TextVisitor;

    impl<'de> Visitor<'de> for TextVisitor {
        type Value = Cow<'de, str>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a string")
        }

        fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
            Ok(Cow::Borrowed(text))
        }

        fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
            Ok(Cow::Owned(text.to_owned()))
        }
    }

    serde_json::Deserializer::from_str(raw.get()).deserialize_str(TextVisitor).map_err(|_| RestError::BadBody)
}

/// Returns a value as received, for an error that repeats it. A value with an unpaired surrogate is not valid JSON and
/// is refused.
pub fn to_rejected(raw: &RawValue) -> Result<RejectedValue, RestError> {
    let is_broken = raw.get().contains("\\u") && serde_json::from_str::<serde_json::Value>(raw.get()).is_err();
    if is_broken { Err(RestError::BadBody) } else { Ok(RejectedValue::Raw(raw.to_owned())) }
}

/// The first elements of an array, and the number of all elements.
#[derive(Debug)]
pub struct JsonElements<'a> {
    pub first: Vec<&'a RawValue>,
    pub total: usize,
}

/// Reads an array and keeps at most `keep` of its elements. Refuses anything but an array.
pub fn read_elements(raw: &RawValue, keep: usize) -> Result<JsonElements<'_>, RestError> {
    struct ElementsVisitor(usize);

    impl<'de> Visitor<'de> for ElementsVisitor {
        type Value = JsonElements<'de>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an array")
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
            let mut first = Vec::new();
            let mut total = 0;
            loop {
                if total < self.0 {
                    let Some(element) = seq.next_element::<&RawValue>()? else { break };
                    first.push(element);
                } else if seq.next_element::<IgnoredAny>()?.is_none() {
                    break;
                }
                total += 1;
            }
            Ok(JsonElements { first, total })
        }
    }

    serde_json::Deserializer::from_str(raw.get()).deserialize_seq(ElementsVisitor(keep)).map_err(|_| RestError::BadBody)
}

struct WantedKeys(&'static [&'static str]);

impl<'de> DeserializeSeed<'de> for WantedKeys {
    type Value = Vec<Option<&'de RawValue>>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for WantedKeys {
    type Value = Vec<Option<&'de RawValue>>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut values = vec![None; self.0.len()];
        while let Some(at) = map.next_key_seed(KeyPosition(self.0))? {
            match at.and_then(|at| values.get_mut(at)) {
                Some(slot) => *slot = Some(map.next_value()?),
                None => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(values)
    }
}

/// Maps a key to its position among the wanted ones.
struct KeyPosition(&'static [&'static str]);

impl<'de> DeserializeSeed<'de> for KeyPosition {
    type Value = Option<usize>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for KeyPosition {
    type Value = Option<usize>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_str<E>(self, key: &str) -> Result<Self::Value, E> {
        Ok(self.0.iter().position(|wanted| *wanted == key))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_types() {
        for good in
            ["application/json", "Application/JSON ; charset=utf-8", "application/vnd.x+json; charset=\"UTF-8\"; v=1"]
        {
            assert!(is_json(Some(good.as_bytes())), "{good}");
        }
        for bad in [
            "",
            "text/plain",
            "application/+json",
            "application/jsonx",
            "application/json; charset=latin1",
            "application/x-www-form-urlencoded",
            "\u{ff}",
        ] {
            assert!(!is_json(Some(bad.as_bytes())), "{bad}");
        }
        assert!(!is_json(Some(b"\xff")));
        assert!(is_json(None));
    }

    #[test]
    fn only_one_object_is_a_body() {
        for bad in [
            "",
            " ",
            "null",
            "[]",
            "1",
            "\"x\"",
            "{",
            "{}{}",
            "{} x",
            "{\"a\":}",
            "{'a':1}",
            "{\"a\":1,}",
            "[[\"name\",1]]",
        ] {
            assert!(JsonObject::read(bad, &["a"]).is_err(), "{bad}");
        }
        assert!(JsonObject::read(" {\"b\":[{\"deep\":1e999}]} \n", &["a"]).is_ok(), "unknown keys are not looked at");
    }

    #[test]
    fn half_a_character_is_not_a_valid_text() {
        for good in
            [r#"{"a":"\ud83d\ude00"}"#, r#"{"a":"\\ud83d"}"#, r#"{"a":"\u0041\n\""}"#, r#"{"a":"\\\\ud83d\\"#, "\\"]
        {
            assert!(body_text(good.as_bytes()).is_ok(), "{good}");
        }
        for bad in [
            r#"{"a":"\ud83d"}"#,
            r#"{"a":"\ude00\ud83d"}"#,
            r#"{"a":"\ud83d\u0041"}"#,
            r#"{"a":"\\\ud83d"}"#,
            r#"\uDFFF"#,
        ] {
            assert!(body_text(bad.as_bytes()).is_err(), "{bad}");
        }
        assert!(body_text(b"\xff").is_err());
    }

    #[test]
    fn the_last_of_equal_keys_counts_and_null_is_absent() {
        let object = JsonObject::read(r#"{"a":1,"a":"x\u0041","b":null,"A":2}"#, &["a", "b", "c"]).expect("an object");
        assert_eq!(object.read_string("a").expect("text").as_deref(), Some("xA"));
        assert!(object.received_value("b").is_some() && object.given_value("b").is_none());
        assert!(object.given_value("c").is_none());
    }

    #[test]
    fn wrong_types_are_refused_without_conversion() {
        let object =
            JsonObject::read(r#"{"a":1,"b":["x",null],"c":"true","d":{}}"#, &["a", "b", "c", "d"]).expect("an object");
        assert!(object.read_string("a").is_err());
        assert!(object.read_strings("b").is_err());
        assert!(object.read_boolean("c").is_err());
        assert!(object.read_strings("d").is_err());
        assert!(object.read_object("b", &["x"]).is_err());
        assert!(object.read_object("d", &["x"]).is_ok());
    }

    #[test]
    fn elements_beyond_the_kept_are_counted() {
        let object = JsonObject::read(r#"{"a":[{"x":1},2,3]}"#, &["a"]).expect("an object");
        let found = read_elements(object.given_value("a").expect("given"), 1).expect("an array");
        assert_eq!((found.first.len(), found.total, found.first[0].get()), (1, 3, r#"{"x":1}"#));
    }
}
