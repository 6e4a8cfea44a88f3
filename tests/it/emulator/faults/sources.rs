//! Rules from other sources: profiles, plans, magic numbers, and requests of callers.

use std::time::{Duration, Instant};

use roost_tests::{Client, Request, Served, seconds, seeds};
use serde_json::{Value, json};

use super::{CREATE, LISTS, last_exchange, remove_rules, start_recording, start_server};

/// Returns the results of requests over ten minutes: the status, or a dash if the connection ended.
fn request_outcomes(api: &Served) -> Vec<String> {
    (0..120)
        .map(|n: i64| {
            api.advance(5);
            let request = match n % 3 {
                0 => Request::get(LISTS),
                1 => Request::get("/contacts/v1/optouts"),
                _ => Request::post(CREATE).json(&json!({ "name": format!("List {n}") })),
            };
            // Each request has its own connection, because some connections end.
            let answer = api.with("x-run", n.to_string()).try_send(&request);
            answer.map_or("-".to_owned(), |answer| answer.status.to_string())
        })
        .collect()
}

#[test]
fn a_plan_replays() {
    let request = json!({ "seed": 7, "length": "10m", "intensity": 0.5 });
    let planned = |api: &Served| api.admin().put("/__admin/faults/plan", &request).expect(200).json();
    let (one, two) = (start_server(), start_server());
    let plan = planned(&one);
    assert_eq!(plan, planned(&two));
    assert_eq!(plan["id"], "plan-7-10m-0.5");
    assert_eq!(one.admin().get("/__admin/faults/plan").ok()["plan"], plan);
    let rules = |api: &Served| -> Vec<Value> {
        api.admin().get("/__admin/faults/rules").items().iter().map(|fault| fault["rule"].clone()).collect()
    };
    assert_eq!(json!(rules(&one)), plan["rules"], "what is shown is what is armed");
    let met = request_outcomes(&one);
    assert_eq!(met, request_outcomes(&two));
    assert!(met.iter().any(|status| status == "200") && met.iter().any(|status| status != "200"), "{met:?}");
    one.admin().delete("/__admin/faults/plan").expect(204);
    assert_eq!(one.admin().get("/__admin/faults/plan").ok()["plan"], Value::Null);
    assert_eq!(rules(&one).len(), 0);
    one.admin().put("/__admin/faults/plan", &json!({ "intensity": 2 })).expect(400);
}

fn create_request(number: &str) -> Request {
    let contacts = json!([{ "phone_number": "+447700900050" }, { "phone_number": number }]);
    let body = json!({ "list_id": seeds::id("LST_", "1"), "merge_type": "skipDuplicates", "contacts": contacts });
    Request::post("/contacts/v1/contacts").json(&body)
}

fn has_contact(api: &Served, number: &str) -> bool {
    api.settle();
    api.admin().get("/__admin/export").text().contains(number.trim_start_matches('+'))
}

#[test]
fn magic_numbers_do_what_their_list_says() {
    let list = |api: &Client| api.get("/__admin/faults/magic").ok();
    let off = start_server();
    let mut numbers = list(&off.admin())["items"].as_array().expect("a list").clone();
    assert_eq!((list(&off.admin())["enabled"].as_bool(), numbers.len()), (Some(false), 9));
    // The others concern jobs and are tested there.
    numbers.retain(|magic| magic["job"].is_null());
    assert_eq!(numbers.len(), 5);
    for magic in &numbers {
        let number = magic["number"].as_str().expect("a number");
        off.send(create_request(number)).expect(200);
        assert!(has_contact(&off, number), "off, {number} is a number like all others");
    }
    let (api, journal) = start_recording();
    assert_eq!(api.admin().put("/__admin/faults/magic", &json!({ "enabled": true })).ok()["enabled"], true);
    for magic in &numbers {
        let (number, rule) = (magic["number"].as_str().expect("a number"), &magic["rule"]);
        journal.clear();
        let begun = Instant::now();
        let answer = api.with("x-run", number).try_send(&create_request(number));
        let effect = &rule["effect"];
        match effect["status"].as_u64() {
            Some(status) => {
                let answer = answer.expect("an answer");
                assert_eq!(u64::from(answer.status), status, "{}", answer.shown());
                if let Some(error) = effect["error"].as_str() {
                    assert_eq!(answer.json()["error"], error);
                    assert_eq!(answer.json()["validation_errors"][0]["field"], "contacts[1].phone_number");
                }
                if let Some(after) = seconds(&effect["retry_after"]) {
                    assert_eq!(answer.header("retry-after"), Some(after.to_string().as_str()));
                }
            }
            None if effect["line"].is_string() => assert!(answer.is_err(), "{magic}"),
            None => {
                answer.expect("an answer").expect(200);
                let least = seconds(&effect["latency"]["fixed"]).expect("a latency");
                assert!(begun.elapsed().as_secs_f64() >= least, "{magic}");
            }
        }
        let is_stored = effect["status"].is_null() && (effect["line"].is_null() || rule["commit"] == "after");
        assert_eq!(has_contact(&api, number), is_stored, "{magic}");
        assert_eq!(last_exchange(&journal).rule.as_deref(), rule["name"].as_str());
    }
    assert_eq!(api.admin().put("/__admin/faults/magic", &json!({ "enabled": false })).ok()["enabled"], false);
    api.send(create_request("+447700900908")).expect(200);
}

