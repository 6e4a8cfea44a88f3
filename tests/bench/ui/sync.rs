//! Requests about the service, on a separate account that is connected to a copy of itself.

use std::{
    error::Error,
    io::{Read as _, Write as _},
    net::TcpStream,
    path::Path,
    thread::sleep,
    time::Duration,
};

use serde_json::{Value, json};

use super::{
    samples::{Sample, long, plain, quick},
    world::{Asked, World},
};

const SERVICE: &str = "waits for the service";
const SEALS: &str = "makes guessing a passphrase dear";
const PASSPHRASE: &str = "a passphrase of the bench";

/// Returns whether a command is measured on that account.
pub fn is_one(command: &str) -> bool {
    let noun = command.split('_').next().unwrap_or_default();
    matches!(noun, "connection" | "sync" | "changes" | "conflicts" | "plan" | "run" | "refused" | "audit")
}

fn saved(url: &Value, calls: u32) -> Value {
    json!({
        "name": "Service", "base_url": url, "header": "X-AUTH-KEY", "read_only": false, "plain_http": false,
        "calls_per_second": calls, "together": null, "paths": [],
    })
}

fn filter() -> Value {
    json!({ "text": "", "source": null, "field": null, "since": null, "step": null })
}

/// Waits until no work is running.
fn idle(w: &World) -> Result<(), Box<dyn Error>> {
    while !w.call("sync_status", json!({}))?["work"].is_null() {
        sleep(Duration::from_millis(10));
    }
    Ok(())
}

/// Opens an account that was pulled, edited, pushed, and edited again.
pub fn world(folder: &Path) -> Result<World, Box<dyn Error>> {
    let w = World::open(folder, vec!["+447700900001".to_owned(), "+447700900002".to_owned()]);
    w.call("account_create", json!({ "name": "Connected", "colour": "teal", "contents": "sample" }))?;
    for (name, value) in [("auth", "off"), ("limits", "off")] {
        w.call("server_set", json!({ "name": name, "value": value }))?;
    }
    let start = json!({ "port": 0, "world": "scratch", "is_copy": true, "is_recording": false });
    let url = w.call("server_start", start)?["running"]["url"].clone();
    w.call("connection_save", saved(&url, 9))?;
    w.call("sync_pull", json!({ "list": null, "full": true, "believe": false }))?;
    idle(&w)?;
    edit(&w, 20)?;
    w.call("run_start", planned(&w)?)?;
    idle(&w)?;
    edit(&w, 200)?;
    Ok(w)
}

fn largest_list(w: &World) -> Asked {
    let page = json!({
        "page_number": 1, "page_size": 1, "sort_by": "contact_count", "sort_order": "DESC", "name": null,
    });
    Ok(w.call("list_page", page)?["items"][0]["uid"].clone())
}

fn contacts(w: &World, count: usize) -> Result<Vec<Value>, Box<dyn Error>> {
    let list = largest_list(w)?;
    w.contacts(list.as_str().ok_or("no list")?, count)
}

fn edit(w: &World, count: usize) -> Result<(), Box<dyn Error>> {
    for uid in contacts(w, count)? {
        let fields = json!({ "city": format!("City {}", w.fresh()) });
        w.call("contact_update", json!({ "uid": uid, "fields": fields, "region": null }))?;
    }
    Ok(())
}

/// Makes a plan and returns the request that starts its run.
fn planned(w: &World) -> Asked {
    let plan = w.call("plan_make", json!({}))?;
    let typed: Vec<Value> = plan["gates"].as_array().into_iter().flatten().map(|gate| gate["wanted"].clone()).collect();
    Ok(json!({ "plan": plan["id"], "typed": typed }))
}

fn row(w: &World) -> Asked {
    let request = json!({ "noun": "contact", "list": null, "kind": null, "filter": filter(), "from": 0, "count": 1 });
    Ok(w.call("changes_rows", request)?["rows"][0]["key"].clone())
}

