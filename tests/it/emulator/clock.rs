//! The clock of a world: the times that it stamps, how it moves, and the work that becomes due.

use roost_emulator::AccountOwnership;
use roost_tests::{Client, Receiver, Reply, Served, Setup, Spawned, seeds, until};
use serde_json::{Value, json};

use super::worlds::create_world;
use crate::rest::{LIST, creation_body};

const CLOCK: &str = "/__admin/clock";
const ADVANCE: &str = "/__admin/clock/advance";
const MAKE_LIST: &str = "/contacts/v1/lists/create";
const START: &str = "2026-01-05T09:00:00Z";

fn frozen_setup() -> Setup {
    Setup::new().at(START).seed(json!({ "lists": [seeds::list(LIST, "VIP", json!([]))] }))
}

fn set_clock(api: &Served, request: &Value) -> Value {
    api.admin().put(CLOCK, request).ok()
}

fn shown_time(admin: &Client) -> String {
    admin.get(CLOCK).ok()["now"].as_str().expect("a time").to_owned()
}

#[track_caller]
fn advance_clock(api: &Served, far: &Value) -> Value {
    api.admin().post(ADVANCE, far).ok()
}

/// Requests one contact with a callback to this address.
#[track_caller]
fn request_contact(api: &Served, url: &str) {
    let mut body = creation_body("skipDuplicates", json!([{ "phone_number": seeds::mobile(1) }]));
    body["callback_url"] = json!(url);
    api.post("/contacts/v1/contacts", &body).expect(200);
}

/// Returns what ran, as job, attempt and time.
fn ran_entries(moved: &Value) -> Vec<(i64, Option<u64>, String)> {
    let one = |ran: &Value| {
        let at = ran["at"].as_str().expect("a time").to_owned();
        (ran["job"].as_i64().expect("a job"), ran["attempt"].as_u64(), at)
    };
    moved["ran"].as_array().expect("what ran").iter().map(one).collect()
}

fn time_at(minute: u32) -> String {
    format!("2026-01-05T09:{minute:02}:00Z")
}

/// Waits until the first attempts have ended.
#[track_caller]
fn wait_for_attempts(api: &Served, count: usize) {
    until("the first tries are over", || {
        let all = api.admin().get("/__admin/callbacks").items();
        (all.len() == count && all.iter().all(|callback| !callback["attempts"][0]["finished_at"].is_null()))
            .then_some(())
    });
}

#[test]
fn a_clock_is_real_offset_frozen_or_scaled() {
    let api = Setup::new().serve();
    let real = api.admin().get(CLOCK).ok();
    assert_eq!((&real["mode"], &real["rate"]), (&json!("real"), &Value::Null));
    let frozen = set_clock(&api, &json!({ "mode": "frozen", "now": "2030-06-01T12:00:00.25Z" }));
    assert_eq!((&frozen["mode"], &frozen["now"]), (&json!("frozen"), &json!("2030-06-01T12:00:00.250000000Z")));
    assert!(frozen["real_time"].as_str() < Some("2030"), "{frozen}");
    assert_eq!(shown_time(&api.admin()), shown_time(&api.admin()));
    let offset = set_clock(&api, &json!({ "mode": "offset" }));
    assert!(offset["now"].as_str() >= frozen["now"].as_str(), "it goes on from there: {offset}");
    assert!(shown_time(&api.admin()).as_str() > offset["now"].as_str().expect("a time"));
    let scaled = set_clock(&api, &json!({ "mode": "scaled", "now": START, "rate": 100_000 }));
    assert_eq!((&scaled["mode"], &scaled["rate"]), (&json!("scaled"), &json!(100_000.0)));
    until("an hour has passed", || (shown_time(&api.admin()) >= time_at(59)).then_some(()));
    assert_eq!(set_clock(&api, &json!({ "mode": "real" }))["mode"], "real");
    let again = shown_time(&api.admin());
    assert!(again.as_str() >= real["now"].as_str().expect("a time") && again.as_str() < "2030", "{again}");
}

