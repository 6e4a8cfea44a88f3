//! Which requests a rule meets, how often and how long; how rules are given, shown and taken away.

use roost_tests::{Request, Served, proofs, seeds, until};
use roost_wire::OPERATIONS;
use serde_json::{Value, json};

use super::{CREATE, LISTS, arm, ask, asks, disarm, last, recording, server};

proofs! {
    [] counts_probabilities_windows_and_keys_apply;
    [] values_of_the_body_are_counted_apart;
    [] a_rule_meets_what_its_matcher_fits;
    [] the_first_rule_that_fits_is_the_only_one;
    [] a_rule_ends_by_itself;
    [] every_line_names_the_rule_that_fired;
    [] rules_are_shown_replaced_and_removed;
    [] an_unknown_key_is_refused_with_its_neighbour;
    [] what_cannot_be_a_rule_is_refused_with_its_reason;
    [] a_key_in_a_rule_is_shown_by_its_beginning;
    [] who_is_not_let_in_meets_no_rule;
    [] faults_and_their_absence_leave_the_same_answers;
}

fn row(api: &Served, count: usize) -> String {
    (0..count).map(|_| if api.get(LISTS).status == 503 { 'x' } else { '.' }).collect()
}

fn counts_probabilities_windows_and_keys_apply() {
    let api = server();
    for (apply, want) in [
        (json!({ "first": 2 }), "xx...."),
        (json!({ "skip": 1, "first": 2 }), ".xx..."),
        (json!({ "every": 2 }), ".x.x.x"),
        (json!({ "recover_after": 3 }), "xxx..."),
    ] {
        disarm(&api);
        arm(&api, &json!({ "effect": { "status": 503 }, "apply": apply }));
        assert_eq!(row(&api, 6), want, "{apply}");
    }
    disarm(&api);
    let half = json!({ "effect": { "status": 503 }, "apply": { "probability": 0.5, "seed": 7 } });
    arm(&api, &half);
    let first = row(&api, 40);
    assert!(first.contains('x') && first.contains('.'), "{first}");
    disarm(&api);
    arm(&api, &half);
    assert_eq!(row(&api, 40), first, "the seed settles it");
    disarm(&api);
    arm(&api, &json!({ "effect": { "status": 503 }, "apply": { "window": { "after": "10s", "for": "5s" } } }));
    let mut seen = String::new();
    for _ in 0..4 {
        seen += &row(&api, 1);
        api.advance(5);
    }
    assert_eq!(seen, "..x.");
    disarm(&api);
    arm(&api, &json!({ "effect": { "status": 503 }, "apply": { "first": 1, "per_key_of": "key" } }));
    let statuses = ["one", "two", "one", "two"].map(|key| api.with_key(key).get(LISTS).status);
    assert_eq!(statuses, [503, 503, 200, 200]);
}

fn values_of_the_body_are_counted_apart() {
    let api = server();
    for (place, given) in [("name", "/contacts"), ("/name", ""), ("header:x-run", "")] {
        disarm(&api);
        arm(&api, &json!({ "effect": { "status": 503 }, "apply": { "first": 1, "per_key_of": place } }));
        let statuses = ["one", "two", "one", "two"].map(|name| {
            let request =
                Request::post(CREATE).header("x-run", name).json(&json!({ "name": format!("{given}{name}") }));
            api.send(request).status
        });
        assert_eq!(statuses, [503, 503, 200, 200], "{place}");
    }
}

fn a_rule_meets_what_its_matcher_fits() {
    let api = server();
    let list = seeds::id("LST_", "1");
    for (matcher, wanted) in [
        (json!({ "operation": "lists.query" }), vec!["lists.query"]),
        (json!({ "operation": "lists" }), vec!["lists.query", "lists.create", "lists.delete"]),
        (json!({ "method": "DELETE", "path": { "contains": "/lists/" } }), vec!["lists.delete"]),
        (json!({ "body": { "pointer": { "/list_id": list } } }), vec!["contacts.create"]),
        (json!({ "key": "another" }), vec![]),
    ] {
        disarm(&api);
        arm(&api, &json!({ "match": matcher, "effect": { "status": 418 } }));
        let met: Vec<_> =
            OPERATIONS.iter().filter(|operation| ask(&api, operation.id).status == 418).map(|o| o.name).collect();
        assert_eq!(met, wanted, "{matcher}");
    }
}

fn the_first_rule_that_fits_is_the_only_one() {
    let api = server();
    arm(
        &api,
        &json!({ "name": "a", "match": { "operation": "lists" }, "effect": { "status": 500 }, "apply": { "first": 1 } }),
    );
    arm(&api, &json!({ "name": "b", "effect": { "status": 501 } }));
    assert_eq!([api.get(LISTS).status, api.get(LISTS).status], [500, 501]);
    let counts = |name: &str| {
        let shown = api.admin().get(format!("/__admin/faults/rules/{name}")).ok();
        [shown["seen"].as_u64(), shown["hits"].as_u64()]
    };
    assert_eq!((counts("a"), counts("b")), ([Some(2), Some(1)], [Some(1), Some(1)]));
}

