//! Counts, for each column, the cells in rows that are imported, left out or rejected.

use std::{collections::HashMap, io};

use roost_model::time::date::is_impossible_date;
use roost_sheets::RowFlag;
use roost_store::watch::Watch;

use super::super::{
    mapping::{
        cells::is_missing_marker,
        dates::{DateOrder, ReadDate},
    },
    spool::{FrameReader, Spool},
    validate::{CountrySource, RowPlan, UnusedNumber, is_error_cell, is_spreadsheet_error},
    verdicts::{RowBucket, VerdictTable},
};

/// The most characters of an example.
const EXAMPLE_CHARS: usize = 80;

/// Distinct values of an opt-out column that are counted.
const VALUES_MAX: usize = 1_000;

/// The number of cells that an entry of the ledger is about, and the first of them as an example.
#[derive(Debug, Clone, Default)]
pub struct NotedCells {
    pub count: u64,
    pub example: String,
    /// The row of the example.
    row: usize,
}

impl NotedCells {
    fn note_cell(&mut self, cell: &str, row: usize) {
        if self.count == 0 {
            *self = Self { count: 0, example: cell.chars().take(EXAMPLE_CHARS).collect(), row };
        }
        self.count += 1;
    }

    fn merge(&mut self, other: Self) {
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
    pub with_space: NotedCells,
    /// Imported as numbers that other programs spelled in their way.
    pub respelled: NotedCells,
    /// Imported as dates in another form.
    pub converted_dates: NotedCells,
    /// Imported unchanged: dates that contradict the order of the others.
    pub other_order: NotedCells,
    /// Imported unchanged: dates of birth in the future.
    pub future: NotedCells,
    /// Imported unchanged: texts that are not complete dates.
    pub incomplete_dates: NotedCells,
    /// Imported although they look like spreadsheet errors.
    pub doubtful: NotedCells,
    /// Left out of imported rows: spreadsheet errors.
    pub errors: NotedCells,
    /// Left out of imported rows: telephone numbers that a contact has no field for.
    pub unused: NotedCells,
    /// Cells from which one telephone number was imported although they hold more than a contact has fields for.
    pub unused_parts: NotedCells,
    /// Left out because they are not valid numbers, where another number of the row is imported.
    pub invalid: NotedCells,
    /// Imported as drafts: texts that are not e-mail addresses.
    pub drafts: NotedCells,
    /// Left out of imported rows: markers of a missing value.
    pub missing: NotedCells,
    /// Left out of imported rows: dates that do not exist.
    pub impossible: NotedCells,
    /// Left out because their label says that they are numbers of a fax or a pager.
    pub not_for_messages: NotedCells,
    /// Numbers without a country code that were read in the country of the file.
    pub read_in_file_country: NotedCells,
    /// Numbers without a country code that were read in the country of their row.
    pub read_in_row_country: NotedCells,
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
    pub is_email: bool,
    pub is_consent: bool,
}

impl ColumnTally {
    /// Returns the number of cells that were stored in the account.
    pub fn stored_cells(&self) -> u64 {
        let left_out =
            [&self.errors, &self.unused, &self.invalid, &self.missing, &self.impossible, &self.not_for_messages];
        self.taken.saturating_sub(left_out.iter().map(|cells| cells.count).sum())
    }

    fn merge(&mut self, other: Self) {
        self.taken += other.taken;
        self.left_out += other.left_out;
        self.rejected += other.rejected;
        self.with_space.merge(other.with_space);
        self.respelled.merge(other.respelled);
        self.converted_dates.merge(other.converted_dates);
        self.other_order.merge(other.other_order);
        self.future.merge(other.future);
        self.incomplete_dates.merge(other.incomplete_dates);
        self.doubtful.merge(other.doubtful);
        self.errors.merge(other.errors);
        self.unused.merge(other.unused);
        self.unused_parts.merge(other.unused_parts);
        self.invalid.merge(other.invalid);
        self.drafts.merge(other.drafts);
        self.missing.merge(other.missing);
        self.impossible.merge(other.impossible);
        self.not_for_messages.merge(other.not_for_messages);
        self.read_in_file_country.merge(other.read_in_file_country);
        self.read_in_row_country.merge(other.read_in_row_country);
        self.further_values += other.further_values;
        other.values.into_iter().for_each(|(value, count)| self.count_value(&value, count));
    }

