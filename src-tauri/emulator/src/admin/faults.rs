//! Faults on purpose: rules, plans, profiles, magic numbers, and what callers may ask for themselves.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

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

/// A rule in force.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Fault", deny_unknown_fields)]
pub struct Shown {
    /// What the journal calls it.
    name: String,
    source: Source,
    /// As it was given; of keys only the beginning.
    rule: Rule,
    /// Requests that fitted so far.
    seen: u64,
    /// Those that were met.
    hits: u64,
    /// Null where it does not end by itself.
    expires_in: Option<Span>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Faults", deny_unknown_fields)]
pub struct List {
    /// In the order they are tried; the first that fits meets the request, and no other.
    items: Vec<Shown>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Profiles", deny_unknown_fields)]
pub struct ProfileList {
    items: Vec<Profile>,
}

/// The profile in force.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "ProfileInForce")]
pub struct Chosen {
    /// Null for none.
    name: Option<String>,
}

/// The plan in force.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "FaultPlanInForce", deny_unknown_fields)]
pub struct Planned {
    /// Null for none.
    plan: Option<Plan>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "MagicNumbers", deny_unknown_fields)]
pub struct MagicList {
    /// Off, they are numbers like all others.
    on: bool,
    numbers: Vec<Magic>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "MagicSwitch")]
pub struct MagicSwitch {
    on: bool,
}

/// Whether callers may ask for their own faults by the header Prefer.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "PreferSwitch")]
pub struct PreferSwitch {
    allowed: bool,
}

impl Matching for Rule {
    fn weight(&self) -> usize {
        self.weight()
    }
}

/// A path of its own stands in the place of this name.
const RESERVED: &str = "plan";

fn shown(armed: &Armed, now: Now) -> Shown {
    let counts = armed.counts();
    // Told in whole milliseconds, as it is written.
    let left = armed.left(now).map(|left| Duration::from_millis(u64::try_from(left.as_millis()).unwrap_or(u64::MAX)));
    Shown {
        name: armed.name.to_string(),
        source: armed.source,
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
    for named in ["headers", "query", "queryParameters"] {
        let named = written.get_mut(named).and_then(Value::as_object_mut).into_iter().flatten();
        named.filter(|(name, _)| is_secret(name)).for_each(|(_, value)| mask(value));
    }
    rule.matcher = Matcher::read(&written, "match").ok();
    rule
}

/// A pattern is no secret.
fn mask(value: &mut Value) {
    match value {
        Value::String(text) if !text.contains('*') => *text = masked(text),
        Value::Array(items) => items.iter_mut().for_each(mask),
        Value::Object(tests) => tests.iter_mut().for_each(|(test, value)| match value {
            // A part of an expression may be none.
            Value::String(text) if ["matches", "doesNotMatch"].contains(&test.as_str()) && !text.contains('*') => {
                "…".clone_into(text);
            }
            value => mask(value),
        }),
        _ => {}
    }
}

/// What settles chance where nobody said.
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
            let hint = "Remove it, or put a rule of your own at /__admin/faults/{fault}.";
            Refused::conflict("conflict", format!("There is a rule named '{name}' already."), hint)
        }
        NotTaken::TooMany => {
            let told = "There are 1000 rules already, or their matchers take 32 MiB.";
            Refused::conflict("too_many_faults", told, "Remove some, give them a ttl, or match fewer words.")
        }
    }
}

fn no_fault(name: &str) -> Refused {
    Refused::not_found(format!("There is no fault named '{name}'; it may have ended by itself."))
}

pub fn list(visit: &Visit, _: &Asked) -> Result<List, Refused> {
    let now = now(visit);
    Ok(List { items: visit.world().faults.rules(now).iter().map(|armed| shown(armed, now)).collect() })
}

pub fn add(visit: &Visit, _: &Asked, rule: Rule) -> Result<Shown, Refused> {
    if rule.name.as_deref() == Some(RESERVED) {
        return Err(Refused::invalid("name: 'plan' is taken by the plan."));
    }
    let now = now(visit);
    let armed = visit.world().faults.add(rule, now, || seed(visit)).map_err(refused)?;
    Ok(shown(&armed, now))
}

pub fn clear(visit: &Visit, _: &Asked) -> Result<Nothing, Refused> {
    visit.world().faults.disarm();
    Ok(Nothing)
}

pub fn get(visit: &Visit, asked: &Asked) -> Result<Shown, Refused> {
    let (now, name) = (now(visit), asked.parameter());
    visit.world().faults.get(name, now).map(|armed| shown(&armed, now)).ok_or_else(|| no_fault(name))
}

pub fn put(visit: &Visit, asked: &Asked, rule: Rule) -> Result<Shown, Refused> {
    let (now, name) = (now(visit), asked.parameter());
    if !is_name(name) || name == RESERVED {
        return Err(Refused::invalid(format!("'{name}' is no name; take a-z, 0-9 and -, at most 64 of them.")));
    }
    if rule.name.as_deref().is_some_and(|given| given != name) {
        return Err(Refused::invalid("name: the path has another."));
    }
    let armed = visit.world().faults.put(name, rule, now, || seed(visit)).map_err(refused)?;
    Ok(shown(&armed, now))
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

pub fn all_profiles(_: &Visit, _: &Asked) -> Result<ProfileList, Refused> {
    Ok(ProfileList { items: profiles() })
}

pub fn profile(visit: &Visit, _: &Asked) -> Result<Chosen, Refused> {
    Ok(Chosen { name: visit.world().faults.profile().map(str::to_owned) })
}

pub fn choose_profile(visit: &Visit, asked: &Asked, chosen: Chosen) -> Result<Chosen, Refused> {
    if !visit.world().faults.set_profile(chosen.name.as_deref(), now(visit), || seed(visit)) {
        let name = chosen.name.unwrap_or_default();
        return Err(Refused::invalid(format!("There is no profile '{name}'; there are {}.", PROFILES.join(", "))));
    }
    profile(visit, asked)
}

pub fn magic(visit: &Visit, _: &Asked) -> Result<MagicList, Refused> {
    Ok(MagicList { on: visit.world().faults.options().magic, numbers: magic_numbers() })
}

pub fn switch_magic(visit: &Visit, asked: &Asked, switch: MagicSwitch) -> Result<MagicList, Refused> {
    visit.world().faults.set_options(|options| *options = Options { magic: switch.on, ..*options });
    magic(visit, asked)
}

pub fn prefer(visit: &Visit, _: &Asked) -> Result<PreferSwitch, Refused> {
    Ok(PreferSwitch { allowed: visit.world().faults.options().prefer })
}

pub fn switch_prefer(visit: &Visit, asked: &Asked, switch: PreferSwitch) -> Result<PreferSwitch, Refused> {
    visit.world().faults.set_options(|options| *options = Options { prefer: switch.allowed, ..*options });
    prefer(visit, asked)
}
