//! The gate: which callers, hosts and pages are let in. Every test walks every route there is.

pub mod admin;
pub mod bind;
pub mod bodies;
pub mod hosts;
pub mod outbound;
pub mod pages;

use std::{borrow::Cow, sync::Arc};

use roost_emulator::{Console, ConsoleAsset, ConsoleAssets, Dispatcher, Reply, admin_routes};
use roost_tests::{Request, Served, Setup, seeds};
use roost_wire::OPERATIONS;
use serde_json::{Value, json};

/// One way in.
#[derive(Debug, Clone)]
pub struct Door {
    pub method: &'static str,
    pub path: String,
    pub kind: Kind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// An operation of the interface; wants a key.
    Interface,
    /// A route of the operator or of the console; wants the admin token.
    Operator,
    /// Open to every program.
    Open,
}

impl Door {
    /// Whether its answer has no end.
    pub fn is_stream(&self) -> bool {
        self.path.ends_with("/changes") || self.path.ends_with("/events")
    }

    fn new(method: &'static str, path: &str, kind: Kind) -> Self {
        // What the seed has, so that a request that got through would do something.
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
        ];
        let path = ids.iter().fold(path.to_owned(), |path, (name, id)| path.replace(&format!("{{{name}}}"), id));
        assert!(!path.contains('{'), "{path} has a parameter the tests do not know");
        Self { method, path, kind }
    }

    /// A request to it with every right there is.
    pub fn request(&self, api: &Served) -> Request {
        let request = Request::new(self.method, &self.path).header("authorization", format!("Bearer {}", api.token()));
        if self.method == "GET" || self.method == "DELETE" && self.kind != Kind::Interface {
            return request;
        }
        // One body that every route either acts on or refuses.
        request.json(&json!({
            "name": "Guests", "numbers": [seeds::mobile(1)], "optouts": [{ "number": seeds::mobile(9) }],
            "title": "x", "target_url": "https://shop.example",
        }))
    }
}

/// Every route there is, from the lists the router itself is made of.
pub fn doors() -> Vec<Door> {
    let interface =
        OPERATIONS.iter().map(|operation| Door::new(operation.method.as_str(), operation.path, Kind::Interface));
    let operator = admin_routes().iter().map(|route| {
        let kind = if route.is_open() { Kind::Open } else { Kind::Operator };
        Door::new(route.method, route.path, kind)
    });
    let console = [
        Door::new("GET", "/__console/", Kind::Open),
        Door::new("POST", "/__console/call/overview_get", Kind::Operator),
        Door::new("GET", "/__console/changes", Kind::Operator),
    ];
    let others = [Door::new("GET", "/openapi.json", Kind::Open), Door::new("GET", "/s/Ab3dE9", Kind::Open)];
    // Receivers are open to every program, and to no page.
    let hooks = ["/__hook/inbox", "/w/default/__hook/inbox"];
    let hooks = hooks.into_iter().flat_map(|path| ["GET", "POST"].map(|method| Door::new(method, path, Kind::Open)));
    interface.chain(operator).chain(console).chain(others).chain(hooks).collect()
}

struct Page;

impl ConsoleAssets for Page {
    fn get(&self, path: &str) -> Option<ConsoleAsset> {
        path.is_empty().then_some(ConsoleAsset { bytes: Cow::Borrowed(b"<!doctype html>"), content_type: "text/html" })
    }
}

struct Commands;

impl Dispatcher for Commands {
    fn call(&self, name: &str, _: Value, _: Option<String>) -> Result<Reply, (u16, Value)> {
        Ok(Reply::Json(json!({ "called": name })))
    }

    fn subscribe(&self, _: Box<dyn FnMut(&Value) -> bool + Send>) {}
}

/// An account with one of everything, and a console.
pub fn setup() -> Setup {
    let seed = json!({
        "senders": [{ "id": seeds::id("ssd_", "1"), "name": "AcmeShop" }],
        "assets": [seeds::sms_asset("1", "+447700900100")],
        "lists": [seeds::filled_list(&seeds::id("LST_", "1"), "VIP", 2)],
        "optouts": [seeds::opt_out(&seeds::mobile(1), "SMS", "2026-01-05T09:00:00Z")],
        "short_links": [{ "link_id": seeds::id("shl_", "1"), "title": "Spring", "target_url": "https://shop.example/s" }],
    });
    let mut setup = Setup::new().seed(seed);
    setup.config.console = Some(Console { assets: Arc::new(Page), dispatcher: Arc::new(Commands) });
    setup
}

/// How often the account has changed.
pub fn changes(api: &Served) -> u64 {
    api.core().generation()
}
