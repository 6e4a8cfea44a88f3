//! Tests acts on cells and rows one by one.

mod lost_opt_outs;
mod model;
mod paste;
mod rows;
mod size;

use std::sync::Arc;

use roost_model::intervals::RowIntervals;
use roost_store::{error::StoreError, watch::Watch};
use serde_json::{Value, json};

use super::{super::ViewId, BulkAct, CellEdit, CellSelection, EditSummary};
use roost_ops::{
    Actor, contact,
    error::{Error, Result},
    history,
};

use crate::grid::tests::{GridAccount, me, read_window};

pub(super) fn to_columns(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

pub(super) fn to_intervals(pairs: &[(u64, u64)]) -> RowIntervals {
    RowIntervals::new(pairs.to_vec()).unwrap()
}

pub(super) fn act_of(json: Value) -> BulkAct {
    serde_json::from_value(json).unwrap()
}

/// Returns what some cells of all rows show. A draft is marked with a leading `!`.
pub(super) fn read_cells(account: &GridAccount, view: ViewId, names: &[&str]) -> Vec<Vec<String>> {
    let bytes = account.core.grid().read_window(&account.core, view, None, 0, 1_000, &to_columns(names)).unwrap();
    let window = read_window(&bytes);
    let cell = |row: usize, column: usize| {
        let text = window.columns[column][row].clone().unwrap_or_default();
        if window.cells[column][row] & 2 > 0 { format!("!{text}") } else { text }
    };
    (0..window.flags.len()).map(|row| (0..names.len()).map(|column| cell(row, column)).collect()).collect()
}

pub(super) fn read_column(account: &GridAccount, view: ViewId, name: &str) -> Vec<String> {
    read_cells(account, view, &[name]).concat()
}

pub(super) fn edit_cells(account: &GridAccount, view: ViewId, typed: &[(u64, &str, &str)]) -> Result<EditSummary> {
    let typed: Vec<CellEdit> = typed
        .iter()
        .map(|(row, field, text)| CellEdit { row: *row, field: (*field).to_owned(), text: Some((*text).to_owned()) })
        .collect();
    account.core.grid().edit_cells(&account.core, &me(), view, None, &typed, None)
}

pub(super) fn apply_act(
    account: &GridAccount,
    view: ViewId,
    intervals: &RowIntervals,
    names: &[&str],
    act: Value,
) -> Result<EditSummary> {
    let columns = to_columns(names);
    let selection = CellSelection { view, generation: None, rows: intervals, columns: &columns };
    account.core.grid().apply_act_to_all(&account.core, &me(), &[selection], &act_of(act))
}

fn preview_act(
    account: &GridAccount,
    view: ViewId,
    intervals: &RowIntervals,
    names: &[&str],
    act: Value,
) -> EditSummary {
    let columns = to_columns(names);
    let selection = CellSelection { view, generation: None, rows: intervals, columns: &columns };
    account.core.grid().preview_act(&account.core, &me(), selection, &act_of(act)).unwrap()
}

/// Returns an account with contacts in these cities, in this order, and a view of them.
pub(super) fn open_cities(cities: &[&str]) -> (GridAccount, ViewId) {
    let account = GridAccount::new();
    for (number, city) in cities.iter().enumerate().rev() {
        account.core.ctx().advance(1);
        let city = (!city.is_empty()).then_some(("city", *city));
        account.add_contact(number as u32, &city.into_iter().collect::<Vec<_>>());
    }
    let view = account.open_view(account.view_spec(Value::Null, &[]));
    (account, view)
}

pub(super) fn undo(account: &GridAccount) {
    history::undo(&account.core, &me()).unwrap();
}

#[test]
fn what_a_rule_refuses_stays_as_typed_until_it_is_corrected() {
    let (account, view) = open_cities(&["London", "Leeds"]);
    let long = "x".repeat(25);
    let summary =
        edit_cells(&account, view, &[(0, "zip", &long), (0, "city", "Rome"), (1, "phone_number", "12")]).unwrap();
    assert_eq!((summary.matched, summary.changed, summary.drafts, summary.rows), (3, 1, 2, 2));
    let words: Vec<(u64, &str)> = summary.faults.iter().map(|fault| (fault.row, fault.message.as_str())).collect();
    assert_eq!(words, [(0, "size must be between 1 and 24"), (1, "Invalid phone number.")]);
    let shown = read_cells(&account, view, &["phone_number", "city", "zip"]);
    assert_eq!(shown[0], ["+447700900000", "Rome", &format!("!{long}")]);
    assert_eq!(shown[1], ["!12", "Leeds", ""]);
    assert!(!account.read_status(view).is_stale, "the view knows of it");

    let drafts = account.core.grid().read_drafts(&account.core, view, 1).unwrap();
    assert_eq!((drafts[0].text.as_str(), drafts[0].value.as_deref()), ("12", Some("+447700900001")));
    assert_eq!(drafts[0].message, "Invalid phone number.");
    let problem = account.core.grid().find_draft(&account.core, view, None, false).unwrap().unwrap();
    assert_eq!((problem.row, problem.column.as_str()), (0, "zip"));

    // Both a valid value and an empty one remove a draft, and both can be undone.
    assert_eq!(edit_cells(&account, view, &[(1, "phone_number", "07700 900009")]).unwrap().changed, 1);
    assert_eq!(edit_cells(&account, view, &[(0, "zip", "")]).unwrap().changed, 1);
    assert_eq!(read_cells(&account, view, &["phone_number", "zip"]), [["+447700900000", ""], ["+447700900009", ""]]);
    undo(&account);
    undo(&account);
    assert_eq!(read_cells(&account, view, &["phone_number", "zip"])[1][0], "!12");
    undo(&account);
    assert_eq!(read_cells(&account, view, &["phone_number", "city", "zip"])[0], ["+447700900000", "London", ""]);
    for _ in 0..3 {
        history::redo(&account.core, &me()).unwrap();
    }
    assert_eq!(read_cells(&account, view, &["phone_number", "zip"]), [["+447700900000", ""], ["+447700900009", ""]]);
}

#[test]
fn an_address_that_no_mail_reaches_is_a_draft() {
    let (account, view) = open_cities(&["London"]);
    let summary = edit_cells(&account, view, &[(0, "email_address", "bad@@mail")]).unwrap();
    assert_eq!((summary.changed, summary.drafts), (0, 1));
    assert!(summary.faults[0].message.contains("\"bad@@mail\" is not a valid e-mail address"), "{:?}", summary.faults);
    assert_eq!(edit_cells(&account, view, &[(0, "email_address", "ada@example.com")]).unwrap().changed, 1);
    assert_eq!(read_cells(&account, view, &["email_address"]), [["ada@example.com"]]);
}

#[test]
fn drafts_survive_a_restart_and_so_does_undoing_them() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("account.roost");
    let account = GridAccount::in_file(&path);
    account.add_contact(1, &[]);
    let view = account.open_view(account.view_spec(Value::Null, &[]));
    edit_cells(&account, view, &[(0, "phone_number", "0")]).unwrap();
    let list = account.list.clone();
    account.core.grid().close_all();
    drop(account);
    let core = roost_ops::Core::open(&path, roost_ops::Ctx::system()).unwrap();
    let account = GridAccount { core: core.into(), list };
    let view = account.open_view(account.view_spec(json!({ "draft": true }), &[]));
    assert_eq!(read_column(&account, view, "phone_number"), ["!0"]);
    undo(&account);
    assert_eq!(read_column(&account, view, "phone_number"), ["+447700900001"]);
    assert_eq!(account.refresh(view).total, 0);
}

