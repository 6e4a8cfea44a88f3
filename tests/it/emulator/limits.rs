//! Rate limits: changing them while the server runs, and inspecting each bucket, by the clock of the world.

use std::time::Duration;

use roost_emulator::Journal;
use roost_tests::{Client, Request, Served, Setup, until};
use serde_json::{Value, json};

const LISTS: &str = "/contacts/v1/lists/";
const OPT_OUTS: &str = "/contacts/v1/optouts";
const LIMITS: &str = "/__admin/limits";
const BUCKETS: &str = "/__admin/limits/buckets";

/// A server with a frozen clock, so that no tokens are added.
fn start_frozen() -> Served {
    Setup::new().at("2026-01-05T09:00:00Z").set("limits", "on").serve()
}

fn set_limit(api: &Served, request: &Value) -> Value {
    api.admin().patch(LIMITS, request).ok()
}

/// Counts the requests that are admitted before one is refused.
fn count_admitted(client: &Client, target: &str) -> usize {
    let is_through = |_: &usize| client.get(target).status == 200;
    (0..100).take_while(is_through).count()
}

fn read_buckets(api: &Served) -> Vec<Value> {
    api.admin().get(BUCKETS).items()
}

fn bucket_levels(buckets: &[Value]) -> Vec<(&str, &str, u64, u64)> {
    buckets
        .iter()
        .map(|bucket| {
            let text = |name: &str| bucket[name].as_str().unwrap_or("-");
            let number = |name: &str| bucket[name].as_u64().expect("a number");
            (text("key"), text("operation"), number("level"), number("refused"))
        })
        .collect()
}

/// Proves: D24, D25, D26.
#[test]
fn the_limit_that_was_never_changed_is_the_documented_one() {
    let api = start_frozen();
    let shown = api.admin().get(LIMITS).ok();
    let want = json!({
        "enabled": true, "algorithm": "token_bucket", "per_second": 10, "burst": 10, "scope": "key+operation", "status": 429,
        "retry_after": "computed", "profile": null,
    });
    assert_eq!(shown, want);
    assert!(read_buckets(&api).is_empty());
    let one = api.with_key("first-key");
    assert_eq!(count_admitted(&one, LISTS), 10);
    one.get(OPT_OUTS).expect(200);
    let shown = read_buckets(&api);
    assert_eq!(bucket_levels(&shown), [("firs…", "lists.query", 0, 1), ("firs…", "optouts.query", 9, 0)]);
    assert_eq!((&shown[0]["capacity"], &shown[0]["full_in"]), (&json!(10), &json!("1s")));
    api.core().ctx().advance_by(Duration::from_millis(300));
    assert_eq!(bucket_levels(&read_buckets(&api))[0].2, 3, "three tenths of a second make three tokens");
    assert_eq!(count_admitted(&one, LISTS), 3);
}

