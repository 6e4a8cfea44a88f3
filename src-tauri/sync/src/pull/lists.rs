//! Pulls lists: reads all of them and removes those that no longer exist.

use roost_model::{id::ListId, time::Timestamp};
use roost_ops::{Actor, Core, Error, Noun, list};
use roost_store::{
    tables::{
        lists as own_lists,
        sync::{
            SyncedTable, answers, changes, ids,
            local::{self, ServiceTimes},
            scopes::{self, ServiceRecord},
        },
    },
    tx::{ActDescription, ReadTx, WriteTx},
};

use super::{GoneList, PAGE, PageCursor, PullReader, PullResult, is_large_loss, to_unix};
use crate::{
    SyncError, cells,
    gather::{self, MAYBE_CREATED, stored_scope},
    merge::{log_removals, log_updates},
    remote::{ListsParams, PageParams, RemoteList},
    run_blocking,
};

/// Reads all lists. Returns those that exist locally too.
pub(super) async fn read(reader: PullReader<'_>, pulled: &mut PullResult) -> Result<Vec<(i64, RemoteList)>, SyncError> {
    read_once(reader, pulled, true).await
}

/// Reads all lists, once more if the first result looks wrong, and merges them.
async fn read_once(
    reader: PullReader<'_>,
    pulled: &mut PullResult,
    is_first: bool,
) -> Result<Vec<(i64, RemoteList)>, SyncError> {
    reader.begin_reading(SyncedTable::Lists).await?;
    let mut found: Vec<RemoteList> = Vec::new();
    let mut pages = PageCursor::default();
    while let Some(number) = pages.next_page(reader)? {
        let page =
            reader.client.query_lists(&ListsParams { name: None, page: PageParams { number, size: PAGE } }).await?;
        pages.add_page(reader, &page);
        let seen = |list: &RemoteList| ServiceRecord {
            uid: list.uid.clone(),
            cells: cells::build_cells(&[("name", &list.name)]),
            times: ServiceTimes { made: to_unix(list.created_at), changed: to_unix(list.updated_at) },
        };
        reader.store_rows(SyncedTable::Lists, page.items.iter().map(seen).collect()).await?;
        found.extend(page.items);
    }
    if !pages.is_complete() {
        if is_first {
            return Box::pin(read_once(reader, pulled, false)).await;
        }
        pulled.drifting.push(SyncedTable::Lists);
    }
    let mut whole = reader.is_whole(SyncedTable::Lists, pages.claimed_totals(), pulled).await?;
    let believe = reader.asked.believe;
    let guarded = run_blocking(reader.core, move |core| {
        core.read(|tx| {
            let is_other =
                scopes::count_common(tx, SyncedTable::Lists)? == 0 && scopes::count_agreed(tx, SyncedTable::Lists)? > 0;
            Ok((is_other, weigh_missing(tx)?))
        })
    });
    let (is_other, MissingLists { lists, lost, contacts }) = guarded.await?;
    if is_other && !believe {
        return Err(SyncError::OtherAccount("none of the account’s lists exist there any more"));
    }
    if whole && !believe && !lists.is_empty() {
        // A single response may lack a list. A deleted list is missing from the next response too.
        if is_first {
            return Box::pin(read_once(reader, pulled, false)).await;
        }
        if is_large_loss(lost, contacts) {
            pulled.doubtful.push(SyncedTable::Lists);
            pulled.gone.push((SyncedTable::Lists, lists.len() as u64));
            whole = false;
        }
    }
    if pulled.doubtful.contains(&SyncedTable::Lists) {
        pulled.gone.push((SyncedTable::Contacts, lost));
        pulled.missing_lists = lists;
    }
    let read = run_blocking(reader.core, move |core| {
        let now = core.ctx().now();
        core.write(&Actor::sync(), |tx| {
            let mut known = Vec::new();
            let (mut names, mut added) = (Vec::new(), 0);
            let (being_made, _) = gather::names_being_created(tx)?;
            identify_maybe_created(tx, &found)?;
            for list in found {
                let is_known = ids::find_by_service_uid(tx, SyncedTable::Lists, &list.uid)?.is_some();
                if being_made.contains(&list.name) && !is_known {
                    continue;
                }
                let (id, is_changed) = merge_list(tx, core, &list, now)?;
                if is_changed {
                    added += u64::from(!is_known);
                    names.push(list.name.clone());
                }
                known.extend(changes::read_record::<i64>(tx, SyncedTable::Lists, id)?.local.map(|_| (id, list)));
            }
            log_updates(tx, Noun::List, &names, added);
            Ok::<_, Error>((known, names.len() as u64))
        })
    });
    let (known, count) = read.await?;
    let removal = run_blocking(reader.core, move |core| {
        let now = core.ctx().now();
        // What a person has confirmed is an act of that person, who can undo it.
        let by = if believe { Actor::user(None) } else { Actor::sync() };
        core.write(&by, |tx| {
            let missing = if whole { scopes::missing_records::<i64>(tx, SyncedTable::Lists)? } else { Vec::new() };
            let mut removed = Vec::new();
            for id in missing {
                let list = local::read_list(tx, id)?;
                if merge_missing_list(tx, id, now)? {
                    removed.extend(list.map(|(name, contacts)| GoneList { name, contacts }));
                }
            }
            scopes::delete_records(tx, SyncedTable::Lists, 0)?;
            log_removals(tx, Noun::List, removed.len() as u64);
            describe_removal(tx, &removed);
            Ok::<_, Error>(removed)
        })
    });
    pulled.removed_lists = removal.await?;
    pulled.other_changes.lists += count + pulled.removed_lists.len() as u64;
    Ok(known)
}

