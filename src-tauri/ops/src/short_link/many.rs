//! Short links as people keep them: many at once, with their clicks, by tag and by target.

use std::collections::HashSet;

use roost_model::{
    error::Fault,
    id::LinkId,
    page::Page,
    short_link::{ShortLink, check_parts},
};
use roost_store::{
    change_log::{Action, Change, Noun},
    tables::{short_links, steps::Act},
};

use super::{LinkQuery, make, search};
use crate::{
    core::{By, Core},
    error::{Error, OrNotFound, Result},
};

/// Most links of one act.
pub const LINKS_MAX: usize = 10_000;
/// Tags that are offered at once, and links that are told for a target.
const OFFERED: usize = 50;
const TOLD: usize = 200;

/// A link to make; nothing checked yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewLink {
    pub title: String,
    pub target_url: String,
    pub tags: Vec<String>,
    pub track_clicks: bool,
}

/// A link and how often it was opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkInUse {
    pub link: ShortLink,
    pub clicks: u64,
}

fn check_size(path: &str, len: usize) -> Result<()> {
    if (1..=LINKS_MAX).contains(&len) {
        Ok(())
    } else {
        Err(Fault::new(path, format!("Give 1 to {LINKS_MAX} at once."), len).into())
    }
}

/// Makes all of these links or, with a fault in one, none; each fault says in which.
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
    /// Clicks that went with them.
    pub clicks: u64,
}

/// Deletes these links with their clicks, into the trash.
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

/// The interface's search, with clicks.
pub fn find(core: &Core, query: &LinkQuery) -> Result<Page<LinkInUse>> {
    let found = search(core, query)?;
    core.read(|tx| {
        let items = found.items.into_iter().map(|link| {
            let row = short_links::get(tx, &link.link_id)?;
            let clicks = row.map(|(row, _)| short_links::clicks(tx, row)).transpose()?.unwrap_or_default();
            Ok(LinkInUse { link, clicks })
        });
        Ok(Page { items: items.collect::<Result<_>>()?, total_items: found.total_items })
    })
}

pub fn get_in_use(core: &Core, uid: &LinkId) -> Result<LinkInUse> {
    core.read(|tx| {
        let (row, link) = short_links::get(tx, uid)?.or_not_found(Noun::ShortLink, uid)?;
        Ok(LinkInUse { link, clicks: short_links::clicks(tx, row)? })
    })
}

/// Tags that begin so, in any case, the most used first.
pub fn tags(core: &Core, prefix: &str) -> Result<Vec<(String, u64)>> {
    let prefix = prefix.trim().to_lowercase();
    let all = core.read(|tx| Ok(short_links::tags(tx)?))?;
    Ok(all.into_iter().filter(|(tag, _)| tag.to_lowercase().starts_with(&prefix)).take(OFFERED).collect())
}

/// Links that lead to one of these addresses already, newest first.
pub fn with_targets(core: &Core, targets: &[String]) -> Result<Vec<LinkInUse>> {
    check_size("targets", targets.len())?;
    let wanted: HashSet<&str> =
        targets.iter().map(|target| target.trim()).filter(|target| !target.is_empty()).collect();
    core.read(|tx| {
        let found = short_links::with_target(tx, |target| wanted.contains(target), TOLD)?;
        found.into_iter().map(|(row, link)| Ok(LinkInUse { link, clicks: short_links::clicks(tx, row)? })).collect()
    })
}
