//! Worlds: many accounts on one server, isolated from each other.

pub(crate) mod acts;
mod fleet;
pub(crate) mod isolation;
mod receivers;
pub(crate) mod recordings;
pub(crate) mod restarts;
pub(crate) mod unawares;
pub(crate) mod whole;

use std::{
    io::{Read, Write},
    net::TcpStream,
};

use roost_emulator::admin_routes;
use roost_tests::{Client, Receiver, Reply, Request, Served, Setup, seeds, until};
use serde_json::{Value, json};

const LISTS: &str = "/contacts/v1/lists/";
const MAKE_LIST: &str = "/contacts/v1/lists/create";

/// A created world and its access.
pub(crate) struct CreatedWorld {
    pub id: String,
    pub key: String,
    pub token: String,
    /// The prefix of all its paths.
    pub path: String,
}

#[track_caller]
pub(crate) fn create_world(api: &Served, options: &Value) -> CreatedWorld {
    let made = api.admin().post("/__admin/worlds", options).expect(201).json();
    let text = |name: &str| made[name].as_str().unwrap_or_else(|| panic!("no {name} in {made}")).to_owned();
    assert_eq!(made["base_url"], json!(format!("{}/w/{}", api.url(), text("id"))));
    assert_eq!(made["admin_url"], json!(format!("{}/__admin/worlds/{}", api.url(), text("id"))));
    CreatedWorld {
        path: format!("/w/{}", text("id")),
        id: text("id"),
        key: text("api_key"),
        token: text("admin_token"),
    }
}

/// Returns the names of the lists that a client sees.
fn list_names(client: &Client) -> Vec<String> {
    client.get(LISTS).column("name")
}

fn status_and_code(answer: &roost_tests::Answer) -> (u16, Value) {
    (answer.status, answer.json()["error"]["code"].clone())
}

#[test]
fn a_world_is_chosen_by_key_path_or_host() {
    let api = Setup::new().serve();
    let a = create_world(&api, &json!({ "name": "a", "keys": ["my-own-key-of-a"] }));
    let b = create_world(&api, &json!({ "name": "b" }));
    api.with_key(&a.key).post(MAKE_LIST, &json!({ "name": "of a" })).expect(200);
    api.post(format!("{}{MAKE_LIST}", b.path), &json!({ "name": "of b" })).expect(200);
    api.post(MAKE_LIST, &json!({ "name": "of default" })).expect(200);
    let host = |world: &CreatedWorld| format!("{}.localhost:{}", world.id, api.address().port());
    for client in [
        api.with_key(&a.key),
        api.with_key(" my-own-key-of-a "),
        api.with("host", host(&a)),
        api.with("host", "A.LOCALHOST"),
        api.with("host", host(&a)).with("x-auth-key", a.key.as_str()),
    ] {
        assert_eq!(list_names(&client), ["of a"]);
    }
    assert_eq!(api.get(format!("{}{LISTS}", b.path)).column("name"), ["of b"]);
    assert_eq!(api.with_key(&b.key).get(format!("{}{LISTS}", b.path)).column("name"), ["of b"]);
    assert_eq!(api.with("host", host(&b)).get(format!("/w/%62{LISTS}")).column("name"), ["of b"]);
    assert_eq!(api.get(format!("/w/default{LISTS}")).column("name"), ["of default"]);
    for client in [api.with_key("anything else"), api.with("host", "a.b.localhost"), api.with("host", "localhost")] {
        assert_eq!(list_names(&client), ["of default"]);
    }
    for (client, path) in [
        (api.with_key("k"), "/w/nobody"),
        (api.with_key("k"), "/w/"),
        (api.with("host", "nobody.localhost"), ""),
        (api.with_key("k"), "/w/A"),
    ] {
        let answer = client.get(format!("{path}{LISTS}"));
        assert_eq!(status_and_code(&answer), (404, json!("unknown_world")), "{}", answer.shown());
    }
    api.get(format!("{}/__admin/info", a.path)).expect(404);
    // A rule for a path matches however the world was addressed.
    let rule = json!({ "match": { "path": LISTS }, "effect": { "status": 503 } });
    api.admin().post("/__admin/worlds/a/faults/rules", &rule).expect(201);
    let by_key = api.with_key(&a.key).get(LISTS).status;
    assert_eq!([by_key, api.get(format!("{}{LISTS}", a.path)).status, api.get(LISTS).status], [503, 503, 200]);
}

