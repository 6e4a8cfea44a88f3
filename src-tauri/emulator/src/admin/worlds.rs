//! Creates, lists and removes the worlds of this server.

use std::collections::BTreeMap;

use roost_wire::paging::Paged;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{
    refused::Refused,
    route::{Nothing, Whole},
    time::{
        clock::{ClockWish, note},
        random::Style,
    },
};
use crate::{
    door::CalledAt,
    faults::Span,
    settings::masked,
    world::{Account, From, Host, Wish, World, WorldId, make, remove},
};

/// A world to create. All fields are optional.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WorldWish {
    /// 1 to 64 of `a-z`, `0-9` and `-`. Chosen by the server when left out.
    #[schemars(regex(pattern = "^[a-z0-9-]{1,64}$"))]
    name: Option<String>,
    /// `seed` (the default: the seed of the default world), `empty`, `snapshot:NAME` of the default world, or
    /// `world:NAME` in its current state.
    from: Option<String>,
    /// The world is removed when it has not been used for this long. Never, when left out.
    ttl: Option<Span>,
    /// Additional keys that select the world. At least 8 characters each.
    #[serde(default)]
    keys: Vec<String>,
    /// Settings by name. They override those that the server was started with.
    #[serde(default)]
    settings: BTreeMap<String, Value>,
    /// How the world's clock runs. When left out, as the default world's clock did at the start.
    clock: Option<ClockWish>,
    /// Seed of the ids. When left out, it is derived from the default world's seed and the name.
    seed: Option<u64>,
    ids: Option<Style>,
}

/// A created world. The key and the token are shown only here.
#[derive(Serialize, JsonSchema)]
pub struct MadeWorld {
    id: WorldId,
    /// Base address of the world. Any key works there.
    base_url: String,
    /// Selects the world at every address of the server.
    api_key: String,
    /// Gives access to this world's admin routes only.
    admin_token: String,
    admin_url: String,
    /// The world is removed when it has not been used for this long. Null: never.
    ttl: Option<Span>,
    epoch: u64,
    /// A warning: on a frozen clock, rate limits do not recover by themselves. Null otherwise.
    note: Option<&'static str>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "World")]
pub struct ShownWorld {
    id: WorldId,
    base_url: String,
    /// The beginnings of the keys that select it.
    keys: Vec<String>,
    /// Whether the account is the world's own, a file, or shared with others.
    #[schemars(extend("enum" = ["own", "file", "lent"]))]
    kind: &'static str,
    requests: u64,
    /// Requests in progress.
    under_way: u64,
    age: Span,
    /// Time until the world is removed if it is not used. Null: never.
    expires_in: Option<Span>,
    epoch: u64,
    snapshots: u64,
}

const SHORTEST_KEY: usize = 8;

fn wish(request: WorldWish, host: &Host) -> Result<Wish, Refused> {
    let id = match request.name {
        None => None,
        Some(name) => Some(named(&host.ground.start.world_name(&name))?),
    };
    let from = match request.from.as_deref() {
        None | Some("seed") => From::Seed,
        Some("empty") => From::Empty,
        Some(other) => match other.split_once(':') {
            Some(("snapshot", name)) => From::Snapshot(name.to_owned()),
            Some(("world", name)) => From::World(named(name)?),
            _ => return Err(Refused::invalid("from: expected seed, empty, snapshot:NAME or world:NAME.")),
        },
    };
    let is_plain = |key: &String| key.len() >= SHORTEST_KEY && key.bytes().all(|b| b.is_ascii_graphic());
    if !request.keys.iter().all(is_plain) {
        return Err(Refused::invalid(format!(
            "A key must have at least {SHORTEST_KEY} characters, all printable ASCII, \
         and no space."
        )));
    }
    let settings = request.settings.into_iter().collect();
    let clock = request.clock.map(|clock| clock.setting()).transpose()?;
    Ok(Wish {
        id,
        from,
        ttl: request.ttl.map(|span| span.0),
        keys: request.keys,
        settings,
        clock,
        seed: request.seed,
        ids: request.ids.map(Into::into),
    })
}

pub fn named(name: &str) -> Result<WorldId, Refused> {
    WorldId::parse(name).ok_or_else(|| Refused::invalid("A world name must have 1 to 64 characters: a-z, 0-9 and -."))
}

pub async fn add(whole: Whole, request: WorldWish) -> Result<MadeWorld, Refused> {
    let (wish, host, called_at) = (wish(request, &whole.host)?, whole.host, whole.asked.called_at);
    let at = called_at.server(&host.ground).to_owned();
    let made = tokio::task::spawn_blocking(move || make(&host, wish)).await;
    let (world, admin_token) = made.map_err(|_| Refused::internal())??;
    Ok(MadeWorld {
        id: world.id.clone(),
        base_url: world.id.base(&at),
        api_key: world.keys.first().cloned().unwrap_or_default(),
        admin_token,
        admin_url: format!("{at}/__admin/worlds/{}", world.id),
        ttl: world.life.ttl().map(Span),
        epoch: world.flight.epoch(),
        note: note(&world),
    })
}

fn shown(world: &World, called_at: &CalledAt) -> ShownWorld {
    ShownWorld {
        id: world.id.clone(),
        base_url: called_at.world(world).into_owned(),
        keys: world.keys.iter().map(|key| masked(key)).collect(),
        kind: match world.account {
            Account::Own => "own",
            Account::Kept { .. } => "file",
            Account::Lent => "lent",
        },
        requests: world.requests(),
        under_way: world.flight.here() as u64,
        age: Span::of_millis_above(world.life.age()),
        expires_in: world.life.left().map(Span::of_millis_above),
        epoch: world.flight.epoch(),
        snapshots: world.snapshots.all().len() as u64,
    }
}

pub async fn list(whole: Whole) -> Result<Paged<ShownWorld>, Refused> {
    let called_at = &whole.asked.called_at;
    whole.asked.page_of(whole.host.worlds.all().iter().map(|world| shown(world, called_at)))
}

fn find(host: &Host, whole: &Whole) -> Result<std::sync::Arc<World>, Refused> {
    let name = whole.asked.parameter();
    host.worlds.get(name).ok_or_else(|| Refused::unknown_world(name))
}

pub async fn get(whole: Whole) -> Result<ShownWorld, Refused> {
    Ok(shown(&*find(&whole.host, &whole)?, &whole.asked.called_at))
}

pub async fn take_away(whole: Whole) -> Result<Nothing, Refused> {
    let world = find(&whole.host, &whole)?;
    if world.is_default() {
        let hint = "Reset it instead: POST /__admin/reset.";
        return Err(Refused::conflict("default_world", "The default world cannot be removed.", hint));
    }
    match remove(&whole.host, world.id.as_str()).await {
        true => Ok(Nothing),
        false => Err(Refused::unknown_world(world.id.as_str())),
    }
}
