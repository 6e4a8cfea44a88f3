//! Requests of file imports. Their long work runs in the background.

use std::cell::RefCell;

use roost_sheets::write::workbook::{SheetRows, WorkbookWriter};
use serde_json::{Value, json};

use super::{
    samples::{CommandSample, long_sample, plain_sample, quick_sample},
    world::{BenchWorld, CommandResult},
};

/// The number of rows in a typical file.
const ROWS: usize = 20_000;

pub(super) fn all_samples() -> Vec<CommandSample> {
    [file_samples(), mapping_samples(), rehearsal_samples(), past_samples()].into_iter().flatten().collect()
}

/// Returns a table with numbers of the account and some invalid ones.
fn build_table(w: &BenchWorld, rows: usize) -> String {
    let from = w.next_number() * 37;
    let row = |(n, number): (usize, &&String)| match n % 50 {
        0 => format!("12,Name {n},York\n"),
        _ => format!("{number},Name {n},York\n"),
    };
    let rows: String = w.some_numbers(from, 1, rows).iter().enumerate().map(row).collect();
    format!("Phone,First name,City\n{rows}")
}

fn open_request(w: &BenchWorld, rows: usize) -> Value {
    let text = json!({ "name": "People.csv", "text": build_table(w, rows) });
    json!({ "purpose": "contacts", "sources": [{ "text": text }], "target": { "list": w.list_uid(50) } })
}

/// Waits until no work is running.
fn wait_until_idle(w: &BenchWorld, import: &Value) -> CommandResult {
    loop {
        let state = w.run_command("import_state", json!({ "import": import, "generation": null, "wait_ms": 1_000 }))?;
        if state["progress"].is_null() {
            return Ok(state);
        }
    }
}

/// Opens and reads an import, and discards earlier ones.
fn read_import(w: &BenchWorld, rows: usize) -> CommandResult {
    for waiting in w.run_command("import_waiting", json!({}))?["imports"].as_array().into_iter().flatten() {
        wait_until_idle(w, &waiting["import"])?;
        w.run_command("import_discard", json!({ "import": waiting["import"] }))?;
    }
    let import = w.run_command("import_open", open_request(w, rows))?["import"].take();
    wait_until_idle(w, &import)?;
    Ok(import)
}

/// Opens an import of a workbook with two sheets of different columns, and reads the first.
fn read_book(w: &BenchWorld, rows: usize) -> CommandResult {
    let import = read_import(w, 10)?;
    w.run_command("import_remove_file", json!({ "import": import, "file": 1 }))?;
    let bytes = build_workbook(&w.some_numbers(w.next_number() * 37, 1, rows)).map_err(|why| why.to_string())?;
    let upload = json!({ "upload": { "name": "Book.xlsx", "size": bytes.len() } });
    w.run_command("import_add", json!({ "import": import, "sources": [upload] }))?;
    let content = encode_base64(&bytes);
    w.run_command(
        "import_upload",
        json!({ "import": import, "file": 2, "from": 0, "content_base64": content, "is_last": true }),
    )?;
    wait_until_idle(w, &import)?;
    Ok(import)
}

fn build_workbook(numbers: &[&String]) -> std::io::Result<Vec<u8>> {
    let mut book = WorkbookWriter::begin(std::io::Cursor::new(Vec::new()), "May", true)?;
    for (sheet, heads) in [["Phone", "City"], ["Mobile", "Town"]].into_iter().enumerate() {
        if sheet > 0 {
            book.next_sheet()?;
        }
        let (mut rows, mut markup) = (SheetRows::default(), Vec::new());
        rows.write_heads(heads, &mut markup);
        numbers.iter().for_each(|number| rows.write_row([number.as_str(), "York"], &mut markup));
        book.write_rows(&markup)?;
    }
    Ok(book.finish()?.into_inner())
}

fn encode_base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for part in bytes.chunks(3) {
        let number = (0..3).fold(0, |number, at| number << 8 | usize::from(part.get(at).copied().unwrap_or_default()));
        for at in 0..4 {
            let is_there = at <= part.len();
            out.push(if is_there { char::from(LETTERS[number >> (18 - 6 * at) & 63]) } else { '=' });
        }
    }
    out
}

