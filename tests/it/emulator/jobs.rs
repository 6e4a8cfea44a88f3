//! Jobs under the operator's control: delayed, in parts, by hand, and failing.

use std::thread;

use roost_tests::Served;
use serde_json::{Value, json};

use super::callbacks::{
    LIST, build_contacts, create_receiver, frozen_setup, received_ids, request_contacts, unfinished_reasons,
    wait_for_callbacks, wait_for_stuck, wait_until_settled,
};

const POLICY: &str = "/__admin/job_policy";

#[track_caller]
fn set_policy(api: &Served, policy: &Value) {
    api.admin().put(POLICY, policy).expect(200);
}

fn count_stored(api: &Served) -> usize {
    api.get(format!("/contacts/v1/contacts/list/{LIST}?page_size=100")).items().len()
}

/// Returns the newest job.
#[track_caller]
fn newest_job(api: &Served) -> Value {
    api.admin().get("/__admin/jobs").items().remove(0)
}

#[track_caller]
fn act_on_job(api: &Served, job: &Value, act: &str, body: &Value) -> Value {
    api.admin().post(format!("/__admin/jobs/{}/{act}", job["id"]), body).ok()
}

fn read_outcomes(api: &Served, job: &Value) -> Vec<String> {
    api.admin().get(format!("/__admin/jobs/{}/outcomes", job["id"])).column("outcome")
}

fn call_results(call: &Value) -> [String; 3] {
    ["failed", "imported", "merged"]
        .map(|name| call["json"]["results"][format!("total_contacts_{name}")].as_str().unwrap_or("-").to_owned())
}

#[test]
fn a_job_runs_when_its_time_has_come() {
    let api = frozen_setup().serve();
    set_policy(&api, &json!({ "progress": "after", "after": "2s" }));
    request_contacts(&api, &create_receiver(&api, "inbox"), "a", &build_contacts([1]));
    api.advance(1);
    let wait = api.admin().post("/__admin/settle", &json!({ "timeout": "20ms" })).expect(406).json();
    assert_eq!((&wait["jobs_waiting"], count_stored(&api)), (&json!(1), 0));
    api.advance(1);
    assert_eq!(wait_for_callbacks(&api, "inbox", 1)[0]["json"]["timestamp"], "2026-01-05T10:00:02Z");
    assert_eq!(count_stored(&api), 1);
}

#[test]
fn a_job_waits_until_it_is_run_by_hand() {
    let api = frozen_setup().serve();
    set_policy(&api, &json!({ "progress": "manual" }));
    request_contacts(&api, &create_receiver(&api, "inbox"), "a", &build_contacts([1]));
    request_contacts(&api, &create_receiver(&api, "inbox"), "b", &build_contacts([2]));
    assert_eq!(wait_for_stuck(&api)["jobs_held"], 2);
    let second = newest_job(&api);
    assert_eq!(
        (&second["state"], &second["held"], &second["callback_id"]),
        (&json!("queued"), &json!(true), &json!(null))
    );
    assert_eq!(act_on_job(&api, &second, "run", &json!({}))["state"], "done");
    assert_eq!(received_ids(&api, "inbox", 1), ["b"], "out of order");
    assert_eq!(count_stored(&api), 1);
    api.admin().post(format!("/__admin/jobs/{}/run", second["id"]), &json!({})).expect(409);
    api.admin().post("/__admin/jobs/99/run", &json!({})).expect(404);
    set_policy(&api, &json!({}));
    assert_eq!(received_ids(&api, "inbox", 2), ["b", "a"], "what waited goes on");
}

#[test]
fn a_job_is_stepped_and_calls_back_at_its_end() {
    let api = frozen_setup().serve();
    set_policy(&api, &json!({ "progress": "manual" }));
    request_contacts(&api, &create_receiver(&api, "inbox"), "a", &build_contacts([1, 2, 3, 4]));
    let waiting = newest_job(&api);
    for (contacts, done) in [(json!({}), 1), (json!({ "contacts": 2 }), 3)] {
        let stepped = act_on_job(&api, &waiting, "step", &contacts);
        assert_eq!((&stepped["state"], &stepped["done"], count_stored(&api)), (&json!("queued"), &json!(done), done));
        assert_eq!(read_outcomes(&api, &waiting), vec!["imported"; done]);
        assert_eq!(wait_for_stuck(&api)["delivered"], 0, "no callback is delivered yet");
    }
    let ended = act_on_job(&api, &waiting, "step", &json!({ "contacts": 9 }));
    assert_eq!((&ended["state"], &ended["done"], count_stored(&api)), (&json!("done"), &json!(4), 4));
    assert_eq!(call_results(&wait_for_callbacks(&api, "inbox", 1)[0]), ["0", "4", "0"]);
    api.admin().post(format!("/__admin/jobs/{}/step", ended["id"]), &json!({ "contacts": 0 })).expect(400);
}

