//! Requests that change something small, for which a person waits.

use std::fs;

use serde_json::{Value, json};

use super::{
    fill::{SMALL, id},
    queries::unwanted,
    samples::{Sample, plain, quick},
    world::{Asked, World},
};

pub fn all() -> Vec<Sample> {
    [around(), server(), lists(), contacts(), opt_outs(), links(), operator(), past()].into_iter().flatten().collect()
}

/// Returns a request to paste rows into a small list that has a few of them already.
pub fn pasted(w: &World, count: usize) -> Asked {
    let row = |number: &&String| json!({ "phone_number": number, "firstname": "Pasted", "city": "Leeds" });
    let contacts: Vec<_> = w.some_numbers(w.fresh() * 31, 1, count).iter().map(row).collect();
    Ok(json!({ "list": w.list(50), "contacts": contacts, "region": "GB" }))
}

/// Returns a request to import pasted numbers that are not opted out yet.
pub fn import(w: &World, run: usize, rows: usize) -> Value {
    let text = w.some_numbers(run * 2 * rows + 1, 2, rows).into_iter().cloned().collect::<Vec<_>>().join("\n");
    json!({ "text": text, "region": "GB", "channels": ["SMS"], "columns": null })
}

pub fn added(w: &World, from: usize, count: usize) -> Value {
    let entry = |number: &String| json!({ "number": number, "channels": ["SMS"], "asset": null });
    let entries: Vec<_> = w.some_numbers(from, 2, count).into_iter().map(entry).collect();
    json!({ "entries": entries, "reason": "Asked by mail", "region": null })
}

/// Returns a request to remove exactly what the preview showed.
pub fn removed(w: &World, from: usize, count: usize) -> Asked {
    let mut request = unwanted(w.some_numbers(from, 2, count));
    let shown = w.call("opt_out_removal_preview", request.clone())?;
    request["expected_count"] = shown["count"].clone();
    request["stamp"] = shown["stamp"].clone();
    request["reason"] = json!("A mistake");
    Ok(request)
}

pub fn imported(w: &World, run: usize, rows: usize) -> Asked {
    let shown = w.call("opt_out_import_preview", import(w, run, rows))?;
    Ok(json!({ "import": shown["import"], "typed_count": shown["counts"]["would_add"], "reason": "Old system" }))
}

pub fn links_made(w: &World, count: usize) -> Value {
    let run = w.fresh();
    let link = |n| json!({ "title": format!("New {run} {n}"), "target_url": format!("https://shop.example.com/new/{n}"), "tags": ["new"], "track_clicks": true });
    json!({ "links": (0..count).map(link).collect::<Vec<_>>() })
}

pub fn links_gone(w: &World, count: usize) -> Asked {
    let made = w.call("short_link_create", links_made(w, count))?;
    let uids: Vec<_> = made["links"].as_array().into_iter().flatten().map(|link| link["link_id"].clone()).collect();
    Ok(json!({ "uids": uids }))
}

/// Returns the newest entry of the trash.
pub fn in_trash(w: &World) -> Asked {
    let page = json!({ "noun": null, "page_number": 1, "page_size": 1 });
    Ok(w.call("trash_page", page)?["items"][0].clone())
}

/// Deletes a copy of a small list.
fn bin(w: &World) -> Asked {
    let (uid, name) = w.copy_of(9)?;
    w.call("list_delete", json!({ "uid": uid, "typed_name": name }))
}

