//! Tests pasting blocks over views: positions, modes, and the lines after the last row.

use proptest::{collection::vec, prelude::*, test_runner::Config};
use roost_model::{id::ContactId, intervals::RowIntervals};
use serde_json::{Value, json};

use super::{open_cities, read_cells, read_column, to_columns, to_intervals, undo};
use roost_ops::{contact, error::Result};

use crate::grid::{
    GridPasteSummary, PasteMode, PasteRequest, ViewId,
    tests::{GridAccount, me},
};

struct PasteBlock<'a> {
    at: u64,
    names: &'a [&'a str],
    lines: &'a [&'a [&'a str]],
    into: Option<&'a [(u64, u64)]>,
    mode: PasteMode,
}

fn paste_block(account: &GridAccount, view: ViewId, block: &PasteBlock) -> Result<GridPasteSummary> {
    let names = to_columns(block.names);
    let lines: Vec<Vec<String>> = block.lines.iter().map(|line| to_columns(line)).collect();
    let into = block.into.map(to_intervals);
    let wanted = PasteRequest {
        view,
        generation: None,
        row: block.at,
        columns: &names,
        block: &lines,
        into: into.as_ref(),
        mode: block.mode,
        region: None,
    };
    let seen = account.core.grid().preview_paste(&account.core, &me(), &wanted);
    let done = account.core.grid().paste(&account.core, &me(), &wanted);
    if let (Ok(seen), Ok(done)) = (&seen, &done) {
        let numbers = |pasted: &GridPasteSummary| {
            let GridPasteSummary { cells, changed, drafts, added, left_out, .. } = *pasted;
            (cells, changed, drafts, added, left_out)
        };
        assert_eq!(numbers(seen), numbers(done), "the preview tells the truth");
        assert_eq!((&seen.faults, &seen.refused), (&done.faults, &done.refused));
    }
    done
}

#[test]
fn a_block_is_pasted_over_filtered_rows_and_a_value_over_many() {
    let (account, _) = open_cities(&["London", "Leeds", "London", "Leeds", "London"]);
    let filter = json!({ "field": "city", "op": "is", "value": "London" });
    let view = account.open_view(account.view_spec(filter, &[]));
    let block = PasteBlock {
        at: 1,
        names: &["city", "zip", "state"],
        lines: &[&["Rome", "1"], &["", "2"]],
        into: None,
        mode: PasteMode::Plain,
    };
    let summary = paste_block(&account, view, &block).unwrap();
    assert_eq!((summary.cells, summary.changed, summary.added), (4, 4, 0));
    assert_eq!(read_cells(&account, view, &["city", "zip"]), [["London", ""], ["Rome", "1"], ["", "2"]]);
    let all = account.open_view(account.view_spec(Value::Null, &[]));
    assert_eq!(
        read_column(&account, all, "city"),
        ["London", "Leeds", "Rome", "Leeds", ""],
        "hidden rows are left alone"
    );
    let one = PasteBlock { at: 0, names: &["zip", "state"], lines: &[&["9"]], into: Some(&[(0, 1), (2, 5)]), ..block };
    assert_eq!(paste_block(&account, all, &one).unwrap().changed, 8);
    let shown = read_cells(&account, all, &["zip", "state"]);
    assert_eq!(shown, [["9", "9"], ["", ""], ["9", "9"], ["9", "9"], ["9", "9"]]);
    let two = PasteBlock { names: &["zip"], lines: &[&["a"], &["b"]], into: Some(&[(0, 4)]), ..one };
    paste_block(&account, all, &two).unwrap();
    assert_eq!(read_column(&account, all, "zip"), ["a", "b", "a", "b", "9"], "a whole number of blocks");
    let two = PasteBlock { into: Some(&[(0, 5)]), lines: &[&["c"], &["d"]], ..two };
    paste_block(&account, all, &two).unwrap();
    assert_eq!(read_column(&account, all, "zip"), ["c", "d", "a", "b", "9"], "else once");
    undo(&account);
    assert_eq!(read_column(&account, all, "zip"), ["a", "b", "a", "b", "9"]);
}

