//! A world's epoch for asynchronous code: who is inside the world, and that a reset ends them.

use std::sync::{
    Arc, PoisonError, RwLock,
    atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering},
};

use tokio::sync::{Notify, watch};

use super::World;

/// The epoch of a removed world.
const REMOVED_EPOCH: u64 = u64::MAX;

pub(crate) struct EpochState {
    /// The same value as in the watch, readable without a lock.
    epoch: AtomicU64,
    current: watch::Sender<u64>,
    occupants: AtomicUsize,
    is_closed: AtomicBool,
    opened: Notify,
    left: Notify,
    /// Read-locked by acts outside the account, which no fence of the database stops; write-locked by the end of an
    /// epoch.
    outside_acts: RwLock<()>,
}

impl Default for EpochState {
    fn default() -> Self {
        Self {
            epoch: AtomicU64::new(0),
            current: watch::Sender::new(0),
            occupants: AtomicUsize::new(0),
            is_closed: AtomicBool::new(false),
            opened: Notify::new(),
            left: Notify::new(),
            outside_acts: RwLock::new(()),
        }
    }
}

impl EpochState {
    pub(crate) fn epoch(&self) -> u64 {
        self.epoch.load(Ordering::SeqCst)
    }

    pub(crate) fn is_removed(&self) -> bool {
        self.epoch() == REMOVED_EPOCH
    }

    /// Whether the world is being reset.
    pub(crate) fn is_closed(&self) -> bool {
        self.is_closed.load(Ordering::SeqCst)
    }

    /// Returns how many callers are inside the world.
    pub(crate) fn occupants(&self) -> usize {
        self.occupants.load(Ordering::SeqCst)
    }

    /// Admits nobody until the guard is dropped. Whoever comes meanwhile waits and belongs to the next epoch.
    pub(crate) fn close(&self) -> ClosedGuard<'_> {
        self.is_closed.store(true, Ordering::SeqCst);
        ClosedGuard(self)
    }

    pub(crate) fn open(&self) {
        self.is_closed.store(false, Ordering::SeqCst);
        self.opened.notify_waiters();
    }

    /// Ends the epoch, and with it everybody inside. Waits for acts outside the account, so do not call it on the
    /// event loop.
    pub(crate) fn end_epoch(&self) -> u64 {
        let _alone = self.outside_acts.write().unwrap_or_else(PoisonError::into_inner);
        let next = self.epoch() + 1;
        self.set_epoch(next);
        next
    }

    /// Ends the last epoch of a removed world.
    pub(crate) fn mark_removed(&self) {
        self.set_epoch(REMOVED_EPOCH);
    }

    fn set_epoch(&self, epoch: u64) {
        self.epoch.store(epoch, Ordering::SeqCst);
        self.current.send_replace(epoch);
    }

    /// Runs an act outside the account. The epoch cannot end meanwhile. Returns `None` if it has already ended.
    fn run_in_epoch<T>(&self, epoch: u64, act: impl FnOnce() -> T) -> Option<T> {
        let _act = self.outside_acts.read().unwrap_or_else(PoisonError::into_inner);
        (self.epoch() == epoch && epoch != REMOVED_EPOCH).then(act)
    }

    /// Waits until nobody is inside.
    pub(crate) async fn wait_until_empty(&self) {
        loop {
            let left = self.left.notified();
            if self.occupants() == 0 {
                return;
            }
            left.await;
        }
    }

    /// Waits until no reset is in progress, and returns the epoch.
    pub(crate) async fn wait_until_open(&self) -> u64 {
        loop {
            let opened = self.opened.notified();
            // The epoch is read before the flag, so that nobody enters an epoch that begins while the world is still
            // closed.
            let epoch = self.epoch();
            if !self.is_closed.load(Ordering::SeqCst) {
                return epoch;
            }
            opened.await;
        }
    }

    /// Waits until the epoch `ended` has ended.
    pub(crate) async fn wait_until_ended(&self, ended: u64) {
        // An error means that the world itself no longer exists.
        let _ = self.current.subscribe().wait_for(|epoch| *epoch != ended).await;
    }
}

