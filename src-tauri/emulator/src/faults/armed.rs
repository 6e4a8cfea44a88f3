//! An armed rule: when it was armed, what it has counted, and whether it fires for a request.

use std::{
    collections::{HashMap, VecDeque},
    fmt,
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

use roost_ops::Core;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    asked::Request,
    draw::Draw,
    rule::{Apply, Rule},
};
use crate::{access::Prints, journal::Miss};

/// Where a rule comes from, in the order in which rules are tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "FaultSource")]
pub enum Source {
    /// Created by name.
    Rule,
    /// The Prefer header of the request.
    Prefer,
    /// A magic number in the request.
    Magic,
    Plan,
    Profile,
}

/// The present time, as real time and by the world's clock in nanoseconds.
#[derive(Debug, Clone, Copy)]
pub struct Now {
    pub real: Instant,
    pub world: i64,
}

impl Now {
    pub fn of(core: &Core) -> Self {
        Self { real: Instant::now(), world: core.ctx().clock().nanos() }
    }
}

#[derive(Debug)]
pub struct Armed {
    pub name: Box<str>,
    pub source: Source,
    pub rule: Rule,
    /// When the rule was armed, by the world's clock in nanoseconds.
    made: i64,
    ends: Option<Instant>,
    seed: u64,
    counted: Mutex<Counted>,
    prints: Prints,
}

/// The part of an armed rule that a snapshot stores besides the rule itself.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Made {
    /// When the rule was armed, by the world's clock in nanoseconds.
    made: i64,
    seed: u64,
    prints: Prints,
    counted: Counts,
    /// The fingerprint of each value with its counts, oldest value first.
    apart: Vec<(u64, Counts)>,
}

#[derive(Debug, Clone, Default)]
struct Counted {
    all: Counts,
    apart: HashMap<u64, Counts>,
    /// Fingerprints of the values in the order of their first request. When there are too many, the oldest is dropped.
    order: VecDeque<u64>,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Counts {
    /// Requests that matched.
    pub seen: u64,
    /// Matching requests for which the rule fired.
    pub hits: u64,
}

/// The most values that one rule counts separately.
const APART_MAX: usize = 10_000;

impl Armed {
    /// `seed` is called only if the rule depends on chance and has no seed.
    pub fn new(name: Box<str>, source: Source, mut rule: Rule, now: Now, seed: impl FnOnce() -> u64) -> Self {
        rule.name = Some(name.clone().into());
        if rule.is_chance() && rule.apply.seed.is_none() {
            rule.apply.seed = Some(seed());
        }
        let seed = rule.apply.seed.unwrap_or_default();
        let ends = rule.ttl.and_then(|ttl| now.real.checked_add(ttl.0));
        Self { name, source, rule, made: now.world, ends, seed, counted: Mutex::default(), prints: Prints::default() }
    }

    /// Copies the rule with its counts. The time it has left at `from` is the time it has left at `to`.
    pub fn copy(&self, from: Instant, to: Instant) -> Self {
        let counted = self.counted.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let ends = self.ends.and_then(|ends| to.checked_add(ends.saturating_duration_since(from)));
        let (name, rule, prints) = (self.name.clone(), self.rule.clone(), self.prints);
        Self {
            name,
            source: self.source,
            rule,
            made: self.made,
            ends,
            seed: self.seed,
            counted: counted.into(),
            prints,
        }
    }

    pub fn is_over(&self, now: Now) -> bool {
        self.ends.is_some_and(|ends| ends <= now.real)
    }

    /// Returns the time until the rule ends, if it has an end.
    pub fn left(&self, now: Now) -> Option<Duration> {
        self.left_at(now.real)
    }

    pub fn left_at(&self, now: Instant) -> Option<Duration> {
        self.ends.map(|ends| ends.saturating_duration_since(now))
    }

    pub fn made(&self) -> Made {
        let counted = self.counted.lock().unwrap_or_else(PoisonError::into_inner);
        let apart = counted.order.iter().filter_map(|print| Some((*print, *counted.apart.get(print)?)));
        Made { made: self.made, seed: self.seed, prints: self.prints, counted: counted.all, apart: apart.collect() }
    }

    /// Restores a rule from a snapshot.
    pub fn again(name: Box<str>, source: Source, rule: Rule, made: Made, ends: Option<Instant>) -> Self {
        let Made { made, seed, prints, counted, apart } = made;
        let order = apart.iter().map(|(print, _)| *print).collect();
        let counted = Counted { all: counted, apart: apart.into_iter().collect(), order };
        Self { name, source, rule, made, ends, seed, counted: counted.into(), prints }
    }

