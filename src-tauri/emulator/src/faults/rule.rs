//! One rule: which requests, what happens to them, how often, for how long.

use std::num::NonZeroU64;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    effect::{Effect, Latency},
    span::Span,
};
use crate::journal::Matcher;

#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[schemars(rename = "FaultRule")]
pub struct Rule {
    /// What the journal calls it; left out: `fault-1` and so on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(regex(pattern = "^[a-z0-9][a-z0-9-]{0,63}$"))]
    pub name: Option<String>,
    /// Which requests; all when left out.
    #[serde(rename = "match", default, skip_serializing_if = "Option::is_none")]
    pub matcher: Option<Matcher>,
    pub effect: Effect,
    #[serde(default, skip_serializing_if = "Apply::is_plain")]
    pub apply: Apply,
    /// The rule ends by itself after so long, in real time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ttl: Option<Span>,
    #[serde(default, skip_serializing_if = "Commit::is_plain")]
    pub commit: Commit,
}

/// When the effect comes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "FaultCommit")]
pub enum Commit {
    /// Before anything is done; an error or the line's end means that nothing will be.
    #[default]
    Before,
    /// Once all is done and stored.
    After,
}

impl Commit {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks so")]
    fn is_plain(&self) -> bool {
        *self == Self::default()
    }
}

/// Which of the requests that fit are met. Every condition given has to hold.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase", default)]
#[schemars(rename = "FaultApply")]
pub struct Apply {
    /// So many pass at first.
    #[serde(skip_serializing_if = "is_zero")]
    pub skip: u64,
    /// Then only the first so many.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first: Option<u64>,
    /// Of these every so-manieth.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub every: Option<NonZeroU64>,
    /// Each of these with this chance; 1 when left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 1))]
    pub probability: Option<f64>,
    /// No more once so many were met.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recover_after: Option<u64>,
    /// Only then, by the world's clock from when the rule was made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub window: Option<Window>,
    /// Counts apart for each value of: `key`, `operation`, `path`, `header:NAME`, `query:NAME`, a JSON pointer into
    /// the body, or the name of a key of the body.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub per_key_of: Option<String>,
    /// Settles chance and latency; left out, one is drawn and shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[schemars(rename = "FaultWindow")]
pub struct Window {
    #[serde(default)]
    pub after: Span,
    /// Left out: without end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub r#for: Option<Span>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks so")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

impl Apply {
    fn is_plain(&self) -> bool {
        *self == Self::default()
    }
}

/// A name is a part of a path.
pub fn is_name(text: &str) -> bool {
    (1..=64).contains(&text.len())
        && text.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
        && !text.starts_with('-')
}

impl Rule {
    /// What its matcher takes in memory, estimated from above.
    pub fn weight(&self) -> usize {
        self.matcher.as_ref().map_or(0, Matcher::weight)
    }

    /// Whether anything of it is left to chance.
    pub fn is_chance(&self) -> bool {
        self.apply.probability.is_some_and(|p| p < 1.0) || self.effect.latency.is_some_and(Latency::varies)
    }

    pub fn check(&self) -> Result<(), String> {
        self.effect.check()?;
        if self.effect == Effect::default() {
            return Err("effect is empty; give status, latency, line, body, headers or retryAfter".into());
        }
        if let Some(name) = self.name.as_deref().filter(|name| !is_name(name)) {
            return Err(format!("name: '{name}' is none; take a-z, 0-9 and -, at most 64 of them"));
        }
        if self.matcher.as_ref().is_some_and(Matcher::asks_for_answer) {
            return Err("match: status and rule are not known before the answer".into());
        }
        match self.matcher.as_ref().map_or(Ok(()), Matcher::may_meet_a_call) {
            Ok(()) => {}
            Err("direction") => {
                return Err("match.direction: rules meet requests that come in, and no callback; \
                            a receiver's failure is staged where it answers, or see /__admin/callbacks"
                    .into());
            }
            Err(_) => {
                return Err(
                    "match.operation: rules meet the operations of the interface, such as contacts.create".into()
                );
            }
        }
        if self.apply.probability.is_some_and(|p| !(0.0..=1.0).contains(&p)) {
            return Err("apply.probability is from 0 to 1".into());
        }
        match self.apply.per_key_of.as_deref() {
            Some("" | "header:" | "query:") => Err("apply.perKeyOf names nothing".into()),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_rule_of_the_book_is_read_and_written() {
        let written = json!({
            "name": "down",
            "match": { "operation": "contacts.create", "key": "*", "body": { "pointer": { "/list_id": "LST_x" } } },
            "effect": { "status": 503, "error": "INTERNAL_SERVER_ERROR" },
            "apply": {
                "skip": 1, "first": 2, "every": 3, "probability": 0.5, "recoverAfter": 4,
                "window": { "after": "10s", "for": "5s" }, "perKeyOf": "correlation_id", "seed": 7
            },
            "ttl": "1m",
            "commit": "after"
        });
        let rule: Rule = serde_json::from_value(written.clone()).expect("a rule");
        rule.check().expect("a rule that can be");
        assert_eq!(serde_json::to_value(&rule).expect("JSON"), written);
    }

    #[test]
    fn what_cannot_be_is_refused() {
        for (rule, want) in [
            (json!({ "effect": {} }), "effect is empty"),
            (json!({ "name": "A b", "effect": { "status": 500 } }), "name: 'A b'"),
            (json!({ "match": { "status": 200 }, "effect": { "status": 500 } }), "not known before"),
            (json!({ "effect": { "status": 500 }, "apply": { "probability": 1.5 } }), "from 0 to 1"),
            (json!({ "effect": { "status": 500 }, "commit": "never" }), "unknown variant"),
            (json!({ "effect": { "status": 500 }, "apply": { "perKeyOf": "" } }), "names nothing"),
            (json!({ "effect": { "status": 500 }, "ttl": "soon" }), "no length of time"),
            (json!({ "effect": { "status": 500 }, "apply": { "every": 0 } }), "nonzero"),
            (json!({ "effect": { "status": 500 }, "match": { "opration": "x" } }), "did you mean 'operation'?"),
            (json!({ "effect": { "status": 500 }, "match": { "operation": "list.create" } }), "mean 'lists.create'?"),
            (json!({ "effect": { "status": 500 }, "match": { "direction": "out" } }), "no callback"),
            (
                json!({ "effect": { "status": 500 }, "match": { "operation": "callback" } }),
                "operations of the interface",
            ),
            (
                json!({ "effect": { "status": 500 }, "match": { "operation": "admin.*" } }),
                "operations of the interface",
            ),
        ] {
            let read = serde_json::from_value::<Rule>(rule.clone()).map_err(|why| why.to_string());
            let told = read.and_then(|rule| rule.check()).expect_err("a fault");
            assert!(told.contains(want), "{rule}: {told}");
        }
    }
}
