//! Routes about faults on purpose, and about limits.

use super::{
    super::{
        faults,
        route::{AdminRoute, At},
        rules::limits,
    },
    beside,
};

pub fn routes() -> Vec<AdminRoute> {
    let routes = vec![
        At("faults.list", "GET", "/__admin/faults", "Fault rules in force, in the order they are tried")
            .looks(faults::list),
        At("faults.add", "POST", "/__admin/faults", "Arm a fault rule behind the others")
            .takes_query(201, faults::add)
            .with_secrets(),
        At("faults.clear", "DELETE", "/__admin/faults", "Disarm all rules, the plan and the profile")
            .removes(faults::clear),
        // Before the rules by name, because the first that fits is taken.
        At("faults.plan", "GET", "/__admin/faults/plan", "The plan in force").looks(faults::plan),
        At("faults.plan.make", "POST", "/__admin/faults/plan", "Arm rules made from a seed, with their times")
            .takes(201, faults::make_plan),
        At("faults.plan.drop", "DELETE", "/__admin/faults/plan", "Disarm the plan").removes(faults::drop_plan),
        At("faults.get", "GET", "/__admin/faults/{fault}", "A fault rule, and what it has met").looks(faults::get),
        At("faults.put", "PUT", "/__admin/faults/{fault}", "Arm a rule by this name, or another in its place")
            .takes_query(200, faults::put)
            .with_secrets(),
        At("faults.remove", "DELETE", "/__admin/faults/{fault}", "Disarm a rule").removes(faults::remove),
        At("limits.get", "GET", "/__admin/limits", "The limit on requests a second, and the level of each bucket")
            .looks(limits::get),
        At("limits.put", "PUT", "/__admin/limits", "Limit requests a second otherwise; every bucket begins full")
            .takes(200, limits::put),
        At("profiles", "GET", "/__admin/profiles", "Named sets of rules").looks(faults::all_profiles),
        At("profile.get", "GET", "/__admin/profile", "The profile in force").looks(faults::profile),
        At("profile.put", "PUT", "/__admin/profile", "Arm a profile in the place of the one in force")
            .takes(200, faults::choose_profile),
        At("magic.get", "GET", "/__admin/magic", "Magic numbers and what they do").looks(faults::magic),
        At("magic.put", "PUT", "/__admin/magic", "Switch magic numbers on or off").takes(200, faults::switch_magic),
        At("prefer.get", "GET", "/__admin/prefer", "Whether callers may ask for faults by the header Prefer")
            .looks(faults::prefer),
        At("prefer.put", "PUT", "/__admin/prefer", "Allow callers to ask for faults by the header Prefer, or not")
            .takes(200, faults::switch_prefer),
    ];
    routes.into_iter().map(|route| if route.method == "GET" { route } else { beside(route) }).collect()
}
