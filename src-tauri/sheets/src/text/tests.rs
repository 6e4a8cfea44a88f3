//! Tests that texts are cut as the crate `csv` cuts them, that errors have their position, and that everything is
//! bounded.

use std::io::Read;

use proptest::prelude::*;

use super::{
    delimited::DelimitedReader,
    dialect::{self, Dialect},
    encoding::Encoding,
};
use crate::{
    block::{RowBlock, RowFlag, RowFlags, RowReader},
    error::{FilePosition, SheetError, SheetErrorKind},
    limits::ReadLimits,
};

type CutRows = Vec<(u64, Vec<String>)>;

fn cut_from(
    source: impl Read + Send,
    dialect: &Dialect,
    limits: ReadLimits,
) -> Result<(CutRows, Vec<RowFlags>), SheetError> {
    let mut rows = DelimitedReader::new(source, Encoding::UTF_8, dialect, limits);
    let (mut block, mut cut, mut flags) = (RowBlock::default(), Vec::new(), Vec::new());
    loop {
        block.clear();
        let goes_on = rows.fill_block(&mut block)?;
        for row in block.rows() {
            cut.push((row.place, row.cells().map(str::to_owned).collect()));
            flags.push(row.flags);
        }
        if !goes_on {
            return Ok((cut, flags));
        }
    }
}

fn cut(text: &str, dialect: &Dialect) -> CutRows {
    cut_from(text.as_bytes(), dialect, ReadLimits::STANDARD).unwrap().0
}

fn cells(text: &str, dialect: &Dialect) -> Vec<Vec<String>> {
    cut(text, dialect).into_iter().map(|(_, cells)| cells).collect()
}

fn fault(text: &str, limits: ReadLimits) -> SheetError {
    cut_from(text.as_bytes(), &Dialect::COMMA, limits).unwrap_err()
}

/// A source that returns a few bytes at a time.
struct Slow<'a>(&'a [u8], usize);

impl Read for Slow<'_> {
    fn read(&mut self, buf: &mut [u8]) -> std::io::Result<usize> {
        let count = self.1.min(self.0.len()).min(buf.len());
        buf[..count].copy_from_slice(&self.0[..count]);
        self.0 = &self.0[count..];
        Ok(count)
    }
}

#[test]
fn rows_know_the_line_they_begin_on_whatever_ends_lines() {
    let text = "a,b\r\n\"x\r\ny\",1\nc\rd\n\n\"e\"";
    let rows = cut(text, &Dialect::COMMA);
    assert_eq!(rows.iter().map(|(line, _)| *line).collect::<Vec<_>>(), [1, 2, 4, 5, 6, 7]);
    assert_eq!(rows[1].1, ["x\r\ny", "1"]);
    assert_eq!((rows[4].1.as_slice(), rows[5].1.as_slice()), (&[String::new()][..], &["e".to_owned()][..]));
}

#[test]
fn quotes_backslashes_and_blanks_follow_the_dialect() {
    assert_eq!(cells("\"a \"\"b\"\"\",c\"d,\"\"", &Dialect::COMMA), [["a \"b\"", "c\"d", ""]]);
    let backslash = Dialect { backslash: true, ..Dialect::COMMA };
    assert_eq!(cells("\"a \\\"b\\\\\",\"\\é\"", &backslash), [["a \"b\\", "é"]]);
    let blanks = Dialect { blanks: true, ..Dialect::COMMA };
    assert_eq!(cells("a, \"b,c\" , d", &blanks), [["a", "b,c", " d"]]);
    let single = Dialect { quote: Some('\''), ..Dialect::COMMA };
    assert_eq!(cells("'a,b',\"c", &single), [["a,b", "\"c"]]);
    let plain = Dialect { quote: None, ..Dialect::TAB };
    assert_eq!(cells("\"a\tb\"\n5\" pipe", &plain), [vec!["\"a", "b\""], vec!["5\" pipe"]]);
    assert_eq!(cells("a§b¦c§d", &Dialect::with_separator('§')), [["a", "b¦c", "d"]]);
    assert_eq!(cells("a,b;c", &Dialect { separator: None, ..Dialect::COMMA }), [["a,b;c"]]);
}

