//! Paths and methods: how they are read, and the errors about unknown ones.

use std::collections::BTreeMap;

use roost_tests::{
    Request, Served, Setup,
    expected::{C, L, malformed_uid, message_only, not_found, shape_b},
    seeds,
};
use roost_wire::{OPERATIONS, operation::Method};
use serde_json::json;

fn start_server() -> Served {
    let links =
        json!([{ "title": "Spring", "link_id": seeds::id("shl_", "1"), "target_url": "https://shop.example/s" }]);
    let senders = json!([{ "id": seeds::id("ssd_", "1"), "name": "AcmeShop" }]);
    let lists = json!([seeds::filled_list(&seeds::id("LST_", "1"), "VIP", 2)]);
    Setup::new().seed(json!({ "senders": senders, "lists": lists, "short_links": links })).serve()
}

/// Returns the path of an operation with the ID of an existing record.
fn existing_path(path: &str) -> String {
    let prefixes = [("sender_id", "ssd_"), ("list_uid", "LST_"), ("contact_uid", "CON_"), ("link_id", "shl_")];
    prefixes
        .iter()
        .fold(path.to_owned(), |path, (name, prefix)| path.replace(&format!("{{{name}}}"), &seeds::id(prefix, "1")))
}

/// Returns the paths of operations without their final slash, with their methods.
fn methods_by_path() -> BTreeMap<&'static str, Vec<Method>> {
    let mut paths: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for operation in &OPERATIONS {
        paths.entry(operation.path.trim_end_matches('/')).or_default().push(operation.method);
    }
    // For methods that the literal path does not have, the literal segment is read as an ID.
    paths.entry("/contacts/v1/lists/create").or_default().push(Method::Delete);
    paths.entry("/assets/v1/shortlink/filter").or_default().extend([Method::Get, Method::Delete]);
    paths
}

/// Proves: D7.
#[test]
fn every_path_is_taken_with_and_without_a_final_slash() {
    for operation in &OPERATIONS {
        let path = existing_path(operation.path.trim_end_matches('/'));
        let statuses = ["", "/"].map(|slash| {
            // Each deletion uses a fresh account.
            let answer = start_server().send(Request::new(operation.method.as_str(), format!("{path}{slash}")));
            assert!(![301, 302, 307, 308, 404, 405].contains(&answer.status), "{}", answer.shown());
            answer.status
        });
        assert_eq!(statuses[0], statuses[1], "{}", operation.name);
    }
    start_server().get("/contacts/v1/lists//").is(&not_found(C, "Requested resource not found"));
}

/// Proves: D8.
#[test]
fn segments_are_decoded_once_and_compared_exactly() {
    let api = start_server();
    api.get("/%63ontacts/v1/list%73/").expect(200);
    let unknown = not_found(C, "Requested resource not found");
    for path in ["/contacts/V1/lists", "/contacts/v1/Lists", "/contacts/v1%2Flists", "/contacts/v1/li%2573ts"] {
        api.get(path).is(&unknown);
    }
    api.get("/Contacts/v1/lists").is(&not_found(L, "Requested resource not found"));
    for (raw, decoded) in [
        ("LST+1", "LST+1"),
        ("LST%2B1", "LST+1"),
        ("LST%2F1", "LST/1"),
        ("LST%2541", "LST%41"),
        ("LST%201", "LST 1"),
        ("LST%C3%A9", "LST\u{e9}"),
        ("LST%zz", "LST%zz"),
    ] {
        api.delete(format!("/contacts/v1/lists/{raw}")).is(&malformed_uid(C, "deleteList.uid", decoded));
    }
}

/// Proves: D8.
#[test]
fn empty_and_dot_segments_lead_nowhere() {
    let api = start_server();
    for path in [
        "/contacts//v1/lists",
        "//contacts/v1/lists",
        "/contacts/v1/./lists",
        "/contacts/v1/x/../lists",
        "/contacts/v1/%2e/lists",
        "/contacts/v1/x/%2E%2e/lists",
        "/contacts/../contacts/v1/lists",
    ] {
        let answer = api.get(path);
        assert_eq!(answer.status, 404, "{}", answer.shown());
    }
}

/// Proves: D8.
#[test]
fn a_literal_segment_wins_only_for_the_methods_it_has() {
    let api = start_server();
    api.delete("/contacts/v1/lists/create").is(&malformed_uid(C, "deleteList.uid", "create"));
    api.delete("/contacts/v1/contacts/list").is(&malformed_uid(C, "deleteContact.uid", "list"));
    api.get("/assets/v1/shortlink/filter").is(&malformed_uid(L, "get_short_link_by_id.id", "filter"));
    api.delete("/assets/v1/shortlink/filter").is(&malformed_uid(L, "delete_short_link_by_id.id", "filter"));
    api.post("/contacts/v1/lists/create", &json!({ "name": "x" })).expect(200);
    api.post("/assets/v1/shortlink/filter", &json!({})).expect(200);
}

