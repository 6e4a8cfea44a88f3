//! A page whose name first led to its own server and now leads here, as a browser requests it.

use std::{
    collections::HashMap,
    io::{BufReader, Write},
    net::{Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener, TcpStream},
    thread,
};

use roost_tests::{Answer, Client, Request, http::message::read_request};

use super::{all_doors, console_setup, count_changes, hosts::says_no_more_than_the_flag};

const NAME: &str = "rebound.evil.example";

/// The part of a browser that this needs. Names lead where the resolver says, and the browser sees a page's name as its
/// origin.
struct ResolvingBrowser {
    resolver: HashMap<&'static str, SocketAddr>,
    port: u16,
}

impl ResolvingBrowser {
    /// Returns the response that a page of that name gets from its own origin. A browser does not say where the name
    /// leads now.
    fn fetch_from_page(&self, name: &'static str, request: Request) -> Answer {
        let host = format!("{name}:{}", self.port);
        let request = match request.method.as_str() {
            "GET" | "HEAD" => request,
            _ => request.header("origin", format!("http://{host}")),
        };
        Client::new(self.resolver[name]).send(request.header("host", host))
    }
}

/// Serves one page on the same port of another address.
fn serve_foreign_page(port: u16) -> SocketAddr {
    let listener = TcpListener::bind((Ipv4Addr::new(127, 0, 0, 2), port)).expect("the port is free there");
    let address = listener.local_addr().expect("bound");
    thread::spawn(move || {
        let (stream, _) = listener.accept().expect("a visitor");
        let mut reader = BufReader::new(stream);
        read_request(&mut reader).expect("a request");
        let page = "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 4\r\nconnection: close\r\n\r\npage";
        reader.get_mut().write_all(page.as_bytes()).expect("sent");
    });
    address
}

/// Proves: G3_2_3, G3_2_12.
#[test]
fn a_name_that_first_pointed_elsewhere_is_refused_here() {
    let api = console_setup().serve();
    let port = api.address().port();
    let mut browser = ResolvingBrowser { resolver: HashMap::from([(NAME, serve_foreign_page(port))]), port };
    assert_eq!(browser.fetch_from_page(NAME, Request::get("/")).text(), "page", "it is their server");
    // The attacker's name server changes its answer. The page keeps its origin.
    let mut here = vec![SocketAddr::from((Ipv4Addr::LOCALHOST, port))];
    let second = SocketAddr::from((Ipv6Addr::LOCALHOST, port));
    here.extend(TcpStream::connect(second).ok().map(|_| second));
    let before = count_changes(&api);
    for address in here {
        browser.resolver.insert(NAME, address);
        for door in all_doors() {
            // This also holds if the page knows the token and a key.
            for request in [Request::new(door.method, &door.path), door.to_request(&api)] {
                let answer = browser.fetch_from_page(NAME, request);
                assert!(answer.status == 421 && says_no_more_than_the_flag(&answer.body), "{}", answer.shown());
                let allows_origin = answer.headers.iter().any(|(name, _)| name.starts_with("access-control-"));
                assert!(!allows_origin && answer.header("location").is_none(), "{}", answer.shown());
            }
        }
    }
    assert_eq!(count_changes(&api), before);
    assert!(api.admin().get("/__admin/hooks").items().is_empty(), "no receiver took anything");
}

/// One door of each kind suffices here, because other tests check the host at every door.
fn assert_misdirects(hosts: &[String]) {
    let api = console_setup().serve();
    let before = count_changes(&api);
    let paths = ["/contacts/v1/lists/", "/__admin/info", "/__console/", "/__admin/events", "/__hook/inbox", "/livez"];
    for host in hosts {
        for door in all_doors().into_iter().filter(|door| paths.contains(&door.path.as_str())) {
            let answer = api.send(door.to_request(&api).header("host", host));
            // An invalid host does not even reach the gate.
            let is_refused = answer.status == 421 && says_no_more_than_the_flag(&answer.body) || answer.status == 400;
            assert!(is_refused, "{host}{}", answer.shown());
        }
    }
    assert_eq!(count_changes(&api), before);
    api.get("/contacts/v1/lists/").expect(200);
}

/// Returns the names with our port, without a port, and with foreign ports.
fn with_ports(names: &[&str]) -> Vec<String> {
    let ports = ["", ":80", ":443", ":0", ":", ":65536", ":-1"];
    names.iter().flat_map(|name| ports.map(|port| format!("{name}{port}"))).collect()
}

/// Proves: G3_2_3, G3_2_12.
#[test]
fn no_spelling_of_a_foreign_name_is_taken_for_ours() {
    assert_misdirects(&with_ports(&[
        NAME,
        "REBOUND.EVIL.EXAMPLE",
        "rebound.evil.example.",
        "localhost.evil.example",
        "127.0.0.1.evil.example",
        "evillocalhost",
        "evil-localhost",
        "evil.example#.localhost.example",
        "localhost@evil.example",
        "evil.example@localhost",
        "localhost, evil.example",
        "localhost evil.example",
        "localhost/evil.example",
        "evil.example%00.localhost.example",
        "xn--lcalhost-b1a",
        "[::1].evil.example",
        "192.0.2.1",
        "10.0.0.1",
        "[2001:db8::1]",
    ]));
}

/// A browser writes an address in a single form, so any other form comes from a different program and is refused.
///
/// Proves: G3_2_3, G3_2_12.
#[test]
fn no_other_spelling_of_loopback_is_taken_for_ours() {
    assert_misdirects(&with_ports(&[
        "127.1",
        "127.0.1",
        "2130706433",
        "0x7f000001",
        "0x7f.0.0.1",
        "0177.0.0.1",
        "017700000001",
        "127.0.0.1.",
        "127.0.0.2",
        "127.000.000.001",
        "localhost.",
        "a.localhost.",
        "localhost.localdomain",
        "ip6-localhost",
        "0",
        "0.0.0.0",
        "[::]",
        "::1",
        "[::1",
        "[::1%25lo]",
        "[0:0:0:0:0:0:0:1]",
        "[::0001]",
        "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]",
        "[::7f00:1]",
        "[fe80::1]",
    ]));
}
