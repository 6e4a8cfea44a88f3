//! Tests that undo is complete: undoing any acts of a person one by one restores the account, and redoing them restores
//! their result.

use std::{collections::BTreeSet, fmt::Write};

use proptest::prelude::*;
use roost_model::{
    asset::Asset,
    channel::Channel,
    contact::{MergeType, SettledContact},
    error::ErrorCode,
    id::ListId,
    list::List,
    opt_out::OptOutType,
    page::{PageRequest, SortOrder},
    short_link::LinkParts,
    time::Timestamp,
};
use roost_ops::{
    By, Core, Ctx, Error,
    account::{self as face, AccountColour},
    asset,
    contact::{self, Duplicates, FieldValues, TableQuery, Target, Which},
    ctx::Clock,
    custom_field, history, job,
    list::{self, CardQuery, CardSort, Key, Merge, MergeInto, Set, SetOp, Split, SplitBy},
    opt_out, seed, sender, short_link,
};

use serde_json::Value;

use crate::support::{START, account, cases, check, every_list, phone};

fn me() -> By {
    By::user(None)
}

fn pages() -> PageRequest {
    PageRequest { number: 1, size: 10_000 }
}

/// Returns everything that can be undone as text: the export and the data that is never sent, but not the opt-outs,
/// which undo does not end.
fn state(core: &Core) -> String {
    let mut text = exported(core);
    text.as_object_mut().unwrap().remove("opt_outs");
    let mut text = text.to_string();
    let query = CardQuery { text: None, sort: CardSort::CreatedAt, order: SortOrder::Ascending, page: pages() };
    for card in list::cards(core, &query).unwrap().items {
        let _ = writeln!(text, "{card:?}");
    }
    let _ = writeln!(text, "{:?} {:?}", face::face(core).unwrap(), custom_field::in_order(core).unwrap());
    text
}

fn exported(core: &Core) -> Value {
    let mut out = Vec::new();
    seed::export(core, "http://127.0.0.1:4010/", &mut out).unwrap();
    serde_json::from_slice(&out).unwrap()
}

/// Returns who is opted out of what.
fn opted_out(core: &Core) -> BTreeSet<String> {
    let all = exported(core);
    let what = |one: &Value| format!("{} {} {}", one["number"], one["channel"], one["asset_id"]);
    all["opt_outs"].as_array().unwrap().iter().map(what).collect()
}

/// One act: its kind, and two numbers that choose what it applies to.
type Move = (u8, u16, u16);

fn pick<T: Clone>(all: &[T], at: u16) -> Option<T> {
    (!all.is_empty()).then(|| all[at as usize % all.len()].clone())
}

fn number(n: u16) -> String {
    phone(n % 40).e164
}

fn cards(core: &Core, list: &ListId) -> Vec<contact::ContactCard> {
    let query = TableQuery { list: list.clone(), which: Which::default(), sort: None, page: pages() };
    contact::page(core, &query).unwrap().items
}

fn values(pairs: &[(&str, String)]) -> FieldValues {
    pairs.iter().map(|(name, text)| ((*name).to_owned(), Some(text.clone()))).collect()
}

