//! Acts whose duration depends on their size. The window stays usable, shows their progress and can cancel them. Their
//! order matters, because each uses the result of the one before.

use serde_json::{Value, json};

use super::{
    acts, grid, queries,
    samples::{Sample, long},
    world::{Asked, World},
};

const NUMBERS: &str = "looks at every number of a list";
const ROWS: &str = "writes a row for each contact";
const TAKEN_BACK: &str = "writes every row of the act it takes back";
const PASTED: &str = "reads and checks a whole pasted file";
const FILE: &str = "opens, makes or copies a whole file";

pub fn all() -> Vec<Sample> {
    [lists(), contacts(), opt_outs(), files()].into_iter().flatten().collect()
}

/// Returns the newest list.
fn newest(w: &World) -> Asked {
    let page =
        json!({ "page_number": 1, "page_size": 1, "sort_by": "contact_count", "sort_order": "DESC", "name": "Long" });
    Ok(w.call("list_page", page)?["items"][0].clone())
}

fn lists() -> Vec<Sample> {
    vec![
        long("list_readiness", "100,000", NUMBERS, |w, _| Ok(json!({ "uid": w.list(0) }))),
        long("list_duplicate", "100,000", ROWS, |w, _| Ok(json!({ "uid": w.list(0), "name": "Long copy" }))),
        long("list_split", "100,000 in two", ROWS, |w, _| {
            Ok(
                json!({ "uid": newest(w)?["uid"], "by": { "parts": 2 }, "names": "Long part {n}", "empty_value": "none", "delete_source": true }),
            )
        }),
        long("list_merge", "50,000 into 1,010", ROWS, |w, _| {
            Ok(
                json!({ "from": [newest(w)?["uid"]], "into": w.list(40), "name": null, "duplicates": "merge_phone", "delete_sources": true }),
            )
        }),
        long("list_combine", "all lists, each number once", ROWS, |w, _| {
            let lists: Vec<_> = (0..100).map(|n| w.list(n)).collect();
            Ok(
                json!({ "op": "union", "lists": lists, "key": "phone", "with_those_without": false, "name": "Long union" }),
            )
        }),
        long("list_delete", "100,000", ROWS, |w, _| {
            let list = newest(w)?;
            Ok(json!({ "uid": list["uid"], "typed_name": list["name"] }))
        }),
        long("history_undo", "deleting 100,000", TAKEN_BACK, |_, _| Ok(json!({}))),
        long("history_redo", "deleting 100,000", TAKEN_BACK, |_, _| Ok(json!({}))),
        long("trash_restore", "a list of 100,000", TAKEN_BACK, |w, _| Ok(json!({ "step": acts::in_trash(w)?["id"] }))),
        long("list_delete_many", "100,000 and others", ROWS, |w, _| {
            Ok(json!({ "uids": [newest(w)?["uid"], w.copy_of(8)?.0], "typed_count": 2 }))
        }),
        long("trash_purge", "100,000 and others", TAKEN_BACK, |w, _| {
            let step = acts::in_trash(w)?;
            Ok(json!({ "steps": [step["id"]], "typed_count": step["count"] }))
        }),
    ]
}

fn contacts() -> Vec<Sample> {
    let half = |w: &World, list: usize, to: usize| -> Asked {
        let (view, rows) = (grid::view(w, &w.list(list))?, [[0, 50_000]]);
        Ok(json!({ "view": view, "generation": null, "rows": rows, "list": w.list(to), "duplicates": "skip" }))
    };
    vec![
        long("grid_copy_to", "half of 100,000", ROWS, move |w, _| half(w, 0, 41)),
        long("grid_move", "some 50,000", ROWS, move |w, _| half(w, 41, 42)),
        long("grid_delete", "some 50,000", ROWS, |w, _| {
            let view = grid::view(w, &w.list(42))?;
            Ok(json!({ "view": view, "generation": null, "rows": [[0, 50_000]] }))
        }),
        long("contact_paste_preview", "10,000", PASTED, |w, _| acts::pasted(w, 10_000)),
        long("contact_paste", "10,000", ROWS, |w, _| acts::pasted(w, 10_000)),
        long(
            "custom_field_add",
            "beside 200,000 contacts",
            "SQLite reads all contacts through when they get a column",
            |_, _| Ok(json!({ "label": "One more" })),
        ),
        long("custom_field_remove", "200,000 values", ROWS, |w, _| {
            let fields = w.call("custom_field_all", json!({}))?;
            let first = fields["fields"].as_array().into_iter().flatten().find(|field| field["number"] == 1);
            Ok(json!({ "number": 1, "typed_label": first.ok_or("no field 1")?["label"] }))
        }),
    ]
}

fn opt_outs() -> Vec<Sample> {
    const RECORDS: &str = "writes a row for each record";
    vec![
        long("opt_out_add", "10,000", RECORDS, |w, _| Ok(acts::added(w, 1, 10_000))),
        long("opt_out_import_preview", "20,000 rows", PASTED, |w, _| Ok(acts::import(w, 1, 20_000))),
        long("opt_out_import", "10,000", RECORDS, |w, _| acts::imported(w, 2, 10_000)),
        long("opt_out_removal_preview", "10,000", PASTED, |w, _| Ok(queries::unwanted(w.some_numbers(1, 2, 10_000)))),
        long("opt_out_remove", "10,000", RECORDS, |w, _| acts::removed(w, 1, 10_000)),
        long("opt_out_evidence", "the whole ledger", "writes out and chains every event", |_, _| {
            Ok(json!({ "number": null, "channel": null, "from": null, "to": null, "format": "csv", "region": null }))
        }),
        long("short_link_create", "10,000", RECORDS, |w, _| Ok(acts::links_made(w, 10_000))),
        long("short_link_delete", "5,000", RECORDS, |w, _| acts::links_gone(w, 5_000)),
    ]
}

fn current(w: &World) -> Asked {
    Ok(w.call("account_list", json!({}))?["current"]["path"].clone())
}

fn files() -> Vec<Sample> {
    vec![
        long("account_duplicate", "the whole account", FILE, |w, _| {
            Ok(json!({ "path": current(w)?, "name": "Long copy" }))
        }),
        long("account_create", "with sample data", FILE, |_, _| {
            Ok(json!({ "name": "Sample", "colour": "blue", "contents": "sample" }))
        }),
        long("account_open", "the whole account", FILE, |w, _| Ok(json!({ "path": w.folder.join("account.roost") }))),
        long("server_start", "on a copy in memory", FILE, |w, _| {
            w.call("server_stop", json!({}))?;
            Ok(json!({ "port": 0, "world": "scratch", "is_copy": true, "is_recording": true }))
        }),
        long("server_stop", "frees that copy", FILE, |_, _| Ok(Value::Object(serde_json::Map::new()))),
        long("account_close", "the whole account", FILE, |_, _| Ok(json!({}))),
    ]
}
