//! Misspelled input of the operator is refused and not ignored.

use roost_emulator::admin_document;
use roost_tests::{Client, Request, Served, Setup};
use serde_json::{Value, json};

use crate::gate::{DoorKind, ServerDoor, all_doors, console_setup, count_changes};

fn operator_doors() -> Vec<ServerDoor> {
    all_doors().into_iter().filter(|door| door.path.contains("/__admin") || door.path.ends_with("z")).collect()
}

/// Returns the query parameters of every route according to the document.
fn query_parameters() -> Vec<(String, String, Vec<String>)> {
    let document = admin_document();
    let mut all = Vec::new();
    for (path, methods) in document["paths"].as_object().expect("paths") {
        for (method, route) in methods.as_object().expect("methods") {
            let of_query = route["parameters"].as_array().into_iter().flatten().filter(|one| one["in"] == "query");
            let names = of_query.map(|one| one["name"].as_str().expect("a name").to_owned()).collect();
            let path = format!("/__admin{}", path.trim_end_matches('/'));
            all.push((method.to_uppercase(), path, names));
        }
    }
    all
}

#[track_caller]
fn refusal_message(api: &Served, door: &ServerDoor, query: &str) -> String {
    let door = ServerDoor { path: format!("{}?{query}", door.path), ..door.clone() };
    let answer = api.send(door.to_request(api));
    assert_eq!((answer.status, &answer.json()["error"]["code"]), (400, &json!("bad_query")), "{}", answer.shown());
    answer.json()["error"]["message"].as_str().expect("words").to_owned()
}

#[test]
fn no_route_leaves_a_parameter_aside_that_it_does_not_know() {
    let api = console_setup().serve();
    let before = count_changes(&api);
    let all = operator_doors();
    assert!(all.len() > 100, "{}", all.len());
    for door in &all {
        for query in ["zzz=1", "zzz", "%7Azz=", "Zzz=1&a=b"] {
            let message = refusal_message(&api, door, query);
            assert!(message.contains("Unknown parameter"), "{door:?}: {message}");
        }
    }
    assert_eq!(count_changes(&api), before);
    assert!(all.iter().any(|door| door.kind == DoorKind::Open), "open routes, too");
}

#[test]
fn a_misspelt_parameter_is_refused_with_the_intended_one() {
    let api = console_setup().serve();
    let all = operator_doors();
    let mut seen = 0;
    for (method, path, names) in query_parameters() {
        let Some(door) = all.iter().find(|door| door.method == method && same_route(&door.path, &path)) else {
            panic!("no door for {method} {path}")
        };
        for name in names {
            // A name of one letter has no similar name.
            if name.len() > 1 {
                let slip = &name[..name.len() - 1];
                let message = refusal_message(&api, door, &format!("{slip}=1"));
                assert!(message.contains("Did you mean '"), "{method} {path}: {message}");
            }
            let message = refusal_message(&api, door, &format!("{name}=1&{name}=2"));
            assert!(message.contains("given twice"), "{method} {path}: {message}");
            seen += 1;
        }
    }
    assert!(seen > 20, "{seen}");
    let journal = api.admin().get("/__admin/journal").ok();
    assert!(
        refusal_message(&api, &door_at("DELETE", "/__admin/requests"), "befor=1").contains("Did you mean 'before'?")
    );
    assert_eq!(api.admin().get("/__admin/journal").ok(), journal, "and nothing was taken out");
}

fn door_at(method: &'static str, path: &str) -> ServerDoor {
    operator_doors().into_iter().find(|door| door.method == method && door.path == path).expect("a door")
}

/// Returns whether a path with its parameters filled in belongs to a route.
fn same_route(filled: &str, route: &str) -> bool {
    let (filled, route): (Vec<_>, Vec<_>) = (filled.split('/').collect(), route.split('/').collect());
    filled.len() == route.len() && filled.iter().zip(route).all(|(have, want)| want.starts_with('{') || *have == want)
}

fn start_recording() -> Served {
    let mut setup = Setup::new();
    setup.config.journal = roost_emulator::Journal::new_recording();
    setup.serve()
}

