//! The journal entries of a recording server: the request, the response, and the reason of a refusal.

use std::{
    io::Write,
    net::TcpStream,
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use roost_emulator::{Direction, Exchange, Journal, RecordedBody, RefusalCheck, to_curl};
use roost_tests::{Receiver, Reply, Request, Served, Setup, seeds, until};
use serde_json::json;

use crate::rest::LIST;

struct WatchedServer {
    api: Served,
    journal: Journal,
}

fn start_watched(setup: Setup) -> WatchedServer {
    let journal = Journal::new_recording();
    journal.set_admin_recording(true);
    let mut setup = setup;
    setup.config.journal = journal.clone();
    WatchedServer { api: setup.serve(), journal }
}

impl WatchedServer {
    /// Returns the entry of the last answered request.
    #[track_caller]
    fn last_exchange(&self) -> Arc<Exchange> {
        self.journal.read_page(None, 1, |_| true).lines.pop().expect("a line")
    }

    /// Returns the check that refused this request, its message, and the fields of the broken rules.
    #[track_caller]
    fn send_refused(&self, request: Request) -> (RefusalCheck, String, Vec<String>) {
        let answer = self.api.send(request);
        let line = self.last_exchange();
        assert_eq!(line.status, Some(answer.status));
        let why = line.why.as_ref().unwrap_or_else(|| panic!("no reason{}", answer.shown()));
        let places = why.faults.iter().map(|fault| fault.path.clone().into_owned()).collect();
        (why.check, why.words.clone().into_owned(), places)
    }
}

#[test]
fn every_refusal_is_recorded_with_the_check_that_made_it() {
    let watched = start_watched(Setup::new());
    let create = "/contacts/v1/lists/create";
    let none: &[&str] = &[];
    for (request, check, words, places) in [
        (Request::get("/contacts/v1/lists/").header("host", "evil.example"), RefusalCheck::Gate, "evil.example", none),
        (
            Request::get("/contacts/v1/lists/").header("origin", "http://evil.example"),
            RefusalCheck::Gate,
            "evil.example",
            none,
        ),
        (Request::get("/__console/").header("sec-fetch-site", "cross-site"), RefusalCheck::Gate, "cross-site", none),
        (Request::get("/contacts/v1/list/"), RefusalCheck::Route, "No operation", none),
        (Request::new("PUT", "/contacts/v1/lists/"), RefusalCheck::Method, "supports GET, HEAD, OPTIONS", none),
        (
            Request::get("/contacts/v1/lists/").without("x-auth-key"),
            RefusalCheck::Key,
            "X-AUTH-KEY header is missing",
            none,
        ),
        (Request::post(create).json_text("{"), RefusalCheck::Parsing, "not the JSON object", none),
        (
            Request::post(create).header("content-type", "text/plain").body("{}"),
            RefusalCheck::Parsing,
            "Content-Type",
            none,
        ),
        (Request::post(create).json(&json!({ "name": " " })), RefusalCheck::Validation, "rule", &["name"]),
        (
            Request::get("/contacts/v1/lists/?page_number=0&page_size=0"),
            RefusalCheck::Validation,
            "rule",
            &["filter.pageNumber", "filter.pageSize"],
        ),
        (Request::get("/contacts/v1/lists/?page_size=x"), RefusalCheck::Parsing, "page_size", &["page_size"]),
        (Request::delete("/contacts/v1/lists/LST_1"), RefusalCheck::Validation, "'LST_1'", &["deleteList.uid"]),
        (Request::delete(format!("/contacts/v1/lists/{LIST}")), RefusalCheck::NotFound, "not", none),
        (Request::get("/s/nocode"), RefusalCheck::NotFound, "No short link", none),
        (Request::get("/__admin/info"), RefusalCheck::Key, "admin token", none),
        (
            Request::get("/__admin/jobs/1").header("authorization", format!("Bearer {}", watched.api.token())),
            RefusalCheck::NotFound,
            "no job 1",
            none,
        ),
    ] {
        let description = format!("{request:?}");
        let refusal = watched.send_refused(request);
        assert_eq!((refusal.0, refusal.2), (check, places.iter().map(|p| (*p).to_owned()).collect()), "{description}");
        assert!(refusal.1.contains(words), "{}\n{description}", refusal.1);
    }
    // A request whose body never arrives completely.
    let mut half = TcpStream::connect(watched.api.address()).unwrap();
    let head =
        "POST /contacts/v1/lists/create HTTP/1.1\r\nhost: localhost\r\nx-auth-key: k\r\ncontent-length: 99\r\n\r\n{";
    half.write_all(head.as_bytes()).unwrap();
    drop(half);
    let exchange = until("the broken request is recorded", || {
        Some(watched.last_exchange()).filter(|line| line.method == "POST" && line.key.as_deref() == Some("…"))
    });
    assert!(matches!(exchange.why.as_ref().unwrap().check, RefusalCheck::Parsing | RefusalCheck::Caller));
    watched.api.get("/contacts/v1/lists/").expect(200);
    let line = watched.last_exchange();
    assert_eq!(
        (line.operation.as_deref(), &line.why),
        (Some("lists.query"), &None),
        "what is not refused has no reason"
    );
}

#[test]
fn every_fault_of_a_key_is_recorded_although_callers_do_not_learn_it() {
    let keys = r#"[{"value":"switched-off","enabled":false},{"value":"lists-only","permissions":["lists"]},{"value":"far-away","addresses":["192.0.2.1"]}]"#;
    let watched = start_watched(
        Setup::new().set("auth", "keys").set("auth.keys", keys).set("limits", "on").set("limits.per_second", "1"),
    );
    for (key, target, status, words) in [
        ("nobodys", "/contacts/v1/lists/", 401, "not one of this server's keys"),
        ("switched-off", "/contacts/v1/lists/", 401, "disabled"),
        ("lists-only", "/contacts/v1/optouts", 403, "does not have the optouts permission"),
        ("far-away", "/contacts/v1/lists/", 403, "cannot be used from 127.0.0.1"),
    ] {
        let refusal = watched.send_refused(Request::get(target).header("x-auth-key", key));
        assert_eq!((refusal.0, watched.last_exchange().status), (RefusalCheck::Key, Some(status)), "{key}");
        assert!(refusal.1.contains(words), "{}", refusal.1);
    }
    let client = watched.api.with_key("lists-only");
    until("the lane is empty", || (client.get("/contacts/v1/lists/").status == 429).then_some(()));
    let why = watched.last_exchange().why.clone().unwrap();
    assert_eq!(why.check, RefusalCheck::Limits);
    assert!(why.words.contains("Limited to 1 per second: lists.query"), "{}", why.words);
}

#[test]
fn no_key_and_no_token_is_ever_kept() {
    const SECRET: &str = "opensesame-3141592653";
    let mut setup = Setup::new();
    setup.config.admin_token = Some(format!("{SECRET}-token"));
    let watched = start_watched(setup);
    let api = watched.api.with_key(SECRET);
    api.get("/contacts/v1/lists/").expect(200);
    api.post("/contacts/v1/lists/create", &json!({ "name": "" })).expect(400);
    api.send(Request::get(format!("/contacts/v1/lists/?api_key={SECRET}&token={SECRET}")));
    for name in ["authorization", "cookie", "proxy-authorization", "x-api-key", "x-session-token"] {
        api.send(Request::get("/contacts/v1/lists/").header(name, SECRET));
        api.send(Request::get("/contacts/v1/lists/").header(name, format!("Bearer {SECRET}")));
    }
    watched.api.admin().get("/__admin/settings").expect(200);
    let keys = json!({ "auth": "keys", "auth.keys": [SECRET, { "value": format!("{SECRET}-2") }] });
    watched.api.admin().patch("/__admin/settings", &keys).expect(200);
    let withheld = watched.last_exchange();
    assert!(matches!(withheld.request.body, RecordedBody::Withheld { length } if length > 0), "{withheld:?}");
    watched
        .api
        .admin()
        .patch("/__admin/settings", &json!({ "auth.keys": [{ "value": SECRET, "enabled": SECRET }] }))
        .expect(400);
    api.get("/contacts/v1/lists/").expect(200);
    watched.api.with_key(&format!("{SECRET}-3")).get("/contacts/v1/lists/").expect(401);
    let found = watched.journal.read_page(None, usize::MAX, |_| true);
    assert_eq!(found.lines.len(), 18);
    for line in found.lines {
        let mut all = format!("{line:?} {}", to_curl(&line, watched.api.url()));
        for body in [&line.request.body, &line.response.body] {
            all.push_str(&String::from_utf8_lossy(body.bytes()));
        }
        assert!(!all.contains("sesame"), "{all}");
    }
}

#[test]
fn fifty_thousand_requests_leave_the_newest_thousand() {
    const THREADS: usize = 8;
    const EACH: usize = 6_250;
    let watched = start_watched(Setup::new());
    let (address, begun) = (watched.api.address(), Instant::now());
    thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(move || {
                let client = roost_tests::Client::new(address);
                for _ in 0..EACH {
                    client.get("/contacts/v1/lists/").expect(200);
                }
            });
        }
    });
    eprintln!("{} requests: {:?}", THREADS * EACH, begun.elapsed());
    let found = watched.journal.read_page(None, usize::MAX, |_| true);
    assert_eq!((found.lines.len(), found.dropped), (1_000, 49_000));
    assert!(found.lines.iter().rev().map(|line| line.id).eq(49_001..=50_000));
}

