//! Senders: query, retrieval, deletion.

use roost_tests::{
    Expected, Served, Setup,
    expected::{message_only, shape_a},
    seeds,
};
use serde_json::{Value, json};

fn start_server() -> Served {
    let sender =
        |tail: &str, name: &str, status: &str| json!({ "id": seeds::id("ssd_", tail), "name": name, "status": status });
    let senders = json!([
        sender("a", "AcmeTest", "Pending"),
        sender("C", "AcmeShop", "Verified"),
        sender("b", "60000", "Verified")
    ]);
    Setup::new().seed(json!({ "senders": senders })).serve()
}

fn expected_refusal(entries: &[(&str, &str)]) -> Expected {
    let entry =
        |(name, message): &(&str, &str)| json!({ "message": message, "field": format!("get_all_sms_senders.{name}") });
    shape_a(400, entries.iter().map(entry).collect())
}

/// Proves: D44, R4_1_page_size_low, R4_1_page_size_high.
#[test]
fn invalid_paging_is_reported_with_its_fields_in_order() {
    let api = start_server();
    let (low, high) = ("must be greater than 0", "must be less than or equal to 100");
    for bad in ["0", "-1", "x", "1.5", "2147483648", "%2B-1"] {
        for name in ["page_number", "page_size"] {
            api.get(format!("/assets/v1/senders/?{name}={bad}")).is(&expected_refusal(&[(name, low)]));
        }
    }
    api.get("/assets/v1/senders/?page_size=101").is(&expected_refusal(&[("page_size", high)]));
    api.get("/assets/v1/senders/?page_size=101&page_number=x")
        .is(&expected_refusal(&[("page_number", low), ("page_size", high)]));
    api.get("/assets/v1/senders/?page_size=100&page_number=2147483647").expect(200);
}

/// Proves: D45, D46, R4_1_sender_absent.
#[test]
fn absent_and_malformed_senders_are_the_same_unknown_one() {
    let api = start_server();
    let unknown = shape_a(404, json!([{ "message": "Sender not found for the account", "code": 3006 }]));
    let absent = seeds::id("ssd_", "z");
    for id in
        [absent.as_str(), "x", "ssd_1", "LST_36AbCdEfGhIjKlMnOpQrStUvWx1", "SSD_36AbCdEfGhIjKlMnOpQrStUvWxa", "%00"]
    {
        api.get(format!("/assets/v1/senders/{id}")).is(&unknown);
        api.delete(format!("/assets/v1/senders/{id}")).is(&unknown);
    }
    assert_ne!(unknown, message_only(404, "Requested resource not found"));
}

/// Proves: D47.
#[test]
fn senders_come_newest_first() {
    let tails = start_server().get("/assets/v1/senders/").column("id");
    assert_eq!(tails, ["b", "a", "C"].map(|tail| seeds::id("ssd_", tail)), "by id as text, descending");
    let api = Setup::new().at("2026-01-05T09:00:00Z").serve();
    for name in ["First", "Second", "Third"] {
        api.admin().post("/__admin/senders", &json!({ "name": name })).expect(201);
        api.advance(1);
    }
    assert_eq!(api.get("/assets/v1/senders/").column("name"), ["Third", "Second", "First"]);
}

/// Proves: D48.
#[test]
fn any_sender_can_be_deleted() {
    let api = start_server();
    for id in api.get("/assets/v1/senders/").column("id") {
        let path = format!("/assets/v1/senders/{id}");
        let found = api.get(&path).ok();
        assert_eq!(found["id"], id);
        api.delete(&path).expect(204);
        api.get(&path).expect(404);
        api.delete(&path).expect(404);
    }
    assert_eq!(api.get("/assets/v1/senders/").items(), Vec::<Value>::new());
}
