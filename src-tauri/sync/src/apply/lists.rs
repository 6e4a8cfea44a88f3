//! Reads what is to be deleted again just before, so that nothing that another writer changed or added is destroyed
//! unseen.

use roost_ops::{Core, Error};
use roost_reconcile::{input::ListChoice, plan::StepKind, row::ContactRow};
use roost_store::{
    tables::sync::{SyncedTable, answers, changes, ids, scopes},
    tx::WriteTx,
};

use super::{ActiveRun, rows::sweep_list};
use crate::{
    SyncError, cells,
    gather::stored_scope,
    pull::{self, ReadingQuality, judge_reading},
    remote::{ContactsParams, ListsParams, PageParams, RemoteList},
    run_blocking,
};

/// Returns the scope that stores the rows of a list as they are now.
fn read_scope(list: i64) -> i64 {
    i64::MIN + list
}

/// The number of attempts to read a list that changes meanwhile.
const READINGS: u32 = 5;

const CHANGED: &str = "The contacts of the list changed at the service after the last pull, so nothing was done to it. Pull, then plan again.";
const CONTACT_CHANGED: &str =
    "The contact was changed at the service after the plan was made, so it was not deleted. Pull, then decide again.";
const UNREAD: &str = "Not all contacts of the list could be read, so nothing was done to it. Send it again later.";
const ANOTHER_CHANGED: &str = "The list was created again, and contacts of the old one changed meanwhile, so the old one was not deleted. Decide about it among the conflicts.";
const CHANGED_AGAIN: &str =
    "The list changed at the service again after you decided to delete it anyway. Pull, then decide again.";

/// Stores, when a run begins, the known contacts of a list that the step deletes. They define what the deletion may
/// destroy.
pub(crate) fn store_known_contacts(tx: &WriteTx, kind: &StepKind) -> Result<(), Error> {
    match kind {
        // The contacts of the superseded list were stored when the run that recreated it began.
        StepKind::ListDelete { list, .. } if is_superseded(tx, *list)? => Ok(()),
        StepKind::ListDelete { list, .. } => Ok(scopes::copy_known_contacts(tx, *list, stored_scope(*list))?),
        _ => Ok(()),
    }
}

fn is_superseded(tx: &WriteTx, list: i64) -> Result<bool, Error> {
    Ok(answers::find_successor(tx, SyncedTable::Lists, list)?.is_some())
}

