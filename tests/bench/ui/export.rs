//! Requests for exported files: previews, whole files in every format, and fetching them.

use serde_json::{Value, json};

use super::{
    samples::{CommandSample, long_sample, quick_sample},
    world::BenchWorld,
};

const LARGE: usize = 0;
const COLUMNS: [&str; 8] =
    ["phone_number", "title", "firstname", "lastname", "email_address", "city", "country", "field_1"];
const READS: &str = "reads all contacts of the list";

pub(super) fn all_samples() -> Vec<CommandSample> {
    let whole = |what, format: Value| {
        let request =
            move |w: &BenchWorld, _| Ok(json!({ "export": export_request(w, LARGE, &format), "name": "List" }));
        long_sample("export_run", what, READS, request)
    };
    vec![
        quick_sample("export_preview", "of 100,000", |w, _| Ok(export_request(w, LARGE, &csv_format()))),
        quick_sample("export_part", "1 MiB", |w, _| {
            Ok(json!({ "file": export_file(w)?, "from": 0, "count": 1 << 20 }))
        }),
        quick_sample("export_discard", "", |w, _| Ok(json!({ "file": export_file(w)? }))),
        whole("100,000 as CSV", csv_format()),
        whole("100,000 as a workbook", json!("xlsx")),
        whole("100,000 as cards", json!("vcard4")),
        whole("100,000 as a seed", json!("seed")),
    ]
}

fn csv_format() -> Value {
    json!({ "csv": { "delimiter": "comma", "is_guarded": true, "has_mark": true } })
}

fn export_request(w: &BenchWorld, list: usize, format: &Value) -> Value {
    json!({ "what": { "lists": [w.list_uid(list)] }, "format": format, "columns": COLUMNS, "headings": COLUMNS })
}

/// Exports a file that waits to be fetched.
fn export_file(w: &BenchWorld) -> super::world::CommandResult {
    Ok(w.run_command("export_run", json!({ "export": export_request(w, 7, &csv_format()), "name": "List" }))?["file"]
        .clone())
}
