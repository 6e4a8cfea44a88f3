//! Tests acts on whole to_intervals and saved views.

use roost_model::{channel::Channel, page::PageRequest};
use roost_store::change_log::{ChangeAction, Noun};
use serde_json::{Value, json};

use super::{edit_cells, open_cities, read_column, to_intervals, undo};
use roost_ops::{
    contact::{DuplicatePolicy, FieldValues},
    history, list, opt_out,
};

use crate::grid::{
    self,
    tests::{GridAccount, contact_values, me},
};

fn count_contacts(account: &GridAccount, uid: &roost_model::id::ListId) -> u64 {
    list::get(&account.core, uid).unwrap().contact_count
}

#[test]
fn added_rows_come_last_and_deleted_rows_disappear_without_a_refresh() {
    let (account, view) = open_cities(&["a", "b", "c", "d"]);
    let (grid, core) = (account.core.grid(), &account.core);
    core.ctx().advance(1);
    let (card, row) = grid.add_contact(core, &me(), view, &contact_values(&[("city", "new")], 40), None).unwrap();
    assert_eq!((row, card.values["city"].as_str()), (4, "new"));
    let refused = grid.add_contact(core, &me(), view, &FieldValues::from([("city".into(), Some("x".into()))]), None);
    assert!(refused.unwrap_err().to_string().contains("must be given"));
    let (deleted, step) = grid.delete_rows(core, &me(), view, None, &to_intervals(&[(1, 3), (9, 12)])).unwrap();
    assert!(deleted == 2 && step.is_some());
    assert_eq!(read_column(&account, view, "city"), ["a", "d", "new"]);
    assert!(!account.read_status(view).is_stale);
    assert_eq!(grid.delete_rows(core, &me(), view, None, &to_intervals(&[(7, 9)])).unwrap(), (0, None));
    undo(&account);
    account.refresh(view);
    assert_eq!(read_column(&account, view, "city"), ["new", "a", "b", "c", "d"]);
    let trash =
        roost_ops::history::read_trash(core, None, roost_model::page::PageRequest { number: 1, size: 9 }).unwrap();
    assert_eq!(trash.total_items, 0);
}

fn newest_step(account: &GridAccount) -> history::TimelineEntry {
    let newest = PageRequest { number: 1, size: 1 };
    history::read_timeline(&account.core, &history::StepQuery::default(), newest).unwrap().items.remove(0)
}

#[test]
fn a_step_names_the_one_contact_or_the_list_of_many_and_counts_each_once() {
    let (account, view) = open_cities(&["a", "b", "c", "d"]);
    let (grid, core) = (account.core.grid(), &account.core);
    let named = |act: &str, subject: &str, count: u64| (act.to_owned(), Some(subject.to_owned()), count);
    let read_step = || {
        let history::TimelineEntry { step, changes } = newest_step(&account);
        let changes: Vec<_> = changes.iter().map(|one| (one.noun, one.action, one.count)).collect();
        ((step.act, step.subject, step.count), changes)
    };
    edit_cells(&account, view, &[(0, "firstname", "Ann")]).unwrap();
    let list = (Noun::List, ChangeAction::Updated, 1);
    assert_eq!(read_step(), (named("contact_edit", "Ann", 1), vec![(Noun::Contact, ChangeAction::Updated, 1), list]));
    grid.delete_rows(core, &me(), view, None, &to_intervals(&[(0, 1)])).unwrap();
    assert_eq!(read_step().0, named("contact_delete", "Ann", 1));
    undo(&account);
    assert_eq!(read_step().1, [(Noun::List, ChangeAction::Updated, 1), (Noun::Contact, ChangeAction::Created, 1)]);
    account.refresh(view);
    let other = list::create(core, &me(), "Others", list::UniqueNames::Off).unwrap().uid;
    grid.move_rows(core, &me(), (view, None), &to_intervals(&[(0, 1)]), &other, DuplicatePolicy::Keep).unwrap();
    assert_eq!(read_step().0.2, 1);
    grid.copy_rows(core, &me(), (view, None), &to_intervals(&[(0, 3)]), &other, DuplicatePolicy::Keep).unwrap();
    assert_eq!(read_step().0, named("contact_copy", "Others", 3));
    grid.move_rows(core, &me(), (view, None), &to_intervals(&[(0, 3)]), &other, DuplicatePolicy::Keep).unwrap();
    assert_eq!(read_step().0, named("contact_move", "Others", 3));
}

