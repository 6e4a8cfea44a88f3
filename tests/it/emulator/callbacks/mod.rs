//! Callbacks under the operator's control: the ledger, the actions on one callback, waiting, and the policy for
//! sending.

pub(crate) mod templates;

use std::{
    thread,
    time::{Duration, Instant},
};

use roost_tests::{Receiver, Reply, Served, Setup, seconds, seeds};
use serde_json::{Value, json};

pub(crate) const LIST: &str = "LST_36AbCdEfGhIjKlMnOpQrStUvWx1";
const CALLBACKS: &str = "/__admin/callbacks";
const POLICY: &str = "/__admin/callback_policy";
const WAIT: &str = "/__admin/settle";

/// A server setup with one empty list and a frozen clock.
pub(crate) fn frozen_setup() -> Setup {
    Setup::new().at("2026-01-05T10:00:00Z").seed(json!({ "lists": [seeds::list(LIST, "VIP", json!([]))] }))
}

/// Returns contacts with these numbers.
pub(crate) fn build_contacts(numbers: impl IntoIterator<Item = usize>) -> Value {
    numbers.into_iter().map(|n| json!({ "phone_number": seeds::mobile(n) })).collect()
}

/// Requests contacts with a callback to `url`.
#[track_caller]
pub(crate) fn request_contacts(api: &Served, url: &str, correlation_id: &str, contacts: &Value) {
    let body = json!({
        "list_id": LIST, "merge_type": "skipDuplicates", "contacts": contacts,
        "callback_url": url, "correlation_id": correlation_id,
    });
    api.post("/contacts/v1/contacts", &body).expect(200);
}

/// Returns the address of a receiver.
pub(crate) fn create_receiver(api: &Served, name: &str) -> String {
    format!("{}/__hook/default/{name}", api.url())
}

/// Waits for this many callbacks at a receiver and returns them.
#[track_caller]
pub(crate) fn wait_for_callbacks(api: &Served, name: &str, count: usize) -> Vec<Value> {
    let found = api.admin().get(format!("/__admin/hooks/{name}?count={count}&wait=30s")).ok();
    let items = found["items"].as_array().unwrap_or_else(|| panic!("no items in {found}")).clone();
    assert!(items.len() >= count, "{} of {count} came", items.len());
    items
}

/// Returns the correlation IDs of the received callbacks.
#[track_caller]
pub(crate) fn received_ids(api: &Served, name: &str, count: usize) -> Vec<String> {
    let text = |item: &Value| item["json"]["correlation_id"].as_str().unwrap_or_default().to_owned();
    wait_for_callbacks(api, name, count).iter().map(text).collect()
}

/// Returns the report about a world in which something waits that cannot happen by itself. It must arrive at once,
/// whatever the timeout.
#[track_caller]
pub(crate) fn wait_for_stuck(api: &Served) -> Value {
    let begun = Instant::now();
    let response = api.admin().post(WAIT, &json!({ "timeout": "5m" })).expect(406).json();
    assert!(begun.elapsed() < Duration::from_secs(60), "it waited");
    assert_eq!((&response["settled"], &response["stuck"]), (&json!(false), &json!(true)), "{response}");
    response
}

/// Returns the reasons why jobs and callbacks are not done.
pub(crate) fn unfinished_reasons(response: &Value) -> Vec<String> {
    let unfinished = response["undone"].as_array().expect("what is not done");
    let text = |one: &Value| {
        format!("{} {}: {}", one["what"].as_str().expect("a text"), one["id"], one["reason"].as_str().expect("a text"))
    };
    unfinished.iter().map(text).collect()
}

/// Waits until nothing is left to do.
#[track_caller]
pub(crate) fn wait_until_settled(api: &Served) -> Value {
    api.admin().post(WAIT, &json!({ "settled": true, "timeout": "30000ms" })).ok()
}

#[track_caller]
fn set_policy(api: &Served, policy: &Value) -> Value {
    api.admin().put(POLICY, policy).ok()
}

