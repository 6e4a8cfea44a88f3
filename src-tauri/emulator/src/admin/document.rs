//! Builds the OpenAPI 3.1 document of the admin interface from the table of its routes.

use std::{convert::Infallible, sync::LazyLock};

use axum::{body::Body, http::StatusCode};
use bytes::Bytes;
use futures_util::stream;
use roost_ops::AccountResource;
use roost_wire::openapi::{OpenApiDocument, json_body, json_response, path_parameter, query_parameter};
use serde_json::{Map, Value, json};

use super::{
    error::{AdminError, AdminErrorBody},
    index::VERSION,
    route::{AdminAct, AdminRoute, HostRequest, MAX_PAGE_SIZE, RouteAccess, RouteSubject},
    table::admin_routes,
};
use crate::{
    http::response::{HttpResponse, JSON_TYPE, typed_response},
    settings::HumanDuration,
};

/// Builds the OpenAPI document of the admin interface.
pub fn admin_document() -> Value {
    let mut document = OpenApiDocument::default();
    // A route of a world named by the path equals the route of the token's world at another server, so it is described
    // once.
    for route in admin_routes().iter().filter(|route| route.subject != RouteSubject::NamedWorld) {
        // The health routes exist at two paths and are described once.
        let Some(path) = route.path.strip_prefix(ROOT) else { continue };
        let described = describe_route(&mut document, route);
        document.add_operation(route.method, if path.is_empty() { "/" } else { path }, described);
    }
    let info = json!({
        "title": "Roost admin interface",
        "version": VERSION,
        "description": "Controls the emulator: everything that the service's own web application does, and everything \
         that tests need beyond it.",
    });
    let mut document = document.finish(info, ("token", json!({ "type": "http", "scheme": "bearer" })));
    if let Some(schemas) = document["components"]["schemas"].as_object_mut() {
        name_variant_objects(schemas);
        schemas.values_mut().for_each(merge_constants);
    }
    spell_out_anything(&mut document);
    document["servers"] = json!([
        { "url": ROOT, "description": "The token's world. With the server's token, the default world" },
        {
            "url": format!("{ROOT}/worlds/{{world}}"),
            "description": "The named world",
            "variables": { "world": { "default": "default", "description": "The world's name" } },
        },
    ]);
    document
}

/// Merges the constants of a choice into one enumeration whose description explains each of them, because client
/// generators do not support a choice of constants.
fn merge_constants(schema: &mut Value) {
    let Some(variants) = schema.get_mut("oneOf").and_then(Value::as_array_mut) else { return };
    let is_word = |variant: &Value| variant["const"].is_string() || variant["enum"].is_array();
    let (words, mut others): (Vec<Value>, Vec<Value>) = variants.drain(..).partition(is_word);
    let named = |variant: &Value| -> Vec<Value> {
        variant["enum"].as_array().cloned().unwrap_or_else(|| vec![variant["const"].clone()])
    };
    let descriptions = words
        .iter()
        .filter_map(|variant| Some(format!("`{}`: {}", variant["const"].as_str()?, variant["description"].as_str()?)));
    let descriptions = descriptions.collect::<Vec<_>>().join(" ");
    let all: Vec<Value> = words.iter().flat_map(named).collect();
    if all.is_empty() {
        *variants = others;
        return;
    }
    let mut word = json!({ "type": "string", "enum": all });
    if others.is_empty() {
        let before = schema["description"].as_str().map(|text| format!("{text} ")).unwrap_or_default();
        if let Some(map) = schema.as_object_mut() {
            map.remove("oneOf");
        }
        word["description"] = json!(format!("{before}{descriptions}").trim_end());
        *schema = word;
        return;
    }
    if !descriptions.is_empty() {
        word["description"] = json!(descriptions);
    }
    others.insert(0, word);
    *variants = others;
}

/// Names every object that a variant holds, such as `LatencyUniform`, because client generators need a name for it.
fn name_variant_objects(schemas: &mut Map<String, Value>) {
    let mut named = Map::new();
    for (name, schema) in schemas.iter_mut() {
        for variants in ["oneOf", "anyOf"] {
            for variant in schema.get_mut(variants).and_then(Value::as_array_mut).into_iter().flatten() {
                let fields = variant.get_mut("properties").and_then(Value::as_object_mut);
                for (field, inner) in fields.into_iter().flatten() {
                    if inner["properties"].is_object() {
                        let name = format!("{name}{}", to_camel_case(field));
                        let reference = json!({ "$ref": format!("#/components/schemas/{name}") });
                        named.insert(name, std::mem::replace(inner, reference));
                    }
                }
            }
        }
    }
    schemas.append(&mut named);
}

fn to_camel_case(name: &str) -> String {
    let word = |word: &str| word[..1].to_ascii_uppercase() + &word[1..];
    name.split('_').filter(|part| !part.is_empty()).map(word).collect()
}

