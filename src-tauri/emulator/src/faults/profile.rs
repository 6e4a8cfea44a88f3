//! Fault profiles: named sets of rules.

use schemars::JsonSchema;
use serde::Serialize;

use super::{
    effect::{ConnectionEnd, FaultEffect, Latency},
    rule::{FaultCommit, FaultConditions, FaultRule, FaultWindow},
};
use crate::settings::{HumanDuration, LimitAlgorithm, LimitScope, RateLimit};

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct FaultProfile {
    pub name: &'static str,
    pub what: &'static str,
    pub rules: Vec<FaultRule>,
    /// A rate limit that replaces the one in force, even if limits are off.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<TightLimit>,
    /// What happens to callbacks, unless their policy is worse.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub callbacks: Option<CallbackLosses>,
}

/// Probabilities for callbacks, as in the callback policy.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "CallbackLosses")]
pub(crate) struct CallbackLosses {
    /// That a callback is never sent.
    pub drop: f64,
    /// That a delivered callback is sent again.
    pub duplicate: f64,
}

/// The losses of the profile `lossy-callbacks`.
pub(super) const CALLBACK_LOSSES: CallbackLosses = CallbackLosses { drop: 0.2, duplicate: 0.1 };

/// For each key and operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) struct TightLimit {
    pub per_second: u32,
    pub burst: u32,
}

/// The limit of the profile `rate-limited`.
pub(super) const TIGHT_LIMIT: TightLimit = TightLimit { per_second: 2, burst: 2 };

impl TightLimit {
    pub(crate) fn to_rate_limit(self) -> RateLimit {
        let Self { per_second, burst } = self;
        RateLimit { algorithm: LimitAlgorithm::default(), per_second, burst, scope: LimitScope::default() }
    }
}

/// The name of the profile that has a limit and no rules.
pub(super) const RATE_LIMITED: &str = "rate-limited";

/// The name of the profile that affects callbacks and no requests.
pub(crate) const LOSSY_CALLBACKS: &str = "lossy-callbacks";

/// The names of all profiles.
pub const PROFILE_NAMES: [&str; 5] = [RATE_LIMITED, "slow", "flaky", LOSSY_CALLBACKS, "outage"];

pub(crate) fn all_profiles() -> Vec<FaultProfile> {
    PROFILE_NAMES.into_iter().filter_map(find_profile).collect()
}

pub(super) fn find_profile(name: &str) -> Option<FaultProfile> {
    let status = |status| FaultEffect { status: Some(status), ..FaultEffect::default() };
    let line = |line| FaultEffect { line: Some(line), ..FaultEffect::default() };
    let chance = |probability| FaultConditions { probability: Some(probability), ..FaultConditions::default() };
    let rule = |name: &str, effect| FaultRule { name: Some(name.to_owned()), effect, ..FaultRule::default() };
    let plain = |name, what, rules| FaultProfile { name, what, rules, limit: None, callbacks: None };
    let profile = match name {
        "slow" => {
            let latency =
                Some(Latency::Quantiles { p50: HumanDuration::from_millis(400), p99: HumanDuration::from_secs(3) });
            let rules = vec![rule("slow-answers", FaultEffect { latency, ..FaultEffect::default() })];
            plain("slow", "Half of the responses take 0.4 s, one in a hundred takes 3 s", rules)
        }
        "flaky" => {
            let rules = vec![
                FaultRule { apply: chance(0.05), ..rule("flaky-unavailable", status(503)) },
                FaultRule { apply: chance(0.02), ..rule("flaky-reset", line(ConnectionEnd::Reset)) },
                FaultRule {
                    apply: chance(0.01),
                    commit: FaultCommit::After,
                    ..rule("flaky-lost-answer", line(ConnectionEnd::Empty))
                },
            ];
            let what = "1 in 20 requests gets 503, 1 in 50 is reset, 1 in 100 is carried out but its response is lost";
            plain("flaky", what, rules)
        }
        RATE_LIMITED => {
            let what = "2 requests per second for each key and operation. More get 429";
            FaultProfile { limit: Some(TIGHT_LIMIT), ..plain(RATE_LIMITED, what, Vec::new()) }
        }
        "outage" => {
            let seconds = |seconds| HumanDuration(std::time::Duration::from_secs(seconds));
            let window = Some(FaultWindow { after: seconds(0), r#for: Some(seconds(30)) });
            let effect = FaultEffect { retry_after: Some(HumanDuration::from_secs(30)), ..status(503) };
            let rules = vec![FaultRule {
                apply: FaultConditions { window, ..FaultConditions::default() },
                ..rule("outage-unavailable", effect)
            }];
            plain("outage", "Every request gets 503 for 30 s on the world's clock", rules)
        }
        LOSSY_CALLBACKS => {
            let what = "1 in 5 callbacks is never sent, and 1 in 10 of the others comes twice";
            FaultProfile { callbacks: Some(CALLBACK_LOSSES), ..plain(LOSSY_CALLBACKS, what, Vec::new()) }
        }
        _ => return None,
    };
    Some(profile)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_fault_profile_has_only_valid_rules() {
        assert_eq!(all_profiles().iter().map(|profile| profile.name).collect::<Vec<_>>(), PROFILE_NAMES);
        for rule in all_profiles().iter().flat_map(|profile| &profile.rules) {
            rule.check().unwrap_or_else(|why| panic!("{:?}: {why}", rule.name));
        }
        assert!(find_profile("calm").is_none());
    }
}
