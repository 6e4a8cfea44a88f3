//! The clock of a list: which acts change `updated_at` and which do not.

use roost_tests::{Served, Setup, seeds};
use serde_json::json;

use super::{LIST, create_contacts};

/// Starts a server with a list of one contact that last changed at nine.
fn start_server() -> Served {
    Setup::new().at("2026-01-05T10:00:00Z").seed(json!({ "lists": [seeds::filled_list(LIST, "VIP", 1)] })).serve()
}

fn updated_at(api: &Served) -> String {
    let lists = api.get("/contacts/v1/lists/").items();
    assert_eq!(lists[0]["created_at"], "2026-01-05T09:00:00Z");
    lists[0]["updated_at"].as_str().expect("a time").to_owned()
}

/// Proves: D57.
#[test]
fn creations_merges_and_removals_of_contacts_move_it() {
    let api = start_server();
    assert_eq!(updated_at(&api), "2026-01-05T09:00:00Z");
    create_contacts(&api, "allowDuplicates", json!([{ "phone_number": "07700900001" }]));
    assert_eq!(updated_at(&api), "2026-01-05T10:00:00Z");
    api.advance(60);
    create_contacts(&api, "mergeByPhoneNumberInList", json!([{ "phone_number": "07700900001" }]));
    assert_eq!(updated_at(&api), "2026-01-05T10:01:00Z", "even when nothing differs");
    api.advance(60);
    api.delete(format!("/contacts/v1/contacts/{}", seeds::id("CON_", "00000"))).expect(204);
    assert_eq!(updated_at(&api), "2026-01-05T10:02:00Z");
}

/// Proves: D57.
#[test]
fn a_job_that_only_skips_does_not_move_it() {
    let api = start_server();
    create_contacts(
        &api,
        "skipDuplicates",
        json!([{ "phone_number": seeds::mobile(0) }, { "phone_number": seeds::mobile(0) }]),
    );
    assert_eq!(updated_at(&api), "2026-01-05T09:00:00Z");
    create_contacts(
        &api,
        "skipDuplicates",
        json!([{ "phone_number": seeds::mobile(0) }, { "phone_number": seeds::mobile(1) }]),
    );
    assert_eq!(updated_at(&api), "2026-01-05T10:00:00Z");
}

/// Proves: D154.
#[test]
fn edits_by_the_operator_move_it() {
    let api = start_server();
    let renamed = api.admin().patch(format!("/__admin/lists/{LIST}"), &json!({ "name": "Guests" })).ok();
    assert_eq!(renamed["name"], "Guests");
    assert_eq!(updated_at(&api), "2026-01-05T10:00:00Z");
    assert_eq!(api.get("/contacts/v1/lists/").column("name"), ["Guests"]);
}

/// Proves: D57.
#[test]
fn other_acts_do_not_move_it() {
    let api = start_server();
    api.post("/contacts/v1/optouts", &json!({ "optouts": [{ "number": seeds::mobile(0) }] })).expect(201);
    api.admin().post("/__admin/custom_fields", &json!({ "label": "Rank" })).expect(201);
    api.post("/contacts/v1/lists/create", &json!({ "name": "other" })).expect(200);
    api.get(super::contacts_of(LIST)).expect(200);
    let vip = api.get("/contacts/v1/lists/?name=VIP").items();
    assert_eq!(vip[0]["updated_at"], "2026-01-05T09:00:00Z");
}
