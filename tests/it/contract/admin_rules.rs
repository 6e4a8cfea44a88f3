//! Checks the routes and the document of the admin interface against its rules (src-tauri/emulator/ADMIN.md).

use std::collections::{BTreeMap, BTreeSet};

use roost_emulator::{admin_document, admin_routes};
use roost_tests::{Request, Setup};
use serde_json::{Value, json};

/// Logs grow while they are read, so they have `next` instead of `paging`.
const LOGS: [&str; 2] = ["/requests", "/hooks/{hook}"];
/// Schemas whose property names are the names of settings.
const NAMED_BY_SETTINGS: [&str; 1] = ["Settings"];

struct SchemaProperty<'d> {
    /// The path of the property, for the message.
    place: String,
    name: &'d str,
    schema: &'d Value,
}

/// Collects every property of every schema, at any depth.
fn collect_properties<'d>(value: &'d Value, place: &str, found: &mut Vec<SchemaProperty<'d>>) {
    match value {
        Value::Object(map) => {
            for (name, schema) in map.get("properties").and_then(Value::as_object).into_iter().flatten() {
                found.push(SchemaProperty { place: format!("{place}.{name}"), name, schema });
            }
            for (key, inner) in map {
                collect_properties(inner, &format!("{place}/{key}"), found);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| collect_properties(item, place, found)),
        _ => {}
    }
}

fn component_schemas(document: &Value) -> &serde_json::Map<String, Value> {
    document["components"]["schemas"].as_object().expect("schemas")
}

fn all_properties(document: &Value) -> Vec<SchemaProperty<'_>> {
    let mut found = Vec::new();
    for (name, schema) in component_schemas(document) {
        if !NAMED_BY_SETTINGS.contains(&name.as_str()) {
            collect_properties(schema, name, &mut found);
        }
    }
    collect_properties(&document["paths"], "paths", &mut found);
    assert!(found.len() > 300, "{}", found.len());
    found
}

struct DescribedRoute<'d> {
    method: String,
    path: &'d str,
    operation: &'d Value,
}

impl DescribedRoute<'_> {
    fn query_parameters(&self) -> BTreeMap<&str, &Value> {
        let all = self.operation["parameters"].as_array().into_iter().flatten();
        let of_query = all.filter(|parameter| parameter["in"] == "query");
        of_query.map(|parameter| (parameter["name"].as_str().expect("a name"), &parameter["schema"])).collect()
    }

    /// Returns the schema of the successful response.
    fn response_schema<'d>(&self, document: &'d Value) -> Option<&'d Value>
    where
        Self: 'd,
    {
        let responses = self.operation["responses"].as_object().expect("responses");
        let (_, success) = responses.iter().find(|(status, _)| status.starts_with('2')).expect("a success");
        resolve_reference(document, success["content"]["application/json"]["schema"]["$ref"].as_str()?)
    }

    fn request_schema<'d>(&self, document: &'d Value) -> Option<&'d Value> {
        let schema = &self.operation["requestBody"]["content"]["application/json"]["schema"];
        resolve_reference(document, schema["$ref"].as_str()?)
    }
}

fn resolve_reference<'d>(document: &'d Value, reference: &str) -> Option<&'d Value> {
    document.pointer(reference.trim_start_matches('#'))
}

fn described_routes(document: &Value) -> Vec<DescribedRoute<'_>> {
    let mut all = Vec::new();
    for (path, item) in document["paths"].as_object().expect("paths") {
        for (method, operation) in item.as_object().expect("methods") {
            if ["get", "put", "post", "patch", "delete"].contains(&method.as_str()) {
                all.push(DescribedRoute { method: method.to_uppercase(), path, operation });
            }
        }
    }
    assert!(all.len() > 60, "{}", all.len());
    all
}

fn is_snake_case(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_')
}

fn collect_strings(value: &Value, key: &str, found: &mut Vec<String>) {
    match value {
        Value::Object(map) => {
            let given = map.get(key).into_iter().flat_map(|given| match given {
                Value::Array(items) => items.iter().collect(),
                one => vec![one],
            });
            found.extend(given.filter_map(Value::as_str).map(str::to_owned));
            map.values().for_each(|inner| collect_strings(inner, key, found));
        }
        Value::Array(items) => items.iter().for_each(|inner| collect_strings(inner, key, found)),
        _ => {}
    }
}

