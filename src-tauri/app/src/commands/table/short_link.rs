//! The commands on short links.

use crate::{commands::short_link, reading::PageResponse};

commands! {
    /// Returns one page of the short links, found as the REST interface finds them.
    read short_link_page(short_link::ShortLinkPage) -> PageResponse<short_link::LinkItem> = short_link::page;
    /// Returns one short link.
    read short_link_get(short_link::ShortLinkGet) -> short_link::LinkItem = short_link::get;
    /// Creates short links, either all of them or none.
    write short_link_create(short_link::ShortLinkCreate) -> short_link::ShortLinks = short_link::create;
    /// Returns the used tags that begin with a text.
    read short_link_tags(short_link::ShortLinkTags) -> short_link::ShortLinkTagsAnswer = short_link::tags;
    /// Returns the existing links to some addresses.
    read short_link_same_target(short_link::ShortLinkSameTarget) -> short_link::ShortLinks = short_link::same_target;
    /// Moves short links with their clicks to the trash.
    write short_link_delete(short_link::ShortLinkDelete) -> roost_ops::short_link::LinksDeleted = short_link::delete;
    /// Returns one page of a link's clicks.
    read short_link_clicks(short_link::ShortLinkClicks) -> PageResponse<roost_model::short_link::Click> = short_link::clicks;
    /// Returns a link's clicks by day, and by device, browser and operating system.
    read short_link_click_series(short_link::ShortLinkClickSeries) -> roost_ops::short_link::ClickSeries = short_link::click_series;
}
