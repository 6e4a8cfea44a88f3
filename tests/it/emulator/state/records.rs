//! Single records as a person browses and edits them: finding, undoing, redoing, and exporting them as fixtures.

use roost_tests::{Request, Served, Setup, seeds};
use serde_json::{Value, json};

use super::diff::start_seeded;

fn record_path(record: &str, rest: &str) -> String {
    format!("/__admin/state/{}{rest}", record.replace(' ', "%20").replace('+', "%2B"))
}

/// Returns the operator's last step on a record.
fn last_step(api: &Served, record: &str) -> Value {
    api.admin().get(record_path(record, "/steps")).ok()["items"][0].clone()
}

fn turn_step(api: &Served, record: &str, way: &str, step: &Value, was: &Value) -> Value {
    api.admin().post(record_path(record, way), &json!({ "step": step["step"], "record": was })).ok()["record"].clone()
}

fn export_account(api: &Served) -> Value {
    api.admin().get("/__admin/export").ok()
}

/// Returns one existing record of each kind.
fn one_of_each(api: &Served) -> Vec<String> {
    let optout =
        json!({ "number": seeds::mobile(8), "opt_out_type": "keyword", "inbound_asset_id": seeds::id("num_", "1") });
    api.admin().post("/__admin/state/opt_outs", &optout).expect(201);
    let link = json!({ "title": "A \"title\": #1", "target_url": "https://shop.example/s", "tags": ["a", "1"] });
    let link = api.admin().post("/__admin/state/short_links", &link).expect(201).json();
    vec![
        format!("senders/{}", seeds::id("ssd_", "1")),
        format!("assets/{}", seeds::id("num_", "1")),
        "custom_fields/1".to_owned(),
        format!("lists/{}", seeds::id("LST_", "1")),
        format!("contacts/{}", seeds::id("CON_", "00000")),
        format!("opt_outs/{} SMS {}", seeds::mobile(8), seeds::id("num_", "1")),
        format!("short_links/{}", link["link_id"].as_str().expect("an id")),
    ]
}

#[test]
fn records_are_found_by_part_of_their_name_or_number_and_by_their_list() {
    let api = start_seeded();
    let count = |query: &str| api.admin().get(format!("/__admin/state/{query}")).ok()["paging"]["total_items"].clone();
    assert_eq!(count("senders?q=acmesh"), 1);
    assert_eq!(count("senders?q=nobody"), 0);
    assert_eq!(count("lists?q=vip"), 1);
    let end = &seeds::mobile(0)[4..];
    assert_eq!(count(&format!("contacts?q={end}&list_uid={}", seeds::id("LST_", "1"))), 1);
    assert_eq!(count(&format!("contacts?q={end}&list_uid={}", seeds::id("LST_", "9"))), 0);
    // The second page has the remaining records in the same order.
    let all = api.admin().get("/__admin/state/contacts").ok();
    let second = api.admin().get("/__admin/state/contacts?page_size=1&page_number=2").ok();
    assert_eq!((&second["items"][0], &second["paging"]["total_items"]), (&all["items"][1], &json!(2)));
    for kind in ["assets", "custom_fields", "opt_outs", "short_links", "jobs"] {
        assert_eq!(count(&format!("{kind}?q=%27%25nothing")), 0, "{kind}");
    }
}

