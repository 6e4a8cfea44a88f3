//! The state of a world as a whole: resets, seeds, snapshots. Nothing that began before a reset is written or answered
//! after it.

pub(crate) mod diff;
pub(crate) mod edits;
pub(crate) mod export;
pub(crate) mod moments;
mod records;

use std::{
    io::{Read, Write},
    net::TcpStream,
    sync::{
        Arc, Barrier,
        atomic::{AtomicBool, Ordering},
    },
    thread::{JoinHandle, spawn},
    time::{Duration, Instant},
};

use roost_ops::{Actor, list};
use roost_tests::{Receiver, Reply, Request, Served, Setup, numbers, seeds, until};
use serde_json::{Value, json};

use super::worlds::create_world;
use crate::rest::{LIST, contacts_of};

const LISTS: &str = "/contacts/v1/lists/";
const MAKE_LIST: &str = "/contacts/v1/lists/create";

fn reset_world(api: &Served) -> Value {
    api.admin().post("/__admin/reset", &json!({})).ok()
}

fn add_list(api: &Served, name: &str) {
    api.post(MAKE_LIST, &json!({ "name": name })).expect(200);
}

fn list_names(api: &Served) -> Vec<String> {
    api.get(LISTS).column("name")
}

fn read_in_progress(api: &Served) -> Value {
    api.admin().get("/__admin/worlds/default").ok()["under_way"].clone()
}

/// Sends the head of a request without its body.
fn send_half(api: &Served, body: &str) -> TcpStream {
    let mut line = TcpStream::connect(api.address()).expect("listening");
    let head = format!(
        "POST {MAKE_LIST} HTTP/1.1\r\nhost: localhost\r\nx-auth-key: k\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
        body.len()
    );
    line.write_all(head.as_bytes()).expect("writable");
    until("the request is under way", || (read_in_progress(api) == 1).then_some(()));
    line
}

#[test]
fn a_reset_brings_back_the_seed_and_counts_what_it_ended() {
    let api = Setup::new().serve();
    api.admin().put("/__admin/seed", &json!({ "lists": [{ "name": "of the seed" }] })).expect(200);
    let fields = || api.admin().get("/__admin/custom_fields").items();
    let before = fields();
    for round in 1..=3 {
        add_list(&api, "more");
        api.admin().post("/__admin/custom_fields", &json!({ "label": "Size" })).expect(201);
        let waiting = send_half(&api, "{}");
        let done = reset_world(&api);
        assert_eq!(done["epoch"], json!(1 + round));
        assert_eq!(done["cancelled"], json!({ "requests": 1, "jobs": 0, "callbacks": 0 }));
        assert_eq!(list_names(&api), ["of the seed"]);
        assert_eq!(fields(), before);
        drop(waiting);
    }
}

#[test]
fn a_late_write_after_a_reset_is_impossible() {
    let api = Setup::new().serve();
    // A handler that already has its handle of the account, and writes only after the reset.
    let late = api.core().fenced();
    reset_world(&api);
    let written = list::create(&late, &Actor::interface(), "late", list::UniqueNames::Off);
    assert!(written.is_err_and(|error| error.is_superseded()));
    // A request whose body arrives after the reset.
    let body = r#"{"name":"late"}"#;
    let mut line = send_half(&api, body);
    reset_world(&api);
    // The connection is already closed, so this may fail.
    drop(line.write_all(body.as_bytes()));
    let mut answer = Vec::new();
    drop(line.read_to_end(&mut answer));
    assert!(answer.is_empty(), "{}", String::from_utf8_lossy(&answer));
    assert_eq!(list_names(&api), [""; 0]);
}

