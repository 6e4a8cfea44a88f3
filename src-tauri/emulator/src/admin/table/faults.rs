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
        At("faults.clear", "DELETE", "/__admin/faults", "Disarm all rules, the plan and the profile")
            .removes(faults::clear),
        At("faults.list", "GET", "/__admin/faults/rules", "Fault rules in force, in the order they are tried")
            .looks(faults::list)
            .paged(),
        At(
            "faults.add",
            "POST",
            "/__admin/faults/rules",
            "Arm a fault rule behind the others; the first that fires is the only one",
        )
        .takes_query(201, faults::add)
        .with_secrets(),
        At(
            "faults.explain",
            "POST",
            "/__admin/faults/explain",
            "Which rule would meet a request, and why the others would not",
        )
        .takes(200, faults::explain)
        .with_secrets(),
        At("faults.get", "GET", "/__admin/faults/rules/{fault}", "A fault rule, and what it has met")
            .looks(faults::get),
        At("faults.put", "PUT", "/__admin/faults/rules/{fault}", "Arm a rule by this name, or another in its place")
            .takes_query(200, faults::put)
            .with_secrets(),
        At("faults.remove", "DELETE", "/__admin/faults/rules/{fault}", "Disarm a rule").removes(faults::remove),
    ]
}

fn sources() -> Vec<AdminRoute> {
    vec![
        At("faults.plan.get", "GET", "/__admin/faults/plan", "The plan in force").looks(faults::plan),
        At(
            "faults.plan.put",
            "PUT",
            "/__admin/faults/plan",
            "Arm rules made from a seed, with their times, in place of the plan in force",
        )
        .takes(200, faults::make_plan),
        At("faults.plan.remove", "DELETE", "/__admin/faults/plan", "Disarm the plan").removes(faults::drop_plan),
        At("faults.profiles.list", "GET", "/__admin/faults/profiles", "Named sets of rules")
            .looks(faults::all_profiles)
            .paged(),
        At("faults.profile.get", "GET", "/__admin/faults/profile", "The profile in force").looks(faults::profile),
        At("faults.profile.put", "PUT", "/__admin/faults/profile", "Arm a profile in place of the one in force")
            .takes(200, faults::choose_profile),
        At("faults.magic.get", "GET", "/__admin/faults/magic", "Magic numbers and what they do")
            .looks(faults::magic)
            .paged(),
        At("faults.magic.put", "PUT", "/__admin/faults/magic", "Switch magic numbers on or off")
            .takes(200, faults::switch_magic),
        At(
            "faults.prefer.get",
            "GET",
            "/__admin/faults/prefer",
            "Whether callers may ask for faults by the header Prefer",
        )
        .looks(faults::prefer),
        At(
            "faults.prefer.put",
            "PUT",
            "/__admin/faults/prefer",
            "Allow callers to ask for faults by the header Prefer, or not",
        )
        .takes(200, faults::switch_prefer),
    ]
}

fn limits() -> Vec<AdminRoute> {
    vec![
        At("limits.get", "GET", "/__admin/limits", "The limit on requests a second").looks(limits::get),
        At(
            "limits.put",
            "PUT",
            "/__admin/limits",
            "Set the limit; fields that are left out take their defaults, and every bucket begins full",
        )
        .takes(200, limits::put),
        At("limits.change", "PATCH", "/__admin/limits", "Change the limit; every bucket begins full")
            .takes(200, limits::change),
        At("limits.buckets", "GET", "/__admin/limits/buckets", "How full each bucket is that is not full")
            .looks(limits::buckets)
            .paged(),
    ]
}