#[test]
fn a_list_fills_at_its_rate() {
    let api = frozen_setup().serve();
    set_policy(&api, &json!({ "progress": "rate", "per_second": 10 }));
    request_contacts(&api, &create_receiver(&api, "inbox"), "a", &build_contacts(0..35));
    assert_eq!(count_stored(&api), 0, "a second after it came at the earliest");
    for (seconds, done) in [(1, 10), (1, 20), (1, 30)] {
        api.advance(seconds);
        let partly =
            roost_tests::until("the part is done", || Some(newest_job(&api)).filter(|job| job["done"] == done));
        assert_eq!((&partly["state"], count_stored(&api)), (&json!("queued"), done));
    }
    api.advance(1);
    assert_eq!(call_results(&wait_for_callbacks(&api, "inbox", 1)[0]), ["0", "35", "0"]);
    assert_eq!(count_stored(&api), 35);
}

#[test]
fn a_job_runs_when_its_list_was_looked_at_so_often() {
    let api = frozen_setup().serve();
    set_policy(&api, &json!({ "progress": "polls", "polls": 3 }));
    request_contacts(&api, &create_receiver(&api, "inbox"), "a", &build_contacts([1]));
    assert_eq!(wait_for_stuck(&api)["jobs_held"], 1);
    let seen: Vec<usize> = (0..4).map(|_| count_stored(&api)).collect();
    assert_eq!(seen, [0, 0, 1, 1], "the third look sees it");
    assert_eq!(received_ids(&api, "inbox", 1), ["a"]);
}

#[test]
fn a_paused_job_lets_others_go_before_it() {
    let api = frozen_setup().serve();
    set_policy(&api, &json!({ "progress": "after", "after": "1h" }));
    request_contacts(&api, &create_receiver(&api, "inbox"), "a", &build_contacts([1]));
    let paused = act_on_job(&api, &newest_job(&api), "pause", &json!({}));
    assert_eq!((&paused["paused"], &paused["held"]), (&json!(true), &json!(true)));
    set_policy(&api, &json!({}));
    request_contacts(&api, &create_receiver(&api, "inbox"), "b", &build_contacts([2]));
    assert_eq!(received_ids(&api, "inbox", 1), ["b"]);
    assert_eq!(wait_for_stuck(&api)["jobs_held"], 1);
    act_on_job(&api, &paused, "resume", &json!({}));
    assert_eq!(received_ids(&api, "inbox", 2), ["b", "a"]);
}

#[test]
fn a_failed_job_keeps_what_was_done_and_calls_back() {
    let api = frozen_setup().serve();
    set_policy(&api, &json!({ "progress": "manual" }));
    request_contacts(&api, &create_receiver(&api, "inbox"), "a", &build_contacts([1, 2, 3]));
    let waiting = newest_job(&api);
    act_on_job(&api, &waiting, "step", &json!({}));
    let failed = act_on_job(&api, &waiting, "fail", &json!({}));
    assert_eq!((&failed["state"], &failed["totals"]["failed"]), (&json!("done"), &json!(2)));
    assert_eq!(read_outcomes(&api, &failed), ["imported", "failed", "failed"]);
    assert_eq!(call_results(&wait_for_callbacks(&api, "inbox", 1)[0]), ["2", "1", "0"]);
    assert_eq!(count_stored(&api), 1);
}

#[test]
fn a_dropped_job_sends_no_callback() {
    let api = frozen_setup().serve();
    set_policy(&api, &json!({ "progress": "manual" }));
    request_contacts(&api, &create_receiver(&api, "inbox"), "a", &build_contacts([1]));
    let dropped = act_on_job(&api, &newest_job(&api), "drop", &json!({}));
    assert_eq!((&dropped["state"], &dropped["callback_id"]), (&json!("done"), &json!(null)));
    let settled = wait_until_settled(&api);
    assert_eq!((settled["delivered"].as_u64(), settled["held"].as_u64(), count_stored(&api)), (Some(0), Some(0), 0));
}

