//! Injects faults: rules, plans, profiles, magic numbers, and faults that callers request by a header.

mod explain;

use std::{sync::Arc, time::Duration};

use roost_journal::{Matcher, is_secret, mask::masked_prefix};
use roost_wire::paging::{Paged, Paging};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub(super) use self::explain::explain_request;

use super::{
    error::AdminError,
    journal::{MatcherQuery, read_query},
    route::{AdminRequest, NoContent},
};
use crate::{
    door::WorldVisit,
    faults::{
        ArmedRule, FaultOptions, FaultPlan, FaultPlanRequest, FaultProfile, FaultRule, FaultSource, FaultTime,
        MagicNumber, PROFILE_NAMES, RuleError, all_profiles, is_rule_name, magic_numbers,
    },
    settings::HumanDuration,
    work::decide_faults,
};

/// A fault rule in force.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "Fault", deny_unknown_fields)]
pub(super) struct FaultStatus {
    /// The name shown in the journal.
    name: String,
    source: FaultSource,
    /// Position in the order in which rules are tried, from 1. Only the first rule that matches fires; a rule that only
    /// delays applies in addition. `POST /__admin/faults/explain` says which rule would fire.
    position: usize,
    /// The rule as it was given. Keys are shortened to their beginning.
    rule: FaultRule,
    /// Requests that matched so far.
    seen: u64,
    /// Requests on which the rule fired.
    hits: u64,
    /// Time until the rule ends. Null: it does not end by itself.
    expires_in: Option<HumanDuration>,
    /// Why the rule cannot fire at present, if that is certain.
    warning: Option<String>,
}

/// The profile in force.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "ProfileInForce")]
pub(super) struct ProfileInForce {
    /// Null when none is set.
    name: Option<String>,
}

/// The fault plan in force.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "FaultPlanInForce", deny_unknown_fields)]
pub(super) struct FaultPlanInForce {
    /// Null when none is set.
    plan: Option<FaultPlan>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "MagicNumbers", deny_unknown_fields)]
pub(super) struct MagicNumberList {
    /// When false, magic numbers are ordinary numbers.
    enabled: bool,
    items: Vec<MagicNumber>,
    paging: Paging,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "MagicSwitch")]
pub(super) struct MagicSwitch {
    enabled: bool,
}

/// Whether callers can request faults with the Prefer header.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "PreferSwitch")]
pub(super) struct PreferSwitch {
    enabled: bool,
}

impl MatcherQuery for FaultRule {
    fn weight(&self) -> usize {
        self.matcher_weight()
    }
}

/// Describes the rule at `index` of those in force.
fn to_fault_status(rules: &[Arc<ArmedRule>], index: usize, now: FaultTime) -> FaultStatus {
    let armed = &rules[index];
    let hidden_by = rules[..index].iter().find(|first| first.rule.hides(&armed.rule));
    let warning = hidden_by.map(|first| {
        format!("The rule '{}' is tried first and always fires on these requests, so this one never does.", first.name)
    });
    let counts = armed.counts();
    // Reported in whole milliseconds, as it is stored.
    let left =
        armed.time_left(now).map(|left| Duration::from_millis(u64::try_from(left.as_millis()).unwrap_or(u64::MAX)));
    FaultStatus {
        name: armed.name.to_string(),
        source: armed.source,
        position: index + 1,
        rule: mask_rule(&armed.rule),
        seen: counts.seen,
        hits: counts.hits,
        expires_in: left.map(HumanDuration),
        warning,
    }
}

pub(super) fn mask_rule(rule: &FaultRule) -> FaultRule {
    let mut rule = rule.clone();
    let Some(Ok(mut written)) = rule.matcher.as_ref().map(serde_json::to_value) else { return rule };
    if let Some(key) = written.get_mut("key") {
        mask_value(key);
    }
    for named in ["headers", "query"] {
        let named = written.get_mut(named).and_then(Value::as_object_mut).into_iter().flatten();
        named.filter(|(name, _)| is_secret(name)).for_each(|(_, value)| mask_value(value));
    }
    rule.matcher = Matcher::read(&written, "match").ok();
    rule
}

