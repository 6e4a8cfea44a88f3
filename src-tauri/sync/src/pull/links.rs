//! Pulls short links. They do not change, so the links created since the last pull suffice, with a full reading now and
//! then.

use std::collections::HashSet;

use roost_model::{id::LinkId, short_link::ShortLink, time::Timestamp};
use roost_ops::{Actor, Core, Error, Noun, list};
use roost_store::{
    tables::{
        short_links as own_links,
        sync::{
            SyncedTable, answers, changes, ids,
            local::{self, ServiceTimes},
            scopes::{self, ScopeState, ServiceRecord},
        },
    },
    tx::{ActDescription, ReadTx, WriteTx},
};

use super::{PAGE, PageCursor, PullReader, PullResult, newest_known, to_unix};
use crate::{
    SyncError, cells,
    gather::{self, MAYBE_CREATED},
    merge::{log_removals, log_updates},
    remote::{LinksParams, PageParams, QueryOrder, RemoteLink},
    run_blocking,
};

/// Reads the links created since the last pull, or all of them, and merges them.
pub(super) async fn read(reader: PullReader<'_>, pulled: &mut PullResult) -> Result<(), SyncError> {
    read_once(reader, pulled, true).await
}

async fn read_once(reader: PullReader<'_>, pulled: &mut PullResult, is_first: bool) -> Result<(), SyncError> {
    let PullReader { core, client, asked, .. } = reader;
    let known = run_blocking(core, |core| core.read(|tx| Ok(scopes::get(tx, SyncedTable::ShortLinks, 0)?))).await?;
    let since = newest_known(reader, &known).filter(|_| !asked.full);
    // Other links may have been created in the same second, and the interface does not say whether the bound is
    // inclusive.
    let from = since.map(|at| Timestamp::from_unix(at.unix() - 1).to_iso());
    reader.begin_reading(SyncedTable::ShortLinks).await?;
    let mut found: Vec<RemoteLink> = Vec::new();
    let mut pages = PageCursor::default();
    while let Some(number) = pages.next_page(reader)? {
        let page = PageParams { number, size: PAGE };
        let asked = LinksParams { text: None, since: from.as_deref(), order: QueryOrder::Rising, page };
        let page = client.search_links(&asked).await?;
        pages.add_page(reader, &page);
        reader.store_rows(SyncedTable::ShortLinks, page.items.iter().map(observed_link).collect()).await?;
        found.extend(page.items);
    }
    let is_all = since.is_none();
    if is_all && !pages.is_complete() {
        pulled.drifting.push(SyncedTable::ShortLinks);
    }
    let whole = is_all && reader.is_whole(SyncedTable::ShortLinks, pages.claimed_totals(), pulled).await?;
    if whole && is_first && !asked.believe && reader.lacks_records(SyncedTable::ShortLinks).await? {
        return Box::pin(read_once(reader, pulled, false)).await;
    }
    if pulled.doubtful.contains(&SyncedTable::ShortLinks) {
        pulled.missing_links = run_blocking(core, |core| core.read(read_missing_titles)).await?;
    }
    let newest = found.iter().filter_map(|link| link.created_at).max().or(since);
    let now = Some(core.ctx().now().unix());
    let full_at = if whole { now } else { known.full_at };
    let scope = ScopeState { marker: newest.map(Timestamp::to_iso), checked_at: now, full_at, ..ScopeState::default() };
    let read = run_blocking(core, move |core| {
        core.write(&Actor::sync(), |tx| {
            let mut titles = Vec::new();
            let (_, being_made) = gather::names_being_created(tx)?;
            let mut maybe_made = take_maybe_created(tx)?;
            forget_sent_deletions(tx, &found)?;
            for link in &found {
                let is_known = ids::find_by_service_uid(tx, SyncedTable::ShortLinks, &link.uid)?.is_some();
                let made = maybe_made.iter().position(|(_, cells)| !is_known && *cells == observed_link(link).cells);
                if let Some((id, _)) = made.map(|at| maybe_made.swap_remove(at)) {
                    identify_link(tx, id, link)?;
                }
                if being_made.contains(&link.title)
                    && ids::find_by_service_uid(tx, SyncedTable::ShortLinks, &link.uid)?.is_none()
                {
                    continue;
                }
                if merge_link(tx, core, link)? {
                    titles.push(link.title.clone());
                }
            }
            // A link never changes at the service.
            log_updates(tx, Noun::ShortLink, &titles, titles.len() as u64);
            Ok::<_, Error>(titles.len() as u64)
        })
    });
    let count = read.await?;
    // What a person has confirmed is an act of that person, who can undo it.
    let by = if asked.believe { Actor::user(None) } else { Actor::sync() };
    let gone = run_blocking(core, move |core| {
        core.write(&by, |tx| {
            let gone = if whole { scopes::missing_records::<i64>(tx, SyncedTable::ShortLinks)? } else { Vec::new() };
            let mut removed = Vec::new();
            for id in gone {
                if changes::is_restored(tx, SyncedTable::ShortLinks, id)? {
                    changes::mark_record_new(tx, SyncedTable::ShortLinks, id, None)?;
                    continue;
                }
                let touched = changes::read_record::<i64>(tx, SyncedTable::ShortLinks, id)?;
                if touched.local.is_some() && touched.local != touched.base {
                    changes::set_service_state(tx, SyncedTable::ShortLinks, &id, &changes::ServiceState::Deleted)?;
                    continue;
                }
                local::remove_link(tx, id)?;
                changes::forget_record(tx, SyncedTable::ShortLinks, id)?;
                removed.extend(touched.local.map(|cells| cells::cell_text(&cells, "title")));
            }
            scopes::delete_records(tx, SyncedTable::ShortLinks, 0)?;
            scopes::set(tx, SyncedTable::ShortLinks, 0, &scope)?;
            log_removals(tx, Noun::ShortLink, removed.len() as u64);
            if !removed.is_empty() {
                let act = ActDescription::new("sync_remove_links").with_count(removed.len() as u64);
                let titles = list::join_names(removed.iter().map(String::as_str));
                tx.describe_act(act.with_subject(titles).into_trash(Noun::ShortLink));
            }
            Ok::<_, Error>(removed)
        })
    });
    pulled.removed_links = gone.await?;
    pulled.other_changes.links += count + pulled.removed_links.len() as u64;
    Ok(())
}

