//! Routes for faults and for limits.

use super::{
    super::{
        faults,
        route::{AdminRoute, At},
        rules::limits,
    },
    beside,
};

pub fn routes() -> Vec<AdminRoute> {
    let routes = [rules(), sources(), limits()].into_iter().flatten();
    routes.map(|route| if route.method == "GET" { route } else { beside(route) }).collect()
}

fn rules() -> Vec<AdminRoute> {
    vec![
        At("faults.clear", "DELETE", "/__admin/faults", "Remove all rules, the plan and the profile")
            .removes(faults::clear),
        At("faults.list", "GET", "/__admin/faults/rules", "List fault rules in the order in which they are tried")
            .looks(faults::list)
            .paged(),
        At(
            "faults.add",
            "POST",
            "/__admin/faults/rules",
            "Add a fault rule after the others. Only the first that matches fires",
        )
        .takes_query(201, faults::add)
        .with_secrets(),
        At(
            "faults.explain",
            "POST",
            "/__admin/faults/explain",
            "Explain which rule a request would trigger, and why the others would not fire",
        )
        .takes(200, faults::explain)
        .with_secrets(),
        At("faults.get", "GET", "/__admin/faults/rules/{fault}", "Get a fault rule and its counts").looks(faults::get),
        At("faults.put", "PUT", "/__admin/faults/rules/{fault}", "Create or replace a fault rule")
            .takes_query(200, faults::put)
            .with_secrets(),
        At("faults.remove", "DELETE", "/__admin/faults/rules/{fault}", "Remove a fault rule").removes(faults::remove),
    ]
}

fn sources() -> Vec<AdminRoute> {
    vec![
        At("faults.plan.get", "GET", "/__admin/faults/plan", "Get the fault plan").looks(faults::plan),
        At("faults.plan.put", "PUT", "/__admin/faults/plan", "Generate rules from a seed, replacing the plan in force")
            .takes(200, faults::make_plan),
        At("faults.plan.remove", "DELETE", "/__admin/faults/plan", "Remove the fault plan").removes(faults::drop_plan),
        At("faults.profiles.list", "GET", "/__admin/faults/profiles", "List profiles")
            .looks(faults::all_profiles)
            .paged(),
        At("faults.profile.get", "GET", "/__admin/faults/profile", "Get the profile in force").looks(faults::profile),
        At("faults.profile.put", "PUT", "/__admin/faults/profile", "Set the profile")
            .takes(200, faults::choose_profile),
        At("faults.magic.get", "GET", "/__admin/faults/magic", "List magic numbers and their effects")
            .looks(faults::magic)
            .paged(),
        At("faults.magic.put", "PUT", "/__admin/faults/magic", "Switch magic numbers on or off")
            .takes(200, faults::switch_magic),
        At(
            "faults.prefer.get",
            "GET",
            "/__admin/faults/prefer",
            "Get whether callers can request faults with the Prefer header",
        )
        .looks(faults::prefer),
        At(
            "faults.prefer.put",
            "PUT",
            "/__admin/faults/prefer",
            "Set whether callers can request faults with the Prefer header",
        )
        .takes(200, faults::switch_prefer),
    ]
}

fn limits() -> Vec<AdminRoute> {
    vec![
        At("limits.get", "GET", "/__admin/limits", "Get the rate limit").looks(limits::get),
        At(
            "limits.put",
            "PUT",
            "/__admin/limits",
            "Replace the rate limit and refill every bucket. Fields left out get their defaults",
        )
        .takes(200, limits::put),
        At("limits.change", "PATCH", "/__admin/limits", "Change the rate limit and refill every bucket")
            .takes(200, limits::change),
        At("limits.buckets", "GET", "/__admin/limits/buckets", "List the buckets that are not full")
            .looks(limits::buckets)
            .paged(),
    ]
}
