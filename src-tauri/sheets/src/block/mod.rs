//! Stores many rows in one piece of text, so that no row needs an allocation.

mod frame;
mod growing;
mod reader;
pub(crate) mod remark;

pub(crate) use self::growing::GrowingRow;
pub use self::{
    frame::{FRAME_HEAD_BYTES, FrameHead},
    reader::RowReader,
};

/// A fact about a row that its cells do not show, such as damage that was found while reading. Reading continues.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum RowFlag {
    /// The row has bytes that are not text in this encoding, which `U+FFFD` replaces.
    DamagedText = 1,
    /// There is text between a closing quote and the separator.
    StrayQuote = 2,
    /// The row has a NUL character.
    Nul = 4,
    /// The row has a cell with a formula whose result is an error or not in the file.
    NoResult = 8,
    /// A part of the row was not understood and left out.
    Malformed = 16,
    /// This program exported the row, so white space at the ends of its cells belongs to them.
    Exact = 32,
    /// A person said that everybody in the file has opted out.
    OptedOut = 64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RowFlags(u8);

impl RowFlags {
    pub fn has(self, flag: RowFlag) -> bool {
        self.0 & flag as u8 != 0
    }

    pub fn add(&mut self, flag: RowFlag) {
        self.0 |= flag as u8;
    }

    pub fn bits(self) -> u8 {
        self.0
    }

    pub fn from_bits(bits: u8) -> Self {
        Self(bits)
    }
}

/// Consecutive rows. The last one may still be growing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RowBlock {
    text: String,
    /// The end of each cell's text.
    cell_ends: Vec<u32>,
    /// The number of cells up to the end of each row.
    row_ends: Vec<u32>,
    places: Vec<u64>,
    flags: Vec<RowFlags>,
}

/// A full block is large enough to be worth handing on, and small enough to stay in the cache of the processor.
const FULL_BYTES: usize = 256 << 10;
const FULL_ROWS: usize = 4_096;
const FULL_CELLS: usize = 128 << 10;

impl RowBlock {
    pub fn clear(&mut self) {
        self.text.clear();
        self.cell_ends.clear();
        self.row_ends.clear();
        self.places.clear();
        self.flags.clear();
    }

    pub fn len(&self) -> usize {
        self.row_ends.len()
    }

    pub fn is_empty(&self) -> bool {
        self.row_ends.is_empty()
    }

    /// Returns whether the block should be handed on.
    pub fn is_full(&self) -> bool {
        self.text.len() >= FULL_BYTES || self.row_ends.len() >= FULL_ROWS || self.cell_ends.len() >= FULL_CELLS
    }

    /// Returns a size that grows with the block: the bytes of its texts, plus one for each cell and one for each row.
    /// The bytes in a file are more.
    pub fn stored_bytes(&self) -> u64 {
        (self.text.len() + self.cell_ends.len() + self.row_ends.len()) as u64
    }

    /// Adds a flag to every row from `from` on for which `check` returns true.
    pub fn flag_rows(&mut self, from: usize, flag: RowFlag, check: impl Fn(&BlockRow) -> bool) {
        for at in from..self.len() {
            if check(&self.row(at)) {
                self.flags[at].add(flag);
            }
        }
    }

