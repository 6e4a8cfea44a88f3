//! Invariant 16: whatever network and service do, nothing is lost and nothing is doubled.

use roost_ops::{Actor, contact};
use roost_store::tables::sync::{
    SyncedTable,
    runs::{self, RunState},
};
use serde_json::json;

use super::{
    edited_world,
    edits::{add_contact, field_values, rename_contact, unused_number},
    face::{read_contacts, read_lists},
    service::{NetworkFaults, RequestDice},
    test_seeds,
    world::{SimulatedWorld, open_account, run_simulated},
};

fn any_faults(dice: &mut RequestDice) -> NetworkFaults {
    let mut one_in = |often: u64| if dice.draw_below(2) == 0 { 0 } else { often + dice.draw_below(6) };
    let (lost, unheard, cut, broken, late) = (one_in(3), one_in(3), one_in(3), one_in(3), one_in(8));
    let (job_delay, split) = (dice.draw_below(40), dice.draw_below(2) == 0);
    NetworkFaults { lost, unheard, cut, broken, late, job_delay, split, ..NetworkFaults::default() }
}

/// Continues until nothing is left to do, and plans cancelled changes again.
async fn push_to_end(world: &mut SimulatedWorld) {
    for _ in 0..6 {
        world.service.wait_until_idle().await;
        world.run_pull().await;
        if world.make_chosen_plan().await.1.steps.is_empty() {
            return;
        }
        let run = world.begin_run().await;
        world.continue_run(run).await.expect("ran");
        world.end_run().await;
    }
}

#[test]
fn lost_answers_late_requests_and_split_jobs_cost_nothing() {
    for seed in test_seeds(50) {
        run_simulated(async {
            let (mut world, mut dice) = edited_world(seed).await;
            let wanted = world.local_face();
            world.service.set_faults(any_faults(&mut dice));
            let id = world.begin_run().await;
            for _ in 0..20 {
                let _ = world.continue_run(id).await;
                world.restart().await;
                if open_account(&world.core).is_none() {
                    break;
                }
            }
            world.service.set_faults(NetworkFaults::default());
            world.end_run().await;
            push_to_end(&mut world).await;
            world.assert_arrives(&wanted, format_args!("seed {seed}")).await;
        });
    }
}

#[test]
fn a_slow_service_is_obeyed_and_all_arrives() {
    let mut slowed = 0;
    for seed in test_seeds(15) {
        run_simulated(async {
            let (mut world, mut dice) = edited_world(seed).await;
            let wanted = world.local_face();
            world.service.change_setting("limits.per_second", json!(1 + dice.draw_below(3)));
            let id = world.begin_run().await;
            assert_eq!(world.continue_run(id).await.expect("ran"), RunState::Done, "seed {seed}");
            slowed += world.service.count_answered(429);
            // A client that must wait does wait, so two refusals never follow each other at once.
            world.restart().await;
            world.assert_arrives(&wanted, format_args!("seed {seed}")).await;
        });
    }
    assert!(slowed > 0, "it was never too fast");
}

#[test]
fn contacts_that_the_service_refuses_wait_and_the_others_arrive() {
    for seed in test_seeds(15) {
        run_simulated(async {
            let mut dice = RequestDice::new(seed);
            let world = SimulatedWorld::new(seed);
            world.create_service_list("A", 4);
            world.run_pull().await;
            let list = read_lists(&world.core)[0].1.clone();
            for at in 0..12 {
                add_contact(&world.core, &list, 100 + at, "New");
            }
            let bad: Vec<u32> = (0..12).filter(|_| dice.draw_below(3) == 0).map(|at| 100 + at).collect();
            world.service.refuse_numbers(bad.iter().map(|at| unused_number(*at)));
            let whole = world.local_face();
            assert_eq!(world.push_all().await, RunState::Done, "seed {seed}");
            assert_eq!(world.local_face(), whole, "seed {seed}: what was refused is still here");
            let there = world.service_face().await;
            let arrived = |at: u32| there.contacts_of("A").iter().filter(|row| row[0] == unused_number(at)).count();
            for at in 100..112 {
                assert_eq!(arrived(at), usize::from(!bad.contains(&at)), "seed {seed}: {at}");
            }
            let kept = world.core.read(|tx| Ok(runs::read_refused::<i64>(tx, SyncedTable::Contacts)?)).expect("read");
            assert_eq!(kept.len(), bad.len(), "seed {seed}");
            assert!(kept.iter().all(|one| one.faults.contains("country code")), "seed {seed}: {kept:?}");
            let plan = world.make_plan().await;
            assert!(plan.steps.is_empty(), "seed {seed}: it is not sent again as it is: {plan:#?}");
            // A person fixes each contact, and it is sent.
            for (uid, row) in read_contacts(&world.core, &list) {
                if let Some(at) = bad.iter().find(|at| unused_number(**at) == row[0]) {
                    let mended = field_values(&[("phone_number", &unused_number(at + 300))]);
                    contact::update(&world.core, &Actor::user(None), &uid, &mended, None).expect("mended");
                }
            }
            let wanted = world.local_face();
            if !bad.is_empty() {
                assert_eq!(world.push_all().await, RunState::Done, "seed {seed}");
            }
            world.assert_arrives(&wanted, format_args!("seed {seed}")).await;
        });
    }
}

/// The service acknowledged the job and did nothing. This is reported once the job can no longer take effect, and the
/// changes are sent again.
#[test]
fn jobs_that_are_never_done_are_in_doubt_and_are_planned_again() {
    for seed in test_seeds(6) {
        run_simulated(async {
            let mut world = SimulatedWorld::new(seed);
            world.create_service_list("A", 8);
            world.run_pull().await;
            let list = read_lists(&world.core)[0].1.clone();
            rename_contact(&world.core, &read_contacts(&world.core, &list)[0].0, "Edited");
            for at in 0..3 {
                add_contact(&world.core, &list, 100 + at, "New");
            }
            let wanted = world.local_face();
            world.service.set_faults(NetworkFaults { forgotten: 1, ..NetworkFaults::default() });
            let id = world.begin_run().await;
            assert_eq!(world.continue_run(id).await.expect("ran"), RunState::InDoubt, "seed {seed}");
            let kept = world.core.read(|tx| Ok(runs::read_run(tx, id)?)).expect("read").expect("a run");
            assert_eq!((kept.state, open_account(&world.core)), (RunState::InDoubt, None), "seed {seed}");
            assert_eq!(world.local_face(), wanted, "seed {seed}: what is in doubt is still here");
            assert_eq!(world.service_face().await.contacts_of("A").len(), 8, "seed {seed}");
            world.service.set_faults(NetworkFaults::default());
            world.restart().await;
            world.run_pull().await;
            assert_eq!(world.local_face(), wanted, "seed {seed}: and after a reading");
            assert_eq!(world.push_all().await, RunState::Done, "seed {seed}");
            world.assert_arrives(&wanted, format_args!("seed {seed}")).await;
        });
    }
}

/// The other tests rely on this: a failure that occurred once can be repeated.
#[test]
fn the_same_seed_is_the_same_world() {
    let run_world = || {
        run_simulated(async {
            let (mut world, mut dice) = edited_world(5).await;
            world.service.set_faults(NetworkFaults { lost: 4, unheard: 4, broken: 5, ..any_faults(&mut dice) });
            let id = world.begin_run().await;
            for _ in 0..3 {
                let _ = world.continue_run(id).await;
                world.restart().await;
            }
            world.service.wait_until_idle().await;
            world.service.lock_lines().clone()
        })
    };
    assert_eq!(run_world(), run_world());
}
