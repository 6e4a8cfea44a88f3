//! Routes on the server and its default account: health, information, the schema of exports, and the renaming of lists.

pub(super) mod asset;
pub(super) mod custom_field;
pub(super) mod link;
pub(super) mod metrics;
pub(super) mod opt_out;
pub(super) mod sender;

use roost_ops::{Actor, Core, list, overview};
use roost_wire::{list::List, openapi::OpenApiDocument};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{
    error::AdminError,
    route::{AdminRequest, HostRequest},
    state::RecordCounts,
};
use crate::{door::WorldVisit, settings::HumanDuration};

#[derive(Serialize, JsonSchema)]
pub(super) struct HealthStatus {
    #[schemars(extend("const" = "ok"))]
    status: &'static str,
    /// Identifies the server.
    #[schemars(extend("const" = "roost"))]
    server: &'static str,
}

const HEALTHY: HealthStatus = HealthStatus { status: "ok", server: crate::client::SERVER_NAME };

pub(super) async fn check_alive(_: HostRequest) -> Result<HealthStatus, AdminError> {
    Ok(HEALTHY)
}

/// True when the account can be read and written.
pub(super) async fn check_ready(host_request: HostRequest) -> Result<HealthStatus, AdminError> {
    let checked = tokio::task::spawn_blocking(move || {
        let core = &host_request.world.core;
        roost_ops::custom_field::numbers(core).and_then(|_| core.check_writable())
    });
    checked.await.map_err(|_| AdminError::internal())?.map_err(|why| AdminError::not_ready(&why))?;
    Ok(HEALTHY)
}

#[derive(Serialize, JsonSchema)]
pub(super) struct ServerInfo {
    version: &'static str,
    pid: u32,
    url: String,
    short_link_base: String,
    schema_version: i32,
    uptime: HumanDuration,
    counts: ServerCounts,
}

#[derive(Serialize, JsonSchema)]
struct ServerCounts {
    #[serde(flatten)]
    held: RecordCounts,
    jobs_waiting: u64,
}

pub(super) fn get_info(visit: &WorldVisit, _: &AdminRequest) -> Result<ServerInfo, AdminError> {
    let counts = overview::get(&visit.core())?;
    Ok(ServerInfo {
        version: env!("CARGO_PKG_VERSION"),
        pid: std::process::id(),
        url: visit.base().into_owned(),
        short_link_base: visit.short_base(),
        schema_version: Core::schema_version(),
        uptime: HumanDuration::from_secs(visit.world().lifetime.age().as_secs()),
        counts: ServerCounts { jobs_waiting: counts.jobs_waiting, held: counts.into() },
    })
}

pub(super) fn export_schema(_: &mut OpenApiDocument) -> Value {
    let records = json!({ "type": "array", "items": { "type": "object" } });
    json!({
        "type": "object",
        "properties": {
            "senders": records, "assets": records, "custom_fields": records,
            "lists": records, "opt_outs": records, "short_links": records, "used_up": { "type": "object" }, "short_link_base": { "type": "string" },
        },
    })
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ListRename {
    #[schemars(length(min = 1, max = 120), regex(pattern = r"\S"))]
    name: String,
}

/// A list as it is stored.
#[derive(Serialize, JsonSchema)]
pub(super) struct RenamedList {
    uid: String,
    name: String,
    contact_count: u64,
    #[schemars(extend("format" = "date-time"))]
    created_at: String,
    #[schemars(extend("format" = "date-time"))]
    updated_at: String,
}

pub(super) fn rename_list(
    visit: &WorldVisit,
    admin_request: &AdminRequest,
    request: ListRename,
) -> Result<RenamedList, AdminError> {
    let uid = roost_model::id::ListId::parse(admin_request.first_parameter())
        .map_err(|e| AdminError::invalid(format!("{e}.")))?;
    let list = list::rename(&visit.core(), &Actor::operator(), &uid, &request.name)?;
    let List { created_at, updated_at, .. } = List::from(&list);
    Ok(RenamedList {
        uid: list.uid.to_string(),
        name: list.name,
        contact_count: list.contact_count,
        created_at,
        updated_at,
    })
}