    pub fn row(&self, row: usize) -> BlockRow<'_> {
        let first = if row == 0 { 0 } else { self.row_ends[row - 1] as usize };
        let end = self.row_ends[row] as usize;
        let start = if first == 0 { 0 } else { self.cell_ends[first - 1] };
        BlockRow {
            text: &self.text,
            start,
            ends: &self.cell_ends[first..end],
            place: self.places[row],
            flags: self.flags[row],
        }
    }

    pub fn rows(&self) -> impl DoubleEndedIterator<Item = BlockRow<'_>> + ExactSizeIterator {
        (0..self.len()).map(|row| self.row(row))
    }

    /// Appends text to the growing cell.
    pub fn push(&mut self, text: &str) {
        self.text.push_str(text);
    }

    pub fn push_char(&mut self, c: char) {
        self.text.push(c);
    }

    pub fn end_cell(&mut self) {
        self.cell_ends.push(self.text.len() as u32);
    }

    pub fn push_cell(&mut self, text: &str) {
        self.push(text);
        self.end_cell();
    }

    pub fn end_row(&mut self, place: u64, flags: RowFlags) {
        self.row_ends.push(self.cell_ends.len() as u32);
        self.places.push(place);
        self.flags.push(flags);
    }

    /// Returns the number of cells in the growing row.
    pub fn open_cells(&self) -> usize {
        self.cell_ends.len() - self.row_ends.last().map_or(0, |end| *end as usize)
    }

    /// Returns the number of bytes in the growing cell.
    pub fn open_bytes(&self) -> usize {
        self.text.len() - self.cell_ends.last().map_or(0, |end| *end as usize)
    }

    /// Returns the number of bytes in the growing row.
    pub fn open_row_bytes(&self) -> usize {
        self.text.len() - self.open_row_start()
    }

    /// Returns the text of the growing row.
    pub fn open_row(&self) -> &str {
        &self.text[self.open_row_start()..]
    }

    fn open_row_start(&self) -> usize {
        match self.row_ends.last() {
            Some(0) | None => 0,
            Some(end) => self.cell_ends[*end as usize - 1] as usize,
        }
    }

    /// Discards the growing row.
    pub fn drop_open_row(&mut self) {
        self.text.truncate(self.open_row_start());
        self.cell_ends.truncate(self.row_ends.last().map_or(0, |end| *end as usize));
    }
}

/// One row of a block.
#[derive(Debug, Clone, Copy)]
pub struct BlockRow<'b> {
    text: &'b str,
    start: u32,
    ends: &'b [u32],
    /// The line on which the row begins, or its number in the sheet, counted from 1.
    pub place: u64,
    pub flags: RowFlags,
}

impl<'b> BlockRow<'b> {
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Returns a cell, or `None` if the row is shorter.
    pub fn get(&self, cell: usize) -> Option<&'b str> {
        let end = *self.ends.get(cell)?;
        let start = if cell == 0 { self.start } else { self.ends[cell - 1] };
        self.text.get(start as usize..end as usize)
    }

    pub fn cells(&self) -> impl Iterator<Item = &'b str> + use<'b> {
        let (text, ends, mut start) = (self.text, self.ends, self.start);
        ends.iter().map(move |end| {
            let cell = &text[start as usize..*end as usize];
            start = *end;
            cell
        })
    }

    /// Returns whether the row has no text other than white space.
    pub fn is_blank(&self) -> bool {
        self.ends.last().is_none_or(|end| *end == self.start) || self.cells().all(|cell| cell.trim().is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_come_back_as_they_were_put_in() {
        let mut block = RowBlock::default();
        let rows: [&[&str]; 5] = [&["a", "", "ü"], &[], &["", ""], &["last"], &[]];
        for (at, row) in rows.iter().enumerate() {
            row.iter().for_each(|cell| block.push_cell(cell));
            assert_eq!(block.open_cells(), row.len());
            block.end_row(at as u64 + 1, RowFlags::default());
        }
        assert_eq!(block.len(), 5);
        for (row, want) in block.rows().zip(rows) {
            assert_eq!(row.cells().collect::<Vec<_>>(), want);
            assert_eq!((0..want.len()).map(|at| row.get(at).unwrap()).collect::<Vec<_>>(), want);
            assert_eq!(row.get(want.len()), None);
        }
        assert_eq!(block.rows().map(|row| row.is_blank()).collect::<Vec<_>>(), [false, true, true, false, true]);
    }

    #[test]
    fn a_row_that_is_given_up_leaves_nothing() {
        let mut block = RowBlock::default();
        block.push_cell("kept");
        block.end_row(1, RowFlags::default());
        let before = block.clone();
        block.push_cell("x");
        block.push("half");
        assert_eq!((block.open_bytes(), block.open_row_bytes(), block.open_row()), (4, 5, "xhalf"));
        block.drop_open_row();
        assert_eq!(block, before);
        block.end_row(2, RowFlags::default());
        block.push("y");
        block.drop_open_row();
        assert_eq!((block.row(1).len(), block.open_bytes()), (0, 0));
    }

    #[test]
    fn flags_are_kept_apart() {
        let mut flags = RowFlags::default();
        flags.add(RowFlag::Nul);
        flags.add(RowFlag::DamagedText);
        assert!(flags.has(RowFlag::Nul) && !flags.has(RowFlag::StrayQuote));
        assert_eq!(RowFlags::from_bits(flags.bits()), flags);
    }
}
