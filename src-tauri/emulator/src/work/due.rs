//! The work that is due by the world's clock, and waiting until it is done.

use std::sync::Arc;

use roost_model::time::DueTime;
use roost_ops::{Error, callback};

use super::{callbacks::run_blocking, jobs};
use crate::world::World;

impl World {
    /// Returns when the next work is due by the world's clock, or None if nothing waits. Work that is due already
    /// counts as due now.
    pub(crate) async fn next_due(self: &Arc<Self>) -> Result<Option<DueTime>, Error> {
        let world = self.clone();
        let next =
            run_blocking(&self.core, move |core| Ok((jobs::next_job_due(&world, core)?, callback::next_due_at(core)?)));
        let (job, callback) = next.await?;
        Ok([job, callback].into_iter().flatten().min())
    }

    /// Waits until no job and no call is under way.
    pub(crate) async fn wait_until_idle(&self) {
        self.work.wait_for_jobs().await;
        self.work.wait_for_calls().await;
    }

    /// Waits until everything that is due now by the world's clock is done, including what follows from it.
    pub(crate) async fn run_due(self: &Arc<Self>) -> Result<(), Error> {
        if self.resources.runtime.is_none() {
            // Without a runtime, the caller runs the jobs itself.
            return Ok(());
        }
        self.wake_workers();
        let mut calls = self.work.watch_calls();
        while !self.has_ended() {
            calls.borrow_and_update();
            self.wait_until_idle().await;
            if self.next_due().await?.is_none_or(|at| at > self.core.ctx().due_now()) {
                return Ok(());
            }
            // A call began or ended, or there may be a further job.
            tokio::select! {
                _ = calls.changed() => {}
                () = self.work.wait_for_job_request() => {}
            }
        }
        Ok(())
    }
}
