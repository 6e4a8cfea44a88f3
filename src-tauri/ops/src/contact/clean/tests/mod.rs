//! Tests the suggestions of a list: each kind is found, shown and fixed in one step.

mod model;
mod size;

use std::{collections::BTreeMap, time::Duration};

use roost_model::{id::ContactId, intervals::Intervals, page::PageRequest};
use roost_store::tables::contacts::{grid::drafts, view};
use serde_json::Value;

use super::{CleanEvidence, CleanKind, CleanRow, CleanSuggestion, Mended, State};
use crate::{
    contact,
    error::{Error, Result},
    grid::tests::{Account, me},
    history,
};

pub(super) const PAGE: PageRequest = PageRequest { number: 1, size: 1_000 };

pub(super) fn done(account: &Account, id: u64) -> State {
    loop {
        let state = account.core.clean().state(&account.core, id, Duration::from_secs(5)).unwrap();
        if !state.progress.is_working {
            return state;
        }
    }
}

pub(super) fn open(account: &Account) -> u64 {
    let id = account.core.clean().open(&account.core, &account.list).unwrap();
    assert_eq!(done(account, id).progress.fault, None);
    id
}

pub(super) fn suggestions(account: &Account, id: u64) -> Vec<CleanSuggestion> {
    account.core.clean().page(&account.core, id, PAGE, false).unwrap().items
}

fn one(account: &Account, id: u64, kind: CleanKind, field: &str) -> CleanSuggestion {
    let all = suggestions(account, id);
    all.iter().find(|one| one.kind == kind && one.field == field).unwrap_or_else(|| panic!("{all:#?}")).clone()
}

pub(super) fn apply(account: &Account, id: u64, suggestion: u64) -> Result<Mended> {
    account.core.clean().apply(&account.core, &me(), id, suggestion, None, None)
}

pub(super) fn rows(account: &Account, id: u64, suggestion: u64) -> Vec<CleanRow> {
    account.core.clean().rows(&account.core, id, suggestion, PAGE).unwrap().items
}

/// Returns the text before and after the fix in the first cell of each row.
fn told(rows: &[CleanRow]) -> Vec<(&str, Option<&str>)> {
    rows.iter().map(|row| (row.cells[0].before.as_deref().unwrap_or(""), row.cells[0].after.as_deref())).collect()
}

/// Returns every contact with its drafts.
pub(super) fn whole(account: &Account) -> BTreeMap<String, Value> {
    let query = contact::TableQuery {
        list: account.list.clone(),
        which: contact::Which::default(),
        sort: None,
        page: PageRequest { number: 1, size: 100_000 },
    };
    let cards = contact::page(&account.core, &query).unwrap().items;
    let with_drafts = |card: &contact::ContactCard| {
        let typed = account.core.read(|tx| {
            let id = view::row_of(tx, &card.uid)?.unwrap();
            Ok(drafts::of(tx, &[id])?.remove(&id).unwrap_or_default())
        });
        let mut typed = typed.unwrap();
        typed.sort();
        (card.uid.to_string(), serde_json::json!([card, typed]))
    };
    cards.iter().map(with_drafts).collect()
}

pub(super) fn value(account: &Account, uid: &ContactId, field: &str) -> Option<String> {
    contact::get(&account.core, uid).unwrap().values.get(field).cloned()
}

pub(super) fn draft(account: &Account, uid: &ContactId, field: &str, text: &str) {
    account.act(|tx| {
        let id = view::row_of(tx, uid).unwrap().unwrap();
        drafts::put(tx, id, field, Some(text)).unwrap();
    });
}

#[test]
fn numbers_are_mended_where_they_can_be_read_and_flagged_where_digits_are_gone() {
    let account = Account::new();
    let add = |number, text| account.add(number, &[("alternate_phone", text)]);
    let zero = add(1, "7700900001");
    let whole_ = add(2, "4.47700900002E+11");
    let lost = add(3, "4.47E+11");
    let spelled = add(4, "(07700) 900 004");
    let none = add(5, "0770");
    add(6, "ask the office");
    add(7, "+447700900007");
    draft(&account, &none, "phone_number", "'07700 900099");
    draft(&account, &zero, "phone_number", "4.47E+11");
    draft(&account, &lost, "whatsapp_id", "rubbish");
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
        let one = one(&account, id, kind, field);
        assert_eq!((one.rows, one.can_mend, &one.sample[0].uid), (1, after.is_some(), uid), "{kind:?}");
        assert_eq!(one.sample[0].cells[0].after.as_deref(), after);
        let evidence = after.map(|_| CleanEvidence::ReadIn("GB".to_owned()));
        assert_eq!(one.sample[0].evidence, evidence);
        if after.is_none() {
            let before = whole(&account);
            let told = apply(&account, id, one.suggestion).unwrap_err();
            assert!(matches!(told, Error::Invalid { .. }) && told.to_string().contains("Nobody knows"), "{told}");
            assert_eq!(whole(&account), before, "never guessed");
        }
    }
    assert_eq!(suggestions(&account, id).len(), 8);
    let number = one(&account, id, CleanKind::NotE164, "phone_number");
    let before = whole(&account);
    assert_eq!(apply(&account, id, number.suggestion).unwrap().rows, 1);
    assert_eq!(value(&account, &none, "phone_number").as_deref(), Some("+447700900099"), "the draft became the number");
    assert!(!done(&account, id).progress.is_stale);
    history::undo(&account.core, &me()).unwrap();
    assert_eq!(whole(&account), before, "the draft is back");
}