#[test]
fn a_contact_keeps_one_number_whatever_is_typed() {
    let (account, view) = open_cities(&["London"]);
    let summary = edit_cells(&account, view, &[(0, "phone_number", "")]).unwrap();
    assert_eq!((summary.changed, summary.drafts), (0, 1));
    assert_eq!(summary.faults[0].message, "Either phone_number or whatsapp_number must be given.");
    assert_eq!(read_column(&account, view, "phone_number"), ["!"]);
    assert_eq!(account.core.grid().read_drafts(&account.core, view, 0).unwrap()[0].message, summary.faults[0].message);
    // Emptying the draft restores the number.
    edit_cells(&account, view, &[(0, "phone_number", "")]).unwrap();
    assert_eq!(read_column(&account, view, "phone_number"), ["+447700900000"]);
    // A number may be removed if the same act sets the other one.
    let summary = edit_cells(&account, view, &[(0, "phone_number", ""), (0, "whatsapp_id", "07700900005")]).unwrap();
    assert_eq!((summary.changed, summary.drafts, summary.faults.len()), (2, 0, 0));
    let shown = read_cells(&account, view, &["phone_number", "phone_region", "whatsapp_id", "whatsapp_region"]);
    assert_eq!(shown[0], ["", "", "+447700900005", "GB"]);
    let summary = edit_cells(&account, view, &[(0, "whatsapp_id", ""), (0, "phone_number", "x")]).unwrap();
    assert_eq!((summary.changed, summary.drafts), (0, 2));
    assert_eq!(read_cells(&account, view, &["phone_number", "whatsapp_id"])[0], ["!x", "!"]);
    // Setting the field of the contact's record also removes the draft.
    let uid = roost_model::id::ContactId::parse(&account.uids(view)[0]).unwrap();
    account.set_field(&uid, "whatsapp_id", Some("+447700900005"));
    account.set_field(&uid, "phone_number", Some("+447700900006"));
    assert_eq!(read_cells(&account, view, &["phone_number", "whatsapp_id"])[0], ["+447700900006", "+447700900005"]);
    assert_eq!(contact::get(&account.core, &uid).unwrap().values["phone_number"], "+447700900006");
}

