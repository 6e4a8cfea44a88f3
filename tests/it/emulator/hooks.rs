//! The built-in receiver stores requests and answers them by its script, for callbacks and for any other caller.

use std::{
    io::Read,
    thread,
    time::{Duration, Instant},
};

use roost_tests::{Request, Served, seeds};
use serde_json::{Value, json};

use super::callbacks::{
    build_contacts, create_receiver, frozen_setup, received_ids, request_contacts, wait_for_callbacks,
    wait_until_settled,
};

fn set_script(api: &Served, name: &str, script: &Value) -> Value {
    api.admin().put(format!("/__admin/hooks/{name}"), script).ok()
}

fn read_receiver(api: &Served, name: &str) -> Value {
    api.admin().get(format!("/__admin/hooks/{name}")).ok()
}

#[test]
fn a_receiver_keeps_what_comes_and_answers() {
    let api = frozen_setup().serve();
    assert_eq!(read_receiver(&api, "inbox")["came"], 0, "empty before the first call");
    api.send(Request::post("/__hook/inbox?a=b%20c").header("x-own", "1").body("{\"x\":1}")).expect(200);
    api.send(Request::new("PUT", "/__hook/inbox").body("plain")).expect(200);
    let found = read_receiver(&api, "inbox");
    assert_eq!(
        (&found["url"], &found["came"], &found["next"]),
        (&json!(create_receiver(&api, "inbox")), &json!(2), &json!(2))
    );
    let first = &found["items"][0];
    assert_eq!((&first["method"], &first["target"]), (&json!("POST"), &json!("/__hook/inbox?a=b%20c")));
    assert_eq!((&first["body"], &first["json"], &first["bytes"]), (&json!("{\"x\":1}"), &json!({ "x": 1 }), &json!(7)));
    assert!(first["headers"].as_array().expect("headers").contains(&json!(["x-own", "1"])), "{first}");
    assert_eq!((&first["answered"], &first["callback_id"]), (&json!(200), &json!(null)));
    assert_eq!((&found["items"][1]["json"], &found["items"][1]["body"]), (&json!(null), &json!("plain")));
    let later = api.admin().get("/__admin/hooks/inbox?since=1").ok();
    assert_eq!(later["items"].as_array().map(Vec::len), Some(1));
    assert_eq!(api.admin().get("/__admin/hooks").column("name"), ["inbox"]);
}

#[test]
fn answers_are_given_in_their_order_and_then_one_for_ever() {
    let api = frozen_setup().serve();
    set_script(
        &api,
        "inbox",
        &json!({ "answers": [500, 500, { "status": 202, "body": "ok", "headers": { "x-a": "b" } }] }),
    );
    api.admin().put("/__admin/callback_policy", &json!({ "backoff": ["0s", "0s", "0s"] })).expect(200);
    request_contacts(&api, &create_receiver(&api, "inbox"), "a", &build_contacts([1]));
    wait_until_settled(&api);
    let answered: Vec<Value> =
        wait_for_callbacks(&api, "inbox", 3).iter().map(|call| call["answered"].clone()).collect();
    assert_eq!(answered, [500, 500, 202]);
    let ledger = api.admin().get("/__admin/callbacks/1").ok();
    assert_eq!((&ledger["state"], &ledger["attempts"][2]["went"]["answer"]), (&json!("delivered"), &json!("ok")));
    api.post("/__hook/inbox", &json!({})).expect(200);
    set_script(&api, "inbox", &json!({ "then": { "status": 410, "headers": { "x-a": "b" } } }));
    let refused = api.post("/__hook/inbox", &json!({})).expect(410);
    assert_eq!(refused.header("x-a"), Some("b"));
    api.post("/__hook/inbox", &json!({})).expect(410);
}

#[test]
fn an_answer_waits_and_a_connection_ends_as_arranged() {
    let api = frozen_setup().serve();
    set_script(&api, "inbox", &json!({ "answers": [{ "delay": "200ms" }, { "line": "empty" }, { "line": "reset" }] }));
    let begun = Instant::now();
    api.post("/__hook/inbox", &json!({})).expect(200);
    assert!(begun.elapsed() >= Duration::from_millis(200));
    for _ in 0..2 {
        assert!(api.try_send(&Request::post("/__hook/inbox").json_text("{}")).is_err());
    }
    let answered: Vec<Value> =
        wait_for_callbacks(&api, "inbox", 3).iter().map(|call| call["answered"].clone()).collect();
    assert_eq!(answered, [json!(200), json!(null), json!(null)]);
}

