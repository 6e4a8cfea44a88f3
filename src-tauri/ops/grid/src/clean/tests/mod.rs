//! Tests the suggestions of a list: each kind is found, shown and fixed in one step.

mod model;
mod size;

use std::{collections::BTreeMap, time::Duration};

use roost_model::{id::ContactId, intervals::RowIntervals, page::PageRequest};
use roost_store::tables::contacts::{grid::drafts, list_view};
use serde_json::Value;

use super::{CleanEvidence, CleanKind, CleanRow, CleanStatus, CleanSuggestion, CleanSummary};
use roost_ops::{
    contact,
    error::{Error, Result},
    history,
};

use crate::grid::tests::{GridAccount, me};

pub(super) const PAGE: PageRequest = PageRequest { number: 1, size: 1_000 };

pub(super) fn wait_until_done(account: &GridAccount, id: u64) -> CleanStatus {
    loop {
        let state = account.core.clean().read_status(&account.core, id, Duration::from_secs(5)).unwrap();
        if !state.progress.is_working {
            return state;
        }
    }
}

pub(super) fn open(account: &GridAccount) -> u64 {
    let id = account.core.clean().open(&account.core, &account.list).unwrap();
    assert_eq!(wait_until_done(account, id).progress.fault, None);
    id
}

pub(super) fn suggestions(account: &GridAccount, id: u64) -> Vec<CleanSuggestion> {
    account.core.clean().read_page(&account.core, id, PAGE, false).unwrap().items
}

fn find_suggestion(account: &GridAccount, id: u64, kind: CleanKind, field: &str) -> CleanSuggestion {
    let all = suggestions(account, id);
    all.iter().find(|one| one.kind == kind && one.field == field).unwrap_or_else(|| panic!("{all:#?}")).clone()
}

pub(super) fn apply_all(account: &GridAccount, id: u64, suggestion: u64) -> Result<CleanSummary> {
    account.core.clean().apply(&account.core, &me(), id, suggestion, None, None)
}

pub(super) fn read_rows(account: &GridAccount, id: u64, suggestion: u64) -> Vec<CleanRow> {
    account.core.clean().read_rows(&account.core, id, suggestion, PAGE).unwrap().items
}

/// Returns the text before and after the fix in the first cell of each row.
fn first_cells(rows: &[CleanRow]) -> Vec<(&str, Option<&str>)> {
    rows.iter().map(|row| (row.cells[0].before.as_deref().unwrap_or(""), row.cells[0].after.as_deref())).collect()
}

/// Returns every contact with its drafts.
pub(super) fn read_contacts(account: &GridAccount) -> BTreeMap<String, Value> {
    let query = contact::TableQuery {
        list: account.list.clone(),
        which: contact::ContactFilter::default(),
        sort: None,
        page: PageRequest { number: 1, size: 100_000 },
    };
    let cards = contact::read_table_page(&account.core, &query).unwrap().items;
    let with_drafts = |card: &contact::ContactCard| {
        let typed = account.core.read(|tx| {
            let id = list_view::row_of(tx, &card.uid)?.unwrap();
            Ok(drafts::read_drafts(tx, &[id])?.remove(&id).unwrap_or_default())
        });
        let mut typed = typed.unwrap();
        typed.sort();
        (card.uid.to_string(), serde_json::json!([card, typed]))
    };
    cards.iter().map(with_drafts).collect()
}

pub(super) fn read_value(account: &GridAccount, uid: &ContactId, field: &str) -> Option<String> {
    contact::get(&account.core, uid).unwrap().values.get(field).cloned()
}

pub(super) fn put_draft(account: &GridAccount, uid: &ContactId, field: &str, text: &str) {
    account.write_step(|tx| {
        let id = list_view::row_of(tx, uid).unwrap().unwrap();
        drafts::set_draft(tx, id, field, Some(text)).unwrap();
    });
}