#[test]
fn nothing_is_done_without_a_change_and_impossible_edits_are_reported() {
    let (account, view) = open_cities(&["London"]);
    let summary = edit_cells(&account, view, &[(0, "city", "London"), (0, "phone_number", "07700 900 000")]).unwrap();
    assert_eq!((summary.matched, summary.changed, summary.step), (2, 0, None));
    assert_eq!(edit_cells(&account, view, &[]).unwrap(), EditSummary::default());
    for (row, field, expected) in
        [(0, "colour", "The field was not found."), (0, "uid", "cannot be set"), (7, "city", "The row was not found.")]
    {
        let why = edit_cells(&account, view, &[(row, field, "x")]).unwrap_err().to_string();
        assert!(why.contains(expected), "{why}");
    }
    let seen = account.read_status(view).generation;
    let typed = [CellEdit { row: 0, field: "city".to_owned(), text: None }];
    let moved = account.core.grid().edit_cells(&account.core, &me(), view, Some(seen + 1), &typed, None);
    assert!(matches!(moved, Err(Error::Conflict { .. })));
    // If a cell is given two texts, the last one counts.
    edit_cells(&account, view, &[(0, "city", "Oslo"), (0, "city", "Rome")]).unwrap();
    assert_eq!(read_column(&account, view, "city"), ["Rome"]);
    let other = account.open_view(account.view_spec(Value::Null, &[]));
    account.core.grid().delete_rows(&account.core, &me(), other, None, &to_intervals(&[(0, 1)])).unwrap();
    let summary = edit_cells(&account, view, &[(0, "city", "Oslo")]).unwrap();
    assert_eq!((summary.changed, summary.faults[0].message.as_str()), (0, "This contact no longer exists."));
}

