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
    RUNS,
    samples::{CommandSample, long_sample, plain_sample, quick_sample},
    world::{BenchWorld, CommandResult},
};

const SERVICE: &str = "waits for the service";
const SEALS: &str = "makes guessing a passphrase dear";
const PASSPHRASE: &str = "a passphrase of the bench";

/// Returns whether a command is measured on that account.
pub(super) fn is_one(command: &str) -> bool {
    let noun = command.split('_').next().unwrap_or_default();
    matches!(noun, "connection" | "sync" | "changes" | "conflicts" | "field" | "plan" | "run" | "refused" | "audit")
}

fn save_request(url: &Value, calls: u32) -> Value {
    json!({
        "name": "Service", "base_url": url, "header": "X-AUTH-KEY", "read_only": false, "plain_http": false,
        "calls_per_second": calls, "together": null, "paths": [],
    })
}

fn empty_filter() -> Value {
    json!({ "text": "", "source": null, "field": null, "since": null, "step": null })
}

/// Waits until no work is running.
fn wait_until_idle(w: &BenchWorld) -> Result<(), Box<dyn Error>> {
    while !w.run_command("sync_status", json!({}))?["work"].is_null() {
        sleep(Duration::from_millis(10));
    }
    Ok(())
}

/// Opens an account that was pulled, edited, pushed, and edited again.
pub(super) fn synced_world(folder: &Path) -> Result<BenchWorld, Box<dyn Error>> {
    let w = BenchWorld::open(folder, vec!["+447700900001".to_owned(), "+447700900002".to_owned()]);
    w.run_command("account_create", json!({ "name": "Connected", "colour": "teal", "contents": "sample" }))?;
    for n in 0..RUNS {
        w.run_command("custom_field_add", json!({ "label": format!("Clash {n}") }))?;
    }
    for (name, value) in [("auth", "off"), ("limits", "off")] {
        w.run_command("server_set", json!({ "name": name, "value": value }))?;
    }
    let start = json!({ "port": 0, "world": "scratch", "is_copy": true, "is_recording": false });
    let url = w.run_command("server_start", start)?["running"]["url"].clone();
    w.run_command("connection_save", save_request(&url, 9))?;
    w.run_command("sync_pull", json!({ "list": null, "full": true, "believe": false }))?;
    wait_until_idle(&w)?;
    edit_contacts(&w, 20)?;
    w.run_command("run_start", plan_request(&w)?)?;
    wait_until_idle(&w)?;
    edit_contacts(&w, 200)?;
    Ok(w)
}

fn largest_list(w: &BenchWorld) -> CommandResult {
    let page = json!({
        "page_number": 1, "page_size": 1, "sort_by": "contact_count", "sort_order": "DESC", "name": null,
    });
    Ok(w.run_command("list_page", page)?["items"][0]["uid"].clone())
}

fn pick_contacts(w: &BenchWorld, count: usize) -> Result<Vec<Value>, Box<dyn Error>> {
    let list = largest_list(w)?;
    w.newest_contacts(list.as_str().ok_or("no list")?, count)
}

fn edit_contacts(w: &BenchWorld, count: usize) -> Result<(), Box<dyn Error>> {
    for uid in pick_contacts(w, count)? {
        let fields = json!({ "city": format!("City {}", w.next_number()) });
        w.run_command("contact_update", json!({ "uid": uid, "fields": fields, "region": null }))?;
    }
    Ok(())
}

/// Makes a plan and returns the request that starts its run.
fn plan_request(w: &BenchWorld) -> CommandResult {
    let plan = w.run_command("plan_make", json!({}))?;
    let typed: Vec<Value> = plan["gates"].as_array().into_iter().flatten().map(|gate| gate["wanted"].clone()).collect();
    Ok(json!({ "plan": plan["id"], "typed": typed }))
}

fn first_row(w: &BenchWorld) -> CommandResult {
    let request =
        json!({ "noun": "contact", "list": null, "kind": null, "filter": empty_filter(), "from": 0, "count": 1 });
    Ok(w.run_command("changes_rows", request)?["rows"][0]["key"].clone())
}

/// Deletes a contact at the service that was changed here.
fn make_dispute(w: &BenchWorld) -> Result<(), Box<dyn Error>> {
    let uid = pick_contacts(w, 1)?.into_iter().next().ok_or("no contact")?;
    let fields = json!({ "city": format!("City {}", w.next_number()) });
    w.run_command("contact_update", json!({ "uid": uid, "fields": fields, "region": null }))?;
    let path = format!("/contacts/v1/contacts/{}", uid.as_str().unwrap_or_default());
    send_to_service(w, "DELETE", &path, "")?;
    pull_everything(w)
}