fn around() -> Vec<Sample> {
    vec![
        quick("account_rename", "", |_, n| Ok(json!({ "name": format!("Shop {n}") }))),
        quick("account_recolour", "", |_, n| Ok(json!({ "colour": (["teal", "blue", "violet", "pink"][n % 4]) }))),
        quick("account_set_country", "", |_, n| Ok(json!({ "country": (["GB", "FR", "DE", "US"][n % 4]) }))),
        plain("account_retry", "nothing failed", json!({})),
        plain("account_pick", "the person answers at once", json!({})),
        quick("account_reveal", "", |w, _| {
            Ok(json!({ "path": w.call("account_list", json!({}))?["current"]["path"] }))
        }),
        quick("account_forget", "", |w, n| {
            let to = w.folder.join(format!("forgotten-{n}.roost"));
            fs::copy(w.folder.join(SMALL), &to)?;
            Ok(json!({ "path": to }))
        }),
        plain("desktop_notify", "", json!({ "title": "Done", "body": "The list is there." })),
        plain("desktop_new_window", "", json!({})),
        plain("desktop_browse", "", json!({ "url": "https://shop.example.com" })),
        plain("file_save", "100 kB", json!({ "name": "x", "kind": "csv", "content_base64": "YWJj".repeat(25_000) })),
        quick("preferences_put", "", |_, n| Ok(json!({ "patch": { "zoom": n } }))),
        quick("ui_state_put", "10 kB", |_, n| Ok(json!({ "key": "columns", "value": [n, "x".repeat(10_000)] }))),
        plain("task_cancel", "none of that number", json!({ "id": 9_999_999 })),
        plain("task_cancel_call", "none of that origin", json!({ "origin": "page.1" })),
    ]
}

fn server() -> Vec<Sample> {
    let start = json!({ "port": 0, "world": "account", "is_copy": false, "is_recording": true });
    let again = start.clone();
    vec![
        quick("server_record", "", |_, n| Ok(json!({ "on": n % 2 == 1 }))),
        plain("server_set", "", json!({ "name": "limits", "value": "off" })),
        quick("server_clear", "", |_, _| Ok(json!({}))),
        quick("server_start", "on the account", move |w, _| {
            w.call("server_stop", json!({}))?;
            Ok(start.clone())
        }),
        quick("server_stop", "", move |w, _| {
            w.call("server_stop", json!({}))?;
            w.call("server_start", again.clone())?;
            Ok(json!({}))
        }),
    ]
}

fn lists() -> Vec<Sample> {
    let name = |w: &World, what: &str| format!("{what} {}", w.fresh());
    vec![
        quick("list_create", "", move |w, _| Ok(json!({ "name": name(w, "New") }))),
        quick("list_pin", "", |w, n| Ok(json!({ "uid": w.list(n), "on": true }))),
        quick("list_note", "", |w, n| {
            Ok(json!({ "uid": w.list(8), "alias": format!("Alias {n}"), "note": "x".repeat(2_000) }))
        }),
        quick("list_rename", "100,000 contacts", move |w, _| {
            Ok(json!({ "uid": w.list(0), "name": name(w, "Renamed") }))
        }),
        quick("list_duplicate", "1,010 contacts", move |w, _| {
            Ok(json!({ "uid": w.list(9), "name": name(w, "Double") }))
        }),
        quick("list_merge_preview", "two of 1,010 into a third", move |w, _| {
            Ok(json!({ "from": [w.list(5), w.list(6)], "into": w.list(7) }))
        }),
        quick("list_merge", "two of 1,010 into a new one", move |w, _| {
            Ok(
                json!({ "from": [w.list(5), w.list(6)], "into": null, "name": name(w, "Merged"), "duplicates": "skip_phone", "delete_sources": false }),
            )
        }),
        quick("list_split", "1,010 in five", |w, _| {
            Ok(
                json!({ "uid": w.copy_of(9)?.0, "by": { "parts": 5 }, "names": "{name} {n}", "empty_value": "none", "delete_source": true }),
            )
        }),
        quick("list_combine", "two of 1,010", move |w, _| {
            Ok(
                json!({ "op": "union", "lists": [w.list(5), w.list(6)], "key": "phone", "with_those_without": false, "name": name(w, "Both") }),
            )
        }),
        quick("list_delete", "1,010 contacts", |w, _| {
            let (uid, name) = w.copy_of(9)?;
            Ok(json!({ "uid": uid, "typed_name": name }))
        }),
        quick("list_delete_many", "two of 1,010", |w, _| {
            Ok(json!({ "uids": [w.copy_of(9)?.0, w.copy_of(8)?.0], "typed_count": 2 }))
        }),
        quick("custom_field_rename", "", move |w, _| Ok(json!({ "number": 4, "label": name(w, "Label") }))),
        plain("custom_field_order", "", json!({ "numbers": [3, 2, 1] })),
    ]
}

