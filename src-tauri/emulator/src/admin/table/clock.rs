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
        At("clock.get", "GET", "/__admin/clock", "Get the world's clock").looks(clock::get),
        beside(At("clock.put", "PUT", "/__admin/clock", "Set, freeze or scale the clock").takes(200, clock::put)),
        At(
            "clock.advance",
            "POST",
            "/__admin/clock/advance",
            "Move the clock forward and do everything that becomes due, in order",
        )
        .awaits_with(200, clock::go_on),
        At("random.get", "GET", "/__admin/random", "Get how ids are made").looks(random::get),
        beside(
            At("random.change", "PATCH", "/__admin/random", "Change the seed or the style of ids")
                .takes(200, random::change),
        ),
    ]
}
