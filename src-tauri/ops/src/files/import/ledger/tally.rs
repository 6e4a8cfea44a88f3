//! Counts, for each column, the cells in rows that are imported, left out or rejected.

use std::{collections::HashMap, io};

use roost_sheets::RowFlag;
use roost_store::watch::Watch;

use super::super::{
    mapping::{
        cells::is_missing,
        dates::{DateOrder, ReadDate, is_impossible_date},
    },
    settle::{Plan, ReadIn, Spare, is_error, is_error_cell},
    spool::{FrameReader, Spool},
    verdicts::{Bucket, Verdicts},
};

/// Characters of an example at most.
const SHOWN: usize = 80;

/// Distinct values of an opt-out column that are counted.
const VALUES_MAX: usize = 1_000;

/// The number of cells that an entry of the ledger is about, and the first of them as an example.
#[derive(Debug, Clone, Default)]
pub struct ReformedCells {
    pub count: u64,
    pub example: String,
    /// The row of the example.
    row: usize,
}

impl ReformedCells {
    fn note(&mut self, cell: &str, row: usize) {
        if self.count == 0 {
            *self = Self { count: 0, example: cell.chars().take(SHOWN).collect(), row };
        }
        self.count += 1;
    }

    fn add(&mut self, other: Self) {
        if self.count == 0 || (other.count > 0 && other.row < self.row) {
            (self.example, self.row) = (other.example, other.row);
        }
        self.count += other.count;
    }
}

/// The number of cells of one column that are not blank, by what was done with them.
#[derive(Debug, Clone, Default)]
pub struct ColumnTally {
    /// Cells in rows that are imported.
    pub taken: u64,
    /// Cells in rows that are left out.
    pub left_out: u64,
    pub rejected: u64,
    /// Imported without their surrounding white space.
    pub spaced: ReformedCells,
    /// Imported as numbers that other programs spelled in their way.
    pub spelled: ReformedCells,
    /// Imported as dates in another form.
    pub dated: ReformedCells,
    /// Imported unchanged: dates that contradict the order of the others.
    pub other_order: ReformedCells,
    /// Imported unchanged: dates of birth in the future.
    pub future: ReformedCells,
    /// Imported unchanged: texts that are not complete dates.
    pub no_days: ReformedCells,
    /// Imported although they look like spreadsheet errors.
    pub doubtful: ReformedCells,
    /// Left out of imported rows: spreadsheet errors.
    pub errors: ReformedCells,
    /// Left out of imported rows: telephone numbers that a contact has no field for.
    pub spare: ReformedCells,
    /// Cells from which one telephone number was imported although they hold more than a contact has fields for.
    pub split: ReformedCells,
    /// Left out because they are not valid numbers, where another number of the row is imported.
    pub invalid: ReformedCells,
    /// Left out of imported rows: markers of a missing value.
    pub missing: ReformedCells,
    /// Left out of imported rows: dates that do not exist.
    pub impossible: ReformedCells,
    /// Left out because their label says that they are numbers of a fax or a pager.
    pub no_phones: ReformedCells,
    /// Numbers without a country code that were read in the country of the file.
    pub of_file: ReformedCells,
    /// Numbers without a country code that were read in the country of their row.
    pub of_row: ReformedCells,
    /// For an opt-out column: the number of rows with each value, including blank.
    pub values: HashMap<String, u64>,
    /// The number of rows with values beyond those counted.
    pub further_values: u64,
    role: ColumnRole,
}

/// How an import uses a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ColumnRole {
    pub is_used: bool,
    pub is_number: bool,
    pub is_date: bool,
    pub is_consent: bool,
}

impl ColumnTally {
    /// Returns the number of cells that were stored in the account.
    pub fn stored(&self) -> u64 {
        let left_out = [&self.errors, &self.spare, &self.invalid, &self.missing, &self.impossible, &self.no_phones];
        self.taken.saturating_sub(left_out.iter().map(|cells| cells.count).sum())
    }

    fn add(&mut self, other: Self) {
        self.taken += other.taken;
        self.left_out += other.left_out;
        self.rejected += other.rejected;
        self.spaced.add(other.spaced);
        self.spelled.add(other.spelled);
        self.dated.add(other.dated);
        self.other_order.add(other.other_order);
        self.future.add(other.future);
        self.no_days.add(other.no_days);
        self.doubtful.add(other.doubtful);
        self.errors.add(other.errors);
        self.spare.add(other.spare);
        self.split.add(other.split);
        self.invalid.add(other.invalid);
        self.missing.add(other.missing);
        self.impossible.add(other.impossible);
        self.no_phones.add(other.no_phones);
        self.of_file.add(other.of_file);
        self.of_row.add(other.of_row);
        self.further_values += other.further_values;
        other.values.into_iter().for_each(|(value, count)| self.count_value(&value, count));
    }

