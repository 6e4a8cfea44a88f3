//! Writes refused rows to a file with what is wrong with each, so that they can be fixed and imported again.

use std::io::Write;

use super::super::{rejects, validate::RejectReason};
use roost_exports::{CsvFile, CsvStyle, Delimiter, ExportError, FormulaPolicy};
use roost_ops::{core::Core, error::Error};

/// Columns that follow those of the file.
const EXTRA_COLUMNS: [&str; 2] = ["Line", "What is wrong"];

/// UTF-8 with a byte order mark, which spreadsheets of any age recognize.
const CSV_STYLE: CsvStyle = CsvStyle { delimiter: Delimiter::Comma, formulas: FormulaPolicy::Guarded, has_mark: true };

struct RejectSheet<W: Write> {
    file: CsvFile<W>,
    width: usize,
}

impl<W: Write> RejectSheet<W> {
    fn begin(out: W, columns: &[String]) -> Result<Self, ExportError> {
        let mut file = CsvFile::begin(out, CSV_STYLE)?;
        let heads = columns.iter().enumerate().map(|(at, name)| match name.as_str() {
            "" => format!("#{}", at + 1),
            name => name.to_owned(),
        });
        file.write_line(heads.chain(EXTRA_COLUMNS.map(str::to_owned)))?;
        Ok(Self { file, width: columns.len() })
    }

    fn write_row(&mut self, cells: &[String], place: u64, wrong: &str) -> Result<(), ExportError> {
        let shown = (0..self.width).map(|at| cells.get(at).map_or("", String::as_str));
        let place = place.to_string();
        Ok(self.file.write_line(shown.chain([place.as_str(), wrong]))?)
    }
}

/// Writes the rows that an accepted import refused and that are still stored.
pub fn write_rejects(core: &Core, past: i64, out: impl Write) -> Result<(), ExportError> {
    let columns = rejects::read_columns(core, past)?;
    let mut sheet = RejectSheet::begin(out, &columns)?;
    let mut broken = None;
    let read = rejects::visit_rejects(core, past, |row| {
        let wrong = row.message.as_deref().or_else(|| row.reason.map(RejectReason::message)).unwrap_or_default();
        sheet.write_row(&row.cells, row.place, wrong).map_err(|why| {
            broken = Some(why);
            Error::conflict("The file cannot be written.")
        })
    });
    if let Some(why) = broken {
        return Err(why);
    }
    read?;
    sheet.file.into_writer()?;
    Ok(())
}
