//! Tests that a removal which a person confirms is named before and after, and can be undone by that person.

use roost_model::{page::PageRequest, short_link::LinkParts};
use roost_ops::{Actor, contact, history, list, short_link};
use roost_reconcile::plan::StepKind;
use roost_store::tables::sync::SyncedTable;

use super::super::world::{World, rename_contact, run_paused};
use crate::pull::{GoneList, PullOptions};

const PAGE: PageRequest = PageRequest { number: 1, size: 10 };

fn gone_list(name: &str, contacts: u64) -> GoneList {
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
        assert_eq!((pulled.missing_lists, pulled.removed_lists), (vec![gone_list("messy", 8)], Vec::new()));
        assert_eq!(world.local_contents(), before);

        let believe = PullOptions { full: true, believe: true, ..PullOptions::default() };
        let pulled = world.pull_with(&believe).await.expect("pulled");
        assert_eq!((pulled.missing_lists, pulled.removed_lists), (Vec::new(), vec![gone_list("messy", 8)]));
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
fn removed_links_are_named_and_removed_contacts_are_counted_with_their_list() {
    run_paused(async {
        let world = World::new(73);
        let list = world.create_remote_list("Members", 8);
        let link = |title: &str| {
            let parts = LinkParts {
                title: title.to_owned(),
                target_url: "https://a.example/".to_owned(),
                tags: Vec::new(),
                track_clicks: false,
            };
            short_link::create(&world.service.core, &Actor::interface(), parts).expect("a link")
        };
        let links = ["Spring sale", "Summer sale"].map(link);
        world.pull().await;
        for link in &links {
            short_link::delete(&world.service.core, &Actor::interface(), &link.link_id).expect("deleted");
        }
        let believe = PullOptions { full: true, believe: true, ..PullOptions::default() };
        let before = World::read_other_records(&world.core);
        let doubtful = world.pull().await;
        assert_eq!(
            (doubtful.missing_links.join(", ").as_str(), doubtful.removed_links.len()),
            ("Spring sale, Summer sale", 0)
        );
        for (uid, ..) in World::read_contacts(&world.service.core, &list).iter().take(3) {
            contact::delete(&world.service.core, &Actor::interface(), uid).expect("deleted");
        }
        let pulled = world.pull_with(&believe).await.expect("pulled");
        assert_eq!((pulled.removed_links.join(", ").as_str(), pulled.merged.removed), ("Spring sale, Summer sale", 3));
        assert!(pulled.missing_links.is_empty());
        let trash = history::read_trash(&world.core, None, PAGE).expect("read").items;
        assert_eq!(
            trash.iter().map(|step| (step.act.as_str(), step.subject.as_deref(), step.count)).collect::<Vec<_>>(),
            [("sync_remove_contacts", Some("Members"), 3), ("sync_remove_links", Some("Spring sale, Summer sale"), 2),]
        );
        let next = history::read_undo_status(&world.core).expect("read").undo.expect("an act to undo");
        assert_eq!(next.act, "sync_remove_links");
        history::undo(&world.core, &Actor::user(None)).expect("undone");
        assert_eq!(World::read_other_records(&world.core), before);
        world.push().await;
        assert_eq!(World::read_other_records(&world.service.core), before, "what came back is created at the service");
    });
}

#[test]
fn contacts_of_a_list_that_came_back_from_the_trash_are_created_though_they_were_edited() {
    run_paused(async {
        let world = World::new(74);
        let messy = world.create_remote_list("messy", 4);
        world.create_remote_list_from("Other", 20, 2);
        world.pull().await;
        list::delete(&world.service.core, &Actor::interface(), &messy).expect("deleted");
        let believe = PullOptions { full: true, believe: true, ..PullOptions::default() };
        world.pull_with(&believe).await.expect("pulled");
        let trash = history::read_trash(&world.core, None, PAGE).expect("read").items;
        history::restore(&world.core, &Actor::user(None), trash[0].id).expect("restored");
        let (_, own) = World::read_lists(&world.core).into_iter().find(|(name, _)| name == "messy").expect("back");
        rename_contact(&world.core, &World::read_contacts(&world.core, &own)[0].0, "Edited");
        let plan = world.make_plan().await;
        let sent = plan.steps.iter().filter_map(|step| match &step.kind {
            StepKind::Contacts { items, .. } => Some(items.iter().filter(|item| item.before.is_none()).count()),
            _ => None,
        });
        assert_eq!(sent.collect::<Vec<_>>(), [4], "all are created, none changed");
        world.push().await;
        assert_eq!(world.remote_contents(), world.local_contents());
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
        assert_eq!(pulled.removed_lists, [gone_list("A", 5), gone_list("B", 4)]);
        let next = history::read_undo_status(&world.core).expect("read").undo.expect("an act to undo");
        assert_eq!((next.act.as_str(), next.subject.as_deref(), next.count), ("sync_remove_lists", Some("A, B"), 9));
    });
}
