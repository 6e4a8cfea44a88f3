//! Links requests to the jobs, callbacks and rows they caused, in both directions.

use std::{cell::RefCell, collections::HashMap};

use roost_journal::{Direction, Exchange};
use roost_model::{job::JobContactOutcome, page::PageRequest};
use roost_ops::{Core, Error, job};
use schemars::JsonSchema;
use serde::Serialize;

use crate::world::World;

/// A request, as its effects refer to it.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "RequestLink")]
pub(crate) struct RequestLink {
    /// Assigned when the request arrived.
    number: u64,
    /// Its line in the journal. Null: not written yet, or no longer stored.
    seq: Option<u64>,
}

/// What is related to a journal line.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "JournalLinks")]
pub(crate) struct JournalLinks {
    /// For a request: the job it created. For a callback: its job.
    jobs: Vec<i64>,
    /// The callbacks of these jobs.
    callbacks: Vec<i64>,
    /// What these jobs have written so far. Null: there are none.
    rows: Option<WrittenRows>,
    /// For a callback: the request that created its job, if it is still stored.
    request: Option<RequestLink>,
}

/// Contacts of a request that were written.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "JournalRows")]
pub(crate) struct WrittenRows {
    imported: u64,
    merged: u64,
    /// The first hundred, in the order of the request.
    items: Vec<WrittenRow>,
    /// Whether there are more. GET /__admin/jobs/{job_id}/outcomes lists all.
    has_more: bool,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "JournalRow")]
struct WrittenRow {
    /// Index of the contact in the request, from 0.
    index: u32,
    #[schemars(extend("enum" = ["imported", "merged"]))]
    outcome: &'static str,
    /// Null when it was deleted since.
    contact_id: Option<String>,
}

const MAX_ROWS: u32 = 100;

/// Reads the rows that a job has written.
fn read_rows(core: &Core, job: i64) -> Result<WrittenRows, Error> {
    let mut items = Vec::new();
    let mut written = |outcome, word| {
        let found = job::read_outcome_page(core, job, Some(outcome), PageRequest { number: 1, size: MAX_ROWS })?;
        items.extend(found.items.into_iter().map(|found| WrittenRow {
            index: found.outcome.position,
            outcome: word,
            contact_id: found.outcome.contact_id.map(|id| id.to_string()),
        }));
        Ok::<_, Error>(found.total_items)
    };
    let (imported, merged) =
        (written(JobContactOutcome::Imported, "imported")?, written(JobContactOutcome::Merged, "merged")?);
    items.sort_by_key(|row| row.index);
    items.truncate(MAX_ROWS as usize);
    Ok(WrittenRows { has_more: imported + merged > items.len() as u64, imported, merged, items })
}

/// Finds the requests that queued the given jobs, by the numbers of the jobs.
pub(crate) fn find_causes(world: &World, jobs: impl IntoIterator<Item = i64>) -> HashMap<i64, RequestLink> {
    let (origins, epoch) = (world.work.job_tracker().origins(), world.epoch.epoch());
    let numbers = jobs.into_iter().filter_map(|job| Some((job, origins.request_of(epoch, job)?)));
    let numbers: HashMap<i64, u64> = numbers.collect();
    if numbers.is_empty() {
        return HashMap::new();
    }
    let seqs: RefCell<HashMap<u64, Option<u64>>> = RefCell::new(numbers.values().map(|n| (*n, None)).collect());
    // One pass over the journal serves all jobs.
    world.journal.read_page(None, 0, |line| {
        if line.direction == Direction::In
            && let Some(seq) = seqs.borrow_mut().get_mut(&line.number)
        {
            *seq = Some(line.id);
        }
        false
    });
    let seqs = seqs.into_inner();
    let cause = |(job, number)| (job, RequestLink { number, seq: seqs.get(&number).copied().flatten() });
    numbers.into_iter().map(cause).collect()
}

/// Finds the links of a journal line, in both directions.
pub(crate) fn find_links(world: &World, core: &Core, line: &Exchange) -> Result<JournalLinks, Error> {
    let queued = || world.work.job_tracker().origins().job_of(line.epoch, line.number);
    let wanted = match line.direction {
        Direction::In => queued(),
        Direction::Out => line.job,
    };
    let mut links = JournalLinks { jobs: Vec::new(), callbacks: Vec::new(), rows: None, request: None };
    let Some(id) = wanted.filter(|_| line.epoch == world.epoch.epoch()) else { return Ok(links) };
    links.jobs.push(id);
    links.rows = Some(read_rows(core, id)?);
    links.callbacks.extend(job::read_details(core, id)?.callback.map(|(callback, _)| callback.id));
    if line.direction == Direction::Out {
        links.request = find_causes(world, [id]).remove(&id);
    }
    Ok(links)
}
