//! Tests acts on lists, contacts and custom fields.

use std::collections::BTreeMap;

use roost_model::channel::Channel;
use roost_model::{
    id::ListId,
    list::List,
    page::{PageRequest, SortOrder},
};
use roost_ops::{
    Actor, Core, Noun,
    contact::{self, ContactCard, ContactFilter, ContactTarget, DuplicatePolicy, FieldValues, OptOutReach, TableQuery},
    custom_field, history,
    list::{self, ListMergeRequest, ListSet, ListSplitRequest, MatchKey, MergeInto, SetOp, SplitBy},
    opt_out,
    search::{self, SearchQuery},
};

use crate::support::{account, check};

fn me() -> Actor {
    Actor::user(None)
}

fn field_values(pairs: &[(&str, &str)]) -> FieldValues {
    pairs.iter().map(|(name, text)| ((*name).to_owned(), Some((*text).to_owned()))).collect::<BTreeMap<_, _>>()
}

fn new_list(core: &Core, name: &str) -> ListId {
    list::create(core, &me(), name, list::UniqueNames::Off).unwrap().uid
}

fn add_contact(core: &Core, list: &ListId, pairs: &[(&str, &str)]) -> ContactCard {
    contact::add(core, &me(), list, &field_values(pairs), None).unwrap()
}

fn phone_number(n: u32) -> String {
    format!("+44770090{n:04}")
}

/// Creates a list with a contact for each of these numbers.
fn list_with_numbers(core: &Core, name: &str, numbers: &[u32]) -> ListId {
    let list = new_list(core, name);
    for n in numbers {
        add_contact(core, &list, &[("phone_number", &phone_number(*n)), ("firstname", &format!("{name} {n}"))]);
    }
    list
}

fn read_table(core: &Core, list: &ListId, sort: Option<(&str, SortOrder)>, which: ContactFilter) -> Vec<ContactCard> {
    let query = TableQuery {
        list: list.clone(),
        which,
        sort: sort.map(|(field, order)| (field.to_owned(), order)),
        page: PageRequest { number: 1, size: 200 },
    };
    let page = contact::read_table_page(core, &query).unwrap();
    assert_eq!(page.total_items as usize, page.items.len());
    page.items
}

fn first_names(core: &Core, list: &ListId) -> Vec<String> {
    let items = read_table(core, list, Some(("firstname", SortOrder::Ascending)), ContactFilter::default());
    items.into_iter().map(|card| card.values.get("firstname").cloned().unwrap_or_default()).collect()
}

fn get(core: &Core, list: &ListId) -> List {
    list::get(core, list).unwrap()
}

#[test]
fn a_contact_is_added_by_any_spelling_of_its_number() {
    let core = account();
    let list = new_list(&core, "Spring");
    let card = add_contact(&core, &list, &[("phone_number", "07700 900 001"), ("field_2", "gold")]);
    assert_eq!(card.values["phone_number"], phone_number(1));
    assert_eq!((card.values["phone_region"].as_str(), card.values["field_2"].as_str()), ("GB", "gold"));
    assert_eq!(get(&core, &list).contact_count, 1);
    let bad = field_values(&[("phone_number", "1"), ("title", &"x".repeat(31)), ("shoe_size", "7"), ("uid", "x")]);
    let roost_ops::Error::Invalid { faults } = contact::add(&core, &me(), &list, &bad, None).unwrap_err() else {
        panic!("a bad contact was taken");
    };
    let paths: Vec<&str> = faults.iter().map(|fault| fault.path.as_str()).collect();
    assert_eq!(paths, ["phone_number", "shoe_size", "title", "uid"], "every fault at its field");
    let error = contact::add(&core, &me(), &list, &field_values(&[("firstname", "Ada")]), None).unwrap_err();
    assert!(error.to_string().contains("must be given"));
}

