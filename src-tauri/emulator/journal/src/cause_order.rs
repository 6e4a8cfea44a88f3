//! Orders the lines of the journal by cause: work that a request caused is written after the request, even if it ends
//! sooner.

use std::{
    collections::{BTreeSet, VecDeque},
    sync::{Mutex, MutexGuard, PoisonError},
};

use super::{Exchange, Journal};

/// When something began: the epoch, and its number in the epoch.
type StartPosition = (u64, u64);

#[derive(Default)]
pub(crate) struct CauseOrder(Mutex<CauseOrderState>);

#[derive(Default)]
struct CauseOrderState {
    under_way: BTreeSet<StartPosition>,
    /// Waiting lines, in the order they ended.
    waiting: VecDeque<Exchange>,
}

/// The most lines that wait. Beyond that, the oldest is written out of order.
const WAITING_MAX: usize = 1_000;

impl CauseOrderState {
    fn can_write(&self, line: &Exchange) -> bool {
        self.under_way.range((line.epoch, 0)..(line.epoch, line.number)).next().is_none()
    }
}

impl CauseOrder {
    fn lock_state(&self) -> MutexGuard<'_, CauseOrderState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether no line waits.
    pub(crate) fn has_no_waiting(&self) -> bool {
        self.lock_state().waiting.is_empty()
    }

    /// Discards everything that belongs to an epoch before this one.
    pub(crate) fn restart(&self, epoch: u64) {
        let mut state = self.lock_state();
        state.under_way.retain(|(began, _)| *began >= epoch);
        state.waiting.retain(|line| line.epoch >= epoch);
    }
}

/// An act that may cause work, until it is dropped. It may end without a line of its own.
pub struct OngoingAct {
    journal: Journal,
    place: StartPosition,
}

impl OngoingAct {
    pub fn begin(journal: &Journal, epoch: u64, number: u64) -> Self {
        let place = (epoch, number);
        journal.inner.cause_order.lock_state().under_way.insert(place);
        Self { journal: journal.clone(), place }
    }
}

impl Drop for OngoingAct {
    fn drop(&mut self) {
        let mut state = self.journal.inner.cause_order.lock_state();
        state.under_way.remove(&self.place);
        for line in std::mem::take(&mut state.waiting) {
            if state.can_write(&line) {
                self.journal.push_line(line);
            } else {
                state.waiting.push_back(line);
            }
        }
    }
}

impl Journal {
    /// Writes the line of work that an act may have caused, once no act that began before it is under way. Only the
    /// line waits.
    pub fn push_line_in_order(&self, line: Exchange) {
        // The lock is held during the write, so that a line that need not wait cannot overtake lines that just waited.
        let mut state = self.inner.cause_order.lock_state();
        if state.can_write(&line) {
            return self.push_line(line);
        }
        state.waiting.push_back(line);
        if state.waiting.len() > WAITING_MAX
            && let Some(oldest) = state.waiting.pop_front()
        {
            self.push_line(oldest);
        }
    }

    /// Waits until no line waits for its turn.
    pub async fn wait_for_order(&self) {
        let mut news = self.watch_position();
        while !self.inner.cause_order.has_no_waiting() && news.changed().await.is_ok() {}
    }
}

#[cfg(test)]
mod tests {
    use super::{super::JournalLimits, *};

    #[test]
    fn what_follows_is_written_after_every_act_that_began_before_it() {
        let journal = Journal::new_recording();
        let line = |number| Exchange { number, ..Exchange::default() };
        let written = || journal.read_since(None).lines.iter().map(|line| line.number).collect::<Vec<_>>();
        let (first, second, later) =
            (OngoingAct::begin(&journal, 0, 1), OngoingAct::begin(&journal, 0, 3), OngoingAct::begin(&journal, 0, 9));
        for number in [5, 4, 2] {
            journal.push_line_in_order(line(number));
        }
        journal.push_line(line(3));
        drop(second);
        assert_eq!(written(), [3], "the first is under way");
        journal.push_line(line(1));
        drop(first);
        assert_eq!(written(), [3, 1, 5, 4, 2], "in the order they ended; what began later holds nobody up");
        journal.push_line_in_order(line(10));
        journal.push_line_in_order(line(8));
        drop(later);
        assert_eq!(written(), [3, 1, 5, 4, 2, 8, 10], "also when the act has no line");
    }

    #[test]
    fn a_new_epoch_takes_no_line_that_waited() {
        let journal = Journal::new_recording();
        let old = OngoingAct::begin(&journal, 0, 1);
        journal.push_line_in_order(Exchange { number: 2, ..Exchange::default() });
        journal.restart(1);
        let new = OngoingAct::begin(&journal, 1, 1);
        drop(old);
        assert_eq!(journal.status().last, 0);
        journal.push_line_in_order(Exchange { number: 2, epoch: 1, ..Exchange::default() });
        assert_eq!(journal.status().last, 0, "the end of the old one is not that of the new");
        drop(new);
        assert_eq!(journal.status().last, 1);
    }

    #[test]
    fn beyond_the_bound_the_oldest_waiting_lines_are_written_out_of_order() {
        let journal = Journal::new_recording();
        journal.set_limits(JournalLimits { lines: 10, bytes: usize::MAX });
        let act = OngoingAct::begin(&journal, 0, 1);
        for number in 2..WAITING_MAX as u64 + 4 {
            journal.push_line_in_order(Exchange { number, ..Exchange::default() });
        }
        assert_eq!(journal.read_since(Some(0)).lines.iter().map(|line| line.number).collect::<Vec<_>>(), [2, 3]);
        drop(act);
        assert_eq!(journal.status().last, WAITING_MAX as u64 + 2);
    }

    #[tokio::test]
    async fn waiting_for_the_order_ends_once_all_waiting_lines_are_written() {
        let journal = Journal::new_recording();
        journal.wait_for_order().await;
        let act = OngoingAct::begin(&journal, 0, 1);
        for number in [2, 3] {
            journal.push_line_in_order(Exchange { number, ..Exchange::default() });
        }
        let waits = tokio::spawn({
            let journal = journal.clone();
            async move {
                journal.wait_for_order().await;
                journal.status().last
            }
        });
        tokio::task::yield_now().await;
        drop(act);
        assert_eq!(waits.await.unwrap(), 2);
    }
}