/// Returns the only callback with this correlation ID.
#[track_caller]
fn find_callback(api: &Served, correlation_id: &str) -> Value {
    let mut items = api.admin().get(format!("{CALLBACKS}?correlation_id={correlation_id}")).items();
    assert_eq!(items.len(), 1, "{items:?}");
    api.admin().get(format!("{CALLBACKS}/{}", items.remove(0)["id"])).ok()
}

#[track_caller]
fn act_on_callback(api: &Served, callback: &Value, act: &str) -> Value {
    api.admin().post(format!("{CALLBACKS}/{}/{act}", callback["id"]), &json!({})).ok()
}

fn callback_states(api: &Served) -> Vec<String> {
    api.admin().get(CALLBACKS).column("state")
}

#[test]
fn the_ledger_lists_every_attempt_and_its_outcome() {
    let receiver = Receiver::replying([Reply::Status(503), Reply::Close]);
    let api = frozen_setup().set("callback.retries", "0,0").serve();
    request_contacts(&api, &receiver.url("/hook"), "job-17", &build_contacts([1]));
    wait_until_settled(&api);
    let callback = find_callback(&api, "job-17");
    let listed = api.admin().get(CALLBACKS).items().remove(0);
    assert_eq!((&listed["body"], &listed["attempts"][1]["error_class"]), (&callback["body"], &json!("no_connection")));
    assert_eq!(
        (&callback["state"], &callback["reason"], &callback["under_way"]),
        (&json!("delivered"), &json!(null), &json!(false))
    );
    let sent = String::from_utf8(receiver.received()[0].body.clone()).expect("text");
    assert_eq!(callback["body"], json!(sent), "byte for byte what was sent");
    let tries = callback["attempts"].as_array().expect("tries");
    let column = |name: &str| tries.iter().map(|attempt| attempt[name].clone()).collect::<Vec<_>>();
    assert_eq!(column("number"), [1, 2, 3]);
    assert_eq!(column("status"), [json!(503), json!(null), json!(200)]);
    assert_eq!(column("error_class"), [json!(null), json!("no_connection"), json!(null)]);
    for attempt in tries {
        let went = &attempt["went"];
        assert_eq!(went["address"], json!(receiver.url("").trim_start_matches("http://")), "{attempt}");
        assert!(seconds(&went["took"]).is_some_and(|took| took > 0.0), "{attempt}");
        assert_eq!(went["first_byte"].is_null(), attempt["status"].is_null(), "{attempt}");
    }
    api.admin().get(format!("{CALLBACKS}/99")).expect(404);
    api.admin().get(format!("{CALLBACKS}/x")).expect(400);
}

#[test]
fn times_of_a_try_add_up_and_name_the_address() {
    let receiver = Receiver::replying([Reply::Close]);
    let api = frozen_setup().set("callback.retries", "0").serve();
    request_contacts(&api, &receiver.url("/hook").replace("127.0.0.1", "localhost"), "heard", &build_contacts([1]));
    wait_until_settled(&api);
    request_contacts(&api, "http://10.0.0.1/hook", "refused", &build_contacts([2]));
    wait_until_settled(&api);
    let heard = find_callback(&api, "heard");
    let Some([cut, taken]) = heard["attempts"].as_array().map(Vec::as_slice) else { panic!("two tries: {heard}") };
    let ms = |attempt: &Value, name: &str| seconds(&attempt["went"][name]);
    for attempt in [cut, taken] {
        let (connect, took) = (ms(attempt, "connect").expect("it stood"), ms(attempt, "took").expect("it ended"));
        assert!((0.0..=took).contains(&connect), "{attempt}");
        assert_eq!(ms(attempt, "first_byte").is_none(), attempt["status"].is_null(), "{attempt}");
    }
    let first_byte = ms(taken, "first_byte").expect("it was answered");
    assert!(ms(taken, "connect") <= Some(first_byte) && Some(first_byte) <= ms(taken, "took"), "{taken}");
    let address = receiver.url("").replace("http://", "");
    assert_eq!(taken["went"]["address"], json!(address), "that of the connection, not the name's");
    let refused = find_callback(&api, "refused");
    let refused = &refused["attempts"][0];
    assert_eq!((&refused["error_class"], &refused["went"]["connect"]), (&json!("refused"), &json!(null)));
    assert_eq!(refused["went"]["address"], "10.0.0.1:80");
    let listed = |query: &str| api.admin().get(format!("{CALLBACKS}?correlation_id=heard{query}")).items().remove(0);
    assert_eq!(listed("")["attempts"][0]["went"], json!(null), "only where it is asked for");
    assert_eq!(listed("&went=true"), heard);
    api.admin().get(format!("{CALLBACKS}?went=yes")).expect(400);
}