    pub fn counts(&self) -> Counts {
        self.counted.lock().unwrap_or_else(PoisonError::into_inner).all
    }

    fn is_time(&self, now: Now) -> bool {
        let Some(window) = self.rule.apply.window else { return true };
        let passed = i128::from(now.world) - i128::from(self.made);
        let nanos = |time: Duration| i128::try_from(time.as_nanos()).unwrap_or(i128::MAX);
        let begins = nanos(window.after.0);
        passed >= begins && window.r#for.is_none_or(|length| passed < begins.saturating_add(nanos(length.0)))
    }

    /// Checks whether the rule would fire for a request now, and says why not. Counts nothing.
    pub fn judge(&self, request: &Request<'_>, now: Now) -> Result<(), Passed> {
        if !self.is_time(now) {
            return Err(Passed::because("the request is outside the rule's window on the world's clock"));
        }
        if let Some(matcher) = &self.rule.matcher {
            let misses = matcher.test(request).misses;
            if !misses.is_empty() {
                return Err(Passed { why: "the request does not match".to_owned(), misses });
            }
        }
        let apply = &self.rule.apply;
        let value = apply.per_key_of.as_deref().map(|place| self.prints.of(request.value_of(place).as_bytes()));
        let counted = self.counted.lock().unwrap_or_else(PoisonError::into_inner);
        let all = counted.all;
        let Counts { seen, hits } = match value {
            Some(value) => counted.apart.get(&value).copied().unwrap_or_default(),
            None => all,
        };
        drop(counted);
        let counts = Counts { seen: seen + 1, hits };
        let chance = Draw::of(self.seed, all.seen + 1).unit();
        apply.exclusion(counts, chance).map_or(Ok(()), |why| Err(Passed::because(why.to_string())))
    }

    /// Counts the request if it matches. If the rule fires, returns how long the response waits.
    pub fn meets(&self, request: &Request<'_>, now: Now) -> Option<Duration> {
        if self.is_over(now) || !self.is_time(now) || !self.rule.matcher.as_ref().is_none_or(|m| m.hits(request)) {
            return None;
        }
        let apply = &self.rule.apply;
        let value = apply.per_key_of.as_deref().map(|place| self.prints.of(request.value_of(place).as_bytes()));
        let mut counted = self.counted.lock().unwrap_or_else(PoisonError::into_inner);
        counted.all.seen += 1;
        let mut draw = Draw::of(self.seed, counted.all.seen);
        let chance = draw.unit();
        let counts = counted.of(value);
        if value.is_some() {
            counts.seen += 1;
        }
        if apply.exclusion(*counts, chance).is_some() {
            return None;
        }
        counts.hits += 1;
        if value.is_some() {
            counted.all.hits += 1;
        }
        Some(self.rule.effect.latency.map_or(Duration::ZERO, |latency| latency.draw(&mut draw)))
    }
}

/// The condition that excludes a request although the rule matches it.
enum Exclusion {
    Skipped { more: u64 },
    NotFirst { first: u64, number: u64 },
    NotEvery { every: u64, number: u64 },
    Recovered { after: u64 },
    Chance(f64),
}

impl fmt::Display for Exclusion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Skipped { more } => write!(f, "the rule skips {more} more matches"),
            Self::NotFirst { first, number } => {
                write!(f, "the rule fires on the first {first} matches only, and this is match {number}")
            }
            Self::NotEvery { every, number } => {
                write!(f, "the rule fires on every match in {every}, and this is match {number}")
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

impl Apply {
    /// Expects `counts` that already include this request.
    fn exclusion(&self, Counts { seen, hits }: Counts, chance: f64) -> Option<Exclusion> {
        let Some(number) = seen.checked_sub(self.skip).filter(|number| *number > 0) else {
            return Some(Exclusion::Skipped { more: self.skip - seen + 1 });
        };
        if let Some(first) = self.first.filter(|first| number > *first) {
            return Some(Exclusion::NotFirst { first, number });
        }
        if let Some(every) = self.every.filter(|every| !number.is_multiple_of(*every)) {
            return Some(Exclusion::NotEvery { every, number });
        }
        if let Some(after) = self.recover_after.filter(|after| hits >= *after) {
            return Some(Exclusion::Recovered { after });
        }
        self.probability.filter(|probability| chance >= *probability).map(Exclusion::Chance)
    }
}

/// Why a rule does not fire for a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Passed {
    pub why: String,
    /// The parts of the matcher that the request misses.
    pub misses: Vec<Miss>,
}

impl Passed {
    pub fn because(why: impl Into<String>) -> Self {
        Self { why: why.into(), misses: Vec::new() }
    }
}

impl Counted {
    fn of(&mut self, value: Option<u64>) -> &mut Counts {
        let Some(value) = value else { return &mut self.all };
        if !self.apart.contains_key(&value) {
            if self.order.len() >= APART_MAX
                && let Some(oldest) = self.order.pop_front()
            {
                self.apart.remove(&oldest);
            }
            self.order.push_back(value);
        }
        self.apart.entry(value).or_default()
    }
}

#[cfg(test)]
mod tests {
    use roost_model::time::NANOS_PER_SECOND;
    use roost_wire::OperationId;
    use serde_json::{Value, json};

