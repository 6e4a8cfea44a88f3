//! The history of imports, newest first, and reverting an import: at once, or days later without losing later edits.

use roost_model::{
    id::ListId,
    page::{Page, PageRequest},
    time::Timestamp,
};
use roost_store::{
    change_log::{ChangeAction, ChangeLogEntry, Noun},
    error::StoreError,
    row_changes::import_reversal,
    tables::{imports, steps},
    tx::{ActDescription, WriteTx},
};
use serde::Serialize;

pub use roost_store::row_changes::import_reversal::RevertSummary;

use super::rehearse::ImportSummary;
use roost_ops::{
    core::{Actor, Core},
    error::{Error, Result},
};

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ImportHistoryEntry {
    pub import: i64,
    pub step: i64,
    pub at: Timestamp,
    pub list_uid: ListId,
    /// The name of the list at the time of the import.
    pub list_name: String,
    pub list_exists: bool,
    pub name: String,
    pub kind: String,
    pub summary: ImportSummary,
    /// Refused rows that are still stored.
    pub rejects: u64,
    /// The earlier import whose refused rows this one imported.
    pub of: Option<i64>,
    pub reverted_at: Option<Timestamp>,
    pub can_revert: bool,
}

impl ImportHistoryEntry {
    fn from_stored(stored: imports::ImportRecord) -> Result<Self> {
        let summary = serde_json::from_str(&stored.result)
            .map_err(|why| Error::conflict(format!("The stored result of import {} is invalid: {why}.", stored.id)))?;
        Ok(Self {
            import: stored.id,
            step: stored.step,
            at: stored.at,
            list_uid: stored.list,
            list_name: stored.list_name,
            list_exists: stored.list_exists,
            name: stored.name,
            kind: stored.kind,
            summary,
            rejects: stored.rejects,
            of: stored.of,
            reverted_at: stored.reverted_at,
            can_revert: stored.reverted_at.is_none() && stored.is_remembered,
        })
    }
}

pub fn page(core: &Core, page: PageRequest) -> Result<Page<ImportHistoryEntry>> {
    let found = core.read(|tx| Ok(imports::read_page(tx, page)?))?;
    let items = found.items.into_iter().map(ImportHistoryEntry::from_stored).collect::<Result<_>>()?;
    Ok(Page { items, total_items: found.total_items })
}

pub fn get(core: &Core, import: i64) -> Result<ImportHistoryEntry> {
    ImportHistoryEntry::from_stored(core.read(|tx| require_import(imports::get(tx, import)?))?)
}

/// Returns the import that was accepted with a mark.
pub(super) fn find_marked(core: &Core, mark: &str) -> Result<Option<ImportHistoryEntry>> {
    core.read(|tx| Ok::<_, Error>(imports::find_by_mark(tx, mark)?))?.map(ImportHistoryEntry::from_stored).transpose()
}

/// Returns an error if an import is missing, because undoing an import removes it from the history.
pub(super) fn require_import<T>(found: Option<T>) -> Result<T> {
    found.ok_or_else(|| Error::conflict("This import is no longer in the history. Check the history again."))
}

/// Returns what reverting would change. It reverts the import and rolls the transaction back.
pub fn preview_revert(core: &Core, by: &Actor, import: i64) -> Result<RevertSummary> {
    enum PreviewOutcome {
        Reverted(RevertSummary),
        Failed(Error),
    }
    impl<E: Into<Error>> From<E> for PreviewOutcome {
        fn from(error: E) -> Self {
            Self::Failed(error.into())
        }
    }
    let looked = core.write(by, |tx| {
        revert_in_tx(tx, import)
            .map_or_else(|e| Err(PreviewOutcome::Failed(e)), |summary| Err::<(), _>(PreviewOutcome::Reverted(summary)))
    });
    match looked {
        Err(PreviewOutcome::Reverted(summary)) => Ok(RevertSummary { step: None, ..summary }),
        Err(PreviewOutcome::Failed(error)) => Err(error),
        Ok(()) => Err(StoreError::Cancelled.into()),
    }
}

/// Reverts an import in a new step: deletes contacts that nobody edited since and restores values that nobody changed
/// since. The opt-outs that it added stay.
pub fn revert(core: &Core, by: &Actor, import: i64) -> Result<RevertSummary> {
    core.write(by, |tx| revert_in_tx(tx, import))
}

fn revert_in_tx(tx: &WriteTx, import: i64) -> Result<RevertSummary> {
    let stored = require_import(imports::get(tx, import)?)?;
    if stored.reverted_at.is_some() {
        return Err(Error::conflict("This import was already reverted."));
    }
    let step = steps::get(tx, stored.step)?
        .filter(|_| stored.is_remembered)
        .ok_or_else(|| Error::conflict("The changes of this import are no longer kept, so it cannot be reverted."))?;
    tx.expect_rows(step.count);
    let reversal = import_reversal::revert_import(tx, &step, &stored.list)?;
    imports::set_reverted(tx, import)?;
    tx.describe_act(
        ActDescription::new("import_revert")
            .of_step(step.id)
            .with_subject(stored.name)
            .with_uid(&stored.list)
            .with_count(reversal.deleted + reversal.restored),
    );
    tx.log_change(ChangeLogEntry::single(Noun::List, ChangeAction::Updated, &stored.list));
    for (action, count) in [(ChangeAction::Deleted, reversal.deleted), (ChangeAction::Updated, reversal.restored)] {
        if count > 0 {
            tx.log_change(ChangeLogEntry::many(Noun::Contact, action, &stored.list, count));
        }
    }
    Ok(RevertSummary { step: Some(tx.step()), ..reversal })
}
