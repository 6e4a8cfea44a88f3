//! Compares what is arranged in a world besides its records: settings, policies, fault rules, receivers, and how the
//! clock runs.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use super::super::{faults::mask_rule, work::callbacks::mask_policy};
use crate::{
    faults::FaultSource,
    world::{World, WorldHead},
};

/// A part of the arrangement that differs.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ArrangementChange")]
pub struct ArrangementChange {
    part: ArrangedPart,
    /// The setting, the field of the policy or of the clock, the receiver, or the rule. For faults also `profile`,
    /// `plan`, `magic` and `prefer`.
    name: String,
    /// As it is on the first side. Null: not there.
    from: Value,
    /// As it is on the second side. Null: not there.
    to: Value,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "ArrangedPart")]
pub enum ArrangedPart {
    Settings,
    JobPolicy,
    CallbackPolicy,
    Faults,
    Receivers,
    /// Its mode and rate. The time itself is not compared.
    Clock,
}

impl ArrangedPart {
    pub const ALL: [Self; 6] =
        [Self::Settings, Self::JobPolicy, Self::CallbackPolicy, Self::Faults, Self::Receivers, Self::Clock];

    pub fn name(self) -> &'static str {
        match self {
            Self::Settings => "settings",
            Self::JobPolicy => "job_policy",
            Self::CallbackPolicy => "callback_policy",
            Self::Faults => "faults",
            Self::Receivers => "receivers",
            Self::Clock => "clock",
        }
    }
}

/// What is arranged, by part and name.
pub type Arrangement = BTreeMap<(ArrangedPart, String), Value>;

/// Splits names such as `settings` off a list of what a comparison ignores. Returns the parts and the rest.
pub fn split_ignored(text: &str) -> (Vec<ArrangedPart>, String) {
    let mut parts = Vec::new();
    let rest: Vec<&str> = text
        .split(',')
        .filter(|name| match ArrangedPart::ALL.into_iter().find(|part| part.name() == name.trim()) {
            Some(part) => {
                parts.push(part);
                false
            }
            None => true,
        })
        .collect();
    (parts, rest.join(","))
}

/// Describes the arrangement of a stored or present state.
pub fn describe_arrangement(head: &WorldHead) -> Arrangement {
    let mut all = Arrangement::new();
    let control = &head.control;
    let clock = head.starting_point.clock;
    for (part, value) in [
        (ArrangedPart::Settings, head.settings.to_json()),
        (ArrangedPart::JobPolicy, to_json(control.jobs.policy())),
        (ArrangedPart::CallbackPolicy, to_json(&mask_policy(control.callbacks.policy()))),
        (ArrangedPart::Clock, json!({ "mode": clock.mode, "rate": clock.rate })),
    ] {
        if let Value::Object(fields) = value {
            all.extend(fields.into_iter().map(|(name, value)| ((part, name), value)));
        }
    }
    for (name, script) in control.hooks.scripts() {
        all.insert((ArrangedPart::Receivers, name.to_owned()), to_json(script));
    }
    let options = control.faults.options();
    for (name, value) in [
        ("profile", json!(control.faults.profile())),
        ("plan", to_json(&control.faults.plan())),
        ("magic", json!(options.magic)),
        ("prefer", json!(options.prefer)),
    ] {
        all.insert((ArrangedPart::Faults, name.to_owned()), value);
    }
    for armed in control.faults.rules().iter().filter(|armed| armed.source == FaultSource::Rule) {
        all.insert((ArrangedPart::Faults, armed.name.to_string()), to_json(&mask_rule(&armed.rule)));
    }
    all
}

/// Describes the arrangement to which a world is reset.
pub fn arrangement_at_start(world: &World) -> Arrangement {
    let mut all = describe_arrangement(&world.head_at_start());
    for (name, value) in
        [("profile", json!(world.resources.start.profile)), ("prefer", json!(world.resources.start.allows_prefer))]
    {
        all.insert((ArrangedPart::Faults, name.to_owned()), value);
    }
    all
}

/// Lists what differs.
pub fn compare_arrangements(
    before: &Arrangement,
    after: &Arrangement,
    ignored: &[ArrangedPart],
) -> Vec<ArrangementChange> {
    let mut names: Vec<&(ArrangedPart, String)> = before.keys().chain(after.keys()).collect();
    names.sort_unstable();
    names.dedup();
    let value = |side: &Arrangement, key| side.get(key).cloned().unwrap_or_default();
    let changed = names.into_iter().filter(|(part, _)| !ignored.contains(part)).filter_map(|key| {
        let (from, to) = (value(before, key), value(after, key));
        (from != to).then(|| ArrangementChange { part: key.0, name: key.1.clone(), from, to })
    });
    changed.collect()
}

fn to_json(value: &impl Serialize) -> Value {
    serde_json::to_value(value).unwrap_or_default()
}