#[test]
fn every_bulk_act_does_what_it_says() {
    let all = || to_intervals(&[(0, 4)]);
    let (account, view) = open_cities(&["new york", "", "Leeds  City", "Leeds"]);
    let check_act = |names: &[&str], json: Value, shows: &str, wanted: [&str; 4]| {
        let seen = preview_act(&account, view, &all(), names, json.clone());
        let before = read_column(&account, view, shows);
        let done = apply_act(&account, view, &all(), names, json.clone()).unwrap();
        assert_eq!(read_column(&account, view, shows), wanted, "{json}");
        assert_eq!((seen.matched, seen.changed, seen.drafts), (done.matched, done.changed, done.drafts), "{json}");
        assert_eq!(seen.sample.len() as u64, seen.changed + seen.drafts, "{json}");
        if done.step.is_some() {
            undo(&account);
            assert_eq!(read_column(&account, view, shows), before, "{json}");
        }
    };
    let city = &["city"];
    check_act(city, json!({ "set": "Rome" }), "city", ["Rome"; 4]);
    check_act(city, json!({ "clear": true }), "city", [""; 4]);
    let replace = |find: &str, with: &str, regex: bool, whole: bool, case: bool| json!({ "replace": { "find": find, "with": with, "regex": regex, "whole_cell": whole, "case": case } });
    check_act(
        city,
        replace("leeds", "York$1", false, false, false),
        "city",
        ["new york", "", "York$1  City", "York$1"],
    );
    check_act(city, replace("leeds", "York", false, false, true), "city", ["new york", "", "Leeds  City", "Leeds"]);
    check_act(city, replace("LEEDS", "York", false, true, false), "city", ["new york", "", "Leeds  City", "York"]);
    check_act(city, replace("", "York", false, true, false), "city", ["new york", "York", "Leeds  City", "Leeds"]);
    check_act(
        city,
        replace("(\\w+) +(\\w+)", "$2 $1", true, false, true),
        "city",
        ["york new", "", "City Leeds", "Leeds"],
    );
    check_act(city, replace(".*", "x", true, true, true), "city", ["x"; 4]);
    check_act(city, json!({ "case": "title" }), "city", ["New York", "", "Leeds  City", "Leeds"]);
    check_act(city, json!({ "case": "upper" }), "city", ["NEW YORK", "", "LEEDS  CITY", "LEEDS"]);
    check_act(city, json!({ "trim": true }), "city", ["new york", "", "Leeds City", "Leeds"]);
    let split = json!({ "split": { "by": " ", "into": ["firstname", "lastname"] } });
    check_act(city, split.clone(), "firstname", ["new", "", "Leeds", "Leeds"]);
    check_act(city, split, "lastname", ["york", "", "City", ""]);
    let join = json!({ "join": { "from": ["city", "zip", "phone_region"], "by": ", ", "into": "state" } });
    check_act(&[], join, "state", ["new york, GB", "GB", "Leeds  City, GB", "Leeds, GB"]);
    check_act(city, json!({ "extract": { "regex": " (\\w)", "into": "zip" } }), "zip", ["y", "", "C", ""]);
    let copy = |mode: &str| json!({ "copy": { "from": "phone_number", "into": "city", "mode": mode } });
    let numbers = ["+447700900000", "+447700900001", "+447700900002", "+447700900003"];
    check_act(&[], copy("all"), "city", numbers);
    check_act(&[], copy("blanks"), "city", ["new york", numbers[1], "Leeds  City", "Leeds"]);
    let series = json!({ "series": { "start": 8, "step": 1, "prefix": "N", "pad": 3 } });
    check_act(&["zip"], series, "zip", ["N008", "N009", "N010", "N011"]);
    let down = json!({ "series": { "start": 1, "step": -2, "prefix": "", "pad": 2 } });
    check_act(&["zip"], down, "zip", ["01", "-01", "-03", "-05"]);
    check_act(city, json!({ "fill_blanks": "above" }), "city", ["new york", "new york", "Leeds  City", "Leeds"]);
    check_act(city, json!({ "fill_blanks": { "text": "-" } }), "city", ["new york", "-", "Leeds  City", "Leeds"]);
    check_act(city, json!({ "fill": "down" }), "city", ["new york"; 4]);
    check_act(&["city", "state"], json!({ "fill": "right" }), "state", ["new york", "", "Leeds  City", "Leeds"]);
    edit_cells(&account, view, &[(0, "alternate_phone", "07700 900123"), (1, "alternate_phone", "none")]).unwrap();
    let e164 = json!({ "e164": { "region": null } });
    check_act(&["alternate_phone"], e164, "alternate_phone", ["+447700900123", "none", "", ""]);
    check_act(&["phone_number"], json!({ "set": "junk" }), "phone_number", ["!junk"; 4]);
    check_act(&["phone_number"], json!({ "clear": true }), "phone_number", ["!"; 4]);
    check_act(&["zip", "city"], json!({ "set": "y".repeat(25) }), "zip", [&format!("!{}", "y".repeat(25)); 4]);
}

