//! Resets a world. Nothing that began before can respond or write afterwards (ADR 20).

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use roost_ops::{Image, callback, overview};
use schemars::JsonSchema;
use serde::Serialize;
use tokio::time::timeout;

use super::{
    BackupCopy,
    protection::{back_up, check_image_removal, is_protected},
};
use crate::{
    settings::{AuthSetting, HumanDuration, Settings},
    world::{
        AccountOwnership, BackupError, ControlState, KeepOptions, Snapshot, StartingPoint, World, WorldHead, WorldState,
    },
};

/// What happens to requests and jobs in progress.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum ResetMode {
    /// They end at once, and callers see their connection closed.
    #[default]
    Cancel,
    /// They have five seconds to finish.
    Drain,
}

/// The result of a reset.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub(crate) struct ResetReport {
    /// The new epoch of the world.
    pub epoch: u64,
    pub cancelled: CancelledWork,
    pub took: HumanDuration,
    /// Where the replaced account was saved. Only for a protected account file.
    pub copy: Option<BackupCopy>,
}

/// What was ended before it finished.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, JsonSchema)]
pub(crate) struct CancelledWork {
    /// Requests in progress.
    pub requests: u64,
    /// Contact jobs that were waiting.
    pub jobs: u64,
    /// Callbacks that were not sent yet.
    pub callbacks: u64,
}

