//! Imports that were open when the program ended.

use super::*;
use crate::files::import::session::{CellText, ImportFileState, MappingBy};

#[test]
fn everything_that_was_read_and_typed_is_there_again() {
    let world = World::new();
    let import = world.open(vec![world.file("people.csv", PEOPLE)]);
    world.settled(import);
    let mut mapping = world.table(import).mapping;
    mapping.targets.pop();
    mapping.region = Some("GB".to_owned());
    world.core.imports().map(&world.core, import, mapping.clone()).unwrap();
    let mended = CellText { column: 0, text: "07700900003".to_owned() };
    world.core.imports().mend(&world.core, import, 4, &[mended]).unwrap();
    // The file itself is not needed any more.
    fs::remove_file(world.path("people.csv")).unwrap();

    let world = world.again();
    let waiting = world.core.imports().waiting(&world.core).unwrap();
    assert_eq!((waiting.len(), waiting[0].import, waiting[0].rows), (1, import, 3));
    assert_eq!(waiting[0].names, ["people.csv"]);
    let state = world.settled(import);
    assert_eq!((state.stage, state.rows, state.fault), (ImportStage::Mapping, 3, None));
    assert_eq!(state.target, Some(ImportTarget::List(world.list.to_string())));
    let table = world.table(import);
    assert_eq!((&table.mapping, table.by, table.columns.len()), (&mapping, MappingBy::Person, 3));
    let mapped = world.core.imports().map(&world.core, import, mapping).unwrap();
    let numbers: Vec<Option<&str>> = mapped.sample.iter().map(|row| row.values[0].as_deref()).collect();
    assert_eq!(numbers, [Some("+447700900001"), Some("+447700900002"), Some("+447700900003")]);
    // Numbers of imports are not used again.
    let other = world.open(vec![text("x", "a,b\n1,2\n")]);
    assert_eq!(other, import + 1);
}

#[test]
fn what_was_put_aside_of_a_file_and_is_damaged_is_read_again() {
    let world = World::new();
    let import = world.open(vec![world.file("people.csv", PEOPLE), text("more", "Phone\n07700900009\n")]);
    world.settled(import);
    let folder = world.path("shop.roost.imports").join(import.to_string());
    for name in names(&folder).iter().filter(|name| name.ends_with(".spool")) {
        fs::write(folder.join(name), b"short").unwrap();
    }
    let world = world.again();
    let state = world.settled(import);
    assert_eq!((state.stage, state.rows, state.fault), (ImportStage::Mapping, 4, None));
    assert_eq!(world.table(import).columns[0].facts.filled, 4);
}

#[test]
fn bytes_that_had_not_arrived_are_not_waited_for() {
    let world = World::new();
    let import = world.open(vec![ImportSource::Upload { name: "a.csv".to_owned(), size: 100 }]);
    let upload = Upload { file: 1, from: 0, bytes: b"Phone\n", is_last: false };
    world.core.imports().upload(&world.core, import, &upload).unwrap();
    let world = world.again();
    let state = world.settled(import);
    assert_eq!(state.files[0].state, ImportFileState::Broken);
    assert!(state.files[0].broken.as_ref().unwrap().message.contains("choose it again"));
}

#[test]
fn what_nobody_comes_back_to_is_gone() {
    let world = World::new();
    let opt_outs = vec![text("stop.csv", "Phone\n07700900001\n")];
    let imports = world.core.imports();
    let first = imports.open(&world.core, ImportPurpose::OptOuts, opt_outs, None).unwrap();
    let target = ImportTarget::List(world.list.to_string());
    let second = imports.open_passing(&world.core, vec![text("a.csv", PEOPLE)], target).unwrap();
    world.settled(first);
    world.settled(second);
    assert_eq!(world.put_aside(), ["1", "2"]);
    let world = world.again();
    assert_eq!(world.core.imports().waiting(&world.core).unwrap(), []);
    assert_eq!(world.put_aside(), [""; 0]);
    assert!(!world.path("shop.roost.imports").exists());
}

#[test]
fn what_nobody_touched_for_long_goes() {
    let world = World::new();
    world.open(vec![text("a", "Phone\n1\n")]);
    let World { folder, core, list } = world;
    core.end();
    drop(core);
    let later = Ctx::seeded(Clock::fixed(Timestamp::from_unix(1_767_603_600 + 31 * 24 * 3_600)), 1);
    let core = Core::open(&folder.path().join("shop.roost"), later).unwrap();
    let world = World { folder, core, list };
    assert_eq!(world.core.imports().waiting(&world.core).unwrap(), []);
    assert_eq!(world.put_aside(), [""; 0]);
}

/// Copies a folder in the state in which a killed program leaves it.
fn copied(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().flatten() {
        if entry.file_type().unwrap().is_dir() {
            copied(&entry.path(), &to.join(entry.file_name()));
        } else {
            fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
        }
    }
}

#[test]
fn what_was_written_is_known_as_done_when_the_program_is_killed_before_its_files_are_gone() {
    let world = World::new();
    let import = world.open(vec![text("people.csv", PEOPLE)]);
    world.settled(import);
    world.core.imports().rehearse(&world.core, import).unwrap();
    let counts = world.settled(import).counts.unwrap();
    let (imports, kept) = (world.path("shop.roost.imports"), world.path("kept"));
    copied(&imports, &kept);
    // The program is killed before anything is written: the whole import waits.
    let world = world.again();
    assert_eq!(world.core.imports().waiting(&world.core).unwrap().len(), 1);
    world.settled(import);
    world.core.imports().rehearse(&world.core, import).unwrap();
    world.settled(import);
    let session = world.core.imports().get(&world.core, import).unwrap();
    world.core.imports().accept(&world.core, &by(), import, None).unwrap();
    let mark = session.hold().kept.mark.clone();
    let accepted = world.settled(import).accepted.unwrap();
    assert!(mark.is_some() && !imports.exists());
    // The program is killed after writing the rows and before removing the folder.
    copied(&kept, &imports);
    let folder = imports.join(import.to_string());
    let left = super::super::kept::Kept { mark, ..super::super::kept::Kept::read(&folder).unwrap() };
    left.write(&folder).unwrap();
    let world = world.again();
    assert_eq!(world.core.imports().waiting(&world.core).unwrap(), []);
    assert!(!imports.exists(), "nothing is left of it");
    let state = world.settled(import);
    assert_eq!((state.stage, state.obstacles), (ImportStage::Accepted, vec![]));
    let found = state.accepted.unwrap();
    assert_eq!((found.past, found.counts, found.rejects), (accepted.past, counts, accepted.rejects));
    assert!(world.core.imports().rehearse(&world.core, import).is_err(), "it is not done twice");
}
