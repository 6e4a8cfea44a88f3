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

use super::{policy::CallbackPolicy, template::CallbackContent};
use crate::settings::encoding::{written_bytes, written_pairs};

/// The details of an attempt that the account does not store.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct AttemptDetails {
    /// The sent content, if a template made it.
    pub content: Option<CallbackContent>,
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
const ATTEMPTS_MAX: usize = 1_000;
/// The most bytes that the remembered attempts may take, estimated.
const ATTEMPT_BYTES_MAX: usize = 8 * 1024 * 1024;
/// The most bytes of a response that are remembered.
const RESPONSE_BYTES_MAX: usize = 4 * 1024;
/// The most callbacks whose reason is remembered.
const REASONS_MAX: usize = 10_000;

/// Why a callback was given up without the usual attempts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum GiveUpReason {
    /// The operator cancelled it.
    Cancelled,
    /// The policy dropped it on purpose.
    Dropped,
}

roost_model::variant_names! { pub(crate) GiveUpReason { Cancelled = "cancelled", Dropped = "dropped" } }

pub(crate) struct CallbackTracker {
    policy: RwLock<Arc<CallbackPolicy>>,
    state: Mutex<TrackedCallbacks>,
    changed: watch::Sender<u64>,
}

/// Everything about callbacks that is not in the account.
#[derive(Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CallbacksState {
    policy: Arc<CallbackPolicy>,
    kept: TrackedCallbacks,
}

#[derive(Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct TrackedCallbacks {
    /// Attempts under way end with the server and become due again, so they are not stored.
    #[serde(skip)]
    under_way: HashSet<i64>,
    #[serde(with = "written_pairs")]
    tries: BTreeMap<(i64, u32), AttemptDetails>,
    order: VecDeque<(i64, u32)>,
    /// The bytes that the attempts take.
    bytes: usize,
    reasons: BTreeMap<i64, GiveUpReason>,
    /// The jobs whose callback is sent twice.
    twice: BTreeSet<i64>,
}

impl CallbacksState {
    pub(crate) fn policy(&self) -> &Arc<CallbackPolicy> {
        &self.policy
    }

    /// Checks the policy of a stored state, and recomputes what the state need not contain correctly.
    pub(crate) fn check_and_recount(&mut self) -> Result<(), String> {
        self.policy.check()?;
        let TrackedCallbacks { tries, order, bytes, .. } = &mut self.kept;
        let mut known = BTreeSet::new();
        order.retain(|one| tries.contains_key(one) && known.insert(*one));
        tries.retain(|one, _| known.contains(one));
        *bytes = tries.values().map(AttemptDetails::weight).sum();
        Ok(())
    }

    /// Returns the approximate bytes that the attempts take.
    pub(crate) fn size(&self) -> usize {
        self.kept.bytes
    }
}

impl Default for CallbackTracker {
    fn default() -> Self {
        Self { policy: RwLock::default(), state: Mutex::default(), changed: watch::Sender::new(0) }
    }
}

impl CallbackTracker {
    fn lock_state(&self) -> MutexGuard<'_, TrackedCallbacks> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notifies watchers of a change to jobs or callbacks.
    pub(crate) fn notify_watchers(&self) {
        if self.changed.receiver_count() > 0 {
            self.changed.send_modify(|count| *count += 1);
        }
    }

    /// Returns a watch that changes with jobs and callbacks. Subscribe before reading, so that no change is missed.
    pub(crate) fn subscribe(&self) -> watch::Receiver<u64> {
        self.changed.subscribe()
    }

