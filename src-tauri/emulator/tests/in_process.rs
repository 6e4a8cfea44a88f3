//! The server for Rust tests: each test has a world that is separate from the others and removed with the test, inside
//! a runtime or without one.

#![expect(clippy::unwrap_used, reason = "a test that cannot continue has failed")]

use std::{
    io::{Read, Write},
    net::{TcpListener, TcpStream},
    thread,
};

use roost_emulator::{
    EmulatorConfig, StartError,
    in_process::{InProcessError, Server, TestWorld},
};
use serde_json::{Value, json};

/// Sends a request of the interface to the server's own address, where only the key names the world. Returns None if
/// the response is lost.
fn send_request(server: &Server, world: &TestWorld, method: &str, path: &str, body: &str) -> Option<(u16, String)> {
    let address = server.url().strip_prefix("http://").unwrap();
    let mut line = TcpStream::connect(address).unwrap();
    let (key, length) = (world.key(), body.len());
    let head = format!("{method} {path} HTTP/1.1\r\nhost: {address}\r\nx-auth-key: {key}\r\ncontent-length: {length}");
    write!(line, "{head}\r\ncontent-type: application/json\r\nconnection: close\r\n\r\n{body}").unwrap();
    let mut answer = String::new();
    line.read_to_string(&mut answer).ok()?;
    let (head, body) = answer.split_once("\r\n\r\n")?;
    Some((head.split(' ').nth(1)?.parse().ok()?, body.to_owned()))
}

fn create_list(server: &Server, world: &TestWorld, name: &str) -> Option<u16> {
    let body = json!({ "name": name }).to_string();
    send_request(server, world, "POST", "/contacts/v1/lists/create", &body).map(|(status, _)| status)
}

fn count_lists(server: &Server, world: &TestWorld) -> usize {
    let (status, body) = send_request(server, world, "GET", "/contacts/v1/lists/", "").unwrap();
    assert_eq!(status, 200, "{body}");
    serde_json::from_str::<Value>(&body).unwrap()["items"].as_array().unwrap().len()
}

#[test]
fn worlds_of_parallel_threads_are_isolated_and_removed_when_dropped() {
    let server = Server::start().expect("a free port");
    let off = json!({ "settings": { "limits": "off" } });
    thread::scope(|threads| {
        for wanted in 1..=8 {
            let (server, off) = (&server, &off);
            threads.spawn(move || {
                let world = server.create_world_with(off).expect("a world");
                for n in 0..wanted {
                    assert_eq!(create_list(server, &world, &format!("L{n}")), Some(200));
                }
                assert_eq!(count_lists(server, &world), wanted);
            });
        }
    });
    let worlds = server.call("GET", "/worlds", None).expect("an answer");
    assert_eq!(worlds["items"].as_array().map(Vec::len), Some(1), "{worlds}");
}

#[test]
fn a_lost_answer_is_stored_and_verified() {
    let server = Server::start().expect("a free port");
    let world = server.create_world().expect("a world");
    let rule = json!({ "match": { "operation": "lists.create" }, "effect": { "line": "reset" }, "commit": "after" });
    world.call("POST", "/faults/rules", Some(&rule)).expect("armed");
    assert_eq!(create_list(&server, &world, "VIP"), None);
    assert_eq!(count_lists(&server, &world), 1);
    let verified =
        world.verify_requests(&json!({ "match": { "operation": "lists.create" }, "times": { "exactly": 1 } }));
    assert_eq!(verified.expect("an answer")["verified"], true);
    let missed = world.verify_requests(&json!({ "match": { "operation": "lists.delete" } })).expect("an answer");
    assert_eq!(
        (&missed["verified"], missed["nearest"].as_array().is_some_and(|near| !near.is_empty())),
        (&json!(false), true)
    );
}

#[test]
fn a_refusal_gives_its_reason_and_a_world_reaches_only_itself() {
    let server = Server::start().expect("a free port");
    let why = server.create_world_with(&json!({ "nam": "x" })).err().expect("refused").to_string();
    assert!(why.contains("nam"), "{why}");
    let world = server.create_world_with(&json!({ "name": "mine" })).expect("a world");
    assert_eq!((world.name(), world.url()), ("mine", format!("{}/w/mine", server.url()).as_str()));
    assert!(world.admin_url().ends_with("/__admin/worlds/mine") && world.token() != server.token());
    assert!(matches!(world.call("GET", "/nothing", None), Err(InProcessError::Client(_))));
}

#[test]
fn the_port_is_free_once_the_server_and_its_last_world_are_dropped() {
    let server = Server::start().expect("a free port");
    let port = server.url().rsplit(':').next().and_then(|port| port.parse().ok()).expect("a port");
    let taken = Server::start_with(EmulatorConfig { port, ..EmulatorConfig::default() }).err();
    assert!(matches!(taken, Some(StartError::PortTaken(address)) if address.port() == port));
    let world = server.create_world().expect("a world");
    drop(server);
    // The server lives as long as its worlds.
    assert!(world.call("GET", "/info", None).is_ok());
    drop(world);
    drop(TcpListener::bind(("127.0.0.1", port)).expect("free again"));
}

#[tokio::test]
async fn it_serves_inside_a_runtime() {
    let server = Server::start().expect("a free port");
    let world = server.create_world().expect("a world");
    assert_eq!(create_list(&server, &world, "VIP"), Some(200));
}
