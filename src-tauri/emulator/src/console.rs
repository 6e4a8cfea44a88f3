//! Serves the web console: its pages, its commands and its change feed.

use std::{borrow::Cow, sync::Arc, time::Duration};

use axum::{
    body::Body,
    http::{HeaderValue, StatusCode, header, request},
};
use bytes::Bytes;
use roost_wire::RequestPath;
use serde_json::Value;
use tokio::sync::mpsc;

use crate::{
    admin::{self, Refused},
    door::{
        answer::{HttpResponse, empty, json, with_allow, with_type},
        bounds::Wait,
        intake::RequestBody,
        routes::READ_ONLY,
    },
    work::told_to_stop,
    world::Host,
};

/// One file of the console's pages.
pub struct ConsoleAsset {
    pub bytes: Cow<'static, [u8]>,
    pub content_type: &'static str,
}

/// The console's files by path, without a leading slash. The empty path is the first page.
pub trait ConsoleAssets: Send + Sync + 'static {
    fn get(&self, path: &str) -> Option<ConsoleAsset>;
}

/// The response of a command.
#[derive(Debug, Clone, PartialEq)]
pub enum Reply {
    Json(Value),
    /// Bytes in a format that the page knows.
    Bytes(Vec<u8>),
}

/// Runs the commands of the pages and reports changes to them.
pub trait Dispatcher: Send + Sync + 'static {
    /// Runs a command; this may block. An error is a status and the body of the response.
    fn call(&self, name: &str, payload: Value, origin: Option<String>) -> Result<Reply, (u16, Value)>;

    /// Calls `tell` with every change until it returns false.
    fn subscribe(&self, tell: Box<dyn FnMut(&Value) -> bool + Send>);
}

/// The files and commands of the web console.
#[derive(Clone)]
pub struct Console {
    pub assets: Arc<dyn ConsoleAssets>,
    pub dispatcher: Arc<dyn Dispatcher>,
}

/// Allows scripts, styles and calls of this origin only, nothing inline and no frames.
const POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
);
/// How many changes a slow page may fall behind. Beyond that its feed ends, and the page reads everything again.
const BACKLOG: usize = 256;
/// How often the feed sends an empty line, to find out whether the page is still connected.
const PULSE: Duration = Duration::from_secs(15);

/// A route of the console.
pub struct ConsoleRoute {
    pub method: &'static str,
    pub path: &'static str,
    /// Whether the route requires the admin token; only the files are served without it.
    pub wants_token: bool,
    /// Whether the response is an endless stream.
    pub is_stream: bool,
    leads: Leads,
}

/// What a route of the console leads to.
#[derive(Clone, Copy)]
enum Leads {
    Command,
    Changes,
    Pages,
}

/// All routes of the console. The router and the tests of the gate are built from this table. The last route serves
/// every path that no other route matches.
pub const CONSOLE_ROUTES: [ConsoleRoute; 3] = [
    ConsoleRoute {
        method: "POST",
        path: "/__console/call/{command}",
        wants_token: true,
        is_stream: false,
        leads: Leads::Command,
    },
    ConsoleRoute {
        method: "GET",
        path: "/__console/changes",
        wants_token: true,
        is_stream: true,
        leads: Leads::Changes,
    },
    PAGES,
];

const PAGES: ConsoleRoute =
    ConsoleRoute { method: "GET", path: "/__console/", wants_token: false, is_stream: false, leads: Leads::Pages };

/// Answers a request to the console. Without a console, every path is unknown.
pub async fn answer(
    host: &Arc<Host>,
    parts: &request::Parts,
    path: &RequestPath<'_>,
    body: &mut RequestBody,
) -> HttpResponse {
    let answered = match &host.console {
        Some(console) if path.is_well_formed() => routed(host, console, parts, path, body).await,
        _ => Err(Refused::unknown_path()),
    };
    answered.unwrap_or_else(Refused::into_response)
}