    use super::{super::asked::tests::head, *};

    struct Tried {
        armed: Armed,
        begun: Instant,
    }

    impl Tried {
        fn of(rule: Value) -> Self {
            let rule: Rule = serde_json::from_value(rule).expect("a rule");
            rule.check().expect("a rule that can be");
            let begun = Instant::now();
            let now = Now { real: begun, world: 5 * NANOS_PER_SECOND };
            Self { armed: Armed::new("r".into(), Source::Rule, rule, now, || 7), begun }
        }

        fn meets(&self, target: &str, body: &str, after: u64) -> bool {
            let parts = head(target, &[]);
            let operation = OperationId::ContactsCreate.operation();
            let request = Request { operation, parts: &parts, key: b"k", body: body.as_bytes() };
            let world = 5 * NANOS_PER_SECOND + i64::try_from(after).expect("small") * NANOS_PER_SECOND;
            self.armed.meets(&request, Now { real: self.begun + Duration::from_secs(after), world }).is_some()
        }

        fn row(&self, count: u64) -> String {
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
            let tried = Tried::of(json!({ "effect": { "status": 500 }, "apply": apply }));
            assert_eq!(tried.row(8), want, "{apply}");
            let counts = tried.armed.counts();
            assert_eq!((counts.seen, counts.hits as usize), (8, want.matches('x').count()), "{apply}");
        }
    }

    #[test]
    fn chance_is_settled_by_the_seed() {
        let rule = |seed: u64| json!({ "effect": { "status": 500 }, "apply": { "probability": 0.3, "seed": seed } });
        let row = Tried::of(rule(1)).row(1_000);
        assert_eq!(row, Tried::of(rule(1)).row(1_000));
        assert_ne!(row, Tried::of(rule(2)).row(1_000));
        let hits = row.matches('x').count();
        assert!((250..350).contains(&hits), "{hits}");
    }

    #[test]
    fn values_are_counted_apart_and_the_oldest_gives_way() {
        let tried = Tried::of(json!({
            "effect": { "status": 500 }, "apply": { "first": 1, "per_key_of": "correlation_id" }
        }));
        let meets = |id: &str| tried.meets("/a", &json!({ "correlation_id": id }).to_string(), 0);
        assert!(meets("a") && meets("b") && !meets("a") && !meets("b"));
        let counts = tried.armed.counts();
        assert_eq!((counts.seen, counts.hits), (4, 2));
        for n in 0..APART_MAX {
            assert!(meets(&n.to_string()));
        }
        assert!(meets("a"), "forgotten by now");
        assert!(!meets("9999"));
        assert_eq!(tried.armed.counted.lock().expect("whole").apart.len(), APART_MAX);
    }

    #[test]
    fn windows_and_ends_are_kept() {
        let tried = Tried::of(json!({
            "effect": { "status": 500 }, "apply": { "window": { "after": "10s", "for": "5s" } }, "ttl": "14s"
        }));
        let met: Vec<u64> = (0..20).filter(|second| tried.meets("/a", "", *second)).collect();
        assert_eq!(met, [10, 11, 12, 13]);
        let now = |second| Now { real: tried.begun + Duration::from_secs(second), world: 0 };
        assert!(!tried.armed.is_over(now(13)) && tried.armed.is_over(now(14)));
        assert_eq!(tried.armed.left(now(4)), Some(Duration::from_secs(10)));
    }

    #[test]
    fn a_request_that_does_not_fit_is_not_counted() {
        let tried = Tried::of(json!({
            "match": { "path": "/contacts/v1/contacts" }, "effect": { "status": 500 }, "apply": { "first": 1 }
        }));
        assert!(!tried.meets("/a", "", 0) && !tried.meets("/a", "", 0) && tried.meets("/contacts/v1/contacts", "", 0));
        assert_eq!(tried.armed.counts().seen, 1);
    }
}