/// A world that admits nobody. It opens when this is dropped, whatever the reason.
#[must_use]
pub(crate) struct ClosedGuard<'f>(&'f EpochState);

impl Drop for ClosedGuard<'_> {
    fn drop(&mut self) {
        self.0.open();
    }
}

/// The presence of a caller in one epoch of a world.
pub(crate) struct WorldPass {
    world: Arc<World>,
    epoch: u64,
}

impl WorldPass {
    /// Enters the world, after a reset that is in progress.
    pub(crate) async fn enter(world: Arc<World>) -> Self {
        loop {
            if let Some(epoch) = Self::try_enter(&world.epoch) {
                return Self { world, epoch };
            }
            world.epoch.wait_until_open().await;
        }
    }

    fn try_enter(flight: &EpochState) -> Option<u64> {
        flight.occupants.fetch_add(1, Ordering::SeqCst);
        // The epoch is read before the flag, so that nobody enters an epoch that begins while the world is closed.
        let epoch = flight.epoch();
        if flight.is_closed.load(Ordering::SeqCst) {
            leave_world(flight);
            return None;
        }
        Some(epoch)
    }

    /// Returns another pass for the same epoch, for a response whose body is still being sent.
    pub(crate) fn new_pass(&self) -> Self {
        self.world.epoch.occupants.fetch_add(1, Ordering::SeqCst);
        Self { world: self.world.clone(), epoch: self.epoch }
    }

    pub(crate) fn world(&self) -> &Arc<World> {
        &self.world
    }

    pub(crate) fn epoch(&self) -> u64 {
        self.epoch
    }

    /// Whether the epoch of the pass has ended.
    pub(crate) fn has_ended(&self) -> bool {
        let epoch = self.world.epoch.epoch();
        epoch != self.epoch || epoch == REMOVED_EPOCH
    }

    /// Runs an act outside the account if the epoch has not ended. Call only on threads that may block.
    pub(crate) fn run_in_epoch<T>(&self, act: impl FnOnce() -> T) -> Option<T> {
        self.world.epoch.run_in_epoch(self.epoch, act)
    }

    /// Waits until the epoch of the pass has ended.
    pub(crate) async fn wait_until_ended(&self) {
        if !self.has_ended() {
            self.world.epoch.wait_until_ended(self.epoch).await;
        }
    }
}

impl Drop for WorldPass {
    fn drop(&mut self) {
        leave_world(&self.world.epoch);
    }
}

fn leave_world(flight: &EpochState) {
    if flight.occupants.fetch_sub(1, Ordering::SeqCst) == 1 && flight.is_closed.load(Ordering::SeqCst) {
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
        let flight = EpochState::default();
        thread::scope(|threads| {
            let result = flight.run_in_epoch(0, || {
                assert!(flight.outside_acts.try_write().is_err(), "the epoch cannot end now");
                threads.spawn(|| flight.end_epoch());
                flight.epoch()
            });
            assert_eq!(result, Some(0));
        });
        assert_eq!(flight.epoch(), 1);
        assert_eq!(flight.run_in_epoch(0, || "late"), None);
        assert_eq!(flight.run_in_epoch(1, || "in time"), Some("in time"));
        flight.mark_removed();
        assert_eq!(flight.run_in_epoch(REMOVED_EPOCH, || "after the world"), None);
    }

    #[tokio::test]
    async fn a_reset_that_breaks_off_does_not_leave_the_world_shut() {
        let flight = EpochState::default();
        let broken = catch_unwind(AssertUnwindSafe(|| {
            let _shut = flight.close();
            resume_unwind(Box::new("broken"));
        }));
        assert!(broken.is_err());
        assert_eq!(flight.wait_until_open().await, 0);
    }
}
