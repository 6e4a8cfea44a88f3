//! Refused rows: stored, fixed, imported later or discarded.

use super::{
    super::{
        history,
        mapping::OverwriteRule,
        rejects::{self, RejectEdit},
        validate::RejectReason,
        verdicts::RowBucket,
    },
    *,
};
use roost_ops::history as steps;

fn sample_file() -> SpooledFile {
    SpooledFile::from_rows(&[
        ["07700900001", "", "York", "", ""],
        ["4.47E+11", "", "Hull", "", ""],
        ["nobody", "", "Bath", "", "stop"],
        ["12"; 5],
    ])
}

fn cell_edit(reject: i64, column: u32, text: &str) -> RejectEdit {
    RejectEdit { reject, column, text: text.to_owned() }
}

#[test]
fn refused_rows_are_corrected_and_imported_later() {
    let world = TestAccount::new();
    let imported = world.import_file(&sample_file(), &sample_mapping(OverwriteRule::IfBlank));
    assert_eq!(imported.rejects, 3);
    let page =
        rejects::list_rejects(&world.core, &world.core.imports().rehearsed_rejects, imported.import, 0, 10).unwrap();
    assert_eq!((page.total, page.columns.len()), (3, 5));
    assert_eq!(
        page.rows.iter().map(|row| (row.row, row.reason)).collect::<Vec<_>>(),
        [
            (1, Some(RejectReason::Spreadsheet)),
            (2, Some(RejectReason::NotANumber)),
            (3, Some(RejectReason::NotANumber))
        ]
    );
    assert!(rejects::accept_rejects(&world.core, &user(), imported.import, None).is_err(), "none of them is good");
    let before = world.export_seed();
    let edits = [cell_edit(page.rows[0].reject, 0, "07700900002"), cell_edit(page.rows[1].reject, 0, "07700900003")];
    let mended =
        rejects::fix_rejects(&world.core, &world.core.imports().rehearsed_rejects, &user(), imported.import, &edits)
            .unwrap();
    assert_eq!(mended.iter().map(|row| row.reason).collect::<Vec<_>>(), [None, None]);
    let result = rejects::accept_rejects(&world.core, &user(), imported.import, Some(2)).unwrap();
    assert_eq!((result.accepted.counts.new, result.accepted.opt_outs, result.left), (2, 2, 1));
    assert_eq!(world.contacts().len(), 3);
    assert_eq!(history::get(&world.core, imported.import).unwrap().rejects, 1);
    let line = history::get(&world.core, result.accepted.import).unwrap();
    assert_eq!((line.of, line.rejects, line.can_revert), (Some(imported.import), 0, true));
    history::revert(&world.core, &user(), result.accepted.import).unwrap();
    assert_eq!(world.contacts(), before["lists"][0]["contacts"].as_array().unwrap().clone());
    assert_eq!(history::get(&world.core, imported.import).unwrap().rejects, 3, "they wait again");
}

#[test]
fn a_fixed_row_says_what_would_become_of_it() {
    let world = TestAccount::new();
    let import = world.import_file(&sample_file(), &sample_mapping(OverwriteRule::IfBlank)).import;
    let rows = rejects::list_rejects(&world.core, &world.core.imports().rehearsed_rejects, import, 0, 10).unwrap().rows;
    assert_eq!(rows.iter().map(|row| row.bucket).collect::<Vec<_>>(), [RowBucket::Invalid; 3]);
    let edits = [
        cell_edit(rows[0].reject, 0, "07700900001"),
        cell_edit(rows[1].reject, 0, "07700900002"),
        cell_edit(rows[2].reject, 0, "07700900002"),
        cell_edit(rows[2].reject, 1, ""),
    ];
    rejects::fix_rejects(&world.core, &world.core.imports().rehearsed_rejects, &user(), import, &edits).unwrap();
    let rows = rejects::list_rejects(&world.core, &world.core.imports().rehearsed_rejects, import, 0, 10).unwrap().rows;
    assert_eq!(
        rows.iter().map(|row| row.bucket).collect::<Vec<_>>(),
        [RowBucket::Kept, RowBucket::New, RowBucket::DuplicateInFile]
    );
}

