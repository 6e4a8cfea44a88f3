//! How long a world stays when nobody uses it.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use super::World;

/// When it was made and last used, in real time.
pub struct Life {
    made: Instant,
    ttl: Option<Duration>,
    /// Milliseconds after it was made.
    used: AtomicU64,
    /// Who waits for something of it.
    held: AtomicUsize,
}

/// Use that lasts until this is dropped.
pub struct Held(Arc<World>);

impl Held {
    pub fn new(world: Arc<World>) -> Self {
        world.life.held.fetch_add(1, Ordering::SeqCst);
        Self(world)
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        // First, so that nobody sees it neither held nor used.
        self.0.life.touch();
        self.0.life.held.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Life {
    /// Of a world that goes when it was idle for `ttl`, or stays.
    pub fn new(ttl: Option<Duration>) -> Self {
        Self { made: Instant::now(), ttl, used: AtomicU64::new(0), held: AtomicUsize::new(0) }
    }

    /// How long it has been there.
    pub fn age(&self) -> Duration {
        self.made.elapsed()
    }

    pub fn ttl(&self) -> Option<Duration> {
        self.ttl
    }

    /// Somebody uses it; of worlds that stay nothing is written down.
    pub fn touch(&self) {
        if self.ttl.is_some() {
            let now = u64::try_from(self.made.elapsed().as_millis()).unwrap_or(u64::MAX);
            self.used.store(now, Ordering::Relaxed);
        }
    }

    /// How much of its time is left; none for worlds that stay.
    pub fn left(&self) -> Option<Duration> {
        if self.held.load(Ordering::SeqCst) > 0 {
            return self.ttl;
        }
        let idle = self.made.elapsed().saturating_sub(Duration::from_millis(self.used.load(Ordering::Relaxed)));
        Some(self.ttl?.saturating_sub(idle))
    }
}
