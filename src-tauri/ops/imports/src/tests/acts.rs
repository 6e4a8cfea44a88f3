//! Single acts: accepting an import, its history, and reverting it without losing later edits.

use roost_model::{page::PageRequest, phone::parse_international};
use roost_sheets::RowFlag;
use roost_store::tables::contacts::{grid::drafts, list_view};
use serde_json::json;

use super::{
    super::{
        history,
        mapping::{OptedOutRowRule, OverwriteRule},
        rehearse::{FieldValueChange, RowQuery},
        verdicts::{BucketCounts, RowBucket},
    },
    *,
};
use roost_ops::{contact, custom_field, error::Error, history as steps};

const PAGE: PageRequest = PageRequest { number: 1, size: 50 };

fn sample_file() -> SpooledFile {
    SpooledFile::from_rows(&[
        ["07700900001", "", "York", "Dr", ""],
        ["07700900002", "07700900102", "Hull", "", "stop"],
        ["", "", "", "", ""],
        ["+447700900001", "", "Leeds", "", ""],
        ["nobody", "", "Bath", "", ""],
        ["07700900003", "", "", "", " STOP "],
    ])
}

fn list_cities(world: &TestAccount) -> Vec<(String, Option<String>)> {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let mut all: Vec<_> =
        world.contacts().iter().map(|c| (text(&c["phone_number"]).unwrap_or_default(), text(&c["city"]))).collect();
    all.sort();
    all
}

fn contact_uid(world: &TestAccount, number: &str) -> roost_model::id::ContactId {
    let found = world.contacts().into_iter().find(|contact| contact["phone_number"] == number).unwrap();
    roost_model::id::ContactId::parse(found["uid"].as_str().unwrap()).unwrap()
}

fn set_field(world: &TestAccount, number: &str, field: &str, text: &str) {
    let values = contact::FieldValues::from([(field.to_owned(), Some(text.to_owned()))]);
    contact::update(&world.core, &user(), &contact_uid(world, number), &values, None).unwrap();
}

#[test]
fn an_import_does_what_its_rehearsal_showed() {
    let world = TestAccount::new();
    let file = sample_file();
    let rehearsal = world.rehearse_file(&file, &sample_mapping(OverwriteRule::IfBlank));
    let summary = rehearsal.summary();
    assert_eq!(
        summary.counts,
        BucketCounts { rows: 5, new: 3, duplicate_in_file: 1, invalid: 1, blank: 1, ..BucketCounts::default() }
    );
    assert_eq!(summary.opt_outs, 6, "three numbers on two channels");
    let accepted = world.accept_file(&file, &rehearsal).unwrap();
    assert_eq!((accepted.counts, accepted.rejects, accepted.opt_outs), (summary.counts, 1, 6));
    assert_eq!(world.opt_outs().len(), 6);
    assert_eq!(
        list_cities(&world),
        [
            ("+447700900001".to_owned(), Some("York".to_owned())),
            ("+447700900002".to_owned(), Some("Hull".to_owned())),
            ("+447700900003".to_owned(), None),
        ]
    );
    assert_eq!(list::get(&world.core, &world.list).unwrap().contact_count, 3);
    let again = world.rehearse_file(&file, &sample_mapping(OverwriteRule::IfBlank));
    let counts =
        BucketCounts { rows: 5, same: 3, duplicate_in_file: 1, invalid: 1, blank: 1, ..BucketCounts::default() };
    assert_eq!((again.summary().counts, again.summary().opt_outs, again.summary().opted_out), (counts, 0, 2));
}

