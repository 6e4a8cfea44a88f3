//! Pulls senders: reads all of them, adds new ones, updates the status of known ones, and deletes those that the
//! service no longer has. The name of a known sender stays.

use roost_model::{
    id::SenderId,
    sender::{Sender as OwnSender, SenderStatus},
};
use roost_ops::{Actor, Error, Noun};
use roost_store::{
    tables::{
        senders as own_senders,
        sync::{
            SyncedTable, changes,
            local::ServiceTimes,
            scopes::{self, ServiceRecord},
        },
    },
    tx::WriteTx,
};

use super::{PAGE, PageCursor, PullReader, PullResult};
use crate::{
    SyncError, cells,
    merge::{log_removals, log_updates},
    remote::{PageParams, RemoteSender},
    run_blocking,
};

/// Reads all senders and merges them.
pub(super) async fn read(reader: PullReader<'_>, pulled: &mut PullResult) -> Result<(), SyncError> {
    read_once(reader, pulled, true).await
}

async fn read_once(reader: PullReader<'_>, pulled: &mut PullResult, is_first: bool) -> Result<(), SyncError> {
    reader.begin_reading(SyncedTable::Senders).await?;
    let mut found: Vec<RemoteSender> = Vec::new();
    let mut pages = PageCursor::default();
    while let Some(number) = pages.next_page(reader)? {
        let page = reader.client.query_senders(PageParams { number, size: PAGE }).await?;
        pages.add_page(reader, &page);
        let seen = |sender: &RemoteSender| ServiceRecord {
            uid: sender.uid.clone(),
            cells: cells::build_cells(&[("name", &sender.name)]),
            times: ServiceTimes::default(),
        };
        reader.store_rows(SyncedTable::Senders, page.items.iter().map(seen).collect()).await?;
        found.extend(page.items);
    }
    if !pages.is_complete() {
        pulled.drifting.push(SyncedTable::Senders);
    }
    let whole = reader.is_whole(SyncedTable::Senders, pages.claimed_totals(), pulled).await?;
    if whole && is_first && !reader.asked.believe && reader.lacks_records(SyncedTable::Senders).await? {
        return Box::pin(read_once(reader, pulled, false)).await;
    }
    let guarded = run_blocking(reader.core, |core| {
        core.read(|tx| {
            Ok(scopes::count_common(tx, SyncedTable::Senders)? == 0
                && scopes::count_agreed(tx, SyncedTable::Senders)? > 1)
        })
    });
    if guarded.await? && !reader.asked.believe {
        return Err(SyncError::OtherAccount("none of the account’s senders exist there any more"));
    }
    let read = run_blocking(reader.core, move |core| {
        core.write(&Actor::sync(), |tx| {
            let (mut names, mut added, mut unsupported) = (Vec::new(), 0, 0);
            for sender in found {
                match parse_sender(&sender) {
                    Some((id, status)) => {
                        let is_known = own_senders::get(tx, &id)?.is_some();
                        if merge_sender(tx, &sender, id, status)? {
                            added += u64::from(!is_known);
                            names.push(sender.name);
                        }
                    }
                    None => unsupported += 1,
                }
            }
            log_updates(tx, Noun::Sender, &names, added);
            Ok::<_, Error>((names.len() as u64, unsupported))
        })
    });
    let (count, unsupported) = read.await?;
    let removal = run_blocking(reader.core, move |core| {
        core.write(&Actor::sync(), |tx| {
            let missing = if whole { scopes::missing_records::<String>(tx, SyncedTable::Senders)? } else { Vec::new() };
            let mut count = 0;
            for id in missing {
                if let Ok(own) = SenderId::parse(&id) {
                    count += u64::from(own_senders::delete(tx, &own)?);
                }
                changes::set_agreed(tx, SyncedTable::Senders, &id, None, None, None)?;
            }
            scopes::delete_records(tx, SyncedTable::Senders, 0)?;
            log_removals(tx, Noun::Sender, count);
            Ok::<_, Error>(count)
        })
    });
    pulled.other_changes.senders += count + removal.await?;
    pulled.unsupported += unsupported;
    Ok(())
}

/// Returns the identifier and status of a sender, or `None` if this program does not know one of them.
fn parse_sender(sender: &RemoteSender) -> Option<(SenderId, SenderStatus)> {
    Some((SenderId::parse(&sender.uid).ok()?, SenderStatus::parse(&sender.status)?))
}

/// Merges a sender, and returns whether it changed locally.
fn merge_sender(tx: &WriteTx, sender: &RemoteSender, id: SenderId, status: SenderStatus) -> Result<bool, Error> {
    let known = changes::read_record::<String>(tx, SyncedTable::Senders, sender.uid.clone())?;
    match own_senders::get(tx, &id)? {
        Some(own) if own.status != status => own_senders::set_status(tx, &id, status)?,
        None if known.base.is_none() && !own_senders::is_name_taken(tx, &sender.name)? => {
            own_senders::insert(tx, &OwnSender { id, name: sender.name.clone(), status })?;
        }
        _ => return Ok(false),
    }
    Ok(true)
}