#[test]
fn lines_behind_the_last_row_become_contacts() {
    let (account, view) = open_cities(&["London"]);
    let long = "z".repeat(25);
    let block = PasteBlock {
        at: 0,
        names: &["phone_number", "city", "zip", "uid"],
        lines: &[
            &["07700900050", "Rome", "1", "x"],
            &["07700900051", "Oslo", &long],
            &["12", "Bern"],
            &["", "Wien"],
            &["", ""],
            &["07700900052"],
        ],
        into: None,
        mode: PasteMode::Plain,
    };
    let summary = paste_block(&account, view, &block).unwrap();
    assert_eq!(
        (summary.changed, summary.added, summary.left_out, summary.drafts, summary.first_added),
        (3, 2, 2, 1, Some(1))
    );
    let refused: Vec<(u64, &str)> = summary.refused.iter().map(|line| (line.line, line.message.as_str())).collect();
    assert_eq!(refused, [(2, "Invalid phone number."), (3, "Either phone_number or whatsapp_number must be given.")]);
    assert_eq!(
        summary.faults.iter().map(|fault| (fault.row, fault.field.as_str())).collect::<Vec<_>>(),
        [(0, "uid"), (1, "zip")]
    );
    let shown = read_cells(&account, view, &["phone_number", "city", "zip"]);
    assert_eq!(shown[1], ["+447700900051", "Oslo", &format!("!{long}")]);
    assert_eq!(shown[2], ["+447700900052", "", ""]);
    assert!(!account.read_status(view).is_stale);
    assert_eq!(roost_ops::list::get(&account.core, &account.list).unwrap().contact_count, 3);
    undo(&account);
    assert_eq!(account.refresh(view).total, 1);
    assert_eq!(roost_ops::list::get(&account.core, &account.list).unwrap().contact_count, 1);
}

#[test]
fn special_pastes_do_what_they_say() {
    let (account, view) = open_cities(&["London", "", "Leeds"]);
    let block = PasteBlock {
        at: 0,
        names: &["city"],
        lines: &[&["a"], &["b"], &["c"]],
        into: None,
        mode: PasteMode::BlanksOnly,
    };
    assert_eq!(paste_block(&account, view, &block).unwrap().changed, 1);
    assert_eq!(read_column(&account, view, "city"), ["London", "b", "Leeds"]);
    let turned = PasteBlock {
        names: &["city", "zip"],
        lines: &[&["1", "2", "3"], &["4", "5"]],
        mode: PasteMode::Transposed,
        ..block
    };
    paste_block(&account, view, &turned).unwrap();
    assert_eq!(read_cells(&account, view, &["city", "zip"]), [["1", "4"], ["2", "5"], ["3", ""]]);
    let numbers = PasteBlock {
        names: &["alternate_phone"],
        lines: &[&["(07700) 900 004"], &["no"]],
        mode: PasteMode::E164,
        ..turned
    };
    paste_block(&account, view, &numbers).unwrap();
    assert_eq!(read_column(&account, view, "alternate_phone"), ["+447700900004", "no", ""]);
}

#[test]
fn a_block_that_does_not_fit_says_why() {
    let (account, view) = open_cities(&["London", "Leeds"]);
    let block = PasteBlock { at: 0, names: &["city"], lines: &[&["a", "b"]], into: None, mode: PasteMode::Plain };
    for (block, expected) in [
        (PasteBlock { ..block }, "2 columns"),
        (PasteBlock { lines: &[], ..block }, "nothing to paste"),
        (PasteBlock { lines: &[&["1"], &["2"], &["3"]], into: Some(&[(0, 2)]), ..block }, "2 are selected"),
        (PasteBlock { names: &["colour"], lines: &[&["1"]], ..block }, "The field was not found"),
    ] {
        let why = paste_block(&account, view, &block).unwrap_err().to_string();
        assert!(why.contains(expected), "{why}");
    }
    let lines = vec![vec!["x".to_owned(); 2]; 500_001];
    let names = to_columns(&["city", "zip"]);
    let wanted = PasteRequest {
        view,
        generation: None,
        row: 0,
        columns: &names,
        block: &lines,
        into: None,
        mode: PasteMode::Plain,
        region: None,
    };
    assert!(account.core.grid().paste(&account.core, &me(), &wanted).unwrap_err().to_string().contains("at most"));
}

