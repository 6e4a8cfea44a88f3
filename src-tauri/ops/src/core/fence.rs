//! The fence between an account and what was put in its place: a handle that belongs to the first cannot write into the
//! second, however late it comes.

use std::sync::atomic::{AtomicU64, Ordering};

use roost_store::error::Error as StoreError;

/// How often the account was replaced. Changed only under the writer's lock.
#[derive(Default)]
pub(super) struct Epoch(AtomicU64);

impl Epoch {
    pub fn now(&self) -> u64 {
        self.0.load(Ordering::Acquire)
    }

    /// Answers the epoch that begins.
    pub fn end(&self) -> u64 {
        self.0.fetch_add(1, Ordering::AcqRel) + 1
    }
}

/// Which epochs a handle may write in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fence {
    Open,
    Only(u64),
}

impl Fence {
    /// One that is closed already stays with its own epoch.
    pub fn closed(self, epoch: &Epoch) -> Self {
        match self {
            Self::Open => Self::Only(epoch.now()),
            closed @ Self::Only(_) => closed,
        }
    }

    /// For writers that have the lock, so that no epoch ends between the look and the write.
    pub fn check(self, epoch: &Epoch) -> Result<(), StoreError> {
        match self {
            Self::Only(own) if own != epoch.now() => Err(StoreError::Superseded),
            _ => Ok(()),
        }
    }
}
