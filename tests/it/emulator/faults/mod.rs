//! Faults on purpose, seen from where a caller stands: at the other end of a raw line.

pub mod effects;
pub mod explain;
pub mod losses;
pub mod lost;
pub mod rules;
pub mod sources;
pub mod start;

use std::{
    io::{self, Read, Write},
    net::TcpStream,
    sync::Arc,
    time::Duration,
};

use roost_emulator::{Exchange, Journal};
use roost_tests::{Answer, Request, Served, Setup, seeds, until};
use roost_wire::OperationId;
use serde_json::{Value, json};

const LISTS: &str = "/contacts/v1/lists/";
const CREATE: &str = "/contacts/v1/lists/create";

/// A server with one of everything that can be deleted, on a clock that stands still.
fn server() -> Served {
    setup().serve()
}

fn setup() -> Setup {
    let seed = json!({
        "senders": [{ "id": seeds::id("ssd_", "1"), "name": "AcmeShop" }],
        "lists": [seeds::filled_list(&seeds::id("LST_", "1"), "VIP", 2)],
        "opt_outs": [seeds::opt_out("447700900001", "SMS", "2026-01-05T08:00:00Z")],
        "short_links": [{ "link_id": seeds::id("shl_", "1"), "title": "Spring", "target_url": "https://shop.example/s" }],
    });
    Setup::new().at("2026-01-05T09:00:00Z").seed(seed)
}

/// One that records, and its journal.
fn recording() -> (Served, Journal) {
    let journal = Journal::recording();
    let mut setup = setup();
    setup.config.journal = journal.clone();
    (setup.serve(), journal)
}

/// The newest line of the interface.
#[track_caller]
fn last(journal: &Journal) -> Arc<Exchange> {
    let is_ours = |line: &Exchange| !line.operation.as_deref().unwrap_or("admin").starts_with("admin");
    until("the line is written", || journal.page(None, 1, is_ours).lines.pop())
}

#[track_caller]
fn arm(api: &Served, rule: &Value) -> Value {
    api.admin().post("/__admin/faults/rules", rule).expect(201).json()
}

#[track_caller]
fn disarm(api: &Served) {
    api.admin().delete("/__admin/faults").expect(204);
}

/// A request that every operation takes and carries out on [`server`].
fn asks(id: OperationId) -> (&'static str, String, Option<Value>) {
    let (list, links) = (seeds::id("LST_", "1"), "/assets/v1/shortlink");
    match id {
        OperationId::SendersQuery => ("GET", "/assets/v1/senders/".into(), None),
        OperationId::SendersGet => ("GET", format!("/assets/v1/senders/{}", seeds::id("ssd_", "1")), None),
        OperationId::SendersDelete => ("DELETE", format!("/assets/v1/senders/{}", seeds::id("ssd_", "1")), None),
        OperationId::ListsQuery => ("GET", LISTS.into(), None),
        OperationId::ListsCreate => ("POST", CREATE.into(), Some(json!({ "name": "Guests" }))),
        OperationId::ListsDelete => ("DELETE", format!("/contacts/v1/lists/{list}"), None),
        OperationId::ContactsQuery => ("GET", format!("/contacts/v1/contacts/list/{list}"), None),
        OperationId::ContactsCreate => {
            let contacts = json!([{ "phone_number": "+447700900099" }]);
            let body = json!({ "list_id": list, "merge_type": "skipDuplicates", "contacts": contacts });
            ("POST", "/contacts/v1/contacts".into(), Some(body))
        }
        OperationId::ContactsDelete => {
            ("DELETE", format!("/contacts/v1/contacts/{}", seeds::id("CON_", "00000")), None)
        }
        OperationId::OptOutsQuery => ("GET", "/contacts/v1/optouts".into(), None),
        OperationId::OptOutsCreate => {
            ("POST", "/contacts/v1/optouts".into(), Some(json!({ "optouts": [{ "number": "447700900002" }] })))
        }
        OperationId::OptOutsDelete => {
            ("DELETE", "/contacts/v1/optouts".into(), Some(json!({ "numbers": ["447700900001"] })))
        }
        OperationId::ShortLinksCreate => {
            ("POST", links.into(), Some(json!({ "title": "x", "target_url": "https://shop.example" })))
        }
        OperationId::ShortLinksGet => ("GET", format!("{links}/{}", seeds::id("shl_", "1")), None),
        OperationId::ShortLinksSearch => {
            ("POST", format!("{links}/filter"), Some(json!({ "filter": { "query": "Spring" } })))
        }
        OperationId::ShortLinksDelete => ("DELETE", format!("{links}/{}", seeds::id("shl_", "1")), None),
    }
}

fn ask(api: &Served, id: OperationId) -> Answer {
    let (method, target, body) = asks(id);
    let request = Request::new(method, target);
    api.send(match &body {
        Some(body) => request.json(body),
        None => request,
    })
}

/// A line of its own with a request on it.
fn dial(api: &Served, id: OperationId) -> TcpStream {
    let (method, target, body) = asks(id);
    let body = body.map(|body| body.to_string()).unwrap_or_default();
    let mut line = TcpStream::connect(api.address()).expect("a line");
    line.set_read_timeout(Some(Duration::from_secs(60))).expect("a time-out");
    let head = format!(
        "{method} {target} HTTP/1.1\r\nhost: {}\r\nx-auth-key: a-key\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
        api.address(),
        body.len()
    );
    line.write_all((head + &body).as_bytes()).expect("sent");
    line
}

/// All that comes until the line ends, and how it ends.
fn heard(mut line: TcpStream) -> (Vec<u8>, io::Result<()>) {
    let mut bytes = Vec::new();
    let ended = line.read_to_end(&mut bytes).map(|_| ());
    (bytes, ended)
}

/// Head and body of what came.
#[track_caller]
fn split(bytes: &[u8]) -> (String, Vec<u8>) {
    let at = bytes.windows(4).position(|four| four == b"\r\n\r\n").expect("a head");
    (String::from_utf8_lossy(&bytes[..at]).to_lowercase(), bytes[at + 4..].to_vec())
}
