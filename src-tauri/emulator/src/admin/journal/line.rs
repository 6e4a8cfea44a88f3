//! A journal line in the form of a response, with masked secrets.

use std::borrow::Cow;

use roost_journal::{Exchange, RecordedBody, RecordedMessage, query::FieldMismatch};
use schemars::JsonSchema;
use serde::Serialize;

use super::super::work::origin::JournalLinks;
use crate::settings::HumanDuration;

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "JournalLine")]
pub(crate) struct JournalLine {
    /// Position in the journal. It increases by one per line, in the order in which the requests ended.
    seq: u64,
    /// Assigned when the request arrived or the callback was sent.
    number: u64,
    /// Start, on the world's clock.
    #[schemars(extend("format" = "date-time"))]
    at: String,
    /// Start, in real time. Not in the stable form.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("format" = "date-time"))]
    real_at: Option<String>,
    /// `in`, or `out` for a callback.
    #[schemars(extend("enum" = ["in", "out"]))]
    direction: &'static str,
    method: String,
    /// Path and query. For a callback, the whole address.
    url: String,
    operation: Option<String>,
    /// Null when no response was sent.
    status: Option<u16>,
    /// Not in the stable form.
    #[serde(skip_serializing_if = "Option::is_none")]
    took: Option<HumanDuration>,
    /// The beginning of the key.
    key: Option<String>,
    /// The fault rule that fired.
    rule: Option<String>,
    /// The response that would have been sent without the rule.
    meant: Option<IntendedResponse>,
    why: Option<JournalRefusal>,
    /// For a callback: the number of the attempt.
    attempt: Option<u32>,
    /// For a callback: its job.
    job: Option<i64>,
    request: JournalMessage,
    response: JournalMessage,
    /// Effects and causes. Only when a single line is requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    links: Option<JournalLinks>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "JournalIntendedResponse")]
struct IntendedResponse {
    status: u16,
    body: JournalBody,
}

/// Why the request was refused.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "JournalRefusal")]
struct JournalRefusal {
    check: &'static str,
    words: String,
    /// The first rules that the request broke.
    faults: Vec<JournalRuleError>,
    faults_total: usize,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "JournalFault")]
struct JournalRuleError {
    path: String,
    message: String,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "JournalMessage")]
struct JournalMessage {
    /// Names and values. Secrets are masked.
    headers: Vec<(String, String)>,
    body: JournalBody,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "JournalBody")]
struct JournalBody {
    /// `cut`: only the beginning is stored. `withheld`: it may contain a secret. `unread`: the request was refused
    /// before the body was read.
    #[schemars(extend("enum" = ["none", "whole", "cut", "withheld", "unread"]))]
    state: &'static str,
    text: String,
    /// The full length.
    bytes: u64,
}

/// A line that nearly matches.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "NearLine")]
pub(super) struct NearLineEntry {
    pub seq: u64,
    pub number: u64,
    pub method: String,
    pub url: String,
    pub operation: Option<String>,
    pub status: Option<u16>,
    pub misses: Vec<FieldMismatch>,
}

/// Headers that belong to the caller's connection and differ between runs.
const UNSTABLE_HEADERS: [&str; 4] = ["host", "user-agent", "content-length", "connection"];

impl JournalLine {
    /// Converts a recorded exchange. The stable form leaves out what differs from run to run.
    pub(crate) fn from_exchange(line: &Exchange, is_stable: bool) -> Self {
        let owned = |text: &Cow<'static, str>| text.clone().into_owned();
        let why = line.why.as_ref().map(|why| JournalRefusal {
            check: why.check.as_str(),
            words: owned(&why.words),
            faults: why
                .faults
                .iter()
                .map(|f| JournalRuleError { path: owned(&f.path), message: owned(&f.message) })
                .collect(),
            faults_total: why.faults_total,
        });
        Self {
            seq: line.id,
            number: line.number,
            at: line.at.to_iso(),
            real_at: (!is_stable).then(|| line.real_at.to_iso()),
            direction: line.direction.as_str(),
            method: line.method.to_string(),
            url: line.target.clone(),
            operation: line.operation.as_deref().map(str::to_owned),
            status: line.status,
            took: (!is_stable).then(|| HumanDuration(std::time::Duration::from_micros(line.micros))),
            key: line.key.clone(),
            rule: line.rule.as_deref().map(str::to_owned),
            meant: line
                .meant
                .as_ref()
                .map(|(status, body)| IntendedResponse { status: *status, body: JournalBody::from_recorded(body) }),
            why,
            attempt: line.attempt,
            job: line.job,
            request: JournalMessage::from_message(&line.request, is_stable),
            response: JournalMessage::from_message(&line.response, is_stable),
            links: None,
        }
    }
}

impl JournalLine {
    pub(crate) fn with_links(self, links: JournalLinks) -> Self {
        Self { links: Some(links), ..self }
    }
}

impl JournalMessage {
    fn from_message(message: &RecordedMessage, is_stable: bool) -> Self {
        let headers = message.headers.iter().filter(|(name, _)| !(is_stable && UNSTABLE_HEADERS.contains(name)));
        let headers = headers.map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
        Self { headers, body: JournalBody::from_recorded(&message.body) }
    }
}

impl JournalBody {
    fn from_recorded(body: &RecordedBody) -> Self {
        let state = match body {
            RecordedBody::None => "none",
            RecordedBody::Withheld { .. } => "withheld",
            RecordedBody::Unread { .. } => "unread",
            RecordedBody::Recorded { .. } if body.is_whole() => "whole",
            RecordedBody::Recorded { .. } => "cut",
        };
        Self { state, text: String::from_utf8_lossy(body.bytes()).into_owned(), bytes: body.length() }
    }
}
