//! The acts of which the history of a world is made, chosen at random but the same for the same seed.

use rand::{Rng, rngs::StdRng};
use roost_tests::{Client, Request, Served, seeds, until};
use serde_json::{Value, json};

use super::MAKE_LIST;
use crate::rest::LIST;

/// An act: its name, and the request that performs it.
struct RandomAct {
    name: &'static str,
    by_operator: bool,
    request: Request,
}

fn client_act(name: &'static str, request: Request) -> RandomAct {
    RandomAct { name, by_operator: false, request }
}

fn operator_act(name: &'static str, method: &str, path: impl Into<String>, body: &Value) -> RandomAct {
    RandomAct { name, by_operator: true, request: Request::new(method, path).json(body) }
}

fn pick_from<T: Clone>(chance: &mut StdRng, all: &[T]) -> T {
    all[chance.random_range(0..all.len())].clone()
}

/// The magic numbers of jobs, and two of requests.
const MAGIC: [usize; 6] = [902, 904, 905, 906, 908, 909];

fn choose_number(chance: &mut StdRng) -> String {
    seeds::mobile(if chance.random_bool(0.1) { pick_from(chance, &MAGIC) } else { chance.random_range(0..40) })
}

/// Returns an act of a client.
fn choose_call(chance: &mut StdRng, url: &str) -> RandomAct {
    match chance.random_range(0..7) {
        0..=3 => {
            let contacts: Vec<Value> =
                (0..chance.random_range(1..4)).map(|_| json!({ "phone_number": choose_number(chance) })).collect();
            let body = json!({
                "list_id": LIST, "merge_type": "skipDuplicates", "contacts": contacts,
                "callback_url": format!("{url}/__hook/inbox"),
            });
            client_act("job", Request::post("/contacts/v1/contacts").json(&body))
        }
        4 => {
            let body = json!({ "name": format!("List {}", chance.random_range(0..9)) });
            client_act("list", Request::post(MAKE_LIST).json(&body))
        }
        5 => client_act("lists", Request::get("/contacts/v1/lists/")),
        _ => {
            let body = json!({ "n": chance.random_range(0..9) });
            client_act("called", Request::post("/__hook/inbox").json(&body))
        }
    }
}

/// Returns an act that arranges the faults and limits of a world.
fn choose_fault(chance: &mut StdRng) -> RandomAct {
    match chance.random_range(0..6) {
        0 => {
            let rules = [
                json!({ "match": { "operation": "lists.create" }, "effect": { "status": 503 }, "apply": { "first": 2 } }),
                json!({ "match": { "operation": "lists.query" }, "effect": { "status": 500 }, "apply": { "every": 3 } }),
                json!({ "effect": { "status": 502 }, "apply": { "probability": 0.2 } }),
            ];
            operator_act("rule", "POST", "/__admin/faults/rules", &pick_from(chance, &rules))
        }
        1 => {
            let profiles = [json!({ "name": "flaky" }), json!({ "name": "lossy-callbacks" }), json!({ "name": null })];
            operator_act("profile", "PUT", "/__admin/faults/profile", &pick_from(chance, &profiles))
        }
        2 => operator_act("magic", "PUT", "/__admin/faults/magic", &json!({ "enabled": chance.random_bool(0.5) })),
        3 => operator_act("prefer", "PUT", "/__admin/faults/prefer", &json!({ "enabled": chance.random_bool(0.5) })),
        4 => {
            let body = json!({ "seed": chance.random_range(1..5), "intensity": 0.2, "length": "1h" });
            operator_act("plan", "PUT", "/__admin/faults/plan", &body)
        }
        _ => {
            let body = json!({ "per_second": chance.random_range(20..40), "scope": "key" });
            operator_act("limits", "PATCH", "/__admin/limits", &body)
        }
    }
}

