//! The journal as a stream of events.

use std::{
    io::{BufRead, BufReader, Write},
    net::TcpStream,
    time::Duration,
};

use roost_tests::Served;
use serde_json::{Value, json};

use super::{make_list, start_recording};

/// A listener that reads event by event.
struct EventListener(BufReader<TcpStream>);

#[derive(Debug, PartialEq)]
struct ServerEvent {
    id: String,
    name: String,
    data: Value,
}

impl EventListener {
    fn open(api: &Served, path: &str, last: Option<&str>) -> Self {
        let mut line = TcpStream::connect(api.address()).expect("a line");
        // No part of the test waits for this timeout. It only ends a test that hangs.
        line.set_read_timeout(Some(Duration::from_secs(60))).expect("a timeout");
        let last = last.map(|last| format!("last-event-id: {last}\r\n")).unwrap_or_default();
        let head =
            format!("GET {path} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {}\r\n{last}\r\n", api.token());
        line.write_all(head.as_bytes()).expect("a head");
        let mut events = Self(BufReader::new(line));
        // The stream sends this line before any event, so it listens from here on.
        while events.read_line() != "retry: 1000" {}
        events
    }

    fn read_line(&mut self) -> String {
        let mut line = String::new();
        let read = self.0.read_line(&mut line).expect("a line of the stream");
        assert!(read > 0, "the stream ended");
        line.trim_end().to_owned()
    }

    /// Returns the next event, skipping chunk sizes and heartbeats.
    fn next(&mut self) -> ServerEvent {
        let (mut id, mut name) = (String::new(), String::new());
        loop {
            let line = self.read_line();
            match line.split_once(": ") {
                Some(("id", value)) => id = value.to_owned(),
                Some(("event", value)) => name = value.to_owned(),
                Some(("data", value)) => {
                    return ServerEvent { id, name, data: serde_json::from_str(value).expect("JSON") };
                }
                _ => {}
            }
        }
    }
}

fn event_parts(event: &ServerEvent) -> (&str, &str, &Value) {
    (&event.id, &event.name, &event.data["operation"])
}

#[test]
fn a_stream_goes_on_where_it_broke() {
    let api = start_recording();
    make_list(&api, "before");
    let mut events = EventListener::open(&api, "/__admin/events", None);
    make_list(&api, "live");
    let live = events.next();
    assert_eq!(event_parts(&live), ("0.2", "request", &json!("lists.create")));
    assert!(live.data["request"]["body"]["text"].as_str().expect("a text").contains("live"));
    drop(events);
    for n in 0..3 {
        make_list(&api, &format!("missed {n}"));
    }
    let mut events = EventListener::open(&api, "/__admin/events", Some(&live.id));
    for want in ["0.3", "0.4", "0.5"] {
        assert_eq!(event_parts(&events.next()), (want, "request", &json!("lists.create")));
    }
    make_list(&api, "live again");
    assert_eq!(events.next().id, "0.6");
    let mut filtered = EventListener::open(&api, "/__admin/events?since=0&filter=operation:lists.query", None);
    api.get("/contacts/v1/lists/").expect(200);
    assert_eq!(event_parts(&filtered.next()), ("0.7", "request", &json!("lists.query")));
}

#[test]
fn a_stream_looks_past_all_that_does_not_fit() {
    // Several times the number of entries that are checked at once.
    const OTHERS: u64 = 800;
    let api = start_recording();
    for _ in 0..OTHERS {
        api.get("/nowhere").expect(404);
    }
    let mut events = EventListener::open(&api, "/__admin/events?since=0&filter=operation:lists", None);
    for awaited in [OTHERS + 1, OTHERS + 2] {
        make_list(&api, &format!("list {awaited}"));
        assert_eq!(event_parts(&events.next()), (format!("0.{awaited}").as_str(), "request", &json!("lists.create")));
    }
}

#[test]
fn a_stream_reports_a_gap_and_a_reset() {
    let api = start_recording();
    let id = api.admin().post("/__admin/worlds", &json!({ "from": "empty" })).expect(201).json()["id"].clone();
    let id = id.as_str().expect("an id");
    let admin = format!("/__admin/worlds/{id}");
    api.admin().patch(format!("{admin}/journal"), &json!({ "lines": 2 })).expect(200);
    for _ in 0..5 {
        api.get(format!("/w/{id}/contacts/v1/lists/")).expect(200);
    }
    let mut events = EventListener::open(&api, &format!("{admin}/events"), Some("0.1"));
    let gap = events.next();
    assert_eq!((gap.name.as_str(), &gap.data), ("gap", &json!({ "first": 2, "last": 3 })));
    assert_eq!([events.next().id, events.next().id], ["0.4", "0.5"]);
    api.admin().post(format!("{admin}/reset"), &json!({})).expect(200);
    let reset = events.next();
    assert_eq!((reset.id.as_str(), reset.name.as_str(), &reset.data), ("1.0", "reset", &json!({ "epoch": 1 })));
    api.get(format!("/w/{id}/contacts/v1/lists/")).expect(200);
    assert_eq!(events.next().id, "1.1");
    // A listener that continues from before the reset is notified of the reset, too.
    let mut late = EventListener::open(&api, &format!("{admin}/events"), Some("0.5"));
    assert_eq!(late.next().name, "reset");
    assert_eq!(late.next().id, "1.1");
    api.admin().delete(&admin).expect(204);
}

#[test]
fn a_stream_wants_the_token_and_a_place() {
    let api = start_recording();
    api.get("/__admin/events").expect(401);
    api.admin().get("/__admin/events?since=x").expect(400);
    api.admin().send(roost_tests::Request::get("/__admin/events").header("last-event-id", "x")).expect(400);
    api.admin().get("/__admin/events?filter=x").expect(400);
}
