//! Single acts: accepting an import, its history, and reverting it without losing later edits.

use roost_model::{page::PageRequest, phone::parse_international};
use roost_sheets::RowFlag;

use super::{
    super::{
        history,
        mapping::{OptedOut, Rule},
        rehearse::{Change, Which},
        verdicts::{Bucket, Counts},
    },
    *,
};
use crate::{contact, custom_field, error::Error, history as steps};

const PAGE: PageRequest = PageRequest { number: 1, size: 50 };

fn people() -> File {
    File::of(&[
        ["07700900001", "", "York", "Dr", ""],
        ["07700900002", "07700900102", "Hull", "", "stop"],
        ["", "", "", "", ""],
        ["+447700900001", "", "Leeds", "", ""],
        ["nobody", "", "Bath", "", ""],
        ["07700900003", "", "", "", " STOP "],
    ])
}

fn cities(world: &World) -> Vec<(String, Option<String>)> {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let mut all: Vec<_> =
        world.contacts().iter().map(|c| (text(&c["phone_number"]).unwrap_or_default(), text(&c["city"]))).collect();
    all.sort();
    all
}

fn uid_of(world: &World, number: &str) -> roost_model::id::ContactId {
    let found = world.contacts().into_iter().find(|contact| contact["phone_number"] == number).unwrap();
    roost_model::id::ContactId::parse(found["uid"].as_str().unwrap()).unwrap()
}

fn set(world: &World, number: &str, field: &str, text: &str) {
    let values = contact::FieldValues::from([(field.to_owned(), Some(text.to_owned()))]);
    contact::update(&world.core, &me(), &uid_of(world, number), &values, None).unwrap();
}

#[test]
fn what_was_told_is_what_comes_to_be() {
    let world = World::new();
    let file = people();
    let rehearsal = world.rehearse(&file, &mapping(Rule::IfBlank));
    let told = rehearsal.told();
    assert_eq!(
        told.counts,
        Counts { rows: 5, new: 3, duplicate_in_file: 1, invalid: 1, blank: 1, ..Counts::default() }
    );
    assert_eq!(told.opt_outs, 6, "three numbers on two channels");
    let accepted = world.accept(&file, &rehearsal).unwrap();
    assert_eq!((accepted.counts, accepted.rejects, accepted.opt_outs), (told.counts, 1, 6));
    assert_eq!(world.opt_outs().len(), 6);
    assert_eq!(
        cities(&world),
        [
            ("+447700900001".to_owned(), Some("York".to_owned())),
            ("+447700900002".to_owned(), Some("Hull".to_owned())),
            ("+447700900003".to_owned(), None),
        ]
    );
    assert_eq!(list::get(&world.core, &world.list).unwrap().contact_count, 3);
    let again = world.rehearse(&file, &mapping(Rule::IfBlank));
    let counts = Counts { rows: 5, same: 3, duplicate_in_file: 1, invalid: 1, blank: 1, ..Counts::default() };
    assert_eq!((again.told().counts, again.told().opt_outs, again.told().opted_out), (counts, 0, 2));
}

#[test]
fn rows_are_shown_with_what_they_would_change() {
    let world = World::new();
    world.import(&File::of(&[["07700900001", "", "York", "", ""]]), &mapping(Rule::IfBlank));
    let file = people();
    let mut wanted = mapping(Rule::IfBlank);
    wanted.targets[2].rule = Some(Rule::IfDifferent);
    wanted.twice = super::super::mapping::Twice::Last;
    let rehearsal = world.rehearse(&file, &wanted);
    let rows = |which: &Which| rehearsal.rows(&world.core, file.rows(), which, 0, 10).unwrap();
    let changed = rows(&Which { bucket: Some(Bucket::Changed), ..Which::default() });
    assert_eq!((changed.total, changed.rows.len()), (1, 1));
    assert_eq!(changed.rows[0].row, 3);
    let change = Change { field: "city".to_owned(), before: Some("York".to_owned()), after: Some("Leeds".to_owned()) };
    assert_eq!(changed.rows[0].changes, [change]);
    assert_eq!(changed.rows[0].contact, Some(uid_of(&world, "+447700900001")));
    assert_eq!(rows(&Which { field: Some("city".to_owned()), ..Which::default() }).rows, changed.rows);
    assert_eq!(rows(&Which { field: Some("title".to_owned()), ..Which::default() }).total, 0);
    let twin = rows(&Which { bucket: Some(Bucket::DuplicateInFile), ..Which::default() });
    assert_eq!((twin.rows[0].row, twin.rows[0].twin), (0, Some(3)));
    let invalid = rows(&Which { bucket: Some(Bucket::Invalid), ..Which::default() });
    assert_eq!((invalid.rows[0].row, invalid.rows[0].field.as_deref()), (4, Some("phone_number")));
    assert_eq!(rows(&Which::default()).total, 5);
    let problem = rehearsal.next_problem(Some(0), false).unwrap();
    assert_eq!((problem.row, problem.bucket, problem.at), (4, Bucket::Invalid, 0));
    assert_eq!(rehearsal.next_problem(Some(4), true).unwrap().row, 0);
    assert_eq!(rehearsal.next_problem(Some(4), false), None);
}

