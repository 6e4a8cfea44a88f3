//! The state of a world's callbacks outside the account: the policy, the attempts under way, and details of past
//! attempts.

use std::{
    collections::{BTreeMap, BTreeSet, HashSet, VecDeque},
    sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock},
    time::Duration,
};

use roost_outbound::PostResult;
use serde::{Deserialize, Serialize};
use tokio::sync::watch;

use super::{policy::Policy, template::Content};
use crate::world::{written_bytes, written_pairs};

/// The details of an attempt that the account does not store.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Try {
    /// The sent content, if a template made it.
    pub content: Option<Content>,
    /// Headers that the policy added.
    pub headers: Vec<(String, String)>,
    pub address: Option<String>,
    pub connect: Option<Duration>,
    pub first_byte: Option<Duration>,
    pub took: Duration,
    /// The beginning of the response.
    #[serde(with = "written_bytes")]
    pub answer: Vec<u8>,
}

/// The most attempts that are remembered.
const TRIES_MAX: usize = 1_000;
/// The most bytes that the remembered attempts may take, estimated.
const TRIES_BYTES_MAX: usize = 8 * 1024 * 1024;
/// The most bytes of a response that are remembered.
const ANSWER_KEPT: usize = 4 * 1024;
/// The most callbacks whose reason is remembered.
const REASONS_MAX: usize = 10_000;

/// Why a callback was given up without the usual attempts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// The operator cancelled it.
    Cancelled,
    /// The policy dropped it on purpose.
    Dropped,
}

impl Reason {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Cancelled => "cancelled",
            Self::Dropped => "dropped",
        }
    }
}

pub struct Desk {
    policy: RwLock<Arc<Policy>>,
    kept: Mutex<Kept>,
    changed: watch::Sender<u64>,
}

/// Everything about callbacks that is not in the account.
#[derive(Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CallbacksState {
    policy: Arc<Policy>,
    kept: Kept,
}

#[derive(Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Kept {
    /// Attempts under way end with the server and become due again, so they are not stored.
    #[serde(skip)]
    under_way: HashSet<i64>,
    #[serde(with = "written_pairs")]
    tries: BTreeMap<(i64, u32), Try>,
    order: VecDeque<(i64, u32)>,
    /// The bytes that the attempts take.
    bytes: usize,
    reasons: BTreeMap<i64, Reason>,
    /// The jobs whose callback is sent twice.
    twice: BTreeSet<i64>,
}

impl CallbacksState {
    /// Checks the policy of a stored state, and recomputes what the state need not contain correctly.
    pub fn settle(&mut self) -> Result<(), String> {
        self.policy.check()?;
        let Kept { tries, order, bytes, .. } = &mut self.kept;
        let mut known = BTreeSet::new();
        order.retain(|one| tries.contains_key(one) && known.insert(*one));
        tries.retain(|one, _| known.contains(one));
        *bytes = tries.values().map(Try::weight).sum();
        Ok(())
    }

    /// Returns the approximate bytes that the attempts take.
    pub fn size(&self) -> usize {
        self.kept.bytes
    }
}

impl Default for Desk {
    fn default() -> Self {
        Self { policy: RwLock::default(), kept: Mutex::default(), changed: watch::Sender::new(0) }
    }
}

impl Desk {
    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notifies watchers of a change to jobs or callbacks.
    pub fn tell(&self) {
        if self.changed.receiver_count() > 0 {
            self.changed.send_modify(|count| *count += 1);
        }
    }

    /// Returns a watch that changes with jobs and callbacks. Subscribe before reading, so that no change is missed.
    pub fn watch(&self) -> watch::Receiver<u64> {
        self.changed.subscribe()
    }

