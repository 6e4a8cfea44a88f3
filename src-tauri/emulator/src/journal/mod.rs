//! The journal of a world: a bounded ring of requests and responses in memory, off unless somebody turns it on.

mod causes;
mod exchange;
mod mask;
pub mod out;
mod purse;
pub mod query;
mod ring;
mod strays;
mod trace;
mod turns;
mod why;

use std::{
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::Duration,
};

use tokio::sync::{Notify, watch};

use self::{
    causes::Causes,
    purse::Purse,
    ring::Ring,
    strays::{Strays, Told},
    turns::Turns,
};
pub use self::{
    exchange::{Direction, Exchange, Headers, KeptBody, Message, Moment},
    mask::is_secret,
    out::curl,
    query::{Fact, Facts, Field, Matcher, Miss, Unreadable, Verdict, in_world},
    ring::{Gap, JournalLimits},
    strays::{Told as Strayed, is_stray},
    trace::{Sent, Trace},
    why::{Check, RuleFault, Why},
};

/// Called after new lines; returns whether it wants further calls.
type Listener = Box<dyn FnMut() -> bool + Send>;

/// A cheap handle to a journal. The lines live as long as the last handle, so they outlast the server that wrote them.
#[derive(Clone, Default)]
pub struct Journal {
    inner: Arc<Inner>,
}

#[derive(Default)]
struct Inner {
    is_on: AtomicBool,
    /// Calls of the admin interface are recorded as well.
    takes_admin: AtomicBool,
    /// Of the last request or callback that began.
    number: AtomicU64,
    epoch: AtomicU64,
    ring: Mutex<Ring>,
    /// The budget that all journals of the process share.
    purse: Arc<Purse>,
    strays: Arc<Strays>,
    /// Notified by all journals of the process.
    bell: Arc<Notify>,
    /// The epoch and the number of the last line, for waiting readers.
    last: watch::Sender<(u64, u64)>,
    listeners: Arc<Mutex<Vec<Listener>>>,
    causes: Causes,
    turns: Turns,
}

impl Drop for Inner {
    fn drop(&mut self) {
        let ring = self.ring.get_mut().unwrap_or_else(PoisonError::into_inner);
        self.purse.settle(ring.bytes(), 0);
    }
}

/// One page of lines, newest first.
pub struct Found {
    pub lines: Vec<Arc<Exchange>>,
    /// How many lines match, on all pages together.
    pub matching: usize,
    /// Lines dropped for newer ones since the journal was last emptied.
    pub dropped: u64,
}

/// The lines after a position, oldest first, with the status of the journal.
pub struct Since {
    pub lines: Vec<Arc<Exchange>>,
    /// The requested lines that the journal no longer has.
    pub gap: Option<Gap>,
    /// The position after which the lines were requested, even if the reader has already read some of them.
    pub begin: u64,
    pub standing: Standing,
}

/// The position and the contents of the journal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Standing {
    pub epoch: u64,
    /// The number of the newest line; 0 before the first.
    pub last: u64,
    pub lines: usize,
    pub bytes: usize,
    pub dropped: u64,
    pub limits: JournalLimits,
}

/// The least time between two notifications of the listeners.
const TELL_EVERY: Duration = Duration::from_millis(200);

impl Journal {
    /// Creates a journal that records from the start.
    pub fn recording() -> Self {
        let journal = Self::default();
        journal.record(true);
        journal
    }

    pub fn is_on(&self) -> bool {
        self.inner.is_on.load(Ordering::Relaxed)
    }

    /// Starts or stops recording. Recorded lines stay.
    pub fn record(&self, is_on: bool) {
        self.inner.is_on.store(is_on, Ordering::Relaxed);
    }

    pub fn takes_admin(&self) -> bool {
        self.inner.takes_admin.load(Ordering::Relaxed)
    }

    /// Records calls of the admin interface as well, or no longer. Those that lead nowhere are recorded in any case.
    pub fn take_admin(&self, takes_admin: bool) {
        self.inner.takes_admin.store(takes_admin, Ordering::Relaxed);
    }