/// Proves: D13.
#[test]
fn head_answers_like_get_without_a_body() {
    let api = start_server();
    let gets = OPERATIONS.iter().filter(|operation| operation.method == Method::Get);
    let failing = ["/assets/v1/senders/x", "/contacts/v1/lists/?page_size=0", "/contacts/v1/optouts?channel=x"];
    for path in gets.map(|operation| existing_path(operation.path)).chain(failing.map(str::to_owned)) {
        let (get, head) = (api.get(&path), api.send(Request::new("HEAD", &path)));
        let names = |answer: &roost_tests::Answer| {
            let kept = answer.headers.iter().filter(|(name, _)| name != "date").cloned();
            kept.collect::<BTreeMap<String, String>>()
        };
        assert_eq!((head.status, names(&head)), (get.status, names(&get)), "{path}");
        assert!(head.body.is_empty());
    }
}

/// Proves: D13.
#[test]
fn head_elsewhere_is_a_wrong_method() {
    let api = start_server();
    for (path, allow) in [
        ("/contacts/v1/contacts", "POST, OPTIONS"),
        ("/contacts/v1/lists/LST_1", "DELETE, OPTIONS"),
        ("/assets/v1/shortlink", "POST, OPTIONS"),
    ] {
        let answer = api.send(Request::new("HEAD", path)).expect(405);
        assert_eq!(answer.header("allow"), Some(allow), "{path}");
    }
}

fn allow_value(methods: &[Method]) -> String {
    let mut names = Vec::new();
    for (method, written) in [(Method::Get, "GET, HEAD"), (Method::Post, "POST"), (Method::Delete, "DELETE")] {
        if methods.contains(&method) {
            names.push(written);
        }
    }
    names.push("OPTIONS");
    names.join(", ")
}

/// Proves: D14.
#[test]
fn options_lists_the_methods_of_every_path_without_a_key() {
    let api = Setup::new().set("limits", "on").set("limits.per_second", "1").serve();
    let nobody = api.without("x-auth-key");
    for (path, methods) in methods_by_path() {
        // The second request proves that the first one took no token.
        for _ in 0..2 {
            let answer = nobody
                .send(Request::new("OPTIONS", existing_path(path)).header("access-control-request-method", "GET"));
            assert_eq!((answer.status, answer.header("allow")), (204, Some(allow_value(&methods).as_str())), "{path}");
            assert!(answer.body.is_empty());
            let cors = answer.headers.iter().find(|(name, _)| name.starts_with("access-control-"));
            assert_eq!(cors, None, "{path}");
        }
    }
    nobody.send(Request::new("OPTIONS", "/contacts/v1/nowhere")).expect(404);
    nobody.send(Request::new("OPTIONS", "*")).expect(404);
}

/// Proves: D15.
#[test]
fn wrong_methods_are_refused_with_the_right_ones() {
    let api = start_server();
    let expected = |family| shape_b(405, family, "REQ_003", "METHOD_NOT_ALLOWED", "Method not allowed");
    for (method, path, family) in [
        ("GET", "/contacts/v1/lists/LST_1", C),
        ("GET", "/contacts/v1/contacts/CON_1", C),
        ("PATCH", "/contacts/v1/contacts/CON_1", C),
        ("GET", "/contacts/v1/contacts", C),
        ("PUT", "/assets/v1/shortlink/shl_1", L),
        ("BREW", "/assets/v1/shortlink", L),
    ] {
        let answer = api.send(Request::new(method, path));
        answer.is(&expected(family));
        assert!(answer.header("allow").is_some(), "{method} {path}");
    }
    let answer = api.send(Request::post("/assets/v1/senders"));
    answer.is(&message_only(405, "Method not allowed"));
    assert_eq!(answer.header("allow"), Some("GET, HEAD, OPTIONS"));
    for (path, methods) in methods_by_path() {
        for method in ["PUT", "PATCH", "get", "TRACE"] {
            let answer = api.send(Request::new(method, existing_path(path)));
            assert_eq!(
                (answer.status, answer.header("allow")),
                (405, Some(allow_value(&methods).as_str())),
                "{method} {path}"
            );
        }
    }
}

/// Proves: D16.
#[test]
fn unknown_paths_are_refused_in_the_shape_of_their_family() {
    let api = start_server();
    for path in ["/assets/v1/senders/x/y", "/assets/v1/senders/x/y/z"] {
        api.get(path).is(&message_only(404, "Requested resource not found"));
    }
    for path in ["/", "/nowhere", "/assets", "/assets/v1", "/assets/v1/shortlinks", "/assets/v1/shortlink/x/y"] {
        api.get(path).is(&not_found(L, "Requested resource not found"));
    }
    for path in ["/contacts", "/contacts/v1", "/contacts/v1/list", "/contacts/v1/contacts/list/x/y"] {
        api.send(Request::new("PUT", path)).is(&not_found(C, "Requested resource not found"));
    }
}

/// Proves: D23.
#[test]
fn other_versions_are_unknown_paths() {
    let api = start_server();
    api.get("/contacts/v2/lists/").is(&not_found(C, "Requested resource not found"));
    api.get("/contacts/lists/").is(&not_found(C, "Requested resource not found"));
    api.get("/assets/v2/senders/").is(&not_found(L, "Requested resource not found"));
    api.get("/assets/v0/shortlink/x").is(&not_found(L, "Requested resource not found"));
}
