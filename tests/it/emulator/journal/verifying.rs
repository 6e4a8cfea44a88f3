//! Counting, finding and verifying requests.

use std::{
    thread,
    time::{Duration, Instant},
};

use roost_tests::{Receiver, Served, Setup, seeds};
use serde_json::{Value, json};

use super::{MAKE_LIST, REQUESTS, entry_numbers, make_list, read_page, start_recording};

fn verify_calls(api: &Served, request: &Value) -> (u16, Value) {
    let answer = api.admin().post("/__admin/journal/verify", request);
    (answer.status, answer.json())
}

#[test]
fn verify_waits_for_what_is_to_come() {
    let api = start_recording();
    make_list(&api, "one");
    let begun = Instant::now();
    let request = json!({ "match": { "operation": "lists.create" }, "times": { "at_least": 3 }, "timeout": "60000ms" });
    let (status, result) = thread::scope(|scope| {
        let verifying = scope.spawn(|| verify_calls(&api, &request));
        make_list(&api, "two");
        make_list(&api, "three");
        verifying.join().expect("an answer")
    });
    assert_eq!((status, &result["verified"], &result["matched"]), (202, &json!(true), &json!(3)), "{result}");
    assert!(begun.elapsed() < Duration::from_secs(60));
    // A failure that no later request can fix is reported at once.
    let request = json!({ "match": { "operation": "lists.create" }, "times": { "at_most": 2 }, "timeout": "60000ms" });
    let begun = Instant::now();
    let (status, result) = verify_calls(&api, &request);
    assert_eq!((status, &result["matched"], &result["wanted"]), (406, &json!(3), &json!("at most 2")), "{result}");
    assert!(begun.elapsed() < Duration::from_secs(30), "it did not wait");
    let (status, _) = verify_calls(&api, &json!({ "match": { "operation": "lists.delete" }, "timeout": "20ms" }));
    assert_eq!(status, 406);
}

#[test]
fn verify_waits_the_whole_time_where_a_late_request_would_break_it() {
    let api = start_recording();
    make_list(&api, "one");
    for (times, late_status) in
        [(json!({ "at_most": 1 }), 406), (json!({ "exactly": 1 }), 406), (json!({ "at_most": 9 }), 202)]
    {
        api.admin().delete(REQUESTS).expect(204);
        make_list(&api, "first");
        let request = json!({
            "match": { "operation": "lists.create" }, "times": times, "timeout": "400ms", "message": "no second list",
        });
        let begun = Instant::now();
        let (status, result) = verify_calls(&api, &request);
        assert_eq!((status, &result["message"]), (202, &json!("no second list")), "{times}: {result}");
        assert!(begun.elapsed() >= Duration::from_millis(400), "{times}");
        let (status, result) = thread::scope(|scope| {
            let verifying = scope.spawn(|| {
                verify_calls(&api, &json!({ "timeout": "2000ms", "match": request["match"], "times": times }))
            });
            thread::sleep(Duration::from_millis(100));
            make_list(&api, "late");
            verifying.join().expect("an answer")
        });
        assert_eq!(status, late_status, "{times}: {result}");
    }
    let none = json!({ "match": { "operation": "lists.delete" }, "times": { "exactly": 0 }, "timeout": "300ms" });
    let begun = Instant::now();
    assert_eq!(verify_calls(&api, &none).0, 202);
    assert!(begun.elapsed() >= Duration::from_millis(300));
}

#[test]
fn verify_says_that_the_journal_was_cleared() {
    let api = start_recording();
    let note = |request: Value| verify_calls(&api, &request).1["note"].clone();
    let one = || json!({ "match": { "operation": "lists.query" } });
    assert_eq!(note(one()), Value::Null);
    api.get("/contacts/v1/lists/").expect(200);
    assert_eq!(note(one()), Value::Null);
    api.admin().delete("/__admin/requests").expect(204);
    assert!(note(one()).as_str().is_some_and(|note| note.starts_with("The journal was cleared")));
    api.admin().post("/__admin/reset", &json!({})).expect(200);
    assert!(note(one()).as_str().is_some_and(|note| note.starts_with("The last reset, restore or seed")));
    assert_eq!(note(json!({ "match": {}, "since": 0 })), Value::Null);
    api.get("/contacts/v1/lists/").expect(200);
    assert_eq!(note(one()), Value::Null, "it is verified");
}

