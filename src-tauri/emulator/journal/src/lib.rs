//! The journal of a world: a bounded ring of requests and responses in memory, off unless somebody turns it on.

mod budget;
pub mod cause_order;
mod exchange;
pub mod mask;
pub mod out;
pub mod query;
mod reason;
mod recording;
mod request_steps;
mod ring;
mod unmatched;

use std::{
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::Duration,
};

use serde::{Deserialize, Serialize};
use tokio::sync::{Notify, watch};

use self::{
    budget::JournalBudget, cause_order::CauseOrder, request_steps::RequestSteps, ring::LineRing,
    unmatched::UnmatchedRequests,
};
pub use self::{
    exchange::{Direction, Exchange, JournalTime, RecordedBody, RecordedHeaders, RecordedMessage, elapsed_micros},
    mask::is_secret,
    out::to_curl,
    query::{
        FieldMismatch, FieldValue, MatchField, MatchResult, MatchSource, Matcher, MatcherError, NeverMatches,
        path_in_world,
    },
    reason::{RefusalCause, RefusalCheck, RequestViolation, SHOWN_MAX, shorten_text},
    recording::{RecordedExchange, RecordedText, known_method, read_recording},
    ring::{JournalGap, JournalLimits},
    unmatched::{UnmatchedEntry, UnmatchedSummary, is_unmatched},
};

/// Called after new lines; returns whether it wants further calls.
type JournalListener = Box<dyn FnMut() -> bool + Send>;

/// A cheap handle to a journal. The lines live as long as the last handle, so they outlast the server that wrote them.
#[derive(Clone, Default)]
pub struct Journal {
    inner: Arc<JournalInner>,
}

#[derive(Default)]
struct JournalInner {
    is_on: AtomicBool,
    /// Calls of the admin interface are recorded as well.
    records_admin: AtomicBool,
    /// The number of the last request or callback that began.
    number: AtomicU64,
    epoch: AtomicU64,
    ring: Mutex<LineRing>,
    /// The budget that all journals of the process share.
    budget: Arc<JournalBudget>,
    unmatched: Arc<UnmatchedRequests>,
    /// Notified by all journals of the process.
    bell: Arc<Notify>,
    /// The epoch and the number of the last line, for waiting readers.
    last: watch::Sender<(u64, u64)>,
    listeners: Arc<Mutex<Vec<JournalListener>>>,
    request_steps: RequestSteps,
    /// The steps of the jobs that requests created.
    job_steps: RequestSteps,
    cause_order: CauseOrder,
}

impl Drop for JournalInner {
    fn drop(&mut self) {
        let ring = self.ring.get_mut().unwrap_or_else(PoisonError::into_inner);
        self.budget.update_held(ring.bytes(), 0);
    }
}

/// One page of lines, newest first.
pub struct JournalPage {
    pub lines: Vec<Arc<Exchange>>,
    /// How many lines match, on all pages together.
    pub matching: usize,
    /// Lines dropped for newer ones since the journal was last emptied.
    pub dropped: u64,
}

/// The lines after a position, oldest first, with the status of the journal.
pub struct JournalLines {
    pub lines: Vec<Arc<Exchange>>,
    /// The requested lines that the journal no longer has.
    pub gap: Option<JournalGap>,
    /// The position after which the lines were requested, even if the reader has already read some of them.
    pub begin: u64,
    pub status: JournalStatus,
}

/// The position and the contents of the journal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JournalStatus {
    pub epoch: u64,
    /// The number of the newest line; 0 before the first.
    pub last: u64,
    pub lines: usize,
    pub bytes: usize,
    pub dropped: u64,
    pub limits: JournalLimits,
}

/// What a journal records, and how much it holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JournalOptions {
    is_on: bool,
    /// The alias is the name in states that were stored before.
    #[serde(alias = "takes_admin")]
    records_admin: bool,
    limits: JournalLimits,
}

/// The least time between two notifications of the listeners.
const NOTIFY_INTERVAL: Duration = Duration::from_millis(200);

impl Journal {
    /// Creates a journal that records from the start.
    pub fn new_recording() -> Self {
        let journal = Self::default();
        journal.set_recording(true);
        journal
    }

    pub fn is_on(&self) -> bool {
        self.inner.is_on.load(Ordering::Relaxed)
    }

    /// Starts or stops recording. Recorded lines stay.
    pub fn set_recording(&self, is_on: bool) {
        self.inner.is_on.store(is_on, Ordering::Relaxed);
    }

    pub fn records_admin(&self) -> bool {
        self.inner.records_admin.load(Ordering::Relaxed)
    }

