//! Pulls opt-outs: from the newest known one on, and all of them when the counts differ.

use roost_model::{
    channel::Channel,
    id::AssetId,
    opt_out::{InboundAsset, OptOut as OwnOptOut, OptOutRecordScope as OwnScope, OptOutType},
    time::Timestamp,
};
use roost_ops::{Actor, Core, Error, Noun};
use roost_reconcile::{
    input::{OptOutChange, OptOutEntry, OptOutTarget, RemoteState},
    plan::{OptOutAction, settle_opt_out},
};
use roost_store::{
    change_log::ChangeAction,
    tables::{
        opt_outs::{self as own_opt_outs, Warrant},
        sync::{
            SyncedTable, answers, changes,
            local::{self, ServiceTimes},
            scopes::{self, ScopeState, ServiceRecord},
        },
    },
    tx::{ReadTx, WriteTx},
};

use super::{PageCursor, PullReader, PullResult, newest_known, to_unix};
use crate::{
    SyncError, cells,
    gather::{self, OptOutRecordKey},
    merge::{ROWS_PER_TRANSACTION, log_removals, log_updates},
    remote::{OptOutsParams, PageParams, RemoteOptOut},
    run_blocking,
};

/// The most opt-outs that the service returns in one page.
const PAGE: u32 = 1_000;

/// Reads the opt-outs since the newest known one, and all of them if the counts differ, and merges them.
pub(super) async fn read(reader: PullReader<'_>, pulled: &mut PullResult) -> Result<(), SyncError> {
    let PullReader { core, client, asked, .. } = reader;
    let known = run_blocking(core, |core| core.read(|tx| Ok(scopes::get(tx, SyncedTable::OptOuts, 0)?))).await?;
    let mut since = newest_known(reader, &known).filter(|_| !asked.full).map(Timestamp::to_iso);
    let mut was_short = false;
    loop {
        reader.begin_reading(SyncedTable::OptOuts).await?;
        let mut newest: Option<String> = None;
        let mut pages = PageCursor::default();
        let mut unnamed = 0;
        while let Some(number) = pages.next_page(reader)? {
            let page = Some(PageParams { number, size: PAGE });
            let params = OptOutsParams { since: since.as_deref(), page, ..OptOutsParams::default() };
            let page = client.query_opt_outs(&params).await?;
            pages.add_page(reader, &page);
            let mut found = page.items;
            let all = found.len();
            found.retain(|one| !one.number.trim().is_empty());
            unnamed += (all - found.len()) as u64;
            newest = newest.max(found.iter().filter_map(|one| one.opt_out_time).max().map(Timestamp::to_iso));
            let seen = run_blocking(core, move |core| {
                core.read(|tx| found.iter().map(|one| observed_opt_out(tx, one)).collect())
            });
            reader.store_rows(SyncedTable::OptOuts, seen.await?).await?;
        }
        let is_all = since.is_none();
        if is_all && !pages.is_complete() {
            // A result that looks wrong is read again before it is reported.
            if !was_short {
                was_short = true;
                continue;
            }
            pulled.drifting.push(SyncedTable::OptOuts);
        }
        let claimed = pages.claimed_totals();
        let claimed = (claimed.0.saturating_sub(unnamed), claimed.1.saturating_sub(unnamed));
        let whole = is_all && reader.is_whole(SyncedTable::OptOuts, claimed, pulled).await?;
        pulled.other_changes.opt_outs += run_blocking(core, move |core| merge_read_opt_outs(core, whole)).await?;
        if !is_all {
            let one = PageParams { number: 1, size: 1 };
            let page = client.query_opt_outs(&OptOutsParams { page: Some(one), ..OptOutsParams::default() }).await?;
            let here = run_blocking(core, |core| {
                core.read(|tx| Ok(scopes::count_agreed(tx, SyncedTable::OptOuts)? + scopes::count_unmergeable(tx)?))
            });
            if page.total != here.await? {
                since = None;
                continue;
            }
        }
        let (now, marker) = (core.ctx().now().unix(), newest.or(since));
        let full_at = if whole { Some(now) } else { known.full_at };
        let scope =
            ScopeState { total: Some(claimed.1), marker, checked_at: Some(now), full_at, ..ScopeState::default() };
        let unsupported = run_blocking(core, move |core| {
            core.write_quietly(|tx| {
                scopes::set(tx, SyncedTable::OptOuts, 0, &scope)?;
                Ok(scopes::count_unmergeable(tx)?)
            })
        });
        pulled.unsupported += unsupported.await?;
        pulled.unnamed = unnamed;
        return Ok(());
    }
}