#[test]
fn only_the_fields_named_change_and_the_last_number_stays() {
    let core = account();
    let list = new_list(&core, "Spring");
    let card = add_contact(&core, &list, &[("phone_number", &phone_number(1)), ("city", "Leeds"), ("title", "Dr")]);
    let mut change = field_values(&[("city", "York")]);
    change.insert("title".to_owned(), None);
    let after = contact::update(&core, &me(), &card.uid, &change, None).unwrap().card;
    assert_eq!((after.values.get("city").map(String::as_str), after.values.get("title")), (Some("York"), None));
    assert!(after.updated_at.is_some());
    let steps = history::read_undo_status(&core).unwrap().undo.unwrap();
    assert_eq!(steps.act, "contact_update");
    contact::update(&core, &me(), &card.uid, &change, None).unwrap();
    assert_eq!(history::read_undo_status(&core).unwrap().undo.unwrap().id, steps.id, "no change is no step");
    let values = FieldValues::from([("phone_number".to_owned(), None)]);
    assert!(contact::update(&core, &me(), &card.uid, &values, None).is_err(), "one number at least");
    let history = contact::read_history(&core, &card.uid).unwrap();
    assert_eq!(history[0].fields.iter().map(|f| f.field.as_str()).collect::<Vec<_>>(), ["title", "city"]);
    history::undo(&core, &me()).unwrap();
    assert_eq!(contact::get(&core, &card.uid).unwrap(), card);
}

#[test]
fn a_table_is_sorted_in_any_case_with_empty_ones_last_and_filtered_by_any_spelling() {
    let core = account();
    let list = new_list(&core, "Spring");
    for (n, name) in [(1, "émile"), (2, "bea"), (3, "Ada"), (4, "Émilie")] {
        add_contact(&core, &list, &[("phone_number", &phone_number(n)), ("firstname", name)]);
    }
    add_contact(&core, &list, &[("whatsapp_id", &phone_number(5))]);
    assert_eq!(first_names(&core, &list), ["Ada", "bea", "émile", "Émilie", ""]);
    let down = read_table(&core, &list, Some(("firstname", SortOrder::Descending)), ContactFilter::default());
    assert_eq!(down.last().unwrap().values.get("firstname"), None);
    let found = |text: &str| {
        read_table(&core, &list, None, ContactFilter { text: Some(text.to_owned()), opted_out: None }).len()
    };
    assert_eq!(
        (found("ÉMIL"), found("07700 900 003"), found("+447700"), found("900005"), found("nobody")),
        (2, 1, 5, 1, 0)
    );
    opt_out::add_web_opt_out(&core, &Actor::operator(), &phone_number(2), Channel::Sms).unwrap();
    let out = read_table(&core, &list, None, ContactFilter { text: None, opted_out: Some(true) });
    assert_eq!((out.len(), out[0].sms, out[0].whatsapp), (1, OptOutReach::Account, OptOutReach::None));
    assert_eq!(read_table(&core, &list, None, ContactFilter { text: None, opted_out: Some(false) }).len(), 4);
    let facts = list::read_facts(&core, &list).unwrap();
    assert_eq!((facts.opted_out_sms, facts.without_phone, facts.duplicates_phone), (1, 1, 0));
    add_contact(&core, &list, &[("phone_number", &phone_number(2))]);
    let facts = list::read_facts(&core, &list).unwrap();
    assert_eq!((facts.opted_out_sms, facts.duplicates_phone), (2, 1), "known facts follow the list");
    let result = contact::read_table_page(
        &core,
        &TableQuery {
            list: list.clone(),
            which: ContactFilter::default(),
            sort: Some(("shoe".to_owned(), SortOrder::Ascending)),
            page: PageRequest { number: 1, size: 10 },
        },
    );
    assert!(result.is_err());
}

