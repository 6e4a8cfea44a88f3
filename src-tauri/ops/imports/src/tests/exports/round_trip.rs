//! Importing an exported file restores every value, whatever texts the contacts have. The tests use the reader, the
//! mapping and the validation of every import.

use std::{
    collections::{BTreeMap, BTreeSet},
    io::Cursor,
};

use proptest::{collection::vec, option, prelude::*, test_runner::Config};
use roost_model::{contact::ContactField, phone::Region};
use roost_sheets::{ReadOptions, open, write::cards::CardVersion};
use roost_store::watch::Watch;

use roost_exports::{CsvStyle, Delimiter, ExportScope, FileFormat, FormulaPolicy};
use roost_ops::{Core, contact::FieldValues, custom_field, list};

use super::{add_custom_fields, add_rows, export_bytes, request_for, sample_account, user};
use crate::{
    FrameReader, PackedNumber, Spool,
    mapping::{OpenMapping, suggest_fields},
    reading::{self, HeadRow},
    validate::RowPlan,
};

type FieldTexts = BTreeMap<String, String>;

/// Returns what an import of the file would store for each row if everything is detected.
fn import_bytes(core: &Core, bytes: &[u8]) -> Result<BTreeSet<FieldTexts>, String> {
    let mut opened =
        open(Box::new(Cursor::new(bytes.to_vec())), &ReadOptions::default()).map_err(|why| why.to_string())?;
    let read = reading::read_file(&mut opened, Spool::in_memory(), HeadRow::FindOut, &[], &Watch::default()).unwrap();
    if let Some(fault) = read.fault {
        return Err(fault.to_string());
    }
    let suggested = suggest_fields(&read.heads, &read.columns, &[], &custom_field::read_all(core).unwrap());
    let mapping = OpenMapping::from_suggestions(&suggested);
    let custom = custom_field::numbers(core).unwrap();
    let plan = RowPlan::from_mapping(&mapping, read.heads.len(), &custom, Region::gb())
        .map_err(|faults| format!("{faults:?}"))?;
    let (mut reader, mut found) = (FrameReader::default(), BTreeSet::new());
    for frame in 0..read.spool.frame_count() {
        read.spool.read_frame(frame, &mut reader).unwrap();
        let first = read.spool.first_row(frame);
        for (at, row) in reader.block.rows().enumerate().filter(|(at, _)| first + *at as u64 >= read.first_value_row) {
            let cells = || row.cells().collect::<Vec<_>>();
            let numbers = plan.validate_row(&row).map_err(|fault| format!("row {at}: {fault:?}: {:?}", cells()))?;
            let mut values = FieldTexts::new();
            let mut put = |field: ContactField, text: String| values.insert(field.name().into_owned(), text);
            let e164 = |number: PackedNumber| number.to_phone().map(|phone| phone.e164);
            e164(numbers.phone).map(|text| put(ContactField::PhoneNumber, text));
            e164(numbers.whatsapp).map(|text| put(ContactField::WhatsappId, text));
            for text in &plan.texts {
                let value = text.read_value(&row).map_err(|fault| format!("{fault:?}: {:?}", cells()))?;
                value.map(|value| put(text.field, value.into_owned()));
            }
            found.insert(values);
        }
    }
    Ok(found)
}

/// Returns texts that are not blank.
fn non_blank_text(letters: &'static str) -> impl Strategy<Value = String> {
    letters.prop_filter("blank", |text| !text.trim().is_empty())
}

const EVIL: &str =
    "['\"=+@,;|\\\\\n\t :&<a-c＝é😀שׁ\u{200f}_xN0-9()-]{1,8}|=1\\+1|''=cmd|'x|BEGIN:VCARD|_x000D_|\\{\"a\"|\\+44 7700";
/// Has the control characters as well that some formats can hold.
const WORSE: &str = "['\"=,;\r\n\t\u{1}\u{b}\u{1b}\u{7f}\u{85}\u{2028}a]{1,8}|\r=1|a\rb|a\r\nb|_x0041_";

fn random_contacts(letters: &'static str) -> impl Strategy<Value = Vec<Vec<Option<String>>>> {
    vec(vec(option::weighted(0.6, non_blank_text(letters)), 16), 1..8)
}

const COLUMNS: [&str; 17] = [
    "phone_number",
    "whatsapp_id",
    "alternate_phone",
    "title",
    "firstname",
    "lastname",
    "company_name",
    "email_address",
    "date_of_birth",
    "address_1",
    "address_2",
    "city",
    "state",
    "zip",
    "country",
    "field_4",
    "field_5",
];