#[test]
fn readable_numbers_are_corrected_and_numbers_with_lost_digits_flagged() {
    let account = GridAccount::new();
    let add = |number, text| account.add_contact(number, &[("alternate_phone", text)]);
    let zero = add(1, "7700900001");
    let whole_ = add(2, "4.47700900002E+11");
    let lost = add(3, "4.47E+11");
    let spelled = add(4, "(07700) 900 004");
    let none = add(5, "0770");
    add(6, "ask the office");
    add(7, "+447700900007");
    put_draft(&account, &none, "phone_number", "'07700 900099");
    put_draft(&account, &zero, "phone_number", "4.47E+11");
    put_draft(&account, &lost, "whatsapp_id", "rubbish");
    let id = open(&account);
    let field = "alternate_phone";
    for (kind, field, uid, after) in [
        (CleanKind::LostZero, field, &zero, Some("+447700900001")),
        (CleanKind::Scientific, field, &whole_, Some("+447700900002")),
        (CleanKind::DigitsLost, field, &lost, None),
        (CleanKind::NotE164, field, &spelled, Some("+447700900004")),
        (CleanKind::NotANumber, field, &none, None),
        (CleanKind::NotE164, "phone_number", &none, Some("+447700900099")),
        (CleanKind::DigitsLost, "phone_number", &zero, None),
        (CleanKind::NotANumber, "whatsapp_id", &lost, None),
    ] {
        let one = find_suggestion(&account, id, kind, field);
        assert_eq!((one.rows, one.can_mend, &one.sample[0].uid), (1, after.is_some(), uid), "{kind:?}");
        assert_eq!(one.sample[0].cells[0].after.as_deref(), after);
        let evidence = after.map(|_| CleanEvidence::ReadIn("GB".to_owned()));
        assert_eq!(one.sample[0].evidence, evidence);
        if after.is_none() {
            let before = read_contacts(&account);
            let error = apply_all(&account, id, one.suggestion).unwrap_err();
            assert!(matches!(error, Error::Invalid { .. }) && error.to_string().contains("is unknown"), "{error}");
            assert_eq!(read_contacts(&account), before, "never guessed");
        }
    }
    assert_eq!(suggestions(&account, id).len(), 8);
    let number = find_suggestion(&account, id, CleanKind::NotE164, "phone_number");
    let before = read_contacts(&account);
    assert_eq!(apply_all(&account, id, number.suggestion).unwrap().rows, 1);
    assert_eq!(
        read_value(&account, &none, "phone_number").as_deref(),
        Some("+447700900099"),
        "the draft became the number"
    );
    assert!(!wait_until_done(&account, id).progress.is_stale);
    history::undo(&account.core, &me()).unwrap();
    assert_eq!(read_contacts(&account), before, "the draft is back");
}

#[test]
fn texts_of_other_fields_are_looked_at_for_what_spreadsheets_did() {
    let account = GridAccount::new();
    account.add_contact(1, &[("field_1", "1.23457E+11"), ("company_name", "1.23456E+5")]);
    for n in 0..30 {
        account.add_contact(n + 2, &[("zip", if n % 3 == 0 { "02139" } else { "10001" }), ("country", "US")]);
    }
    let short = account.add_contact(99, &[("zip", "2134"), ("country", "US")]);
    let id = open(&account);
    assert_eq!(
        first_cells(&find_suggestion(&account, id, CleanKind::DigitsLost, "field_1").sample),
        [("1.23457E+11", None)]
    );
    let company = find_suggestion(&account, id, CleanKind::Scientific, "company_name");
    assert_eq!(first_cells(&company.sample), [("1.23456E+5", Some("123456"))]);
    let zip = find_suggestion(&account, id, CleanKind::LostZero, "zip");
    apply_all(&account, id, zip.suggestion).unwrap();
    assert_eq!(read_value(&account, &short, "zip").as_deref(), Some("02134"));
}

