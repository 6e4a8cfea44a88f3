//! Creates and removes worlds.

use std::{sync::Arc, time::Duration};

use roost_ops::{
    Core, Ctx, Image,
    ctx::{
        Clock,
        clock::{ClockError, ClockSetting},
        ids::{IdPosition, IdScheme, IdStyle},
    },
};
use serde_json::Value;

use super::super::{scheduler::subscribe_to_account, status::read_work_status};
use crate::{
    access::{WorldId, new_secret},
    settings::{ApiKey, AuthSetting, Settings, SettingsChangeError},
    world::{
        AccountOwnership, ActiveSettings, AddWorldError, ControlState, Host, KEYS_MOST, KeepOptions, StartingPoint,
        UnfinishedWorld, World, WorldHead, WorldLifetime, WorldParts, WorldState, make_key,
    },
};

/// How many jobs and callbacks of a removed world are listed.
const LISTED_MAX: usize = 10;

/// The options for a new world.
#[derive(Debug, Default)]
pub(crate) struct NewWorld {
    /// `None` picks a name that no world has.
    pub id: Option<WorldId>,
    pub from: WorldSource,
    pub ttl: Option<Duration>,
    /// Keys that the caller chose, in addition to the generated one.
    pub keys: Vec<String>,
    /// Changes to the settings with which the server was started.
    pub settings: Vec<(String, Value)>,
    /// `None` starts with the clock that the default world had at its start.
    pub clock: Option<ClockSetting>,
    /// The seed of IDs. None: one derived from the default world's seed and the name.
    pub seed: Option<u64>,
    pub ids: Option<IdStyle>,
}

/// The source of a new world's data.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) enum WorldSource {
    /// The seed to which the default world is reset.
    #[default]
    Seed,
    Empty,
    /// A snapshot of the default world.
    Snapshot(String),
    /// The present state of a world.
    World(WorldId),
}

