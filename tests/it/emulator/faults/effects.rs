//! Each effect as a caller experiences it.

use std::{
    io::{ErrorKind, Read},
    net::Shutdown,
    time::{Duration, Instant},
};

use roost_tests::until;
use roost_wire::{Family, OPERATIONS, OperationId};
use serde_json::{Value, json};

use super::{
    CREATE, add_rule, last_exchange, read_until_end, remove_rules, send_on_connection, send_operation, split_response,
    start_recording, start_server,
};

#[test]
fn an_error_has_the_shape_of_its_family_and_what_the_rule_says() {
    let api = start_server();
    let effect = json!({ "status": 503, "error": "MAINTENANCE", "retry_after": "5s", "headers": { "x-why": "rule" } });
    add_rule(&api, &json!({ "effect": effect }));
    let before = api.admin().get("/__admin/export").ok();
    for operation in &OPERATIONS {
        let answer = send_operation(&api, operation.id).expect(503);
        assert_eq!((answer.header("retry-after"), answer.header("x-why")), (Some("5"), Some("rule")));
        assert_eq!(answer.header("content-type"), Some("application/json"));
        let body = answer.json();
        match operation.family {
            Family::Senders => assert_eq!(body["errors"][0]["message"], "Service unavailable", "{}", answer.shown()),
            Family::Assets | Family::Contacts => {
                assert_eq!((&body["error"], &body["status"]), (&json!("MAINTENANCE"), &json!(503)));
                assert_eq!(body["validation_errors"], Value::Null);
            }
        }
    }
    assert_eq!(api.admin().get("/__admin/export").ok(), before, "the operation was not carried out");
    for operation in &OPERATIONS {
        let api = start_server();
        let answer = send_operation(&api, operation.id);
        assert!(answer.status < 300, "without the rule: {}", answer.shown());
    }
}

#[test]
fn an_answer_waits_as_long_as_its_latency() {
    let api = start_server();
    let plain = api.get("/contacts/v1/optouts").ok();
    for (latency, least) in [
        (json!({ "fixed": "250ms" }), 250),
        (json!({ "uniform": { "min": "250ms", "max": "300ms" } }), 250),
        (json!({ "log_normal": { "median": "250ms", "sigma": 0.0 } }), 249),
        (json!({ "quantiles": { "p50": "250ms", "p99": "250ms" } }), 249),
    ] {
        for commit in ["before", "after"] {
            remove_rules(&api);
            add_rule(&api, &json!({ "effect": { "latency": latency }, "commit": commit }));
            let begun = Instant::now();
            assert_eq!(api.get("/contacts/v1/optouts").ok(), plain);
            assert!(begun.elapsed() >= Duration::from_millis(least), "{latency}: {:?}", begun.elapsed());
        }
    }
}

#[test]
fn the_effect_reset_resets_the_connection() {
    let api = start_server();
    add_rule(&api, &json!({ "effect": { "line": "reset" } }));
    let (bytes, ended) = read_until_end(send_on_connection(&api, OperationId::ListsQuery));
    assert_eq!((bytes.len(), ended.map_err(|error| error.kind())), (0, Err(ErrorKind::ConnectionReset)));
}

#[test]
fn empty_is_an_end_without_a_byte() {
    let api = start_server();
    add_rule(&api, &json!({ "effect": { "line": "empty" } }));
    let (bytes, ended) = read_until_end(send_on_connection(&api, OperationId::ListsCreate));
    assert_eq!((bytes.len(), ended.map_err(|error| error.kind())), (0, Ok(())));
    api.get("/__admin/readyz").expect(200);
}

#[test]
fn hang_is_silence_that_ends_with_a_reset_when_the_server_stops() {
    let api = start_server();
    add_rule(&api, &json!({ "name": "silence", "effect": { "line": "hang" } }));
    let mut line = send_on_connection(&api, OperationId::ListsQuery);
    until("the rule has met it", || (api.admin().get("/__admin/faults/rules/silence").ok()["hits"] == 1).then_some(()));
    line.set_read_timeout(Some(Duration::from_millis(100))).expect("a time-out");
    let silence = line.read(&mut [0]).map_err(|error| error.kind());
    assert!(matches!(silence, Err(ErrorKind::WouldBlock | ErrorKind::TimedOut)), "{silence:?}");
    line.set_read_timeout(Some(Duration::from_secs(60))).expect("a time-out");
    api.stop();
    let (bytes, ended) = read_until_end(line);
    assert_eq!((bytes.len(), ended.map_err(|error| error.kind())), (0, Err(ErrorKind::ConnectionReset)));
}

