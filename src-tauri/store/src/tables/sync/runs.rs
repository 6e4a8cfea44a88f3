//! Plans and their runs: steps, every request, and the rows that the service refused.

use roost_model::time::Timestamp;
use rusqlite::{OptionalExtension, ToSql, params, types::FromSql};
use serde::Serialize;

use super::SyncedTable;
use crate::{
    error::Result,
    tx::{ReadTx, WriteTx},
};

/// Stores a plan as it was shown, without its steps. The body is JSON.
pub fn save_plan(tx: &WriteTx, at: Timestamp, input: &str, body: &str) -> Result<i64> {
    tx.execute_sql("INSERT INTO sync_plans (at, input, body) VALUES (?1, ?2, ?3)", params![at.unix(), input, body])?;
    Ok(tx.conn().last_insert_rowid())
}

pub fn add_plan_step(tx: &WriteTx, plan: i64, step: u32, body: &str) -> Result<()> {
    tx.execute_sql("INSERT INTO sync_plan_steps (plan, step, body) VALUES (?1, ?2, ?3)", params![plan, step, body])?;
    Ok(())
}

/// Reads the body of one step of a plan. Bodies are read one at a time, because each may hold thousands of contacts.
pub fn read_plan_step(tx: &ReadTx, plan: i64, step: u32) -> Result<Option<String>> {
    tx.find_value("SELECT body FROM sync_plan_steps WHERE plan = ?1 AND step = ?2", params![plan, step])
}

/// Returns the input from which a plan was made, in the form that the planner gave it.
pub fn read_plan_input(tx: &ReadTx, id: i64) -> Result<Option<String>> {
    tx.find_value("SELECT input FROM sync_plans WHERE id = ?1", [id])
}

