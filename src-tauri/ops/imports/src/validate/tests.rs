//! Tests the validation of the values of a row.

use roost_model::contact::Attribute;
use roost_sheets::{RowBlock, RowFlags};

use super::{
    super::mapping::{CellPart, FieldTarget, Mapping, ValuePiece},
    *,
};

fn plan_for_fields(fields: &[&str], region: &str) -> RowPlan {
    let target = |(column, field): (usize, &&str)| {
        FieldTarget::new(*field, vec![ValuePiece::Column { column: column as u32, part: None }])
    };
    let mapping = Mapping { targets: fields.iter().enumerate().map(target).collect(), ..Mapping::default() };
    RowPlan::from_mapping(&mapping, fields.len(), &[], Region::parse(region).unwrap()).unwrap()
}

fn validate_cells(
    plan: &RowPlan,
    cells: &[&str],
    flag: Option<RowFlag>,
) -> Result<Vec<String>, (RejectReason, Option<ContactField>)> {
    let mut block = RowBlock::default();
    cells.iter().for_each(|cell| block.push_cell(cell));
    let mut flags = RowFlags::default();
    flag.into_iter().for_each(|flag| flags.add(flag));
    block.end_row(1, flags);
    let numbers = plan.validate_row(&block.row(0)).map_err(|fault| (fault.reason, fault.field))?;
    Ok([numbers.phone, numbers.whatsapp].into_iter().filter_map(|n| Some(n.to_phone()?.e164)).collect())
}

#[test]
fn numbers_of_any_spelling_are_settled() {
    let plan = plan_for_fields(&["phone_number", "whatsapp_id", "firstname"], "GB");
    for cells in [["07700 900001", "", "Ada"], ["+44 (0)7700 900001", "", ""], ["'+447700900001", " ", ""]] {
        assert_eq!(validate_cells(&plan, &cells, None), Ok(vec!["+447700900001".to_owned()]), "{cells:?}");
    }
    let both = validate_cells(&plan, &["07700900001", "07700900002"], None);
    assert_eq!(both, Ok(vec!["+447700900001".to_owned(), "+447700900002".to_owned()]));
}

#[test]
fn a_row_that_cannot_be_taken_says_why() {
    let plan = plan_for_fields(&["phone_number", "whatsapp_id", "firstname"], "GB");
    let phone = Some(ContactField::PhoneNumber);
    let first = Some(ContactField::Attribute(Attribute::Firstname));
    let long = "x".repeat(51);
    for (cells, flag, want) in [
        (["", "", "Ada"], None, (RejectReason::NoNumber, None)),
        (["12", "", ""], None, (RejectReason::NotANumber, phone)),
        (["4.47E+11", "", ""], None, (RejectReason::Spreadsheet, phone)),
        (["####", "", ""], None, (RejectReason::Spreadsheet, phone)),
        (["x", "07700900002", ""], None, (RejectReason::NotANumber, phone)),
        (["07700900001", "nope", ""], None, (RejectReason::NotANumber, Some(ContactField::WhatsappId))),
        (["07700900001", "", long.as_str()], None, (RejectReason::TooLong, first)),
        (["07700900001", "", ""], Some(RowFlag::DamagedText), (RejectReason::DamagedText, None)),
        (["07700900001", "", ""], Some(RowFlag::Nul), (RejectReason::Nul, None)),
    ] {
        assert_eq!(validate_cells(&plan, &cells, flag), Err(want), "{cells:?}");
    }
    assert!(validate_cells(&plan, &["07700900001"], Some(RowFlag::StrayQuote)).is_ok(), "it is only odd");
}

