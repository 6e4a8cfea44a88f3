//! Requests of file imports. Their long work runs in the background.

use roost_sheets::write::xlsx::{SheetRows, Workbook};
use serde_json::{Value, json};

use super::{
    samples::{Sample, long, plain, quick},
    world::{Asked, World},
};

/// The number of rows in a typical file.
const ROWS: usize = 20_000;

pub fn all() -> Vec<Sample> {
    [files(), mapping(), rehearsal(), past()].into_iter().flatten().collect()
}

/// Returns a table with numbers of the account and some invalid ones.
fn table(w: &World, rows: usize) -> String {
    let from = w.fresh() * 37;
    let row = |(n, number): (usize, &&String)| match n % 50 {
        0 => format!("12,Name {n},York\n"),
        _ => format!("{number},Name {n},York\n"),
    };
    let rows: String = w.some_numbers(from, 1, rows).iter().enumerate().map(row).collect();
    format!("Phone,First name,City\n{rows}")
}

fn opening(w: &World, rows: usize) -> Value {
    let text = json!({ "name": "People.csv", "text": table(w, rows) });
    json!({ "purpose": "contacts", "sources": [{ "text": text }], "target": { "list": w.list(50) } })
}

/// Waits until no work is running.
fn settled(w: &World, import: &Value) -> Asked {
    loop {
        let state = w.call("import_state", json!({ "import": import, "generation": null, "wait_ms": 1_000 }))?;
        if state["progress"].is_null() {
            return Ok(state);
        }
    }
}

/// Opens and reads an import, and discards earlier ones.
fn read(w: &World, rows: usize) -> Asked {
    for waiting in w.call("import_waiting", json!({}))?["imports"].as_array().into_iter().flatten() {
        settled(w, &waiting["import"])?;
        w.call("import_discard", json!({ "import": waiting["import"] }))?;
    }
    let import = w.call("import_open", opening(w, rows))?["import"].take();
    settled(w, &import)?;
    Ok(import)
}

/// Opens an import of a workbook with two sheets of different columns, and reads the first.
fn read_book(w: &World, rows: usize) -> Asked {
    let import = read(w, 10)?;
    w.call("import_remove_file", json!({ "import": import, "file": 1 }))?;
    let bytes = book(&w.some_numbers(w.fresh() * 37, 1, rows)).map_err(|why| why.to_string())?;
    let upload = json!({ "upload": { "name": "Book.xlsx", "size": bytes.len() } });
    w.call("import_add", json!({ "import": import, "sources": [upload] }))?;
    let content = base64(&bytes);
    w.call(
        "import_upload",
        json!({ "import": import, "file": 2, "from": 0, "content_base64": content, "is_last": true }),
    )?;
    settled(w, &import)?;
    Ok(import)
}

fn book(numbers: &[&String]) -> std::io::Result<Vec<u8>> {
    let mut book = Workbook::begin(std::io::Cursor::new(Vec::new()), "May", true)?;
    for (sheet, heads) in [["Phone", "City"], ["Mobile", "Town"]].into_iter().enumerate() {
        if sheet > 0 {
            book.next_sheet()?;
        }
        let (mut rows, mut markup) = (SheetRows::default(), Vec::new());
        rows.heads(heads, &mut markup);
        numbers.iter().for_each(|number| rows.row([number.as_str(), "York"], &mut markup));
        book.rows(&markup)?;
    }
    Ok(book.end()?.into_inner())
}

