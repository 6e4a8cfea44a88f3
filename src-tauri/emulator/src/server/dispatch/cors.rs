//! Pages of the origins that a server was told to let in: what they ask beforehand is answered, and they may read answers.

use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header, request};
use roost_wire::RequestPath;

use crate::{
    access::Gate,
    http::response::{HttpResponse, empty_response},
};

const METHODS: HeaderValue = HeaderValue::from_static("GET, HEAD, POST, PUT, PATCH, DELETE");
/// What a page may send where it did not say what it wants to send.
const HEADERS: HeaderValue = HeaderValue::from_static("authorization, content-type, x-auth-key");
/// What a page may read beyond what every page may.
const EXPOSED: HeaderValue = HeaderValue::from_static("allow, location, retry-after, x-roost-assumed, x-roost-warning");
/// Seconds for which a browser need not ask again.
const MAX_AGE: HeaderValue = HeaderValue::from_static("600");
const ORIGIN: HeaderName = header::ORIGIN;

/// Whose page asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Page {
    /// Our own, a program, or one that the gate judges.
    Other,
    /// One of another origin that may ask.
    Listed,
    /// The same, where it may not: at the console.
    Stopped,
}

pub(crate) fn page(gate: &Gate, headers: &HeaderMap, path: &RequestPath<'_>) -> Page {
    match gate.page(headers) {
        None => Page::Other,
        Some(_) if is_console(path) => Page::Stopped,
        Some(_) => Page::Listed,
    }
}

fn is_console(path: &RequestPath<'_>) -> bool {
    path.segments().first().is_some_and(|first| first == "__console")
}

/// Whether a browser asks beforehand what a page may send.
pub(crate) fn is_preflight(parts: &request::Parts) -> bool {
    parts.method == "OPTIONS" && parts.headers.contains_key(header::ACCESS_CONTROL_REQUEST_METHOD)
}

/// What it may send. Keys and tokens are asked for with the request itself.
pub(crate) fn preflight(parts: &request::Parts) -> HttpResponse {
    let mut response = empty_response(StatusCode::NO_CONTENT);
    let requested_headers = parts.headers.get(header::ACCESS_CONTROL_REQUEST_HEADERS).cloned();
    let headers = response.headers_mut();
    headers.insert(header::ACCESS_CONTROL_ALLOW_METHODS, METHODS);
    headers.insert(header::ACCESS_CONTROL_ALLOW_HEADERS, requested_headers.unwrap_or(HEADERS));
    headers.insert(header::ACCESS_CONTROL_MAX_AGE, MAX_AGE);
    response
}

/// Lets the page that asked read an answer, whatever it says.
pub(crate) fn let_read(response: &mut HttpResponse, gate: &Gate, parts: &request::Parts) {
    let Some(origin) = gate.page(&parts.headers).cloned() else { return };
    if is_console(&RequestPath::parse(parts.uri.path())) {
        return;
    }
    let headers = response.headers_mut();
    headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
    headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, EXPOSED);
    headers.append(header::VARY, HeaderValue::from(ORIGIN));
}
