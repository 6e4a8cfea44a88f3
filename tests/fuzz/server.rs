//! The door for tools that throw bytes at the server: requests of the interface and of the operator, whole connections,
//! and world files. It answers in this thread and without a port. cargo fuzz (`make fuzz`) and the mutations that run with
//! every test go through the same one.

#![allow(dead_code, reason = "each target of cargo fuzz needs one of these")]

use std::{collections::BTreeMap, sync::OnceLock, time::Duration};

use roost_emulator::{EmbeddedEmulator, Emulator, EmulatorConfig, Journal, Settings, WORLD_MAGIC, interface_document};
use roost_model::time::Timestamp;
use roost_ops::{
    Actor, Core, Ctx, Image,
    ctx::Clock,
    diff::{self, DiffOptions},
    job, seed,
};
use roost_wire::{Operation, RequestPath, Route, find_route};
use serde::de::IgnoredAny;
use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    runtime::{Builder, Runtime},
};

/// A refusal is an answer like another; what must not be is a panic.
pub(crate) type ByteReader = fn(&[u8]);

/// Every reader by its name.
pub(crate) const ALL: [(&str, ByteReader); 3] = [("request", request), ("connection", connection), ("world", world)];

/// Bytes that part what stands for one part of a request from the next; no text has them.
pub(crate) const BETWEEN_PARTS: u8 = 0xff;
/// The token of the operator.
pub(crate) const TOKEN: &str = "a-token-for-these-tests";

/// What the account holds at first.
const SEED: &str = r#"{
    "senders": [{"id": "ssd_36AbCdEfGhIjKlMnOpQrStUvWx0", "name": "AcmeShop", "status": "Verified"}],
    "assets": [{"id": "num_36AbCdEfGhIjKlMnOpQrStUvWx0", "channel": "SMS", "number": "+447700900100", "keywords": ["STOP"]}],
    "lists": [{"uid": "LST_36AbCdEfGhIjKlMnOpQrStUvWx0", "name": "Guests", "contacts": [
        {"uid": "CON_36AbCdEfGhIjKlMnOpQrStUvWx0", "phone_number": "+447700900001", "firstname": "Ada"},
        {"phone_number": "+447700900002", "city": "Bath"}
    ]}],
    "opt_outs": [{"number": "+447700900003", "channel": "SMS", "account_level_opt_out": true, "opt_out_type": "api_import"}],
    "short_links": [{"link_id": "shl_36AbCdEfGhIjKlMnOpQrStUvWx0", "title": "Spring", "target_url": "https://shop.example/"}]
}"#;

/// The beginning of short addresses.
const BASE: &str = "http://127.0.0.1:4010/s";
/// More than an input has.
const BUFFER: usize = 1 << 20;
/// In the time of the server, which passes at once while nothing happens. Streams of events go on for longer.
const PATIENCE: Duration = Duration::from_secs(3_600);

fn new_ctx() -> Ctx {
    Ctx::seeded(Clock::fixed(Timestamp::from_unix(1_767_603_600)), 7)
}

struct TestServer {
    core: Core,
    within: EmbeddedEmulator,
    runtime: Runtime,
}

impl TestServer {
    fn start() -> Self {
        static FILLED: OnceLock<Image> = OnceLock::new();
        let filled = FILLED.get_or_init(|| {
            let core = Core::in_memory(new_ctx()).expect("an account in memory");
            seed::apply(&core, &Actor::operator(), SEED.as_bytes(), BASE).expect("a seed");
            core.image().expect("an image")
        });
        let core = Core::from_image(filled, new_ctx()).expect("an account in memory");
        let mut settings = Settings::default();
        settings.set("limits", "off").expect("a setting");
        let config = EmulatorConfig {
            settings,
            journal: Journal::new_recording(),
            admin_token: Some(TOKEN.to_owned()),
            ..EmulatorConfig::default()
        };
        let runtime =
            Builder::new_current_thread().enable_time().start_paused(true).build().expect("a runtime of one thread");
        let within = {
            let _inside = runtime.enter();
            Emulator::embed(config, core.clone()).expect("an emulator")
        };
        Self { core, within, runtime }
    }

