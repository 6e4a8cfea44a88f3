//! The bounds of what callers may hold. A caller that takes more than a share leaves room for all others.

use std::{
    fs,
    io::{Read as _, Write as _},
    net::{TcpListener, TcpStream},
    thread,
    time::{Duration, Instant},
};

use roost_tests::{Request, Spawned, seeds, until};
use serde_json::{Value, json};

/// Far above the time that each request needs, and far below the time that it needed while a stalled reader held the
/// account.
const SOON: Duration = Duration::from_secs(5);

fn resident_mib(server: &Spawned) -> u64 {
    memory_mib(server, "VmRSS:")
}

pub(crate) fn memory_mib(server: &Spawned, which: &str) -> u64 {
    process_status(server, which) / 1_024
}

/// Returns a number from the system's information about the process.
pub(crate) fn process_status(server: &Spawned, which: &str) -> u64 {
    let status = fs::read_to_string(format!("/proc/{}/status", server.pid())).expect("a process");
    let line = status.lines().find_map(|line| line.strip_prefix(which)).expect("a line");
    line.split_whitespace().next().and_then(|number| number.parse().ok()).expect("a number")
}

fn read_metric(server: &Spawned, line: &str) -> u64 {
    let text = server.admin().get("/__admin/metrics").expect(200).text();
    let found = text.lines().find_map(|one| one.strip_prefix(line)).unwrap_or_else(|| panic!("no {line} in {text}"));
    found.trim().parse().expect("a number")
}

fn run_within<T>(what: &str, act: impl FnOnce() -> T) -> T {
    let begun = Instant::now();
    let done = act();
    assert!(begun.elapsed() < SOON, "{what} took {:?}", begun.elapsed());
    done
}

fn send_head(server: &Spawned, head: &str) -> TcpStream {
    let mut line = TcpStream::connect(server.address()).expect("listening");
    line.set_read_timeout(Some(Duration::from_secs(30))).expect("a time-out");
    line.write_all(head.as_bytes()).expect("sent");
    line
}

/// Creates a list whose contacts take 15 megabytes in one response, more than the buffers of a connection hold.
fn fill_list(server: &Spawned) -> Value {
    let client = server.client();
    let list = client.post("/contacts/v1/lists/create", &json!({ "name": "Long" })).ok()["uid"].clone();
    let text = "x".repeat(500);
    let contact = |n| json!({ "phone_number": seeds::mobile(n), "field_1": text, "field_2": text, "field_3": text });
    let contacts: Vec<Value> = (0..1_000).map(contact).collect();
    let body = json!({ "list_id": list, "merge_type": "allowDuplicates", "contacts": contacts });
    for _ in 0..9 {
        let answer = client.post("/contacts/v1/contacts", &body);
        assert!(answer.status < 300, "{}", answer.status);
    }
    let path = format!("/contacts/v1/contacts/list/{}?page_size=1&page_number=1", list.as_str().expect("a uid"));
    until("all are there", || (client.get(&path).json()["paging"]["total_items"] == 9_000).then_some(()));
    list
}

/// Proves: G3_2_8.
#[test]
fn readers_who_do_not_read_stop_nobody_and_give_their_memory_back() {
    let server = Spawned::start(["--limits", "off", "--bound", "answer-bytes=60000000"]);
    let list = fill_list(&server);
    let list = list.as_str().expect("a uid");
    let before = resident_mib(&server);
    let head = format!("GET /contacts/v1/contacts/list/{list} HTTP/1.1\r\nhost: localhost\r\nx-auth-key: k\r\n\r\n");
    let readers: Vec<TcpStream> = (0..200).map(|_| send_head(&server, &head)).collect();
    until("answers wait for their readers", || {
        (read_metric(&server, "roost_bound_in_use{name=\"answer-bytes\"}") > 30_000_000).then_some(())
    });
    for n in 0..20 {
        run_within("a write", || {
            server.client().post("/contacts/v1/lists/create", &json!({ "name": format!("L{n}") }))
        });
        run_within("a health check", || server.client().get("/livez").expect(200));
        run_within("the operator", || server.admin().get("/__admin/metrics").expect(200));
    }
    assert!(read_metric(&server, "roost_bound_in_use{name=\"answer-bytes\"}") <= 60_000_000);
    assert!(resident_mib(&server) < before + 200, "{} after {before} MiB", resident_mib(&server));
    drop(readers);
    until("the room is given back", || {
        (read_metric(&server, "roost_bound_in_use{name=\"answer-bytes\"}") == 0).then_some(())
    });
    assert!(resident_mib(&server) < before + 100, "{} after {before} MiB", resident_mib(&server));
    let whole = server.client().get(format!("/contacts/v1/contacts/list/{list}")).expect(200).json();
    assert_eq!(whole["items"].as_array().map(Vec::len), Some(9_000));
}

