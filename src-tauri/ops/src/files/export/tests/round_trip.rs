//! Importing an exported file restores every value, whatever texts the contacts have. The tests use the reader, the
//! mapping and the validation of every import.

use std::{
    collections::{BTreeMap, BTreeSet},
    io::Cursor,
};

use proptest::{collection::vec, option, prelude::*, test_runner::Config};
use roost_model::{contact::ContactField, phone::Region};
use roost_sheets::{Options, open, write::card::CardVersion};
use roost_store::watch::Watch;

use super::{
    super::{CsvStyle, Delimiter, Format, Formulas, What},
    account, define, fill, me, of, written,
};
use crate::{
    Core,
    contact::FieldValues,
    custom_field,
    import::{
        FrameReader, PackedNumber, Spool,
        mapping::{OpenMapping, suggest},
        reading::{self, HeadRow},
        settle::Plan,
    },
    list,
};

type Values = BTreeMap<String, String>;

/// Returns what an import of the file would store for each row if everything is detected.
fn imported(core: &Core, bytes: &[u8]) -> Result<BTreeSet<Values>, String> {
    let mut opened = open(Box::new(Cursor::new(bytes.to_vec())), &Options::default()).map_err(|why| why.to_string())?;
    let read = reading::read(&mut opened, Spool::in_memory(), HeadRow::FindOut, &[], &Watch::default()).unwrap();
    if let Some(fault) = read.fault {
        return Err(fault.to_string());
    }
    let suggested = suggest(&read.heads, &read.columns, &[], &custom_field::all(core).unwrap());
    let mapping = OpenMapping::of_suggestions(&suggested);
    let custom = custom_field::numbers(core).unwrap();
    let plan = Plan::of(&mapping, read.heads.len(), &custom, Region::gb()).map_err(|faults| format!("{faults:?}"))?;
    let (mut reader, mut found) = (FrameReader::default(), BTreeSet::new());
    for frame in 0..read.spool.frames() {
        read.spool.read(frame, &mut reader).unwrap();
        let first = read.spool.first_row(frame);
        for (at, row) in reader.block.rows().enumerate().filter(|(at, _)| first + *at as u64 >= read.first) {
            let cells = || row.cells().collect::<Vec<_>>();
            let numbers = plan.settle(&row).map_err(|fault| format!("row {at}: {fault:?}: {:?}", cells()))?;
            let mut values = Values::new();
            let mut put = |field: ContactField, text: String| values.insert(field.name().into_owned(), text);
            let e164 = |number: PackedNumber| number.phone().map(|phone| phone.e164);
            e164(numbers.phone).map(|text| put(ContactField::PhoneNumber, text));
            e164(numbers.whatsapp).map(|text| put(ContactField::WhatsappId, text));
            for text in &plan.texts {
                let value = text.value(&row).map_err(|fault| format!("{fault:?}: {:?}", cells()))?;
                value.map(|value| put(text.field, value.into_owned()));
            }
            found.insert(values);
        }
    }
    Ok(found)
}

/// Returns texts that are not blank.
fn text(letters: &'static str) -> impl Strategy<Value = String> {
    letters.prop_filter("blank", |text| !text.trim().is_empty())
}

const EVIL: &str =
    "['\"=+@,;|\\\\\n\t :&<a-c＝é😀שׁ\u{200f}_xN0-9()-]{1,8}|=1\\+1|''=cmd|'x|BEGIN:VCARD|_x000D_|\\{\"a\"|\\+44 7700";
/// Has the control characters as well that some formats can hold.
const WORSE: &str = "['\"=,;\r\n\t\u{1}\u{b}\u{1b}\u{7f}\u{85}\u{2028}a]{1,8}|\r=1|a\rb|a\r\nb|_x0041_";

