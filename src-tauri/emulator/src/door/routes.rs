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
use roost_wire::{RequestPath, RestError};

use super::{
    CalledAt, Kind, LineFault, Visit,
    answer::{HttpResponse, confined, empty, guarded, json, with_allow},
    cors::{self, Page},
    intake::RequestBody,
    looks,
    pipeline::{operation, refused},
    seats::Seat,
};
use crate::{
    access::{Stopped, WORLD_SEGMENT, is_followed, named},
    admin::{self, Refused},
    console,
    handlers::redirect,
    hooks::{self, HOOK},
    journal::{Check, Trace, Why},
    world::{Host, Pass, World},
};

/// The world of the request was reset or removed, so the connection closes without a response.
#[derive(Debug, thiserror::Error)]
#[error("the world of the request was reset or removed")]
pub struct Closed;

/// Answers any request, unless its connection has to end without a response.
pub async fn answer(host: Arc<Host>, caller: Caller, request: Request<Incoming>) -> Result<HttpResponse, LineFault> {
    let (mut parts, incoming) = request.into_parts();
    let is_http_2 = parts.version == Version::HTTP_2;
    if is_http_2 {
        name_host(&mut parts);
    }
    if host.ground.start.public_url.is_none() {
        let address = host.gate.address(&parts.headers, &host.ground.url);
        parts.extensions.insert(CalledAt(address.map(Arc::from)));
    }
    let mut body = RequestBody::new(incoming, host.ground.room.clone(), caller.seat.clone());
    let mut response = answered(&host, &caller, &parts, &mut body).await?;
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
pub struct Caller {
    pub peer: SocketAddr,
    pub seat: Arc<Seat>,
}

/// Marks a response that was built before the body of its request was read. The connection ends after it.
#[derive(Debug, Clone, Copy)]
pub struct UnreadBody;

const CLOSE: HeaderValue = HeaderValue::from_static("close");

/// Routes a request: gate, world, epoch, then the code that answers it. Also records it in the journal.
async fn answered(
    host: &Arc<Host>,
    caller: &Caller,
    parts: &request::Parts,
    body: &mut RequestBody,
) -> Result<HttpResponse, LineFault> {
    let peer = caller.peer;
    let path = RequestPath::parse(parts.uri.path());
    let page = cors::page(&host.gate, &parts.headers, &path);
    let let_in = host.gate.check(&parts.method, &parts.uri, &parts.headers);
    // The console is for its own pages alone.
    let let_in = if page == Page::Stopped { let_in.and(Err(Stopped::Page)) } else { let_in };
    let is_own = is_own(&path);
    let worlds = &host.worlds;
    let picked = match is_own {
        true => Ok(worlds.default_world().clone()),
        false => worlds.pick(named(worlds, &path, &parts.headers, let_in.unwrap_or_default())),
    };
    let world = picked.as_ref().unwrap_or_else(|_| worlds.default_world());
    let mut trace = Trace::begin(&host.ground.tally, world, parts, is_operators(&path));
    if caller.seat.is_reserved() && !is_own {
        let why = Refused::no_connections();
        trace.refuse(|| &why);
        let mut response = finished(trace, parts, why.into_response()).await;
        // HTTP/2 has no such header.
        if parts.version != Version::HTTP_2 {
            response.headers_mut().insert(header::CONNECTION, CLOSE);
        }
        return Ok(response);
    }
    if let_in.is_ok() && page == Page::Listed && cors::is_preflight(parts) {
        return Ok(finished(trace, parts, cors::preflight(parts)).await);
    }
    let visit = match (let_in, picked) {
        (Err(Stopped::Host), _) => {
            trace.refuse(|| Why::gate(Stopped::Host, &parts.headers));
            return Ok(finished(trace, parts, Refused::other_host().into_response()).await);
        }
        (Err(Stopped::Page), ref world) if is_own || world.is_err() => {
            trace.refuse(|| Why::gate(Stopped::Page, &parts.headers));
            return Ok(finished(trace, parts, admin::foreign_page()).await);
        }
        (_, Err(why)) => {
            let why = Refused::from(why);
            trace.refuse(|| &why);
            return Ok(finished(trace, parts, why.into_response()).await);
        }
        (Ok(_), Ok(world)) if is_own => {
            let answered = own(host, &world, parts, &path, body, &mut trace);
            let answered = AssertUnwindSafe(answered).catch_unwind().await;
            let answer = answered.unwrap_or_else(|_| Ok(Refused::internal().into_response()));
            world.keep();
            trace.stands_at(world.core.last_step());
            return match answer {
                Ok(response) => Ok(finished(trace, parts, response).await),
                Err(closed) => Err(overtaken(trace, closed).into()),
            };
        }
        (_, Ok(world)) => {
            world.life.touch();
            let visit = Visit::new(Pass::enter(world).await, looks(&parts.method) || is_hook(&path));
            let visit = visit.called_at(CalledAt::of(parts));
            trace.entered();
            visit.caused_by(trace.number())
        }
    };
    let answered = {
        let inside =
            AssertUnwindSafe(inside(&visit, let_in.err(), peer, parts, &path, body, &mut trace)).catch_unwind();
        tokio::select! {
            biased;
            answered = inside => Some(answered),
            () = visit.pass().ended() => None,
        }
    };
    visit.world().life.touch();
    // State is saved before the caller sees the response.
    if is_hook(&path) {
        visit.world().keep()
    } else {
        visit.world().keep_arranged()
    }
    trace.stands_at(visit.world().core.last_step());
    match answered {
        Some(answered) if !visit.pass().is_old() => {
            let response =
                answered.unwrap_or_else(|_| refused(&visit, &mut trace, path.family(), &RestError::Internal));
            match LineFault::of(&response) {
                // The journal already has the rule and writes the line without a status.
                Some(fault) => Err(fault),
                None => Ok(finished(trace, parts, confined(response)).await),
            }
        }
        _ => Err(overtaken(trace, Closed).into()),
    }
}

/// Copies the authority of HTTP/2 into the header Host, where HTTP/1.1 has it, so that the gate has one thing to check.
/// If both are present and differ, there are two hosts, which the gate refuses.
fn name_host(parts: &mut request::Parts) {
    let Some(authority) = parts.uri.authority().map(Authority::as_str) else { return };
    let is_there =
        parts.headers.get(header::HOST).is_some_and(|host| host.as_bytes().eq_ignore_ascii_case(authority.as_bytes()));
    if !is_there && let Ok(host) = HeaderValue::from_str(authority) {
        parts.headers.append(header::HOST, host);
    }
}

/// Adds the common headers and completes the journal line.
async fn finished(trace: Trace<'_>, parts: &request::Parts, response: HttpResponse) -> HttpResponse {
    tracing::debug!(method = %parts.method, path = parts.uri.path(), status = response.status().as_u16(), "answered");
    trace.finish(guarded(response)).await
}

/// Records that a request is not answered because its world was reset or removed meanwhile.
fn overtaken(mut trace: Trace<'_>, closed: Closed) -> Closed {
    trace.refuse(|| Why::new(Check::Conflict, "The world was reset or removed before the response was sent."));
    closed
}

/// Returns whether the path belongs to the server itself and not to a world.
fn is_own(path: &RequestPath<'_>) -> bool {
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
fn is_hook(path: &RequestPath<'_>) -> bool {
    match path.segments() {
        [first, ..] if first == HOOK => true,
        [first, _, third, ..] => first == WORLD_SEGMENT && third == HOOK,
        _ => false,
    }
}

/// Answers a request to a path of the server itself.
async fn own(
    host: &Arc<Host>,
    world: &Arc<World>,
    parts: &request::Parts,
    path: &RequestPath<'_>,
    body: &mut RequestBody,
    trace: &mut Trace<'_>,
) -> Result<HttpResponse, Closed> {
    match path.segments().first().map(AsRef::as_ref) {
        Some("__console") => {
            trace.operation(Kind::Console);
            // The console shows the journal, so its own requests would add to what it shows.
            trace.forget();
            Ok(console::answer(host, parts, path, body).await)
        }
        Some("openapi.json") => {
            trace.operation(Kind::Document);
            Ok(document(parts))
        }
        _ => admin::answer(host, world, parts, path, body, trace).await,
    }
}

/// Answers a request inside its world.
async fn inside(
    visit: &Visit,
    stopped: Option<Stopped>,
    peer: SocketAddr,
    parts: &request::Parts,
    path: &RequestPath<'_>,
    body: &mut RequestBody,
    trace: &mut Trace<'_>,
) -> HttpResponse {
    let world = visit.world();
    // Short URLs carry the world in their base; in other paths it is a prefix.
    let rest = path.segments().first().is_some_and(|first| first == WORLD_SEGMENT).then(|| path.skip_segments(2));
    let code = [Some(path), rest.as_ref()].into_iter().flatten().find_map(|path| world.short_code(&visit.rules, path));
    if stopped.is_some() {
        return match code {
            // A short link may be followed from anywhere: this shows a page, and no script can read it.
            Some(code) if is_followed(&parts.method, &parts.headers) => {
                redirect::answer(visit, parts, code, trace).await
            }
            _ => {
                trace.refuse(|| Why::gate(Stopped::Page, &parts.headers));
                admin::foreign_page()
            }
        };
    }
    let path = rest.as_ref().unwrap_or(path);
    if is_hook(path) {
        return hooks::answer(visit, parts, path, body, trace).await;
    }
    match path.segments().first().map(AsRef::as_ref) {
        Some("assets" | "contacts") => {}
        _ => {
            if let Some(code) = code {
                return redirect::answer(visit, parts, code, trace).await;
            }
        }
    }
    operation(visit, peer, parts, path, body, trace).await
}

/// Built once, because anybody may request it at any rate.
static DOCUMENT: LazyLock<Bytes> = LazyLock::new(|| roost_wire::openapi::interface_document().to_string().into());

/// Answers with the OpenAPI document of the interface, without a key.
fn document(parts: &request::Parts) -> HttpResponse {
    match parts.method.as_str() {
        "GET" | "HEAD" => json(200, DOCUMENT.clone()),
        "OPTIONS" => with_allow(empty(StatusCode::NO_CONTENT), READ_ONLY),
        _ => with_allow(empty(StatusCode::METHOD_NOT_ALLOWED), READ_ONLY),
    }
}

/// The methods of resources that can only be read.
pub const READ_ONLY: &str = "GET, HEAD, OPTIONS";
