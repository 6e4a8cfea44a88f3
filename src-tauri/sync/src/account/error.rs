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
    #[error("Another window or program works with the service right now. Wait for it, or end it there.")]
    Held,
    #[error("What this plan was made from has changed. Look at the new plan first.")]
    Stale,
    #[error("Type {0} first, to show that this is meant.")]
    Gate(String),
    #[error("A run has not ended yet. Resume it, or cancel it.")]
    Open,
    #[error("This connection is for reading alone.")]
    ReadOnly,
    #[error(
        "The service shows another account than before: {0} Nothing was changed here. Check the address and the key. If this is the account, pull once more and confirm what is gone."
    )]
    OtherAccount(&'static str),
    #[error(
        "The address or the key changed after the last pull, and the service may have another account for it. Pull first, so that Roost can compare both."
    )]
    Unconfirmed,
    #[error("There is no such plan or run.")]
    Unknown,
    #[error("Stopped. What was read so far is kept; the next reading goes on from there.")]
    Stopped,
    #[error("The program is about to end.")]
    Ending,
}

impl SyncError {
    /// Returns whether the call failed because the list no longer exists at the service.
    pub fn is_list_missing(&self) -> bool {
        matches!(self, Self::Service(error) if error.verdict == ResponseMeaning::Refused(RefusalReason::ListNotFound))
    }
}
