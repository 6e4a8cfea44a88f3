//! What runs here, what it holds, the whole account as a seed file, and a list's name.

use std::io::Write;

use roost_ops::{By, Core, list, overview, seed};
use roost_wire::{list::List, openapi::Document};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{refused::Refused, route::Asked};
use crate::world::World;

#[derive(Serialize, JsonSchema)]
pub struct Health {
    #[schemars(extend("const" = "ok"))]
    status: &'static str,
}

pub fn alive(_: &World, _: &Asked) -> Result<Health, Refused> {
    Ok(Health { status: "ok" })
}

/// Ready once the account answers.
pub fn ready(world: &World, _: &Asked) -> Result<Health, Refused> {
    roost_ops::custom_field::numbers(&world.core)?;
    Ok(Health { status: "ok" })
}

#[derive(Serialize, JsonSchema)]
pub struct Info {
    version: &'static str,
    pid: u32,
    url: String,
    short_link_base: String,
    schema_version: i32,
    uptime_seconds: u64,
    counts: Counts,
}

#[derive(Serialize, JsonSchema)]
struct Counts {
    senders: u64,
    assets: u64,
    custom_fields: u64,
    lists: u64,
    contacts: u64,
    opt_outs: u64,
    short_links: u64,
    jobs_waiting: u64,
}

pub fn info(world: &World, _: &Asked) -> Result<Info, Refused> {
    let counts = overview::get(&world.core)?;
    Ok(Info {
        version: env!("CARGO_PKG_VERSION"),
        pid: std::process::id(),
        url: world.url.clone(),
        short_link_base: world.rules().short_base.clone(),
        schema_version: Core::schema_version(),
        uptime_seconds: world.started.elapsed().as_secs(),
        counts: Counts {
            senders: counts.senders,
            assets: counts.assets,
            custom_fields: counts.custom_fields,
            lists: counts.lists,
            contacts: counts.contacts,
            opt_outs: counts.opt_outs,
            short_links: counts.short_links,
            jobs_waiting: counts.jobs_waiting,
        },
    })
}

pub fn export(world: &World, out: &mut dyn Write) -> Result<(), roost_ops::Error> {
    seed::export(&world.core, &world.rules().short_base, out)
}

pub fn export_schema(_: &mut Document) -> Value {
    let records = json!({ "type": "array", "items": { "type": "object" } });
    json!({
        "type": "object",
        "properties": {
            "senders": records, "assets": records, "custom_fields": records,
            "lists": records, "optouts": records, "short_links": records,
        },
    })
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListRename {
    #[schemars(length(min = 1, max = 120), regex(pattern = r"\S"))]
    name: String,
}

/// A list as the operator sees it.
#[derive(Serialize, JsonSchema)]
pub struct RenamedList {
    uid: String,
    name: String,
    contact_count: u64,
    created_at: String,
    updated_at: String,
}

pub fn rename_list(world: &World, asked: &Asked, request: ListRename) -> Result<RenamedList, Refused> {
    let uid = roost_model::id::ListId::parse(asked.parameter()).map_err(|e| Refused::invalid(format!("{e}.")))?;
    let list = list::rename(&world.core, &By::operator(), &uid, &request.name)?;
    let List { created_at, updated_at, .. } = List::from(&list);
    Ok(RenamedList {
        uid: list.uid.to_string(),
        name: list.name,
        contact_count: list.contact_count,
        created_at,
        updated_at,
    })
}
