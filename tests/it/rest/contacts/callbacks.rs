//! Callbacks of finished jobs: when they are sent, what they contain, and how often they are repeated.

use roost_tests::{Receiver, Reply, Served, Setup, seeds, until};
use serde_json::{Value, json};

use super::{LIST, contacts_of, creation_body, stored_contacts};

fn callback_setup() -> Setup {
    Setup::new().at("2026-01-05T10:00:00Z").seed(json!({ "lists": [seeds::list(LIST, "VIP", json!([]))] }))
}

/// Requests contacts with a callback.
#[track_caller]
fn request_contacts(api: &Served, url: &str, merge_type: &str, contacts: Value) {
    let mut body = creation_body(merge_type, contacts);
    body["callback_url"] = json!(url);
    body["correlation_id"] = json!("job-17");
    api.post("/contacts/v1/contacts", &body).expect(200);
}

fn one_contact() -> Value {
    json!([{ "phone_number": "07700900001" }])
}

/// Returns the only callback once it is settled.
#[track_caller]
fn settled_callback(api: &Served) -> Value {
    until("the callback is settled", || {
        let callbacks = api.admin().get("/__admin/callbacks").items();
        callbacks.first().filter(|callback| callback["state"] != "waiting").cloned()
    })
}

/// Proves: D87.
#[test]
fn a_callback_comes_once_a_job_when_asked_for_and_after_the_data() {
    let receiver = Receiver::start();
    let api = callback_setup().serve();
    super::create_contacts(&api, "skipDuplicates", json!([{ "phone_number": "07700900009" }]));
    request_contacts(&api, &receiver.url("/hook"), "skipDuplicates", one_contact());
    receiver.wait_for(1);
    assert_eq!(stored_contacts(&api).len(), 2, "readable before the first try");
    settled_callback(&api);
    request_contacts(&api, &receiver.url("/second"), "skipDuplicates", one_contact());
    let targets: Vec<String> = receiver.wait_for(2).into_iter().map(|call| call.target).collect();
    assert_eq!(targets, ["/hook", "/second"]);
    assert_eq!(api.admin().get("/__admin/callbacks").items().len(), 2, "one a job that asked");
}

/// Proves: D87.
#[test]
fn a_job_that_did_nothing_calls_back_too() {
    let receiver = Receiver::start();
    let api = callback_setup().serve();
    super::create_contacts(&api, "skipDuplicates", one_contact());
    request_contacts(&api, &receiver.url("/"), "skipDuplicates", one_contact());
    let results = json!({ "total_contacts_failed": "0", "total_contacts_imported": "0", "total_contacts_merged": "0" });
    assert_eq!(receiver.wait_for(1)[0].json()["results"], results);
}

/// Proves: D88.
#[test]
fn the_payload_is_that_of_the_interface() {
    let receiver = Receiver::start();
    let api = callback_setup().serve();
    request_contacts(&api, &receiver.url("/hook"), "skipDuplicates", one_contact());
    let results = json!({ "total_contacts_failed": "0", "total_contacts_imported": "1", "total_contacts_merged": "0" });
    let mut payload = json!({
        "timestamp": "2026-01-05T10:00:00Z", "results": results, "list_id": LIST, "list_name": "VIP", "correlation_id": "job-17",
    });
    assert_eq!(receiver.wait_for(1)[0].json(), payload);
    let mut body = creation_body("allowDuplicates", one_contact());
    body["callback_url"] = json!(receiver.url("/hook"));
    api.post("/contacts/v1/contacts", &body).expect(200);
    payload["correlation_id"] = Value::Null;
    assert_eq!(receiver.wait_for(2)[1].json(), payload);
}

