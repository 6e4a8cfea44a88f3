//! Tests that lists are deleted, replaced and created on present knowledge, so that no contact in them is lost or
//! doubled.

mod confirmed_removal;
mod pulled_names;

use std::sync::{
    Arc,
    atomic::{AtomicBool, AtomicUsize, Ordering},
};

use roost_ops::{
    Actor, history,
    list::{self, UniqueNames},
};
use roost_reconcile::input::ListChoice;
use roost_store::tables::sync::{
    SyncedTable,
    runs::{self, RunState},
};

use super::{
    bent::{BentResponse, BentService, build_client},
    old_knowledge::link_parts,
    service::ServiceFaults,
    world::{World, add_contact, phone_number, rename_contact, run_paused},
};
use crate::{
    Progress,
    apply::{self, RunControl},
    decide,
    pull::PullOptions,
    remote::ServiceRequest,
};

#[test]
fn a_list_is_deleted_although_a_contact_was_moved_out_of_it_in_the_same_push() {
    run_paused(async {
        let world = World::new(22);
        world.create_remote_list("A", 3);
        world.create_remote_list_from("B", 500, 1);
        world.pull().await;
        let lists = World::read_lists(&world.core);
        let contact = World::read_contacts(&world.core, &lists[0].1)[0].0.clone();
        let by = Actor::user(None);
        let target = roost_ops::contact::ContactTarget::Uids(vec![contact]);
        roost_ops::contact::move_many(&world.core, &by, &target, &lists[1].1).expect("moved");
        roost_ops::list::delete(&world.core, &by, &lists[0].1).expect("deleted");
        let wanted = world.local_contents();
        assert_eq!(world.push().await, RunState::Done);
        assert_eq!((world.local_contents(), world.remote_contents()), (wanted.clone(), wanted));
        assert!(world.make_plan().await.has_no_work());
    });
}

#[test]
fn a_list_that_one_answer_lacks_is_looked_for_once_more_and_weighed_by_its_contacts() {
    for name in ["Long", "Empty"] {
        run_paused(async {
            let mut world = World::new(18);
            world.create_remote_list_from("Long", 0, 60);
            world.create_remote_list_from("Short", 500, 3);
            world.create_remote_list_from("Empty", 600, 0);
            world.pull().await;
            let before = world.local_contents();
            let lacks = Arc::new(AtomicUsize::new(0));
            let left = lacks.clone();
            let bend = move |request: &mut ServiceRequest, response: Option<&mut BentResponse>| {
                let is_lists = request.method == "GET" && request.url.contains("/contacts/v1/lists/");
                let (true, Some(response)) = (is_lists, response) else { return };
                if left.load(Ordering::Relaxed) == 0 {
                    return;
                }
                left.fetch_sub(1, Ordering::Relaxed);
                let mut body: serde_json::Value = serde_json::from_slice(&response.body).expect("JSON");
                body["items"].as_array_mut().expect("items").retain(|list| list["name"] != name);
                body["paging"]["total_items"] = 2.into();
                response.body = body.to_string().into_bytes();
            };
            world.client = build_client(BentService(world.service.clone(), bend));
            lacks.store(1, Ordering::Relaxed);
            let pulled = world.pull().await;
            assert_eq!((pulled.doubtful, world.local_contents()), (vec![], before.clone()), "it is in the next answer");
            assert_eq!(World::read_lists(&world.core).len(), 3, "{name} is in the next answer");
            if name == "Empty" {
                return;
            }
            lacks.store(2, Ordering::Relaxed);
            let pulled = world.pull().await;
            assert_eq!(
                (pulled.doubtful, world.local_contents()),
                (vec![SyncedTable::Lists], before),
                "a person is asked"
            );
        });
    }
}

