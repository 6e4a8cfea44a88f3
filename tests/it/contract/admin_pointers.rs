//! Sends a wrong type in every property of every body of the admin interface, as its document describes them, and
//! checks that the error points at that property.

use std::collections::{BTreeMap, BTreeSet};

use roost_emulator::{admin_document, admin_routes};
use roost_tests::{Request, Served, Setup, seeds};
use serde_json::{Map, Value, json};

/// The parts of a schema that say what a value may be.
#[derive(Default)]
struct AllowedValues<'d> {
    types: BTreeSet<&'static str>,
    /// Alternatives of an object, each with its own properties.
    objects: Vec<&'d Map<String, Value>>,
    items: Vec<&'d Value>,
    /// The schema of the values of a map.
    map_values: Option<&'d Value>,
}

const TYPES: [&str; 6] = ["object", "array", "boolean", "integer", "string", "null"];

fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Object(_) => "object",
        Value::Array(_) => "array",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Null => "null",
    }
}

fn collect_allowed<'d>(document: &'d Value, schema: &'d Value, allowed: &mut AllowedValues<'d>) {
    if let Some(reference) = schema["$ref"].as_str() {
        let target = document.pointer(reference.trim_start_matches('#')).expect("a schema");
        return collect_allowed(document, target, allowed);
    }
    let alternatives: Vec<&Value> =
        ["anyOf", "oneOf"].iter().filter_map(|key| schema[*key].as_array()).flatten().collect();
    if !alternatives.is_empty() {
        alternatives.into_iter().for_each(|one| collect_allowed(document, one, allowed));
        return;
    }
    let named = match &schema["type"] {
        Value::String(name) => vec![name.as_str()],
        Value::Array(names) => names.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    let chosen: Vec<&Value> = schema["enum"].as_array().into_iter().flatten().chain(schema.get("const")).collect();
    if named.is_empty() && chosen.is_empty() {
        // Anything goes, unless the description of a setting says otherwise.
        let is_setting = schema["description"].as_str().is_some_and(|text| text.starts_with("Takes "));
        allowed.types.extend(TYPES.iter().filter(|name| !(is_setting && **name == "object")));
        return;
    }
    for name in named {
        let name = if name == "number" { "integer" } else { name };
        allowed.types.insert(TYPES.into_iter().find(|one| *one == name).expect("a type"));
    }
    allowed.types.extend(chosen.into_iter().map(type_of));
    if let Some(properties) = schema["properties"].as_object() {
        allowed.objects.push(properties);
    }
    if schema["additionalProperties"].is_object() {
        allowed.map_values = Some(&schema["additionalProperties"]);
    }
    if schema["items"].is_object() {
        allowed.items.push(&schema["items"]);
    }
}

/// A body that is wrong in one place.
#[derive(Debug)]
struct WrongBody {
    body: Value,
    pointer: String,
}

/// Puts a value at a place inside of the body, with whatever is around it.
type Surround<'s> = &'s dyn Fn(Value) -> Value;

/// Collects a body for each place that a schema describes.
fn collect_wrong<'d>(
    document: &'d Value,
    schema: &'d Value,
    pointer: &str,
    surround: Surround<'_>,
    depth: usize,
    found: &mut Vec<WrongBody>,
) {
    let mut allowed = AllowedValues::default();
    collect_allowed(document, schema, &mut allowed);
    // Null stands for a value that is left out in many places.
    let samples = [json!([[]]), json!({ "wrong": {} }), json!(true), json!("\u{1}wrong"), json!(-1.5)];
    let wrong = samples.into_iter().find(|value| !allowed.types.contains(type_of(value)));
    if let Some(wrong) = wrong.filter(|_| !pointer.is_empty()) {
        found.push(WrongBody { body: surround(wrong), pointer: pointer.to_owned() });
    }
    if depth == 0 {
        return;
    }
    for properties in &allowed.objects {
        // A constant names the alternative, so it goes along with every other property.
        let named: Vec<(&String, &Value)> = properties
            .iter()
            .filter_map(|(name, schema)| Some((name, schema.get("const").or_else(|| schema["enum"].get(0))?)))
            .filter(|(name, _)| properties[*name].get("const").is_some() || name.as_str() == "kind")
            .collect();
        for (name, inner) in properties.iter() {
            let within = |value: Value| {
                let mut object: Map<String, Value> =
                    named.iter().map(|(name, value)| ((*name).clone(), (*value).clone())).collect();
                object.insert(name.clone(), value);
                surround(Value::Object(object))
            };
            collect_wrong(document, inner, &format!("{pointer}/{}", escape(name)), &within, depth - 1, found);
        }
    }
    if let Some(inner) = allowed.map_values {
        let within = |value: Value| surround(json!({ "x-any": value }));
        collect_wrong(document, inner, &format!("{pointer}/x-any"), &within, depth - 1, found);
    }
    for inner in &allowed.items {
        let within = |value: Value| surround(json!([value]));
        collect_wrong(document, inner, &format!("{pointer}/0"), &within, depth - 1, found);
    }
}