    /// Sends bytes over a connection of their own and returns what comes back.
    fn exchange(&self, bytes: &[u8]) -> Vec<u8> {
        let (mut mine, theirs) = tokio::io::duplex(BUFFER);
        let mut answer = Vec::new();
        self.runtime.block_on(async {
            let asking = async {
                // A server that has had enough closes before it has read everything.
                let _ = mine.write_all(bytes).await;
                let _ = mine.read_to_end(&mut answer).await;
            };
            let both = async { tokio::join!(asking, self.within.serve(theirs)) };
            let _ = tokio::time::timeout(PATIENCE, both).await;
        });
        answer
    }

    /// Has the operator send a request.
    fn operate(&self, method: &str, target: &str, body: &[u8]) -> ServerAnswer {
        let answer = self.exchange(&operator_request(method, target, body));
        let answer = ServerAnswer::parse(&answer).expect("every request has an answer");
        assert_ne!(answer.status, 500, "{method} {target}: {}", String::from_utf8_lossy(&answer.body));
        answer
    }

    /// Exports the world as a file, and returns it with its head and its data.
    fn export_world(&self) -> (Vec<u8>, Map<String, Value>, Vec<u8>) {
        let file = self.operate("GET", "/__admin/export?format=world", b"").body;
        let rest = file.strip_prefix(WORLD_MAGIC).expect("a world file");
        let end = rest.iter().position(|byte| *byte == b'\n').expect("a first line");
        let line: Value = serde_json::from_slice(&rest[..end]).expect("lengths");
        let head = line["head_bytes"].as_u64().and_then(|length| usize::try_from(length).ok()).expect("a length");
        let (head, data) = rest[end + 1..].split_at(head);
        let (head, data) = (serde_json::from_slice(head).expect("parts"), data.to_vec());
        (file, head, data)
    }

    /// Checks that the account holds what it held.
    fn check_unchanged(&self, before: &Image) {
        let after = self.core.image().expect("an image");
        if after != *before {
            let ask = DiffOptions { default_base: BASE.to_owned(), limit: 3, ..DiffOptions::default() };
            let changed = diff::compare_images(before, &after, &ask).expect("compared");
            assert!(changed.is_empty(), "a refused request has changed the account: {changed:?}");
        }
    }

    /// Carries out what was accepted. The account must be whole afterwards.
    fn check_account(&self) {
        while job::run_next(&self.core).expect("a job is carried out").is_some() {}
        assert_eq!(self.core.integrity().expect("checked"), "ok");
    }
}

struct ServerAnswer {
    status: u16,
    /// In small letters.
    head: String,
    body: Vec<u8>,
}

impl ServerAnswer {
    /// Parses the last answer to a request, without the interim ones before it.
    fn parse(bytes: &[u8]) -> Option<Self> {
        let mut rest = bytes;
        loop {
            let end = rest.windows(4).position(|four| four == b"\r\n\r\n")?;
            let (head, body) = rest.split_at(end + 4);
            let head = String::from_utf8_lossy(head).to_ascii_lowercase();
            let status = head.split(' ').nth(1)?.parse::<u16>().ok()?;
            if !(100..200).contains(&status) {
                let is_chunked = head.contains("\r\ntransfer-encoding: chunked");
                return Some(Self { status, head, body: if is_chunked { join_chunks(body) } else { body.to_vec() } });
            }
            rest = body;
        }
    }
}

/// Joins the chunks of a body, up to the end or to where it breaks off.
fn join_chunks(mut rest: &[u8]) -> Vec<u8> {
    let mut body = Vec::new();
    loop {
        let Some(end) = rest.windows(2).position(|two| two == b"\r\n") else { return body };
        let size = std::str::from_utf8(&rest[..end]).ok().and_then(|size| usize::from_str_radix(size, 16).ok());
        let Some(chunk) = size.filter(|size| *size > 0).and_then(|size| rest.get(end + 2..end + 2 + size)) else {
            return body;
        };
        body.extend(chunk);
        rest = rest.get(end + 4 + chunk.len()..).unwrap_or_default();
    }
}

