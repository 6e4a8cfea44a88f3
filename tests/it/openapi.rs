//! Compares the documents of both interfaces with their stored versions.

use roost_emulator::admin_routes;
use roost_tests::{Setup, snapshot};
use roost_wire::OPERATIONS;
use serde_json::Value;

const PATHS: [&str; 2] = ["/openapi.json", "/__admin/openapi.json"];

fn read_document(path: &str) -> Value {
    let api = Setup::new().serve();
    let caller = if path.starts_with("/__admin") { api.admin() } else { api.without("x-auth-key") };
    caller.get(path).ok()
}

fn assert_kept(name: &str, document: &Value) {
    snapshot::is(name, &format!("{}\n", serde_json::to_string_pretty(document).expect("JSON")));
}

/// Proves: S11_openapi.
#[test]
fn the_document_of_the_interface_is_the_kept_one() {
    assert_kept("openapi.json", &read_document(PATHS[0]));
}

/// Proves: S11_openapi.
#[test]
fn the_document_of_the_operator_is_the_kept_one() {
    assert_kept("openapi-admin.json", &read_document(PATHS[1]));
}

/// Returns the method and path of everything that a document describes.
fn described_routes(document: &Value) -> Vec<String> {
    let mut found = Vec::new();
    for (path, item) in document["paths"].as_object().expect("paths") {
        let methods = item.as_object().expect("operations").keys();
        found.extend(methods.map(|method| format!("{} {path}", method.to_uppercase())));
    }
    found.sort();
    found
}

/// Proves: S11_openapi.
#[test]
fn every_route_is_described_and_nothing_else() {
    let sorted = |mut all: Vec<String>| {
        all.sort();
        all
    };
    let interface = sorted(OPERATIONS.iter().map(|o| format!("{} {}", o.method.as_str(), o.path)).collect());
    // Routes of a named world are described as those of the token's world, under another server address.
    let once = |path: &'static str| path.strip_prefix("/__admin").filter(|path| !path.starts_with("/worlds/{world}/"));
    let operator = admin_routes().iter().filter_map(|route| {
        let path = once(route.path)?;
        Some(format!("{} {}", route.method, if path.is_empty() { "/" } else { path }))
    });
    assert_eq!(described_routes(&read_document(PATHS[0])), interface);
    assert_eq!(described_routes(&read_document(PATHS[1])), sorted(operator.collect()));
    assert!(PATHS.iter().all(|path| read_document(path)["openapi"] == "3.1.0"));
}
