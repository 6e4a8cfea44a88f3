//! Tests what people do during a run and after it.

use std::collections::BTreeMap;

use roost_model::id::ContactId;
use roost_ops::{By, contact, sender};
use roost_store::tables::sync::runs::RunState;

use super::{
    service::{Dice, Faults},
    world::{Face, World, disturb, number, rename, run, values},
};
use crate::{
    Progress,
    apply::{self, Control},
    merge,
};

/// Returns the number of cases, which `ROOST_CASES` can set.
fn cases() -> u64 {
    std::env::var("ROOST_CASES").ok().and_then(|text| text.parse().ok()).unwrap_or(20)
}

/// Returns an agreed world with local edits that wait.
async fn edited(seed: u64) -> (World, Dice) {
    let (world, mut dice) = (World::new(seed), Dice::new(seed));
    for list in 0..1 + dice.below(2) {
        world.list_from(&format!("List {list}"), 50 * list as u32, 3 + dice.below(8) as u32);
    }
    for name in ["Alpha", "Beta"] {
        sender::request(&world.service.core, &By::interface(), name).expect("a sender");
    }
    disturb(&world.service.core, &mut dice, &mut 400, 6);
    world.pull().await;
    let mut fresh = 500;
    let edits = 1 + dice.below(8);
    disturb(&world.core, &mut dice, &mut fresh, edits);
    (world, dice)
}

/// Asserts that both sides have the expected contacts and that nothing is left to send.
async fn arrives(world: &World, wanted: &BTreeMap<String, Face>, seed: u64) {
    let there = world.there();
    assert_eq!(there, *wanted, "seed {seed}");
    assert_eq!(world.here(), *wanted, "seed {seed}");
    assert_eq!(World::rest(&world.core), World::rest(&world.service.core), "seed {seed}");
    let plan = world.plan().await;
    assert!(plan.is_quiet(), "seed {seed}: {plan:#?}");
    assert_eq!(world.pull().await.merged, merge::Merged::default(), "seed {seed}: nothing plays ping-pong");
}

/// Edits made during a run are neither lost nor sent in part.
#[test]
fn edits_during_a_run_stay_and_are_the_next_plan() {
    for seed in 0..cases() {
        run(async {
            let (world, mut dice) = edited(seed).await;
            world.service.faults(Faults { job_delay: 20, ..Faults::default() });
            let id = world.begin().await;
            let mut fresh = 800;
            let edits = 1 + dice.below(4);
            {
                let mut going = Box::pin(world.go(id));
                let soon = std::time::Duration::from_millis(500);
                let _ = tokio::time::timeout(soon, &mut going).await;
                disturb(&world.core, &mut dice, &mut fresh, edits);
                if world.open().is_some() {
                    going.await.expect("ran");
                }
            }
            let wanted = world.here();
            world.pull().await;
            assert_eq!(world.here(), wanted, "seed {seed}: no edit is taken back");
            if !world.plan().await.steps.is_empty() {
                world.push().await;
            }
            arrives(&world, &wanted, seed).await;
        });
    }
}

/// Paused and cancelled runs send nothing more, and the state of what was sent is known.
#[test]
fn a_cancelled_run_leaves_the_rest_for_the_next_plan() {
    for seed in 0..cases() {
        run(async {
            let (world, _) = edited(seed).await;
            let wanted = world.here();
            if world.plan().await.steps.is_empty() {
                return;
            }
            let id = world.begin().await;
            let control = Control::default();
            control.cancel();
            let ended =
                apply::run(&world.core, &world.client, id, &control, &Progress::default()).await.expect("ended");
            assert_eq!(ended.state, RunState::Cancelled);
            let there = (world.there(), World::rest(&world.service.core));
            assert_ne!(there, (wanted.clone(), World::rest(&world.core)), "seed {seed}: nothing was sent");
            world.push().await;
            arrives(&world, &wanted, seed).await;
        });
    }
}

/// Each kind of number needs its own request, and both look up their contacts before.
#[test]
fn contacts_of_one_list_that_different_numbers_find_are_all_changed() {
    run(async {
        let world = World::new(8);
        let there = world.list_there("A", 350);
        for at in [901, 902] {
            let whatsapp = values(&[("whatsapp_id", &number(at)), ("firstname", "By WhatsApp")]);
            contact::add(&world.service.core, &By::interface(), &there, &whatsapp, None).expect("a contact");
        }
        world.pull().await;
        let list = World::lists(&world.core)[0].1.clone();
        let contacts = World::contacts(&world.core, &list);
        let edited = contacts.iter().filter(|(_, found, _)| [2, 3, 901, 902].map(number).contains(found));
        edited.for_each(|(uid, ..)| rename(&world.core, uid, "Edited"));
        let wanted = world.here();
        assert_eq!(world.plan().await.steps.len(), 2);
        world.push().await;
        arrives(&world, &wanted, 8).await;
    });
}

/// If a deletion was pushed and is undone locally, the contact is created at the service again.
#[test]
fn what_is_taken_back_after_a_push_is_made_again() {
    run(async {
        let world = World::new(7);
        world.list_there("A", 3);
        world.pull().await;
        let before = world.here();
        let list = World::lists(&world.core)[0].1.clone();
        let uid: ContactId = World::contacts(&world.core, &list)[0].0.clone();
        contact::delete(&world.core, &By::user(None), &uid).expect("deleted");
        world.push().await;
        roost_ops::history::undo(&world.core, &By::user(None)).expect("undone");
        assert_eq!(world.here(), before);
        world.push().await;
        arrives(&world, &before, 7).await;
    });
}
