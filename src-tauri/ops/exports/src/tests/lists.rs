//! Exports of whole lists and accounts: in blocks, with progress and cancellation, and as seeds that create the same
//! lists.

use std::{
    io::{self, Cursor, Seek, SeekFrom, Write},
    path::Path,
    sync::Arc,
};

use roost_model::{channel::Channel, id::ListId, phone::Region};
use roost_store::{error::StoreError, tables::lists, watch::Watch};

use super::{
    super::{CsvStyle, ExportError, ExportScope, FileFormat, prepare_export},
    BASE, add_custom_fields, create_list, export_bytes, export_text, request_for, sample_account, user,
};
use roost_ops::{
    Core, Ctx,
    contact::FieldValues,
    error::Error,
    list,
    opt_out::{self, NewOptOut},
    seed,
};

fn open_account_file(folder: &Path) -> Core {
    Core::open(&folder.join("account.roost"), Ctx::system()).unwrap()
}

fn create_long_list(core: &Core, name: &str, from: u32, count: u32) -> ListId {
    let uid = list::create(core, &user(), name, list::UniqueNames::Off).unwrap().uid;
    let row = |n: u32| {
        let values = [("phone_number", format!("+1202555{:04}", n % 10_000)), ("city", format!("City {n}"))];
        values.into_iter().map(|(field, text)| (field.to_owned(), Some(text))).collect::<FieldValues>()
    };
    let rows: Vec<FieldValues> = (from..from + count).map(row).collect();
    rows.chunks(5_000).for_each(|rows| super::add_rows(core, &uid, rows));
    uid
}

#[test]
fn several_lists_follow_one_another() {
    let core = sample_account();
    let a = create_list(&core, "A", &[&[("phone_number", "+447700900001")]]);
    let b = create_list(&core, "B", &[&[("phone_number", "+447700900002")]]);
    let csv = FileFormat::Csv(CsvStyle::default());
    let both = request_for(ExportScope::Lists(vec![b.clone(), a]), csv, &["list", "phone_number"]);
    assert_eq!(export_text(&core, &both), "list,phone_number\r\nB,+447700900002\r\nA,+447700900001\r\n");
    let account = request_for(ExportScope::Account, csv, &["list", "phone_number"]);
    assert_eq!(export_text(&core, &account), "list,phone_number\r\nA,+447700900001\r\nB,+447700900002\r\n");
    list::delete(&core, &user(), &b).unwrap();
    assert!(matches!(prepare_export(&core, &both), Err(Error::NotFound { .. })));
}

#[test]
fn contacts_that_opted_out_are_counted_and_can_be_left_out() {
    let core = sample_account();
    let rows: &[&[(&str, &str)]] = &[
        &[("phone_number", "+447700900001"), ("city", "York")],
        &[("phone_number", "+447700900002"), ("city", "Bath")],
        &[("whatsapp_id", "+447700900003"), ("city", "Oslo")],
        &[("whatsapp_id", "+447700900002"), ("city", "Rome")],
    ];
    let a = create_list(&core, "A", rows);
    let b = create_list(&core, "B", &rows[..1]);
    let entries = [("+447700900001", Channel::Sms), ("+447700900002", Channel::WhatsApp)];
    for (number, channel) in entries {
        let entry = NewOptOut { number: number.to_owned(), channels: vec![channel], asset: None };
        opt_out::add(&core, &user(), &[entry], "asked for it", Some(Region::gb())).unwrap();
    }
    for format in [FileFormat::Csv(CsvStyle::default()), FileFormat::Xlsx, FileFormat::Jsonl, FileFormat::Seed] {
        let whats =
            [(ExportScope::Lists(vec![a.clone(), b.clone()]), 3, 5), (ExportScope::Lists(vec![b.clone()]), 1, 1)];
        for (what, opted_out, all) in whats {
            let mut export = request_for(what, format, &["city"]);
            let everybody = prepare_export(&core, &export).unwrap();
            assert_eq!((everybody.row_count(), everybody.opted_out()), (all, opted_out), "{format:?}");
            export_bytes(&core, &export);
            export.without_opted_out = true;
            let others = prepare_export(&core, &export).unwrap();
            assert_eq!((others.row_count(), others.opted_out()), (all - opted_out, opted_out), "{format:?}");
            export_bytes(&core, &export);
            let preview = others.preview(&core, 9).unwrap();
            assert_eq!((preview.rows, preview.opted_out), (all - opted_out, opted_out), "{format:?}");
            assert_eq!(preview.cells.len() as u64, all - opted_out);
        }
    }
    let mut export = request_for(ExportScope::Lists(vec![a]), FileFormat::Csv(CsvStyle::default()), &["city"]);
    export.without_opted_out = true;
    let text = export_text(&core, &export);
    let mut lines: Vec<&str> = text.lines().collect();
    lines.sort_unstable();
    assert_eq!(lines, ["Bath", "Oslo", "city"]);
    export = request_for(ExportScope::Account, FileFormat::Seed, &[]);
    assert_eq!(prepare_export(&core, &export).unwrap().opted_out(), 0, "its opt-outs are in it");
    export.without_opted_out = true;
    let Err(Error::Invalid { faults }) = prepare_export(&core, &export) else {
        panic!("a whole seed leaves nothing out")
    };
    assert_eq!(faults[0].path, "without_opted_out");
}

