//! Builds the OpenAPI 3.1 document of the admin interface from the table of its routes.

use std::{convert::Infallible, sync::LazyLock};

use axum::{body::Body, http::StatusCode};
use bytes::Bytes;
use futures_util::stream;
use roost_ops::AccountResource;
use roost_wire::openapi::{OpenApiDocument, json_body, json_response, path_parameter, query_parameter};
use serde_json::{Map, Value, json};

use super::{
    index::VERSION,
    refused::{ErrorBody, Refused},
    route::{Access, Act, AdminRoute, MOST, Place, Whole},
    table::admin_routes,
};
use crate::{
    door::answer::{HttpResponse, JSON, with_type},
    faults::Span,
};

/// Builds the OpenAPI document of the admin interface.
pub fn admin_document() -> Value {
    let mut document = OpenApiDocument::default();
    // A route of a world named by the path equals the route of the token's world at another server, so it is described
    // once.
    for route in admin_routes().iter().filter(|route| route.place != Place::Within) {
        // The health routes exist at two paths and are described once.
        let Some(path) = route.path.strip_prefix(ROOT) else { continue };
        let described = describe(&mut document, route);
        document.add_operation(route.method, if path.is_empty() { "/" } else { path }, described);
    }
    let info = json!({
        "title": "Roost admin interface",
        "version": VERSION,
        "description": "What the service's own web application does for it, and what tests need beyond that.",
    });
    let mut document = document.finish(info, ("token", json!({ "type": "http", "scheme": "bearer" })));
    if let Some(schemas) = document["components"]["schemas"].as_object_mut() {
        name_objects_of_variants(schemas);
        schemas.values_mut().for_each(gather_words);
    }
    spell_out_anything(&mut document);
    document["servers"] = json!([
        { "url": ROOT, "description": "The world of the token; with the server's token, the default world" },
        {
            "url": format!("{ROOT}/worlds/{{world}}"),
            "description": "The named world",
            "variables": { "world": { "default": "default", "description": "The name of a world" } },
        },
    ]);
    document
}

/// Merges the constants of a choice into one enumeration whose description explains each of them, because client
/// generators do not support a choice of constants.
fn gather_words(schema: &mut Value) {
    let Some(variants) = schema.get_mut("oneOf").and_then(Value::as_array_mut) else { return };
    let is_word = |variant: &Value| variant["const"].is_string() || variant["enum"].is_array();
    let (words, mut others): (Vec<Value>, Vec<Value>) = variants.drain(..).partition(is_word);
    let named = |variant: &Value| -> Vec<Value> {
        variant["enum"].as_array().cloned().unwrap_or_else(|| vec![variant["const"].clone()])
    };
    let told = words
        .iter()
        .filter_map(|variant| Some(format!("`{}`: {}", variant["const"].as_str()?, variant["description"].as_str()?)));
    let told = told.collect::<Vec<_>>().join(" ");
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
        word["description"] = json!(format!("{before}{told}").trim_end());
        *schema = word;
        return;
    }
    if !told.is_empty() {
        word["description"] = json!(told);
    }
    others.insert(0, word);
    *variants = others;
}

/// Names every object that a variant holds, such as `LatencyUniform`, because client generators need a name for it.
fn name_objects_of_variants(schemas: &mut Map<String, Value>) {
    let mut named = Map::new();
    for (name, schema) in schemas.iter_mut() {
        for variants in ["oneOf", "anyOf"] {
            for variant in schema.get_mut(variants).and_then(Value::as_array_mut).into_iter().flatten() {
                let fields = variant.get_mut("properties").and_then(Value::as_object_mut);
                for (field, inner) in fields.into_iter().flatten() {
                    if inner["properties"].is_object() {
                        let name = format!("{name}{}", camel_case(field));
                        let reference = json!({ "$ref": format!("#/components/schemas/{name}") });
                        named.insert(name, std::mem::replace(inner, reference));
                    }
                }
            }
        }
    }
    schemas.append(&mut named);
}

