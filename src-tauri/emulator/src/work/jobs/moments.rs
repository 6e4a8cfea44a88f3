//! The events of each job with their times by the world's clock: bounded, and only of the current epoch.

use std::{
    collections::BTreeMap,
    sync::{Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard},
};

use roost_model::time::Timestamp;
use serde::{Deserialize, Serialize};

/// The most events of one job. Beyond that, consecutive parts are merged into one event.
const MOST_OF_A_JOB: usize = 64;
/// The most events of all jobs. Beyond that, those of the oldest job are dropped.
const MOST: usize = 20_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum What {
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

impl What {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Part => "part",
            Self::Announced => "announced",
            Self::Paused => "paused",
            Self::Resumed => "resumed",
            Self::Failed => "failed",
            Self::Dropped => "dropped",
            Self::GivenUp => "given_up",
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Moment {
    pub at: Timestamp,
    /// The time of the last part that was merged into this event.
    pub until: Timestamp,
    pub what: What,
    /// The number of parts merged into this event.
    pub parts: u32,
    /// The index of the event's first contact in the request.
    pub from: u32,
    pub contacts: u32,
}

impl Moment {
    pub fn has(&self, place: u32) -> bool {
        place.checked_sub(self.from).is_some_and(|behind| behind < self.contacts)
    }
}

#[derive(Default)]
pub struct Moments {
    known: Mutex<KnownMoments>,
    /// Held while a part runs, until its event is recorded.
    gate: RwLock<()>,
}

#[derive(Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KnownMoments {
    /// Belongs to the running server, so it is not stored.
    #[serde(skip)]
    epoch: u64,
    jobs: BTreeMap<i64, Vec<Moment>>,
    total: usize,
}

impl Moments {
    fn known(&self) -> MutexGuard<'_, KnownMoments> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns a guard to hold from before a part runs until its event is recorded.
    pub fn at_work(&self) -> RwLockReadGuard<'_, ()> {
        self.gate.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until the event of every visible part is recorded and the next due time is known.
    pub fn settle(&self) {
        drop(self.rest());
    }

    /// Returns a guard while which no part runs.
    pub fn rest(&self) -> RwLockWriteGuard<'_, ()> {
        self.gate.write().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn save(&self) -> KnownMoments {
        self.known().clone()
    }

    pub fn load(&self, moments: KnownMoments, epoch: u64) {
        *self.known() = KnownMoments { epoch, ..moments };
    }

    /// Records an event that did not process a contact.
    pub fn note(&self, epoch: u64, job: i64, what: What, at: Timestamp) {
        self.known().change(epoch, job, |moments| {
            let from = covered(moments);
            moments.push(Moment { at, until: at, what, parts: 1, from, contacts: 0 });
        });
    }

    /// Records that a job, done up to `first` before, is done up to `done`. If two callers run parts at once, both may
    /// record both parts; each contact counts once.
    pub fn ran(&self, epoch: u64, job: i64, what: What, at: Timestamp, (first, done): (u32, u32)) {
        self.known().change(epoch, job, |moments| {
            let from = covered(moments).max(first);
            if done > from {
                moments.push(Moment { at, until: at, what, parts: 1, from, contacts: done - from });
            }
        });
    }

    /// Returns the events of a job, oldest first, including every part that was visible before the call.
    pub fn of(&self, epoch: u64, job: i64) -> Vec<Moment> {
        self.settle();
        let known = self.known();
        known.jobs.get(&job).filter(|_| known.epoch == epoch).cloned().unwrap_or_default()
    }
}

impl KnownMoments {
    /// Recomputes the total, which a stored state need not contain correctly.
    pub fn count(&mut self) {
        self.total = self.jobs.values().map(Vec::len).sum();
    }

    /// Changes the events of a job. Ignores an epoch that has ended, because its numbers are reused.
    fn change(&mut self, epoch: u64, job: i64, change: impl FnOnce(&mut Vec<Moment>)) {
        if epoch < self.epoch {
            return;
        }
        if epoch > self.epoch {
            *self = Self { epoch, ..Self::default() };
        }
        let moments = self.jobs.entry(job).or_default();
        let before = moments.len();
        change(moments);
        fold(moments);
        self.total = self.total + moments.len() - before;
        if moments.is_empty() {
            self.jobs.remove(&job);
        }
        while self.total > MOST
            && let Some((_, oldest)) = self.jobs.pop_first()
        {
            self.total -= oldest.len();
        }
    }
}

fn covered(moments: &[Moment]) -> u32 {
    moments.iter().map(|moment| moment.from + moment.contacts).max().unwrap_or(0)
}

/// Merges pairs of consecutive parts until there is room. If that is not enough, drops events of pausing.
fn fold(moments: &mut Vec<Moment>) {
    while moments.len() > MOST_OF_A_JOB {
        let before = moments.len();
        let mut kept: Vec<Moment> = Vec::with_capacity(before);
        let mut is_open = false;
        for moment in moments.drain(..) {
            match kept.last_mut() {
                Some(last) if is_open && last.what == What::Part && moment.what == What::Part => {
                    last.until = moment.until;
                    last.parts += moment.parts;
                    last.contacts += moment.contacts;
                    is_open = false;
                }
                _ => {
                    kept.push(moment);
                    is_open = true;
                }
            }
        }
        if kept.len() == before {
            let passing = kept.iter().position(|moment| matches!(moment.what, What::Paused | What::Resumed));
            kept.remove(passing.unwrap_or(0));
        }
        *moments = kept;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const AT: fn(i64) -> Timestamp = Timestamp::from_unix;

    #[test]
    fn each_contact_counts_once_whoever_tells_of_it() {
        let moments = Moments::default();
        moments.ran(1, 7, What::Part, AT(10), (0, 3));
        moments.ran(1, 7, What::Part, AT(10), (0, 5));
        moments.ran(1, 7, What::Part, AT(11), (3, 5));
        moments.ran(1, 7, What::Failed, AT(12), (5, 9));
        let told: Vec<_> = moments.of(1, 7).iter().map(|m| (m.what.as_str(), m.from, m.contacts)).collect();
        assert_eq!(told, [("part", 0, 3), ("part", 3, 2), ("failed", 5, 4)]);
        moments.ran(1, 8, What::Part, AT(10), (4, 6));
        assert_eq!(moments.of(1, 8)[0].from, 4, "what was done before it is remembered by nobody");
    }

    #[test]
    fn many_parts_are_told_as_few_and_none_is_lost() {
        let moments = Moments::default();
        for n in 0..10_000_u32 {
            moments.ran(1, 7, What::Part, AT(i64::from(n)), (n, n + 1));
        }
        let told = moments.of(1, 7);
        assert!(told.len() <= MOST_OF_A_JOB, "{}", told.len());
        assert_eq!(
            told.iter().map(|m| (m.parts, m.contacts)).fold((0, 0), |a, b| (a.0 + b.0, a.1 + b.1)),
            (10_000, 10_000)
        );
        assert!(told.windows(2).all(|pair| pair[0].until < pair[1].at && pair[0].from < pair[1].from));
        assert!(told.iter().any(|m| m.has(9_999)) && !told.iter().any(|m| m.has(10_000)));
        for n in 0..200 {
            moments.note(1, 7, if n % 2 == 0 { What::Paused } else { What::Resumed }, AT(20_000));
        }
        assert!(moments.of(1, 7).len() <= MOST_OF_A_JOB);
        assert_eq!(moments.of(1, 7).iter().map(|m| m.contacts).sum::<u32>(), 10_000);
    }

    #[test]
    fn an_epoch_and_the_oldest_jobs_give_way() {
        let moments = Moments::default();
        moments.ran(2, 1, What::Part, AT(1), (0, 1));
        moments.ran(1, 1, What::Part, AT(1), (1, 2));
        assert_eq!((moments.of(2, 1).len(), moments.of(1, 1).len()), (1, 0), "late work of an old epoch");
        for job in 1..=MOST as i64 + 5 {
            moments.ran(3, job, What::Part, AT(1), (0, 1));
        }
        assert_eq!([1, 5, 6].map(|job| moments.of(3, job).len()), [0, 0, 1]);
    }
}
