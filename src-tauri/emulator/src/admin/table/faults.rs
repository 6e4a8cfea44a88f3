//! Routes for faults and for limits.

use super::{
    super::{
        faults,
        route::{AdminRoute, RouteHead},
        rules::limits,
    },
    fence_route,
};
use crate::faults::FaultRule;

pub(super) fn routes() -> Vec<AdminRoute> {
    let routes = [rule_routes(), source_routes(), limit_routes()].into_iter().flatten();
    routes.map(|route| if route.method == "GET" { route } else { fence_route(route) }).collect()
}

fn rule_routes() -> Vec<AdminRoute> {
    vec![
        RouteHead("faults.clear", "DELETE", "/__admin/faults", "Remove all rules, the plan and the profile")
            .json_act(faults::clear_faults),
        RouteHead(
            "faults.list",
            "GET",
            "/__admin/faults/rules",
            "List fault rules in the order in which they are tried",
        )
        .json_act(faults::list_rules)
        .with_paging(),
        RouteHead(
            "faults.add",
            "POST",
            "/__admin/faults/rules",
            "Add a fault rule after the others. Only the first that matches fires",
        )
        .json_act(faults::add_rule)
        .with_status(201)
        .with_matchers::<FaultRule>()
        .with_secrets(),
        RouteHead(
            "faults.explain",
            "POST",
            "/__admin/faults/explain",
            "Explain which rule a request would trigger, and why the others would not fire",
        )
        .body_act(200, faults::explain_request)
        .with_secrets(),
        RouteHead("faults.get", "GET", "/__admin/faults/rules/{fault}", "Get a fault rule and its counts")
            .json_act(faults::get_rule),
        RouteHead("faults.put", "PUT", "/__admin/faults/rules/{fault}", "Create or replace a fault rule")
            .json_act(faults::put_rule)
            .with_matchers::<FaultRule>()
            .with_secrets(),
        RouteHead("faults.remove", "DELETE", "/__admin/faults/rules/{fault}", "Remove a fault rule")
            .json_act(faults::remove_rule),
    ]
}

fn source_routes() -> Vec<AdminRoute> {
    vec![
        RouteHead("faults.plan.get", "GET", "/__admin/faults/plan", "Get the fault plan").json_act(faults::get_plan),
        RouteHead(
            "faults.plan.put",
            "PUT",
            "/__admin/faults/plan",
            "Generate rules from a seed, replacing the plan in force",
        )
        .body_act(200, faults::put_plan),
        RouteHead("faults.plan.remove", "DELETE", "/__admin/faults/plan", "Remove the fault plan")
            .json_act(faults::remove_plan),
        RouteHead("faults.profiles.list", "GET", "/__admin/faults/profiles", "List profiles")
            .json_act(faults::list_profiles)
            .with_paging(),
        RouteHead("faults.profile.get", "GET", "/__admin/faults/profile", "Get the profile in force")
            .json_act(faults::get_profile),
        RouteHead("faults.profile.put", "PUT", "/__admin/faults/profile", "Set the profile")
            .body_act(200, faults::choose_profile),
        RouteHead("faults.magic.get", "GET", "/__admin/faults/magic", "List magic numbers and their effects")
            .json_act(faults::get_magic)
            .with_paging(),
        RouteHead("faults.magic.put", "PUT", "/__admin/faults/magic", "Switch magic numbers on or off")
            .body_act(200, faults::switch_magic),
        RouteHead(
            "faults.prefer.get",
            "GET",
            "/__admin/faults/prefer",
            "Get whether callers can request faults with the Prefer header",
        )
        .json_act(faults::get_prefer),
        RouteHead(
            "faults.prefer.put",
            "PUT",
            "/__admin/faults/prefer",
            "Set whether callers can request faults with the Prefer header",
        )
        .body_act(200, faults::switch_prefer),
    ]
}

fn limit_routes() -> Vec<AdminRoute> {
    vec![
        RouteHead("limits.get", "GET", "/__admin/limits", "Get the rate limit").json_act(limits::get_limits),
        RouteHead(
            "limits.put",
            "PUT",
            "/__admin/limits",
            "Replace the rate limit and refill every bucket. Fields left out get their defaults",
        )
        .body_act(200, limits::put_limits),
        RouteHead("limits.change", "PATCH", "/__admin/limits", "Change the rate limit and refill every bucket")
            .body_act(200, limits::change_limits),
        RouteHead("limits.buckets", "GET", "/__admin/limits/buckets", "List the buckets that are not full")
            .json_act(limits::list_buckets)
            .with_paging(),
    ]
}
