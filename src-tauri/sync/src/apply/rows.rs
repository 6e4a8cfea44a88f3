//! Reads contacts of a list as the service has them now, before they are changed and to verify a change.

use std::collections::{BTreeSet, HashSet};

use roost_model::contact::MergeType;
use roost_ops::{Actor, Core, Error};
use roost_reconcile::{
    plan::{ContactItem, PlanStep, StepKind, key_kind_of_merge},
    row::{ContactRow, KeyKind},
};
use roost_store::{
    tables::sync::{SyncedTable, changes, scopes},
    tx::ReadTx,
};

use super::{ActiveRun, RunCommand, settle};
use crate::{
    SyncError, cells,
    merge::{self, MergeCounts},
    pull::{self, ReadingQuality, judge_reading},
    remote::{ContactsParams, PageParams},
    run_blocking,
};

/// The reason for not sending a step whose contacts have changed.
const CHANGED_THERE: &str =
    "its contacts changed at the service after the plan was made; review the changes, then plan again";
/// The reason for not sending a step whose list no longer exists.
const LIST_GONE: &str = "the list is no longer at the service; pull, then decide about the changes in it";

/// The way in which contacts were read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RowsRead {
    /// One by one by their numbers. A contact that was not found no longer exists.
    ByNumber,
    /// The whole list, with the totals claimed by the first and the last page.
    Swept((u64, u64)),
    /// The run was paused meanwhile.
    Stopped,
}

/// Reads this many contacts, one by one by their numbers or with the whole list, whichever takes fewer calls. They are
/// stored as the observed rows of the list.
pub(super) async fn read_rows(
    run: ActiveRun<'_>,
    (list, uid): (i64, &str),
    rows: u64,
    numbers: impl Future<Output = Result<BTreeSet<String>, SyncError>>,
) -> Result<RowsRead, SyncError> {
    let first = ContactsParams::Page(PageParams { number: 1, size: 1 });
    let total = run.client.query_contacts(uid, &first).await?.total;
    run_blocking(run.core, move |core| {
        core.write_quietly(|tx| Ok(scopes::forget_scope(tx, SyncedTable::Contacts, list)?))
    })
    .await?;
    if needs_sweep(rows, total) {
        let claimed = sweep_list(run, list, uid).await?;
        return Ok(claimed.map_or(RowsRead::Stopped, RowsRead::Swept));
    }
    read_numbers(run, (list, uid), numbers.await?).await?;
    Ok(RowsRead::ByNumber)
}

/// Adds the service's contacts with these numbers to the observed rows of a list.
pub(super) async fn read_numbers(
    run: ActiveRun<'_>,
    (list, uid): (i64, &str),
    numbers: BTreeSet<String>,
) -> Result<(), SyncError> {
    for number in numbers {
        let found = run.client.query_contacts(uid, &ContactsParams::Number(&number)).await?.items;
        let rows = pull::observed_contacts(&found);
        run_blocking(run.core, move |core| {
            core.write_quietly(|tx| Ok(scopes::add_records(tx, SyncedTable::Contacts, list, &rows)?))
        })
        .await?;
    }
    Ok(())
}

/// Returns the number by which a contact is looked up.
pub(super) fn lookup_number(row: &ContactRow) -> Option<String> {
    row.keys().next().map(|key| key.number)
}

/// Returns whether reading the whole list takes no more calls than reading this many contacts one by one.
pub(super) fn needs_sweep(rows: u64, total: u64) -> bool {
    rows >= total.div_ceil(u64::from(pull::PAGE))
}

/// Reads a whole list into a scope, or returns `None` if the run is paused meanwhile.
pub(super) async fn sweep_list(run: ActiveRun<'_>, scope: i64, uid: &str) -> Result<Option<(u64, u64)>, SyncError> {
    let observe = |(page, pages), _| {
        run.progress.set_pages(page, pages);
        run.control.command() != RunCommand::Pause
    };
    let (core, client) = (run.core, run.client);
    pull::ListSweep { core, client, list: scope, uid, at_once: true, observer: &observe }.read(None).await
}

/// Leaves out the contacts of a step that changed since its plan was made. Their state at the service is merged
/// locally, and they are planned again or asked about. Returns the reason if no contact is left.
pub(super) async fn leave_out_changed(
    run: ActiveRun<'_>,
    step: &PlanStep,
    kind: StepKind,
) -> Result<Result<StepKind, &'static str>, SyncError> {
    let StepKind::Contacts { list, merge, region, items } = kind else { return Ok(Ok(kind)) };
    let mut changed = match find_changed_updates(run, (list, merge), &items).await {
        // The user is asked about them when the next pull finds that the list no longer exists.
        Err(failed) if failed.is_list_missing() => return Ok(Err(LIST_GONE)),
        changed => changed?,
    };
    changed.extend(find_changed_replacements(run, &items).await?);
    if changed.is_empty() {
        return Ok(Ok(StepKind::Contacts { list, merge, region, items }));
    }
    settle::quarantine_contacts(run, step, changed.iter().map(|id| (*id, Vec::new())).collect()).await?;
    let items: Vec<ContactItem> = items.into_iter().filter(|item| !changed.contains(&item.id)).collect();
    if items.is_empty() {
        return Ok(Err(CHANGED_THERE));
    }
    Ok(Ok(StepKind::Contacts { list, merge, region, items }))
}