/// Converts an opt-out of the service to the account's key and cells.
pub fn observed_opt_out(tx: &ReadTx, seen: &RemoteOptOut) -> Result<ServiceRecord, Error> {
    let channel = Channel::parse(&seen.channel);
    let reach = match (&seen.inbound_asset_id, channel) {
        _ if seen.is_account_level() => OptOutTarget::Account,
        (Some(asset), _) => OptOutTarget::Asset(asset.clone()),
        (None, Some(channel)) => find_unnamed_reach(tx, seen, channel)?,
        (None, None) => OptOutTarget::Unnamed,
    };
    let asset = match &reach {
        OptOutTarget::Asset(asset) => asset.as_str(),
        _ => "",
    };
    let uid = match channel {
        Some(channel) => OptOutRecordKey::new(&seen.number, channel, &reach).id(),
        None => format!("{} {} {asset}", seen.number, seen.channel.replace(' ', "_")),
    };
    // The opt-out blocks the number whatever its type is.
    let kind = OptOutType::parse(&seen.kind).unwrap_or(OptOutType::ApiImport);
    let time = to_unix(seen.opt_out_time).unwrap_or_default().to_string();
    let number = seen.inbound_number.as_deref().unwrap_or_default();
    Ok(ServiceRecord {
        uid,
        cells: cells::build_cells(&[
            ("kind", kind.as_str()),
            ("asset_id", asset),
            ("asset_number", number),
            ("time", &time),
        ]),
        times: ServiceTimes::default(),
    })
}

/// Finds the asset of an opt-out whose asset the service does not name. It is known only if both sides agreed on
/// exactly this record before: the same type at the same time.
fn find_unnamed_reach(tx: &ReadTx, seen: &RemoteOptOut, channel: Channel) -> Result<OptOutTarget, Error> {
    let (Some(kind), Some(time)) = (OptOutType::parse(&seen.kind), to_unix(seen.opt_out_time)) else {
        return Ok(OptOutTarget::Unnamed);
    };
    let entry = OptOutEntry { kind, time };
    let mut found = Vec::new();
    for scope in gather::find_scopes(tx, &seen.number, channel)? {
        let key = OptOutRecordKey { number: seen.number.clone(), channel, scope };
        let OptOutTarget::Asset(asset) = key.reach() else { continue };
        let base = changes::read_record::<String>(tx, SyncedTable::OptOuts, key.id())?.base;
        if base.as_deref().and_then(gather::parse_entry).is_some_and(|base| base.is_certainly_same(&entry)) {
            found.push(asset);
        }
    }
    Ok(match (found.pop(), found.pop()) {
        (Some(asset), None) => OptOutTarget::Asset(asset),
        _ => OptOutTarget::Unnamed,
    })
}

/// Merges the opt-outs that were read. If `is_whole`, those that were not seen are removed.
fn merge_read_opt_outs(core: &Core, is_whole: bool) -> Result<u64, Error> {
    let (mut behind, mut all) = (String::new(), 0);
    loop {
        let (last, count) = core.write(&Actor::sync(), |tx| {
            let rows = scopes::read_records(tx, SyncedTable::OptOuts, &behind, ROWS_PER_TRANSACTION)?;
            let (mut numbers, mut added) = (Vec::new(), 0);
            for (seen, _) in &rows {
                if let Some(action) = merge_opt_out(tx, &seen.uid, Some(&seen.cells))? {
                    added += u64::from(action == ChangeAction::Created);
                    let key = OptOutRecordKey::parse(&seen.uid);
                    numbers.push(key.map_or_else(|| seen.uid.clone(), |key| key.number));
                }
            }
            log_updates(tx, Noun::OptOut, &numbers, added);
            Ok::<_, Error>((rows.last().map(|(seen, _)| seen.uid.clone()), numbers.len() as u64))
        })?;
        all += count;
        match last {
            Some(last) => behind = last,
            None => break,
        }
    }
    core.write(&Actor::sync(), |tx| {
        let missing = if is_whole { scopes::missing_records::<String>(tx, SyncedTable::OptOuts)? } else { Vec::new() };
        let mut count = 0;
        for id in missing {
            count += u64::from(merge_opt_out(tx, &id, None)?.is_some());
        }
        if is_whole {
            scopes::forget_unseen_unmerged(tx, SyncedTable::OptOuts)?;
            for (number, channel) in scopes::unblocked_numbers(tx)? {
                count += u64::from(put_opt_out(tx, &OptOutRecordKey::for_unknown_asset(&number, channel), None)?);
            }
        }
        scopes::delete_records(tx, SyncedTable::OptOuts, 0)?;
        log_removals(tx, Noun::OptOut, count);
        let restored = if is_whole { 0 } else { restore_unsendable_removals(tx)? };
        Ok(all + count + restored)
    })
}

