//! Answers that are no errors, and the headers every answer carries.

use axum::{
    body::Body,
    http::{HeaderName, HeaderValue, Response, StatusCode, header},
};
use bytes::Bytes;

pub type HttpResponse = Response<Body>;

/// What a handler answers.
pub enum Answer {
    Json(u16, Bytes),
    /// A long JSON text, made while it is sent.
    Stream(Body),
    NoContent,
}

impl Answer {
    pub fn ok(body: Vec<u8>) -> Self {
        Self::Json(200, body.into())
    }

    pub fn into_response(self) -> HttpResponse {
        match self {
            Self::Json(status, body) => json(status, body),
            Self::Stream(body) => with_type(StatusCode::OK, body, JSON),
            Self::NoContent => empty(StatusCode::NO_CONTENT),
        }
    }
}

pub const JSON: HeaderValue = HeaderValue::from_static("application/json");
const TEXT: HeaderValue = HeaderValue::from_static("text/plain; charset=utf-8");
const NOSNIFF: HeaderValue = HeaderValue::from_static("nosniff");
/// Answers are data: shown as a page, they run and load nothing.
const SANDBOX: HeaderValue = HeaderValue::from_static("default-src 'none'; frame-ancestors 'none'; sandbox");
const SAME_ORIGIN: HeaderValue = HeaderValue::from_static("same-origin");

pub fn json(status: u16, body: impl Into<Bytes>) -> HttpResponse {
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    with_type(status, Body::from(body.into()), JSON)
}

pub fn text(body: String) -> HttpResponse {
    with_type(StatusCode::OK, Body::from(body), TEXT)
}

pub fn with_type(status: StatusCode, body: Body, content_type: HeaderValue) -> HttpResponse {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    response.headers_mut().insert(header::CONTENT_TYPE, content_type);
    response
}

pub fn empty(status: StatusCode) -> HttpResponse {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = status;
    response
}

/// `Allow` of 405 and OPTIONS.
pub fn with_allow(mut response: HttpResponse, allow: &str) -> HttpResponse {
    if let Ok(allow) = HeaderValue::from_str(allow) {
        response.headers_mut().insert(header::ALLOW, allow);
    }
    response
}

/// Headers that nobody writes into an answer: they rule the connection.
const OF_THE_LINE: [HeaderName; 3] = [header::CONTENT_LENGTH, header::TRANSFER_ENCODING, header::CONNECTION];
/// And these rule the browser beyond the answer. The console's pages are of the same origin.
const OF_THE_ORIGIN: [HeaderName; 3] = [
    header::CONTENT_SECURITY_POLICY,
    HeaderName::from_static("service-worker-allowed"),
    HeaderName::from_static("clear-site-data"),
];

/// Why a rule or a script may not set a header, if it may not.
pub fn why_not_set(name: &HeaderName) -> Option<&'static str> {
    if OF_THE_LINE.contains(name) {
        return Some("belongs to the connection");
    }
    OF_THE_ORIGIN.contains(name).then_some("would affect the console's pages, which have the same origin")
}

/// Answers of a world are data, whatever its rules and scripts say.
pub fn confined(mut response: HttpResponse) -> HttpResponse {
    response.headers_mut().append(header::CONTENT_SECURITY_POLICY, SANDBOX);
    for name in &OF_THE_ORIGIN[1..] {
        response.headers_mut().remove(name);
    }
    response
}

/// What keeps pages of others from making something of our answers.
pub fn guarded(mut response: HttpResponse) -> HttpResponse {
    let headers = response.headers_mut();
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, NOSNIFF);
    headers.insert("cross-origin-resource-policy", SAME_ORIGIN);
    // The pages of the console bring their own.
    headers.entry(header::CONTENT_SECURITY_POLICY).or_insert(SANDBOX);
    response
}
