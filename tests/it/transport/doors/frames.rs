//! HTTP/2: many requests on one connection, with the same gate and limits.

use bytes::Bytes;
use h2::Reason;
use roost_tests::seeds;
use serde_json::json;

use super::{LISTS, StreamConnection, exchange_on, open_connection, readable_setup, start_secured};
use crate::gate::hosts::says_no_more_than_the_flag;

#[test]
fn many_streams_share_a_connection_and_each_gets_its_own_answer() {
    let lists: Vec<_> =
        (0..200).map(|n| seeds::list(&seeds::id("LST_", &n.to_string()), &format!("List {n}"), json!([]))).collect();
    let mut setup = readable_setup().seed(json!({ "lists": lists }));
    setup.config.tls = Some(roost_emulator::TlsOptions::Own { folder: None });
    let api = setup.serve();
    let streams = StreamConnection::connect_to(&api);
    let answers = streams.runtime.block_on(async {
        let tasks: Vec<_> = (0..200)
            .map(|n| {
                let request =
                    streams.request_builder("GET", &format!("{LISTS}?name=list%20{n}")).body(()).expect("a request");
                tokio::spawn(exchange_on(streams.send.clone(), request, Bytes::new()))
            })
            .collect();
        let mut answers = Vec::new();
        for each in tasks {
            answers.push(each.await.expect("no panic").expect("an answer"));
        }
        answers
    });
    for (n, heard) in answers.iter().enumerate() {
        let name = format!("List {n}");
        let items = heard.to_json()["items"].as_array().expect("items").clone();
        assert!(heard.status == 200 && items.iter().any(|item| item["name"] == *name), "{n}: {heard:?}");
    }
}

#[test]
fn a_long_body_comes_and_goes_whole() {
    let api = start_secured();
    let streams = StreamConnection::connect_to(&api);
    let list = streams.get(LISTS).to_json()["items"][0]["uid"].as_str().expect("a list").to_owned();
    let contacts: Vec<_> = (0..500).map(|n| json!({ "phone_number": seeds::mobile(n) })).collect();
    let body = json!({ "list_id": list, "merge_type": "skipDuplicates", "contacts": contacts }).to_string();
    // The body is longer than any window, so that it is sent while it is read.
    let body = body + &" ".repeat(3 * 1024 * 1024);
    let request = streams.request_builder("POST", "/contacts/v1/contacts").header("content-type", "application/json");
    let heard = streams.send_request(request, &body).expect("an answer");
    assert!(heard.status < 300, "{heard:?}");
    api.settle();
    let target = format!("/contacts/v1/contacts/list/{list}?limit=1000");
    let whole = streams.get(&target);
    assert!(whole.status == 200 && whole.to_json()["items"].as_array().is_some_and(|items| items.len() > 100));
}

#[test]
fn the_gate_judges_the_authority_as_it_judges_the_host() {
    let api = start_secured();
    let (streams, port) = (StreamConnection::connect_to(&api), api.address().port());
    for authority in [
        "client.example".to_owned(),
        format!("client.example:{port}"),
        format!("localhost:{}", port ^ 1),
        format!("localhost.client.example:{port}"),
        format!("0.0.0.0:{port}"),
        format!("user@localhost:{port}"),
    ] {
        for target in [LISTS, "/__admin/info", "/__console/", "/livez", "/__hook/inbox"] {
            let request = streams.request_builder("GET", target).uri(format!("https://{authority}{target}"));
            match streams.send_request(request, "") {
                Ok(heard) => {
                    assert!(heard.status == 421 && says_no_more_than_the_flag(&heard.body), "{authority}{target}");
                }
                // HTTP/2 itself refuses such a name.
                Err(reason) => assert_eq!(reason, Some(Reason::PROTOCOL_ERROR), "{authority}{target}"),
            }
        }
    }
    for authority in
        [format!("localhost:{port}"), "127.0.0.1".to_owned(), format!("[::1]:{port}"), "LOCALHOST".to_owned()]
    {
        let request = streams.request_builder("GET", LISTS).uri(format!("https://{authority}{LISTS}"));
        assert_eq!(streams.send_request(request, "").expect("an answer").status, 200, "{authority}");
    }
}

