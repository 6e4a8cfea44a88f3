//! The operator's side: what the service's own web application does for it, as routes under `/__admin`.

mod account;
mod asset;
mod custom_field;
mod document;
mod job;
mod link;
mod opt_out;
mod refused;
mod route;
mod sender;
mod settings;
mod table;

use std::{
    io::{self, Read, Seek},
    sync::Arc,
};

use axum::{
    body::Body,
    http::{HeaderMap, StatusCode, header, request},
};
use hyper::body::Incoming;
use roost_wire::{Path, Refusal};
use tempfile::SpooledTempFile;

pub use document::admin_document;
pub use refused::Refused;
pub use route::AdminRoute;
pub use table::admin_routes;

use self::route::{Access, Act, Asked};
use crate::{
    access::same_secret,
    answer::{HttpResponse, JSON, empty, json, with_allow, with_type},
    intake,
    work::{Pipe, pipe},
    world::World,
};

/// Answers a page that is not ours; it learns nothing but that.
pub fn foreign_page() -> HttpResponse {
    Refused::foreign_page().into_response()
}

pub async fn answer(world: &Arc<World>, parts: &request::Parts, path: &Path<'_>, body: Incoming) -> HttpResponse {
    match routed(world, parts, path, body).await {
        Ok(response) => response,
        Err(refused) => refused.into_response(),
    }
}

/// The bearer token, compared in constant time; there is no other way in.
pub fn authorise(world: &World, headers: &HeaderMap) -> Result<(), Refused> {
    let given = headers.get(header::AUTHORIZATION).map(|value| value.as_bytes()).unwrap_or_default();
    let token = match given.split_at_checked(7) {
        Some((scheme, token)) if scheme.eq_ignore_ascii_case(b"bearer ") => token.trim_ascii(),
        _ => return Err(Refused::unauthorized()),
    };
    if same_secret(token, world.admin_token.as_bytes()) { Ok(()) } else { Err(Refused::unauthorized()) }
}

async fn routed(
    world: &Arc<World>,
    parts: &request::Parts,
    path: &Path<'_>,
    body: Incoming,
) -> Result<HttpResponse, Refused> {
    let method = if parts.method == "HEAD" { "GET" } else { parts.method.as_str() };
    let here: Vec<_> =
        admin_routes().iter().filter_map(|route| path.matches(route.path).map(|found| (route, found))).collect();
    let found = here.iter().find(|(route, _)| route.method == method);
    if found.is_none_or(|(route, _)| route.access == Access::Token) {
        authorise(world, &parts.headers)?;
    }
    let Some((route, parameters)) = found else {
        if here.is_empty() {
            return Err(Refused::unknown_path());
        }
        let allow = allowed(here.iter().map(|(route, _)| route.method));
        return Ok(match method {
            "OPTIONS" => with_allow(empty(StatusCode::NO_CONTENT), &allow),
            _ => with_allow(Refused::wrong_method().into_response(), &allow),
        });
    };
    let asked = Asked {
        parameters: parameters.iter().map(|p| (*p).to_owned()).collect(),
        query: parts.uri.query().unwrap_or_default().to_owned(),
        body: intake::body(body).await?,
    };
    match &route.act {
        Act::Json(act) => {
            let world = world.clone();
            // Acts live as long as the process, so they need no copy.
            let done = tokio::task::spawn_blocking(move || act(&world, &asked)).await;
            let body = done.map_err(|_| Refused::internal())??;
            Ok(if route.status == 204 { empty(StatusCode::NO_CONTENT) } else { json(route.status, body) })
        }
        Act::Stream(act) => streamed(world, *act).await,
    }
}

/// As much of a long answer as is kept in memory; the rest waits in a file without a name.
const SPOOLED: usize = 8 * 1024 * 1024;
const PIECE: usize = 64 * 1024;

/// A long answer is made whole first: a slow reader must not hold the account, and a failure must not cut the answer.
async fn streamed(world: &Arc<World>, act: route::StreamAct) -> Result<HttpResponse, Refused> {
    let (out, mut drain) = pipe();
    let world = world.clone();
    let made = tokio::task::spawn_blocking(move || {
        let mut spool = SpooledTempFile::new(SPOOLED);
        act(&world, &mut spool).map(|()| spool)
    });
    let mut spool = made.await.map_err(|_| Refused::internal())??;
    tokio::task::spawn_blocking(move || {
        let sent = send(&mut spool, &out);
        out.end(sent.map_err(|error| {
            tracing::error!(%error, "a long answer could not be read back");
            Refusal::Internal
        }));
    });
    let first = drain.next().await.map_err(|_| Refused::internal())?;
    Ok(with_type(StatusCode::OK, Body::from_stream(drain.stream(first)), JSON))
}

/// Sends all but the last piece, which it answers.
fn send(spool: &mut SpooledTempFile, out: &Pipe) -> io::Result<Vec<u8>> {
    spool.rewind()?;
    loop {
        let mut piece = Vec::with_capacity(PIECE);
        (&mut *spool).take(PIECE as u64).read_to_end(&mut piece)?;
        if piece.len() < PIECE {
            return Ok(piece);
        }
        if out.send(piece).is_break() {
            return Ok(Vec::new());
        }
    }
}

fn allowed(methods: impl Iterator<Item = &'static str>) -> String {
    let mut allow: Vec<&str> = Vec::new();
    for method in methods {
        allow.extend(if method == "GET" { ["GET", "HEAD"].as_slice() } else { std::slice::from_ref(&method) });
    }
    allow.push("OPTIONS");
    allow.join(", ")
}
