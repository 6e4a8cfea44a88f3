//! Routes a request to its world and to the code that answers it there.

use std::{
    net::SocketAddr,
    panic::AssertUnwindSafe,
    sync::{Arc, LazyLock},
};

use axum::http::{HeaderValue, Request, StatusCode, Version, header, request, uri::Authority};
use bytes::Bytes;
use futures_util::FutureExt;
use hyper::body::Incoming;
use roost_journal::{RefusalCause, RefusalCheck};
use roost_wire::{RequestPath, RestError, Route, find_route};

use super::receive::receive_call;
use crate::{
    access::{GateRefusal, WORLD_SEGMENT, is_link_navigation},
    admin::{self, AdminError},
    door::{CalledAt, RequestTrace, WorldVisit, is_read_only},
    handlers::redirect,
    hooks::HOOK_SEGMENT,
    http::{
        ConnectionFault, RequestKind, RequestOvertaken,
        request_body::RequestBody,
        response::{
            HttpResponse, READ_ONLY, confine_response, empty_response, guard_response, json_response, with_allow,
        },
        seats::ConnectionSeat,
    },
    server::{
        console,
        dispatch::{
            cors::{self, Page},
            pipeline::{answer_operation, refuse_call},
            select::find_world_names,
        },
    },
    world::{Host, World, WorldNotFound, WorldPass},
};

/// Answers any request, unless its connection has to end without a response.
pub(crate) async fn answer_request(
    host: Arc<Host>,
    caller: RemoteCaller,
    request: Request<Incoming>,
) -> Result<HttpResponse, ConnectionFault> {
    let (mut parts, incoming) = request.into_parts();
    let is_http_2 = parts.version == Version::HTTP_2;
    if is_http_2 {
        copy_authority(&mut parts);
    }
    if host.resources.start.public_url.is_none()
        && let Some(address) = host.gate.address(&parts.headers, &host.resources.url)
    {
        parts.extensions.insert(CalledAt(Some(address.into())));
    }
    let mut body = RequestBody::new(incoming, host.resources.capacity.clone(), caller.seat.clone());
    let mut response = route_request(&host, &caller, &parts, &mut body).await?;
    cors::let_read(&mut response, &host.gate, &parts);
    // Over HTTP/2, only the stream ends.
    if !is_http_2 && !body.discard().await {
        response.headers_mut().insert(header::CONNECTION, CLOSE);
        response.extensions_mut().insert(UnreadBody);
    }
    Ok(response)
}

/// The caller of a request: its address and its connection.
#[derive(Clone)]
pub(crate) struct RemoteCaller {
    pub peer: SocketAddr,
    pub seat: Arc<ConnectionSeat>,
}

/// Marks a response that was built before the body of its request was read. The connection ends after it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct UnreadBody;

const CLOSE: HeaderValue = HeaderValue::from_static("close");

