//! The work that removed worlds left undone, in a process since it started.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::World;
use crate::work::{UnfinishedWork, read_work_status};

/// How many worlds are listed one by one.
const WORLDS_MAX: usize = 100;
/// How many jobs and callbacks of one world are listed.
const LISTED_MAX: usize = 10;

#[derive(Default)]
pub(crate) struct UnfinishedWorlds(Mutex<UnfinishedWorldsSummary>);

/// How many worlds were removed before their work was done, and the first of them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UnfinishedWorldsSummary {
    pub count: u64,
    pub first: Vec<UnfinishedWorld>,
}

/// A world that was removed before its work was done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnfinishedWorld {
    pub name: String,
    pub jobs: u64,
    pub callbacks: u64,
    /// The first of its jobs and callbacks.
    pub undone: Vec<UnfinishedWork>,
}

impl UnfinishedWorlds {
    pub(crate) fn lock_summary(&self) -> MutexGuard<'_, UnfinishedWorldsSummary> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records what is not done in a world that is about to be removed.
    pub(crate) async fn record_world(&self, world: &Arc<World>) {
        let reading = world.clone();
        let read = tokio::task::spawn_blocking(move || read_work_status(&reading, &reading.core, None));
        let Ok(Ok(mut status)) = read.await else { return };
        let (jobs, callbacks) = (status.jobs + status.jobs_held, status.callbacks.waiting + status.callbacks.held);
        if jobs + callbacks == 0 {
            return;
        }
        status.undone.truncate(LISTED_MAX);
        let mut summary = self.lock_summary();
        summary.count += 1;
        if summary.first.len() < WORLDS_MAX {
            summary.first.push(UnfinishedWorld { name: world.id.to_string(), jobs, callbacks, undone: status.undone });
        }
    }
}
