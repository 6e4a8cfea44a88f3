//! Tests handmade workbooks, both valid and invalid.

use std::io::{Cursor, Write};

use zip::{ZipWriter, write::SimpleFileOptions};

use crate::{
    FilePosition, ReadLimits, ReadOptions, RemarkKind, RowBlock, SheetError, SheetErrorKind, SourceFormat,
    block::RowFlag, format::OpenedSheet, source::open,
};

type ReadRow = (u64, Vec<String>, u8);

fn zipped(files: &[(&str, &str)]) -> Vec<u8> {
    let mut out = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, text) in files {
        out.start_file(*name, SimpleFileOptions::default()).unwrap();
        out.write_all(text.as_bytes()).unwrap();
    }
    out.finish().unwrap().into_inner()
}

const TYPES: (&str, &str) = ("[Content_Types].xml", "<Types/>");
const START: (&str, &str) = (
    "_rels/.rels",
    "<Relationships><Relationship Id=\"a\" Type=\"http://x/officeDocument\" Target=\"xl/workbook.xml\"/></Relationships>",
);
const BOOK: (&str, &str) = (
    "xl/workbook.xml",
    "<workbook><workbookPr/><sheets><sheet name=\"Hidden\" sheetId=\"1\" state=\"hidden\" r:id=\"r1\"/>\
     <sheet name=\"Chart\" sheetId=\"2\" r:id=\"r5\"/><sheet name=\"Customers\" sheetId=\"3\" r:id=\"r2\"/></sheets></workbook>",
);
const RELATIONS: (&str, &str) = (
    "xl/_rels/workbook.xml.rels",
    "<Relationships><Relationship Id=\"r1\" Type=\"x/worksheet\" Target=\"worksheets/sheet1.xml\"/>\
     <Relationship Id=\"r2\" Type=\"x/worksheet\" Target=\"/xl/worksheets/sheet2.xml\"/>\
     <Relationship Id=\"r3\" Type=\"x/styles\" Target=\"styles.xml\"/>\
     <Relationship Id=\"r4\" Type=\"x/sharedStrings\" Target=\"sharedStrings.xml\"/>\
     <Relationship Id=\"r5\" Type=\"x/chartsheet\" Target=\"chartsheets/sheet1.xml\"/>\
     <Relationship Id=\"r6\" Type=\"x/externalLink\" Target=\"file:///etc/passwd\" TargetMode=\"External\"/></Relationships>",
);
const STYLES: (&str, &str) = (
    "xl/styles.xml",
    "<styleSheet><numFmts><numFmt numFmtId=\"164\" formatCode=\"dd/mm/yyyy\"/></numFmts>\
     <cellStyleXfs><xf numFmtId=\"9\"/></cellStyleXfs>\
     <cellXfs><xf numFmtId=\"0\"/><xf numFmtId=\"164\"/><xf numFmtId=\"10\"/><xf numFmtId=\"15\"/>\
     <xf numFmtId=\"22\"/><xf numFmtId=\"17\"/></cellXfs></styleSheet>",
);
const SHARED: (&str, &str) = (
    "xl/sharedStrings.xml",
    "<sst><si><t>Name</t></si><si><r><t xml:space=\"preserve\">Zo&#235; </t></r><r><t>K.</t></r><rPh><t>spoken</t></rPh></si>\
     <si><t>a_x000D_b_x_</t></si></sst>",
);

fn book(sheet: &str) -> Vec<u8> {
    book_with(sheet, &[])
}

/// Builds a workbook with further parts.
fn book_with(sheet: &str, parts: &[(&str, &str)]) -> Vec<u8> {
    let sheet = format!("<worksheet><sheetData>{sheet}</sheetData></worksheet>");
    let usual = [
        TYPES,
        START,
        BOOK,
        RELATIONS,
        STYLES,
        SHARED,
        ("xl/worksheets/sheet1.xml", "<worksheet><sheetData/></worksheet>"),
        ("xl/worksheets/sheet2.xml", &sheet),
    ];
    zipped(&[&usual, parts].concat())
}

fn opened(bytes: Vec<u8>, options: &ReadOptions) -> Result<OpenedSheet, SheetError> {
    open(Box::new(Cursor::new(bytes)), options)
}

fn read(bytes: Vec<u8>, limits: ReadLimits) -> Result<Vec<ReadRow>, SheetError> {
    let mut opened = opened(bytes, &ReadOptions { limits, ..ReadOptions::default() })?;
    let mut block = RowBlock::default();
    let mut rows = Vec::new();
    loop {
        block.clear();
        let goes_on = opened.rows.fill_block(&mut block)?;
        rows.extend(block.rows().map(|row| (row.place, row.cells().map(str::to_owned).collect(), row.flags.bits())));
        if !goes_on {
            return Ok(rows);
        }
    }
}

