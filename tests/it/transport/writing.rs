//! Answers: their media type, their keys, and the form of empty ones.

use roost_tests::{Answer, Request, Setup, seeds};
use serde_json::{Value, json};

const LIST: &str = "LST_36AbCdEfGhIjKlMnOpQrStUvWx1";

fn sample_answers() -> Vec<Answer> {
    let seed = json!({
        "senders": [{ "name": "AcmeShop" }],
        "lists": [seeds::filled_list(LIST, "VIP", 2)],
        "opt_outs": [seeds::opt_out(&seeds::mobile(1), "SMS", "2026-01-05T09:00:00Z")],
        "short_links": [{ "title": "Spring", "target_url": "https://shop.example/s" }],
    });
    let api = Setup::new().seed(seed).serve();
    vec![
        api.get("/assets/v1/senders/"),
        api.get("/contacts/v1/lists/"),
        api.get(format!("/contacts/v1/contacts/list/{LIST}")),
        api.get("/contacts/v1/optouts"),
        api.post("/assets/v1/shortlink/filter", &json!({})),
    ]
}

/// Proves: D20.
#[test]
fn answers_are_json_of_a_plain_type() {
    let api = Setup::new().serve();
    let failing = ["/assets/v1/senders/x", "/contacts/v1/lists/?page_size=0", "/nowhere"].map(|path| api.get(path));
    for answer in sample_answers().into_iter().chain(failing) {
        assert_eq!(answer.header("content-type"), Some("application/json"), "{}", answer.shown());
        answer.json();
    }
}

fn object_keys(value: &Value) -> Vec<String> {
    let mut keys: Vec<String> = value.as_object().expect("an object").keys().cloned().collect();
    keys.sort();
    keys
}

/// Proves: D20.
#[test]
fn every_documented_key_is_there_and_null_when_empty() {
    let sorted = |text: &str| {
        let mut keys: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
        keys.sort();
        keys
    };
    let documented = [
        "id name status",
        "uid name created_at updated_at",
        "uid phone_number phone_region whatsapp_id whatsapp_region alternate_phone title firstname lastname company_name email_address \
         date_of_birth address_1 address_2 city state zip country field_1 field_2 field_3 created_at updated_at",
        "number channel account_level_opt_out opt_out_type opt_out_time",
        "title link_id target_url short_link_url tags created_at track_clicks",
    ];
    for (answer, documented) in sample_answers().into_iter().zip(documented) {
        let whole = answer.clone().ok();
        assert_eq!(object_keys(&whole), ["items", "paging"]);
        assert_eq!(object_keys(&whole["paging"]), ["current_page", "total_items", "total_pages"]);
        for item in answer.items() {
            assert_eq!(object_keys(&item), sorted(documented));
        }
    }
    let contact = &sample_answers()[2].clone().items()[0];
    let empty = object_keys(contact).into_iter().filter(|key| contact[key].is_null()).count();
    assert_eq!(empty, 19, "all but uid, number, region and time of creation: {contact}");
}

/// Proves: D20.
#[test]
fn paging_comes_before_the_items() {
    for answer in sample_answers() {
        assert!(answer.text().starts_with("{\"paging\":{\"current_page\":1,"), "{}", answer.shown());
    }
}

/// Proves: D20.
#[test]
fn an_answer_without_content_has_neither_body_nor_type() {
    let seed = json!({
        "senders": [{ "id": seeds::id("ssd_", "1"), "name": "AcmeShop" }],
        "lists": [seeds::filled_list(LIST, "VIP", 2)],
        "short_links": [{ "link_id": seeds::id("shl_", "1"), "title": "Spring", "target_url": "https://shop.example/s" }],
    });
    let api = Setup::new().seed(seed).serve();
    for path in [
        format!("/assets/v1/senders/{}", seeds::id("ssd_", "1")),
        format!("/contacts/v1/contacts/{}", seeds::id("CON_", "00000")),
        format!("/contacts/v1/lists/{LIST}"),
        format!("/assets/v1/shortlink/{}", seeds::id("shl_", "1")),
    ] {
        let answer = api.send(Request::delete(path)).expect(204);
        assert!(answer.body.is_empty());
        assert_eq!(
            (answer.header("content-type"), answer.header("transfer-encoding")),
            (None, None),
            "{}",
            answer.shown()
        );
    }
}