/// Deletes a contact at the service that was changed here.
fn dispute(w: &World) -> Result<(), Box<dyn Error>> {
    let uid = contacts(w, 1)?.into_iter().next().ok_or("no contact")?;
    let fields = json!({ "city": format!("City {}", w.fresh()) });
    w.call("contact_update", json!({ "uid": uid, "fields": fields, "region": null }))?;
    let known = w.call("connection_get", json!({}))?;
    let address = known["connection"]["base_url"].as_str().unwrap_or_default().trim_start_matches("http://").to_owned();
    let mut stream = TcpStream::connect(&address)?;
    let path = format!("/contacts/v1/contacts/{}", uid.as_str().unwrap_or_default());
    write!(stream, "DELETE {path} HTTP/1.1\r\nHost: {address}\r\nX-AUTH-KEY: bench\r\nConnection: close\r\n\r\n")?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    if !answer.starts_with("HTTP/1.1 204") {
        return Err(format!("the contact could not be deleted: {answer}").into());
    }
    w.call("sync_pull", json!({ "list": null, "full": true, "believe": true }))?;
    idle(w)
}

/// Settles a conflict and returns the number by which it can be reopened.
fn settled(w: &World) -> Asked {
    let first = || -> Asked {
        let request = json!({ "noun": null, "field": null, "from": 0, "count": 1 });
        Ok(w.call("conflicts_page", request)?["rows"][0]["key"].clone())
    };
    if first()?.is_null() {
        dispute(w)?;
    }
    let answer = json!({ "keys": [first()?], "field": null, "answer": { "answer": "mine" }, "alike": false });
    Ok(json!({ "settlement": w.call("conflicts_answer", answer)?["settlement"] }))
}

fn newest_run(w: &World) -> Asked {
    Ok(w.call("run_list", json!({}))?[0]["id"].clone())
}

fn newest_plan(w: &World) -> Asked {
    let plan = w.call("plan_make", json!({}))?;
    Ok(json!({ "plan": plan["id"], "step": plan["steps"][0]["id"] }))
}

pub fn all() -> Vec<Sample> {
    [standing(), reviewing(), sending(), waiting()].into_iter().flatten().collect()
}

fn standing() -> Vec<Sample> {
    vec![
        plain("connection_get", "", json!({})),
        quick("connection_save", "", |w, _| {
            Ok(saved(&w.call("connection_get", json!({}))?["connection"]["base_url"], 9))
        }),
        plain("sync_status", "", json!({})),
        plain("sync_pulled", "", json!({})),
        plain("sync_scopes", "", json!({})),
        plain("sync_stop", "nothing goes on", json!({})),
    ]
}

fn reviewing() -> Vec<Sample> {
    vec![
        plain("changes_summary", "", json!({ "filter": filter() })),
        quick("changes_count", "", |w, _| Ok(json!({ "list": largest_list(w)? }))),
        quick("changes_rows", "200", |_, _| {
            Ok(json!({ "noun": "contact", "list": null, "kind": null, "filter": filter(), "from": 0, "count": 200 }))
        }),
        quick("changes_hold", "all contacts", |_, n| {
            let group = json!({ "noun": "contact", "list": null, "kind": null });
            Ok(json!({ "keys": null, "group": group, "step": null, "held": n % 2 == 0 }))
        }),
        quick("changes_hold_column", "", |_, n| Ok(json!({ "field": "city", "held": n % 2 == 0 }))),
        quick("changes_discard", "one", |w, _| {
            edit(w, 200)?;
            Ok(json!({ "keys": [row(w)?], "group": null, "step": null }))
        }),
        plain("conflicts_page", "", json!({ "noun": null, "field": null, "from": 0, "count": 200 })),
        plain(
            "conflicts_answer",
            "nothing",
            json!({ "keys": [], "field": "city", "answer": { "answer": "mine" }, "alike": false }),
        ),
        quick("conflicts_reopen", "", |w, _| settled(w)),
        plain("conflicts_choose", "taken back", json!({ "key": { "noun": "list", "id": "1" }, "choice": null })),
        plain("conflicts_rule", "", json!({ "field": "city", "rule": "ask" })),
    ]
}

