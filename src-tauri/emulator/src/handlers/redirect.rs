//! Opens short URLs: redirects to the target and records the click.

use axum::http::{HeaderValue, StatusCode, header, header::InvalidHeaderValue, request};
use roost_ops::{Actor, short_link};
use roost_wire::{Family, RestError};

use super::visitor;
use crate::{
    door::{
        Kind, Visit,
        answer::{HttpResponse, empty, with_allow},
        error::{self, refusal},
        routes::READ_ONLY,
    },
    journal::{Check, Trace, Why},
};

pub async fn answer(visit: &Visit, parts: &request::Parts, code: &str, trace: &mut Trace<'_>) -> HttpResponse {
    let world = visit.world();
    world.count();
    trace.operation(Kind::ShortLink);
    let visitor = match parts.method.as_str() {
        "GET" => Some(visitor::of(parts.headers.get(header::USER_AGENT).and_then(|agent| agent.to_str().ok()))),
        // HEAD only asks for the target, so it is not a click.
        "HEAD" => None,
        "OPTIONS" => return with_allow(empty(StatusCode::NO_CONTENT), READ_ONLY),
        _ => {
            trace.refuse(|| Why::new(Check::Method, "A short URL only supports GET and HEAD."));
            return with_allow(empty(StatusCode::METHOD_NOT_ALLOWED), READ_ONLY);
        }
    };
    let (code, base) = (code.to_owned(), visit.short_base());
    let opened = visit
        .long(move |core| short_link::follow_code(core, &Actor::interface(), &code, &base, visitor).map_err(refusal))
        .await;
    match opened.map(|target| target.map(|target| location(&target))) {
        Ok(None) => {
            trace.refuse(|| Why::new(Check::NotFound, "No short link has this code."));
            empty(StatusCode::NOT_FOUND)
        }
        Ok(Some(Ok(target))) => {
            let mut response = empty(StatusCode::FOUND);
            response.headers_mut().insert(header::LOCATION, target);
            response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
            response
        }
        Ok(Some(Err(_))) | Err(_) => {
            trace.refuse(|| &RestError::Internal);
            error::response(&visit.core(), Family::Assets, &RestError::Internal)
        }
    }
}

/// Writes the target as a header value. Characters outside ASCII are percent-encoded; in a host they get its ASCII
/// form.
fn location(target: &str) -> Result<HeaderValue, InvalidHeaderValue> {
    // A header can hold any bytes, but callers decode letters outside ASCII differently.
    match url::Url::parse(target) {
        Ok(url) if !target.is_ascii() => HeaderValue::from_str(url.as_str()),
        _ => HeaderValue::from_str(target),
    }
}