fn rehearse_import(w: &BenchWorld, rows: usize) -> CommandResult {
    let import = read_import(w, rows)?;
    w.run_command("import_rehearse", json!({ "import": import }))?;
    wait_until_idle(w, &import)?;
    Ok(import)
}

/// Accepts an import and returns its number in the history.
fn accept_import(w: &BenchWorld, rows: usize) -> CommandResult {
    let import = rehearse_import(w, rows)?;
    w.run_command("import_accept", json!({ "import": import, "typed_count": null }))?;
    Ok(wait_until_idle(w, &import)?["accepted"]["past"].take())
}

fn read_import_sample(command: &'static str, what: &'static str, more: Value) -> CommandSample {
    quick_sample(command, what, move |w, _| with_member(more.clone(), "import", read_import(w, ROWS)?))
}

fn rehearsed_sample(command: &'static str, what: &'static str, more: Value) -> CommandSample {
    quick_sample(command, what, move |w, _| with_member(more.clone(), "import", rehearse_import(w, ROWS)?))
}

fn past_sample(command: &'static str, what: &'static str, more: Value) -> CommandSample {
    quick_sample(command, what, move |w, _| with_member(more.clone(), "past", accept_import(w, 1_000)?))
}

fn with_member(mut request: Value, key: &str, value: Value) -> CommandResult {
    request[key] = value;
    Ok(request)
}

fn file_samples() -> Vec<CommandSample> {
    let usual = json!({ "kind": null, "encoding": null, "dialect": null, "sheet": null, "head": "nowhere", "takes_part": false });
    vec![
        plain_sample("import_pick", "", json!({})),
        plain_sample("import_offered", "", json!({})),
        plain_sample("import_encodings", "", json!({})),
        quick_sample("import_open", "1,000 rows pasted", |w, _| {
            read_import(w, 1)?;
            Ok(open_request(w, 1_000))
        }),
        quick_sample("import_add", "1,000 rows pasted", |w, _| {
            let source = json!({ "text": { "name": "More.csv", "text": build_table(w, 1_000) } });
            with_member(json!({ "sources": [source] }), "import", read_import(w, 1_000)?)
        }),
        quick_sample("import_upload", "1 MiB", |w, _| {
            let import = read_import(w, 1)?;
            let source = json!({ "upload": { "name": "More.csv", "size": 8 << 20 } });
            w.run_command("import_add", json!({ "import": import, "sources": [source] }))?;
            let content = "QUJD".repeat((1 << 20) / 3);
            Ok(json!({ "import": import, "file": 2, "from": 0, "content_base64": content, "is_last": false }))
        }),
        read_import_sample("import_state", "20,000 rows", json!({ "generation": null, "wait_ms": null })),
        plain_sample("import_waiting", "", json!({})),
        read_import_sample("import_cancel", "nothing under way", json!({})),
        read_import_sample("import_discard", "20,000 rows", json!({})),
        read_import_sample("import_read", "20,000 rows that are read", json!({})),
        quick_sample("import_source", "20,000 rows", move |w, _| {
            with_member(json!({ "file": 1, "settings": usual }), "import", read_import(w, ROWS)?)
        }),
        read_import_sample("import_remove_file", "", json!({ "file": 1 })),
        quick_sample("import_parts", "two sheets of 1,000 rows", |w, _| {
            with_member(json!({ "file": 2, "parts": ["May", "May 2"] }), "import", read_book(w, 1_000)?)
        }),
        read_import_sample(
            "import_sample",
            "the last of 20,000 rows",
            json!({ "file": 1, "from": ROWS - 200, "count": 200 }),
        ),
        quick_sample("import_target", "a new list", |w, _| {
            let name = format!("New {}", w.next_number());
            with_member(json!({ "target": { "new_list": name } }), "import", read_import(w, ROWS)?)
        }),
    ]
}

