//! Unusual texts. Each is stored and returned byte for byte, or refused by a rule.

use roost_tests::{Receiver, Request, Served, Setup, expected::C, seeds};
use serde_json::{Map, Value, json};
use tempfile::TempDir;

use crate::rest::{LIST, contacts_of, creation_body, stored_contacts};

/// Returns one text for each way in which texts get damaged.
fn fragile_texts() -> Vec<String> {
    let controls: String = (0..0x20_u8).map(char::from).collect();
    let plain = [
        "\u{1f600}",
        "\u{1f469}\u{200d}\u{1f469}\u{200d}\u{1f467}\u{1f3fd}",
        "\u{1f1ec}\u{1f1e7}",
        "\u{645}\u{631}\u{62d}\u{628}\u{627}",
        "\u{202e}abc\u{202c} \u{5e9}\u{5dc}\u{5d5}\u{5dd} (a) \u{200f}",
        "a\u{0}b",
        "\u{0}",
        "\u{7f}\u{80}\u{85}\u{9f}",
        "\"'`\u{201c}\u{2018}\u{ab}",
        "\\\" \\u0041 \\\\ \\n",
        "'; DROP TABLE contacts; --",
        "\" OR \"\"=\"",
        "%' ESCAPE '\\",
        "=cmd|' /C calc'!A0",
        "+1+1",
        "-2+3",
        "@SUM(A1:A9)",
        "\t=1+1",
        "e\u{301}",
        "\u{e9}",
        "Z\u{335}\u{321}\u{36b}a\u{30a}\u{489}",
        "\u{feff}x\u{feff}",
        "\u{fffd}\u{ffff}\u{fffe}",
        "\u{10ffff}\u{e000}",
        "a\r\nb\u{2028}c\u{2029}",
        "</script><script>alert(1)</script>",
        "{{7*7}} ${x} %s %00 &amp;",
        " leading and trailing ",
        "\u{df}\u{130}\u{131}\u{1c4}\u{fb01}",
        "null",
        "123",
    ];
    plain.into_iter().map(str::to_owned).chain([controls]).collect()
}

/// Returns a text with every byte as an escape of a query.
fn percent_encode(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02X}")).collect()
}

fn start_server() -> Served {
    Setup::new().seed(json!({ "lists": [seeds::list(LIST, "VIP", json!([]))] })).serve()
}

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

/// Returns the `n`th contact, with every text at its maximum length.
fn full_contact(n: usize) -> Map<String, Value> {
    let number = format!("+4477009{:05}", n % 1_000);
    let mut contact = Map::new();
    contact.insert("phone_number".to_owned(), json!(number));
    contact.insert("whatsapp_number".to_owned(), json!(number));
    for (attribute, max) in LIMITS {
        contact.insert(
            attribute.to_owned(),
            json!(format!("{n:05} {attribute} ").chars().chain(std::iter::repeat('x')).take(max).collect::<String>()),
        );
    }
    contact
}

/// Proves: D17, D77, S8_bytes.
#[test]
fn ten_thousand_contacts_at_full_length_fit_in_one_request() {
    let api = start_server();
    let contacts: Vec<Value> = (0..10_000).map(|n| Value::Object(full_contact(n))).collect();
    let body = creation_body("allowDuplicates", Value::Array(contacts)).to_string();
    assert!((32 * 1024 * 1024..64 * 1024 * 1024).contains(&body.len()), "{} bytes", body.len());
    api.send(Request::post("/contacts/v1/contacts").json_text(body)).expect(200);
    api.settle();
    let mut records = stored_contacts(&api);
    assert_eq!(records.len(), 10_000);
    records.sort_by(|a, b| a["title"].as_str().cmp(&b["title"].as_str()));
    for (n, record) in records.iter().enumerate() {
        let sent = full_contact(n);
        for (attribute, max) in LIMITS {
            assert_eq!(record[attribute], sent[attribute], "{n} {attribute}");
            assert_eq!(sent[attribute].as_str().map(str::len), Some(max));
        }
        assert_eq!(record["phone_number"], sent["phone_number"]);
    }
}

