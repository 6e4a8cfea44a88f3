//! How many cells of each column are in rows that are taken, left out, or rejected.

use std::{
    io,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
};

use roost_store::watch::Watch;

use super::super::{
    spool::{FrameReader, Spool},
    verdicts::{Bucket, Verdicts},
};

/// Characters of an example.
const SHOWN: usize = 80;

/// Cells of one column that are not blank.
#[derive(Debug, Clone, Default)]
pub struct ColumnTally {
    /// In rows that are taken.
    pub taken: u64,
    /// In rows that are left out.
    pub left_out: u64,
    pub rejected: u64,
    /// In rows that are taken, with white space around them, and the first of these.
    pub spaced: u64,
    pub spaced_example: String,
    /// The row of the example.
    spaced_row: usize,
}

impl ColumnTally {
    fn add(&mut self, other: Self) {
        self.taken += other.taken;
        self.left_out += other.left_out;
        self.rejected += other.rejected;
        if self.spaced == 0 || (other.spaced > 0 && other.spaced_row < self.spaced_row) {
            (self.spaced_example, self.spaced_row) = (other.spaced_example, other.spaced_row);
        }
        self.spaced += other.spaced;
    }
}

/// Counts the cells of all rows that hold values, on as many threads as there are hands.
pub fn tally(
    spool: &Spool,
    verdicts: &Verdicts,
    columns: usize,
    hands: usize,
    watch: &Watch,
) -> io::Result<Vec<ColumnTally>> {
    let next = AtomicUsize::new(0);
    let all = Mutex::new(vec![ColumnTally::default(); columns]);
    let work = || -> io::Result<()> {
        let (mut reader, mut counted) = (FrameReader::default(), vec![ColumnTally::default(); columns]);
        loop {
            let frame = next.fetch_add(1, Ordering::Relaxed);
            if frame >= spool.frames() || watch.is_cancelled() {
                break;
            }
            spool.read(frame, &mut reader)?;
            add_frame(&mut counted, &reader, verdicts, spool.first_row(frame) as usize);
        }
        let mut all = all.lock().unwrap_or_else(PoisonError::into_inner);
        all.iter_mut().zip(counted).for_each(|(all, column)| all.add(column));
        Ok(())
    };
    std::thread::scope(|scope| {
        let helpers: Vec<_> = (1..hands).map(|_| scope.spawn(work)).collect();
        let mine = work();
        let theirs =
            helpers.into_iter().map(|helper| helper.join().unwrap_or_else(|_| Err(io::ErrorKind::Other.into())));
        theirs.chain([mine]).collect::<io::Result<()>>()
    })?;
    if watch.is_cancelled() {
        return Err(io::ErrorKind::Interrupted.into());
    }
    Ok(all.into_inner().unwrap_or_else(PoisonError::into_inner))
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
                        if column.spaced == 0 {
                            column.spaced_example = cell.chars().take(SHOWN).collect();
                            column.spaced_row = first + at;
                        }
                        column.spaced += 1;
                    }
                }
                Bucket::Invalid => column.rejected += 1,
                _ => column.left_out += 1,
            }
        }
    }
}
