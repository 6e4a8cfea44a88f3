//! Custom fields: their numbers are never reused, and a new label changes nothing else.

use roost_tests::{Served, Setup, seeds};
use serde_json::{Value, json};

use crate::rest::{LIST, contacts_of, create_contacts, stored_contacts};

const PATH: &str = "/__admin/custom_fields";

fn start_server() -> Served {
    Setup::new().seed(json!({ "lists": [seeds::list(LIST, "VIP", json!([]))] })).serve()
}

fn read_fields(api: &Served) -> Vec<Value> {
    api.admin().get(PATH).items()
}

fn add_field(api: &Served, label: &str) -> u64 {
    api.admin().post(PATH, &json!({ "label": label })).expect(201).json()["number"].as_u64().expect("a number")
}

/// Proves: D144.
#[test]
fn a_fresh_account_has_three_fields() {
    let wanted = [1, 2, 3].map(|n| json!({ "number": n, "label": format!("Field {n}") }));
    assert_eq!(read_fields(&Setup::new().serve()), wanted);
}

/// Proves: D144.
#[test]
fn the_next_number_is_the_highest_ever_used_and_one() {
    let api = start_server();
    assert_eq!((add_field(&api, "Rank"), add_field(&api, "Rank")), (4, 5));
    for number in [5, 4, 2] {
        api.admin().delete(format!("{PATH}/{number}")).expect(204);
    }
    assert_eq!(add_field(&api, "Size"), 6, "no number is used again");
    let numbers: Vec<Value> = read_fields(&api).iter().map(|field| field["number"].clone()).collect();
    assert_eq!(numbers, [1, 3, 6]);
    api.admin().delete(format!("{PATH}/4")).expect(404);
    for bad in ["", " ", &"x".repeat(101)] {
        api.admin().post(PATH, &json!({ "label": bad })).expect(400);
    }
}

/// Proves: D144.
#[test]
fn renaming_changes_the_label_only() {
    let api = start_server();
    create_contacts(&api, "allowDuplicates", json!([{ "phone_number": "07700900001", "field_2": "gold" }]));
    let before = stored_contacts(&api);
    let renamed = api.admin().patch(format!("{PATH}/2"), &json!({ "label": "Rank" })).ok();
    assert_eq!(renamed, json!({ "number": 2, "label": "Rank" }));
    assert_eq!((stored_contacts(&api), read_fields(&api)[1].clone()), (before, renamed));
}

/// Proves: D144.
#[test]
fn removing_a_field_takes_its_values_and_its_key_away() {
    let api = start_server();
    create_contacts(
        &api,
        "allowDuplicates",
        json!([{ "phone_number": "07700900001", "field_1": "a", "field_2": "gold", "field_3": "c" }]),
    );
    api.admin().delete(format!("{PATH}/2")).expect(204);
    let contact = &stored_contacts(&api)[0];
    assert_eq!((&contact["field_1"], contact.get("field_2"), &contact["field_3"]), (&json!("a"), None, &json!("c")));
    api.get(format!("{}?fields=field_2", contacts_of(LIST))).expect(400);
    create_contacts(
        &api,
        "mergeByPhoneNumberInList",
        json!([{ "phone_number": "07700900001", "field_2": "silver", "field_3": "d" }]),
    );
    let contact = &stored_contacts(&api)[0];
    assert_eq!((contact.get("field_2"), &contact["field_3"]), (None, &json!("d")));
    assert_eq!(add_field(&api, "Rank"), 4);
    assert_eq!(stored_contacts(&api)[0]["field_4"], Value::Null, "a new field begins empty");
}