#[test]
fn filling_stays_within_each_selected_stretch() {
    let (account, view) = open_cities(&["a", "", "b", "", "c", ""]);
    apply_act(&account, view, &to_intervals(&[(1, 2), (3, 6)]), &["city"], json!({ "fill_blanks": "above" })).unwrap();
    assert_eq!(read_column(&account, view, "city"), ["a", "", "b", "", "c", "c"]);
    apply_act(&account, view, &to_intervals(&[(0, 2), (2, 3), (4, 6)]), &["city"], json!({ "fill": "down" })).unwrap();
    assert_eq!(read_column(&account, view, "city"), ["a", "a", "a", "", "c", "c"], "neighbours are one stretch");
}

#[test]
fn blocks_of_other_rows_and_columns_are_one_step() {
    let (account, view) = open_cities(&["a", "b", "c"]);
    let (towns, titles) = (to_columns(&["city"]), to_columns(&["title", "firstname"]));
    let (first, last) = (to_intervals(&[(0, 2)]), to_intervals(&[(2, 3)]));
    let blocks = [(&first, &towns), (&last, &titles)].map(|(rows, columns)| CellSelection {
        view,
        generation: None,
        rows,
        columns,
    });
    let done =
        account.core.grid().apply_act_to_all(&account.core, &me(), &blocks, &act_of(json!({ "set": "x" }))).unwrap();
    assert_eq!((done.matched, done.changed, done.step.is_some()), (4, 4, true));
    let shown = || read_cells(&account, view, &["city", "title", "firstname"]).concat().join(",");
    assert_eq!(shown(), "x,,,x,,,c,x,x");
    history::undo(&account.core, &me()).unwrap();
    assert_eq!(shown(), "a,,,b,,,c,,");
    let refused = [blocks[0], CellSelection { generation: Some(99), ..blocks[1] }];
    let result = account.core.grid().apply_act_to_all(&account.core, &me(), &refused, &act_of(json!({ "set": "x" })));
    assert!(matches!(result, Err(Error::Conflict { .. })), "one block that moved refuses all: {result:?}");
    assert_eq!(shown(), "a,,,b,,,c,,");
}

