//! Why there was no answer.

use std::time::Duration;

#[derive(Debug, thiserror::Error)]
pub enum Failure {
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
    /// The request was on its way when the connection broke.
    #[error("the connection ended early: {0}")]
    Broken(String),
    #[error("this machine's certificates cannot be used: {0}")]
    NoCertificates(String),
}

impl Failure {
    /// Whether another try could end otherwise.
    pub fn may_pass(&self) -> bool {
        match self {
            Self::NoAddress(_) | Self::Refused(_) => false,
            Self::Unresolved(_)
            | Self::TimedOut(_)
            | Self::NoConnection(_)
            | Self::Broken(_)
            | Self::NoCertificates(_) => true,
        }
    }

    /// Whether the request may have reached somebody.
    pub fn may_have_arrived(&self) -> bool {
        matches!(self, Self::TimedOut(_) | Self::Broken(_))
    }
}

/// The innermost cause is the one that helps.
pub(crate) fn deepest(error: &dyn std::error::Error) -> String {
    let mut cause = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    cause.to_string()
}