/// Gives every field that was named for it a value at the service, so that each may be a different one there.
fn make_clashes(w: &BenchWorld) -> Result<(), Box<dyn Error>> {
    let fields = w.run_command("custom_field_all", json!({}))?;
    let mut contact = json!({ "phone_number": "+447700900099" });
    for field in fields["fields"].as_array().into_iter().flatten() {
        if field["label"].as_str().is_some_and(|label| label.starts_with("Clash ")) {
            contact[format!("field_{}", field["number"])] = json!("Gold");
        }
    }
    let body = json!({ "list_id": largest_list(w)?, "merge_type": "allowDuplicates", "contacts": [contact] });
    send_to_service(w, "POST", "/contacts/v1/contacts", &body.to_string())?;
    let mut clashes = 0;
    for _ in 0..20 {
        pull_everything(w)?;
        clashes = w.run_command("field_clash_all", json!({}))?["clashes"].as_array().map_or(0, Vec::len);
        if clashes >= RUNS {
            return Ok(());
        }
        sleep(Duration::from_millis(500));
    }
    Err(format!("{clashes} fields clash with the service, and {RUNS} should").into())
}

/// Sends a request past Roost, as another program would.
fn send_to_service(w: &BenchWorld, method: &str, path: &str, body: &str) -> Result<(), Box<dyn Error>> {
    let known = w.run_command("connection_get", json!({}))?;
    let address = known["connection"]["base_url"].as_str().unwrap_or_default().trim_start_matches("http://").to_owned();
    let mut stream = TcpStream::connect(&address)?;
    write!(
        stream,
        "{method} {path} HTTP/1.1\r\nHost: {address}\r\nX-AUTH-KEY: bench\r\nConnection: close\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    if !answer.starts_with("HTTP/1.1 2") {
        return Err(format!("the service refused {method} {path}: {answer}").into());
    }
    Ok(())
}

fn pull_everything(w: &BenchWorld) -> Result<(), Box<dyn Error>> {
    w.run_command("sync_pull", json!({ "list": null, "full": true, "believe": true }))?;
    wait_until_idle(w)
}

/// Settles a conflict and returns the number by which it can be reopened.
fn settle_dispute(w: &BenchWorld) -> CommandResult {
    let first = || -> CommandResult {
        let request = json!({ "noun": null, "field": null, "from": 0, "count": 1 });
        Ok(w.run_command("conflicts_page", request)?["rows"][0]["key"].clone())
    };
    if first()?.is_null() {
        make_dispute(w)?;
    }
    let answer = json!({ "keys": [first()?], "field": null, "answer": { "answer": "mine" }, "alike": false });
    Ok(json!({ "settlement": w.run_command("conflicts_answer", answer)?["settlement"] }))
}

fn newest_run(w: &BenchWorld) -> CommandResult {
    Ok(w.run_command("run_list", json!({}))?[0]["id"].clone())
}

fn newest_plan(w: &BenchWorld) -> CommandResult {
    let plan = w.run_command("plan_make", json!({}))?;
    Ok(json!({ "plan": plan["id"], "step": plan["steps"][0]["id"] }))
}

pub(super) fn all_samples() -> Vec<CommandSample> {
    [status_samples(), review_samples(), send_samples(), waiting_samples()].into_iter().flatten().collect()
}

fn status_samples() -> Vec<CommandSample> {
    vec![
        plain_sample("connection_get", "", json!({})),
        quick_sample("connection_save", "", |w, _| {
            Ok(save_request(&w.run_command("connection_get", json!({}))?["connection"]["base_url"], 9))
        }),
        plain_sample("sync_status", "", json!({})),
        plain_sample("sync_pulled", "", json!({})),
        plain_sample("sync_scopes", "", json!({})),
        plain_sample("sync_stop", "nothing goes on", json!({})),
    ]
}

fn review_samples() -> Vec<CommandSample> {
    vec![
        plain_sample("changes_summary", "", json!({ "filter": empty_filter() })),
        quick_sample("changes_count", "", |w, _| Ok(json!({ "list": largest_list(w)? }))),
        quick_sample("changes_rows", "200", |_, _| {
            Ok(
                json!({ "noun": "contact", "list": null, "kind": null, "filter": empty_filter(), "from": 0, "count": 200 }),
            )
        }),
        quick_sample("changes_hold", "all contacts", |_, n| {
            let group = json!({ "noun": "contact", "list": null, "kind": null });
            Ok(json!({ "keys": null, "group": group, "step": null, "held": n % 2 == 0 }))
        }),
        quick_sample("changes_hold_column", "", |_, n| Ok(json!({ "field": "city", "held": n % 2 == 0 }))),
        plain_sample("field_clash_all", "", json!({})),
        quick_sample("field_clash_settle", "", |w, n| {
            if n == 0 {
                make_clashes(w)?;
            }
            let number = &w.run_command("field_clash_all", json!({}))?["clashes"][0]["number"];
            Ok(json!({ "number": number, "is_same": true }))
        }),
        quick_sample("changes_discard", "one", |w, _| {
            edit_contacts(w, 200)?;
            Ok(json!({ "keys": [first_row(w)?], "group": null, "step": null }))
        }),
        plain_sample("conflicts_page", "", json!({ "noun": null, "field": null, "from": 0, "count": 200 })),
        plain_sample(
            "conflicts_answer",
            "nothing",
            json!({ "keys": [], "field": "city", "answer": { "answer": "mine" }, "alike": false }),
        ),
        quick_sample("conflicts_reopen", "", |w, _| settle_dispute(w)),
        plain_sample("conflicts_choose", "taken back", json!({ "key": { "noun": "list", "id": "1" }, "choice": null })),
        plain_sample("conflicts_rule", "", json!({ "field": "city", "rule": "ask" })),
    ]
}