#[test]
fn rows_are_moved_and_copied_by_the_rule_for_duplicates() {
    for (duplicates, placed, merged, skipped, left) in [
        (DuplicatePolicy::Keep, 3, 0, 0, vec![]),
        (DuplicatePolicy::Skip, 2, 0, 1, vec!["b"]),
        (DuplicatePolicy::Merge, 2, 1, 0, vec![]),
    ] {
        let (account, view) = open_cities(&["a", "b", "c"]);
        let core = &account.core;
        let other = list::create(core, &me(), "Others", list::UniqueNames::Off).unwrap().uid;
        roost_ops::contact::add(core, &me(), &other, &contact_values(&[("city", "there")], 1), None).unwrap();
        let all = to_intervals(&[(0, 3)]);
        let copied = core.grid().copy_rows(core, &me(), (view, None), &all, &other, duplicates).unwrap();
        let numbers = |sent: &grid::SendSummary| (sent.placed.placed, sent.placed.merged, sent.placed.skipped);
        assert_eq!(numbers(&copied), (placed, merged, skipped));
        assert_eq!((count_contacts(&account, &account.list), count_contacts(&account, &other)), (3, 1 + placed));
        undo(&account);
        let moved = core.grid().move_rows(core, &me(), (view, None), &all, &other, duplicates).unwrap();
        assert_eq!(numbers(&moved), (placed, merged, skipped));
        assert_eq!(read_column(&account, view, "city"), left);
        assert_eq!(
            (count_contacts(&account, &account.list), count_contacts(&account, &other)),
            (left.len() as u64, 1 + placed)
        );
        let there = account.open_view(grid::ViewSpec { list: other.clone(), ..account.view_spec(Value::Null, &[]) });
        let cities = read_column(&account, there, "city");
        assert_eq!(cities.contains(&"b".to_owned()), duplicates != DuplicatePolicy::Skip, "{cities:?}");
        undo(&account);
        assert_eq!((account.refresh(view).total, count_contacts(&account, &other)), (3, 1));
        let mut back = read_column(&account, view, "city");
        back.sort();
        assert_eq!(back, ["a", "b", "c"]);
        assert_eq!(core.integrity().unwrap(), "ok");
    }
}

#[test]
fn the_preview_of_a_move_counts_conflicts_with_the_target_list() {
    let (account, view) = open_cities(&["a", "b", "c", "d"]);
    let core = &account.core;
    let other = list::create(core, &me(), "Others", list::UniqueNames::Off).unwrap().uid;
    // The other list has number 1 as a phone number and number 2 as a WhatsApp number. A fifth contact has the same
    // number as the first.
    roost_ops::contact::add(core, &me(), &other, &contact_values(&[], 1), None).unwrap();
    let whatsapp = FieldValues::from([("whatsapp_id".to_owned(), Some("+447700900002".to_owned()))]);
    roost_ops::contact::add(core, &me(), &other, &whatsapp, None).unwrap();
    let uid = account.uids(view)[2].clone();
    let third = roost_model::id::ContactId::parse(&uid).unwrap();
    roost_ops::contact::update(core, &me(), &third, &whatsapp, None).unwrap();
    account.add_contact(0, &[("city", "e")]);
    core.grid()
        .opt_out_rows(core, &me(), (view, None), &to_intervals(&[(3, 4)]), &[Channel::Sms], None, "asked")
        .unwrap();
    account.refresh(view);
    let all = to_intervals(&[(0, 9)]);
    let found = core.grid().preview_send(core, &me(), (view, None), &all, &other).unwrap();
    let expected = roost_ops::contact::SendPreview { contacts: 5, in_list: 2, clashing: 2, repeated: 2, opted_out: 1 };
    assert_eq!(found, expected);
    assert_eq!(
        list::preview_merge(core, &me(), &[account.list.clone(), other.clone()], Some(&other)).unwrap(),
        expected
    );
    let new = list::preview_merge(core, &me(), &[account.list.clone(), other.clone()], None).unwrap();
    assert_eq!((new.contacts, new.in_list, new.clashing, new.repeated), (7, 0, 0, 2));
    // The counts of the preview equal those of the act.
    for (duplicates, left_out) in
        [(DuplicatePolicy::Keep, 0), (DuplicatePolicy::Skip, found.repeated), (DuplicatePolicy::Merge, found.repeated)]
    {
        let sent = core.grid().copy_rows(core, &me(), (view, None), &all, &other, duplicates).unwrap();
        assert_eq!(sent.placed.placed, found.contacts - left_out);
        assert_eq!(count_contacts(&account, &other), found.in_list + found.contacts - left_out);
        undo(&account);
    }
}

#[test]
fn removing_a_field_removes_its_drafts_and_undo_restores_them() {
    let (account, view) = open_cities(&["a"]);
    let long = "x".repeat(501);
    assert_eq!(super::edit_cells(&account, view, &[(0, "field_1", &long)]).unwrap().drafts, 1);
    roost_ops::custom_field::remove(&account.core, &me(), 1).unwrap();
    assert_eq!(account.core.grid().find_draft(&account.core, view, None, false).unwrap(), None);
    undo(&account);
    assert_eq!(read_column(&account, view, "field_1"), [format!("!{long}")]);
}

