//! Keys: whether they are required, known and permitted.

use roost_tests::{
    Client, Request, Served, Setup,
    expected::{C, L, message_only, shape_b},
};
use roost_wire::{OPERATIONS, operation::Group};

const SENDERS: &str = "/assets/v1/senders/";
const LISTS: &str = "/contacts/v1/lists/";
const LINK: &str = "/assets/v1/shortlink/shl_36AbCdEfGhIjKlMnOpQrStUvWx9";

fn with_keys(keys: &str) -> Served {
    Setup::new().set("auth", "keys").set("auth.keys", keys).serve()
}

/// Proves: D1.
#[test]
fn one_address_on_loopback_serves_every_family() {
    let api = Setup::new().serve();
    assert_eq!(api.url(), format!("http://127.0.0.1:{}", api.address().port()));
    for (path, status) in [(SENDERS, 200), (LISTS, 200), ("/contacts/v1/optouts", 200), (LINK, 404)] {
        api.get(path).expect(status);
    }
}

/// Proves: D2.
#[test]
fn the_key_is_read_from_its_header_alone() {
    let api = with_keys("good-key");
    let bare = api.without("x-auth-key");
    for name in ["X-AUTH-KEY", "x-auth-key", "X-Auth-Key"] {
        bare.send(Request::get(LISTS).header(name, "good-key")).expect(200);
    }
    bare.send(Request::get(LISTS).header("authorization", "Bearer good-key")).expect(401);
    bare.send(Request::get(LISTS).header("authorization", "good-key")).expect(401);
    bare.get("/contacts/v1/lists/?X-AUTH-KEY=good-key&x-auth-key=good-key").expect(401);
}

/// Proves: D2.
#[test]
fn the_first_of_several_keys_counts_and_blanks_around_it_are_cut() {
    let api = with_keys("good-key");
    let sent = |first: &str, second: &str| {
        api.send(Request::get(LISTS).header("X-AUTH-KEY", first).header("X-AUTH-KEY", second)).status
    };
    assert_eq!(sent("good-key", "bad-key"), 200);
    assert_eq!(sent("bad-key", "good-key"), 401);
    api.with_key("  good-key \t").get(LISTS).expect(200);
    api.with_key("GOOD-KEY").get(LISTS).expect(401);
}

/// Proves: D3.
#[test]
fn any_takes_every_key_that_is_not_blank() {
    let api = Setup::new().serve();
    for key in ["x", "Bearer y", "{\"a\":1}", "caf\u{e9}"] {
        api.with_key(key).get(LISTS).expect(200);
    }
    api.with_key("").get(LISTS).expect(401);
    api.with_key(" ").get(LISTS).expect(401);
}

/// Proves: D3.
#[test]
fn off_reads_no_key() {
    let api = Setup::new().set("auth", "off").serve();
    for client in [api.without("x-auth-key"), api.with_key(""), api.with_key("whatever")] {
        client.get(LISTS).expect(200);
    }
}

/// Proves: D4.
#[test]
fn a_missing_blank_unknown_or_disabled_key_is_refused_in_every_shape() {
    let api = with_keys(r#"[{"value":"good-key"},{"value":"old-key","enabled":false}]"#);
    let missing = api.without("x-auth-key");
    for client in
        [missing, api.with_key(" "), api.with_key("unknown"), api.with_key("old-key"), api.with_key("good-ke")]
    {
        let answers = [client.get(SENDERS), client.get(LISTS), client.get(LINK)];
        let expected = |family| shape_b(401, family, "AUTH_001", "UNAUTHORIZED", "Unauthorized");
        answers[0].is(&message_only(401, "Unauthorized"));
        answers[1].is(&expected(C));
        answers[2].is(&expected(L));
        assert!(answers.iter().all(|answer| answer.header("www-authenticate").is_none()));
    }
    api.with_key("good-key").get(LISTS).expect(200);
}

/// Returns the status of every operation, called with what it needs to pass its path.
fn operation_statuses(client: &Client) -> Vec<(Group, &'static str, u16)> {
    let call = |operation: &roost_wire::Operation| {
        let path = operation.path.replace(['{', '}'], "");
        let answer = client.send(Request::new(operation.method.as_str(), path));
        (operation.group, operation.name, answer.status)
    };
    OPERATIONS.iter().map(call).collect()
}

/// Proves: D5, R7_3_auth_002.
#[test]
fn a_key_without_the_permission_is_refused_in_every_shape() {
    let api = with_keys(
        r#"[{"value":"senders","permissions":["senders"]},{"value":"lists","permissions":["lists"]},
            {"value":"contacts","permissions":["contacts"]},{"value":"optouts","permissions":["optouts"]},
            {"value":"shortlinks","permissions":["shortlinks"]},{"value":"all"},{"value":"none","permissions":[]}]"#,
    );
    for group in Group::ALL {
        for (of, name, status) in operation_statuses(&api.with_key(group.as_str())) {
            assert_eq!(status == 403, of != group, "{name} with the key for {}: {status}", group.as_str());
        }
    }
    assert!(operation_statuses(&api.with_key("all")).iter().all(|(_, _, status)| *status != 403));
    let none = api.with_key("none");
    let expected = |family| shape_b(403, family, "AUTH_002", "FORBIDDEN", "Access denied");
    none.get(SENDERS).is(&message_only(403, "Access denied"));
    none.get(LISTS).is(&expected(C));
    none.get(LINK).is(&expected(L));
}

/// Proves: D5.
#[test]
fn a_key_used_from_another_address_is_refused() {
    let api = with_keys(
        r#"[{"value":"near","addresses":["127.0.0.1"]},{"value":"far","addresses":["192.0.2.1","2001:db8::1"]}]"#,
    );
    api.with_key("near").get(LISTS).expect(200);
    api.with_key("far").get(SENDERS).is(&message_only(403, "Access denied"));
}

/// Proves: D141.
#[test]
fn every_accepted_key_sees_the_same_data() {
    let api = Setup::new().serve();
    let made = api.with_key("one").post("/contacts/v1/lists/create", &serde_json::json!({ "name": "VIP" })).ok();
    for key in ["one", "two"] {
        assert_eq!(api.with_key(key).get(LISTS).column("uid"), [made["uid"].as_str().expect("a uid")]);
    }
}
