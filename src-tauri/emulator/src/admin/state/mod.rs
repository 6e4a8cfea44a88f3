//! Routes on the whole state of a world: reset, seed, snapshots, differences, export and import.

pub mod diff;
pub mod export;
pub mod moment;
pub mod record;
pub mod snapshots;

use roost_ops::{overview, seed::SeedReport};
use roost_wire::QueryString;
use schemars::JsonSchema;
use serde::Serialize;

use self::export::read_seed;
use super::{
    refused::Refused,
    route::{Whole, read_flag, read_opt_outs},
};
use crate::world::{Keep, Mode, Replacement, Reset, replace, reset};

/// The names that the parameter `keep` accepts.
const KEPT: [&str; 6] = ["settings", "limits", "faults", "journal", "clock", "random"];

fn keep(text: &str) -> Result<Keep, Refused> {
    let mut keep = Keep::default();
    for name in text.split(',').map(str::trim).filter(|name| !name.is_empty()) {
        match name {
            "settings" => keep.settings = true,
            "limits" => keep.limits = true,
            "faults" => keep.faults = true,
            "journal" => keep.journal = true,
            "clock" => keep.clock = true,
            "random" => keep.random = true,
            _ => return Err(Refused::bad_query(format!("keep takes {}, got '{name}'.", KEPT.join(", ")))),
        }
    }
    Ok(keep)
}

pub async fn go_back(whole: Whole) -> Result<Reset, Refused> {
    let query = QueryString::parse(&whole.asked.query);
    let keep = keep(query.first_value("keep").unwrap_or_default())?;
    let mode = match query.filled_value("mode") {
        None | Some("cancel") => Mode::Cancel,
        Some("drain") => Mode::Drain,
        Some(_) => return Err(Refused::bad_query("mode must be cancel or drain.")),
    };
    Ok(reset(&whole.world, keep, mode, read_opt_outs(&query)?).await?)
}

/// The contents of a seed, and what was ended when it was applied.
#[derive(Serialize, JsonSchema)]
pub struct Seeded {
    seeded: Held,
    reset: Reset,
}

#[derive(Serialize, JsonSchema)]
pub struct Held {
    senders: u64,
    assets: u64,
    custom_fields: u64,
    lists: u64,
    contacts: u64,
    opt_outs: u64,
    short_links: u64,
}

/// Reads the whole seed before anything changes. Then the world holds it, and later resets restore it.
pub async fn seed(whole: Whole) -> Result<Seeded, Refused> {
    let Whole { world, asked, .. } = whole;
    let query = QueryString::parse(&asked.query);
    let (is_once, opt_outs) = (read_flag(&query, "once")?, read_opt_outs(&query)?);
    let base = world.rules().short_base.clone();
    let core = world.core.clone();
    let read = tokio::task::spawn_blocking(move || read_seed(&asked.body, &base, &core));
    let (image, report) = read.await.map_err(|_| Refused::internal())??;
    world.check_removal(&image, opt_outs).await?;
    let by = if is_once { Replacement::SeedOnce } else { Replacement::Seed };
    let reset = replace(&world, image, by, false).await?;
    Ok(Seeded { seeded: report.into(), reset })
}

impl From<overview::AccountCounts> for Held {
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

impl From<SeedReport> for Held {
    fn from(report: SeedReport) -> Self {
        Self {
            senders: report.senders,
            assets: report.assets,
            custom_fields: report.custom_fields,
            lists: report.lists,
            contacts: report.contacts,
            opt_outs: report.opt_outs,
            short_links: report.short_links,
        }
    }
}
