//! Requests of the grid and of the clean-up, on the large list, and on copies of small ones if they change it.

use serde_json::{Value, json};

use super::{
    samples::{Sample, long, quick},
    world::{Asked, World},
};

const LARGE: usize = 0;
const SMALL: usize = 7;
const COLUMNS: [&str; 8] =
    ["phone_number", "title", "firstname", "lastname", "email_address", "city", "country", "field_1"];
const ROWS: &str = "writes a row for each contact";
const READS: &str = "reads all contacts of the list";

pub fn all() -> Vec<Sample> {
    [views(), reading(), cells(), rows(), saved(), long_acts(), duplicates(), clean()].into_iter().flatten().collect()
}

fn spec(list: &str) -> Value {
    let sort = [json!({ "field": "lastname", "order": "ASC" })];
    json!({ "list": list, "filter": null, "text": null, "sort": sort })
}

/// Repeats a request until the work is done.
fn waited(w: &World, command: &str, request: &Value, is_done: impl Fn(&Value) -> bool) -> Asked {
    loop {
        let state = w.call(command, request.clone())?;
        if let Some(fault) = state["fault"].as_str() {
            return Err(fault.into());
        }
        if is_done(&state) {
            return Ok(state);
        }
    }
}

/// Opens a view of a list and waits until it is built.
pub fn view(w: &World, list: &str) -> Asked {
    let view = w.call("grid_open", spec(list))?["view"].clone();
    let state = json!({ "view": view, "generation": null, "wait_ms": 1_000 });
    waited(w, "grid_state", &state, |state| state["is_building"] == false)?;
    Ok(view)
}

fn with(mut request: Value, name: &str, value: Value) -> Value {
    request[name] = value;
    request
}

/// A request about a view of the large list.
fn large(command: &'static str, what: &'static str, request: Value) -> Sample {
    quick(command, what, move |w, _| Ok(with(request.clone(), "view", view(w, &w.list(LARGE))?)))
}

/// A request about a view of a copy of a small list.
fn copied(command: &'static str, what: &'static str, request: Value) -> Sample {
    quick(command, what, move |w, _| Ok(with(request.clone(), "view", view(w, &w.copy_of(SMALL)?.0)?)))
}

fn views() -> Vec<Sample> {
    vec![
        quick("grid_open", "100,000 by last name", |w, _| Ok(spec(&w.list(LARGE)))),
        large("grid_state", "", json!({ "generation": null, "wait_ms": null })),
        large("grid_refresh", "", json!({})),
        large("grid_cancel", "", json!({})),
        large("grid_close", "", json!({})),
        large("grid_window", "200 in the middle", window(50_000)),
        large("grid_window", "the last 200", window(99_800)),
        large("grid_uid", "", json!({ "row": 50_000 })),
        quick("grid_locate", "", |w, _| {
            let view = view(w, &w.list(LARGE))?;
            let uid = w.call("grid_uid", json!({ "view": view, "row": 70_000 }))?["uid"].clone();
            Ok(json!({ "view": view, "uid": uid }))
        }),
    ]
}

fn window(from: u64) -> Value {
    json!({ "generation": null, "from": from, "count": 200, "columns": COLUMNS })
}

fn looked_for(text: &str) -> Value {
    json!({ "text": text, "regex": false, "case": false, "whole_cell": false, "columns": COLUMNS })
}

/// Returns a request for the next cell with a text, from the first cell.
fn looking(text: &str) -> Value {
    with(with(looked_for(text), "from", Value::Null), "backwards", json!(false))
}

fn reading() -> Vec<Sample> {
    vec![
        large("grid_summary", "1,000 rows", json!({ "rows": [[0, 1_000]], "columns": COLUMNS })),
        large("grid_find", "the next one", looking("lyon")),
        large("grid_problem", "none", json!({ "from": null, "backwards": false })),
        large("grid_drafts", "", json!({ "row": 5 })),
        large("grid_copy", "1,000 rows", json!({ "rows": [[0, 1_000]], "columns": COLUMNS, "headings": [] })),
    ]
}

fn block(count: usize) -> Value {
    let rows: Vec<_> = (0..count).map(|n| json!([format!("Title {n}"), "Bern"])).collect();
    json!({ "generation": null, "at": 10, "columns": ["title", "city"], "rows": rows, "into": null, "mode": "plain", "region": null })
}

