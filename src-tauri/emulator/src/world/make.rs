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

use super::{
    Account, Beginning, ControlState, Head, Host, Keep, Life, NotAdded, Parts, World, WorldId, WorldState,
    worlds::{KEYS_MOST, made_key},
};
use crate::{
    access::secret,
    server::NotChanged,
    settings::{Auth, Key, Settings},
};

/// The options for a new world.
#[derive(Debug, Default)]
pub struct Wish {
    /// None: a name that no world has.
    pub id: Option<WorldId>,
    pub from: From,
    pub ttl: Option<Duration>,
    /// Keys that the caller chose, in addition to the generated one.
    pub keys: Vec<String>,
    /// Changes to the settings with which the server was started.
    pub settings: Vec<(String, Value)>,
    /// None: the clock of the default world at its start.
    pub clock: Option<ClockSetting>,
    /// The seed of IDs. None: one derived from the default world's seed and the name.
    pub seed: Option<u64>,
    pub ids: Option<IdStyle>,
}

/// The source of a new world's data.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum From {
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
pub enum NotMade {
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
    Setting(#[from] NotChanged),
    #[error(transparent)]
    Core(#[from] roost_ops::Error),
}

impl std::convert::From<NotAdded> for NotMade {
    fn from(why: NotAdded) -> Self {
        match why {
            NotAdded::NameTaken(id) => Self::NameTaken(id),
            NotAdded::KeyTaken(id) => Self::KeyTaken(id),
            NotAdded::TooMany(most) => Self::TooMany(most),
            NotAdded::TooManyKeys => Self::TooManyKeys,
        }
    }
}

/// Creates a world with its key and token. Can take long if the source is large.
pub fn make(host: &Host, wish: Wish) -> Result<(Arc<World>, String), NotMade> {
    let Wish { id, from, ttl, keys: mut all_keys, settings: changes, clock, seed, ids } = wish;
    let id = id.unwrap_or_else(|| unnamed(host));
    all_keys.insert(0, made_key(&id, &secret()));
    // Checked before the work, and again at its end.
    host.worlds.has_room(&id, &all_keys)?;
    let WorldState { image, head } = begin(host, &id, &from)?;
    let Head { settings, beginning, is_from_seed: _, control } = head;
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
    let base = id.base(host.ground.base());
    let (journal, of_default) = (host.worlds.default_world().journal.sibling(), &host.worlds.default_world().journal);
    journal.record(of_default.is_on());
    journal.limit(of_default.standing().limits);
    let world = World::new(Parts {
        id,
        base,
        keys: all_keys,
        core,
        ground: host.ground.clone(),
        journal,
        account: Account::Own,
        life: Life::new(ttl),
        seed: Some(image),
        settings,
    });
    world.load_control(control, Keep::default());
    if matches!(from, From::Seed | From::Empty) {
        world.begin_faults();
    }
    let token = host.tokens.add(world.id.clone());
    if let Err(why) = host.worlds.add(&world) {
        host.tokens.revoke(&token);
        return Err(why.into());
    }
    if from != From::Empty {
        world.wake();
    }
    Ok((world, token))
}

/// Removes a world and ends everything under way in it. Returns false if there is none of this name, or it is the
/// default world.
pub async fn remove(host: &Host, id: &str) -> bool {
    let Some(world) = host.worlds.remove(id) else { return false };
    host.tokens.forget(&world.id);
    // A reset in progress finishes first, so that nobody reopens a removed world.
    let _turn = world.turn.lock().await;
    world.flight.vanish();
    world.flight.open();
    world.pump.calls_rest().await;
    true
}

fn unnamed(host: &Host) -> WorldId {
    loop {
        let secret = secret();
        let name = match &host.ground.start.world_prefix {
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
) -> Result<Settings, NotChanged> {
    // The base leads to the default world. Every other world has its own, unless the request sets one.
    settings.short_link_base = None;
    for (name, value) in changes {
        settings.set_json(name, value)?;
    }
    if host.ground.is_reachable && settings.auth != Auth::Keys {
        return Err(NotChanged::Reachable);
    }
    if settings.auth == Auth::Keys {
        for key in keys {
            if !settings.keys.iter().any(|known| known.value == *key) {
                settings.keys.push(Key::full(key.clone()));
            }
        }
    }
    Ok(settings)
}

/// Returns the initial state of a new world. IDs that were used before are not used again.
fn begin(host: &Host, id: &WorldId, from: &From) -> Result<WorldState, NotMade> {
    let default = host.worlds.default_world();
    let copied = |mut state: WorldState, of: &World| {
        // The keys that name the source world stay its own.
        state.head.settings.keys.retain(|key| !of.keys.contains(&key.value));
        state
    };
    let (image, position) = match from {
        From::Empty => (empty()?, IdPosition::default()),
        From::Seed => match default.seed() {
            Some(image) => (image, default.beginning().position),
            None => (empty()?, IdPosition::default()),
        },
        From::Snapshot(name) => {
            let snapshot = default.snapshots.get(name).ok_or_else(|| NotMade::NoSnapshot(name.clone()))?;
            return Ok(copied(snapshot.state.clone(), default));
        }
        From::World(id) => {
            let world = host.worlds.get(id.as_str()).ok_or_else(|| NotMade::NoWorld(id.clone()))?;
            return Ok(copied(WorldState::of(&world, &world.core)?, &world));
        }
    };
    let Beginning { clock, law, .. } = default.beginning();
    let drawn = || Ctx::with_random_seed().ids().scheme();
    let own = default.core.ctx().ids().seed_for(id.as_str()).map_or_else(drawn, IdScheme::from_seed);
    let head = Head {
        settings: default.settings_at_start.clone(),
        beginning: Beginning { clock, law: own.with_style(law.style()), position },
        is_from_seed: true,
        control: ControlState::default(),
    };
    Ok(WorldState { image, head })
}

fn empty() -> Result<Image, roost_ops::Error> {
    Ok(Image::empty()?.clone())
}