#[test]
fn two_names_that_disagree_are_refused_with_both() {
    let api = Setup::new().serve();
    let (a, b) = (create_world(&api, &json!({ "name": "a" })), create_world(&api, &json!({ "name": "b" })));
    let on_b = format!("{}{LISTS}", b.path);
    let clashes = [
        (api.with_key(&a.key).get(&on_b), ["path", "'b'", "key", "'a'"]),
        (api.with("host", "a.localhost").get(&on_b), ["path", "'b'", "host name", "'a'"]),
        (
            api.with("host", "a.localhost").with("x-auth-key", b.key.as_str()).get(LISTS),
            ["host name", "'a'", "key", "'b'"],
        ),
        (api.with_key(&a.key).get(format!("/w/default{LISTS}")), ["path", "'default'", "key", "'a'"]),
    ];
    for (answer, words) in clashes {
        assert_eq!(status_and_code(&answer), (409, json!("world_clash")), "{}", answer.shown());
        let message = answer.json()["error"]["message"].to_string();
        assert!(words.iter().all(|word| message.contains(word)), "{message}");
    }
    api.with_key(&a.key).post(format!("{}{MAKE_LIST}", b.path), &json!({ "name": "x" })).expect(409);
    for world in [&a, &b] {
        assert_eq!(list_names(&api.with_key(&world.key)), [""; 0], "nothing was done in either");
    }
}

#[test]
fn worlds_are_isolated() {
    let api = Setup::new().set("limits", "on").set("limits.per_second", "2").serve();
    let worlds: Vec<CreatedWorld> = (0..20).map(|n| create_world(&api, &json!({ "name": format!("w{n}") }))).collect();
    for (n, world) in worlds.iter().enumerate() {
        let client = api.with_key(&world.key);
        client.post(MAKE_LIST, &json!({ "name": format!("list {n}") })).expect(200);
        let admin = api.with_token(&world.token);
        admin.post("/__admin/custom_fields", &json!({ "label": format!("field {n}") })).expect(201);
        admin
            .patch("/__admin/settings", &json!({ "status.list_create": if n % 2 == 0 { 200 } else { 201 } }))
            .expect(200);
    }
    for (n, world) in worlds.iter().enumerate() {
        let client = api.with_key(&world.key);
        assert_eq!(list_names(&client), [format!("list {n}")]);
        let admin = api.with_token(&world.token);
        assert_eq!(
            admin.get("/__admin/custom_fields?page_size=1000").column("label").last(),
            Some(&format!("field {n}"))
        );
        let made = client.post(MAKE_LIST, &json!({ "name": "again" }));
        assert_eq!(made.status, if n % 2 == 0 { 200 } else { 201 }, "each has its settings and its buckets");
        let counts = admin.get("/__admin/info").ok()["counts"].clone();
        assert_eq!((&counts["lists"], &counts["custom_fields"]), (&json!(2), &json!(4)));
    }
    assert_eq!(list_names(&api.with_key("k")), [""; 0]);
    let shown = api.admin().get("/__admin/worlds?page_size=1000").items();
    assert_eq!(shown.len(), 21);
    assert_eq!(shown[0]["id"], "default");
    assert!(shown[1..].iter().all(|world| world["requests"] == 3), "{shown:?}");
    let text = json!(shown).to_string();
    assert!(
        worlds.iter().all(|world| !text.contains(&world.key) && !text.contains(&world.token)),
        "no secret is shown"
    );
}

#[test]
fn jobs_and_callbacks_of_every_world_run() {
    let api = Setup::new().serve();
    let receiver = Receiver::start();
    let worlds: Vec<CreatedWorld> =
        (0..3).map(|n| create_world(&api, &json!({ "name": format!("w{n}"), "from": "empty" }))).collect();
    for world in &worlds {
        let client = api.with_key(&world.key);
        let list = client.post(MAKE_LIST, &json!({ "name": "VIP" })).ok()["uid"].clone();
        let body = json!({
            "list_id": list, "merge_type": "skipDuplicates", "contacts": [{ "phone_number": seeds::mobile(1) }],
            "callback_url": receiver.url(&format!("/{}", world.id)), "correlation_id": world.id,
        });
        client.post("/contacts/v1/contacts", &body).expect(200);
    }
    let mut correlation_ids: Vec<_> =
        receiver.wait_for(3).iter().map(|got| got.json()["correlation_id"].clone()).collect();
    correlation_ids.sort_by_key(Value::to_string);
    assert_eq!(correlation_ids, ["w0", "w1", "w2"]);
    for world in &worlds {
        let admin = api.with_token(&world.token);
        until("the callback is delivered", || {
            (admin.get("/__admin/callbacks").column("state") == ["delivered"]).then_some(())
        });
        assert_eq!(admin.get("/__admin/jobs").column("state"), ["done"]);
    }
    assert_eq!(api.admin().get("/__admin/jobs").items(), [json!(null); 0]);
}

