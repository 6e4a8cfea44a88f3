//! The gate, which decides about callers, hosts and pages. Every test walks all routes of the lists from which the
//! router is made, so a new route is tested without being named here.

pub(crate) mod admin;
pub(crate) mod bind;
pub(crate) mod bodies;
pub(crate) mod exhaustion;
pub(crate) mod holding;
pub(crate) mod hosts;
mod mixed_load;
mod origins;
pub(crate) mod outbound;
pub(crate) mod pages;
mod public;
pub(crate) mod rebinding;
pub(crate) mod routes;
pub(crate) mod terminal;

use std::{
    borrow::Cow,
    io::{BufRead, BufReader, Write},
    net::TcpStream,
    sync::Arc,
    time::Duration,
};

use roost_emulator::{
    CONSOLE_ROUTES, Console, ConsoleAsset, ConsoleAssets, ConsoleDispatcher, ConsoleResponse, ConsoleRoute,
    admin_routes,
};
use roost_tests::{Request, Served, Setup, http::message, seeds};
use roost_wire::OPERATIONS;
use serde_json::{Value, json};

/// A route with a method.
#[derive(Debug, Clone)]
pub(crate) struct ServerDoor {
    pub method: &'static str,
    pub path: String,
    pub kind: DoorKind,
    /// Whether its response has no end.
    pub is_stream: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DoorKind {
    /// An operation of the interface, which needs a key.
    Interface,
    /// A route of the operator or of the console, which needs the admin token.
    Operator,
    /// A route that is open to every program.
    Open,
}

impl ServerDoor {
    fn new(method: &'static str, path: &str, kind: DoorKind) -> Self {
        // The IDs of the seed, so that a request that passed the gate would have an effect.
        let ids = [
            ("sender_id", seeds::id("ssd_", "1")),
            ("list_uid", seeds::id("LST_", "1")),
            ("contact_uid", seeds::id("CON_", "00000")),
            ("link_id", seeds::id("shl_", "1")),
            ("asset_id", seeds::id("num_", "1")),
            ("number", "1".to_owned()),
            ("job_id", "1".to_owned()),
            ("callback_id", "1".to_owned()),
            ("hook", "inbox".to_owned()),
            ("world", "default".to_owned()),
            ("snapshot", "first".to_owned()),
            ("other", "now".to_owned()),
            ("resource", "senders".to_owned()),
            ("key", seeds::id("ssd_", "1")),
            ("fault", "1".to_owned()),
            ("seq", "1".to_owned()),
            ("command", "overview_get".to_owned()),
        ];
        let path = ids.iter().fold(path.to_owned(), |path, (name, id)| path.replace(&format!("{{{name}}}"), id));
        assert!(!path.contains('{'), "{path} has a parameter the tests do not know");
        Self { method, path, kind, is_stream: false }
    }

    /// Returns a request to it with full access.
    pub(crate) fn to_request(&self, api: &Served) -> Request {
        self.request_with(api.token())
    }

    /// Returns a request to it with this token.
    pub(crate) fn request_with(&self, token: &str) -> Request {
        let request = Request::new(self.method, &self.path).header("authorization", format!("Bearer {token}"));
        if self.method == "GET" || self.method == "DELETE" && self.kind != DoorKind::Interface {
            return request;
        }
        // Every route either accepts or refuses this body.
        request.json(&json!({
            "name": "Guests", "numbers": [seeds::mobile(1)], "optouts": [{ "number": seeds::mobile(9) }],
            "title": "x", "target_url": "https://shop.example",
        }))
    }
}

/// Returns every route, from the lists from which the router is made.
pub(crate) fn all_doors() -> Vec<ServerDoor> {
    // An operation is also reached by the path of its world.
    let interface = OPERATIONS.iter().flat_map(|operation| {
        ["", "/w/default"].map(|world| {
            ServerDoor::new(operation.method.as_str(), &format!("{world}{}", operation.path), DoorKind::Interface)
        })
    });
    let operator = admin_routes().iter().map(|route| {
        let kind = if route.is_open() { DoorKind::Open } else { DoorKind::Operator };
        ServerDoor { is_stream: route.is_stream(), ..ServerDoor::new(route.method, route.path, kind) }
    });
    let console = CONSOLE_ROUTES.iter().map(|ConsoleRoute { method, path, wants_token, is_stream, .. }| {
        let kind = if *wants_token { DoorKind::Operator } else { DoorKind::Open };
        ServerDoor { is_stream: *is_stream, ..ServerDoor::new(method, path, kind) }
    });
    let others =
        [ServerDoor::new("GET", "/openapi.json", DoorKind::Open), ServerDoor::new("GET", "/s/Ab3dE9", DoorKind::Open)];
    // Receivers are open to every program, but to no page.
    let hooks = ["/__hook/inbox", "/w/default/__hook/inbox"];
    let hooks =
        hooks.into_iter().flat_map(|path| ["GET", "POST"].map(|method| ServerDoor::new(method, path, DoorKind::Open)));
    interface.chain(operator).chain(console).chain(others).chain(hooks).collect()
}

/// Returns the status and headers of a response that may have no end.
pub(crate) fn read_head(api: &Served, request: &Request) -> (u16, Vec<(String, String)>) {
    let mut line = TcpStream::connect(api.address()).expect("listening");
    line.set_read_timeout(Some(Duration::from_secs(60))).expect("a time-out");
    let own = [("host".to_owned(), api.address().to_string()), ("x-auth-key".to_owned(), "a-key".to_owned())];
    line.write_all(&request.bytes(&own)).expect("sent");
    let mut lines = BufReader::new(line).lines().map(|line| line.expect("a line"));
    let status = message::status(&lines.next().expect("a status")).expect("a status");
    let headers = lines.take_while(|line| !line.is_empty()).map(|line| {
        let (name, value) = line.split_once(':').expect("a header");
        (name.to_ascii_lowercase(), value.trim().to_owned())
    });
    (status, headers.collect())
}

struct EmptyPage;

impl ConsoleAssets for EmptyPage {
    fn get(&self, path: &str) -> Option<ConsoleAsset> {
        path.is_empty().then_some(ConsoleAsset { bytes: Cow::Borrowed(b"<!doctype html>"), content_type: "text/html" })
    }
}

struct NoCommands;

impl ConsoleDispatcher for NoCommands {
    fn dispatch_command(&self, name: &str, _: Value, _: Option<String>) -> Result<ConsoleResponse, (u16, Value)> {
        Ok(ConsoleResponse::Json(json!({ "called": name })))
    }

    fn subscribe(&self, _: Box<dyn FnMut(&Value) -> bool + Send>) {}
}

/// A setup with an account that has one record of everything, and a console.
pub(crate) fn console_setup() -> Setup {
    let seed = json!({
        "senders": [{ "id": seeds::id("ssd_", "1"), "name": "AcmeShop" }],
        "assets": [seeds::sms_asset("1", "+447700900100")],
        "lists": [seeds::filled_list(&seeds::id("LST_", "1"), "VIP", 2)],
        "opt_outs": [seeds::opt_out(&seeds::mobile(1), "SMS", "2026-01-05T09:00:00Z")],
        "short_links": [{ "link_id": seeds::id("shl_", "1"), "title": "Spring", "target_url": "https://shop.example/s" }],
    });
    let mut setup = Setup::new().seed(seed);
    setup.config.console = Some(Console { assets: Arc::new(EmptyPage), dispatcher: Arc::new(NoCommands) });
    setup
}

/// Returns the number of changes of the account.
pub(crate) fn count_changes(api: &Served) -> u64 {
    api.core().generation()
}
