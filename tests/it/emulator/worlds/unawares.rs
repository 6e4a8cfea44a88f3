//! Mistakes that are easy to make are prevented or reported.

use roost_tests::Setup;
use serde_json::{Value, json};

use super::create_world;

const LISTS: &str = "/contacts/v1/lists/";

#[test]
fn whoever_lists_keys_does_not_lock_out_those_of_the_world() {
    let api = Setup::new().serve();
    let world = create_world(&api, &json!({ "name": "a", "keys": ["a-key-of-mine"] }));
    let keys = json!({ "auth": "keys", "auth.keys": ["another-key"] });
    for method in ["PATCH", "PUT"] {
        let place = "/__admin/worlds/a/settings";
        let response = match method {
            "PUT" => api.admin().put(place, &keys),
            _ => api.admin().patch(place, &keys),
        };
        let shown = response.ok()["auth.keys"].as_array().map(Vec::len);
        assert_eq!(shown, Some(3), "{method}");
        for key in [world.key.as_str(), "a-key-of-mine", "another-key"] {
            api.with_key(key).get(format!("/w/a{LISTS}")).expect(200);
        }
        api.with_key("nobodys-key").get(format!("/w/a{LISTS}")).expect(401);
    }
}

#[test]
fn a_world_with_a_frozen_clock_says_that_limits_follow_it() {
    let api = Setup::new().set("limits", "on").serve();
    let frozen = json!({ "mode": "frozen", "now": "2026-01-05T09:00:00Z" });
    let follows = |response: &Value| response["note"].as_str().is_some_and(|note| note.contains("limits follow it"));
    let made = api.admin().post("/__admin/worlds", &json!({ "name": "still", "clock": frozen })).expect(201).json();
    assert!(follows(&made), "{made}");
    let real = api.admin().post("/__admin/worlds", &json!({ "name": "real" })).expect(201).json();
    assert_eq!(real["note"], Value::Null);
    assert_eq!(api.admin().get("/__admin/clock").ok()["note"], Value::Null);
    assert!(follows(&api.admin().put("/__admin/clock", &frozen).ok()));
    assert!(follows(&api.admin().get("/__admin/clock").ok()));
    api.admin().patch("/__admin/limits", &json!({ "enabled": false })).expect(200);
    assert_eq!(api.admin().get("/__admin/clock").ok()["note"], Value::Null, "nothing is limited");
}
