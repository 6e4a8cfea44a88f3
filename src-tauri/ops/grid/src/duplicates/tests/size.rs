//! Tests many rows: they are searched in bounded time and merged in one step.

use std::time::{Duration, Instant};

use roost_model::{
    contact::{Attribute, Contact},
    id::ContactId,
    phone::Phone,
};
use roost_store::{
    change_log::{ChangeAction, ChangeLogEntry, Noun},
    tables::{contacts::ContactInserter, lists},
};

use super::{
    super::{DuplicateKey, SurvivorRule},
    wait_until_done,
};
use roost_ops::{error::Result, history};

use crate::grid::tests::{GridAccount, me};

/// Adds contacts of which every tenth is the one before it in another spelling.
fn fill_list(account: &GridAccount, count: u32) {
    let core = &account.core;
    let filled: Result<()> = core.write(&me(), |tx| {
        let row = lists::row_of(tx, &account.list)?.unwrap();
        let mut inserter = ContactInserter::new(tx, row, &[])?;
        let at = core.ctx().now();
        for n in 0..count {
            let is_twin = n % 10 == 9;
            let person = if is_twin { n - 1 } else { n };
            let mut attributes: [Option<String>; roost_model::contact::ATTRIBUTES] = Default::default();
            let word = |seed: u32| -> String {
                (0..6).map(|at| char::from(b'a' + ((seed >> (at * 3)) * 7 + at * 5 + seed % 23) as u8 % 26)).collect()
            };
            let (first, last) = (word(person % 997), word(person / 7));
            let name = if is_twin { (last.to_uppercase(), first) } else { (first, last) };
            attributes[Attribute::Firstname as usize] = Some(name.0);
            attributes[Attribute::Lastname as usize] = Some(name.1);
            attributes[Attribute::Address1 as usize] =
                Some(format!("{} {} Street", person % 90 + 1, word(person % 541)));
            attributes[Attribute::Zip as usize] = Some(format!("Z{:04}", person % 5_000));
            let phone = Some(Phone { e164: format!("+4477009{person:08}"), region: "GB".to_owned() });
            let uid = ContactId::new(core.ctx().ksuid(at));
            let list = account.list.clone();
            let custom = Vec::new();
            inserter.insert(&Contact {
                uid,
                list,
                phone,
                whatsapp: None,
                attributes,
                custom,
                created_at: at,
                updated_at: None,
            })?;
        }
        lists::touch(tx, row, at, i64::from(count))?;
        tx.log_change(ChangeLogEntry::many(Noun::Contact, ChangeAction::Created, &account.list, u64::from(count)));
        tx.log_change(ChangeLogEntry::single(Noun::List, ChangeAction::Updated, &account.list));
        Ok(())
    });
    filled.unwrap();
}

fn find_and_merge(count: u32, most: Duration) {
    let folder = tempfile::tempdir().unwrap();
    let account = GridAccount::in_file(&folder.path().join("account.roost"));
    fill_list(&account, count);
    let duplicates = account.core.duplicates();
    let started = Instant::now();
    let id = duplicates.open(&account.core, Some(&account.list), &DuplicateKey::ALL).unwrap();
    let state = wait_until_done(&account, id);
    let took = started.elapsed();
    assert_eq!(state.progress.fault, None);
    let groups = |key: DuplicateKey| state.keys.iter().find(|by| by.key == key).unwrap().groups;
    let twins = u64::from(count / 10);
    assert_eq!((groups(DuplicateKey::Phone), groups(DuplicateKey::NameAddress)), (twins, twins));
    assert!(took < most, "{count} contacts took {took:?}");
    let started = Instant::now();
    let merged = duplicates.merge_all(&account.core, &me(), id, 95, None, SurvivorRule::MostComplete).unwrap();
    assert_eq!(merged.gone, twins);
    assert!(started.elapsed() < most, "merging took {:?}", started.elapsed());
    assert_eq!(history::undo(&account.core, &me()).unwrap().kept, 0);
}

#[test]
fn twenty_thousand_contacts_take_bounded_time() {
    // The limit is far above the time needed, even without optimization. An algorithm with quadratic time would exceed
    // it.
    find_and_merge(20_000, Duration::from_secs(30));
}

#[test]
#[ignore = "make soak runs it"]
fn a_hundred_thousand_contacts_take_bounded_time() {
    // The limit is far above the time needed, even without optimization. An algorithm with quadratic time would exceed
    // it.
    find_and_merge(100_000, Duration::from_secs(90));
}

#[test]
#[ignore = "takes minutes without optimisation"]
fn a_million_contacts_take_bounded_time() {
    find_and_merge(1_000_000, Duration::from_secs(900));
}
