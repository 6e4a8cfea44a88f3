//! The callbacks table, which is the outbox of finished jobs, and every attempt to deliver a callback.

use roost_model::{
    job::Job,
    page::{Page, PageRequest},
    time::{DueTime, Timestamp},
};
use rusqlite::{Row, params, params_from_iter};
use serde::Serialize;

use crate::{
    error::Result,
    tables::{
        jobs::{self, row_to_job},
        parse_stored,
    },
    tx::{ReadTx, WriteTx},
};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum CallbackState {
    Waiting,
    Delivered,
    GivenUp,
}

roost_model::variant_names! {
    pub CallbackState { Waiting = "waiting", Delivered = "delivered", GivenUp = "given_up" }
}

/// A callback that is owed, and the job that it reports.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Callback {
    pub id: i64,
    pub job: Job,
    pub state: CallbackState,
    /// Number of attempts, including one that is under way.
    pub attempts: u32,
    /// `None` when the callback is settled, and while it is held.
    pub next_at: Option<DueTime>,
}

impl Callback {
    /// Returns whether the callback waits for a person to release it.
    pub fn is_held(&self) -> bool {
        self.state == CallbackState::Waiting && self.next_at.is_none()
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct CallbackAttempt {
    pub number: u32,
    pub started_at: Timestamp,
    /// `None` while the attempt is under way, or when the process ended during it.
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
        state: parse_stored(at + 1, CallbackState::parse(&state), &state)?,
        attempts: row.get(at + 2)?,
        next_at: row.get::<_, Option<i64>>(at + 3)?.map(DueTime::from_nanos),
    })
}

/// Adds the callback of a job, due at `at`. Without a time, it is held until it is released. Returns its number.
pub fn insert(tx: &WriteTx, job: i64, at: Option<DueTime>) -> Result<i64> {
    tx.conn()
        .prepare_cached("INSERT INTO callbacks (job_id, state, next_at) VALUES (?1, 'waiting', ?2)")?
        .execute(params![job, at.map(DueTime::as_nanos)])?;
    Ok(tx.conn().last_insert_rowid())
}

/// A callback that is due, and its target.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DueCallback {
    pub id: i64,
    pub url: String,
}

/// Reads the callbacks that are due at `now`, the longest due first.
pub fn list_due(tx: &ReadTx, now: DueTime, most: u32) -> Result<Vec<DueCallback>> {
    tx.read_rows(
        "SELECT c.id, coalesce(j.callback_url, '') FROM callbacks c JOIN jobs j ON j.id = c.job_id
         WHERE c.state = 'waiting' AND c.next_at <= ?1 ORDER BY c.next_at, c.id LIMIT ?2",
        params![now.as_nanos(), most],
        |r| Ok(DueCallback { id: r.get(0)?, url: r.get(1)? }),
    )
}

/// Returns the numbers of the callbacks that are held, the oldest first.
pub fn held_ids(tx: &ReadTx) -> Result<Vec<i64>> {
    tx.read_rows("SELECT id FROM callbacks WHERE state = 'waiting' AND next_at IS NULL ORDER BY id", [], |r| r.get(0))
}

/// Sets the state of a callback. One that waits without a time is held. Returns false when it does not exist.
pub fn set_state(tx: &WriteTx, id: i64, state: CallbackState, next_at: Option<DueTime>) -> Result<bool> {
    let changed = tx.execute_sql(
        "UPDATE callbacks SET state = ?2, next_at = ?3 WHERE id = ?1",
        params![id, state.as_str(), next_at.map(DueTime::as_nanos)],
    )?;
    Ok(changed > 0)
}

/// Reads the callbacks that are due at `now` with their jobs, the longest due first.
pub fn read_due(tx: &ReadTx, now: DueTime, most: u32) -> Result<Vec<Callback>> {
    let sql = format!(
        "SELECT {}, {EXTRA} FROM callbacks c JOIN jobs j ON j.id = c.job_id
         WHERE c.state = 'waiting' AND c.next_at <= ?1 ORDER BY c.next_at, c.id LIMIT ?2",
        jobs::COLUMNS
    );
    tx.read_rows(&sql, params![now.as_nanos(), most], row_to_callback)
}

pub fn next_due_at(tx: &ReadTx) -> Result<Option<DueTime>> {
    let next: Option<i64> = tx.read_value("SELECT min(next_at) FROM callbacks WHERE state = 'waiting'", [])?;
    Ok(next.map(DueTime::from_nanos))
}

