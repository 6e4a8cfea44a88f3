//! Tests groups, their keys, and merging them one by one.

mod model;
mod size;

use std::{collections::BTreeMap, time::Duration};

use roost_model::{channel::Channel, id::ContactId, page::PageRequest};
use roost_store::tables::{contacts::list_view, opt_outs::events};
use serde_json::{Value, json};

use super::{
    DuplicateGroupHead, DuplicateKey,
    DuplicateKey::{Email, Name, NameAddress, Near, Ngram, Number, Phone, Phonetic, Whatsapp},
    DuplicateStatus, GroupQuery, MergeChoice, SurvivorRule,
};
use roost_ops::{
    contact::{self, FieldValues, fields::EMAIL},
    error::{Error, Result},
    history, list,
    opt_out::{self, NewOptOut},
};

use crate::grid::tests::{GridAccount, me};

/// Adds a contact as the service stores it: any text may be an e-mail address.
pub(super) fn add(account: &GridAccount, number: u32, values: &[(&str, &str)]) -> ContactId {
    account.core.ctx().advance(1);
    let (emails, others): (Vec<_>, Vec<_>) = values.iter().copied().partition(|(field, _)| *field == EMAIL.name());
    let uid = account.add_contact(number, &others);
    if let [(_, email)] = emails[..] {
        let set = [(EMAIL, Some(email.to_owned()))];
        let now = account.core.ctx().now();
        account.core.write(&me(), |tx| Ok::<_, Error>(list_view::set_fields(tx, &uid, &set, now)?)).unwrap();
    }
    uid
}

pub(super) fn wait_until_done(account: &GridAccount, id: u64) -> DuplicateStatus {
    loop {
        let state = account.core.duplicates().read_status(&account.core, id, Duration::from_secs(5)).unwrap();
        if !state.progress.is_working {
            return state;
        }
    }
}

fn opt_out_of_sms(account: &GridAccount, number: &str) {
    let entry = NewOptOut { number: number.to_owned(), channels: vec![Channel::Sms], asset: None };
    opt_out::add(&account.core, &me(), &[entry], "asked for it", None).unwrap();
}

pub(super) fn open(account: &GridAccount, by: &[DuplicateKey]) -> u64 {
    let id = account.core.duplicates().open(&account.core, Some(&account.list), by).unwrap();
    assert_eq!(wait_until_done(account, id).progress.fault, None);
    id
}

pub(super) fn query() -> GroupQuery {
    GroupQuery { page: PageRequest { number: 1, size: 1_000 }, key: None, least_confidence: 0, is_skipped: false }
}

pub(super) fn groups(account: &GridAccount, id: u64) -> Vec<DuplicateGroupHead> {
    account.core.duplicates().read_page(&account.core, id, &query()).unwrap().items
}

fn uids(head: &DuplicateGroupHead) -> Vec<ContactId> {
    head.contacts.iter().map(|card| card.uid.clone()).collect()
}

/// Returns everything in an account that merging could change, and separately the opt-outs.
pub(super) fn read_account(account: &GridAccount) -> (BTreeMap<String, Value>, String) {
    let page = contact::TableQuery {
        list: account.list.clone(),
        which: contact::ContactFilter::default(),
        sort: None,
        page: PageRequest { number: 1, size: 100_000 },
    };
    let cards = contact::read_table_page(&account.core, &page).unwrap();
    let listed = list::get(&account.core, &account.list).unwrap();
    assert_eq!(listed.contact_count, cards.items.len() as u64);
    let all = cards.items.iter().map(|card| (card.uid.to_string(), serde_json::to_value(card).unwrap())).collect();
    (all, opt_outs(account))
}

pub(super) fn opt_outs(account: &GridAccount) -> String {
    let mut all = String::new();
    account
        .core
        .read(|tx| {
            events::visit_events(tx, &events::EventQuery::default(), |event| {
                all.push_str(&format!("{event:?}\n"));
                Ok::<_, Error>(())
            })
        })
        .unwrap();
    all
}

fn merge_all(account: &GridAccount, id: u64, least: u8, rule: SurvivorRule) -> Result<super::MergedAll> {
    account.core.duplicates().merge_all(&account.core, &me(), id, least, None, rule)
}

