//! Tests that undo is complete: undoing any acts of a person one by one restores the account, and redoing them restores
//! their result.

use std::{collections::BTreeSet, fmt::Write};

use proptest::prelude::*;
use roost_model::{
    asset::Asset,
    channel::Channel,
    contact::{MergeType, ValidContact},
    error::ErrorCode,
    id::ListId,
    list::List,
    opt_out::OptOutType,
    page::{PageRequest, SortOrder},
    short_link::LinkParts,
    time::Timestamp,
};
use roost_ops::{
    Actor, Core, Ctx, Error,
    account::{self as face, AccountColour},
    asset,
    contact::{self, ContactFilter, ContactTarget, DuplicatePolicy, FieldValues, TableQuery},
    ctx::Clock,
    custom_field, history, job,
    list::{
        self, CardQuery, CardSort, ListMergeRequest, ListSet, ListSplitRequest, MatchKey, MergeInto, SetOp, SplitBy,
    },
    opt_out, seed, sender, short_link,
};

use serde_json::Value;

use crate::support::{START, account, cases, check, every_list, phone};

fn me() -> Actor {
    Actor::user(None)
}

fn first_page() -> PageRequest {
    PageRequest { number: 1, size: 10_000 }
}

/// Returns everything that can be undone as text: the export and the data that is never sent, but not the opt-outs,
/// which undo does not end.
fn undoable_state(core: &Core) -> String {
    let mut text = export_value(core);
    text.as_object_mut().unwrap().remove("opt_outs");
    let mut text = text.to_string();
    let query = CardQuery { text: None, sort: CardSort::CreatedAt, order: SortOrder::Ascending, page: first_page() };
    for card in list::read_cards(core, &query).unwrap().items {
        let _ = writeln!(text, "{card:?}");
    }
    let _ = writeln!(text, "{:?} {:?}", face::read_profile(core).unwrap(), custom_field::read_in_order(core).unwrap());
    text
}

fn export_value(core: &Core) -> Value {
    let mut out = Vec::new();
    seed::export(core, "http://127.0.0.1:4010/", &mut out).unwrap();
    serde_json::from_slice(&out).unwrap()
}

/// Returns who is opted out of what.
fn opted_out(core: &Core) -> BTreeSet<String> {
    let all = export_value(core);
    let what = |one: &Value| format!("{} {} {}", one["number"], one["channel"], one["asset_id"]);
    all["opt_outs"].as_array().unwrap().iter().map(what).collect()
}

/// One act: its kind, and two numbers that choose what it applies to.
pub(crate) type RandomMove = (u8, u16, u16);

fn pick_item<T: Clone>(all: &[T], at: u16) -> Option<T> {
    (!all.is_empty()).then(|| all[at as usize % all.len()].clone())
}

fn phone_number(n: u16) -> String {
    phone(n % 40).e164
}

fn read_cards(core: &Core, list: &ListId) -> Vec<contact::ContactCard> {
    let query = TableQuery { list: list.clone(), which: ContactFilter::default(), sort: None, page: first_page() };
    contact::read_table_page(core, &query).unwrap().items
}

fn field_values(pairs: &[(&str, String)]) -> FieldValues {
    pairs.iter().map(|(name, text)| ((*name).to_owned(), Some(text.clone()))).collect()
}

