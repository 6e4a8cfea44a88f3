//! Writes refused rows to a file with what is wrong with each, so that they can be fixed and imported again.

use std::io::Write;

use super::{
    super::{rejects, settle::Reason, verdicts::Bucket},
    open::Imports,
    told::RowFilter,
};
use crate::{
    core::Core,
    error::Error,
    export::{Broken, CsvFile, CsvStyle, Delimiter, Formulas},
};

/// Rows that are read at once.
const PART: usize = 500;
/// Columns that follow those of the file.
const BEHIND: [&str; 2] = ["Line", "What is wrong"];

/// UTF-8 with a byte order mark, which spreadsheets of any age recognize.
const STYLE: CsvStyle = CsvStyle { delimiter: Delimiter::Comma, formulas: Formulas::Guarded, has_mark: true };

struct Sheet<W: Write> {
    file: CsvFile<W>,
    width: usize,
}

impl<W: Write> Sheet<W> {
    fn begin(out: W, columns: &[String]) -> Result<Self, Broken> {
        let mut file = CsvFile::begin(out, STYLE)?;
        let heads = columns.iter().enumerate().map(|(at, name)| match name.as_str() {
            "" => format!("#{}", at + 1),
            name => name.to_owned(),
        });
        file.line(heads.chain(BEHIND.map(str::to_owned)))?;
        Ok(Self { file, width: columns.len() })
    }

    fn row(&mut self, cells: &[String], place: u64, wrong: &str) -> Result<(), Broken> {
        let shown = (0..self.width).map(|at| cells.get(at).map_or("", String::as_str));
        let place = place.to_string();
        Ok(self.file.line(shown.chain([place.as_str(), wrong]))?)
    }
}

/// Writes the rows that an accepted import refused and that are still stored.
pub fn write(core: &Core, past: i64, out: impl Write) -> Result<(), Broken> {
    let columns = rejects::page(core, past, 0, 1)?.columns;
    let mut sheet = Sheet::begin(out, &columns)?;
    let mut broken = None;
    let read = rejects::each(core, past, |row| {
        let wrong = row.message.as_deref().or_else(|| row.reason.map(Reason::message)).unwrap_or_default();
        sheet.row(&row.cells, row.place, wrong).map_err(|why| {
            broken = Some(why);
            Error::conflict("The file cannot be written.")
        })
    });
    if let Some(why) = broken {
        return Err(why);
    }
    read?;
    sheet.file.end()?;
    Ok(())
}

impl Imports {
    /// Writes the rows that an import would refuse, before it is accepted. Returns how many there are.
    pub fn write_invalid(&self, core: &Core, import: u64, out: impl Write) -> Result<u64, Broken> {
        let heads = self.get(core, import)?.united()?.heads.clone();
        let mut sheet = Sheet::begin(out, &heads)?;
        let filter = RowFilter { bucket: Some(Bucket::Invalid), ..RowFilter::default() };
        let mut from = 0;
        loop {
            let page = self.rows(core, import, filter.clone(), from, PART)?;
            if page.rows.is_empty() {
                sheet.file.end()?;
                return Ok(page.total);
            }
            from += page.rows.len();
            for row in &page.rows {
                let wrong = row.reason.as_ref().map_or("", |reason| reason.message.as_str());
                sheet.row(&row.cells, row.place, wrong)?;
            }
        }
    }
}