fn send_samples() -> Vec<CommandSample> {
    vec![
        plain_sample("plan_make", "200 edits", json!({})),
        plain_sample("plan_get", "", json!({ "plan": null })),
        quick_sample("plan_choose", "taken back", |w, _| {
            Ok(json!({ "key": first_row(w)?, "choice": null, "alike": false }))
        }),
        quick_sample("plan_hold", "", |w, _| {
            let mut request = newest_plan(w)?;
            request["held"] = json!(false);
            Ok(request)
        }),
        quick_sample("plan_body", "", |w, _| {
            let mut request = newest_plan(w)?;
            request["masked"] = json!(true);
            Ok(request)
        }),
        quick_sample("plan_export", "", |w, _| Ok(json!({ "plan": newest_plan(w)?["plan"], "format": "markdown" }))),
        plain_sample("run_list", "", json!({})),
        quick_sample("run_get", "", |w, _| Ok(json!({ "run": newest_run(w)? }))),
        quick_sample("run_attempts", "", |w, _| Ok(json!({ "run": newest_run(w)?, "step": null }))),
        quick_sample("run_report", "", |w, _| Ok(json!({ "run": newest_run(w)?, "format": "json" }))),
        quick_sample("run_undo_preview", "", |w, _| Ok(json!({ "run": newest_run(w)? }))),
        quick_sample("run_undo", "20 edits", |w, _| Ok(json!({ "run": newest_run(w)? }))),
        plain_sample("run_pause", "nothing goes on", json!({})),
        plain_sample("refused_page", "", json!({ "from": 0, "count": 200 })),
        quick_sample("refused_mend", "", |w, n| {
            Ok(json!({ "key": first_row(w)?, "field": "lastname", "value": format!("Name {n}") }))
        }),
        plain_sample("refused_resend", "nothing", json!({ "keys": [] })),
        plain_sample("audit_page", "", json!({ "from": 0, "count": 200 })),
    ]
}

/// Makes a plan for this many lists, each with its own call, at a pace that leaves time to measure.
fn slow_plan(w: &BenchWorld) -> CommandResult {
    let url = w.run_command("connection_get", json!({}))?["connection"]["base_url"].clone();
    w.run_command("connection_save", save_request(&url, 1))?;
    for _ in 0..8 {
        w.run_command("list_create", json!({ "name": format!("Made here {}", w.next_number()) }))?;
    }
    plan_request(w)
}

fn waiting_samples() -> Vec<CommandSample> {
    let key = |keep: &str| json!({ "key": "key-of-the-bench-0123456789", "keep": keep, "passphrase": PASSPHRASE });
    vec![
        long_sample("connection_test", "", SERVICE, |_, _| Ok(json!({}))),
        long_sample("sync_pull", "", SERVICE, |w, _| {
            wait_until_idle(w)?;
            Ok(json!({ "list": null, "full": false, "believe": false }))
        }),
        long_sample("connection_key_set", "sealed", SEALS, move |w, _| {
            wait_until_idle(w)?;
            Ok(key("sealed"))
        }),
        long_sample("connection_key_unlock", "", SEALS, |_, _| Ok(json!({ "passphrase": PASSPHRASE }))),
        long_sample("connection_key_forget", "", SEALS, |_, _| Ok(json!({}))),
        long_sample("run_start", "", SERVICE, |w, _| {
            wait_until_idle(w)?;
            slow_plan(w)
        }),
        long_sample("run_resume", "", SERVICE, |w, _| {
            w.run_command("run_pause", json!({}))?;
            wait_until_idle(w)?;
            Ok(json!({ "run": newest_run(w)? }))
        }),
        long_sample("run_cancel", "", SERVICE, |_, _| Ok(json!({}))),
        long_sample("connection_probe", "", SERVICE, |w, _| {
            wait_until_idle(w)?;
            Ok(json!({ "scratch": false }))
        }),
        long_sample("connection_forget", "", SERVICE, |w, _| {
            wait_until_idle(w)?;
            Ok(json!({}))
        }),
    ]
}
