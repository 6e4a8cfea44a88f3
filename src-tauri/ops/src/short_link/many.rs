//! Handles many short links at once, with their clicks, by tag and by target.

use std::collections::HashSet;

use roost_model::{
    error::Fault,
    id::LinkId,
    page::Page,
    short_link::{ShortLink, check_parts, leads_to_this_computer},
};
use roost_store::{
    change_log::{Action, Change, Noun},
    tables::{
        short_links::{self, LinkRow},
        steps::Act,
        sync::{Place, changes, connection},
    },
    tx::ReadTx,
};
use serde::Serialize;

use super::{LinkQuery, make, search};
use crate::{
    core::{By, Core},
    error::{Error, OrNotFound, Result},
};

/// The maximum number of links in one act.
pub const LINKS_MAX: usize = 10_000;
/// The maximum numbers of suggested tags, and of links returned for a target.
const OFFERED: usize = 50;
const TOLD: usize = 200;

/// A link to create, not checked yet.
#[derive(Debug, Clone, PartialEq, Eq)]
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
        let is_at_service = is_connected.then(|| changes::is_there(tx, Place::ShortLinks, row.number())).transpose()?;
        Ok(Self { link, clicks: short_links::clicks(tx, row)?, is_at_service })
    }

    /// Returns for whom the short address works; `own_base` as in [`ShortLink::short_url`].
    pub fn address_status(&self, own_base: &str) -> AddressStatus {
        match (self.is_at_service, &self.link.base) {
            (Some(false), _) => AddressStatus::Unsent,
            (_, None) if leads_to_this_computer(own_base) => AddressStatus::ThisComputer,
            _ => AddressStatus::Final,
        }
    }
}

fn check_size(path: &str, len: usize) -> Result<()> {
    if (1..=LINKS_MAX).contains(&len) {
        Ok(())
    } else {
        Err(Fault::new(path, format!("Give 1 to {LINKS_MAX} at once."), len).into())
    }
}

/// Creates all of these links, or none if one is invalid. Each error names its link.
pub fn create_many(core: &Core, by: &By, links: &[NewLink]) -> Result<Vec<ShortLink>> {
    check_size("links", links.len())?;
    let (mut parts, mut faults) = (Vec::with_capacity(links.len()), Vec::new());
    for (i, NewLink { title, target_url, tags, track_clicks }) in links.iter().enumerate() {
        match check_parts(Some(title), Some(target_url), tags, *track_clicks) {
            Ok(checked) => parts.push(checked),
            Err(found) => faults
                .extend(found.into_iter().map(|fault| Fault { path: format!("links[{i}].{}", fault.path), ..fault })),
        }
    }
    if !faults.is_empty() {
        return Err(Error::Invalid { faults });
    }
    core.write(by, |tx| {
        tx.expect_rows(parts.len() as u64);
        let mut made = Vec::with_capacity(parts.len());
        for parts in parts {
            tx.check()?;
            made.push(make(core, tx, parts)?);
        }
        let act = Act::new("short_link_create").count(made.len() as u64);
        match made.as_slice() {
            [link] => {
                tx.act(act.subject(link.title.as_str()).uid(&link.link_id));
                tx.log(Change::one(Noun::ShortLink, Action::Created, &link.link_id));
            }
            _ => {
                tx.act(act);
                tx.log(Change::bulk(Noun::ShortLink, Action::Created, made.len() as u64));
            }
        }
        Ok(made)
    })
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LinksDeleted {
    pub deleted: u64,
    /// The number of clicks deleted with the links.
    pub clicks: u64,
}

/// Moves these links with their clicks to the trash.
pub fn delete_many(core: &Core, by: &By, uids: &[LinkId]) -> Result<LinksDeleted> {
    check_size("uids", uids.len())?;
    core.write(by, |tx| {
        let (mut titles, mut clicks) = (Vec::new(), 0);
        for uid in uids.iter().collect::<HashSet<_>>() {
            tx.check()?;
            let (row, link) = short_links::get(tx, uid)?.or_not_found(Noun::ShortLink, uid)?;
            clicks += short_links::clicks(tx, row)?;
            short_links::delete(tx, uid)?;
            titles.push((link.title, uid));
        }
        let deleted = titles.len() as u64;
        let act = Act::new("short_link_delete").count(deleted).into_trash(Noun::ShortLink);
        match titles.as_slice() {
            [(title, uid)] => {
                tx.act(act.subject(title.as_str()).uid(uid));
                tx.log(Change::one(Noun::ShortLink, Action::Deleted, uid));
            }
            _ => {
                tx.act(act);
                tx.log(Change::bulk(Noun::ShortLink, Action::Deleted, deleted));
            }
        }
        if clicks > 0 {
            tx.log(Change::bulk(Noun::Click, Action::Deleted, clicks));
        }
        Ok(LinksDeleted { deleted, clicks })
    })
}

/// Returns these links with their clicks. Links that were deleted meanwhile are left out.
pub fn in_use(core: &Core, links: Vec<ShortLink>) -> Result<Vec<LinkInUse>> {
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
pub fn find(core: &Core, query: &LinkQuery) -> Result<Page<LinkInUse>> {
    let found = search(core, query)?;
    Ok(Page { items: in_use(core, found.items)?, total_items: found.total_items })
}

pub fn get_in_use(core: &Core, uid: &LinkId) -> Result<LinkInUse> {
    core.read(|tx| {
        let (row, link) = short_links::get(tx, uid)?.or_not_found(Noun::ShortLink, uid)?;
        LinkInUse::read(tx, row, link)
    })
}

/// Returns tags that begin with the prefix in any letter case, the most used first.
pub fn tags(core: &Core, prefix: &str) -> Result<Vec<(String, u64)>> {
    let prefix = prefix.trim().to_lowercase();
    let all = core.read(|tx| Ok(short_links::tags(tx)?))?;
    Ok(all.into_iter().filter(|(tag, _)| tag.to_lowercase().starts_with(&prefix)).take(OFFERED).collect())
}

/// Returns the links that already lead to one of these addresses, newest first.
pub fn with_targets(core: &Core, targets: &[String]) -> Result<Vec<LinkInUse>> {
    check_size("targets", targets.len())?;
    let wanted: HashSet<&str> =
        targets.iter().map(|target| target.trim()).filter(|target| !target.is_empty()).collect();
    core.read(|tx| {
        let found = short_links::with_target(tx, |target| wanted.contains(target), TOLD)?;
        found.into_iter().map(|(row, link)| LinkInUse::read(tx, row, link)).collect()
    })
}