#[test]
fn a_number_that_someone_who_opted_out_gets_is_named_unless_the_file_opts_it_out() {
    let world = TestAccount::new();
    let row = |whatsapp: &'static str, opt_out: &'static str| {
        SpooledFile::from_rows(&[
            ["07700900001", "", "York", "Dr", ""],
            ["07700900002", whatsapp, "Hull", "", opt_out],
            ["07700900003", "07700900103", "Bath", "", ""],
        ])
    };
    let mapping = sample_mapping(OverwriteRule::Always);
    world.import_file(&row("", ""), &mapping);
    let entry = opt_out::NewOptOut { number: "+447700900002".to_owned(), channels: Channel::ALL.to_vec(), asset: None };
    opt_out::add(&world.core, &user(), &[entry], "asked for it", None).unwrap();
    let lost = world.import_file(&row("07700900102", ""), &mapping).lost_opt_outs;
    let numbers: Vec<_> = lost.iter().map(|one| (one.opted_out.as_str(), one.number.as_str(), one.channel)).collect();
    assert_eq!(numbers, [("+447700900002", "+447700900102", Channel::WhatsApp)]);
    assert_eq!(world.import_file(&row("07700900112", "stop"), &mapping).lost_opt_outs, []);
}

#[test]
fn rows_are_shown_with_what_they_would_change() {
    let world = TestAccount::new();
    world.import_file(
        &SpooledFile::from_rows(&[["07700900001", "", "York", "", ""]]),
        &sample_mapping(OverwriteRule::IfBlank),
    );
    let file = sample_file();
    let mut wanted = sample_mapping(OverwriteRule::IfBlank);
    wanted.targets[2].rule = Some(OverwriteRule::IfDifferent);
    wanted.twice = super::super::mapping::DuplicateRowRule::Last;
    let rehearsal = world.rehearse_file(&file, &wanted);
    let rows = |which: &RowQuery| rehearsal.query_rows(&world.core, file.spooled_rows(), which, 0, 10).unwrap();
    let changed = rows(&RowQuery { bucket: Some(RowBucket::Changed), ..RowQuery::default() });
    assert_eq!((changed.total, changed.rows.len()), (1, 1));
    assert_eq!(changed.rows[0].row, 3);
    let change = FieldValueChange {
        field: "city".to_owned(),
        before: Some("York".to_owned()),
        after: Some("Leeds".to_owned()),
        is_draft: false,
    };
    assert_eq!(changed.rows[0].changes, [change]);
    assert_eq!(changed.rows[0].contact, Some(contact_uid(&world, "+447700900001")));
    assert_eq!(rows(&RowQuery { field: Some("city".to_owned()), ..RowQuery::default() }).rows, changed.rows);
    assert_eq!(rows(&RowQuery { field: Some("title".to_owned()), ..RowQuery::default() }).total, 0);
    let twin = rows(&RowQuery { bucket: Some(RowBucket::DuplicateInFile), ..RowQuery::default() });
    assert_eq!((twin.rows[0].row, twin.rows[0].twin), (0, Some(3)));
    let invalid = rows(&RowQuery { bucket: Some(RowBucket::Invalid), ..RowQuery::default() });
    assert_eq!((invalid.rows[0].row, invalid.rows[0].field.as_deref()), (4, Some("phone_number")));
    assert_eq!(rows(&RowQuery::default()).total, 5);
    let problem = rehearsal.next_problem(Some(0), false).unwrap();
    assert_eq!((problem.row, problem.bucket, problem.at), (4, RowBucket::Invalid, 0));
    assert_eq!(rehearsal.next_problem(Some(4), true).unwrap().row, 0);
    assert_eq!(rehearsal.next_problem(Some(4), false), None);
}