    /// Returns the newest matching lines before the line `before`.
    pub fn page(&self, before: Option<u64>, most: usize, fits: impl Fn(&Exchange) -> bool) -> Found {
        // The lines are searched outside the lock, so that a reader never delays a request.
        let (all, dropped) = {
            let ring = self.ring();
            (ring.newest_first(), ring.dropped())
        };
        let mut found = Found { lines: Vec::new(), matching: 0, dropped };
        for line in all.into_iter().filter(|line| fits(line)) {
            found.matching += 1;
            if found.lines.len() < most && before.is_none_or(|before| line.id < before) {
                found.lines.push(line);
            }
        }
        found
    }

    pub fn get(&self, id: u64) -> Option<Arc<Exchange>> {
        self.ring().get(id)
    }

    /// Returns the lines after `since`, or without it those since the journal was last emptied.
    pub fn since(&self, since: Option<u64>) -> Since {
        self.look(since, 0, usize::MAX)
    }

    /// Returns the first `most` of the lines after `since`.
    pub fn some_since(&self, since: Option<u64>, most: usize) -> Since {
        self.look(since, 0, most)
    }

    /// Returns the lines after `since` that also come after `seen`, the last line read before.
    pub fn unseen(&self, since: Option<u64>, seen: u64) -> Since {
        self.look(since, seen, usize::MAX)
    }

    fn look(&self, since: Option<u64>, seen: u64, most: usize) -> Since {
        let ring = self.ring();
        let begin = since.unwrap_or_else(|| ring.floor());
        let (lines, gap) = ring.after(begin.max(seen), most);
        Since { lines, gap, begin, standing: standing(&ring) }
    }

    pub fn standing(&self) -> Standing {
        standing(&self.ring())
    }

    /// Returns a watch that changes with new lines and new epochs. Subscribe before reading, so that nothing is
    /// missed.
    pub fn watch(&self) -> watch::Receiver<(u64, u64)> {
        self.inner.last.subscribe()
    }

    /// Changes how much the journal holds.
    pub fn limit(&self, limits: JournalLimits) {
        self.inner.purse.take_up(limits.bytes);
        self.change(|ring| ring.limit(limits));
    }

    /// Returns the unmatched requests of this world and its siblings, counted while they recorded.
    pub fn strays(&self) -> Told {
        self.inner.strays.told().clone()
    }

    /// Returns the undo steps that a request caused, as far as they are remembered.
    pub fn caused(&self, number: u64) -> Vec<i64> {
        self.inner.causes.of(number)
    }

    /// Returns the request that caused a step.
    pub fn cause_of(&self, step: i64) -> Option<u64> {
        self.inner.causes.cause_of(step)
    }

    pub(crate) fn note_cause(&self, number: u64, step: i64) {
        self.inner.causes.note(number, step);
    }

    /// Creates another journal of the same process. All siblings share one budget.
    pub fn sibling(&self) -> Self {
        let mut inner = Inner::default();
        (inner.purse, inner.strays) = (self.inner.purse.clone(), self.inner.strays.clone());
        (inner.bell, inner.listeners) = (self.inner.bell.clone(), self.inner.listeners.clone());
        Self { inner: Arc::new(inner) }
    }

    /// Removes all lines. Numbering continues.
    pub fn clear(&self) {
        self.change(Ring::clear);
        self.inner.bell.notify_one();
    }

    /// Removes the lines before this one.
    pub fn clear_before(&self, id: u64) {
        self.change(|ring| ring.clear_before(id));
        self.inner.bell.notify_one();
    }

    /// Changes the ring and updates the shared budget. If all journals together hold too much, this one drops lines,
    /// because it is the one that was written to.
    fn change<T>(&self, act: impl FnOnce(&mut Ring) -> T) -> T {
        let mut ring = self.ring();
        let before = ring.bytes();
        let done = act(&mut ring);
        let over = self.inner.purse.settle(before, ring.bytes());
        if over > 0 {
            let before = ring.bytes();
            ring.give_way(over);
            self.inner.purse.settle(before, ring.bytes());
        }
        done
    }