#[test]
fn contacts_match_by_each_key_and_the_key_is_reported() {
    let account = GridAccount::new();
    let mail = |text| ("email_address", text);
    let ada = [
        add(&account, 1, &[("firstname", "Ada"), ("lastname", "Lovelace"), mail("ada@x.example")]),
        add(&account, 1, &[("firstname", "ADA"), ("lastname", "LOVELACE"), mail(" Ada@X.example")]),
    ];
    let shared = [add(&account, 2, &[mail("office@x.example"), ("lastname", "Babbage One")])];
    add(&account, 3, &[mail("OFFICE@x.example"), ("lastname", "Hopper Two")]);
    add(&account, 4, &[mail("n/a")]);
    add(&account, 5, &[mail("n/a")]);
    let id = open(&account, &DuplicateKey::ALL);
    let found = groups(&account, id);
    assert_eq!(found.len(), 2);
    assert_eq!((uids(&found[0]), found[0].confidence, found[0].size), (ada.to_vec(), 100, 2));
    let evidence: Vec<_> = found[0].evidence.iter().map(|e| (e.key, e.text.as_deref().unwrap_or("?"))).collect();
    assert_eq!(
        evidence,
        [(Phone, "+447700900001"), (Number, "+447700900001"), (Email, "ada@x.example"), (Name, "ada lovelace")]
    );
    assert_eq!((uids(&found[1])[0].clone(), found[1].confidence), (shared[0].clone(), 60), "two people, one address");
    let state = wait_until_done(&account, id);
    assert_eq!((state.groups, state.effect, state.merged), (2, 2, 0));
    let by_name = state.keys.iter().find(|key| key.key == Name).unwrap();
    assert_eq!((by_name.groups, by_name.effect, by_name.is_left_out), (1, 1, false));
    let sure = GroupQuery { least_confidence: 61, key: Some(Email), ..query() };
    assert_eq!(account.core.duplicates().read_page(&account.core, id, &sure).unwrap().total_items, 1);
}

#[test]
fn one_number_is_a_reason_whoever_it_is_called() {
    let account = GridAccount::new();
    add(&account, 1, &[("firstname", "Olu"), ("lastname", "Davies")]);
    add(&account, 1, &[("firstname", "Temi"), ("lastname", "Okafor")]);
    let id = open(&account, &[Phone, Number]);
    assert_eq!(groups(&account, id).iter().map(|group| group.confidence).collect::<Vec<_>>(), [85]);
}

#[test]
fn of_two_equally_complete_contacts_the_one_with_the_full_name_survives() {
    let account = GridAccount::new();
    let whole = add(&account, 1, &[("firstname", "Olu"), ("lastname", "Davies")]);
    add(&account, 1, &[("firstname", "Olu"), ("lastname", "D.")]);
    let id = open(&account, &[Phone]);
    let group = groups(&account, id)[0].group;
    let shown = account.core.duplicates().read_group(&account.core, id, group, SurvivorRule::MostComplete).unwrap();
    assert_eq!(shown.suggested.unwrap().survivor, whole);
}

#[test]
fn people_are_known_by_name_and_address_however_they_are_written() {
    let place = |name: &'static str, street: &'static str, zip: &'static str| {
        [("lastname", name), ("address_1", street), ("zip", zip)]
    };
    let known = |values: &[[(&str, &str); 3]]| {
        let account = GridAccount::new();
        values.iter().enumerate().for_each(|(n, values)| drop(add(&account, n as u32, values)));
        let id = open(&account, &[NameAddress, Ngram, Phonetic, Near]);
        let found = groups(&account, id);
        let keys = |head: &DuplicateGroupHead| head.evidence.iter().map(|evidence| evidence.key).collect::<Vec<_>>();
        found.iter().map(|head| (head.size, keys(head), head.confidence)).collect::<Vec<_>>()
    };
    let ada = place("Ada Lovelace", "12 High Street", "AB1 2CD");
    assert_eq!(known(&[ada, place("Ada Lovelacy", "12 High Street", "AB1 2CD")]), [(2, vec![Phonetic, Near], 75)]);
    assert_eq!(known(&[ada, place("Ada Lobelace", "12 High Street", "AB1 2CD")]), [(2, vec![Near], 75)]);
    assert_eq!(
        known(&[ada, place("Ada Lovelace", "12 High Streat", "AB1 2CD")]),
        [(2, vec![Ngram, Phonetic, Near], 85)]
    );
    assert_eq!(known(&[ada, place("Ada Lovelace", "12 High Street", "AB1 2CE")]), [(2, vec![Near], 70)]);
    assert_eq!(known(&[ada, place("Ada Lovelace", "14 High Street", "AB1 2CD")]), [], "next door");
    assert_eq!(known(&[ada, place("Ida Hopper", "12 High Street", "AB1 2CD")]), [], "one house, two people");
    let john =
        |born: &'static str| [("lastname", "John Smith"), ("address_1", "1 Mill Lane, Leeds"), ("date_of_birth", born)];
    assert_eq!(known(&[john("1950-01-01"), john("1980-01-01")]), [(2, vec![NameAddress, Near], 40)], "father and son");
}