/// Returns the contacts to be updated that have changed at the service.
async fn find_changed_updates(
    run: ActiveRun<'_>,
    (list, merge): (i64, MergeType),
    items: &[ContactItem],
) -> Result<HashSet<i64>, SyncError> {
    let updated: Vec<ContactItem> = items.iter().filter(|item| item.before.is_some()).cloned().collect();
    if updated.is_empty() {
        return Ok(HashSet::new());
    }
    let numbers = updated.iter().filter_map(|item| lookup_number(item.before.as_ref()?)).collect();
    let uid = run_blocking(run.core, move |core| {
        core.read(|tx| Ok(changes::read_record::<i64>(tx, SyncedTable::Lists, list)?.uid))
    })
    .await?;
    let uid = uid.unwrap_or_default();
    let read = read_rows(run, (list, &uid), updated.len() as u64, async { Ok(numbers) }).await?;
    run_blocking(run.core, move |core| merge_changed(core, (list, merge), read, &updated)).await
}

/// A contact that is recreated, with the record that it replaces.
struct ReplacedContact {
    id: i64,
    list: i64,
    list_uid: String,
    uid: String,
    before: ContactRow,
}

/// Returns the contacts to be recreated, in the same or another list, whose old records have changed.
async fn find_changed_replacements(run: ActiveRun<'_>, items: &[ContactItem]) -> Result<HashSet<i64>, SyncError> {
    let made: Vec<i64> = items.iter().filter(|item| item.before.is_none()).map(|item| item.id).collect();
    let old = run_blocking(run.core, move |core| {
        core.read(|tx| made.iter().filter_map(|id| find_old_record(tx, *id).transpose()).collect())
    });
    let old: Vec<ReplacedContact> = old.await?;
    let mut changed = HashSet::new();
    for one in old {
        let Some(key) = one.before.keys().next() else { continue };
        let page = match run
            .client
            .query_contacts(&one.list_uid, &ContactsParams::Number(&key.number))
            .await
            .map_err(SyncError::from)
        {
            Err(failed) if failed.is_list_missing() => continue,
            page => page?,
        };
        let found = page.items.iter().find(|contact| contact.uid == one.uid);
        let is_certain = found.is_some() || page.total == page.items.len() as u64;
        if !is_certain || found.is_some_and(|contact| contact.row.to_folded() == one.before.to_folded()) {
            continue;
        }
        changed.insert(one.id);
        let seen =
            found.map(|contact| pull::observed_contacts(std::slice::from_ref(contact))).and_then(|mut seen| seen.pop());
        run_blocking(run.core, move |core| {
            let rules = merge::MergeContext::read(core)?;
            core.write(&Actor::sync(), |tx| {
                let mut merged = MergeCounts::default();
                merge::merge_contact(tx, &rules, (one.list, one.id), seen.as_ref(), &mut merged)?;
                merged.log_changes(tx, Some(one.list))?;
                Ok(())
            })
        })
        .await?;
    }
    Ok(changed)
}

fn find_old_record(tx: &ReadTx, id: i64) -> Result<Option<ReplacedContact>, Error> {
    let known = changes::read_record::<i64>(tx, SyncedTable::Contacts, id)?;
    let (Some(base), Some(uid), Some(list)) = (known.base, known.uid, known.was_in.or(known.list)) else {
        return Ok(None);
    };
    let Some(list_uid) = changes::read_record::<i64>(tx, SyncedTable::Lists, list)?.uid else { return Ok(None) };
    Ok(Some(ReplacedContact { id, list, list_uid, uid, before: cells::parse_row(&base) }))
}

/// Returns the changed contacts and merges what was seen of them.
fn merge_changed(
    core: &Core,
    (list, merge): (i64, MergeType),
    read: RowsRead,
    items: &[ContactItem],
) -> Result<HashSet<i64>, Error> {
    let rules = merge::MergeContext::read(core)?;
    core.write(&Actor::sync(), |tx| {
        let tells_what_is_gone = match read {
            RowsRead::ByNumber => true,
            RowsRead::Swept(claimed) => {
                let distinct = scopes::count_records(tx, SyncedTable::Contacts, list)?;
                judge_reading(claimed, distinct, 0) == ReadingQuality::Whole
            }
            RowsRead::Stopped => false,
        };
        // A shared number would make the merge write into another contact too.
        let key = key_kind_of_merge(merge).map(KeyKind::field);
        let shared = key.map_or(Ok(HashSet::new()), |key| scopes::shared_numbers(tx, list, &key.name()))?;
        let has_twin =
            |item: &ContactItem| key.and_then(|key| item.send.get(key)).is_some_and(|key| shared.contains(key));
        let (mut changed, mut merged) = (HashSet::new(), MergeCounts::default());
        for item in items {
            let uid = changes::read_record::<i64>(tx, SyncedTable::Contacts, item.id)?.uid;
            let seen = uid.map_or(Ok(None), |uid| scopes::find_contact(tx, list, &uid))?;
            match &seen {
                Some(seen) if is_as_planned(item, &cells::parse_row(&seen.cells)) && !has_twin(item) => continue,
                Some(_) => merge::merge_contact(tx, &rules, (list, item.id), seen.as_ref(), &mut merged)?,
                None if tells_what_is_gone => merge::merge_contact(tx, &rules, (list, item.id), None, &mut merged)?,
                None => {}
            }
            changed.insert(item.id);
        }
        scopes::delete_records(tx, SyncedTable::Contacts, list)?;
        merged.log_changes(tx, Some(list))?;
        Ok(changed)
    })
}

/// Returns whether the contact is unchanged, or already as planned because the request may have been sent before.
fn is_as_planned(item: &ContactItem, remote: &ContactRow) -> bool {
    let remote = remote.to_folded();
    item.before.as_ref().is_some_and(|before| before.to_folded() == remote) || item.expect.to_folded() == remote
}
