//! Tests that a removal which a person confirms is named before and after, and can be undone by that person.

use roost_model::page::PageRequest;
use roost_ops::{Actor, history, list};
use roost_store::tables::sync::SyncedTable;

use super::super::world::{World, run_paused};
use crate::pull::{GoneList, PullOptions};

const PAGE: PageRequest = PageRequest { number: 1, size: 10 };

fn gone(name: &str, contacts: u64) -> GoneList {
    GoneList { name: name.to_owned(), contacts }
}

#[test]
fn a_confirmed_removal_of_a_list_is_named_with_its_contacts_and_undone_as_one_act() {
    run_paused(async {
        let world = World::new(71);
        let messy = world.create_remote_list("messy", 8);
        world.create_remote_list_from("Other", 20, 2);
        world.pull().await;
        let before = world.local_contents();
        list::delete(&world.service.core, &Actor::interface(), &messy).expect("deleted");
        let pulled = world.pull().await;
        assert_eq!(pulled.doubtful, [SyncedTable::Lists]);
        assert_eq!((pulled.missing_lists, pulled.removed_lists), (vec![gone("messy", 8)], Vec::new()));
        assert_eq!(world.local_contents(), before);

        let believe = PullOptions { full: true, believe: true, ..PullOptions::default() };
        let pulled = world.pull_with(&believe).await.expect("pulled");
        assert_eq!((pulled.missing_lists, pulled.removed_lists), (Vec::new(), vec![gone("messy", 8)]));
        assert!(world.make_plan().await.has_no_work(), "what the service removed is not sent to it");
        let next = history::read_undo_status(&world.core).expect("read").undo.expect("an act to undo");
        assert_eq!((next.act.as_str(), next.subject.as_deref(), next.count), ("sync_remove_list", Some("messy"), 8));
        let trash = history::read_trash(&world.core, None, PAGE).expect("read").items;
        assert_eq!(trash.iter().map(|step| (step.id, step.count)).collect::<Vec<_>>(), [(next.id, 8)]);
        history::undo(&world.core, &Actor::user(None)).expect("undone");
        assert_eq!(world.local_contents(), before);
        world.push().await;
        assert_eq!(world.remote_contents(), before, "what came back is created at the service");
    });
}

#[test]
fn several_removed_lists_are_one_act_with_their_names() {
    run_paused(async {
        let world = World::new(72);
        let lists =
            [("A", 0, 5), ("B", 20, 4)].map(|(name, from, count)| world.create_remote_list_from(name, from, count));
        world.create_remote_list_from("Other", 40, 1);
        world.pull().await;
        for list in &lists {
            list::delete(&world.service.core, &Actor::interface(), list).expect("deleted");
        }
        let believe = PullOptions { full: true, believe: true, ..PullOptions::default() };
        let pulled = world.pull_with(&believe).await.expect("pulled");
        assert_eq!(pulled.removed_lists, [gone("A", 5), gone("B", 4)]);
        let next = history::read_undo_status(&world.core).expect("read").undo.expect("an act to undo");
        assert_eq!((next.act.as_str(), next.subject.as_deref(), next.count), ("sync_remove_lists", Some("A, B"), 9));
    });
}