    /// Sets whether calls of the admin interface are recorded. Unmatched calls always are.
    pub fn set_admin_recording(&self, records_admin: bool) {
        self.inner.records_admin.store(records_admin, Ordering::Relaxed);
    }

    pub fn options(&self) -> JournalOptions {
        JournalOptions { is_on: self.is_on(), records_admin: self.records_admin(), limits: self.status().limits }
    }

    pub fn set_options(&self, options: JournalOptions) {
        self.set_recording(options.is_on);
        self.set_admin_recording(options.records_admin);
        self.set_limits(options.limits);
    }

    /// Returns the newest matching lines before the line `before`.
    pub fn read_page(&self, before: Option<u64>, most: usize, fits: impl Fn(&Exchange) -> bool) -> JournalPage {
        // The lines are searched outside the lock, so that a reader never delays a request.
        let (all, dropped) = {
            let ring = self.lock_ring();
            (ring.newest_first(), ring.dropped())
        };
        let mut found = JournalPage { lines: Vec::new(), matching: 0, dropped };
        for line in all.into_iter().filter(|line| fits(line)) {
            found.matching += 1;
            if found.lines.len() < most && before.is_none_or(|before| line.id < before) {
                found.lines.push(line);
            }
        }
        found
    }

    pub fn get(&self, id: u64) -> Option<Arc<Exchange>> {
        self.lock_ring().get(id)
    }

    /// Returns the lines after `since`, or without it those since the journal was last emptied.
    pub fn read_since(&self, since: Option<u64>) -> JournalLines {
        self.read_lines(since, 0, usize::MAX)
    }

    /// Returns the first `most` of the lines after `since`.
    pub fn read_some_since(&self, since: Option<u64>, most: usize) -> JournalLines {
        self.read_lines(since, 0, most)
    }

    /// Returns the lines after `since` that also come after `seen`, the last line read before.
    pub fn read_unseen(&self, since: Option<u64>, seen: u64) -> JournalLines {
        self.read_lines(since, seen, usize::MAX)
    }

    fn read_lines(&self, since: Option<u64>, seen: u64, most: usize) -> JournalLines {
        let ring = self.lock_ring();
        let begin = since.unwrap_or_else(|| ring.floor());
        let (lines, gap) = ring.lines_after(begin.max(seen), most);
        JournalLines { lines, gap, begin, status: ring_status(&ring) }
    }

    pub fn status(&self) -> JournalStatus {
        ring_status(&self.lock_ring())
    }

    /// Returns a watch that changes with new lines and new epochs. Subscribe before reading, so that nothing is
    /// missed.
    pub fn watch_position(&self) -> watch::Receiver<(u64, u64)> {
        self.inner.last.subscribe()
    }

    /// Changes how much the journal holds.
    pub fn set_limits(&self, limits: JournalLimits) {
        self.inner.budget.raise_limit(limits.bytes);
        self.change_ring(|ring| ring.set_limits(limits));
    }

    /// Returns the unmatched requests of this world and its siblings, counted while they recorded.
    pub fn unmatched(&self) -> UnmatchedSummary {
        self.inner.unmatched.lock_summary().clone()
    }

    /// Returns the undo steps that a request caused, as far as they are remembered.
    pub fn steps_of_request(&self, number: u64) -> Vec<i64> {
        self.inner.request_steps.steps_of(number)
    }

    /// Returns the request that caused a step.
    pub fn request_of_step(&self, step: i64) -> Option<u64> {
        self.inner.request_steps.request_of(step)
    }

    /// Returns the last step of a request's job that follows `step` before any other change, or `step`.
    pub fn last_step_of_job(&self, number: u64, step: i64) -> i64 {
        self.inner.job_steps.last_in_row(number, step)
    }

    pub fn record_job_step(&self, number: u64, step: i64) {
        self.inner.job_steps.add_step(number, step);
    }

    pub fn record_cause(&self, number: u64, step: i64) {
        self.inner.request_steps.add_step(number, step);
    }

    /// Creates another journal of the same process. All siblings share one budget.
    pub fn new_sibling(&self) -> Self {
        let mut inner = JournalInner::default();
        (inner.budget, inner.unmatched) = (self.inner.budget.clone(), self.inner.unmatched.clone());
        (inner.bell, inner.listeners) = (self.inner.bell.clone(), self.inner.listeners.clone());
        Self { inner: Arc::new(inner) }
    }

    /// Removes all lines. Numbering continues.
    pub fn clear(&self) {
        self.change_ring(LineRing::clear);
        self.inner.bell.notify_one();
    }

