//! Finds the contacts of the list that have the numbers of the rows.

use roost_sheets::Row;
use roost_store::{
    error::Result as StoreResult,
    tables::{
        batch::Key,
        contacts::{
            grid::scan,
            numbers::{self, Probe},
        },
        lists::ListRow,
    },
    tx::ReadTx,
    watch::Watch,
};

use super::{
    super::{
        mapping::MatchBy,
        number::{PackedNumber, TEXT_MAX},
        spool::FrameReader,
        verdicts::Verdicts,
    },
    Rows,
    compare::{Comparison, Differences},
    unreadable,
};
use crate::error::Result;

/// A row, and the only contact that has its number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Match {
    pub row: u32,
    pub contact: i64,
}

/// The matches of a file in a list.
pub struct Found {
    /// The matches in the order of the file, each with whether it would change the contact.
    pub single: Vec<(Match, bool)>,
    /// Rows whose number several contacts have.
    pub several: Vec<u32>,
    /// The number of contacts that would change, by the position of the field.
    pub changed: Vec<u64>,
    /// The number of values that are not imported, by the position of the field, each with the first of them.
    pub stays: Vec<(u64, String)>,
}

/// Reading the whole index costs about as much as looking up one in this many of its numbers.
const SHARE: u64 = 8;

pub fn key(by: MatchBy) -> Key {
    match by {
        MatchBy::Phone => Key::Phone,
        MatchBy::Whatsapp => Key::Whatsapp,
    }
}

/// Finds the contacts of the rows. `keys` are the numbers to look for, sorted by their digits.
pub fn find(
    tx: &ReadTx,
    rows: Rows,
    (list, count): (ListRow, u64),
    keys: &[(PackedNumber, u32)],
    comparison: &Comparison,
    verdicts: &Verdicts,
    watch: &Watch,
) -> Result<Found> {
    let (single, several) = with_numbers(tx, (list, count), key(comparison.plan.match_by), keys, watch)?;
    let mut found = Found {
        single: single.iter().map(|found| (*found, false)).collect(),
        several,
        changed: vec![0; comparison.fields().count()],
        stays: vec![(0, String::new()); comparison.fields().count()],
    };
    let mut at = 0;
    each_match(tx, rows, list, comparison, verdicts, &single, watch, |_, _, _, differences| {
        found.single[at].1 = !differences.changes.is_empty();
        at += 1;
        differences.changes.iter().for_each(|change| found.changed[change.at] += 1);
        for stay in &differences.stays {
            let (count, example) = &mut found.stays[stay.at];
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
fn with_numbers(
    tx: &ReadTx,
    (list, count): (ListRow, u64),
    key: Key,
    keys: &[(PackedNumber, u32)],
    watch: &Watch,
) -> StoreResult<(Vec<Match>, Vec<u32>)> {
    let (mut single, mut several) = (Vec::<Match>::new(), Vec::new());
    // Contacts with the same number follow each other.
    let mut meet = |row: u32, contact: i64| {
        if several.last() == Some(&row) {
            return;
        }
        if single.last().is_some_and(|last| last.row == row) {
            single.pop();
            several.push(row);
        } else {
            single.push(Match { row, contact });
        }
    };
    if (keys.len() as u64).saturating_mul(SHARE) < count {
        let mut probe = Probe::new(tx, list, key)?;
        for (number, row) in keys {
            probe.find(number.e164(&mut [0; TEXT_MAX]), |contact| {
                meet(*row, contact);
                Ok(())
            })?;
        }
    } else {
        numbers::each(tx, list, key, watch, |number, contact| {
            let digits = PackedNumber::digits_of(number);
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
pub fn each_match(
    tx: &ReadTx,
    rows: Rows,
    list: ListRow,
    comparison: &Comparison,
    verdicts: &Verdicts,
    matches: &[Match],
    watch: &Watch,
    mut visit: impl FnMut(&Match, &Row, &scan::Row, &Differences) -> StoreResult<()>,
) -> Result<()> {
    let mut reader = FrameReader::default();
    let mut left = matches;
    while let Some(first) = left.first() {
        let Some((frame, _)) = rows.spool.find(u64::from(first.row)) else { return Ok(()) };
        rows.spool.read(frame, &mut reader).map_err(unreadable)?;
        let start = rows.spool.first_row(frame);
        let end = start + reader.block.len() as u64;
        let (here, rest) = left.split_at(left.partition_point(|found| u64::from(found.row) < end));
        left = rest;
        let ids: Vec<i64> = here.iter().map(|found| found.contact).collect();
        scan::by_ids(tx, list, &ids, comparison.columns(), watch, &mut |at, contact| {
            let found = &here[at];
            let row = reader.block.row((u64::from(found.row) - start) as usize);
            let mut differences = Differences::default();
            comparison.compare(&row, &verdicts.numbers(found.row as usize), contact, &mut differences)?;
            visit(found, &row, contact, &differences)
        })?;
    }
    Ok(())
}