fn mapping_samples() -> Vec<CommandSample> {
    let saved = |w: &BenchWorld| -> CommandResult {
        let import = read_import(w, 10)?;
        w.run_command("import_profile_save", json!({ "import": import, "name": "Shop" }))?;
        Ok(json!({ "import": import, "name": "Shop" }))
    };
    vec![
        read_import_sample("import_columns", "20,000 rows", json!({})),
        quick_sample("import_map", "20,000 rows", |w, _| {
            let import = read_import(w, ROWS)?;
            let mut mapping = w.run_command("import_columns", json!({ "import": import }))?["mapping"].take();
            mapping["rule"] = json!("if_different");
            Ok(json!({ "import": import, "mapping": mapping }))
        }),
        quick_sample("import_profile_save", "", |w, _| {
            with_member(json!({ "name": "Shop" }), "import", read_import(w, 10)?)
        }),
        quick_sample("import_profile_list", "", |w, _| with_member(json!({}), "import", read_import(w, 10)?)),
        quick_sample("import_profile_use", "", move |w, _| saved(w)),
        quick_sample("import_profile_write", "", move |w, _| {
            saved(w)?;
            Ok(json!({ "name": "Shop" }))
        }),
        quick_sample("import_profile_read", "", move |w, _| {
            saved(w)?;
            Ok(json!({ "text": w.run_command("import_profile_write", json!({ "name": "Shop" }))?["text"] }))
        }),
        quick_sample("import_profile_remove", "", move |w, _| {
            saved(w)?;
            Ok(json!({ "name": "Shop" }))
        }),
    ]
}

fn rehearsal_samples() -> Vec<CommandSample> {
    let rows = json!({ "bucket": null, "reason": null, "field": null, "from": 10_000, "count": 100 });
    let invalid = json!({ "bucket": "invalid", "reason": null, "field": null, "from": 100, "count": 100 });
    vec![
        read_import_sample("import_rehearse", "20,000 rows", json!({})),
        rehearsed_sample("import_rehearsal", "20,000 rows", json!({})),
        rehearsed_sample("import_rows", "100 of 20,000", rows),
        rehearsed_sample("import_rows", "100 invalid ones", invalid),
        rehearsed_sample("import_problem", "in 20,000 rows", json!({ "after": 10_000, "backwards": false })),
        rehearsed_sample(
            "import_mend",
            "a row of 20,000",
            json!({ "row": 1, "cells": [{ "column": 0, "text": "07700 900001" }] }),
        ),
        accept_sample(),
    ]
}

/// The import goes on after the response. It changes the list, so the next rehearsal waits for its end.
fn accept_sample() -> CommandSample {
    let accepted = RefCell::new(None);
    quick_sample("import_accept", "20,000 rows", move |w, _| {
        if let Some(import) = accepted.take() {
            wait_until_idle(w, &import)?;
        }
        let import = rehearse_import(w, ROWS)?;
        accepted.replace(Some(import.clone()));
        Ok(json!({ "import": import, "typed_count": null }))
    })
}

fn past_samples() -> Vec<CommandSample> {
    const TAKEN_BACK: &str = "writes every row of the import it takes back";
    let mended = |w: &BenchWorld| -> CommandResult {
        let past = accept_import(w, 1_000)?;
        let page = w.run_command("import_rejects", json!({ "past": past, "from": 0, "count": 1 }))?;
        let edit = json!({ "reject": page["rows"][0]["reject"], "column": 0, "text": "+447700900123" });
        Ok(json!({ "past": past, "edits": [edit] }))
    };
    vec![
        plain_sample("import_history", "", json!({ "page_number": 1, "page_size": 50 })),
        past_sample("import_past", "", json!({})),
        past_sample("import_rejects", "", json!({ "from": 0, "count": 500 })),
        quick_sample("import_rejects_mend", "a row", move |w, _| mended(w)),
        quick_sample("import_rejects_accept", "a row", move |w, _| {
            let request = mended(w)?;
            w.run_command("import_rejects_mend", request.clone())?;
            Ok(json!({ "past": request["past"], "typed_count": null }))
        }),
        past_sample("import_rejects_discard", "20 rows", json!({ "rejects": [] })),
        past_sample("import_rejects_save", "20 rows", json!({ "name": "Left out" })),
        past_sample("import_rejects_file", "20 rows", json!({})),
        long_sample("import_revert_preview", "20,000 rows", TAKEN_BACK, |w, _| {
            Ok(json!({ "past": accept_import(w, ROWS)? }))
        }),
        long_sample("import_revert", "20,000 rows", TAKEN_BACK, |w, _| Ok(json!({ "past": accept_import(w, ROWS)? }))),
        long_sample("opt_out_import_file", "20,000 rows", "reads and checks whole files", |w, _| {
            let request = json!({ "region": "GB", "channels": ["SMS"], "columns": null });
            with_member(request, "import", read_import(w, ROWS)?)
        }),
    ]
}
