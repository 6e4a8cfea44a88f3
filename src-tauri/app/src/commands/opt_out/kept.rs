//! Caches look-ups and imports that pages read page by page. Each entry belongs to the account on which it was begun.

use std::{
    collections::VecDeque,
    path::PathBuf,
    sync::{Mutex, MutexGuard, PoisonError},
};

use roost_model::error::ErrorCode;
use roost_ops::opt_out::{Import, Lookup};

use crate::error::CommandError;

/// The number of entries of each kind, which should suffice for all open windows.
const KEPT: usize = 4;

#[derive(Default)]
pub(crate) struct OptOutWork {
    pub lookups: Kept<Lookup>,
    pub imports: Kept<Import>,
}

/// A cache of the newest few entries, by number.
pub(crate) struct Kept<T> {
    inner: Mutex<Inner<T>>,
}

struct Inner<T> {
    last: u32,
    all: VecDeque<One<T>>,
}

struct One<T> {
    number: u32,
    /// The file of the account.
    of: Option<PathBuf>,
    work: T,
}

impl<T> Default for Kept<T> {
    fn default() -> Self {
        Self { inner: Mutex::new(Inner { last: 0, all: VecDeque::new() }) }
    }
}

impl<T> Kept<T> {
    /// Adds an entry. Removes the oldest one if there are too many, and all entries of other accounts.
    pub fn add(&self, of: Option<PathBuf>, work: T) -> u32 {
        let mut inner = self.hold();
        inner.last += 1;
        let number = inner.last;
        inner.all.retain(|one| one.of == of);
        inner.all.push_back(One { number, of, work });
        while inner.all.len() > KEPT {
            inner.all.pop_front();
        }
        number
    }

    /// Runs `act` on an entry. If it no longer exists, the page must begin again.
    pub fn with<R>(&self, of: Option<PathBuf>, number: u32, act: impl FnOnce(&mut T) -> R) -> Result<R, CommandError> {
        let mut inner = self.hold();
        match inner.all.iter_mut().find(|one| one.number == number && one.of == of) {
            Some(one) => Ok(act(&mut one.work)),
            None => Err(CommandError::new(
                ErrorCode::Conflict,
                "This was put aside for newer ones, or belongs to another account. Paste it once more.",
            )),
        }
    }

    /// Removes an entry that is no longer needed, because its numbers are personal data.
    pub fn remove(&self, number: u32) {
        self.hold().all.retain(|one| one.number != number);
    }

    fn hold(&self) -> MutexGuard<'_, Inner<T>> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_few_of_the_open_account_are_kept() {
        let kept = Kept::default();
        let numbers: Vec<u32> = (0..KEPT as u32 + 1).map(|n| kept.add(None, n)).collect();
        assert!(kept.with(None, numbers[0], |_| ()).is_err());
        assert_eq!(kept.with(None, numbers[1], |one| *one).unwrap(), 1);
        kept.remove(numbers[1]);
        assert!(kept.with(None, numbers[1], |_| ()).is_err());
        let other = Some(PathBuf::from("other.roost"));
        assert!(kept.with(other.clone(), numbers[2], |_| ()).is_err());
        kept.add(other, 7);
        assert!(kept.with(None, numbers[2], |_| ()).is_err());
    }
}
