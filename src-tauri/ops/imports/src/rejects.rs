//! Handles the refused rows of an import: they are stored with it, can be fixed, and can be imported later.

use std::{
    collections::{BTreeMap, HashMap},
    sync::{Arc, Mutex, PoisonError},
};

use roost_model::{error::FieldError, phone::Region};
use roost_sheets::{RowBlock, RowFlag, RowFlags};
use roost_store::{
    change_log::{ActorKind, ChangeAction, ChangeLogEntry, Noun},
    tables::{
        custom_fields,
        imports::{
            self, ImportRecord,
            rejects::{self as stored, StoredReject},
        },
    },
    tx::{ActDescription, ReadTx},
    watch::Watch,
};
use serde::{Deserialize, Serialize};

use super::{
    accept::{self, AcceptOptions, AcceptedImport},
    history::require_import,
    mapping::OpenMapping,
    rehearse::{SpooledRows, rehearse_rows},
    spool::Spool,
    validate::{RejectReason, RowPlan},
    verdicts::RowBucket,
};
use roost_ops::{
    core::{Actor, Core},
    error::{Error, Result},
};

/// Rows that are read at once.
const CHUNK_ROWS: u32 = 1_000;
/// Cells that can be fixed at once.
const EDITS_MAX: usize = 10_000;

/// A row that was rejected.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename = "ImportReject"))]
pub struct RejectedRow {
    pub reject: i64,
    /// The row's number in the file, from 0.
    pub row: u64,
    /// The line on which the row begins, or its number in the sheet.
    pub place: u64,
    /// One text for each column.
    pub cells: Vec<String>,
    /// Null if the row is fixed and can be imported.
    pub reason: Option<RejectReason>,
    pub message: Option<String>,
    pub field: Option<String>,
    /// What would become of the row if the fixed rows were imported now.
    pub bucket: RowBucket,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename = "ImportRejectsPage"))]
pub struct RejectsPage {
    pub total: u64,
    /// Names of the columns.
    pub columns: Vec<String>,
    pub rows: Vec<RejectedRow>,
}

/// The new text of a cell of a refused row.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename = "ImportRejectEdit"))]
pub struct RejectEdit {
    pub reject: i64,
    pub column: u32,
    pub text: String,
}

/// The result of importing the fixed rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AcceptedRejects {
    pub accepted: AcceptedImport,
    pub left: u64,
}

/// Checks refused rows by the mapping of their import.
struct RejectChecker {
    columns: Vec<String>,
    mapping: OpenMapping,
    plan: RowPlan,
}

impl RejectChecker {
    fn load(tx: &ReadTx, import: i64) -> Result<Self> {
        let (heads, mapping) = require_import(imports::read_columns(tx, import)?)?;
        let columns: Vec<String> = parse_stored(&heads)?;
        let mapping: OpenMapping = parse_stored(&mapping)?;
        let region = mapping.region.as_deref().and_then(Region::parse).unwrap_or_else(Region::gb);
        let plan = RowPlan::from_mapping(&mapping, columns.len(), &custom_fields::defined_numbers(tx)?, region)
            .map_err(|faults| Error::Invalid { faults })?;
        Ok(Self { columns, mapping, plan })
    }

    fn check_row(&self, stored: StoredReject) -> Result<RejectedRow> {
        let cells: Vec<String> = parse_stored(&stored.cells)?;
        let mut block = RowBlock::default();
        push_row(&mut block, &stored, &cells);
        let fault = self.plan.validate_row(&block.row(0)).err();
        Ok(RejectedRow {
            reject: stored.id,
            row: stored.row,
            place: stored.place,
            cells,
            reason: fault.map(|fault| fault.reason),
            message: fault.map(|fault| self.plan.explain_fault(&fault, &block.row(0))),
            field: fault.and_then(|fault| fault.field).map(|field| field.name().into_owned()),
            bucket: if fault.is_some() { RowBucket::Invalid } else { RowBucket::New },
        })
    }

    /// Finds out what an import would make of valid rows, as far as the list and the other refused rows decide.
    fn compare_rows(
        &self,
        core: &Core,
        cache: &RehearsedRejects,
        record: &ImportRecord,
        stored: Vec<StoredReject>,
    ) -> Result<Vec<RejectedRow>> {
        let mut rows = stored.into_iter().map(|row| self.check_row(row)).collect::<Result<Vec<_>>>()?;
        if rows.iter().all(|row| row.bucket == RowBucket::Invalid) {
            return Ok(rows);
        }
        let buckets = self.rehearse_all(core, cache, record)?;
        for row in &mut rows {
            row.bucket = buckets.get(&row.reject).copied().unwrap_or(row.bucket);
        }
        Ok(rows)
    }