#[test]
fn several_contacts_with_one_number_are_left_alone() {
    let world = World::new();
    let values = contact::FieldValues::from([("phone_number".to_owned(), Some("07700900001".to_owned()))]);
    for _ in 0..2 {
        contact::add(&world.core, &me(), &world.list, &values, Some("GB")).unwrap();
    }
    let file = people();
    let rehearsal = world.rehearse(&file, &mapping(Rule::Always));
    let which = Which { bucket: Some(Bucket::DuplicateInList), ..Which::default() };
    let page = rehearsal.rows(&world.core, file.rows(), &which, 0, 10).unwrap();
    assert_eq!((page.total, page.rows[0].row, page.rows[0].contacts), (1, 0, 2));
    world.accept(&file, &rehearsal).unwrap();
    assert_eq!(cities(&world)[..2], [("+447700900001".to_owned(), None), ("+447700900001".to_owned(), None)]);
}

#[test]
fn who_is_opted_out_is_told_or_left_out() {
    let world = World::new();
    world.opt_out("07700900001");
    let file = people();
    let rehearsal = world.rehearse(&file, &mapping(Rule::IfBlank));
    assert_eq!((rehearsal.told().opted_out, rehearsal.told().counts.new), (1, 3));
    let leaving = OpenMapping { opted_out: OptedOut::LeaveOut, ..mapping(Rule::IfBlank) };
    let rehearsal = world.rehearse(&file, &leaving);
    assert_eq!((rehearsal.told().counts.opted_out, rehearsal.told().counts.new), (2, 2));
    world.accept(&file, &rehearsal).unwrap();
    assert_eq!(cities(&world).len(), 2);
    assert_eq!(world.opt_outs().len(), 7);
}

/// An opt-out does not depend on the rest of the row: whatever is wrong with it, its valid numbers are opted out.
#[test]
fn a_row_that_is_left_out_still_opts_its_numbers_out() {
    let long = "a title of more than thirty letters";
    let file = File::of(&[
        ["07700900001", "", "", long, "stop"],
        ["07700900002", "nobody", "", "", "stop"],
        ["nobody", "07700900103", "", "", "stop"],
        ["07700900004", "", "", "", "stop"],
        ["+447700900004", "", "Hull", "", "stop"],
        ["07700900005", "", "", long, ""],
        ["nobody", "", "", "", "stop"],
    ]);
    let world = World::new();
    let rehearsal = world.rehearse(&file, &mapping(Rule::IfBlank));
    let told = rehearsal.told();
    assert_eq!((told.counts.new, told.counts.duplicate_in_file, told.counts.invalid), (1, 1, 5));
    assert_eq!((told.opt_outs, told.opt_outs_of_invalid_rows), (8, 6));
    let which = Which { bucket: Some(Bucket::Invalid), ..Which::default() };
    let rows = rehearsal.rows(&world.core, file.rows(), &which, 0, 10).unwrap().rows;
    let consents: Vec<_> = rows.iter().map(|row| row.consents.clone()).collect();
    let both = Channel::ALL.to_vec();
    assert_eq!(consents, [both.clone(), both.clone(), both, vec![], vec![]], "it is shown");
    let how = Accept { name: "people.csv", kind: "csv", new_list: None, typed_count: Some(1), mark: None };
    assert!(accept(&world.core, &me(), file.rows(), &rehearsal, &how).is_err(), "all of them are confirmed");
    let accepted = world.accept(&file, &rehearsal).unwrap();
    assert_eq!((accepted.opt_outs, accepted.rejects), (8, 5));
    let numbers: Vec<String> = world.opt_outs().into_iter().collect();
    for number in ["+447700900001", "+447700900002", "+447700900103", "+447700900004"] {
        assert_eq!(numbers.iter().filter(|record| record.contains(number)).count(), 2, "{number}: {numbers:?}");
    }
    let again = world.rehearse(&file, &mapping(Rule::IfBlank));
    assert_eq!((again.told().opt_outs, again.told().opt_outs_of_invalid_rows), (0, 0));
}

