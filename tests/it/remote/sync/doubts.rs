//! Invariant 18: after an empty answer or incomplete pages, nothing is removed on either side.

use std::time::Duration;

use roost_store::tables::sync::runs::RunState;
use roost_sync::pull::PullOptions;

use super::{
    edited_world,
    service::NetworkFaults,
    test_seeds,
    world::{SimulatedWorld, open_account, run_simulated},
};

#[test]
fn an_empty_answer_removes_nothing_until_a_person_believes_it() {
    run_simulated(async {
        let world = SimulatedWorld::new(1);
        world.create_service_list("A", 130);
        world.create_service_list("B", 1);
        world.run_pull().await;
        let whole = world.local_face();
        world.service.set_empty(true);
        for _ in 0..3 {
            world.run_pull().await;
            assert_eq!(world.local_face(), whole, "an empty answer");
            assert!(world.make_plan().await.has_no_work(), "and it asks nothing of the service");
        }
        let options = PullOptions { believe: true, full: true, list: None };
        world.pull_with(&options).await.expect("pulled");
        assert_eq!(world.local_face().count_rows(), 0, "a person said that it is meant");
        world.service.set_empty(false);
        world.run_pull().await;
        assert_eq!(world.local_face(), whole, "and it is back with the next reading");
    });
}

#[test]
fn pages_that_lack_rows_remove_nothing_here_and_nothing_there() {
    for seed in test_seeds(8) {
        run_simulated(async {
            let (mut world, _) = edited_world(seed).await;
            world.create_service_list("Long", 330);
            world.run_pull().await;
            let wanted = world.local_face();
            world.service.set_faults(NetworkFaults { truncated: 2, ..NetworkFaults::default() });
            for _ in 0..3 {
                world.run_pull().await;
                assert_eq!(world.local_face(), wanted, "seed {seed}: pages that lack rows");
            }
            // Such pages also verify a run.
            let id = world.begin_run().await;
            let going = tokio::time::timeout(Duration::from_secs(900), world.continue_run(id)).await;
            assert_eq!(world.local_face(), wanted, "seed {seed}: after a run");
            world.service.set_faults(NetworkFaults::default());
            if !matches!(going, Ok(Ok(RunState::Done))) {
                world.restart().await;
                world.end_run().await;
            }
            world.run_pull().await;
            if !world.make_plan().await.steps.is_empty() {
                world.push_all().await;
            }
            world.assert_arrives(&wanted, format_args!("seed {seed}")).await;
        });
    }
}

/// Contacts have no order that a client can choose. If a contact on a page that was already read is deleted, all others
/// move forward.
#[test]
fn pages_that_drift_under_another_writer_lose_nobody() {
    for seed in test_seeds(8) {
        run_simulated(async {
            let world = SimulatedWorld::read_by_pages(seed);
            let there = world.create_service_list("A", 450);
            world.run_pull().await;
            let service = world.service.clone();
            let mut dice = super::service::RequestDice::new(seed);
            let meddling = async {
                for n in 0..4 {
                    tokio::time::sleep(Duration::from_millis(60 + dice.draw_below(160))).await;
                    let rows = super::face::read_contacts(&service.core, &there);
                    let (uid, _) = dice.pick(&rows[..rows.len() / 2]).clone();
                    assert_eq!(
                        service.send_as_other("DELETE", &format!("/contacts/v1/contacts/{uid}"), None).await.0,
                        204
                    );
                    if n == 2 {
                        let body = serde_json::json!({ "list_id": there.as_str(), "merge_type": "skipDuplicates",
                            "contacts": [{ "phone_number": super::edits::unused_number(800 + n) }] });
                        assert!(service.send_as_other("POST", "/contacts/v1/contacts", Some(body)).await.0 < 300);
                    }
                }
            };
            tokio::join!(world.run_pull(), meddling);
            let there = world.service_face().await;
            let here = world.local_face();
            let lost = there
                .contacts_of("A")
                .iter()
                .filter(|row| !here.contacts_of("A").contains(row) && !row[2].is_empty())
                .count();
            assert_eq!(lost, 0, "seed {seed}: everybody who is there is here");
            assert!(world.make_plan().await.has_no_work(), "seed {seed}: and nothing is to be sent");
            world.run_pull().await;
            world.assert_arrives(&there, format_args!("seed {seed}")).await;
        });
    }
}

#[test]
fn an_empty_answer_while_a_run_is_verified_removes_nothing() {
    for seed in test_seeds(6) {
        run_simulated(async {
            let (mut world, _) = edited_world(seed).await;
            let wanted = world.local_face();
            let id = world.begin_run().await;
            {
                let mut going = Box::pin(world.continue_run(id));
                let _ = tokio::time::timeout(Duration::from_millis(900), &mut going).await;
                if open_account(&world.core).is_some() {
                    world.service.set_empty(true);
                    let _ = tokio::time::timeout(Duration::from_secs(90), &mut going).await;
                }
            }
            assert_eq!(world.local_face(), wanted, "seed {seed}: an empty answer");
            world.service.set_empty(false);
            world.restart().await;
            world.end_run().await;
            world.run_pull().await;
            if !world.make_plan().await.steps.is_empty() {
                world.push_all().await;
            }
            world.assert_arrives(&wanted, format_args!("seed {seed}")).await;
        });
    }
}
