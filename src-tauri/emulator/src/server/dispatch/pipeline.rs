//! Runs a call of an operation through the checks, in the order of the interface.

use std::net::SocketAddr;

use axum::{
    body::to_bytes,
    http::{StatusCode, header, request},
};
use bytes::Bytes;
use hyper::body::Body as _;
use roost_journal::{RefusalCause, RefusalCheck};
use roost_wire::{Family, JobEffect, Operation, OperationId, RequestPath, RestError, Route, body::is_json, find_route};

use crate::{
    access::{check_key, lane_time},
    admin::AdminError,
    door::{OperationCall, RequestTrace, WorldVisit, limits, strictness},
    faults::{self, FaultTime, FiredFault},
    fidelity,
    handlers::{contact, list, opt_out, sender, short_link},
    http::{
        CacheKey, RequestKind,
        bounds::BoundReached,
        error,
        request_body::{self, ReceivedBody, RequestBody},
        response::{HttpResponse, OperationResponse, empty_response, with_allow},
    },
};

/// Answers a request to the interface: finds its operation, checks key, limit, body and faults, and runs it.
pub(crate) async fn answer_operation(
    visit: &WorldVisit,
    peer: SocketAddr,
    parts: &request::Parts,
    path: &RequestPath<'_>,
    body: &mut RequestBody,
    trace: &mut RequestTrace<'_>,
) -> HttpResponse {
    let (world, rules) = (visit.world(), &visit.rules);
    world.count_request();
    let core = &world.core;
    let (operation, parameter) = match find_route(parts.method.as_str(), path) {
        Route::Operation { operation, parameter } => (operation, parameter),
        Route::Options { allow } => {
            let response = with_allow(empty_response(StatusCode::NO_CONTENT), &allow);
            return mark_assumptions(visit, response, || vec!["transport.options"]);
        }
        Route::WrongMethod { allow } => {
            trace.set_refusal(|| RefusalCause::new(RefusalCheck::Method, format!("The path supports {allow}.")));
            let response = error::wrong_method_response(&visit.core(), path.family(), &allow);
            return mark_assumptions(visit, response, || vec!["transport.wrong_method"]);
        }
        Route::Unknown => {
            let response = refuse_call(visit, trace, path.family(), &RestError::UnknownPath);
            return mark_assumptions(visit, response, || vec!["transport.unknown_path"]);
        }
    };
    trace.set_operation(RequestKind::Operation(operation.id));
    let family = operation.family;
    let caller = match check_key(&rules.settings, &parts.headers, peer.ip(), operation) {
        Ok(caller) => caller,
        Err(fault) => {
            trace.set_refusal(|| fault);
            let refusal = fault.to_rest_error();
            let response = error::error_response(&visit.core(), family, &refusal);
            return mark_assumptions(visit, response, || fidelity::assumptions_of_refusal(operation.id, &refusal));
        }
    };
    if let Some((rate, profile)) = limits::limit_in_force(world, rules)
        && let Err(seconds) = world.lanes.take_token(|| lane_time(core), caller, operation.id, &rate)
    {
        if let Some(profile) = profile {
            trace.set_rule(|| profile.into());
            world.resources.tally.count_fault(operation.id);
        }
        trace.set_refusal(|| limits::explain_limit(operation, &rate, profile, seconds));
        let response = error::over_limit_response(&visit.core(), family, &rules.settings.limit, seconds);
        return mark_assumptions(visit, response, || vec!["limits.bucket", "limits.refusal"]);
    }
    let call = match receive_body(parts, operation, body, trace).await {
        Ok(body) => OperationCall { visit, parameter, query: parts.uri.query().unwrap_or_default(), body },
        Err(refusal) => {
            let is_other_type = operation.reads_body && !has_json(parts) && matches!(refusal, RestError::BadBody);
            let response = refuse_call(visit, trace, family, &refusal);
            return mark_assumptions(visit, response, || match is_other_type {
                true => vec!["transport.content_type"],
                false => fidelity::assumptions_of_refusal(operation.id, &refusal),
            });
        }
    };
    if world.faults.is_armed() {
        let request = faults::IncomingRequest { operation, parts, key: caller.0, body: &call.body };
        if let Some(fired) = world.faults.match_request(&request, FaultTime::from_core(core)) {
            return apply_fault(&fired, call, operation, parts, trace).await;
        }
    }
    let response = execute_call(call, operation, parts, trace).await;
    mark_assumptions(visit, response, || if parts.method == "HEAD" { vec!["transport.head"] } else { Vec::new() })
}

