//! Builds rows whose columns become known while they are read, from records that name their values.

use std::collections::HashMap;

use memchr::memchr;

use super::{RowBlock, RowFlag, RowFlags};
use crate::{error::SheetErrorKind, limits::ReadLimits};

/// Separates several values of one column.
const VALUE_SEPARATOR: &str = "; ";

#[derive(Default)]
pub(crate) struct GrowingRow {
    columns: Vec<String>,
    known: HashMap<String, usize>,
    /// The cells of the present record, by column.
    cells: Vec<String>,
}

impl GrowingRow {
    pub(crate) fn columns(&self) -> &[String] {
        &self.columns
    }

    /// Appends a value to its column.
    pub(crate) fn append_value(&mut self, column: &str, text: &str, limits: &ReadLimits) -> Result<(), SheetErrorKind> {
        self.add_value(column, text, limits).map(|_| ())
    }

    /// Appends a value to its column and returns whether it is the first value there.
    pub(crate) fn add_value(&mut self, column: &str, text: &str, limits: &ReadLimits) -> Result<bool, SheetErrorKind> {
        let at = match self.known.get(column) {
            Some(at) => *at,
            None => {
                let at = self.columns.len();
                if at == limits.columns {
                    return Err(SheetErrorKind::TooManyColumns(at));
                }
                if column.len() > limits.name_bytes {
                    return Err(SheetErrorKind::NameTooLong(limits.name_bytes));
                }
                self.columns.push(column.to_owned());
                self.cells.push(String::new());
                self.known.insert(column.to_owned(), at);
                at
            }
        };
        let cell = &mut self.cells[at];
        if cell.len() + text.len() > limits.cell_bytes {
            return Err(SheetErrorKind::CellTooLong(limits.cell_bytes));
        }
        let is_first = cell.is_empty();
        if !is_first && !text.is_empty() {
            cell.push_str(VALUE_SEPARATOR);
        }
        cell.push_str(text);
        Ok(is_first)
    }

    /// Discards the present record.
    pub(crate) fn clear(&mut self) {
        self.cells.iter_mut().for_each(String::clear);
    }

    /// Finishes the current record as a row and begins the next one.
    pub(crate) fn end_row(&mut self, place: u64, mut flags: RowFlags, block: &mut RowBlock) {
        let filled = self.cells.iter().rposition(|cell| !cell.is_empty()).map_or(0, |last| last + 1);
        for cell in &self.cells[..filled] {
            if memchr(0, cell.as_bytes()).is_some() {
                flags.add(RowFlag::Nul);
            }
            if cell.contains('\u{fffd}') {
                flags.add(RowFlag::DamagedText);
            }
            block.push_cell(cell);
        }
        block.end_row(place, flags);
        self.clear();
    }
}
