//! Tests edges of data against a model that checks every cell in turn.

use std::sync::Arc;

use roost_model::page::SortOrder;
use roost_store::watch::Watch;
use serde_json::{Value, json};

use super::{
    super::{CellEdit, FindDirection, ViewId},
    GridAccount, contact_values, me,
};
use roost_ops::{
    contact,
    error::{Error, Result},
};

fn find_edge(account: &GridAccount, view: ViewId, row: usize, column: &str, direction: FindDirection) -> Result<u64> {
    let grid = account.core.grid();
    grid.find_edge(&account.core, view, None, row as u64, column, direction, &Arc::default())
}

/// Finds the edge in the simplest way.
fn expected_edge(filled: &[bool], row: usize, direction: FindDirection) -> u64 {
    let step = |at: usize| match direction {
        FindDirection::Forwards => Some(at + 1).filter(|next| *next < filled.len()),
        FindDirection::Backwards => at.checked_sub(1),
    };
    let mut at = row;
    if filled[at] && step(at).is_some_and(|next| filled[next]) {
        while let Some(next) = step(at).filter(|next| filled[*next]) {
            at = next;
        }
    } else {
        while let Some(next) = step(at) {
            at = next;
            if filled[at] {
                break;
            }
        }
    }
    at as u64
}

/// Checks the edges of a column in both directions from every `every`th row.
fn check_edges(account: &GridAccount, view: ViewId, column: &str, every: usize) {
    let shown = account.read_column(view, column).0;
    let filled: Vec<bool> = shown.iter().map(|text| text.as_ref().is_some_and(|text| !text.is_empty())).collect();
    let ends = [0, 1, filled.len() - 2, filled.len() - 1];
    for row in (0..filled.len()).step_by(every).chain(ends) {
        for direction in [FindDirection::Forwards, FindDirection::Backwards] {
            let found = find_edge(account, view, row, column, direction).unwrap();
            assert_eq!(found, expected_edge(&filled, row, direction), "{column} from {row}, {direction:?}");
        }
    }
}

#[test]
fn edges_are_where_one_sees_them_near_and_far() {
    let folder = tempfile::tempdir().unwrap();
    let account = GridAccount::in_file(&folder.path().join("account.roost"));
    let row = |n: u32| {
        // Short blocks, a long block, a long gap, and a full column.
        let city = n.is_multiple_of(3) || n.is_multiple_of(5);
        let state = (n > 200 && n < 3_000) || n > 5_800;
        let given = [city.then_some(("city", "x")), state.then_some(("state", "y")), Some(("zip", "1"))];
        contact_values(&given.into_iter().flatten().collect::<Vec<_>>(), n)
    };
    account.paste_rows((0..6_000).map(row));
    let plain = account.open_view(account.view_spec(Value::Null, &[]));
    let sorted = account.open_view(account.view_spec(Value::Null, &[("city", SortOrder::Ascending)]));
    let grid = account.core.grid();
    for is_in_memory in [false, true] {
        if is_in_memory {
            grid.caches.pools.start_filling(&account.core, &account.list);
            while grid.is_preparing() {
                std::thread::yield_now();
            }
            assert!(grid.caches.pools.find_filled(&account.core, &account.list, super::CITY).unwrap().is_some());
        }
        for view in [plain, sorted] {
            for (column, every) in [("city", 997), ("state", 703), ("zip", 3_999), ("title", 3_999), ("uid", 3_999)] {
                check_edges(&account, view, column, every);
            }
            check_edges(&account, view, "phone_region", 5_000);
        }
    }
    // Typing, a refused text, a deletion and an undo all take effect at once.
    let typed = |row: u64, field: &str, text: &str| CellEdit { row, field: field.into(), text: Some(text.into()) };
    let long = "z".repeat(200);
    let cells =
        [typed(5_000, "title", "Dr"), typed(3_500, "title", &long), typed(4_500, "zip", ""), typed(5_999, "city", "a")];
    grid.edit_cells(&account.core, &me(), plain, None, &cells, None).unwrap();
    for column in ["title", "zip", "city"] {
        check_edges(&account, plain, column, 2_777);
    }
    let uid = roost_model::id::ContactId::parse(&account.uids(plain)[4_000]).unwrap();
    contact::delete(&account.core, &me(), &uid).unwrap();
    check_edges(&account, plain, "zip", 2_777);
    assert_eq!(
        find_edge(&account, plain, 0, "zip", FindDirection::Forwards).unwrap(),
        3_999,
        "a row that is gone is blank"
    );
}

#[test]
fn where_there_is_no_cell_there_is_no_edge() {
    let account = GridAccount::new();
    let view = account.open_view(account.view_spec(Value::Null, &[]));
    assert!(matches!(find_edge(&account, view, 0, "city", FindDirection::Forwards), Err(Error::Invalid { .. })));
    account.add_contact(1, &[]);
    let state = account.refresh(view);
    for direction in [FindDirection::Forwards, FindDirection::Backwards] {
        assert_eq!(find_edge(&account, view, 0, "city", direction).unwrap(), 0);
    }
    assert!(matches!(find_edge(&account, view, 1, "city", FindDirection::Forwards), Err(Error::Invalid { .. })));
    assert!(matches!(find_edge(&account, view, 0, "colour", FindDirection::Forwards), Err(Error::Invalid { .. })));
    let grid = account.core.grid();
    let seen = Some(state.generation + 1);
    let moved = grid.find_edge(&account.core, view, seen, 0, "city", FindDirection::Forwards, &Arc::default());
    assert!(matches!(moved, Err(Error::Conflict { .. })));
    account.add_contact(2, &[]);
    let view = account.open_view(account.view_spec(json!({ "field": "phone_number", "blank": false }), &[]));
    let watch = Arc::new(Watch::default());
    watch.cancel();
    assert!(
        grid.find_edge(&account.core, view, None, 0, "city", FindDirection::Forwards, &watch).is_err(),
        "it can be ended"
    );
}
