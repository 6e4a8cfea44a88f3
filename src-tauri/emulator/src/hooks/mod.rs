//! The built-in receiver of callbacks: what came to `/__hook/{world}/{name}` is kept, bounded, and answered as it was told.

mod answer;
mod script;

use std::{
    collections::{BTreeMap, VecDeque},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use bytes::Bytes;
use serde::{Deserialize, Serialize};
use tokio::sync::watch;

pub use self::{
    answer::{HOOK, TRY, answer, is_hook, tried, world_of_try},
    script::{Reply, Script, Wish},
};
use crate::{journal::Moment, world::written_bytes};

/// Names at most, of one world.
pub const HOOKS_MAX: usize = 100;
/// Calls that are kept at most, of one world.
const CALLS_MAX: usize = 10_000;
/// What they may weigh together.
const BYTES_MAX: usize = 16 * 1024 * 1024;
/// How much of a body is kept.
pub const BODY_MAX: usize = 256 * 1024;

/// A call that came.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Call {
    /// Among the calls of its name, from 1.
    pub seq: u64,
    pub at: Moment,
    pub method: String,
    pub target: String,
    pub headers: Vec<(String, String)>,
    /// Its beginning.
    #[serde(with = "written_bytes")]
    pub body: Bytes,
    /// The true length of the body.
    pub length: u64,
    /// The status it was answered with; none when the line just ended.
    pub answered: Option<u16>,
    /// The callback of this world it is a try of, and which one.
    pub callback: Option<(i64, u32)>,
}

impl Call {
    fn weight(&self) -> usize {
        let headers: usize = self.headers.iter().map(|(name, value)| name.len() + value.len()).sum();
        256 + self.target.len() + headers + self.body.len()
    }
}

/// What came to one name.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Hook {
    /// How many came.
    pub last: u64,
    /// Those of them that gave way to newer ones.
    pub dropped: u64,
    pub script: Script,
}

/// The receivers of one world.
pub struct Hooks {
    inner: Mutex<HooksState>,
    changed: watch::Sender<u64>,
}

/// All receivers of a world: how they answer, and what came to them.
#[derive(Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HooksState {
    hooks: BTreeMap<String, Hook>,
    /// Of all names, the oldest first.
    calls: VecDeque<(String, Arc<Call>)>,
    bytes: usize,
}

/// All names are taken.
#[derive(Debug, PartialEq, Eq)]
pub struct TooMany;

impl Default for Hooks {
    fn default() -> Self {
        Self { inner: Mutex::default(), changed: watch::Sender::new(0) }
    }
}

impl Hooks {
    fn inner(&self) -> MutexGuard<'_, HooksState> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn tell(&self) {
        self.changed.send_modify(|count| *count += 1);
    }

    /// Tells of calls; to be asked for before one looks.
    pub fn watch(&self) -> watch::Receiver<u64> {
        self.changed.subscribe()
    }

    /// Keeps a call, and answers how it is to be answered.
    pub fn take(&self, name: &str, mut call: Call) -> Result<Reply, TooMany> {
        let reply = {
            let mut inner = self.inner();
            let hook = inner.hook(name)?;
            let reply = hook.script.next();
            hook.last += 1;
            call.seq = hook.last;
            call.answered = reply.line.is_none().then_some(reply.status);
            inner.keep(name, call);
            reply
        };
        self.tell();
        Ok(reply)
    }

    /// All names, each with how many calls of it are kept.
    pub fn all(&self) -> Vec<(String, Hook, usize)> {
        let inner = self.inner();
        let kept = |name: &str| inner.calls.iter().filter(|(of, _)| of == name).count();
        inner.hooks.iter().map(|(name, hook)| (name.clone(), hook.clone(), kept(name))).collect()
    }

    /// What came to a name after `since`, the oldest first. A name nobody called is an empty one.
    pub fn look(&self, name: &str, since: u64) -> (Hook, Vec<Arc<Call>>) {
        let inner = self.inner();
        let calls = inner.calls.iter().filter(|(of, call)| of == name && call.seq > since);
        (inner.hooks.get(name).cloned().unwrap_or_default(), calls.map(|(_, call)| call.clone()).collect())
    }

    /// How a name answers from now on.
    pub fn script(&self, name: &str, script: Script) -> Result<Hook, TooMany> {
        let mut inner = self.inner();
        let hook = inner.hook(name)?;
        hook.script = script;
        Ok(hook.clone())
    }

    /// Forgets what came to a name and how it answers; false when there is nothing to forget.
    pub fn forget(&self, name: &str) -> bool {
        let was_there = {
            let mut inner = self.inner();
            let was_there = inner.hooks.remove(name).is_some();
            inner.calls.retain(|(of, _)| of != name);
            inner.bytes = inner.calls.iter().map(|(_, call)| call.weight()).sum();
            was_there
        };
        self.tell();
        was_there
    }

    pub fn save(&self) -> HooksState {
        self.inner().clone()
    }

    pub fn load(&self, state: HooksState) {
        *self.inner() = state;
        self.tell();
    }
}