    pub(crate) fn policy(&self) -> Arc<CallbackPolicy> {
        self.policy.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn set_policy(&self, policy: CallbackPolicy) {
        *self.policy.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(policy);
    }

    /// Omits attempts under way, because they end without help.
    pub(crate) fn save(&self) -> CallbacksState {
        let kept = TrackedCallbacks { under_way: HashSet::new(), ..self.lock_state().clone() };
        CallbacksState { policy: self.policy(), kept }
    }

    pub(crate) fn load(&self, state: CallbacksState) {
        let CallbacksState { policy, kept } = state;
        *self.policy.write().unwrap_or_else(PoisonError::into_inner) = policy;
        *self.lock_state() = kept;
        self.notify_watchers();
    }

    /// Forgets the callbacks but not the policy.
    pub(crate) fn forget_callbacks(&self) {
        *self.lock_state() = TrackedCallbacks::default();
        self.notify_watchers();
    }

    pub(crate) fn mark_under_way(&self, id: i64) {
        self.lock_state().under_way.insert(id);
    }

    pub(crate) fn mark_ended(&self, id: i64) {
        self.lock_state().under_way.remove(&id);
        self.notify_watchers();
    }

    pub(crate) fn is_under_way(&self, id: i64) -> bool {
        self.lock_state().under_way.contains(&id)
    }

    pub(crate) fn is_anything_under_way(&self) -> bool {
        !self.lock_state().under_way.is_empty()
    }

    pub(crate) fn record_attempt(&self, callback: i64, attempt: u32, details: AttemptDetails) {
        let mut state = self.lock_state();
        state.bytes += details.weight();
        match state.tries.insert((callback, attempt), details) {
            Some(before) => state.bytes -= before.weight(),
            None => state.order.push_back((callback, attempt)),
        }
        while state.order.len() > ATTEMPTS_MAX || state.bytes > ATTEMPT_BYTES_MAX {
            let Some(oldest) = state.order.pop_front() else { return };
            state.bytes -= state.tries.remove(&oldest).map_or(0, |details| details.weight());
        }
    }

    pub(crate) fn attempt_details(&self, callback: i64, attempt: u32) -> Option<AttemptDetails> {
        self.lock_state().tries.get(&(callback, attempt)).cloned()
    }

    pub(crate) fn set_reason(&self, callback: i64, reason: Option<GiveUpReason>) {
        let mut state = self.lock_state();
        match reason {
            Some(reason) if state.reasons.len() < REASONS_MAX => {
                state.reasons.insert(callback, reason);
            }
            _ => {
                state.reasons.remove(&callback);
            }
        }
    }

    pub(crate) fn reason(&self, callback: i64) -> Option<GiveUpReason> {
        self.lock_state().reasons.get(&callback).copied()
    }

    /// Requests that the callback of a job is sent twice.
    pub(crate) fn send_twice(&self, job: i64) {
        self.lock_state().twice.insert(job);
    }

    pub(crate) fn is_sent_twice(&self, job: i64) -> bool {
        self.lock_state().twice.contains(&job)
    }
}

impl AttemptDetails {
    pub(crate) fn from_call(
        content: Option<CallbackContent>,
        headers: Vec<(String, String)>,
        called: &PostResult,
    ) -> Self {
        let answer = called.result.as_ref().map(|answer| answer.body.as_slice()).unwrap_or_default();
        Self {
            content,
            headers,
            address: called.address.map(|address| address.to_string()),
            connect: called.connect,
            first_byte: called.first_byte,
            took: called.took,
            answer: answer[..answer.len().min(RESPONSE_BYTES_MAX)].to_vec(),
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
        let tracker = CallbackTracker::default();
        for id in 0..=ATTEMPTS_MAX as i64 {
            tracker.record_attempt(id, 1, AttemptDetails::default());
            tracker.record_attempt(id, 1, AttemptDetails::default());
        }
        assert_eq!(tracker.attempt_details(0, 1), None);
        assert!(tracker.attempt_details(1, 1).is_some() && tracker.attempt_details(ATTEMPTS_MAX as i64, 1).is_some());
        let state = tracker.lock_state();
        assert_eq!((state.tries.len(), state.order.len()), (ATTEMPTS_MAX, ATTEMPTS_MAX));
    }

    #[test]
    fn tries_stay_within_their_bytes() {
        let tracker = CallbackTracker::default();
        let large = || AttemptDetails { answer: vec![0; 1024 * 1024], ..AttemptDetails::default() };
        for id in 0..9 {
            tracker.record_attempt(id, 1, large());
            tracker.record_attempt(id, 1, large());
        }
        assert_eq!((tracker.attempt_details(0, 1), tracker.lock_state().bytes), (None, ATTEMPT_BYTES_MAX));
        assert!(tracker.attempt_details(1, 1).is_some());
        tracker.load(CallbacksState::default());
        assert_eq!(tracker.lock_state().bytes, 0);
    }
}
