//! Exercises every operation. The list of operations determines which ones exist.

use std::collections::BTreeMap;

use roost_tests::{Client, Request, Setup, http::Recorded, seeds};
use roost_wire::{OPERATIONS, OperationId, RequestPath, Route, find_route};
use serde_json::{Value, json};

/// Method, path, lane and success status of each operation, as the interface and its decisions define them.
const DOCUMENTED: [(&str, &str, &str, u16); 16] = [
    ("GET", "/assets/v1/senders/", "senders.query", 200),
    ("GET", "/assets/v1/senders/{sender_id}", "senders.get", 200),
    ("DELETE", "/assets/v1/senders/{sender_id}", "senders.delete", 204),
    ("GET", "/contacts/v1/lists/", "lists.query", 200),
    ("POST", "/contacts/v1/lists/create", "lists.create", 200),
    ("DELETE", "/contacts/v1/lists/{list_uid}", "lists.delete", 204),
    ("GET", "/contacts/v1/contacts/list/{list_uid}", "contacts.query", 200),
    ("POST", "/contacts/v1/contacts", "contacts.create", 200),
    ("DELETE", "/contacts/v1/contacts/{contact_uid}", "contacts.delete", 204),
    ("GET", "/contacts/v1/optouts", "optouts.query", 200),
    ("POST", "/contacts/v1/optouts", "optouts.create", 201),
    ("DELETE", "/contacts/v1/optouts", "optouts.delete", 200),
    ("POST", "/assets/v1/shortlink", "shortlinks.create", 200),
    ("GET", "/assets/v1/shortlink/{link_id}", "shortlinks.get", 200),
    ("POST", "/assets/v1/shortlink/filter", "shortlinks.search", 200),
    ("DELETE", "/assets/v1/shortlink/{link_id}", "shortlinks.delete", 204),
];

/// Proves: D67, D116, D24.
#[test]
fn the_operations_are_those_of_the_interface() {
    let had: Vec<_> =
        OPERATIONS.iter().map(|operation| (operation.method.as_str(), operation.path, operation.name)).collect();
    let documented: Vec<_> = DOCUMENTED.iter().map(|(method, path, name, _)| (*method, *path, *name)).collect();
    assert_eq!(had, documented);
}

/// Calls one operation so that it succeeds and so that it refuses. A new operation does not compile until it is added
/// here.
fn exercise_operation(id: OperationId, api: &Client) {
    let (list, links) = (seeds::id("LST_", "1"), "/assets/v1/shortlink");
    let query = |path: &str| {
        api.get(path);
        api.get(format!("{path}?page_size=0"));
    };
    let remove = |prefix: &str, path: &str, tail: &str| {
        api.delete(format!("{path}/{}", seeds::id(prefix, tail)));
        api.delete(format!("{path}/x"));
    };
    let post = |path: &str, good: Value| {
        api.post(path, &good);
        api.send(Request::post(path).json_text("["));
    };
    match id {
        OperationId::SendersQuery => query("/assets/v1/senders/"),
        OperationId::SendersGet => {
            api.get(format!("/assets/v1/senders/{}", seeds::id("ssd_", "1")));
            api.get("/assets/v1/senders/x");
        }
        OperationId::SendersDelete => remove("ssd_", "/assets/v1/senders", "1"),
        OperationId::ListsQuery => query("/contacts/v1/lists/"),
        OperationId::ListsCreate => post("/contacts/v1/lists/create", json!({ "name": "Guests" })),
        OperationId::ListsDelete => remove("LST_", "/contacts/v1/lists", "1"),
        OperationId::ContactsQuery => query(&format!("/contacts/v1/contacts/list/{list}")),
        OperationId::ContactsCreate => {
            let contacts = json!([{ "phone_number": "07700900001" }]);
            post(
                "/contacts/v1/contacts",
                json!({ "list_id": list, "merge_type": "skipDuplicates", "contacts": contacts }),
            );
        }
        OperationId::ContactsDelete => remove("CON_", "/contacts/v1/contacts", "00000"),
        OperationId::OptOutsQuery => query("/contacts/v1/optouts"),
        OperationId::OptOutsCreate => {
            post("/contacts/v1/optouts", json!({ "optouts": [{ "number": "447700900001" }] }))
        }
        OperationId::OptOutsDelete => {
            api.send(Request::delete("/contacts/v1/optouts").json(&json!({ "numbers": ["447700900001"] })));
            api.send(Request::delete("/contacts/v1/optouts").json(&json!({ "numbers": [] })));
        }
        OperationId::ShortLinksCreate => post(links, json!({ "title": "x", "target_url": "https://shop.example" })),
        OperationId::ShortLinksGet => {
            api.get(format!("{links}/{}", seeds::id("shl_", "1")));
            api.get(format!("{links}/{}", seeds::id("shl_", "9")));
        }
        OperationId::ShortLinksSearch => post("/assets/v1/shortlink/filter", json!({ "filter": { "query": "x" } })),
        OperationId::ShortLinksDelete => remove("shl_", links, "1"),
    }
}

/// Returns the operation of a recorded request.
fn operation_of(recorded: &Recorded) -> Option<&'static str> {
    let path = recorded.target.split('?').next().unwrap_or_default();
    match find_route(&recorded.method, &RequestPath::parse(path)) {
        Route::Operation { operation, .. } => Some(operation.name),
        Route::Options { .. } | Route::WrongMethod { .. } | Route::Unknown => None,
    }
}

/// Proves: R7_1_shape_a, R7_1_shape_b.
#[test]
fn every_operation_succeeds_and_refuses_as_its_document_says() {
    let mut statuses: BTreeMap<&str, Vec<u16>> = BTreeMap::new();
    for operation in &OPERATIONS {
        let seed = json!({
            "senders": [{ "id": seeds::id("ssd_", "1"), "name": "AcmeShop" }],
            "lists": [seeds::filled_list(&seeds::id("LST_", "1"), "VIP", 2)],
            "short_links": [{ "link_id": seeds::id("shl_", "1"), "title": "Spring", "target_url": "https://shop.example/s" }],
        });
        let api = Setup::new().seed(seed).serve();
        let recording = api.recording();
        exercise_operation(operation.id, &recording);
        for recorded in recording.recorded() {
            statuses.entry(operation_of(&recorded).expect("an operation")).or_default().push(recorded.status);
        }
    }
    let document = roost_wire::openapi::interface_document();
    for (method, path, name, success) in DOCUMENTED {
        let seen = statuses.get(name).unwrap_or_else(|| panic!("{name} is not exercised"));
        assert!(seen.contains(&success), "{name} does not succeed: {seen:?}");
        assert!(seen.iter().any(|status| (400..500).contains(status)), "{name} refuses nothing: {seen:?}");
        let responses = &document["paths"][path][method.to_lowercase()]["responses"];
        for status in seen {
            assert!(
                responses[status.to_string()].is_object(),
                "{name} answers {status}, which its document does not know"
            );
        }
    }
    assert_eq!(statuses.len(), OPERATIONS.len());
}
