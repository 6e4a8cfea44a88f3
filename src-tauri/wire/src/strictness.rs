//! What a request holds beyond its operation: the service may refuse it, the emulator ignores it unless it is strict.

use std::fmt;

use roost_model::{contact::Attribute, custom_field};
use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};

use crate::{OperationId, QueryString, body::JsonObject};

/// The keys of an object of a request, and what is below them.
struct Shape {
    keys: &'static [&'static str],
    /// Keys whose value is an object, or an array of objects, of another shape.
    inner: &'static [(&'static str, Shape)],
    /// Attributes of contacts and custom fields are keys as well.
    has_attributes: bool,
}

const NOTHING: Shape = Shape { keys: &[], inner: &[], has_attributes: false };

const LIST: Shape = Shape { keys: &["name"], ..NOTHING };
const CONTACTS: Shape = Shape {
    keys: &["list_id", "phone_region", "merge_type", "callback_url", "correlation_id"],
    inner: &[("contacts", CONTACT)],
    ..NOTHING
};
const CONTACT: Shape = Shape { keys: &["phone_number", "whatsapp_number"], has_attributes: true, ..NOTHING };
const OPT_OUTS: Shape = Shape { inner: &[("optouts", OPT_OUT)], ..NOTHING };
const OPT_OUT: Shape = Shape { keys: &["number", "channel", "asset_id"], ..NOTHING };
const OPT_OUTS_REMOVED: Shape = Shape { keys: &["numbers", "channel", "asset_id"], ..NOTHING };
const LINK: Shape = Shape { keys: &["title", "target_url", "tags", "track_clicks"], ..NOTHING };
const LINK_SEARCH: Shape =
    Shape { inner: &[("filter", LINK_FILTER), ("sort", LINK_SORT), ("page", LINK_PAGE)], ..NOTHING };
const LINK_FILTER: Shape = Shape { keys: &["query", "tags", "created_at_start", "created_at_end"], ..NOTHING };
const LINK_SORT: Shape = Shape { keys: &["sort_by", "sort_order"], ..NOTHING };
const LINK_PAGE: Shape = Shape { keys: &["page_number", "page_size"], ..NOTHING };

fn shape(id: OperationId) -> Option<&'static Shape> {
    Some(match id {
        OperationId::ListsCreate => &LIST,
        OperationId::ContactsCreate => &CONTACTS,
        OperationId::OptOutsCreate => &OPT_OUTS,
        OperationId::OptOutsDelete => &OPT_OUTS_REMOVED,
        OperationId::ShortLinksCreate => &LINK,
        OperationId::ShortLinksSearch => &LINK_SEARCH,
        _ => return None,
    })
}

/// The names of the parameters that an operation reads from its query.
fn parameters(id: OperationId) -> &'static [&'static str] {
    match id {
        OperationId::SendersQuery => &["page_number", "page_size"],
        OperationId::ListsQuery => &["page_number", "page_size", "sort_by", "sort_order", "name"],
        OperationId::ContactsQuery => &["search", "page_number", "page_size", "fields"],
        OperationId::OptOutsQuery => &[
            "number",
            "opt_out_type",
            "channel",
            "inbound_number",
            "asset_id",
            "start_time",
            "end_time",
            "page_number",
            "page_size",
            "sort_order",
        ],
        _ => &[],
    }
}

/// The first parameter of a query that the operation does not have.
pub fn find_unknown_parameter<'q>(id: OperationId, query: &'q QueryString<'_>) -> Option<&'q str> {
    query.names().find(|name| !parameters(id).contains(name))
}

/// The first key of a body that the operation does not have, as a JSON pointer; `defined` are the custom fields there
/// are. A body that is not JSON has none: it is refused for that.
pub fn find_unknown_field(id: OperationId, json: &str, defined: &[u32]) -> Option<String> {
    let mut found = None;
    let walk = UnknownKeySearch { shape: shape(id)?, defined, place: &mut Vec::new(), found: &mut found };
    // It ends with an error at the unknown key, and at what is not JSON.
    let _ = walk.deserialize(&mut serde_json::Deserializer::from_str(json));
    found
}

