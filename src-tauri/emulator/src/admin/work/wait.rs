//! Waits for an event in a world, for as long as the caller wants and the epoch lasts.

use std::time::Duration;

use roost_ops::Core;
use roost_wire::QueryString;
use tokio::{sync::watch, time::Instant};

use super::super::refused::Refused;
use crate::{door::bounds::Wait, faults::Span, world::World};

/// The longest time that a request may wait.
pub const WAIT_MAX: Span = Span(Duration::from_secs(300));

/// Parses the parameter `wait` and returns its deadline.
pub fn until(query: &QueryString<'_>) -> Result<Option<Instant>, Refused> {
    let Some(text) = query.filled_value("wait") else { return Ok(None) };
    let wait: Span = text.parse().map_err(|why| Refused::bad_query(format!("wait: {why}.")))?;
    match wait <= WAIT_MAX {
        true => Ok(Some(Instant::now() + wait.0)),
        false => Err(Refused::bad_query(format!("wait must be at most {WAIT_MAX}."))),
    }
}

/// A request that waits within one epoch of a world.
pub struct Waiter<'w> {
    world: &'w World,
    epoch: u64,
    watch: watch::Receiver<u64>,
    until: Option<Instant>,
    /// Held from the first wait on.
    wait: Option<Wait>,
}

impl<'w> Waiter<'w> {
    /// Must be created before the first read, so that no change is missed.
    pub async fn new(world: &'w World, watch: watch::Receiver<u64>, until: Option<Instant>) -> Self {
        Self { world, epoch: world.flight.current().await, watch, until, wait: None }
    }

    /// Reads the account on a thread that may block.
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

    /// Marks all changes so far as seen.
    pub fn seen(&mut self) {
        self.watch.borrow_and_update();
    }

    /// Waits for a change. Returns false if the time is over or the caller did not ask to wait.
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
