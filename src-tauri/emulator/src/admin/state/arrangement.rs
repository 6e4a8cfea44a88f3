//! Compares two states of a world apart from their records: settings, policies, fault rules, receivers and so on. Every
//! stored part is compared, except those listed in [`NOT_COMPARED`].

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::super::{faults::mask_rule, work::callbacks::mask_policy};
use crate::{
    faults::FaultSource,
    hooks::HookScript,
    world::{World, WorldHead},
};

/// A part of the arrangement that differs.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ArrangementChange")]
pub(super) struct ArrangementChange {
    part: ArrangedPart,
    /// The setting, the field of the policy or of the clock, the receiver, the rule, or the job. For faults also
    /// `profile`, `plan`, `magic` and `prefer`; for settings also `limits.burst` and so on, and `assumed_header`.
    name: String,
    /// As it is on the first side. Null: not there.
    from: Value,
    /// As it is on the second side. Null: not there.
    to: Value,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "ArrangedPart")]
pub(super) enum ArrangedPart {
    Settings,
    JobPolicy,
    CallbackPolicy,
    Faults,
    Receivers,
    /// Its mode and rate. The time itself is not compared.
    Clock,
    /// Their seed and form.
    Ids,
    /// Jobs that are paused or otherwise held.
    Jobs,
    Other,
}

roost_model::variant_names! {
    pub(super) ArrangedPart {
        Settings = "settings", JobPolicy = "job_policy", CallbackPolicy = "callback_policy", Faults = "faults",
        Receivers = "receivers", Clock = "clock", Ids = "ids", Jobs = "jobs", Other = "other",
    }
}

/// What is arranged, by part and name.
pub(super) type Arrangement = BTreeMap<(ArrangedPart, String), Value>;

/// The stored members that are not compared: secrets, and what changes without the operator as time passes and requests
/// arrive.
const NOT_COMPARED: [&str; 17] = [
    "/clock/now",
    // The next IDs. The key of the IDs follows from the seed, or is secret.
    "/position",
    "/law/key",
    "/lanes",
    // Records of what happened, and counts of it. The journal, the jobs, the callbacks and the receivers show them.
    "/jobs/moments",
    "/jobs/kept/met",
    "/callbacks/kept/tries",
    "/callbacks/kept/order",
    "/callbacks/kept/bytes",
    "/hooks/calls",
    "/hooks/bytes",
    "/hooks/hooks/*/last",
    "/hooks/hooks/*/dropped",
    // The number of names that rules were given, and the seed that was drawn when the profile was set.
    "/faults/named",
    "/faults/profile_seed",
    // Whether the account file is protected, and where the callbacks of earlier jobs go.
    "/is_from_seed",
    "/receivers",
];

/// The objects whose members are listed, each with its part and the prefix of its members' names. An object comes
/// before the one around it, so that the outer one lists only its other members.
const PLACES: [(&str, ArrangedPart, &str); 12] = [
    ("/settings/values", ArrangedPart::Settings, ""),
    ("/settings/limit", ArrangedPart::Settings, "limits."),
    ("/settings", ArrangedPart::Settings, ""),
    ("/jobs/policy", ArrangedPart::JobPolicy, ""),
    ("/jobs/kept/jobs", ArrangedPart::Jobs, ""),
    ("/callbacks/policy", ArrangedPart::CallbackPolicy, ""),
    ("/hooks/hooks", ArrangedPart::Receivers, ""),
    ("/faults/rules", ArrangedPart::Faults, ""),
    ("/faults/options", ArrangedPart::Faults, ""),
    ("/faults", ArrangedPart::Faults, ""),
    ("/clock", ArrangedPart::Clock, ""),
    ("/law", ArrangedPart::Ids, ""),
];

/// Splits names such as `settings` off a list of what a comparison ignores. Returns the parts and the rest.
pub(super) fn split_ignored(text: &str) -> (Vec<ArrangedPart>, String) {
    let mut parts = Vec::new();
    let rest: Vec<&str> = text
        .split(',')
        .filter(|name| match ArrangedPart::parse(name.trim()) {
            Some(part) => {
                parts.push(part);
                // The records of jobs have the same name.
                part == ArrangedPart::Jobs
            }
            None => true,
        })
        .collect();
    (parts, rest.join(","))
}

/// Describes the arrangement of a stored or present state.
pub(super) fn describe_arrangement(head: &WorldHead) -> Arrangement {
    let (mut state, control) = (write_state(head), &head.control);
    // As the operator sees them: rules without counts, and secrets masked.
    let rules = control.faults.rules().iter().filter(|armed| armed.source == FaultSource::Rule);
    let rules: Map<_, _> = rules.map(|armed| (armed.name.to_string(), to_json(&mask_rule(&armed.rule)))).collect();
    for (place, value) in [
        ("/settings/values", head.settings.to_json()),
        ("/callbacks/policy", to_json(&mask_policy(control.callbacks.policy()))),
        ("/faults/rules", Value::Object(rules)),
    ] {
        if let Some(stored) = state.pointer_mut(place) {
            *stored = value;
        }
    }
    describe_state(state)
}

/// Returns what is stored of a world.
fn write_state(head: &WorldHead) -> Value {
    // A world that could not be written would not have been stored.
    head.write().map(|parts| to_json(&parts)).unwrap_or_default()
}