/// Proves: G3_2_8.
#[test]
fn bodies_under_way_share_one_bound() {
    let server = Spawned::start(["--limits", "off", "--bound", "body-bytes=83886080"]);
    let before = resident_mib(&server);
    let head = "POST /contacts/v1/contacts HTTP/1.1\r\nhost: localhost\r\nx-auth-key: k\r\n\
                content-type: application/json\r\ncontent-length: 60000000\r\n\r\n";
    let part = vec![b' '; 10_000_000];
    let senders: Vec<TcpStream> = (0..12)
        .map(|_| {
            let mut line = send_head(&server, head);
            line.set_write_timeout(Some(Duration::from_millis(100))).expect("a time-out");
            // Data that the server does not accept stays with the caller.
            let _ = line.write_all(&part);
            line
        })
        .collect();
    assert!(read_metric(&server, "roost_bound_in_use{name=\"body-bytes\"}") > 30_000_000);
    for _ in 0..20 {
        run_within("a read", || server.client().get("/contacts/v1/lists/").expect(200));
        run_within("a health check", || server.client().get("/livez").expect(200));
    }
    assert!(resident_mib(&server) < before + 200, "{} after {before} MiB", resident_mib(&server));
    drop(senders);
    until("the room is given back", || {
        (read_metric(&server, "roost_bound_in_use{name=\"body-bytes\"}") == 0).then_some(())
    });
    server.client().post("/contacts/v1/lists/create", &json!({ "name": "after" })).ok();
}

const SENDERS: &str = "GET /assets/v1/senders/ HTTP/1.1\r\nhost: localhost\r\nx-auth-key: k\r\n\r\n";

fn hang_rule() -> Value {
    json!({ "name": "slow", "match": { "operation": "senders.query" }, "effect": { "line": "hang" } })
}

/// Requests that the server itself delays are never ended, so they can take all connections except the operator's.
///
/// Proves: G3_2_8.
#[test]
fn connections_leave_room_for_the_operator() {
    let server = Spawned::start(["--limits", "off", "--bound", "connections=64"]);
    let made = server.admin().post("/__admin/worlds", &json!({ "name": "other" })).expect(201).json();
    server.admin().post("/__admin/faults/rules", &hang_rule()).expect(201);
    let mut held = vec![send_head(&server, SENDERS)];
    until("one is held", || (count_waits(&server) == 1).then_some(()));
    let drain = format!(
        "POST /__admin/reset?mode=drain HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {}\r\n\r\n",
        server.admin_token()
    );
    // A drain ends after five seconds. A request that comes too late on a busy machine is sent again.
    until("all is asked while the world is shut", || {
        let begun = Instant::now();
        held.push(send_head(&server, &drain));
        until("the world is shut", || {
            held.extend((0..40).map(|_| send_head(&server, SENDERS)));
            (read_metric(&server, "roost_bound_in_use{name=\"connections\"}") > 32).then_some(())
        });
        run_within("a health check", || server.client().get("/livez").expect(200));
        let interface = run_within("the interface", || server.client().get("/contacts/v1/lists/"));
        let own = server.client().with_token(made["admin_token"].as_str().expect("a token"));
        let own = run_within("a world's token", || own.get("/__admin/worlds/other/info"));
        if begun.elapsed() > Duration::from_secs(4) {
            return None;
        }
        let response = interface.expect(503).json();
        assert_eq!(response["error"]["code"], "busy", "{response}");
        let response = own.expect(503).json();
        assert!(
            response["error"]["message"].as_str().is_some_and(|text| text.contains("server's admin token")),
            "{response}"
        );
        Some(())
    });
    drop(held);
    until("there is room again", || (server.client().get("/contacts/v1/lists/").status == 200).then_some(()));
}

