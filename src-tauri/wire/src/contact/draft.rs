//! Reads submitted contacts fast: texts borrow from the body, and nothing is built for keys that are ignored.

use std::{borrow::Cow, fmt};

use roost_model::{
    contact::{Attribute, BATCH_MAX, ContactDraft},
    custom_field,
};
use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};

/// The contacts of one request. Contacts beyond the allowed number are only type-checked and counted.
pub(super) struct ContactDrafts<'a> {
    pub contacts: Vec<ContactDraft<'a>>,
    pub total: usize,
}

/// Reads the array. Fails on anything that is not an array of objects with texts.
pub(super) fn read_drafts<'a>(json: &'a str, defined: &[u32]) -> serde_json::Result<ContactDrafts<'a>> {
    serde_json::Deserializer::from_str(json).deserialize_seq(DraftsVisitor { defined })
}

struct DraftsVisitor<'d> {
    defined: &'d [u32],
}

impl<'de> Visitor<'de> for DraftsVisitor<'_> {
    type Value = ContactDrafts<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array of contacts")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        let mut contacts = Vec::new();
        let mut total = 0;
        while let Some(draft) = seq.next_element_seed(DraftSeed { defined: self.defined })? {
            total += 1;
            if total <= BATCH_MAX {
                contacts.push(draft);
            }
        }
        Ok(ContactDrafts { contacts, total })
    }
}

struct DraftSeed<'d> {
    defined: &'d [u32],
}

impl<'de> DeserializeSeed<'de> for DraftSeed<'_> {
    type Value = ContactDraft<'de>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_map(self)
    }
}

#[derive(Clone, Copy, PartialEq)]
enum DraftKey {
    PhoneNumber,
    WhatsappNumber,
    Attribute(Attribute),
    Custom(u32),
    Ignored,
}

impl<'de> Visitor<'de> for DraftSeed<'_> {
    type Value = ContactDraft<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a contact")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut draft = ContactDraft::default();
        // Keys whose value is not a text. A later value of the same key corrects it, because the last one counts.
        let mut wrong: Vec<DraftKey> = Vec::new();
        while let Some(key) = map.next_key_seed(KeySeed { defined: self.defined })? {
            if key == DraftKey::Ignored {
                map.next_value::<IgnoredAny>()?;
                continue;
            }
            let value = match map.next_value_seed(MaybeText)? {
                Ok(text) => {
                    wrong.retain(|k| *k != key);
                    text
                }
                Err(NotText) => {
                    wrong.push(key);
                    None
                }
            };
            match key {
                DraftKey::PhoneNumber => draft.phone_number = value,
                DraftKey::WhatsappNumber => draft.whatsapp_number = value,
                DraftKey::Attribute(attribute) => draft.attributes[attribute as usize] = value,
                DraftKey::Custom(number) => set_custom(&mut draft.custom, number, value),
                DraftKey::Ignored => {}
            }
        }
        if wrong.is_empty() { Ok(draft) } else { Err(A::Error::custom("an attribute is not a text")) }
    }
}

fn set_custom<'a>(custom: &mut Vec<(u32, Cow<'a, str>)>, number: u32, value: Option<Cow<'a, str>>) {
    match (custom.binary_search_by_key(&number, |(n, _)| *n), value) {
        (Ok(at), Some(text)) => custom[at].1 = text,
        (Ok(at), None) => {
            custom.remove(at);
        }
        (Err(at), Some(text)) => custom.insert(at, (number, text)),
        (Err(_), None) => {}
    }
}

struct KeySeed<'d> {
    defined: &'d [u32],
}

impl<'de> DeserializeSeed<'de> for KeySeed<'_> {
    type Value = DraftKey;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<DraftKey, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for KeySeed<'_> {
    type Value = DraftKey;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_str<E>(self, key: &str) -> Result<DraftKey, E> {
        Ok(match key {
            "phone_number" => DraftKey::PhoneNumber,
            "whatsapp_number" => DraftKey::WhatsappNumber,
            _ => match Attribute::parse(key) {
                Some(attribute) => DraftKey::Attribute(attribute),
                None => custom_field::parse_key(key)
                    .filter(|number| self.defined.contains(number))
                    .map_or(DraftKey::Ignored, DraftKey::Custom),
            },
        })
    }
}

/// The value is neither a text nor null.
struct NotText;

/// Reads a text or null. Skips any other value and reports it.
struct MaybeText;

impl<'de> DeserializeSeed<'de> for MaybeText {
    type Value = Result<Option<Cow<'de, str>>, NotText>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for MaybeText {
    type Value = Result<Option<Cow<'de, str>>, NotText>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a text or null")
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(Ok(Some(Cow::Borrowed(text))))
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Ok(Some(Cow::Owned(text.to_owned()))))
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(Ok(None))
    }

    fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> {
        Ok(Err(NotText))
    }

    fn visit_i64<E>(self, _: i64) -> Result<Self::Value, E> {
        Ok(Err(NotText))
    }

    fn visit_u64<E>(self, _: u64) -> Result<Self::Value, E> {
        Ok(Err(NotText))
    }

    fn visit_f64<E>(self, _: f64) -> Result<Self::Value, E> {
        Ok(Err(NotText))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Err(NotText))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Err(NotText))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_borrow_and_the_last_of_equal_keys_counts() {
        let json = r#"[{"title":7,"title":"Ms","field_2":"b","field_1":"a","field_1":null,"phone_number":"1","phone_number":null,
            "field_01":5,"field_9":[],"uid":{"x":1},"city":"a\nb"}]"#;
        let found = read_drafts(json, &[1, 2]).expect("well typed");
        let draft = &found.contacts[0];
        assert!(matches!(draft.attributes[Attribute::Title as usize], Some(Cow::Borrowed("Ms"))));
        assert_eq!(draft.attributes[Attribute::City as usize].as_deref(), Some("a\nb"));
        assert_eq!(draft.custom, [(2, Cow::Borrowed("b"))]);
        assert_eq!(draft.phone_number, None);
    }

    #[test]
    fn wrong_types_are_refused_whatever_they_are() {
        for bad in [
            "{}",
            "[1]",
            "[null]",
            "[[]]",
            r#"[{"title":1}]"#,
            r#"[{"title":true}]"#,
            r#"[{"title":[1]}]"#,
            r#"[{"title":{"a":1}}]"#,
            r#"[{"title":1.5}]"#,
            r#"[{"field_1":1}]"#,
            r#"[{"title":"x","title":1}]"#,
            r#"[{"phone_number":447700900001}]"#,
        ] {
            assert!(read_drafts(bad, &[1]).is_err(), "{bad}");
        }
        assert!(read_drafts(r#"[{"field_1":1}]"#, &[]).is_ok(), "an undefined field is ignored");
    }

    #[test]
    fn beyond_the_limit_contacts_are_counted_not_kept() {
        let json = format!("[{}{{}}]", "{},".repeat(BATCH_MAX));
        let found = read_drafts(&json, &[]).expect("well typed");
        assert_eq!((found.contacts.len(), found.total), (BATCH_MAX, BATCH_MAX + 1));
    }
}
