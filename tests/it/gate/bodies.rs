//! Every body has the same size limit, and JSON that is nested too deeply does no harm.

use std::{
    io::{Read as _, Write as _},
    net::{Shutdown, TcpStream},
    time::Duration,
};

use roost_tests::Request;

use super::{all_doors, console_setup, count_changes};

/// Proves: D17, G3_2_8.
#[test]
fn one_byte_over_the_cap_is_refused_at_every_route_that_reads_a_body() {
    let api = console_setup().serve();
    let before = count_changes(&api);
    let large = vec![b' '; 64 * 1024 * 1024 + 1];
    // Operations behave alike behind the router, so one of each family stands for the others.
    let named = [
        "/contacts/v1/contacts",
        "/assets/v1/shortlink",
        "/__admin/senders",
        "/__admin/settings",
        "/__console/call/overview_get",
    ];
    let chosen: Vec<_> = all_doors()
        .into_iter()
        .filter(|door| !["GET", "PATCH"].contains(&door.method) && named.contains(&door.path.as_str()))
        .collect();
    assert_eq!(chosen.len(), named.len());
    for door in chosen {
        let answer = api.send(door.to_request(&api).body(large.clone()));
        assert_eq!(answer.status, 413, "{door:?}{}", answer.shown());
    }
    assert_eq!(count_changes(&api), before);
}

/// Proves: D19, G3_2_8.
#[test]
fn the_deepest_nesting_is_answered() {
    let api = console_setup().serve();
    let deep = |open: &str, close: &str| format!("{}{}", open.repeat(1_000_000), close.repeat(1_000_000));
    let nested = [
        deep("[", "]"),
        deep("{\"x\":", "}").replace(":}", ":1}"),
        format!("{{\"x\":{}}}", deep("[", "]")),
        format!("{{\"name\":{},\"contacts\":[{}]}}", deep("[", "]"), deep("[", "]")),
        "[".repeat(1_000_000),
    ];
    for door in all_doors()
        .iter()
        .filter(|door| !["GET", "DELETE"].contains(&door.method) || door.path == "/contacts/v1/optouts")
    {
        for body in &nested {
            let answer = api.send(door.to_request(&api).body(body.as_str()));
            assert!(answer.status < 500, "{door:?} {}", answer.status);
        }
    }
    api.get("/contacts/v1/lists/").expect(200);
}

/// Proves: G3_2_8.
#[test]
fn heads_without_end_are_refused() {
    let api = console_setup().serve();
    for request in [
        Request::get(format!("/contacts/v1/lists/?name={}", "a".repeat(1_000_000))),
        Request::get("/contacts/v1/lists/").header("x-long", "a".repeat(1_000_000)),
        (0..1_000).fold(Request::get("/contacts/v1/lists/"), |request, n| request.header(&format!("x-{n}"), "a")),
    ] {
        if let Ok(answer) = api.try_send(&request) {
            assert!([400, 414, 431].contains(&answer.status), "{}", answer.status);
        }
    }
    api.with_key("another").get("/contacts/v1/lists/").expect(200);
}

/// The response comes before the body, so a server that waited for the body would never answer.
///
/// Proves: G3_2_8.
#[test]
fn open_routes_answer_without_reading_the_body() {
    let api = console_setup().serve();
    for path in ["/livez", "/readyz", "/__admin/livez", "/__admin/readyz", "/openapi.json"] {
        let mut stream = TcpStream::connect(api.address()).expect("a connection");
        stream.set_read_timeout(Some(Duration::from_secs(5))).expect("a timeout");
        write!(stream, "GET {path} HTTP/1.1\r\nhost: localhost\r\ncontent-length: 67108864\r\n\r\n").expect("a head");
        let mut status = [0; 12];
        stream.read_exact(&mut status).unwrap_or_else(|why| panic!("{path}: {why}"));
        assert_eq!(&status, b"HTTP/1.1 200", "{path}");
        let _ = stream.shutdown(Shutdown::Both);
    }
}