/// The earliest time that a file has for a number is used. An impossible one is replaced by the time of the import.
#[test]
fn an_opt_out_has_the_time_that_the_file_says() {
    let file = File::of(&[
        ["07700900001", "", "", "", "2024-03-02 10:20:30"],
        ["07700900001", "", "", "", "2024-03-01"],
        ["07700900002", "", "", "", "2999-01-01"],
        ["07700900003", "", "", "", "1900-01-01"],
        ["07700900004", "", "", "", "yes"],
    ]);
    let mut mapping = mapping(Rule::IfBlank);
    mapping.consents[0].words = vec!["*".to_owned()];
    mapping.consents[0].channels = vec![roost_model::channel::Channel::Sms];
    let world = World::new();
    world.import(&file, &mapping);
    let export = world.export();
    let times: Vec<&str> =
        export["opt_outs"].as_array().unwrap().iter().map(|one| one["opt_out_time"].as_str().unwrap()).collect();
    let now = world.core.ctx().now().iso();
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
        let (mut spool, mut block, mut flags) = (Spool::in_memory(), Block::default(), RowFlags::default());
        ["07700900001", "", "Y\u{fffd}rk", "", "stop"].iter().for_each(|cell| block.cell(cell));
        flags.add(flag);
        block.end_row(1, flags);
        spool.push(&block).unwrap();
        let file = File { spool, heads: HEADS.map(str::to_owned).to_vec() };
        let world = World::new();
        let rehearsal = world.rehearse(&file, &mapping(Rule::IfBlank));
        assert_eq!((rehearsal.told().counts.invalid, rehearsal.told().opt_outs), (1, 2));
        world.accept(&file, &rehearsal).unwrap();
        assert_eq!(world.opt_outs().len(), 2);
    }
}

#[test]
fn the_error_of_a_spreadsheet_changes_no_value() {
    let world = World::new();
    world.import(&File::of(&[["07700900001", "07700900101", "York", "Dr", ""]]), &mapping(Rule::Always));
    let before = world.contacts();
    let mut flags = RowFlags::default();
    flags.add(RowFlag::NoResult);
    let rows = [["07700900001", "#N/A", "#REF!", "Dr", ""], ["07700900002", "", "#REF!", "", ""]];
    let file = File::flagged(&rows, flags);
    let accepted = world.import(&file, &mapping(Rule::Always));
    assert_eq!((accepted.counts.same, accepted.counts.new, accepted.counts.invalid), (1, 1, 0));
    let now = world.contacts();
    assert_eq!(now.iter().find(|contact| contact["phone_number"] == "+447700900001"), before.first());
    let new = now.iter().find(|contact| contact["phone_number"] == "+447700900002").unwrap();
    assert_eq!(new["city"], Value::Null);
    // Outside a workbook, it is a text.
    world.import(&File::of(&[["07700900003", "", "#REF!", "", ""]]), &mapping(Rule::Always));
    assert!(world.contacts().iter().any(|contact| contact["city"] == "#REF!"));
}

#[test]
fn the_number_of_opt_outs_must_be_typed() {
    let world = World::new();
    let (file, before) = (people(), world.export());
    let rehearsal = world.rehearse(&file, &mapping(Rule::IfBlank));
    for typed_count in [None, Some(2)] {
        let how = Accept { name: "people.csv", kind: "csv", new_list: None, typed_count, mark: None };
        let refused = accept(&world.core, &me(), file.rows(), &rehearsal, &how).unwrap_err();
        assert!(matches!(&refused, Error::Invalid { faults } if faults[0].path == "typed_count"), "{refused}");
    }
    assert_eq!(world.export(), before);
}

