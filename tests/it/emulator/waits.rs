//! Waiting requests count as use of their world, and are answered when the server stops.

use std::thread;

use roost_tests::{Served, Setup, until};
use serde_json::{Value, json};

fn start_recording() -> Served {
    let mut setup = Setup::new();
    setup.config.journal = roost_emulator::Journal::new_recording();
    setup.serve()
}

fn create_world(api: &Served, name: &str, ttl: &str) {
    api.admin().post("/__admin/worlds", &json!({ "name": name, "ttl": ttl })).expect(201);
}

fn find_world(api: &Served, name: &str) -> Option<Value> {
    let worlds = api.admin().get("/__admin/worlds?page_size=1000").items();
    worlds.into_iter().find(|world| world["id"] == name)
}

#[test]
fn a_world_stays_while_somebody_waits_for_it() {
    let api = start_recording();
    // The time is long enough to begin the wait on a slow machine. The wait then exceeds the allowed idle time.
    create_world(&api, "polled", "2s");
    let held = api.admin().get("/__admin/worlds/polled/requests?wait=4s");
    assert_eq!((held.status, held.json()["items"].as_array().map(Vec::len)), (200, Some(0)), "{}", held.shown());
    until("nobody waits any more, and it is gone", || find_world(&api, "polled").is_none().then_some(()));
}

/// A test with a mistyped correlation_id must not look like one that waits in vain.
#[test]
fn waiting_for_a_job_that_nobody_queued_says_so() {
    let api = start_recording();
    let settle = |request: &Value| api.admin().post("/__admin/settle", request);
    for timeout in ["0ms", "50ms"] {
        let answer = settle(&json!({ "correlation_id": "mistyped", "timeout": timeout }));
        let error = answer.json()["error"].clone();
        assert_eq!((answer.status, &error["code"]), (404, &json!("unknown_correlation_id")), "{}", answer.shown());
        assert_eq!(error["pointer"], "/correlation_id");
        assert!(error["message"].as_str().is_some_and(|text| text.contains("'mistyped'")), "{error}");
        assert!(error["hint"].as_str().is_some_and(|text| text.contains("GET /__admin/jobs")), "{error}");
    }
    settle(&json!({ "timeout": "0ms" })).expect(200);
    // The job may be queued while the caller waits.
    let admin = api.admin();
    let request = json!({ "correlation_id": "late", "timeout": "60s" });
    let waiting = thread::spawn(move || admin.post("/__admin/settle", &request));
    let list = api.post("/contacts/v1/lists/create", &json!({ "name": "VIP" })).ok();
    let job = json!({
        "list_id": list["uid"], "merge_type": "skipDuplicates", "correlation_id": "late",
        "callback_url": format!("{}/__hook/default/inbox", api.url()),
        "contacts": [{ "phone_number": "+447700900001" }],
    });
    api.post("/contacts/v1/contacts", &job).expect(200);
    let answer = waiting.join().expect("answered");
    assert_eq!((answer.status, &answer.json()["delivered"]), (200, &json!(1)), "{}", answer.shown());
}

#[test]
fn a_server_that_stops_says_so_and_not_that_nothing_came() {
    let api = start_recording();
    create_world(&api, "asked", "1h");
    let admin = api.admin();
    let request = json!({ "match": { "operation": "lists.create" }, "timeout": "60000ms" });
    let waiting = thread::spawn(move || admin.post("/__admin/worlds/asked/journal/verify", &request));
    // While a request waits, the remaining time of the world does not decrease.
    until("it waits", || (find_world(&api, "asked")?["expires_in"] == "1h").then_some(()));
    api.stop();
    let answer = waiting.join().expect("answered");
    assert_eq!((answer.status, &answer.json()["error"]["code"]), (503, &json!("stopping")), "{}", answer.shown());
}
