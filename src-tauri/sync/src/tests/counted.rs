//! Tests that the count of a list equals its contents, however its contacts returned.

use roost_model::page::PageRequest;
use roost_ops::{By, Error, contact, history, list};
use roost_store::tables::sync::{Place, ids};

use super::world::{World, add, rename, run};
use crate::decide::{self, Records};

/// Asserts that each list counts its rows, and returns the number of all rows.
fn counted(world: &World) -> usize {
    let mut all = 0;
    for (name, uid) in World::lists(&world.core) {
        let rows = World::contacts(&world.core, &uid).len();
        let told = list::get(&world.core, &uid).expect("a list").contact_count;
        assert_eq!(told, rows as u64, "{name}");
        all += rows;
    }
    all
}

#[test]
fn a_contact_that_is_back_already_is_not_counted_again_when_it_is_restored() {
    run(async {
        for discarded in 0..=3_usize {
            let world = World::new(70 + discarded as u64);
            world.list_there("VIP", 5);
            world.pull().await;
            let here = World::lists(&world.core)[0].1.clone();
            let by = By::user(None);
            let uids: Vec<_> = World::contacts(&world.core, &here).into_iter().map(|(uid, ..)| uid).take(3).collect();
            let id = |at: usize| {
                let uid = uids[at].as_str().to_owned();
                world
                    .core
                    .read(|tx| Ok::<_, Error>(ids::find_own(tx, Place::Contacts, &uid)?))
                    .expect("read")
                    .expect("known")
            };
            let known: Vec<i64> = (0..3).map(id).collect();
            contact::delete_many(&world.core, &by, &contact::Target::Uids(uids.clone())).expect("deleted");
            assert_eq!(counted(&world), 2);
            decide::discard(&world.core, &by, &[Records::Contacts(known[..discarded].to_vec())]).expect("discarded");
            assert_eq!(counted(&world), 2 + discarded);
            // Another writer works meanwhile.
            add(&world.core, &here, 50, "New");
            let trash = history::trash(&world.core, None, PageRequest { number: 1, size: 9 }).expect("the trash");
            history::restore(&world.core, &by, trash.items[0].id).expect("restored");
            assert_eq!(counted(&world), 6);
            history::undo(&world.core, &by).expect("undone");
            assert_eq!(counted(&world), 3 + discarded);
            history::redo(&world.core, &by).expect("redone");
            assert_eq!(counted(&world), 6);
        }
    });
}

#[test]
fn what_left_its_list_meanwhile_is_not_counted_out_again() {
    run(async {
        let world = World::new(80);
        let there = world.list_there("VIP", 3);
        world.pull().await;
        let (by, here) = (By::user(None), World::lists(&world.core)[0].1.clone());
        let gone = World::contacts(&world.service.core, &there)[0].0.clone();
        let moved = World::contacts(&world.core, &here)[1].0.clone();
        rename(&world.core, &moved, "Edited");
        add(&world.core, &here, 50, "New");
        let made =
            World::contacts(&world.core, &here).into_iter().find(|(_, _, name)| name == "New").expect("a contact").0;
        let id =
            world.core.read(|tx| Ok::<_, Error>(ids::find_own(tx, Place::Contacts, made.as_str())?)).expect("read");
        // The same record is removed in another way than by undoing.
        contact::delete(&world.service.core, &By::interface(), &gone).expect("deleted there");
        world.pull().await;
        assert_eq!(counted(&world), 3);
        decide::discard(&world.core, &by, &[Records::Contacts(vec![id.expect("known")])]).expect("discarded");
        assert_eq!(counted(&world), 2);
        while history::undo(&world.core, &by).is_ok() {
            counted(&world);
        }
        while history::redo(&world.core, &by).is_ok() {
            counted(&world);
        }
    });
}