#[test]
fn the_ledger_is_filtered_and_waits_for_what_is_wanted() {
    let api = frozen_setup().serve();
    set_policy(&api, &json!({ "hold": true }));
    let found = thread::scope(|scope| {
        let poll = scope.spawn(|| api.admin().get(format!("{CALLBACKS}?correlation_id=b&wait=30s")).items());
        for id in ["a", "b", "c"] {
            request_contacts(&api, &create_receiver(&api, "inbox"), id, &build_contacts([1]));
        }
        poll.join().expect("a page")
    });
    assert_eq!(found[0]["correlation_id"], "b");
    wait_until_settled(&api);
    act_on_callback(&api, &find_callback(&api, "c"), "cancel");
    act_on_callback(&api, &find_callback(&api, "a"), "release");
    wait_until_settled(&api);
    for (state, want) in [("held", vec!["b"]), ("given_up", vec!["c"]), ("delivered", vec!["a"]), ("waiting", vec![])] {
        assert_eq!(api.admin().get(format!("{CALLBACKS}?state={state}")).column("correlation_id"), want, "{state}");
    }
    assert_eq!(api.admin().get(format!("{CALLBACKS}?state=waiting&wait=20ms")).items().len(), 0);
    api.admin().get(format!("{CALLBACKS}?state=lost")).expect(400);
    api.admin().get(format!("{CALLBACKS}?wait=10m")).expect(400);
}

#[test]
fn a_held_callback_waits_until_it_is_released() {
    let receiver = Receiver::replying([Reply::Status(500)]);
    let api = frozen_setup().serve();
    request_contacts(&api, &receiver.url("/"), "a", &build_contacts([1]));
    receiver.wait_for(1);
    let wanted = format!("{CALLBACKS}?state=waiting&wait=30s");
    let waiting = api.admin().get(wanted).items().remove(0);
    let held = act_on_callback(&api, &waiting, "hold");
    assert_eq!((&held["state"], &held["next_at"]), (&json!("held"), &json!(null)));
    api.advance(3_600);
    assert_eq!(wait_until_settled(&api)["held"], 1, "held is settled: nothing goes on by itself");
    assert_eq!(receiver.received().len(), 1);
    api.admin().post(format!("{CALLBACKS}/{}/release", held["id"]), &json!({})).expect(200);
    receiver.wait_for(2);
    wait_until_settled(&api);
    let done = find_callback(&api, "a");
    assert_eq!(done["state"], "delivered");
    for act in ["hold", "release", "cancel"] {
        api.admin().post(format!("{CALLBACKS}/{}/{act}", done["id"]), &json!({})).expect(409);
        api.admin().post(format!("{CALLBACKS}/99/{act}"), &json!({})).expect(404);
    }
}

#[test]
fn callbacks_arrive_in_any_order_they_are_released_in() {
    let api = frozen_setup().serve();
    set_policy(&api, &json!({ "hold": true }));
    for (n, id) in ["a", "b", "c"].into_iter().enumerate() {
        request_contacts(&api, &create_receiver(&api, "inbox"), id, &build_contacts([n]));
    }
    assert_eq!(wait_until_settled(&api)["held"], 3);
    for (count, id) in ["c", "a", "b"].into_iter().enumerate() {
        act_on_callback(&api, &find_callback(&api, id), "release");
        wait_for_callbacks(&api, "inbox", count + 1);
    }
    assert_eq!(received_ids(&api, "inbox", 3), ["c", "a", "b"]);
    wait_until_settled(&api);
    assert_eq!(callback_states(&api), ["delivered"; 3]);
}

