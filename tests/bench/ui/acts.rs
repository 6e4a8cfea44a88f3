//! Requests that change something small, for which a person waits.

use std::fs;

use serde_json::{Value, json};

use super::{
    fill::{SMALL, make_id},
    queries::unwanted_request,
    samples::{CommandSample, plain_sample, quick_sample},
    world::{BenchWorld, CommandResult},
};

pub(super) fn all_samples() -> Vec<CommandSample> {
    [
        account_samples(),
        server_samples(),
        list_samples(),
        contact_samples(),
        opt_out_samples(),
        link_samples(),
        operator_samples(),
        past_samples(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Returns a request to paste rows into a small list that has a few of them already.
pub(super) fn paste_request(w: &BenchWorld, count: usize) -> CommandResult {
    let row = |number: &&String| json!({ "phone_number": number, "firstname": "Pasted", "city": "Leeds" });
    let contacts: Vec<_> = w.some_numbers(w.next_number() * 31, 1, count).iter().map(row).collect();
    Ok(json!({ "list": w.list_uid(50), "contacts": contacts, "region": "GB" }))
}

/// Returns a request to import pasted numbers that are not opted out yet.
pub(super) fn import_request(w: &BenchWorld, run: usize, rows: usize) -> Value {
    let text = w.some_numbers(run * 2 * rows + 1, 2, rows).into_iter().cloned().collect::<Vec<_>>().join("\n");
    json!({ "text": text, "region": "GB", "channels": ["SMS"], "columns": null })
}

pub(super) fn add_request(w: &BenchWorld, from: usize, count: usize) -> Value {
    let entry = |number: &String| json!({ "number": number, "channels": ["SMS"], "asset": null });
    let entries: Vec<_> = w.some_numbers(from, 2, count).into_iter().map(entry).collect();
    json!({ "entries": entries, "reason": "Asked by mail", "region": null })
}

/// Returns a request to remove exactly what the preview showed.
pub(super) fn removal_request(w: &BenchWorld, from: usize, count: usize) -> CommandResult {
    let mut request = unwanted_request(w.some_numbers(from, 2, count));
    let shown = w.run_command("opt_out_removal_preview", request.clone())?;
    request["expected_count"] = shown["count"].clone();
    request["stamp"] = shown["stamp"].clone();
    request["reason"] = json!("A mistake");
    Ok(request)
}

pub(super) fn import_opt_outs(w: &BenchWorld, run: usize, rows: usize) -> CommandResult {
    let shown = w.run_command("opt_out_import_preview", import_request(w, run, rows))?;
    Ok(json!({ "import": shown["import"], "typed_count": shown["counts"]["would_add"], "reason": "Old system" }))
}

pub(super) fn link_creation_request(w: &BenchWorld, count: usize) -> Value {
    let run = w.next_number();
    let link = |n| json!({ "title": format!("New {run} {n}"), "target_url": format!("https://shop.example.com/new/{n}"), "tags": ["new"], "track_clicks": true });
    json!({ "links": (0..count).map(link).collect::<Vec<_>>() })
}

pub(super) fn link_deletion_request(w: &BenchWorld, count: usize) -> CommandResult {
    let made = w.run_command("short_link_create", link_creation_request(w, count))?;
    let uids: Vec<_> = made["links"].as_array().into_iter().flatten().map(|link| link["link_id"].clone()).collect();
    Ok(json!({ "uids": uids }))
}

/// Returns the newest entry of the trash.
pub(super) fn newest_trash_entry(w: &BenchWorld) -> CommandResult {
    let page = json!({ "noun": null, "page_number": 1, "page_size": 1 });
    Ok(w.run_command("trash_page", page)?["items"][0].clone())
}

/// Deletes a copy of a small list.
fn delete_list_copy(w: &BenchWorld) -> CommandResult {
    let (uid, name) = w.copy_of(9)?;
    w.run_command("list_delete", json!({ "uid": uid, "typed_name": name }))
}

fn account_samples() -> Vec<CommandSample> {
    vec![
        quick_sample("account_rename", "", |_, n| Ok(json!({ "name": format!("Shop {n}") }))),
        quick_sample("account_recolour", "", |_, n| {
            Ok(json!({ "colour": (["teal", "blue", "violet", "pink"][n % 4]) }))
        }),
        quick_sample("account_set_country", "", |_, n| Ok(json!({ "country": (["GB", "FR", "DE", "US"][n % 4]) }))),
        plain_sample("account_retry", "nothing failed", json!({})),
        quick_sample("account_way_back", "no copies", |w, n| empty_account(w, "lost", n)),
        plain_sample("account_pick", "the person answers at once", json!({})),
        quick_sample("account_reveal", "", |w, _| {
            Ok(json!({ "path": w.run_command("account_list", json!({}))?["current"]["path"] }))
        }),
        quick_sample("account_forget", "", |w, n| {
            let to = w.folder.join(format!("forgotten-{n}.roost"));
            fs::copy(w.folder.join(SMALL), &to)?;
            Ok(json!({ "path": to }))
        }),
        plain_sample("desktop_notify", "", json!({ "title": "Done", "body": "The list is there." })),
        plain_sample("desktop_new_window", "", json!({})),
        plain_sample("desktop_browse", "", json!({ "url": "https://shop.example.com" })),
        quick_sample("crash_report_reveal", "", |w, _| {
            let crashes = w.folder.join("crashes");
            fs::create_dir_all(&crashes)?;
            fs::write(crashes.join("roost-desktop-20260105-090000-7-0.txt"), "a report")?;
            Ok(json!({}))
        }),
        plain_sample(
            "file_save",
            "100 kB",
            json!({ "name": "x", "kind": "csv", "content_base64": "YWJj".repeat(25_000) }),
        ),
        quick_sample("preferences_put", "", |_, n| Ok(json!({ "patch": { "zoom": n } }))),
        quick_sample("ui_state_put", "10 kB", |_, n| Ok(json!({ "key": "columns", "value": [n, "x".repeat(10_000)] }))),
        plain_sample("task_cancel", "none of that number", json!({ "id": 9_999_999 })),
        plain_sample("task_cancel_call", "none of that origin", json!({ "origin": "page.1" })),
    ]
}

/// Leaves an empty file where an account was.
fn empty_account(w: &BenchWorld, name: &str, n: usize) -> CommandResult {
    let path = w.folder.join(format!("{name}-{n}.roost"));
    fs::write(&path, "")?;
    Ok(json!({ "path": path }))
}

fn server_samples() -> Vec<CommandSample> {
    let start = json!({ "port": 0, "world": "account", "is_copy": false, "is_recording": true });
    let again = start.clone();
    vec![
        quick_sample("server_record", "", |_, n| Ok(json!({ "on": n % 2 == 1 }))),
        plain_sample("server_set", "", json!({ "name": "limits", "value": "off" })),
        quick_sample("server_clear", "", |_, _| Ok(json!({}))),
        quick_sample("server_start", "on the account", move |w, _| {
            w.run_command("server_stop", json!({}))?;
            Ok(start.clone())
        }),
        quick_sample("server_stop", "", move |w, _| {
            w.run_command("server_stop", json!({}))?;
            w.run_command("server_start", again.clone())?;
            Ok(json!({}))
        }),
    ]
}

fn list_samples() -> Vec<CommandSample> {
    let name = |w: &BenchWorld, what: &str| format!("{what} {}", w.next_number());
    vec![
        quick_sample("list_create", "", move |w, _| Ok(json!({ "name": name(w, "New") }))),
        quick_sample("list_pin", "", |w, n| Ok(json!({ "uid": w.list_uid(n), "on": true }))),
        quick_sample("list_note", "", |w, n| {
            Ok(json!({ "uid": w.list_uid(8), "alias": format!("Alias {n}"), "note": "x".repeat(2_000) }))
        }),
        quick_sample("list_rename", "100,000 contacts", move |w, _| {
            Ok(json!({ "uid": w.list_uid(0), "name": name(w, "Renamed") }))
        }),
        quick_sample("list_duplicate", "1,010 contacts", move |w, _| {
            Ok(json!({ "uid": w.list_uid(9), "name": name(w, "Double") }))
        }),
        quick_sample("list_merge_preview", "two of 1,010 into a third", move |w, _| {
            Ok(json!({ "from": [w.list_uid(5), w.list_uid(6)], "into": w.list_uid(7) }))
        }),
        quick_sample("list_merge", "two of 1,010 into a new one", move |w, _| {
            Ok(
                json!({ "from": [w.list_uid(5), w.list_uid(6)], "into": null, "name": name(w, "Merged"), "duplicates": "skip_phone", "delete_sources": false }),
            )
        }),
        quick_sample("list_split", "1,010 in five", |w, _| {
            Ok(
                json!({ "uid": w.copy_of(9)?.0, "by": { "parts": 5 }, "names": "{name} {n}", "empty_value": "none", "delete_source": true }),
            )
        }),
        quick_sample("list_combine", "two of 1,010", move |w, _| {
            Ok(
                json!({ "op": "union", "lists": [w.list_uid(5), w.list_uid(6)], "key": "phone", "with_those_without": false, "name": name(w, "Both") }),
            )
        }),
        quick_sample("list_delete", "1,010 contacts", |w, _| {
            let (uid, name) = w.copy_of(9)?;
            Ok(json!({ "uid": uid, "typed_name": name }))
        }),
        quick_sample("list_delete_many", "two of 1,010", |w, _| {
            Ok(json!({ "uids": [w.copy_of(9)?.0, w.copy_of(8)?.0], "typed_count": 2 }))
        }),
        quick_sample("custom_field_rename", "", move |w, _| Ok(json!({ "number": 4, "label": name(w, "Label") }))),
        plain_sample("custom_field_order", "", json!({ "numbers": [3, 2, 1] })),
    ]
}

fn contact_samples() -> Vec<CommandSample> {
    vec![
        quick_sample("contact_update", "in 100,000", |w, n| {
            Ok(
                json!({ "uid": w.newest_contacts(&w.list_uid(0), 1)?[0], "fields": { "firstname": format!("Changed {n}") }, "region": null }),
            )
        }),
        quick_sample("contact_paste", "100 rows", |w, _| paste_request(w, 100)),
    ]
}

fn opt_out_samples() -> Vec<CommandSample> {
    vec![
        quick_sample("opt_out_add", "100", |w, n| Ok(add_request(w, 1_001 + 2_000 * n, 100))),
        quick_sample("opt_out_remove", "100", |w, n| removal_request(w, 1_001 + 2_000 * n, 100)),
        quick_sample("opt_out_import", "100", |w, n| import_opt_outs(w, 40 + n, 100)),
    ]
}

fn link_samples() -> Vec<CommandSample> {
    vec![
        quick_sample("short_link_create", "one", |w, _| Ok(link_creation_request(w, 1))),
        quick_sample("short_link_create", "100", |w, _| Ok(link_creation_request(w, 100))),
        quick_sample("short_link_delete", "100", |w, _| link_deletion_request(w, 100)),
    ]
}

fn operator_samples() -> Vec<CommandSample> {
    let asset = |w: &BenchWorld| -> CommandResult {
        let number = format!("{}", 10_000 + w.next_number());
        Ok(w.run_command("asset_add", json!({ "channel": "SMS", "number": number }))?["asset"].clone())
    };
    let sender = |w: &BenchWorld| w.run_command("sender_request", json!({ "name": format!("Try{}", w.next_number()) }));
    vec![
        quick_sample("sender_request", "", |w, _| Ok(json!({ "name": format!("Ask{}", w.next_number()) }))),
        quick_sample("sender_approve", "", move |w, _| Ok(json!({ "id": sender(w)?["id"] }))),
        quick_sample("sender_refuse", "", move |w, _| Ok(json!({ "id": sender(w)?["id"] }))),
        quick_sample("sender_delete", "", move |w, _| {
            let made = sender(w)?;
            Ok(json!({ "id": made["id"], "typed_name": made["name"] }))
        }),
        quick_sample("asset_add", "", |w, _| {
            Ok(json!({ "channel": "SMS", "number": format!("{}", 20_000 + w.next_number()) }))
        }),
        quick_sample("asset_remove", "", move |w, _| {
            let made = asset(w)?;
            Ok(json!({ "id": made["id"], "typed_number": made["number"] }))
        }),
        plain_sample("asset_keywords", "", json!({ "id": make_id("num", 0), "keywords": ["STOP", "END", "QUIT"] })),
        quick_sample("asset_enforce", "", |_, n| Ok(json!({ "id": make_id("num", 0), "on": n % 2 == 0 }))),
        quick_sample("asset_inbound", "", |w, n| {
            Ok(json!({ "id": make_id("num", 0), "from": w.numbers[60_001 + n], "text": "STOP" }))
        }),
    ]
}

fn past_samples() -> Vec<CommandSample> {
    let pin = |w: &BenchWorld| {
        let on = w.next_number().is_multiple_of(2);
        w.run_command("list_pin", json!({ "uid": w.list_uid(70), "on": !on }))?;
        w.run_command("list_pin", json!({ "uid": w.list_uid(70), "on": on }))
    };
    vec![
        quick_sample("history_undo", "a small act", move |w, _| pin(w).map(|_| json!({}))),
        quick_sample("history_redo", "a small act", move |w, _| {
            pin(w)?;
            w.run_command("history_undo", json!({}))?;
            Ok(json!({}))
        }),
        quick_sample("history_pass_over", "", move |w, _| pin(w).map(|_| json!({}))),
        quick_sample("trash_restore", "a list of 1,010", |w, _| {
            delete_list_copy(w)?;
            Ok(json!({ "step": newest_trash_entry(w)?["id"] }))
        }),
        quick_sample("trash_purge", "a list of 1,010", |w, _| {
            delete_list_copy(w)?;
            let step = newest_trash_entry(w)?;
            Ok(json!({ "steps": [step["id"]], "typed_count": step["count"] }))
        }),
    ]
}
