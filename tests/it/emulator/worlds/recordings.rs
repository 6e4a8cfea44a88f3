//! With a frozen clock, the effects of a request are complete before its answer, so a recording is the same on a busy
//! machine.

use std::{
    fmt::Write as _,
    sync::atomic::{AtomicBool, Ordering},
    thread,
};

use roost_emulator::Journal;
use roost_tests::{Client, Request, Served, Setup, seeds};
use serde_json::{Value, json};

use super::{MAKE_LIST, create_world};
use crate::{emulator::determinism::is_same, rest::contacts_of};

const START: &str = "2026-01-05T09:00:00Z";

/// Returns the number of recordings. `make soak` sets it to a thousand.
fn recording_count() -> usize {
    std::env::var("ROOST_RECORDINGS").ok().and_then(|text| text.parse().ok()).unwrap_or(50)
}

/// Records a seeded world with a frozen clock: jobs, callbacks, their retries, and the work that an advanced clock
/// brings.
fn record_world(api: &Served) -> String {
    let options = json!({ "name": "recorded", "seed": 7, "clock": { "mode": "frozen", "now": START } });
    let world = create_world(api, &options);
    let (client, admin) = (api.with_key(&world.key), api.with_token(&world.token));
    let mut written = String::new();
    let mut ask = |client: &Client, request: Request| {
        let answer = client.send(request.clone());
        // The duration and the real time depend on the machine.
        let mut response = answer.json();
        response
            .as_object_mut()
            .into_iter()
            .for_each(|fields| fields.retain(|name, _| !["took_ms", "real"].contains(&name.as_str())));
        writeln!(written, "{} {} {response}", request.target, answer.status).expect("a text takes more");
        response
    };
    ask(&admin, Request::new("PUT", "/__admin/hooks/inbox").json(&json!({ "answers": [500, 503], "then": 204 })));
    let list = ask(&client, Request::post(MAKE_LIST).json(&json!({ "name": "Recorded" })))["uid"].clone();
    for (n, far) in ["0s", "1s", "60s", "2m"].iter().enumerate() {
        let contacts: Vec<Value> = (0..3).map(|k| json!({ "phone_number": seeds::mobile(10 * n + k) })).collect();
        let body = json!({
            "list_id": list, "merge_type": "skipDuplicates", "contacts": contacts, "correlation_id": format!("run-{n}"),
            "callback_url": format!("{}/__hook/recorded/inbox", api.url()),
        });
        ask(&client, Request::post("/contacts/v1/contacts").json(&body));
        ask(&admin, Request::post("/__admin/clock/advance").json(&json!({ "by": far })));
        ask(&client, Request::get(contacts_of(list.as_str().expect("an id"))));
    }
    ask(&admin, Request::post("/__admin/clock/advance").json(&json!({ "until": "idle" })));
    ask(&admin, Request::get("/__admin/jobs"));
    ask(&admin, Request::get("/__admin/export"));
    let calls = admin.get("/__admin/hooks/inbox").items();
    assert_eq!(calls.len(), 6, "four callbacks, and two once more");
    let came = calls.iter().map(|call| format!("{} {} {}", call["at"], call["callback_id"], call["body"]));
    writeln!(written, "{}", came.collect::<Vec<_>>().join("\n")).expect("a text takes more");
    writeln!(written, "{}", admin.get("/__admin/requests?stable=true&limit=1000").text()).expect("a text takes more");
    api.admin().delete("/__admin/worlds/recorded").expect(204);
    written
}

#[test]
fn a_frozen_recording_gives_the_same_bytes_each_time_under_load() {
    let mut setup = Setup::new().at(START);
    setup.config.journal = Journal::new_recording();
    let api = setup.serve();
    let first = record_world(&api);
    assert!(first.matches("\"what\":\"callback\"").count() >= 2, "retries come with the clock: {first}");
    let is_over = AtomicBool::new(false);
    thread::scope(|threads| {
        // More threads than cores, in other worlds and beside the server.
        for n in 0..4 {
            let (api, is_over) = (&api, &is_over);
            threads.spawn(move || {
                let busy = create_world(api, &json!({ "settings": { "limits": "off" } }));
                let client = api.with_key(&busy.key);
                while !is_over.load(Ordering::Relaxed) {
                    if n % 2 == 0 {
                        client.post(MAKE_LIST, &json!({ "name": "busy" })).expect(200);
                    } else {
                        std::hint::black_box((0..50_000_u64).fold(0, |sum: u64, k| sum.wrapping_mul(31) ^ k));
                    }
                }
            });
        }
        let differs =
            (1..recording_count()).find_map(|n| Some((n, record_world(&api))).filter(|(_, again)| *again != first));
        is_over.store(true, Ordering::Relaxed);
        if let Some((n, again)) = differs {
            is_same(&format!("recordings 0 and {n}: lines"), &first, &again);
        }
    });
}
