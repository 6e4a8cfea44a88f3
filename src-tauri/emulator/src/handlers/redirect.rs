//! Opens short URLs: redirects to the target and records the click.

use axum::http::{HeaderValue, StatusCode, header, header::InvalidHeaderValue, request};
use roost_journal::{RefusalCause, RefusalCheck};
use roost_ops::{Actor, short_link};
use roost_wire::{Family, RestError};

use super::visitor;
use crate::{
    door::{RequestTrace, WorldVisit},
    http::{
        RequestKind,
        error::{self, to_rest_error},
        response::{HttpResponse, READ_ONLY, empty_response, with_allow},
    },
};

pub(crate) async fn open_short_url(
    visit: &WorldVisit,
    parts: &request::Parts,
    code: &str,
    trace: &mut RequestTrace<'_>,
) -> HttpResponse {
    let world = visit.world();
    world.count_request();
    trace.set_operation(RequestKind::ShortLink);
    let visitor = match parts.method.as_str() {
        "GET" => {
            Some(visitor::parse_user_agent(parts.headers.get(header::USER_AGENT).and_then(|agent| agent.to_str().ok())))
        }
        // HEAD only asks for the target, so it is not a click.
        "HEAD" => None,
        "OPTIONS" => return with_allow(empty_response(StatusCode::NO_CONTENT), READ_ONLY),
        _ => {
            trace.set_refusal(|| RefusalCause::new(RefusalCheck::Method, "A short URL only supports GET and HEAD."));
            return with_allow(empty_response(StatusCode::METHOD_NOT_ALLOWED), READ_ONLY);
        }
    };
    let (code, base) = (code.to_owned(), visit.short_base());
    let opened = visit
        .write(move |core| {
            short_link::follow_code(core, &Actor::interface(), &code, &base, visitor).map_err(to_rest_error)
        })
        .await;
    match opened.map(|target| target.map(|target| to_location(&target))) {
        Ok(None) => {
            trace.set_refusal(|| RefusalCause::new(RefusalCheck::NotFound, "No short link has this code."));
            empty_response(StatusCode::NOT_FOUND)
        }
        Ok(Some(Ok(target))) => {
            let mut response = empty_response(StatusCode::FOUND);
            response.headers_mut().insert(header::LOCATION, target);
            response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
            response
        }
        Ok(Some(Err(_))) | Err(_) => {
            trace.set_refusal(|| &RestError::Internal);
            error::error_response(&visit.core(), Family::Assets, &RestError::Internal)
        }
    }
}

/// Writes the target as a header value. Characters outside ASCII are percent-encoded; in a host they get its ASCII
/// form.
fn to_location(target: &str) -> Result<HeaderValue, InvalidHeaderValue> {
    // A header can hold any bytes, but callers decode letters outside ASCII differently.
    match url::Url::parse(target) {
        Ok(url) if !target.is_ascii() => HeaderValue::from_str(url.as_str()),
        _ => HeaderValue::from_str(target),
    }
}
