//! Routes on the server and its default account: health, information, the schema of exports, and the renaming of lists.

pub mod asset;
pub mod custom_field;
pub mod link;
pub mod metrics;
pub mod opt_out;
pub mod sender;

use roost_ops::{Actor, Core, list, overview};
use roost_wire::{list::List, openapi::OpenApiDocument};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{
    refused::Refused,
    route::{Asked, Whole},
    state::Held,
};
use crate::{door::Visit, faults::Span};

#[derive(Serialize, JsonSchema)]
pub struct Health {
    #[schemars(extend("const" = "ok"))]
    status: &'static str,
    /// Identifies the server.
    #[schemars(extend("const" = "roost"))]
    server: &'static str,
}

const WELL: Health = Health { status: "ok", server: crate::client::SERVER };

pub async fn alive(_: Whole) -> Result<Health, Refused> {
    Ok(WELL)
}

/// True when the account can be read and written.
pub async fn ready(whole: Whole) -> Result<Health, Refused> {
    let checked = tokio::task::spawn_blocking(move || {
        let core = &whole.world.core;
        roost_ops::custom_field::numbers(core).and_then(|_| core.check_writable())
    });
    checked.await.map_err(|_| Refused::internal())?.map_err(|why| Refused::not_ready(&why))?;
    Ok(WELL)
}

#[derive(Serialize, JsonSchema)]
pub struct Info {
    version: &'static str,
    pid: u32,
    url: String,
    short_link_base: String,
    schema_version: i32,
    uptime: Span,
    counts: Counts,
}

#[derive(Serialize, JsonSchema)]
struct Counts {
    #[serde(flatten)]
    held: Held,
    jobs_waiting: u64,
}

pub fn info(visit: &Visit, _: &Asked) -> Result<Info, Refused> {
    let counts = overview::get(&visit.core())?;
    Ok(Info {
        version: env!("CARGO_PKG_VERSION"),
        pid: std::process::id(),
        url: visit.base().into_owned(),
        short_link_base: visit.short_base(),
        schema_version: Core::schema_version(),
        uptime: Span::of_secs(visit.world().life.age().as_secs()),
        counts: Counts { jobs_waiting: counts.jobs_waiting, held: counts.into() },
    })
}

pub fn export_schema(_: &mut OpenApiDocument) -> Value {
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
pub struct ListRename {
    #[schemars(length(min = 1, max = 120), regex(pattern = r"\S"))]
    name: String,
}

/// A list as it is stored.
#[derive(Serialize, JsonSchema)]
pub struct RenamedList {
    uid: String,
    name: String,
    contact_count: u64,
    #[schemars(extend("format" = "date-time"))]
    created_at: String,
    #[schemars(extend("format" = "date-time"))]
    updated_at: String,
}

pub fn rename_list(visit: &Visit, asked: &Asked, request: ListRename) -> Result<RenamedList, Refused> {
    let uid = roost_model::id::ListId::parse(asked.parameter()).map_err(|e| Refused::invalid(format!("{e}.")))?;
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
