//! Caches responses while nothing changes. The cache is bounded, and every write empties it.

use std::{
    collections::{HashMap, hash_map::RandomState},
    hash::BuildHasher,
    sync::{Mutex, MutexGuard, PoisonError},
};

use bytes::Bytes;
use roost_wire::OperationId;

const ANSWER_MAX: usize = 256 * 1024;
const TOTAL_MAX: usize = 16 * 1024 * 1024;
/// The approximate cost of an entry in addition to its bytes.
const OVERHEAD: usize = 160;

/// The versions for which a response is valid: the account's generation and the settings' epoch.
pub type State = (u64, u64);

/// What a response depends on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Asked<'a> {
    pub operation: OperationId,
    pub parameter: &'a str,
    pub query: &'a str,
}

/// A bounded cache of responses for one state of a world.
#[derive(Default)]
pub struct Cache {
    hasher: RandomState,
    kept: Mutex<Kept>,
}

#[derive(Default)]
struct Kept {
    state: State,
    size: usize,
    answers: HashMap<u64, Entry>,
}

struct Entry {
    operation: OperationId,
    parameter: Box<str>,
    query: Box<str>,
    body: Bytes,
}

impl Entry {
    fn is_of(&self, asked: &Asked<'_>) -> bool {
        self.operation == asked.operation && *self.parameter == *asked.parameter && *self.query == *asked.query
    }
}

impl Cache {
    fn hash(&self, asked: &Asked<'_>) -> u64 {
        self.hasher.hash_one(asked)
    }

    /// Locks the cache for a state. Responses of another state are removed first.
    fn at(&self, state: State) -> MutexGuard<'_, Kept> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.state != state {
            *kept = Kept { state, ..Kept::default() };
        }
        kept
    }

    pub fn get(&self, state: State, asked: &Asked<'_>) -> Option<Bytes> {
        let hash = self.hash(asked);
        self.at(state).answers.get(&hash).filter(|entry| entry.is_of(asked)).map(|entry| entry.body.clone())
    }

    /// Caches a response that was read at `before`, unless the state has changed since.
    pub fn put(&self, before: State, now: State, asked: &Asked<'_>, body: &Bytes) {
        let size = body.len() + asked.parameter.len() + asked.query.len() + OVERHEAD;
        if before != now || body.len() > ANSWER_MAX {
            return;
        }
        let hash = self.hash(asked);
        let mut kept = self.at(now);
        if kept.size + size > TOTAL_MAX {
            *kept = Kept { state: now, ..Kept::default() };
        }
        kept.size += size;
        let entry = Entry {
            operation: asked.operation,
            parameter: asked.parameter.into(),
            query: asked.query.into(),
            body: body.clone(),
        };
        kept.answers.insert(hash, entry);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(query: &str) -> Asked<'_> {
        Asked { operation: OperationId::ListsQuery, parameter: "", query }
    }

    #[test]
    fn answers_last_until_anything_changes() {
        let cache = Cache::default();
        cache.put((1, 1), (1, 1), &asked("a"), &Bytes::from_static(b"A"));
        assert_eq!(cache.get((1, 1), &asked("a")).as_deref(), Some(b"A".as_slice()));
        assert_eq!(cache.get((1, 1), &asked("b")), None);
        assert_eq!(cache.get((1, 2), &asked("a")), None, "a setting changed");
        assert_eq!(cache.get((1, 1), &asked("a")), None, "what was let go stays gone");
        cache.put((1, 1), (2, 1), &asked("a"), &Bytes::from_static(b"A"));
        assert_eq!(cache.get((2, 1), &asked("a")), None, "read before a write, so not kept");
    }

    #[test]
    fn it_stays_within_its_bounds() {
        let cache = Cache::default();
        cache.put((1, 1), (1, 1), &asked("big"), &Bytes::from(vec![0; ANSWER_MAX + 1]));
        assert_eq!(cache.get((1, 1), &asked("big")), None);
        let body = Bytes::from(vec![0; ANSWER_MAX]);
        for n in 0..200 {
            cache.put((1, 1), (1, 1), &asked(&n.to_string()), &body);
        }
        assert!(cache.kept.lock().expect("whole").size <= TOTAL_MAX);
        assert!(cache.get((1, 1), &asked("199")).is_some());
    }
}
