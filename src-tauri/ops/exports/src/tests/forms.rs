//! The exact contents of a file in each format.

use roost_sheets::write::cards::CardVersion;
use serde_json::{Value, json};

use super::{
    super::{CsvStyle, Delimiter, ExportScope, FileFormat, FormulaPolicy, prepare_export},
    add_custom_fields, create_list, export_bytes, export_text, request_for, sample_account, to_strings,
};
use roost_ops::error::Error;

const COLUMNS: [&str; 5] = ["list", "phone_number", "firstname", "city", "field_1"];

fn two_contacts() -> (roost_ops::Core, ExportScope) {
    let core = sample_account();
    add_custom_fields(&core, &["Shoe size"]);
    let rows: &[&[(&str, &str)]] = &[
        &[("phone_number", "+447700900001"), ("firstname", "=Ada"), ("city", "York, \"N\""), ("field_1", "7½")],
        &[("phone_number", "+447700900002"), ("city", "'=Bath")],
    ];
    let list = create_list(&core, "Spring; all", &rows[..1]);
    core.ctx().advance(1);
    let more: roost_ops::contact::FieldValues =
        rows[1].iter().map(|(field, text)| ((*field).to_owned(), Some((*text).to_owned()))).collect();
    super::add_rows(&core, &list, &[more]);
    (core, ExportScope::Lists(vec![list]))
}

#[test]
fn a_table_of_text_is_guarded_unless_the_request_says_otherwise() {
    let (core, what) = two_contacts();
    let usual = export_text(&core, &request_for(what.clone(), FileFormat::Csv(CsvStyle::default()), &COLUMNS));
    assert_eq!(
        usual,
        "list,phone_number,firstname,city,field_1\r\n\
         Spring; all,+447700900001,'=Ada,\"York, \"\"N\"\"\",7½\r\n\
         Spring; all,+447700900002,,''=Bath,\r\n"
    );
    let style = CsvStyle { delimiter: Delimiter::Semicolon, formulas: FormulaPolicy::Unguarded, has_mark: true };
    let mut bare = request_for(what, FileFormat::Csv(style), &COLUMNS);
    bare.headings.clear();
    assert_eq!(
        export_text(&core, &bare),
        "\u{feff}\"Spring; all\";+447700900001;=Ada;\"York, \"\"N\"\"\";7½\r\n\"Spring; all\";+447700900002;;''=Bath;\r\n"
    );
}

#[test]
fn records_have_a_line_each_and_nothing_that_is_blank() {
    let (core, what) = two_contacts();
    let lines = export_text(&core, &request_for(what, FileFormat::Jsonl, &COLUMNS));
    let lines: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(
        lines,
        [
            json!({ "list": "Spring; all", "phone_number": "+447700900001", "firstname": "=Ada", "city": "York, \"N\"", "field_1": "7½" }),
            json!({ "list": "Spring; all", "phone_number": "+447700900002", "city": "'=Bath" }),
        ]
    );
}

#[test]
fn cards_hold_what_other_programs_know_and_the_rest_beside_it() {
    let (core, what) = two_contacts();
    let newest = export_text(&core, &request_for(what.clone(), FileFormat::Cards(CardVersion::V4), &COLUMNS));
    let cards: Vec<&str> = newest.split_inclusive("END:VCARD\r\n").collect();
    assert_eq!(
        cards[0],
        "BEGIN:VCARD\r\nVERSION:4.0\r\nPRODID:-//Roost//Contacts//EN\r\nFN:=Ada\r\nN:;=Ada;;;\r\nTEL;TYPE=cell:+447700900001\r\nX-ROOST-FIELD-1:7½\r\n\
         CATEGORIES:Spring\\; all\r\nADR:;;;York\\, \"N\";;;\r\nEND:VCARD\r\n"
    );
    assert!(cards[1].contains("FN:+447700900002\r\n"), "a card has a name: {}", cards[1]);
    let list = [("phone_number", "+447700900003"), ("date_of_birth", "1985-04-12"), ("alternate_phone", "ask Bo")];
    let list = create_list(&core, "Other", &[&list]);
    let columns = ["uid", "phone_number", "date_of_birth", "alternate_phone", "phone_region", "created_at"];
    let card = |version| {
        export_text(&core, &request_for(ExportScope::Lists(vec![list.clone()]), FileFormat::Cards(version), &columns))
    };
    let (old, new) = (card(CardVersion::V3), card(CardVersion::V4));
    assert!(old.contains("VERSION:3.0\r\n") && old.contains("BDAY:1985-04-12\r\n") && old.contains("UID:CON"), "{old}");
    assert!(new.contains("BDAY:19850412\r\n") && new.contains("UID;VALUE=text:"), "{new}");
    assert!(new.contains("X-ROOST-ALTERNATE-PHONE:ask Bo\r\n"), "{new}");
    let export = request_for(what, FileFormat::Cards(CardVersion::V4), &columns);
    assert_eq!(
        prepare_export(&core, &export).unwrap().preview(&core, 1).unwrap().left_out,
        ["phone_region", "created_at"]
    );
}

#[test]
fn a_preview_shows_the_beginning_as_it_will_be() {
    let (core, what) = two_contacts();
    let csv =
        prepare_export(&core, &request_for(what.clone(), FileFormat::Csv(CsvStyle::default()), &["city", "list"]))
            .unwrap();
    let preview = csv.preview(&core, 1).unwrap();
    assert_eq!((preview.rows, preview.text.as_deref()), (2, Some("city,list\r\n\"York, \"\"N\"\"\",Spring; all\r\n")));
    assert_eq!(preview.cells, [["York, \"N\"", "Spring; all"]]);
    let book =
        prepare_export(&core, &request_for(what, FileFormat::Xlsx, &["city"])).unwrap().preview(&core, 9).unwrap();
    assert_eq!((book.text, book.cells), (None, vec![to_strings(&["York, \"N\""]), to_strings(&["'=Bath"])]));
}

#[test]
fn what_cannot_be_written_is_reported_with_its_position() {
    let (core, what) = two_contacts();
    let csv = FileFormat::Csv(CsvStyle::default());
    let faults = |columns: &[&str], headings: &[&str]| {
        let mut export = request_for(what.clone(), csv, columns);
        export.headings = to_strings(headings);
        let Err(Error::Invalid { faults }) = prepare_export(&core, &export) else { panic!("{columns:?}") };
        faults.into_iter().map(|fault| fault.path).collect::<Vec<_>>()
    };
    assert_eq!(faults(&[], &[]), ["columns"]);
    assert_eq!(faults(&["city", "colour", "field_9", "city"], &[]), ["columns[1]", "columns[2]", "columns[3]"]);
    assert_eq!(faults(&["city"], &["a", "b"]), ["headings"]);
    assert_eq!(faults(&["city"], &["x".repeat(256).as_str()]), ["headings"]);
    let mut seed = request_for(what, FileFormat::Seed, &[]);
    seed.headings = to_strings(&["more than columns"]);
    assert!(!export_bytes(&core, &seed).is_empty(), "a seed has neither");
}