#[test]
fn an_invalid_clock_is_refused_and_changes_nothing() {
    let api = frozen_setup().serve();
    for (clock, code) in [
        (json!({}), "bad_body"),
        (json!({ "mode": "stopped" }), "bad_body"),
        (json!({ "mode": "frozen", "time": START }), "bad_body"),
        (json!({ "mode": "real", "now": START }), "invalid"),
        (json!({ "mode": "frozen", "now": "tomorrow" }), "invalid"),
        (json!({ "mode": "frozen", "now": "1999-01-01T00:00:00Z" }), "invalid"),
        (json!({ "mode": "frozen", "now": "2300-01-01T00:00:00Z" }), "invalid"),
        (json!({ "mode": "frozen", "rate": 2 }), "invalid"),
        (json!({ "mode": "scaled" }), "invalid"),
        (json!({ "mode": "scaled", "rate": 0 }), "invalid"),
        (json!({ "mode": "scaled", "rate": 100_001 }), "invalid"),
    ] {
        let answer = api.admin().put(CLOCK, &clock).expect(400);
        assert_eq!(answer.json()["error"]["code"], code, "{clock} {}", answer.shown());
    }
    for (far, code) in [
        (json!({}), "invalid"),
        (json!({ "by": "1h", "until": "idle" }), "invalid"),
        (json!({ "by": "-1h" }), "bad_body"),
        (json!({ "until": "tomorrow" }), "bad_body"),
        (json!({ "to": "tomorrow" }), "invalid"),
        (json!({ "to": "2026-01-05T08:59:59Z" }), "invalid"),
        (json!({ "to": "2300-01-01T00:00:00Z" }), "invalid"),
        (json!({ "by": "1h", "timeout": "1h" }), "invalid"),
    ] {
        let answer = api.admin().post(ADVANCE, &far).expect(400);
        assert_eq!(answer.json()["error"]["code"], code, "{far} {}", answer.shown());
    }
    assert_eq!(shown_time(&api.admin()), START);
}

#[test]
fn a_frozen_clock_stamps_records_errors_jobs_and_the_journal() {
    let api = frozen_setup().recording().serve();
    set_clock(&api, &json!({ "mode": "frozen", "now": "2031-02-03T04:05:06Z" }));
    api.post(MAKE_LIST, &json!({ "name": "later" })).expect(200);
    let lists = api.get("/contacts/v1/lists/").items();
    let made = lists.iter().find(|list| list["name"] == "later").expect("the list");
    assert!(made.to_string().contains("2031-02-03"), "{made}");
    assert!(api.get("/nowhere").text().contains("2031-02-03T04:05:06.000000000Z"));
    crate::rest::create_contacts(&api, "skipDuplicates", json!([{ "phone_number": seeds::mobile(1) }]));
    let job = api.admin().get("/__admin/jobs/1").ok();
    assert_eq!(
        (&job["queued_at"], &job["finished_at"]),
        (&json!("2031-02-03T04:05:06Z"), &json!("2031-02-03T04:05:06Z"))
    );
    let line = api.admin().get("/__admin/requests?filter=operation:lists.create").items().remove(0);
    assert_eq!(line["at"], "2031-02-03T04:05:06.000000000Z", "{line}");
    assert!(line["real_at"].as_str().is_some_and(|real| real < "2031" && real > "2020"), "{line}");
    let stable = api.admin().get("/__admin/requests?stable=true").items().remove(0);
    assert!(stable.get("real_at").is_none() && stable.get("at").is_some(), "{stable}");
}

#[test]
fn rate_buckets_refill_by_the_worlds_clock() {
    let api = Setup::new().at(START).set("limits", "on").serve();
    let ask = || api.get("/contacts/v1/lists/").status;
    let full = (0..100).take_while(|_| ask() == 200).count();
    assert!((1..100).contains(&full), "{full}");
    assert_eq!(ask(), 429, "time stands still");
    advance_clock(&api, &json!({ "by": "1s" }));
    assert_eq!((0..100).take_while(|_| ask() == 200).count(), full);
    assert_eq!(ask(), 429);
}

#[test]
fn fault_windows_open_and_close_by_the_worlds_clock() {
    let api = frozen_setup().serve();
    let rule = json!({
        "match": { "operation": "lists.query" }, "effect": { "status": 503 },
        "apply": { "window": { "after": "10m", "for": "5m" } },
    });
    api.admin().post("/__admin/faults/rules", &rule).expect(201);
    let mut seen = Vec::new();
    for _ in 0..4 {
        seen.push(api.get("/contacts/v1/lists/").status);
        advance_clock(&api, &json!({ "by": "5m" }));
    }
    assert_eq!(seen, [200, 200, 503, 200]);
}

#[test]
fn retries_wait_for_the_worlds_clock_and_come_in_time_order() {
    let api = frozen_setup().serve();
    let receiver = Receiver::replying(vec![Reply::Status(500); 5]);
    request_contact(&api, &receiver.url("/first"));
    wait_for_attempts(&api, 1);
    advance_clock(&api, &json!({ "by": "30s" }));
    request_contact(&api, &receiver.url("/second"));
    wait_for_attempts(&api, 2);
    // The first is due after half a minute, the second after a full minute, and so on.
    let moved = advance_clock(&api, &json!({ "by": "1m" }));
    let half = |minute: u32| format!("2026-01-05T09:{minute:02}:30Z");
    assert_eq!(ran_entries(&moved), [(1, Some(2), time_at(1)), (2, Some(2), half(1))]);
    assert_eq!((&moved["from"], &moved["now"]), (&json!(half(0)), &json!(half(1))));
    let moved = advance_clock(&api, &json!({ "by": "1m" }));
    assert_eq!(ran_entries(&moved), [(1, Some(3), time_at(2)), (2, Some(3), half(2))]);
    let targets: Vec<_> = receiver.received().into_iter().map(|call| call.target).collect();
    assert_eq!(targets, ["/first", "/second", "/first", "/second", "/first", "/second"]);
    let attempts = api.admin().get("/__admin/callbacks").items()[1]["attempts"].clone();
    let begun: Vec<_> = attempts.as_array().expect("tries").iter().map(|tried| tried["started_at"].clone()).collect();
    assert_eq!(begun, [START.to_owned(), time_at(1), time_at(2)]);
}