fn texts(cells: &[&str]) -> Vec<String> {
    cells.iter().map(|cell| (*cell).to_owned()).collect()
}

#[test]
fn cells_show_what_a_person_sees() {
    let rows = read(
        book(
            "<row r=\"1\"><c r=\"A1\" t=\"s\"><v>0</v></c><c r=\"C1\" t=\"inlineStr\"><is><t>in</t></is></c></row>\
             <row r=\"3\"><c r=\"A3\" t=\"s\"><v>1</v></c><c r=\"B3\"><v>447700900001</v></c><c r=\"C3\" s=\"1\"><v>31149</v></c>\
             <c r=\"D3\" s=\"2\"><v>0.075</v></c><c r=\"E3\" t=\"b\"><v>1</v></c><c r=\"F3\" t=\"str\"><f>A1</f><v>x&amp;y</v></c>\
             <c r=\"G3\" s=\"1\"/></row>\
             <row r=\"4\"><c r=\"A4\" s=\"1\"/></row>\
             <row><c t=\"s\"><v>2</v></c><c><v>7</v></c></row>",
        ),
        ReadLimits::STANDARD,
    )
    .unwrap();
    assert_eq!(
        rows,
        [
            (1, texts(&["Name", "", "in"]), 0),
            (3, texts(&["Zoë K.", "447700900001", "1985-04-12", "7.50%", "TRUE", "x&y"]), 0),
            (5, texts(&["a\rb_x_", "7"]), 0),
        ]
    );
}

#[test]
fn a_date_is_the_value_of_its_cell_whatever_it_shows() {
    let sheet = "<row r=\"1\"><c s=\"3\"><v>32946</v></c><c s=\"4\"><v>32946</v></c><c s=\"4\"><v>32946.39583333333</v></c>\
         <c s=\"5\"><v>32946</v></c></row>";
    let mut opened = opened(book(sheet), &ReadOptions::default()).unwrap();
    let mut block = RowBlock::default();
    while opened.rows.fill_block(&mut block).unwrap() {}
    let cells: Vec<&str> = block.row(0).cells().collect();
    assert_eq!(cells, ["1990-03-14", "1990-03-14", "1990-03-14 09:30", "Mar-1990"]);
    let remarks = opened.rows.remarks();
    assert_eq!((remarks.len(), remarks[0].kind, remarks[0].count), (1, RemarkKind::Date, 3));
    assert_eq!(remarks[0].example, "1990-03-14 (14-Mar-1990)");
}

#[test]
fn comments_are_reported_with_the_first_cell_that_has_one() {
    let relations =
        "<Relationships><Relationship Id=\"c\" Type=\"x/comments\" Target=\"../comments1.xml\"/></Relationships>";
    let comments = "<comments><commentList><comment ref=\"B7\"/><comment ref=\"A1\"/></commentList></comments>";
    let parts = [("xl/worksheets/_rels/sheet2.xml.rels", relations), ("xl/comments1.xml", comments)];
    let bytes = book_with("<row r=\"1\"><c r=\"A1\"><v>1</v></c></row>", &parts);
    let opened = opened(bytes, &ReadOptions::default()).unwrap();
    let [remark] = opened.rows.remarks() else { panic!("{:?}", opened.rows.remarks()) };
    assert_eq!((remark.count, remark.example.as_str()), (2, "sheet “Customers”, cell B7"));
}

#[test]
fn hidden_rows_are_read_and_counted() {
    let row = |at: usize, more: &str| format!("<row r=\"{at}\"{more}><c t=\"str\"><v>row {at}</v></c></row>");
    let sheet = [row(1, ""), row(2, " hidden=\"1\""), row(3, " hidden=\"0\""), row(4, " hidden=\"true\"")].concat();
    let mut opened = opened(book(&(sheet + "<row r=\"5\" hidden=\"1\"/>")), &ReadOptions::default()).unwrap();
    let mut block = RowBlock::default();
    while opened.rows.fill_block(&mut block).unwrap() {}
    assert_eq!(block.len(), 4);
    let [remark] = opened.rows.remarks() else { panic!("{:?}", opened.rows.remarks()) };
    assert_eq!((remark.kind, remark.count), (RemarkKind::HiddenRow, 2));
    assert_eq!(remark.example, "sheet “Customers”, row 2");
}

