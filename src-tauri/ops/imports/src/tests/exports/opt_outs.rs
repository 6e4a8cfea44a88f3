//! Every format says who opted out, and an import accepts this without a question.

use std::{path::Path, time::Duration};

use roost_model::{channel::Channel, opt_out::OptOutRecordScope, phone::Region};
use roost_sheets::write::cards::CardVersion;
use roost_store::tables::opt_outs;

use roost_exports::{CsvStyle, ExportScope, FileFormat, prepare_export};
use roost_ops::{
    Core, Ctx,
    opt_out::{self, NewOptOut},
    seed,
};

use super::{BASE, create_list, export_bytes, export_text, request_for, sample_account, to_strings, user};
use crate::session::{ImportPurpose, ImportSource, ImportTarget};
use crate::tests::test_core::TestCore;

fn add_opt_out(core: &Core, number: &str, channel: Channel) {
    let entry = NewOptOut { number: number.to_owned(), channels: vec![channel], asset: None };
    opt_out::add(core, &user(), &[entry], "asked for it", Some(Region::gb())).unwrap();
}

/// Creates a list in which two of three people opted out, each of a different channel. Somebody who is not in the list
/// opted out as well.
fn sample_people() -> (Core, ExportScope) {
    let core = sample_account();
    let list = create_list(
        &core,
        "May",
        &[
            &[("phone_number", "+447700900001"), ("firstname", "Ada")],
            &[("phone_number", "+447700900002"), ("whatsapp_id", "+447700900002"), ("firstname", "Bo")],
            &[
                ("phone_number", "+447700900003"),
                ("firstname", "Cy"),
                ("alternate_phone", "07700 900001 / 07700 900009"),
            ],
        ],
    );
    add_opt_out(&core, "+447700900001", Channel::Sms);
    add_opt_out(&core, "+447700900002", Channel::WhatsApp);
    add_opt_out(&core, "+447700900004", Channel::Sms);
    (core, ExportScope::Lists(vec![list]))
}

const COLUMNS: [&str; 4] = ["phone_number", "whatsapp_id", "firstname", "alternate_phone"];

fn list_opt_outs(core: &Core) -> Vec<(String, Channel, OptOutRecordScope)> {
    let mut found = Vec::new();
    core.read(|tx| {
        opt_outs::visit_all(tx, |record| {
            found.push((record.number, record.channel, record.scope));
            Ok::<_, roost_ops::Error>(())
        })
    })
    .unwrap();
    found.sort_by(|a, b| a.0.cmp(&b.0));
    found
}

fn expected_opt_outs() -> Vec<(String, Channel, OptOutRecordScope)> {
    [("+447700900001", Channel::Sms), ("+447700900002", Channel::WhatsApp)]
        .map(|(number, channel)| (number.to_owned(), channel, OptOutRecordScope::Account))
        .to_vec()
}

/// Imports the file into a new account, in which only the number of opt-outs has to be confirmed, and returns its
/// opt-outs.
fn import_opt_outs(path: &Path) -> Vec<(String, Channel, OptOutRecordScope)> {
    let core = TestCore::in_memory(Ctx::system());
    let imports = core.imports();
    let source = vec![ImportSource::Path(path.to_owned())];
    let target = Some(ImportTarget::NewList("May".to_owned()));
    let import = imports.open(&core, ImportPurpose::Contacts, source, target).unwrap();
    let settle = || imports.state(&core, import, None, Duration::from_secs(60)).unwrap();
    assert_eq!((settle().fault, imports.describe_table(&core, import).unwrap().faults), (None, vec![]), "{path:?}");
    imports.rehearse(&core, import).unwrap();
    assert_eq!(settle().fault, None);
    let count = imports.describe_rehearsal(&core, import).unwrap().summary.opt_outs;
    imports.accept(&core, &user(), import, Some(count)).unwrap();
    assert_eq!((settle().fault, settle().accepted.map(|accepted| accepted.result.counts.new)), (None, Some(3)));
    let found = list_opt_outs(&core);
    core.end_background_work();
    found
}

#[test]
fn every_form_says_who_opted_out_and_an_import_takes_it() {
    let (core, what) = sample_people();
    let folder = tempfile::tempdir().unwrap();
    let cards = [CardVersion::V3, CardVersion::V4].map(FileFormat::Cards);
    for format in [FileFormat::Csv(CsvStyle::default()), FileFormat::Xlsx, FileFormat::Jsonl, cards[0], cards[1]] {
        // The first columns have no alternate number, which may belong to somebody else.
        let export = request_for(what.clone(), format, &COLUMNS[..3]);
        let path = folder.path().join("people");
        std::fs::write(&path, export_bytes(&core, &export)).unwrap();
        assert_eq!(import_opt_outs(&path), expected_opt_outs(), "{format:?}");
    }
    let csv = FileFormat::Csv(CsvStyle::default());
    let text = export_text(&core, &request_for(what.clone(), csv, &["firstname"]));
    assert_eq!(text, "firstname,opted_out_sms,opted_out_whatsapp\r\nAda,yes,no\r\nBo,no,yes\r\nCy,no,no\r\n");
    let preview =
        prepare_export(&core, &request_for(what.clone(), csv, &["firstname"])).unwrap().preview(&core, 9).unwrap();
    assert_eq!(preview.headings, ["firstname", "opted_out_sms", "opted_out_whatsapp"]);
    let mut bare = request_for(what, csv, &["firstname"]);
    bare.headings.clear();
    assert!(export_text(&core, &bare).starts_with("Ada,yes,no\r\n"), "without headings there are none");
}

