//! Injected faults of a world: rules in their order, with what they match and their effect.

mod armed;
pub(crate) mod effect;
mod job_fault;
mod magic;
mod matched;
mod plan;
mod prefer;
mod profile;
mod random;
mod request;
mod rule;
mod stored;

use std::{
    sync::{
        Arc, PoisonError, RwLock,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use roost_wire::RestError;
use serde::{Deserialize, Serialize};

pub use self::profile::PROFILE_NAMES;
pub(crate) use self::{
    armed::{ArmedRule, FaultSource, FaultTime, NoMatchReason},
    job_fault::JobFault,
    magic::{MagicNumber, job_fault, magic_numbers},
    matched::RuleExplanation,
    plan::{FaultPlan, FaultPlanRequest},
    profile::{CallbackLosses, FaultProfile, LOSSY_CALLBACKS, all_profiles},
    random::SeededRandom,
    request::IncomingRequest,
    rule::{FaultCommit, FaultRule, is_rule_name},
};
use self::{
    effect::FaultEffect,
    matched::{MatchedRules, requested_faults},
};
use crate::settings::RateLimit;

#[derive(Default)]
pub(crate) struct Faults {
    /// False means that requests need no further look at the faults.
    is_armed: AtomicBool,
    /// Whether the profile in force is the one that limits requests.
    is_tight: AtomicBool,
    /// Whether the profile in force is the one that loses callbacks.
    is_lossy: AtomicBool,
    state: RwLock<ArmedFaults>,
}

/// Sources of faults that the operator can switch on besides rules.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct FaultOptions {
    /// Whether magic numbers have their effect.
    pub magic: bool,
    /// Whether callers may ask for faults in the header Prefer.
    pub prefer: bool,
}

#[derive(Clone, Default)]
struct ArmedFaults {
    /// The operator's rules first, then those of a plan, then those of a profile.
    rules: Vec<Arc<ArmedRule>>,
    /// How many rules were given a name by Roost.
    names_given: u64,
    plan: Option<FaultPlan>,
    profile: Option<&'static str>,
    /// The seed for chances that a profile has besides its rules.
    profile_seed: u64,
    options: FaultOptions,
}

/// All faults of a world, with their counts.
#[derive(Clone, Default)]
pub(crate) struct FaultsState(ArmedFaults);

/// The fault that a rule injects into one request.
pub(crate) struct FiredFault {
    /// The name of the rule in the journal.
    pub name: Box<str>,
    pub source: FaultSource,
    pub wait: Duration,
    pub effect: FaultEffect,
    pub commit: FaultCommit,
    /// Sent in place of the plain error of the status.
    pub refusal: Option<RestError>,
}

/// Why a rule is refused.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum RuleError {
    Invalid(String),
    /// Another rule has this name.
    NameTaken(String),
    TooMany,
}

/// The most rules that a world can have.
const RULES_MAX: usize = 1_000;
/// The most memory that the matchers of all rules may take. The estimate is never too low.
const MATCHERS_MAX: usize = 32 << 20;

impl Faults {
    /// Whether anything is armed. Every request checks this first, so it must be cheap.
    pub(crate) fn is_armed(&self) -> bool {
        self.is_armed.load(Ordering::Relaxed)
    }

    /// Returns the limit of the profile in force, and the profile's name.
    pub(crate) fn profile_limit(&self) -> Option<(RateLimit, &'static str)> {
        self.is_tight.load(Ordering::Relaxed).then(|| (profile::TIGHT_LIMIT.to_rate_limit(), profile::RATE_LIMITED))
    }

    /// Returns what the profile in force does to callbacks, and the seed of its chances.
    pub(crate) fn callback_losses(&self) -> Option<(CallbackLosses, u64)> {
        let seed = || self.state.read().unwrap_or_else(PoisonError::into_inner).profile_seed;
        self.is_lossy.load(Ordering::Relaxed).then(|| (profile::CALLBACK_LOSSES, seed()))
    }

