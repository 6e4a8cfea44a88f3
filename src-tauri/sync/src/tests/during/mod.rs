//! Tests what people do during a run and after it.

mod deleted_since;

use std::collections::BTreeMap;

use roost_model::id::ContactId;
use roost_ops::{Actor, contact, sender};
use roost_store::tables::sync::runs::RunState;

use super::{
    service::{SeededDice, ServiceFaults},
    world::{ListFace, World, edit_randomly, phone_number, rename_contact, run_paused, to_field_values},
};
use crate::{
    Progress,
    apply::{self, RunControl},
    merge,
};

/// Returns the number of cases, which `ROOST_CASES` can set.
fn case_count() -> u64 {
    std::env::var("ROOST_CASES").ok().and_then(|text| text.parse().ok()).unwrap_or(20)
}

/// Returns an agreed world with local edits that wait.
async fn edited_world(seed: u64) -> (World, SeededDice) {
    let (world, mut dice) = (World::new(seed), SeededDice::new(seed));
    for list in 0..1 + dice.below(2) {
        world.create_remote_list_from(&format!("List {list}"), 50 * list as u32, 3 + dice.below(8) as u32);
    }
    for name in ["Alpha", "Beta"] {
        sender::request(&world.service.core, &Actor::interface(), name).expect("a sender");
    }
    edit_randomly(&world.service.core, &mut dice, &mut 400, 6);
    world.pull().await;
    let mut fresh = 500;
    let edits = 1 + dice.below(8);
    edit_randomly(&world.core, &mut dice, &mut fresh, edits);
    (world, dice)
}

/// Asserts that both sides have the expected contacts and that nothing is left to send.
async fn assert_arrived(world: &World, wanted: &BTreeMap<String, ListFace>, seed: u64) {
    let there = world.remote_contents();
    assert_eq!(there, *wanted, "seed {seed}");
    assert_eq!(world.local_contents(), *wanted, "seed {seed}");
    assert_eq!(World::read_other_records(&world.core), World::read_other_records(&world.service.core), "seed {seed}");
    let plan = world.make_plan().await;
    assert!(plan.has_no_work(), "seed {seed}: {plan:#?}");
    assert_eq!(world.pull().await.merged, merge::MergeCounts::default(), "seed {seed}: nothing plays ping-pong");
}

/// Edits made during a run are neither lost nor sent in part.
#[test]
fn edits_during_a_run_stay_and_are_the_next_plan() {
    for seed in 0..case_count() {
        run_paused(async {
            let (world, mut dice) = edited_world(seed).await;
            world.service.set_faults(ServiceFaults { job_delay: 20, ..ServiceFaults::default() });
            let id = world.begin_run().await;
            let mut fresh = 800;
            let edits = 1 + dice.below(4);
            {
                let mut going = Box::pin(world.drive_run(id));
                let soon = std::time::Duration::from_millis(500);
                let _ = tokio::time::timeout(soon, &mut going).await;
                edit_randomly(&world.core, &mut dice, &mut fresh, edits);
                if world.open_run().is_some() {
                    going.await.expect("ran");
                }
            }
            let wanted = world.local_contents();
            world.pull().await;
            assert_eq!(world.local_contents(), wanted, "seed {seed}: no edit is taken back");
            if !world.make_plan().await.steps.is_empty() {
                world.push().await;
            }
            assert_arrived(&world, &wanted, seed).await;
        });
    }
}

/// Paused and cancelled runs send nothing more, and the state of what was sent is known.
#[test]
fn a_cancelled_run_leaves_the_rest_for_the_next_plan() {
    for seed in 0..case_count() {
        run_paused(async {
            let (world, _) = edited_world(seed).await;
            let wanted = world.local_contents();
            if world.make_plan().await.steps.is_empty() {
                return;
            }
            let id = world.begin_run().await;
            let control = RunControl::default();
            control.cancel();
            let ended =
                apply::drive_run(&world.core, &world.client, id, &control, &Progress::default()).await.expect("ended");
            assert_eq!(ended.state, RunState::Cancelled);
            let there = (world.remote_contents(), World::read_other_records(&world.service.core));
            assert_ne!(
                there,
                (wanted.clone(), World::read_other_records(&world.core)),
                "seed {seed}: nothing was sent"
            );
            world.push().await;
            assert_arrived(&world, &wanted, seed).await;
        });
    }
}

/// Each kind of number needs its own request, and both look up their contacts before.
#[test]
fn contacts_of_one_list_that_different_numbers_find_are_all_changed() {
    run_paused(async {
        let world = World::new(8);
        let there = world.create_remote_list("A", 350);
        for at in [901, 902] {
            let whatsapp = to_field_values(&[("whatsapp_id", &phone_number(at)), ("firstname", "By WhatsApp")]);
            contact::add(&world.service.core, &Actor::interface(), &there, &whatsapp, None).expect("a contact");
        }
        world.pull().await;
        let list = World::read_lists(&world.core)[0].1.clone();
        let contacts = World::read_contacts(&world.core, &list);
        let edited = contacts.iter().filter(|(_, found, _)| [2, 3, 901, 902].map(phone_number).contains(found));
        edited.for_each(|(uid, ..)| rename_contact(&world.core, uid, "Edited"));
        let wanted = world.local_contents();
        assert_eq!(world.make_plan().await.steps.len(), 2);
        world.push().await;
        assert_arrived(&world, &wanted, 8).await;
    });
}

/// If a deletion was pushed and is undone locally, the contact is created at the service again.
#[test]
fn what_is_taken_back_after_a_push_is_made_again() {
    run_paused(async {
        let world = World::new(7);
        world.create_remote_list("A", 3);
        world.pull().await;
        let before = world.local_contents();
        let list = World::read_lists(&world.core)[0].1.clone();
        let uid: ContactId = World::read_contacts(&world.core, &list)[0].0.clone();
        contact::delete(&world.core, &Actor::user(None), &uid).expect("deleted");
        world.push().await;
        roost_ops::history::undo(&world.core, &Actor::user(None)).expect("undone");
        assert_eq!(world.local_contents(), before);
        world.push().await;
        assert_arrived(&world, &before, 7).await;
    });
}