fn contacts(letters: &'static str) -> impl Strategy<Value = Vec<Vec<Option<String>>>> {
    vec(vec(option::weighted(0.6, text(letters)), 16), 1..8)
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

fn holding(contacts: &[Vec<Option<String>>]) -> (Core, What, BTreeSet<Values>) {
    let core = account();
    define(&core, &["Shoe size", "=Colour"]);
    let uid = list::create(&core, &me(), "Spring", list::UniqueNames::Off).unwrap().uid;
    let (mut rows, mut all) = (Vec::new(), BTreeSet::new());
    for (number, cells) in contacts.iter().enumerate() {
        let mut values = Values::from([("phone_number".to_owned(), format!("+44770090{number:04}"))]);
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
    fill(&core, &uid, &rows);
    (core, What::Lists(vec![uid]), all)
}

fn comes_back(contacts: &[Vec<Option<String>>], formats: &[Format]) -> Result<(), TestCaseError> {
    let (core, what, all) = holding(contacts);
    for format in formats {
        let bytes = written(&core, &of(what.clone(), *format, &COLUMNS));
        prop_assert_eq!(imported(&core, &bytes), Ok(all.clone()), "{:?}: {}", format, String::from_utf8_lossy(&bytes));
    }
    Ok(())
}

fn csv(delimiter: Delimiter, has_mark: bool) -> Format {
    Format::Csv(CsvStyle { delimiter, formulas: Formulas::Guarded, has_mark })
}

fn cases(cases: u32) -> Config {
    Config { cases, failure_persistence: None, ..Config::default() }
}

proptest! {
    #![proptest_config(cases(24))]

    #[test]
    fn every_form_brings_back_what_was_exported(contacts in contacts(EVIL)) {
        let formats = [
            csv(Delimiter::Comma, false), csv(Delimiter::Semicolon, true), csv(Delimiter::Tab, false),
            Format::Csv(CsvStyle { formulas: Formulas::AsTheyAre, ..CsvStyle::default() }), Format::Xlsx, Format::Jsonl, Format::Cards(CardVersion::V3), Format::Cards(CardVersion::V4),
        ];
        comes_back(&contacts, &formats)?;
    }

    #[test]
    fn control_characters_come_back_where_the_form_holds_them(contacts in contacts(WORSE)) {
        let cards = [CardVersion::V3, CardVersion::V4].map(Format::Cards);
        comes_back(&contacts, &[Format::Xlsx, Format::Jsonl, cards[0], cards[1]])?;
    }
}

#[test]
fn a_cell_that_ends_with_a_backslash_comes_back() {
    let formats = [csv(Delimiter::Comma, false), csv(Delimiter::Semicolon, false), csv(Delimiter::Tab, false)];
    for text in ["0\t\\", ",\\", ";\\"] {
        comes_back(&[vec![Some(text.to_owned()); 14]], &formats).unwrap();
    }
}

#[test]
fn a_column_of_answers_comes_back() {
    let cards = [CardVersion::V3, CardVersion::V4].map(Format::Cards);
    let formats = [csv(Delimiter::Comma, false), Format::Xlsx, Format::Jsonl, cards[0], cards[1]];
    for answer in ["0", "1", "yes", "no", "N", "x", "true", "false"] {
        comes_back(&[vec![Some(answer.to_owned()); 14], vec![Some(answer.to_owned()); 14]], &formats).unwrap();
    }
}

#[test]
fn headings_that_look_like_formulas_are_known_again() {
    let (core, what, all) = holding(&[vec![Some("x".to_owned()); 16], vec![None; 16]]);
    for format in [csv(Delimiter::Comma, true), Format::Xlsx] {
        let mut export = of(what.clone(), format, &COLUMNS);
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
        assert_eq!(imported(&core, &written(&core, &export)), Ok(all.clone()), "{format:?}");
    }
}

#[test]
fn a_contact_without_a_name_has_a_card_too() {
    let (core, what, all) = holding(&[vec![None; 16]]);
    let bytes = written(&core, &of(what, Format::Cards(CardVersion::V3), &COLUMNS));
    assert_eq!(imported(&core, &bytes), Ok(all));
}
