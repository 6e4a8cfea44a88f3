//! Invariant 16: another program writes to the service meanwhile. No edit is lost, and conflicts become questions.

use std::collections::BTreeMap;

use roost_ops::{Actor, contact};
use roost_reconcile::{
    merge::ForkAnswer,
    plan::{ConflictKind, PlanSubject},
};
use roost_sync::{
    decide::{self, ContactDecision},
    pull::{ListReadResult, PullOptions, ReadingQuality},
};

use super::{
    edited_world,
    edits::{make_random_service_edits, rename_contact},
    face::{read_contacts, read_lists},
    service::RequestDice,
    test_seeds,
    world::{SimulatedWorld, run_simulated},
};

/// The last editor of each field that only one side touched.
type LastEditors = BTreeMap<String, String>;

/// Pulls, answers questions and pushes until there is nothing to ask and nothing to send.
async fn settle_all(world: &mut SimulatedWorld, dice: &mut RequestDice, case: impl std::fmt::Display) {
    for _ in 0..10 {
        world.service.wait_until_idle().await;
        let pulled = world.run_pull().await;
        // Another writer emptied a list, and a person has confirmed it.
        if pulled.lists.iter().any(|(_, how)| *how == ListReadResult::Read(ReadingQuality::Shrunk))
            || !pulled.doubtful.is_empty()
        {
            world.pull_with(&PullOptions { full: true, believe: true, list: None }).await.expect("pulled");
        }
        let (_, plan) = world.make_chosen_plan().await;
        if plan.has_no_work() {
            return;
        }
        world.answer_questions(&plan, dice);
        if !world.make_chosen_plan().await.1.steps.is_empty() {
            world.push_all().await;
            world.end_or_cancel().await;
        }
    }
    panic!("{case}: {:#?}", world.make_plan().await)
}

#[test]
fn a_second_writer_costs_nobody_an_edit() {
    for seed in test_seeds(20) {
        run_simulated(async {
            let (mut world, mut dice) = edited_world(seed).await;
            let mut fresh = 700;
            let id = world.begin_run().await;
            let service = world.service.clone();
            let edits = 1 + dice.draw_below(5);
            // Writes during the run.
            let meddling = async {
                for _ in 0..edits {
                    tokio::time::sleep(std::time::Duration::from_millis(dice.draw_below(4_000))).await;
                    make_random_service_edits(&service, &mut dice, &mut fresh, 1).await;
                }
            };
            let (ran, ()) = tokio::join!(world.continue_run(id), meddling);
            ran.expect("ran");
            world.end_or_cancel().await;
            settle_all(&mut world, &mut dice, format_args!("seed {seed}")).await;
            let there = world.service_face().await;
            world.assert_arrives(&there, format_args!("seed {seed}")).await;
        });
    }
}

