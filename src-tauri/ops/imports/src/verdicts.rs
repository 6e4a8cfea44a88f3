//! Stores the verdict on every row of a rehearsal in a few bytes: its bucket, the reason if it is invalid, and its
//! numbers.

use std::io;

use roost_model::{channel::Channel, time::Timestamp};
use roost_store::watch::Watch;
use serde::{Deserialize, Serialize};

use super::{
    mapping::{DuplicateRowRule, MatchBy},
    spool::{FrameReader, Spool},
    validate::{RejectReason, RowNumbers, RowPlan},
};
use crate::packed_number::PackedNumber;

/// The number of rows that are refused for a reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename = "ImportReasonCount"))]
pub struct RejectReasonCount {
    pub reason: RejectReason,
    pub message: String,
    pub count: u64,
}

/// The bucket of a row. Every row of the file is in exactly one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename = "ImportBucket"))]
#[repr(u8)]
pub enum RowBucket {
    /// It becomes a new contact.
    New = 0,
    /// The list has all of its values already.
    Same,
    /// A contact of the list has its number, and the overwrite rules keep the other values that the list has.
    Kept,
    /// It changes a contact of the list.
    Changed,
    /// Another row of the file has its number and is imported instead.
    DuplicateInFile,
    /// Several contacts of the list have its number.
    DuplicateInList,
    /// Its number is opted out, and such rows are left out.
    OptedOut,
    Invalid,
    /// It is blank, or above the first row that holds values.
    Blank,
}

impl RowBucket {
    pub const ALL: [Self; 9] = [
        Self::New,
        Self::Same,
        Self::Kept,
        Self::Changed,
        Self::DuplicateInFile,
        Self::DuplicateInList,
        Self::OptedOut,
        Self::Invalid,
        Self::Blank,
    ];

    /// Returns whether the row counts as imported: after the import, it is a contact of the list.
    pub const fn is_in_list(self) -> bool {
        matches!(self, Self::New | Self::Same | Self::Kept | Self::Changed)
    }
}

/// The number of rows in each bucket. `rows` is the sum of all but `blank`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename = "ImportBuckets"))]
pub struct BucketCounts {
    pub rows: u64,
    pub new: u64,
    pub same: u64,
    /// Missing in results of older versions, which counted these rows as `same`.
    #[serde(default)]
    pub kept: u64,
    pub changed: u64,
    pub duplicate_in_file: u64,
    pub duplicate_in_list: u64,
    pub opted_out: u64,
    pub invalid: u64,
    /// Blank rows, the row that names the columns, and the rows above it.
    pub blank: u64,
}

impl BucketCounts {
    fn count_mut(&mut self, bucket: RowBucket) -> &mut u64 {
        match bucket {
            RowBucket::New => &mut self.new,
            RowBucket::Same => &mut self.same,
            RowBucket::Kept => &mut self.kept,
            RowBucket::Changed => &mut self.changed,
            RowBucket::DuplicateInFile => &mut self.duplicate_in_file,
            RowBucket::DuplicateInList => &mut self.duplicate_in_list,
            RowBucket::OptedOut => &mut self.opted_out,
            RowBucket::Invalid => &mut self.invalid,
            RowBucket::Blank => &mut self.blank,
        }
    }
}

/// A verdict in one byte: the bucket, the reason of an invalid row, and whether one of its numbers is opted out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct PackedVerdict(u8);

const FIRST_REASON: u8 = 16;
const OPTED_OUT_BIT: u8 = 128;

impl PackedVerdict {
    const fn from_bucket(bucket: RowBucket) -> Self {
        Self(bucket as u8)
    }

    const fn from_reason(reason: RejectReason) -> Self {
        Self(FIRST_REASON + reason as u8)
    }

    fn bucket(self) -> RowBucket {
        RowBucket::ALL.get((self.0 & !OPTED_OUT_BIT) as usize).copied().unwrap_or(RowBucket::Invalid)
    }

    fn reason(self) -> Option<RejectReason> {
        RejectReason::ALL.into_iter().find(|reason| Self::from_reason(*reason) == self)
    }
}

/// The verdicts on all rows, in the order of the file.
#[derive(Debug, Clone, Default)]
pub struct VerdictTable {
    verdicts: Vec<PackedVerdict>,
    numbers: Vec<RowNumbers>,
    opt_outs: Vec<RowOptOut>,
}

/// A number that a row opts out of a channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RowOptOut {
    pub number: PackedNumber,
    pub channel: Channel,
    /// Whether every row that opts it out is invalid.
    pub is_from_invalid_row: bool,
    /// The time of the opt-out, if the row has one.
    pub time: Option<Timestamp>,
}