#[test]
fn a_late_callback_comes_when_its_time_has_come() {
    let api = frozen_setup().serve();
    set_policy(&api, &json!({ "delay": { "fixed": "90s" } }));
    request_contacts(&api, &create_receiver(&api, "inbox"), "a", &build_contacts([1]));
    let found = api.admin().get(format!("{CALLBACKS}?wait=30s")).items().remove(0);
    assert_eq!((&found["state"], &found["next_at"]), (&json!("waiting"), &json!("2026-01-05T10:01:30Z")));
    api.advance(89);
    assert_eq!(api.get(format!("/contacts/v1/contacts/list/{LIST}")).items().len(), 1, "the data is there");
    let before = api.admin().get("/__admin/hooks/inbox?wait=50ms").ok();
    assert_eq!(before["came"], 0);
    api.advance(1);
    let came = wait_for_callbacks(&api, "inbox", 1).remove(0);
    assert_eq!(
        (&came["at"], &came["json"]["timestamp"]),
        (&json!("2026-01-05T10:01:30.000000000Z"), &json!("2026-01-05T10:00:00Z"))
    );
}

#[test]
fn no_callback_comes_before_its_delay_has_passed_on_the_real_clock() {
    let api = Setup::new().seed(json!({ "lists": [seeds::list(LIST, "VIP", json!([]))] })).serve();
    for (delay, least) in [("250ms", Duration::from_millis(250)), ("1s", Duration::from_secs(1))] {
        set_policy(&api, &json!({ "delay": { "fixed": delay } }));
        let hook = format!("after-{delay}");
        // At the end of a second, what is cut off of the time is most.
        let into_second = roost_ops::Ctx::system().now_nanos().1 / 1_000_000;
        thread::sleep(Duration::from_millis(u64::from(1_900 - into_second) % 1_000));
        let begun = Instant::now();
        request_contacts(&api, &create_receiver(&api, &hook), delay, &build_contacts([1]));
        wait_for_callbacks(&api, &hook, 1);
        let took = begun.elapsed();
        assert!(took >= least && took < least + Duration::from_millis(900), "{delay}: {took:?}");
    }
}

#[test]
fn a_delivered_callback_is_sent_once_more() {
    let api = frozen_setup().serve();
    request_contacts(&api, &create_receiver(&api, "inbox"), "a", &build_contacts([1]));
    wait_until_settled(&api);
    let again = act_on_callback(&api, &find_callback(&api, "a"), "redeliver");
    assert_eq!(again["state"], "waiting");
    let came = wait_for_callbacks(&api, "inbox", 2);
    assert_eq!(came[0]["body"], came[1]["body"]);
    assert_eq!((&came[0]["attempt"], &came[1]["attempt"]), (&json!(1), &json!(2)));
    assert_eq!(came[1]["callback_id"], again["id"]);
    wait_until_settled(&api);
    assert_eq!(find_callback(&api, "a")["state"], "delivered");
    api.admin().post(format!("{CALLBACKS}/99/redeliver"), &json!({})).expect(404);
}

#[test]
fn a_cancelled_callback_is_never_sent() {
    let receiver = Receiver::replying([Reply::Status(500)]);
    let api = frozen_setup().serve();
    request_contacts(&api, &receiver.url("/"), "a", &build_contacts([1]));
    receiver.wait_for(1);
    let waiting = api.admin().get(format!("{CALLBACKS}?state=waiting&wait=30s")).items().remove(0);
    let cancelled = act_on_callback(&api, &waiting, "cancel");
    assert_eq!((&cancelled["state"], &cancelled["reason"]), (&json!("given_up"), &json!("cancelled")));
    api.advance(3_600);
    wait_until_settled(&api);
    assert_eq!(
        (receiver.received().len(), find_callback(&api, "a")["attempts"].as_array().map(Vec::len)),
        (1, Some(1))
    );
    let again = act_on_callback(&api, &cancelled, "redeliver");
    assert_eq!(again["reason"], json!(null), "it may be sent all the same");
    receiver.wait_for(2);
}