/// Names the removed lists in the step, and counts their contacts.
fn describe_removal(tx: &WriteTx, removed: &[GoneList]) {
    let contacts: u64 = removed.iter().map(|list| list.contacts).sum();
    let act = match removed {
        [] => return,
        _ if contacts == 0 => ActDescription::new("sync_remove").with_count(removed.len() as u64),
        [_] => ActDescription::new("sync_remove_list").with_count(contacts),
        _ => ActDescription::new("sync_remove_lists").with_count(contacts),
    };
    let names = list::join_names(removed.iter().map(|list| list.name.as_str()));
    tx.describe_act(act.with_subject(names).into_trash(Noun::List));
}

/// Identifies the lists that an abandoned run may have created. Each is the only unknown list of its name.
fn identify_maybe_created(tx: &WriteTx, found: &[RemoteList]) -> Result<(), Error> {
    for stored in
        answers::read_all::<i64>(tx, SyncedTable::Lists)?.into_iter().filter(|stored| stored.about == MAYBE_CREATED)
    {
        answers::set_answer(tx, SyncedTable::Lists, &stored.id, MAYBE_CREATED, None)?;
        let (name, mut strangers) = (serde_json::from_str::<String>(&stored.answer).unwrap_or_default(), Vec::new());
        for list in found.iter().filter(|list| list.name == name) {
            if ids::find_by_service_uid(tx, SyncedTable::Lists, &list.uid)?.is_none() {
                strangers.push(list);
            }
        }
        if let ([list], Some(_)) =
            (strangers.as_slice(), changes::read_record::<i64>(tx, SyncedTable::Lists, stored.id)?.local)
        {
            identify_list(tx, stored.id, &list.uid, &list.name)?;
        }
    }
    Ok(())
}

/// Gives a list this identifier. If the list is recreated, its old version is still to be deleted.
pub fn identify_list(tx: &WriteTx, list: i64, uid: &str, name: &str) -> Result<(), Error> {
    if let Some(old) = changes::supersede_record(tx, SyncedTable::Lists, list)? {
        local::mark_contacts_new(tx, list)?;
        scopes::move_records(tx, stored_scope(list), stored_scope(old))?;
    }
    ids::set_mapping(tx, SyncedTable::Lists, list, uid)?;
    changes::set_agreed(tx, SyncedTable::Lists, &list, None, Some(uid), Some(&cells::build_cells(&[("name", name)])))?;
    answers::set_answer(tx, SyncedTable::Lists, &list, "choice", None)?;
    answers::set_answer(tx, SyncedTable::Lists, &list, MAYBE_CREATED, None)?;
    Ok(scopes::forget_scope(tx, SyncedTable::Contacts, list)?)
}

/// What would be removed with the lists that were not seen.
struct MissingLists {
    lists: Vec<GoneList>,
    /// The number of contacts in them.
    lost: u64,
    /// The number of contacts in all lists.
    contacts: u64,
}