#[test]
fn advance_until_idle_leaves_nothing_to_do() {
    let api = frozen_setup().serve();
    let receiver = Receiver::replying(vec![Reply::Status(500); 9]);
    request_contact(&api, &receiver.url("/hook"));
    let moved = advance_clock(&api, &json!({ "until": "idle" }));
    let tries: Vec<_> = ran_entries(&moved).into_iter().filter_map(|(_, attempt, at)| Some((attempt?, at))).collect();
    // The job and the first attempt may have been done before the clock was moved.
    assert_eq!(tries[tries.len() - 3..], [(2, time_at(1)), (3, time_at(2)), (4, time_at(3))]);
    assert_eq!(moved["now"], time_at(3));
    assert_eq!(receiver.received().len(), 4);
    let callbacks = api.admin().get("/__admin/callbacks").items();
    assert_eq!(callbacks[0]["state"], "given_up");
    assert_eq!(ran_entries(&advance_clock(&api, &json!({ "until": "idle" }))), []);
    assert_eq!(shown_time(&api.admin()), time_at(3));
}

#[test]
fn advance_to_a_time_stops_there_and_never_goes_back() {
    let api = frozen_setup().serve();
    let moved = advance_clock(&api, &json!({ "to": "2026-01-05T09:30:00Z" }));
    assert_eq!((&moved["from"], &moved["now"], &moved["mode"]), (&json!(START), &json!(time_at(30)), &json!("frozen")));
    let answer = api.admin().post(ADVANCE, &json!({ "to": START })).expect(400);
    assert!(answer.text().contains("PUT /__admin/clock"), "{}", answer.shown());
    assert_eq!(advance_clock(&api, &json!({ "to": time_at(30) }))["now"], time_at(30));
    assert_eq!(advance_clock(&api, &json!({ "by": "0s" }))["now"], time_at(30));
}

#[test]
fn a_real_clock_that_is_advanced_is_an_offset_one() {
    let api = Setup::new().seed(json!({ "lists": [seeds::list(LIST, "VIP", json!([]))] })).serve();
    let receiver = Receiver::replying([Reply::Status(500)]);
    assert_eq!(advance_clock(&api, &json!({ "until": "idle" }))["mode"], "real", "nothing was due, so it did not move");
    request_contact(&api, &receiver.url("/hook"));
    let moved = advance_clock(&api, &json!({ "by": "2m" }));
    assert_eq!(moved["mode"], "offset");
    assert_eq!(receiver.received().len(), 2, "the second chance came on the way: {moved}");
    let clock = api.admin().get(CLOCK).ok();
    assert!(clock["now"].as_str() > clock["real_time"].as_str(), "{clock}");
}

#[test]
fn a_scaled_clock_brings_retries_by_itself() {
    let api = frozen_setup().serve();
    let receiver = Receiver::replying([Reply::Status(500)]);
    request_contact(&api, &receiver.url("/hook"));
    receiver.wait_for(1);
    set_clock(&api, &json!({ "mode": "scaled", "rate": 1_000 }));
    receiver.wait_for(2);
    let moved = advance_clock(&api, &json!({ "until": "idle" }));
    assert_eq!(moved["mode"], "scaled");
    assert_eq!(api.admin().get("/__admin/callbacks").items()[0]["state"], "delivered");
}

#[test]
fn an_advance_that_does_not_settle_says_so() {
    let api = frozen_setup().serve();
    let receiver = Receiver::replying([Reply::Silence]);
    request_contact(&api, &receiver.url("/hook"));
    receiver.wait_for(1);
    let answer = api.admin().post(ADVANCE, &json!({ "by": "1m", "timeout": "100ms" })).expect(409);
    assert_eq!(answer.json()["error"]["code"], "not_settled", "{}", answer.shown());
    assert_eq!(shown_time(&api.admin()), START, "what is due now comes first");
}