#[test]
fn a_national_number_is_read_in_the_country_of_its_row() {
    let plan = plan_for_fields(&["phone_number", "country"], "GB");
    for (number, country, want) in [
        ("07700900001", "United Kingdom", "+447700900001"),
        ("07700900001", "", "+447700900001"),
        ("(202) 555-0101", "USA", "+12025550101"),
        ("+1 202 555 0101", "GB", "+12025550101"),
        // A number that is not valid there is read in the country of the file.
        ("07700900001", "US", "+447700900001"),
        ("447700900001", "Deutschland", "+447700900001"),
        ("07700900001", "Europe", "+447700900001"),
    ] {
        assert_eq!(validate_cells(&plan, &[number, country], None), Ok(vec![want.to_owned()]), "{number} {country}");
    }
}

#[test]
fn a_number_is_judged_by_the_label_of_its_row() {
    let heads = ["Phone 1 - Label", "Phone 1 - Value", "Phone 2 - Label", "Phone 2 - Value"].map(str::to_owned);
    let column = |column: u32| ValuePiece::Column { column, part: None };
    let phone =
        FieldTarget { pick: PieceChoice::First, ..FieldTarget::new("phone_number", vec![column(1), column(3)]) };
    let mut mapping = Mapping { targets: vec![phone], ..Mapping::default() };
    mapping.assign_labels(&heads);
    let plan = RowPlan::from_mapping(&mapping, 4, &[], Region::gb()).unwrap();
    for (cells, want) in [
        (["Home Fax", "07700900001", "Mobile", "07700900002"], Some("+447700900002")),
        (["Work", "07700900001", "* Mobile", "07700900002"], Some("+447700900002")),
        (["Work", "07700900001", "Home", "07700900002"], Some("+447700900001")),
        (["", "07700900001", "Pager", "07700900002"], Some("+447700900001")),
        (["Fax", "07700900001", "", ""], None),
    ] {
        let want = want.map(|number| vec![number.to_owned()]).ok_or((RejectReason::NoNumber, None));
        assert_eq!(validate_cells(&plan, &cells, None), want, "{cells:?}");
    }
}

#[test]
fn an_error_of_a_spreadsheet_takes_the_place_of_one_value() {
    let plan = plan_for_fields(&["phone_number", "whatsapp_id", "firstname"], "GB");
    let row = |cells: [&str; 3], flag: Option<RowFlag>| {
        let mut block = RowBlock::default();
        cells.iter().for_each(|cell| block.push_cell(cell));
        let mut flags = RowFlags::default();
        flag.into_iter().for_each(|flag| flags.add(flag));
        block.end_row(1, flags);
        block
    };
    let phone = Some(ContactField::PhoneNumber);
    for error in ["#REF!", "#N/A", "####"] {
        let one = Ok(vec!["+447700900001".to_owned()]);
        for flag in [None, Some(RowFlag::NoResult)] {
            assert_eq!(validate_cells(&plan, &["07700900001", "", error], flag), one);
            assert_eq!(validate_cells(&plan, &["07700900001", error, ""], flag), one);
            assert_eq!(validate_cells(&plan, &[error, "07700900001", ""], flag), one);
            assert_eq!(validate_cells(&plan, &[error, "", "Ada"], flag), Err((RejectReason::Spreadsheet, phone)));
            let block = row(["07700900001", "", error], flag);
            let name = plan.field_value(ContactField::Attribute(Attribute::Firstname), &block.row(0));
            assert_eq!(name, Some(flag.is_none().then(|| error.to_owned())), "a text stays a text");
        }
    }
}

/// Returns a plan with three telephones: the best fills the phone number, the next one the alternate number.
fn plan_for_telephones() -> RowPlan {
    let pieces = || (0..3).map(|column| ValuePiece::Column { column, part: None }).collect::<Vec<_>>();
    let phone = FieldTarget { pick: PieceChoice::First, ..FieldTarget::new("phone_number", pieces()) };
    let other = FieldTarget { pick: PieceChoice::Other, ..FieldTarget::new("alternate_phone", pieces()) };
    let mapping = Mapping { targets: vec![phone, other], ..Mapping::default() };
    RowPlan::from_mapping(&mapping, 3, &[], Region::gb()).unwrap()
}

