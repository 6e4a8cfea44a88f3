//! Orders the lines of the journal by cause: work that a request caused is written after the request, even if it ends
//! sooner.

use std::{
    collections::{BTreeSet, VecDeque},
    sync::{Mutex, MutexGuard, PoisonError},
};

use super::{Exchange, Journal};

/// When something began: the epoch, and its number in the epoch.
type Place = (u64, u64);

#[derive(Default)]
pub struct Turns(Mutex<Kept>);

#[derive(Default)]
struct Kept {
    under_way: BTreeSet<Place>,
    /// Waiting lines, in the order they ended.
    waiting: VecDeque<Exchange>,
}

/// The most lines that wait. Beyond that, the oldest is written out of order.
const WAITING_MOST: usize = 1_000;

impl Kept {
    fn is_turn_of(&self, line: &Exchange) -> bool {
        self.under_way.range((line.epoch, 0)..(line.epoch, line.number)).next().is_none()
    }
}

impl Turns {
    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether no line waits.
    pub fn are_done(&self) -> bool {
        self.kept().waiting.is_empty()
    }

    /// Discards everything that belongs to an epoch before this one.
    pub fn restart(&self, epoch: u64) {
        let mut kept = self.kept();
        kept.under_way.retain(|(began, _)| *began >= epoch);
        kept.waiting.retain(|line| line.epoch >= epoch);
    }
}

/// An act that may cause work, until it is dropped. It may end without a line of its own.
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
                kept.waiting.push_back(line);
            }
        }
    }
}

impl Journal {
    /// Writes the line of work that an act may have caused, once no act that began before it is under way. Only the
    /// line waits.
    pub(super) fn put_in_turn(&self, line: Exchange) {
        // The lock is held during the write, so that a line that need not wait cannot overtake lines that just waited.
        let mut kept = self.inner.turns.kept();
        if kept.is_turn_of(&line) {
            return self.put(line);
        }
        kept.waiting.push_back(line);
        if kept.waiting.len() > WAITING_MOST
            && let Some(oldest) = kept.waiting.pop_front()
        {
            self.put(oldest);
        }
    }

    /// Waits until no line waits for its turn.
    pub(crate) async fn turns_are_done(&self) {
        let mut news = self.watch();
        while !self.inner.turns.are_done() && news.changed().await.is_ok() {}
    }
}

#[cfg(test)]
mod tests {
    use super::{super::JournalLimits, *};

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

    #[test]
    fn so_many_lines_wait_and_no_more() {
        let journal = Journal::recording();
        journal.limit(JournalLimits { lines: 10, bytes: usize::MAX });
        let act = UnderWay::begin(&journal, 0, 1);
        for number in 2..WAITING_MOST as u64 + 4 {
            journal.put_in_turn(Exchange { number, ..Exchange::default() });
        }
        assert_eq!(journal.since(Some(0)).lines.iter().map(|line| line.number).collect::<Vec<_>>(), [2, 3]);
        drop(act);
        assert_eq!(journal.standing().last, WAITING_MOST as u64 + 2);
    }

    #[tokio::test]
    async fn who_waits_for_the_turns_goes_on_with_the_last_of_them() {
        let journal = Journal::recording();
        journal.turns_are_done().await;
        let act = UnderWay::begin(&journal, 0, 1);
        for number in [2, 3] {
            journal.put_in_turn(Exchange { number, ..Exchange::default() });
        }
        let waits = tokio::spawn({
            let journal = journal.clone();
            async move {
                journal.turns_are_done().await;
                journal.standing().last
            }
        });
        tokio::task::yield_now().await;
        drop(act);
        assert_eq!(waits.await.unwrap(), 2);
    }
}
