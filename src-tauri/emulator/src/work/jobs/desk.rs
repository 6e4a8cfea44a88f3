//! The state of a world's jobs outside the account: the policy, and its consequences for each job.

use std::{
    collections::{BTreeMap, HashSet},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError, RwLock,
        atomic::{AtomicBool, Ordering},
    },
};

use roost_model::time::Timestamp;
use roost_ops::job::{CallbackTiming, ForcedFailures, JobOptions, QueuedJob};
use serde::{Deserialize, Serialize};

use super::{
    moments::{KnownMoments, Moments},
    origin::Origins,
    policy::{Fault, Policy, Progress},
};
use crate::work::CallbackPolicy;

/// The most jobs that are remembered.
const JOBS_MAX: usize = 10_000;

#[derive(Default)]
pub struct JobDesk {
    policy: RwLock<Arc<Policy>>,
    /// Whether anything differs from the service's default behaviour.
    is_special: AtomicBool,
    kept: Mutex<Kept>,
    origins: Origins,
    moments: Moments,
}

/// Everything about jobs that is not in the account.
#[derive(Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JobsState {
    policy: Arc<Policy>,
    kept: Kept,
    moments: KnownMoments,
}

#[derive(Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Kept {
    jobs: BTreeMap<i64, Job>,
    /// How many jobs each fault of the policy has affected.
    met: Vec<u32>,
    /// The earliest time for which an alarm is set. After a restart, the worker sets it again.
    #[serde(skip)]
    alarm: Option<Timestamp>,
}

/// A job whose state differs from the default.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Job {
    /// Decided when the job is first looked at.
    #[serde(with = "settled")]
    fault: Option<Option<Fault>>,
    is_paused: bool,
    polls: u32,
    /// Whether the contacts of its list were queried often enough.
    is_ready: bool,
    /// When the next part is due.
    next: Option<Timestamp>,
    /// Whether its callback is owed before its data is stored.
    is_announced: bool,
    /// Whether its contacts were searched for magic numbers.
    was_seen: bool,
}

impl JobsState {
    /// Checks the policy of a stored state, and recomputes what the state need not contain correctly.
    pub fn settle(&mut self) -> Result<(), String> {
        self.policy.check()?;
        self.kept.met.resize(self.policy.faults.len(), 0);
        self.moments.count();
        Ok(())
    }
}

/// Serializes a decision that may be pending, as a list of one or no value.
mod settled {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use super::Fault;

    #[expect(clippy::ref_option, reason = "serde asks so")]
    pub fn serialize<S: Serializer>(fault: &Option<Option<Fault>>, serializer: S) -> Result<S::Ok, S::Error> {
        let one_or_none: Vec<&Option<Fault>> = fault.iter().collect();
        one_or_none.serialize(serializer)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Option<Fault>>, D::Error> {
        Ok(Vec::deserialize(deserializer)?.into_iter().next())
    }
}

/// The reason why a job does not run by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HeldBy {
    Paused,
    /// The fault `never_finish` affects the job.
    Fault,
    /// The policy lets jobs run only by hand.
    Hand,
    /// The policy waits for queries of the list's contacts.
    Polls,
}

/// The next thing to do with a job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Turn {
    Run(JobOptions),
    /// Send its callback before it runs.
    Announce(JobOptions),
    /// Run it once its callback was attempted.
    AfterCallback(JobOptions),
    At(Timestamp),
    /// Nothing without the operator.
    Held,
}

impl JobDesk {
    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the requests that created jobs.
    pub fn origins(&self) -> &Origins {
        &self.origins
    }

    /// Returns the events of jobs.
    pub fn moments(&self) -> &Moments {
        &self.moments
    }