#[test]
fn a_late_answer_of_before_the_reset_never_comes() {
    // A write to a file runs on a thread of its own, so it can be held without holding its connection.
    let folder = tempfile::tempdir().expect("a folder");
    let api = Setup::new().on_file(folder.path().join("account.roost")).serve();
    // Holds the request between its commit and its answer.
    let (reached, go) = (Arc::new(Barrier::new(2)), Arc::new(Barrier::new(2)));
    let held = {
        let (reached, go) = (reached.clone(), go.clone());
        let is_first = AtomicBool::new(true);
        api.core().subscribe(move |_| {
            if is_first.swap(false, Ordering::AcqRel) {
                reached.wait();
                go.wait();
            }
        })
    };
    let address = api.address();
    let caller = std::thread::spawn(move || {
        let client = roost_tests::Client::new(address);
        client.try_send(&Request::post(MAKE_LIST).json(&json!({ "name": "committed" }))).map(|answer| answer.status)
    });
    reached.wait();
    let done = reset_world(&api);
    assert_eq!(done["cancelled"]["requests"], 1);
    assert!(caller.join().expect("ended").is_err(), "its line is closed while the handler still waits");
    go.wait();
    assert_eq!(list_names(&api), [""; 0]);
    drop(held);
}

#[test]
fn a_reset_does_not_wait_for_a_slow_reader() {
    let api = Setup::new().serve();
    let contact = |number: String| json!({ "phone_number": number, "title": "x".repeat(20) });
    let contacts: Vec<Value> = numbers::fiction(30_000).into_iter().map(contact).collect();
    api.admin().put("/__admin/seed", &json!({ "lists": [seeds::list(LIST, "VIP", json!(contacts))] })).expect(200);
    let mut line = TcpStream::connect(api.address()).expect("listening");
    let path = contacts_of(LIST);
    write!(line, "GET {path} HTTP/1.1\r\nhost: localhost\r\nx-auth-key: k\r\n\r\n").expect("writable");
    // The head has arrived, and the rest is more than the buffers hold.
    let mut first = [0; 64];
    line.read_exact(&mut first).expect("the head");
    assert_eq!(read_in_progress(&api), 1, "the answer is still being made");
    let begun = Instant::now();
    reset_world(&api);
    // A reader may take half a minute for a part. Nothing waits for that.
    assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
    let mut rest = Vec::new();
    drop(line.read_to_end(&mut rest));
    assert!(!rest.ends_with(b"0\r\n\r\n"), "the answer broke off");
    assert_eq!(api.get(contacts_of(LIST)).items().len(), 30_000);
}

#[test]
fn requests_during_a_reset_wait_and_belong_to_the_new_epoch() {
    let api = Setup::new().serve();
    let address = api.address();
    let stops = Arc::new(AtomicBool::new(false));
    let writers: Vec<_> = (0..4)
        .map(|_| {
            let stops = stops.clone();
            std::thread::spawn(move || {
                let client = roost_tests::Client::new(address);
                let mut statuses = std::collections::BTreeSet::new();
                while !stops.load(Ordering::Acquire) {
                    let request = Request::post(MAKE_LIST).json(&json!({ "name": "x" }));
                    // A reset closes the connections of earlier requests.
                    statuses.extend(client.try_send(&request).ok().map(|answer| answer.status));
                }
                statuses
            })
        })
        .collect();
    for _ in 0..50 {
        reset_world(&api);
    }
    stops.store(true, Ordering::Release);
    for writer in writers {
        let statuses = writer.join().expect("ended");
        assert!(statuses.iter().all(|status| *status == 200), "{statuses:?}");
    }
    reset_world(&api);
    assert_eq!(list_names(&api), [""; 0]);
}

/// Starts a reset that waits for running requests.
fn start_draining_reset(api: &Served) -> JoinHandle<Value> {
    let (address, token) = (api.address(), api.token().to_owned());
    spawn(move || {
        let admin = roost_tests::Client::new(address).with_token(&token);
        admin.post("/__admin/reset?mode=drain", &json!({})).ok()
    })
}

#[test]
fn health_and_the_document_answer_during_a_reset() {
    let api = Setup::new().serve();
    let body = r#"{"name":"in time"}"#;
    let mut line = send_half(&api, body);
    let reset = start_draining_reset(&api);
    until("the world is shut", || {
        let mut line = TcpStream::connect(api.address()).expect("listening");
        line.set_read_timeout(Some(Duration::from_millis(100))).expect("a time");
        write!(line, "GET {LISTS} HTTP/1.1\r\nhost: localhost\r\nx-auth-key: k\r\n\r\n").expect("writable");
        line.read(&mut [0; 8]).is_err().then_some(())
    });
    for path in ["/livez", "/__admin/livez", "/readyz", "/__admin/readyz", "/__admin/openapi.json"] {
        api.admin().get(path).expect(200);
    }
    assert!(!reset.is_finished(), "they did not wait for the reset");
    line.write_all(body.as_bytes()).expect("writable");
    reset.join().expect("done");
}

