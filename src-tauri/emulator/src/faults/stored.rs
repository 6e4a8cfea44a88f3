//! The stored form of the faults: rules with their counts and the time they have left.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::{
    ArmedFaults, FaultOptions, FaultPlan, FaultsState, MATCHERS_MAX, RULES_MAX,
    armed::{ArmedRule, ArmedRuleState, FaultSource},
    profile,
    rule::FaultRule,
};

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredFaults {
    rules: Vec<StoredRule>,
    named: u64,
    plan: Option<FaultPlan>,
    profile: Option<String>,
    profile_seed: u64,
    options: FaultOptions,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredRule {
    name: Box<str>,
    source: FaultSource,
    rule: FaultRule,
    #[serde(flatten)]
    made: ArmedRuleState,
    /// In milliseconds of real time.
    left: Option<u64>,
}

impl Serialize for FaultsState {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { state: ArmedFaults { rules, names_given: named, plan, profile, profile_seed, options }, saved_at } =
            self;
        let now = saved_at.unwrap_or_else(Instant::now);
        let written = |armed: &Arc<ArmedRule>| StoredRule {
            name: armed.name.clone(),
            source: armed.source,
            rule: armed.rule.clone(),
            made: armed.to_state(),
            left: armed.time_left_at(now).map(|left| u64::try_from(left.as_millis()).unwrap_or(u64::MAX)),
        };
        let written = StoredFaults {
            rules: rules.iter().map(written).collect(),
            named: *named,
            plan: plan.clone(),
            profile: profile.map(str::to_owned),
            profile_seed: *profile_seed,
            options: *options,
        };
        written.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for FaultsState {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let StoredFaults { rules, named, plan, profile, profile_seed, options } =
            StoredFaults::deserialize(deserializer)?;
        let now = Instant::now();
        if rules.len() > RULES_MAX {
            return Err(de::Error::custom(format!("there are more than {RULES_MAX} rules")));
        }
        let profile = match profile {
            None => None,
            Some(name) => Some(profile::find_profile(&name).ok_or_else(|| de::Error::custom("unknown profile"))?.name),
        };
        let read = |StoredRule { name, source, rule, made, left }: StoredRule| {
            rule.check()?;
            let ends = left.and_then(|left| now.checked_add(Duration::from_millis(left)));
            Ok(Arc::new(ArmedRule::from_state(name, source, rule, made, ends)))
        };
        let rules: Vec<Arc<ArmedRule>> =
            rules.into_iter().map(read).collect::<Result<_, String>>().map_err(de::Error::custom)?;
        let state = ArmedFaults { rules, names_given: named, plan, profile, profile_seed, options };
        if state.matchers_weight() > MATCHERS_MAX {
            return Err(de::Error::custom("the matchers of the rules take too much memory"));
        }
        Ok(Self { state, saved_at: Some(now) })
    }
}
