//! Finds the lists that changed since a reader last looked, from the change log.

use std::collections::BTreeSet;

use rusqlite::params;

use crate::{change_log::Noun, error::Result, tables::steps::log, tx::ReadTx};

/// The lists that changed since a line of the change log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ListChanges {
    /// Opt-outs changed, or contacts without a list were named, so nothing that is cached of any list is valid.
    Everything,
    /// Uids of the lists that changed.
    Lists(Vec<String>),
}

/// Most lines that are read. After more lines, everything counts as changed.
const LINES_MAX: i64 = 1_000;

/// Returns the last line of the log and what changed after `seq`.
pub fn changes_since(tx: &ReadTx, seq: i64) -> Result<(i64, ListChanges)> {
    changes_since_except(tx, seq, &BTreeSet::new(), true)
}

/// Does the same but leaves out the changes of some steps, and counts opt-outs only if `counts_opt_outs` is set.
pub fn changes_since_except(
    tx: &ReadTx,
    seq: i64,
    own: &BTreeSet<i64>,
    counts_opt_outs: bool,
) -> Result<(i64, ListChanges)> {
    let last = log::last_seq(tx)?;
    if last - seq > LINES_MAX {
        return Ok((last, ListChanges::Everything));
    }
    let mut statement = tx.conn().prepare_cached(
        "SELECT noun, uid, step FROM changes WHERE seq > ?1 AND noun IN ('list', 'contact', 'opt_out')",
    )?;
    let mut rows = statement.query(params![seq])?;
    let mut lists = Vec::new();
    while let Some(row) = rows.next()? {
        let (noun, uid): (String, Option<String>) = (row.get(0)?, row.get(1)?);
        if row.get::<_, Option<i64>>(2)?.is_some_and(|step| own.contains(&step)) {
            continue;
        }
        match uid {
            _ if noun == Noun::OptOut.as_str() => {
                if counts_opt_outs {
                    return Ok((last, ListChanges::Everything));
                }
            }
            Some(uid) => lists.push(uid),
            None => return Ok((last, ListChanges::Everything)),
        }
    }
    Ok((last, ListChanges::Lists(lists)))
}
