//! Creates, lists and removes the worlds of this server.

use std::collections::BTreeMap;

use roost_journal::mask::masked_prefix;
use roost_ops::ctx::ids::IdStyle;
use roost_wire::paging::Paged;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{
    error::AdminError,
    route::{HostRequest, NoContent},
    time::clock::{ClockRequest, clock_note},
};
use crate::{
    access::WorldId,
    door::CalledAt,
    settings::HumanDuration,
    work::{NewWorld, WorldSource, create_world, remove_world},
    world::{AccountOwnership, Host, World},
};

/// A world to create. All fields are optional.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct WorldRequest {
    /// 1 to 64 of `a-z`, `0-9` and `-`. Chosen by the server when left out.
    #[schemars(regex(pattern = "^[a-z0-9-]{1,64}$"))]
    name: Option<String>,
    /// `seed` (the default: the seed of the default world), `empty`, `snapshot:NAME` of the default world, or
    /// `world:NAME` in its current state.
    from: Option<String>,
    /// The world is removed when it has not been used for this long, at least 1s. When left out, it stays until it is
    /// removed or the server stops; it is never stored, not even with --db.
    ttl: Option<HumanDuration>,
    /// Additional keys that select the world. At least 8 characters each.
    #[serde(default)]
    keys: Vec<String>,
    /// Settings by name. They override those that the server was started with.
    #[serde(default)]
    settings: BTreeMap<String, Value>,
    /// How the world's clock runs. When left out, as the default world's clock did at the start.
    clock: Option<ClockRequest>,
    /// Seed of the ids. When left out, it is derived from the default world's seed and the name.
    seed: Option<u64>,
    ids: Option<IdStyle>,
}

