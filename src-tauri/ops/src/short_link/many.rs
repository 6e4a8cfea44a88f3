//! Handles many short links at once, with their clicks, by tag and by target.

use std::collections::HashSet;

use roost_model::{
    error::FieldError,
    id::LinkId,
    page::Page,
    short_link::{ShortLink, check_parts, is_local_address},
};
use roost_store::{
    change_log::{ChangeAction, ChangeLogEntry, Noun},
    tables::{
        short_links::{self, LinkRow},
        sync::{SyncedTable, changes, connection},
    },
    tx::{ActDescription, ReadTx},
};
use serde::{Deserialize, Serialize};

use super::{LinkQuery, insert_link, search};
use crate::{
    core::{Actor, Core},
    error::{Error, OrNotFound, Result},
};

/// The maximum number of links in one act.
pub const LINKS_MAX: usize = 10_000;
/// The maximum numbers of suggested tags, and of links returned for a target.
const MAX_SUGGESTED_TAGS: usize = 50;
const MAX_LINKS_BY_TARGET: usize = 200;

/// A link to create, not checked yet.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename = "ShortLinkNew"))]
pub struct NewLink {
    pub title: String,
    pub target_url: String,
    pub tags: Vec<String>,
    pub track_clicks: bool,
}

/// A link with its number of clicks, and whether the service has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkInUse {
    pub link: ShortLink,
    pub clicks: u64,
    /// Whether the service has the link, or `None` if the account is not connected to a service.
    pub is_at_service: Option<bool>,
}

/// For whom a short address works.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum AddressStatus {
    /// The address works for everyone and will not change.
    Final,
    /// The address works only on this computer. The service does not have the link yet and will assign another address.
    Unsent,
    /// The address works only on this computer, because it is an address of the local server.
    ThisComputer,
}

impl LinkInUse {
    fn read(tx: &ReadTx, row: LinkRow, link: ShortLink) -> Result<Self> {
        let is_connected = connection::get(tx)?.is_some();
        let is_at_service =
            is_connected.then(|| changes::exists_at_service(tx, SyncedTable::ShortLinks, row.number())).transpose()?;
        Ok(Self { link, clicks: short_links::count_clicks(tx, row)?, is_at_service })
    }

    /// Returns for whom the short address works; `default_base` as in [`ShortLink::short_url`].
    pub fn address_status(&self, default_base: &str) -> AddressStatus {
        match (self.is_at_service, &self.link.base) {
            (Some(false), _) => AddressStatus::Unsent,
            (_, None) if is_local_address(default_base) => AddressStatus::ThisComputer,
            _ => AddressStatus::Final,
        }
    }
}

fn check_size(path: &str, len: usize) -> Result<()> {
    if (1..=LINKS_MAX).contains(&len) {
        Ok(())
    } else {
        Err(FieldError::new(path, format!("Give 1 to {LINKS_MAX} at once."), len).into())
    }
}

/// Creates all of these links, or none if one is invalid. Each error names its link.
pub fn create_many(core: &Core, by: &Actor, links: &[NewLink]) -> Result<Vec<ShortLink>> {
    check_size("links", links.len())?;
    let (mut parts, mut faults) = (Vec::with_capacity(links.len()), Vec::new());
    for (i, NewLink { title, target_url, tags, track_clicks }) in links.iter().enumerate() {
        match check_parts(Some(title), Some(target_url), tags, *track_clicks) {
            Ok(checked) => parts.push(checked),
            Err(found) => faults.extend(
                found.into_iter().map(|fault| FieldError { path: format!("links[{i}].{}", fault.path), ..fault }),
            ),
        }
    }
    if !faults.is_empty() {
        return Err(Error::Invalid { faults });
    }
    core.write(by, |tx| {
        tx.expect_rows(parts.len() as u64);
        let mut made = Vec::with_capacity(parts.len());
        for parts in parts {
            tx.check_cancelled()?;
            made.push(insert_link(core, tx, parts)?);
        }
        let act = ActDescription::new("short_link_create").with_count(made.len() as u64);
        match made.as_slice() {
            [link] => {
                tx.describe_act(act.with_subject(link.title.as_str()).with_uid(&link.link_id));
                tx.log_change(ChangeLogEntry::single(Noun::ShortLink, ChangeAction::Created, &link.link_id));
            }
            _ => {
                tx.describe_act(act);
                tx.log_change(ChangeLogEntry::bulk(Noun::ShortLink, ChangeAction::Created, made.len() as u64));
            }
        }
        Ok(made)
    })
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename = "ShortLinkDeleted"))]
pub struct LinksDeleted {
    pub deleted: u64,
    /// Clicks that were deleted with the links.
    pub clicks: u64,
}

