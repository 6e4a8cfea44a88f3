//! Writes workbooks of the Office Open XML format row by row. Every cell is a text, so that a number keeps its zeros, a
//! date keeps its form, and nothing is ever computed.

use std::io::{self, Seek, Write};

use zip::{CompressionMethod, ZipWriter, write::SimpleFileOptions};

/// The program that a workbook names as its author.
pub const APPLICATION: &str = "Roost";
/// Most rows of a sheet.
pub const SHEET_ROWS: u32 = 1 << 20;
/// Most columns of a sheet.
pub const SHEET_COLUMNS: usize = 1 << 14;
/// Most bytes of one part. It is below 4 GiB, because spreadsheets refuse the larger form of archives.
const PART_BYTES: u64 = 3 << 30;
/// Most characters of a sheet's name.
const NAME_MAX: usize = 31;
/// Compression level. It is faster than the default, and the file is hardly larger, because markup is repetitive.
const COMPRESSION_LEVEL: i64 = 3;

/// Writes the rows of a sheet as markup.
#[derive(Debug, Clone)]
pub struct SheetRows {
    row: u32,
    bytes: u64,
    rows_max: u32,
    bytes_max: u64,
}

impl Default for SheetRows {
    fn default() -> Self {
        Self { row: 0, bytes: 0, rows_max: SHEET_ROWS, bytes_max: PART_BYTES }
    }
}

impl SheetRows {
    /// Makes smaller sheets, for tests.
    pub fn with_max_rows(rows: u32) -> Self {
        Self { rows_max: rows, ..Self::default() }
    }

    /// Writes the names of the columns.
    pub fn write_heads<'t>(&mut self, cells: impl IntoIterator<Item = &'t str>, out: &mut Vec<u8>) {
        self.write_line(cells, HEAD_STYLE, out);
    }

    pub fn write_row<'t>(&mut self, cells: impl IntoIterator<Item = &'t str>, out: &mut Vec<u8>) {
        self.write_line(cells, TEXT_STYLE, out);
    }

    /// Returns whether the next row needs another sheet.
    pub fn is_full(&self) -> bool {
        self.row >= self.rows_max || self.bytes >= self.bytes_max
    }

    /// Begins at the top of the next sheet.
    pub fn next_sheet(&mut self) {
        (self.row, self.bytes) = (0, 0);
    }

    fn write_line<'t>(&mut self, cells: impl IntoIterator<Item = &'t str>, style: &str, out: &mut Vec<u8>) {
        let before = out.len();
        self.row += 1;
        let row = self.row.to_string();
        push_texts(out, &["<row r=\"", &row, "\">"]);
        for (column, text) in cells.into_iter().enumerate().filter(|(_, text)| !text.is_empty()) {
            push_texts(out, &["<c r=\""]);
            push_column_letters(column, out);
            // Some readers drop white space at the ends and line ends unless it is marked as preserved.
            let is_bare = !text.starts_with(char::is_whitespace) && !text.ends_with(char::is_whitespace);
            let space = if is_bare && !text.contains('\n') { "" } else { " xml:space=\"preserve\"" };
            push_texts(out, &[&row, "\" s=\"", style, "\" t=\"inlineStr\"><is><t", space, ">"]);
            push_escaped(text, out);
            push_texts(out, &["</t></is></c>"]);
        }
        push_texts(out, &["</row>"]);
        self.bytes += (out.len() - before) as u64;
    }
}

/// Positions of the text and head styles in the workbook.
const TEXT_STYLE: &str = "1";
const HEAD_STYLE: &str = "2";

fn push_texts(out: &mut Vec<u8>, texts: &[&str]) {
    texts.iter().for_each(|text| out.extend_from_slice(text.as_bytes()));
}

/// Appends the letters of a column (`A`, `B`, … `AA`), counted from 0.
fn push_column_letters(column: usize, out: &mut Vec<u8>) {
    let start = out.len();
    let mut left = column + 1;
    while left > 0 {
        out.push(b'A' + ((left - 1) % 26) as u8);
        left = (left - 1) / 26;
    }
    out[start..].reverse();
}

