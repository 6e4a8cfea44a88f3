//! The expected state of one world, derived only from the acts on it.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// A waiting contact job.
#[derive(Debug, Clone)]
pub(super) struct ModelJob {
    pub list: String,
    pub numbers: Vec<String>,
    pub queued_at: i64,
    pub callback: CallbackTarget,
}

/// The receiver of a job's callback, and its correlation ID.
#[derive(Debug, Clone)]
pub(super) struct CallbackTarget {
    pub correlation_id: String,
    /// True for the world's own receiver, false for the receiver of all worlds.
    pub inside: bool,
}

/// An owed callback.
#[derive(Debug, Clone)]
struct OwedCallback {
    number: u64,
    callback: CallbackTarget,
    /// None while it is held.
    due: Option<i64>,
    tries: u32,
}

/// The content of the account with its work, which a snapshot stores.
#[derive(Debug, Clone, Default)]
pub(super) struct ModelAccount {
    /// Names and numbers by ID.
    pub lists: BTreeMap<String, (String, BTreeSet<String>)>,
    pub opt_outs: BTreeSet<String>,
    /// IDs by title. None for a link whose answer was lost.
    pub links: BTreeMap<String, Option<String>>,
    pub senders: BTreeMap<String, String>,
    pub jobs: Vec<ModelJob>,
    owed: Vec<OwedCallback>,
    callbacks: u64,
    pub delivered: u64,
    pub given_up: u64,
}

impl ModelAccount {
    pub(super) fn count_held(&self) -> u64 {
        self.owed.iter().filter(|owed| owed.due.is_none()).count() as u64
    }

    pub(super) fn count_waiting(&self) -> u64 {
        self.owed.len() as u64 - self.count_held()
    }
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum JobProgress {
    #[default]
    Immediate,
    Manual,
    After(i64),
}

/// How callbacks are sent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct SendPolicy {
    pub hold: bool,
    pub delay: i64,
}

/// A limit of one token per second for each operation, with this burst.
#[derive(Debug, Clone, Default)]
pub(super) struct ModelLimit {
    pub burst: i64,
    /// For each used bucket, the time at which it is full again and the time of its last use.
    buckets: BTreeMap<&'static str, (i64, i64)>,
}

impl ModelLimit {
    pub(super) fn with_burst(burst: i64) -> Self {
        Self { burst, buckets: BTreeMap::new() }
    }

    fn take_token(&mut self, operation: &'static str, now: i64) -> bool {
        let is_free = self.token_level(operation, now) > 0;
        let missing = self.burst - self.token_level(operation, now);
        self.buckets.insert(operation, (now + missing + i64::from(is_free), now));
        is_free
    }

    pub(super) fn token_level(&self, operation: &str, now: i64) -> i64 {
        // After the clock was set back, a bucket counts as full.
        let missing =
            self.buckets.get(operation).filter(|(_, seen)| now >= *seen).map_or(0, |(full_at, _)| full_at - now);
        self.burst - missing.clamp(0, self.burst)
    }
}

/// The effect of the only fault rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RuleEffect {
    Status(u16),
    Close,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct ModelRule {
    pub operation: &'static str,
    pub harm: RuleEffect,
    pub is_after: bool,
    pub left: u32,
}

/// The outcome of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RequestFate {
    Through,
    Limited,
    /// The flag says whether the request takes effect all the same.
    Harmed(RuleEffect, bool),
}

/// A journal entry: method, path, status.
pub(super) type JournalLine = (String, String, Option<u16>);

#[derive(Debug, Clone, Default)]
pub(super) struct WorldModel {
    pub account: ModelAccount,
    pub seed: ModelAccount,
    pub begin: i64,
    pub now: i64,
    pub limit: Option<ModelLimit>,
    pub rule: Option<ModelRule>,
    pub progress: JobProgress,
    pub leaving: SendPolicy,
    /// The statuses that the world's receiver returns before it continues with 200.
    pub script: VecDeque<u16>,
    pub inbox: Vec<String>,
    /// The callbacks to the receiver of all worlds. No reset removes them.
    pub outside: Vec<String>,
    pub journal: Vec<JournalLine>,
    /// The state above under a name, without `outside` and the journal.
    pub snapshots: BTreeMap<&'static str, WorldModel>,
}

/// The seconds between attempts, and the number of retries.
const BACKOFF: i64 = 60;
const RETRIES: u32 = 3;