#[test]
fn quotes_behind_backslashes_are_found_out_where_all_cells_are_quoted() {
    let text = "\"Name\",\"City\"\n\"The \\\"Boss\\\"\",\"Ely\"\n\"Ada\",\"\"\n";
    let guess = dialect::detect_dialect(text, true);
    assert!(guess.dialect.backslash, "{guess:?}");
    assert_eq!(cells(text, &guess.dialect)[1], ["The \"Boss\"", "Ely"]);
}

#[test]
fn text_behind_a_quote_is_kept_and_flagged() {
    let (rows, flags) = cut_from(&b"\"a\"b,c\n\"d\" ,e\n"[..], &Dialect::COMMA, ReadLimits::STANDARD).unwrap();
    assert_eq!(rows[0].1, ["ab", "c"]);
    assert_eq!(rows[1].1, ["d", "e"]);
    assert_eq!(flags.iter().map(|flags| flags.has(RowFlag::StrayQuote)).collect::<Vec<_>>(), [true, false]);
}

#[test]
fn damage_and_nul_are_flagged_where_they_are() {
    let (_, flags) = cut_from(&b"good\nb\xffad\nn\0l\ngood"[..], &Dialect::COMMA, ReadLimits::STANDARD).unwrap();
    let has = |flag| flags.iter().map(|flags| flags.has(flag)).collect::<Vec<_>>();
    assert_eq!(has(RowFlag::DamagedText), [false, true, false, false]);
    assert_eq!(has(RowFlag::Nul), [false, false, true, false]);
}

#[test]
fn the_note_of_a_spreadsheet_is_not_a_row() {
    assert_eq!(cut("sep=;\r\na;b\n", &Dialect::with_separator(';')), [(2, vec!["a".to_owned(), "b".to_owned()])]);
    assert_eq!(cells("separator,b", &Dialect::COMMA), [["separator", "b"]]);
}

#[test]
fn faults_have_their_place_and_rows_before_them_are_good() {
    let at = |line, column| FilePosition::Line { line, column: Some(column) };
    let cut_off = fault("a,b\nc,\"d\ne", ReadLimits::STANDARD);
    assert!(matches!(cut_off.kind, SheetErrorKind::CutInQuote));
    assert_eq!(cut_off.place, at(2, 2));
    let small = ReadLimits { columns: 3, cell_bytes: 10, row_bytes: 1_000, rows: 2, ..ReadLimits::STANDARD };
    let wide = fault("a\n1,2,3,4\n", small);
    assert!(matches!(wide.kind, SheetErrorKind::LineTooWide(3)));
    assert_eq!(wide.place, at(2, 4));
    assert!(matches!(fault("01234567890,b", small).kind, SheetErrorKind::CellTooLong(10)));
    let open = fault(&format!("a,\"{}", "x\n".repeat(500)), small);
    assert!(matches!(open.kind, SheetErrorKind::OpenQuote(10)));
    assert_eq!(open.place, at(1, 2));
    assert!(matches!(fault("a\nb\nc\n", small).kind, SheetErrorKind::TooManyRows(2)));
    let mut rows = DelimitedReader::new(&b"a\nb\n\"c"[..], Encoding::UTF_8, &Dialect::COMMA, ReadLimits::STANDARD);
    let mut block = RowBlock::default();
    assert!(rows.fill_block(&mut block).is_err());
    assert_eq!(block.rows().map(|row| row.get(0).unwrap()).collect::<Vec<_>>(), ["a", "b"]);
    assert_eq!(block.open_cells(), 0);
}

/// Returns the same byte for ever.
struct Endless(u8, u64);

impl Read for Endless {
    fn read(&mut self, buf: &mut [u8]) -> std::io::Result<usize> {
        buf.fill(self.0);
        self.1 += buf.len() as u64;
        assert!(self.1 < 64 << 20, "it reads on and on");
        Ok(buf.len())
    }
}

