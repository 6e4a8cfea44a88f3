//! The work that removed worlds left unfinished, in a process since it started.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// How many worlds are listed one by one.
const WORLDS_MAX: usize = 100;

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

/// A job or a callback that is not done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnfinishedWork {
    pub what: WorkKind,
    pub id: i64,
    pub why: String,
    /// What the operator can do; none if the work proceeds without help.
    pub hint: Option<&'static str>,
    /// Whether it was held on purpose, so that nobody waits for its end.
    pub is_kept_back: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WorkKind {
    Job,
    Callback,
}

impl UnfinishedWorlds {
    pub(crate) fn lock_summary(&self) -> MutexGuard<'_, UnfinishedWorldsSummary> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn add(&self, world: UnfinishedWorld) {
        let mut summary = self.lock_summary();
        summary.count += 1;
        if summary.first.len() < WORLDS_MAX {
            summary.first.push(world);
        }
    }
}