    /// Removes all lines and numbers from 1 again. Lines of requests that began before are discarded when they end.
    pub fn restart(&self, epoch: u64) {
        self.change(|ring| {
            self.inner.epoch.store(epoch, Ordering::Relaxed);
            self.inner.number.store(0, Ordering::Relaxed);
            self.inner.causes.clear();
            ring.restart(epoch);
        });
        self.inner.turns.restart(epoch);
        self.inner.last.send_replace((epoch, 0));
        self.inner.bell.notify_one();
    }

    fn epoch(&self) -> u64 {
        self.inner.epoch.load(Ordering::Relaxed)
    }

    /// Returns the number for a new request or callback, and the epoch it belongs to.
    fn admit(&self) -> (u64, u64) {
        (self.inner.number.fetch_add(1, Ordering::Relaxed) + 1, self.epoch())
    }

    /// Calls `listener` after new lines, not once for each line, until it returns false. Works only while a server
    /// runs.
    pub fn subscribe(&self, listener: impl FnMut() -> bool + Send + 'static) {
        self.listeners().push(Box::new(listener));
    }

    fn put(&self, exchange: Exchange) {
        self.inner.strays.see(&exchange);
        let now = self.change(|ring| {
            ring.put(exchange);
            (ring.epoch(), ring.last_id())
        });
        // A waiting reader subscribed before it read the ring, so it cannot miss this line.
        if self.inner.last.receiver_count() > 0 {
            self.inner.last.send_if_modified(|last| std::mem::replace(last, now.max(*last)) < now);
        }
        self.inner.bell.notify_one();
    }

    /// Notifies the listeners while the server runs, and once more when it stops.
    pub(crate) async fn tell_all(self, mut stop: watch::Receiver<bool>) {
        loop {
            tokio::select! {
                () = crate::work::told_to_stop(&mut stop) => break,
                () = self.inner.bell.notified() => self.tell(),
            }
            tokio::select! {
                () = crate::work::told_to_stop(&mut stop) => break,
                () = tokio::time::sleep(TELL_EVERY) => {}
            }
        }
        self.tell();
    }

    fn tell(&self) {
        self.listeners().retain_mut(|listener| listener());
    }