#[track_caller]
fn assert_none(what: &str, broken: impl IntoIterator<Item = String>) {
    let broken: BTreeSet<String> = broken.into_iter().collect();
    assert!(broken.is_empty(), "{what}: {broken:#?}");
}

#[test]
fn every_name_of_the_admin_interface_is_in_snake_case() {
    let document = admin_document();
    assert_none(
        "properties",
        all_properties(&document).into_iter().filter(|p| !is_snake_case(p.name)).map(|property| property.place),
    );
    let mut others = Vec::new();
    for route in described_routes(&document) {
        let parameters = route.operation["parameters"].as_array().into_iter().flatten();
        let parameters = parameters.filter_map(|parameter| parameter["name"].as_str());
        let segments = route.path.split('/').map(|part| part.trim_matches(['{', '}'])).filter(|part| !part.is_empty());
        let names = parameters.chain(segments).filter(|name| !is_snake_case(name) && *name != "openapi.json");
        others.extend(names.map(|name| format!("{} {}: {name}", route.method, route.path)));
    }
    assert_none("parameters and segments of paths", others);
    let mut values = Vec::new();
    collect_strings(&document, "enum", &mut values);
    collect_strings(&document, "const", &mut values);
    let is_camel_case = |text: &String| {
        text.as_bytes().windows(2).any(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase())
    };
    assert_none("values of enumerations", values.into_iter().filter(is_camel_case));
    assert_none(
        "things with a second name",
        all_properties(&document)
            .into_iter()
            .filter(|property| ["optouts", "shortlinks", "customfields", "opt_out_list"].contains(&property.name))
            .map(|property| property.place),
    );
}

/// Returns whether a schema is this one, or this one and null.
fn has_reference_to(schema: &Value, name: &str) -> bool {
    let reference = format!("#/components/schemas/{name}");
    schema["$ref"] == reference.as_str()
        || schema["anyOf"].as_array().is_some_and(|all| {
            all.iter().any(|one| one["$ref"] == reference.as_str())
                && all
                    .iter()
                    .all(|one| one["$ref"] == reference.as_str() || one["type"] == "null" || one["enum"].is_array())
        })
        || schema["items"]["$ref"] == reference.as_str()
}

#[test]
fn every_duration_of_the_admin_interface_is_text_with_a_unit() {
    const DURATIONS: [&str; 30] = [
        "after",
        "age",
        "backoff",
        "by",
        "connect",
        "delay",
        "expires_in",
        "first_byte",
        "fixed",
        "for",
        "full_in",
        "length",
        "max",
        "median",
        "min",
        "p50",
        "p99",
        "retry_after",
        "retry_in",
        "timeout",
        "took",
        "ttl",
        "uptime",
        "idle",
        "duration",
        "elapsed",
        "latency_min",
        "latency_max",
        "wait",
        "interval",
    ];
    const UNITS: [&str; 9] = ["ms", "millis", "micros", "us", "seconds", "secs", "minutes", "hours", "days"];
    let document = admin_document();
    assert_eq!(component_schemas(&document)["Duration"]["type"], "string");
    let all = all_properties(&document);
    assert_none(
        "names with a unit",
        all.iter()
            .filter(|property| {
                let (last, is_rate) =
                    (property.name.rsplit('_').next().unwrap_or_default(), property.name.contains("per_"));
                UNITS.contains(&last) && !is_rate
            })
            .map(|property| property.place.clone()),
    );
    let durations: Vec<_> = all.iter().filter(|property| DURATIONS.contains(&property.name)).collect();
    assert!(durations.len() > 20, "{}", durations.len());
    assert_none(
        "durations in another form",
        durations
            .iter()
            .filter(|p| {
                !has_reference_to(p.schema, "Duration")
                    && !has_reference_to(p.schema, "RetryAfter")
                    && !has_reference_to(p.schema, "CallbackDelay")
            })
            .map(|p| p.place.clone()),
    );
    for route in described_routes(&document) {
        for (name, schema) in route.query_parameters() {
            assert_eq!(name == "wait", has_reference_to(schema, "Duration"), "{} {name}", route.path);
        }
    }
}

