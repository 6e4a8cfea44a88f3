//! An incoming request as the matchers of fault rules see it.

use std::borrow::Cow;

use axum::http::request;
use roost_wire::Operation;
use serde_json::Value;

use crate::journal::{Fact, Facts, Field, in_world};

/// A request that was admitted, is within its limits and has its whole body. The operation has not run yet.
#[derive(Clone, Copy)]
pub struct Request<'a> {
    pub operation: &'a Operation,
    pub parts: &'a request::Parts,
    pub key: &'a [u8],
    pub body: &'a [u8],
}

impl Request<'_> {
    pub fn query(&self) -> &str {
        self.parts.uri.query().unwrap_or_default()
    }

    /// Returns the value at the place that `per_key_of` names.
    pub fn value_of(&self, place: &str) -> String {
        let fact = match place {
            "key" => self.field(Field::Key),
            "operation" => self.field(Field::Operation),
            "path" => self.field(Field::Path),
            _ => match place.split_once(':') {
                Some(("header", name)) => return written(&self.field(Field::Header(&name.to_ascii_lowercase()))),
                Some(("query", name)) => return written(&self.field(Field::Query(name))),
                _ => return self.in_body(place),
            },
        };
        written(&fact)
    }

    fn in_body(&self, place: &str) -> String {
        let Ok(body) = serde_json::from_slice::<Value>(self.body) else { return String::new() };
        let found = if place.starts_with('/') { body.pointer(place) } else { body.get(place) };
        match found {
            Some(Value::String(text)) => text.clone(),
            Some(other) => other.to_string(),
            None => String::new(),
        }
    }
}

fn written(fact: &Fact<'_>) -> String {
    match fact {
        Fact::Text(text) => text.clone().into_owned(),
        Fact::Texts(texts) => texts.join(","),
        _ => String::new(),
    }
}

impl Facts for Request<'_> {
    fn field(&self, field: Field<'_>) -> Fact<'_> {
        let uri = &self.parts.uri;
        match field {
            Field::Operation => Fact::text(self.operation.name),
            Field::Method => Fact::text(self.parts.method.as_str()),
            Field::Path => Fact::text(in_world(uri.path())),
            Field::Url => Fact::text(in_world(uri.path_and_query().map_or(uri.path(), |target| target.as_str()))),
            Field::Key => Fact::Text(String::from_utf8_lossy(self.key)),
            Field::Direction => Fact::text("in"),
            Field::Status | Field::Rule => Fact::Absent,
            Field::Header(name) => {
                let values = self.parts.headers.get_all(name).iter();
                Fact::all(values.map(|value| String::from_utf8_lossy(value.as_bytes())).collect())
            }
            Field::Query(name) => {
                let values = pairs(self.query()).filter(|(key, _)| key == name);
                Fact::all(values.map(|(_, value)| Cow::Owned(value)).collect())
            }
            Field::Body if self.body.is_empty() => Fact::Absent,
            Field::Body => Fact::Bytes(self.body.into()),
        }
    }
}

/// Returns the names and values of a query, decoded.
pub fn pairs(query: &str) -> impl Iterator<Item = (String, String)> {
    url::form_urlencoded::parse(query.as_bytes()).map(|(name, value)| (name.into_owned(), value.into_owned()))
}

#[cfg(test)]
pub mod tests {
    use roost_wire::OperationId;

    use super::*;

    /// Builds the head of a POST request.
    pub fn head(target: &str, headers: &[(&str, &str)]) -> request::Parts {
        let mut builder = axum::http::Request::builder().method("POST").uri(target);
        for (name, value) in headers {
            builder = builder.header(*name, *value);
        }
        builder.body(()).expect("a request").into_parts().0
    }

    #[test]
    fn values_are_found_where_a_rule_points() {
        let parts = head("/contacts/v1/contacts?a=1&b=x%20y&a=2", &[("X-Run", "7")]);
        let body = br#"{"correlation_id":"c-1","list":{"id":5}}"#;
        let operation = OperationId::ContactsCreate.operation();
        let request = Request { operation, parts: &parts, key: b"k", body };
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
            assert_eq!(request.value_of(place), want, "{place}");
        }
    }
}
