//! The bounds on what all callers together may hold, so that nobody's requests take the memory or the threads of
//! others.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore},
    time::{Instant, timeout},
};

use crate::http::{request_body::BODY_MAX, seats::ConnectionSeats};

/// The definition of one bound.
#[derive(Clone, Copy)]
pub struct BoundDefinition {
    pub name: &'static str,
    pub default: u64,
    /// The lowest value that can be set.
    least: u64,
    /// What the bound limits.
    pub help: &'static str,
    in_use: fn(&ServerCapacity, u64) -> u64,
}

/// All bounds, in the order of the indices below.
pub const BOUNDS: [BoundDefinition; BOUND_COUNT] = [
    BoundDefinition {
        name: "connections",
        default: 768,
        least: RESERVED_CONNECTIONS * 2,
        help: "connections at the same time; the last 32 serve only `/__admin` and health checks",
        in_use: |room, _| room.seats.count() as u64,
    },
    BoundDefinition {
        name: "body-bytes",
        default: 256 << 20,
        // One body of the largest size must fit into the share that is not reserved for small ones.
        least: (BODY_MAX + BODY_MAX / 4) as u64,
        help: "bytes of request bodies that are being received or used",
        in_use: |room, _| {
            let free = room.bodies.available_permits() + room.small_bodies.available_permits();
            (room.bounds.0[BODY_BYTES] / BODY_UNIT).saturating_sub(free as u64) * BODY_UNIT
        },
    },
    BoundDefinition {
        name: "answer-bytes",
        default: 1 << 30,
        least: 1 << 20,
        help: "bytes of long responses that are waiting to be read, in unnamed files",
        in_use: |room, _| room.answer_bytes.load(Ordering::Acquire),
    },
    BoundDefinition {
        name: "query-bytes",
        default: 64 << 20,
        // The largest query must fit.
        least: 32 << 20,
        help: "bytes of memory for queries of the request journal, including those that wait for requests",
        in_use: |room, _| room.query_bytes.load(Ordering::Acquire),
    },
    BoundDefinition {
        name: "worlds",
        default: 1_000,
        least: 1,
        help: "worlds besides the default one",
        in_use: |_, worlds| worlds,
    },
    BoundDefinition {
        name: "waits",
        default: 368,
        least: 2,
        help: "requests that wait on purpose: long polls, event streams, responses held back by fault rules; at most \
         half of the connections, and half of this number per world",
        in_use: |room, _| room.bounds.0[WAITS].saturating_sub(room.waits.available_permits() as u64),
    },
];
const CONNECTIONS: usize = 0;
const BODY_BYTES: usize = 1;
const ANSWER_BYTES: usize = 2;
const QUERY_BYTES: usize = 3;
const WORLDS: usize = 4;
const WAITS: usize = 5;
const BOUND_COUNT: usize = 6;

/// How many long responses are produced at the same time; each takes a thread and reads the account.
const MAX_MAKERS: usize = 4;
/// How many journal queries are evaluated at the same time; each takes a thread.
const MAX_QUERIES: usize = 4;
/// How long a request waits for capacity before it is refused.
const PATIENCE: Duration = Duration::from_secs(20);
/// How long, in total, a body waits that already holds capacity. Without this, such bodies could wait for each other.
const PATIENCE_WITHIN: Duration = Duration::from_secs(2);
/// Connections that are reserved for the admin interface and health checks.
pub(crate) const RESERVED_CONNECTIONS: u64 = 32;

/// The value of each bound.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bounds([u64; BOUND_COUNT]);

/// The reason why a bound cannot be set.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum BoundError {
    #[error("unknown bound \"{0}\"; expected one of {names}", names = BOUNDS.map(|bound| bound.name).join(", "))]
    Unknown(String),
    #[error("{name}: expected an integer of at least {least}, got \"{given}\"")]
    Invalid { name: &'static str, given: String, least: u64 },
}

impl Default for Bounds {
    fn default() -> Self {
        Self(BOUNDS.map(|bound| bound.default))
    }
}

impl Bounds {
    /// Sets a bound by its name.
    pub fn set(&mut self, name: &str, given: &str) -> Result<(), BoundError> {
        let at = BOUNDS.iter().position(|bound| bound.name == name);
        let at = at.ok_or_else(|| BoundError::Unknown(name.to_owned()))?;
        let BoundDefinition { name, least, .. } = BOUNDS[at];
        let value = given.parse().ok().filter(|value| *value >= least);
        self.0[at] = value.ok_or_else(|| BoundError::Invalid { name, given: given.to_owned(), least })?;
        Ok(())
    }
}

