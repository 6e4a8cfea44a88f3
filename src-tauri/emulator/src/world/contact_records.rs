//! Keeps the written records of contacts while no contact changes, and where pages began. Both are bounded.

use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

use crate::http::KeptSize;

const MAX_TOTAL: usize = 8 * 1024 * 1024;
/// The approximate cost of an entry in addition to its bytes.
const ENTRY_OVERHEAD: usize = 64;
const MAX_STARTS: usize = 4_096;

/// The cached records of a world.
#[derive(Default)]
pub(crate) struct ContactRecords(Mutex<KeptRecords>);

/// The records of one state of the contacts, each with all its fields.
#[derive(Default)]
pub(crate) struct KeptRecords {
    state: u64,
    custom: Vec<u32>,
    size: usize,
    records: HashMap<i64, Box<[u8]>>,
    /// The contact before the one at an offset in a list, by list and offset.
    starts: HashMap<(i64, u64), i64>,
}

impl ContactRecords {
    /// Locks the cache for a state and these custom fields. Records of another state are removed first.
    pub(crate) fn lock_at(&self, state: u64, custom: &[u32]) -> MutexGuard<'_, KeptRecords> {
        let mut cache = self.lock();
        if cache.state != state || cache.custom != custom {
            *cache = KeptRecords { state, custom: custom.to_vec(), ..KeptRecords::default() };
        }
        cache
    }

    pub(crate) fn size(&self) -> KeptSize {
        let cache = self.lock();
        KeptSize { entries: cache.records.len(), bytes: cache.size }
    }

    fn lock(&self) -> MutexGuard<'_, KeptRecords> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl KeptRecords {
    pub(crate) fn get(&self, contact: i64) -> Option<&[u8]> {
        self.records.get(&contact).map(|record| &**record)
    }

    pub(crate) fn insert(&mut self, contact: i64, record: &[u8]) {
        let size = record.len() + ENTRY_OVERHEAD;
        if self.size + size > MAX_TOTAL {
            self.records = HashMap::new();
            self.size = 0;
        }
        if size <= MAX_TOTAL && self.records.insert(contact, record.into()).is_none() {
            self.size += size;
        }
    }

    /// Returns the contact before the one at this offset.
    pub(crate) fn start(&self, list: i64, offset: u64) -> Option<i64> {
        self.starts.get(&(list, offset)).copied()
    }

    pub(crate) fn insert_start(&mut self, list: i64, offset: u64, before: i64) {
        if self.starts.len() >= MAX_STARTS {
            self.starts.clear();
        }
        self.starts.insert((list, offset), before);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_lasts_until_a_contact_or_the_custom_fields_change() {
        let records = ContactRecords::default();
        records.lock_at(1, &[1]).insert(7, b"{}");
        records.lock_at(1, &[1]).insert_start(3, 100, 7);
        assert_eq!(records.lock_at(1, &[1]).get(7), Some(b"{}".as_slice()));
        assert_eq!(records.lock_at(1, &[1]).start(3, 100), Some(7));
        for (state, custom) in [(2, [1].as_slice()), (2, &[1, 2]), (1, &[1])] {
            let cache = records.lock_at(state, custom);
            assert_eq!((cache.get(7), cache.start(3, 100)), (None, None), "{state} {custom:?}");
        }
        assert_eq!(records.size(), KeptSize { entries: 0, bytes: 0 });
    }

    #[test]
    fn it_stays_within_its_bounds() {
        let records = ContactRecords::default();
        let record = vec![b'x'; 64 * 1024];
        let mut cache = records.lock_at(0, &[]);
        for contact in 0..1_000 {
            cache.insert(contact, &record);
            cache.insert(contact, &record);
        }
        cache.insert(1_000, &vec![b'x'; MAX_TOTAL]);
        assert!(cache.get(999).is_none() && cache.get(1_000).is_none(), "too large to keep, and nothing else is left");
        cache.insert(1_001, &record);
        for offset in 0..=MAX_STARTS as u64 {
            cache.insert_start(1, offset, 1);
        }
        assert_eq!((cache.starts.len(), cache.start(1, 0)), (1, None));
        drop(cache);
        assert_eq!(records.size(), KeptSize { entries: 1, bytes: record.len() + ENTRY_OVERHEAD });
    }
}