/// Returns an act on jobs, callbacks or a receiver.
fn choose_work(chance: &mut StdRng) -> RandomAct {
    match chance.random_range(0..7) {
        0 => {
            let policies = [
                json!({ "progress": "manual" }),
                json!({ "progress": "after", "after": "30s" }),
                json!({ "progress": "rate", "per_second": 1 }),
                json!({ "faults": [{ "fault": "fail", "first": 2 }] }),
                json!({ "faults": [{ "fault": "callback_first", "first": 2 }, { "fault": "finish_twice" }] }),
                json!({}),
            ];
            operator_act("job policy", "PUT", "/__admin/job_policy", &pick_from(chance, &policies))
        }
        1 => {
            let policies = [json!({ "delay": { "fixed": "20s" } }), json!({ "hold": true }), json!({})];
            operator_act("callback policy", "PUT", "/__admin/callback_policy", &pick_from(chance, &policies))
        }
        2 => {
            let answers =
                json!({ "answers": [500, { "status": 202, "body": "ok" }], "then": chance.random_range(200..205) });
            operator_act("receiver", "PUT", "/__admin/hooks/inbox", &answers)
        }
        3 => {
            let what = pick_from(chance, &["hold", "release", "cancel", "redeliver"]);
            let path = format!("/__admin/callbacks/{}/{what}", chance.random_range(1..12));
            operator_act(what, "POST", path, &json!({}))
        }
        _ => {
            let what = pick_from(chance, &["pause", "resume", "run", "step", "fail", "drop"]);
            let path = format!("/__admin/jobs/{}/{what}", chance.random_range(1..12));
            operator_act(what, "POST", path, &json!({}))
        }
    }
}

/// Returns an act on the data, the settings, the clock or the ids of a world.
fn choose_edit(chance: &mut StdRng) -> RandomAct {
    match chance.random_range(0..5) {
        0 => {
            let body = json!({ "status.list_create": chance.random_range(200..202) });
            operator_act("settings", "PATCH", "/__admin/settings", &body)
        }
        1 => {
            let body = json!({ "label": format!("F{}", chance.random_range(0..99)) });
            operator_act("field", "POST", "/__admin/custom_fields", &body)
        }
        2 => {
            let body = json!({ "name": format!("VIP {}", chance.random_range(0..9)) });
            operator_act("edit", "PATCH", format!("/__admin/state/lists/{LIST}"), &body)
        }
        3 => {
            let body = json!({ "seed": chance.random_range(0..9), "ids": pick_from(chance, &["sequence", "random"]) });
            operator_act("ids", "PATCH", "/__admin/random", &body)
        }
        _ => {
            let now = format!("2026-01-05T09:{:02}:00Z", chance.random_range(0..60));
            operator_act("clock", "PUT", "/__admin/clock", &json!({ "mode": "frozen", "now": now }))
        }
    }
}

/// Performs one of the acts that arrange a world or work in it, and returns what it was and how it was answered. What
/// follows from it is done when this returns.
pub(crate) fn perform_random_act(api: &Served, chance: &mut StdRng) -> String {
    let act = match chance.random_range(0..20) {
        0..=6 => choose_call(chance, api.url()),
        7..=10 => choose_fault(chance),
        11..=16 => choose_work(chance),
        _ => choose_edit(chance),
    };
    // Each has its own connection, so that none is sent again because a fault ended the connection before.
    let client = if act.by_operator { api.admin() } else { api.with_key("a-key") };
    let line = match client.try_send(&act.request) {
        Ok(answer) => format!("{}: {} {}", act.name, answer.status, text_without_real_time(&answer.text())),
        Err(_) => format!("{}: no answer", act.name),
    };
    wait_until_due_is_done(&api.admin());
    line
}

/// Removes what depends on the real time, which does not belong to the world.
fn text_without_real_time(text: &str) -> String {
    let Ok(mut body) = serde_json::from_str::<Value>(text) else { return text.to_owned() };
    if let Some(fields) = body.as_object_mut() {
        fields.remove("real_time");
        let attempts = fields.get_mut("attempts").and_then(Value::as_array_mut);
        attempts
            .into_iter()
            .flatten()
            .filter_map(Value::as_object_mut)
            .for_each(|attempt| drop(attempt.remove("went")));
    }
    body.to_string()
}

/// Waits until everything is done that proceeds before the clock is moved, so that the order is fixed.
fn wait_until_due_is_done(admin: &Client) {
    until("what is due is done", || {
        let jobs = admin.get("/__admin/jobs?page_size=100").items();
        let callbacks = admin.get("/__admin/callbacks?page_size=100").items();
        let now = admin.get("/__admin/clock").json()["now"].as_str().map(str::to_owned);
        let is_due = |one: &Value| one["next_at"].as_str().is_some_and(|at| Some(at) <= now.as_deref());
        let is_job_due = |job: &Value| job["state"] == "queued" && is_due(job);
        let is_callback_due =
            |callback: &Value| callback["under_way"] == true || callback["state"] == "waiting" && is_due(callback);
        (!jobs.iter().any(is_job_due) && !callbacks.iter().any(is_callback_due)).then_some(())
    });
}
