//! Reads what the screens show of runs: the steps without their bodies, and the requests.

use rusqlite::params;

use crate::{error::Result, tables::sync::runs::RequestResult, tx::ReadTx};
use roost_model::time::Timestamp;

/// The numbers of steps, requests and refused records of a run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RunTotals {
    pub steps: u64,
    pub requests: u64,
    pub refused: u64,
}

pub fn count_run(tx: &ReadTx, run: i64) -> Result<RunTotals> {
    let mut statement = tx.conn().prepare_cached(
        "SELECT (SELECT count(*) FROM sync_steps WHERE run = ?1), (SELECT count(*) FROM sync_attempts WHERE run = ?1),
                (SELECT count(*) FROM sync_quarantine WHERE run = ?1)",
    )?;
    let number = |row: &rusqlite::Row, at| row.get::<_, i64>(at).map(|n| n as u64);
    Ok(statement.query_row([run], |row| {
        Ok(RunTotals { steps: number(row, 0)?, requests: number(row, 1)?, refused: number(row, 2)? })
    })?)
}

/// Counts the contacts and numbers in the steps of a run. This reads the bodies.
pub fn count_records(tx: &ReadTx, run: i64) -> Result<u64> {
    Ok(tx.read_value::<i64>(
        "SELECT coalesce(sum(coalesce(json_array_length(body, '$[1].items'), json_array_length(body, '$[1].numbers'), 1)), 0)
         FROM sync_steps WHERE run = ?1",
        [run],
    )? as u64)
}

/// The status of one step of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StepStatus {
    pub step: u32,
    pub state: String,
    pub why: Option<String>,
    pub requests: u64,
    /// Trace id of the step's last request.
    pub trace_id: Option<String>,
    /// Whether it is unknown if the step's last request was carried out.
    pub is_uncertain: bool,
}

pub fn read_steps(tx: &ReadTx, run: i64) -> Result<Vec<StepStatus>> {
    tx.read_rows(
        "SELECT s.step, s.state, s.why, (SELECT count(*) FROM sync_attempts AS a WHERE a.run = s.run AND a.step = s.step),
                (SELECT trace_id FROM sync_attempts AS a WHERE a.run = s.run AND a.step = s.step ORDER BY id DESC LIMIT 1),
                coalesce((SELECT ended_at IS NULL OR verdict = 'Uncertain' FROM sync_attempts AS a
                          WHERE a.run = s.run AND a.step = s.step ORDER BY id DESC LIMIT 1), 0)
         FROM sync_steps AS s WHERE s.run = ?1 ORDER BY s.step",
        [run],
        |row| {
            let (step, state, why) = (row.get(0)?, row.get(1)?, row.get(2)?);
            let requests = row.get::<_, i64>(3)? as u64;
            Ok(StepStatus { step, state, why, requests, trace_id: row.get(4)?, is_uncertain: row.get(5)? })
        },
    )
}

/// One request of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttemptRow {
    pub id: i64,
    pub step: u32,
    pub began_at: Timestamp,
    pub ended_at: Option<Timestamp>,
    pub body_hash: String,
    /// `None` if the request was interrupted.
    pub ending: Option<RequestResult>,
}

/// Reads the newest requests of a run, or of one of its steps.
pub fn read_attempts(tx: &ReadTx, run: i64, step: Option<u32>, most: u32) -> Result<Vec<AttemptRow>> {
    tx.read_rows(
        "SELECT id, step, began_at, ended_at, body_hash, verdict, status, code, trace_id FROM sync_attempts
         WHERE run = ?1 AND (?2 IS NULL OR step = ?2) ORDER BY id DESC LIMIT ?3",
        params![run, step, most],
        |row| {
            let verdict: Option<String> = row.get(5)?;
            let ending = match verdict {
                Some(verdict) => {
                    Some(RequestResult { verdict, status: row.get(6)?, code: row.get(7)?, trace_id: row.get(8)? })
                }
                None => None,
            };
            Ok(AttemptRow {
                id: row.get(0)?,
                step: row.get(1)?,
                began_at: Timestamp::from_unix(row.get(2)?),
                ended_at: row.get::<_, Option<i64>>(3)?.map(Timestamp::from_unix),
                body_hash: row.get(4)?,
                ending,
            })
        },
    )
}

/// Returns the steps whose requests were sent and have not ended.
pub fn steps_under_way(tx: &ReadTx, run: i64) -> Result<Vec<u32>> {
    tx.read_rows("SELECT step FROM sync_attempts WHERE run = ?1 AND ended_at IS NULL ORDER BY id", [run], |row| {
        row.get(0)
    })
}

/// Returns the local identifier of a contact.
pub fn contact_uid(tx: &ReadTx, id: i64) -> Result<Option<String>> {
    tx.find_value("SELECT uid FROM contacts WHERE id = ?1", [id])
}
