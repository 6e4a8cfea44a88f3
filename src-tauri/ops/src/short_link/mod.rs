//! Contains the acts on short links, including following one.

mod many;
mod series;

use roost_model::{
    id::LinkId,
    page::{Page, PageRequest},
    short_link::{CODE_LEN, Click, LinkParts, SearchWords, ShortLink},
    time::TimeBound,
};
use roost_store::{
    change_log::{ChangeAction, ChangeLogEntry, Noun},
    tables::{clicks, short_links},
    tx::{ActDescription, WriteTx},
};

pub use self::{many::*, series::*};
pub use roost_model::short_link::LinkQuery;

use crate::{
    core::{Actor, Core},
    error::{Error, OrNotFound, Result},
};

/// What is known of the visitor who opens a link.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LinkVisit {
    pub recipient: Option<String>,
    pub device: Option<String>,
    pub browser: Option<String>,
    pub operating_system: Option<String>,
    pub campaign_uid: Option<String>,
}

pub fn create(core: &Core, by: &Actor, parts: LinkParts) -> Result<ShortLink> {
    core.write(by, |tx| {
        let link = insert_link(core, tx, parts)?;
        tx.describe_act(
            ActDescription::new("short_link_create").with_subject(link.title.as_str()).with_uid(&link.link_id),
        );
        tx.log_change(ChangeLogEntry::single(Noun::ShortLink, ChangeAction::Created, &link.link_id));
        Ok(link)
    })
}

fn insert_link(core: &Core, tx: &WriteTx, parts: LinkParts) -> Result<ShortLink> {
    let now = core.ctx().now();
    let mut code = core.ctx().code(CODE_LEN);
    while !short_links::reserve_code(tx, &code)? {
        code = core.ctx().code(CODE_LEN);
    }
    let LinkParts { title, target_url, tags, track_clicks } = parts;
    let link = ShortLink {
        link_id: LinkId::new(core.ctx().ksuid(now)),
        title,
        target_url,
        code,
        base: None,
        tags,
        created_at: now,
        track_clicks,
    };
    short_links::insert(tx, &link)?;
    Ok(link)
}

pub fn get(core: &Core, uid: &LinkId) -> Result<ShortLink> {
    core.read(|tx| Ok(short_links::get(tx, uid)?.or_not_found(Noun::ShortLink, uid)?.1))
}

pub fn delete(core: &Core, by: &Actor, uid: &LinkId) -> Result<()> {
    core.write(by, |tx| {
        let (_, link) = short_links::get(tx, uid)?.or_not_found(Noun::ShortLink, uid)?;
        short_links::delete(tx, uid)?;
        tx.describe_act(
            ActDescription::new("short_link_delete").with_subject(link.title).with_uid(uid).into_trash(Noun::ShortLink),
        );
        tx.log_change(ChangeLogEntry::single(Noun::ShortLink, ChangeAction::Deleted, uid));
        Ok(())
    })
}

pub fn search(core: &Core, query: &LinkQuery) -> Result<Page<ShortLink>> {
    let from = query.from.map_or(i64::MIN, TimeBound::at_or_after);
    let to = query.to.map_or(i64::MAX, TimeBound::at_or_before);
    let words = query.query.as_deref().map(str::trim).filter(|words| !words.is_empty());
    if words.is_none() && query.tags.is_empty() {
        let (items, total_items) =
            core.read(|tx| Ok(short_links::read_page(tx, from, to, query.order, query.page)?))?;
        return Ok(Page { items, total_items });
    }
    let (first, last) = (query.page.offset(), query.page.offset() + u64::from(query.page.size));
    let words = words.map(SearchWords::from_query);
    let (mut shown, mut total_items) = (Vec::new(), 0);
    core.read(|tx| {
        let of_tags = |tags: &[String]| {
            let has_tags = query.tags.iter().all(|tag| tags.contains(tag));
            has_tags.then(|| words.as_ref().map(|words| words.find_in_tags(tags)).unwrap_or_default())
        };
        short_links::visit_titles(tx, from, to, query.order, of_tags, |link, title, found| {
            let fits = |found: &Vec<bool>| words.as_ref().is_none_or(|words| words.match_title_or(title, found));
            if found.as_ref().is_some_and(fits) {
                if (first..last).contains(&total_items) {
                    shown.push(link);
                }
                total_items += 1;
            }
        })?;
        let items =
            shown.iter().map(|link| short_links::read_by_row(tx, *link)).collect::<std::result::Result<_, _>>()?;
        Ok(Page { items, total_items })
    })
}

/// Returns the target of a code. A visit to a tracked link is recorded. Without a visit, nothing is recorded.
pub fn follow_code(
    core: &Core,
    by: &Actor,
    code: &str,
    default_base: &str,
    visit: Option<LinkVisit>,
) -> Result<Option<String>> {
    let Some((_, link)) = core.read(|tx| Ok(short_links::find_by_code(tx, code)?))? else { return Ok(None) };
    match visit {
        Some(visit) if link.track_clicks => match record_click(core, by, &link.link_id, default_base, visit) {
            // The link was deleted between the two transactions.
            Err(Error::NotFound { .. }) => Ok(None),
            other => other.map(|click| Some(click.target_url)),
        },
        _ => Ok(Some(link.target_url)),
    }
}

/// Records a click on a link with the link's present values.
pub fn record_click(core: &Core, by: &Actor, uid: &LinkId, default_base: &str, visit: LinkVisit) -> Result<Click> {
    core.write(by, |tx| {
        let (row, link) = short_links::get(tx, uid)?.or_not_found(Noun::ShortLink, uid)?;
        let LinkVisit { recipient, device, browser, operating_system, campaign_uid } = visit;
        let short_link_url = link.short_url(default_base);
        let time = core.ctx().now();
        let click = Click {
            link_id: link.link_id,
            title: link.title,
            short_link_url,
            target_url: link.target_url,
            recipient,
            device,
            browser,
            operating_system,
            campaign_uid,
            time,
        };
        clicks::insert(tx, row, &click)?;
        tx.log_change(ChangeLogEntry::single(Noun::Click, ChangeAction::Created, uid));
        Ok(click)
    })
}

/// Returns the clicks of a link, newest first.
pub fn read_clicks(core: &Core, uid: &LinkId, page: PageRequest) -> Result<Page<Click>> {
    core.read(|tx| {
        let (row, _) = short_links::get(tx, uid)?.or_not_found(Noun::ShortLink, uid)?;
        Ok(clicks::read_page(tx, uid, row, page)?)
    })
}
