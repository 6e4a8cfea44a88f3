//! Moves a world's clock. What becomes due on the way is done in order, and nothing is under way at the end.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use roost_model::time::DueTime;
use roost_ops::ctx::clock::ClockError;
use tokio::time::timeout;

use crate::world::{AccountOwnership, CompletedWork, World, WorldPass};

/// The time to which a clock is moved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AdvanceTarget {
    By(Duration),
    /// Nanoseconds since 1970.
    To(i64),
    /// Until nothing waits.
    Idle,
}

/// The clock's time before and after, and the work done on the way, in order.
#[derive(Debug)]
pub(crate) struct AdvanceResult {
    pub before: i64,
    pub now: i64,
    pub ran: Vec<CompletedWork>,
}

#[derive(Debug, thiserror::Error)]
pub enum AdvanceError {
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
pub(crate) async fn advance_clock(
    world: &Arc<World>,
    far: AdvanceTarget,
    patience: Duration,
) -> Result<AdvanceResult, AdvanceError> {
    if world.ownership == AccountOwnership::Lent {
        return Err(AdvanceError::NotOwn);
    }
    let pass = WorldPass::enter(world.clone()).await;
    let advanced = async {
        let _turn = world.ticker.turn.lock().await;
        let begun = Instant::now();
        // What was due before is completed first and is not reported, however far it had proceeded by itself.
        timeout(patience, world.run_due()).await.map_err(|_| AdvanceError::TooSlow(patience))??;
        let (before, to) = resolve_target(world, far)?;
        world
            .ticker
            .run_in_order(async || {
                loop {
                    let left = patience.saturating_sub(begun.elapsed());
                    timeout(left, world.run_due()).await.map_err(|_| AdvanceError::TooSlow(patience))??;
                    if world.ticker.completed_count() > MOST {
                        return Err(AdvanceError::TooMuch);
                    }
                    let next = world.next_due().await?.map(DueTime::as_nanos);
                    let next = next.filter(|next| to.is_none_or(|to| *next <= to));
                    let Some(at) = next.or(to.filter(|to| world.ticker.now_nanos() < *to)) else { return Ok(()) };
                    pass.run_in_epoch(|| world.ticker.move_to(at)).ok_or(AdvanceError::Overtaken)??;
                }
            })
            .await
            .map(|ran| AdvanceResult { before, now: world.ticker.now_nanos(), ran })
    };
    tokio::select! {
        biased;
        () = pass.wait_until_ended() => Err(AdvanceError::Overtaken),
        advanced = advanced => advanced,
    }
}

/// Returns the clock's time and the target; the target is None until nothing waits.
fn resolve_target(world: &World, far: AdvanceTarget) -> Result<(i64, Option<i64>), AdvanceError> {
    let before = world.ticker.now_nanos();
    let to = match far {
        AdvanceTarget::By(time) => {
            Some(i64::try_from(time.as_nanos()).map_or(i64::MAX, |by| before.saturating_add(by)))
        }
        AdvanceTarget::To(to) if to < before => return Err(AdvanceError::Back),
        AdvanceTarget::To(to) => Some(to),
        AdvanceTarget::Idle => None,
    };
    Ok((before, to))
}
