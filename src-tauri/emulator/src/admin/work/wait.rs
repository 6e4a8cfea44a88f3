//! Waits for an event in a world, for as long as the caller wants and the epoch lasts.

use std::time::Duration;

use roost_ops::Core;
use roost_wire::QueryString;
use tokio::{sync::watch, time::Instant};

use super::super::error::AdminError;
use crate::{http::bounds::WaitPermit, settings::HumanDuration, world::World};

/// The longest time that a request may wait.
pub(super) const WAIT_MAX: HumanDuration = HumanDuration(Duration::from_secs(300));

/// Parses the parameter `wait` and returns its deadline.
pub(super) fn parse_wait(query: &QueryString<'_>) -> Result<Option<Instant>, AdminError> {
    let Some(text) = query.filled_value("wait") else { return Ok(None) };
    let wait: HumanDuration = text.parse().map_err(|why| AdminError::bad_query(format!("wait: {why}.")))?;
    match wait <= WAIT_MAX {
        true => Ok(Some(Instant::now() + wait.0)),
        false => Err(AdminError::bad_query(format!("wait must be at most {WAIT_MAX}."))),
    }
}

/// A request that waits within one epoch of a world.
pub(super) struct WorldWaiter<'w> {
    world: &'w World,
    epoch: u64,
    watch: watch::Receiver<u64>,
    until: Option<Instant>,
    /// Held from the first wait on.
    wait: Option<WaitPermit>,
}

impl<'w> WorldWaiter<'w> {
    /// Must be created before the first read, so that no change is missed.
    pub(super) async fn new(world: &'w World, watch: watch::Receiver<u64>, until: Option<Instant>) -> Self {
        Self { world, epoch: world.epoch.wait_until_open().await, watch, until, wait: None }
    }

    /// Reads the account on a thread that may block.
    pub(super) async fn read_account<T: Send + 'static>(
        &mut self,
        look: impl FnOnce(&Core) -> Result<T, roost_ops::Error> + Send + 'static,
    ) -> Result<T, AdminError> {
        self.watch.borrow_and_update();
        let core = self.world.core.clone();
        let result = tokio::task::spawn_blocking(move || look(&core)).await.map_err(|_| AdminError::internal())?;
        if self.world.epoch.epoch() != self.epoch {
            return Err(self.ended_error());
        }
        Ok(result?)
    }

    /// Marks all changes so far as seen.
    pub(super) fn mark_seen(&mut self) {
        self.watch.borrow_and_update();
    }

    /// Waits for a change. Returns false if the timeout ends, the server stops, or the caller did not ask to wait.
    pub(super) async fn wait_for_news(&mut self) -> Result<bool, AdminError> {
        let Some(until) = self.until else { return Ok(false) };
        if self.wait.is_none() {
            self.wait = Some(self.world.begin_wait()?);
        }
        tokio::select! {
            changed = self.watch.changed() => Ok(changed.is_ok()),
            () = tokio::time::sleep_until(until) => Ok(false),
            () = self.world.resources.wait_for_stop() => Ok(false),
            () = self.world.epoch.wait_until_ended(self.epoch) => Err(self.ended_error()),
        }
    }

    fn ended_error(&self) -> AdminError {
        if self.world.epoch.is_removed() {
            return AdminError::unknown_world(self.world.id.as_str());
        }
        let message = "The world was reset or restored while the request waited.";
        AdminError::conflict("reset_meanwhile", message, "Ask again in the new epoch.")
    }
}
