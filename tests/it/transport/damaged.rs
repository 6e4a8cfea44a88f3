//! Every reader of bytes from outside with hundreds of damaged inputs. They are always the same, so that a failure can be
//! reproduced. `make fuzz` calls the same readers for as long as desired and is guided by coverage. The readers of sheets
//! have such a test in their own crate.

#[path = "../../fuzz/mutations.rs"]
mod mutations;
#[path = "../../fuzz/server.rs"]
mod server;
#[path = "../../fuzz/texts.rs"]
mod texts;

use std::fs;

use mutations::{read_damaged, write_seeds};
use roost_emulator::admin_routes;
use roost_tests::seeds;
use serde_json::json;
use texts::BETWEEN_PARTS;

/// Pieces that have a meaning for some reader.
const WORDS: [&[u8]; 40] = [
    b"\"",
    b"{",
    b"}",
    b"[",
    b"]",
    b":",
    b",",
    b"null",
    b"true",
    b"-1",
    b"1e999",
    b"18446744073709551616",
    b"\\ud800",
    b"\\u0000",
    b"\0",
    b"\xff",
    b"\n",
    b"\r\n",
    b"\t",
    b" ",
    b"%00",
    b"%ff",
    b"%",
    b"+",
    b"&",
    b"=",
    b"?",
    b"/",
    b"../",
    b"//",
    b"#",
    b"@",
    b"*",
    b"\xc3\xa9",
    b"\xe2\x80\x8f",
    b"+44 7700 900001",
    b"2026-02-30T24:00:00Z",
    b"500ms",
    b"LST_36AbCdEfGhIjKlMnOpQrStUvWx0",
    b"https://[::1]:443/",
];

/// The documented requests and answers of the interface.
const SAMPLES: &str = include_str!("../../fixtures/wire-samples.txt");

/// Returns each documented request: method, target and body.
fn sample_requests() -> impl Iterator<Item = (&'static str, &'static str, &'static str)> {
    let is_request = |line: &&str| ["GET ", "POST ", "DELETE "].iter().any(|method| line.starts_with(method));
    SAMPLES.lines().filter(is_request).map(|line| {
        let (method, rest) = line.split_once(' ').unwrap();
        let (target, body) = rest.split_once(' ').unwrap_or((rest, ""));
        (method, target, body)
    })
}

/// Returns each documented answer: status and body.
fn sample_answers() -> impl Iterator<Item = (&'static str, &'static str)> {
    let answers = SAMPLES.lines().filter(|line| line.starts_with(|first: char| first.is_ascii_digit()));
    answers.map(|line| line.split_once(' ').unwrap_or((line, "")))
}

fn owned(texts: &[&str]) -> Vec<Vec<u8>> {
    texts.iter().map(|text| text.as_bytes().to_vec()).collect()
}

fn spelling_seeds() -> Vec<Vec<u8>> {
    let id = seeds::id("LST_", "1");
    owned(&[
        "+44 7700 900001",
        "Ann: (0)7700 900-001 (mobile) ext. 5",
        "0044 7700 900001; 07700 900002 / 07700 900003",
        "4.477E+11",
        "en_GB.UTF-8",
        "United Kingdom",
        "2026-01-05T09:00:00Z",
        "2026-01-05 09:00:00",
        "31/12/2026 12:00 AM",
        "29 Feb",
        "Lovelace, Dr. Ada",
        "van der Berg, Prof. Dr. med. J.",
        "firstName",
        "ada@example.com",
        "ada@exmaple,com",
        "https://shop.example/a?b=c&utm_source=d#e",
        "* Family ::: STOP, vip; opt-out: no",
        "(?i)^(a+)+$|[\\d]{2,}",
        "field_12",
        "lists.updated_at, jobs",
        "number,channel\n\"+447700900001\",SMS\n;\t|",
        id.as_str(),
    ])
}

fn setting_seeds() -> Vec<Vec<u8>> {
    owned(&[
        "auth\nkeys",
        "auth.keys\nk-0123456789abcdef:lists,contacts",
        "limits\noff",
        "limit.contacts\n10/s",
        "contacts.create\n/v2/{list_uid}/contacts",
        "lists.delete\n/v2/lists/{list_uid}",
        "X-AUTH-KEY\n1d2h",
        "short_link_base\nhttps://sl.example/s",
        "a\nhttp://user:pass@[::1]:8080/base/?q#f",
        "{\"format\":\"roost fidelity check\",\"version\":1,\"rows\":[]}",
    ])
}