fn cells() -> Vec<Sample> {
    let set = |to: u64| json!({ "generation": null, "rows": [[0, to]], "columns": ["city"], "act": { "set": "Bern" }, "preview": false });
    vec![
        quick("grid_edit", "one cell", |w, n| {
            let cells = [json!({ "row": 50_000 + n, "field": "city", "text": format!("Town {n}") })];
            Ok(json!({ "view": view(w, &w.list(LARGE))?, "generation": null, "cells": cells, "region": null }))
        }),
        copied("grid_act", "1,000 cells", set(1_000)),
        copied("grid_paste_preview", "500 rows", block(500)),
        copied("grid_paste", "500 rows", block(500)),
    ]
}

fn rows() -> Vec<Sample> {
    let some = json!({ "generation": null, "rows": [[0, 100]] });
    let sent = with(some.clone(), "duplicates", json!("keep"));
    let to = |request: Value| {
        move |w: &World, _| {
            let request = with(request.clone(), "list", json!(w.list(60)));
            Ok(with(request, "view", view(w, &w.copy_of(SMALL)?.0)?))
        }
    };
    let shown = to(some.clone());
    let named = with(some.clone(), "name", Value::Null);
    vec![
        quick("grid_add", "", |w, n| {
            let values = json!({ "phone_number": w.numbers[n * 3 + 2], "firstname": "Added" });
            Ok(json!({ "view": view(w, &w.copy_of(SMALL)?.0)?, "values": values, "region": null }))
        }),
        copied("grid_delete", "100", some.clone()),
        copied("grid_opt_out_preview", "100", some.clone()),
        quick("grid_send_preview", "100", shown),
        quick("grid_move", "100", to(sent.clone())),
        quick("grid_copy_to", "100", to(sent)),
        copied(
            "grid_opt_out",
            "100",
            with(with(with(some, "channels", json!(["SMS"])), "asset", Value::Null), "reason", json!("Asked")),
        ),
        quick("grid_new_list", "100", move |w, _| {
            let request = with(named.clone(), "name", json!(format!("Frozen {}", w.fresh())));
            Ok(with(request, "view", view(w, &w.list(LARGE))?))
        }),
    ]
}

fn save(w: &World) -> Value {
    json!({ "list": w.list(LARGE), "name": format!("View {}", w.fresh()), "spec": { "sort": [] } })
}

fn saved() -> Vec<Sample> {
    vec![
        quick("grid_view_save", "", |w, _| Ok(save(w))),
        quick("grid_view_list", "", |w, _| Ok(json!({ "list": w.list(LARGE) }))),
        quick("grid_view_rename", "", |w, _| {
            let uid = w.call("grid_view_save", save(w))?["uid"].clone();
            Ok(json!({ "uid": uid, "name": format!("Renamed {}", w.fresh()) }))
        }),
        quick("grid_view_delete", "", |w, _| Ok(json!({ "uid": w.call("grid_view_save", save(w))?["uid"] }))),
    ]
}

fn long_acts() -> Vec<Sample> {
    let aside = |command, what, why, request: Value| {
        long(command, what, why, move |w, _| Ok(with(request.clone(), "view", view(w, &w.list(LARGE))?)))
    };
    vec![
        aside("grid_find", "none in 100,000", READS, looking("nowhere")),
        aside("grid_find_count", "100,000", READS, looked_for("station")),
        aside("grid_facets", "100,000", READS, json!({ "field": "city", "most": 200 })),
        aside("grid_summary", "100,000", READS, json!({ "rows": [[0, 100_000]], "columns": COLUMNS })),
        aside(
            "grid_edge",
            "to the end of a full column",
            "waits for the texts of the list, which are read once",
            json!({ "generation": null, "row": 0, "column": "city", "direction": "down" }),
        ),
        aside(
            "grid_act",
            "100,000 cells",
            ROWS,
            json!({ "generation": null, "rows": [[0, 100_000]], "columns": ["title"], "act": { "set": "Dr" }, "preview": false }),
        ),
    ]
}

/// Searches a list for duplicates.
fn found(w: &World, list: Value) -> Asked {
    let search = w.call("duplicate_open", json!({ "list": list, "by": ["phone"] }))?["id"].clone();
    let state = json!({ "id": search, "wait_ms": 1_000 });
    waited(w, "duplicate_state", &state, |state| state["is_working"] == false)?;
    Ok(search)
}