/// Performs an act, or does nothing if it does not apply.
pub(crate) fn perform_move(core: &Core, by: &Actor, (what, a, b): RandomMove) -> Result<(), Error> {
    core.ctx().advance(i64::from(b % 3));
    let lists: Vec<List> = every_list(core);
    let one = pick_item(&lists, a).map(|list| list.uid);
    let other = pick_item(&lists, b).map(|list| list.uid);
    let everyone = one.as_ref().map(|list| read_cards(core, list)).unwrap_or_default();
    let somebody = pick_item(&everyone, b).map(|card| card.uid);
    let fields = custom_field::numbers(core)?;
    let field = pick_item(&fields, a).unwrap_or(1);
    let links: Vec<_> = short_link::search(core, &link_query())?.items;
    let senders = sender::read_page(core, first_page())?.items;
    let assets: Vec<Asset> = asset::read_all(core)?;
    let all_of = |list: &ListId| ContactTarget::Matching {
        list: list.clone(),
        which: ContactFilter {
            text: b.is_multiple_of(2).then(|| "1".to_owned()),
            opted_out: b.is_multiple_of(5).then_some(true),
        },
    };
    let duplicates = [DuplicatePolicy::Keep, DuplicatePolicy::Skip, DuplicatePolicy::Merge][b as usize % 3];
    match (what % 34, one, other) {
        (0, ..) => list::create(core, by, &format!("List {a}"), list::UniqueNames::Off).map(drop),
        (1, Some(one), _) => list::rename(core, by, &one, &format!("Name {b}")).map(drop),
        (2, Some(one), _) => list::set_note(core, by, &one, Some(&format!("alias {}", b % 3)), None).map(drop),
        (3, Some(one), _) => list::set_pinned(core, by, &one, b.is_multiple_of(2)).map(drop),
        (4, Some(one), _) => list::duplicate(core, by, &one, "Copy").map(drop),
        (5, Some(one), Some(other)) => {
            let into = if a.is_multiple_of(3) { MergeInto::New("Merged".into()) } else { MergeInto::List(one.clone()) };
            let merge =
                ListMergeRequest { from: vec![one, other], into, duplicates, delete_sources: b.is_multiple_of(2) };
            list::merge(core, by, &merge).map(drop)
        }
        (6, Some(one), _) => {
            let by_what = match b % 3 {
                0 => SplitBy::Size(u64::from(b % 7) + 2),
                1 => SplitBy::Parts(u64::from(b % 4) + 1),
                _ => SplitBy::Field("city".into()),
            };
            let split = ListSplitRequest {
                list: one,
                by: by_what,
                names: "{name} {n} {value}".into(),
                empty_value: "-".into(),
                delete_source: b.is_multiple_of(2),
            };
            list::split(core, by, &split).map(drop)
        }
        (7, Some(one), Some(other)) => {
            let op = [SetOp::Union, SetOp::Intersect, SetOp::Subtract][b as usize % 3];
            let set =
                ListSet { op, lists: vec![one, other], key: MatchKey::Phone, takes_those_without: a.is_multiple_of(2) };
            list::combine(core, by, &set, "Set").map(drop)
        }
        (8, Some(one), _) => list::delete(core, by, &one),
        (9 | 33, Some(one), _) => {
            let fields = field_values(&[("phone_number", phone_number(b)), ("city", format!("City {}", b % 3))]);
            contact::add(core, by, &one, &fields, None).map(drop)
        }
        (10, ..) => {
            let Some(uid) = somebody else { return Ok(()) };
            let mut change = field_values(&[(&format!("field_{field}"), format!("value {b}"))]);
            change.insert(
                "whatsapp_id".into(),
                Some(phone_number(a)).filter(|_| b.is_multiple_of(2)).filter(|_| a.is_multiple_of(2)),
            );
            contact::update(core, by, &uid, &change, None).map(drop)
        }
        (11, ..) => contact::delete_many(core, by, &ContactTarget::Uids(somebody.into_iter().collect())).map(drop),
        (12, Some(one), _) => contact::delete_many(core, by, &all_of(&one)).map(drop),
        (13, Some(one), Some(other)) => contact::move_many(core, by, &all_of(&one), &other).map(drop),
        (14, Some(one), Some(other)) => {
            contact::copy_rows(core, by, &all_of(&one), &other, DuplicatePolicy::Skip).map(drop)
        }
        (15, ..) => custom_field::add(core, by, &format!("Field of {a}")).map(drop),
        (16, ..) => custom_field::rename(core, by, field, &format!("Label {b}")).map(drop),
        (17, ..) => custom_field::set_order(core, by, &[field]).map(drop),
        (18, ..) => custom_field::remove(core, by, field),
        (19, ..) => {
            let number = phone_number(a);
            let entry = opt_out::OptOutEntry { number: &number, channel: None, asset_id: None };
            opt_out::create(core, by, &[entry], OptOutType::ApiImport).map(drop)
        }
        (20, ..) => {
            let removal = opt_out::OptOutRemovalRequest {
                numbers: &[phone_number(a), phone_number(b)],
                channel: None,
                asset: None,
            };
            opt_out::delete(core, by, &removal).map(drop)
        }
        (21, ..) => short_link::create(core, by, new_link(a)).map(drop),
        (22, ..) => pick_item(&links, a).map_or(Ok(()), |link| short_link::delete(core, by, &link.link_id)),
        (23, ..) => sender::request(core, by, &format!("Shop {}", a % 50)).map(drop),
        (24, ..) => pick_item(&senders, a).map_or(Ok(()), |sender| sender::approve(core, by, &sender.id).map(drop)),
        (25, ..) => pick_item(&senders, a).map_or(Ok(()), |sender| sender::delete(core, by, &sender.id)),
        (26, ..) => asset::add(core, by, Channel::Sms, &phone_number(a)).map(drop),
        (27, ..) => pick_item(&assets, a).map_or(Ok(()), |asset| asset::remove(core, by, &asset.id)),
        (28, ..) => pick_item(&assets, a)
            .map_or(Ok(()), |asset| asset::set_enforce(core, by, &asset.id, b.is_multiple_of(2)).map(drop)),
        (29, ..) => pick_item(&assets, a).map_or(Ok(()), |asset| {
            asset::set_keywords(core, by, &asset.id, &["STOP".into(), format!("BYE{}", b % 4)]).map(drop)
        }),
        (30, ..) => face::rename(core, by, &format!("Account {a}")),
        (31, ..) => face::recolour(core, by, AccountColour::ALL[a as usize % 8]),
        (32, ..) => {
            let trash = history::read_trash(core, None, first_page())?.items;
            pick_item(&trash, a).map_or(Ok(()), |step| history::restore(core, by, step.id).map(drop))
        }
        _ => Ok(()),
    }
}

