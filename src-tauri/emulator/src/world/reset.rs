//! Putting a world back: nothing that began before can be answered or written afterwards (ADR 20).

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use roost_ops::{Image, callback, overview};
use schemars::JsonSchema;
use serde::Serialize;
use tokio::time::timeout;

use super::{Account, Beginning, Snapshot, World};
use crate::settings::Settings;

/// What becomes of requests and jobs under way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mode {
    /// They end at once; callers find their line closed.
    #[default]
    Cancel,
    /// They have five seconds to end by themselves.
    Drain,
}

/// What stays as it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Keep {
    pub settings: bool,
    pub limits: bool,
    pub faults: bool,
    pub journal: bool,
    pub clock: bool,
    /// The seed of ids and what they look like.
    pub random: bool,
}

/// What a reset did.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Reset {
    /// Of the world, from now on.
    pub epoch: u64,
    pub cancelled: Cancelled,
    pub took_ms: f64,
}

/// What ended without its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, JsonSchema)]
pub struct Cancelled {
    /// Requests and answers under way.
    pub requests: u64,
    /// Contact jobs that waited.
    pub jobs: u64,
    /// Callbacks that were still owed.
    pub callbacks: u64,
}

#[derive(Debug, thiserror::Error)]
pub enum NotReset {
    #[error("This world plays on an account that others use, so nothing is put in its place.")]
    NotOwn,
    #[error("This world began on a file, and nobody said what to go back to.")]
    NoSeed,
    #[error("The world was removed meanwhile.")]
    Gone,
    #[error(transparent)]
    Core(#[from] roost_ops::Error),
}

/// How long those under way are waited for when they may end by themselves.
const DRAIN: Duration = Duration::from_secs(5);

/// Back to the seed.
pub async fn reset(world: &Arc<World>, keep: Keep, mode: Mode) -> Result<Reset, NotReset> {
    if world.account == Account::Lent {
        return Err(NotReset::NotOwn);
    }
    let image = world.seed().ok_or(NotReset::NoSeed)?;
    let settings = (!keep.settings).then(|| world.settings_at_start.clone());
    exchange(world, image, settings, keep, mode, false, world.beginning()).await
}

/// Another image in the place of everything, and with it the settings that are given.
pub async fn replace(
    world: &Arc<World>,
    image: Image,
    settings: Option<Settings>,
    becomes_seed: bool,
) -> Result<Reset, NotReset> {
    let keep = Keep { settings: settings.is_none(), clock: true, random: true, ..Keep::default() };
    // What comes may hold ids that were made here, so their count goes on.
    let beginning = Beginning { position: world.core.ctx().ids().position(), ..world.beginning() };
    exchange(world, image, settings, keep, Mode::Cancel, becomes_seed, beginning).await
}

/// Back to a snapshot, its time and the ids that come next included.
pub async fn bring_back(world: &Arc<World>, snapshot: &Snapshot) -> Result<Reset, NotReset> {
    let settings = Some(snapshot.settings.clone());
    exchange(world, snapshot.image.clone(), settings, Keep::default(), Mode::Cancel, false, snapshot.beginning).await
}

async fn exchange(
    world: &Arc<World>,
    image: Image,
    settings: Option<Settings>,
    keep: Keep,
    mode: Mode,
    becomes_seed: bool,
    beginning: Beginning,
) -> Result<Reset, NotReset> {
    if world.account == Account::Lent {
        return Err(NotReset::NotOwn);
    }
    // In a task of its own: a caller who leaves in the middle must not leave the world shut.
    let world = world.clone();
    let done = tokio::spawn(async move {
        let _turn = world.turn.lock().await;
        if world.flight.is_gone() {
            return Err(NotReset::Gone);
        }
        let begun = Instant::now();
        let shut = world.flight.shut();
        let done = exchanged(&world, &image, mode).await;
        if let Ok(cancelled) = &done {
            tracing::debug!(world = %world.id, ?cancelled, "put back");
            if becomes_seed {
                world.set_seed(image, beginning);
            }
            put_back(&world, settings, keep);
            beginning.put_back(&world.core, keep);
        }
        drop(shut);
        world.wake();
        let cancelled = done?;
        Ok(Reset { epoch: world.flight.epoch(), cancelled, took_ms: begun.elapsed().as_secs_f64() * 1_000.0 })
    });
    done.await.unwrap_or_else(|error| {
        tracing::error!(%error, "a reset broke off");
        Err(NotReset::Gone)
    })
}

async fn exchanged(world: &Arc<World>, image: &Image, mode: Mode) -> Result<Cancelled, NotReset> {
    if mode == Mode::Drain {
        // Who has not ended by then is ended like the others.
        let _ = timeout(DRAIN, async {
            world.flight.is_empty().await;
            world.pump.jobs_rest().await;
        })
        .await;
    }
    // First the waits end, so that nobody answers out of what comes; then the account is fenced off and exchanged.
    let ending = world.clone();
    let ended = tokio::task::spawn_blocking(move || {
        let requests = ending.flight.here() as u64;
        ending.flight.end();
        requests
    });
    let requests = ended.await.map_err(|_| NotReset::Gone)?;
    // Callbacks end with their epoch too; one that was still connecting would reach the receiver of what comes.
    world.pump.calls_rest().await;
    let (core, image) = (world.core.clone(), image.clone());
    let exchanged = tokio::task::spawn_blocking(move || {
        let jobs = overview::get(&core)?.jobs_waiting;
        let callbacks = owed(&core)?;
        core.replace(&image)?;
        Ok::<_, roost_ops::Error>((jobs, callbacks))
    });
    let (jobs, callbacks) = exchanged.await.map_err(|_| NotReset::Gone)??;
    Ok(Cancelled { requests, jobs, callbacks })
}

/// Callbacks that wait for a try.
fn owed(core: &roost_ops::Core) -> Result<u64, roost_ops::Error> {
    let counts = callback::counts(core, None)?;
    Ok(counts.waiting + counts.held)
}

/// What lies beside the account.
fn put_back(world: &World, settings: Option<Settings>, keep: Keep) {
    if let Some(mut settings) = settings {
        let Ok(_) = world.change_settings(|now| {
            if keep.limits {
                settings.keep_limits_of(now);
            }
            *now = settings;
            Ok::<_, std::convert::Infallible>(())
        });
    }
    if !keep.limits {
        world.lanes.refill();
    }
    if !keep.faults {
        world.faults.clear();
    }
    world.pump.clear(keep.faults);
    world.hooks.clear();
    if !keep.journal {
        world.journal.restart(world.flight.epoch());
    }
}
