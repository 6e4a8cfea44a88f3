//! Takes, lists, restores and removes the snapshots of a world.

use roost_wire::{QueryString, paging::Paged};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::super::{
    error::AdminError,
    route::{AdminRequest, HostRequest, NoContent, read_opt_outs},
};
use crate::{
    access::is_world_name,
    door::WorldVisit,
    work::{ResetReport, restore_snapshot},
    world,
};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SnapshotRequest {
    #[schemars(regex(pattern = "^[a-z0-9-]{1,64}$"))]
    name: String,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Snapshot {
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

pub(crate) fn handle_take(
    visit: &WorldVisit,
    _: &AdminRequest,
    request: SnapshotRequest,
) -> Result<Snapshot, AdminError> {
    if !is_world_name(&request.name) || ["now", "seed"].contains(&request.name.as_str()) {
        let form = "A snapshot name must have 1 to 64 characters: a-z, 0-9 and -. The names now and seed are reserved.";
        return Err(AdminError::invalid(form).at_path("name"));
    }
    let snapshot = world::Snapshot::capture(request.name, visit.world(), &visit.core())?;
    Ok((&*visit.world().snapshots.save(snapshot)?).into())
}

pub(crate) fn list_snapshots(visit: &WorldVisit, request: &AdminRequest) -> Result<Paged<Snapshot>, AdminError> {
    request.paginate(visit.world().snapshots.list_snapshots().iter().map(|snapshot| (&**snapshot).into()))
}

pub(crate) fn handle_removal(visit: &WorldVisit, request: &AdminRequest) -> Result<NoContent, AdminError> {
    let name = request.first_parameter();
    if visit.world().snapshots.remove(name) { Ok(NoContent) } else { Err(AdminError::unknown_snapshot(name)) }
}

pub(crate) async fn handle_restore(host_request: HostRequest) -> Result<ResetReport, AdminError> {
    let name = host_request.request.first_parameter();
    let snapshot = host_request.world.snapshots.get(name).ok_or_else(|| AdminError::unknown_snapshot(name))?;
    Ok(restore_snapshot(
        &host_request.world,
        &snapshot,
        read_opt_outs(&QueryString::parse(&host_request.request.query))?,
    )
    .await?)
}
