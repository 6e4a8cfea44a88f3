//! The state after any request equals the export at that time, whatever happened since.

use rand::{Rng, SeedableRng, rngs::StdRng};
use roost_tests::{Request, Served, Setup, seeds};
use serde_json::{Value, json};

use super::super::worlds::create_world;
use crate::rest::LIST;

fn world_setup() -> Setup {
    let custom = json!([{ "number": 1, "label": "City" }]);
    let contacts = json!([{ "phone_number": seeds::mobile(900) }]);
    let seed = json!({ "custom_fields": custom, "lists": [seeds::list(LIST, "VIP", contacts)] });
    Setup::new().at("2026-01-05T09:00:00Z").recording_admin().seed(seed)
}

/// Returns the content of an export without the numbers that were used up, which are never restored.
fn restorable_part(mut export: Value) -> Value {
    export.as_object_mut().map(|export| export.remove("used_up"));
    export
}

/// Returns the newest entry of the journal.
fn last_number(api: &Served) -> u64 {
    api.admin().get("/__admin/requests?limit=1").json()["last"].as_u64().expect("a number")
}

fn perform_random_act(api: &Served, chance: &mut StdRng) {
    let admin = api.admin();
    let number = |chance: &mut StdRng| seeds::mobile(chance.random_range(0..12));
    let one = |chance: &mut StdRng, path: &str, field: &str| {
        let items = api.admin().get(format!("/__admin/state/{path}?page_size=100")).items();
        let item = items.get(chance.random_range(0..items.len().max(1)))?;
        item[field].as_str().map(str::to_owned).or_else(|| item[field].as_u64().map(|n| n.to_string()))
    };
    match chance.random_range(0..12) {
        0 => {
            drop(api.post("/contacts/v1/lists/create", &json!({ "name": format!("L{}", chance.random_range(0..99)) })))
        }
        1 => {
            let merge = ["skipDuplicates", "allowDuplicates", "mergeByPhoneNumber"][chance.random_range(0..3)];
            let contacts: Vec<Value> = (0..chance.random_range(1..6))
                .map(|_| json!({ "phone_number": number(chance), "first_name": format!("N{}", chance.random_range(0..9)) }))
                .collect();
            api.post("/contacts/v1/contacts", &json!({ "list_id": LIST, "merge_type": merge, "contacts": contacts }));
        }
        2 => {
            if let Some(uid) = one(chance, "contacts", "uid") {
                api.send(Request::delete(format!("/contacts/v1/contacts/{uid}")));
            }
        }
        3 | 4 => drop(api.post("/contacts/v1/optouts", &json!({ "optouts": [{ "number": number(chance) }] }))),
        5 => drop(api.send(Request::delete("/contacts/v1/optouts").json(&json!({ "numbers": [number(chance)] })))),
        6 => drop(api.post("/assets/v1/shortlink", &json!({ "title": "x", "target_url": "https://shop.example/" }))),
        7 => {
            if let Some(id) = one(chance, "short_links", "link_id") {
                api.send(Request::delete(format!("/assets/v1/shortlink/{id}")));
            }
        }
        8 => drop(admin.post("/__admin/senders", &json!({ "name": format!("S{}", chance.random_range(0..999)) }))),
        9 => {
            drop(admin.post("/__admin/custom_fields", &json!({ "label": format!("F{}", chance.random_range(0..999)) })))
        }
        10 => {
            if let Some(uid) = one(chance, "contacts", "uid") {
                let body = json!({ "last_name": format!("M{}", chance.random_range(0..9)) });
                admin.put(format!("/__admin/state/contacts/{uid}"), &body);
            }
        }
        _ => {
            if let Some(uid) = one(chance, "lists", "uid").filter(|uid| uid != LIST) {
                api.send(Request::delete(format!("/contacts/v1/lists/{uid}")));
            }
        }
    }
    api.settle();
}

#[test]
fn the_state_at_any_request_is_what_an_export_showed_then() {
    for seed in 0..6 {
        let mut chance = StdRng::seed_from_u64(seed);
        let api = world_setup().serve();
        let mut exports = vec![(0, restorable_part(api.admin().get("/__admin/export").ok()))];
        for _ in 0..40 {
            perform_random_act(&api, &mut chance);
            let export = restorable_part(api.admin().get("/__admin/export").ok());
            exports.push((last_number(&api), export));
        }
        for (seq, before) in &exports {
            let state = restorable_part(api.admin().get(format!("/__admin/state?at={seq}")).ok());
            assert_eq!(state, *before, "seed {seed}, at {seq}");
        }
    }
}

