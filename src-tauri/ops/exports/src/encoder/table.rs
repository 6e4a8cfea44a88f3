//! Writes contacts as tables: lines of delimited text, or the sheets of a workbook.

use std::{borrow::Cow, io};

use roost_sheets::write::workbook::SheetRows;

use super::{
    super::{CsvFile, CsvStyle},
    RecordEncoder,
};

pub(super) struct CsvEncoder {
    file: CsvFile<Vec<u8>>,
    style: CsvStyle,
    headings: Vec<String>,
    /// The bytes of the buffered cells, without quotes.
    length: usize,
}

impl CsvEncoder {
    pub(super) fn new(style: CsvStyle, headings: &[String]) -> Self {
        Self { file: CsvFile::append_to(Vec::new(), style), style, headings: headings.to_vec(), length: 0 }
    }
}

impl RecordEncoder for CsvEncoder {
    fn begin(&mut self) -> io::Result<()> {
        self.file = CsvFile::begin(Vec::new(), self.style)?;
        if self.headings.is_empty() { Ok(()) } else { self.file.write_line(&self.headings) }
    }

    fn encode_row(&mut self, cells: &[Cow<str>]) -> io::Result<()> {
        self.length += cells.iter().map(|cell| cell.len() + 1).sum::<usize>();
        self.file.write_line(cells.iter().map(|cell| cell.as_bytes()))
    }

    fn buffered_bytes(&self) -> usize {
        self.length
    }

    fn take_bytes(&mut self) -> io::Result<Vec<u8>> {
        self.length = 0;
        std::mem::replace(&mut self.file, CsvFile::append_to(Vec::new(), self.style)).into_writer()
    }
}

pub(super) struct SheetEncoder {
    rows: SheetRows,
    headings: Vec<String>,
    out: Vec<u8>,
}

impl SheetEncoder {
    pub(super) fn new(headings: &[String]) -> Self {
        Self { rows: SheetRows::default(), headings: headings.to_vec(), out: Vec::new() }
    }
}

impl RecordEncoder for SheetEncoder {
    fn begin(&mut self) -> io::Result<()> {
        if !self.headings.is_empty() {
            self.rows.write_heads(self.headings.iter().map(String::as_str), &mut self.out);
        }
        Ok(())
    }

    fn encode_row(&mut self, cells: &[Cow<str>]) -> io::Result<()> {
        self.rows.write_row(cells.iter().map(|cell| &**cell), &mut self.out);
        Ok(())
    }

    fn is_full(&self) -> bool {
        self.rows.is_full()
    }

    fn begin_part(&mut self) -> io::Result<()> {
        self.rows.next_sheet();
        self.begin()
    }

    fn buffered_bytes(&self) -> usize {
        self.out.len()
    }

    fn take_bytes(&mut self) -> io::Result<Vec<u8>> {
        Ok(std::mem::take(&mut self.out))
    }
}