#[test]
fn texts_of_other_fields_are_looked_at_for_what_spreadsheets_did() {
    let account = Account::new();
    account.add(1, &[("field_1", "1.23457E+11"), ("company_name", "1.23456E+5")]);
    for n in 0..30 {
        account.add(n + 2, &[("zip", if n % 3 == 0 { "02139" } else { "10001" }), ("country", "US")]);
    }
    let short = account.add(99, &[("zip", "2134"), ("country", "US")]);
    let id = open(&account);
    assert_eq!(told(&one(&account, id, CleanKind::DigitsLost, "field_1").sample), [("1.23457E+11", None)]);
    let company = one(&account, id, CleanKind::Scientific, "company_name");
    assert_eq!(told(&company.sample), [("1.23456E+5", Some("123456"))]);
    let zip = one(&account, id, CleanKind::LostZero, "zip");
    apply(&account, id, zip.suggestion).unwrap();
    assert_eq!(value(&account, &short, "zip").as_deref(), Some("02134"));
}

#[test]
fn names_in_each_others_place_are_told_by_the_names_of_others() {
    let account = Account::new();
    let add = |number, first, last| account.add(number, &[("firstname", first), ("lastname", last)]);
    for n in 0..5 {
        add(n, "Ada", "Byron");
        add(n + 10, "Grace", "Lovelace");
    }
    let swapped = add(20, "Lovelace", "Ada");
    let id = open(&account);
    let suggestion = one(&account, id, CleanKind::SwappedNames, "firstname");
    assert_eq!((suggestion.rows, suggestion.sample[0].cells.len()), (1, 2));
    let Some(CleanEvidence::Names(counts)) = &suggestion.sample[0].evidence else { panic!("{suggestion:?}") };
    assert_eq!((counts.first_as_last, counts.last_as_first, counts.first_as_first), (5, 5, 0));
    apply(&account, id, suggestion.suggestion).unwrap();
    let name = ["firstname", "lastname"].map(|field| value(&account, &swapped, field).unwrap());
    assert_eq!(name, ["Ada", "Lovelace"]);
    assert_eq!(apply(&account, id, suggestion.suggestion).unwrap(), Mended::default(), "and not back again");
}

#[test]
fn a_number_of_another_region_than_its_country_is_flagged() {
    let account = Account::new();
    for n in 0..25 {
        account.add(n, &[("country", "United Kingdom")]);
    }
    let values = [("phone_number", Some("+12025550123")), ("country", Some("United Kingdom"))];
    let values = values.map(|(name, text)| (name.to_owned(), text.map(str::to_owned))).into_iter().collect();
    let other = contact::add(&account.core, &me(), &account.list, &values, Some("GB")).unwrap().uid;
    let id = open(&account);
    let suggestion = one(&account, id, CleanKind::RegionMismatch, "country");
    assert_eq!((suggestion.rows, &suggestion.sample[0].uid, suggestion.can_mend), (1, &other, false));
    assert_eq!(suggestion.sample[0].evidence, Some(CleanEvidence::UsualRegion("GB".to_owned())));
}

#[test]
fn slips_in_addresses_are_corrected_and_what_is_none_is_flagged() {
    let account = Account::new();
    let slip = account.add(1, &[("email_address", "Ada@gmial.com")]);
    let none = account.add(2, &[("email_address", "bo@example.com")]);
    draft(&account, &none, "email_address", "bo at example");
    let twice = account.add(3, &[]);
    draft(&account, &twice, "email_address", "cy@@example.com");
    let id = open(&account);
    let flagged = one(&account, id, CleanKind::NotAnEmail, "email_address");
    assert_eq!((told(&flagged.sample), flagged.can_mend), (vec![("bo at example", None)], false));
    let slips = one(&account, id, CleanKind::EmailSlip, "email_address");
    assert_eq!(apply(&account, id, slips.suggestion).unwrap().rows, 2);
    assert_eq!(value(&account, &slip, "email_address").as_deref(), Some("Ada@gmail.com"));
    assert_eq!(value(&account, &twice, "email_address").as_deref(), Some("cy@example.com"));
}

