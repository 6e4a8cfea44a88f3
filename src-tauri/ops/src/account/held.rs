//! Reports everything that is held about one phone number, as a person may ask for it: in every table of the account and
//! in every copy beside it.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use roost_model::phone::{self, Phone, Region};
use roost_reconcile::audit::ErasureRecord;
use roost_store::{
    files::output,
    tables::{settings, sync::audit},
    upkeep::{backup, erasure::copies, held, reading},
};
use serde::Serialize;
use serde_json::{Map, Value, json};

pub use roost_store::upkeep::held::{HeldRecord, HeldValue};

use crate::{core::Core, error::Result};

/// The suffix of the folder of the imports that are under way.
pub(super) const IMPORTS: &str = ".imports";
/// The suffix of the folder in which a server keeps its state and its snapshots.
pub(super) const SERVER_STATE: &str = ".world";

/// Returns the folder beside an account whose name ends with this suffix, unless there is nothing in it.
pub(super) fn find_folder_beside(account: &Path, suffix: &str) -> Option<PathBuf> {
    let mut folder = account.as_os_str().to_owned();
    folder.push(suffix);
    let folder = PathBuf::from(folder);
    fs::read_dir(&folder).is_ok_and(|mut entries| entries.next().is_some()).then_some(folder)
}

/// Returns a number as it is searched for.
pub(super) fn to_wanted(number: &str) -> held::WantedNumber<'_> {
    let digits = number.trim_start_matches('+');
    let code = phone::calling_code(number).unwrap_or_default();
    held::WantedNumber { e164: number, national: digits.strip_prefix(&*code).unwrap_or(digits) }
}

/// Returns the number to search for. A text that is not a valid number can be in a draft or a note, so it is searched for
/// like one.
pub fn to_searched_number(valid: Option<Phone>, raw: &str, region: Option<Region>) -> Option<String> {
    valid.map(|phone| phone.e164).or_else(|| phone::write_unknown(raw, region))
}

/// What a row is about, as people name it. Several tables may have one name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum HeldKind {
    Contacts,
    OptOuts,
    OptOutHistory,
    Drafts,
    Clicks,
    Imports,
    RejectedRows,
    Jobs,
    Activity,
    ChangeLog,
    UndoMemory,
    SyncState,
    ServiceAudit,
    Settings,
    Other,
}

impl HeldKind {
    pub fn from_table(table: &str) -> Self {
        match table {
            "contacts" => Self::Contacts,
            "opt_outs" => Self::OptOuts,
            "opt_out_events" => Self::OptOutHistory,
            "clicks" => Self::Clicks,
            "row_changes" => Self::UndoMemory,
            "steps" => Self::Activity,
            "changes" => Self::ChangeLog,
            "drafts" => Self::Drafts,
            "imports" => Self::Imports,
            "import_rejects" => Self::RejectedRows,
            "jobs" | "job_outcomes" => Self::Jobs,
            "audit" => Self::ServiceAudit,
            "settings" | "ui_state" | "saved_views" => Self::Settings,
            _ if table.starts_with("sync_") => Self::SyncState,
            _ => Self::Other,
        }
    }
}

/// Returns the words that people use for the rows of a table.
pub fn describe_table(table: &str) -> &str {
    match HeldKind::from_table(table) {
        HeldKind::Contacts => "contacts in lists",
        HeldKind::OptOuts => "opt-outs",
        HeldKind::OptOutHistory => "history of opt-outs",
        HeldKind::Clicks => "clicks of short links",
        HeldKind::UndoMemory => "undo memory",
        HeldKind::Activity => "activity",
        HeldKind::ChangeLog => "log of changes",
        HeldKind::Drafts => "drafts",
        HeldKind::Imports => "history of imports",
        HeldKind::RejectedRows => "rejected rows of imports",
        HeldKind::Jobs => "jobs",
        HeldKind::ServiceAudit => "record of what was done at the service",
        HeldKind::Settings => "settings and views",
        HeldKind::SyncState => "state of the sync",
        HeldKind::Other => table,
    }
}

