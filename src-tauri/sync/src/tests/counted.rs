//! Tests that the count of a list equals its contents, and that the trash has what is deleted, however contacts
//! returned.

use roost_model::page::PageRequest;
use roost_ops::{
    Actor, ActorKind, Error,
    contact::{self, ContactTarget},
    history::{self, StepQuery, UndoStep},
    list,
};
use roost_store::tables::sync::{SyncedTable, ids};

use super::world::{World, add_contact, phone_number, rename_contact, run_paused};
use crate::decide::{self, RecordKeys};

/// Asserts that each list counts its rows, and returns the number of all rows.
fn count_rows(world: &World) -> usize {
    let mut all = 0;
    for (name, uid) in World::read_lists(&world.core) {
        let rows = World::read_contacts(&world.core, &uid).len();
        let count = list::get(&world.core, &uid).expect("a list").contact_count;
        assert_eq!(count, rows as u64, "{name}");
        all += rows;
    }
    all
}

#[test]
fn a_contact_that_is_back_already_is_not_counted_again_when_it_is_restored() {
    run_paused(async {
        for discarded in 0..=3_usize {
            let world = World::new(70 + discarded as u64);
            world.create_remote_list("VIP", 5);
            world.pull().await;
            let here = World::read_lists(&world.core)[0].1.clone();
            let by = Actor::user(None);
            let uids: Vec<_> =
                World::read_contacts(&world.core, &here).into_iter().map(|(uid, ..)| uid).take(3).collect();
            let id = |at: usize| {
                let uid = uids[at].as_str().to_owned();
                world
                    .core
                    .read(|tx| Ok::<_, Error>(ids::find_by_own_uid(tx, SyncedTable::Contacts, &uid)?))
                    .expect("read")
                    .expect("known")
            };
            let known: Vec<i64> = (0..3).map(id).collect();
            contact::delete_many(&world.core, &by, &ContactTarget::Uids(uids.clone())).expect("deleted");
            assert_eq!(count_rows(&world), 2);
            decide::discard_changes(&world.core, &by, &[RecordKeys::Contacts(known[..discarded].to_vec())])
                .expect("discarded");
            assert_eq!(count_rows(&world), 2 + discarded);
            // Another writer works meanwhile.
            add_contact(&world.core, &here, 50, "New");
            let trash = history::read_trash(&world.core, None, PageRequest { number: 1, size: 9 }).expect("the trash");
            let Some(step) = trash.items.first() else {
                assert_eq!((discarded, count_rows(&world)), (3, 6), "what is back is no longer in the trash");
                continue;
            };
            history::restore(&world.core, &by, step.id).expect("restored");
            assert_eq!(count_rows(&world), 6);
            history::undo(&world.core, &by).expect("undone");
            assert_eq!(count_rows(&world), 3 + discarded);
            history::redo(&world.core, &by).expect("redone");
            assert_eq!(count_rows(&world), 6);
        }
    });
}

#[test]
fn a_contact_that_already_left_its_list_is_not_subtracted_from_the_count_again() {
    run_paused(async {
        let world = World::new(80);
        let there = world.create_remote_list("VIP", 3);
        world.pull().await;
        let (by, here) = (Actor::user(None), World::read_lists(&world.core)[0].1.clone());
        let deleted = World::read_contacts(&world.service.core, &there)[0].0.clone();
        let moved = World::read_contacts(&world.core, &here)[1].0.clone();
        rename_contact(&world.core, &moved, "Edited");
        add_contact(&world.core, &here, 50, "New");
        let made = World::read_contacts(&world.core, &here)
            .into_iter()
            .find(|(_, _, name)| name == "New")
            .expect("a contact")
            .0;
        let id = world
            .core
            .read(|tx| Ok::<_, Error>(ids::find_by_own_uid(tx, SyncedTable::Contacts, made.as_str())?))
            .expect("read");
        // The same record is removed in another way than by undoing.
        contact::delete(&world.service.core, &Actor::interface(), &deleted).expect("deleted there");
        world.pull().await;
        assert_eq!(count_rows(&world), 3);
        decide::discard_changes(&world.core, &by, &[RecordKeys::Contacts(vec![id.expect("known")])])
            .expect("discarded");
        assert_eq!(count_rows(&world), 2);
        while history::undo(&world.core, &by).is_ok() {
            count_rows(&world);
        }
        while history::redo(&world.core, &by).is_ok() {
            count_rows(&world);
        }
    });
}

