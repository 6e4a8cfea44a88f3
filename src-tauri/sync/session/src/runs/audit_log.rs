//! Shows the audit record of every effect on the service.

use std::collections::{BTreeMap, BTreeSet};

use roost_model::time::Timestamp;
use roost_ops::StoreError;
use roost_reconcile::audit::{AuditChain, Digest, ErasureRecord, SealedEntry};
use roost_store::tables::sync::{audit, runs};
use serde_json::Value;

use crate::{AuditPage, AuditRow, Session, SessionResult};

/// The number of entries read at once.
const ENTRIES_PER_READ: u32 = 200;

/// The part of the audit record that has been checked.
#[derive(Default)]
pub(crate) struct AuditCheck {
    chain: AuditChain,
    seq: u64,
    broken: Option<u64>,
}

impl Session {
    /// Returns a page of the audit record, newest first, and whether all seals match.
    pub fn audit_page(&self, from: u32, count: u32) -> SessionResult<AuditPage> {
        let total = self.read(|tx| Ok(audit::last_entry(tx)?))?.map_or(0, |last| last.seq);
        let broken_at = self.check_audit()?;
        let top = total.saturating_sub(u64::from(from));
        let bottom = top.saturating_sub(u64::from(count));
        let entries = self.read(|tx| Ok(audit::read_after(tx, bottom, None, (top - bottom) as u32)?))?;
        let runs: BTreeSet<i64> = entries.iter().filter_map(|entry| entry.run).collect();
        let began: BTreeMap<i64, Timestamp> = self.read(|tx| {
            let began = runs.into_iter().map(|run| Ok(runs::read_run(tx, run)?.map(|known| (run, known.started_at))));
            began.filter_map(Result::transpose).collect::<Result<_, StoreError>>().map_err(Into::into)
        })?;
        let shown = |entry: audit::AuditEntry| {
            let body: Value = serde_json::from_str(&entry.body).unwrap_or_default();
            AuditRow {
                seq: entry.seq,
                at: match entry.run {
                    Some(run) => began.get(&run).copied(),
                    None => body["at"].as_str().and_then(Timestamp::parse_iso),
                },
                run: entry.run,
                operation: body["operation"].as_str().unwrap_or_default().to_owned(),
                effect: describe_effect(&body),
                seal: entry.seal,
            }
        };
        let rows = entries.into_iter().rev().map(shown).collect();
        Ok(AuditPage { total, is_sound: broken_at.is_none(), broken_at, rows })
    }

    /// Checks the entries added since the last check. Returns the first broken one.
    fn check_audit(&self) -> SessionResult<Option<u64>> {
        let mut checked = std::mem::take(&mut self.state().audit_check);
        let shortened = self.read_shortened()?;
        while checked.broken.is_none() {
            let entries = self.read(|tx| Ok(audit::read_after(tx, checked.seq, None, ENTRIES_PER_READ)?))?;
            if entries.is_empty() {
                break;
            }
            for entry in entries {
                let (seq, digests) = (entry.seq, (Digest::parse(&entry.before), Digest::parse(&entry.seal)));
                let (Some(before), Some(seal)) = digests else {
                    checked.broken = Some(seq);
                    break;
                };
                let entry = SealedEntry { seq, body: entry.body, before, seal };
                let next = match shortened.get(&seq) {
                    Some(digest) => checked.chain.check_shortened(&entry, *digest),
                    None => checked.chain.check_next(&entry),
                };
                if let Err(broken) = next {
                    checked.broken = Some(broken.seq);
                    break;
                }
                checked.seq = seq;
            }
        }
        let broken = checked.broken;
        self.state().audit_check = checked;
        Ok(broken)
    }

    /// Returns the entries that erasures shortened, with the digests of their present bodies.
    fn read_shortened(&self) -> SessionResult<BTreeMap<u64, Digest>> {
        let bodies = self.read(|tx| Ok(audit::read_without_run(tx)?))?;
        let erasures = bodies.iter().filter_map(|body| ErasureRecord::parse(body));
        Ok(erasures.flat_map(|erasure| erasure.shortened).map(|entry| (entry.seq, entry.digest)).collect())
    }
}

/// Summarises an entry of the audit record in a few words.
fn describe_effect(body: &Value) -> String {
    let count = |name: &str| body[name].as_array().map_or(0, Vec::len);
    let mut parts = Vec::new();
    for (name, word) in [("rows", "written"), ("gone", "deleted")] {
        if count(name) > 0 {
            parts.push(format!("{} {word}", count(name)));
        }
    }
    let named = ["name", "opt_out", "uid"].into_iter().find_map(|name| body[name].as_str());
    parts.extend(body["cells"]["title"].as_str().or(named).map(str::to_owned));
    parts.join(", ")
}
