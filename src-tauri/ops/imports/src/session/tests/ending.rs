//! Work that is cancelled, and imports that are discarded.

use super::*;
use crate::session::ImportFileState;
use crate::tests::test_core::TestCore;

/// Returns so many rows that reading them cannot end before it is cancelled.
fn long_table() -> String {
    let rows = (0..400_000).map(|row| format!("0770{row:07},Name {row},Some Street {row}\n"));
    std::iter::once("Phone,Name,Street\n".to_owned()).chain(rows).collect()
}

#[test]
fn reading_is_ended_and_goes_on_when_asked() {
    let world = SessionFixture::new();
    let import = world.open_import(vec![text_source("small", PEOPLE), world.write_file("many.csv", long_table())]);
    world.core.imports().cancel(&world.core, import).unwrap();
    let state = world.wait_until_settled(import);
    assert_eq!((state.stage, state.fault.as_deref()), (ImportStage::Mapping, Some("The operation was cancelled.")));
    assert_eq!(state.files[1].state, ImportFileState::Waiting);
    assert!(world.core.imports().describe_table(&world.core, import).is_err(), "not every file was read");
    assert!(world.core.imports().rehearse(&world.core, import).is_err());
    world.core.imports().read_files(&world.core, import).unwrap();
    let state = world.wait_until_settled(import);
    assert_eq!((state.rows, state.fault), (400_003, None));
}

#[test]
fn it_is_shown_among_the_tasks_while_it_works() {
    let world = SessionFixture::new();
    let import = world.open_import(vec![world.write_file("many.csv", long_table())]);
    let tasks = world.core.imports().list_tasks();
    assert_eq!((tasks.len(), tasks[0].import), (1, import));
    assert_eq!(tasks[0].progress.bytes_total, fs::metadata(world.file_path("many.csv")).unwrap().len());
    assert!(world.core.imports().cancel_task(import));
    assert_eq!(world.wait_until_settled(import).fault.as_deref(), Some("The operation was cancelled."));
    assert!(!world.core.imports().cancel_task(import) && world.core.imports().list_tasks().is_empty());
}

#[test]
fn an_import_counts_the_rows_that_nothing_else_has() {
    let world = SessionFixture::new();
    let refused = ImportSource::Text { name: "Pasted".to_owned(), text: PEOPLE.to_owned(), rows: Some(vec![3, 5, 9]) };
    let import = world.open_import(vec![text_source("all.csv", PEOPLE), refused]);
    assert_eq!(world.wait_until_settled(import).refused_rows, 3);
    let world = world.restart();
    assert_eq!(world.core.imports().list_waiting(&world.core).unwrap()[0].refused_rows, 3);
}

#[test]
fn who_discards_an_import_leaves_nothing_behind() {
    let world = SessionFixture::new();
    let import = world.open_import(vec![world.write_file("many.csv", long_table())]);
    world.core.imports().discard(&world.core, import).unwrap();
    world.core.imports().discard(&world.core, import).unwrap();
    assert_eq!(world.stored_folders(), [""; 0]);
    let error = world.core.imports().state(&world.core, import, None, LONG).unwrap_err();
    assert!(error.to_string().contains("Open the files again"), "{error}");
    assert_eq!(world.core.imports().list_waiting(&world.core).unwrap(), []);
    assert!(world.file_path("many.csv").exists(), "files are the person's own");
}

#[test]
fn an_account_that_is_closed_ends_what_reads_for_it() {
    let world = SessionFixture::new();
    let import = world.open_import(vec![world.write_file("many.csv", long_table())]);
    let world = world.restart();
    let state = world.wait_until_settled(import);
    assert_eq!((state.rows, state.fault), (400_000, None), "it was read once more");
}

#[test]
fn an_account_in_memory_puts_things_aside_for_as_long_as_it_lives() {
    let core = TestCore::in_memory(fixed_ctx());
    let source = text_source("people", PEOPLE);
    let import = core.imports().open(&core, ImportPurpose::Contacts, vec![source], None).unwrap();
    let state = core.imports().state(&core, import, None, LONG).unwrap();
    assert_eq!((state.rows, state.obstacles.len()), (3, 1));
    assert_eq!(state.obstacles[0].path, "target");
}
