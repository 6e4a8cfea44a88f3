//! The attacks by which callers try to exhaust a server.

use std::{
    io::Write as _,
    net::{TcpListener, TcpStream},
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use roost_tests::{seeds, until};
use serde_json::{Value, json};

use super::{ANSWER_BYTES, AttackState, AttackTarget, BODY_BYTES, CONNECTIONS, WORLDS};

/// Every bound is exceeded by this factor.
const TIMES: usize = 10;
/// The maximum number of concurrent callbacks.
const CALLBACKS: usize = 16;
/// The maximum number of concurrent streams of a connection.
const STREAMS: u32 = 256;
/// The time for which an attack is held before it begins again.
const WAVE: Duration = Duration::from_secs(5);

/// Opens this many connections, sends only `bytes` on them, and repeats this after they were held for a while.
fn hold_connections(target: &AttackTarget, until: &AttackState, count: usize, bytes: &[u8]) {
    while !until.is_near() {
        let mut held = Vec::new();
        while held.len() < count && !until.is_near() {
            let Some(mut line) = target.open() else { continue };
            // A server under attack may close the connection.
            let _ = line.write(bytes);
            held.push(line);
        }
        until.hold_until_end(WAVE);
    }
}

/// Creates a list whose contacts take six megabytes in one response, more than the buffers of a connection hold.
pub(super) fn fill_list(target: &AttackTarget) {
    let client = target.server.client();
    let list = client.post("/contacts/v1/lists/create", &json!({ "name": "Long" })).ok()["uid"].clone();
    let text = "x".repeat(500);
    let contact = |n| json!({ "phone_number": seeds::mobile(n), "field_1": text, "field_2": text, "field_3": text });
    let contacts: Vec<Value> = (0..1_000).map(contact).collect();
    let body = json!({ "list_id": list, "merge_type": "allowDuplicates", "contacts": contacts });
    for _ in 0..4 {
        client.post("/contacts/v1/contacts", &body).ok();
    }
    let path = long_list(target) + "?page_size=1&page_number=1";
    until("all are there", || (client.get(&path).json()["paging"]["total_items"] == 4_000).then_some(()));
}

fn long_list(target: &AttackTarget) -> String {
    let lists = target.server.client().get("/contacts/v1/lists/?name=Long").json();
    format!("/contacts/v1/contacts/list/{}", lists["items"][0]["uid"].as_str().expect("a uid"))
}

pub(super) fn attack_with_readers(target: &AttackTarget, until: &AttackState) {
    let request = format!("GET {} HTTP/1.1\r\nhost: localhost\r\nx-auth-key: k\r\n\r\n", long_list(target));
    hold_connections(target, until, (TIMES * ANSWER_BYTES / 6_000_000).max(TIMES * CONNECTIONS), request.as_bytes());
}

pub(super) fn attack_with_bodies(target: &AttackTarget, until: &AttackState) {
    let head = "POST /contacts/v1/contacts HTTP/1.1\r\nhost: localhost\r\nx-auth-key: k\r\n\
                content-type: application/json\r\ncontent-length: 60000000\r\n\r\n";
    let piece = vec![b' '; 1 << 20];
    while !until.is_near() {
        let mut held: Vec<TcpStream> = (0..TIMES * BODY_BYTES / 20_000_000).filter_map(|_| target.open()).collect();
        held.retain_mut(|line| line.write(head.as_bytes()).is_ok());
        let begun = Instant::now();
        while begun.elapsed() < WAVE && !until.is_near() {
            // Data that the server does not accept is offered again.
            for _ in 0..TIMES * BODY_BYTES / (held.len().max(1) * piece.len()) {
                for line in &mut held {
                    let _ = line.write(&piece);
                }
                until.pause_until_end(Duration::from_millis(5));
            }
            until.hold_until_end(Duration::ZERO);
        }
    }
}

pub(super) fn attack_with_heads(target: &AttackTarget, until: &AttackState) {
    let half = format!("GET /contacts/v1/lists/ HTTP/1.1\r\nhost: localhost\r\nx-padding: {}", "x".repeat(30_000));
    hold_connections(target, until, TIMES * CONNECTIONS, half.as_bytes());
}

pub(super) fn attack_with_handshakes(target: &AttackTarget, until: &AttackState) {
    // A handshake record that announces more bytes than it has.
    hold_connections(target, until, TIMES * CONNECTIONS, &[22, 3, 1, 1, 0, 1, 0, 0, 252, 3, 3]);
}

pub(super) fn attack_with_connections(target: &AttackTarget, until: &AttackState) {
    hold_connections(target, until, TIMES * CONNECTIONS, b"");
}

/// Returns the beginning of an HTTP/2 connection in which the window of each stream is empty, with requests for these
/// paths.
fn streams_of<'p>(paths: impl Iterator<Item = &'p str>) -> Vec<u8> {
    let mut bytes = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_vec();
    bytes.extend([0, 0, 6, 4, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0]);
    for (n, path) in (0_u32..).zip(paths) {
        let mut head = vec![0x82, 0x86];
        for (name, value) in [(0x41, "localhost"), (0x44, path)] {
            head.extend([name, u8::try_from(value.len()).expect("short")]);
            head.extend(value.as_bytes());
        }
        head.extend([0x40, 10]);
        head.extend(b"x-auth-key");
        head.extend([1, b'k']);
        bytes.extend([0, 0, u8::try_from(head.len()).expect("short"), 1, 5]);
        bytes.extend((n * 2 + 1).to_be_bytes());
        bytes.extend(head);
    }
    bytes
}