fn count_waits(server: &Spawned) -> u64 {
    read_metric(server, "roost_bound_in_use{name=\"waits\"}")
}

/// Every route that waits or whose response has no end.
///
/// Proves: G3_2_8.
#[test]
fn waits_leave_room_for_everybody() {
    let server = Spawned::start(["--limits", "off", "--journal", "on", "--bound", "connections=64"]);
    let document = server.admin().get("/__admin/openapi.json").expect(200).json();
    let mut routes = vec![("GET", "/__console/changes".to_owned(), "")];
    let described = document["paths"].as_object().expect("paths").iter();
    let both = described.flat_map(|one| ["/__admin", "/__admin/worlds/default"].map(|server| (server, one)));
    for (server, (path, methods)) in both {
        let path = format!("{server}{}", path.replace("/{hook}", "/inbox"));
        let get = &methods["get"];
        let names = get["parameters"].as_array().into_iter().flatten().filter_map(|one| one["name"].as_str());
        if names.clone().any(|name| name == "wait") {
            let query = if path.ends_with("/requests") { "filter=rule:never&wait=60s" } else { "wait=60s" };
            routes.push(("GET", format!("{path}?{query}"), ""));
        } else if get["responses"]["200"]["content"]["text/event-stream"].is_object() {
            routes.push(("GET", path.clone(), ""));
        }
        if path.ends_with("/journal/verify") {
            routes.push(("POST", path, r#"{"match":{"path":"/never"},"timeout": "60000ms"}"#));
        }
    }
    assert!(routes.len() >= 9, "{routes:?}");
    for (method, path, body) in routes {
        let (token, length) = (server.admin_token(), body.len());
        let request = format!(
            "{method} {path} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {token}\r\n\
             content-length: {length}\r\n\r\n{body}"
        );
        let mut held: Vec<TcpStream> = (0..9).map(|_| send_head(&server, &request)).collect();
        let refused = until(&path, || {
            held.iter_mut().find_map(|line| {
                line.set_read_timeout(Some(Duration::from_millis(20))).expect("a time-out");
                let mut start = [0; 2_048];
                let read = line.read(&mut start).unwrap_or(0);
                let head = String::from_utf8_lossy(&start[..read]).into_owned();
                head.starts_with("HTTP/1.1 503").then_some(head)
            })
        });
        assert!(refused.contains("--bound waits=N"), "{path}: {refused}");
        assert!(count_waits(&server) <= 8, "{path}");
        run_within(&path, || server.client().get("/contacts/v1/lists/").expect(200));
        run_within(&path, || server.client().get("/livez").expect(200));
        drop(held);
        until("the waits end", || (count_waits(&server) == 0).then_some(()));
    }
}

/// Proves: G3_2_8.
#[test]
fn answers_that_a_fault_holds_back_take_a_share() {
    let server = Spawned::start(["--limits", "off", "--bound", "connections=64"]);
    for effect in [
        json!({ "line": "hang" }),
        json!({ "latency": { "fixed": "60000ms" } }),
        json!({ "body": { "trickle": { "bytes_per_second": 1 } } }),
    ] {
        let rule = json!({ "name": "slow", "match": { "operation": "senders.query" }, "effect": effect });
        server.admin().post("/__admin/faults/rules", &rule).expect(201);
        let held: Vec<TcpStream> = (0..8).map(|_| send_head(&server, SENDERS)).collect();
        until("they are held", || (count_waits(&server) == 8).then_some(()));
        let response = run_within("one more", || server.client().get("/assets/v1/senders/").expect(503).json());
        let message = response["error"]["message"].as_str().unwrap_or_default();
        assert!(message.contains("fault rule slow") && message.contains("8 requests are waiting"), "{response}");
        for _ in 0..20 {
            run_within("another request", || server.client().get("/contacts/v1/lists/").expect(200));
        }
        drop(held);
        until("the waits end", || (count_waits(&server) == 0).then_some(()));
        server.admin().delete("/__admin/faults/rules/slow").expect(204);
    }
}

/// The largest possible queries, each in its own way: by its text, its content, or its compiled form.
///
/// Proves: G3_2_8.
#[test]
fn no_query_of_the_journal_takes_more_than_its_share() {
    let server = Spawned::start(["--journal", "on", "--limits", "off"]);
    for n in 0..100 {
        server.client().post("/contacts/v1/lists/create", &json!({ "name": format!("{n}{}", "x".repeat(60_000)) }));
    }
    let before = memory_mib(&server, "VmHWM:");
    let words: Vec<String> = (0..300_000).map(|n| format!("w{n}")).collect();
    let (some, most) = (words[..20_000].to_vec(), words[..300].join("|"));
    let patterns: Vec<Value> = (0..5_000).map(|n| json!({ "matches": format!(r"\w{{{}}}", n % 20 + 1) })).collect();
    let orders: Vec<Value> = patterns.iter().map(|pattern| json!({ "path": pattern })).collect();
    let ones = format!("{{\"match\":[{}1]}}", "1,".repeat(5_000_000));
    let queries = [
        ("words in an expression", 413, json!({ "match": { "path": { "matches": words.join("|") } } }).to_string()),
        ("a long expression", 400, json!({ "match": { "path": { "matches": some.join("|") } } }).to_string()),
        ("a large expression", 400, json!({ "match": { "path": { "matches": r"\w{900}" } } }).to_string()),
        ("many expressions", 400, json!({ "match": { "body": patterns } }).to_string()),
        ("many values", 413, ones),
        ("words in a list", 200, json!({ "match": { "path": { "in": some } } }).to_string()),
        (
            "a slow expression",
            200,
            json!({ "match": { "body": { "matches": format!("(.*x)+({most})") } } }).to_string(),
        ),
    ];
    for (what, status, query) in &queries {
        let send = |path: &str| server.admin().send(Request::post(path).json_text(query.clone()));
        let answers = thread::scope(|scope| {
            let path = |n: usize| ["/__admin/journal/count", "/__admin/journal/find"][n % 2];
            let sent: Vec<_> = (0..4).map(|n| scope.spawn(move || send(path(n)))).collect();
            run_within(what, || server.client().get("/livez").expect(200));
            sent.into_iter().map(|one| one.join().expect("an answer")).collect::<Vec<_>>()
        });
        for answer in answers {
            assert!([*status, 503].contains(&answer.status), "{what}: {}", answer.shown());
            assert!(answer.status == 200 || answer.body.len() < 1_000, "{what}: {}", answer.shown());
        }
        let verified = send("/__admin/journal/verify");
        assert!([*status, 406].contains(&verified.status), "{what}: {}", verified.shown());
    }
    let orders = json!({ "order": true, "match": orders });
    server.admin().post("/__admin/journal/verify", &orders).expect(400);
    let peak = memory_mib(&server, "VmHWM:");
    assert!(peak < before + 150, "{peak} after {before} MiB");
    assert_eq!(read_metric(&server, "roost_bound_in_use{name=\"query-bytes\"}"), 0);
    let rule = |words: &[String]| json!({ "match": { "headers": { "x-word": { "in": words } } }, "effect": { "status": 500 } });
    let armed: Vec<u16> =
        (0..6).map(|_| server.admin().post("/__admin/faults/rules", &rule(&words[..20_000])).status).collect();
    assert_eq!(armed, [201, 201, 201, 409, 409, 409], "the matchers of all rules share a bound, too");
}

/// Proves: G3_2_8.
#[test]
fn worlds_have_a_bound() {
    let server = Spawned::start(["--bound", "worlds=20"]);
    let make = || server.admin().post("/__admin/worlds", &json!({}));
    for _ in 0..20 {
        make().expect(201);
    }
    let response = make().expect(409).json();
    assert!(response["error"]["hint"].as_str().is_some_and(|hint| hint.contains("--bound worlds=N")), "{response}");
    let first =
        server.admin().get("/__admin/worlds?page_size=1000").items()[1]["id"].as_str().expect("a name").to_owned();
    server.admin().delete(format!("/__admin/worlds/{first}")).expect(204);
    make().expect(201);
}

/// Proves: G3_2_8.
#[test]
fn a_receiver_that_hangs_holds_up_no_callback_of_another() {
    let server = Spawned::start(["--limits", "off"]);
    let client = server.client();
    let list = client.post("/contacts/v1/lists/create", &json!({ "name": "L" })).ok()["uid"].clone();
    let hole = TcpListener::bind("127.0.0.1:0").expect("a port");
    let job = |url: String, n: usize| {
        let body = json!({
            "list_id": list, "merge_type": "skipDuplicates", "callback_url": url,
            "contacts": [{ "phone_number": seeds::mobile(n) }],
        });
        client.post("/contacts/v1/contacts", &body)
    };
    let first = job(format!("http://{}/", hole.local_addr().expect("bound")), 0);
    assert!(first.status < 300, "{}", first.shown());
    for n in 1..100 {
        job(format!("http://{}/", hole.local_addr().expect("bound")), n);
    }
    let own = format!("{}/__hook/own", server.url());
    job(own, 100);
    run_within("a callback to another receiver", || {
        until("it came", || {
            let calls = server.admin().get("/__admin/hooks/own");
            (calls.status == 200 && calls.json()["items"].as_array().is_some_and(|all| !all.is_empty())).then_some(())
        });
    });
}

/// The request is refused before its body is read. The caller receives the reason and may continue.
///
/// Proves: G3_2_8.
#[test]
fn a_refused_request_with_a_body_leaves_the_connection_usable() {
    let server = Spawned::start(["--auth", "keys", "--set", "auth.keys=right"]);
    let mut line = TcpStream::connect(server.address()).expect("listening");
    line.set_read_timeout(Some(Duration::from_secs(10))).expect("a time-out");
    let body = format!("{{\"name\":\"{}\"}}", "x".repeat(2_000));
    line.set_nodelay(true).expect("an option");
    let mut answer = [0; 4_096];
    for n in 0..100 {
        let head = format!(
            "POST /contacts/v1/lists/create HTTP/1.1\r\nhost: localhost\r\nx-auth-key: wrong\r\n\
             content-type: application/json\r\ncontent-length: {}\r\n\r\n",
            body.len()
        );
        // Many clients send the head first and the body after it.
        line.write_all(head.as_bytes()).and_then(|()| line.flush()).expect("the head");
        std::thread::yield_now();
        line.write_all(body.as_bytes()).unwrap_or_else(|why| panic!("request {n}: {why}"));
        let read = line.read(&mut answer).expect("an answer");
        assert!(answer[..read].starts_with(b"HTTP/1.1 401"), "{n}: {}", String::from_utf8_lossy(&answer[..read]));
    }
    // A long body is not read. The response says that the connection ends, and it arrives.
    let mut line = TcpStream::connect(server.address()).expect("listening");
    line.set_read_timeout(Some(Duration::from_secs(10))).expect("a time-out");
    let head = "POST /contacts/v1/contacts HTTP/1.1\r\nhost: localhost\r\nx-auth-key: wrong\r\n\
                content-length: 20000000\r\n\r\n";
    line.write_all(head.as_bytes()).expect("the head");
    line.write_all(&vec![b' '; 20_000_000]).expect("the body");
    let mut response = String::new();
    line.read_to_string(&mut response).expect("an answer and an end");
    assert!(
        response.starts_with("HTTP/1.1 401") && response.to_lowercase().contains("connection: close"),
        "{response}"
    );
    let _: Value = serde_json::from_str(response.split("\r\n\r\n").nth(1).expect("a body")).expect("JSON");
    // A caller that asks before it sends the body is answered at once.
    let mut line = TcpStream::connect(server.address()).expect("listening");
    line.set_read_timeout(Some(Duration::from_secs(10))).expect("a time-out");
    let head = "POST /contacts/v1/contacts HTTP/1.1\r\nhost: localhost\r\nx-auth-key: right\r\n\
                content-type: application/json\r\nexpect: 100-continue\r\ncontent-length: 70000000\r\n\r\n";
    line.write_all(head.as_bytes()).expect("the head");
    let read = line.read(&mut answer).expect("an answer");
    assert!(answer[..read].starts_with(b"HTTP/1.1 413"), "{}", String::from_utf8_lossy(&answer[..read]));
}
