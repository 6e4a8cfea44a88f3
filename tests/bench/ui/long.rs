//! Acts whose duration depends on their size. The window stays usable, shows their progress and can cancel them. Their
//! order matters, because each uses the result of the one before.

use std::fs;

use serde_json::{Value, json};

use super::{
    acts,
    fill::SMALL,
    grid, queries,
    samples::{CommandSample, long_sample},
    world::{BenchWorld, CommandResult},
};

const NUMBERS: &str = "looks at every number of a list";
const ROWS: &str = "writes a row for each contact";
const TAKEN_BACK: &str = "writes every row of the act it takes back";
const PASTED: &str = "reads and checks a whole pasted file";
const FILE: &str = "opens, makes or copies a whole file";

pub(super) fn all_samples() -> Vec<CommandSample> {
    [list_samples(), contact_samples(), opt_out_samples(), copy_samples(), file_samples()]
        .into_iter()
        .flatten()
        .collect()
}

/// Returns the newest list.
fn newest_list(w: &BenchWorld) -> CommandResult {
    let page =
        json!({ "page_number": 1, "page_size": 1, "sort_by": "contact_count", "sort_order": "DESC", "name": "Long" });
    Ok(w.run_command("list_page", page)?["items"][0].clone())
}

fn list_samples() -> Vec<CommandSample> {
    vec![
        long_sample("list_readiness", "100,000", NUMBERS, |w, _| Ok(json!({ "uid": w.list_uid(0) }))),
        long_sample("list_duplicate", "100,000", ROWS, |w, _| Ok(json!({ "uid": w.list_uid(0), "name": "Long copy" }))),
        long_sample("list_split", "100,000 in two", ROWS, |w, _| {
            Ok(
                json!({ "uid": newest_list(w)?["uid"], "by": { "parts": 2 }, "names": "Long part {n}", "empty_value": "none", "delete_source": true }),
            )
        }),
        long_sample("list_merge", "50,000 into 1,010", ROWS, |w, _| {
            Ok(
                json!({ "from": [newest_list(w)?["uid"]], "into": w.list_uid(40), "name": null, "duplicates": "merge_phone", "delete_sources": true }),
            )
        }),
        long_sample("list_combine", "all lists, each number once", ROWS, |w, _| {
            let lists: Vec<_> = (0..100).map(|n| w.list_uid(n)).collect();
            Ok(
                json!({ "op": "union", "lists": lists, "key": "phone", "with_those_without": false, "name": "Long union" }),
            )
        }),
        long_sample("list_delete", "100,000", ROWS, |w, _| {
            let list = newest_list(w)?;
            Ok(json!({ "uid": list["uid"], "typed_name": list["name"] }))
        }),
        long_sample("history_undo", "deleting 100,000", TAKEN_BACK, |_, _| Ok(json!({}))),
        long_sample("history_redo", "deleting 100,000", TAKEN_BACK, |_, _| Ok(json!({}))),
        long_sample("trash_restore", "a list of 100,000", TAKEN_BACK, |w, _| {
            Ok(json!({ "step": acts::newest_trash_entry(w)?["id"] }))
        }),
        long_sample("list_delete_many", "100,000 and others", ROWS, |w, _| {
            Ok(json!({ "uids": [newest_list(w)?["uid"], w.copy_of(8)?.0], "typed_count": 2 }))
        }),
        long_sample("trash_purge", "100,000 and others", TAKEN_BACK, |w, _| {
            let step = acts::newest_trash_entry(w)?;
            Ok(json!({ "steps": [step["id"]], "typed_count": step["count"] }))
        }),
    ]
}

fn contact_samples() -> Vec<CommandSample> {
    let half = |w: &BenchWorld, list: usize, to: usize| -> CommandResult {
        let (view, rows) = (grid::open_view(w, &w.list_uid(list))?, [[0, 50_000]]);
        Ok(json!({ "view": view, "generation": null, "rows": rows, "list": w.list_uid(to), "duplicates": "skip" }))
    };
    vec![
        long_sample("grid_copy_to", "half of 100,000", ROWS, move |w, _| half(w, 0, 41)),
        long_sample("grid_move", "some 50,000", ROWS, move |w, _| half(w, 41, 42)),
        long_sample("grid_delete", "some 50,000", ROWS, |w, _| {
            let view = grid::open_view(w, &w.list_uid(42))?;
            Ok(json!({ "view": view, "generation": null, "rows": [[0, 50_000]] }))
        }),
        long_sample("contact_paste_preview", "10,000", PASTED, |w, _| acts::paste_request(w, 10_000)),
        long_sample("contact_paste", "10,000", ROWS, |w, _| acts::paste_request(w, 10_000)),
        long_sample(
            "custom_field_add",
            "beside 200,000 contacts",
            "SQLite reads all contacts through when they get a column",
            |_, _| Ok(json!({ "label": "One more" })),
        ),
        long_sample("custom_field_remove", "200,000 values", ROWS, |w, _| {
            let fields = w.run_command("custom_field_all", json!({}))?;
            let first = fields["fields"].as_array().into_iter().flatten().find(|field| field["number"] == 1);
            Ok(json!({ "number": 1, "typed_label": first.ok_or("no field 1")?["label"] }))
        }),
    ]
}

