//! Caches look-ups, imports and exported files that pages read in parts. An entry is readable only in its own account.

use std::{
    collections::VecDeque,
    io::{Read, Seek},
    path::PathBuf,
    sync::{Mutex, MutexGuard, PoisonError},
};

use roost_model::error::ErrorCode;
use roost_ops::opt_out::{NumberLookup, OptOutImportPlan};

use crate::error::CommandError;

/// The number of entries of each kind, which should suffice for all open windows.
const MAX_ENTRIES: usize = 4;

#[derive(Default)]
pub(crate) struct OptOutWork {
    pub lookups: EntryCache<NumberLookup>,
    pub imports: EntryCache<OptOutImportPlan>,
}

/// A stored file that can be read from any position.
pub(crate) trait ReadableFile: Read + Seek + Send {}

impl<T: Read + Seek + Send> ReadableFile for T {}

/// Exported files that wait to be fetched. They have no name on the disk and disappear when the program ends.
pub(crate) type MadeFiles = EntryCache<Box<dyn ReadableFile>>;

/// A cache of the newest few entries. Each is read by the number that `add` returned.
pub(crate) struct EntryCache<T> {
    inner: Mutex<CacheState<T>>,
}

struct CacheState<T> {
    last: u32,
    all: VecDeque<CacheEntry<T>>,
}

struct CacheEntry<T> {
    number: u32,
    /// The file of the account that was open when the entry was added.
    account: Option<PathBuf>,
    work: T,
}

impl<T> Default for EntryCache<T> {
    fn default() -> Self {
        Self { inner: Mutex::new(CacheState { last: 0, all: VecDeque::new() }) }
    }
}

impl<T> EntryCache<T> {
    /// Adds an entry. Removes the oldest one if there are too many, and all entries of other accounts.
    pub(crate) fn add(&self, account: Option<PathBuf>, work: T) -> u32 {
        let mut inner = self.lock();
        inner.last += 1;
        let number = inner.last;
        inner.all.retain(|one| one.account == account);
        inner.all.push_back(CacheEntry { number, account, work });
        while inner.all.len() > MAX_ENTRIES {
            inner.all.pop_front();
        }
        number
    }

    /// Runs `act` on an entry. Fails if the entry no longer exists, and the page must then start over.
    pub(crate) fn with<R>(
        &self,
        account: Option<PathBuf>,
        number: u32,
        act: impl FnOnce(&mut T) -> R,
    ) -> Result<R, CommandError> {
        let mut inner = self.lock();
        match inner.all.iter_mut().find(|one| one.number == number && one.account == account) {
            Some(one) => Ok(act(&mut one.work)),
            None => Err(CommandError::new(
                ErrorCode::Conflict,
                "This is no longer kept, or it belongs to another account. Paste it again.",
            )),
        }
    }

    /// Removes an entry as soon as it is no longer needed, because it holds personal data.
    pub(crate) fn remove(&self, number: u32) {
        self.lock().all.retain(|one| one.number != number);
    }

    fn lock(&self) -> MutexGuard<'_, CacheState<T>> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_few_of_the_open_account_are_kept() {
        let kept = EntryCache::default();
        let numbers: Vec<u32> = (0..MAX_ENTRIES as u32 + 1).map(|n| kept.add(None, n)).collect();
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