#[test]
fn waiting_ends_when_everything_is_settled() {
    let api = frozen_setup().serve();
    let nothing = wait_until_settled(&api);
    assert_eq!((&nothing["settled"], &nothing["delivered"]), (&json!(true), &json!(0)));
    for n in 0..5 {
        request_contacts(&api, &create_receiver(&api, "inbox"), &n.to_string(), &build_contacts([n]));
    }
    let done = wait_until_settled(&api);
    let counts =
        ["jobs_waiting", "jobs_held", "waiting", "held", "delivered", "given_up"].map(|name| done[name].as_u64());
    assert_eq!(counts, [0, 0, 0, 0, 5, 0].map(Some));
    assert_eq!(api.admin().get("/__admin/hooks/inbox").ok()["came"], 5, "there, without another wait");
}

#[test]
fn what_never_settles_by_itself_is_reported_at_once_with_what_helps() {
    let api = frozen_setup().serve();
    set_policy(&api, &json!({ "delay": { "fixed": "1h" } }));
    api.admin().put("/__admin/job_policy", &json!({ "progress": "manual" })).expect(200);
    for (n, id) in ["a", "b"].iter().enumerate() {
        request_contacts(&api, &create_receiver(&api, "inbox"), id, &build_contacts([n]));
    }
    api.admin().post("/__admin/jobs/2/pause", &json!({})).expect(200);
    let response = wait_for_stuck(&api);
    let by_hand = "the job policy waits for it to be run by hand";
    assert_eq!(unfinished_reasons(&response), [format!("job 1: {by_hand}"), "job 2: it is paused".to_owned()]);
    assert!(
        response["undone"][0]["hint"].as_str().is_some_and(|hint| hint.contains("POST /__admin/jobs/1/run")),
        "{response}"
    );
    api.admin().post("/__admin/jobs/1/run", &json!({})).expect(200);
    let reason = "callback 1: it is due at 2026-01-05T11:00:00Z, and the clock is frozen at 2026-01-05T10:00:00Z";
    assert_eq!(unfinished_reasons(&wait_for_stuck(&api)), ["job 2: it is paused", reason]);
    let of_one = json!({ "correlation_id": "a", "timeout": "5m" });
    let response = api.admin().post(WAIT, &of_one).expect(406).json();
    assert_eq!(unfinished_reasons(&response), [reason], "{response}");
    assert!(
        response["undone"][0]["hint"].as_str().is_some_and(|hint| hint.contains("/__admin/clock/advance")),
        "{response}"
    );
    api.admin().post("/__admin/clock/advance", &json!({ "until": "idle" })).expect(200);
    api.admin().post(WAIT, &of_one).expect(200);
    // A moving clock brings due work, so waiting makes sense.
    api.admin().post("/__admin/jobs/2/run", &json!({})).expect(200);
    api.admin().put("/__admin/clock", &json!({ "mode": "scaled", "rate": 10_000 })).expect(200);
    wait_until_settled(&api);
    set_policy(&api, &json!({ "hold": true }));
    request_contacts(&api, &create_receiver(&api, "inbox"), "c", &build_contacts([7]));
    api.admin().post("/__admin/jobs/3/run", &json!({})).expect(200);
    let held = wait_until_settled(&api);
    assert_eq!(
        unfinished_reasons(&held),
        ["callback 3: it is held until it is released"],
        "held on purpose, and named"
    );
}

#[test]
fn waiting_for_a_correlation_id_waits_for_its_job() {
    let api = frozen_setup().serve();
    set_policy(&api, &json!({ "delay": { "fixed": "1h" } }));
    request_contacts(&api, &create_receiver(&api, "inbox"), "late", &build_contacts([1]));
    api.admin().get(format!("{CALLBACKS}?correlation_id=late&wait=30s")).expect(200);
    set_policy(&api, &json!({}));
    let wait = json!({ "correlation_id": "mine", "timeout": "30000ms" });
    let waited = thread::scope(|scope| {
        let waiting = scope.spawn(|| api.admin().post(WAIT, &wait).ok());
        request_contacts(&api, &create_receiver(&api, "inbox"), "mine", &build_contacts([2]));
        waiting.join().expect("an answer")
    });
    assert_eq!((&waited["settled"], &waited["delivered"]), (&json!(true), &json!(1)), "the others are not counted");
    let unknown =
        api.admin().post(WAIT, &json!({ "correlation_id": "nobody's", "timeout": "20ms" })).expect(404).json();
    assert_eq!(unknown["error"]["code"], "unknown_correlation_id");
}

