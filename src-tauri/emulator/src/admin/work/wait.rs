//! Waiting for something to happen in a world: as long as the caller wants, and no longer than the world is what it was.

use std::time::Duration;

use roost_ops::Core;
use roost_wire::Query;
use tokio::{sync::watch, time::Instant};

use super::super::refused::Refused;
use crate::{door::bounds::Wait, faults::Span, world::World};

/// How long a request may wait.
pub const WAIT_MAX: Span = Span(Duration::from_secs(300));

/// `wait` of a query: until when.
pub fn until(query: &Query<'_>) -> Result<Option<Instant>, Refused> {
    let Some(text) = query.filled("wait") else { return Ok(None) };
    let wait: Span = text.parse().map_err(|why| Refused::bad_query(format!("wait: {why}.")))?;
    match wait <= WAIT_MAX {
        true => Ok(Some(Instant::now() + wait.0)),
        false => Err(Refused::bad_query(format!("wait must be at most {WAIT_MAX}."))),
    }
}

/// Somebody who waits in one epoch of a world.
pub struct Waiter<'w> {
    world: &'w World,
    epoch: u64,
    watch: watch::Receiver<u64>,
    until: Option<Instant>,
    /// From the first time that it waits.
    wait: Option<Wait>,
}

impl<'w> Waiter<'w> {
    /// To be made before the first look, so that nothing is missed.
    pub async fn new(world: &'w World, watch: watch::Receiver<u64>, until: Option<Instant>) -> Self {
        Self { world, epoch: world.flight.current().await, watch, until, wait: None }
    }

    /// Looks into the account, on a thread that may wait.
    pub async fn look<T: Send + 'static>(
        &mut self,
        look: impl FnOnce(&Core) -> Result<T, roost_ops::Error> + Send + 'static,
    ) -> Result<T, Refused> {
        self.watch.borrow_and_update();
        let core = self.world.core.clone();
        let looked = tokio::task::spawn_blocking(move || look(&core)).await.map_err(|_| Refused::internal())?;
        if self.world.flight.epoch() != self.epoch {
            return Err(self.ended());
        }
        Ok(looked?)
    }

    /// Marks what there is as seen.
    pub fn seen(&mut self) {
        self.watch.borrow_and_update();
    }

    /// Waits until there is news; false when there is no time left, or nobody asked to wait.
    pub async fn news(&mut self) -> Result<bool, Refused> {
        let Some(until) = self.until else { return Ok(false) };
        if self.wait.is_none() {
            self.wait = Some(self.world.wait()?);
        }
        tokio::select! {
            changed = self.watch.changed() => Ok(changed.is_ok()),
            () = tokio::time::sleep_until(until) => Ok(false),
            () = self.world.ground.told_to_stop() => Ok(false),
            () = self.world.flight.ended(self.epoch) => Err(self.ended()),
        }
    }

    fn ended(&self) -> Refused {
        if self.world.flight.is_gone() {
            return Refused::unknown_world(self.world.id.as_str());
        }
        let told = "The world was reset or restored while the request waited.";
        Refused::conflict("reset_meanwhile", told, "Ask again in the new epoch.")
    }
}
