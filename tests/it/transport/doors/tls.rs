//! TLS: clients that trust the authority can connect, and the answers are the same as without TLS.

use std::io::{Read, Write};

use roost_tests::until;
use serde_json::json;

use super::{
    H1, H2, LISTS, StreamConnection, ask_once, open_connection, readable_setup, shake_hands, start_secured,
    trusting_config,
};

const WHOSE: &str = "host: localhost\r\nx-auth-key: a-key";

#[test]
fn only_a_client_that_trusts_the_authority_can_connect() {
    let (api, other) = (start_secured(), start_secured());
    let line = shake_hands(api.address(), "localhost", &trusting_config(api.ca(), &[])).expect("hands shaken");
    let (head, _) = ask_once(line, &format!("GET {LISTS} HTTP/1.1\r\n{WHOSE}"));
    assert!(head.starts_with("http/1.1 200 "), "{head}");
    let refused = shake_hands(api.address(), "localhost", &trusting_config(other.ca(), &[]))
        .expect_err("somebody else's authority");
    assert!(refused.to_string().contains("certificate"), "{refused}");
    // A client that leaves during the handshake does not affect others.
    shake_hands(api.address(), "localhost", &trusting_config(api.ca(), &[])).expect("hands shaken");
}

#[test]
fn every_name_of_loopback_has_a_certificate_and_no_other_has() {
    let api = start_secured();
    let config = trusting_config(api.ca(), &[]);
    for name in ["localhost", "127.0.0.1", "::1", "a.localhost", "team-7.localhost", "a.b.localhost", "LOCALHOST"] {
        shake_hands(api.address(), name, &config).unwrap_or_else(|why| panic!("{name}: {why}"));
    }
    for name in ["client.example", "127.0.0.2", "localhost.example", "a_b.localhost"] {
        shake_hands(api.address(), name, &config).map(|_| ()).expect_err(name);
    }
}

#[test]
fn both_protocols_are_offered_and_the_first_is_the_usual_one() {
    let api = start_secured();
    for (offered, chosen) in [(vec![H1, H2], Some(H2)), (vec![H2], Some(H2)), (vec![H1], Some(H1)), (vec![], None)] {
        let line = shake_hands(api.address(), "localhost", &trusting_config(api.ca(), &offered)).expect("hands shaken");
        assert_eq!(line.conn.alpn_protocol(), chosen);
    }
    shake_hands(api.address(), "localhost", &trusting_config(api.ca(), &[b"spdy/3"]))
        .map(|_| ())
        .expect_err("nothing in common");
}

#[test]
fn answers_are_the_same_bytes_in_the_open_behind_tls_and_over_http_2() {
    let (plain, api) = (readable_setup().serve(), start_secured());
    let (behind, streams, open) =
        (trusting_config(api.ca(), &[H1]), StreamConnection::connect_to(&api), StreamConnection::in_the_open(&plain));
    for target in [
        LISTS,
        "/contacts/v1/lists/?name=vip&limit=1",
        "/contacts/v1/lists/?limit=many",
        "/contacts/v1/optouts",
        "/assets/v1/senders/",
        "/contacts/v1/nowhere",
        "/openapi.json",
        "/livez",
        "/__admin/info",
        "/__console/",
    ] {
        let response = plain.get(target);
        let first = |line: &str| line.split(' ').nth(1).map(|status| status.parse::<u16>().expect("a status"));
        let line = shake_hands(api.address(), "localhost", &behind).expect("hands shaken");
        let (head, body) = ask_once(line, &format!("GET {target} HTTP/1.1\r\n{WHOSE}"));
        let (heard, heard_open) = (streams.get(target), open.get(target));
        assert_eq!(first(&head), Some(response.status), "{target}");
        assert_eq!((heard.status, heard_open.status), (response.status, response.status), "{target}");
        assert_eq!(without_traces(&body), without_traces(&response.body), "{target}");
        assert_eq!(without_traces(&heard.body), without_traces(&response.body), "{target}");
        assert_eq!(without_traces(&heard_open.body), without_traces(&response.body), "{target}");
        for name in ["content-type", "content-length", "allow", "x-content-type-options", "content-security-policy"] {
            assert_eq!(heard.header(name), response.header(name), "{name} of {target}");
        }
        assert!(heard.header("connection").is_none() && heard.header("transfer-encoding").is_none(), "{target}");
    }
    let made = json!({ "name": "Guests" }).to_string();
    let request =
        streams.request_builder("POST", "/contacts/v1/lists/create").header("content-type", "application/json");
    let heard = streams.send_request(request, &made).expect("an answer");
    let response = plain.post("/contacts/v1/lists/create", &json!({ "name": "Guests" }));
    assert_eq!((heard.status, heard.to_json()["name"].clone()), (response.status, response.json()["name"].clone()));
}

/// Removes the trace ID, which differs for every error, and the running time of the process.
fn without_traces(body: &[u8]) -> String {
    let text = String::from_utf8_lossy(body).into_owned();
    let Ok(mut json) = serde_json::from_str::<serde_json::Value>(&text) else { return text };
    for name in ["trace_id", "uptime"] {
        if let Some(value) = json.get_mut(name) {
            *value = serde_json::Value::Null;
        }
    }
    json.to_string()
}

