//! Checks the types of the values in a body against the document of the interface, so that an error names the very
//! field: derived readers also accept a list for an object, and enumerations report a wrong type within the value.

use std::{cell::RefCell, collections::HashMap, fmt, sync::LazyLock};

use serde::de::{self, DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

use super::{super::document::admin_document, pointer};

/// A value whose type its field does not take.
#[derive(Debug, PartialEq, Eq)]
pub struct TypeMismatch {
    pub pointer: String,
    pub message: String,
}

/// The part of the document that describes bodies.
struct BodySchemas {
    components: Value,
    /// The schema of a body, by its method and path, such as `PUT /clock`.
    bodies: HashMap<String, Value>,
}

static BODY_SCHEMAS: LazyLock<BodySchemas> = LazyLock::new(|| {
    let mut document = admin_document();
    let mut bodies = HashMap::new();
    for (path, methods) in document["paths"].as_object().into_iter().flatten() {
        for (method, operation) in methods.as_object().into_iter().flatten() {
            if let Some(schema) = operation.pointer("/requestBody/content/application~1json/schema") {
                bodies.insert(format!("{} {path}", method.to_uppercase()), schema.clone());
            }
        }
    }
    BodySchemas { components: document["components"]["schemas"].take(), bodies }
});

/// The values that one or several alternative schemas allow.
#[derive(Default, Clone)]
struct AllowedValues<'s> {
    takes_anything: bool,
    types: Vec<&'s str>,
    /// The name of a type that is a text of a certain form.
    text_form: Option<&'static str>,
    properties: Vec<&'s Map<String, Value>>,
    /// The schemas of the values of a map.
    map_values: Vec<&'s Value>,
    items: Vec<&'s Value>,
}

impl<'s> AllowedValues<'s> {
    fn from_schemas(all: &'s BodySchemas, schemas: &[&'s Value]) -> Self {
        let mut allowed = Self::default();
        schemas.iter().for_each(|schema| allowed.add_schema(all, schema));
        allowed
    }

    fn add_schema(&mut self, all: &'s BodySchemas, schema: &'s Value) {
        if let Some(name) = schema["$ref"].as_str().and_then(|reference| reference.rsplit('/').next()) {
            if name == "Duration" {
                self.text_form = Some("a duration such as \"10s\"");
            }
            return self.add_schema(all, &all.components[name]);
        }
        let alternatives = [&schema["anyOf"], &schema["oneOf"]].into_iter().filter_map(Value::as_array).flatten();
        let alternatives: Vec<&Value> = alternatives.collect();
        if !alternatives.is_empty() {
            return alternatives.into_iter().for_each(|one| self.add_schema(all, one));
        }
        match &schema["type"] {
            Value::String(name) => self.types.push(name),
            Value::Array(names) => self.types.extend(names.iter().filter_map(Value::as_str)),
            _ => self.takes_anything = true,
        }
        self.properties.extend(schema["properties"].as_object());
        self.map_values.extend(Some(&schema["additionalProperties"]).filter(|values| values.is_object()));
        self.items.extend(Some(&schema["items"]).filter(|items| items.is_object()));
    }

    fn takes(&self, kind: &str) -> bool {
        // Whether a value can be left out by null is for the reader to say.
        self.takes_anything
            || kind == "null"
            || self.types.iter().any(|name| *name == kind || (kind == "number" && *name == "integer"))
    }

    fn describe(&self) -> String {
        let mut named: Vec<&str> = Vec::new();
        for name in &self.types {
            let type_name = match *name {
                "string" => self.text_form.unwrap_or("a text"),
                "integer" => "an integer",
                "number" => "a number",
                "boolean" => "true or false",
                "array" => "a list",
                "object" => "an object",
                _ => continue,
            };
            if !named.contains(&type_name) {
                named.push(type_name);
            }
        }
        named.join(" or ")
    }

    /// Returns the schemas of a property; none if nothing is known of it.
    fn schemas_of(&self, name: &str) -> Vec<&'s Value> {
        let own: Vec<&Value> = self.properties.iter().filter_map(|properties| properties.get(name)).collect();
        if own.is_empty() { self.map_values.clone() } else { own }
    }
}

/// The place that is being read, and the first mismatch.
#[derive(Default)]
struct CheckState {
    keys: Vec<String>,
    mismatch: Option<TypeMismatch>,
}

/// Checks one value and what is in it, without keeping anything of it.
struct TypeCheck<'s> {
    all: &'s BodySchemas,
    allowed: AllowedValues<'s>,
    state: &'s RefCell<CheckState>,
}