/// Appends text as markup. A character that markup cannot hold is written as `_x000D_`, and text that looks like that
/// is escaped as well.
fn push_escaped(text: &str, out: &mut Vec<u8>) {
    let mut buf = [0; 4];
    for (at, c) in text.char_indices() {
        match c {
            '&' => push_texts(out, &["&amp;"]),
            '<' => push_texts(out, &["&lt;"]),
            '>' => push_texts(out, &["&gt;"]),
            '_' if text.as_bytes().get(at + 1) == Some(&b'x') && text.as_bytes().get(at + 6) == Some(&b'_') => {
                push_texts(out, &["_x005F_"]);
            }
            '\t' | '\n' => out.push(c as u8),
            '\0'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => push_texts(out, &[&format!("_x{:04X}_", c as u32)]),
            _ => push_texts(out, &[c.encode_utf8(&mut buf)]),
        }
    }
}

/// Writes a workbook.
pub struct WorkbookWriter<W: Write + Seek> {
    zip: ZipWriter<W>,
    title: String,
    has_heads: bool,
    sheets: Vec<String>,
}

impl<W: Write + Seek> WorkbookWriter<W> {
    /// Begins a workbook whose first sheet is ready for rows. `title` names the sheets. `has_heads` freezes the first
    /// row.
    pub fn begin(out: W, title: &str, has_heads: bool) -> io::Result<Self> {
        let title = sheet_name(title);
        let mut book = Self { zip: ZipWriter::new(out), title, has_heads, sheets: Vec::new() };
        book.open_sheet()?;
        Ok(book)
    }

    /// Writes the markup of rows, as made by [`SheetRows`].
    pub fn write_rows(&mut self, markup: &[u8]) -> io::Result<()> {
        self.zip.write_all(markup)
    }

    pub fn next_sheet(&mut self) -> io::Result<()> {
        self.close_sheet()?;
        self.open_sheet()
    }

    /// Writes the parts around the sheets.
    pub fn finish(mut self) -> io::Result<W> {
        self.close_sheet()?;
        let (mut parts, mut relations, mut sheets) = (String::new(), String::new(), String::new());
        for (at, name) in self.sheets.iter().enumerate() {
            let number = at + 1;
            parts.push_str(&format!(
                "<Override PartName=\"/xl/worksheets/sheet{number}.xml\" ContentType=\"{MAIN}.worksheet+xml\"/>"
            ));
            relations.push_str(&format!(
                "<Relationship Id=\"rId{number}\" Type=\"{OFFICE}/worksheet\" Target=\"worksheets/sheet{number}.xml\"/>"
            ));
            let mut escaped = Vec::new();
            escape_attribute(name, &mut escaped);
            let name = String::from_utf8_lossy(&escaped);
            sheets.push_str(&format!("<sheet name=\"{name}\" sheetId=\"{number}\" r:id=\"rId{number}\"/>"));
        }
        let styles = self.sheets.len() + 1;
        self.write_part(
            "xl/workbook.xml",
            &format!("<workbook xmlns=\"{SHEET}\" xmlns:r=\"{OFFICE}\"><sheets>{sheets}</sheets></workbook>"),
        )?;
        self.write_part(
            "xl/_rels/workbook.xml.rels",
            &format!(
                "<Relationships xmlns=\"{PACKAGE}\">{relations}<Relationship Id=\"rId{styles}\" Type=\"{OFFICE}/styles\" Target=\"styles.xml\"/></Relationships>"
            ),
        )?;
        self.write_part(
            "docProps/app.xml",
            &format!("<Properties xmlns=\"{PROPERTIES}\"><Application>{APPLICATION}</Application></Properties>"),
        )?;
        self.write_part("xl/styles.xml", &format!("<styleSheet xmlns=\"{SHEET}\">{STYLES}</styleSheet>"))?;
        self.write_part(
            "_rels/.rels",
            &format!(
                "<Relationships xmlns=\"{PACKAGE}\"><Relationship Id=\"rId1\" Type=\"{OFFICE}/officeDocument\" Target=\"xl/workbook.xml\"/><Relationship Id=\"rId2\" Type=\"{OFFICE}/extended-properties\" Target=\"docProps/app.xml\"/></Relationships>"
            ),
        )?;
        self.write_part(
            "[Content_Types].xml",
            &format!(
                "<Types xmlns=\"{TYPES}\"><Default Extension=\"rels\" ContentType=\"application/vnd.openxmlformats-package.relationships+xml\"/><Default Extension=\"xml\" ContentType=\"application/xml\"/><Override PartName=\"/xl/workbook.xml\" ContentType=\"{MAIN}.sheet.main+xml\"/><Override PartName=\"/xl/styles.xml\" ContentType=\"{MAIN}.styles+xml\"/><Override PartName=\"/docProps/app.xml\" ContentType=\"application/vnd.openxmlformats-officedocument.extended-properties+xml\"/>{parts}</Types>"
            ),
        )?;
        Ok(self.zip.finish()?)
    }

