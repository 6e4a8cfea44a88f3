//! Links from a request to its job and its callback, and back.

use std::thread;

use roost_tests::{Request, Served, until};
use serde_json::{Value, json};

use crate::{
    emulator::callbacks::{LIST, build_contacts, create_receiver, frozen_setup, request_contacts, wait_until_settled},
    rest::{creation_body, stored_contacts},
};

#[test]
fn a_request_a_job_and_its_callback_name_each_other() {
    let api = frozen_setup().recording().serve();
    let admin = api.admin();
    api.get("/contacts/v1/lists/").expect(200);
    request_contacts(&api, &create_receiver(&api, "inbox"), "job-1", &build_contacts([1]));
    wait_until_settled(&api);
    let callback = admin.get("/__admin/callbacks?correlation_id=job-1").items().remove(0);
    let job = admin.get(format!("/__admin/jobs/{}", callback["job_id"])).ok();
    // An entry is written when its request has ended, which may take a moment.
    let line_of = |operation: &str| -> Value {
        let found = admin.get(format!("/__admin/requests?filter=operation:{operation}&wait=30s")).items();
        admin.get(format!("/__admin/requests/{}", found[0]["seq"])).ok()
    };
    let (creation, sent) = (line_of("contacts.create"), line_of("callback"));
    let both = json!({ "number": creation["number"], "seq": creation["seq"] });
    let job = until("the job knows its line", || {
        let now = admin.get(format!("/__admin/jobs/{}", job["id"])).ok();
        (now["request"]["seq"] == creation["seq"]).then_some(now)
    });
    assert_eq!(job["request"], both);
    let listed = admin.get("/__admin/jobs").items().remove(0);
    assert_eq!(listed["request"], both);
    let written = json!([{ "index": 0, "outcome": "imported", "contact_id": stored_contacts(&api)[0]["uid"] }]);
    let rows = json!({ "imported": 1, "merged": 0, "items": written, "has_more": false });
    let links = |request: Value| json!({ "jobs": [job["id"]], "callbacks": [callback["id"]], "rows": rows, "request": request });
    assert_eq!(creation["links"], links(Value::Null));
    assert_eq!(sent["links"], links(both));
    let other = line_of("lists.query");
    assert_eq!(other["links"], json!({ "jobs": [], "callbacks": [], "rows": null, "request": null }));
}

#[test]
fn the_rows_of_a_large_job_are_listed_in_part() {
    let api = frozen_setup().recording().serve();
    let admin = api.admin();
    let merge = |contacts: &Value| {
        let body = json!({ "list_id": LIST, "merge_type": "mergeByPhoneNumberInList", "contacts": contacts });
        api.post("/contacts/v1/contacts", &body).expect(200);
        wait_until_settled(&api);
    };
    merge(&build_contacts([0, 149]));
    merge(&build_contacts(0..150));
    let lines = until("both lines are written", || {
        let lines = admin.get("/__admin/requests?filter=operation:contacts.create").items();
        (lines.len() == 2).then_some(lines)
    });
    let rows = &admin.get(format!("/__admin/requests/{}", lines[1]["seq"])).ok()["links"]["rows"];
    assert_eq!((&rows["imported"], &rows["merged"], &rows["has_more"]), (&json!(148), &json!(2), &json!(true)));
    let items = rows["items"].as_array().expect("rows");
    assert!(items.iter().enumerate().all(|(n, row)| row["index"] == n), "in the order of the request: {rows}");
    assert_eq!((items.len(), &items[0]["outcome"], &items[1]["outcome"]), (100, &json!("merged"), &json!("imported")));
}

#[test]
fn links_belong_to_their_epoch() {
    let api = frozen_setup().recording().serve();
    let admin = api.admin();
    request_contacts(&api, &create_receiver(&api, "inbox"), "before", &build_contacts([1]));
    wait_until_settled(&api);
    let first = admin.get("/__admin/jobs").items().remove(0);
    assert!(first["request"]["number"].is_u64(), "{first}");
    admin.post("/__admin/reset?keep=journal", &json!({})).expect(200);
    assert_eq!(admin.get("/__admin/jobs").items(), Vec::<Value>::new());
    // A request that is not recorded has no number, even if an earlier one had the same.
    admin.patch("/__admin/journal", &json!({ "enabled": false }));
    let lists = json!({ "lists": [{ "uid": LIST, "name": "VIP" }] });
    admin.put("/__admin/seed", &lists).expect(200);
    request_contacts(&api, &create_receiver(&api, "inbox"), "after", &build_contacts([1]));
    wait_until_settled(&api);
    let second = admin.get("/__admin/jobs").items().remove(0);
    assert_eq!(second["request"], Value::Null, "{second}");
}

/// Returns the operations of the entries, oldest first.
fn entry_operations(api: &Served) -> Vec<String> {
    let lines = api.admin().get("/__admin/requests?since=0&limit=1000").items();
    let names = lines.iter().map(|line| line["operation"].as_str().expect("a name").to_owned());
    names.filter(|name| !["admin.callbacks.list", "admin.settle"].contains(&name.as_str())).collect()
}

/// Starts a server that delays the answers to requests for contacts.
fn start_with_latency(latency: u64) -> Served {
    let api = frozen_setup().recording_admin().serve();
    let rule = json!({
        "match": { "operation": "contacts.create" }, "effect": { "latency": { "fixed": format!("{latency}ms") } }, "commit": "after",
    });
    api.admin().post("/__admin/faults/rules", &rule).expect(201);
    api
}

#[test]
fn what_follows_from_a_request_comes_after_it() {
    let api = start_with_latency(400);
    request_contacts(&api, &create_receiver(&api, "inbox"), "job-1", &build_contacts([1]));
    wait_until_settled(&api);
    assert_eq!(entry_operations(&api), ["admin.faults.add", "contacts.create", "hook", "callback"]);
}

#[test]
fn what_follows_from_a_request_that_takes_long_is_seen_before_its_answer() {
    let api = start_with_latency(60_000);
    thread::scope(|scope| {
        let caller = scope.spawn(|| {
            let mut body = creation_body("skipDuplicates", build_contacts([1]));
            body["callback_url"] = create_receiver(&api, "inbox").into();
            api.with_key("a-key").try_send(&Request::post("/contacts/v1/contacts").json(&body))
        });
        api.admin().get("/__admin/requests?filter=operation:callback&wait=30s").ok();
        assert_eq!(entry_operations(&api), ["admin.faults.add", "hook", "callback"]);
        api.admin().post("/__admin/reset", &json!({})).expect(200);
        caller.join().expect("a caller").expect_err("the reset ends the request");
    });
}

#[test]
fn what_is_sent_again_comes_after_the_request_that_caused_it() {
    let api = frozen_setup().recording_admin().serve();
    request_contacts(&api, &create_receiver(&api, "inbox"), "job-1", &build_contacts([1]));
    wait_until_settled(&api);
    let id = api.admin().get("/__admin/callbacks").items()[0]["id"].to_string();
    for _ in 0..50 {
        api.admin().post(format!("/__admin/callbacks/{id}/redeliver"), &json!({})).expect(200);
        wait_until_settled(&api);
    }
    let came = entry_operations(&api);
    assert_eq!(came[..3], ["contacts.create", "hook", "callback"]);
    assert_eq!(came.len(), 3 * 51);
    for round in came[3..].chunks(3) {
        assert_eq!(round, ["admin.callbacks.redeliver", "hook", "callback"]);
    }
}