#[test]
fn a_duplicate_is_found_however_far_away_its_row_is() {
    let world = TestAccount::new();
    let rows: Vec<_> = (0..1_200).map(|_| ["nobody", "", "Bath", "", ""]).collect();
    let import = world.import_file(&SpooledFile::from_rows(&rows), &sample_mapping(OverwriteRule::IfBlank)).import;
    let page = |from| {
        rejects::list_rejects(&world.core, &world.core.imports().rehearsed_rejects, import, from, 500).unwrap().rows
    };
    let (first, last) = (page(0)[0].reject, page(1_000)[199].reject);
    let edits = [first, last].map(|reject| cell_edit(reject, 0, "07700900001"));
    let fixed =
        rejects::fix_rejects(&world.core, &world.core.imports().rehearsed_rejects, &user(), import, &edits[..1])
            .unwrap();
    assert_eq!(fixed[0].bucket, RowBucket::New);
    let fixed =
        rejects::fix_rejects(&world.core, &world.core.imports().rehearsed_rejects, &user(), import, &edits[1..])
            .unwrap();
    assert_eq!(fixed[0].bucket, RowBucket::DuplicateInFile);
    assert_eq!((page(0)[0].bucket, page(1_000)[199].bucket), (RowBucket::New, RowBucket::DuplicateInFile));
    contact::add(
        &world.core,
        &user(),
        &world.list,
        &[("phone_number".to_owned(), Some("+447700900001".to_owned()))].into(),
        None,
    )
    .unwrap();
    assert_eq!(page(0)[0].bucket, RowBucket::Changed, "the list has it by now");
}

#[test]
fn fixing_and_discarding_rejected_rows_can_be_undone() {
    let world = TestAccount::new();
    let import = world.import_file(&sample_file(), &sample_mapping(OverwriteRule::IfBlank)).import;
    let before = rejects::list_rejects(&world.core, &world.core.imports().rehearsed_rejects, import, 0, 10).unwrap();
    rejects::fix_rejects(
        &world.core,
        &world.core.imports().rehearsed_rejects,
        &user(),
        import,
        &[cell_edit(before.rows[2].reject, 4, "x")],
    )
    .unwrap();
    assert_eq!(rejects::discard_rejects(&world.core, &user(), import, &[before.rows[0].reject, 0]).unwrap(), 1);
    assert_eq!(rejects::discard_rejects(&world.core, &user(), import, &[]).unwrap(), 2);
    for _ in 0..3 {
        steps::undo(&world.core, &user()).unwrap();
    }
    assert_eq!(
        rejects::list_rejects(&world.core, &world.core.imports().rehearsed_rejects, import, 0, 10).unwrap(),
        before
    );
    let mut seen = 0;
    rejects::visit_rejects(&world.core, import, |_| {
        seen += 1;
        Ok(())
    })
    .unwrap();
    assert_eq!(seen, 3);
    assert!(
        rejects::fix_rejects(
            &world.core,
            &world.core.imports().rehearsed_rejects,
            &user(),
            import,
            &[cell_edit(before.rows[0].reject, 5, "x")]
        )
        .is_err()
    );
}

#[test]
fn rejected_rows_are_removed_and_restored_with_their_import() {
    let world = TestAccount::new();
    let imported = world.import_file(&sample_file(), &sample_mapping(OverwriteRule::IfBlank));
    steps::undo(&world.core, &user()).unwrap();
    assert!(
        rejects::list_rejects(&world.core, &world.core.imports().rehearsed_rejects, imported.import, 0, 10).is_err()
    );
    steps::redo(&world.core, &user()).unwrap();
    assert_eq!(
        rejects::list_rejects(&world.core, &world.core.imports().rehearsed_rejects, imported.import, 0, 10)
            .unwrap()
            .total,
        3
    );
    history::revert(&world.core, &user(), imported.import).unwrap();
    assert_eq!(
        rejects::list_rejects(&world.core, &world.core.imports().rehearsed_rejects, imported.import, 0, 10)
            .unwrap()
            .total,
        0
    );
}
