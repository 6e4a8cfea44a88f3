//! The dry run of an import: validates every row and compares it with the other rows, the list and the opt-outs,
//! without writing anything.

mod compare;
mod matches;
mod window;

use std::{io, ops::Range, sync::Arc};

use roost_model::{
    channel::Channel,
    contact::ContactField,
    custom_field::{CustomField, NUMBER_MAX},
    id::ListId,
    opt_out::OptOutRecordScope,
    phone::Region,
};
use roost_sheets::BlockRow;
use roost_store::{
    change_log::Noun,
    db::scan_pool::MAX_THREADS,
    error::StoreError,
    tables::{
        custom_fields,
        lists::{
            self, ListRow,
            list_changes::{self, ListChanges},
        },
        opt_outs,
        steps::log,
    },
    tx::ReadTx,
    watch::Watch,
};
use serde::{Deserialize, Serialize};

pub use self::window::{FieldText, FieldValueChange, ProblemRow, RowQuery, RowVerdict, RowsPage};
pub(super) use self::{
    compare::FieldComparison,
    matches::{RowMatch, visit_matches},
};
use super::{
    ledger::ImportLedger,
    mapping::{OpenMapping, OptedOutRowRule},
    spool::{FrameReader, Spool},
    validate::RowPlan,
    verdicts::{BucketCounts, OptedOutDigits, RejectReasonCount, RowBucket, RowOptOut, VerdictTable},
};
use crate::packed_number::{PackedNumber, TEXT_MAX};
use roost_ops::{
    contact::fields,
    core::Core,
    ctx::Ctx,
    error::{Error, OrNotFound, Result},
    opt_out::{self, PastedRow},
};

/// The spooled rows of all files of an import.
#[derive(Clone, Copy)]
pub struct SpooledRows<'a> {
    pub spool: &'a Spool,
    /// Names of all columns.
    pub heads: &'a [String],
    /// The first row that holds values.
    pub first_value_row: u64,
    /// Rows of files in which everybody opted out, according to the person.
    pub opted_out: &'a [Range<u64>],
}

impl SpooledRows<'_> {
    /// Calls `visit` with every row that holds values and its number.
    pub fn visit_rows(&self, mut visit: impl FnMut(u64, &BlockRow) -> Result<()>) -> Result<()> {
        let mut reader = FrameReader::default();
        for frame in 0..self.spool.frame_count() {
            self.spool.read_frame(frame, &mut reader).map_err(to_read_error)?;
            let numbered = (self.spool.first_row(frame)..).zip(reader.block.rows());
            numbered.filter(|(at, _)| *at >= self.first_value_row).try_for_each(|(at, row)| visit(at, &row))?;
        }
        Ok(())
    }

    /// Returns the heads and the rows as an import of opt-outs takes them. It has one row more than such an import
    /// allows, if there are so many, so that the import can report it.
    pub fn to_opt_out_rows(&self) -> Result<Vec<PastedRow>> {
        let heads = PastedRow { line: 1, cells: self.heads.to_vec() };
        let mut read: Vec<PastedRow> = (self.first_value_row > 0).then_some(heads).into_iter().collect();
        self.visit_rows(|_, row| {
            if !row.is_blank() && read.len() <= opt_out::ROWS_MAX + 1 {
                let cells = row.cells().map(|cell| cell.trim().to_owned()).collect();
                read.push(PastedRow { line: u32::try_from(row.place).unwrap_or(u32::MAX), cells });
            }
            Ok(())
        })?;
        Ok(read)
    }
}

/// The number of contacts whose value of a field changes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename = "ImportFieldCount"))]
pub struct ChangedFieldCount {
    pub field: String,
    pub count: u64,
}

/// The result of a rehearsal in numbers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ImportSummary {
    pub counts: BucketCounts,
    /// Fields in the order of the mapping.
    pub fields: Vec<ChangedFieldCount>,
    pub reasons: Vec<RejectReasonCount>,
    /// New, unchanged and changed rows whose number is opted out.
    pub opted_out: u64,
    /// Opt-outs that would be added.
    pub opt_outs: u64,
    /// How many of these come only from invalid rows.
    #[serde(default)]
    pub opt_outs_of_invalid_rows: u64,
    /// Custom fields that would be created.
    pub new_fields: Vec<CustomField>,
    /// Everything in the files and what is done with it; empty for rows that an earlier import refused.
    #[serde(default)]
    pub ledger: ImportLedger,
}

/// Values of the files that are not imported into a field because of the value in the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SkippedValueCount {
    pub field: String,
    pub count: u64,
    /// The first of these values, with that of the list.
    pub example: String,
}

