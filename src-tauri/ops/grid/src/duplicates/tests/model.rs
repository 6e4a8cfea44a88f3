//! Tests random contacts against a simple model: the groups equal those of a full comparison, and undoing a merge
//! restores everything.

use std::collections::{BTreeMap, BTreeSet};

use proptest::{collection::vec, prelude::*, sample::select, test_runner::Config};

use super::{
    super::{DuplicateGroupHead, DuplicateKey, SurvivorRule},
    add, groups, open, opt_out_of_sms, opt_outs, read_account, wait_until_done,
};
use roost_ops::history;

use crate::grid::tests::{GridAccount, me};

type TypedFields = Vec<(&'static str, &'static str)>;

fn field_text(
    field: &'static str,
    values: &'static [&'static str],
) -> impl Strategy<Value = Option<(&'static str, &'static str)>> {
    proptest::option::of(select(values).prop_map(move |text| (field, text)))
}

fn any_person() -> impl Strategy<Value = (u32, TypedFields)> {
    let fields = (
        field_text("firstname", &["Ada", "ada", "Aida", "Jon", "John"]),
        field_text("lastname", &["Lovelace", "LOVELACE", "Love lace", "Smith", "Smyth"]),
        field_text("email_address", &["a@x.example", "A@X.example", "b@x.example", "none"]),
        field_text("zip", &["AB1 2CD", "ab12cd"]),
        field_text("address_1", &["1 High Street", "1 High St", "2 Mill Lane"]),
        field_text("date_of_birth", &["1950-01-01", "1980-01-01"]),
    );
    let fields = fields.prop_map(|(a, b, c, d, e, f)| [a, b, c, d, e, f].into_iter().flatten().collect());
    (0..4_u32, fields)
}

fn any_rule() -> impl Strategy<Value = SurvivorRule> {
    select(vec![SurvivorRule::MostComplete, SurvivorRule::Newest, SurvivorRule::Oldest, SurvivorRule::OptedOut])
}

proptest! {
    #![proptest_config(Config { cases: 48, failure_persistence: None, ..Config::default() })]

    #[test]
    fn groups_part_the_contacts_by_each_key(people in vec(any_person(), 0..14)) {
        let account = GridAccount::new();
        let uids: Vec<String> = people.iter().map(|(number, values)| add(&account, *number, values).to_string()).collect();
        let lower = |n: usize, field: &str| {
            people[n].1.iter().find(|(name, _)| *name == field).map(|(_, text)| text.to_lowercase())
        };
        for key in DuplicateKey::ALL {
            let id = open(&account, &[key]);
            let found = groups(&account, id);
            let mut there = BTreeSet::new();
            let mut sets = BTreeSet::new();
            for group in &found {
                let shown = account.core.duplicates().read_group(&account.core, id, group.group, SurvivorRule::Oldest).unwrap();
                prop_assert!(shown.contacts.len() >= 2 && shown.size as usize == shown.contacts.len(), "none of one");
                prop_assert_eq!(&group.evidence[0].key, &key);
                prop_assert!(group.evidence[0].text.is_some() && group.confidence <= 100);
                let set: BTreeSet<String> = shown.contacts.iter().map(|card| card.uid.to_string()).collect();
                for uid in &set {
                    prop_assert!(there.insert(uid.clone()), "{} is in two groups by {:?}", uid, key);
                }
                sets.insert(set);
            }
            let rank = |head: &DuplicateGroupHead| (100 - head.confidence, head.size);
            prop_assert!(found.is_sorted_by_key(rank), "the surest first, and of those the smallest");
            // A naive comparison of all pairs works for keys that are compared as a whole.
            let naive = |read_key: &dyn Fn(usize) -> Option<String>| {
                let mut by: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
                for (n, uid) in uids.iter().enumerate() {
                    if let Some(key) = read_key(n) {
                        by.entry(key).or_default().insert(uid.clone());
                    }
                }
                by.into_values().filter(|set| set.len() > 1).collect::<BTreeSet<_>>()
            };
            match key {
                DuplicateKey::Phone => prop_assert_eq!(sets, naive(&|n| Some(people[n].0.to_string()))),
                DuplicateKey::Email => {
                    prop_assert_eq!(sets, naive(&|n| lower(n, "email_address").filter(|text| text != "none")));
                }
                DuplicateKey::Name => prop_assert_eq!(sets, naive(&|n| {
                    let name = [lower(n, "firstname"), lower(n, "lastname")].into_iter().flatten().collect::<Vec<_>>().join(" ");
                    let mut words: Vec<&str> = name.split(' ').collect();
                    words.sort_unstable();
                    (words.len() > 1).then(|| words.join(" "))
                })),
                _ => {}
            }
            account.core.duplicates().close(id);
        }
    }

    #[test]
    fn merging_and_undoing_leaves_all_as_it_was(
        people in vec(any_person(), 1..14), keys in vec(select(DuplicateKey::ALL.to_vec()), 1..4), rule in any_rule(), least in 0..101_u8
    ) {
        let account = GridAccount::new();
        for (number, values) in &people {
            add(&account, *number, values);
        }
        opt_out_of_sms(&account, "+447700900001");
        let before = read_account(&account);
        let id = open(&account, &keys);
        let duplicates = account.core.duplicates();
        let preview = duplicates.preview_merge_all(&account.core, &me(), id, least, None, rule).unwrap();
        prop_assert_eq!(&read_account(&account), &before);
        let merged = duplicates.merge_all(&account.core, &me(), id, least, None, rule).unwrap();
        prop_assert_eq!(
            (merged.groups, merged.survivors, merged.updated, merged.gone),
            (preview.groups, preview.survivors, preview.updated, preview.gone)
        );
        let after = read_account(&account);
        prop_assert_eq!(&after.1, &before.1, "opt-outs are as they were");
        prop_assert_eq!(after.0.len() as u64 + merged.gone, before.0.len() as u64);
        // Every value of a survivor comes from some contact.
        for card in after.0.values() {
            for (name, text) in card["values"].as_object().into_iter().flatten() {
                prop_assert!(before.0.values().any(|other| other["values"].get(name) == Some(text)));
            }
        }
        let state = wait_until_done(&account, id);
        prop_assert!(!state.progress.is_stale);
        prop_assert!(groups(&account, id).iter().all(|group| group.confidence < least), "nothing sure enough is left");
        if merged.step.is_some() {
            history::undo(&account.core, &me()).unwrap();
            prop_assert_eq!(&read_account(&account), &before);
            history::redo(&account.core, &me()).unwrap();
            prop_assert_eq!(&read_account(&account), &after);
        } else {
            prop_assert_eq!(merged.gone, 0);
        }
        prop_assert_eq!(opt_outs(&account), before.1);
    }
}