/// The sorted digits of the numbers that are opted out of each channel.
pub type OptedOutDigits = [Vec<u64>; 2];

impl VerdictTable {
    /// Validates every row on `threads` threads. Rows before `first` are headings. Valid rows count as new until they
    /// are compared with the other rows and with the list.
    pub fn validate_rows(spool: &Spool, plan: &RowPlan, first: u64, threads: usize, watch: &Watch) -> io::Result<Self> {
        let settled = spool.read_frames(threads, watch, Vec::new, |settled, frame, reader| {
            let first_row = spool.first_row(frame);
            let verdicts = validate_frame(plan, reader, first_row, first.saturating_sub(first_row));
            watch.add_rows(verdicts.len() as u64);
            settled.push((frame, verdicts));
        })?;
        let mut settled: Vec<(usize, Self)> = settled.into_iter().flatten().collect();
        settled.sort_unstable_by_key(|(frame, _)| *frame);
        let rows = spool.row_count() as usize;
        let mut all =
            Self { verdicts: Vec::with_capacity(rows), numbers: Vec::with_capacity(rows), opt_outs: Vec::new() };
        for (_, frame) in settled {
            all.verdicts.extend(frame.verdicts);
            all.numbers.extend(frame.numbers);
            all.opt_outs.extend(frame.opt_outs);
        }
        all.opt_outs.sort_unstable_by_key(|one| {
            (one.number.digits(), one.channel, one.is_from_invalid_row, one.time.is_none(), one.time)
        });
        all.opt_outs.dedup_by_key(|one| (one.number.digits(), one.channel));
        Ok(all)
    }

    pub fn len(&self) -> usize {
        self.verdicts.len()
    }

    pub fn is_empty(&self) -> bool {
        self.verdicts.is_empty()
    }

    pub fn bucket(&self, row: usize) -> RowBucket {
        self.verdicts[row].bucket()
    }

    pub fn reason(&self, row: usize) -> Option<RejectReason> {
        self.verdicts[row].reason()
    }

    pub fn numbers(&self, row: usize) -> RowNumbers {
        self.numbers[row]
    }

    /// Returns the numbers that rows opt out, each once, in the order of their digits.
    pub fn opt_outs(&self) -> &[RowOptOut] {
        &self.opt_outs
    }

    pub fn is_opted_out(&self, row: usize) -> bool {
        self.verdicts[row].0 & OPTED_OUT_BIT != 0
    }

    pub fn set_bucket(&mut self, row: usize, bucket: RowBucket) {
        self.verdicts[row] = PackedVerdict(bucket as u8 | self.verdicts[row].0 & OPTED_OUT_BIT);
    }

    /// Marks rows with a number that is opted out. If `leaves_out`, new rows among them are left out.
    pub fn mark_opted_out(&mut self, digits: &OptedOutDigits, leaves_out: bool) {
        let is_in = |number: PackedNumber, channel: Channel| {
            !number.is_none() && digits[channel as usize].binary_search(&number.digits()).is_ok()
        };
        for row in 0..self.len() {
            let numbers = self.numbers[row];
            if Channel::ALL.into_iter().any(|channel| is_in(numbers.on_channel(channel), channel)) {
                self.verdicts[row].0 |= OPTED_OUT_BIT;
                if leaves_out && self.bucket(row) == RowBucket::New {
                    self.set_bucket(row, RowBucket::OptedOut);
                }
            }
        }
    }

    pub fn count_buckets(&self) -> BucketCounts {
        let mut counts = BucketCounts::default();
        for verdict in &self.verdicts {
            *counts.count_mut(verdict.bucket()) += 1;
        }
        counts.rows = self.verdicts.len() as u64 - counts.blank;
        counts
    }

    /// Returns how many rows are refused for each reason.
    pub fn count_reasons(&self) -> Vec<RejectReasonCount> {
        let count = |reason| {
            self.verdicts.iter().filter(|verdict| **verdict == PackedVerdict::from_reason(reason)).count() as u64
        };
        let counts = RejectReason::ALL.map(|reason| RejectReasonCount {
            reason,
            message: reason.message().to_owned(),
            count: count(reason),
        });
        counts.into_iter().filter(|reason| reason.count > 0).collect()
    }

    /// Returns how many imported rows have a number that is opted out.
    pub fn count_opted_out(&self) -> u64 {
        let stays = |row: &usize| self.bucket(*row).is_in_list();
        (0..self.len()).filter(|row| self.is_opted_out(*row)).filter(stays).count() as u64
    }

