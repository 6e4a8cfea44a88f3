//! The files of an import: read, read in another way, and combined.

use std::thread;
use std::time::Instant;

use roost_sheets::{Dialect, Encoding, SourceFormat};

use super::*;
use crate::{
    mapping::{FieldTarget, OpenMapping},
    reading::HeadRow,
    session::{ImportFileState, MappingBy},
};

#[test]
fn a_file_is_read_and_its_columns_are_understood() {
    let world = SessionFixture::new();
    let import = world.open_import(vec![world.write_file("people.csv", PEOPLE)]);
    let state = world.wait_until_settled(import);
    assert_eq!((state.stage, state.rows, &state.obstacles[..]), (ImportStage::Mapping, 3, &[][..]));
    let file = &state.files[0];
    assert_eq!(
        (file.name.as_str(), file.state, file.bytes),
        ("people.csv", ImportFileState::Read, PEOPLE.len() as u64)
    );
    let found = file.found.as_ref().unwrap();
    assert_eq!((found.kind, found.first, found.head.row), (SourceFormat::Text, 1, Some(0)));
    let table = world.describe_table(import);
    let names: Vec<&str> = table.columns.iter().map(|column| column.name.as_str()).collect();
    assert_eq!((names.as_slice(), table.by), (&["Phone", "First name", "City"][..], MappingBy::Suggested));
    let fields: Vec<&str> = table.mapping.targets.iter().map(|target| target.field.as_str()).collect();
    assert_eq!(fields, ["phone_number", "firstname", "city"]);
    assert_eq!(table.columns[2].facts.samples, ["York", "Bath", "Hull"]);
    let sample = world.core.imports().sample_rows(&world.core, import, 1, 0, 3).unwrap();
    assert_eq!((sample.len(), sample[0].is_head, sample[1].place), (3, true, 2));
    assert_eq!(sample[1].cells, ["07700900001", "Ada", "York"]);
}

#[test]
fn a_person_may_have_it_read_in_another_way() {
    let world = SessionFixture::new();
    let import = world.open_import(vec![text_source("pasted", "a|b;c|d\n1|2;3|4\n5|6;7|8\n")]);
    assert_eq!(world.wait_until_settled(import).files[0].found.as_ref().unwrap().heads.len(), 3);
    let semicolon = ImportSettings {
        dialect: Some(Dialect::with_separator(';')),
        head: HeadRow::At(1),
        encoding: Encoding::parse("latin1"),
        ..ImportSettings::default()
    };
    let state = world.set_file_settings(import, semicolon.clone());
    let found = state.files[0].found.as_ref().unwrap();
    assert_eq!((found.heads.as_slice(), found.first), (&["1|2".to_owned(), "3|4".to_owned()][..], 2));
    assert_eq!(state.files[0].settings, semicolon);
    let wrong = ImportSettings { dialect: Some(Dialect::with_separator('\n')), ..ImportSettings::default() };
    let refused = world.core.imports().set_file_settings(&world.core, import, 1, wrong).unwrap_err();
    assert_eq!(refused.to_string(), "A line end parts rows; choose another character.");
    assert!(world.core.imports().set_file_settings(&world.core, import, 7, semicolon).is_err(), "there is no file 7");
}