    /// Removes the lines before this one.
    pub fn clear_before(&self, id: u64) {
        self.change_ring(|ring| ring.clear_before(id));
        self.inner.bell.notify_one();
    }

    /// Changes the ring and updates the shared budget. If all journals together hold too much, this one drops lines,
    /// because it is the one that was written to.
    fn change_ring<T>(&self, act: impl FnOnce(&mut LineRing) -> T) -> T {
        let mut ring = self.lock_ring();
        let before = ring.bytes();
        let done = act(&mut ring);
        let over = self.inner.budget.update_held(before, ring.bytes());
        if over > 0 {
            let before = ring.bytes();
            ring.free_bytes(over);
            self.inner.budget.update_held(before, ring.bytes());
        }
        done
    }

    /// Removes all lines and numbers from 1 again. Lines of requests that began before are discarded when they end.
    pub fn restart(&self, epoch: u64) {
        self.change_ring(|ring| {
            self.inner.epoch.store(epoch, Ordering::Relaxed);
            self.inner.number.store(0, Ordering::Relaxed);
            self.inner.request_steps.clear();
            self.inner.job_steps.clear();
            ring.restart(epoch);
        });
        self.inner.cause_order.restart(epoch);
        self.inner.last.send_replace((epoch, 0));
        self.inner.bell.notify_one();
    }

    pub fn epoch(&self) -> u64 {
        self.inner.epoch.load(Ordering::Relaxed)
    }

    /// Returns the number for a new request or callback, and the epoch it belongs to.
    pub fn next_number(&self) -> (u64, u64) {
        (self.inner.number.fetch_add(1, Ordering::Relaxed) + 1, self.epoch())
    }

    /// Calls `listener` after new lines, not once for each line, until it returns false. Works only while a server
    /// runs.
    pub fn subscribe(&self, listener: impl FnMut() -> bool + Send + 'static) {
        self.lock_listeners().push(Box::new(listener));
    }

    pub fn push_line(&self, exchange: Exchange) {
        self.inner.unmatched.record_line(&exchange);
        let now = self.change_ring(|ring| {
            ring.push_line(exchange);
            (ring.epoch(), ring.last_id())
        });
        // A waiting reader subscribed before it read the ring, so it cannot miss this line.
        if self.inner.last.receiver_count() > 0 {
            self.inner.last.send_if_modified(|last| std::mem::replace(last, now.max(*last)) < now);
        }
        self.inner.bell.notify_one();
    }

    /// Notifies the listeners while the server runs, and once more when it stops.
    pub async fn notify_until_stop(self, mut stop: watch::Receiver<bool>) {
        loop {
            tokio::select! {
                _ = stop.wait_for(|stops| *stops) => break,
                () = self.inner.bell.notified() => self.notify_listeners(),
            }
            tokio::select! {
                _ = stop.wait_for(|stops| *stops) => break,
                () = tokio::time::sleep(NOTIFY_INTERVAL) => {}
            }
        }
        self.notify_listeners();
    }

    fn notify_listeners(&self) {
        self.lock_listeners().retain_mut(|listener| listener());
    }

