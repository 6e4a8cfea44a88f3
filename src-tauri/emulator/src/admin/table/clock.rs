//! Routes for the clock and the IDs of a world.

use super::{
    super::{
        route::{AdminRoute, RouteHead},
        time::{clock, random},
    },
    fence_route,
};

pub(super) fn routes() -> Vec<AdminRoute> {
    vec![
        RouteHead("clock.get", "GET", "/__admin/clock", "Get the world's clock").json_act(clock::get_clock),
        fence_route(
            RouteHead("clock.put", "PUT", "/__admin/clock", "Set, freeze or scale the clock")
                .body_act(200, clock::put_clock),
        ),
        RouteHead(
            "clock.advance",
            "POST",
            "/__admin/clock/advance",
            "Move the clock forward and do everything that becomes due, in order",
        )
        .host_act(clock::handle_advance)
        .with_body::<clock::AdvanceRequest>(),
        RouteHead("random.get", "GET", "/__admin/random", "Get how ids are made").json_act(random::get_random),
        fence_route(
            RouteHead("random.change", "PATCH", "/__admin/random", "Change the seed or the style of ids")
                .body_act(200, random::change_random),
        ),
    ]
}
