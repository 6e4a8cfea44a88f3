//! Caches responses while nothing changes. The cache is bounded, and every write empties it.

use std::{
    collections::{HashMap, HashSet, hash_map::RandomState},
    hash::BuildHasher,
    sync::{Mutex, MutexGuard, PoisonError},
};

use bytes::Bytes;
use roost_wire::OperationId;

const MAX_RESPONSE: usize = 256 * 1024;
const MAX_TOTAL: usize = 16 * 1024 * 1024;
/// The approximate cost of an entry in addition to its bytes.
const ENTRY_OVERHEAD: usize = 160;

/// The most requests of one state that are remembered.
const MAX_REQUESTED: usize = 64 * 1024;

/// The versions for which a response is valid: the account's generation and the settings' epoch.
pub(crate) type CacheVersion = (u64, u64);

/// What a response depends on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct CacheKey<'a> {
    pub operation: OperationId,
    pub parameter: &'a str,
    pub query: &'a str,
}

/// A bounded cache of responses for one state of a world.
#[derive(Default)]
pub(crate) struct ResponseCache {
    hasher: RandomState,
    responses: Mutex<CachedResponses>,
}

#[derive(Default)]
struct CachedResponses {
    state: CacheVersion,
    size: usize,
    answers: HashMap<u64, CachedResponse>,
    /// The hashes of requests seen once. A response is cached only when its request is repeated.
    requested: HashSet<u64>,
}

/// How much a cache holds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct KeptSize {
    pub entries: usize,
    pub bytes: usize,
}

struct CachedResponse {
    operation: OperationId,
    parameter: Box<str>,
    query: Box<str>,
    body: Bytes,
}

impl CachedResponse {
    fn is_for(&self, key: &CacheKey<'_>) -> bool {
        self.operation == key.operation && *self.parameter == *key.parameter && *self.query == *key.query
    }
}

impl ResponseCache {
    fn hash_key(&self, key: &CacheKey<'_>) -> u64 {
        self.hasher.hash_one(key)
    }

    /// Locks the cache for a state. Responses of another state are removed first.
    fn lock_at(&self, state: CacheVersion) -> MutexGuard<'_, CachedResponses> {
        let mut responses = self.responses.lock().unwrap_or_else(PoisonError::into_inner);
        if responses.state != state {
            *responses = CachedResponses { state, ..CachedResponses::default() };
        }
        responses
    }

    pub(crate) fn size(&self) -> KeptSize {
        let responses = self.responses.lock().unwrap_or_else(PoisonError::into_inner);
        KeptSize { entries: responses.answers.len(), bytes: responses.size }
    }

    pub(crate) fn get(&self, state: CacheVersion, key: &CacheKey<'_>) -> Option<Bytes> {
        let hash = self.hash_key(key);
        self.lock_at(state).answers.get(&hash).filter(|entry| entry.is_for(key)).map(|entry| entry.body.clone())
    }

    /// Returns whether the same request was made before in this state.
    pub(crate) fn was_requested(&self, state: CacheVersion, key: &CacheKey<'_>) -> bool {
        let hash = self.hash_key(key);
        let mut responses = self.lock_at(state);
        if responses.requested.len() >= MAX_REQUESTED {
            responses.requested.clear();
        }
        !responses.requested.insert(hash)
    }

    /// Caches a response that was read at `before`, unless the state has changed since.
    pub(crate) fn insert(&self, before: CacheVersion, now: CacheVersion, key: &CacheKey<'_>, body: &Bytes) {
        let size = body.len() + key.parameter.len() + key.query.len() + ENTRY_OVERHEAD;
        if before != now || body.len() > MAX_RESPONSE {
            return;
        }
        let hash = self.hash_key(key);
        let mut responses = self.lock_at(now);
        if responses.size + size > MAX_TOTAL {
            *responses = CachedResponses { state: now, ..CachedResponses::default() };
        }
        responses.size += size;
        let entry = CachedResponse {
            operation: key.operation,
            parameter: key.parameter.into(),
            query: key.query.into(),
            body: body.clone(),
        };
        responses.answers.insert(hash, entry);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lists_key(query: &str) -> CacheKey<'_> {
        CacheKey { operation: OperationId::ListsQuery, parameter: "", query }
    }

    #[test]
    fn answers_last_until_anything_changes() {
        let cache = ResponseCache::default();
        cache.insert((1, 1), (1, 1), &lists_key("a"), &Bytes::from_static(b"A"));
        assert_eq!(cache.get((1, 1), &lists_key("a")).as_deref(), Some(b"A".as_slice()));
        assert_eq!(cache.get((1, 1), &lists_key("b")), None);
        assert_eq!(cache.get((1, 2), &lists_key("a")), None, "a setting changed");
        assert_eq!(cache.get((1, 1), &lists_key("a")), None, "the entry was removed when the setting changed");
        cache.insert((1, 1), (2, 1), &lists_key("a"), &Bytes::from_static(b"A"));
        assert_eq!(cache.get((2, 1), &lists_key("a")), None, "read before a write, so not cached");
    }

    #[test]
    fn a_repeated_request_is_recognised_until_anything_changes() {
        let cache = ResponseCache::default();
        let was_requested = |state, query: &str| cache.was_requested(state, &lists_key(query));
        assert_eq!(
            [was_requested((1, 1), "a"), was_requested((1, 1), "b"), was_requested((1, 1), "a")],
            [false, false, true]
        );
        assert!(!was_requested((2, 1), "a"));
        for n in 0..=MAX_REQUESTED {
            was_requested((2, 1), &n.to_string());
        }
        assert!(cache.responses.lock().expect("whole").requested.len() <= MAX_REQUESTED);
    }

    #[test]
    fn it_stays_within_its_bounds() {
        let cache = ResponseCache::default();
        cache.insert((1, 1), (1, 1), &lists_key("big"), &Bytes::from(vec![0; MAX_RESPONSE + 1]));
        assert_eq!(cache.get((1, 1), &lists_key("big")), None);
        let body = Bytes::from(vec![0; MAX_RESPONSE]);
        for n in 0..200 {
            cache.insert((1, 1), (1, 1), &lists_key(&n.to_string()), &body);
        }
        assert!(cache.responses.lock().expect("whole").size <= MAX_TOTAL);
        assert!(cache.get((1, 1), &lists_key("199")).is_some());
    }
}
