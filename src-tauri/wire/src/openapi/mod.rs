//! Generates OpenAPI 3.1 from the table of operations and the Rust types.

mod interface;
mod parameters;

use schemars::{JsonSchema, SchemaGenerator, generate::SchemaSettings};
use serde_json::{Map, Value, json};

pub use interface::interface_document;

/// Collects operations and the schemas to which they refer.
pub struct OpenApiDocument {
    /// Schemas of what is read and of what is written. They differ in the keys that may be left out.
    requests: SchemaGenerator,
    answers: SchemaGenerator,
    paths: Map<String, Value>,
}

impl Default for OpenApiDocument {
    fn default() -> Self {
        let settings = || {
            let mut settings = SchemaSettings::draft2020_12();
            settings.definitions_path = "/components/schemas".into();
            settings.meta_schema = None;
            settings
        };
        Self {
            requests: settings().for_deserialize().into_generator(),
            answers: settings().for_serialize().into_generator(),
            paths: Map::new(),
        }
    }
}

impl OpenApiDocument {
    pub fn request_schema<T: JsonSchema>(&mut self) -> Value {
        self.requests.subschema_for::<T>().to_value()
    }

    pub fn response_schema<T: JsonSchema>(&mut self) -> Value {
        self.answers.subschema_for::<T>().to_value()
    }

    pub fn add_operation(&mut self, method: &str, path: &str, operation: Value) {
        let item = self.paths.entry(path).or_insert_with(|| json!({}));
        if let Some(item) = item.as_object_mut() {
            item.insert(method.to_ascii_lowercase(), operation);
        }
    }

    /// Returns the whole document. `security` is the name and the description of the scheme.
    pub fn finish(mut self, info: Value, security: (&str, Value)) -> Value {
        let mut schemas = self.requests.take_definitions(true);
        for (name, mut answer) in self.answers.take_definitions(true) {
            // A type that is both read and written requires only the keys that a request must have.
            if let (Some(request), Some(answer)) = (schemas.get(&name), answer.as_object_mut()) {
                match request.get("required") {
                    Some(required) => answer.insert("required".to_owned(), required.clone()),
                    None => answer.remove("required"),
                };
            }
            schemas.insert(name, answer);
        }
        let (name, scheme) = security;
        json!({
            "openapi": "3.1.0",
            "info": info,
            "paths": self.paths,
            "components": { "schemas": schemas, "securitySchemes": { name: scheme } },
            "security": [{ name: [] }],
        })
    }
}

/// Describes a response with a JSON body.
pub fn json_response(description: &str, schema: Value) -> Value {
    json!({ "description": description, "content": { "application/json": { "schema": schema } } })
}

/// Describes a required JSON body.
pub fn json_body(schema: Value) -> Value {
    json!({ "required": true, "content": { "application/json": { "schema": schema } } })
}

/// Describes a parameter in the path.
pub fn path_parameter(name: &str, schema: Value) -> Value {
    json!({ "name": name, "in": "path", "required": true, "schema": schema })
}

/// Describes an optional parameter of the query.
pub fn query_parameter(name: &str, description: &str, schema: Value) -> Value {
    json!({ "name": name, "in": "query", "required": false, "description": description, "schema": schema })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::OPERATIONS;

    fn references(value: &Value, found: &mut BTreeSet<String>) {
        match value {
            Value::Object(map) => {
                if let Some(Value::String(reference)) = map.get("$ref") {
                    found.insert(reference.clone());
                }
                map.values().for_each(|v| references(v, found));
            }
            Value::Array(items) => items.iter().for_each(|v| references(v, found)),
            _ => {}
        }
    }

    #[test]
    fn every_operation_is_described_and_every_reference_leads_somewhere() {
        let document = interface_document();
        for operation in OPERATIONS {
            let item = &document["paths"][operation.path][operation.method.as_str().to_ascii_lowercase()];
            assert_eq!(item["operationId"], operation.name);
            for status in ["401", "403", "413", "429", "500"] {
                assert!(item["responses"][status].is_object(), "{} {status}", operation.name);
            }
        }
        let mut found = BTreeSet::new();
        references(&document, &mut found);
        assert!(!found.is_empty());
        for reference in found {
            let pointer = reference.trim_start_matches('#');
            assert!(document.pointer(pointer).is_some(), "{reference}");
        }
    }

    #[test]
    fn the_callback_of_a_job_is_described() {
        let document = interface_document();
        let callback =
            &document["paths"]["/contacts/v1/contacts"]["post"]["callbacks"]["ended"]["{$request.body#/callback_url}"];
        let schema = &callback["post"]["requestBody"]["content"]["application/json"]["schema"];
        assert_eq!(schema["$ref"], "#/components/schemas/JobEnded");
    }

    #[test]
    fn a_type_used_both_ways_requires_only_what_a_request_must_have() {
        #[derive(serde::Serialize, serde::Deserialize, JsonSchema)]
        struct Policy {
            name: String,
            #[serde(default)]
            parts: u32,
        }
        let mut document = OpenApiDocument::default();
        document.response_schema::<Policy>();
        document.request_schema::<Policy>();
        let finished = document.finish(json!({}), ("key", json!({})));
        assert_eq!(finished["components"]["schemas"]["Policy"]["required"], json!(["name"]));
    }

    #[test]
    fn what_is_written_is_required_even_when_null() {
        let document = interface_document();
        let schemas = &document["components"]["schemas"];
        let required = |name: &str| schemas[name]["required"].as_array().map_or(0, Vec::len);
        assert_eq!(required("Sender"), 3);
        assert_eq!(required("ShortLink"), 7);
        assert_eq!(required("OptOut"), 5, "asset fields only where they belong");
        assert_eq!(schemas["NewContact"]["required"], Value::Null);
        assert_eq!(schemas["ListCreate"]["required"], json!(["name"]));
    }
}