const FIRST_PAGE: PageRequest = PageRequest { number: 1, size: 50 };

fn read_trash(world: &World) -> Vec<(i64, u64)> {
    let page = history::read_trash(&world.core, None, FIRST_PAGE).expect("the trash");
    assert_eq!(page.total_items, page.items.len() as u64);
    page.items.iter().map(|step| (step.id, step.count)).collect()
}

/// Deletes these contacts here in one step, and gives the first of them another name at the service.
fn delete_and_rename(world: &World, numbers: &[u32], name: &str) {
    let list = World::read_lists(&world.core)[0].1.clone();
    let own = World::read_contacts(&world.core, &list);
    let is_wanted = |phone: &String| numbers.iter().any(|number| *phone == phone_number(*number));
    let deleted = own.into_iter().filter(|(_, phone, _)| is_wanted(phone)).map(|(uid, ..)| uid).collect();
    contact::delete_many(&world.core, &Actor::user(None), &ContactTarget::Uids(deleted)).expect("deleted");
    let there = World::read_lists(&world.service.core)[0].1.clone();
    let theirs = World::read_contacts(&world.service.core, &there);
    let changed = theirs.iter().find(|(_, phone, _)| *phone == phone_number(numbers[0])).expect("there");
    rename_contact(&world.service.core, &changed.0, name);
}

fn newest_sync_step(world: &World) -> UndoStep {
    let query = StepQuery { source: Some(ActorKind::Sync), ..StepQuery::default() };
    history::read_timeline(&world.core, &query, FIRST_PAGE).expect("the timeline").items[0].step.clone()
}

#[test]
fn a_contact_that_a_pull_brings_back_is_named_and_leaves_the_trash() {
    run_paused(async {
        let world = World::new(91);
        let there = world.create_remote_list("A", 4);
        world.pull().await;
        let by = Actor::user(None);

        delete_and_rename(&world, &[0, 1], "Ann");
        let step = read_trash(&world)[0].0;
        assert_eq!(read_trash(&world), [(step, 2)]);
        world.pull().await;
        let named = newest_sync_step(&world);
        assert_eq!((named.act.as_str(), named.subject.as_deref(), named.count), ("sync_restore", Some("Ann"), 1));
        assert_eq!(read_trash(&world), [(step, 1)], "the other one is still deleted");
        assert!(history::purge_typed(&world.core, &by, &[step], 2).is_err());
        assert_eq!(history::purge_typed(&world.core, &by, &[step], 1).expect("purged"), 1);

        add_contact(&world.service.core, &there, 9, "New");
        delete_and_rename(&world, &[2], "Bea");
        let step = read_trash(&world)[0].0;
        world.pull().await;
        assert_eq!(newest_sync_step(&world).subject.as_deref(), Some("Bea"));
        assert_eq!(read_trash(&world), []);
        assert!(matches!(history::purge(&world.core, &by, &[step]), Err(Error::Conflict { .. })));
        assert!(matches!(history::purge_typed(&world.core, &by, &[step], 1), Err(Error::Conflict { .. })));
        assert!(matches!(history::restore(&world.core, &by, step), Err(Error::Conflict { .. })));
        let names: Vec<String> = world.local_contents()["A"].iter().map(|(_, name)| name.clone()).collect();
        assert_eq!(names, ["Ann", "Bea", "Contact 3", "New"]);

        delete_and_rename(&world, &[2, 3], "Bea again");
        assert_eq!(read_trash(&world).len(), 1, "a contact is in the trash once");
    });
}
