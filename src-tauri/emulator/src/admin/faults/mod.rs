//! Injects faults: rules, plans, profiles, magic numbers, and faults that callers request by a header.

mod explain;

use std::time::Duration;

use roost_wire::paging::{Paged, Paging};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use self::explain::explain;
use super::{
    journal::Matching,
    refused::Refused,
    route::{Asked, Nothing},
};
use crate::{
    door::Visit,
    faults::{
        Armed, Magic, NotTaken, Now, Options, PROFILES, Plan, PlanWish, Profile, Rule, Source, Span, is_name,
        magic_numbers, profiles,
    },
    journal::{Matcher, is_secret},
    settings::masked,
};

/// A fault rule in force.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "Fault", deny_unknown_fields)]
pub struct Shown {
    /// The name shown in the journal.
    name: String,
    source: Source,
    /// Position in the order in which rules are tried, from 1. Only the first rule that matches fires; a rule that only
    /// delays applies in addition. `POST /__admin/faults/explain` says which rule would fire.
    position: usize,
    /// The rule as it was given. Keys are shortened to their beginning.
    rule: Rule,
    /// Requests that matched so far.
    seen: u64,
    /// Requests on which the rule fired.
    hits: u64,
    /// Time until the rule ends. Null: it does not end by itself.
    expires_in: Option<Span>,
}

/// The profile in force.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "ProfileInForce")]
pub struct Chosen {
    /// Null when none is set.
    name: Option<String>,
}

/// The fault plan in force.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "FaultPlanInForce", deny_unknown_fields)]
pub struct Planned {
    /// Null when none is set.
    plan: Option<Plan>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "MagicNumbers", deny_unknown_fields)]
pub struct MagicList {
    /// When false, magic numbers are ordinary numbers.
    enabled: bool,
    items: Vec<Magic>,
    paging: Paging,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "MagicSwitch")]
pub struct MagicSwitch {
    enabled: bool,
}

/// Whether callers can request faults with the Prefer header.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "PreferSwitch")]
pub struct PreferSwitch {
    enabled: bool,
}

impl Matching for Rule {
    fn weight(&self) -> usize {
        self.weight()
    }
}

fn shown(armed: &Armed, position: usize, now: Now) -> Shown {
    let counts = armed.counts();
    // Reported in whole milliseconds, as it is stored.
    let left = armed.left(now).map(|left| Duration::from_millis(u64::try_from(left.as_millis()).unwrap_or(u64::MAX)));
    Shown {
        name: armed.name.to_string(),
        source: armed.source,
        position,
        rule: without_secrets(&armed.rule),
        seen: counts.seen,
        hits: counts.hits,
        expires_in: left.map(Span),
    }
}

fn without_secrets(rule: &Rule) -> Rule {
    let mut rule = rule.clone();
    let Some(Ok(mut written)) = rule.matcher.as_ref().map(serde_json::to_value) else { return rule };
    if let Some(key) = written.get_mut("key") {
        mask(key);
    }
    for named in ["headers", "query"] {
        let named = written.get_mut(named).and_then(Value::as_object_mut).into_iter().flatten();
        named.filter(|(name, _)| is_secret(name)).for_each(|(_, value)| mask(value));
    }
    rule.matcher = Matcher::read(&written, "match").ok();
    rule
}

/// Masks the texts of a matcher. A pattern with `*` is not a secret.
fn mask(value: &mut Value) {
    match value {
        Value::String(text) if !text.contains('*') => *text = masked(text),
        Value::Array(items) => items.iter_mut().for_each(mask),
        Value::Object(tests) => tests.iter_mut().for_each(|(test, value)| match value {
            // Even a part of a regular expression may reveal the secret.
            Value::String(text) if ["matches", "does_not_match"].contains(&test.as_str()) && !text.contains('*') => {
                "…".clone_into(text);
            }
            value => mask(value),
        }),
        _ => {}
    }
}

/// Chooses a random seed for a rule or a policy without one.
pub(super) fn seed(visit: &Visit) -> u64 {
    u64::from_str_radix(&visit.core().ctx().trace_id(), 16).unwrap_or(1) >> 32
}

fn now(visit: &Visit) -> Now {
    Now::of(&visit.world().core)
}

fn refused(why: NotTaken) -> Refused {
    match why {
        NotTaken::Invalid(why) => Refused::invalid(why),
        NotTaken::Named(name) => {
            let hint = "Remove the rule, or replace it with PUT /__admin/faults/rules/{fault}.";
            Refused::conflict("conflict", format!("A rule named '{name}' already exists."), hint)
        }
        NotTaken::TooMany => {
            let told = "The limit is reached: 1000 rules, or 32 MiB for their matchers.";
            Refused::conflict("too_many_faults", told, "Remove rules, give them a ttl, or use shorter matchers.")
        }
    }
}