/// The service stores any text as an e-mail address, but a person is asked to fix what mail cannot reach.
#[test]
fn an_invalid_email_address_becomes_a_draft_and_costs_nothing_else() {
    let world = TestAccount::new();
    let mut mapping = sample_mapping(OverwriteRule::IfDifferent);
    mapping.targets[2].field = "email_address".to_owned();
    world.import_file(&SpooledFile::from_rows(&[["07700900001", "", "ada@example.com", "", ""]]), &mapping);
    let before = world.export_seed();
    let file = SpooledFile::from_rows(&[
        ["07700900001", "", "ada@@example", "Dr", ""],
        ["07700900002", "", "bo at example.com", "", ""],
        ["07700900003", "", "cy@example.com", "", ""],
    ]);
    let rehearsal = world.rehearse_file(&file, &mapping);
    let counts = BucketCounts { rows: 3, new: 2, changed: 1, ..BucketCounts::default() };
    assert_eq!(rehearsal.summary().counts, counts);
    let page = rehearsal.query_rows(&world.core, file.spooled_rows(), &RowQuery::default(), 0, 10).unwrap();
    let drafts = |row: usize| page.rows[row].values.iter().filter(|value| value.is_draft).count();
    assert_eq!([drafts(0), drafts(1), drafts(2)], [1, 1, 0]);
    let accepted = world.accept_file(&file, &rehearsal).unwrap();
    let emails: Vec<_> = world.contacts().iter().rev().map(|contact| contact["email_address"].clone()).collect();
    assert_eq!(emails, [json!("ada@example.com"), Value::Null, json!("cy@example.com")]);
    let stored = |number: &str| {
        let uid = contact_uid(&world, number);
        world.core.read(|tx| {
            let row = list_view::row_of(tx, &uid)?.unwrap();
            Ok::<_, Error>(drafts::read_drafts(tx, &[row])?.remove(&row).unwrap_or_default())
        })
    };
    let draft = |text: &str| vec![("email_address".to_owned(), text.to_owned())];
    assert_eq!(stored("+447700900001").unwrap(), draft("ada@@example"));
    assert_eq!(stored("+447700900002").unwrap(), draft("bo at example.com"));
    assert_eq!(stored("+447700900003").unwrap(), []);
    let again = world.rehearse_file(&file, &mapping);
    assert_eq!(again.summary().counts.same, 3, "the drafts are there already");
    let other = SpooledFile::from_rows(&[["07700900002", "", "bo at home", "", ""]]);
    let kept = OpenMapping { rule: OverwriteRule::IfBlank, ..mapping.clone() };
    assert_eq!(world.rehearse_file(&other, &kept).summary().counts.same, 1, "the draft stays");
    assert_eq!(world.rehearse_file(&other, &mapping).summary().counts.changed, 1);
    let reverted = history::preview_revert(&world.core, &user(), accepted.import).unwrap();
    assert_eq!((reverted.deleted, reverted.restored, reverted.kept_total), (2, 1, 0));
    steps::undo(&world.core, &user()).unwrap();
    assert_eq!(world.export_seed(), before);
    assert_eq!(stored("+447700900001").unwrap(), []);
    // A row of an exact file is stored as it is, for example one that Roost exported.
    let mut flags = RowFlags::default();
    flags.add(RowFlag::Exact);
    let exact = SpooledFile::with_flags(&[["07700900002", "", "bo at example.com", "", ""]], flags);
    world.import_file(&exact, &mapping);
    assert_eq!(world.contacts()[0]["email_address"], "bo at example.com");
}

#[test]
fn several_contacts_with_one_number_are_left_alone() {
    let world = TestAccount::new();
    let values = contact::FieldValues::from([("phone_number".to_owned(), Some("07700900001".to_owned()))]);
    for _ in 0..2 {
        contact::add(&world.core, &user(), &world.list, &values, Some("GB")).unwrap();
    }
    let file = sample_file();
    let rehearsal = world.rehearse_file(&file, &sample_mapping(OverwriteRule::Always));
    let which = RowQuery { bucket: Some(RowBucket::DuplicateInList), ..RowQuery::default() };
    let page = rehearsal.query_rows(&world.core, file.spooled_rows(), &which, 0, 10).unwrap();
    assert_eq!((page.total, page.rows[0].row, page.rows[0].contacts), (1, 0, 2));
    world.accept_file(&file, &rehearsal).unwrap();
    assert_eq!(list_cities(&world)[..2], [("+447700900001".to_owned(), None), ("+447700900001".to_owned(), None)]);
}

