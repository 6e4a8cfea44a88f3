//! Builds responses that are not errors, and sets the headers that every response carries.

use axum::{
    body::Body,
    http::{HeaderName, HeaderValue, Response, StatusCode, header},
};
use bytes::Bytes;

/// The methods of resources that can only be read.
pub(crate) const READ_ONLY: &str = "GET, HEAD, OPTIONS";

pub(crate) type HttpResponse = Response<Body>;

/// The response of a handler.
pub(crate) enum OperationResponse {
    Json(u16, Bytes),
    /// A long JSON text that is produced while it is sent.
    Stream(Body),
    NoContent,
}

impl OperationResponse {
    pub(crate) fn ok(body: Vec<u8>) -> Self {
        Self::Json(200, body.into())
    }

    pub(crate) fn into_response(self) -> HttpResponse {
        match self {
            Self::Json(status, body) => json_response(status, body),
            Self::Stream(body) => typed_response(StatusCode::OK, body, JSON_TYPE),
            Self::NoContent => empty_response(StatusCode::NO_CONTENT),
        }
    }
}

pub(crate) const JSON_TYPE: HeaderValue = HeaderValue::from_static("application/json");
const TEXT_TYPE: HeaderValue = HeaderValue::from_static("text/plain; charset=utf-8");
const NOSNIFF: HeaderValue = HeaderValue::from_static("nosniff");
/// Responses are data: a browser that shows one as a page runs and loads nothing.
const SANDBOX: HeaderValue = HeaderValue::from_static("default-src 'none'; frame-ancestors 'none'; sandbox");
const RESOURCE_POLICY: HeaderName = HeaderName::from_static("cross-origin-resource-policy");
const SAME_ORIGIN: HeaderValue = HeaderValue::from_static("same-origin");

pub(crate) fn json_response(status: u16, body: impl Into<Bytes>) -> HttpResponse {
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    typed_response(status, Body::from(body.into()), JSON_TYPE)
}

pub(crate) fn text_response(body: String) -> HttpResponse {
    typed_response(StatusCode::OK, Body::from(body), TEXT_TYPE)
}

/// Builds a response with a body of the given media type.
pub(crate) fn typed_response(status: StatusCode, body: Body, content_type: HeaderValue) -> HttpResponse {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    response.headers_mut().insert(header::CONTENT_TYPE, content_type);
    response
}

/// Builds a response without a body.
pub(crate) fn empty_response(status: StatusCode) -> HttpResponse {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = status;
    response
}

/// Sets the header `Allow`, for 405 and OPTIONS.
pub(crate) fn with_allow(mut response: HttpResponse, allow: &str) -> HttpResponse {
    if let Ok(allow) = HeaderValue::from_str(allow) {
        response.headers_mut().insert(header::ALLOW, allow);
    }
    response
}

/// Names what in a request has no effect, or may be refused by the service.
const WARNING: HeaderName = HeaderName::from_static("x-roost-warning");

/// Adds a warning to a response that is otherwise a success.
pub(crate) fn add_warning(response: &mut HttpResponse, words: &str) {
    let text: String = words.chars().map(|c| if matches!(c, ' '..='~') { c } else { '?' }).collect();
    if let Ok(value) = HeaderValue::try_from(text) {
        response.headers_mut().append(WARNING, value);
    }
}

/// Headers that no rule or script may set, because they control the connection.
const CONNECTION_HEADERS: [HeaderName; 3] = [header::CONTENT_LENGTH, header::TRANSFER_ENCODING, header::CONNECTION];
/// Headers that no rule or script may set, because they affect the browser beyond the response: the console's pages
/// have the same origin.
const ORIGIN_HEADERS: [HeaderName; 3] = [
    header::CONTENT_SECURITY_POLICY,
    HeaderName::from_static("service-worker-allowed"),
    HeaderName::from_static("clear-site-data"),
];

/// Returns why a rule or a script may not set a header, or `None` if it may.
pub(crate) fn forbidden_header_reason(name: &HeaderName) -> Option<&'static str> {
    if CONNECTION_HEADERS.contains(name) {
        return Some("belongs to the connection");
    }
    ORIGIN_HEADERS.contains(name).then_some("would affect the console's pages, which have the same origin")
}

/// Confines the response of a world, so that a browser treats it as data whatever rules and scripts have set.
pub(crate) fn confine_response(mut response: HttpResponse) -> HttpResponse {
    response.headers_mut().append(header::CONTENT_SECURITY_POLICY, SANDBOX);
    for name in &ORIGIN_HEADERS[1..] {
        response.headers_mut().remove(name);
    }
    response
}

/// Sets the headers that keep pages of other origins from using the response.
pub(crate) fn guard_response(mut response: HttpResponse) -> HttpResponse {
    let headers = response.headers_mut();
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, NOSNIFF);
    headers.insert(RESOURCE_POLICY, SAME_ORIGIN);
    // The pages of the console set their own policy.
    headers.entry(header::CONTENT_SECURITY_POLICY).or_insert(SANDBOX);
    response
}