#[test]
fn opting_rows_out_only_adds() {
    let (account, view) = open_cities(&["a", "b", "c"]);
    let core = &account.core;
    let entry =
        |number: &str| opt_out::NewOptOut { number: number.to_owned(), channels: vec![Channel::Sms], asset: None };
    opt_out::add(core, &me(), &[entry("+447700900001")], "Asked by letter", None).unwrap();
    let source = (view, None);
    let all = to_intervals(&[(0, 3)]);
    let both = [Channel::Sms, Channel::WhatsApp];
    let summary = core.grid().opt_out_rows(core, &me(), source, &all, &both, None, "Asked by phone").unwrap();
    assert_eq!(
        (summary.added, summary.already, summary.without_number),
        (5, 1, 0),
        "also where no message would go today"
    );
    assert!(!account.read_status(view).is_stale);
    let summary = core.grid().opt_out_rows(core, &me(), source, &all, &[Channel::WhatsApp], None, "Asked").unwrap();
    assert_eq!((summary.added, summary.already, summary.step), (0, 3, None));
    for (channels, asset, reason, wanted) in [
        (&both[..], None, " ", "Enter a reason"),
        (&[][..], None, "x", "Choose a channel"),
        (&both[..], Some("num_x"), "x", "expected num_ or wbp_"),
    ] {
        let why = core.grid().opt_out_rows(core, &me(), source, &all, channels, asset, reason).unwrap_err().to_string();
        assert!(why.contains(wanted), "{why}");
    }
    // Only a removal with a reason ends an opt-out.
    assert_eq!(roost_ops::history::undo(core, &me()).unwrap().opt_outs_kept, 5);
    let out = account.open_view(account.view_spec(json!({ "opted_out": "sms" }), &[]));
    assert_eq!(account.read_status(out).total, 3);
}

#[test]
fn a_view_is_frozen_into_a_list() {
    let (account, _) = open_cities(&["London", "Leeds", "London"]);
    let core = &account.core;
    let view = account.open_view(account.view_spec(json!({ "field": "city", "op": "is", "value": "London" }), &[]));
    let made = core.grid().freeze_rows(core, &me(), (view, None), None, "Londoners").unwrap();
    assert_eq!((made.list.contact_count, made.list.name.as_str()), (2, "Londoners"));
    let one = core.grid().freeze_rows(core, &me(), (view, None), Some(&to_intervals(&[(1, 2)])), "One").unwrap();
    assert_eq!(one.list.contact_count, 1);
    assert!(core.grid().freeze_rows(core, &me(), (view, None), None, " ").is_err());
    undo(&account);
    undo(&account);
    assert!(list::get(core, &made.list.uid).is_err());
    assert_eq!(count_contacts(&account, &account.list), 3);
}

#[test]
fn views_are_kept_under_names_of_their_own() {
    let (account, view) = open_cities(&["a"]);
    let (core, list) = (&account.core, &account.list);
    let first = grid::save_view(core, &me(), list, " Mine ", &json!({ "text": "a" })).unwrap();
    let other = grid::save_view(core, &me(), list, "Other", &json!({})).unwrap();
    let again = grid::save_view(core, &me(), list, "MINE", &json!({ "text": "b" })).unwrap();
    assert_eq!((again.uid.clone(), again.name.as_str()), (first.uid.clone(), "MINE"));
    assert!(!account.read_status(view).is_stale, "no contact is another");
    let names = || grid::read_saved_views(core, list).unwrap().into_iter().map(|view| view.name).collect::<Vec<_>>();
    assert_eq!(names(), ["MINE", "Other"]);
    assert_eq!(grid::read_saved_views(core, list).unwrap()[0].spec, json!({ "text": "b" }));
    assert!(grid::rename_saved_view(core, &me(), &other.uid, "mine").is_err());
    grid::rename_saved_view(core, &me(), &other.uid, "Third").unwrap();
    grid::delete_saved_view(core, &me(), &first.uid).unwrap();
    assert_eq!(names(), ["Third"]);
    undo(&account);
    undo(&account);
    assert_eq!(names(), ["MINE", "Other"]);
    for (name, spec) in [("", json!({})), ("x", json!([])), ("x", json!({ "a": "y".repeat(70_000) }))] {
        assert!(grid::save_view(core, &me(), list, name, &spec).is_err(), "{name}");
    }
    // A deleted list takes its views with it, and undo restores them.
    list::delete(core, &me(), list).unwrap();
    undo(&account);
    assert_eq!(names(), ["MINE", "Other"]);
}