#[test]
fn a_contact_that_another_writer_adds_is_not_lost_with_a_list_that_is_renamed_or_deleted() {
    for is_renamed in [true, false] {
        for is_late in [true, false] {
            run_paused(async {
                let mut world = World::new(20);
                let there = world.create_remote_list("A", 3);
                world.create_remote_list("Other", 1);
                world.pull().await;
                let by = Actor::user(None);
                let list = World::read_lists(&world.core)[0].1.clone();
                if is_renamed {
                    roost_ops::list::rename(&world.core, &by, &list, "Renamed").expect("renamed");
                    let id = world.core.read(|tx| Ok(roost_store::tables::lists::row_of(tx, &list)?)).expect("read");
                    decide::choose_for_list(&world.core, id.expect("a row").number(), Some(ListChoice::Recreate))
                        .expect("decided");
                } else {
                    roost_ops::list::delete(&world.core, &by, &list).expect("deleted");
                }
                let id = world.begin_run().await;
                let (service, uid) = (world.service.clone(), there.clone());
                let is_added = AtomicBool::new(false);
                let bend = move |request: &mut ServiceRequest, response: Option<&mut BentResponse>| {
                    // Late: the list was already compared, or its old version was already uploaded.
                    let due = if is_late { request.method == "POST" } else { response.is_some() };
                    if due && !is_added.swap(true, Ordering::Relaxed) {
                        add_contact(&service.core, &uid, 900, "Added by another writer");
                    }
                };
                if is_late && !is_renamed {
                    add_contact(&world.service.core, &there, 900, "Added by another writer");
                } else {
                    world.client = build_client(BentService(world.service.clone(), bend));
                }
                world.drive_run(id).await.expect("ran");
                let face = world.remote_contents();
                let stands = face.values().flatten().any(|(phone, _)| *phone == phone_number(900));
                assert!(stands, "renamed {is_renamed}, late {is_late}: {face:?}");
                assert!(!world.failure_reasons(id).is_empty());
                world.pull().await;
                let here =
                    world.local_contents().values().flatten().filter(|(phone, _)| *phone == phone_number(900)).count();
                let questions = world.make_plan().await.conflicts.len();
                assert_eq!(here + questions, 1, "it is here, or a person decides about the list that it is in");
            });
        }
    }
}

#[test]
fn a_pull_adds_no_second_list_or_link_that_an_unfinished_run_may_have_created() {
    run_paused(async {
        let mut world = World::new(24);
        world.create_remote_list("A", 1);
        world.pull().await;
        let by = Actor::user(None);
        let made = roost_ops::list::create(&world.core, &by, "New", roost_ops::list::UniqueNames::Off);
        add_contact(&world.core, &made.expect("a list").uid, 601, "In the new list");
        let parts = link_parts("Link");
        roost_ops::short_link::create(&world.core, &by, parts).expect("a link");
        let id = world.begin_run().await;
        // Every request takes effect, and every response is lost.
        world.service.set_faults(ServiceFaults { unheard: 1, ..ServiceFaults::default() });
        assert_eq!(world.drive_run(id).await.expect("ended"), RunState::Paused);
        world.service.set_faults(ServiceFaults::default());
        world.pull().await;
        world.drive_run(id).await.expect("ran");
        world.pull().await;
        assert_eq!(world.local_contents(), world.remote_contents());
        assert_eq!(world.remote_contents().len(), 2, "{:?}", world.remote_contents());
        assert_eq!(World::read_other_records(&world.core), World::read_other_records(&world.service.core));
        world.client =
            build_client(BentService(world.service.clone(), |_: &mut ServiceRequest, _: Option<&mut BentResponse>| {}));
        assert!(world.make_plan().await.has_no_work());
    });
}