#[test]
fn limits_can_be_changed_in_every_part() {
    let api = start_frozen();
    let (one, two) = (api.with_key("first-key"), api.with_key("second-key"));
    for (scope, want) in
        [("key+operation", [2, 2, 2, 2]), ("key", [2, 0, 2, 0]), ("operation", [2, 2, 0, 0]), ("world", [2, 0, 0, 0])]
    {
        set_limit(&api, &json!({ "per_second": 2, "scope": scope }));
        let found = [
            count_admitted(&one, LISTS),
            count_admitted(&one, OPT_OUTS),
            count_admitted(&two, LISTS),
            count_admitted(&two, OPT_OUTS),
        ];
        assert_eq!(found, want, "{scope}");
    }
    set_limit(&api, &json!({ "per_second": 1, "burst": 5, "scope": "key+operation" }));
    assert_eq!(count_admitted(&one, LISTS), 5, "the burst");
    api.core().ctx().advance_by(Duration::from_secs(2));
    assert_eq!(count_admitted(&one, LISTS), 2, "and then the rate");
    let shown = set_limit(&api, &json!({ "algorithm": "fixed_window", "per_second": 3 }));
    assert_eq!((&shown["algorithm"], &shown["burst"]), (&json!("fixed_window"), &json!(3)));
    assert_eq!(count_admitted(&one, LISTS), 3);
    api.core().ctx().advance_by(Duration::from_millis(999));
    assert_eq!(count_admitted(&one, LISTS), 0, "the same second");
    api.core().ctx().advance_by(Duration::from_millis(1));
    assert_eq!(count_admitted(&one, LISTS), 3, "the next one");
    for (status, retry, header, family) in [
        (503, json!("none"), None, Some("SERVICE_UNAVAILABLE")),
        (429, json!("7s"), Some("7"), Some("TOO_MANY_REQUESTS")),
        (429, json!("computed"), Some("1"), Some("TOO_MANY_REQUESTS")),
    ] {
        set_limit(&api, &json!({ "per_second": 1, "status": status, "retry_after": retry }));
        assert_eq!(count_admitted(&one, LISTS), 1);
        let answer = one.get(LISTS);
        assert_eq!((answer.status, answer.header("retry-after")), (status, header), "{}", answer.shown());
        assert_eq!(answer.json()["error"].as_str(), family, "{}", answer.shown());
        // Every change starts with full buckets.
        set_limit(&api, &json!({ "per_second": 2 }));
    }
    set_limit(&api, &json!({ "enabled": false }));
    assert_eq!(count_admitted(&one, LISTS), 100);
    assert!(read_buckets(&api).is_empty());
}

#[test]
fn put_replaces_a_limit_and_patch_changes_it() {
    let api = start_frozen();
    let first = api.admin().get(LIMITS).ok();
    set_limit(&api, &json!({ "per_second": 3, "scope": "key", "status": 503 }));
    let shown = api.admin().put(LIMITS, &json!({ "scope": "world" })).ok();
    assert_eq!((&shown["scope"], &shown["per_second"], &shown["status"]), (&json!("world"), &json!(10), &json!(429)));
    assert_eq!(api.admin().put(LIMITS, &json!({})).ok(), first);
}

#[test]
fn limits_and_settings_are_one_thing() {
    let api = start_frozen();
    let settings = || api.admin().get("/__admin/settings").ok();
    set_limit(&api, &json!({ "algorithm": "fixed_window", "per_second": 3 }));
    assert_eq!((&settings()["limits"], &settings()["limits.per_second"]), (&json!("on"), &json!(3)));
    set_limit(&api, &json!({ "enabled": false }));
    assert_eq!(settings()["limits"], "off");
    api.admin().patch("/__admin/settings", &json!({ "limits": "on", "limits.per_second": 4 })).expect(200);
    let shown = api.admin().get(LIMITS).ok();
    let found = (&shown["algorithm"], &shown["per_second"], &shown["burst"]);
    assert_eq!(found, (&json!("fixed_window"), &json!(4), &json!(4)), "on again as it was");
    set_limit(&api, &json!({ "algorithm": "token_bucket", "burst": 9 }));
    api.admin().patch("/__admin/settings", &json!({ "limits.per_second": 2 })).expect(200);
    let shown = api.admin().get(LIMITS).ok();
    assert_eq!((&shown["per_second"], &shown["burst"]), (&json!(2), &json!(9)), "a burst of its own stays");
}

#[test]
fn an_invalid_limit_is_refused_and_changes_nothing() {
    let api = start_frozen();
    let before = api.admin().get(LIMITS).ok();
    for (request, message) in [
        (json!({ "algorithm": "token_buckt" }), "Did you mean 'token_bucket'?"),
        (json!({ "perSeconds": 1 }), "Did you mean 'per_second'?"),
        (json!({ "per_second": 0 }), "per_second: expected an integer from 1"),
        (json!({ "burst": 1_000_001 }), "burst: expected an integer from 1"),
        (json!({ "scope": "account" }), "Unknown value 'account'"),
        (json!({ "status": 200 }), "from 400 to 599"),
        (json!({ "retry_after": "soon" }), "expected computed, none, or a duration such as 5s"),
        (
            json!({ "per_second": 7, "algorithm": "fixed_window", "burst": 8 }),
            "a fixed window accepts exactly per_second",
        ),
    ] {
        let answer = api.admin().patch(LIMITS, &request);
        assert_eq!(answer.status, 400, "{}", answer.shown());
        assert!(answer.text().contains(message), "{request}: {}", answer.text());
    }
    assert_eq!(api.admin().get(LIMITS).ok(), before);
}