/// The result of a rehearsal for every row, based on the account as it was at that time.
pub struct Rehearsal {
    list: Option<ListId>,
    /// The mapping with its new fields numbered and its region filled in.
    pub(super) mapping: OpenMapping,
    pub(super) plan: RowPlan,
    pub(super) custom: Vec<u32>,
    pub(super) verdicts: VerdictTable,
    /// The contacts of unchanged and changed rows, in the order of the file.
    pub(super) matches: Vec<RowMatch>,
    pub(super) skipped_values: Vec<SkippedValueCount>,
    /// Opt-outs that do not exist yet.
    pub(super) opt_outs: Vec<RowOptOut>,
    summary: ImportSummary,
    /// The number of the last change-log entry before the rehearsal.
    last_change: i64,
}

/// The facts about the account that a rehearsal needs before it examines rows.
struct AccountSnapshot {
    /// The list and the number of its contacts.
    list: Option<(ListRow, u64)>,
    custom: Vec<u32>,
    next_field: u32,
    region: Region,
    opted_out: OptedOutDigits,
    seen: i64,
}

impl AccountSnapshot {
    fn load(tx: &ReadTx, ctx: &Ctx, mapping: &OpenMapping, list: Option<&ListId>) -> Result<Self> {
        let list = match list {
            None => None,
            Some(uid) => {
                let row = lists::row_of(tx, uid)?.or_not_found(Noun::List, uid)?;
                Some((row, lists::get(tx, uid)?.or_not_found(Noun::List, uid)?.contact_count))
            }
        };
        let mut opted_out = OptedOutDigits::default();
        for channel in Channel::ALL {
            let digits = &mut opted_out[channel as usize];
            opt_outs::visit_numbers(tx, channel, |number| digits.extend(PackedNumber::parse_digits(number)))?;
            digits.sort_unstable();
        }
        Ok(Self {
            list,
            custom: custom_fields::defined_numbers(tx)?,
            next_field: custom_fields::next_number(tx)?,
            region: fields::choose_region(tx, ctx, mapping.region.as_deref())?,
            opted_out,
            seen: log::last_seq(tx)?,
        })
    }

    /// Numbers the new fields of a mapping and fills in its region. Returns the new fields as well.
    fn resolve_mapping(&self, mapping: &OpenMapping) -> Result<(OpenMapping, Vec<CustomField>)> {
        let mut resolved = mapping.clone();
        resolved.region = Some(self.region.code());
        let mut made = Vec::new();
        for target in &mut resolved.targets {
            if let Some(label) = target.new_field.take() {
                let number = self.next_field + made.len() as u32;
                target.field = ContactField::Custom(number).name().into_owned();
                made.push(CustomField { number, label });
            }
        }
        if made.last().is_some_and(|field| field.number > NUMBER_MAX) {
            return Err(Error::conflict(format!("The account has only {NUMBER_MAX} numbers of custom fields.")));
        }
        Ok((resolved, made))
    }
}

/// Checks a mapping and makes the plan from it.
fn make_plan(
    rows: SpooledRows,
    mapping: &OpenMapping,
    snapshot: &AccountSnapshot,
) -> Result<(OpenMapping, RowPlan, Vec<CustomField>)> {
    let faults = mapping.find_faults(rows.heads.len(), &snapshot.custom);
    if !faults.is_empty() {
        return Err(Error::Invalid { faults });
    }
    let (mapping, made) = snapshot.resolve_mapping(mapping)?;
    let custom: Vec<u32> = snapshot.custom.iter().copied().chain(made.iter().map(|field| field.number)).collect();
    let plan = RowPlan::from_mapping(&mapping, rows.heads.len(), &custom, snapshot.region)
        .map_err(|faults| Error::Invalid { faults })?;
    Ok((mapping, plan, made))
}

/// Converts an error of the spool.
pub(super) fn to_read_error(error: io::Error) -> Error {
    match error.kind() {
        io::ErrorKind::Interrupted => StoreError::Cancelled.into(),
        _ => Error::conflict(error.to_string()),
    }
}

