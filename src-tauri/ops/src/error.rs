//! Defines the reasons why an act was not done.

use roost_model::error::{ErrorCode, FieldError};
use roost_store::{change_log::Noun, error::StoreError};

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("There is no {noun} {uid}.", noun = noun.as_str().replace('_', " "))]
    NotFound { noun: Noun, uid: String },
    #[error("{}", faults.iter().map(|f| f.message.as_str()).collect::<Vec<_>>().join(" "))]
    Invalid { faults: Vec<FieldError> },
    #[error("{message}")]
    Conflict { message: String },
    #[error(transparent)]
    Store(#[from] StoreError),
}

pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::NotFound { .. } => ErrorCode::NotFound,
            Self::Invalid { .. } => ErrorCode::Invalid,
            Self::Conflict { .. } => ErrorCode::Conflict,
            Self::Store(error) => error.code(),
        }
    }

    /// Returns the error for an act of an account that was replaced.
    pub fn superseded() -> Self {
        Self::Store(StoreError::Superseded)
    }

    /// Returns whether the account was replaced meanwhile, so that the caller's request no longer applies.
    pub fn is_superseded(&self) -> bool {
        matches!(self, Self::Store(StoreError::Superseded))
    }

    pub fn conflict(message: impl Into<String>) -> Self {
        Self::Conflict { message: message.into() }
    }
}

impl From<FieldError> for Error {
    fn from(fault: FieldError) -> Self {
        Self::Invalid { faults: vec![fault] }
    }
}

/// Turns an empty result into the error `NotFound`: `found.or_not_found(noun, uid)?`.
pub trait OrNotFound<T> {
    fn or_not_found(self, noun: Noun, uid: impl ToString) -> Result<T>;
}

impl<T> OrNotFound<T> for Option<T> {
    fn or_not_found(self, noun: Noun, uid: impl ToString) -> Result<T> {
        self.ok_or_else(|| Error::NotFound { noun, uid: uid.to_string() })
    }
}

/// Does the same for acts that return whether the record existed.
impl OrNotFound<()> for bool {
    fn or_not_found(self, noun: Noun, uid: impl ToString) -> Result<()> {
        self.then_some(()).or_not_found(noun, uid)
    }
}
