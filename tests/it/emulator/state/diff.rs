//! The differences between two states: snapshots, the seed, and the current state.

use roost_tests::{Served, seeds};
use serde_json::{Value, json};

use crate::{
    emulator::callbacks::{build_contacts, create_receiver, frozen_setup, request_contacts, wait_until_settled},
    gate,
};

const MAKE_LIST: &str = "/contacts/v1/lists/create";

/// Starts a server with an account that has one record of everything, which is also its seed.
pub(crate) fn start_seeded() -> Served {
    let api = gate::console_setup().serve();
    let whole = api.admin().get("/__admin/export").ok();
    api.admin().put("/__admin/seed", &whole).expect(200);
    api
}

fn take_snapshot(api: &Served, name: &str) {
    api.admin().post("/__admin/snapshots", &json!({ "name": name })).expect(201);
}

fn read_diff(api: &Served, from: &str, to: &str) -> Value {
    api.admin().get(format!("/__admin/snapshots/{from}/diff/{to}")).ok()
}

fn add_list(api: &Served, name: &str) -> String {
    let made = api.post(MAKE_LIST, &json!({ "name": name })).ok();
    made["uid"].as_str().expect("a uid").to_owned()
}

#[test]
fn nothing_differs_between_a_snapshot_and_itself() {
    let api = start_seeded();
    take_snapshot(&api, "one");
    for (from, to) in [("one", "one"), ("one", "now"), ("now", "now"), ("seed", "one"), ("seed", "seed")] {
        let diff = read_diff(&api, from, to);
        assert_eq!((&diff["is_empty"], &diff["from"], &diff["to"]), (&json!(true), &json!(from), &json!(to)), "{diff}");
        for resource in ["senders", "assets", "custom_fields", "lists", "contacts", "opt_outs", "short_links", "jobs"] {
            for way in ["added", "removed", "changed"] {
                assert_eq!(diff["resources"][resource][way], json!({ "count": 0, "items": [] }), "{resource} {way}");
            }
        }
    }
}

#[test]
fn a_diff_shows_what_was_added_removed_and_changed() {
    let api = gate::console_setup().serve();
    take_snapshot(&api, "before");
    let uid = add_list(&api, "New");
    api.delete(format!("/contacts/v1/contacts/{}", seeds::id("CON_", "00000"))).expect(204);
    let sender = seeds::id("ssd_", "1");
    api.admin().post(format!("/__admin/senders/{sender}/approve"), &json!({})).expect(200);
    take_snapshot(&api, "after");
    api.admin().post("/__admin/reset", &json!({})).expect(200);
    // Snapshots are compared as they were, whatever was reset since.
    let diff = read_diff(&api, "before", "after");
    assert_eq!(diff["is_empty"], false);
    let of = &diff["resources"];
    assert_eq!((&of["lists"]["added"]["count"], &of["lists"]["added"]["items"][0]["key"]), (&json!(1), &json!(uid)));
    assert_eq!(of["lists"]["added"]["items"][0]["fields"]["name"], "New");
    assert_eq!(of["contacts"]["removed"]["items"][0]["key"], json!(seeds::id("CON_", "00000")));
    assert_eq!(
        of["senders"]["changed"]["items"][0],
        json!({ "key": sender, "fields": { "status": { "before": "Pending", "after": "Verified" } } })
    );
    assert_eq!((&diff["added"], &diff["removed"]), (&json!(1), &json!(1)));
    let back = read_diff(&api, "after", "before");
    assert_eq!(back["resources"]["lists"]["removed"], of["lists"]["added"]);
    assert_eq!(back["resources"]["contacts"]["added"], of["contacts"]["removed"]);
}

#[test]
fn a_diff_shows_what_was_arranged() {
    let api = start_seeded();
    let admin = api.admin();
    take_snapshot(&api, "before");
    admin.patch("/__admin/settings", &json!({ "limits.per_second": 7 })).expect(200);
    admin.put("/__admin/job_policy", &json!({ "progress": "manual" })).expect(200);
    admin.put("/__admin/callback_policy", &json!({ "hold": true })).expect(200);
    admin.put("/__admin/hooks/inbox", &json!({ "then": 500 })).expect(200);
    admin.post("/__admin/faults/rules", &json!({ "name": "down", "effect": { "status": 503 } })).expect(201);
    admin.put("/__admin/faults/profile", &json!({ "name": "rate-limited" })).expect(200);
    admin.put("/__admin/clock", &json!({ "mode": "frozen" })).expect(200);
    for from in ["before", "seed"] {
        let diff = read_diff(&api, from, "now");
        let changes = diff["arrangement"].as_array().expect("a list");
        let names: Vec<_> = changes.iter().map(|one| (one["part"].as_str(), one["name"].as_str())).collect();
        let want = [
            ("settings", "limits.per_second"),
            ("job_policy", "progress"),
            ("callback_policy", "hold"),
            ("faults", "down"),
            ("faults", "profile"),
            ("receivers", "inbox"),
            ("clock", "mode"),
        ];
        assert_eq!(names, want.map(|(part, name)| (Some(part), Some(name))), "{diff}");
        assert_eq!((&changes[0]["from"], &changes[0]["to"]), (&json!(10), &json!(7)));
        assert_eq!((&changes[3]["from"], &diff["is_empty"]), (&Value::Null, &json!(false)));
        let ignored = "settings,job_policy,callback_policy,faults,receivers,clock";
        let rest = admin.get(format!("/__admin/snapshots/{from}/diff/now?ignore={ignored}")).ok();
        assert_eq!((&rest["is_empty"], &rest["arrangement"]), (&json!(true), &json!([])));
    }
}