fn filter_seeds() -> Vec<Vec<u8>> {
    owned(&[
        r#"{"all":[{"field":"firstname","is":"contains","value":"a"},{"not":{"field":"city","blank":true}}]}"#,
        r#"{"any":[{"field":"created_at","is":"before","value":"2026-01-05"},{"field":"field_1","one_of":["a",null]}]}"#,
        r#"{"opted_out":{"channel":"SMS","scope":"account"}}"#,
        r#"{"operation":"contacts.create","method":"POST","status":"4xx","body":{"contacts":[{"phone_number":{"matches":"^\\+44"}}]}}"#,
        r#"[{"path":{"contains":"lists"},"header":{"x-auth-key":{"absent":true}}},{"query":{"page_number":"1"}}]"#,
        "operation:contacts status:4xx path:/contacts/* -method:GET \"text\"",
        r#"{"firstname":1,"field_3":2,"nothing":3}"#,
    ])
}

fn query_seeds() -> Vec<Vec<u8>> {
    let split = |(method, target, _): (&str, &str, &str)| {
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        format!("{method}\n{path}\n{query}").into_bytes()
    };
    sample_requests().map(split).collect()
}

fn body_seeds() -> Vec<Vec<u8>> {
    let bodies = sample_requests().map(|(_, _, body)| body).filter(|body| !body.is_empty());
    bodies.map(|body| body.as_bytes().to_vec()).collect()
}

fn account_seed() -> String {
    json!({
        "senders": [{ "name": "AcmeShop" }],
        "assets": [seeds::sms_asset("A", "+447700900100")],
        "custom_fields": [{ "number": 1, "label": "Size" }, "Colour"],
        "lists": [seeds::filled_list(&seeds::id("LST_", "1"), "Guests", 3), { "name": "Empty", "contacts": [] }],
        "opt_outs": [seeds::opt_out("+447700900003", "SMS", "2026-01-05T09:00:00Z")],
        "short_links": [{ "title": "Spring", "target_url": "https://shop.example/", "tags": ["a"] }],
    })
    .to_string()
}

fn seed_seeds() -> Vec<Vec<u8>> {
    let lines = "{\"resource\":\"lists\",\"uid\":\"LST_36AbCdEfGhIjKlMnOpQrStUvWx0\",\"name\":\"A\"}\n\
        {\"resource\":\"contacts\",\"list_uid\":\"LST_36AbCdEfGhIjKlMnOpQrStUvWx0\",\"phone_number\":\"+447700900001\"}\n";
    let yaml = "# A shop.\nsenders:\n  - name: AcmeShop\nlists:\n  - name: \"Guests\"\n    contacts:\n\
        \x20     - {phone_number: '+447700900001', firstname: Ada}\n";
    owned(&[account_seed().as_str(), lines, yaml, "{}"])
}

fn recording_seeds() -> Vec<Vec<u8>> {
    let line = json!({
        "direction": "in", "method": "POST", "url": "/w/a/contacts/v1/lists/create?x=1", "status": 200,
        "meant": { "status": 503, "body": { "state": "none", "text": "", "bytes": 0 } },
        "request": {
            "headers": [["x-auth-key", "any…"], ["content-type", "application/json"]],
            "body": { "state": "whole", "text": "{\"name\":\"A\"}", "bytes": 12 },
        },
        "response": { "headers": [], "body": { "state": "cut", "text": "{", "bytes": 2 } },
    });
    let entry = json!({
        "request": {
            "method": "GET", "url": "http://127.0.0.1:4010/w/a/contacts/v1/lists/?page_number=1#d", "bodySize": 2,
            "postData": { "text": "{}" },
            "headers": [
                { "name": "X-Auth-Key", "value": "any…" },
                { "name": "Content-Type", "value": "application/json; charset=utf-8" },
            ],
        },
        "response": { "status": 401, "content": { "size": 2, "text": "{}", "encoding": "" } },
        "comment": "1 callback; rule slow",
    });
    let archive = json!({ "log": { "version": "1.2", "entries": [&entry, &entry] } });
    let page = json!({ "items": [&line, &line], "epoch": 0 });
    let lines = format!("{line}\n{line}\n");
    owned(&[
        archive.to_string().as_str(),
        page.to_string().as_str(),
        json!([line]).to_string().as_str(),
        lines.as_str(),
    ])
}

fn answer_seeds() -> Vec<Vec<u8>> {
    let joined = |(status, body): (&str, &str)| {
        [status.as_bytes(), b"3", b"Mon, 05 Jan 2026 09:00:00 GMT", body.as_bytes()].join(&BETWEEN_PARTS)
    };
    let page = b"<!DOCTYPE html><html><body><h1>502 Bad Gateway</h1></body></html>";
    let proxy = [b"502".as_slice(), b"", b"", page].join(&BETWEEN_PARTS);
    sample_answers().map(joined).chain([proxy]).collect()
}