#[test]
fn an_edit_is_taken_back_and_done_again_exactly() {
    let api = start_seeded();
    for record in one_of_each(&api) {
        let before = export_account(&api);
        let was = api.admin().get(record_path(&record, "")).ok();
        let change = match record.split_once('/').expect("a kind").0 {
            "senders" => json!({ "status": "Pending", "name": "Other" }),
            "assets" => json!({ "enforce_account_level_opt_outs": true, "keywords": ["HALT"] }),
            "custom_fields" => json!({ "label": "Other" }),
            "lists" => json!({ "name": "Other", "created_at": "2001-01-01T00:00:00Z" }),
            "contacts" => json!({ "title": "Dr", "created_at": "2001-01-01 00:00:00", "updated_at": null }),
            "opt_outs" => json!({ "opt_out_time": "2001-01-01T00:00:00Z" }),
            _ => json!({ "title": "Other", "tags": [], "track_clicks": false }),
        };
        let edited = api.admin().patch(record_path(&record, ""), &change).ok();
        let after = export_account(&api);
        assert_ne!(before, after, "{record}");
        let step = last_step(&api, &record);
        assert_eq!(step["is_undone"], false, "{record}");
        assert_eq!(turn_step(&api, &record, "/undo", &step, &edited), was, "{record}");
        assert_eq!(export_account(&api), before, "{record}");
        assert_eq!(last_step(&api, &record)["is_undone"], true, "{record}");
        assert_eq!(turn_step(&api, &record, "/redo", &step, &was), edited, "{record}");
        assert_eq!(export_account(&api), after, "{record}");
        assert_eq!(turn_step(&api, &record, "/undo", &step, &edited), was, "{record}");
        // A request that does not name the current record relies on the state that the step remembers.
        for (which, wanted) in [("/redo", &after), ("/undo", &before)] {
            api.admin().post(record_path(&record, which), &json!({ "step": step["step"] })).expect(200);
            assert_eq!(export_account(&api), *wanted, "{record}{which}");
        }

        api.admin().delete(record_path(&record, "")).expect(204);
        let deleted = export_account(&api);
        let step = last_step(&api, &record);
        assert_eq!(turn_step(&api, &record, "/undo", &step, &Value::Null), was, "{record}");
        assert_eq!(export_account(&api), before, "{record}: what was removed is back as it was");
        if record.starts_with("opt_outs/") {
            // Only a removal ends an opt-out.
            let again = json!({ "step": step["step"], "record": was });
            let refused = api.admin().post(record_path(&record, "/redo"), &again).expect(409);
            assert!(refused.text().contains("does not remove an opt-out"), "{record}");
            continue;
        }
        assert_eq!(turn_step(&api, &record, "/redo", &step, &was), Value::Null, "{record}");
        assert_eq!(export_account(&api), deleted, "{record}");
        assert_eq!(turn_step(&api, &record, "/undo", &step, &Value::Null), was, "{record}");
    }
    let before = export_account(&api);
    let made = api.admin().post("/__admin/state/senders", &json!({ "name": "Fresh" })).expect(201).json();
    let record = format!("senders/{}", made["id"].as_str().expect("an id"));
    let step = last_step(&api, &record);
    assert_eq!(turn_step(&api, &record, "/undo", &step, &made), Value::Null);
    assert_eq!(export_account(&api), before);
    assert_eq!(turn_step(&api, &record, "/redo", &step, &Value::Null), made);
}

#[test]
fn a_removed_list_comes_back_with_its_contacts() {
    let api = start_seeded();
    let before = export_account(&api);
    let list = format!("lists/{}", seeds::id("LST_", "1"));
    let was = api.admin().get(record_path(&list, "")).ok();
    api.admin().delete(record_path(&list, "")).expect(204);
    assert_eq!(api.admin().get("/__admin/state/contacts").ok()["paging"]["total_items"], 0);
    assert_eq!(turn_step(&api, &list, "/undo", &last_step(&api, &list), &Value::Null), was);
    assert_eq!(export_account(&api), before);
}

#[test]
fn what_was_changed_since_is_not_overwritten() {
    let api = start_seeded();
    let admin = api.admin();
    let sender = format!("senders/{}", seeds::id("ssd_", "1"));
    let edited = admin.patch(record_path(&sender, ""), &json!({ "status": "Verified" })).ok();
    let step = last_step(&api, &sender);
    admin.patch(record_path(&sender, ""), &json!({ "name": "By others" })).expect(200);
    let before = export_account(&api);
    let request = json!({ "step": step["step"], "record": edited });
    admin.post(record_path(&sender, "/undo"), &json!({ "step": step["step"] })).expect(409);
    assert_eq!(export_account(&api), before);
    let response = admin.post(record_path(&sender, "/undo"), &request).expect(409).json();
    assert!(response["error"]["message"].to_string().contains("changed since"), "{response}");
    assert_eq!(export_account(&api), before);
    // An older edit cannot be undone below a newer one, even by a request that names the current record.
    let there = admin.get(record_path(&sender, "")).ok();
    let response =
        admin.post(record_path(&sender, "/undo"), &json!({ "step": step["step"], "record": there })).expect(409).json();
    assert!(response["error"]["message"].to_string().contains("newest"), "{response}");
    assert_eq!(export_account(&api), before);
    // The record is as it was, but the other effects of the step are not.
    let list = seeds::id("LST_", "1");
    let contact = format!("contacts/{}", seeds::id("CON_", "00000"));
    admin.delete(record_path(&contact, "")).expect(204);
    let step = last_step(&api, &contact);
    admin.delete(record_path(&format!("lists/{list}"), "")).expect(204);
    let before = export_account(&api);
    let request = json!({ "step": step["step"], "record": null });
    admin.post(record_path(&contact, "/undo"), &request).expect(409);
    assert_eq!(export_account(&api), before);
    // A step of another record, or one that does not exist, is refused.
    admin.post(record_path(&sender, "/undo"), &request).expect(409);
    let there = admin.get(record_path(&sender, "")).ok();
    admin.post(record_path(&sender, "/undo"), &json!({ "step": step["step"], "record": there })).expect(404);
    admin
        .post(record_path(&sender, "/redo"), &json!({ "step": last_step(&api, &sender)["step"], "record": there }))
        .expect(409);
    assert_eq!(export_account(&api), before);
}

