//! Faults that a server is started with: every world begins with them, and goes back to them.

use roost_tests::{Request, Served, Setup};
use serde_json::{Value, json};
use tempfile::TempDir;

const LISTS: &str = "/contacts/v1/lists/";

fn setup(profile: Option<&'static str>, allows_prefer: bool) -> Setup {
    let mut setup = Setup::new();
    (setup.config.start.profile, setup.config.start.allows_prefer) = (profile, allows_prefer);
    setup
}

fn profile(api: &Served, world: &str) -> Value {
    api.admin().get(format!("/__admin/worlds/{world}/faults/profile")).ok()["name"].clone()
}

#[test]
fn every_world_begins_with_the_profile_of_the_start_and_goes_back_to_it() {
    let api = setup(Some("outage"), false).serve();
    api.admin().post("/__admin/snapshots", &json!({ "name": "calm" })).expect(201);
    api.admin().post("/__admin/worlds", &json!({ "name": "new" })).expect(201);
    api.admin().post("/__admin/worlds", &json!({ "name": "empty", "from": "empty" })).expect(201);
    for (world, path) in [("default", ""), ("new", "/w/new"), ("empty", "/w/empty")] {
        assert_eq!(profile(&api, world), "outage");
        api.get(format!("{path}{LISTS}")).expect(503);
        let admin = format!("/__admin/worlds/{world}");
        api.admin().put(format!("{admin}/faults/profile"), &json!({ "name": null })).expect(200);
        api.get(format!("{path}{LISTS}")).expect(200);
        // What was arranged stays in a copy, and with a reset that keeps it.
        api.admin()
            .post("/__admin/worlds", &json!({ "name": format!("{world}-2"), "from": format!("world:{world}") }))
            .expect(201);
        assert_eq!(profile(&api, &format!("{world}-2")), Value::Null);
        api.admin().post(format!("{admin}/reset?keep=faults"), &json!({})).expect(200);
        assert_eq!(profile(&api, world), Value::Null);
        api.admin().post(format!("{admin}/reset"), &json!({})).expect(200);
        assert_eq!(profile(&api, world), "outage");
        api.get(format!("{path}{LISTS}")).expect(503);
        api.admin().put(format!("{admin}/faults/profile"), &json!({ "name": null })).expect(200);
        api.admin().put(format!("{admin}/seed"), &json!({ "lists": [] })).expect(200);
        assert_eq!(profile(&api, world), "outage", "a new seed is a new beginning");
    }
    let usual = setup(None, false).serve();
    assert_eq!(profile(&usual, "default"), Value::Null);
    usual.get(LISTS).expect(200);
}

#[test]
fn every_world_honours_the_prefer_header_if_the_server_was_started_to_do_so() {
    let prefer = |api: &Served, path: &str| {
        api.send(Request::get(format!("{path}{LISTS}")).header("prefer", "code=429, delay=1")).status
    };
    for (is_allowed, status) in [(true, 429), (false, 200)] {
        let api = setup(None, is_allowed).serve();
        api.admin().post("/__admin/worlds", &json!({ "name": "new" })).expect(201);
        assert_eq!([prefer(&api, ""), prefer(&api, "/w/new")], [status; 2]);
        api.admin().put("/__admin/faults/prefer", &json!({ "enabled": false })).expect(200);
        assert_eq!(prefer(&api, ""), 200);
        api.admin().post("/__admin/reset", &json!({})).expect(200);
        assert_eq!(prefer(&api, ""), status);
    }
}

#[test]
fn a_restart_with_another_profile_takes_it_and_with_the_same_goes_on() {
    use roost_tests::Spawned;
    let folder = TempDir::new().expect("a folder");
    let file = folder.path().join("account.roost").to_string_lossy().into_owned();
    let start = |flags: &[&str]| Spawned::start(["--db", &file].iter().chain(flags));
    let profile = |server: &Spawned| server.admin().get("/__admin/faults/profile").ok()["name"].clone();
    let mut server = start(&["--profile", "slow"]);
    assert_eq!(profile(&server), "slow");
    server.admin().put("/__admin/faults/profile", &json!({ "name": "flaky" })).expect(200);
    server.terminate();
    let mut server = start(&["--profile", "slow"]);
    assert_eq!(profile(&server), "flaky", "the same words: it goes on");
    server.terminate();
    let mut server = start(&["--profile", "rate-limited", "--allow-prefer"]);
    assert_eq!(profile(&server), "rate-limited");
    assert_eq!(server.admin().get("/__admin/faults/prefer").ok()["enabled"], true);
    server.terminate();
}
