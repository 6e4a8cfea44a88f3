//! Requests of the grid and of the clean-up, on the large list, and on copies of small ones if they change it.

use serde_json::{Value, json};

use super::{
    samples::{CommandSample, long_sample, quick_sample},
    world::{BenchWorld, CommandResult},
};

const LARGE: usize = 0;
const SMALL: usize = 7;
const COLUMNS: [&str; 8] =
    ["phone_number", "title", "firstname", "lastname", "email_address", "city", "country", "field_1"];
const ROWS: &str = "writes a row for each contact";
const READS: &str = "reads all contacts of the list";

pub(super) fn all_samples() -> Vec<CommandSample> {
    [
        view_samples(),
        reading_samples(),
        cell_samples(),
        row_samples(),
        saved_view_samples(),
        long_act_samples(),
        duplicate_samples(),
        clean_samples(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn list_spec(list: &str) -> Value {
    let sort = [json!({ "field": "lastname", "order": "ASC" })];
    json!({ "list": list, "filter": null, "text": null, "sort": sort })
}

/// Repeats a request until the work is done.
fn repeat_until_done(
    w: &BenchWorld,
    command: &str,
    request: &Value,
    is_done: impl Fn(&Value) -> bool,
) -> CommandResult {
    loop {
        let state = w.run_command(command, request.clone())?;
        if let Some(fault) = state["fault"].as_str() {
            return Err(fault.into());
        }
        if is_done(&state) {
            return Ok(state);
        }
    }
}

/// Opens a view of a list and waits until it is built.
pub(super) fn open_view(w: &BenchWorld, list: &str) -> CommandResult {
    let view = w.run_command("grid_open", list_spec(list))?["view"].clone();
    let state = json!({ "view": view, "generation": null, "wait_ms": 1_000 });
    repeat_until_done(w, "grid_state", &state, |state| state["is_building"] == false)?;
    Ok(view)
}

fn with_member(mut request: Value, name: &str, value: Value) -> Value {
    request[name] = value;
    request
}

/// A request about a view of the large list.
fn large_view_sample(command: &'static str, what: &'static str, request: Value) -> CommandSample {
    quick_sample(command, what, move |w, _| Ok(with_member(request.clone(), "view", open_view(w, &w.list_uid(LARGE))?)))
}

/// A request about a view of a copy of a small list.
fn copied_view_sample(command: &'static str, what: &'static str, request: Value) -> CommandSample {
    quick_sample(command, what, move |w, _| {
        Ok(with_member(request.clone(), "view", open_view(w, &w.copy_of(SMALL)?.0)?))
    })
}

fn view_samples() -> Vec<CommandSample> {
    vec![
        quick_sample("grid_open", "100,000 by last name", |w, _| Ok(list_spec(&w.list_uid(LARGE)))),
        large_view_sample("grid_state", "", json!({ "generation": null, "wait_ms": null })),
        large_view_sample("grid_refresh", "", json!({})),
        large_view_sample("grid_cancel", "", json!({})),
        large_view_sample("grid_close", "", json!({})),
        large_view_sample("grid_window", "200 in the middle", window_request(50_000)),
        large_view_sample("grid_window", "the last 200", window_request(99_800)),
        large_view_sample("grid_uid", "", json!({ "row": 50_000 })),
        quick_sample("grid_locate", "", |w, _| {
            let view = open_view(w, &w.list_uid(LARGE))?;
            let uid = w.run_command("grid_uid", json!({ "view": view, "row": 70_000 }))?["uid"].clone();
            Ok(json!({ "view": view, "uid": uid }))
        }),
    ]
}

fn window_request(from: u64) -> Value {
    json!({ "generation": null, "from": from, "count": 200, "columns": COLUMNS })
}

fn find_query(text: &str) -> Value {
    json!({ "text": text, "regex": false, "case": false, "whole_cell": false, "columns": COLUMNS })
}

/// Returns a request for the next cell with a text, from the first cell.
fn find_request(text: &str) -> Value {
    with_member(with_member(find_query(text), "from", Value::Null), "backwards", json!(false))
}

fn reading_samples() -> Vec<CommandSample> {
    vec![
        large_view_sample("grid_summary", "1,000 rows", json!({ "rows": [[0, 1_000]], "columns": COLUMNS })),
        large_view_sample("grid_find", "the next one", find_request("lyon")),
        large_view_sample("grid_problem", "none", json!({ "from": null, "backwards": false })),
        large_view_sample("grid_drafts", "", json!({ "row": 5 })),
        large_view_sample(
            "grid_copy",
            "1,000 rows",
            json!({ "rows": [[0, 1_000]], "columns": COLUMNS, "headings": [] }),
        ),
    ]
}

fn cell_block(count: usize) -> Value {
    let rows: Vec<_> = (0..count).map(|n| json!([format!("Title {n}"), "Bern"])).collect();
    json!({ "generation": null, "at": 10, "columns": ["title", "city"], "rows": rows, "into": null, "mode": "plain", "region": null })
}

fn cell_samples() -> Vec<CommandSample> {
    let set = |to: u64| json!({ "generation": null, "rows": [[0, to]], "columns": ["city"], "act": { "set": "Bern" }, "preview": false });
    vec![
        quick_sample("grid_edit", "one cell", |w, n| {
            let cells = [json!({ "row": 50_000 + n, "field": "city", "text": format!("Town {n}") })];
            Ok(json!({ "view": open_view(w, &w.list_uid(LARGE))?, "generation": null, "cells": cells, "region": null }))
        }),
        copied_view_sample("grid_act", "1,000 cells", set(1_000)),
        copied_view_sample("grid_paste_preview", "500 rows", cell_block(500)),
        copied_view_sample("grid_paste", "500 rows", cell_block(500)),
    ]
}

fn row_samples() -> Vec<CommandSample> {
    let some = json!({ "generation": null, "rows": [[0, 100]] });
    let sent = with_member(some.clone(), "duplicates", json!("keep"));
    let to = |request: Value| {
        move |w: &BenchWorld, _| {
            let request = with_member(request.clone(), "list", json!(w.list_uid(60)));
            Ok(with_member(request, "view", open_view(w, &w.copy_of(SMALL)?.0)?))
        }
    };
    let shown = to(some.clone());
    let named = with_member(some.clone(), "name", Value::Null);
    vec![
        quick_sample("grid_add", "", |w, n| {
            let values = json!({ "phone_number": w.numbers[n * 3 + 2], "firstname": "Added" });
            Ok(json!({ "view": open_view(w, &w.copy_of(SMALL)?.0)?, "values": values, "region": null }))
        }),
        copied_view_sample("grid_delete", "100", some.clone()),
        copied_view_sample("grid_opt_out_preview", "100", some.clone()),
        quick_sample("grid_send_preview", "100", shown),
        quick_sample("grid_move", "100", to(sent.clone())),
        quick_sample("grid_copy_to", "100", to(sent)),
        copied_view_sample(
            "grid_opt_out",
            "100",
            with_member(
                with_member(with_member(some, "channels", json!(["SMS"])), "asset", Value::Null),
                "reason",
                json!("Asked"),
            ),
        ),
        quick_sample("grid_new_list", "100", move |w, _| {
            let request = with_member(named.clone(), "name", json!(format!("Frozen {}", w.next_number())));
            Ok(with_member(request, "view", open_view(w, &w.list_uid(LARGE))?))
        }),
    ]
}

fn save_view(w: &BenchWorld) -> Value {
    json!({ "list": w.list_uid(LARGE), "name": format!("View {}", w.next_number()), "spec": { "sort": [] } })
}

fn saved_view_samples() -> Vec<CommandSample> {
    vec![
        quick_sample("grid_view_save", "", |w, _| Ok(save_view(w))),
        quick_sample("grid_view_list", "", |w, _| Ok(json!({ "list": w.list_uid(LARGE) }))),
        quick_sample("grid_view_rename", "", |w, _| {
            let uid = w.run_command("grid_view_save", save_view(w))?["uid"].clone();
            Ok(json!({ "uid": uid, "name": format!("Renamed {}", w.next_number()) }))
        }),
        quick_sample("grid_view_delete", "", |w, _| {
            Ok(json!({ "uid": w.run_command("grid_view_save", save_view(w))?["uid"] }))
        }),
    ]
}

fn long_act_samples() -> Vec<CommandSample> {
    let aside = |command, what, why, request: Value| {
        long_sample(command, what, why, move |w, _| {
            Ok(with_member(request.clone(), "view", open_view(w, &w.list_uid(LARGE))?))
        })
    };
    vec![
        aside("grid_find", "none in 100,000", READS, find_request("nowhere")),
        aside("grid_find_count", "100,000", READS, find_query("station")),
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
fn search_duplicates(w: &BenchWorld, list: Value) -> CommandResult {
    let search = w.run_command("duplicate_open", json!({ "list": list, "by": ["phone"] }))?["id"].clone();
    let state = json!({ "id": search, "wait_ms": 1_000 });
    repeat_until_done(w, "duplicate_state", &state, |state| state["is_working"] == false)?;
    Ok(search)
}

fn search_sample(command: &'static str, what: &'static str, request: Value) -> CommandSample {
    quick_sample(command, what, move |w, _| {
        Ok(with_member(request.clone(), "id", search_duplicates(w, json!(w.list_uid(LARGE)))?))
    })
}

/// Returns the first group of a search.
fn first_group(w: &BenchWorld, search: &Value) -> CommandResult {
    let page =
        json!({ "id": search, "page_number": 1, "page_size": 1, "key": null, "least_confidence": 0, "skipped": false });
    Ok(w.run_command("duplicate_page", page)?["items"][0]["group"].clone())
}

fn duplicate_samples() -> Vec<CommandSample> {
    let page = json!({ "page_number": 1, "page_size": 100, "key": null, "least_confidence": 0, "skipped": false });
    let all = json!({ "least_confidence": 0, "key": null, "rule": "most_complete", "preview": true });
    vec![
        quick_sample("duplicate_open", "100,000", |w, _| Ok(json!({ "list": w.list_uid(LARGE), "by": ["phone"] }))),
        search_sample("duplicate_state", "", json!({ "wait_ms": null })),
        search_sample("duplicate_refresh", "", json!({})),
        search_sample("duplicate_cancel", "", json!({})),
        search_sample("duplicate_close", "", json!({})),
        search_sample("duplicate_page", "100 groups", page),
        quick_sample("duplicate_group", "", |w, _| {
            let search = search_duplicates(w, json!(w.list_uid(LARGE)))?;
            Ok(json!({ "group": first_group(w, &search)?, "id": search, "rule": "most_complete" }))
        }),
        quick_sample("duplicate_skip", "", |w, _| {
            let search = search_duplicates(w, json!(w.list_uid(LARGE)))?;
            Ok(json!({ "groups": [first_group(w, &search)?], "id": search, "skipped": true }))
        }),
        quick_sample("duplicate_merge", "", |w, _| {
            let search = search_duplicates(w, json!(w.list_uid(LARGE)))?;
            let group = first_group(w, &search)?;
            let duplicates =
                w.run_command("duplicate_group", json!({ "id": search, "group": group, "rule": "most_complete" }))?;
            let survivor = duplicates["contacts"][0]["uid"].clone();
            Ok(json!({ "id": search, "group": group, "survivor": survivor, "fields": {}, "contacts": null }))
        }),
        long_sample("duplicate_merge_all", "2,000 pairs of 100,000, a preview", READS, move |w, _| {
            Ok(with_member(all.clone(), "id", search_duplicates(w, json!(w.list_uid(LARGE)))?))
        }),
        long_sample("duplicate_merge_all", "2,000 pairs of 100,000", ROWS, |w, _| {
            let id = search_duplicates(w, json!(w.list_uid(LARGE)))?;
            Ok(json!({ "id": id, "least_confidence": 0, "key": null, "rule": "most_complete", "preview": false }))
        }),
    ]
}

/// Scans a small list with values that a spreadsheet has damaged.
fn scan_damaged(w: &BenchWorld) -> CommandResult {
    let list = w.copy_of(SMALL)?.0;
    let act = json!({ "view": open_view(w, &list)?, "generation": null, "rows": [[0, 300]], "columns": ["city"], "act": { "case": "upper" }, "preview": false });
    w.run_command("grid_act", act)?;
    let id = w.run_command("clean_open", json!({ "list": list }))?["id"].clone();
    repeat_until_done(w, "clean_state", &json!({ "id": id, "wait_ms": 1_000 }), |state| state["is_working"] == false)?;
    Ok(id)
}

fn clean_sample(command: &'static str, request: Value) -> CommandSample {
    quick_sample(command, "", move |w, _| Ok(with_member(request.clone(), "id", scan_damaged(w)?)))
}

/// A request about the first suggestion.
fn suggestion_sample(command: &'static str, request: Value) -> CommandSample {
    quick_sample(command, "300 rows", move |w, _| {
        let id = scan_damaged(w)?;
        let page = json!({ "id": id, "page_number": 1, "page_size": 1, "skipped": false });
        let first = w.run_command("clean_page", page)?["items"][0]["suggestion"].clone();
        Ok(with_member(with_member(request.clone(), "id", id), "suggestion", first))
    })
}

fn clean_samples() -> Vec<CommandSample> {
    vec![
        quick_sample("clean_open", "100,000", |w, _| Ok(json!({ "list": w.list_uid(LARGE) }))),
        clean_sample("clean_state", json!({ "wait_ms": null })),
        clean_sample("clean_refresh", json!({})),
        clean_sample("clean_cancel", json!({})),
        clean_sample("clean_close", json!({})),
        clean_sample("clean_page", json!({ "page_number": 1, "page_size": 50, "skipped": false })),
        suggestion_sample("clean_rows", json!({ "page_number": 1, "page_size": 50 })),
        suggestion_sample("clean_skip", json!({ "skipped": true })),
        suggestion_sample("clean_apply", json!({ "generation": null, "rows": null, "preview": false })),
    ]
}