#[test]
fn a_cell_without_an_end_is_given_up_soon() {
    let long = cut_from(Endless(b'x', 0), &Dialect::COMMA, ReadLimits::STANDARD).unwrap_err();
    assert!(matches!(long.kind, SheetErrorKind::CellTooLong(_)));
    let quoted = cut_from(std::io::Cursor::new("a,\"").chain(Endless(b'\n', 0)), &Dialect::COMMA, ReadLimits::STANDARD);
    assert!(matches!(quoted.unwrap_err().kind, SheetErrorKind::OpenQuote(_)));
}

#[test]
fn separators_are_found_out() {
    for (text, separator) in [
        ("a,b\n1,2\n", Some(',')),
        ("name;price\nx;1,5\ny;2,5\n", Some(';')),
        ("name\tnote\nx\ta, b; c\n", Some('\t')),
        ("a|b|c\n1|2|3\n", Some('|')),
        ("name,note\n\"a;b\",\"c\nd\"\ne,f\n", Some(',')),
        ("number\n07700900001\n07700900002\n", None),
        ("one, two and three\nwords without\nmore, or not\nthe last\n", None),
        ("a§b\n", None),
        ("1,5;2,3;4,5\n1,5;2,3;4,5\n", Some(';')),
    ] {
        let guess = dialect::detect_dialect(text, true);
        assert_eq!(guess.dialect.separator, separator, "{text}: {:?}", guess.evidence);
    }
    for (text, want) in [
        ("phone;name\n1\n2\n3;Ada\n4\n5\n", Some(';')),
        ("phone,name,city\n1\n2\n3\n4,Bo,York\n5\n6\n", Some(',')),
        ("a,b,c\n1,2,3\n4,5,6,7\n8,9,0,\n", Some(',')),
        ("List of May\nof the north\nof all\nphone;name\n1;Ada\n2;Bo\n", Some(';')),
        // Texts of one column with an occasional comma.
        ("city\nYork, UK\nHull\nBath, UK\nEly\nDeal\n", None),
        ("Smith, John\nCher\nKing, Ada\nBono\nSade\n", None),
        ("York,UK\nHull\nBath\nEly\n", None),
        ("a,b,c\n1\t2,1\t2,1\t2\n", Some(',')),
    ] {
        let found = dialect::detect_dialect(text, true).dialect.separator;
        assert_eq!(found, want, "{text}");
    }
    let noted = dialect::detect_dialect("sep=|\na;b|c;d\n", true);
    assert_eq!((noted.dialect.separator, noted.is_noted), (Some('|'), true));
}

#[test]
fn quotes_are_found_out() {
    let single = dialect::detect_dialect("'a','b,c'\n'd','e'\n'f','g'\n", true);
    assert_eq!(single.dialect.quote, Some('\''));
    let plain = dialect::detect_dialect("size;note\n5\";x\n\"6;y\n7;z\n", true);
    assert_eq!(plain.dialect, Dialect { quote: None, ..Dialect::with_separator(';') });
    let open = dialect::detect_dialect("phone,city\n1,York\n2,Hull\n3,\"Bath\n", true);
    assert_eq!(open.dialect.quote, Some('"'), "it is reported as a fault");
    let cut_off = dialect::detect_dialect("\"a\",\"b\"\n\"c\",\"d\"\n\"e\",\"f", true);
    assert_eq!(cut_off.dialect, Dialect::COMMA, "a file that is cut off is quoted all the same");
    assert!(dialect::detect_dialect("a,\"b \\\"c\\\", d\"\n", true).dialect.backslash);
    for text in ["a\tb\n1\t\"0\t\\\"\n", "a\tb\n\"0\t\\\"\t\"b\t\\\"\n"] {
        assert!(
            !dialect::detect_dialect(text, true).dialect.backslash,
            "the last letter of a cell is a backslash: {text}"
        );
    }
    assert!(dialect::detect_dialect("a, \"b, c\"\nd, \"e\"\n", true).dialect.blanks);
}

