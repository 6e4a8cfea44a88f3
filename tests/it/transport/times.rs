//! Times: their written form, and the forms that filters accept.

use roost_tests::{
    Setup,
    expected::{L, bad_format, invalid},
    seeds,
};
use serde_json::{Value, json};

const NOW: &str = "2026-01-05T09:00:00Z";

/// Proves: D22.
#[test]
fn every_record_is_written_in_its_own_form() {
    let api = Setup::new().at(NOW).serve();
    let list = api.post("/contacts/v1/lists/create", &json!({ "name": "VIP" })).ok();
    let list = list["uid"].as_str().expect("a uid").to_owned();
    let body =
        json!({ "list_id": list, "merge_type": "allowDuplicates", "contacts": [{ "phone_number": "07700900001" }] });
    api.post("/contacts/v1/contacts", &body).expect(200);
    api.settle();
    let listed = &api.get("/contacts/v1/lists/").items()[0];
    assert_eq!((&listed["created_at"], &listed["updated_at"]), (&json!(NOW), &json!(NOW)));
    let contact = &api.get(format!("/contacts/v1/contacts/list/{list}")).items()[0];
    assert_eq!((&contact["created_at"], &contact["updated_at"]), (&json!("2026-01-05 09:00:00"), &Value::Null));
    let outcome =
        api.post("/contacts/v1/optouts", &json!({ "optouts": [{ "number": "447700900001" }] })).expect(201).json();
    assert_eq!(outcome["items"][0]["opt_out_time"], NOW);
    let link = api.post("/assets/v1/shortlink", &json!({ "title": "x", "target_url": "https://shop.example" })).ok();
    assert_eq!(link["created_at"], NOW);
    let error = api.get("/contacts/v1/lists/?page_size=0").expect(400).json();
    assert_eq!(error["timestamp"], "2026-01-05T09:00:00.000000000Z");
}

/// Proves: D22.
#[test]
fn contact_times_are_utc() {
    // The contact and its list have the time of one clock. Only the contact's time has no zone.
    let api = Setup::new().at("2026-07-05T23:30:00Z").serve();
    let list = api.post("/contacts/v1/lists/create", &json!({ "name": "VIP" })).ok()["uid"].clone();
    let body =
        json!({ "list_id": list, "merge_type": "allowDuplicates", "contacts": [{ "phone_number": "07700900001" }] });
    api.post("/contacts/v1/contacts", &body).expect(200);
    api.settle();
    let path = format!("/contacts/v1/contacts/list/{}", list.as_str().expect("a uid"));
    assert_eq!(api.get(path).column("created_at"), ["2026-07-05 23:30:00"]);
}

const GOOD: [&str; 6] = [
    "2026-01-05T09:00:00Z",
    "2026-01-05T09:00:00.5Z",
    "2026-01-05T09:00:00.123456789Z",
    "2024-02-29T23:59:59Z",
    "0001-01-01T00:00:00Z",
    "9999-12-31T23:59:59Z",
];

const BAD: [&str; 18] = [
    "x",
    "2026-01-05",
    "2026-01-05 09:00:00",
    "2026-01-05T09:00:00",
    "2026-01-05T09:00Z",
    "2026-01-05t09:00:00Z",
    "2026-01-05T09:00:00z",
    "2026-01-05T09:00:00+00:00",
    "2026-01-05T10:00:00+01:00",
    "2026-01-05T09:00:00.Z",
    "2026-01-05T09:00:00.1234567890Z",
    "2026-01-05T09:00:60Z",
    "2026-01-05T24:00:00Z",
    "2026-02-29T00:00:00Z",
    "2026-13-01T00:00:00Z",
    "2026-1-5T09:00:00Z",
    "20260105T090000Z",
    "1767603600",
];

/// Proves: D22, D100, D129.
#[test]
fn filters_read_only_the_documented_form() {
    let api = Setup::new().serve();
    let encoded = |text: &str| text.replace('+', "%2B").replace(' ', "%20");
    let search = |key: &str, text: &str| api.post("/assets/v1/shortlink/filter", &json!({ "filter": { key: text } }));
    for good in GOOD {
        for name in ["start_time", "end_time"] {
            api.get(format!("/contacts/v1/optouts?{name}={good}")).expect(200);
            search(&format!("created_at_{}", &name[..name.len() - 5]), good).expect(200);
        }
    }
    for bad in BAD {
        for name in ["start_time", "end_time"] {
            api.get(format!("/contacts/v1/optouts?{name}={}", encoded(bad))).is(&bad_format(name, "date-time"));
        }
    }
    let message = "Invalid date-time. Use ISO 8601 UTC with a Z suffix.";
    for bad in BAD.into_iter().chain([""]) {
        for key in ["created_at_start", "created_at_end"] {
            search(key, bad).is(&invalid(L, &[(&format!("filter.{key}"), message, json!(bad))]));
        }
    }
}

/// Proves: D22.
#[test]
fn a_fraction_is_compared_and_not_cut() {
    let api = Setup::new().seed(json!({ "opt_outs": [seeds::opt_out(&seeds::mobile(1), "SMS", NOW)] })).serve();
    let found = |query: &str| api.get(format!("/contacts/v1/optouts?{query}")).items().len();
    assert_eq!(found("start_time=2026-01-05T09:00:00.000Z"), 1);
    assert_eq!(found("start_time=2026-01-05T09:00:00.000000001Z"), 0);
    assert_eq!(found("end_time=2026-01-05T09:00:00.999Z"), 1);
    assert_eq!(found("end_time=2026-01-05T08:59:59.999999999Z"), 0);
}
