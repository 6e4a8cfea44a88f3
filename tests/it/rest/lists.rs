//! Lists: creation, query, deletion.

use roost_tests::{
    Answer, Served, Setup,
    expected::{C, bad_body, invalid, malformed_uid, not_found, unknown},
    seeds,
};
use serde_json::{Value, json};

use super::{LIST, contacts_of};

const QUERY: &str = "/contacts/v1/lists/";

fn create_list(api: &Served, name: &Value) -> Answer {
    api.post("/contacts/v1/lists/create", &json!({ "name": name }))
}

/// Proves: D49.
#[test]
fn creation_answers_uid_and_name_alone() {
    let api = Setup::new().at("2026-01-05T09:00:00Z").serve();
    let answer = create_list(&api, &json!("VIP"));
    assert_eq!(answer.header("location"), None);
    let made = answer.ok();
    assert_eq!(made, json!({ "uid": made["uid"], "name": "VIP" }));
    let time = "2026-01-05T09:00:00Z";
    assert_eq!(
        api.get(QUERY).items(),
        [json!({ "uid": made["uid"], "name": "VIP", "created_at": time, "updated_at": time })]
    );
}

/// Proves: D49.
#[test]
fn the_status_of_creation_is_a_setting() {
    for status in [200, 201] {
        let api = Setup::new().set("status.list_create", &status.to_string()).serve();
        create_list(&api, &json!("VIP")).expect(status);
    }
}

/// Proves: D50, R4_2_name_too_long.
#[test]
fn a_name_has_one_to_a_hundred_and_twenty_characters_and_is_stored_as_sent() {
    let api = Setup::new().serve();
    for good in [
        "x".to_owned(),
        " VIP ".to_owned(),
        "\u{e9}".repeat(120),
        "\u{1f600}".repeat(120),
        format!("{}x", " ".repeat(119)),
    ] {
        assert_eq!(create_list(&api, &json!(good)).ok()["name"], good.as_str());
        let found = api.get("/contacts/v1/lists/?page_size=100").column("name");
        assert!(found.contains(&good), "{good}");
    }
    let long = [json!("x".repeat(121)), json!("\u{e9}".repeat(121)), json!(format!("{}x", " ".repeat(120)))];
    let blank = [json!(""), json!(" "), json!("\t\n"), json!("\u{a0}\u{2003}")];
    let other = [Value::Null, json!(7), json!(1.50), json!(true), json!(["VIP"]), json!({ "a": [1] })];
    for bad in long.into_iter().chain(blank).chain(other) {
        create_list(&api, &bad).is(&invalid(C, &[("name", "Invalid list name", bad.clone())]));
    }
    let expected = invalid(C, &[("name", "Invalid list name", Value::Null)]);
    api.post("/contacts/v1/lists/create", &json!({})).is(&expected);
    api.post("/contacts/v1/lists/create", &json!([])).is(&bad_body(C));
}

/// Proves: D51.
#[test]
fn names_may_repeat_unless_the_setting_says_otherwise() {
    let api = Setup::new().serve();
    let uids: Vec<Value> = (0..3).map(|_| create_list(&api, &json!("VIP")).ok()["uid"].clone()).collect();
    assert!(uids[0] != uids[1] && uids[1] != uids[2]);

    let api = Setup::new()
        .set("lists.unique_names", "on")
        .seed(json!({ "lists": [{ "uid": LIST, "name": " Caf\u{c9} " }] }))
        .serve();
    for taken in [" Caf\u{c9} ", "caf\u{e9}", "  CAF\u{c9}"] {
        create_list(&api, &json!(taken)).is(&invalid(C, &[("name", "List name already exists", json!(taken))]));
    }
    create_list(&api, &json!("caf")).expect(200);
    api.delete(format!("/contacts/v1/lists/{LIST}")).expect(204);
    create_list(&api, &json!("caf\u{e9}")).expect(200);
}

fn with_lists(lists: Value) -> Served {
    Setup::new().seed(json!({ "lists": lists })).serve()
}

/// Proves: D52.
#[test]
fn names_sort_without_regard_to_case_and_ties_by_uid() {
    let list = |tail: &str, name: &str| json!({ "uid": seeds::id("LST_", tail), "name": name, "created_at": "2026-01-05T09:00:00Z" });
    let api = with_lists(json!([
        list("1", "b"),
        list("2", "A"),
        list("3", "\u{c9}a"),
        list("4", "B"),
        list("5", "\u{e9}b"),
        list("6", "a")
    ]));
    let tails = |query: &str| {
        let uids = api.get(format!("{QUERY}?{query}")).column("uid");
        uids.iter().map(|uid| uid[uid.len() - 1..].to_owned()).collect::<String>()
    };
    assert_eq!(tails("sort_by=name&sort_order=ASC"), "261435");
    assert_eq!(tails("sort_by=name&sort_order=DESC"), "534162");
    assert_eq!(tails("sort_by=name"), "534162");
    for by in ["created_at", "updated_at"] {
        assert_eq!(tails(&format!("sort_by={by}&sort_order=ASC")), "123456");
        assert_eq!(tails(&format!("sort_by={by}&sort_order=DESC")), "654321");
    }
}