/// The headers that a request has unless it brings its own.
const OWN_HEADERS: [(&str, &str); 4] = [
    ("host", "127.0.0.1:4010"),
    ("x-auth-key", "a-key"),
    ("authorization", "Bearer a-token-for-these-tests"),
    ("content-type", "application/json"),
];
/// The headers that say where a request ends. `connection` has them.
const FRAMING: [&str; 5] = ["connection", "content-length", "expect", "transfer-encoding", "upgrade"];
/// The headers with which an answer is still one of the interface and not of the gate or of a fault.
const PLAIN: [&str; 6] = ["accept", "accept-language", "content-type", "user-agent", "x-auth-key", "x-request-id"];

fn has_name(line: &str, names: &[&str]) -> bool {
    line.split_once(':').is_some_and(|(name, _)| names.iter().any(|known| name.trim().eq_ignore_ascii_case(known)))
}

/// A request in four parts: method, target, headers by lines, and body. It gets an answer that the interface defines, and
/// a refusal leaves the account as it was.
pub(crate) fn request(bytes: &[u8]) {
    let mut parts = bytes.splitn(4, |byte| *byte == BETWEEN_PARTS);
    let mut next = || parts.next().unwrap_or_default();
    let [method, target, headers] = [next(), next(), next()].map(String::from_utf8_lossy);
    let body = next();
    // Otherwise it would be two requests.
    let without_ends = |text: &str| text.replace(|c: char| c.is_ascii_control(), "");
    let (method, target) = (without_ends(&method), without_ends(&target));
    let headers = headers.lines().map(without_ends).filter(|line| !line.trim().is_empty() && !has_name(line, &FRAMING));
    let headers: Vec<String> = headers.collect();
    let mut sent = format!("{method} {target} HTTP/1.1\r\nconnection: close\r\ncontent-length: {}\r\n", body.len());
    let own = OWN_HEADERS.iter().filter(|(name, _)| !headers.iter().any(|line| has_name(line, &[*name])));
    own.for_each(|(name, value)| sent.push_str(&format!("{name}: {value}\r\n")));
    headers.iter().for_each(|line| sent.push_str(&format!("{line}\r\n")));
    let sent = [sent.as_bytes(), b"\r\n", body].concat();

    let server = TestServer::start();
    let before = server.core.image().expect("an image");
    let answer = ServerAnswer::parse(&server.exchange(&sent)).expect("every request has an answer");
    assert_ne!(answer.status, 500, "{}", String::from_utf8_lossy(&answer.body));
    if answer.status >= 400 {
        server.check_unchanged(&before);
        let is_said = answer.body.is_empty() || serde_json::from_slice::<IgnoredAny>(&answer.body).is_ok();
        assert!(is_said, "{}: {}", answer.status, String::from_utf8_lossy(&answer.body));
    } else {
        server.check_account();
    }
    // What is no HTTP never comes to the server itself, whose every answer has this header.
    let is_own = answer.head.contains("\r\nx-content-type-options: nosniff\r\n");
    assert!(is_own || answer.body.is_empty() && answer.status >= 400, "{}", answer.head);
    let is_plain =
        target.starts_with('/') && !target.contains('#') && headers.iter().all(|line| has_name(line, &PLAIN));
    let path = RequestPath::parse(target.split('?').next().unwrap_or_default());
    if let (true, true, Route::Operation { operation, .. }) = (is_own, is_plain, find_route(&method, &path)) {
        check_contract(operation, method == "HEAD", &answer);
    }
}

/// Compares the answer of an operation with the document of the interface.
fn check_contract(operation: &Operation, is_head: bool, answer: &ServerAnswer) {
    static DOCUMENT: OnceLock<Value> = OnceLock::new();
    let document = DOCUMENT.get_or_init(interface_document);
    let (method, status) = (operation.method.as_str().to_ascii_lowercase(), answer.status.to_string());
    let known = &document["paths"][operation.path][method.as_str()]["responses"][status.as_str()];
    assert!(known.is_object(), "{}: {status} is not in the document", operation.name);
    let schema = &known["content"]["application/json"]["schema"];
    if is_head || !schema.is_object() {
        assert!(answer.body.is_empty(), "{}: {status} has a body", operation.name);
        return;
    }
    // A value that is given back may hold half of a surrogate pair, which is JSON and no text.
    if let Ok(body) = serde_json::from_slice::<Value>(&answer.body) {
        assert_eq!(find_fault(document, schema, &body, ""), None, "{}: {status} {body}", operation.name);
    }
}