#[test]
fn waiting_in_vain_shows_what_is_open() {
    let api = frozen_setup().serve();
    set_policy(&api, &json!({ "delay": { "fixed": "1h" } }));
    request_contacts(&api, &create_receiver(&api, "inbox"), "late", &build_contacts([1]));
    api.admin().get(format!("{CALLBACKS}?wait=30s")).expect(200);
    let open = api.admin().post(WAIT, &json!({ "timeout": "20ms" })).expect(406).json();
    assert_eq!((&open["settled"], &open["waiting"]), (&json!(false), &json!(1)));
    assert_eq!(
        (&open["open"][0]["correlation_id"], &open["open"][0]["next_at"]),
        (&json!("late"), &json!("2026-01-05T11:00:00Z"))
    );
    for bad in [json!({ "settled": false }), json!({ "timeout": "300001ms" }), json!({ "timeout": 1 }), json!([])] {
        api.admin().post(WAIT, &bad).expect(400);
    }
}

#[test]
fn waiting_ends_with_the_epoch() {
    let api = frozen_setup().serve();
    api.admin().post("/__admin/snapshots", &json!({ "name": "empty" })).expect(201);
    // Waiting for a silent receiver makes sense. A callback that waits for a frozen clock is reported at once.
    let receiver = Receiver::replying([Reply::Silence]);
    request_contacts(&api, &receiver.url("/"), "late", &build_contacts([1]));
    api.admin().get(format!("{CALLBACKS}?wait=30s")).expect(200);
    let ended = thread::scope(|scope| {
        let waits = scope.spawn(|| {
            let answer = api.admin().post(WAIT, &json!({ "timeout": "60000ms" }));
            (answer.status, answer.json())
        });
        // Whether the wait has begun or not, the callback it waits for is never settled before the reset.
        loop {
            api.admin().post("/__admin/snapshots/empty/restore", &json!({})).expect(200);
            if waits.is_finished() {
                return waits.join().expect("an answer");
            }
            thread::sleep(Duration::from_millis(5));
        }
    });
    match ended.0 {
        409 => assert_eq!(ended.1["error"]["code"], "reset_meanwhile"),
        status => assert_eq!((status, &ended.1["delivered"]), (200, &json!(0)), "nothing is left of it"),
    }
}

#[test]
fn retries_and_backoff_are_those_of_the_policy() {
    let receiver = Receiver::replying(std::iter::repeat_n(Reply::Status(500), 4));
    let api = frozen_setup().serve();
    set_policy(&api, &json!({ "backoff": ["10s", "20s"], "retries": 3 }));
    request_contacts(&api, &receiver.url("/"), "a", &build_contacts([1]));
    for (count, wait, next) in [(1, 10, "10:00:10"), (2, 20, "10:00:30"), (3, 20, "10:00:50")] {
        receiver.wait_for(count);
        let waiting = loop {
            let found = find_callback(&api, "a");
            if found["attempts"][count - 1]["status"] == 500 {
                break found;
            }
        };
        assert_eq!(waiting["next_at"], json!(format!("2026-01-05T{next}Z")));
        api.advance(wait);
    }
    receiver.wait_for(4);
    wait_until_settled(&api);
    assert_eq!(find_callback(&api, "a")["state"], "given_up");
}

#[test]
fn the_policy_decides_what_is_attempted_again() {
    let receiver = Receiver::replying([Reply::Status(404), Reply::Status(500)]);
    let api = frozen_setup().serve();
    set_policy(&api, &json!({ "backoff": ["0s", "0s", "0s"], "retry_on": [404] }));
    request_contacts(&api, &receiver.url("/"), "a", &build_contacts([1]));
    wait_until_settled(&api);
    assert_eq!((receiver.received().len(), &find_callback(&api, "a")["state"]), (2, &json!("given_up")));
}

