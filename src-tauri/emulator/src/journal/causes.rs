//! Links each request in the journal to the undo steps that it caused.

use std::{
    collections::BTreeMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

/// The most requests that are remembered; the oldest is dropped.
const MOST: usize = 10_000;

#[derive(Default)]
pub struct Causes(Mutex<BTreeMap<u64, Vec<i64>>>);

impl Causes {
    fn hold(&self) -> MutexGuard<'_, BTreeMap<u64, Vec<i64>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn note(&self, number: u64, step: i64) {
        let mut causes = self.hold();
        causes.entry(number).or_default().push(step);
        if causes.len() > MOST {
            causes.pop_first();
        }
    }

    pub fn of(&self, number: u64) -> Vec<i64> {
        self.hold().get(&number).cloned().unwrap_or_default()
    }

    pub fn cause_of(&self, step: i64) -> Option<u64> {
        self.hold().iter().find_map(|(number, steps)| steps.contains(&step).then_some(*number))
    }

    pub fn clear(&self) {
        self.hold().clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_found_by_their_request_and_back_until_newer_ones_take_their_place() {
        let causes = Causes::default();
        for number in 0..=MOST as u64 {
            causes.note(number, number as i64 + 1);
        }
        causes.note(7, 1_000_000);
        assert_eq!((causes.of(0), causes.of(7)), (vec![], vec![8, 1_000_000]));
        assert_eq!((causes.cause_of(1_000_000), causes.cause_of(1)), (Some(7), None));
        causes.clear();
        assert_eq!(causes.cause_of(8), None);
    }
}