/// Performs an act, or does nothing if it does not apply.
fn act(core: &Core, by: &By, (what, a, b): Move) -> Result<(), Error> {
    core.ctx().advance(i64::from(b % 3));
    let lists: Vec<List> = every_list(core);
    let one = pick(&lists, a).map(|list| list.uid);
    let other = pick(&lists, b).map(|list| list.uid);
    let everyone = one.as_ref().map(|list| cards(core, list)).unwrap_or_default();
    let somebody = pick(&everyone, b).map(|card| card.uid);
    let fields = custom_field::numbers(core)?;
    let field = pick(&fields, a).unwrap_or(1);
    let links: Vec<_> = short_link::search(core, &link_query())?.items;
    let senders = sender::page(core, pages())?.items;
    let assets: Vec<Asset> = asset::all(core)?;
    let all_of = |list: &ListId| Target::Matching {
        list: list.clone(),
        which: Which {
            text: b.is_multiple_of(2).then(|| "1".to_owned()),
            opted_out: b.is_multiple_of(5).then_some(true),
        },
    };
    let duplicates = [Duplicates::Keep, Duplicates::Skip, Duplicates::Merge][b as usize % 3];
    match (what % 34, one, other) {
        (0, ..) => list::create(core, by, &format!("List {a}"), list::UniqueNames::Off).map(drop),
        (1, Some(one), _) => list::rename(core, by, &one, &format!("Name {b}")).map(drop),
        (2, Some(one), _) => list::note(core, by, &one, Some(&format!("alias {}", b % 3)), None).map(drop),
        (3, Some(one), _) => list::pin(core, by, &one, b.is_multiple_of(2)).map(drop),
        (4, Some(one), _) => list::duplicate(core, by, &one, "Copy").map(drop),
        (5, Some(one), Some(other)) => {
            let into = if a.is_multiple_of(3) { MergeInto::New("Merged".into()) } else { MergeInto::List(one.clone()) };
            let merge = Merge { from: vec![one, other], into, duplicates, delete_sources: b.is_multiple_of(2) };
            list::merge(core, by, &merge).map(drop)
        }
        (6, Some(one), _) => {
            let by_what = match b % 3 {
                0 => SplitBy::Size(u64::from(b % 7) + 2),
                1 => SplitBy::Parts(u64::from(b % 4) + 1),
                _ => SplitBy::Field("city".into()),
            };
            let split = Split {
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
            let set = Set { op, lists: vec![one, other], key: Key::Phone, takes_those_without: a.is_multiple_of(2) };
            list::combine(core, by, &set, "Set").map(drop)
        }
        (8, Some(one), _) => list::delete(core, by, &one),
        (9 | 33, Some(one), _) => {
            let fields = values(&[("phone_number", number(b)), ("city", format!("City {}", b % 3))]);
            contact::add(core, by, &one, &fields, None).map(drop)
        }
        (10, ..) => {
            let Some(uid) = somebody else { return Ok(()) };
            let mut change = values(&[(&format!("field_{field}"), format!("value {b}"))]);
            change.insert(
                "whatsapp_id".into(),
                Some(number(a)).filter(|_| b.is_multiple_of(2)).filter(|_| a.is_multiple_of(2)),
            );
            contact::update(core, by, &uid, &change, None).map(drop)
        }
        (11, ..) => contact::delete_many(core, by, &Target::Uids(somebody.into_iter().collect())).map(drop),
        (12, Some(one), _) => contact::delete_many(core, by, &all_of(&one)).map(drop),
        (13, Some(one), Some(other)) => contact::move_many(core, by, &all_of(&one), &other).map(drop),
        (14, Some(one), Some(other)) => contact::copy_many(core, by, &all_of(&one), &other, Duplicates::Skip).map(drop),
        (15, ..) => custom_field::add(core, by, &format!("Field of {a}")).map(drop),
        (16, ..) => custom_field::rename(core, by, field, &format!("Label {b}")).map(drop),
        (17, ..) => custom_field::order(core, by, &[field]).map(drop),
        (18, ..) => custom_field::remove(core, by, field),
        (19, ..) => {
            let number = number(a);
            let entry = opt_out::OptOutEntry { number: &number, channel: None, asset_id: None };
            opt_out::create(core, by, &[entry], OptOutType::ApiImport).map(drop)
        }
        (20, ..) => {
            let removal = opt_out::Removal { numbers: &[number(a), number(b)], channel: None, asset: None };
            opt_out::delete(core, by, &removal).map(drop)
        }
        (21, ..) => short_link::create(core, by, link(a)).map(drop),
        (22, ..) => pick(&links, a).map_or(Ok(()), |link| short_link::delete(core, by, &link.link_id)),
        (23, ..) => sender::request(core, by, &format!("Shop {}", a % 50)).map(drop),
        (24, ..) => pick(&senders, a).map_or(Ok(()), |sender| sender::approve(core, by, &sender.id).map(drop)),
        (25, ..) => pick(&senders, a).map_or(Ok(()), |sender| sender::delete(core, by, &sender.id)),
        (26, ..) => asset::add(core, by, Channel::Sms, &number(a)).map(drop),
        (27, ..) => pick(&assets, a).map_or(Ok(()), |asset| asset::remove(core, by, &asset.id)),
        (28, ..) => pick(&assets, a)
            .map_or(Ok(()), |asset| asset::set_enforce(core, by, &asset.id, b.is_multiple_of(2)).map(drop)),
        (29, ..) => pick(&assets, a).map_or(Ok(()), |asset| {
            asset::set_keywords(core, by, &asset.id, &["STOP".into(), format!("BYE{}", b % 4)]).map(drop)
        }),
        (30, ..) => face::rename(core, by, &format!("Account {a}")),
        (31, ..) => face::recolour(core, by, AccountColour::ALL[a as usize % 8]),
        (32, ..) => {
            let trash = history::trash(core, None, pages())?.items;
            pick(&trash, a).map_or(Ok(()), |step| history::restore(core, by, step.id).map(drop))
        }
        _ => Ok(()),
    }
}

fn link(n: u16) -> LinkParts {
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
        page: pages(),
    }
}

/// Adds something of everything to an account, none of it by a person.
fn furnish(core: &Core) {
    let by = By::operator();
    for n in 0..2 {
        act(core, &by, (0, n, 0)).unwrap();
    }
    for n in 0..16 {
        act(core, &by, (9, n, n)).unwrap();
    }
    for what in [2, 3, 10, 15, 17, 19, 21, 23, 26, 28, 30] {
        act(core, &by, (what, 1, 2)).unwrap();
    }
}

fn undo_all(core: &Core) -> usize {
    let mut undone = 0;
    while history::standing(core).unwrap().undo.is_some() {
        let before = opted_out(core);
        history::undo(core, &me()).unwrap();
        assert!(opted_out(core).is_superset(&before), "undoing ended an opt-out");
        undone += 1;
    }
    undone
}