#[test]
fn verify_shows_the_nearest_misses() {
    let api = start_recording();
    make_list(&api, "VIP");
    api.get("/contacts/v1/lists/?name=VIP").expect(200);
    let (status, result) = verify_calls(
        &api,
        &json!({ "match": { "operation": "lists.create", "status": 200, "body": { "pointer": { "/name": "Gold" } } } }),
    );
    assert_eq!((status, &result["verified"], &result["matched"]), (406, &json!(false), &json!(0)), "{result}");
    assert_eq!(result["nearest"][0]["seq"], json!(1));
    assert_eq!(
        result["nearest"][0]["misses"],
        json!([{ "field": "body/name", "wanted": "Gold", "found": "\"VIP\"" }]),
        "{result}"
    );
    let fields = |near: &Value| -> Vec<String> {
        let misses = near["misses"].as_array().expect("misses");
        misses.iter().map(|miss| miss["field"].as_str().expect("a field").to_owned()).collect()
    };
    assert_eq!(fields(&result["nearest"][1]), ["operation", "body/name"]);
}

#[test]
fn verify_knows_how_often_and_in_which_order() {
    let api = start_recording();
    make_list(&api, "a");
    api.get("/contacts/v1/lists/").expect(200);
    api.get("/nowhere").expect(404);
    make_list(&api, "b");
    let named = |name: &str| json!({ "operation": "lists.create", "body": { "equal_to_json": { "name": name } } });
    let query = json!({ "operation": "lists.query" });
    for (matchers, want) in [
        (json!([named("a"), query, named("b")]), 202),
        (json!([named("a"), named("b")]), 202),
        (json!([named("b"), named("a")]), 406),
        (json!([query, query]), 406),
    ] {
        let (status, result) = verify_calls(&api, &json!({ "match": matchers, "order": true }));
        assert_eq!(status, want, "{matchers}: {result}");
    }
    for (times, want) in [
        (json!({ "exactly": 2 }), 202),
        (json!({ "at_least": 2, "at_most": 2 }), 202),
        (json!({ "at_least": 3 }), 406),
        (json!({ "exactly": 1 }), 406),
    ] {
        let (status, result) = verify_calls(&api, &json!({ "match": { "operation": "lists.create" }, "times": times }));
        assert_eq!(status, want, "{times}: {result}");
    }
    let (status, result) = verify_calls(&api, &json!({ "match": { "operation": "lists.create" }, "since": "0.1" }));
    assert_eq!((status, &result["lines"]), (202, &json!([4])), "{result}");
    for faulty in [
        json!({ "match": [] , "order": true }),
        json!({ "match": [{}] }),
        json!({ "match": {}, "order": true }),
        json!({ "match": [{}], "order": true, "times": { "exactly": 1 } }),
        json!({ "match": {}, "timeout": "300001ms" }),
        json!({ "match": {}, "times": { "exactly": 1, "at_least": 5 } }),
        json!({ "match": {}, "times": { "at_least": 3, "at_most": 1 } }),
        json!({}),
    ] {
        assert_eq!(verify_calls(&api, &faulty).0, 400, "{faulty}");
    }
}

#[test]
fn a_gap_is_reported_and_never_guessed_over() {
    let api = start_recording();
    let admin = api.admin();
    admin.patch("/__admin/journal", &json!({ "lines": 3 })).expect(200);
    for n in 0..5 {
        make_list(&api, &format!("list {n}"));
    }
    let code = |path: &str, body: Value| {
        let answer = admin.post(format!("/__admin/journal/{path}"), &body);
        (answer.status, answer.json()["error"]["code"].clone())
    };
    let gap = (409, json!("journal_gap"));
    let all = json!({ "match": { "operation": "lists.create" } });
    for path in ["verify", "count", "find"] {
        assert_eq!(code(path, all.clone()), gap, "{path}");
    }
    assert_eq!(code("verify", json!({ "match": {}, "since": 1 })), gap);
    assert_eq!(code("verify", json!({ "match": {}, "since": 2, "times": { "exactly": 3 } })).0, 202);
    assert_eq!(code("verify", json!({ "match": {}, "since": 6 })), (409, json!("reset_meanwhile")));
    let read = read_page(&api, "?since=0");
    assert_eq!((entry_numbers(&read), &read["gap"]), (vec![3, 4, 5], &json!({ "first": 1, "last": 2 })));
    assert_eq!(read["dropped"], json!(2));
    // Entries that were deleted on purpose leave no gap.
    admin.delete(format!("{REQUESTS}?before=5")).expect(204);
    assert_eq!(code("verify", json!({ "match": {}, "times": { "exactly": 1 } })).0, 202);
    admin.delete(REQUESTS).expect(204);
    assert_eq!(code("verify", json!({ "match": {} })).0, 406);
    admin.patch("/__admin/journal", &json!({ "enabled": false })).expect(200);
    for path in ["verify", "count", "find"] {
        assert_eq!(code(path, all.clone()), (409, json!("not_recording")), "{path}");
    }
    admin.get(format!("{REQUESTS}?since=5&wait=1s")).expect(409);
}

