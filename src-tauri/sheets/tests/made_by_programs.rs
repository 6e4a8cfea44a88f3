//! Tests files that real programs wrote, and files in the forms of others. Each must hold the expected rows.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test gives up in the middle: that is how it fails")]

use std::{
    fs::{self, File},
    path::PathBuf,
};

use roost_sheets::{Encoding, OpenedSheet, ReadOptions, RemarkKind, RowBlock, open};

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/imports")
}

/// Reads a file and drops empty cells at the end of a row, which some programs write.
fn read(name: &str, options: &ReadOptions) -> (OpenedSheet, Vec<Vec<String>>) {
    let file = File::open(folder().join(name)).unwrap_or_else(|why| panic!("{name}: {why}"));
    let mut opened = open(Box::new(file), options).unwrap_or_else(|why| panic!("{name}: {why}"));
    let (mut block, mut rows) = (RowBlock::default(), Vec::new());
    loop {
        block.clear();
        let goes_on = opened.rows.fill_block(&mut block).unwrap_or_else(|why| panic!("{name}: {why}"));
        for row in block.rows() {
            let mut cells: Vec<String> = row.cells().map(str::to_owned).collect();
            cells.truncate(cells.iter().rposition(|cell| !cell.is_empty()).map_or(0, |last| last + 1));
            rows.push(cells);
        }
        if !goes_on {
            return (opened, rows);
        }
    }
}

fn read_rows(name: &str) -> Vec<Vec<String>> {
    read(name, &ReadOptions::default()).1
}

fn read_expected(name: &str) -> Vec<Vec<String>> {
    let text = fs::read_to_string(folder().join(name)).unwrap();
    let cell = |cell: &str| cell.replace("\\n", "\n").replace("\\r", "\r");
    text.lines().map(|line| line.trim_end_matches('\t').split('\t').map(cell).collect()).collect()
}

/// Lists the files in a folder whose names end in one of these.
fn list_files(group: &str, ends: &[&str]) -> Vec<String> {
    let entries = fs::read_dir(folder().join(group)).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> =
        names.filter(|name| ends.iter().any(|end| name.ends_with(end)) && name != "expected.tsv").collect();
    names.sort();
    names
}

/// Returns the rows of a file according to `expected.tsv` of its folder.
fn expected_rows(group: &str, name: &str) -> Vec<Vec<String>> {
    let rows = read_expected(&format!("{group}/expected.tsv")).into_iter().filter(|row| row[0] == name);
    rows.map(|row| row[1..].to_vec()).collect()
}

#[test]
fn comments_on_cells_are_counted() {
    for name in ["libreoffice/shown-en.xlsx", "libreoffice/shown-en.ods"] {
        let (opened, _) = read(name, &ReadOptions::default());
        let comments = opened.rows.remarks().iter().filter(|remark| remark.kind == RemarkKind::Comment);
        assert_eq!(comments.map(|remark| remark.count).sum::<u64>(), 1, "{name}");
    }
}

#[test]
fn the_same_people_are_in_every_file_of_them() {
    let all = list_files("", &[".csv", ".tsv", ".gz", ".zip", "openpyxl.xlsx"]);
    let offices =
        list_files("libreoffice", &[".csv", ".ods", ".xlsx"]).into_iter().filter(|name| name.starts_with("people"));
    let all: Vec<String> = all.into_iter().chain(offices.map(|name| format!("libreoffice/{name}"))).collect();
    for name in &all {
        let mut want = read_expected("expected.tsv");
        if ["1252", "latin-1", "8859-15"].iter().any(|western| name.contains(western)) {
            want.iter_mut().flatten().for_each(|cell| *cell = cell.replace('Ł', "L"));
        }
        // A single Polish letter among Western ones does not determine the encoding. A person sees it and chooses.
        let is_unsure = name.contains("1250");
        let options =
            ReadOptions { encoding: Encoding::parse("windows-1250").filter(|_| is_unsure), ..ReadOptions::default() };
        if is_unsure {
            let guess = read(name, &ReadOptions::default()).0.encoding.unwrap();
            assert!(guess.words.contains(&"£ukasz".to_owned()), "{:?}", guess.words);
        }
        assert_eq!(read(name, &options).1, want, "{name}");
    }
    assert!(all.len() >= 25, "only {} files are there", all.len());
}

#[test]
fn texts_in_the_forms_of_spreadsheets_hold_their_rows() {
    let all = list_files("by_hand", &[".csv", ".txt"]);
    for name in &all {
        assert_eq!(read_rows(&format!("by_hand/{name}")), expected_rows("by_hand", name), "{name}");
    }
    assert!(all.len() >= 12, "only {} files are there", all.len());
}