    fn ring(&self) -> MutexGuard<'_, Ring> {
        self.inner.ring.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn listeners(&self) -> MutexGuard<'_, Vec<Listener>> {
        self.inner.listeners.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn standing(ring: &Ring) -> Standing {
    Standing {
        epoch: ring.epoch(),
        last: ring.last_id(),
        lines: ring.len(),
        bytes: ring.bytes(),
        dropped: ring.dropped(),
        limits: ring.limits(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(target: &str) -> Exchange {
        Exchange { target: target.to_owned(), ..Exchange::default() }
    }

    #[test]
    fn pages_go_from_the_newest_back_and_count_what_fits() {
        let journal = Journal::default();
        for n in 0..10 {
            journal.put(line(if n % 2 == 0 { "even" } else { "odd" }));
        }
        let ids = |found: &Found| found.lines.iter().map(|line| line.id).collect::<Vec<_>>();
        let even = |line: &Exchange| line.target == "even";
        let first = journal.page(None, 2, even);
        assert_eq!((ids(&first), first.matching), (vec![9, 7], 5));
        let second = journal.page(Some(7), 9, even);
        assert_eq!((ids(&second), second.matching), (vec![5, 3, 1], 5));
        journal.clear();
        journal.put(line("odd"));
        assert_eq!(ids(&journal.page(None, 9, |_| true)), [11], "numbers are never used twice");
        assert!(journal.get(9).is_none());
    }

    #[test]
    fn journals_of_one_process_share_a_bound() {
        let first = Journal::default();
        let second = first.sibling();
        let brim = 16 * 1024 * 1024 * 1024;
        first.limit(JournalLimits { lines: 1_000_000, bytes: brim });
        for n in 0..10 {
            first.put(line(if n < 5 { "a" } else { "b" }));
        }
        let of_first = first.standing().bytes;
        assert_eq!(first.inner.purse.settle(0, brim - of_first), 0, "full to the brim");
        second.put(line("x"));
        second.put(line("y"));
        let (one, other) = (first.standing(), second.standing());
        assert_eq!((one.lines, one.dropped), (10, 0), "nobody is robbed");
        assert_eq!((other.lines, other.dropped), (1, 1), "whoever writes gives way, and keeps the newest");
        drop(first);
        second.put(line("z"));
        assert_eq!(second.standing().dropped, 1, "what another held is free");
    }

    #[test]
    fn who_looks_again_gets_what_is_new() {
        let journal = Journal::default();
        let look = |since, seen| {
            let found = journal.unseen(since, seen);
            (found.lines.iter().map(|line| line.id).collect::<Vec<_>>(), found.begin, found.gap)
        };
        for _ in 0..3 {
            journal.put(line("x"));
        }
        assert_eq!(look(None, 0), (vec![1, 2, 3], 0, None));
        assert_eq!(look(Some(1), 0), (vec![2, 3], 1, None));
        for since in [None, Some(1)] {
            assert_eq!(look(since, 2), (vec![3], since.unwrap_or(0), None));
        }
        journal.clear();
        journal.put(line("x"));
        assert_eq!(look(None, 2), (vec![4], 3, None), "taken out on purpose, so nothing is missing");
        assert_eq!(look(Some(1), 2), (vec![4], 1, Some(Gap { first: 3, last: 3 })));
    }

    /// Every line reaches every waiting reader exactly once, with several writers at once.
    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn waiting_from_a_number_misses_nothing() {
        const EACH: u64 = 500;
        const WRITERS: u64 = 8;
        let journal = Journal::default();
        journal.limit(JournalLimits { lines: 100_000, bytes: usize::MAX });
        let reader = |journal: Journal| async move {
            let (mut seen, mut watch) = (Vec::new(), journal.watch());
            while (seen.len() as u64) < EACH * WRITERS {
                watch.borrow_and_update();
                let found = journal.since(seen.last().copied().or(Some(0)));
                assert_eq!(found.gap, None);
                if found.lines.is_empty() {
                    watch.changed().await.expect("the journal lives");
                }
                seen.extend(found.lines.iter().map(|line| line.id));
            }
            seen
        };
        let readers: Vec<_> = (0..4).map(|_| tokio::spawn(reader(journal.clone()))).collect();
        std::thread::scope(|scope| {
            for _ in 0..WRITERS {
                scope.spawn(|| (0..EACH).for_each(|_| journal.put(line("x"))));
            }
        });
        for reader in readers {
            assert!(reader.await.expect("a reader").into_iter().eq(1..=EACH * WRITERS));
        }
    }

    #[tokio::test]
    async fn listeners_hear_of_a_burst_a_few_times_and_of_its_end() {
        let (journal, (stop, stopped)) = (Journal::default(), watch::channel(false));
        let heard = Arc::new(Mutex::new(0));
        let count = Arc::clone(&heard);
        journal.subscribe(move || {
            *count.lock().unwrap() += 1;
            true
        });
        journal.subscribe(|| false);
        let telling = tokio::spawn(journal.clone().tell_all(stopped));
        let begun = std::time::Instant::now();
        while begun.elapsed() < 2 * TELL_EVERY {
            journal.put(line("x"));
            tokio::task::yield_now().await;
        }
        let most = begun.elapsed().as_millis() / TELL_EVERY.as_millis() + 1;
        let during = *heard.lock().unwrap();
        assert!((1..=most).contains(&during), "{during} of {most}");
        stop.send_replace(true);
        telling.await.unwrap();
        // One call at the end, and possibly one before it for the last lines.
        let told = *heard.lock().unwrap() - during;
        assert!((1..=2).contains(&told), "nothing is left untold: {told}");
    }
}
