//! Files for other programs: records in lines and columns, written one after the other and never held whole.

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

/// In which form records are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    Csv(CsvStyle),
    /// A workbook whose cells are all texts.
    Xlsx,
    Cards(CardVersion),
    /// A record a line.
    Jsonl,
    /// What a new account can be filled from.
    Seed,
}

/// Why a file was not written: the account refuses, or the place it is written to.
#[derive(Debug, thiserror::Error)]
pub enum Broken {
    #[error(transparent)]
    Account(#[from] Error),
    #[error(transparent)]
    File(#[from] io::Error),
}
