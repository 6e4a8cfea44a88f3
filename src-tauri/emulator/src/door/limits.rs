//! Finds the limit that applies to a call, and words its refusal for the journal.

use roost_journal::{RefusalCause, RefusalCheck};
use roost_wire::Operation;

use crate::{
    settings::{LimitScope, RateLimit},
    world::{ActiveSettings, World},
};

/// Returns the limit in force, and the name of the fault profile if it comes from one instead of the settings.
pub(crate) fn limit_in_force(world: &World, rules: &ActiveSettings) -> Option<(RateLimit, Option<&'static str>)> {
    match world.faults.profile_limit() {
        Some((rate, profile)) => Some((rate, Some(profile))),
        None => rules.settings.rate_limit().map(|rate| (rate, None)),
    }
}

/// Explains in the journal which limit refused a call.
pub(crate) fn explain_limit(
    operation: &Operation,
    rate: &RateLimit,
    profile: Option<&str>,
    seconds: u64,
) -> RefusalCause {
    let (name, per_second) = (operation.name, rate.per_second);
    let scope = match rate.scope {
        LimitScope::KeyAndOperation => format!("{name} with this key"),
        LimitScope::Key => "all operations with this key".to_owned(),
        LimitScope::Operation => format!("{name} with any key"),
        LimitScope::World => "all operations in this world".to_owned(),
    };
    let whence = match profile {
        Some(profile) => {
            format!("The limit is that of the fault profile {profile}; PUT /__admin/faults/profile changes it.")
        }
        None => "GET /__admin/limits shows the limit.".to_owned(),
    };
    let words = format!(
        "Limited to {per_second} per second: {scope}. The next request is accepted in {seconds} s on the world's clock. \
         {whence}"
    );
    RefusalCause::new(RefusalCheck::Limits, words)
}