#[test]
fn an_act_that_makes_no_sense_says_why() {
    let (account, view) = open_cities(&["a"]);
    for (names, json, expected) in [
        (
            vec!["city"],
            json!({ "replace": { "find": "", "with": "x", "regex": false, "whole_cell": false, "case": true } }),
            "the text to find",
        ),
        (
            vec!["city"],
            json!({ "replace": { "find": "(", "with": "x", "regex": true, "whole_cell": false, "case": true } }),
            "unclosed group",
        ),
        (vec!["uid"], json!({ "set": "x" }), "cannot be set"),
        (vec!["colour"], json!({ "set": "x" }), "The field was not found"),
        (vec![], json!({ "set": "x" }), "cannot be set"),
        (vec!["city"], json!({ "split": { "by": "", "into": ["zip"] } }), "where to split"),
        (vec!["city"], json!({ "split": { "by": ",", "into": [] } }), "where to split"),
        (vec![], json!({ "copy": { "from": "created_at", "into": "city", "mode": "all" } }), "holds a time"),
        (vec!["city"], json!({ "fill": "right" }), "cannot be set"),
        (vec!["city"], json!({ "clear": false }), "true"),
        (vec!["city"], json!({ "e164": { "region": "xx" } }), "country code"),
    ] {
        let why = apply_act(&account, view, &to_intervals(&[(0, 1)]), &names, json.clone()).unwrap_err().to_string();
        assert!(why.contains(expected), "{json}: {why}");
    }
    // Columns that cannot be set are skipped among others.
    apply_act(&account, view, &to_intervals(&[(0, 1)]), &["uid", "city", "created_at"], json!({ "set": "x" })).unwrap();
    assert_eq!(read_column(&account, view, "city"), ["x"]);
    assert_eq!(
        apply_act(&account, view, &to_intervals(&[(5, 9)]), &["city"], json!({ "set": "y" })).unwrap().step,
        None
    );
}

#[test]
fn rows_edited_under_a_filter_stay_and_are_marked() {
    let (account, _) = open_cities(&["London", "Leeds", "London"]);
    let view = account.open_view(account.view_spec(json!({ "field": "city", "op": "is", "value": "London" }), &[]));
    apply_act(&account, view, &to_intervals(&[(0, 1)]), &["city"], json!({ "set": "Rome" })).unwrap();
    let (shown, flags) = account.read_column(view, "city");
    assert_eq!(shown, [Some("Rome".to_owned()), Some("London".to_owned())]);
    assert_eq!(flags.iter().map(|bits| bits >> 5 & 1).collect::<Vec<_>>(), [1, 0]);
    assert!(!account.read_status(view).is_stale);
    undo(&account);
    assert!(account.read_status(view).is_stale);
    account.refresh(view);
    assert_eq!(account.read_column(view, "city").1, [0, 0]);
}

#[test]
fn an_act_that_is_cancelled_half_way_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let account = GridAccount::in_file(&folder.path().join("account.roost"));
    account.paste_rows((0..6_000).map(|n| crate::grid::tests::contact_values(&[("city", "London")], n)));
    let view = account.open_view(account.view_spec(Value::Null, &[]));
    let all = to_intervals(&[(0, 6_000)]);
    let names = to_columns(&["city"]);
    let selection = CellSelection { view, generation: None, rows: &all, columns: &names };
    let replace = json!({ "replace": { "find": "o", "with": "0", "regex": false, "whole_cell": false, "case": true } });
    for json in [replace, json!({ "set": "Rome" }), json!({ "fill": "down" }), json!({ "case": "upper" })] {
        let ended = (0..100).find_map(|_| {
            let watch = Arc::new(Watch::default());
            let by = Actor::user(None).with_watch(Arc::clone(&watch));
            let ended = std::thread::scope(|scope| {
                scope.spawn(|| {
                    while watch.rows() < 2_500 && !watch.is_cancelled() {
                        std::thread::yield_now();
                    }
                    watch.cancel();
                });
                let grid = account.core.grid();
                let ended = grid.apply_act_to_all(&account.core, &by, &[selection], &act_of(json.clone()));
                watch.cancel();
                ended
            });
            // On a busy machine the act may be finished before the test looks.
            if ended.as_ref().is_ok_and(|done| done.step.is_some()) {
                undo(&account);
                account.refresh(view);
            }
            ended.err()
        });
        assert!(matches!(ended, Some(Error::Store(StoreError::Cancelled))), "{json} {ended:?}");
        assert!(read_column(&account, view, "city").iter().all(|city| city == "London"), "{json}");
        assert!(!account.read_status(view).is_stale, "{json}");
    }
    let last = history::read_undo_status(&account.core).unwrap().undo.unwrap();
    assert_eq!(last.act, "contact_paste", "none of them is a step");
    assert_eq!(account.core.integrity().unwrap(), "ok");
}