/// Replaces the schema `true` by `{}`, which means the same, because client generators do not support `true`.
fn spell_out_anything(value: &mut Value) {
    match value {
        Value::Object(map) => {
            for (key, inner) in map.iter_mut() {
                if key == "schema" && *inner == Value::Bool(true) {
                    *inner = json!({});
                }
                if key == "properties" {
                    let any = inner.as_object_mut().into_iter().flatten().map(|(_, schema)| schema);
                    any.filter(|schema| **schema == Value::Bool(true)).for_each(|schema| *schema = json!({}));
                }
                spell_out_anything(inner);
            }
        }
        Value::Array(items) => items.iter_mut().for_each(spell_out_anything),
        _ => {}
    }
}

/// The path below which the paths of the document are.
const ROOT: &str = "/__admin";

/// Built once, like the document of the interface.
static DOCUMENT: LazyLock<Bytes> = LazyLock::new(|| admin_document().to_string().into());
/// The size of a piece. A connection copies only one piece of the document at a time.
const PIECE_SIZE: usize = 64 * 1024;

/// Answers with the OpenAPI document, in pieces.
pub(super) async fn show_document(_: HostRequest) -> Result<HttpResponse, AdminError> {
    let mut rest = DOCUMENT.clone();
    let pieces = std::iter::from_fn(move || {
        let piece = rest.split_to(rest.len().min(PIECE_SIZE));
        (!piece.is_empty()).then_some(Ok::<_, Infallible>(piece))
    });
    Ok(typed_response(StatusCode::OK, Body::from_stream(stream::iter(pieces)), JSON_TYPE))
}

fn describe_route(document: &mut OpenApiDocument, route: &AdminRoute) -> Value {
    let mut parameters: Vec<Value> = route
        .path
        .split('/')
        .filter_map(|s| s.strip_prefix('{')?.strip_suffix('}'))
        .map(describe_path_parameter)
        .collect();
    if route.is_paged {
        let number_schema = |max: i64| json!({ "anyOf": [{ "type": "integer", "minimum": 1, "maximum": max }, { "type": "string", "pattern": "^ *$" }] });
        parameters.push(query_parameter("page_number", "Default 1.", number_schema(i64::from(i32::MAX))));
        parameters.push(query_parameter("page_size", "Default 100.", number_schema(i64::from(MAX_PAGE_SIZE))));
    }
    for name in route.queries {
        let schema = match *name {
            "wait" => document.response_schema::<HumanDuration>(),
            _ => json!({ "type": "string" }),
        };
        parameters.push(query_parameter(name, describe_query_parameter(route, name).unwrap_or("Optional."), schema));
    }
    let mut described = json!({ "operationId": route.name, "summary": route.summary, "parameters": parameters });
    if !route.accepts_world_token() || route.path == ROOT {
        described["servers"] = match admin_routes().iter().any(|other| format!("{ROOT}{}", other.path) == route.path) {
            true => json!([{ "url": ROOT }, { "url": "/" }]),
            false => json!([{ "url": ROOT }]),
        };
    }
    if let Some(schema) = route.request {
        described["requestBody"] = json_body(schema(document));
    }
    let mut responses = Map::new();
    let success = match route.answer {
        Some(schema) => {
            let schema = schema(document);
            if let Some(status) = route.denial_status {
                responses.insert(status.to_string(), json_response("The condition does not hold.", schema.clone()));
            }
            let mut content = json!({ route.media: { "schema": schema } });
            for media in route.other_media {
                content[*media] = json!({ "schema": { "type": "string" } });
            }
            json!({ "description": "Done.", "content": content })
        }
        None => json!({ "description": "Done." }),
    };
    responses.insert(route.status.to_string(), success);
    let error = document.response_schema::<AdminErrorBody<'static>>();
    let mut statuses = vec![
        ("403", "A page of another origin sent the request, or the token is for another world."),
        ("413", "The body is larger than 64 MiB."),
        ("421", "The request names a host that this server does not serve."),
        ("500", "The server failed."),
        ("503", "The server is busy or not ready. The hint says what to do."),
    ];
    if route.access == RouteAccess::Token {
        statuses.push(("401", "The admin token is missing or wrong."));
    } else {
        described["security"] = json!([]);
    }
    statuses.push(("400", "The request is invalid."));
    let may_not_fit = !route.is_open() && matches!(route.act, AdminAct::Host(_) | AdminAct::Response(_));
    let acts = route.method == "POST" || route.status == 204;
    if route.request.is_some() || acts || may_not_fit {
        statuses.push(("409", "The request conflicts with the current state."));
    }
    if route.denial_status.is_some() {
        statuses.push(("503", "The server stopped before the result was known."));
    }
    statuses.extend([("404", "Not found."), ("405", "The path does not support this method.")]);
    for (status, description) in statuses {
        responses.insert(status.to_owned(), json_response(description, error.clone()));
    }
    described["responses"] = Value::Object(responses);
    described
}