#[derive(Debug, thiserror::Error)]
pub enum CreateWorldError {
    #[error("A world '{0}' already exists.")]
    NameTaken(WorldId),
    #[error("The world '{0}' already has this key.")]
    KeyTaken(WorldId),
    #[error("There are {0} worlds, the most that this server allows.")]
    TooMany(usize),
    #[error("The worlds would have more than {KEYS_MOST} keys together.")]
    TooManyKeys,
    #[error("The default world has no snapshot '{0}'.")]
    NoSnapshot(String),
    #[error("Unknown world '{0}'.")]
    NoWorld(WorldId),
    #[error("clock: {0}")]
    Clock(#[from] ClockError),
    #[error(transparent)]
    Setting(#[from] SettingsChangeError),
    #[error(transparent)]
    Core(#[from] roost_ops::Error),
}

impl std::convert::From<AddWorldError> for CreateWorldError {
    fn from(why: AddWorldError) -> Self {
        match why {
            AddWorldError::NameTaken(id) => Self::NameTaken(id),
            AddWorldError::KeyTaken(id) => Self::KeyTaken(id),
            AddWorldError::TooMany(most) => Self::TooMany(most),
            AddWorldError::TooManyKeys => Self::TooManyKeys,
        }
    }
}

/// Creates a world with its key and token. Can take long if the source is large.
pub(crate) fn create_world(host: &Host, options: NewWorld) -> Result<(Arc<World>, String), CreateWorldError> {
    let NewWorld { id, from, ttl, keys: mut all_keys, settings: changes, clock, seed, ids } = options;
    let id = id.unwrap_or_else(|| free_id(host));
    all_keys.insert(0, make_key(&id, &new_secret()));
    // Checked before the work, and again at its end.
    host.worlds.check_room(&id, &all_keys)?;
    let WorldState { image, head } = initial_state(host, &id, &from)?;
    let WorldHead { settings, starting_point: beginning, is_from_seed: _, control } = head;
    let settings = own_settings(host, settings, &all_keys, &changes)?;
    let ctx = match seed {
        Some(seed) => Ctx::seeded(Clock::system(), seed),
        None => Ctx::with_random_seed(),
    };
    if seed.is_none() {
        ctx.ids().set_scheme(beginning.law);
    }
    match clock {
        Some(clock) => ctx.clock().apply_setting(clock)?,
        None => ctx.clock().restore_reading(beginning.clock),
    }
    ctx.ids().set_seed_and_style(None, Some(ids.unwrap_or(beginning.law.style())));
    ctx.ids().restore_position(beginning.position);
    let core = Core::from_image(&image, ctx)?;
    let base = id.base(host.resources.base());
    let (journal, of_default) =
        (host.worlds.default_world().journal.new_sibling(), &host.worlds.default_world().journal);
    journal.set_recording(of_default.is_on());
    journal.set_limits(of_default.status().limits);
    let parts = WorldParts {
        id,
        base,
        keys: all_keys,
        core,
        resources: host.resources.clone(),
        journal,
        ownership: AccountOwnership::Own,
        lifetime: WorldLifetime::new(ttl),
        seed: Some(image),
        settings,
    };
    let world = World::new(parts, subscribe_to_account);
    world.receivers.set_of_seed(control.receivers.clone());
    world.load_control(control, KeepOptions::default());
    if matches!(from, WorldSource::Seed | WorldSource::Empty) {
        world.begin_faults();
    }
    let token = host.tokens.add_world_token(world.id.clone());
    if let Err(why) = host.worlds.add(&world) {
        host.tokens.revoke_token(&token);
        return Err(why.into());
    }
    if from != WorldSource::Empty {
        world.wake_workers();
    }
    Ok((world, token))
}

/// Removes a world and ends everything under way in it. Returns false if there is none of this name, or it is the
/// default world.
pub(crate) async fn remove_world(host: &Host, id: &str) -> bool {
    let Some(world) = host.worlds.remove(id) else { return false };
    host.tokens.revoke_world_tokens(&world.id);
    // A reset in progress finishes first, so that nobody reopens a removed world.
    let _turn = world.change_lock.lock().await;
    record_unfinished(&world).await;
    world.epoch.mark_removed();
    world.epoch.open();
    world.work.wait_for_calls().await;
    true
}

/// Records what is not done in a world that is about to be removed.
async fn record_unfinished(world: &Arc<World>) {
    let reading = world.clone();
    let read = tokio::task::spawn_blocking(move || read_work_status(&reading, &reading.core, None));
    let Ok(Ok(mut status)) = read.await else { return };
    let (jobs, callbacks) = (status.jobs + status.jobs_held, status.callbacks.waiting + status.callbacks.held);
    if jobs + callbacks == 0 {
        return;
    }
    status.unfinished.truncate(LISTED_MAX);
    let unfinished = UnfinishedWorld { name: world.id.to_string(), jobs, callbacks, undone: status.unfinished };
    world.resources.unfinished.add(unfinished);
}

fn free_id(host: &Host) -> WorldId {
    loop {
        let secret = new_secret();
        let name = match &host.resources.start.world_prefix {
            None => format!("w-{}", &secret[..10]),
            Some(prefix) => prefix.put_before(&secret[..10]),
        };
        let id = WorldId::parse(&name).unwrap_or_else(WorldId::default_world);
        if host.worlds.get(id.as_str()).is_none() {
            return id;
        }
    }
}

fn own_settings(
    host: &Host,
    mut settings: Settings,
    keys: &[String],
    changes: &[(String, Value)],
) -> Result<Settings, SettingsChangeError> {
    // The base leads to the default world. Every other world has its own, unless the request sets one.
    settings.short_link_base = None;
    for (name, value) in changes {
        settings.set_json(name, value)?;
    }
    if host.resources.is_reachable && settings.auth != AuthSetting::Keys {
        return Err(SettingsChangeError::Reachable);
    }
    admit_keys(&mut settings, keys);
    Ok(settings)
}

/// Adds the keys that name a world to the admitted keys, if only named keys are admitted.
fn admit_keys(settings: &mut Settings, keys: &[String]) {
    if settings.auth == AuthSetting::Keys {
        for key in keys {
            if !settings.keys.iter().any(|known| known.value == *key) {
                settings.keys.push(ApiKey::with_all_permissions(key.clone()));
            }
        }
    }
}

/// Changes several settings of a world, all or none.
pub(crate) fn change_settings<'c>(
    world: &World,
    changes: impl IntoIterator<Item = (&'c str, &'c Value)>,
) -> Result<Arc<ActiveSettings>, SettingsChangeError> {
    world.change_settings(|settings| {
        for (name, value) in changes {
            settings.set_json(name, value)?;
        }
        // The keys that name a world must stay valid: a list of other keys is not meant to lock them out.
        admit_keys(settings, &world.keys);
        if world.resources.is_reachable && (settings.auth != AuthSetting::Keys || settings.keys.is_empty()) {
            return Err(SettingsChangeError::Reachable);
        }
        Ok(())
    })
}

/// Returns the initial state of a new world. IDs that were used before are not used again.
fn initial_state(host: &Host, id: &WorldId, from: &WorldSource) -> Result<WorldState, CreateWorldError> {
    let default = host.worlds.default_world();
    let copied = |mut state: WorldState, source: &World| {
        // Keys that name the source world are not copied.
        state.head.settings.keys.retain(|key| !source.keys.contains(&key.value));
        state
    };
    let (image, position) = match from {
        WorldSource::Empty => (empty_image()?, IdPosition::default()),
        WorldSource::Seed => match default.seed() {
            Some(image) => (image, default.starting_point().position),
            None => (empty_image()?, IdPosition::default()),
        },
        WorldSource::Snapshot(name) => {
            let snapshot = default.snapshots.get(name).ok_or_else(|| CreateWorldError::NoSnapshot(name.clone()))?;
            return Ok(copied(snapshot.state.clone(), default));
        }
        WorldSource::World(id) => {
            let world = host.worlds.get(id.as_str()).ok_or_else(|| CreateWorldError::NoWorld(id.clone()))?;
            return Ok(copied(WorldState::capture(&world, &world.core)?, &world));
        }
    };
    let StartingPoint { clock, law, .. } = default.starting_point();
    let drawn = || Ctx::with_random_seed().ids().scheme();
    let own = default.core.ctx().ids().seed_for(id.as_str()).map_or_else(drawn, IdScheme::from_seed);
    let head = WorldHead {
        settings: default.settings_at_start.clone(),
        starting_point: StartingPoint { clock, law: own.with_style(law.style()), position },
        is_from_seed: true,
        control: ControlState::default(),
    };
    Ok(WorldState { image, head })
}

fn empty_image() -> Result<Image, roost_ops::Error> {
    Ok(Image::empty()?.clone())
}