    fn open_sheet(&mut self) -> io::Result<()> {
        let number = self.sheets.len() + 1;
        let name = if number == 1 { self.title.clone() } else { numbered_name(&self.title, number) };
        self.sheets.push(name);
        self.start_part(&format!("xl/worksheets/sheet{number}.xml"))?;
        let pane = if self.has_heads { PANE } else { "" };
        let selected = if number == 1 { " tabSelected=\"1\"" } else { "" };
        write!(
            self.zip,
            "{DECLARATION}<worksheet xmlns=\"{SHEET}\"><sheetViews><sheetView{selected} workbookViewId=\"0\">{pane}</sheetView></sheetViews><sheetFormatPr defaultColWidth=\"18\" defaultRowHeight=\"15\"/><sheetData>"
        )
    }

    /// Ends a sheet. Texts of digits are intended, so the file asks spreadsheets not to mark them.
    fn close_sheet(&mut self) -> io::Result<()> {
        self.zip.write_all(
            b"</sheetData><ignoredErrors><ignoredError sqref=\"A1:XFD1048576\" numberStoredAsText=\"1\"/></ignoredErrors></worksheet>",
        )
    }

    fn write_part(&mut self, name: &str, markup: &str) -> io::Result<()> {
        self.start_part(name)?;
        write!(self.zip, "{DECLARATION}{markup}")
    }

    fn start_part(&mut self, name: &str) -> io::Result<()> {
        let options = SimpleFileOptions::default()
            .compression_method(CompressionMethod::Deflated)
            .compression_level(Some(COMPRESSION_LEVEL));
        Ok(self.zip.start_file(name, options)?)
    }
}