/// Masks the texts of a matcher. A pattern with `*` is not a secret.
fn mask_value(value: &mut Value) {
    match value {
        Value::String(text) if !text.contains('*') => *text = masked_prefix(text),
        Value::Array(items) => items.iter_mut().for_each(mask_value),
        Value::Object(tests) => tests.iter_mut().for_each(|(test, value)| match value {
            // Even a part of a regular expression may reveal the secret.
            Value::String(text) if ["matches", "does_not_match"].contains(&test.as_str()) && !text.contains('*') => {
                "…".clone_into(text);
            }
            value => mask_value(value),
        }),
        _ => {}
    }
}

/// Chooses a random seed for a rule or a policy without one.
pub(super) fn random_seed(visit: &WorldVisit) -> u64 {
    u64::from_str_radix(&visit.core().ctx().trace_id(), 16).unwrap_or(1) >> 32
}

fn current_time(visit: &WorldVisit) -> FaultTime {
    FaultTime::from_core(&visit.world().core)
}

fn to_admin_error(why: RuleError) -> AdminError {
    match why {
        RuleError::Invalid(why) => AdminError::invalid(why),
        RuleError::NameTaken(name) => {
            let hint = "Remove the rule, or replace it with PUT /__admin/faults/rules/{fault}.";
            AdminError::conflict("conflict", format!("A rule named '{name}' already exists."), hint)
        }
        RuleError::TooMany => {
            let message = "The limit is reached: 1000 rules, or 32 MiB for their matchers.";
            AdminError::conflict("too_many_faults", message, "Remove rules, give them a ttl, or use shorter matchers.")
        }
    }
}

fn unknown_fault(name: &str) -> AdminError {
    AdminError::not_found(format!("Unknown fault rule '{name}'. Its ttl may have ended."))
}

fn find_status(visit: &WorldVisit, name: &str, now: FaultTime) -> Result<FaultStatus, AdminError> {
    let rules = visit.world().faults.rules(now);
    let index = rules.iter().position(|armed| *armed.name == *name).ok_or_else(|| unknown_fault(name))?;
    Ok(to_fault_status(&rules, index, now))
}

/// Lists the rules in the order in which they are tried. The first that meets a request fires, and no other.
pub(super) fn list_rules(visit: &WorldVisit, request: &AdminRequest) -> Result<Paged<FaultStatus>, AdminError> {
    let now = current_time(visit);
    let rules = visit.world().faults.rules(now);
    request.paginate((0..rules.len()).map(|index| to_fault_status(&rules, index, now)))
}

pub(super) fn add_rule(visit: &WorldVisit, request: &AdminRequest) -> Result<FaultStatus, AdminError> {
    let (rule, _room) = read_query(request, &visit.world().resources.capacity)?;
    let now = current_time(visit);
    let armed = visit.world().faults.add_rule(rule, now, || random_seed(visit)).map_err(to_admin_error)?;
    find_status(visit, &armed.name, now)
}

pub(super) fn clear_faults(visit: &WorldVisit, _: &AdminRequest) -> Result<NoContent, AdminError> {
    visit.world().faults.disarm_all();
    Ok(NoContent)
}

pub(super) fn get_rule(visit: &WorldVisit, request: &AdminRequest) -> Result<FaultStatus, AdminError> {
    let (now, name) = (current_time(visit), request.first_parameter());
    find_status(visit, name, now)
}