/// Lists the stored members by part and name, except [`NOT_COMPARED`].
fn describe_state(mut state: Value) -> Arrangement {
    for place in NOT_COMPARED {
        remove_member(&mut state, place.split('/').skip(1));
    }
    let mut all = Arrangement::new();
    for (place, part, before) in PLACES {
        // Taking the object leaves null, which is listed as nothing.
        let object = state.pointer_mut(place).filter(|value| value.is_object());
        let Some(Value::Object(members)) = object.map(Value::take) else { continue };
        for (name, value) in members {
            match (part, value) {
                (ArrangedPart::Receivers, Value::Object(members)) => describe_receiver(&name, members, &mut all),
                (_, value) => drop(all.insert((part, format!("{before}{name}")), value)),
            }
        }
    }
    list_rest("", state, &mut all);
    all
}

/// Removes a member; `*` stands for any name.
fn remove_member<'p>(value: &mut Value, mut path: impl Iterator<Item = &'p str> + Clone) {
    let (Some(name), Value::Object(members)) = (path.next(), value) else { return };
    if path.clone().next().is_none() {
        members.remove(name);
        return;
    }
    members
        .iter_mut()
        .filter(|(member, _)| name == "*" || *member == name)
        .for_each(|(_, value)| remove_member(value, path.clone()));
}

/// Lists a receiver, but leaves out the script if it is the one that every receiver begins with.
fn describe_receiver(hook: &str, members: Map<String, Value>, all: &mut Arrangement) {
    for (member, value) in members {
        if member != "script" {
            all.insert((ArrangedPart::Receivers, format!("{hook}.{member}")), value);
        } else if value != to_json(&HookScript::default()) {
            all.insert((ArrangedPart::Receivers, hook.to_owned()), value);
        }
    }
}

/// Lists what belongs to none of the [`PLACES`], by its path.
fn list_rest(path: &str, value: Value, all: &mut Arrangement) {
    match value {
        Value::Null => {}
        Value::Object(members) => {
            let before = if path.is_empty() { String::new() } else { format!("{path}.") };
            members.into_iter().for_each(|(name, value)| list_rest(&format!("{before}{name}"), value, all));
        }
        value => drop(all.insert((ArrangedPart::Other, path.to_owned()), value)),
    }
}

/// Describes the arrangement to which a world is reset.
pub(super) fn arrangement_at_start(world: &World) -> Arrangement {
    let mut all = describe_arrangement(&world.head_at_start());
    for (name, value) in
        [("profile", json!(world.resources.start.profile)), ("prefer", json!(world.resources.start.allows_prefer))]
    {
        all.insert((ArrangedPart::Faults, name.to_owned()), value);
    }
    all
}

/// Lists what differs.
pub(super) fn compare_arrangements(
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

#[cfg(test)]
mod tests {
    use roost_ops::{Core, Ctx};

    use super::*;
    use crate::{
        faults::{FaultTime, Faults},
        hooks::{HookCall, Hooks},
        settings::Settings,
        world::{ControlState, StartingPoint},
    };

    /// A state in which every map has a member.
    fn filled_state() -> Value {
        let core = Core::in_memory(Ctx::system()).expect("an account in memory");
        let (hooks, faults) = (Hooks::default(), Faults::default());
        hooks.record_call("inbox", HookCall::default()).expect("room");
        let rule = json!({ "name": "down", "effect": { "status": 503 }, "ttl": "5s" });
        let rule = serde_json::from_value(rule).expect("a rule");
        faults.add_rule(rule, FaultTime::from_core(&core), || 0).expect("room");
        let control = ControlState { hooks: hooks.save(), faults: faults.save(), ..ControlState::default() };
        let head = WorldHead {
            settings: Settings::default(),
            starting_point: StartingPoint::from_core(&core),
            is_from_seed: true,
            control,
        };
        let mut state = write_state(&head);
        state["jobs"]["kept"]["jobs"]["1"] = json!({ "is_paused": false });
        state["callbacks"]["kept"]["reasons"]["1"] = json!("cancelled");
        state["a_new_part"] = json!({ "a_new_member": 1 });
        state
    }

    /// Returns the pointers of all members that are not objects.
    fn list_members(path: &str, value: &Value) -> Vec<String> {
        match value.as_object() {
            Some(members) => members.iter().flat_map(|(name, v)| list_members(&format!("{path}/{name}"), v)).collect(),
            None => vec![path.to_owned()],
        }
    }

    #[test]
    fn a_change_of_any_member_is_listed_unless_it_is_excluded() {
        let state = filled_state();
        let before = describe_state(state.clone());
        let members = list_members("", &state);
        assert!(members.len() > 40 && members.contains(&"/a_new_part/a_new_member".to_owned()), "{members:?}");
        for member in members {
            let mut changed = state.clone();
            *changed.pointer_mut(&member).expect("a member") = json!("changed");
            let is_excluded = NOT_COMPARED.iter().any(|place| {
                let mut parts = member.split('/');
                place.split('/').all(|name| parts.next().is_some_and(|part| name == "*" || name == part))
            });
            let changes = compare_arrangements(&before, &describe_state(changed), &[]);
            assert_eq!(changes.len(), usize::from(!is_excluded), "{member}");
        }
    }

    #[test]
    fn every_place_and_every_exclusion_exists() {
        let state = filled_state();
        let excluded = NOT_COMPARED.iter().map(|place| place.replace('*', "inbox"));
        for place in excluded.chain(PLACES.iter().map(|(place, ..)| (*place).to_owned())) {
            assert!(state.pointer(&place).is_some(), "{place}");
        }
    }
}
