//! Error bodies: their two shapes, trace IDs, times, and internal errors.

use std::collections::BTreeSet;

use roost_tests::{
    Setup,
    expected::{C, L, invalid, is_trace_id, message_only, shape_b},
};
use rusqlite::Connection;
use serde_json::json;
use tempfile::TempDir;

/// Proves: D133, R7_1_shape_a, R7_1_shape_b.
#[test]
fn both_shapes_have_exactly_their_keys() {
    let api = Setup::new().serve();
    api.get("/assets/v1/senders/?page_size=0").is(&roost_tests::expected::shape_a(
        400,
        json!([{ "message": "must be greater than 0", "field": "get_all_sms_senders.page_size" }]),
    ));
    api.get("/contacts/v1/lists/?page_size=0").is(&invalid(C, &[("filter.pageSize", "page.size.generic", json!(0))]));
    api.get("/contacts/v1/lists/?page_size=x").is(&roost_tests::expected::bad_format("page_size", "int"));
}

/// Proves: D133.
#[test]
fn trace_ids_are_new_for_every_answer() {
    let api = Setup::new().serve();
    let paths = ["/assets/v1/senders/x", "/contacts/v1/lists/?page_size=0", "/nowhere"];
    let ids: Vec<String> = (0..30)
        .map(|n| api.get(paths[n % paths.len()]).json()["trace_id"].as_str().expect("a trace id").to_owned())
        .collect();
    assert!(ids.iter().all(|id| is_trace_id(id)), "{ids:?}");
    assert_eq!(ids.iter().collect::<BTreeSet<_>>().len(), ids.len());
}

/// Proves: D133, R7_3_val_001.
#[test]
fn invalid_links_are_reported_under_the_name_of_the_samples() {
    let api = Setup::new().serve();
    let response = api.post("/assets/v1/shortlink", &json!({ "title": "x", "target_url": "x" })).expect(400).json();
    assert_eq!((&response["code"], &response["error"]), (&json!("ERR_AST_VAL_001"), &json!("VALIDATION_ERROR")));
}

/// Proves: D134, R7_3_sys_001.
#[test]
fn a_fault_of_the_server_shows_no_cause_in_any_shape() {
    let folder = TempDir::new().expect("a folder");
    let file = folder.path().join("account.roost");
    let api = Setup::new().on_file(&file).serve();
    let other = Connection::open(&file).expect("the file can be opened");
    for table in ["senders", "lists", "short_links"] {
        other.execute_batch(&format!("ALTER TABLE {table} RENAME TO gone_{table}")).expect("a table can be renamed");
    }
    let message = "Internal server error occurred";
    let expected = |family| shape_b(500, family, "SYS_001", "INTERNAL_SERVER_ERROR", message);
    api.get("/assets/v1/senders/").is(&message_only(500, message));
    api.get("/contacts/v1/lists/").is(&expected(C));
    api.post("/contacts/v1/lists/create", &json!({ "name": "VIP" })).is(&expected(C));
    api.post("/assets/v1/shortlink/filter", &json!({})).is(&expected(L));
    api.get("/contacts/v1/optouts").expect(200);
}

/// Proves: D134, R7_3_gen_001, R7_3_req_001.
#[test]
fn two_codes_of_the_catalogue_are_never_sent() {
    let sources = ["envelope.rs", "short_link.rs", "query.rs"].map(|name| {
        let path = format!("{}/../src-tauri/wire/src/{name}", env!("CARGO_MANIFEST_DIR"));
        std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
    });
    for code in ["GEN_001", "\"REQ_001"] {
        assert!(sources.iter().all(|source| !source.contains(code)), "{code}");
    }
    // The meaning of the second code is reported as a validation error.
    let api = Setup::new().serve();
    let response = api.post("/assets/v1/shortlink", &json!({})).expect(400).json();
    assert_eq!(response["code"], "ERR_AST_VAL_001");
}