/// The capacity of a server: its bounds and how much of each is in use.
#[derive(Debug)]
pub(crate) struct ServerCapacity {
    bounds: Bounds,
    pub seats: Arc<ConnectionSeats>,
    bodies: Arc<Semaphore>,
    small_bodies: Arc<Semaphore>,
    makers: Arc<Semaphore>,
    queries: Arc<Semaphore>,
    waiting: Semaphore,
    waits: Arc<Semaphore>,
    answer_bytes: AtomicU64,
    query_bytes: AtomicU64,
}

/// The error that a bound was reached, and stayed reached for as long as a request waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("The server is busy: its bound \"{0}\" is reached.")]
pub struct BoundReached(&'static str);

/// The permit of a request that waits on purpose, held until this is dropped.
#[derive(Debug)]
pub(crate) struct WaitPermit {
    _in_world: OwnedSemaphorePermit,
    _in_all: OwnedSemaphorePermit,
}

/// The error that as many requests wait on purpose as may do so.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{most} requests are waiting {place}, the most that can wait at the same time.", place = if *.is_of_world { "in this world" } else { "in all worlds" })]
pub struct TooManyWaits {
    most: u64,
    is_of_world: bool,
}

impl TooManyWaits {
    pub const HINT: &str = "End waits that are not needed, or start the server with higher bounds: --bound waits=N, \
     at most half of --bound connections=N.";
}

impl BoundReached {
    pub const HINT: &str = "Retry later, or start the server with a higher bound: --bound NAME=N.";
}

/// Bodies are counted in units of this many bytes, so that the largest bound fits into a semaphore.
const BODY_UNIT: u64 = 1_024;
/// The size up to which a body is small, and the part (one in this many) of the capacity that is reserved for small
/// bodies. Thus large bodies do not keep everybody from writing.
const SMALL_BODY: usize = 32 * 1024;
const SMALL_SHARE: u64 = 8;

fn to_permits(count: u64) -> usize {
    usize::try_from(count).unwrap_or(usize::MAX).min(Semaphore::MAX_PERMITS)
}

impl ServerCapacity {
    pub(crate) fn new(mut bounds: Bounds) -> Self {
        // At most half of the connections wait, so that the other half serves requests that need not wait.
        let half = (bounds.0[CONNECTIONS] - RESERVED_CONNECTIONS) / 2;
        bounds.0[WAITS] = bounds.0[WAITS].min(half);
        let semaphore = |count| Arc::new(Semaphore::new(to_permits(count)));
        let body_units = bounds.0[BODY_BYTES] / BODY_UNIT;
        Self {
            seats: Arc::new(ConnectionSeats::new(
                to_permits(bounds.0[CONNECTIONS] - RESERVED_CONNECTIONS),
                to_permits(RESERVED_CONNECTIONS),
            )),
            bodies: semaphore(body_units - body_units / SMALL_SHARE),
            small_bodies: semaphore(body_units / SMALL_SHARE),
            makers: semaphore(MAX_MAKERS as u64),
            queries: semaphore(MAX_QUERIES as u64),
            waiting: Semaphore::new(to_permits(half)),
            waits: semaphore(bounds.0[WAITS]),
            answer_bytes: AtomicU64::new(0),
            query_bytes: AtomicU64::new(0),
            bounds,
        }
    }

    /// Reserves capacity for a body. The reservation grows as the body arrives and ends when it is dropped.
    pub(crate) fn reserve_body(self: &Arc<Self>) -> BodyReservation {
        BodyReservation { capacity: self.clone(), held: Vec::new(), bytes: 0, patience: PATIENCE_WITHIN }
    }

    /// Waits for a turn to produce a long response.
    pub(crate) async fn acquire_maker(&self) -> Result<OwnedSemaphorePermit, BoundReached> {
        self.acquire_patiently(&self.makers, 1, ANSWER_BYTES, PATIENCE).await
    }

    /// Waits for a turn to evaluate a journal query.
    pub(crate) async fn acquire_query_turn(&self) -> Result<OwnedSemaphorePermit, BoundReached> {
        self.acquire_patiently(&self.queries, 1, QUERY_BYTES, PATIENCE).await
    }

    /// Counts more bytes of long responses, to be released by [`Self::remove_answer_bytes`].
    pub(crate) fn add_answer_bytes(&self, bytes: u64) -> Result<(), BoundReached> {
        self.add_bytes(&self.answer_bytes, bytes, ANSWER_BYTES)
    }

    pub(crate) fn remove_answer_bytes(&self, bytes: u64) {
        self.answer_bytes.fetch_sub(bytes, Ordering::AcqRel);
    }

    /// Creates the semaphore for the waits of one world.
    pub(crate) fn new_world_waits(&self) -> Arc<Semaphore> {
        Arc::new(Semaphore::new(to_permits(self.bounds.0[WAITS] / 2)))
    }

    /// Takes a permit for a request of a world to wait on purpose.
    pub(crate) fn begin_wait(&self, of_world: &Arc<Semaphore>) -> Result<WaitPermit, TooManyWaits> {
        let take = |from: &Arc<Semaphore>, most, is_of_world| {
            from.clone().try_acquire_owned().map_err(|_| TooManyWaits { most, is_of_world })
        };
        let most = self.bounds.0[WAITS];
        Ok(WaitPermit { _in_world: take(of_world, most / 2, true)?, _in_all: take(&self.waits, most, false)? })
    }

    /// Reserves memory for a journal query until the reservation is dropped.
    pub(crate) fn reserve_query(self: &Arc<Self>, bytes: usize) -> Result<QueryReservation, BoundReached> {
        let mut reservation = QueryReservation { capacity: self.clone(), bytes: 0 };
        reservation.grow(bytes)?;
        Ok(reservation)
    }

    fn add_bytes(&self, used: &AtomicU64, bytes: u64, bound: usize) -> Result<(), BoundReached> {
        let before = used.fetch_add(bytes, Ordering::AcqRel);
        if before + bytes <= self.bounds.0[bound] {
            return Ok(());
        }
        used.fetch_sub(bytes, Ordering::AcqRel);
        Err(BoundReached(BOUNDS[bound].name))
    }

    /// Waits for permits, up to `patience`. At most half of the connections wait here, so that the other half is free
    /// for requests that need not wait.
    async fn acquire_patiently(
        &self,
        from: &Arc<Semaphore>,
        count: u32,
        bound: usize,
        patience: Duration,
    ) -> Result<OwnedSemaphorePermit, BoundReached> {
        if let Ok(permit) = from.clone().try_acquire_many_owned(count) {
            return Ok(permit);
        }
        let no_room = || BoundReached(BOUNDS[bound].name);
        let _waiting = self.waiting.try_acquire().map_err(|_| no_room())?;
        let acquired = timeout(patience, from.clone().acquire_many_owned(count)).await;
        acquired.ok().and_then(Result::ok).ok_or_else(no_room)
    }

    pub(crate) fn max_worlds(&self) -> usize {
        to_permits(self.bounds.0[WORLDS])
    }

    /// Returns name, value and use of each bound.
    pub(crate) fn usage(&self, worlds: u64) -> [(&'static str, u64, u64); BOUND_COUNT] {
        std::array::from_fn(|at| (BOUNDS[at].name, self.bounds.0[at], (BOUNDS[at].in_use)(self, worlds)))
    }
}

/// The capacity that a body holds.
#[derive(Debug)]
pub(crate) struct BodyReservation {
    capacity: Arc<ServerCapacity>,
    held: Vec<OwnedSemaphorePermit>,
    bytes: usize,
    /// How long the body may still wait once it holds capacity.
    patience: Duration,
}

impl BodyReservation {
    pub(crate) async fn grow(&mut self, more: usize) -> Result<(), BoundReached> {
        let units = u32::try_from((more as u64).div_ceil(BODY_UNIT)).unwrap_or(u32::MAX);
        let at_once = |pool: &Arc<Semaphore>| pool.clone().try_acquire_many_owned(units).ok();
        let is_small = self.bytes + more <= SMALL_BODY;
        let permit = match at_once(&self.capacity.bodies) {
            None if is_small => at_once(&self.capacity.small_bodies),
            permit => permit,
        };
        let permit = match permit {
            Some(permit) => permit,
            None if self.bytes == 0 => {
                self.capacity.acquire_patiently(&self.capacity.bodies, units, BODY_BYTES, PATIENCE).await?
            }
            None => {
                let begun = Instant::now();
                let permit =
                    self.capacity.acquire_patiently(&self.capacity.bodies, units, BODY_BYTES, self.patience).await?;
                self.patience = self.patience.saturating_sub(begun.elapsed());
                permit
            }
        };
        match self.held.iter_mut().find(|other| Arc::ptr_eq(other.semaphore(), permit.semaphore())) {
            Some(other) => other.merge(permit),
            None => self.held.push(permit),
        }
        self.bytes += more;
        Ok(())
    }
}

/// The memory that a journal query holds.
pub(crate) struct QueryReservation {
    capacity: Arc<ServerCapacity>,
    bytes: u64,
}

impl QueryReservation {
    pub(crate) fn grow(&mut self, bytes: usize) -> Result<(), BoundReached> {
        self.capacity.add_bytes(&self.capacity.query_bytes, bytes as u64, QUERY_BYTES)?;
        self.bytes += bytes as u64;
        Ok(())
    }
}

impl Drop for QueryReservation {
    fn drop(&mut self) {
        self.capacity.query_bytes.fetch_sub(self.bytes, Ordering::AcqRel);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_set_by_name() {
        let mut bounds = Bounds::default();
        assert_eq!(bounds.set("worlds", "5"), Ok(()));
        assert_eq!(bounds.0[WORLDS], 5);
        let refused = [("world", "5"), ("worlds", "0"), ("worlds", "many"), ("body-bytes", "1")];
        for (name, given) in refused {
            let words = bounds.set(name, given).expect_err(name).to_string();
            assert!(words.contains(&format!("\"{}\"", if name == "world" { name } else { given })), "{words}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn bodies_wait_for_room_and_are_refused_after_a_while() {
        let room = Arc::new(ServerCapacity::new(Bounds::default()));
        let (mut first, mut second) = (room.reserve_body(), room.reserve_body());
        assert_eq!(first.grow(200 << 20).await, Ok(()));
        assert_eq!(room.usage(0)[BODY_BYTES], ("body-bytes", 256 << 20, 200 << 20));
        assert_eq!(second.grow(100 << 20).await, Err(BoundReached("body-bytes")));
        assert_eq!(first.grow(24 << 20).await, Ok(()));
        assert_eq!(second.grow(32 << 10).await, Ok(()), "there is room for small ones");
        assert_eq!(second.grow(1).await, Err(BoundReached("body-bytes")), "it is small no more");
        let waits = {
            let room = room.clone();
            tokio::spawn(async move { room.reserve_body().grow(100 << 20).await.is_ok() })
        };
        tokio::task::yield_now().await;
        drop(first);
        assert!(waits.await.expect("no panic"));
    }

    #[tokio::test(start_paused = true)]
    async fn a_body_that_holds_room_waits_less_than_one_that_holds_none() {
        let room = Arc::new(ServerCapacity::new(Bounds::default()));
        let (mut first, mut second) = (room.reserve_body(), room.reserve_body());
        assert_eq!(first.grow(112 << 20).await, Ok(()));
        assert_eq!(second.grow(112 << 20).await, Ok(()));
        let begun = Instant::now();
        let refused = tokio::select! {
            refused = first.grow(1 << 20) => refused,
            () = tokio::time::sleep(PATIENCE / 2) => Ok(()),
        };
        assert_eq!((refused, begun.elapsed()), (Err(BoundReached("body-bytes")), PATIENCE_WITHIN));
        drop(first);
        assert_eq!(second.grow(1 << 20).await, Ok(()));
    }

    #[test]
    fn the_guide_describes_each_bound() {
        let guide = include_str!("../../GUIDE.md");
        for BoundDefinition { name, help, default, .. } in BOUNDS {
            let default_text = match default {
                bytes if bytes.is_multiple_of(1 << 30) => format!("{} GiB", bytes >> 30),
                bytes if bytes.is_multiple_of(1 << 20) => format!("{} MiB", bytes >> 20),
                count if count >= 1_000 => format!("{},{:03}", count / 1_000, count % 1_000),
                count => count.to_string(),
            };
            let row = format!("| `{name}` | {help} | {default_text} |");
            assert!(guide.contains(&row), "the guide has no row {row}");
        }
    }

    #[test]
    fn one_world_takes_half_of_the_waits_and_all_worlds_half_of_the_connections() {
        let mut bounds = Bounds::default();
        bounds.set("connections", "64").expect("a bound");
        let room = ServerCapacity::new(bounds);
        let worlds = [room.new_world_waits(), room.new_world_waits(), room.new_world_waits()];
        let mut permits = Vec::new();
        for world in &worlds[..2] {
            permits.extend((0..8).map(|_| room.begin_wait(world).expect("room")));
            let one = room.begin_wait(world).expect_err("too many");
            assert_eq!(one, TooManyWaits { most: 8, is_of_world: true });
        }
        assert_eq!(room.begin_wait(&worlds[2]).expect_err("too many"), TooManyWaits { most: 16, is_of_world: false });
        assert_eq!(room.usage(0)[WAITS], ("waits", 16, 16));
        permits.clear();
        assert!(room.begin_wait(&worlds[2]).is_ok());
    }

    #[test]
    fn queries_share_one_bound() {
        let room = Arc::new(ServerCapacity::new(Bounds::default()));
        let mut first = room.reserve_query(60 << 20).expect("room");
        assert_eq!(first.grow(10 << 20), Err(BoundReached("query-bytes")));
        assert!(room.reserve_query(10 << 20).is_err());
        assert_eq!(room.usage(0)[QUERY_BYTES].2, 60 << 20);
        drop(first);
        assert!(room.reserve_query(64 << 20).is_ok());
        assert_eq!(room.usage(0)[QUERY_BYTES].2, 0);
    }
}
