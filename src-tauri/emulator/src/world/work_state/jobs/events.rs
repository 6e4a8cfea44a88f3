//! The events of each job with their times by the world's clock: bounded, and only of the current epoch.

use std::{
    collections::BTreeMap,
    sync::{Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard},
};

use roost_model::time::Timestamp;
use serde::{Deserialize, Serialize};

/// The most events of one job. Beyond that, consecutive parts are merged into one event.
const EVENTS_PER_JOB_MAX: usize = 64;
/// The most events of all jobs. Beyond that, those of the oldest job are dropped.
const EVENTS_MAX: usize = 20_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum JobEventKind {
    /// Some or all of its contacts were done.
    Part,
    /// Its callback was owed before its data was stored.
    Announced,
    Paused,
    Resumed,
    /// The operator let the remaining contacts fail.
    Failed,
    /// The operator dropped the remaining contacts.
    Dropped,
    /// The job could not be run, so the remaining contacts failed.
    GivenUp,
}

roost_model::variant_names! {
    pub(crate) JobEventKind {
        Part = "part", Announced = "announced", Paused = "paused", Resumed = "resumed", Failed = "failed",
        Dropped = "dropped", GivenUp = "given_up",
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct JobEvent {
    pub at: Timestamp,
    /// The time of the last part that was merged into this event.
    pub until: Timestamp,
    pub what: JobEventKind,
    /// The number of parts merged into this event.
    pub parts: u32,
    /// The index of the event's first contact in the request.
    pub from: u32,
    pub contacts: u32,
}

impl JobEvent {
    pub(crate) fn covers(&self, place: u32) -> bool {
        place.checked_sub(self.from).is_some_and(|offset| offset < self.contacts)
    }
}

#[derive(Default)]
pub(crate) struct JobEvents {
    known: Mutex<JobEventLog>,
    /// Held while a part runs, until its event is recorded.
    gate: RwLock<()>,
}

#[derive(Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct JobEventLog {
    /// Belongs to the running server, so it is not stored.
    #[serde(skip)]
    epoch: u64,
    jobs: BTreeMap<i64, Vec<JobEvent>>,
    total: usize,
}

impl JobEvents {
    fn lock_log(&self) -> MutexGuard<'_, JobEventLog> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns a guard to hold from before a part runs until its event is recorded.
    pub(crate) fn begin_work(&self) -> RwLockReadGuard<'_, ()> {
        self.gate.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until the event of every visible part is recorded and the next due time is known.
    pub(crate) fn wait_for_work(&self) {
        drop(self.block_work());
    }

    /// Returns a guard while which no part runs.
    pub(crate) fn block_work(&self) -> RwLockWriteGuard<'_, ()> {
        self.gate.write().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn save(&self) -> JobEventLog {
        self.lock_log().clone()
    }

    pub(crate) fn load(&self, moments: JobEventLog, epoch: u64) {
        *self.lock_log() = JobEventLog { epoch, ..moments };
    }

    /// Records an event that did not process a contact.
    pub(crate) fn record_event(&self, epoch: u64, job: i64, what: JobEventKind, at: Timestamp) {
        self.lock_log().change_events(epoch, job, |moments| {
            let from = contacts_done(moments);
            moments.push(JobEvent { at, until: at, what, parts: 1, from, contacts: 0 });
        });
    }

    /// Records that a job, done up to `first` before, is done up to `done`. If two callers run parts at once, both may
    /// record both parts; each contact counts once.
    pub(crate) fn record_run(
        &self,
        epoch: u64,
        job: i64,
        what: JobEventKind,
        at: Timestamp,
        (first, done): (u32, u32),
    ) {
        self.lock_log().change_events(epoch, job, |moments| {
            let from = contacts_done(moments).max(first);
            if done > from {
                moments.push(JobEvent { at, until: at, what, parts: 1, from, contacts: done - from });
            }
        });
    }

    /// Returns the events of a job, oldest first, including every part that was visible before the call.
    pub(crate) fn events_of(&self, epoch: u64, job: i64) -> Vec<JobEvent> {
        self.wait_for_work();
        let known = self.lock_log();
        known.jobs.get(&job).filter(|_| known.epoch == epoch).cloned().unwrap_or_default()
    }
}

impl JobEventLog {
    /// Checks a stored state, and recomputes the total, which it need not contain correctly.
    pub(crate) fn check_and_recount(&mut self) -> Result<(), String> {
        // Merging removes excess events one after the other, which would take very long for many.
        if let Some((job, _)) = self.jobs.iter().find(|(_, events)| events.len() > EVENTS_PER_JOB_MAX) {
            return Err(format!("job {job} has more than {EVENTS_PER_JOB_MAX} events"));
        }
        self.total = self.jobs.values().map(Vec::len).sum();
        Ok(())
    }

    /// Changes the events of a job. Ignores an epoch that has ended, because its numbers are reused.
    fn change_events(&mut self, epoch: u64, job: i64, change: impl FnOnce(&mut Vec<JobEvent>)) {
        if epoch < self.epoch {
            return;
        }
        if epoch > self.epoch {
            *self = Self { epoch, ..Self::default() };
        }
        let moments = self.jobs.entry(job).or_default();
        let before = moments.len();
        change(moments);
        merge_parts(moments);
        self.total = self.total + moments.len() - before;
        if moments.is_empty() {
            self.jobs.remove(&job);
        }
        while self.total > EVENTS_MAX
            && let Some((_, oldest)) = self.jobs.pop_first()
        {
            self.total -= oldest.len();
        }
    }
}

fn contacts_done(moments: &[JobEvent]) -> u32 {
    moments.iter().map(|moment| moment.from.saturating_add(moment.contacts)).max().unwrap_or(0)
}

/// Merges pairs of consecutive parts until there is room. If that is not enough, drops events of pausing.
fn merge_parts(moments: &mut Vec<JobEvent>) {
    while moments.len() > EVENTS_PER_JOB_MAX {
        let before = moments.len();
        let mut merged: Vec<JobEvent> = Vec::with_capacity(before);
        let mut is_open = false;
        for moment in moments.drain(..) {
            match merged.last_mut() {
                Some(last) if is_open && last.what == JobEventKind::Part && moment.what == JobEventKind::Part => {
                    last.until = moment.until;
                    last.parts = last.parts.saturating_add(moment.parts);
                    last.contacts = last.contacts.saturating_add(moment.contacts);
                    is_open = false;
                }
                _ => {
                    merged.push(moment);
                    is_open = true;
                }
            }
        }
        if merged.len() == before {
            let passing =
                merged.iter().position(|moment| matches!(moment.what, JobEventKind::Paused | JobEventKind::Resumed));
            merged.remove(passing.unwrap_or(0));
        }
        *moments = merged;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const AT: fn(i64) -> Timestamp = Timestamp::from_unix;

    #[test]
    fn each_contact_counts_once_whichever_event_reports_it() {
        let moments = JobEvents::default();
        moments.record_run(1, 7, JobEventKind::Part, AT(10), (0, 3));
        moments.record_run(1, 7, JobEventKind::Part, AT(10), (0, 5));
        moments.record_run(1, 7, JobEventKind::Part, AT(11), (3, 5));
        moments.record_run(1, 7, JobEventKind::Failed, AT(12), (5, 9));
        let events: Vec<_> = moments.events_of(1, 7).iter().map(|m| (m.what.as_str(), m.from, m.contacts)).collect();
        assert_eq!(events, [("part", 0, 3), ("part", 3, 2), ("failed", 5, 4)]);
        moments.record_run(1, 8, JobEventKind::Part, AT(10), (4, 6));
        assert_eq!(moments.events_of(1, 8)[0].from, 4, "what was done before it is remembered by nobody");
    }

    #[test]
    fn many_parts_are_combined_into_few_events_and_none_is_lost() {
        let moments = JobEvents::default();
        for n in 0..10_000_u32 {
            moments.record_run(1, 7, JobEventKind::Part, AT(i64::from(n)), (n, n + 1));
        }
        let events = moments.events_of(1, 7);
        assert!(events.len() <= EVENTS_PER_JOB_MAX, "{}", events.len());
        assert_eq!(
            events.iter().map(|m| (m.parts, m.contacts)).fold((0, 0), |a, b| (a.0 + b.0, a.1 + b.1)),
            (10_000, 10_000)
        );
        assert!(events.windows(2).all(|pair| pair[0].until < pair[1].at && pair[0].from < pair[1].from));
        assert!(events.iter().any(|m| m.covers(9_999)) && !events.iter().any(|m| m.covers(10_000)));
        for n in 0..200 {
            moments.record_event(
                1,
                7,
                if n % 2 == 0 { JobEventKind::Paused } else { JobEventKind::Resumed },
                AT(20_000),
            );
        }
        assert!(moments.events_of(1, 7).len() <= EVENTS_PER_JOB_MAX);
        assert_eq!(moments.events_of(1, 7).iter().map(|m| m.contacts).sum::<u32>(), 10_000);
    }

    #[test]
    fn an_earlier_epoch_and_the_oldest_jobs_lose_their_events() {
        let moments = JobEvents::default();
        moments.record_run(2, 1, JobEventKind::Part, AT(1), (0, 1));
        moments.record_run(1, 1, JobEventKind::Part, AT(1), (1, 2));
        assert_eq!((moments.events_of(2, 1).len(), moments.events_of(1, 1).len()), (1, 0), "late work of an old epoch");
        for job in 1..=EVENTS_MAX as i64 + 5 {
            moments.record_run(3, job, JobEventKind::Part, AT(1), (0, 1));
        }
        assert_eq!([1, 5, 6].map(|job| moments.events_of(3, job).len()), [0, 0, 1]);
    }

    #[test]
    fn a_stored_job_with_more_events_than_are_recorded_is_refused() {
        let event = JobEvent { at: AT(1), until: AT(1), what: JobEventKind::Paused, parts: 1, from: 0, contacts: 0 };
        let mut log = JobEventLog { epoch: 0, jobs: BTreeMap::new(), total: 7 };
        log.jobs.insert(1, vec![event; EVENTS_PER_JOB_MAX]);
        assert_eq!((log.check_and_recount(), log.total), (Ok(()), EVENTS_PER_JOB_MAX));
        log.jobs.insert(2, vec![event; EVENTS_PER_JOB_MAX + 1]);
        assert_eq!(log.check_and_recount(), Err("job 2 has more than 64 events".to_owned()));
    }

    #[test]
    fn counts_of_a_stored_event_do_not_overflow() {
        let moments = JobEvents::default();
        let whole =
            JobEvent { at: AT(1), until: AT(1), what: JobEventKind::Part, parts: 1, from: 1, contacts: u32::MAX };
        let jobs = BTreeMap::from([(7, vec![JobEvent { parts: u32::MAX, ..whole }; EVENTS_PER_JOB_MAX])]);
        moments.load(JobEventLog { epoch: 0, jobs, total: EVENTS_PER_JOB_MAX }, 1);
        moments.record_event(1, 7, JobEventKind::Part, AT(2));
        assert_eq!(moments.events_of(1, 7)[0].contacts, u32::MAX);
    }
}
