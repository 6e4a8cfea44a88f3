//! Senders are requested, approved, refused and removed by the operator.

use roost_tests::{Served, Setup, seeds};
use serde_json::{Value, json};

const PATH: &str = "/__admin/senders";

fn request_sender(api: &Served, name: &str) -> roost_tests::Answer {
    api.admin().post(PATH, &json!({ "name": name }))
}

/// Returns the name and status of every sender that the interface shows.
fn senders_and_statuses(api: &Served) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    let senders = api.get("/assets/v1/senders/?page_size=100").items();
    senders.iter().map(|sender| (text(&sender["name"]), text(&sender["status"]))).collect()
}

/// Proves: D142.
#[test]
fn a_name_is_letters_and_a_few_signs_or_one_of_three_kinds_of_number() {
    let api = Setup::new().serve();
    for good in [
        "abc",
        "Acme Shop",
        "A.b-c_d & e",
        "1a2",
        "abcdefghijk",
        "60000",
        "79999",
        "80000",
        "07700900001",
        "447700900001",
    ] {
        request_sender(&api, good).expect(201);
    }
    for bad in [
        "",
        "ab",
        "abcdefghijkl",
        " abc",
        "abc ",
        "...",
        "123",
        "Caf\u{e9}",
        "a+b",
        "a\tb",
        "50000",
        "90000",
        "600000",
        "08700900001",
        "457700900001",
        "4477009000012",
        "\u{661}\u{662}\u{663}",
    ] {
        request_sender(&api, bad).expect(400);
    }
    assert_eq!(senders_and_statuses(&api).len(), 10);
}

/// Proves: D142.
#[test]
fn a_name_is_unique_in_any_case_and_free_again_after_removal() {
    let api = Setup::new().serve();
    let made = request_sender(&api, "Acme Shop").expect(201).json();
    for taken in ["Acme Shop", "ACME SHOP", "acme shop"] {
        request_sender(&api, taken).expect(409);
    }
    api.admin().delete(format!("{PATH}/{}", made["id"].as_str().expect("an id"))).expect(204);
    request_sender(&api, "ACME shop").expect(201);
    assert_eq!(senders_and_statuses(&api), [("ACME shop".to_owned(), "Pending".to_owned())]);
}

/// Proves: D143.
#[test]
fn a_requested_name_is_pending_until_approved_and_never_again() {
    let api = Setup::new().serve();
    let made = request_sender(&api, "AcmeShop").expect(201).json();
    assert_eq!(made, json!({ "id": made["id"], "name": "AcmeShop", "status": "Pending" }));
    let id = made["id"].as_str().expect("an id");
    for _ in 0..2 {
        let approved = api.admin().post(format!("{PATH}/{id}/approve"), &json!({})).ok();
        assert_eq!(approved, json!({ "id": id, "name": "AcmeShop", "status": "Verified" }));
    }
    assert_eq!(api.get(format!("/assets/v1/senders/{id}")).ok()["status"], "Verified");
    api.admin().post(format!("{PATH}/{}/approve", seeds::id("ssd_", "9")), &json!({})).expect(404);
}

/// Proves: D143.
#[test]
fn a_refused_name_is_removed_and_a_verified_one_is_not_refused() {
    let api = Setup::new().serve();
    let id = |name: &str| request_sender(&api, name).expect(201).json()["id"].as_str().expect("an id").to_owned();
    let (refused, kept) = (id("AcmeTest"), id("AcmeShop"));
    api.admin().post(format!("{PATH}/{refused}/refuse"), &json!({})).expect(204);
    api.admin().post(format!("{PATH}/{kept}/approve"), &json!({})).expect(200);
    api.admin().post(format!("{PATH}/{kept}/refuse"), &json!({})).expect(409);
    assert_eq!(senders_and_statuses(&api), [("AcmeShop".to_owned(), "Verified".to_owned())]);
}

/// Proves: D143.
#[test]
fn a_number_is_verified_at_once() {
    let api = Setup::new().serve();
    for number in ["60000", "07700900001", "447700900001"] {
        assert_eq!(request_sender(&api, number).expect(201).json()["status"], "Verified");
    }
}

/// Proves: D143.
#[test]
fn removal_is_open_to_both_sides() {
    let api = Setup::new().serve();
    let ids = ["AcmeTest", "AcmeShop"]
        .map(|name| request_sender(&api, name).expect(201).json()["id"].as_str().expect("an id").to_owned());
    api.delete(format!("/assets/v1/senders/{}", ids[0])).expect(204);
    api.admin().delete(format!("{PATH}/{}", ids[1])).expect(204);
    api.admin().delete(format!("{PATH}/{}", ids[1])).expect(404);
    assert!(senders_and_statuses(&api).is_empty());
}
