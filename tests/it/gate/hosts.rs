//! The list of allowed hosts protects against foreign names that point to this machine.

use roost_tests::{Client, Request, Served};

use super::{all_doors, console_setup, count_changes};

/// Checks the body of an answer to a foreign name, which is the same for every route.
pub(crate) fn says_no_more_than_the_flag(body: &[u8]) -> bool {
    let refusal = "{\"error\":{\"code\":\"other_host\",\"message\":\"This server does not serve the host name of the request.\",\
                \"hint\":\"Use localhost or 127.0.0.1 with the server's own port, or start it with --allow-host NAME.\",\"pointer\":null}}";
    body.is_empty() || body == refusal.as_bytes()
}

#[track_caller]
fn assert_misdirected(client: &Client, request: Request) {
    let answer = client.send(request);
    assert!(answer.status == 421 && says_no_more_than_the_flag(&answer.body), "{}", answer.shown());
}

/// Sends a request for this host to every door.
fn knock_at_doors(api: &Served, host: &str) {
    let before = count_changes(api);
    for door in all_doors() {
        assert_misdirected(api, door.to_request(api).header("host", host));
    }
    assert_eq!(count_changes(api), before);
}

/// Proves: G3_2_3, G3_2_12.
#[test]
fn a_foreign_host_is_misdirected_at_every_route() {
    let api = console_setup().serve();
    let port = api.address().port();
    let others = [
        "evil.example".to_owned(),
        format!("evil.example:{port}"),
        format!("localhost.evil.example:{port}"),
        format!("127.0.0.1.evil.example:{port}"),
        format!("0.0.0.0:{port}"),
        format!("localhost:{}", port ^ 1),
        format!("192.0.2.1:{port}"),
        format!("user@localhost:{port}"),
    ];
    for host in &others {
        knock_at_doors(&api, host);
    }
}

/// The name first led to the attacker and now leads here. To the browser it is the same origin, and it sends no hint
/// over plain HTTP.
///
/// Proves: G3_2_3, G3_2_12.
#[test]
fn a_rebound_page_gets_nowhere_without_any_header_of_a_browser() {
    let api = console_setup().serve();
    let rebound = api.with("host", format!("rebound.evil.example:{}", api.address().port()));
    let before = count_changes(&api);
    for door in all_doors() {
        assert_misdirected(&rebound, door.to_request(&api));
        assert_misdirected(&rebound, Request::new("OPTIONS", &door.path));
        assert_misdirected(&rebound, Request::new("HEAD", &door.path));
    }
    // An absolute target has the same result, even if the Host header looks harmless.
    let target = format!("http://rebound.evil.example:{}/contacts/v1/lists/", api.address().port());
    assert_misdirected(&api, Request::get(target));
    assert_eq!(count_changes(&api), before);
}

/// Proves: G3_2_3.
#[test]
fn names_of_loopback_are_ours_with_and_without_our_port() {
    let api = console_setup().serve();
    let port = api.address().port();
    for name in ["localhost", "LOCALHOST", "127.0.0.1", "[::1]", "a.localhost", "a.b.localhost"] {
        for host in [name.to_owned(), format!("{name}:{port}")] {
            api.send(Request::get("/contacts/v1/lists/").header("host", host)).expect(200);
        }
    }
    api.send(Request::get(format!("http://localhost:{port}/contacts/v1/lists/"))).expect(200);
}

/// Proves: G3_2_3.
#[test]
fn further_names_are_accepted_when_configured() {
    let mut setup = console_setup();
    setup.config.allow_hosts = vec!["roost.test".to_owned()];
    let api = setup.serve();
    let port = api.address().port();
    for host in ["roost.test".to_owned(), format!("Roost.Test:{port}")] {
        api.send(Request::get("/contacts/v1/lists/").header("host", host)).expect(200);
    }
    assert_misdirected(&api, Request::get("/contacts/v1/lists/").header("host", "other.test"));
    assert_misdirected(&api, Request::get("/contacts/v1/lists/").header("host", "a.roost.test"));
}

/// Proves: G3_2_3.
#[test]
fn a_request_without_a_host_or_with_two_is_misdirected() {
    let api = console_setup().serve();
    for door in all_doors() {
        assert_misdirected(&api, door.to_request(&api).header("host", "localhost").header("host", "localhost"));
        let answer = api.send(door.to_request(&api).without("host"));
        assert!([400, 421].contains(&answer.status), "{door:?}{}", answer.shown());
    }
}
