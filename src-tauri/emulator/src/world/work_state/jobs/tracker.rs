//! The state of a world's jobs outside the account: the policy, and its consequences for each job.

use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError, RwLock,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use roost_model::time::{DueTime, NANOS_PER_SECOND};
use roost_ops::job::{CallbackTiming, ForcedFailures, JobOptions, QueuedJob};
use serde::{Deserialize, Serialize};

use super::{
    ended::EndedJobs,
    events::{JobEventLog, JobEvents},
    origin::JobOrigins,
    policy::{JobPolicy, JobProgress},
};
use crate::{faults::JobFault, world::CallbackPolicy};

/// The most jobs that are remembered.
const JOBS_MAX: usize = 10_000;
const ONE_SECOND: Duration = Duration::from_secs(1);

#[derive(Default)]
pub(crate) struct JobTracker {
    policy: RwLock<Arc<JobPolicy>>,
    /// Whether anything differs from the service's default behaviour.
    is_special: AtomicBool,
    state: Mutex<TrackedJobs>,
    origins: JobOrigins,
    events: JobEvents,
}

/// Everything about jobs that is not in the account.
#[derive(Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct JobsState {
    policy: Arc<JobPolicy>,
    kept: TrackedJobs,
    moments: JobEventLog,
}

#[derive(Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct TrackedJobs {
    jobs: BTreeMap<i64, TrackedJob>,
    /// How many jobs each fault of the policy has affected.
    met: Vec<u32>,
    /// The earliest time for which an alarm is set. After a restart, the worker sets it again.
    #[serde(skip)]
    alarm: Option<DueTime>,
    /// Belongs to the running server, like the jobs that ended in it.
    #[serde(skip)]
    epoch: u64,
    #[serde(skip)]
    ended: EndedJobs,
}

/// A job whose state differs from the default.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct TrackedJob {
    /// Decided when the job is first looked at.
    #[serde(with = "settled")]
    fault: Option<Option<JobFault>>,
    is_paused: bool,
    polls: u32,
    /// Whether the contacts of its list were queried often enough.
    is_ready: bool,
    /// When the next part is due.
    next: Option<DueTime>,
    /// When it was queued. The account stores only the second.
    #[serde(default)]
    queued: Option<DueTime>,
    /// Whether its callback is owed before its data is stored.
    is_announced: bool,
    /// Whether its contacts were searched for magic numbers.
    was_seen: bool,
}

impl JobsState {
    /// Checks the policy of a stored state, and recomputes what the state need not contain correctly.
    pub(crate) fn check_and_recount(&mut self) -> Result<(), String> {
        self.policy.check()?;
        self.kept.met.resize(self.policy.faults.len(), 0);
        self.moments.check_and_recount()
    }
}

/// Serializes a decision that may be pending, as a list of one or no value.
mod settled {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use crate::faults::JobFault;

    #[expect(clippy::ref_option, reason = "serde asks so")]
    pub(super) fn serialize<S: Serializer>(fault: &Option<Option<JobFault>>, serializer: S) -> Result<S::Ok, S::Error> {
        let one_or_none: Vec<&Option<JobFault>> = fault.iter().collect();
        one_or_none.serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<Option<JobFault>>, D::Error> {
        Ok(Vec::deserialize(deserializer)?.into_iter().next())
    }
}

/// The reason why a job does not run by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum JobHold {
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
pub(crate) enum JobTurn {
    Run(JobOptions),
    /// Send its callback before it runs.
    Announce(JobOptions),
    /// Run it once its callback was attempted.
    AfterCallback(JobOptions),
    At(DueTime),
    /// Nothing without the operator.
    Held,
}

impl JobTracker {
    fn lock_state(&self) -> MutexGuard<'_, TrackedJobs> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the requests that created jobs.
    pub(crate) fn origins(&self) -> &JobOrigins {
        &self.origins
    }

