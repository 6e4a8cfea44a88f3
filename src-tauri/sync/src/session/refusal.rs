//! Defines why a request was refused, and its stored form for work that failed.

use roost_model::{error::Fault, time::Timestamp};
use roost_ops::Error as AccountError;
use roost_reconcile::answer::{Stop, Verdict};

use super::shown::{SyncFailed, SyncFailedKind as Kind};
use crate::{
    Failed,
    remote::{self, Cause},
    vault::VaultError,
};

/// The reason for which a request was refused. No variant carries a secret.
#[derive(Debug, thiserror::Error)]
pub enum Refusal {
    #[error("{}", .0.iter().map(|fault| fault.message.as_str()).collect::<Vec<_>>().join(" "))]
    Invalid(Vec<Fault>),
    #[error(transparent)]
    Failed(#[from] Failed),
    #[error("The account is not connected. Enter where its service is first.")]
    NotConnected,
    #[error("There is no key yet. Enter the key of the connection first.")]
    NoKey,
    #[error(
        "The key that is kept was entered for another address than {0}, and is sent to that one alone. Check the address; if it is right, enter the key again."
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
        "This account is a copy of another, which has its own dealings with the service. Enter the key again, or save the connection again, so that this one works with the service as well."
    )]
    Copied,
    #[error("Something else works with the service right now. Wait for it, or stop it.")]
    AtWork,
    #[error("There is no such thing any more.")]
    Unknown,
    #[error("The account is being closed.")]
    Ending,
}

impl From<AccountError> for Refusal {
    fn from(error: AccountError) -> Self {
        Self::Failed(Failed::Account(error))
    }
}

impl From<remote::Error> for Refusal {
    fn from(error: remote::Error) -> Self {
        Self::Failed(Failed::Service(error))
    }
}

impl Refusal {
    pub(super) fn fault(path: impl Into<String>, told: impl ToString, given: impl Into<serde_json::Value>) -> Self {
        Self::Invalid(vec![Fault::new(path, told.to_string(), given)])
    }

    pub fn kind(&self) -> Kind {
        match self {
            Self::Failed(failed) => kind_of(failed),
            Self::NotConnected => Kind::NotConnected,
            Self::NoKey | Self::KeyElsewhere(_) | Self::Copied => Kind::NoKey,
            Self::Sealed
            | Self::NoPlace
            | Self::Vault(
                VaultError::WrongPassphrase(_)
                | VaultError::NoSealedKey(_)
                | VaultError::ShortPassphrase
                | VaultError::File { .. }
                | VaultError::CannotSeal,
            ) => Kind::Sealed,
            Self::Vault(_) => Kind::Keyring,
            Self::AtWork => Kind::Held,
            Self::Invalid(_) | Self::Unknown | Self::Ending => Kind::Other,
        }
    }

    /// Returns whether the same request would always end the same way.
    pub fn is_permanent(&self) -> bool {
        match self {
            Self::Failed(Failed::Service(error)) => error.is_permanent(),
            Self::Failed(Failed::Held | Failed::Ending) | Self::AtWork | Self::Ending => false,
            _ => true,
        }
    }

    /// Converts the refusal into the stored form for work that failed.
    pub fn told(&self, at: Timestamp) -> SyncFailed {
        let message = self.to_string();
        // The refusals of the service state the problem and the advice in one text.
        let (message, advice) = match message.split_once(". ") {
            Some((what, then)) => (format!("{what}."), Some(then.to_owned())),
            None => (message, None),
        };
        SyncFailed { kind: self.kind(), message, advice, at, is_permanent: self.is_permanent() }
    }
}

fn kind_of(failed: &Failed) -> Kind {
    match failed {
        Failed::Service(error) => kind_of_answer(error),
        Failed::Held => Kind::Held,
        Failed::Stale => Kind::Stale,
        Failed::Gate(_) => Kind::Gate,
        Failed::Open => Kind::RunOpen,
        Failed::ReadOnly => Kind::ReadOnly,
        Failed::Account(_) => Kind::Account,
        _ => Kind::Other,
    }
}

fn kind_of_answer(error: &remote::Error) -> Kind {
    match (&error.cause, error.verdict) {
        (Cause::ReadOnly, _) => Kind::ReadOnly,
        (Cause::Failed(remote::Failure::NoAddress(_)), _) | (_, Verdict::Stop(Stop::WrongAddress)) => {
            Kind::WrongAddress
        }
        (Cause::Failed(_), _) => Kind::Unreachable,
        // The service responds but does not work.
        (Cause::Refused(refused), Verdict::Again | Verdict::Uncertain) if refused.status >= 500 => Kind::Unreachable,
        (_, Verdict::Stop(Stop::KeyRefused)) => Kind::KeyRefused,
        (_, Verdict::Stop(Stop::NotPermitted)) => Kind::NotPermitted,
        (_, Verdict::Stop(Stop::Redirected)) => Kind::Redirected,
        (_, Verdict::Throttled { .. }) => Kind::Throttled,
        _ => Kind::Other,
    }
}