/// Returns the reason for not deleting a record, or not recreating a list, after all.
pub(super) async fn find_list_refusal(run: ActiveRun<'_>, kind: &StepKind) -> Result<Option<&'static str>, SyncError> {
    match check_step(run, kind).await {
        // A list that no longer exists cannot lose anything.
        Err(failed) if failed.is_list_missing() => Ok(None),
        other => other,
    }
}

/// Checks the step against the present state of the service.
async fn check_step(run: ActiveRun<'_>, kind: &StepKind) -> Result<Option<&'static str>, SyncError> {
    match kind {
        StepKind::ListDelete { list, uid } => refuse_deletion(run, *list, uid).await,
        StepKind::ListCreate { list, .. } => {
            let list = *list;
            let known = run_blocking(run.core, move |core| {
                core.read(|tx| Ok(changes::read_record::<i64>(tx, SyncedTable::Lists, list)?))
            })
            .await?;
            match known.uid.filter(|_| known.base.is_some() && known.at_service != changes::ServiceState::Deleted) {
                Some(uid) => refuse_recreation(run, list, &uid).await,
                None => Ok(None),
            }
        }
        StepKind::ContactDelete { list, uid, before, .. } => {
            let named = uid.clone();
            let agreed = run_blocking(run.core, move |core| {
                core.read(|tx| match ids::find_by_service_uid(tx, SyncedTable::Contacts, &named)? {
                    Some(id) => Ok(changes::read_record::<i64>(tx, SyncedTable::Contacts, id)?.base),
                    None => Ok(None),
                })
            });
            // Changes seen meanwhile in the old record of a recreated contact are already part of the new one.
            let before = agreed.await?.map_or_else(|| before.clone(), |base| cells::parse_row(&base));
            Ok((!is_unchanged(run, *list, uid, &before).await?).then_some(CONTACT_CHANGED))
        }
        _ => Ok(None),
    }
}

/// Returns whether a contact that is to be deleted is unchanged since the plan was made, or already deleted at the
/// service.
async fn is_unchanged(run: ActiveRun<'_>, list: i64, uid: &str, before: &ContactRow) -> Result<bool, SyncError> {
    let Some(key) = before.keys().next() else { return Ok(true) };
    let known = run_blocking(run.core, move |core| {
        core.read(|tx| Ok(changes::read_record::<i64>(tx, SyncedTable::Lists, list)?.uid))
    })
    .await?;
    let place = known.unwrap_or_default();
    for _ in 0..READINGS {
        let page = run.client.query_contacts(&place, &ContactsParams::Number(&key.number)).await?;
        if let Some(contact) = page.items.iter().find(|contact| contact.uid == uid) {
            return Ok(contact.row.to_folded() == before.to_folded());
        }
        if page.total == page.items.len() as u64 {
            break;
        }
    }
    // The contact no longer exists or has another number by now.
    let scope = read_scope(list);
    if read_list(run, scope, &place).await?.is_none() {
        return Ok(false);
    }
    let uid = uid.to_owned();
    run_blocking(run.core, move |core| {
        write_quietly(core, move |tx| {
            let is_gone = scopes::find_contact(tx, scope, &uid)?.is_none();
            scopes::forget_scope(tx, SyncedTable::Contacts, scope)?;
            Ok(is_gone)
        })
    })
    .await
}

/// Returns the reason for not deleting a list: its contacts differ from those for which the deletion was confirmed.
async fn refuse_deletion(run: ActiveRun<'_>, list: i64, uid: &str) -> Result<Option<&'static str>, SyncError> {
    let named = uid.to_owned();
    let facts = run_blocking(run.core, move |core| {
        core.read(|tx| {
            // The old version of a recreated list has a local id of its own.
            let going = ids::find_by_service_uid(tx, SyncedTable::Lists, &named)?.unwrap_or(list);
            let choice = answers::read_of_record(tx, SyncedTable::Lists, going)?
                .into_iter()
                .find(|stored| stored.about == "choice");
            let anyway =
                choice.and_then(|stored| serde_json::from_str(&stored.answer).ok()) == Some(ListChoice::DeleteAnyway);
            Ok((going, changes::read_record::<i64>(tx, SyncedTable::Lists, going)?.at_service, anyway))
        })
    });
    let (going, seen, anyway) = facts.await?;
    if anyway {
        return refuse_deletion_anyway(run, going, uid, &seen).await;
    }
    let Some(total) = read_list(run, read_scope(going), uid).await? else { return Ok(Some(UNREAD)) };
    if differs_from_stored(run, going).await? {
        raise_list_conflict(run, going, uid).await?;
        return Ok(Some(if going == list { CHANGED } else { ANOTHER_CHANGED }));
    }
    // Count once more right before the request leaves.
    Ok((count_contacts(run, uid).await? != total).then_some(CHANGED))
}

/// Raises the question whether to delete the list although its contacts changed.
async fn raise_list_conflict(run: ActiveRun<'_>, list: i64, uid: &str) -> Result<(), SyncError> {
    let Some(now) = find_list(run, uid).await? else { return Ok(()) };
    let state = changes::ServiceState::Changed(cells::changed_list_cells(&now.name, now.updated_at));
    run_blocking(run.core, move |core| {
        write_quietly(core, move |tx| changes::set_service_state(tx, SyncedTable::Lists, &list, &state))
    })
    .await
}

/// Returns the reason for not recreating a list: its contacts cannot be read, or changed since the run began.
async fn refuse_recreation(run: ActiveRun<'_>, list: i64, uid: &str) -> Result<Option<&'static str>, SyncError> {
    if read_list(run, read_scope(list), uid).await?.is_none() {
        return Ok(Some(UNREAD));
    }
    Ok(differs_from_stored(run, list).await?.then_some(CHANGED))
}

/// Returns whether the contacts that were just read differ from those that were stored when the run began.
async fn differs_from_stored(run: ActiveRun<'_>, list: i64) -> Result<bool, SyncError> {
    run_blocking(run.core, move |core| {
        write_quietly(core, move |tx| {
            let differs = scopes::readings_differ(tx, stored_scope(list), read_scope(list))?;
            scopes::forget_scope(tx, SyncedTable::Contacts, read_scope(list))?;
            Ok(differs)
        })
    })
    .await
}

/// Checks a deletion that the user confirmed although the contacts of the list had changed. Nothing more may have
/// changed since.
async fn refuse_deletion_anyway(
    run: ActiveRun<'_>,
    list: i64,
    uid: &str,
    seen: &changes::ServiceState,
) -> Result<Option<&'static str>, SyncError> {
    let Some(now) = find_list(run, uid).await? else { return Ok(None) };
    let changed = cells::changed_list_cells(&now.name, now.updated_at);
    if *seen == changes::ServiceState::Changed(changed.clone()) {
        return Ok(None);
    }
    run_blocking(run.core, move |core| {
        write_quietly(core, move |tx| {
            answers::set_answer(tx, SyncedTable::Lists, &list, "choice", None)?;
            changes::set_service_state(tx, SyncedTable::Lists, &list, &changes::ServiceState::Changed(changed))
        })
    })
    .await?;
    Ok(Some(CHANGED_AGAIN))
}

fn write_quietly<T>(core: &Core, act: impl FnOnce(&WriteTx) -> Result<T, roost_ops::StoreError>) -> Result<T, Error> {
    core.write_quietly(|tx| Ok(act(tx)?))
}

/// Reads all contacts of a list into a scope. Returns their number, or `None` if they keep changing.
async fn read_list(run: ActiveRun<'_>, scope: i64, uid: &str) -> Result<Option<u64>, SyncError> {
    for _ in 0..READINGS {
        if let Some(total) = read_list_once(run, scope, uid).await? {
            return Ok(Some(total));
        }
    }
    Ok(None)
}

/// Reads all contacts of a list once. Returns `None` if they changed or the run was paused meanwhile.
async fn read_list_once(run: ActiveRun<'_>, scope: i64, uid: &str) -> Result<Option<u64>, SyncError> {
    run_blocking(run.core, move |core| {
        write_quietly(core, move |tx| scopes::forget_scope(tx, SyncedTable::Contacts, scope))
    })
    .await?;
    let Some(claimed) = sweep_list(run, scope, uid).await? else { return Ok(None) };
    let distinct = run_blocking(run.core, move |core| {
        core.read(|tx| Ok(scopes::count_records(tx, SyncedTable::Contacts, scope)?))
    })
    .await?;
    Ok((judge_reading(claimed, distinct, 0) == ReadingQuality::Whole).then_some(claimed.1))
}

async fn count_contacts(run: ActiveRun<'_>, uid: &str) -> Result<u64, SyncError> {
    let one = ContactsParams::Page(PageParams { number: 1, size: 1 });
    Ok(run.client.query_contacts(uid, &one).await?.total)
}

/// Returns the list with this identifier, if the service has it.
pub(super) async fn find_list(run: ActiveRun<'_>, uid: &str) -> Result<Option<RemoteList>, SyncError> {
    for number in 1.. {
        let page =
            run.client.query_lists(&ListsParams { name: None, page: PageParams { number, size: pull::PAGE } }).await?;
        let is_last = page.items.is_empty() || u64::from(number) >= page.pages;
        if let Some(found) = page.items.into_iter().find(|list| list.uid == uid) {
            return Ok(Some(found));
        }
        if is_last {
            break;
        }
    }
    Ok(None)
}