#[test]
fn draining_lets_requests_end_by_themselves() {
    let api = Setup::new().serve();
    let body = r#"{"name":"in time"}"#;
    let mut line = send_half(&api, body);
    let reset = start_draining_reset(&api);
    // The world is closed by now or soon. In both cases the running request ends first.
    line.write_all(body.as_bytes()).expect("writable");
    let mut answer = String::new();
    line.read_to_string(&mut answer).expect("answered");
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    assert_eq!(reset.join().expect("done")["cancelled"]["requests"], 0);
    assert_eq!(list_names(&api), [""; 0]);
}

#[test]
fn a_reset_keeps_the_parts_that_the_request_names() {
    let api = Setup::new().serve();
    let set = |value: u16| api.admin().patch("/__admin/settings", &json!({ "status.list_create": value })).expect(200);
    let status = || api.admin().get("/__admin/settings").ok()["status.list_create"].clone();
    set(201);
    api.admin().post("/__admin/reset?keep=settings,journal", &json!({})).expect(200);
    assert_eq!(status(), 201);
    reset_world(&api);
    assert_eq!(status(), 200);
    for query in ["keep=everything", "keep=settings,x", "mode=softly"] {
        let answer = api.admin().post(format!("/__admin/reset?{query}"), &json!({})).expect(400);
        assert_eq!(answer.json()["error"]["code"], "bad_query");
    }
}

#[test]
fn owed_callbacks_end_with_their_epoch() {
    let api = Setup::new().serve();
    let receiver = Receiver::replying([Reply::Silence]);
    api.admin().put("/__admin/seed", &json!({ "lists": [seeds::list(LIST, "VIP", json!([]))] })).expect(200);
    let body = json!({
        "list_id": LIST, "merge_type": "skipDuplicates", "contacts": [{ "phone_number": seeds::mobile(1) }],
        "callback_url": receiver.url("/hook"),
    });
    api.post("/contacts/v1/contacts", &body).expect(200);
    receiver.wait_for(1);
    let done = reset_world(&api);
    assert_eq!(done["cancelled"]["callbacks"], 1, "{done}");
    assert_eq!(api.admin().get("/__admin/callbacks").items(), Vec::<Value>::new());
    // Later callbacks belong to the new epoch only.
    api.post("/contacts/v1/contacts", &body).expect(200);
    receiver.wait_for(2);
    assert_eq!(api.admin().get("/__admin/callbacks").items().len(), 1);
}

#[test]
fn a_seed_is_taken_whole_or_not_at_all() {
    let api = Setup::new().serve();
    add_list(&api, "kept");
    for (seed, words) in [
        (json!({ "lists": [{ "name": "one" }, { "name": "" }] }), "lists[1].name"),
        (json!({ "list": [] }), "list"),
        (json!([]), "object"),
    ] {
        let answer = api.admin().put("/__admin/seed", &seed).expect(400);
        assert_eq!(answer.json()["error"]["code"], "bad_seed", "{}", answer.shown());
        assert!(answer.json()["error"]["message"].to_string().contains(words), "{}", answer.shown());
    }
    assert_eq!(list_names(&api), ["kept"]);
    let taken = api.admin().put("/__admin/seed?once=true", &json!({ "lists": [{ "name": "once" }] })).ok();
    assert_eq!((&taken["seeded"]["lists"], &taken["reset"]["epoch"]), (&json!(1), &json!(1)));
    assert_eq!(list_names(&api), ["once"]);
    reset_world(&api);
    assert_eq!(list_names(&api), [""; 0], "a seed for once is not what reset goes back to");
    api.admin().put("/__admin/seed?once=maybe", &json!({})).expect(400);
}