proptest! {
    #![proptest_config(Config { cases: 48, failure_persistence: None, ..Config::default() })]

    /// Any block is pasted at any place of any view: each covered cell shows what was pasted, and all others stay
    /// unchanged.
    #[test]
    fn any_block_pasted_into_any_view_changes_exactly_the_covered_cells(
        stock in vec("[ab]{0,2}", 0..7),
        lines in vec(vec("[a-c]{0,2}", 0..4), 1..6),
        at in 0..9_u64,
        from in 0..3_usize,
        part in "[ab]?",
        into in prop::option::of(vec((0..8_u64, 0..4_u64), 1..3)),
    ) {
        let names = ["city", "zip", "state", "country", "title"];
        let stock: Vec<&str> = stock.iter().map(String::as_str).collect();
        let (account, _) = open_cities(&stock);
        let filter = if part.is_empty() { Value::Null } else { json!({ "field": "city", "op": "contains", "value": part }) };
        let view = account.open_view(account.view_spec(filter, &[]));
        let before = read_cells(&account, view, &names);
        let total = before.len() as u64;
        let into = into.map(|pairs| RowIntervals::new(pairs.into_iter().map(|(from, len)| (from, from + len)).collect()).unwrap());
        let width = lines.iter().map(Vec::len).max().unwrap_or_default();
        let columns = to_columns(&names[from..]);
        let wanted = PasteRequest {
            view, generation: None, row: at, columns: &columns, block: &lines,
            into: into.as_ref(), mode: PasteMode::Plain, region: None,
        };
        let done = account.core.grid().paste(&account.core, &me(), &wanted);
        let chosen: Vec<u64> = into.as_ref().map(|into| into.rows().filter(|row| *row < total).collect()).unwrap_or_default();
        let fits = width > 0 && width <= columns.len() && (chosen.len() <= 1 || chosen.len() >= lines.len());
        prop_assert_eq!(done.is_ok(), fits);
        let mut expected = before.clone();
        if fits {
            let targets: Vec<u64> = if chosen.len() > 1 {
                if chosen.len().is_multiple_of(lines.len()) { chosen.clone() } else { chosen[..lines.len()].to_vec() }
            } else {
                let first = into.as_ref().and_then(|into| into.rows().next()).unwrap_or(at).min(total);
                (first..(first + lines.len() as u64).min(total)).collect()
            };
            let across = if into.is_some() && columns.len().is_multiple_of(width) { columns.len() } else { width };
            for (n, row) in targets.iter().enumerate() {
                for column in 0..across {
                    if let Some(text) = lines[n % lines.len()].get(column % width) {
                        expected[*row as usize][from + column] = text.clone();
                    }
                }
            }
            let summary = done.unwrap();
            // None of the columns is a number, so a line after the last row makes no contact.
            prop_assert_eq!((summary.added, summary.drafts), (0, 0));
            let differing = expected.concat().iter().zip(before.concat()).filter(|(a, b)| **a != *b).count();
            prop_assert_eq!(summary.changed as usize, differing);
            prop_assert_eq!(summary.step.is_some(), differing > 0);
        }
        prop_assert_eq!(&read_cells(&account, view, &names), &expected);
        let uids = account.uids(view);
        for (row, uid) in uids.iter().enumerate() {
            let card = contact::get(&account.core, &ContactId::parse(uid).unwrap()).unwrap();
            prop_assert_eq!(card.values.get("zip").cloned().unwrap_or_default(), expected[row][1].clone());
        }
    }
}
