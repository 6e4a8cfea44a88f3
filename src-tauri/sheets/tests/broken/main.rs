//! Tests damaged and hostile files: each ends in a message that says where and what, without reading more than
//! necessary and without much memory.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test gives up in the middle: that is how it fails")]

mod made;

use std::{fs, sync::atomic::Ordering};

use made::{BytesRead, Long, bytes, gzip, no_texts, ods, part, sheet, swelling, xlsx, zip};
use roost_sheets::{FileSource, ReadOptions, RowBlock, RowFlag, SheetError, open};

/// Memory that reading one file may add to the process. Shared texts are held in memory, so files with them may add
/// more.
const MOST_MIB: u64 = 48;
const MOST_SHARED_MIB: u64 = 272;
const GIB: u64 = 1 << 30;

struct ReadResult {
    rows: u64,
    last: Vec<String>,
    flagged: Vec<(u64, RowFlag)>,
    fault: Option<SheetError>,
}

const FLAGS: [RowFlag; 5] =
    [RowFlag::DamagedText, RowFlag::StrayQuote, RowFlag::Nul, RowFlag::NoResult, RowFlag::Malformed];

/// Reads as an import does: rows before an error count.
fn read(source: FileSource) -> ReadResult {
    let mut read = ReadResult { rows: 0, last: Vec::new(), flagged: Vec::new(), fault: None };
    let mut opened = match open(source, &ReadOptions::default()) {
        Ok(opened) => opened,
        Err(fault) => return ReadResult { fault: Some(fault), ..read },
    };
    let mut block = RowBlock::default();
    loop {
        block.clear();
        let goes_on = opened.rows.fill_block(&mut block);
        read.rows += block.len() as u64;
        for row in block.rows() {
            read.flagged.extend(FLAGS.into_iter().filter(|flag| row.flags.has(*flag)).map(|flag| (row.place, flag)));
        }
        if let Some(row) = block.rows().next_back() {
            read.last = row.cells().map(|cell| cell.chars().take(20).collect()).collect();
        }
        match goes_on {
            Ok(true) => {}
            Ok(false) => return read,
            Err(fault) => return ReadResult { fault: Some(fault), ..read },
        }
    }
}

struct FileCase {
    what: &'static str,
    file: fn() -> (FileSource, BytesRead),
    /// The beginning of the message, and words that it contains.
    words: [&'static str; 2],
    rows: u64,
}

fn case(what: &'static str, words: [&'static str; 2], rows: u64, file: fn() -> (FileSource, BytesRead)) -> FileCase {
    FileCase { what, file, words, rows }
}

