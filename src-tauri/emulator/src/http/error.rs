//! The only place that turns an error envelope into a response and an error of the core into an error of the interface.

use axum::http::{HeaderValue, header};
use roost_ops::{Core, Error};
use roost_wire::{Family, RestError, ValidationError, envelope};

use crate::{
    http::response::{HttpResponse, json_response, with_allow},
    settings::{LimitOptions, RetryAfter},
};

/// Builds the response for an error, in the envelope of its path family.
pub(crate) fn error_response(core: &Core, family: Family, refusal: &RestError) -> HttpResponse {
    let (at, nanos) = core.ctx().now_nanos();
    let trace_id = if refusal.is_traced() { core.ctx().trace_id() } else { String::new() };
    json_response(refusal.status(), refusal.to_body(family, &trace_id, &envelope::error_time(at.unix(), nanos)))
}

/// Builds a 405 response that lists the allowed methods.
pub(crate) fn wrong_method_response(core: &Core, family: Family, allow: &str) -> HttpResponse {
    with_allow(error_response(core, family, &RestError::WrongMethod), allow)
}

/// Builds the response for a request over the limit: the configured status, and when a retry is worthwhile.
pub(crate) fn over_limit_response(core: &Core, family: Family, limit: &LimitOptions, seconds: u64) -> HttpResponse {
    let refusal = match limit.status {
        429 => RestError::TooManyRequests,
        status => RestError::Injected { status, error: None },
    };
    let mut response = error_response(core, family, &refusal);
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

/// Converts an error of the core for a caller of the interface. The details of an internal error go only to the log.
pub(crate) fn to_rest_error(error: Error) -> RestError {
    match error {
        Error::Invalid { faults } => RestError::Invalid(faults.into_iter().map(ValidationError::from).collect()),
        error @ (Error::NotFound { .. } | Error::Conflict { .. } | Error::Store(_)) => {
            tracing::error!(error = &error as &(dyn std::error::Error + 'static), "an operation failed");
            RestError::Internal
        }
    }
}

/// Converts an error like [`to_rest_error`], with an error of the caller's choice for a missing record.
pub(crate) fn rest_error_or(missing: impl FnOnce() -> RestError) -> impl FnOnce(Error) -> RestError {
    move |error| match error {
        Error::NotFound { .. } => missing(),
        other => to_rest_error(other),
    }
}
