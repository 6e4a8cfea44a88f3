//! A world is one value. A snapshot stores all of it, and after a restore the same events follow.

use std::net::TcpListener;

use rand::{SeedableRng, rngs::StdRng};
use roost_emulator::{AccountOwnership, StateLocation, free_port};
use roost_ops::{Core, Ctx};
use roost_tests::{Client, Request, Served, Setup, seeds, until};
use serde_json::{Value, json};

use super::{acts::perform_random_act, create_world};
use crate::rest::LIST;

const START: &str = "2026-01-05T09:00:00Z";
/// Everything that an operator can see of a world, except the request journal.
const VIEWS: [&str; 17] = [
    "/__admin/export?format=json",
    "/__admin/state/contacts",
    "/__admin/jobs?page_size=100",
    "/__admin/job_policy",
    "/__admin/callbacks?page_size=100",
    "/__admin/callback_policy",
    "/__admin/hooks",
    "/__admin/hooks/inbox",
    "/__admin/faults/rules",
    "/__admin/faults/plan",
    "/__admin/faults/profile",
    "/__admin/faults/magic",
    "/__admin/faults/prefer",
    "/__admin/limits",
    "/__admin/settings",
    "/__admin/clock",
    "/__admin/random",
];

fn world_setup() -> Setup {
    Setup::new().at(START).set("limits", "on").seed(json!({ "lists": [seeds::list(LIST, "VIP", json!([]))] }))
}

/// Returns everything that can be seen of a world once nothing in it changes by itself.
pub(crate) fn read_everything(admin: &Client) -> Vec<(String, Value)> {
    let look = || {
        let mut seen: Vec<(String, Value)> =
            VIEWS.iter().map(|path| ((*path).to_owned(), admin.get(*path).json())).collect();
        // The real time does not belong to the world.
        seen.iter_mut()
            .filter_map(|(_, value)| value.as_object_mut())
            .for_each(|value| drop(value.remove("real_time")));
        let jobs = admin.get("/__admin/jobs?page_size=100").items();
        for job in jobs {
            let path = format!("/__admin/jobs/{}/moments", job["id"]);
            seen.push((path.clone(), admin.get(path.as_str()).json()));
        }
        seen
    };
    let mut before = look();
    until("nothing moves", || {
        let now = look();
        let is_still = now == before;
        before = now;
        is_still.then_some(())
    });
    before
}

#[track_caller]
pub(crate) fn assert_same(seen: &[(String, Value)], wanted: &[(String, Value)], what: &str) {
    assert_eq!(seen.len(), wanted.len(), "{what}");
    for ((path, now), (_, before)) in seen.iter().zip(wanted) {
        assert_eq!(now, before, "{what}: {path}");
    }
}

/// A server on a file that restarts on the same port, so that callbacks reach it.
struct RestartedServer {
    folder: tempfile::TempDir,
    port: u16,
}

impl RestartedServer {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().expect("a folder"), port: free_port(u16::MAX).expect("a port") }
    }

    fn start_server(&self, setup: Setup) -> Served {
        let mut setup = setup.on_file(self.folder.path().join("account.roost"));
        setup.config.port = self.port;
        setup.config.account = AccountOwnership::Kept { is_from_seed: true };
        setup.config.place = Some(StateLocation {
            folder: self.folder.path().join("account.roost.world"),
            time_options: String::new(),
            has_time_options: true,
        });
        setup.serve()
    }

    fn restart(&self, api: Served) -> Served {
        api.stop();
        // Background tasks may hold the file for a moment.
        let file = self.folder.path().join("account.roost");
        until("the file is free", || Core::open(&file, Ctx::system()).ok().map(drop));
        // The system may have given the port to an outgoing connection of another program.
        until("the port is free", || TcpListener::bind(("127.0.0.1", self.port)).ok().map(drop));
        self.start_server(Setup::new().at(START).set("limits", "on"))
    }
}

fn export_world(admin: &Client) -> Vec<u8> {
    admin.get("/__admin/export?format=world").expect(200).body.to_vec()
}

fn import_world(admin: &Client, world: &[u8]) -> roost_tests::Answer {
    let request = Request::post("/__admin/import?format=world").header("content-type", "application/octet-stream");
    admin.send(request.body(world.to_vec()))
}

/// Returns the seeds of the histories. `make soak` sets more by `ROOST_HISTORIES`; `ROOST_SEED` selects a single one.
fn history_seeds() -> std::ops::Range<u64> {
    let read_number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    match read_number("ROOST_SEED") {
        Some(seed) => seed..seed + 1,
        None => 0..read_number("ROOST_HISTORIES").unwrap_or(12),
    }
}

