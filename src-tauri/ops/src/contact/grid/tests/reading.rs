//! Tests reading a view: windows, positions, finding, summaries, copying and refused requests.

use std::sync::Arc;

use roost_model::{id::ContactId, intervals::Intervals, page::SortOrder};
use roost_store::tables::contacts::grid::drafts;
use serde_json::{Value, json};

use super::{
    super::{Cell, Direction, Facet, Find, ViewId},
    Account, read_window,
};
use crate::{error::Error, history};

const CITIES: [Option<&str>; 6] =
    [Some("London"), Some("london bridge"), None, Some("Paris\tand \"more\""), Some("Londonderry"), Some("Paris")];

fn account() -> (Account, ViewId, Vec<ContactId>) {
    let account = Account::new();
    let uids = CITIES.iter().enumerate().map(|(n, city)| {
        let values: Vec<(&str, &str)> = city.iter().map(|city| ("city", *city)).collect();
        account.add(n as u32, &values)
    });
    let uids = uids.collect();
    let view =
        account.open(account.spec(Value::Null, &[("created_at", SortOrder::Ascending), ("uid", SortOrder::Ascending)]));
    (account, view, uids)
}

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

fn plain(text: &str) -> Find {
    Find {
        text: text.to_owned(),
        is_regex: false,
        is_case_sensitive: false,
        is_whole_cell: false,
        columns: names(&["phone_number", "city"]),
    }
}

#[test]
fn a_window_is_what_the_rows_show() {
    let (account, view, uids) = account();
    let (core, grid) = (&account.core, account.core.grid());
    let columns = names(&["city", "created_at", "uid", "phone_number"]);
    let window = read_window(&grid.window(core, view, None, 2, 3, &columns).unwrap());
    assert_eq!((window.generation, window.from), (1, 2));
    assert_eq!(window.columns[0], CITIES[2..5].iter().map(|city| city.map(str::to_owned)).collect::<Vec<_>>());
    assert_eq!(window.columns[1][0].as_deref(), Some("2026-01-05T09:00:00Z"));
    assert_eq!(window.columns[2][2].as_deref(), Some(uids[4].as_str()));
    assert_eq!((window.cells[0].as_slice(), window.flags.len()), ([1, 0, 0].as_slice(), 3));
    let behind = read_window(&grid.window(core, view, None, 99, 200, &columns).unwrap());
    assert_eq!((behind.flags.len(), behind.columns.len()), (0, 4));
    let older = read_window(&grid.window(core, view, Some(7), 0, 200, &columns).unwrap());
    assert_eq!((older.flags.len(), older.generation), (0, 1), "rows of another generation are not shown");
    for bad in [names(&["no_such"]), names(&["field_9"]), vec!["city".to_owned(); 65]] {
        assert!(matches!(grid.window(core, view, None, 0, 1, &bad), Err(Error::Invalid { .. })), "{bad:?}");
    }
    assert!(grid.window(core, view, None, 0, 1_001, &columns).is_err());
    for (row, uid) in uids.iter().enumerate() {
        assert_eq!(grid.locate(core, view, uid).unwrap(), Some(row as u64));
        assert_eq!(grid.uid(core, view, row as u64).unwrap().as_ref(), Some(uid));
    }
    assert_eq!(grid.uid(core, view, 6).unwrap(), None);
}

#[test]
fn a_draft_is_shown_in_place_of_the_value_found_copied_and_undone() {
    let (account, view, uids) = account();
    let (core, grid) = (&account.core, account.core.grid());
    let id = grid.ids_of(view, &Intervals::one(1)).unwrap()[0];
    let step = account.act(|tx| drafts::put(tx, id, "phone_number", Some("07700 9\n")).unwrap());
    grid.edited(core, view, step, &[id]).unwrap();
    let columns = names(&["phone_number"]);
    let window = read_window(&grid.window(core, view, None, 0, 3, &columns).unwrap());
    assert_eq!((window.columns[0][1].as_deref(), window.cells[0][1]), (Some("07700 9\n"), 2));
    assert_eq!(window.flags.iter().map(|bits| bits >> 6 & 1).collect::<Vec<_>>(), [0, 1, 0]);
    let problem = Cell { row: 1, column: "phone_number".into() };
    assert_eq!(grid.problem(core, view, None, false).unwrap().as_ref(), Some(&problem));
    assert_eq!(grid.problem(core, view, Some(1), false).unwrap(), None);
    assert_eq!(grid.problem(core, view, Some(4), true).unwrap().as_ref(), Some(&problem));
    let found = grid.find(core, view, &plain("00 9"), None, Direction::Forwards, &Arc::default()).unwrap();
    assert_eq!(found, Some(problem));
    let copied = grid.copy(core, view, &Intervals::one(1), &columns, &names(&["Phone"]), &Arc::default()).unwrap();
    assert_eq!(String::from_utf8(copied).unwrap(), "Phone\n\"07700 9\n\"\n");
    let drafted = account.open(account.spec(json!({ "draft": true }), &[]));
    assert_eq!(account.uids(drafted), [uids[1].to_string()]);
    history::undo(core, &super::me()).unwrap();
    assert_eq!(grid.problem(core, view, None, false).unwrap(), None, "undone like anything else");
}

