//! An armed rule: when it was armed, what it has counted, and whether it fires for a request.

use std::{
    collections::{HashMap, VecDeque},
    fmt,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use roost_journal::FieldMismatch;
use roost_ops::Core;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    random::SeededRandom,
    request::IncomingRequest,
    rule::{FaultConditions, FaultRule},
};
use crate::access::KeyFingerprints;

/// Where a rule comes from, in the order in which rules are tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "FaultSource")]
pub(crate) enum FaultSource {
    /// Created by name.
    Rule,
    /// The Prefer header of the request.
    Prefer,
    /// A magic number in the request.
    Magic,
    Plan,
    Profile,
}

/// The present time by the world's clock, in nanoseconds.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FaultTime(pub i64);

impl FaultTime {
    pub(crate) fn from_core(core: &Core) -> Self {
        Self(core.ctx().clock().nanos())
    }
}

#[derive(Debug)]
pub(crate) struct ArmedRule {
    pub name: Box<str>,
    pub source: FaultSource,
    pub rule: FaultRule,
    /// When the rule was armed, by the world's clock in nanoseconds.
    made_at: i64,
    seed: u64,
    counted: Mutex<RuleCounters>,
    prints: KeyFingerprints,
}

/// The part of an armed rule that a snapshot stores besides the rule itself.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct ArmedRuleState {
    /// When the rule was armed, by the world's clock in nanoseconds.
    made: i64,
    seed: u64,
    prints: KeyFingerprints,
    counted: RuleCounts,
    /// The fingerprint of each value with its counts, oldest value first.
    apart: Vec<(u64, RuleCounts)>,
}

#[derive(Debug, Clone, Default)]
struct RuleCounters {
    all: RuleCounts,
    by_value: HashMap<u64, RuleCounts>,
    /// Fingerprints of the values in the order of their first request. When there are too many, the oldest is dropped.
    order: VecDeque<u64>,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RuleCounts {
    /// Requests that matched.
    pub seen: u64,
    /// Matching requests for which the rule fired.
    pub hits: u64,
}

/// The most values that one rule counts separately.
const SEPARATE_COUNTS_MAX: usize = 10_000;

impl ArmedRule {
    /// `seed` is called only if the rule depends on chance and has no seed.
    pub(crate) fn new(
        name: Box<str>,
        source: FaultSource,
        mut rule: FaultRule,
        now: FaultTime,
        seed: impl FnOnce() -> u64,
    ) -> Self {
        rule.name = Some(name.clone().into());
        if rule.has_chance() && rule.apply.seed.is_none() {
            rule.apply.seed = Some(seed());
        }
        let seed = rule.apply.seed.unwrap_or_default();
        Self { name, source, rule, made_at: now.0, seed, counted: Mutex::default(), prints: KeyFingerprints::default() }
    }

    /// Copies the rule with its counts.
    pub(crate) fn copy(&self) -> Self {
        let counted = self.counted.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let Self { name, source, rule, made_at, seed, counted: _, prints } = self;
        Self {
            name: name.clone(),
            source: *source,
            rule: rule.clone(),
            made_at: *made_at,
            seed: *seed,
            counted: counted.into(),
            prints: *prints,
        }
    }

    pub(crate) fn is_expired(&self, now: FaultTime) -> bool {
        self.time_left(now).is_some_and(|left| left.is_zero())
    }

    /// Returns the time until the rule ends, if it has an end.
    pub(crate) fn time_left(&self, now: FaultTime) -> Option<Duration> {
        let left = to_nanos(self.rule.ttl?.0).saturating_sub(self.time_passed(now)).max(0);
        Some(Duration::from_nanos(u64::try_from(left).unwrap_or(u64::MAX)))
    }

    /// Returns the nanoseconds since the rule was armed.
    fn time_passed(&self, now: FaultTime) -> i128 {
        i128::from(now.0) - i128::from(self.made_at)
    }