#[test]
fn an_account_that_changed_since_is_looked_at_once_more() {
    let world = World::new();
    let file = people();
    let rehearsal = world.rehearse(&file, &mapping(Rule::IfBlank));
    list::create(&world.core, &me(), "Another", list::UniqueNames::Off).unwrap();
    assert!(!rehearsal.is_stale(&world.core).unwrap(), "another list does not matter");
    world.opt_out("07700900009");
    assert!(rehearsal.is_stale(&world.core).unwrap());
    assert!(matches!(world.accept(&file, &rehearsal), Err(Error::Conflict { .. })));
    let rehearsal = world.rehearse(&file, &mapping(Rule::IfBlank));
    custom_field::add(&world.core, &me(), "Size").unwrap();
    assert!(rehearsal.is_stale(&world.core).unwrap());
}

#[test]
fn list_and_fields_are_made_on_the_way_and_go_with_it() {
    let world = World::new();
    let before = world.export();
    let file = people();
    let mut wanted = mapping(Rule::IfBlank);
    wanted.consents.clear();
    let mut made = target("", 3, None);
    made.new_field = Some("Rank".to_owned());
    wanted.targets[3] = made;
    let watch = Arc::new(Watch::default());
    let rehearsal = rehearse(&world.core, file.rows(), &wanted, None, &watch).unwrap();
    assert_eq!(rehearsal.told().new_fields[0].label, "Rank");
    let how = Accept { name: "people.csv", kind: "csv", new_list: None, typed_count: None, mark: None };
    assert!(accept(&world.core, &me(), file.rows(), &rehearsal, &how).is_err(), "a list needs a name");
    let how = Accept { new_list: Some("Guests"), ..how };
    let accepted = accept(&world.core, &me(), file.rows(), &rehearsal, &how).unwrap();
    let guests = World { core: world.core.clone(), list: accepted.list };
    let ranks: Vec<Value> = guests.contacts().iter().map(|contact| contact["field_4"].clone()).collect();
    assert!(ranks.contains(&Value::from("Dr")), "{ranks:?}");
    let reverted = history::revert(&world.core, &me(), accepted.import).unwrap();
    assert_eq!((reverted.deleted, reverted.list_kept, reverted.kept_total), (3, false, 0));
    assert_eq!(world.export(), before);
    steps::undo(&world.core, &me()).unwrap();
    assert_eq!(guests.contacts().len(), 3, "reverting is an act, too");
    steps::undo(&world.core, &me()).unwrap();
    assert_eq!(world.export(), before);
    assert_eq!(history::page(&world.core, PAGE).unwrap().total_items, 0);
}

/// The import has more rows than one undo handles at once, and rejected ones among them.
#[test]
fn a_long_import_is_done_again_as_it_was() {
    let world = World::new();
    let before = world.export();
    let (mut spool, mut block) = (Spool::in_memory(), Block::default());
    let mut add = |phone: &str, city: &str| {
        [phone, "", city, "", ""].into_iter().for_each(|cell| block.cell(cell));
        block.end_row(1, RowFlags::default());
    };
    let is_area = |area: &u32| parse_international(&format!("+1{area}5550100")).is_some();
    for area in (201..=989).filter(is_area).take(50) {
        (100..200).for_each(|line| add(&format!("+1{area}5550{line}"), &format!("Town {line}")));
        add("nobody", "Nowhere");
    }
    spool.push(&block).unwrap();
    let file = File { spool, heads: HEADS.map(str::to_owned).to_vec() };
    let accepted = world.import(&file, &mapping(Rule::IfBlank));
    assert_eq!((accepted.counts.new, accepted.rejects), (5_000, 50));
    let (done, told) = (world.export(), history::get(&world.core, accepted.import).unwrap());
    // The second round uses what the first one remembered.
    for _ in 0..2 {
        assert_eq!(steps::undo(&world.core, &me()).unwrap().kept, 0);
        assert_eq!(world.export(), before);
        assert_eq!(steps::redo(&world.core, &me()).unwrap().kept, 0);
        assert_eq!(world.export(), done);
        assert_eq!(history::get(&world.core, accepted.import).unwrap(), told);
    }
    let reverted = history::revert(&world.core, &me(), accepted.import).unwrap();
    assert_eq!((reverted.deleted, reverted.kept_total), (5_000, 0));
    for _ in 0..2 {
        assert_eq!(world.contacts(), [] as [Value; 0]);
        steps::undo(&world.core, &me()).unwrap();
        assert_eq!(world.export(), done);
        steps::redo(&world.core, &me()).unwrap();
    }
}

