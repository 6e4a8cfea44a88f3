//! Resets a world. Nothing that began before can respond or write afterwards (ADR 20).

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use roost_ops::{Image, callback, overview};
use schemars::JsonSchema;
use serde::Serialize;
use tokio::time::timeout;

use super::{Account, Beginning, ControlState, Head, KeptCopy, NotTaken, Snapshot, World, WorldState};
use crate::{
    faults::Span,
    settings::{Auth, Settings},
};

/// What happens to requests and jobs in progress.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mode {
    /// They end at once, and callers see their connection closed.
    #[default]
    Cancel,
    /// They have five seconds to finish.
    Drain,
}

/// The parts of the world to keep.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Keep {
    pub settings: bool,
    pub limits: bool,
    pub faults: bool,
    pub journal: bool,
    pub clock: bool,
    /// The seed and style of ids.
    pub random: bool,
}

/// The result of a reset.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Reset {
    /// The new epoch of the world.
    pub epoch: u64,
    pub cancelled: Cancelled,
    pub took: Span,
    /// Where the replaced account was saved. Only for a protected account file.
    pub copy: Option<KeptCopy>,
}

/// What was ended before it finished.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, JsonSchema)]
pub struct Cancelled {
    /// Requests in progress.
    pub requests: u64,
    /// Contact jobs that were waiting.
    pub jobs: u64,
    /// Callbacks that were not sent yet.
    pub callbacks: u64,
}

