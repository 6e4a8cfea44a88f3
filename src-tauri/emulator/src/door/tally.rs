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
pub enum Kind {
    Operation(OperationId),
    ShortLink,
    Hook,
    Admin,
    Console,
    Document,
    /// It matched no route or was refused before routing.
    Other,
}

const OTHERS: [(Kind, &str); 6] = [
    (Kind::ShortLink, "short_link"),
    (Kind::Hook, "hook"),
    (Kind::Admin, "admin"),
    (Kind::Console, "console"),
    (Kind::Document, "openapi"),
    (Kind::Other, "none"),
];
const OPERATION_COUNT: usize = OPERATIONS.len();
const KINDS: usize = OPERATION_COUNT + OTHERS.len();

impl Kind {
    fn place(self) -> usize {
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

    pub fn name(self) -> &'static str {
        NAMES[self.place()]
    }
}

const NAMES: [&str; KINDS] = {
    let mut names = [""; KINDS];
    let mut at = 0;
    while at < KINDS {
        names[at] = if at < OPERATION_COUNT { OPERATIONS[at].name } else { OTHERS[at - OPERATION_COUNT].1 };
        at += 1;
    }
    names
};

/// Statuses by their hundred; `none` means that there was no response.
const CLASSES: [&str; 6] = ["none", "2xx", "3xx", "4xx", "5xx", "other"];

fn class(status: Option<u16>) -> usize {
    match status.map(|status| status / 100) {
        None => 0,
        Some(hundred @ 2..=5) => usize::from(hundred) - 1,
        Some(_) => 5,
    }
}

/// The upper bounds of the histogram, in microseconds.
const BOUNDS: [u64; 14] =
    [50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 500_000, 1_000_000, 10_000_000];

type Classes = [AtomicU64; CLASSES.len()];

/// The counters of a server.
#[derive(Default)]
pub struct Tally {
    requests: [Classes; KINDS],
    times: [Times; KINDS],
    faults: [AtomicU64; OPERATION_COUNT],
    tries: Classes,
    dropped: AtomicU64,
    /// When the server started; set when it is first read.
    pub started: OnceLock<i64>,
}

/// How many responses took how long.
#[derive(Default)]
struct Times {
    /// The last counter holds everything that took longer than the largest bound.
    counts: [AtomicU64; BOUNDS.len() + 1],
    micros: AtomicU64,
}

/// How long responses took: the number up to each bound in seconds, the total number and the sum.
pub struct Histogram {
    pub up_to: Vec<(f64, u64)>,
    pub count: u64,
    pub seconds: f64,
}

fn seconds(micros: u64) -> f64 {
    Duration::from_micros(micros).as_secs_f64()
}

fn read(counter: &AtomicU64) -> u64 {
    counter.load(Relaxed)
}

fn add(counter: &AtomicU64) {
    counter.fetch_add(1, Relaxed);
}

impl Tally {
    fn request(&self, kind: Kind, status: Option<u16>, took: Duration) {
        let (place, micros) = (kind.place(), u64::try_from(took.as_micros()).unwrap_or(u64::MAX));
        add(&self.requests[place][class(status)]);
        let times = &self.times[place];
        add(&times.counts[BOUNDS.partition_point(|bound| *bound < micros)]);
        times.micros.fetch_add(micros, Relaxed);
    }

    /// Counts a request that a fault rule met.
    pub fn fault(&self, id: OperationId) {
        add(&self.faults[id as usize]);
    }

    /// Counts a callback attempt that ended with this status, or without a response.
    pub fn tried(&self, status: Option<u16>) {
        add(&self.tries[class(status)]);
    }

    /// Counts a callback that was dropped on purpose.
    pub fn dropped(&self) {
        add(&self.dropped);
    }

    /// Returns the number of requests by purpose and class of status.
    pub fn requests(&self) -> impl Iterator<Item = (&'static str, &'static str, u64)> {
        let of = |(name, classes)| read_classes(classes).map(move |(class, count)| (name, class, count));
        NAMES.into_iter().zip(&self.requests).flat_map(of)
    }

    pub fn times(&self) -> impl Iterator<Item = (&'static str, Histogram)> {
        NAMES.into_iter().zip(self.times.iter().map(Times::histogram))
    }

    pub fn faults(&self) -> impl Iterator<Item = (&'static str, u64)> {
        // The names of the operations come first.
        NAMES.into_iter().zip(self.faults.iter().map(read))
    }

    pub fn tries(&self) -> impl Iterator<Item = (&'static str, u64)> {
        read_classes(&self.tries).chain([("dropped", read(&self.dropped))])
    }
}

fn read_classes(classes: &Classes) -> impl Iterator<Item = (&'static str, u64)> {
    CLASSES.into_iter().zip(classes.iter().map(read))
}

impl Times {
    fn histogram(&self) -> Histogram {
        let counts = self.counts.each_ref().map(read);
        let up_to = |at: usize| counts[..=at].iter().sum::<u64>();
        Histogram {
            up_to: BOUNDS.iter().enumerate().map(|(at, bound)| (seconds(*bound), up_to(at))).collect(),
            count: up_to(BOUNDS.len()),
            seconds: seconds(read(&self.micros)),
        }
    }
}

/// A request that is counted once, when this is dropped, whatever became of it.
pub struct Counted<'t> {
    tally: &'t Tally,
    pub kind: Kind,
    pub status: Option<u16>,
    pub begun: Instant,
}

impl<'t> Counted<'t> {
    pub fn begin(tally: &'t Tally) -> Self {
        Self { tally, kind: Kind::Other, status: None, begun: Instant::now() }
    }
}

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        self.tally.request(self.kind, self.status, self.begun.elapsed());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_a_place_and_a_name_of_its_own() {
        for operation in &OPERATIONS {
            assert_eq!(Kind::Operation(operation.id).name(), operation.name);
        }
        for (kind, name) in OTHERS {
            assert_eq!(kind.name(), name);
        }
        assert_eq!(NAMES.iter().collect::<std::collections::BTreeSet<_>>().len(), KINDS);
    }

    #[test]
    fn requests_are_counted_by_status_and_time() {
        let tally = Tally::default();
        for (status, micros) in [(Some(200), 50), (Some(404), 51), (Some(700), 10_000_001), (None, 0)] {
            tally.request(Kind::Hook, status, Duration::from_micros(micros));
        }
        let mut counted = Counted::begin(&tally);
        (counted.kind, counted.status) = (Kind::Admin, Some(503));
        drop(counted);
        let counted: Vec<_> = tally.requests().filter(|(_, _, count)| *count > 0).collect();
        let hook = ["none", "2xx", "4xx", "other"].map(|class| ("hook", class, 1));
        assert_eq!(counted, [hook.as_slice(), &[("admin", "5xx", 1)]].concat());
        let (_, times) = tally.times().find(|(name, _)| *name == "hook").expect("its times");
        assert_eq!((times.up_to[0], times.up_to[1], times.up_to[13]), ((0.00005, 2), (0.0001, 3), (10.0, 3)));
        assert_eq!((times.count, times.seconds), (4, 10.000_102));
    }
}