/// Places in the head of a file and of its log, in the first pages and anywhere, and an end.
fn account_seeds() -> Vec<Vec<u8>> {
    vec![
        vec![0, 0, 0, 16, 2, 0x08, 0x00],
        vec![0, 0, 0, 18, 2, 9, 9],
        vec![0, 0, 0, 60, 8, 0, 0, 0, 99, 0, 0, 0, 0],
        vec![0, 0, 0, 100, 8, 13, 0, 0, 255, 255, 0, 0, 0],
        vec![0, 1, 0, 0, 4, 0xff, 0xff, 0xff, 0xff, 0, 2, 0x10, 5, 3, 1, 2, 3],
        vec![1, 0, 0, 0, 4, 1, 2, 3, 4],
        vec![1, 0, 0, 40, 8, 1, 2, 3, 4, 5, 6, 7, 8],
        vec![2, 0, 0x20, 0, 128],
        vec![1, 0, 0x10, 0, 128],
        vec![4, 0, 0x30, 0, 31, b'C', b'R', b'E', b'A', b'T', b'E'],
    ]
}

fn sealed_key_seeds() -> Vec<Vec<u8>> {
    let numbers: [u32; 4] = [1, 64, 1, 1];
    let numbers = numbers.iter().flat_map(|number| number.to_le_bytes());
    let file: Vec<u8> = b"ROOSTKEY".iter().copied().chain(numbers).chain((0..72).map(|byte| byte * 3)).collect();
    vec![file]
}

fn command_seeds() -> Vec<Vec<u8>> {
    let page = json!({ "page_number": 1, "page_size": 50, "sort_by": "name", "sort_order": "ASC", "name": null });
    let entry = json!({ "number": "07700 900001", "channels": ["SMS", "WHATSAPP"], "asset": null });
    let commands = [
        ("list_create", json!({ "name": "Guests" })),
        ("list_page", page),
        ("opt_out_add", json!({ "entries": [entry], "reason": "Asked by mail", "region": "GB" })),
        ("opt_out_check", json!({ "lookup": null, "numbers": ["07700 900001", "x"], "region": null })),
        (
            "opt_out_import_preview",
            json!({ "text": "number\tchannel\n07700 900001\tSMS", "region": "GB", "channels": [], "columns": null }),
        ),
        ("number_read", json!({ "text": "07700 900001", "region": null, "contact": null })),
        ("search_everything", json!({ "text": "Ada", "noun": null, "after": null, "limit": 5 })),
        ("account_country", json!({ "numbers": ["+1 202 555 0123"] })),
        ("custom_field_add", json!({ "label": "Size" })),
        ("sender_request", json!({ "name": "AcmeShop" })),
        ("history_undo", json!({ "step": null })),
    ];
    let lines = commands.map(|(name, request)| format!("{name} {request}"));
    lines.iter().map(|line| line.clone().into_bytes()).chain([lines.join("\n").into_bytes()]).collect()
}

/// Every documented request, and every route of the operator.
fn request_seeds() -> Vec<Vec<u8>> {
    let join = |method: &str, target: &str, body: &str| {
        [method.as_bytes(), target.as_bytes(), b"accept: application/json", body.as_bytes()].join(&BETWEEN_PARTS)
    };
    // The samples have identifiers of their own; those of the account are found.
    let known = |text: &str| text.replace("OpQrStUvWx1", "OpQrStUvWx0").replace("OpQrStUvWx2", "OpQrStUvWx0");
    let samples = sample_requests().map(|(method, target, body)| join(method, &known(target), &known(body)));
    let routes = admin_routes().iter().filter(|route| !route.path.starts_with("/__admin/worlds/{world}/"));
    let routes = routes.map(|route| {
        let target = route.path.replace("{world}", "default").replace("{resource}", "lists").replace("{other}", "now");
        let target = target.split('{').map(|part| part.split_once('}').map_or(part, |(_, rest)| rest));
        join(route.method, &target.collect::<Vec<_>>().join("1"), "{}")
    });
    let others = [
        ("PUT", "/__admin/seed", account_seed()),
        ("PATCH", "/__admin/settings", json!({ "limits": "off", "auth": "any" }).to_string()),
        (
            "POST",
            "/__admin/faults/rules",
            json!({ "match": { "operation": "lists.create" }, "effect": { "line": "reset" }, "commit": "after" })
                .to_string(),
        ),
        (
            "POST",
            "/__admin/journal/verify",
            json!({ "match": { "status": "4xx" }, "times": { "exactly": 1 } }).to_string(),
        ),
        ("PUT", "/__admin/clock", json!({ "mode": "frozen", "at": "2026-01-05T09:00:00Z" }).to_string()),
        ("PUT", "/__admin/callback_policy", json!({ "template": "{\"id\": \"{{correlation_id}}\"}" }).to_string()),
        ("POST", "/__hook/a", "{}".to_owned()),
        ("GET", "/s/abcdef?recipient=1", String::new()),
        ("GET", "/__admin/requests?operation=contacts.create&status=4xx&wait=1s", String::new()),
        ("GET", "/w/default/contacts/v1/lists/?name=%C3%A9", String::new()),
        ("GET", "/openapi.json", String::new()),
        ("HEAD", "/contacts/v1/lists/", String::new()),
        ("OPTIONS", "/contacts/v1/optouts", String::new()),
    ];
    let others = others.map(|(method, target, body)| join(method, target, &body));
    samples.chain(routes).chain(others).collect()
}