#[test]
fn opted_out_contacts_are_counted_or_left_out() {
    let world = TestAccount::new();
    world.add_opt_out("07700900001");
    let file = sample_file();
    let rehearsal = world.rehearse_file(&file, &sample_mapping(OverwriteRule::IfBlank));
    assert_eq!((rehearsal.summary().opted_out, rehearsal.summary().counts.new), (1, 3));
    let leaving = OpenMapping { opted_out: OptedOutRowRule::LeaveOut, ..sample_mapping(OverwriteRule::IfBlank) };
    let rehearsal = world.rehearse_file(&file, &leaving);
    assert_eq!((rehearsal.summary().counts.opted_out, rehearsal.summary().counts.new), (2, 2));
    world.accept_file(&file, &rehearsal).unwrap();
    assert_eq!(list_cities(&world).len(), 2);
    assert_eq!(world.opt_outs().len(), 7);
}

/// An opt-out does not depend on the rest of the row: whatever is wrong with it, its valid numbers are opted out.
#[test]
fn a_row_that_is_left_out_still_opts_its_numbers_out() {
    let long = "a title of more than thirty letters";
    let file = SpooledFile::from_rows(&[
        ["07700900001", "", "", long, "stop"],
        ["07700900002", "nobody", "", "", "stop"],
        ["nobody", "07700900103", "", "", "stop"],
        ["07700900004", "", "", "", "stop"],
        ["+447700900004", "", "Hull", "", "stop"],
        ["07700900005", "", "", long, ""],
        ["nobody", "", "", "", "stop"],
    ]);
    let world = TestAccount::new();
    let rehearsal = world.rehearse_file(&file, &sample_mapping(OverwriteRule::IfBlank));
    let summary = rehearsal.summary();
    assert_eq!((summary.counts.new, summary.counts.duplicate_in_file, summary.counts.invalid), (1, 1, 5));
    assert_eq!((summary.opt_outs, summary.opt_outs_of_invalid_rows), (8, 6));
    let which = RowQuery { bucket: Some(RowBucket::Invalid), ..RowQuery::default() };
    let rows = rehearsal.query_rows(&world.core, file.spooled_rows(), &which, 0, 10).unwrap().rows;
    let consents: Vec<_> = rows.iter().map(|row| row.consents.clone()).collect();
    let both = Channel::ALL.to_vec();
    assert_eq!(consents, [both.clone(), both.clone(), both, vec![], vec![]], "it is shown");
    let how = AcceptOptions { name: "people.csv", kind: "csv", new_list: None, typed_count: Some(1), mark: None };
    assert!(
        accept_rehearsal(&world.core, &user(), file.spooled_rows(), &rehearsal, &how).is_err(),
        "all of them are confirmed"
    );
    let accepted = world.accept_file(&file, &rehearsal).unwrap();
    assert_eq!((accepted.opt_outs, accepted.rejects), (8, 5));
    let numbers: Vec<String> = world.opt_outs().into_iter().collect();
    for number in ["+447700900001", "+447700900002", "+447700900103", "+447700900004"] {
        assert_eq!(numbers.iter().filter(|record| record.contains(number)).count(), 2, "{number}: {numbers:?}");
    }
    let again = world.rehearse_file(&file, &sample_mapping(OverwriteRule::IfBlank));
    assert_eq!((again.summary().opt_outs, again.summary().opt_outs_of_invalid_rows), (0, 0));
}

