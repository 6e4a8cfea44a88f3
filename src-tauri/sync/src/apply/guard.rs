//! Checks steps once more just before they are sent: a record that was restored locally is not deleted at the service,
//! and what was deleted locally is not sent there.

use std::collections::HashSet;

use roost_ops::Error;
use roost_reconcile::plan::StepKind;
use roost_store::{
    tables::sync::{SyncedTable, changes, ids, local, runs},
    tx::ReadTx,
};

/// The reason for not creating a short link after all.
const LINK_GONE: &str = "The short link was deleted here after the plan was made, so it was not created.";

/// The reason for not creating a list after all.
const LIST_GONE: &str = "The list was deleted here after the plan was made, so it was not created.";

/// Returns the contacts of a step that were deleted locally, alone or with their list. What may be on its way already is
/// followed to its end, because a deletion that nobody remembers would not be sent.
pub(super) fn find_deleted_contacts(
    tx: &ReadTx,
    (run, step): (i64, u32),
    list: i64,
    contacts: &[i64],
) -> Result<HashSet<i64>, Error> {
    if runs::may_have_effect(tx, run, step)? {
        return Ok(HashSet::new());
    }
    if !exists(tx, SyncedTable::Lists, list)? {
        return Ok(contacts.iter().copied().collect());
    }
    Ok(local::find_missing_contacts(tx, contacts)?)
}

fn exists(tx: &ReadTx, place: SyncedTable, id: i64) -> Result<bool, Error> {
    Ok(changes::read_record::<i64>(tx, place, id)?.local.is_some())
}

/// Describes why contacts were left out of a step.
pub(super) fn describe_deleted_contacts(count: usize) -> String {
    match count {
        1 => "1 contact was deleted here after the plan was made, so it was not sent.".to_owned(),
        count => format!("{count} contacts were deleted here after the plan was made, so they were not sent."),
    }
}

/// Returns the reason for not sending a deletion or a creation after all. The old record of a recreated one has a
/// different local id by now.
pub(super) fn find_refusal(tx: &ReadTx, kind: &StepKind) -> Result<Option<String>, Error> {
    let is_restored = |place, uid: &str| {
        let Some(id) = ids::find_by_service_uid(tx, place, uid)? else { return Ok(false) };
        exists(tx, place, id)
    };
    let restored = match kind {
        StepKind::ContactDelete { uid, .. } => is_restored(SyncedTable::Contacts, uid)?.then_some("contact"),
        StepKind::ListDelete { uid, .. } => is_restored(SyncedTable::Lists, uid)?.then_some("list"),
        StepKind::LinkDelete { uid, .. } => is_restored(SyncedTable::ShortLinks, uid)?.then_some("short link"),
        StepKind::SenderDelete { uid } => {
            let known = changes::read_record::<String>(tx, SyncedTable::Senders, uid.clone())?;
            known.local.is_some().then_some("sender")
        }
        StepKind::ListCreate { list, .. } => {
            return Ok((!exists(tx, SyncedTable::Lists, *list)?).then(|| LIST_GONE.to_owned()));
        }
        StepKind::LinkCreate { id, .. } => {
            return Ok((!exists(tx, SyncedTable::ShortLinks, *id)?).then(|| LINK_GONE.to_owned()));
        }
        _ => None,
    };
    Ok(restored.map(|noun| format!("The {noun} was restored here after the plan was made, so it was not deleted.")))
}
