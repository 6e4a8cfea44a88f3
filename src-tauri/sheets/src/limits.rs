//! What a file may ask for. Beyond it the reading ends with the place of the fault.

/// Bounds of one reading. Tests make them small.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Cells of one row.
    pub columns: usize,
    /// Bytes of one cell.
    pub cell_bytes: usize,
    /// Bytes of one row, and of one piece of markup.
    pub row_bytes: usize,
    /// Rows of one sheet or text.
    pub rows: u64,
    /// Bytes that come out of a packed file.
    pub unpacked_bytes: u64,
    /// How many times its size a file may become, be it by unpacking or by repeating, after the first `unpacked_free` bytes.
    pub unpacked_ratio: u64,
    pub unpacked_free: u64,
    /// Bytes of the texts that the cells of a workbook share.
    pub shared_bytes: usize,
    /// Files in an archive, sheets and links of a workbook.
    pub entries: usize,
    /// Bytes of the name of a column that a record or a card brings along.
    pub name_bytes: usize,
    /// Ways to show a cell that a workbook knows.
    pub styles: usize,
    /// Markup or values within each other.
    pub depth: usize,
}

impl Limits {
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

impl Default for Limits {
    fn default() -> Self {
        Self::STANDARD
    }
}