#[test]
fn an_export_of_contacts_that_have_not_opted_out_has_no_opt_out_columns() {
    let core = sample_account();
    let list = create_list(&core, "May", &[&[("phone_number", "+447700900001"), ("firstname", "Ada")]]);
    for channel in Channel::ALL {
        add_opt_out(&core, "+447700900004", channel);
    }
    let text = export_text(
        &core,
        &request_for(ExportScope::Lists(vec![list]), FileFormat::Csv(CsvStyle::default()), &["firstname"]),
    );
    assert_eq!(text, "firstname\r\nAda\r\n");
}

/// Each person opted out of both channels, and has a number for one of them.
#[test]
fn an_opt_out_of_a_channel_on_which_a_contact_has_no_number_is_in_every_form() {
    let core = sample_account();
    let rows: &[&[(&str, &str)]] = &[
        &[("phone_number", "+447700900001"), ("firstname", "Ada")],
        &[("whatsapp_id", "+447700900002"), ("firstname", "Bo")],
        &[("phone_number", "+447700900003"), ("whatsapp_id", "+447700900005"), ("firstname", "Cy")],
    ];
    let what = ExportScope::Lists(vec![create_list(&core, "May", rows)]);
    for number in ["+447700900001", "+447700900002"] {
        Channel::ALL.into_iter().for_each(|channel| add_opt_out(&core, number, channel));
    }
    let sorted = |core: &Core| {
        let mut found: Vec<_> =
            list_opt_outs(core).into_iter().map(|(number, channel, _)| (number, channel.as_str())).collect();
        found.sort_unstable();
        found
    };
    let folder = tempfile::tempdir().unwrap();
    let cards = [CardVersion::V3, CardVersion::V4].map(FileFormat::Cards);
    for format in [FileFormat::Csv(CsvStyle::default()), FileFormat::Xlsx, FileFormat::Jsonl, cards[0], cards[1]] {
        let path = folder.path().join("people");
        std::fs::write(&path, export_bytes(&core, &request_for(what.clone(), format, &COLUMNS[..3]))).unwrap();
        let mut found: Vec<_> =
            import_opt_outs(&path).into_iter().map(|(number, channel, _)| (number, channel.as_str())).collect();
        found.sort_unstable();
        assert_eq!(found, sorted(&core), "{format:?}");
    }
    let again = Core::in_memory(Ctx::system()).unwrap();
    let text = export_bytes(&core, &request_for(what.clone(), FileFormat::Seed, &[]));
    seed::apply(&again, &user(), &text, BASE).unwrap();
    assert_eq!(sorted(&again), sorted(&core));
    // A “yes” would opt out the WhatsApp number of the row as well.
    add_opt_out(&core, "+447700900003", Channel::WhatsApp);
    let text = export_text(&core, &request_for(what, FileFormat::Csv(CsvStyle::default()), &["firstname"]));
    assert_eq!(text, "firstname,opted_out_sms,opted_out_whatsapp\r\nAda,yes,yes\r\nBo,yes,yes\r\nCy,no,no\r\n");
}

#[test]
fn an_opt_out_column_with_values_other_than_yes_and_no_is_asked_about() {
    let folder = tempfile::tempdir().unwrap();
    for (answers, path) in [(["yes", "no"], None), (["yes", "perhaps"], Some("left_out"))] {
        let core = TestCore::in_memory(Ctx::system());
        let file = folder.path().join("people.csv");
        let [one, other] = answers;
        std::fs::write(&file, format!("Phone,opted_out_sms\n07700900001,{one}\n07700900002,{other}\n")).unwrap();
        let (source, target) = (vec![ImportSource::Path(file)], Some(ImportTarget::NewList("May".to_owned())));
        let import = core.imports().open(&core, ImportPurpose::Contacts, source, target).unwrap();
        core.imports().state(&core, import, None, Duration::from_secs(60)).unwrap();
        let faults = core.imports().describe_table(&core, import).unwrap().faults;
        assert_eq!(faults.first().map(|fault| fault.path.as_str()), path, "{answers:?}");
        core.end_background_work();
    }
}

#[test]
fn a_seed_of_lists_has_the_opt_outs_of_their_people() {
    let (core, what) = sample_people();
    let text = export_bytes(&core, &request_for(what, FileFormat::Seed, &[]));
    let again = Core::in_memory(Ctx::system()).unwrap();
    seed::apply(&again, &user(), &text, BASE).unwrap();
    assert_eq!(list_opt_outs(&again), expected_opt_outs());
}

#[test]
fn an_opted_out_number_is_left_out_as_an_alternate_number_too() {
    let (core, what) = sample_people();
    let mut export = request_for(what, FileFormat::Csv(CsvStyle::default()), &["firstname", "alternate_phone"]);
    assert!(export_text(&core, &export).contains("Cy,07700 900001 / 07700 900009,no,no"));
    export.without_opted_out = true;
    assert_eq!(export_text(&core, &export), "firstname,alternate_phone\r\nCy,\r\n");
    assert_eq!(prepare_export(&core, &export).unwrap().preview(&core, 1).unwrap().cells, [to_strings(&["Cy", ""])]);
}