pub(super) fn put_rule(visit: &WorldVisit, request: &AdminRequest) -> Result<FaultStatus, AdminError> {
    let (rule, _room): (FaultRule, _) = read_query(request, &visit.world().resources.capacity)?;
    let (now, name) = (current_time(visit), request.first_parameter());
    if !is_rule_name(name) {
        return Err(AdminError::invalid(format!(
            "'{name}' is not a valid name. Use a-z, 0-9 and -, at most 64 characters."
        )));
    }
    if rule.name.as_deref().is_some_and(|given| given != name) {
        return Err(AdminError::invalid("name: differs from the name in the path."));
    }
    visit.world().faults.put_rule(name, rule, now, || random_seed(visit)).map_err(to_admin_error)?;
    find_status(visit, name, now)
}

pub(super) fn remove_rule(visit: &WorldVisit, request: &AdminRequest) -> Result<NoContent, AdminError> {
    let name = request.first_parameter();
    if visit.world().faults.remove_rule(name) { Ok(NoContent) } else { Err(unknown_fault(name)) }
}

pub(super) fn get_plan(visit: &WorldVisit, _: &AdminRequest) -> Result<FaultPlanInForce, AdminError> {
    Ok(FaultPlanInForce { plan: visit.world().faults.plan() })
}

pub(super) fn put_plan(
    visit: &WorldVisit,
    _: &AdminRequest,
    request: FaultPlanRequest,
) -> Result<FaultPlan, AdminError> {
    let plan = FaultPlan::generate(&request).map_err(AdminError::invalid)?;
    visit.world().faults.set_plan(Some(plan.clone()), current_time(visit));
    Ok(plan)
}

pub(super) fn remove_plan(visit: &WorldVisit, _: &AdminRequest) -> Result<NoContent, AdminError> {
    visit.world().faults.set_plan(None, current_time(visit));
    Ok(NoContent)
}

pub(super) fn list_profiles(_: &WorldVisit, request: &AdminRequest) -> Result<Paged<FaultProfile>, AdminError> {
    request.paginate(all_profiles())
}

pub(super) fn get_profile(visit: &WorldVisit, _: &AdminRequest) -> Result<ProfileInForce, AdminError> {
    Ok(ProfileInForce { name: visit.world().faults.profile().map(str::to_owned) })
}

pub(super) fn choose_profile(
    visit: &WorldVisit,
    request: &AdminRequest,
    chosen: ProfileInForce,
) -> Result<ProfileInForce, AdminError> {
    if !visit.world().faults.set_profile(chosen.name.as_deref(), current_time(visit), || random_seed(visit)) {
        let name = chosen.name.unwrap_or_default();
        return Err(AdminError::invalid(format!(
            "name: unknown profile '{name}'. Profiles: {}.",
            PROFILE_NAMES.join(", ")
        )));
    }
    get_profile(visit, request)
}

pub(super) fn get_magic(visit: &WorldVisit, request: &AdminRequest) -> Result<MagicNumberList, AdminError> {
    let Paged { items, paging } = request.paginate(magic_numbers())?;
    Ok(MagicNumberList { enabled: visit.world().faults.options().magic, items, paging })
}

pub(super) fn switch_magic(
    visit: &WorldVisit,
    request: &AdminRequest,
    switch: MagicSwitch,
) -> Result<MagicNumberList, AdminError> {
    visit.world().faults.set_options(|options| *options = FaultOptions { magic: switch.enabled, ..*options });
    // Not when the worker happens to look at the waiting jobs again.
    decide_faults(visit.world(), &visit.core())?;
    get_magic(visit, request)
}

pub(super) fn get_prefer(visit: &WorldVisit, _: &AdminRequest) -> Result<PreferSwitch, AdminError> {
    Ok(PreferSwitch { enabled: visit.world().faults.options().prefer })
}

pub(super) fn switch_prefer(
    visit: &WorldVisit,
    request: &AdminRequest,
    switch: PreferSwitch,
) -> Result<PreferSwitch, AdminError> {
    visit.world().faults.set_options(|options| *options = FaultOptions { prefer: switch.enabled, ..*options });
    get_prefer(visit, request)
}