#[test]
fn a_world_is_made_with_a_clock_of_its_own() {
    let api = frozen_setup().serve();
    let options = json!({ "name": "later", "clock": { "mode": "frozen", "now": "2040-01-01T00:00:00Z" } });
    let later = api.with_token(&create_world(&api, &options).token);
    let same = api.with_token(&create_world(&api, &json!({ "name": "same" })).token);
    assert_eq!((shown_time(&later), shown_time(&same)), ("2040-01-01T00:00:00Z".to_owned(), START.to_owned()));
    later.post(ADVANCE, &json!({ "by": "1d" })).expect(200);
    let all = [shown_time(&later), shown_time(&same), shown_time(&api.admin())];
    assert_eq!(all, ["2040-01-02T00:00:00Z", START, START], "no other clock moves");
    api.admin().post("/__admin/worlds/same/clock/advance", &json!({ "by": "1m" })).expect(200);
    assert_eq!([shown_time(&same), shown_time(&api.admin())], [time_at(1), START.to_owned()]);
    let answer = api.admin().post("/__admin/worlds", &json!({ "clock": { "mode": "scaled" } })).expect(400);
    assert_eq!(answer.json()["error"]["code"], "invalid");
}

#[test]
fn a_reset_puts_the_clock_back_unless_it_is_to_keep_it() {
    let api = frozen_setup().serve();
    advance_clock(&api, &json!({ "by": "10m" }));
    api.admin().post("/__admin/reset?keep=clock", &json!({})).expect(200);
    assert_eq!(shown_time(&api.admin()), time_at(10));
    api.admin().post("/__admin/reset", &json!({})).expect(200);
    assert_eq!(shown_time(&api.admin()), START);
    set_clock(&api, &json!({ "mode": "real" }));
    api.admin().post("/__admin/reset", &json!({})).expect(200);
    assert_eq!(api.admin().get(CLOCK).ok()["mode"], "frozen");
}

#[test]
fn a_snapshot_keeps_the_clock() {
    let api = frozen_setup().serve();
    let receiver = Receiver::replying([Reply::Status(500)]);
    request_contact(&api, &receiver.url("/hook"));
    wait_for_attempts(&api, 1);
    advance_clock(&api, &json!({ "by": "30s" }));
    api.admin().post("/__admin/snapshots", &json!({ "name": "owing" })).expect(201);
    let delivered = || ran_entries(&advance_clock(&api, &json!({ "by": "30s" })));
    assert_eq!(delivered(), [(1, Some(2), time_at(1))]);
    set_clock(&api, &json!({ "mode": "offset", "now": "2044-01-01T00:00:00Z" }));
    api.admin().post("/__admin/snapshots/owing/restore", &json!({})).expect(200);
    assert_eq!(shown_time(&api.admin()), "2026-01-05T09:00:30Z");
    assert_eq!(delivered(), [(1, Some(2), time_at(1))], "it is owed once more, at the same time");
}

#[test]
fn the_clock_of_an_account_that_others_use_stays() {
    let mut lent = Setup::new();
    lent.config.account = AccountOwnership::Lent;
    let api = lent.serve();
    for answer in [
        api.admin().put(CLOCK, &json!({ "mode": "frozen" })),
        api.admin().post(ADVANCE, &json!({ "by": "1h" })),
        api.admin().patch("/__admin/random", &json!({ "seed": 1 })),
    ] {
        assert_eq!(answer.json()["error"]["code"], "not_own", "{}", answer.shown());
    }
    assert_eq!(api.admin().get(CLOCK).ok()["mode"], "real");
}

#[test]
fn a_server_starts_with_the_given_clock() {
    let started =
        Spawned::start(["--clock", "frozen@2026-01-05T09:00:00Z", "--random-seed", "42", "--ids", "sequence"]);
    assert_eq!(shown_time(&started.admin()), START);
    let random = started.admin().get("/__admin/random").ok();
    assert_eq!(random, json!({ "seed": 42, "ids": "sequence", "acts": 0 }));
    let list = started.client().post(MAKE_LIST, &json!({ "name": "first" })).expect(200).json()["uid"].clone();
    assert!(list.as_str().is_some_and(|uid| uid.starts_with("LST_00000000000")), "{list}");
    let variables = [("ROOST_CLOCK", "scaled:60"), ("ROOST_RANDOM_SEED", "7"), ("ROOST_IDS", "hash")];
    let started = Spawned::try_start_with::<&str>([], &variables).expect("it starts");
    let clock = started.admin().get(CLOCK).ok();
    assert_eq!((&clock["mode"], &clock["rate"]), (&json!("scaled"), &json!(60.0)));
    assert_eq!(started.admin().get("/__admin/random").ok()["seed"], 7);
    for (arguments, words) in [
        (["--clock", "stopped"], "expected real, offset@TIME"),
        (["--clock", "scaled"], "needs a rate"),
        (["--ids", "uuid"], "possible values"),
    ] {
        let (status, stderr) = Spawned::try_start(arguments).err().expect("it does not start");
        assert!(!status.success() && stderr.contains(words), "{stderr}");
    }
}