    /// Returns the events of jobs.
    pub(crate) fn events(&self) -> &JobEvents {
        &self.events
    }

    pub(crate) fn policy(&self) -> Arc<JobPolicy> {
        self.policy.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Sets the policy. Jobs that were looked at already keep their fault.
    pub(crate) fn set_policy(&self, policy: JobPolicy) {
        let mut state = self.lock_state();
        state.met = vec![0; policy.faults.len()];
        state.alarm = None;
        *self.policy.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(policy);
        self.update_is_special(&state);
    }

    /// Call only while no job runs.
    pub(crate) fn save(&self) -> JobsState {
        let own = self.lock_state();
        let kept = TrackedJobs { jobs: own.jobs.clone(), met: own.met.clone(), ..TrackedJobs::default() };
        JobsState { policy: self.policy(), kept, moments: self.events.save() }
    }

    /// Assigns the loaded state to `epoch`. The worker sets the alarm again.
    pub(crate) fn load(&self, state: JobsState, epoch: u64) {
        let JobsState { policy, kept, moments } = state;
        self.events.load(moments, epoch);
        let mut own = self.lock_state();
        *own = TrackedJobs { epoch, ..kept };
        *self.policy.write().unwrap_or_else(PoisonError::into_inner) = policy;
        self.update_is_special(&own);
    }

    /// Forgets the jobs but not the policy. From now on, the tracked jobs are those of `epoch`.
    pub(crate) fn forget_jobs(&self, epoch: u64) {
        *self.lock_state() = TrackedJobs { epoch, ..TrackedJobs::default() };
        self.set_policy((*self.policy()).clone());
    }

    fn update_is_special(&self, state: &TrackedJobs) {
        let is_special = *self.policy() != JobPolicy::default() || !state.jobs.is_empty();
        self.is_special.store(is_special, Ordering::Release);
    }

    /// Whether jobs run one after the other as at the service.
    pub(crate) fn is_plain(&self) -> bool {
        !self.is_special.load(Ordering::Acquire)
    }

    pub(crate) fn counts_polls(&self) -> bool {
        !self.is_plain() && self.policy().progress == JobProgress::Polls
    }

    fn change_job<T>(&self, id: i64, change: impl FnOnce(&mut TrackedJob) -> T) -> T {
        self.change_job_in(&mut self.lock_state(), id, change)
    }

    /// Changes a job of an epoch. Ignores an epoch that has ended, because its numbers are reused.
    fn change_job_of(&self, epoch: u64, id: i64, change: impl FnOnce(&mut TrackedJob)) {
        let mut state = self.lock_state();
        if epoch >= state.epoch {
            self.change_job_in(&mut state, id, change);
        }
    }

    fn change_job_in<T>(&self, state: &mut TrackedJobs, id: i64, change: impl FnOnce(&mut TrackedJob) -> T) -> T {
        if state.ended.contains(id) {
            return change(&mut state.jobs.get(&id).cloned().unwrap_or_default());
        }
        if state.jobs.len() >= JOBS_MAX
            && !state.jobs.contains_key(&id)
            && let Some(oldest) = state.jobs.keys().next().copied()
        {
            state.jobs.remove(&oldest);
        }
        let changed = change(state.jobs.entry(id).or_default());
        self.update_is_special(state);
        changed
    }

    /// Returns whether this changed the job.
    pub(crate) fn set_paused(&self, id: i64, is_paused: bool) -> bool {
        self.change_job(id, |job| std::mem::replace(&mut job.is_paused, is_paused) != is_paused)
    }

    pub(crate) fn is_paused(&self, id: i64) -> bool {
        self.lock_state().jobs.get(&id).is_some_and(|job| job.is_paused)
    }

    /// Returns the fault of a job, once it is decided.
    pub(crate) fn fault(&self, id: i64) -> Option<JobFault> {
        self.lock_state().jobs.get(&id)?.fault.clone()?
    }

    /// Counts one more query of the job's list. Returns whether the job can run now.
    pub(crate) fn count_poll(&self, id: i64) -> bool {
        let polls = self.policy().polls;
        self.change_job(id, |job| {
            job.polls = job.polls.saturating_add(1);
            job.is_ready = job.polls >= polls;
            job.is_ready && !job.is_paused
        })
    }

    /// Decides the fault of a job: the first fault of the policy that matches it and has not reached its limit. One
    /// lock covers the whole decision, so that of several callers none counts the fault while another goes without it.
    pub(crate) fn assign_fault(&self, job: &QueuedJob) -> Option<JobFault> {
        let policy = self.policy();
        let mut state = self.lock_state();
        if let Some(fault) = state.jobs.get(&job.id).and_then(|known| known.fault.clone()) {
            return fault;
        }
        if state.ended.contains(job.id) {
            return None;
        }
        let fits = |(at, met): &(usize, u32)| {
            policy.faults.get(*at).is_some_and(|meets| {
                meets.first.is_none_or(|first| *met < first)
                    && meets.correlation_id.as_ref().is_none_or(|id| job.correlation_id.as_ref() == Some(id))
                    && meets.list_id.as_deref().is_none_or(|id| job.list_id.as_str() == id)
            })
        };
        let found = state.met.clone().into_iter().enumerate().find(fits);
        let fault = found.and_then(|(at, _)| {
            state.met[at] = state.met[at].saturating_add(1);
            policy.faults.get(at).map(|meets| meets.fault.clone())
        });
        self.change_job_in(&mut state, job.id, |known| known.fault = Some(fault.clone()));
        fault
    }

    /// Whether the job's contacts were not yet searched for magic numbers.
    pub(crate) fn is_unseen(&self, id: i64) -> bool {
        self.lock_state().jobs.get(&id).is_none_or(|job| !job.was_seen)
    }

    /// Decides the fault of a job: the one of the policy, or else the one of its magic number.
    pub(crate) fn assign_fault_with_magic(&self, job: &QueuedJob, magic: Option<JobFault>) {
        let fault = self.assign_fault(job).or(magic);
        self.change_job(job.id, |known| {
            known.fault = Some(fault);
            known.was_seen = true;
        });
    }

    /// Whether the job waits for the operator or a caller.
    pub(crate) fn is_held(&self, job: &QueuedJob) -> bool {
        self.held_by(job).is_some()
    }

    /// Returns the reason why the job waits for the operator or a caller.
    pub(crate) fn held_by(&self, job: &QueuedJob) -> Option<JobHold> {
        if self.is_plain() {
            return None;
        }
        let fault = self.assign_fault(job);
        let (state, policy) = (self.lock_state(), self.policy());
        let known = state.jobs.get(&job.id);
        let is_on = policy.due_at(job.queued_at.into()).is_some() || known.is_some_and(|job| job.is_ready);
        match policy.progress {
            _ if known.is_some_and(|job| job.is_paused) => Some(JobHold::Paused),
            _ if fault == Some(JobFault::NeverFinish) => Some(JobHold::Fault),
            _ if is_on => None,
            JobProgress::Polls => Some(JobHold::Polls),
            _ => Some(JobHold::Hand),
        }
    }

    /// Returns the next thing to do with a job.
    pub(crate) fn next_turn(&self, job: &QueuedJob, callbacks: &CallbackPolicy, now: DueTime) -> JobTurn {
        if self.is_held(job) {
            return JobTurn::Held;
        }
        let policy = self.policy();
        let waits = matches!(policy.progress, JobProgress::After | JobProgress::Rate);
        let queued = if waits { self.exact_queue_time(job, now) } else { job.queued_at.into() };
        let due = policy.due_at(queued).unwrap_or(now);
        if due > now {
            return JobTurn::At(due);
        }
        let mut options = self.run_options(job, callbacks);
        if policy.progress == JobProgress::Rate {
            let first = queued.add_delay(ONE_SECOND);
            let next = self.change_job(job.id, |known| *known.next.get_or_insert(first));
            if next > now {
                return JobTurn::At(next);
            }
            options.most = Some(policy.per_second);
        }
        match self.fault(job.id) {
            Some(JobFault::CallbackFirst) if self.is_announced(job.id) => {
                JobTurn::AfterCallback(JobOptions { most: None, ..options })
            }
            Some(JobFault::CallbackFirst) => JobTurn::Announce(JobOptions { most: None, ..options }),
            _ => JobTurn::Run(options),
        }
    }

    /// Remembers exactly when a job was queued, if its turn depends on it.
    pub(crate) fn record_queue_time(&self, id: i64, at: DueTime) {
        if matches!(self.policy().progress, JobProgress::After | JobProgress::Rate) {
            self.change_job(id, |known| known.queued = Some(at));
        }
    }

    /// Returns when a job was queued. If nobody saw it, as before a restart, it was within the second that the account
    /// stores, and not later than it is first looked at. So no delay ends early, and one that has passed for certain is
    /// over.
    fn exact_queue_time(&self, job: &QueuedJob, now: DueTime) -> DueTime {
        let stored = DueTime::from(job.queued_at);
        let latest = DueTime::from_nanos(stored.as_nanos().saturating_add(NANOS_PER_SECOND - 1));
        self.change_job(job.id, |known| *known.queued.get_or_insert(now.clamp(stored, latest)))
    }

    fn is_announced(&self, id: i64) -> bool {
        self.lock_state().jobs.get(&id).is_some_and(|job| job.is_announced)
    }

    pub(crate) fn mark_announced(&self, epoch: u64, id: i64) {
        self.change_job_of(epoch, id, |job| job.is_announced = true);
    }

    /// Whether any job waits for its callback to be attempted.
    pub(crate) fn awaits_callbacks(&self) -> bool {
        !self.is_plain() && self.lock_state().jobs.values().any(|job| job.is_announced)
    }

    /// Records that a part ran. The next one is due a second later.
    pub(crate) fn mark_part_run(&self, epoch: u64, id: i64, now: DueTime) {
        self.change_job_of(epoch, id, |job| {
            let before = job.next.unwrap_or(now);
            job.next = Some(before.add_delay(ONE_SECOND));
        });
    }

    /// Returns the options with which a job runs, whoever starts it.
    pub(crate) fn run_options(&self, job: &QueuedJob, callbacks: &CallbackPolicy) -> JobOptions {
        let mut options = JobOptions { owes: callbacks.owed_for(job.id), ..JobOptions::default() };
        if self.is_plain() {
            return options;
        }
        match self.assign_fault(job) {
            Some(JobFault::Fail) => options.fails.from = Some(0),
            Some(JobFault::FailAfter(count)) => options.fails.from = Some(count),
            Some(JobFault::FailNumbers(numbers)) => {
                let numbers = numbers.iter().map(|number| number.trim_start_matches('+').to_owned());
                options.fails = ForcedFailures { from: None, numbers: numbers.collect() };
            }
            Some(JobFault::LoseCallback) => options.owes = CallbackTiming::Never,
            Some(JobFault::Drop) => {
                options.fails.from = Some(0);
                options.owes = CallbackTiming::Never;
            }
            Some(JobFault::NeverFinish | JobFault::FinishTwice | JobFault::CallbackFirst) | None => {}
        }
        options
    }

    /// Forgets what is needed only while a job waits. Ignores an epoch that has ended, because its numbers are reused.
    pub(crate) fn forget_ended(&self, epoch: u64, id: i64) {
        let mut state = self.lock_state();
        if epoch < state.epoch {
            return;
        }
        state.ended.insert(id);
        match state.jobs.get_mut(&id) {
            Some(job) if matches!(job.fault, Some(Some(_))) => job.is_announced = false,
            _ => drop(state.jobs.remove(&id)),
        }
        self.update_is_special(&state);
    }

    /// Sets an alarm. Returns false if an earlier or equal one is set, after which the worker looks again anyway.
    pub(crate) fn set_alarm(&self, at: DueTime) -> bool {
        let mut state = self.lock_state();
        let is_news = state.alarm.is_none_or(|alarm| at < alarm);
        if is_news {
            state.alarm = Some(at);
        }
        is_news
    }

    pub(crate) fn clear_alarm(&self, at: DueTime) {
        let mut state = self.lock_state();
        if state.alarm == Some(at) {
            state.alarm = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use roost_model::{id::ListId, time::Timestamp};
    use serde_json::{Value, json};

    use super::*;

    const LIST: &str = "LST_36AbCdEfGhIjKlMnOpQrStUvWx1";

    fn queued_job(id: i64, correlation_id: &str) -> QueuedJob {
        QueuedJob {
            id,
            list_id: ListId::parse(LIST).expect("well formed"),
            correlation_id: Some(correlation_id.to_owned()),
            queued_at: Timestamp::from_unix(100),
        }
    }

    fn tracker_with(policy: Value) -> JobTracker {
        let tracker = JobTracker::default();
        tracker.set_policy(serde_json::from_value(policy).expect("a policy"));
        tracker
    }

    fn at_second(unix: i64) -> DueTime {
        Timestamp::from_unix(unix).into()
    }

    fn turn_at(tracker: &JobTracker, job: &QueuedJob, now: i64) -> JobTurn {
        tracker.next_turn(job, &CallbackPolicy::default(), at_second(now))
    }

    #[test]
    fn a_fault_applies_to_its_number_of_jobs_and_stays_with_them() {
        let tracker = tracker_with(json!({ "faults": [
            { "fault": "never_finish", "first": 1 },
            { "fault": { "fail_after": 2 }, "correlation_id": "b" },
        ] }));
        assert_eq!(turn_at(&tracker, &queued_job(1, "a"), 100), JobTurn::Held);
        assert_eq!(turn_at(&tracker, &queued_job(1, "a"), 100), JobTurn::Held, "it is not counted twice");
        let JobTurn::Run(options) = turn_at(&tracker, &queued_job(2, "b"), 100) else { panic!("it runs") };
        assert_eq!(options.fails.from, Some(2));
        assert_eq!(turn_at(&tracker, &queued_job(3, "c"), 100), JobTurn::Run(JobOptions::default()));
        tracker.set_policy(JobPolicy::default());
        assert_eq!(tracker.fault(1), Some(JobFault::NeverFinish));
        assert_eq!(turn_at(&tracker, &queued_job(1, "a"), 100), JobTurn::Held);
        assert_eq!(turn_at(&tracker, &queued_job(4, "b"), 100), JobTurn::Run(JobOptions::default()));
    }

    #[test]
    fn a_rate_is_a_part_in_each_second() {
        let tracker = tracker_with(json!({ "progress": "rate", "per_second": 3 }));
        let part = JobTurn::Run(JobOptions { most: Some(3), ..JobOptions::default() });
        assert_eq!(turn_at(&tracker, &queued_job(1, "a"), 100), JobTurn::At(at_second(101)));
        assert_eq!(turn_at(&tracker, &queued_job(1, "a"), 101), part);
        tracker.mark_part_run(0, 1, at_second(101));
        assert_eq!(turn_at(&tracker, &queued_job(1, "a"), 101), JobTurn::At(at_second(102)));
        assert_eq!(turn_at(&tracker, &queued_job(1, "a"), 106), part, "late is made up for");
        tracker.mark_part_run(0, 1, at_second(106));
        assert_eq!(turn_at(&tracker, &queued_job(1, "a"), 106), part);
    }

    #[test]
    fn no_delay_ends_early_whenever_in_its_second_the_job_came() {
        let tracker = tracker_with(json!({ "progress": "after", "after": "250ms" }));
        let (plain, job) = (CallbackPolicy::default(), queued_job(1, "a"));
        let after = |millis: u64| at_second(100).add_delay(Duration::from_millis(millis));
        assert_eq!(tracker.next_turn(&job, &plain, after(900)), JobTurn::At(after(1_150)));
        assert_eq!(tracker.next_turn(&job, &plain, after(1_149)), JobTurn::At(after(1_150)));
        assert_eq!(tracker.next_turn(&job, &plain, after(1_150)), JobTurn::Run(JobOptions::default()));
        let late = tracker.next_turn(&queued_job(2, "b"), &plain, after(9_000));
        assert_eq!(late, JobTurn::Run(JobOptions::default()), "it is first looked at when the delay is over");
    }

    #[test]
    fn a_job_that_was_paused_and_resumed_is_forgotten_once_it_ended() {
        let tracker = JobTracker::default();
        assert!(tracker.is_plain());
        tracker.set_paused(1, true);
        assert!(!tracker.is_plain());
        assert_eq!(turn_at(&tracker, &queued_job(1, "a"), 100), JobTurn::Held);
        tracker.set_paused(1, false);
        assert_eq!(turn_at(&tracker, &queued_job(1, "a"), 100), JobTurn::Run(JobOptions::default()));
        tracker.forget_ended(0, 1);
        assert!(tracker.is_plain());
    }

    #[test]
    fn a_job_that_ended_uses_up_no_fault_whoever_looks_at_it_late() {
        let tracker = tracker_with(json!({ "progress": "manual" }));
        let (late, next) = (queued_job(1, "a"), queued_job(2, "b"));
        assert!(tracker.is_held(&late), "it is decided that nothing happens to it");
        tracker
            .set_policy(serde_json::from_value(json!({ "faults": [{ "fault": "fail", "first": 1 }] })).expect("valid"));
        tracker.forget_ended(0, 1);
        // Whoever had read the queue before it ended:
        assert!(!tracker.is_held(&late));
        tracker.assign_fault_with_magic(&late, Some(JobFault::Drop));
        tracker.set_paused(1, true);
        assert_eq!((tracker.fault(1), tracker.is_paused(1)), (None, false));
        tracker.assign_fault(&next);
        assert_eq!(tracker.fault(2), Some(JobFault::Fail));
        tracker.set_policy(JobPolicy::default());
        tracker.forget_ended(0, 2);
        assert_eq!(tracker.fault(2), Some(JobFault::Fail), "the fault of a job is still reported");
    }

    #[test]
    fn late_work_of_an_ended_epoch_changes_no_job_of_the_next() {
        let tracker = tracker_with(json!({ "progress": "manual" }));
        let state = tracker.save();
        tracker.forget_ended(0, 1);
        tracker.load(state, 3);
        let job = queued_job(1, "a");
        assert_eq!(tracker.held_by(&job), Some(JobHold::Hand));
        tracker.forget_ended(2, 1);
        tracker.mark_announced(2, 1);
        tracker.set_paused(1, true);
        assert!(tracker.is_paused(1) && !tracker.awaits_callbacks(), "it has not ended, and nothing is announced");
        tracker.forget_jobs(4);
        tracker.forget_ended(3, 1);
        tracker.set_paused(1, true);
        assert!(tracker.is_paused(1));
    }

    #[test]
    fn only_an_earlier_alarm_replaces_the_one_that_is_set() {
        let tracker = JobTracker::default();
        let at = at_second;
        assert!(
            tracker.set_alarm(at(10))
                && !tracker.set_alarm(at(11))
                && !tracker.set_alarm(at(10))
                && tracker.set_alarm(at(9))
        );
        tracker.clear_alarm(at(10));
        assert!(!tracker.set_alarm(at(9)));
        tracker.clear_alarm(at(9));
        assert!(tracker.set_alarm(at(20)));
    }
}
