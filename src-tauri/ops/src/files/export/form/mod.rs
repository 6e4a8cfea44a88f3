//! Encodes contacts into the bytes of each export format, a block at a time.

mod cards;
mod json;
mod table;

use std::{borrow::Cow, io};

use roost_model::list::List;
use roost_store::tx::ReadTx;

use super::{Format, columns::Column};
use crate::error::Result;

/// Encodes records in one format and buffers the bytes until somebody takes them.
pub trait Form {
    /// Writes what precedes all records.
    fn begin(&mut self) -> io::Result<()> {
        Ok(())
    }

    /// Starts a list: the records that follow belong to it.
    fn list(&mut self, _: &List) -> io::Result<()> {
        Ok(())
    }

    /// Encodes one record. There is one cell for each column; a cell without a value is blank.
    fn row(&mut self, cells: &[Cow<str>]) -> io::Result<()>;

    /// Writes what follows all records.
    fn end(&mut self) -> io::Result<()> {
        Ok(())
    }

    /// Returns whether the next record has to go into another part of the file, such as another sheet.
    fn is_full(&self) -> bool {
        false
    }

    fn next_part(&mut self) -> io::Result<()> {
        Ok(())
    }

    /// Returns about how many bytes are buffered.
    fn length(&self) -> usize;

    /// Removes and returns the buffered bytes.
    fn take(&mut self) -> io::Result<Vec<u8>>;
}

/// Creates the encoder of a format. A table without `headings` gets no heading row. Only a seed writes `opt_outs`.
pub fn of(
    tx: &ReadTx,
    format: Format,
    columns: &[Column],
    headings: &[String],
    opt_outs: Vec<String>,
) -> Result<Box<dyn Form>> {
    Ok(match format {
        Format::Csv(style) => Box::new(table::Lines::new(style, headings)),
        Format::Xlsx => Box::new(table::Sheet::new(headings)),
        Format::Cards(version) => Box::new(cards::Cards::new(version, columns)),
        Format::Jsonl => Box::new(json::Lines::new(columns)),
        Format::Seed => Box::new(json::Seed::new(tx, columns, opt_outs)?),
    })
}