#[test]
fn every_time_of_the_admin_interface_is_rfc_3339() {
    let document = admin_document();
    let is_time = |name: &str| name == "at" || name == "now" || name.ends_with("_at") || name.ends_with("_time");
    let all = all_properties(&document);
    let times: Vec<_> = all.iter().filter(|property| is_time(property.name)).collect();
    assert!(times.len() > 20, "{}", times.len());
    assert_none(
        "times without their format",
        times.iter().filter(|p| p.schema["format"] != "date-time").map(|p| p.place.clone()),
    );
    let others = all.iter().filter(|property| !is_time(property.name) && property.schema["format"] == "date-time");
    assert_none(
        "times that are called otherwise",
        others.filter(|p| !["until", "from", "to", "time"].contains(&p.name)).map(|p| p.place.clone()),
    );
}

#[test]
fn every_switch_of_the_admin_interface_is_called_enabled() {
    let document = admin_document();
    let banned = ["on", "off", "active", "allowed", "disabled", "is_on", "is_enabled", "is_recording", "header"];
    let is_switch = |property: &&SchemaProperty<'_>| {
        banned.contains(&property.name) && property.schema["type"].to_string().contains("boolean")
    };
    assert_none("switches", all_properties(&document).iter().filter(is_switch).map(|property| property.place.clone()));
    for (path, method) in
        [("/journal", "patch"), ("/faults/magic", "put"), ("/faults/prefer", "put"), ("/fidelity/header", "put")]
    {
        let route = described_routes(&document)
            .into_iter()
            .find(|route| route.path == path && route.method.eq_ignore_ascii_case(method));
        let route = route.unwrap_or_else(|| panic!("{method} {path}"));
        let request = route.request_schema(&document).expect("a body");
        assert!(request["properties"]["enabled"].is_object(), "{path}");
        assert!(route.response_schema(&document).expect("an answer")["properties"]["enabled"].is_object(), "{path}");
    }
}

#[test]
fn every_list_of_the_admin_interface_has_items_and_the_same_paging() {
    let document = admin_document();
    let routes = described_routes(&document);
    let paths: BTreeSet<&str> = routes.iter().map(|route| route.path).collect();
    let mut lists = 0;
    for route in routes.iter().filter(|route| route.method == "GET") {
        let has_members = paths.iter().any(|path| {
            path.strip_prefix(route.path).is_some_and(|rest| rest.starts_with("/{") && !rest[1..].contains('/'))
        });
        let Some(answer) = route.response_schema(&document) else { continue };
        let shown = &answer["properties"];
        let is_list = shown["items"].is_object();
        assert!(
            is_list || !has_members || route.path == "/state/{resource}/{key}",
            "{} lists without items",
            route.path
        );
        if !is_list {
            continue;
        }
        lists += 1;
        let queries = route.query_parameters();
        let takes = |name: &str| queries.contains_key(name);
        if LOGS.contains(&route.path) {
            assert!(shown["next"].is_object() && shown["has_more"].is_object(), "{}", route.path);
            assert!(takes("since") && takes("limit") && takes("wait"), "{}", route.path);
        } else {
            assert!(has_reference_to(&shown["paging"], "Paging"), "{} has no paging", route.path);
            assert!(takes("page_number") && takes("page_size"), "{} takes no page", route.path);
        }
    }
    assert!(lists > 15, "{lists}");
    let paging = component_schemas(&document)["Paging"]["properties"].as_object().expect("properties");
    assert_eq!(paging.keys().collect::<Vec<_>>(), ["current_page", "total_items", "total_pages"]);
}

#[test]
fn methods_of_the_admin_interface_keep_their_meaning() {
    let document = admin_document();
    let routes = described_routes(&document);
    let has = |method: &str, path: &str| routes.iter().any(|route| route.method == method && route.path == path);
    for route in &routes {
        match route.method.as_str() {
            // A seed replaces the whole account, which `/export` returns.
            "PUT" => assert!(
                has("GET", route.path) || route.path == "/seed",
                "PUT {} replaces what nobody can read",
                route.path
            ),
            "PATCH" => {
                let required = route.request_schema(&document).map(|request| &request["required"]);
                let is_rename = ["/lists/{list_uid}", "/custom_fields/{number}"].contains(&route.path);
                assert!(is_rename || required.is_none_or(Value::is_null), "PATCH {} wants all of it", route.path);
            }
            "GET" => assert!(route.operation["requestBody"].is_null(), "GET {} takes a body", route.path),
            _ => {}
        }
    }
    for path in ["/settings", "/limits"] {
        assert!(has("PUT", path) && has("PATCH", path), "{path}");
    }
    assert!(has("PATCH", "/journal") && has("PATCH", "/state/{resource}/{key}"));
}