#[test]
fn two_moments_differ_in_what_happened_between() {
    let api = world_setup().serve();
    let create = |name: &str| {
        api.post("/contacts/v1/lists/create", &json!({ "name": name })).expect(200);
        last_number(&api)
    };
    let (one, two) = (create("One"), create("Two"));
    create("Three");
    let names = |from: &str, to: &str| -> Vec<String> {
        let diff = api.admin().get(format!("/__admin/snapshots/{from}/diff/{to}")).ok();
        let added = diff["resources"]["lists"]["added"]["items"].as_array().expect("a list");
        added.iter().map(|record| record["fields"]["name"].as_str().expect("a name").to_owned()).collect()
    };
    assert_eq!(names(&format!("@{one}"), &format!("@{two}")), ["Two"]);
    assert_eq!(names(&format!("@{two}"), "now"), ["Three"]);
    assert_eq!(names("@0", "now"), ["One", "Two", "Three"]);
    api.admin().post("/__admin/snapshots", &json!({ "name": "here" })).expect(201);
    assert_eq!(names(&format!("@{one}"), "here"), ["Two", "Three"]);
    // A created world has its own history of states.
    let world = create_world(&api, &json!({ "name": "a" }));
    let (client, own) = (api.with_key(&world.key), api.with_token(&world.token));
    client.post("/contacts/v1/lists/create", &json!({ "name": "Own" })).expect(200);
    client.get("/contacts/v1/lists/").expect(200);
    assert_eq!(own.get("/__admin/state?at=1").ok()["lists"].as_array().map(Vec::len), Some(1));
    assert_eq!(own.get("/__admin/state?at=0").ok()["lists"].as_array().map(Vec::len), Some(0));
}

#[test]
fn what_a_job_did_belongs_to_the_line_of_its_request() {
    let api = Setup::new().at("2026-01-05T09:00:00Z").seed(json!({ "lists": [seeds::list(LIST, "VIP", json!([]))] }));
    let api = api.recording().serve();
    let create = |name: &str| drop(api.post("/contacts/v1/lists/create", &json!({ "name": name })).ok());
    create("One");
    let contacts = json!([{ "phone_number": seeds::mobile(1) }, { "phone_number": seeds::mobile(2) }]);
    let body = json!({ "list_id": LIST, "merge_type": "skipDuplicates", "contacts": contacts });
    api.post("/contacts/v1/contacts", &body).expect(200);
    api.admin().post("/__admin/settle", &json!({})).expect(200);
    create("Two");
    let diff = |from: u64, to: u64| api.admin().get(format!("/__admin/snapshots/@{from}/diff/@{to}")).ok();
    let own = diff(1, 2);
    assert_eq!((&own["resources"]["contacts"]["added"]["count"], &own["added"]), (&json!(2), &json!(2)), "{own}");
    assert_eq!(diff(2, 3)["resources"]["contacts"]["added"]["count"], 0);
    let left =
        json!(["jobs", "settings", "job_policy", "callback_policy", "faults", "receivers", "clock", "ids", "other"]);
    assert_eq!((&own["not_compared"], &own["arrangement"]), (&left, &json!([])));
}

#[test]
fn a_request_for_a_line_says_that_the_journal_is_off() {
    let api = world_setup().serve();
    api.admin().patch("/__admin/journal", &json!({ "enabled": false })).expect(200);
    api.admin().delete("/__admin/requests").expect(204);
    for path in ["/__admin/snapshots/@1/diff/now", "/__admin/state?at=1", "/__admin/requests/1"] {
        assert_eq!(api.admin().get(path).expect(409).json()["error"]["code"], "not_recording", "{path}");
    }
    assert_eq!(api.admin().get("/__admin/unmatched").ok()["enabled"], false);
    api.admin().patch("/__admin/journal", &json!({ "enabled": true })).expect(200);
    for name in ["One", "Two"] {
        api.post("/contacts/v1/lists/create", &json!({ "name": name })).expect(200);
    }
    let first = last_number(&api);
    api.admin().delete(format!("/__admin/requests?before={}", first + 1)).expect(204);
    let response = api.admin().get(format!("/__admin/requests/{first}")).expect(404);
    assert!(response.json()["error"]["message"].to_string().contains("was cleared since"), "{}", response.shown());
}

#[test]
fn a_moment_that_is_not_there_is_refused_in_words() {
    let api = world_setup().serve();
    api.post("/contacts/v1/lists/create", &json!({ "name": "One" })).expect(200);
    let before = last_number(&api);
    let refused = |path: &str, status: u16| {
        let response = api.admin().get(path).expect(status).json();
        response["error"]["message"].as_str().expect("words").to_owned()
    };
    assert!(refused("/__admin/state", 400).contains("at is required"));
    assert!(refused("/__admin/state?at=-1", 400).contains("'-1' is not a valid request number"));
    assert!(refused("/__admin/state?at=99999", 404).contains("There is no request 99999"));
    assert!(refused("/__admin/snapshots/@x/diff/now", 400).contains("'x' is not a valid request number"));
    api.admin().post("/__admin/reset?keep=journal", &json!({})).expect(200);
    let message = refused(&format!("/__admin/state?at={before}"), 409);
    assert!(message.contains("was reset or restored after request"), "{message}");
}
