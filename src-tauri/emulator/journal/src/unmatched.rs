//! Unmatched requests in all worlds of a process since it started. Neither a reset nor the end of a world removes
//! them.

use std::sync::{Mutex, MutexGuard, PoisonError};

use super::{Exchange, RefusalCheck};

/// How many are listed one by one.
const LISTED_MAX: usize = 100;

#[derive(Default)]
pub(super) struct UnmatchedRequests(Mutex<UnmatchedSummary>);

/// How many requests were unmatched, and the first of them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UnmatchedSummary {
    pub count: u64,
    pub first: Vec<UnmatchedEntry>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnmatchedEntry {
    pub method: String,
    /// Path with query, with secrets masked.
    pub url: String,
    /// Whether its world does not exist, and so the path may be right.
    pub has_no_world: bool,
}

impl UnmatchedRequests {
    pub(super) fn record_line(&self, line: &Exchange) {
        if is_unmatched(line) {
            let mut summary = self.lock_summary();
            summary.count += 1;
            if summary.first.len() < LISTED_MAX {
                summary.first.push(UnmatchedEntry {
                    method: line.method.to_string(),
                    url: line.target.clone(),
                    has_no_world: line.why.as_ref().is_some_and(|why| why.check == RefusalCheck::World),
                });
            }
        }
    }

    pub(super) fn lock_summary(&self) -> MutexGuard<'_, UnmatchedSummary> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether a request was unmatched: no such world, no such path, or no such method of the path.
pub fn is_unmatched(line: &Exchange) -> bool {
    line.why
        .as_ref()
        .is_some_and(|why| matches!(why.check, RefusalCheck::World | RefusalCheck::Route | RefusalCheck::Method))
}
