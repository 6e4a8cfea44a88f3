//! Pulls lists: reads all of them and removes those that no longer exist.

use roost_model::{id::ListId, time::Timestamp};
use roost_ops::{By, Core, Error, Noun};
use roost_store::{
    tables::{
        lists as own_lists,
        sync::{
            Place, answers, changes, ids,
            local::{self, Times},
            scopes::{self, Seen},
        },
    },
    tx::{ReadTx, WriteTx},
};

use super::{PAGE, Pages, Pulled, Reader, is_much, told, told_removed, unix};
use crate::{
    Failed, apply, cells, gather, on,
    remote::{List, ListsAsked, PageAsked},
};

/// Reads all lists. Returns those that exist locally too.
pub async fn read(reader: Reader<'_>, pulled: &mut Pulled) -> Result<Vec<(i64, List)>, Failed> {
    read_once(reader, pulled, true).await
}

/// Reads all lists, once more if the first result looks wrong, and merges them.
async fn read_once(reader: Reader<'_>, pulled: &mut Pulled, is_first: bool) -> Result<Vec<(i64, List)>, Failed> {
    reader.begin(Place::Lists).await?;
    let mut found: Vec<List> = Vec::new();
    let mut pages = Pages::default();
    while let Some(number) = pages.next(reader)? {
        let page = reader.client.lists(&ListsAsked { name: None, page: PageAsked { number, size: PAGE } }).await?;
        pages.came(reader, &page);
        let seen = |list: &List| Seen {
            uid: list.uid.clone(),
            cells: cells::made(&[("name", &list.name)]),
            times: Times { made: unix(list.created_at), changed: unix(list.updated_at) },
        };
        reader.put(Place::Lists, page.items.iter().map(seen).collect()).await?;
        found.extend(page.items);
    }
    if !pages.are_complete() {
        if is_first {
            return Box::pin(read_once(reader, pulled, false)).await;
        }
        pulled.drifting.push(Place::Lists);
    }
    let mut whole = reader.is_whole(Place::Lists, pages.claimed(), pulled).await?;
    let believe = reader.asked.believe;
    let guarded = on(reader.core, move |core| {
        core.read(|tx| {
            let is_other = scopes::common(tx, Place::Lists)? == 0 && scopes::agreed(tx, Place::Lists)? > 0;
            Ok((is_other, weigh_vanished(tx)?))
        })
    });
    let (is_other, Vanished { lists, lost, contacts }) = guarded.await?;
    if is_other && !believe {
        return Err(Failed::OtherAccount("it has none of the lists that were there."));
    }
    if whole && !believe && lost > 0 {
        // A single response may lack a list. A deleted list is missing from the next response too.
        if is_first {
            return Box::pin(read_once(reader, pulled, false)).await;
        }
        if is_much(lost, contacts) {
            pulled.doubtful.push(Place::Lists);
            pulled.gone.push((Place::Lists, lists));
            whole = false;
        }
    }
    if pulled.doubtful.contains(&Place::Lists) {
        pulled.gone.push((Place::Contacts, lost));
    }
    let read = on(reader.core, move |core| {
        let now = core.ctx().now();
        core.write(&By::sync(), |tx| {
            let mut known = Vec::new();
            let mut count = 0;
            let (being_made, _) = gather::names_being_made(tx)?;
            identify_maybe_made(tx, &found)?;
            for list in found {
                if being_made.contains(&list.name) && ids::find(tx, Place::Lists, &list.uid)?.is_none() {
                    continue;
                }
                let (id, is_new) = comes(tx, core, &list, now)?;
                count += u64::from(is_new);
                known.extend(changes::one::<i64>(tx, Place::Lists, id)?.local.map(|_| (id, list)));
            }
            told(tx, Noun::List, count);
            Ok::<_, Error>((known, count))
        })
    });
    let (known, count) = read.await?;
    let gone = on(reader.core, move |core| {
        let now = core.ctx().now();
        core.write(&By::sync(), |tx| {
            let gone = if whole { scopes::vanished::<i64>(tx, Place::Lists)? } else { Vec::new() };
            let mut removed = Vec::new();
            for id in gone {
                let name = changes::one::<i64>(tx, Place::Lists, id)?.local.map(|text| cells::text(&text, "name"));
                if goes(tx, id, now)? {
                    removed.push(name.unwrap_or_default());
                }
            }
            scopes::empty(tx, Place::Lists, 0)?;
            told_removed(tx, Noun::List, removed.len() as u64);
            Ok::<_, Error>(removed)
        })
    });
    pulled.removed_lists = gone.await?;
    pulled.beside.lists += count + pulled.removed_lists.len() as u64;
    Ok(known)
}

