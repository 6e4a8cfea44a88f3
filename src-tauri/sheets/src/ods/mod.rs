//! Reads sheets of the OpenDocument format row by row. The file holds the text of each cell as it is shown.

mod cell;

use std::io::{BufRead, BufReader, Read};

use self::cell::OdsCell;
use crate::{
    block::{
        RowBlock, RowFlag, RowFlags, RowReader,
        remark::{Remark, RemarkKind, RemarkList},
    },
    error::{FilePosition, SheetError, SheetErrorKind},
    format::{FileSheet, OpenedSheet, ReadOptions, SourceFormat},
    limits::ReadLimits,
    packed::archive::Archive,
    xml::{XmlPiece, XmlReader},
};

const BUFFER: usize = 64 << 10;
const CONTENT: &str = "content.xml";
const MANIFEST: &str = "META-INF/manifest.xml";

pub(crate) fn open_ods(mut archive: Archive, options: &ReadOptions) -> Result<OpenedSheet, SheetError> {
    let limits = archive.limits();
    if is_locked(&mut archive)? {
        return Err(SheetError::for_file(SheetErrorKind::Locked));
    }
    let (sheets, broken) = read_sheets(&mut archive);
    let wanted = match &options.sheet {
        Some(name) => sheets.iter().position(|sheet| sheet.name == *name),
        None => sheets.iter().position(|sheet| !sheet.is_hidden).or(Some(0).filter(|_| !sheets.is_empty())),
    };
    // If the file is damaged after the sheet, reading the rows reports it and keeps the rows before.
    let at = match (wanted, broken) {
        (Some(at), _) => at,
        (None, Some(fault)) => return Err(fault),
        (None, None) => {
            return Err(SheetError::for_file(
                options.sheet.clone().map_or(SheetErrorKind::NoSheet, SheetErrorKind::SheetNotFound),
            ));
        }
    };
    let xml = XmlReader::new(BufReader::with_capacity(BUFFER, archive.into_entry(CONTENT)?), CONTENT, limits);
    let rows = OdsTable {
        xml,
        sheet: sheets[at].name.clone(),
        skip: at + 1,
        limits,
        stage: TableStage::Before,
        row: 0,
        rows: 0,
        cells: Vec::new(),
        flags: RowFlags::default(),
        repeats: 0,
        depth: 0,
        remarks: RemarkList::default(),
    };
    Ok(OpenedSheet {
        kind: SourceFormat::Ods,
        packing: None,
        encoding: None,
        dialect: None,
        sheets,
        sheet: Some(at),
        rows: Box::new(rows),
    })
}

fn is_locked(archive: &mut Archive) -> Result<bool, SheetError> {
    if !archive.has_entry(MANIFEST) {
        return Ok(false);
    }
    let mut text = Vec::new();
    archive.open_entry(MANIFEST)?.take(1 << 20).read_to_end(&mut text)?;
    Ok(memchr::memmem::find(&text, b"encryption-data").is_some())
}

fn check_count(parts: usize, most: usize) -> Result<(), SheetError> {
    if parts < most { Ok(()) } else { Err(SheetError::in_part(CONTENT, SheetErrorKind::TooManyParts(most))) }
}

/// Returns the sheets as far as the content can be read, and the error if it is damaged.
fn read_sheets(archive: &mut Archive) -> (Vec<FileSheet>, Option<SheetError>) {
    let mut sheets = Vec::new();
    let broken = find_sheets(archive, &mut sheets).err();
    (sheets, broken)
}

fn find_sheets(archive: &mut Archive, sheets: &mut Vec<FileSheet>) -> Result<(), SheetError> {
    let limits = archive.limits();
    let mut xml = XmlReader::new(BufReader::with_capacity(BUFFER, archive.open_entry(CONTENT)?), CONTENT, limits);
    let (mut hidden, mut style) = (Vec::new(), String::new());
    // A table within a cell is not a sheet.
    let mut tables = 0;
    loop {
        match xml.next()? {
            XmlPiece::Open(tag) => match tag.name() {
                "style" => style = tag.attribute("style:name").unwrap_or_default(),
                "table-properties" if tag.attribute("table:display").as_deref() == Some("false") => {
                    check_count(hidden.len(), limits.entries)?;
                    hidden.push(std::mem::take(&mut style));
                }
                "table" => {
                    if tables == 0 {
                        let name = tag.attribute("table:name").unwrap_or_default();
                        let is_hidden = tag.attribute("table:style-name").is_some_and(|style| hidden.contains(&style));
                        check_count(sheets.len(), limits.entries)?;
                        sheets.push(FileSheet { name, is_hidden });
                    }
                    tables += 1;
                }
                _ => {}
            },
            XmlPiece::Close(name) if &*name == "table" => tables -= 1,
            XmlPiece::End => return Ok(()),
            _ => {}
        }
    }
}