#[test]
fn a_short_url_leads_into_its_own_world() {
    let api = Setup::new().serve();
    let world = create_world(&api, &json!({ "name": "a" }));
    let body = json!({ "title": "Spring", "target_url": "https://shop.example/a", "track_clicks": true });
    let made = api.with_key(&world.key).post("/assets/v1/shortlink", &body).expect(200).json();
    let url = made["short_link_url"].as_str().unwrap_or_else(|| panic!("{made}"));
    let path = url.strip_prefix(api.url()).unwrap_or_else(|| panic!("{url} is not ours")).to_owned();
    assert!(path.starts_with("/w/a/s/"), "{path}");
    let answer = api.send(Request::get(&path).without("x-auth-key")).expect(302);
    assert_eq!(answer.header("location"), Some("https://shop.example/a"));
    api.send(Request::get(path.trim_start_matches("/w/a")).without("x-auth-key")).expect(404);
    // A base address of the server leads to the default world only, unless a world requests it.
    let api = Setup::new().set("short_link_base", "https://go.example/x").serve();
    let world = create_world(&api, &json!({ "name": "a" }));
    let url = |key: &str| {
        let made = api.with_key(key).post("/assets/v1/shortlink", &body).expect(200).json();
        made["short_link_url"].as_str().unwrap_or_else(|| panic!("{made}")).to_owned()
    };
    assert!(url(&world.key).starts_with(&format!("{}/w/a/s/", api.url())), "{}", url(&world.key));
    assert!(url("k").starts_with("https://go.example/x/"), "{}", url("k"));
    let wished = create_world(&api, &json!({ "settings": { "short_link_base": "https://go.example/y" } }));
    assert!(url(&wished.key).starts_with("https://go.example/y/"), "{}", url(&wished.key));
}

#[test]
fn a_scoped_token_cannot_touch_its_neighbour() {
    let api = Setup::new().serve();
    let (a, b) = (create_world(&api, &json!({ "name": "a" })), create_world(&api, &json!({ "name": "b" })));
    let with_a = api.with_token(&a.token);
    for route in admin_routes().iter().filter(|route| !route.is_open()) {
        for other in [b.id.as_str(), "default", "nobody"] {
            let path = route.path.replace("{world}", other);
            if route.accepts_world_token() && !route.path.contains("{world}") {
                continue;
            }
            let path = path.split('/').map(|part| if part.starts_with('{') { "1" } else { part });
            let request = Request::new(route.method, path.collect::<Vec<_>>().join("/")).json_text("{}");
            let answer = with_a.send(request);
            assert_eq!(status_and_code(&answer), (403, json!("out_of_scope")), "{}", answer.shown());
        }
    }
    // A path without a world means the token's own world.
    with_a.post("/__admin/custom_fields", &json!({ "label": "of a" })).expect(201);
    with_a.post("/__admin/worlds/a/custom_fields", &json!({ "label": "of a too" })).expect(201);
    let own = |path: &str| {
        let mut labels = api.admin().get(format!("{path}/custom_fields")).column("label");
        labels.retain(|label| label.starts_with("of a"));
        labels
    };
    assert_eq!(own("/__admin/worlds/a"), ["of a", "of a too"]);
    assert_eq!([own("/__admin"), own("/__admin/worlds/b")], [[""; 0], [""; 0]]);
    with_a.get("/__console/changes").expect(404);
    api.admin().delete("/__admin/worlds/a").expect(204);
    with_a.get("/__admin/info").expect(401);
}

