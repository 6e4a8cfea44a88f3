//! The admin interface under `/__admin`: what the service's own web application does for the service, and what tests
//! need.

mod account;
mod document;
mod error;
mod faults;
mod index;
mod journal;
mod local;
mod route;
mod rules;
mod state;
mod table;
mod time;
mod work;
mod worlds;

use std::{io::Write as _, sync::Arc};

use axum::{
    body::Body,
    http::{HeaderMap, StatusCode, header, request},
};
use bytes::Bytes;
use roost_wire::RequestPath;
use serde_json::Value;

pub use document::admin_document;
pub(crate) use error::AdminError;
pub use journal::closest_routes;
pub use local::AdminRefusal;
pub(crate) use local::run_local_request;
pub use route::AdminRoute;
pub use table::admin_routes;

use self::{
    route::{AdminAct, AdminRequest, HostRequest, JsonAct, RouteAccess, RouteSubject},
    rules::warnings::ChangeWarnings,
};
use crate::{
    access::TokenScope,
    door::{CalledAt, RequestTrace, WorldVisit},
    http::{
        RequestKind, RequestOvertaken,
        bounds::ServerCapacity,
        request_body::{ReceivedBody, RequestBody},
        response::{HttpResponse, JSON_TYPE, empty_response, json_response, typed_response, with_allow},
    },
    work::{LongResponseError, MEMORY_MAX, make_long_response},
    world::{Host, UseGuard, World, WorldPass},
};

/// Builds the response to a page of another origin. It reveals nothing else.
pub(crate) fn foreign_page_response() -> HttpResponse {
    AdminError::foreign_page().into_response()
}

/// Answers a request of the operator. Returns an error without a response if the world is reset meanwhile.
pub(crate) async fn answer_admin(
    host: &Arc<Host>,
    default: &Arc<World>,
    parts: &request::Parts,
    path: &RequestPath<'_>,
    body: &mut RequestBody,
    trace: &mut RequestTrace<'_>,
) -> Result<HttpResponse, RequestOvertaken> {
    trace.set_operation(RequestKind::Admin);
    match route_request(host, default, parts, path, body, trace).await {
        Ok(response) => Ok(response),
        Err(ActFailure::Refused(refused)) => {
            trace.set_refusal(|| &refused);
            Ok(refused.into_response())
        }
        Err(ActFailure::Closed) => Err(RequestOvertaken),
    }
}

/// The reason why an act has no successful response.
enum ActFailure {
    Refused(AdminError),
    Closed,
}

impl<E: Into<AdminError>> From<E> for ActFailure {
    fn from(error: E) -> Self {
        Self::Refused(error.into())
    }
}

/// Returns what the bearer token gives access to. There is no other way to authorise.
pub(crate) fn authorise(host: &Host, headers: &HeaderMap) -> Result<TokenScope, AdminError> {
    let given = headers.get(header::AUTHORIZATION).map(|value| value.as_bytes()).unwrap_or_default();
    let token = match given.split_at_checked(7) {
        Some((scheme, token)) if scheme.eq_ignore_ascii_case(b"bearer ") => token.trim_ascii(),
        _ => return Err(AdminError::unauthorized()),
    };
    host.tokens.find_scope(token).ok_or_else(AdminError::unauthorized)
}

/// Authorises a request to the server itself, for which the token of a world is not enough.
pub(crate) fn authorise_host(host: &Host, headers: &HeaderMap) -> Result<(), AdminError> {
    match authorise(host, headers)? {
        TokenScope::Host => Ok(()),
        TokenScope::World(own) => Err(AdminError::out_of_scope(&own)),
    }
}

