//! Takes, lists, restores and removes the snapshots of a world.

use roost_wire::{QueryString, paging::Paged};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::super::{
    refused::Refused,
    route::{Asked, Nothing, Whole, read_opt_outs},
};
use crate::{
    door::Visit,
    world::{self, Reset, bring_back, is_name},
};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SnapshotWish {
    #[schemars(regex(pattern = "^[a-z0-9-]{1,64}$"))]
    name: String,
}

#[derive(Serialize, JsonSchema)]
pub struct Snapshot {
    name: String,
    /// On the world's clock.
    #[schemars(extend("format" = "date-time"))]
    at: String,
    bytes: u64,
}

impl From<&world::Snapshot> for Snapshot {
    fn from(snapshot: &world::Snapshot) -> Self {
        Self { name: snapshot.name.clone(), at: snapshot.at.to_iso(), bytes: snapshot.size() as u64 }
    }
}

pub fn take(visit: &Visit, _: &Asked, request: SnapshotWish) -> Result<Snapshot, Refused> {
    if !is_name(&request.name) || ["now", "seed"].contains(&request.name.as_str()) {
        let form = "A snapshot name must have 1 to 64 characters: a-z, 0-9 and -. The names now and seed are reserved.";
        return Err(Refused::invalid(form));
    }
    let snapshot = world::Snapshot::of(request.name, visit.world(), &visit.core())?;
    Ok((&*visit.world().snapshots.keep(snapshot)?).into())
}

pub fn list(visit: &Visit, asked: &Asked) -> Result<Paged<Snapshot>, Refused> {
    asked.page_of(visit.world().snapshots.all().iter().map(|snapshot| (&**snapshot).into()))
}

pub fn unknown(name: &str) -> Refused {
    Refused::not_found(format!("Unknown snapshot '{name}'."))
}

pub fn remove(visit: &Visit, asked: &Asked) -> Result<Nothing, Refused> {
    let name = asked.parameter();
    if visit.world().snapshots.remove(name) { Ok(Nothing) } else { Err(unknown(name)) }
}

pub async fn restore(whole: Whole) -> Result<Reset, Refused> {
    let name = whole.asked.parameter();
    let snapshot = whole.world.snapshots.get(name).ok_or_else(|| unknown(name))?;
    Ok(bring_back(&whole.world, &snapshot, read_opt_outs(&QueryString::parse(&whole.asked.query))?).await?)
}