/// Routes a request: gate, world, epoch, then the code that answers it. Also records it in the journal.
async fn route_request(
    host: &Arc<Host>,
    caller: &RemoteCaller,
    parts: &request::Parts,
    body: &mut RequestBody,
) -> Result<HttpResponse, ConnectionFault> {
    let peer = caller.peer;
    let path = RequestPath::parse(parts.uri.path());
    let page = cors::page(&host.gate, &parts.headers, &path);
    let let_in = host.gate.check(&parts.method, &parts.uri, &parts.headers);
    // The console is for its own pages alone.
    let let_in = if page == Page::Stopped { let_in.and(Err(GateRefusal::Page)) } else { let_in };
    let is_own = is_server_path(&path);
    let worlds = &host.worlds;
    let picked = match is_own {
        true => Ok(worlds.default_world().clone()),
        false => worlds.pick_world(find_world_names(worlds, &path, &parts.headers, let_in.unwrap_or_default())),
    };
    let world = picked.as_ref().unwrap_or_else(|_| worlds.default_world());
    let mut trace = RequestTrace::begin(&host.resources.tally, world, parts, is_operators(&path));
    if caller.seat.is_reserved() && !is_own {
        let why = AdminError::no_connections();
        trace.set_refusal(|| &why);
        let mut response = finish_response(trace, parts, why.into_response()).await;
        // HTTP/2 has no such header.
        if parts.version != Version::HTTP_2 {
            response.headers_mut().insert(header::CONNECTION, CLOSE);
        }
        return Ok(response);
    }
    if let_in.is_ok() && page == Page::Listed && cors::is_preflight(parts) {
        return Ok(finish_response(trace, parts, cors::preflight(parts)).await);
    }
    let visit = match (let_in, picked) {
        (Err(GateRefusal::Host), _) => {
            trace.set_refusal(|| GateRefusal::Host.to_cause(&parts.headers));
            return Ok(finish_response(trace, parts, AdminError::other_host().into_response()).await);
        }
        (Err(GateRefusal::Page), ref world) if is_own || world.is_err() => {
            trace.set_refusal(|| GateRefusal::Page.to_cause(&parts.headers));
            return Ok(finish_response(trace, parts, admin::foreign_page_response()).await);
        }
        (_, Err(why)) => {
            let is_unknown = matches!(why, WorldNotFound::Unknown { .. });
            let why = AdminError::from(why);
            trace.set_refusal(|| match (RefusalCause::from(&why), is_unknown) {
                (cause, true) => RefusalCause { check: RefusalCheck::World, ..cause },
                (cause, false) => cause,
            });
            return Ok(finish_response(trace, parts, why.into_response()).await);
        }
        (Ok(_), Ok(world)) if is_own => {
            let answered = answer_server_path(host, &world, parts, &path, body, &mut trace);
            let answered = AssertUnwindSafe(answered).catch_unwind().await;
            let answer = answered.unwrap_or_else(|_| Ok(AdminError::internal().into_response()));
            world.persist();
            trace.set_step(world.core.last_step());
            return match answer {
                Ok(response) => Ok(finish_response(trace, parts, response).await),
                Err(closed) => Err(record_overtaken(trace, closed).into()),
            };
        }
        (_, Ok(world)) => {
            world.lifetime.mark_used();
            let visit =
                WorldVisit::new(WorldPass::enter(world).await, is_read_only(&parts.method) || is_receiver_path(&path));
            let visit = visit.called_at(CalledAt::from_parts(parts));
            trace.enter_world();
            visit.with_cause(trace.number())
        }
    };
    let answered = {
        let inside = AssertUnwindSafe(answer_in_world(&visit, let_in.err(), peer, parts, &path, body, &mut trace))
            .catch_unwind();
        tokio::select! {
            biased;
            answered = inside => Some(answered),
            () = visit.pass().wait_until_ended() => None,
        }
    };
    visit.world().lifetime.mark_used();
    // State is saved before the caller sees the response.
    if is_receiver_path(&path) {
        visit.world().persist()
    } else {
        visit.world().persist_after_request()
    }
    trace.set_step(visit.world().core.last_step());
    match answered {
        Some(answered) if !visit.pass().has_ended() => {
            let response =
                answered.unwrap_or_else(|_| refuse_call(&visit, &mut trace, path.family(), &RestError::Internal));
            match ConnectionFault::from_response(&response) {
                // The journal already has the rule and writes the line without a status.
                Some(fault) => Err(fault),
                None => Ok(finish_response(trace, parts, confine_response(response)).await),
            }
        }
        _ => Err(record_overtaken(trace, RequestOvertaken).into()),
    }
}

/// Copies the authority of HTTP/2 into the header Host, where HTTP/1.1 has it, so that the gate has one thing to check.
/// If both are present and differ, there are two hosts, which the gate refuses.
fn copy_authority(parts: &mut request::Parts) {
    let Some(authority) = parts.uri.authority().map(Authority::as_str) else { return };
    let is_there =
        parts.headers.get(header::HOST).is_some_and(|host| host.as_bytes().eq_ignore_ascii_case(authority.as_bytes()));
    if !is_there && let Ok(host) = HeaderValue::from_str(authority) {
        parts.headers.append(header::HOST, host);
    }
}

/// Adds the common headers and completes the journal line.
async fn finish_response(trace: RequestTrace<'_>, parts: &request::Parts, response: HttpResponse) -> HttpResponse {
    let status = response.status().as_u16();
    tracing::debug!(operation = operation_name(parts), status, "answered");
    trace.finish(guard_response(response)).await
}

/// Names what a request was about. Its method and its path may hold anything, so neither is logged.
fn operation_name(parts: &request::Parts) -> &'static str {
    match find_route(parts.method.as_str(), &RequestPath::parse(parts.uri.path())) {
        Route::Operation { operation, .. } => operation.name,
        _ => "other",
    }
}