/// Weighs the missing lists, except those whose absence the user has accepted before.
fn weigh_missing(tx: &ReadTx) -> Result<MissingLists, Error> {
    let (mut lists, mut lost) = (Vec::new(), 0);
    for id in scopes::missing_records::<i64>(tx, SyncedTable::Lists)? {
        if changes::read_record::<i64>(tx, SyncedTable::Lists, id)?.at_service != changes::ServiceState::Deleted {
            let list = local::read_list(tx, id)?;
            lists.extend(list.map(|(name, contacts)| GoneList { name, contacts }));
            lost += scopes::count_expected(tx, id)?;
        }
    }
    Ok(MissingLists { lists, lost, contacts: scopes::count_agreed(tx, SyncedTable::Contacts)? })
}

/// Returns the service's identifier if the list can take it, otherwise a new one. A recreated list keeps locally the
/// identifier that its old version has at the service.
pub fn choose_list_uid(tx: &WriteTx, core: &Core, uid: Option<&str>) -> Result<ListId, Error> {
    match uid.map(ListId::parse) {
        Some(Ok(uid)) if own_lists::row_of(tx, &uid)?.is_none() => Ok(uid),
        _ => Ok(ListId::new(core.ctx().ksuid(core.ctx().now()))),
    }
}

/// Merges a list. Returns its local id, and whether it was created or renamed locally.
fn merge_list(tx: &WriteTx, core: &Core, list: &RemoteList, now: Timestamp) -> Result<(i64, bool), Error> {
    let remote_cells = cells::build_cells(&[("name", &list.name)]);
    let Some(id) = ids::find_by_service_uid(tx, SyncedTable::Lists, &list.uid)? else {
        let own = choose_list_uid(tx, core, Some(&list.uid))?;
        let record = roost_model::list::List {
            uid: own.clone(),
            name: list.name.clone(),
            contact_count: 0,
            created_at: list.created_at.unwrap_or(now),
            updated_at: list.updated_at.unwrap_or(now),
        };
        let id = own_lists::insert(tx, &record)?.number();
        if own.as_str() != list.uid {
            ids::set_mapping(tx, SyncedTable::Lists, id, &list.uid)?;
        }
        return Ok((id, true));
    };
    answers::set_answer(tx, SyncedTable::Lists, &id, answers::DELETION_SENT, None)?;
    let touched = changes::read_record::<i64>(tx, SyncedTable::Lists, id)?;
    if touched.at_service == changes::ServiceState::Deleted {
        // The list exists again, so an answer about its absence no longer applies.
        answers::set_answer(tx, SyncedTable::Lists, &id, "choice", None)?;
    }
    let Some(local) = &touched.local else {
        let known = scopes::get(tx, SyncedTable::Contacts, id)?;
        let is_changed = matches!(touched.at_service, changes::ServiceState::Changed(_))
            || known.marker.is_some() && known.marker != list.updated_at.map(Timestamp::to_iso);
        let seen = cells::changed_list_cells(&list.name, list.updated_at);
        let state = if is_changed { changes::ServiceState::Changed(seen) } else { changes::ServiceState::AsAgreed };
        changes::set_service_state(tx, SyncedTable::Lists, &id, &state)?;
        return Ok((id, false));
    };
    if touched.base.as_ref() == Some(&remote_cells) && touched.at_service == changes::ServiceState::AsAgreed {
        return Ok((id, false));
    }
    let follows = touched.base.as_ref() == Some(local) && *local != remote_cells;
    if follows {
        local::set_list_name(tx, id, &list.name)?;
    }
    changes::set_agreed(tx, SyncedTable::Lists, &id, None, Some(&list.uid), Some(&remote_cells))?;
    Ok((id, follows))
}

/// Removes a list locally that no longer exists at the service, unless something was changed inside it.
fn merge_missing_list(tx: &WriteTx, id: i64, now: Timestamp) -> Result<bool, Error> {
    if changes::is_restored(tx, SyncedTable::Lists, id)? {
        changes::mark_list_new(tx, id)?;
        return Ok(false);
    }
    let is_deleted = changes::read_record::<i64>(tx, SyncedTable::Lists, id)?.local.is_none();
    let discarded = answers::read_of_record(tx, SyncedTable::Lists, id)?
        .iter()
        .any(|stored| stored.about == "choice" && stored.answer == "\"discard\"");
    if is_deleted || discarded || !local::has_list_changes(tx, id)? {
        local::drop_list(tx, id, now)?;
        return Ok(!is_deleted);
    }
    changes::set_service_state(tx, SyncedTable::Lists, &id, &changes::ServiceState::Deleted)?;
    Ok(false)
}