#[test]
fn a_moved_contact_stays_itself_and_a_copied_one_is_new() {
    let core = account();
    let (from, to) = (list_with_numbers(&core, "a", &[1, 2, 3]), list_with_numbers(&core, "b", &[3]));
    let uid = read_table(&core, &from, None, ContactFilter::default())[0].uid.clone();
    let before = contact::get(&core, &uid).unwrap();
    assert_eq!(contact::move_many(&core, &me(), &ContactTarget::Uids(vec![uid.clone()]), &to).unwrap(), 1);
    let after = contact::get(&core, &uid).unwrap();
    assert_eq!((&after.uid, after.created_at, &after.list_uid), (&uid, before.created_at, &to));
    assert_eq!((get(&core, &from).contact_count, get(&core, &to).contact_count), (2, 2));
    let all = ContactTarget::Matching { list: to.clone(), which: ContactFilter::default() };
    let (placed, _) = contact::copy_rows(&core, &me(), &all, &from, DuplicatePolicy::Skip).unwrap();
    assert_eq!((placed.placed, placed.skipped), (1, 1), "two of one number: one comes");
    assert_eq!(get(&core, &from).contact_count, 3);
    let some = ContactTarget::Matching {
        list: from.clone(),
        which: ContactFilter { text: Some("a".into()), opted_out: None },
    };
    assert_eq!(contact::delete_many(&core, &me(), &some).unwrap(), 3);
    check(&core);
    let trash = history::read_trash(&core, Some(Noun::Contact), PageRequest { number: 1, size: 9 }).unwrap();
    history::restore(&core, &me(), trash.items[0].id).unwrap();
    assert_eq!(get(&core, &from).contact_count, 3);
    check(&core);
}

#[test]
fn merging_keeps_skips_or_fills_and_moves_or_copies() {
    for (duplicates, delete_sources, count, lists) in [
        (DuplicatePolicy::Keep, false, 5, 3),
        (DuplicatePolicy::Skip, false, 3, 3),
        (DuplicatePolicy::Merge, false, 3, 3),
        (DuplicatePolicy::Keep, true, 5, 1),
        (DuplicatePolicy::Skip, true, 3, 1),
        (DuplicatePolicy::Merge, true, 3, 1),
    ] {
        let core = account();
        let (a, b, c) = (
            list_with_numbers(&core, "a", &[1, 2]),
            list_with_numbers(&core, "b", &[2, 3]),
            list_with_numbers(&core, "c", &[3]),
        );
        let last = read_table(&core, &c, None, ContactFilter::default())[0].uid.clone();
        contact::update(&core, &me(), &last, &field_values(&[("city", "York")]), None).unwrap();
        let merge = ListMergeRequest {
            from: vec![a.clone(), b, c],
            into: MergeInto::List(a.clone()),
            duplicates,
            delete_sources,
        };
        let filled = list::merge(&core, &me(), &merge).unwrap();
        assert_eq!(filled.list.contact_count, count, "{merge:?}");
        assert_eq!(crate::support::every_list(&core).len(), lists);
        check(&core);
        if duplicates == DuplicatePolicy::Merge {
            let cards = read_table(&core, &a, Some(("phone_number", SortOrder::Ascending)), ContactFilter::default());
            assert_eq!(cards[1].values["firstname"], "b 2", "what arrives later counts");
            assert_eq!((cards[2].values["firstname"].as_str(), cards[2].values["city"].as_str()), ("c 3", "York"));
        }
        history::undo(&core, &me()).unwrap();
        assert_eq!(first_names(&core, &a), ["a 1", "a 2"]);
        check(&core);
    }
}

