//! Contact jobs, the outcome of each contact, and the ledger of callbacks.

use roost_model::{job, page::PageRequest};
use roost_ops::{callback, job as act};
use roost_wire::paging::{Paged, Paging};
use schemars::JsonSchema;
use serde::Serialize;

use super::{refused::Refused, route::Asked};
use crate::world::World;

#[derive(Serialize, JsonSchema)]
pub struct Job {
    id: i64,
    list_id: String,
    list_name: String,
    merge_type: &'static str,
    callback_url: Option<String>,
    correlation_id: Option<String>,
    contacts: u32,
    #[schemars(extend("enum" = ["queued", "done"]))]
    state: &'static str,
    totals: Totals,
    queued_at: String,
    finished_at: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct Totals {
    imported: u32,
    merged: u32,
    skipped: u32,
    failed: u32,
}

impl From<job::Job> for Job {
    fn from(job: job::Job) -> Self {
        let job::JobTotals { imported, merged, skipped, failed } = job.totals;
        Self {
            id: job.id,
            list_id: job.list_id.to_string(),
            list_name: job.list_name,
            merge_type: job.merge_type.as_str(),
            callback_url: job.callback_url,
            correlation_id: job.correlation_id,
            contacts: job.contacts,
            state: job.state.as_str(),
            totals: Totals { imported, merged, skipped, failed },
            queued_at: job.queued_at.iso(),
            finished_at: job.finished_at.map(|at| at.iso()),
        }
    }
}

#[derive(Serialize, JsonSchema)]
pub struct Outcomes {
    items: Vec<Outcome>,
}

#[derive(Serialize, JsonSchema)]
struct Outcome {
    /// Place of the contact in the request, from 0.
    index: u32,
    #[schemars(extend("enum" = ["imported", "merged", "skipped", "failed"]))]
    outcome: &'static str,
    contact_id: Option<String>,
}

fn word(outcome: job::Outcome) -> &'static str {
    match outcome {
        job::Outcome::Imported => "imported",
        job::Outcome::Merged => "merged",
        job::Outcome::Skipped => "skipped",
        job::Outcome::Failed => "failed",
    }
}

#[derive(Serialize, JsonSchema)]
pub struct Callback {
    id: i64,
    job_id: i64,
    url: Option<String>,
    correlation_id: Option<String>,
    #[schemars(extend("enum" = ["waiting", "delivered", "given_up"]))]
    state: &'static str,
    next_at: Option<String>,
    attempts: Vec<Attempt>,
}

#[derive(Serialize, JsonSchema)]
struct Attempt {
    number: u32,
    started_at: String,
    /// Null while under way, or when the process ended during it.
    finished_at: Option<String>,
    status: Option<u16>,
    error: Option<String>,
}

fn id(asked: &Asked) -> Result<i64, Refused> {
    asked.parameter().parse().map_err(|_| Refused::invalid("A job is named by its number."))
}

fn paged<T, U>(page: PageRequest, found: roost_model::page::Page<T>, of: fn(T) -> U) -> Paged<U> {
    Paged { paging: Paging::of(page, found.total_items), items: found.items.into_iter().map(of).collect() }
}

pub fn list(world: &World, asked: &Asked) -> Result<Paged<Job>, Refused> {
    let page = asked.page()?;
    Ok(paged(page, act::page(&world.core, page)?, Job::from))
}

pub fn get(world: &World, asked: &Asked) -> Result<Job, Refused> {
    Ok(act::get(&world.core, id(asked)?)?.into())
}

pub fn outcomes(world: &World, asked: &Asked) -> Result<Outcomes, Refused> {
    let found = act::outcomes(&world.core, id(asked)?)?;
    let item = |o: act::ContactOutcome| Outcome {
        index: o.position,
        outcome: word(o.outcome),
        contact_id: o.contact_id.map(|id| id.to_string()),
    };
    Ok(Outcomes { items: found.into_iter().map(item).collect() })
}

pub fn callbacks(world: &World, asked: &Asked) -> Result<Paged<Callback>, Refused> {
    let page = asked.page()?;
    Ok(paged(page, callback::ledger(&world.core, page)?, |(callback, attempts)| Callback {
        id: callback.id,
        job_id: callback.job.id,
        url: callback.job.callback_url,
        correlation_id: callback.job.correlation_id,
        state: callback.state.as_str(),
        next_at: callback.next_at.map(|at| at.iso()),
        attempts: attempts.into_iter().map(attempt).collect(),
    }))
}

fn attempt(attempt: callback::Attempt) -> Attempt {
    Attempt {
        number: attempt.number,
        started_at: attempt.started_at.iso(),
        finished_at: attempt.finished_at.map(|at| at.iso()),
        status: attempt.status,
        error: attempt.error,
    }
}
