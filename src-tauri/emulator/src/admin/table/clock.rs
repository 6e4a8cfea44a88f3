//! Routes for the clock and the IDs of a world.

use super::{
    super::{
        route::{AdminRoute, At},
        time::{clock, random},
    },
    beside,
};

pub fn routes() -> Vec<AdminRoute> {
    vec![
        At("clock.get", "GET", "/__admin/clock", "What the world's clock shows and how it goes").looks(clock::get),
        beside(
            At("clock.put", "PUT", "/__admin/clock", "Set the clock, stop it, or change its pace")
                .takes(200, clock::put),
        ),
        At(
            "clock.advance",
            "POST",
            "/__admin/clock/advance",
            "Move the clock on and do what becomes due, in its order",
        )
        .awaits_with(200, clock::go_on),
        At("random.get", "GET", "/__admin/random", "Where ids come from").looks(random::get),
        beside(
            At("random.change", "PATCH", "/__admin/random", "Change the seed of ids, or what they look like")
                .takes(200, random::change),
        ),
    ]
}