/// Adds the opt-outs again whose removal here is not sent, for example because it has no reason. The service still has
/// them, although a reading from the newest one on does not show them.
fn restore_unsendable_removals(tx: &WriteTx) -> Result<u64, Error> {
    let mut removed = Vec::new();
    changes::visit_all::<String>(tx, SyncedTable::OptOuts, |touched| {
        if touched.local.is_none() && touched.at_service == changes::ServiceState::AsAgreed {
            removed.extend(touched.base.map(|base| (touched.id, base)));
        }
    })?;
    let mut numbers = Vec::new();
    for (id, base) in removed {
        if merge_opt_out(tx, &id, Some(&base))?.is_some() {
            numbers.push(OptOutRecordKey::parse(&id).map_or(id, |key| key.number));
        }
    }
    let count = numbers.len() as u64;
    log_updates(tx, Noun::OptOut, &numbers, count);
    Ok(count)
}

/// Merges an opt-out with its present state at the service, and returns what that changed locally. Opting out wins over
/// removing.
pub fn merge_opt_out(tx: &WriteTx, id: &str, remote_cells: Option<&str>) -> Result<Option<ChangeAction>, Error> {
    let key = OptOutRecordKey::parse(id);
    if let Some(cells) = remote_cells
        && key.as_ref().and_then(|key| to_own_opt_out(key, cells)).is_none()
    {
        // The channel or the asset is unknown to this program, so the record is set aside and the number is blocked.
        changes::set_service_state(tx, SyncedTable::OptOuts, &id, &changes::ServiceState::Changed(cells.to_owned()))?;
        return Ok(block_number(tx, id, cells)?.then_some(ChangeAction::Created));
    }
    let Some(key) = key else { return Ok(None) };
    let touched = changes::read_record::<String>(tx, SyncedTable::OptOuts, id.to_owned())?;
    let entry = |text: Option<&str>| text.and_then(gather::parse_entry);
    let answer = answers::read_of_record(tx, SyncedTable::OptOuts, id.to_owned())?
        .into_iter()
        .find(|stored| stored.about == "choice");
    let change = OptOutChange {
        reach: key.reach(),
        base: entry(touched.base.as_deref()),
        local: entry(touched.local.as_deref()),
        remote: entry(remote_cells).map_or(RemoteState::Gone, RemoteState::Is),
        evidence: local::find_removal_event(tx, &key.number, key.channel.as_str(), &key.scope)?,
        answer: answer.and_then(|stored| serde_json::from_str(&stored.answer).ok()),
        held: false,
    };
    if let Some(remote_cells) = remote_cells.filter(|_| is_as_sent(&change)) {
        agree_sent_opt_out(tx, &key, remote_cells)?;
        return Ok(None);
    }
    let (target, want, _) = settle_opt_out(&change);
    let before = touched.local.is_some();
    match (target, remote_cells) {
        (Some(_), Some(remote_cells)) if touched.local.as_deref() != Some(remote_cells) => {
            put_opt_out(tx, &key, Some(remote_cells))?;
        }
        (None, _) if before => drop(put_opt_out(tx, &key, None)?),
        _ => {}
    }
    if want == OptOutAction::Ask {
        changes::set_service_state(tx, SyncedTable::OptOuts, &id, &changes::ServiceState::Deleted)?;
    } else {
        changes::set_agreed(tx, SyncedTable::OptOuts, &id.to_owned(), None, None, remote_cells)?;
        // An answer counts once, for the record that it concerns.
        answers::set_answer(tx, SyncedTable::OptOuts, &id, "choice", None)?;
    }
    let after = changes::read_record::<String>(tx, SyncedTable::OptOuts, id.to_owned())?.local;
    Ok(match (&touched.local, &after) {
        (None, Some(_)) => Some(ChangeAction::Created),
        (Some(_), None) => Some(ChangeAction::Deleted),
        (before, after) => (before != after).then_some(ChangeAction::Updated),
    })
}

