//! Invariant 16: another program writes to the service meanwhile. No edit is lost, and conflicts become questions.

use std::collections::BTreeMap;

use roost_ops::{By, contact};
use roost_reconcile::{
    merge::Answer,
    plan::{Disputed, Subject},
};
use roost_sync::{
    decide::{self, Decision},
    pull::{Asked, How, Sight},
};

use super::{
    edited,
    edits::{disturb_there, rename},
    face::{contacts, lists},
    seeds,
    service::Dice,
    world::{World, run},
};

/// The last editor of each field that only one side touched.
type Edits = BTreeMap<String, String>;

/// Pulls, answers questions and pushes until there is nothing to ask and nothing to send.
async fn quiet(world: &mut World, dice: &mut Dice, case: impl std::fmt::Display) {
    for _ in 0..10 {
        world.service.settle().await;
        let pulled = world.pull().await;
        // Another writer emptied a list, and a person has confirmed it.
        if pulled.lists.iter().any(|(_, how)| *how == How::Read(Sight::Shrunk)) || !pulled.doubtful.is_empty() {
            world.pull_asked(&Asked { full: true, believe: true, list: None }).await.expect("pulled");
        }
        let (_, plan) = world.chosen().await;
        if plan.is_quiet() {
            return;
        }
        world.answer(&plan, dice);
        if !world.chosen().await.1.steps.is_empty() {
            world.push().await;
            world.end_or_give_up().await;
        }
    }
    panic!("{case}: {:#?}", world.plan().await)
}

#[test]
fn a_second_writer_costs_nobody_an_edit() {
    for seed in seeds(20) {
        run(async {
            let (mut world, mut dice) = edited(seed).await;
            let mut fresh = 700;
            let id = world.begin().await;
            let service = world.service.clone();
            let edits = 1 + dice.below(5);
            // Writes during the run.
            let meddling = async {
                for _ in 0..edits {
                    tokio::time::sleep(std::time::Duration::from_millis(dice.below(4_000))).await;
                    disturb_there(&service, &mut dice, &mut fresh, 1).await;
                }
            };
            let (ran, ()) = tokio::join!(world.go(id), meddling);
            ran.expect("ran");
            world.end_or_give_up().await;
            quiet(&mut world, &mut dice, format_args!("seed {seed}")).await;
            let there = world.there().await;
            world.arrives(&there, format_args!("seed {seed}")).await;
        });
    }
}

/// Each side edits its own contacts. In the end both sides have all edits, whatever else happened.
#[test]
fn what_only_one_side_touched_is_as_it_left_it_on_both() {
    for seed in seeds(20) {
        run(async {
            let mut world = World::new(seed);
            world.list_there("A", 30);
            world.pull().await;
            let list = lists(&world.core)[0].1.clone();
            let (mut wanted, mut dice) = (Edits::new(), Dice::new(seed));
            let mine: Vec<_> = contacts(&world.core, &list);
            for (uid, row) in mine.iter().take(15) {
                match dice.below(3) {
                    0 => contact::delete(&world.core, &By::user(None), uid).expect("deleted"),
                    1 => {
                        rename(&world.core, uid, "Mine");
                        wanted.insert(row[0].clone(), "Mine".to_owned());
                    }
                    _ => drop(wanted.insert(row[0].clone(), row[2].clone())),
                }
            }
            let id = world.begin().await;
            let service = world.service.clone();
            let theirs: Vec<_> = mine[15..].to_vec();
            let there = lists_there(&world)[0].clone();
            let meddling = async {
                for (_, row) in &theirs {
                    tokio::time::sleep(std::time::Duration::from_millis(dice.below(600))).await;
                    let uid = contacts(&service.core, &there)
                        .into_iter()
                        .find(|(_, other)| other[0] == row[0])
                        .expect("there")
                        .0;
                    match dice.below(3) {
                        0 => {
                            let path = format!("/contacts/v1/contacts/{uid}");
                            assert_eq!(service.rest("DELETE", &path, None).await.0, 204);
                        }
                        1 => {
                            let body = serde_json::json!({ "list_id": there.as_str(), "merge_type": "mergeByPhoneNumberInList",
                                "contacts": [{ "phone_number": row[0], "firstname": "Theirs" }] });
                            assert!(service.rest("POST", "/contacts/v1/contacts", Some(body)).await.0 < 300);
                            wanted.insert(row[0].clone(), "Theirs".to_owned());
                        }
                        _ => drop(wanted.insert(row[0].clone(), row[2].clone())),
                    }
                }
            };
            let (ran, ()) = tokio::join!(world.go(id), meddling);
            ran.expect("ran");
            world.end().await;
            world.service.settle().await;
            world.pull().await;
            let plan = world.plan().await;
            assert!(plan.conflicts.is_empty() && plan.blocked.is_empty(), "seed {seed}: {plan:#?}");
            quiet(&mut world, &mut dice, format_args!("seed {seed}")).await;
            let there = world.there().await;
            let names: Edits = there.list("A").iter().map(|row| (row[0].clone(), row[2].clone())).collect();
            assert_eq!(names, wanted, "seed {seed}");
            world.arrives(&there, format_args!("seed {seed}")).await;
        });
    }
}

fn lists_there(world: &World) -> Vec<roost_model::id::ListId> {
    lists(&world.service.core).into_iter().map(|(_, list)| list).collect()
}

#[test]
fn a_fork_is_a_question_and_either_answer_settles_it() {
    for (answer, name) in [(Answer::Mine, "Mine"), (Answer::Theirs, "Theirs")] {
        run(async {
            let mut world = World::new(3);
            world.list_there("A", 3);
            world.pull().await;
            let list = lists(&world.core)[0].1.clone();
            let forked = contacts(&world.core, &list)[0].clone();
            rename(&world.core, &forked.0, "Mine");
            let there = lists_there(&world)[0].clone();
            let body = serde_json::json!({ "list_id": there.as_str(), "merge_type": "mergeByPhoneNumberInList",
                "contacts": [{ "phone_number": forked.1[0], "firstname": "Theirs" }] });
            assert!(world.service.rest("POST", "/contacts/v1/contacts", Some(body)).await.0 < 300);
            world.service.settle().await;
            world.pull().await;
            let plan = world.plan().await;
            assert!(plan.steps.is_empty(), "{plan:#?}");
            let [conflict] = plan.conflicts.as_slice() else { panic!("{plan:#?}") };
            let (Subject::Contact { id, .. }, Disputed::Fields { .. }) = (&conflict.subject, &conflict.disputed) else {
                panic!("{plan:#?}")
            };
            let first = roost_reconcile::row::Field::parse("firstname").expect("a field");
            decide::contacts(&world.core, &[*id], &Decision::Field(first, Some(answer))).expect("decided");
            quiet(&mut world, &mut Dice::new(3), name).await;
            let there = world.there().await;
            assert!(there.list("A").iter().any(|row| row[0] == forked.1[0] && row[2] == name), "{there:?}");
            world.arrives(&there, name).await;
        });
    }
}