/// Returns whether an attempt may begin now: the callback waits and is not held.
pub fn is_due(tx: &ReadTx, id: i64, now: DueTime) -> Result<bool> {
    let mut statement =
        tx.conn().prepare_cached("SELECT 1 FROM callbacks WHERE id = ?1 AND state = 'waiting' AND next_at <= ?2")?;
    Ok(statement.exists(params![id, now.as_nanos()])?)
}

/// Records that an attempt begins. This is recorded before the request is sent.
pub fn begin_attempt(tx: &WriteTx, callback: i64, at: Timestamp) -> Result<i64> {
    tx.execute_sql("UPDATE callbacks SET attempts = attempts + 1 WHERE id = ?1", [callback])?;
    tx.conn()
        .prepare_cached("INSERT INTO callback_attempts (callback_id, number, started_at) SELECT id, attempts, ?2 FROM callbacks WHERE id = ?1")?
        .execute(params![callback, at.unix()])?;
    Ok(tx.conn().last_insert_rowid())
}

/// Records how an attempt ended and what follows. Returns the callback's number. A callback that was cancelled or held
/// during the attempt stays so, unless it was delivered.
pub fn finish_attempt(
    tx: &WriteTx,
    attempt: i64,
    at: Timestamp,
    status: Option<u16>,
    error: Option<&str>,
    state: CallbackState,
    next_at: Option<DueTime>,
) -> Result<i64> {
    let callback: i64 = tx.read_value(
        "UPDATE callback_attempts SET finished_at = ?2, status = ?3, error = ?4 WHERE id = ?1 RETURNING callback_id",
        params![attempt, at.unix(), status, error],
    )?;
    tx.execute_sql(
        "UPDATE callbacks SET state = ?2, next_at = iif(next_at IS NULL, NULL, ?3)
         WHERE id = ?1 AND (state = 'waiting' OR ?2 = 'delivered')",
        params![callback, state.as_str(), next_at.map(DueTime::as_nanos)],
    )?;
    Ok(callback)
}

/// Restricts which callbacks are read. All of them by default.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CallbackFilter {
    pub state: Option<CallbackState>,
    /// Whether waiting callbacks must be held.
    pub is_held: Option<bool>,
    pub correlation_id: Option<String>,
}

/// Returns the tables and conditions that select these callbacks. The correlation ID is parameter 1.
fn filter_sql(wanted: &CallbackFilter) -> String {
    // Otherwise SQLite passes over all callbacks to avoid sorting the few that wait.
    let hint = if wanted.state == Some(CallbackState::Waiting) { "INDEXED BY callbacks_waiting" } else { "" };
    let mut sql =
        format!("FROM callbacks c {hint} JOIN jobs j ON j.id = c.job_id WHERE (?1 IS NULL OR j.correlation_id = ?1)");
    if let Some(state) = wanted.state {
        sql.push_str(&format!(" AND c.state = '{}'", state.as_str()));
    }
    if let Some(is_held) = wanted.is_held {
        sql.push_str(if is_held { " AND c.next_at IS NULL" } else { " AND c.next_at IS NOT NULL" });
    }
    sql
}

/// Reads a page of callbacks with their attempts, newest first.
pub fn read_page(
    tx: &ReadTx,
    wanted: &CallbackFilter,
    page: PageRequest,
) -> Result<Page<(Callback, Vec<CallbackAttempt>)>> {
    let filter = filter_sql(wanted);
    let total: i64 = tx.read_value(&format!("SELECT count(*) {filter}"), [&wanted.correlation_id])?;
    let sql = format!("SELECT {}, {EXTRA} {filter} ORDER BY c.id DESC LIMIT ?2 OFFSET ?3", jobs::COLUMNS);
    let mut statement = tx.conn().prepare_cached(&sql)?;
    let values = params![wanted.correlation_id, page.size, page.offset() as i64];
    let callbacks: Vec<Callback> = statement.query_map(values, row_to_callback)?.collect::<rusqlite::Result<_>>()?;
    let items = callbacks
        .into_iter()
        .map(|callback| read_attempts(tx, callback.id).map(|tries| (callback, tries)))
        .collect::<Result<_>>()?;
    Ok(Page { items, total_items: total as u64 })
}

/// Numbers of callbacks by state.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CallbackCounts {
    pub waiting: u64,
    pub held: u64,
    pub delivered: u64,
    pub given_up: u64,
}

