//! Pages of other origins are refused whatever they request. Programs are not.

use roost_tests::{Answer, Request, Served, http::message};

use super::{DoorKind, ServerDoor, all_doors, console_setup, count_changes, read_head};

/// Sends the request of every door with additional headers. None of them may have an effect.
fn knock_with_headers(api: &Served, headers: &[(&str, &str)], check: impl Fn(&ServerDoor, Answer)) {
    let before = count_changes(api);
    for door in all_doors() {
        let request = headers.iter().fold(door.to_request(api), |request, (name, value)| request.header(name, *value));
        check(&door, api.send(request));
    }
    assert_eq!(count_changes(api), before, "something was changed");
}

fn assert_stopped(door: &ServerDoor, answer: Answer) {
    assert_eq!(answer.status, 403, "{door:?}{}", answer.shown());
    assert_eq!(answer.json()["error"]["code"], "foreign_page");
}

/// Proves: G3_2_4, G3_2_12.
#[test]
fn a_foreign_origin_stops_at_every_route() {
    let api = console_setup().serve();
    let port = api.address().port();
    let others = [
        "http://evil.example".to_owned(),
        format!("https://127.0.0.1:{port}"),
        format!("http://127.0.0.1:{}", port ^ 1),
        "http://127.0.0.1".to_owned(),
        format!("http://evil.example:{port}"),
        format!("http://127.0.0.1:{port}.evil.example"),
        format!("http://127.0.0.1:{port}/"),
        "file://".to_owned(),
        String::new(),
    ];
    for origin in &others {
        knock_with_headers(&api, &[("origin", origin)], assert_stopped);
    }
    let own = format!("http://127.0.0.1:{port}");
    knock_with_headers(&api, &[("origin", &own), ("origin", "http://evil.example")], assert_stopped);
    knock_with_headers(&api, &[("origin", "http://evil.example"), ("sec-fetch-site", "same-origin")], assert_stopped);
}

/// Proves: G3_2_4, G3_2_12.
#[test]
fn the_null_origin_stops_at_every_route() {
    let api = console_setup().serve();
    knock_with_headers(&api, &[("origin", "null")], assert_stopped);
    knock_with_headers(&api, &[("origin", "null"), ("sec-fetch-site", "none")], assert_stopped);
}

/// Proves: G3_2_4, G3_2_12.
#[test]
fn a_page_of_another_site_or_port_without_an_origin_stops_at_every_route() {
    let api = console_setup().serve();
    for site in ["cross-site", "same-site", "unheard-of", ""] {
        knock_with_headers(&api, &[("sec-fetch-site", site)], assert_stopped);
    }
}

/// Proves: G3_2_4, D151.
#[test]
fn a_link_followed_from_another_site_opens_short_urls_and_nothing_else() {
    let api = console_setup().serve();
    let followed = [("sec-fetch-site", "cross-site"), ("sec-fetch-mode", "navigate"), ("sec-fetch-dest", "document")];
    knock_with_headers(&api, &followed, |door, answer| match door.path.starts_with("/s/") {
        true => assert_eq!((answer.status, answer.body.len()), (404, 0), "{}", answer.shown()),
        false => assert_stopped(door, answer),
    });
    let made = api
        .post("/assets/v1/shortlink", &serde_json::json!({ "title": "x", "target_url": "https://shop.example" }))
        .ok();
    let path = made["short_link_url"].as_str().expect("a url").strip_prefix(api.url()).expect("ours").to_owned();
    let send = |headers: &[(&str, &str)]| {
        api.send(headers.iter().fold(Request::get(&path), |request, (name, value)| request.header(name, *value))).status
    };
    assert_eq!(send(&followed), 302);
    assert_eq!(send(&[followed[0], followed[1], ("sec-fetch-dest", "iframe")]), 403, "shown inside another page");
    assert_eq!(send(&[followed[0], ("sec-fetch-mode", "no-cors"), ("sec-fetch-dest", "image")]), 403, "fetched by one");
    assert_eq!(send(&[followed[0], followed[1], followed[2], ("origin", "http://evil.example")]), 403);
}

/// Proves: G3_2_4.
#[test]
fn an_address_typed_by_hand_may_look_and_not_act() {
    let api = console_setup().serve();
    for door in all_doors() {
        let (status, _) = read_head(&api, &door.to_request(&api).header("sec-fetch-site", "none"));
        let looks = door.method == "GET";
        assert_eq!(status == 403, !looks, "{door:?} {status}");
    }
}

