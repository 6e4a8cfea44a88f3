//! Describes single rows of a rehearsal: their verdict, the reason, and what they would change.

use std::collections::HashMap;

use roost_model::{channel::Channel, contact::ContactField, id::ContactId};
use roost_sheets::BlockRow;
use roost_store::{
    error::StoreError,
    tables::{
        contacts::{grid::scan, numbers::NumberProbe},
        lists::{self, ListRow},
    },
    tx::ReadTx,
    watch::Watch,
};
use serde::Serialize;

use super::{
    super::{
        spool::FrameReader,
        validate::{RejectReason, RowFault, RowPlan},
        verdicts::RowBucket,
    },
    Rehearsal, SpooledRows, compare,
    matches::{self, RowMatch, visit_matches},
    to_read_error,
};
use crate::packed_number::TEXT_MAX;
use roost_ops::{core::Core, error::Result};

/// Selects rows; without any condition, all rows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RowQuery {
    pub bucket: Option<RowBucket>,
    pub reason: Option<RejectReason>,
    /// Only rows that change this field.
    pub field: Option<String>,
}

/// A field and its value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename = "ImportRowValue"))]
pub struct FieldText {
    pub field: String,
    pub text: String,
    /// Whether it becomes a draft.
    pub is_draft: bool,
}

/// A value of the list and the value that would replace it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename = "ImportRowChange"))]
pub struct FieldValueChange {
    pub field: String,
    pub before: Option<String>,
    pub after: Option<String>,
    /// Whether the new value becomes a draft.
    pub is_draft: bool,
}

impl FieldValueChange {
    fn from_value_change(change: &compare::ValueChange) -> Self {
        Self {
            field: change.field.name().into_owned(),
            before: change.before.map(str::to_owned),
            after: change.after.as_deref().map(str::to_owned),
            is_draft: change.is_draft,
        }
    }

    fn from_skipped_value(field: ContactField, skipped: &compare::SkippedValue) -> Self {
        Self {
            field: field.name().into_owned(),
            before: skipped.before.map(str::to_owned),
            after: Some(skipped.text.clone().into_owned()),
            is_draft: false,
        }
    }
}

/// The verdict on one row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowVerdict {
    pub row: u64,
    pub bucket: RowBucket,
    pub reason: Option<RejectReason>,
    pub message: Option<String>,
    /// The field that the reason is about.
    pub field: Option<String>,
    /// The mapped fields that have a value.
    pub values: Vec<FieldText>,
    /// The contact that has the row's number.
    pub contact: Option<ContactId>,
    /// The number of contacts with the row's number, if there are several.
    pub contacts: u32,
    /// The row with the same number that is imported instead.
    pub twin: Option<u64>,
    pub opted_out: bool,
    /// The channels that the row opts its numbers out of.
    pub consents: Vec<Channel>,
    pub changes: Vec<FieldValueChange>,
    /// Values of the row that are not imported, and the values that the list has in their place.
    pub kept: Vec<FieldValueChange>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowsPage {
    pub total: u64,
    pub rows: Vec<RowVerdict>,
}

/// A row that needs a person's attention.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProblemRow {
    pub row: u64,
    pub bucket: RowBucket,
    /// The position of the row in its bucket.
    pub at: u64,
}

const PROBLEM_BUCKETS: [RowBucket; 4] =
    [RowBucket::Invalid, RowBucket::DuplicateInFile, RowBucket::DuplicateInList, RowBucket::OptedOut];

