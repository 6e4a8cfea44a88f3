//! The command that pages through the timeline.

use roost_ops::{
    By, Noun, Source,
    history::{self, StepQuery, Told},
};
use serde::{Deserialize, Serialize};

use super::{Step, StepChange};
use crate::{
    accounts::App,
    error::CommandError,
    reading::{bound, total_pages, wanted_page},
};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ActivityPage {
    pub source: Option<Source>,
    pub noun: Option<Noun>,
    /// Part of the act's name or of its subject.
    pub text: Option<String>,
    pub uid: Option<String>,
    pub from: Option<String>,
    pub to: Option<String>,
    pub page_number: u32,
    pub page_size: u32,
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ActivityPageAnswer {
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub total_items: u64,
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub total_pages: u64,
    /// Newest first.
    pub items: Vec<Activity>,
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Activity {
    pub step: Step,
    pub changes: Vec<StepChange>,
}

pub fn page(app: &App, _: &By, request: ActivityPage) -> Result<ActivityPageAnswer, CommandError> {
    let page = wanted_page(request.page_number, request.page_size)?;
    let query = StepQuery {
        source: request.source,
        noun: request.noun,
        text: request.text.filter(|text| !text.trim().is_empty()),
        uid: request.uid,
        from: bound("from", request.from.as_deref())?.map(|bound| bound.at_or_after()),
        to: bound("to", request.to.as_deref())?.map(|bound| bound.at_or_before()),
    };
    let found = history::page(&app.core()?, &query, page)?;
    let items = found.items.into_iter().map(|Told { step, changes }| Activity {
        step: step.into(),
        changes: changes.into_iter().map(StepChange::from).collect(),
    });
    Ok(ActivityPageAnswer {
        total_items: found.total_items,
        total_pages: total_pages(found.total_items, page),
        items: items.collect(),
    })
}
