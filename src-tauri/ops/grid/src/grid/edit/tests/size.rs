//! Tests many to_intervals: an act reaches every chunk, and one undo takes all of it back.

use std::path::Path;

use serde_json::{Value, json};

use super::{apply_act, to_intervals, undo};
use roost_ops::{
    contact::{DuplicatePolicy, PASTE_MAX},
    history,
};

use crate::grid::{
    ViewSpec,
    tests::{GridAccount, contact_values, me},
};

/// Returns an account with `count` people: some thousands are pasted, then copied and moved back until there are
/// enough.
fn large_account(folder: &Path, count: u64) -> GridAccount {
    let account = GridAccount::in_file(&folder.join("account.roost"));
    let core = &account.core;
    let first = count.min(PASTE_MAX as u64) as u32;
    account.paste_rows(
        (0..first).map(|n| contact_values(&[("city", "London"), ("lastname", &format!("Contact {n}"))], n)),
    );
    loop {
        let view = account.open_view(account.view_spec(Value::Null, &[]));
        let there = account.read_status(view).total;
        core.grid().close(view);
        if there == count {
            return account;
        }
        let more = to_intervals(&[(0, there.min(count - there))]);
        let view = account.open_view(account.view_spec(Value::Null, &[]));
        let copies = core.grid().freeze_rows(core, &me(), (view, None), Some(&more), "Copies").unwrap().list.uid;
        let copies_view = account.open_view(ViewSpec { list: copies, ..account.view_spec(Value::Null, &[]) });
        core.grid()
            .move_rows(
                core,
                &me(),
                (copies_view, None),
                &to_intervals(&[(0, count)]),
                &account.list,
                DuplicatePolicy::Keep,
            )
            .unwrap();
        core.grid().close(copies_view);
    }
}

fn change_and_undo(total: u64) {
    let folder = tempfile::tempdir().unwrap();
    let account = large_account(folder.path(), total);
    let view = account.open_view(account.view_spec(Value::Null, &[]));
    let all = to_intervals(&[(0, total)]);
    let facets =
        |field: &str| account.core.grid().read_facets(&account.core, view, field, 3, &Default::default()).unwrap();
    let set = apply_act(&account, view, &all, &["city"], json!({ "set": "Rome" })).unwrap();
    assert_eq!((set.changed, set.rows), (total, total));
    let replace = json!({ "replace": { "find": "Contact", "with": "Person", "regex": false, "whole_cell": false, "case": true } });
    assert_eq!(apply_act(&account, view, &all, &["lastname"], replace).unwrap().changed, total);
    let named = |what: &str| {
        let names = account.read_column(view, "lastname").0;
        assert_eq!(names.len() as u64, total);
        assert!(names.iter().flatten().filter(|name| name.starts_with(what)).count() as u64 == total, "{what}");
    };
    named("Person ");
    undo(&account);
    assert_eq!((facets("city").distinct, facets("city").values[0].value.as_deref()), (1, Some("Rome")));
    undo(&account);
    assert_eq!((facets("city").distinct, facets("city").values[0].value.as_deref()), (1, Some("London")));
    named("Contact ");
    let taken = history::redo(&account.core, &me()).unwrap();
    // Undo restores every contact and the list's clock.
    assert!(taken.rows >= total && taken.kept == 0, "{taken:?}");
    assert_eq!(facets("city").values[0].count, total);
}

#[test]
fn twenty_thousand_rows_are_one_step() {
    change_and_undo(20_000);
}

#[test]
#[ignore = "make soak runs it"]
fn a_hundred_thousand_rows_are_one_step() {
    change_and_undo(100_000);
}

#[test]
#[ignore = "takes minutes without optimisation; the bench does it with it"]
fn a_million_rows_are_one_step() {
    change_and_undo(1_000_000);
}