#[test]
fn contacts_fail_from_a_place_on_or_by_their_number() {
    let api = frozen_setup().serve();
    set_policy(
        &api,
        &json!({ "faults": [
        { "fault": { "fail_after": 2 }, "correlation_id": "after" },
        { "fault": { "fail_numbers": ["+447700900002", "447700900004"] }, "correlation_id": "numbers" },
        { "fault": "fail", "correlation_id": "all" },
    ] }),
    );
    for (id, want) in [
        ("after", ["imported", "imported", "failed", "failed"]),
        ("numbers", ["skipped", "failed", "imported", "failed"]),
        ("all", ["failed"; 4]),
        ("plain", ["skipped", "skipped", "skipped", "imported"]),
    ] {
        let numbers = if id == "after" { [1, 5, 2, 4] } else { [1, 2, 3, 4] };
        if id == "plain" {
            request_contacts(&api, &create_receiver(&api, id), "two", &build_contacts([2]));
        }
        request_contacts(&api, &create_receiver(&api, id), id, &build_contacts(numbers));
        wait_until_settled(&api);
        assert_eq!(read_outcomes(&api, &newest_job(&api)), want, "{id}");
        let failed = want.iter().filter(|outcome| **outcome == "failed").count().to_string();
        assert_eq!(call_results(wait_for_callbacks(&api, id, 1).last().expect("one"))[0], failed, "{id}");
    }
    let kinds = api.admin().get("/__admin/jobs").items();
    assert_eq!((&kinds[2]["fault"], &kinds[0]["fault"]), (&json!("fail"), &json!(null)));
}

#[test]
fn a_job_that_never_finishes_holds_up_nobody() {
    let api = frozen_setup().serve();
    set_policy(&api, &json!({ "faults": [{ "fault": "never_finish", "first": 1 }] }));
    for id in ["never", "next"] {
        request_contacts(&api, &create_receiver(&api, "inbox"), id, &build_contacts([1]));
    }
    assert_eq!(received_ids(&api, "inbox", 1), ["next"]);
    api.advance(86_400);
    assert_eq!(wait_for_stuck(&api)["jobs_held"], 1);
    let never = api.admin().get("/__admin/jobs").items().remove(1);
    assert_eq!((&never["state"], &never["fault"]), (&json!("queued"), &json!("never_finish")));
    act_on_job(&api, &never, "run", &json!({}));
    assert_eq!(received_ids(&api, "inbox", 2), ["next", "never"], "but by hand");
}

#[test]
fn a_job_that_finishes_twice_calls_back_twice() {
    let api = frozen_setup().serve();
    set_policy(&api, &json!({ "faults": [{ "fault": "finish_twice" }] }));
    request_contacts(&api, &create_receiver(&api, "inbox"), "a", &build_contacts([1]));
    wait_until_settled(&api);
    let calls = wait_for_callbacks(&api, "inbox", 2);
    assert_eq!((calls.len(), &calls[0]["body"]), (2, &calls[1]["body"]));
    assert_eq!(count_stored(&api), 1);
}

#[test]
fn a_callback_comes_before_its_data_can_be_seen() {
    let api = frozen_setup().serve();
    set_policy(&api, &json!({ "faults": [{ "fault": "callback_first" }] }));
    api.admin().put("/__admin/callback_policy", &json!({ "hold": true })).expect(200);
    request_contacts(&api, &create_receiver(&api, "inbox"), "a", &build_contacts([1, 2]));
    let held = api.admin().get("/__admin/callbacks?state=held&wait=30s").items().remove(0);
    assert_eq!((count_stored(&api), &newest_job(&api)["state"]), (0, &json!("queued")), "owed, and nothing is there");
    api.admin().post(format!("/__admin/callbacks/{}/release", held["id"]), &json!({})).expect(200);
    wait_until_settled(&api);
    let calls = wait_for_callbacks(&api, "inbox", 1);
    assert_eq!((calls.len(), call_results(&calls[0]), count_stored(&api)), (1, ["0", "2", "0"].map(str::to_owned), 2));
    let done = newest_job(&api);
    assert_eq!(
        (&done["state"], &done["totals"]["imported"], &done["callback_id"]),
        (&json!("done"), &json!(2), &held["id"])
    );
}