/// Proves: D89.
#[test]
fn only_records_made_and_updated_are_counted() {
    let receiver = Receiver::start();
    let api = callback_setup().serve();
    super::create_contacts(
        &api,
        "allowDuplicates",
        json!([{ "phone_number": "07700900001" }, { "phone_number": "07700900001" }]),
    );
    let both = json!([{ "phone_number": "07700900001" }, { "phone_number": "07700900002" }]);
    request_contacts(&api, &receiver.url("/"), "skipDuplicates", both.clone());
    request_contacts(&api, &receiver.url("/"), "mergeByPhoneNumberInList", both);
    let counts: Vec<Value> = receiver.wait_for(2).iter().map(|call| call.json()["results"].clone()).collect();
    let expected = |imported: &str, merged: &str| json!({ "total_contacts_failed": "0", "total_contacts_imported": imported, "total_contacts_merged": merged });
    assert!(counts.contains(&expected("1", "0")), "one skipped is in none: {counts:?}");
    assert!(counts.contains(&expected("0", "3")), "two records of one number, one of the other: {counts:?}");
}

/// Proves: D90.
#[test]
fn the_request_is_a_plain_post_without_a_key() {
    let receiver = Receiver::start();
    let api = callback_setup().serve();
    request_contacts(&api, &receiver.url("/hook?a=b%20c"), "skipDuplicates", one_contact());
    let call = receiver.wait_for(1).swap_remove(0);
    assert_eq!((call.method.as_str(), call.target.as_str()), ("POST", "/hook?a=b%20c"));
    assert_eq!(call.header("content-type"), Some("application/json"));
    let agent = call.header("user-agent").expect("a user agent");
    assert!(agent.starts_with("roost/"), "{agent}");
    for (name, _) in &call.headers {
        let plain = ["host", "accept", "content-type", "content-length", "user-agent"];
        assert!(plain.contains(&name.to_lowercase().as_str()), "no key, no signature, nothing else: {name}");
    }
    settled_callback(&api);
    assert_eq!(receiver.received().len(), 1, "nothing was asked before and nothing came after");
}

/// Proves: D90.
#[test]
fn redirects_are_not_followed() {
    let elsewhere = Receiver::start();
    let receiver = Receiver::replying([Reply::Redirect(elsewhere.url("/"))]);
    let api = callback_setup().serve();
    request_contacts(&api, &receiver.url("/hook"), "skipDuplicates", one_contact());
    assert_eq!(settled_callback(&api)["state"], "given_up");
    assert_eq!((receiver.received().len(), elsewhere.received().len()), (1, 0));
}

/// Proves: D90, D91.
#[test]
fn a_receiver_that_says_nothing_has_ten_seconds_and_another_chance() {
    let receiver = Receiver::replying([Reply::Silence]);
    let api = callback_setup().set("callback.retries", "0").serve();
    request_contacts(&api, &receiver.url("/hook"), "skipDuplicates", one_contact());
    let calls = receiver.wait_for(2);
    let waited = (calls[1].at - calls[0].at).as_secs_f32();
    assert!((9.5..15.0).contains(&waited), "{waited} s");
    let attempts = settled_callback(&api)["attempts"].clone();
    assert_eq!((&attempts[0]["status"], &attempts[1]["status"]), (&Value::Null, &json!(200)));
    assert_eq!(attempts[0]["error"], "no answer within 10 s");
}

/// Proves: D91.
#[test]
fn what_may_pass_is_tried_again_with_the_same_bytes() {
    let passing = [
        Reply::Status(500),
        Reply::Status(408),
        Reply::Status(429),
        Reply::Status(503),
        Reply::Status(599),
        Reply::Close,
    ];
    let receiver = Receiver::replying(passing.into_iter().chain([Reply::Status(299)]));
    let api = callback_setup().set("callback.retries", "0,0,0,0,0,0,0,0").serve();
    request_contacts(&api, &receiver.url("/hook"), "skipDuplicates", one_contact());
    let calls = receiver.wait_for(7);
    assert!(calls.iter().all(|call| call.body == calls[0].body && call.headers == calls[0].headers));
    let callback = settled_callback(&api);
    assert_eq!((&callback["state"], callback["attempts"].as_array().map(Vec::len)), (&json!("delivered"), Some(7)));
    assert_eq!(receiver.received().len(), 7);
}

