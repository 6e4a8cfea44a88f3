//! Holds the lease, so that only one window or program at a time reads or changes the service.

use std::{future::Future, pin::pin, time::Duration};

use roost_ops::Core;
use roost_store::tables::sync::lease;
use tokio::time::timeout;

use super::{SyncError, run_blocking};

/// The interval at which the lease is renewed.
const RENEWAL_INTERVAL: Duration = Duration::from_secs(20);

/// The right to work with the service alone.
pub struct Lease(String);

impl Lease {
    /// Does `work` while holding the lease, or fails if another process holds it. If another process takes the lease
    /// over, the work is abandoned.
    pub async fn hold_during<T>(
        core: &Core,
        what: &str,
        work: impl Future<Output = Result<T, SyncError>> + Send,
    ) -> Result<T, SyncError> {
        let lease = Self(format!("{what} {}", core.ctx().trace_id()));
        lease.renew(core).await?;
        let mut work = pin!(work);
        let ended = loop {
            if let Ok(ended) = timeout(RENEWAL_INTERVAL, work.as_mut()).await {
                break ended;
            }
            lease.renew(core).await?;
        };
        run_blocking(core, move |core| core.write_quietly(|tx| Ok(lease::release_lease(tx, &lease.0)?))).await?;
        ended
    }

    /// Acquires or renews the lease, or fails if another process holds it.
    async fn renew(&self, core: &Core) -> Result<(), SyncError> {
        let owner = self.0.clone();
        let held = run_blocking(core, move |core| {
            let now = core.ctx().now();
            core.write_quietly(|tx| Ok(lease::acquire_lease(tx, &owner, now)?))
        });
        if held.await? { Ok(()) } else { Err(SyncError::Held) }
    }
}