/// Describes a row without comparing it with others.
fn describe_row(plan: &RowPlan, row: &BlockRow, at: u64, bucket: RowBucket) -> RowVerdict {
    let settled = plan.validate_row(row);
    let numbers = settled.ok();
    let fault = settled.err().filter(|_| bucket == RowBucket::Invalid);
    let mut verdict = RowVerdict {
        row: at,
        bucket,
        reason: fault.map(|fault: RowFault| fault.reason),
        message: fault.map(|fault| plan.explain_fault(&fault, row)),
        field: fault.and_then(|fault| fault.field).map(|field| field.name().into_owned()),
        values: Vec::new(),
        contact: None,
        contacts: 0,
        twin: None,
        opted_out: false,
        consents: Vec::new(),
        changes: Vec::new(),
        kept: Vec::new(),
    };
    let mut add = |field: ContactField, text: String, is_draft: bool| {
        verdict.values.push(FieldText { field: field.name().into_owned(), text, is_draft });
    };
    if let Some(numbers) = &numbers {
        for (field, number) in
            [(ContactField::PhoneNumber, numbers.phone), (ContactField::WhatsappId, numbers.whatsapp)]
        {
            if !number.is_none() {
                add(field, number.write_e164(&mut [0; TEXT_MAX]).to_owned(), false);
            }
        }
    }
    for text in &plan.texts {
        if let Ok(Some(value)) = text.read_value(row) {
            let is_draft = text.is_draft(row, &value);
            add(text.field, value.into_owned(), is_draft);
        }
    }
    let valid = || numbers.unwrap_or_else(|| plan.valid_numbers(row));
    plan.visit_opt_outs(at, row, valid, |_, channel, _| {
        if !verdict.consents.contains(&channel) {
            verdict.consents.push(channel);
        }
    });
    verdict
}

impl Rehearsal {
    /// Returns up to `count` of the selected rows, beginning with the row `from` of them, and their total number.
    pub fn query_rows(
        &self,
        core: &Core,
        rows: SpooledRows,
        which: &RowQuery,
        from: usize,
        count: usize,
    ) -> Result<RowsPage> {
        core.read(|tx| {
            let list = self.list.as_ref().map_or(Ok(None), |list| lists::row_of(tx, list))?;
            let (numbers, total) = match (&which.field, list) {
                (Some(field), Some(list)) => self.find_changing_rows(tx, rows, list, field, from, count)?,
                (Some(_), None) => (Vec::new(), 0),
                (None, _) => self.verdicts.select_rows(which.bucket, which.reason, from, count),
            };
            let mut verdicts = self.describe_rows(rows, &numbers)?;
            self.add_twins(&mut verdicts);
            if let Some(list) = list {
                self.add_matches(tx, rows, list, &mut verdicts)?;
            }
            Ok(RowsPage { total, rows: verdicts })
        })
    }

    fn describe_rows(&self, rows: SpooledRows, numbers: &[u64]) -> Result<Vec<RowVerdict>> {
        let (mut reader, mut read) = (FrameReader::default(), None);
        let mut all = Vec::with_capacity(numbers.len());
        for number in numbers {
            let Some((frame, at)) = rows.spool.locate_row(*number) else { continue };
            if read != Some(frame) {
                rows.spool.read_frame(frame, &mut reader).map_err(to_read_error)?;
                read = Some(frame);
            }
            let place = *number as usize;
            let bucket = self.verdicts.bucket(place);
            let mut verdict = describe_row(&self.plan, &reader.block.row(at), *number, bucket);
            verdict.opted_out = self.verdicts.is_opted_out(place);
            all.push(verdict);
        }
        Ok(all)
    }

    /// Finds the rows that are imported instead of the duplicates of a page, in one pass over all rows.
    fn add_twins(&self, verdicts: &mut [RowVerdict]) {
        let digits = |row: u64| self.verdicts.numbers(row as usize).number_for(self.plan.match_by).digits();
        let twins = verdicts.iter().filter(|verdict| verdict.bucket == RowBucket::DuplicateInFile);
        let mut taken: HashMap<u64, Option<u64>> = twins.map(|verdict| (digits(verdict.row), None)).collect();
        if taken.is_empty() {
            return;
        }
        for row in (0..self.verdicts.len() as u64).filter(|row| self.verdicts.is_taken(*row as usize)) {
            if let Some(twin) = taken.get_mut(&digits(row)) {
                *twin = Some(row);
            }
        }
        for verdict in verdicts.iter_mut().filter(|verdict| verdict.bucket == RowBucket::DuplicateInFile) {
            verdict.twin = taken.get(&digits(verdict.row)).copied().flatten();
        }
    }