/// Rehearses an import without writing anything. Without a list, the import would create one.
pub fn rehearse_rows(
    core: &Core,
    rows: SpooledRows,
    mapping: &OpenMapping,
    list: Option<&ListId>,
    watch: &Arc<Watch>,
) -> Result<Rehearsal> {
    let snapshot = core.read(|tx| AccountSnapshot::load(tx, core.ctx(), mapping, list))?;
    let (mapping, mut plan, new_fields) = make_plan(rows, mapping, &snapshot)?;
    plan.opted_out_rows = rows.opted_out.to_vec();
    plan.set_today(core.ctx().now());
    watch.set_expected(rows.spool.row_count());
    let mut verdicts = VerdictTable::validate_rows(rows.spool, &plan, rows.first_value_row, MAX_THREADS, watch)
        .map_err(to_read_error)?;
    verdicts.mark_opted_out(&snapshot.opted_out, mapping.opted_out == OptedOutRowRule::LeaveOut);
    let keys = verdicts.leave_out_duplicates(plan.match_by, mapping.twice);
    let comparison = FieldComparison::new(&plan, &snapshot.custom);
    let mut fields: Vec<ChangedFieldCount> =
        comparison.fields().map(|field| ChangedFieldCount { field: field.name().into_owned(), count: 0 }).collect();
    let mut matches = Vec::new();
    let mut kept_values: Vec<SkippedValueCount> = comparison
        .fields()
        .map(|field| SkippedValueCount { field: field.name().into_owned(), count: 0, example: String::new() })
        .collect();
    if let Some(list) = snapshot.list {
        let found =
            core.scan(watch, 1, |tx| matches::find_matches(tx, rows, list, &keys, &comparison, &verdicts, watch))?;
        for found in found {
            found.ambiguous.into_iter().for_each(|row| verdicts.set_bucket(row as usize, RowBucket::DuplicateInList));
            for (found, bucket) in &found.single {
                verdicts.set_bucket(found.row as usize, *bucket);
            }
            fields.iter_mut().zip(found.changed).for_each(|(field, count)| field.count += count);
            for (kept, (count, example)) in kept_values.iter_mut().zip(found.skipped) {
                if kept.count == 0 {
                    kept.example = example;
                }
                kept.count += count;
            }
            matches.extend(found.single.into_iter().map(|(found, _)| found));
        }
    }
    let opt_outs = core.read(|tx| find_missing_opt_outs(tx, verdicts.opt_outs()))?;
    let summary = ImportSummary {
        counts: verdicts.count_buckets(),
        fields,
        reasons: verdicts.count_reasons(),
        opted_out: verdicts.count_opted_out(),
        opt_outs: opt_outs.len() as u64,
        opt_outs_of_invalid_rows: opt_outs.iter().filter(|one| one.is_from_invalid_row).count() as u64,
        new_fields,
        ledger: ImportLedger::default(),
    };
    kept_values.retain(|kept| kept.count > 0);
    let (custom, seen) = (snapshot.custom, snapshot.seen);
    Ok(Rehearsal {
        list: list.cloned(),
        mapping,
        plan,
        custom,
        verdicts,
        matches,
        skipped_values: kept_values,
        opt_outs,
        summary,
        last_change: seen,
    })
}

/// Returns the opt-outs that do not exist yet for the whole account.
fn find_missing_opt_outs(tx: &ReadTx, wanted: &[RowOptOut]) -> Result<Vec<RowOptOut>> {
    let mut missing = Vec::new();
    for one in wanted {
        if !opt_outs::exists(tx, one.number.write_e164(&mut [0; TEXT_MAX]), one.channel, &OptOutRecordScope::Account)? {
            missing.push(*one);
        }
    }
    Ok(missing)
}

impl Rehearsal {
    /// Returns the list; `None` if the import would create one.
    pub fn list(&self) -> Option<&ListId> {
        self.list.as_ref()
    }

    pub fn summary(&self) -> &ImportSummary {
        &self.summary
    }

    /// Adds the ledger, which only the session can make, because it knows what else the files hold.
    pub(super) fn set_ledger(&mut self, ledger: ImportLedger) {
        self.summary.ledger = ledger;
    }

    /// Returns whether the account has changed since in a way that affects the import.
    pub fn is_stale(&self, core: &Core) -> Result<bool> {
        core.read(|tx| self.is_stale_in(tx))
    }

    pub(super) fn is_stale_in(&self, tx: &ReadTx) -> Result<bool> {
        let next = custom_fields::next_number(tx)?;
        if custom_fields::defined_numbers(tx)? != self.custom
            || self.summary.new_fields.first().is_some_and(|field| field.number != next)
        {
            return Ok(true);
        }
        Ok(match list_changes::changes_since(tx, self.last_change)?.1 {
            ListChanges::Everything => true,
            ListChanges::Lists(lists) => {
                self.list.as_ref().is_some_and(|list| lists.iter().any(|uid| uid == list.as_str()))
            }
        })
    }

    /// Returns the custom fields that accepting creates.
    pub(super) fn new_fields(&self) -> &[CustomField] {
        &self.summary.new_fields
    }
}
