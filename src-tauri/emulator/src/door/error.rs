//! The only place that makes an error envelope into a response, and an error of the core into a refusal.

use axum::http::{HeaderValue, header};
use roost_ops::{Core, Error};
use roost_wire::{Family, RestError, ValidationError, envelope};

use super::answer::{HttpResponse, json, with_allow};
use crate::settings::{Limit, RetryAfter};

/// The envelope of a refusal in the shape of its family.
pub fn response(core: &Core, family: Family, refusal: &RestError) -> HttpResponse {
    let (at, nanos) = core.ctx().now_nanos();
    let trace_id = if refusal.is_traced() { core.ctx().trace_id() } else { String::new() };
    json(refusal.status(), refusal.to_body(family, &trace_id, &envelope::error_time(at.unix(), nanos)))
}

/// 405 with the methods there are.
pub fn wrong_method(core: &Core, family: Family, allow: &str) -> HttpResponse {
    with_allow(response(core, family, &RestError::WrongMethod), allow)
}

/// Over the limit: what the limit answers, and when it is worth another try.
pub fn over_limit(core: &Core, family: Family, limit: &Limit, seconds: u64) -> HttpResponse {
    let refusal = match limit.status {
        429 => RestError::TooManyRequests,
        status => RestError::Injected { status, error: None },
    };
    let mut response = response(core, family, &refusal);
    let after = match limit.retry_after {
        RetryAfter::Computed => Some(seconds),
        RetryAfter::After(span) => Some(span.0.as_secs()),
        RetryAfter::None => None,
    };
    if let Some(after) = after {
        response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(after));
    }
    response
}

/// What the core's error means to a caller of the interface; a fault of ours is told in the log alone.
pub fn refusal(error: Error) -> RestError {
    match error {
        Error::Invalid { faults } => RestError::Invalid(faults.into_iter().map(ValidationError::from).collect()),
        error @ (Error::NotFound { .. } | Error::Conflict { .. } | Error::Store(_)) => {
            tracing::error!(error = &error as &(dyn std::error::Error + 'static), "an operation failed");
            RestError::Internal
        }
    }
}

/// The same where a missing thing has an answer of its own.
pub fn refusal_or(missing: impl FnOnce() -> RestError) -> impl FnOnce(Error) -> RestError {
    move |error| match error {
        Error::NotFound { .. } => missing(),
        other => refusal(other),
    }
}
