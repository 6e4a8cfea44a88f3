//! Tests tables of contacts against simple models: every filter and every order, in a list whose contacts are adjacent
//! in the file and in one whose contacts are scattered among those of another list. Tests the grids of opt-outs and
//! links in the same way.

use std::{
    cmp::Ordering,
    collections::{BTreeMap, BTreeSet, HashSet},
};

use proptest::{
    collection::vec,
    option::of,
    prelude::*,
    sample::{select, subsequence},
};
use roost_model::{
    channel::Channel,
    contact::{Attribute, Contact, MergeType, ValidContact},
    id::ListId,
    opt_out::OptOutType,
    page::{PageRequest, SortOrder},
    phone as numbers,
    short_link::{SearchWords, ShortLink, check_parts},
};
use roost_ops::{
    Actor, Core, asset,
    contact::{self, ContactFilter, ContactTarget, FieldValues, TableQuery},
    custom_field,
    job::{self, NewJob},
    list::{self, ListSet, ListSplitRequest, MatchKey, SetOp, SplitBy, UniqueNames},
    opt_out::{self, NumberPart, OptOutEntry, OptOutGridQuery, OptOutItem, ScopeKind},
    short_link::{self, LinkQuery},
};

use crate::support::{account, cases, check, phone, query_contacts};

/// The number of contacts of another list between two scattered contacts. It exceeds the number that are read ahead.
const BETWEEN: usize = 12;

#[derive(Debug, Clone)]
struct Person {
    values: FieldValues,
    /// The seconds since the previous contact; 0 produces ties.
    later: i64,
    is_changed: bool,
    is_deleted: bool,
    /// Whether the contact was created in the other list and moved.
    is_moved: bool,
}

/// Values that differ in case, script, spaces, after the eighth byte, or hardly at all.
fn any_text() -> impl Strategy<Value = String> {
    const ODD: &[&str] = &[
        "ada",
        "Ada",
        "ADA",
        "adam",
        "Ädá",
        "ädá",
        "ß",
        "SS",
        "Σας",
        "σΑΣ",
        "İ",
        "i",
        "z",
        "Z",
        " ",
        " ada",
        "10",
        "9",
        "a\0b",
        "a",
        "behind eight",
        "behind Eight!",
        "%",
        "_",
        "O'Hara",
        "子",
        "🐦",
        "\u{feff}",
    ];
    prop_oneof![4 => select(ODD).prop_map(str::to_owned), 1 => "[a-cA-C ]{1,3}"]
}

/// Returns the fields that hold any text, for a person as well.
fn text_fields() -> Vec<String> {
    let attributes = Attribute::ALL.into_iter().filter(|attribute| *attribute != Attribute::EmailAddress);
    let attributes = attributes.map(|attribute| attribute.name().to_owned());
    attributes.chain((1..=4).map(|number| format!("field_{number}"))).collect()
}

fn any_person() -> impl Strategy<Value = Person> {
    let numbers =
        prop_oneof![(0u16..9, of(0u16..9)).prop_map(|(a, b)| (Some(a), b)), (0u16..9).prop_map(|b| (None, Some(b))),];
    let texts = vec((select(text_fields()), any_text()), 0..14);
    let rarely = || prop_oneof![4 => Just(false), 1 => Just(true)];
    (numbers, texts, 0i64..3, rarely(), rarely(), rarely()).prop_map(
        |((phone_number, whatsapp), texts, later, is_changed, is_deleted, is_moved)| {
            let mut values: FieldValues = texts.into_iter().map(|(field, text)| (field, Some(text))).collect();
            for (field, last) in [("phone_number", phone_number), ("whatsapp_id", whatsapp)] {
                values.extend(last.map(|last| (field.to_owned(), Some(phone(last).e164))));
            }
            Person { values, later, is_changed, is_deleted, is_moved }
        },
    )
}

