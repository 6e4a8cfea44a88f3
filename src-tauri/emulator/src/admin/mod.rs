//! The admin interface under `/__admin`: what the service's own web application does for the service, and what tests
//! need.

mod account;
mod document;
mod faults;
mod index;
mod journal;
mod refused;
mod route;
mod rules;
mod state;
mod table;
mod time;
mod within;
mod work;
mod worlds;

use std::{io::Write as _, sync::Arc};

use axum::{
    body::Body,
    http::{HeaderMap, StatusCode, header, request},
};
use bytes::Bytes;
use roost_wire::RequestPath;

pub use document::admin_document;
pub use journal::closest_routes;
pub use refused::{Refused, nearest};
pub use route::AdminRoute;
pub use table::admin_routes;
pub use within::{Declined, operate};

use self::route::{Access, Act, Asked, JsonAct, Place, Whole};
use crate::{
    access::Scope,
    door::{
        CalledAt, Closed, Kind, Visit,
        answer::{HttpResponse, JSON, empty, json, with_allow, with_type},
        bounds::Room,
        intake::{Received, RequestBody},
    },
    journal::Trace,
    work::{IN_MEMORY, NotMade, make_long_answer},
    world::{Held, Host, Pass, World},
};

/// Builds the response to a page of another origin. It reveals nothing else.
pub fn foreign_page() -> HttpResponse {
    Refused::foreign_page().into_response()
}

/// Answers a request of the operator. Returns an error without a response if the world is reset meanwhile.
pub async fn answer(
    host: &Arc<Host>,
    default: &Arc<World>,
    parts: &request::Parts,
    path: &RequestPath<'_>,
    body: &mut RequestBody,
    trace: &mut Trace<'_>,
) -> Result<HttpResponse, Closed> {
    trace.operation(Kind::Admin);
    match routed(host, default, parts, path, body, trace).await {
        Ok(response) => Ok(response),
        Err(Ended::Refused(refused)) => {
            trace.refuse(|| &refused);
            Ok(refused.into_response())
        }
        Err(Ended::Closed) => Err(Closed),
    }
}

/// The reason why an act has no successful response.
enum Ended {
    Refused(Refused),
    Closed,
}

impl<E: Into<Refused>> From<E> for Ended {
    fn from(error: E) -> Self {
        Self::Refused(error.into())
    }
}

/// Returns what the bearer token gives access to. There is no other way to authorise.
pub fn authorise(host: &Host, headers: &HeaderMap) -> Result<Scope, Refused> {
    let given = headers.get(header::AUTHORIZATION).map(|value| value.as_bytes()).unwrap_or_default();
    let token = match given.split_at_checked(7) {
        Some((scheme, token)) if scheme.eq_ignore_ascii_case(b"bearer ") => token.trim_ascii(),
        _ => return Err(Refused::unauthorized()),
    };
    host.tokens.find(token).ok_or_else(Refused::unauthorized)
}

/// Authorises a request to the server itself, for which the token of a world is not enough.
pub fn authorise_host(host: &Host, headers: &HeaderMap) -> Result<(), Refused> {
    match authorise(host, headers)? {
        Scope::Host => Ok(()),
        Scope::World(own) => Err(Refused::out_of_scope(&own)),
    }
}

async fn routed(
    host: &Arc<Host>,
    default: &Arc<World>,
    parts: &request::Parts,
    path: &RequestPath<'_>,
    body: &mut RequestBody,
    trace: &mut Trace<'_>,
) -> Result<HttpResponse, Ended> {
    let method = if parts.method == "HEAD" { "GET" } else { parts.method.as_str() };
    let here: Vec<_> =
        admin_routes().iter().filter_map(|route| path.match_template(route.path).map(|found| (route, found))).collect();
    let found = here.iter().find(|(route, _)| route.method == method);
    let scope = match found {
        Some((route, _)) if route.access == Access::Open => None,
        _ => Some(authorise(host, &parts.headers)?),
    };
    if body.is_reserved() && matches!(scope, Some(Scope::World(_))) {
        return Err(Refused::no_connections().into());
    }
    let Some((route, parameters)) = found else {
        if here.is_empty() {
            return Err(Refused::unknown_route(method, parts.uri.path()).into());
        }
        let allow = allowed(here.iter().map(|(route, _)| route.method));
        return Ok(match method {
            "OPTIONS" => with_allow(empty(StatusCode::NO_CONTENT), &allow),
            _ => with_allow(Refused::wrong_method(method, parts.uri.path(), &allow).into_response(), &allow),
        });
    };
    trace.route(route.name);
    let mut parameters = parameters.iter();
    let named = if route.place == Place::Within { parameters.next().copied() } else { None };
    let world = meant(host, default, route.place, named, scope)?;
    // A request that waits counts as a use of the world, so that the world does not expire.
    let _held = Held::new(world.clone());
    table::queries::check(route, parts.uri.query().unwrap_or_default())?;
    if route.withholds_body {
        trace.withhold_body();
    }
    if route.is_unseen {
        trace.forget();
    }
    // Open routes take no body, so that nobody can make the server read one without a token.
    let body = match route.access {
        Access::Open => Received::default(),
        _ => body.read().await?,
    };
    trace.body(&body);
    let asked = Asked {
        parameters: parameters.map(|p| (*p).to_owned()).collect(),
        query: parts.uri.query().unwrap_or_default().to_owned(),
        body,
        last_event_id: parts.headers.get("last-event-id").and_then(|id| id.to_str().ok()).map(str::to_owned),
        called_at: CalledAt::of(parts),
    };
    let written = match &route.act {
        Act::Json(act) => {
            // What the request starts in another world is recorded in the journal of that world.
            if route.method != "GET" && Arc::ptr_eq(&world, default) {
                trace.sets_going();
            }
            acted(route, act.clone(), world, asked).await?
        }
        Act::Stream(act) => return Ok(streamed(Visit::of_onlooker(Pass::enter(world).await), asked, *act).await?),
        Act::Whole(act) => act(Whole { host: host.clone(), world, asked }).await?,
        Act::Answers(act) => return Ok(act(Whole { host: host.clone(), world, asked }).await?),
    };
    Ok(match route.status {
        204 => empty(StatusCode::NO_CONTENT),
        status => json_of_any_length(&host.ground.room, status, written.into()).await?,
    })
}