/// Returns the number, time and body of a plan, or of the newest one.
pub fn read_plan(tx: &ReadTx, id: Option<i64>) -> Result<Option<(i64, Timestamp, String)>> {
    let mut statement = tx
        .conn()
        .prepare_cached("SELECT id, at, body FROM sync_plans WHERE ?1 IS NULL OR id = ?1 ORDER BY id DESC LIMIT 1")?;
    let row = |row: &rusqlite::Row| Ok((row.get(0)?, Timestamp::from_unix(row.get(1)?), row.get(2)?));
    Ok(statement.query_row([id], row).optional()?)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum RunState {
    Running,
    Paused,
    /// Nothing more is sent, but what was sent is still verified.
    Cancelled,
    Done,
    /// It is unknown whether some of the requests took effect.
    InDoubt,
}

roost_model::variant_names! {
    pub RunState {
        Running = "running", Paused = "paused", Cancelled = "cancelled", Done = "done", InDoubt = "in_doubt",
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SyncRun {
    pub id: i64,
    pub plan: i64,
    pub started_at: Timestamp,
    pub ended_at: Option<Timestamp>,
    pub state: RunState,
    /// What the run waits for, or why it ended early.
    pub why: Option<String>,
}

fn row_to_run(row: &rusqlite::Row) -> rusqlite::Result<SyncRun> {
    let state: String = row.get(4)?;
    Ok(SyncRun {
        id: row.get(0)?,
        plan: row.get(1)?,
        started_at: Timestamp::from_unix(row.get(2)?),
        ended_at: row.get::<_, Option<i64>>(3)?.map(Timestamp::from_unix),
        state: crate::tables::parse_stored(4, RunState::parse(&state), &state)?,
        why: row.get(5)?,
    })
}

const COLUMNS: &str = "id, plan, started_at, ended_at, state, why";

pub fn read_run(tx: &ReadTx, id: i64) -> Result<Option<SyncRun>> {
    let sql = format!("SELECT {COLUMNS} FROM sync_runs WHERE id = ?1");
    tx.find_row(&sql, [id], row_to_run)
}

/// Reads the runs, newest first.
pub fn read_runs(tx: &ReadTx, most: u32) -> Result<Vec<SyncRun>> {
    let sql = format!("SELECT {COLUMNS} FROM sync_runs ORDER BY id DESC LIMIT ?1");
    tx.read_rows(&sql, [most], row_to_run)
}

/// Returns the run that has not ended.
pub fn find_open_run(tx: &ReadTx) -> Result<Option<SyncRun>> {
    let sql = format!("SELECT {COLUMNS} FROM sync_runs WHERE ended_at IS NULL ORDER BY id DESC LIMIT 1");
    tx.find_row(&sql, [], row_to_run)
}

pub fn begin_run(tx: &WriteTx, plan: i64, at: Timestamp) -> Result<i64> {
    tx.conn()
        .prepare_cached("INSERT INTO sync_runs (plan, started_at, state) VALUES (?1, ?2, 'running')")?
        .execute(params![plan, at.unix()])?;
    Ok(tx.conn().last_insert_rowid())
}

pub fn set_state(tx: &WriteTx, run: i64, state: RunState, ended: Option<Timestamp>, why: Option<&str>) -> Result<()> {
    tx.conn()
        .prepare_cached("UPDATE sync_runs SET state = ?2, ended_at = ?3, why = ?4 WHERE id = ?1")?
        .execute(params![run, state.as_str(), ended.map(Timestamp::unix), why])?;
    Ok(())
}

/// A step of a run with its state. The form of both belongs to the caller.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunStep {
    pub step: u32,
    pub body: String,
    pub state: String,
    pub why: Option<String>,
}

pub fn add_step(tx: &WriteTx, run: i64, step: &RunStep) -> Result<()> {
    tx.conn()
        .prepare_cached("INSERT INTO sync_steps (run, step, body, state, why) VALUES (?1, ?2, ?3, ?4, ?5)")?
        .execute(params![run, step.step, step.body, step.state, step.why])?;
    Ok(())
}

fn row_to_step(row: &rusqlite::Row) -> rusqlite::Result<RunStep> {
    Ok(RunStep { step: row.get(0)?, body: row.get(1)?, state: row.get(2)?, why: row.get(3)? })
}

pub fn read_steps(tx: &ReadTx, run: i64) -> Result<Vec<RunStep>> {
    let mut steps = Vec::new();
    visit_steps(tx, run, |step| {
        steps.push(step);
        Ok(())
    })?;
    Ok(steps)
}

/// Visits the steps of a run one by one, because a body may hold thousands of contacts.
pub fn visit_steps(tx: &ReadTx, run: i64, mut take: impl FnMut(RunStep) -> Result<()>) -> Result<()> {
    let mut statement =
        tx.conn().prepare_cached("SELECT step, body, state, why FROM sync_steps WHERE run = ?1 ORDER BY step")?;
    for step in statement.query_map([run], row_to_step)? {
        take(step?)?;
    }
    Ok(())
}

/// Reads the steps of a run that are in this state.
pub fn steps_in_state(tx: &ReadTx, run: i64, state: &str) -> Result<Vec<RunStep>> {
    let mut statement = tx
        .conn()
        .prepare_cached("SELECT step, body, state, why FROM sync_steps WHERE run = ?1 AND state = ?2 ORDER BY step")?;
    Ok(statement.query_map(params![run, state], row_to_step)?.collect::<rusqlite::Result<_>>()?)
}

pub fn read_step(tx: &ReadTx, run: i64, step: u32) -> Result<Option<RunStep>> {
    let mut statement =
        tx.conn().prepare_cached("SELECT step, body, state, why FROM sync_steps WHERE run = ?1 AND step = ?2")?;
    Ok(statement.query_row(params![run, step], row_to_step).optional()?)
}

pub fn set_step(tx: &WriteTx, run: i64, step: u32, state: &str, why: Option<&str>) -> Result<()> {
    tx.conn()
        .prepare_cached("UPDATE sync_steps SET state = ?3, why = ?4 WHERE run = ?1 AND step = ?2")?
        .execute(params![run, step, state, why])?;
    Ok(())
}

pub fn set_body(tx: &WriteTx, run: i64, step: u32, body: &str) -> Result<()> {
    tx.execute_sql("UPDATE sync_steps SET body = ?3 WHERE run = ?1 AND step = ?2", params![run, step, body])?;
    Ok(())
}

/// Records that a request is about to be sent.
pub fn begin_attempt(tx: &WriteTx, run: i64, step: u32, body_hash: &str, at: Timestamp) -> Result<i64> {
    tx.conn()
        .prepare_cached("INSERT INTO sync_attempts (run, step, body_hash, began_at) VALUES (?1, ?2, ?3, ?4)")?
        .execute(params![run, step, body_hash, at.unix()])?;
    Ok(tx.conn().last_insert_rowid())
}

/// The result of a request.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RequestResult {
    pub verdict: String,
    pub status: Option<u16>,
    pub code: Option<String>,
    pub trace_id: Option<String>,
}

pub fn end_attempt(tx: &WriteTx, attempt: i64, at: Timestamp, ending: &RequestResult) -> Result<()> {
    tx.execute_sql(
        "UPDATE sync_attempts SET ended_at = ?2, verdict = ?3, status = ?4, code = ?5, trace_id = ?6 WHERE id = ?1",
        params![attempt, at.unix(), ending.verdict, ending.status, ending.code, ending.trace_id],
    )?;
    Ok(())
}

/// One request of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestAttempt {
    pub id: i64,
    pub step: u32,
    pub body_hash: String,
    pub began_at: Timestamp,
    /// `None` if the request was interrupted.
    pub ended: Option<(Timestamp, RequestResult)>,
}