#[test]
fn a_poll_of_a_receiver_wakes_with_what_comes() {
    let api = frozen_setup().serve();
    let found = thread::scope(|scope| {
        let poll = scope.spawn(|| api.admin().get("/__admin/hooks/inbox?count=2&wait=30s").ok());
        api.post("/__hook/other", &json!({})).expect(200);
        api.post("/__hook/inbox", &json!(1)).expect(200);
        api.post("/__hook/inbox", &json!(2)).expect(200);
        poll.join().expect("a page")
    });
    assert_eq!(found["items"].as_array().map(Vec::len), Some(2));
    let none = api.admin().get("/__admin/hooks/inbox?since=2&wait=20ms").ok();
    assert_eq!((&none["items"], &none["next"]), (&json!([]), &json!(2)));
    for query in ["?wait=1", "?wait=10m", "?since=-1", "?count=0", "?limit=1001"] {
        api.admin().get(format!("/__admin/hooks/inbox{query}")).expect(400);
    }
}

#[test]
fn a_receiver_is_forgotten_and_emptied_by_a_reset() {
    let api = frozen_setup().serve();
    api.admin().post("/__admin/snapshots", &json!({ "name": "first" })).expect(201);
    let fill = || {
        set_script(&api, "inbox", &json!({ "then": 500 }));
        api.post("/__hook/inbox", &json!({})).expect(500);
    };
    fill();
    api.admin().delete("/__admin/hooks/inbox").expect(204);
    api.admin().delete("/__admin/hooks/inbox").expect(404);
    api.post("/__hook/inbox", &json!({})).expect(200);
    fill();
    api.admin().post("/__admin/snapshots/first/restore", &json!({})).expect(200);
    assert_eq!(read_receiver(&api, "inbox")["came"], 0);
    api.post("/__hook/inbox", &json!({})).expect(200);
}

#[test]
fn a_callback_of_before_a_reset_never_comes_to_a_receiver() {
    let api = frozen_setup().serve();
    api.admin().post("/__admin/snapshots", &json!({ "name": "first" })).expect(201);
    for round in 0..10 {
        let id = format!("before-{round}");
        for n in 0..5 {
            request_contacts(&api, &create_receiver(&api, "inbox"), &id, &build_contacts([n]));
        }
        api.admin().post("/__admin/snapshots/first/restore", &json!({})).expect(200);
        let id = format!("after-{round}");
        request_contacts(&api, &create_receiver(&api, "inbox"), &id, &build_contacts([1]));
        wait_until_settled(&api);
        assert_eq!(received_ids(&api, "inbox", 1), [id]);
    }
}

#[test]
fn receivers_belong_to_worlds() {
    let api = frozen_setup().serve();
    let world = super::worlds::create_world(&api, &json!({ "name": "a" }));
    api.post(format!("{}/__hook/inbox", world.path), &json!("a")).expect(200);
    api.with_key(&world.key).post("/__hook/inbox", &json!("by key")).expect(200);
    api.post("/__hook/inbox", &json!("default")).expect(200);
    let bodies = |path: &str| {
        let found = api.admin().get(path).ok();
        found["items"].as_array().expect("items").iter().map(|call| call["json"].clone()).collect::<Vec<_>>()
    };
    api.post("/__hook/a/inbox", &json!("by name")).expect(200);
    api.post("/__hook/default/other", &json!("default by name")).expect(200);
    assert_eq!(bodies("/__admin/worlds/a/hooks/inbox"), ["a", "by key", "by name"]);
    assert_eq!(bodies("/__admin/hooks/other"), ["default by name"]);
    assert_eq!(bodies("/__admin/hooks/inbox"), ["default"]);
    let own = api.with_token(&world.token);
    assert_eq!(own.get("/__admin/hooks/inbox").ok()["url"], json!(format!("{}/__hook/a/inbox", api.url())));
    own.get("/__admin/worlds/default/hooks/inbox").expect(403);
    api.post("/w/nobody/__hook/inbox", &json!({})).expect(404);
    api.post("/__hook/nobody/inbox", &json!({})).expect(404);
    api.post("/w/a/__hook/default/inbox", &json!({})).expect(404);
    api.with_key(&world.key).post("/__hook/default/inbox", &json!({})).expect(409);
}

