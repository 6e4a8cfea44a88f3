//! What callers may hold at most, all of them together: nobody's requests take the memory or the threads of the others.

use std::{
    fmt,
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

/// The bounds by name, with what each of them limits.
pub const BOUNDS: [(&str, &str); 4] = [
    ("connections", "connections at the same time; the last 32 serve /__admin and health checks alone"),
    ("body-bytes", "bytes of request bodies that are being received or used"),
    ("answer-bytes", "bytes of long answers that wait for their readers, in files without a name"),
    ("worlds", "worlds besides the default one"),
];

/// Long answers that are made at the same time; each takes a thread and reads the account.
const MAKERS: usize = 4;
/// How long a request waits for room before it is refused.
const PATIENCE: Duration = Duration::from_secs(20);
/// Connections beyond all others, for the operator's side and health checks.
pub const RESERVED_CONNECTIONS: u64 = 32;

/// How much of each there may be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bounds([u64; BOUNDS.len()]);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Bound {
    Connections,
    BodyBytes,
    AnswerBytes,
    Worlds,
}

#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum BoundError {
    #[error("unknown bound \"{0}\"; expected one of {names}", names = BOUNDS.map(|(name, _)| name).join(", "))]
    Unknown(String),
    #[error("\"{given}\" is not a valid {name}; expected a whole number of at least {least}")]
    Invalid { name: &'static str, given: String, least: u64 },
}

impl Default for Bounds {
    fn default() -> Self {
        Self([768, 256 << 20, 1 << 30, 1_000])
    }
}

impl Bounds {
    fn get(&self, bound: Bound) -> u64 {
        self.0[bound as usize]
    }

    /// Sets a bound by its name.
    pub fn set(&mut self, name: &str, given: &str) -> Result<(), BoundError> {
        let at = BOUNDS.iter().position(|(known, _)| *known == name);
        let at = at.ok_or_else(|| BoundError::Unknown(name.to_owned()))?;
        // One request of the largest size has to fit.
        let least = [RESERVED_CONNECTIONS * 2, super::intake::BODY_MAX as u64, 1 << 20, 1][at];
        let value = given.parse().ok().filter(|value| *value >= least);
        self.0[at] = value.ok_or_else(|| BoundError::Invalid { name: BOUNDS[at].0, given: given.to_owned(), least })?;
        Ok(())
    }
}

/// The bounds of a server, and how much of each is in use.
pub struct Room {
    bounds: Bounds,
    connections: Arc<Semaphore>,
    bodies: Arc<Semaphore>,
    makers: Arc<Semaphore>,
    answer_bytes: AtomicU64,
}

/// There was no room for so long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NoRoom(&'static str);

impl fmt::Display for NoRoom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(name) = self;
        write!(
            f,
            "The server is busy: its bound \"{name}\" is reached. Retry later, or start it with --bound {name}=N."
        )
    }
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
            connections: semaphore(bounds.get(Bound::Connections)),
            bodies: semaphore(bounds.get(Bound::BodyBytes) / BODY_UNIT),
            makers: semaphore(MAKERS as u64),
            answer_bytes: AtomicU64::new(0),
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
        let room = timeout(PATIENCE, self.bodies.clone().acquire_many_owned(units)).await;
        room.ok().and_then(Result::ok).ok_or(NoRoom("body-bytes"))
    }

    /// A turn to make a long answer.
    pub async fn maker(&self) -> Result<OwnedSemaphorePermit, NoRoom> {
        let turn = timeout(PATIENCE, self.makers.clone().acquire_owned()).await;
        turn.ok().and_then(Result::ok).ok_or(NoRoom("answer-bytes"))
    }

    /// Room for more bytes of long answers; to be given back by [`Room::drop_answer`].
    pub fn add_answer(&self, bytes: u64) -> Result<(), NoRoom> {
        let before = self.answer_bytes.fetch_add(bytes, Ordering::AcqRel);
        if before + bytes <= self.bounds.get(Bound::AnswerBytes) {
            return Ok(());
        }
        self.drop_answer(bytes);
        Err(NoRoom("answer-bytes"))
    }

    pub fn drop_answer(&self, bytes: u64) {
        self.answer_bytes.fetch_sub(bytes, Ordering::AcqRel);
    }

    pub fn worlds_max(&self) -> usize {
        permits(self.bounds.get(Bound::Worlds))
    }

    /// Name, bound and use of each.
    pub fn usage(&self, worlds: u64) -> [(&'static str, u64, u64); BOUNDS.len()] {
        let taken = |semaphore: &Semaphore, most: u64| most.saturating_sub(semaphore.available_permits() as u64);
        let of = |bound: Bound| self.bounds.get(bound);
        let in_use = [
            taken(&self.connections, of(Bound::Connections)),
            taken(&self.bodies, of(Bound::BodyBytes) / BODY_UNIT) * BODY_UNIT,
            self.answer_bytes.load(Ordering::Acquire),
            worlds,
        ];
        std::array::from_fn(|at| (BOUNDS[at].0, self.bounds.0[at], in_use[at]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_set_by_name() {
        let mut bounds = Bounds::default();
        assert_eq!(bounds.set("worlds", "5"), Ok(()));
        assert_eq!(bounds.get(Bound::Worlds), 5);
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