#[test]
fn sets_hold_what_their_preview_counted() {
    let core = account();
    let (a, b) = (list_with_numbers(&core, "a", &[1, 2, 2, 3]), list_with_numbers(&core, "b", &[3, 4]));
    add_contact(&core, &a, &[("whatsapp_id", &phone_number(9))]);
    for (op, takes_those_without, names) in [
        (SetOp::Union, false, vec!["a 1", "a 2", "a 3", "b 4"]),
        (SetOp::Union, true, vec!["a 1", "a 2", "a 3", "b 4", ""]),
        (SetOp::Intersect, true, vec!["a 3"]),
        (SetOp::Subtract, false, vec!["a 1", "a 2"]),
        (SetOp::Subtract, true, vec!["a 1", "a 2", ""]),
    ] {
        let set = ListSet { op, lists: vec![a.clone(), b.clone()], key: MatchKey::Phone, takes_those_without };
        let counted = list::count_set(&core, &set).unwrap();
        assert_eq!((counted.count as usize, counted.without_key), (names.len(), 1), "{set:?}");
        let made = list::combine(&core, &me(), &set, "Set").unwrap().list;
        assert_eq!(first_names(&core, &made.uid), names, "{set:?}");
    }
    check(&core);
}

#[test]
fn a_list_is_cut_as_its_preview_says() {
    for (by, names, counts) in [
        (SplitBy::Size(2), vec!["a 1", "a 2", "a 3"], vec![2, 2, 1]),
        (SplitBy::Parts(2), vec!["a 1", "a 2"], vec![3, 2]),
        (SplitBy::Parts(9), vec!["a 1", "a 2", "a 3", "a 4", "a 5"], vec![1; 5]),
        (SplitBy::Field("city".to_owned()), vec!["a 1 Leeds", "a 2 York", "a 3 none"], vec![2, 1, 2]),
    ] {
        for delete_source in [false, true] {
            let core = account();
            let a = list_with_numbers(&core, "a", &[1, 2, 3, 4, 5]);
            let uids: Vec<_> =
                read_table(&core, &a, None, ContactFilter::default()).into_iter().map(|card| card.uid).collect();
            for (uid, city) in uids.iter().zip(["Leeds", "York", "Leeds"]) {
                contact::update(&core, &me(), uid, &field_values(&[("city", city)]), None).unwrap();
            }
            let template = if matches!(by, SplitBy::Field(_)) { "{name} {n} {value}" } else { "{name} {n}" };
            let split = ListSplitRequest {
                list: a.clone(),
                by: by.clone(),
                names: template.into(),
                empty_value: "none".into(),
                delete_source,
            };
            let parts = list::preview_split(&core, &split).unwrap();
            assert_eq!(parts.iter().map(|part| part.name.as_str()).collect::<Vec<_>>(), names);
            assert_eq!(parts.iter().map(|part| part.count).collect::<Vec<_>>(), counts);
            let made = list::split(&core, &me(), &split).unwrap();
            assert_eq!(made.iter().map(|list| list.contact_count).collect::<Vec<_>>(), counts);
            assert_eq!(list::get(&core, &a).is_ok(), !delete_source);
            check(&core);
            history::undo(&core, &me()).unwrap();
            assert_eq!((crate::support::every_list(&core).len(), get(&core, &a).contact_count), (1, 5));
            check(&core);
        }
    }
}

#[test]
fn a_list_goes_by_its_typed_name_and_comes_back_with_note_and_contacts() {
    let core = account();
    let a = list_with_numbers(&core, "a", &[1, 2]);
    list::set_note(&core, &me(), &a, Some("mine"), Some(" ")).unwrap();
    list::set_pinned(&core, &me(), &a, true).unwrap();
    assert!(list::delete_named(&core, &me(), &a, "b").is_err());
    let before = list::read_card(&core, &a).unwrap();
    assert_eq!(list::delete_named(&core, &me(), &a, "a ").unwrap(), 2);
    assert!(list::read_pinned(&core).unwrap().is_empty());
    let trash = history::read_trash(&core, Some(Noun::List), PageRequest { number: 1, size: 9 }).unwrap();
    assert_eq!((trash.items[0].subject.as_deref(), trash.items[0].count), (Some("a"), 2));
    history::restore(&core, &me(), trash.items[0].id).unwrap();
    assert_eq!(list::read_card(&core, &a).unwrap(), before);
    assert_eq!(first_names(&core, &a), ["a 1", "a 2"]);
}