fn redo_all(core: &Core) -> usize {
    let mut redone = 0;
    while history::standing(core).unwrap().redo.is_some() {
        let before = opted_out(core);
        history::redo(core, &me()).unwrap();
        assert!(opted_out(core).is_superset(&before), "redoing ended an opt-out");
        redone += 1;
    }
    redone
}

/// Checks the result of an act that may not apply.
fn tried(result: Result<(), Error>) {
    match result {
        Ok(()) => {}
        // One such case is restoring a contact while its list is in the trash.
        Err(error) if [ErrorCode::Invalid, ErrorCode::Conflict, ErrorCode::NotFound].contains(&error.code()) => {}
        Err(error) => panic!("{error}"),
    }
}

fn moves(most: usize) -> impl Strategy<Value = Vec<Move>> {
    proptest::collection::vec(any::<Move>(), 1..most)
}

proptest! {
    #![proptest_config(cases(48))]

    #[test]
    fn any_acts_are_undone_to_the_start_and_redone_to_the_end(moves in moves(25)) {
        let core = account();
        furnish(&core);
        let start = state(&core);
        for step in &moves {
            tried(act(&core, &me(), *step));
        }
        check(&core);
        let end = state(&core);
        let undone = undo_all(&core);
        prop_assert_eq!(state(&core), start.clone());
        check(&core);
        // There is nothing to redo for an act that only opted out.
        prop_assert!(redo_all(&core) <= undone);
        prop_assert_eq!(state(&core), end);
        undo_all(&core);
        prop_assert_eq!(state(&core), start);
    }

    #[test]
    fn undoing_half_and_doing_other_things_leads_back_as_well(first in moves(12), second in moves(12)) {
        let core = account();
        furnish(&core);
        let start = state(&core);
        for step in &first {
            tried(act(&core, &me(), *step));
        }
        for _ in 0..first.len() / 2 {
            if history::standing(&core).unwrap().undo.is_some() {
                history::undo(&core, &me()).unwrap();
            }
        }
        for step in &second {
            tried(act(&core, &me(), *step));
        }
        undo_all(&core);
        prop_assert_eq!(state(&core), start);
        check(&core);
    }
}

proptest! {
    // There are few cases, because every act waits for the disk.
    #![proptest_config(cases(3))]

    #[test]
    fn a_restart_in_the_middle_is_no_matter(moves in moves(10)) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("account.roost");
        let open = |seed| Core::open(&path, Ctx::seeded(Clock::fixed(Timestamp::from_unix(START)), seed)).unwrap();
        let core = open(1);
        furnish(&core);
        let start = state(&core);
        for step in &moves {
            tried(act(&core, &me(), *step));
        }
        let end = state(&core);
        if history::standing(&core).unwrap().undo.is_some() {
            history::undo(&core, &me()).unwrap();
        }
        drop(core);
        let core = open(2);
        undo_all(&core);
        prop_assert_eq!(state(&core), start);
        drop(core);
        let core = open(3);
        redo_all(&core);
        prop_assert_eq!(state(&core), end);
    }
}

proptest! {
    #![proptest_config(cases(12))]

    #[test]
    fn what_the_interface_does_meanwhile_survives(moves in moves(16)) {
        let core = account();
        furnish(&core);
        let mut theirs = Vec::new();
        for (n, step) in moves.iter().enumerate() {
            tried(act(&core, &me(), *step));
            let name = format!("Theirs {n}");
            let list = list::create(&core, &By::interface(), &name, list::UniqueNames::Off).unwrap();
            fill(&core, &list.uid, 1);
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
fn fill(core: &Core, list: &ListId, count: u32) {
    for first in (0..count).step_by(10_000) {
        let contacts = (first..count.min(first + 10_000))
            .map(|n| SettledContact {
                phone: Some(phone((n % 1_000) as u16)),
                custom: vec![(1, format!("value {n}").into())],
                ..SettledContact::default()
            })
            .collect();
        let (list, merge_type) = (list.clone(), MergeType::AllowDuplicates);
        let new = job::NewJob { list, merge_type, callback_url: None, correlation_id: None, contacts };
        job::enqueue(core, &By::interface(), new).unwrap();
        job::run_next(core).unwrap();
    }
}

#[test]
fn acts_on_twenty_thousand_rows_are_undone_and_redone() {
    are_undone_and_redone(20_000);
}

#[test]
#[ignore = "make soak runs it"]
fn acts_on_a_hundred_thousand_rows_are_undone_and_redone() {
    are_undone_and_redone(100_000);
}

fn are_undone_and_redone(rows: u32) {
    let core = account();
    let list = list::create(&core, &By::interface(), "Large", list::UniqueNames::Off).unwrap().uid;
    fill(&core, &list, rows);
    let start = state(&core);
    custom_field::remove(&core, &me(), 1).unwrap();
    list::delete(&core, &me(), &list).unwrap();
    let end = state(&core);
    assert_eq!(undo_all(&core), 2);
    assert_eq!(state(&core), start);
    assert_eq!(redo_all(&core), 2);
    assert_eq!(state(&core), end);
    undo_all(&core);
    assert_eq!(state(&core), start);
}
