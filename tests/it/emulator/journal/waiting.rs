//! Reading the journal from a position, and waiting there for new entries.

use std::{
    collections::BTreeSet,
    io::{Read, Write},
    net::TcpStream,
    thread,
    time::{Duration, Instant},
};

use roost_tests::{Answer, Client, seconds, until};
use serde_json::json;

use super::{MAKE_LIST, REQUESTS, entry_numbers, make_list, read_page, start_recording};

#[test]
fn a_long_poll_wakes_with_the_next_line() {
    let api = start_recording();
    make_list(&api, "before");
    let next = read_page(&api, "")["next"].as_str().expect("a place").to_owned();
    let begun = Instant::now();
    let found = thread::scope(|scope| {
        let poll = scope.spawn(|| read_page(&api, &format!("?since={next}&wait=60s&filter=operation:lists.create")));
        api.get("/contacts/v1/lists/").expect(200);
        make_list(&api, "awaited");
        poll.join().expect("a page")
    });
    assert!(begun.elapsed() < Duration::from_secs(60));
    assert_eq!(found["items"].as_array().expect("items").len(), 1, "{found}");
    assert!(found["items"][0]["request"]["body"]["text"].as_str().expect("a text").contains("awaited"), "{found}");
    assert_eq!(found["gap"], json!(null));
}

#[test]
fn a_long_poll_ends_by_itself_and_with_the_server() {
    let api = start_recording();
    let found = read_page(&api, "?since=0&wait=20ms");
    assert_eq!((entry_numbers(&found), &found["has_more"], &found["next"]), (vec![], &json!(false), &json!("0.0")));
    for query in ["?wait=1", "?wait=10m", "?wait=-1s", "?limit=0", "?limit=1001", "?since=x", "?stable=1", "?filter=x"]
    {
        api.admin().get(format!("{REQUESTS}{query}")).expect(400);
    }
    // A waiting reader does not delay the end of the server.
    let (client, token) = (Client::new(api.address()), api.token().to_owned());
    let waiting = thread::spawn(move || {
        client.with_token(&token).try_send(&roost_tests::Request::get(format!("{REQUESTS}?since=0&wait=60s")))
    });
    let begun = Instant::now();
    api.stop();
    let _ = waiting.join().expect("no panic");
    assert!(begun.elapsed() < Duration::from_secs(30), "{:?}", begun.elapsed());
}

#[test]
fn a_slow_request_is_not_skipped() {
    let api = start_recording();
    let body = r#"{"name":"slow"}"#;
    let mut slow = TcpStream::connect(api.address()).expect("a line");
    let head = format!(
        "POST {MAKE_LIST} HTTP/1.1\r\nhost: localhost\r\nx-auth-key: a-key\r\ncontent-type: application/json\r\n\
         content-length: {}\r\nconnection: close\r\n\r\n",
        body.len()
    );
    slow.write_all(head.as_bytes()).expect("the head");
    // A request gets its number when it arrives, so it must arrive before the next one.
    until("the slow request is under way", || {
        api.get("/contacts/v1/lists/").expect(200);
        let numbers = read_page(&api, "?limit=1")["items"][0]["number"].as_u64().expect("a number");
        let lines = read_page(&api, "")["last"].as_u64().expect("a number");
        (numbers > lines).then_some(())
    });
    let before = read_page(&api, "");
    slow.write_all(body.as_bytes()).expect("the body");
    slow.read_to_end(&mut Vec::new()).expect("the answer");
    let after = read_page(&api, &format!("?since={}&wait=60s", before["next"].as_str().expect("a place")));
    let line = &after["items"][0];
    assert_eq!((entry_numbers(&after).len(), &line["operation"]), (1, &json!("lists.create")));
    let number = line["number"].as_u64().expect("a number");
    assert!(number < entry_numbers(&after)[0], "it came earlier than its place in the journal");
}

