//! Tests that records become rows and that other texts are distinguished from records.

use super::*;
use crate::error::FilePosition;

type Table = (Vec<String>, Vec<(u64, Vec<String>)>);

fn read(text: &str, limits: ReadLimits) -> Result<Table, SheetError> {
    let mut records = RecordReader::new(text.as_bytes(), Encoding::UTF_8, limits);
    let mut block = RowBlock::default();
    while records.fill_block(&mut block)? {}
    let rows = block.rows().map(|row| (row.place, row.cells().map(str::to_owned).collect())).collect();
    Ok((records.row.columns().to_vec(), rows))
}

fn table(text: &str) -> Table {
    read(text, ReadLimits::STANDARD).unwrap()
}

#[test]
fn a_list_and_lines_read_alike() {
    let want =
        table("[\n {\"name\": \"Ada\", \"n\": 447700900001},\n {\"n\": 1.50, \"name\": null, \"ok\": true}\n]\n");
    assert_eq!(want.0, ["name", "n", "ok"]);
    assert_eq!(want.1[0], (2, vec!["Ada".to_owned(), "447700900001".to_owned()]));
    assert_eq!(want.1[1], (3, vec![String::new(), "1.50".to_owned(), "true".to_owned()]));
    let lines = table("{\"name\": \"Ada\", \"n\": 447700900001}\n{\"n\": 1.50, \"name\": null, \"ok\": true}");
    assert_eq!(lines.0, want.0);
    assert_eq!(lines.1[1], (2, want.1[1].1.clone()));
}