#[test]
fn the_first_valid_telephone_is_taken_and_the_next_is_the_alternate_number() {
    let plan = plan_for_telephones();
    let one = "+447700900001";
    for (cells, phone, alternate, spare) in [
        (["07700900001", "", ""], Ok(one), None, vec![]),
        (["", "07700900001", ""], Ok(one), None, vec![]),
        (["", "", "07700900001"], Ok(one), None, vec![]),
        (["n/a", "07700900001", ""], Ok(one), None, vec![(0, UnusedNumber::Invalid)]),
        (["020 7946 0001", "07700900001", ""], Ok(one), Some("020 7946 0001"), vec![]),
        (["020 7946 0001 ext 5", "", "07700900001"], Ok(one), Some("020 7946 0001 ext 5"), vec![]),
        (["#REF!", "07700900001", ""], Ok(one), None, vec![]),
        (["07700900001", "", "07700 900002"], Ok(one), Some("07700 900002"), vec![]),
        (["07700900001", "+44 7700 900001", "07700 900002"], Ok(one), Some("07700 900002"), vec![]),
        (["07700900001", "07700900003", "07700900002"], Ok(one), Some("07700900003"), vec![(2, UnusedNumber::Valid)]),
        (["07700900001/07700900003", "", ""], Ok(one), Some("07700900003"), vec![]),
        (
            ["07700900001; 07700900003\n07700900002", "", ""],
            Ok(one),
            Some("07700900003"),
            vec![(0, UnusedNumber::PartOfCell)],
        ),
        (
            ["n/a", "07700 / 900 001", "x, 07700900003"],
            Ok(one),
            Some("07700900003"),
            vec![(0, UnusedNumber::Invalid), (2, UnusedNumber::PartOfCell)],
        ),
        (["07700900001 ::: 07700900003", "", ""], Ok(one), Some("07700900003"), vec![]),
        (
            ["07700900001", "07700900003", "x, 07700900002, 07700900004"],
            Ok(one),
            Some("07700900003"),
            vec![(2, UnusedNumber::Invalid)],
        ),
        (["", "n/a", ""], Err(RejectReason::NotANumber), None, vec![]),
        (["", "", ""], Err(RejectReason::NoNumber), None, vec![]),
    ] {
        let mut block = RowBlock::default();
        cells.iter().for_each(|cell| block.push_cell(cell));
        block.end_row(1, RowFlags::default());
        let row = block.row(0);
        let numbers = plan.validate_row(&row).map_err(|fault| fault.reason);
        let found = numbers.map(|numbers| numbers.phone.to_phone().unwrap().e164);
        assert_eq!(found.as_deref().map_err(|reason| *reason), phone, "{cells:?}");
        if phone.is_ok() {
            let value = plan.texts[0].read_value(&row).unwrap_or_default();
            assert_eq!(value.as_deref(), alternate, "{cells:?}");
            let mut found = Vec::new();
            plan.visit_unused_numbers(&row, |column, spare| found.push((column, spare)));
            assert_eq!(found, spare, "{cells:?}");
        }
    }
}

fn assert_numbers(plan: &RowPlan, cases: &[(&str, Option<&str>)]) {
    for (cell, want) in cases {
        let found = validate_cells(plan, &[cell], None).ok().map(|found| found.concat());
        assert_eq!(found.as_deref(), *want, "{cell}");
    }
}

