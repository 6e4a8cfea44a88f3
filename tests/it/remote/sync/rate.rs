//! Invariant 17: in any second no operation has more requests than the service allows, by the emulator's own journal.

use serde_json::json;

use super::{
    edited_world,
    service::NetworkFaults,
    test_seeds,
    world::{SimulatedWorld, run_simulated},
};

fn assert_rate_kept(world: &SimulatedWorld, case: impl std::fmt::Display) {
    let (most, operation) = world.service.busiest_second();
    assert!(most <= 10, "{case}: {most} of {operation} within a second");
}

#[test]
fn no_second_sees_more_than_ten_requests_of_an_operation_whatever_goes_wrong() {
    let mut most = 0;
    for seed in test_seeds(8) {
        run_simulated(async {
            let (mut world, mut dice) = edited_world(seed).await;
            let list = world.create_service_list("Long", 120);
            for (uid, _) in super::face::read_contacts(&world.service.core, &list).into_iter().take(30) {
                // Deletions are sent one by one, so this lane has the most requests.
                assert!(roost_ops::contact::delete(&world.service.core, &roost_ops::Actor::interface(), &uid).is_ok());
            }
            world.run_pull().await;
            let here = super::face::read_lists(&world.core);
            let long = here.iter().find(|(name, _)| name == "Long").expect("pulled").1.clone();
            for (uid, _) in super::face::read_contacts(&world.core, &long).into_iter().take(40) {
                roost_ops::contact::delete(&world.core, &roost_ops::Actor::user(None), &uid).expect("deleted");
            }
            // The first seed has no faults, so that the limit is really reached.
            if seed > 0 {
                let job_delay = dice.draw_below(10);
                world.service.set_faults(NetworkFaults {
                    lost: 9,
                    unheard: 9,
                    broken: 9,
                    job_delay,
                    ..NetworkFaults::default()
                });
                world.service.change_setting("limits.per_second", json!(5 + dice.draw_below(6)));
            }
            let id = world.begin_run().await;
            let _ = world.continue_run(id).await;
            world.service.set_faults(NetworkFaults::default());
            world.restart().await;
            world.end_run().await;
            world.run_pull().await;
            assert_rate_kept(&world, format_args!("seed {seed}"));
            most = most.max(world.service.busiest_second().0);
        });
    }
    assert!(most >= 8, "the limit is used: {most}");
}