/// Proves: D50, D54, S8_bytes.
#[test]
fn names_of_any_letters_are_kept_found_and_sorted() {
    let api = start_server();
    let long = ["\u{e9}".repeat(120), "\u{5e9}".repeat(120), "\u{1f600}".repeat(120), "e\u{301}".repeat(60)];
    let names: Vec<String> = fragile_texts().into_iter().chain(long).filter(|name| !name.trim().is_empty()).collect();
    for name in &names {
        let made = api.post("/contacts/v1/lists/create", &json!({ "name": name })).ok();
        assert_eq!(made["name"], name.as_str());
    }
    for name in &names {
        let found = api.get(format!("/contacts/v1/lists/?page_size=100&name={}", percent_encode(name))).column("name");
        assert!(found.contains(name), "{name:?} is not among {found:?}");
    }
    let mut sorted = api.get("/contacts/v1/lists/?page_size=100&sort_by=name&sort_order=ASC").column("name");
    assert_eq!(sorted.len(), names.len() + 1);
    assert!(sorted.windows(2).all(|pair| pair[0].to_lowercase() <= pair[1].to_lowercase()));
    sorted.retain(|name| !name.contains('\u{e9}'));
    assert!(sorted.iter().any(|name| name.contains("e\u{301}")), "composed and decomposed letters stay two");
    let too_long = "\u{e9}".repeat(121);
    let answer = api.post("/contacts/v1/lists/create", &json!({ "name": too_long }));
    answer.is(&roost_tests::expected::invalid(C, &[("name", "Invalid list name", json!(too_long))]));
}

/// Proves: D80, S8_bytes.
#[test]
fn attributes_of_any_letters_are_kept() {
    let api = start_server();
    let texts = fragile_texts();
    let contact = |text: &String| json!({ "phone_number": "07700900001", "company_name": text, "field_2": text, "email_address": text });
    super::rest::create_contacts(&api, "allowDuplicates", texts.iter().map(contact).collect());
    let kept: Vec<String> = api.get(contacts_of(LIST)).column("field_2").into_iter().rev().collect();
    assert_eq!(kept, texts);
    for record in stored_contacts(&api) {
        assert!(
            record["company_name"] == record["field_2"] && record["email_address"] == record["field_2"],
            "{record}"
        );
    }
    // The response must contain these bytes, not only parse to them.
    let raw = api.get(format!("{}?fields=field_2", contacts_of(LIST))).text();
    for text in &texts {
        assert!(raw.contains(&json!({ "field_2": text }).to_string()), "{text:?}");
    }
}

/// Proves: D75, D88, S8_bytes.
#[test]
fn what_is_echoed_in_a_callback_is_what_was_sent() {
    let (receiver, name) = (Receiver::start(), fragile_texts().concat().chars().take(120).collect::<String>());
    let api = Setup::new().seed(json!({ "lists": [seeds::list(LIST, &name, json!([]))] })).serve();
    for text in fragile_texts() {
        let mut body = creation_body("allowDuplicates", json!([{ "phone_number": "07700900001" }]));
        body["correlation_id"] = json!(text);
        body["callback_url"] = json!(receiver.url("/hook"));
        assert_eq!(api.post("/contacts/v1/contacts", &body).ok()["list_name"], name.as_str());
    }
    let came = receiver.wait_for(fragile_texts().len());
    let mut echoed: Vec<String> =
        came.iter().map(|call| call.json()["correlation_id"].as_str().expect("a text").to_owned()).collect();
    let mut sent = fragile_texts();
    echoed.sort();
    sent.sort();
    assert_eq!(echoed, sent);
    assert!(came.iter().all(|call| call.json()["list_name"] == name.as_str()));
}

/// Proves: D118, D120, S8_bytes.
#[test]
fn titles_are_kept_and_tags_are_refused_by_their_rule() {
    let api = start_server();
    for text in fragile_texts() {
        let body = |tags: Value| json!({ "title": text, "target_url": "https://shop.example/s", "tags": tags });
        let answer = api.post("/assets/v1/shortlink", &body(json!([])));
        if text.trim().is_empty() {
            answer.expect(400);
            continue;
        }
        let made = answer.ok();
        assert_eq!(made["title"], text.trim());
        let read = api.get(format!("/assets/v1/shortlink/{}", made["link_id"].as_str().expect("an id"))).ok();
        assert_eq!(read, made);
        let tagged = api.post("/assets/v1/shortlink", &body(json!([text])));
        match tagged.status {
            200 => assert_eq!(tagged.json()["tags"], json!([text.trim()])),
            _ => tagged.is(&roost_tests::expected::invalid("AST", &[("tags[]", "Invalid tag.", json!(text))])),
        }
        // A search for it finds it or nothing, and never fails.
        api.post("/assets/v1/shortlink/filter", &json!({ "filter": { "query": text, "tags": [text] } })).expect(200);
    }
}