#[test]
fn a_reset_goes_back_to_the_first_limit_unless_it_is_kept() {
    let api = start_frozen();
    let first = api.admin().get(LIMITS).ok();
    let one = api.with_key("first-key");
    set_limit(&api, &json!({ "per_second": 2, "scope": "key", "status": 503 }));
    assert_eq!(count_admitted(&one, LISTS), 2);
    api.admin().post("/__admin/reset?keep=limits", &json!({})).expect(200);
    let kept = api.admin().get(LIMITS).ok();
    assert_eq!((&kept["per_second"], &kept["scope"], &kept["status"]), (&json!(2), &json!("key"), &json!(503)));
    assert_eq!(count_admitted(&one, LISTS), 0, "with the buckets as they were");
    api.admin().post("/__admin/reset", &json!({})).expect(200);
    assert_eq!(api.admin().get(LIMITS).ok(), first);
    assert_eq!(count_admitted(&one, LISTS), 10);
}

#[test]
fn every_world_has_limits_of_its_own() {
    let api = start_frozen();
    let made = api.admin().post("/__admin/worlds", &json!({ "name": "tight" })).expect(201).json();
    api.admin().patch("/__admin/worlds/tight/limits", &json!({ "per_second": 1 })).expect(200);
    let there = api.with_key(made["api_key"].as_str().expect("a key"));
    let clock = json!({ "mode": "frozen", "now": "2026-01-05T09:00:00Z" });
    api.admin().put("/__admin/worlds/tight/clock", &clock).expect(200);
    assert_eq!((count_admitted(&there, LISTS), count_admitted(&api.with_key("first-key"), LISTS)), (1, 10));
    assert_eq!(api.admin().get("/__admin/worlds/tight/limits/buckets").items()[0]["refused"], 1);
}

#[test]
fn the_profile_rate_limited_is_a_limit() {
    let journal = Journal::new_recording();
    let mut setup = Setup::new().at("2026-01-05T09:00:00Z").set("limits", "off");
    setup.config.journal = journal.clone();
    let api = setup.serve();
    api.admin().put("/__admin/faults/profile", &json!({ "name": "rate-limited" })).expect(200);
    assert_eq!(count_admitted(&api, LISTS), 2);
    let last_query = || journal.read_page(None, 1, |line| line.operation.as_deref() == Some("lists.query")).lines.pop();
    let line = until("the line is written", || last_query().filter(|line| line.status == Some(429)));
    assert_eq!(line.rule.as_deref(), Some("rate-limited"), "who refused");
    let words = line.why.as_ref().map(|why| why.words.clone()).unwrap_or_default();
    assert!(
        words.starts_with("Limited to 2 per second: lists.query") && words.contains("profile rate-limited"),
        "{words}"
    );
    let limit = |shown: &Value| ["profile", "enabled", "per_second", "burst"].map(|name| shown[name].clone());
    let tight = [json!("rate-limited"), json!(true), json!(2), json!(2)];
    assert_eq!(limit(&api.admin().get(LIMITS).ok()), tight, "the limit in force");
    assert_eq!(read_buckets(&api)[0]["capacity"], 2);
    api.send(Request::get(LISTS)).expect(429);
    api.admin().put("/__admin/faults/profile", &json!({ "name": null })).expect(200);
    assert_eq!(limit(&api.admin().get(LIMITS).ok()), [json!(null), json!(false), json!(10), json!(10)]);
    assert_eq!(count_admitted(&api, LISTS), 100);
}