    fn add_matches(&self, tx: &ReadTx, rows: SpooledRows, list: ListRow, verdicts: &mut [RowVerdict]) -> Result<()> {
        let mut probe = NumberProbe::new(tx, list, matches::match_key(self.plan.match_by))?;
        for verdict in verdicts.iter_mut().filter(|verdict| verdict.bucket == RowBucket::DuplicateInList) {
            let number = self.verdicts.numbers(verdict.row as usize).number_for(self.plan.match_by);
            probe.find_contacts(number.write_e164(&mut [0; TEXT_MAX]), |_| {
                verdict.contacts += 1;
                Ok(())
            })?;
        }
        let comparison = compare::FieldComparison::new(&self.plan, &self.custom);
        for verdict in verdicts {
            let found = self.matches.binary_search_by_key(&verdict.row, |found| u64::from(found.row));
            let Some(found) = found.ok().and_then(|at| self.matches.get(at..=at)) else { continue };
            let uid = comparison.uid_column();
            visit_matches(
                tx,
                rows,
                list,
                &comparison,
                &self.verdicts,
                found,
                &Watch::default(),
                |_, _, contact, differences| {
                    verdict.contact = scan::text_bytes(contact, uid)?
                        .and_then(|uid| std::str::from_utf8(uid).ok())
                        .and_then(|uid| ContactId::parse(uid).ok());
                    verdict.changes = differences.changes.iter().map(FieldValueChange::from_value_change).collect();
                    verdict.kept = differences
                        .skipped
                        .iter()
                        .filter_map(|kept| Some((comparison.fields().nth(kept.position)?, kept)))
                        .map(|(field, kept)| FieldValueChange::from_skipped_value(field, kept))
                        .collect();
                    Ok(())
                },
            )?;
        }
        Ok(())
    }

    /// Finds the rows that change a field by examining all rows that change anything.
    fn find_changing_rows(
        &self,
        tx: &ReadTx,
        rows: SpooledRows,
        list: ListRow,
        field: &str,
        from: usize,
        count: usize,
    ) -> Result<(Vec<u64>, u64)> {
        let comparison = compare::FieldComparison::new(&self.plan, &self.custom);
        let Some(wanted) = comparison.fields().position(|known| known.name() == field) else {
            return Ok((Vec::new(), 0));
        };
        let is_changed = |found: &&RowMatch| self.verdicts.bucket(found.row as usize) == RowBucket::Changed;
        let changed: Vec<RowMatch> = self.matches.iter().filter(is_changed).copied().collect();
        let (mut found, mut passed) = (Vec::new(), 0);
        for part in changed.chunks(CHUNK_ROWS) {
            if found.len() == count {
                break;
            }
            visit_matches(
                tx,
                rows,
                list,
                &comparison,
                &self.verdicts,
                part,
                &Watch::default(),
                |row, _, _, differences| {
                    if differences.changes.iter().any(|change| change.position == wanted) {
                        passed += 1;
                        if passed > from && found.len() < count {
                            found.push(u64::from(row.row));
                        }
                    }
                    Ok::<_, StoreError>(())
                },
            )?;
        }
        let total = self.summary.fields.iter().find(|known| known.field == field).map_or(0, |known| known.count);
        Ok((found, total))
    }

    /// Returns the next row that needs a person's attention, after or before a row.
    pub fn next_problem(&self, after: Option<u64>, backwards: bool) -> Option<ProblemRow> {
        let rows = self.verdicts.len() as u64;
        let is_problem = |row: &u64| PROBLEM_BUCKETS.contains(&self.verdicts.bucket(*row as usize));
        let row = if backwards {
            (0..after.unwrap_or(rows).min(rows)).rev().find(is_problem)?
        } else {
            (after.map_or(0, |row| row + 1)..rows).find(is_problem)?
        };
        let bucket = self.verdicts.bucket(row as usize);
        let at = (0..row).filter(|row| self.verdicts.bucket(*row as usize) == bucket).count() as u64;
        Some(ProblemRow { row, bucket, at })
    }
}

/// Rows that are examined between two checks whether the page is full.
const CHUNK_ROWS: usize = 4_096;