#[test]
fn a_world_begins_as_it_is_wanted_or_not_at_all() {
    let api = Setup::new().serve();
    let seed = json!({ "lists": [{ "name": "of the seed" }] });
    api.admin().put("/__admin/seed", &seed).expect(200);
    api.post(MAKE_LIST, &json!({ "name": "later" })).expect(200);
    let begun = |options: &Value| {
        let mut names = list_names(&api.with_key(&create_world(&api, options).key));
        names.sort();
        names
    };
    assert_eq!(begun(&json!({})), ["of the seed"]);
    assert_eq!(begun(&json!({ "from": "empty" })), [""; 0]);
    assert_eq!(begun(&json!({ "from": "world:default" })), ["later", "of the seed"]);
    api.admin().post("/__admin/snapshots", &json!({ "name": "both" })).expect(201);
    api.admin().post("/__admin/reset", &json!({})).expect(200);
    assert_eq!(begun(&json!({ "from": "snapshot:both", "name": "z" })), ["later", "of the seed"]);
    assert_eq!(begun(&json!({ "from": "world:z", "settings": { "limits": "off" } })), ["later", "of the seed"]);
    let taken = create_world(&api, &json!({ "name": "taken", "keys": ["a-key-of-mine"] }));
    let count = api.admin().get("/__admin/worlds?page_size=1000").items().len();
    for (options, status, error) in [
        (json!({ "name": "taken" }), 409, "name_taken"),
        (json!({ "name": "default" }), 409, "name_taken"),
        (json!({ "keys": ["a-key-of-mine"] }), 409, "key_taken"),
        (json!({ "keys": [taken.key] }), 409, "key_taken"),
        (json!({ "keys": ["short"] }), 400, "invalid"),
        (json!({ "name": "No" }), 400, "invalid"),
        (json!({ "name": "" }), 400, "invalid"),
        (json!({ "from": "somewhere" }), 400, "invalid"),
        (json!({ "from": "world:nobody" }), 404, "unknown_world"),
        (json!({ "from": "snapshot:none" }), 404, "not_found"),
        (json!({ "ttl": "soon" }), 400, "bad_body"),
        (json!({ "ttl": "0s" }), 400, "invalid"),
        (json!({ "ttl": "999ms" }), 400, "invalid"),
        (json!({ "settings": { "limit": "off" } }), 400, "invalid"),
        (json!({ "nmae": "x" }), 400, "bad_body"),
    ] {
        let answer = api.admin().post("/__admin/worlds", &options);
        assert_eq!(status_and_code(&answer), (status, json!(error)), "{}", answer.shown());
    }
    assert_eq!(api.admin().get("/__admin/worlds?page_size=1000").items().len(), count, "nothing was half made");
}

#[test]
fn a_copy_owes_the_callbacks_that_its_original_owed() {
    let api = Setup::new().serve();
    let receiver = Receiver::replying([Reply::Status(500)]);
    let list = api.post(MAKE_LIST, &json!({ "name": "VIP" })).ok()["uid"].clone();
    let body = json!({
        "list_id": list, "merge_type": "skipDuplicates", "contacts": [{ "phone_number": seeds::mobile(1) }],
        "callback_url": receiver.url("/hook"),
    });
    api.post("/contacts/v1/contacts", &body).expect(200);
    let owed = |admin: &Client| admin.get("/__admin/callbacks").items();
    until("the first try is over", || {
        let owed = owed(&api.admin());
        let first = owed.first()?;
        (first["attempts"][0]["status"] == 500 && first["under_way"] == false).then_some(())
    });
    let before = owed(&api.admin());
    api.admin().post("/__admin/snapshots", &json!({ "name": "s" })).expect(201);
    for from in ["world:default", "snapshot:s"] {
        let copy = api.with_token(&create_world(&api, &json!({ "from": from })).token);
        let due =
            |owed: &[Value]| owed.iter().map(|one| (one["state"].clone(), one["next_at"].clone())).collect::<Vec<_>>();
        assert_eq!(due(&owed(&copy)), due(&before), "{from}");
        copy.post("/__admin/callbacks/1/cancel", &json!({})).expect(200);
        assert_eq!(copy.get("/__admin/callbacks").column("state"), ["given_up"], "{from}");
    }
    assert_eq!(owed(&api.admin()), before, "the original still owes its own");
    assert_eq!(receiver.received().len(), 1);
}