#[test]
fn a_group_is_shown_side_by_side_and_merged_as_it_was_chosen() {
    let account = GridAccount::new();
    let a = add(&account, 1, &[("firstname", "Ada"), ("city", "London")]);
    let b = add(&account, 1, &[("firstname", "Ada"), ("lastname", "Lovelace"), ("city", "Leeds"), ("zip", "AB1 2CD")]);
    let c = add(&account, 1, &[("title", "Dr")]);
    opt_out_of_sms(&account, "+447700900001");
    let before = read_account(&account);
    let id = open(&account, &[Phone]);
    let group = groups(&account, id)[0].group;
    let duplicates = account.core.duplicates();
    let shown = duplicates.read_group(&account.core, id, group, SurvivorRule::MostComplete).unwrap();
    assert_eq!((shown.size, shown.confidence, shown.next), (3, 95, None));
    assert_eq!(shown.differing, ["title", "firstname", "lastname", "city", "zip"]);
    let suggested = shown.suggested.unwrap();
    assert_eq!(suggested.survivor, b);
    assert_eq!(
        (&suggested.fields["title"], &suggested.fields["city"], suggested.fields.contains_key("state")),
        (&c, &b, false)
    );
    for (rule, survivor) in [(SurvivorRule::Newest, &c), (SurvivorRule::Oldest, &a), (SurvivorRule::OptedOut, &b)] {
        let shown = duplicates.read_group(&account.core, id, group, rule).unwrap();
        assert_eq!(shown.suggested.unwrap().survivor, *survivor, "{rule:?}");
    }

    let chosen = |field: &str, uid: &ContactId| (field.to_owned(), uid.clone());
    let fields = BTreeMap::from([chosen("city", &a), chosen("zip", &a)]);
    let choice = MergeChoice { survivor: b.clone(), fields, contacts: None };
    let merged = duplicates.merge_group(&account.core, &me(), id, group, &choice).unwrap();
    assert_eq!(merged.gone, 2);
    let (after, out) = read_account(&account);
    assert_eq!((after.len(), &out), (1, &before.1), "opt-outs are as they were");
    let values = &after[b.as_str()]["values"];
    assert_eq!(
        (&values["title"], &values["lastname"], &values["city"], values.get("zip")),
        (&json!("Dr"), &json!("Lovelace"), &json!("London"), None),
        "chosen, kept, and a blank that was chosen"
    );
    let state = wait_until_done(&account, id);
    assert_eq!((state.groups, state.merged, state.progress.is_stale), (0, 2, false), "it knows of its own act");
    let step = history::read_undo_status(&account.core).unwrap().undo.unwrap();
    assert_eq!(
        (step.act.as_str(), step.subject.as_deref(), step.count, step.id),
        ("duplicate_merge", Some("Ada Lovelace"), 2, merged.step)
    );
    history::undo(&account.core, &me()).unwrap();
    assert_eq!(read_account(&account), before);
    assert!(wait_until_done(&account, id).progress.is_stale, "undoing is another act");
    duplicates.refresh(&account.core, id).unwrap();
    assert_eq!((wait_until_done(&account, id).groups, groups(&account, id)[0].group), (1, group + 1));
}

