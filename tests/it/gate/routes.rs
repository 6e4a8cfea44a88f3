//! The rules for every path with every method, for every stream, and for tokens of another scope.

use std::collections::BTreeSet;

use roost_tests::{Request, Served, http::message};
use serde_json::json;

use super::{
    DoorKind, ServerDoor, all_doors, console_setup, count_changes, hosts::says_no_more_than_the_flag, read_head,
};
use crate::emulator::worlds::create_world;

const METHODS: [&str; 9] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "BREW"];

fn route_paths() -> BTreeSet<String> {
    all_doors().into_iter().map(|door| door.path).collect()
}

fn with_token(request: Request, api: &Served) -> Request {
    request.header("authorization", format!("Bearer {}", api.token()))
}

/// Proves: G3_2_3, G3_2_4, G3_2_12.
#[test]
fn every_method_of_every_path_meets_the_gate() {
    let api = console_setup().serve();
    let before = count_changes(&api);
    for (path, method) in route_paths().iter().flat_map(|path| METHODS.map(|method| (path, method))) {
        let request = || with_token(Request::new(method, path), &api);
        let stranger = api.send(request().header("host", "evil.example"));
        let is_refusal = says_no_more_than_the_flag(&stranger.body) && stranger.body.is_empty() == (method == "HEAD");
        assert!(stranger.status == 421 && is_refusal, "{}", stranger.shown());
        for (name, value) in [("origin", "http://evil.example"), ("origin", "null"), ("sec-fetch-site", "cross-site")] {
            let page = api.send(request().header(name, value));
            assert_eq!(page.status, 403, "{}", page.shown());
        }
    }
    assert_eq!(count_changes(&api), before);
}

/// Without the token, a caller learns nothing about a route, not even its methods.
///
/// Proves: G3_2_5, G3_2_12.
#[test]
fn every_method_of_a_closed_admin_route_needs_the_token_even_an_unknown_one() {
    let api = console_setup().serve();
    let open: BTreeSet<String> =
        all_doors().into_iter().filter(|door| door.kind == DoorKind::Open).map(|door| door.path).collect();
    let closed = route_paths().into_iter().filter(|path| path.starts_with("/__admin") && !open.contains(path));
    for (path, method) in closed.flat_map(|path| METHODS.map(|method| (path.clone(), method))) {
        let answer = api.send(Request::new(method, &path));
        assert_eq!((answer.status, answer.header("allow")), (401, None), "{}", answer.shown());
    }
}

/// Proves: G3_2_6, G3_2_12.
#[test]
fn a_preflight_request_of_a_page_gets_no_permission() {
    let api = console_setup().serve();
    let own = format!("http://127.0.0.1:{}", api.address().port());
    for path in route_paths() {
        for origin in ["http://evil.example", "null", own.as_str()] {
            let asks = Request::new("OPTIONS", &path)
                .header("origin", origin)
                .header("access-control-request-method", "POST")
                .header("access-control-request-headers", "authorization, content-type, x-auth-key")
                .header("access-control-request-private-network", "true");
            for request in [asks.clone(), with_token(asks, &api)] {
                let answer = api.send(request);
                assert!(origin == own || answer.status == 403, "{}", answer.shown());
                let gives_leave = answer.headers.iter().any(|(name, _)| name.starts_with("access-control-"));
                assert!(!gives_leave, "{}", answer.shown());
            }
        }
    }
}

fn operator_doors() -> impl Iterator<Item = ServerDoor> {
    all_doors().into_iter().filter(|door| door.kind == DoorKind::Operator)
}

/// Proves: G3_2_5, G3_2_12.
#[test]
fn a_token_of_a_world_opens_nothing_of_the_server_or_of_another() {
    let api = console_setup().serve();
    let world = create_world(&api, &json!({ "name": "a" }));
    let before = count_changes(&api);
    let (mut refused, mut own) = (0, 0);
    for door in operator_doors() {
        let request = door.request_with(&world.token).without("x-auth-key");
        let names_another = door.path.starts_with("/__admin/worlds") || door.path.starts_with("/__console");
        let (status, _) = read_head(&api, &request);
        assert!(!names_another || status == 403, "{door:?} {status}");
        assert_ne!(status, 401, "{door:?}");
        if status == 403 { refused += 1 } else { own += 1 }
    }
    assert_eq!(count_changes(&api), before, "the default world is another");
    assert!(refused > 50 && own > 50, "{refused} refused, {own} about its own");
}

/// Proves: G3_2_5, G3_2_12.
#[test]
fn a_token_of_a_removed_world_opens_nothing() {
    let api = console_setup().serve();
    let world = create_world(&api, &json!({ "name": "a" }));
    api.admin().delete("/__admin/worlds/a").expect(204);
    create_world(&api, &json!({ "name": "a" }));
    for door in operator_doors() {
        let request = Request::new(door.method, &door.path).header("authorization", format!("Bearer {}", world.token));
        let answer = api.send(request.json_text("{}"));
        assert_eq!(answer.status, 401, "{}", answer.shown());
    }
}

/// Proves: G3_2_4, G3_2_5, G3_2_12.
#[test]
fn a_stream_is_guarded_like_a_route() {
    let api = console_setup().serve();
    let streams: Vec<ServerDoor> = all_doors().into_iter().filter(|door| door.is_stream).collect();
    assert!(streams.len() >= 3, "those of the journal and of the console: {streams:?}");
    let token = api.token();
    for ServerDoor { path, .. } in &streams {
        let bare = |target: String| Request::get(target).header("accept", "text/event-stream");
        for request in [
            bare(path.clone()),
            bare(format!("{path}?token={token}")),
            bare(format!("{path}?access_token={token}&ticket={token}")),
            bare(path.clone()).header("cookie", format!("token={token}")),
            bare(path.clone()).header("authorization", format!("Basic {token}")),
            bare(path.clone()).header("authorization", "Bearer 0"),
            bare(path.clone()).header("sec-websocket-protocol", token),
            bare(path.clone()).header("last-event-id", "0.0"),
        ] {
            api.send(request).expect(401);
        }
        for (name, value) in [("origin", "http://evil.example"), ("origin", "null"), ("sec-fetch-site", "same-site")] {
            let page = with_token(bare(path.clone()), &api).header(name, value);
            api.send(page.clone()).expect(403);
            let upgrade = page.header("connection", "Upgrade").header("upgrade", "websocket");
            let upgrade = upgrade.header("sec-websocket-version", "13").header("sec-websocket-key", "dGhlIHNhbXBsZQ==");
            api.send(upgrade).expect(403);
        }
        let (status, headers) = read_head(&api, &with_token(bare(path.clone()), &api));
        assert_eq!((status, message::header(&headers, "x-content-type-options")), (200, Some("nosniff")), "{path}");
    }
}
