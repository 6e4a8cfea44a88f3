//! Fault plans: a list of rules with times, always the same for the same seed, to be printed and repeated.

use std::time::Duration;

use roost_journal::Matcher;
use roost_wire::operation::OPERATIONS;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{
    effect::{BodyFault, ConnectionEnd, FaultEffect, Latency},
    random::SeededRandom,
    rule::{FaultCommit, FaultConditions, FaultRule, FaultWindow},
};
use crate::settings::HumanDuration;

#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(rename = "FaultPlanWish")]
pub(crate) struct FaultPlanRequest {
    /// Default 1.
    pub seed: Option<u32>,
    /// How much of the world's time the plan covers, starting now. Default 10m.
    pub length: Option<HumanDuration>,
    /// The share of that time that has a fault. Default 0.1.
    #[schemars(range(min = 0.01, max = 0.9))]
    pub intensity: Option<f64>,
}

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "FaultPlan")]
pub(crate) struct FaultPlan {
    /// Identifies the plan, so that it can be generated again.
    pub id: String,
    pub seed: u32,
    pub length: HumanDuration,
    pub intensity: f64,
    pub rules: Vec<FaultRule>,
}

impl FaultPlan {
    pub(crate) fn generate(request: &FaultPlanRequest) -> Result<Self, String> {
        let seed = request.seed.unwrap_or(1);
        let length = request.length.unwrap_or(HumanDuration(Duration::from_secs(600)));
        let intensity = request.intensity.unwrap_or(0.1);
        if !(0.01..=0.9).contains(&intensity) {
            return Err("intensity: expected a number from 0.01 to 0.9".into());
        }
        if length.0 < Duration::from_secs(1) {
            return Err("length: expected at least 1s".into());
        }
        let mut draw = SeededRandom::for_event(seed.into(), 0);
        let mut rules = Vec::new();
        let mut at = Duration::ZERO;
        loop {
            let window = length.0.mul_f64(0.02 + 0.06 * draw.next_unit());
            let calm = window.mul_f64((1.0 / intensity - 1.0) * (0.5 + draw.next_unit()));
            at += calm;
            if at + window > length.0 {
                break;
            }
            let name = format!("plan-{seed}-{}", rules.len() + 1);
            rules.push(random_rule(name, to_whole_millis(at), to_whole_millis(window), &mut draw));
            at += window;
        }
        Ok(Self { id: format!("plan-{seed}-{length}-{intensity}"), seed, length, intensity, rules })
    }
}

/// Rounds down to whole milliseconds, so that the written duration reads back as the same value.
fn to_whole_millis(time: Duration) -> HumanDuration {
    HumanDuration(Duration::from_millis(u64::try_from(time.as_millis()).unwrap_or(u64::MAX)))
}

fn random_rule(name: String, after: HumanDuration, length: HumanDuration, draw: &mut SeededRandom) -> FaultRule {
    let (effect, commit) = random_effect(draw);
    let matcher = match draw.next_below(2) {
        0 => None,
        _ => {
            let n = usize::try_from(draw.next_below(OPERATIONS.len() as u64)).unwrap_or(0);
            Matcher::read(&json!({ "operation": OPERATIONS[n].name }), "match").ok()
        }
    };
    // In tenths, so that the written number reads back as the same value.
    let probability = [0.2, 0.4, 0.6, 0.8, 1.0][usize::try_from(draw.next_below(5)).unwrap_or(0)];
    let apply = FaultConditions {
        probability: Some(probability),
        window: Some(FaultWindow { after, r#for: Some(length) }),
        seed: Some(draw.next() >> 32),
        ..FaultConditions::default()
    };
    FaultRule { name: Some(name), matcher, effect, apply, ttl: None, commit }
}

fn random_effect(draw: &mut SeededRandom) -> (FaultEffect, FaultCommit) {
    let status = |status| FaultEffect { status: Some(status), ..FaultEffect::default() };
    let effect = match draw.next_below(8) {
        0 => status(503),
        1 => status(500),
        2 => FaultEffect { retry_after: Some(HumanDuration::from_secs(1)), ..status(429) },
        3 => FaultEffect {
            latency: Some(Latency::Uniform { min: HumanDuration::from_millis(200), max: HumanDuration::from_secs(2) }),
            ..FaultEffect::default()
        },
        4 => FaultEffect { line: Some(ConnectionEnd::Reset), ..FaultEffect::default() },
        5 => FaultEffect { body: Some(BodyFault::MalformedJson), ..FaultEffect::default() },
        6 => FaultEffect { body: Some(BodyFault::Truncate { bytes: None }), ..FaultEffect::default() },
        _ => return (FaultEffect { line: Some(ConnectionEnd::Empty), ..FaultEffect::default() }, FaultCommit::After),
    };
    (effect, FaultCommit::Before)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn make_plan(seed: u32, intensity: f64) -> FaultPlan {
        FaultPlan::generate(&FaultPlanRequest { seed: Some(seed), length: None, intensity: Some(intensity) })
            .expect("a plan")
    }

    #[test]
    fn a_seed_settles_the_plan() {
        let written = |plan: &FaultPlan| serde_json::to_string(plan).expect("JSON");
        assert_eq!(written(&make_plan(7, 0.1)), written(&make_plan(7, 0.1)));
        assert_ne!(written(&make_plan(7, 0.1)), written(&make_plan(8, 0.1)));
        assert_eq!(make_plan(7, 0.1).id, "plan-7-10m-0.1");
        for rule in &make_plan(7, 0.5).rules {
            rule.check().unwrap_or_else(|why| panic!("{:?}: {why}", rule.name));
        }
    }

    #[test]
    fn faults_take_the_requested_share_of_the_time() {
        let mut total = 0.0;
        for seed in 0..100 {
            let plan = make_plan(seed, 0.3);
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
    fn a_plan_with_an_invalid_intensity_or_length_is_refused() {
        let refused = |request: FaultPlanRequest| FaultPlan::generate(&request).expect_err("a fault");
        assert!(
            refused(FaultPlanRequest { intensity: Some(1.0), ..FaultPlanRequest::default() }).contains("intensity")
        );
        assert!(
            refused(FaultPlanRequest { length: Some(HumanDuration(Duration::ZERO)), ..FaultPlanRequest::default() })
                .contains("length")
        );
    }
}
