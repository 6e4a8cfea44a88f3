//! Stores the verdict on every row of a rehearsal in a few bytes: its bucket, the reason if it is invalid, and its
//! numbers.

use std::io;

use roost_model::{channel::Channel, time::Timestamp};
use roost_store::watch::Watch;
use serde::{Deserialize, Serialize};

use super::{
    mapping::{MatchBy, Twice},
    number::PackedNumber,
    rehearse::ReasonCount,
    settle::{Numbers, Plan, Reason},
    spool::{FrameReader, Spool},
};

/// The bucket of a row. Every row of the file is in exactly one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "ts", ts(rename = "ImportBucket"))]
#[repr(u8)]
pub enum Bucket {
    /// It becomes a new contact.
    New = 0,
    /// The list has it already, and nothing would change.
    Same,
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

impl Bucket {
    pub const ALL: [Self; 8] = [
        Self::New,
        Self::Same,
        Self::Changed,
        Self::DuplicateInFile,
        Self::DuplicateInList,
        Self::OptedOut,
        Self::Invalid,
        Self::Blank,
    ];
}

/// The number of rows in each bucket. All but the blank ones sum to `rows`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "ts", ts(rename = "ImportBuckets"))]
pub struct Counts {
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub rows: u64,
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub new: u64,
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub same: u64,
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub changed: u64,
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub duplicate_in_file: u64,
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub duplicate_in_list: u64,
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub opted_out: u64,
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub invalid: u64,
    /// Blank rows, the row that names the columns, and the rows above it.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub blank: u64,
}

impl Counts {
    fn of(&mut self, bucket: Bucket) -> &mut u64 {
        match bucket {
            Bucket::New => &mut self.new,
            Bucket::Same => &mut self.same,
            Bucket::Changed => &mut self.changed,
            Bucket::DuplicateInFile => &mut self.duplicate_in_file,
            Bucket::DuplicateInList => &mut self.duplicate_in_list,
            Bucket::OptedOut => &mut self.opted_out,
            Bucket::Invalid => &mut self.invalid,
            Bucket::Blank => &mut self.blank,
        }
    }
}

/// A verdict in one byte: the bucket, the reason of an invalid row, and whether one of its numbers is opted out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Verdict(u8);

const REASON_FROM: u8 = 16;
const OPTED_OUT: u8 = 128;

impl Verdict {
    const fn of(bucket: Bucket) -> Self {
        Self(bucket as u8)
    }

    const fn invalid(reason: Reason) -> Self {
        Self(REASON_FROM + reason as u8)
    }

    fn bucket(self) -> Bucket {
        Bucket::ALL.get((self.0 & !OPTED_OUT) as usize).copied().unwrap_or(Bucket::Invalid)
    }

    fn reason(self) -> Option<Reason> {
        Reason::ALL.into_iter().find(|reason| Self::invalid(*reason) == self)
    }
}

/// The verdicts on all rows, in the order of the file.
#[derive(Debug, Clone, Default)]
pub struct Verdicts {
    verdicts: Vec<Verdict>,
    numbers: Vec<Numbers>,
    opt_outs: Vec<RowOptOut>,
}

/// A number that a row opts out of a channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RowOptOut {
    pub number: PackedNumber,
    pub channel: Channel,
    /// Whether only invalid rows opt it out.
    pub is_of_invalid_row: bool,
    /// The time of the opt-out, if the row has one.
    pub time: Option<Timestamp>,
}

/// The sorted digits of the numbers that are opted out of each channel.
pub type OptedOutDigits = [Vec<u64>; 2];

