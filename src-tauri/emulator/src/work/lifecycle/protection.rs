//! Protects an account file whose contents do not come from a seed: whoever replaces them must state how many opt-outs
//! this removes, and a copy is stored. Every other account can be created again, so neither is required; but a number
//! that is given is checked for every world, and an import may ask for a copy of any.

use std::sync::Arc;

use roost_ops::{
    AccountResource, Core, Image,
    diff::{self, DiffOptions},
    overview,
};
use schemars::JsonSchema;
use serde::Serialize;

use super::ResetError;
use crate::world::{AccountOwnership, BackupError, World};

/// The resources that a comparison of opt-outs ignores.
const ALL_BUT_OPT_OUTS: &str = "senders, assets, custom_fields, lists, contacts, short_links, jobs";
/// The prefix of the snapshots that store replaced accounts.
const BEFORE_IMPORT: &str = "before-import-";
/// The most of these snapshots that a world stores; the oldest are removed.
const COPIES_MAX: usize = 5;

/// A copy of the account that was replaced: a file beside the account file, or a snapshot of a world in memory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct BackupCopy {
    file: Option<String>,
    snapshot: Option<String>,
}

/// Counts the opt-outs of the account that are missing from the image.
pub(crate) fn count_removed_opt_outs(
    core: &Core,
    image: &Image,
    default_base: String,
) -> Result<u64, roost_ops::Error> {
    let options =
        DiffOptions { default_base, ignored: diff::parse_ignored(ALL_BUT_OPT_OUTS).unwrap_or_default(), limit: 0 };
    Ok(diff::compare_images(&core.image()?, image, &options)?.for_resource(AccountResource::OptOuts).removed.count)
}

fn count_with_noun(count: u64, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

pub(super) fn is_protected(world: &World) -> bool {
    matches!(world.ownership, AccountOwnership::Kept { .. }) && !world.is_from_seed()
}

/// Fails if `confirmed` is not the number of opt-outs that would be removed. If no number is given, a protected
/// account may lose none, and any other may lose all.
pub(crate) fn check_removed_count(world: &World, removed: u64, confirmed: Option<u64>) -> Result<(), ResetError> {
    match confirmed {
        None if removed == 0 || !is_protected(world) => Ok(()),
        Some(confirmed) if confirmed == removed => Ok(()),
        _ => {
            let overview::AccountCounts { lists, contacts, opt_outs, .. } = overview::get(&world.core)?;
            let (lists, contacts) = (count_with_noun(lists, "list"), count_with_noun(contacts, "contact"));
            let replaced = format!("{lists}, {contacts} and {}", count_with_noun(opt_outs, "opt-out"));
            Err(ResetError::Unconfirmed { replaced, removed, opt_outs: count_with_noun(removed, "opt-out") })
        }
    }
}

/// Counts the opt-outs that replacing the account with this image would remove, and checks their number.
pub(crate) async fn check_image_removal(
    world: &Arc<World>,
    image: &Image,
    confirmed: Option<u64>,
) -> Result<(), ResetError> {
    if confirmed.is_none() && !is_protected(world) {
        return Ok(());
    }
    let (world, image) = (world.clone(), image.clone());
    let checked = tokio::task::spawn_blocking(move || {
        let removed = count_removed_opt_outs(&world.core, &image, world.active_settings().short_base.clone())?;
        check_removed_count(&world, removed, confirmed)
    });
    checked.await.map_err(|_| ResetError::Gone)?
}

/// Stores a copy of the world: beside the account file, or as a snapshot if there is no file.
pub(super) fn back_up(world: &World) -> Result<BackupCopy, BackupError> {
    if let Some(path) = world.core.keep_copy()? {
        return Ok(BackupCopy { file: Some(path.to_string_lossy().into_owned()), snapshot: None });
    }
    let snapshot = world.save_numbered_snapshot(BEFORE_IMPORT, COPIES_MAX)?;
    Ok(BackupCopy { file: None, snapshot: Some(snapshot) })
}