#[test]
fn swapped_names_are_recognized_by_the_names_of_others() {
    let account = GridAccount::new();
    let add = |number, first, last| account.add_contact(number, &[("firstname", first), ("lastname", last)]);
    for n in 0..5 {
        add(n, "Ada", "Byron");
        add(n + 10, "Grace", "Lovelace");
    }
    let swapped = add(20, "Lovelace", "Ada");
    let id = open(&account);
    let suggestion = find_suggestion(&account, id, CleanKind::SwappedNames, "firstname");
    assert_eq!((suggestion.rows, suggestion.sample[0].cells.len()), (1, 2));
    let Some(CleanEvidence::Names(counts)) = &suggestion.sample[0].evidence else { panic!("{suggestion:?}") };
    assert_eq!((counts.first_as_last, counts.last_as_first, counts.first_as_first), (5, 5, 0));
    apply_all(&account, id, suggestion.suggestion).unwrap();
    let name = ["firstname", "lastname"].map(|field| read_value(&account, &swapped, field).unwrap());
    assert_eq!(name, ["Ada", "Lovelace"]);
    assert_eq!(apply_all(&account, id, suggestion.suggestion).unwrap(), CleanSummary::default(), "and not back again");
}

#[test]
fn a_number_of_another_region_than_its_country_is_flagged() {
    let account = GridAccount::new();
    for n in 0..25 {
        account.add_contact(n, &[("country", "United Kingdom")]);
    }
    let values = [("phone_number", Some("+12025550123")), ("country", Some("United Kingdom"))];
    let values = values.map(|(name, text)| (name.to_owned(), text.map(str::to_owned))).into_iter().collect();
    let other = contact::add(&account.core, &me(), &account.list, &values, Some("GB")).unwrap().uid;
    let id = open(&account);
    let suggestion = find_suggestion(&account, id, CleanKind::RegionMismatch, "country");
    assert_eq!((suggestion.rows, &suggestion.sample[0].uid, suggestion.can_mend), (1, &other, false));
    assert_eq!(suggestion.sample[0].evidence, Some(CleanEvidence::UsualRegion("GB".to_owned())));
}

#[test]
fn slips_in_email_addresses_are_corrected_and_invalid_addresses_are_flagged() {
    let account = GridAccount::new();
    let slip = account.add_contact(1, &[("email_address", "Ada@gmial.com")]);
    let none = account.add_contact(2, &[("email_address", "bo@example.com")]);
    put_draft(&account, &none, "email_address", "bo at example");
    let twice = account.add_contact(3, &[]);
    put_draft(&account, &twice, "email_address", "cy@@example.com");
    let id = open(&account);
    let flagged = find_suggestion(&account, id, CleanKind::NotAnEmail, "email_address");
    assert_eq!((first_cells(&flagged.sample), flagged.can_mend), (vec![("bo at example", None)], false));
    let slips = find_suggestion(&account, id, CleanKind::EmailSlip, "email_address");
    assert_eq!(apply_all(&account, id, slips.suggestion).unwrap().rows, 2);
    assert_eq!(read_value(&account, &slip, "email_address").as_deref(), Some("Ada@gmail.com"));
    assert_eq!(read_value(&account, &twice, "email_address").as_deref(), Some("cy@example.com"));
}

#[test]
fn a_date_of_birth_that_no_calendar_has_is_flagged() {
    let account = GridAccount::new();
    for (n, date) in ["1979-13-40", "31/02/1990", "1950-02-01", "01/02/1950", "May 1950"].into_iter().enumerate() {
        account.add_contact(n as u32, &[("date_of_birth", date)]);
    }
    let id = open(&account);
    let found = find_suggestion(&account, id, CleanKind::ImpossibleDate, "date_of_birth");
    assert_eq!((found.rows, found.can_mend), (2, false));
    let mut cells = first_cells(&found.sample);
    cells.sort_unstable();
    assert_eq!(cells, [("1979-13-40", None), ("31/02/1990", None)]);
}