    /// Returns up to `count` rows with a bucket and a reason, skipping the first `from`, and the total number of such
    /// rows. Without a bucket, all rows that are not blank are selected.
    pub fn select_rows(
        &self,
        bucket: Option<RowBucket>,
        reason: Option<RejectReason>,
        from: usize,
        count: usize,
    ) -> (Vec<u64>, u64) {
        let fits = |verdict: &PackedVerdict| {
            bucket.map_or(verdict.bucket() != RowBucket::Blank, |bucket| verdict.bucket() == bucket)
                && reason.is_none_or(|reason| *verdict == PackedVerdict::from_reason(reason))
        };
        let fitting = || self.verdicts.iter().enumerate().filter(|(_, verdict)| fits(verdict));
        let rows = fitting().skip(from).take(count).map(|(row, _)| row as u64).collect();
        (rows, fitting().count() as u64)
    }

    /// Returns whether the row was chosen from the rows of the file that have its number.
    pub fn is_taken(&self, row: usize) -> bool {
        !matches!(
            self.bucket(row),
            RowBucket::DuplicateInFile | RowBucket::OptedOut | RowBucket::Invalid | RowBucket::Blank
        )
    }

    /// Leaves out rows whose number another row of the file has. Returns the numbers to look for in the list, each with
    /// its row, sorted by digits.
    pub fn leave_out_duplicates(&mut self, by: MatchBy, twice: DuplicateRowRule) -> Vec<(PackedNumber, u32)> {
        let rows = self.verdicts.iter().zip(&self.numbers).enumerate();
        let mut keys: Vec<(PackedNumber, u32)> = rows
            .filter(|(_, (verdict, _))| verdict.bucket() == RowBucket::New)
            .map(|(row, (_, numbers))| (numbers.number_for(by), row as u32))
            .filter(|(key, _)| !key.is_none())
            .collect();
        // The region of a number depends on how it was read, so only the digits are compared.
        keys.sort_unstable_by_key(|(key, row)| (key.digits(), *row));
        let mut left = Vec::with_capacity(keys.len());
        for twins in keys.chunk_by(|a, b| a.0.digits() == b.0.digits()) {
            let kept = match twice {
                DuplicateRowRule::First => twins[0],
                DuplicateRowRule::Last => twins[twins.len() - 1],
            };
            for (_, row) in twins.iter().filter(|(_, row)| *row != kept.1) {
                self.set_bucket(*row as usize, RowBucket::DuplicateInFile);
            }
            left.push(kept);
        }
        left
    }
}