#[test]
fn a_caller_who_leaves_a_hanging_connection_is_recorded() {
    let (api, journal) = start_recording();
    add_rule(&api, &json!({ "name": "silence", "effect": { "line": "hang" } }));
    let line = send_on_connection(&api, OperationId::ListsQuery);
    let met = || api.admin().get("/__admin/faults/rules/silence").ok()["hits"] == 1;
    until("the line hangs", || met().then_some(()));
    line.shutdown(Shutdown::Both).expect("left");
    let line = last_exchange(&journal);
    assert_eq!((line.rule.as_deref(), line.status), (Some("silence"), None));
}

#[test]
fn malformed_json_has_its_length_and_lacks_its_end() {
    let api = start_server();
    let whole = send_operation(&api, OperationId::OptOutsQuery).text();
    add_rule(&api, &json!({ "effect": { "body": "malformed_json" } }));
    let answer = send_operation(&api, OperationId::OptOutsQuery).expect(200);
    assert_eq!(answer.text(), whole[..whole.len() - 1]);
    assert!(serde_json::from_slice::<Value>(&answer.body).is_err(), "{}", answer.shown());
    remove_rules(&api);
    add_rule(&api, &json!({ "effect": { "status": 500, "body": "malformed_json" } }));
    let answer = api.post(CREATE, &json!({ "name": "x" })).expect(500);
    assert!(serde_json::from_slice::<Value>(&answer.body).is_err(), "an error can be spoilt, too");
}

#[test]
fn truncate_sends_only_part_of_the_announced_bytes() {
    let api = start_server();
    let whole = send_operation(&api, OperationId::OptOutsQuery).body;
    for (truncate, sent) in [(json!({ "bytes": 7 }), 7), (json!({}), whole.len() / 2), (json!({ "bytes": 0 }), 0)] {
        remove_rules(&api);
        add_rule(&api, &json!({ "effect": { "body": { "truncate": truncate } } }));
        let (bytes, _) = read_until_end(send_on_connection(&api, OperationId::OptOutsQuery));
        let (head, body) = split_response(&bytes);
        assert!(head.contains(&format!("content-length: {}", whole.len())), "{head}");
        assert_eq!(body, whole[..sent], "{truncate}");
    }
}

#[test]
fn trickle_sends_everything_at_its_pace() {
    let api = start_server();
    let whole = send_operation(&api, OperationId::OptOutsQuery).body;
    let pace = u64::try_from(whole.len()).expect("short") * 2;
    add_rule(&api, &json!({ "effect": { "body": { "trickle": { "bytes_per_second": pace } } } }));
    let begun = Instant::now();
    let answer = send_operation(&api, OperationId::OptOutsQuery).expect(200);
    assert!(begun.elapsed() >= Duration::from_millis(450), "{:?}", begun.elapsed());
    assert_eq!(answer.body, whole);
    assert_eq!(answer.header("content-length"), Some(whole.len().to_string().as_str()));
}

#[test]
fn headers_can_lie_about_the_type() {
    let api = start_server();
    add_rule(&api, &json!({ "effect": { "body": "wrong_content_type" } }));
    let answer = send_operation(&api, OperationId::OptOutsQuery).expect(200);
    assert_eq!(answer.header("content-type"), Some("text/html; charset=utf-8"));
    answer.json();
    remove_rules(&api);
    add_rule(&api, &json!({ "effect": { "body": "duplicate_header" } }));
    let answer = send_operation(&api, OperationId::OptOutsQuery).expect(200);
    let types: Vec<_> = answer.headers.iter().filter(|(name, _)| name.eq_ignore_ascii_case("content-type")).collect();
    assert_eq!(types.len(), 2, "{}", answer.shown());
}

#[test]
fn an_answer_without_a_body_has_nothing_to_spoil() {
    for body in [json!("malformed_json"), json!({ "truncate": {} }), json!({ "trickle": { "bytes_per_second": 1 } })] {
        let api = start_server();
        add_rule(&api, &json!({ "effect": { "body": body } }));
        assert!(send_operation(&api, OperationId::ListsDelete).expect(204).body.is_empty());
    }
}