/// Returns the first place where a value has not the form of its schema. Patterns and formats are not compared.
fn find_fault(document: &Value, schema: &Value, value: &Value, at: &str) -> Option<String> {
    if let Some(reference) = schema["$ref"].as_str() {
        let known = document.pointer(reference.trim_start_matches('#')).expect("a reference leads to a schema");
        return find_fault(document, known, value, at);
    }
    let alternatives = schema["anyOf"].as_array();
    let is_one = alternatives.is_none_or(|all| all.iter().any(|one| find_fault(document, one, value, at).is_none()));
    let is_known = schema["enum"].as_array().is_none_or(|all| all.contains(value));
    let is_it = schema.get("const").is_none_or(|only| only == value);
    let length = value.as_str().map(|text| text.chars().count() as u64);
    let is_long_enough = length.zip(schema["minLength"].as_u64()).is_none_or(|(length, least)| length >= least);
    if !is_one || !is_known || !is_it || !is_long_enough || !is_of_type(&schema["type"], value) {
        return Some(format!("{at}: {value} is not {schema}"));
    }
    if let Some(items) = value.as_array() {
        let schema = &schema["items"];
        return items.iter().enumerate().find_map(|(i, item)| find_fault(document, schema, item, &format!("{at}/{i}")));
    }
    let members = value.as_object()?;
    let mut required = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
    if let Some(missing) = required.find(|key| !members.contains_key(*key)) {
        return Some(format!("{at}/{missing} is missing"));
    }
    members.iter().find_map(|(key, member)| {
        let at = format!("{at}/{key}");
        let by_pattern =
            || schema["patternProperties"].as_object()?.values().next().filter(|_| key.starts_with("field_"));
        match schema["properties"].get(key).or_else(by_pattern) {
            Some(schema) => find_fault(document, schema, member, &at),
            None if schema["additionalProperties"] == false => Some(format!("{at} is unknown")),
            None => None,
        }
    })
}

fn is_of_type(kinds: &Value, value: &Value) -> bool {
    let is_of = |kind: &Value| match kind.as_str() {
        Some("object") => value.is_object(),
        Some("array") => value.is_array(),
        Some("string") => value.is_string(),
        Some("integer") => value.is_i64() || value.is_u64(),
        Some("number") => value.is_number(),
        Some("boolean") => value.is_boolean(),
        Some("null") => value.is_null(),
        _ => true,
    };
    kinds.as_array().map_or_else(|| is_of(kinds), |kinds| kinds.iter().any(is_of))
}

/// A whole connection, as the bytes that a caller sends.
pub(crate) fn connection(bytes: &[u8]) {
    let server = TestServer::start();
    let answer = server.exchange(bytes);
    let is_failure = answer.windows(12).any(|twelve| twelve == b"HTTP/1.1 500");
    assert!(!is_failure, "{}", String::from_utf8_lossy(&answer));
    server.check_account();
}

fn operator_request(method: &str, target: &str, body: &[u8]) -> Vec<u8> {
    let mut head = format!("{method} {target} HTTP/1.1\r\nconnection: close\r\ncontent-length: {}\r\n", body.len());
    OWN_HEADERS.iter().for_each(|(name, value)| head.push_str(&format!("{name}: {value}\r\n")));
    [head.as_bytes(), b"\r\n", body].concat()
}

