//! Routes on the whole state of a world: reset, seed, snapshots, differences, export and import.

mod arrangement;
pub(super) mod diff;
pub(super) mod export;
pub(super) mod past_state;
pub(super) mod record;
pub(super) mod snapshots;

use roost_ops::overview;
use roost_wire::QueryString;
use schemars::JsonSchema;
use serde::Serialize;

use self::export::read_seed;
use super::{
    error::AdminError,
    route::{HostRequest, read_flag, read_opt_outs},
};
use crate::{
    work::{Replacement, ResetMode, ResetReport, check_image_removal, replace_account, reset_world},
    world::KeepOptions,
};

/// The names that the parameter `keep` accepts.
const KEEP_NAMES: [&str; 6] = ["settings", "limits", "faults", "journal", "clock", "random"];

fn parse_keep(text: &str) -> Result<KeepOptions, AdminError> {
    let mut keep = KeepOptions::default();
    for name in text.split(',').map(str::trim).filter(|name| !name.is_empty()) {
        match name {
            "settings" => keep.settings = true,
            "limits" => keep.limits = true,
            "faults" => keep.faults = true,
            "journal" => keep.journal = true,
            "clock" => keep.clock = true,
            "random" => keep.random = true,
            _ => return Err(AdminError::bad_query(format!("keep takes {}, got '{name}'.", KEEP_NAMES.join(", ")))),
        }
    }
    Ok(keep)
}

pub(super) async fn handle_reset(host_request: HostRequest) -> Result<ResetReport, AdminError> {
    let query = QueryString::parse(&host_request.request.query);
    let keep = parse_keep(query.first_value("keep").unwrap_or_default())?;
    let mode = match query.filled_value("mode") {
        None | Some("cancel") => ResetMode::Cancel,
        Some("drain") => ResetMode::Drain,
        Some(_) => return Err(AdminError::bad_query("mode must be cancel or drain.")),
    };
    Ok(reset_world(&host_request.world, keep, mode, read_opt_outs(&query)?).await?)
}

/// The contents of a seed, and what was ended when it was applied.
#[derive(Serialize, JsonSchema)]
pub(super) struct SeedResult {
    seeded: RecordCounts,
    reset: ResetReport,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct RecordCounts {
    senders: u64,
    assets: u64,
    custom_fields: u64,
    lists: u64,
    contacts: u64,
    opt_outs: u64,
    short_links: u64,
}

/// Reads the whole seed before anything changes. Then the world holds it, and later resets restore it.
pub(super) async fn put_seed(host_request: HostRequest) -> Result<SeedResult, AdminError> {
    let HostRequest { world, request, .. } = host_request;
    let query = QueryString::parse(&request.query);
    let (is_once, opt_outs) = (read_flag(&query, "once")?, read_opt_outs(&query)?);
    let base = world.active_settings().short_base.clone();
    let core = world.core.clone();
    let read = tokio::task::spawn_blocking(move || read_seed(&request.body, &base, &core));
    let (image, report) = read.await.map_err(|_| AdminError::internal())??;
    check_image_removal(&world, &image, opt_outs).await?;
    let by = if is_once { Replacement::SeedOnce } else { Replacement::Seed };
    let reset = replace_account(&world, image, by, false).await?;
    Ok(SeedResult { seeded: report.into(), reset })
}

impl From<overview::AccountCounts> for RecordCounts {
    fn from(counts: overview::AccountCounts) -> Self {
        Self {
            senders: counts.senders,
            assets: counts.assets,
            custom_fields: counts.custom_fields,
            lists: counts.lists,
            contacts: counts.contacts,
            opt_outs: counts.opt_outs,
            short_links: counts.short_links,
        }
    }
}