#[test]
fn letters_and_blanks_are_mended_with_a_preview_and_in_one_step() {
    let account = Account::new();
    for (n, name) in ["McKay", "McKay", "MCKAY", "smith", "JONES", "Jo", "  Ada  King ", "Аda", "O\u{200b}Neill"]
        .into_iter()
        .enumerate()
    {
        account.core.ctx().advance(1);
        account.add(n as u32, &[("lastname", name)]);
    }
    let id = open(&account);
    let clean = account.core.clean();
    let heads: Vec<_> = suggestions(&account, id).into_iter().map(|one| (one.kind, one.rows)).collect();
    assert_eq!(
        heads,
        [(CleanKind::LetterCase, 3), (CleanKind::WhiteSpace, 2), (CleanKind::LookAlike, 1)],
        "the biggest first"
    );
    let case = one(&account, id, CleanKind::LetterCase, "lastname");
    let wanted = [("MCKAY", Some("McKay")), ("smith", Some("Smith")), ("JONES", Some("Jones"))];
    assert_eq!(told(&rows(&account, id, case.suggestion)), wanted);
    let before = whole(&account);
    let said = clean.preview(&account.core, &me(), id, case.suggestion, None, None).unwrap();
    assert_eq!((said.matched, said.rows, said.cells, said.step), (3, 3, 3, None));
    assert_eq!(told(&said.sample), wanted);
    assert_eq!(whole(&account), before, "only said");

    // Fix a selected row first; the remaining rows then have other positions.
    let second = Intervals::one(1);
    let part = clean.apply(&account.core, &me(), id, case.suggestion, Some(0), Some(&second)).unwrap();
    assert_eq!((part.matched, part.rows), (1, 1));
    let again = clean.apply(&account.core, &me(), id, case.suggestion, Some(0), Some(&second)).unwrap_err();
    assert!(again.to_string().contains("other places"), "{again}");
    let rest = one(&account, id, CleanKind::LetterCase, "lastname");
    assert_eq!((rest.rows, rest.generation, rest.mended), (2, 1, 1));
    assert_eq!(told(&rest.sample), [wanted[0], wanted[2]]);
    assert_eq!(apply(&account, id, case.suggestion).unwrap().rows, 2);
    let step = history::standing(&account.core).unwrap().undo.unwrap();
    assert_eq!((step.act.as_str(), step.count, step.subject.as_deref()), ("clean_letter_case", 2, Some("Everybody")));
    history::undo(&account.core, &me()).unwrap();
    history::undo(&account.core, &me()).unwrap();
    assert_eq!(whole(&account), before);

    let state = done(&account, id);
    assert!(state.progress.is_stale && state.mended == 3, "{state:?}");
    clean.skip(id, one(&account, id, CleanKind::LookAlike, "lastname").suggestion, true).unwrap();
    clean.refresh(&account.core, id).unwrap();
    let state = done(&account, id);
    assert_eq!((state.suggestions, state.skipped, state.effect), (2, 1, 5), "skipped for as long as it is open");
    assert!(clean.apply(&account.core, &me(), id, case.suggestion, None, None).is_err(), "its number is another now");
    let skipped = clean.page(&account.core, id, PAGE, true).unwrap().items;
    assert_eq!(skipped[0].kind, CleanKind::LookAlike);
    clean.close(id);
    assert!(clean.page(&account.core, id, PAGE, false).is_err());
}

#[test]
fn what_changed_meanwhile_is_judged_anew() {
    let account = Account::new();
    let uids: Vec<ContactId> = (0..3).map(|n| account.add(n, &[("city", "LONDON")])).collect();
    let id = open(&account);
    let case = one(&account, id, CleanKind::LetterCase, "city");
    account.set(&uids[0], "city", Some("Leeds"));
    contact::delete(&account.core, &me(), &uids[1]).unwrap();
    assert!(done(&account, id).progress.is_stale);
    let shown = rows(&account, id, case.suggestion);
    assert_eq!(shown.len(), 2, "gone is gone");
    assert!(shown.iter().find(|row| row.uid == uids[0]).unwrap().cells.is_empty(), "nothing wrong any more");
    let told = apply(&account, id, case.suggestion).unwrap();
    assert_eq!((told.matched, told.rows), (3, 1));
    assert_eq!(value(&account, &uids[0], "city").as_deref(), Some("Leeds"));
    assert_eq!(value(&account, &uids[2], "city").as_deref(), Some("London"));
}