#[test]
fn no_literal_of_the_admin_interface_shares_a_level_with_ids() {
    let mut levels: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for route in admin_routes() {
        let segments: Vec<&str> = route.path.split('/').skip(1).collect();
        for at in 1..segments.len() {
            let above = segments[..at].iter().map(|part| if part.starts_with('{') { "{}" } else { part });
            let here = if segments[at].starts_with('{') { "{}" } else { segments[at] };
            levels.entry(above.collect::<Vec<_>>().join("/")).or_default().insert(here.to_owned());
        }
    }
    assert_none(
        "levels",
        levels.into_iter().filter(|(_, here)| here.contains("{}") && here.len() > 1).map(|level| format!("{level:?}")),
    );
}

#[test]
fn every_error_of_the_admin_interface_has_the_same_four_members() {
    let document = admin_document();
    for route in described_routes(&document) {
        let responses = route.operation["responses"].as_object().expect("responses");
        for (status, response) in
            responses.iter().filter(|(status, _)| *status >= &"400".to_owned() && *status != "406")
        {
            let schema = &response["content"]["application/json"]["schema"];
            assert!(has_reference_to(schema, "AdminError"), "{} {} {status}", route.method, route.path);
        }
    }
    let inner = &component_schemas(&document)["AdminError"]["properties"]["error"];
    let inner = resolve_reference(&document, inner["$ref"].as_str().expect("a name")).expect("a schema");
    let names: Vec<&String> = inner["properties"].as_object().expect("properties").keys().collect();
    assert_eq!(names, ["code", "hint", "message", "pointer"]);
    let mut required: Vec<&str> = inner["required"].as_array().expect("all").iter().filter_map(Value::as_str).collect();
    required.sort_unstable();
    assert_eq!(required, ["code", "hint", "message", "pointer"]);
}

#[test]
fn the_document_of_the_admin_interface_describes_each_route_once() {
    let document = admin_document();
    assert_eq!(document["info"]["version"], "1");
    let servers = document["servers"].as_array().expect("servers");
    assert_eq!(servers[0]["url"], "/__admin");
    assert_eq!(servers[1]["url"], "/__admin/worlds/{world}");
    assert!(servers[1]["variables"]["world"]["default"].is_string());
    let routes = described_routes(&document);
    let below: BTreeSet<(String, &str)> = routes.iter().map(|route| (route.method.clone(), route.path)).collect();
    assert_eq!(below.len(), routes.len());
    let mut mirrored = 0;
    for route in admin_routes() {
        let path = route.path.strip_prefix("/__admin").unwrap_or(route.path);
        let once = path.strip_prefix("/worlds/{world}").filter(|rest| rest.starts_with('/'));
        let path = once.unwrap_or(if path.is_empty() { "/" } else { path });
        assert!(below.contains(&(route.method.to_owned(), path)), "{} {}", route.method, route.path);
        mirrored += usize::from(once.is_some());
        let is_of_world = (once.is_some() || route.accepts_world_token()) && path != "/";
        let described = routes.iter().find(|one| one.path == path && one.method == route.method).expect("described");
        assert_eq!(described.operation["servers"].is_array(), !is_of_world, "{} {}", route.method, route.path);
    }
    assert!(mirrored > 60, "{mirrored}");
    assert_eq!(json!(below.iter().filter(|(_, path)| path.contains("{world}")).count()), json!(2), "a world itself");
}