#[derive(Debug, thiserror::Error)]
pub enum NotReset {
    #[error("This world uses an account shared with others, so it cannot be replaced.")]
    NotOwn,
    #[error("There is no seed to return to, because this world began with an account file.")]
    NoSeed,
    #[error(
        "This replaces {replaced}, and removes {opt_outs}. Nothing was changed. Repeat with opt_outs={removed}, or on \
         the command line with --replace-opt-outs {removed}."
    )]
    Unconfirmed { replaced: String, removed: u64, opt_outs: String },
    #[error("Other machines can reach this server, so it does not accept a world that allows callers without keys.")]
    Reachable,
    #[error("The world was removed meanwhile.")]
    Gone,
    #[error(transparent)]
    NoCopy(#[from] NotTaken),
    #[error(transparent)]
    Core(#[from] roost_ops::Error),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Replacement {
    /// A seed to which later resets return.
    Seed,
    /// A seed; later resets return to the previous one.
    SeedOnce,
    Import,
}

/// How long a draining reset waits for work under way.
const DRAIN: Duration = Duration::from_secs(5);

/// Resets a world to its seed.
pub async fn reset(world: &Arc<World>, keep: Keep, mode: Mode, opt_outs: Option<u64>) -> Result<Reset, NotReset> {
    if world.account == Account::Lent {
        return Err(NotReset::NotOwn);
    }
    let image = world.seed().ok_or(NotReset::NoSeed)?;
    world.check_removal(&image, opt_outs).await?;
    let settings = (!keep.settings).then(|| world.settings_at_start.clone());
    let next = Successor {
        image,
        settings,
        beginning: world.beginning(),
        control: ControlState::default(),
        becomes_seed: false,
        is_from_seed: true,
        is_new: true,
    };
    exchange(world, next, keep, mode, false).await
}

/// Replaces the account of a world with an image.
pub async fn replace(world: &Arc<World>, image: Image, by: Replacement, keeps_copy: bool) -> Result<Reset, NotReset> {
    let keep = Keep { settings: true, clock: true, random: true, ..Keep::default() };
    // The image can contain IDs that were made here, so their count continues.
    let beginning = Beginning { position: world.core.ctx().ids().position(), ..world.beginning() };
    let (becomes_seed, is_from_seed) = (by == Replacement::Seed, by != Replacement::Import);
    exchange(
        world,
        Successor {
            image,
            settings: None,
            beginning,
            control: ControlState::default(),
            becomes_seed,
            is_from_seed,
            is_new: true,
        },
        keep,
        Mode::Cancel,
        keeps_copy,
    )
    .await
}

/// Restores a snapshot with all of the world's state.
pub async fn bring_back(world: &Arc<World>, snapshot: &Snapshot, opt_outs: Option<u64>) -> Result<Reset, NotReset> {
    world.check_removal(&snapshot.state.image, opt_outs).await?;
    exchange(world, snapshot.state.clone().into(), Keep::default(), Mode::Cancel, false).await
}

/// Replaces a world with another one, except its keys and the seed of its resets.
pub async fn take_over(world: &Arc<World>, state: WorldState, keeps_copy: bool) -> Result<Reset, NotReset> {
    let mut next = Successor::from(state);
    if let Some(settings) = &mut next.settings {
        if world.ground.is_reachable && settings.auth != Auth::Keys {
            return Err(NotReset::Reachable);
        }
        settings.keys = world.rules().settings.keys.clone();
    }
    exchange(world, next, Keep::default(), Mode::Cancel, keeps_copy).await
}

impl From<WorldState> for Successor {
    fn from(WorldState { image, head }: WorldState) -> Self {
        let Head { settings, beginning, is_from_seed, control } = head;
        Self { image, settings: Some(settings), beginning, control, becomes_seed: false, is_from_seed, is_new: false }
    }
}

/// The state that a world gets next.
struct Successor {
    image: Image,
    settings: Option<Settings>,
    beginning: Beginning,
    control: ControlState,
    /// Whether later resets return to it.
    becomes_seed: bool,
    is_from_seed: bool,
    /// It has nothing that was arranged, as at the start of the server.
    is_new: bool,
}

async fn exchange(
    world: &Arc<World>,
    next: Successor,
    keep: Keep,
    mode: Mode,
    keeps_copy: bool,
) -> Result<Reset, NotReset> {
    if world.account == Account::Lent {
        return Err(NotReset::NotOwn);
    }
    // Runs as a separate task, because a caller who leaves in the middle must not leave the world closed.
    let world = world.clone();
    let done = tokio::spawn(async move {
        let _turn = world.turn.lock().await;
        if world.flight.is_gone() {
            return Err(NotReset::Gone);
        }
        let begun = Instant::now();
        let shut = world.flight.shut();
        let done = exchanged(&world, &next.image, mode, keeps_copy).await;
        if let Ok((cancelled, _)) = &done {
            tracing::debug!(world = %world.id, ?cancelled, "put back");
            world.mark_from_seed(next.is_from_seed);
            if next.becomes_seed {
                world.set_seed(next.image, next.beginning);
            }
            world.count_steps();
            put_back(&world, next.settings, next.control, keep);
            next.beginning.put_back(&world.core, keep);
            if next.is_new && !keep.faults {
                world.begin_faults();
            }
            world.keep();
        }
        drop(shut);
        world.wake();
        let (cancelled, copy) = done?;
        Ok(Reset { epoch: world.flight.epoch(), cancelled, took: Span(begun.elapsed()), copy })
    });
    done.await.unwrap_or_else(|error| {
        tracing::error!(%error, "a reset stopped early");
        Err(NotReset::Gone)
    })
}

async fn exchanged(
    world: &Arc<World>,
    image: &Image,
    mode: Mode,
    keeps_copy: bool,
) -> Result<(Cancelled, Option<KeptCopy>), NotReset> {
    if mode == Mode::Drain {
        // What has not finished by then is ended like the rest.
        let _ = timeout(DRAIN, async {
            world.flight.is_empty().await;
            world.pump.jobs_rest().await;
        })
        .await;
    }
    // Waits end first, so that nobody responds from the new account. Then the account is fenced off and replaced.
    let ending = world.clone();
    let ended = tokio::task::spawn_blocking(move || {
        let requests = ending.flight.here() as u64;
        ending.flight.end();
        requests
    });
    let requests = ended.await.map_err(|_| NotReset::Gone)?;
    // Callbacks end with their epoch too; one that is still connecting would reach a receiver of the new state.
    world.pump.calls_rest().await;
    let (world, image) = (world.clone(), image.clone());
    let exchanged = tokio::task::spawn_blocking(move || {
        let core = &world.core;
        let jobs = overview::get(core)?.jobs_waiting;
        let callbacks = owed(core)?;
        let copy = if keeps_copy || world.is_protected() { Some(world.keep_copy()?) } else { None };
        core.replace(&image)?;
        Ok::<_, NotReset>((Cancelled { requests, jobs, callbacks }, copy))
    });
    exchanged.await.map_err(|_| NotReset::Gone)?
}

/// Counts the callbacks that wait for an attempt.
fn owed(core: &roost_ops::Core) -> Result<u64, roost_ops::Error> {
    let counts = callback::count_by_state(core, None)?;
    Ok(counts.waiting + counts.held)
}

/// Replaces the state outside the account.
fn put_back(world: &World, settings: Option<Settings>, control: ControlState, keep: Keep) {
    if let Some(mut settings) = settings {
        let Ok(_) = world.change_settings(|now| {
            if keep.limits {
                settings.keep_limits_of(now);
            }
            *now = settings;
            Ok::<_, std::convert::Infallible>(())
        });
    }
    world.load_control(control, keep);
    if !keep.journal {
        world.journal.restart(world.flight.epoch());
    }
}
