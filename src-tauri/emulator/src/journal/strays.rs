//! Unmatched requests in all worlds of a process since it started. Neither a reset nor the end of a world removes
//! them.

use std::sync::{Mutex, MutexGuard, PoisonError};

use super::{Check, Exchange};

/// How many are listed one by one.
const TOLD: usize = 100;

#[derive(Default)]
pub struct Strays(Mutex<Told>);

/// How many requests were unmatched, and the first of them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Told {
    pub count: u64,
    /// Method, and path with query, with secrets masked.
    pub first: Vec<(String, String)>,
}

impl Strays {
    pub fn see(&self, line: &Exchange) {
        if is_stray(line) {
            let mut told = self.told();
            told.count += 1;
            if told.first.len() < TOLD {
                told.first.push((line.method.to_string(), line.target.clone()));
            }
        }
    }

    pub fn told(&self) -> MutexGuard<'_, Told> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether a request was unmatched: no such path, or no such method of the path.
pub fn is_stray(line: &Exchange) -> bool {
    line.why.as_ref().is_some_and(|why| matches!(why.check, Check::Route | Check::Method))
}
