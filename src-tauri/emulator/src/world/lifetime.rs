//! How long a world exists while nobody uses it.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use super::World;

/// When a world was created and last used, in real time.
pub(crate) struct WorldLifetime {
    created_at: Instant,
    ttl: Option<Duration>,
    /// Milliseconds from its creation to its last use.
    used: AtomicU64,
    /// The number of callers that wait for something in the world.
    held: AtomicUsize,
}

/// Counts as use until it is dropped.
pub(crate) struct UseGuard(Arc<World>);

impl UseGuard {
    pub(crate) fn new(world: Arc<World>) -> Self {
        world.lifetime.held.fetch_add(1, Ordering::SeqCst);
        Self(world)
    }
}

impl Drop for UseGuard {
    fn drop(&mut self) {
        // The use is recorded first, so that the world never appears both not held and unused.
        self.0.lifetime.mark_used();
        self.0.lifetime.held.fetch_sub(1, Ordering::SeqCst);
    }
}

impl WorldLifetime {
    /// Creates the lifetime of a world that is removed after `ttl` without use, or stays if there is no `ttl`.
    pub(crate) fn new(ttl: Option<Duration>) -> Self {
        Self { created_at: Instant::now(), ttl, used: AtomicU64::new(0), held: AtomicUsize::new(0) }
    }

    /// Returns the time since the world was created.
    pub(crate) fn age(&self) -> Duration {
        self.created_at.elapsed()
    }

    pub(crate) fn ttl(&self) -> Option<Duration> {
        self.ttl
    }

    /// Records a use. Does nothing for worlds that stay.
    pub(crate) fn mark_used(&self) {
        if self.ttl.is_some() {
            let now = u64::try_from(self.created_at.elapsed().as_millis()).unwrap_or(u64::MAX);
            self.used.store(now, Ordering::Relaxed);
        }
    }

    /// Returns the remaining time, or None for worlds that stay.
    pub(crate) fn time_left(&self) -> Option<Duration> {
        if self.held.load(Ordering::SeqCst) > 0 {
            return self.ttl;
        }
        let idle = self.created_at.elapsed().saturating_sub(Duration::from_millis(self.used.load(Ordering::Relaxed)));
        Some(self.ttl?.saturating_sub(idle))
    }
}