#[test]
fn one_of_several_numbers_in_a_cell_is_taken() {
    let plan = plan_for_fields(&["phone_number"], "GB");
    assert_numbers(
        &plan,
        &[
            ("07700 900001 / 020 7946 0001", Some("+447700900001")),
            ("n/a; 07700 900001", Some("+447700900001")),
            ("020 7946 0001; 07700 900001", Some("+447700900001")),
            ("020 7946 0001; 020 7946 0002", Some("+442079460001")),
            ("07700 900001 or none", None),
            ("12, 13", None),
        ],
    );
    let mut block = RowBlock::default();
    block.push_cell("07700 900001 / 020 7946 0001");
    block.end_row(1, RowFlags::default());
    let mut found = Vec::new();
    plan.visit_unused_numbers(&block.row(0), |column, spare| found.push((column, spare)));
    assert_eq!(found, [(0, UnusedNumber::PartOfCell)]);
}

#[test]
fn numbers_with_words_around_them_are_taken() {
    assert_numbers(
        &plan_for_fields(&["phone_number"], "GB"),
        &[
            ("07700 900001 ext 3", Some("+447700900001")),
            ("07700 900001 or 07700 900002", Some("+447700900001")),
            ("020 7946 0001 & 07700 900002", Some("+447700900002")),
            ("07700900001&07700900002", Some("+447700900001")),
            ("Ann: 07700 900001; Bo: 07700 900002", Some("+447700900001")),
            ("011 44 7700 900001", Some("+447700900001")),
            ("++44 7700 900001", Some("+447700900001")),
            ("447700900001@c.us", Some("+447700900001")),
            ("0113 496 0001", Some("+441134960001")),
            ("STOP 07700 900001", Some("+447700900001")),
            ("07700 900001 STOP", Some("+447700900001")),
            ("Ann STOP Lee 07700 900001", None),
            ("Tom & Jerry", None),
        ],
    );
}

#[test]
fn a_placeholder_for_a_missing_value_fills_no_field() {
    let plan = plan_for_fields(&["phone_number", "firstname", "date_of_birth"], "GB");
    let (first, born) = (Attribute::Firstname, Attribute::DateOfBirth);
    let value = |cells: [&str; 3], flag: Option<RowFlag>, attribute| {
        let mut block = RowBlock::default();
        cells.iter().for_each(|cell| block.push_cell(cell));
        let mut flags = RowFlags::default();
        flag.into_iter().for_each(|flag| flags.add(flag));
        block.end_row(1, flags);
        plan.field_value(ContactField::Attribute(attribute), &block.row(0)).flatten()
    };
    let number = "07700900001";
    for text in ["nan", "NaN", "NaT", "<NA>", "NULL", "null", "\\N"] {
        assert_eq!(value([number, text, text], None, first), None, "{text}");
        assert_eq!(value([number, text, text], Some(RowFlag::Exact), first).as_deref(), Some(text));
        assert_eq!(validate_cells(&plan, &[text, "Ada", ""], None), Err((RejectReason::NoNumber, None)), "{text}");
    }
    for text in ["0/0/00", "1950-02-30", "18295", "NaT"] {
        assert_eq!(value([number, "Ada", text], None, born), None, "{text}");
        assert_eq!(value([number, text, ""], None, first).is_some(), text != "NaT", "only where dates belong");
    }
    for name in ["Nan", "Null", "None"] {
        assert_eq!(value([number, name, ""], None, first).as_deref(), Some(name), "people are called so");
    }
}

