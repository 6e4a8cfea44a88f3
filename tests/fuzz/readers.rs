//! One door for every reader, for tools that throw bytes at it. They stand here and not in the crate, because nobody else
//! needs them: cargo fuzz (`make fuzz`) and the mutations that run with every test go through the same ones.

#![allow(dead_code, reason = "each target of cargo fuzz needs one of these")]

use std::io::{self, Cursor, Read, Seek, SeekFrom};

use roost_sheets::{
    Dialect, FRAME_HEAD_BYTES, FileSource, FrameHead, ReadLimits, ReadOptions, RowBlock, SheetError, SourceFormat,
    head, open,
};

/// Small, so that what is beyond them is met often and a run is quick.
const LIMITS: ReadLimits = ReadLimits {
    columns: 64,
    cell_bytes: 4 << 10,
    row_bytes: 16 << 10,
    rows: 2_000,
    unpacked_bytes: 4 << 20,
    unpacked_ratio: 200,
    unpacked_free: 1 << 20,
    shared_bytes: 64 << 10,
    entries: 40,
    name_bytes: 200,
    styles: 200,
    depth: 16,
};

/// A fault is an answer like another; what must not be is a panic.
pub(crate) type Reader = fn(&[u8]);

/// Every reader by its name.
pub(crate) const ALL: [(&str, Reader); 7] = [
    ("any", any),
    ("delimited", delimited),
    ("json", json),
    ("vcard", vcard),
    ("xlsx", xlsx),
    ("ods", ods),
    ("frame", frame),
];

/// Whatever the bytes look like: kinds, packings, encodings.
pub(crate) fn any(bytes: &[u8]) {
    let _ = read(bytes.to_vec(), &ReadOptions { limits: LIMITS, ..ReadOptions::default() });
}

/// The first byte chooses how cells are parted, or that it is found out.
pub(crate) fn delimited(bytes: &[u8]) {
    let (first, rest) = bytes.split_first().unwrap_or((&0, &[]));
    let separator = [Some(','), Some('\t'), Some('¦'), None][usize::from(first % 4)];
    let quote = [Some('"'), Some('\''), None][usize::from(first / 4 % 3)];
    let dialect = Dialect { separator, quote, backslash: first & 64 != 0, blanks: first & 32 != 0 };
    let options = ReadOptions {
        kind: Some(SourceFormat::Text),
        dialect: (first & 128 == 0).then_some(dialect),
        limits: LIMITS,
        ..ReadOptions::default()
    };
    let whole = read(rest.to_vec(), &options);
    let slowly = rows(Box::new(Slow(Cursor::new(rest.to_vec()))), &options);
    // Where the bytes end in the middle of something, which limit is met first depends on how they come.
    if let (Ok(whole), Ok(slowly)) = (whole, slowly) {
        assert_eq!(whole, slowly, "however the bytes come, the rows are the same");
    }
}

pub(crate) fn json(bytes: &[u8]) {
    let _ =
        read(bytes.to_vec(), &ReadOptions { kind: Some(SourceFormat::Json), limits: LIMITS, ..ReadOptions::default() });
}

pub(crate) fn vcard(bytes: &[u8]) {
    let _ = read(
        bytes.to_vec(),
        &ReadOptions { kind: Some(SourceFormat::Vcard), limits: LIMITS, ..ReadOptions::default() },
    );
}

const LINKS: &str = "<Relationships><Relationship Id=\"rId1\" Type=\"x/styles\" Target=\"styles.xml\"/>\
    <Relationship Id=\"rId2\" Type=\"x/worksheet\" Target=\"worksheets/sheet1.xml\"/>\
    <Relationship Id=\"rId3\" Type=\"x/worksheet\" Target=\"worksheets/sheet2.xml\"/>\
    <Relationship Id=\"rId4\" Type=\"x/sharedStrings\" Target=\"sharedStrings.xml\"/></Relationships>";
const BOOK: &str = "<workbook><sheets><sheet name=\"a\" r:id=\"rId2\"/></sheets></workbook>";

/// Bytes that part what stands for one part of a workbook from the next; no text has them.
pub(crate) const BETWEEN_PARTS: u8 = 0xff;

/// Its parts one behind the other: a sheet, texts, styles, the list of sheets, the links. What lacks is a small one.
pub(crate) fn xlsx(bytes: &[u8]) {
    let mut parts = bytes.split(|byte| *byte == BETWEEN_PARTS);
    let mut next = |otherwise: &'static str| parts.next().unwrap_or(otherwise.as_bytes());
    let files = [
        ("xl/worksheets/sheet1.xml", next("")),
        ("xl/sharedStrings.xml", next("<sst><si><t>a</t></si></sst>")),
        ("xl/styles.xml", next("<styleSheet/>")),
        ("xl/workbook.xml", next(BOOK)),
        ("xl/_rels/workbook.xml.rels", next(LINKS)),
        ("[Content_Types].xml", b"<Types/>"),
    ];
    let _ = read(zipped(&files), &ReadOptions { limits: LIMITS, ..ReadOptions::default() });
}

