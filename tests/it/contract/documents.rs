//! The documents of the emulator name only routes, settings and bounds that exist. `tests/tooling/interface/guide.py` runs their
//! examples.

use std::{collections::BTreeSet, fs, path::Path};

use roost_emulator::admin_routes;
use roost_wire::OPERATIONS;

const DOCUMENTS: [&str; 7] = [
    "README.md",
    "src-tauri/emulator/README.md",
    "src-tauri/emulator/GUIDE.md",
    "src-tauri/emulator/ADMIN.md",
    "src-tauri/emulator/clients/README.md",
    "ui/guides/developer.md",
    "ui/guides/rest.md",
];
const METHODS: [&str; 5] = ["GET", "POST", "PUT", "PATCH", "DELETE"];
/// A mistake that the guide shows on purpose.
const MISTYPED: (&str, &str) = ("GET", "/contacts/v1/list");
/// Answered by the server itself, outside both tables.
const OTHERS: [(&str, &str); 3] = [("GET", "/livez"), ("GET", "/readyz"), ("GET", "/openapi.json")];

fn read(path: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path)).expect(path)
}

/// `GET /__admin/limits/buckets` and `admin GET '/callbacks?state=held'`: method and path, without the query.
fn named_routes(text: &str) -> Vec<(&str, String)> {
    let mut found = Vec::new();
    for method in METHODS {
        for (at, _) in text.match_indices(method) {
            let rest = &text[at + method.len()..];
            let Some(rest) = rest.strip_prefix(' ') else { continue };
            let rest = rest.trim_start_matches(['\'', '"']);
            if !rest.starts_with('/') {
                continue;
            }
            let ends = |c: char| c.is_whitespace() || "`'\"?|),;".contains(c);
            let path = &rest[..rest.find(ends).unwrap_or(rest.len())];
            found.push((method, path.trim_end_matches(['.', ':']).to_owned()));
        }
    }
    found
}

/// Whether a path of a document, such as `/snapshots/@1/diff/now`, is one of this route.
fn is_of(path: &str, route: &str) -> bool {
    let (path, route) = (path.trim_end_matches('/'), route.trim_end_matches('/'));
    let (path, route): (Vec<_>, Vec<_>) = (path.split('/').collect(), route.split('/').collect());
    path.len() == route.len() && path.iter().zip(&route).all(|(own, wanted)| own == wanted || wanted.starts_with('{'))
}

fn exists(method: &str, path: &str) -> bool {
    let below = path.strip_prefix("/__admin").unwrap_or(path);
    let admin = admin_routes().iter().any(|route| {
        let known = route.path.strip_prefix("/__admin").unwrap_or(route.path);
        route.method == method && is_of(below, known)
    });
    let operation = OPERATIONS.iter().any(|own| own.method.as_str() == method && is_of(path, own.path));
    admin || operation || OTHERS.contains(&(method, path))
}

#[test]
fn every_route_in_the_documents_of_the_emulator_exists() {
    let mut seen = 0;
    let mut wrong = Vec::new();
    for document in DOCUMENTS {
        let text = read(document);
        for (method, path) in named_routes(&text) {
            seen += 1;
            if !exists(method, &path) && (method, path.as_str()) != MISTYPED {
                wrong.push(format!("{document}: {method} {path}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(seen > 60, "{seen} routes");
    // The check finds faults.
    assert_eq!(
        named_routes("`GET /__admin/job`, then admin POST '/jobs/1/runs?x=1'"),
        [("GET", "/__admin/job".to_owned()), ("POST", "/jobs/1/runs".to_owned()),]
    );
    assert!(!exists("GET", "/__admin/job") && !exists("POST", "/jobs/1/runs") && exists("POST", "/jobs/1/run"));
}

/// The first parts of all paths: `jobs`, `faults`, `snapshots`.
#[test]
fn the_guide_of_the_emulator_covers_every_part_of_the_admin_interface() {
    let guide = read("src-tauri/emulator/GUIDE.md");
    let parts: BTreeSet<&str> = admin_routes()
        .iter()
        .filter_map(|route| route.path.strip_prefix("/__admin/")?.split('/').next())
        .filter(|part| !part.starts_with('{'))
        .collect();
    let missing: Vec<_> = parts.into_iter().filter(|part| !guide.contains(&format!("/{part}"))).collect();
    assert!(missing.is_empty(), "the guide says nothing about {missing:?}");
}