#[test]
fn a_whole_name_is_read_in_the_order_it_is_written_in() {
    for separator in [" ", ","] {
        let part = |number| CellPart { separator: separator.to_owned(), number, and_rest: number == 2 };
        let (first, last) = if separator == " " { (1, 2) } else { (2, 1) };
        let name = |field: &str, number| {
            FieldTarget::new(field, vec![ValuePiece::Column { column: 1, part: Some(part(number)) }])
        };
        let phone = FieldTarget::new("phone_number", vec![ValuePiece::Column { column: 0, part: None }]);
        let targets = vec![phone, name("firstname", first), name("lastname", last)];
        let mapping = Mapping { targets, ..Mapping::default() };
        let plan = RowPlan::from_mapping(&mapping, 2, &[], Region::gb()).unwrap();
        for (whole, first, last) in [
            ("Ann Lee", "Ann", "Lee"),
            ("Lee, Ann", "Ann", "Lee"),
            ("Lee,Ann Marie", "Ann Marie", "Lee"),
            ("Ann", if separator == " " { "Ann" } else { "" }, if separator == " " { "" } else { "Ann" }),
        ] {
            let mut block = RowBlock::default();
            ["07700900001", whole].iter().for_each(|cell| block.push_cell(cell));
            block.end_row(1, RowFlags::default());
            let value = |attribute| {
                let value = plan.field_value(ContactField::Attribute(attribute), &block.row(0));
                value.flatten().unwrap_or_default()
            };
            let found = (value(Attribute::Firstname), value(Attribute::Lastname));
            assert_eq!((found.0.as_str(), found.1.as_str()), (first, last), "{whole} at {separator:?}");
        }
    }
}

#[test]
fn the_message_of_a_fault_quotes_the_value_in_the_row() {
    let plan = plan_for_fields(&["phone_number", "whatsapp_id", "firstname"], "IT");
    let long = "x".repeat(51);
    for (cells, want) in [
        (["12", "", ""], "“12” is not a valid phone number."),
        (["", "nope", ""], "“nope” is not a valid WhatsApp number."),
        (["669820001", "", ""], "“669820001” is not a valid phone number; with a zero in front it would be."),
        (["#REF!", "", ""], "“#REF!” is what a spreadsheet left of a value."),
        (["0669820001", "", long.as_str()], "The firstname has 51 characters; at most 50 are allowed."),
        (["", "", "Ada"], RejectReason::NoNumber.message()),
    ] {
        let mut block = RowBlock::default();
        cells.iter().for_each(|cell| block.push_cell(cell));
        block.end_row(1, RowFlags::default());
        let row = block.row(0);
        let message = plan.explain_fault(&plan.validate_row(&row).unwrap_err(), &row);
        assert!(message.starts_with(want), "{message}");
    }
}

#[test]
fn words_of_consent_or_any_value_opt_out() {
    for (words, cell, want) in [
        (&["yes"][..], "Yes ", true),
        (&["yes"], "2026-01-07 10:00:00", false),
        (&["*"], "2026-01-07 10:00:00", true),
        (&["*"], " ", false),
    ] {
        let piece = |column| vec![ValuePiece::Column { column, part: None }];
        let consent = ConsentMapping {
            pieces: piece(1),
            between: String::new(),
            words: words.iter().map(|word| (*word).to_owned()).collect(),
            keeps: Vec::new(),
            channels: vec![Channel::Sms],
        };
        let targets = vec![FieldTarget::new("phone_number", piece(0))];
        let mapping = Mapping { targets, consents: vec![consent], ..Mapping::default() };
        let plan = RowPlan::from_mapping(&mapping, 2, &[], Region::gb()).unwrap();
        let mut block = RowBlock::default();
        ["07700900001", cell].iter().for_each(|cell| block.push_cell(cell));
        block.end_row(1, RowFlags::default());
        let (row, mut found) = (block.row(0), Vec::new());
        plan.visit_opt_outs(0, &row, || plan.valid_numbers(&row), |number, _, _| found.push(number.digits()));
        assert_eq!(!found.is_empty(), want, "{words:?} {cell}");
    }
}

#[test]
fn a_lost_zero_is_reported_and_not_guessed() {
    let plan = plan_for_fields(&["phone_number"], "IT");
    assert!(validate_cells(&plan, &["06 6982 0001"], None).is_ok());
    assert_eq!(
        validate_cells(&plan, &["669820001"], None),
        Err((RejectReason::LostZero, Some(ContactField::PhoneNumber)))
    );
}

#[test]
fn every_reason_has_words() {
    for reason in RejectReason::ALL {
        assert!(reason.message().ends_with('.') && reason.message().len() > 20);
    }
}