    pub fn policy(&self) -> Arc<Policy> {
        self.policy.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub fn set_policy(&self, policy: Policy) {
        *self.policy.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(policy);
    }

    /// Omits attempts under way, because they end without help.
    pub fn save(&self) -> CallbacksState {
        let kept = Kept { under_way: HashSet::new(), ..self.kept().clone() };
        CallbacksState { policy: self.policy(), kept }
    }

    pub fn load(&self, state: CallbacksState) {
        let CallbacksState { policy, kept } = state;
        *self.policy.write().unwrap_or_else(PoisonError::into_inner) = policy;
        *self.kept() = kept;
        self.tell();
    }

    /// Forgets the callbacks but not the policy.
    pub fn forget_callbacks(&self) {
        *self.kept() = Kept::default();
        self.tell();
    }

    pub fn under_way(&self, id: i64) {
        self.kept().under_way.insert(id);
    }

    pub fn ended(&self, id: i64) {
        self.kept().under_way.remove(&id);
        self.tell();
    }

    pub fn all_ended(&self) {
        self.kept().under_way.clear();
        self.tell();
    }

    pub fn is_under_way(&self, id: i64) -> bool {
        self.kept().under_way.contains(&id)
    }

    pub fn anything_under_way(&self) -> bool {
        !self.kept().under_way.is_empty()
    }

    pub fn note(&self, callback: i64, attempt: u32, told: Try) {
        let mut kept = self.kept();
        kept.bytes += told.weight();
        match kept.tries.insert((callback, attempt), told) {
            Some(before) => kept.bytes -= before.weight(),
            None => kept.order.push_back((callback, attempt)),
        }
        while kept.order.len() > TRIES_MAX || kept.bytes > TRIES_BYTES_MAX {
            let Some(oldest) = kept.order.pop_front() else { return };
            kept.bytes -= kept.tries.remove(&oldest).map_or(0, |told| told.weight());
        }
    }

    pub fn told(&self, callback: i64, attempt: u32) -> Option<Try> {
        self.kept().tries.get(&(callback, attempt)).cloned()
    }

    pub fn set_reason(&self, callback: i64, reason: Option<Reason>) {
        let mut kept = self.kept();
        match reason {
            Some(reason) if kept.reasons.len() < REASONS_MAX => {
                kept.reasons.insert(callback, reason);
            }
            _ => {
                kept.reasons.remove(&callback);
            }
        }
    }

    pub fn reason(&self, callback: i64) -> Option<Reason> {
        self.kept().reasons.get(&callback).copied()
    }

    /// Requests that the callback of a job is sent twice.
    pub fn set_twice(&self, job: i64) {
        self.kept().twice.insert(job);
    }

    pub fn is_twice(&self, job: i64) -> bool {
        self.kept().twice.contains(&job)
    }
}

impl Try {
    pub fn of(content: Option<Content>, headers: Vec<(String, String)>, called: &PostResult) -> Self {
        let answer = called.result.as_ref().map(|answer| answer.body.as_slice()).unwrap_or_default();
        Self {
            content,
            headers,
            address: called.address.map(|address| address.to_string()),
            connect: called.connect,
            first_byte: called.first_byte,
            took: called.took,
            answer: answer[..answer.len().min(ANSWER_KEPT)].to_vec(),
        }
    }

    fn weight(&self) -> usize {
        self.answer.len() + self.content.as_ref().map_or(0, |content| content.body.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_tries_are_forgotten() {
        let desk = Desk::default();
        for id in 0..=TRIES_MAX as i64 {
            desk.note(id, 1, Try::default());
            desk.note(id, 1, Try::default());
        }
        assert_eq!(desk.told(0, 1), None);
        assert!(desk.told(1, 1).is_some() && desk.told(TRIES_MAX as i64, 1).is_some());
        let kept = desk.kept();
        assert_eq!((kept.tries.len(), kept.order.len()), (TRIES_MAX, TRIES_MAX));
    }

    #[test]
    fn tries_stay_within_their_bytes() {
        let desk = Desk::default();
        let large = || Try { answer: vec![0; 1024 * 1024], ..Try::default() };
        for id in 0..9 {
            desk.note(id, 1, large());
            desk.note(id, 1, large());
        }
        assert_eq!((desk.told(0, 1), desk.kept().bytes), (None, TRIES_BYTES_MAX));
        assert!(desk.told(1, 1).is_some());
        desk.load(CallbacksState::default());
        assert_eq!(desk.kept().bytes, 0);
    }
}