    pub(crate) fn to_state(&self) -> ArmedRuleState {
        let counted = self.counted.lock().unwrap_or_else(PoisonError::into_inner);
        let apart = counted.order.iter().filter_map(|print| Some((*print, *counted.by_value.get(print)?)));
        ArmedRuleState {
            made: self.made_at,
            seed: self.seed,
            prints: self.prints,
            counted: counted.all,
            apart: apart.collect(),
        }
    }

    /// Restores a rule from a snapshot.
    pub(crate) fn from_state(name: Box<str>, source: FaultSource, rule: FaultRule, state: ArmedRuleState) -> Self {
        let ArmedRuleState { made: made_at, seed, prints, counted, apart } = state;
        let order = apart.iter().map(|(print, _)| *print).collect();
        let counted = RuleCounters { all: counted, by_value: apart.into_iter().collect(), order };
        Self { name, source, rule, made_at, seed, counted: counted.into(), prints }
    }

    pub(crate) fn counts(&self) -> RuleCounts {
        self.counted.lock().unwrap_or_else(PoisonError::into_inner).all
    }

    fn is_in_window(&self, now: FaultTime) -> bool {
        let Some(window) = self.rule.apply.window else { return true };
        let (passed, begins) = (self.time_passed(now), to_nanos(window.after.0));
        passed >= begins && window.r#for.is_none_or(|length| passed < begins.saturating_add(to_nanos(length.0)))
    }

    /// Checks whether the rule would fire for a request now, and says why not. Counts nothing.
    pub(crate) fn check_match(&self, request: &IncomingRequest<'_>, now: FaultTime) -> Result<(), NoMatchReason> {
        if !self.is_in_window(now) {
            return Err(NoMatchReason::from_reason("the request is outside the rule's window on the world's clock"));
        }
        if let Some(matcher) = &self.rule.matcher {
            let misses = matcher.explain_match(request).misses;
            if !misses.is_empty() {
                return Err(NoMatchReason { why: "the request does not match".to_owned(), misses });
            }
        }
        let apply = &self.rule.apply;
        let value =
            apply.per_key_of.as_deref().map(|place| self.prints.fingerprint(request.value_at(place).as_bytes()));
        let counted = self.counted.lock().unwrap_or_else(PoisonError::into_inner);
        let all = counted.all;
        let RuleCounts { seen, hits } = match value {
            Some(value) => counted.by_value.get(&value).copied().unwrap_or_default(),
            None => all,
        };
        drop(counted);
        let counts = RuleCounts { seen: seen.saturating_add(1), hits };
        let chance = SeededRandom::for_event(self.seed, all.seen.saturating_add(1)).next_unit();
        apply.find_exclusion(counts, chance).map_or(Ok(()), |why| Err(NoMatchReason::from_reason(why.to_string())))
    }