/// A writer that notes, at every write, how many rows have been read.
struct ProgressWriter<'w> {
    watch: &'w Watch,
    seen: Vec<u64>,
    longest: usize,
    /// The bytes that it accepts before it is full.
    room: usize,
    /// The number of writes after which it cancels the export.
    ends_after: usize,
}

impl Write for ProgressWriter<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.room = self.room.checked_sub(bytes.len()).ok_or(io::ErrorKind::StorageFull)?;
        self.seen.push(self.watch.rows());
        self.longest = self.longest.max(bytes.len());
        if self.seen.len() == self.ends_after {
            self.watch.cancel();
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Seek for ProgressWriter<'_> {
    fn seek(&mut self, _: SeekFrom) -> io::Result<u64> {
        Err(io::ErrorKind::Unsupported.into())
    }
}

fn progress_writer(watch: &Watch, room: usize, ends_after: usize) -> ProgressWriter<'_> {
    ProgressWriter { watch, seen: Vec::new(), longest: 0, room, ends_after }
}

#[test]
fn rows_are_written_while_they_are_read_and_never_held() {
    let folder = tempfile::tempdir().unwrap();
    let core = open_account_file(folder.path());
    let lists = vec![create_long_list(&core, "A", 0, 12_000), create_long_list(&core, "B", 12_000, 8_000)];
    let export =
        request_for(ExportScope::Lists(lists), FileFormat::Csv(CsvStyle::default()), &["phone_number", "city"]);
    let exporting = prepare_export(&core, &export).unwrap();
    let watch = Arc::new(Watch::default());
    let mut out = progress_writer(&watch, usize::MAX, usize::MAX);
    assert_eq!(exporting.write(&core, &watch, &mut out).unwrap(), 20_000);
    assert_eq!((watch.rows(), watch.expected()), (20_000, Some(20_000)));
    // When a block is written, at most a few blocks wait behind it.
    assert_eq!(out.seen.len(), 10);
    assert!(out.seen.iter().enumerate().all(|(n, rows)| *rows <= (n as u64 + 4) * 2_000), "{:?}", out.seen);
    assert!(out.longest < 100_000, "{}", out.longest);

    let result = exporting.write(&core, &watch, &mut progress_writer(&watch, 100_000, usize::MAX));
    assert!(matches!(result, Err(ExportError::File(why)) if why.kind() == io::ErrorKind::StorageFull));
    for format in [export.format, FileFormat::Seed] {
        let exporting = prepare_export(&core, &request_for(ExportScope::Account, format, &["city"])).unwrap();
        let watch = Arc::new(Watch::default());
        let mut out = progress_writer(&watch, usize::MAX, 1);
        let ended = exporting.write(&core, &watch, &mut out);
        assert!(matches!(ended, Err(ExportError::Account(Error::Store(StoreError::Cancelled)))), "{format:?}");
        assert!(watch.rows() < 20_000);
    }
}

#[test]
fn a_seed_of_lists_makes_them_again() {
    let core = sample_account();
    add_custom_fields(&core, &["Shoe size"]);
    let uid = create_list(
        &core,
        "A \"quoted\" list",
        &[
            &[("phone_number", "+447700900001"), ("field_1", "=1\r\n\t\u{1b}'"), ("city", " York ")],
            &[("whatsapp_id", "+447700900002")],
        ],
    );
    let empty = create_list(&core, "Empty", &[]);
    let again = |text: &[u8]| {
        let other = Core::in_memory(Ctx::system()).unwrap();
        seed::apply(&other, &user(), text, BASE).unwrap();
        other
    };
    let whole = export_bytes(&core, &request_for(ExportScope::Account, FileFormat::Seed, &[]));
    let lists = export_bytes(&core, &request_for(ExportScope::Lists(vec![uid.clone(), empty]), FileFormat::Seed, &[]));
    let text = |core: &Core| {
        let mut out = Vec::new();
        seed::export(core, BASE, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    };
    assert_eq!(text(&again(&whole)), text(&core));
    assert_eq!(text(&again(&lists)), text(&core));
    assert_eq!(String::from_utf8(whole).unwrap(), text(&core), "the account's own seed");
    let one = export_bytes(&core, &request_for(ExportScope::Lists(vec![uid]), FileFormat::Seed, &[]));
    assert_eq!(again(&one).read(|tx| Ok(lists::read_all(tx)?.len())).unwrap(), 1);
}

#[test]
fn an_empty_list_has_names_and_no_rows() {
    let core = sample_account();
    let what = ExportScope::Lists(vec![create_list(&core, "None", &[])]);
    assert_eq!(
        export_text(&core, &request_for(what.clone(), FileFormat::Csv(CsvStyle::default()), &["city"])),
        "city\r\n"
    );
    assert_eq!(export_text(&core, &request_for(what.clone(), FileFormat::Jsonl, &["city"])), "");
    let exporting = prepare_export(&core, &request_for(what, FileFormat::Xlsx, &["city"])).unwrap();
    let mut out = Cursor::new(Vec::new());
    assert_eq!(exporting.write(&core, &Arc::default(), &mut out).unwrap(), 0);
    assert!(out.into_inner().starts_with(b"PK"));
}
