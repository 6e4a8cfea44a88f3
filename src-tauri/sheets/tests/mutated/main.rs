//! Tests every reader with thousands of damaged files. They are always the same, so that a failure can be reproduced.
//! `make fuzz` calls the same readers for as long as desired and is guided by coverage.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test gives up in the middle: that is how it fails")]

#[path = "../../../../tests/fuzz/mutations.rs"]
mod mutations;
#[path = "../../../../tests/fuzz/readers.rs"]
mod readers;

use std::{
    fs::{self, File},
    io::{Cursor, Read},
    path::{Path, PathBuf},
};

use mutations::{SEED_MAX, read_damaged, write_seeds};
use readers::{BETWEEN_PARTS, Reader};
use roost_sheets::{ReadOptions, RowBlock, RowFlags, open};

/// Damaged files per reader, which take a second or two.
const TIMES: u64 = 600;

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/imports")
}

/// Pieces that have a meaning for some reader.
const WORDS: [&[u8]; 40] = [
    b"\"",
    b"\"\"",
    b"'",
    b"\r",
    b"\n",
    b"\r\n",
    b",",
    b";",
    b"\t",
    b"\0",
    b"\xff\xfe",
    b"\xef\xbb\xbf",
    b"\xc3",
    b"sep=;\n",
    b"\\",
    b"BEGIN:VCARD\n",
    b"END:VCARD\n",
    b"TEL;TYPE=CELL:",
    b"ENCODING=QUOTED-PRINTABLE",
    b"=\n",
    b"item1.",
    b"X-ABLabel:",
    b"{",
    b"}",
    b"[",
    b"]",
    b":",
    b"\\ud800",
    b"<row r=\"18446744073709551615\">",
    b"<c r=\"XFD1\" t=\"s\"><v>",
    b"</v></c>",
    b"<t>",
    b"&#x0;",
    b"&amp;",
    b"<![CDATA[",
    b"<!--",
    b"table:number-columns-repeated=\"99999999999\"",
    b"table:number-rows-repeated=\"99999999999\"",
    b"<text:s text:c=\"65536\"/>",
    b"formatCode=\"[h]:mm:ss.000;@\"",
];

fn list_files(group: &str, ends: &[&str]) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder().join(group)).unwrap().map(|entry| entry.unwrap().path());
    let mut found: Vec<PathBuf> =
        entries.filter(|path| ends.iter().any(|end| path.to_string_lossy().ends_with(end))).collect();
    found.sort();
    found
}

fn read_seeds(paths: Vec<PathBuf>) -> Vec<Vec<u8>> {
    let mut seeds: Vec<Vec<u8>> = paths.into_iter().map(|path| fs::read(path).unwrap()).collect();
    seeds.iter_mut().for_each(|seed| seed.truncate(SEED_MAX));
    seeds
}

fn read_archive_part(path: &Path, name: &str) -> Vec<u8> {
    let mut archive = zip::ZipArchive::new(File::open(path).unwrap()).unwrap();
    let mut text = Vec::new();
    if let Ok(mut file) = archive.by_name(name) {
        file.read_to_end(&mut text).unwrap();
    }
    text
}

fn workbook_seeds() -> Vec<Vec<u8>> {
    let parts = ["xl/worksheets/sheet1.xml", "xl/sharedStrings.xml", "xl/styles.xml"];
    let books = [list_files("", &[".xlsx"]), list_files("libreoffice", &[".xlsx"])].concat();
    let joined = |path: &PathBuf| parts.map(|part| read_archive_part(path, part)).join(&BETWEEN_PARTS);
    books.iter().map(joined).collect()
}

fn ods_seeds() -> Vec<Vec<u8>> {
    list_files("libreoffice", &[".ods"]).iter().map(|path| read_archive_part(path, "content.xml")).collect()
}

fn text_seeds() -> Vec<Vec<u8>> {
    let ends = &[".csv", ".tsv", ".txt"];
    let all = read_seeds([list_files("", ends), list_files("libreoffice", ends), list_files("by_hand", ends)].concat());
    // Half of the texts are read with a detected dialect, the others with a chosen one.
    all.into_iter()
        .enumerate()
        .map(|(at, text)| [vec![if at % 2 == 0 { 128 } else { at as u8 }], text].concat())
        .collect()
}

const RECORDS: [&str; 4] = [
    "[{\"name\":\"Ada\",\"tags\":[\"a\",\"b\"],\"who\":{\"first\":\"A\\u00e9\",\"deep\":[{\"n\":1.50},{\"n\":null}]}}]",
    "{\"phone\":\"+44 7700 900001\",\"n\":447700900001}\n{\"phone\":\"\",\"ok\":true}\n",
    "\u{feff}[\n{},\n{\"a\":{\"b\":{\"c\":{\"d\":[[[1]]]}}}}]",
    "{\"a\":\"\\ud83d\\udc26\",\"b\":-1e999}",
];

fn frame_seeds() -> Vec<Vec<u8>> {
    let mut block = RowBlock::default();
    for row in 0..20 {
        (0..row % 5).for_each(|cell| block.push_cell(["", "é", "text", "🐦"][cell % 4]));
        block.end_row(row as u64 + 1, RowFlags::default());
    }
    let mut bytes = Vec::new();
    block.write(&mut bytes);
    vec![bytes]
}

fn seeds(reader: &str) -> Vec<Vec<u8>> {
    match reader {
        "any" => read_seeds(
            [list_files("", &[".gz", ".zip", ".xlsx", ".csv"]), list_files("libreoffice", &["s", "x", "v"])].concat(),
        ),
        "delimited" => text_seeds(),
        "json" => RECORDS.iter().map(|text| text.as_bytes().to_vec()).collect(),
        "vcard" => read_seeds(list_files("phones", &[".vcf"])),
        "xlsx" => workbook_seeds(),
        "ods" => ods_seeds(),
        "frame" => frame_seeds(),
        other => panic!("nothing is there to begin with for {other}"),
    }
}

fn run(name: &str) {
    let (_, reader): &(&str, Reader) = readers::ALL.iter().find(|(other, _)| *other == name).unwrap();
    read_damaged(name, *reader, &seeds(name), &WORDS, TIMES);
}

macro_rules! each {
    ($($name:ident)*) => {
        $(#[test]
        fn $name() {
            run(stringify!($name));
        })*

        #[test]
        fn every_reader_has_a_test() {
            assert_eq!(readers::ALL.map(|(name, _)| name), [$(stringify!($name)),*]);
        }
    };
}

each!(any delimited json vcard xlsx ods frame);

/// Otherwise the readers of workbooks would meet a damaged archive each time and nothing behind it.
#[test]
fn the_archives_that_are_made_here_are_whole() {
    let packed = readers::zipped(&[("a.csv", b"name,city\nAda,York\n"), (".hidden", b"")]);
    let mut opened = open(Box::new(Cursor::new(packed)), &ReadOptions::default()).unwrap();
    let mut block = RowBlock::default();
    assert!(!opened.rows.fill_block(&mut block).unwrap());
    assert_eq!(block.row(1).cells().collect::<Vec<_>>(), ["Ada", "York"]);
}

/// Writes the seeds of cargo fuzz: `FUZZ_SEEDS=folder cargo test -p roost-sheets --test mutated -- --ignored
/// seeds_are_written`.
#[test]
#[ignore = "writes the files that `make fuzz` begins with"]
fn seeds_are_written() {
    readers::ALL.iter().for_each(|(name, _)| write_seeds(name, &seeds(name)));
}