    /// Returns the fault of the first rule that fires for a request. The first rule that only delays is combined with
    /// it; no other rule counts the request once these two are found.
    pub(crate) fn match_request(&self, request: &IncomingRequest<'_>, now: FaultTime) -> Option<FiredFault> {
        let state = self.state.read().unwrap_or_else(PoisonError::into_inner);
        let mut met = MatchedRules::default();
        let own = state.rules.partition_point(|armed| armed.source == FaultSource::Rule);
        let (own, rest) = state.rules.split_at(own);
        let try_all = |rules: &[Arc<ArmedRule>], met: &mut MatchedRules| {
            for armed in rules.iter().filter(|armed| !armed.is_expired(now)) {
                let only_delays = armed.rule.only_delays();
                if met.has_room_for(only_delays)
                    && let Some(wait) = armed.try_fire(request, now)
                {
                    met.add(only_delays, FiredFault::from_rule(armed, wait));
                }
            }
        };
        try_all(own, &mut met);
        for (rule, fired) in requested_faults(state.options, request) {
            if met.has_room_for(rule.only_delays()) {
                met.add(rule.only_delays(), fired);
            }
        }
        try_all(rest, &mut met);
        let fired = met.into_fired();
        let is_over = state.rules.iter().any(|armed| armed.is_expired(now));
        drop(state);
        if is_over {
            self.change_state(|state| state.rules.retain(|armed| !armed.is_expired(now)));
        }
        fired
    }

    /// Lists all rules in the order they are tried, with the reason why each would not fire for a request. Counts
    /// nothing.
    pub(crate) fn explain_request(&self, request: &IncomingRequest<'_>, now: FaultTime) -> Vec<RuleExplanation> {
        let state = self.state.read().unwrap_or_else(PoisonError::into_inner);
        let own = state.rules.partition_point(|armed| armed.source == FaultSource::Rule);
        let (own, rest) = state.rules.split_at(own);
        let explain = |armed: &Arc<ArmedRule>| {
            (armed.name.clone(), armed.source, armed.rule.only_delays(), armed.check_match(request, now))
        };
        let is_there = |armed: &&Arc<ArmedRule>| !armed.is_expired(now);
        let requested = requested_faults(state.options, request);
        let requested =
            requested.into_iter().map(|(rule, fired)| (fired.name, fired.source, rule.only_delays(), Ok(())));
        let all =
            own.iter().filter(is_there).map(explain).chain(requested).chain(rest.iter().filter(is_there).map(explain));
        // The names of the rule that fires and of the rule that delays.
        let mut fires: [Option<Box<str>>; 2] = [None, None];
        let explained = all.map(|(name, source, only_delays, outcome)| {
            let taken = &mut fires[usize::from(only_delays)];
            let reason = match (outcome, &*taken) {
                (Err(reason), _) => Some(reason),
                (Ok(()), Some(first)) => Some(NoMatchReason::from_reason(match only_delays {
                    true => format!("the rule '{first}' already delays it, and only one rule can"),
                    false => format!("the rule '{first}' fires first, and only one rule can"),
                })),
                (Ok(()), None) => {
                    *taken = Some(name.clone());
                    None
                }
            };
            RuleExplanation { name, source, only_delays, reason }
        });
        explained.collect()
    }

    /// Returns the rules in force, in the order they are tried.
    pub(crate) fn rules(&self, now: FaultTime) -> Vec<Arc<ArmedRule>> {
        self.change_state(|state| {
            state.rules.retain(|armed| !armed.is_expired(now));
            state.rules.clone()
        })
    }