fn search(command: &'static str, what: &'static str, request: Value) -> Sample {
    quick(command, what, move |w, _| Ok(with(request.clone(), "id", found(w, json!(w.list(LARGE)))?)))
}

/// Returns the first group of a search.
fn group(w: &World, search: &Value) -> Asked {
    let page =
        json!({ "id": search, "page_number": 1, "page_size": 1, "key": null, "least_confidence": 0, "skipped": false });
    Ok(w.call("duplicate_page", page)?["items"][0]["group"].clone())
}

fn duplicates() -> Vec<Sample> {
    let page = json!({ "page_number": 1, "page_size": 100, "key": null, "least_confidence": 0, "skipped": false });
    let all = json!({ "least_confidence": 0, "key": null, "rule": "most_complete", "preview": true });
    vec![
        quick("duplicate_open", "100,000", |w, _| Ok(json!({ "list": w.list(LARGE), "by": ["phone"] }))),
        search("duplicate_state", "", json!({ "wait_ms": null })),
        search("duplicate_refresh", "", json!({})),
        search("duplicate_cancel", "", json!({})),
        search("duplicate_close", "", json!({})),
        search("duplicate_page", "100 groups", page),
        quick("duplicate_group", "", |w, _| {
            let search = found(w, json!(w.list(LARGE)))?;
            Ok(json!({ "group": group(w, &search)?, "id": search, "rule": "most_complete" }))
        }),
        quick("duplicate_skip", "", |w, _| {
            let search = found(w, json!(w.list(LARGE)))?;
            Ok(json!({ "groups": [group(w, &search)?], "id": search, "skipped": true }))
        }),
        quick("duplicate_merge", "", |w, _| {
            let search = found(w, json!(w.list(LARGE)))?;
            let group = group(w, &search)?;
            let told = w.call("duplicate_group", json!({ "id": search, "group": group, "rule": "most_complete" }))?;
            let survivor = told["contacts"][0]["uid"].clone();
            Ok(json!({ "id": search, "group": group, "survivor": survivor, "fields": {}, "contacts": null }))
        }),
        long("duplicate_merge_all", "2,000 pairs of 100,000, a preview", READS, move |w, _| {
            Ok(with(all.clone(), "id", found(w, json!(w.list(LARGE)))?))
        }),
        long("duplicate_merge_all", "2,000 pairs of 100,000", ROWS, |w, _| {
            let id = found(w, json!(w.list(LARGE)))?;
            Ok(json!({ "id": id, "least_confidence": 0, "key": null, "rule": "most_complete", "preview": false }))
        }),
    ]
}

/// Scans a small list with values that a spreadsheet has damaged.
fn marked(w: &World) -> Asked {
    let list = w.copy_of(SMALL)?.0;
    let act = json!({ "view": view(w, &list)?, "generation": null, "rows": [[0, 300]], "columns": ["city"], "act": { "case": "upper" }, "preview": false });
    w.call("grid_act", act)?;
    let id = w.call("clean_open", json!({ "list": list }))?["id"].clone();
    waited(w, "clean_state", &json!({ "id": id, "wait_ms": 1_000 }), |state| state["is_working"] == false)?;
    Ok(id)
}

fn look(command: &'static str, request: Value) -> Sample {
    quick(command, "", move |w, _| Ok(with(request.clone(), "id", marked(w)?)))
}

/// A request about the first suggestion.
fn mend(command: &'static str, request: Value) -> Sample {
    quick(command, "300 rows", move |w, _| {
        let id = marked(w)?;
        let page = json!({ "id": id, "page_number": 1, "page_size": 1, "skipped": false });
        let first = w.call("clean_page", page)?["items"][0]["suggestion"].clone();
        Ok(with(with(request.clone(), "id", id), "suggestion", first))
    })
}

fn clean() -> Vec<Sample> {
    vec![
        quick("clean_open", "100,000", |w, _| Ok(json!({ "list": w.list(LARGE) }))),
        look("clean_state", json!({ "wait_ms": null })),
        look("clean_refresh", json!({})),
        look("clean_cancel", json!({})),
        look("clean_close", json!({})),
        look("clean_page", json!({ "page_number": 1, "page_size": 50, "skipped": false })),
        mend("clean_rows", json!({ "page_number": 1, "page_size": 50 })),
        mend("clean_skip", json!({ "skipped": true })),
        mend("clean_apply", json!({ "generation": null, "rows": null, "preview": false })),
    ]
}