#[test]
fn columns_of_several_files_are_united_by_their_names() {
    let world = SessionFixture::new();
    let import = world.open_import(vec![
        world.write_file("a.csv", "Phone,City\n07700900001,York\n"),
        world.write_file("b.csv", "Our May list\n\nCITY,Note,phone\nBath,x,07700900002\nHull,,07700900003\n"),
    ]);
    let state = world.wait_until_settled(import);
    assert_eq!((state.stage, state.rows, state.fault), (ImportStage::Mapping, 3, None));
    let table = world.describe_table(import);
    let columns: Vec<(&str, &[u32], u64)> = table
        .columns
        .iter()
        .map(|column| (column.name.as_str(), column.files.as_slice(), column.facts.filled))
        .collect();
    assert_eq!(columns, [("Phone", &[1, 2][..], 3), ("City", &[1, 2][..], 3), ("Note", &[2][..], 1)]);
    let mapped = world.core.imports().set_mapping(&world.core, import, table.mapping).unwrap();
    let rows: Vec<(u64, u32, u64, &str)> = mapped
        .sample
        .iter()
        .map(|row| (row.row, row.file, row.place, row.values[1].as_deref().unwrap_or_default()))
        .collect();
    assert_eq!(rows, [(1, 1, 2, "York"), (5, 2, 4, "Bath"), (6, 2, 5, "Hull")], "names and titles are no rows");

    world.core.imports().remove_file(&world.core, import, 1).unwrap();
    let state = world.wait_until_settled(import);
    assert_eq!((state.rows, state.files.len()), (2, 1));
    let names: Vec<String> = world.describe_table(import).columns.into_iter().map(|column| column.name).collect();
    assert_eq!(names, ["CITY", "Note", "phone"]);
}

#[test]
fn bytes_may_come_piece_by_piece() {
    let world = SessionFixture::new();
    let upload = ImportSource::Upload { name: "people.csv".to_owned(), size: PEOPLE.len() as u64 };
    let import = world.open_import(vec![upload]);
    // Waiting until the import is settled would never end, because the bytes have not arrived.
    let stage = || world.core.imports().state(&world.core, import, None, Duration::ZERO).unwrap().stage;
    let deadline = Instant::now() + Duration::from_secs(20);
    while stage() != ImportStage::Uploading {
        assert!(Instant::now() < deadline, "{:?}", stage());
        thread::sleep(Duration::from_millis(5));
    }
    let send = |from: usize, to: usize, is_last| {
        let bytes = &PEOPLE.as_bytes()[from..to];
        world.core.imports().receive_upload(
            &world.core,
            import,
            &UploadPiece { file: 1, from: from as u64, bytes, is_last },
        )
    };
    assert_eq!(send(0, 10, false).unwrap(), 10);
    assert_eq!(send(0, 10, false).unwrap_err().to_string(), "10 bytes have arrived; go on from there.");
    assert!(send(10, 20, true).is_err(), "more bytes were announced");
    assert_eq!(send(10, PEOPLE.len(), true).unwrap(), PEOPLE.len() as u64);
    assert_eq!((world.wait_until_settled(import).rows, world.describe_table(import).columns.len()), (3, 3));
    assert!(send(PEOPLE.len(), PEOPLE.len(), true).is_err(), "it is whole");
}

#[test]
fn what_is_broken_says_where_and_its_good_rows_can_be_taken() {
    let world = SessionFixture::new();
    let import =
        world.open_import(vec![world.write_file("cut.csv", "Phone,City\n07700900001,York\n07700900002,\"Ba\nth\n")]);
    let state = world.wait_until_settled(import);
    let file = &state.files[0];
    assert_eq!(file.state, ImportFileState::Broken);
    let broken = file.broken.as_ref().unwrap();
    assert!(broken.message.starts_with("Line 3") && broken.rows_before == 1, "{broken:?}");
    assert!(state.obstacles.iter().any(|obstacle| obstacle.path == "files"), "{:?}", state.obstacles);
    let state = world.set_file_settings(import, ImportSettings { takes_part: true, ..ImportSettings::default() });
    assert_eq!((state.obstacles.as_slice(), state.rows), (&[][..], 1));

    let import = world.open_import(vec![world.write_file("x.bin", [1, 2, 3, 4, 5, 6, 7, 8])]);
    let state = world.wait_until_settled(import);
    assert!(state.obstacles[0].message.contains("cannot be read"), "{:?}", state.obstacles);
    assert!(
        state.files[0].broken.as_ref().unwrap().message.contains("It is not text and not of a supported file type")
    );
}

