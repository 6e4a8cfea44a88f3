//! The work that is due by the world's clock, and waiting until it is done.

use std::sync::Arc;

use roost_model::time::{DueTime, Timestamp};
use roost_ops::{Error, callback};
use schemars::JsonSchema;
use serde::Serialize;

use super::{callbacks::run_blocking, jobs};
use crate::world::World;

/// What ran by itself, and when on the world's clock.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) struct CompletedWork {
    #[schemars(extend("format" = "date-time"))]
    pub at: String,
    #[schemars(extend("enum" = ["job", "callback"]))]
    pub what: &'static str,
    /// For a job: its number. For a callback: the number of its job.
    pub job: i64,
    /// For a callback: its number.
    pub callback: Option<i64>,
    /// For a callback: the number of the attempt.
    pub attempt: Option<u32>,
    /// For a callback: the receiver's status. Null: no response came.
    pub status: Option<u16>,
}

impl CompletedWork {
    pub(crate) fn for_job(at: Timestamp, job: i64) -> Self {
        Self { at: at.to_iso(), what: "job", job, callback: None, attempt: None, status: None }
    }

    pub(crate) fn for_callback(at: Timestamp, job: i64, callback: i64, attempt: u32, status: Option<u16>) -> Self {
        let (callback, attempt) = (Some(callback), Some(attempt));
        Self { at: at.to_iso(), what: "callback", job, callback, attempt, status }
    }
}

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
