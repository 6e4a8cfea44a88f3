//! Shows the outcome of each contact of a job with its reason, and the history of the job.

use roost_model::job;
use roost_ops::{Core, Error, job as act};
use roost_wire::{
    QueryString,
    paging::{Paged, Paging},
};
use schemars::JsonSchema;
use serde::Serialize;

use super::{
    super::{error::AdminError, route::AdminRequest},
    job::parse_job_id,
};
use crate::{
    door::WorldVisit,
    faults::JobFault,
    world::{JobEvent, JobEventKind, World},
};

#[derive(Serialize, JsonSchema)]
pub(crate) struct OutcomeEntry {
    /// Index of the contact in the request, from 0.
    index: u32,
    #[schemars(extend("enum" = ["imported", "merged", "skipped", "failed"]))]
    outcome: &'static str,
    /// Why it was skipped or failed. Null for all others, and when the reason is no longer stored.
    #[schemars(extend("enum" = ["duplicate", "fault", "operator", "dropped", "given_up", "list_gone", null]))]
    reason: Option<&'static str>,
    contact_id: Option<String>,
    /// Its current phone number, or else its WhatsApp number. Null: it was not stored, or was deleted since.
    number: Option<String>,
}

const OUTCOMES: [job::JobContactOutcome; 4] = [
    job::JobContactOutcome::Imported,
    job::JobContactOutcome::Merged,
    job::JobContactOutcome::Skipped,
    job::JobContactOutcome::Failed,
];

fn outcome_word(outcome: job::JobContactOutcome) -> &'static str {
    match outcome {
        job::JobContactOutcome::Imported => "imported",
        job::JobContactOutcome::Merged => "merged",
        job::JobContactOutcome::Skipped => "skipped",
        job::JobContactOutcome::Failed => "failed",
    }
}

fn read_moments(world: &World, job: i64) -> Vec<JobEvent> {
    world.work.job_tracker().events().events_of(world.epoch.epoch(), job)
}

/// Finds the reason why a contact was skipped or failed, if the history of its job is still remembered.
fn find_reason(outcome: &act::ContactOutcome, moments: &[JobEvent], fault: Option<&JobFault>) -> Option<&'static str> {
    match outcome.outcome {
        job::JobContactOutcome::Imported | job::JobContactOutcome::Merged => None,
        job::JobContactOutcome::Skipped => Some("duplicate"),
        job::JobContactOutcome::Failed => {
            let moment = moments.iter().find(|moment| moment.covers(outcome.position))?;
            Some(match (moment.what, fault) {
                (JobEventKind::Failed, _) => "operator",
                (JobEventKind::Dropped, _) => "dropped",
                (JobEventKind::GivenUp, _) => "given_up",
                (_, Some(JobFault::Fail | JobFault::FailAfter(_) | JobFault::FailNumbers(_) | JobFault::Drop)) => {
                    "fault"
                }
                // Without a fault or the operator, contacts fail only because their list was deleted.
                (JobEventKind::Part | JobEventKind::Announced | JobEventKind::Paused | JobEventKind::Resumed, _) => {
                    "list_gone"
                }
            })
        }
    }
}

pub(crate) fn list_outcomes(visit: &WorldVisit, request: &AdminRequest) -> Result<Paged<OutcomeEntry>, AdminError> {
    let (core, world, id) = (visit.core(), visit.world(), parse_job_id(request)?);
    let query = QueryString::parse(&request.query);
    let wanted = query.filled_value("outcome").map(|text| {
        let found = OUTCOMES.into_iter().find(|outcome| outcome_word(*outcome) == text);
        found.ok_or_else(|| AdminError::bad_query("outcome must be imported, merged, skipped or failed."))
    });
    let page = request.page_request()?;
    let found = act::read_outcome_page(&core, id, wanted.transpose()?, page)?;
    let paging = Paging::for_page(page, found.total_items);
    let (moments, fault) = (read_moments(world, id), world.work.job_tracker().fault(id));
    let item = |found: act::OutcomeItem| OutcomeEntry {
        index: found.outcome.position,
        outcome: outcome_word(found.outcome.outcome),
        reason: find_reason(&found.outcome, &moments, fault.as_ref()),
        contact_id: found.outcome.contact_id.map(|id| id.to_string()),
        number: found.phone.or(found.whatsapp),
    };
    Ok(Paged { paging, items: found.items.into_iter().map(item).collect() })
}

/// What was done to a job, oldest first.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "JobMoments")]
pub(crate) struct JobMomentPage {
    /// Contacts done at times that are no longer stored: the job is older than this server run, was restored with a
    /// snapshot, or is very old.
    forgotten: u32,
    items: Vec<JobMomentEntry>,
    paging: Paging,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "JobEvent")]
struct JobMomentEntry {
    /// On the world's clock.
    #[schemars(extend("format" = "date-time"))]
    at: String,
    /// When several parts are grouped: the time of the last one. Otherwise the same as `at`.
    #[schemars(extend("format" = "date-time"))]
    until: String,
    #[schemars(extend("enum" = ["part", "announced", "paused", "resumed", "failed", "dropped", "given_up"]))]
    what: &'static str,
    /// How many parts are grouped. Consecutive parts are grouped when there are very many.
    parts: u32,
    /// Index of its first contact in the request, from 0.
    first: u32,
    contacts: u32,
    imported: u32,
    merged: u32,
    skipped: u32,
    failed: u32,
}

pub(crate) fn list_moments(visit: &WorldVisit, request: &AdminRequest) -> Result<JobMomentPage, AdminError> {
    let (forgotten, all) = describe_moments(visit.world(), &visit.core(), parse_job_id(request)?)?;
    let Paged { items, paging } = request.paginate(all)?;
    Ok(JobMomentPage { forgotten, items, paging })
}

fn describe_moments(world: &World, core: &Core, id: i64) -> Result<(u32, Vec<JobMomentEntry>), Error> {
    // The order matters: once a contact counts as done, its part is remembered, and every contact of a part has its
    // outcome.
    let done = act::count_done(core, id)?;
    let moments = read_moments(world, id);
    let outcomes = act::read_outcomes(core, id)?;
    let remembered = moments.iter().fold(0_u32, |sum, moment| sum.saturating_add(moment.contacts));
    let to_entry = |moment: &JobEvent| {
        let begins = outcomes.partition_point(|outcome| outcome.position < moment.from);
        let own = outcomes[begins..].iter().take_while(|outcome| moment.covers(outcome.position));
        let mut counts = [0_u32; 4];
        for outcome in own {
            for (count, kind) in counts.iter_mut().zip(OUTCOMES) {
                *count += u32::from(outcome.outcome == kind);
            }
        }
        let [imported, merged, skipped, failed] = counts;
        JobMomentEntry {
            at: moment.at.to_iso(),
            until: moment.until.to_iso(),
            what: moment.what.as_str(),
            parts: moment.parts,
            first: moment.from,
            contacts: moment.contacts,
            imported,
            merged,
            skipped,
            failed,
        }
    };
    Ok((done.saturating_sub(remembered), moments.iter().map(to_entry).collect()))
}