fn account_with(contacts: &[Vec<Option<String>>]) -> (Core, ExportScope, BTreeSet<FieldTexts>) {
    let core = sample_account();
    add_custom_fields(&core, &["Shoe size", "=Colour"]);
    let uid = list::create(&core, &user(), "Spring", list::UniqueNames::Off).unwrap().uid;
    let (mut rows, mut all) = (Vec::new(), BTreeSet::new());
    for (number, cells) in contacts.iter().enumerate() {
        let mut values = FieldTexts::from([("phone_number".to_owned(), format!("+44770090{number:04}"))]);
        if number % 2 == 1 {
            values.insert("whatsapp_id".to_owned(), format!("+44770090{:04}", 999 - number));
        }
        for (field, text) in COLUMNS[2..].iter().zip(cells) {
            if let Some(text) = text {
                values.insert((*field).to_owned(), text.clone());
            }
        }
        rows.push(values.iter().map(|(field, text)| (field.clone(), Some(text.clone()))).collect::<FieldValues>());
        all.insert(values);
    }
    add_rows(&core, &uid, &rows);
    (core, ExportScope::Lists(vec![uid]), all)
}

fn check_round_trip(contacts: &[Vec<Option<String>>], formats: &[FileFormat]) -> Result<(), TestCaseError> {
    let (core, what, all) = account_with(contacts);
    for format in formats {
        let bytes = export_bytes(&core, &request_for(what.clone(), *format, &COLUMNS));
        prop_assert_eq!(
            import_bytes(&core, &bytes),
            Ok(all.clone()),
            "{:?}: {}",
            format,
            String::from_utf8_lossy(&bytes)
        );
    }
    Ok(())
}

fn csv_format(delimiter: Delimiter, has_mark: bool) -> FileFormat {
    FileFormat::Csv(CsvStyle { delimiter, formulas: FormulaPolicy::Guarded, has_mark })
}

fn config_with_cases(cases: u32) -> Config {
    Config { cases, failure_persistence: None, ..Config::default() }
}

proptest! {
    #![proptest_config(config_with_cases(24))]

    #[test]
    fn every_form_brings_back_what_was_exported(contacts in random_contacts(EVIL)) {
        let formats = [
            csv_format(Delimiter::Comma, false), csv_format(Delimiter::Semicolon, true), csv_format(Delimiter::Tab, false),
            FileFormat::Csv(CsvStyle { formulas: FormulaPolicy::Unguarded, ..CsvStyle::default() }), FileFormat::Xlsx, FileFormat::Jsonl, FileFormat::Cards(CardVersion::V3), FileFormat::Cards(CardVersion::V4),
        ];
        check_round_trip(&contacts, &formats)?;
    }

    #[test]
    fn control_characters_come_back_where_the_form_holds_them(contacts in random_contacts(WORSE)) {
        let cards = [CardVersion::V3, CardVersion::V4].map(FileFormat::Cards);
        check_round_trip(&contacts, &[FileFormat::Xlsx, FileFormat::Jsonl, cards[0], cards[1]])?;
    }
}

#[test]
fn a_cell_that_ends_with_a_backslash_comes_back() {
    let formats = [
        csv_format(Delimiter::Comma, false),
        csv_format(Delimiter::Semicolon, false),
        csv_format(Delimiter::Tab, false),
    ];
    for text in ["0\t\\", ",\\", ";\\"] {
        check_round_trip(&[vec![Some(text.to_owned()); 14]], &formats).unwrap();
    }
}

#[test]
fn a_pair_of_apostrophes_that_is_all_of_a_file_comes_back() {
    let cells = (0..14).map(|at| (at == 10).then(|| "''".to_owned())).collect();
    check_round_trip(&[cells], &[csv_format(Delimiter::Comma, false)]).unwrap();
}

#[test]
fn a_column_of_answers_comes_back() {
    let cards = [CardVersion::V3, CardVersion::V4].map(FileFormat::Cards);
    let formats = [csv_format(Delimiter::Comma, false), FileFormat::Xlsx, FileFormat::Jsonl, cards[0], cards[1]];
    for answer in ["0", "1", "yes", "no", "N", "x", "true", "false"] {
        check_round_trip(&[vec![Some(answer.to_owned()); 14], vec![Some(answer.to_owned()); 14]], &formats).unwrap();
    }
}

#[test]
fn headings_that_look_like_formulas_are_known_again() {
    let (core, what, all) = account_with(&[vec![Some("x".to_owned()); 16], vec![None; 16]]);
    for format in [csv_format(Delimiter::Comma, true), FileFormat::Xlsx] {
        let mut export = request_for(what.clone(), format, &COLUMNS);
        // These are the headings that people read, with the labels of custom fields.
        export.headings = [
            "Phone number",
            "WhatsApp number",
            "Other phone",
            "Title",
            "First name",
            "Last name",
            "Company",
            "Email",
            "Date of birth",
            "Address line 1",
            "Address line 2",
            "City",
            "State",
            "Postcode",
            "Country",
            "Shoe size",
            "=Colour",
        ]
        .map(str::to_owned)
        .to_vec();
        assert_eq!(import_bytes(&core, &export_bytes(&core, &export)), Ok(all.clone()), "{format:?}");
    }
}

#[test]
fn a_contact_without_a_name_has_a_card_too() {
    let (core, what, all) = account_with(&[vec![None; 16]]);
    let bytes = export_bytes(&core, &request_for(what, FileFormat::Cards(CardVersion::V3), &COLUMNS));
    assert_eq!(import_bytes(&core, &bytes), Ok(all));
}
