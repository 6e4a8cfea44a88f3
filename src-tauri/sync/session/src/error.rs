//! Defines why a request was refused, and its stored form for work that failed.

use roost_model::{error::FieldError, time::Timestamp};
use roost_ops::Error as AccountError;
use roost_reconcile::response::{ResponseMeaning, StopReason};
use roost_sync::{
    SyncError,
    remote::{self, ErrorCause},
    vault::VaultError,
};

use crate::types::{SyncFailure, SyncFailureKind};

/// The reason for which a request was refused. No variant carries a secret.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    #[error("{}", .0.iter().map(|fault| fault.message.as_str()).collect::<Vec<_>>().join(" "))]
    Invalid(Vec<FieldError>),
    #[error(transparent)]
    Failed(#[from] SyncError),
    #[error("The account is not connected. Enter the address of its service first.")]
    NotConnected,
    #[error("There is no key yet. Enter the key of the connection first.")]
    NoKey,
    #[error(
        "The stored key was entered for another address than {0} and is sent only there. Check the address. If it is \
         right, enter the key again."
    )]
    KeyElsewhere(String),
    #[error("The key is encrypted with a passphrase. Enter the passphrase first.")]
    Sealed,
    #[error(transparent)]
    Vault(#[from] VaultError),
    #[error(
        "This account is in memory, so that there is no place beside it for a sealed key. Use the keyring, or an account in a file."
    )]
    NoPlace,
    #[error(
        "This account is a copy of another account that is connected to the service. To connect this copy as well, \
         enter the key again, or save the connection again."
    )]
    Copied,
    #[error("Another operation is using the service. Wait until it finishes, or stop it.")]
    AtWork,
    #[error("This no longer exists.")]
    Unknown,
    #[error("The account is being closed.")]
    Ending,
    /// The work ended with a panic.
    #[error("Roost failed because of an internal error. Its log has the cause.")]
    Panicked,
}

impl From<AccountError> for SessionError {
    fn from(error: AccountError) -> Self {
        Self::Failed(SyncError::Account(error))
    }
}

impl From<remote::ServiceError> for SessionError {
    fn from(error: remote::ServiceError) -> Self {
        Self::Failed(SyncError::Service(error))
    }
}

impl SessionError {
    pub(super) fn invalid_field(
        path: impl Into<String>,
        message: impl ToString,
        given: impl Into<serde_json::Value>,
    ) -> Self {
        Self::Invalid(vec![FieldError::new(path, message.to_string(), given)])
    }

    pub fn kind(&self) -> SyncFailureKind {
        match self {
            Self::Failed(failed) => failure_kind(failed),
            Self::NotConnected => SyncFailureKind::NotConnected,
            Self::NoKey | Self::KeyElsewhere(_) | Self::Copied => SyncFailureKind::NoKey,
            Self::Sealed
            | Self::NoPlace
            | Self::Vault(
                VaultError::WrongPassphrase
                | VaultError::NoSealedKey(_)
                | VaultError::ShortPassphrase
                | VaultError::File { .. }
                | VaultError::CannotSeal,
            ) => SyncFailureKind::Sealed,
            Self::Vault(_) => SyncFailureKind::Keyring,
            Self::AtWork => SyncFailureKind::Held,
            Self::Invalid(_) | Self::Unknown | Self::Ending | Self::Panicked => SyncFailureKind::Other,
        }
    }

    /// Returns whether the same request would always end the same way.
    pub fn is_permanent(&self) -> bool {
        match self {
            Self::Failed(SyncError::Service(error)) => error.is_permanent(),
            Self::Failed(SyncError::Held | SyncError::Ending) | Self::AtWork | Self::Ending => false,
            _ => true,
        }
    }

    /// Converts the refusal into the stored form for work that failed.
    pub fn to_failure(&self, at: Timestamp) -> SyncFailure {
        let message = self.to_string();
        // The refusals of the service state the problem and the advice in one text.
        let (message, advice) = match message.split_once(". ") {
            Some((what, then)) => (format!("{what}."), Some(then.to_owned())),
            None => (message, None),
        };
        SyncFailure { kind: self.kind(), message, advice, at, is_permanent: self.is_permanent() }
    }
}

fn failure_kind(failed: &SyncError) -> SyncFailureKind {
    match failed {
        SyncError::Service(error) => service_failure_kind(error),
        SyncError::Held => SyncFailureKind::Held,
        SyncError::Stale => SyncFailureKind::Stale,
        SyncError::Gate(_) => SyncFailureKind::Gate,
        SyncError::Open => SyncFailureKind::RunOpen,
        SyncError::ReadOnly => SyncFailureKind::ReadOnly,
        SyncError::OtherAccount(_) => SyncFailureKind::OtherAccount,
        SyncError::Account(_) => SyncFailureKind::Account,
        _ => SyncFailureKind::Other,
    }
}

fn service_failure_kind(error: &remote::ServiceError) -> SyncFailureKind {
    match (&error.cause, error.verdict) {
        (ErrorCause::ReadOnly, _) => SyncFailureKind::ReadOnly,
        (ErrorCause::Failed(remote::CallFailure::NoAddress(_)), _)
        | (_, ResponseMeaning::Stop(StopReason::WrongAddress)) => SyncFailureKind::WrongAddress,
        (ErrorCause::Failed(_), _) => SyncFailureKind::Unreachable,
        // The service responds but does not work.
        (ErrorCause::Refused(refused), ResponseMeaning::Again | ResponseMeaning::Uncertain)
            if refused.status >= 500 =>
        {
            SyncFailureKind::Unreachable
        }
        (_, ResponseMeaning::Stop(StopReason::KeyRefused)) => SyncFailureKind::KeyRefused,
        (_, ResponseMeaning::Stop(StopReason::NotPermitted)) => SyncFailureKind::NotPermitted,
        (_, ResponseMeaning::Stop(StopReason::Redirected)) => SyncFailureKind::Redirected,
        (_, ResponseMeaning::Throttled { .. }) => SyncFailureKind::Throttled,
        _ => SyncFailureKind::Other,
    }
}