/// Returns the list under test and the other list.
fn fill_lists(core: &Core, people: &[Person], is_scattered: bool) -> [ListId; 2] {
    let me = Actor::user(None);
    custom_field::add(core, &me, "Fourth").unwrap();
    let [own, beside] = ["Own", "Beside"].map(|name| list::create(core, &me, name, UniqueNames::Off).unwrap().uid);
    for person in people {
        core.ctx().advance(person.later);
        let first = if person.is_moved { &beside } else { &own };
        let uid = contact::add(core, &me, first, &person.values, None).unwrap().uid;
        if person.is_moved {
            contact::move_many(core, &me, &ContactTarget::Uids(vec![uid.clone()]), &own).unwrap();
        }
        if person.is_changed {
            core.ctx().advance(1);
            let city = FieldValues::from([("city".to_owned(), Some("Ely".to_owned()))]);
            contact::update(core, &me, &uid, &city, None).unwrap();
        }
        if person.is_deleted {
            contact::delete(core, &me, &uid).unwrap();
        }
        if is_scattered {
            let bland = ValidContact { phone: Some(phone(0)), ..ValidContact::default() };
            let contacts = vec![bland; BETWEEN];
            let (list, merge_type) = (beside.clone(), MergeType::AllowDuplicates);
            let wanted = NewJob { list, merge_type, callback_url: None, correlation_id: None, contacts };
            job::enqueue(core, &Actor::interface(), wanted).unwrap();
            job::run_next(core).unwrap();
        }
    }
    check(core);
    [own, beside]
}