#[test]
fn a_field_goes_by_its_typed_label_and_comes_back_with_its_values() {
    let core = account();
    let a = new_list(&core, "a");
    let card = add_contact(&core, &a, &[("phone_number", &phone_number(1)), ("field_2", "gold")]);
    custom_field::set_order(&core, &me(), &[3, 2]).unwrap();
    let order = || custom_field::read_in_order(&core).unwrap().iter().map(|field| field.number).collect::<Vec<_>>();
    assert_eq!(order(), [3, 2, 1]);
    assert_eq!(custom_field::count_uses(&core, 2, None).unwrap().contacts, 1);
    assert!(custom_field::remove_named(&core, &me(), 2, "Field 1").is_err());
    custom_field::remove_named(&core, &me(), 2, "Field 2").unwrap();
    assert_eq!(order(), [3, 1]);
    let trash = history::read_trash(&core, Some(Noun::CustomField), PageRequest { number: 1, size: 9 }).unwrap();
    history::restore(&core, &me(), trash.items[0].id).unwrap();
    assert_eq!((order(), contact::get(&core, &card.uid).unwrap()), (vec![3, 2, 1], card));
}

#[test]
fn everything_is_found_and_each_thing_once() {
    let core = account();
    let a = list_with_numbers(&core, "Crows", &[1, 2]);
    let both = add_contact(
        &core,
        &a,
        &[("phone_number", &phone_number(3)), ("whatsapp_id", &phone_number(3)), ("city", "Crowland")],
    );
    opt_out::add_web_opt_out(&core, &Actor::operator(), &phone_number(3), Channel::Sms).unwrap();
    let all = |text: &str, limit: usize| {
        let (mut hits, mut after) = (Vec::new(), None);
        loop {
            let query = SearchQuery { text: text.to_owned(), noun: None, after, limit };
            let found = search::search_everything(&core, &query).unwrap();
            assert!(found.hits.len() <= limit);
            hits.extend(found.hits);
            after = found.next;
            if after.is_none() {
                return hits.into_iter().map(|hit| (hit.noun, hit.uid)).collect::<Vec<_>>();
            }
        }
    };
    for limit in [1, 2, 50] {
        assert_eq!(all("CROW", limit).len(), 4, "the list, two names, a city");
        assert_eq!(
            all("07700 900003", limit),
            [(Noun::OptOut, phone_number(3)), (Noun::Contact, both.uid.to_string())]
        );
        assert_eq!(all("+44 7700 9000", limit).len(), 4);
        assert_eq!(all("900002", limit).len(), 1, "a part of a number");
        assert_eq!(all(both.uid.as_str(), limit), [(Noun::Contact, both.uid.to_string())]);
        assert_eq!(all(a.as_str(), limit), [(Noun::List, a.to_string())]);
        assert!(all("nothing of it", limit).is_empty() && all(" ", limit).is_empty());
    }
    let elsewhere = contact::find_elsewhere(&core, &both.uid).unwrap();
    assert!(elsewhere.is_empty());
    let b = list_with_numbers(&core, "b", &[3]);
    let elsewhere = contact::find_elsewhere(&core, &both.uid).unwrap();
    assert_eq!(elsewhere.iter().map(|other| &other.list_uid).collect::<Vec<_>>(), [&b]);
}

#[test]
fn pasted_rows_are_one_act_and_bad_ones_stay_out() {
    let core = account();
    let a = new_list(&core, "a");
    let rows: Vec<FieldValues> =
        [("phone_number", phone_number(1)), ("phone_number", "1".into()), ("city", "York".into())]
            .iter()
            .chain(&[("whatsapp_id", phone_number(2))])
            .map(|(field, text)| field_values(&[(field, text)]))
            .collect();
    let (would, _) = contact::preview_paste(&core, &a, &rows, None).unwrap();
    assert_eq!(get(&core, &a).contact_count, 0, "a rehearsal writes nothing");
    let pasted = contact::paste(&core, &me(), &a, &rows, None).unwrap();
    assert_eq!(pasted, would);
    assert_eq!((pasted.added, pasted.faults.iter().map(|(row, _)| *row).collect::<Vec<_>>()), (2, vec![1, 2]));
    check(&core);
    assert_eq!(history::undo(&core, &me()).unwrap().step.act, "contact_paste");
    assert_eq!(get(&core, &a).contact_count, 0);
}