#[test]
fn a_magic_number_is_found_in_a_query_too() {
    let api = start_server();
    api.admin().put("/__admin/faults/magic", &json!({ "enabled": true })).expect(200);
    let list = seeds::id("LST_", "1");
    for search in ["%2B447700900908", "447700900908", "+447700900908"] {
        api.get(format!("/contacts/v1/contacts/list/{list}?search={search}")).expect(503);
    }
    let answer = api.get("/contacts/v1/optouts?number=447700900901").expect(400);
    assert_eq!(answer.json()["validation_errors"][0]["field"], "number");
    api.get(format!("/contacts/v1/contacts/list/{list}?search=447700900900")).expect(200);
}

#[test]
fn prefer_is_ignored_unless_allowed() {
    let (api, journal) = start_recording();
    let prefers = |value: &str| api.send(Request::get(LISTS).header("prefer", value));
    assert_eq!(api.admin().get("/__admin/faults/prefer").ok(), json!({ "enabled": false }));
    prefers("code=429").expect(200);
    assert_eq!(last_exchange(&journal).rule, None);
    api.admin().put("/__admin/faults/prefer", &json!({ "enabled": true })).expect(200);
    prefers("code=429").expect(429);
    assert_eq!(last_exchange(&journal).rule.as_deref(), Some("prefer"));
    let begun = Instant::now();
    prefers("code=503, delay=200").expect(503);
    prefers("delay=200").expect(200);
    assert!(begun.elapsed() >= Duration::from_millis(400));
    for left_aside in ["code=200", "respond-async", "code=x", ""] {
        prefers(left_aside).expect(200);
    }
    api.admin().put("/__admin/faults/prefer", &json!({ "enabled": false })).expect(200);
    prefers("code=429").expect(200);
}

#[test]
fn profiles_are_the_rules_they_show() {
    let api = start_server();
    let admin = api.admin();
    let profiles = admin.get("/__admin/faults/profiles").items();
    assert_eq!(profiles.len(), 5);
    assert_eq!(admin.get("/__admin/faults/profile").ok(), json!({ "name": null }));
    for profile in &profiles {
        let name = &profile["name"];
        assert_eq!(admin.put("/__admin/faults/profile", &json!({ "name": name })).ok(), json!({ "name": name }));
        let armed = admin.get("/__admin/faults/rules").items();
        assert!(armed.iter().all(|fault| fault["source"] == "profile"), "{armed:?}");
        let rules: Vec<Value> = armed
            .iter()
            .map(|fault| {
                let mut rule = fault["rule"].clone();
                // The seed was drawn when the rule was armed. It is shown, so that a run can be repeated.
                if let Some(apply) = rule["apply"].as_object_mut() {
                    apply.remove("seed");
                }
                if rule["apply"] == json!({}) {
                    rule.as_object_mut().expect("a rule").remove("apply");
                }
                rule
            })
            .collect();
        assert_eq!(json!(rules), profile["rules"], "{name}");
    }
    // The last profile is the outage.
    let refused = api.get(LISTS).expect(503);
    assert_eq!(refused.header("retry-after"), Some("30"));
    api.advance(30);
    api.get(LISTS).expect(200);
    admin.put("/__admin/faults/rules/mine", &json!({ "effect": { "status": 500 } })).expect(200);
    let refused = admin.put("/__admin/faults/profile", &json!({ "name": "calm" })).expect(400);
    assert!(refused.text().contains("slow, flaky, lossy-callbacks, outage"), "{}", refused.shown());
    admin.put("/__admin/faults/profile", &json!({ "name": null })).expect(200);
    assert_eq!(admin.get("/__admin/faults/rules").column("name"), ["mine"], "rules of one's own stay");
    remove_rules(&api);
}