/// The number of seconds by which the service's clock may be behind.
const CLOCK_SKEW: i64 = 600;

/// Returns whether the service's record is the opt-out that was created and sent locally: both sides never agreed on
/// it, a request created it, and it is not older.
fn is_as_sent(change: &OptOutChange) -> bool {
    let (RemoteState::Is(remote), Some(here)) = (&change.remote, &change.local) else { return false };
    change.base.as_ref() != Some(here) && remote.kind == OptOutType::ApiImport && remote.time + CLOCK_SKEW >= here.time
}

/// Records that the service has the opt-out that was created and sent locally. The local reason, type and time stay.
pub fn agree_sent_opt_out(tx: &WriteTx, key: &OptOutRecordKey, remote_cells: &str) -> Result<(), Error> {
    if let (Some(record), Some(scope)) = (to_own_opt_out(key, remote_cells), opt_out_scope(key)) {
        own_opt_outs::set_service_values(tx, &scope, &record)?;
    }
    changes::set_agreed(tx, SyncedTable::OptOuts, &key.id(), None, None, Some(remote_cells))?;
    Ok(answers::set_answer(tx, SyncedTable::OptOuts, &key.id(), "choice", None)?)
}

/// Blocks the number of an opt-out that cannot be stored as it is. Returns whether it was not blocked before.
fn block_number(tx: &WriteTx, id: &str, cells: &str) -> Result<bool, Error> {
    let mut parts = id.splitn(3, ' ');
    let (Some(number), Some(channel)) = (parts.next(), parts.next()) else { return Ok(false) };
    let time = Timestamp::from_unix(cells::cell_text(cells, "time").parse().unwrap_or_default());
    let mut is_new = false;
    for blocked in Channel::ALL {
        if Channel::parse(channel).is_some_and(|known| known != blocked) {
            continue;
        }
        let Some(scope) = opt_out_scope(&OptOutRecordKey::for_unknown_asset(number, blocked)) else { continue };
        let kind = OptOutType::ApiImport;
        let record = OwnOptOut { number: number.to_owned(), channel: blocked, scope, kind, inbound: None, time };
        is_new |= own_opt_outs::insert(tx, &record)?;
    }
    Ok(is_new)
}

/// Stores an opt-out locally with these cells, or removes it.
pub fn put_opt_out(tx: &WriteTx, key: &OptOutRecordKey, cells: Option<&str>) -> Result<bool, Error> {
    let Some(cells) = cells else {
        let scope = opt_out_scope(key).unwrap_or(OwnScope::Account);
        let removed = own_opt_outs::with_warrant(tx, Warrant::removed_at_service(), |door| {
            door.delete_one(&key.number, key.channel, &scope)
        });
        return Ok(removed?);
    };
    let Some(record) = to_own_opt_out(key, cells) else { return Ok(false) };
    own_opt_outs::replace(tx, &record)?;
    Ok(true)
}

/// Returns the scope of the opt-out as it is stored locally.
pub fn opt_out_scope(key: &OptOutRecordKey) -> Option<OwnScope> {
    if key.scope.is_empty() {
        return Some(OwnScope::Account);
    }
    AssetId::parse(&key.scope).ok().map(OwnScope::Asset)
}

fn to_own_opt_out(key: &OptOutRecordKey, remote_cells: &str) -> Option<OwnOptOut> {
    let channel: Channel = key.channel;
    let asset = AssetId::parse(&cells::cell_text(remote_cells, "asset_id")).ok();
    let number = Some(cells::cell_text(remote_cells, "asset_number")).filter(|number| !number.is_empty());
    Some(OwnOptOut {
        number: key.number.clone(),
        channel,
        scope: opt_out_scope(key)?,
        kind: OptOutType::parse(&cells::cell_text(remote_cells, "kind"))?,
        inbound: asset.map(|asset_id| InboundAsset { asset_id, number }),
        time: Timestamp::from_unix(cells::cell_text(remote_cells, "time").parse().ok()?),
    })
}
