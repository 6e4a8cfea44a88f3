//! Invariant 18: after an empty answer or incomplete pages, nothing is removed on either side.

use std::time::Duration;

use roost_store::tables::sync::runs::RunState;
use roost_sync::pull::Asked;

use super::{
    edited, seeds,
    service::Faults,
    world::{World, open, run},
};

#[test]
fn an_empty_answer_removes_nothing_until_a_person_believes_it() {
    run(async {
        let world = World::new(1);
        world.list_there("A", 130);
        world.list_there("B", 1);
        world.pull().await;
        let whole = world.here();
        world.service.empty(true);
        for _ in 0..3 {
            world.pull().await;
            assert_eq!(world.here(), whole, "an empty answer");
            assert!(world.plan().await.is_quiet(), "and it asks nothing of the service");
        }
        let asked = Asked { believe: true, full: true, list: None };
        world.pull_asked(&asked).await.expect("pulled");
        assert_eq!(world.here().rows(), 0, "a person said that it is meant");
        world.service.empty(false);
        world.pull().await;
        assert_eq!(world.here(), whole, "and it is back with the next reading");
    });
}

#[test]
fn pages_that_lack_rows_remove_nothing_here_and_nothing_there() {
    for seed in seeds(8) {
        run(async {
            let (mut world, _) = edited(seed).await;
            world.list_there("Long", 330);
            world.pull().await;
            let wanted = world.here();
            world.service.faults(Faults { truncated: 2, ..Faults::default() });
            for _ in 0..3 {
                world.pull().await;
                assert_eq!(world.here(), wanted, "seed {seed}: pages that lack rows");
            }
            // Such pages also verify a run.
            let id = world.begin().await;
            let going = tokio::time::timeout(Duration::from_secs(900), world.go(id)).await;
            assert_eq!(world.here(), wanted, "seed {seed}: after a run");
            world.service.faults(Faults::default());
            if !matches!(going, Ok(Ok(RunState::Done))) {
                world.restart().await;
                world.end().await;
            }
            world.pull().await;
            if !world.plan().await.steps.is_empty() {
                world.push().await;
            }
            world.arrives(&wanted, format_args!("seed {seed}")).await;
        });
    }
}

/// Contacts have no order that a client can choose. If a contact on a page that was already read is deleted, all others
/// move forward.
#[test]
fn pages_that_drift_under_another_writer_lose_nobody() {
    for seed in seeds(8) {
        run(async {
            let world = World::by_pages(seed);
            let there = world.list_there("A", 450);
            world.pull().await;
            let service = world.service.clone();
            let mut dice = super::service::Dice::new(seed);
            let meddling = async {
                for n in 0..4 {
                    tokio::time::sleep(Duration::from_millis(60 + dice.below(160))).await;
                    let rows = super::face::contacts(&service.core, &there);
                    let (uid, _) = dice.pick(&rows[..rows.len() / 2]).clone();
                    assert_eq!(service.rest("DELETE", &format!("/contacts/v1/contacts/{uid}"), None).await.0, 204);
                    if n == 2 {
                        let body = serde_json::json!({ "list_id": there.as_str(), "merge_type": "skipDuplicates",
                            "contacts": [{ "phone_number": super::edits::number(800 + n) }] });
                        assert!(service.rest("POST", "/contacts/v1/contacts", Some(body)).await.0 < 300);
                    }
                }
            };
            tokio::join!(world.pull(), meddling);
            let there = world.there().await;
            let here = world.here();
            let lost = there.list("A").iter().filter(|row| !here.list("A").contains(row) && !row[2].is_empty()).count();
            assert_eq!(lost, 0, "seed {seed}: everybody who is there is here");
            assert!(world.plan().await.is_quiet(), "seed {seed}: and nothing is to be sent");
            world.pull().await;
            world.arrives(&there, format_args!("seed {seed}")).await;
        });
    }
}

#[test]
fn an_empty_answer_while_a_run_is_verified_removes_nothing() {
    for seed in seeds(6) {
        run(async {
            let (mut world, _) = edited(seed).await;
            let wanted = world.here();
            let id = world.begin().await;
            {
                let mut going = Box::pin(world.go(id));
                let _ = tokio::time::timeout(Duration::from_millis(900), &mut going).await;
                if open(&world.core).is_some() {
                    world.service.empty(true);
                    let _ = tokio::time::timeout(Duration::from_secs(90), &mut going).await;
                }
            }
            assert_eq!(world.here(), wanted, "seed {seed}: an empty answer");
            world.service.empty(false);
            world.restart().await;
            world.end().await;
            world.pull().await;
            if !world.plan().await.steps.is_empty() {
                world.push().await;
            }
            world.arrives(&wanted, format_args!("seed {seed}")).await;
        });
    }
}
