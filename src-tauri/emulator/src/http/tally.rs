//! Counts the requests of all worlds of a server. It uses only atomics, so that nobody waits for the counting.

use std::{
    sync::{
        OnceLock,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
    time::{Duration, Instant},
};

use roost_wire::{OPERATIONS, OperationId};

/// The purpose of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RequestKind {
    Operation(OperationId),
    ShortLink,
    Hook,
    Admin,
    Console,
    Document,
    /// It matched no route or was refused before routing.
    Other,
}

const OTHER_KINDS: [(RequestKind, &str); 6] = [
    (RequestKind::ShortLink, "short_link"),
    (RequestKind::Hook, "hook"),
    (RequestKind::Admin, "admin"),
    (RequestKind::Console, "console"),
    (RequestKind::Document, "openapi"),
    (RequestKind::Other, "none"),
];
const OPERATION_COUNT: usize = OPERATIONS.len();
const KIND_COUNT: usize = OPERATION_COUNT + OTHER_KINDS.len();

impl RequestKind {
    fn index(self) -> usize {
        match self {
            Self::Operation(id) => id as usize,
            Self::ShortLink => OPERATION_COUNT,
            Self::Hook => OPERATION_COUNT + 1,
            Self::Admin => OPERATION_COUNT + 2,
            Self::Console => OPERATION_COUNT + 3,
            Self::Document => OPERATION_COUNT + 4,
            Self::Other => OPERATION_COUNT + 5,
        }
    }

    pub(crate) fn name(self) -> &'static str {
        KIND_NAMES[self.index()]
    }
}

const KIND_NAMES: [&str; KIND_COUNT] = {
    let mut names = [""; KIND_COUNT];
    let mut at = 0;
    while at < KIND_COUNT {
        names[at] = if at < OPERATION_COUNT { OPERATIONS[at].name } else { OTHER_KINDS[at - OPERATION_COUNT].1 };
        at += 1;
    }
    names
};

/// Statuses by their hundred; `none` means that there was no response.
const STATUS_CLASSES: [&str; 6] = ["none", "2xx", "3xx", "4xx", "5xx", "other"];

fn class_index(status: Option<u16>) -> usize {
    match status.map(|status| status / 100) {
        None => 0,
        Some(hundred @ 2..=5) => usize::from(hundred) - 1,
        Some(_) => 5,
    }
}

/// The upper bounds of the histogram, in microseconds.
const DURATION_BOUNDS: [u64; 14] =
    [50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 500_000, 1_000_000, 10_000_000];

type ClassCounters = [AtomicU64; STATUS_CLASSES.len()];

/// The counters of a server.
#[derive(Default)]
pub(crate) struct RequestTally {
    requests: [ClassCounters; KIND_COUNT],
    times: [DurationCounters; KIND_COUNT],
    faults: [AtomicU64; OPERATION_COUNT],
    attempts: ClassCounters,
    dropped: AtomicU64,
    /// When the server started; set when it is first read.
    pub started: OnceLock<i64>,
}

/// How many responses took how long.
#[derive(Default)]
struct DurationCounters {
    /// The last counter holds everything that took longer than the largest bound.
    counts: [AtomicU64; DURATION_BOUNDS.len() + 1],
    micros: AtomicU64,
}

/// How long responses took: the number up to each bound in seconds, the total number and the sum.
pub(crate) struct DurationHistogram {
    pub up_to: Vec<(f64, u64)>,
    pub count: u64,
    pub seconds: f64,
}

fn to_seconds(micros: u64) -> f64 {
    Duration::from_micros(micros).as_secs_f64()
}

fn load_counter(counter: &AtomicU64) -> u64 {
    counter.load(Relaxed)
}

fn increment(counter: &AtomicU64) {
    counter.fetch_add(1, Relaxed);
}

impl RequestTally {
    fn count_request(&self, kind: RequestKind, status: Option<u16>, took: Duration) {
        let (place, micros) = (kind.index(), u64::try_from(took.as_micros()).unwrap_or(u64::MAX));
        increment(&self.requests[place][class_index(status)]);
        let times = &self.times[place];
        increment(&times.counts[DURATION_BOUNDS.partition_point(|bound| *bound < micros)]);
        times.micros.fetch_add(micros, Relaxed);
    }