#[test]
fn any_history_comes_back_to_a_snapshot_with_the_same_future() {
    for seed in history_seeds() {
        let mut chance = StdRng::seed_from_u64(seed);
        let place = RestartedServer::new();
        let mut api = place.start_server(world_setup());
        api.admin().patch("/__admin/settings", &json!({ "limits.per_second": 40 })).expect(200);
        for _ in 0..25 {
            perform_random_act(&api, &mut chance);
        }
        api.admin().post("/__admin/snapshots", &json!({ "name": "here" })).expect(201);
        let snapshot = read_everything(&api.admin());
        let world = export_world(&api.admin());
        let begin = chance.clone();
        let go_on = |api: &Served| -> Vec<String> {
            (0..15).scan(begin.clone(), |chance, _| Some(perform_random_act(api, chance))).collect()
        };
        let first = go_on(&api);
        let first_end = read_everything(&api.admin());
        let has_come_back = |api: &Served, how: &str| {
            assert_same(&read_everything(&api.admin()), &snapshot, &format!("seed {seed}, {how}"));
            assert_eq!(go_on(api), first, "seed {seed}, {how}: the same acts");
            assert_same(&read_everything(&api.admin()), &first_end, &format!("seed {seed}, {how}: the same end"));
        };
        api.admin().post("/__admin/snapshots/here/restore", &json!({})).expect(200);
        has_come_back(&api, "restored");
        import_world(&api.admin(), &world).expect(200);
        has_come_back(&api, "imported");
        api = place.restart(api);
        assert_same(&read_everything(&api.admin()), &first_end, &format!("seed {seed}, begun again at the end"));
        api.admin().post("/__admin/snapshots/here/restore", &json!({})).expect(200);
        api = place.restart(api);
        has_come_back(&api, "restored after a restart, and begun again");
    }
}

#[test]
fn a_world_of_a_file_is_the_same_in_another_server() {
    let api = world_setup().serve();
    let mut chance = StdRng::seed_from_u64(99);
    for _ in 0..30 {
        perform_random_act(&api, &mut chance);
    }
    let (here, world) = (read_everything(&api.admin()), export_world(&api.admin()));
    let other = Setup::new().serve();
    import_world(&other.admin(), &world).expect(200);
    let of_other: Vec<(String, Value)> = read_everything(&other.admin())
        .into_iter()
        .map(|(path, seen)| {
            // The addresses of receivers contain the address of their server.
            let text = seen.to_string().replace(other.url(), api.url());
            (path, serde_json::from_str(&text).expect("as it was"))
        })
        .collect();
    assert_same(&of_other, &here, "in another server");
    assert_eq!(export_world(&other.admin()), world, "the same bytes go out again");
}

#[test]
fn a_world_that_is_damaged_or_of_another_version_changes_nothing() {
    let api = world_setup().serve();
    api.admin().put("/__admin/job_policy", &json!({ "progress": "manual" })).expect(200);
    let (here, world) = (read_everything(&api.admin()), export_world(&api.admin()));
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(text(&world).starts_with("ROOST-WORLD {\"version\":1,"), "{}", text(&world[..80]));
    let changed = |from: &str, to: &str| {
        let at = world.windows(from.len()).position(|found| found == from.as_bytes()).expect("it stands there");
        [&world[..at], to.as_bytes(), &world[at + from.len()..]].concat()
    };
    let mut flipped = world.clone();
    let last = flipped.len() - 1;
    flipped[last] ^= 1;
    for (bytes, words) in [
        (changed("\"version\":1", "\"version\":2"), "has version 2, but this Roost reads version 1"),
        (world[..world.len() - 1].to_vec(), "bytes after the first line, found"),
        (world[..40].to_vec(), "it has no first line"),
        (flipped, "its checksum does not match"),
        (changed("manual", "monday"), "its checksum does not match"),
        (b"{\"lists\":[]}".to_vec(), "is not a world file"),
        (Vec::new(), "is not a world file"),
    ] {
        let response = import_world(&api.admin(), &bytes).expect(400).json();
        assert_eq!(response["error"]["code"], "bad_world", "{response}");
        assert!(
            response["error"]["message"].as_str().is_some_and(|message| message.contains(words)),
            "{words}: {response}"
        );
    }
    assert_same(&read_everything(&api.admin()), &here, "nothing changed");
    let response = api.admin().send(Request::post("/__admin/import?mode=replace").body(world)).expect(400).json();
    assert!(
        response["error"]["message"].as_str().is_some_and(|message| message.contains("format=world")),
        "{response}"
    );
}

/// Restores the default world and copies it, and passes each of them to `check` with its clients.
fn restored_and_copied(api: &Served, mut check: impl FnMut(&str, &Client, &Client)) {
    api.admin().post("/__admin/snapshots", &json!({ "name": "here" })).expect(201);
    let before = read_everything(&api.admin());
    for from in ["world:default", "snapshot:here"] {
        let copy = create_world(api, &json!({ "from": from }));
        check(from, &api.with_key(&copy.key), &api.with_token(&copy.token));
    }
    api.admin().post("/__admin/snapshots/here/restore", &json!({})).expect(200);
    check("restored", api, &api.admin());
    api.admin().post("/__admin/snapshots/here/restore", &json!({})).expect(200);
    assert_same(&read_everything(&api.admin()), &before, "restored twice");
}

