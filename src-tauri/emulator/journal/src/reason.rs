//! Why a request was refused: which check, in which words, and the broken rules with their places.

use std::borrow::Cow;

use roost_wire::{RestError, ValidationError};

/// The check that refused, in the order of the checks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RefusalCheck {
    /// The checks of host and origin.
    Gate,
    /// The request names a world that does not exist.
    World,
    Route,
    Method,
    Key,
    Limits,
    /// A fault rule of the operator.
    Fault,
    /// The body or a parameter is malformed.
    Parsing,
    Validation,
    NotFound,
    /// The request is valid, but the present state does not allow it.
    Conflict,
    /// The program failed.
    Server,
    /// The receiver of a callback.
    Receiver,
    /// The caller did not wait for the response.
    Caller,
}

roost_model::variant_names! {
    pub RefusalCheck {
        Gate = "gate", World = "world", Route = "route", Method = "method", Key = "key", Limits = "limits",
        Fault = "fault", Parsing = "parsing", Validation = "validation", NotFound = "not_found",
        Conflict = "conflict", Server = "server", Receiver = "receiver", Caller = "caller",
    }
}

/// A broken rule and its place in the request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestViolation {
    pub path: Cow<'static, str>,
    pub message: Cow<'static, str>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefusalCause {
    pub check: RefusalCheck,
    pub words: Cow<'static, str>,
    /// The first broken rules, up to a limit.
    pub faults: Vec<RequestViolation>,
    pub faults_total: usize,
}

/// The most broken rules in one line; the response has all of them.
const FAULTS_MAX: usize = 50;

impl RefusalCause {
    pub fn new(check: RefusalCheck, words: impl Into<Cow<'static, str>>) -> Self {
        Self { check, words: words.into(), faults: Vec::new(), faults_total: 0 }
    }

    fn with_entries(self, entries: &[ValidationError]) -> Self {
        let fault =
            |entry: &ValidationError| RequestViolation { path: entry.field.clone(), message: entry.message.clone() };
        let faults = entries.iter().take(FAULTS_MAX).map(fault).collect();
        Self { faults, faults_total: entries.len(), ..self }
    }

    pub(super) fn weight(&self) -> usize {
        let faults = self.faults.iter().map(|fault| fault.path.len() + fault.message.len() + 48);
        self.words.len() + faults.sum::<usize>()
    }
}

impl From<&RestError> for RefusalCause {
    fn from(refusal: &RestError) -> Self {
        match refusal {
            RestError::Unauthorized => Self::new(RefusalCheck::Key, "The key is missing or unknown."),
            RestError::Forbidden => Self::new(RefusalCheck::Key, "The key does not permit this."),
            RestError::UnknownPath => Self::new(
                RefusalCheck::Route,
                "No operation of the interface has this path. /openapi.json describes the operations, and /__admin \
                 lists the resources of the admin interface.",
            ),
            RestError::WrongMethod => Self::new(RefusalCheck::Method, "The path is known, but not with this method."),
            RestError::BodyTooLarge => Self::new(RefusalCheck::Parsing, "The body is larger than 64 MiB."),
            RestError::BadBody => Self::new(
                RefusalCheck::Parsing,
                "The body is not the JSON object that the operation expects: its syntax or the type of a known key is \
                 wrong.",
            ),
            RestError::TooManyRequests => Self::new(RefusalCheck::Limits, "Too many requests per second."),
            RestError::Busy => Self::new(RefusalCheck::Limits, "The server is too busy for this request. Retry later."),
            RestError::Internal => Self::new(RefusalCheck::Server, "The server failed. See its log for the cause."),
            RestError::Invalid(entries) => {
                Self::new(RefusalCheck::Validation, count_broken_rules(entries.len())).with_entries(entries)
            }
            RestError::InvalidMessage(text) | RestError::InvalidUntraced(text) => {
                Self::new(RefusalCheck::Validation, *text)
            }
            RestError::BadUid { field, given } => {
                let fault = RequestViolation { path: (*field).into(), message: "UID is invalid".into() };
                let words = format!("'{}' is not a valid identifier.", shorten_text(given, SHOWN_MAX));
                Self { faults: vec![fault], faults_total: 1, ..Self::new(RefusalCheck::Validation, words) }
            }
            RestError::BadFormat { name, expected } => {
                let fault = RequestViolation { path: (*name).into(), message: format!("expected {expected}").into() };
                let words = format!("The parameter {name} must have the form {expected}.");
                Self { faults: vec![fault], faults_total: 1, ..Self::new(RefusalCheck::Parsing, words) }
            }
            RestError::BadParameterType => Self::new(RefusalCheck::Parsing, "A parameter has the wrong type."),
            RestError::MissingField { name, entries } => {
                Self::new(RefusalCheck::Validation, format!("The field {name} is missing.")).with_entries(entries)
            }
            RestError::BadReference(text) => Self::new(RefusalCheck::NotFound, *text),
            RestError::NotFound(text) => Self::new(RefusalCheck::NotFound, text.clone()),
            RestError::SenderNotFound => Self::new(RefusalCheck::NotFound, "There is no such sender."),
            RestError::Injected { .. } => {
                Self::new(RefusalCheck::Fault, "A fault rule caused this response. Nothing is wrong with the request.")
            }
        }
    }
}

fn count_broken_rules(rules: usize) -> Cow<'static, str> {
    match rules {
        1 => "The request breaks 1 rule.".into(),
        rules => format!("The request breaks {rules} rules.").into(),
    }
}

/// The most characters of a value that a caller sent.
pub const SHOWN_MAX: usize = 80;

pub fn shorten_text(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_keep_their_places_and_their_number() {
        let entries: Vec<ValidationError> =
            (0..200).map(|n| ValidationError::new(format!("contacts[{n}].title"), "too long", "x")).collect();
        let why = RefusalCause::from(&RestError::Invalid(entries));
        assert_eq!((why.check, why.words.as_ref()), (RefusalCheck::Validation, "The request breaks 200 rules."));
        assert_eq!((why.faults.len(), why.faults_total), (FAULTS_MAX, 200));
        assert_eq!(why.faults[7].path, "contacts[7].title");
        let why = RefusalCause::from(&RestError::BadUid { field: "deleteList.uid", given: "é".repeat(500) });
        assert!(why.words.chars().count() < 130, "{}", why.words);
    }
}
