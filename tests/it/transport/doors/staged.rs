//! Injected faults behind TLS and over HTTP/2. Behind TLS they affect the connection, over HTTP/2 only the stream.

use std::io::{ErrorKind, Read, Write};

use h2::Reason;
use roost_tests::{Served, until};
use serde_json::{Value, json};

use super::{H1, LISTS, StreamConnection, readable_setup, shake_hands, start_secured, trusting_config};

fn add_rule(streams: &StreamConnection, api: &Served, rule: &Value) {
    let request = streams
        .request_builder("POST", "/__admin/faults/rules")
        .header("authorization", format!("Bearer {}", api.token()));
    let heard =
        streams.send_request(request.header("content-type", "application/json"), &rule.to_string()).expect("an answer");
    assert_eq!(heard.status, 201, "{heard:?}");
}

fn remove_rules(streams: &StreamConnection, api: &Served) {
    let request =
        streams.request_builder("DELETE", "/__admin/faults").header("authorization", format!("Bearer {}", api.token()));
    assert_eq!(streams.send_request(request, "").expect("an answer").status, 204);
}

#[test]
fn behind_tls_a_line_ends_as_it_does_in_the_open() {
    let api = start_secured();
    let streams = StreamConnection::connect_to(&api);
    let whole = streams.get(LISTS).body;
    for (effect, ends) in [
        (json!({ "line": "reset" }), ErrorKind::ConnectionReset),
        // The connection ends without the closing message of TLS, as if it was cut.
        (json!({ "line": "empty" }), ErrorKind::UnexpectedEof),
        (json!({ "body": { "truncate": { "bytes": 7 } } }), ErrorKind::UnexpectedEof),
    ] {
        remove_rules(&streams, &api);
        add_rule(&streams, &api, &json!({ "match": { "operation": "lists.query" }, "effect": effect }));
        let mut line =
            shake_hands(api.address(), "localhost", &trusting_config(api.ca(), &[H1])).expect("hands shaken");
        let request = format!("GET {LISTS} HTTP/1.1\r\nhost: localhost\r\nx-auth-key: a-key\r\n\r\n");
        line.write_all(request.as_bytes()).expect("sent");
        let mut bytes = Vec::new();
        let ended = line.read_to_end(&mut bytes).expect_err("an end before its time");
        assert_eq!(ended.kind(), ends, "{effect}: {ended}");
        if effect["line"].is_string() {
            assert!(bytes.is_empty(), "{effect}");
        } else {
            assert!(bytes.ends_with(&whole[..7]), "{effect}");
        }
    }
}

#[test]
fn over_http_2_a_line_fault_ends_one_stream_and_no_other() {
    let api = start_secured();
    let streams = StreamConnection::connect_to(&api);
    for line in ["reset", "empty"] {
        remove_rules(&streams, &api);
        add_rule(&streams, &api, &json!({ "match": { "operation": "lists.query" }, "effect": { "line": line } }));
        let reason = streams.send_request(streams.request_builder("GET", LISTS), "").expect_err("no answer");
        assert_eq!(reason, Some(Reason::INTERNAL_ERROR), "{line}");
        assert_eq!(streams.get("/contacts/v1/optouts").status, 200, "beside it");
    }
}

#[test]
fn a_lost_answer_is_lost_over_http_2_and_what_was_asked_is_done() {
    let api = start_secured();
    let streams = StreamConnection::connect_to(&api);
    let lost = json!({
        "match": { "operation": "lists.create" }, "effect": { "line": "reset" }, "commit": "after", "apply": { "first": 1 },
    });
    add_rule(&streams, &api, &lost);
    let request =
        streams.request_builder("POST", "/contacts/v1/lists/create").header("content-type", "application/json");
    streams.send_request(request, r#"{"name":"Guests"}"#).expect_err("the answer is lost");
    let found = streams.get("/contacts/v1/lists/?name=guests").to_json();
    assert_eq!(found["items"][0]["name"], "Guests");
}

#[test]
fn a_hanging_stream_ends_with_the_server() {
    let api = start_secured();
    let streams = StreamConnection::connect_to(&api);
    let silence = json!({ "name": "silence", "match": { "operation": "lists.query" }, "effect": { "line": "hang" } });
    add_rule(&streams, &api, &silence);
    let request = streams.request_builder("GET", LISTS).body(()).expect("a request");
    let send = streams.send.clone();
    let hanging = streams.runtime.spawn(super::exchange_on(send, request, bytes::Bytes::new()));
    until("the rule has met it", || {
        let bearer = format!("Bearer {}", api.token());
        let request = streams.request_builder("GET", "/__admin/faults/rules/silence").header("authorization", bearer);
        (streams.send_request(request, "").expect("an answer").to_json()["hits"] == 1).then_some(())
    });
    assert!(!hanging.is_finished());
    api.stop();
    streams.runtime.block_on(hanging).expect("no panic").expect_err("no answer");
}

#[test]
fn bodies_are_spoilt_over_http_2_as_in_the_open() {
    let (api, plain) = (start_secured(), readable_setup().serve());
    let streams = StreamConnection::connect_to(&api);
    let whole = plain.get(LISTS).body;
    let with = |effect: Value| {
        remove_rules(&streams, &api);
        add_rule(&streams, &api, &json!({ "match": { "operation": "lists.query" }, "effect": effect }));
        streams.get(LISTS)
    };
    let heard = with(json!({ "status": 503, "retry_after": "5s", "headers": { "x-why": "rule" } }));
    assert_eq!((heard.status, heard.header("retry-after"), heard.header("x-why")), (503, Some("5"), Some("rule")));
    let heard = with(json!({ "body": "malformed_json" }));
    assert!(heard.ended.is_none() && heard.body == whole[..whole.len() - 1], "{heard:?}");
    let heard = with(json!({ "body": "wrong_content_type" }));
    assert_eq!(heard.header("content-type"), Some("text/html; charset=utf-8"));
    let heard = with(json!({ "body": "duplicate_header" }));
    assert_eq!(heard.headers.get_all("content-type").iter().count(), 2);
    let heard = with(json!({ "body": { "trickle": { "bytes_per_second": 4_000 } } }));
    assert!(heard.ended.is_none() && heard.body == whole, "{heard:?}");
    remove_rules(&streams, &api);
    let truncate = json!({ "body": { "truncate": { "bytes": 7 } } });
    add_rule(&streams, &api, &json!({ "match": { "operation": "lists.query" }, "effect": truncate }));
    // The reset may overtake data that is still on its way, even the head.
    match streams.send_request(streams.request_builder("GET", LISTS), "") {
        Err(reason) => assert_eq!(reason, Some(Reason::INTERNAL_ERROR)),
        Ok(heard) => {
            assert_eq!(heard.header("content-length").map(str::to_owned), Some(whole.len().to_string()));
            assert!(heard.ended == Some(Reason::INTERNAL_ERROR) && whole[..7].starts_with(&heard.body), "{heard:?}");
        }
    }
}