const DECLARATION: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n";
const SHEET: &str = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
const OFFICE: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const PROPERTIES: &str = "http://schemas.openxmlformats.org/officeDocument/2006/extended-properties";
const PACKAGE: &str = "http://schemas.openxmlformats.org/package/2006/relationships";
const TYPES: &str = "http://schemas.openxmlformats.org/package/2006/content-types";
const MAIN: &str = "application/vnd.openxmlformats-officedocument.spreadsheetml";
const PANE: &str = "<pane ySplit=\"1\" topLeftCell=\"A2\" activePane=\"bottomLeft\" state=\"frozen\"/>";
/// The default style, the style of texts, and that of column names. Format 49 is text, so that what is typed there
/// later stays as typed.
const STYLES: &str = "<fonts count=\"2\"><font><sz val=\"11\"/><name val=\"Calibri\"/></font><font><b/><sz val=\"11\"/><name val=\"Calibri\"/></font></fonts>\
<fills count=\"2\"><fill><patternFill patternType=\"none\"/></fill><fill><patternFill patternType=\"gray125\"/></fill></fills>\
<borders count=\"1\"><border><left/><right/><top/><bottom/><diagonal/></border></borders>\
<cellStyleXfs count=\"1\"><xf numFmtId=\"0\" fontId=\"0\" fillId=\"0\" borderId=\"0\"/></cellStyleXfs>\
<cellXfs count=\"3\"><xf numFmtId=\"0\" fontId=\"0\" fillId=\"0\" borderId=\"0\" xfId=\"0\"/>\
<xf numFmtId=\"49\" fontId=\"0\" fillId=\"0\" borderId=\"0\" xfId=\"0\" applyNumberFormat=\"1\"/>\
<xf numFmtId=\"49\" fontId=\"1\" fillId=\"0\" borderId=\"0\" xfId=\"0\" applyNumberFormat=\"1\" applyFont=\"1\"/></cellXfs>\
<cellStyles count=\"1\"><cellStyle name=\"Normal\" xfId=\"0\" builtinId=\"0\"/></cellStyles>";

fn escape_attribute(text: &str, out: &mut Vec<u8>) {
    for part in text.split_inclusive('"') {
        push_escaped(part.trim_end_matches('"'), out);
        if part.ends_with('"') {
            push_texts(out, &["&quot;"]);
        }
    }
}

/// Returns a name that every spreadsheet accepts.
fn sheet_name(title: &str) -> String {
    let is_refused = |c: char| c.is_control() || matches!(c, '[' | ']' | ':' | '*' | '?' | '/' | '\\');
    let name: String = title.chars().map(|c| if is_refused(c) { ' ' } else { c }).collect();
    let name = name.split_whitespace().collect::<Vec<_>>().join(" ");
    let name = truncate_name(name.trim_matches('\''), NAME_MAX);
    // Spreadsheets reserve this name.
    if name.is_empty() || name.eq_ignore_ascii_case("history") { "Contacts".to_owned() } else { name }
}

fn numbered_name(name: &str, number: usize) -> String {
    let behind = format!(" {number}");
    truncate_name(name, NAME_MAX - behind.len()) + &behind
}

/// Shortens a name, counted as spreadsheets do: characters beyond the basic plane count twice.
fn truncate_name(name: &str, most: usize) -> String {
    let mut length = 0;
    let fits = |c: &char| {
        length += c.len_utf16();
        length <= most
    };
    name.chars().take_while(fits).collect::<String>().trim_end_matches(['\'', ' ']).to_owned()
}

#[cfg(test)]
mod tests {
    use std::io::{Cursor, Read};

    use proptest::{collection::vec, prelude::*};
    use zip::ZipArchive;

    use super::*;
    use crate::{ReadOptions, RowBlock, open};

    fn book(title: &str, mut form: SheetRows, rows: &[Vec<String>]) -> Vec<u8> {
        let mut book = WorkbookWriter::begin(Cursor::new(Vec::new()), title, true).unwrap();
        for row in rows {
            let mut out = Vec::new();
            if form.is_full() {
                form.next_sheet();
                book.next_sheet().unwrap();
            }
            form.write_row(row.iter().map(String::as_str), &mut out);
            book.write_rows(&out).unwrap();
        }
        book.finish().unwrap().into_inner()
    }

    fn read(bytes: &[u8], sheet: Option<&str>) -> (Vec<String>, Vec<Vec<String>>) {
        let options = ReadOptions { sheet: sheet.map(str::to_owned), ..ReadOptions::default() };
        let mut opened = open(Box::new(Cursor::new(bytes.to_vec())), &options).unwrap();
        let (mut block, mut rows) = (RowBlock::default(), Vec::new());
        loop {
            block.clear();
            let goes_on = opened.rows.fill_block(&mut block).unwrap();
            rows.extend(block.rows().map(|row| row.cells().map(str::to_owned).collect::<Vec<_>>()));
            if !goes_on {
                return (opened.sheets.into_iter().map(|sheet| sheet.name).collect(), rows);
            }
        }
    }

