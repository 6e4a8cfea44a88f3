//! Pulls opt-outs: from the newest known one on, and all of them when the counts differ.

use roost_model::{
    channel::Channel,
    id::AssetId,
    opt_out::{Inbound, OptOut as OwnOptOut, OptOutType, Scope as OwnScope},
    time::Timestamp,
};
use roost_ops::{By, Core, Error, Noun};
use roost_reconcile::{
    input::{OptOutChange, OptOutEntry, Reach, Seen as There},
    plan::{OptOutWant, settle_opt_out},
};
use roost_store::{
    tables::{
        opt_outs::{self as own_opt_outs, Warrant},
        sync::{
            Place, answers, changes,
            local::{self, Times},
            scopes::{self, Scope, Seen},
        },
    },
    tx::{ReadTx, WriteTx},
};

use super::{Pages, Pulled, Reader, newest_known, told, told_removed, unix};
use crate::{
    Failed, cells,
    gather::{self, Standing},
    merge::STRETCH,
    on,
    remote::{OptOut, OptOutsAsked, PageAsked},
};

/// The most opt-outs that the service returns in one page.
const PAGE: u32 = 1_000;

/// Reads the opt-outs since the newest known one, and all of them if the counts differ, and merges them.
pub async fn read(reader: Reader<'_>, pulled: &mut Pulled) -> Result<(), Failed> {
    let Reader { core, client, asked, .. } = reader;
    let known = on(core, |core| core.read(|tx| Ok(scopes::get(tx, Place::OptOuts, 0)?))).await?;
    let mut since = newest_known(reader, &known).filter(|_| !asked.full).map(Timestamp::iso);
    let mut was_short = false;
    loop {
        reader.begin(Place::OptOuts).await?;
        let mut newest: Option<String> = None;
        let mut pages = Pages::default();
        let mut unnamed = 0;
        while let Some(number) = pages.next(reader)? {
            let page = Some(PageAsked { number, size: PAGE });
            let asked = OptOutsAsked { since: since.as_deref(), page, ..OptOutsAsked::default() };
            let page = client.opt_outs(&asked).await?;
            pages.came(reader, &page);
            let mut found = page.items;
            let all = found.len();
            found.retain(|one| !one.number.trim().is_empty());
            unnamed += (all - found.len()) as u64;
            newest = newest.max(found.iter().filter_map(|one| one.opt_out_time).max().map(Timestamp::iso));
            let seen = on(core, move |core| core.read(|tx| found.iter().map(|one| seen_as(tx, one)).collect()));
            reader.put(Place::OptOuts, seen.await?).await?;
        }
        let is_all = since.is_none();
        if is_all && !pages.are_complete() {
            // A result that looks wrong is read again before it is reported.
            if !was_short {
                was_short = true;
                continue;
            }
            pulled.drifting.push(Place::OptOuts);
        }
        let claimed = pages.claimed();
        let claimed = (claimed.0.saturating_sub(unnamed), claimed.1.saturating_sub(unnamed));
        let whole = is_all && reader.is_whole(Place::OptOuts, claimed, pulled).await?;
        pulled.beside.opt_outs += on(core, move |core| come(core, whole)).await?;
        if !is_all {
            let one = PageAsked { number: 1, size: 1 };
            let page = client.opt_outs(&OptOutsAsked { page: Some(one), ..OptOutsAsked::default() }).await?;
            let here = on(core, |core| core.read(|tx| Ok(scopes::agreed(tx, Place::OptOuts)? + scopes::aside(tx)?)));
            if page.total != here.await? {
                since = None;
                continue;
            }
        }
        let (now, marker) = (core.ctx().now().unix(), newest.or(since));
        let full_at = if whole { Some(now) } else { known.full_at };
        let scope = Scope { total: Some(claimed.1), marker, checked_at: Some(now), full_at, ..Scope::default() };
        let aside = on(core, move |core| {
            core.write_quietly(|tx| {
                scopes::set(tx, Place::OptOuts, 0, &scope)?;
                Ok(scopes::aside(tx)?)
            })
        });
        pulled.aside += aside.await?;
        pulled.unnamed = unnamed;
        return Ok(());
    }
}

