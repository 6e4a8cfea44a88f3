//! Lists: all of them, and those that are not there any more.

use roost_model::{id::ListId, time::Timestamp};
use roost_ops::{By, Error, Noun};
use roost_store::{
    tables::{
        lists as own_lists,
        sync::{
            Place, answers, changes, ids,
            local::{self, Times},
            scopes::{self, Seen},
        },
    },
    tx::WriteTx,
};

use super::{PAGE, Pages, Pulled, Reader, told, unix};
use crate::{
    Failed, cells, on,
    remote::{List, ListsAsked, PageAsked},
};

/// Reads all lists; answers those that are here, too.
pub async fn read(reader: Reader<'_>, pulled: &mut Pulled) -> Result<Vec<(i64, List)>, Failed> {
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
    let whole = reader.is_whole(Place::Lists, pages.claimed(), pulled).await?;
    let read = on(reader.core, move |core| {
        let now = core.ctx().now();
        core.write(&By::sync(), |tx| {
            let mut known = Vec::new();
            let mut count = 0;
            for list in found {
                let (id, is_new) = comes(tx, core, &list, now)?;
                count += u64::from(is_new);
                known.extend(changes::one::<i64>(tx, Place::Lists, id)?.local.map(|_| (id, list)));
            }
            let gone = if whole { scopes::vanished::<i64>(tx, Place::Lists)? } else { Vec::new() };
            for id in gone {
                count += u64::from(goes(tx, id, now)?);
            }
            scopes::empty(tx, Place::Lists, 0)?;
            told(tx, Noun::List, count);
            Ok::<_, Error>((known, count))
        })
    });
    let (known, count) = read.await?;
    pulled.beside.lists += count;
    Ok(known)
}

fn comes(tx: &WriteTx, core: &roost_ops::Core, list: &List, now: Timestamp) -> Result<(i64, bool), Error> {
    let there = cells::made(&[("name", &list.name)]);
    let Some(id) = ids::find(tx, Place::Lists, &list.uid)? else {
        let own = ListId::parse(&list.uid);
        let record = roost_model::list::List {
            uid: own.clone().unwrap_or_else(|_| ListId::new(core.ctx().ksuid(now))),
            name: list.name.clone(),
            contact_count: 0,
            created_at: list.created_at.unwrap_or(now),
            updated_at: list.updated_at.unwrap_or(now),
        };
        let id = own_lists::insert(tx, &record)?.number();
        if own.is_err() {
            ids::set(tx, Place::Lists, id, &list.uid)?;
        }
        return Ok((id, true));
    };
    let touched = changes::one::<i64>(tx, Place::Lists, id)?;
    let Some(local) = &touched.local else {
        let known = scopes::get(tx, Place::Contacts, id)?;
        let is_changed = known.marker.is_some() && known.marker != list.updated_at.map(Timestamp::iso);
        let there = if is_changed { changes::There::Is(there) } else { changes::There::AsAgreed };
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

/// A list that is not there any more goes here, too, unless something was changed inside it.
fn goes(tx: &WriteTx, id: i64, now: Timestamp) -> Result<bool, Error> {
    let is_deleted = changes::one::<i64>(tx, Place::Lists, id)?.local.is_none();
    let discarded = answers::of(tx, Place::Lists, id)?.iter().any(|told| told.answer == "\"discard\"");
    if is_deleted || discarded || !local::is_list_touched(tx, id)? {
        local::drop_list(tx, id, now)?;
        return Ok(true);
    }
    changes::set_there(tx, Place::Lists, &id, &changes::There::Gone)?;
    Ok(false)
}