#[test]
fn sources_that_cannot_be_taken_leave_nothing_behind() {
    let world = SessionFixture::new();
    let target = ImportTarget::List(world.list.to_string());
    let open = |sources, target| world.core.imports().open(&world.core, ImportPurpose::Contacts, sources, target);
    let refused =
        open(vec![world.write_file("a.csv", "a\n"), ImportSource::Path(world.file_path("none.csv"))], Some(target));
    assert!(refused.unwrap_err().to_string().contains("There is no file"));
    let refused = open(vec![ImportSource::Path(world.folder.path().to_owned())], None);
    assert!(refused.unwrap_err().to_string().contains("is a folder"));
    let refused = open(vec![ImportSource::Path(world.file_path("shop.roost"))], None);
    assert!(refused.unwrap_err().to_string().contains("is an open account"));
    let missing = ImportTarget::List("LST_no".to_owned());
    assert!(open(vec![text_source("a", "b\n")], Some(missing)).is_err());
    assert!(open(vec![], Some(ImportTarget::NewList(" ".to_owned()))).is_err());
    assert_eq!(world.stored_folders(), [""; 0]);
}

#[test]
fn a_missing_file_is_reported_and_what_was_read_of_it_stays() {
    let world = SessionFixture::new();
    let import = world.open_import(vec![world.write_file("people.csv", PEOPLE)]);
    world.wait_until_settled(import);
    fs::remove_file(world.file_path("people.csv")).unwrap();
    assert_eq!(world.describe_table(import).columns.len(), 3);
    let state = world.set_file_settings(import, ImportSettings { head: HeadRow::Nowhere, ..ImportSettings::default() });
    assert!(state.fault.as_ref().unwrap().contains("no longer exists"), "{:?}", state.fault);
    world.write_file("people.csv", PEOPLE);
    world.core.imports().read_files(&world.core, import).unwrap();
    let state = world.wait_until_settled(import);
    assert_eq!((state.fault, state.files[0].found.as_ref().unwrap().first), (None, 0));
}

#[test]
fn what_files_call_by_different_names_fills_one_field() {
    let world = SessionFixture::new();
    let one = text_source("a.csv", "Phone,City\n07700900001,York\n");
    let import = world.open_import(vec![one, text_source("b.csv", "Mobile,Town\n07700900002,Bath\n")]);
    world.wait_until_settled(import);
    let table = world.describe_table(import);
    let describe = |target: &FieldTarget<u32>| (target.field.clone(), target.pieces.len());
    let targets: Vec<_> = table.mapping.targets.iter().map(describe).collect();
    assert_eq!(targets, [("phone_number".to_owned(), 2), ("city".to_owned(), 2)]);
    assert_eq!(table.faults, []);
    let mapping = OpenMapping { region: Some("GB".to_owned()), ..table.mapping };
    let mapped = world.core.imports().set_mapping(&world.core, import, mapping).unwrap();
    let values: Vec<_> = mapped.sample.iter().map(|row| row.values.clone()).collect();
    let filled = |values: [&str; 2]| values.map(|text| Some(text.to_owned())).to_vec();
    assert_eq!(values, [filled(["+447700900001", "York"]), filled(["+447700900002", "Bath"])]);
}

#[test]
fn rows_that_come_from_elsewhere_keep_their_numbers() {
    let world = SessionFixture::new();
    let table = "Phone,City\n12,York\n07700900002,Bath\n13,\"Hull\nKingston\"\n14,Leeds\n".to_owned();
    let source = ImportSource::Text { name: "refused".to_owned(), text: table, rows: Some(vec![7, 17, 27]) };
    let import = world.open_import(vec![source]);
    world.wait_until_settled(import);
    let mapping = world.describe_table(import).mapping;
    let sample = world.core.imports().set_mapping(&world.core, import, mapping).unwrap().sample;
    assert_eq!(sample.iter().map(|row| row.place).collect::<Vec<_>>(), [7, 17, 27, 6], "the last has none");
}