/// A created world. The key and the token are shown only here.
#[derive(Serialize, JsonSchema)]
pub(super) struct CreatedWorld {
    id: WorldId,
    /// Base address of the world. Any key works there.
    base_url: String,
    /// Selects the world at every address of the server.
    api_key: String,
    /// Gives access to this world's admin routes only.
    admin_token: String,
    admin_url: String,
    /// The world is removed when it has not been used for this long. Null: it ends with the server at the latest.
    ttl: Option<HumanDuration>,
    epoch: u64,
    /// A warning: on a frozen clock, rate limits do not recover by themselves. Null otherwise.
    note: Option<&'static str>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "World")]
pub(super) struct WorldStatus {
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
    age: HumanDuration,
    /// Time until the world is removed if it is not used. Null: never.
    expires_in: Option<HumanDuration>,
    epoch: u64,
    snapshots: u64,
}

const SHORTEST_KEY: usize = 8;
/// A shorter lifetime could end before the response that created the world.
const SHORTEST_TTL: HumanDuration = HumanDuration::from_secs(1);

fn to_world_options(request: WorldRequest, host: &Host) -> Result<NewWorld, AdminError> {
    let id = match request.name {
        None => None,
        Some(name) => {
            let named = parse_world_id(&host.resources.start.world_name(&name));
            Some(named.map_err(|why| why.at_path("name"))?)
        }
    };
    let from = match request.from.as_deref() {
        None | Some("seed") => WorldSource::Seed,
        Some("empty") => WorldSource::Empty,
        Some(other) => match other.split_once(':') {
            Some(("snapshot", name)) => WorldSource::Snapshot(name.to_owned()),
            Some(("world", name)) => WorldSource::World(parse_world_id(name).map_err(|why| why.at_path("from"))?),
            _ => return Err(AdminError::invalid("from: expected seed, empty, snapshot:NAME or world:NAME.")),
        },
    };
    if let Some(ttl) = request.ttl.filter(|ttl| *ttl < SHORTEST_TTL) {
        return Err(AdminError::invalid(format!("ttl: must be at least {SHORTEST_TTL}, got {ttl}.")));
    }
    let is_plain = |key: &String| key.len() >= SHORTEST_KEY && key.bytes().all(|b| b.is_ascii_graphic());
    if let Some(at) = request.keys.iter().position(|key| !is_plain(key)) {
        let message = format!(
            "keys[{at}]: a key must have at least {SHORTEST_KEY} characters, all printable ASCII, and no space."
        );
        return Err(AdminError::invalid(message));
    }
    let settings = request.settings.into_iter().collect();
    let clock = request.clock.map(|clock| clock.to_setting().map_err(|why| why.within("clock"))).transpose()?;
    Ok(NewWorld {
        id,
        from,
        ttl: request.ttl.map(|span| span.0),
        keys: request.keys,
        settings,
        clock,
        seed: request.seed,
        ids: request.ids,
    })
}

pub(super) fn parse_world_id(name: &str) -> Result<WorldId, AdminError> {
    WorldId::parse(name)
        .ok_or_else(|| AdminError::invalid("A world name must have 1 to 64 characters: a-z, 0-9 and -."))
}

pub(super) async fn add_world(host_request: HostRequest) -> Result<CreatedWorld, AdminError> {
    let HostRequest { host, request, .. } = host_request;
    let options = to_world_options(request.parse_body()?, &host)?;
    let at = request.called_at.server(&host.resources).to_owned();
    let created = tokio::task::spawn_blocking(move || create_world(&host, options)).await;
    let (world, admin_token) = created.map_err(|_| AdminError::internal())??;
    Ok(CreatedWorld {
        id: world.id.clone(),
        base_url: world.id.base(&at),
        api_key: world.keys.first().cloned().unwrap_or_default(),
        admin_token,
        admin_url: format!("{at}/__admin/worlds/{}", world.id),
        ttl: world.lifetime.ttl().map(HumanDuration),
        epoch: world.epoch.epoch(),
        note: clock_note(&world),
    })
}

fn to_world_status(world: &World, called_at: &CalledAt) -> WorldStatus {
    WorldStatus {
        id: world.id.clone(),
        base_url: called_at.world(world).into_owned(),
        keys: world.keys.iter().map(|key| masked_prefix(key)).collect(),
        kind: match world.ownership {
            AccountOwnership::Own => "own",
            AccountOwnership::Kept { .. } => "file",
            AccountOwnership::Lent => "lent",
        },
        requests: world.requests(),
        under_way: world.epoch.occupants() as u64,
        age: HumanDuration::from_ceil_millis(world.lifetime.age()),
        expires_in: world.lifetime.time_left().map(HumanDuration::from_ceil_millis),
        epoch: world.epoch.epoch(),
        snapshots: world.snapshots.list_snapshots().len() as u64,
    }
}

pub(super) async fn list_worlds(host_request: HostRequest) -> Result<Paged<WorldStatus>, AdminError> {
    let called_at = &host_request.request.called_at;
    host_request
        .request
        .paginate(host_request.host.worlds.list_worlds().iter().map(|world| to_world_status(world, called_at)))
}

fn find_requested_world(host: &Host, host_request: &HostRequest) -> Result<std::sync::Arc<World>, AdminError> {
    let name = host_request.request.first_parameter();
    host.worlds.get(name).ok_or_else(|| AdminError::unknown_world(name))
}

pub(super) async fn get_world(host_request: HostRequest) -> Result<WorldStatus, AdminError> {
    Ok(to_world_status(&*find_requested_world(&host_request.host, &host_request)?, &host_request.request.called_at))
}

pub(super) async fn delete_world(host_request: HostRequest) -> Result<NoContent, AdminError> {
    let world = find_requested_world(&host_request.host, &host_request)?;
    if world.is_default() {
        let hint = "Reset it instead: POST /__admin/reset.";
        return Err(AdminError::conflict("default_world", "The default world cannot be removed.", hint));
    }
    match remove_world(&host_request.host, world.id.as_str()).await {
        true => Ok(NoContent),
        false => Err(AdminError::unknown_world(world.id.as_str())),
    }
}