fn opt_out_samples() -> Vec<CommandSample> {
    const RECORDS: &str = "writes a row for each record";
    vec![
        long_sample("opt_out_add", "10,000", RECORDS, |w, _| Ok(acts::add_request(w, 1, 10_000))),
        long_sample("opt_out_import_preview", "20,000 rows", PASTED, |w, _| Ok(acts::import_request(w, 1, 20_000))),
        long_sample("opt_out_import", "10,000", RECORDS, |w, _| acts::import_opt_outs(w, 2, 10_000)),
        long_sample("opt_out_removal_preview", "10,000", PASTED, |w, _| {
            Ok(queries::unwanted_request(w.some_numbers(1, 2, 10_000)))
        }),
        long_sample("opt_out_remove", "10,000", RECORDS, |w, _| acts::removal_request(w, 1, 10_000)),
        long_sample("opt_out_evidence", "the whole ledger", "writes out and chains every event", |_, _| {
            Ok(json!({ "number": null, "channel": null, "from": null, "to": null, "format": "csv", "region": null }))
        }),
        long_sample("short_link_create", "10,000", RECORDS, |w, _| Ok(acts::link_creation_request(w, 10_000))),
        long_sample("short_link_delete", "5,000", RECORDS, |w, _| acts::link_deletion_request(w, 5_000)),
    ]
}

fn newest_copy(w: &BenchWorld) -> CommandResult {
    Ok(json!({ "copy": w.run_command("account_copies", json!({}))?["copies"][0]["path"] }))
}

fn copy_samples() -> Vec<CommandSample> {
    const EVERY_ROW: &str = "looks at every row of the account and its copies";
    let number = |w: &BenchWorld| json!({ "number": w.numbers[7], "region": null });
    vec![
        long_sample("account_back_up", "the whole account", FILE, |_, _| Ok(json!({}))),
        long_sample("account_save_copy", "the whole account", FILE, |_, _| Ok(json!({}))),
        long_sample("account_copies", "each is checked", FILE, |_, _| Ok(json!({}))),
        long_sample("account_check", "the whole account", FILE, |_, _| Ok(json!({}))),
        long_sample("account_restore_preview", "the whole account", FILE, |w, _| newest_copy(w)),
        long_sample("account_restore_copy", "the whole account", FILE, |w, _| {
            Ok(json!({ "copy": newest_copy(w)?["copy"], "other_account": false }))
        }),
        long_sample("account_held", "the account and its copies", EVERY_ROW, move |w, _| Ok(number(w))),
        long_sample("account_erase_preview", "the account and its copies", EVERY_ROW, move |w, _| Ok(number(w))),
        long_sample("account_erase", "the account and its copies", EVERY_ROW, move |w, _| {
            let shown = w.run_command("account_erase_preview", number(w))?;
            Ok(json!({
                "number": shown["number"], "rows": shown["rows"], "here_only": true, "delete_unreadable": true,
                "discard_imports": true, "discard_server_state": true,
            }))
        }),
    ]
}

fn current_import(w: &BenchWorld) -> CommandResult {
    Ok(w.run_command("account_list", json!({}))?["current"]["path"].clone())
}

fn file_samples() -> Vec<CommandSample> {
    vec![
        long_sample("account_duplicate", "the whole account", FILE, |w, _| {
            Ok(json!({ "path": current_import(w)?, "name": "Long copy" }))
        }),
        long_sample("account_create", "with sample data", FILE, |_, _| {
            Ok(json!({ "name": "Sample", "colour": "blue", "contents": "sample" }))
        }),
        long_sample("account_open", "the whole account", FILE, |w, _| {
            Ok(json!({ "path": w.folder.join("account.roost") }))
        }),
        long_sample("server_start", "on a copy in memory", FILE, |w, _| {
            w.run_command("server_stop", json!({}))?;
            Ok(json!({ "port": 0, "world": "scratch", "is_copy": true, "is_recording": true }))
        }),
        long_sample("server_stop", "frees that copy", FILE, |_, _| Ok(Value::Object(serde_json::Map::new()))),
        long_sample("account_restore", "a small account", FILE, |w, _| {
            let path = w.folder.join("restored.roost");
            let copy = w.folder.join("restored.roost.saved-20260105-090000.backup");
            fs::copy(w.folder.join(SMALL), &copy)?;
            fs::write(&path, "")?;
            Ok(json!({ "path": path, "copy": copy }))
        }),
        long_sample("account_start_empty", "a damaged account", FILE, |w, _| {
            let path = w.folder.join("damaged.roost");
            let mut bytes = fs::read(w.folder.join(SMALL))?;
            bytes.truncate(8_192);
            fs::write(&path, bytes)?;
            Ok(json!({ "path": path }))
        }),
        long_sample("account_close", "the whole account", FILE, |_, _| Ok(json!({}))),
    ]
}