/// Forms that are read only because older clients send them, each with the place where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DeprecatedForm {
    /// A plus sign of a query that was not encoded, in this parameter.
    PlainPlus(&'static str),
    /// A page number that is text, in this field.
    TextNumber(&'static str),
}

/// The first deprecated form of a request; `query` is as it was sent.
pub fn find_deprecated_form(id: OperationId, query: &str, body: &str) -> Option<DeprecatedForm> {
    let has_plain_plus = |name: &str| {
        let mut pairs = query.split('&').filter_map(|pair| pair.split_once('='));
        pairs.any(|(given, value)| given == name && value.starts_with('+'))
    };
    match id {
        OperationId::ContactsQuery => has_plain_plus("search").then_some(DeprecatedForm::PlainPlus("search")),
        OperationId::OptOutsQuery => has_plain_plus("number").then_some(DeprecatedForm::PlainPlus("number")),
        OperationId::ShortLinksSearch => {
            let search = JsonObject::read(body, &["page"]).ok()?;
            let page = search.read_object("page", &["page_number", "page_size"]).ok()??;
            let is_text = |key| page.given_value(key).is_some_and(|value| value.get().starts_with('"'));
            let all = [("page_number", "page.page_number"), ("page_size", "page.page_size")];
            all.into_iter().find(|(key, _)| is_text(key)).map(|(_, field)| DeprecatedForm::TextNumber(field))
        }
        _ => None,
    }
}

/// Reads a value, and stops at the first key that its shape does not have.
struct UnknownKeySearch<'w> {
    shape: &'static Shape,
    defined: &'w [u32],
    /// The way to the value.
    place: &'w mut Vec<String>,
    found: &'w mut Option<String>,
}

impl UnknownKeySearch<'_> {
    fn has(&self, key: &str) -> bool {
        self.shape.keys.contains(&key)
            || self.shape.has_attributes
                && (Attribute::parse(key).is_some()
                    || custom_field::parse_key(key).is_some_and(|number| self.defined.contains(&number)))
    }

    fn inner(&self, key: &str) -> Option<&'static Shape> {
        self.shape.inner.iter().find(|(name, _)| *name == key).map(|(_, shape)| shape)
    }
}

impl<'de> DeserializeSeed<'de> for UnknownKeySearch<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for UnknownKeySearch<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<String>()? {
            let inner = self.inner(&key);
            if inner.is_none() && !self.has(&key) {
                self.place.push(key.replace('~', "~0").replace('/', "~1"));
                *self.found = Some(format!("/{}", self.place.join("/")));
                return Err(A::Error::custom("an unknown key"));
            }
            match inner {
                None => drop(map.next_value::<IgnoredAny>()?),
                Some(shape) => {
                    self.place.push(key);
                    map.next_value_seed(UnknownKeySearch {
                        shape,
                        defined: self.defined,
                        place: &mut *self.place,
                        found: &mut *self.found,
                    })?;
                    self.place.pop();
                }
            }
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        for at in 0_usize.. {
            self.place.push(at.to_string());
            let UnknownKeySearch { shape, defined, .. } = self;
            let next = UnknownKeySearch { shape, defined, place: &mut *self.place, found: &mut *self.found };
            if seq.next_element_seed(next)?.is_none() {
                return Ok(());
            }
            self.place.pop();
        }
        Ok(())
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::{OPERATIONS, openapi::interface_document};

    fn schema_of(document: &Value, schema: &Value) -> Value {
        let schema = schema["anyOf"].as_array().map_or(schema, |any| &any[0]);
        match schema["$ref"].as_str() {
            Some(place) => schema_of(document, document.pointer(place.trim_start_matches('#')).expect("a schema")),
            None => schema.clone(),
        }
    }

    /// Every key that the document knows, with those below it.
    fn keys_of(document: &Value, schema: &Value, place: &str, found: &mut Vec<String>) {
        let schema = schema_of(document, schema);
        if schema["items"].is_object() {
            return keys_of(document, &schema["items"], &format!("{place}/0"), found);
        }
        for (name, inner) in schema["properties"].as_object().into_iter().flatten() {
            let place = format!("{place}/{name}");
            found.push(place.clone());
            keys_of(document, inner, &place, found);
        }
    }