/// Reads one table of the content.
struct OdsTable<R: BufRead> {
    xml: XmlReader<R>,
    sheet: String,
    /// Number of tables to enter before the rows begin, including this one.
    skip: usize,
    limits: ReadLimits,
    stage: TableStage,
    /// Number of the row in the sheet.
    row: u64,
    rows: u64,
    /// The row that is being read or repeated. Empty cells at its end are left out.
    cells: Vec<String>,
    flags: RowFlags,
    repeats: u64,
    depth: usize,
    remarks: RemarkList,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TableStage {
    Before,
    In,
    Done,
}

impl<R: BufRead> OdsTable<R> {
    fn current_position(&self) -> FilePosition {
        FilePosition::Row { sheet: self.sheet.clone(), row: self.row.max(1), column: None }
    }

    fn error_here(&self, kind: SheetErrorKind) -> SheetError {
        SheetError::new(self.current_position(), kind)
    }

    fn check_cell(&self, cell: Option<&OdsCell>, column: usize) -> Result<(), SheetError> {
        if cell.is_none_or(|cell| cell.text.len() <= self.limits.cell_bytes) {
            return Ok(());
        }
        let column = Some(column as u32 + 1);
        let place = FilePosition::Row { sheet: self.sheet.clone(), row: self.row.max(1), column };
        Err(SheetError::new(place, SheetErrorKind::CellTooLong(self.limits.cell_bytes)))
    }

    /// Goes to the beginning of the table's rows.
    fn find_table(&mut self) -> Result<(), SheetError> {
        let mut tables = 0;
        loop {
            match self.xml.next()? {
                XmlPiece::Open(tag) if tag.name() == "table" => {
                    if tables == 0 {
                        self.skip -= 1;
                        if self.skip == 0 {
                            self.stage = TableStage::In;
                            return Ok(());
                        }
                    }
                    tables += 1;
                }
                XmlPiece::Close(name) if &*name == "table" => tables -= 1,
                XmlPiece::End => {
                    self.stage = TableStage::Done;
                    return Ok(());
                }
                _ => {}
            }
        }
    }