impl<'s> TypeCheck<'s> {
    fn within(&self, schemas: &[&'s Value], key: String) -> Self {
        self.state.borrow_mut().keys.push(key);
        Self { all: self.all, allowed: AllowedValues::from_schemas(self.all, schemas), state: self.state }
    }

    fn check<E: de::Error>(&self, kind: &str, given: impl FnOnce() -> String) -> Result<(), E> {
        if self.allowed.takes(kind) {
            return Ok(());
        }
        let mut state = self.state.borrow_mut();
        let pointer = pointer::from_keys(state.keys.iter().map(String::as_str));
        let message = format!("Expected {}, got {}", self.allowed.describe(), given());
        state.mismatch = Some(TypeMismatch { pointer, message });
        Err(E::custom("another type"))
    }

    fn leave(&self) {
        self.state.borrow_mut().keys.pop();
    }
}

impl<'de> DeserializeSeed<'de> for TypeCheck<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

/// The most characters of a text in a message.
const SHOWN_MAX: usize = 40;

impl<'de> Visitor<'de> for TypeCheck<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any valid JSON value")
    }

    fn visit_bool<E: de::Error>(self, value: bool) -> Result<(), E> {
        self.check("boolean", || value.to_string())
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<(), E> {
        self.check("number", || value.to_string())
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<(), E> {
        self.check("number", || value.to_string())
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<(), E> {
        self.check("number", || value.to_string())
    }

    fn visit_str<E: de::Error>(self, value: &str) -> Result<(), E> {
        self.check("string", || match value.char_indices().nth(SHOWN_MAX) {
            Some((end, _)) => format!("{:?}…", &value[..end]),
            None => format!("{value:?}"),
        })
    }

    fn visit_unit<E: de::Error>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        self.check::<A::Error>("array", || "a list".to_owned())?;
        if self.allowed.items.is_empty() {
            while items.next_element::<IgnoredAny>()?.is_some() {}
            return Ok(());
        }
        let mut at = 0_usize;
        loop {
            let item = items.next_element_seed(self.within(&self.allowed.items, at.to_string()))?;
            self.leave();
            if item.is_none() {
                return Ok(());
            }
            at += 1;
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<(), A::Error> {
        self.check::<A::Error>("object", || "an object".to_owned())?;
        while let Some(name) = fields.next_key::<String>()? {
            let schemas = self.allowed.schemas_of(&name);
            if schemas.is_empty() {
                fields.next_value::<IgnoredAny>()?;
            } else {
                fields.next_value_seed(self.within(&schemas, name))?;
                self.leave();
            }
        }
        Ok(())
    }
}

/// Returns the first value of a body whose type is not one that the document names. The reader of the body reports
/// everything else.
pub(crate) fn find_mismatch(method: &str, path: &str, body: &[u8]) -> Option<TypeMismatch> {
    let own = path.strip_prefix("/__admin")?;
    let described = own.strip_prefix("/worlds/{world}").filter(|rest| rest.starts_with('/')).unwrap_or(own);
    let all = &*BODY_SCHEMAS;
    let schema = all.bodies.get(&format!("{method} {described}"))?;
    let state = RefCell::new(CheckState::default());
    let check = TypeCheck { all, allowed: AllowedValues::from_schemas(all, &[schema]), state: &state };
    // A syntax error is reported by the reader of the body.
    let _ = check.deserialize(&mut serde_json::Deserializer::from_slice(body));
    state.into_inner().mismatch
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_value_of_another_type_is_found_with_what_it_should_be() {
        for (method, path, body, pointer, message) in [
            ("PUT", "/__admin/clock", r#"{"mode":[]}"#, "/mode", "Expected a text, got a list"),
            ("PUT", "/__admin/worlds/{world}/clock", r#"{"mode":7}"#, "/mode", "Expected a text, got 7"),
            (
                "POST",
                "/__admin/faults/rules",
                r#"{"effect":{"latency":{"fixed":5}}}"#,
                "/effect/latency/fixed",
                "Expected a duration such as \"10s\", got 5",
            ),
            ("POST", "/__admin/faults/rules", r#"{"effect":[503]}"#, "/effect", "Expected an object, got a list"),
            (
                "PUT",
                "/__admin/hooks/{hook}",
                r#"{"then":"500"}"#,
                "/then",
                "Expected an integer or an object, got \"500\"",
            ),
            (
                "PUT",
                "/__admin/hooks/{hook}",
                r#"{"answers":[200,[]]}"#,
                "/answers/1",
                "Expected an integer or an object, got a list",
            ),
        ] {
            let want = TypeMismatch { pointer: pointer.to_owned(), message: message.to_owned() };
            assert_eq!(find_mismatch(method, path, body.as_bytes()), Some(want), "{body}");
        }
        for (path, body) in [
            ("/__admin/clock", r#"{"mode":"frozen","now":null,"other":[]}"#),
            ("/__admin/clock", "{"),
            ("/__admin/clock", r#"{"mode":"no such mode"}"#),
            ("/__admin/settings", r#"{"limits.per_second":"7","status.list_create":201}"#),
        ] {
            assert_eq!(find_mismatch("PUT", path, body.as_bytes()), None, "{body}");
        }
    }
}
