//! The limits of a file. Beyond them, reading ends with the position of the error.

/// Most bytes of text after an error in which lines are counted.
pub(crate) const REST_MAX: usize = 256 << 20;

/// Limits of one reading. Tests make them small.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReadLimits {
    /// Most cells of one row.
    pub columns: usize,
    /// Most bytes of one cell.
    pub cell_bytes: usize,
    /// Most bytes of one row, and of one piece of markup.
    pub row_bytes: usize,
    /// Most rows of one sheet or text.
    pub rows: u64,
    /// Most bytes that may come out of a packed file.
    pub unpacked_bytes: u64,
    /// How many times its size a file may grow by unpacking or by repetition, after the first `unpacked_free` bytes.
    pub unpacked_ratio: u64,
    pub unpacked_free: u64,
    /// Most bytes of the texts that the cells of a workbook share.
    pub shared_bytes: usize,
    /// Most files in an archive, and most sheets and links of a workbook.
    pub entries: usize,
    /// Most bytes of a column's name that a record or a card defines.
    pub name_bytes: usize,
    /// Most cell styles of a workbook.
    pub styles: usize,
    /// Deepest nesting of markup or values.
    pub depth: usize,
}

impl ReadLimits {
    pub const STANDARD: Self = Self {
        columns: 2_000,
        cell_bytes: 1 << 20,
        row_bytes: 8 << 20,
        rows: 50_000_000,
        unpacked_bytes: 8 << 30,
        unpacked_ratio: 200,
        unpacked_free: 64 << 20,
        shared_bytes: 256 << 20,
        entries: 10_000,
        name_bytes: 1 << 10,
        styles: 1 << 16,
        depth: 64,
    };
}

impl Default for ReadLimits {
    fn default() -> Self {
        Self::STANDARD
    }
}
