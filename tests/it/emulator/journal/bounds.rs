//! The limits of the journal's size, and that they hold.

use roost_tests::Setup;
use serde_json::json;

use super::{MAKE_LIST, entry_numbers, make_list, read_page, start_recording};

#[test]
fn the_ring_stays_within_its_bytes() {
    const MOST: u64 = 1_000_000;
    let api = start_recording();
    let admin = api.admin();
    admin.patch("/__admin/journal", &json!({ "bytes": MOST, "lines": 100_000 })).expect(200);
    let long = json!({ "name": "x".repeat(40_000) });
    for n in 0..100 {
        api.post(MAKE_LIST, &long).expect(400);
        make_list(&api, &format!("list {n}"));
        let state = admin.get("/__admin/journal").ok();
        assert!(state["bytes"].as_u64().is_some_and(|bytes| bytes <= MOST), "{state}");
    }
    let state = admin.get("/__admin/journal").ok();
    let (lines, dropped) = (state["lines"].as_u64().expect("lines"), state["dropped"].as_u64().expect("dropped"));
    assert_eq!((lines + dropped, &state["last"]), (200, &json!(200)), "{state}");
    assert!(dropped > 0 && lines > 10, "{state}");
    // A smaller limit applies at once.
    admin.patch("/__admin/journal", &json!({ "lines": 2 })).expect(200);
    assert_eq!(entry_numbers(&read_page(&api, "")), [199, 200]);
}

#[test]
fn recording_begins_and_ends_on_request() {
    let api = Setup::new().serve();
    let admin = api.admin();
    make_list(&api, "unseen");
    assert_eq!(read_page(&api, "")["enabled"], json!(false));
    admin.patch("/__admin/journal", &json!({ "enabled": true })).expect(200);
    make_list(&api, "seen");
    admin.patch("/__admin/journal", &json!({ "enabled": false })).expect(200);
    make_list(&api, "unseen again");
    let found = read_page(&api, "");
    assert_eq!((entry_numbers(&found), &found["enabled"]), (vec![1], &json!(false)), "what was recorded stays");
    admin.post("/__admin/journal/verify", &json!({ "match": { "operation": "lists.create" } })).expect(202);
}

#[test]
fn limits_out_of_reason_are_refused() {
    let api = start_recording();
    let admin = api.admin();
    for request in [json!({ "lines": 0 }), json!({ "bytes": 1 }), json!({ "lines": -1 }), json!({ "line": 5 })] {
        admin.patch("/__admin/journal", &request).expect(400);
    }
    let state = admin.get("/__admin/journal").ok();
    assert_eq!(state["limits"], json!({ "lines": 1_000, "bytes": 16 * 1024 * 1024 }));
}
