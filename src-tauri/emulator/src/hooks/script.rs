//! The script of a receiver: a sequence of replies, then the same reply forever.

use std::{
    collections::{BTreeMap, VecDeque},
    fmt,
};

use axum::http::{HeaderName, HeaderValue};
use schemars::JsonSchema;
use serde::{
    Deserialize, Deserializer, Serialize,
    de::{self, MapAccess, Visitor, value::MapAccessDeserializer},
};

use crate::{http::response::forbidden_header_reason, settings::HumanDuration};

/// An answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields, default)]
#[schemars(rename = "HookReply")]
pub(crate) struct HookReply {
    pub status: u16,
    /// How long the answer is delayed, in real time.
    pub delay: HumanDuration,
    pub headers: BTreeMap<String, String>,
    pub body: String,
    /// Ends the connection instead of answering.
    pub line: Option<HookLineEnd>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "HookLineEnd")]
pub(crate) enum HookLineEnd {
    /// Closed normally, without a single byte.
    Empty,
    /// Reset (RST).
    Reset,
}

impl Default for HookReply {
    fn default() -> Self {
        Self { status: 200, delay: HumanDuration::default(), headers: BTreeMap::new(), body: String::new(), line: None }
    }
}

/// A status, or a full answer.
#[derive(Debug, Clone, JsonSchema)]
#[schemars(untagged, rename = "HookAnswer")]
enum HookReplyInput {
    Status(u16),
    Full(HookReply),
}

/// Reads either form as it comes, so that an error within an answer is at its field.
struct HookReplyVisitor;

impl<'de> Visitor<'de> for HookReplyVisitor {
    type Value = HookReplyInput;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a status such as 500, or an object with status, delay, headers, body and line")
    }

    fn visit_u64<E: de::Error>(self, status: u64) -> Result<Self::Value, E> {
        let status = u16::try_from(status).map_err(|_| E::invalid_value(de::Unexpected::Unsigned(status), &self))?;
        Ok(HookReplyInput::Status(status))
    }

    fn visit_map<A: MapAccess<'de>>(self, fields: A) -> Result<Self::Value, A::Error> {
        HookReply::deserialize(MapAccessDeserializer::new(fields)).map(HookReplyInput::Full)
    }
}

impl<'de> Deserialize<'de> for HookReplyInput {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(HookReplyVisitor)
    }
}

impl From<HookReplyInput> for HookReply {
    fn from(wished: HookReplyInput) -> Self {
        match wished {
            HookReplyInput::Status(status) => Self { status, ..Self::default() },
            HookReplyInput::Full(reply) => reply,
        }
    }
}

/// How a receiver answers.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "HookScript")]
pub(crate) struct HookScriptInput {
    /// Used one after the other.
    #[serde(default)]
    answers: Vec<HookReplyInput>,
    /// Used for all later calls. Default 200.
    then: Option<HookReplyInput>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "HookScriptLeft")]
pub(crate) struct HookScript {
    /// Answers that are not used yet.
    answers: VecDeque<HookReply>,
    then: HookReply,
}

const ANSWERS_MAX: usize = 1_000;
/// The longest time for which Roost's own sender waits, with a margin.
const DELAY_MAX: HumanDuration = HumanDuration(std::time::Duration::from_secs(600));
const BODY_MAX: usize = 64 * 1024;

impl HookScript {
    pub(crate) fn from_input(input: HookScriptInput) -> Result<Self, String> {
        let answers = input.answers.into_iter().map(HookReply::from).collect();
        let script = Self { answers, then: input.then.map(HookReply::from).unwrap_or_default() };
        script.check().map(|()| script)
    }

    /// Refuses replies that cannot be sent.
    pub(super) fn check(&self) -> Result<(), String> {
        if self.answers.len() > ANSWERS_MAX {
            return Err(format!("answers: expected at most {ANSWERS_MAX}."));
        }
        for (index, answer) in self.answers.iter().enumerate() {
            answer.check_reply().map_err(|why| format!("answers[{index}]{why}"))?;
        }
        self.then.check_reply().map_err(|why| format!("then{why}"))
    }

    pub(crate) fn replies_left(&self) -> usize {
        self.answers.len()
    }

    pub(super) fn next(&mut self) -> HookReply {
        self.answers.pop_front().unwrap_or_else(|| self.then.clone())
    }
}

impl HookReply {
    /// The message begins with the place within the answer. A status can be the whole answer, so it has none.
    fn check_reply(&self) -> Result<(), String> {
        if !(200..=599).contains(&self.status) {
            return Err(format!(": expected a status from 200 to 599, got {}.", self.status));
        }
        if self.delay > DELAY_MAX {
            return Err(format!(".delay: expected at most {DELAY_MAX}."));
        }
        if self.body.len() > BODY_MAX {
            return Err(format!(".body: expected at most {BODY_MAX} bytes."));
        }
        for (name, value) in &self.headers {
            let (Ok(header), Ok(_)) = (HeaderName::try_from(name.as_str()), HeaderValue::try_from(value.as_str()))
            else {
                return Err(format!(".headers: '{name}' or its value is not valid."));
            };
            if let Some(why) = forbidden_header_reason(&header) {
                return Err(format!(".headers: {header} cannot be set: it {why}."));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn read_script(input: Value) -> Result<HookScript, String> {
        serde_json::from_value(input).map_err(|why| why.to_string()).and_then(HookScript::from_input)
    }

    #[test]
    fn answers_come_in_order_and_the_last_one_for_ever() {
        let mut script =
            read_script(json!({ "answers": [500, { "status": 503, "delay": "2s" }], "then": 204 })).expect("one");
        let statuses: Vec<_> = (0..4).map(|_| script.next().status).collect();
        assert_eq!(statuses, [500, 503, 204, 204]);
        assert_eq!(read_script(json!({})).expect("one").next(), HookReply::default());
    }

    #[test]
    fn what_cannot_be_answered_is_refused() {
        for input in [
            json!({ "answers": [99] }),
            json!({ "answers": [600] }),
            json!({ "then": 100 }),
            json!({ "answers": ["500"] }),
            json!({ "answers": [{ "delay": "11m" }] }),
            json!({ "answers": [{ "headers": { "a b": "c" } }] }),
            json!({ "answers": [{ "headers": { "content-length": "7" } }] }),
            json!({ "then": { "headers": { "Content-Security-Policy": "default-src *" } } }),
            json!({ "then": { "headers": { "service-worker-allowed": "/" } } }),
            json!({ "answers": [{ "line": "hang" }] }),
            json!({ "replies": [200] }),
            json!({ "answers": vec![200; ANSWERS_MAX + 1] }),
        ] {
            assert!(read_script(input.clone()).is_err(), "{input}");
        }
        for (input, place) in [
            (json!({ "answers": [200, 99] }), "answers[1]: expected a status"),
            (json!({ "then": { "delay": "11m" } }), "then.delay: expected at most"),
        ] {
            let message = read_script(input).expect_err("refused");
            assert!(message.starts_with(place), "{message}");
        }
    }
}