/// Records that a request is not answered because its world was reset or removed meanwhile.
fn record_overtaken(mut trace: RequestTrace<'_>, closed: RequestOvertaken) -> RequestOvertaken {
    trace.set_refusal(|| {
        RefusalCause::new(RefusalCheck::Conflict, "The world was reset or removed before the response was sent.")
    });
    closed
}

/// Returns whether the path belongs to the server itself and not to a world.
fn is_server_path(path: &RequestPath<'_>) -> bool {
    match path.segments() {
        [first, ..] if matches!(first.as_ref(), "__admin" | "__console") => true,
        [only] => matches!(only.as_ref(), "openapi.json" | "livez" | "readyz"),
        _ => false,
    }
}

/// Returns whether the path belongs to the admin interface or to the health checks.
fn is_operators(path: &RequestPath<'_>) -> bool {
    match path.segments() {
        [first, ..] if first == "__admin" => true,
        [only] => matches!(only.as_ref(), "livez" | "readyz"),
        _ => false,
    }
}

/// Returns whether the path is one of a built-in receiver, in any world.
fn is_receiver_path(path: &RequestPath<'_>) -> bool {
    match path.segments() {
        [first, ..] if first == HOOK_SEGMENT => true,
        [first, _, third, ..] => first == WORLD_SEGMENT && third == HOOK_SEGMENT,
        _ => false,
    }
}

/// Answers a request to a path of the server itself.
async fn answer_server_path(
    host: &Arc<Host>,
    world: &Arc<World>,
    parts: &request::Parts,
    path: &RequestPath<'_>,
    body: &mut RequestBody,
    trace: &mut RequestTrace<'_>,
) -> Result<HttpResponse, RequestOvertaken> {
    match path.segments().first().map(AsRef::as_ref) {
        Some("__console") => {
            trace.set_operation(RequestKind::Console);
            // The console shows the journal, so its own requests would add to what it shows.
            trace.discard();
            Ok(console::answer_console(host, parts, path, body).await)
        }
        Some("openapi.json") => {
            trace.set_operation(RequestKind::Document);
            Ok(document_response(parts))
        }
        _ => admin::answer_admin(host, world, parts, path, body, trace).await,
    }
}

/// Answers a request inside its world.
async fn answer_in_world(
    visit: &WorldVisit,
    stopped: Option<GateRefusal>,
    peer: SocketAddr,
    parts: &request::Parts,
    path: &RequestPath<'_>,
    body: &mut RequestBody,
    trace: &mut RequestTrace<'_>,
) -> HttpResponse {
    let world = visit.world();
    // Short URLs carry the world in their base; in other paths it is a prefix.
    let rest = path.segments().first().is_some_and(|first| first == WORLD_SEGMENT).then(|| path.skip_segments(2));
    let code = [Some(path), rest.as_ref()].into_iter().flatten().find_map(|path| world.short_code(&visit.rules, path));
    if stopped.is_some() {
        return match code {
            // A short link may be followed from anywhere: this shows a page, and no script can read it.
            Some(code) if is_link_navigation(&parts.method, &parts.headers) => {
                redirect::open_short_url(visit, parts, code, trace).await
            }
            _ => {
                trace.set_refusal(|| GateRefusal::Page.to_cause(&parts.headers));
                admin::foreign_page_response()
            }
        };
    }
    let path = rest.as_ref().unwrap_or(path);
    if is_receiver_path(path) {
        return receive_call(visit, parts, path, body, trace).await;
    }
    match path.segments().first().map(AsRef::as_ref) {
        Some("assets" | "contacts") => {}
        _ => {
            if let Some(code) = code {
                return redirect::open_short_url(visit, parts, code, trace).await;
            }
        }
    }
    answer_operation(visit, peer, parts, path, body, trace).await
}

/// Built once, because anybody may request it at any rate.
static DOCUMENT: LazyLock<Bytes> = LazyLock::new(|| roost_wire::openapi::interface_document().to_string().into());

/// Answers with the OpenAPI document of the interface, without a key.
fn document_response(parts: &request::Parts) -> HttpResponse {
    match parts.method.as_str() {
        "GET" | "HEAD" => json_response(200, DOCUMENT.clone()),
        "OPTIONS" => with_allow(empty_response(StatusCode::NO_CONTENT), READ_ONLY),
        _ => with_allow(empty_response(StatusCode::METHOD_NOT_ALLOWED), READ_ONLY),
    }
}