/// The earliest time that a file has for a number is used. An impossible one is replaced by the time of the import.
#[test]
fn an_opt_out_has_the_time_that_the_file_says() {
    let file = SpooledFile::from_rows(&[
        ["07700900001", "", "", "", "2024-03-02 10:20:30"],
        ["07700900001", "", "", "", "2024-03-01"],
        ["07700900002", "", "", "", "2999-01-01"],
        ["07700900003", "", "", "", "1900-01-01"],
        ["07700900004", "", "", "", "yes"],
    ]);
    let mut mapping = sample_mapping(OverwriteRule::IfBlank);
    mapping.consents[0].words = vec!["*".to_owned()];
    mapping.consents[0].channels = vec![roost_model::channel::Channel::Sms];
    let world = TestAccount::new();
    world.import_file(&file, &mapping);
    let export = world.export_seed();
    let times: Vec<&str> =
        export["opt_outs"].as_array().unwrap().iter().map(|one| one["opt_out_time"].as_str().unwrap()).collect();
    let now = world.core.ctx().now().to_iso();
    let mut found: Vec<String> =
        times.iter().map(|time| time.replace(' ', "T").trim_end_matches('Z').to_owned()).collect();
    found.sort();
    let now = now.trim_end_matches('Z');
    assert_eq!(found, ["2024-03-01T00:00:00", now, now, now]);
}

/// This holds for rows with damaged bytes as well.
#[test]
fn a_row_with_a_broken_cell_still_opts_its_number_out() {
    for flag in [RowFlag::DamagedText, RowFlag::Nul, RowFlag::Malformed] {
        let (mut spool, mut block, mut flags) = (Spool::in_memory(), RowBlock::default(), RowFlags::default());
        ["07700900001", "", "Y\u{fffd}rk", "", "stop"].iter().for_each(|cell| block.push_cell(cell));
        flags.add(flag);
        block.end_row(1, flags);
        spool.push(&block).unwrap();
        let file = SpooledFile { spool, heads: HEADS.map(str::to_owned).to_vec() };
        let world = TestAccount::new();
        let rehearsal = world.rehearse_file(&file, &sample_mapping(OverwriteRule::IfBlank));
        assert_eq!((rehearsal.summary().counts.invalid, rehearsal.summary().opt_outs), (1, 2));
        world.accept_file(&file, &rehearsal).unwrap();
        assert_eq!(world.opt_outs().len(), 2);
    }
}

#[test]
fn the_error_of_a_spreadsheet_changes_no_value() {
    let world = TestAccount::new();
    world.import_file(
        &SpooledFile::from_rows(&[["07700900001", "07700900101", "York", "Dr", ""]]),
        &sample_mapping(OverwriteRule::Always),
    );
    let before = world.contacts();
    let mut flags = RowFlags::default();
    flags.add(RowFlag::NoResult);
    let rows = [["07700900001", "#N/A", "#REF!", "Dr", ""], ["07700900002", "", "#REF!", "", ""]];
    let file = SpooledFile::with_flags(&rows, flags);
    let accepted = world.import_file(&file, &sample_mapping(OverwriteRule::Always));
    assert_eq!((accepted.counts.same, accepted.counts.new, accepted.counts.invalid), (1, 1, 0));
    let now = world.contacts();
    assert_eq!(now.iter().find(|contact| contact["phone_number"] == "+447700900001"), before.first());
    let new = now.iter().find(|contact| contact["phone_number"] == "+447700900002").unwrap();
    assert_eq!(new["city"], Value::Null);
    // Outside a workbook, it is a text.
    world.import_file(
        &SpooledFile::from_rows(&[["07700900003", "", "#REF!", "", ""]]),
        &sample_mapping(OverwriteRule::Always),
    );
    assert!(world.contacts().iter().any(|contact| contact["city"] == "#REF!"));
}

#[test]
fn the_number_of_opt_outs_must_be_typed() {
    let world = TestAccount::new();
    let (file, before) = (sample_file(), world.export_seed());
    let rehearsal = world.rehearse_file(&file, &sample_mapping(OverwriteRule::IfBlank));
    for typed_count in [None, Some(2)] {
        let how = AcceptOptions { name: "people.csv", kind: "csv", new_list: None, typed_count, mark: None };
        let refused = accept_rehearsal(&world.core, &user(), file.spooled_rows(), &rehearsal, &how).unwrap_err();
        assert!(matches!(&refused, Error::Invalid { faults } if faults[0].path == "typed_count"), "{refused}");
    }
    assert_eq!(world.export_seed(), before);
}

