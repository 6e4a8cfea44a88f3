//! Callbacks of a world that was copied, imported or started again reach the receivers that it has now.

use roost_tests::{Client, Request, Served, Spawned, seeds};
use serde_json::{Value, json};

use super::create_world;
use crate::emulator::callbacks::{LIST, build_contacts, frozen_setup, request_contacts, wait_until_settled};

/// Every form of the address of a receiver of the default world.
fn receiver_forms(server: &str) -> Vec<String> {
    let by_name = server.replace("127.0.0.1", "localhost");
    [
        format!("{server}/__hook/default/inbox"),
        format!("{server}/__hook/inbox"),
        format!("{server}/w/default/__hook/inbox"),
        format!("{by_name}/__hook/default/inbox?x=1"),
    ]
    .into()
}

/// Returns how many calls came to the receiver, once there are at least `count`.
#[track_caller]
fn count_calls(admin: &Client, count: usize) -> Value {
    let wait = if count > 0 { format!("?count={count}&wait=30s") } else { String::new() };
    admin.get(format!("/__admin/hooks/inbox{wait}")).ok()["came"].clone()
}

/// Starts a server in which a callback to each form of address is held.
fn hold_callbacks() -> Served {
    let api = frozen_setup().serve();
    api.admin().put("/__admin/callback_policy", &json!({ "hold": true })).expect(200);
    for (n, url) in receiver_forms(api.url()).iter().enumerate() {
        request_contacts(&api, url, &format!("held-{n}"), &build_contacts([n]));
    }
    wait_until_settled(&api);
    api
}

#[test]
fn callbacks_of_a_copy_go_to_its_own_receivers() {
    let api = hold_callbacks();
    api.admin().post("/__admin/snapshots", &json!({ "name": "ready" })).expect(201);
    for from in ["snapshot:ready", "world:default"] {
        let made = create_world(&api, &json!({ "from": from }));
        let copy = api.with_token(&made.token);
        let shown = copy.get("/__admin/callbacks").column("url");
        assert!(shown.iter().all(|url| !url.contains("default")), "{shown:?}");
        for again in 0..2 {
            copy.post("/__admin/release_callbacks", &json!({})).expect(200);
            assert_eq!(count_calls(&copy, 4), 4, "{from}, {again} resets");
            copy.post("/__admin/reset", &json!({})).expect(200);
        }
    }
    assert_eq!(count_calls(&api.admin(), 0), 0, "the original's receiver is not called");
    api.admin().post("/__admin/release_callbacks", &json!({})).expect(200);
    assert_eq!(count_calls(&api.admin(), 4), 4);
}

#[test]
fn a_new_job_of_a_copy_goes_where_it_says() {
    let api = hold_callbacks();
    let made = create_world(&api, &json!({ "from": "world:default" }));
    let copy = api.with_token(&made.token);
    copy.put("/__admin/callback_policy", &json!({})).expect(200);
    let body = json!({
        "list_id": LIST, "merge_type": "skipDuplicates", "contacts": build_contacts([7]),
        "callback_url": format!("{}/__hook/default/inbox", api.url()),
    });
    api.with_key(&made.key).post("/contacts/v1/contacts", &body).expect(200);
    assert_eq!(count_calls(&api.admin(), 1), 1);
    assert_eq!(count_calls(&copy, 0), 0);
}

#[test]
fn a_job_that_ends_in_a_copy_calls_the_receiver_of_the_copy() {
    let api = frozen_setup().serve();
    api.admin().put("/__admin/job_policy", &json!({ "progress": "manual" })).expect(200);
    request_contacts(&api, &format!("{}/__hook/default/inbox", api.url()), "late", &build_contacts([1]));
    let copy = api.with_token(&create_world(&api, &json!({ "from": "world:default" })).token);
    copy.post("/__admin/jobs/1/run", &json!({})).expect(200);
    assert_eq!(count_calls(&copy, 1), 1);
    assert_eq!(count_calls(&api.admin(), 0), 0);
}

#[test]
fn callbacks_of_an_imported_world_go_to_the_receivers_of_its_new_server() {
    let api = hold_callbacks();
    let world = api.admin().get("/__admin/export?format=world").expect(200).body.to_vec();
    let (other, third) = (frozen_setup().serve(), frozen_setup().serve());
    let import = |server: &Served, world: Vec<u8>| {
        let request = Request::post("/__admin/import?format=world").header("content-type", "application/octet-stream");
        server.admin().send(request.body(world)).expect(200);
    };
    import(&other, world);
    import(&third, other.admin().get("/__admin/export?format=world").expect(200).body.to_vec());
    for server in [&other, &third] {
        server.admin().post("/__admin/release_callbacks", &json!({})).expect(200);
        assert_eq!(count_calls(&server.admin(), 4), 4);
    }
    assert_eq!(count_calls(&api.admin(), 0), 0);
}

#[test]
fn callbacks_follow_a_server_to_its_new_port() {
    let folder = tempfile::TempDir::new().expect("a folder");
    let file = folder.path().join("account.roost");
    let start = || Spawned::start(["--db", file.to_str().expect("a path of letters")]);
    let mut server = start();
    let (client, admin) = (server.client(), server.admin());
    admin.put("/__admin/seed", &json!({ "lists": [seeds::list(LIST, "VIP", json!([]))] })).expect(200);
    admin.put("/__admin/callback_policy", &json!({ "hold": true })).expect(200);
    for url in receiver_forms(server.url()) {
        let contacts = build_contacts([1]);
        let body =
            json!({ "list_id": LIST, "merge_type": "skipDuplicates", "contacts": contacts, "callback_url": url });
        client.post("/contacts/v1/contacts", &body).expect(200);
    }
    admin.post("/__admin/settle", &json!({ "timeout": "30s" })).expect(200);
    for restarts in 0..2 {
        server.kill();
        server = start();
        let held = server.admin().get("/__admin/callbacks?state=held").items();
        assert_eq!(held.len(), 4, "{restarts}");
    }
    server.admin().post("/__admin/release_callbacks", &json!({})).expect(200);
    assert_eq!(count_calls(&server.admin(), 4), 4);
}
