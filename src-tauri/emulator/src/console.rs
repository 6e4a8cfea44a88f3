//! The web console: its pages, its commands, and the feed of changes.

use std::{borrow::Cow, sync::Arc, time::Duration};

use axum::{
    body::Body,
    http::{HeaderValue, StatusCode, header, request},
};
use bytes::Bytes;
use hyper::body::Incoming;
use roost_wire::Path;
use serde_json::Value;
use tokio::sync::mpsc;

use crate::{
    admin::{self, Refused},
    door::{
        answer::{HttpResponse, empty, json, with_allow, with_type},
        intake,
        routes::READ_ONLY,
    },
    work::told_to_stop,
    world::Host,
};

/// One file of the pages.
pub struct ConsoleAsset {
    pub bytes: Cow<'static, [u8]>,
    pub content_type: &'static str,
}

/// The pages, by path without a leading slash; the empty path is the first page.
pub trait ConsoleAssets: Send + Sync + 'static {
    fn get(&self, path: &str) -> Option<ConsoleAsset>;
}

/// What a command answers.
#[derive(Debug, Clone, PartialEq)]
pub enum Reply {
    Json(Value),
    /// In a form of its own, which the page knows.
    Bytes(Vec<u8>),
}

/// What the pages' commands lead to.
pub trait Dispatcher: Send + Sync + 'static {
    /// Runs a command; may take its time. An error is a status and the body to answer with.
    fn call(&self, name: &str, payload: Value, origin: Option<String>) -> Result<Reply, (u16, Value)>;

    /// Tells every change to `tell` until that answers false.
    fn subscribe(&self, tell: Box<dyn FnMut(&Value) -> bool + Send>);
}

#[derive(Clone)]
pub struct Console {
    pub assets: Arc<dyn ConsoleAssets>,
    pub dispatcher: Arc<dyn Dispatcher>,
}

/// Scripts, styles and calls of our own only; nothing inline, nothing framed.
const POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
);
/// Changes a slow page may fall behind; then its feed ends, and it asks anew.
const BACKLOG: usize = 256;
/// An empty line this often finds out whether the page is still there.
const PULSE: Duration = Duration::from_secs(15);

pub async fn answer(host: &Arc<Host>, parts: &request::Parts, path: &Path<'_>, body: Incoming) -> HttpResponse {
    let Some(console) = &host.console else { return Refused::unknown_path().into_response() };
    let segments: Vec<&str> = path.segments().iter().skip(1).map(AsRef::as_ref).collect();
    match (segments.as_slice(), parts.method.as_str()) {
        _ if !path.is_well_formed() => Refused::unknown_path().into_response(),
        (["call", name], "POST") => match called(host, console, parts, name, body).await {
            Ok(response) => response,
            Err(refused) => refused.into_response(),
        },
        (["call", _], _) => with_allow(Refused::wrong_method().into_response(), "POST"),
        (["changes"], "GET") => match admin::authorise_host(host, &parts.headers) {
            Ok(()) => {
                with_type(StatusCode::OK, changes(host, console), HeaderValue::from_static("application/x-ndjson"))
            }
            Err(refused) => refused.into_response(),
        },
        (["changes"], _) => with_allow(Refused::wrong_method().into_response(), "GET"),
        (segments, "GET" | "HEAD") => page(console, parts, &segments.join("/")),
        _ => with_allow(Refused::wrong_method().into_response(), READ_ONLY),
    }
}

fn page(console: &Console, parts: &request::Parts, path: &str) -> HttpResponse {
    if path.is_empty() && !parts.uri.path().ends_with('/') {
        // The page's own addresses are relative to the folder.
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
    host: &Host,
    console: &Console,
    parts: &request::Parts,
    name: &str,
    body: Incoming,
) -> Result<HttpResponse, Refused> {
    admin::authorise_host(host, &parts.headers)?;
    let body = intake::body(body).await.map_err(Refused::from)?;
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
            tracing::error!(%error, "a command broke off");
            Err(Refused::internal())
        }
    }
}

/// One JSON text a line.
fn changes(host: &Host, console: &Console) -> Body {
    let (sender, receiver) = mpsc::channel::<Bytes>(BACKLOG);
    console.dispatcher.subscribe(Box::new(move |change| sender.try_send(format!("{change}\n").into()).is_ok()));
    let feed = (receiver, host.ground.stopped.clone());
    Body::from_stream(futures_util::stream::unfold(feed, |(mut receiver, mut stopped)| async {
        let line = tokio::select! {
            () = told_to_stop(&mut stopped) => return None,
            line = receiver.recv() => line?,
            () = tokio::time::sleep(PULSE) => Bytes::from_static(b"\n"),
        };
        Some((Ok::<_, std::convert::Infallible>(line), (receiver, stopped)))
    }))
}
