//! What callers may hold at most, all of them together: nobody's requests take the memory or the threads of the others.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore},
    time::timeout,
};

use super::intake::BODY_MAX;

/// One bound.
#[derive(Clone, Copy)]
pub struct Bound {
    pub name: &'static str,
    pub default: u64,
    /// The lowest value it can be set to.
    least: u64,
    /// What it limits.
    pub help: &'static str,
    in_use: fn(&Room, u64) -> u64,
}

/// All bounds, in the order of the indices below.
pub const BOUNDS: [Bound; COUNT] = [
    Bound {
        name: "connections",
        default: 768,
        least: RESERVED_CONNECTIONS * 2,
        help: "connections at the same time; the last 32 serve `/__admin` and health checks alone",
        in_use: |room, _| room.bounds.0[CONNECTIONS].saturating_sub(room.connections.available_permits() as u64),
    },
    Bound {
        name: "body-bytes",
        default: 256 << 20,
        // One request of the largest size has to fit.
        least: BODY_MAX as u64,
        help: "bytes of request bodies that are being received or used",
        in_use: |room, _| {
            let free = room.bodies.available_permits() as u64;
            (room.bounds.0[BODY_BYTES] / BODY_UNIT).saturating_sub(free) * BODY_UNIT
        },
    },
    Bound {
        name: "answer-bytes",
        default: 1 << 30,
        least: 1 << 20,
        help: "bytes of long answers that wait for their readers, in files without a name",
        in_use: |room, _| room.answer_bytes.load(Ordering::Acquire),
    },
    Bound {
        name: "query-bytes",
        default: 64 << 20,
        // The largest query has to fit.
        least: 32 << 20,
        help: "bytes of memory for queries of the request journal, those that wait for requests included",
        in_use: |room, _| room.query_bytes.load(Ordering::Acquire),
    },
    Bound {
        name: "worlds",
        default: 1_000,
        least: 1,
        help: "worlds besides the default one",
        in_use: |_, worlds| worlds,
    },
];
const CONNECTIONS: usize = 0;
const BODY_BYTES: usize = 1;
const ANSWER_BYTES: usize = 2;
const QUERY_BYTES: usize = 3;
const WORLDS: usize = 4;
const COUNT: usize = 5;

/// Long answers that are made at the same time; each takes a thread and reads the account.
const MAKERS: usize = 4;
/// Queries of the journal that are evaluated at the same time; each takes a thread.
const QUERIES: usize = 4;
/// How long a request waits for room before it is refused.
const PATIENCE: Duration = Duration::from_secs(20);
/// Connections beyond all others, for the operator's side and health checks.
pub const RESERVED_CONNECTIONS: u64 = 32;

/// How much of each there may be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bounds([u64; COUNT]);

#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum BoundError {
    #[error("unknown bound \"{0}\"; expected one of {names}", names = BOUNDS.map(|bound| bound.name).join(", "))]
    Unknown(String),
    #[error("\"{given}\" is not a valid {name}; expected a whole number of at least {least}")]
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
        let Bound { name, least, .. } = BOUNDS[at];
        let value = given.parse().ok().filter(|value| *value >= least);
        self.0[at] = value.ok_or_else(|| BoundError::Invalid { name, given: given.to_owned(), least })?;
        Ok(())
    }
}

/// The bounds of a server, and how much of each is in use.
pub struct Room {
    bounds: Bounds,
    connections: Arc<Semaphore>,
    bodies: Arc<Semaphore>,
    makers: Arc<Semaphore>,
    queries: Arc<Semaphore>,
    answer_bytes: AtomicU64,
    query_bytes: AtomicU64,
}

