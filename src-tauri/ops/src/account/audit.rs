//! Creates entries of the audit record. The store keeps them, and does not know how they are sealed.

use roost_reconcile::audit::{Digest, SealedEntry};
use roost_store::tables::sync::audit::AuditEntry;

/// Creates the entry that follows `last`.
pub fn create_entry(last: Option<&AuditEntry>, run: Option<i64>, body: String) -> AuditEntry {
    let last = last.map(|last| SealedEntry {
        seq: last.seq,
        body: last.body.clone(),
        before: Digest::parse(&last.before).unwrap_or_default(),
        seal: Digest::parse(&last.seal).unwrap_or_default(),
    });
    let next = SealedEntry::create_after(last.as_ref(), body);
    AuditEntry { seq: next.seq, run, body: next.body, before: next.before.to_hex(), seal: next.seal.to_hex() }
}
