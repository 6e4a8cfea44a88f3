//! The jobs table, and the result of each contact of a job.

pub mod callbacks;

use roost_model::{
    contact::MergeType,
    id::{ContactId, ListId},
    job::{Job, JobContactOutcome, JobState, JobTotals},
    page::{Page, PageRequest},
    time::Timestamp,
};
use rusqlite::{Row, params};

use super::{parse_stored, parse_stored_id};
use crate::{
    error::Result,
    tx::{ReadTx, WriteTx},
};

pub(super) const COLUMNS: &str = "j.id, j.list_uid, j.list_name, j.merge_type, j.callback_url, j.correlation_id, j.contact_count, j.state, \
     j.imported, j.merged, j.skipped, j.failed, j.queued_at, j.finished_at";
pub(super) const COLUMN_COUNT: usize = 14;

pub(super) fn row_to_job(row: &Row) -> rusqlite::Result<Job> {
    let (list, merge, state): (String, String, String) = (row.get(1)?, row.get(3)?, row.get(7)?);
    Ok(Job {
        id: row.get(0)?,
        list_id: parse_stored_id(1, ListId::parse(&list))?,
        list_name: row.get(2)?,
        merge_type: parse_stored(3, MergeType::parse(&merge), &merge)?,
        callback_url: row.get(4)?,
        correlation_id: row.get(5)?,
        contacts: row.get(6)?,
        state: parse_stored(7, JobState::parse(&state), &state)?,
        totals: JobTotals { imported: row.get(8)?, merged: row.get(9)?, skipped: row.get(10)?, failed: row.get(11)? },
        queued_at: Timestamp::from_unix(row.get(12)?),
        finished_at: row.get::<_, Option<i64>>(13)?.map(Timestamp::from_unix),
    })
}

/// Queues a job and returns the id that it gets here.
pub fn insert(tx: &WriteTx, job: &Job, contacts: &[u8]) -> Result<i64> {
    tx.execute_sql(
        "INSERT INTO jobs (list_uid, list_name, merge_type, callback_url, correlation_id, contact_count, state, queued_at, contacts)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
        params![
            job.list_id.as_str(),
            job.list_name,
            job.merge_type.as_str(),
            job.callback_url,
            job.correlation_id,
            job.contacts,
            job.state.as_str(),
            job.queued_at.unix(),
            contacts
        ],
    )?;
    Ok(tx.conn().last_insert_rowid())
}

/// A queued job without its contacts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueuedJob {
    pub id: i64,
    pub list_id: ListId,
    pub correlation_id: Option<String>,
    pub queued_at: Timestamp,
}

/// Reads the queued jobs, the oldest first.
pub fn read_queued(tx: &ReadTx, most: u32) -> Result<Vec<QueuedJob>> {
    tx.read_rows(
        "SELECT id, list_uid, correlation_id, queued_at FROM jobs WHERE state = 'queued' ORDER BY id LIMIT ?1",
        [most],
        |r| {
            let list: String = r.get(1)?;
            Ok(QueuedJob {
                id: r.get(0)?,
                list_id: parse_stored_id(1, ListId::parse(&list))?,
                correlation_id: r.get(2)?,
                queued_at: Timestamp::from_unix(r.get(3)?),
            })
        },
    )
}

/// Reads a job with the contacts that were submitted. They are deleted when the job is done.
pub fn read_submitted(tx: &ReadTx, id: i64) -> Result<Option<(Job, Vec<u8>)>> {
    let sql = format!("SELECT {COLUMNS}, j.contacts FROM jobs j WHERE j.id = ?1");
    let row = tx.find_row(&sql, [id], |r| Ok((row_to_job(r)?, r.get::<_, Option<Vec<u8>>>(COLUMN_COUNT)?)))?;
    Ok(row.map(|(job, contacts)| (job, contacts.unwrap_or_default())))
}

/// Returns the number of the newest job; 0 if there is none.
pub fn last_id(tx: &ReadTx) -> Result<i64> {
    tx.read_value("SELECT coalesce(max(id), 0) FROM jobs", [])
}

/// Returns whether a job with this correlation id exists.
pub fn has_correlation_id(tx: &ReadTx, correlation_id: &str) -> Result<bool> {
    tx.has_row("SELECT 1 FROM jobs WHERE correlation_id = ?1 LIMIT 1", [correlation_id])
}

/// Counts the contacts of a job that are done.
pub fn count_done(tx: &ReadTx, id: i64) -> Result<u32> {
    tx.read_value("SELECT count(*) FROM job_outcomes WHERE job_id = ?1", [id])
}

/// The result of one contact. Its position in the request is its index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OutcomeRow {
    pub outcome: JobContactOutcome,
    /// Row of the contact in the database.
    pub contact: Option<i64>,
}

/// Marks a job as done and deletes the submitted contacts.
pub fn finish_job(tx: &WriteTx, id: i64, totals: JobTotals, at: Timestamp) -> Result<()> {
    tx.execute_sql(
        "UPDATE jobs SET state = 'done', imported = ?2, merged = ?3, skipped = ?4, failed = ?5, finished_at = ?6, contacts = NULL WHERE id = ?1",
        params![id, totals.imported, totals.merged, totals.skipped, totals.failed, at.unix()],
    )?;
    Ok(())
}