#[test]
fn the_address_of_the_guide_leads_to_the_receiver_of_the_world_that_sends() {
    let api = frozen_setup().serve();
    let world = super::worlds::create_world(&api, &json!({ "name": "a" }));
    let (client, own) = (api.with_key(&world.key), api.with_token(&world.token));
    let made = client.post("/contacts/v1/lists/create", &json!({ "name": "List" })).ok();
    for address in ["/__hook/inbox", "/__hook/a/inbox", "/w/a/__hook/inbox", "/__hook/default/inbox"] {
        let body = json!({
            "list_id": made["uid"], "merge_type": "skipDuplicates", "contacts": [{ "phone_number": seeds::mobile(1) }],
            "callback_url": format!("{}{address}", api.url()),
        });
        client.post("/contacts/v1/contacts", &body).expect(200);
    }
    own.post("/__admin/settle", &json!({})).expect(200);
    assert_eq!(own.get("/__admin/hooks/inbox").ok()["came"], 3);
    assert_eq!(api.admin().get("/__admin/hooks/inbox").ok()["came"], 1, "the one that names the default world");
}

#[test]
fn an_invalid_script_name_or_path_of_a_receiver_is_refused() {
    let api = frozen_setup().serve();
    for bad in
        [json!({ "answers": [99] }), json!({ "answer": [500] }), json!({ "answers": [{ "delay": "1h" }] }), json!([])]
    {
        api.admin().put("/__admin/hooks/inbox", &bad).expect(400);
    }
    for name in ["A", "a_b", "a%2Fb"] {
        let status = api.admin().put(format!("/__admin/hooks/{name}"), &json!({})).status;
        assert!([400, 404].contains(&status), "{name}: {status}");
        assert_eq!(api.post(format!("/__hook/{name}"), &json!({})).status, 404, "{name}");
    }
    for path in ["/__hook", "/__hook/", "/__hook/a/b", "/__hook/default/inbox/x"] {
        api.post(path, &json!({})).expect(404);
    }
}

/// Proves: G3_2_7.
#[test]
fn callbacks_reach_receivers_and_no_other_path_of_this_server() {
    let api = frozen_setup().serve();
    let port = api.address().port();
    for (n, url) in [
        format!("http://127.0.0.1:{port}/__hook/inbox"),
        format!("http://localhost:{port}/__hook/inbox?a=1"),
        format!("http://[::1]:{port}/w/default/__hook/inbox"),
        format!("http://127.0.0.1:{port}/__hook/default/inbox"),
    ]
    .iter()
    .enumerate()
    {
        request_contacts(&api, url, "a", &build_contacts([1]));
        wait_for_callbacks(&api, "inbox", n + 1);
    }
    wait_until_settled(&api);
    for path in [
        "/__admin/hooks/inbox",
        "/__hook/../__admin/reset",
        "/contacts/v1/lists/create",
        "/__hook/default/inbox/x",
        "/",
    ] {
        request_contacts(&api, &format!("http://127.0.0.1:{port}{path}"), "b", &build_contacts([1]));
    }
    wait_until_settled(&api);
    let refused = api.admin().get("/__admin/callbacks?correlation_id=b").items();
    assert_eq!(refused.len(), 5);
    for callback in refused {
        assert_eq!(
            (&callback["state"], &callback["attempts"][0]["error_class"]),
            (&json!("given_up"), &json!("refused")),
            "{callback}"
        );
    }
    assert_eq!(read_receiver(&api, "inbox")["came"], 4);
    let names: Vec<Value> = wait_for_callbacks(&api, "inbox", 4)[0]["headers"].as_array().expect("headers").clone();
    assert!(!names.iter().any(|header| header[0] == "x-roost-try"), "our own header is not recorded: {names:?}");
}

/// Proves: G3_2_8.
#[test]
fn what_is_kept_is_bounded() {
    let api = frozen_setup().serve();
    let large = vec![b'x'; 300 * 1024];
    api.send(Request::post("/__hook/inbox").body(large)).expect(200);
    let call = wait_for_callbacks(&api, "inbox", 1).remove(0);
    assert_eq!((call["bytes"].as_u64(), call["body"].as_str().map(str::len)), (Some(300 * 1024), Some(256 * 1024)));
    for n in 1..100 {
        api.post(format!("/__hook/h{n}"), &json!({})).expect(200);
    }
    let full = api.post("/__hook/one-more", &json!({})).expect(409).json();
    assert_eq!(full["error"]["code"], "too_many_hooks");
    let mut line = std::net::TcpStream::connect(api.address()).expect("a line");
    std::io::Write::write_all(
        &mut line,
        b"POST /__hook/inbox HTTP/1.1\r\nhost: evil.example\r\ncontent-length: 0\r\n\r\n",
    )
    .expect("sent");
    let mut answer = [0; 12];
    line.read_exact(&mut answer).expect("an answer");
    assert_eq!(&answer, b"HTTP/1.1 421", "the gate is before it");
}