#[test]
fn formulas_without_a_result_are_flagged() {
    let rows = read(
        book(
            "<row r=\"1\"><c r=\"A1\"><f>1+1</f></c><c r=\"B1\"><v>1</v></c></row>\
             <row r=\"2\"><c r=\"A2\" t=\"e\"><f>1/0</f><v>#DIV/0!</v></c></row>",
        ),
        ReadLimits::STANDARD,
    )
    .unwrap();
    assert_eq!(rows[0], (1, texts(&["", "1"]), RowFlag::NoResult as u8));
    assert_eq!(rows[1], (2, texts(&["#DIV/0!"]), RowFlag::NoResult as u8));
}

#[test]
fn sheets_are_listed_and_the_first_visible_one_is_read() {
    let opened = opened(book(""), &ReadOptions::default()).unwrap();
    assert_eq!(opened.kind, SourceFormat::Xlsx);
    assert_eq!(opened.sheets.iter().map(|sheet| sheet.name.as_str()).collect::<Vec<_>>(), ["Hidden", "Customers"]);
    assert_eq!(opened.sheet, Some(1));
}

#[test]
fn an_error_is_reported_with_its_position() {
    let small = ReadLimits { columns: 10, rows: 2, shared_bytes: 1_000, ..ReadLimits::STANDARD };
    let fault = |sheet: &str| read(book(sheet), small).unwrap_err();
    let wide = fault("<row r=\"7\"><c r=\"XFD7\"><v>1</v></c></row>");
    assert!(matches!(wide.kind, SheetErrorKind::TooManyColumns(10)));
    assert_eq!(wide.place, FilePosition::Row { sheet: "Customers".into(), row: 7, column: Some(16_384) });
    let error = fault("<row r=\"2\"><c r=\"B2\" t=\"s\"><v>99</v></c></row>");
    assert_eq!(
        error.to_string(),
        "Sheet “Customers”, cell B2: it is damaged or cut off: it names a text that is not there."
    );
    assert!(matches!(
        fault("<row r=\"1\"><c r=\"B1\"><v>1</v></c><c r=\"A1\"><v>1</v></c></row>").kind,
        SheetErrorKind::Damaged(_)
    ));
    let row = "<row><c><v>1</v></c></row>";
    assert!(matches!(fault(&row.repeat(3)).kind, SheetErrorKind::TooManyRows(2)));
    let cut = fault("<row r=\"9\"><c r=\"A9\"><v>1</v>");
    assert!(matches!(cut.kind, SheetErrorKind::Damaged(_)));
    assert_eq!(cut.place, FilePosition::Row { sheet: "Customers".into(), row: 9, column: None });
}

#[test]
fn nothing_outside_is_read_and_nothing_grows_without_end() {
    let outside = (
        "xl/_rels/workbook.xml.rels",
        "<Relationships><Relationship Id=\"r2\" Type=\"x/worksheet\" Target=\"http://127.0.0.1:9/x\" TargetMode=\"External\"/></Relationships>",
    );
    let files = [TYPES, START, BOOK, outside];
    assert!(matches!(read(zipped(&files), ReadLimits::STANDARD).unwrap_err().kind, SheetErrorKind::NoSheet));
    let entity = (
        "xl/workbook.xml",
        "<!DOCTYPE x [<!ENTITY y SYSTEM \"file:///etc/passwd\">]><workbook><sheets>&y;</sheets></workbook>",
    );
    assert!(matches!(
        read(zipped(&[TYPES, START, entity, RELATIONS]), ReadLimits::STANDARD).unwrap_err().kind,
        SheetErrorKind::Damaged(_)
    ));
    let many = format!("<sst>{}</sst>", "<si><t>0123456789</t></si>".repeat(1_000));
    let files = [TYPES, START, BOOK, RELATIONS, ("xl/sharedStrings.xml", many.as_str())];
    let limits = ReadLimits { shared_bytes: 1_000, ..ReadLimits::STANDARD };
    let fault = read(zipped(&files), limits).unwrap_err();
    assert!(matches!(fault.kind, SheetErrorKind::SharedTooLarge(1_000)), "{fault}");
    let cell = format!("<row><c t=\"str\"><v>{}</v></c></row>", "x".repeat(2_000));
    let limits = ReadLimits { cell_bytes: 1_000, ..ReadLimits::STANDARD };
    assert!(matches!(read(book(&cell), limits).unwrap_err().kind, SheetErrorKind::CellTooLong(1_000)));
}
