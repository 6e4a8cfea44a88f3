//! Defines why a pull or a run could not continue.

use roost_ops::Error as AccountError;
use roost_reconcile::response::{RefusalReason, ResponseMeaning};

use crate::remote;

/// The reason for which a pull or a run could not continue.
#[derive(Debug, thiserror::Error)]
pub enum SyncError {
    #[error(transparent)]
    Service(#[from] remote::ServiceError),
    #[error(transparent)]
    Account(#[from] AccountError),
    #[error(
        "Another window or program is using the service for this account. Wait until it finishes, or stop it there."
    )]
    Held,
    #[error("The data behind this plan has changed. Review the new plan first.")]
    Stale,
    #[error("Type {0} to confirm.")]
    Gate(String),
    #[error("A run has not ended yet. Resume it, or cancel it.")]
    Open,
    #[error("This connection is read-only.")]
    ReadOnly,
    #[error(
        "The service now holds a different account: {0}. Nothing was changed here. Check the address and the key. If \
         the account is right, pull again and confirm the removals."
    )]
    OtherAccount(&'static str),
    #[error(
        "The address or the key changed after the last pull, and the service may have another account for it. Pull first, so that Roost can compare both."
    )]
    Unconfirmed,
    #[error("The plan or run was not found.")]
    Unknown,
    #[error("The pull was stopped. What it has read is kept, and the next pull continues from there.")]
    Stopped,
    #[error("Roost is closing.")]
    Ending,
}

impl SyncError {
    /// Returns whether the call failed because the list no longer exists at the service.
    pub fn is_list_missing(&self) -> bool {
        matches!(self, Self::Service(error) if error.verdict == ResponseMeaning::Refused(RefusalReason::ListNotFound))
    }
}