fn no_fault(name: &str) -> Refused {
    Refused::not_found(format!("Unknown fault rule '{name}'. Its ttl may have ended."))
}

fn position(visit: &Visit, name: &str, now: Now) -> usize {
    let rules = visit.world().faults.rules(now);
    rules.iter().position(|armed| *armed.name == *name).map_or(rules.len(), |at| at + 1)
}

/// Lists the rules in the order in which they are tried. The first that meets a request fires, and no other.
pub fn list(visit: &Visit, asked: &Asked) -> Result<Paged<Shown>, Refused> {
    let now = now(visit);
    let rules = visit.world().faults.rules(now);
    asked.page_of(rules.iter().enumerate().map(|(n, armed)| shown(armed, n + 1, now)))
}

pub fn add(visit: &Visit, _: &Asked, rule: Rule) -> Result<Shown, Refused> {
    let now = now(visit);
    let armed = visit.world().faults.add(rule, now, || seed(visit)).map_err(refused)?;
    Ok(shown(&armed, position(visit, &armed.name, now), now))
}

pub fn clear(visit: &Visit, _: &Asked) -> Result<Nothing, Refused> {
    visit.world().faults.disarm();
    Ok(Nothing)
}

pub fn get(visit: &Visit, asked: &Asked) -> Result<Shown, Refused> {
    let (now, name) = (now(visit), asked.parameter());
    let armed = visit.world().faults.get(name, now).ok_or_else(|| no_fault(name))?;
    Ok(shown(&armed, position(visit, name, now), now))
}

pub fn put(visit: &Visit, asked: &Asked, rule: Rule) -> Result<Shown, Refused> {
    let (now, name) = (now(visit), asked.parameter());
    if !is_name(name) {
        return Err(Refused::invalid(format!(
            "'{name}' is not a valid name. Use a-z, 0-9 and -, at most 64 characters."
        )));
    }
    if rule.name.as_deref().is_some_and(|given| given != name) {
        return Err(Refused::invalid("name: differs from the name in the path."));
    }
    let armed = visit.world().faults.put(name, rule, now, || seed(visit)).map_err(refused)?;
    Ok(shown(&armed, position(visit, name, now), now))
}

pub fn remove(visit: &Visit, asked: &Asked) -> Result<Nothing, Refused> {
    let name = asked.parameter();
    if visit.world().faults.remove(name) { Ok(Nothing) } else { Err(no_fault(name)) }
}

pub fn plan(visit: &Visit, _: &Asked) -> Result<Planned, Refused> {
    Ok(Planned { plan: visit.world().faults.plan() })
}

pub fn make_plan(visit: &Visit, _: &Asked, wish: PlanWish) -> Result<Plan, Refused> {
    let plan = Plan::make(&wish).map_err(Refused::invalid)?;
    visit.world().faults.set_plan(Some(plan.clone()), now(visit));
    Ok(plan)
}

pub fn drop_plan(visit: &Visit, _: &Asked) -> Result<Nothing, Refused> {
    visit.world().faults.set_plan(None, now(visit));
    Ok(Nothing)
}

pub fn all_profiles(_: &Visit, asked: &Asked) -> Result<Paged<Profile>, Refused> {
    asked.page_of(profiles())
}

pub fn profile(visit: &Visit, _: &Asked) -> Result<Chosen, Refused> {
    Ok(Chosen { name: visit.world().faults.profile().map(str::to_owned) })
}

pub fn choose_profile(visit: &Visit, asked: &Asked, chosen: Chosen) -> Result<Chosen, Refused> {
    if !visit.world().faults.set_profile(chosen.name.as_deref(), now(visit), || seed(visit)) {
        let name = chosen.name.unwrap_or_default();
        return Err(Refused::invalid(format!("name: unknown profile '{name}'. Profiles: {}.", PROFILES.join(", "))));
    }
    profile(visit, asked)
}

pub fn magic(visit: &Visit, asked: &Asked) -> Result<MagicList, Refused> {
    let Paged { items, paging } = asked.page_of(magic_numbers())?;
    Ok(MagicList { enabled: visit.world().faults.options().magic, items, paging })
}

pub fn switch_magic(visit: &Visit, asked: &Asked, switch: MagicSwitch) -> Result<MagicList, Refused> {
    visit.world().faults.set_options(|options| *options = Options { magic: switch.enabled, ..*options });
    magic(visit, asked)
}

pub fn prefer(visit: &Visit, _: &Asked) -> Result<PreferSwitch, Refused> {
    Ok(PreferSwitch { enabled: visit.world().faults.options().prefer })
}

pub fn switch_prefer(visit: &Visit, asked: &Asked, switch: PreferSwitch) -> Result<PreferSwitch, Refused> {
    visit.world().faults.set_options(|options| *options = Options { prefer: switch.enabled, ..*options });
    prefer(visit, asked)
}
