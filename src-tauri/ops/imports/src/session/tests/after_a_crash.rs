//! Imports that were open when the program ended.

use super::*;
use crate::session::{CellText, ImportFileState, MappingBy};
use crate::tests::test_core::TestCore;

#[test]
fn everything_that_was_read_and_typed_is_there_again() {
    let world = SessionFixture::new();
    let import = world.open_import(vec![world.write_file("people.csv", PEOPLE)]);
    world.wait_until_settled(import);
    let mut mapping = world.describe_table(import).mapping;
    mapping.targets.pop();
    mapping.region = Some("GB".to_owned());
    world.core.imports().set_mapping(&world.core, import, mapping.clone()).unwrap();
    let mended = CellText { column: 0, text: "07700900003".to_owned() };
    world.core.imports().fix_row(&world.core, import, 4, &[mended]).unwrap();
    // The file itself is not needed any more.
    fs::remove_file(world.file_path("people.csv")).unwrap();

    let world = world.restart();
    let waiting = world.core.imports().list_waiting(&world.core).unwrap();
    assert_eq!((waiting.len(), waiting[0].import, waiting[0].rows), (1, import, 3));
    assert_eq!(waiting[0].names, ["people.csv"]);
    let state = world.wait_until_settled(import);
    assert_eq!((state.stage, state.rows, state.fault), (ImportStage::Mapping, 3, None));
    assert_eq!(state.target, Some(ImportTarget::List(world.list.to_string())));
    let table = world.describe_table(import);
    assert_eq!((&table.mapping, table.by, table.columns.len()), (&mapping, MappingBy::Person, 3));
    let mapped = world.core.imports().set_mapping(&world.core, import, mapping).unwrap();
    let numbers: Vec<Option<&str>> = mapped.sample.iter().map(|row| row.values[0].as_deref()).collect();
    assert_eq!(numbers, [Some("+447700900001"), Some("+447700900002"), Some("+447700900003")]);
    // Numbers of imports are not used again.
    let other = world.open_import(vec![text_source("x", "a,b\n1,2\n")]);
    assert_eq!(other, import + 1);
}

#[test]
fn a_source_whose_spool_is_damaged_is_read_again() {
    let world = SessionFixture::new();
    let import =
        world.open_import(vec![world.write_file("people.csv", PEOPLE), text_source("more", "Phone\n07700900009\n")]);
    world.wait_until_settled(import);
    let folder = world.file_path("shop.roost.imports").join(import.to_string());
    for name in entry_names(&folder).iter().filter(|name| name.ends_with(".spool")) {
        fs::write(folder.join(name), b"short").unwrap();
    }
    let world = world.restart();
    let state = world.wait_until_settled(import);
    assert_eq!((state.stage, state.rows, state.fault), (ImportStage::Mapping, 4, None));
    assert_eq!(world.describe_table(import).columns[0].facts.filled, 4);
}

#[test]
fn bytes_that_had_not_arrived_are_not_waited_for() {
    let world = SessionFixture::new();
    let import = world.open_import(vec![ImportSource::Upload { name: "a.csv".to_owned(), size: 100 }]);
    let upload = UploadPiece { file: 1, from: 0, bytes: b"Phone\n", is_last: false };
    world.core.imports().receive_upload(&world.core, import, &upload).unwrap();
    let world = world.restart();
    let state = world.wait_until_settled(import);
    assert_eq!(state.files[0].state, ImportFileState::Broken);
    assert!(state.files[0].broken.as_ref().unwrap().message.contains("choose it again"));
}

#[test]
fn abandoned_imports_are_removed() {
    let world = SessionFixture::new();
    let opt_outs = vec![text_source("stop.csv", "Phone\n07700900001\n")];
    let imports = world.core.imports();
    let first = imports.open(&world.core, ImportPurpose::OptOuts, opt_outs, None).unwrap();
    let target = ImportTarget::List(world.list.to_string());
    let second = imports.open_unattended(&world.core, vec![text_source("a.csv", PEOPLE)], target).unwrap();
    world.wait_until_settled(first);
    world.wait_until_settled(second);
    assert_eq!(world.stored_folders(), ["1", "2"]);
    let world = world.restart();
    assert_eq!(world.core.imports().list_waiting(&world.core).unwrap(), []);
    assert_eq!(world.stored_folders(), [""; 0]);
    assert!(!world.file_path("shop.roost.imports").exists());
}

#[test]
fn an_import_left_untouched_for_a_month_is_removed() {
    let world = SessionFixture::new();
    world.open_import(vec![text_source("a", "Phone\n1\n")]);
    let SessionFixture { folder, core, list } = world;
    core.end_background_work();
    drop(core);
    let later = Ctx::seeded(Clock::fixed(Timestamp::from_unix(1_767_603_600 + 31 * 24 * 3_600)), 1);
    let core = TestCore::open(&folder.path().join("shop.roost"), later);
    let world = SessionFixture { folder, core, list };
    assert_eq!(world.core.imports().list_waiting(&world.core).unwrap(), []);
    assert_eq!(world.stored_folders(), [""; 0]);
}

/// Copies a folder in the state in which a killed program leaves it.
fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().flatten() {
        if entry.file_type().unwrap().is_dir() {
            copy_folder(&entry.path(), &to.join(entry.file_name()));
        } else {
            fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
        }
    }
}

#[test]
fn a_written_import_counts_as_done_if_the_program_is_killed_before_its_files_are_removed() {
    let world = SessionFixture::new();
    let import = world.open_import(vec![text_source("people.csv", PEOPLE)]);
    world.wait_until_settled(import);
    world.core.imports().rehearse(&world.core, import).unwrap();
    let counts = world.wait_until_settled(import).counts.unwrap();
    let (imports, kept) = (world.file_path("shop.roost.imports"), world.file_path("kept"));
    copy_folder(&imports, &kept);
    // The program is killed before anything is written: the whole import waits.
    let world = world.restart();
    assert_eq!(world.core.imports().list_waiting(&world.core).unwrap().len(), 1);
    world.wait_until_settled(import);
    world.core.imports().rehearse(&world.core, import).unwrap();
    world.wait_until_settled(import);
    let session = world.core.imports().get(&world.core, import).unwrap();
    world.core.imports().accept(&world.core, &user(), import, None).unwrap();
    let mark = session.lock_state().kept.mark.clone();
    let accepted = world.wait_until_settled(import).accepted.unwrap().result;
    assert!(mark.is_some() && !imports.exists());
    // The program is killed after writing the rows and before removing the folder.
    copy_folder(&kept, &imports);
    let folder = imports.join(import.to_string());
    let left =
        super::super::stored::StoredImport { mark, ..super::super::stored::StoredImport::read(&folder).unwrap() };
    left.write(&folder).unwrap();
    let world = world.restart();
    assert_eq!(world.core.imports().list_waiting(&world.core).unwrap(), []);
    assert!(!imports.exists(), "nothing is left of it");
    let state = world.wait_until_settled(import);
    assert_eq!((state.stage, state.obstacles), (ImportStage::Accepted, vec![]));
    let found = state.accepted.unwrap().result;
    assert_eq!((found.import, found.counts, found.rejects), (accepted.import, counts, accepted.rejects));
    assert!(world.core.imports().rehearse(&world.core, import).is_err(), "it is not done twice");
}