/// Reads the requests of a run, or of one of its steps, after `id`, oldest first.
pub fn read_attempts(tx: &ReadTx, run: i64, step: Option<u32>, id: i64, most: u32) -> Result<Vec<RequestAttempt>> {
    tx.read_rows(
        "SELECT id, step, body_hash, began_at, ended_at, verdict, status, code, trace_id FROM sync_attempts
         WHERE run = ?1 AND (?2 IS NULL OR step = ?2) AND id > ?3 ORDER BY id LIMIT ?4",
        params![run, step, id, most],
        |row| {
            let ended: Option<i64> = row.get(4)?;
            let ending = RequestResult {
                verdict: row.get::<_, Option<String>>(5)?.unwrap_or_default(),
                status: row.get(6)?,
                code: row.get(7)?,
                trace_id: row.get(8)?,
            };
            Ok(RequestAttempt {
                id: row.get(0)?,
                step: row.get(1)?,
                body_hash: row.get(2)?,
                began_at: Timestamp::from_unix(row.get(3)?),
                ended: ended.map(|at| (Timestamp::from_unix(at), ending)),
            })
        },
    )
}

/// Returns whether a request of this step was carried out, or may have been.
pub fn may_have_effect(tx: &ReadTx, run: i64, step: u32) -> Result<bool> {
    tx.read_value(
        "SELECT EXISTS (SELECT 1 FROM sync_attempts WHERE run = ?1 AND step = ?2
                        AND (ended_at IS NULL OR verdict IN ('done', 'Uncertain')))",
        params![run, step],
    )
}

/// Counts the requests that a run has sent.
pub fn count_attempts(tx: &ReadTx, run: i64) -> Result<u64> {
    Ok(tx.read_value::<i64>("SELECT count(*) FROM sync_attempts WHERE run = ?1", [run])? as u64)
}

/// A record that the service refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefusedRecord<I> {
    pub id: I,
    pub run: i64,
    /// The record's cells when it was refused.
    pub cells: String,
    /// The service's reasons as JSON.
    pub faults: String,
}

pub fn add_refused(tx: &WriteTx, place: SyncedTable, refused: &RefusedRecord<impl ToSql>) -> Result<()> {
    tx.execute_sql(
        "INSERT OR REPLACE INTO sync_quarantine (place, id, run, cells, faults) VALUES (?1, ?2, ?3, ?4, ?5)",
        params![place.number(), refused.id, refused.run, refused.cells, refused.faults],
    )?;
    Ok(())
}

pub fn read_refused<I: FromSql>(tx: &ReadTx, place: SyncedTable) -> Result<Vec<RefusedRecord<I>>> {
    tx.read_rows(
        "SELECT id, run, cells, faults FROM sync_quarantine WHERE place = ?1 ORDER BY id",
        [place.number()],
        |row| Ok(RefusedRecord { id: row.get(0)?, run: row.get(1)?, cells: row.get(2)?, faults: row.get(3)? }),
    )
}

/// Allows a record to be sent again.
pub fn release_refused(tx: &WriteTx, place: SyncedTable, id: &impl ToSql) -> Result<()> {
    tx.execute_sql("DELETE FROM sync_quarantine WHERE place = ?1 AND id = ?2", params![place.number(), id])?;
    Ok(())
}
