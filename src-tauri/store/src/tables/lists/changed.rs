//! Which lists have changed since somebody last looked, as the change log tells it.

use std::collections::BTreeSet;

use rusqlite::params;

use crate::{
    change_log::{self, Noun},
    error::Result,
    tx::ReadTx,
};

/// What was said since a line of the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Since {
    /// Opt-outs, or contacts of no list in particular: nothing known of any list counts.
    Everything,
    /// Lists by uid.
    Lists(Vec<String>),
}

/// Lines read at most; behind more of them everything has changed.
const MOST: i64 = 1_000;

/// The log's last line, and what was said behind `seq`.
pub fn since(tx: &ReadTx, seq: i64) -> Result<(i64, Since)> {
    since_but(tx, seq, &BTreeSet::new(), true)
}

/// The same without what some steps said, and with opt-outs only where they count.
pub fn since_but(tx: &ReadTx, seq: i64, own: &BTreeSet<i64>, counts_opt_outs: bool) -> Result<(i64, Since)> {
    let last = change_log::last(tx)?;
    if last - seq > MOST {
        return Ok((last, Since::Everything));
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
                    return Ok((last, Since::Everything));
                }
            }
            Some(uid) => lists.push(uid),
            None => return Ok((last, Since::Everything)),
        }
    }
    Ok((last, Since::Lists(lists)))
}
