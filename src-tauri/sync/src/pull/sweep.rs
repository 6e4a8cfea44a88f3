//! Reads the contacts of one list: page by page, or from one response if the service is known to return all at once.

use std::collections::HashSet;

use roost_ops::{Actor, Core, Error};
use roost_store::{
    tables::{
        custom_fields,
        sync::{
            SyncedTable,
            local::ServiceTimes,
            scopes::{self, ScopeState, ServiceRecord},
        },
    },
    tx::{ReadTx, WriteTx},
};

use super::pages;
use crate::{
    BlockingTask, Client, SyncError, account, cells,
    fields::{self, SeenValues},
    merge::ROWS_PER_TRANSACTION,
    probe,
    remote::{ContactsParams, PageParams, RemoteContact},
    run_blocking,
};

/// The most contacts that the service returns in one page.
pub const PAGE: u32 = 100;
/// The number of attempts to read all contacts at once before they are read by pages.
const MAX_ATTEMPTS: u32 = 5;

/// Called with the pages read and their number, and the contacts read and their number. Returns whether to go on.
pub(super) type SweepObserver<'a> = &'a (dyn Fn((u32, Option<u32>), (u64, Option<u64>)) -> bool + Send + Sync);

/// The reading of one list.
#[derive(Clone, Copy)]
pub struct ListSweep<'a> {
    pub core: &'a Core,
    pub client: &'a Client,
    pub list: i64,
    pub uid: &'a str,
    /// Whether to read all contacts from one response, if the service supports it.
    pub at_once: bool,
    pub observer: SweepObserver<'a>,
}

impl ListSweep<'_> {
    /// Stores every page that is not read yet. Returns the totals of the first and the last page, or `None` if the list
    /// still has the time `assumed` and the same number of contacts as at the last reading.
    pub async fn read(self, assumed: Option<&str>) -> Result<Option<(u64, u64)>, SyncError> {
        let Self { core, client, list, uid, .. } = self;
        let facts = run_blocking(core, move |core| {
            core.read(|tx| {
                Ok((scopes::get(tx, SyncedTable::Contacts, list)?, account::read_capabilities(tx)?.all_pages_read))
            })
        });
        let (mut known, can) = facts.await?;
        let mut at_once = can && self.at_once && known.page == 0;
        let may_be_assumed = assumed.is_some() && known.marker.as_deref() == assumed;
        let ask = |number| async move {
            client.query_contacts(uid, &ContactsParams::Page(PageParams { number, size: PAGE })).await
        };
        // The next page is requested while the present one is stored.
        let mut ahead = None;
        loop {
            if at_once && !may_be_assumed {
                if let Some(claimed) = self.read_all_at_once().await? {
                    return Ok(Some(claimed));
                }
                at_once = false;
            }
            let number = known.page + 1;
            let page = match ahead.take() {
                Some(came) => came?,
                None => ask(number).await?,
            };
            if number == 1 && may_be_assumed && known.total == Some(page.total) {
                return Ok(None);
            }
            let is_last = page.items.is_empty() || u64::from(number) >= page.pages;
            if number == 1 && at_once && !is_last {
                at_once = false;
                if let Some(claimed) = self.read_all_at_once().await? {
                    return Ok(Some(claimed));
                }
            }
            let first = known.claimed.unwrap_or(page.total);
            let (total, rows) = (page.total, u64::from(known.page) * u64::from(PAGE) + page.items.len() as u64);
            let (page_number, claimed) = if is_last { (0, None) } else { (number, Some(first)) };
            let next = ScopeState { page: page_number, claimed, ..known.clone() };
            let (observed, kept, is_first) = (ObservedPage::new(&page.items), next.clone(), number == 1);
            let goes_on = (self.observer)((number, u32::try_from(page.pages).ok()), (rows, Some(total)));
            let kept = run_blocking(core, move |core| {
                observed.store_fields(core)?;
                core.write_unsynced(|tx| {
                    if is_first {
                        scopes::delete_records(tx, SyncedTable::Contacts, list)?;
                    }
                    scopes::add_records(tx, SyncedTable::Contacts, list, &observed.records)?;
                    Ok(scopes::set(tx, SyncedTable::Contacts, list, &kept)?)
                })
            });
            if is_last {
                kept.await?;
                return Ok(Some((first, total)));
            }
            if !goes_on {
                kept.await?;
                return Err(SyncError::Stopped);
            }
            let (kept, came) = tokio::join!(kept, ask(number + 1));
            kept?;
            ahead = Some(came);
            known = next;
        }
    }

    /// Reads all contacts from one response. Returns `None` if that fails and pages have to be read.
    async fn read_all_at_once(self) -> Result<Option<(u64, u64)>, SyncError> {
        for _ in 0..MAX_ATTEMPTS {
            match self.try_read_all().await {
                Ok(total) => return Ok(Some((total, total))),
                Err(SyncError::Service(error)) if error.is_silent() || !self.client.can_retry(&error) => break,
                Err(SyncError::Service(_)) => {}
                Err(other) => return Err(other),
            }
        }
        Ok(None)
    }

    async fn try_read_all(self) -> Result<u64, SyncError> {
        let Self { core, list, .. } = self;
        run_blocking(core, move |core| core.write_quietly(|tx| Ok(restart_reading(tx, list)?))).await?;
        let mut storing = None;
        let total = self.store_stream(&mut storing).await;
        // Another reading must not begin before the last contacts of this one are stored.
        let stored = match storing {
            Some(storing) => storing.await,
            None => Ok(()),
        };
        let total = total?;
        stored.map(|()| total)
    }

    /// Stores contacts while the next ones are read. Returns their total, and leaves the last ones `storing`.
    async fn store_stream(self, storing: &mut Option<BlockingTask<()>>) -> Result<u64, SyncError> {
        let Self { core, list, .. } = self;
        let mut reading = self.client.stream_contacts(self.uid).await?;
        let (mut waiting, mut rows): (Vec<RemoteContact>, u64) = (Vec::new(), 0);
        loop {
            let more = reading.next().await?;
            let is_last = more.is_none();
            waiting.extend(more.into_iter().flatten());
            if waiting.len() >= ROWS_PER_TRANSACTION as usize || is_last {
                rows += waiting.len() as u64;
                let observed = ObservedPage::new(&std::mem::take(&mut waiting));
                if let Some(before) = storing.take() {
                    before.await?;
                }
                *storing = Some(run_blocking(core, move |core| {
                    observed.store_fields(core)?;
                    core.write_unsynced(|tx| {
                        Ok(scopes::add_records(tx, SyncedTable::Contacts, list, &observed.records)?)
                    })
                }));
                if !(self.observer)((0, None), (rows, reading.totals().map(|(total, _)| total))) && !is_last {
                    return Err(SyncError::Stopped);
                }
            }
            if let (true, Some((total, _))) = (is_last, reading.totals()) {
                return Ok(total);
            }
        }
    }
}

