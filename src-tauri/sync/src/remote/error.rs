//! Defines why a call failed, what that means, and what the user can do about it.

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

/// A rule that a request broke, as the service reports it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Entry {
    #[serde(default, deserialize_with = "text")]
    pub field: String,
    #[serde(default, deserialize_with = "text")]
    pub message: String,
    #[serde(default, deserialize_with = "some_text")]
    pub code: Option<String>,
}

/// An error response, in one of the two known shapes or in none.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Refused {
    pub status: u16,
    pub code: Option<String>,
    pub error: Option<String>,
    pub message: Option<String>,
    pub trace_id: Option<String>,
    pub entries: Vec<Entry>,
    /// Whether its body has one of the two known shapes.
    pub known_shape: bool,
    /// The beginning of the body, if its shape is unknown.
    pub excerpt: String,
}

/// The number of characters of an unknown body worth showing.
const EXCERPT: usize = 200;

impl Refused {
    /// Parses an error response in either known shape, or takes an excerpt.
    pub(super) fn read(status: u16, around: &[u8], mut entries: Vec<Entry>) -> Self {
        let Ok(Value::Object(mut body)) = serde_json::from_slice(around) else {
            return Self { status, excerpt: plain_text(&String::from_utf8_lossy(around)), ..Self::default() };
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
        // The error shape of the sender operations has no name for this, but a field means a broken rule.
        let placed = || entries.iter().any(|entry| !entry.field.is_empty()).then(|| "VALIDATION_ERROR".to_owned());
        let error = error.or_else(placed);
        let code = code.or_else(|| entries.iter().find_map(|entry| entry.code.clone()));
        Self { status, code, error, message, trace_id, entries, known_shape, excerpt: String::new() }
    }

    /// Returns the service's own words.
    pub fn words(&self) -> String {
        let told: Vec<&str> = match &self.message {
            _ if !self.entries.is_empty() => self.entries.iter().map(|entry| entry.message.as_str()).collect(),
            Some(message) => vec![message],
            None => vec![&self.excerpt],
        };
        plain_text(&told.join("; "))
    }
}

/// Returns the beginning of a text without tags, because the response may be an HTML page.
fn plain_text(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        let (before, tag) = rest.split_at(at);
        out.push_str(before);
        let is_tag = tag[1..].starts_with(|next: char| next.is_ascii_alphabetic() || matches!(next, '/' | '!' | '?'));
        rest = match tag.find('>').filter(|_| is_tag) {
            Some(end) => {
                out.push(' ');
                &tag[end + 1..]
            }
            // The body was cut off inside a tag.
            None if is_tag => "",
            None => {
                out.push('<');
                &tag[1..]
            }
        };
    }
    out.push_str(rest);
    out.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(EXCERPT).collect()
}

/// The cause of an error.
#[derive(Debug)]
pub enum Cause {
    Refused(Box<Refused>),
    /// The response is missing or incomplete.
    Failed(Failure),
    /// The call succeeded with a response that does not match the interface.
    Unreadable,
    /// Nothing was sent, because the connection is read-only.
    ReadOnly,
}

/// The fate of a call that did not succeed.
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

    /// Creates the error for a successful response that cannot be read. One that breaks off is worth another attempt;
    /// one in another format is not.
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

    /// Returns whether the same request would always end the same way.
    pub fn is_permanent(&self) -> bool {
        match &self.cause {
            Cause::Failed(failure) => !failure.may_pass(),
            Cause::Refused(_) | Cause::Unreadable | Cause::ReadOnly => self.verdict.is_permanent(),
        }
    }

    /// Returns whether the service, or a proxy in front of it, is too busy for the request.
    pub fn is_busy(&self) -> bool {
        self.answer().is_some_and(|refused| matches!(refused.status, 429 | 503))
    }

    /// Returns whether the request certainly did not reach the service.
    pub fn never_left(&self) -> bool {
        matches!(&self.cause, Cause::Failed(failure) if !failure.may_have_arrived())
    }

    /// Returns whether the request was sent and no response came in time.
    pub fn is_silent(&self) -> bool {
        matches!(&self.cause, Cause::Failed(Failure::TimedOut(_)))
    }

    pub fn answer(&self) -> Option<&Refused> {
        match &self.cause {
            Cause::Refused(refused) => Some(refused),
            Cause::Failed(_) | Cause::Unreadable | Cause::ReadOnly => None,
        }
    }

    /// Returns the advice for each contact that a refused request names, by its position in the request.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_never_shows_raw_html() {
        let page =
            b"<!DOCTYPE html><html><head><title>502 Bad Gateway</title></head><body><h1>Bad\nGateway</h1></body>";
        assert_eq!(Refused::read(502, page, Vec::new()).words(), "502 Bad Gateway Bad Gateway");
        assert_eq!(plain_text("sizes < 5 and <b>bold</b> <cut of"), "sizes < 5 and bold");
        assert_eq!(plain_text(&"x".repeat(500)).len(), EXCERPT);
        let json = br#"{"code": "X", "message": "<p>No.</p>"}"#;
        assert_eq!(Refused::read(400, json, Vec::new()).words(), "No.");
    }
}