async fn routed(
    host: &Arc<Host>,
    console: &Console,
    parts: &request::Parts,
    path: &RequestPath<'_>,
    body: &mut RequestBody,
) -> Result<HttpResponse, Refused> {
    let found = CONSOLE_ROUTES.iter().find_map(|route| Some((route, path.match_template(route.path)?)));
    let (route, parameters) = found.unwrap_or((&PAGES, Vec::new()));
    let is_look = matches!(route.leads, Leads::Pages) && parts.method == "HEAD";
    if parts.method.as_str() != route.method && !is_look {
        let allow = if matches!(route.leads, Leads::Pages) { READ_ONLY } else { route.method };
        return Ok(with_allow(
            Refused::wrong_method(parts.method.as_str(), parts.uri.path(), allow).into_response(),
            allow,
        ));
    }
    if route.wants_token {
        admin::authorise_host(host, &parts.headers)?;
    }
    match (route.leads, parameters.as_slice()) {
        (Leads::Command, [name]) => called(console, parts, name, body).await,
        (Leads::Changes, _) => {
            let wait = host.worlds.default_world().wait()?;
            Ok(with_type(
                StatusCode::OK,
                changes(host, console, wait),
                HeaderValue::from_static("application/x-ndjson"),
            ))
        }
        _ => {
            let below: Vec<&str> = path.segments().iter().skip(1).map(AsRef::as_ref).collect();
            Ok(page(console, parts, &below.join("/")))
        }
    }
}

fn page(console: &Console, parts: &request::Parts, path: &str) -> HttpResponse {
    if path.is_empty() && !parts.uri.path().ends_with('/') {
        // The addresses in the page are relative to this folder.
        let mut response = empty(StatusCode::PERMANENT_REDIRECT);
        response.headers_mut().insert(header::LOCATION, HeaderValue::from_static("/__console/"));
        return response;
    }
    let Some(asset) = console.assets.get(path) else { return Refused::unknown_path().into_response() };
    let body = match asset.bytes {
        Cow::Borrowed(bytes) => Bytes::from_static(bytes),
        Cow::Owned(bytes) => bytes.into(),
    };
    let mut response = with_type(StatusCode::OK, body.into(), HeaderValue::from_static(asset.content_type));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_SECURITY_POLICY, POLICY);
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    response
}

async fn called(
    console: &Console,
    parts: &request::Parts,
    name: &str,
    body: &mut RequestBody,
) -> Result<HttpResponse, Refused> {
    let body = body.read().await.map_err(Refused::from)?;
    let payload = serde_json::from_slice(&body).map_err(|why| Refused::bad_body(&why.to_string()))?;
    let origin = parts.headers.get("x-roost-origin").and_then(|origin| origin.to_str().ok()).map(str::to_owned);
    let (dispatcher, name) = (console.dispatcher.clone(), name.to_owned());
    let done = tokio::task::spawn_blocking(move || dispatcher.call(&name, payload, origin)).await;
    match done {
        Ok(Ok(Reply::Json(answer))) => Ok(json(200, answer.to_string())),
        Ok(Ok(Reply::Bytes(bytes))) => {
            Ok(with_type(StatusCode::OK, bytes.into(), HeaderValue::from_static("application/octet-stream")))
        }
        Ok(Err((status, error))) => Ok(json(status, error.to_string())),
        Err(error) => {
            tracing::error!(%error, "the command stopped early");
            Err(Refused::internal())
        }
    }
}

/// Streams the change feed, one JSON text per line.
fn changes(host: &Host, console: &Console, wait: Wait) -> Body {
    let (sender, receiver) = mpsc::channel::<Bytes>(BACKLOG);
    console.dispatcher.subscribe(Box::new(move |change| sender.try_send(format!("{change}\n").into()).is_ok()));
    let feed = (receiver, host.ground.stopped.clone(), wait);
    Body::from_stream(futures_util::stream::unfold(feed, |(mut receiver, mut stopped, wait)| async {
        let line = tokio::select! {
            () = told_to_stop(&mut stopped) => return None,
            line = receiver.recv() => line?,
            () = tokio::time::sleep(PULSE) => Bytes::from_static(b"\n"),
        };
        Some((Ok::<_, std::convert::Infallible>(line), (receiver, stopped, wait)))
    }))
}
