//! Tests exporting rows of a view: stored values only, in the order of the view, and only if the rows have not moved.

use std::{io::Cursor, sync::Arc};

use roost_model::intervals::RowIntervals;
use serde_json::Value;

use super::{
    super::{CellEdit, ViewId},
    GridAccount, me,
};
use roost_exports::{self as export, CsvStyle, ExportRequest, ExportScope, FileFormat};
use roost_ops::error::Error;

fn to_names(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

fn export_text(account: &GridAccount, export: &ExportRequest) -> String {
    let mut out = Cursor::new(Vec::new());
    let exporting = export::prepare_export(&account.core, export).unwrap();
    let rows = exporting.write(&account.core, &Arc::default(), &mut out).unwrap();
    assert_eq!(rows, exporting.row_count());
    String::from_utf8(out.into_inner()).unwrap()
}

fn view_scope(account: &GridAccount, view: ViewId, rows: Option<&RowIntervals>) -> ExportScope {
    let (spec, ids) = account.core.grid().select_export_rows(view, Some(1), rows).unwrap();
    ExportScope::Contacts { list: spec.list, ids }
}

#[test]
fn a_file_holds_values_in_the_order_of_the_view_and_no_drafts() {
    let account = GridAccount::new();
    for (number, city) in ["Oslo", "=Rome", "Bern"].into_iter().enumerate() {
        account.core.ctx().advance(1);
        account.add_contact(number as u32, &[("city", city)]);
    }
    let view = account.open_view(account.view_spec(Value::Null, &[]));
    let draft = CellEdit { row: 0, field: "phone_number".into(), text: Some("12".into()) };
    account.core.grid().edit_cells(&account.core, &me(), view, None, &[draft], None).unwrap();
    let rows = RowIntervals::new(vec![(0, 1), (2, 9)]).unwrap();
    let mut export = ExportRequest {
        scope: view_scope(&account, view, Some(&rows)),
        format: FileFormat::Csv(CsvStyle::default()),
        columns: to_names(&["city", "phone_number", "title", "created_at", "list"]),
        headings: to_names(&["-A", "B", "C", "D", "E"]),
        short_link_base: String::new(),
        without_opted_out: false,
    };
    let exported = export_text(&account, &export);
    let lines: Vec<&str> = exported.split("\r\n").collect();
    assert_eq!(lines[0], "'-A,B,C,D,E");
    assert_eq!(lines[1], "Bern,+447700900002,,2026-01-05T09:00:03Z,Everybody", "the value, not what was refused");
    assert_eq!(lines[2..], ["Oslo,+447700900000,,2026-01-05T09:00:01Z,Everybody", ""]);
    export.scope = view_scope(&account, view, None);
    assert_eq!(
        export_text(&account, &export).lines().nth(2),
        Some("'=Rome,+447700900001,,2026-01-05T09:00:02Z,Everybody")
    );
    let preview = export::prepare_export(&account.core, &export).unwrap().preview(&account.core, 2).unwrap();
    assert_eq!((preview.rows, preview.cells.len(), preview.cells[1][0].as_str()), (3, 2, "=Rome"));
    let count_drafts = |export: &ExportRequest| -> Vec<(String, u64)> {
        let sample = export::prepare_export(&account.core, export).unwrap().preview(&account.core, 2).unwrap();
        sample.drafts.into_iter().map(|one| (one.name, one.contacts)).collect()
    };
    assert_eq!(count_drafts(&export), [("Everybody".to_owned(), 1)]);
    export.scope = view_scope(&account, view, Some(&RowIntervals::new(vec![(1, 9)]).unwrap()));
    assert_eq!(count_drafts(&export), [], "the contact with the draft is not among them");
    export.scope = ExportScope::Account;
    assert_eq!(count_drafts(&export), [("Everybody".to_owned(), 1)]);
    (export.columns, export.headings) = (to_names(&["city"]), Vec::new());
    assert_eq!(count_drafts(&export), [], "nor is its column");

    let moved = account.core.grid().select_export_rows(view, Some(7), None);
    assert!(matches!(moved, Err(Error::Conflict { .. })));
}
