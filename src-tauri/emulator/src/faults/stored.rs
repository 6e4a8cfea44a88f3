//! The stored form of the faults: rules with their counts.

use std::sync::Arc;

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
    state: ArmedRuleState,
    /// Written by earlier versions, whose rules ended in real time.
    #[serde(default, rename = "left", skip_serializing)]
    _left: Option<u64>,
}

impl Serialize for FaultsState {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self(ArmedFaults { rules, names_given: named, plan, profile, profile_seed, options }) = self;
        let written = |armed: &Arc<ArmedRule>| StoredRule {
            name: armed.name.clone(),
            source: armed.source,
            rule: armed.rule.clone(),
            state: armed.to_state(),
            _left: None,
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
        if rules.len() > RULES_MAX {
            return Err(de::Error::custom(format!("there are more than {RULES_MAX} rules")));
        }
        let profile = match profile {
            None => None,
            Some(name) => Some(profile::find_profile(&name).ok_or_else(|| de::Error::custom("unknown profile"))?.name),
        };
        let read = |StoredRule { name, source, rule, state, .. }: StoredRule| {
            rule.check()?;
            Ok(Arc::new(ArmedRule::from_state(name, source, rule, state)))
        };
        let rules: Vec<Arc<ArmedRule>> =
            rules.into_iter().map(read).collect::<Result<_, String>>().map_err(de::Error::custom)?;
        let state = ArmedFaults { rules, names_given: named, plan, profile, profile_seed, options };
        if state.matchers_weight() > MATCHERS_MAX {
            return Err(de::Error::custom("the matchers of the rules take too much memory"));
        }
        Ok(Self(state))
    }
}