/// Executes a call and builds its response.
async fn execute_call(
    call: OperationCall<'_>,
    operation: &Operation,
    parts: &request::Parts,
    trace: &mut RequestTrace<'_>,
) -> HttpResponse {
    let (visit, query) = (call.visit, call.query);
    let warnings = match strictness::check(&call, operation.id, parts).await {
        Ok(warnings) => warnings,
        Err(slip) => {
            trace.set_refusal(|| RefusalCause::new(RefusalCheck::Validation, slip.words.clone()));
            let mut response = refuse_call(visit, trace, operation.family, &slip.refusal);
            // The body has the service's form, which does not always name the cause.
            strictness::warn(&mut response, std::slice::from_ref(&slip));
            return mark_assumptions(visit, response, || {
                fidelity::find_header_row(slip.behaviour).into_iter().collect()
            });
        }
    };
    let starts_work = match operation.job_effect {
        JobEffect::None => false,
        JobEffect::Queues => true,
        JobEffect::Polls => visit.world().work.job_tracker().counts_polls(),
    };
    if starts_work {
        trace.hold_followers();
    }
    let mut response = match answer_cached(call, operation).await {
        Ok(answer) => {
            mark_assumptions(visit, answer.into_response(), || fidelity::assumptions_of_success(operation.id, query))
        }
        Err(refusal) => {
            let response = refuse_call(visit, trace, operation.family, &refusal);
            mark_assumptions(visit, response, || fidelity::assumptions_of_refusal(operation.id, &refusal))
        }
    };
    strictness::warn(&mut response, &warnings);
    response
}

/// Names the assumptions that shaped a response, if the settings ask for it.
fn mark_assumptions(
    visit: &WorldVisit,
    mut response: HttpResponse,
    names: impl FnOnce() -> Vec<&'static str>,
) -> HttpResponse {
    if visit.rules.settings.assumed_header {
        fidelity::add_assumptions(&mut response, &names());
    }
    response
}

/// Applies a fault rule to a call.
async fn apply_fault(
    fired: &FiredFault,
    call: OperationCall<'_>,
    operation: &Operation,
    parts: &request::Parts,
    trace: &mut RequestTrace<'_>,
) -> HttpResponse {
    let visit = call.visit;
    trace.set_rule(|| fired.name.clone());
    visit.world().resources.tally.count_fault(operation.id);
    let wait = match fired.delays_response().then(|| visit.world().begin_wait()).transpose() {
        Ok(wait) => wait,
        Err(why) => {
            let why = AdminError::cannot_hold_back(&fired.name, why);
            trace.set_refusal(|| &why);
            return why.into_response();
        }
    };
    if !fired.is_after_commit() {
        fired.wait(visit).await;
    }
    let mut intended = None;
    if fired.is_after_commit() || !fired.replaces_response() {
        intended = Some(execute_call(call, operation, parts, trace).await);
    }
    if fired.is_response_late() {
        trace.release_followers();
    }
    if fired.is_after_commit() {
        fired.wait(visit).await;
    }
    if fired.replaces_response() {
        if let Some(intended) = intended.take() {
            record_intended(trace, intended).await;
        }
        trace.set_refusal(|| RefusalCause::new(RefusalCheck::Fault, fired.describe_effect()));
    }
    fired.apply_to_response(visit, operation.family, intended, wait).await
}

/// Records the response that the fault replaces. A streamed one is not produced just for this.
async fn record_intended(trace: &mut RequestTrace<'_>, intended: HttpResponse) {
    let (parts, body) = intended.into_parts();
    let body = match body.size_hint().exact() {
        Some(_) => to_bytes(body, usize::MAX).await.unwrap_or_default(),
        None => Bytes::new(),
    };
    trace.set_intended_response(parts.status.as_u16(), &body);
}