#[test]
fn a_host_header_must_equal_the_authority_of_its_request() {
    let api = start_secured();
    let (streams, port) = (StreamConnection::connect_to(&api), api.address().port());
    let own = format!("127.0.0.1:{port}");
    for (host, status) in
        [(own.as_str(), 200), ("client.example", 421), ("127.0.0.1", 421), ("a.localhost", 421), ("", 421)]
    {
        let heard =
            streams.send_request(streams.request_builder("GET", LISTS).header("host", host), "").expect("an answer");
        assert_eq!(heard.status, status, "{host}");
    }
    let twice = streams.request_builder("GET", LISTS).header("host", &own).header("host", &own);
    assert_eq!(streams.send_request(twice, "").expect("an answer").status, 421);
}

#[test]
fn pages_of_others_get_nowhere_over_http_2() {
    let api = start_secured();
    let streams = StreamConnection::connect_to(&api);
    for (name, value) in [
        ("origin", "https://client.example"),
        ("origin", "null"),
        ("sec-fetch-site", "cross-site"),
        ("sec-fetch-site", "same-site"),
    ] {
        for target in [LISTS, "/__admin/info", "/__console/api/events", "/__hook/inbox"] {
            let request = streams.request_builder("POST", target).header(name, value);
            let heard = streams.send_request(request.header("content-type", "text/plain"), "{}").expect("an answer");
            assert_eq!(heard.status, 403, "{name}: {value} at {target}");
        }
    }
    assert_eq!(streams.get(LISTS).to_json()["items"].as_array().map(Vec::len), Some(1));
}

#[test]
fn a_world_is_known_by_the_authority() {
    let api = start_secured();
    let (streams, port) = (StreamConnection::connect_to(&api), api.address().port());
    let bearer = format!("Bearer {}", api.token());
    let builder = streams.request_builder("POST", "/__admin/worlds").header("authorization", bearer);
    let made = streams.send_request(builder.header("content-type", "application/json"), r#"{"name":"team-a"}"#);
    assert_eq!(made.expect("an answer").status, 201);
    let count = |authority: &str| {
        let request = streams.request_builder("GET", LISTS).uri(format!("https://{authority}:{port}{LISTS}"));
        streams.send_request(request, "").expect("an answer").to_json()["items"].as_array().map(Vec::len)
    };
    assert_eq!((count("team-a.localhost"), count("localhost")), (Some(0), Some(1)));
}

#[test]
fn a_connection_has_bounds() {
    let api = start_secured();
    let streams = StreamConnection::connect_to(&api);
    // The limits are sent at the beginning, so an answer means that they have arrived.
    assert_eq!(streams.get(LISTS).status, 200);
    assert_eq!(streams.send.current_max_send_streams(), 256);
    let request = streams.request_builder("GET", LISTS).header("x-long", "x".repeat(70 * 1024));
    match streams.send_request(request, "") {
        Ok(heard) => assert_eq!(heard.status, 431),
        Err(reason) => assert!(reason.is_some(), "the stream ends, not the line"),
    }
    assert_eq!(StreamConnection::connect_to(&api).get(LISTS).status, 200);
}

#[test]
fn thousands_of_cancelled_requests_do_not_affect_other_connections() {
    let api = start_secured();
    let streams = StreamConnection::connect_to(&api);
    streams.runtime.block_on(async {
        for _ in 0..2_000 {
            let Ok(mut send) = streams.send.clone().ready().await else { break };
            let request = streams.request_builder("GET", LISTS).body(()).expect("a request");
            let Ok((_, mut out)) = send.send_request(request, false) else { break };
            out.send_reset(Reason::CANCEL);
        }
    });
    // Whether this connection was closed or not, others continue.
    assert_eq!(StreamConnection::connect_to(&api).get(LISTS).status, 200);
}

#[test]
fn a_stream_of_events_runs_beside_others_and_ends_with_the_server() {
    let api = start_secured();
    let streams = StreamConnection::connect_to(&api);
    let bearer = format!("Bearer {}", api.token());
    let request =
        streams.request_builder("GET", "/__admin/events").header("authorization", bearer).body(()).expect("a request");
    let (mut events, send) = streams.runtime.block_on(async {
        let mut send = streams.send.clone().ready().await.expect("a place");
        let (answer, _) = send.send_request(request, true).expect("sent");
        (answer.await.expect("an answer"), send)
    });
    assert_eq!(events.status(), 200);
    assert_eq!(streams.get(LISTS).status, 200, "beside it");
    drop((send, open_connection(api.address())));
    api.stop();
    streams.runtime.block_on(async {
        // The stream ends in some way, so that no client keeps waiting.
        while let Some(Ok(piece)) = events.body_mut().data().await {
            drop(piece);
        }
    });
}
