//! Reads the service: the cheapest reading that suffices, page by page. Nothing is removed locally after a doubtful
//! one.

mod judge;
mod links;
mod lists;
mod opt_outs;
mod pages;
mod senders;
mod sweep;

use std::{collections::HashSet, time::Duration};

use roost_model::time::Timestamp;
use roost_ops::{Core, Error as AccountError};
use roost_store::tables::sync::{
    SyncedTable, changes,
    lease::PULL,
    runs,
    scopes::{self, ScopeState},
};
use serde::{Deserialize, Serialize};
use tokio::time::{Instant, sleep};

pub use judge::{ReadingQuality, is_large_loss, judge_reading};
pub use links::{identify_link, observed_link};
pub use lists::{choose_list_uid, identify_list};
pub use opt_outs::{agree_sent_opt_out, merge_opt_out, observed_opt_out, opt_out_scope, put_opt_out};
use pages::{PageCursor, PullReader, to_unix};
pub use sweep::{ListSweep, PAGE, observed_contacts};

use crate::{
    Client, Progress, SyncError, gather, identity,
    lease::Lease,
    merge::{self, MergeCounts},
    remote::RemoteList,
    run_blocking, store_pace,
};

/// The number of attempts to read a list that changes meanwhile.
const MAX_READINGS: u32 = 3;

/// The request for a pull.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PullOptions {
    /// The one list whose contacts to read, or `None` for everything.
    pub list: Option<i64>,
    /// Whether to read what looks unchanged as well.
    pub full: bool,
    /// Whether the user has seen and accepted that many records are missing.
    pub believe: bool,
}

/// The way in which one list was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ListReadResult {
    /// The list looks unchanged. This was assumed, not read.
    AssumedUnchanged,
    /// The list was not read, because steps of a run wait to be verified in it.
    InUse,
    Read(ReadingQuality),
}

/// The records other than contacts that were added, changed or removed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PulledCounts {
    pub lists: u64,
    pub senders: u64,
    pub opt_outs: u64,
    pub links: u64,
}

/// A list that the service no longer has.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct GoneList {
    pub name: String,
    /// The number of its contacts here.
    pub contacts: u64,
}

/// The result of a pull.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PullResult {
    pub merged: MergeCounts,
    /// The local changes apart from contacts.
    pub other_changes: PulledCounts,
    /// Records of the service that cannot be stored, because this program does not know their type, channel or status.
    pub unsupported: u64,
    /// The way in which each local list was read.
    pub lists: Vec<(i64, ListReadResult)>,
    /// The kinds of records of which so many are missing that the user has to look.
    pub doubtful: Vec<SyncedTable>,
    /// The number of records of each kind that would be removed.
    pub gone: Vec<(SyncedTable, u64)>,
    /// The kinds of records of which the service returned another number than it claims to have.
    pub drifting: Vec<SyncedTable>,
    /// The opt-outs at the service that name no number and so cannot block one.
    pub unnamed: u64,
    /// The missing lists that were not removed locally, because the user has to look first.
    pub missing_lists: Vec<GoneList>,
    /// The titles of the missing short links that were not removed locally.
    pub missing_links: Vec<String>,
    /// The lists that were removed locally.
    pub removed_lists: Vec<GoneList>,
    /// The titles of the short links that were removed locally.
    pub removed_links: Vec<String>,
}

/// Reads what was requested and merges it. A pull that was stopped continues after its last page the next time.
pub async fn run_pull(
    core: &Core,
    client: &Client,
    asked: &PullOptions,
    progress: &Progress,
) -> Result<PullResult, SyncError> {
    client.begin_work();
    let work = async {
        let pulled = read_service(PullReader { core, client, asked, progress }).await;
        store_pace(core, client).await?;
        pulled
    };
    Lease::hold_during(core, PULL, work).await
}

/// Reads lists first, then the other records, then the contacts of each list.
async fn read_service(reader: PullReader<'_>) -> Result<PullResult, SyncError> {
    let PullReader { core, asked, .. } = reader;
    let began = core.ctx().now().unix();
    let mut pulled = PullResult {
        merged: MergeCounts::default(),
        other_changes: PulledCounts::default(),
        unsupported: 0,
        lists: Vec::new(),
        doubtful: Vec::new(),
        gone: Vec::new(),
        drifting: Vec::new(),
        unnamed: 0,
        missing_lists: Vec::new(),
        missing_links: Vec::new(),
        removed_lists: Vec::new(),
        removed_links: Vec::new(),
    };
    let lists = lists::read(reader, &mut pulled).await?;
    let listed = Instant::now();
    if asked.list.is_none() {
        senders::read(reader, &mut pulled).await?;
        opt_outs::read(reader, &mut pulled).await?;
        links::read(reader, &mut pulled).await?;
    }
    let in_use = run_blocking(core, lists_in_use).await?;
    for (id, list) in lists {
        if asked.list.is_some_and(|wanted| wanted != id) {
            continue;
        }
        if reader.progress.is_stopped() {
            return Err(SyncError::Stopped);
        }
        let how = if in_use.contains(&id) {
            ListReadResult::InUse
        } else {
            read_contacts(reader, (id, &list), listed, &mut pulled.merged).await?
        };
        pulled.lists.push((id, how));
    }
    if asked.list.is_none() {
        let is_confirmed = pulled.doubtful.is_empty();
        let ended = run_blocking(core, move |core| {
            core.write_quietly(|tx| {
                if is_confirmed {
                    identity::confirm_account(tx)?;
                }
                Ok(scopes::set_pull_time(tx, began)?)
            })
        });
        ended.await?;
    }
    Ok(pulled)
}