fn has_json(parts: &request::Parts) -> bool {
    is_json(parts.headers.get(header::CONTENT_TYPE).map(|value| value.as_bytes()))
}

/// Receives the body of a call and checks its media type.
async fn receive_body(
    parts: &request::Parts,
    operation: &Operation,
    body: &mut RequestBody,
    trace: &mut RequestTrace<'_>,
) -> Result<ReceivedBody, RestError> {
    let body = body.read().await.map_err(|fault| match fault {
        request_body::BodyError::TooLarge => RestError::BodyTooLarge,
        request_body::BodyError::BoundReached(why) => {
            trace.set_refusal(|| RefusalCause::new(RefusalCheck::Limits, format!("{why} {}", BoundReached::HINT)));
            RestError::Busy
        }
        request_body::BodyError::Broken => {
            trace.set_refusal(|| {
                RefusalCause::new(RefusalCheck::Parsing, "The body ended early, or arrived too slowly.")
            });
            RestError::BadBody
        }
    })?;
    trace.set_body(&body);
    if operation.reads_body && !has_json(parts) {
        trace.set_refusal(|| {
            RefusalCause::new(RefusalCheck::Parsing, "Send the header Content-Type: application/json.")
        });
        return Err(RestError::BadBody);
    }
    Ok(body)
}

/// Answers a call from the cache if possible, and otherwise fills the cache.
async fn answer_cached(call: OperationCall<'_>, operation: &Operation) -> Result<OperationResponse, RestError> {
    if operation.id == OperationId::ContactsQuery {
        call.visit.world().count_list_query(call.parameter).await;
    }
    // A cached short link contains the address that most callers use.
    if !operation.is_cacheable || operation.id == OperationId::ShortLinksGet && call.visit.is_called_elsewhere() {
        return dispatch_call(call, operation.id).await;
    }
    let (world, rules) = (call.visit.world(), &call.visit.rules);
    let key = CacheKey { operation: operation.id, parameter: call.parameter, query: call.query };
    let before = world.response_state(rules);
    if let Some(body) = world.cache.get(before, &key) {
        return Ok(OperationResponse::Json(200, body));
    }
    let is_again = world.cache.was_requested(before, &key);
    let answer = dispatch_call(call, operation.id).await?;
    if let OperationResponse::Json(200, body) = &answer
        && is_again
    {
        world.cache.insert(before, world.response_state(rules), &key, body);
    }
    Ok(answer)
}

/// Calls the handler of an operation.
async fn dispatch_call(call: OperationCall<'_>, id: OperationId) -> Result<OperationResponse, RestError> {
    match id {
        OperationId::SendersQuery => sender::query(call).await,
        OperationId::SendersGet => sender::get(call).await,
        OperationId::SendersDelete => sender::delete(call).await,
        OperationId::ListsQuery => list::query(call).await,
        OperationId::ListsCreate => list::create(call).await,
        OperationId::ListsDelete => list::delete(call).await,
        OperationId::ContactsQuery => contact::query(call).await,
        OperationId::ContactsCreate => contact::create(call).await,
        OperationId::ContactsDelete => contact::delete(call).await,
        OperationId::OptOutsQuery => opt_out::query(call).await,
        OperationId::OptOutsCreate => opt_out::create(call).await,
        OperationId::OptOutsDelete => opt_out::delete(call).await,
        OperationId::ShortLinksCreate => short_link::create(call).await,
        OperationId::ShortLinksGet => short_link::get(call).await,
        OperationId::ShortLinksSearch => short_link::search(call).await,
        OperationId::ShortLinksDelete => short_link::delete(call).await,
    }
}

/// Builds the response of a refused call and records the reason in the journal.
pub(crate) fn refuse_call(
    visit: &WorldVisit,
    trace: &mut RequestTrace<'_>,
    family: Family,
    refusal: &RestError,
) -> HttpResponse {
    trace.set_refusal(|| refusal);
    error::error_response(&visit.core(), family, refusal)
}