/// What lies in the content of a sheet of OpenDocument.
pub(crate) fn ods(bytes: &[u8]) {
    let kind = ("mimetype", &b"application/vnd.oasis.opendocument.spreadsheet"[..]);
    let _ = read(zipped(&[kind, ("content.xml", bytes)]), &ReadOptions { limits: LIMITS, ..ReadOptions::default() });
}

/// Rows that were put aside, and are damaged.
pub(crate) fn frame(bytes: &[u8]) {
    if let Some((start, body)) = bytes.split_first_chunk::<FRAME_HEAD_BYTES>() {
        let mut block = RowBlock::default();
        if block.read(&FrameHead::read(start), body) {
            let mut again = Vec::new();
            block.write(&mut again);
            assert_eq!(again, bytes);
        }
        check(&block);
    }
}

/// An archive of files that are not packed, so that what is in them is what is damaged.
pub(crate) fn zipped(files: &[(&str, &[u8])]) -> Vec<u8> {
    let (mut out, mut contents) = (Vec::new(), Vec::new());
    for (name, bytes) in files {
        let start = out.len() as u32;
        let mut head = vec![20, 0, 0, 0, 0, 0, 0, 0, 0x21, 0x5c];
        let size = bytes.len() as u32;
        [sum(bytes), size, size, name.len() as u32].iter().for_each(|field| head.extend(field.to_le_bytes()));
        out.extend([b"PK\x03\x04", &head[..], name.as_bytes(), bytes].concat());
        contents.extend([b"PK\x01\x02\x14\x00", &head[..], &[0; 10], &start.to_le_bytes(), name.as_bytes()].concat());
    }
    let (start, count) = (out.len() as u32, (files.len() as u16).to_le_bytes());
    let length = (contents.len() as u32).to_le_bytes();
    out.extend(&contents);
    out.extend([b"PK\x05\x06\0\0\0\0", &count[..], &count, &length, &start.to_le_bytes(), &[0, 0]].concat());
    out
}

/// The check sum that archives have: CRC-32.
fn sum(bytes: &[u8]) -> u32 {
    let bit = |crc: u32| if crc & 1 == 1 { crc >> 1 ^ 0xedb8_8320 } else { crc >> 1 };
    !bytes.iter().fold(!0, |crc, byte| (0..8).fold(crc ^ u32::from(*byte), |crc, _| bit(crc)))
}

type Rows = Vec<(u64, u8, Vec<String>)>;

fn read(bytes: Vec<u8>, options: &ReadOptions) -> Result<Rows, String> {
    rows(Box::new(Cursor::new(bytes)), options)
}

/// Reads to the end or to a fault, and looks whether everything keeps its promises.
fn rows(source: FileSource, options: &ReadOptions) -> Result<Rows, String> {
    let check_message = |fault: SheetError| {
        let words = fault.to_string();
        assert!(words.len() > 10 && words.len() < 20_000, "a fault says what it is");
        words
    };
    let mut opened = open(source, options).map_err(check_message)?;
    assert!(opened.sheet.is_none_or(|at| at < opened.sheets.len()));
    let (mut block, mut rows) = (RowBlock::default(), Rows::new());
    loop {
        block.clear();
        let goes_on = opened.rows.fill_block(&mut block);
        check(&block);
        if rows.is_empty() {
            head::detect_head(&block, &|name| name == "Phone");
        }
        for row in block.rows() {
            assert!(row.place > 0, "rows are counted from 1");
            assert!(row.len() <= LIMITS.columns, "{} cells", row.len());
            assert!(row.cells().all(|cell| cell.len() <= LIMITS.cell_bytes));
            rows.push((row.place, row.flags.bits(), row.cells().map(str::to_owned).collect()));
        }
        assert!(rows.len() as u64 <= LIMITS.rows);
        if let Some(columns) = opened.rows.columns() {
            assert!(columns.len() <= LIMITS.columns);
            assert!(block.rows().all(|row| row.len() <= columns.len()));
        }
        if !goes_on.map_err(check_message)? {
            return Ok(rows);
        }
        assert!(!block.is_empty(), "it goes on and brings nothing");
    }
}

/// A block is whole, and comes back as it was.
fn check(block: &RowBlock) {
    assert_eq!((block.open_cells(), block.open_bytes()), (0, 0), "half a row is left");
    let mut bytes = Vec::new();
    block.write(&mut bytes);
    let mut again = RowBlock::default();
    let head = FrameHead::read(bytes.first_chunk().unwrap());
    assert!(again.read(&head, &bytes[FRAME_HEAD_BYTES..]) && again == *block);
    assert!(block.rows().all(|row| row.cells().count() == row.len()));
}

/// Gives a few bytes at a time.
struct Slow(Cursor<Vec<u8>>);

impl Read for Slow {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let most = buf.len().min(7);
        self.0.read(&mut buf[..most])
    }
}

impl Seek for Slow {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.0.seek(to)
    }
}