fn contacts() -> Vec<Sample> {
    vec![
        quick("contact_update", "in 100,000", |w, n| {
            Ok(
                json!({ "uid": w.contacts(&w.list(0), 1)?[0], "fields": { "firstname": format!("Changed {n}") }, "region": null }),
            )
        }),
        quick("contact_paste", "100 rows", |w, _| pasted(w, 100)),
    ]
}

fn opt_outs() -> Vec<Sample> {
    vec![
        quick("opt_out_add", "100", |w, n| Ok(added(w, 1_001 + 2_000 * n, 100))),
        quick("opt_out_remove", "100", |w, n| removed(w, 1_001 + 2_000 * n, 100)),
        quick("opt_out_import", "100", |w, n| imported(w, 40 + n, 100)),
    ]
}

fn links() -> Vec<Sample> {
    vec![
        quick("short_link_create", "one", |w, _| Ok(links_made(w, 1))),
        quick("short_link_create", "100", |w, _| Ok(links_made(w, 100))),
        quick("short_link_delete", "100", |w, _| links_gone(w, 100)),
    ]
}

fn operator() -> Vec<Sample> {
    let asset = |w: &World| -> Asked {
        let number = format!("{}", 10_000 + w.fresh());
        Ok(w.call("asset_add", json!({ "channel": "SMS", "number": number }))?["asset"].clone())
    };
    let sender = |w: &World| w.call("sender_request", json!({ "name": format!("Try{}", w.fresh()) }));
    vec![
        quick("sender_request", "", |w, _| Ok(json!({ "name": format!("Ask{}", w.fresh()) }))),
        quick("sender_approve", "", move |w, _| Ok(json!({ "id": sender(w)?["id"] }))),
        quick("sender_refuse", "", move |w, _| Ok(json!({ "id": sender(w)?["id"] }))),
        quick("sender_delete", "", move |w, _| {
            let made = sender(w)?;
            Ok(json!({ "id": made["id"], "typed_name": made["name"] }))
        }),
        quick("asset_add", "", |w, _| Ok(json!({ "channel": "SMS", "number": format!("{}", 20_000 + w.fresh()) }))),
        quick("asset_remove", "", move |w, _| {
            let made = asset(w)?;
            Ok(json!({ "id": made["id"], "typed_number": made["number"] }))
        }),
        plain("asset_keywords", "", json!({ "id": id("num", 0), "keywords": ["STOP", "END", "QUIT"] })),
        quick("asset_enforce", "", |_, n| Ok(json!({ "id": id("num", 0), "on": n % 2 == 0 }))),
        quick("asset_inbound", "", |w, n| {
            Ok(json!({ "id": id("num", 0), "from": w.numbers[60_001 + n], "text": "STOP" }))
        }),
    ]
}

fn past() -> Vec<Sample> {
    let pin = |w: &World| {
        let on = w.fresh().is_multiple_of(2);
        w.call("list_pin", json!({ "uid": w.list(70), "on": !on }))?;
        w.call("list_pin", json!({ "uid": w.list(70), "on": on }))
    };
    vec![
        quick("history_undo", "a small act", move |w, _| pin(w).map(|_| json!({}))),
        quick("history_redo", "a small act", move |w, _| {
            pin(w)?;
            w.call("history_undo", json!({}))?;
            Ok(json!({}))
        }),
        quick("history_pass_over", "", move |w, _| pin(w).map(|_| json!({}))),
        quick("trash_restore", "a list of 1,010", |w, _| {
            bin(w)?;
            Ok(json!({ "step": in_trash(w)?["id"] }))
        }),
        quick("trash_purge", "a list of 1,010", |w, _| {
            bin(w)?;
            let step = in_trash(w)?;
            Ok(json!({ "steps": [step["id"]], "typed_count": step["count"] }))
        }),
    ]
}