#[test]
fn what_the_admin_interface_refuses_says_where_and_what_to_do() {
    let api = Setup::new().serve();
    let admin = api.admin();
    let rules = "/__admin/faults/rules";
    for (answer, status, code, pointer) in [
        (admin.post(rules, &json!({ "effect": { "status": 200 } })), 400, "invalid", json!("/effect/status")),
        (admin.post(rules, &json!({ "effect": { "staus": 503 } })), 400, "bad_body", json!("/effect/staus")),
        (
            admin.post(rules, &json!({ "effect": { "latency": { "fixed": 5 } } })),
            400,
            "bad_body",
            json!("/effect/latency/fixed"),
        ),
        (
            admin.post(rules, &json!({ "effect": { "status": 503 }, "match": { "opration": "x" } })),
            400,
            "bad_body",
            json!("/match"),
        ),
        (admin.post(rules, &json!([])), 400, "bad_body", json!("")),
        (admin.post("/__admin/state/lists", &json!({ "name": "" })), 400, "invalid", json!("/name")),
        (admin.patch("/__admin/limits", &json!({ "burst": 0 })), 400, "invalid", json!("/burst")),
        (admin.get("/__admin/jobs?page_size=0"), 400, "bad_query", Value::Null),
        (admin.get("/__admin/jobs/99"), 404, "not_found", Value::Null),
    ] {
        let error = answer.expect(status).json()["error"].clone();
        assert_eq!((error["code"].as_str(), &error["pointer"]), (Some(code), &pointer), "{error}");
        assert!(
            ["message", "hint"].iter().all(|name| error[name].as_str().is_some_and(|text| !text.is_empty())),
            "{error}"
        );
    }
    let nobody = api.send(Request::get("/__admin/jobs")).expect(401);
    assert_eq!(nobody.header("www-authenticate"), Some("Bearer realm=\"roost\""));
    let wrong = admin.post("/__admin/faults", &json!({})).expect(405);
    assert_eq!(wrong.header("allow"), Some("DELETE, OPTIONS"));
    assert!(wrong.text().contains("Did you mean POST /__admin/faults/rules?"), "{}", wrong.shown());
    let options = admin.send(Request::new("OPTIONS", "/__admin/limits")).expect(204);
    assert_eq!(options.header("allow"), Some("GET, HEAD, PUT, PATCH, OPTIONS"));
    let nowhere = admin.get("/__admin/nope").expect(404);
    assert!(!nowhere.text().contains("Did you mean"), "{}", nowhere.shown());
    for answer in [nobody, wrong, options, nowhere] {
        let date = answer.header("date").expect("a date");
        assert!(date.ends_with(" GMT") && date.len() == "Thu, 26 Nov 2026 01:44:04 GMT".len(), "{date}");
    }
}

#[test]
fn the_index_of_the_admin_interface_leads_to_everything() {
    let api = Setup::new().serve();
    let index = api.admin().get("/__admin").ok();
    assert_eq!((&index["version"], &index["document"]), (&json!("1"), &json!("/__admin/openapi.json")));
    let links = index["links"].as_object().expect("links");
    for name in ["worlds", "clock", "requests", "jobs", "limits", "settings", "export"] {
        assert_eq!(links[name]["path"], format!("/__admin/{name}"));
    }
    assert_eq!(links["limits"]["methods"], json!(["GET", "PUT", "PATCH"]));
    let described = admin_document();
    for link in links.values() {
        let path = link["path"].as_str().and_then(|path| path.strip_prefix("/__admin")).expect("a path");
        for method in link["methods"].as_array().expect("methods") {
            let method = method.as_str().expect("a method").to_lowercase();
            assert!(described["paths"][path][&method].is_object(), "{method} {path}");
        }
    }
    api.send(Request::get("/__admin")).expect(401);
}

#[test]
fn put_sets_settings_to_their_defaults_and_patch_leaves_them() {
    let api = Setup::new().set("limits", "on").serve();
    let change = |name: &str, value: Value| api.admin().patch("/__admin/settings", &json!({ name: value })).ok();
    let first = api.admin().get("/__admin/settings").ok();
    change("status.list_create", json!(201));
    let both = change("opt_outs.entries", json!("all"));
    assert_eq!((&both["status.list_create"], &both["opt_outs.entries"]), (&json!(201), &json!("all")));
    let put = api.admin().put("/__admin/settings", &json!({ "opt_outs.entries": "all" })).ok();
    assert_eq!((&put["status.list_create"], &put["opt_outs.entries"]), (&json!(200), &json!("all")));
    assert_eq!(api.admin().put("/__admin/settings", &json!({})).ok(), first);
    api.admin().put("/__admin/settings", &json!({ "opt_out.entries": "all" })).expect(400);
}
