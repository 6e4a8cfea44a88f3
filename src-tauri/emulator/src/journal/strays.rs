//! Requests that led nowhere, in all worlds of a process since it began: neither a reset nor a world's end takes them.

use std::sync::{Mutex, MutexGuard, PoisonError};

use super::{Check, Exchange};

/// So many are told one by one.
const TOLD: usize = 100;

#[derive(Default)]
pub struct Strays(Mutex<Told>);

/// How many there were, and the first of them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Told {
    pub count: u64,
    /// Method, and path with query, secrets masked.
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

/// Whether a request led nowhere: to no path there is, or to one without its method.
pub fn is_stray(line: &Exchange) -> bool {
    line.why.as_ref().is_some_and(|why| matches!(why.check, Check::Route | Check::Method))
}