    /// Reads the next row that shows something. Returns false at the end of the table.
    fn read_row(&mut self) -> Result<bool, SheetError> {
        self.cells.clear();
        self.flags = RowFlags::default();
        let (mut cell, mut column, mut bytes, mut repeats): (Option<OdsCell>, usize, usize, u64) = (None, 0, 0, 1);
        let mut is_hidden = false;
        loop {
            match self.xml.next()? {
                XmlPiece::Open(tag) => {
                    if tag.name() == "table" {
                        self.depth += 1;
                    }
                    match (tag.name(), &mut cell) {
                        ("table-row", None) => {
                            repeats = tag.number_attribute("table:number-rows-repeated").unwrap_or(1).clamp(1, 1 << 40);
                            let visibility = tag.attribute_ref("table:visibility");
                            is_hidden = visibility.is_some_and(|value| matches!(&*value, "collapse" | "filter"));
                            self.row = self.row.saturating_add(1);
                            column = 0;
                        }
                        ("table-cell" | "covered-table-cell", None) => cell = Some(OdsCell::from_tag(&tag)),
                        (name, Some(cell)) => {
                            if name == "annotation" {
                                let place =
                                    FilePosition::Row { sheet: self.sheet.clone(), row: self.row.max(1), column: None };
                                self.remarks.add_many(RemarkKind::Comment, "", 1, || place.to_string());
                            }
                            cell.open_tag(&tag);
                        }
                        _ => {}
                    }
                    // Spaces are written as a number, so a short tag can make a long text.
                    self.check_cell(cell.as_ref(), column)?;
                }
                XmlPiece::Text(text) => {
                    if let Some(cell) = &mut cell
                        && cell.in_paragraph > 0
                        && cell.aside == 0
                    {
                        cell.text.push_str(&text);
                    }
                    self.check_cell(cell.as_ref(), column)?;
                }
                XmlPiece::Close(name) => match (&*name, &mut cell) {
                    ("table-cell" | "covered-table-cell", Some(_)) if self.depth == 0 => {
                        let Some(done) = cell.take() else { continue };
                        if done.is_error() {
                            self.flags.add(RowFlag::NoResult);
                        }
                        let repeats = done.repeats;
                        let text = done.into_text(&mut self.remarks);
                        if !text.is_empty() {
                            if column.saturating_add(repeats) > self.limits.columns {
                                return Err(self.error_here(SheetErrorKind::TooManyColumns(self.limits.columns)));
                            }
                            bytes += text.len() * repeats;
                            if bytes > self.limits.row_bytes {
                                return Err(self.error_here(SheetErrorKind::RowTooLong(self.limits.row_bytes)));
                            }
                            self.cells.resize(column, String::new());
                            self.cells.extend(std::iter::repeat_n(text, repeats));
                        }
                        column = column.saturating_add(repeats);
                    }
                    ("table-row", None) => {
                        if self.cells.is_empty() {
                            // Most sheets end in thousands of empty rows.
                            self.row = self.row.saturating_add(repeats - 1);
                            continue;
                        }
                        self.repeats = repeats;
                        if is_hidden {
                            let place =
                                FilePosition::Row { sheet: self.sheet.clone(), row: self.row.max(1), column: None };
                            self.remarks.add_many(RemarkKind::HiddenRow, "", repeats, || place.to_string());
                        }
                        return Ok(true);
                    }
                    ("table", _) if self.depth > 0 => self.depth -= 1,
                    ("table", _) => {
                        self.stage = TableStage::Done;
                        return Ok(false);
                    }
                    (name, Some(cell)) => cell.close_tag(name),
                    _ => {}
                },
                XmlPiece::Other => {}
                XmlPiece::End => {
                    self.stage = TableStage::Done;
                    return Ok(false);
                }
            }
        }
    }
}

impl<R: BufRead + Send> RowReader for OdsTable<R> {
    fn fill_block(&mut self, block: &mut RowBlock) -> Result<bool, SheetError> {
        if self.stage == TableStage::Before {
            self.find_table()?;
        }
        while self.stage == TableStage::In && !block.is_full() {
            if self.repeats == 0 && !self.read_row().map_err(|fault| self.with_row_position(fault))? {
                break;
            }
            if self.rows == self.limits.rows {
                return Err(self.error_here(SheetErrorKind::TooManyRows(self.rows)));
            }
            let mut flags = self.flags;
            for cell in &self.cells {
                if cell.contains('\u{fffd}') {
                    flags.add(RowFlag::DamagedText);
                }
                block.push_cell(cell);
            }
            block.end_row(self.row.max(1), flags);
            self.rows += 1;
            self.repeats -= 1;
            if self.repeats > 0 {
                self.row = self.row.saturating_add(1);
            }
        }
        Ok(self.stage == TableStage::In)
    }