#[test]
fn an_account_that_changed_since_is_looked_at_once_more() {
    let world = TestAccount::new();
    let file = sample_file();
    let rehearsal = world.rehearse_file(&file, &sample_mapping(OverwriteRule::IfBlank));
    list::create(&world.core, &user(), "Another", list::UniqueNames::Off).unwrap();
    assert!(!rehearsal.is_stale(&world.core).unwrap(), "another list does not matter");
    world.add_opt_out("07700900009");
    assert!(rehearsal.is_stale(&world.core).unwrap());
    assert!(matches!(world.accept_file(&file, &rehearsal), Err(Error::Conflict { .. })));
    let rehearsal = world.rehearse_file(&file, &sample_mapping(OverwriteRule::IfBlank));
    custom_field::add(&world.core, &user(), "Size").unwrap();
    assert!(rehearsal.is_stale(&world.core).unwrap());
}

#[test]
fn an_import_creates_its_list_and_fields_and_its_revert_removes_them() {
    let world = TestAccount::new();
    let before = world.export_seed();
    let file = sample_file();
    let mut wanted = sample_mapping(OverwriteRule::IfBlank);
    wanted.consents.clear();
    let mut made = field_target("", 3, None);
    made.new_field = Some("Rank".to_owned());
    wanted.targets[3] = made;
    let watch = Arc::new(Watch::default());
    let rehearsal = rehearse_rows(&world.core, file.spooled_rows(), &wanted, None, &watch).unwrap();
    assert_eq!(rehearsal.summary().new_fields[0].label, "Rank");
    let how = AcceptOptions { name: "people.csv", kind: "csv", new_list: None, typed_count: None, mark: None };
    assert!(
        accept_rehearsal(&world.core, &user(), file.spooled_rows(), &rehearsal, &how).is_err(),
        "a list needs a name"
    );
    let how = AcceptOptions { new_list: Some("Guests"), ..how };
    let accepted = accept_rehearsal(&world.core, &user(), file.spooled_rows(), &rehearsal, &how).unwrap();
    let guests = TestAccount { core: world.core.clone(), list: accepted.list };
    let ranks: Vec<Value> = guests.contacts().iter().map(|contact| contact["field_4"].clone()).collect();
    assert!(ranks.contains(&Value::from("Dr")), "{ranks:?}");
    let reverted = history::revert(&world.core, &user(), accepted.import).unwrap();
    assert_eq!((reverted.deleted, reverted.list_kept, reverted.kept_total), (3, false, 0));
    assert_eq!(world.export_seed(), before);
    steps::undo(&world.core, &user()).unwrap();
    assert_eq!(guests.contacts().len(), 3, "reverting is an act, too");
    steps::undo(&world.core, &user()).unwrap();
    assert_eq!(world.export_seed(), before);
    assert_eq!(history::page(&world.core, PAGE).unwrap().total_items, 0);
}

