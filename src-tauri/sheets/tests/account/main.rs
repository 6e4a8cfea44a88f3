//! Tests that every reader accounts for every value of a file: the value is in a cell, or a remark counts it. The files
//! are written here, and their values are counted while they are written.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test gives up in the middle: that is how it fails")]

#[path = "../broken/made.rs"]
#[allow(dead_code, reason = "not all of its files are wanted here")]
mod made;

use std::{collections::BTreeMap, io::Cursor};

use made::{gzip, ods, part, sheet, xlsx, zip};
use proptest::prelude::*;
use roost_sheets::{Dialect, ReadOptions, RemarkKind, RowBlock, SourceFormat, open};

/// Values, and how often each is in the file.
type Values = BTreeMap<String, u64>;

#[derive(Debug, Default, PartialEq, Eq)]
struct FileValues {
    cells: Values,
    /// The number of values that the rows lack.
    left_out: u64,
}

/// Adds a value without the spaces around it, unless it is empty.
fn add(values: &mut Values, text: &str) {
    if !text.trim().is_empty() {
        *values.entry(text.trim().to_owned()).or_default() += 1;
    }
}

fn read(bytes: &[u8], options: &ReadOptions) -> FileValues {
    let mut opened = open(Box::new(Cursor::new(bytes.to_vec())), options).unwrap();
    let (mut account, mut block) = (FileValues::default(), RowBlock::default());
    loop {
        block.clear();
        let goes_on = opened.rows.fill_block(&mut block).unwrap();
        block.rows().flat_map(|row| row.cells()).for_each(|cell| add(&mut account.cells, cell));
        if !goes_on {
            break;
        }
    }
    let counted = opened.rows.remarks().iter().filter(|remark| remark.kind.is_left_out());
    account.left_out = counted.filter(|remark| remark.kind != RemarkKind::Comment).map(|remark| remark.count).sum();
    account
}

/// Generates cells that break careless code.
fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        Just(String::new()),
        Just("  ".to_owned()),
        Just(" Ada ".to_owned()),
        Just("a,\"b\";\nc".to_owned()),
        Just("=1+1".to_owned()),
        Just("O'Brien & Söhne <x>".to_owned()),
        "[a-zß 0-9;,.]{0,8}",
    ]
}