    /// Rehearses all refused rows of an import together, once for each state of the account.
    fn rehearse_all(&self, core: &Core, cache: &RehearsedRejects, record: &ImportRecord) -> Result<RejectBuckets> {
        let state = AccountState { import: record.id, epoch: core.epoch(), last_change: core.last_change()? };
        if let Some(buckets) = cache.find(&state) {
            return Ok(buckets);
        }
        let (spool, ids) = core.read(|tx| spool_rejects(tx, record.id))?;
        let watch = Arc::new(Watch::default());
        let rehearsal = rehearse_rows(core, self.spooled_rows(&spool), &self.mapping, Some(&record.list), &watch)?;
        let buckets = ids.into_iter().enumerate().map(|(at, id)| (id, rehearsal.verdicts.bucket(at)));
        let buckets: RejectBuckets = Arc::new(buckets.collect());
        cache.store(state, buckets.clone());
        Ok(buckets)
    }

    fn spooled_rows<'a>(&'a self, spool: &'a Spool) -> SpooledRows<'a> {
        SpooledRows { spool, heads: &self.columns, first_value_row: 0, opted_out: &[] }
    }
}

/// What an import would make of each refused row.
type RejectBuckets = Arc<HashMap<i64, RowBucket>>;

/// The state of the account in which the refused rows of an import were rehearsed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct AccountState {
    import: i64,
    epoch: u64,
    last_change: i64,
}

/// The last rehearsal of refused rows, which all pages of their table share.
#[derive(Default)]
pub struct RehearsedRejects(Mutex<Option<(AccountState, RejectBuckets)>>);

impl RehearsedRejects {
    fn find(&self, state: &AccountState) -> Option<RejectBuckets> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.as_ref().filter(|(known_state, _)| known_state == state).map(|(_, buckets)| buckets.clone())
    }

    fn store(&self, state: AccountState, buckets: RejectBuckets) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some((state, buckets));
    }
}

/// Spools all refused rows of an import and returns their ids.
fn spool_rejects(tx: &ReadTx, import: i64) -> Result<(Spool, Vec<i64>)> {
    let (mut spooler, mut ids) = (RejectSpooler::new(), Vec::new());
    visit_stored(tx, import, |row| {
        ids.push(row.id);
        spooler.push(&row)
    })?;
    Ok((spooler.finish()?, ids))
}

/// Spools refused rows, so that they can be rehearsed.
struct RejectSpooler {
    spool: Spool,
    block: RowBlock,
}

impl RejectSpooler {
    fn new() -> Self {
        Self { spool: Spool::in_memory(), block: RowBlock::default() }
    }

    fn push(&mut self, stored: &StoredReject) -> Result<()> {
        push_row(&mut self.block, stored, &parse_stored::<Vec<String>>(&stored.cells)?);
        if self.block.is_full() {
            self.spool.push(&self.block).map_err(super::rehearse::to_read_error)?;
            self.block.clear();
        }
        Ok(())
    }

    fn finish(mut self) -> Result<Spool> {
        self.spool.push(&self.block).map_err(super::rehearse::to_read_error)?;
        Ok(self.spool)
    }
}

fn parse_stored<T: serde::de::DeserializeOwned>(text: &str) -> Result<T> {
    serde_json::from_str(text)
        .map_err(|why| Error::conflict(format!("This import is not kept as this program keeps it: {why}.")))
}

fn push_row(block: &mut RowBlock, stored: &StoredReject, cells: &[String]) {
    cells.iter().for_each(|cell| block.push_cell(cell));
    block.end_row(stored.place, RowFlags::from_bits(stored.flags));
}

/// Returns the headings of the refused rows.
pub fn read_columns(core: &Core, import: i64) -> Result<Vec<String>> {
    core.read(|tx| Ok(RejectChecker::load(tx, import)?.columns))
}

/// Returns some refused rows of an import, in the order of the file.
pub fn list_rejects(core: &Core, cache: &RehearsedRejects, import: i64, from: u64, count: u32) -> Result<RejectsPage> {
    let (record, judge, stored, total) = core.read(|tx| {
        let record = require_import(imports::get(tx, import)?)?;
        let stored = stored::read_page(tx, import, from, count)?;
        Ok((record, RejectChecker::load(tx, import)?, stored, stored::count(tx, import)?))
    })?;
    let rows = judge.compare_rows(core, cache, &record, stored)?;
    Ok(RejectsPage { total, columns: judge.columns, rows })
}

/// Calls `visit` with every refused row. Returns the names of the columns.
pub fn visit_rejects(
    core: &Core,
    import: i64,
    mut visit: impl FnMut(RejectedRow) -> Result<()>,
) -> Result<Vec<String>> {
    core.read(|tx| {
        let judge = RejectChecker::load(tx, import)?;
        visit_stored(tx, import, |row| visit(judge.check_row(row)?))?;
        Ok(judge.columns)
    })
}

fn visit_stored(tx: &ReadTx, import: i64, mut visit: impl FnMut(StoredReject) -> Result<()>) -> Result<()> {
    let mut last = 0;
    loop {
        let part = stored::read_after(tx, import, last, CHUNK_ROWS)?;
        let Some(end) = part.last() else { return Ok(()) };
        last = end.id;
        part.into_iter().try_for_each(&mut visit)?;
    }
}

