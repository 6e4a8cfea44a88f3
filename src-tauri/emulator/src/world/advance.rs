//! Moves a world's clock. What becomes due on the way is done in order, and nothing is under way at the end.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use roost_model::time::Timestamp;
use roost_ops::ctx::clock::ClockError;
use tokio::time::timeout;

use super::{Account, Pass, World};
use crate::work::Ran;

/// The time to which a clock is moved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Far {
    By(Duration),
    /// Nanoseconds since 1970.
    To(i64),
    /// Until nothing waits.
    Idle,
}

/// The clock's time before and after, and the work done on the way, in order.
#[derive(Debug)]
pub struct Advanced {
    pub before: i64,
    pub now: i64,
    pub ran: Vec<Ran>,
}

#[derive(Debug, thiserror::Error)]
pub enum NotAdvanced {
    #[error("This world uses an account shared with others, so its clock stays real.")]
    NotOwn,
    #[error("The clock already shows a later time.")]
    Back,
    #[error(transparent)]
    NotSet(#[from] ClockError),
    #[error("Work is still in progress after {0:?} of real time.")]
    TooSlow(Duration),
    #[error("More than {MOST} jobs and callback attempts became due.")]
    TooMuch,
    #[error("The world was reset or removed meanwhile.")]
    Overtaken,
    #[error(transparent)]
    Core(#[from] roost_ops::Error),
}

/// The most jobs and attempts of callbacks in one advance.
const MOST: usize = 10_000;

/// Moves the clock forward, in at most `patience` of real time.
pub async fn advance(world: &Arc<World>, far: Far, patience: Duration) -> Result<Advanced, NotAdvanced> {
    if world.account == Account::Lent {
        return Err(NotAdvanced::NotOwn);
    }
    let pass = Pass::enter(world.clone()).await;
    let advanced = async {
        let _turn = world.ticker.turn.lock().await;
        let begun = Instant::now();
        // What was due before is completed first and is not reported, however far it had proceeded by itself.
        timeout(patience, world.run_due()).await.map_err(|_| NotAdvanced::TooSlow(patience))??;
        let (before, to) = aim(world, far)?;
        world
            .ticker
            .in_order(async || {
                loop {
                    let left = patience.saturating_sub(begun.elapsed());
                    timeout(left, world.run_due()).await.map_err(|_| NotAdvanced::TooSlow(patience))??;
                    if world.ticker.ran_so_far() > MOST {
                        return Err(NotAdvanced::TooMuch);
                    }
                    let next = world.next_due().await?.map(Timestamp::as_nanos);
                    let next = next.filter(|next| to.is_none_or(|to| *next <= to));
                    let Some(at) = next.or(to.filter(|to| world.ticker.shows() < *to)) else { return Ok(()) };
                    pass.beside(|| world.ticker.forward(at)).ok_or(NotAdvanced::Overtaken)??;
                }
            })
            .await
            .map(|ran| Advanced { before, now: world.ticker.shows(), ran })
    };
    tokio::select! {
        biased;
        () = pass.ended() => Err(NotAdvanced::Overtaken),
        advanced = advanced => advanced,
    }
}

/// Returns the clock's time and the target; the target is None until nothing waits.
fn aim(world: &World, far: Far) -> Result<(i64, Option<i64>), NotAdvanced> {
    let before = world.ticker.shows();
    let to = match far {
        Far::By(time) => Some(i64::try_from(time.as_nanos()).map_or(i64::MAX, |by| before.saturating_add(by))),
        Far::To(to) if to < before => return Err(NotAdvanced::Back),
        Far::To(to) => Some(to),
        Far::Idle => None,
    };
    Ok((before, to))
}
