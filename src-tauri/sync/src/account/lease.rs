//! Holds the lease, so that only one window or program at a time reads or changes the service.

use std::{future::Future, pin::pin, time::Duration};

use roost_ops::Core;
use roost_store::tables::sync::lease;
use tokio::time::timeout;

use super::{Failed, on};

/// The interval at which the lease is renewed.
const BEAT: Duration = Duration::from_secs(20);

/// The right to work with the service alone.
pub struct Lease(String);

impl Lease {
    /// Does `work` while holding the lease, or fails if another process holds it. If another process takes the lease
    /// over, the work is abandoned.
    pub async fn during<T>(
        core: &Core,
        what: &str,
        work: impl Future<Output = Result<T, Failed>> + Send,
    ) -> Result<T, Failed> {
        let lease = Self(format!("{what} {}", core.ctx().trace_id()));
        lease.beat(core).await?;
        let mut work = pin!(work);
        let ended = loop {
            if let Ok(ended) = timeout(BEAT, work.as_mut()).await {
                break ended;
            }
            lease.beat(core).await?;
        };
        on(core, move |core| core.write_quietly(|tx| Ok(lease::let_go(tx, &lease.0)?))).await?;
        ended
    }

    /// Acquires or renews the lease, or fails if another process holds it.
    async fn beat(&self, core: &Core) -> Result<(), Failed> {
        let owner = self.0.clone();
        let held = on(core, move |core| {
            let now = core.ctx().now();
            core.write_quietly(|tx| Ok(lease::hold(tx, &owner, now)?))
        });
        if held.await? { Ok(()) } else { Err(Failed::Held) }
    }
}