#[test]
fn wrong_choices_are_refused_and_nothing_is_written() {
    let account = GridAccount::new();
    let ada = add(&account, 1, &[("city", "London")]);
    let other = add(&account, 1, &[]);
    let third = add(&account, 1, &[]);
    let stranger = add(&account, 2, &[]);
    let id = open(&account, &[Phone]);
    let group = groups(&account, id)[0].group;
    let before = read_account(&account);
    let merge = |survivor: &ContactId, field: Option<(&str, &ContactId)>, contacts: Option<&[&ContactId]>| {
        let fields = field.map(|(name, uid)| (name.to_owned(), uid.clone())).into_iter().collect();
        let contacts = contacts.map(|all| all.iter().map(|uid| (*uid).clone()).collect());
        let choice = MergeChoice { survivor: survivor.clone(), fields, contacts };
        account.core.duplicates().merge_group(&account.core, &me(), id, group, &choice)
    };
    assert!(merge(&stranger, None, None).unwrap_err().to_string().contains("not in the group"));
    assert!(merge(&ada, Some(("city", &stranger)), None).unwrap_err().to_string().contains("not in the group"));
    assert!(
        merge(&ada, Some(("phone_region", &other)), None).unwrap_err().to_string().contains("The field was not found")
    );
    assert!(merge(&ada, None, Some(&[&ada])).unwrap_err().to_string().contains("two contacts"));
    assert!(merge(&ada, None, Some(&[&ada, &ada])).unwrap_err().to_string().contains("twice"));
    assert!(merge(&ada, None, Some(&[&ada, &stranger])).unwrap_err().to_string().contains("not in the group"));
    assert!(merge(&third, None, Some(&[&ada, &other])).unwrap_err().to_string().contains("not in the group"));
    assert_eq!(read_account(&account), before);

    // Merge only some contacts of a group: the others stay in it.
    assert_eq!(merge(&other, None, Some(&[&ada, &other])).unwrap().gone, 1);
    assert_eq!(read_account(&account).0[other.as_str()]["values"]["city"], "London");
    assert_eq!(uids(&groups(&account, id)[0]), [other.clone(), third.clone()]);
    contact::delete(&account.core, &me(), &third).unwrap();
    assert!(matches!(merge(&other, None, None), Err(Error::Conflict { .. })), "gone meanwhile");
    assert!(wait_until_done(&account, id).progress.is_stale);
    let error = merge_all(&account, id, 0, SurvivorRule::Oldest).unwrap_err();
    assert!(error.to_string().contains("has changed"), "{error}");
}

#[test]
fn the_only_number_cannot_be_chosen_away() {
    let account = GridAccount::new();
    let add = |phone: Option<&str>, whatsapp: Option<&str>| {
        let values: FieldValues =
            [("phone_number", phone), ("whatsapp_id", whatsapp), ("email_address", Some("a@x.example"))]
                .into_iter()
                .map(|(name, text)| (name.to_owned(), text.map(str::to_owned)))
                .collect();
        contact::add(&account.core, &me(), &account.list, &values, Some("GB")).unwrap().uid
    };
    let (a, b) = (add(Some("+447700900001"), None), add(None, Some("+447700900002")));
    let id = open(&account, &[Email, Whatsapp]);
    let group = groups(&account, id)[0].group;
    let merge = |fields: &[(&str, &ContactId)]| {
        let fields = fields.iter().map(|(name, uid)| ((*name).to_owned(), (*uid).clone())).collect();
        let choice = MergeChoice { survivor: a.clone(), fields, contacts: None };
        account.core.duplicates().merge_group(&account.core, &me(), id, group, &choice)
    };
    assert!(merge(&[("phone_number", &b), ("whatsapp_id", &a)]).unwrap_err().to_string().contains("must be given"));
    merge(&[("phone_number", &b)]).unwrap();
    let values = read_account(&account).0[a.as_str()]["values"].clone();
    assert_eq!(
        (values.get("phone_number"), &values["whatsapp_id"], &values["whatsapp_region"]),
        (None, &json!("+447700900002"), &json!("GB"))
    );
}

