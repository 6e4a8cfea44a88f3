//! Finds the contacts of the list that have the numbers of the rows.

use roost_sheets::BlockRow;
use roost_store::{
    error::Result as StoreResult,
    tables::{
        batch::MatchKey,
        contacts::{
            grid::{drafts, scan},
            numbers::{self, NumberProbe},
        },
        lists::ListRow,
    },
    tx::ReadTx,
    watch::Watch,
};

use super::{
    super::{
        mapping::{MatchBy, OverwriteRule},
        spool::FrameReader,
        verdicts::{RowBucket, VerdictTable},
    },
    SpooledRows,
    compare::{FieldComparison, RowDifferences, ValueChange},
    to_read_error,
};
use crate::packed_number::{PackedNumber, TEXT_MAX};
use roost_ops::error::Result;

/// A row, and the only contact that has its number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RowMatch {
    pub row: u32,
    pub contact: i64,
}

/// The matches of a file in a list.
pub(super) struct ListMatches {
    /// The matches in the order of the file, each with its bucket.
    pub single: Vec<(RowMatch, RowBucket)>,
    /// Rows whose number several contacts have.
    pub ambiguous: Vec<u32>,
    /// The number of contacts that would change, by the position of the field.
    pub changed: Vec<u64>,
    /// The number of values that are not imported, by the position of the field, each with the first of them.
    pub skipped: Vec<(u64, String)>,
}

/// Reading the whole index costs about as much as looking up one in this many of its numbers.
const PROBE_SHARE: u64 = 8;

pub(super) fn match_key(by: MatchBy) -> MatchKey {
    match by {
        MatchBy::Phone => MatchKey::Phone,
        MatchBy::Whatsapp => MatchKey::Whatsapp,
    }
}

/// Finds the contacts of the rows. `keys` are the numbers to look for, sorted by their digits.
pub(super) fn find_matches(
    tx: &ReadTx,
    rows: SpooledRows,
    (list, count): (ListRow, u64),
    keys: &[(PackedNumber, u32)],
    comparison: &FieldComparison,
    verdicts: &VerdictTable,
    watch: &Watch,
) -> Result<ListMatches> {
    let (single, several) = match_numbers(tx, (list, count), match_key(comparison.plan.match_by), keys, watch)?;
    let mut found = ListMatches {
        single: single.iter().map(|found| (*found, RowBucket::Same)).collect(),
        ambiguous: several,
        changed: vec![0; comparison.fields().count()],
        skipped: vec![(0, String::new()); comparison.fields().count()],
    };
    let mut at = 0;
    visit_matches(tx, rows, list, comparison, verdicts, &single, watch, |_, _, _, differences| {
        found.single[at].1 = differences.bucket();
        at += 1;
        differences.changes.iter().for_each(|change| found.changed[change.position] += 1);
        for stay in &differences.skipped {
            let (count, example) = &mut found.skipped[stay.position];
            if *count == 0 {
                *example = match stay.before {
                    Some(before) => format!("{} ({before})", stay.text),
                    None => stay.text.clone().into_owned(),
                };
            }
            *count += 1;
        }
        Ok(())
    })?;
    Ok(found)
}

/// Returns rows whose number one contact has, and rows whose number several contacts have, both in the order of the
/// file.
fn match_numbers(
    tx: &ReadTx,
    (list, count): (ListRow, u64),
    key: MatchKey,
    keys: &[(PackedNumber, u32)],
    watch: &Watch,
) -> StoreResult<(Vec<RowMatch>, Vec<u32>)> {
    let (mut single, mut several) = (Vec::<RowMatch>::new(), Vec::new());
    // Contacts with the same number follow each other.
    let mut meet = |row: u32, contact: i64| {
        if several.last() == Some(&row) {
            return;
        }
        if single.last().is_some_and(|last| last.row == row) {
            single.pop();
            several.push(row);
        } else {
            single.push(RowMatch { row, contact });
        }
    };
    if (keys.len() as u64).saturating_mul(PROBE_SHARE) < count {
        let mut probe = NumberProbe::new(tx, list, key)?;
        for (number, row) in keys {
            probe.find_contacts(number.write_e164(&mut [0; TEXT_MAX]), |contact| {
                meet(*row, contact);
                Ok(())
            })?;
        }
    } else {
        numbers::visit_numbers(tx, list, key, watch, |number, contact| {
            let digits = PackedNumber::parse_digits(number);
            let place = digits.and_then(|digits| keys.binary_search_by_key(&digits, |(key, _)| key.digits()).ok());
            if let Some(place) = place {
                meet(keys[place].1, contact);
            }
            Ok(())
        })?;
    }
    single.sort_unstable_by_key(|found| found.row);
    Ok((single, several))
}

/// Calls `visit` with every match, its row, its contact and the differences, in the order of the file.
#[expect(clippy::too_many_arguments, reason = "the file, the list and the comparison are separate inputs")]
pub(crate) fn visit_matches(
    tx: &ReadTx,
    rows: SpooledRows,
    list: ListRow,
    comparison: &FieldComparison,
    verdicts: &VerdictTable,
    matches: &[RowMatch],
    watch: &Watch,
    mut visit: impl FnMut(&RowMatch, &BlockRow, &scan::Row, &RowDifferences) -> StoreResult<()>,
) -> Result<()> {
    let mut reader = FrameReader::default();
    let mut left = matches;
    while let Some(first) = left.first() {
        let Some((frame, _)) = rows.spool.locate_row(u64::from(first.row)) else { return Ok(()) };
        rows.spool.read_frame(frame, &mut reader).map_err(to_read_error)?;
        let start = rows.spool.first_row(frame);
        let end = start + reader.block.len() as u64;
        let (here, rest) = left.split_at(left.partition_point(|found| u64::from(found.row) < end));
        left = rest;
        let ids: Vec<i64> = here.iter().map(|found| found.contact).collect();
        let drafts = drafts::read_drafts(tx, &ids)?;
        scan::visit_by_ids(tx, list, &ids, comparison.columns(), watch, &mut |at, contact| {
            let found = &here[at];
            let row = reader.block.row((u64::from(found.row) - start) as usize);
            let mut differences = RowDifferences::default();
            comparison.compare_row(&row, &verdicts.numbers(found.row as usize), contact, &mut differences)?;
            // A draft replaces none that a person typed, unless the file is to replace values.
            let keeps_draft = |change: &ValueChange| {
                let mut known = drafts.get(&found.contact).into_iter().flatten();
                let is_kept = comparison.rule(change.position) == OverwriteRule::IfBlank;
                known.any(|(field, text)| {
                    *field == change.field.name() && (is_kept || Some(text.as_str()) == change.after.as_deref())
                })
            };
            differences.changes.retain(|change| !(change.is_draft && keeps_draft(change)));
            visit(found, &row, contact, &differences)
        })?;
    }
    Ok(())
}
