//! A fault rule: which requests it matches, what happens to them, how often and for how long.

use roost_journal::{Matcher, NeverMatches};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::effect::{FaultEffect, Latency};
use crate::settings::HumanDuration;

#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "snake_case")]
#[schemars(rename = "FaultRule")]
pub(crate) struct FaultRule {
    /// The name shown in the journal. Default: `fault-1` and so on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(regex(pattern = "^[a-z0-9][a-z0-9-]{0,63}$"))]
    pub name: Option<String>,
    /// Which requests. Default: all.
    #[serde(rename = "match", default, skip_serializing_if = "Option::is_none")]
    pub matcher: Option<Matcher>,
    pub effect: FaultEffect,
    #[serde(default, skip_serializing_if = "FaultConditions::is_default")]
    pub apply: FaultConditions,
    /// The rule is removed after this time on the world's clock.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ttl: Option<HumanDuration>,
    #[serde(default, skip_serializing_if = "FaultCommit::is_default")]
    pub commit: FaultCommit,
}

/// When the effect happens.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "FaultCommit")]
pub(crate) enum FaultCommit {
    /// Before the operation. With an error status or an ended connection, the operation is not carried out.
    #[default]
    Before,
    /// After the operation has been carried out and stored.
    After,
}

impl FaultCommit {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks so")]
    fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// Which of the matching requests the rule fires on. All conditions that are given must hold.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "snake_case", default)]
#[schemars(rename = "FaultApply")]
pub(crate) struct FaultConditions {
    /// Skips this many matches first.
    #[serde(skip_serializing_if = "is_zero")]
    pub skip: u64,
    /// Fires on this many matches only, counted after `skip`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub first: Option<u64>,
    /// Fires on every nth match, counted after `skip`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub every: Option<u64>,
    /// Probability of firing on each of these matches. Default 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 1))]
    pub probability: Option<f64>,
    /// Stops firing after firing this many times.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub recover_after: Option<u64>,
    /// Fires only in this window, on the world's clock, counted from the creation of the rule.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub window: Option<FaultWindow>,
    /// Counts separately for each value of `key`, `operation`, `path`, `header:NAME`, `query:NAME`, a JSON pointer into
    /// the body, or the name of a body field.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub per_key_of: Option<String>,
    /// Determines random choices and latencies. Default: a random seed, which is shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "snake_case")]
#[schemars(rename = "FaultWindow")]
pub(crate) struct FaultWindow {
    #[serde(default)]
    pub after: HumanDuration,
    /// Default: no end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub r#for: Option<HumanDuration>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks so")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

impl FaultConditions {
    fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// Whether a text can be the name of a rule. Names occur in paths of the admin interface.
pub(crate) fn is_rule_name(text: &str) -> bool {
    (1..=64).contains(&text.len())
        && text.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
        && !text.starts_with('-')
}

impl FaultRule {
    /// Estimates the memory that the matcher takes; never too low.
    pub(crate) fn matcher_weight(&self) -> usize {
        self.matcher.as_ref().map_or(0, Matcher::weight)
    }

    /// Whether the rule depends on chance.
    pub(crate) fn has_chance(&self) -> bool {
        self.apply.probability.is_some_and(|p| p < 1.0) || self.effect.latency.is_some_and(Latency::is_random)
    }

    pub(crate) fn check(&self) -> Result<(), String> {
        self.effect.check()?;
        if self.effect == FaultEffect::default() {
            return Err("effect: is empty; give status, latency, line, body, headers or retry_after".into());
        }
        if let Some(name) = self.name.as_deref().filter(|name| !is_rule_name(name)) {
            return Err(format!("name: '{name}' is not a valid name. Use a-z, 0-9 and -, at most 64 characters"));
        }
        if self.matcher.as_ref().is_some_and(Matcher::tests_response) {
            return Err("match: status and rule are not known before the response".into());
        }
        self.check_can_fire()?;
        self.matcher.as_ref().map_or(Ok(()), Matcher::check_can_match).map_err(explain_never)?;
        if self.apply.probability.is_some_and(|p| !(0.0..=1.0).contains(&p)) {
            return Err("apply.probability: expected a number from 0 to 1".into());
        }
        match self.apply.per_key_of.as_deref() {
            Some("" | "header:" | "query:") => Err("apply.per_key_of: is empty".into()),
            _ => Ok(()),
        }
    }
}

/// Says why no request can match a rule.
fn explain_never(why: NeverMatches) -> String {
    match why {
        NeverMatches::Direction => {
            "match.direction: rules apply to incoming requests, not to callbacks; to let a callback fail, set the \
             receiver's answers (PUT /__admin/hooks/{hook}) or the callback policy"
        }
        NeverMatches::Operation => {
            "match.operation: rules apply to operations of the interface, for example contacts.create"
        }
        NeverMatches::Path => "match.path: no operation has this path, so the rule would never fire",
        NeverMatches::PathWithQuery => {
            "match.path: a path has no query, so the rule would never fire; match the query with 'query', or both \
             with 'url'"
        }
        NeverMatches::Combination => {
            "match.path: no operation that this rule matches has this path, so the rule would never fire"
        }
        NeverMatches::Method => {
            "match.method: no operation that this rule matches uses this method, so the rule would never fire"
        }
        NeverMatches::Body => {
            "match.body: no operation that this rule matches has a body, so the rule would never fire"
        }
    }
    .to_owned()
}

impl FaultRule {
    /// Whether the rule fires on every request that it matches, for as long as it exists.
    fn is_unconditional(&self) -> bool {
        let FaultConditions { skip, first, every, probability, recover_after, window, per_key_of: _, seed: _ } =
            &self.apply;
        *skip == 0
            && first.is_none()
            && every.is_none_or(|every| every == 1)
            && probability.is_none_or(|probability| probability >= 1.0)
            && recover_after.is_none()
            && window.is_none()
            && self.ttl.is_none()
    }

