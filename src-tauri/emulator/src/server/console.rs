//! Serves the web console: its pages, its commands and its change feed.

use std::{borrow::Cow, sync::Arc, time::Duration};

use axum::{
    body::Body,
    http::{HeaderValue, StatusCode, header, request},
};
use bytes::Bytes;
use roost_wire::RequestPath;
use tokio::sync::mpsc;

use crate::{
    admin::{self, AdminError},
    http::{
        bounds::WaitPermit,
        request_body::RequestBody,
        response::{HttpResponse, READ_ONLY, empty_response, json_response, typed_response, with_allow},
        wait_for_stop,
    },
    world::{Console, ConsoleResponse, Host},
};

/// Allows scripts, styles and calls of this origin only, nothing inline and no frames.
const CONTENT_POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
);
/// How many changes a slow page may fall behind. Beyond that its feed ends, and the page reads everything again.
const MAX_PENDING_CHANGES: usize = 256;
/// How often the feed sends an empty line, to find out whether the page is still connected.
const HEARTBEAT: Duration = Duration::from_secs(15);

/// A route of the console.
pub struct ConsoleRoute {
    pub method: &'static str,
    pub path: &'static str,
    /// Whether the route requires the admin token; only the files are served without it.
    pub wants_token: bool,
    /// Whether the response is an endless stream.
    pub is_stream: bool,
    target: ConsoleTarget,
}

/// What a route of the console leads to.
#[derive(Clone, Copy)]
enum ConsoleTarget {
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
        target: ConsoleTarget::Command,
    },
    ConsoleRoute {
        method: "GET",
        path: "/__console/changes",
        wants_token: true,
        is_stream: true,
        target: ConsoleTarget::Changes,
    },
    PAGES_ROUTE,
];

const PAGES_ROUTE: ConsoleRoute = ConsoleRoute {
    method: "GET",
    path: "/__console/",
    wants_token: false,
    is_stream: false,
    target: ConsoleTarget::Pages,
};

/// Answers a request to the console. Without a console, every path is unknown.
pub(crate) async fn answer_console(
    host: &Arc<Host>,
    parts: &request::Parts,
    path: &RequestPath<'_>,
    body: &mut RequestBody,
) -> HttpResponse {
    let answered = match &host.console {
        Some(console) if path.is_well_formed() => route_request(host, console, parts, path, body).await,
        _ => Err(AdminError::unknown_path()),
    };
    answered.unwrap_or_else(AdminError::into_response)
}

async fn route_request(
    host: &Arc<Host>,
    console: &Console,
    parts: &request::Parts,
    path: &RequestPath<'_>,
    body: &mut RequestBody,
) -> Result<HttpResponse, AdminError> {
    let found = CONSOLE_ROUTES.iter().find_map(|route| Some((route, path.match_template(route.path)?)));
    let (route, parameters) = found.unwrap_or((&PAGES_ROUTE, Vec::new()));
    let is_look = matches!(route.target, ConsoleTarget::Pages) && parts.method == "HEAD";
    if parts.method.as_str() != route.method && !is_look {
        let allow = if matches!(route.target, ConsoleTarget::Pages) { READ_ONLY } else { route.method };
        return Ok(with_allow(
            AdminError::wrong_method(parts.method.as_str(), parts.uri.path(), allow).into_response(),
            allow,
        ));
    }
    if route.wants_token {
        admin::authorise_host(host, &parts.headers)?;
    }
    match (route.target, parameters.as_slice()) {
        (ConsoleTarget::Command, [name]) => answer_command(console, parts, name, body).await,
        (ConsoleTarget::Changes, _) => {
            let wait = host.worlds.default_world().begin_wait()?;
            Ok(typed_response(
                StatusCode::OK,
                stream_changes(host, console, wait),
                HeaderValue::from_static("application/x-ndjson"),
            ))
        }
        _ => {
            let below: Vec<&str> = path.segments().iter().skip(1).map(AsRef::as_ref).collect();
            Ok(page_response(console, parts, &below.join("/")))
        }
    }
}

fn page_response(console: &Console, parts: &request::Parts, path: &str) -> HttpResponse {
    if path.is_empty() && !parts.uri.path().ends_with('/') {
        // The addresses in the page are relative to this folder.
        let mut response = empty_response(StatusCode::PERMANENT_REDIRECT);
        response.headers_mut().insert(header::LOCATION, HeaderValue::from_static("/__console/"));
        return response;
    }
    let Some(asset) = console.assets.get(path) else { return AdminError::unknown_path().into_response() };
    let body = match asset.bytes {
        Cow::Borrowed(bytes) => Bytes::from_static(bytes),
        Cow::Owned(bytes) => bytes.into(),
    };
    let mut response = typed_response(StatusCode::OK, body.into(), HeaderValue::from_static(asset.content_type));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_SECURITY_POLICY, CONTENT_POLICY);
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    response
}

async fn answer_command(
    console: &Console,
    parts: &request::Parts,
    name: &str,
    body: &mut RequestBody,
) -> Result<HttpResponse, AdminError> {
    let body = body.read().await.map_err(AdminError::from)?;
    let payload = serde_json::from_slice(&body).map_err(|why| AdminError::bad_json(&body, &why))?;
    let origin = parts.headers.get("x-roost-origin").and_then(|origin| origin.to_str().ok()).map(str::to_owned);
    let (dispatcher, name) = (console.dispatcher.clone(), name.to_owned());
    let done = tokio::task::spawn_blocking(move || dispatcher.dispatch_command(&name, payload, origin)).await;
    match done {
        Ok(Ok(ConsoleResponse::Json(answer))) => Ok(json_response(200, answer.to_string())),
        Ok(Ok(ConsoleResponse::Bytes(bytes))) => {
            Ok(typed_response(StatusCode::OK, bytes.into(), HeaderValue::from_static("application/octet-stream")))
        }
        Ok(Err((status, error))) => Ok(json_response(status, error.to_string())),
        Err(error) => {
            tracing::error!(%error, "the command stopped early");
            Err(AdminError::internal())
        }
    }
}

/// Streams the change feed, one JSON text per line.
fn stream_changes(host: &Host, console: &Console, wait: WaitPermit) -> Body {
    let (sender, receiver) = mpsc::channel::<Bytes>(MAX_PENDING_CHANGES);
    console.dispatcher.subscribe(Box::new(move |change| sender.try_send(format!("{change}\n").into()).is_ok()));
    let feed = (receiver, host.resources.stopped.clone(), wait);
    Body::from_stream(futures_util::stream::unfold(feed, |(mut receiver, mut stopped, wait)| async {
        let line = tokio::select! {
            () = wait_for_stop(&mut stopped) => return None,
            line = receiver.recv() => line?,
            () = tokio::time::sleep(HEARTBEAT) => Bytes::from_static(b"\n"),
        };
        Some((Ok::<_, std::convert::Infallible>(line), (receiver, stopped, wait)))
    }))
}