    /// Arms a rule behind the existing ones. `seed` is called only if the rule depends on chance.
    pub(crate) fn add_rule(
        &self,
        rule: FaultRule,
        now: FaultTime,
        seed: impl FnOnce() -> u64,
    ) -> Result<Arc<ArmedRule>, RuleError> {
        rule.check().map_err(RuleError::Invalid)?;
        self.change_state(|state| {
            state.rules.retain(|armed| !armed.is_expired(now));
            let name = match &rule.name {
                Some(name) if state.has_rule(name) => return Err(RuleError::NameTaken(name.clone())),
                Some(name) => name.clone(),
                None => state.free_name(),
            };
            if state.rules.len() >= RULES_MAX || state.matchers_weight() + rule.matcher_weight() > MATCHERS_MAX {
                return Err(RuleError::TooMany);
            }
            let armed = Arc::new(ArmedRule::new(name.into(), FaultSource::Rule, rule, now, seed));
            state.insert_rule(armed.clone());
            Ok(armed)
        })
    }

    /// Replaces the rule of this name and starts its counts from zero. If there is none, adds the rule behind the
    /// others.
    pub(crate) fn put_rule(
        &self,
        name: &str,
        rule: FaultRule,
        now: FaultTime,
        seed: impl FnOnce() -> u64,
    ) -> Result<Arc<ArmedRule>, RuleError> {
        let rule = FaultRule { name: Some(name.to_owned()), ..rule };
        rule.check().map_err(RuleError::Invalid)?;
        self.change_state(|state| {
            let armed = Arc::new(ArmedRule::new(name.into(), FaultSource::Rule, rule, now, seed));
            let place = state.rules.iter().position(|armed| *armed.name == *name);
            let freed = place.map_or(0, |at| state.rules[at].rule.matcher_weight());
            if state.matchers_weight() - freed + armed.rule.matcher_weight() > MATCHERS_MAX {
                return Err(RuleError::TooMany);
            }
            match place {
                Some(at) if state.rules[at].source != FaultSource::Rule => {
                    return Err(RuleError::NameTaken(name.to_owned()));
                }
                Some(at) => state.rules[at] = armed.clone(),
                None if state.rules.len() >= RULES_MAX => return Err(RuleError::TooMany),
                None => state.insert_rule(armed.clone()),
            }
            Ok(armed)
        })
    }

    /// Returns false if there is no such rule.
    pub(crate) fn remove_rule(&self, name: &str) -> bool {
        self.change_state(|state| {
            let before = state.rules.len();
            state.rules.retain(|armed| *armed.name != *name);
            state.rules.len() < before
        })
    }

    /// Removes all rules, the plan and the profile.
    pub(crate) fn disarm_all(&self) {
        self.change_state(|state| {
            state.rules.clear();
            state.plan = None;
            state.profile = None;
        });
    }

    pub(crate) fn save(&self) -> FaultsState {
        FaultsState(self.state.read().unwrap_or_else(PoisonError::into_inner).copy())
    }

    pub(crate) fn load(&self, saved: &FaultsState) {
        let state = saved.0.copy();
        self.change_state(|current| *current = state);
    }

    pub(crate) fn plan(&self) -> Option<FaultPlan> {
        self.state.read().unwrap_or_else(PoisonError::into_inner).plan.clone()
    }

    /// Arms a plan in place of the previous one.
    pub(crate) fn set_plan(&self, plan: Option<FaultPlan>, now: FaultTime) {
        self.change_state(|state| {
            state.arm_source(FaultSource::Plan, plan.as_ref().map_or(&[], |plan| &plan.rules), now, &mut || 0);
            state.plan = plan;
        });
    }