    /// Whether this rule, which is tried first, fires on everything that `later` matches, so that `later` never does.
    pub(crate) fn hides(&self, later: &Self) -> bool {
        let matches_more = match (&self.matcher, &later.matcher) {
            (None, _) => true,
            (Some(first), _) if first.matches_all() => true,
            (Some(first), Some(second)) => first.is_same(second),
            (Some(_), None) => false,
        };
        matches_more && self.is_unconditional() && self.only_delays() == later.only_delays()
    }

    /// Whether the effect is only a wait, which can be combined with the effect of another rule.
    pub(crate) fn only_delays(&self) -> bool {
        self.effect.latency.is_some() && FaultEffect { latency: None, ..self.effect.clone() } == FaultEffect::default()
    }

    /// Refuses counts and times with which the rule can never fire.
    fn check_can_fire(&self) -> Result<(), String> {
        let never = |place: &str, got: &str| Err(format!("{place}: got {got}, so the rule would never fire"));
        let apply = &self.apply;
        for (place, count) in
            [("apply.first", apply.first), ("apply.every", apply.every), ("apply.recover_after", apply.recover_after)]
        {
            if count == Some(0) {
                return never(place, "0");
            }
        }
        if let (Some(first), Some(every)) = (apply.first, apply.every)
            && every > first
        {
            return Err(format!(
                "apply.every: only the first {first} matches count, so match {every} is never reached and the rule \
                 would never fire"
            ));
        }
        if apply.probability == Some(0.0) {
            return never("apply.probability", "0");
        }
        if apply.window.is_some_and(|window| window.r#for.is_some_and(|length| length.0.is_zero())) {
            return never("apply.window.for", "0s");
        }
        if self.ttl.is_some_and(|ttl| ttl.0.is_zero()) {
            return never("ttl", "0s");
        }
        match (apply.window, self.ttl) {
            (Some(window), Some(ttl)) if window.after >= ttl => Err(format!(
                "apply.window.after: begins {} after the rule is created, but the ttl removes the rule after {ttl}, so \
                 the rule would never fire",
                window.after
            )),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_rule_that_could_never_fire_is_refused_with_its_place() {
        for (part, place) in [
            (json!({ "apply": { "first": 0 } }), "apply.first: got 0"),
            (json!({ "apply": { "every": 0 } }), "apply.every: got 0"),
            (json!({ "apply": { "recover_after": 0 } }), "apply.recover_after: got 0"),
            (json!({ "apply": { "first": 2, "every": 3 } }), "apply.every: only the first 2"),
            (json!({ "apply": { "probability": 0 } }), "apply.probability: got 0"),
            (json!({ "apply": { "window": { "for": "0s" } } }), "apply.window.for: got 0s"),
            (json!({ "ttl": "0s" }), "ttl: got 0s"),
            (json!({ "apply": { "window": { "after": "2m" } }, "ttl": "1m" }), "apply.window.after: begins 2m"),
            (json!({ "match": { "method": "PATCH" } }), "match.method: no operation"),
            (json!({ "match": { "operation": "lists.create", "method": "GET" } }), "match.method: no operation"),
            (json!({ "match": { "path": "/contacts/v1/list" } }), "match.path: no operation"),
            (json!({ "match": { "operation": { "in": [] } } }), "match.operation"),
            (json!({ "match": { "path": "/contacts/v1/lists/?name=a" } }), "match.path: a path has no query"),
            (
                json!({ "match": { "operation": "lists.create", "path": "/contacts/v1/contacts" } }),
                "match.path: no operation that this rule matches",
            ),
            (
                json!({ "match": { "operation": "lists.query", "body": { "contains": "a" } } }),
                "match.body: no operation that this rule matches has a body",
            ),
        ] {
            let mut rule = json!({ "effect": { "status": 503 } });
            rule.as_object_mut().expect("an object").append(&mut part.as_object().expect("an object").clone());
            let read = serde_json::from_value::<FaultRule>(rule.clone()).map_err(|why| why.to_string());
            let message = read.and_then(|rule| rule.check()).expect_err("a fault");
            assert!(message.contains(place), "{rule}: {message}");
        }
        for part in [
            json!({ "apply": { "first": 3, "every": 3 } }),
            json!({ "match": { "method": "HEAD", "operation": "lists.query" } }),
            json!({ "match": { "path": "/contacts/v1/lists" } }),
            json!({ "match": { "path": "/contacts/*" } }),
            json!({ "match": { "operation": "lists", "path": "/contacts/v1/lists/create" } }),
            json!({ "match": { "operation": "lists", "body": { "contains": "a" } } }),
            json!({ "match": { "operation": "lists.query", "body": { "absent": true } } }),
        ] {
            let mut rule = json!({ "effect": { "status": 503 } });
            rule.as_object_mut().expect("an object").append(&mut part.as_object().expect("an object").clone());
            let rule: FaultRule = serde_json::from_value(rule).expect("a rule");
            rule.check().unwrap_or_else(|why| panic!("{why}"));
        }
    }

    #[test]
    fn a_rule_behind_one_that_always_fires_is_hidden() {
        let rule = |rule: serde_json::Value| serde_json::from_value::<FaultRule>(rule).expect("a rule");
        let status = json!({ "status": 503 });
        let later = rule(json!({ "effect": status, "match": { "operation": "lists" } }));
        for (first, hides) in [
            (json!({ "effect": status }), true),
            (json!({ "effect": status, "match": {} }), true),
            (json!({ "effect": status, "match": { "operation": "lists" } }), true),
            (json!({ "effect": status, "match": { "operation": "contacts" } }), false),
            (json!({ "effect": status, "apply": { "first": 1 } }), false),
            (json!({ "effect": status, "ttl": "1m" }), false),
            (json!({ "effect": { "latency": { "fixed": "1s" } } }), false),
        ] {
            assert_eq!(rule(first.clone()).hides(&later), hides, "{first}");
        }
    }

    #[test]
    fn the_rule_of_the_book_is_read_and_written() {
        let written = json!({
            "name": "down",
            "match": { "operation": "contacts.create", "key": "*", "body": { "pointer": { "/list_id": "LST_x" } } },
            "effect": { "status": 503, "error": "INTERNAL_SERVER_ERROR" },
            "apply": {
                "skip": 1, "first": 6, "every": 3, "probability": 0.5, "recover_after": 4,
                "window": { "after": "10s", "for": "5s" }, "per_key_of": "correlation_id", "seed": 7
            },
            "ttl": "1m",
            "commit": "after"
        });
        let rule: FaultRule = serde_json::from_value(written.clone()).expect("a rule");
        rule.check().expect("a rule that can be");
        assert_eq!(serde_json::to_value(&rule).expect("JSON"), written);
    }

    #[test]
    fn an_invalid_rule_is_refused() {
        for (rule, want) in [
            (json!({ "effect": {} }), "effect: is empty"),
            (json!({ "name": "A b", "effect": { "status": 500 } }), "name: 'A b'"),
            (json!({ "match": { "status": 200 }, "effect": { "status": 500 } }), "not known before"),
            (json!({ "effect": { "status": 500 }, "apply": { "probability": 1.5 } }), "from 0 to 1"),
            (json!({ "effect": { "status": 500 }, "commit": "never" }), "unknown variant"),
            (json!({ "effect": { "status": 500 }, "apply": { "per_key_of": "" } }), "apply.per_key_of: is empty"),
            (json!({ "effect": { "status": 500 }, "ttl": "soon" }), "not a valid duration"),
            (json!({ "effect": { "status": 500 }, "match": { "opration": "x" } }), "Did you mean 'operation'?"),
            (json!({ "effect": { "status": 500 }, "match": { "operation": "list.create" } }), "mean 'lists.create'?"),
            (json!({ "effect": { "status": 500 }, "match": { "direction": "out" } }), "not to callbacks"),
            (
                json!({ "effect": { "status": 500 }, "match": { "operation": "callback" } }),
                "operations of the interface",
            ),
            (
                json!({ "effect": { "status": 500 }, "match": { "operation": "admin.*" } }),
                "operations of the interface",
            ),
        ] {
            let read = serde_json::from_value::<FaultRule>(rule.clone()).map_err(|why| why.to_string());
            let message = read.and_then(|rule| rule.check()).expect_err("a fault");
            assert!(message.contains(want), "{rule}: {message}");
        }
    }
}
