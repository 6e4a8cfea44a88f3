//! Runs a call of an operation through the checks, in the order of the interface.

use std::net::SocketAddr;

use axum::{
    body::to_bytes,
    http::{StatusCode, header, request},
};
use bytes::Bytes;
use hyper::body::Body as _;
use roost_wire::{
    Family, Operation, OperationId, RequestPath, RestError, Route, body::is_json, find_route, strictness::reads_body,
};

use super::{
    Call, Kind, Visit,
    answer::{Answer, HttpResponse, empty, with_allow},
    bounds::NoRoom,
    cache::Asked,
    error,
    intake::{self, Received, RequestBody},
    limits, strictness,
};
use crate::{
    access::{admit, lane_now},
    admin::Refused,
    faults::{self, Fired, Now},
    fidelity,
    handlers::{contact, list, opt_out, sender, short_link},
    journal::{Check, Trace, Why},
};

/// Answers a request to the interface: finds its operation, checks key, limit, body and faults, and runs it.
pub async fn operation(
    visit: &Visit,
    peer: SocketAddr,
    parts: &request::Parts,
    path: &RequestPath<'_>,
    body: &mut RequestBody,
    trace: &mut Trace<'_>,
) -> HttpResponse {
    let (world, rules) = (visit.world(), &visit.rules);
    world.count();
    let core = &world.core;
    let (operation, parameter) = match find_route(parts.method.as_str(), path) {
        Route::Operation { operation, parameter } => (operation, parameter),
        Route::Options { allow } => {
            let response = with_allow(empty(StatusCode::NO_CONTENT), &allow);
            return told(visit, response, || vec!["transport.options"]);
        }
        Route::WrongMethod { allow } => {
            trace.refuse(|| Why::new(Check::Method, format!("The path supports {allow}.")));
            let response = error::wrong_method(&visit.core(), path.family(), &allow);
            return told(visit, response, || vec!["transport.wrong_method"]);
        }
        Route::Unknown => {
            let response = refused(visit, trace, path.family(), &RestError::UnknownPath);
            return told(visit, response, || vec!["transport.unknown_path"]);
        }
    };
    trace.operation(Kind::Operation(operation.id));
    let family = operation.family;
    let caller = match admit(&rules.settings, &parts.headers, peer.ip(), operation) {
        Ok(caller) => caller,
        Err(fault) => {
            trace.refuse(|| fault);
            let refusal = fault.refusal();
            let response = error::response(&visit.core(), family, &refusal);
            return told(visit, response, || fidelity::of_refusal(operation.id, &refusal));
        }
    };
    if let Some((rate, profile)) = limits::in_force(world, rules)
        && let Err(seconds) = world.lanes.take(|| lane_now(core), caller, operation.id, &rate)
    {
        if let Some(profile) = profile {
            trace.rule(|| profile.into());
            world.ground.tally.fault(operation.id);
        }
        trace.refuse(|| limits::words(operation, &rate, seconds));
        let response = error::over_limit(&visit.core(), family, &rules.settings.limit, seconds);
        return told(visit, response, || vec!["limits.bucket", "limits.refusal"]);
    }
    let call = match taken_in(parts, operation, body, trace).await {
        Ok(body) => Call { visit, parameter, query: parts.uri.query().unwrap_or_default(), body },
        Err(refusal) => {
            let is_other_type = reads_body(operation.id) && !has_json(parts) && matches!(refusal, RestError::BadBody);
            let response = refused(visit, trace, family, &refusal);
            return told(visit, response, || match is_other_type {
                true => vec!["transport.content_type"],
                false => fidelity::of_refusal(operation.id, &refusal),
            });
        }
    };
    if world.faults.is_armed() {
        let request = faults::Request { operation, parts, key: caller.0, body: &call.body };
        if let Some(fired) = world.faults.decide(&request, Now::of(core)) {
            return met(&fired, call, operation, parts, trace).await;
        }
    }
    let response = carried_out(call, operation, parts, trace).await;
    told(visit, response, || if parts.method == "HEAD" { vec!["transport.head"] } else { Vec::new() })
}

/// Executes a call and builds its response.
async fn carried_out(
    call: Call<'_>,
    operation: &Operation,
    parts: &request::Parts,
    trace: &mut Trace<'_>,
) -> HttpResponse {
    let (visit, query) = (call.visit, call.query);
    let warnings = match strictness::check(&call, operation.id, parts).await {
        Ok(warnings) => warnings,
        Err(slip) => {
            trace.refuse(|| Why::new(Check::Validation, slip.words));
            let response = refused(visit, trace, operation.family, &slip.refusal);
            return told(visit, response, || fidelity::told(slip.behaviour).into_iter().collect());
        }
    };
    let sets_going = match operation.id {
        OperationId::ContactsCreate => true,
        OperationId::ContactsQuery => visit.world().pump.job_desk().counts_polls(),
        _ => false,
    };
    if sets_going {
        trace.sets_going();
    }
    let mut response = match cached(call, operation).await {
        Ok(answer) => told(visit, answer.into_response(), || fidelity::of_success(operation.id, query)),
        Err(refusal) => {
            let response = refused(visit, trace, operation.family, &refusal);
            told(visit, response, || fidelity::of_refusal(operation.id, &refusal))
        }
    };
    strictness::warn(&mut response, &warnings);
    response
}

