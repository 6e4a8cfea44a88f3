//! Encodes contacts into the bytes of each export format, a block at a time.

mod cards;
mod json;
mod table;

use std::{borrow::Cow, io};

use roost_model::list::List;
use roost_store::tx::ReadTx;

use super::{FileFormat, columns::ExportColumn};
use roost_ops::error::Result;

/// Encodes records in one format and buffers the bytes until somebody takes them.
pub(crate) trait RecordEncoder {
    /// Writes what precedes all records.
    fn begin(&mut self) -> io::Result<()> {
        Ok(())
    }

    /// Starts a list: the records that follow belong to it.
    fn begin_list(&mut self, _: &List) -> io::Result<()> {
        Ok(())
    }

    /// Encodes one record. There is one cell for each column; a cell without a value is blank.
    fn encode_row(&mut self, cells: &[Cow<str>]) -> io::Result<()>;

    /// Writes what follows all records.
    fn end(&mut self) -> io::Result<()> {
        Ok(())
    }

    /// Returns whether the next record has to go into another part of the file, such as another sheet.
    fn is_full(&self) -> bool {
        false
    }

    fn begin_part(&mut self) -> io::Result<()> {
        Ok(())
    }

    /// Returns about how many bytes are buffered.
    fn buffered_bytes(&self) -> usize;

    /// Removes and returns the buffered bytes.
    fn take_bytes(&mut self) -> io::Result<Vec<u8>>;
}

/// Creates the encoder of a format. A table without `headings` gets no heading row. Only a seed writes `opt_outs`.
pub(crate) fn create_encoder(
    tx: &ReadTx,
    format: FileFormat,
    columns: &[ExportColumn],
    headings: &[String],
    opt_outs: Vec<String>,
) -> Result<Box<dyn RecordEncoder>> {
    Ok(match format {
        FileFormat::Csv(style) => Box::new(table::CsvEncoder::new(style, headings)),
        FileFormat::Xlsx => Box::new(table::SheetEncoder::new(headings)),
        FileFormat::Cards(version) => Box::new(cards::CardEncoder::new(version, columns)),
        FileFormat::Jsonl => Box::new(json::JsonLinesEncoder::new(columns)),
        FileFormat::Seed => Box::new(json::SeedEncoder::new(tx, columns, opt_outs)?),
    })
}
