//! Reads recent events, and what waits for a person, in the whole account.

use roost_model::{id::ListId, time::Timestamp};
use rusqlite::params;
use serde::Serialize;

use crate::{error::Result, tables::parse_stored_id, tx::ReadTx};

/// Returns the times of the opt-outs in force that were recorded since `from`.
pub fn opt_out_times(tx: &ReadTx, from: Timestamp) -> Result<Vec<i64>> {
    tx.read_rows("SELECT time FROM opt_outs WHERE time >= ?1", [from.unix()], |row| row.get(0))
}

/// Returns the times of the clicks on all links since `from`. Their index begins with the link.
pub fn click_times(tx: &ReadTx, from: Timestamp) -> Result<Vec<i64>> {
    let mut statement = tx.conn().prepare_cached(
        "SELECT c.time FROM short_links AS l
         CROSS JOIN clicks AS c INDEXED BY clicks_by_link ON c.link_id = l.id AND c.time >= ?1",
    )?;
    Ok(statement.query_map([from.unix()], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?)
}

/// The contact jobs that ended, and the results of their contacts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct JobResults {
    pub jobs: u64,
    /// Contacts that were imported or merged.
    pub written: u64,
    pub failed: u64,
}

pub fn job_results(tx: &ReadTx, from: Timestamp) -> Result<JobResults> {
    let mut statement = tx.conn().prepare_cached(
        "SELECT count(*), coalesce(sum(imported + merged), 0), coalesce(sum(failed), 0)
         FROM jobs WHERE state = 'done' AND finished_at >= ?1",
    )?;
    let count = |row: &rusqlite::Row, at: usize| row.get::<_, i64>(at).map(|count| count as u64);
    Ok(statement.query_row([from.unix()], |row| {
        Ok(JobResults { jobs: count(row, 0)?, written: count(row, 1)?, failed: count(row, 2)? })
    })?)
}

/// The number of a list's contacts with a draft.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ListDrafts {
    pub list: ListId,
    pub name: String,
    pub contacts: u64,
}

/// Returns the lists with the most drafts.
pub fn lists_with_drafts(tx: &ReadTx, most: u32) -> Result<Vec<ListDrafts>> {
    tx.read_rows(
        "SELECT l.uid, l.name, count(DISTINCT d.contact_id) FROM drafts AS d
         CROSS JOIN contacts AS c ON c.id = d.contact_id CROSS JOIN lists AS l ON l.id = c.list_id
         GROUP BY l.id ORDER BY 3 DESC, l.id LIMIT ?1",
        params![most],
        |row| {
            let uid: String = row.get(0)?;
            Ok(ListDrafts {
                list: parse_stored_id(0, ListId::parse(&uid))?,
                name: row.get(1)?,
                contacts: row.get::<_, i64>(2)? as u64,
            })
        },
    )
}

/// Counts rows that imports left out and nobody has fixed or discarded. Rows of reverted imports do not count.
pub fn count_rejects(tx: &ReadTx) -> Result<u64> {
    Ok(tx.read_value::<i64>(
        "SELECT count(*) FROM import_rejects AS r CROSS JOIN imports AS i ON i.id = r.import_id
         WHERE i.reverted_by IS NULL",
        [],
    )? as u64)
}
