//! From a request to its handler, in the order the interface's checks have.

use std::{net::SocketAddr, panic::AssertUnwindSafe, sync::Arc};

use axum::http::{Request, StatusCode, header, request};
use bytes::Bytes;
use futures_util::FutureExt;
use hyper::body::Incoming;
use roost_wire::{Operation, OperationId, Path, Refusal, Route, body::is_json, route};

use crate::{
    access::admit,
    admin,
    answer::{Answer, HttpResponse, empty, guarded, json, with_allow},
    cache::Asked,
    console, error,
    gate::{self, Stopped},
    handlers::{contact, list, opt_out, redirect, sender, short_link},
    intake,
    settings::Limits,
    world::{Rules, World},
};

/// Answers any request there can be.
pub async fn answer(world: Arc<World>, peer: SocketAddr, request: Request<Incoming>) -> HttpResponse {
    let (parts, body) = request.into_parts();
    let routed = AssertUnwindSafe(routed(&world, peer, &parts, body)).catch_unwind().await;
    let response = routed
        .unwrap_or_else(|_| error::response(&world.core, Path::parse(parts.uri.path()).family(), &Refusal::Internal));
    tracing::debug!(method = %parts.method, path = parts.uri.path(), status = response.status().as_u16(), "answered");
    guarded(response)
}

async fn routed(world: &Arc<World>, peer: SocketAddr, parts: &request::Parts, body: Incoming) -> HttpResponse {
    let path = Path::parse(parts.uri.path());
    let rules = world.rules();
    if let Err(stopped) = world.gate.check(&parts.method, &parts.uri, &parts.headers) {
        return match (stopped, path.below(&rules.short_path)) {
            // A short link is there to be followed from anywhere; following shows a page, it does not read for one.
            (Stopped::Page, Some([code])) if gate::is_followed(&parts.method, &parts.headers) => {
                redirect::answer(world, &rules, parts, code).await
            }
            (Stopped::Page, _) => admin::foreign_page(),
            (Stopped::Host, _) => empty(stopped.status()),
        };
    }
    match path.segments().first().map(AsRef::as_ref) {
        Some("__admin") => return admin::answer(world, parts, &path, body).await,
        Some("__console") => return console::answer(world, parts, &path, body).await,
        Some("openapi.json") if path.segments().len() == 1 => return document(parts),
        Some("assets" | "contacts") => {}
        _ => {
            if let Some([code]) = path.below(&rules.short_path) {
                return redirect::answer(world, &rules, parts, code).await;
            }
        }
    }
    operation(world, &rules, peer, parts, &path, body).await
}

async fn operation(
    world: &Arc<World>,
    rules: &Arc<Rules>,
    peer: SocketAddr,
    parts: &request::Parts,
    path: &Path<'_>,
    body: Incoming,
) -> HttpResponse {
    let core = &world.core;
    let (operation, parameter) = match route(parts.method.as_str(), path) {
        Route::Operation { operation, parameter } => (operation, parameter),
        Route::Options { allow } => return with_allow(empty(StatusCode::NO_CONTENT), &allow),
        Route::WrongMethod { allow } => return error::wrong_method(core, path.family(), &allow),
        Route::Unknown => return error::response(core, path.family(), &Refusal::UnknownPath),
    };
    let family = operation.family;
    let caller = match admit(&rules.settings, &parts.headers, peer.ip(), operation) {
        Ok(caller) => caller,
        Err(refusal) => return error::response(core, family, &refusal),
    };
    if rules.settings.limits == Limits::On
        && let Err(seconds) = world.lanes.take(caller, operation.id, rules.settings.per_second)
    {
        return error::too_many(core, family, seconds);
    }
    let call = match taken_in(parts, operation, body).await {
        Ok(body) => Call { world, rules, parameter, query: parts.uri.query().unwrap_or_default(), body },
        Err(refusal) => return error::response(core, family, &refusal),
    };
    match cached(call, operation).await {
        Ok(answer) => answer.into_response(),
        Err(refusal) => error::response(core, family, &refusal),
    }
}

/// One call of an operation, let in and taken in.
pub struct Call<'a> {
    pub world: &'a Arc<World>,
    pub rules: &'a Arc<Rules>,
    /// The identifier in the path.
    pub parameter: &'a str,
    pub query: &'a str,
    pub body: Bytes,
}

/// Operations whose body says something; every other body is read and left aside.
fn reads_body(id: OperationId) -> bool {
    matches!(
        id,
        OperationId::ListsCreate
            | OperationId::ContactsCreate
            | OperationId::OptOutsCreate
            | OperationId::OptOutsDelete
            | OperationId::ShortLinksCreate
            | OperationId::ShortLinksSearch
    )
}

async fn taken_in(parts: &request::Parts, operation: &Operation, body: Incoming) -> Result<Bytes, Refusal> {
    let body = intake::body(body).await.map_err(|fault| match fault {
        intake::Fault::TooLarge => Refusal::BodyTooLarge,
        intake::Fault::Broken => Refusal::BadBody,
    })?;
    if reads_body(operation.id) && !is_json(parts.headers.get(header::CONTENT_TYPE).map(|value| value.as_bytes())) {
        return Err(Refusal::BadBody);
    }
    Ok(body)
}

/// Operations whose answers are kept while nothing changes.
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

async fn cached(call: Call<'_>, operation: &Operation) -> Result<Answer, Refusal> {
    if !is_kept(operation.id) {
        return handled(call, operation.id).await;
    }
    let (world, rules) = (call.world, call.rules);
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

async fn handled(call: Call<'_>, id: OperationId) -> Result<Answer, Refusal> {
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

/// The interface described; anybody may read it.
fn document(parts: &request::Parts) -> HttpResponse {
    match parts.method.as_str() {
        "GET" | "HEAD" => json(200, roost_wire::openapi::document().to_string()),
        "OPTIONS" => with_allow(empty(StatusCode::NO_CONTENT), READ_ONLY),
        _ => with_allow(empty(StatusCode::METHOD_NOT_ALLOWED), READ_ONLY),
    }
}

/// Methods of what can only be looked at.
pub const READ_ONLY: &str = "GET, HEAD, OPTIONS";