/// Files that are cut off or break rules.
fn damaged_files() -> Vec<FileCase> {
    vec![
        case("a text cut off in a quoted cell", ["Line 3, column 2: ", "seems to be cut off"], 2, || {
            bytes("\"name\",\"note\"\n\"a\",\"b\"\n\"c\",\"d e f")
        }),
        case("a text cut off in the only quoted cell", ["Line 4, column 2: ", "seems to be cut off"], 3, || {
            bytes("phone,city\n1,York\n2,Hull\n3,\"Bath\n")
        }),
        case("gzip cut off", ["Line 2", "damaged or cut off"], 200, || {
            let text: String =
                (0..50_000).map(|n: u64| format!("{n},{}\n", n.wrapping_mul(0x9e37_79b9_7f4a_7c15))).collect();
            let packed = gzip(text.as_bytes());
            bytes(&packed[..packed.len() / 2])
        }),
        case("zip cut off", ["It", "damaged or cut off"], 0, || {
            let packed = zip(&[part("a.csv", &"a,b\n".repeat(1_000))]);
            bytes(&packed[..packed.len() - 30])
        }),
        case("a workbook cut off", ["It", "damaged or cut off"], 0, || {
            let packed = xlsx(sheet("<row><c><v>1</v></c></row>"), no_texts());
            bytes(&packed[..packed.len() / 2])
        }),
        case("a sheet cut off in its archive", ["Sheet “Customers”, row 2: ", "damaged or cut off"], 1, || {
            let rows = "<worksheet><sheetData><row r=\"1\"><c r=\"A1\"><v>1</v></c></row><row r=\"2\"><c r=\"A2\"><v>2";
            bytes(xlsx(part("xl/worksheets/sheet1.xml", rows), no_texts()))
        }),
        case("a sheet whose bytes were changed", ["", "damaged or cut off"], 0, || {
            let mut packed = xlsx(sheet(&"<row><c><v>1</v></c></row>".repeat(9)), no_texts());
            let at = packed.windows(9).position(|name| name == b"sheet1.xm").unwrap_or_default() + 14;
            packed[at..at + 4].fill(0xa5);
            bytes(packed)
        }),
        case("ods cut off in a row", ["Sheet “Customers”, row 2: ", "damaged or cut off"], 1, || {
            let rows = "<a><table:table table:name=\"Customers\"><table:table-row><table:table-cell><text:p>1</text:p>\
                        </table:table-cell></table:table-row><table:table-row><table:table-cell>";
            bytes(zip(&[part("content.xml", rows)]))
        }),
        case("a vCard cut off", ["Line 4: ", "ends within the card that begins here"], 1, || {
            bytes("BEGIN:VCARD\nFN:Ada\nEND:VCARD\nBEGIN:VCARD\nFN:Bo\n")
        }),
        case("JSON cut off", ["Line 2: ", "ends within a record"], 1, || bytes("[{\"a\":1},\n{\"a\":")),
        case("JSON that is none", ["Line 2: ", "no valid JSON"], 1, || bytes("{\"a\":1}\n{\"a\":1,,}\n")),
        case("a packed file in an archive", ["The part “a.csv.gz”: ", "within a packed file"], 0, || {
            bytes(zip(&[part("a.csv.gz", "PK\u{3}\u{4} and more"), part("b.pdf", "b")]))
        }),
        case("no text at all", ["It", "not of a supported file type"], 0, || bytes(vec![0; 5_000])),
        case("a workbook of old", ["It", "old Excel workbook"], 0, || bytes(*b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")),
        case("nothing", ["It is ", "empty"], 0, || bytes("")),
    ]
}

/// Files that try to use up memory, disk or time, or to reach something outside.
fn hostile_files() -> Vec<FileCase> {
    const FOLDED: &str = "x\n ";
    vec![
        case("10,000 columns of text", ["Line 2, column 2001: ", "more than 2000 columns"], 1, || {
            bytes(format!("a,b\n{}\n", vec!["x"; 10_000].join(",")))
        }),
        case("nothing but 10,000 columns", ["Line 1, column 2001: ", "more than 2000 columns"], 0, || {
            bytes(format!("{0}\n{0}\n", vec!["x"; 10_000].join(";")))
        }),
        case(
            "10,000 columns of a workbook",
            ["Sheet “Customers”, cell BXY1: ", "more than 2000 columns"],
            0,
            || bytes(xlsx(sheet(&format!("<row>{}</row>", "<c><v>1</v></c>".repeat(10_000))), no_texts())),
        ),
        case("10,000 columns of ods", ["Sheet “Customers”, row 1: ", "more than 2000 columns"], 0, || {
            bytes(ods("<table:table-row><table:table-cell table:number-columns-repeated=\"10000\"><text:p>x</text:p>\
                       </table:table-cell></table:table-row>"))
        }),
        case("10,000 names in a record", ["Line 1: ", "more than 2000 columns"], 0, || {
            let names: Vec<String> = (0..10_000).map(|n| format!("\"n{n}\":1")).collect();
            bytes(format!("{{{}}}", names.join(",")))
        }),
        case("10,000 numbers in a card", ["Line 2002: ", "more than 2000 columns"], 0, || {
            bytes(format!("BEGIN:VCARD\n{}END:VCARD\n", "TEL:+447700900001\n".repeat(10_000)))
        }),
        case("a cell of 1 GB", ["Line 2, column 2: ", "a cell has more than 1048576 bytes"], 1, || {
            Long::boxed("name,note\nAda,", b'x', GIB, "\n")
        }),
        case("a quoted cell of 1 GB", ["Line 2, column 2: ", "a quote opens here and is not closed"], 1, || {
            Long::boxed("name,note\nAda,\"", b'\n', GIB, "\"\n")
        }),
        case("a line of 1 GB without cells", ["Line 1, column 1: ", "a cell has more than"], 0, || {
            Long::boxed("", b'x', GIB, "")
        }),
        case("a text of 1 GB in JSON", ["Line 1: ", "a row has more than 8388608 bytes"], 0, || {
            Long::boxed("{\"note\":\"", b'x', GIB, "\"}")
        }),
        case("values within each other without end", ["Line 1: ", "more than 64 deep"], 0, || {
            Long::boxed("{\"a\":", b'[', GIB, "")
        }),
        case("a note of 1 GB in a card", ["Line 2: ", "a row has more than 8388608 bytes"], 0, || {
            Long::boxed("BEGIN:VCARD\nNOTE:", b'x', GIB, "\nEND:VCARD\n")
        }),
        case("a folded note of 9 MB in a card", ["Line 2: ", "a cell has more than"], 0, || {
            bytes(format!("BEGIN:VCARD\nNOTE:{}\nEND:VCARD\n", FOLDED.repeat(3 << 20)))
        }),
        case(
            "a cell of 1 GB in a workbook",
            ["Sheet “Customers”, row 1: ", "markup has more than 8388608 bytes"],
            0,
            || {
                let long = "x".repeat(1 << 20);
                let part =
                    swelling("xl/worksheets/sheet1.xml", "<worksheet><row r=\"1\"><c t=\"str\"><v>", &long, 1_024, "");
                bytes(xlsx(part, no_texts()))
            },
        ),
        case("a cell of 1 GB in pieces", ["Sheet “Customers”, cell A1: ", "a cell has more than"], 0, || {
            let pieces = format!("{}<!-- -->", "x".repeat(1 << 16)).repeat(16);
            let part =
                swelling("xl/worksheets/sheet1.xml", "<worksheet><row r=\"1\"><c t=\"str\"><v>", &pieces, 1_024, "");
            bytes(xlsx(part, no_texts()))
        }),
        case(
            "a text of 1 GB that cells share",
            ["The part “xl/sharedStrings.xml”: ", "unpacks to more than 200 times"],
            0,
            || {
                let pieces = format!("<si><t>{}</t></si>", "x".repeat(1 << 16)).repeat(16);
                bytes(xlsx(sheet(""), swelling("xl/sharedStrings.xml", "<sst>", &pieces, 1_024, "</sst>")))
            },
        ),
        case("gzip that swells", ["Line ", "unpacks to more than 200 times its size"], 1, || {
            let piece = gzip(format!("{}\n", "x".repeat(65_535)).repeat(16).as_bytes());
            bytes(piece.repeat(200))
        }),
        case("a zip bomb", ["Line ", "unpacks to more than 200 times its size"], 1, || {
            let unit = format!("{}\n", "x".repeat(65_535)).repeat(16);
            bytes(zip(&[swelling("a.csv", "", &unit, 200, "")]))
        }),
        case(
            "ods with a row a billion times",
            ["Sheet “Customers”, row ", "up to here its rows have more than 200 times its size"],
            1,
            || {
                bytes(ods(&format!(
                    "<table:table-row table:number-rows-repeated=\"999999999\"><table:table-cell><text:p>{}</text:p>\
                       </table:table-cell></table:table-row>",
                    "x".repeat(60_000)
                )))
            },
        ),
        case("ods with blanks by number", ["Sheet “Customers”, cell A1: ", "a cell has more than"], 0, || {
            bytes(ods(&format!(
                "<table:table-row><table:table-cell><text:p>{}</text:p></table:table-cell></table:table-row>",
                "<text:s text:c=\"65536\"/>".repeat(100_000)
            )))
        }),
        case(
            "a long text that very many cells share",
            ["Sheet “Customers”, row ", "up to here its rows have more than 200 times its size"],
            1,
            || {
                let shared = format!("<sst><si><t>{}</t></si></sst>", "x".repeat(1 << 20));
                let row = "<row><c t=\"s\"><v>0</v></c></row>".repeat(1_000);
                bytes(xlsx(
                    swelling("xl/worksheets/sheet1.xml", "<worksheet>", &row, 1_000, "</worksheet>"),
                    part("xl/sharedStrings.xml", &shared),
                ))
            },
        ),
        case(
            "a workbook of a million styles",
            ["The part “xl/styles.xml”: ", "more than 65536 sheets, links or styles"],
            0,
            || {
                let styles = swelling(
                    "xl/styles.xml",
                    "<styleSheet><cellXfs>",
                    &"<xf numFmtId=\"1\"/>".repeat(1_000),
                    1_000,
                    "</cellXfs></styleSheet>",
                );
                let links = "<Relationships><Relationship Id=\"r1\" Type=\"x/worksheet\" Target=\"worksheets/sheet1.xml\"/>\
                         <Relationship Id=\"r2\" Type=\"x/styles\" Target=\"styles.xml\"/></Relationships>";
                bytes(zip(&[
                    part("[Content_Types].xml", "<Types/>"),
                    part("xl/workbook.xml", "<workbook><sheets><sheet name=\"a\" r:id=\"r1\"/></sheets></workbook>"),
                    part("xl/_rels/workbook.xml.rels", links),
                    styles,
                    sheet(""),
                ]))
            },
        ),
        case("entities that grow", ["Sheet “Customers”, row 1: ", "declares a document type"], 0, || {
            let text = "<!DOCTYPE w [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;&a;&a;&a;&a;&a;\">]>\
                        <worksheet><row r=\"1\"><c t=\"str\"><v>&b;</v></c></row></worksheet>";
            bytes(xlsx(part("xl/worksheets/sheet1.xml", text), no_texts()))
        }),
        case(
            "an entity from outside",
            ["The part “xl/sharedStrings.xml”: ", "declares a document type"],
            0,
            || {
                let text = "<!DOCTYPE sst SYSTEM \"http://127.0.0.1:9/x.dtd\"><sst><si><t>x</t></si></sst>";
                bytes(xlsx(sheet(""), part("xl/sharedStrings.xml", text)))
            },
        ),
        case("an archive of very many files", ["It", "holds 20000 files"], 0, || {
            let files: Vec<_> = (0..20_000).map(|n| part(&format!("{n}.csv"), "")).collect();
            bytes(zip(&files))
        }),
    ]
}

fn read_status_kib(line: &str) -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let found = status.lines().find_map(|found| found.strip_prefix(line)).unwrap();
    found.trim().trim_end_matches(" kB").parse().unwrap()
}

/// This is one test, because a process has one peak of memory.
#[test]
fn every_broken_file_ends_in_words_with_a_place_and_without_much_memory() {
    let measures = cfg!(target_os = "linux") && fs::write("/proc/self/clear_refs", "5").is_ok();
    let mut wrong = Vec::new();
    for FileCase { what, file, words: [place, words], rows } in damaged_files().into_iter().chain(hostile_files()) {
        let (source, bytes_read) = file();
        let before = if measures { read_status_kib("VmRSS:") } else { 0 };
        if measures {
            fs::write("/proc/self/clear_refs", "5").unwrap();
        }
        let read = read(source);
        let grown = if measures { read_status_kib("VmHWM:").saturating_sub(before) >> 10 } else { 0 };
        let message = read.fault.map(|fault| fault.to_string()).unwrap_or_default();
        if !(message.starts_with(place) && message.contains(words)) {
            wrong.push(format!("{what}: said “{message}”"));
        }
        if read.rows < rows || (rows == 0 && read.rows > 0) {
            wrong.push(format!("{what}: {} rows came before", read.rows));
        }
        if grown > if place.contains("sharedStrings") { MOST_SHARED_MIB } else { MOST_MIB } {
            wrong.push(format!("{what}: took {grown} MiB"));
        }
        let bytes_read = bytes_read.load(Ordering::Relaxed) >> 20;
        if bytes_read > 40 {
            wrong.push(format!("{what}: read {bytes_read} MiB on"));
        }
        println!("{grown:>4} MiB  {what}: {message}");
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The files of an archive are offered like the sheets of a workbook.
#[test]
fn each_file_of_an_archive_can_be_read() {
    let packed = zip(&[part("read me.pdf", "x,y"), part("a.csv", "Phone\n1\n"), part("in/b.csv", "Phone\n2\n3\n")]);
    let read = |sheet: Option<&str>| {
        let options = ReadOptions { sheet: sheet.map(str::to_owned), ..ReadOptions::default() };
        let mut opened = open(bytes(packed.clone()).0, &options).map_err(|fault| fault.to_string())?;
        let mut block = RowBlock::default();
        while opened.rows.fill_block(&mut block).unwrap() {}
        let names: Vec<String> = opened.sheets.into_iter().map(|sheet| sheet.name).collect();
        assert_eq!(names, ["read me.pdf", "a.csv", "in/b.csv"]);
        Ok::<_, String>((opened.sheet.unwrap(), block.len()))
    };
    assert_eq!(read(None), Ok((1, 2)), "the first that is called like a table");
    assert_eq!(read(Some("in/b.csv")), Ok((2, 3)));
    assert!(read(Some("none")).unwrap_err().contains("“none”"));
}

/// Not everything unusual ends a reading. These are rows, and what is unusual is flagged.
#[test]
fn what_is_only_odd_is_read_and_flagged() {
    let mixed = read(bytes("a,b\r\n1,2\n3,4\r5,6\r\n\"x\ry\",8").0);
    assert_eq!(
        (mixed.rows, mixed.last.as_slice(), mixed.fault.is_none()),
        (5, &["x\ry".to_owned(), "8".to_owned()][..], true)
    );
    let quotes = read(bytes("\"a\",\"b\"\n\"c\",\"d\n\"e\",\"f\"\n\"g\",\"h\"\n").0);
    assert_eq!((quotes.rows, quotes.flagged), (3, vec![(2, RowFlag::StrayQuote)]));
    let inches = read(bytes("size,note\n5\",pipe\n\"6,pipe\n7,pipe\n").0);
    assert_eq!((inches.rows, inches.last), (4, vec!["7".to_owned(), "pipe".to_owned()]));
    let nul = read(bytes(format!("name,number\n{}A\0da,1\n", "Bo,2\n".repeat(50))).0);
    assert_eq!((nul.rows, nul.flagged), (52, vec![(52, RowFlag::Nul)]));
    let text =
        read(bytes([b"name,city\nZo\xc3\xab,K\xc3\xb6ln\n".repeat(20), b"J\xfcrgen,Bonn\n".to_vec()].concat()).0);
    assert_eq!((text.rows, text.flagged), (41, vec![(41, RowFlag::DamagedText)]));
}