/// Returns the description of a query parameter. Every parameter may be left out.
fn describe_query_parameter(route: &AdminRoute, name: &str) -> Option<&'static str> {
    let place = route.path.rsplit('/').next().unwrap_or_default();
    Some(match (name, place) {
        ("page_number", _) => "Default 1.",
        ("page_size", _) => "Default 100.",
        ("since", _) => "Only entries after this position: the `next` of an earlier response.",
        ("wait", _) => "How long to wait for an entry, for example 5s. At most 300s, in real time.",
        ("count", _) => "With wait: how many calls after since to wait for. Default 1.",
        ("limit", _) => "The most entries to return. All of them are counted.",
        ("filter", _) => "Pairs such as operation:contacts.create, status:4xx, method:POST, rule:NAME, body:TEXT.",
        ("stable", _) => "true leaves out what differs between identical runs: real times, durations and some headers.",
        ("before", _) => "Only lines before this one.",
        ("ignore", _) => "Resources and fields to ignore, separated by commas: jobs, lists.updated_at.",
        ("keep", _) => "What to keep, separated by commas: settings, limits, faults, journal, clock, random.",
        ("mode", "reset") => {
            "What happens to work in progress: cancel (the default) ends it without a response, drain waits for it."
        }
        ("mode", _) => "replace or merge. Required.",
        ("dry_run", _) => "true only counts what a replacement would remove and import. Nothing is changed.",
        ("opt_outs", _) => {
            "How many opt-outs this removes. The request is refused unless the number is exact. Required when a \
             protected account file would lose any."
        }
        ("keep_copy", _) => "true saves what is replaced, as a file beside the account or as a snapshot.",
        ("once", _) => "true leaves the state that a reset returns to unchanged.",
        ("format", "import") => "world for a world file. Leave it out for a seed or an account file.",
        ("format", _) => "json (the default), yaml, ndjson, sqlite or world.",
        ("at", _) => "The number of a request in the journal, or 0 for the state before the first one. Required.",
        ("state", _) => "waiting, held, delivered or given_up.",
        ("correlation_id", _) => "Only those with this correlation_id.",
        ("went", _) => "true adds details of each attempt.",
        ("outcome", _) => "imported, merged, skipped or failed.",
        ("list_uid", _) => "For contacts: the list they are in.",
        ("q", _) => "Only records whose id, name or number contains this text, in upper or lower case.",
        ("record", _) => "One record as a seed. lists/LST_… includes the list's contacts.",
        ("contacts", _) => "With the record of a list: include at most this many of its contacts, newest first.",
        ("operation", _) => "Only behaviours of this operation.",
        ("mark", _) => "Only behaviours with this mark: documented, inferred or assumed.",
        _ => return None,
    })
}

fn describe_path_parameter(name: &str) -> Value {
    let schema = match name {
        "sender_id" => json!({ "type": "string", "pattern": "^ssd_[0-9A-Za-z]{27}$" }),
        "asset_id" => json!({ "type": "string", "pattern": "^(num|wbp)_[0-9A-Za-z]{27}$" }),
        "list_uid" => json!({ "type": "string", "pattern": "^LST_[0-9A-Za-z]{27}$" }),
        "link_id" => json!({ "type": "string", "pattern": "^shl_[0-9A-Za-z]{27}$" }),
        "world" | "snapshot" | "other" | "hook" => {
            json!({ "type": "string", "pattern": crate::access::NAME_PATTERN })
        }
        // Matches the names of rules and of magic numbers.
        "fault" => json!({ "type": "string", "pattern": "^[a-z0-9][a-z0-9-]{0,63}$" }),
        "number" => json!({ "type": "integer", "minimum": 1, "maximum": roost_model::custom_field::NUMBER_MAX }),
        "resource" => json!({ "type": "string", "enum": AccountResource::ALL.map(AccountResource::as_str) }),
        "key" => json!({ "type": "string", "minLength": 1 }),
        // The numbers of jobs, callbacks and journal lines.
        _ => json!({ "type": "integer", "minimum": 1, "maximum": i64::MAX }),
    };
    path_parameter(name, schema)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_parameter_of_a_query_says_what_it_is_for() {
        for route in admin_routes() {
            for name in route.queries {
                assert!(describe_query_parameter(route, name).is_some(), "{} {name}", route.path);
            }
        }
    }

    #[test]
    fn every_route_is_described() {
        let document = admin_document();
        for route in admin_routes().iter().filter(|route| route.subject != RouteSubject::NamedWorld) {
            let Some(path) = route.path.strip_prefix(ROOT) else { continue };
            let path = if path.is_empty() { "/" } else { path };
            let described = &document["paths"][path][route.method.to_ascii_lowercase()];
            assert_eq!(described["operationId"], route.name);
            assert!(described["responses"][route.status.to_string()].is_object(), "{}", route.name);
            assert_eq!(described["responses"]["401"].is_object(), !route.is_open(), "{}", route.name);
        }
    }
}