fn table() -> impl Strategy<Value = Vec<Vec<String>>> {
    prop::collection::vec(prop::collection::vec(text(), 1..6), 1..8)
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

fn count_values(rows: &[Vec<String>]) -> Values {
    let mut values = Values::new();
    rows.iter().flatten().for_each(|cell| add(&mut values, cell));
    values
}

fn csv(rows: &[Vec<String>]) -> String {
    let quoted = |cell: &String| format!("\"{}\"", cell.replace('"', "\"\""));
    rows.iter().map(|row| row.iter().map(quoted).collect::<Vec<_>>().join(",") + "\n").collect()
}

fn as_text() -> ReadOptions {
    ReadOptions {
        kind: Some(SourceFormat::Text),
        dialect: Some(Dialect::with_separator(',')),
        ..ReadOptions::default()
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn cells_of_a_text_are_all_there_packed_or_not(rows in table(), is_noted in any::<bool>()) {
        // A file that consists of spaces is refused.
        prop_assume!(!count_values(&rows).is_empty());
        let text = format!("{}{}", if is_noted { "sep=,\n" } else { "" }, csv(&rows));
        let want = FileValues { cells: count_values(&rows), left_out: u64::from(is_noted) };
        prop_assert_eq!(&read(text.as_bytes(), &as_text()), &want);
        prop_assert_eq!(&read(&gzip(text.as_bytes()), &as_text()), &want);
        prop_assert_eq!(&read(&zip(&[part("a.csv", &text)]), &as_text()), &want);
    }

    #[test]
    fn cells_of_a_workbook_are_all_there_or_counted(
        rows in table(),
        hidden in prop::collection::vec(1_u32..999_999, 0..4),
        without_result in 0_u64..3,
    ) {
        let cell = |cell: &String| format!("<c t=\"inlineStr\"><is><t xml:space=\"preserve\">{}</t></is></c>", escaped(cell));
        let row = |row: &Vec<String>| format!("<row>{}</row>", row.iter().map(cell).collect::<String>());
        let mut body: String = rows.iter().map(row).collect();
        // Style 1 is `;;;`, which shows nothing.
        hidden.iter().for_each(|number| body += &format!("<row><c s=\"1\"><v>{number}</v></c></row>"));
        (0..without_result).for_each(|_| body += "<row><c><f>A1</f></c></row>");
        body += "<row><c s=\"2\"><v>0.123456</v></c></row>";
        let styles = "<styleSheet><numFmts><numFmt numFmtId=\"200\" formatCode=\";;;\"/></numFmts><cellXfs>\
                      <xf numFmtId=\"0\"/><xf numFmtId=\"200\"/><xf numFmtId=\"2\"/></cellXfs></styleSheet>";
        let mut want = count_values(&rows);
        add(&mut want, "0.12");
        let book = zip(&[
            part("[Content_Types].xml", "<Types/>"),
            part("xl/workbook.xml", "<workbook xmlns:q=\"x\"><sheets><sheet name=\"a\" q:id=\"r1\"/></sheets></workbook>"),
            part("xl/_rels/workbook.xml.rels", "<Relationships>\
                <Relationship Id=\"r1\" Type=\"x/worksheet\" Target=\"worksheets/sheet1.xml\"/>\
                <Relationship Id=\"r2\" Type=\"x/styles\" Target=\"styles.xml\"/></Relationships>"),
            part("xl/styles.xml", styles),
            sheet(&body),
        ]);
        let account = read(&book, &ReadOptions::default());
        prop_assert_eq!(account, FileValues { cells: want, left_out: hidden.len() as u64 + without_result });
    }

    #[test]
    fn cells_that_a_workbook_shares_are_all_there(rows in table()) {
        let texts: Vec<&String> = rows.iter().flatten().collect();
        let shared: String = texts.iter().map(|text| format!("<si><t>{}</t></si>", escaped(text))).collect();
        let mut next = 0..;
        let cell = |_: &String| format!("<c t=\"s\"><v>{}</v></c>", next.next().unwrap_or(0));
        let mut cells: Vec<String> = rows.iter().flatten().map(cell).collect();
        let body: String = rows.iter().map(|row| {
            let rest = cells.split_off(row.len());
            let taken = std::mem::replace(&mut cells, rest);
            format!("<row>{}</row>", taken.concat())
        }).collect();
        let book = xlsx(sheet(&body), part("xl/sharedStrings.xml", &format!("<sst>{shared}</sst>")));
        prop_assert_eq!(read(&book, &ReadOptions::default()), FileValues { cells: count_values(&rows), left_out: 0 });
    }

    #[test]
    fn cells_of_an_open_document_are_all_there(rows in table(), repeats in 1_usize..4) {
        let cell = |cell: &String| {
            let lines: String = cell.split('\n').map(|line| format!("<text:p>{}</text:p>", escaped(line))).collect();
            format!("<table:table-cell>{lines}</table:table-cell>")
        };
        let row = |row: &Vec<String>| format!("<table:table-row>{}</table:table-row>", row.iter().map(cell).collect::<String>());
        let body: String = rows.iter().map(row).collect();
        let twice = format!(
            "<table:table-row table:number-rows-repeated=\"{repeats}\"><table:table-cell table:number-columns-repeated=\"2\">\
             <text:p>again</text:p></table:table-cell></table:table-row>"
        );
        let mut want = count_values(&rows);
        (0..repeats * 2).for_each(|_| add(&mut want, "again"));
        prop_assert_eq!(read(&ods(&(body + &twice)), &ReadOptions::default()), FileValues { cells: want, left_out: 0 });
    }

    #[test]
    fn values_of_records_are_all_there_or_counted(rows in table(), is_wrapped in any::<bool>()) {
        let record = |row: &Vec<String>| {
            let fields = row.iter().enumerate().map(|(n, cell)| format!("\"f{n}\":{}", serde_json::to_string(cell).unwrap()));
            format!("{{{}}}", fields.collect::<Vec<_>>().join(","))
        };
        let list = format!("[{}]", rows.iter().map(record).collect::<Vec<_>>().join(",\n"));
        let (text, left_out) = if is_wrapped {
            (format!("{{\"total\":7,\"contacts\":{list},\"next\":{{\"page\":2,\"of\":[3,null]}}}}"), 3)
        } else {
            (list, 0)
        };
        prop_assert_eq!(read(text.as_bytes(), &ReadOptions::default()), FileValues { cells: count_values(&rows), left_out });
    }

    #[test]
    fn values_of_cards_are_all_there_or_counted(
        cards in prop::collection::vec((text(), text(), prop::collection::vec((0_usize..8, text()), 0..6)), 1..5),
    ) {
        // The last three properties have no column. A property that a program invented has one.
        const NAMES: [&str; 8] = ["NOTE", "NICKNAME", "EMAIL", "ROLE", "X-MINE", "GENDER", "UID", "PHOTO"];
        let (mut text, mut want) = (String::new(), FileValues::default());
        let value = |text: &str| text.replace('\\', "\\\\").replace(';', "\\;").replace(',', "\\,").replace('\n', "\\n");
        for (first, last, more) in &cards {
            text += &format!("BEGIN:VCARD\nN:{};{}\n", value(last), value(first));
            add(&mut want.cells, first);
            add(&mut want.cells, last);
            let mut joined = [const { Vec::new() }; 5];
            for (at, cell) in more {
                text += &format!("{}:{}\n", NAMES[*at], value(cell));
                match *at {
                    // A second address has a column of its own. Other values are joined.
                    2 => add(&mut want.cells, cell),
                    5 => want.left_out += u64::from(!cell.trim().is_empty()),
                    // A picture is not read.
                    6 | 7 => want.left_out += 1,
                    at if !cell.trim().is_empty() => joined[at].push(cell.trim()),
                    _ => {}
                }
            }
            joined.iter().filter(|values| !values.is_empty()).for_each(|values| add(&mut want.cells, &values.join("; ")));
            text += "END:VCARD\n";
        }
        prop_assert_eq!(read(text.as_bytes(), &ReadOptions::default()), want, "{}", text);
    }
}