#[test]
fn wiremock_matchers_are_understood() {
    let api = start_recording();
    make_list(&api, "VIP");
    make_list(&api, "Gold");
    let admin = api.admin();
    for (matcher, want) in [
        (json!({ "method": "POST", "path": MAKE_LIST }), 2),
        (json!({ "method": "ANY", "path": { "matches": "/contacts/.*/create" } }), 2),
        (json!({ "url": MAKE_LIST, "body": [{ "equal_to_json": "{\"name\": \"VIP\"}" }] }), 1),
        (json!({ "method": "POST", "body": [{ "matches_json_path": "$.name" }, { "contains": "Gold" }] }), 1),
        (json!({ "headers": { "Content-Type": { "contains": "json" }, "x-none": { "absent": true } } }), 2),
        (json!({ "method": "GET" }), 0),
    ] {
        let count = admin.post("/__admin/journal/count", &matcher).ok();
        assert_eq!(count["count"], json!(want), "{matcher}");
        let found = admin.post("/__admin/journal/find", &matcher).ok();
        assert_eq!(found["items"].as_array().map(Vec::len), Some(want), "{matcher}");
    }
    let found = admin.post("/__admin/journal/find", &json!({ "match": {}, "limit": 1 })).ok();
    assert_eq!((&found["count"], &found["items"][0]["seq"]), (&json!(2), &json!(2)));
}

#[test]
fn a_key_is_matched_though_it_is_not_kept() {
    let api = start_recording();
    api.with_key("checkout-one").get("/contacts/v1/lists/").expect(200);
    api.with_key("checkout-two").get("/contacts/v1/lists/").expect(200);
    for (key, want) in [("checkout-one", 1), ("checkout-two", 1), ("checkout-six", 0), ("chec*", 2), ("checkout*", 0)] {
        let count = api.admin().post("/__admin/journal/count", &json!({ "key": key })).ok();
        assert_eq!(count["count"], json!(want), "{key}");
    }
    let (_, result) = verify_calls(&api, &json!({ "match": { "key": "checkout-six" } }));
    let miss = &result["nearest"][0]["misses"][0];
    assert_eq!((&miss["wanted"], &miss["found"]), (&json!("chec…"), &json!("chec…")));
}

#[test]
fn callbacks_are_verified_too() {
    let list = seeds::id("LST_", "1");
    let mut setup = Setup::new().seed(json!({ "lists": [seeds::list(&list, "VIP", json!([]))] }));
    setup.config.journal = roost_emulator::Journal::new_recording();
    let api = setup.serve();
    let receiver = Receiver::start();
    let body = json!({
        "list_id": list,
        "merge_type": "allowDuplicates",
        "contacts": [{ "phone_number": seeds::mobile(1) }],
        "callback_url": receiver.url("/hook"),
        "correlation_id": "c-1"
    });
    let created = api.post("/contacts/v1/contacts", &body);
    assert!((200..300).contains(&created.status), "{}", created.shown());
    let request = json!({
        "match": { "direction": "out", "path": "/hook", "status": 200, "body": { "contains": "c-1" } },
        "timeout": "60000ms"
    });
    let (status, result) = verify_calls(&api, &request);
    assert_eq!(status, 202, "{result}");
    // By default, only incoming requests count.
    let count = api.admin().post("/__admin/journal/count", &json!({ "method": "POST" })).ok();
    assert_eq!(count["count"], json!(1));
}

#[test]
fn an_unknown_word_of_a_matcher_names_its_neighbour() {
    let api = start_recording();
    for (request, want) in [
        (json!({ "match": { "opration": "x" } }), "Did you mean 'operation'?"),
        (json!({ "match": { "headers": { "x": { "equalsTo": "1" } } } }), "match.headers.x: unknown key 'equalsTo'"),
        (json!({ "match": [{}, { "methd": "GET" }], "order": true }), "match[1]: unknown key 'methd'"),
    ] {
        let (status, result) = verify_calls(&api, &request);
        let message = result["error"]["message"].as_str().expect("a message").to_owned();
        assert!(status == 400 && message.contains(want), "{request}: {message}");
    }
}