/// Records the totals of a job that is still queued, and the time at which it will end if that is known beforehand.
pub fn set_progress(tx: &WriteTx, id: i64, totals: JobTotals, ends: Option<Timestamp>) -> Result<()> {
    tx.execute_sql(
        "UPDATE jobs SET imported = ?2, merged = ?3, skipped = ?4, failed = ?5, finished_at = ?6 WHERE id = ?1",
        params![id, totals.imported, totals.merged, totals.skipped, totals.failed, ends.map(Timestamp::unix)],
    )?;
    Ok(())
}

/// Stores the results of contacts. The first of them has the position `from`.
pub fn add_outcomes(tx: &WriteTx, id: i64, from: u32, outcomes: &[OutcomeRow]) -> Result<()> {
    let mut insert = tx
        .conn()
        .prepare_cached("INSERT INTO job_outcomes (job_id, position, outcome, contact_id) VALUES (?1, ?2, ?3, ?4)")?;
    for (position, row) in (i64::from(from)..).zip(outcomes) {
        insert.execute(params![id, position, row.outcome.code(), row.contact])?;
    }
    Ok(())
}

pub fn get(tx: &ReadTx, id: i64) -> Result<Option<Job>> {
    tx.find_row(&format!("SELECT {COLUMNS} FROM jobs j WHERE j.id = ?1"), [id], row_to_job)
}

/// Reads a page of jobs, newest first.
pub fn read_page(tx: &ReadTx, page: PageRequest) -> Result<Page<Job>> {
    let total: i64 = tx.read_value("SELECT count(*) FROM jobs", [])?;
    let mut statement =
        tx.conn().prepare_cached(&format!("SELECT {COLUMNS} FROM jobs j ORDER BY j.id DESC LIMIT ?1 OFFSET ?2"))?;
    let items =
        statement.query_map(params![page.size, page.offset() as i64], row_to_job)?.collect::<rusqlite::Result<_>>()?;
    Ok(Page { items, total_items: total as u64 })
}

/// The result of one contact, with its position in the request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContactOutcome {
    pub position: u32,
    pub outcome: JobContactOutcome,
    /// `None` when the contact was not stored or has been deleted since.
    pub contact_id: Option<ContactId>,
}

pub fn read_outcomes(tx: &ReadTx, job: i64) -> Result<Vec<ContactOutcome>> {
    tx.read_rows(
        "SELECT o.position, o.outcome, c.uid FROM job_outcomes o LEFT JOIN contacts c ON c.id = o.contact_id WHERE o.job_id = ?1 ORDER BY o.position",
        [job],
        |r| {
            let (code, uid): (u8, Option<String>) = (r.get(1)?, r.get(2)?);
            Ok(ContactOutcome {
                position: r.get(0)?,
                outcome: parse_stored(1, JobContactOutcome::from_code(code), &code.to_string())?,
                contact_id: uid.map(|uid| parse_stored_id(2, ContactId::parse(&uid))).transpose()?,
            })
        },
    )
}

/// The result of one contact, with the contact's present values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutcomeItem {
    pub outcome: ContactOutcome,
    pub phone: Option<String>,
    pub whatsapp: Option<String>,
    pub firstname: Option<String>,
    pub lastname: Option<String>,
}

/// Reads a page of a job's results in the order in which the contacts were submitted.
pub fn outcome_page(
    tx: &ReadTx,
    job: i64,
    outcome: Option<JobContactOutcome>,
    page: PageRequest,
) -> Result<Page<OutcomeItem>> {
    const CONDITION: &str = "o.job_id = ?1 AND (?2 IS NULL OR o.outcome = ?2)";
    let code = outcome.map(JobContactOutcome::code);
    let total: i64 =
        tx.read_value(&format!("SELECT count(*) FROM job_outcomes o WHERE {CONDITION}"), params![job, code])?;
    let sql = format!(
        "SELECT o.position, o.outcome, c.uid, c.phone, c.whatsapp, c.firstname, c.lastname
         FROM job_outcomes o LEFT JOIN contacts c ON c.id = o.contact_id WHERE {CONDITION} ORDER BY o.position LIMIT ?3 OFFSET ?4"
    );
    let items = tx.read_rows(&sql, params![job, code, page.size, page.offset() as i64], |row| {
        let (code, uid): (u8, Option<String>) = (row.get(1)?, row.get(2)?);
        Ok(OutcomeItem {
            outcome: ContactOutcome {
                position: row.get(0)?,
                outcome: parse_stored(1, JobContactOutcome::from_code(code), &code.to_string())?,
                contact_id: uid.map(|uid| parse_stored_id(2, ContactId::parse(&uid))).transpose()?,
            },
            phone: row.get(3)?,
            whatsapp: row.get(4)?,
            firstname: row.get(5)?,
            lastname: row.get(6)?,
        })
    })?;
    Ok(Page { items, total_items: total as u64 })
}