#[test]
fn letters_and_spaces_are_corrected_with_a_preview_and_in_one_step() {
    let account = GridAccount::new();
    for (n, name) in ["McKay", "McKay", "MCKAY", "smith", "JONES", "Jo", "  Ada  King ", "Аda", "O\u{200b}Neill"]
        .into_iter()
        .enumerate()
    {
        account.core.ctx().advance(1);
        account.add_contact(n as u32, &[("lastname", name)]);
    }
    let id = open(&account);
    let clean = account.core.clean();
    let heads: Vec<_> = suggestions(&account, id).into_iter().map(|one| (one.kind, one.rows)).collect();
    assert_eq!(
        heads,
        [(CleanKind::LetterCase, 3), (CleanKind::WhiteSpace, 2), (CleanKind::LookAlike, 1)],
        "the biggest first"
    );
    let case = find_suggestion(&account, id, CleanKind::LetterCase, "lastname");
    let wanted = [("MCKAY", Some("McKay")), ("smith", Some("Smith")), ("JONES", Some("Jones"))];
    assert_eq!(first_cells(&read_rows(&account, id, case.suggestion)), wanted);
    let before = read_contacts(&account);
    let preview = clean.preview(&account.core, &me(), id, case.suggestion, None, None).unwrap();
    assert_eq!((preview.matched, preview.rows, preview.cells, preview.step), (3, 3, 3, None));
    assert_eq!(first_cells(&preview.preview_rows), wanted);
    assert_eq!(read_contacts(&account), before, "a preview writes nothing");

    // Fix a selected row first; the remaining rows then have other positions.
    let second = RowIntervals::single_row(1);
    let part = clean.apply(&account.core, &me(), id, case.suggestion, Some(0), Some(&second)).unwrap();
    assert_eq!((part.matched, part.rows), (1, 1));
    let again = clean.apply(&account.core, &me(), id, case.suggestion, Some(0), Some(&second)).unwrap_err();
    assert!(again.to_string().contains("have moved"), "{again}");
    let rest = find_suggestion(&account, id, CleanKind::LetterCase, "lastname");
    assert_eq!((rest.rows, rest.generation, rest.mended), (2, 1, 1));
    assert_eq!(first_cells(&rest.sample), [wanted[0], wanted[2]]);
    assert_eq!(apply_all(&account, id, case.suggestion).unwrap().rows, 2);
    let step = history::read_undo_status(&account.core).unwrap().undo.unwrap();
    assert_eq!((step.act.as_str(), step.count, step.subject.as_deref()), ("clean_letter_case", 2, Some("Everybody")));
    history::undo(&account.core, &me()).unwrap();
    history::undo(&account.core, &me()).unwrap();
    assert_eq!(read_contacts(&account), before);

    let state = wait_until_done(&account, id);
    assert!(state.progress.is_stale && state.fixed == 3, "{state:?}");
    clean.set_skipped(id, find_suggestion(&account, id, CleanKind::LookAlike, "lastname").suggestion, true).unwrap();
    clean.refresh(&account.core, id).unwrap();
    let state = wait_until_done(&account, id);
    assert_eq!((state.suggestions, state.skipped, state.effect), (2, 1, 5), "skipped for as long as it is open");
    assert!(clean.apply(&account.core, &me(), id, case.suggestion, None, None).is_err(), "its number is another now");
    let skipped = clean.read_page(&account.core, id, PAGE, true).unwrap().items;
    assert_eq!(skipped[0].kind, CleanKind::LookAlike);
    clean.close(id);
    assert!(clean.read_page(&account.core, id, PAGE, false).is_err());
}

#[test]
fn what_changed_meanwhile_is_judged_again() {
    let account = GridAccount::new();
    let uids: Vec<ContactId> = (0..3).map(|n| account.add_contact(n, &[("city", "LONDON")])).collect();
    let id = open(&account);
    let case = find_suggestion(&account, id, CleanKind::LetterCase, "city");
    account.set_field(&uids[0], "city", Some("Leeds"));
    contact::delete(&account.core, &me(), &uids[1]).unwrap();
    assert!(wait_until_done(&account, id).progress.is_stale);
    let shown = read_rows(&account, id, case.suggestion);
    assert_eq!(shown.len(), 2, "gone is gone");
    assert!(shown.iter().find(|row| row.uid == uids[0]).unwrap().cells.is_empty(), "nothing wrong any more");
    let summary = apply_all(&account, id, case.suggestion).unwrap();
    assert_eq!((summary.matched, summary.rows), (3, 1));
    assert_eq!(read_value(&account, &uids[0], "city").as_deref(), Some("Leeds"));
    assert_eq!(read_value(&account, &uids[2], "city").as_deref(), Some("London"));
}
