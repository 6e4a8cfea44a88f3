//! Reads a seed of JSON with little memory. The contacts of a list stay one unparsed text, and are read one by one: as
//! values they take seven times as much memory, and an allocator returns little of what many small values took.

use std::fmt;

use serde::de::{self, Deserialize, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value, value::RawValue};

/// Marks a value that is still an unparsed text. No meaningful text begins with this character.
const UNREAD: char = '\0';

/// Reads the whole file, so that every syntax error is found.
pub(super) fn read(text: &[u8]) -> serde_json::Result<Value> {
    let mut reader = serde_json::Deserializer::from_slice(text);
    let value = LazyVisitor(SeedLevel::Root).deserialize(&mut reader)?;
    reader.end()?;
    Ok(value)
}

/// Visits the items of an array, which can be an unparsed text, up to the first failure. Returns their number, or None
/// if the value is not an array.
pub(super) fn visit_items<E>(
    value: &Value,
    mut visit: impl FnMut(usize, &Value) -> Result<(), E>,
) -> Result<Option<usize>, E> {
    if let Value::Array(items) = value {
        items.iter().enumerate().try_for_each(|(at, item)| visit(at, item))?;
        return Ok(Some(items.len()));
    }
    let Some(text) = value.as_str().and_then(|text| text.strip_prefix(UNREAD)) else { return Ok(None) };
    let (mut count, mut failure) = (0, None);
    let items = ItemVisitor(|item: &Value| match visit(count, item) {
        Ok(()) => {
            count += 1;
            true
        }
        Err(error) => {
            failure = Some(error);
            false
        }
    });
    let read = serde_json::Deserializer::from_str(text).deserialize_seq(items);
    if let Some(error) = failure {
        return Err(error);
    }
    if read.is_err() {
        // `read` checks the syntax alone and accepts, for example, half of a surrogate pair. Null is not a contact, so
        // the parser of contacts reports an error at this item.
        visit(count, &Value::Null)?;
    }
    Ok(Some(count))
}

/// Passes each item of an array to a function until the function returns false.
struct ItemVisitor<F>(F);

impl<'de, F: FnMut(&Value) -> bool> Visitor<'de> for ItemVisitor<F> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array")
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut items: A) -> Result<(), A::Error> {
        while let Some(item) = items.next_element::<Value>()? {
            if !(self.0)(&item) {
                return Err(de::Error::custom("stopped"));
            }
        }
        Ok(())
    }
}

/// The position in the seed that decides how a value is read.
#[derive(Clone, Copy)]
enum SeedLevel {
    Root,
    Lists,
    List,
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
                (SeedLevel::List, "contacts") => match fields.next_value::<&RawValue>()?.get() {
                    text if text.starts_with('[') => format!("{UNREAD}{text}").into(),
                    text => serde_json::from_str(text).unwrap_or_default(),
                },
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
    fn contacts_stay_unparsed_text_and_all_other_values_are_parsed() {
        let seed = json!({
            "senders": [{ "name": "A", "contacts": [{ "x": 1 }] }], "n": [1, -1, 1.5, null, true],
            "lists": [{ "name": "L", "contacts": [{ "uid": "CON_1", "first_name": "\u{0}\"{" }, 7, "text", [{}]] }, "no list"],
        });
        let read = read(seed.to_string().as_bytes()).expect("JSON");
        let contacts = &read["lists"][0]["contacts"];
        assert!(contacts.is_string());
        for contacts in [contacts, &seed["lists"][0]["contacts"]] {
            let mut again = Vec::new();
            let count = visit_items(contacts, |at, contact| {
                assert_eq!(at, again.len());
                again.push(contact.clone());
                Ok::<_, ()>(())
            });
            assert_eq!((count, json!(again)), (Ok(Some(4)), seed["lists"][0]["contacts"].clone()));
            assert_eq!(visit_items(contacts, |at, _| if at < 2 { Ok(()) } else { Err(at) }), Err(2), "up to the first");
        }
        assert_eq!(visit_items(&json!("[]"), |_, _| Ok::<_, ()>(())), Ok(None));
        assert_eq!(
            (&read["senders"], &read["n"], &read["lists"][1]),
            (&seed["senders"], &seed["n"], &json!("no list"))
        );
        for broken in
            ["{", "{\"lists\":[{\"contacts\":[{]}]}", "{\"lists\":[]} x", "{\"lists\":[{\"contacts\":[{\"a\":}]}]}"]
        {
            assert!(super::read(broken.as_bytes()).is_err(), "{broken}");
        }
        // A list whose contacts are not an array, and a text with half of a surrogate pair.
        let read = super::read(br#"{"lists":[{"contacts":7},{"contacts":[{"a":1},{"a":"\ud800"}]}]}"#).expect("JSON");
        assert_eq!(read["lists"][0]["contacts"], 7);
        let mut seen = Vec::new();
        let count = visit_items(&read["lists"][1]["contacts"], |_, item| {
            seen.push(item.clone());
            Ok::<_, ()>(())
        });
        assert_eq!((count, seen), (Ok(Some(1)), vec![json!({ "a": 1 }), Value::Null]));
    }
}