#[test]
fn an_import_of_several_records_is_not_an_edit_of_any_one_of_them() {
    let api = start_seeded();
    let more = json!({ "senders": [{ "name": "One" }, { "name": "Two" }] });
    api.admin().post("/__admin/import?mode=merge", &more).expect(200);
    let found = api.admin().get("/__admin/state/senders?q=One").ok();
    let record = format!("senders/{}", found["items"][0]["id"].as_str().expect("an id"));
    assert_eq!(api.admin().get(record_path(&record, "/steps")).items(), Vec::<Value>::new());
}

#[test]
fn a_fixture_gives_the_same_record_again() {
    let api = start_seeded();
    for record in one_of_each(&api) {
        let was = api.admin().get(record_path(&record, "")).ok();
        for format in ["json", "yaml"] {
            let query = format!("?format={format}&record={}", record.replace(' ', "%20").replace('+', "%2B"));
            let fixture = api.admin().get(format!("/__admin/export{query}")).expect(200).body;
            let other = Setup::new().serve();
            let request = Request::new("PUT", "/__admin/seed").header("content-type", "application/yaml");
            other.admin().send(request.body(fixture.to_vec())).expect(200);
            // Values that belong to this server have the other server's value there.
            let was: Value = serde_json::from_str(&was.to_string().replace(api.url(), other.url())).expect("as it was");
            assert_eq!(other.admin().get(record_path(&record, "")).ok(), was, "{record} as {format}");
        }
    }
    for (query, status) in [
        ("record=jobs/1", 409),
        ("record=lists", 400),
        ("record=list/1", 404),
        ("record=lists/LST_0", 404),
        ("contacts=1", 400),
        ("record=custom_fields/1&contacts=many", 400),
        ("record=custom_fields/1&format=sqlite", 400),
    ] {
        api.admin().get(format!("/__admin/export?{query}")).expect(status);
    }
}

#[test]
fn a_fixture_of_a_list_is_as_long_as_asked_for() {
    let api = start_seeded();
    let list = seeds::id("LST_", "1");
    let fixture = |rest: &str| api.admin().get(format!("/__admin/export?record=lists/{list}{rest}")).ok();
    let whole = export_account(&api);
    assert_eq!(fixture("")["lists"], whole["lists"]);
    assert_eq!(fixture("&contacts=0")["lists"][0]["contacts"], json!([]));
    let first = fixture("&contacts=1");
    assert_eq!(first["lists"][0]["contacts"], json!([whole["lists"][0]["contacts"][0]]));
    let contact = seeds::id("CON_", "00000");
    let alone = api.admin().get(format!("/__admin/export?record=contacts/{contact}")).ok();
    assert_eq!((&alone["lists"][0]["uid"], &alone["lists"][0]["contacts"][0]["uid"]), (&json!(list), &json!(contact)));
}

#[test]
fn a_fault_of_a_record_names_its_field() {
    let api = start_seeded();
    for (kind, record, field) in [
        ("senders", json!({ "name": "Fresh", "status": "Verfied" }), "status"),
        ("senders", json!({}), "name"),
        ("senders", json!({ "nam": "Fresh" }), "nam"),
        ("lists", json!({ "name": "A list", "created_at": "yesterday" }), "created_at"),
        ("contacts", json!({ "phone_number": seeds::mobile(1) }), "list_uid"),
        ("contacts", json!({ "list_uid": seeds::id("LST_", "1"), "phone_number": "12" }), "phone_number"),
        ("short_links", json!({ "title": "A link", "target_url": "see the door" }), "target_url"),
    ] {
        let response = api.admin().post(format!("/__admin/state/{kind}"), &record).expect(400).json();
        assert_eq!(response["error"]["pointer"], format!("/{field}"), "{response}");
    }
    let response = api.admin().get("/__admin/state/senders?page_size=0").expect(400).json();
    assert_eq!(response["error"]["pointer"], Value::Null, "{response}");
}
