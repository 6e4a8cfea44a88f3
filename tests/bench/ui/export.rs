//! Requests for exported files: previews, whole files in every format, and fetching them.

use serde_json::{Value, json};

use super::{
    samples::{Sample, long, quick},
    world::World,
};

const LARGE: usize = 0;
const COLUMNS: [&str; 8] =
    ["phone_number", "title", "firstname", "lastname", "email_address", "city", "country", "field_1"];
const READS: &str = "reads all contacts of the list";

pub fn all() -> Vec<Sample> {
    let whole = |what, format: Value| {
        let request = move |w: &World, _| Ok(json!({ "export": of(w, LARGE, &format), "name": "List" }));
        long("export_run", what, READS, request)
    };
    vec![
        quick("export_preview", "of 100,000", |w, _| Ok(of(w, LARGE, &csv()))),
        quick("export_part", "1 MiB", |w, _| Ok(json!({ "file": made(w)?, "from": 0, "count": 1 << 20 }))),
        quick("export_discard", "", |w, _| Ok(json!({ "file": made(w)? }))),
        whole("100,000 as CSV", csv()),
        whole("100,000 as a workbook", json!("xlsx")),
        whole("100,000 as cards", json!("vcard4")),
        whole("100,000 as a seed", json!("seed")),
    ]
}

fn csv() -> Value {
    json!({ "csv": { "delimiter": "comma", "is_guarded": true, "has_mark": true } })
}

fn of(w: &World, list: usize, format: &Value) -> Value {
    json!({ "what": { "lists": [w.list(list)] }, "format": format, "columns": COLUMNS, "headings": COLUMNS })
}

/// Exports a file that waits to be fetched.
fn made(w: &World) -> super::world::Asked {
    Ok(w.call("export_run", json!({ "export": of(w, 7, &csv()), "name": "List" }))?["file"].clone())
}
