//! Reads contacts of a list as the service has them now, before they are changed and to verify a change.

use std::collections::{BTreeSet, HashSet};

use roost_model::contact::MergeType;
use roost_ops::{By, Core, Error};
use roost_reconcile::{
    plan::{Item, Step, StepKind, key_of},
    row::{KeyKind, Row},
};
use roost_store::{
    tables::sync::{Place, changes, scopes},
    tx::ReadTx,
};

use super::{Run, Wish, settle};
use crate::{
    Failed, cells,
    merge::{self, Merged},
    on,
    pull::{self, Sight, judge},
    remote::{ContactsAsked, PageAsked},
};

/// The reason for not sending a step whose contacts have changed.
const CHANGED_THERE: &str =
    "its contacts changed at the service after the plan was made; review the changes, then plan again";
/// The reason for not sending a step whose list no longer exists.
const LIST_GONE: &str = "the list is no longer at the service; pull, then decide about the changes in it";

/// The way in which contacts were read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowsRead {
    /// One by one by their numbers. A contact that was not found no longer exists.
    ByNumber,
    /// The whole list, with the totals claimed by the first and the last page.
    Swept((u64, u64)),
    /// The run was paused meanwhile.
    Stopped,
}

/// Reads this many contacts, one by one by their numbers or with the whole list, whichever takes fewer calls. They are
/// stored as the observed rows of the list.
pub async fn read_rows(
    run: Run<'_>,
    (list, uid): (i64, &str),
    rows: u64,
    numbers: impl Future<Output = Result<BTreeSet<String>, Failed>>,
) -> Result<RowsRead, Failed> {
    let first = ContactsAsked::Page(PageAsked { number: 1, size: 1 });
    let total = run.client.contacts(uid, &first).await?.total;
    on(run.core, move |core| core.write_quietly(|tx| Ok(scopes::forget(tx, Place::Contacts, list)?))).await?;
    if takes_sweep(rows, total) {
        let claimed = sweep_list(run, list, uid).await?;
        return Ok(claimed.map_or(RowsRead::Stopped, RowsRead::Swept));
    }
    read_numbers(run, (list, uid), numbers.await?).await?;
    Ok(RowsRead::ByNumber)
}

/// Adds the service's contacts with these numbers to the observed rows of a list.
pub async fn read_numbers(run: Run<'_>, (list, uid): (i64, &str), numbers: BTreeSet<String>) -> Result<(), Failed> {
    for number in numbers {
        let found = run.client.contacts(uid, &ContactsAsked::Number(&number)).await?.items;
        let rows = pull::seen(&found);
        on(run.core, move |core| core.write_quietly(|tx| Ok(scopes::add(tx, Place::Contacts, list, &rows)?))).await?;
    }
    Ok(())
}

/// Returns the number by which a contact is looked up.
pub fn number_of(row: &Row) -> Option<String> {
    row.keys().next().map(|key| key.number)
}

/// Returns whether reading the whole list takes no more calls than reading this many contacts one by one.
pub fn takes_sweep(rows: u64, total: u64) -> bool {
    rows >= total.div_ceil(u64::from(pull::PAGE))
}

/// Reads a whole list into a scope, or returns `None` if the run is paused meanwhile.
pub async fn sweep_list(run: Run<'_>, scope: i64, uid: &str) -> Result<Option<(u64, u64)>, Failed> {
    let told = |(page, pages), _| {
        run.progress.pages(page, pages);
        run.control.wish() != Wish::Pause
    };
    let (core, client) = (run.core, run.client);
    pull::Sweep { core, client, list: scope, uid, at_once: true, told: &told }.read(None).await
}

/// Leaves out the contacts of a step that changed since its plan was made. Their state at the service is merged
/// locally, and they are planned again or asked about. Returns the reason if no contact is left.
pub async fn leave_out_changed(
    run: Run<'_>,
    step: &Step,
    kind: StepKind,
) -> Result<Result<StepKind, &'static str>, Failed> {
    let StepKind::Contacts { list, merge, region, items } = kind else { return Ok(Ok(kind)) };
    let mut changed = match find_changed_updates(run, (list, merge), &items).await {
        // The user is asked about them when the next pull finds that the list no longer exists.
        Err(failed) if failed.is_list_gone() => return Ok(Err(LIST_GONE)),
        changed => changed?,
    };
    changed.extend(find_changed_replacements(run, &items).await?);
    if changed.is_empty() {
        return Ok(Ok(StepKind::Contacts { list, merge, region, items }));
    }
    settle::refused(run, step, changed.iter().map(|id| (*id, Vec::new())).collect()).await?;
    let items: Vec<Item> = items.into_iter().filter(|item| !changed.contains(&item.id)).collect();
    if items.is_empty() {
        return Ok(Err(CHANGED_THERE));
    }
    Ok(Ok(StepKind::Contacts { list, merge, region, items }))
}