#[test]
fn jobs_that_wait_go_on_waiting_after_a_restore_and_in_copies() {
    let api = world_setup().serve();
    api.admin().put("/__admin/job_policy", &json!({ "progress": "manual" })).expect(200);
    for n in 0..2 {
        let body = json!({
            "list_id": LIST, "merge_type": "skipDuplicates", "contacts": [{ "phone_number": seeds::mobile(n) }],
        });
        api.post("/contacts/v1/contacts", &body).expect(200);
    }
    api.admin().post("/__admin/jobs/1/pause", &json!({})).expect(200);
    let jobs = |admin: &Client| admin.get("/__admin/jobs").column("state");
    restored_and_copied(&api, |what, client, admin| {
        assert_eq!(jobs(admin), ["queued", "queued"], "{what}");
        assert_eq!(admin.get("/__admin/job_policy").json()["progress"], "manual", "{what}");
        assert_eq!(client.get(format!("/contacts/v1/contacts/list/{LIST}")).items().len(), 0, "{what}");
        admin.post("/__admin/jobs/2/run", &json!({})).expect(200);
        assert_eq!(jobs(admin), ["done", "queued"], "{what}");
        assert_eq!(client.get(format!("/contacts/v1/contacts/list/{LIST}")).items().len(), 1, "{what}");
        admin.put("/__admin/job_policy", &json!({})).expect(200);
        let is_paused = || admin.get("/__admin/jobs/1").json()["paused"] == true;
        assert!(is_paused(), "{what}: {}", admin.get("/__admin/jobs/1").json());
        admin.post("/__admin/jobs/1/resume", &json!({})).expect(200);
        until("it runs", || (jobs(admin) == ["done", "done"]).then_some(()));
    });
}

#[test]
fn a_copy_has_keys_of_its_own() {
    let api = world_setup().serve();
    let original = create_world(&api, &json!({ "name": "a", "settings": { "auth": "keys" } }));
    let copy = create_world(&api, &json!({ "name": "b", "from": "world:a" }));
    let keys = |token: &str| api.with_token(token).get("/__admin/settings").json()["auth.keys"].clone();
    assert_eq!(keys(&copy.token).as_array().map(Vec::len), Some(1), "{}", keys(&copy.token));
    assert_ne!(keys(&copy.token), keys(&original.token));
    api.with_key(&copy.key).get("/contacts/v1/lists/").expect(200);
    api.with_key(&original.key).get(format!("{}/contacts/v1/lists/", copy.path)).expect(409);
}

#[test]
fn rules_count_on_after_a_restore_and_in_copies() {
    let api = world_setup().serve();
    let rule = json!({ "match": { "operation": "lists.query" }, "effect": { "status": 503 }, "apply": { "first": 3 } });
    api.admin().post("/__admin/faults/rules", &rule).expect(201);
    api.admin().put("/__admin/hooks/inbox", &json!({ "answers": [500, 501], "then": 200 })).expect(200);
    let query = |client: &Client| client.get("/contacts/v1/lists/").status;
    assert_eq!(query(&api), 503);
    restored_and_copied(&api, |what, client, admin| {
        assert_eq!([query(client), query(client), query(client)], [503, 503, 200], "{what}");
        assert_eq!(admin.get("/__admin/faults/rules").items()[0]["hits"], 3, "{what}");
        let script = admin.get("/__admin/hooks/inbox").json();
        assert_eq!(script["script"]["answers"].as_array().map(Vec::len), Some(2), "{what}: {script}");
    });
}

#[test]
fn a_clock_that_is_set_back_leaves_no_bucket_empty() {
    let api = world_setup().set("limits.per_second", "2").serve();
    let query = || api.get("/contacts/v1/lists/").status;
    assert_eq!([query(), query(), query()], [200, 200, 429]);
    for (mode, now) in [("frozen", "2026-01-04T09:00:00Z"), ("frozen", "2026-01-04T08:59:59Z")] {
        api.admin().put("/__admin/clock", &json!({ "mode": mode, "now": now })).expect(200);
        assert_eq!([query(), query(), query()], [200, 200, 429], "{mode} {now}");
    }
    api.admin().put("/__admin/clock", &json!({ "mode": "frozen", "now": "2099-01-01T00:00:00Z" })).expect(200);
    assert_eq!([query(), query(), query()], [200, 200, 429]);
    api.admin().put("/__admin/clock", &json!({ "mode": "real" })).expect(200);
    assert_eq!([query(), query()], [200, 200], "real again after a future moment");
}