/// Restarts the reading of a list from its first page.
pub(super) fn restart_reading(tx: &WriteTx, list: i64) -> Result<(), roost_ops::StoreError> {
    scopes::delete_records(tx, SyncedTable::Contacts, list)?;
    let known = scopes::get(tx, SyncedTable::Contacts, list)?;
    scopes::set(tx, SyncedTable::Contacts, list, &ScopeState { page: 0, claimed: None, ..known })
}

/// Contacts that were read together, as they are stored.
struct ObservedPage {
    records: Vec<ServiceRecord>,
    custom_fields: HashSet<u32>,
    values: SeenValues,
}

impl ObservedPage {
    fn new(items: &[RemoteContact]) -> Self {
        Self {
            records: observed_contacts(items),
            custom_fields: items.iter().flat_map(|contact| contact.custom_fields.iter().copied()).collect(),
            values: fields::sample_values(items),
        }
    }

    /// Creates the custom fields that the contacts need, and remembers that the service has them.
    fn store_fields(&self, core: &Core) -> Result<(), Error> {
        let Self { custom_fields: came, values, .. } = self;
        let is_new = |tx: &ReadTx| -> Result<bool, Error> {
            let known = custom_fields::defined_numbers(tx)?;
            Ok(came.iter().any(|number| !known.contains(number)))
        };
        if core.read(is_new)? {
            core.write(&Actor::sync(), |tx| pages::ensure_fields(tx, came))?;
        }
        if let Some(found) = core.read(|tx| Ok::<_, Error>(probe::find_new_custom_fields(tx, came)?))? {
            let now = core.ctx().now();
            core.write_quietly(|tx| Ok::<_, Error>(probe::store_findings(tx, &[found], now)?))?;
        }
        if core.read(|tx| Ok::<_, Error>(fields::has_news(tx, values)?))? {
            core.write_quietly(|tx| Ok::<_, Error>(fields::record_values(tx, values)?))?;
        }
        Ok(())
    }
}

/// Converts contacts to the rows of the tables.
pub fn observed_contacts(items: &[RemoteContact]) -> Vec<ServiceRecord> {
    let to_record = |contact: &RemoteContact| ServiceRecord {
        uid: contact.uid.clone(),
        cells: cells::to_cells(&contact.row),
        times: ServiceTimes {
            made: contact.created_at.map(|at| at.unix()),
            changed: contact.updated_at.map(|at| at.unix()),
        },
    };
    // A contact without an identifier cannot be stored. The service's total then exceeds the count, so the reading
    // removes nothing.
    items.iter().filter(|contact| !contact.uid.is_empty()).map(to_record).collect()
}
