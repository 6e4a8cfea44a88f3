//! Limits how long changes are remembered. A file keeps a person's changes for three months and a bounded number of
//! rows that others changed. A database in memory keeps little, because it must not grow with the number of requests.

use roost_model::time::Timestamp;

use crate::{
    error::Result,
    row_recorder,
    tables::steps::{self, log::LINES_IN_MEMORY},
    tx::WriteTx,
};

/// Retention is applied once in this many steps.
const APPLY_EVERY: i64 = 256;
const KEPT_SECONDS: i64 = 90 * 24 * 60 * 60;
/// Rows changed by callers and jobs. Each takes about two hundred bytes.
const OTHERS_IN_FILE: i64 = 1_000_000;
const OTHERS_IN_MEMORY: i64 = 20_000;

pub(super) fn apply_retention(tx: &WriteTx, now: Timestamp, keeps_history: bool) -> Result<()> {
    if tx.step() % APPLY_EVERY != 0 {
        return Ok(());
    }
    let newest = row_recorder::last_row(tx.conn())?;
    let others = newest - if keeps_history { OTHERS_IN_FILE } else { OTHERS_IN_MEMORY };
    steps::forget_older(tx, now.unix() - KEPT_SECONDS, others)?;
    if !keeps_history {
        tx.execute_sql("DELETE FROM steps WHERE id < ?1 AND first_row IS NULL", [tx.step() - LINES_IN_MEMORY])?;
        tx.execute_sql(
            "DELETE FROM opt_out_events WHERE id < (SELECT max(id) FROM opt_out_events) - ?1",
            [10 * LINES_IN_MEMORY],
        )?;
    }
    Ok(())
}