#[test]
fn a_diff_shows_limits_and_ids() {
    let api = start_seeded();
    let admin = api.admin();
    for (path, change, part, name) in [
        ("/__admin/limits", json!({ "scope": "key" }), "settings", "limits.scope"),
        ("/__admin/limits", json!({ "algorithm": "fixed_window" }), "settings", "limits.algorithm"),
        ("/__admin/limits", json!({ "algorithm": "token_bucket" }), "settings", "limits.algorithm"),
        ("/__admin/limits", json!({ "burst": 99 }), "settings", "limits.burst"),
        ("/__admin/limits", json!({ "status": 503 }), "settings", "limits.status"),
        ("/__admin/limits", json!({ "retry_after": "5s" }), "settings", "limits.retry_after"),
        ("/__admin/random", json!({ "seed": 5 }), "ids", "seed"),
        ("/__admin/random", json!({ "ids": "sequence" }), "ids", "style"),
    ] {
        take_snapshot(&api, "before");
        admin.patch(path, &change).expect(200);
        let changes = read_diff(&api, "before", "now")["arrangement"].clone();
        let names: Vec<_> =
            changes.as_array().expect("a list").iter().map(|one| (&one["part"], &one["name"])).collect();
        assert_eq!(names, [(&json!(part), &json!(name))], "{changes}");
        admin.delete("/__admin/snapshots/before").expect(204);
    }
    take_snapshot(&api, "before");
    admin.put("/__admin/fidelity/header", &json!({ "enabled": true })).expect(200);
    assert_eq!(read_diff(&api, "before", "now")["arrangement"][0]["name"], "assumed_header");
}

#[test]
fn a_diff_shows_what_became_of_a_callback() {
    let api = frozen_setup().serve();
    let admin = api.admin();
    admin.put("/__admin/callback_policy", &json!({ "hold": true })).expect(200);
    request_contacts(&api, &create_receiver(&api, "inbox"), "a", &build_contacts([1]));
    wait_until_settled(&api);
    for (act, state, attempts) in
        [("release", ["held", "delivered"], [0, 1]), ("redeliver", ["delivered", "delivered"], [1, 2])]
    {
        take_snapshot(&api, act);
        admin.post(format!("/__admin/callbacks/1/{act}"), &json!({})).expect(200);
        wait_until_settled(&api);
        let diff = read_diff(&api, act, "now");
        let fields = &diff["resources"]["jobs"]["changed"]["items"][0]["fields"];
        let attempts = json!({ "before": attempts[0], "after": attempts[1] });
        assert_eq!((&fields["callback_attempts"], &diff["arrangement"]), (&attempts, &json!([])), "{diff}");
        if state[0] != state[1] {
            assert_eq!(fields["callback"], json!({ "before": state[0], "after": state[1] }), "{diff}");
        }
    }
}

#[test]
fn a_diff_goes_against_now_and_the_seed_either_way() {
    let api = start_seeded();
    let uid = add_list(&api, "New");
    for (from, to, way) in [("seed", "now", "added"), ("now", "seed", "removed")] {
        let diff = read_diff(&api, from, to);
        assert_eq!(diff["resources"]["lists"][way]["items"][0]["key"], json!(uid), "{diff}");
    }
    api.admin().post("/__admin/reset", &json!({})).expect(200);
    assert_eq!(read_diff(&api, "seed", "now")["is_empty"], true);
}

#[test]
fn a_diff_lists_as_much_as_requested_and_counts_everything() {
    let api = start_seeded();
    for number in 0..5 {
        add_list(&api, &format!("List {number}"));
    }
    let read_part = |query: &str| api.admin().get(format!("/__admin/snapshots/seed/diff/now?{query}")).ok();
    let some = read_part("limit=2");
    assert_eq!(some["resources"]["lists"]["added"]["count"], 5);
    assert_eq!(some["resources"]["lists"]["added"]["items"].as_array().map(Vec::len), Some(2));
    assert_eq!(read_part("limit=0")["resources"]["lists"]["added"], json!({ "count": 5, "items": [] }));
    assert_eq!(read_part("ignore=lists")["is_empty"], true);
    assert_eq!(read_part("ignore=jobs,lists.name")["is_empty"], false);
    for query in ["limit=1001", "limit=x", "ignore=list", "ignore=lists.title"] {
        let answer = api.admin().get(format!("/__admin/snapshots/seed/diff/now?{query}")).expect(400);
        assert_eq!(answer.json()["error"]["code"], "bad_query", "{}", answer.shown());
    }
}

#[test]
fn a_diff_of_what_is_not_there_is_refused() {
    let api = gate::console_setup().serve();
    for (from, to) in [("none", "now"), ("now", "none"), ("Now", "now")] {
        let answer = api.admin().get(format!("/__admin/snapshots/{from}/diff/{to}")).expect(404);
        assert!(answer.json()["error"]["message"].to_string().contains("snapshot"), "{}", answer.shown());
    }
    let folder = tempfile::tempdir().expect("a folder");
    let mut file = roost_tests::Setup::new().on_file(folder.path().join("a.roost"));
    file.config.account = roost_emulator::AccountOwnership::Kept { is_from_seed: false };
    let api = file.serve();
    let answer = api.admin().get("/__admin/snapshots/seed/diff/now").expect(409);
    assert_eq!(answer.json()["error"]["code"], "no_seed");
}
