//! Contacts of a list: the query with its search and fields, and the deletion.

use roost_tests::{
    Served, Setup,
    expected::{C, invalid, invalid_message, malformed_uid, not_found, unknown},
    seeds,
};
use serde_json::{Value, json};

use super::{LIST, contacts_of, create_contacts, stored_contacts};

fn start_server(count: usize) -> Served {
    Setup::new().seed(json!({ "lists": [seeds::filled_list(LIST, "VIP", count)] })).serve()
}

/// Proves: D38.
#[test]
fn search_compares_a_number_as_text_and_never_fails() {
    let contacts = json!([
        { "uid": seeds::id("CON_", "1"), "phone_number": "+447700900001" },
        { "uid": seeds::id("CON_", "2"), "whatsapp_id": "+447700900001", "phone_number": "+447700900002" },
        { "uid": seeds::id("CON_", "3"), "whatsapp_id": "+447700900003" },
    ]);
    let api = Setup::new().seed(json!({ "lists": [seeds::list(LIST, "VIP", contacts)] })).serve();
    let found = |search: &str| {
        let mut uids = api.get(format!("{}?search={search}", contacts_of(LIST))).column("uid");
        uids.sort();
        uids.iter().map(|uid| uid[uid.len() - 1..].to_owned()).collect::<String>()
    };
    for both in [
        "%2B447700900001",
        "447700900001",
        "+447700900001",
        "%2B44%207700-900(001)",
        "%C2%A0447700900001%20",
        "44.7700/900001",
    ] {
        assert_eq!(found(both), "12", "{both}");
    }
    assert_eq!(found("447700900003"), "3");
    for none in ["07700900001", "4477009000", "x", "%2B", "%2B447700900001x", "2147483648", "'%20OR%201=1", "%25"] {
        assert_eq!(found(none), "", "{none}");
    }
    assert_eq!(found(""), "123");
    let page = api.get(format!("{}?search=447700900001&page_number=2&page_size=1", contacts_of(LIST))).ok();
    assert_eq!(page["paging"], json!({ "current_page": 2, "total_items": 2, "total_pages": 2 }));
}

fn unknown_field_faults(unknown: &[(usize, &str)]) -> roost_tests::Expected {
    let fields: Vec<String> = unknown.iter().map(|(at, _)| format!("search.fields[{at}].<list element>")).collect();
    let message = "Contact retrieval field is invalid.";
    let entries: Vec<_> =
        fields.iter().zip(unknown).map(|(field, (_, name))| (field.as_str(), message, json!(name))).collect();
    invalid(C, &entries)
}

/// Proves: D58, R4_3_unknown_field.
#[test]
fn fields_are_names_between_commas_and_unknown_ones_are_refused() {
    let api = start_server(1);
    let ask = |fields: &str| api.get(format!("{}?fields={fields}", contacts_of(LIST)));
    ask("%20uid%20,%20phone_number,uid,field_3").expect(200);
    ask("nickname").is(&unknown_field_faults(&[(0, "nickname")]));
    ask("uid,nickname").is(&unknown_field_faults(&[(1, "nickname")]));
    ask("uid,%20Title%20,,field_4").is(&unknown_field_faults(&[(1, "Title"), (2, ""), (3, "field_4")]));
    ask("uid,&fields=x").is(&unknown_field_faults(&[(1, ""), (2, "x")]));
    for name in ["whatsapp_number", "field_0", "field_01", "field_", "paging", "uid;title", "UID"] {
        ask(name).is(&unknown_field_faults(&[(0, name)]));
    }
    api.admin().post("/__admin/custom_fields", &json!({ "label": "Rank" })).expect(201);
    ask("field_4").expect(200);
    api.admin().delete("/__admin/custom_fields/2").expect(204);
    ask("field_2,field_3").is(&unknown_field_faults(&[(0, "field_2")]));
}

/// Proves: D58, R4_3_fields_empty.
#[test]
fn fields_that_are_all_blank_are_missing() {
    let api = start_server(1);
    for blank in ["", "%20", ",", "%20,,%20", "&fields=,"] {
        let answer = api.get(format!("{}?fields={blank}", contacts_of(LIST)));
        answer.is(&invalid_message("Contact fields are missing from the request."));
    }
}

/// Proves: D59.
#[test]
fn only_the_named_keys_come_back() {
    let api = start_server(2);
    let wanted = |key: &str, value: fn(usize) -> Value| json!([{ key: value(1) }, { key: value(0) }]);
    let ask = |fields: &str| Value::from(api.get(format!("{}?fields={fields}", contacts_of(LIST))).items());
    assert_eq!(ask("phone_number"), wanted("phone_number", |n| json!(seeds::mobile(n))));
    assert_eq!(ask("uid"), wanted("uid", |n| json!(seeds::id("CON_", &format!("{n:05}")))));
    assert_eq!(ask("title"), wanted("title", |_| Value::Null));
    let whole = &stored_contacts(&api)[0];
    for (key, value) in whole.as_object().expect("an object") {
        assert_eq!(ask(key)[0], json!({ key.as_str(): value }));
    }
}

