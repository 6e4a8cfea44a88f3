//! A world's epoch for asynchronous code: who is inside the world, and that a reset ends them.

use std::sync::{
    Arc, PoisonError, RwLock,
    atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering},
};

use tokio::sync::{Notify, watch};

use super::World;

/// The epoch of a removed world.
const GONE: u64 = u64::MAX;

pub struct Flight {
    /// The same value as in the watch, readable without a lock.
    epoch: AtomicU64,
    told: watch::Sender<u64>,
    here: AtomicUsize,
    is_shut: AtomicBool,
    opened: Notify,
    left: Notify,
    /// Read-locked by acts outside the account, which no fence of the database stops; write-locked by the end of an
    /// epoch.
    beside: RwLock<()>,
}

impl Default for Flight {
    fn default() -> Self {
        Self {
            epoch: AtomicU64::new(0),
            told: watch::Sender::new(0),
            here: AtomicUsize::new(0),
            is_shut: AtomicBool::new(false),
            opened: Notify::new(),
            left: Notify::new(),
            beside: RwLock::new(()),
        }
    }
}

impl Flight {
    pub fn epoch(&self) -> u64 {
        self.epoch.load(Ordering::SeqCst)
    }

    pub fn is_gone(&self) -> bool {
        self.epoch() == GONE
    }

    /// Whether the world is being reset.
    pub fn is_shut(&self) -> bool {
        self.is_shut.load(Ordering::SeqCst)
    }

    /// Returns how many callers are inside the world.
    pub fn here(&self) -> usize {
        self.here.load(Ordering::SeqCst)
    }

    /// Admits nobody until the guard is dropped. Whoever comes meanwhile waits and belongs to the next epoch.
    pub fn shut(&self) -> Shut<'_> {
        self.is_shut.store(true, Ordering::SeqCst);
        Shut(self)
    }

    pub fn open(&self) {
        self.is_shut.store(false, Ordering::SeqCst);
        self.opened.notify_waiters();
    }

    /// Ends the epoch, and with it everybody inside. Waits for acts outside the account, so do not call it on the
    /// event loop.
    pub fn end(&self) -> u64 {
        let _alone = self.beside.write().unwrap_or_else(PoisonError::into_inner);
        let next = self.epoch() + 1;
        self.become_epoch(next);
        next
    }

    /// Ends the last epoch of a removed world.
    pub fn vanish(&self) {
        self.become_epoch(GONE);
    }

    fn become_epoch(&self, epoch: u64) {
        self.epoch.store(epoch, Ordering::SeqCst);
        self.told.send_replace(epoch);
    }

    /// Runs an act outside the account while the epoch `of` lasts; the epoch cannot end meanwhile. Returns None if it
    /// has ended.
    fn beside<T>(&self, of: u64, act: impl FnOnce() -> T) -> Option<T> {
        let _beside = self.beside.read().unwrap_or_else(PoisonError::into_inner);
        (self.epoch() == of && of != GONE).then(act)
    }

    /// Waits until nobody is inside.
    pub async fn is_empty(&self) {
        loop {
            let left = self.left.notified();
            if self.here() == 0 {
                return;
            }
            left.await;
        }
    }

    /// Waits until no reset is in progress, and returns the epoch.
    pub async fn current(&self) -> u64 {
        loop {
            let opened = self.opened.notified();
            // The epoch is read before the flag, so that nobody enters an epoch that begins while the world is still
            // closed.
            let epoch = self.epoch();
            if !self.is_shut.load(Ordering::SeqCst) {
                return epoch;
            }
            opened.await;
        }
    }

    /// Waits until the epoch `of` has ended.
    pub async fn ended(&self, of: u64) {
        // An error means that the world itself no longer exists.
        let _ = self.told.subscribe().wait_for(|epoch| *epoch != of).await;
    }
}

/// A world that admits nobody. It opens when this is dropped, whatever the reason.
#[must_use]
pub struct Shut<'f>(&'f Flight);

impl Drop for Shut<'_> {
    fn drop(&mut self) {
        self.0.open();
    }
}

/// The presence of a caller in one epoch of a world.
pub struct Pass {
    world: Arc<World>,
    epoch: u64,
}

impl Pass {
    /// Enters the world, after a reset that is in progress.
    pub async fn enter(world: Arc<World>) -> Self {
        loop {
            if let Some(epoch) = Self::try_enter(&world.flight) {
                return Self { world, epoch };
            }
            world.flight.current().await;
        }
    }

    fn try_enter(flight: &Flight) -> Option<u64> {
        flight.here.fetch_add(1, Ordering::SeqCst);
        // The epoch is read before the flag, so that nobody enters an epoch that begins while the world is closed.
        let epoch = flight.epoch();
        if flight.is_shut.load(Ordering::SeqCst) {
            leave(flight);
            return None;
        }
        Some(epoch)
    }

    /// Returns another pass for the same epoch, for a response whose body is still being sent.
    pub fn another(&self) -> Self {
        self.world.flight.here.fetch_add(1, Ordering::SeqCst);
        Self { world: self.world.clone(), epoch: self.epoch }
    }

    pub fn world(&self) -> &Arc<World> {
        &self.world
    }

    pub fn epoch(&self) -> u64 {
        self.epoch
    }

    /// Whether the epoch of the pass has ended.
    pub fn is_old(&self) -> bool {
        let epoch = self.world.flight.epoch();
        epoch != self.epoch || epoch == GONE
    }

    /// Runs an act outside the account if the epoch has not ended. Call only on threads that may block.
    pub fn beside<T>(&self, act: impl FnOnce() -> T) -> Option<T> {
        self.world.flight.beside(self.epoch, act)
    }

    /// Waits until the epoch of the pass has ended.
    pub async fn ended(&self) {
        if !self.is_old() {
            self.world.flight.ended(self.epoch).await;
        }
    }
}

impl Drop for Pass {
    fn drop(&mut self) {
        leave(&self.world.flight);
    }
}

fn leave(flight: &Flight) {
    if flight.here.fetch_sub(1, Ordering::SeqCst) == 1 && flight.is_shut.load(Ordering::SeqCst) {
        flight.left.notify_waiters();
    }
}

#[cfg(test)]
mod tests {
    use std::{
        panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
        thread,
    };

    use super::*;

    #[test]
    fn an_act_beside_the_account_ends_before_its_epoch_or_does_not_begin() {
        let flight = Flight::default();
        thread::scope(|threads| {
            let seen = flight.beside(0, || {
                assert!(flight.beside.try_write().is_err(), "the epoch cannot end now");
                threads.spawn(|| flight.end());
                flight.epoch()
            });
            assert_eq!(seen, Some(0));
        });
        assert_eq!(flight.epoch(), 1);
        assert_eq!(flight.beside(0, || "late"), None);
        assert_eq!(flight.beside(1, || "in time"), Some("in time"));
        flight.vanish();
        assert_eq!(flight.beside(GONE, || "after the world"), None);
    }

    #[tokio::test]
    async fn a_reset_that_breaks_off_does_not_leave_the_world_shut() {
        let flight = Flight::default();
        let broken = catch_unwind(AssertUnwindSafe(|| {
            let _shut = flight.shut();
            resume_unwind(Box::new("broken"));
        }));
        assert!(broken.is_err());
        assert_eq!(flight.current().await, 0);
    }
}
