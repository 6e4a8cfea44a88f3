//! Checks deletions and short links once more just before they are sent: a record that was restored locally is not
//! deleted at the service, and a link that was deleted locally is not created there.

use roost_ops::Error;
use roost_reconcile::plan::StepKind;
use roost_store::{
    tables::sync::{SyncedTable, changes, ids},
    tx::ReadTx,
};

/// The reason for not creating a short link after all.
const LINK_GONE: &str = "The short link was deleted here after the plan was made, so it was not created.";

/// Returns the reason for not sending a deletion after all. The old record of a recreated one has a different local id
/// by now.
pub fn find_refusal(tx: &ReadTx, kind: &StepKind) -> Result<Option<String>, Error> {
    let is_restored = |place, uid: &str| {
        let Some(id) = ids::find_by_service_uid(tx, place, uid)? else { return Ok(false) };
        Ok::<_, Error>(changes::read_record::<i64>(tx, place, id)?.local.is_some())
    };
    let restored = match kind {
        StepKind::ContactDelete { uid, .. } => is_restored(SyncedTable::Contacts, uid)?.then_some("contact"),
        StepKind::ListDelete { uid, .. } => is_restored(SyncedTable::Lists, uid)?.then_some("list"),
        StepKind::LinkDelete { uid, .. } => is_restored(SyncedTable::ShortLinks, uid)?.then_some("short link"),
        StepKind::SenderDelete { uid } => {
            let known = changes::read_record::<String>(tx, SyncedTable::Senders, uid.clone())?;
            known.local.is_some().then_some("sender")
        }
        StepKind::LinkCreate { id, .. } => {
            let is_here = changes::read_record::<i64>(tx, SyncedTable::ShortLinks, *id)?.local.is_some();
            return Ok((!is_here).then(|| LINK_GONE.to_owned()));
        }
        _ => None,
    };
    Ok(restored.map(|noun| format!("The {noun} was restored here after the plan was made, so it was not deleted.")))
}