    /// Counts a request that a fault rule met.
    pub(crate) fn count_fault(&self, id: OperationId) {
        increment(&self.faults[id as usize]);
    }

    /// Counts a callback attempt that ended with this status, or without a response.
    pub(crate) fn count_attempt(&self, status: Option<u16>) {
        increment(&self.attempts[class_index(status)]);
    }

    /// Counts a callback that was dropped on purpose.
    pub(crate) fn count_dropped(&self) {
        increment(&self.dropped);
    }

    /// Returns the number of requests by purpose and class of status.
    pub(crate) fn request_counts(&self) -> impl Iterator<Item = (&'static str, &'static str, u64)> {
        let counts_of_kind = |(name, classes)| class_counts(classes).map(move |(class, count)| (name, class, count));
        KIND_NAMES.into_iter().zip(&self.requests).flat_map(counts_of_kind)
    }

    pub(crate) fn durations(&self) -> impl Iterator<Item = (&'static str, DurationHistogram)> {
        KIND_NAMES.into_iter().zip(self.times.iter().map(DurationCounters::to_histogram))
    }

    pub(crate) fn fault_counts(&self) -> impl Iterator<Item = (&'static str, u64)> {
        // The names of the operations come first.
        KIND_NAMES.into_iter().zip(self.faults.iter().map(load_counter))
    }

    pub(crate) fn attempt_counts(&self) -> impl Iterator<Item = (&'static str, u64)> {
        class_counts(&self.attempts).chain([("dropped", load_counter(&self.dropped))])
    }
}

fn class_counts(classes: &ClassCounters) -> impl Iterator<Item = (&'static str, u64)> {
    STATUS_CLASSES.into_iter().zip(classes.iter().map(load_counter))
}

impl DurationCounters {
    fn to_histogram(&self) -> DurationHistogram {
        let counts = self.counts.each_ref().map(load_counter);
        let up_to = |at: usize| counts[..=at].iter().sum::<u64>();
        DurationHistogram {
            up_to: DURATION_BOUNDS.iter().enumerate().map(|(at, bound)| (to_seconds(*bound), up_to(at))).collect(),
            count: up_to(DURATION_BOUNDS.len()),
            seconds: to_seconds(load_counter(&self.micros)),
        }
    }
}

/// A request that is counted once, when this is dropped, whatever its outcome.
pub(crate) struct CountedRequest<'t> {
    tally: &'t RequestTally,
    pub kind: RequestKind,
    pub status: Option<u16>,
    pub begun: Instant,
}

impl<'t> CountedRequest<'t> {
    pub(crate) fn begin(tally: &'t RequestTally) -> Self {
        Self { tally, kind: RequestKind::Other, status: None, begun: Instant::now() }
    }
}

impl Drop for CountedRequest<'_> {
    fn drop(&mut self) {
        self.tally.count_request(self.kind, self.status, self.begun.elapsed());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_a_place_and_a_name_of_its_own() {
        for operation in &OPERATIONS {
            assert_eq!(RequestKind::Operation(operation.id).name(), operation.name);
        }
        for (kind, name) in OTHER_KINDS {
            assert_eq!(kind.name(), name);
        }
        assert_eq!(KIND_NAMES.iter().collect::<std::collections::BTreeSet<_>>().len(), KIND_COUNT);
    }

    #[test]
    fn requests_are_counted_by_status_and_time() {
        let tally = RequestTally::default();
        for (status, micros) in [(Some(200), 50), (Some(404), 51), (Some(700), 10_000_001), (None, 0)] {
            tally.count_request(RequestKind::Hook, status, Duration::from_micros(micros));
        }
        let mut counted = CountedRequest::begin(&tally);
        (counted.kind, counted.status) = (RequestKind::Admin, Some(503));
        drop(counted);
        let counted: Vec<_> = tally.request_counts().filter(|(_, _, count)| *count > 0).collect();
        let hook = ["none", "2xx", "4xx", "other"].map(|class| ("hook", class, 1));
        assert_eq!(counted, [hook.as_slice(), &[("admin", "5xx", 1)]].concat());
        let (_, times) = tally.durations().find(|(name, _)| *name == "hook").expect("its times");
        assert_eq!((times.up_to[0], times.up_to[1], times.up_to[13]), ((0.00005, 2), (0.0001, 3), (10.0, 3)));
        assert_eq!((times.count, times.seconds), (4, 10.000_102));
    }
}