/// Moves these links with their clicks to the trash.
pub fn delete_many(core: &Core, by: &Actor, uids: &[LinkId]) -> Result<LinksDeleted> {
    check_size("uids", uids.len())?;
    core.write(by, |tx| {
        let (mut titles, mut clicks) = (Vec::new(), 0);
        for uid in uids.iter().collect::<HashSet<_>>() {
            tx.check_cancelled()?;
            let (row, link) = short_links::get(tx, uid)?.or_not_found(Noun::ShortLink, uid)?;
            clicks += short_links::count_clicks(tx, row)?;
            short_links::delete(tx, uid)?;
            titles.push((link.title, uid));
        }
        let deleted = titles.len() as u64;
        let act = ActDescription::new("short_link_delete").with_count(deleted).into_trash(Noun::ShortLink);
        match titles.as_slice() {
            [(title, uid)] => {
                tx.describe_act(act.with_subject(title.as_str()).with_uid(uid));
                tx.log_change(ChangeLogEntry::single(Noun::ShortLink, ChangeAction::Deleted, uid));
            }
            _ => {
                tx.describe_act(act);
                tx.log_change(ChangeLogEntry::bulk(Noun::ShortLink, ChangeAction::Deleted, deleted));
            }
        }
        if clicks > 0 {
            tx.log_change(ChangeLogEntry::bulk(Noun::Click, ChangeAction::Deleted, clicks));
        }
        Ok(LinksDeleted { deleted, clicks })
    })
}

/// Returns these links with their clicks. Links that were deleted meanwhile are left out.
pub fn read_in_use(core: &Core, links: Vec<ShortLink>) -> Result<Vec<LinkInUse>> {
    core.read(|tx| {
        let mut found = Vec::with_capacity(links.len());
        for link in links {
            if let Some((row, link)) = short_links::get(tx, &link.link_id)? {
                found.push(LinkInUse::read(tx, row, link)?);
            }
        }
        Ok(found)
    })
}

/// Searches links as the interface does, and returns them with their clicks.
pub fn find_links(core: &Core, query: &LinkQuery) -> Result<Page<LinkInUse>> {
    let found = search(core, query)?;
    Ok(Page { items: read_in_use(core, found.items)?, total_items: found.total_items })
}

pub fn get_in_use(core: &Core, uid: &LinkId) -> Result<LinkInUse> {
    core.read(|tx| {
        let (row, link) = short_links::get(tx, uid)?.or_not_found(Noun::ShortLink, uid)?;
        LinkInUse::read(tx, row, link)
    })
}

/// Returns tags that begin with the prefix in any letter case, the most used first.
pub fn find_tags(core: &Core, prefix: &str) -> Result<Vec<(String, u64)>> {
    let prefix = prefix.trim().to_lowercase();
    let all = core.read(|tx| Ok(short_links::count_tags(tx)?))?;
    Ok(all.into_iter().filter(|(tag, _)| tag.to_lowercase().starts_with(&prefix)).take(MAX_SUGGESTED_TAGS).collect())
}

/// Returns the links that already lead to one of these addresses, newest first.
pub fn find_by_targets(core: &Core, targets: &[String]) -> Result<Vec<LinkInUse>> {
    check_size("targets", targets.len())?;
    let wanted: HashSet<&str> =
        targets.iter().map(|target| target.trim()).filter(|target| !target.is_empty()).collect();
    core.read(|tx| {
        let found = short_links::find_by_target(tx, |target| wanted.contains(target), MAX_LINKS_BY_TARGET)?;
        found.into_iter().map(|(row, link)| LinkInUse::read(tx, row, link)).collect()
    })
}