fn escape(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

/// How deep the places are that are tried.
const DEPTH: usize = 5;

/// A server with one record of each kind, and the parameters of paths that name them.
fn start_with_records() -> (Served, BTreeMap<&'static str, String>) {
    let list = seeds::id("LST_", "1");
    let api = Setup::new()
        .recording()
        .seed(json!({
            "senders": [{ "id": seeds::id("ssd_", "1"), "name": "Acme" }],
            "assets": [seeds::sms_asset("1", "+447700900100")],
            "custom_fields": [{ "number": 1, "label": "Shoe size" }],
            "lists": [seeds::filled_list(&list, "VIP", 1)],
            "short_links": [{ "link_id": seeds::id("shl_", "1"), "title": "Spring", "target_url": "https://example.com" }],
        }))
        .serve();
    let admin = api.admin();
    admin.put("/__admin/job_policy", &json!({ "progress": "manual" })).expect(200);
    admin.post("/__admin/snapshots", &json!({ "name": "full" })).expect(201);
    admin.post("/__admin/worlds", &json!({ "name": "other" })).expect(201);
    let parameters = BTreeMap::from([
        ("sender_id", seeds::id("ssd_", "1")),
        ("asset_id", seeds::id("num_", "1")),
        ("list_uid", list.clone()),
        ("link_id", seeds::id("shl_", "1")),
        ("world", "other".to_owned()),
        ("snapshot", "full".to_owned()),
        ("hook", "inbox".to_owned()),
        ("fault", "fault-1".to_owned()),
        ("number", "1".to_owned()),
        ("resource", "lists".to_owned()),
        ("key", list),
        ("job_id", "1".to_owned()),
    ]);
    (api, parameters)
}

#[test]
fn the_pointer_of_an_error_names_the_field_with_the_wrong_type_in_every_body_of_every_route() {
    let document = admin_document();
    let (api, parameters) = start_with_records();
    let admin = api.admin();
    let (mut tried, mut routes, mut broken) = (0, 0, Vec::new());
    for route in admin_routes() {
        let own = route.path.strip_prefix("/__admin").unwrap_or(route.path);
        let described = own.strip_prefix("/worlds/{world}").filter(|rest| rest.starts_with('/')).unwrap_or(own);
        let operation = &document["paths"][described][route.method.to_lowercase()];
        let schema = &operation["requestBody"]["content"]["application/json"]["schema"];
        if schema.is_null() {
            continue;
        }
        routes += 1;
        let path = parameters
            .iter()
            .fold(route.path.to_owned(), |path, (name, value)| path.replace(&format!("{{{name}}}"), value));
        assert!(!path.contains('{'), "{path}: give its parameters");
        let query = match described {
            "/import" => "?mode=merge",
            _ => "",
        };
        let mut wrong = Vec::new();
        collect_wrong(&document, schema, "", &|value| value, DEPTH, &mut wrong);
        assert!(
            !wrong.is_empty() || described.starts_with("/state/"),
            "{} {}: nothing to try",
            route.method,
            route.path
        );
        for WrongBody { body, pointer } in wrong {
            tried += 1;
            let answer = admin.send(Request::new(route.method, format!("{path}{query}")).json(&body));
            let error = match answer.status {
                400 => answer.json()["error"].clone(),
                _ => Value::Null,
            };
            let is_described = ["code", "message", "hint"]
                .iter()
                .all(|name| error[*name].as_str().is_some_and(|text| !text.is_empty()));
            if error["pointer"] != pointer || !is_described {
                broken.push(format!(
                    "{} {described} {body}: {pointer}, not {} {}",
                    route.method,
                    answer.status,
                    answer.text()
                ));
            }
        }
    }
    assert!(routes > 70 && tried > 700, "{routes} routes, {tried} bodies");
    broken.sort();
    broken.dedup();
    assert!(broken.is_empty(), "{} of {tried}:\n{}", broken.len(), broken.join("\n"));
}

#[test]
fn a_route_that_takes_no_body_refuses_one() {
    let document = admin_document();
    let (api, parameters) = start_with_records();
    let mut tried = 0;
    for route in admin_routes() {
        let own = route.path.strip_prefix("/__admin").unwrap_or(route.path);
        let described = own.strip_prefix("/worlds/{world}").filter(|rest| rest.starts_with('/')).unwrap_or(own);
        let operation = &document["paths"][described][route.method.to_lowercase()];
        if !operation["requestBody"].is_null() || route.method == "GET" || route.is_open() {
            continue;
        }
        let path = parameters
            .iter()
            .fold(route.path.to_owned(), |path, (name, value)| path.replace(&format!("{{{name}}}"), value));
        let answer = api.admin().send(Request::new(route.method, path).json(&json!({ "keep": ["faults"] })));
        assert_eq!(answer.status, 400, "{} {}: {}", route.method, route.path, answer.text());
        assert_eq!(answer.json()["error"]["code"], "bad_body", "{} {}", route.method, route.path);
        tried += 1;
    }
    assert!(tried > 30, "{tried}");
    api.admin().post("/__admin/reset", &json!({})).expect(200);
}

/// What `/state`, `/seed` and `/import` take has no schema, because records have the form of the service. The fields of
/// a stored record are tried instead.
#[test]
fn the_pointer_of_an_error_names_the_field_of_a_record() {
    let (api, _) = start_with_records();
    let admin = api.admin();
    admin.post("/__admin/web_opt_outs", &json!({ "number": "+447700900801" })).expect(201);
    let mut tried = 0;
    let mut broken = Vec::new();
    let mut check = |method: &str, path: &str, body: &Value, pointer: &str| {
        tried += 1;
        let answer = admin.send(Request::new(method, path).json(body));
        let given = if answer.status == 400 { answer.json()["error"]["pointer"].clone() } else { Value::Null };
        if given != pointer {
            broken.push(format!("{method} {path} {body}: {pointer}, not {} {}", answer.status, answer.text()));
        }
    };
    for (resource, id) in [
        ("senders", "id"),
        ("assets", "id"),
        ("custom_fields", "number"),
        ("lists", "uid"),
        ("contacts", "uid"),
        ("opt_outs", ""),
        ("short_links", "link_id"),
    ] {
        let record = admin.get(format!("/__admin/state/{resource}")).items().remove(0);
        let key = match record.get(id) {
            None => "%2B447700900801%20SMS".to_owned(),
            Some(key) => key.as_str().map_or_else(|| key.to_string(), str::to_owned),
        };
        for name in record.as_object().expect("a record").keys() {
            let mut wrong = record.clone();
            wrong[name] = json!({ "wrong": {} });
            if name != id {
                let change = json!({ name: { "wrong": {} } });
                check("PATCH", &format!("/__admin/state/{resource}/{key}"), &change, &format!("/{name}"));
            }
            if resource == "contacts" && name == "list_uid" {
                continue;
            }
            let (seed, pointer) = match resource {
                "contacts" => {
                    wrong.as_object_mut().expect("a record").remove("list_uid");
                    (json!({ "lists": [{ "name": "A", "contacts": [wrong] }] }), format!("/lists/0/contacts/0/{name}"))
                }
                _ => (json!({ resource: [wrong] }), format!("/{resource}/0/{name}")),
            };
            check("PUT", "/__admin/seed", &seed, &pointer);
            check("POST", "/__admin/import?mode=merge", &seed, &pointer);
        }
    }
    assert!(tried > 80, "{tried}");
    assert!(broken.is_empty(), "{} of {tried}:\n{}", broken.len(), broken.join("\n"));
}

#[test]
fn the_pointer_of_an_error_names_the_field_with_the_wrong_value() {
    let (api, _) = start_with_records();
    let admin = api.admin();
    let list = format!("/__admin/lists/{}", seeds::id("LST_", "1"));
    for (method, path, body, pointer) in [
        ("PATCH", "/__admin/settings", json!({ "limits.per_second": 0 }), json!("/limits.per_second")),
        ("PUT", "/__admin/settings", json!({ "limit.per_second": 1 }), json!("/limit.per_second")),
        ("POST", "/__admin/worlds", json!({ "settings": { "auth": "no" } }), json!("/settings/auth")),
        ("POST", "/__admin/worlds", json!({ "keys": ["long-enough", "short"] }), json!("/keys/1")),
        ("POST", "/__admin/worlds", json!({ "name": "Not Good" }), json!("/name")),
        ("POST", "/__admin/worlds", json!({ "clock": { "mode": "frozen", "now": "soon" } }), json!("/clock/now")),
        ("POST", "/__admin/worlds", json!({ "clock": { "mode": "scaled" } }), json!("/clock/rate")),
        ("PUT", "/__admin/clock", json!({ "mode": "scaled", "rate": 0 }), json!("/rate")),
        ("POST", "/__admin/assets", json!({ "channel": "FAX", "number": "+447700900101" }), json!("/channel")),
        ("POST", "/__admin/assets", json!({ "channel": "SMS", "number": "no" }), json!("/number")),
        ("POST", "/__admin/web_opt_outs", json!({ "number": "no" }), json!("/number")),
        ("POST", "/__admin/senders", json!({ "name": "?" }), json!("/name")),
        ("POST", "/__admin/custom_fields", json!({ "label": "" }), json!("/label")),
        ("PATCH", list.as_str(), json!({ "name": "" }), json!("/name")),
        ("PATCH", "/__admin/lists/LST_none", json!({ "name": "VIP" }), Value::Null),
        ("POST", "/__admin/journal/count", json!({ "path": { "contains": 5 } }), json!("/path/contains")),
        ("POST", "/__admin/journal/find", json!({ "match": {}, "limit": "x" }), json!("/limit")),
        (
            "POST",
            "/__admin/journal/find",
            json!({ "match": { "headers": { "X-Tag": [] } } }),
            json!("/match/headers/X-Tag"),
        ),
        ("POST", "/__admin/journal/verify", json!({ "match": { "status": "9xx" } }), json!("/match/status")),
        ("PUT", "/__admin/hooks/inbox", json!({ "then": { "status": "x" } }), json!("/then/status")),
        ("PUT", "/__admin/hooks/inbox", json!({ "answers": [200, { "delay": 5 }] }), json!("/answers/1/delay")),
        ("PUT", "/__admin/hooks/inbox", json!({ "answers": [200, 99] }), json!("/answers/1")),
        ("PUT", "/__admin/callback_policy", json!({ "drop": 2 }), json!("/drop")),
        ("PUT", "/__admin/job_policy", json!({ "progress": "rate", "per_second": 0 }), json!("/per_second")),
        ("PUT", "/__admin/faults/plan", json!({ "intensity": 2 }), json!("/intensity")),
        ("PUT", "/__admin/faults/profile", json!({ "name": "calm" }), json!("/name")),
        ("POST", "/__admin/snapshots", json!({ "name": "Not Good" }), json!("/name")),
        ("POST", "/__admin/faults/rules", json!({ "effect": [503] }), json!("/effect")),
        (
            "POST",
            "/__admin/inbound_messages",
            json!({ "from": "+447700900001", "asset_id": "x", "text": "" }),
            json!("/asset_id"),
        ),
    ] {
        let answer = admin.send(Request::new(method, path).json(&body)).expect(400);
        assert_eq!(answer.json()["error"]["pointer"], pointer, "{}", answer.shown());
    }
}
