//! Injected faults as a caller sees them, at the other end of a plain connection.

pub(crate) mod effects;
pub(crate) mod explain;
pub(crate) mod losses;
pub(crate) mod lost;
pub(crate) mod rules;
pub(crate) mod sources;
pub(crate) mod start;

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

/// Starts a server with one record of everything that can be deleted, and a frozen clock.
fn start_server() -> Served {
    filled_setup().serve()
}

fn filled_setup() -> Setup {
    let seed = json!({
        "senders": [{ "id": seeds::id("ssd_", "1"), "name": "AcmeShop" }],
        "lists": [seeds::filled_list(&seeds::id("LST_", "1"), "VIP", 2)],
        "opt_outs": [seeds::opt_out("447700900001", "SMS", "2026-01-05T08:00:00Z")],
        "short_links": [{ "link_id": seeds::id("shl_", "1"), "title": "Spring", "target_url": "https://shop.example/s" }],
    });
    Setup::new().at("2026-01-05T09:00:00Z").seed(seed)
}

/// Starts a server that records, and returns its journal.
fn start_recording() -> (Served, Journal) {
    let journal = Journal::new_recording();
    let mut setup = filled_setup();
    setup.config.journal = journal.clone();
    (setup.serve(), journal)
}

/// Returns the newest entry of the interface.
#[track_caller]
fn last_exchange(journal: &Journal) -> Arc<Exchange> {
    let is_ours = |line: &Exchange| !line.operation.as_deref().unwrap_or("admin").starts_with("admin");
    until("the line is written", || journal.read_page(None, 1, is_ours).lines.pop())
}

#[track_caller]
fn add_rule(api: &Served, rule: &Value) -> Value {
    api.admin().post("/__admin/faults/rules", rule).expect(201).json()
}

#[track_caller]
fn remove_rules(api: &Served) {
    api.admin().delete("/__admin/faults").expect(204);
}

/// Returns a request that the operation accepts on [`server`].
fn request_for(id: OperationId) -> (&'static str, String, Option<Value>) {
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

fn send_operation(api: &Served, id: OperationId) -> Answer {
    let (method, target, body) = request_for(id);
    let request = Request::new(method, target);
    api.send(match &body {
        Some(body) => request.json(body),
        None => request,
    })
}

/// Opens a connection and sends a request on it.
fn send_on_connection(api: &Served, id: OperationId) -> TcpStream {
    let (method, target, body) = request_for(id);
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

/// Reads until the connection ends, and returns how it ended.
fn read_until_end(mut line: TcpStream) -> (Vec<u8>, io::Result<()>) {
    let mut bytes = Vec::new();
    let ended = line.read_to_end(&mut bytes).map(|_| ());
    (bytes, ended)
}

/// Splits a response into head and body.
#[track_caller]
fn split_response(bytes: &[u8]) -> (String, Vec<u8>) {
    let at = bytes.windows(4).position(|four| four == b"\r\n\r\n").expect("a head");
    (String::from_utf8_lossy(&bytes[..at]).to_lowercase(), bytes[at + 4..].to_vec())
}
