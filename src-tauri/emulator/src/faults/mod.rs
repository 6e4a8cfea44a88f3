//! Injected faults of a world: rules in their order, with what they match and their effect.

mod armed;
mod asked;
mod draw;
mod effect;
mod magic;
mod met;
mod plan;
mod prefer;
mod profile;
mod rule;
mod span;
mod staged;
mod written;

use std::{
    sync::{
        Arc, PoisonError, RwLock,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use roost_wire::RestError;
use serde::{Deserialize, Serialize};

pub use self::{
    armed::{Armed, Now, Passed, Source},
    asked::Request,
    draw::Draw,
    magic::{Magic, all as magic_numbers, job as magic_fault},
    met::Explained,
    plan::{Plan, Wish as PlanWish},
    profile::{LOSSY_CALLBACKS, Losses, NAMES as PROFILES, Profile, all as profiles},
    rule::{Rule, is_name},
    span::Span,
};
use self::{
    effect::Effect,
    met::{Met, asked_for},
    rule::Commit,
};
use crate::settings::Rate;

#[derive(Default)]
pub struct Faults {
    /// False means that requests need no further look at the faults.
    is_armed: AtomicBool,
    /// Whether the profile in force is the one that limits requests.
    is_tight: AtomicBool,
    /// Whether the profile in force is the one that loses callbacks.
    is_lossy: AtomicBool,
    state: RwLock<State>,
}

/// Sources of faults that the operator can switch on besides rules.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Options {
    /// Whether magic numbers have their effect.
    pub magic: bool,
    /// Whether callers may ask for faults in the header Prefer.
    pub prefer: bool,
}

#[derive(Clone, Default)]
struct State {
    /// The operator's rules first, then those of a plan, then those of a profile.
    rules: Vec<Arc<Armed>>,
    /// How many rules were given a name by Roost.
    named: u64,
    plan: Option<Plan>,
    profile: Option<&'static str>,
    /// The seed for chances that a profile has besides its rules.
    profile_seed: u64,
    options: Options,
}

/// All faults of a world, with their counts and the time they have left.
#[derive(Clone, Default)]
pub struct FaultsState {
    state: State,
    saved_at: Option<Instant>,
}

/// The fault that a rule injects into one request.
pub struct Fired {
    /// The name of the rule in the journal.
    pub name: Box<str>,
    pub source: Source,
    pub wait: Duration,
    effect: Effect,
    commit: Commit,
    /// Sent in place of the plain error of the status.
    refusal: Option<RestError>,
}

/// Why a rule is refused.
#[derive(Debug, PartialEq, Eq)]
pub enum NotTaken {
    Invalid(String),
    /// Another rule has this name.
    Named(String),
    TooMany,
}

/// The most rules that a world can have.
const RULES_MAX: usize = 1_000;
/// The most memory that the matchers of all rules may take. The estimate is never too low.
const MATCHERS_MAX: usize = 32 << 20;

impl Faults {
    /// Whether anything is armed. Every request checks this first, so it must be cheap.
    pub fn is_armed(&self) -> bool {
        self.is_armed.load(Ordering::Relaxed)
    }

    /// Returns the limit of the profile in force, and the profile's name.
    pub fn limit(&self) -> Option<(Rate, &'static str)> {
        self.is_tight.load(Ordering::Relaxed).then(|| (profile::TIGHT.rate(), profile::RATE_LIMITED))
    }

    /// Returns what the profile in force does to callbacks, and the seed of its chances.
    pub fn losses(&self) -> Option<(Losses, u64)> {
        let seed = || self.state.read().unwrap_or_else(PoisonError::into_inner).profile_seed;
        self.is_lossy.load(Ordering::Relaxed).then(|| (profile::LOSSES, seed()))
    }

    /// Returns the fault of the first rule that fires for a request. The first rule that only delays is combined with
    /// it; no other rule counts the request once these two are found.
    pub fn decide(&self, request: &Request<'_>, now: Now) -> Option<Fired> {
        let state = self.state.read().unwrap_or_else(PoisonError::into_inner);
        let mut met = Met::default();
        let own = state.rules.partition_point(|armed| armed.source == Source::Rule);
        let (own, rest) = state.rules.split_at(own);
        let try_all = |rules: &[Arc<Armed>], met: &mut Met| {
            for armed in rules.iter().filter(|armed| !armed.is_over(now)) {
                let only_delays = armed.rule.only_delays();
                if met.wants(only_delays)
                    && let Some(wait) = armed.meets(request, now)
                {
                    met.take(only_delays, Fired::of(armed, wait));
                }
            }
        };
        try_all(own, &mut met);
        for (rule, fired) in asked_for(state.options, request) {
            if met.wants(rule.only_delays()) {
                met.take(rule.only_delays(), fired);
            }
        }
        try_all(rest, &mut met);
        let fired = met.together();
        let is_over = state.rules.iter().any(|armed| armed.is_over(now));
        drop(state);
        if is_over {
            self.change(|state| state.rules.retain(|armed| !armed.is_over(now)));
        }
        fired
    }

    /// Lists all rules in the order they are tried, with the reason why each would not fire for a request. Counts
    /// nothing.
    pub fn explain(&self, request: &Request<'_>, now: Now) -> Vec<Explained> {
        let state = self.state.read().unwrap_or_else(PoisonError::into_inner);
        let own = state.rules.partition_point(|armed| armed.source == Source::Rule);
        let (own, rest) = state.rules.split_at(own);
        let judged = |armed: &Arc<Armed>| {
            (armed.name.clone(), armed.source, armed.rule.only_delays(), armed.judge(request, now))
        };
        let is_there = |armed: &&Arc<Armed>| !armed.is_over(now);
        let asked = asked_for(state.options, request);
        let asked = asked.into_iter().map(|(rule, fired)| (fired.name, fired.source, rule.only_delays(), Ok(())));
        let all = own.iter().filter(is_there).map(judged).chain(asked).chain(rest.iter().filter(is_there).map(judged));
        // The names of the rule that fires and of the rule that delays.
        let mut fires: [Option<Box<str>>; 2] = [None, None];
        let explained = all.map(|(name, source, only_delays, judged)| {
            let taken = &mut fires[usize::from(only_delays)];
            let passed = match (judged, &*taken) {
                (Err(passed), _) => Some(passed),
                (Ok(()), Some(first)) => Some(Passed::because(match only_delays {
                    true => format!("the rule '{first}' already delays it, and only one rule can"),
                    false => format!("the rule '{first}' fires first, and only one rule can"),
                })),
                (Ok(()), None) => {
                    *taken = Some(name.clone());
                    None
                }
            };
            Explained { name, source, only_delays, passed }
        });
        explained.collect()
    }

    /// Returns the rules in force, in the order they are tried.
    pub fn rules(&self, now: Now) -> Vec<Arc<Armed>> {
        self.change(|state| {
            state.rules.retain(|armed| !armed.is_over(now));
            state.rules.clone()
        })
    }

    pub fn get(&self, name: &str, now: Now) -> Option<Arc<Armed>> {
        self.rules(now).into_iter().find(|armed| *armed.name == *name)
    }

    /// Arms a rule behind the existing ones. `seed` is called only if the rule depends on chance.
    pub fn add(&self, rule: Rule, now: Now, seed: impl FnOnce() -> u64) -> Result<Arc<Armed>, NotTaken> {
        rule.check().map_err(NotTaken::Invalid)?;
        self.change(|state| {
            state.rules.retain(|armed| !armed.is_over(now));
            let name = match &rule.name {
                Some(name) if state.has(name) => return Err(NotTaken::Named(name.clone())),
                Some(name) => name.clone(),
                None => state.free_name(),
            };
            if state.rules.len() >= RULES_MAX || state.weight() + rule.weight() > MATCHERS_MAX {
                return Err(NotTaken::TooMany);
            }
            let armed = Arc::new(Armed::new(name.into(), Source::Rule, rule, now, seed));
            state.insert(armed.clone());
            Ok(armed)
        })
    }

    /// Replaces the rule of this name and starts its counts from zero. If there is none, adds the rule behind the
    /// others.
    pub fn put(&self, name: &str, rule: Rule, now: Now, seed: impl FnOnce() -> u64) -> Result<Arc<Armed>, NotTaken> {
        let rule = Rule { name: Some(name.to_owned()), ..rule };
        rule.check().map_err(NotTaken::Invalid)?;
        self.change(|state| {
            let armed = Arc::new(Armed::new(name.into(), Source::Rule, rule, now, seed));
            let place = state.rules.iter().position(|armed| *armed.name == *name);
            let freed = place.map_or(0, |at| state.rules[at].rule.weight());
            if state.weight() - freed + armed.rule.weight() > MATCHERS_MAX {
                return Err(NotTaken::TooMany);
            }
            match place {
                Some(at) if state.rules[at].source != Source::Rule => return Err(NotTaken::Named(name.to_owned())),
                Some(at) => state.rules[at] = armed.clone(),
                None if state.rules.len() >= RULES_MAX => return Err(NotTaken::TooMany),
                None => state.insert(armed.clone()),
            }
            Ok(armed)
        })
    }

    /// Returns false if there is no such rule.
    pub fn remove(&self, name: &str) -> bool {
        self.change(|state| {
            let before = state.rules.len();
            state.rules.retain(|armed| *armed.name != *name);
            state.rules.len() < before
        })
    }

    /// Removes all rules, the plan and the profile.
    pub fn disarm(&self) {
        self.change(|state| {
            state.rules.clear();
            state.plan = None;
            state.profile = None;
        });
    }

    pub fn save(&self) -> FaultsState {
        let now = Instant::now();
        let state = self.state.read().unwrap_or_else(PoisonError::into_inner).copy(now, now);
        FaultsState { state, saved_at: Some(now) }
    }

    pub fn load(&self, saved: &FaultsState) {
        let now = Instant::now();
        let state = saved.state.copy(saved.saved_at.unwrap_or(now), now);
        self.change(|current| *current = state);
    }

    pub fn plan(&self) -> Option<Plan> {
        self.state.read().unwrap_or_else(PoisonError::into_inner).plan.clone()
    }

    /// Arms a plan in place of the previous one.
    pub fn set_plan(&self, plan: Option<Plan>, now: Now) {
        self.change(|state| {
            state.arm(Source::Plan, plan.as_ref().map_or(&[], |plan| &plan.rules), now, &mut || 0);
            state.plan = plan;
        });
    }

    pub fn profile(&self) -> Option<&'static str> {
        self.state.read().unwrap_or_else(PoisonError::into_inner).profile
    }

    /// Arms a profile in place of the previous one. Returns false if no profile has this name.
    pub fn set_profile(&self, name: Option<&str>, now: Now, mut seed: impl FnMut() -> u64) -> bool {
        let profile = name.map(profile::find);
        if profile.as_ref().is_some_and(Option::is_none) {
            return false;
        }
        let profile = profile.flatten();
        self.change(|state| {
            state.arm(Source::Profile, profile.as_ref().map_or(&[], |profile| &profile.rules), now, &mut seed);
            state.profile_seed = if profile.as_ref().is_some_and(|p| p.callbacks.is_some()) { seed() } else { 0 };
            state.profile = profile.map(|profile| profile.name);
        });
        true
    }

    pub fn options(&self) -> Options {
        self.state.read().unwrap_or_else(PoisonError::into_inner).options
    }

    pub fn set_options(&self, change: impl FnOnce(&mut Options)) {
        self.change(|state| change(&mut state.options));
    }

    fn change<T>(&self, change: impl FnOnce(&mut State) -> T) -> T {
        let mut state = self.state.write().unwrap_or_else(PoisonError::into_inner);
        let done = change(&mut state);
        self.is_armed.store(!state.rules.is_empty() || state.options != Options::default(), Ordering::Relaxed);
        self.is_tight.store(state.profile == Some(profile::RATE_LIMITED), Ordering::Relaxed);
        self.is_lossy.store(state.profile == Some(LOSSY_CALLBACKS), Ordering::Relaxed);
        done
    }
}