#[test]
fn all_groups_above_a_confidence_are_previewed_and_merged_in_one_act() {
    let account = GridAccount::new();
    let mail = ("email_address", "a@x.example");
    let bridge = add(&account, 1, &[mail, ("lastname", "Ada Lovelace"), ("city", "London")]);
    add(&account, 1, &[("lastname", "Ada Lovelace")]);
    add(&account, 2, &[mail, ("lastname", "Ada Lovelace"), ("zip", "AB1 2CD")]);
    for name in ["Bob One", "Cy Two"] {
        add(&account, 3, &[("lastname", name)]);
    }
    opt_out_of_sms(&account, "+447700900002");
    let before = read_account(&account);
    let id = open(&account, &[Phone, Email]);
    let duplicates = account.core.duplicates();
    let rule = SurvivorRule::MostComplete;
    let preview = duplicates.preview_merge_all(&account.core, &me(), id, 90, None, rule).unwrap();
    assert_eq!(read_account(&account), before, "a preview writes nothing");
    assert_eq!(
        (preview.groups, preview.survivors, preview.updated, preview.gone, preview.numbers_lost),
        (2, 1, 1, 2, 1)
    );
    assert_eq!(preview.opt_outs_lost, 0, "the number with the opt-out is kept");
    let other = duplicates.preview_merge_all(&account.core, &me(), id, 90, None, SurvivorRule::Oldest).unwrap();
    assert_eq!((other.opt_outs_lost, other.lost_opt_outs.len()), (1, 0), "the number with the opt-out is removed");
    let sample = &preview.sample[0];
    assert_eq!((sample.contacts, sample.title.as_str()), (3, "Ada Lovelace"));
    let done_ = merge_all(&account, id, 90, rule).unwrap();
    assert_eq!(
        super::MergedAll { step: None, sample: preview.sample.clone(), ..done_.clone() },
        preview,
        "as the preview showed"
    );
    let (after, out) = read_account(&account);
    assert_eq!((after.len(), &out), (3, &before.1));
    let survivor = &after[sample.survivor.as_str()]["values"];
    assert_eq!((&survivor["city"], &survivor["zip"]), (&json!("London"), &json!("AB1 2CD")));
    let state = wait_until_done(&account, id);
    assert_eq!((state.groups, state.merged, state.progress.is_stale), (1, 2, false), "the unsure one is left");
    history::undo(&account.core, &me()).unwrap();
    assert_eq!(read_account(&account), before, "one step");
    // Restoring from the trash also reverses the merge.
    history::redo(&account.core, &me()).unwrap();
    let in_trash = history::read_trash(&account.core, None, PageRequest { number: 1, size: 10 }).unwrap();
    assert_eq!(Some(in_trash.items[0].id), done_.step);
    history::restore(&account.core, &me(), in_trash.items[0].id).unwrap();
    assert_eq!(read_account(&account), before);
    history::undo(&account.core, &me()).unwrap();
    history::undo(&account.core, &me()).unwrap();
    assert_eq!(read_account(&account), before);
    // With this rule, the number that must not be messaged remains.
    duplicates.refresh(&account.core, id).unwrap();
    assert_eq!(wait_until_done(&account, id).merged, 0, "all contacts are back");
    merge_all(&account, id, 90, SurvivorRule::OptedOut).unwrap();
    let (after, _) = read_account(&account);
    assert!(!after.contains_key(bridge.as_str()));
    assert!(after.values().any(|card| card["values"]["phone_number"] == "+447700900002" && card["sms"] == "account"));
}

#[test]
fn the_preview_names_what_merging_groups_that_share_a_contact_removes() {
    let account = GridAccount::new();
    let anna = [("firstname", "Anna"), ("lastname", "Smith")];
    add(&account, 1, &[anna[0], anna[1], ("city", "York")]);
    add(&account, 1, &[]);
    add(&account, 2, &anna);
    opt_out_of_sms(&account, "+447700900001");
    let id = open(&account, &[Phone, Name]);
    let preview = |rule| account.core.duplicates().preview_merge_all(&account.core, &me(), id, 0, None, rule).unwrap();
    let number = |last: u32| super::RemovedValues {
        field: "phone_number".to_owned(),
        values: vec![format!("+44770090000{last}")],
        count: 1,
    };
    let kept = preview(SurvivorRule::MostComplete);
    assert_eq!((kept.groups, kept.survivors, kept.numbers_lost), (2, 1, 1));
    assert_eq!(kept.numbers_sample, ["+447700900002"]);
    assert_eq!((&kept.sample[0].removed, kept.sample[0].removed_opt_outs.len()), (&vec![number(2)], 0));
    let removed = preview(SurvivorRule::Newest);
    assert_eq!(removed.sample[0].removed, [number(1)]);
    assert_eq!(
        removed.sample[0].removed_opt_outs.iter().map(|one| one.number.as_str()).collect::<Vec<_>>(),
        ["+447700900001"]
    );
}