    pub(crate) fn profile(&self) -> Option<&'static str> {
        self.state.read().unwrap_or_else(PoisonError::into_inner).profile
    }

    /// Arms a profile in place of the previous one. Returns false if no profile has this name.
    pub(crate) fn set_profile(&self, name: Option<&str>, now: FaultTime, mut seed: impl FnMut() -> u64) -> bool {
        let profile = name.map(profile::find_profile);
        if profile.as_ref().is_some_and(Option::is_none) {
            return false;
        }
        let profile = profile.flatten();
        self.change_state(|state| {
            state.arm_source(
                FaultSource::Profile,
                profile.as_ref().map_or(&[], |profile| &profile.rules),
                now,
                &mut seed,
            );
            state.profile_seed = if profile.as_ref().is_some_and(|p| p.callbacks.is_some()) { seed() } else { 0 };
            state.profile = profile.map(|profile| profile.name);
        });
        true
    }

    pub(crate) fn options(&self) -> FaultOptions {
        self.state.read().unwrap_or_else(PoisonError::into_inner).options
    }

    pub(crate) fn set_options(&self, change: impl FnOnce(&mut FaultOptions)) {
        self.change_state(|state| change(&mut state.options));
    }

    fn change_state<T>(&self, change: impl FnOnce(&mut ArmedFaults) -> T) -> T {
        let mut state = self.state.write().unwrap_or_else(PoisonError::into_inner);
        let done = change(&mut state);
        self.is_armed.store(!state.rules.is_empty() || state.options != FaultOptions::default(), Ordering::Relaxed);
        self.is_tight.store(state.profile == Some(profile::RATE_LIMITED), Ordering::Relaxed);
        self.is_lossy.store(state.profile == Some(LOSSY_CALLBACKS), Ordering::Relaxed);
        done
    }
}

impl FaultsState {
    pub(crate) fn rules(&self) -> &[Arc<ArmedRule>] {
        &self.0.rules
    }
}

impl ArmedFaults {
    /// The copied rules have counts that are independent of the originals.
    fn copy(&self) -> Self {
        let rules = self.rules.iter().map(|armed| Arc::new(armed.copy())).collect();
        Self { rules, ..self.clone() }
    }

    fn has_rule(&self, name: &str) -> bool {
        self.rules.iter().any(|armed| *armed.name == *name)
    }

    fn matchers_weight(&self) -> usize {
        self.rules.iter().map(|armed| armed.rule.matcher_weight()).sum()
    }

    fn free_name(&mut self) -> String {
        loop {
            self.names_given = self.names_given.wrapping_add(1);
            let name = format!("fault-{}", self.names_given);
            if !self.has_rule(&name) {
                return name;
            }
        }
    }

    fn insert_rule(&mut self, armed: Arc<ArmedRule>) {
        let at = self.rules.partition_point(|other| other.source <= armed.source);
        self.rules.insert(at, armed);
    }

    /// Replaces the rules of a source. A rule whose name is taken gets a generated name.
    fn arm_source(&mut self, source: FaultSource, rules: &[FaultRule], now: FaultTime, seed: &mut dyn FnMut() -> u64) {
        self.rules.retain(|armed| armed.source != source);
        for rule in rules {
            let name = rule.name.clone().filter(|name| !self.has_rule(name));
            let name = name.unwrap_or_else(|| self.free_name());
            self.insert_rule(Arc::new(ArmedRule::new(name.into(), source, rule.clone(), now, &mut *seed)));
        }
    }
}

impl FiredFault {
    fn from_rule(armed: &ArmedRule, wait: Duration) -> Self {
        let (name, effect, commit) = (armed.name.clone(), armed.rule.effect.clone(), armed.rule.commit);
        Self { name, source: armed.source, wait, effect, commit, refusal: None }
    }

    fn from_prefer(rule: FaultRule) -> Self {
        Self::from_request("prefer".into(), FaultSource::Prefer, rule, None)
    }

    fn from_magic((rule, refusal): (FaultRule, Option<RestError>)) -> Self {
        let name = rule.name.clone().unwrap_or_default();
        Self::from_request(name.into(), FaultSource::Magic, rule, refusal)
    }

    fn from_request(name: Box<str>, source: FaultSource, rule: FaultRule, refusal: Option<RestError>) -> Self {
        let commit = rule.commit;
        let wait = rule
            .effect
            .latency
            .map_or(Duration::ZERO, |latency| latency.draw_wait(&mut random::SeededRandom::for_event(0, 0)));
        Self { name, source, wait, effect: rule.effect, commit, refusal }
    }
}