#[test]
fn an_idle_world_expires_and_a_busy_one_does_not() {
    let api = Setup::new().serve();
    let is_removed = |id: &str| api.admin().get(format!("/__admin/worlds/{id}")).status == 404;
    // The body of a request is still arriving. On a slow machine the world may expire before that, and the attempt is
    // repeated.
    let (busy, mut line) = until("a request is under way in a world that would expire", || {
        let busy = create_world(&api, &json!({ "ttl": "1s" }));
        let mut line = TcpStream::connect(api.address()).expect("listening");
        let head = format!(
            "POST {MAKE_LIST} HTTP/1.1\r\nhost: localhost\r\nx-auth-key: {}\r\ncontent-type: application/json\r\ncontent-length: 15\r\nconnection: close\r\n\r\n",
            busy.key
        );
        line.write_all(head.as_bytes()).expect("writable");
        loop {
            let shown = api.admin().get(format!("/__admin/worlds/{}", busy.id));
            match shown.status {
                200 if shown.json()["under_way"] == 1 => return Some((busy, line)),
                200 => {}
                _ => return None,
            }
        }
    });
    let stays = create_world(&api, &json!({ "name": "stays" }));
    let idle = create_world(&api, &json!({ "ttl": "1s", "from": "empty" }));
    until("the idle world is gone", || is_removed(&idle.id).then_some(()));
    api.get(format!("{}{LISTS}", idle.path)).expect(404);
    assert!(!is_removed(&stays.id) && !is_removed(&busy.id));
    let mut answer = String::new();
    line.write_all(br#"{"name":"busy"}"#).expect("writable");
    line.read_to_string(&mut answer).expect("answered");
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    until("the busy world is idle and gone", || is_removed(&busy.id).then_some(()));
}

#[test]
fn a_removed_world_answers_nobody_and_closes_what_waits() {
    let api = Setup::new().serve();
    let world = create_world(&api, &json!({ "name": "a" }));
    let mut line = TcpStream::connect(api.address()).expect("listening");
    let head = format!(
        "POST {MAKE_LIST} HTTP/1.1\r\nhost: localhost\r\nx-auth-key: {}\r\ncontent-type: application/json\r\ncontent-length: 99\r\n\r\n",
        world.key
    );
    line.write_all(head.as_bytes()).expect("writable");
    let shown = || api.admin().get("/__admin/worlds/a").ok();
    until("the request is under way", || (shown()["under_way"] == 1).then_some(()));
    api.admin().delete("/__admin/worlds/a").expect(204);
    let mut answer = Vec::new();
    line.read_to_end(&mut answer).expect("closed in good order");
    assert_eq!(String::from_utf8_lossy(&answer), "", "closed without an answer");
    api.admin().delete("/__admin/worlds/a").expect(404);
    api.admin().post("/__admin/worlds/a/reset", &json!({})).expect(404);
    assert_eq!(status_and_code(&api.admin().delete("/__admin/worlds/default")), (409, json!("default_world")));
    let again = create_world(&api, &json!({ "name": "a" }));
    assert_eq!(list_names(&api.with_key(&again.key)), [""; 0]);
    let late = api.with_key(&world.key);
    assert_eq!(status_and_code(&late.post(MAKE_LIST, &json!({ "name": "late" }))), (404, json!("unknown_world")));
    assert_eq!(
        status_and_code(&late.get(format!("{}{LISTS}", again.path))),
        (404, json!("unknown_world")),
        "not in its heir"
    );
    assert_eq!(list_names(&api), [""; 0], "and in no other");
}

#[test]
fn pages_of_one_world_may_not_ask_another() {
    let api = Setup::new().serve();
    let port = api.address().port();
    for name in ["a", "b"] {
        create_world(&api, &json!({ "name": name }));
    }
    let asks = |page: &str, host: &str| {
        let request = Request::get(LISTS).header("host", format!("{host}:{port}"));
        api.send(request.header("origin", format!("http://{page}:{port}"))).status
    };
    let names = ["a.localhost", "b.localhost", "localhost", "127.0.0.1"];
    for (page, host) in names.iter().flat_map(|page| names.map(|host| (*page, host))) {
        assert_eq!(asks(page, host), if page == host { 200 } else { 403 }, "{page} asks {host}");
    }
}

#[test]
fn health_is_open_at_the_root() {
    let api = Setup::new().serve();
    for path in ["/livez", "/readyz", "/__admin/livez", "/__admin/readyz"] {
        assert_eq!(api.without("x-auth-key").get(path).ok(), json!({ "status": "ok", "server": "roost" }), "{path}");
    }
}
