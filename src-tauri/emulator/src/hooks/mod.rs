//! The built-in receivers of callbacks: a bounded record of the calls to `/__hook/{world}/{name}`, answered by a
//! script.

mod address;
mod home;
mod script;

use std::{
    collections::{BTreeMap, VecDeque},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use bytes::Bytes;
use roost_journal::JournalTime;
use serde::{Deserialize, Serialize};
use tokio::sync::watch;

pub(crate) use self::{
    address::{ATTEMPT_HEADER, HOOK_SEGMENT, attempt_header_value, is_hook_path, parse_attempt, world_of_attempt},
    home::{ReceiverHome, ReceiverHomes, ReceiverHomesState},
    script::{HookLineEnd, HookReply, HookScript, HookScriptInput},
};

use crate::settings::encoding::written_bytes;

/// The most receivers of one world.
pub(crate) const HOOKS_MAX: usize = 100;
/// The most recorded calls of one world.
const CALLS_MAX: usize = 10_000;
/// The most bytes that the recorded calls of one world may take.
const BYTES_MAX: usize = 16 * 1024 * 1024;
/// The most bytes of a body that are recorded.
pub(crate) const BODY_MAX: usize = 256 * 1024;

/// A call that a receiver got.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct HookCall {
    /// The number of the call among those of its receiver, from 1.
    pub seq: u64,
    pub at: JournalTime,
    pub method: String,
    pub target: String,
    pub headers: Vec<(String, String)>,
    /// The beginning of the body, up to the limit.
    #[serde(with = "written_bytes")]
    pub body: Bytes,
    /// The full length of the body.
    pub length: u64,
    /// The status of the response; none if the connection was closed instead.
    pub answered: Option<u16>,
    /// If Roost sent the call: the callback, and the number of the attempt.
    pub callback: Option<(i64, u32)>,
}

impl HookCall {
    fn weight(&self) -> usize {
        let headers: usize = self.headers.iter().map(|(name, value)| name.len() + value.len()).sum();
        256 + self.target.len() + headers + self.body.len()
    }
}

/// One receiver: its counts and its script.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Hook {
    /// How many calls the receiver has got.
    pub last: u64,
    /// How many of these were dropped for newer ones.
    pub dropped: u64,
    pub script: HookScript,
}

pub(crate) struct Hooks {
    inner: Mutex<HooksState>,
    changed: watch::Sender<u64>,
}

/// All receivers of a world, with their scripts and recorded calls.
#[derive(Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct HooksState {
    hooks: BTreeMap<String, Hook>,
    /// The calls of all receivers, oldest first.
    calls: VecDeque<(String, Arc<HookCall>)>,
    bytes: usize,
}

/// The world has the most receivers it can have.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct TooManyHooks;

impl Default for Hooks {
    fn default() -> Self {
        Self { inner: Mutex::default(), changed: watch::Sender::new(0) }
    }
}

impl Hooks {
    fn lock_state(&self) -> MutexGuard<'_, HooksState> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn notify_watchers(&self) {
        self.changed.send_modify(|count| *count += 1);
    }

    /// Returns a watch that changes with each call. Subscribe before reading, so that no call is missed.
    pub(crate) fn subscribe(&self) -> watch::Receiver<u64> {
        self.changed.subscribe()
    }

    /// Records a call, and returns the reply to it.
    pub(crate) fn record_call(&self, name: &str, mut call: HookCall) -> Result<HookReply, TooManyHooks> {
        let reply = {
            let mut inner = self.lock_state();
            let hook = inner.hook_mut(name)?;
            let reply = hook.script.next();
            hook.last = hook.last.saturating_add(1);
            call.seq = hook.last;
            call.answered = reply.line.is_none().then_some(reply.status);
            inner.push_call(name, call);
            reply
        };
        self.notify_watchers();
        Ok(reply)
    }

    /// Lists all receivers, each with the number of its recorded calls.
    pub(crate) fn list_hooks(&self) -> Vec<(String, Hook, usize)> {
        let inner = self.lock_state();
        let count_calls = |name: &str| inner.calls.iter().filter(|(hook_name, _)| hook_name == name).count();
        inner.hooks.iter().map(|(name, hook)| (name.clone(), hook.clone(), count_calls(name))).collect()
    }

    /// Returns a receiver and its calls after `since`, oldest first. A receiver that nobody has called is empty.
    pub(crate) fn read_calls(&self, name: &str, since: u64) -> (Hook, Vec<Arc<HookCall>>) {
        let inner = self.lock_state();
        let calls = inner.calls.iter().filter(|(hook_name, call)| hook_name == name && call.seq > since);
        (inner.hooks.get(name).cloned().unwrap_or_default(), calls.map(|(_, call)| call.clone()).collect())
    }

    /// Sets the script by which a receiver replies from now on.
    pub(crate) fn set_script(&self, name: &str, script: HookScript) -> Result<Hook, TooManyHooks> {
        let mut inner = self.lock_state();
        let hook = inner.hook_mut(name)?;
        hook.script = script;
        Ok(hook.clone())
    }

    /// Removes a receiver with its calls and its script. Returns false if there was none.
    pub(crate) fn forget_hook(&self, name: &str) -> bool {
        let was_there = {
            let mut inner = self.lock_state();
            let was_there = inner.hooks.remove(name).is_some();
            inner.calls.retain(|(hook_name, _)| hook_name != name);
            inner.bytes = inner.calls.iter().map(|(_, call)| call.weight()).sum();
            was_there
        };
        self.notify_watchers();
        was_there
    }

    pub(crate) fn save(&self) -> HooksState {
        self.lock_state().clone()
    }

    pub(crate) fn load(&self, state: HooksState) {
        *self.lock_state() = state;
        self.notify_watchers();
    }
}

