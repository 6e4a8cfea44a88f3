//! Outputs rows of the grid to the clipboard or to a file.

mod copy;
mod export;

pub use self::copy::COPY_CELLS;