/// The import has more rows than one undo handles at once, and rejected ones among them.
#[test]
fn a_long_import_is_done_again_as_it_was() {
    let world = TestAccount::new();
    let before = world.export_seed();
    let (mut spool, mut block) = (Spool::in_memory(), RowBlock::default());
    let mut add = |phone: &str, city: &str| {
        [phone, "", city, "", ""].into_iter().for_each(|cell| block.push_cell(cell));
        block.end_row(1, RowFlags::default());
    };
    let is_area = |area: &u32| parse_international(&format!("+1{area}5550100")).is_some();
    for area in (201..=989).filter(is_area).take(50) {
        (100..200).for_each(|line| add(&format!("+1{area}5550{line}"), &format!("Town {line}")));
        add("nobody", "Nowhere");
    }
    spool.push(&block).unwrap();
    let file = SpooledFile { spool, heads: HEADS.map(str::to_owned).to_vec() };
    let accepted = world.import_file(&file, &sample_mapping(OverwriteRule::IfBlank));
    assert_eq!((accepted.counts.new, accepted.rejects), (5_000, 50));
    let (done, entry) = (world.export_seed(), history::get(&world.core, accepted.import).unwrap());
    // The second round uses what the first one remembered.
    for _ in 0..2 {
        assert_eq!(steps::undo(&world.core, &user()).unwrap().kept, 0);
        assert_eq!(world.export_seed(), before);
        assert_eq!(steps::redo(&world.core, &user()).unwrap().kept, 0);
        assert_eq!(world.export_seed(), done);
        assert_eq!(history::get(&world.core, accepted.import).unwrap(), entry);
    }
    let reverted = history::revert(&world.core, &user(), accepted.import).unwrap();
    assert_eq!((reverted.deleted, reverted.kept_total), (5_000, 0));
    for _ in 0..2 {
        assert_eq!(world.contacts(), [] as [Value; 0]);
        steps::undo(&world.core, &user()).unwrap();
        assert_eq!(world.export_seed(), done);
        steps::redo(&world.core, &user()).unwrap();
    }
}

#[test]
fn a_field_that_others_filled_stays() {
    let world = TestAccount::new();
    world.import_file(
        &SpooledFile::from_rows(&[["07700900009", "", "", "", ""]]),
        &sample_mapping(OverwriteRule::IfBlank),
    );
    let mut wanted = sample_mapping(OverwriteRule::IfBlank);
    wanted.targets[3].field.clear();
    wanted.targets[3].new_field = Some("Rank".to_owned());
    let import = world.import_file(&sample_file(), &wanted).import;
    let values = contact::FieldValues::from([("field_4".to_owned(), Some("Dame".to_owned()))]);
    contact::update(&world.core, &Actor::interface(), &contact_uid(&world, "+447700900009"), &values, None).unwrap();
    let before = world.export_seed();
    assert!(matches!(steps::undo(&world.core, &user()), Err(Error::Conflict { .. })));
    assert_eq!(world.export_seed(), before);
    assert_eq!(history::revert(&world.core, &user(), import).unwrap().deleted, 3);
    assert_eq!(world.contacts()[0]["field_4"], "Dame");
}

