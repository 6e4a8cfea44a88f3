//! Protects an account file that no seed made: what replaces it says how many opt-outs it removes, and keeps a copy. A
//! server in memory, other worlds, and a file that a seed filled hold nothing that cannot be made again.

use std::sync::{Arc, atomic::Ordering};

use roost_ops::{
    AccountResource, Core, Image,
    diff::{self, DiffOptions},
    overview,
};
use schemars::JsonSchema;
use serde::Serialize;

use super::{Account, NotReset, NotTaken, World};

/// What a comparison of opt-outs has no use for.
const ALL_BUT_OPT_OUTS: &str = "senders, assets, custom_fields, lists, contacts, short_links, jobs";
/// How the snapshots begin that keep what was replaced, and how many of them there are at most.
const BEFORE_IMPORT: &str = "before-import-";
const COPIES_MAX: usize = 5;

/// A copy of the account that was replaced: a file beside the account file, or a snapshot of a world in memory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct KeptCopy {
    file: Option<String>,
    snapshot: Option<String>,
}

/// How many opt-outs of an account an image does not have.
pub fn count_removed_opt_outs(core: &Core, image: &Image, own_base: String) -> Result<u64, roost_ops::Error> {
    let ask = DiffOptions { own_base, ignored: diff::parse_ignored(ALL_BUT_OPT_OUTS).unwrap_or_default(), limit: 0 };
    Ok(diff::compare_images(&core.image()?, image, &ask)?.for_resource(AccountResource::OptOuts).removed.count)
}

fn counted(count: u64, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

impl World {
    pub fn is_protected(&self) -> bool {
        matches!(self.account, Account::Kept { .. }) && !self.is_from_seed()
    }

    pub fn mark_from_seed(&self, is_from_seed: bool) {
        self.from_seed.store(is_from_seed, Ordering::Release);
    }

    pub fn is_from_seed(&self) -> bool {
        self.from_seed.load(Ordering::Acquire)
    }

    /// Fails when `confirmed` is not the number of opt-outs that would be removed. Without a number, a protected account
    /// loses none.
    pub fn check_removed(&self, removed: u64, confirmed: Option<u64>) -> Result<(), NotReset> {
        match confirmed {
            None if removed == 0 || !self.is_protected() => Ok(()),
            Some(confirmed) if confirmed == removed => Ok(()),
            _ => {
                let overview::AccountCounts { lists, contacts, opt_outs, .. } = overview::get(&self.core)?;
                let (lists, contacts) = (counted(lists, "list"), counted(contacts, "contact"));
                let replaced = format!("{lists}, {contacts} and {}", counted(opt_outs, "opt-out"));
                Err(NotReset::Unconfirmed { replaced, removed, opt_outs: counted(removed, "opt-out") })
            }
        }
    }

    /// The same for what an image would remove.
    pub async fn check_removal(self: &Arc<Self>, image: &Image, confirmed: Option<u64>) -> Result<(), NotReset> {
        if confirmed.is_none() && !self.is_protected() {
            return Ok(());
        }
        let (world, image) = (self.clone(), image.clone());
        let checked = tokio::task::spawn_blocking(move || {
            let removed = count_removed_opt_outs(&world.core, &image, world.rules().short_base.clone())?;
            world.check_removed(removed, confirmed)
        });
        checked.await.map_err(|_| NotReset::Gone)?
    }

    /// Keeps what the world holds: beside the account file, or as a snapshot where there is no file.
    pub fn keep_copy(&self) -> Result<KeptCopy, NotTaken> {
        if let Some(path) = self.core.keep_copy()? {
            return Ok(KeptCopy { file: Some(path.to_string_lossy().into_owned()), snapshot: None });
        }
        let snapshot = self.keep_snapshot(BEFORE_IMPORT, COPIES_MAX)?;
        Ok(KeptCopy { file: None, snapshot: Some(snapshot) })
    }
}