#[test]
fn a_misspelt_operation_is_refused_wherever_one_is_named() {
    let api = start_recording();
    let admin = api.admin();
    let wrong = json!({ "operation": "list.create" });
    let ask = |client: &Client, body: Option<Value>, target: &str| match body {
        Some(body) => client.post(target, &body),
        None => client.get(target),
    };
    for (body, target) in [
        (Some(json!({ "match": wrong, "effect": { "status": 500 } })), "/__admin/faults/rules"),
        (Some(json!({ "match": wrong })), "/__admin/journal/count"),
        (Some(wrong.clone()), "/__admin/journal/find"),
        (Some(json!({ "match": wrong, "timeout": "0ms" })), "/__admin/journal/verify"),
        (Some(json!({ "match": [{ "operation": "lists.create" }, wrong], "order": true })), "/__admin/journal/verify"),
        (None, "/__admin/requests?filter=operation:list.create"),
        (None, "/__admin/events?filter=operation:list.create"),
    ] {
        let answer = ask(&admin, body, target);
        let response = answer.text();
        assert!(answer.status == 400 && response.contains("Did you mean 'lists.create'?"), "{}", answer.shown());
    }
    for right in ["lists.create", "lists", "lists.*", "admin.faults.add", "admin.faults", "callback", "short_link"] {
        admin.post("/__admin/journal/count", &json!({ "match": { "operation": right } })).expect(200);
    }
}

#[test]
fn a_rule_that_could_never_fire_is_refused() {
    let api = start_recording();
    for (fits, message) in [
        (json!({ "direction": "out" }), "not to callbacks"),
        (json!({ "operation": "callback" }), "operations of the interface"),
        (json!({ "operation": "admin.reset" }), "operations of the interface"),
    ] {
        let answer = api.admin().post("/__admin/faults/rules", &json!({ "match": fits, "effect": { "status": 500 } }));
        assert!(answer.status == 400 && answer.text().contains(message), "{}", answer.shown());
    }
    let fits = json!({ "direction": "in", "operation": "lists" });
    api.admin().post("/__admin/faults/rules", &json!({ "match": fits, "effect": { "status": 500 } })).expect(201);
    api.get("/contacts/v1/lists/").expect(500);
}

#[test]
fn only_pages_of_the_console_may_run_scripts() {
    let api = console_setup().serve();
    let policy = |request: Request| api.send(request).header("content-security-policy").map(str::to_owned);
    for request in [
        Request::get("/contacts/v1/lists/"),
        Request::get("/nowhere"),
        Request::get("/openapi.json"),
        Request::get("/__admin/info"),
        Request::get("/livez"),
        Request::get("/s/Ab3dE9"),
        Request::get("/contacts/v1/lists/").header("origin", "http://evil.example"),
    ] {
        let found = policy(request.clone()).unwrap_or_default();
        assert!(found.contains("default-src 'none'") && found.contains("sandbox"), "{request:?}: {found}");
    }
    // A rule or a script of a world cannot weaken it either, because its answers have the origin of the console.
    for name in ["Content-Security-Policy", "Service-Worker-Allowed", "Clear-Site-Data"] {
        let reply = json!({ "status": 200, "headers": { name: "*" } });
        let rule = json!({ "match": { "operation": "lists" }, "effect": reply });
        api.admin().post("/__admin/faults/rules", &rule).expect(400);
        api.admin().put("/__admin/hooks/inbox", &json!({ "then": reply })).expect(400);
    }
    let page = policy(Request::get("/__console/")).expect("a policy");
    assert!(page.contains("default-src 'self'") && !page.contains("sandbox"), "{page}");
}

#[test]
fn a_process_has_so_many_keys() {
    let api = Setup::new().serve();
    let keys = |n: usize| (0..n).map(|n| format!("a-key-of-ours-{n}")).collect::<Vec<_>>();
    let answer = api.admin().post("/__admin/worlds", &json!({ "keys": keys(100_000) }));
    assert_eq!((answer.status, &answer.json()["error"]["code"]), (409, &json!("too_many_keys")), "{}", answer.shown());
    api.admin().post("/__admin/worlds", &json!({ "keys": keys(1_000) })).expect(201);
    assert_eq!(api.admin().get("/__admin/worlds?page_size=1000").items().len(), 2);
}
