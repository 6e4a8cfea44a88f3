//! Pulls short links. They do not change, so the links created since the last pull suffice, with a full reading now and
//! then.

use roost_model::{id::LinkId, short_link::ShortLink, time::Timestamp};
use roost_ops::{By, Core, Error, Noun};
use roost_store::{
    tables::{
        short_links as own_links,
        sync::{
            Place, answers, changes, ids,
            local::{self, Times},
            scopes::{self, Scope, Seen},
        },
    },
    tx::WriteTx,
};

use super::{PAGE, Pages, Pulled, Reader, newest_known, told, told_removed, unix};
use crate::{
    Failed, apply, cells, gather, on,
    remote::{Link, LinksAsked, Order, PageAsked},
};

/// Reads the links created since the last pull, or all of them, and merges them.
pub async fn read(reader: Reader<'_>, pulled: &mut Pulled) -> Result<(), Failed> {
    let Reader { core, client, asked, .. } = reader;
    let known = on(core, |core| core.read(|tx| Ok(scopes::get(tx, Place::ShortLinks, 0)?))).await?;
    let since = newest_known(reader, &known).filter(|_| !asked.full);
    // Other links may have been created in the same second, and the interface does not say whether the bound is
    // inclusive.
    let from = since.map(|at| Timestamp::from_unix(at.unix() - 1).iso());
    reader.begin(Place::ShortLinks).await?;
    let mut found: Vec<Link> = Vec::new();
    let mut pages = Pages::default();
    while let Some(number) = pages.next(reader)? {
        let page = PageAsked { number, size: PAGE };
        let asked = LinksAsked { text: None, since: from.as_deref(), order: Order::Rising, page };
        let page = client.links(&asked).await?;
        pages.came(reader, &page);
        reader.put(Place::ShortLinks, page.items.iter().map(seen_as).collect()).await?;
        found.extend(page.items);
    }
    let is_all = since.is_none();
    if is_all && !pages.are_complete() {
        pulled.drifting.push(Place::ShortLinks);
    }
    let whole = is_all && reader.is_whole(Place::ShortLinks, pages.claimed(), pulled).await?;
    let newest = found.iter().filter_map(|link| link.created_at).max().or(since);
    let now = Some(core.ctx().now().unix());
    let full_at = if whole { now } else { known.full_at };
    let scope = Scope { marker: newest.map(Timestamp::iso), checked_at: now, full_at, ..Scope::default() };
    let read = on(core, move |core| {
        core.write(&By::sync(), |tx| {
            let mut count = 0;
            let (_, being_made) = gather::names_being_made(tx)?;
            let mut maybe_made = take_maybe_made(tx)?;
            for link in &found {
                let is_known = ids::find(tx, Place::ShortLinks, &link.uid)?.is_some();
                let made = maybe_made.iter().position(|(_, cells)| !is_known && *cells == seen_as(link).cells);
                if let Some((id, _)) = made.map(|at| maybe_made.swap_remove(at)) {
                    apply::identify_link(tx, id, link)?;
                }
                if being_made.contains(&link.title) && ids::find(tx, Place::ShortLinks, &link.uid)?.is_none() {
                    continue;
                }
                count += u64::from(comes(tx, core, link)?);
            }
            told(tx, Noun::ShortLink, count);
            Ok::<_, Error>(count)
        })
    });
    let count = read.await?;
    let gone = on(core, move |core| {
        core.write(&By::sync(), |tx| {
            let gone = if whole { scopes::vanished::<i64>(tx, Place::ShortLinks)? } else { Vec::new() };
            let mut count = 0;
            for id in gone {
                let touched = changes::one::<i64>(tx, Place::ShortLinks, id)?;
                if touched.local.is_some() && touched.local != touched.base {
                    changes::set_there(tx, Place::ShortLinks, &id, &changes::There::Gone)?;
                    continue;
                }
                local::remove_link(tx, id)?;
                changes::forget(tx, Place::ShortLinks, id)?;
                count += 1;
            }
            scopes::empty(tx, Place::ShortLinks, 0)?;
            scopes::set(tx, Place::ShortLinks, 0, &scope)?;
            told_removed(tx, Noun::ShortLink, count);
            Ok::<_, Error>(count)
        })
    });
    pulled.beside.links += count + gone.await?;
    Ok(())
}

/// Returns the links that an abandoned run may have created, with the cells that were sent.
fn take_maybe_made(tx: &WriteTx) -> Result<Vec<(i64, String)>, Error> {
    let mut made = Vec::new();
    for told in answers::all::<i64>(tx, Place::ShortLinks)?.into_iter().filter(|told| told.about == apply::MAYBE_MADE) {
        answers::set(tx, Place::ShortLinks, &told.id, apply::MAYBE_MADE, None)?;
        made.extend(changes::one::<i64>(tx, Place::ShortLinks, told.id)?.local.map(|cells| (told.id, cells)));
    }
    Ok(made)
}

pub fn seen_as(link: &Link) -> Seen {
    let tags = serde_json::Value::from(link.tags.clone()).to_string();
    let tracked = if link.track_clicks == Some(true) { "1" } else { "0" };
    Seen {
        uid: link.uid.clone(),
        cells: cells::made(&[
            ("title", &link.title),
            ("target_url", &link.target_url),
            ("tags", &tags),
            ("track_clicks", tracked),
        ]),
        times: Times { made: unix(link.created_at), changed: None },
    }
}

/// Returns the code of the short address and the part before it.
pub fn short_address(link: &Link) -> (String, Option<String>) {
    match link.short_link_url.rsplit_once('/') {
        Some((base, code)) if !code.is_empty() => (code.to_owned(), Some(base.to_owned())),
        _ => (link.uid.clone(), None),
    }
}

/// Merges a link, and returns whether it is new.
fn comes(tx: &WriteTx, core: &Core, link: &Link) -> Result<bool, Error> {
    let seen = seen_as(link);
    if let Some(id) = ids::find(tx, Place::ShortLinks, &link.uid)? {
        changes::agree(tx, Place::ShortLinks, &id, None, Some(&link.uid), Some(&seen.cells))?;
        return Ok(false);
    }
    let now = core.ctx().now();
    let own = LinkId::parse(&link.uid);
    let (code, base) = short_address(link);
    let is_free = own_links::take_code(tx, &code)?;
    let record = ShortLink {
        link_id: own.clone().unwrap_or_else(|_| LinkId::new(core.ctx().ksuid(now))),
        title: link.title.clone(),
        target_url: link.target_url.clone(),
        code: if is_free { code } else { link.uid.clone() },
        base,
        tags: link.tags.clone(),
        created_at: link.created_at.unwrap_or(now),
        track_clicks: link.track_clicks == Some(true),
    };
    own_links::insert(tx, &record)?;
    if own.is_err()
        && let Some((row, _)) = own_links::get(tx, &record.link_id)?
    {
        ids::set(tx, Place::ShortLinks, row.number(), &link.uid)?;
    }
    Ok(true)
}
