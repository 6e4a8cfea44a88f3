//! Finds contacts that are the same, shows them side by side, and merges them into one.
//!
//! Opt-outs belong to numbers, so nothing here changes them.

mod bulk_merge;
mod find;
mod groups;
mod keys;
mod merge;
mod near;
mod show;
#[cfg(test)]
mod tests;

pub use self::{
    bulk_merge::{MergedAll, MergedField, MergedSample, RemovedOptOut, RemovedValues},
    keys::DuplicateKey,
    merge::{MergeChoice, MergedGroup, SurvivorRule},
    show::{DuplicateEvidence, DuplicateGroupHead, DuplicateGroupWhole, GroupPage, GroupQuery, SuggestedMerge},
};

use std::{sync::Arc, time::Duration};

use roost_model::{error::FieldError, id::ListId};

use self::groups::{DuplicateGroups, GroupStatus};
use crate::{
    SearchProgress,
    background::{BackgroundSearch, BackgroundSearches},
};
use roost_ops::{
    core::Core,
    error::{Error, Result},
};
use serde::Serialize;

/// The duplicate searches that pages have open.
#[derive(Default)]
pub struct DuplicateSearches {
    runs: BackgroundSearches<DuplicateGroups>,
}

/// The status of a search and a summary of its result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename = "DuplicateState"))]
pub struct DuplicateStatus {
    /// The number of the search.
    pub id: u64,
    pub list: Option<ListId>,
    #[serde(flatten)]
    pub progress: SearchProgress,
    /// The number of open groups, and the number of contacts that merging all of them would remove.
    pub groups: u64,
    pub effect: u64,
    pub skipped: u64,
    /// The number of contacts that merging removed.
    pub merged: u64,
    pub keys: Vec<KeySummary>,
}

/// The groups found by one key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename = "DuplicateByKey"))]
pub struct KeySummary {
    pub key: DuplicateKey,
    pub groups: u64,
    /// Contacts that merging every group would remove.
    pub effect: u64,
    /// The list is too long to be compared by this key.
    pub is_left_out: bool,
}

const GONE: &str = "This group no longer exists. Search again.";

impl DuplicateSearches {
    /// Starts a search on a separate thread, and returns its id. Without a list it searches the whole account, which
    /// allows only exact keys.
    pub fn open(&self, core: &Core, list: Option<&ListId>, by: &[DuplicateKey]) -> Result<u64> {
        let by: Vec<DuplicateKey> = DuplicateKey::ALL.into_iter().filter(|key| by.contains(key)).collect();
        if by.is_empty() {
            return Err(FieldError::new("by", "Say by what contacts are the same.", Vec::<String>::new()).into());
        }
        if list.is_none() && by.iter().any(|key| key.is_fuzzy()) {
            let message = "Names are compared within a list. Choose a list, or numbers and e-mail addresses alone.";
            return Err(FieldError::new("by", message, serde_json::Value::Null).into());
        }
        if let Some(list) = list {
            roost_ops::list::get(core, list)?;
        }
        let run = self.runs.open(list.cloned());
        run.patch_result(None, |groups| groups.by = by);
        start_search(core, &run)?;
        Ok(run.id)
    }

    /// Searches again. Skipped groups stay skipped, and all groups get new numbers.
    pub fn refresh(&self, core: &Core, id: u64) -> Result<()> {
        start_search(core, &self.runs.get(id)?)
    }

    pub fn cancel(&self, id: u64) -> Result<()> {
        self.runs.get(id)?.cancel();
        Ok(())
    }

    /// Closes a search. Closing a search that is already closed has no effect.
    pub fn close(&self, id: u64) {
        self.runs.close(id);
    }

    /// Closes all searches and waits for their threads. The account is about to be closed.
    pub fn close_all(&self) {
        self.runs.close_all();
    }

    /// Returns the status, after waiting up to `wait` for the search to finish.
    pub fn read_status(&self, core: &Core, id: u64, wait: Duration) -> Result<DuplicateStatus> {
        let run = self.runs.get(id)?;
        run.wait(wait);
        let (progress, found) = (run.read_progress(core)?, run.latest_result());
        let open = || found.groups.iter().filter(|group| group.status == GroupStatus::Open);
        let keys = found.by.iter().map(|key| KeySummary {
            key: *key,
            groups: open().filter(|group| group.is_by(*key)).count() as u64,
            effect: open().filter(|group| group.is_by(*key)).map(|group| group.effect()).sum(),
            is_left_out: found.left_out.contains(key),
        });
        Ok(DuplicateStatus {
            id,
            list: run.list.clone(),
            progress,
            groups: open().count() as u64,
            effect: open().map(|group| group.effect()).sum(),
            skipped: found.groups.iter().filter(|group| group.status == GroupStatus::Skipped).count() as u64,
            merged: found.merged.len() as u64,
            keys: keys.collect(),
        })
    }

    /// Skips groups for as long as the search is open, or restores them.
    pub fn set_skipped(&self, id: u64, groups: &[u64], is_skipped: bool) -> Result<()> {
        let run = self.runs.get(id)?;
        run.patch_result(None, |found| {
            for group in groups {
                let at = found.position_of(*group).ok_or_else(|| Error::conflict(GONE))?;
                found.set_skipped(at, is_skipped);
            }
            Ok(())
        })
    }

    fn find_search(&self, id: u64) -> Result<Arc<BackgroundSearch<DuplicateGroups>>> {
        self.runs.get(id)
    }
}

fn start_search(core: &Core, run: &Arc<BackgroundSearch<DuplicateGroups>>) -> Result<()> {
    let (list, before) = (run.list.clone(), run.latest_result());
    run.start(core, "duplicates", move |core, watch| find::find_groups(core, list.as_ref(), &before.by, &before, watch))
}