#[test]
fn a_client_without_tls_gets_an_answer_in_plain_words() {
    let api = start_secured();
    for begun in ["GET / HTTP/1.1\r\nhost: localhost\r\n\r\n", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "POST /x", "\r\n"] {
        let mut line = open_connection(api.address());
        line.write_all(begun.as_bytes()).expect("sent");
        line.shutdown(std::net::Shutdown::Write).expect("said all");
        let mut response = String::new();
        line.read_to_string(&mut response).expect("an answer and its end");
        assert!(response.starts_with("HTTP/1.1 400 Bad Request\r\n"), "{begun:?}: {response}");
        assert!(
            response.ends_with(&format!("\r\n\r\nThis port speaks TLS. Call {}\n", api.url())),
            "{begun:?}: {response}"
        );
    }
    // In the opposite case it is a request that cannot be read.
    let plain = readable_setup().serve();
    shake_hands(plain.address(), "localhost", &trusting_config(api.ca(), &[])).map(|_| ()).expect_err("no TLS there");
}

#[test]
fn an_unfinished_handshake_does_not_delay_the_end_of_the_server() {
    let api = start_secured();
    let lines = ["", "\u{16}", "\u{16}\u{3}\u{1}", "x"].map(|begun| {
        let mut line = open_connection(api.address());
        line.write_all(begun.as_bytes()).expect("sent");
        line
    });
    let plain = readable_setup().serve();
    let mut half = open_connection(plain.address());
    half.write_all(b"PRI * HTTP").expect("sent");
    api.stop();
    plain.stop();
    drop((lines, half));
}

#[test]
fn reported_addresses_begin_with_https() {
    let api = start_secured();
    assert_eq!(api.url(), format!("https://{}", api.address()));
    let streams = StreamConnection::connect_to(&api);
    let admin = |method: &str, target: &str, body: &str| {
        let request =
            streams.request_builder(method, target).header("authorization", format!("Bearer {}", api.token()));
        streams.send_request(request.header("content-type", "application/json"), body).expect("an answer").to_json()
    };
    let world = admin("POST", "/__admin/worlds", r#"{"name":"team-a"}"#);
    assert_eq!(world["base_url"], format!("{}/w/team-a", api.url()));
    assert_eq!(world["admin_url"], format!("{}/__admin/worlds/team-a", api.url()));
    let inbox = admin("PUT", "/__admin/hooks/inbox", "{}");
    assert_eq!(inbox["url"], format!("{}/__hook/default/inbox", api.url()));
    let request = streams.request_builder("POST", "/assets/v1/shortlink").header("content-type", "application/json");
    let link = streams
        .send_request(request, r#"{"title":"x","target_url":"https://shop.example/"}"#)
        .expect("an answer")
        .to_json();
    let short = link["short_link_url"].as_str().expect("a short URL");
    let target = short.strip_prefix(api.url()).unwrap_or_else(|| panic!("{short}"));
    let followed = streams.get(target);
    assert_eq!((followed.status, followed.header("location")), (302, Some("https://shop.example/")));
}

#[test]
fn a_callback_reaches_the_servers_own_receiver() {
    let api = start_secured();
    let streams = StreamConnection::connect_to(&api);
    let admin = |method: &str, target: &str, body: &str| {
        let request =
            streams.request_builder(method, target).header("authorization", format!("Bearer {}", api.token()));
        streams.send_request(request.header("content-type", "application/json"), body).expect("an answer").to_json()
    };
    let inbox = admin("PUT", "/__admin/hooks/inbox", "{}")["url"].as_str().expect("an address").to_owned();
    let list = streams.get(LISTS).to_json()["items"][0]["uid"].as_str().expect("a list").to_owned();
    let job = json!({
        "list_id": list, "merge_type": "skipDuplicates", "callback_url": inbox,
        "contacts": [{ "phone_number": "+447700900099" }],
    });
    let request = streams.request_builder("POST", "/contacts/v1/contacts").header("content-type", "application/json");
    assert!(streams.send_request(request, &job.to_string()).expect("an answer").status < 300);
    until("the callback came", || (admin("GET", "/__admin/hooks/inbox?wait=5s", "")["came"] == 1).then_some(()));
}

#[test]
fn a_page_of_the_server_itself_has_another_origin_behind_tls() {
    let api = start_secured();
    let (streams, port) = (StreamConnection::connect_to(&api), api.address().port());
    for (origin, status) in [
        (format!("https://127.0.0.1:{port}"), 200),
        (format!("http://127.0.0.1:{port}"), 403),
        (format!("https://127.0.0.1:{}", port ^ 1), 403),
        (format!("https://localhost:{port}"), 403),
        ("https://client.example".to_owned(), 403),
        ("null".to_owned(), 403),
    ] {
        let heard = streams
            .send_request(streams.request_builder("GET", LISTS).header("origin", &origin), "")
            .expect("an answer");
        assert_eq!(heard.status, status, "{origin}");
    }
}