/// Returns the titles of the links that the service no longer shows.
fn read_missing_titles(tx: &ReadTx) -> Result<Vec<String>, Error> {
    let mut titles = Vec::new();
    for id in scopes::missing_records::<i64>(tx, SyncedTable::ShortLinks)? {
        let known = changes::read_record::<i64>(tx, SyncedTable::ShortLinks, id)?;
        titles.extend(known.local.map(|cells| cells::cell_text(&cells, "title")));
    }
    Ok(titles)
}

/// Forgets which deletions were sent of links that still exist.
fn forget_sent_deletions(tx: &WriteTx, found: &[RemoteLink]) -> Result<(), Error> {
    let found: HashSet<&str> = found.iter().map(|link| link.uid.as_str()).collect();
    for id in answers::find_about(tx, SyncedTable::ShortLinks, answers::DELETION_SENT)? {
        let uid = changes::read_record::<i64>(tx, SyncedTable::ShortLinks, id)?.uid;
        if uid.is_some_and(|uid| found.contains(uid.as_str())) {
            answers::set_answer(tx, SyncedTable::ShortLinks, &id, answers::DELETION_SENT, None)?;
        }
    }
    Ok(())
}

/// Returns the links that an abandoned run may have created, with the cells that were sent.
fn take_maybe_created(tx: &WriteTx) -> Result<Vec<(i64, String)>, Error> {
    let mut made = Vec::new();
    for id in answers::find_about(tx, SyncedTable::ShortLinks, MAYBE_CREATED)? {
        answers::set_answer(tx, SyncedTable::ShortLinks, &id, MAYBE_CREATED, None)?;
        made.extend(changes::read_record::<i64>(tx, SyncedTable::ShortLinks, id)?.local.map(|cells| (id, cells)));
    }
    Ok(made)
}

/// Identifies a local short link with this link of the service.
pub fn identify_link(tx: &WriteTx, id: i64, link: &RemoteLink) -> Result<(), Error> {
    let seen = observed_link(link);
    let (code, base) = short_address(link);
    ids::set_mapping(tx, SyncedTable::ShortLinks, id, &link.uid)?;
    if own_links::reserve_code(tx, &code)? {
        local::set_link_address(tx, id, &code, &base.unwrap_or_default(), seen.times.made)?;
    }
    changes::set_agreed(tx, SyncedTable::ShortLinks, &id, None, Some(&link.uid), Some(&seen.cells))?;
    answers::set_answer(tx, SyncedTable::ShortLinks, &id, "choice", None)?;
    Ok(answers::set_answer(tx, SyncedTable::ShortLinks, &id, MAYBE_CREATED, None)?)
}

pub fn observed_link(link: &RemoteLink) -> ServiceRecord {
    let tags = serde_json::Value::from(link.tags.clone()).to_string();
    let tracked = if link.track_clicks == Some(true) { "1" } else { "0" };
    ServiceRecord {
        uid: link.uid.clone(),
        cells: cells::build_cells(&[
            ("title", &link.title),
            ("target_url", &link.target_url),
            ("tags", &tags),
            ("track_clicks", tracked),
        ]),
        times: ServiceTimes { made: to_unix(link.created_at), changed: None },
    }
}

/// Returns the code of the short address and the part before it.
pub(super) fn short_address(link: &RemoteLink) -> (String, Option<String>) {
    match link.short_link_url.rsplit_once('/') {
        Some((base, code)) if !code.is_empty() => (code.to_owned(), Some(base.to_owned())),
        _ => (link.uid.clone(), None),
    }
}

/// Merges a link, and returns whether it is new.
fn merge_link(tx: &WriteTx, core: &Core, link: &RemoteLink) -> Result<bool, Error> {
    let seen = observed_link(link);
    if let Some(id) = ids::find_by_service_uid(tx, SyncedTable::ShortLinks, &link.uid)? {
        changes::set_agreed(tx, SyncedTable::ShortLinks, &id, None, Some(&link.uid), Some(&seen.cells))?;
        return Ok(false);
    }
    let now = core.ctx().now();
    let own = LinkId::parse(&link.uid);
    let (code, base) = short_address(link);
    let is_free = own_links::reserve_code(tx, &code)?;
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
        ids::set_mapping(tx, SyncedTable::ShortLinks, row.number(), &link.uid)?;
    }
    Ok(true)
}