fn base64(bytes: &[u8]) -> String {
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

fn rehearsed(w: &World, rows: usize) -> Asked {
    let import = read(w, rows)?;
    w.call("import_rehearse", json!({ "import": import }))?;
    settled(w, &import)?;
    Ok(import)
}

/// Accepts an import and returns its number in the history.
fn accepted(w: &World, rows: usize) -> Asked {
    let import = rehearsed(w, rows)?;
    w.call("import_accept", json!({ "import": import, "typed_count": null }))?;
    Ok(settled(w, &import)?["accepted"]["past"].take())
}

fn of_read(command: &'static str, what: &'static str, more: Value) -> Sample {
    quick(command, what, move |w, _| with(more.clone(), "import", read(w, ROWS)?))
}

fn of_rehearsed(command: &'static str, what: &'static str, more: Value) -> Sample {
    quick(command, what, move |w, _| with(more.clone(), "import", rehearsed(w, ROWS)?))
}

fn of_past(command: &'static str, what: &'static str, more: Value) -> Sample {
    quick(command, what, move |w, _| with(more.clone(), "past", accepted(w, 1_000)?))
}

fn with(mut request: Value, key: &str, value: Value) -> Asked {
    request[key] = value;
    Ok(request)
}

fn files() -> Vec<Sample> {
    let usual = json!({ "kind": null, "encoding": null, "dialect": null, "sheet": null, "head": "nowhere", "takes_part": false });
    vec![
        plain("import_pick", "", json!({})),
        plain("import_offered", "", json!({})),
        plain("import_encodings", "", json!({})),
        quick("import_open", "1,000 rows pasted", |w, _| {
            read(w, 1)?;
            Ok(opening(w, 1_000))
        }),
        quick("import_add", "1,000 rows pasted", |w, _| {
            let source = json!({ "text": { "name": "More.csv", "text": table(w, 1_000) } });
            with(json!({ "sources": [source] }), "import", read(w, 1_000)?)
        }),
        quick("import_upload", "1 MiB", |w, _| {
            let import = read(w, 1)?;
            let source = json!({ "upload": { "name": "More.csv", "size": 8 << 20 } });
            w.call("import_add", json!({ "import": import, "sources": [source] }))?;
            let content = "QUJD".repeat((1 << 20) / 3);
            Ok(json!({ "import": import, "file": 2, "from": 0, "content_base64": content, "is_last": false }))
        }),
        of_read("import_state", "20,000 rows", json!({ "generation": null, "wait_ms": null })),
        plain("import_waiting", "", json!({})),
        of_read("import_cancel", "nothing under way", json!({})),
        of_read("import_discard", "20,000 rows", json!({})),
        of_read("import_read", "20,000 rows that are read", json!({})),
        quick("import_source", "20,000 rows", move |w, _| {
            with(json!({ "file": 1, "settings": usual }), "import", read(w, ROWS)?)
        }),
        of_read("import_remove_file", "", json!({ "file": 1 })),
        quick("import_parts", "two sheets of 1,000 rows", |w, _| {
            with(json!({ "file": 2, "parts": ["May", "May 2"] }), "import", read_book(w, 1_000)?)
        }),
        of_read("import_sample", "the last of 20,000 rows", json!({ "file": 1, "from": ROWS - 200, "count": 200 })),
        quick("import_target", "a new list", |w, _| {
            let name = format!("New {}", w.fresh());
            with(json!({ "target": { "new_list": name } }), "import", read(w, ROWS)?)
        }),
    ]
}

fn mapping() -> Vec<Sample> {
    let saved = |w: &World| -> Asked {
        let import = read(w, 10)?;
        w.call("import_profile_save", json!({ "import": import, "name": "Shop" }))?;
        Ok(json!({ "import": import, "name": "Shop" }))
    };
    vec![
        of_read("import_columns", "20,000 rows", json!({})),
        quick("import_map", "20,000 rows", |w, _| {
            let import = read(w, ROWS)?;
            let mut mapping = w.call("import_columns", json!({ "import": import }))?["mapping"].take();
            mapping["rule"] = json!("if_different");
            Ok(json!({ "import": import, "mapping": mapping }))
        }),
        quick("import_profile_save", "", |w, _| with(json!({ "name": "Shop" }), "import", read(w, 10)?)),
        quick("import_profile_list", "", |w, _| with(json!({}), "import", read(w, 10)?)),
        quick("import_profile_use", "", move |w, _| saved(w)),
        quick("import_profile_write", "", move |w, _| {
            saved(w)?;
            Ok(json!({ "name": "Shop" }))
        }),
        quick("import_profile_read", "", move |w, _| {
            saved(w)?;
            Ok(json!({ "text": w.call("import_profile_write", json!({ "name": "Shop" }))?["text"] }))
        }),
        quick("import_profile_remove", "", move |w, _| {
            saved(w)?;
            Ok(json!({ "name": "Shop" }))
        }),
    ]
}

fn rehearsal() -> Vec<Sample> {
    let rows = json!({ "bucket": null, "reason": null, "field": null, "from": 10_000, "count": 100 });
    let invalid = json!({ "bucket": "invalid", "reason": null, "field": null, "from": 100, "count": 100 });
    vec![
        of_read("import_rehearse", "20,000 rows", json!({})),
        of_rehearsed("import_rehearsal", "20,000 rows", json!({})),
        of_rehearsed("import_rows", "100 of 20,000", rows),
        of_rehearsed("import_rows", "100 invalid ones", invalid),
        of_rehearsed("import_problem", "in 20,000 rows", json!({ "after": 10_000, "backwards": false })),
        of_rehearsed(
            "import_mend",
            "a row of 20,000",
            json!({ "row": 1, "cells": [{ "column": 0, "text": "07700 900001" }] }),
        ),
        of_rehearsed("import_accept", "20,000 rows", json!({ "typed_count": null })),
    ]
}

fn past() -> Vec<Sample> {
    const TAKEN_BACK: &str = "writes every row of the import it takes back";
    let mended = |w: &World| -> Asked {
        let past = accepted(w, 1_000)?;
        let page = w.call("import_rejects", json!({ "past": past, "from": 0, "count": 1 }))?;
        let edit = json!({ "reject": page["rows"][0]["reject"], "column": 0, "text": "+447700900123" });
        Ok(json!({ "past": past, "edits": [edit] }))
    };
    vec![
        plain("import_history", "", json!({ "page_number": 1, "page_size": 50 })),
        of_past("import_past", "", json!({})),
        of_past("import_rejects", "", json!({ "from": 0, "count": 500 })),
        quick("import_rejects_mend", "a row", move |w, _| mended(w)),
        quick("import_rejects_accept", "a row", move |w, _| {
            let request = mended(w)?;
            w.call("import_rejects_mend", request.clone())?;
            Ok(json!({ "past": request["past"], "typed_count": null }))
        }),
        of_past("import_rejects_discard", "20 rows", json!({ "rejects": [] })),
        of_past("import_rejects_save", "20 rows", json!({ "name": "Left out" })),
        of_past("import_rejects_file", "20 rows", json!({})),
        long("import_revert_preview", "20,000 rows", TAKEN_BACK, |w, _| Ok(json!({ "past": accepted(w, ROWS)? }))),
        long("import_revert", "20,000 rows", TAKEN_BACK, |w, _| Ok(json!({ "past": accepted(w, ROWS)? }))),
        long("opt_out_import_file", "20,000 rows", "reads and checks whole files", |w, _| {
            let request = json!({ "region": "GB", "channels": ["SMS"], "columns": null });
            with(request, "import", read(w, ROWS)?)
        }),
    ]
}