/// Proves: D52.
#[test]
fn the_default_order_is_the_latest_update_first() {
    let list = |name: &str, created: u8, updated: u8| {
        let time = |second: u8| format!("2026-01-05T09:00:{second:02}Z");
        json!({ "name": name, "created_at": time(created), "updated_at": time(updated) })
    };
    let api = with_lists(json!([list("a", 1, 9), list("b", 2, 5), list("c", 3, 7)]));
    assert_eq!(api.get(QUERY).column("name"), ["a", "c", "b"]);
    assert_eq!(api.get(format!("{QUERY}?sort_by=created_at")).column("name"), ["c", "b", "a"]);
    assert_eq!(api.get(format!("{QUERY}?sort_order=ASC")).column("name"), ["b", "c", "a"]);
}

/// Proves: D53, R4_2_sort_by, R4_2_sort_order.
#[test]
fn sorting_is_spelt_exactly() {
    let api = Setup::new().serve();
    for bad in ["Name", "NAME", "uid", "name ", "updatedAt"] {
        let sent = bad.replace(' ', "%20");
        api.get(format!("{QUERY}?sort_by={sent}"))
            .is(&invalid(C, &[("filter.sortBy", "sorting.by.generic", json!(bad))]));
    }
    for bad in ["desc", "Asc", "UP"] {
        api.get(format!("{QUERY}?sort_order={bad}"))
            .is(&invalid(C, &[("filter.sortOrder", "sorting.order.generic", json!(bad))]));
    }
}

/// Proves: D54.
#[test]
fn the_name_filter_is_a_part_of_the_name_in_any_case() {
    let names = ["alist", "alistname", "Alistname", "Calisto", "list a", "100%", "a_b", "\u{dc}BER"];
    let api = with_lists(names.iter().map(|name| json!({ "name": name })).collect());
    let found = |query: &str| {
        let mut found =
            api.get(format!("{QUERY}?sort_by=name&sort_order=ASC&page_size=100&name={query}")).column("name");
        found.sort();
        found
    };
    assert_eq!(found("alist"), ["Alistname", "Calisto", "alist", "alistname"]);
    assert_eq!(found("ALISTN"), ["Alistname", "alistname"]);
    assert_eq!(found("%20a"), ["list a"], "the value is not trimmed");
    assert_eq!(found("a%20"), Vec::<String>::new());
    assert_eq!(found("%25"), ["100%"], "no character is a wildcard");
    assert_eq!(found("_"), ["a_b"]);
    assert_eq!(found("%C3%BCber"), ["\u{dc}BER"]);
    assert_eq!(found("%20").len(), names.len());
    assert_eq!(found("zzz"), Vec::<String>::new());
}

/// Proves: D55, R7_2_bad_request.
#[test]
fn an_unknown_list_is_refused_with_400_or_with_404_by_setting() {
    let path = format!("/contacts/v1/lists/{}", seeds::id("LST_", "9"));
    Setup::new().serve().delete(&path).is(&unknown("List not found"));
    Setup::new().set("unknown_on_delete", "404").serve().delete(&path).is(&not_found(C, "List not found"));
}

/// Proves: D56.
#[test]
fn a_list_goes_with_its_contacts() {
    let (other, contact) = (seeds::id("LST_", "2"), json!([{ "phone_number": "+447700900777" }]));
    let api = with_lists(json!([seeds::filled_list(LIST, "VIP", 3), seeds::list(&other, "other", contact)]));
    api.delete(format!("/contacts/v1/lists/{LIST}")).expect(204);
    api.get(contacts_of(LIST)).is(&unknown("List not found"));
    api.delete(format!("/contacts/v1/lists/{LIST}")).is(&unknown("List not found"));
    api.delete(format!("/contacts/v1/contacts/{}", seeds::id("CON_", "00000"))).is(&unknown("Contact not found"));
    assert_eq!(api.get(contacts_of(&other)).items().len(), 1);
    assert_eq!(api.get(QUERY).column("name"), ["other"]);
}

/// Proves: R4_2_malformed_uid, R7_2_invalid_uid_format.
#[test]
fn a_malformed_uid_is_reported_with_its_place() {
    let api = Setup::new().serve();
    api.delete("/contacts/v1/lists/LST_1").is(&malformed_uid(C, "deleteList.uid", "LST_1"));
}
