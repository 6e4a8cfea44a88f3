//! How many cells of each column are in rows that are taken, left out, or rejected.

use std::io;

use roost_store::watch::Watch;

use super::super::{
    number::spelling::plain_number,
    spool::{FrameReader, Spool},
    verdicts::{Bucket, Verdicts},
};

/// Characters of an example.
const SHOWN: usize = 80;

/// Cells that are taken in another form than they have, with the first of them.
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

/// Cells of one column that are not blank.
#[derive(Debug, Clone, Default)]
pub struct ColumnTally {
    /// In rows that are taken.
    pub taken: u64,
    /// In rows that are left out.
    pub left_out: u64,
    pub rejected: u64,
    /// In rows that are taken: with white space around them, and numbers spelled as programs spell them.
    pub spaced: ReformedCells,
    pub spelled: ReformedCells,
    is_number: bool,
}

impl ColumnTally {
    fn add(&mut self, other: Self) {
        self.taken += other.taken;
        self.left_out += other.left_out;
        self.rejected += other.rejected;
        self.spaced.add(other.spaced);
        self.spelled.add(other.spelled);
    }
}

/// Counts the cells of all rows that hold values, on as many threads as there are hands. `columns` says of each whether
/// numbers are taken from it.
pub fn tally(
    spool: &Spool,
    verdicts: &Verdicts,
    columns: &[bool],
    hands: usize,
    watch: &Watch,
) -> io::Result<Vec<ColumnTally>> {
    let none = || -> Vec<ColumnTally> {
        columns.iter().map(|is_number| ColumnTally { is_number: *is_number, ..ColumnTally::default() }).collect()
    };
    let counted = spool.read_all(hands, watch, none, |counted, frame, reader| {
        add_frame(counted, reader, verdicts, spool.first_row(frame) as usize);
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

fn add_frame(counted: &mut [ColumnTally], reader: &FrameReader, verdicts: &Verdicts, first: usize) {
    for (at, row) in reader.block.rows().enumerate() {
        let bucket = verdicts.bucket(first + at);
        if bucket == Bucket::Blank {
            continue;
        }
        for (column, cell) in counted.iter_mut().zip(row.cells()) {
            let text = cell.trim();
            if text.is_empty() {
                continue;
            }
            match bucket {
                Bucket::New | Bucket::Same | Bucket::Changed => {
                    column.taken += 1;
                    if text.len() != cell.len() {
                        column.spaced.note(cell, first + at);
                    }
                    if column.is_number && plain_number(text) != text {
                        column.spelled.note(cell, first + at);
                    }
                }
                Bucket::Invalid => column.rejected += 1,
                _ => column.left_out += 1,
            }
        }
    }
}
