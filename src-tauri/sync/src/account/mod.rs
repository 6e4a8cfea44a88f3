//! Gives the sync its view of the account: its cells, its lease, and the one passage from async code to the synchronous
//! core.

pub mod cells;
mod failed;
pub mod identity;
pub mod lease;

pub use failed::Failed;

use std::{future::Future, pin::Pin};

use roost_ops::{Core, Error};
use roost_reconcile::input::Learnt;
use roost_store::tables::sync::connection;

use crate::{Client, gather};

#[cfg(test)]
thread_local! {
    /// Runs account work on the calling thread. The histories are numerous, and every change of threads costs time.
    pub static IS_INLINE: std::cell::Cell<bool> = const { std::cell::Cell::new(false) };
}

/// Runs `act` on a thread that may block. It starts at once and is completed even if nobody awaits the result.
pub fn on<T: Send + 'static>(
    core: &Core,
    act: impl FnOnce(&Core) -> Result<T, Error> + Send + 'static,
) -> Pin<Box<dyn Future<Output = Result<T, Failed>> + Send>> {
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
            Err(_) => Err(Failed::Ending),
        }
    })
}

/// Stores what was learnt about the speed of the service.
pub async fn learn(core: &Core, teach: impl FnOnce(&mut Learnt) + Send + 'static) -> Result<(), Failed> {
    on(core, move |core| {
        core.write_quietly(|tx| {
            let before = gather::learnt(tx)?;
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
pub async fn learn_pace(core: &Core, client: &Client) -> Result<(), Failed> {
    let before = on(core, |core| core.read(|tx| Ok(gather::learnt(tx)?.calls_per_second))).await?;
    let now = client.learnt(before);
    if now == before { Ok(()) } else { learn(core, move |learnt| learnt.calls_per_second = now).await }
}