#[test]
fn a_dialect_that_cannot_work_is_refused() {
    assert_eq!(Dialect::COMMA.validate(), None);
    for bad in [
        Dialect::with_separator('\n'),
        Dialect::with_separator('"'),
        Dialect { quote: Some('é'), ..Dialect::COMMA },
        Dialect { quote: Some('\\'), ..Dialect::COMMA },
    ] {
        assert!(bad.validate().is_some(), "{bad:?}");
    }
}

fn cell() -> impl Strategy<Value = String> {
    proptest::string::string_regex("[ab,;\"\r\n\t é\u{1f426}]{0,6}").unwrap()
}

/// Reads rows until an error or the end. Both are acceptable.
fn survive(bytes: Vec<u8>, options: &crate::ReadOptions) {
    let Ok(mut opened) = crate::open(Box::new(std::io::Cursor::new(bytes)), options) else { return };
    let mut block = RowBlock::default();
    while let Ok(true) = opened.rows.fill_block(&mut block) {
        block.clear();
    }
}

fn written(rows: &[Vec<String>], separator: char, line_end: &str) -> String {
    let mut text = String::new();
    for row in rows {
        for (at, cell) in row.iter().enumerate() {
            if at > 0 {
                text.push(separator);
            }
            text.push_str(&format!("\"{}\"", cell.replace('"', "\"\"")));
        }
        text.push_str(line_end);
    }
    text
}

proptest! {
    #[test]
    fn what_was_written_is_read_again_however_it_arrives(
        rows in prop::collection::vec(prop::collection::vec(cell(), 1..5), 0..6),
        separator in prop::sample::select(vec![',', ';', '\t', '¦']),
        line_end in prop::sample::select(vec!["\n", "\r\n", "\r"]),
        piece in 1_usize..8,
    ) {
        let text = written(&rows, separator, line_end);
        let (read, _) = cut_from(Slow(text.as_bytes(), piece), &Dialect::with_separator(separator), ReadLimits::STANDARD).unwrap();
        let read: Vec<Vec<String>> = read.into_iter().map(|(_, cells)| cells).collect();
        prop_assert_eq!(read, rows);
    }

    /// The crate leaves out empty lines and accepts quotes that are not closed. Otherwise both cut alike.
    #[test]
    fn any_text_is_cut_as_the_crate_csv_cuts_it(text in "[ab,\"\r\n ]{0,40}") {
        let ours = cut_from(text.as_bytes(), &Dialect::COMMA, ReadLimits::STANDARD);
        let Ok((ours, flags)) = ours else { return Ok(()) };
        prop_assume!(!flags.iter().any(|flags| flags.has(RowFlag::StrayQuote)));
        prop_assume!(!text.contains("\" "));
        let ours: Vec<Vec<String>> =
            ours.into_iter().map(|(_, cells)| cells).filter(|cells| *cells != [""]).collect();
        let mut theirs = csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(text.as_bytes());
        let theirs: Vec<Vec<String>> = theirs
            .records()
            .map(|record| record.unwrap().iter().map(str::to_owned).collect())
            .filter(|cells: &Vec<String>| *cells != [""])
            .collect();
        prop_assert_eq!(ours, theirs);
    }

    #[test]
    fn bytes_of_any_kind_are_survived(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let small = ReadLimits { cell_bytes: 50, row_bytes: 100, columns: 8, rows: 20, ..ReadLimits::STANDARD };
        let options = crate::ReadOptions { limits: small, ..crate::ReadOptions::default() };
        survive(bytes.clone(), &options);
        for start in ["PK\u{3}\u{4}", "BEGIN:VCARD\n", "[{\"a\":", "sep=,\n"] {
            let bytes: Vec<u8> = start.bytes().chain(bytes.iter().copied()).collect();
            survive(bytes, &options);
        }
    }
}
