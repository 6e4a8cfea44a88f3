//! The world's clock for asynchronous code: whoever waits for a time is woken when the clock is changed.

use std::{
    sync::{
        Arc, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use roost_model::time::DueTime;
use roost_ops::{
    Core,
    ctx::{
        Clock,
        clock::{ClockError, ClockSetting},
        ids::{IdPosition, IdScheme},
    },
};
use tokio::sync::{Mutex, watch};

use super::{CompletedWork, KeepOptions};

/// The longest sleep in real time, because the system's clock can change without notice.
const LONGEST_SLEEP: Duration = Duration::from_secs(30);

pub(crate) struct Ticker {
    clock: Arc<Clock>,
    changed: Arc<watch::Sender<()>>,
    /// Permits one advance at a time.
    pub turn: Mutex<()>,
    is_advancing: AtomicBool,
    ran: std::sync::Mutex<Vec<CompletedWork>>,
}

/// The clock's setting and the next IDs to which a reset of the world returns.
#[derive(Debug, Clone, Copy)]
pub(crate) struct StartingPoint {
    pub clock: ClockSetting,
    pub law: IdScheme,
    pub position: IdPosition,
}

impl StartingPoint {
    pub(crate) fn from_core(core: &Core) -> Self {
        let ids = core.ctx().ids();
        Self { clock: core.ctx().clock().reading(), law: ids.scheme(), position: ids.position() }
    }

    /// Restores clock and IDs. Call only while nothing is under way in the world.
    pub(crate) fn restore(&self, core: &Core, keep: KeepOptions) {
        let ids = core.ctx().ids();
        if !keep.clock {
            core.ctx().clock().restore_reading(self.clock);
        }
        if !keep.random {
            ids.set_scheme(self.law);
        }
        ids.restore_position(self.position);
    }
}

/// While this exists, due work is done one after the other, whatever the time.
struct OrderGuard<'t>(&'t Ticker);

impl Drop for OrderGuard<'_> {
    fn drop(&mut self) {
        self.0.is_advancing.store(false, Ordering::Release);
    }
}

impl Ticker {
    pub(crate) fn from_core(core: &Core) -> Self {
        let (clock, changed) = (core.ctx().clock().clone(), Arc::new(watch::Sender::new(())));
        let sender = Arc::downgrade(&changed);
        // A weak reference, because the account can outlive the world.
        clock.add_listener(move || {
            sender.upgrade().is_some_and(|sender| {
                sender.send_replace(());
                true
            })
        });
        Self {
            clock,
            changed,
            turn: Mutex::default(),
            is_advancing: AtomicBool::new(false),
            ran: std::sync::Mutex::default(),
        }
    }

    /// Waits until the clock shows this time, whatever its rate and whoever sets it meanwhile. Waits forever if the
    /// clock stands still before that time.
    pub(crate) async fn wait_until(&self, at: DueTime) {
        let at = at.as_nanos();
        let mut changed = self.changed.subscribe();
        loop {
            changed.borrow_and_update();
            let left = self.clock.time_until(at);
            if left == Some(Duration::ZERO) {
                return;
            }
            let sleep = async {
                match left {
                    Some(left) => tokio::time::sleep(left.min(LONGEST_SLEEP)).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                // The watch cannot fail, because `self` holds its sender.
                _ = changed.changed() => {}
                () = sleep => {}
            }
        }
    }

    fn lock_completed(&self) -> MutexGuard<'_, Vec<CompletedWork>> {
        self.ran.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records completed work for whoever moves the clock.
    pub(crate) fn record_completed(&self, ran: impl FnOnce() -> CompletedWork) {
        if self.is_advancing.load(Ordering::Acquire) {
            self.lock_completed().push(ran());
        }
    }

    pub(crate) fn completed_count(&self) -> usize {
        self.lock_completed().len()
    }

    /// Returns nanoseconds since 1970.
    pub(crate) fn now_nanos(&self) -> i64 {
        self.clock.nanos()
    }

    pub(crate) fn move_to(&self, to: i64) -> Result<(), ClockError> {
        self.clock.move_forward(to)
    }

    /// Whether due work is done one after the other, because the clock stands still or is being moved.
    pub(crate) fn is_in_order(&self) -> bool {
        self.is_advancing.load(Ordering::Acquire) || self.clock.is_frozen()
    }

    /// Runs an act during which due work is done one after the other. Returns the completed work in order.
    pub(crate) async fn run_in_order<E>(
        &self,
        act: impl AsyncFnOnce() -> Result<(), E>,
    ) -> Result<Vec<CompletedWork>, E> {
        self.lock_completed().clear();
        self.is_advancing.store(true, Ordering::Release);
        let in_order = OrderGuard(self);
        act().await?;
        drop(in_order);
        Ok(std::mem::take(&mut *self.lock_completed()))
    }
}

#[cfg(test)]
mod tests {
    use roost_model::time::Timestamp;
    use roost_ops::{
        Ctx,
        ctx::clock::{ClockMode, ClockSetting},
    };
    use tokio::time::timeout;

    use super::*;

    const AT: i64 = 1_767_603_600;
    const SOON: Duration = Duration::from_millis(50);

    fn frozen_ticker() -> (Core, Arc<Ticker>) {
        let clock = Clock::fixed(Timestamp::from_unix(AT));
        let core = Core::in_memory(Ctx::seeded(clock, 1)).expect("an account");
        let ticker = Arc::new(Ticker::from_core(&core));
        (core, ticker)
    }

    #[tokio::test]
    async fn a_wait_on_a_frozen_clock_ends_only_when_the_clock_is_moved_to_the_time() {
        let (core, ticker) = frozen_ticker();
        ticker.wait_until(Timestamp::from_unix(AT).into()).await;
        let later = Timestamp::from_unix(AT + 3_600).into();
        let waits = tokio::spawn({
            let ticker = ticker.clone();
            async move { ticker.wait_until(later).await }
        });
        core.ctx().advance(3_599);
        // There is no event for “nothing happens”, so the test waits a little.
        assert!(timeout(SOON, ticker.wait_until(later)).await.is_err());
        core.ctx().advance(1);
        waits.await.expect("there");
    }

    #[tokio::test]
    async fn a_wait_ends_soon_after_a_frozen_clock_is_set_to_run_fast() {
        let (core, ticker) = frozen_ticker();
        let later = Timestamp::from_unix(AT + 36_000).into();
        let waits = tokio::spawn({
            let ticker = ticker.clone();
            async move { ticker.wait_until(later).await }
        });
        core.ctx()
            .clock()
            .apply_setting(ClockSetting { mode: ClockMode::Scaled, now: None, rate: Some(100_000.0) })
            .expect("a setting");
        waits.await.expect("there");
        assert!(core.ctx().due_now() >= later);
    }

    #[test]
    fn a_dropped_ticker_does_not_stop_the_clock() {
        let (core, ticker) = frozen_ticker();
        drop(ticker);
        core.ctx().advance(1);
        assert_eq!(core.ctx().now(), Timestamp::from_unix(AT + 1));
    }
}
