//! Defines why a call failed, what that means, and what the user can do about it.

use std::fmt;

use roost_outbound::CallFailure;
use roost_reconcile::{
    plan::Lane,
    response::{CallReply, ResponseFacts, ResponseMeaning, StopReason, interpret_reply, is_read, parse_refused_rows},
};
use serde::Deserialize;
use serde_json::Value;

use super::{
    advice,
    records::{some_text, text},
    splitter::UnreadableResponse,
};

/// A rule that a request broke, as the service reports it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct ErrorEntry {
    #[serde(default, deserialize_with = "text")]
    pub field: String,
    #[serde(default, deserialize_with = "text")]
    pub message: String,
    #[serde(default, deserialize_with = "some_text")]
    pub code: Option<String>,
}

/// An error response, in one of the two known shapes or in none.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ErrorResponse {
    pub status: u16,
    pub code: Option<String>,
    pub error: Option<String>,
    pub message: Option<String>,
    pub trace_id: Option<String>,
    pub entries: Vec<ErrorEntry>,
    /// Whether its body has one of the two known shapes.
    pub known_shape: bool,
    /// The beginning of the body, if its shape is unknown.
    pub excerpt: String,
}

/// The number of characters of an unknown body worth showing.
const EXCERPT_CHARS: usize = 200;

impl ErrorResponse {
    /// Parses an error response in either known shape, or takes an excerpt.
    pub(super) fn parse(status: u16, around: &[u8], mut entries: Vec<ErrorEntry>) -> Self {
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
    pub fn service_words(&self) -> String {
        let messages: Vec<&str> = match &self.message {
            _ if !self.entries.is_empty() => self.entries.iter().map(|entry| entry.message.as_str()).collect(),
            Some(message) => vec![message],
            None => vec![&self.excerpt],
        };
        plain_text(&messages.join("; "))
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
    out.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(EXCERPT_CHARS).collect()
}

/// The cause of an error.
#[derive(Debug)]
pub enum ErrorCause {
    Refused(Box<ErrorResponse>),
    /// The response is missing or incomplete.
    Failed(CallFailure),
    /// The call succeeded with a response that does not match the interface.
    Unreadable,
    /// Nothing was sent, because the connection is read-only.
    ReadOnly,
}

/// The fate of a call that did not succeed.
#[derive(Debug)]
pub struct ServiceError {
    pub lane: Lane,
    pub verdict: ResponseMeaning,
    pub cause: ErrorCause,
}

impl ServiceError {
    pub(super) fn from_response(
        lane: Lane,
        refused: ErrorResponse,
        retry_after: Option<u32>,
        after_burst: bool,
    ) -> Self {
        let answer = ResponseFacts {
            status: refused.status,
            code: refused.code.as_deref(),
            error: refused.error.as_deref(),
            known_shape: refused.known_shape,
            retry_after,
            after_burst,
        };
        Self {
            lane,
            verdict: interpret_reply(lane, CallReply::Response(answer)),
            cause: ErrorCause::Refused(Box::new(refused)),
        }
    }

    pub(super) fn from_failure(lane: Lane, failure: CallFailure) -> Self {
        let word = if failure.may_have_arrived() { CallReply::NoResponse } else { CallReply::NotSent };
        Self { lane, verdict: interpret_reply(lane, word), cause: ErrorCause::Failed(failure) }
    }

    /// Creates the error for a successful response that cannot be read. One that breaks off is worth another attempt;
    /// one in another format is not.
    pub(super) fn from_unreadable(lane: Lane, why: UnreadableResponse) -> Self {
        match why {
            UnreadableResponse::CutOff => {
                Self::from_failure(lane, CallFailure::Broken("the answer broke off".to_owned()))
            }
            UnreadableResponse::NotJson | UnreadableResponse::TooLong => {
                let verdict = if is_read(lane) {
                    ResponseMeaning::Stop(StopReason::WrongAddress)
                } else {
                    ResponseMeaning::Uncertain
                };
                Self { lane, verdict, cause: ErrorCause::Unreadable }
            }
        }
    }

    pub(super) fn read_only(lane: Lane) -> Self {
        Self { lane, verdict: ResponseMeaning::Stop(StopReason::NotPermitted), cause: ErrorCause::ReadOnly }
    }

    /// Returns whether the same request would always end the same way.
    pub fn is_permanent(&self) -> bool {
        match &self.cause {
            ErrorCause::Failed(failure) => !failure.is_worth_retrying(),
            ErrorCause::Refused(_) | ErrorCause::Unreadable | ErrorCause::ReadOnly => self.verdict.is_permanent(),
        }
    }

    /// Returns whether the service, or a proxy in front of it, is too busy for the request.
    pub fn is_busy(&self) -> bool {
        self.response().is_some_and(|refused| matches!(refused.status, 429 | 503))
    }

    /// Returns whether the request certainly did not reach the service.
    pub fn never_left(&self) -> bool {
        matches!(&self.cause, ErrorCause::Failed(failure) if !failure.may_have_arrived())
    }

    /// Returns whether the request was sent and no response came in time.
    pub fn is_silent(&self) -> bool {
        matches!(&self.cause, ErrorCause::Failed(CallFailure::TimedOut(_)))
    }

    pub fn response(&self) -> Option<&ErrorResponse> {
        match &self.cause {
            ErrorCause::Refused(refused) => Some(refused),
            ErrorCause::Failed(_) | ErrorCause::Unreadable | ErrorCause::ReadOnly => None,
        }
    }

    /// Returns the advice for each contact that a refused request names, by its position in the request.
    pub fn refused_contacts(&self) -> Vec<(usize, Vec<String>)> {
        let entries = self.response().map_or(&[][..], |refused| &refused.entries);
        let messages: Vec<_> = entries.iter().map(|entry| (entry.field.as_str(), entry.message.as_str())).collect();
        let sentences = |faults: Vec<(Option<&str>, &str)>| {
            faults.into_iter().map(|(attribute, words)| advice::describe_contact_error(attribute, words)).collect()
        };
        parse_refused_rows(&messages).into_iter().map(|(row, faults)| (row, sentences(faults))).collect()
    }
}

impl fmt::Display for ServiceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&advice::describe_error(self))
    }
}

impl std::error::Error for ServiceError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_never_shows_raw_html() {
        let page =
            b"<!DOCTYPE html><html><head><title>502 Bad Gateway</title></head><body><h1>Bad\nGateway</h1></body>";
        assert_eq!(ErrorResponse::parse(502, page, Vec::new()).service_words(), "502 Bad Gateway Bad Gateway");
        assert_eq!(plain_text("sizes < 5 and <b>bold</b> <cut of"), "sizes < 5 and bold");
        assert_eq!(plain_text(&"x".repeat(500)).len(), EXCERPT_CHARS);
        let json = br#"{"code": "X", "message": "<p>No.</p>"}"#;
        assert_eq!(ErrorResponse::parse(400, json, Vec::new()).service_words(), "No.");
    }
}
