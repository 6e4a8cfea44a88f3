//! An incoming request as the matchers of fault rules see it.

use std::borrow::Cow;

use axum::http::request;
use roost_journal::{FieldValue, MatchField, MatchSource, path_in_world};
use roost_wire::Operation;
use serde_json::Value;

/// A request that was admitted, is within its limits and has its whole body. The operation has not run yet.
#[derive(Clone, Copy)]
pub(crate) struct IncomingRequest<'a> {
    pub operation: &'a Operation,
    pub parts: &'a request::Parts,
    pub key: &'a [u8],
    pub body: &'a [u8],
}

impl IncomingRequest<'_> {
    pub(crate) fn query(&self) -> &str {
        self.parts.uri.query().unwrap_or_default()
    }

    /// Returns the value at the place that `per_key_of` names.
    pub(crate) fn value_at(&self, place: &str) -> String {
        let fact = match place {
            "key" => self.read_field(MatchField::Key),
            "operation" => self.read_field(MatchField::Operation),
            "path" => self.read_field(MatchField::Path),
            _ => match place.split_once(':') {
                Some(("header", name)) => {
                    return fact_to_text(&self.read_field(MatchField::Header(&name.to_ascii_lowercase())));
                }
                Some(("query", name)) => return fact_to_text(&self.read_field(MatchField::Query(name))),
                _ => return self.body_value(place),
            },
        };
        fact_to_text(&fact)
    }

    fn body_value(&self, place: &str) -> String {
        let Ok(body) = serde_json::from_slice::<Value>(self.body) else { return String::new() };
        let found = if place.starts_with('/') { body.pointer(place) } else { body.get(place) };
        match found {
            Some(Value::String(text)) => text.clone(),
            Some(other) => other.to_string(),
            None => String::new(),
        }
    }
}

fn fact_to_text(fact: &FieldValue<'_>) -> String {
    match fact {
        FieldValue::Text(text) => text.clone().into_owned(),
        FieldValue::Texts(texts) => texts.join(","),
        _ => String::new(),
    }
}

impl MatchSource for IncomingRequest<'_> {
    fn read_field(&self, field: MatchField<'_>) -> FieldValue<'_> {
        let uri = &self.parts.uri;
        match field {
            MatchField::Operation => FieldValue::from_text(self.operation.name),
            MatchField::Method => FieldValue::from_text(self.parts.method.as_str()),
            MatchField::Path => FieldValue::from_text(path_in_world(uri.path())),
            MatchField::Url => {
                FieldValue::from_text(path_in_world(uri.path_and_query().map_or(uri.path(), |target| target.as_str())))
            }
            MatchField::Key => FieldValue::Text(String::from_utf8_lossy(self.key)),
            MatchField::Direction => FieldValue::from_text("in"),
            MatchField::Status | MatchField::Rule => FieldValue::Absent,
            MatchField::Header(name) => {
                let values = self.parts.headers.get_all(name).iter();
                FieldValue::from_values(values.map(|value| String::from_utf8_lossy(value.as_bytes())).collect())
            }
            MatchField::Query(name) => {
                let values = query_pairs(self.query()).filter(|(key, _)| key == name);
                FieldValue::from_values(values.map(|(_, value)| Cow::Owned(value)).collect())
            }
            MatchField::Body if self.body.is_empty() => FieldValue::Absent,
            MatchField::Body => FieldValue::Bytes(self.body.into()),
        }
    }
}

/// Returns the names and values of a query, decoded.
pub(super) fn query_pairs(query: &str) -> impl Iterator<Item = (String, String)> {
    url::form_urlencoded::parse(query.as_bytes()).map(|(name, value)| (name.into_owned(), value.into_owned()))
}

#[cfg(test)]
pub(super) mod tests {
    use roost_wire::OperationId;

    use super::*;

    /// Builds the head of a POST request.
    pub(crate) fn request_head(target: &str, headers: &[(&str, &str)]) -> request::Parts {
        let mut builder = axum::http::Request::builder().method("POST").uri(target);
        for (name, value) in headers {
            builder = builder.header(*name, *value);
        }
        builder.body(()).expect("a request").into_parts().0
    }

    #[test]
    fn values_are_found_where_a_rule_points() {
        let parts = request_head("/contacts/v1/contacts?a=1&b=x%20y&a=2", &[("X-Run", "7")]);
        let body = br#"{"correlation_id":"c-1","list":{"id":5}}"#;
        let operation = OperationId::ContactsCreate.operation();
        let request = IncomingRequest { operation, parts: &parts, key: b"k", body };
        for (place, want) in [
            ("key", "k"),
            ("operation", "contacts.create"),
            ("path", "/contacts/v1/contacts"),
            ("header:x-run", "7"),
            ("header:none", ""),
            ("query:b", "x y"),
            ("query:a", "1,2"),
            ("correlation_id", "c-1"),
            ("/list/id", "5"),
            ("nothing", ""),
        ] {
            assert_eq!(request.value_at(place), want, "{place}");
        }
    }
}