#[test]
fn export_then_seed_is_the_identity() {
    let api = crate::gate::console_setup().serve();
    let before = api.admin().get("/__admin/export").ok();
    reset_world(&api);
    assert_ne!(api.admin().get("/__admin/export").ok(), before);
    api.admin().put("/__admin/seed", &before).expect(200);
    assert_eq!(api.admin().get("/__admin/export").ok(), before);
    // The same holds in another world, except for short URLs, which belong to their world.
    let world = create_world(&api, &json!({ "from": "seed" }));
    let there = api.with_token(&world.token).get("/__admin/export").ok();
    for part in ["senders", "assets", "custom_fields", "lists", "opt_outs"] {
        assert_eq!(there[part], before[part], "{part}");
    }
    let url = there["short_links"][0]["short_link_url"].to_string();
    assert!(url.contains(&format!("{}/s/", world.path)), "{url}");
}

#[test]
fn a_snapshot_brings_back_everything() {
    let api = crate::gate::console_setup().serve();
    let receiver = Receiver::replying([Reply::Status(500), Reply::Status(500)]);
    let body = json!({
        "list_id": LIST, "merge_type": "skipDuplicates", "contacts": [{ "phone_number": seeds::mobile(99) }],
        "callback_url": receiver.url("/hook"),
    });
    api.post("/contacts/v1/contacts", &body).expect(200);
    let owed = || api.admin().get("/__admin/callbacks").items();
    until("the first try is over", || (owed().first()?["attempts"][0]["status"] == 500).then_some(()));
    api.admin().patch("/__admin/settings", &json!({ "status.list_create": 201 })).expect(200);
    let all = || {
        ["/__admin/export", "/__admin/jobs", "/__admin/callbacks", "/__admin/settings"]
            .map(|path| api.admin().get(path).ok())
    };
    let before = all();
    let taken = api.admin().post("/__admin/snapshots", &json!({ "name": "before" })).expect(201).json();
    assert!(taken["bytes"].as_u64().is_some_and(|bytes| bytes > 0), "{taken}");
    api.post(MAKE_LIST, &json!({ "name": "after" })).expect(201);
    reset_world(&api);
    assert_ne!(all(), before);
    api.admin().post("/__admin/snapshots/before/restore", &json!({})).expect(200);
    assert_eq!(all(), before);
    assert_eq!(api.admin().get("/__admin/snapshots").column("name"), ["before"], "a reset leaves snapshots");
    for (name, status) in [("before", 409), ("now", 400), ("seed", 400), ("Before", 400), ("", 400), ("a/b", 400)] {
        assert_eq!(api.admin().post("/__admin/snapshots", &json!({ "name": name })).status, status, "{name}");
    }
    api.admin().delete("/__admin/snapshots/before").expect(204);
    api.admin().delete("/__admin/snapshots/before").expect(404);
    api.admin().post("/__admin/snapshots/before/restore", &json!({})).expect(404);
    assert_eq!(all(), before);
}

#[test]
fn an_account_of_others_and_a_file_are_not_restored_unasked() {
    let mut lent = Setup::new();
    lent.config.account = roost_emulator::AccountOwnership::Lent;
    let api = lent.serve();
    add_list(&api, "theirs");
    api.admin().post("/__admin/snapshots", &json!({ "name": "s" })).expect(201);
    for (method, path) in
        [("POST", "/__admin/reset"), ("PUT", "/__admin/seed"), ("POST", "/__admin/snapshots/s/restore")]
    {
        let answer = api.admin().send(Request::new(method, path).json_text("{}")).expect(409);
        assert_eq!(answer.json()["error"]["code"], "not_own", "{}", answer.shown());
    }
    let copy = create_world(&api, &json!({ "from": "world:default" }));
    api.with_token(&copy.token).post("/__admin/reset", &json!({})).expect(200);
    assert_eq!(list_names(&api), ["theirs"]);

    let folder = tempfile::tempdir().expect("a folder");
    let mut file = Setup::new().on_file(folder.path().join("a.roost"));
    file.config.account = roost_emulator::AccountOwnership::Kept { is_from_seed: false };
    let api = file.serve();
    add_list(&api, "kept");
    let answer = api.admin().post("/__admin/reset", &json!({})).expect(409);
    assert_eq!(answer.json()["error"]["code"], "no_seed");
    assert_eq!(list_names(&api), ["kept"]);
    api.admin().put("/__admin/seed", &json!({ "lists": [{ "name": "seeded" }] })).expect(200);
    add_list(&api, "more");
    reset_world(&api);
    assert_eq!(list_names(&api), ["seeded"]);
}
