//! The attributes of new contacts: their limits, the stored values, the ignored ones.

use roost_tests::{
    Served, Setup,
    expected::{C, invalid},
    seeds,
};
use serde_json::{Value, json};

use super::{LIST, create_contacts, send_creation, stored_contacts};

const LIMITS: [(&str, usize); 16] = [
    ("title", 30),
    ("firstname", 50),
    ("lastname", 50),
    ("date_of_birth", 255),
    ("address_1", 255),
    ("address_2", 255),
    ("city", 128),
    ("zip", 24),
    ("state", 48),
    ("country", 128),
    ("company_name", 128),
    ("email_address", 255),
    ("alternate_phone", 128),
    ("field_1", 500),
    ("field_2", 500),
    ("field_3", 500),
];

fn start_server() -> Served {
    Setup::new().seed(json!({ "lists": [seeds::list(LIST, "VIP", json!([]))] })).serve()
}

/// Proves: D80, R4_3_attribute_size, R2_3b_limits.
#[test]
fn every_attribute_has_its_limit_in_characters() {
    let api = start_server();
    for (attribute, max) in LIMITS {
        for text in ["x".repeat(max), "\u{e9}".repeat(max), "\u{1f600}".repeat(max), "x".to_owned(), " ".to_owned()] {
            send_creation(&api, "allowDuplicates", json!([{ "phone_number": "07700900001", attribute: text }]))
                .expect(200);
        }
        let field = format!("createContacts.request.conCreateRequests[1].{attribute}");
        let message = format!("size must be between 1 and {max}");
        for text in ["x".repeat(max + 1), "\u{e9}".repeat(max + 1), String::new(), format!("{}x", " ".repeat(max))] {
            let contacts =
                json!([{ "phone_number": "07700900001" }, { "phone_number": "07700900001", attribute: text }]);
            send_creation(&api, "allowDuplicates", contacts).is(&invalid(C, &[(&field, &message, json!(text))]));
        }
    }
}

/// Proves: D80.
#[test]
fn texts_are_stored_as_sent_and_no_format_is_checked() {
    let api = start_server();
    let mut contact = json!({ "phone_number": "07700900001" });
    for (attribute, _) in LIMITS {
        contact[attribute] = json!(format!(" {attribute}\u{301} \t"));
    }
    contact["email_address"] = json!("no address at all");
    contact["date_of_birth"] = json!("some day in spring");
    contact["alternate_phone"] = json!("ask Ada");
    create_contacts(&api, "allowDuplicates", json!([contact]));
    let record = &stored_contacts(&api)[0];
    for (attribute, _) in LIMITS {
        assert_eq!(record[attribute], contact[attribute], "{attribute}");
    }
}

/// Proves: D81.
#[test]
fn unknown_attributes_are_ignored_whatever_they_are() {
    let api = start_server();
    let contact = json!({
        "phone_number": "07700900001", "firstname": "Ada", "nickname": "x".repeat(1_000), "field_4": 7, "field_01": "x", "field_0": "x",
        "field_": [], "whatsapp_id": "+447700900002", "uid": seeds::id("CON_", "9"), "phone_region": { "deep": true }, "Title": 1,
        "created_at": "2020-01-01 00:00:00", "field_99999999999": "x",
    });
    create_contacts(&api, "allowDuplicates", json!([contact]));
    let record = &stored_contacts(&api)[0];
    assert_eq!(
        (&record["firstname"], &record["title"], &record["whatsapp_id"]),
        (&json!("Ada"), &Value::Null, &Value::Null)
    );
    assert_ne!(record["uid"], contact["uid"]);
    assert_eq!(record["phone_region"], "GB");
    assert_eq!(record.as_object().map(|keys| keys.len()), Some(23));
}

/// Proves: D82.
#[test]
fn a_null_attribute_is_absent_and_leaves_a_merge_as_it_was() {
    let api = start_server();
    create_contacts(
        &api,
        "allowDuplicates",
        json!([{ "phone_number": "07700900001", "title": "Ms", "firstname": null, "field_1": "gold" }]),
    );
    let before = stored_contacts(&api)[0].clone();
    assert_eq!((&before["title"], &before["firstname"]), (&json!("Ms"), &Value::Null));
    create_contacts(
        &api,
        "mergeByPhoneNumberInList",
        json!([{ "phone_number": "07700900001", "title": null, "firstname": "Ada", "field_1": null }]),
    );
    let after = stored_contacts(&api)[0].clone();
    assert_eq!(
        (&after["title"], &after["firstname"], &after["field_1"]),
        (&json!("Ms"), &json!("Ada"), &json!("gold"))
    );
}

/// Proves: D153.
#[test]
fn a_contact_belongs_to_one_list_and_is_not_updated_until_it_is_merged() {
    let other = seeds::id("LST_", "2");
    let seed = json!({ "lists": [seeds::list(LIST, "VIP", json!([])), seeds::list(&other, "other", json!([]))] });
    let api = Setup::new().at("2026-01-05T10:00:00Z").seed(seed).serve();
    create_contacts(&api, "skipDuplicates", json!([{ "phone_number": "07700900001" }]));
    assert_eq!(stored_contacts(&api)[0]["updated_at"], Value::Null);
    assert!(api.get(super::contacts_of(&other)).items().is_empty());
    api.advance(5);
    create_contacts(&api, "mergeByPhoneNumberInList", json!([{ "phone_number": "07700900001" }]));
    assert_eq!(stored_contacts(&api)[0]["updated_at"], "2026-01-05 10:00:05");
}

/// Proves: D153.
#[test]
fn opt_outs_and_contacts_do_not_touch_each_other() {
    let api = start_server();
    create_contacts(&api, "skipDuplicates", json!([{ "phone_number": "07700900001" }]));
    let contact = stored_contacts(&api);
    api.post("/contacts/v1/optouts", &json!({ "optouts": [{ "number": "447700900001" }] })).expect(201);
    assert_eq!(stored_contacts(&api), contact);
    let uid = contact[0]["uid"].as_str().expect("a uid");
    api.delete(format!("/contacts/v1/contacts/{uid}")).expect(204);
    assert_eq!(api.get("/contacts/v1/optouts").column("number"), ["+447700900001"]);
}
