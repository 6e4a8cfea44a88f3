//! The callbacks table: the outbox of finished jobs, and every attempt to deliver.

use roost_model::{
    job::Job,
    page::{Page, PageRequest},
    time::Timestamp,
};
use rusqlite::{Row, params};

use super::{
    jobs::{self, row_to_job},
    stored,
};
use crate::{
    error::Result,
    tx::{ReadTx, WriteTx},
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallbackState {
    Waiting,
    Delivered,
    GivenUp,
}

impl CallbackState {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Delivered => "delivered",
            Self::GivenUp => "given_up",
        }
    }

    fn parse(text: &str) -> Option<Self> {
        [Self::Waiting, Self::Delivered, Self::GivenUp].into_iter().find(|s| s.as_str() == text)
    }
}

/// A delivery owed, and the job it tells of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Callback {
    pub id: i64,
    pub job: Job,
    pub state: CallbackState,
    /// How often it was tried, the try under way included.
    pub attempts: u32,
    pub next_at: Option<Timestamp>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attempt {
    pub number: u32,
    pub started_at: Timestamp,
    /// None while under way, or when the process ended during it.
    pub finished_at: Option<Timestamp>,
    pub status: Option<u16>,
    pub error: Option<String>,
}

const EXTRA: &str = "c.id, c.state, c.attempts, c.next_at";

fn row_to_callback(row: &Row) -> rusqlite::Result<Callback> {
    let at = jobs::COLUMN_COUNT;
    let state: String = row.get(at + 1)?;
    Ok(Callback {
        id: row.get(at)?,
        job: row_to_job(row)?,
        state: stored(at + 1, CallbackState::parse(&state), &state)?,
        attempts: row.get(at + 2)?,
        next_at: row.get::<_, Option<i64>>(at + 3)?.map(Timestamp::from_unix),
    })
}

/// Owes a job's callback from `at` on; answers its number.
pub fn insert(tx: &WriteTx, job: i64, at: Timestamp) -> Result<i64> {
    tx.conn()
        .prepare_cached("INSERT INTO callbacks (job_id, state, next_at) VALUES (?1, 'waiting', ?2)")?
        .execute(params![job, at.unix()])?;
    Ok(tx.conn().last_insert_rowid())
}

/// Deliveries due at `now`, the longest due first.
pub fn due(tx: &ReadTx, now: Timestamp, most: u32) -> Result<Vec<Callback>> {
    let sql = format!(
        "SELECT {}, {EXTRA} FROM callbacks c JOIN jobs j ON j.id = c.job_id
         WHERE c.state = 'waiting' AND c.next_at <= ?1 ORDER BY c.next_at, c.id LIMIT ?2",
        jobs::COLUMNS
    );
    let mut statement = tx.conn().prepare_cached(&sql)?;
    Ok(statement.query_map(params![now.unix(), most], row_to_callback)?.collect::<rusqlite::Result<_>>()?)
}

pub fn next_due_at(tx: &ReadTx) -> Result<Option<Timestamp>> {
    let next: Option<i64> = tx
        .conn()
        .prepare_cached("SELECT min(next_at) FROM callbacks WHERE state = 'waiting'")?
        .query_row([], |r| r.get(0))?;
    Ok(next.map(Timestamp::from_unix))
}

/// Records that a try begins; it is on record before its request leaves.
pub fn begin_attempt(tx: &WriteTx, callback: i64, at: Timestamp) -> Result<i64> {
    tx.conn().prepare_cached("UPDATE callbacks SET attempts = attempts + 1 WHERE id = ?1")?.execute([callback])?;
    tx.conn()
        .prepare_cached("INSERT INTO callback_attempts (callback_id, number, started_at) SELECT id, attempts, ?2 FROM callbacks WHERE id = ?1")?
        .execute(params![callback, at.unix()])?;
    Ok(tx.conn().last_insert_rowid())
}

/// Records how a try ended and what follows; answers the callback's number.
pub fn finish_attempt(
    tx: &WriteTx,
    attempt: i64,
    at: Timestamp,
    status: Option<u16>,
    error: Option<&str>,
    state: CallbackState,
    next_at: Option<Timestamp>,
) -> Result<i64> {
    let callback: i64 = tx
        .conn()
        .prepare_cached("UPDATE callback_attempts SET finished_at = ?2, status = ?3, error = ?4 WHERE id = ?1 RETURNING callback_id")?
        .query_row(params![attempt, at.unix(), status, error], |r| r.get(0))?;
    tx.conn().prepare_cached("UPDATE callbacks SET state = ?2, next_at = ?3 WHERE id = ?1")?.execute(params![
        callback,
        state.as_str(),
        next_at.map(Timestamp::unix)
    ])?;
    Ok(callback)
}

/// Every delivery with its attempts, newest first.
pub fn page(tx: &ReadTx, page: PageRequest) -> Result<Page<(Callback, Vec<Attempt>)>> {
    let total: i64 = tx.conn().prepare_cached("SELECT count(*) FROM callbacks")?.query_row([], |r| r.get(0))?;
    let sql = format!(
        "SELECT {}, {EXTRA} FROM callbacks c JOIN jobs j ON j.id = c.job_id ORDER BY c.id DESC LIMIT ?1 OFFSET ?2",
        jobs::COLUMNS
    );
    let mut statement = tx.conn().prepare_cached(&sql)?;
    let callbacks: Vec<Callback> = statement
        .query_map(params![page.size, page.offset() as i64], row_to_callback)?
        .collect::<rusqlite::Result<_>>()?;
    let items = callbacks
        .into_iter()
        .map(|callback| attempts(tx, callback.id).map(|tries| (callback, tries)))
        .collect::<Result<_>>()?;
    Ok(Page { items, total_items: total as u64 })
}

fn attempts(tx: &ReadTx, callback: i64) -> Result<Vec<Attempt>> {
    let mut statement =
        tx.conn().prepare_cached("SELECT number, started_at, finished_at, status, error FROM callback_attempts WHERE callback_id = ?1 ORDER BY number")?;
    let rows = statement.query_map([callback], |r| {
        Ok(Attempt {
            number: r.get(0)?,
            started_at: Timestamp::from_unix(r.get(1)?),
            finished_at: r.get::<_, Option<i64>>(2)?.map(Timestamp::from_unix),
            status: r.get(3)?,
            error: r.get(4)?,
        })
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}