fn camel_case(name: &str) -> String {
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
const PIECE: usize = 64 * 1024;

/// Answers with the OpenAPI document, in pieces.
pub(super) async fn show(_: Whole) -> Result<HttpResponse, Refused> {
    let mut rest = DOCUMENT.clone();
    let pieces = std::iter::from_fn(move || {
        let piece = rest.split_to(rest.len().min(PIECE));
        (!piece.is_empty()).then_some(Ok::<_, Infallible>(piece))
    });
    Ok(with_type(StatusCode::OK, Body::from_stream(stream::iter(pieces)), JSON))
}

fn describe(document: &mut OpenApiDocument, route: &AdminRoute) -> Value {
    let mut parameters: Vec<Value> =
        route.path.split('/').filter_map(|s| s.strip_prefix('{')?.strip_suffix('}')).map(parameter).collect();
    if route.is_paged {
        let whole = |max: i64| json!({ "anyOf": [{ "type": "integer", "minimum": 1, "maximum": max }, { "type": "string", "pattern": "^ *$" }] });
        parameters.push(query_parameter("page_number", "Default 1.", whole(i64::from(i32::MAX))));
        parameters.push(query_parameter("page_size", "Default 100.", whole(i64::from(MOST))));
    }
    for name in route.queries {
        let schema = match *name {
            "wait" => document.response_schema::<Span>(),
            _ => json!({ "type": "string" }),
        };
        parameters.push(query_parameter(name, query(route, name).unwrap_or("May be left out."), schema));
    }
    let mut described = json!({ "operationId": route.name, "summary": route.summary, "parameters": parameters });
    if !route.is_of_world() || route.path == ROOT {
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
            if let Some(status) = route.denies {
                responses.insert(status.to_string(), json_response("It is not so.", schema.clone()));
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
    let error = document.response_schema::<ErrorBody<'static>>();
    let mut statuses = vec![
        ("403", "A page of another origin asked, or the token is for another world."),
        ("413", "The body is larger than 64 MiB."),
        ("421", "The request names a host that this server does not answer to."),
        ("500", "The server failed."),
        ("503", "The server is busy or not ready; the hint says what to do."),
    ];
    if route.access == Access::Token {
        statuses.push(("401", "The admin token is missing or wrong."));
    } else {
        described["security"] = json!([]);
    }
    statuses.push(("400", "The request breaks a rule."));
    let may_not_fit = !route.is_open() && matches!(route.act, Act::Whole(_) | Act::Answers(_));
    let acts = route.method == "POST" || route.status == 204;
    if route.request.is_some() || acts || may_not_fit {
        statuses.push(("409", "The act does not fit the state of things."));
    }
    if route.denies.is_some() {
        statuses.push(("503", "The server stops, so it cannot be said."));
    }
    statuses.extend([("404", "Not found."), ("405", "The path has other methods.")]);
    for (status, description) in statuses {
        responses.insert(status.to_owned(), json_response(description, error.clone()));
    }
    described["responses"] = Value::Object(responses);
    described
}

/// Returns the description of a query parameter. Every parameter may be left out.
fn query(route: &AdminRoute, name: &str) -> Option<&'static str> {
    let place = route.path.rsplit('/').next().unwrap_or_default();
    Some(match (name, place) {
        ("page_number", _) => "Default 1.",
        ("page_size", _) => "Default 100.",
        ("since", _) => "Only what came after this place, which an answer calls next.",
        ("wait", _) => "How long to wait for it, such as 5s; at most 300s, in real time.",
        ("count", _) => "With wait: for how many calls after since; 1 when left out.",
        ("limit", _) => "How many at most; all are counted.",
        ("filter", _) => "Pairs such as operation:contacts.create, status:4xx, method:POST, rule:NAME, body:TEXT.",
        ("stable", _) => {
            "true leaves out what differs however alike two runs are: real times, durations, some headers."
        }
        ("before", _) => "Only the lines before this one.",
        ("ignore", _) => "Resources and fields that are of no interest, with commas between: jobs, lists.updated_at.",
        ("keep", _) => "What stays, with commas between: settings, limits, faults, journal, clock, random.",
        ("mode", "reset") => {
            "Whether what is under way ends without an answer, cancel (the default), or is waited for, drain."
        }
        ("mode", _) => "replace or merge; one of them has to be said.",
        ("dry_run", _) => "true counts what a replacement would remove and import, and changes nothing.",
        ("opt_outs", _) => {
            "How many opt-outs this removes; refused unless it is exactly that many. Needed where an account file that no seed made loses any."
        }
        ("keep_copy", _) => "true keeps what is replaced as a file beside the account, or as a snapshot.",
        ("once", _) => "true leaves what reset goes back to as it is.",
        ("format", "import") => "world for a world file; left out for a seed or an account file.",
        ("format", _) => "json (the default), yaml, ndjson, sqlite or world.",
        ("at", _) => {
            "The number of a request of the journal, or 0 for what was there before the first; it has to be said."
        }
        ("state", _) => "waiting, held, delivered or given_up.",
        ("correlation_id", _) => "Only those with this one.",
        ("went", _) => "true tells how each try went.",
        ("outcome", _) => "imported, merged, skipped or failed.",
        ("list_uid", _) => "Of contacts: the list they are in.",
        ("q", _) => "Only what has this in its id, its name or its number, in whatever case.",
        ("record", _) => "A seed of one record alone: lists/LST_… comes with its contacts.",
        ("contacts", _) => "With the record of a list: as many of its contacts at most, the newest.",
        ("operation", _) => "Only what is about this operation.",
        ("mark", _) => "Only what is marked so: documented, inferred or assumed.",
        _ => return None,
    })
}

fn parameter(name: &str) -> Value {
    let schema = match name {
        "sender_id" => json!({ "type": "string", "pattern": "^ssd_[0-9A-Za-z]{27}$" }),
        "asset_id" => json!({ "type": "string", "pattern": "^(num|wbp)_[0-9A-Za-z]{27}$" }),
        "list_uid" => json!({ "type": "string", "pattern": "^LST_[0-9A-Za-z]{27}$" }),
        "link_id" => json!({ "type": "string", "pattern": "^shl_[0-9A-Za-z]{27}$" }),
        "world" | "snapshot" | "other" | "hook" => json!({ "type": "string", "pattern": crate::world::NAME_PATTERN }),
        // Matches the names of rules and of magic numbers.
        "fault" => json!({ "type": "string", "pattern": "^[a-z0-9][a-z0-9-]{0,63}$" }),
        "number" => json!({ "type": "integer", "minimum": 1, "maximum": roost_model::custom_field::NUMBER_MAX }),
        "resource" => json!({ "type": "string", "enum": AccountResource::ALL.map(AccountResource::name) }),
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
                assert!(query(route, name).is_some(), "{} {name}", route.path);
            }
        }
    }

    #[test]
    fn every_route_is_described() {
        let document = admin_document();
        for route in admin_routes().iter().filter(|route| route.place != Place::Within) {
            let Some(path) = route.path.strip_prefix(ROOT) else { continue };
            let path = if path.is_empty() { "/" } else { path };
            let described = &document["paths"][path][route.method.to_ascii_lowercase()];
            assert_eq!(described["operationId"], route.name);
            assert!(described["responses"][route.status.to_string()].is_object(), "{}", route.name);
            assert_eq!(described["responses"]["401"].is_object(), !route.is_open(), "{}", route.name);
        }
    }
}
