//! Tests that every value that may say that somebody opted out is asked about, in files of any size, and no other
//! value.

use roost_sheets::{RowBlock, RowFlags};

use roost_spelling::consent::word_tables;

use super::{super::field_suggestions::suggest_fields, *};
use crate::mapping::columns::{ColumnFacts, ColumnScanner};

/// Names of columns, each with an ordinary value.
const COLUMNS: [(&str, &str); 14] = [
    ("Mobile", "07700 900150"),
    ("Name", "Ann Lee"),
    ("First name", "Ann"),
    ("Last name", "Lee"),
    ("Company", "Acme Ltd"),
    ("Email", "ann@example.com"),
    ("State", "Kent"),
    ("City", "York"),
    ("Address", "12 High Street"),
    ("Postcode", "YO1 7AA"),
    ("Date of birth", "1990-05-14"),
    ("Notes", "Prefers mornings"),
    ("Tags", "vip"),
    ("Status", "new"),
];

/// Returns the columns of ordinary rows: a number, and one more column with this value.
fn ordinary_columns(value: &str, rows: usize) -> ColumnScanner {
    let mut columns = ColumnScanner::default();
    (1..rows).for_each(|row| add_row(&mut columns, row, value));
    columns
}

fn add_row(columns: &mut ColumnScanner, row: usize, value: &str) {
    let mut block = RowBlock::default();
    block.push_cell(&format!("+4477009{row:05}"));
    block.push_cell(value);
    block.end_row(row as u64, RowFlags::default());
    columns.add_block(&block, 0);
}

/// Opens a file with a phone column and one more. Returns its first mapping, and whether a column is asked about.
fn open_file(head: &str, facts: &[ColumnFacts]) -> (OpenMapping, bool) {
    // The second telephone of a person must not take the place of the first.
    let heads = ["Phone".to_owned(), head.to_owned()];
    let mut mapping = OpenMapping::from_suggestions(&suggest_fields(&heads, facts, &[], &[]));
    mapping.assign_full_names(&heads, facts, &[]);
    let is_asked = mapping.unanswered_columns(&heads, facts).next().is_some();
    (mapping, is_asked)
}

/// The ways to mark a value with a word `W`. In those of [`BARE`], only capital letters make the word a mark.
const MARKS: [&str; 12] =
    ["{} (W)", "(W) {}", "{} [W]", "{} - W", "W - {}", "{} – W", "{}, W", "{}; W", "W: {}", "{} | W", "{}\nW", "W"];
const BARE: [&str; 5] = ["{} W", "W {}", "{} / W", "{} W 3/3/24", "{} W-2024"];

fn mark_value(mark: &str, value: &str, word: &str) -> String {
    mark.replace('W', word).replace("{}", value)
}

