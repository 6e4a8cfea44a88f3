//! Rate limits: which requests are counted, when the limit is reached, and the response then.

use std::time::{Duration, Instant};

use roost_tests::{
    Answer, Client, Request, Served, Setup,
    expected::{C, L, message_only, shape_b},
    until,
};
use roost_wire::OPERATIONS;
use serde_json::json;

fn start_limited(per_second: &str) -> Served {
    Setup::new().set("limits", "on").set("limits.per_second", per_second).serve()
}

/// Sends requests until one exceeds the limit, and returns the number before it.
fn exhaust_limit(client: &Client, request: &Request) -> (usize, Answer) {
    for count in 0..500 {
        let answer = client.send(request.clone());
        if answer.status == 429 {
            return (count, answer);
        }
    }
    panic!("500 requests were no burst");
}

/// Proves: D24.
#[test]
fn every_operation_has_a_bucket_of_its_own_for_each_key() {
    let api = start_limited("1");
    for operation in &OPERATIONS {
        let request = Request::new(operation.method.as_str(), operation.path.replace(['{', '}'], ""));
        // A slow machine may find a new token, but every lane begins with one.
        let first = api.send(request.clone());
        assert_ne!(first.status, 429, "{} shares a lane", operation.name);
        exhaust_limit(&api, &request);
        let other = api.with_key("another-key").send(request);
        assert_ne!(other.status, 429, "{} shares its lane among keys", operation.name);
    }
}

/// Proves: D13, D24.
#[test]
fn head_takes_its_token_where_get_does() {
    let api = start_limited("1");
    let (begun, _) = (Instant::now(), exhaust_limit(&api, &Request::get("/contacts/v1/lists/")));
    let answer = api.send(Request::new("HEAD", "/contacts/v1/lists/"));
    assert!(answer.status == 429 || begun.elapsed() > Duration::from_millis(900), "{}", answer.shown());
}

/// Proves: D24.
#[test]
fn without_keys_there_is_one_bucket_an_operation() {
    let api = Setup::new().set("auth", "off").set("limits", "on").set("limits.per_second", "1").serve();
    exhaust_limit(&api.with_key("one"), &Request::get("/contacts/v1/lists/"));
    let begun = Instant::now();
    let answer = api.with_key("two").get("/contacts/v1/lists/");
    assert!(answer.status == 429 || begun.elapsed() > Duration::from_millis(900), "{}", answer.shown());
    api.with_key("two").get("/contacts/v1/optouts").expect(200);
}

/// Proves: D25.
#[test]
fn a_bucket_starts_full_with_ten_and_refills_by_ten_a_second() {
    let api = Setup::new().set("limits", "on").serve();
    let begun = Instant::now();
    let (count, _) = exhaust_limit(&api, &Request::get("/contacts/v1/lists/"));
    let refilled = begun.elapsed().as_millis() as usize / 100 + 1;
    assert!((10..=10 + refilled).contains(&count), "{count} before the limit, {refilled} refilled at most");
    let (emptied, took) = (Instant::now(), api.get("/contacts/v1/lists/"));
    if took.status == 429 {
        until("a token is there", || (api.get("/contacts/v1/lists/").status == 200).then_some(()));
        assert!(emptied.elapsed() < Duration::from_secs(5), "a tenth of a second makes one token");
    }
}

/// Proves: D25.
#[test]
fn refusals_of_the_key_take_no_token_and_every_later_outcome_does() {
    let keys = r#"[{"value":"good-key"},{"value":"senders-only","permissions":["senders"]}]"#;
    let setup = Setup::new().set("limits", "on").set("limits.per_second", "2");
    let api = setup.set("auth", "keys").set("auth.keys", keys).serve();
    for _ in 0..10 {
        api.with_key("bad-key").get("/contacts/v1/lists/").expect(401);
        api.with_key("senders-only").get("/contacts/v1/lists/").expect(403);
    }
    let good = api.with_key("good-key");
    // A refused query takes a token like an answered one.
    let (count, _) = exhaust_limit(&good, &Request::get("/contacts/v1/lists/?page_size=0"));
    assert!(count < 20, "{count}");
    exhaust_limit(&good, &Request::new("HEAD", "/contacts/v1/lists/"));
    exhaust_limit(&good, &Request::post("/contacts/v1/contacts").body("["));
    exhaust_limit(&good, &Request::delete("/assets/v1/senders/unknown"));
}

/// Proves: D24, D25.
#[test]
fn the_rate_is_a_setting_and_so_is_having_none() {
    let begun = Instant::now();
    let (count, _) = exhaust_limit(&start_limited("3"), &Request::get("/contacts/v1/lists/"));
    let refilled = begun.elapsed().as_millis() as usize * 3 / 1_000 + 1;
    assert!((3..=3 + refilled).contains(&count), "{count}");
    let api = Setup::new().serve();
    for _ in 0..100 {
        api.get("/contacts/v1/lists/").expect(200);
    }
}

/// Proves: D26.
#[test]
fn over_the_limit_every_shape_says_when_to_come_again_and_nothing_changes() {
    let api = start_limited("1");
    let expected = |family| shape_b(429, family, "LIM_001", "TOO_MANY_REQUESTS", "Too many requests");
    let create = Request::post("/contacts/v1/lists/create").json(&json!({ "name": "VIP" }));
    let (made, refused) = exhaust_limit(&api, &create);
    refused.is(&expected(C));
    let (_, sender) = exhaust_limit(&api, &Request::get("/assets/v1/senders/"));
    sender.is(&message_only(429, "Too many requests"));
    let (_, link) = exhaust_limit(&api, &Request::post("/assets/v1/shortlink/filter").json(&json!({})));
    link.is(&expected(L));
    for answer in [refused, sender, link] {
        assert_eq!(answer.header("retry-after"), Some("1"), "{}", answer.shown());
    }
    let lists = api.get("/contacts/v1/lists/").ok();
    assert_eq!(lists["paging"]["total_items"], made, "what was refused was not made");
}