#[test]
fn a_job_behind_its_callback_says_when_it_continues() {
    let api = frozen_setup().serve();
    set_policy(&api, &json!({ "faults": [{ "fault": "callback_first" }] }));
    let (later, held) = (json!({ "delay": { "fixed": "20s" } }), json!({ "hold": true }));
    for (n, (policy, due)) in [(later, json!("2026-01-05T10:00:20Z")), (held, json!(null))].into_iter().enumerate() {
        api.admin().put("/__admin/callback_policy", &policy).expect(200);
        request_contacts(&api, &create_receiver(&api, "inbox"), &format!("job-{n}"), &build_contacts([n + 1]));
        // The clock stands, so waiting would be in vain.
        let stuck = roost_tests::until("its callback is owed", || {
            let response = api.admin().post("/__admin/settle", &json!({ "timeout": "0s" })).expect(406).json();
            (response["undone"].as_array().is_some_and(|unfinished| unfinished.len() == 2))
                .then(|| wait_for_stuck(&api))
        });
        let job = newest_job(&api);
        assert_eq!((&job["state"], &job["next_at"], count_stored(&api)), (&json!("queued"), &due, n), "{policy}");
        let reasons = unfinished_reasons(&stuck);
        let reason = if n == 0 { "it is due at 2026-01-05T10:00:20Z" } else { "its callback, which is held" };
        assert!(reasons[0].contains(reason), "{reasons:?}");
        match n {
            0 => api.admin().post("/__admin/clock/advance", &json!({ "by": "20s" })).expect(200),
            _ => api.admin().post("/__admin/release_callbacks", &json!({})).expect(200),
        };
        wait_until_settled(&api);
        assert_eq!(count_stored(&api), n + 1);
    }
}

#[test]
fn a_lost_callback_leaves_the_data() {
    let api = frozen_setup().serve();
    set_policy(&api, &json!({ "faults": [{ "fault": "lose_callback", "first": 1 }, { "fault": "drop" }] }));
    request_contacts(&api, &create_receiver(&api, "inbox"), "lost", &build_contacts([1]));
    request_contacts(&api, &create_receiver(&api, "inbox"), "dropped", &build_contacts([2]));
    let settled = wait_until_settled(&api);
    assert_eq!(
        (settled["delivered"].as_u64(), settled["given_up"].as_u64(), count_stored(&api)),
        (Some(0), Some(0), 1)
    );
    assert_eq!(api.admin().get("/__admin/jobs").column("state"), ["done", "done"]);
}

#[test]
fn a_job_shows_its_contacts_and_its_callback() {
    let api = frozen_setup().serve();
    request_contacts(&api, &create_receiver(&api, "inbox"), "a", &build_contacts([1, 1, 2]));
    wait_until_settled(&api);
    let done = newest_job(&api);
    let callback = wait_for_callbacks(&api, "inbox", 1)[0]["callback_id"].clone();
    assert_eq!(api.admin().get(format!("/__admin/jobs/{}", done["id"])).ok(), done);
    assert_eq!((&done["contacts"], &done["done"], &done["callback_id"]), (&json!(3), &json!(3), &callback));
    assert_eq!(read_outcomes(&api, &done), ["imported", "skipped", "imported"]);
}

#[test]
fn an_invalid_job_policy_is_refused() {
    let api = frozen_setup().serve();
    let before = api.admin().get(POLICY).ok();
    for bad in [
        json!({ "progress": "soon" }),
        json!({ "after": "10" }),
        json!({ "polls": 0 }),
        json!({ "prgress": "after" }),
        json!([]),
    ] {
        api.admin().put(POLICY, &bad).expect(400);
    }
    assert_eq!(api.admin().get(POLICY).ok(), before);
}

