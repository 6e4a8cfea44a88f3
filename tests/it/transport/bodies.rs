//! Request bodies: their size, their type, and the accepted JSON.

use roost_tests::{
    Request, Served, Setup,
    expected::{C, L, bad_body, invalid, message_only, missing, shape_b},
    seeds,
};
use serde_json::{Value, json};

const CAP: usize = 64 * 1024 * 1024;
const LIST: &str = "LST_36AbCdEfGhIjKlMnOpQrStUvWx1";

/// Returns the operations that read a body, the family of their errors and a body that they accept.
fn body_operations() -> [(&'static str, &'static str, &'static str, Value); 6] {
    let contacts =
        json!({ "list_id": LIST, "merge_type": "skipDuplicates", "contacts": [{ "phone_number": "07700900001" }] });
    [
        ("POST", "/contacts/v1/lists/create", C, json!({ "name": "VIP" })),
        ("POST", "/contacts/v1/contacts", C, contacts),
        ("POST", "/contacts/v1/optouts", C, json!({ "optouts": [{ "number": "447700900001" }] })),
        ("DELETE", "/contacts/v1/optouts", C, json!({ "numbers": ["447700900001"] })),
        ("POST", "/assets/v1/shortlink", L, json!({ "title": "Spring", "target_url": "https://shop.example/s" })),
        ("POST", "/assets/v1/shortlink/filter", L, json!({})),
    ]
}

fn start_server() -> Served {
    let senders = json!([{ "id": seeds::id("ssd_", "1"), "name": "AcmeShop" }]);
    Setup::new().seed(json!({ "senders": senders, "lists": [seeds::list(LIST, "VIP", json!([]))] })).serve()
}

/// Returns `{"name":"VIP","x":"…"}` with this many bytes.
fn padded_body(bytes: usize) -> Vec<u8> {
    let (head, tail) = (br#"{"name":"Large","x":""#, br#""}"#);
    let mut body = Vec::with_capacity(bytes);
    body.extend(head);
    body.resize(bytes - tail.len(), b'a');
    body.extend(tail);
    body
}

/// Proves: D17.
#[test]
fn a_body_at_the_cap_is_read_and_one_byte_more_is_refused_in_every_shape() {
    let api = start_server();
    let post =
        |path: &str, body: Vec<u8>| api.send(Request::post(path).header("content-type", "application/json").body(body));
    post("/contacts/v1/lists/create", padded_body(CAP)).expect(200);
    let expected = |family| shape_b(413, family, "REQ_004", "PAYLOAD_TOO_LARGE", "Request body too large");
    post("/contacts/v1/lists/create", padded_body(CAP + 1)).is(&expected(C));
    post("/assets/v1/shortlink/filter", padded_body(CAP + 1)).is(&expected(L));
    let sender = format!("/assets/v1/senders/{}", seeds::id("ssd_", "1"));
    let answer = api.send(Request::delete(&sender).body(padded_body(CAP + 1)));
    answer.is(&message_only(413, "Request body too large"));
    api.get(sender).expect(200);
    assert_eq!(api.get("/contacts/v1/lists/?name=Large").items().len(), 1, "nothing was made of the refused one");
}

/// Proves: D17, G3_2_8.
#[test]
fn a_body_without_a_stated_length_has_the_same_cap() {
    let api = start_server();
    let post = |body: Vec<u8>| {
        let mut chunks = Vec::with_capacity(body.len() + 1_024);
        for chunk in body.chunks(1 << 20) {
            chunks.extend(format!("{:x}\r\n", chunk.len()).into_bytes());
            chunks.extend(chunk);
            chunks.extend(b"\r\n");
        }
        chunks.extend(b"0\r\n\r\n");
        let request = Request::post("/contacts/v1/lists/create").header("content-type", "application/json");
        api.send(request.header("transfer-encoding", "chunked").body(chunks))
    };
    post(padded_body(CAP)).expect(200);
    post(padded_body(CAP + 1)).is(&shape_b(413, C, "REQ_004", "PAYLOAD_TOO_LARGE", "Request body too large"));
    // A caller that asks whether it may send gets 100 Continue.
    let asking = Request::post("/contacts/v1/lists/create").header("expect", "100-continue");
    api.send(asking.json(&json!({ "name": "VIP" }))).expect(200);
}

fn with_type(api: &Served, at: usize, content_type: &str) -> roost_tests::Answer {
    let (method, path, _, body) = &body_operations()[at];
    let request = Request::new(method, *path).body(body.to_string());
    api.send(if content_type.is_empty() { request } else { request.header("content-type", content_type) })
}

/// Proves: D18.
#[test]
fn a_body_with_any_json_type_or_without_a_type_is_read() {
    let api = start_server();
    for content_type in [
        "",
        "application/json",
        "Application/JSON",
        "application/json; charset=utf-8",
        "application/json;charset=\"UTF-8\"; version=1",
        "application/vnd.acme.v1+json",
        "application/problem+json; x=y",
    ] {
        for at in 0..body_operations().len() {
            let answer = with_type(&api, at, content_type);
            assert!([200, 201].contains(&answer.status), "{content_type}{}", answer.shown());
        }
    }
}

/// Proves: D18, R7_2_req_002.
#[test]
fn other_types_are_malformed_bodies() {
    let api = start_server();
    for content_type in [
        "text/plain",
        "text/json",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "application/jsonp",
        "application/+json",
        "application/json; charset=iso-8859-1",
        "json",
    ] {
        for (at, (_, _, family, _)) in body_operations().iter().enumerate() {
            with_type(&api, at, content_type).is(&bad_body(family));
        }
    }
}

/// Proves: D19, R4_3_body_malformed, R4_4_create_body_malformed, R4_4_delete_body_malformed, R7_3_req_002.
#[test]
fn anything_but_one_object_is_malformed() {
    let api = start_server();
    let texts: [&[u8]; 17] = [
        b"",
        b" ",
        b"null",
        b"[]",
        b"1",
        b"\"name\"",
        b"{",
        b"{\"name\":\"a\"",
        b"{\"name\":\"a\"}{}",
        b"{\"name\":\"a\"} x",
        b"{'name':'a'}",
        b"{\"name\":\"a\",}",
        b"{\"name\":\"\xff\"}",
        b"{\"name\":\"\\ud800\"}",
        b"{\"name\":\"a\nb\"}",
        b"{\"x\":NaN}",
        b"\xef\xbb\xbf{\"name\":\"a\"}",
    ];
    for text in texts {
        for (method, path, family, _) in body_operations() {
            let request = Request::new(method, path).header("content-type", "application/json").body(text);
            let answer = api.send(request);
            answer.is(&bad_body(family));
        }
    }
}

/// Proves: D19.
#[test]
fn unknown_keys_are_ignored_and_names_are_case_sensitive() {
    let api = start_server();
    let wild = json!({ "deep": [1, { "name": 2 }], "n": 1e300, "null": null });
    for (method, path, _, body) in body_operations() {
        let mut body = body;
        body["unknown"] = wild.clone();
        for key in ["contacts", "optouts"] {
            if let Some(first) = body.get_mut(key).and_then(|list| list.get_mut(0)) {
                first["unknown"] = wild.clone();
            }
        }
        let answer = api.send(Request::new(method, path).json(&body));
        assert!([200, 201].contains(&answer.status), "{}", answer.shown());
    }
    api.post("/contacts/v1/lists/create", &json!({ "Name": "VIP" }))
        .is(&invalid(C, &[("name", "Invalid list name", Value::Null)]));
}

/// Proves: D19.
#[test]
fn the_last_of_equal_keys_counts() {
    let api = start_server();
    let post = |path: &str, text: &str| api.send(Request::post(path).json_text(text));
    let made = post("/contacts/v1/lists/create", r#"{"name":"first","name":"last"}"#).ok();
    assert_eq!(made["name"], "last");
    post("/contacts/v1/lists/create", r#"{"name":"first","name":7}"#)
        .is(&invalid(C, &[("name", "Invalid list name", json!(7))]));
    let outcome = post(
        "/contacts/v1/optouts",
        r#"{"optouts":[{"number":"x","number":"447700900001","channel":"sms","channel":"whatsapp"}]}"#,
    );
    assert_eq!(outcome.expect(201).json()["items"][0]["channel"], "WHATSAPP");
    let contact = r#"{"phone_number":7,"title":"a","phone_number":"07700900001","title":"b"}"#;
    let text = format!(
        r#"{{"list_id":1,"list_id":"{LIST}","merge_type":"x","merge_type":"skipDuplicates","contacts":[1],"contacts":[{contact}]}}"#
    );
    post("/contacts/v1/contacts", &text).expect(200);
    api.settle();
    assert_eq!(api.get(format!("/contacts/v1/contacts/list/{LIST}")).column("title"), ["b"]);
    let link = post("/assets/v1/shortlink", r#"{"title":1,"title":"Spring","target_url":"https://shop.example"}"#);
    assert_eq!(link.ok()["title"], "Spring");
}

/// Proves: D19.
#[test]
fn an_optional_null_is_absent_and_a_required_one_missing() {
    let api = start_server();
    let contacts = json!({
        "list_id": LIST, "merge_type": "skipDuplicates", "phone_region": null, "callback_url": null, "correlation_id": null,
        "contacts": [{ "phone_number": "07700900001", "whatsapp_number": null, "title": null, "field_1": null }],
    });
    api.post("/contacts/v1/contacts", &contacts).expect(200);
    let optouts = json!({ "optouts": [{ "number": "447700900001", "channel": null, "asset_id": null }] });
    assert_eq!(api.post("/contacts/v1/optouts", &optouts).expect(201).json()["total_succeeded"], 1);
    let link = json!({ "title": "Spring", "target_url": "https://shop.example", "tags": null, "track_clicks": null });
    assert_eq!(api.post("/assets/v1/shortlink", &link).ok()["track_clicks"], true);
    api.post("/assets/v1/shortlink/filter", &json!({ "filter": null, "sort": null, "page": null })).expect(200);
    api.post("/contacts/v1/optouts", &json!({ "optouts": null })).is(&missing(
        "optouts",
        "optOuts",
        "The optouts list must not be empty",
        Value::Null,
    ));
    api.post("/contacts/v1/lists/create", &json!({ "name": null }))
        .is(&invalid(C, &[("name", "Invalid list name", Value::Null)]));
}

/// Proves: D19, D66, D122.
#[test]
fn a_wrong_type_of_a_known_key_is_malformed_without_conversion() {
    let api = start_server();
    let contacts = "/contacts/v1/contacts";
    let whole = |key: &str, value: Value| {
        let mut body = body_operations()[1].3.clone();
        body[key] = value;
        (contacts, C, body)
    };
    let contact = |value: Value| whole("contacts", json!([{ "phone_number": "07700900001" }, value]));
    let cases = [
        whole("list_id", json!(7)),
        whole("merge_type", json!(["skipDuplicates"])),
        whole("phone_region", json!(44)),
        whole("callback_url", json!(true)),
        whole("correlation_id", json!(17)),
        whole("contacts", json!({})),
        whole("contacts", json!("07700900001")),
        contact(json!("07700900001")),
        contact(Value::Null),
        contact(json!({ "phone_number": 447700900001_u64 })),
        contact(json!({ "phone_number": "07700900001", "title": 1 })),
        contact(json!({ "phone_number": "07700900001", "field_1": false })),
        ("/contacts/v1/optouts", C, json!({ "optouts": { "number": "447700900001" } })),
        ("/contacts/v1/optouts", C, json!({ "optouts": ["447700900001"] })),
        ("/contacts/v1/optouts", C, json!({ "optouts": [{ "number": 447700900001_u64 }] })),
        ("/contacts/v1/optouts", C, json!({ "optouts": [{ "number": "447700900001", "channel": 1 }] })),
        ("/contacts/v1/optouts", C, json!({ "optouts": [{ "number": "447700900001", "asset_id": {} }] })),
        ("/assets/v1/shortlink", L, json!({ "title": 1, "target_url": "https://shop.example" })),
        ("/assets/v1/shortlink", L, json!({ "title": "x", "target_url": ["https://shop.example"] })),
        ("/assets/v1/shortlink", L, json!({ "title": "x", "target_url": "https://shop.example", "tags": "a" })),
        ("/assets/v1/shortlink", L, json!({ "title": "x", "target_url": "https://shop.example", "tags": [1] })),
        (
            "/assets/v1/shortlink",
            L,
            json!({ "title": "x", "target_url": "https://shop.example", "track_clicks": "true" }),
        ),
        ("/assets/v1/shortlink", L, json!({ "title": null, "target_url": "no address", "track_clicks": 1 })),
        ("/assets/v1/shortlink/filter", L, json!({ "filter": [] })),
        ("/assets/v1/shortlink/filter", L, json!({ "filter": { "query": 1 } })),
        ("/assets/v1/shortlink/filter", L, json!({ "filter": { "tags": "a" } })),
        ("/assets/v1/shortlink/filter", L, json!({ "filter": { "created_at_start": 0 } })),
        ("/assets/v1/shortlink/filter", L, json!({ "sort": { "sort_by": true } })),
        ("/assets/v1/shortlink/filter", L, json!({ "page": 1 })),
    ];
    for (path, family, body) in cases {
        api.post(path, &body).is(&bad_body(family));
    }
    for body in [
        json!({ "numbers": "447700900001" }),
        json!({ "numbers": [447700900001_u64] }),
        json!({ "numbers": ["1"], "channel": 1 }),
    ] {
        api.send(Request::delete("/contacts/v1/optouts").json(&body)).is(&bad_body(C));
    }
    api.settle();
    assert!(api.get(format!("/contacts/v1/contacts/list/{LIST}")).items().is_empty(), "nothing was queued");
}

/// Proves: D21.
#[test]
fn bodies_that_say_nothing_are_read_and_ignored() {
    let api = start_server();
    for method in ["GET", "HEAD"] {
        for path in ["/contacts/v1/lists/", "/assets/v1/senders/", "/contacts/v1/optouts"] {
            let request = Request::new(method, path).header("content-type", "text/plain").body("{ not json");
            api.send(request).expect(200);
        }
    }
    let request = Request::delete(format!("/contacts/v1/lists/{LIST}")).header("content-type", "text/plain").body("[");
    api.send(request).expect(204);
}

/// Proves: D21.
#[test]
fn the_removal_of_opt_outs_reads_its_body() {
    let api = start_server();
    api.send(Request::delete("/contacts/v1/optouts")).is(&bad_body(C));
    api.send(Request::delete("/contacts/v1/optouts").json_text("[")).is(&bad_body(C));
    api.send(Request::delete("/contacts/v1/optouts").json(&json!({ "numbers": ["447700900001"] }))).expect(200);
}
