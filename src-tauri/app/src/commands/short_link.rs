//! Commands on short links and the clicks on them.

use roost_model::{
    id::LinkId,
    page::SortOrder,
    short_link::{Click, ShortLink},
    time::Timestamp,
};
use roost_ops::{
    Actor,
    short_link::{self, AddressStatus, ClickSeries, LinkInUse, LinkQuery, NewLink},
};
use serde::{Deserialize, Serialize};

use crate::{
    accounts::App,
    error::CommandError,
    reading::{PageResponse, parse_id, parse_time_bound, read_page_request},
};

/// A link with its full address and its number of clicks.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(super) struct LinkItem {
    pub link_id: LinkId,
    pub title: String,
    pub target_url: String,
    pub code: String,
    /// The address on the local server, running or not, unless the link has its own base address.
    pub short_url: String,
    /// Who can open this address.
    pub address_status: AddressStatus,
    pub tags: Vec<String>,
    pub created_at: Timestamp,
    pub track_clicks: bool,
    pub clicks: u64,
}

fn to_item(base: &str, found: LinkInUse) -> LinkItem {
    let (short_url, address_status) = (found.link.short_url(base), found.address_status(base));
    let LinkInUse { link, clicks, .. } = found;
    let ShortLink { link_id, title, target_url, code, tags, created_at, track_clicks, .. } = link;
    LinkItem { link_id, title, target_url, code, short_url, address_status, tags, created_at, track_clicks, clicks }
}

/// Returns the beginning of short addresses for links without their own base address.
fn default_link_base(app: &App) -> String {
    app.server().settings().short_link_base_at(&app.server().url())
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(super) struct ShortLinkPage {
    /// Words. Each must occur in the title or in a tag, with at most one typing error.
    pub query: Option<String>,
    /// A link must have all of these tags, spelled exactly.
    pub tags: Vec<String>,
    pub from: Option<String>,
    pub to: Option<String>,
    pub order: SortOrder,
    pub page_number: u32,
    pub page_size: u32,
}

pub(super) fn page(app: &App, _: &Actor, request: ShortLinkPage) -> Result<PageResponse<LinkItem>, CommandError> {
    let page = read_page_request(request.page_number, request.page_size)?;
    let query = LinkQuery {
        query: request.query,
        tags: request.tags,
        from: parse_time_bound("from", request.from.as_deref())?,
        to: parse_time_bound("to", request.to.as_deref())?,
        order: request.order,
        page,
    };
    let found = short_link::find_links(&app.core()?, &query)?;
    let base = default_link_base(app);
    Ok(PageResponse::new(found, page).map(|link| to_item(&base, link)))
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(super) struct ShortLinkGet {
    pub uid: String,
}

pub(super) fn get(app: &App, _: &Actor, request: ShortLinkGet) -> Result<LinkItem, CommandError> {
    let uid = parse_id("uid", &request.uid, LinkId::parse)?;
    Ok(to_item(&default_link_base(app), short_link::get_in_use(&app.core()?, &uid)?))
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(super) struct ShortLinkCreate {
    pub links: Vec<NewLink>,
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(super) struct ShortLinks {
    pub links: Vec<LinkItem>,
}

pub(super) fn create(app: &App, by: &Actor, request: ShortLinkCreate) -> Result<ShortLinks, CommandError> {
    let core = app.core()?;
    let made = short_link::read_in_use(&core, short_link::create_many(&core, by, &request.links)?)?;
    let base = default_link_base(app);
    Ok(ShortLinks { links: made.into_iter().map(|link| to_item(&base, link)).collect() })
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(super) struct ShortLinkTags {
    /// The beginning of a tag, whatever its letter case.
    pub prefix: String,
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(super) struct ShortLinkTagsAnswer {
    /// The most used first, at most fifty.
    pub tags: Vec<TagInUse>,
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(super) struct TagInUse {
    pub tag: String,
    pub count: u64,
}

pub(super) fn tags(app: &App, _: &Actor, request: ShortLinkTags) -> Result<ShortLinkTagsAnswer, CommandError> {
    let tags = short_link::find_tags(&app.core()?, &request.prefix)?;
    Ok(ShortLinkTagsAnswer { tags: tags.into_iter().map(|(tag, count)| TagInUse { tag, count }).collect() })
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(super) struct ShortLinkSameTarget {
    pub targets: Vec<String>,
}

pub(super) fn same_target(app: &App, _: &Actor, request: ShortLinkSameTarget) -> Result<ShortLinks, CommandError> {
    let found = short_link::find_by_targets(&app.core()?, &request.targets)?;
    let base = default_link_base(app);
    Ok(ShortLinks { links: found.into_iter().map(|link| to_item(&base, link)).collect() })
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(super) struct ShortLinkDelete {
    pub uids: Vec<String>,
}

pub(super) fn delete(
    app: &App,
    by: &Actor,
    request: ShortLinkDelete,
) -> Result<short_link::LinksDeleted, CommandError> {
    let uids = request.uids.iter().enumerate().map(|(i, uid)| parse_id(&format!("uids[{i}]"), uid, LinkId::parse));
    let uids = uids.collect::<Result<Vec<_>, _>>()?;
    Ok(short_link::delete_many(&app.core()?, by, &uids)?)
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(super) struct ShortLinkClicks {
    pub uid: String,
    pub page_number: u32,
    pub page_size: u32,
}

pub(super) fn clicks(app: &App, _: &Actor, request: ShortLinkClicks) -> Result<PageResponse<Click>, CommandError> {
    let page = read_page_request(request.page_number, request.page_size)?;
    let uid = parse_id("uid", &request.uid, LinkId::parse)?;
    let found = short_link::read_clicks(&app.core()?, &uid, page)?;
    Ok(PageResponse::new(found, page))
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(super) struct ShortLinkClickSeries {
    pub uid: String,
    /// The number of days up to today, at most 366.
    pub days: u32,
}

pub(super) fn click_series(app: &App, _: &Actor, request: ShortLinkClickSeries) -> Result<ClickSeries, CommandError> {
    let uid = parse_id("uid", &request.uid, LinkId::parse)?;
    Ok(short_link::read_click_series(&app.core()?, &uid, request.days)?)
}