impl State {
    /// The copied rules have counts that are independent of the originals.
    fn copy(&self, from: Instant, to: Instant) -> Self {
        let rules = self.rules.iter().map(|armed| Arc::new(armed.copy(from, to))).collect();
        Self { rules, ..self.clone() }
    }

    fn has(&self, name: &str) -> bool {
        self.rules.iter().any(|armed| *armed.name == *name)
    }

    fn weight(&self) -> usize {
        self.rules.iter().map(|armed| armed.rule.weight()).sum()
    }

    fn free_name(&mut self) -> String {
        loop {
            self.named += 1;
            let name = format!("fault-{}", self.named);
            if !self.has(&name) {
                return name;
            }
        }
    }

    fn insert(&mut self, armed: Arc<Armed>) {
        let at = self.rules.partition_point(|other| other.source <= armed.source);
        self.rules.insert(at, armed);
    }

    /// Replaces the rules of a source. A rule whose name is taken gets a generated name.
    fn arm(&mut self, source: Source, rules: &[Rule], now: Now, seed: &mut dyn FnMut() -> u64) {
        self.rules.retain(|armed| armed.source != source);
        for rule in rules {
            let name = rule.name.clone().filter(|name| !self.has(name));
            let name = name.unwrap_or_else(|| self.free_name());
            self.insert(Arc::new(Armed::new(name.into(), source, rule.clone(), now, &mut *seed)));
        }
    }
}

impl Fired {
    fn of(armed: &Armed, wait: Duration) -> Self {
        let (name, effect, commit) = (armed.name.clone(), armed.rule.effect.clone(), armed.rule.commit);
        Self { name, source: armed.source, wait, effect, commit, refusal: None }
    }

    fn preferred(rule: Rule) -> Self {
        Self::at_once("prefer".into(), Source::Prefer, rule, None)
    }

    fn magic((rule, refusal): (Rule, Option<RestError>)) -> Self {
        let name = rule.name.clone().unwrap_or_default();
        Self::at_once(name.into(), Source::Magic, rule, refusal)
    }

    fn at_once(name: Box<str>, source: Source, rule: Rule, refusal: Option<RestError>) -> Self {
        let commit = rule.commit;
        let wait = rule.effect.latency.map_or(Duration::ZERO, |latency| latency.draw(&mut draw::Draw::of(0, 0)));
        Self { name, source, wait, effect: rule.effect, commit, refusal }
    }
}