fn connection_seeds() -> Vec<Vec<u8>> {
    let head = "host: 127.0.0.1:4010\r\nx-auth-key: k\r\ncontent-type: application/json\r\n";
    let list = |more: &str, body: &str| {
        format!("POST /contacts/v1/lists/create HTTP/1.1\r\n{head}{more}connection: close\r\n\r\n{body}")
    };
    let first = format!("GET /contacts/v1/lists/ HTTP/1.1\r\n{head}\r\n");
    let second = format!("GET /assets/v1/senders/ HTTP/1.1\r\n{head}connection: close\r\n\r\n");
    let events = format!("GET /__admin/events HTTP/1.1\r\n{head}authorization: Bearer {}\r\n\r\n", server::TOKEN);
    owned(&[
        (first + &second).as_str(),
        list("content-length: 12\r\n", "{\"name\":\"A\"}").as_str(),
        list("transfer-encoding: chunked\r\n", "c\r\n{\"name\":\"A\"}\r\n0\r\n\r\n").as_str(),
        list("expect: 100-continue\r\ncontent-length: 2\r\n", "{}").as_str(),
        events.as_str(),
        "GET / HTTP/1.0\r\n\r\n",
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\u{4}\0\0\0\0\0",
    ])
}

/// Some parts of the head of a world in each, and the first line of a file.
fn world_seeds() -> Vec<Vec<u8>> {
    let parts: Vec<String> = server::arranged_world().0.iter().map(|(name, part)| format!("{name} {part}")).collect();
    let line =
        "line {\"version\":1,\"at\":\"2026-01-05T09:00:00Z\",\"head_bytes\":2,\"data_bytes\":9,\"sha256\":\"00\"}";
    let seeds = parts.chunks(3).map(|some| some.join("\n").into_bytes());
    seeds.chain([line.as_bytes().to_vec()]).collect()
}

/// Returns the reader of this name with its seeds.
fn find_reader(name: &str) -> (texts::ByteReader, Vec<Vec<u8>>) {
    let reader = texts::ALL.into_iter().chain(server::ALL).find(|(other, _)| *other == name).unwrap().1;
    let seeds = match name {
        "spelling" => spelling_seeds(),
        "setting" => setting_seeds(),
        "filter" => filter_seeds(),
        "query" => query_seeds(),
        "body" => body_seeds(),
        "seed" => seed_seeds(),
        "recording" => recording_seeds(),
        "answer" => answer_seeds(),
        "account" => account_seeds(),
        "sealed_key" => sealed_key_seeds(),
        "command" => command_seeds(),
        "request" => request_seeds(),
        "connection" => connection_seeds(),
        "world" => world_seeds(),
        other => panic!("nothing is there to begin with for {other}"),
    };
    (reader, seeds)
}

/// Damaged inputs for each reader, which take a second or two.
macro_rules! each {
    ($($name:ident $times:literal)*) => {
        $(#[test]
        fn $name() {
            let (reader, seeds) = find_reader(stringify!($name));
            read_damaged(stringify!($name), reader, &seeds, &WORDS, $times);
        })*

        #[test]
        fn every_reader_has_a_test_and_a_target() {
            let names: Vec<&str> = texts::ALL.into_iter().chain(server::ALL).map(|(name, _)| name).collect();
            assert_eq!(names, [$(stringify!($name)),*]);
            let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/fuzz");
            let script = fs::read_to_string(format!("{folder}/../tooling/fuzz.sh")).unwrap();
            let manifest = fs::read_to_string(format!("{folder}/Cargo.toml")).unwrap();
            for name in names {
                assert!(script.contains(&format!(" {name}")), "fuzz.sh leaves out {name}");
                assert!(manifest.contains(&format!("name = \"{name}\"")), "no target for {name}");
            }
        }
    };
}

each! {
    spelling 500
    setting 1_000
    filter 1_000
    query 1_000
    body 800
    seed 80
    recording 500
    answer 200
    account 40
    sealed_key 200
    command 60
    request 100
    connection 60
    world 40
}

/// Writes the seeds of cargo fuzz: `FUZZ_SEEDS=folder cargo test -p roost-tests --test it -- --ignored
/// transport::damaged::seeds_are_written`.
#[test]
#[ignore = "writes the files that `make fuzz` begins with"]
fn seeds_are_written() {
    for (name, _) in texts::ALL.into_iter().chain(server::ALL) {
        write_seeds(name, &find_reader(name).1);
    }
}
