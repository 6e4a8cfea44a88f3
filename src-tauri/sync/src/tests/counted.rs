//! Tests that the count of a list equals its contents, however its contacts returned.

use roost_model::page::PageRequest;
use roost_ops::{Actor, Error, contact, history, list};
use roost_store::tables::sync::{SyncedTable, ids};

use super::world::{World, add_contact, rename_contact, run_paused};
use crate::decide::{self, RecordKeys};

/// Asserts that each list counts its rows, and returns the number of all rows.
fn count_rows(world: &World) -> usize {
    let mut all = 0;
    for (name, uid) in World::read_lists(&world.core) {
        let rows = World::read_contacts(&world.core, &uid).len();
        let told = list::get(&world.core, &uid).expect("a list").contact_count;
        assert_eq!(told, rows as u64, "{name}");
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
            contact::delete_many(&world.core, &by, &contact::ContactTarget::Uids(uids.clone())).expect("deleted");
            assert_eq!(count_rows(&world), 2);
            decide::discard_changes(&world.core, &by, &[RecordKeys::Contacts(known[..discarded].to_vec())])
                .expect("discarded");
            assert_eq!(count_rows(&world), 2 + discarded);
            // Another writer works meanwhile.
            add_contact(&world.core, &here, 50, "New");
            let trash = history::read_trash(&world.core, None, PageRequest { number: 1, size: 9 }).expect("the trash");
            history::restore(&world.core, &by, trash.items[0].id).expect("restored");
            assert_eq!(count_rows(&world), 6);
            history::undo(&world.core, &by).expect("undone");
            assert_eq!(count_rows(&world), 3 + discarded);
            history::redo(&world.core, &by).expect("redone");
            assert_eq!(count_rows(&world), 6);
        }
    });
}

#[test]
fn what_left_its_list_meanwhile_is_not_counted_out_again() {
    run_paused(async {
        let world = World::new(80);
        let there = world.create_remote_list("VIP", 3);
        world.pull().await;
        let (by, here) = (Actor::user(None), World::read_lists(&world.core)[0].1.clone());
        let gone = World::read_contacts(&world.service.core, &there)[0].0.clone();
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
        contact::delete(&world.service.core, &Actor::interface(), &gone).expect("deleted there");
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