#[test]
fn nested_values_get_names_of_their_own() {
    let (columns, rows) =
        table(r#"{"who":{"first":"A\u00e9\"}{","tags":["x",2]},"phones":[{"n":"1"},{"n":"2"}],"empty":[],"none":{}}"#);
    assert_eq!(columns, ["who.first", "who.tags", "phones.1.n", "phones.2.n"]);
    assert_eq!(rows[0].1, ["Aé\"}{", "x; 2", "1", "2"]);
}

#[test]
fn a_duplicate_name_in_a_record_is_reported() {
    let text =
        r#"{"n":"1","n":"2"}{"n":["1","2"],"in":[{"n":"1"},{"n":"2"}]}{"a":{"n":"1"},"a":{"n":"2"}}{"n":null,"n":"2"}"#;
    let mut records = RecordReader::new(text.as_bytes(), Encoding::UTF_8, ReadLimits::STANDARD);
    let mut block = RowBlock::default();
    while records.fill_block(&mut block).unwrap() {}
    assert_eq!(block.row(0).get(0), Some("1; 2"));
    let names: Vec<_> =
        records.remarks().iter().map(|remark| (remark.kind, remark.name.as_str(), remark.count)).collect();
    assert_eq!(names, [(RemarkKind::Doubled, "n", 1), (RemarkKind::Doubled, "a.n", 1)]);
}

#[test]
fn an_object_around_a_list_of_records_is_not_a_record() {
    let people = r#"[{"name":"Ada","tags":["x"]},{"name":"Bo"}]"#;
    for text in [
        format!("{{\"contacts\":{people}}}"),
        format!("{{\"kunden\": {people} }}\n"),
        format!("{{\"count\":2,\"next\":null,\"results\":{people},\"page\":{{\"n\":1}}}}"),
        format!("{{\"data\":{{\"contacts\":{people},\"more\":\"no\"}},\"ok\":true}}"),
    ] {
        let (columns, rows) = table(&text);
        assert_eq!((columns.len(), rows.len()), (2, 2), "{text}");
        assert_eq!(rows[1].1, ["Bo"], "{text}");
    }
    let pages = format!("{{\"items\":{people}}}\n{{\"items\":{people}}}\n");
    assert_eq!(table(&pages).1.len(), 4);
    // A person with several numbers stays one person.
    let (columns, rows) = table(r#"{"phones":[{"n":"1"},{"n":"2"}],"name":"Ada"}"#);
    assert_eq!((columns, rows.len()), (vec!["phones.1.n".to_owned(), "phones.2.n".to_owned(), "name".to_owned()], 1));
}

#[test]
fn values_beside_the_list_are_reported() {
    let text = r#"{"count":2,"next":null,"results":[{"name":"Ada"}],"page":{"n":1,"of":["a","b"]},"by":"shop"}"#;
    let mut records = RecordReader::new(text.as_bytes(), Encoding::UTF_8, ReadLimits::STANDARD);
    let mut block = RowBlock::default();
    while records.fill_block(&mut block).unwrap() {}
    let names: Vec<_> = records.remarks().iter().map(|remark| (remark.name.as_str(), remark.count)).collect();
    assert_eq!(names, [("count", 1), ("page", 3), ("by", 1)]);
    assert_eq!(records.list_name(), Some("results"));
}

#[test]
fn a_table_by_columns_is_read_row_by_row() {
    let text = r#"{"Mobile": {"0": "07700 900001", "1": 447700900002}, "City": {"0": null, "1": "York", "2": "Bath"}}"#;
    let (columns, rows) = table(text);
    assert_eq!(columns, ["Mobile", "City"]);
    let cells: Vec<_> = rows.iter().map(|(_, cells)| cells.join("|")).collect();
    assert_eq!(cells, ["07700 900001", "447700900002|York", "|Bath"]);
    // Objects in a record are not columns.
    assert_eq!(table(r#"{"home":{"street":"1 Long Street"},"work":{"0":"x"}}"#).1.len(), 1);
}

#[test]
fn a_number_loses_no_digit() {
    assert_eq!(table(r#"{"n":123456789012345678901234567890}"#).1[0].1, ["123456789012345678901234567890"]);
    let powers = r#"{"a":4.47700900001E11,"b":4.48E+11,"c":1e-7,"d":true,"e":447700900001.0}"#;
    assert_eq!(table(powers).1[0].1, ["447700900001", "4.48E+11", "1e-7", "true", "447700900001.0"]);
}

#[test]
fn faults_have_their_line() {
    for (text, line, words) in [
        ("{\"a\":1}\n{\"a\":}\n", 2, "no valid JSON"),
        ("[{\"a\":1},\n\n{\"a\":1", 3, "ends within a record"),
        ("[{\"a\":1}", 1, "does not end"),
        ("{\"a\":1}\n7", 2, "a number"),
        ("[[{}]]", 1, "a list within a list"),
    ] {
        let fault = read(text, ReadLimits::STANDARD).unwrap_err();
        assert_eq!(fault.place, FilePosition::Line { line, column: None }, "{text}: {fault}");
        assert!(fault.to_string().contains(words), "{text}: {fault}");
    }
}

#[test]
fn nothing_grows_without_end() {
    let limits = ReadLimits { columns: 3, cell_bytes: 10, row_bytes: 1_000, depth: 4, ..ReadLimits::STANDARD };
    let kind = |text: &str| read(text, limits).unwrap_err().kind;
    assert!(matches!(kind(r#"{"a":1,"b":2,"c":3,"d":4}"#), SheetErrorKind::TooManyColumns(3)));
    assert!(matches!(kind(r#"{"a":"01234567890"}"#), SheetErrorKind::CellTooLong(10)));
    assert!(matches!(kind(r#"{"a":{"a":{"a":{"a":{"a":1}}}}}"#), SheetErrorKind::TooDeep(4)));
    assert!(matches!(kind(&"{".repeat(1_000_000)), SheetErrorKind::TooDeep(4)));
    assert!(matches!(kind(&format!("{{\"a\":\"{}", "x".repeat(1 << 20))), SheetErrorKind::RowTooLong(1_000)));
}

#[test]
fn records_are_distinguished_from_other_texts() {
    for text in ["{\"a\":1}", " [ {\"a\":1}]", "[{}]"] {
        assert!(looks_like_records(text), "{text}");
    }
    for text in ["[name],number", "{name}", "name\n", "[]", "["] {
        assert!(!looks_like_records(text), "{text}");
    }
}
