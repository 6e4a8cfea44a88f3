//! Tests pasting blocks over views: positions, modes, and the lines after the last row.

use proptest::{collection::vec, prelude::*, test_runner::Config};
use roost_model::{id::ContactId, intervals::Intervals};
use serde_json::{Value, json};

use super::{cells, cities, column, columns, rows, undo};
use crate::{
    contact,
    error::Result,
    grid::{
        Paste, PasteMode, Pasted, ViewId,
        tests::{Account, me},
    },
};

struct Block<'a> {
    at: u64,
    names: &'a [&'a str],
    lines: &'a [&'a [&'a str]],
    into: Option<&'a [(u64, u64)]>,
    mode: PasteMode,
}

fn paste(account: &Account, view: ViewId, block: &Block) -> Result<Pasted> {
    let names = columns(block.names);
    let lines: Vec<Vec<String>> = block.lines.iter().map(|line| columns(line)).collect();
    let into = block.into.map(rows);
    let wanted = Paste {
        view,
        generation: None,
        row: block.at,
        columns: &names,
        block: &lines,
        into: into.as_ref(),
        mode: block.mode,
        region: None,
    };
    let seen = account.core.grid().paste_preview(&account.core, &me(), &wanted);
    let done = account.core.grid().paste(&account.core, &me(), &wanted);
    if let (Ok(seen), Ok(done)) = (&seen, &done) {
        let numbers = |pasted: &Pasted| {
            let Pasted { cells, changed, drafts, added, left_out, .. } = *pasted;
            (cells, changed, drafts, added, left_out)
        };
        assert_eq!(numbers(seen), numbers(done), "the preview tells the truth");
        assert_eq!((&seen.faults, &seen.refused), (&done.faults, &done.refused));
    }
    done
}

#[test]
fn a_block_is_pasted_over_filtered_rows_and_a_value_over_many() {
    let (account, _) = cities(&["London", "Leeds", "London", "Leeds", "London"]);
    let filter = json!({ "field": "city", "op": "is", "value": "London" });
    let view = account.open(account.spec(filter, &[]));
    let block = Block {
        at: 1,
        names: &["city", "zip", "state"],
        lines: &[&["Rome", "1"], &["", "2"]],
        into: None,
        mode: PasteMode::Plain,
    };
    let told = paste(&account, view, &block).unwrap();
    assert_eq!((told.cells, told.changed, told.added), (4, 4, 0));
    assert_eq!(cells(&account, view, &["city", "zip"]), [["London", ""], ["Rome", "1"], ["", "2"]]);
    let all = account.open(account.spec(Value::Null, &[]));
    assert_eq!(column(&account, all, "city"), ["London", "Leeds", "Rome", "Leeds", ""], "hidden rows are left alone");
    let one = Block { at: 0, names: &["zip", "state"], lines: &[&["9"]], into: Some(&[(0, 1), (2, 5)]), ..block };
    assert_eq!(paste(&account, all, &one).unwrap().changed, 8);
    let shown = cells(&account, all, &["zip", "state"]);
    assert_eq!(shown, [["9", "9"], ["", ""], ["9", "9"], ["9", "9"], ["9", "9"]]);
    let two = Block { names: &["zip"], lines: &[&["a"], &["b"]], into: Some(&[(0, 4)]), ..one };
    paste(&account, all, &two).unwrap();
    assert_eq!(column(&account, all, "zip"), ["a", "b", "a", "b", "9"], "a whole number of blocks");
    let two = Block { into: Some(&[(0, 5)]), lines: &[&["c"], &["d"]], ..two };
    paste(&account, all, &two).unwrap();
    assert_eq!(column(&account, all, "zip"), ["c", "d", "a", "b", "9"], "else once");
    undo(&account);
    assert_eq!(column(&account, all, "zip"), ["a", "b", "a", "b", "9"]);
}