/// Each side edits its own contacts. In the end both sides have all edits, whatever else happened.
#[test]
fn a_contact_that_only_one_side_edited_ends_with_that_edit_on_both_sides() {
    for seed in test_seeds(20) {
        run_simulated(async {
            let mut world = SimulatedWorld::new(seed);
            world.create_service_list("A", 30);
            world.run_pull().await;
            let list = read_lists(&world.core)[0].1.clone();
            let (mut wanted, mut dice) = (LastEditors::new(), RequestDice::new(seed));
            let mine: Vec<_> = read_contacts(&world.core, &list);
            for (uid, row) in mine.iter().take(15) {
                match dice.draw_below(3) {
                    0 => contact::delete(&world.core, &Actor::user(None), uid).expect("deleted"),
                    1 => {
                        rename_contact(&world.core, uid, "Mine");
                        wanted.insert(row[0].clone(), "Mine".to_owned());
                    }
                    _ => drop(wanted.insert(row[0].clone(), row[2].clone())),
                }
            }
            let id = world.begin_run().await;
            let service = world.service.clone();
            let theirs: Vec<_> = mine[15..].to_vec();
            let there = service_lists(&world)[0].clone();
            let meddling = async {
                for (_, row) in &theirs {
                    tokio::time::sleep(std::time::Duration::from_millis(dice.draw_below(600))).await;
                    let uid = read_contacts(&service.core, &there)
                        .into_iter()
                        .find(|(_, other)| other[0] == row[0])
                        .expect("there")
                        .0;
                    match dice.draw_below(3) {
                        0 => {
                            let path = format!("/contacts/v1/contacts/{uid}");
                            assert_eq!(service.send_as_other("DELETE", &path, None).await.0, 204);
                        }
                        1 => {
                            let body = serde_json::json!({ "list_id": there.as_str(), "merge_type": "mergeByPhoneNumberInList",
                                "contacts": [{ "phone_number": row[0], "firstname": "Theirs" }] });
                            assert!(service.send_as_other("POST", "/contacts/v1/contacts", Some(body)).await.0 < 300);
                            wanted.insert(row[0].clone(), "Theirs".to_owned());
                        }
                        _ => drop(wanted.insert(row[0].clone(), row[2].clone())),
                    }
                }
            };
            let (ran, ()) = tokio::join!(world.continue_run(id), meddling);
            ran.expect("ran");
            world.end_run().await;
            world.service.wait_until_idle().await;
            world.run_pull().await;
            let plan = world.make_plan().await;
            assert!(plan.conflicts.is_empty() && plan.blocked.is_empty(), "seed {seed}: {plan:#?}");
            settle_all(&mut world, &mut dice, format_args!("seed {seed}")).await;
            let there = world.service_face().await;
            let names: LastEditors =
                there.contacts_of("A").iter().map(|row| (row[0].clone(), row[2].clone())).collect();
            assert_eq!(names, wanted, "seed {seed}");
            world.assert_arrives(&there, format_args!("seed {seed}")).await;
        });
    }
}

fn service_lists(world: &SimulatedWorld) -> Vec<roost_model::id::ListId> {
    read_lists(&world.service.core).into_iter().map(|(_, list)| list).collect()
}

#[test]
fn a_fork_is_a_question_and_either_answer_settles_it() {
    for (answer, name) in [(ForkAnswer::Mine, "Mine"), (ForkAnswer::Theirs, "Theirs")] {
        run_simulated(async {
            let mut world = SimulatedWorld::new(3);
            world.create_service_list("A", 3);
            world.run_pull().await;
            let list = read_lists(&world.core)[0].1.clone();
            let forked = read_contacts(&world.core, &list)[0].clone();
            rename_contact(&world.core, &forked.0, "Mine");
            let there = service_lists(&world)[0].clone();
            let body = serde_json::json!({ "list_id": there.as_str(), "merge_type": "mergeByPhoneNumberInList",
                "contacts": [{ "phone_number": forked.1[0], "firstname": "Theirs" }] });
            assert!(world.service.send_as_other("POST", "/contacts/v1/contacts", Some(body)).await.0 < 300);
            world.service.wait_until_idle().await;
            world.run_pull().await;
            let plan = world.make_plan().await;
            assert!(plan.steps.is_empty(), "{plan:#?}");
            let [conflict] = plan.conflicts.as_slice() else { panic!("{plan:#?}") };
            let (PlanSubject::Contact { id, .. }, ConflictKind::Fields { .. }) =
                (&conflict.subject, &conflict.disputed)
            else {
                panic!("{plan:#?}")
            };
            let first = roost_reconcile::row::SyncField::parse("firstname").expect("a field");
            decide::decide_contacts(&world.core, &[*id], &ContactDecision::Field(first, Some(answer)))
                .expect("decided");
            settle_all(&mut world, &mut RequestDice::new(3), name).await;
            let there = world.service_face().await;
            assert!(there.contacts_of("A").iter().any(|row| row[0] == forked.1[0] && row[2] == name), "{there:?}");
            world.assert_arrives(&there, name).await;
        });
    }
}