#[test]
fn a_person_cannot_enter_an_invalid_email_address_anywhere() {
    let core = account();
    let list = new_list(&core, "a");
    let with_email =
        |number: u32, text: &str| field_values(&[("phone_number", &phone_number(number)), ("email_address", text)]);
    let refused = |error: roost_ops::Error| {
        let roost_ops::Error::Invalid { faults } = error else { panic!("{error}") };
        assert_eq!(faults.iter().map(|fault| fault.path.as_str()).collect::<Vec<_>>(), ["email_address"]);
    };
    refused(contact::add(&core, &me(), &list, &with_email(1, "ada@@example"), None).unwrap_err());
    let uid = contact::add(&core, &me(), &list, &with_email(1, "ada@example.com"), None).unwrap().uid;
    let change = field_values(&[("email_address", "ada at example.com")]);
    refused(contact::update(&core, &me(), &uid, &change, None).unwrap_err());
    let rows = [with_email(2, "bo@example"), with_email(3, "cy@example.com")];
    let pasted = contact::paste(&core, &me(), &list, &rows, None).unwrap();
    assert_eq!((pasted.added, pasted.faults.len(), pasted.faults[0].0), (1, 1, 0));
}

#[test]
fn several_lists_go_in_one_act_when_their_number_was_typed() {
    let core = account();
    let (a, b, c) = (list_with_numbers(&core, "a", &[1, 2]), new_list(&core, "b"), list_with_numbers(&core, "c", &[3]));
    let uids = [a.clone(), b.clone(), a.clone()];
    assert!(list::delete_counted(&core, &me(), &uids, 3).is_err(), "one was given twice");
    assert!(list::delete_counted(&core, &me(), &[], 0).is_err());
    assert_eq!(list::delete_counted(&core, &me(), &uids, 2).unwrap(), 2);
    assert_eq!(crate::support::every_list(&core).len(), 1);
    let trash = history::read_trash(&core, Some(Noun::List), PageRequest { number: 1, size: 9 }).unwrap();
    assert_eq!((trash.items.len(), trash.items[0].count), (1, 3), "two contacts and an empty list");
    history::restore(&core, &me(), trash.items[0].id).unwrap();
    assert_eq!([a, b, c].map(|uid| get(&core, &uid).contact_count), [2, 0, 1]);
    check(&core);
}

#[test]
fn known_numbers_are_reported_before_a_paste() {
    let core = account();
    let list = list_with_numbers(&core, "A", &[1]);
    let out = opt_out::NewOptOut { number: phone_number(2), channels: vec![Channel::Sms], asset: None };
    opt_out::add(&core, &me(), &[out], "They wrote to us", None).unwrap();
    let rows: Vec<FieldValues> = ["tel:07700900001", "07700 900002", "12", "07700900003"]
        .map(|text| field_values(&[("phone_number", text)]))
        .into_iter()
        .chain([field_values(&[("whatsapp_id", &phone_number(2))])])
        .collect();
    let (_, known) = contact::preview_paste(&core, &list, &rows, Some("GB")).unwrap();
    let described: Vec<_> = known.iter().map(|row| (row.row, row.is_in_list, row.is_opted_out)).collect();
    let nothing_of_the_other_channel = (4, false, false);
    assert_eq!(described, [(0, true, false), (1, false, true), (3, false, false), nothing_of_the_other_channel]);
    assert_eq!(known[0].numbers, [phone_number(1)]);
}