    /// Counts the request if it matches. If the rule fires, returns how long the response waits.
    pub(crate) fn try_fire(&self, request: &IncomingRequest<'_>, now: FaultTime) -> Option<Duration> {
        if self.is_expired(now)
            || !self.is_in_window(now)
            || !self.rule.matcher.as_ref().is_none_or(|m| m.matches(request))
        {
            return None;
        }
        let apply = &self.rule.apply;
        let value =
            apply.per_key_of.as_deref().map(|place| self.prints.fingerprint(request.value_at(place).as_bytes()));
        let mut counted = self.counted.lock().unwrap_or_else(PoisonError::into_inner);
        counted.all.seen = counted.all.seen.saturating_add(1);
        let mut draw = SeededRandom::for_event(self.seed, counted.all.seen);
        let chance = draw.next_unit();
        let counts = counted.counts_for(value);
        if value.is_some() {
            counts.seen = counts.seen.saturating_add(1);
        }
        if apply.find_exclusion(*counts, chance).is_some() {
            return None;
        }
        counts.hits = counts.hits.saturating_add(1);
        if value.is_some() {
            counted.all.hits = counted.all.hits.saturating_add(1);
        }
        Some(self.rule.effect.latency.map_or(Duration::ZERO, |latency| latency.draw_wait(&mut draw)))
    }
}

fn to_nanos(time: Duration) -> i128 {
    i128::try_from(time.as_nanos()).unwrap_or(i128::MAX)
}

/// The condition that excludes a request although the rule matches it.
enum RuleExclusion {
    Skipped { more: u64 },
    NotFirst { first: u64, number: u64 },
    NotEvery { every: u64, number: u64 },
    Recovered { after: u64 },
    Chance(f64),
}

impl fmt::Display for RuleExclusion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Skipped { more } => write!(f, "the rule skips {more} more matches"),
            Self::NotFirst { first, number } => {
                write!(f, "the rule fires on the first {first} matches only, and this is match {number}")
            }
            Self::NotEvery { every, number } => {
                write!(f, "the rule fires once in {every} matches, and this is match {number}")
            }
            Self::Recovered { after } => write!(f, "the rule has fired {after} times and recovered"),
            Self::Chance(probability) => write!(
                f,
                "the random draw for probability {probability} excludes this \
             request"
            ),
        }
    }
}

impl FaultConditions {
    /// Expects `counts` that already include this request.
    fn find_exclusion(&self, RuleCounts { seen, hits }: RuleCounts, chance: f64) -> Option<RuleExclusion> {
        let Some(number) = seen.checked_sub(self.skip).filter(|number| *number > 0) else {
            return Some(RuleExclusion::Skipped { more: self.skip - seen + 1 });
        };
        if let Some(first) = self.first.filter(|first| number > *first) {
            return Some(RuleExclusion::NotFirst { first, number });
        }
        if let Some(every) = self.every.filter(|every| !number.is_multiple_of(*every)) {
            return Some(RuleExclusion::NotEvery { every, number });
        }
        if let Some(after) = self.recover_after.filter(|after| hits >= *after) {
            return Some(RuleExclusion::Recovered { after });
        }
        self.probability.filter(|probability| chance >= *probability).map(RuleExclusion::Chance)
    }
}

/// Why a rule does not fire for a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NoMatchReason {
    pub why: String,
    /// The parts of the matcher that the request misses.
    pub misses: Vec<FieldMismatch>,
}

impl NoMatchReason {
    pub(crate) fn from_reason(why: impl Into<String>) -> Self {
        Self { why: why.into(), misses: Vec::new() }
    }
}

impl RuleCounters {
    fn counts_for(&mut self, value: Option<u64>) -> &mut RuleCounts {
        let Some(value) = value else { return &mut self.all };
        if !self.by_value.contains_key(&value) {
            if self.order.len() >= SEPARATE_COUNTS_MAX
                && let Some(oldest) = self.order.pop_front()
            {
                self.by_value.remove(&oldest);
            }
            self.order.push_back(value);
        }
        self.by_value.entry(value).or_default()
    }
}

#[cfg(test)]
mod tests {
    use roost_model::time::NANOS_PER_SECOND;
    use roost_wire::OperationId;
    use serde_json::{Value, json};

    use super::{super::request::tests::request_head, *};

    struct RuleTrial {
        armed: ArmedRule,
    }

    fn time_after(seconds: u64) -> FaultTime {
        FaultTime((5 + i64::try_from(seconds).expect("small")) * NANOS_PER_SECOND)
    }

    impl RuleTrial {
        fn arm_rule(rule: Value) -> Self {
            let rule: FaultRule = serde_json::from_value(rule).expect("a rule");
            rule.check().expect("a rule that can be");
            Self { armed: ArmedRule::new("r".into(), FaultSource::Rule, rule, time_after(0), || 7) }
        }

