//! A change that has no effect as things stand is accepted, and the response warns of it.

use roost_tests::{Answer, Setup};
use serde_json::{Value, json};

const SETTINGS: &str = "/__admin/settings";
const LIMITS: &str = "/__admin/limits";

/// Returns what the response warns of.
fn read_warning(answer: &Answer) -> String {
    assert_eq!(answer.status, 200, "{}", answer.shown());
    answer.header("x-roost-warning").unwrap_or_default().to_owned()
}

#[test]
fn a_change_without_effect_is_warned_of_and_one_with_an_effect_is_not() {
    let api = Setup::new().at("2026-01-05T09:00:00Z").serve();
    let admin = api.admin();
    admin.post("/__admin/worlds", &json!({ "name": "ci" })).expect(201);
    for base in ["/__admin", "/__admin/worlds/ci"] {
        let patch = |path: &str, request: &Value| read_warning(&admin.patch(path.replace("/__admin", base), request));
        let put = |path: &str, request: &Value| read_warning(&admin.put(path.replace("/__admin", base), request));
        put(SETTINGS, &json!({}));
        put(LIMITS, &json!({}));
        // Each part that another setting makes idle, and the same once it counts.
        assert_eq!(patch(SETTINGS, &json!({ "limits": "off" })), "");
        let warning = patch(SETTINGS, &json!({ "limits.per_second": 7 }));
        assert_eq!(warning, "limits.per_second: has no effect while limits is off.");
        assert_eq!(patch(SETTINGS, &json!({ "limits": "on", "limits.per_second": 8 })), "");
        if base == "/__admin" {
            let warning = patch(SETTINGS, &json!({ "auth.keys": ["first-key"] }));
            assert_eq!(warning, "auth.keys: has no effect while auth is any. Set auth to keys.");
            assert_eq!(patch(SETTINGS, &json!({ "auth": "keys" })), "");
            assert_eq!(patch(SETTINGS, &json!({ "auth.keys": [] })), "");
            let warning = put(SETTINGS, &json!({ "auth": "off", "auth.keys": "first-key" }));
            assert_eq!(warning, "auth.keys: has no effect while auth is off. Set auth to keys.");
            put(SETTINGS, &json!({}));
        }
        put("/__admin/callback_policy", &json!({ "backoff": ["5s"] }));
        let warning = patch(SETTINGS, &json!({ "callback.retries": [1, 2] }));
        assert_eq!(warning, "callback.retries: has no effect while the callback policy has a backoff of its own.");
        assert_eq!(put("/__admin/callback_policy", &json!({})), "");
        assert_eq!(patch(SETTINGS, &json!({ "callback.retries": [1, 2] })), "");
        // The limits.
        let warning = patch(LIMITS, &json!({ "enabled": false, "per_second": 3, "scope": "key" }));
        assert_eq!(
            warning,
            "per_second: has no effect while enabled is false. scope: has no effect while enabled is false."
        );
        assert_eq!(patch(LIMITS, &json!({ "enabled": true })), "");
        assert_eq!(patch(LIMITS, &json!({ "algorithm": "fixed_window", "per_second": 3 })), "");
        let warning = patch(LIMITS, &json!({ "burst": 3 }));
        assert_eq!(warning, "burst: has no effect with a fixed window.");
        admin.put(format!("{base}/faults/profile"), &json!({ "name": "rate-limited" })).expect(200);
        let warning = patch(LIMITS, &json!({ "enabled": true, "per_second": 5, "status": 503 }));
        let by_profile = |names: [&str; 2]| {
            names
                .map(|name| format!("{name}: has no effect while the fault profile rate-limited sets the limit."))
                .join(" ")
        };
        assert_eq!(warning, by_profile(["enabled", "per_second"]), "the status counts all the same");
        let warning = patch(SETTINGS, &json!({ "limits.per_second": 5, "limits": "off", "status.list_create": 201 }));
        assert_eq!(warning, by_profile(["limits", "limits.per_second"]));
        admin.put(format!("{base}/faults/profile"), &json!({ "name": null })).expect(200);
        // The policies.
        for (request, idle) in [
            (json!({ "progress": "manual", "after": "5m" }), "after: has no effect while progress is manual."),
            (json!({ "polls": 3 }), "polls: has no effect while progress is immediate."),
            (json!({ "progress": "after", "per_second": 3 }), "per_second: has no effect while progress is after."),
        ] {
            assert_eq!(put("/__admin/job_policy", &request), idle, "{request}");
            // What was read can be written again.
            let read = admin.get(format!("{base}/job_policy")).ok();
            put("/__admin/job_policy", &read);
        }
        for request in
            [json!({}), json!({ "progress": "after", "after": "5m" }), json!({ "progress": "rate", "per_second": 3 })]
        {
            assert_eq!(put("/__admin/job_policy", &request), "", "{request}");
        }
        let warning = put("/__admin/callback_policy", &json!({ "retries": 0, "backoff": ["5s"], "jitter": 0.5 }));
        assert_eq!(warning, "backoff: has no effect while retries is 0. jitter: has no effect while retries is 0.");
        assert_eq!(put("/__admin/callback_policy", &json!({ "retries": 2, "jitter": 0.5 })), "");
    }
}