/// Identifies the lists that an abandoned run may have created. Each is the only unknown list of its name.
fn identify_maybe_made(tx: &WriteTx, found: &[List]) -> Result<(), Error> {
    for told in answers::all::<i64>(tx, Place::Lists)?.into_iter().filter(|told| told.about == apply::MAYBE_MADE) {
        answers::set(tx, Place::Lists, &told.id, apply::MAYBE_MADE, None)?;
        let (name, mut strangers) = (serde_json::from_str::<String>(&told.answer).unwrap_or_default(), Vec::new());
        for list in found.iter().filter(|list| list.name == name) {
            if ids::find(tx, Place::Lists, &list.uid)?.is_none() {
                strangers.push(list);
            }
        }
        if let ([list], Some(_)) = (strangers.as_slice(), changes::one::<i64>(tx, Place::Lists, told.id)?.local) {
            apply::identify_list(tx, told.id, &list.uid, &list.name)?;
        }
    }
    Ok(())
}

/// The counts of what would be removed with the lists that were not seen.
struct Vanished {
    lists: u64,
    /// The number of contacts in them.
    lost: u64,
    /// The number of contacts in all lists.
    contacts: u64,
}

/// Weighs the missing lists, except those whose absence the user has accepted before.
fn weigh_vanished(tx: &ReadTx) -> Result<Vanished, Error> {
    let (mut lists, mut lost) = (0, 0);
    for id in scopes::vanished::<i64>(tx, Place::Lists)? {
        if changes::one::<i64>(tx, Place::Lists, id)?.there != changes::There::Gone {
            lists += 1;
            lost += scopes::believed(tx, id)?;
        }
    }
    Ok(Vanished { lists, lost, contacts: scopes::agreed(tx, Place::Contacts)? })
}

/// Returns the service's identifier if the list can take it, otherwise a new one. A recreated list keeps locally the
/// identifier that its old version has at the service.
pub fn own_list_uid(tx: &WriteTx, core: &Core, uid: Option<&str>) -> Result<ListId, Error> {
    match uid.map(ListId::parse) {
        Some(Ok(uid)) if own_lists::row_of(tx, &uid)?.is_none() => Ok(uid),
        _ => Ok(ListId::new(core.ctx().ksuid(core.ctx().now()))),
    }
}

/// Merges a list. Returns its local id, and whether it was created or renamed locally.
fn comes(tx: &WriteTx, core: &Core, list: &List, now: Timestamp) -> Result<(i64, bool), Error> {
    let there = cells::made(&[("name", &list.name)]);
    let Some(id) = ids::find(tx, Place::Lists, &list.uid)? else {
        let own = own_list_uid(tx, core, Some(&list.uid))?;
        let record = roost_model::list::List {
            uid: own.clone(),
            name: list.name.clone(),
            contact_count: 0,
            created_at: list.created_at.unwrap_or(now),
            updated_at: list.updated_at.unwrap_or(now),
        };
        let id = own_lists::insert(tx, &record)?.number();
        if own.as_str() != list.uid {
            ids::set(tx, Place::Lists, id, &list.uid)?;
        }
        return Ok((id, true));
    };
    let touched = changes::one::<i64>(tx, Place::Lists, id)?;
    if touched.there == changes::There::Gone {
        // The list exists again, so an answer about its absence no longer applies.
        answers::set(tx, Place::Lists, &id, "choice", None)?;
    }
    let Some(local) = &touched.local else {
        let known = scopes::get(tx, Place::Contacts, id)?;
        let is_changed = matches!(touched.there, changes::There::Is(_))
            || known.marker.is_some() && known.marker != list.updated_at.map(Timestamp::iso);
        let seen = cells::list(&list.name, list.updated_at);
        let there = if is_changed { changes::There::Is(seen) } else { changes::There::AsAgreed };
        changes::set_there(tx, Place::Lists, &id, &there)?;
        return Ok((id, false));
    };
    if touched.base.as_ref() == Some(&there) && touched.there == changes::There::AsAgreed {
        return Ok((id, false));
    }
    let follows = touched.base.as_ref() == Some(local) && *local != there;
    if follows {
        local::name_list(tx, id, &list.name)?;
    }
    changes::agree(tx, Place::Lists, &id, None, Some(&list.uid), Some(&there))?;
    Ok((id, follows))
}

/// Removes a list locally that no longer exists at the service, unless something was changed inside it.
fn goes(tx: &WriteTx, id: i64, now: Timestamp) -> Result<bool, Error> {
    let is_deleted = changes::one::<i64>(tx, Place::Lists, id)?.local.is_none();
    let discarded =
        answers::of(tx, Place::Lists, id)?.iter().any(|told| told.about == "choice" && told.answer == "\"discard\"");
    if is_deleted || discarded || !local::is_list_touched(tx, id)? {
        local::drop_list(tx, id, now)?;
        return Ok(!is_deleted);
    }
    changes::set_there(tx, Place::Lists, &id, &changes::There::Gone)?;
    Ok(false)
}
