//! Direct edits of stored records, which bypass the rules of the interface.

use roost_tests::{Request, Served, seeds};
use serde_json::{Value, json};

use super::diff::start_seeded;
use crate::gate;

fn put_record(api: &Served, path: &str, record: &Value) -> Value {
    api.admin().patch(format!("/__admin/state/{path}"), record).ok()
}

#[test]
fn a_sender_is_made_and_verified_directly() {
    let api = gate::console_setup().serve();
    let made = api.admin().post("/__admin/state/senders", &json!({ "name": "Fresh" })).expect(201).json();
    assert_eq!(made["status"], "Pending");
    let id = made["id"].as_str().expect("an id");
    let verified = api.admin().post(format!("/__admin/senders/{id}/approve"), &json!({})).ok();
    assert_eq!(verified["status"], "Verified");
    assert_eq!(api.get(format!("/assets/v1/senders/{id}")).ok()["status"], "Verified");
    let back = put_record(&api, &format!("senders/{id}"), &json!({ "status": "Pending" }));
    assert_eq!((&back["name"], &back["status"]), (&json!("Fresh"), &json!("Pending")));
}

#[test]
fn a_keyword_opt_out_stands_with_its_asset() {
    let api = gate::console_setup().serve();
    let profile = json!({ "id": seeds::id("wbp_", "7"), "channel": "WHATSAPP", "number": "+447700900107" });
    api.admin().post("/__admin/state/assets", &profile).expect(201);
    let record = json!({
        "number": seeds::mobile(8), "channel": "WHATSAPP", "opt_out_type": "keyword",
        "inbound_asset_id": profile["id"], "opt_out_time": "2020-02-02T02:02:02Z",
    });
    api.admin().post("/__admin/state/opt_outs", &record).expect(201);
    let found = api.get("/contacts/v1/optouts?opt_out_type=keyword").items();
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(
        (&found[0]["inbound_number"], &found[0]["opt_out_time"], &found[0]["account_level_opt_out"]),
        (&json!("+447700900107"), &json!("2020-02-02T02:02:02Z"), &json!(false))
    );
    let key = format!("{} WHATSAPP {}", seeds::mobile(8), seeds::id("wbp_", "7")).replace(' ', "%20");
    api.admin().get(format!("/__admin/state/opt_outs/{key}")).expect(200);
    api.admin().delete(format!("/__admin/state/opt_outs/{key}")).expect(204);
    assert_eq!(api.get("/contacts/v1/optouts?opt_out_type=keyword").items(), Vec::<Value>::new());
}

#[test]
fn a_record_may_be_as_old_as_a_test_wants() {
    let api = gate::console_setup().serve();
    let (list, contact, link) = (seeds::id("LST_", "1"), seeds::id("CON_", "00000"), seeds::id("shl_", "1"));
    put_record(&api, &format!("lists/{list}"), &json!({ "created_at": "2001-01-01T00:00:00Z" }));
    put_record(
        &api,
        &format!("contacts/{contact}"),
        &json!({ "created_at": "2001-01-01 00:00:00", "updated_at": null }),
    );
    put_record(&api, &format!("short_links/{link}"), &json!({ "created_at": "2001-01-01T00:00:00Z" }));
    assert_eq!(api.get("/contacts/v1/lists/").items()[0]["created_at"], "2001-01-01T00:00:00Z");
    assert_eq!(api.get(format!("/assets/v1/shortlink/{link}")).ok()["created_at"], "2001-01-01T00:00:00Z");
    let stored = api.admin().get(format!("/__admin/state/contacts/{contact}")).ok();
    assert_eq!((&stored["created_at"], stored.get("updated_at")), (&json!("2001-01-01 00:00:00"), None));
}

#[test]
fn records_are_listed_changed_and_removed() {
    let api = start_seeded();
    let list = seeds::id("LST_", "1");
    let page = api.admin().get(format!("/__admin/state/contacts?list_uid={list}&page_size=1")).ok();
    assert_eq!((&page["paging"]["total_items"], &page["items"][0]["list_uid"]), (&json!(2), &json!(list)));
    let record = json!({ "list_uid": list, "phone_number": seeds::mobile(40), "firstname": "Third" });
    let made = api.admin().post("/__admin/state/contacts", &record).expect(201).json();
    let path = format!("contacts/{}", made["uid"].as_str().expect("a uid"));
    assert_eq!(put_record(&api, &path, &json!({ "firstname": null, "title": "Dr" }))["title"], "Dr");
    assert!(api.admin().get(format!("/__admin/state/{path}")).ok().get("firstname").is_none());
    api.admin().delete(format!("/__admin/state/{path}")).expect(204);
    api.admin().delete(format!("/__admin/state/{path}")).expect(404);
    assert_eq!(api.admin().get("/__admin/snapshots/seed/diff/now?ignore=lists").ok()["is_empty"], true);
}

#[test]
fn an_edit_that_would_break_the_account_is_refused() {
    let api = gate::console_setup().serve();
    let before = api.admin().get("/__admin/export").ok();
    for (path, record, status, words) in [
        ("senders", json!({ "name": "AcmeShop" }), 409, "already"),
        ("senders", json!({ "id": seeds::id("ssd_", "1"), "name": "Other" }), 409, "already"),
        ("senders", json!({ "nam": "Other" }), 400, "Did you mean 'name'"),
        ("contacts", json!({ "phone_number": seeds::mobile(1) }), 400, "list_uid"),
        ("contacts", json!({ "phone_number": "1", "list_uid": seeds::id("LST_", "9") }), 404, "list"),
        ("list", json!({}), 404, "lists"),
        ("jobs", json!({}), 409, "Jobs are created"),
    ] {
        let answer = api.admin().post(format!("/__admin/state/{path}"), &record).expect(status);
        assert!(answer.json()["error"]["message"].to_string().contains(words), "{path}: {}", answer.shown());
    }
    assert_eq!(api.admin().get("/__admin/export").ok(), before);
}

#[test]
fn an_import_may_be_merged_into_what_is_there() {
    let api = gate::console_setup().serve();
    let list = seeds::id("LST_", "1");
    let text = format!(
        "lists:\n  - uid: {list}\n    name: Renamed\n    contacts:\n      - phone_number: {}\n  - name: Another\n",
        seeds::mobile(77)
    );
    let merge = |text: &str| {
        let request = Request::post("/__admin/import?mode=merge").header("content-type", "application/yaml");
        api.admin().send(request.body(text.as_bytes().to_vec()))
    };
    let response = merge(&text).ok();
    assert_eq!((&response["imported"]["lists"], &response["imported"]["contacts"]), (&json!(2), &json!(1)));
    assert_eq!(response["reset"], Value::Null, "nothing is ended by it");
    let mut names = api.get("/contacts/v1/lists/").column("name");
    names.sort();
    assert_eq!(names, ["Another", "Renamed"]);
    assert_eq!(api.admin().get(format!("/__admin/state/contacts?list_uid={list}")).ok()["paging"]["total_items"], 3);
    let before = api.admin().get("/__admin/export").ok();
    let refused = merge("lists:\n  - name: One\nsenders:\n  - nam: x\n").expect(400);
    assert_eq!(refused.json()["error"]["code"], "bad_seed");
    assert_eq!(api.admin().get("/__admin/export").ok(), before);
    // Merging an unchanged export changes nothing.
    merge(&before.to_string()).expect(200);
    assert_eq!(api.admin().get("/__admin/export").ok(), before);
}
