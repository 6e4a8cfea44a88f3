//! Exports contacts to files. Rows are read and written block by block, so that a file is never held in memory whole.

pub mod columns;
pub mod csv;
mod encoder;
mod evidence;
mod formula;
mod pipeline;
mod rows;
#[cfg(test)]
mod tests;

pub use roost_sheets::write::{SeekableTarget, archive::write_archive, cards::CardVersion};

pub use self::{
    columns::default_columns,
    csv::{CsvFile, CsvStyle, Delimiter},
    evidence::*,
    formula::{FormulaPolicy, guard_formula, unguard_formula},
    pipeline::{ExportRequest, ExportSample, ExportScope, PreparedExport, prepare_export},
};

use std::io;

use roost_ops::error::Error;

/// The format of an exported file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileFormat {
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
pub enum ExportError {
    #[error(transparent)]
    Account(#[from] Error),
    #[error(transparent)]
    File(#[from] io::Error),
}