#[test]
fn nothing_is_lost_under_many_threads() {
    const THREADS: u64 = 32;
    const EACH: u64 = 40;
    let api = start_recording();
    api.admin().patch("/__admin/journal", &json!({ "lines": 100_000 })).expect(200);
    let (mut seen, mut numbers) = (Vec::new(), BTreeSet::new());
    thread::scope(|scope| {
        for thread in 0..THREADS {
            let client = Client::new(api.address());
            scope.spawn(move || {
                for n in 0..EACH {
                    client.post(MAKE_LIST, &json!({ "name": format!("{thread} {n}") })).expect(200);
                }
            });
        }
        let mut next = "0.0".to_owned();
        while (seen.len() as u64) < THREADS * EACH {
            let found = read_page(&api, &format!("?since={next}&wait=60s&limit=50"));
            assert_eq!(found["gap"], json!(null));
            assert!(!entry_numbers(&found).is_empty(), "{found}");
            seen.extend(entry_numbers(&found));
            numbers.extend(found["items"].as_array().expect("items").iter().map(|line| line["number"].as_u64()));
            next = found["next"].as_str().expect("a place").to_owned();
        }
    });
    assert!(seen.into_iter().eq(1..=THREADS * EACH), "every line once and in order");
    assert_eq!(numbers.len() as u64, THREADS * EACH, "every request has a number of its own");
}

#[test]
fn readers_of_the_journal_are_not_in_it() {
    let api = start_recording();
    let admin = api.admin();
    make_list(&api, "VIP");
    for path in ["", "/1", "/1/curl", "/1/har", "/1/http", "?wait=1ms&since=1"] {
        admin.get(format!("{REQUESTS}{path}")).expect(200);
    }
    for path in ["/__admin/journal/har", "/__admin/unmatched", "/__admin/journal", "/__admin/worlds/default/requests"] {
        admin.get(path).expect(200);
    }
    admin.post("/__admin/journal/count", &json!({})).expect(200);
    admin.post("/__admin/journal/verify", &json!({ "match": {} })).expect(202);
    assert_eq!(entry_numbers(&read_page(&api, "")), [1]);
    assert_eq!(entry_numbers(&read_page(&api, "")), [1]);
}

#[test]
fn calls_of_the_operator_are_recorded_only_when_that_is_asked_for() {
    let api = start_recording();
    let admin = api.admin();
    let operations = || {
        let lines = read_page(&api, "")["items"].as_array().expect("items").clone();
        lines.iter().map(|line| line["operation"].as_str().unwrap_or("none").to_owned()).collect::<Vec<_>>()
    };
    let act = || {
        admin.get("/__admin/info").expect(200);
        admin.post("/__admin/senders", &json!({ "name": "" })).expect(400);
        api.get("/__admin/info").expect(401);
        api.get("/readyz").expect(200);
    };
    act();
    make_list(&api, "VIP");
    assert_eq!(operations(), ["lists.create"]);
    assert_eq!(read_page(&api, "")["items"][0]["number"], 1, "what is left out takes no number");
    // A call that leads nowhere is a mistake that somebody looks for.
    admin.get("/__admin/nothing").expect(404);
    assert_eq!(operations().len(), 2);
    assert_eq!(admin.get("/__admin/unmatched").items().len(), 1);
    let state = admin.patch("/__admin/journal", &json!({ "admin_calls": { "enabled": true } })).ok();
    assert_eq!(state["admin_calls"], json!({ "enabled": true }));
    act();
    assert_eq!(operations()[2..], ["admin.info", "admin.senders.request", "admin"]);
    admin.patch("/__admin/journal", &json!({ "admin_calls": { "enabled": false } })).expect(200);
    let before = operations().len();
    act();
    assert_eq!(operations().len(), before);
    admin.patch("/__admin/journal", &json!({ "admin_calls": true })).expect(400);
}