/// Counts waiting, held, given up and all callbacks from indexes alone: metrics and tests that wait read the counts
/// again and again, and most callbacks are delivered.
const COUNT_ALL: &str = "SELECT (SELECT count(*) FROM callbacks WHERE state = 'waiting' AND next_at IS NOT NULL),
        (SELECT count(*) FROM callbacks WHERE state = 'waiting' AND next_at IS NULL),
        (SELECT count(*) FROM callbacks WHERE state = 'given_up'),
        (SELECT count(*) FROM callbacks)";
/// Does the same for the jobs with a correlation ID.
const COUNT_BY_CORRELATION: &str = "SELECT count(*) FILTER (WHERE c.state = 'waiting' AND c.next_at IS NOT NULL),
        count(*) FILTER (WHERE c.state = 'waiting' AND c.next_at IS NULL),
        count(*) FILTER (WHERE c.state = 'given_up'),
        count(*)
     FROM jobs j JOIN callbacks c ON c.job_id = j.id WHERE j.correlation_id = ?1";

pub fn count_by_state(tx: &ReadTx, correlation_id: Option<&str>) -> Result<CallbackCounts> {
    let sql = if correlation_id.is_some() { COUNT_BY_CORRELATION } else { COUNT_ALL };
    let mut statement = tx.conn().prepare_cached(sql)?;
    let [waiting, held, given_up, all] = statement.query_row(params_from_iter(correlation_id), |r| {
        let count = |at: usize| r.get::<_, i64>(at).map(i64::unsigned_abs);
        Ok([count(0)?, count(1)?, count(2)?, count(3)?])
    })?;
    Ok(CallbackCounts { waiting, held, delivered: all - waiting - held - given_up, given_up })
}

fn read_attempts(tx: &ReadTx, callback: i64) -> Result<Vec<CallbackAttempt>> {
    let mut statement =
        tx.conn().prepare_cached("SELECT number, started_at, finished_at, status, error FROM callback_attempts WHERE callback_id = ?1 ORDER BY number")?;
    let rows = statement.query_map([callback], |r| {
        Ok(CallbackAttempt {
            number: r.get(0)?,
            started_at: Timestamp::from_unix(r.get(1)?),
            finished_at: r.get::<_, Option<i64>>(2)?.map(Timestamp::from_unix),
            status: r.get(3)?,
            error: r.get(4)?,
        })
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// Reads one callback with its attempts.
pub fn get(tx: &ReadTx, id: i64) -> Result<Option<(Callback, Vec<CallbackAttempt>)>> {
    find_where(tx, "c.id", id)
}

/// Reads the callback of a job with its attempts.
pub fn find_by_job(tx: &ReadTx, job: i64) -> Result<Option<(Callback, Vec<CallbackAttempt>)>> {
    find_where(tx, "c.job_id", job)
}

fn find_where(tx: &ReadTx, column: &str, value: i64) -> Result<Option<(Callback, Vec<CallbackAttempt>)>> {
    let sql = format!(
        "SELECT {}, {EXTRA} FROM callbacks c JOIN jobs j ON j.id = c.job_id WHERE {column} = ?1",
        jobs::COLUMNS
    );
    let found = tx.find_row(&sql, [value], row_to_callback)?;
    found.map(|callback| read_attempts(tx, callback.id).map(|tries| (callback, tries))).transpose()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::db::Db;

    #[test]
    fn no_count_passes_over_the_contacts_of_jobs() {
        let db = Db::in_memory().unwrap();
        let waiting = CallbackFilter { state: Some(CallbackState::Waiting), ..CallbackFilter::default() };
        db.read(|tx| {
            for sql in [
                COUNT_ALL,
                COUNT_BY_CORRELATION,
                "SELECT count(*) FROM jobs",
                &format!("SELECT count(*) {}", filter_sql(&waiting)),
                &format!("SELECT * {} ORDER BY c.id DESC LIMIT ?2", filter_sql(&waiting)),
            ] {
                let mut statement = tx.conn().prepare(&format!("EXPLAIN QUERY PLAN {sql}"))?;
                let plan: Vec<String> =
                    statement.raw_query().mapped(|row| row.get(3)).collect::<rusqlite::Result<_>>()?;
                let is_full_scan = |step: &&String| {
                    step.starts_with("SCAN") && !step.contains(" INDEX ") && *step != "SCAN CONSTANT ROW"
                };
                assert_eq!(plan.iter().find(is_full_scan), None, "{sql}: {plan:#?}");
            }
            Ok::<_, crate::error::StoreError>(())
        })
        .unwrap();
    }
}
