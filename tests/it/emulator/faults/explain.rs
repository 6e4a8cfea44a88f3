//! Which of several rules matches a request: asked in advance, and observed.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::{LISTS, add_rule, last_exchange, start_recording, start_server};

const EXPLAIN: &str = "/__admin/faults/explain";

fn explain_request(api: &roost_tests::Served, request: &Value) -> Value {
    api.admin().post(EXPLAIN, request).ok()
}

#[test]
fn explain_names_the_rule_that_would_fire_and_why_the_others_would_not() {
    let api = start_server();
    for rule in [
        json!({ "name": "other", "match": { "operation": "lists.create" }, "effect": { "status": 500 } }),
        json!({ "name": "later", "effect": { "status": 500 }, "apply": { "skip": 1 } }),
        json!({ "name": "slow", "effect": { "latency": { "fixed": "1ms" } } }),
        json!({ "name": "down", "match": { "operation": "lists.query" }, "effect": { "status": 503 } }),
        json!({ "name": "behind", "effect": { "status": 502 } }),
    ] {
        add_rule(&api, &rule);
    }
    let explanation = explain_request(&api, &json!({ "url": LISTS }));
    assert_eq!(
        (&explanation["operation"], &explanation["fires"], &explanation["delays"]),
        (&json!("lists.query"), &json!("down"), &json!("slow"))
    );
    let why = |name: &str| {
        let row = explanation["items"].as_array().expect("rows").iter().find(|row| row["name"] == name).expect("a row");
        assert_eq!(row["fires"], row["why"].is_null(), "{row}");
        row["why"].as_str().unwrap_or_default().to_owned()
    };
    assert_eq!(why("other"), "the request does not match");
    assert_eq!(explanation["items"][0]["misses"][0]["field"], "operation");
    assert_eq!(why("later"), "the rule skips 1 more matches");
    assert_eq!((why("slow"), why("down")), (String::new(), String::new()));
    assert_eq!(why("behind"), "the rule 'down' fires first, and only one rule can");
}

#[test]
fn explain_knows_the_key_from_the_header_as_well() {
    let api = start_server();
    add_rule(&api, &json!({ "name": "down", "match": { "key": "zzz" }, "effect": { "status": 500 } }));
    for (request, fires) in [
        (json!({ "url": LISTS, "headers": { "X-AUTH-KEY": "zzz" } }), json!("down")),
        (json!({ "url": LISTS, "key": "zzz" }), json!("down")),
        (json!({ "url": LISTS, "headers": { "X-AUTH-KEY": "zzz" }, "key": "other" }), Value::Null),
        (json!({ "url": LISTS }), Value::Null),
    ] {
        assert_eq!(explain_request(&api, &request)["fires"], fires, "{request}");
    }
}

#[test]
fn explain_counts_nothing_and_agrees_with_what_happens() {
    let (api, journal) = start_recording();
    add_rule(&api, &json!({ "name": "once", "effect": { "status": 503 }, "apply": { "first": 1 } }));
    add_rule(
        &api,
        &json!({ "name": "chance", "effect": { "status": 500 }, "apply": { "probability": 0.5, "seed": 3 } }),
    );
    for n in 0..20 {
        let explanation = explain_request(&api, &json!({ "url": LISTS }));
        assert_eq!(explain_request(&api, &json!({ "url": LISTS })), explanation, "{n}");
        journal.clear();
        api.get(LISTS);
        assert_eq!(explanation["fires"].as_str(), last_exchange(&journal).rule.as_deref(), "{n}: {explanation}");
    }
    assert_eq!(api.admin().get("/__admin/faults/rules/once").ok()["hits"], 1);
}

#[test]
fn explain_refuses_a_request_that_no_rule_could_match() {
    let api = start_server();
    for (request, pointer) in [
        (json!({ "url": "/contacts/v1/list" }), "/url"),
        (json!({ "url": "nowhere" }), "/url"),
        (json!({ "url": LISTS, "method": "a b" }), "/method"),
        (json!({ "url": LISTS, "headers": { "a b": "c" } }), "/headers"),
        (json!({ "url": LISTS, "boddy": 1 }), "/boddy"),
    ] {
        let error = api.admin().post(EXPLAIN, &request).expect(400).json()["error"].clone();
        assert_eq!(error["pointer"], pointer, "{error}");
    }
    let error = api.admin().post(EXPLAIN, &json!({ "url": "/contacts/v1/list" })).expect(400).text();
    assert!(error.contains("Did you mean GET /contacts/v1/lists/"), "{error}");
}

#[test]
fn a_delay_goes_together_with_another_effect() {
    const WAIT: Duration = Duration::from_millis(150);
    let (api, journal) = start_recording();
    let delay = json!({ "name": "slow", "effect": { "latency": { "fixed": "150ms" } } });
    let fault = json!({ "name": "down", "effect": { "status": 503 } });
    for order in [[&delay, &fault], [&fault, &delay]] {
        order.iter().for_each(|rule| drop(add_rule(&api, rule)));
        journal.clear();
        let begun = Instant::now();
        api.get(LISTS).expect(503);
        assert!(begun.elapsed() >= WAIT, "{order:?}");
        assert_eq!(last_exchange(&journal).rule.as_deref(), Some("down"));
        for name in ["slow", "down"] {
            assert_eq!(api.admin().get(format!("/__admin/faults/rules/{name}")).ok()["hits"], 1, "{name}");
        }
        api.admin().delete("/__admin/faults").expect(204);
    }
    // Only one delay applies.
    add_rule(&api, &delay);
    add_rule(&api, &json!({ "name": "slower", "effect": { "latency": { "fixed": "20s" } } }));
    journal.clear();
    let begun = Instant::now();
    api.get(LISTS).expect(200);
    assert!((WAIT..Duration::from_secs(10)).contains(&begun.elapsed()));
    assert_eq!(last_exchange(&journal).rule.as_deref(), Some("slow"));
}

#[test]
fn a_rule_says_in_which_place_it_is_tried() {
    let api = start_server();
    let made: Vec<Value> = ["a", "b", "c"]
        .map(|name| add_rule(&api, &json!({ "name": name, "effect": { "status": 503 } }))["position"].clone())
        .into();
    assert_eq!(made, [1, 2, 3]);
    api.admin().delete("/__admin/faults/rules/a").expect(204);
    assert_eq!(api.admin().get("/__admin/faults/rules/c").ok()["position"], 2);
}