    fn part(bytes: &[u8], name: &str) -> String {
        let mut text = String::new();
        ZipArchive::new(Cursor::new(bytes)).unwrap().by_name(name).unwrap().read_to_string(&mut text).unwrap();
        text
    }

    fn texts(rows: &[&[&str]]) -> Vec<Vec<String>> {
        rows.iter().map(|row| row.iter().map(|cell| (*cell).to_owned()).collect()).collect()
    }

    #[test]
    fn cells_are_texts_and_nothing_else() {
        let rows = texts(&[&["=1+1", "007", "", "a<b>&\"'"], &["", "2026-01-05"]]);
        let bytes = book("May & June", SheetRows::default(), &rows);
        let sheet = part(&bytes, "xl/worksheets/sheet1.xml");
        assert!(sheet.contains("<c r=\"A1\" s=\"1\" t=\"inlineStr\"><is><t>=1+1</t></is></c>"), "{sheet}");
        assert!(
            sheet.contains("<c r=\"D1\" s=\"1\" t=\"inlineStr\"><is><t>a&lt;b&gt;&amp;\"'</t></is></c>"),
            "{sheet}"
        );
        assert!(!sheet.contains("<f>") && !sheet.contains("<v>"), "{sheet}");
        let (sheets, read) = read(&bytes, None);
        assert_eq!((sheets, read), (vec!["May & June".to_owned()], rows));
    }

    #[test]
    fn what_does_not_fit_goes_on_in_another_sheet() {
        let rows = texts(&[&["a"], &["b"], &["c"], &["d"], &["e"]]);
        let bytes = book("List", SheetRows::with_max_rows(2), &rows);
        let (sheets, first) = read(&bytes, None);
        assert_eq!(
            (sheets, first),
            (vec!["List".to_owned(), "List 2".to_owned(), "List 3".to_owned()], rows[..2].to_vec())
        );
        assert_eq!(read(&bytes, Some("List 3")).1, rows[4..]);
    }

    #[test]
    fn sheets_have_names_that_spreadsheets_take() {
        for (title, want) in [
            ("Spring", "Spring"),
            ("a/b\\c [d]: *e?\n", "a b c d e"),
            ("'quoted'", "quoted"),
            (" ", "Contacts"),
            ("History", "Contacts"),
            ("0123456789012345678901234567890123", "0123456789012345678901234567890"),
        ] {
            assert_eq!(sheet_name(title), want);
        }
        assert_eq!(sheet_name(&"😀".repeat(20)).chars().count(), 15);
        assert_eq!(numbered_name(&sheet_name(&"x".repeat(40)), 12).len(), NAME_MAX);
    }

    #[test]
    fn columns_are_named_as_spreadsheets_do() {
        let name = |column| {
            let mut out = Vec::new();
            push_column_letters(column, &mut out);
            String::from_utf8(out).unwrap()
        };
        assert_eq!([0, 25, 26, 701, 702, SHEET_COLUMNS - 1].map(name), ["A", "Z", "AA", "ZZ", "AAA", "XFD"]);
    }

    #[test]
    fn a_sign_among_hexadecimal_digits_is_not_an_escape() {
        let rows = vec![vec!["_x+AA0\r".to_owned(), "_x+000_".to_owned()]];
        assert_eq!(read(&book("x", SheetRows::default(), &rows), None).1, rows);
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn whatever_cells_hold_is_read_back_as_it_was(
            rows in vec(vec("(_x00[0-4][0-9A-F]_|[_x0-9A-F+]|[<>&\"'=\t\r\n\u{1}\u{1b}\u{7f}\u{85}\u{2028}\u{ffff} é😀שa-c]){1,8}", 3), 1..6)
        ) {
            let bytes = book("x", SheetRows::default(), &rows);
            prop_assert_eq!(read(&bytes, None).1, rows);
        }
    }
}