#[test]
fn later_edits_stay_and_are_reported() {
    let world = TestAccount::new();
    world.import_file(
        &SpooledFile::from_rows(&[["07700900009", "", "Ely", "", ""], ["07700900008", "", "Ely", "", ""]]),
        &sample_mapping(OverwriteRule::Always),
    );
    let file = SpooledFile::from_rows(&[
        ["07700900001", "", "York", "", ""],
        ["07700900002", "", "Hull", "", "stop"],
        ["07700900009", "", "Bath", "Mr", ""],
        ["07700900008", "", "Bath", "", ""],
        ["07700900003", "", "Deal", "", ""],
    ]);
    let accepted = world.import_file(&file, &sample_mapping(OverwriteRule::Always));
    assert_eq!((accepted.counts.new, accepted.counts.changed), (3, 2));
    world.core.ctx().advance(86_400);
    set_field(&world, "+447700900002", "city", "Leeds");
    set_field(&world, "+447700900009", "city", "Oslo");
    let other = list::create(&world.core, &user(), "Other", list::UniqueNames::Off).unwrap().uid;
    let moved = contact::ContactTarget::Uids(vec![contact_uid(&world, "+447700900003")]);
    contact::move_many(&world.core, &user(), &moved, &other).unwrap();
    let before = world.export_seed();
    let preview = history::preview_revert(&world.core, &user(), accepted.import).unwrap();
    assert_eq!(world.export_seed(), before, "looking writes nothing");
    let reverted = history::revert(&world.core, &user(), accepted.import).unwrap();
    assert_eq!(history::RevertSummary { step: None, ..reverted.clone() }, preview);
    assert_eq!((reverted.deleted, reverted.restored, reverted.kept_total, reverted.opt_outs_kept), (1, 2, 3, 2));
    let kept = |number: &str| reverted.kept.iter().find(|kept| kept.number == number).unwrap();
    assert_eq!(
        (kept("+447700900002").is_whole, kept("+447700900002").fields.as_slice()),
        (true, &["city".to_owned()][..])
    );
    assert_eq!(
        (kept("+447700900009").is_whole, kept("+447700900009").fields.as_slice()),
        (false, &["city".to_owned()][..])
    );
    assert!(kept("+447700900003").is_whole);
    assert_eq!(
        list_cities(&world),
        [
            ("+447700900002".to_owned(), Some("Leeds".to_owned())),
            ("+447700900008".to_owned(), Some("Ely".to_owned())),
            ("+447700900009".to_owned(), Some("Oslo".to_owned())),
        ]
    );
    assert_eq!(list::get(&world.core, &world.list).unwrap().contact_count, 3);
    assert_eq!(list::get(&world.core, &other).unwrap().contact_count, 1);
    let line = history::get(&world.core, accepted.import).unwrap();
    assert!(line.reverted_at.is_some() && !line.can_revert);
    assert!(matches!(history::revert(&world.core, &user(), accepted.import), Err(Error::Conflict { .. })));
}

#[test]
fn a_contact_knows_the_import_it_came_with() {
    let world = TestAccount::new();
    let accepted = world.import_file(&sample_file(), &sample_mapping(OverwriteRule::IfBlank));
    let history = contact::read_history(&world.core, &contact_uid(&world, "+447700900003")).unwrap();
    assert_eq!(
        history.iter().map(|change| (change.step, change.act.as_str())).collect::<Vec<_>>(),
        [(accepted.step, "import_accept")]
    );
}

#[test]
fn it_ends_when_it_is_cancelled() {
    let world = TestAccount::new();
    let (file, before) = (sample_file(), world.export_seed());
    let rehearsal = world.rehearse_file(&file, &sample_mapping(OverwriteRule::IfBlank));
    let watch = Arc::new(Watch::default());
    watch.cancel();
    let how = AcceptOptions { name: "people.csv", kind: "csv", new_list: None, typed_count: Some(6), mark: None };
    let ended =
        accept_rehearsal(&world.core, &user().with_watch(Arc::clone(&watch)), file.spooled_rows(), &rehearsal, &how)
            .unwrap_err();
    assert_eq!(ended.code(), roost_model::error::ErrorCode::Cancelled);
    assert_eq!(world.export_seed(), before);
    let ended = rehearse_rows(&world.core, file.spooled_rows(), &sample_mapping(OverwriteRule::IfBlank), None, &watch)
        .err()
        .unwrap();
    assert_eq!(ended.code(), roost_model::error::ErrorCode::Cancelled);
}

#[test]
fn a_row_whose_values_the_list_does_not_take_is_not_unchanged() {
    let world = TestAccount::new();
    let rule = sample_mapping(OverwriteRule::IfBlank);
    world.import_file(&SpooledFile::from_rows(&[["07700900001", "", "York", "Dr", ""]]), &rule);
    let rows = [["07700900001", "", "Hull", "", ""], ["07700900002", "", "Hull", "", ""]];
    let counts = world.rehearse_file(&SpooledFile::from_rows(&rows), &rule).summary().counts;
    assert_eq!((counts.kept, counts.same, counts.new), (1, 0, 1));
    let counts =
        world.rehearse_file(&SpooledFile::from_rows(&[["07700900001", "", "York", "", ""]]), &rule).summary().counts;
    assert_eq!((counts.kept, counts.same), (0, 1));
}