/// Proves: G3_2_4.
#[test]
fn our_own_pages_and_programs_pass() {
    let api = console_setup().serve();
    let port = api.address().port();
    let own = ["127.0.0.1", "localhost", "[::1]", "a.localhost"].map(|name| format!("{name}:{port}"));
    for host in &own {
        let from = |request: Request| request.header("host", host).header("origin", format!("http://{host}"));
        api.send(from(Request::post("/contacts/v1/lists/create").json_text(r#"{"name":"x"}"#))).expect(200);
        api.admin().send(from(Request::get("/__admin/info"))).expect(200);
    }
    for door in all_doors() {
        let (status, _) = read_head(&api, &door.to_request(&api));
        assert!(![401, 403, 421].contains(&status), "{door:?} {status}");
    }
}

/// Proves: G3_2_4, G3_2_12.
#[test]
fn a_simple_form_reaches_nothing() {
    let api = console_setup().serve();
    let before = count_changes(&api);
    for door in all_doors().iter().filter(|door| door.method == "POST") {
        for content_type in ["application/x-www-form-urlencoded", "text/plain", "multipart/form-data; boundary=x"] {
            // Old browsers can send only these headers with a form.
            let form = Request::post(&door.path)
                .header("content-type", content_type)
                .body(r#"{"name":"x","title":"x","numbers":["x"]}"#);
            let with_key = api.send(form.clone());
            // A receiver needs neither key nor token, but accepts no form.
            let (wanted, without_key) = match door.kind {
                DoorKind::Interface => (400, 401),
                DoorKind::Operator => (401, 401),
                DoorKind::Open => (415, 415),
            };
            assert_eq!(with_key.status, wanted, "{door:?}{}", with_key.shown());
            assert_eq!(api.without("x-auth-key").send(form.clone()).status, without_key, "{door:?}");
            let browser = form.header("origin", "http://evil.example").header("sec-fetch-site", "cross-site");
            assert_stopped(door, api.send(browser));
        }
    }
    assert_eq!(count_changes(&api), before);
    assert_eq!(api.admin().get("/__admin/hooks").items().len(), 0, "nothing came to a receiver");
}

/// Proves: G3_2_4, G3_2_12.
#[test]
fn an_upgrade_does_not_bypass_the_gate() {
    let api = console_setup().serve();
    let upgrade = [
        ("connection", "Upgrade"),
        ("upgrade", "websocket"),
        ("sec-websocket-version", "13"),
        ("sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ=="),
    ];
    let with = |more: (&'static str, &'static str)| upgrade.into_iter().chain([more]).collect::<Vec<_>>();
    knock_with_headers(&api, &with(("origin", "http://evil.example")), assert_stopped);
    knock_with_headers(&api, &with(("sec-fetch-site", "cross-site")), assert_stopped);
    knock_with_headers(&api, &[("accept", "text/event-stream"), ("origin", "null")], assert_stopped);
    let answer =
        upgrade.iter().fold(Request::get("/contacts/v1/lists/"), |request, (name, value)| request.header(name, *value));
    api.send(answer).expect(200);
}

/// Proves: G3_2_6, D14.
#[test]
fn no_answer_carries_a_header_for_foreign_pages() {
    let api = console_setup().serve();
    let own = format!("http://127.0.0.1:{}", api.address().port());
    for door in all_doors() {
        for (name, value) in [("origin", own.as_str()), ("origin", "http://evil.example"), ("accept", "*/*")] {
            let (_, headers) = read_head(&api, &door.to_request(&api).header(name, value));
            let shown = || format!("{door:?} {name}: {value}: {headers:?}");
            let of = |name: &str| message::header(&headers, name);
            assert!(!headers.iter().any(|(header, _)| header.starts_with("access-control-")), "{}", shown());
            assert_eq!(of("x-content-type-options"), Some("nosniff"), "{}", shown());
            assert_eq!(of("cross-origin-resource-policy"), Some("same-origin"), "{}", shown());
            assert_eq!(of("set-cookie"), None, "{}", shown());
        }
    }
}

/// Proves: G3_2_11.
#[test]
fn the_console_runs_its_own_scripts_only_and_is_never_framed() {
    let api = console_setup().serve();
    let page = api.get("/__console/").expect(200);
    let policy = page.header("content-security-policy").expect("a policy").to_owned();
    for part in ["default-src 'self'", "object-src 'none'", "base-uri 'none'", "frame-ancestors 'none'"] {
        assert!(policy.split(';').any(|found| found.trim() == part), "{policy}");
    }
    assert!(!policy.contains("unsafe") && !policy.contains('*'), "{policy}");
    assert_eq!(page.header("referrer-policy"), Some("no-referrer"));
}