    fn remarks(&self) -> &[Remark] {
        self.remarks.as_slice()
    }
}

impl<R: BufRead> OdsTable<R> {
    /// Replaces the position by the row, which says more than the name of the part.
    fn with_row_position(&self, fault: SheetError) -> SheetError {
        match fault.place {
            FilePosition::Row { .. } => fault,
            _ => self.error_here(fault.kind),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Cursor, Write};

    use zip::{ZipWriter, write::SimpleFileOptions};

    use super::*;
    use crate::source::open as open_any;

    fn zipped(files: &[(&str, &str)]) -> Vec<u8> {
        let mut out = ZipWriter::new(Cursor::new(Vec::new()));
        for (name, text) in files {
            out.start_file(*name, SimpleFileOptions::default()).unwrap();
            out.write_all(text.as_bytes()).unwrap();
        }
        out.finish().unwrap().into_inner()
    }

    fn book(tables: &str) -> Vec<u8> {
        let content = format!(
            "<office:document-content xmlns:office=\"o\" xmlns:table=\"t\" xmlns:text=\"x\" xmlns:style=\"s\">\
             <office:automatic-styles><style:style style:name=\"ta2\"><style:table-properties table:display=\"false\"/>\
             </style:style></office:automatic-styles><office:body><office:spreadsheet>{tables}</office:spreadsheet>\
             </office:body></office:document-content>"
        );
        zipped(&[("mimetype", "application/vnd.oasis.opendocument.spreadsheet"), ("content.xml", &content)])
    }

    /// Builds a table of one row.
    fn row_table(cells: &[String]) -> String {
        let row = cells.concat();
        format!("<table:table table:name=\"a\"><table:table-row>{row}</table:table-row></table:table>")
    }

    /// Opens a document of these tables and reads its first block.
    fn opened_block(tables: &str) -> (OpenedSheet, RowBlock) {
        let mut opened = open_any(Box::new(Cursor::new(book(tables))), &ReadOptions::default()).unwrap();
        let mut block = RowBlock::default();
        while opened.rows.fill_block(&mut block).unwrap() {}
        (opened, block)
    }

    fn read(bytes: &[u8], options: &ReadOptions) -> Result<Vec<(u64, Vec<String>)>, SheetError> {
        let mut opened = open_any(Box::new(Cursor::new(bytes.to_vec())), options)?;
        let mut block = RowBlock::default();
        let mut rows = Vec::new();
        loop {
            block.clear();
            let goes_on = opened.rows.fill_block(&mut block)?;
            rows.extend(block.rows().map(|row| (row.place, row.cells().map(str::to_owned).collect())));
            if !goes_on {
                return Ok(rows);
            }
        }
    }

    const TWO: &str = "<table:table table:name=\"Old\" table:style-name=\"ta2\"><table:table-row>\
        <table:table-cell><text:p>no</text:p></table:table-cell></table:table-row></table:table>\
        <table:table table:name=\"Customers\"><table:table-column/><table:table-row>\
        <table:table-cell><text:p>Name</text:p></table:table-cell>\
        <table:table-cell table:number-columns-repeated=\"2\"/>\
        <table:table-cell office:value-type=\"float\" office:value=\"447700900001\"><text:p>4.477E+11</text:p>\
        <office:annotation><text:p>a comment</text:p></office:annotation></table:table-cell>\
        <table:table-cell table:number-columns-repeated=\"16380\"/></table:table-row>\
        <table:table-row table:number-rows-repeated=\"3\"><table:table-cell/></table:table-row>\
        <table:table-row table:number-rows-repeated=\"2\"><table:table-cell><text:p>a<text:s text:c=\"2\"/>b\
        <text:tab/><text:span>c</text:span></text:p><text:p>d</text:p></table:table-cell></table:table-row>\
        <table:table-row table:number-rows-repeated=\"1048000\"><table:table-cell/></table:table-row></table:table>";

    #[test]
    fn rows_are_what_a_person_sees() {
        let rows = read(&book(TWO), &ReadOptions::default()).unwrap();
        let text = "a  b\tc\nd".to_owned();
        assert_eq!(
            rows,
            [
                (1, vec!["Name".to_owned(), String::new(), String::new(), "447700900001".to_owned()]),
                (5, vec![text.clone()]),
                (6, vec![text]),
            ]
        );
    }

    #[test]
    fn a_value_without_a_text_and_a_number_in_any_notation_are_read() {
        let cell = |attributes: &str, text: &str| format!("<table:table-cell {attributes}>{text}</table:table-cell>");
        let float =
            |value: &str, text: &str| cell(&format!("office:value-type=\"float\" office:value=\"{value}\""), text);
        let cells = [
            float("447700900001", ""),
            float("447700900001.0", ""),
            float("4.47700900001E11", "<text:p>4.48E+11</text:p>"),
            float("447700900001.0", "<text:p>4.48E+11</text:p>"),
            cell("office:value-type=\"date\" office:date-value=\"1950-02-01\"", ""),
            cell("office:value-type=\"string\" office:string-value=\"Ada\"", ""),
        ];
        let table = row_table(&cells);
        let number = "447700900001";
        let rows = read(&book(&table), &ReadOptions::default()).unwrap();
        assert_eq!(rows[0].1, [number, number, number, number, "1950-02-01", "Ada"]);
    }

    #[test]
    fn an_error_of_a_formula_is_flagged_however_it_is_written() {
        let row = |cell: &str| format!("<table:table-row>{cell}</table:table-row>");
        let cells = [
            "<table:table-cell calcext:value-type=\"error\"><text:p>#REF!</text:p></table:table-cell>",
            "<table:table-cell office:value-type=\"string\" office:string-value=\"\"><text:p>#REF!</text:p></table:table-cell>",
            "<table:table-cell office:value-type=\"string\"><text:p>#REF!</text:p></table:table-cell>",
            "<table:table-cell office:value-type=\"string\" office:string-value=\"a\"><text:p>a</text:p></table:table-cell>",
        ];
        let table = format!("<table:table table:name=\"a\">{}</table:table>", cells.map(row).concat());
        let (_, block) = opened_block(&table);
        let flags: Vec<bool> = block.rows().map(|row| row.flags.has(RowFlag::NoResult)).collect();
        assert_eq!(flags, [true, true, false, false]);
    }

    #[test]
    fn a_date_is_the_value_of_its_cell_whatever_it_shows() {
        let cell = |value: &str, shown: &str| {
            let date = format!("office:value-type=\"date\" office:date-value=\"{value}\"");
            format!("<table:table-cell {date}><text:p>{shown}</text:p></table:table-cell>")
        };
        let cells = [
            cell("1990-03-14", "14/03/90"),
            cell("1990-03-14T00:00:00", "14/03/90 00:00"),
            cell("1990-03-14T09:30:00", "14/03/90 09:30"),
            cell("1990-03-14", "1990-03-14"),
        ];
        let table = row_table(&cells);
        let (opened, block) = opened_block(&table);
        let cells: Vec<&str> = block.row(0).cells().collect();
        assert_eq!(cells, ["1990-03-14", "1990-03-14", "1990-03-14 09:30", "1990-03-14"]);
        let remarks = opened.rows.remarks();
        assert_eq!((remarks.len(), remarks[0].kind, remarks[0].count), (1, RemarkKind::Date, 3));
        assert_eq!(remarks[0].example, "1990-03-14 (14/03/90)");
    }

    #[test]
    fn hidden_rows_are_read_and_counted() {
        let row = |attributes: &str| {
            format!(
                "<table:table-row {attributes}><table:table-cell><text:p>a</text:p></table:table-cell></table:table-row>"
            )
        };
        let rows = [
            row(""),
            row("table:visibility=\"filter\" table:number-rows-repeated=\"2\""),
            row("table:visibility=\"visible\""),
            row("table:visibility=\"collapse\""),
        ];
        let (opened, block) = opened_block(&format!("<table:table table:name=\"a\">{}</table:table>", rows.concat()));
        assert_eq!(block.len(), 5);
        let [remark] = opened.rows.remarks() else { panic!("{:?}", opened.rows.remarks()) };
        assert_eq!((remark.kind, remark.count), (RemarkKind::HiddenRow, 3));
    }

    #[test]
    fn a_sheet_is_chosen_by_name_and_hidden_ones_are_reported() {
        let opened = open_any(Box::new(Cursor::new(book(TWO))), &ReadOptions::default()).unwrap();
        assert_eq!(opened.sheets.iter().map(|sheet| sheet.is_hidden).collect::<Vec<_>>(), [true, false]);
        assert_eq!(opened.sheet, Some(1));
        let old = ReadOptions { sheet: Some("Old".to_owned()), ..ReadOptions::default() };
        assert_eq!(read(&book(TWO), &old).unwrap(), [(1, vec!["no".to_owned()])]);
        let none = ReadOptions { sheet: Some("None".to_owned()), ..ReadOptions::default() };
        assert!(matches!(read(&book(TWO), &none).unwrap_err().kind, SheetErrorKind::SheetNotFound(_)));
    }

    #[test]
    fn repeated_rows_and_columns_end_at_the_limits() {
        let many = "<table:table table:name=\"x\"><table:table-row table:number-rows-repeated=\"999999999999\">\
                    <table:table-cell><text:p>a</text:p></table:table-cell></table:table-row></table:table>";
        let limits = ReadLimits { rows: 10_000, columns: 100, ..ReadLimits::STANDARD };
        let options = ReadOptions { limits, ..ReadOptions::default() };
        assert!(matches!(read(&book(many), &options).unwrap_err().kind, SheetErrorKind::TooManyRows(10_000)));
        let wide = many.replace("<table:table-cell>", "<table:table-cell table:number-columns-repeated=\"99999\">");
        assert!(matches!(read(&book(&wide), &options).unwrap_err().kind, SheetErrorKind::TooManyColumns(100)));
    }

    #[test]
    fn a_locked_or_truncated_book_is_reported() {
        let locked = zipped(&[
            ("mimetype", "application/vnd.oasis.opendocument.spreadsheet"),
            ("META-INF/manifest.xml", "<m><manifest:encryption-data/></m>"),
            ("content.xml", "x"),
        ]);
        assert!(matches!(read(&locked, &ReadOptions::default()).unwrap_err().kind, SheetErrorKind::Locked));
        let cut = zipped(&[("content.xml", "<a><table:table table:name=\"x\"><table:table-row>")]);
        assert!(matches!(read(&cut, &ReadOptions::default()).unwrap_err().kind, SheetErrorKind::Damaged(_)));
    }
}