/// Proves: D37, D119, S8_bytes.
#[test]
fn numbers_and_addresses_are_refused_by_their_rules() {
    let api = start_server();
    for text in fragile_texts() {
        let number = format!("x{text}");
        let outcome =
            api.post("/contacts/v1/optouts", &json!({ "optouts": [{ "number": number }] })).expect(201).json();
        let message = "Invalid phone number. The number must be in E.164 format.";
        let failure = json!({ "number": number, "channel": "SMS", "status": "failure", "message": message });
        assert_eq!(outcome["items"], json!([failure]));
        api.get(format!("/contacts/v1/optouts?number={}", percent_encode(&number))).expect(400);
        api.get(format!("{}?search={}", contacts_of(LIST), percent_encode(&text))).expect(200);
        let target = format!("https://shop.example/{text}");
        let answer = api.post("/assets/v1/shortlink", &json!({ "title": "x", "target_url": target }));
        if answer.status == 400 {
            answer.is(&roost_tests::expected::invalid("AST", &[("target_url", "Invalid URL.", json!(target))]));
            continue;
        }
        let made = answer.ok();
        assert_eq!(made["target_url"], target.trim());
        let path = made["short_link_url"].as_str().and_then(|url| url.strip_prefix(api.url())).expect("ours");
        let location = api.get(path).expect(302).header("location").expect("a place").to_owned();
        assert!(location.is_ascii() && location.starts_with("https://shop.example/"), "{location}");
    }
    for (name, value) in
        [("channel", "SMS\u{0}"), ("opt_out_type", "keyword\u{0}"), ("asset_id", "num_36AbCdEfGhIjKlMnOpQrStUvWx\u{0}")]
    {
        api.get(format!("/contacts/v1/optouts?{name}={}", percent_encode(value))).expect(400);
    }
}

/// Proves: D144, D148, S8_bytes.
#[test]
fn labels_and_keywords_of_the_operator_are_kept() {
    let api = Setup::new().seed(json!({ "assets": [seeds::sms_asset("1", "60006")] })).serve();
    let admin = api.admin();
    for text in fragile_texts().iter().filter(|text| !text.trim().is_empty()) {
        let made = admin.post("/__admin/custom_fields", &json!({ "label": text })).expect(201).json();
        assert_eq!(made["label"], text.as_str());
        let path = format!("/__admin/assets/{}", seeds::id("num_", "1"));
        assert_eq!(admin.patch(path, &json!({ "keywords": [text] })).ok()["keywords"], json!([text.trim()]));
        let message = json!({ "from": seeds::mobile(1), "asset_id": seeds::id("num_", "1"), "text": text });
        let made = admin.post("/__admin/inbound_messages", &message).ok();
        assert!(made["opt_out"].is_object(), "{text:?} is its own keyword");
    }
}

/// Proves: S8_bytes.
#[test]
fn nothing_is_lost_by_a_restart_or_by_an_export() {
    let folder = TempDir::new().expect("a folder");
    let file = folder.path().join("account.roost");
    let seed = json!({ "lists": [seeds::list(LIST, "VIP", json!([]))] });
    let api = Setup::new().on_file(&file).set("short_link_base", "https://sl.example").seed(seed).serve();
    let contacts =
        fragile_texts().iter().map(|text| json!({ "phone_number": "07700900001", "company_name": text })).collect();
    super::rest::create_contacts(&api, "allowDuplicates", contacts);
    for text in fragile_texts().iter().filter(|text| !text.trim().is_empty()) {
        api.post("/contacts/v1/lists/create", &json!({ "name": text })).expect(200);
        api.post("/assets/v1/shortlink", &json!({ "title": text, "target_url": "https://shop.example" })).expect(200);
    }
    let before = (stored_contacts(&api), api.admin().get("/__admin/export").ok());
    api.stop();
    let api = Setup::new().on_file(&file).set("short_link_base", "https://sl.example").serve();
    assert_eq!((stored_contacts(&api), api.admin().get("/__admin/export").ok()), before);
    let again = Setup::new().set("short_link_base", "https://sl.example").seed(before.1.clone()).serve();
    assert_eq!((stored_contacts(&again), again.admin().get("/__admin/export").ok()), before);
}

/// Proves: D19, S8_bytes.
#[test]
fn escapes_and_letters_are_the_same_text() {
    let api = start_server();
    let create =
        |name: &str| api.send(Request::post("/contacts/v1/lists/create").json_text(format!("{{\"name\":\"{name}\"}}")));
    for (sent, kept) in [
        ("\\u00e9\\u0301", "\u{e9}\u{301}"),
        ("\\ud83d\\ude00", "\u{1f600}"),
        ("a\\u0000b", "a\u{0}b"),
        ("\\/\\\"\\\\\\b\\f\\n\\r\\t", "/\"\\\u{8}\u{c}\n\r\t"),
        ("\u{7f}\u{1f600}", "\u{7f}\u{1f600}"),
    ] {
        assert_eq!(create(sent).ok()["name"], kept);
    }
    for half in ["\\ud83d", "\\ude00", "\\ude00\\ud83d", "\\ud83dx"] {
        create(half).is(&roost_tests::expected::bad_body(C));
    }
    for raw in ["a\u{0}b", "a\nb", "a\tb"] {
        create(raw).is(&roost_tests::expected::bad_body(C));
    }
}
