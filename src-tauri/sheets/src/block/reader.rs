//! The trait of everything that reads rows.

use super::{RowBlock, remark::Remark};
use crate::error::SheetError;

/// Reads rows of text, one block after another.
pub trait RowReader: Send {
    /// Adds rows to `block` until it is full. Returns false when there are no more. Rows that were added before an
    /// error are valid.
    fn fill_block(&mut self, block: &mut RowBlock) -> Result<bool, SheetError>;

    /// Returns what the file holds and the rows lack or hold in another form. Every reader reports all that it skips.
    fn remarks(&self) -> &[Remark];

    /// Counts the lines from the position of an error to the end of the file. Returns `None` if they cannot be counted.
    fn count_rest(&mut self) -> Option<u64> {
        None
    }

    /// Returns the columns if the kind of file names them, rather than a row. Some become known only while reading.
    fn columns(&self) -> Option<&[String]> {
        None
    }

    /// Returns the name of the list that holds the rows, once it is known.
    fn list_name(&self) -> Option<&str> {
        None
    }
}
