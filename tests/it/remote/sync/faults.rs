//! Invariant 16: whatever network and service do, nothing is lost and nothing is doubled.

use roost_ops::{By, contact};
use roost_store::tables::sync::{
    Place,
    runs::{self, RunState},
};
use serde_json::json;

use super::{
    edited,
    edits::{add, number, rename, values},
    face::{contacts, lists},
    seeds,
    service::{Dice, Faults},
    world::{World, open, run},
};

fn any_faults(dice: &mut Dice) -> Faults {
    let mut one_in = |often: u64| if dice.below(2) == 0 { 0 } else { often + dice.below(6) };
    let (lost, unheard, cut, broken, late) = (one_in(3), one_in(3), one_in(3), one_in(3), one_in(8));
    let (job_delay, split) = (dice.below(40), dice.below(2) == 0);
    Faults { lost, unheard, cut, broken, late, job_delay, split, ..Faults::default() }
}

/// Continues until nothing is left to do, and plans cancelled changes again.
async fn pushed(world: &mut World) {
    for _ in 0..6 {
        world.service.settle().await;
        world.pull().await;
        if world.chosen().await.1.steps.is_empty() {
            return;
        }
        let run = world.begin().await;
        world.go(run).await.expect("ran");
        world.end().await;
    }
}

#[test]
fn lost_answers_late_requests_and_split_jobs_cost_nothing() {
    for seed in seeds(50) {
        run(async {
            let (mut world, mut dice) = edited(seed).await;
            let wanted = world.here();
            world.service.faults(any_faults(&mut dice));
            let id = world.begin().await;
            for _ in 0..20 {
                let _ = world.go(id).await;
                world.restart().await;
                if open(&world.core).is_none() {
                    break;
                }
            }
            world.service.faults(Faults::default());
            world.end().await;
            pushed(&mut world).await;
            world.arrives(&wanted, format_args!("seed {seed}")).await;
        });
    }
}

#[test]
fn a_slow_service_is_obeyed_and_all_arrives() {
    let mut slowed = 0;
    for seed in seeds(15) {
        run(async {
            let (mut world, mut dice) = edited(seed).await;
            let wanted = world.here();
            world.service.set("limits.per_second", json!(1 + dice.below(3)));
            let id = world.begin().await;
            assert_eq!(world.go(id).await.expect("ran"), RunState::Done, "seed {seed}");
            slowed += world.service.answered(429);
            // A client that is told to wait does wait, so two refusals never follow each other at once.
            world.restart().await;
            world.arrives(&wanted, format_args!("seed {seed}")).await;
        });
    }
    assert!(slowed > 0, "it was never too fast");
}

#[test]
fn contacts_that_the_service_refuses_wait_and_the_others_arrive() {
    for seed in seeds(15) {
        run(async {
            let mut dice = Dice::new(seed);
            let world = World::new(seed);
            world.list_there("A", 4);
            world.pull().await;
            let list = lists(&world.core)[0].1.clone();
            for at in 0..12 {
                add(&world.core, &list, 100 + at, "New");
            }
            let bad: Vec<u32> = (0..12).filter(|_| dice.below(3) == 0).map(|at| 100 + at).collect();
            world.service.refuse(bad.iter().map(|at| number(*at)));
            let whole = world.here();
            assert_eq!(world.push().await, RunState::Done, "seed {seed}");
            assert_eq!(world.here(), whole, "seed {seed}: what was refused is still here");
            let there = world.there().await;
            let arrived = |at: u32| there.list("A").iter().filter(|row| row[0] == number(at)).count();
            for at in 100..112 {
                assert_eq!(arrived(at), usize::from(!bad.contains(&at)), "seed {seed}: {at}");
            }
            let kept = world.core.read(|tx| Ok(runs::quarantine::<i64>(tx, Place::Contacts)?)).expect("read");
            assert_eq!(kept.len(), bad.len(), "seed {seed}");
            assert!(kept.iter().all(|one| one.faults.contains("country code")), "seed {seed}: {kept:?}");
            let plan = world.plan().await;
            assert!(plan.steps.is_empty(), "seed {seed}: it is not sent again as it is: {plan:#?}");
            // A person fixes each contact, and it is sent.
            for (uid, row) in contacts(&world.core, &list) {
                if let Some(at) = bad.iter().find(|at| number(**at) == row[0]) {
                    let mended = values(&[("phone_number", &number(at + 300))]);
                    contact::update(&world.core, &By::user(None), &uid, &mended, None).expect("mended");
                }
            }
            let wanted = world.here();
            if !bad.is_empty() {
                assert_eq!(world.push().await, RunState::Done, "seed {seed}");
            }
            world.arrives(&wanted, format_args!("seed {seed}")).await;
        });
    }
}

/// The service acknowledged the job and did nothing. This is reported once the job can no longer take effect, and the
/// changes are sent again.
#[test]
fn jobs_that_are_never_done_are_in_doubt_and_are_planned_again() {
    for seed in seeds(6) {
        run(async {
            let mut world = World::new(seed);
            world.list_there("A", 8);
            world.pull().await;
            let list = lists(&world.core)[0].1.clone();
            rename(&world.core, &contacts(&world.core, &list)[0].0, "Edited");
            for at in 0..3 {
                add(&world.core, &list, 100 + at, "New");
            }
            let wanted = world.here();
            world.service.faults(Faults { forgotten: 1, ..Faults::default() });
            let id = world.begin().await;
            assert_eq!(world.go(id).await.expect("ran"), RunState::InDoubt, "seed {seed}");
            let kept = world.core.read(|tx| Ok(runs::run(tx, id)?)).expect("read").expect("a run");
            assert_eq!((kept.state, open(&world.core)), (RunState::InDoubt, None), "seed {seed}");
            assert_eq!(world.here(), wanted, "seed {seed}: what is in doubt is still here");
            assert_eq!(world.there().await.list("A").len(), 8, "seed {seed}");
            world.service.faults(Faults::default());
            world.restart().await;
            world.pull().await;
            assert_eq!(world.here(), wanted, "seed {seed}: and after a reading");
            assert_eq!(world.push().await, RunState::Done, "seed {seed}");
            world.arrives(&wanted, format_args!("seed {seed}")).await;
        });
    }
}

/// The other tests rely on this: a failure that occurred once can be repeated.
#[test]
fn the_same_seed_is_the_same_world() {
    let told = || {
        run(async {
            let (mut world, mut dice) = edited(5).await;
            world.service.faults(Faults { lost: 4, unheard: 4, broken: 5, ..any_faults(&mut dice) });
            let id = world.begin().await;
            for _ in 0..3 {
                let _ = world.go(id).await;
                world.restart().await;
            }
            world.service.settle().await;
            world.service.lines().clone()
        })
    };
    assert_eq!(told(), told());
}
