//! Keeps the opt-outs of an erased number in force with as little as possible, or removes them where that was confirmed.

use rusqlite::params;

use super::Eraser;
use crate::{
    error::{Result, StoreError},
    tables::opt_outs::{Warrant, with_warrant},
};

const REASON: &str = "Erased at the request of the person";

impl Eraser<'_> {
    /// Removes the opt-outs, or all that is known about them besides what keeps them in force: the last event of each,
    /// without its reason.
    pub(super) fn erase_opt_outs(&mut self, confirmed: Option<u64>) -> Result<()> {
        let (conn, number) = (self.tx.conn(), self.wanted.e164);
        if conn.prepare("SELECT 1 FROM assets WHERE number = ?1")?.exists([number])? {
            return Err(StoreError::OwnNumber { number: number.to_owned() });
        }
        let count: i64 =
            conn.query_row("SELECT count(*) FROM opt_outs WHERE number = ?1", [number], |row| row.get(0))?;
        self.counts.opt_outs = count as u64;
        if self.has_table("opt_out_events") {
            self.erase_reasons()?;
        }
        if let Some(confirmed) = confirmed {
            if self.has_table("opt_out_door") {
                with_warrant(self.tx, Warrant::confirmed(confirmed, REASON), |door| {
                    door.delete(number, None, None).map(drop)
                })?;
            } else {
                conn.execute("DELETE FROM opt_outs WHERE number = ?1", [number])?;
            }
            self.counts.add_erased("opt_outs", count as usize);
            for table in ["sync_base", "sync_remote", "sync_answers", "sync_quarantine", "sync_ids"] {
                // The id of an opt-out begins with its number.
                self.delete_rows(table, "place = 7 AND substr(id, 1, length(?1) + 1) = ?1 || ' '", &[&number])?;
            }
        }
        if self.has_table("opt_out_events") {
            let in_force = "SELECT max(e.id) FROM opt_out_events e JOIN opt_outs o
                ON o.number = e.number AND o.channel = e.channel AND o.scope = e.scope
                WHERE e.number = ?1 GROUP BY e.channel, e.scope";
            self.delete_rows("opt_out_events", &format!("number = ?1 AND id NOT IN ({in_force})"), &[&number])?;
            let emptied = conn.execute(
                "UPDATE opt_out_events SET reason = NULL WHERE number = ?1 AND reason IS NOT NULL",
                [number],
            )?;
            self.counts.add_erased("opt_out_events", emptied);
        }
        Ok(())
    }

    /// Removes the reasons of steps that opted out, or in again, this number alone.
    fn erase_reasons(&mut self) -> Result<()> {
        let emptied = self.tx.conn().execute(
            "UPDATE steps SET reason = NULL WHERE reason IS NOT NULL AND id <> ?2
             AND id IN (SELECT step FROM opt_out_events WHERE number = ?1)
             AND NOT EXISTS (SELECT 1 FROM opt_out_events e WHERE e.step = steps.id AND e.number <> ?1)",
            params![self.wanted.e164, self.tx.step()],
        )?;
        self.counts.add_erased("steps", emptied);
        Ok(())
    }
}
