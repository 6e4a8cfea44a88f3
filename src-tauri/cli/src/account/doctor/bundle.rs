//! The files of a diagnostic bundle. Nothing goes into one but numbers, times and words of the program.

use std::{collections::BTreeMap, env, fs, path::Path};

use roost_app::{
    diagnostics::{crash, drop_log_values, log},
    find_data_folder,
};
use roost_emulator::SETTINGS;
use roost_model::time::Timestamp;
use roost_ops::{Core, account::health};
use serde_json::{Map, Value, json};

use super::{AccountReport, CheckStatus};
use crate::failure::{CliFailure, read_failure};

/// Most lines of a log that go into a bundle: the last ones.
const LOG_LINES_MAX: usize = 500;
/// The preferences of the window, and the texts that they can have.
const PREFERENCE_NAMES: [&str; 8] = ["theme", "density", "motion", "zoom", "locale", "dates", "dir", "plainKeys"];
const PREFERENCE_WORDS: [&str; 15] = [
    "system",
    "light",
    "dark",
    "contrast",
    "comfortable",
    "compact",
    "reduced",
    "auto",
    "ltr",
    "rtl",
    "en",
    "en-XA",
    "ar-XB",
    "en-GB",
    "en-US",
];
const PREFERENCES_FILE: &str = "preferences.json";

const READ_ME: &str = "This is a diagnostic bundle of Roost, to attach to a bug report.

about.json      the version, the system, the names of the variables that are set
settings.json   the preferences of the window, as far as they are words of the program
doctor.json     what roost doctor found, without names, files and addresses
tables.json     the schema, and the number of rows of each table
log.jsonl       the last lines of the log, without the values of their fields
crashes/        the reports of crashes

It contains no data of an account: no name, no number, no address, no link, no key. Names of files and the address of the
service are left out as well.
";

/// Collects the files of a bundle by name and content.
pub(super) fn collect_files(
    db: Option<&Path>,
    report: Option<&AccountReport>,
    log_file: Option<&Path>,
    now: Timestamp,
) -> Result<Vec<(String, Vec<u8>)>, CliFailure> {
    let data_folder = find_data_folder();
    let mut files = vec![
        ("README.txt".to_owned(), READ_ME.as_bytes().to_vec()),
        ("about.json".to_owned(), to_pretty(&describe_program(now))?),
    ];
    if let Some(folder) = &data_folder {
        files.push(("settings.json".to_owned(), to_pretty(&read_preferences(folder))?));
    }
    if let Some(report) = report {
        files.push(("doctor.json".to_owned(), to_pretty(&describe_report(report))?));
    }
    if let Some(counts) = db.and_then(|db| health::count_tables(db).ok()) {
        let tables: BTreeMap<String, u64> = counts.tables.into_iter().collect();
        let about = json!({
            "schema": counts.schema,
            "tables": tables,
            "unknown_objects": counts.unknown,
            "columns_of_custom_fields": counts.custom_columns,
        });
        files.push(("tables.json".to_owned(), to_pretty(&about)?));
    }
    let mut lines = data_folder.as_deref().map(log::read_log_files).unwrap_or_default();
    if let Some(path) = log_file {
        let read = fs::read(path).map_err(|why| read_failure(path, &why))?;
        lines += &String::from_utf8_lossy(&read);
    }
    files.push(("log.jsonl".to_owned(), last_lines(&lines).into_bytes()));
    let reports = data_folder.as_deref().map(crash::list_reports).unwrap_or_default();
    for (at, report) in reports.iter().enumerate() {
        if let Ok(text) = fs::read(&report.path) {
            files.push((format!("crashes/{}-{}-{at}.txt", report.program, report.date), text));
        }
    }
    Ok(files)
}

fn to_pretty(value: &Value) -> Result<Vec<u8>, CliFailure> {
    serde_json::to_vec_pretty(value).map_err(CliFailure::new)
}

fn describe_program(now: Timestamp) -> Value {
    let is_known = |name: &str| {
        let is_setting = SETTINGS.iter().any(|setting| setting.environment_variable() == name);
        is_setting || VARIABLES.contains(&name)
    };
    let set = env::vars_os().filter_map(|(name, _)| name.into_string().ok());
    let (known, others): (Vec<String>, Vec<String>) =
        set.filter(|name| name.starts_with("ROOST_")).partition(|name| is_known(name));
    json!({
        "version": env!("CARGO_PKG_VERSION"),
        "newest_schema": Core::schema_version(),
        "time": now.to_iso(),
        "system": env::consts::OS,
        "architecture": env::consts::ARCH,
        "is_debug_build": cfg!(debug_assertions),
        "variables": known,
        "other_variables": others.len(),
    })
}

/// The variables that are named in a bundle if they are set.
const VARIABLES: [&str; 12] = [
    "ROOST_ADMIN_TOKEN",
    "ROOST_ADMIN_URL",
    "ROOST_AUTH",
    "ROOST_BIND",
    "ROOST_DATA_DIR",
    "ROOST_DB",
    "ROOST_JSON",
    "ROOST_LIMITS",
    "ROOST_LOG",
    "ROOST_LOG_FORMAT",
    "ROOST_PORT",
    "ROOST_READY_FILE",
];

fn read_preferences(folder: &Path) -> Value {
    let read = fs::read(folder.join(PREFERENCES_FILE)).ok();
    let Some(read) = read else { return json!({ "file": "missing" }) };
    let Ok(Value::Object(all)) = serde_json::from_slice(&read) else { return json!({ "file": "unreadable" }) };
    let mut known = Map::new();
    for name in PREFERENCE_NAMES {
        let preference = match all.get(name) {
            None => continue,
            Some(value @ (Value::Bool(_) | Value::Null)) => value.clone(),
            Some(Value::Number(number)) if number.as_f64().is_some_and(|number| number.abs() < 1_000.0) => {
                number.clone().into()
            }
            Some(Value::String(text)) if PREFERENCE_WORDS.contains(&text.as_str()) => text.as_str().into(),
            Some(_) => "[removed]".into(),
        };
        known.insert(name.to_owned(), preference);
    }
    let others = all.keys().filter(|name| !PREFERENCE_NAMES.contains(&name.as_str())).count();
    json!({ "file": "read", "bytes": read.len(), "known": known, "others": others })
}

fn describe_report(report: &AccountReport) -> Value {
    let checks: Vec<Value> = report
        .checks
        .iter()
        .map(|check| json!({ "check": check.check, "status": check.status, "data": check.data }))
        .collect();
    let needs_attention = report.checks.iter().filter(|check| check.status != CheckStatus::Ok).count();
    json!({ "sound": report.is_sound, "needs_attention": needs_attention, "checks": checks })
}

fn last_lines(lines: &str) -> String {
    let lines_without_values: Vec<String> = lines.lines().filter_map(drop_log_values).collect();
    let last = lines_without_values.len().saturating_sub(LOG_LINES_MAX);
    lines_without_values[last..].iter().map(|line| format!("{line}\n")).collect()
}
