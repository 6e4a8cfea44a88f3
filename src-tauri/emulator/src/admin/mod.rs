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

use std::sync::Arc;

use axum::{
    body::Body,
    http::{HeaderMap, StatusCode, header, request},
};
use hyper::body::Incoming;
use roost_wire::Path;

pub use document::admin_document;
pub use refused::Refused;
pub use route::AdminRoute;
pub use table::admin_routes;

use self::route::{Access, Act, Asked};
use crate::{
    access::same_secret,
    answer::{HttpResponse, empty, json, with_allow, with_type},
    intake,
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

/// A long answer, made while it is sent.
async fn streamed(world: &Arc<World>, act: route::StreamAct) -> Result<HttpResponse, Refused> {
    let (out, drain) = crate::work::pipe();
    let world = world.clone();
    tokio::task::spawn_blocking(move || {
        let mut writer = route::PieceWriter::new(&out);
        let made = act(&world, &mut writer);
        let rest = writer.into_rest();
        out.end(made.map(|()| rest).map_err(|error| {
            tracing::error!(error = &error as &(dyn std::error::Error + 'static), "a long answer broke off");
            roost_wire::Refusal::Internal
        }));
    });
    let pieces = futures_util::stream::unfold(drain, |mut drain| async move {
        match drain.next().await {
            Ok(piece) => piece.map(|piece| (Ok(piece), drain)),
            Err(_) => Some((Err(std::io::Error::other("the answer broke off")), drain)),
        }
    });
    Ok(with_type(StatusCode::OK, Body::from_stream(pieces), crate::answer::JSON))
}

fn allowed(methods: impl Iterator<Item = &'static str>) -> String {
    let mut allow: Vec<&str> = Vec::new();
    for method in methods {
        allow.extend(if method == "GET" { ["GET", "HEAD"].as_slice() } else { std::slice::from_ref(&method) });
    }
    allow.push("OPTIONS");
    allow.join(", ")
}