fn validate_frame(plan: &RowPlan, reader: &FrameReader, first: u64, above: u64) -> VerdictTable {
    let mut settled = VerdictTable::default();
    for (at, row) in reader.block.rows().enumerate() {
        if (at as u64) < above || row.is_blank() {
            settled.verdicts.push(PackedVerdict::from_bucket(RowBucket::Blank));
            settled.numbers.push(RowNumbers::default());
            continue;
        }
        let (verdict, numbers) = match plan.validate_row(&row) {
            Ok(numbers) => (PackedVerdict::from_bucket(RowBucket::New), Some(numbers)),
            Err(fault) => (PackedVerdict::from_reason(fault.reason), None),
        };
        settled.verdicts.push(verdict);
        settled.numbers.push(numbers.unwrap_or_default());
        // An opt-out does not depend on the rest of the row, so an invalid row opts its valid numbers out as well.
        let is_of_invalid_row = numbers.is_none();
        let numbers = || numbers.unwrap_or_else(|| plan.valid_numbers(&row));
        plan.visit_opt_outs(first + at as u64, &row, numbers, |number, channel, time| {
            settled.opt_outs.push(RowOptOut { number, channel, is_from_invalid_row: is_of_invalid_row, time });
        });
    }
    settled
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use proptest::prelude::*;
    use roost_model::phone::Region;
    use roost_sheets::{RowBlock, RowFlags};

    use super::{
        super::mapping::{FieldTarget, Mapping, ValuePiece},
        *,
    };

    fn sample_plan() -> RowPlan {
        let target =
            |column: u32, field: &str| FieldTarget::new(field, vec![ValuePiece::Column { column, part: None }]);
        let targets = vec![target(0, "phone_number"), target(1, "firstname")];
        RowPlan::from_mapping(&Mapping { targets, ..Mapping::default() }, 2, &[], Region::gb()).unwrap()
    }

    fn spool_of_rows(rows: &[(&str, &str)]) -> Spool {
        let mut spool = Spool::in_memory();
        for part in rows.chunks(3) {
            let mut block = RowBlock::default();
            for (phone, name) in part {
                block.push_cell(phone);
                block.push_cell(name);
                block.end_row(1, RowFlags::default());
            }
            spool.push(&block).unwrap();
        }
        spool
    }

    fn judge_rows(rows: &[(&str, &str)], first: u64, threads: usize, twice: DuplicateRowRule) -> VerdictTable {
        let mut verdicts =
            VerdictTable::validate_rows(&spool_of_rows(rows), &sample_plan(), first, threads, &Watch::default())
                .unwrap();
        verdicts.leave_out_duplicates(MatchBy::Phone, twice);
        verdicts
    }

    #[test]
    fn every_row_has_its_bucket_and_they_sum() {
        let rows = [
            ("Phone", "Name"),
            ("07700900001", "Ada"),
            ("", ""),
            ("+447700900001", "Twin"),
            ("4.47E+11", "Bo"),
            ("07700900002", ""),
        ];
        let first = judge_rows(&rows, 1, 1, DuplicateRowRule::First);
        let buckets: Vec<RowBucket> = (0..6).map(|row| first.bucket(row)).collect();
        use RowBucket::{Blank, DuplicateInFile, Invalid, New};
        assert_eq!(buckets, [Blank, New, Blank, DuplicateInFile, Invalid, New]);
        assert_eq!((first.reason(4), first.reason(1)), (Some(RejectReason::Spreadsheet), None));
        assert_eq!(
            first.count_buckets(),
            BucketCounts { rows: 4, new: 2, duplicate_in_file: 1, invalid: 1, blank: 2, ..BucketCounts::default() }
        );
        assert_eq!(first.select_rows(Some(New), None, 1, 5), (vec![5], 2));
        assert_eq!(first.select_rows(None, Some(RejectReason::Spreadsheet), 0, 5), (vec![4], 1));
        let last = judge_rows(&rows, 1, 1, DuplicateRowRule::Last);
        assert_eq!((last.bucket(1), last.bucket(3)), (DuplicateInFile, New));
    }

    #[test]
    fn it_ends_when_it_is_cancelled() {
        let watch = Watch::default();
        watch.cancel();
        let ended = VerdictTable::validate_rows(&spool_of_rows(&[("07700900001", "")]), &sample_plan(), 0, 2, &watch);
        assert_eq!(ended.unwrap_err().kind(), io::ErrorKind::Interrupted);
    }

    #[test]
    fn every_verdict_fits_into_its_byte() {
        for bucket in RowBucket::ALL {
            assert_eq!(PackedVerdict::from_bucket(bucket).bucket(), bucket);
            assert_eq!(PackedVerdict::from_bucket(bucket).reason(), None);
        }
        for reason in RejectReason::ALL {
            assert_eq!(PackedVerdict::from_reason(reason).bucket(), RowBucket::Invalid);
            assert_eq!(PackedVerdict::from_reason(reason).reason(), Some(reason));
        }
    }

    proptest! {
        /// Compares with a simple model that visits one row after the other. The number of threads must not matter.
        #[test]
        fn rows_are_judged_as_one_after_the_other_would_be(
            rows in prop::collection::vec(prop::sample::select(vec!["", "x", "07700900001", "+447700900001", "07700900002", "7700 900003"]), 0..20),
            threads in 1_usize..4,
            twice in prop::sample::select(vec![DuplicateRowRule::First, DuplicateRowRule::Last]),
        ) {
            let pairs: Vec<(&str, &str)> = rows.iter().map(|phone| (*phone, "")).collect();
            let judged = judge_rows(&pairs, 0, threads, twice);
            let mut seen: HashMap<String, usize> = HashMap::new();
            let mut want: Vec<RowBucket> = Vec::new();
            for (row, text) in rows.iter().enumerate() {
                let number = roost_model::phone::parse_contact_number(text, Region::gb());
                let bucket = match number {
                    _ if text.is_empty() => RowBucket::Blank,
                    None => RowBucket::Invalid,
                    Some(phone) => match (seen.insert(phone.e164.clone(), row), twice) {
                        (None, _) => RowBucket::New,
                        (Some(earlier), DuplicateRowRule::Last) => {
                            want[earlier] = RowBucket::DuplicateInFile;
                            RowBucket::New
                        }
                        (Some(_), DuplicateRowRule::First) => RowBucket::DuplicateInFile,
                    },
                };
                want.push(bucket);
            }
            prop_assert_eq!((0..judged.len()).map(|row| judged.bucket(row)).collect::<Vec<_>>(), want);
            let counts = judged.count_buckets();
            prop_assert_eq!(counts.new + counts.duplicate_in_file + counts.invalid, counts.rows);
            prop_assert_eq!((counts.rows + counts.blank) as usize, rows.len());
        }
    }
}