#[test]
fn a_list_that_changed_before_it_was_deleted_there_is_asked_about_until_it_is_answered() {
    run_paused(async {
        let world = World::new(25);
        let there = world.create_remote_list("A", 3);
        world.create_remote_list_from("B", 500, 1);
        world.pull().await;
        let list = World::read_lists(&world.core)[0].1.clone();
        let row = world.core.read(|tx| Ok(roost_store::tables::lists::row_of(tx, &list)?)).expect("read");
        let id = row.expect("a row").number();
        roost_ops::list::delete(&world.core, &Actor::user(None), &list).expect("deleted");
        let run_id = world.begin_run().await;
        world.service.core.ctx().advance(5);
        add_contact(&world.service.core, &there, 900, "Added by another writer");
        world.drive_run(run_id).await.expect("ran");
        for _ in 0..2 {
            let made = world.make_plan().await;
            assert!(made.steps.is_empty() && made.conflicts.len() == 1, "{made:#?}");
            world.pull().await;
        }
        decide::choose_for_list(&world.core, id, Some(ListChoice::DeleteAnyway)).expect("decided");
        assert_eq!(world.push().await, RunState::Done);
        assert_eq!(world.remote_contents().len(), 1);
        assert!(world.make_plan().await.has_no_work());
    });
}

#[test]
fn giving_up_a_list_that_was_deleted_there_is_answered_once() {
    run_paused(async {
        let world = World::new(65);
        world.create_remote_list("A", 3);
        world.create_remote_list_from("B", 500, 3);
        world.pull().await;
        let by = Actor::user(None);
        let list = World::read_lists(&world.core)[0].1.clone();
        let id = world.core.read(|tx| Ok(roost_store::tables::lists::row_of(tx, &list)?)).expect("read");
        let id = id.expect("a row").number();
        for times in 1..=2 {
            let contact = World::read_contacts(&world.core, &list)[0].0.clone();
            rename_contact(&world.core, &contact, &format!("Edited {times}"));
            let there =
                World::read_lists(&world.service.core).into_iter().find(|(name, _)| name == "A").expect("there").1;
            list::delete(&world.service.core, &Actor::interface(), &there).expect("deleted");
            let believed = PullOptions { full: true, believe: true, ..PullOptions::default() };
            world.pull_with(&believed).await.expect("pulled");
            assert_eq!(
                (world.make_plan().await.conflicts.len(), world.local_contents().len()),
                (1, 2),
                "a person is asked, time {times}"
            );
            decide::choose_for_list(&world.core, id, Some(ListChoice::Discard)).expect("decided");
            world.pull_with(&believed).await.expect("pulled");
            assert_eq!(world.local_contents().len(), 1, "it goes, time {times}");
            // The list is restored from the trash and created at the service again.
            let page = roost_model::page::PageRequest { number: 1, size: 1 };
            let step = history::read_trash(&world.core, None, page).expect("trash").items[0].id;
            history::restore(&world.core, &by, step).expect("restored");
            assert_eq!(world.push().await, RunState::Done);
            assert_eq!(world.remote_contents().len(), 2, "{:?}", world.remote_contents());
        }
    });
}

#[test]
fn a_cancelled_run_waits_for_no_list_that_may_have_been_made() {
    run_paused(async {
        let world = World::new(64);
        list::create(&world.core, &Actor::user(None), "New", UniqueNames::Off).expect("a list");
        let id = world.begin_run().await;
        // The response is lost, and no response shows the list.
        world.service.cut_after(Some(0));
        let control = RunControl::default();
        let stopped =
            apply::drive_run(&world.core, &world.client, id, &control, &Progress::default()).await.expect("stopped");
        assert_eq!(stopped.state, RunState::Paused);
        world.core.write_quietly(|tx| Ok(runs::set_step(tx, id, 0, "uncertain", None)?)).expect("written");
        world.service.cut_after(None);
        control.cancel();
        let began = tokio::time::Instant::now();
        let ended =
            apply::drive_run(&world.core, &world.client, id, &control, &Progress::default()).await.expect("ended");
        assert!(began.elapsed().as_secs() < 5, "{:?}", began.elapsed());
        assert_eq!(ended.state, RunState::InDoubt, "nobody knows whether it was made");
        assert_eq!(world.push().await, RunState::Done);
        assert_eq!(world.remote_contents().len(), 1);
    });
}