fn new_link(n: u16) -> LinkParts {
    LinkParts {
        title: format!("Link {n}"),
        target_url: format!("https://example.com/{n}"),
        tags: vec!["spring".into()],
        track_clicks: true,
    }
}

fn link_query() -> short_link::LinkQuery {
    short_link::LinkQuery {
        query: None,
        tags: Vec::new(),
        from: None,
        to: None,
        order: SortOrder::Ascending,
        page: first_page(),
    }
}

/// Adds something of everything to an account, none of it by a person.
fn fill_account(core: &Core) {
    let by = Actor::operator();
    for n in 0..2 {
        perform_move(core, &by, (0, n, 0)).unwrap();
    }
    for n in 0..16 {
        perform_move(core, &by, (9, n, n)).unwrap();
    }
    for what in [2, 3, 10, 15, 17, 19, 21, 23, 26, 28, 30] {
        perform_move(core, &by, (what, 1, 2)).unwrap();
    }
}

fn undo_all(core: &Core) -> usize {
    let mut undone = 0;
    while history::read_undo_status(core).unwrap().undo.is_some() {
        let before = opted_out(core);
        history::undo(core, &me()).unwrap();
        assert!(opted_out(core).is_superset(&before), "undoing ended an opt-out");
        undone += 1;
    }
    undone
}

fn redo_all(core: &Core) -> usize {
    let mut redone = 0;
    while history::read_undo_status(core).unwrap().redo.is_some() {
        let before = opted_out(core);
        history::redo(core, &me()).unwrap();
        assert!(opted_out(core).is_superset(&before), "redoing ended an opt-out");
        redone += 1;
    }
    redone
}

/// Checks the result of an act that may not apply.
pub(crate) fn check_refusal(result: Result<(), Error>) {
    match result {
        Ok(()) => {}
        // One such case is restoring a contact while its list is in the trash.
        Err(error) if [ErrorCode::Invalid, ErrorCode::Conflict, ErrorCode::NotFound].contains(&error.code()) => {}
        Err(error) => panic!("{error}"),
    }
}

fn any_moves(most: usize) -> impl Strategy<Value = Vec<RandomMove>> {
    proptest::collection::vec(any::<RandomMove>(), 1..most)
}

proptest! {
    #![proptest_config(cases(48))]

    #[test]
    fn any_acts_are_undone_to_the_start_and_redone_to_the_end(moves in any_moves(25)) {
        let core = account();
        fill_account(&core);
        let start = undoable_state(&core);
        for step in &moves {
            check_refusal(perform_move(&core, &me(), *step));
        }
        check(&core);
        let end = undoable_state(&core);
        let undone = undo_all(&core);
        prop_assert_eq!(undoable_state(&core), start.clone());
        check(&core);
        // There is nothing to redo for an act that only opted out.
        prop_assert!(redo_all(&core) <= undone);
        prop_assert_eq!(undoable_state(&core), end);
        undo_all(&core);
        prop_assert_eq!(undoable_state(&core), start);
    }

    #[test]
    fn undoing_half_and_doing_other_things_leads_back_as_well(first in any_moves(12), second in any_moves(12)) {
        let core = account();
        fill_account(&core);
        let start = undoable_state(&core);
        for step in &first {
            check_refusal(perform_move(&core, &me(), *step));
        }
        for _ in 0..first.len() / 2 {
            if history::read_undo_status(&core).unwrap().undo.is_some() {
                history::undo(&core, &me()).unwrap();
            }
        }
        for step in &second {
            check_refusal(perform_move(&core, &me(), *step));
        }
        undo_all(&core);
        prop_assert_eq!(undoable_state(&core), start);
        check(&core);
    }
}