#[test]
fn lines_behind_the_last_row_become_contacts() {
    let (account, view) = cities(&["London"]);
    let long = "z".repeat(25);
    let block = Block {
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
    let told = paste(&account, view, &block).unwrap();
    assert_eq!((told.changed, told.added, told.left_out, told.drafts, told.first_added), (3, 2, 2, 1, Some(1)));
    let refused: Vec<(u64, &str)> = told.refused.iter().map(|line| (line.line, line.message.as_str())).collect();
    assert_eq!(refused, [(2, "Invalid phone number."), (3, "Either phone_number or whatsapp_number must be given.")]);
    assert_eq!(
        told.faults.iter().map(|fault| (fault.row, fault.field.as_str())).collect::<Vec<_>>(),
        [(0, "uid"), (1, "zip")]
    );
    let shown = cells(&account, view, &["phone_number", "city", "zip"]);
    assert_eq!(shown[1], ["+447700900051", "Oslo", &format!("!{long}")]);
    assert_eq!(shown[2], ["+447700900052", "", ""]);
    assert!(!account.state(view).is_stale);
    assert_eq!(crate::list::get(&account.core, &account.list).unwrap().contact_count, 3);
    undo(&account);
    assert_eq!(account.refreshed(view).total, 1);
    assert_eq!(crate::list::get(&account.core, &account.list).unwrap().contact_count, 1);
}

#[test]
fn special_pastes_do_what_they_say() {
    let (account, view) = cities(&["London", "", "Leeds"]);
    let block =
        Block { at: 0, names: &["city"], lines: &[&["a"], &["b"], &["c"]], into: None, mode: PasteMode::BlanksOnly };
    assert_eq!(paste(&account, view, &block).unwrap().changed, 1);
    assert_eq!(column(&account, view, "city"), ["London", "b", "Leeds"]);
    let turned = Block {
        names: &["city", "zip"],
        lines: &[&["1", "2", "3"], &["4", "5"]],
        mode: PasteMode::Transposed,
        ..block
    };
    paste(&account, view, &turned).unwrap();
    assert_eq!(cells(&account, view, &["city", "zip"]), [["1", "4"], ["2", "5"], ["3", ""]]);
    let numbers =
        Block { names: &["alternate_phone"], lines: &[&["(07700) 900 004"], &["no"]], mode: PasteMode::E164, ..turned };
    paste(&account, view, &numbers).unwrap();
    assert_eq!(column(&account, view, "alternate_phone"), ["+447700900004", "no", ""]);
}

#[test]
fn a_block_that_does_not_fit_says_why() {
    let (account, view) = cities(&["London", "Leeds"]);
    let block = Block { at: 0, names: &["city"], lines: &[&["a", "b"]], into: None, mode: PasteMode::Plain };
    for (block, told) in [
        (Block { ..block }, "2 columns"),
        (Block { lines: &[], ..block }, "nothing to paste"),
        (Block { lines: &[&["1"], &["2"], &["3"]], into: Some(&[(0, 2)]), ..block }, "2 are selected"),
        (Block { names: &["colour"], lines: &[&["1"]], ..block }, "no such field"),
    ] {
        let why = paste(&account, view, &block).unwrap_err().to_string();
        assert!(why.contains(told), "{why}");
    }
    let lines = vec![vec!["x".to_owned(); 2]; 500_001];
    let names = columns(&["city", "zip"]);
    let wanted = Paste {
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
    fn any_block_over_any_view(
        stock in vec("[ab]{0,2}", 0..7),
        lines in vec(vec("[a-c]{0,2}", 0..4), 1..6),
        at in 0..9_u64,
        from in 0..3_usize,
        part in "[ab]?",
        into in prop::option::of(vec((0..8_u64, 0..4_u64), 1..3)),
    ) {
        let names = ["city", "zip", "state", "country", "title"];
        let stock: Vec<&str> = stock.iter().map(String::as_str).collect();
        let (account, _) = cities(&stock);
        let filter = if part.is_empty() { Value::Null } else { json!({ "field": "city", "op": "contains", "value": part }) };
        let view = account.open(account.spec(filter, &[]));
        let before = cells(&account, view, &names);
        let total = before.len() as u64;
        let into = into.map(|pairs| Intervals::new(pairs.into_iter().map(|(from, len)| (from, from + len)).collect()).unwrap());
        let width = lines.iter().map(Vec::len).max().unwrap_or_default();
        let columns = columns(&names[from..]);
        let wanted = Paste {
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
            let told = done.unwrap();
            // None of the columns is a number, so a line after the last row makes no contact.
            prop_assert_eq!((told.added, told.drafts), (0, 0));
            let differing = expected.concat().iter().zip(before.concat()).filter(|(a, b)| **a != *b).count();
            prop_assert_eq!(told.changed as usize, differing);
            prop_assert_eq!(told.step.is_some(), differing > 0);
        }
        prop_assert_eq!(&cells(&account, view, &names), &expected);
        let uids = account.uids(view);
        for (row, uid) in uids.iter().enumerate() {
            let card = contact::get(&account.core, &ContactId::parse(uid).unwrap()).unwrap();
            prop_assert_eq!(card.values.get("zip").cloned().unwrap_or_default(), expected[row][1].clone());
        }
    }
}
