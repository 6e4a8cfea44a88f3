//! Why a call did not do what it was for, what that means, and what a person can do about it.

use std::fmt;

use roost_outbound::Failure;
use roost_reconcile::{
    answer::{Answer, Stop, Verdict, Word, judge, reads, refused_rows},
    plan::Lane,
};
use serde::Deserialize;
use serde_json::Value;

use super::{
    advice,
    answer::Unreadable,
    records::{some_text, text},
};

/// One broken rule, as the service tells it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Entry {
    #[serde(default, deserialize_with = "text")]
    pub field: String,
    #[serde(default, deserialize_with = "text")]
    pub message: String,
    #[serde(default, deserialize_with = "some_text")]
    pub code: Option<String>,
}

/// An answer that says no, in either shape or in none.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Refused {
    pub status: u16,
    pub code: Option<String>,
    pub error: Option<String>,
    pub message: Option<String>,
    pub trace_id: Option<String>,
    pub entries: Vec<Entry>,
    /// Its body has one of the two known shapes.
    pub known_shape: bool,
    /// How it begins, when its shape is unknown.
    pub excerpt: String,
}

/// As much of an unknown body as is worth showing.
const EXCERPT: usize = 200;

impl Refused {
    pub(super) fn read(status: u16, around: &[u8], mut entries: Vec<Entry>) -> Self {
        let Ok(Value::Object(mut body)) = serde_json::from_slice(around) else {
            let text: String = String::from_utf8_lossy(around).split_whitespace().collect::<Vec<_>>().join(" ");
            return Self { status, excerpt: text.chars().take(EXCERPT).collect(), ..Self::default() };
        };
        let word = |key: &str| match body.get(key) {
            Some(Value::String(text)) => Some(text.clone()),
            _ => None,
        };
        let (code, error, message, trace_id) = (word("code"), word("error"), word("message"), word("trace_id"));
        let of_senders = match body.remove("errors") {
            Some(Value::Array(errors)) => Some(errors.into_iter().filter_map(|one| serde_json::from_value(one).ok())),
            _ => None,
        };
        let known_shape = of_senders.is_some() || code.is_some();
        entries.extend(of_senders.into_iter().flatten());
        // The shape of the senders has no name for it, but a place means a rule.
        let placed = || entries.iter().any(|entry| !entry.field.is_empty()).then(|| "VALIDATION_ERROR".to_owned());
        let error = error.or_else(placed);
        let code = code.or_else(|| entries.iter().find_map(|entry| entry.code.clone()));
        Self { status, code, error, message, trace_id, entries, known_shape, excerpt: String::new() }
    }

    /// The service's own words.
    pub fn words(&self) -> String {
        let told: Vec<&str> = match &self.message {
            _ if !self.entries.is_empty() => self.entries.iter().map(|entry| entry.message.as_str()).collect(),
            Some(message) => vec![message],
            None => vec![&self.excerpt],
        };
        told.join("; ")
    }
}

#[derive(Debug)]
pub enum Cause {
    Refused(Box<Refused>),
    /// There was no answer, or not all of it.
    Failed(Failure),
    /// It succeeded in words that are not the interface's.
    Unreadable,
    /// Nothing was sent: the connection is for reading alone.
    ReadOnly,
}

/// What became of a call that did not succeed.
#[derive(Debug)]
pub struct Error {
    pub lane: Lane,
    pub verdict: Verdict,
    pub cause: Cause,
}

impl Error {
    pub(super) fn refused(lane: Lane, refused: Refused, retry_after: Option<u32>, after_burst: bool) -> Self {
        let answer = Answer {
            status: refused.status,
            code: refused.code.as_deref(),
            error: refused.error.as_deref(),
            known_shape: refused.known_shape,
            retry_after,
            after_burst,
        };
        Self { lane, verdict: judge(lane, Word::Answer(answer)), cause: Cause::Refused(Box::new(refused)) }
    }

    pub(super) fn failed(lane: Lane, failure: Failure) -> Self {
        let word = if failure.may_have_arrived() { Word::None } else { Word::NotSent };
        Self { lane, verdict: judge(lane, word), cause: Cause::Failed(failure) }
    }

    /// A success that cannot be read. One that breaks off is worth another try; another language is not.
    pub(super) fn unreadable(lane: Lane, why: Unreadable) -> Self {
        match why {
            Unreadable::CutOff => Self::failed(lane, Failure::Broken("the answer broke off".to_owned())),
            Unreadable::NotJson | Unreadable::TooLong => {
                let verdict = if reads(lane) { Verdict::Stop(Stop::WrongAddress) } else { Verdict::Uncertain };
                Self { lane, verdict, cause: Cause::Unreadable }
            }
        }
    }

    pub(super) fn read_only(lane: Lane) -> Self {
        Self { lane, verdict: Verdict::Stop(Stop::NotPermitted), cause: Cause::ReadOnly }
    }

    /// The same request would end the same way.
    pub fn is_permanent(&self) -> bool {
        match &self.cause {
            Cause::Failed(failure) => !failure.may_pass(),
            Cause::Refused(_) | Cause::Unreadable | Cause::ReadOnly => self.verdict.is_permanent(),
        }
    }

    /// The service, or what stands before it, has no time for the request now.
    pub fn is_busy(&self) -> bool {
        self.answer().is_some_and(|refused| matches!(refused.status, 429 | 503))
    }

    /// Nobody can have heard of the request.
    pub fn never_left(&self) -> bool {
        matches!(&self.cause, Cause::Failed(failure) if !failure.may_have_arrived())
    }

    /// The request was sent, and nothing came for long.
    pub fn is_silent(&self) -> bool {
        matches!(&self.cause, Cause::Failed(Failure::TimedOut(_)))
    }

    pub fn answer(&self) -> Option<&Refused> {
        match &self.cause {
            Cause::Refused(refused) => Some(refused),
            Cause::Failed(_) | Cause::Unreadable | Cause::ReadOnly => None,
        }
    }

    /// What to do about each contact that a refused request names, by its place in the request.
    pub fn rows(&self) -> Vec<(usize, Vec<String>)> {
        let entries = self.answer().map_or(&[][..], |refused| &refused.entries);
        let told: Vec<_> = entries.iter().map(|entry| (entry.field.as_str(), entry.message.as_str())).collect();
        let sentences = |faults: Vec<(Option<&str>, &str)>| {
            faults.into_iter().map(|(attribute, words)| advice::of_contact(attribute, words)).collect()
        };
        refused_rows(&told).into_iter().map(|(row, faults)| (row, sentences(faults))).collect()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&advice::of(self))
    }
}

impl std::error::Error for Error {}