#[test]
fn a_field_that_others_filled_stays() {
    let world = World::new();
    world.import(&File::of(&[["07700900009", "", "", "", ""]]), &mapping(Rule::IfBlank));
    let mut wanted = mapping(Rule::IfBlank);
    wanted.targets[3].field.clear();
    wanted.targets[3].new_field = Some("Rank".to_owned());
    let import = world.import(&people(), &wanted).import;
    let values = contact::FieldValues::from([("field_4".to_owned(), Some("Dame".to_owned()))]);
    contact::update(&world.core, &By::interface(), &uid_of(&world, "+447700900009"), &values, None).unwrap();
    let before = world.export();
    assert!(matches!(steps::undo(&world.core, &me()), Err(Error::Conflict { .. })));
    assert_eq!(world.export(), before);
    assert_eq!(history::revert(&world.core, &me(), import).unwrap().deleted, 3);
    assert_eq!(world.contacts()[0]["field_4"], "Dame");
}

#[test]
fn later_edits_stay_and_are_told() {
    let world = World::new();
    world.import(
        &File::of(&[["07700900009", "", "Ely", "", ""], ["07700900008", "", "Ely", "", ""]]),
        &mapping(Rule::Always),
    );
    let file = File::of(&[
        ["07700900001", "", "York", "", ""],
        ["07700900002", "", "Hull", "", "stop"],
        ["07700900009", "", "Bath", "Mr", ""],
        ["07700900008", "", "Bath", "", ""],
        ["07700900003", "", "Deal", "", ""],
    ]);
    let accepted = world.import(&file, &mapping(Rule::Always));
    assert_eq!((accepted.counts.new, accepted.counts.changed), (3, 2));
    world.core.ctx().advance(86_400);
    set(&world, "+447700900002", "city", "Leeds");
    set(&world, "+447700900009", "city", "Oslo");
    let other = list::create(&world.core, &me(), "Other", list::UniqueNames::Off).unwrap().uid;
    let moved = contact::Target::Uids(vec![uid_of(&world, "+447700900003")]);
    contact::move_many(&world.core, &me(), &moved, &other).unwrap();
    let before = world.export();
    let preview = history::revert_preview(&world.core, &me(), accepted.import).unwrap();
    assert_eq!(world.export(), before, "looking writes nothing");
    let reverted = history::revert(&world.core, &me(), accepted.import).unwrap();
    assert_eq!(history::Reverted { step: None, ..reverted.clone() }, preview);
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
        cities(&world),
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
    assert!(matches!(history::revert(&world.core, &me(), accepted.import), Err(Error::Conflict { .. })));
}

#[test]
fn a_contact_knows_the_import_it_came_with() {
    let world = World::new();
    let accepted = world.import(&people(), &mapping(Rule::IfBlank));
    let told = contact::history(&world.core, &uid_of(&world, "+447700900003")).unwrap();
    assert_eq!(
        told.iter().map(|change| (change.step, change.act.as_str())).collect::<Vec<_>>(),
        [(accepted.step, "import_accept")]
    );
}

#[test]
fn it_ends_when_it_is_told_to() {
    let world = World::new();
    let (file, before) = (people(), world.export());
    let rehearsal = world.rehearse(&file, &mapping(Rule::IfBlank));
    let watch = Arc::new(Watch::default());
    watch.cancel();
    let how = Accept { name: "people.csv", kind: "csv", new_list: None, typed_count: Some(6), mark: None };
    let ended = accept(&world.core, &me().watched(Arc::clone(&watch)), file.rows(), &rehearsal, &how).unwrap_err();
    assert_eq!(ended.code(), roost_model::error::ErrorCode::Cancelled);
    assert_eq!(world.export(), before);
    let ended = rehearse(&world.core, file.rows(), &mapping(Rule::IfBlank), None, &watch).err().unwrap();
    assert_eq!(ended.code(), roost_model::error::ErrorCode::Cancelled);
}