#[test]
fn callbacks_are_recorded_with_every_attempt() {
    let receiver = Receiver::replying([Reply::Status(503), Reply::Close]);
    let seed = json!({ "lists": [seeds::list(LIST, "VIP", json!([]))] });
    let watched = start_watched(Setup::new().set("callback.retries", "0,0").seed(seed));
    let body = json!({
        "list_id": LIST, "phone_region": "GB", "merge_type": "skipDuplicates", "callback_url": receiver.url("/hook"),
        "contacts": [{ "phone_number": "07700900001" }],
    });
    watched.api.post("/contacts/v1/contacts", &body).expect(200);
    receiver.wait_for(3);
    let lines = until("three attempts are recorded", || {
        let found = watched.journal.read_page(None, 9, |line| line.direction == Direction::Out);
        (found.lines.len() == 3).then_some(found.lines)
    });
    let attempts: Vec<_> = lines.iter().rev().map(|line| (line.attempt, line.status, line.job)).collect();
    assert_eq!(attempts, [(Some(1), Some(503), Some(1)), (Some(2), None, Some(1)), (Some(3), Some(200), Some(1))]);
    let words = |at: usize| lines[at].why.as_ref().map(|why| why.words.clone().into_owned()).unwrap_or_default();
    assert!(words(2).contains("did not accept it. A duplicate is sent immediately."), "{}", words(2));
    assert!(words(1).ends_with("A duplicate is sent immediately.") && words(0).is_empty(), "{}", words(1));
    assert_eq!(
        (lines[0].target.as_str(), lines[0].operation.as_deref()),
        (receiver.url("/hook").as_str(), Some("callback"))
    );
    assert_eq!(lines[0].request.body.bytes(), receiver.received()[2].body);
}

