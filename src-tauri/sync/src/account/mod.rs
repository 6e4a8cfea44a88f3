//! Gives the sync its view of the account: its cells, its fields, its lease, and the one passage from async code to the
//! synchronous core.

mod capabilities;
pub mod cells;
mod error;
pub mod fields;
pub mod identity;
pub mod lease;

pub use capabilities::{CUSTOM_FIELDS, StoredCapabilities, StoredCapability, read_capabilities, read_speed};
pub use error::SyncError;

use std::{future::Future, pin::Pin};

use roost_ops::{Core, Error};
use roost_reconcile::input::ServiceSpeed;
use roost_store::tables::sync::connection;

use crate::Client;

#[cfg(test)]
thread_local! {
    /// Runs account work on the calling thread. The histories are numerous, and every change of threads costs time.
    pub static IS_INLINE: std::cell::Cell<bool> = const { std::cell::Cell::new(false) };
}

/// Work on a thread that may block.
pub type BlockingTask<T> = Pin<Box<dyn Future<Output = Result<T, SyncError>> + Send>>;

/// Runs `act` on a thread that may block. It starts at once and is completed even if nobody awaits the result.
pub fn run_blocking<T: Send + 'static>(
    core: &Core,
    act: impl FnOnce(&Core) -> Result<T, Error> + Send + 'static,
) -> BlockingTask<T> {
    #[cfg(test)]
    if IS_INLINE.get() {
        let done = act(core);
        return Box::pin(async move { Ok(done?) });
    }
    let core = core.clone();
    let task = tokio::task::spawn_blocking(move || act(&core));
    Box::pin(async move {
        match task.await {
            Ok(done) => Ok(done?),
            Err(ended) if ended.is_panic() => std::panic::resume_unwind(ended.into_panic()),
            Err(_) => Err(SyncError::Ending),
        }
    })
}

/// Stores what was learnt about the speed of the service.
pub async fn update_speed(
    core: &Core,
    teach: impl FnOnce(&mut ServiceSpeed) + Send + 'static,
) -> Result<(), SyncError> {
    run_blocking(core, move |core| {
        core.write_quietly(|tx| {
            let before = read_speed(tx)?;
            let mut learnt = before.clone();
            teach(&mut learnt);
            if learnt != before {
                connection::set_learnt(tx, &serde_json::to_string(&learnt).unwrap_or_default())?;
            }
            Ok(())
        })
    })
    .await
}

/// Stores the pace at which the next piece of work is to begin, judged by the pace of this one.
pub async fn store_pace(core: &Core, client: &Client) -> Result<(), SyncError> {
    let before = run_blocking(core, |core| core.read(|tx| Ok(read_speed(tx)?.calls_per_second))).await?;
    let now = client.next_starting_rate(before);
    if now == before { Ok(()) } else { update_speed(core, move |learnt| learnt.calls_per_second = now).await }
}