#[test]
fn magic_numbers_do_to_a_job_what_their_list_says() {
    let api = frozen_setup().serve();
    let magic = |n: usize| {
        build_contacts([7])
            .as_array()
            .cloned()
            .into_iter()
            .flatten()
            .chain([json!({ "phone_number": format!("+4477009009{n:02}") })])
            .collect::<Value>()
    };
    request_contacts(&api, &create_receiver(&api, "off"), "off", &magic(4));
    assert_eq!(received_ids(&api, "off", 1), ["off"], "off, it is a number like all others");
    let list = api.admin().put("/__admin/faults/magic", &json!({ "enabled": true })).ok();
    let of_jobs = list["items"].as_array().expect("numbers").iter().filter(|magic| !magic["job"].is_null());
    assert_eq!(of_jobs.count(), 4);
    request_contacts(&api, &create_receiver(&api, "m902"), "m902", &magic(2));
    wait_until_settled(&api);
    assert_eq!(
        (read_outcomes(&api, &newest_job(&api)), call_results(&wait_for_callbacks(&api, "m902", 1)[0])[0].as_str()),
        (vec!["skipped".to_owned(), "failed".to_owned()], "1")
    );
    request_contacts(&api, &create_receiver(&api, "m904"), "m904", &magic(4));
    assert_eq!(wait_until_settled(&api)["waiting"], 0);
    assert_eq!((&newest_job(&api)["state"], &newest_job(&api)["callback_id"]), (&json!("done"), &json!(null)));
    request_contacts(&api, &create_receiver(&api, "m905"), "m905", &magic(5));
    wait_until_settled(&api);
    assert_eq!(received_ids(&api, "m905", 2), ["m905", "m905"]);
    api.admin().put("/__admin/callback_policy", &json!({ "hold": true })).expect(200);
    request_contacts(&api, &create_receiver(&api, "m906"), "m906", &magic(6));
    api.admin().get("/__admin/callbacks?state=held&wait=30s").ok();
    let number = format!("/contacts/v1/contacts/list/{LIST}?search=%2B447700900906");
    assert_eq!(api.get(&number).items().len(), 0);
    api.admin().post("/__admin/release_callbacks", &json!({})).expect(200);
    wait_until_settled(&api);
    assert_eq!((received_ids(&api, "m906", 1), api.get(&number).items().len()), (vec!["m906".to_owned()], 1));
}

/// A job in parts leaves the same list, outcomes and callback as a job that runs at once.
#[test]
fn a_job_in_parts_has_the_same_result_as_a_job_that_runs_at_once() {
    let numbers = [1, 2, 1, 3, 2, 2, 4, 1];
    for merge_type in ["allowDuplicates", "skipDuplicates", "mergeByPhoneNumberInList"] {
        let run = |parts: &[u32]| {
            let api = frozen_setup().serve();
            set_policy(&api, &json!({ "progress": "manual" }));
            let mut body = json!({
                "list_id": LIST, "merge_type": merge_type, "contacts": build_contacts(numbers),
                "callback_url": create_receiver(&api, "inbox"),
            });
            for (n, contact) in body["contacts"].as_array_mut().expect("contacts").iter_mut().enumerate() {
                contact["firstname"] = json!(format!("n{n}"));
            }
            api.post("/contacts/v1/contacts", &body).expect(200);
            for part in parts {
                act_on_job(&api, &newest_job(&api), "step", &json!({ "contacts": part }));
            }
            let call = wait_for_callbacks(&api, "inbox", 1).remove(0);
            let mut names = api.get(format!("/contacts/v1/contacts/list/{LIST}")).column("firstname");
            names.sort();
            (names, read_outcomes(&api, &newest_job(&api)), call_results(&call))
        };
        let whole = run(&[8]);
        thread::scope(|scope| {
            for parts in [vec![1; 8], vec![3, 3, 3], vec![7, 1]] {
                let (run, whole) = (&run, &whole);
                scope.spawn(move || assert_eq!(run(&parts), *whole, "{merge_type} {parts:?}"));
            }
        });
    }
}

fn job_times(api: &Served, job: &Value) -> Value {
    api.admin().get(format!("/__admin/jobs/{}/moments", job["id"])).ok()
}