/// Converts an opt-out of the service to the account's key and cells.
pub fn seen_as(tx: &ReadTx, seen: &OptOut) -> Result<Seen, Error> {
    let channel = Channel::parse(&seen.channel);
    let reach = match (&seen.inbound_asset_id, channel) {
        _ if seen.is_account_level() => Reach::Account,
        (Some(asset), _) => Reach::Asset(asset.clone()),
        (None, Some(channel)) => unnamed(tx, seen, channel)?,
        (None, None) => Reach::Unnamed,
    };
    let asset = match &reach {
        Reach::Asset(asset) => asset.as_str(),
        _ => "",
    };
    let uid = match channel {
        Some(channel) => Standing::new(&seen.number, channel, &reach).id(),
        None => format!("{} {} {asset}", seen.number, seen.channel.replace(' ', "_")),
    };
    // The opt-out blocks the number whatever its type is.
    let kind = OptOutType::parse(&seen.kind).unwrap_or(OptOutType::ApiImport);
    let time = unix(seen.opt_out_time).unwrap_or_default().to_string();
    let number = seen.inbound_number.as_deref().unwrap_or_default();
    Ok(Seen {
        uid,
        cells: cells::made(&[("kind", kind.as_str()), ("asset_id", asset), ("asset_number", number), ("time", &time)]),
        times: Times::default(),
    })
}

/// Finds the asset of an opt-out whose asset the service does not name. It is known only if both sides agreed on
/// exactly this record before: the same type at the same time.
fn unnamed(tx: &ReadTx, seen: &OptOut, channel: Channel) -> Result<Reach, Error> {
    let (Some(kind), Some(time)) = (OptOutType::parse(&seen.kind), unix(seen.opt_out_time)) else {
        return Ok(Reach::Unnamed);
    };
    let entry = OptOutEntry { kind, time };
    let mut found = Vec::new();
    for scope in gather::scopes_of(tx, &seen.number, channel)? {
        let standing = Standing { number: seen.number.clone(), channel, scope };
        let Reach::Asset(asset) = standing.reach() else { continue };
        let base = changes::one::<String>(tx, Place::OptOuts, standing.id())?.base;
        if base.as_deref().and_then(gather::entry_of).is_some_and(|base| base.is_surely(&entry)) {
            found.push(asset);
        }
    }
    Ok(match (found.pop(), found.pop()) {
        (Some(asset), None) => Reach::Asset(asset),
        _ => Reach::Unnamed,
    })
}

/// Merges the opt-outs that were read. If `is_whole`, those that were not seen are removed.
fn come(core: &Core, is_whole: bool) -> Result<u64, Error> {
    let (mut behind, mut all) = (String::new(), 0);
    loop {
        let (last, count) = core.write(&By::sync(), |tx| {
            let rows = scopes::chunk(tx, Place::OptOuts, &behind, STRETCH)?;
            let mut count = 0;
            for (seen, _) in &rows {
                count += u64::from(is(tx, &seen.uid, Some(&seen.cells))?);
            }
            told(tx, Noun::OptOut, count);
            Ok::<_, Error>((rows.last().map(|(seen, _)| seen.uid.clone()), count))
        })?;
        all += count;
        match last {
            Some(last) => behind = last,
            None => break,
        }
    }
    core.write(&By::sync(), |tx| {
        let gone = if is_whole { scopes::vanished::<String>(tx, Place::OptOuts)? } else { Vec::new() };
        let mut count = 0;
        for id in gone {
            count += u64::from(is(tx, &id, None)?);
        }
        if is_whole {
            scopes::forget_aside(tx, Place::OptOuts)?;
            for (number, channel) in scopes::unblocked(tx)? {
                count += u64::from(put(tx, &Standing::of_unknown(&number, channel), None)?);
            }
        }
        scopes::empty(tx, Place::OptOuts, 0)?;
        told_removed(tx, Noun::OptOut, count);
        Ok(all + count)
    })
}

/// Merges an opt-out with its present state at the service, and returns whether it changed locally. Opting out wins
/// over removing.
pub fn is(tx: &WriteTx, id: &str, there: Option<&str>) -> Result<bool, Error> {
    let standing = Standing::parse(id);
    if let Some(cells) = there
        && standing.as_ref().and_then(|standing| own_opt_out(standing, cells)).is_none()
    {
        // The channel or the asset is unknown to this program, so the record is set aside and the number is blocked.
        changes::set_there(tx, Place::OptOuts, &id, &changes::There::Is(cells.to_owned()))?;
        return block(tx, id, cells);
    }
    let Some(standing) = standing else { return Ok(false) };
    let touched = changes::one::<String>(tx, Place::OptOuts, id.to_owned())?;
    let entry = |text: Option<&str>| text.and_then(gather::entry_of);
    let answer = answers::of(tx, Place::OptOuts, id.to_owned())?.into_iter().find(|told| told.about == "choice");
    let change = OptOutChange {
        reach: standing.reach(),
        base: entry(touched.base.as_deref()),
        local: entry(touched.local.as_deref()),
        remote: entry(there).map_or(There::Gone, There::Is),
        evidence: local::evidence(tx, &standing.number, standing.channel.as_str(), &standing.scope)?,
        answer: answer.and_then(|told| serde_json::from_str(&told.answer).ok()),
        held: false,
    };
    if let Some(there) = there.filter(|_| is_as_sent(&change)) {
        arrived(tx, &standing, there)?;
        return Ok(false);
    }
    let (target, want, _) = settle_opt_out(&change);
    let before = touched.local.is_some();
    match (target, there) {
        (Some(_), Some(there)) if touched.local.as_deref() != Some(there) => drop(put(tx, &standing, Some(there))?),
        (None, _) if before => drop(put(tx, &standing, None)?),
        _ => {}
    }
    if want == OptOutWant::Ask {
        changes::set_there(tx, Place::OptOuts, &id, &changes::There::Gone)?;
    } else {
        changes::agree(tx, Place::OptOuts, &id.to_owned(), None, None, there)?;
        // An answer counts once, for the record that it concerns.
        answers::set(tx, Place::OptOuts, &id, "choice", None)?;
    }
    Ok(changes::one::<String>(tx, Place::OptOuts, id.to_owned())?.local != touched.local)
}