async fn route_request(
    host: &Arc<Host>,
    default: &Arc<World>,
    parts: &request::Parts,
    path: &RequestPath<'_>,
    body: &mut RequestBody,
    trace: &mut RequestTrace<'_>,
) -> Result<HttpResponse, ActFailure> {
    let method = if parts.method == "HEAD" { "GET" } else { parts.method.as_str() };
    let candidates: Vec<_> =
        admin_routes().iter().filter_map(|route| path.match_template(route.path).map(|found| (route, found))).collect();
    let found = candidates.iter().find(|(route, _)| route.method == method);
    let scope = match found {
        Some((route, _)) if route.access == RouteAccess::Open => None,
        _ => Some(authorise(host, &parts.headers)?),
    };
    if body.is_reserved() && matches!(scope, Some(TokenScope::World(_))) {
        return Err(AdminError::no_connections().into());
    }
    let Some((route, parameters)) = found else {
        if candidates.is_empty() {
            return Err(AdminError::unknown_route(method, parts.uri.path()).into());
        }
        let allow = allow_header(candidates.iter().map(|(route, _)| route.method));
        return Ok(match method {
            "OPTIONS" => with_allow(empty_response(StatusCode::NO_CONTENT), &allow),
            _ => with_allow(AdminError::wrong_method(method, parts.uri.path(), &allow).into_response(), &allow),
        });
    };
    trace.set_route(route.name);
    let mut parameters = parameters.iter();
    let named = if route.subject == RouteSubject::NamedWorld { parameters.next().copied() } else { None };
    let world = resolve_world(host, default, route.subject, named, scope)?;
    // A request that waits counts as a use of the world, so that the world does not expire.
    let _held = UseGuard::new(world.clone());
    table::queries::check_query(route, parts.uri.query().unwrap_or_default())?;
    if route.withholds_body {
        trace.withhold_body();
    }
    if route.is_unrecorded {
        trace.discard();
    }
    // Open routes take no body, so that nobody can make the server read one without a token.
    let body = match route.access {
        RouteAccess::Open => ReceivedBody::default(),
        _ => body.read().await?,
    };
    trace.set_body(&body);
    check_unread_body(route, &body)?;
    let request = AdminRequest {
        parameters: parameters.map(|p| (*p).to_owned()).collect(),
        query: parts.uri.query().unwrap_or_default().to_owned(),
        body,
        last_event_id: parts.headers.get("last-event-id").and_then(|id| id.to_str().ok()).map(str::to_owned),
        called_at: CalledAt::from_parts(parts),
        warnings: ChangeWarnings::default(),
    };
    let warnings = request.warnings.clone();
    let written = match &route.act {
        AdminAct::Json(act) => {
            // What the request starts in another world is recorded in the journal of that world.
            if route.method != "GET" && Arc::ptr_eq(&world, default) {
                trace.hold_followers();
            }
            run_json_act(route, act.clone(), world, request).await?
        }
        AdminAct::Stream(act) => {
            return Ok(stream_response(WorldVisit::for_reading(WorldPass::enter(world).await), request, *act).await?);
        }
        AdminAct::Host(act) => act(HostRequest { host: host.clone(), world, request }).await?,
        AdminAct::Response(act) => return Ok(act(HostRequest { host: host.clone(), world, request }).await?),
    };
    let mut response = match route.status {
        204 => empty_response(StatusCode::NO_CONTENT),
        status => long_json_response(&host.resources.capacity, status, written.into()).await?,
    };
    warnings.add_to(&mut response);
    Ok(response)
}

/// Refuses a body with members where the route reads none.
fn check_unread_body(route: &AdminRoute, body: &[u8]) -> Result<(), AdminError> {
    let is_empty = || match serde_json::from_slice(body) {
        Ok(Value::Null) => true,
        Ok(Value::Object(members)) => members.is_empty(),
        _ => body.trim_ascii().is_empty(),
    };
    match route.request.is_some() || route.method == "GET" || is_empty() {
        true => Ok(()),
        false => Err(AdminError::unread_body(route.queries)),
    }
}