/// Returns the contacts to be updated that have changed at the service.
async fn find_changed_updates(
    run: Run<'_>,
    (list, merge): (i64, MergeType),
    items: &[Item],
) -> Result<HashSet<i64>, Failed> {
    let updated: Vec<Item> = items.iter().filter(|item| item.before.is_some()).cloned().collect();
    if updated.is_empty() {
        return Ok(HashSet::new());
    }
    let numbers = updated.iter().filter_map(|item| number_of(item.before.as_ref()?)).collect();
    let uid = on(run.core, move |core| core.read(|tx| Ok(changes::one::<i64>(tx, Place::Lists, list)?.uid))).await?;
    let uid = uid.unwrap_or_default();
    let read = read_rows(run, (list, &uid), updated.len() as u64, async { Ok(numbers) }).await?;
    on(run.core, move |core| take_changed(core, (list, merge), read, &updated)).await
}

/// A contact that is recreated, with the record that it replaces.
struct ReplacedContact {
    id: i64,
    list: i64,
    list_uid: String,
    uid: String,
    before: Row,
}

/// Returns the contacts to be recreated, in the same or another list, whose old records have changed.
async fn find_changed_replacements(run: Run<'_>, items: &[Item]) -> Result<HashSet<i64>, Failed> {
    let made: Vec<i64> = items.iter().filter(|item| item.before.is_none()).map(|item| item.id).collect();
    let old = on(run.core, move |core| {
        core.read(|tx| made.iter().filter_map(|id| old_record(tx, *id).transpose()).collect())
    });
    let old: Vec<ReplacedContact> = old.await?;
    let mut changed = HashSet::new();
    for one in old {
        let Some(key) = one.before.keys().next() else { continue };
        let page =
            match run.client.contacts(&one.list_uid, &ContactsAsked::Number(&key.number)).await.map_err(Failed::from) {
                Err(failed) if failed.is_list_gone() => continue,
                page => page?,
            };
        let found = page.items.iter().find(|contact| contact.uid == one.uid);
        let is_certain = found.is_some() || page.total == page.items.len() as u64;
        if !is_certain || found.is_some_and(|contact| contact.row.folded() == one.before.folded()) {
            continue;
        }
        changed.insert(one.id);
        let seen = found.map(|contact| pull::seen(std::slice::from_ref(contact))).and_then(|mut seen| seen.pop());
        on(run.core, move |core| {
            let rules = merge::Rules::of(core)?;
            core.write(&By::sync(), |tx| {
                let mut merged = Merged::default();
                merge::take(tx, &rules, (one.list, one.id), seen.as_ref(), &mut merged)?;
                merged.tell(tx);
                Ok(())
            })
        })
        .await?;
    }
    Ok(changed)
}

fn old_record(tx: &ReadTx, id: i64) -> Result<Option<ReplacedContact>, Error> {
    let known = changes::one::<i64>(tx, Place::Contacts, id)?;
    let (Some(base), Some(uid), Some(list)) = (known.base, known.uid, known.was_in.or(known.list)) else {
        return Ok(None);
    };
    let Some(list_uid) = changes::one::<i64>(tx, Place::Lists, list)?.uid else { return Ok(None) };
    Ok(Some(ReplacedContact { id, list, list_uid, uid, before: cells::row(&base) }))
}

/// Returns the changed contacts and merges what was seen of them.
fn take_changed(
    core: &Core,
    (list, merge): (i64, MergeType),
    read: RowsRead,
    items: &[Item],
) -> Result<HashSet<i64>, Error> {
    let rules = merge::Rules::of(core)?;
    core.write(&By::sync(), |tx| {
        let tells_what_is_gone = match read {
            RowsRead::ByNumber => true,
            RowsRead::Swept(claimed) => {
                let distinct = scopes::distinct(tx, Place::Contacts, list)?;
                judge(claimed, distinct, 0) == Sight::Whole
            }
            RowsRead::Stopped => false,
        };
        // A shared number would make the merge write into another contact too.
        let key = key_of(merge).map(KeyKind::field);
        let shared = key.map_or(Ok(HashSet::new()), |key| scopes::shared_numbers(tx, list, &key.name()))?;
        let has_twin = |item: &Item| key.and_then(|key| item.send.get(key)).is_some_and(|key| shared.contains(key));
        let (mut changed, mut merged) = (HashSet::new(), Merged::default());
        for item in items {
            let uid = changes::one::<i64>(tx, Place::Contacts, item.id)?.uid;
            let seen = uid.map_or(Ok(None), |uid| scopes::row(tx, list, &uid))?;
            match &seen {
                Some(seen) if is_as_planned(item, &cells::row(&seen.cells)) && !has_twin(item) => continue,
                Some(_) => merge::take(tx, &rules, (list, item.id), seen.as_ref(), &mut merged)?,
                None if tells_what_is_gone => merge::take(tx, &rules, (list, item.id), None, &mut merged)?,
                None => {}
            }
            changed.insert(item.id);
        }
        scopes::empty(tx, Place::Contacts, list)?;
        merged.tell(tx);
        Ok(changed)
    })
}

/// Returns whether the contact is unchanged, or already as planned because the request may have been sent before.
fn is_as_planned(item: &Item, there: &Row) -> bool {
    let there = there.folded();
    item.before.as_ref().is_some_and(|before| before.folded() == there) || item.expect.folded() == there
}