/// Requests that leave something in most parts of a world.
const ARRANGED: [(&str, &str, &str); 7] = [
    ("PUT", "/__admin/hooks/inbox", r#"{"answers": [204, {"status": 202, "delay": "1s"}], "then": 503}"#),
    ("POST", "/__hook/inbox", r#"{"n": 1}"#),
    ("PUT", "/__admin/job_policy", r#"{"progress": "polls", "polls": 2, "faults": [{"fault": "fail", "first": 1}]}"#),
    ("PUT", "/__admin/callback_policy", r#"{"delay": {"fixed": "20s"}, "template": {"json": {"id": "{{job.id}}"}}}"#),
    ("POST", "/contacts/v1/contacts", JOB),
    ("POST", "/__admin/jobs/1/pause", "{}"),
    (
        "POST",
        "/__admin/faults/rules",
        r#"{"match": {"operation": "lists.create"}, "effect": {"status": 503}, "apply": {"first": 2}}"#,
    ),
];
const JOB: &str = r#"{"list_id": "LST_36AbCdEfGhIjKlMnOpQrStUvWx0", "merge_type": "skipDuplicates",
    "contacts": [{"phone_number": "+447700900004"}], "callback_url": "http://127.0.0.1:4010/__hook/inbox"}"#;
/// Where an operator sees every part of a world.
const VIEWS: [&str; 13] = [
    "/__admin/jobs",
    "/__admin/jobs/1",
    "/__admin/jobs/1/moments",
    "/__admin/job_policy",
    "/__admin/callbacks",
    "/__admin/callback_policy",
    "/__admin/hooks",
    "/__admin/hooks/inbox",
    "/__admin/faults/rules",
    "/__admin/faults/plan",
    "/__admin/limits",
    "/__admin/settings",
    "/__admin/clock",
];
/// The part of a world that changes with every request.
const POSITION: &str = "position";

/// Returns the head and the data of a world in which something is arranged.
pub(crate) fn arranged_world() -> &'static (Map<String, Value>, Vec<u8>) {
    static ARRANGED_WORLD: OnceLock<(Map<String, Value>, Vec<u8>)> = OnceLock::new();
    ARRANGED_WORLD.get_or_init(|| {
        let server = TestServer::start();
        for (method, target, body) in ARRANGED {
            let answer = server.operate(method, target, body.as_bytes());
            assert!(answer.status < 300, "{method} {target}: {}", String::from_utf8_lossy(&answer.body));
        }
        let (_, mut head, data) = server.export_world();
        // These are random, and the damage is to be the same every time.
        head["lanes"]["prints"] = json!(1);
        head["faults"]["rules"][0]["prints"] = json!(1);
        (head, data)
    })
}

/// A world file as it is arranged, with other parts: each line has the name of a part, a space and its JSON. The part
/// `line` is the first line of the file. All of it is imported, and then comes back from its export; or nothing is.
pub(crate) fn world(bytes: &[u8]) {
    let (parts, data) = arranged_world();
    let text = String::from_utf8_lossy(bytes);
    let mut parts: BTreeMap<&str, String> =
        parts.iter().map(|(name, part)| (name.as_str(), part.to_string())).collect();
    parts.extend(text.lines().filter_map(|line| line.split_once(' ')).map(|(name, part)| (name, part.to_owned())));
    let line = parts.remove("line");
    let members: Vec<String> = parts.iter().map(|(name, part)| format!("{}:{part}", Value::from(*name))).collect();
    let head = format!("{{{}}}\n", members.join(","));
    let line = line.unwrap_or_else(|| {
        let digest = Sha256::new().chain_update(&head).chain_update(data).finalize();
        let sha256: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        let (at, head_bytes, data_bytes) = ("2026-01-05T09:00:00Z", head.len(), data.len());
        json!({ "version": 1, "at": at, "head_bytes": head_bytes, "data_bytes": data_bytes, "sha256": sha256 })
            .to_string()
    });
    let file = [WORLD_MAGIC, line.as_bytes(), b"\n", head.as_bytes(), data.as_slice()].concat();

    let server = TestServer::start();
    let (_, mut head_before, _) = server.export_world();
    let before = server.core.image().expect("an image");
    let answer = server.operate("POST", "/__admin/import?format=world", &file);
    if answer.status >= 400 {
        server.check_unchanged(&before);
        let (_, mut head, _) = server.export_world();
        for head in [&mut head, &mut head_before] {
            head.remove(POSITION);
        }
        assert_eq!(head, head_before, "a refused file has changed the world");
        return;
    }
    for target in VIEWS {
        server.operate("GET", target, b"");
    }
    // Rules of the world may answer with anything.
    for (target, body) in [("/__hook/inbox", "{}"), ("/contacts/v1/lists/create", r#"{"name": "A"}"#)] {
        server.exchange(&operator_request("POST", target, body.as_bytes()));
    }
    server.check_account();
    let (exported, ..) = server.export_world();
    let again = TestServer::start().operate("POST", "/__admin/import?format=world", &exported);
    assert_eq!(again.status, 200, "an export is a world: {}", String::from_utf8_lossy(&again.body));
}