    pub fn policy(&self) -> Arc<Policy> {
        self.policy.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Sets the policy. Jobs that were looked at already keep their fault.
    pub fn set_policy(&self, policy: Policy) {
        let mut kept = self.kept();
        kept.met = vec![0; policy.faults.len()];
        kept.alarm = None;
        *self.policy.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(policy);
        self.settle(&kept);
    }

    /// Call only while no job runs.
    pub fn save(&self) -> JobsState {
        JobsState { policy: self.policy(), kept: self.kept().clone(), moments: self.moments.save() }
    }

    /// Assigns the loaded state to `epoch`. The worker sets the alarm again.
    pub fn load(&self, state: JobsState, epoch: u64) {
        let JobsState { policy, kept, moments } = state;
        self.moments.load(moments, epoch);
        let mut own = self.kept();
        *own = Kept { alarm: None, ..kept };
        *self.policy.write().unwrap_or_else(PoisonError::into_inner) = policy;
        self.settle(&own);
    }

    /// Forgets the jobs but not the policy.
    pub fn forget_jobs(&self) {
        *self.kept() = Kept::default();
        self.set_policy((*self.policy()).clone());
    }

    fn settle(&self, kept: &Kept) {
        let is_special = *self.policy() != Policy::default() || !kept.jobs.is_empty();
        self.is_special.store(is_special, Ordering::Release);
    }

    /// Whether jobs run one after the other as at the service.
    pub fn is_plain(&self) -> bool {
        !self.is_special.load(Ordering::Acquire)
    }

    pub fn counts_polls(&self) -> bool {
        !self.is_plain() && self.policy().progress == Progress::Polls
    }

    fn change<T>(&self, id: i64, change: impl FnOnce(&mut Job) -> T) -> T {
        self.change_in(&mut self.kept(), id, change)
    }

    fn change_in<T>(&self, kept: &mut Kept, id: i64, change: impl FnOnce(&mut Job) -> T) -> T {
        if kept.jobs.len() >= JOBS_MAX
            && !kept.jobs.contains_key(&id)
            && let Some(oldest) = kept.jobs.keys().next().copied()
        {
            kept.jobs.remove(&oldest);
        }
        let changed = change(kept.jobs.entry(id).or_default());
        self.settle(kept);
        changed
    }

    /// Returns whether this changed the job.
    pub fn pause(&self, id: i64, is_paused: bool) -> bool {
        self.change(id, |job| std::mem::replace(&mut job.is_paused, is_paused) != is_paused)
    }

    pub fn is_paused(&self, id: i64) -> bool {
        self.kept().jobs.get(&id).is_some_and(|job| job.is_paused)
    }

    /// Returns the fault of a job, once it is decided.
    pub fn fault(&self, id: i64) -> Option<Fault> {
        self.kept().jobs.get(&id)?.fault.clone()?
    }

    /// Counts one more query of the job's list. Returns whether the job can run now.
    pub fn poll(&self, id: i64) -> bool {
        let polls = self.policy().polls;
        self.change(id, |job| {
            job.polls += 1;
            job.is_ready = job.polls >= polls;
            job.is_ready && !job.is_paused
        })
    }

    /// Decides the fault of a job: the first fault of the policy that matches it and has not reached its limit. One
    /// lock covers the whole decision, so that of several callers none counts the fault while another goes without it.
    fn meet(&self, job: &QueuedJob) -> Option<Fault> {
        let policy = self.policy();
        let mut kept = self.kept();
        if let Some(fault) = kept.jobs.get(&job.id).and_then(|known| known.fault.clone()) {
            return fault;
        }
        let fits = |(at, met): &(usize, u32)| {
            policy.faults.get(*at).is_some_and(|meets| {
                meets.first.is_none_or(|first| *met < first)
                    && meets.correlation_id.as_ref().is_none_or(|id| job.correlation_id.as_ref() == Some(id))
                    && meets.list_id.as_deref().is_none_or(|id| job.list_id.as_str() == id)
            })
        };
        let found = kept.met.clone().into_iter().enumerate().find(fits);
        let fault = found.and_then(|(at, _)| {
            kept.met[at] += 1;
            policy.faults.get(at).map(|meets| meets.fault.clone())
        });
        self.change_in(&mut kept, job.id, |known| known.fault = Some(fault.clone()));
        fault
    }

    /// Whether the job's contacts were not yet searched for magic numbers.
    pub fn is_new(&self, id: i64) -> bool {
        self.kept().jobs.get(&id).is_none_or(|job| !job.was_seen)
    }

    /// Decides the fault of a job: the one of the policy, or else the one of its magic number.
    pub fn meet_first(&self, job: &QueuedJob, magic: Option<Fault>) {
        let fault = self.meet(job).or(magic);
        self.change(job.id, |known| {
            known.fault = Some(fault);
            known.was_seen = true;
        });
    }

    /// Whether the job waits for the operator or a caller.
    pub fn is_held(&self, job: &QueuedJob) -> bool {
        self.held_by(job).is_some()
    }

    /// Returns the reason why the job waits for the operator or a caller.
    pub fn held_by(&self, job: &QueuedJob) -> Option<HeldBy> {
        if self.is_plain() {
            return None;
        }
        let fault = self.meet(job);
        let (kept, policy) = (self.kept(), self.policy());
        let known = kept.jobs.get(&job.id);
        let is_on = policy.due(job.queued_at).is_some() || known.is_some_and(|job| job.is_ready);
        match policy.progress {
            _ if known.is_some_and(|job| job.is_paused) => Some(HeldBy::Paused),
            _ if fault == Some(Fault::NeverFinish) => Some(HeldBy::Fault),
            _ if is_on => None,
            Progress::Polls => Some(HeldBy::Polls),
            _ => Some(HeldBy::Hand),
        }
    }

    /// Returns the next thing to do with a job.
    pub fn turn(&self, job: &QueuedJob, callbacks: &CallbackPolicy, now: Timestamp) -> Turn {
        if self.is_held(job) {
            return Turn::Held;
        }
        let policy = self.policy();
        let due = policy.due(job.queued_at).unwrap_or(now);
        if due > now {
            return Turn::At(due);
        }
        let mut way = self.way(job, callbacks);
        if policy.progress == Progress::Rate {
            let first = Timestamp::from_unix(job.queued_at.unix() + 1);
            let next = self.change(job.id, |known| *known.next.get_or_insert(first));
            if next > now {
                return Turn::At(next);
            }
            way.most = Some(policy.per_second);
        }
        match self.fault(job.id) {
            Some(Fault::CallbackFirst) if self.is_announced(job.id) => {
                Turn::AfterCallback(JobOptions { most: None, ..way })
            }
            Some(Fault::CallbackFirst) => Turn::Announce(JobOptions { most: None, ..way }),
            _ => Turn::Run(way),
        }
    }

    fn is_announced(&self, id: i64) -> bool {
        self.kept().jobs.get(&id).is_some_and(|job| job.is_announced)
    }

    pub fn announced(&self, id: i64) {
        self.change(id, |job| job.is_announced = true);
    }

    /// Whether any job waits for its callback to be attempted.
    pub fn awaits_callbacks(&self) -> bool {
        !self.is_plain() && self.kept().jobs.values().any(|job| job.is_announced)
    }

    /// Records that a part ran. The next one is due a second later.
    pub fn part(&self, id: i64, now: Timestamp) {
        self.change(id, |job| {
            let before = job.next.unwrap_or(now);
            job.next = Some(Timestamp::from_unix(before.unix() + 1));
        });
    }

    /// Returns the options with which a job runs, whoever starts it.
    pub fn way(&self, job: &QueuedJob, callbacks: &CallbackPolicy) -> JobOptions {
        let mut way = JobOptions { owes: callbacks.owes(job.id), ..JobOptions::default() };
        if self.is_plain() {
            return way;
        }
        match self.meet(job) {
            Some(Fault::Fail) => way.fails.from = Some(0),
            Some(Fault::FailAfter(count)) => way.fails.from = Some(count),
            Some(Fault::FailNumbers(numbers)) => {
                let numbers = numbers.iter().map(|number| number.trim_start_matches('+').to_owned());
                way.fails = ForcedFailures { from: None, numbers: numbers.collect() };
            }
            Some(Fault::LoseCallback) => way.owes = CallbackTiming::Never,
            Some(Fault::Drop) => {
                way.fails.from = Some(0);
                way.owes = CallbackTiming::Never;
            }
            Some(Fault::NeverFinish | Fault::FinishTwice | Fault::CallbackFirst) | None => {}
        }
        way
    }

    /// Forgets what is needed only while a job waits.
    pub fn done(&self, ids: &HashSet<i64>) {
        let mut kept = self.kept();
        kept.jobs.retain(|id, job| !ids.contains(id) || matches!(job.fault, Some(Some(_))));
        for id in ids {
            if let Some(job) = kept.jobs.get_mut(id) {
                job.is_announced = false;
            }
        }
        self.settle(&kept);
    }

    /// Sets an alarm. Returns false if an earlier or equal one is set, after which the worker looks again anyway.
    pub fn set_alarm(&self, at: Timestamp) -> bool {
        let mut kept = self.kept();
        let is_news = kept.alarm.is_none_or(|alarm| at < alarm);
        if is_news {
            kept.alarm = Some(at);
        }
        is_news
    }

    pub fn alarm_rang(&self, at: Timestamp) {
        let mut kept = self.kept();
        if kept.alarm == Some(at) {
            kept.alarm = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use roost_model::id::ListId;
    use serde_json::{Value, json};

    use super::*;

    const LIST: &str = "LST_36AbCdEfGhIjKlMnOpQrStUvWx1";

    fn job(id: i64, correlation_id: &str) -> QueuedJob {
        QueuedJob {
            id,
            list_id: ListId::parse(LIST).expect("well formed"),
            correlation_id: Some(correlation_id.to_owned()),
            queued_at: Timestamp::from_unix(100),
        }
    }

    fn desk(policy: Value) -> JobDesk {
        let desk = JobDesk::default();
        desk.set_policy(serde_json::from_value(policy).expect("a policy"));
        desk
    }

    fn turn(desk: &JobDesk, job: &QueuedJob, now: i64) -> Turn {
        desk.turn(job, &CallbackPolicy::default(), Timestamp::from_unix(now))
    }

    #[test]
    fn a_fault_meets_as_many_jobs_as_it_is_told_and_stays_with_them() {
        let desk = desk(json!({ "faults": [
            { "fault": "never_finish", "first": 1 },
            { "fault": { "fail_after": 2 }, "correlation_id": "b" },
        ] }));
        assert_eq!(turn(&desk, &job(1, "a"), 100), Turn::Held);
        assert_eq!(turn(&desk, &job(1, "a"), 100), Turn::Held, "it is not counted twice");
        let Turn::Run(way) = turn(&desk, &job(2, "b"), 100) else { panic!("it runs") };
        assert_eq!(way.fails.from, Some(2));
        assert_eq!(turn(&desk, &job(3, "c"), 100), Turn::Run(JobOptions::default()));
        desk.set_policy(Policy::default());
        assert_eq!(desk.fault(1), Some(Fault::NeverFinish));
        assert_eq!(turn(&desk, &job(1, "a"), 100), Turn::Held);
        assert_eq!(turn(&desk, &job(4, "b"), 100), Turn::Run(JobOptions::default()));
    }

    #[test]
    fn a_rate_is_a_part_in_each_second() {
        let desk = desk(json!({ "progress": "rate", "per_second": 3 }));
        let part = Turn::Run(JobOptions { most: Some(3), ..JobOptions::default() });
        assert_eq!(turn(&desk, &job(1, "a"), 100), Turn::At(Timestamp::from_unix(101)));
        assert_eq!(turn(&desk, &job(1, "a"), 101), part);
        desk.part(1, Timestamp::from_unix(101));
        assert_eq!(turn(&desk, &job(1, "a"), 101), Turn::At(Timestamp::from_unix(102)));
        assert_eq!(turn(&desk, &job(1, "a"), 106), part, "late is made up for");
        desk.part(1, Timestamp::from_unix(106));
        assert_eq!(turn(&desk, &job(1, "a"), 106), part);
    }

    #[test]
    fn what_is_plain_again_is_remembered_nowhere() {
        let desk = JobDesk::default();
        assert!(desk.is_plain());
        desk.pause(1, true);
        assert!(!desk.is_plain());
        assert_eq!(turn(&desk, &job(1, "a"), 100), Turn::Held);
        desk.pause(1, false);
        assert_eq!(turn(&desk, &job(1, "a"), 100), Turn::Run(JobOptions::default()));
        desk.done(&HashSet::from([1]));
        assert!(desk.is_plain());
    }

    #[test]
    fn the_earliest_alarm_counts() {
        let desk = JobDesk::default();
        let at = Timestamp::from_unix;
        assert!(desk.set_alarm(at(10)) && !desk.set_alarm(at(11)) && !desk.set_alarm(at(10)) && desk.set_alarm(at(9)));
        desk.alarm_rang(at(10));
        assert!(!desk.set_alarm(at(9)));
        desk.alarm_rang(at(9));
        assert!(desk.set_alarm(at(20)));
    }
}