/// Proves: D91.
#[test]
fn a_callback_that_cannot_succeed_is_given_up() {
    for status in [300, 304, 400, 401, 404, 410] {
        let receiver = Receiver::replying([Reply::Status(status)]);
        let api = callback_setup().set("callback.retries", "0,0").serve();
        request_contacts(&api, &receiver.url("/hook"), "skipDuplicates", one_contact());
        let callback = settled_callback(&api);
        assert_eq!((&callback["state"], &callback["attempts"][0]["status"]), (&json!("given_up"), &json!(status)));
        assert_eq!(receiver.received().len(), 1, "{status}");
    }
    let receiver = Receiver::replying(std::iter::repeat_n(Reply::Status(500), 9));
    let api = callback_setup().set("callback.retries", "0,0,0").serve();
    request_contacts(&api, &receiver.url("/hook"), "skipDuplicates", one_contact());
    assert_eq!(settled_callback(&api)["state"], "given_up");
    assert_eq!(receiver.received().len(), 4, "one try and three more");
    let receiver = Receiver::replying([Reply::Status(500)]);
    let api = callback_setup().set("callback.retries", "").serve();
    request_contacts(&api, &receiver.url("/hook"), "skipDuplicates", one_contact());
    assert_eq!(settled_callback(&api)["state"], "given_up", "no waits, one try only");
}

/// Proves: D91.
#[test]
fn three_more_tries_come_a_minute_apart() {
    let (receiver, other) = (Receiver::replying(std::iter::repeat_n(Reply::Status(500), 4)), Receiver::start());
    let api = callback_setup().serve();
    assert_eq!(api.admin().get("/__admin/settings").ok()["callback.retries"], json!([60, 60, 60]));
    let url = receiver.url("/hook");
    request_contacts(&api, &url, "skipDuplicates", one_contact());
    receiver.wait_for(1);
    for (attempts, next) in [(1, "2026-01-05T10:01:00Z"), (2, "2026-01-05T10:02:00Z"), (3, "2026-01-05T10:03:00Z")] {
        let callback = until("the attempt is recorded", || {
            let callback =
                api.admin().get("/__admin/callbacks").items().into_iter().find(|callback| callback["url"] == url)?;
            let last = callback["attempts"].get(attempts - 1)?;
            (!last["status"].is_null()).then_some(callback)
        });
        assert_eq!((&callback["state"], &callback["next_at"]), (&json!("waiting"), &json!(next)));
        assert_eq!(receiver.received().len(), attempts, "nothing comes before its time");
        api.advance(60);
        // The end of another job wakes the sender, which finds that the time has come.
        request_contacts(&api, &other.url("/"), "skipDuplicates", one_contact());
        receiver.wait_for(attempts + 1);
    }
}

/// Proves: D91.
#[test]
fn every_attempt_is_recorded() {
    let receiver = Receiver::replying([Reply::Status(500), Reply::Close]);
    let api = callback_setup().set("callback.retries", "0,0").serve();
    request_contacts(&api, &receiver.url("/hook"), "skipDuplicates", one_contact());
    let callback = settled_callback(&api);
    let attempts = callback["attempts"].as_array().expect("attempts");
    let seen: Vec<_> =
        attempts.iter().map(|a| (a["number"].as_u64(), a["status"].as_u64(), a["error"].is_string())).collect();
    assert_eq!(seen, [(Some(1), Some(500), false), (Some(2), None, true), (Some(3), Some(200), false)]);
    for attempt in attempts {
        assert_eq!(
            (&attempt["started_at"], &attempt["finished_at"]),
            (&json!("2026-01-05T10:00:00Z"), &json!("2026-01-05T10:00:00Z"))
        );
    }
    assert_eq!((&callback["url"], &callback["correlation_id"]), (&json!(receiver.url("/hook")), &json!("job-17")));
    assert_eq!(api.get(contacts_of(LIST)).items().len(), 1);
}
