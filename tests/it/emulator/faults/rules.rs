//! Which requests a rule matches, how often and how long, and how rules are set, shown and removed.

use roost_tests::{Request, Served, seeds, until};
use roost_wire::OPERATIONS;
use serde_json::{Value, json};

use super::{
    CREATE, LISTS, add_rule, last_exchange, remove_rules, request_for, send_operation, start_recording, start_server,
};

fn outcome_row(api: &Served, count: usize) -> String {
    (0..count).map(|_| if api.get(LISTS).status == 503 { 'x' } else { '.' }).collect()
}

#[test]
fn counts_probabilities_windows_and_keys_apply() {
    let api = start_server();
    for (apply, want) in [
        (json!({ "first": 2 }), "xx...."),
        (json!({ "skip": 1, "first": 2 }), ".xx..."),
        (json!({ "every": 2 }), ".x.x.x"),
        (json!({ "recover_after": 3 }), "xxx..."),
    ] {
        remove_rules(&api);
        add_rule(&api, &json!({ "effect": { "status": 503 }, "apply": apply }));
        assert_eq!(outcome_row(&api, 6), want, "{apply}");
    }
    remove_rules(&api);
    let half = json!({ "effect": { "status": 503 }, "apply": { "probability": 0.5, "seed": 7 } });
    add_rule(&api, &half);
    let first = outcome_row(&api, 40);
    assert!(first.contains('x') && first.contains('.'), "{first}");
    remove_rules(&api);
    add_rule(&api, &half);
    assert_eq!(outcome_row(&api, 40), first, "the seed settles it");
    remove_rules(&api);
    add_rule(&api, &json!({ "effect": { "status": 503 }, "apply": { "window": { "after": "10s", "for": "5s" } } }));
    let mut seen = String::new();
    for _ in 0..4 {
        seen += &outcome_row(&api, 1);
        api.advance(5);
    }
    assert_eq!(seen, "..x.");
    remove_rules(&api);
    add_rule(&api, &json!({ "effect": { "status": 503 }, "apply": { "first": 1, "per_key_of": "key" } }));
    let statuses = ["one", "two", "one", "two"].map(|key| api.with_key(key).get(LISTS).status);
    assert_eq!(statuses, [503, 503, 200, 200]);
}

#[test]
fn values_of_the_body_are_counted_apart() {
    let api = start_server();
    for (place, given) in [("name", "/contacts"), ("/name", ""), ("header:x-run", "")] {
        remove_rules(&api);
        add_rule(&api, &json!({ "effect": { "status": 503 }, "apply": { "first": 1, "per_key_of": place } }));
        let statuses = ["one", "two", "one", "two"].map(|name| {
            let request =
                Request::post(CREATE).header("x-run", name).json(&json!({ "name": format!("{given}{name}") }));
            api.send(request).status
        });
        assert_eq!(statuses, [503, 503, 200, 200], "{place}");
    }
}

#[test]
fn a_rule_affects_only_the_requests_that_its_matcher_matches() {
    let api = start_server();
    let list = seeds::id("LST_", "1");
    for (matcher, wanted) in [
        (json!({ "operation": "lists.query" }), vec!["lists.query"]),
        (json!({ "operation": "lists" }), vec!["lists.query", "lists.create", "lists.delete"]),
        (json!({ "method": "DELETE", "path": { "contains": "/lists/" } }), vec!["lists.delete"]),
        (json!({ "body": { "pointer": { "/list_id": list } } }), vec!["contacts.create"]),
        (json!({ "key": "another" }), vec![]),
    ] {
        remove_rules(&api);
        add_rule(&api, &json!({ "match": matcher, "effect": { "status": 418 } }));
        let met: Vec<_> = OPERATIONS
            .iter()
            .filter(|operation| send_operation(&api, operation.id).status == 418)
            .map(|o| o.name)
            .collect();
        assert_eq!(met, wanted, "{matcher}");
    }
}

#[test]
fn the_first_rule_that_fits_is_the_only_one() {
    let api = start_server();
    add_rule(
        &api,
        &json!({ "name": "a", "match": { "operation": "lists" }, "effect": { "status": 500 }, "apply": { "first": 1 } }),
    );
    add_rule(&api, &json!({ "name": "b", "effect": { "status": 501 } }));
    assert_eq!([api.get(LISTS).status, api.get(LISTS).status], [500, 501]);
    let counts = |name: &str| {
        let shown = api.admin().get(format!("/__admin/faults/rules/{name}")).ok();
        [shown["seen"].as_u64(), shown["hits"].as_u64()]
    };
    assert_eq!((counts("a"), counts("b")), ([Some(2), Some(1)], [Some(1), Some(1)]));
}

