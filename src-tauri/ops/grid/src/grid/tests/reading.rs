//! Tests reading a view: windows, positions, finding, summaries, copying and refused requests.

use std::sync::Arc;

use roost_model::{id::ContactId, intervals::RowIntervals, page::SortOrder};
use roost_store::tables::contacts::grid::drafts;
use serde_json::{Value, json};

use super::{
    super::{CellPosition, FacetValue, FindDirection, FindQuery, ViewId},
    GridAccount, read_window,
};
use roost_ops::{error::Error, history};

const CITIES: [Option<&str>; 6] =
    [Some("London"), Some("london bridge"), None, Some("Paris\tand \"more\""), Some("Londonderry"), Some("Paris")];

fn account_with_cities() -> (GridAccount, ViewId, Vec<ContactId>) {
    let account = GridAccount::new();
    let uids = CITIES.iter().enumerate().map(|(n, city)| {
        let values: Vec<(&str, &str)> = city.iter().map(|city| ("city", *city)).collect();
        account.add_contact(n as u32, &values)
    });
    let uids = uids.collect();
    let view = account.open_view(
        account.view_spec(Value::Null, &[("created_at", SortOrder::Ascending), ("uid", SortOrder::Ascending)]),
    );
    (account, view, uids)
}

fn to_names(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

fn find_plain(text: &str) -> FindQuery {
    FindQuery {
        text: text.to_owned(),
        is_regex: false,
        is_case_sensitive: false,
        is_whole_cell: false,
        columns: to_names(&["phone_number", "city"]),
    }
}

#[test]
fn a_window_is_what_the_rows_show() {
    let (account, view, uids) = account_with_cities();
    let (core, grid) = (&account.core, account.core.grid());
    let columns = to_names(&["city", "created_at", "uid", "phone_number"]);
    let window = read_window(&grid.read_window(core, view, None, 2, 3, &columns).unwrap());
    assert_eq!((window.generation, window.from), (1, 2));
    assert_eq!(window.columns[0], CITIES[2..5].iter().map(|city| city.map(str::to_owned)).collect::<Vec<_>>());
    assert_eq!(window.columns[1][0].as_deref(), Some("2026-01-05T09:00:00Z"));
    assert_eq!(window.columns[2][2].as_deref(), Some(uids[4].as_str()));
    assert_eq!((window.cells[0].as_slice(), window.flags.len()), ([1, 0, 0].as_slice(), 3));
    let behind = read_window(&grid.read_window(core, view, None, 99, 200, &columns).unwrap());
    assert_eq!((behind.flags.len(), behind.columns.len()), (0, 4));
    let older = read_window(&grid.read_window(core, view, Some(7), 0, 200, &columns).unwrap());
    assert_eq!((older.flags.len(), older.generation), (0, 1), "rows of another generation are not shown");
    for bad in [to_names(&["no_such"]), to_names(&["field_9"]), vec!["city".to_owned(); 65]] {
        assert!(matches!(grid.read_window(core, view, None, 0, 1, &bad), Err(Error::Invalid { .. })), "{bad:?}");
    }
    assert!(grid.read_window(core, view, None, 0, 1_001, &columns).is_err());
    for (row, uid) in uids.iter().enumerate() {
        assert_eq!(grid.find_row(core, view, uid).unwrap(), Some(row as u64));
        assert_eq!(grid.find_contact(core, view, row as u64).unwrap().as_ref(), Some(uid));
    }
    assert_eq!(grid.find_contact(core, view, 6).unwrap(), None);
}

#[test]
fn a_draft_is_shown_in_place_of_the_value_found_copied_and_undone() {
    let (account, view, uids) = account_with_cities();
    let (core, grid) = (&account.core, account.core.grid());
    let id = grid.row_ids(view, &RowIntervals::single_row(1)).unwrap()[0];
    let step = account.write_step(|tx| drafts::set_draft(tx, id, "phone_number", Some("07700 9\n")).unwrap());
    grid.mark_edited(core, view, step, &[id]).unwrap();
    let columns = to_names(&["phone_number"]);
    let window = read_window(&grid.read_window(core, view, None, 0, 3, &columns).unwrap());
    assert_eq!((window.columns[0][1].as_deref(), window.cells[0][1]), (Some("07700 9\n"), 2));
    assert_eq!(window.flags.iter().map(|bits| bits >> 6 & 1).collect::<Vec<_>>(), [0, 1, 0]);
    let problem = CellPosition { row: 1, column: "phone_number".into() };
    assert_eq!(grid.find_draft(core, view, None, false).unwrap().as_ref(), Some(&problem));
    assert_eq!(grid.find_draft(core, view, Some(1), false).unwrap(), None);
    assert_eq!(grid.find_draft(core, view, Some(4), true).unwrap().as_ref(), Some(&problem));
    let found =
        grid.find_cell(core, view, &find_plain("00 9"), None, FindDirection::Forwards, &Arc::default()).unwrap();
    assert_eq!(found, Some(problem));
    let copied = grid
        .copy_cells(core, view, &RowIntervals::single_row(1), &columns, &to_names(&["Phone"]), &Arc::default())
        .unwrap();
    assert_eq!(String::from_utf8(copied).unwrap(), "Phone\n\"07700 9\n\"\n");
    let drafted = account.open_view(account.view_spec(json!({ "draft": true }), &[]));
    assert_eq!(account.uids(drafted), [uids[1].to_string()]);
    history::undo(core, &super::me()).unwrap();
    assert_eq!(grid.find_draft(core, view, None, false).unwrap(), None, "undone like anything else");
}

#[test]
fn finding_goes_through_the_cells_in_the_order_of_the_screen() {
    let (account, view, _) = account_with_cities();
    let (core, grid) = (&account.core, account.core.grid());
    for is_in_memory in [false, true] {
        if is_in_memory {
            grid.caches.pools.start_filling(core, &account.list);
            while grid.is_preparing() {
                std::thread::yield_now();
            }
        }
        let walk = |find: &FindQuery, direction: FindDirection| {
            let (mut cells, mut from) = (Vec::new(), None);
            while let Some(cell) = grid.find_cell(core, view, find, from.as_ref(), direction, &Arc::default()).unwrap()
            {
                cells.push((cell.row, cell.column.clone()));
                from = Some(cell);
            }
            cells
        };
        let rows = |cells: Vec<(u64, String)>| cells.into_iter().map(|(row, _)| row).collect::<Vec<_>>();
        let find = find_plain("LONDON");
        assert_eq!(rows(walk(&find, FindDirection::Forwards)), [0, 1, 4]);
        assert_eq!(rows(walk(&find, FindDirection::Backwards)), [4, 1, 0]);
        let count = |find: &FindQuery| {
            let count = grid.count_matches(core, view, find, &Arc::default()).unwrap();
            (count.cells, count.rows)
        };
        assert_eq!(count(&find), (3, 3));
        assert_eq!(count(&FindQuery { is_case_sensitive: true, ..find_plain("London") }), (2, 2));
        assert_eq!(count(&FindQuery { is_whole_cell: true, ..find.clone() }), (1, 1));
        assert_eq!(
            count(&FindQuery { is_whole_cell: true, columns: to_names(&["city"]), ..find_plain("") }),
            (1, 1),
            "the blank one"
        );
        assert_eq!(count(&FindQuery { is_regex: true, ..find_plain("^(london|paris)$") }), (2, 2));
        assert_eq!(count(&FindQuery { is_regex: true, is_whole_cell: true, ..find_plain("p|paris") }), (1, 1));
        assert_eq!(count(&find_plain("00900")), (6, 6), "inside numbers");
        assert_eq!(walk(&find_plain("0004"), FindDirection::Forwards), [(4, "phone_number".to_owned())]);
    }
    let found = grid.find_cell(
        core,
        view,
        &FindQuery { is_regex: true, ..find_plain("(") },
        None,
        FindDirection::Forwards,
        &Arc::default(),
    );
    assert!(matches!(found, Err(Error::Invalid { .. })));
}

#[test]
fn a_selection_and_a_column_are_summarized_in_numbers() {
    let (account, view, _) = account_with_cities();
    let (core, grid) = (&account.core, account.core.grid());
    let rows = RowIntervals::new(vec![(0, 3), (5, 99)]).unwrap();
    let summary = grid.summarize(core, view, &rows, &to_names(&["city"]), &Arc::default()).unwrap();
    assert_eq!((summary.rows, summary.cells, summary.blanks, summary.distinct), (4, 4, 1, Some(3)));
    let summary = grid.summarize(core, view, &rows, &to_names(&["city", "title"]), &Arc::default()).unwrap();
    assert_eq!((summary.cells, summary.blanks, summary.distinct), (8, 5, None));
    account.add_contact(9, &[("city", "Paris")]);
    account.refresh(view);
    let facets = grid.read_facets(core, view, "city", 2, &Arc::default()).unwrap();
    assert_eq!((facets.distinct, facets.blanks), (5, 1));
    assert_eq!(facets.values[0], FacetValue { value: Some("Paris".into()), count: 2 });
    assert_eq!(facets.values.len(), 2);
    assert!(grid.read_facets(core, view, "nothing", 2, &Arc::default()).is_err());
    let copied = grid.copy_cells(
        core,
        view,
        &RowIntervals::new(vec![(2, 4)]).unwrap(),
        &to_names(&["city", "title"]),
        &[],
        &Arc::default(),
    );
    assert_eq!(String::from_utf8(copied.unwrap()).unwrap(), "\t\n\"Paris\tand \"\"more\"\"\"\t\n");
}
