//! What leaves the grid: a selection for the clipboard, or a file.

mod copy;
mod export;

pub use self::copy::COPY_CELLS;