#[test]
fn long_answers_and_long_bodies_are_cut_and_their_lengths_recorded() {
    const KEPT: usize = 64 * 1024;
    let watched = start_watched(Setup::new().seed(json!({ "lists": [seeds::filled_list(LIST, "VIP", 900)] })));
    let answer = watched.api.get(format!("/contacts/v1/contacts/list/{LIST}")).expect(200);
    assert!(answer.body.len() > 2 * KEPT, "the answer is streamed");
    let line = until("the stream has ended", || Some(watched.last_exchange()).filter(|line| line.status.is_some()));
    assert_eq!(line.why, None);
    assert_eq!(line.response.body.length(), answer.body.len() as u64);
    assert_eq!(line.response.body.bytes(), &answer.body[..KEPT]);
    let long = json!({ "name": "x".repeat(200_000) });
    watched.api.post("/contacts/v1/lists/create", &long).expect(400);
    let line = watched.last_exchange();
    assert_eq!((line.request.body.bytes().len(), line.request.body.length()), (KEPT, long.to_string().len() as u64));
    watched.api.without("x-auth-key").post("/contacts/v1/lists/create", &long).expect(401);
    assert!(matches!(watched.last_exchange().request.body, RecordedBody::Unread { length } if length > 200_000));
}

#[test]
fn nothing_is_stored_while_recording_is_off_and_responses_are_the_same() {
    let watched = start_watched(
        Setup::new().at("2026-01-05T09:00:00Z").seed(json!({ "lists": [seeds::filled_list(LIST, "VIP", 3)] })),
    );
    let ask = || {
        let requests =
            ["/contacts/v1/lists/", "/contacts/v1/lists/", "/nowhere", "/s/nocode", "/contacts/v1/optouts?channel=x"];
        requests.map(|target| {
            let answer = watched.api.get(target);
            let mut body = answer.body.clone();
            if answer.status >= 400 {
                // Each error has its own trace ID.
                body.clear();
            }
            let headers: Vec<_> = answer.headers.iter().filter(|(name, _)| name != "date").cloned().collect();
            (answer.status, headers, body)
        })
    };
    let recorded = ask();
    assert_eq!(watched.journal.read_page(None, 9, |_| true).matching, 5);
    watched.journal.set_recording(false);
    watched.journal.clear();
    assert_eq!(ask(), recorded);
    assert_eq!(watched.journal.read_page(None, 9, |_| true).matching, 0);
    watched.journal.set_recording(true);
    watched.api.get("/contacts/v1/lists/").expect(200);
    assert_eq!(watched.last_exchange().id, 6, "numbers go on");
}

#[test]
fn a_line_can_be_sent_again_with_curl() {
    let watched = start_watched(Setup::new());
    let name = json!({ "name": "Ada's \"VIP\" $HOME `x` \\ é" });
    watched.api.post("/contacts/v1/lists/create", &name).expect(200);
    let line = to_curl(&watched.last_exchange(), watched.api.url());
    // A shell turns both lines into the same words.
    let script =
        format!("curl() {{ for word in \"$@\"; do printf '%s\\n' \"$word\"; done; }}\nROOST_API_KEY=a-key\n{line}");
    let output = std::process::Command::new("sh").args(["-c", &script]).output().unwrap();
    let stdout = String::from_utf8(output.stdout).unwrap();
    let words: Vec<_> = stdout.lines().collect();
    let url = format!("{}/contacts/v1/lists/create", watched.api.url());
    assert_eq!(
        words,
        [
            "-X",
            "POST",
            &url,
            "-H",
            "X-AUTH-KEY: a-key",
            "-H",
            "content-type: application/json",
            "--data-raw",
            &name.to_string()
        ]
    );
    assert!(Duration::from_micros(watched.last_exchange().micros) < Duration::from_secs(30));
}
