//! Reads seeds as YAML. Where the seed expects a text, an unquoted value such as +447700900001 or 02134 is read as a
//! text, not as a number. Size and depth are limited, so that aliases and nesting cannot expand a small file into a
//! large value.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

use super::{SeedError, WHOLE, keys};

/// Keys whose values keep their YAML type: records, flags and numbers.
const NOT_TEXTS: [&str; 6] =
    ["enforce_account_level_opt_outs", "account_level_opt_out", "track_clicks", "contacts", "keywords", "tags"];
/// The maximum depth; a hand-written seed is never deeper.
const DEPTH: usize = 16;
/// The maximum number of events repeated by aliases. A repeated record counts each time.
const REPEATED: usize = 100_000;

pub(super) fn read(text: &[u8]) -> Result<Value, SeedError> {
    let mut limits = serde_saphyr::options::AliasLimits::default();
    limits.max_total_replayed_events = REPEATED;
    limits.max_replay_stack_depth = DEPTH;
    // The smallest value takes two characters, so the length of the text limits the number of values.
    let most = text.len() + REPEATED;
    let options = serde_saphyr::options! {
        budget: serde_saphyr::budget! {
            max_depth: DEPTH,
            max_documents: 1,
            max_events: most * 2,
            max_nodes: most,
            max_total_scalar_bytes: most * 2,
            max_recorded_anchor_events: REPEATED,
        },
        alias_limits: limits,
        strict_booleans: true,
        with_snippet: false,
    };
    let read: Result<YamlValue, _> = serde_saphyr::from_slice_with_options(text, options);
    read.map(|YamlValue(value)| value).map_err(|error| {
        let place = error.location().map(|at| format!("line {}, column {}", at.line(), at.column()));
        let message = error.render_with_formatter(&serde_saphyr::UserMessageFormatter);
        // The place is already part of the error's path.
        let message = message.rsplit_once(" at line ").map_or(message.as_str(), |(message, _)| message);
        match place {
            Some(place) => SeedError::invalid_at(place, format!("not YAML: {message}")),
            None => SeedError::invalid_at(WHOLE, format!("is not YAML: {message}")),
        }
    })
}

/// Returns whether the value of this key is a text, whatever it looks like.
fn is_text(key: &str) -> bool {
    let records = [keys::SENDER, keys::ASSET, keys::LIST, keys::OPT_OUT, keys::SHORT_LINK];
    let is_known = records.iter().any(|known| known.contains(&key)) || key == "label";
    let is_of_contact = roost_model::contact::ContactField::parse(key, |_| true).is_some();
    (is_known || is_of_contact) && !NOT_TEXTS.contains(&key)
}

/// A value whose type is determined by the keys above it.
struct YamlValue(Value);

/// A text, or null.
struct YamlText(Value);

/// An array of texts, whatever they look like.
struct YamlTexts(Value);

impl<'de> Deserialize<'de> for YamlText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Option::<String>::deserialize(deserializer).map(|text| Self(text.map_or(Value::Null, Value::from)))
    }
}

impl<'de> Deserialize<'de> for YamlTexts {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Option::<Vec<String>>::deserialize(deserializer).map(|texts| Self(texts.map_or(Value::Null, Value::from)))
    }
}

impl<'de> Deserialize<'de> for YamlValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(YamlVisitor)
    }
}

struct YamlVisitor;

impl<'de> Visitor<'de> for YamlVisitor {
    type Value = YamlValue;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value of a seed")
    }

    fn visit_bool<E>(self, value: bool) -> Result<YamlValue, E> {
        Ok(YamlValue(value.into()))
    }

    fn visit_i64<E>(self, value: i64) -> Result<YamlValue, E> {
        Ok(YamlValue(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<YamlValue, E> {
        Ok(YamlValue(value.into()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<YamlValue, E> {
        Ok(YamlValue(value.into()))
    }

    fn visit_str<E>(self, value: &str) -> Result<YamlValue, E> {
        Ok(YamlValue(value.into()))
    }

    fn visit_unit<E>(self) -> Result<YamlValue, E> {
        Ok(YamlValue(Value::Null))
    }

    fn visit_none<E>(self) -> Result<YamlValue, E> {
        Ok(YamlValue(Value::Null))
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<YamlValue, D::Error> {
        YamlValue::deserialize(deserializer)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<YamlValue, A::Error> {
        let mut all = Vec::new();
        while let Some(YamlValue(item)) = items.next_element()? {
            all.push(item);
        }
        Ok(YamlValue(all.into()))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<YamlValue, A::Error> {
        let mut map = Map::new();
        while let Some(key) = entries.next_key::<String>()? {
            let value = match key.as_str() {
                "keywords" | "tags" | "short_link_codes" => entries.next_value::<YamlTexts>()?.0,
                key if is_text(key) => entries.next_value::<YamlText>()?.0,
                _ => entries.next_value::<YamlValue>()?.0,
            };
            map.insert(key, value);
        }
        // A custom field has a numeric `number`. An asset and an opt-out have a phone number, which is a text.
        if map.contains_key("label")
            && let Some(number) = map.get("number").and_then(Value::as_str).and_then(|text| text.parse::<u64>().ok())
        {
            map.insert("number".to_owned(), number.into());
        }
        Ok(YamlValue(map.into()))
    }
}
