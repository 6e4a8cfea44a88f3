//! Pages of listed origins: they may call and read, with the same keys as everybody, and no other page may.

use roost_tests::{Answer, Request, Served, Spawned};
use serde_json::json;

use super::{DoorKind, all_doors, console_setup, count_changes};

const PAGE: &str = "http://localhost:5173";

fn serve() -> Served {
    let mut setup = console_setup();
    setup.config.allow_origins = vec![PAGE.parse().expect("an origin"), "https://shop.example".parse().expect("one")];
    setup.serve()
}

fn allowed(answer: &Answer) -> Option<&str> {
    answer.header("access-control-allow-origin")
}

fn preflight(path: &str) -> Request {
    Request::new("OPTIONS", path)
        .header("origin", PAGE)
        .header("sec-fetch-site", "same-site")
        .header("access-control-request-method", "PATCH")
        .header("access-control-request-headers", "authorization,x-auth-key")
}

#[test]
fn a_page_of_a_listed_origin_calls_every_route_but_the_console() {
    let api = serve();
    for door in all_doors() {
        let request = || door.to_request(&api).header("origin", PAGE).header("sec-fetch-site", "cross-site");
        let is_console = door.path.starts_with("/__console");
        if door.is_stream && !is_console {
            continue;
        }
        let answer = api.send(request());
        assert_eq!(answer.status == 403, is_console, "{door:?} {}", answer.shown());
        assert_eq!(allowed(&answer), (!is_console).then_some(PAGE), "{door:?}");
        assert_eq!(answer.header("access-control-allow-credentials"), None);
        if !is_console {
            assert_eq!(answer.header("vary"), Some("origin"));
        }
        // Without its key or token it gets no further than anybody.
        if door.kind == DoorKind::Operator && !is_console {
            let answer = api.send(Request::new(door.method, &door.path).header("origin", PAGE));
            assert_eq!((answer.status, allowed(&answer)), (401, Some(PAGE)), "{door:?}");
        }
    }
}

#[test]
fn what_a_page_asks_beforehand_is_answered_without_a_key() {
    let api = serve();
    let before = count_changes(&api);
    for path in
        ["/contacts/v1/lists/", "/__admin/settings", "/__admin/worlds", "/w/default/contacts/v1/lists/", "/nowhere"]
    {
        let answer = api.without("x-auth-key").send(preflight(path));
        assert_eq!((answer.status, allowed(&answer)), (204, Some(PAGE)), "{path}");
        let methods = answer.header("access-control-allow-methods").expect("methods");
        assert!(["GET", "POST", "PUT", "PATCH", "DELETE"].iter().all(|one| methods.contains(one)), "{methods}");
        assert_eq!(answer.header("access-control-allow-headers"), Some("authorization,x-auth-key"));
        assert_eq!(answer.header("access-control-max-age"), Some("600"));
    }
    for path in ["/__console/", "/%5F_console/call/x", "/__console/changes"] {
        assert_eq!(api.send(preflight(path)).status, 403, "{path}");
    }
    let other = preflight("/__admin/settings").without("origin").header("origin", "http://localhost:5174");
    let answer = api.send(other);
    assert_eq!((answer.status, allowed(&answer)), (403, None));
    assert_eq!(count_changes(&api), before);
}

#[test]
fn no_other_page_passes_and_programs_get_no_header() {
    let api = serve();
    for origin in [
        "http://localhost:5174",
        "https://localhost:5173",
        "null",
        "http://LOCALHOST:5173",
        "http://localhost:5173/",
        "",
    ] {
        let answer = api.send(Request::get("/contacts/v1/lists/").header("origin", origin));
        assert_eq!((answer.status, allowed(&answer)), (403, None), "{origin}");
    }
    let two = Request::get("/contacts/v1/lists/").header("origin", PAGE).header("origin", "http://evil.example");
    assert_eq!(api.send(two).status, 403);
    for request in [Request::get("/contacts/v1/lists/"), Request::new("OPTIONS", "/contacts/v1/lists/")] {
        let answer = api.send(request);
        assert_eq!((allowed(&answer), answer.header("vary")), (None, None));
    }
    let own = Request::get("/contacts/v1/lists/").header("origin", api.url());
    assert_eq!(allowed(&api.send(own)), None);
    // Names that somebody points at this machine are none of ours, whoever asks.
    let rebound = Request::get("/contacts/v1/lists/").header("origin", PAGE).header("host", "evil.example");
    assert_eq!(api.send(rebound).status, 421);
}

#[test]
fn origins_are_named_at_the_start_and_never_all_of_them() {
    let server = Spawned::start(["--allow-origin", "http://localhost:5173,https://shop.example"]);
    for (origin, status) in [(PAGE, 200), ("https://shop.example", 200), ("https://other.example", 403)] {
        let request = Request::get("/contacts/v1/lists/").header("origin", origin);
        assert_eq!(server.client().with_key("k").send(request).status, status, "{origin}");
    }
    let page = server.admin().send(Request::post("/__admin/reset").json(&json!({})).header("origin", PAGE));
    assert_eq!(page.status, 200, "{}", page.shown());
    for bad in ["*", "null", "http://localhost:5173/x"] {
        let Err((status, stderr)) = Spawned::try_start(["--allow-origin", bad]) else { panic!("{bad} was taken") };
        assert_eq!((status.code(), stderr.lines().count()), (Some(2), 1), "{stderr}");
    }
}
