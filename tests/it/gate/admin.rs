//! The operator's token is always required, is read from one place only, is checked on one normalised path, and is
//! never shown.

use roost_tests::{Request, Setup};
use serde_json::json;

use super::{DoorKind, ServerDoor, all_doors, console_setup, count_changes};

fn operator_doors() -> Vec<ServerDoor> {
    all_doors().into_iter().filter(|door| door.kind == DoorKind::Operator).collect()
}

/// Proves: G3_2_5, G3_2_12.
#[test]
fn without_the_token_no_route_of_the_operator_answers() {
    let api = console_setup().serve();
    let before = count_changes(&api);
    let (half, longer) = (&api.token()[..32], format!("{}0", api.token()));
    let wrong = ["", "x", half, &longer, &"0".repeat(64)];
    for door in operator_doors() {
        let answer = api.send(Request::new(door.method, &door.path).json_text("{}"));
        assert_eq!(answer.status, 401, "{door:?}");
        for token in wrong {
            let answer = api.send(
                Request::new(door.method, &door.path)
                    .header("authorization", format!("Bearer {token}"))
                    .json_text("{}"),
            );
            assert_eq!(
                (answer.status, &answer.json()["error"]["code"]),
                (401, &json!("unauthorized")),
                "{}",
                answer.shown()
            );
        }
        for method in ["HEAD", "OPTIONS", "PUT", "BREW"] {
            assert_eq!(
                api.send(Request::new(method, &door.path)).status,
                if door.path.starts_with("/__admin") { 401 } else { 405 },
                "{method} {door:?}"
            );
        }
    }
    assert_eq!(api.get("/__admin/nowhere").status, 401, "not even what there is not");
    assert_eq!(count_changes(&api), before);
}

/// Proves: G3_2_5.
#[test]
fn the_token_is_read_from_its_header_alone() {
    let api = console_setup().serve();
    let token = api.token();
    for request in [
        Request::get(format!("/__admin/info?token={token}")),
        Request::get(format!("/__admin/info?access_token={token}&authorization=Bearer%20{token}")),
        Request::get("/__admin/info").header("cookie", format!("token={token}")),
        Request::get("/__admin/info").header("x-auth-key", token),
        Request::get("/__admin/info").header("authorization", token),
        Request::get("/__admin/info").header("authorization", format!("Basic {token}")),
        Request::get("/__admin/info").header("proxy-authorization", format!("Bearer {token}")),
    ] {
        api.send(request).expect(401);
    }
    api.send(Request::get("/__admin/info").header("authorization", format!("bearer  {token} "))).expect(200);
    // The token grants no access to the interface either.
    api.without("x-auth-key")
        .send(Request::get("/contacts/v1/lists/").header("authorization", format!("Bearer {token}")))
        .expect(401);
}

/// Returns the path with every third letter written as an escape, in both cases of the hex digits.
fn encode_letters(path: &str) -> String {
    let escape = |(at, c): (usize, char)| match (c, at % 3) {
        ('/', _) => "/".to_owned(),
        (c, 1) => format!("%{:02x}", u32::from(c)),
        (c, 2) if c.is_ascii_alphabetic() => format!("%{:02X}", u32::from(c)),
        (c, _) => c.to_string(),
    };
    path.chars().enumerate().map(escape).collect()
}

/// Proves: G3_2_2, G3_2_12.
#[test]
fn an_encoded_path_meets_the_same_guards() {
    let api = console_setup().serve();
    let before = count_changes(&api);
    for door in all_doors() {
        let path = encode_letters(&door.path);
        let request = |path: &str| Request::new(door.method, path).json_text("{}");
        let foreign = api.send(request(&path).header("origin", "http://evil.example"));
        assert_eq!(foreign.status, 403, "{path}");
        api.send(request(&path).header("host", "evil.example")).expect(421);
        let nobody = api.without("x-auth-key");
        assert_eq!(nobody.send(request(&path)).status, nobody.send(request(&door.path)).status, "{path}");
        if door.kind == DoorKind::Operator {
            assert_eq!(api.send(request(&path)).status, 401, "{path}");
        }
    }
    assert_eq!(count_changes(&api), before);
}

/// Proves: G3_2_2.
#[test]
fn paths_are_normalised_once_for_guard_and_router() {
    let api = console_setup().serve();
    let admin = api.admin();
    admin.get("/%5f%5fadmin/info").expect(200);
    admin.get("/__admin/info/").expect(200);
    for path in [
        "/__admin%2Finfo",
        "/__ADMIN/info",
        "/%255f%255fadmin/info",
        "/x/../__admin/info",
        "/./__admin/info",
        "//__admin/info",
        "/__admin//info",
    ] {
        let answer = admin.get(path);
        assert_eq!(answer.status, 404, "{path}{}", answer.shown());
        // No caller gains more from it than with the token.
        assert!([401, 404].contains(&api.get(path).status), "{path}");
    }
}

/// Proves: G3_2_9.
#[test]
fn secrets_are_never_shown() {
    let api = Setup::new().set("auth", "keys").set("auth.keys", r#"[{"value":"very-secret-key"}]"#).serve();
    let admin = api.admin();
    let put = admin.put(
        "/__admin/settings",
        &json!({ "auth.keys": [{ "value": "another-secret-key" }, { "value": "very-secret-key" }] }),
    );
    let bad = admin.put(
        "/__admin/settings",
        &json!({ "auth.keys": "[{\"value\":\"third-secret-key\",\"permissions\":[\"x\"]}]" }),
    );
    assert_eq!((put.status, bad.status), (200, 400));
    let key = api.with_key("very-secret-key");
    let shown = [
        put,
        bad,
        admin.get("/__admin/settings"),
        admin.get("/__admin/info"),
        admin.get("/__admin/export"),
        key.get("/contacts/v1/lists/?page_size=0"),
        key.get("/nowhere"),
        api.with_key("wrong-secret-key").get("/contacts/v1/lists/"),
        api.with_token("wrong-secret-token").get("/__admin/info"),
    ];
    for answer in shown {
        let body = answer.text();
        for secret in ["secret-key", "secret-token", api.token()] {
            assert!(!body.contains(secret), "{}", answer.shown());
        }
    }
    assert_eq!(admin.get("/__admin/settings").ok()["auth.keys"][0]["value"], "anot\u{2026}", "its beginning alone");
}