#[test]
fn the_time_out_is_that_of_the_policy() {
    let receiver = Receiver::replying([Reply::Silence]);
    let api = frozen_setup().serve();
    set_policy(&api, &json!({ "timeout": "50ms", "backoff": [] }));
    request_contacts(&api, &receiver.url("/"), "a", &build_contacts([1]));
    wait_until_settled(&api);
    let attempt = find_callback(&api, "a")["attempts"][0].clone();
    assert_eq!((&attempt["error"], &attempt["error_class"]), (&json!("no answer within 50ms"), &json!("timed_out")));
}

#[test]
fn the_order_is_that_of_the_policy() {
    let api = frozen_setup().serve();
    let order = |order: &str| {
        set_policy(&api, &json!({ "hold": true }));
        for id in ["a", "b", "c", "d", "e", "f"] {
            request_contacts(&api, &create_receiver(&api, order), id, &build_contacts([1]));
        }
        wait_until_settled(&api);
        set_policy(&api, &json!({ "order": order, "seed": 7, "parallel": 1 }));
        let released = api.admin().post("/__admin/release_callbacks", &json!({})).ok();
        assert_eq!(released["items"].as_array().map(Vec::len), Some(6));
        received_ids(&api, order, 6).concat()
    };
    assert_eq!(order("fifo"), "abcdef");
    assert_eq!(order("lifo"), "fedcba");
    let random = order("random");
    let mut sorted: Vec<char> = random.chars().collect();
    sorted.sort_unstable();
    assert_eq!(String::from_iter(sorted), "abcdef", "each of them once");
    assert_ne!(random, "abcdef", "the seed says so");
}

#[test]
fn a_policy_drops_or_duplicates_callbacks() {
    let api = frozen_setup().serve();
    set_policy(&api, &json!({ "drop": 1.0 }));
    request_contacts(&api, &create_receiver(&api, "inbox"), "lost", &build_contacts([1]));
    wait_until_settled(&api);
    let lost = find_callback(&api, "lost");
    assert_eq!((&lost["state"], &lost["reason"]), (&json!("given_up"), &json!("dropped")));
    assert_eq!(api.admin().get("/__admin/hooks/inbox").ok()["came"], 0);
    act_on_callback(&api, &lost, "redeliver");
    assert_eq!(received_ids(&api, "inbox", 1), ["lost"], "the operator is not contradicted");
    set_policy(&api, &json!({ "duplicate": 1.0 }));
    request_contacts(&api, &create_receiver(&api, "inbox"), "twice", &build_contacts([2]));
    wait_until_settled(&api);
    assert_eq!(received_ids(&api, "inbox", 3), ["lost", "twice", "twice"]);
    assert_eq!(find_callback(&api, "twice")["state"], "delivered");
    let seeded = set_policy(&api, &json!({ "drop": 0.5 }));
    assert!(seeded["seed"].is_u64(), "drawn once and shown: {seeded}");
}

#[test]
fn headers_and_a_signature_are_added() {
    let receiver = Receiver::start();
    let api = frozen_setup().serve();
    let sign = json!({ "hmac_sha256": { "secret": "whisper", "header": "x-hub-signature-256" } });
    set_policy(&api, &json!({ "headers": { "x-tenant": "acme" }, "sign": sign }));
    request_contacts(&api, &receiver.url("/"), "a", &build_contacts([1]));
    let call = receiver.wait_for(1).remove(0);
    assert_eq!(call.header("x-tenant"), Some("acme"));
    let signature = call.header("x-hub-signature-256").expect("a signature").to_owned();
    assert!(signature.starts_with("sha256=") && signature.len() == 7 + 64, "{signature}");
    wait_until_settled(&api);
    act_on_callback(&api, &find_callback(&api, "a"), "redeliver");
    assert_eq!(receiver.wait_for(2)[1].header("x-hub-signature-256"), Some(signature.as_str()), "the same bytes");
}

