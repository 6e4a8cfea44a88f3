//! Tests undo, redo and restore: what must come back, what later changes protect, and what cannot be undone.

use std::sync::Arc;

use roost_model::{
    channel::Channel,
    contact::{MergeType, ValidContact},
    id::{ContactId, ListId},
    page::PageRequest,
    sender,
};
use roost_ops::{
    Actor, ActorKind, Core, Error, Noun, Watch, asset, contact, custom_field, history, job,
    list::{self, UniqueNames},
    seed, short_link,
};

use crate::support::{account, check, every_list, phone, query_contacts};

fn me() -> Actor {
    Actor::user(None)
}

fn export_json(core: &Core) -> String {
    let mut out = Vec::new();
    seed::export(core, "http://127.0.0.1:4010/", &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

fn fill_list(core: &Core, by: &Actor, name: &str, contacts: u16) -> ListId {
    let list = list::create(core, by, name, UniqueNames::Off).unwrap();
    add_by_job(core, &list.uid, 0..contacts);
    list.uid
}

fn add_by_job(core: &Core, list: &ListId, numbers: std::ops::Range<u16>) {
    let contacts = numbers.map(|n| ValidContact { phone: Some(phone(n)), ..ValidContact::default() }).collect();
    let new = job::NewJob {
        list: list.clone(),
        merge_type: MergeType::AllowDuplicates,
        callback_url: None,
        correlation_id: None,
        contacts,
    };
    job::enqueue(core, &Actor::interface(), new).unwrap();
    job::run_next(core).unwrap();
}

fn first_page() -> PageRequest {
    PageRequest { number: 1, size: 100 }
}

#[test]
fn a_deleted_list_returns_whole_and_goes_again() {
    let core = account();
    let list = fill_list(&core, &Actor::interface(), "Newsletter", 300);
    let before = export_json(&core);
    list::delete(&core, &me(), &list).unwrap();
    let after = export_json(&core);
    assert_ne!(before, after);
    assert_eq!(history::read_undo_status(&core).unwrap().undo.unwrap().act, "list_delete");

    let taken = history::undo(&core, &me()).unwrap();
    assert_eq!((taken.rows, taken.kept), (301, 0));
    assert_eq!(export_json(&core), before);
    check(&core);
    assert!(history::read_undo_status(&core).unwrap().undo.is_none());
    assert!(matches!(history::undo(&core, &me()), Err(Error::Conflict { .. })));

    history::redo(&core, &me()).unwrap();
    assert_eq!(export_json(&core), after);
    assert!(matches!(history::redo(&core, &me()), Err(Error::Conflict { .. })));
    history::undo(&core, &me()).unwrap();
    assert_eq!(export_json(&core), before);
}

#[test]
fn undoing_walks_back_and_a_new_act_ends_what_could_be_redone() {
    let core = account();
    let names = |core: &Core| every_list(core).into_iter().map(|list| list.name).collect::<Vec<_>>();
    for name in ["One", "Two", "Three"] {
        list::create(&core, &me(), name, UniqueNames::Off).unwrap();
    }
    history::undo(&core, &me()).unwrap();
    history::undo(&core, &me()).unwrap();
    assert_eq!(names(&core), ["One"], "the second undo goes on and does not undo the first");
    history::redo(&core, &me()).unwrap();
    assert_eq!(names(&core), ["One", "Two"], "redone in the order they were done");
    list::create(&core, &me(), "Four", UniqueNames::Off).unwrap();
    assert!(history::read_undo_status(&core).unwrap().redo.is_none());
    for left in [vec!["One", "Two"], vec!["One"], vec![]] {
        history::undo(&core, &me()).unwrap();
        assert_eq!(names(&core), left);
    }
}

#[test]
fn one_act_is_taken_back_only_while_it_is_the_last() {
    let core = account();
    let last = |core: &Core| history::read_undo_status(core).unwrap().undo.unwrap().id;
    list::create(&core, &me(), "One", UniqueNames::Off).unwrap();
    let one = last(&core);
    list::create(&core, &me(), "Two", UniqueNames::Off).unwrap();
    let two = last(&core);
    assert!(matches!(history::undo_step(&core, &me(), one), Err(Error::Conflict { .. })));
    assert_eq!(every_list(&core).len(), 2);
    assert_eq!(history::undo_step(&core, &me(), two).unwrap().step.id, two);
    assert!(matches!(history::undo_step(&core, &me(), two), Err(Error::Conflict { .. })));
    assert_eq!(history::undo_step(&core, &me(), one).unwrap().step.id, one);
    assert!(every_list(&core).is_empty());
}

#[test]
fn acts_of_others_are_not_my_steps_and_survive() {
    let core = account();
    let mine = list::create(&core, &me(), "Mine", UniqueNames::Off).unwrap();
    add_by_job(&core, &mine.uid, 0..5);
    let first = query_contacts(&core, &mine.uid, None, None).contacts[0].uid.clone();
    contact::delete(&core, &me(), &first).unwrap();
    add_by_job(&core, &mine.uid, 5..7);
    history::undo(&core, &me()).unwrap();
    check(&core);
    assert_eq!(list::get(&core, &mine.uid).unwrap().contact_count, 7, "mine is back, theirs has stayed");
    let error = history::undo(&core, &me()).unwrap_err();
    assert!(matches!(&error, Error::Conflict { .. }) && error.to_string().contains("filled by others"), "{error}");
    assert_eq!(list::get(&core, &mine.uid).unwrap().contact_count, 7, "a list that others filled is not taken away");
    history::skip_undo_step(&core, &me()).unwrap();
    assert!(history::read_undo_status(&core).unwrap().undo.is_none());
}

#[test]
fn a_value_that_somebody_changed_since_is_kept() {
    let core = account();
    let list = list::create(&core, &Actor::interface(), "Old", UniqueNames::Off).unwrap();
    list::rename(&core, &me(), &list.uid, "Mine").unwrap();
    list::rename(&core, &Actor::interface(), &list.uid, "Theirs").unwrap();
    let error = history::undo(&core, &me()).unwrap_err().to_string();
    assert!(error.contains("Could not be undone"), "nothing else is left to undo: {error}");
    assert_eq!(list::get(&core, &list.uid).unwrap().name, "Theirs");
}

/// More columns than one call of the functions that record changes can take.
#[test]
fn a_field_with_its_values_returns_among_a_hundred_fields() {
    let core = account();
    for n in 4..=130 {
        custom_field::add(&core, &me(), &format!("Field {n}")).unwrap();
    }
    let list = list::create(&core, &me(), "Wide", UniqueNames::Off).unwrap();
    let contact = ValidContact {
        phone: Some(phone(1)),
        custom: vec![(1, "first".into()), (125, "a\0b".into()), (130, "last".into())],
        ..ValidContact::default()
    };
    let new = job::NewJob {
        list: list.uid.clone(),
        merge_type: MergeType::AllowDuplicates,
        callback_url: None,
        correlation_id: None,
        contacts: vec![contact],
    };
    job::enqueue(&core, &Actor::interface(), new).unwrap();
    job::run_next(&core).unwrap();
    let before = export_json(&core);
    custom_field::remove(&core, &me(), 125).unwrap();
    let uid = query_contacts(&core, &list.uid, None, None).contacts[0].uid.clone();
    contact::delete(&core, &me(), &uid).unwrap();
    history::undo(&core, &me()).unwrap();
    history::undo(&core, &me()).unwrap();
    assert_eq!(export_json(&core), before);
    check(&core);
}

#[test]
fn what_is_in_the_trash_can_be_restored_after_other_acts_and_only_once() {
    let core = account();
    let list = fill_list(&core, &Actor::interface(), "Newsletter", 50);
    list::delete(&core, &me(), &list).unwrap();
    list::create(&core, &me(), "Later", UniqueNames::Off).unwrap();
    let trash = history::read_trash(&core, None, first_page()).unwrap();
    assert_eq!((trash.total_items, trash.items[0].trash), (1, Some(Noun::List)));
    let step = trash.items[0].id;
    history::restore(&core, &me(), step).unwrap();
    assert_eq!(list::get(&core, &list).unwrap().contact_count, 50);
    assert_eq!(history::read_trash(&core, None, first_page()).unwrap().total_items, 0);
    assert!(matches!(history::restore(&core, &me(), step), Err(Error::Conflict { .. })));
    history::undo(&core, &me()).unwrap();
    assert_eq!(history::read_trash(&core, None, first_page()).unwrap().total_items, 1, "the restoring was undone");
    history::purge(&core, &me(), &[step]).unwrap();
    assert_eq!(history::read_trash(&core, None, first_page()).unwrap().total_items, 0);
    assert!(matches!(history::restore(&core, &me(), step), Err(Error::Conflict { .. })));
    history::undo(&core, &me()).unwrap();
    assert!(matches!(history::undo(&core, &me()), Err(Error::Conflict { .. })), "what is purged cannot return");
    check(&core);
}

#[test]
fn a_restored_name_that_was_taken_since_is_reported() {
    let core = account();
    let first = roost_ops::sender::request(&core, &me(), "Roost").unwrap();
    roost_ops::sender::delete(&core, &me(), &first.id).unwrap();
    roost_ops::sender::request(&core, &me(), "Roost").unwrap();
    let step = history::read_trash(&core, Some(Noun::Sender), first_page()).unwrap().items[0].id;
    let error = history::restore(&core, &me(), step).unwrap_err();
    assert_eq!(error.code(), roost_model::error::ErrorCode::Conflict, "{error}");
    assert!(sender::check_name("Roost").is_ok());
}

#[test]
fn contacts_of_a_deleted_list_say_what_to_do_and_return_after_it() {
    let core = account();
    let list = fill_list(&core, &Actor::interface(), "Newsletter", 3);
    let uid = query_contacts(&core, &list, None, None).contacts[0].uid.clone();
    contact::delete(&core, &me(), &uid).unwrap();
    list::delete(&core, &Actor::interface(), &list).unwrap();
    let before = export_json(&core);
    let newest_step = |noun| history::read_trash(&core, Some(noun), first_page()).unwrap().items[0].id;
    let error = history::restore(&core, &me(), newest_step(Noun::Contact)).unwrap_err();
    assert!(matches!(error, Error::Conflict { .. }) && error.to_string().contains("from the trash first"), "{error}");
    let error = history::undo(&core, &me()).unwrap_err();
    assert!(matches!(error, Error::Conflict { .. }) && error.to_string().contains("from the trash"), "{error}");
    assert_eq!(export_json(&core), before);
    history::restore(&core, &me(), newest_step(Noun::List)).unwrap();
    history::restore(&core, &me(), newest_step(Noun::Contact)).unwrap();
    assert_eq!(list::get(&core, &list).unwrap().contact_count, 3);
    check(&core);
}

#[test]
fn the_act_that_restores_contacts_names_their_list() {
    let core = account();
    let list = fill_list(&core, &Actor::interface(), "Newsletter", 3);
    let uids: Vec<_> =
        query_contacts(&core, &list, None, None).contacts.iter().map(|contact| contact.uid.clone()).collect();
    let restore_act = |uids: &[ContactId]| {
        contact::delete_many(&core, &me(), &contact::ContactTarget::Uids(uids.to_vec())).unwrap();
        let deleted = history::read_trash(&core, None, first_page()).unwrap().items[0].id;
        history::restore(&core, &me(), deleted).unwrap();
        let step = history::read_undo_status(&core).unwrap().undo.unwrap();
        (step.act, step.subject, step.count)
    };
    let (act, subject, count) = restore_act(&uids);
    assert_eq!((act.as_str(), subject.as_deref(), count), ("trash_restore_contacts", Some("Newsletter"), 3));
    let (act, subject, count) = restore_act(&uids[..1]);
    assert_eq!((act.as_str(), count), ("trash_restore", 1));
    assert_ne!(subject.as_deref(), Some("Newsletter"), "one contact has its own name");
}

#[test]
fn a_new_field_that_others_filled_is_not_undone() {
    let core = account();
    let list = fill_list(&core, &Actor::interface(), "Newsletter", 1);
    let field = custom_field::add(&core, &me(), "Shop").unwrap();
    let uid = query_contacts(&core, &list, None, None).contacts[0].uid.clone();
    let name = format!("field_{}", field.number);
    let value = |text: Option<&str>| [(name.clone(), text.map(str::to_owned))].into();
    contact::update(&core, &Actor::interface(), &uid, &value(Some("Leeds")), None).unwrap();
    let before = export_json(&core);
    let error = history::undo(&core, &me()).unwrap_err();
    assert!(
        matches!(error, Error::Conflict { .. }) && error.to_string().contains("Remove the field instead"),
        "{error}"
    );
    assert_eq!(export_json(&core), before);
    contact::update(&core, &Actor::interface(), &uid, &value(None), None).unwrap();
    history::undo(&core, &me()).unwrap();
    assert!(custom_field::read_all(&core).unwrap().iter().all(|known| known.number != field.number));
    history::redo(&core, &me()).unwrap();
    check(&core);
}

#[test]
fn a_link_returns_with_its_clicks_and_an_asset_with_its_keywords() {
    let core = account();
    let parts = roost_model::short_link::LinkParts {
        title: "Offer".into(),
        target_url: "https://example.com/".into(),
        tags: vec!["spring".into()],
        track_clicks: true,
    };
    let link = short_link::create(&core, &me(), parts).unwrap();
    for _ in 0..3 {
        short_link::follow_code(
            &core,
            &Actor::interface(),
            &link.code,
            "http://127.0.0.1/",
            Some(short_link::LinkVisit::default()),
        )
        .unwrap();
    }
    let made = asset::add(&core, &me(), Channel::Sms, "+447700900900").unwrap();
    asset::set_keywords(&core, &me(), &made.id, &["HALT".to_owned(), "ENDE".to_owned()]).unwrap();
    let before = export_json(&core);
    short_link::delete(&core, &me(), &link.link_id).unwrap();
    asset::remove(&core, &me(), &made.id).unwrap();
    history::undo(&core, &me()).unwrap();
    history::undo(&core, &me()).unwrap();
    assert_eq!(export_json(&core), before);
    assert_eq!(short_link::read_clicks(&core, &link.link_id, first_page()).unwrap().total_items, 3);
}

#[test]
fn a_cancelled_act_leaves_nothing_behind() {
    let core = account();
    let list = fill_list(&core, &Actor::interface(), "Newsletter", 500);
    let before = export_json(&core);
    let watch = Arc::new(Watch::default());
    watch.cancel();
    let error = list::delete(&core, &me().with_watch(Arc::clone(&watch)), &list).unwrap_err();
    assert_eq!(error.code(), roost_model::error::ErrorCode::Cancelled);
    assert_eq!(export_json(&core), before);
    assert!(history::read_undo_status(&core).unwrap().undo.is_none());
    let watch = Arc::new(Watch::default());
    list::delete(&core, &me().with_watch(Arc::clone(&watch)), &list).unwrap();
    assert_eq!(watch.rows(), 501, "who looks on sees every row");
}

#[test]
fn the_timeline_shows_who_did_what_and_a_record_shows_its_own_history() {
    let core = account();
    let list = list::create(&core, &Actor::interface(), "Old", UniqueNames::Off).unwrap();
    list::rename(&core, &me(), &list.uid, "New").unwrap();
    list::rename(&core, &me(), &list.uid, "Newest").unwrap();
    history::undo(&core, &me()).unwrap();
    let timeline = history::read_timeline(&core, &history::StepQuery::default(), first_page()).unwrap().items;
    let line: Vec<(ActorKind, &str)> = timeline.iter().map(|t| (t.step.source, t.step.act.as_str())).collect();
    assert_eq!(
        line,
        [
            (ActorKind::User, "undo"),
            (ActorKind::User, "list_rename"),
            (ActorKind::User, "list_rename"),
            (ActorKind::Interface, "list_create")
        ]
    );
    let record = history::read_record_history(&core, Noun::List, list.uid.as_str()).unwrap();
    assert_eq!(record.len(), 2, "what was undone never happened: {record:?}");
    assert_eq!(record[0].fields[0].field, "name");
    assert_eq!(
        (record[0].fields[0].before.as_deref(), record[0].fields[0].after.as_deref()),
        (Some("Old"), Some("New"))
    );
}

#[test]
fn an_undo_that_finds_nothing_to_undo_fails_and_leaves_its_act_as_it_was() {
    let core = account();
    let list = list::create(&core, &Actor::interface(), "Newsletter", UniqueNames::Off).unwrap().uid;
    list::rename(&core, &me(), &list, "Renamed").unwrap();
    list::delete(&core, &Actor::interface(), &list).unwrap();
    let step = history::read_undo_status(&core).unwrap().undo.unwrap();
    let error = history::undo(&core, &me()).unwrap_err().to_string();
    assert!(error.contains("Could not be undone"), "{error}");
    assert_eq!(history::read_undo_status(&core).unwrap().undo.unwrap(), step);

    let trash = history::read_trash(&core, None, first_page()).unwrap().items;
    history::restore(&core, &Actor::interface(), trash[0].id).unwrap();
    assert_eq!(history::undo(&core, &me()).unwrap().rows, 1);
    assert_eq!(every_list(&core)[0].name, "Newsletter");
    list::delete(&core, &Actor::interface(), &list).unwrap();
    let error = history::redo(&core, &me()).unwrap_err().to_string();
    assert!(error.contains("Could not be redone"), "{error}");
    assert_eq!(history::read_undo_status(&core).unwrap().redo.unwrap().id, step.id);
    check(&core);
}