#[test]
fn what_is_skipped_stays_skipped_for_as_long_as_the_search_is_open() {
    let account = GridAccount::new();
    for number in [1, 1, 2, 2] {
        add(&account, number, &[]);
    }
    let id = open(&account, &[Phone]);
    let duplicates = account.core.duplicates();
    let first = groups(&account, id)[0].group;
    duplicates.set_skipped(id, &[first], true).unwrap();
    assert_eq!((groups(&account, id).len(), wait_until_done(&account, id).skipped), (1, 1));
    assert_eq!(merge_all(&account, id, 0, SurvivorRule::Newest).unwrap().gone, 1, "not the skipped one");
    duplicates.refresh(&account.core, id).unwrap();
    let state = wait_until_done(&account, id);
    assert_eq!((state.groups, state.skipped, state.merged), (0, 1, 1));
    let skipped = duplicates.read_page(&account.core, id, &GroupQuery { is_skipped: true, ..query() }).unwrap();
    assert!(duplicates.set_skipped(id, &[first], false).is_err(), "its number is another now");
    duplicates.set_skipped(id, &[skipped.items[0].group], false).unwrap();
    assert_eq!(wait_until_done(&account, id).groups, 1);
    duplicates.close(id);
    duplicates.close(id);
    assert!(duplicates.read_status(&account.core, id, Duration::ZERO).is_err());
}

#[test]
fn a_phone_number_and_a_whatsapp_number_are_one_number() {
    let account = GridAccount::new();
    let add = |phone: Option<&str>, whatsapp: Option<&str>| {
        let values = [("phone_number", phone), ("whatsapp_id", whatsapp)];
        let values = values.map(|(name, text)| (name.to_owned(), text.map(str::to_owned))).into_iter().collect();
        contact::add(&account.core, &me(), &account.list, &values, Some("GB")).unwrap().uid
    };
    add(Some("+447700900001"), None);
    add(None, Some("+447700900001"));
    add(Some("+447700900001"), Some("+447700900002"));
    add(None, Some("+447700900003"));
    let id = open(&account, &[Phone, Whatsapp, Number]);
    let found = groups(&account, id);
    let keys = |head: &DuplicateGroupHead| head.evidence.iter().map(|evidence| evidence.key).collect::<Vec<_>>();
    assert_eq!(
        found.iter().map(|head| (head.size, keys(head))).collect::<Vec<_>>(),
        [(2, vec![Phone]), (3, vec![Number])]
    );
    merge_all(&account, id, 95, SurvivorRule::Oldest).unwrap();
    assert_eq!(read_account(&account).0.len(), 2);
}

#[test]
fn the_account_is_searched_for_numbers_and_addresses_alone() {
    let account = GridAccount::new();
    let other = list::create(&account.core, &me(), "Others", list::UniqueNames::Off).unwrap().uid;
    add(&account, 1, &[]);
    contact::add(&account.core, &me(), &other, &crate::grid::tests::contact_values(&[], 1), Some("GB")).unwrap();
    let duplicates = account.core.duplicates();
    assert!(duplicates.open(&account.core, None, &[Phone, Name]).is_err());
    assert!(duplicates.open(&account.core, None, &[]).is_err());
    let id = duplicates.open(&account.core, None, &[Phone]).unwrap();
    assert_eq!(wait_until_done(&account, id).groups, 1);
    let error = merge_all(&account, id, 0, SurvivorRule::Newest).unwrap_err();
    assert!(error.to_string().contains("one list"), "{error}");
    add(&account, 2, &[]);
    assert!(wait_until_done(&account, id).progress.is_stale);
}

#[test]
fn a_search_that_was_ended_says_so_and_keeps_what_was_there() {
    let folder = tempfile::tempdir().unwrap();
    let account = GridAccount::in_file(&folder.path().join("account.roost"));
    account.paste_rows((0..3_000).map(|n| crate::grid::tests::contact_values(&[("lastname", "Ada Lovelace")], n)));
    let id = open(&account, &[Phone]);
    let before = wait_until_done(&account, id);
    assert_eq!(before.groups, 1_000);
    account.core.duplicates().refresh(&account.core, id).unwrap();
    account.core.duplicates().cancel(id).unwrap();
    let state = wait_until_done(&account, id);
    assert!(!state.progress.is_working && state.groups == 1_000);
    account.core.end_background_work();
    assert!(account.core.duplicates().read_status(&account.core, id, Duration::ZERO).is_err());
}
