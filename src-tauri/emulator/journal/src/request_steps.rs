//! Links each request in the journal to the undo steps that it caused.

use std::{
    collections::BTreeMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

/// The most requests that are remembered; the oldest is dropped.
const REQUESTS_MAX: usize = 10_000;

#[derive(Default)]
pub(super) struct RequestSteps(Mutex<BTreeMap<u64, Vec<i64>>>);

impl RequestSteps {
    /// Returns the last of the steps that follow `step` without a gap and were caused by a request.
    pub(super) fn last_in_row(&self, number: u64, step: i64) -> i64 {
        let causes = self.lock();
        let steps = causes.get(&number).map(Vec::as_slice).unwrap_or_default();
        let mut last = step;
        while steps.contains(&(last + 1)) {
            last += 1;
        }
        last
    }
}

impl RequestSteps {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<u64, Vec<i64>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn add_step(&self, number: u64, step: i64) {
        let mut causes = self.lock();
        causes.entry(number).or_default().push(step);
        if causes.len() > REQUESTS_MAX {
            causes.pop_first();
        }
    }

    pub(super) fn steps_of(&self, number: u64) -> Vec<i64> {
        self.lock().get(&number).cloned().unwrap_or_default()
    }

    pub(super) fn request_of(&self, step: i64) -> Option<u64> {
        self.lock().iter().find_map(|(number, steps)| steps.contains(&step).then_some(*number))
    }

    pub(super) fn clear(&self) {
        self.lock().clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_found_by_their_request_and_back_until_newer_ones_take_their_place() {
        let causes = RequestSteps::default();
        for number in 0..=REQUESTS_MAX as u64 {
            causes.add_step(number, number as i64 + 1);
        }
        causes.add_step(7, 1_000_000);
        assert_eq!((causes.steps_of(0), causes.steps_of(7)), (vec![], vec![8, 1_000_000]));
        assert_eq!((causes.request_of(1_000_000), causes.request_of(1)), (Some(7), None));
        causes.clear();
        assert_eq!(causes.request_of(8), None);
        for step in [3, 4, 6] {
            causes.add_step(9, step);
        }
        assert_eq!([2, 3, 4, 5].map(|step| causes.last_in_row(9, step)), [4, 4, 4, 6]);
        assert_eq!(causes.last_in_row(10, 2), 2);
    }
}