#[derive(Debug, thiserror::Error)]
pub enum ResetError {
    #[error("This world uses an account shared with others, so it cannot be replaced.")]
    NotOwn,
    #[error("There is no seed to return to, because this world began with an account file.")]
    NoSeed,
    #[error("This replaces {replaced}, and removes {opt_outs}. Nothing was changed. Repeat with opt_outs={removed}.")]
    Unconfirmed { replaced: String, removed: u64, opt_outs: String },
    #[error("Other machines can reach this server, so it does not accept a world that allows callers without keys.")]
    Reachable,
    #[error("The world was removed meanwhile.")]
    Gone,
    #[error(transparent)]
    NoCopy(#[from] BackupError),
    #[error(transparent)]
    Core(#[from] roost_ops::Error),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Replacement {
    /// A seed to which later resets return.
    Seed,
    /// A seed; later resets return to the previous one.
    SeedOnce,
    Import,
}

/// How long a draining reset waits for work under way.
const DRAIN_TIMEOUT: Duration = Duration::from_secs(5);

/// Resets a world to its seed.
pub(crate) async fn reset_world(
    world: &Arc<World>,
    keep: KeepOptions,
    mode: ResetMode,
    opt_outs: Option<u64>,
) -> Result<ResetReport, ResetError> {
    if world.ownership == AccountOwnership::Lent {
        return Err(ResetError::NotOwn);
    }
    let image = world.seed().ok_or(ResetError::NoSeed)?;
    check_image_removal(world, &image, opt_outs).await?;
    let settings = (!keep.settings).then(|| world.settings_at_start.clone());
    let next = NextState {
        image,
        settings,
        beginning: world.starting_point(),
        control: ControlState { receivers: world.receivers.of_seed(), ..ControlState::default() },
        becomes_seed: false,
        is_from_seed: true,
        is_new: true,
    };
    replace_state(world, next, keep, mode, false).await
}

/// Replaces the account of a world with an image.
pub(crate) async fn replace_account(
    world: &Arc<World>,
    image: Image,
    by: Replacement,
    keeps_copy: bool,
) -> Result<ResetReport, ResetError> {
    let keep = KeepOptions { settings: true, clock: true, random: true, ..KeepOptions::default() };
    // The image can contain IDs that were made here, so their count continues.
    let beginning = StartingPoint { position: world.core.ctx().ids().position(), ..world.starting_point() };
    let (becomes_seed, is_from_seed) = (by == Replacement::Seed, by != Replacement::Import);
    replace_state(
        world,
        NextState {
            image,
            settings: None,
            beginning,
            control: ControlState::default(),
            becomes_seed,
            is_from_seed,
            is_new: true,
        },
        keep,
        ResetMode::Cancel,
        keeps_copy,
    )
    .await
}

/// Restores a snapshot with all of the world's state.
pub(crate) async fn restore_snapshot(
    world: &Arc<World>,
    snapshot: &Snapshot,
    opt_outs: Option<u64>,
) -> Result<ResetReport, ResetError> {
    check_image_removal(world, &snapshot.state.image, opt_outs).await?;
    replace_state(world, snapshot.state.clone().into(), KeepOptions::default(), ResetMode::Cancel, false).await
}

/// Replaces a world with another one, except its keys and the seed of its resets.
pub(crate) async fn replace_world(
    world: &Arc<World>,
    state: WorldState,
    keeps_copy: bool,
) -> Result<ResetReport, ResetError> {
    let mut next = NextState::from(state);
    if let Some(settings) = &mut next.settings {
        if world.resources.is_reachable && settings.auth != AuthSetting::Keys {
            return Err(ResetError::Reachable);
        }
        settings.keys = world.active_settings().settings.keys.clone();
    }
    replace_state(world, next, KeepOptions::default(), ResetMode::Cancel, keeps_copy).await
}

impl From<WorldState> for NextState {
    fn from(WorldState { image, head }: WorldState) -> Self {
        let WorldHead { settings, starting_point: beginning, is_from_seed, control } = head;
        Self { image, settings: Some(settings), beginning, control, becomes_seed: false, is_from_seed, is_new: false }
    }
}

/// The state that a world gets next.
struct NextState {
    image: Image,
    settings: Option<Settings>,
    beginning: StartingPoint,
    control: ControlState,
    /// Whether later resets return to it.
    becomes_seed: bool,
    is_from_seed: bool,
    /// Whether nothing is arranged in the world, as at the start of the server.
    is_new: bool,
}

async fn replace_state(
    world: &Arc<World>,
    next: NextState,
    keep: KeepOptions,
    mode: ResetMode,
    keeps_copy: bool,
) -> Result<ResetReport, ResetError> {
    if world.ownership == AccountOwnership::Lent {
        return Err(ResetError::NotOwn);
    }
    // Runs as a separate task, because a caller who leaves in the middle must not leave the world closed.
    let world = world.clone();
    let done = tokio::spawn(async move {
        let _turn = world.change_lock.lock().await;
        if world.epoch.is_removed() {
            return Err(ResetError::Gone);
        }
        let begun = Instant::now();
        let shut = world.epoch.close();
        let done = replace_image(&world, &next.image, mode, keeps_copy).await;
        if let Ok((cancelled, _)) = &done {
            tracing::debug!(world = %world.id, ?cancelled, "put back");
            world.set_from_seed(next.is_from_seed);
            if next.becomes_seed {
                world.set_seed(next.image, next.beginning);
            }
            world.mark_first_step();
            apply_settings_and_control(&world, next.settings, next.control, keep);
            next.beginning.restore(&world.core, keep);
            if next.is_new && !keep.faults {
                world.begin_faults();
            }
            world.persist();
        }
        drop(shut);
        world.wake_workers();
        let (cancelled, copy) = done?;
        Ok(ResetReport { epoch: world.epoch.epoch(), cancelled, took: HumanDuration(begun.elapsed()), copy })
    });
    done.await.unwrap_or_else(|error| {
        tracing::error!(%error, "a reset stopped early");
        Err(ResetError::Gone)
    })
}

async fn replace_image(
    world: &Arc<World>,
    image: &Image,
    mode: ResetMode,
    keeps_copy: bool,
) -> Result<(CancelledWork, Option<BackupCopy>), ResetError> {
    if mode == ResetMode::Drain {
        // What has not finished by then is ended like the rest.
        let _ = timeout(DRAIN_TIMEOUT, async {
            world.epoch.wait_until_empty().await;
            world.work.wait_for_jobs().await;
        })
        .await;
    }
    // Waits end first, so that nobody responds from the new account. Then the account is fenced off and replaced.
    let ending = world.clone();
    let ended = tokio::task::spawn_blocking(move || {
        let requests = ending.epoch.occupants() as u64;
        ending.epoch.end_epoch();
        requests
    });
    let requests = ended.await.map_err(|_| ResetError::Gone)?;
    // Callbacks end with their epoch too; one that is still connecting would reach a receiver of the new state.
    world.work.wait_for_calls().await;
    let (world, image) = (world.clone(), image.clone());
    let exchanged = tokio::task::spawn_blocking(move || {
        let core = &world.core;
        let jobs = overview::get(core)?.jobs_waiting;
        let callbacks = count_owed(core)?;
        let copy = if keeps_copy || is_protected(&world) { Some(back_up(&world)?) } else { None };
        core.replace(&image)?;
        Ok::<_, ResetError>((CancelledWork { requests, jobs, callbacks }, copy))
    });
    exchanged.await.map_err(|_| ResetError::Gone)?
}

/// Counts the callbacks that wait for an attempt.
fn count_owed(core: &roost_ops::Core) -> Result<u64, roost_ops::Error> {
    let counts = callback::count_by_state(core, None)?;
    Ok(counts.waiting + counts.held)
}

/// Replaces the state outside the account.
fn apply_settings_and_control(world: &World, settings: Option<Settings>, control: ControlState, keep: KeepOptions) {
    if let Some(mut settings) = settings {
        let Ok(_) = world.change_settings(|now| {
            if keep.limits {
                settings.copy_limits_from(now);
            }
            *now = settings;
            Ok::<_, std::convert::Infallible>(())
        });
    }
    world.load_control(control, keep);
    if !keep.journal {
        world.journal.restart(world.epoch.epoch());
    }
}