/// Proves: D60.
#[test]
fn without_a_page_everything_comes_in_one_answer() {
    let api = start_server(250);
    for query in ["", "?page_size=1", "?page_number=&page_size=10"] {
        let all = api.get(format!("{}{query}", contacts_of(LIST))).ok();
        assert_eq!(all["paging"], json!({ "current_page": 1, "total_items": 250, "total_pages": 1 }));
        assert_eq!(all["items"].as_array().map(Vec::len), Some(250));
    }
    let none = api.get(format!("{}?search=1", contacts_of(LIST))).ok();
    assert_eq!(none, json!({ "paging": { "current_page": 1, "total_items": 0, "total_pages": 0 }, "items": [] }));
}

/// Proves: D60, R4_3_page_size_zero.
#[test]
fn the_page_size_is_checked_even_where_it_is_not_used() {
    let api = start_server(1);
    for size in [0, 101, -5] {
        api.get(format!("{}?page_size={size}", contacts_of(LIST)))
            .is(&invalid(C, &[("search.pageSize", "page.size.generic", json!(size))]));
    }
}

/// Proves: D61.
#[test]
fn a_page_without_a_size_has_ten() {
    let api = start_server(25);
    for (number, items) in [(1, 10), (3, 5), (4, 0)] {
        let page = api.get(format!("{}?page_number={number}", contacts_of(LIST))).ok();
        assert_eq!(page["paging"], json!({ "current_page": number, "total_items": 25, "total_pages": 3 }));
        assert_eq!(page["items"].as_array().map(Vec::len), Some(items));
    }
}

/// Proves: D62.
#[test]
fn contacts_come_newest_first_and_ties_by_uid() {
    let contact = |tail: &str, second: u8| {
        let time = format!("2026-01-05 09:00:{second:02}");
        json!({ "uid": seeds::id("CON_", tail), "phone_number": seeds::mobile(1), "created_at": time })
    };
    let contacts = json!([contact("b", 5), contact("a", 5), contact("z", 1), contact("C", 5), contact("1", 9)]);
    let api = Setup::new().seed(json!({ "lists": [seeds::list(LIST, "VIP", contacts)] })).serve();
    let order = ["1", "b", "a", "C", "z"].map(|tail| seeds::id("CON_", tail));
    assert_eq!(api.get(contacts_of(LIST)).column("uid"), order);
    for (at, uid) in order.iter().enumerate() {
        assert_eq!(
            api.get(format!("{}?page_size=1&page_number={}", contacts_of(LIST), at + 1)).column("uid"),
            [uid.as_str()]
        );
    }
}

/// Proves: D63.
#[test]
fn an_unknown_list_is_reported_after_all_other_checks_whatever_the_setting() {
    for setting in ["400", "404"] {
        let api = Setup::new().set("unknown_on_delete", setting).serve();
        api.get(contacts_of(LIST)).is(&unknown("List not found"));
        api.get(format!("{}?search=x&page_number=3&fields=uid", contacts_of(LIST))).is(&unknown("List not found"));
        api.get(format!("{}?fields=x", contacts_of(LIST))).is(&unknown_field_faults(&[(0, "x")]));
    }
}

/// Proves: D64.
#[test]
fn a_record_has_every_key_and_one_for_each_custom_field() {
    let api = start_server(0);
    api.admin().post("/__admin/custom_fields", &json!({ "label": "Rank" })).expect(201);
    create_contacts(&api, "allowDuplicates", json!([{ "whatsapp_number": "07700900001", "field_4": "first" }]));
    let record = &stored_contacts(&api)[0];
    let nulls = [
        "phone_number",
        "phone_region",
        "alternate_phone",
        "title",
        "firstname",
        "lastname",
        "company_name",
        "email_address",
        "date_of_birth",
        "address_1",
        "address_2",
        "city",
        "state",
        "zip",
        "country",
        "field_1",
        "field_2",
        "field_3",
        "updated_at",
    ];
    let mut wanted = json!({
        "uid": record["uid"], "whatsapp_id": "+447700900001", "whatsapp_region": "GB", "field_4": "first", "created_at": record["created_at"],
    });
    for key in nulls {
        wanted[key] = Value::Null;
    }
    assert_eq!(record, &wanted);
}

/// Proves: D65.
#[test]
fn an_unknown_contact_is_refused_with_400_or_with_404_by_setting() {
    let path = format!("/contacts/v1/contacts/{}", seeds::id("CON_", "00000"));
    for (setting, expected) in [("400", unknown("Contact not found")), ("404", not_found(C, "Contact not found"))] {
        let seed = json!({ "lists": [seeds::filled_list(LIST, "VIP", 2)] });
        let api = Setup::new().set("unknown_on_delete", setting).seed(seed).serve();
        api.delete(&path).expect(204);
        api.delete(&path).is(&expected);
        api.delete("/contacts/v1/contacts/CON_1").is(&malformed_uid(C, "deleteContact.uid", "CON_1"));
        assert_eq!(stored_contacts(&api).len(), 1);
    }
}
