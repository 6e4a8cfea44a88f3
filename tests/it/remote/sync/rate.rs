//! Invariant 17: in any second no operation has more requests than the service allows, by the emulator's own journal.

use serde_json::json;

use super::{
    edited, seeds,
    service::Faults,
    world::{World, run},
};

fn kept(world: &World, case: impl std::fmt::Display) {
    let (most, operation) = world.service.busiest_second();
    assert!(most <= 10, "{case}: {most} of {operation} within a second");
}

#[test]
fn no_second_sees_more_than_ten_requests_of_an_operation_whatever_goes_wrong() {
    let mut most = 0;
    for seed in seeds(8) {
        run(async {
            let (mut world, mut dice) = edited(seed).await;
            let list = world.list_there("Long", 120);
            for (uid, _) in super::face::contacts(&world.service.core, &list).into_iter().take(30) {
                // Deletions are sent one by one, so this lane has the most requests.
                assert!(roost_ops::contact::delete(&world.service.core, &roost_ops::By::interface(), &uid).is_ok());
            }
            world.pull().await;
            let here = super::face::lists(&world.core);
            let long = here.iter().find(|(name, _)| name == "Long").expect("pulled").1.clone();
            for (uid, _) in super::face::contacts(&world.core, &long).into_iter().take(40) {
                roost_ops::contact::delete(&world.core, &roost_ops::By::user(None), &uid).expect("deleted");
            }
            // The first seed has no faults, so that the limit is really reached.
            if seed > 0 {
                let job_delay = dice.below(10);
                world.service.faults(Faults { lost: 9, unheard: 9, broken: 9, job_delay, ..Faults::default() });
                world.service.set("limits.per_second", json!(5 + dice.below(6)));
            }
            let id = world.begin().await;
            let _ = world.go(id).await;
            world.service.faults(Faults::default());
            world.restart().await;
            world.end().await;
            world.pull().await;
            kept(&world, format_args!("seed {seed}"));
            most = most.max(world.service.busiest_second().0);
        });
    }
    assert!(most >= 8, "the limit is used: {most}");
}