    fn lock_ring(&self) -> MutexGuard<'_, LineRing> {
        self.inner.ring.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock_listeners(&self) -> MutexGuard<'_, Vec<JournalListener>> {
        self.inner.listeners.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn ring_status(ring: &LineRing) -> JournalStatus {
    JournalStatus {
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

    fn line_to(target: &str) -> Exchange {
        Exchange { target: target.to_owned(), ..Exchange::default() }
    }

    #[test]
    fn options_that_were_stored_under_an_earlier_name_are_read() {
        let journal = Journal::default();
        journal.set_admin_recording(true);
        let stored = serde_json::to_string(&journal.options()).unwrap().replace("records_admin", "takes_admin");
        assert_eq!(serde_json::from_str::<JournalOptions>(&stored).unwrap(), journal.options());
    }

    #[test]
    fn pages_go_from_the_newest_back_and_count_what_fits() {
        let journal = Journal::default();
        for n in 0..10 {
            journal.push_line(line_to(if n % 2 == 0 { "even" } else { "odd" }));
        }
        let ids = |found: &JournalPage| found.lines.iter().map(|line| line.id).collect::<Vec<_>>();
        let even = |line: &Exchange| line.target == "even";
        let first = journal.read_page(None, 2, even);
        assert_eq!((ids(&first), first.matching), (vec![9, 7], 5));
        let second = journal.read_page(Some(7), 9, even);
        assert_eq!((ids(&second), second.matching), (vec![5, 3, 1], 5));
        journal.clear();
        journal.push_line(line_to("odd"));
        assert_eq!(ids(&journal.read_page(None, 9, |_| true)), [11], "numbers are never used twice");
        assert!(journal.get(9).is_none());
    }

    #[test]
    fn journals_of_one_process_share_a_bound() {
        let first = Journal::default();
        let second = first.new_sibling();
        let limit = 16 * 1024 * 1024 * 1024;
        first.set_limits(JournalLimits { lines: 1_000_000, bytes: limit });
        for n in 0..10 {
            first.push_line(line_to(if n < 5 { "a" } else { "b" }));
        }
        let of_first = first.status().bytes;
        assert_eq!(first.inner.budget.update_held(0, limit - of_first), 0, "full to the brim");
        second.push_line(line_to("x"));
        second.push_line(line_to("y"));
        let (one, other) = (first.status(), second.status());
        assert_eq!((one.lines, one.dropped), (10, 0), "nobody is robbed");
        assert_eq!((other.lines, other.dropped), (1, 1), "the journal that writes drops its own oldest lines");
        drop(first);
        second.push_line(line_to("z"));
        assert_eq!(second.status().dropped, 1, "what another held is free");
    }

    #[test]
    fn a_repeated_read_returns_only_unseen_lines_and_reports_gaps() {
        let journal = Journal::default();
        let look = |since, seen| {
            let found = journal.read_unseen(since, seen);
            (found.lines.iter().map(|line| line.id).collect::<Vec<_>>(), found.begin, found.gap)
        };
        for _ in 0..3 {
            journal.push_line(line_to("x"));
        }
        assert_eq!(look(None, 0), (vec![1, 2, 3], 0, None));
        assert_eq!(look(Some(1), 0), (vec![2, 3], 1, None));
        for since in [None, Some(1)] {
            assert_eq!(look(since, 2), (vec![3], since.unwrap_or(0), None));
        }
        journal.clear();
        journal.push_line(line_to("x"));
        assert_eq!(look(None, 2), (vec![4], 3, None), "taken out on purpose, so nothing is missing");
        assert_eq!(look(Some(1), 2), (vec![4], 1, Some(JournalGap { first: 3, last: 3 })));
    }

    /// Every line reaches every waiting reader exactly once, with several writers at once.
    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn waiting_from_a_number_misses_nothing() {
        const EACH: u64 = 500;
        const WRITERS: u64 = 8;
        let journal = Journal::default();
        journal.set_limits(JournalLimits { lines: 100_000, bytes: usize::MAX });
        let reader = |journal: Journal| async move {
            let (mut ids, mut watch) = (Vec::new(), journal.watch_position());
            while (ids.len() as u64) < EACH * WRITERS {
                watch.borrow_and_update();
                let found = journal.read_since(ids.last().copied().or(Some(0)));
                assert_eq!(found.gap, None);
                if found.lines.is_empty() {
                    watch.changed().await.expect("the journal lives");
                }
                ids.extend(found.lines.iter().map(|line| line.id));
            }
            ids
        };
        let readers: Vec<_> = (0..4).map(|_| tokio::spawn(reader(journal.clone()))).collect();
        std::thread::scope(|scope| {
            for _ in 0..WRITERS {
                scope.spawn(|| (0..EACH).for_each(|_| journal.push_line(line_to("x"))));
            }
        });
        for reader in readers {
            assert!(reader.await.expect("a reader").into_iter().eq(1..=EACH * WRITERS));
        }
    }

    #[tokio::test]
    async fn listeners_hear_of_a_burst_a_few_times_and_of_its_end() {
        let (journal, (stop, stopped)) = (Journal::default(), watch::channel(false));
        let notified = Arc::new(Mutex::new(0));
        let count = Arc::clone(&notified);
        journal.subscribe(move || {
            *count.lock().unwrap() += 1;
            true
        });
        journal.subscribe(|| false);
        let notifier = tokio::spawn(journal.clone().notify_until_stop(stopped));
        let begun = std::time::Instant::now();
        while begun.elapsed() < 2 * NOTIFY_INTERVAL {
            journal.push_line(line_to("x"));
            tokio::task::yield_now().await;
        }
        let most = begun.elapsed().as_millis() / NOTIFY_INTERVAL.as_millis() + 1;
        let during = *notified.lock().unwrap();
        assert!((1..=most).contains(&during), "{during} of {most}");
        stop.send_replace(true);
        notifier.await.unwrap();
        // One call at the end, and possibly one before it for the last lines.
        let calls = *notified.lock().unwrap() - during;
        assert!((1..=2).contains(&calls), "each line is announced: {calls}");
    }
}