/// Adds up the rows of tables by what they are about.
pub fn count_by_kind<'a>(rows: impl IntoIterator<Item = (&'a str, u64)>) -> BTreeMap<HeldKind, u64> {
    let mut counts = BTreeMap::new();
    for (table, count) in rows {
        *counts.entry(HeldKind::from_table(table)).or_default() += count;
    }
    counts
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeldReport {
    /// The number in E.164 form.
    pub number: String,
    pub records: Vec<HeldRecord>,
    /// The copies of the account, the damaged files that were set aside, and what killed restores left.
    pub copies: Vec<HeldInCopy>,
    /// Whether imports are under way. Their files are not searched.
    pub has_imports: bool,
    /// Whether a server keeps its state beside the account, which is not searched.
    pub has_server_state: bool,
    /// When what was held about the number was erased before.
    pub erased_at: Vec<String>,
    /// When something was erased whose traces are still in unused parts of the file.
    pub unfinished_erasure: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeldInCopy {
    pub path: PathBuf,
    /// `None` if the copy cannot be read.
    pub records: Option<Vec<HeldRecord>>,
}

impl HeldReport {
    /// Returns the whole report, as it is saved for the person who asked.
    pub fn to_json(&self) -> Value {
        let copies = self.copies.iter().map(|copy| {
            let records = copy.records.as_deref().map(records_json);
            json!({ "file": copy.path.to_string_lossy(), "records": records })
        });
        json!({
            "number": self.number,
            "records": records_json(&self.records),
            "copies": copies.collect::<Vec<_>>(),
            "imports_not_searched": self.has_imports,
            "server_state_not_searched": self.has_server_state,
            "erased_at": self.erased_at,
            "unfinished_erasure": self.unfinished_erasure,
        })
    }
}

fn records_json(records: &[HeldRecord]) -> Vec<Value> {
    let to_value = |value: &HeldValue| match value {
        HeldValue::Empty => Value::Null,
        HeldValue::Number(text) | HeldValue::Text(text) => Value::from(text.as_str()),
    };
    let to_row = |record: &HeldRecord| {
        let values = record.values.iter().filter(|(_, value)| *value != HeldValue::Empty);
        let values: Map<String, Value> = values.map(|(name, value)| (name.clone(), to_value(value))).collect();
        json!({ "what": describe_table(&record.table), "table": record.table, "is_mention": record.is_mention, "values": values })
    };
    records.iter().map(to_row).collect()
}

/// Searches an account, open in another process or not, and every file beside it with an earlier state. Changes nothing.
pub fn find_held(account: &Path, number: &str) -> Result<HeldReport> {
    let account = output::resolve_links(account);
    let wanted = to_wanted(number);
    let records = held::find_held(&account, &wanted)?;
    let search = |path: PathBuf| HeldInCopy { records: held::find_held(&path, &wanted).ok(), path };
    let unfinished = backup::list_unfinished_restores(&account);
    let copies = copies::list_earlier_files(&account).into_iter().chain(unfinished).map(search).collect();
    let unfinished_erasure = find_unfinished_erasure(&account)?;
    let mut erased_at = find_erasures(&account, number)?;
    erased_at.retain(|at| unfinished_erasure.as_ref() != Some(at));
    Ok(HeldReport {
        number: number.to_owned(),
        records,
        copies,
        has_imports: find_folder_beside(&account, IMPORTS).is_some(),
        has_server_state: find_folder_beside(&account, SERVER_STATE).is_some(),
        erased_at,
        unfinished_erasure,
    })
}

/// Returns when an erasure was done that was interrupted before its end.
pub(super) fn find_unfinished_erasure(account: &Path) -> Result<Option<String>> {
    Ok(reading::read_account(account, |tx, _| Ok(settings::unfinished_erasure(tx).unwrap_or_default()))?)
}

/// Returns the erasures that the audit of an account records.
pub(super) fn read_erasures(core: &Core) -> Result<Vec<ErasureRecord>> {
    let bodies = core.read(|tx| Ok(audit::read_without_run(tx)?))?;
    Ok(bodies.iter().filter_map(|body| ErasureRecord::parse(body)).collect())
}

/// Returns when what was held about a number was erased.
fn find_erasures(account: &Path, number: &str) -> Result<Vec<String>> {
    // A schema without an audit has no record of an erasure.
    let bodies = reading::read_account(account, |tx, _| Ok(audit::read_without_run(tx).unwrap_or_default()))?;
    let erasures = bodies.iter().filter_map(|body| ErasureRecord::parse(body));
    let about = erasures.filter(|erasure| !erasure.is_undone() && erasure.is_about(number));
    Ok(about.map(|erasure| erasure.at).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_with_one_name_are_counted_together() {
        let counts = count_by_kind([("jobs", 1), ("job_outcomes", 2), ("sync_base", 3), ("later", 4), ("contacts", 5)]);
        let expected = [(HeldKind::Contacts, 5), (HeldKind::Jobs, 3), (HeldKind::SyncState, 3), (HeldKind::Other, 4)];
        assert_eq!(counts.into_iter().collect::<Vec<_>>(), expected);
        assert_eq!((describe_table("job_outcomes"), describe_table("later")), ("jobs", "later"));
    }
}