impl HooksState {
    /// Checks a stored state, and recomputes the size, which it need not state correctly.
    pub(crate) fn check_and_recount(&mut self) -> Result<(), String> {
        if self.hooks.len() > HOOKS_MAX || self.calls.len() > CALLS_MAX {
            return Err(format!("expected at most {HOOKS_MAX} receivers and {CALLS_MAX} calls."));
        }
        for (name, hook) in &self.hooks {
            hook.script.check().map_err(|why| format!("{name}: {why}"))?;
        }
        self.bytes = self.calls.iter().map(|(_, call)| call.weight()).sum();
        Ok(())
    }

    /// The approximate number of bytes that the calls take.
    pub(crate) fn size(&self) -> usize {
        self.bytes
    }

    fn hook_mut(&mut self, name: &str) -> Result<&mut Hook, TooManyHooks> {
        if !self.hooks.contains_key(name) && self.hooks.len() >= HOOKS_MAX {
            return Err(TooManyHooks);
        }
        Ok(self.hooks.entry(name.to_owned()).or_default())
    }

    /// Records a call, and drops the oldest calls beyond the limits. The newest call always stays.
    fn push_call(&mut self, name: &str, call: HookCall) {
        self.bytes += call.weight();
        self.calls.push_back((name.to_owned(), Arc::new(call)));
        while self.calls.len() > CALLS_MAX || (self.bytes > BYTES_MAX && self.calls.len() > 1) {
            let Some((hook_name, call)) = self.calls.pop_front() else { return };
            self.bytes -= call.weight();
            if let Some(hook) = self.hooks.get_mut(&hook_name) {
                hook.dropped = hook.dropped.saturating_add(1);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn make_call(body: usize) -> HookCall {
        HookCall { body: vec![b'x'; body].into(), ..HookCall::default() }
    }

    #[test]
    fn the_oldest_calls_are_removed_and_counted() {
        let hooks = Hooks::default();
        hooks.record_call("small", make_call(1)).expect("room");
        let fits = BYTES_MAX / make_call(BODY_MAX).weight();
        for _ in 0..fits + 10 {
            hooks.record_call("large", make_call(BODY_MAX)).expect("room");
        }
        let (small, calls) = hooks.read_calls("small", 0);
        assert_eq!((small.last, small.dropped, calls.len()), (1, 1, 0));
        let (large, calls) = hooks.read_calls("large", 0);
        assert_eq!((large.last, large.dropped, calls.len()), (fits as u64 + 10, 10, fits));
        assert_eq!(calls.first().map(|call| call.seq), Some(11));
        assert!(hooks.lock_state().bytes <= BYTES_MAX);
        for _ in 0..CALLS_MAX + 1 {
            hooks.record_call("small", make_call(0)).expect("room");
        }
        assert_eq!(hooks.lock_state().calls.len(), CALLS_MAX);
        hooks.load(HooksState::default());
        assert_eq!(hooks.lock_state().bytes, 0);
        assert_eq!(hooks.list_hooks().len(), 0);
    }

    #[test]
    fn names_are_counted_and_forgotten_one_by_one() {
        let hooks = Hooks::default();
        for n in 0..HOOKS_MAX {
            hooks.record_call(&n.to_string(), make_call(1)).expect("room");
        }
        assert_eq!(hooks.record_call("more", make_call(1)), Err(TooManyHooks));
        assert!(hooks.forget_hook("7") && !hooks.forget_hook("7"));
        hooks.record_call("more", make_call(1)).expect("room");
        assert_eq!(hooks.read_calls("8", 0).1.len(), 1);
        assert_eq!(hooks.read_calls("8", 1).1.len(), 0);
        let weight: usize = hooks.lock_state().calls.iter().map(|(_, call)| call.weight()).sum();
        assert_eq!(hooks.lock_state().bytes, weight);
    }

    #[test]
    fn a_stored_state_is_checked_like_the_requests_that_made_it() {
        let check = |hooks: Value| {
            let stored = json!({ "hooks": hooks, "calls": [], "bytes": 7 });
            let mut state: HooksState = serde_json::from_value(stored).expect("a state");
            state.check_and_recount().map(|()| state.size())
        };
        let hook = |then: Value| json!({ "last": u64::MAX, "dropped": 0, "script": { "answers": [], "then": then } });
        assert_eq!(check(json!({ "inbox": hook(json!({ "status": 204 })) })), Ok(0));
        for (then, why) in [
            (json!({ "headers": { "content-length": "9" } }), "inbox: then.headers: content-length cannot be set"),
            (json!({ "delay": "1d" }), "inbox: then.delay: expected at most"),
            (json!({ "status": 101 }), "inbox: then: expected a status"),
        ] {
            let refused = check(json!({ "inbox": hook(then) })).expect_err(why);
            assert!(refused.starts_with(why), "{refused}");
        }
        let many = (0..=HOOKS_MAX).map(|n| (n.to_string(), hook(json!({})))).collect();
        check(Value::Object(many)).expect_err("more receivers than a world can have");
    }
}
