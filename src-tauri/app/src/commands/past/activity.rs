//! The command that pages through the timeline.

use roost_ops::{
    Actor, ActorKind, Noun,
    history::{self, StepQuery, TimelineEntry},
};
use serde::Deserialize;

use crate::{
    accounts::App,
    error::CommandError,
    reading::{PageResponse, parse_time_bound, read_page_request},
};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct ActivityPage {
    pub source: Option<ActorKind>,
    pub noun: Option<Noun>,
    /// Part of the act's name or of its subject.
    pub text: Option<String>,
    pub uid: Option<String>,
    pub from: Option<String>,
    pub to: Option<String>,
    pub page_number: u32,
    pub page_size: u32,
}

pub(crate) fn page(app: &App, _: &Actor, request: ActivityPage) -> Result<PageResponse<TimelineEntry>, CommandError> {
    let page = read_page_request(request.page_number, request.page_size)?;
    let query = StepQuery {
        source: request.source,
        noun: request.noun,
        text: request.text.filter(|text| !text.trim().is_empty()),
        uid: request.uid,
        from: parse_time_bound("from", request.from.as_deref())?.map(|bound| bound.at_or_after()),
        to: parse_time_bound("to", request.to.as_deref())?.map(|bound| bound.at_or_before()),
    };
    let found = history::read_timeline(&app.core()?, &query, page)?;
    Ok(PageResponse::new(found, page))
}