        fn meets(&self, target: &str, body: &str, after: u64) -> bool {
            let parts = request_head(target, &[]);
            let operation = OperationId::ContactsCreate.operation();
            let request = IncomingRequest { operation, parts: &parts, key: b"k", body: body.as_bytes() };
            self.armed.try_fire(&request, time_after(after)).is_some()
        }

        fn fire_pattern(&self, count: u64) -> String {
            (0..count).map(|_| if self.meets("/a", "", 0) { 'x' } else { '.' }).collect()
        }
    }

    #[test]
    fn counts_are_exact() {
        for (apply, want) in [
            (json!({}), "xxxxxxxx"),
            (json!({ "first": 2 }), "xx......"),
            (json!({ "skip": 1, "first": 2 }), ".xx....."),
            (json!({ "every": 3 }), "..x..x.."),
            (json!({ "skip": 2, "every": 2, "recover_after": 2 }), "...x.x.."),
            (json!({ "probability": 1.0, "recover_after": 3 }), "xxx....."),
        ] {
            let tried = RuleTrial::arm_rule(json!({ "effect": { "status": 500 }, "apply": apply }));
            assert_eq!(tried.fire_pattern(8), want, "{apply}");
            let counts = tried.armed.counts();
            assert_eq!((counts.seen, counts.hits as usize), (8, want.matches('x').count()), "{apply}");
        }
    }

    #[test]
    fn chance_is_settled_by_the_seed() {
        let rule = |seed: u64| json!({ "effect": { "status": 500 }, "apply": { "probability": 0.3, "seed": seed } });
        let row = RuleTrial::arm_rule(rule(1)).fire_pattern(1_000);
        assert_eq!(row, RuleTrial::arm_rule(rule(1)).fire_pattern(1_000));
        assert_ne!(row, RuleTrial::arm_rule(rule(2)).fire_pattern(1_000));
        let hits = row.matches('x').count();
        assert!((250..350).contains(&hits), "{hits}");
    }

    #[test]
    fn values_are_counted_separately_and_the_oldest_is_removed_first() {
        let tried = RuleTrial::arm_rule(json!({
            "effect": { "status": 500 }, "apply": { "first": 1, "per_key_of": "correlation_id" }
        }));
        let meets = |id: &str| tried.meets("/a", &json!({ "correlation_id": id }).to_string(), 0);
        assert!(meets("a") && meets("b") && !meets("a") && !meets("b"));
        let counts = tried.armed.counts();
        assert_eq!((counts.seen, counts.hits), (4, 2));
        for n in 0..SEPARATE_COUNTS_MAX {
            assert!(meets(&n.to_string()));
        }
        assert!(meets("a"), "forgotten by now");
        assert!(!meets("9999"));
        assert_eq!(tried.armed.counted.lock().expect("whole").by_value.len(), SEPARATE_COUNTS_MAX);
    }

    #[test]
    fn windows_and_ends_are_kept() {
        let tried = RuleTrial::arm_rule(json!({
            "effect": { "status": 500 }, "apply": { "window": { "after": "10s", "for": "5s" } }, "ttl": "14s"
        }));
        let met: Vec<u64> = (0..20).filter(|second| tried.meets("/a", "", *second)).collect();
        assert_eq!(met, [10, 11, 12, 13]);
        assert!(!tried.armed.is_expired(time_after(13)) && tried.armed.is_expired(time_after(14)));
        assert_eq!(tried.armed.time_left(time_after(4)), Some(Duration::from_secs(10)));
    }

    #[test]
    fn a_request_that_does_not_fit_is_not_counted() {
        let tried = RuleTrial::arm_rule(json!({
            "match": { "path": "/contacts/v1/contacts" }, "effect": { "status": 500 }, "apply": { "first": 1 }
        }));
        assert!(!tried.meets("/a", "", 0) && !tried.meets("/a", "", 0) && tried.meets("/contacts/v1/contacts", "", 0));
        assert_eq!(tried.armed.counts().seen, 1);
    }
}