#[test]
fn a_rule_ends_by_itself() {
    let api = start_server();
    api.admin().put("/__admin/clock", &json!({ "mode": "real" })).expect(200);
    add_rule(&api, &json!({ "effect": { "status": 503 }, "ttl": "300ms" }));
    until("it has ended", || (api.get(LISTS).status == 200).then_some(()));
    api.admin().put("/__admin/clock", &json!({ "mode": "frozen" })).expect(200);
    let shown = add_rule(&api, &json!({ "name": "brief", "effect": { "status": 503 }, "ttl": "10s" }));
    assert_eq!(shown["expires_in"], "10s");
    let advance = |by: &str| drop(api.admin().post("/__admin/clock/advance", &json!({ "by": by })).expect(200));
    advance("9s");
    assert_eq!(api.admin().get("/__admin/faults/rules/brief").ok()["expires_in"], "1s");
    api.get(LISTS).expect(503);
    advance("1s");
    api.get(LISTS).expect(200);
    api.admin().get("/__admin/faults/rules/brief").expect(404);
    assert_eq!(api.admin().get("/__admin/faults/rules").items().len(), 0);
    add_rule(&api, &json!({ "name": "brief", "effect": { "status": 503 } }));
}

#[test]
fn every_line_names_the_rule_that_fired() {
    let (api, journal) = start_recording();
    for effect in [
        json!({ "status": 503 }),
        json!({ "latency": { "fixed": "1ms" } }),
        json!({ "line": "empty" }),
        json!({ "line": "reset" }),
        json!({ "body": "malformed_json" }),
        json!({ "body": { "truncate": {} } }),
        json!({ "headers": { "x-a": "b" } }),
    ] {
        for (name, commit) in [("one", "before"), ("two", "after")] {
            remove_rules(&api);
            journal.clear();
            add_rule(&api, &json!({ "name": name, "effect": effect, "commit": commit }));
            let (method, target, _) = request_for(OPERATIONS[3].id);
            // Some of these send no answer.
            let _ = api.try_send(&Request::new(method, target));
            assert_eq!(last_exchange(&journal).rule.as_deref(), Some(name), "{effect} {commit}");
        }
    }
    remove_rules(&api);
    journal.clear();
    api.get(LISTS).expect(200);
    assert_eq!(last_exchange(&journal).rule, None);
}

#[test]
fn rules_are_shown_replaced_and_removed() {
    let api = start_server();
    let admin = api.admin();
    let rule = json!({ "effect": { "status": 503 } });
    let shown = add_rule(&api, &rule);
    let named = json!({ "name": "fault-1", "effect": { "status": 503 } });
    let want = json!({ "name": "fault-1", "source": "rule", "position": 1, "rule": named, "seen": 0, "hits": 0, "expires_in": null, "warning": null });
    assert_eq!(shown, want);
    assert_eq!(admin.get("/__admin/faults/rules").items(), [shown]);
    api.get(LISTS).expect(503);
    let replaced = admin.put("/__admin/faults/rules/fault-1", &json!({ "effect": { "status": 500 } })).ok();
    assert_eq!((&replaced["rule"]["effect"]["status"], &replaced["hits"]), (&json!(500), &json!(0)));
    api.get(LISTS).expect(500);
    admin.put("/__admin/faults/rules/mine", &rule).expect(200);
    let taken =
        admin.post("/__admin/faults/rules", &json!({ "name": "mine", "effect": { "status": 500 } })).expect(409);
    assert_eq!(taken.json()["error"]["code"], "conflict");
    admin.put("/__admin/faults/rules/mine", &named).expect(400);
    assert_eq!(admin.get("/__admin/faults/rules").column("name"), ["fault-1", "mine"]);
    admin.delete("/__admin/faults/rules/fault-1").expect(204);
    admin.delete("/__admin/faults/rules/fault-1").expect(404);
    api.get(LISTS).expect(503);
    remove_rules(&api);
    api.get(LISTS).expect(200);
}

#[track_caller]
fn refusal_message(api: &Served, rule: &Value) -> String {
    let answer = api.admin().post("/__admin/faults/rules", rule).expect(400);
    answer.json()["error"]["message"].as_str().expect("a message").to_owned()
}

#[test]
fn an_unknown_key_is_refused_with_its_neighbour() {
    let api = start_server();
    for (rule, near) in [
        (json!({ "efect": { "status": 503 } }), "effect"),
        (json!({ "effect": { "staus": 503 } }), "status"),
        (json!({ "effect": { "status": 503 }, "apply": { "propability": 1 } }), "probability"),
        (json!({ "effect": { "status": 503 }, "apply": { "window": { "from": "1s" } } }), "for"),
        (json!({ "effect": { "status": 503 }, "match": { "opration": "lists.query" } }), "operation"),
        (json!({ "effect": { "line": "rest" } }), "reset"),
        (json!({ "effect": { "body": { "trickle": { "bytePerSecond": 5 } } } }), "bytes_per_second"),
        (json!({ "effect": { "latency": { "fixd": 5 } } }), "fixed"),
    ] {
        let message = refusal_message(&api, &rule);
        assert!(message.contains(&format!("Did you mean '{near}'?")), "{rule}: {message}");
    }
    assert_eq!(api.admin().get("/__admin/faults/rules").items().len(), 0);
}