/// Runs an act on the account, and fails if the world is reset meanwhile.
async fn run_json_act(
    route: &AdminRoute,
    act: JsonAct,
    world: Arc<World>,
    request: AdminRequest,
) -> Result<Vec<u8>, ActFailure> {
    let turn = match route.is_query {
        true => Some(world.resources.capacity.acquire_query_turn().await.map_err(AdminError::busy)?),
        false => None,
    };
    let pass = WorldPass::enter(world).await;
    let only_looks = route.method == "GET" || route.is_unrecorded;
    let visit = if only_looks { WorldVisit::for_reading(pass) } else { WorldVisit::new(pass, false) };
    let visit = visit.called_at(request.called_at.clone());
    let done = tokio::task::spawn_blocking(move || {
        let _turn = turn;
        (act(&visit, &request), visit)
    });
    let (answer, visit) = done.await.map_err(|_| AdminError::internal())?;
    if visit.pass().has_ended() {
        return Err(ActFailure::Closed);
    }
    Ok(answer?)
}

/// Returns the world that a request is about, if the token gives access to it.
fn resolve_world(
    host: &Host,
    default: &Arc<World>,
    place: RouteSubject,
    named: Option<&str>,
    scope: Option<TokenScope>,
) -> Result<Arc<World>, AdminError> {
    match (place, scope) {
        (_, None) => Ok(default.clone()),
        (RouteSubject::Host, Some(TokenScope::World(own))) => Err(AdminError::out_of_scope(&own)),
        (RouteSubject::NamedWorld, Some(TokenScope::World(own))) if named != Some(own.as_str()) => {
            Err(AdminError::out_of_scope(&own))
        }
        (RouteSubject::World, Some(TokenScope::World(own))) => {
            host.worlds.get(own.as_str()).ok_or_else(|| AdminError::unknown_world(own.as_str()))
        }
        (RouteSubject::NamedWorld, Some(_)) => {
            let named = named.unwrap_or_default();
            host.worlds.get(named).ok_or_else(|| AdminError::unknown_world(named))
        }
        (RouteSubject::Host | RouteSubject::World, Some(TokenScope::Host)) => Ok(default.clone()),
    }
}

/// Builds a JSON response. A long text waits for its reader in a file instead of memory.
async fn long_json_response(room: &Arc<ServerCapacity>, status: u16, text: Bytes) -> Result<HttpResponse, AdminError> {
    if text.len() <= MEMORY_MAX {
        return Ok(json_response(status, text));
    }
    let response = make_long_response(room, move |out| out.write_all(&text).map_err(|_| AdminError::internal())).await;
    let (spool, ()) = response.map_err(to_admin_error)?;
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::OK);
    Ok(typed_response(status, Body::from_stream(spool.into_stream(None)), JSON_TYPE))
}

fn to_admin_error(why: LongResponseError<AdminError>) -> AdminError {
    match why {
        LongResponseError::BoundReached(why) => AdminError::busy(why),
        LongResponseError::Failed(refused) => refused,
        LongResponseError::Broken => AdminError::internal(),
    }
}

/// Produces a long response completely before sending it: a slow reader must not hold the account, and a failure must
/// not truncate the response.
async fn stream_response(
    visit: WorldVisit,
    request: AdminRequest,
    act: route::StreamAct,
) -> Result<HttpResponse, AdminError> {
    let room = visit.world().resources.capacity.clone();
    let response = make_long_response(&room, move |out| act(&visit, &request, out)).await;
    let (spool, media) = response.map_err(to_admin_error)?;
    Ok(typed_response(StatusCode::OK, Body::from_stream(spool.into_stream(None)), media))
}

fn allow_header(methods: impl Iterator<Item = &'static str>) -> String {
    let mut allow: Vec<&str> = Vec::new();
    for method in methods {
        allow.extend(if method == "GET" { ["GET", "HEAD"].as_slice() } else { std::slice::from_ref(&method) });
    }
    allow.push("OPTIONS");
    allow.join(", ")
}
