//! A world's epoch as the asynchronous side sees it: who is inside, and that a reset ends them.

use std::sync::{
    Arc, PoisonError, RwLock,
    atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering},
};

use tokio::sync::{Notify, watch};

use super::World;

/// The epoch of a world that was removed.
const GONE: u64 = u64::MAX;

pub struct Flight {
    /// The same as in `told`, to be read without a lock.
    epoch: AtomicU64,
    told: watch::Sender<u64>,
    here: AtomicUsize,
    is_shut: AtomicBool,
    opened: Notify,
    left: Notify,
    /// Read by acts beside the account, which no fence of the database stops; written by the end of an epoch.
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

    /// Whether it is being reset.
    pub fn is_shut(&self) -> bool {
        self.is_shut.load(Ordering::SeqCst)
    }

    /// How many are inside.
    pub fn here(&self) -> usize {
        self.here.load(Ordering::SeqCst)
    }

    /// Lets nobody in until that is dropped: whoever comes meanwhile waits and belongs to the next epoch.
    pub fn shut(&self) -> Shut<'_> {
        self.is_shut.store(true, Ordering::SeqCst);
        Shut(self)
    }

    pub fn open(&self) {
        self.is_shut.store(false, Ordering::SeqCst);
        self.opened.notify_waiters();
    }

    /// Ends the epoch, and with it everybody inside. Waits for acts beside the account, so never on the event loop.
    pub fn end(&self) -> u64 {
        let _alone = self.beside.write().unwrap_or_else(PoisonError::into_inner);
        let next = self.epoch() + 1;
        self.become_epoch(next);
        next
    }

    /// Ends it for good.
    pub fn vanish(&self) {
        self.become_epoch(GONE);
    }

    fn become_epoch(&self, epoch: u64) {
        self.epoch.store(epoch, Ordering::SeqCst);
        self.told.send_replace(epoch);
    }

    /// Acts beside the account while the epoch `of` lasts, which does not end meanwhile; not at all when it has ended.
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

    /// The epoch, once nothing is being reset.
    pub async fn current(&self) -> u64 {
        loop {
            let opened = self.opened.notified();
            // Read before the door is looked at: an epoch that begins behind a shut door is not entered early.
            let epoch = self.epoch();
            if !self.is_shut.load(Ordering::SeqCst) {
                return epoch;
            }
            opened.await;
        }
    }

    /// Ends with the epoch `of`.
    pub async fn ended(&self, of: u64) {
        // An error means that the world itself is gone.
        let _ = self.told.subscribe().wait_for(|epoch| *epoch != of).await;
    }
}

/// A world that nobody enters; it opens whatever ends this.
#[must_use]
pub struct Shut<'f>(&'f Flight);

impl Drop for Shut<'_> {
    fn drop(&mut self) {
        self.0.open();
    }
}

/// Somebody inside a world, in one of its epochs.
pub struct Pass {
    world: Arc<World>,
    epoch: u64,
}

impl Pass {
    /// Goes in; waits while the world is being reset.
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
        // In this order, as in `current`.
        let epoch = flight.epoch();
        if flight.is_shut.load(Ordering::SeqCst) {
            leave(flight);
            return None;
        }
        Some(epoch)
    }

    /// One more of the same, for what goes on behind an answer's head.
    pub fn another(&self) -> Self {
        self.world.flight.here.fetch_add(1, Ordering::SeqCst);
        Self { world: self.world.clone(), epoch: self.epoch }
    }

    pub fn world(&self) -> &Arc<World> {
        &self.world
    }

    /// The epoch it is of.
    pub fn epoch(&self) -> u64 {
        self.epoch
    }

    /// Whether its epoch has ended.
    pub fn is_old(&self) -> bool {
        let epoch = self.world.flight.epoch();
        epoch != self.epoch || epoch == GONE
    }

    /// Acts on what lies beside the account, in its epoch or not at all. For threads that may wait.
    pub fn beside<T>(&self, act: impl FnOnce() -> T) -> Option<T> {
        self.world.flight.beside(self.epoch, act)
    }

    /// Waits for the end of its epoch.
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