#[test]
fn what_cannot_be_a_rule_is_refused_with_its_reason() {
    let api = start_server();
    for (rule, reason) in [
        (json!({}), "effect"),
        (json!({ "effect": {} }), "effect: is empty"),
        (json!({ "effect": { "status": 200 } }), "from 400 to 599"),
        (json!({ "effect": { "status": 503 }, "name": "A" }), "a-z, 0-9"),
        (json!({ "effect": { "status": 503 }, "ttl": 5 }), "Expected a duration such as \"10s\", got 5"),
        (json!({ "effect": { "status": 503 }, "match": { "status": 200 } }), "before the response"),
    ] {
        let message = refusal_message(&api, &rule);
        assert!(message.contains(reason), "{rule}: {message}");
    }
}

#[test]
fn a_rule_that_never_fires_because_of_another_is_reported() {
    let api = start_server();
    let first = add_rule(&api, &json!({ "name": "all", "effect": { "status": 500 } }));
    assert_eq!(first["warning"], Value::Null);
    let second = add_rule(&api, &json!({ "match": { "operation": "lists" }, "effect": { "status": 503 } }));
    assert!(
        second["warning"].as_str().is_some_and(|text| text.starts_with("The rule 'all' is tried first")),
        "{second}"
    );
    let listed = api.admin().get("/__admin/faults/rules").items();
    assert_eq!(listed[1]["warning"], second["warning"]);
    let late = json!({ "effect": { "status": 503 }, "ttl": "1m", "apply": { "window": { "after": "1m" } } });
    for mode in ["real", "frozen"] {
        api.admin().put("/__admin/clock", &json!({ "mode": mode })).expect(200);
        let response = api.admin().post("/__admin/faults/rules", &late).expect(400).json();
        assert_eq!(response["error"]["pointer"], "/apply/window/after", "{response}");
    }
}

#[test]
fn a_429_says_when_to_try_again() {
    let api = start_server();
    for (effect, want) in [
        (json!({ "status": 429 }), Some("1")),
        (json!({ "status": 429, "retry_after": "7s" }), Some("7")),
        (json!({ "status": 429, "headers": { "Retry-After": "soon" } }), Some("soon")),
        (json!({ "status": 503 }), None),
    ] {
        remove_rules(&api);
        add_rule(&api, &json!({ "effect": effect }));
        assert_eq!(api.get(LISTS).header("retry-after"), want, "{effect}");
    }
}

#[test]
fn a_key_in_a_rule_is_shown_by_its_beginning() {
    let (api, journal) = start_recording();
    let matcher = json!({ "key": "opensesame", "headers": { "X-AUTH-KEY": { "in": ["opensesame"] } } });
    let shown = add_rule(&api, &json!({ "name": "hers", "match": matcher, "effect": { "status": 503 } }));
    assert_eq!(shown["rule"]["match"]["key"], "open…");
    let all = api.admin().get("/__admin/faults/rules").text();
    assert!(!all.contains("opensesame"), "{all}");
    let lines = journal.read_page(None, 100, |_| true).lines;
    assert!(lines.iter().all(|line| !format!("{line:?}").contains("opensesame")));
    assert!(lines.iter().all(|line| !String::from_utf8_lossy(line.request.body.bytes()).contains("opensesame")));
    assert_eq!(api.with_key("opensesame").get(LISTS).status, 503, "it is known in full");
    assert_eq!(api.with_key("open…").get(LISTS).status, 200);
}

#[test]
fn refused_unmatched_and_operator_requests_are_not_seen_by_any_rule() {
    let api = start_server();
    add_rule(&api, &json!({ "name": "all", "effect": { "line": "empty" } }));
    api.without("x-auth-key").get(LISTS).expect(401);
    api.get("/contacts/v1/nowhere").expect(404);
    api.admin().get("/__admin/info").expect(200);
    assert_eq!(api.admin().get("/__admin/faults/rules/all").ok()["seen"], 0);
}

#[test]
fn faults_and_their_absence_leave_the_same_answers() {
    let (plain, armed) = (start_server(), start_server());
    let rule = |name: &str| json!({ "name": name, "match": { "key": "nobody" }, "effect": { "status": 503 } });
    // Both servers receive the same number of requests, because IDs depend on the number of requests that may write.
    add_rule(&plain, &rule("gone"));
    plain.admin().delete("/__admin/faults/rules/gone").expect(204);
    add_rule(&armed, &rule("first"));
    add_rule(&armed, &rule("second"));
    for operation in &OPERATIONS {
        let (a, b) = (send_operation(&plain, operation.id), send_operation(&armed, operation.id));
        let without_urls = |text: String, api: &Served| text.replace(api.url(), "");
        assert_eq!(
            (a.status, without_urls(a.text(), &plain)),
            (b.status, without_urls(b.text(), &armed)),
            "{}",
            operation.name
        );
    }
}
