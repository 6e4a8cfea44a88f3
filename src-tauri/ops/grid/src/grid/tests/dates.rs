//! Tests filters by date, and by birthday while the account's clock advances.

use roost_model::{page::SortOrder, time::Timestamp};
use serde_json::{Value, json};

use super::{GridAccount, ViewId};
use roost_ops::{
    contact::{self, FieldKind},
    ctx::clock::{ClockMode, ClockSetting},
    custom_field,
};

/// Dates of birth in every spelling that comes from files, typing and the service.
const BORN: [&str; 10] = [
    "1950-02-01",
    "1960-02-29",
    "2000-12-31",
    "31/12/1999",
    "01.03.1980",
    "2026-01-05 00:00:00",
    "01/02/1950",
    "--06-15",
    "soon",
    "",
];

fn account_with_birthdays() -> GridAccount {
    let account = GridAccount::new();
    for (number, born) in BORN.into_iter().enumerate() {
        let values = [("date_of_birth", born)];
        account.add_contact(number as u32, if born.is_empty() { &[] } else { &values });
    }
    account
}

fn set_day(account: &GridAccount, day: &str) {
    let at = Timestamp::parse_iso(&format!("{day}T12:00:00Z")).unwrap();
    let setting = ClockSetting { mode: ClockMode::Frozen, now: Some(at.as_nanos()), rate: None };
    account.core.ctx().clock().apply_setting(setting).unwrap();
}

fn open_filtered(account: &GridAccount, filter: Value) -> ViewId {
    account.open_view(account.view_spec(filter, &[("date_of_birth", SortOrder::Ascending)]))
}

fn filter_births(account: &GridAccount, filter: Value) -> Vec<String> {
    let view = open_filtered(account, filter);
    let mut texts: Vec<String> =
        account.read_column(view, "date_of_birth").0.into_iter().map(Option::unwrap_or_default).collect();
    texts.sort();
    account.core.grid().close(view);
    texts
}

fn birth_condition(test: &str, value: &str) -> Value {
    json!({ "field": "date_of_birth", "date": test, "value": value })
}

#[test]
fn dates_in_any_spelling_are_compared_as_days() {
    let account = account_with_birthdays();
    for (filter, expected) in [
        (birth_condition("before", "1960-02-29"), &["1950-02-01"][..]),
        (birth_condition("after", "1999-12-31"), &["2000-12-31", "2026-01-05 00:00:00"]),
        (birth_condition("on", "1999-12-31"), &["31/12/1999"]),
        (
            json!({ "field": "date_of_birth", "date": "between", "value": "1980-03-01", "to": "2000-12-31" }),
            &["01.03.1980", "2000-12-31", "31/12/1999"],
        ),
        (json!({ "field": "date_of_birth", "date": "not_a_date" }), &["--06-15", "01/02/1950", "soon"]),
        (birth_condition("birthday_in_month", "2"), &["1950-02-01", "1960-02-29"]),
        (birth_condition("birthday_in_month", "6"), &["--06-15"]),
        (
            json!({ "all": [birth_condition("after", "1900-01-01"), { "not": birth_condition("after", "1960-01-01") }] }),
            &["1950-02-01"],
        ),
    ] {
        assert_eq!(filter_births(&account, filter.clone()), expected, "{filter}");
    }
    let all = json!({ "any": [
        birth_condition("before", "1970-01-01"), { "not": birth_condition("before", "1970-01-01") },
    ] });
    assert_eq!(filter_births(&account, all).len(), BORN.len(), "a condition holds or its opposite does");
}

#[test]
fn today_is_that_of_the_clock_of_the_account() {
    let account = account_with_birthdays();
    let this_month = json!({ "field": "date_of_birth", "date": "this_month" });
    for (today, filter, expected) in [
        ("2026-01-31", this_month.clone(), &["2026-01-05 00:00:00"][..]),
        ("2026-02-01", this_month.clone(), &[]),
        ("2025-12-31", this_month, &[]),
        (
            "2027-12-28",
            birth_condition("birthday_within_days", "8"),
            &["2000-12-31", "2026-01-05 00:00:00", "31/12/1999"],
        ),
        ("2027-12-28", birth_condition("birthday_within_days", "7"), &["2000-12-31", "31/12/1999"]),
        // In a year without 29 February, a birthday on that day falls on the 28th.
        ("2027-02-28", birth_condition("birthday_within_days", "0"), &["1960-02-29"]),
        ("2027-02-28", birth_condition("birthday_within_days", "1"), &["01.03.1980", "1960-02-29"]),
        ("2027-03-01", birth_condition("birthday_within_days", "0"), &["01.03.1980"]),
        ("2028-02-28", birth_condition("birthday_within_days", "0"), &[]),
        ("2028-02-29", birth_condition("birthday_within_days", "0"), &["1960-02-29"]),
        ("2028-02-29", birth_condition("birthday_in_month", "this"), &["1950-02-01", "1960-02-29"]),
    ] {
        set_day(&account, today);
        assert_eq!(filter_births(&account, filter.clone()), expected, "{today} {filter}");
    }
}

#[test]
fn a_view_that_follows_the_clock_is_rebuilt_on_another_day() {
    let account = account_with_birthdays();
    set_day(&account, "2026-12-31");
    let today = birth_condition("birthday_within_days", "0");
    let rows = open_filtered(&account, today.clone());
    assert_eq!(account.read_status(rows).total, 2);
    assert!(!account.read_status(rows).is_stale);
    set_day(&account, "2027-01-01");
    assert!(account.read_status(rows).is_stale, "it is of yesterday");
    assert_eq!(filter_births(&account, today), [""; 0], "nothing of yesterday is used again");
    assert_eq!(account.refresh(rows).total, 0);
    let fixed = open_filtered(&account, birth_condition("before", "2000-01-01"));
    set_day(&account, "2027-01-02");
    assert!(!account.read_status(fixed).is_stale);
}

#[test]
fn custom_fields_hold_dates_where_most_of_their_values_are() {
    let account = GridAccount::new();
    for label in ["Renewal", "Note", "Empty"] {
        custom_field::add(&account.core, &super::me(), label).unwrap();
    }
    for number in 0..3 {
        let renewal = if number == 0 { "soon" } else { "01/02/2026" };
        account.add_contact(number, &[("field_1", renewal), ("field_2", "paid on 2026-01-05")]);
    }
    let kinds = |fields: Vec<contact::FieldInfo>| {
        let dates = fields.into_iter().filter(|field| field.kind == FieldKind::Date);
        dates.map(|field| field.name).collect::<Vec<_>>()
    };
    assert_eq!(kinds(contact::read_list_fields(&account.core, &account.list).unwrap()), ["date_of_birth", "field_1"]);
    assert_eq!(kinds(contact::read_fields(&account.core).unwrap()), ["date_of_birth"]);
}