fn sending() -> Vec<Sample> {
    vec![
        plain("plan_make", "200 edits", json!({})),
        plain("plan_get", "", json!({ "plan": null })),
        quick("plan_choose", "taken back", |w, _| Ok(json!({ "key": row(w)?, "choice": null, "alike": false }))),
        quick("plan_hold", "", |w, _| {
            let mut request = newest_plan(w)?;
            request["held"] = json!(false);
            Ok(request)
        }),
        quick("plan_body", "", |w, _| {
            let mut request = newest_plan(w)?;
            request["masked"] = json!(true);
            Ok(request)
        }),
        quick("plan_export", "", |w, _| Ok(json!({ "plan": newest_plan(w)?["plan"], "format": "markdown" }))),
        plain("run_list", "", json!({})),
        quick("run_get", "", |w, _| Ok(json!({ "run": newest_run(w)? }))),
        quick("run_attempts", "", |w, _| Ok(json!({ "run": newest_run(w)?, "step": null }))),
        quick("run_report", "", |w, _| Ok(json!({ "run": newest_run(w)?, "format": "json" }))),
        quick("run_undo_preview", "", |w, _| Ok(json!({ "run": newest_run(w)? }))),
        quick("run_undo", "20 edits", |w, _| Ok(json!({ "run": newest_run(w)? }))),
        plain("run_pause", "nothing goes on", json!({})),
        plain("refused_page", "", json!({ "from": 0, "count": 200 })),
        quick("refused_mend", "", |w, n| {
            Ok(json!({ "key": row(w)?, "field": "lastname", "value": format!("Name {n}") }))
        }),
        plain("refused_resend", "nothing", json!({ "keys": [] })),
        plain("audit_page", "", json!({ "from": 0, "count": 200 })),
    ]
}

/// Makes a plan for this many lists, each with its own call, at a pace that leaves time to measure.
fn slow_plan(w: &World) -> Asked {
    let url = w.call("connection_get", json!({}))?["connection"]["base_url"].clone();
    w.call("connection_save", saved(&url, 1))?;
    for _ in 0..8 {
        w.call("list_create", json!({ "name": format!("Made here {}", w.fresh()) }))?;
    }
    planned(w)
}

fn waiting() -> Vec<Sample> {
    let key = |keep: &str| json!({ "key": "key-of-the-bench-0123456789", "keep": keep, "passphrase": PASSPHRASE });
    vec![
        long("connection_test", "", SERVICE, |_, _| Ok(json!({}))),
        long("sync_pull", "", SERVICE, |w, _| {
            idle(w)?;
            Ok(json!({ "list": null, "full": false, "believe": false }))
        }),
        long("connection_key_set", "sealed", SEALS, move |w, _| {
            idle(w)?;
            Ok(key("sealed"))
        }),
        long("connection_key_unlock", "", SEALS, |_, _| Ok(json!({ "passphrase": PASSPHRASE }))),
        long("connection_key_forget", "", SEALS, |_, _| Ok(json!({}))),
        long("run_start", "", SERVICE, |w, _| {
            idle(w)?;
            slow_plan(w)
        }),
        long("run_resume", "", SERVICE, |w, _| {
            w.call("run_pause", json!({}))?;
            idle(w)?;
            Ok(json!({ "run": newest_run(w)? }))
        }),
        long("run_cancel", "", SERVICE, |_, _| Ok(json!({}))),
        long("connection_probe", "", SERVICE, |w, _| {
            idle(w)?;
            Ok(json!({ "scratch": false }))
        }),
        long("connection_forget", "", SERVICE, |w, _| {
            idle(w)?;
            Ok(json!({}))
        }),
    ]
}