    fn note_date(&mut self, cell: &str, read: Option<ReadDate>, number: usize) {
        let cells = match read {
            Some(ReadDate::Day(day)) if day.to_string() != cell.trim() => &mut self.converted_dates,
            Some(ReadDate::WrongOrder) => &mut self.other_order,
            Some(ReadDate::Future) => &mut self.future,
            Some(ReadDate::NotADate) => &mut self.incomplete_dates,
            Some(ReadDate::Day(_)) | None => return,
        };
        cells.note_cell(cell, number);
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
    pub verdicts: &'a VerdictTable,
    pub plan: &'a RowPlan,
}

/// Counts the cells of all rows except blank ones, on `threads` threads.
pub fn tally_columns(
    spool: &Spool,
    rules: TallyRules,
    columns: &[ColumnRole],
    threads: usize,
    watch: &Watch,
) -> io::Result<Vec<ColumnTally>> {
    let none = || -> Vec<ColumnTally> {
        columns.iter().map(|role| ColumnTally { role: *role, ..ColumnTally::default() }).collect()
    };
    let counted = spool.read_frames(threads, watch, none, |counted, frame, reader| {
        add_frame(counted, reader, rules, spool.first_row(frame) as usize);
    })?;
    if watch.is_cancelled() {
        return Err(io::ErrorKind::Interrupted.into());
    }
    let mut all = none();
    for counted in counted {
        all.iter_mut().zip(counted).for_each(|(all, column)| all.merge(column));
    }
    Ok(all)
}

fn add_frame(counted: &mut [ColumnTally], reader: &FrameReader, rules: TallyRules, first: usize) {
    for (at, row) in reader.block.rows().enumerate() {
        let number = first + at;
        let bucket = rules.verdicts.bucket(number);
        if bucket == RowBucket::Blank {
            continue;
        }
        for (at, column) in counted.iter_mut().enumerate().filter(|(_, column)| column.role.is_consent) {
            column.count_value(row.get(at).unwrap_or_default().trim(), 1);
        }
        let is_taken = bucket.is_in_list();
        if is_taken {
            rules.plan.visit_unused_numbers(&row, |column, spare| {
                if let (Some(tally), Some(cell)) = (counted.get_mut(column as usize), row.get(column as usize)) {
                    let cells = match spare {
                        UnusedNumber::Valid => &mut tally.unused,
                        UnusedNumber::PartOfCell => &mut tally.unused_parts,
                        UnusedNumber::Invalid => &mut tally.invalid,
                        UnusedNumber::NotForMessages => &mut tally.not_for_messages,
                    };
                    cells.note_cell(cell, number);
                }
            });
        }
        let stores_values = matches!(bucket, RowBucket::New | RowBucket::Changed);
        let mut draft = stores_values.then(|| rules.plan.draft_value(&row)).flatten();
        for (at, (column, cell)) in counted.iter_mut().zip(row.cells()).enumerate() {
            let text = cell.trim();
            if text.is_empty() {
                continue;
            }
            match bucket {
                _ if is_taken => {
                    column.taken += 1;
                    if column.role.is_used && is_spreadsheet_error(text) {
                        let is_left_out = column.role.is_number || is_error_cell(&row, text);
                        let cells = if is_left_out { &mut column.errors } else { &mut column.doubtful };
                        cells.note_cell(cell, number);
                        continue;
                    }
                    let is_exact = row.flags.has(RowFlag::Exact);
                    if column.role.is_used && !is_exact && is_missing_marker(text) {
                        column.missing.note_cell(cell, number);
                        continue;
                    }
                    let reads_dates = column.role.is_date && rules.plan.dates.order != Some(DateOrder::AsWritten);
                    if reads_dates && !is_exact && is_impossible_date(text) {
                        column.impossible.note_cell(cell, number);
                        continue;
                    }
                    if text.len() != cell.len() && !is_exact {
                        column.with_space.note_cell(cell, number);
                    }
                    if column.role.is_number {
                        if rules.plan.is_respelled(text) {
                            column.respelled.note_cell(cell, number);
                        }
                        match rules.plan.country_source(at as u32, &row, text) {
                            Some(CountrySource::File) => column.read_in_file_country.note_cell(cell, number),
                            Some(CountrySource::Row) => column.read_in_row_country.note_cell(cell, number),
                            None => {}
                        }
                    }
                    if column.role.is_email
                        && let Some(value) = draft.take()
                    {
                        column.drafts.note_cell(&value, number);
                    }
                    if column.role.is_date && !is_exact {
                        column.note_date(cell, rules.plan.dates.read(text), number);
                    }
                }
                RowBucket::Invalid => column.rejected += 1,
                _ => column.left_out += 1,
            }
        }
    }
}
