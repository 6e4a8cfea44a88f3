//! The reasons why a call got no response.

use std::time::Duration;

#[derive(Debug, thiserror::Error)]
pub enum CallFailure {
    #[error("{0} is not an http or https address")]
    NoAddress(String),
    #[error("refused to call: {0}")]
    Refused(String),
    #[error("the name could not be resolved: {0}")]
    Unresolved(#[source] std::io::Error),
    #[error("no answer within {} s", .0.as_secs())]
    TimedOut(Duration),
    #[error("no connection: {0}")]
    NoConnection(String),
    /// The connection broke after the request was sent.
    #[error("the connection ended early: {0}")]
    Broken(String),
    #[error("this machine's certificates cannot be used: {0}")]
    NoCertificates(String),
}

impl CallFailure {
    /// Returns whether another attempt could have a different result.
    pub fn is_worth_retrying(&self) -> bool {
        match self {
            Self::NoAddress(_) | Self::Refused(_) => false,
            Self::Unresolved(_)
            | Self::TimedOut(_)
            | Self::NoConnection(_)
            | Self::Broken(_)
            | Self::NoCertificates(_) => true,
        }
    }

    /// Returns whether the request may have reached the receiver.
    pub fn may_have_arrived(&self) -> bool {
        matches!(self, Self::TimedOut(_) | Self::Broken(_))
    }
}

/// Returns the innermost cause, which explains the error best, without the number of the operating system.
pub(crate) fn innermost_cause(error: &dyn std::error::Error) -> String {
    let mut cause = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    let text = cause.to_string();
    match text.split_once(" (os error ") {
        Some((words, _)) => words.to_owned(),
        None => text,
    }
}