/// The age in seconds at which everything is read again, because removals show in a full reading alone.
const FULL_READING_AGE: i64 = 24 * 60 * 60;

/// Returns the time of the newest known record, from which a reading has to start. Returns `None` if everything has to
/// be read: the last full reading is a day old, or the service's clock was set back, so that newer records look older.
fn newest_known(reader: PullReader<'_>, known: &ScopeState) -> Option<Timestamp> {
    let newest = Timestamp::parse_iso(known.marker.as_deref()?)?;
    let age = reader.core.ctx().now().unix() - known.full_at?;
    let is_set_back = reader.client.service_time().is_some_and(|now| now < newest.unix());
    (!is_set_back && (0..FULL_READING_AGE).contains(&age)).then_some(newest)
}

/// Returns the lists with steps whose end is not known yet. Their run reads them.
fn lists_in_use(core: &Core) -> Result<HashSet<i64>, AccountError> {
    core.read(|tx| {
        let Some(run) = runs::find_open_run(tx)? else { return Ok(HashSet::new()) };
        let open = gather::step_outlines(tx, run.id)?.into_iter().filter(|(_, state)| !state.is_settled());
        Ok(open.filter_map(|(step, _)| gather::list_of_step(&step.kind)).collect())
    })
}

/// Reads the contacts of one list. An interrupted reading continues at its page.
async fn read_contacts(
    reader: PullReader<'_>,
    (id, list): (i64, &RemoteList),
    listed: Instant,
    merged: &mut MergeCounts,
) -> Result<ListReadResult, SyncError> {
    let PullReader { core, client, asked, progress } = reader;
    progress.begin_phase(Some(SyncedTable::Contacts), &list.name);
    let marker = list.updated_at.map(|at| at.to_iso());
    let facts = run_blocking(core, move |core| {
        core.read(|tx| Ok((scopes::count_expected(tx, id)?, scopes::get(tx, SyncedTable::Contacts, id)?.marker)))
    });
    let (believed, known) = facts.await?;
    if let Some(changed) = list.updated_at
        && known != marker
    {
        wait_out_second(client, changed, listed.elapsed()).await;
    }
    let observe = |pages, rows| {
        progress.set_page(pages, rows);
        !progress.is_stopped()
    };
    for reading in 1.. {
        let assumed = marker.as_deref().filter(|_| !asked.full);
        let sweep = ListSweep { core, client, list: id, uid: &list.uid, at_once: reading == 1, observer: &observe };
        let Some(claimed) = sweep.read(assumed).await? else {
            let applied = run_blocking(core, move |core| {
                merge::forget_sent_deletions(core, id, &[])?;
                // An undo may have ended a conflict, so that only the change at the service is left.
                let contacts =
                    core.read(|tx| Ok::<_, AccountError>(changes::contacts_changed_only_at_service(tx, id)?))?;
                merge::merge_settled_contacts(core, &contacts)
            });
            merged.add(applied.await?);
            return Ok(ListReadResult::AssumedUnchanged);
        };
        let distinct =
            run_blocking(core, move |core| core.read(|tx| Ok(scopes::count_records(tx, SyncedTable::Contacts, id)?)))
                .await?;
        let sight = judge_reading(claimed, distinct, believed);
        // A result that looks wrong is read again before anybody acts on it or is asked.
        if reading < MAX_READINGS && sight == ReadingQuality::Drifting
            || reading == 1 && sight == ReadingQuality::Shrunk && !asked.believe
        {
            run_blocking(core, move |core| core.write_quietly(|tx| Ok(sweep::restart_reading(tx, id)?))).await?;
            continue;
        }
        let is_whole = sight == ReadingQuality::Whole || sight == ReadingQuality::Shrunk && asked.believe;
        let (now, total) = (core.ctx().now().unix(), claimed.1);
        let came = run_blocking(core, move |core| {
            let merged = merge::merge_list(core, id, is_whole)?;
            core.write_quietly(|tx| {
                // A contact that was seen elsewhere may still return to its list, so this list has to be read again.
                let marker = marker.filter(|_| is_whole && merged.elsewhere == 0);
                let known = ScopeState {
                    total: Some(total),
                    marker,
                    checked_at: Some(now),
                    full_at: Some(now),
                    ..ScopeState::default()
                };
                scopes::delete_records(tx, SyncedTable::Contacts, id)?;
                Ok(scopes::set(tx, SyncedTable::Contacts, id, &known)?)
            })?;
            Ok(merged)
        });
        merged.add(came.await?);
        return Ok(ListReadResult::Read(if is_whole { ReadingQuality::Whole } else { sight }));
    }
    Ok(ListReadResult::Read(ReadingQuality::Drifting))
}

/// Waits until the second of the list's last change is over. Times are whole seconds, so a later edit in the same
/// second would leave no trace. If the service does not send its time, a second after the lists were read suffices.
pub async fn wait_out_second(client: &Client, changed: Timestamp, since_listed: Duration) {
    const SECOND: Duration = Duration::from_secs(1);
    let wait = match client.service_time() {
        Some(now) if now > changed.unix() => Duration::ZERO,
        Some(_) => SECOND,
        None => SECOND.saturating_sub(since_listed),
    };
    sleep(wait).await;
}

/// Returns the number of pending changes and of open conflicts.
pub fn count_pending(core: &Core) -> Result<(u64, u64), AccountError> {
    core.read(|tx| Ok(changes::count_pending(tx)?))
}
