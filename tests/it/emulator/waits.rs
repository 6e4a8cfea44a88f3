//! Waiting requests count as use of their world, and are told when the server stops.

use std::thread;

use roost_tests::{Served, Setup, until};
use serde_json::{Value, json};

fn start_recording() -> Served {
    let mut setup = Setup::new();
    setup.config.journal = roost_emulator::Journal::new_recording();
    setup.serve()
}

fn create_world(api: &Served, name: &str, ttl: &str) {
    api.admin().post("/__admin/worlds", &json!({ "name": name, "ttl": ttl })).expect(201);
}

fn find_world(api: &Served, name: &str) -> Option<Value> {
    let worlds = api.admin().get("/__admin/worlds?page_size=1000").items();
    worlds.into_iter().find(|world| world["id"] == name)
}

#[test]
fn a_world_stays_while_somebody_waits_for_it() {
    let api = start_recording();
    // The time is long enough to begin the wait on a slow machine. The wait then exceeds the allowed idle time.
    create_world(&api, "polled", "2s");
    let held = api.admin().get("/__admin/worlds/polled/requests?wait=4s");
    assert_eq!((held.status, held.json()["items"].as_array().map(Vec::len)), (200, Some(0)), "{}", held.shown());
    until("nobody waits any more, and it is gone", || find_world(&api, "polled").is_none().then_some(()));
}

#[test]
fn a_server_that_stops_says_so_and_not_that_nothing_came() {
    let api = start_recording();
    create_world(&api, "asked", "1h");
    let admin = api.admin();
    let wish = json!({ "match": { "operation": "lists.create" }, "timeout": "60000ms" });
    let waiting = thread::spawn(move || admin.post("/__admin/worlds/asked/journal/verify", &wish));
    // While a request waits, the remaining time of the world does not decrease.
    until("it waits", || (find_world(&api, "asked")?["expires_in"] == "1h").then_some(()));
    api.stop();
    let answer = waiting.join().expect("answered");
    assert_eq!((answer.status, &answer.json()["error"]["code"]), (503, &json!("stopping")), "{}", answer.shown());
}