/// Changes cells of refused rows in one step. Returns these rows with their new state.
pub fn fix_rejects(
    core: &Core,
    cache: &RehearsedRejects,
    by: &Actor,
    import: i64,
    edits: &[RejectEdit],
) -> Result<Vec<RejectedRow>> {
    if !(1..=EDITS_MAX).contains(&edits.len()) {
        return Err(FieldError::new("edits", format!("Fix 1 to {EDITS_MAX} cells at once."), edits.len()).into());
    }
    let (record, judge, mended) = core.write(by, |tx| {
        let judge = RejectChecker::load(tx, import)?;
        let mut typed: BTreeMap<i64, Vec<&RejectEdit>> = BTreeMap::new();
        for (n, edit) in edits.iter().enumerate() {
            if edit.column as usize >= judge.columns.len() {
                let fault = FieldError::new(format!("edits[{n}].column"), "The file has no such column.", edit.column);
                return Err(Error::from(fault));
            }
            typed.entry(edit.reject).or_default().push(edit);
        }
        let mut mended = Vec::with_capacity(typed.len());
        for (reject, edits) in typed {
            let missing = || Error::conflict("This row is no longer among the invalid rows. Check them again.");
            let row = stored::get(tx, import, reject)?.ok_or_else(missing)?;
            let mut cells: Vec<String> = parse_stored(&row.cells)?;
            for edit in edits {
                cells.resize(cells.len().max(edit.column as usize + 1), String::new());
                cells[edit.column as usize].clone_from(&edit.text);
            }
            let mut flags = RowFlags::default();
            if RowFlags::from_bits(row.flags).has(RowFlag::OptedOut) {
                flags.add(RowFlag::OptedOut);
            }
            stored::fix_row(tx, reject, &accept::to_json(&cells)?, flags.bits())?;
            mended.push(require_import(stored::get(tx, import, reject)?)?);
        }
        let record = require_import(imports::get(tx, import)?)?;
        tx.describe_act(
            ActDescription::new("import_rejects_mend")
                .with_subject(record.name.as_str())
                .with_uid(&record.list)
                .with_count(mended.len() as u64),
        );
        tx.log_change(ChangeLogEntry::single(Noun::List, ChangeAction::Updated, &record.list));
        Ok((record, judge, mended))
    })?;
    judge.compare_rows(core, cache, &record, mended)
}

/// Imports the refused rows that are valid by now into the list of their import; the others stay. The history shows
/// this as a separate import. `typed_count` is required if the rows opt anybody out.
pub fn accept_rejects(core: &Core, by: &Actor, import: i64, typed_count: Option<u64>) -> Result<AcceptedRejects> {
    let (record, judge, (spool, ids)) = core.read(|tx| {
        let record = require_import(imports::get(tx, import)?)?;
        Ok((record, RejectChecker::load(tx, import)?, spool_rejects(tx, import)?))
    })?;
    let rows = judge.spooled_rows(&spool);
    let watch = by.watch.clone().unwrap_or_default();
    let rehearsal = rehearse_rows(core, rows, &judge.mapping, Some(&record.list), &watch)?;
    let counts = rehearsal.summary().counts;
    if counts.invalid == counts.rows {
        return Err(Error::conflict("All of these rows are still invalid. Fix them first."));
    }
    let by = Actor { source: ActorKind::Import, ..by.clone() };
    core.write(&by, |tx| {
        let how = AcceptOptions { name: &record.name, kind: &record.kind, new_list: None, typed_count, mark: None };
        let accepted = accept::write_accepted_rows(core, &by, tx, rows, &rehearsal, &how, Some(import))?;
        for (row, id) in ids.iter().enumerate() {
            if rehearsal.verdicts.bucket(row) != RowBucket::Invalid {
                stored::delete(tx, import, *id)?;
            }
        }
        Ok(AcceptedRejects { accepted: accepted.finish_act("import_rejects_accept")?, left: counts.invalid })
    })
}

/// Discards refused rows, or all of them if `rejects` is empty. Returns how many were discarded.
pub fn discard_rejects(core: &Core, by: &Actor, import: i64, rejects: &[i64]) -> Result<u64> {
    core.write(by, |tx| {
        let record = require_import(imports::get(tx, import)?)?;
        let mut ids = rejects.to_vec();
        if ids.is_empty() {
            visit_stored(tx, import, |row| {
                ids.push(row.id);
                Ok(())
            })?;
        }
        let mut discarded = 0;
        for id in ids {
            tx.check_cancelled()?;
            discarded += u64::from(stored::delete(tx, import, id)?);
        }
        if discarded > 0 {
            tx.describe_act(
                ActDescription::new("import_rejects_discard")
                    .with_subject(record.name)
                    .with_uid(&record.list)
                    .with_count(discarded),
            );
            tx.log_change(ChangeLogEntry::single(Noun::List, ChangeAction::Updated, &record.list));
        }
        Ok(discarded)
    })
}
