//! Refused rows: stored, fixed, imported later or discarded.

use super::{
    super::{
        history,
        mapping::Rule,
        rejects::{self, RejectEdit},
        settle::Reason,
    },
    *,
};
use crate::history as steps;

fn file() -> File {
    File::of(&[
        ["07700900001", "", "York", "", ""],
        ["4.47E+11", "", "Hull", "", ""],
        ["nobody", "", "Bath", "", "stop"],
        ["12"; 5],
    ])
}

fn edit(reject: i64, column: u32, text: &str) -> RejectEdit {
    RejectEdit { reject, column, text: text.to_owned() }
}

#[test]
fn refused_rows_are_mended_and_taken_later() {
    let world = World::new();
    let imported = world.import(&file(), &mapping(Rule::IfBlank));
    assert_eq!(imported.rejects, 3);
    let page = rejects::page(&world.core, imported.import, 0, 10).unwrap();
    assert_eq!((page.total, page.columns.len()), (3, 5));
    assert_eq!(
        page.rows.iter().map(|row| (row.row, row.reason)).collect::<Vec<_>>(),
        [(1, Some(Reason::Spreadsheet)), (2, Some(Reason::NotANumber)), (3, Some(Reason::NotANumber))]
    );
    assert!(rejects::accept(&world.core, &me(), imported.import, None).is_err(), "none of them is good");
    let before = world.export();
    let edits = [edit(page.rows[0].reject, 0, "07700900002"), edit(page.rows[1].reject, 0, "07700900003")];
    let mended = rejects::mend(&world.core, &me(), imported.import, &edits).unwrap();
    assert_eq!(mended.iter().map(|row| row.reason).collect::<Vec<_>>(), [None, None]);
    let told = rejects::accept(&world.core, &me(), imported.import, Some(2)).unwrap();
    assert_eq!((told.accepted.counts.new, told.accepted.opt_outs, told.left), (2, 2, 1));
    assert_eq!(world.contacts().len(), 3);
    assert_eq!(history::get(&world.core, imported.import).unwrap().rejects, 1);
    let line = history::get(&world.core, told.accepted.import).unwrap();
    assert_eq!((line.of, line.rejects, line.can_revert), (Some(imported.import), 0, true));
    history::revert(&world.core, &me(), told.accepted.import).unwrap();
    assert_eq!(world.contacts(), before["lists"][0]["contacts"].as_array().unwrap().clone());
    assert_eq!(history::get(&world.core, imported.import).unwrap().rejects, 3, "they wait again");
}

#[test]
fn mending_is_an_act_that_can_be_taken_back() {
    let world = World::new();
    let import = world.import(&file(), &mapping(Rule::IfBlank)).import;
    let before = rejects::page(&world.core, import, 0, 10).unwrap();
    rejects::mend(&world.core, &me(), import, &[edit(before.rows[2].reject, 4, "x")]).unwrap();
    assert_eq!(rejects::discard(&world.core, &me(), import, &[before.rows[0].reject, 0]).unwrap(), 1);
    assert_eq!(rejects::discard(&world.core, &me(), import, &[]).unwrap(), 2);
    for _ in 0..3 {
        steps::undo(&world.core, &me()).unwrap();
    }
    assert_eq!(rejects::page(&world.core, import, 0, 10).unwrap(), before);
    let mut seen = 0;
    rejects::each(&world.core, import, |_| {
        seen += 1;
        Ok(())
    })
    .unwrap();
    assert_eq!(seen, 3);
    assert!(rejects::mend(&world.core, &me(), import, &[edit(before.rows[0].reject, 5, "x")]).is_err());
}

#[test]
fn refused_rows_go_with_their_import_and_come_with_it() {
    let world = World::new();
    let imported = world.import(&file(), &mapping(Rule::IfBlank));
    steps::undo(&world.core, &me()).unwrap();
    assert!(rejects::page(&world.core, imported.import, 0, 10).is_err());
    steps::redo(&world.core, &me()).unwrap();
    assert_eq!(rejects::page(&world.core, imported.import, 0, 10).unwrap().total, 3);
    history::revert(&world.core, &me(), imported.import).unwrap();
    assert_eq!(rejects::page(&world.core, imported.import, 0, 10).unwrap().total, 0);
}
