//! Reads a seed of JSON with little memory. Contacts stay unparsed texts until they are needed: as values they take
//! seven times as much memory, and an allocator returns little of it.

use std::{borrow::Cow, fmt};

use serde::de::{Deserialize, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value, value::RawValue};

/// Marks a value that is still an unparsed text. No meaningful text begins with this character.
const UNREAD: char = '\0';

/// Reads the whole file, so that every syntax error is found.
pub fn read(text: &[u8]) -> serde_json::Result<Value> {
    let mut reader = serde_json::Deserializer::from_slice(text);
    let value = LazyVisitor(SeedLevel::Root).deserialize(&mut reader)?;
    reader.end()?;
    Ok(value)
}

/// Returns the parsed value of an unparsed text, or the value itself.
pub fn expand_value(value: &Value) -> Cow<'_, Value> {
    let unread = value.as_str().and_then(|text| text.strip_prefix(UNREAD));
    match unread.and_then(|text| serde_json::from_str(text).ok()) {
        Some(read) => Cow::Owned(read),
        None => Cow::Borrowed(value),
    }
}

/// The position in the seed that decides how a value is read.
#[derive(Clone, Copy)]
enum SeedLevel {
    Root,
    Lists,
    List,
    Contacts,
}

struct LazyVisitor(SeedLevel);

impl<'de> DeserializeSeed<'de> for LazyVisitor {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for LazyVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any valid JSON value")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Value, A::Error> {
        let mut map = Map::new();
        while let Some(name) = fields.next_key::<String>()? {
            let value = match (self.0, name.as_str()) {
                (SeedLevel::Root, "lists") => fields.next_value_seed(LazyVisitor(SeedLevel::Lists))?,
                (SeedLevel::List, "contacts") => fields.next_value_seed(LazyVisitor(SeedLevel::Contacts))?,
                _ => fields.next_value()?,
            };
            map.insert(name, value);
        }
        Ok(map.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut all = Vec::new();
        loop {
            let next = match self.0 {
                SeedLevel::Lists => items.next_element_seed(LazyVisitor(SeedLevel::List))?,
                SeedLevel::Contacts => {
                    items.next_element::<&RawValue>()?.map(|text| match text.get().starts_with('{') {
                        true => format!("{UNREAD}{}", text.get()).into(),
                        // Not a contact. The parser of contacts reports the error.
                        false => serde_json::from_str(text.get()).unwrap_or_default(),
                    })
                }
                SeedLevel::Root | SeedLevel::List => items.next_element()?,
            };
            match next {
                Some(value) => all.push(value),
                None => return Ok(all.into()),
            }
        }
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        Value::deserialize(deserializer)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn contacts_stay_texts_and_all_else_is_what_it_is() {
        let seed = json!({
            "senders": [{ "name": "A", "contacts": [{ "x": 1 }] }], "n": [1, -1, 1.5, null, true],
            "lists": [{ "name": "L", "contacts": [{ "uid": "CON_1", "first_name": "\u{0}\"{" }, 7, "text", [{}]] }, "no list"],
        });
        let read = read(seed.to_string().as_bytes()).expect("JSON");
        let contacts = read["lists"][0]["contacts"].as_array().expect("a list");
        assert!(contacts[0].is_string() && contacts[1] == json!(7));
        let again: Vec<Value> = contacts.iter().map(|contact| expand_value(contact).into_owned()).collect();
        assert_eq!(json!(again), seed["lists"][0]["contacts"]);
        assert_eq!(
            (&read["senders"], &read["n"], &read["lists"][1]),
            (&seed["senders"], &seed["n"], &json!("no list"))
        );
        for broken in
            ["{", "{\"lists\":[{\"contacts\":[{]}]}", "{\"lists\":[]} x", "{\"lists\":[{\"contacts\":[{\"a\":}]}]}"]
        {
            assert!(super::read(broken.as_bytes()).is_err(), "{broken}");
        }
    }
}