proptest! {
    // There are few cases, because every act waits for the disk.
    #![proptest_config(cases(3))]

    #[test]
    fn a_restart_in_the_middle_does_not_matter(moves in any_moves(10)) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("account.roost");
        let open = |seed| Core::open(&path, Ctx::seeded(Clock::fixed(Timestamp::from_unix(START)), seed)).unwrap();
        let core = open(1);
        fill_account(&core);
        let start = undoable_state(&core);
        for step in &moves {
            check_refusal(perform_move(&core, &me(), *step));
        }
        let end = undoable_state(&core);
        if history::read_undo_status(&core).unwrap().undo.is_some() {
            history::undo(&core, &me()).unwrap();
        }
        drop(core);
        let core = open(2);
        undo_all(&core);
        prop_assert_eq!(undoable_state(&core), start);
        drop(core);
        let core = open(3);
        redo_all(&core);
        prop_assert_eq!(undoable_state(&core), end);
    }
}

proptest! {
    #![proptest_config(cases(12))]

    #[test]
    fn records_that_the_interface_created_meanwhile_survive_undo(moves in any_moves(16)) {
        let core = account();
        fill_account(&core);
        let mut theirs = Vec::new();
        for (n, step) in moves.iter().enumerate() {
            check_refusal(perform_move(&core, &me(), *step));
            let name = format!("Theirs {n}");
            let list = list::create(&core, &Actor::interface(), &name, list::UniqueNames::Off).unwrap();
            add_contacts(&core, &list.uid, 1);
            theirs.push((list.uid, name));
        }
        undo_all(&core);
        for (uid, name) in theirs {
            let list = list::get(&core, &uid).unwrap();
            prop_assert_eq!((list.name, list.contact_count), (name, 1));
        }
        check(&core);
    }
}

/// Adds contacts over the interface.
fn add_contacts(core: &Core, list: &ListId, count: u32) {
    for first in (0..count).step_by(10_000) {
        let contacts = (first..count.min(first + 10_000))
            .map(|n| ValidContact {
                phone: Some(phone((n % 1_000) as u16)),
                custom: vec![(1, format!("value {n}").into())],
                ..ValidContact::default()
            })
            .collect();
        let (list, merge_type) = (list.clone(), MergeType::AllowDuplicates);
        let new = job::NewJob { list, merge_type, callback_url: None, correlation_id: None, contacts };
        job::enqueue(core, &Actor::interface(), new).unwrap();
        job::run_next(core).unwrap();
    }
}

#[test]
fn acts_on_twenty_thousand_rows_are_undone_and_redone() {
    check_undo_and_redo(20_000);
}

#[test]
#[ignore = "make soak runs it"]
fn acts_on_a_hundred_thousand_rows_are_undone_and_redone() {
    check_undo_and_redo(100_000);
}

fn check_undo_and_redo(rows: u32) {
    let core = account();
    let list = list::create(&core, &Actor::interface(), "Large", list::UniqueNames::Off).unwrap().uid;
    add_contacts(&core, &list, rows);
    let start = undoable_state(&core);
    custom_field::remove(&core, &me(), 1).unwrap();
    list::delete(&core, &me(), &list).unwrap();
    let end = undoable_state(&core);
    assert_eq!(undo_all(&core), 2);
    assert_eq!(undoable_state(&core), start);
    assert_eq!(redo_all(&core), 2);
    assert_eq!(undoable_state(&core), end);
    undo_all(&core);
    assert_eq!(undoable_state(&core), start);
}

#[test]
fn what_people_changed_is_remembered_for_ninety_days_and_an_opt_out_for_good() {
    const DAY: i64 = 86_400;
    /// The most acts between two looks at what is too old.
    const ACTS: usize = 256;
    let core = account();
    let list = list::create(&core, &me(), "Spring", list::UniqueNames::Off).unwrap().uid;
    let values = FieldValues::from([("phone_number".to_owned(), Some(phone_number(1)))]);
    let uid = contact::add(&core, &me(), &list, &values, Some("GB")).unwrap().uid;
    let entry = opt_out::NewOptOut { number: phone_number(1), channels: vec![Channel::Sms], asset: None };
    opt_out::add(&core, &me(), &[entry], "asked for it", None).unwrap();
    contact::delete(&core, &me(), &uid).unwrap();
    let deleted = history::read_trash(&core, None, first_page()).unwrap().items[0].id;
    let pass_days = |days: i64| {
        core.ctx().advance(days * DAY);
        for act in 0..ACTS {
            list::create(&core, &me(), &format!("{days} {act}"), list::UniqueNames::Off).unwrap();
        }
    };
    let count_trash = || history::read_trash(&core, None, first_page()).unwrap().total_items;
    pass_days(89);
    assert_eq!(count_trash(), 1);
    pass_days(2);
    assert_eq!(count_trash(), 0);
    history::restore(&core, &me(), deleted).unwrap_err();
    assert_eq!(opted_out(&core).len(), 1);
    check(&core);
}