/// Adds opt-outs of the account and of single assets, and returns which numbers are opted out on which channel.
fn add_opt_outs(core: &Core, wanted: &[(u16, Channel, bool)]) -> HashSet<(String, Channel)> {
    let by = Actor::operator();
    let assets = [(Channel::Sms, 900), (Channel::WhatsApp, 901)].map(|(channel, last)| {
        let number = phone(last).e164;
        let known = asset::read_all(core).unwrap().into_iter().find(|asset| asset.number == number);
        (channel, known.unwrap_or_else(|| asset::add(core, &by, channel, &number).unwrap()))
    });
    for (last, channel, is_of_asset) in wanted {
        let asset = assets
            .iter()
            .find(|(asset_channel, _)| *is_of_asset && asset_channel == channel)
            .map(|(_, asset)| asset.id.as_str());
        let entry = OptOutEntry { number: &phone(*last).e164, channel: Some(channel.as_str()), asset_id: asset };
        opt_out::create(core, &by, &[entry], OptOutType::ApiImport).unwrap();
    }
    wanted.iter().map(|(last, channel, _)| (phone(*last).e164, *channel)).collect()
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum ExpectedRank {
    Time(i64),
    Text(String),
}

fn field_text(contact: &Contact, field: &str) -> Option<String> {
    match field {
        "uid" => Some(contact.uid.as_str().to_owned()),
        "phone_number" => contact.phone.as_ref().map(|phone| phone.e164.clone()),
        "phone_region" => contact.phone.as_ref().map(|phone| phone.region.clone()),
        "whatsapp_id" => contact.whatsapp.as_ref().map(|phone| phone.e164.clone()),
        "whatsapp_region" => contact.whatsapp.as_ref().map(|phone| phone.region.clone()),
        field => match field.strip_prefix("field_") {
            Some(number) => contact.custom[number.parse::<usize>().unwrap() - 1].clone(),
            None => contact.attribute(Attribute::parse(field).unwrap()).map(str::to_owned),
        },
    }
}

fn sort_rank(contact: &Contact, field: &str) -> Option<ExpectedRank> {
    match field {
        "created_at" => Some(ExpectedRank::Time(contact.created_at.unix())),
        "updated_at" => contact.updated_at.map(|at| ExpectedRank::Time(at.unix())),
        field => field_text(contact, field).map(|text| ExpectedRank::Text(text.to_lowercase())),
    }
}

fn matches_filter(contact: &Contact, which: &ContactFilter, out: &HashSet<(String, Channel)>) -> bool {
    let is_out = [(&contact.phone, Channel::Sms), (&contact.whatsapp, Channel::WhatsApp)]
        .into_iter()
        .any(|(phone, channel)| phone.as_ref().is_some_and(|phone| out.contains(&(phone.e164.clone(), channel))));
    let Some(words) = which.text.as_deref().map(str::trim).filter(|text| !text.is_empty()) else {
        return which.opted_out.is_none_or(|wanted| wanted == is_out);
    };
    let digits = numbers::search_digits(words);
    let has_number = [&contact.phone, &contact.whatsapp]
        .into_iter()
        .flatten()
        .any(|phone| digits.as_ref().is_some_and(|digits| phone.e164.contains(digits)));
    let has_text = text_fields()
        .iter()
        .filter_map(|field| field_text(contact, field))
        .any(|text| text.to_lowercase().contains(&words.to_lowercase()));
    which.opted_out.is_none_or(|wanted| wanted == is_out) && (has_number || has_text)
}

/// Returns the rows that a table should show. `newest` holds all contacts of the list, the newest first.
fn expected_rows(
    newest: &[Contact],
    which: &ContactFilter,
    sort: Option<(&str, SortOrder)>,
    out: &HashSet<(String, Channel)>,
) -> Vec<String> {
    let mut shown: Vec<&Contact> = newest.iter().filter(|contact| matches_filter(contact, which, out)).collect();
    if let Some((field, order)) = sort {
        // The sort is stable, so equal contacts stay newest first.
        shown.sort_by(|a, b| match (sort_rank(a, field), sort_rank(b, field)) {
            (None, None) => Ordering::Equal,
            (None, Some(_)) => Ordering::Greater,
            (Some(_), None) => Ordering::Less,
            (Some(a), Some(b)) if order == SortOrder::Ascending => a.cmp(&b),
            (Some(a), Some(b)) => b.cmp(&a),
        });
    }
    shown.into_iter().map(|contact| contact.uid.as_str().to_owned()).collect()
}

fn read_table(
    core: &Core,
    list: &ListId,
    which: &ContactFilter,
    sort: Option<(&str, SortOrder)>,
    page: PageRequest,
) -> (u64, Vec<String>) {
    let sort = sort.map(|(field, order)| (field.to_owned(), order));
    let query = TableQuery { list: list.clone(), which: which.clone(), sort, page };
    let page = contact::read_table_page(core, &query).unwrap();
    (page.total_items, page.items.into_iter().map(|card| card.uid.as_str().to_owned()).collect())
}

const WORDS: [Option<&str>; 12] = [
    None,
    Some("ADA"),
    Some("äd"),
    Some(" ß "),
    Some("σας"),
    Some("%"),
    Some("'"),
    Some("a"),
    Some("900 0003"),
    Some("07700 90"),
    Some("nobody at all"),
    Some("  "),
];

proptest! {
    #![proptest_config(cases(32))]

    #[test]
    fn a_table_shows_what_a_plain_model_shows(
        people in vec(any_person(), 0..14),
        is_scattered in any::<bool>(),
        out in vec((0u16..9, select(&[Channel::Sms, Channel::WhatsApp][..]), any::<bool>()), 0..5),
        words in subsequence(WORDS.to_vec(), 3),
    ) {
        let core = account();
        let [own, beside] = fill_lists(&core, &people, is_scattered);
        let out = add_opt_outs(&core, &out);
        let fields = text_fields();
        let others = ["uid", "phone_number", "phone_region", "whatsapp_id", "whatsapp_region", "created_at", "updated_at"];
        let sorts = fields.iter().map(String::as_str).chain(others);
        let sorts: Vec<_> = sorts
            .flat_map(|field| [SortOrder::Ascending, SortOrder::Descending].map(|order| Some((field, order))))
            .chain([None])
            .collect();
        let newest = query_contacts(&core, &own, None, None).contacts;
        let all = PageRequest { number: 1, size: 500 };
        for (words, opted_out) in words.iter().zip([None, Some(true), Some(false)]).chain([(&None, Some(true)), (&None, None)]) {
            let which = ContactFilter { text: words.map(str::to_owned), opted_out };
            for sort in &sorts {
                let want = expected_rows(&newest, &which, *sort, &out);
                let (total, got) = read_table(&core, &own, &which, *sort, all);
                prop_assert_eq!((total as usize, &got), (want.len(), &want), "{:?} {:?}", which, sort);
                let part = read_table(&core, &own, &which, *sort, PageRequest { number: 2, size: 3 });
                let second: Vec<String> = want.iter().skip(3).take(3).cloned().collect();
                prop_assert_eq!(part, (total, second));
            }
        }
        let newest = query_contacts(&core, &beside, None, None).contacts;
        let which = ContactFilter { text: None, opted_out: Some(false) };
        for order in [SortOrder::Ascending, SortOrder::Descending] {
            let sort = Some(("phone_number", order));
            prop_assert_eq!(read_table(&core, &beside, &which, sort, all).1, expected_rows(&newest, &which, sort, &out));
        }
    }

    #[test]
    fn parts_and_sets_are_counted_as_they_are_made(
        people in vec(any_person(), 1..14),
        others in vec(any_person(), 0..5),
        is_scattered in any::<bool>(),
        field in select(text_fields()),
        op in select(&[SetOp::Union, SetOp::Intersect, SetOp::Subtract][..]),
        key in select(&[MatchKey::Phone, MatchKey::Whatsapp][..]),
        takes_those_without in any::<bool>(),
    ) {
        let core = account();
        let me = Actor::user(None);
        let [own, beside] = fill_lists(&core, &people, is_scattered);
        for other in &others {
            contact::add(&core, &me, &beside, &other.values, None).unwrap();
        }
        let set = ListSet { op, lists: vec![own.clone(), beside], key, takes_those_without };
        let counted = list::count_set(&core, &set).unwrap();
        let made = list::combine(&core, &me, &set, "Both").unwrap();
        prop_assert_eq!(counted.count, made.placed.placed);
        let has = |list: &ListId| -> BTreeSet<String> {
            let read_phone = |contact: Contact| if key == MatchKey::Phone { contact.phone } else { contact.whatsapp };
            let contacts = query_contacts(&core, list, None, None).contacts;
            contacts.into_iter().filter_map(read_phone).map(|phone| phone.e164).collect()
        };
        let [a, b] = [&set.lists[0], &set.lists[1]].map(has);
        let want: BTreeSet<String> = match op {
            SetOp::Union => &a | &b,
            SetOp::Intersect => &a & &b,
            SetOp::Subtract => &a - &b,
        };
        prop_assert_eq!(has(&made.list.uid), want);

        let newest = query_contacts(&core, &own, None, None).contacts;
        let mut want: BTreeMap<(bool, String), u64> = BTreeMap::new();
        for contact in &newest {
            let value = field_text(contact, &field).unwrap_or_default().to_lowercase();
            let value = value.trim_matches(' ').to_owned();
            *want.entry((value.is_empty(), value)).or_default() += 1;
        }
        let split = ListSplitRequest {
            list: own,
            by: SplitBy::Field(field),
            names: "Part {n}".to_owned(),
            empty_value: "none".to_owned(),
            delete_source: false,
        };
        if !newest.is_empty() {
            let parts: Vec<u64> = list::preview_split(&core, &split).unwrap().iter().map(|part| part.count).collect();
            prop_assert_eq!(&parts, &want.into_values().collect::<Vec<_>>());
            let made: Vec<u64> = list::split(&core, &me, &split).unwrap().iter().map(|list| list.contact_count).collect();
            prop_assert_eq!(made, parts);
        }
    }
}

/// Words of links and of searches.
fn any_word() -> impl Strategy<Value = String> {
    select(&["spring", "Spring", "sprng", "SPRINGS", "sale", "Été", "été", "a", "子", "week-3"][..])
        .prop_map(str::to_owned)
}

proptest! {
    #![proptest_config(cases(48))]

    #[test]
    fn the_grid_of_opt_outs_shows_what_a_plain_model_shows(
        made in vec((0u16..30, select(&[Channel::Sms, Channel::WhatsApp][..]), any::<bool>(), 0i64..2), 0..20),
        people in vec(any_person(), 0..6),
        number in select(&[None, Some("900 001"), Some("+44770090000"), Some("0007"), Some("7"), Some("x"), Some("99999")][..]),
        channel in of(select(&[Channel::Sms, Channel::WhatsApp][..])),
        scope in of(select(&[ScopeKind::Account, ScopeKind::Asset][..])),
        kind in of(select(&[OptOutType::ApiImport, OptOutType::Keyword][..])),
        order in select(&[SortOrder::Ascending, SortOrder::Descending][..]),
    ) {
        let core = account();
        let lists = fill_lists(&core, &people, false);
        for (last, channel, is_of_asset, later) in made {
            core.ctx().advance(later);
            add_opt_outs(&core, &[(last, channel, is_of_asset)]);
        }
        let part = number.and_then(opt_out::parse_number_part);
        let all = PageRequest { number: 1, size: 100 };
        let nothing = OptOutGridQuery {
            number: None, kind: None, channel: None, scope: None, asset: None, inbound_number: None,
            from: None, to: None, order: SortOrder::Ascending, page: all,
        };
        let oldest = opt_out::read_grid(&core, &nothing).unwrap();
        prop_assert!(oldest.items.windows(2).all(|pair| pair[0].record.time <= pair[1].record.time));
        let has = |list: &ListId, number: &str| query_contacts(&core, list, Some(number), None).total > 0;
        for item in &oldest.items {
            let want = lists.iter().filter(|list| has(list, &item.record.number)).count();
            prop_assert_eq!(item.lists, want as u64);
        }
        let fits = |item: &OptOutItem| {
            let record = &item.record;
            let is_account = record.scope.is_account();
            channel.is_none_or(|channel| record.channel == channel)
                && kind.is_none_or(|kind| record.kind == kind)
                && scope.is_none_or(|scope| is_account == (scope == ScopeKind::Account))
                && match &part {
                    None => true,
                    Some(NumberPart::Start(start)) => record.number.starts_with(start.as_str()),
                    Some(NumberPart::Within(digits)) => record.number.contains(digits.as_str()),
                    Some(NumberPart::Impossible) => false,
                }
        };
        let mut want: Vec<OptOutItem> = oldest.items.iter().filter(|item| fits(item)).cloned().collect();
        if order == SortOrder::Descending {
            want.reverse();
        }
        let query = OptOutGridQuery { number: part.clone(), kind, channel, scope, order, ..nothing };
        let got = opt_out::read_grid(&core, &query).unwrap();
        prop_assert_eq!((got.total_items as usize, &got.items), (want.len(), &want));
        for number in 2..4 {
            let page = opt_out::read_grid(&core, &OptOutGridQuery { page: PageRequest { number, size: 2 }, ..query.clone() }).unwrap();
            let part: Vec<OptOutItem> = want.iter().skip(2 * (number as usize - 1)).take(2).cloned().collect();
            prop_assert_eq!((page.total_items, page.items), (got.total_items, part));
        }
    }

    #[test]
    fn links_are_found_by_words_and_tags_as_each_one_alone_is(
        made in vec((vec(any_word(), 1..4), vec(any_word(), 0..3), 0i64..2), 0..20),
        sought in of(vec(any_word(), 1..4)),
        tags in vec(any_word(), 0..2),
        order in select(&[SortOrder::Ascending, SortOrder::Descending][..]),
    ) {
        let core = account();
        for (title, tags, later) in made {
            core.ctx().advance(later);
            let parts = check_parts(Some(&title.join(" ")), Some("https://shop.example/s"), &tags, false).unwrap();
            short_link::create(&core, &Actor::operator(), parts).unwrap();
        }
        let page = PageRequest { number: 1, size: 100 };
        let nothing = LinkQuery { query: None, tags: Vec::new(), from: None, to: None, order, page };
        let all = short_link::search(&core, &nothing).unwrap().items;
        let text = sought.map(|words| words.join(" "));
        let words = SearchWords::from_query(text.as_deref().unwrap_or_default());
        let fits = |link: &&ShortLink| {
            tags.iter().all(|tag| link.tags.contains(tag)) && words.match_link(&link.title, &link.tags)
        };
        let want: Vec<ShortLink> = all.iter().filter(fits).cloned().collect();
        let query = LinkQuery { query: text.clone(), tags: tags.clone(), ..nothing };
        let got = short_link::search(&core, &query).unwrap();
        prop_assert_eq!((got.total_items as usize, &got.items), (want.len(), &want));
        let second = short_link::search(&core, &LinkQuery { page: PageRequest { number: 2, size: 3 }, ..query }).unwrap();
        let part: Vec<ShortLink> = want.iter().skip(3).take(3).cloned().collect();
        prop_assert_eq!((second.total_items, second.items), (got.total_items, part));
    }
}