/// Requests every path that needs neither key nor token, over both protocols, without reading the answers. Twice as
/// many connections as allowed are enough, because each of them causes work.
pub(super) fn attack_with_unread_answers(target: &AttackTarget, until: &AttackState) {
    let open = roost_emulator::admin_routes().iter().filter(|route| route.is_open()).map(|route| route.path);
    let paths: Vec<&str> = open.chain(["/openapi.json", "/__console/", "/nowhere"]).collect();
    let pipelined: String =
        paths.iter().map(|path| format!("GET {path} HTTP/1.1\r\nhost: localhost\r\n\r\n")).collect();
    let streams = streams_of(paths.iter().copied());
    let both = [pipelined.as_bytes(), &streams];
    while !until.is_near() {
        let mut held = Vec::new();
        while held.len() < 2 * CONNECTIONS && !until.is_near() {
            let Some(mut line) = target.open() else { continue };
            // A server under attack may close the connection.
            let _ = line.write(both[held.len() % 2]);
            held.push(line);
        }
        until.hold_until_end(WAVE);
    }
}

/// Opens HTTP/2 streams that request much data and accept none.
pub(super) fn attack_with_streams(target: &AttackTarget, until: &AttackState) {
    let count = usize::try_from(STREAMS).expect("few") * TIMES;
    let bytes = streams_of(std::iter::repeat_n("/contacts/v1/lists/", count));
    let whole = Arc::new(bytes);
    while !until.is_near() {
        let mut held: Vec<(TcpStream, usize)> = (0..20).filter_map(|_| target.open()).map(|line| (line, 0)).collect();
        let begun = Instant::now();
        while begun.elapsed() < WAVE && !until.is_near() {
            for (line, sent) in &mut held {
                *sent += line.write(&whole[*sent..]).unwrap_or(0);
            }
            until.hold_until_end(Duration::from_millis(20));
        }
    }
}

pub(super) fn attack_with_worlds(target: &AttackTarget, until: &AttackState) {
    let client = target.new_client();
    while !until.is_near() {
        for _ in 0..TIMES * WORLDS {
            let made = client.post("/__admin/worlds", &json!({})).status;
            assert!([201, 409].contains(&made), "{made}");
        }
        until.hold_until_end(Duration::ZERO);
        for world in client.get("/__admin/worlds?page_size=1000").items() {
            if world["id"] != "default" {
                let id = world["id"].as_str().expect("a name");
                client.delete(format!("/__admin/worlds/{id}")).expect(204);
            }
        }
    }
}

pub(super) fn attack_with_callbacks(target: &AttackTarget, until: &AttackState) {
    let hole = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}/", hole.local_addr().expect("bound"));
    let client = target.server.client();
    let list = client.post("/contacts/v1/lists/create", &json!({ "name": "Callbacks" })).ok()["uid"].clone();
    for n in 0..TIMES * CALLBACKS {
        let body = json!({
            "list_id": list, "merge_type": "skipDuplicates", "callback_url": url,
            "contacts": [{ "phone_number": seeds::mobile(n) }],
        });
        client.post("/contacts/v1/contacts", &body).ok();
    }
    until.hold_until_end(Duration::MAX);
}

pub(super) fn attack_with_queries(target: &AttackTarget, until: &AttackState) {
    let words: Vec<String> = (0..20_000).map(|n| format!("w{n}")).collect();
    let query = json!({ "match": { "path": { "in": words }, "body": { "matches": "(.*x)+(y|z)" } } });
    thread::scope(|scope| {
        // Each query takes a third of the bound.
        for _ in 0..TIMES * 3 {
            scope.spawn(|| {
                let client = target.new_client();
                while !until.is_near() {
                    let status = client.post("/__admin/journal/count", &query).status;
                    assert!([200, 503].contains(&status), "{status}");
                    until.hold_until_end(Duration::ZERO);
                }
            });
        }
    });
}
