//! Commands on accepted imports: the history, reverting one, and the rows that were rejected.

use roost_exports::ExportError;
use roost_imports::{
    AcceptedImport,
    history::{self, ImportHistoryEntry, RevertSummary},
    ledger::ImportLedger,
    rehearse::ChangedFieldCount,
    rejects::{self, RejectEdit, RejectedRow, RejectsPage},
    session::reject_file,
    verdicts::BucketCounts,
};
use roost_model::time::Timestamp;
use roost_ops::{Actor, opt_out::LostOptOut};
use serde::{Deserialize, Serialize};

use super::super::super::{
    Bytes,
    desktop::{FileOutcome, FileSaved, choose_target},
};
use crate::{
    accounts::App,
    desktop::FileKind,
    error::CommandError,
    file::{Durability, write_whole},
    reading::{PageResponse, check_count, check_range, read_page_request},
};

/// An import of the history by its number.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct ImportPastId {
    pub past: i64,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct ImportHistory {
    pub page_number: u32,
    pub page_size: u32,
}

/// An import that was accepted.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct ImportPast {
    pub past: i64,
    pub step: i64,
    pub at: Timestamp,
    /// The UID of the list, and its name at that time.
    pub list: String,
    pub list_name: String,
    pub list_exists: bool,
    /// The names of the files.
    pub name: String,
    pub kind: String,
    pub counts: BucketCounts,
    /// The number of changed contacts for each field.
    pub fields: Vec<ChangedFieldCount>,
    /// Opt-outs that the import added.
    pub opt_outs: u64,
    /// Everything that the files held, and the result for each part.
    pub ledger: ImportLedger,
    /// Rejected rows that are not fixed yet.
    pub rejects: u64,
    /// The import that first rejected these rows, if this one imported rejected rows.
    pub of: Option<i64>,
    pub reverted_at: Option<Timestamp>,
    pub can_revert: bool,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct ImportRejectsGet {
    pub past: i64,
    pub from: u64,
    /// At most 500.
    pub count: u32,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct ImportRejectsMend {
    pub past: i64,
    /// At most 10,000.
    pub edits: Vec<RejectEdit>,
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct ImportRejectsMended {
    /// The edited rows, checked again.
    pub rows: Vec<RejectedRow>,
}

/// The result of importing fixed rows.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct ImportRejectsAccepted {
    /// The fixed rows are an import of their own in the history.
    pub past: i64,
    pub step: i64,
    pub counts: BucketCounts,
    /// The opt-outs that the new numbers of changed contacts lack.
    pub lost_opt_outs: Vec<LostOptOut>,
    /// Rejected rows that are not fixed yet.
    pub left: u64,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct ImportRejectsDiscard {
    pub past: i64,
    /// Empty means all rejected rows of the import.
    pub rejects: Vec<i64>,
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct ImportRejectsDiscarded {
    pub discarded: u64,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct ImportRejectsSave {
    pub past: i64,
    /// The name that the dialog suggests.
    pub name: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct ImportRejectsAccept {
    pub past: i64,
    /// The number of opt-outs that consent columns will add, typed by the user. Null if there are none.
    pub typed_count: Option<u64>,
}

/// The maximum number of rows that a page can request at once. `EDITS_MAX` limits the cells that it can fix at once.
const ROWS_MAX: u32 = 500;
const EDITS_MAX: usize = 10_000;

impl From<ImportHistoryEntry> for ImportPast {
    fn from(imported: ImportHistoryEntry) -> Self {
        Self {
            past: imported.import,
            step: imported.step,
            at: imported.at,
            list: imported.list_uid.to_string(),
            list_name: imported.list_name,
            list_exists: imported.list_exists,
            name: imported.name,
            kind: imported.kind,
            counts: imported.summary.counts,
            fields: imported.summary.fields.into_iter().filter(|counted| counted.count > 0).collect(),
            opt_outs: imported.summary.opt_outs,
            ledger: imported.summary.ledger,
            rejects: imported.rejects,
            of: imported.of,
            reverted_at: imported.reverted_at,
            can_revert: imported.can_revert,
        }
    }
}

pub(crate) fn history(app: &App, _: &Actor, request: ImportHistory) -> Result<PageResponse<ImportPast>, CommandError> {
    let wanted = read_page_request(request.page_number, request.page_size)?;
    let page = history::page(&app.core()?, wanted)?;
    Ok(PageResponse::new(page, wanted).map(ImportPast::from))
}

pub(crate) fn past(app: &App, _: &Actor, request: ImportPastId) -> Result<ImportPast, CommandError> {
    Ok(history::get(&app.core()?, request.past)?.into())
}

pub(crate) fn revert_preview(app: &App, by: &Actor, request: ImportPastId) -> Result<RevertSummary, CommandError> {
    Ok(history::preview_revert(&app.core()?, by, request.past)?)
}

pub(crate) fn revert(app: &App, by: &Actor, request: ImportPastId) -> Result<RevertSummary, CommandError> {
    Ok(history::revert(&app.core()?, by, request.past)?)
}

pub(crate) fn rejects(app: &App, _: &Actor, request: ImportRejectsGet) -> Result<RejectsPage, CommandError> {
    check_range("count", request.count, ROWS_MAX)?;
    let account = app.account()?;
    let rehearsed = &account.imports().rehearsed_rejects;
    Ok(rejects::list_rejects(&account.core, rehearsed, request.past, request.from, request.count)?)
}

pub(crate) fn rejects_mend(
    app: &App,
    by: &Actor,
    request: ImportRejectsMend,
) -> Result<ImportRejectsMended, CommandError> {
    check_count("edits", request.edits.len(), EDITS_MAX)?;
    let account = app.account()?;
    let rows =
        rejects::fix_rejects(&account.core, &account.imports().rehearsed_rejects, by, request.past, &request.edits)?;
    Ok(ImportRejectsMended { rows })
}

pub(crate) fn rejects_accept(
    app: &App,
    by: &Actor,
    request: ImportRejectsAccept,
) -> Result<ImportRejectsAccepted, CommandError> {
    let done = rejects::accept_rejects(&app.core()?, by, request.past, request.typed_count)?;
    let AcceptedImport { import, step, counts, lost_opt_outs, .. } = done.accepted;
    Ok(ImportRejectsAccepted { past: import, step, counts, lost_opt_outs, left: done.left })
}

pub(crate) fn rejects_discard(
    app: &App,
    by: &Actor,
    request: ImportRejectsDiscard,
) -> Result<ImportRejectsDiscarded, CommandError> {
    let discarded = rejects::discard_rejects(&app.core()?, by, request.past, &request.rejects)?;
    Ok(ImportRejectsDiscarded { discarded })
}

pub(crate) fn rejects_save(app: &App, _: &Actor, request: ImportRejectsSave) -> Result<FileSaved, CommandError> {
    let core = app.core()?;
    if !app.has_desktop() {
        return Ok(FileSaved { outcome: FileOutcome::Unsupported, path: None });
    }
    let Some(path) = choose_target(app, &request.name, FileKind::Csv)? else {
        return Ok(FileSaved { outcome: FileOutcome::Cancelled, path: None });
    };
    let written = write_whole(&path, Durability::Durable, |out| reject_file::write_rejects(&core, request.past, out));
    written.map_err(|broken| match broken {
        ExportError::Account(why) => CommandError::from(why),
        ExportError::File(why) => CommandError::file(&path, &why),
    })?;
    Ok(FileSaved { outcome: FileOutcome::Saved, path: Some(path.to_string_lossy().into_owned()) })
}

pub(crate) fn rejects_file(app: &App, _: &Actor, request: ImportPastId) -> Result<Bytes, CommandError> {
    let mut out = Vec::new();
    reject_file::write_rejects(&app.core()?, request.past, &mut out).map_err(|broken| match broken {
        ExportError::Account(why) => CommandError::from(why),
        ExportError::File(why) => CommandError::internal(&why),
    })?;
    Ok(Bytes(out))
}