impl WorldModel {
    /// Returns the outcome of a request of this operation, and counts it.
    pub(super) fn request_fate(&mut self, operation: &'static str) -> RequestFate {
        if self.limit.as_mut().is_some_and(|limit| !limit.take_token(operation, self.now)) {
            return RequestFate::Limited;
        }
        match self.rule.as_mut().filter(|rule| rule.operation == operation && rule.left > 0) {
            Some(rule) => {
                rule.left -= 1;
                RequestFate::Harmed(rule.harm, rule.is_after)
            }
            None => RequestFate::Through,
        }
    }

    fn job_due(&self, job: &ModelJob) -> Option<i64> {
        match self.progress {
            JobProgress::Immediate => Some(job.queued_at),
            JobProgress::Manual => None,
            JobProgress::After(seconds) => Some(job.queued_at + seconds),
        }
    }

    fn is_due(&self, at: Option<i64>) -> bool {
        at.is_some_and(|at| at <= self.now)
    }

    /// Performs everything that is due now, with its consequences.
    pub(super) fn run_due_work(&mut self) {
        while let Some(at) = self.account.jobs.iter().position(|job| self.is_due(self.job_due(job))) {
            let job = self.account.jobs.remove(at);
            let (_, numbers) = self.account.lists.get_mut(&job.list).expect("lists with work stay");
            numbers.extend(job.numbers);
            self.account.callbacks += 1;
            let due = (!self.leaving.hold).then_some(self.now + self.leaving.delay);
            let number = self.account.callbacks;
            self.account.owed.push(OwedCallback { number, callback: job.callback, due, tries: 0 });
        }
        loop {
            let due = self.account.owed.iter().enumerate().filter(|(_, owed)| self.is_due(owed.due));
            let Some((at, _)) = due.min_by_key(|(_, owed)| (owed.due, owed.number)) else { return };
            let mut owed = self.account.owed.remove(at);
            owed.tries += 1;
            let correlation_id = owed.callback.correlation_id.clone();
            let status = if owed.callback.inside { self.script.pop_front().unwrap_or(200) } else { 200 };
            if owed.callback.inside { &mut self.inbox } else { &mut self.outside }.push(correlation_id);
            match status {
                200 => self.account.delivered += 1,
                _ if owed.tries > RETRIES => self.account.given_up += 1,
                _ => {
                    owed.due = Some(self.now + BACKOFF);
                    self.account.owed.push(owed);
                }
            }
        }
    }

    pub(super) fn advance_clock(&mut self, seconds: i64) {
        let to = self.now + seconds;
        loop {
            self.run_due_work();
            let jobs = self.account.jobs.iter().filter_map(|job| self.job_due(job));
            let next = jobs.chain(self.account.owed.iter().filter_map(|owed| owed.due)).min();
            let at = next.filter(|next| *next <= to).unwrap_or(to);
            if at == self.now {
                return;
            }
            self.now = at;
        }
    }

    pub(super) fn release_all(&mut self) {
        let now = self.now;
        self.account.owed.iter_mut().filter(|owed| owed.due.is_none()).for_each(|owed| owed.due = Some(now));
    }

    pub(super) fn take_snapshot(&mut self, name: &'static str) {
        let kept = Self { outside: Vec::new(), journal: Vec::new(), snapshots: BTreeMap::new(), ..self.clone() };
        self.snapshots.insert(name, kept);
    }

    /// Ends the state that belongs to an epoch.
    fn end_epoch(&mut self, keeps_faults: bool, keeps_journal: bool) {
        if !keeps_faults {
            (self.rule, self.progress, self.leaving) = Default::default();
        }
        if !keeps_journal {
            self.journal.clear();
        }
        self.script.clear();
        self.inbox.clear();
    }

    pub(super) fn reset(&mut self, keep: &str) {
        let keeps = |what: &str| keep.split(',').any(|kept| kept == what);
        self.end_epoch(keeps("faults"), keeps("journal"));
        self.account = self.seed.clone();
        if !keeps("limits") {
            self.limit = None;
        }
        if !keeps("clock") {
            self.now = self.begin;
        }
    }

    pub(super) fn restore(&mut self, name: &str) {
        let (seed, begin, outside) = (self.seed.clone(), self.begin, std::mem::take(&mut self.outside));
        let snapshots = std::mem::take(&mut self.snapshots);
        let kept = snapshots[name].clone();
        *self = Self { seed, begin, outside, snapshots, ..kept };
    }

    /// Creates the world again under the same name.
    pub(super) fn start_again(&mut self, seed: ModelAccount) {
        let outside = std::mem::take(&mut self.outside);
        *self = Self { account: seed.clone(), seed, begin: self.begin, now: self.begin, outside, ..Self::default() };
    }
}