#[test]
fn a_secret_is_masked_and_stays_when_it_is_written_back() {
    let receiver = Receiver::start();
    let api = frozen_setup().serve();
    let shown = set_policy(&api, &json!({ "sign": { "hmac_sha256": { "secret": "very-secret-whisper" } } }));
    assert!(!shown.to_string().contains("secret-whisper"), "{shown}");
    assert_eq!(api.admin().get(POLICY).ok(), shown);
    request_contacts(&api, &receiver.url("/"), "a", &build_contacts([1]));
    let first = receiver.wait_for(1).remove(0);
    wait_until_settled(&api);
    set_policy(&api, &shown);
    act_on_callback(&api, &find_callback(&api, "a"), "redeliver");
    let second = receiver.wait_for(2).remove(1);
    assert!(first.header("x-signature").is_some());
    assert_eq!(first.header("x-signature"), second.header("x-signature"));
}

#[test]
fn an_invalid_callback_policy_is_refused() {
    let api = frozen_setup().serve();
    let before = api.admin().get(POLICY).ok();
    assert_eq!((&before["timeout"], &before["hold"], &before["sign"]), (&json!("10s"), &json!(false), &json!("none")));
    for bad in [
        json!({ "drop": 2 }),
        json!({ "backoff": ["1"] }),
        json!({ "headers": { "host": "x" } }),
        json!({ "ordr": "fifo" }),
        json!({ "order": "last" }),
        json!([]),
    ] {
        api.admin().put(POLICY, &bad).expect(400);
    }
    let response = api.admin().put(POLICY, &json!({ "ordr": "fifo" })).text();
    assert!(response.contains("Did you mean 'order'?"), "{response}");
    assert_eq!(api.admin().get(POLICY).ok(), before);
}

#[test]
fn a_reset_takes_the_policy_back_unless_it_keeps_faults() {
    let api = frozen_setup().serve();
    let before = api.admin().get(POLICY).ok();
    api.admin().post("/__admin/snapshots", &json!({ "name": "first" })).expect(201);
    api.admin().post("/__admin/snapshots/first/restore", &json!({})).expect(200);
    set_policy(&api, &json!({ "hold": true }));
    api.admin().put("/__admin/job_policy", &json!({ "progress": "manual" })).expect(200);
    let seeded = json!({ "lists": [seeds::list(LIST, "VIP", json!([]))] });
    api.admin().put("/__admin/seed?once=true", &seeded).expect(200);
    assert_eq!(api.admin().get(POLICY).ok(), before, "another seed is a new beginning");
    assert_eq!(api.admin().get("/__admin/job_policy").ok()["progress"], "immediate");
    set_policy(&api, &json!({ "hold": true }));
    api.admin().post("/__admin/reset?keep=faults", &json!({})).expect(200);
    assert_eq!(api.admin().get(POLICY).ok()["hold"], true);
    api.admin().post("/__admin/reset", &json!({})).expect(200);
    assert_eq!(api.admin().get(POLICY).ok(), before);
}

#[test]
fn a_world_has_a_policy_of_its_own() {
    let api = frozen_setup().serve();
    let world = super::worlds::create_world(&api, &json!({ "name": "a", "from": "world:default" }));
    set_policy(&api, &json!({ "hold": true }));
    let own = format!("/__admin/worlds/{}/callback_policy", world.id);
    assert_eq!(api.admin().get(own).ok()["hold"], false);
    let inbox = format!("{}{}/__hook/inbox", api.url(), world.path);
    let body = json!({
        "list_id": LIST, "merge_type": "skipDuplicates", "contacts": build_contacts([1]), "callback_url": inbox, "correlation_id": "a",
    });
    api.with_key(&world.key).post("/contacts/v1/contacts", &body).expect(200);
    let came = api.admin().get(format!("/__admin/worlds/{}/hooks/inbox?wait=30s", world.id)).ok();
    assert_eq!((&came["came"], &came["items"][0]["attempt"]), (&json!(1), &json!(1)));
    assert_eq!(api.admin().get("/__admin/hooks").items().len(), 0, "the other world's is empty");
}
