//! Short links.

use crate::commands::short_link;

commands! {
    /// One page of the short links, as the interface searches them.
    short_link_page(short_link::ShortLinkPage) -> short_link::ShortLinkPageAnswer = short_link::page;
    /// One short link.
    short_link_get(short_link::ShortLinkGet) -> short_link::LinkItem = short_link::get;
    /// Makes short links, all or none.
    short_link_create(short_link::ShortLinkCreate) -> short_link::ShortLinks = short_link::create;
    /// Tags in use, by how they begin.
    short_link_tags(short_link::ShortLinkTags) -> short_link::ShortLinkTagsAnswer = short_link::tags;
    /// Links that lead to some addresses already.
    short_link_same_target(short_link::ShortLinkSameTarget) -> short_link::ShortLinks = short_link::same_target;
    /// Deletes short links with their clicks, into the trash.
    short_link_delete(short_link::ShortLinkDelete) -> short_link::ShortLinkDeleted = short_link::delete;
    /// One page of a link's clicks.
    short_link_clicks(short_link::ShortLinkClicks) -> short_link::ShortLinkClicksAnswer = short_link::clicks;
    /// A link's clicks day by day, and by what they were made with.
    short_link_click_series(short_link::ShortLinkClickSeries) -> roost_ops::short_link::ClickSeries = short_link::click_series;
}
