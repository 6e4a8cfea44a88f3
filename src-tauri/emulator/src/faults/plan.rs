//! Fault plans: a list of rules with times, always the same for the same seed, to be printed and repeated.

use std::time::Duration;

use roost_wire::operation::OPERATIONS;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{
    draw::Draw,
    effect::{Effect, Latency, Line, Spoil},
    rule::{Apply, Commit, Rule, Window},
    span::Span,
};
use crate::journal::Matcher;

#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(rename = "FaultPlanWish")]
pub struct Wish {
    /// Default 1.
    pub seed: Option<u32>,
    /// How much of the world's time the plan covers, starting now. Default 10m.
    pub length: Option<Span>,
    /// The share of that time that has a fault. Default 0.1.
    #[schemars(range(min = 0.01, max = 0.9))]
    pub intensity: Option<f64>,
}

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "FaultPlan")]
pub struct Plan {
    /// Identifies the plan, so that it can be generated again.
    pub id: String,
    pub seed: u32,
    pub length: Span,
    pub intensity: f64,
    pub rules: Vec<Rule>,
}

impl Plan {
    pub fn make(wish: &Wish) -> Result<Self, String> {
        let seed = wish.seed.unwrap_or(1);
        let length = wish.length.unwrap_or(Span(Duration::from_secs(600)));
        let intensity = wish.intensity.unwrap_or(0.1);
        if !(0.01..=0.9).contains(&intensity) {
            return Err("intensity: expected a number from 0.01 to 0.9".into());
        }
        if length.0 < Duration::from_secs(1) {
            return Err("length: expected at least 1s".into());
        }
        let mut draw = Draw::of(seed.into(), 0);
        let mut rules = Vec::new();
        let mut at = Duration::ZERO;
        loop {
            let window = length.0.mul_f64(0.02 + 0.06 * draw.unit());
            let calm = window.mul_f64((1.0 / intensity - 1.0) * (0.5 + draw.unit()));
            at += calm;
            if at + window > length.0 {
                break;
            }
            let name = format!("plan-{seed}-{}", rules.len() + 1);
            rules.push(rule(name, whole(at), whole(window), &mut draw));
            at += window;
        }
        Ok(Self { id: format!("plan-{seed}-{length}-{intensity}"), seed, length, intensity, rules })
    }
}

/// Rounds down to whole milliseconds, so that the written duration reads back as the same value.
fn whole(time: Duration) -> Span {
    Span(Duration::from_millis(u64::try_from(time.as_millis()).unwrap_or(u64::MAX)))
}

fn rule(name: String, after: Span, length: Span, draw: &mut Draw) -> Rule {
    let (effect, commit) = effect(draw);
    let matcher = match draw.below(2) {
        0 => None,
        _ => {
            let n = usize::try_from(draw.below(OPERATIONS.len() as u64)).unwrap_or(0);
            Matcher::read(&json!({ "operation": OPERATIONS[n].name }), "match").ok()
        }
    };
    // In tenths, so that the written number reads back as the same value.
    let probability = [0.2, 0.4, 0.6, 0.8, 1.0][usize::try_from(draw.below(5)).unwrap_or(0)];
    let apply = Apply {
        probability: Some(probability),
        window: Some(Window { after, r#for: Some(length) }),
        seed: Some(draw.next() >> 32),
        ..Apply::default()
    };
    Rule { name: Some(name), matcher, effect, apply, ttl: None, commit }
}

fn effect(draw: &mut Draw) -> (Effect, Commit) {
    let status = |status| Effect { status: Some(status), ..Effect::default() };
    let effect = match draw.below(8) {
        0 => status(503),
        1 => status(500),
        2 => Effect { retry_after: Some(Span::of_secs(1)), ..status(429) },
        3 => Effect {
            latency: Some(Latency::Uniform { min: Span::of_millis(200), max: Span::of_secs(2) }),
            ..Effect::default()
        },
        4 => Effect { line: Some(Line::Reset), ..Effect::default() },
        5 => Effect { body: Some(Spoil::MalformedJson), ..Effect::default() },
        6 => Effect { body: Some(Spoil::Truncate { bytes: None }), ..Effect::default() },
        _ => return (Effect { line: Some(Line::Empty), ..Effect::default() }, Commit::After),
    };
    (effect, Commit::Before)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(seed: u32, intensity: f64) -> Plan {
        Plan::make(&Wish { seed: Some(seed), length: None, intensity: Some(intensity) }).expect("a plan")
    }

    #[test]
    fn a_seed_settles_the_plan() {
        let written = |plan: &Plan| serde_json::to_string(plan).expect("JSON");
        assert_eq!(written(&made(7, 0.1)), written(&made(7, 0.1)));
        assert_ne!(written(&made(7, 0.1)), written(&made(8, 0.1)));
        assert_eq!(made(7, 0.1).id, "plan-7-10m-0.1");
        for rule in &made(7, 0.5).rules {
            rule.check().unwrap_or_else(|why| panic!("{:?}: {why}", rule.name));
        }
    }

    #[test]
    fn faults_take_the_part_of_the_time_that_was_asked_for() {
        let mut total = 0.0;
        for seed in 0..100 {
            let plan = made(seed, 0.3);
            let mut end = Duration::ZERO;
            for rule in &plan.rules {
                let window = rule.apply.window.expect("a window");
                let length = window.r#for.expect("an end").0;
                assert!(window.after.0 >= end, "one at a time");
                end = window.after.0 + length;
                assert!(end <= plan.length.0);
                total += length.as_secs_f64();
            }
        }
        let part = total / 100.0 / 600.0;
        assert!((0.2..0.35).contains(&part), "{part}");
    }

    #[test]
    fn what_cannot_be_is_refused() {
        let refused = |wish: Wish| Plan::make(&wish).expect_err("a fault");
        assert!(refused(Wish { intensity: Some(1.0), ..Wish::default() }).contains("intensity"));
        assert!(refused(Wish { length: Some(Span(Duration::ZERO)), ..Wish::default() }).contains("length"));
    }
}
