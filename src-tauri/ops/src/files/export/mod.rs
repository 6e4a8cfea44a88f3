//! Exports contacts to files. Rows are read and written block by block, so that a file is never held in memory whole.

pub mod columns;
pub mod csv;
mod form;
mod formula;
mod rows;
#[cfg(test)]
mod tests;
mod whole;

pub use roost_sheets::write::{Target, card::CardVersion};

pub use self::{
    columns::usual as columns,
    csv::{CsvFile, CsvStyle, Delimiter},
    formula::{Formulas, guarded, plain},
    whole::{Export, Exporting, Preview, What, begin},
};

use std::io;

use crate::error::Error;

/// The format of an exported file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    Csv(CsvStyle),
    /// A workbook in which every cell is a text.
    Xlsx,
    Cards(CardVersion),
    /// JSON lines: one record a line.
    Jsonl,
    /// A file from which a new account can be filled.
    Seed,
}

/// Why an export failed: either the account or the file refused it.
#[derive(Debug, thiserror::Error)]
pub enum Broken {
    #[error(transparent)]
    Account(#[from] Error),
    #[error(transparent)]
    File(#[from] io::Error),
}