#[test]
fn cards_of_telephones_become_contacts() {
    let all = list_files("phones", &[".vcf"]);
    for name in &all {
        let (opened, rows) = read(&format!("phones/{name}"), &ReadOptions::default());
        let columns = opened.rows.columns().unwrap();
        let filled = |row: &Vec<String>| {
            let mut cells: Vec<String> = Vec::new();
            cells.extend(columns.iter().zip(row).filter(|(_, cell)| !cell.is_empty()).map(|(a, b)| format!("{a}={b}")));
            cells.sort();
            cells
        };
        let mut want = expected_rows("phones", name);
        want.iter_mut().for_each(|row| row.sort());
        assert_eq!(rows.iter().map(filled).collect::<Vec<_>>(), want, "{name}");
    }
    assert!(all.len() >= 8, "only {} files are there", all.len());
}

/// Dates as spreadsheets show them, and the dates that their cells hold.
const DATES: [(&str, &str); 5] = [
    ("12/04/1985", "1985-04-12"),
    ("12 Apr 85", "1985-04-12"),
    ("12.04.1985", "1985-04-12"),
    ("12. April 1985", "1985-04-12"),
    ("1985-04-12 6:30 PM", "1985-04-12 18:30"),
];

/// Replaces the shown dates in the second column by the dates that the cells hold.
fn with_dates(mut rows: Vec<Vec<String>>) -> Vec<Vec<String>> {
    for cell in rows.iter_mut().filter_map(|row| row.get_mut(1)) {
        let date = DATES.iter().find(|(shown, _)| shown == cell);
        date.into_iter().for_each(|(_, date)| (*date).clone_into(cell));
    }
    rows
}

#[test]
fn a_workbook_shows_what_a_spreadsheet_shows() {
    for row in with_dates(read_rows("openpyxl-shown.xlsx")) {
        assert_eq!(row[0], row[1]);
    }
    // The expected values are LibreOffice's own export.
    let seen = with_dates(read_rows("libreoffice/shown-en.csv"));
    assert_eq!(seen.len(), 18);
    assert_eq!(read_rows("libreoffice/shown-en.ods"), seen);
    assert_eq!(read_rows("libreoffice/shown-en.xlsx"), seen);
    let seen = with_dates(read_rows("libreoffice/shown-de.csv"));
    assert_eq!(read_rows("libreoffice/shown-de.ods"), seen);
    // A workbook of this kind leaves the separators between digits to the computer on which it is opened.
    let mut seen = seen;
    for (row, text) in [(3, "7.50 %"), (4, "1,234.50 €"), (5, "1234.50")] {
        seen[row][1] = text.to_owned();
    }
    assert_eq!(read_rows("libreoffice/shown-de.xlsx"), seen);
}

#[test]
fn digits_that_are_lost_stay_lost_and_those_that_are_there_are_read() {
    let number = |cells: [&str; 2]| cells.map(str::to_owned).to_vec();
    for name in ["libreoffice/spoiled.ods", "libreoffice/spoiled.xlsx"] {
        let rows = read_rows(name);
        assert_eq!(rows[1], number(["4.48E+11", "7700900001"]), "{name}");
        assert_eq!(rows[2], number(["447700900001", "447700900002"]), "{name}");
    }
    assert_eq!(
        read_rows("libreoffice/spoiled.csv")[1..],
        [number(["4.48E+11", "7700900001"]), number(["4.48E+11", "447700900002"])]
    );
}

#[test]
fn detected_properties_are_reported() {
    let describe = |name| {
        let opened = read(name, &ReadOptions::default()).0;
        let encoding = opened.encoding.map(|guess| (guess.encoding.name(), guess.words));
        (opened.packing, encoding, opened.dialect.and_then(|guess| guess.dialect.separator))
    };
    let (packing, encoding, separator) = describe("python-cp1252.csv");
    let (name, words) = encoding.unwrap();
    assert_eq!((packing, name, separator), (None, "windows-1252", Some(';')));
    assert_eq!(words, ["Müller", "Zoë", "José"]);
    assert_eq!(describe("python-zip.zip").0, Some("zip"));
    assert_eq!(describe("python-gzip.csv.gz").0, Some("gzip"));
    assert_eq!(read("openpyxl.xlsx", &ReadOptions::default()).0.sheets.len(), 2);
    let book = |name| {
        let sheets = read(name, &ReadOptions::default()).0.sheets;
        sheets.into_iter().map(|sheet| (sheet.name, sheet.is_hidden)).collect::<Vec<_>>()
    };
    let sheets = [("Customers".to_owned(), false), ("Old".to_owned(), true), ("Notes".to_owned(), false)];
    assert_eq!(book("libreoffice/people.ods"), sheets);
    assert_eq!(book("libreoffice/people.xlsx"), sheets);
    let notes = ReadOptions { sheet: Some("Notes".to_owned()), ..ReadOptions::default() };
    assert_eq!(read("libreoffice/people.ods", &notes).1, [["nothing to see"]]);
    assert_eq!(read("libreoffice/people.xlsx", &notes).1, [["nothing to see"]]);
}