/// The number of seconds by which the service's clock may be behind.
const CLOCK_SKEW: i64 = 600;

/// Returns whether the service's record is the opt-out that was created and sent locally: both sides never agreed on
/// it, a request created it, and it is not older.
fn is_as_sent(change: &OptOutChange) -> bool {
    let (There::Is(there), Some(here)) = (&change.remote, &change.local) else { return false };
    change.base.as_ref() != Some(here) && there.kind == OptOutType::ApiImport && there.time + CLOCK_SKEW >= here.time
}

/// Records that the service has the opt-out that was created and sent locally. The local reason, type and time stay.
pub fn arrived(tx: &WriteTx, standing: &Standing, there: &str) -> Result<(), Error> {
    if let (Some(record), Some(scope)) = (own_opt_out(standing, there), own_scope(standing)) {
        own_opt_outs::set_service_view(tx, &scope, &record)?;
    }
    changes::agree(tx, Place::OptOuts, &standing.id(), None, None, Some(there))?;
    Ok(answers::set(tx, Place::OptOuts, &standing.id(), "choice", None)?)
}

/// Blocks the number of an opt-out that cannot be stored as it is. Returns whether it was not blocked before.
fn block(tx: &WriteTx, id: &str, cells: &str) -> Result<bool, Error> {
    let mut parts = id.splitn(3, ' ');
    let (Some(number), Some(channel)) = (parts.next(), parts.next()) else { return Ok(false) };
    let time = Timestamp::from_unix(cells::text(cells, "time").parse().unwrap_or_default());
    let mut is_new = false;
    for blocked in Channel::ALL {
        if Channel::parse(channel).is_some_and(|known| known != blocked) {
            continue;
        }
        let Some(scope) = own_scope(&Standing::of_unknown(number, blocked)) else { continue };
        let kind = OptOutType::ApiImport;
        let record = OwnOptOut { number: number.to_owned(), channel: blocked, scope, kind, inbound: None, time };
        is_new |= own_opt_outs::insert(tx, &record)?;
    }
    Ok(is_new)
}

/// Stores an opt-out locally with these cells, or removes it.
pub fn put(tx: &WriteTx, standing: &Standing, cells: Option<&str>) -> Result<bool, Error> {
    let Some(cells) = cells else {
        let scope = own_scope(standing).unwrap_or(OwnScope::Account);
        let gone = own_opt_outs::with_warrant(tx, Warrant::removed_at_service(), |door| {
            door.delete_one(&standing.number, standing.channel, &scope)
        });
        return Ok(gone?);
    };
    let Some(record) = own_opt_out(standing, cells) else { return Ok(false) };
    own_opt_outs::replace(tx, &record)?;
    Ok(true)
}

/// Returns the scope of the opt-out as it is stored locally.
pub fn own_scope(standing: &Standing) -> Option<OwnScope> {
    if standing.scope.is_empty() {
        return Some(OwnScope::Account);
    }
    AssetId::parse(&standing.scope).ok().map(OwnScope::Asset)
}

fn own_opt_out(standing: &Standing, there: &str) -> Option<OwnOptOut> {
    let channel: Channel = standing.channel;
    let asset = AssetId::parse(&cells::text(there, "asset_id")).ok();
    let number = Some(cells::text(there, "asset_number")).filter(|number| !number.is_empty());
    Some(OwnOptOut {
        number: standing.number.clone(),
        channel,
        scope: own_scope(standing)?,
        kind: OptOutType::parse(&cells::text(there, "kind"))?,
        inbound: asset.map(|asset_id| Inbound { asset_id, number }),
        time: Timestamp::from_unix(cells::text(there, "time").parse().ok()?),
    })
}