    /// A body with nothing but one key, wherever it is.
    fn body_with(place: &str) -> String {
        place.rsplit('/').filter(|word| !word.is_empty()).fold("null".to_owned(), |inner, word| match word {
            "0" => format!("[{inner}]"),
            key => format!("{{\"{key}\":{inner}}}"),
        })
    }

    #[test]
    fn every_key_and_parameter_of_the_document_is_known_and_no_other() {
        let document = interface_document();
        let mut bodies = 0;
        for operation in &OPERATIONS {
            let described = &document["paths"][operation.path][operation.method.as_str().to_lowercase()];
            let named: Vec<&str> = described["parameters"]
                .as_array()
                .into_iter()
                .flatten()
                .filter(|one| one["in"] == "query")
                .map(|one| one["name"].as_str().expect("a name"))
                .collect();
            assert_eq!(named.len(), parameters(operation.id).len(), "{}", operation.name);
            for name in named {
                let query = format!("{name}=1&{name}x=1");
                let (parsed, known) = (QueryString::parse(&query), format!("{name}x"));
                assert_eq!(find_unknown_parameter(operation.id, &parsed), Some(known.as_str()), "{}", operation.name);
            }
            let body = &described["requestBody"]["content"]["application/json"]["schema"];
            assert_eq!(body.is_object(), operation.reads_body, "{}", operation.name);
            let mut keys = Vec::new();
            keys_of(&document, body, "", &mut keys);
            bodies += usize::from(!keys.is_empty());
            for key in keys {
                let (known, unknown) = (body_with(&key), body_with(&format!("{key}x")));
                assert_eq!(find_unknown_field(operation.id, &known, &[]), None, "{known}");
                assert_eq!(find_unknown_field(operation.id, &unknown, &[]), Some(format!("{key}x")), "{unknown}");
            }
        }
        assert_eq!(bodies, 6);
    }

    #[test]
    fn custom_fields_are_known_where_they_are_defined() {
        let body = r#"{"contacts":[{"field_1":"a","title":"b"},{"phone_number":"c","field_9":"d"}]}"#;
        let found = |defined: &[u32]| find_unknown_field(OperationId::ContactsCreate, body, defined);
        assert_eq!(found(&[1, 9]), None);
        assert_eq!(found(&[1]).as_deref(), Some("/contacts/1/field_9"));
        assert_eq!(found(&[]).as_deref(), Some("/contacts/0/field_1"));
        let odd = find_unknown_field(OperationId::ListsCreate, r#"{"name":1,"a/b~c":1.5}"#, &[]);
        assert_eq!(odd.as_deref(), Some("/a~1b~0c"));
        for broken in ["", "[", "{\"name\":", "1", "\"x\"", "{}", "[{\"name\":true}]"] {
            assert_eq!(find_unknown_field(OperationId::ListsCreate, broken, &[]), None, "{broken}");
        }
    }

    #[test]
    fn forms_of_older_clients_are_found() {
        let found = |id, query: &str, body: &str| find_deprecated_form(id, query, body);
        let plus = |name| Some(DeprecatedForm::PlainPlus(name));
        assert_eq!(found(OperationId::OptOutsQuery, "channel=SMS&number=+447700900001", ""), plus("number"));
        assert_eq!(found(OperationId::ContactsQuery, "search=+447700900001", ""), plus("search"));
        assert_eq!(found(OperationId::OptOutsQuery, "number=%2B447700900001", ""), None);
        assert_eq!(found(OperationId::ListsQuery, "name=+a", ""), None, "a space is a space there");
        let search = |body: &str| found(OperationId::ShortLinksSearch, "", body);
        assert_eq!(
            search(r#"{"page":{"page_number":1,"page_size":"2"}}"#),
            Some(DeprecatedForm::TextNumber("page.page_size"))
        );
        assert_eq!(search(r#"{"page":{"page_number":1}}"#), None);
        assert_eq!(search("["), None);
    }
}
