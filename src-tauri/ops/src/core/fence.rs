//! Separates an account from the one that replaces it: a handle of the first can never write into the second, however
//! late it tries.

use std::sync::atomic::{AtomicU64, Ordering};

use roost_store::error::StoreError;

/// The number of times the account was replaced. It changes only under the writer's lock.
#[derive(Default)]
pub(super) struct Epoch(AtomicU64);

impl Epoch {
    pub(super) fn now(&self) -> u64 {
        self.0.load(Ordering::Acquire)
    }

    /// Ends the current epoch and returns the next one.
    pub(super) fn end(&self) -> u64 {
        self.0.fetch_add(1, Ordering::AcqRel) + 1
    }
}

/// The epochs in which a handle may write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WriteFence {
    Open,
    Only(u64),
}

impl WriteFence {
    /// Limits a handle to the current epoch. A handle that is already limited keeps its own epoch.
    pub(super) fn close_at(self, epoch: &Epoch) -> Self {
        match self {
            Self::Open => Self::Only(epoch.now()),
            closed @ Self::Only(_) => closed,
        }
    }

    /// Fails if the handle may not write now. The caller must hold the writer's lock, so that no epoch ends between
    /// this check and the write.
    pub(super) fn check(self, epoch: &Epoch) -> Result<(), StoreError> {
        match self {
            Self::Only(own) if own != epoch.now() => Err(StoreError::Superseded),
            _ => Ok(()),
        }
    }
}
