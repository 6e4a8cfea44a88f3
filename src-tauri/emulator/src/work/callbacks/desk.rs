//! What is known of a world's callbacks besides the account: the policy, the tries under way, and how tries went.

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

/// How a try went, as far as the account has no room for it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Try {
    /// What was sent, where a template made it.
    pub content: Option<Content>,
    /// Headers that the policy added.
    pub headers: Vec<(String, String)>,
    pub address: Option<String>,
    pub connect: Option<Duration>,
    pub first_byte: Option<Duration>,
    pub took: Duration,
    /// The beginning of the answer.
    #[serde(with = "written_bytes")]
    pub answer: Vec<u8>,
}

/// Tries that are remembered at most.
const TRIES_MAX: usize = 1_000;
/// What they may take together, about.
const TRIES_BYTES_MAX: usize = 8 * 1024 * 1024;
/// As much of an answer as is remembered.
const ANSWER_KEPT: usize = 4 * 1024;
/// Callbacks whose reason is remembered at most.
const REASONS_MAX: usize = 10_000;

/// Why a callback is given up, or sent otherwise than the service would.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// By the operator.
    Cancelled,
    /// On purpose, by the policy.
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

/// All that is known of callbacks besides the account.
#[derive(Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CallbacksState {
    policy: Arc<Policy>,
    kept: Kept,
}

#[derive(Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Kept {
    /// Tries under way end with the server, and are due again.
    #[serde(skip)]
    under_way: HashSet<i64>,
    #[serde(with = "written_pairs")]
    tries: BTreeMap<(i64, u32), Try>,
    order: VecDeque<(i64, u32)>,
    /// What the tries take.
    bytes: usize,
    reasons: BTreeMap<i64, Reason>,
    /// Those to be sent twice, by their job.
    twice: BTreeSet<i64>,
}

impl CallbacksState {
    /// What was written down counts itself once more, and what cannot be is refused.
    pub fn settle(&mut self) -> Result<(), String> {
        self.policy.check()?;
        let Kept { tries, order, bytes, .. } = &mut self.kept;
        let mut known = BTreeSet::new();
        order.retain(|one| tries.contains_key(one) && known.insert(*one));
        tries.retain(|one, _| known.contains(one));
        *bytes = tries.values().map(Try::weight).sum();
        Ok(())
    }

    /// Bytes that the tries take, about.
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

    /// Something about jobs or callbacks is otherwise than before.
    pub fn tell(&self) {
        if self.changed.receiver_count() > 0 {
            self.changed.send_modify(|count| *count += 1);
        }
    }

    /// Tells of changes; to be asked for before one looks.
    pub fn watch(&self) -> watch::Receiver<u64> {
        self.changed.subscribe()
    }

    pub fn policy(&self) -> Arc<Policy> {
        self.policy.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub fn set_policy(&self, policy: Policy) {
        *self.policy.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(policy);
    }

    /// Tries under way are none of it: they end by themselves.
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

    /// Forgets the callbacks and keeps the policy.
    pub fn forget_callbacks(&self) {
        *self.kept() = Kept::default();
        self.tell();
    }

    /// Marks a try as under way until that is dropped.
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

    /// The callback of a job is to be sent twice.
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
