//! CORS for pages of the allowed origins: answers their preflight requests, and lets them read responses.

use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header, request};
use roost_wire::RequestPath;

use crate::{
    access::Gate,
    http::response::{HttpResponse, empty_response},
};

const METHODS: HeaderValue = HeaderValue::from_static("GET, HEAD, POST, PUT, PATCH, DELETE");
/// The headers that a page may send if its preflight request names none.
const HEADERS: HeaderValue = HeaderValue::from_static("authorization, content-type, x-auth-key");
/// The response headers that a page may read in addition to those that every page may.
const EXPOSED: HeaderValue = HeaderValue::from_static("allow, location, retry-after, x-roost-assumed, x-roost-warning");
/// The seconds for which a browser may cache the preflight response.
const MAX_AGE: HeaderValue = HeaderValue::from_static("600");
const ORIGIN: HeaderName = header::ORIGIN;

/// The kind of page that sent a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Page {
    /// A page of the server itself, a program, or a page that the gate decides about.
    Other,
    /// A page of another origin that is allowed.
    Listed,
    /// A page of such an origin, but at the console, where it is not allowed.
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

/// Returns whether a request is a preflight request of a browser.
pub(crate) fn is_preflight(parts: &request::Parts) -> bool {
    parts.method == "OPTIONS" && parts.headers.contains_key(header::ACCESS_CONTROL_REQUEST_METHOD)
}

/// Returns the preflight response. Keys and tokens are checked only with the request itself.
pub(crate) fn preflight(parts: &request::Parts) -> HttpResponse {
    let mut response = empty_response(StatusCode::NO_CONTENT);
    let requested_headers = parts.headers.get(header::ACCESS_CONTROL_REQUEST_HEADERS).cloned();
    let headers = response.headers_mut();
    headers.insert(header::ACCESS_CONTROL_ALLOW_METHODS, METHODS);
    headers.insert(header::ACCESS_CONTROL_ALLOW_HEADERS, requested_headers.unwrap_or(HEADERS));
    headers.insert(header::ACCESS_CONTROL_MAX_AGE, MAX_AGE);
    response
}

/// Allows the requesting page to read a response, including an error.
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