/// A bound was reached, and stayed reached for as long as a request waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("The server is busy: its bound \"{0}\" is reached.")]
pub struct NoRoom(&'static str);

impl NoRoom {
    pub const HINT: &str = "Retry later, or start the server with a higher bound: --bound NAME=N.";
}

/// Bodies are counted in units of so many bytes, so that the count of the largest bound fits a semaphore.
const BODY_UNIT: u64 = 1_024;

fn permits(count: u64) -> usize {
    usize::try_from(count).unwrap_or(usize::MAX).min(Semaphore::MAX_PERMITS)
}

impl Room {
    pub fn new(bounds: Bounds) -> Self {
        let semaphore = |count| Arc::new(Semaphore::new(permits(count)));
        Self {
            connections: semaphore(bounds.0[CONNECTIONS]),
            bodies: semaphore(bounds.0[BODY_BYTES] / BODY_UNIT),
            makers: semaphore(MAKERS as u64),
            queries: semaphore(QUERIES as u64),
            answer_bytes: AtomicU64::new(0),
            query_bytes: AtomicU64::new(0),
            bounds,
        }
    }

    /// Waits for room for one more connection; whether it is one of those for the operator alone.
    pub async fn connection(&self) -> Option<(OwnedSemaphorePermit, bool)> {
        let permit = self.connections.clone().acquire_owned().await.ok()?;
        let is_reserved = (self.connections.available_permits() as u64) < RESERVED_CONNECTIONS;
        Some((permit, is_reserved))
    }

    /// Room for more bytes of a body.
    pub async fn body(&self, bytes: usize) -> Result<OwnedSemaphorePermit, NoRoom> {
        let units = u32::try_from((bytes as u64).div_ceil(BODY_UNIT)).unwrap_or(u32::MAX);
        patient(&self.bodies, units, BODY_BYTES).await
    }

    /// A turn to make a long answer.
    pub async fn maker(&self) -> Result<OwnedSemaphorePermit, NoRoom> {
        patient(&self.makers, 1, ANSWER_BYTES).await
    }

    /// A turn to evaluate a query of the journal.
    pub async fn query_turn(&self) -> Result<OwnedSemaphorePermit, NoRoom> {
        patient(&self.queries, 1, QUERY_BYTES).await
    }

    /// Room for more bytes of long answers; to be given back by [`Room::drop_answer`].
    pub fn add_answer(&self, bytes: u64) -> Result<(), NoRoom> {
        self.add(&self.answer_bytes, bytes, ANSWER_BYTES)
    }

    pub fn drop_answer(&self, bytes: u64) {
        self.answer_bytes.fetch_sub(bytes, Ordering::AcqRel);
    }

    /// Room for a query of the journal, until it is dropped.
    pub fn query(self: &Arc<Self>, bytes: usize) -> Result<QueryRoom, NoRoom> {
        let mut held = QueryRoom { room: self.clone(), bytes: 0 };
        held.grow(bytes)?;
        Ok(held)
    }

    fn add(&self, used: &AtomicU64, bytes: u64, bound: usize) -> Result<(), NoRoom> {
        let before = used.fetch_add(bytes, Ordering::AcqRel);
        if before + bytes <= self.bounds.0[bound] {
            return Ok(());
        }
        used.fetch_sub(bytes, Ordering::AcqRel);
        Err(NoRoom(BOUNDS[bound].name))
    }

    pub fn worlds_max(&self) -> usize {
        permits(self.bounds.0[WORLDS])
    }

    /// Name, bound and use of each.
    pub fn usage(&self, worlds: u64) -> [(&'static str, u64, u64); COUNT] {
        std::array::from_fn(|at| (BOUNDS[at].name, self.bounds.0[at], (BOUNDS[at].in_use)(self, worlds)))
    }
}

/// Waits for so many permits, but not for ever.
async fn patient(from: &Arc<Semaphore>, count: u32, bound: usize) -> Result<OwnedSemaphorePermit, NoRoom> {
    let acquired = timeout(PATIENCE, from.clone().acquire_many_owned(count)).await;
    acquired.ok().and_then(Result::ok).ok_or(NoRoom(BOUNDS[bound].name))
}

/// The room that a query of the journal takes.
pub struct QueryRoom {
    room: Arc<Room>,
    bytes: u64,
}

impl QueryRoom {
    pub fn grow(&mut self, bytes: usize) -> Result<(), NoRoom> {
        self.room.add(&self.room.query_bytes, bytes as u64, QUERY_BYTES)?;
        self.bytes += bytes as u64;
        Ok(())
    }
}

impl Drop for QueryRoom {
    fn drop(&mut self) {
        self.room.query_bytes.fetch_sub(self.bytes, Ordering::AcqRel);
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
        let room = Arc::new(Room::new(Bounds::default()));
        let first = room.body(200 << 20).await.expect("room");
        assert_eq!(room.usage(0)[1], ("body-bytes", 256 << 20, 200 << 20));
        assert_eq!(room.body(100 << 20).await.err(), Some(NoRoom("body-bytes")));
        let waits = {
            let room = room.clone();
            tokio::spawn(async move { room.body(100 << 20).await.is_ok() })
        };
        tokio::task::yield_now().await;
        drop(first);
        assert!(waits.await.expect("no panic"));
    }

    #[test]
    fn the_guide_tells_each_bound() {
        let guide = include_str!("../../README.md");
        for Bound { name, help, default, .. } in BOUNDS {
            let shown = match default {
                bytes if bytes.is_multiple_of(1 << 30) => format!("{} GiB", bytes >> 30),
                bytes if bytes.is_multiple_of(1 << 20) => format!("{} MiB", bytes >> 20),
                count if count >= 1_000 => format!("{},{:03}", count / 1_000, count % 1_000),
                count => count.to_string(),
            };
            let row = format!("| `{name}` | {help} | {shown} |");
            assert!(guide.contains(&row), "the guide has no row {row}");
        }
    }

    #[test]
    fn queries_share_one_bound() {
        let room = Arc::new(Room::new(Bounds::default()));
        let mut first = room.query(60 << 20).expect("room");
        assert_eq!(first.grow(10 << 20), Err(NoRoom("query-bytes")));
        assert!(room.query(10 << 20).is_err());
        assert_eq!(room.usage(0)[QUERY_BYTES].2, 60 << 20);
        drop(first);
        assert!(room.query(64 << 20).is_ok());
        assert_eq!(room.usage(0)[QUERY_BYTES].2, 0);
    }

    #[tokio::test]
    async fn the_last_connections_are_the_operators() {
        let mut bounds = Bounds::default();
        bounds.set("connections", "64").expect("valid");
        let room = Room::new(bounds);
        let mut taken = Vec::new();
        for n in 0..64 {
            let (permit, is_reserved) = room.connection().await.expect("open");
            assert_eq!(is_reserved, n >= 32, "{n}");
            taken.push(permit);
        }
    }
}