    fn note_date(&mut self, cell: &str, read: Option<ReadDate>, number: usize) {
        let cells = match read {
            Some(ReadDate::Day(day)) if day.to_string() != cell.trim() => &mut self.dated,
            Some(ReadDate::OtherOrder) => &mut self.other_order,
            Some(ReadDate::Future) => &mut self.future,
            Some(ReadDate::NoDay) => &mut self.no_days,
            Some(ReadDate::Day(_)) | None => return,
        };
        cells.note(cell, number);
    }

    fn count_value(&mut self, value: &str, count: u64) {
        if let Some(known) = self.values.get_mut(value) {
            *known += count;
        } else if self.values.len() < VALUES_MAX {
            self.values.insert(value.to_owned(), count);
        } else {
            self.further_values += count;
        }
    }
}

/// The rules by which cells are counted.
#[derive(Clone, Copy)]
pub struct TallyRules<'a> {
    pub verdicts: &'a Verdicts,
    pub plan: &'a Plan,
}

/// Counts the cells of all rows except blank ones, on `hands` threads.
pub fn tally(
    spool: &Spool,
    rules: TallyRules,
    columns: &[ColumnRole],
    hands: usize,
    watch: &Watch,
) -> io::Result<Vec<ColumnTally>> {
    let none = || -> Vec<ColumnTally> {
        columns.iter().map(|role| ColumnTally { role: *role, ..ColumnTally::default() }).collect()
    };
    let counted = spool.read_all(hands, watch, none, |counted, frame, reader| {
        add_frame(counted, reader, rules, spool.first_row(frame) as usize);
    })?;
    if watch.is_cancelled() {
        return Err(io::ErrorKind::Interrupted.into());
    }
    let mut all = none();
    for counted in counted {
        all.iter_mut().zip(counted).for_each(|(all, column)| all.add(column));
    }
    Ok(all)
}

fn add_frame(counted: &mut [ColumnTally], reader: &FrameReader, rules: TallyRules, first: usize) {
    for (at, row) in reader.block.rows().enumerate() {
        let number = first + at;
        let bucket = rules.verdicts.bucket(number);
        if bucket == Bucket::Blank {
            continue;
        }
        for (at, column) in counted.iter_mut().enumerate().filter(|(_, column)| column.role.is_consent) {
            column.count_value(row.get(at).unwrap_or_default().trim(), 1);
        }
        let is_taken = matches!(bucket, Bucket::New | Bucket::Same | Bucket::Changed);
        if is_taken {
            rules.plan.spare_numbers(&row, |column, spare| {
                if let (Some(tally), Some(cell)) = (counted.get_mut(column as usize), row.get(column as usize)) {
                    let cells = match spare {
                        Spare::Number => &mut tally.spare,
                        Spare::PartOfCell => &mut tally.split,
                        Spare::Invalid => &mut tally.invalid,
                        Spare::NoPhone => &mut tally.no_phones,
                    };
                    cells.note(cell, number);
                }
            });
        }
        for (at, (column, cell)) in counted.iter_mut().zip(row.cells()).enumerate() {
            let text = cell.trim();
            if text.is_empty() {
                continue;
            }
            match bucket {
                _ if is_taken => {
                    column.taken += 1;
                    if column.role.is_used && is_error(text) {
                        let is_left_out = column.role.is_number || is_error_cell(&row, text);
                        let cells = if is_left_out { &mut column.errors } else { &mut column.doubtful };
                        cells.note(cell, number);
                        continue;
                    }
                    let is_exact = row.flags.has(RowFlag::Exact);
                    if column.role.is_used && !is_exact && is_missing(text) {
                        column.missing.note(cell, number);
                        continue;
                    }
                    let reads_dates = column.role.is_date && rules.plan.dates.order != Some(DateOrder::AsWritten);
                    if reads_dates && !is_exact && is_impossible_date(text) {
                        column.impossible.note(cell, number);
                        continue;
                    }
                    if text.len() != cell.len() && !is_exact {
                        column.spaced.note(cell, number);
                    }
                    if column.role.is_number {
                        if rules.plan.is_respelled(text) {
                            column.spelled.note(cell, number);
                        }
                        match rules.plan.read_in(at as u32, &row, text) {
                            Some(ReadIn::File) => column.of_file.note(cell, number),
                            Some(ReadIn::Row) => column.of_row.note(cell, number),
                            None => {}
                        }
                    }
                    if column.role.is_date && !is_exact {
                        column.note_date(cell, rules.plan.dates.read(text), number);
                    }
                }
                Bucket::Invalid => column.rejected += 1,
                _ => column.left_out += 1,
            }
        }
    }
}