fn split_words(words: &'static str) -> impl Iterator<Item = &'static str> + Clone {
    words.split(", ")
}

fn check_is_asked(head: &str, ordinary: &ColumnScanner, rows: usize, cell: &str) {
    let mut columns = ordinary.clone();
    add_row(&mut columns, rows, cell);
    let facts = columns.to_facts();
    let (mut mapping, is_asked) = open_file(head, &facts);
    assert!(is_asked, "{cell:?} in {head}, {rows} rows");
    // The question is asked again even if the mapping of another file answered it.
    (mapping.named, mapping.left_out) = (vec![1], vec![1]);
    mapping.ask_again(&["Phone".to_owned(), head.to_owned()], &facts);
    assert!(mapping.named.is_empty() && mapping.left_out.is_empty(), "{cell:?} in {head}");
}

/// Checks a value with each word in each way of marking.
fn check_words(head: &str, value: &str, rows: usize, sure: &[&str], doubtful: &[&str]) {
    let ordinary = ordinary_columns(value, rows);
    let check = |cell: &str| check_is_asked(head, &ordinary, rows, cell);
    for mark in MARKS.into_iter().chain(BARE) {
        for word in sure.iter().chain(doubtful) {
            check(&mark_value(mark, value, &word.to_uppercase()));
        }
        for word in sure.iter().chain(doubtful.iter().filter(|_| !BARE.contains(&mark))) {
            check(&mark_value(mark, value, word));
        }
    }
}

#[test]
fn whatever_marks_a_value_is_asked_about() {
    for (head, value) in COLUMNS {
        for rows in [1, 101, 1_000] {
            check_words(head, value, rows, &["opted out", "do not contact", "unsubscribed"], &["stop", "dnc"]);
        }
    }
    let (sure, doubtful) =
        (split_words(word_tables::SURE).collect::<Vec<_>>(), split_words(word_tables::DOUBTFUL).collect::<Vec<_>>());
    for (head, value) in [("Notes", "Prefers mornings"), ("Mobile", "07700 900150")] {
        check_words(head, value, 101, &sure, &doubtful);
    }
}

#[test]
fn any_word_beside_a_number_is_asked_about() {
    let ordinary = ordinary_columns("07700 900150", 101);
    for mark in MARKS.into_iter().filter(|mark| mark.contains("{}")).chain(BARE) {
        for word in split_words(word_tables::DOUBTFUL).chain(split_words(word_tables::OF_CONSENT)).chain(["said stop"])
        {
            check_is_asked("Mobile", &ordinary, 101, &mark_value(mark, "07700 900150", word));
        }
    }
}

#[test]
fn ordinary_values_are_not_asked_about() {
    for (head, value) in COLUMNS {
        for rows in [2, 101, 1_000] {
            assert!(!open_file(head, &ordinary_columns(value, rows).to_facts()).1, "{value:?} in {head}, {rows} rows");
        }
    }
    for (head, ordinary_value, value, rows) in [
        ("Last name", "Lee", "Stop", 41),
        ("Last name", "LEE", "Stop", 1_000),
        ("Name", "Ann Lee", "Ann Stop", 3),
        ("Company", "Acme", "Stop & Shop", 3),
        ("Company", "Acme", "Coffee Stop", 3),
        ("City", "York", "Stopham", 3),
        ("Address", "1 High Street", "Bus stop, High Street", 3),
        ("Email", "ann@example.com", "stop@shop.example", 3),
        ("Email", "ann@example.com", "unsubscribe@shop.example", 3),
        ("Notes", "None", "She asked me to stop by on Monday", 3),
        ("Notes", "None", "Has not opted out", 3),
        ("Link", "none", "https://shop.example/unsubscribe", 3),
        ("Place", "Town hall", "Bus stop", 3),
        ("Order status", "Paid", "Stopped", 3),
        ("Status", "delivered", "bounced", 3),
        ("Order", "Order 1234567", "Order 1234567 cancelled", 3),
    ] {
        let mut columns = ordinary_columns(ordinary_value, rows);
        add_row(&mut columns, rows, value);
        assert!(!open_file(head, &columns.to_facts()).1, "{value:?} in {head}, {rows} rows");
    }
}

#[test]
fn a_surname_in_few_rows_is_asked_about() {
    let mut columns = ordinary_columns("Lee", 5);
    add_row(&mut columns, 5, "Stop");
    assert!(open_file("Last name", &columns.to_facts()).1);
}

#[test]
fn yes_and_no_are_not_numbers() {
    for head in ["WhatsApp", "SMS", "Phone 2"] {
        let mut columns = ordinary_columns("yes", 3);
        add_row(&mut columns, 3, "no");
        let (mapping, is_asked) = open_file(head, &columns.to_facts());
        assert_eq!((mapping.uses_column(1), is_asked), (false, head != "Phone 2"), "{head}");
    }
}

/// Returns the facts of a column that has each value in so many rows.
fn column_facts(values: &[(&str, u32)]) -> ColumnFacts {
    let mut columns = ColumnScanner::default();
    for (value, rows) in values {
        (0..*rows).for_each(|row| add_row(&mut columns, row as usize, value));
    }
    columns.to_facts().swap_remove(1)
}

fn consent_with_words(words: &[&str], keeps: &[&str]) -> ConsentMapping<u32> {
    let owned = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
    ConsentMapping { words: owned(words), keeps: owned(keeps), ..ConsentMapping::default() }
}

#[test]
fn every_value_is_named_or_known() {
    let accepts = &[("yes", 3), ("no", 2), ("", 1)][..];
    let many = &[("no", 2), ("No thanks", 1), ("N", 1), ("never", 1), ("0", 2), ("yes", 3), ("Yes - by phone", 1)][..];
    let opted = &[("yes", 1), ("no", 2), ("2024-03-03", 1), ("opted out 3/3/24", 1)][..];
    let answers = &[("yes", 1), ("no", 2), ("STOP", 1), ("asked to stop 12/03", 1)][..];
    for (name, values, words, keeps, want) in [
        ("Accepts SMS", accepts, &["\"\""][..], &[][..], Some("\"\",no")),
        ("Accepts SMS", accepts, &["no"], &[], None),
        ("Accepts SMS", accepts, &["no", "\"\""], &[], None),
        ("Accepts SMS", accepts, &["yes"], &[], Some("no")),
        ("Accepts SMS", accepts, &["*"], &["yes"], None),
        ("Opt out", &[("yes", 1), ("no", 2)], &["no"], &[], Some("yes")),
        ("Opt out", &[("no", 2)], &["no"], &[], Some("yes")),
        ("Accepts SMS", many, &["no"], &[], Some("no,0,n,no thanks,yes - by phone,never")),
        ("Accepts SMS", many, &["no", "0", "n", "never", "no thanks"], &["Yes - by phone"], None),
        ("Accepts SMS", many, &["no", "0", "n"], &["*"], None),
        ("Accepts SMS", many, &["no"], &["*"], Some("no,0,n")),
        ("Opt out", opted, &["yes"], &[], Some("yes,2024-03-03,opted out")),
        ("Opt out", opted, &["*"], &["no"], None),
        ("Unsubscribed?", answers, &["yes"], &[], Some("yes,stop,asked to stop 12/03")),
        ("Unsubscribed?", answers, &["yes", "stop"], &[], Some("yes,stop,asked to stop 12/03")),
        ("Unsubscribed?", answers, &["yes", "stop"], &["asked to stop 12/03"], None),
        ("Unsubscribed?", answers, &["yes", "stop", "asked to stop 12/03"], &[], None),
        ("Unsubscribed?", &[("vip, unsubscribed", 1), ("no", 1)], &["unsubscribed"], &[], None),
        (
            "Status",
            &[("unsubscribed", 1), ("active", 3), ("Stop", 1)],
            &["unsubscribed"],
            &[],
            Some("unsubscribed,stop"),
        ),
        ("Status", &[("unsubscribed", 1), ("gone", 1)], &["active"], &[], Some("active,gone,unsubscribed")),
        ("Tags", &[("vip, unsubscribed", 1), ("vip", 3)], &["unsubscribed"], &[], None),
        ("Tags", &[("vip stop", 1), ("vip", 3)], &["unsubscribed"], &[], Some("unsubscribed,stop")),
        ("Notes", &[("Bus stop", 1), ("opted out", 3)], &["opted out"], &[], None),
        ("Reply", &[("yes", 1), ("perhaps", 3)], &[], &[], Some("yes,perhaps")),
        ("Accepts SMS", accepts, &[], &[], None),
        ("Accepts SMS", many, &[], &["yes - by phone"], Some("no,n,0,no thanks,never")),
        ("Reason", &[("no, thanks", 1), ("STOP, please", 1), ("", 3)], &["no, thanks", "STOP, please"], &[], None),
        ("Mobile", &[("07700900001 (DNC)", 1), ("07700900002 removed", 1)], &["dnc"], &[], Some("dnc,removed")),
    ] {
        let facts = column_facts(values);
        let mut mapping = OpenMapping::default();
        let owned = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
        mapping.assign_consent(name, 0, owned(words), owned(keeps), &facts);
        let open = find_unanswered(name, &mapping.consents[0], &facts);
        let found = open.as_ref().map(|open| open.words.join(","));
        assert_eq!(found.as_deref(), want, "{name} {words:?} {keeps:?}: {open:?}");
    }
}

#[test]
fn a_value_that_opts_out_when_it_is_named_is_one_that_is_asked_about() {
    for (cell, word) in [
        ("07700900001 STOP", "stop"),
        ("Ann Lee - Opted out", "opted out"),
        ("Ann Lee OPTED-OUT", "opted-out"),
        ("vip; sms_optout", "optout"),
        ("I asked them to stop by on Monday evening, STOP", "stop"),
        ("STOP, please", "STOP, please"),
    ] {
        assert!(OptOutWords::from_consent(&consent_with_words(&[word], &[])).opts_out(cell), "{cell}");
        assert!(OptOutWords::from_consent(&consent_with_words(&[word], &[cell])).opts_out(cell), "{cell}");
        assert!(!OptOutWords::from_consent(&consent_with_words(&["*"], &[cell])).opts_out(cell), "{cell}");
    }
    assert!(!OptOutWords::from_consent(&consent_with_words(&["no"], &[])).opts_out("no way"));
    // A value that is too long to show is named by its shown beginning.
    let (long, other) = ("Left us. ".repeat(20), "Came back. ".repeat(20));
    let facts = column_facts(&[(long.as_str(), 1), (other.as_str(), 1), ("no", 2)]);
    let shown: Vec<&str> =
        facts.values.iter().map(|value| value.text.as_str()).filter(|text| text.ends_with('…')).collect();
    let consent = consent_with_words(&shown[1..], &shown[..1]);
    assert_eq!((shown.len(), find_unanswered("Opt out", &consent, &facts)), (2, None));
    assert_eq!([&long, &other].map(|value| OptOutWords::from_consent(&consent).opts_out(value)), [true, false]);
}

#[test]
fn the_suggested_values_answer_the_consent_question() {
    for (name, values, want) in [
        ("Accepts SMS", &[("yes", 3), ("no", 2), ("", 1)][..], "no"),
        ("Accepts SMS", &[("yes", 3), ("", 1)], "\"\""),
        ("Opt out", &[("x", 1), ("", 4)], "x"),
        ("Unsubscribed at", &[("2024-01-02", 1), ("2024-01-03", 1), ("", 3)], "*"),
        ("Tags", &[("vip, STOP", 1), ("vip", 3)], "stop"),
        ("Tags", &[("vip stop", 1), ("vip", 3)], "stop"),
        ("Status", &[("active", 1)], ""),
    ] {
        let facts = column_facts(values);
        let words = suggest_words(name, &facts);
        assert_eq!(words.join(","), want, "{name}");
        let consent = ConsentMapping { words, ..ConsentMapping::default() };
        assert_eq!(find_unanswered(name, &consent, &facts), None, "{name}");
    }
}