#[test]
fn the_stable_form_leaves_out_what_differs_from_run_to_run() {
    let run = || {
        let mut setup = roost_tests::Setup::new().at("2026-01-05T09:00:00Z");
        setup.config.journal = roost_emulator::Journal::new_recording();
        let api = setup.serve();
        make_list(&api, "VIP");
        api.get("/contacts/v1/lists/").expect(200);
        api.get("/nowhere").expect(404);
        api.admin().get(format!("{REQUESTS}?stable=true")).expect(200).text()
    };
    let (first, second) = (run(), run());
    assert_eq!(first, second);
    assert!(!first.contains("took") && first.contains("lists.query"), "{first}");
}

#[test]
fn a_filter_and_a_limit_choose_lines() {
    let api = start_recording();
    for n in 0..5 {
        make_list(&api, &format!("list {n}"));
        api.get("/nowhere").expect(404);
    }
    assert_eq!(entry_numbers(&read_page(&api, "?limit=3")), [8, 9, 10], "the newest");
    let found = read_page(&api, "?since=0&limit=3");
    assert_eq!(
        (entry_numbers(&found), &found["has_more"], &found["next"]),
        (vec![1, 2, 3], &json!(true), &json!("0.3"))
    );
    let found = read_page(&api, "?since=0&limit=2&filter=status:404");
    assert_eq!((entry_numbers(&found), &found["next"]), (vec![2, 4], &json!("0.4")));
    assert_eq!(entry_numbers(&read_page(&api, "?filter=operation:lists%20body:%22list%203%22")), [7]);
}

#[test]
fn a_place_before_a_reset_is_refused() {
    let api = start_recording();
    let id = api.admin().post("/__admin/worlds", &json!({ "from": "empty" })).expect(201).json()["id"].clone();
    let id = id.as_str().expect("an id");
    api.get(format!("/w/{id}/contacts/v1/lists/")).expect(200);
    let requests = format!("/__admin/worlds/{id}/requests");
    let next = api.admin().get(&requests).ok()["next"].as_str().expect("a place").to_owned();
    assert_eq!(next, "0.1");
    let response = thread::scope(|scope| {
        let poll = scope.spawn(|| api.admin().get(format!("{requests}?since={next}&wait=60s")));
        api.admin().post(format!("/__admin/worlds/{id}/reset"), &json!({})).expect(200);
        poll.join().expect("an answer")
    });
    assert_eq!(
        (response.status, &response.json()["error"]["code"]),
        (409, &json!("reset_meanwhile")),
        "{}",
        response.shown()
    );
    let after = api.admin().get(&requests).ok();
    assert_eq!((&after["epoch"], &after["last"]), (&json!(1), &json!(0)));
}

#[test]
fn waiting_ends_with_the_world() {
    let api = start_recording();
    let admin = api.admin();
    let begun = Instant::now();
    let matcher = json!({ "match": { "operation": "lists.create" }, "timeout": "300000ms" });
    let poll = |place: &str| api.admin().get(format!("{place}/requests?since=0&wait=300s"));
    let verify = |place: &str| api.admin().post(format!("{place}/journal/verify"), &matcher);
    for read in [&poll as &(dyn Fn(&str) -> Answer + Sync), &verify] {
        let options = json!({ "from": "empty", "ttl": "3600s" });
        let id = admin.post("/__admin/worlds", &options).expect(201).json()["id"].clone();
        let place = format!("/__admin/worlds/{}", id.as_str().expect("an id"));
        admin.patch(format!("{place}/journal"), &json!({ "enabled": true })).expect(200);
        // A waiting reader counts as use of the world, which its time of expiry shows.
        let idle = || 3600.0 - seconds(&admin.get(&place).ok()["expires_in"]).expect("a time");
        until("nobody uses it", || (idle() > 0.1).then_some(()));
        let response = thread::scope(|scope| {
            let reader = scope.spawn(|| read(&place));
            until("a reader has come", || (idle() < 0.05).then_some(()));
            admin.delete(&place).expect(204);
            reader.join().expect("an answer")
        });
        assert_eq!(
            (response.status, &response.json()["error"]["code"]),
            (404, &json!("unknown_world")),
            "{}",
            response.shown()
        );
    }
    assert!(begun.elapsed() < Duration::from_secs(60), "{:?}", begun.elapsed());
}