fn a_rule_ends_by_itself() {
    let api = server();
    let shown = arm(&api, &json!({ "name": "brief", "effect": { "status": 503 }, "ttl": "300ms" }));
    assert!(shown["expires_in"].as_str().is_some_and(|left| left.ends_with("ms")), "{shown}");
    until("it has ended", || (api.get(LISTS).status == 200).then_some(()));
    api.admin().get("/__admin/faults/rules/brief").expect(404);
    assert_eq!(api.admin().get("/__admin/faults/rules").items().len(), 0);
    arm(&api, &json!({ "name": "brief", "effect": { "status": 503 } }));
}

fn every_line_names_the_rule_that_fired() {
    let (api, journal) = recording();
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
            disarm(&api);
            journal.clear();
            arm(&api, &json!({ "name": name, "effect": effect, "commit": commit }));
            let (method, target, _) = asks(OPERATIONS[3].id);
            // Some of these have no answer.
            let _ = api.try_send(&Request::new(method, target));
            assert_eq!(last(&journal).rule.as_deref(), Some(name), "{effect} {commit}");
        }
    }
    disarm(&api);
    journal.clear();
    api.get(LISTS).expect(200);
    assert_eq!(last(&journal).rule, None);
}

fn rules_are_shown_replaced_and_removed() {
    let api = server();
    let admin = api.admin();
    let rule = json!({ "effect": { "status": 503 } });
    let shown = arm(&api, &rule);
    let named = json!({ "name": "fault-1", "effect": { "status": 503 } });
    let want = json!({ "name": "fault-1", "source": "rule", "position": 1, "rule": named, "seen": 0, "hits": 0, "expires_in": null });
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
    disarm(&api);
    api.get(LISTS).expect(200);
}

#[track_caller]
fn told(api: &Served, rule: &Value) -> String {
    let answer = api.admin().post("/__admin/faults/rules", rule).expect(400);
    answer.json()["error"]["message"].as_str().expect("a message").to_owned()
}

fn an_unknown_key_is_refused_with_its_neighbour() {
    let api = server();
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
        let message = told(&api, &rule);
        assert!(message.contains(&format!("Did you mean '{near}'?")), "{rule}: {message}");
    }
    assert_eq!(api.admin().get("/__admin/faults/rules").items().len(), 0);
}

fn what_cannot_be_a_rule_is_refused_with_its_reason() {
    let api = server();
    for (rule, reason) in [
        (json!({}), "effect"),
        (json!({ "effect": {} }), "effect: is empty"),
        (json!({ "effect": { "status": 200 } }), "from 400 to 599"),
        (json!({ "effect": { "status": 503 }, "name": "A" }), "a-z, 0-9"),
        (json!({ "effect": { "status": 503 }, "ttl": 5 }), "Expected a duration such as \"10s\", got 5"),
        (json!({ "effect": { "status": 503 }, "match": { "status": 200 } }), "before the response"),
    ] {
        let message = told(&api, &rule);
        assert!(message.contains(reason), "{rule}: {message}");
    }
}

fn a_key_in_a_rule_is_shown_by_its_beginning() {
    let (api, journal) = recording();
    let matcher = json!({ "key": "opensesame", "headers": { "X-AUTH-KEY": { "in": ["opensesame"] } } });
    let shown = arm(&api, &json!({ "name": "hers", "match": matcher, "effect": { "status": 503 } }));
    assert_eq!(shown["rule"]["match"]["key"], "open…");
    let all = api.admin().get("/__admin/faults/rules").text();
    assert!(!all.contains("opensesame"), "{all}");
    let lines = journal.page(None, 100, |_| true).lines;
    assert!(lines.iter().all(|line| !format!("{line:?}").contains("opensesame")));
    assert!(lines.iter().all(|line| !String::from_utf8_lossy(line.request.body.kept()).contains("opensesame")));
    assert_eq!(api.with_key("opensesame").get(LISTS).status, 503, "it is known in full");
    assert_eq!(api.with_key("open…").get(LISTS).status, 200);
}

fn who_is_not_let_in_meets_no_rule() {
    let api = server();
    arm(&api, &json!({ "name": "all", "effect": { "line": "empty" } }));
    api.without("x-auth-key").get(LISTS).expect(401);
    api.get("/contacts/v1/nowhere").expect(404);
    api.admin().get("/__admin/info").expect(200);
    assert_eq!(api.admin().get("/__admin/faults/rules/all").ok()["seen"], 0);
}

fn faults_and_their_absence_leave_the_same_answers() {
    let (plain, armed) = (server(), server());
    let rule = |name: &str| json!({ "name": name, "match": { "key": "nobody" }, "effect": { "status": 503 } });
    // Both are asked as often, since ids count what may change something.
    arm(&plain, &rule("gone"));
    plain.admin().delete("/__admin/faults/rules/gone").expect(204);
    arm(&armed, &rule("first"));
    arm(&armed, &rule("second"));
    for operation in &OPERATIONS {
        let (a, b) = (ask(&plain, operation.id), ask(&armed, operation.id));
        let without_urls = |text: String, api: &Served| text.replace(api.url(), "");
        assert_eq!(
            (a.status, without_urls(a.text(), &plain)),
            (b.status, without_urls(b.text(), &armed)),
            "{}",
            operation.name
        );
    }
}