impl Verdicts {
    /// Validates every row on `hands` threads. Rows before `first` are headings. Valid rows count as new until they are
    /// compared with the other rows and with the list.
    pub fn settle(spool: &Spool, plan: &Plan, first: u64, hands: usize, watch: &Watch) -> io::Result<Self> {
        let settled = spool.read_all(hands, watch, Vec::new, |settled, frame, reader| {
            let first_row = spool.first_row(frame);
            let verdicts = settle_frame(plan, reader, first_row, first.saturating_sub(first_row));
            watch.add_rows(verdicts.len() as u64);
            settled.push((frame, verdicts));
        })?;
        let mut settled: Vec<(usize, Self)> = settled.into_iter().flatten().collect();
        settled.sort_unstable_by_key(|(frame, _)| *frame);
        let rows = spool.rows() as usize;
        let mut all =
            Self { verdicts: Vec::with_capacity(rows), numbers: Vec::with_capacity(rows), opt_outs: Vec::new() };
        for (_, frame) in settled {
            all.verdicts.extend(frame.verdicts);
            all.numbers.extend(frame.numbers);
            all.opt_outs.extend(frame.opt_outs);
        }
        all.opt_outs.sort_unstable_by_key(|one| {
            (one.number.digits(), one.channel, one.is_of_invalid_row, one.time.is_none(), one.time)
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

    pub fn bucket(&self, row: usize) -> Bucket {
        self.verdicts[row].bucket()
    }

    pub fn reason(&self, row: usize) -> Option<Reason> {
        self.verdicts[row].reason()
    }

    pub fn numbers(&self, row: usize) -> Numbers {
        self.numbers[row]
    }

    /// Returns the numbers that rows opt out, each once, in the order of their digits.
    pub fn opt_outs(&self) -> &[RowOptOut] {
        &self.opt_outs
    }

    pub fn is_opted_out(&self, row: usize) -> bool {
        self.verdicts[row].0 & OPTED_OUT != 0
    }

    pub fn put(&mut self, row: usize, bucket: Bucket) {
        self.verdicts[row] = Verdict(bucket as u8 | self.verdicts[row].0 & OPTED_OUT);
    }

    /// Marks rows with a number that is opted out. If `leaves_out`, new rows among them are left out.
    pub fn mark_opted_out(&mut self, digits: &OptedOutDigits, leaves_out: bool) {
        let is_in = |number: PackedNumber, channel: Channel| {
            !number.is_none() && digits[channel as usize].binary_search(&number.digits()).is_ok()
        };
        for row in 0..self.len() {
            let numbers = self.numbers[row];
            if Channel::ALL.into_iter().any(|channel| is_in(numbers.on(channel), channel)) {
                self.verdicts[row].0 |= OPTED_OUT;
                if leaves_out && self.bucket(row) == Bucket::New {
                    self.put(row, Bucket::OptedOut);
                }
            }
        }
    }

    pub fn counts(&self) -> Counts {
        let mut counts = Counts::default();
        for verdict in &self.verdicts {
            *counts.of(verdict.bucket()) += 1;
        }
        counts.rows = self.verdicts.len() as u64 - counts.blank;
        counts
    }

    /// Returns how many rows are refused for each reason.
    pub fn reasons(&self) -> Vec<ReasonCount> {
        let count =
            |reason| self.verdicts.iter().filter(|verdict| **verdict == Verdict::invalid(reason)).count() as u64;
        let counts = Reason::ALL.map(|reason| ReasonCount {
            reason,
            message: reason.message().to_owned(),
            count: count(reason),
        });
        counts.into_iter().filter(|reason| reason.count > 0).collect()
    }

    /// Returns how many imported rows have a number that is opted out.
    pub fn opted_out(&self) -> u64 {
        let stays = |row: &usize| matches!(self.bucket(*row), Bucket::New | Bucket::Same | Bucket::Changed);
        (0..self.len()).filter(|row| self.is_opted_out(*row)).filter(stays).count() as u64
    }

    /// Returns up to `count` rows of a bucket and a reason, beginning with the row `from` of them, and their total
    /// number. Without a bucket, these are all rows that are not blank.
    pub fn rows(&self, bucket: Option<Bucket>, reason: Option<Reason>, from: usize, count: usize) -> (Vec<u64>, u64) {
        let fits = |verdict: &Verdict| {
            bucket.map_or(verdict.bucket() != Bucket::Blank, |bucket| verdict.bucket() == bucket)
                && reason.is_none_or(|reason| *verdict == Verdict::invalid(reason))
        };
        let fitting = || self.verdicts.iter().enumerate().filter(|(_, verdict)| fits(verdict));
        let rows = fitting().skip(from).take(count).map(|(row, _)| row as u64).collect();
        (rows, fitting().count() as u64)
    }

    /// Returns whether the row is the one that is imported for its number.
    pub fn is_taken(&self, row: usize) -> bool {
        !matches!(self.bucket(row), Bucket::DuplicateInFile | Bucket::OptedOut | Bucket::Invalid | Bucket::Blank)
    }

    /// Leaves out rows whose number another row of the file has. Returns the numbers to look for in the list, each with
    /// its row, sorted by digits.
    pub fn leave_out_twins(&mut self, by: MatchBy, twice: Twice) -> Vec<(PackedNumber, u32)> {
        let rows = self.verdicts.iter().zip(&self.numbers).enumerate();
        let mut keys: Vec<(PackedNumber, u32)> = rows
            .filter(|(_, (verdict, _))| verdict.bucket() == Bucket::New)
            .map(|(row, (_, numbers))| (numbers.key(by), row as u32))
            .filter(|(key, _)| !key.is_none())
            .collect();
        // The region of a number depends on how it was read, so only the digits are compared.
        keys.sort_unstable_by_key(|(key, row)| (key.digits(), *row));
        let mut left = Vec::with_capacity(keys.len());
        for twins in keys.chunk_by(|a, b| a.0.digits() == b.0.digits()) {
            let kept = match twice {
                Twice::First => twins[0],
                Twice::Last => twins[twins.len() - 1],
            };
            for (_, row) in twins.iter().filter(|(_, row)| *row != kept.1) {
                self.put(*row as usize, Bucket::DuplicateInFile);
            }
            left.push(kept);
        }
        left
    }
}

fn settle_frame(plan: &Plan, reader: &FrameReader, first: u64, above: u64) -> Verdicts {
    let mut settled = Verdicts::default();
    for (at, row) in reader.block.rows().enumerate() {
        if (at as u64) < above || row.is_blank() {
            settled.verdicts.push(Verdict::of(Bucket::Blank));
            settled.numbers.push(Numbers::default());
            continue;
        }
        let (verdict, numbers) = match plan.settle(&row) {
            Ok(numbers) => (Verdict::of(Bucket::New), Some(numbers)),
            Err(fault) => (Verdict::invalid(fault.reason), None),
        };
        settled.verdicts.push(verdict);
        settled.numbers.push(numbers.unwrap_or_default());
        // An opt-out does not depend on the rest of the row, so an invalid row opts its valid numbers out as well.
        let is_of_invalid_row = numbers.is_none();
        let numbers = || numbers.unwrap_or_else(|| plan.valid_numbers(&row));
        plan.opted_out(first + at as u64, &row, numbers, |number, channel, time| {
            settled.opt_outs.push(RowOptOut { number, channel, is_of_invalid_row, time });
        });
    }
    settled
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use proptest::prelude::*;
    use roost_model::phone::Region;
    use roost_sheets::{Block, RowFlags};

    use super::{
        super::mapping::{Mapping, Piece, Target},
        *,
    };

    fn plan() -> Plan {
        let target = |column: u32, field: &str| Target::new(field, vec![Piece::Column { column, part: None }]);
        let targets = vec![target(0, "phone_number"), target(1, "firstname")];
        Plan::of(&Mapping { targets, ..Mapping::default() }, 2, &[], Region::gb()).unwrap()
    }

    fn spool(rows: &[(&str, &str)]) -> Spool {
        let mut spool = Spool::in_memory();
        for part in rows.chunks(3) {
            let mut block = Block::default();
            for (phone, name) in part {
                block.cell(phone);
                block.cell(name);
                block.end_row(1, RowFlags::default());
            }
            spool.push(&block).unwrap();
        }
        spool
    }

    fn verdicts(rows: &[(&str, &str)], first: u64, hands: usize, twice: Twice) -> Verdicts {
        let mut verdicts = Verdicts::settle(&spool(rows), &plan(), first, hands, &Watch::default()).unwrap();
        verdicts.leave_out_twins(MatchBy::Phone, twice);
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
        let first = verdicts(&rows, 1, 1, Twice::First);
        let buckets: Vec<Bucket> = (0..6).map(|row| first.bucket(row)).collect();
        use Bucket::{Blank, DuplicateInFile, Invalid, New};
        assert_eq!(buckets, [Blank, New, Blank, DuplicateInFile, Invalid, New]);
        assert_eq!((first.reason(4), first.reason(1)), (Some(Reason::Spreadsheet), None));
        assert_eq!(
            first.counts(),
            Counts { rows: 4, new: 2, duplicate_in_file: 1, invalid: 1, blank: 2, ..Counts::default() }
        );
        assert_eq!(first.rows(Some(New), None, 1, 5), (vec![5], 2));
        assert_eq!(first.rows(None, Some(Reason::Spreadsheet), 0, 5), (vec![4], 1));
        let last = verdicts(&rows, 1, 1, Twice::Last);
        assert_eq!((last.bucket(1), last.bucket(3)), (DuplicateInFile, New));
    }

    #[test]
    fn it_ends_when_it_is_told_to() {
        let watch = Watch::default();
        watch.cancel();
        let ended = Verdicts::settle(&spool(&[("07700900001", "")]), &plan(), 0, 2, &watch);
        assert_eq!(ended.unwrap_err().kind(), io::ErrorKind::Interrupted);
    }

    #[test]
    fn every_verdict_fits_into_its_byte() {
        for bucket in Bucket::ALL {
            assert_eq!(Verdict::of(bucket).bucket(), bucket);
            assert_eq!(Verdict::of(bucket).reason(), None);
        }
        for reason in Reason::ALL {
            assert_eq!(Verdict::invalid(reason).bucket(), Bucket::Invalid);
            assert_eq!(Verdict::invalid(reason).reason(), Some(reason));
        }
    }

    proptest! {
        /// Compares with a simple model that visits one row after the other. The number of threads must not matter.
        #[test]
        fn rows_are_judged_as_one_after_the_other_would_be(
            rows in prop::collection::vec(prop::sample::select(vec!["", "x", "07700900001", "+447700900001", "07700900002", "7700 900003"]), 0..20),
            hands in 1_usize..4,
            twice in prop::sample::select(vec![Twice::First, Twice::Last]),
        ) {
            let pairs: Vec<(&str, &str)> = rows.iter().map(|phone| (*phone, "")).collect();
            let judged = verdicts(&pairs, 0, hands, twice);
            let mut seen: HashMap<String, usize> = HashMap::new();
            let mut want: Vec<Bucket> = Vec::new();
            for (row, text) in rows.iter().enumerate() {
                let number = roost_model::phone::parse_contact_number(text, Region::gb());
                let bucket = match number {
                    _ if text.is_empty() => Bucket::Blank,
                    None => Bucket::Invalid,
                    Some(phone) => match (seen.insert(phone.e164.clone(), row), twice) {
                        (None, _) => Bucket::New,
                        (Some(earlier), Twice::Last) => {
                            want[earlier] = Bucket::DuplicateInFile;
                            Bucket::New
                        }
                        (Some(_), Twice::First) => Bucket::DuplicateInFile,
                    },
                };
                want.push(bucket);
            }
            prop_assert_eq!((0..judged.len()).map(|row| judged.bucket(row)).collect::<Vec<_>>(), want);
            let counts = judged.counts();
            prop_assert_eq!(counts.new + counts.duplicate_in_file + counts.invalid, counts.rows);
            prop_assert_eq!((counts.rows + counts.blank) as usize, rows.len());
        }
    }
}