#[test]
fn what_was_done_about_a_job_is_listed_with_its_time() {
    let api = frozen_setup().serve();
    set_policy(&api, &json!({ "progress": "manual" }));
    request_contacts(&api, &create_receiver(&api, "inbox"), "a", &build_contacts([1, 1, 2, 3, 4]));
    let waiting = newest_job(&api);
    let none = json!({ "current_page": 1, "total_items": 0, "total_pages": 0 });
    assert_eq!(
        (&waiting["next_at"], &job_times(&api, &waiting)),
        (&json!(null), &json!({ "forgotten": 0, "items": [], "paging": none }))
    );
    act_on_job(&api, &waiting, "step", &json!({ "contacts": 2 }));
    for again in ["pause", "pause", "resume"] {
        api.advance(5);
        act_on_job(&api, &waiting, again, &json!({}));
    }
    act_on_job(&api, &waiting, "step", &json!({}));
    api.advance(60);
    act_on_job(&api, &waiting, "fail", &json!({}));
    let times = job_times(&api, &waiting);
    let shown: Vec<Value> = times["items"]
        .as_array()
        .expect("moments")
        .iter()
        .map(|m| {
            let at = m["at"].as_str().and_then(|at| at.strip_prefix("2026-01-05T10:"));
            json!([m["what"], at, m["first"], m["contacts"], m["imported"], m["skipped"], m["failed"]])
        })
        .collect();
    assert_eq!(
        json!(shown),
        json!([
            ["part", "00:00Z", 0, 2, 1, 1, 0],
            ["paused", "00:05Z", 2, 0, 0, 0, 0],
            ["resumed", "00:15Z", 2, 0, 0, 0, 0],
            ["part", "00:15Z", 2, 1, 1, 0, 0],
            ["failed", "01:15Z", 3, 2, 0, 0, 2],
        ])
    );
    api.admin().get("/__admin/jobs/999/moments").expect(404);
    api.admin().post("/__admin/snapshots", &json!({ "name": "kept" })).expect(201);
    let before = job_times(&api, &waiting);
    api.admin().post("/__admin/snapshots/kept/restore", &json!({})).expect(200);
    assert_eq!(job_times(&api, &waiting), before, "what was done about it comes back with it");
    api.admin().post("/__admin/reset", &json!({})).expect(200);
    api.admin().get(format!("/__admin/jobs/{}/moments", waiting["id"])).expect(404);
}

#[test]
fn parts_at_a_rate_are_listed_each_in_its_second() {
    let api = frozen_setup().serve();
    set_policy(&api, &json!({ "progress": "rate", "per_second": 2 }));
    request_contacts(&api, &create_receiver(&api, "inbox"), "a", &build_contacts([1, 2, 3, 4, 5]));
    let comes_to =
        |done: u32| roost_tests::until("the part is done", || Some(newest_job(&api)).filter(|job| job["done"] == done));
    assert_eq!(newest_job(&api)["next_at"], "2026-01-05T10:00:01Z");
    api.advance(1);
    comes_to(2);
    api.advance(1);
    let half = comes_to(4);
    assert_eq!(half["next_at"], "2026-01-05T10:00:03Z");
    api.advance(1);
    comes_to(5);
    let times = job_times(&api, &half);
    let parts: Vec<Value> = times["items"]
        .as_array()
        .expect("moments")
        .iter()
        .map(|m| json!([m["at"], m["until"], m["parts"], m["contacts"]]))
        .collect();
    let part = |second: u32, contacts: u32| {
        let at = format!("2026-01-05T10:00:0{second}Z");
        json!([at, at, 1, contacts])
    };
    assert_eq!(parts, [part(1, 2), part(2, 2), part(3, 1)]);
    assert_eq!((&times["forgotten"], &newest_job(&api)["next_at"]), (&json!(0), &json!(null)));
}

#[test]
fn the_outcome_of_a_contact_that_was_not_imported_has_a_reason() {
    let api = frozen_setup().serve();
    set_policy(&api, &json!({ "progress": "manual", "faults": [{ "fault": { "fail_after": 3 }, "first": 1 }] }));
    request_contacts(&api, &create_receiver(&api, "inbox"), "a", &build_contacts([1, 1, 2, 3, 4, 5]));
    let meant = newest_job(&api);
    act_on_job(&api, &meant, "step", &json!({ "contacts": 5 }));
    act_on_job(&api, &meant, "drop", &json!({}));
    let path = format!("/__admin/jobs/{}/outcomes", meant["id"]);
    let reasons = |query: &str| api.admin().get(format!("{path}{query}")).column("reason");
    let all = api.admin().get(&path).ok();
    let outcomes: Vec<Value> = all["items"]
        .as_array()
        .expect("items")
        .iter()
        .map(|o| json!([o["outcome"], o["reason"], o["number"]]))
        .collect();
    assert_eq!(
        json!(outcomes),
        json!([
            ["imported", null, "+447700900001"],
            ["skipped", "duplicate", null],
            ["imported", null, "+447700900002"],
            ["failed", "fault", null],
            ["failed", "fault", null],
            ["failed", "dropped", null],
        ])
    );
    assert_eq!(reasons("?outcome=failed&page_size=2&page_number=2"), ["dropped"]);
    assert_eq!(api.admin().get(format!("{path}?outcome=failed&page_size=2")).ok()["paging"]["total_items"], 3);
    for bad in ["?outcome=lost", "?page_size=0", "?size=1"] {
        api.admin().get(format!("{path}{bad}")).expect(400);
    }
}
