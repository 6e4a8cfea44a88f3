//! Commands on contact jobs, the outcome of each contact, and the attempts of their callbacks.

use roost_model::{
    id::ContactId,
    job::{Job, JobContactOutcome},
    time::{DueTime, Timestamp},
};
use roost_ops::{
    Actor,
    callback::{CallbackAttempt, CallbackState},
    job::{self, JobDetails, OutcomeItem},
};
use serde::{Deserialize, Serialize};

use crate::{
    accounts::App,
    error::CommandError,
    reading::{PageResponse, read_page_request},
};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct JobPage {
    pub page_number: u32,
    pub page_size: u32,
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct JobItem {
    pub job: Job,
    /// Null if no callback is owed, or none yet.
    pub callback: Option<CallbackState>,
}

pub(crate) fn page(app: &App, _: &Actor, request: JobPage) -> Result<PageResponse<JobItem>, CommandError> {
    let page = read_page_request(request.page_number, request.page_size)?;
    let found = job::read_page_with_callbacks(&app.core()?, page)?;
    Ok(PageResponse::new(found, page).map(|(job, callback)| JobItem { job, callback }))
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct JobGet {
    pub id: i64,
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct JobWithCallback {
    pub job: Job,
    pub callback: Option<JobCallback>,
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct JobCallback {
    pub state: CallbackState,
    pub attempts: u32,
    pub next_at: Option<Timestamp>,
    pub tries: Vec<CallbackAttempt>,
}

pub(crate) fn get(app: &App, _: &Actor, request: JobGet) -> Result<JobWithCallback, CommandError> {
    let JobDetails { job, callback } = job::read_details(&app.core()?, request.id)?;
    let callback = callback.map(|(callback, tries)| JobCallback {
        state: callback.state,
        attempts: callback.attempts,
        next_at: callback.next_at.map(DueTime::to_second),
        tries,
    });
    Ok(JobWithCallback { job, callback })
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct JobOutcomes {
    pub id: i64,
    pub outcome: Option<JobContactOutcome>,
    pub page_number: u32,
    pub page_size: u32,
}

/// The outcome of one contact, and its current values.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct JobOutcome {
    /// Counted from 0.
    pub position: u32,
    pub outcome: JobContactOutcome,
    /// Null if the contact was not stored or was deleted since.
    pub contact_id: Option<ContactId>,
    pub phone: Option<String>,
    pub whatsapp: Option<String>,
    pub firstname: Option<String>,
    pub lastname: Option<String>,
}

pub(crate) fn outcomes(app: &App, _: &Actor, request: JobOutcomes) -> Result<PageResponse<JobOutcome>, CommandError> {
    let page = read_page_request(request.page_number, request.page_size)?;
    let found = job::read_outcome_page(&app.core()?, request.id, request.outcome, page)?;
    let item = |OutcomeItem { outcome, phone, whatsapp, firstname, lastname }| JobOutcome {
        position: outcome.position,
        outcome: outcome.outcome,
        contact_id: outcome.contact_id,
        phone,
        whatsapp,
        firstname,
        lastname,
    };
    Ok(PageResponse::new(found, page).map(item))
}
