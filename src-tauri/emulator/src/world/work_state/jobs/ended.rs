//! The jobs that ended last. Whoever read the queue before a job ended may look at the job afterwards. It must not be
//! tracked again then: it would use up a fault of the policy, and it would never be forgotten.

use std::collections::{HashSet, VecDeque};

/// The most jobs that are remembered; the one that ended first is dropped.
const ENDED_MAX: usize = 10_000;

#[derive(Clone, Default)]
pub(super) struct EndedJobs {
    ids: HashSet<i64>,
    /// Their IDs in the order in which they ended.
    order: VecDeque<i64>,
}

impl EndedJobs {
    pub(super) fn contains(&self, id: i64) -> bool {
        self.ids.contains(&id)
    }

    pub(super) fn insert(&mut self, id: i64) {
        if self.ids.insert(id) {
            self.order.push_back(id);
        }
        if self.order.len() > ENDED_MAX
            && let Some(first) = self.order.pop_front()
        {
            self.ids.remove(&first);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_job_that_ended_first_is_dropped_first() {
        let mut ended = EndedJobs::default();
        // An old job can end late.
        for id in (2..=ENDED_MAX as i64 + 1).chain([1, 1]) {
            ended.insert(id);
        }
        assert!(ended.contains(1) && !ended.contains(2) && ended.contains(3));
        assert_eq!((ended.ids.len(), ended.order.len()), (ENDED_MAX, ENDED_MAX));
    }
}
