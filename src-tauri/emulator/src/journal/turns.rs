//! The order of cause: what an act set going is written down after it, also where it ends sooner.

use std::{
    collections::BTreeSet,
    sync::{Mutex, MutexGuard, PoisonError},
};

use super::{Exchange, Journal};

/// When something began: the epoch, and its number there.
type Place = (u64, u64);

#[derive(Default)]
pub struct Turns(Mutex<Kept>);

#[derive(Default)]
struct Kept {
    under_way: BTreeSet<Place>,
    /// Lines that wait, in the order they ended.
    waiting: Vec<Exchange>,
}

impl Kept {
    fn is_turn_of(&self, line: &Exchange) -> bool {
        self.under_way.first().is_none_or(|first| *first > (line.epoch, line.number))
    }
}

impl Turns {
    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// An act that may set work going, until it is dropped: with its line, or without one.
pub struct UnderWay {
    journal: Journal,
    place: Place,
}

impl UnderWay {
    pub fn begin(journal: &Journal, epoch: u64, number: u64) -> Self {
        let place = (epoch, number);
        journal.inner.turns.kept().under_way.insert(place);
        Self { journal: journal.clone(), place }
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        let mut kept = self.journal.inner.turns.kept();
        kept.under_way.remove(&self.place);
        for line in std::mem::take(&mut kept.waiting) {
            if kept.is_turn_of(&line) {
                self.journal.put(line);
            } else {
                kept.waiting.push(line);
            }
        }
    }
}

impl Journal {
    /// Writes the line of something that an act may have set going: now, or once no act that began before it is under
    /// way. Nobody waits meanwhile but the line.
    pub(super) fn put_in_turn(&self, line: Exchange) {
        // Held while it is written, so that lines which need not wait do not pass those that just waited.
        let mut kept = self.inner.turns.kept();
        if kept.is_turn_of(&line) {
            self.put(line);
        } else {
            kept.waiting.push(line);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_follows_is_written_after_every_act_that_began_before_it() {
        let journal = Journal::recording();
        let line = |number| Exchange { number, ..Exchange::default() };
        let written = || journal.since(None).lines.iter().map(|line| line.number).collect::<Vec<_>>();
        let (first, second, later) =
            (UnderWay::begin(&journal, 0, 1), UnderWay::begin(&journal, 0, 3), UnderWay::begin(&journal, 0, 9));
        for number in [5, 4, 2] {
            journal.put_in_turn(line(number));
        }
        journal.put(line(3));
        drop(second);
        assert_eq!(written(), [3], "the first is under way");
        journal.put(line(1));
        drop(first);
        assert_eq!(written(), [3, 1, 5, 4, 2], "in the order they ended; what began later holds nobody up");
        journal.put_in_turn(line(10));
        journal.put_in_turn(line(8));
        drop(later);
        assert_eq!(written(), [3, 1, 5, 4, 2, 8, 10], "also when the act has no line");
    }

    #[test]
    fn a_new_epoch_takes_no_line_that_waited() {
        let journal = Journal::recording();
        let old = UnderWay::begin(&journal, 0, 1);
        journal.put_in_turn(Exchange { number: 2, ..Exchange::default() });
        journal.restart(1);
        let new = UnderWay::begin(&journal, 1, 1);
        drop(old);
        assert_eq!(journal.standing().last, 0);
        journal.put_in_turn(Exchange { number: 2, epoch: 1, ..Exchange::default() });
        assert_eq!(journal.standing().last, 0, "the end of the old one is not that of the new");
        drop(new);
        assert_eq!(journal.standing().last, 1);
    }
}