impl HooksState {
    /// What was written down counts itself once more.
    pub fn settle(&mut self) {
        self.bytes = self.calls.iter().map(|(_, call)| call.weight()).sum();
    }

    /// Bytes that the calls take, about.
    pub fn size(&self) -> usize {
        self.bytes
    }

    fn hook(&mut self, name: &str) -> Result<&mut Hook, TooMany> {
        if !self.hooks.contains_key(name) && self.hooks.len() >= HOOKS_MAX {
            return Err(TooMany);
        }
        Ok(self.hooks.entry(name.to_owned()).or_default())
    }

    /// The newest call is always kept.
    fn keep(&mut self, name: &str, call: Call) {
        self.bytes += call.weight();
        self.calls.push_back((name.to_owned(), Arc::new(call)));
        while self.calls.len() > CALLS_MAX || (self.bytes > BYTES_MAX && self.calls.len() > 1) {
            let Some((of, call)) = self.calls.pop_front() else { return };
            self.bytes -= call.weight();
            if let Some(hook) = self.hooks.get_mut(&of) {
                hook.dropped += 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(body: usize) -> Call {
        Call { body: vec![b'x'; body].into(), ..Call::default() }
    }

    #[test]
    fn the_oldest_calls_give_way_and_are_counted() {
        let hooks = Hooks::default();
        hooks.take("small", call(1)).expect("room");
        let fits = BYTES_MAX / call(BODY_MAX).weight();
        for _ in 0..fits + 10 {
            hooks.take("large", call(BODY_MAX)).expect("room");
        }
        let (small, kept) = hooks.look("small", 0);
        assert_eq!((small.last, small.dropped, kept.len()), (1, 1, 0));
        let (large, kept) = hooks.look("large", 0);
        assert_eq!((large.last, large.dropped, kept.len()), (fits as u64 + 10, 10, fits));
        assert_eq!(kept.first().map(|call| call.seq), Some(11));
        assert!(hooks.inner().bytes <= BYTES_MAX);
        for _ in 0..CALLS_MAX + 1 {
            hooks.take("small", call(0)).expect("room");
        }
        assert_eq!(hooks.inner().calls.len(), CALLS_MAX);
        hooks.load(HooksState::default());
        assert_eq!(hooks.inner().bytes, 0);
        assert_eq!(hooks.all().len(), 0);
    }

    #[test]
    fn names_are_counted_and_forgotten_one_by_one() {
        let hooks = Hooks::default();
        for n in 0..HOOKS_MAX {
            hooks.take(&n.to_string(), call(1)).expect("room");
        }
        assert_eq!(hooks.take("more", call(1)), Err(TooMany));
        assert!(hooks.forget("7") && !hooks.forget("7"));
        hooks.take("more", call(1)).expect("room");
        assert_eq!(hooks.look("8", 0).1.len(), 1);
        assert_eq!(hooks.look("8", 1).1.len(), 0);
        let weight: usize = hooks.inner().calls.iter().map(|(_, call)| call.weight()).sum();
        assert_eq!(hooks.inner().bytes, weight);
    }
}