#[test]
fn finding_goes_through_the_cells_in_the_order_of_the_screen() {
    let (account, view, _) = account();
    let (core, grid) = (&account.core, account.core.grid());
    for is_in_memory in [false, true] {
        if is_in_memory {
            grid.pools().fill(core, &account.list);
            while grid.is_preparing() {
                std::thread::yield_now();
            }
        }
        let walk = |find: &Find, direction: Direction| {
            let (mut cells, mut from) = (Vec::new(), None);
            while let Some(cell) = grid.find(core, view, find, from.as_ref(), direction, &Arc::default()).unwrap() {
                cells.push((cell.row, cell.column.clone()));
                from = Some(cell);
            }
            cells
        };
        let rows = |cells: Vec<(u64, String)>| cells.into_iter().map(|(row, _)| row).collect::<Vec<_>>();
        let find = plain("LONDON");
        assert_eq!(rows(walk(&find, Direction::Forwards)), [0, 1, 4]);
        assert_eq!(rows(walk(&find, Direction::Backwards)), [4, 1, 0]);
        let count = |find: &Find| {
            let count = grid.find_count(core, view, find, &Arc::default()).unwrap();
            (count.cells, count.rows)
        };
        assert_eq!(count(&find), (3, 3));
        assert_eq!(count(&Find { is_case_sensitive: true, ..plain("London") }), (2, 2));
        assert_eq!(count(&Find { is_whole_cell: true, ..find.clone() }), (1, 1));
        assert_eq!(
            count(&Find { is_whole_cell: true, columns: names(&["city"]), ..plain("") }),
            (1, 1),
            "the blank one"
        );
        assert_eq!(count(&Find { is_regex: true, ..plain("^(london|paris)$") }), (2, 2));
        assert_eq!(count(&Find { is_regex: true, is_whole_cell: true, ..plain("p|paris") }), (1, 1));
        assert_eq!(count(&plain("00900")), (6, 6), "inside numbers");
        assert_eq!(walk(&plain("0004"), Direction::Forwards), [(4, "phone_number".to_owned())]);
    }
    let told =
        grid.find(core, view, &Find { is_regex: true, ..plain("(") }, None, Direction::Forwards, &Arc::default());
    assert!(matches!(told, Err(Error::Invalid { .. })));
}

#[test]
fn a_selection_and_a_column_are_told_in_numbers() {
    let (account, view, _) = account();
    let (core, grid) = (&account.core, account.core.grid());
    let rows = Intervals::new(vec![(0, 3), (5, 99)]).unwrap();
    let told = grid.summary(core, view, &rows, &names(&["city"]), &Arc::default()).unwrap();
    assert_eq!((told.rows, told.cells, told.blanks, told.distinct), (4, 4, 1, Some(3)));
    let told = grid.summary(core, view, &rows, &names(&["city", "title"]), &Arc::default()).unwrap();
    assert_eq!((told.cells, told.blanks, told.distinct), (8, 5, None));
    account.add(9, &[("city", "Paris")]);
    account.refreshed(view);
    let facets = grid.facets(core, view, "city", 2, &Arc::default()).unwrap();
    assert_eq!((facets.distinct, facets.blanks), (5, 1));
    assert_eq!(facets.values[0], Facet { value: Some("Paris".into()), count: 2 });
    assert_eq!(facets.values.len(), 2);
    assert!(grid.facets(core, view, "nothing", 2, &Arc::default()).is_err());
    let copied =
        grid.copy(core, view, &Intervals::new(vec![(2, 4)]).unwrap(), &names(&["city", "title"]), &[], &Arc::default());
    assert_eq!(String::from_utf8(copied.unwrap()).unwrap(), "\t\n\"Paris\tand \"\"more\"\"\"\t\n");
}