/// Runs an act on the account, and fails if the world is reset meanwhile.
async fn acted(route: &AdminRoute, act: JsonAct, world: Arc<World>, asked: Asked) -> Result<Vec<u8>, Ended> {
    let turn = match route.is_query {
        true => Some(world.ground.room.query_turn().await.map_err(Refused::busy)?),
        false => None,
    };
    let pass = Pass::enter(world).await;
    let only_looks = route.method == "GET" || route.is_unseen;
    let visit = if only_looks { Visit::of_onlooker(pass) } else { Visit::new(pass, false) };
    let visit = visit.called_at(asked.called_at.clone());
    let done = tokio::task::spawn_blocking(move || {
        let _turn = turn;
        (act(&visit, &asked), visit)
    });
    let (answer, visit) = done.await.map_err(|_| Refused::internal())?;
    if visit.pass().is_old() {
        return Err(Ended::Closed);
    }
    Ok(answer?)
}

/// Returns the world that a request is about, if the token gives access to it.
fn meant(
    host: &Host,
    default: &Arc<World>,
    place: Place,
    named: Option<&str>,
    scope: Option<Scope>,
) -> Result<Arc<World>, Refused> {
    match (place, scope) {
        (_, None) => Ok(default.clone()),
        (Place::Host, Some(Scope::World(own))) => Err(Refused::out_of_scope(&own)),
        (Place::Within, Some(Scope::World(own))) if named != Some(own.as_str()) => Err(Refused::out_of_scope(&own)),
        (Place::World, Some(Scope::World(own))) => {
            host.worlds.get(own.as_str()).ok_or_else(|| Refused::unknown_world(own.as_str()))
        }
        (Place::Within, Some(_)) => {
            let named = named.unwrap_or_default();
            host.worlds.get(named).ok_or_else(|| Refused::unknown_world(named))
        }
        (Place::Host | Place::World, Some(Scope::Host)) => Ok(default.clone()),
    }
}

/// Builds a JSON response. A long text waits for its reader in a file instead of memory.
async fn json_of_any_length(room: &Arc<Room>, status: u16, text: Bytes) -> Result<HttpResponse, Refused> {
    if text.len() <= IN_MEMORY {
        return Ok(json(status, text));
    }
    let made = make_long_answer(room, move |out| out.write_all(&text).map_err(|_| Refused::internal())).await;
    let (spool, ()) = made.map_err(not_made)?;
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::OK);
    Ok(with_type(status, Body::from_stream(spool.into_stream(None)), JSON))
}

fn not_made(why: NotMade<Refused>) -> Refused {
    match why {
        NotMade::NoRoom(why) => Refused::busy(why),
        NotMade::Failed(refused) => refused,
        NotMade::Broken => Refused::internal(),
    }
}

/// Produces a long response completely before sending it: a slow reader must not hold the account, and a failure must
/// not truncate the response.
async fn streamed(visit: Visit, asked: Asked, act: route::StreamAct) -> Result<HttpResponse, Refused> {
    let room = visit.world().ground.room.clone();
    let made = make_long_answer(&room, move |out| act(&visit, &asked, out)).await;
    let (spool, media) = made.map_err(not_made)?;
    Ok(with_type(StatusCode::OK, Body::from_stream(spool.into_stream(None)), media))
}

fn allowed(methods: impl Iterator<Item = &'static str>) -> String {
    let mut allow: Vec<&str> = Vec::new();
    for method in methods {
        allow.extend(if method == "GET" { ["GET", "HEAD"].as_slice() } else { std::slice::from_ref(&method) });
    }
    allow.push("OPTIONS");
    allow.join(", ")
}
