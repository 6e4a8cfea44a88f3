//! Every format says who opted out, and an import accepts this without a question.

use std::{path::Path, time::Duration};

use roost_model::{channel::Channel, opt_out::Scope, phone::Region};
use roost_sheets::write::card::CardVersion;
use roost_store::tables::opt_outs;

use super::{
    super::{CsvStyle, Format, What, begin},
    BASE, account, list_of, me, names, of, told, written,
};
use crate::{
    Core, Ctx,
    import::session::{ImportPurpose, ImportSource, ImportTarget},
    opt_out::{self, NewOptOut},
    seed,
};

fn opt_out(core: &Core, number: &str, channel: Channel) {
    let entry = NewOptOut { number: number.to_owned(), channels: vec![channel], asset: None };
    opt_out::add(core, &me(), &[entry], "asked for it", Some(Region::gb())).unwrap();
}

/// Creates a list in which two of three people opted out, each of a different channel. Somebody who is not in the list
/// opted out as well.
fn people() -> (Core, What) {
    let core = account();
    let list = list_of(
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
    opt_out(&core, "+447700900001", Channel::Sms);
    opt_out(&core, "+447700900002", Channel::WhatsApp);
    opt_out(&core, "+447700900004", Channel::Sms);
    (core, What::Lists(vec![list]))
}

const COLUMNS: [&str; 4] = ["phone_number", "whatsapp_id", "firstname", "alternate_phone"];

fn opt_outs_of(core: &Core) -> Vec<(String, Channel, Scope)> {
    let mut found = Vec::new();
    core.read(|tx| {
        opt_outs::each(tx, |record| {
            found.push((record.number, record.channel, record.scope));
            Ok::<_, crate::Error>(())
        })
    })
    .unwrap();
    found.sort_by(|a, b| a.0.cmp(&b.0));
    found
}

fn of_people() -> Vec<(String, Channel, Scope)> {
    [("+447700900001", Channel::Sms), ("+447700900002", Channel::WhatsApp)]
        .map(|(number, channel)| (number.to_owned(), channel, Scope::Account))
        .to_vec()
}

/// Imports the file into a new account, in which only the number of opt-outs has to be confirmed, and returns its
/// opt-outs.
fn opt_outs_of_import(path: &Path) -> Vec<(String, Channel, Scope)> {
    let core = Core::in_memory(Ctx::system()).unwrap();
    let imports = core.imports();
    let source = vec![ImportSource::Path(path.to_owned())];
    let target = Some(ImportTarget::NewList("May".to_owned()));
    let import = imports.open(&core, ImportPurpose::Contacts, source, target).unwrap();
    let settle = || imports.state(&core, import, None, Duration::from_secs(60)).unwrap();
    assert_eq!((settle().fault, imports.table(&core, import).unwrap().faults), (None, vec![]), "{path:?}");
    imports.rehearse(&core, import).unwrap();
    assert_eq!(settle().fault, None);
    let count = imports.rehearsal(&core, import).unwrap().opt_outs;
    imports.accept(&core, &me(), import, Some(count)).unwrap();
    assert_eq!((settle().fault, settle().accepted.map(|accepted| accepted.counts.new)), (None, Some(3)));
    let found = opt_outs_of(&core);
    core.end();
    found
}

#[test]
fn every_form_says_who_opted_out_and_an_import_takes_it() {
    let (core, what) = people();
    let folder = tempfile::tempdir().unwrap();
    let cards = [CardVersion::V3, CardVersion::V4].map(Format::Cards);
    for format in [Format::Csv(CsvStyle::default()), Format::Xlsx, Format::Jsonl, cards[0], cards[1]] {
        // The first columns have no alternate number, which may belong to somebody else.
        let export = of(what.clone(), format, &COLUMNS[..3]);
        let path = folder.path().join("people");
        std::fs::write(&path, written(&core, &export)).unwrap();
        assert_eq!(opt_outs_of_import(&path), of_people(), "{format:?}");
    }
    let csv = Format::Csv(CsvStyle::default());
    let text = told(&core, &of(what.clone(), csv, &["firstname"]));
    assert_eq!(text, "firstname,opted_out_sms,opted_out_whatsapp\r\nAda,yes,no\r\nBo,no,yes\r\nCy,no,no\r\n");
    let preview = begin(&core, &of(what.clone(), csv, &["firstname"])).unwrap().preview(&core, 9).unwrap();
    assert_eq!(preview.headings, ["firstname", "opted_out_sms", "opted_out_whatsapp"]);
    let mut bare = of(what, csv, &["firstname"]);
    bare.headings.clear();
    assert!(told(&core, &bare).starts_with("Ada,yes,no\r\n"), "without headings there are none");
}

#[test]
fn where_nobody_opted_out_a_file_says_nothing_of_it() {
    let core = account();
    let list = list_of(&core, "May", &[&[("phone_number", "+447700900001"), ("firstname", "Ada")]]);
    opt_out(&core, "+447700900001", Channel::WhatsApp);
    opt_out(&core, "+447700900004", Channel::Sms);
    let text = told(&core, &of(What::Lists(vec![list]), Format::Csv(CsvStyle::default()), &["firstname"]));
    assert_eq!(text, "firstname\r\nAda\r\n");
}

#[test]
fn other_answers_than_ours_are_asked_about() {
    let folder = tempfile::tempdir().unwrap();
    for (answers, path) in [(["yes", "no"], None), (["yes", "perhaps"], Some("left_out"))] {
        let core = Core::in_memory(Ctx::system()).unwrap();
        let file = folder.path().join("people.csv");
        let [one, other] = answers;
        std::fs::write(&file, format!("Phone,opted_out_sms\n07700900001,{one}\n07700900002,{other}\n")).unwrap();
        let (source, target) = (vec![ImportSource::Path(file)], Some(ImportTarget::NewList("May".to_owned())));
        let import = core.imports().open(&core, ImportPurpose::Contacts, source, target).unwrap();
        core.imports().state(&core, import, None, Duration::from_secs(60)).unwrap();
        let faults = core.imports().table(&core, import).unwrap().faults;
        assert_eq!(faults.first().map(|fault| fault.path.as_str()), path, "{answers:?}");
        core.end();
    }
}

#[test]
fn a_seed_of_lists_has_the_opt_outs_of_their_people() {
    let (core, what) = people();
    let text = written(&core, &of(what, Format::Seed, &[]));
    let again = Core::in_memory(Ctx::system()).unwrap();
    seed::apply(&again, &me(), &text, BASE).unwrap();
    assert_eq!(opt_outs_of(&again), of_people());
}

#[test]
fn a_number_that_is_left_out_is_nobody_s_alternate_number() {
    let (core, what) = people();
    let mut export = of(what, Format::Csv(CsvStyle::default()), &["firstname", "alternate_phone"]);
    assert!(told(&core, &export).contains("Cy,07700 900001 / 07700 900009,no,no"));
    export.without_opted_out = true;
    assert_eq!(told(&core, &export), "firstname,alternate_phone\r\nCy,\r\n");
    assert_eq!(begin(&core, &export).unwrap().preview(&core, 1).unwrap().cells, [names(&["Cy", ""])]);
}