/// Names the assumptions that shaped a response, if the settings ask for it.
fn told(visit: &Visit, mut response: HttpResponse, names: impl FnOnce() -> Vec<&'static str>) -> HttpResponse {
    if visit.rules.settings.assumed_header {
        fidelity::mark(&mut response, &names());
    }
    response
}

/// Applies a fault rule to a call.
async fn met(
    fired: &Fired,
    call: Call<'_>,
    operation: &Operation,
    parts: &request::Parts,
    trace: &mut Trace<'_>,
) -> HttpResponse {
    let visit = call.visit;
    trace.rule(|| fired.name.clone());
    visit.world().ground.tally.fault(operation.id);
    let wait = match fired.holds_back().then(|| visit.world().wait()).transpose() {
        Ok(wait) => wait,
        Err(why) => {
            let why = Refused::not_held_back(&fired.name, why);
            trace.refuse(|| &why);
            return why.into_response();
        }
    };
    if !fired.comes_after() {
        fired.pause(visit).await;
    }
    let mut meant = None;
    if fired.comes_after() || !fired.replaces() {
        meant = Some(carried_out(call, operation, parts, trace).await);
    }
    if fired.comes_late() {
        trace.lets_go();
    }
    if fired.comes_after() {
        fired.pause(visit).await;
    }
    if fired.replaces() {
        if let Some(meant) = meant.take() {
            note(trace, meant).await;
        }
        trace.refuse(|| Why::new(Check::Fault, fired.words()));
    }
    fired.stage(visit, operation.family, meant, wait).await
}

/// Records the response that the fault replaces. A streamed one is not produced just for this.
async fn note(trace: &mut Trace<'_>, meant: HttpResponse) {
    let (parts, body) = meant.into_parts();
    let body = match body.size_hint().exact() {
        Some(_) => to_bytes(body, usize::MAX).await.unwrap_or_default(),
        None => Bytes::new(),
    };
    trace.meant(parts.status.as_u16(), &body);
}

fn has_json(parts: &request::Parts) -> bool {
    is_json(parts.headers.get(header::CONTENT_TYPE).map(|value| value.as_bytes()))
}

/// Receives the body of a call and checks its media type.
async fn taken_in(
    parts: &request::Parts,
    operation: &Operation,
    body: &mut RequestBody,
    trace: &mut Trace<'_>,
) -> Result<Received, RestError> {
    let body = body.read().await.map_err(|fault| match fault {
        intake::Fault::TooLarge => RestError::BodyTooLarge,
        intake::Fault::NoRoom(why) => {
            trace.refuse(|| Why::new(Check::Limits, format!("{why} {}", NoRoom::HINT)));
            RestError::Busy
        }
        intake::Fault::Broken => {
            trace.refuse(|| Why::new(Check::Parsing, "The body ended early, or arrived too slowly."));
            RestError::BadBody
        }
    })?;
    trace.body(&body);
    if reads_body(operation.id) && !has_json(parts) {
        trace.refuse(|| Why::new(Check::Parsing, "Send the header Content-Type: application/json."));
        return Err(RestError::BadBody);
    }
    Ok(body)
}

/// Returns whether responses of an operation are cached while nothing changes.
fn is_kept(id: OperationId) -> bool {
    matches!(
        id,
        OperationId::SendersQuery
            | OperationId::SendersGet
            | OperationId::ListsQuery
            | OperationId::ContactsQuery
            | OperationId::ShortLinksGet
    )
}

/// Answers a call from the cache if possible, and otherwise fills the cache.
async fn cached(call: Call<'_>, operation: &Operation) -> Result<Answer, RestError> {
    if operation.id == OperationId::ContactsQuery {
        call.visit.world().looked_at(call.parameter).await;
    }
    // A kept short link has the address in it by which most callers call.
    if !is_kept(operation.id) || operation.id == OperationId::ShortLinksGet && call.visit.is_called_elsewhere() {
        return handled(call, operation.id).await;
    }
    let (world, rules) = (call.visit.world(), &call.visit.rules);
    let asked = Asked { operation: operation.id, parameter: call.parameter, query: call.query };
    let before = world.state(rules);
    if let Some(body) = world.cache.get(before, &asked) {
        return Ok(Answer::Json(200, body));
    }
    let answer = handled(call, operation.id).await?;
    if let Answer::Json(200, body) = &answer {
        world.cache.put(before, world.state(rules), &asked, body);
    }
    Ok(answer)
}

/// Calls the handler of an operation.
async fn handled(call: Call<'_>, id: OperationId) -> Result<Answer, RestError> {
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
pub fn refused(visit: &Visit, trace: &mut Trace<'_>, family: Family, refusal: &RestError) -> HttpResponse {
    trace.refuse(|| refusal);
    error::response(&visit.core(), family, refusal)
}
